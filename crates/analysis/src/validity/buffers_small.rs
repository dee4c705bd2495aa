//! The data of a server are larger than its buffers: what lies below is a part of what was measured.

use model::database::fact;
use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity};

use super::database::{self, DataReads};
use super::database_in_memory;
use crate::{Context, Rule, RuleCheck};

pub(crate) const RULE: Rule = Rule {
    code: "buffers-smaller-than-data",
    doc: "The tables and indexes of a database are larger than the server's own buffers, and it read pages in the window: \
         the disk, or the page cache, is a part of the figure.",
    english: r#"
finding-buffers-smaller-than-data =
    { BINARY($bytes) } of data do not fit the { BINARY($buffer) } of the server's own buffers: { $counter ->
        [unknown] how much it read in the window is not known
       *[other] { evidence-database-reads }
    }, and { $counter ->
        [device] the disk is a part of the figures
        [server] the disk, or the page cache, is a part of the figures
       *[unknown] the disk may be a part of the figures
    }

evidence-database-bytes = { BINARY($bytes) } of tables and indexes
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let (bytes, buffer) = (database::data_bytes(case)?, database::buffer_bytes(case)?);
    let reads = DataReads::of(case, context.machine);
    if bytes <= buffer || reads.as_ref().is_some_and(|reads| !reads.are_felt()) {
        return None;
    }
    let size = Evidence::at("database-bytes", Place::Fact(fact::BYTES)).arg("bytes", bytes);
    let found = Finding::new(FindingKind::Validity, RULE.code, Severity::Note)
        .arg("bytes", bytes)
        .arg("buffer", buffer)
        .because(size);
    Some(match reads {
        None => found.arg("counter", "unknown"),
        Some(reads) => found
            .arg("counter", reads.counter.word())
            .arg("reads", reads.reads_per_s)
            .arg("transactions", reads.transactions_per_s)
            .because(database_in_memory::evidence(&reads)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::database::simulated;
    use model::database::metric as names;
    use model::{MetricName, Value, metric};

    fn said(data: u64, buffers: u64, metrics: &[(MetricName, f64)]) -> Vec<String> {
        let facts =
            [(fact::BYTES, Value::Integer(data << 20)), (fact::BUFFER_BYTES, Value::Integer(buffers << 20))];
        simulated::said(&RULE, &simulated::case(&facts, metrics))
    }

    #[test]
    fn data_beyond_the_buffers_that_are_read_are_named_with_their_sizes() {
        let with =
            |reads| [(metric::TRANSACTIONS_PER_SECOND, 1000.0), (names::SERVER_PAGE_READS_PER_SECOND, reads)];
        let text = &said(1024, 128, &with(800.0))[0];
        assert!(text.starts_with("1 GiB of data do not fit the 128 MiB"), "{text}");
        assert!(
            text.contains("800 ") && text.ends_with("or the page cache, is a part of the figures"),
            "{text}"
        );
        assert!(said(64, 128, &with(800.0)).is_empty(), "they fit");
        assert!(said(1024, 128, &with(1.0)).is_empty(), "what is touched fits");
    }

    #[test]
    fn where_nobody_counts_the_sizes_are_told_all_the_same() {
        let text = &said(1024, 128, &[(metric::TRANSACTIONS_PER_SECOND, 1000.0)])[0];
        assert!(text.contains("is not known"), "{text}");
    }
}
