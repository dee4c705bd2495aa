//! What is asked of a server once and waits for its answer: sign-in, preparing, questions, and filling tables.

use crate::workload::db::client::{FailureKind, StatementFailure};
use crate::workload::db::generator::SqlValue;
use crate::workload::db::mysql::codec::{AUTOCOMMIT, MySqlCodec, PreparedStatement, end_status};
use crate::workload::db::mysql::errors::{NOT_TO_BE_PREPARED, ServerRefusal, UNKNOWN_VARIABLE};
use crate::workload::db::mysql::packet::{self, HEAD, PacketReader};
use crate::workload::db::mysql::rows::{ColumnForm, text_row};
use crate::workload::db::mysql::sign_in::{
    Credentials, SignIn, SignInStep, Transport, ok_packet, unexpected,
};
use crate::workload::db::password::Password;
use crate::workload::db::transaction::SqlStatement;
use crate::workload::db::wire::{Account, RowTarget, TextRow, WireStream};

/// Bytes of one statement that puts rows in, about: servers take a mebibyte at least (MySQL 5.6), 16 where nobody
/// changed that.
const INSERT_BYTES: usize = 512 << 10;

/// The request that ends a connection (`COM_QUIT`).
const QUIT: &[u8] = &[1, 0, 0, 0, 1];

/// Rows of an answer that is read as text, at most.
const ROWS_MOST: usize = 100_000;

/// Content of the next packet, and its number.
fn receive(wire: &mut WireStream) -> Result<(Vec<u8>, u8), StatementFailure> {
    loop {
        if let Some((content, sequence)) = packet::first(wire.received()) {
            let content = content.to_vec();
            wire.advance(HEAD + content.len());
            if content.len() == packet::FULL {
                return Err(unexpected("where answers are short"));
            }
            return Ok((content, sequence));
        }
        wire.receive()?;
    }
}

/// Signs in, and sets what belongs to a session.
pub(super) fn sign_in(
    wire: &mut WireStream,
    account: &Account,
    lock_timeout_ms: u64,
) -> Result<MySqlCodec, StatementFailure> {
    let transport = match (wire.wants_tls(), wire.is_private()) {
        (true, _) => Transport::Tls,
        (false, true) => Transport::Local,
        (false, false) => Transport::Plain,
    };
    let credentials = Credentials {
        user: &account.user,
        password: account.password.as_ref().map_or(&b""[..], Password::bytes),
        database: &account.database,
        trusts_sent_key: account.trusts_sent_key,
    };
    let mut sign_in = SignIn::new(credentials, transport);
    let mut out = Vec::new();
    loop {
        let (content, sequence) = receive(wire)?;
        out.clear();
        match sign_in.take(&content, sequence, &mut out)? {
            SignInStep::Continue if out.is_empty() => {}
            SignInStep::Continue => wire.send(&out)?,
            SignInStep::BeginTls => {
                wire.send(&out)?;
                wire.begin_tls()?;
                out.clear();
                sign_in.answer(&mut out)?;
                wire.send(&out)?;
            }
            SignInStep::Done => break,
        }
    }
    wire.set_farewell(QUIT);
    let mut codec = MySqlCodec::new(sign_in.agreed());
    set_session(&mut codec, wire, lock_timeout_ms)?;
    Ok(codec)
}

/// Has each statement be a transaction where none was begun, and locks be waited for so long, in seconds from one on.
fn set_session(
    codec: &mut MySqlCodec,
    wire: &mut WireStream,
    lock_timeout_ms: u64,
) -> Result<(), StatementFailure> {
    if codec.status & AUTOCOMMIT == 0 {
        query(codec, wire, "SET SESSION autocommit=1")?;
    }
    // The most that both variables take is a year.
    let seconds = lock_timeout_ms.div_ceil(1000).clamp(1, 31_536_000);
    for variable in ["innodb_lock_wait_timeout", "lock_wait_timeout"] {
        ask(codec, wire, &format!("SET SESSION {variable}={seconds}"), Some(UNKNOWN_VARIABLE))?;
    }
    Ok(())
}

/// Prepares statements; one that the server prepares none of its kind of stays a text.
pub(super) fn prepare(
    codec: &mut MySqlCodec,
    wire: &mut WireStream,
    statements: &[SqlStatement],
) -> Result<(), StatementFailure> {
    codec.prepared.clear();
    let mut out = Vec::new();
    for statement in statements {
        let text = statement.text();
        out.clear();
        packet::put_text(&mut out, packet::COM_STMT_PREPARE, &text);
        wire.send(&out)?;
        let prepared = prepared(codec, wire, statement.parameters()).map_err(|failure| StatementFailure {
            message: format!("preparing `{text}`: {}", failure.message),
            ..failure
        })?;
        codec.prepared.push(prepared);
    }
    Ok(())
}

/// Reads what the server says of a statement that it was to prepare (dev.mysql.com, `COM_STMT_PREPARE_OK`).
fn prepared(
    codec: &MySqlCodec,
    wire: &mut WireStream,
    parameters: usize,
) -> Result<Option<PreparedStatement>, StatementFailure> {
    let (content, _) = receive(wire)?;
    if let Some(refusal) = ServerRefusal::of(&content) {
        return if refusal.code == NOT_TO_BE_PREPARED { Ok(None) } else { Err(refusal.failure()) };
    }
    let mut reader = PacketReader(&content);
    let mut number = |bytes| reader.number(bytes);
    let (first, id) = (number(1), number(4));
    let (columns, values) = (number(2), number(2));
    let (Some(0), Some(id), Some(columns), Some(values)) = (first, id, columns, values) else {
        return Err(unexpected("when a statement was prepared"));
    };
    let end = u64::from(!codec.agreed().has_no_eof);
    for _ in 0..values + end.min(values) {
        receive(wire)?;
    }
    let mut forms = Vec::new();
    for _ in 0..columns {
        let (content, _) = receive(wire)?;
        forms.push(ColumnForm::of(&content).ok_or_else(|| unexpected("as a column"))?);
    }
    for _ in 0..end.min(columns) {
        receive(wire)?;
    }
    if usize::try_from(values) != Ok(parameters) {
        return Err(StatementFailure {
            kind: FailureKind::Refused,
            message: format!("the server finds {values} values in it, and not {parameters}"),
        });
    }
    let id = u32::try_from(id).map_err(|_| unexpected("when a statement was prepared"))?;
    Ok(Some(PreparedStatement::new(id, forms)))
}

/// As [`crate::workload::db::wire::Codec::query`].
pub(super) fn query(
    codec: &mut MySqlCodec,
    wire: &mut WireStream,
    text: &str,
) -> Result<Vec<TextRow>, StatementFailure> {
    ask(codec, wire, text, None)
}

/// Executes a text, and reads its rows: none if it is refused with the code `forgiven`.
fn ask(
    codec: &mut MySqlCodec,
    wire: &mut WireStream,
    text: &str,
    forgiven: Option<u16>,
) -> Result<Vec<TextRow>, StatementFailure> {
    let mut out = Vec::new();
    packet::put_text(&mut out, packet::COM_QUERY, text);
    wire.send(&out)?;
    let (content, _) = receive(wire)?;
    if let Some(refusal) = ServerRefusal::of(&content) {
        return if forgiven == Some(refusal.code) { Ok(Vec::new()) } else { Err(refusal.failure()) };
    }
    if content.first() == Some(&packet::OK) {
        codec.status = ok_packet(&content).ok_or_else(|| unexpected("in an answer"))?.status;
        return Ok(Vec::new());
    }
    // What a file of this machine is asked for with has no number either.
    let mut reader = PacketReader(&content);
    let columns = reader.length().ok_or_else(|| unexpected("in an answer"))?;
    let is_omitted = codec.agreed().may_omit_columns && reader.number(1) == Some(0);
    let has_no_eof = codec.agreed().has_no_eof;
    let described = if is_omitted { 0 } else { columns };
    for _ in 0..described + u64::from(!has_no_eof) {
        receive(wire)?;
    }
    let mut rows = Vec::new();
    loop {
        let (content, _) = receive(wire)?;
        if let Some(refusal) = ServerRefusal::of(&content) {
            return Err(refusal.failure());
        }
        if content.first() == Some(&packet::END) {
            codec.status =
                end_status(&content, has_no_eof).ok_or_else(|| unexpected("at the end of rows"))?;
            return Ok(rows);
        }
        if rows.len() == ROWS_MOST {
            return Err(unexpected("where answers are short"));
        }
        rows.push(text_row(&content, columns).ok_or_else(|| unexpected("in a row"))?);
    }
}

/// As [`crate::workload::db::wire::Codec::put_rows`]: statements of many rows each.
pub(super) fn put_rows(
    codec: &mut MySqlCodec,
    wire: &mut WireStream,
    target: RowTarget<'_>,
    next: &mut dyn FnMut(&mut Vec<SqlValue>) -> bool,
) -> Result<(), StatementFailure> {
    let columns: Vec<String> = target.columns.iter().map(|column| name(column)).collect();
    let head = format!("INSERT INTO {} ({}) VALUES ", name(target.table), columns.join(", "));
    let doubles_backslashes = codec.doubles_backslashes();
    let mut text = head.clone();
    let mut row = Vec::new();
    while next(&mut row) {
        if text.len() > head.len() {
            text.push(',');
        }
        put_row(&row, doubles_backslashes, &mut text);
        if text.len() >= INSERT_BYTES {
            query(codec, wire, &text)?;
            text.truncate(head.len());
        }
    }
    if text.len() > head.len() {
        query(codec, wire, &text)?;
    }
    Ok(())
}

/// A name in the quotes of MySQL.
fn name(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// Puts the values of a row in brackets.
fn put_row(row: &[SqlValue], doubles_backslashes: bool, text: &mut String) {
    text.push('(');
    for (place, value) in row.iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        match value {
            SqlValue::Integer(number) => text.push_str(&number.to_string()),
            SqlValue::Text(value) => {
                text.push('\'');
                for character in value.chars() {
                    text.push(character);
                    if character == '\'' || (character == '\\' && doubles_backslashes) {
                        text.push(character);
                    }
                }
                text.push('\'');
            }
        }
    }
    text.push(')');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_so_that_they_are_read_as_they_are() {
        let row = [SqlValue::Integer(-3), SqlValue::Text(r"it's \n".to_owned())];
        let mut text = String::new();
        put_row(&row, true, &mut text);
        put_row(&row, false, &mut text);
        assert_eq!(text, r"(-3,'it''s \\n')(-3,'it''s \n')");
        assert_eq!(name("a`b"), "`a``b`");
    }
}
