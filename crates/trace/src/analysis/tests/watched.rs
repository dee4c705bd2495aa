//! Phases that are asked for while a trace goes on.

use super::*;

/// How many of a phase ended, and their sum.
fn ended(told: &[DevicePhases], phase: IoPhase) -> Option<(u64, u128)> {
    let phases = told.iter().filter(|one| one.device == DISK).flat_map(|one| &one.phases);
    let mut found = phases.filter(|times| times.phase == phase && times.class == IoClass::Read);
    found.next().map(|times| (times.times_ns.count, times.times_ns.total))
}

#[test]
fn what_is_asked_twice_is_told_once_and_what_goes_on_meanwhile_is_not_lost() {
    let mut watch = PhaseWatch::default();
    assert!(watch.drain().is_empty());
    let take = |watch: &mut PhaseWatch, at_ns, action| {
        watch.take(&TraceRecord::Block(event(at_ns, action, READ, 64, 8)));
    };
    take(&mut watch, 100, Action::Queue);
    take(&mut watch, 110, Action::GetRequest);
    take(&mut watch, 150, Action::Issue);
    let first = watch.drain();
    assert_eq!(ended(&first, IoPhase::QueueToGet), Some((1, 10)));
    assert_eq!(ended(&first, IoPhase::IssueToComplete), None);
    take(&mut watch, 1_150, Action::Complete);
    let second = watch.drain();
    assert_eq!(ended(&second, IoPhase::QueueToGet), None);
    assert_eq!(ended(&second, IoPhase::IssueToComplete), Some((1, 1_000)));
    assert_eq!(ended(&second, IoPhase::QueueToComplete), Some((1, 1_050)));
    assert!(watch.drain().is_empty());
}
