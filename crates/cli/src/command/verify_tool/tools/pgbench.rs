//! pgbench, on PostgreSQL.

use load::workload::db::server::StartedDatabase;

use super::{OldestVersion, TargetKind, VerifiedTool, VerifyPlan, VerifyServer, split};

/// The tool.
pub(super) const PGBENCH: VerifiedTool = VerifiedTool {
    program: "pgbench",
    package: "postgresql",
    doc: "an account read, by four clients, prepared, from a PostgreSQL that is started for it",
    // -b and its report of it.
    oldest: Some(OldestVersion { option: "--version", numbers: (9, 6) }),
    target: TargetKind::Nothing,
    command: |plan| {
        let of_load = format!("-n -S -M prepared -c 4 -j 1 -T {}", plan.seconds);
        words(plan, &of_load)
    },
    before: Some(|plan| words(plan, "-i -q -s 1")),
    server: VerifyServer::Database(StartedDatabase::postgres),
    differs: None,
};

/// pgbench with these options, in the database that every server has.
fn words(plan: &VerifyPlan, options: &str) -> Vec<String> {
    let VerifyPlan { socket, user, .. } = plan;
    let mut words = split(&format!("pgbench {options} -p 5432 -U {user}"));
    words.extend(["-h".to_owned(), socket.clone(), "postgres".to_owned()]);
    words
}

#[cfg(test)]
mod tests {
    use super::super::tests::same_work;
    use super::*;

    #[test]
    fn what_it_prints_is_work_of_a_load() {
        let printed = "pgbench (15.18 (Debian 15.18-0+deb12u1))\n\
                       transaction type: <builtin: select only>\n\
                       scaling factor: 1\n\
                       query mode: prepared\n\
                       number of clients: 4\n\
                       number of threads: 1\n\
                       maximum number of tries: 1\n\
                       duration: 2 s\n\
                       number of transactions actually processed: 40000\n\
                       number of failed transactions: 0 (0.000%)\n\
                       latency average = 0.200 ms\n\
                       initial connection time = 10.061 ms\n\
                       tps = 20000.128913 (without initial connection time)\n";
        assert_eq!(
            same_work(&PGBENCH, printed).as_deref(),
            Some(
                "db.tpcb clients=4 duration=2 mix=select-only prepared=yes scale=1 url=postgres://me@%2ftmp%2fz:5432/postgres"
            )
        );
    }
}
