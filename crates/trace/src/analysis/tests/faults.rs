//! What is missing, late or wrong: lost events, what began before, stalls, errors, slow calls.

use super::*;

#[test]
fn what_began_before_the_trace_is_counted_and_not_guessed() {
    let report = analysed(&[
        event(100, Action::Complete, WRITE, 0, 8),
        event(110, Action::Issue, WRITE, 64, 8),
        event(120, Action::Complete, WRITE, 64, 8),
        event(130, Action::Queue, READ, 640, 8),
        event(140, Action::Queue, READ, 800, 8),
        event(150, Action::Issue, READ, 800, 8),
    ]);
    let disk = disk(&report);
    let expected = UnmatchedIo {
        begun_before: 1,
        queued_before: 1,
        unfinished_bios: 2,
        unfinished_requests: 1,
        ..UnmatchedIo::default()
    };
    assert_eq!(disk.unmatched, expected);
    assert_eq!(disk.counts.completed.writes.count, 2);
    assert_eq!(phase(disk, IoPhase::QueueToComplete, IoClass::Write), None);
    // The request itself was seen from issue to completion.
    assert_eq!((disk.request_ns[1].count, disk.request_ns[1].total), (1, 10));
    assert_eq!(report.losses, LossReport::default());
    assert!(!report.observations.iter().any(|seen| matches!(seen, Observation::LostEvents { .. })));
}

#[test]
fn lost_events_are_said_with_what_they_touch() {
    let report = analysed_records(&[
        TraceRecord::Block(event(0, Action::Queue, READ, 0, 8)),
        TraceRecord::Block(event(1, Action::GetRequest, READ, 0, 8)),
        TraceRecord::Lost { time_ns: 50, cpu: 3, events: Some(20) },
        TraceRecord::Lost { time_ns: 60, cpu: 1, events: None },
        TraceRecord::Block(event(70, Action::Complete, READ, 64, 8)),
        TraceRecord::Block(event(80, Action::Issue, READ, 128, 8)),
        TraceRecord::Block(event(90, Action::Complete, READ, 128, 8)),
        // Its issue was lost: done, in no time at the device.
        TraceRecord::Block(event(95, Action::Complete, READ, 0, 8)),
    ]);
    let disk = disk(&report);
    assert_eq!(disk.unmatched.completions_after_loss, 2);
    assert_eq!((disk.unmatched.issues_after_loss, disk.unmatched.begun_before), (1, 0));
    assert_eq!((disk.unmatched.unfinished_bios, disk.unmatched.by_loss()), (0, 3));
    assert_eq!(phase(disk, IoPhase::QueueToComplete, IoClass::Read), Some((1, 95, 95)));
    assert_eq!(phase(disk, IoPhase::IssueToComplete, IoClass::Read), None);
    let losses = &report.losses;
    assert_eq!((losses.times, losses.events, losses.times_unknown), (2, 20, 1));
    assert_eq!((losses.seen_ns, losses.cpus.as_slice()), (Some((50, 60)), [1, 3].as_slice()));
    let lost = Observation::LostEvents {
        times: 2,
        events: None,
        unmatched: 3,
        affected: vec![
            AffectedFigure::Counts,
            AffectedFigure::Phases,
            AffectedFigure::Depth,
            AffectedFigure::Order,
        ],
    };
    assert_eq!(report.observations[0], lost);
}

#[test]
fn a_stall_has_its_length_and_what_was_on_its_way() {
    const MS: u64 = 1_000_000;
    let report = analysed(&[
        event(0, Action::Queue, WRITE, 0, 8),
        event(0, Action::GetRequest, WRITE, 0, 8),
        event(MS, Action::Issue, WRITE, 0, 8),
        event(2 * MS, Action::Queue, READ, 640, 16),
        event(2 * MS, Action::GetRequest, READ, 640, 16),
        event(3 * MS, Action::Issue, READ, 640, 16),
        event(4 * MS, Action::Queue, READ, 800, 8),
        event(201 * MS, Action::Complete, WRITE, 0, 8),
        event(203 * MS, Action::Complete, READ, 640, 16),
        event(1000 * MS, Action::Issue, READ, 800, 8),
        event(1500 * MS, Action::Plug, BlockOperation::default(), 0, 0),
    ]);
    let disk = disk(&report);
    // The last one is still open: from its issue to the end of the trace.
    let open = &disk.stalls[0];
    assert_eq!((open.began_ns, open.ended_ns, open.is_over), (1000 * MS, 1500 * MS, false));
    let stall = &disk.stalls[1];
    assert_eq!((stall.began_ns, stall.length_ns(), stall.is_over), (MS, 200 * MS, true));
    assert_eq!((stall.at_device, stall.waiting, stall.oldest.len()), (2, Some(1), 2));
    assert_eq!((stall.oldest[0].sector, stall.oldest[0].issued_ns), (0, Some(MS)));
    assert_eq!((stall.oldest[1].bytes, stall.oldest[1].task), (8192, name("dd")));
    assert_eq!(disk.stalls[2].length_ns(), 2 * MS);
    let slow = &disk.slow_at_device[0];
    // Both took 200 ms; the first one kept stays first.
    assert_eq!((slow.request.sector, slow.length_ns), (0, 200 * MS));
    assert_eq!((slow.depth_at_start, slow.depth_at_end), (1, 2));
    assert_eq!((disk.slow_at_device[1].depth_at_start, disk.slow_at_device[1].depth_at_end), (2, 1));
    assert_eq!(disk.slow_overall[0].request.sector, 0);
    assert_eq!(disk.slow_overall[0].length_ns, 201 * MS);
    assert!(matches!(
        report.observations[0],
        Observation::Stall { length_ns: 500_000_000, at_device: 1, is_over: false, .. }
    ));
}

#[test]
fn errors_are_counted_with_the_last_one() {
    let mut failed = event(20, Action::Complete, READ, 0, 8);
    failed.error = 5;
    let report = analysed(&[event(0, Action::Queue, READ, 0, 8), failed]);
    assert_eq!(disk(&report).errors, IoErrors { count: 1, last: Some(5) });
    let expected = Observation::Errors { device: DISK, count: 1, last: Some(5) };
    assert!(report.observations.contains(&expected));
}

#[test]
fn a_slow_call_shows_what_was_done_in_it() {
    const MS: u64 = 1_000_000;
    let flush = operation(IoDirection::Flush, "P");
    let synced = |began_ns, ended_ns, result| TraceRecord::Synced {
        began_ns,
        ended_ns,
        thread: 9,
        task: name("sqlite3"),
        call: "fdatasync",
        result,
    };
    let report = analysed_records(&[
        TraceRecord::Block(event(10 * MS, Action::Queue, WRITE, 0, 8)),
        TraceRecord::Block(event(10 * MS, Action::GetRequest, WRITE, 0, 8)),
        TraceRecord::Block(event(30 * MS, Action::Issue, WRITE, 0, 8)),
        TraceRecord::Block(event(70 * MS, Action::Complete, WRITE, 0, 8)),
        TraceRecord::Block(event(80 * MS, Action::Issue, flush, 0, 0)),
        TraceRecord::Block(event(150 * MS, Action::Complete, flush, 0, 0)),
        synced(20 * MS, 160 * MS, 0),
        synced(161 * MS, 162 * MS, -5),
    ]);
    assert_eq!(report.syncs.calls, 2);
    let caller = &report.syncs.callers[0];
    assert_eq!((caller.task, caller.call, caller.failed), (name("sqlite3"), "fdatasync", 1));
    assert_eq!((caller.times_ns.count, caller.times_ns.max), (2, Some(140 * MS)));
    let slowest = &report.syncs.slowest[0];
    assert_eq!((slowest.call.thread, slowest.call.length_ns()), (9, 140 * MS));
    let inside = SyncInside {
        bios: 1,
        bytes: 4096,
        flushes: 1,
        flush_ns: 70 * MS,
        device_ns: 110 * MS,
        waiting_ns: 10 * MS,
        host_ns: 20 * MS,
        is_whole: true,
    };
    assert_eq!(slowest.inside, inside);
    let seen = report.observations.iter().find(|seen| matches!(seen, Observation::SlowSync { .. }));
    assert_eq!(seen, Some(&Observation::SlowSync { slowest: *slowest, calls: 2, p99_ns: None }));
}

#[test]
fn times_that_go_back_are_counted_and_harm_nothing() {
    let report = analysed(&[
        event(100, Action::Queue, READ, 0, 8),
        event(90, Action::Issue, READ, 0, 8),
        event(130, Action::Complete, READ, 0, 8),
    ]);
    assert_eq!((report.span.out_of_order, report.span.length_ns()), (1, 30));
    assert_eq!(phase(disk(&report), IoPhase::QueueToIssue, IoClass::Read), Some((1, 0, 0)));
}

#[test]
fn an_empty_trace_says_so() {
    let report = analysed(&[]);
    assert_eq!(report.observations, [Observation::NothingSeen]);
    assert_eq!(report.span, TraceSpan::default());
}
