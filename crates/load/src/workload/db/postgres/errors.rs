//! What an error of PostgreSQL means to a transaction (its documentation, appendix A: error codes).

use fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::ErrorResponseBody;

use crate::workload::db::client::{FailureKind, StatementFailure};
use crate::workload::db::wire::lost;

/// The fields of an error (its documentation, section 55.8): of how severe it is, in English and in the words of the
/// server's language, which is all that servers before 9.6 say; its code; and what it says.
const SEVERITY: u8 = b'V';
const SEVERITY_TOLD: u8 = b'S';
const CODE: u8 = b'C';
const MESSAGE: u8 = b'M';

/// The failure that the server tells of.
pub(super) fn failure(body: &ErrorResponseBody) -> StatementFailure {
    let (mut severity, mut code, mut message) = (None, String::new(), String::new());
    let mut fields = body.fields();
    loop {
        let field = match fields.next() {
            Ok(Some(field)) => field,
            Ok(None) => break,
            Err(e) => return malformed(&e),
        };
        let text = String::from_utf8_lossy(field.value_bytes()).into_owned();
        match field.type_() {
            SEVERITY => severity = Some(text),
            SEVERITY_TOLD => severity = severity.or(Some(text)),
            CODE => code = text,
            MESSAGE => message = text,
            _ => {}
        }
    }
    let ends = matches!(severity.as_deref(), Some("FATAL" | "PANIC"));
    let kind = if ends { FailureKind::Lost } else { kind(&code) };
    StatementFailure { kind, message: format!("{} (SQLSTATE {code})", without_values(&code, &message)) }
}

/// The failure of an answer that is none.
pub(super) fn malformed(why: &std::io::Error) -> StatementFailure {
    lost(format!("what the server sends is not PostgreSQL's protocol: {why}"))
}

fn kind(code: &str) -> FailureKind {
    match code {
        // A serialization failure, a deadlock, a lock that was not given within `lock_timeout`.
        "40001" | "40P01" | "55P03" => FailureKind::Conflict,
        // The connection, no resources (a full disk), what an operator did, the system, damage.
        _ if ["08", "53", "57P", "58", "XX"].iter().any(|class| code.starts_with(class)) => FailureKind::Lost,
        _ => FailureKind::Refused,
    }
}

/// What is said of wrong data (class 22) has the data behind a colon.
fn without_values<'a>(code: &str, message: &'a str) -> &'a str {
    match message.split_once(": ") {
        Some((what, _)) if code.starts_with("22") => what,
        _ => message,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use bytes::{BufMut, BytesMut};
    use postgres_protocol::message::backend::Message;

    use super::*;

    /// A message of an error with these fields.
    pub(in crate::workload::db::postgres) fn message(fields: &[(u8, &str)]) -> BytesMut {
        let mut body = BytesMut::new();
        for (kind, text) in fields {
            body.put_u8(*kind);
            body.put_slice(text.as_bytes());
            body.put_u8(0);
        }
        body.put_u8(0);
        let mut whole = BytesMut::new();
        whole.put_u8(b'E');
        whole.put_i32(i32::try_from(body.len()).unwrap() + 4);
        whole.put_slice(&body);
        whole
    }

    fn of(severity: &str, code: &str, text: &str) -> StatementFailure {
        let fields = [(b'S', "FEHLER"), (b'V', severity), (b'C', code), (b'M', text), (b'D', "Key (id)=(7)")];
        match Message::parse(&mut message(&fields)) {
            Ok(Some(Message::ErrorResponse(body))) => failure(&body),
            _ => panic!("no error"),
        }
    }

    #[test]
    fn codes_say_what_an_error_means_and_values_are_not_told() {
        let kind = |severity, code| of(severity, code, "x").kind;
        for code in ["40001", "40P01", "55P03"] {
            assert_eq!(kind("ERROR", code), FailureKind::Conflict, "{code}");
        }
        for code in ["57P01", "08006", "53100", "XX001"] {
            assert_eq!(kind("ERROR", code), FailureKind::Lost, "{code}");
        }
        assert_eq!(kind("FATAL", "23505"), FailureKind::Lost);
        assert_eq!(kind("ERROR", "57014"), FailureKind::Refused);
        let twice = of("ERROR", "23505", "duplicate key value violates unique constraint \"a\"");
        assert_eq!(twice.kind, FailureKind::Refused);
        assert_eq!(twice.message, "duplicate key value violates unique constraint \"a\" (SQLSTATE 23505)");
        let wrong = of("ERROR", "22P02", "invalid input syntax for type integer: \"secret\"");
        assert_eq!(wrong.message, "invalid input syntax for type integer (SQLSTATE 22P02)");
    }
}
