//! The ways that a bio can go.

use super::*;

#[test]
fn a_request_through_a_scheduler() {
    let report = analysed(&[
        event(100, Action::Queue, READ, 800, 8),
        event(110, Action::GetRequest, READ, 800, 8),
        event(130, Action::Insert, READ, 800, 8),
        event(170, Action::Issue, READ, 800, 8),
        event(250, Action::Complete, READ, 800, 8),
    ]);
    let disk = disk(&report);
    assert!(!disk.is_bio_based);
    let of = |which| phase(disk, which, IoClass::Read);
    assert_eq!(of(IoPhase::QueueToGet), Some((1, 10, 10)));
    assert_eq!(of(IoPhase::GetToInsert), Some((1, 20, 20)));
    assert_eq!(of(IoPhase::QueueToInsert), Some((1, 30, 30)));
    assert_eq!(of(IoPhase::InsertToIssue), Some((1, 40, 40)));
    assert_eq!(of(IoPhase::QueueToIssue), Some((1, 70, 70)));
    assert_eq!(of(IoPhase::IssueToComplete), Some((1, 80, 80)));
    assert_eq!(of(IoPhase::QueueToComplete), Some((1, 150, 150)));
    assert_eq!(of(IoPhase::GetToIssue), None);
    assert_eq!(of(IoPhase::QueueToMerge), None);
    assert_eq!(disk.phase_mean(IoPhase::QueueToComplete), Some((150.0, 1)));
    assert_eq!(disk.time_shares.device(), Some(80.0 / 150.0));
    // Of 150 ns: the device had one for 80, one waited for 70.
    assert_eq!((disk.depth.max, disk.depth.busy_ns), (1, 80));
    assert!((disk.depth.mean - 80.0 / 150.0).abs() < 1e-12);
    let waiting = disk.waiting.as_ref().unwrap();
    assert_eq!((waiting.max, waiting.busy_ns), (1, 70));
    assert!(disk.littles_law.unwrap().unexplained().unwrap() < 1e-9);
    assert_eq!(disk.unmatched, UnmatchedIo::default());
    assert_eq!(report.threads.threads[0].0, 7);
    let thread = &report.threads.threads[0].1;
    assert_eq!((thread.task, thread.reads), (name("dd"), CountedBytes { count: 1, bytes: 4096 }));
    assert_eq!((thread.completed, thread.queue_to_complete_ns, thread.longest_ns), (1, 150, 150));
    assert_eq!(thread.series_bytes, [4096]);
}

#[test]
fn merges_before_and_behind() {
    let report = analysed(&[
        event(0, Action::Queue, WRITE, 1008, 8),
        event(10, Action::GetRequest, WRITE, 1008, 8),
        event(20, Action::Queue, WRITE, 1016, 8),
        event(25, Action::BackMerge, WRITE, 1016, 8),
        event(30, Action::Queue, WRITE, 1000, 8),
        event(37, Action::FrontMerge, WRITE, 1000, 8),
        event(100, Action::Issue, WRITE, 1000, 24),
        event(300, Action::Complete, WRITE, 1000, 24),
    ]);
    let disk = disk(&report);
    let of = |which| phase(disk, which, IoClass::Write);
    assert_eq!(of(IoPhase::QueueToMerge), Some((2, 12, 7)));
    assert_eq!(of(IoPhase::MergeToIssue), Some((2, 75 + 63, 75)));
    assert_eq!(of(IoPhase::GetToIssue), Some((1, 90, 90)));
    assert_eq!(of(IoPhase::IssueToComplete), Some((3, 600, 200)));
    assert_eq!(of(IoPhase::QueueToComplete), Some((3, 300 + 280 + 270, 300)));
    // The request itself counts once.
    assert_eq!((disk.request_ns[1].count, disk.request_ns[1].total), (1, 200));
    let per_request = BiosPerRequest { requests: 1, bios: 3, max: 3, alone: 0 };
    assert_eq!(disk.bios_per_request, per_request);
    assert_eq!(disk.counts.merged().writes, CountedBytes { count: 2, bytes: 8192 });
    assert_eq!(disk.counts.merged_back.writes.count, 1);
    assert_eq!(disk.queued.sizes_of(IoClass::Write).median_bytes, Some(4096));
    assert_eq!(disk.issued.sizes_of(IoClass::Write).median_bytes, Some(12288));
    assert_eq!(disk.waiting.as_ref().unwrap().max, 3);
    assert_eq!(disk.slow_at_device[0].request.queued_ns, Some(0));
    assert_eq!(disk.unmatched, UnmatchedIo::default());
}

#[test]
fn a_request_that_joins_another() {
    let report = analysed(&[
        event(0, Action::Queue, READ, 0, 8),
        event(1, Action::GetRequest, READ, 0, 8),
        event(2, Action::Queue, READ, 8, 8),
        event(3, Action::GetRequest, READ, 8, 8),
        event(12, Action::RequestMerge, READ, 8, 8),
        event(20, Action::Issue, READ, 0, 16),
        event(50, Action::Complete, READ, 0, 16),
    ]);
    let disk = disk(&report);
    assert_eq!(phase(disk, IoPhase::QueueToMerge, IoClass::Read), Some((1, 10, 10)));
    assert_eq!(phase(disk, IoPhase::IssueToComplete, IoClass::Read), Some((2, 60, 30)));
    assert_eq!(disk.counts.merged().reads.count, 1);
}

#[test]
fn a_split_bio_counts_for_each_part() {
    let report = analysed(&[
        event(0, Action::Queue, WRITE, 0, 24),
        event(5, Action::Split { new_sector: 16 }, WRITE, 0, 0),
        event(6, Action::GetRequest, WRITE, 0, 16),
        event(9, Action::GetRequest, WRITE, 16, 8),
        event(10, Action::Issue, WRITE, 0, 16),
        event(11, Action::Issue, WRITE, 16, 8),
        event(40, Action::Complete, WRITE, 16, 8),
        event(90, Action::Complete, WRITE, 0, 16),
    ]);
    let disk = disk(&report);
    assert_eq!((disk.counts.split, disk.counts.queued.writes.count), (1, 1));
    assert_eq!(phase(disk, IoPhase::QueueToGet, IoClass::Write), Some((2, 15, 9)));
    assert_eq!(phase(disk, IoPhase::QueueToComplete, IoClass::Write), Some((2, 130, 90)));
    assert_eq!(phase(disk, IoPhase::IssueToComplete, IoClass::Write), Some((2, 80 + 29, 80)));
    assert_eq!((disk.depth.max, disk.waiting.as_ref().unwrap().max), (2, 2));
    assert_eq!(disk.unmatched, UnmatchedIo::default());
}

#[test]
fn old_kernels_queue_the_rest_of_a_split_bio_again() {
    let report = analysed(&[
        event(0, Action::Queue, WRITE, 0, 24),
        event(5, Action::Split { new_sector: 16 }, WRITE, 0, 0),
        event(6, Action::GetRequest, WRITE, 0, 16),
        event(7, Action::Queue, WRITE, 16, 8),
        event(8, Action::GetRequest, WRITE, 16, 8),
        event(10, Action::Issue, WRITE, 0, 16),
        event(11, Action::Issue, WRITE, 16, 8),
        event(40, Action::Complete, WRITE, 0, 16),
        event(90, Action::Complete, WRITE, 16, 8),
    ]);
    let disk = disk(&report);
    assert_eq!(phase(disk, IoPhase::QueueToComplete, IoClass::Write), Some((2, 130, 90)));
    assert_eq!(disk.unmatched, UnmatchedIo::default());
}

#[test]
fn a_full_device_gives_a_request_back() {
    let report = analysed(&[
        event(0, Action::Queue, WRITE, 0, 8),
        event(0, Action::GetRequest, WRITE, 0, 8),
        event(10, Action::Insert, WRITE, 0, 8),
        event(20, Action::Issue, WRITE, 0, 8),
        event(25, Action::Requeue, WRITE, 0, 8),
        event(30, Action::Insert, WRITE, 0, 8),
        event(70, Action::Issue, WRITE, 0, 8),
        event(100, Action::Complete, WRITE, 0, 8),
    ]);
    let disk = disk(&report);
    let counts = &disk.counts;
    assert_eq!((counts.issued.writes.count, counts.requeued.writes.count), (2, 1));
    assert_eq!((counts.dispatched_kib().writes, counts.issued.writes.kib()), (4, 8));
    // As btt: each insert and each issue counts, completion since the last issue.
    assert_eq!(phase(disk, IoPhase::InsertToIssue, IoClass::Write), Some((2, 50, 40)));
    assert_eq!(phase(disk, IoPhase::GetToInsert, IoClass::Write), Some((2, 40, 30)));
    assert_eq!(phase(disk, IoPhase::QueueToInsert, IoClass::Write), Some((1, 10, 10)));
    assert_eq!(phase(disk, IoPhase::IssueToComplete, IoClass::Write), Some((1, 30, 30)));
    assert_eq!((disk.depth.max, disk.depth.busy_ns), (1, 35));
    // The law counts the time before it was given back, too.
    let law = disk.littles_law.unwrap();
    assert_eq!(law.stay_mean_ns, 35.0);
    assert!(law.unexplained().unwrap() < 1e-9);
    assert_eq!(disk.waiting.as_ref().unwrap().busy_ns, 65);
    assert_eq!((disk.depth_max.reads, disk.depth_max.writes), (0, 1));
    assert_eq!(disk.unmatched, UnmatchedIo::default());
}

#[test]
fn a_request_that_was_refused_before_it_was_issued_was_not_given_back() {
    let report = analysed(&[
        event(0, Action::Queue, READ, 0, 8),
        event(5, Action::GetRequest, READ, 0, 8),
        event(10, Action::Requeue, READ, 0, 8),
        event(20, Action::Issue, READ, 0, 8),
        event(25, Action::Requeue, READ, 0, 8),
        event(30, Action::Requeue, READ, 0, 8),
        event(40, Action::Issue, READ, 0, 8),
        event(60, Action::Complete, READ, 0, 8),
    ]);
    let disk = disk(&report);
    assert_eq!((disk.counts.requeued.reads.count, disk.given_back), (3, 1));
    assert_eq!((disk.depth.busy_ns, disk.waiting.as_ref().unwrap().busy_ns), (25, 35));
}

#[test]
fn a_bio_that_must_not_wait_comes_back_and_is_sent_again() {
    let by = |thread, event: BlockEvent| BlockEvent { thread, ..event };
    let report = analysed(&[
        event(0, Action::Queue, READ, 800, 8),
        event(10, Action::GetRequest, READ, 800, 8),
        event(20, Action::Issue, READ, 800, 8),
        // All requests are in use. A worker waits for one in the same sector in which another is turned away.
        event(30, Action::Queue, READ, 1600, 8),
        failing(event(31, Action::Complete, READ, 1600, 8), EAGAIN),
        by(9, event(40, Action::Queue, READ, 1600, 8)),
        event(50, Action::Queue, READ, 1600, 8),
        failing(event(51, Action::Complete, READ, 1600, 8), EAGAIN),
        event(100, Action::Complete, READ, 800, 8),
        by(9, event(110, Action::GetRequest, READ, 1600, 8)),
        by(9, event(120, Action::Issue, READ, 1600, 8)),
        event(200, Action::Complete, READ, 1600, 8),
    ]);
    let disk = disk(&report);
    let of = |which| phase(disk, which, IoClass::Read);
    assert_eq!(of(IoPhase::QueueToGet), Some((2, 10 + 70, 70)));
    assert_eq!(of(IoPhase::QueueToComplete), Some((2, 100 + 160, 160)));
    assert_eq!(of(IoPhase::IssueToComplete), Some((2, 80 + 80, 80)));
    assert_eq!(disk.time_shares.device(), Some(160.0 / 260.0));
    let counts = &disk.counts;
    assert_eq!((counts.completed.reads.count, counts.would_block.reads.count), (4, 2));
    assert_eq!((counts.done().reads, disk.bytes()), (CountedBytes { count: 2, bytes: 8192 }, 8192));
    assert_eq!(disk.errors, IoErrors::default());
    assert_eq!(disk.rates.points[0].completed[0].count, 2);
    assert_eq!(disk.unmatched, UnmatchedIo::default());
    // Of what was on its way to the device, two waited at once.
    assert_eq!((disk.depth.max, disk.waiting.as_ref().unwrap().max), (1, 2));
    // A request that fails so was at the device.
    let failed = analysed(&[
        event(0, Action::Queue, READ, 0, 8),
        event(5, Action::Issue, READ, 0, 8),
        failing(event(9, Action::Complete, READ, 0, 8), EAGAIN),
    ]);
    let failed = failed.device(DISK).unwrap();
    assert_eq!(failed.errors, IoErrors { count: 1, last: Some(EAGAIN) });
    assert_eq!(phase(failed, IoPhase::IssueToComplete, IoClass::Read), Some((1, 4, 4)));
}

#[test]
fn a_flush_before_data_on_the_medium() {
    let commit = operation(IoDirection::Write, "PFSM");
    let flush = operation(IoDirection::Flush, "P");
    let data = operation(IoDirection::Write, "FSM");
    let report = analysed(&[
        event(0, Action::Queue, commit, 5000, 8),
        event(2, Action::GetRequest, commit, 5000, 8),
        event(10, Action::Issue, flush, 0, 0),
        event(110, Action::Complete, flush, 0, 0),
        event(120, Action::Issue, data, 5000, 8),
        event(150, Action::Complete, data, 5000, 8),
        // The request ends once more, without data.
        event(155, Action::Complete, data, 5000, 0),
        // And a flush alone: its own end follows that of the device's.
        event(200, Action::Queue, operation(IoDirection::Write, "PS"), 0, 0),
        event(210, Action::Issue, flush, 0, 0),
        event(260, Action::Complete, flush, 0, 0),
        event(270, Action::Complete, operation(IoDirection::Write, "S"), 0, 0),
    ]);
    let disk = disk(&report);
    let flushes = &disk.flushes;
    assert_eq!((flushes.asked, flushes.sent, flushes.busy_ns), (2, Some(2), 150));
    assert_eq!((flushes.device_ns.count, flushes.device_ns.total), (2, 150));
    assert_eq!((flushes.queue_to_complete_ns.count, flushes.queue_to_complete_ns.total), (1, 70));
    assert_eq!(phase(disk, IoPhase::QueueToComplete, IoClass::Write), Some((1, 150, 150)));
    assert_eq!(phase(disk, IoPhase::IssueToComplete, IoClass::Write), Some((1, 30, 30)));
    let mix = disk.queued.mix;
    assert_eq!((mix.total, mix.writes, mix.flushes), (2, 1, 1));
    assert_eq!((mix.preflush, mix.fua, mix.sync, mix.meta), (2, 1, 2, 1));
    assert_eq!((disk.issued.mix.flushes, disk.issued.mix.writes), (2, 1));
    assert_eq!((disk.issued.mix.preflush, disk.issued.mix.fua), (0, 1));
    // blkparse counts flushes at the device as reads of nothing.
    assert_eq!(disk.counts.issued.reads, CountedBytes { count: 2, bytes: 0 });
    assert_eq!(disk.counts.completed.writes, CountedBytes { count: 3, bytes: 4096 });
    assert_eq!(disk.depth.busy_ns, 100 + 30 + 50);
    assert_eq!(disk.unmatched, UnmatchedIo::default());
}

#[test]
fn a_device_without_requests() {
    let report = analysed(&[
        event(0, Action::Queue, WRITE, 0, 8),
        event(10, Action::Queue, READ, 64, 8),
        event(30, Action::Complete, READ, 64, 8),
        event(100, Action::Complete, WRITE, 0, 8),
        event(120, Action::Queue, operation(IoDirection::Write, "PS"), 0, 0),
        event(150, Action::Complete, operation(IoDirection::Write, "PS"), 0, 0),
        // A driver that names the last part of what it worked its way through.
        event(160, Action::Queue, WRITE, 1000, 64),
        event(200, Action::Complete, WRITE, 1056, 8),
    ]);
    let disk = disk(&report);
    assert!(disk.is_bio_based && disk.waiting.is_none());
    assert_eq!(phase(disk, IoPhase::QueueToComplete, IoClass::Write), Some((2, 140, 100)));
    assert_eq!(phase(disk, IoPhase::QueueToComplete, IoClass::Read), Some((1, 20, 20)));
    assert_eq!(phase(disk, IoPhase::IssueToComplete, IoClass::Write), None);
    assert_eq!((disk.depth.max, disk.depth.busy_ns), (2, 100 + 30 + 40));
    assert!(disk.littles_law.unwrap().unexplained().unwrap() < 1e-9);
    assert_eq!((disk.flushes.sent, disk.flushes.asked, disk.flushes.busy_ns), (None, 1, 30));
    // Two stood for 8 sectors and one for 64, by when they were queued.
    assert_eq!(disk.offsets.cells.iter().map(|cell| cell.reads + cell.writes).sum::<u32>(), 3);
    assert_eq!(disk.offsets.cells[0].largest, 64 * SECTOR_BYTES);
    assert_eq!(disk.traffic().mix.total, 4);
    assert_eq!(disk.unmatched, UnmatchedIo::default());
}

#[test]
fn what_is_completed_after_the_command_is_counted_apart_too() {
    let mut analysis = Analysis::new(AnalysisOptions::default());
    let completed = |time_ns, operation, sectors| event(time_ns, Action::Complete, operation, 0, sectors);
    let take = |analysis: &mut Analysis, event: BlockEvent| analysis.take(&TraceRecord::Block(event));
    take(&mut analysis, completed(10, WRITE, 8));
    analysis.set_command_end(20);
    // One that came late, for the buffers of CPUs are read one by one.
    take(&mut analysis, completed(19, WRITE, 8));
    take(&mut analysis, event(21, Action::Queue, WRITE, 0, 8));
    take(&mut analysis, completed(22, WRITE, 16));
    take(&mut analysis, completed(23, READ, 8));
    let report = analysis.finish();
    let after = report.after_command.as_ref().unwrap();
    let since = ReadWrite {
        reads: CountedBytes { count: 1, bytes: 4096 },
        writes: CountedBytes { count: 1, bytes: 8192 },
    };
    assert_eq!((after.began_ns, after.completed(DISK)), (20, since));
    assert_eq!(after.completed(Device { major: 9, minor: 0 }), ReadWrite::default());
    assert_eq!(disk(&report).counts.completed.writes, CountedBytes { count: 3, bytes: 16_384 });
    assert_eq!(analysed(&[completed(10, WRITE, 8)]).after_command, None);
}

#[test]
fn a_partition_and_a_swap_partition() {
    let (root, swap) = (Device { major: 8, minor: 1 }, Device { major: 8, minor: 2 });
    let remap = |from, from_sector| Action::Remap { from, from_sector };
    let mut analysis =
        Analysis::new(AnalysisOptions { swap_devices: vec![swap], ..AnalysisOptions::default() });
    for event in [
        event(0, remap(root, 100), WRITE, 2148, 8),
        event(0, Action::Queue, WRITE, 2148, 8),
        event(5, remap(swap, 16), WRITE, 900_016, 16),
        event(5, Action::Queue, WRITE, 900_016, 16),
        event(9, remap(swap, 0), READ, 900_000, 8),
        event(9, Action::Queue, READ, 900_000, 8),
    ] {
        analysis.take(&TraceRecord::Block(event));
    }
    analysis.set_swap_counters(SwapCounters { pages_in: 1, pages_out: 2 });
    let report = analysis.finish();
    assert_eq!(report.devices.len(), 1);
    assert_eq!((disk(&report).counts.remapped, disk(&report).counts.queued.writes.count), (3, 2));
    let from_root = RemapCount {
        from: root,
        to: DISK,
        bios: ReadWrite { reads: CountedBytes::default(), writes: CountedBytes { count: 1, bytes: 4096 } },
    };
    assert_eq!(report.remaps[0], from_root);
    let io = ReadWrite {
        reads: CountedBytes { count: 1, bytes: 4096 },
        writes: CountedBytes { count: 1, bytes: 8192 },
    };
    assert_eq!(report.swap.devices, [SwapDeviceIo { device: swap, io }]);
    let devices = vec![SwapDeviceIo { device: swap, io }];
    let swapping = Observation::Swapping { devices, pages_in: Some(1), pages_out: Some(2) };
    assert!(report.observations.contains(&swapping), "{:?}", report.observations);
    assert_eq!(disk(&report).unmatched.unfinished_bios, 3);
}

#[test]
fn a_request_that_is_done_in_parts() {
    let report = analysed(&[
        event(0, Action::Queue, READ, 0, 16),
        event(1, Action::Queue, READ, 16, 16),
        event(2, Action::GetRequest, READ, 0, 16),
        event(10, Action::Issue, READ, 0, 32),
        // The second bio is cut in two.
        event(50, Action::Complete, READ, 0, 24),
        event(90, Action::Complete, READ, 24, 8),
    ]);
    let disk = disk(&report);
    assert_eq!(phase(disk, IoPhase::QueueToComplete, IoClass::Read), Some((2, 50 + 89, 89)));
    assert_eq!((disk.request_ns[0].count, disk.request_ns[0].total), (1, 80));
    assert_eq!(disk.depth.busy_ns, 80);
    assert_eq!(disk.unmatched, UnmatchedIo::default());
}

#[test]
fn two_of_one_sector_are_told_apart_by_their_order() {
    let report = analysed(&[
        event(0, Action::Queue, READ, 0, 8),
        event(5, Action::Queue, READ, 0, 8),
        event(10, Action::Issue, READ, 0, 8),
        event(20, Action::Issue, READ, 0, 8),
        event(40, Action::Complete, READ, 0, 8),
        event(60, Action::Complete, READ, 0, 8),
    ]);
    let disk = disk(&report);
    assert_eq!(phase(disk, IoPhase::QueueToComplete, IoClass::Read), Some((2, 40 + 55, 55)));
    assert_eq!(phase(disk, IoPhase::IssueToComplete, IoClass::Read), Some((2, 30 + 40, 40)));
    assert_eq!((disk.depth.max, disk.depth_max.reads), (2, 2));
    assert_eq!(disk.unmatched, UnmatchedIo::default());
}
