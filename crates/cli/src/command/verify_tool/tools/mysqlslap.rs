//! mysqlslap, on MariaDB.

use load::workload::db::server::StartedDatabase;

use super::{TargetKind, VerifiedTool, VerifyPlan, VerifyServer, split};

/// It ends after a number of queries, and so does the same work of ours: so many for each second. A CPU does some
/// thousands, since each selects a whole table of 100 rows.
const QUERIES_PER_SECOND: u32 = 4000;

/// The tool.
pub(super) const MYSQLSLAP: VerifiedTool = VerifiedTool {
    program: "mysqlslap",
    package: "mariadb-client",
    doc: "a table of 100 rows selected, by four clients, from a MariaDB that is started for it",
    // It tells that of its server, or of itself, as it likes.
    oldest: None,
    target: TargetKind::Nothing,
    command: |plan| {
        let VerifyPlan { seconds, socket, user, .. } = plan;
        let queries = u64::from(*seconds) * u64::from(QUERIES_PER_SECOND);
        let mut words = split(&format!(
            "mysqlslap --no-defaults --auto-generate-sql --auto-generate-sql-load-type=read --concurrency=4 \
             --number-of-queries={queries} --user={user}"
        ));
        words.push(format!("--socket={socket}"));
        words
    },
    before: None,
    server: VerifyServer::Database(StartedDatabase::mariadb),
    differs: Some(
        "mysqlslap has a thread for each client and counts the time to connect, Headroom has one thread for all and does not.",
    ),
};

#[cfg(test)]
mod tests {
    use super::super::tests::same_work;
    use super::*;

    #[test]
    fn what_it_prints_is_work_of_a_load() {
        let printed = "Benchmark\n\
                       \tAverage number of seconds to run all queries: 1.452 seconds\n\
                       \tMinimum number of seconds to run all queries: 1.452 seconds\n\
                       \tMaximum number of seconds to run all queries: 1.452 seconds\n\
                       \tNumber of clients running queries: 4\n\
                       \tAverage number of queries per client: 2000\n\n";
        assert_eq!(
            same_work(&MYSQLSLAP, printed).as_deref(),
            Some(
                "db.slap char-columns=1 clients=4 int-columns=1 mix=read prepared=no requests=8000 rows=100 \
                 url=mysql://me@%2ftmp%2fz/mysqlslap"
            )
        );
    }
}
