//! What servers of MySQL's protocol refuse, and what that means to a transaction
//! (dev.mysql.com, "Server Error Message Reference"; mariadb.com, "MariaDB Error Code Reference").

use crate::workload::db::client::{FailureKind, StatementFailure};
use crate::workload::db::mysql::packet::{ERROR, PacketReader};

/// Statements of this kind cannot be prepared (`ER_UNSUPPORTED_PS`).
pub(super) const NOT_TO_BE_PREPARED: u16 = 1295;

/// There is no variable of this name (`ER_UNKNOWN_SYSTEM_VARIABLE`).
pub(super) const UNKNOWN_VARIABLE: u16 = 1193;

/// Another transaction was in the way: a row was changed since it was read (`ER_CHECKREAD`), no lock was given in time,
/// a deadlock, a lock that was not to be waited for (`ER_LOCK_NOWAIT`).
const CONFLICTS: [u16; 4] = [1020, 1205, 1213, 3572];

/// Others of the same kind have this state, those of replication among them.
const SERIALIZATION: &[u8] = b"40001";

/// The server ends the connection: shutdown, an aborted or killed connection, trouble with the network
/// (`ER_SERVER_SHUTDOWN`, `ER_NEW_ABORTING_CONNECTION`, `ER_NET_*`, `ER_CONNECTION_KILLED`, `ER_SESSION_WAS_KILLED`,
/// `ER_CLIENT_INTERACTION_TIMEOUT`). 2006 and 2013 are what clients say when there is no answer.
const ENDED: [u16; 12] = [1053, 1152, 1153, 1158, 1159, 1160, 1161, 1184, 1927, 2006, 2013, 3169];
const TIMED_OUT: u16 = 4031;

/// The server cannot write: no room on the disk, a table that is full for that reason, a read-only server, no memory
/// (`EE_WRITE`, `ER_DISK_FULL`, `ER_ERROR_ON_WRITE`, `ER_RECORD_FILE_FULL`, `ER_OPTION_PREVENTS_STATEMENT`,
/// `ER_READ_ONLY_MODE`, `ER_OUTOFMEMORY`).
const NO_USE: [u16; 7] = [3, 1021, 1026, 1037, 1114, 1290, 1836];

/// What these quote are names of users, databases, tables, columns and variables. Others quote values, too.
const QUOTE_NAMES: [u16; 16] =
    [1044, 1045, 1046, 1049, 1050, 1051, 1054, 1114, 1142, 1146, 1193, 1227, 1290, 1305, 1396, 1698];

/// An error as a server tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ServerRefusal<'a> {
    pub(super) code: u16,
    /// The state of the SQL standard; empty before a client said which protocol it speaks.
    pub(super) state: &'a [u8],
    pub(super) text: &'a [u8],
}

impl<'a> ServerRefusal<'a> {
    /// What the content of a packet says, if it is one of errors.
    pub(super) fn of(content: &'a [u8]) -> Option<Self> {
        let mut content = PacketReader(content);
        if content.take(1)? != [ERROR] {
            return None;
        }
        let code = u16::try_from(content.number(2)?).ok()?;
        let mut state: &[u8] = &[];
        if content.0.first() == Some(&b'#') {
            state = &content.take(6)?[1..];
        }
        Some(Self { code, state, text: content.0 })
    }

    /// What it means to a transaction.
    fn kind(&self) -> FailureKind {
        let code = &self.code;
        if CONFLICTS.contains(code) || self.state == SERIALIZATION {
            FailureKind::Conflict
        } else if ENDED.contains(code)
            || *code == TIMED_OUT
            || NO_USE.contains(code)
            || self.state.starts_with(b"08")
        {
            FailureKind::Lost
        } else {
            FailureKind::Refused
        }
    }

    /// In words, without values: those are in quotes.
    pub(super) fn told(&self) -> String {
        let text = String::from_utf8_lossy(self.text);
        let text = if QUOTE_NAMES.contains(&self.code) { text.into_owned() } else { without_quoted(&text) };
        let code = self.code;
        if self.state.is_empty() {
            format!("{text} (error {code})")
        } else {
            format!("{text} (error {code}, {})", String::from_utf8_lossy(self.state))
        }
    }

    /// As a client tells it.
    pub(super) fn failure(&self) -> StatementFailure {
        StatementFailure { kind: self.kind(), message: self.told() }
    }
}

/// `text` with three dots in place of all between its first quote and its last one: a value may have quotes, too.
fn without_quoted(text: &str) -> String {
    match (text.find('\''), text.rfind('\'')) {
        (Some(first), Some(last)) if first < last => format!("{}...{}", &text[..=first], &text[last..]),
        (Some(only), _) => format!("{}...", &text[..=only]),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(code: u16, state: &str, text: &str) -> Vec<u8> {
        let mut all = vec![ERROR];
        all.extend_from_slice(&code.to_le_bytes());
        if !state.is_empty() {
            all.push(b'#');
            all.extend_from_slice(state.as_bytes());
        }
        all.extend_from_slice(text.as_bytes());
        all
    }

    #[test]
    fn what_a_server_refuses_has_its_meaning() {
        let expected = [
            (1213, "40001", FailureKind::Conflict),
            (1205, "HY000", FailureKind::Conflict),
            (1020, "HY000", FailureKind::Conflict),
            (9999, "40001", FailureKind::Conflict),
            (1062, "23000", FailureKind::Refused),
            (1064, "42000", FailureKind::Refused),
            (1317, "70100", FailureKind::Refused),
            (1053, "08S01", FailureKind::Lost),
            (1927, "70100", FailureKind::Lost),
            (9999, "08S01", FailureKind::Lost),
            (1021, "HY000", FailureKind::Lost),
        ];
        for (code, state, kind) in expected {
            let content = packet(code, state, "because");
            let failure = ServerRefusal::of(&content).unwrap().failure();
            assert_eq!(failure.kind, kind, "{code} {state}");
            assert_eq!(failure.message, format!("because (error {code}, {state})"));
        }
    }

    #[test]
    fn values_are_not_repeated() {
        let told = |code, text: &str| ServerRefusal::of(&packet(code, "23000", text)).unwrap().told();
        assert_eq!(
            told(1062, "Duplicate entry 'it's 7' for key 'PRIMARY'"),
            "Duplicate entry '...' (error 1062, 23000)"
        );
        assert_eq!(told(1064, "Syntax near 'SELECT 5 at line 1"), "Syntax near '... (error 1064, 23000)");
        assert_eq!(
            told(1146, "Table 'x.sbtest1' doesn't exist"),
            "Table 'x.sbtest1' doesn't exist (error 1146, 23000)"
        );
    }

    #[test]
    fn an_error_before_the_protocol_is_known_has_no_state() {
        let content = packet(1040, "", "Too many connections");
        let refusal = ServerRefusal::of(&content).unwrap();
        assert_eq!(refusal.told(), "Too many connections (error 1040)");
        assert_eq!(ServerRefusal::of(&[0, 1, 2, 3]), None);
        for cut in [0, 1, 2] {
            assert_eq!(ServerRefusal::of(&content[..cut]), None);
        }
        assert_eq!(ServerRefusal::of(b"\xff\x10\x04#400"), None, "a state that is cut off");
    }
}
