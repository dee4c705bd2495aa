//! What is sent for each statement, and how its answer is read (PostgreSQL's documentation, sections 55.2 and 55.7).
//!
//! Where time counts, messages are written and read here: `postgres-protocol` would copy each row into a buffer of
//! its own and write each request to one. Rows are counted by their heads, and their values passed over.

use std::ops::Range;

use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::{self, DataRowBody, Message};

use crate::workload::db::client::{FailureKind, StatementFailure};
use crate::workload::db::generator::SqlValue;
use crate::workload::db::postgres::errors::{failure, malformed};
use crate::workload::db::transaction::SqlStatement;
use crate::workload::db::wire::{StatementAnswer, StatementCodec, TextRow, lost};

/// Bytes of the head of a message: what it is, and how long the rest is with these four.
const HEAD: usize = 5;

/// The longest message that is taken whole: an error, or the end of a statement.
const WHOLE_MOST: usize = 1 << 20;

/// The state of the transaction in `ReadyForQuery`: none is under way.
const IDLE: u8 = b'I';

/// The protocol, over one connection.
#[derive(Debug, Default)]
pub(in crate::workload) struct PostgresCodec {
    /// Whether all statements are prepared, as `s` and their numbers.
    pub(super) is_prepared: bool,
    pub(super) in_transaction: bool,
    /// Bytes of a message that are passed over.
    skip: usize,
    /// Whether the statement changes rows, and those that it gave or changed.
    writes: bool,
    rows: u64,
    changed: u64,
    failure: Option<StatementFailure>,
    /// How many columns of the first row are kept, and these.
    keeps: usize,
    pub(super) kept: Vec<Option<String>>,
    /// A statement with its values.
    text: String,
}

/// The name of a prepared statement.
pub(super) fn name(statement: usize) -> String {
    format!("s{statement}")
}

/// The text of a statement as PostgreSQL has it: values are `$1`, `$2`, ...
pub(super) fn numbered(statement: &SqlStatement) -> String {
    let mut all = String::new();
    for (place, piece) in statement.pieces().iter().enumerate() {
        if place > 0 {
            all.push('$');
            all.push_str(&place.to_string());
        }
        all.push_str(piece);
    }
    all
}

/// Adds a message of this kind to `out`, whose content `write` adds.
#[inline]
fn message(kind: u8, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    out.push(kind);
    counted(out, 4, write);
}

/// Adds a length of four bytes, which counts `more` than what `write` adds behind it.
#[inline]
fn counted(out: &mut Vec<u8>, more: usize, write: impl FnOnce(&mut Vec<u8>)) {
    let place = out.len();
    out.extend_from_slice(&[0; 4]);
    write(out);
    // A statement has no values of 2 GiB.
    let length = u32::try_from(out.len() - place - 4 + more).unwrap_or(u32::MAX);
    out[place..place + 4].copy_from_slice(&length.to_be_bytes());
}

/// Adds a number in decimal digits: each request has some, and the standard library's way goes through a formatter.
#[inline]
fn number_to(out: &mut Vec<u8>, mut number: u64) {
    // 2^64 has 20 digits.
    let mut digits = [0; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[first..]);
}

/// The same with a sign.
#[inline]
fn integer_to(out: &mut Vec<u8>, number: i64) {
    if number < 0 {
        out.push(b'-');
    }
    number_to(out, number.unsigned_abs());
}

impl PostgresCodec {
    /// A request begins.
    #[inline]
    fn begin(&mut self, writes: bool) {
        (self.writes, self.rows, self.changed, self.failure, self.keeps) = (writes, 0, 0, None, 0);
    }

    /// Executes a text by itself.
    fn simple(&mut self, text: &str, out: &mut Vec<u8>) {
        message(b'Q', out, |out| {
            out.extend_from_slice(text.as_bytes());
            out.push(0);
        });
    }
}

impl StatementCodec for PostgresCodec {
    #[inline]
    fn execute(
        &mut self,
        statement: usize,
        asked: &SqlStatement,
        values: &[SqlValue],
        parameters: &[usize],
        out: &mut Vec<u8>,
    ) {
        self.begin(asked.writes);
        if !self.is_prepared {
            let mut text = std::mem::take(&mut self.text);
            asked.with_values(values, parameters, &mut text);
            self.simple(&text, out);
            self.text = text;
            return;
        }
        // Bind: a portal without a name; all values as text; what comes back as text.
        message(b'B', out, |out| {
            out.extend_from_slice(b"\0s");
            number_to(out, statement as u64);
            out.extend_from_slice(&[0, 0, 0]);
            let count = u16::try_from(parameters.len()).unwrap_or(u16::MAX);
            out.extend_from_slice(&count.to_be_bytes());
            for variable in parameters {
                counted(out, 0, |out| match &values[*variable] {
                    SqlValue::Integer(number) => integer_to(out, *number),
                    SqlValue::Text(text) => out.extend_from_slice(text.as_bytes()),
                });
            }
            out.extend_from_slice(&[0, 0]);
        });
        // Execute: all rows. Then Sync, which is answered when all is done.
        message(b'E', out, |out| out.extend_from_slice(&[0; 5]));
        message(b'S', out, |_| {});
    }

    fn keep(&mut self, columns: usize) -> bool {
        self.keeps = columns;
        self.kept.clear();
        true
    }

    fn kept(&self) -> &[Option<String>] {
        &self.kept
    }

    fn roll_back(&mut self, out: &mut Vec<u8>) {
        self.begin(false);
        if self.in_transaction {
            self.simple("ROLLBACK", out);
        }
    }

    #[inline]
    fn read(&mut self, bytes: &[u8]) -> Result<(usize, Option<StatementAnswer>), StatementFailure> {
        let mut done = 0;
        loop {
            let rest = &bytes[done..];
            let passed = self.skip.min(rest.len());
            (self.skip, done) = (self.skip - passed, done + passed);
            let [kind, a, b, c, d, body @ ..] = &bytes[done..] else { return Ok((done, None)) };
            let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
            let length = length
                .checked_sub(4)
                .ok_or_else(|| lost("a message of PostgreSQL is shorter than its head"))?;
            match *kind {
                // The first row is taken whole, if it is to be kept.
                backend::DATA_ROW_TAG if self.keeps == 0 || self.rows > 0 => self.rows += 1,
                backend::DATA_ROW_TAG
                | backend::COMMAND_COMPLETE_TAG
                | backend::READY_FOR_QUERY_TAG
                | backend::ERROR_RESPONSE_TAG => {
                    if length > WHOLE_MOST {
                        return Err(lost("a message of PostgreSQL is longer than 1 MiB"));
                    }
                    let Some(body) = body.get(..length) else { return Ok((done, None)) };
                    let whole = &bytes[done..done + HEAD + length];
                    done += HEAD + length;
                    if self.take(*kind, body, whole)? {
                        return Ok((done, Some(self.answer())));
                    }
                    continue;
                }
                backend::COPY_IN_RESPONSE_TAG | backend::COPY_OUT_RESPONSE_TAG => {
                    return Err(lost(
                        "a statement asks for a copy of rows (COPY), which is no statement of a load",
                    ));
                }
                backend::PARSE_COMPLETE_TAG
                | backend::BIND_COMPLETE_TAG
                | backend::CLOSE_COMPLETE_TAG
                | backend::NO_DATA_TAG
                | backend::ROW_DESCRIPTION_TAG
                | backend::PARAMETER_DESCRIPTION_TAG
                | backend::PORTAL_SUSPENDED_TAG
                | backend::EMPTY_QUERY_RESPONSE_TAG
                | backend::NOTICE_RESPONSE_TAG
                | backend::NOTIFICATION_RESPONSE_TAG
                | backend::PARAMETER_STATUS_TAG => {}
                other => {
                    return Err(lost(format!("PostgreSQL answers with a message `{}`", char::from(other))));
                }
            }
            done += HEAD;
            self.skip = length;
        }
    }
}

impl PostgresCodec {
    /// Takes a message that is there whole; whether it is the end of the answer.
    #[inline]
    fn take(&mut self, kind: u8, body: &[u8], whole: &[u8]) -> Result<bool, StatementFailure> {
        match kind {
            backend::COMMAND_COMPLETE_TAG => {
                if self.writes {
                    self.changed += changed(body);
                }
                Ok(false)
            }
            backend::READY_FOR_QUERY_TAG => {
                self.in_transaction = body != [IDLE];
                Ok(true)
            }
            backend::DATA_ROW_TAG => self.take_row(whole).map(|()| false),
            _ => self.take_error(whole).map(|()| false),
        }
    }

    /// Keeps what is asked for of the first row.
    fn take_row(&mut self, whole: &[u8]) -> Result<(), StatementFailure> {
        self.rows += 1;
        if let Some(Message::DataRow(row)) =
            Message::parse(&mut BytesMut::from(whole)).map_err(|e| malformed(&e))?
        {
            self.kept = texts(&row).map_err(|e| malformed(&e))?;
            self.kept.truncate(self.keeps);
        }
        Ok(())
    }

    #[cold]
    fn take_error(&mut self, whole: &[u8]) -> Result<(), StatementFailure> {
        match Message::parse(&mut BytesMut::from(whole)).map_err(|e| malformed(&e))? {
            Some(Message::ErrorResponse(body)) => {
                let told = failure(&body);
                if told.kind == FailureKind::Lost {
                    return Err(told);
                }
                self.failure = Some(told);
                Ok(())
            }
            _ => Err(lost("an error of PostgreSQL is not whole")),
        }
    }

    #[inline]
    fn answer(&mut self) -> StatementAnswer {
        match self.failure.take() {
            Some(failure) => Err(failure),
            None if self.writes => Ok(self.changed),
            None => Ok(self.rows),
        }
    }
}

/// The values of a row, which come as text.
pub(super) fn texts(row: &DataRowBody) -> std::io::Result<TextRow> {
    let mut values = Vec::new();
    let mut ranges = row.ranges();
    while let Some(range) = ranges.next()? {
        let text = |range: Range<usize>| String::from_utf8_lossy(&row.buffer()[range]).into_owned();
        values.push(range.map(text));
    }
    Ok(values)
}

/// How many rows a command changed: the last number of its tag (`UPDATE 3`, `INSERT 0 1`).
#[inline]
fn changed(tag: &[u8]) -> u64 {
    let digits = tag.iter().rev().skip_while(|byte| **byte == 0).take_while(|byte| byte.is_ascii_digit());
    let (mut number, mut place) = (0_u64, 1_u64);
    for digit in digits {
        number = number.saturating_add(u64::from(digit - b'0').saturating_mul(place));
        place = place.saturating_mul(10);
    }
    number
}

#[cfg(test)]
mod tests {
    use postgres_protocol::message::frontend;

    use super::*;
    use crate::workload::db::postgres::errors::tests::message as error;

    fn bytes_of(codec: &mut PostgresCodec, statement: &SqlStatement, values: &[SqlValue]) -> Vec<u8> {
        let parameters: Vec<usize> = (0..values.len()).collect();
        let mut out = Vec::new();
        codec.execute(12, statement, values, &parameters, &mut out);
        out
    }

    #[test]
    fn a_prepared_statement_is_bound_executed_and_synced() {
        let statement = SqlStatement::new("UPDATE t SET c=? WHERE id=?", true);
        assert_eq!(numbered(&statement), "UPDATE t SET c=$1 WHERE id=$2");
        let mut codec = PostgresCodec { is_prepared: true, ..PostgresCodec::default() };
        let values = [SqlValue::Text("ab".to_owned()), SqlValue::Integer(-7)];
        let bound = b"B\0\0\0\x1b\0s12\0\0\0\0\x02\0\0\0\x02ab\0\0\0\x02-7\0\0";
        let expected = [&bound[..], b"E\0\0\0\x09\0\0\0\0\0", b"S\0\0\0\x04"].concat();
        assert_eq!(bytes_of(&mut codec, &statement, &values), expected);
        // The same as the library writes.
        let mut library = BytesMut::new();
        let write = |text: &str, buffer: &mut BytesMut| {
            buffer.extend_from_slice(text.as_bytes());
            Ok(postgres_protocol::IsNull::No)
        };
        let bound = frontend::bind("", &name(12), [], ["ab", "-7"], write, [], &mut library);
        assert!(bound.is_ok());
        frontend::execute("", 0, &mut library).unwrap();
        frontend::sync(&mut library);
        assert_eq!(expected, library);
    }

    #[test]
    fn numbers_are_written_as_the_standard_library_writes_them() {
        for number in [0, 7, -7, 10, -100, 99_999, 1_234_567_890, i64::MAX, i64::MIN, i64::MIN + 1] {
            let mut out = b"x".to_vec();
            integer_to(&mut out, number);
            assert_eq!(out, format!("x{number}").into_bytes());
        }
        let mut out = Vec::new();
        number_to(&mut out, u64::MAX);
        assert_eq!(out, u64::MAX.to_string().into_bytes());
    }

    #[test]
    fn what_is_not_prepared_is_sent_with_its_values() {
        let statement = SqlStatement::new("SELECT ? ", false);
        let mut codec = PostgresCodec::default();
        let sent = bytes_of(&mut codec, &statement, &[SqlValue::Text("it's".to_owned())]);
        assert_eq!(sent, b"Q\0\0\0\x14SELECT 'it''s' \0");
    }

    /// An answer: two rows, the end of the command, ready inside a transaction.
    const ANSWER: &[u8] =
        b"2\0\0\0\x04D\0\0\0\x0c\0\x01\0\0\0\x02abD\0\0\0\x0a\0\x01\xff\xff\xff\xffC\0\0\0\x0dSELECT 2\0\
                            Z\0\0\0\x05T";

    #[test]
    fn rows_are_counted_however_their_bytes_come() {
        for step in 1..=ANSWER.len() {
            let mut codec = PostgresCodec::default();
            codec.begin(false);
            let (mut held, mut answers) = (Vec::new(), Vec::new());
            for piece in ANSWER.chunks(step) {
                held.extend_from_slice(piece);
                let (done, answer) = codec.read(&held).unwrap();
                held.drain(..done);
                assert!(held.len() < 14, "{step}: rows are not kept");
                answers.extend(answer);
            }
            assert_eq!((answers, held.len()), (vec![Ok(2)], 0), "{step}");
            assert!(codec.in_transaction);
        }
    }

    #[test]
    fn the_first_row_is_kept_where_it_is_asked_for() {
        for step in [1, 7, ANSWER.len()] {
            let mut codec = PostgresCodec::default();
            codec.begin(false);
            assert!(codec.keep(1));
            let (mut held, mut answers) = (Vec::new(), Vec::new());
            for piece in ANSWER.chunks(step) {
                held.extend_from_slice(piece);
                let (done, answer) = codec.read(&held).unwrap();
                held.drain(..done);
                answers.extend(answer);
            }
            assert_eq!((answers, codec.kept()), (vec![Ok(2)], &[Some("ab".to_owned())][..]), "{step}");
        }
    }

    #[test]
    fn rows_that_were_changed_are_those_of_the_tag() {
        for (tag, expected) in [
            (&b"UPDATE 3\0"[..], 3),
            (&b"INSERT 0 1\0"[..], 1),
            (&b"BEGIN\0"[..], 0),
            (&b"DELETE 1204\0"[..], 1204),
        ] {
            assert_eq!(changed(tag), expected);
        }
    }

    #[test]
    fn an_error_is_an_answer_once_the_server_is_ready_and_the_end_where_it_is_fatal() {
        let fields = [(b'V', "ERROR"), (b'C', "40P01"), (b'M', "deadlock detected")];
        let mut codec = PostgresCodec::default();
        codec.begin(true);
        let deadlock = [&error(&fields)[..], b"Z\0\0\0\x05E"].concat();
        let (done, answer) = codec.read(&deadlock).unwrap();
        let failed = answer.unwrap().unwrap_err();
        assert_eq!((done, failed.kind), (deadlock.len(), FailureKind::Conflict));
        let mut out = Vec::new();
        codec.roll_back(&mut out);
        assert_eq!(out, b"Q\0\0\0\x0dROLLBACK\0");
        let (_, answer) = codec.read(b"C\0\0\0\x0dROLLBACK\0Z\0\0\0\x05I").unwrap();
        assert_eq!(answer, Some(Ok(0)));
        out.clear();
        codec.roll_back(&mut out);
        assert!(out.is_empty(), "there is nothing to roll back");
        let fields = [(b'V', "FATAL"), (b'C', "57P01"), (b'M', "terminating connection")];
        assert_eq!(codec.read(&error(&fields)).unwrap_err().kind, FailureKind::Lost);
    }

    #[test]
    fn what_is_no_answer_ends_the_connection() {
        for wrong in [&b"G\0\0\0\x07\0\0\0"[..], b"?\0\0\0\x04", b"C\0\0\0\x03", b"E\x7f\xff\xff\xff"] {
            let mut codec = PostgresCodec::default();
            assert_eq!(codec.read(wrong).unwrap_err().kind, FailureKind::Lost, "{wrong:?}");
        }
    }
}
