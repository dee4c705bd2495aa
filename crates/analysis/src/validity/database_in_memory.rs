//! The data of a database were in memory: no figure of reads is the disk's.

use model::finding::Evidence;
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity};

use super::database::{self, DataReads, ReadCounter};
use crate::{Context, Rule, RuleCheck};

pub(crate) const RULE: Rule = Rule {
    code: "database-in-memory",
    doc: "All that the load read of a database was in memory, by what the kernel counted at the device or the server at its \
         buffers: fewer than one read in a hundred transactions. The figure says nothing of how a disk reads.",
    english: r#"
finding-database-in-memory =
    { $how ->
        [buffers] { BINARY($bytes) } of data fit the { BINARY($buffer) } of the server's own buffers
        [touched] what the load touches of { BINARY($bytes) } of data fits the { BINARY($buffer) } of the server's own
            buffers
       *[page-cache] { BINARY($bytes) } of data were in the page cache
    }: { evidence-database-reads }, and the figures say nothing of how { $writes ->
        [yes] the disk reads; what is written reaches it all the same
       *[no] fast the disk is
    }
    .advice = to have the disk read, make the data several times as large as memory, or memory smaller

evidence-database-reads =
    { $counter ->
        [device] { SHORT($reads, unit: "1/s") } reads reached the disk for { SHORT($transactions, unit: "1/s") }
            transactions
       *[server] the server looked for { SHORT($reads, unit: "1/s") } pages outside of its buffers for
            { SHORT($transactions, unit: "1/s") } transactions
    }
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let bytes = database::data_bytes(case)?;
    let buffer = database::buffer_bytes(case);
    let reads = DataReads::of(case, context.machine).filter(|reads| !reads.are_felt())?;
    let fits = buffer.is_some_and(|buffer| bytes <= buffer);
    let how = match reads.counter {
        _ if fits => "buffers",
        ReadCounter::Device => "page-cache",
        ReadCounter::Server => "touched",
    };
    let writes = database::writes(case);
    let severity = if writes { Severity::Note } else { Severity::Warning };
    let mut found = Finding::new(FindingKind::Validity, RULE.code, severity)
        .arg("how", how)
        .arg("bytes", bytes)
        .arg("counter", reads.counter.word())
        .arg("reads", reads.reads_per_s)
        .arg("transactions", reads.transactions_per_s)
        .arg("writes", writes);
    if how != "page-cache" {
        found = found.arg("buffer", buffer?);
    }
    Some(found.because(evidence(&reads)))
}

/// Evidence of what was read.
pub(super) fn evidence(reads: &DataReads) -> Evidence {
    Evidence::at("database-reads", reads.place.clone())
        .arg("counter", reads.counter.word())
        .arg("reads", reads.reads_per_s)
        .arg("transactions", reads.transactions_per_s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::database::simulated;
    use crate::validity::fixture;
    use model::database::{fact, metric as names};
    use model::resource::PathStep;
    use model::{Resource, Value, metric};

    /// With so many MiB of data and of buffers, and so many pages read for 1,000 transactions per second.
    fn server(data: u64, buffers: u64, reads: f64, writes: bool) -> CaseResult {
        let facts = [
            (fact::BYTES, Value::Integer(data << 20)),
            (fact::BUFFER_BYTES, Value::Integer(buffers << 20)),
            (fact::WRITES, Value::Bool(writes)),
        ];
        let metrics =
            [(metric::TRANSACTIONS_PER_SECOND, 1000.0), (names::SERVER_PAGE_READS_PER_SECOND, reads)];
        simulated::case(&facts, &metrics)
    }

    /// Gives a case a disk at which so many requests were counted per second.
    fn on_disk(case: &mut CaseResult, reads: u64) {
        case.path = vec![PathStep { resource: Resource::from("block:sda"), amplification: 1.0 }];
        for trial in &mut case.trials {
            let counter = |name: &str, steps| {
                fixture::counter("block:sda", &format!("/proc/diskstats {name}"), 1.0, steps)
            };
            trial.result.local_mut().counters = vec![counter("reads", reads), counter("writes", 500)];
        }
    }

    #[test]
    fn data_that_fit_the_buffers_and_are_not_read_are_in_memory() {
        let text = "64 MiB of data fit the 128 MiB of the server's own buffers";
        let said = simulated::said(&RULE, &server(64, 128, 0.0, false));
        assert!(said[0].starts_with(text) && said[0].ends_with("how fast the disk is"), "{said:?}");
        let said = simulated::said(&RULE, &server(512, 128, 2.0, false));
        assert!(said[0].starts_with("what the load touches of 512 MiB"), "{said:?}");
        assert!(simulated::found(&RULE, &server(64, 128, 50.0, false)).is_empty(), "they were read");
        assert!(simulated::found(&RULE, &simulated::case(&[], &[])).is_empty(), "it is no database");
    }

    #[test]
    fn a_load_that_writes_reaches_the_disk_all_the_same() {
        let found = simulated::found(&RULE, &server(64, 128, 0.0, true));
        assert_eq!(found[0].severity, Severity::Note);
        assert!(found[0].text.contains("what is written reaches it"), "{}", found[0].text);
        assert_eq!(simulated::found(&RULE, &server(64, 128, 0.0, false))[0].severity, Severity::Warning);
    }

    #[test]
    fn what_the_device_counts_comes_before_what_the_server_counts() {
        let mut cached = server(512, 128, 900.0, false);
        on_disk(&mut cached, 0);
        let said = simulated::said(&RULE, &cached);
        assert!(said[0].starts_with("512 MiB of data were in the page cache: "), "{said:?}");
        on_disk(&mut cached, 900);
        assert!(simulated::found(&RULE, &cached).is_empty());
        // SQLite has no server that counts.
        let bytes = [(fact::BYTES, Value::Integer(1 << 20))];
        let mut sqlite = simulated::case(&bytes, &[(metric::TRANSACTIONS_PER_SECOND, 1000.0)]);
        assert!(simulated::found(&RULE, &sqlite).is_empty(), "nobody counts");
        on_disk(&mut sqlite, 1);
        assert!(simulated::said(&RULE, &sqlite)[0].starts_with("1 MiB of data were in the page cache"));
    }
}
