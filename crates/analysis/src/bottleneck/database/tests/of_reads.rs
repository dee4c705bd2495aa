//! What holds a load back whose server reads pages that its buffers do not hold, or writes temporary files.

use super::*;

/// A server on this machine that computes little and reads so many pages for each transaction.
fn reading(pages: f64) -> Load {
    let load = Load::served(4, 0.1).knowing(facts::ROUND_TRIP, 10e-6);
    load.with(names::SERVER_CPU, 0.3)
        .with(names::CLIENTS_WAITING_FOR_LOCKS, 0.0)
        .with(names::CLIENTS_WAITING_FOR_LOG, 0.1)
        .with(names::SERVER_PAGE_READS_PER_SECOND, pages * RATE)
        .knowing(facts::INNODB_FLUSH_LOG_AT_TRX_COMMIT, 1_u64)
        .knowing(facts::BUFFER_BYTES, 8_u64 << 20)
        .knowing(facts::BYTES, 1_u64 << 30)
}

fn has(found: &Finding, code: &str) -> bool {
    found.evidence.iter().any(|one| one.code == code)
}

/// Bug: of a server whose sessions do not say that they wait for reads, such as MariaDB's, it was said that it takes its time.
#[test]
fn what_is_left_beside_pages_that_are_read_is_their_reads() {
    let found = reading(5.0).verdict();
    assert_eq!((found.code.as_str(), said(&found, "how").as_str()), ("page-read-bound", "rest"));
    assert!(found.text.contains("reads 5.0 pages for each transaction"), "{}", found.text);
    let advice = found.advice.clone().unwrap_or_default();
    assert!(advice.contains("innodb_buffer_pool_size") && !advice.contains("shared_buffers"), "{advice}");
    assert!(has(&found, "buffers-of-data"), "{found:?}");
    assert_eq!(reading(0.5).code(), "server-bound", "few are read");
    let unknown = Load { metrics: vec![(names::SERVER_PAGE_READS_PER_SECOND, 5.0 * RATE)], ..reading(5.0) };
    assert_eq!(unknown.code(), "server-bound", "it may be anything");
    assert_eq!(reading(5.0).with(names::SERVER_CPU, 2.2).code(), "server-cpu-bound", "it computes");
}

/// Bug: of a neighbour that reads the disk of the database nothing was said, where reads are what clients wait for.
#[test]
fn a_disk_that_moves_more_than_the_server_reads_says_so() {
    let with = |mebibytes: u64| {
        let load = reading(5.0).with(names::CLIENTS_WAITING_FOR_READS, 3.0);
        let counters = [
            ("read_sectors", 512.0, mebibytes << 11),
            ("written_sectors", 512.0, 100),
            ("read_ms", 0.001, 3000),
        ];
        let found = verdict(&[load.on_device(&counters)]);
        assert_eq!(found.code, "page-read-bound");
        has(&found, "device-work")
    };
    assert!(with(900));
    assert!(!with(200), "5,000 pages of 16 KiB, and what is read ahead");
}

/// Bug: of sorts that do not fit their memory nothing was said.
#[test]
fn temporary_files_stand_beside_the_verdict() {
    let with = |files: f64| {
        let load = Load::served(4, 0.1).with(names::SERVER_CPU, 3.9);
        has(&load.with(names::SERVER_TEMPORARY_FILES_PER_SECOND, files).verdict(), "temporary-files")
    };
    assert!(with(RATE));
    assert!(!with(0.01 * RATE));
}
