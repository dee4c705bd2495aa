//! Many rows at once: `COPY ... FROM STDIN` in its text format (PostgreSQL's documentation, `COPY`, file formats).

use std::io::Write;

use bytes::BytesMut;
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend::{self, CopyData};

use crate::workload::db::client::{FailureKind, StatementFailure};
use crate::workload::db::generator::SqlValue;
use crate::workload::db::postgres::PostgresCodec;
use crate::workload::db::postgres::errors::{failure, malformed};
use crate::workload::db::postgres::sign_in::next as next_message;
use crate::workload::db::wire::{RowTarget, WireStream, lost};

/// Bytes of one message of rows.
const PIECE: usize = 64 << 10;

/// Copies the rows that `next` makes.
pub(super) fn copy(
    codec: &mut PostgresCodec,
    wire: &mut WireStream,
    target: RowTarget<'_>,
    next: &mut dyn FnMut(&mut Vec<SqlValue>) -> bool,
) -> Result<(), StatementFailure> {
    let mut out = BytesMut::new();
    let asked = format!("COPY {} ({}) FROM STDIN", target.table, target.columns.join(", "));
    frontend::query(&asked, &mut out).map_err(|e| malformed(&e))?;
    wire.send(&out)?;
    loop {
        match next_message(wire)? {
            Message::CopyInResponse(_) => break,
            Message::ErrorResponse(body) => {
                let refused = failure(&body);
                if refused.kind != FailureKind::Lost {
                    codec.finish(wire, |_| Ok(()))?;
                }
                return Err(refused);
            }
            Message::ReadyForQuery(_) => return Err(lost("PostgreSQL did not answer to COPY")),
            _ => {}
        }
    }
    let (mut values, mut rows) = (Vec::new(), Vec::with_capacity(PIECE + 1024));
    let mut is_more = true;
    while is_more {
        is_more = next(&mut values);
        if is_more {
            row(&values, &mut rows);
        }
        if rows.len() >= PIECE || !is_more {
            out.clear();
            CopyData::new(&rows[..]).map_err(|e| malformed(&e))?.write(&mut out);
            wire.send(&out)?;
            rows.clear();
        }
    }
    out.clear();
    frontend::copy_done(&mut out);
    wire.send(&out)?;
    codec.finish(wire, |_| Ok(()))
}

/// Adds a row: values with tabs between them.
fn row(values: &[SqlValue], rows: &mut Vec<u8>) {
    for (place, value) in values.iter().enumerate() {
        if place > 0 {
            rows.push(b'\t');
        }
        match value {
            SqlValue::Integer(number) => {
                // A vector takes what is written to it.
                let _ = write!(rows, "{number}");
            }
            SqlValue::Text(text) => {
                for byte in text.bytes() {
                    match byte {
                        b'\\' => rows.extend_from_slice(b"\\\\"),
                        b'\t' => rows.extend_from_slice(b"\\t"),
                        b'\n' => rows.extend_from_slice(b"\\n"),
                        b'\r' => rows.extend_from_slice(b"\\r"),
                        other => rows.push(other),
                    }
                }
            }
        }
    }
    rows.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_value_or_a_row_is_written_as_words() {
        let mut rows = Vec::new();
        row(&[SqlValue::Integer(-3), SqlValue::Text("a\tb\\c\r\nü".to_owned())], &mut rows);
        row(&[SqlValue::Text(String::new())], &mut rows);
        assert_eq!(rows, "-3\ta\\tb\\\\c\\r\\nü\n\n".as_bytes());
    }
}
