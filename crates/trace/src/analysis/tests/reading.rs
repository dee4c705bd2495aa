//! A trace that is read and analysed at the same time is the same trace.

use super::*;
use crate::analysis::reading::LOT_RECORDS;
use crate::format::{EachRecord, FormatError};

/// Requests at places in no order, one of three a write, with calls that wait for them.
fn long_trace() -> Vec<TraceRecord> {
    let place = |index: u64| index * 7919 % 100_000 * 8;
    let events = one_by_one(3000, READ, 8, 5_000, place);
    let writes = one_by_one(1500, WRITE, 16, 9_000, |index| place(index) + 800_000);
    let mut records: Vec<TraceRecord> = events.into_iter().chain(writes).map(TraceRecord::Block).collect();
    records.sort_by_key(TraceRecord::time_ns);
    for index in (500..records.len()).step_by(500) {
        let ended_ns = records[index].time_ns();
        let (began_ns, task) = (ended_ns - 20_000, name("db"));
        let call = TraceRecord::Synced { began_ns, ended_ns, thread: 9, task, call: "fsync", result: 0 };
        records.insert(index, call);
    }
    records
}

/// What is said of these records and of those that `each` was given, if they are read until one fails.
fn read(
    records: impl Iterator<Item = Result<TraceRecord, FormatError>> + Send,
) -> (Result<(), FormatError>, Report, Vec<TraceRecord>) {
    let mut analysis = Analysis::new(AnalysisOptions::default());
    let mut given = Vec::new();
    let result = analysis.take_all(&mut EachRecord(records), &mut |lot| given.extend_from_slice(lot));
    (result, analysis.finish(), given)
}

#[test]
fn it_says_the_same_as_one_record_after_the_other() {
    let all = long_trace();
    assert!(all.len() > 10 * LOT_RECORDS);
    for length in [0, 1, LOT_RECORDS - 1, LOT_RECORDS, LOT_RECORDS + 1, 3 * LOT_RECORDS, all.len()] {
        let records = &all[..length];
        let (result, report, given) = read(records.iter().cloned().map(Ok));
        result.unwrap();
        assert!(given == records, "{length} records are not the same");
        assert!(report == analysed_records(records), "of {length} records another thing is said");
    }
}

#[test]
fn what_came_before_a_failure_is_taken() {
    let all = long_trace();
    for length in [0, 10, LOT_RECORDS, 5 * LOT_RECORDS + 10] {
        let failure = Err(FormatError::Header("is damaged"));
        let (result, report, given) = read(all[..length].iter().cloned().map(Ok).chain([failure]));
        assert!(matches!(result, Err(FormatError::Header("is damaged"))), "{length}: {result:?}");
        assert_eq!((given.len(), report.span.records), (length, length as u64));
    }
}

#[test]
#[should_panic = "of the reader"]
fn a_panic_of_the_reader_is_passed_on() {
    let all = long_trace();
    let records = all.iter().cloned().enumerate().map(|(index, record)| {
        assert!(index < 5000, "of the reader");
        Ok(record)
    });
    let _ = read(records);
}
