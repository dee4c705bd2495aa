//! Requests and answers, byte for byte, with answers that come in any pieces.

use crate::workload::db::client::{FailureKind, StatementFailure};
use crate::workload::db::generator::SqlValue;
use crate::workload::db::mysql::codec::{MySqlCodec, PreparedStatement};
use crate::workload::db::mysql::packet;
use crate::workload::db::mysql::rows::ColumnForm;
use crate::workload::db::mysql::sign_in::Agreed;
use crate::workload::db::transaction::SqlStatement;
use crate::workload::db::wire::{StatementAnswer, StatementCodec};

fn codec(has_no_eof: bool, may_omit_columns: bool) -> MySqlCodec {
    MySqlCodec::new(Agreed { has_no_eof, may_omit_columns, status: 2 })
}

/// Packets with these contents.
fn packets(contents: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, content) in (1..).zip(contents) {
        packet::put(&mut out, number, content);
    }
    out
}

/// What becomes of a statement whose answer comes in pieces of so many bytes; all of it must be read.
fn read_in(
    codec: &mut MySqlCodec,
    bytes: &[u8],
    piece: usize,
) -> Result<Option<StatementAnswer>, StatementFailure> {
    let mut there = Vec::new();
    let mut answer = None;
    for piece in bytes.chunks(piece) {
        assert!(answer.is_none(), "the answer came before its end");
        there.extend_from_slice(piece);
        let (done, found) = codec.read(&there)?;
        there.drain(..done);
        answer = found;
    }
    assert!(answer.is_none() || there.is_empty(), "{there:?} was left");
    Ok(answer)
}

/// The same for pieces of every size.
fn read(has_no_eof: bool, may_omit_columns: bool, contents: &[&[u8]]) -> StatementAnswer {
    let bytes = packets(contents);
    let mut codec = codec(has_no_eof, may_omit_columns);
    let whole = read_in(&mut codec, &bytes, bytes.len()).unwrap().unwrap();
    for piece in 1..bytes.len() {
        // The same codec: what was read before leaves nothing behind.
        let again = read_in(&mut codec, &bytes, piece).unwrap().unwrap();
        assert_eq!(again, whole, "in pieces of {piece}");
    }
    whole
}

const COLUMN: &[u8] = b"\x03def\x00\x00\x00\x01c\x00\x0c\x2d\x00\x78\x00\x00\x00\xfe\x00\x00\x00\x00\x00";
const OK_END: &[u8] = &[0xfe, 0, 0, 2, 0, 0, 0];
const OLD_END: &[u8] = &[0xfe, 0, 0, 2, 0];

#[test]
fn rows_are_counted_and_not_read() {
    let rows: [&[u8]; 3] = [b"\x00\x00\x02ab", b"\x00\x04", b"\x00\x00\x01c"];
    assert_eq!(read(true, true, &[&[1, 1], COLUMN, rows[0], rows[1], rows[2], OK_END]), Ok(3));
    assert_eq!(read(true, true, &[&[2, 0], rows[0], OK_END]), Ok(1), "columns are left out");
    assert_eq!(read(true, false, &[&[2], COLUMN, COLUMN, OK_END]), Ok(0));
    assert_eq!(read(false, false, &[&[1], COLUMN, OLD_END, rows[0], rows[1], OLD_END]), Ok(2));
    assert_eq!(read(true, false, &[&[1], COLUMN, b"\xfb", b"\x00", OK_END]), Ok(2), "rows of text");
}

#[test]
fn rows_that_were_changed_are_told() {
    assert_eq!(read(true, false, &[&[0, 7, 0, 2, 0, 0, 0]]), Ok(7));
    assert_eq!(read(true, false, &[&[0, 0xfc, 0x10, 0x27, 0, 2, 0, 0, 0, 3, b'a', b'b', b'c']]), Ok(10_000));
    // A procedure that gives rows, and then ends: a result follows while the status says so.
    let more = [0xfe, 0, 0, 10, 0, 0, 0];
    assert_eq!(read(true, false, &[&[1], COLUMN, b"\x01a", &more, &[0, 5, 0, 2, 0, 0, 0]]), Ok(6));
}

#[test]
fn a_row_that_is_longer_than_a_packet_is_one() {
    let mut row = b"\x00\x00\xfe".to_vec();
    row.resize(packet::FULL + 10, 0xff);
    for row in [&row[..], &row[..packet::FULL]] {
        let bytes = packets(&[&[1], COLUMN, row]);
        let mut codec = codec(true, false);
        assert_eq!(read_in(&mut codec, &bytes, 1 << 20), Ok(None));
        assert_eq!(read_in(&mut codec, &packets(&[b"\x00\x00", OK_END]), 3), Ok(Some(Ok(2))));
    }
}

#[test]
fn failures_have_their_meaning_and_the_connection_goes_on() {
    let refused =
        read(true, false, &[b"\xff\x26\x04#23000Duplicate entry '5' for key 'PRIMARY'"]).unwrap_err();
    assert_eq!(refused.kind, FailureKind::Refused);
    assert_eq!(refused.message, "Duplicate entry '...' (error 1062, 23000)");
    let deadlock = b"\xff\xbd\x04#40001Deadlock found when trying to get lock";
    let between_rows = read(true, false, &[&[1], COLUMN, b"\x00\x00\x01a", deadlock]).unwrap_err();
    assert_eq!(between_rows.kind, FailureKind::Conflict);
}

#[test]
fn a_connection_of_which_nothing_is_known_is_lost() {
    let cases: [(&[&[u8]], &str); 6] = [
        (&[b"\xff\x1d\x04#08S01Server shutdown in progress"], "shutdown"),
        (&[b"\xfb/etc/passwd"], "a file of this machine"),
        (&[b""], "does not have"),
        (&[&[0]], "does not have"),
        (&[&[1], COLUMN, b""], "does not have"),
        (&[&[1], COLUMN, &[0xfe, 0]], "does not have"),
    ];
    for (contents, why) in cases {
        let failure = read_in(&mut codec(true, false), &packets(contents), 5).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Lost, "{failure:?}");
        assert!(failure.message.contains(why), "{failure:?}");
    }
    let mut endless = vec![0xff, 0x00, 0x04];
    endless.resize(1 << 20, b'x');
    assert!(read_in(&mut codec(true, false), &packets(&[&endless]), 1 << 10).is_err());
}

#[test]
fn prepared_statements_are_executed_with_values_in_binary_form() {
    let mut codec = codec(true, false);
    codec.prepared = vec![
        None,
        Some(PreparedStatement::new(0x0102, Vec::new())),
        Some(PreparedStatement::new(7, Vec::new())),
    ];
    let insert = SqlStatement::new("INSERT INTO t VALUES (?, ?)", true);
    let values = [SqlValue::Text("aé".to_owned()), SqlValue::Integer(-2)];
    let executed = |codec: &mut MySqlCodec, statement, asked: &SqlStatement, parameters: &[usize]| {
        let mut out = Vec::new();
        codec.execute(statement, asked, &values, parameters, &mut out);
        out
    };
    let head = b"\x17\x02\x01\0\0\0\x01\0\0\0";
    let number = b"\xfe\xff\xff\xff\xff\xff\xff\xff";
    let first = [&head[..], b"\x00\x01\x08\x00\xfd\x00", number, "\u{3}aé".as_bytes()].concat();
    assert_eq!(executed(&mut codec, 1, &insert, &[1, 0]), packet_of(&first));
    // The server knows the types from then on.
    let again = [&head[..], b"\x00\x00", number, "\u{3}aé".as_bytes()].concat();
    assert_eq!(executed(&mut codec, 1, &insert, &[1, 0]), packet_of(&again));
    let others = [&head[..], b"\x00\x01\xfd\x00\x08\x00", "\u{3}aé".as_bytes(), number].concat();
    assert_eq!(executed(&mut codec, 1, &insert, &[0, 1]), packet_of(&others));
    let begin = SqlStatement::new("BEGIN", false);
    assert_eq!(executed(&mut codec, 2, &begin, &[]), packet_of(b"\x17\x07\0\0\0\0\x01\0\0\0"));
    assert_eq!(executed(&mut codec, 0, &begin, &[]), packet_of(b"\x03BEGIN"));
}

fn packet_of(content: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    packet::put(&mut out, 0, content);
    out
}

#[test]
fn texts_are_written_as_the_session_reads_them() {
    let mut codec = codec(true, false);
    let insert = SqlStatement::new("INSERT INTO t VALUES (?)", true);
    let values = [SqlValue::Text(r"\'".to_owned())];
    let mut out = Vec::new();
    codec.execute(0, &insert, &values, &[0], &mut out);
    assert_eq!(out, packet_of(b"\x03INSERT INTO t VALUES ('\\\\''')"));
    codec.status |= 1 << 9;
    out.clear();
    codec.execute(0, &insert, &values, &[0], &mut out);
    assert_eq!(out, packet_of(b"\x03INSERT INTO t VALUES ('\\''')"));
}

#[test]
fn what_was_begun_is_rolled_back() {
    let mut codec = codec(true, false);
    let rolled_back = |codec: &mut MySqlCodec| {
        let mut out = Vec::new();
        codec.roll_back(&mut out);
        out
    };
    assert!(rolled_back(&mut codec).is_empty());
    assert_eq!(read_in(&mut codec, &packets(&[&[0, 0, 0, 3, 0, 0, 0]]), 100), Ok(Some(Ok(0))));
    assert_eq!(rolled_back(&mut codec), packet_of(b"\x03ROLLBACK"));
    assert_eq!(read_in(&mut codec, &packets(&[&[0, 0, 0, 2, 0, 0, 0]]), 100), Ok(Some(Ok(0))));
    assert!(rolled_back(&mut codec).is_empty());
}

#[test]
fn the_first_row_is_kept_where_it_is_asked_for() {
    let form = ColumnForm::of(COLUMN).unwrap();
    let select = SqlStatement::new("SELECT c FROM t", false);
    let cases: [(usize, &[&[u8]]); 2] = [
        (0, &[&[1, 1], COLUMN, b"\x02ab", b"\x01c", OK_END]),
        (1, &[&[1, 0], b"\x00\x00\x02ab", b"\x00\x04", OK_END]),
    ];
    for (statement, contents) in cases {
        for piece in [1, 7, 1000] {
            let mut codec = codec(true, true);
            codec.prepared = vec![None, Some(PreparedStatement::new(1, vec![form]))];
            codec.execute(statement, &select, &[], &[], &mut Vec::new());
            assert!(codec.keep(1));
            assert_eq!(read_in(&mut codec, &packets(contents), piece), Ok(Some(Ok(2))));
            assert_eq!(codec.kept(), [Some("ab".to_owned())]);
            codec.execute(statement, &select, &[], &[], &mut Vec::new());
            assert_eq!(read_in(&mut codec, &packets(contents), piece), Ok(Some(Ok(2))));
            assert!(codec.kept().is_empty(), "nobody asked for it");
        }
    }
}
