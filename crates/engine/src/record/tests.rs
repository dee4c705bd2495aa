//! Where records lie.

use super::*;
use crate::stop::SharedStop;
use std::collections::BTreeSet;

/// Pairs of cache lines that these values lie on, which nothing else can.
fn lines<T>(values: &[T]) -> BTreeSet<usize> {
    let range = values.as_ptr_range();
    let whole = |at: *const T| (at as usize).is_multiple_of(128);
    assert!(whole(range.start) && whole(range.end), "others may lie on a line of {range:?}");
    (range.start as usize / 128..(range.end as usize).div_ceil(128)).collect()
}

/// What workers write at each operation shares no cache line with what
/// another worker writes or reads.
#[test]
fn workers_share_no_cache_line() {
    let shape = Shape { classes: 3, open: true, stages: true, counting: 7 };
    let records: Vec<Box<Record>> = (0..16).map(|_| Box::new(Record::new(shape, 64))).collect();
    let stops: Vec<SharedStop> = (0..4).map(|_| SharedStop::default()).collect();
    let pulses: Vec<crate::drive::Heartbeat> = (0..16).map(|_| Default::default()).collect();
    let mut seen = BTreeSet::new();
    let mut own = |what: &str, of: BTreeSet<usize>| {
        for line in of {
            assert!(seen.insert(line), "{what} shares line {line:#x}");
        }
    };
    for record in &records {
        own("a record", lines(std::slice::from_ref(&**record)));
        own("its classes", lines(&record.classes));
    }
    for stop in &stops {
        own("a stop", lines(std::slice::from_ref(stop)));
        let (flag, tickets) = (&raw const stop.flag as usize / 128, stop.tickets_at() / 128);
        assert_ne!(flag, tickets, "taking tickets takes the flag's line");
    }
    for pulse in &pulses {
        own("a pulse", lines(std::slice::from_ref(pulse)));
    }
}
