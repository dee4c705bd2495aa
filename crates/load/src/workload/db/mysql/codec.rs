//! MySQL's protocol as it is spoken where time counts: a request to execute a statement, and an answer whose rows are
//! counted.
//!
//! A prepared statement is executed with its values in binary form, and its rows come so; a text has its values in it
//! (dev.mysql.com, "COM_STMT_EXECUTE", "COM_QUERY", "Text Resultset", "Binary Protocol Resultset"; mariadb.com, "Result
//! Set Packets"). Of a row only the first byte is looked at, so that one need not be there whole to be counted.

use crate::workload::db::client::{FailureKind, StatementFailure};
use crate::workload::db::generator::SqlValue;
use crate::workload::db::mysql::errors::ServerRefusal;
use crate::workload::db::mysql::packet::{self, HEAD, OpenPacket, PacketHead, PacketReader};
use crate::workload::db::mysql::rows::{ColumnForm, binary_row, text_row};
use crate::workload::db::mysql::sign_in::{Agreed, ok_packet, unexpected};
use crate::workload::db::transaction::SqlStatement;
use crate::workload::db::wire::{StatementAnswer, StatementCodec, TextRow, lost};

/// What the status of a session says (dev.mysql.com, `SERVER_STATUS_flags_enum`).
pub(super) const IN_TRANSACTION: u16 = 1;
pub(super) const AUTOCOMMIT: u16 = 1 << 1;
const MORE_RESULTS: u16 = 1 << 3;
const NO_BACKSLASH_ESCAPES: u16 = 1 << 9;

/// Types of values (dev.mysql.com, `enum_field_types`): whole numbers of 64 bits with a sign, and texts.
const LONGLONG: u8 = 8;
const VAR_STRING: u8 = 253;

/// Packets that are read whole have at most so many bytes: what says that all is well, and errors.
const WHOLE_MOST: usize = 64 << 10;

/// A statement that the server has prepared.
#[derive(Debug)]
pub(super) struct PreparedStatement {
    id: u32,
    /// The types of values that the server was told last; it remembers them.
    types: Vec<u8>,
    /// The columns of its rows.
    columns: Vec<ColumnForm>,
}

impl PreparedStatement {
    /// One to which the server gave this number, and whose rows have these columns.
    pub(super) fn new(id: u32, columns: Vec<ColumnForm>) -> Self {
        Self { id, types: Vec::new(), columns }
    }

    /// Puts the request that executes it.
    #[inline]
    fn put(&mut self, values: &[SqlValue], parameters: &[usize], out: &mut Vec<u8>) {
        let packet = OpenPacket::begin(out, 0);
        out.push(packet::COM_STMT_EXECUTE);
        out.extend_from_slice(&self.id.to_le_bytes());
        // No cursor; once.
        out.extend_from_slice(&[0, 1, 0, 0, 0]);
        if !parameters.is_empty() {
            // None is NULL.
            out.resize(out.len() + parameters.len().div_ceil(8), 0);
            self.put_types(values, parameters, out);
            for parameter in parameters {
                match &values[*parameter] {
                    SqlValue::Integer(number) => out.extend_from_slice(&number.to_le_bytes()),
                    SqlValue::Text(text) => {
                        packet::put_length(out, text.len());
                        out.extend_from_slice(text.as_bytes());
                    }
                }
            }
        }
        packet.end(out);
    }

    /// Puts the types of values, if the server was told others.
    #[inline]
    fn put_types(&mut self, values: &[SqlValue], parameters: &[usize], out: &mut Vec<u8>) {
        let of = |parameter: &usize| match &values[*parameter] {
            SqlValue::Integer(_) => LONGLONG,
            SqlValue::Text(_) => VAR_STRING,
        };
        if self.types.iter().copied().eq(parameters.iter().map(of)) {
            out.push(0);
            return;
        }
        self.types.clear();
        self.types.extend(parameters.iter().map(of));
        out.push(1);
        for of_value in &self.types {
            out.extend_from_slice(&[*of_value, 0]);
        }
    }
}

/// What comes next of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// Its first packet, or the first of its next part.
    Beginning,
    /// So many descriptions of columns.
    Columns(u64),
    /// The end of those, where a server still sends one.
    EndOfColumns,
    Rows,
}

/// The state of a connection that speaks the protocol.
#[derive(Debug)]
pub(in crate::workload) struct MySqlCodec {
    agreed: Agreed,
    /// By their numbers. What the server does not prepare is sent as a text.
    pub(super) prepared: Vec<Option<PreparedStatement>>,
    /// The status of the session, as it was told last.
    pub(super) status: u16,
    expected: Expected,
    /// Rows of the answer that is being read.
    rows: u64,
    /// Bytes of a packet that are still to come, and of which none is read.
    skipped: usize,
    /// Whether the next packet is a part of the one before.
    is_continued: bool,
    /// A statement with its values.
    text: String,
    /// The statement that is executed, if it is a prepared one.
    executed: Option<usize>,
    /// How many columns of the first row are kept, and these.
    keeps: usize,
    pub(super) kept: TextRow,
}

impl MySqlCodec {
    /// One that is signed in.
    pub(super) fn new(agreed: Agreed) -> Self {
        Self {
            status: agreed.status,
            agreed,
            prepared: Vec::new(),
            expected: Expected::Beginning,
            rows: 0,
            skipped: 0,
            is_continued: false,
            text: String::new(),
            executed: None,
            keeps: 0,
            kept: TextRow::new(),
        }
    }

    /// What was agreed with the server.
    pub(super) fn agreed(&self) -> Agreed {
        self.agreed
    }

    /// Whether a backslash in a text has to be doubled.
    pub(super) fn doubles_backslashes(&self) -> bool {
        self.status & NO_BACKSLASH_ESCAPES == 0
    }
}

impl StatementCodec for MySqlCodec {
    #[inline]
    fn execute(
        &mut self,
        statement: usize,
        asked: &SqlStatement,
        values: &[SqlValue],
        parameters: &[usize],
        out: &mut Vec<u8>,
    ) {
        self.keeps = 0;
        self.kept.clear();
        if let Some(Some(prepared)) = self.prepared.get_mut(statement) {
            prepared.put(values, parameters, out);
            self.executed = Some(statement);
            return;
        }
        self.executed = None;
        let has_backslash = |parameter: &usize| matches!(&values[*parameter], SqlValue::Text(text) if text.as_bytes().contains(&b'\\'));
        if self.doubles_backslashes() && parameters.iter().any(has_backslash) {
            let doubled: Vec<SqlValue> = values.iter().map(with_doubled_backslashes).collect();
            asked.with_values(&doubled, parameters, &mut self.text);
        } else {
            asked.with_values(values, parameters, &mut self.text);
        }
        packet::put_text(out, packet::COM_QUERY, &self.text);
    }

    fn keep(&mut self, columns: usize) -> bool {
        self.keeps = columns;
        true
    }

    fn kept(&self) -> &[Option<String>] {
        &self.kept
    }

    /// A session that does not commit by itself may have begun a transaction with a statement that failed, of which its
    /// status does not tell.
    fn roll_back(&mut self, out: &mut Vec<u8>) {
        self.keeps = 0;
        if self.status & IN_TRANSACTION != 0 || self.status & AUTOCOMMIT == 0 {
            packet::put_text(out, packet::COM_QUERY, "ROLLBACK");
        }
    }

    #[inline]
    fn read(&mut self, bytes: &[u8]) -> Result<(usize, Option<StatementAnswer>), StatementFailure> {
        let mut place = self.skipped.min(bytes.len());
        self.skipped -= place;
        while self.skipped == 0 {
            let rest = &bytes[place..];
            let Some(head) = PacketHead::of(rest) else { break };
            let is_whole_needed = match rest.get(HEAD) {
                _ if self.is_continued => false,
                _ if head.length == 0 => return Err(unexpected("in an answer")),
                None => break,
                Some(first) => self.is_read_whole(*first, head.length),
            };
            if is_whole_needed {
                if head.length > WHOLE_MOST {
                    return Err(unexpected("in an answer"));
                }
                let Some(content) = rest.get(HEAD..HEAD + head.length) else { break };
                place += HEAD + head.length;
                if let Some(answer) = self.take(content)? {
                    return Ok((place, Some(answer)));
                }
                continue;
            }
            self.pass();
            self.is_continued = head.length == packet::FULL;
            let there = rest.len().min(HEAD + head.length);
            self.skipped = HEAD + head.length - there;
            place += there;
        }
        Ok((place, None))
    }
}

impl MySqlCodec {
    /// Whether a packet that begins so is read: it is neither a row nor the description of a column.
    #[inline]
    fn is_read_whole(&self, first: u8, length: usize) -> bool {
        match self.expected {
            Expected::Beginning | Expected::EndOfColumns => true,
            Expected::Columns(_) => first == packet::ERROR,
            // A row of text may begin with a number of 8 bytes, but then it is longer than one packet.
            Expected::Rows => {
                first == packet::ERROR
                    || (first == packet::END && length < packet::FULL)
                    || (self.keeps > 0 && self.kept.is_empty())
            }
        }
    }

    /// Counts a packet that is not read.
    #[inline]
    fn pass(&mut self) {
        if self.is_continued {
            return;
        }
        match self.expected {
            Expected::Columns(left) if left > 1 => self.expected = Expected::Columns(left - 1),
            Expected::Columns(_) => self.end_columns(),
            _ => self.rows += 1,
        }
    }

    fn end_columns(&mut self) {
        self.expected = if self.agreed.has_no_eof { Expected::Rows } else { Expected::EndOfColumns };
    }

    /// Reads a packet that is there whole; returns what became of the statement if it was the last one.
    fn take(&mut self, content: &[u8]) -> Result<Option<StatementAnswer>, StatementFailure> {
        if let Some(refusal) = ServerRefusal::of(content) {
            let failure = refusal.failure();
            self.begin_anew();
            return if failure.kind == FailureKind::Lost { Err(failure) } else { Ok(Some(Err(failure))) };
        }
        let first = content.first().copied();
        match (self.expected, first) {
            (Expected::Beginning, Some(packet::OK)) => {
                let ok = ok_packet(content).ok_or_else(|| unexpected("in an answer"))?;
                self.rows = self.rows.saturating_add(ok.rows);
                Ok(self.end_part(ok.status))
            }
            (Expected::Beginning, Some(packet::LOCAL_FILE)) => {
                Err(lost("the server asks for a file of this machine, which it does not get"))
            }
            (Expected::Beginning, _) => self.begin_columns(content).map(|()| None),
            (Expected::EndOfColumns, Some(packet::END)) => {
                self.expected = Expected::Rows;
                Ok(None)
            }
            (Expected::Rows, Some(packet::END)) => {
                let status = end_status(content, self.agreed.has_no_eof)
                    .ok_or_else(|| unexpected("at the end of rows"))?;
                Ok(self.end_part(status))
            }
            (Expected::Rows, _) => self.keep_row(content).map(|()| None),
            _ => Err(unexpected("in an answer")),
        }
    }

    /// Keeps what is asked for of the first row.
    #[cold]
    fn keep_row(&mut self, content: &[u8]) -> Result<(), StatementFailure> {
        let prepared = self.executed.and_then(|statement| self.prepared.get(statement)?.as_ref());
        let row = match prepared {
            Some(prepared) => binary_row(content, &prepared.columns, self.keeps),
            None => text_row(content, self.keeps as u64),
        };
        self.kept = row.filter(|row| row.len() == self.keeps).ok_or_else(|| {
            lost("the first row has no such columns, or one with a date, which is not read")
        })?;
        self.rows += 1;
        Ok(())
    }

    /// Reads how many columns rows have, and whether they are described.
    fn begin_columns(&mut self, content: &[u8]) -> Result<(), StatementFailure> {
        let mut reader = PacketReader(content);
        let columns = reader.length().filter(|columns| *columns > 0);
        let columns = columns.ok_or_else(|| unexpected("before rows"))?;
        let is_omitted = self.agreed.may_omit_columns && reader.number(1) == Some(0);
        if is_omitted {
            self.end_columns();
        } else {
            self.expected = Expected::Columns(columns);
        }
        Ok(())
    }

    /// Ends a part of an answer; returns all of it if nothing follows.
    fn end_part(&mut self, status: u16) -> Option<StatementAnswer> {
        self.status = status;
        self.expected = Expected::Beginning;
        if status & MORE_RESULTS != 0 {
            return None;
        }
        let rows = self.rows;
        self.begin_anew();
        Some(Ok(rows))
    }

    fn begin_anew(&mut self) {
        (self.expected, self.rows) = (Expected::Beginning, 0);
    }
}

/// The status in the packet that ends rows: one that says that all is well, or the older one, which has it behind the
/// number of warnings.
pub(super) fn end_status(content: &[u8], has_no_eof: bool) -> Option<u16> {
    if has_no_eof {
        return ok_packet(content).map(|ok| ok.status);
    }
    let mut reader = PacketReader(content);
    reader.take(3)?;
    u16::try_from(reader.number(2)?).ok()
}

#[cold]
fn with_doubled_backslashes(value: &SqlValue) -> SqlValue {
    match value {
        SqlValue::Text(text) => SqlValue::Text(text.replace('\\', "\\\\")),
        SqlValue::Integer(number) => SqlValue::Integer(*number),
    }
}
