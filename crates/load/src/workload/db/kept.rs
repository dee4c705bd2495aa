//! Data sets that are kept for later runs because that was asked for (`keep-data`). A table of ours among the others, put
//! in last, says which data it is: without it nothing is used. The name says it, too, so that each has a place of its own.

use model::plan::{Effect, Problem};
use model::{FactName, Value};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::workload::db::dataset::DataSet;
use crate::workload::db::url::DatabaseSystem;
use crate::workload::kept_name::kept_name;

pub(in crate::workload) use crate::workload::kept_name::{is_kept_name, is_of};

/// How data is made: another number, if other rows come of the same sizes.
const VERSION: u32 = 1;

/// The statement that makes the table which says what data it is.
pub(in crate::workload) const MAKE_MARK: &str =
    "CREATE TABLE headroom_data (digest CHAR(64), written INTEGER)";

/// A question for the digest of the data, and whether transactions were to change it, as 0 or 1.
pub(in crate::workload) const ASK_MARK: &str = "SELECT digest, written FROM headroom_data";

/// The statement that says that transactions change the data from now on.
pub(in crate::workload) const MARK_WRITTEN: &str = "UPDATE headroom_data SET written = 1 WHERE written = 0";

/// What is done with tables that are, or were, there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::workload) struct TableChoices {
    /// Whether those of the load's names are removed first.
    pub(in crate::workload) recreates: bool,
    /// Whether they are kept for later runs, and found again.
    pub(in crate::workload) keeps: bool,
}

/// Data that is to be there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::workload) struct KeptOrder {
    pub(in crate::workload) data: DataSet,
    pub(in crate::workload) choices: TableChoices,
}

/// Where kept data comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workload) enum DataOrigin {
    /// This run made it.
    Made,
    /// It was there.
    Found {
        /// Whether transactions of an earlier run were to change it.
        was_written: bool,
    },
}

impl DataOrigin {
    /// What is told of it with each result.
    pub(in crate::workload) fn facts(self) -> [(FactName, Value); 2] {
        let was_written = matches!(self, Self::Found { was_written: true });
        [
            (FactName::new("data_reused"), Value::Bool(self != Self::Made)),
            (FactName::new("data_written_before"), Value::Bool(was_written)),
        ]
    }
}

/// What tells a data set from others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::workload) struct KeptIdentity {
    digest: String,
}

impl KeptIdentity {
    /// That of `data` in a database of `system`.
    pub(in crate::workload) fn of(data: &DataSet, system: DatabaseSystem) -> Self {
        let text =
            serde_json::json!({ "version": VERSION, "system": system.scheme(), "data": data }).to_string();
        Self { digest: Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect() }
    }

    /// The digest, in hexadecimal digits.
    pub(in crate::workload) fn digest(&self) -> &str {
        &self.digest
    }

    /// A name for the database, or the file without its ending.
    pub(in crate::workload) fn name(&self) -> String {
        kept_name(&self.digest)
    }

    /// The statement that says what data it is, once all of it is there.
    pub(in crate::workload) fn put_mark(&self) -> String {
        format!("INSERT INTO headroom_data VALUES ('{}', 0)", self.digest)
    }

    /// What a mark says of this data: whether transactions were to change it.
    ///
    /// # Errors
    /// If it says something else.
    pub(in crate::workload) fn read_mark(&self, digest: &str, written: &str) -> Result<bool, String> {
        match (digest == self.digest, written) {
            (true, "0") => Ok(false),
            (true, "1") => Ok(true),
            _ => Err("its mark is of other data".to_owned()),
        }
    }
}

/// Why nothing can be kept of a load, if it cannot: of its effect on its data.
pub(in crate::workload) fn nothing_kept(effect: Effect, data: &DataSet) -> Option<&'static str> {
    match effect {
        Effect::UsedUp => Some("the transactions use the tables up, which are made anew for each trial"),
        _ if *data == DataSet::Existing => Some("the tables are there already, and not made"),
        _ => None,
    }
}

/// The refusal of what cannot be kept.
pub(in crate::workload) fn refused(why: &str) -> Problem {
    Problem::invalid(format!("nothing can be kept: {why}"), "leave keep-data out")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::db::dataset::sbtest::Sbtest;

    fn identity(rows: u64, system: DatabaseSystem) -> KeptIdentity {
        KeptIdentity::of(&DataSet::Sbtest(Sbtest { tables: 1, rows }), system)
    }

    #[test]
    fn each_data_set_has_a_name_and_a_mark_of_its_own() {
        let one = identity(10, DatabaseSystem::MySql);
        assert_eq!(one, identity(10, DatabaseSystem::MySql));
        assert!(is_kept_name(&one.name()), "{}", one.name());
        for other in [identity(11, DatabaseSystem::MySql), identity(10, DatabaseSystem::Postgres)] {
            assert_ne!(one.name(), other.name());
            assert!(one.read_mark(&other.digest, "0").is_err());
        }
        assert_eq!(one.read_mark(&one.digest, "0"), Ok(false));
        assert_eq!(one.read_mark(&one.digest, "1"), Ok(true));
        assert!(one.read_mark(&one.digest, "2").is_err());
        assert!(is_of(&one.name(), &one.digest) && !is_of(&one.name(), "") && !is_of("headroom_kept_", ""));
        assert!(one.put_mark().contains(&one.digest));
    }

    #[test]
    fn what_was_found_and_what_was_changed_is_told() {
        let told = |origin: DataOrigin| origin.facts().map(|(_, value)| value == Value::Bool(true));
        assert_eq!(told(DataOrigin::Made), [false, false]);
        assert_eq!(told(DataOrigin::Found { was_written: false }), [true, false]);
        assert_eq!(told(DataOrigin::Found { was_written: true }), [true, true]);
    }
}
