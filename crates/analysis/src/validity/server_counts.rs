//! The same work counted twice: by the clients of a load and by the server of its database.

use model::database::{fact, metric as names};
use model::run::CaseResult;
use model::{Finding, MetricName, Severity, Trial, metric};

use super::finding;
use crate::{Context, Rule, RuleCheck, measure};

/// How far two counts of the same statements may be apart.
const TOLERANCE: f64 = 0.03;

/// How late a count may be at each edge of the window, s: a status variable of MariaDB or MySQL is read twice a second;
/// a process of PostgreSQL hands its counts in once a second at most (`PGSTAT_MIN_INTERVAL`), and up to version 14 the
/// file with them is as old as half a second (`PGSTAT_STAT_INTERVAL`).
const MYSQL_LATE_S: f64 = 0.5;
const POSTGRES_LATE_S: f64 = 1.5;

/// A transaction that is begun again, or fails, has statements that are not counted here: those before, the one that
/// failed, and ROLLBACK. So many are allowed for, as shares of those of a whole transaction.
const AGAIN: f64 = 2.0;

/// Statements per second of our own that read counters and look at sessions, and of a server's background workers.
const OWN_PER_S: f64 = 40.0;

pub(crate) const RULE: Rule = Rule {
    code: "server-counts-differ",
    doc: "The server of a database counted other work over the window than the load's clients: more, if somebody else uses \
         it; less, if what answered is not the server whose counters were read. Counts that come late at the window's \
         edges, and transactions that were begun again, are allowed for.",
    english: r#"
finding-server-counts-differ =
    the server counted { SHORT($server, unit: "1/s") } { $what ->
        [statements] statements
       *[commits] commits
    } in the window and the load { SHORT($own, unit: "1/s") }: { $how ->
        [more] somebody else uses this server, and their work is in the figures
       *[less] something before it answers, or the counters are those of another server
    }
    .advice = { $how ->
        [more] measure again when nobody else uses it
       *[less] give the url of the server itself, not that of a proxy
    }
"#,
    check: RuleCheck::One(check),
};

/// Two counts of one trial, per second.
struct ServerCounts {
    name: MetricName,
    what: &'static str,
    server: f64,
    own: f64,
    tolerance: f64,
}

impl ServerCounts {
    fn of(trial: &Trial) -> Option<Self> {
        let measured = |name| measure::measured(trial, name);
        let window_s = trial.result.window?.seconds();
        let transactions = measured(metric::TRANSACTIONS_PER_SECOND)?;
        let (name, what, own, late_s) = match measured(names::SERVER_QUERIES_PER_SECOND) {
            Some(_) => {
                let own = measured(names::QUERIES_PER_SECOND)?;
                (names::SERVER_QUERIES_PER_SECOND, "statements", own, MYSQL_LATE_S)
            }
            None => {
                let own = transactions * measure::number(trial, fact::COMMITS_PER_TRANSACTION)?;
                (names::SERVER_ALL_COMMITS_PER_SECOND, "commits", own, POSTGRES_LATE_S)
            }
        };
        let server = measured(name)?;
        if window_s <= 0.0 || own <= 0.0 || transactions <= 0.0 {
            return None;
        }
        let failed = measured(metric::ERROR_SHARE).filter(|share| *share < 1.0);
        let failed = failed.map_or(0.0, |share| transactions * share / (1.0 - share));
        let again = measured(names::RETRIES_PER_SECOND).unwrap_or(0.0) + failed;
        let edges = own * late_s / window_s;
        let tolerance = own * TOLERANCE + edges + AGAIN * again * own / transactions + OWN_PER_S;
        Some(Self { name, what, server, own, tolerance })
    }
}

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    // Loads beside it may use the same server.
    if !case.loads.beside.is_empty() {
        return None;
    }
    let of = |trial: &Trial| {
        let counts = ServerCounts::of(trial)?;
        Some((counts.server / counts.own, counts))
    };
    let counts = measure::middle(case, of)?;
    let off = counts.server - counts.own;
    if off.abs() <= counts.tolerance {
        return None;
    }
    let how = if off > 0.0 { "more" } else { "less" };
    let args = [
        ("how", how.into()),
        ("what", counts.what.into()),
        ("server", counts.server.into()),
        ("own", counts.own.into()),
    ];
    Some(finding(RULE.code, Severity::Warning, &args, Some(counts.name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::database::simulated;
    use model::Value;

    /// 1,000 transactions of 20 statements per second, and what MariaDB counts.
    fn mysql(server: f64, retries: f64) -> Option<Finding> {
        let metrics = [
            (metric::TRANSACTIONS_PER_SECOND, 1_000.0),
            (names::QUERIES_PER_SECOND, 20_000.0),
            (names::RETRIES_PER_SECOND, retries),
            (names::SERVER_QUERIES_PER_SECOND, server),
        ];
        simulated::found(&RULE, &simulated::case(&[], &metrics)).pop()
    }

    /// The same of PostgreSQL, in a window of so many seconds.
    fn postgres(server: f64, seconds: u64) -> Option<Finding> {
        let metrics = [
            (metric::TRANSACTIONS_PER_SECOND, 1_000.0),
            (names::QUERIES_PER_SECOND, 20_000.0),
            (names::SERVER_ALL_COMMITS_PER_SECOND, server),
        ];
        let facts = [(fact::COMMITS_PER_TRANSACTION, Value::Number(2.0))];
        let mut case = simulated::case(&facts, &metrics);
        for trial in &mut case.trials {
            trial.result.window = Some(model::trial::Window { start_ns: 0, end_ns: seconds * 1_000_000_000 });
        }
        simulated::found(&RULE, &case).pop()
    }

    #[test]
    fn counts_that_agree_within_the_edges_are_no_finding() {
        assert_eq!((mysql(20_000.0, 0.0), mysql(21_000.0, 0.0), mysql(19_000.0, 0.0)), (None, None, None));
        let text = mysql(26_000.0, 0.0).unwrap().text;
        assert!(text.contains("statements") && text.contains("somebody else uses this server"), "{text}");
        assert!(mysql(10_000.0, 0.0).unwrap().text.contains("something before it answers"));
        assert_eq!(mysql(26_000.0, 150.0), None, "what was begun again");
    }

    #[test]
    fn counts_of_postgres_come_late_by_a_share_of_the_window() {
        // Two commits for each of 1,000 transactions: 2,000, and 15 % of them for edges of 10 s.
        assert_eq!((postgres(2_000.0, 10), postgres(2_300.0, 10)), (None, None));
        assert!(postgres(2_500.0, 10).unwrap().text.contains("commits"));
        assert_eq!(postgres(2_300.0, 60).unwrap().args["how"], "more".into());
    }

    #[test]
    fn where_nobody_counts_or_others_are_asked_for_nothing_is_said() {
        assert!(simulated::found(&RULE, &simulated::case(&[], &[])).is_empty());
        let metrics =
            [(metric::TRANSACTIONS_PER_SECOND, 1_000.0), (names::SERVER_ALL_COMMITS_PER_SECOND, 9_000.0)];
        let mut case = simulated::case(&[], &metrics);
        assert!(simulated::found(&RULE, &case).is_empty(), "it is not known how many there should be");
        let facts = [(fact::COMMITS_PER_TRANSACTION, Value::Number(1.0))];
        case = simulated::case(&facts, &metrics);
        assert_eq!(simulated::found(&RULE, &case).len(), 1);
        case.loads.beside.push(model::run::CaseLoad::default());
        assert!(simulated::found(&RULE, &case).is_empty());
    }
}
