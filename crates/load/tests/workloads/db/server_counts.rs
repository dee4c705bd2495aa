//! What a load says of itself, and what a server says of its sizes and counts over the window, held against what its
//! clients counted.

use super::Bench;
use super::postgres_server::PostgresServer;

#[test]
fn a_server_counts_what_its_clients_do() {
    let Some(server) = PostgresServer::start(&[]) else { return };
    let url = server.url("postgres", "");
    for (mix, writes) in [("point-select", "no"), ("read-write", "yes")] {
        // At a rate: a disk that is slower in the window than before it would have the server hand in, in the
        // window, a second of many more.
        let bench = Bench::new(&[
            ("url", &*url),
            ("mix", mix),
            ("clients", "2"),
            ("rate", "40/s"),
            ("duration", "4s"),
        ]);
        let measured = bench.run().unwrap();
        assert_eq!(measured.fact("database_writes"), writes);
        assert_eq!(measured.fact("commits_per_transaction"), "1", "{mix}");
        assert_eq!(measured.number("database_buffer_bytes"), 16 << 20);
        // 1,000 rows, each with texts of 119 and 59 characters.
        assert!(measured.number("database_bytes") > 1_000 * 178, "{:?}", measured.facts);
        assert!(measured.number("database_bytes_after") >= 1_000 * 178, "{:?}", measured.facts);
        assert_eq!(measured.fact("log_statement"), "none");
        // Counts are handed in a second late, so that this holds by far more than what is asked.
        let own = measured.metric("transactions_per_second");
        let counted = measured.metric("server_all_commits_per_second");
        assert!(counted > own * 0.3 && counted < own * 3.0 + 40.0, "{mix}: {counted} of {own}");
        // All of it has been in 16 MiB of buffers since it was put in.
        assert!(measured.metric("server_page_reads_per_second") <= own, "{:?}", measured.metrics);
        assert!(measured.given("server_page_writes_per_second").is_some(), "{:?}", measured.metrics);
        bench.end();
    }
}

#[test]
fn statements_outside_of_a_transaction_are_commits_of_their_own() {
    let bench = Bench::of("db.tpcb", &[("mix", "select-only"), ("requests", "5"), ("duration", "60s")]);
    let measured = bench.run().unwrap();
    assert_eq!((measured.fact("commits_per_transaction"), measured.fact("database_writes")), ("1", "no"));
    bench.end();
    let bench = Bench::of(
        "db.slap",
        &[("mix", "write"), ("repeated-inserts", "yes"), ("requests", "5"), ("duration", "60s")],
    );
    let measured = bench.run().unwrap();
    assert_eq!((measured.fact("repeated_inserts"), measured.fact("database_writes")), ("10", "yes"));
    bench.end();
}
