//! What a database says is committed may be lost: by the variables that the server itself tells, whoever set them.

use model::database::fact;
use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{FactName, Finding, FindingKind, Severity};

use super::database;
use crate::{Context, Rule, RuleCheck};

pub(crate) const RULE: Rule = Rule {
    code: "durability-off",
    doc: "What the database acknowledges may be lost when its process is killed or the power is cut, or the power cut may \
         damage tables, by variables that were read back from the server: innodb_flush_log_at_trx_commit, sync_binlog, \
         innodb_doublewrite, synchronous_commit, fsync, full_page_writes; journal_mode and synchronous of SQLite. Only of \
         loads that write.",
    english: r#"
finding-durability-off =
    { $name }: { $loss ->
        [killed] what was committed last may be lost when the server's process is killed, and at a power cut
        [power] what was committed last may be lost at a power cut, though not when the process is killed
        [damage-killed] when the process is killed in a transaction, or the power is cut, the database may be damaged
        [damage-power] what was committed may be lost at a power cut, and the database damaged
       *[torn] a power cut may damage pages that are being written, if the disk does not write each whole
    }
    .advice = do not compare these figures with those of a database that keeps what it acknowledges
"#,
    check: RuleCheck::Many(check),
};

/// What may be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loss {
    /// The last commits, when the process is killed too.
    Killed,
    /// The last commits, at a power cut.
    Power,
    /// The database, when the process is killed too.
    DamageKilled,
    /// Commits and the database, at a power cut.
    DamagePower,
    /// Pages that are being written.
    Torn,
}

impl Loss {
    fn word(self) -> &'static str {
        match self {
            Self::Killed => "killed",
            Self::Power => "power",
            Self::DamageKilled => "damage-killed",
            Self::DamagePower => "damage-power",
            Self::Torn => "torn",
        }
    }
}

/// What each value of a variable may lose, in small letters. Those that are not here lose nothing.
///
/// MariaDB, "InnoDB System Variables" and "Replication and Binary Log System Variables" (at 0 the log is written once a
/// second, at 2 it is written at each commit and flushed once a second; 3 flushes more than 1); PostgreSQL, "Write Ahead
/// Log" and "Asynchronous Commit"; SQLite, "PRAGMA synchronous" and "PRAGMA `journal_mode`".
const VALUES: &[(FactName, &str, Loss)] = &[
    (fact::INNODB_FLUSH_LOG_AT_TRX_COMMIT, "0", Loss::Killed),
    (fact::INNODB_FLUSH_LOG_AT_TRX_COMMIT, "2", Loss::Power),
    (fact::INNODB_DOUBLEWRITE, "0", Loss::Torn),
    (fact::INNODB_DOUBLEWRITE, "off", Loss::Torn),
    (fact::SYNCHRONOUS_COMMIT, "off", Loss::Killed),
    (fact::FSYNC, "off", Loss::DamagePower),
    (fact::FULL_PAGE_WRITES, "off", Loss::Torn),
    (fact::JOURNAL_MODE, "off", Loss::DamageKilled),
    (fact::JOURNAL_MODE, "memory", Loss::DamageKilled),
    (fact::SYNCHRONOUS, "off", Loss::DamagePower),
];

fn check(case: &CaseResult, _context: &Context<'_>) -> Vec<Finding> {
    if !database::writes(case) {
        return Vec::new();
    }
    let value = |name| database::text(case, name).map(|text| text.to_ascii_lowercase());
    let alone = VALUES.iter().filter_map(|(name, bad, loss)| {
        let value = value(*name)?;
        (value == *bad).then_some((*name, value, *loss))
    });
    alone.chain(binary_log(value)).chain(write_ahead_log(value)).map(finding).collect()
}

/// With a binary log, a transaction is recovered if that log has it: it has to be synced, too, at each commit
/// (MariaDB, "Group Commit for the Binary Log").
fn binary_log(value: impl Fn(FactName) -> Option<String>) -> Option<(FactName, String, Loss)> {
    let is_on = value(fact::LOG_BIN).is_some_and(|on| on == "1" || on == "on");
    let synced = value(fact::SYNC_BINLOG).filter(|commits| is_on && commits != "1")?;
    Some((fact::SYNC_BINLOG, synced, Loss::Power))
}

/// With a write-ahead log, SQLite syncs only checkpoints at NORMAL ("Write-Ahead Logging", "PRAGMA synchronous").
fn write_ahead_log(value: impl Fn(FactName) -> Option<String>) -> Option<(FactName, String, Loss)> {
    let is_wal = value(fact::JOURNAL_MODE).is_some_and(|mode| mode == "wal");
    let synced = value(fact::SYNCHRONOUS).filter(|synced| is_wal && synced == "normal")?;
    Some((fact::SYNCHRONOUS, synced, Loss::Power))
}

fn finding((name, value, loss): (FactName, String, Loss)) -> Finding {
    let found = Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
        .arg("name", format!("{name}={value}"))
        .arg("loss", loss.word());
    found.because_same(Evidence::at(RULE.code, Place::Fact(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::database::simulated;
    use model::Value;

    fn losses(writes: bool, values: &[(FactName, &str)]) -> Vec<(String, String)> {
        let mut facts = vec![(fact::WRITES, Value::Bool(writes))];
        facts.extend(values.iter().map(|(name, value)| (*name, Value::from(*value))));
        let found = simulated::found(&RULE, &simulated::case(&facts, &[]));
        found.iter().map(|one| (one.args["name"].to_string(), one.args["loss"].to_string())).collect()
    }

    fn loss(name: FactName, value: &str) -> Option<String> {
        losses(true, &[(name, value)]).pop().map(|(_, loss)| loss)
    }

    #[test]
    fn what_may_be_lost_depends_on_the_value() {
        let of_innodb = |value| loss(fact::INNODB_FLUSH_LOG_AT_TRX_COMMIT, value);
        let all = ["0", "1", "2", "3"].map(of_innodb);
        assert_eq!(all, [Some("killed".to_owned()), None, Some("power".to_owned()), None]);
        let of_postgres = |value| loss(fact::SYNCHRONOUS_COMMIT, value);
        let all = ["off", "local", "on", "remote_apply"].map(of_postgres);
        assert_eq!(all, [Some("killed".to_owned()), None, None, None]);
        assert_eq!(loss(fact::FSYNC, "off").as_deref(), Some("damage-power"));
        assert_eq!(loss(fact::FULL_PAGE_WRITES, "off").as_deref(), Some("torn"));
        assert_eq!(loss(fact::INNODB_DOUBLEWRITE, "OFF").as_deref(), Some("torn"));
        assert_eq!((loss(fact::FSYNC, "on"), loss(fact::INNODB_DOUBLEWRITE, "1")), (None, None));
    }

    #[test]
    fn a_binary_log_counts_only_where_there_is_one() {
        let with = |log, synced| losses(true, &[(fact::LOG_BIN, log), (fact::SYNC_BINLOG, synced)]);
        assert_eq!(with("1", "0"), [("sync_binlog=0".to_owned(), "power".to_owned())]);
        assert!(with("0", "0").is_empty() && with("1", "1").is_empty());
    }

    #[test]
    fn sqlite_loses_by_both_of_its_settings_together() {
        let with = |mode, synced| {
            let found = losses(true, &[(fact::JOURNAL_MODE, mode), (fact::SYNCHRONOUS, synced)]);
            found.into_iter().map(|(name, loss)| format!("{name} {loss}")).collect::<Vec<_>>()
        };
        assert!(with("wal", "full").is_empty() && with("delete", "normal").is_empty());
        assert_eq!(with("wal", "normal"), ["synchronous=normal power"]);
        assert_eq!(with("wal", "off"), ["synchronous=off damage-power"]);
        assert_eq!(with("memory", "full"), ["journal_mode=memory damage-killed"]);
    }

    #[test]
    fn a_load_that_only_reads_has_nothing_to_lose() {
        assert!(losses(false, &[(fact::FSYNC, "off")]).is_empty());
        assert_eq!(losses(true, &[(fact::FSYNC, "off")]).len(), 1);
    }
}
