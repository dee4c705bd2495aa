//! What transactions see of one another: a parameter of every load, set for each session and read back.

use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::{FactName, Parameters, Value};

use crate::workload::db::url::DatabaseSystem;
use crate::workload::named;

/// The word for what the database has by itself.
const UNCHANGED: &str = "unchanged";

/// The name of the parameter.
const NAME: &str = "isolation";

/// The fact that says what a session has.
const FACT: &str = "transaction_isolation";

const LEVELS: &[Word] = &[
    Word { word: UNCHANGED, doc: "that of the database: serializable in SQLite, of a server what it says" },
    Word { word: "read-uncommitted", doc: "rows that are not committed are seen (MySQL, MariaDB)" },
    Word { word: "read-committed", doc: "each statement sees what was committed when it began" },
    Word { word: "repeatable-read", doc: "all statements see what was committed when the first began" },
    Word { word: "serializable", doc: "as if one transaction followed the other" },
];

/// The parameter.
pub(in crate::workload) const ISOLATION: ParameterSpec = ParameterSpec::new(
    NAME,
    Kind::Choice,
    "The isolation level of the transactions. SQLite has `serializable` only, and PostgreSQL no `read-uncommitted`. It is \
     set for each session, and read back.",
)
.silent_by_default()
.default(UNCHANGED)
.words(LEVELS);

/// A level of the SQL standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workload) enum IsolationLevel {
    ReadUncommitted,
    ReadCommitted,
    RepeatableRead,
    Serializable,
}

impl IsolationLevel {
    /// The one that `parameters` ask for, if they ask for one.
    ///
    /// # Errors
    /// If there is none of that name.
    pub(in crate::workload) fn of(parameters: &Parameters) -> Result<Option<Self>, Problem> {
        if parameters.get(named(NAME)).is_none() {
            return Ok(None);
        }
        Ok(Some(match parameters.text(named(NAME))? {
            UNCHANGED => return Ok(None),
            "read-uncommitted" => Self::ReadUncommitted,
            "read-committed" => Self::ReadCommitted,
            "repeatable-read" => Self::RepeatableRead,
            "serializable" => Self::Serializable,
            other => return Err(Problem::invalid(format!("`{other}` is no isolation level"), "")),
        }))
    }

    /// As SQL says it.
    fn words(self) -> &'static str {
        match self {
            Self::ReadUncommitted => "read uncommitted",
            Self::ReadCommitted => "read committed",
            Self::RepeatableRead => "repeatable read",
            Self::Serializable => "serializable",
        }
    }

    /// Fails if the system has no such level: one that takes the word and does something else has none.
    ///
    /// # Errors
    /// What it has.
    pub(in crate::workload) fn check(self, system: DatabaseSystem) -> Result<(), Problem> {
        let (has, help) = match system {
            DatabaseSystem::Sqlite => (self == Self::Serializable, "SQLite has serializable only"),
            // Its documentation, "Transaction Isolation".
            DatabaseSystem::Postgres => {
                (self != Self::ReadUncommitted, "PostgreSQL would take it for read-committed: give that")
            }
            DatabaseSystem::MySql => (true, ""),
        };
        let name = self.words().replace(' ', "-");
        let missing =
            || Problem::invalid(format!("a {} database has no isolation {name}", system.scheme()), help);
        if has { Ok(()) } else { Err(missing()) }
    }

    /// The statement that sets it for a session; none where there is nothing to be set.
    pub(in crate::workload) fn statement(self, system: DatabaseSystem) -> Option<String> {
        let words = self.words();
        match system {
            DatabaseSystem::Sqlite => None,
            DatabaseSystem::MySql => Some(format!("SET SESSION TRANSACTION ISOLATION LEVEL {words}")),
            DatabaseSystem::Postgres => Some(format!("SET default_transaction_isolation = '{words}'")),
        }
    }

    /// Fails if a session, of which these facts are, has another.
    ///
    /// # Errors
    /// Which it has.
    pub(in crate::workload) fn confirm(self, facts: &[(FactName, Value)]) -> Result<(), String> {
        let found = facts.iter().find(|(name, _)| name.as_str() == FACT);
        // MySQL and MariaDB write `READ-COMMITTED`.
        let found = found.map(|(_, value)| value.to_string().to_ascii_lowercase().replace('-', " "));
        let words = self.words();
        match found {
            Some(found) if found == words => Ok(()),
            Some(found) => Err(format!("the isolation {words} was asked for, and the server has {found}")),
            None => {
                Err(format!("the isolation {words} was asked for, and the server does not say what it has"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(word: &str) -> Result<Option<IsolationLevel>, Problem> {
        let mut parameters = Parameters::default();
        parameters.set(named(NAME), word);
        IsolationLevel::of(&parameters)
    }

    #[test]
    fn every_word_is_read_and_set() {
        assert_eq!(IsolationLevel::of(&Parameters::default()), Ok(None));
        assert_eq!(asked(UNCHANGED), Ok(None));
        assert!(asked("snapshot").unwrap_err().message.contains("snapshot"));
        for level in &LEVELS[1..] {
            let found = asked(level.word).unwrap().unwrap();
            assert_eq!(found.words().replace(' ', "-"), level.word);
        }
        let level = IsolationLevel::ReadCommitted;
        let mysql = level.statement(DatabaseSystem::MySql).unwrap();
        assert_eq!(mysql, "SET SESSION TRANSACTION ISOLATION LEVEL read committed");
        let postgres = level.statement(DatabaseSystem::Postgres).unwrap();
        assert_eq!(postgres, "SET default_transaction_isolation = 'read committed'");
        assert_eq!(level.statement(DatabaseSystem::Sqlite), None);
    }

    #[test]
    fn a_level_that_a_system_lacks_is_refused() {
        use IsolationLevel::{ReadCommitted, ReadUncommitted, RepeatableRead, Serializable};
        for level in [ReadUncommitted, ReadCommitted, RepeatableRead] {
            assert!(level.check(DatabaseSystem::Sqlite).unwrap_err().help.contains("serializable only"));
        }
        assert_eq!(Serializable.check(DatabaseSystem::Sqlite), Ok(()));
        let problem = ReadUncommitted.check(DatabaseSystem::Postgres).unwrap_err();
        assert!(problem.message.contains("no isolation read-uncommitted"), "{problem:?}");
        assert_eq!(RepeatableRead.check(DatabaseSystem::Postgres), Ok(()));
        assert_eq!(ReadUncommitted.check(DatabaseSystem::MySql), Ok(()));
    }

    #[test]
    fn what_a_session_has_is_compared_with_what_was_asked_for() {
        let facts = |text: &str| vec![(FactName::new(FACT), Value::Text(text.to_owned()))];
        let level = IsolationLevel::ReadCommitted;
        assert_eq!(level.confirm(&facts("READ-COMMITTED")), Ok(()));
        assert_eq!(level.confirm(&facts("read committed")), Ok(()));
        assert!(level.confirm(&facts("REPEATABLE-READ")).unwrap_err().contains("has repeatable read"));
        assert!(level.confirm(&[]).unwrap_err().contains("does not say"));
    }
}
