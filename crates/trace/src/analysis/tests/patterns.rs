//! What kind of load it is, who did it, and what is concluded.

use super::*;

/// What is concluded of a trace.
fn concluded(events: &[BlockEvent]) -> Vec<Observation> {
    analysed(events).observations
}

#[test]
fn one_stream_is_sequential() {
    let events = one_by_one(200, WRITE, 1024, 5000, |index| index * 1024);
    let report = analysed(&events);
    let disk = disk(&report);
    let sequence = disk.issued.sequence_of(IoClass::Write);
    assert_eq!(*sequence, SequenceCounts { count: 200, sequential: 199, in_streams: 199 });
    assert_eq!((sequence.share(), sequence.share_in_streams()), (Some(1.0), Some(1.0)));
    let sizes = disk.issued.sizes_of(IoClass::Write);
    assert_eq!((sizes.count, sizes.bytes), (200, 200 << 19));
    assert_eq!(sizes.commonest(), Some((SizeCount { bytes: 1 << 19, count: 200 }, 1.0)));
    assert_eq!((sizes.median_bytes, sizes.others), (Some(1 << 19), 0));
    assert_eq!((disk.issued.seeks_sectors.count, disk.issued.seeks_sectors.max), (199, Some(0)));
    let observations = &report.observations;
    let expected = [
        Observation::DeviceBound { device: DISK, device_share: 5000.0 / 5100.0, device_mean_ns: 5000.0 },
        Observation::OneAtATime { device: DISK, depth: 1.0, busy_share: 5000.0 / 5100.0 },
        Observation::MostlySequential {
            device: DISK,
            class: IoClass::Write,
            share: 1.0,
            share_in_streams: 1.0,
            median_bytes: 1 << 19,
        },
    ];
    assert_eq!(observations.as_slice(), expected);
}

#[test]
fn several_streams_are_sequential_in_streams_only() {
    // Four files, one after another in turn.
    let events = one_by_one(200, READ, 8, 5000, |index| (index % 4) * 1_000_000 + index / 4 * 8);
    let report = analysed(&events);
    let sequence = *disk(&report).issued.sequence_of(IoClass::Read);
    assert_eq!(sequence, SequenceCounts { count: 200, sequential: 0, in_streams: 196 });
    let small = Observation::SmallSequential { device: DISK, class: IoClass::Read, median_bytes: 4096 };
    assert!(report.observations.contains(&small));
}

#[test]
fn more_streams_than_are_followed_look_random() {
    let streams = STREAMS as u64 + 1;
    let place = |index| (index % streams) * 1_000_000 + index / streams * 8;
    let seen = concluded(&one_by_one(200, READ, 8, 5000, place));
    assert!(seen.iter().any(|seen| matches!(
        seen,
        Observation::MostlyRandom { class: IoClass::Read, share_in_streams, median_bytes: 4096, .. }
            if *share_in_streams == 0.0
    )));
}

#[test]
fn seeks_are_measured_as_btt_measures_them() {
    let report = analysed(&[
        event(0, Action::Issue, READ, 1000, 8),
        // Forward from the end: 100. Back to before the start: 508. An overlap: none.
        event(1, Action::Issue, READ, 1108, 8),
        event(2, Action::Issue, WRITE, 600, 8),
        event(3, Action::Issue, READ, 604, 8),
    ]);
    let seeks = &disk(&report).issued.seeks_sectors;
    assert_eq!((seeks.count, seeks.total, seeks.min, seeks.max), (3, 608, Some(0), Some(508)));
}

#[test]
fn a_host_that_holds_back_is_told_from_a_slow_device() {
    let mut events = Vec::new();
    for index in 0..100_u64 {
        let start = index * 1000;
        events.push(event(start, Action::Queue, READ, index * 5000, 8));
        events.push(event(start + 900, Action::Issue, READ, index * 5000, 8));
        events.push(event(start + 990, Action::Complete, READ, index * 5000, 8));
    }
    let seen = concluded(&events);
    assert!(seen.iter().any(|seen| matches!(
        seen,
        Observation::WaitsInHost { waiting_mean_ns, depth_max: 1, waiting_share, .. }
            if (*waiting_share - 900.0 / 990.0).abs() < 1e-9 && *waiting_mean_ns == 900.0
    )));
    assert!(!seen.iter().any(|seen| matches!(seen, Observation::DeviceBound { .. })));
}

fn is_unexplained(seen: &[Observation]) -> bool {
    seen.iter().any(|seen| matches!(seen, Observation::DepthUnexplained { .. }))
}

#[test]
fn a_trace_that_ends_in_the_middle_of_requests_is_no_contradiction() {
    // 32 at once, of which 101 end before the trace does: the other 31 are 13 % of the depth.
    let mut events = Vec::new();
    for index in 0..132 {
        events.push(event(index * 100, Action::Queue, READ, index * 5000, 8));
        events.push(event(index * 100, Action::Issue, READ, index * 5000, 8));
        if index <= 100 {
            events.push(event(index * 100 + 3200, Action::Complete, READ, index * 5000, 8));
        }
    }
    events.sort_by_key(|event| event.time_ns);
    let report = analysed(&events);
    let law = disk(&report).littles_law.unwrap();
    assert!(law.unexplained().unwrap() > 0.1, "{law:?}");
    assert!(!is_unexplained(&report.observations));
}

#[test]
fn a_request_without_an_end_contradicts_the_law() {
    let mut events = vec![event(0, Action::Issue, WRITE, 1 << 30, 8)];
    events.extend(one_by_one(200, READ, 8, 5000, |index| index * 5000));
    let report = analysed(&events);
    let unexplained = disk(&report).littles_law.unwrap().unexplained().unwrap();
    assert!((unexplained - 0.5).abs() < 0.01, "{unexplained}");
    assert!(is_unexplained(&report.observations));
}

#[test]
fn a_queue_that_is_full_again_and_again() {
    let mut events = one_by_one(100, WRITE, 8, 5000, |index| index * 8);
    let end = 100 * 5100;
    for index in 0..10 {
        events.push(event(end + index * 10, Action::Issue, WRITE, 5000, 8));
        events.push(event(end + index * 10 + 5, Action::Requeue, WRITE, 5000, 8));
    }
    let seen = concluded(&events);
    let expected = Observation::Requeues { device: DISK, count: 10, share: 10.0 / 110.0 };
    assert!(seen.contains(&expected), "{seen:?}");
}

#[test]
fn a_storm_of_flushes() {
    const MS: u64 = 1_000_000;
    let flush = operation(IoDirection::Flush, "P");
    let events: Vec<BlockEvent> = (0..30)
        .flat_map(|index| {
            let start = index * 10 * MS;
            [event(start, Action::Issue, flush, 0, 0), event(start + 6 * MS, Action::Complete, flush, 0, 0)]
        })
        .collect();
    let report = analysed(&events);
    assert_eq!(disk(&report).flushes.busy_ns, 180 * MS);
    let storm = FlushStorm { began_ns: 0, ended_ns: 290 * MS, flushes: 30 };
    let expected = Observation::FlushStorm {
        device: DISK,
        storms: 1,
        flushes: 30,
        largest: storm,
        busy_share: 180.0 / 296.0,
    };
    assert!(report.observations.contains(&expected), "{:?}", report.observations);
}

#[test]
fn who_queued_is_not_who_wrote() {
    let mut records = Vec::new();
    for index in 0..300_u64 {
        records.push(TraceRecord::Dirtied {
            time_ns: index,
            thread: 7,
            task: name("dd"),
            device: Some(DISK),
            inode: 12,
            bytes: 4096,
        });
    }
    records.push(TraceRecord::Dirtied {
        time_ns: 400,
        thread: 8,
        task: name("syslogd"),
        device: None,
        inode: 13,
        bytes: 4096,
    });
    let mut writeback = event(500, Action::Queue, WRITE, 0, 4096);
    (writeback.thread, writeback.task) = (33, name("kworker/u8:2"));
    let mut journal = event(510, Action::Queue, operation(IoDirection::Write, "S"), 8192, 8);
    (journal.thread, journal.task) = (44, name("jbd2/vda1-8"));
    let mut direct = event(520, Action::Queue, operation(IoDirection::Write, "S"), 9000, 8);
    direct.thread = 7;
    let other = event(530, Action::Queue, WRITE, 10_000, 8);
    records.extend([writeback, journal, direct, other].map(TraceRecord::Block));
    let report = analysed_records(&records);
    let writers = disk(&report).writers;
    assert_eq!(writers.of(WriterKind::Writeback), CountedBytes { count: 1, bytes: 1 << 21 });
    for kind in [WriterKind::Journal, WriterKind::Waiting, WriterKind::Other] {
        assert_eq!(writers.of(kind), CountedBytes { count: 1, bytes: 4096 }, "{kind:?}");
    }
    let threads: Vec<u32> = report.threads.threads.iter().map(|(thread, _)| *thread).collect();
    assert_eq!(threads, [33, 7, 44]);
    let dirtied = &report.dirtied;
    assert_eq!(dirtied.pages, CountedBytes { count: 301, bytes: 301 * 4096 });
    assert_eq!(
        dirtied.threads[0].1,
        DirtiedPages { task: name("dd"), pages: CountedBytes { count: 300, bytes: 300 * 4096 } }
    );
    assert_eq!(dirtied.files[0].0, InodeOfDevice { device: Some(DISK), inode: 12 });
    let seen = &report.observations;
    assert!(seen.iter().any(|seen| matches!(seen, Observation::MostlyWriteback { bytes: 2_097_152, .. })));
    let writer =
        Observation::MainWriter { thread: 7, task: name("dd"), share: 300.0 / 301.0, bytes: 300 * 4096 };
    assert!(seen.contains(&writer));
}

#[test]
fn counts_are_those_of_blkparse_on_each_cpu() {
    let discard = operation(IoDirection::Discard, "S");
    let on = |cpu, mut event: BlockEvent| {
        event.cpu = cpu;
        event
    };
    let mut passthrough = on(1, event(7, Action::Issue, BlockOperation::default(), 0, 0));
    passthrough.bytes = 36;
    let report = analysed(&[
        on(0, event(0, Action::Queue, READ, 0, 1)),
        on(0, event(1, Action::Queue, READ, 1, 1)),
        on(2, event(2, Action::Queue, discard, 0, 2048)),
        on(2, event(3, Action::Issue, discard, 0, 2048)),
        on(2, event(4, Action::Complete, discard, 0, 2048)),
        on(2, event(5, Action::BackMerge, READ, 1, 1)),
        passthrough,
        on(0, event(8, Action::Unplug { requests: 3 }, BlockOperation::default(), 0, 0)),
    ]);
    let disk = disk(&report);
    let cpus: Vec<Option<u32>> = disk.by_cpu.iter().map(|one| one.cpu).collect();
    assert_eq!(cpus, [Some(0), Some(1), Some(2)]);
    // Two halves of a KiB are one, in all.
    assert_eq!(disk.by_cpu[0].counts.queued.reads, CountedBytes { count: 2, bytes: 1024 });
    assert_eq!(disk.counts.queued.reads.kib(), 1);
    assert_eq!(disk.counts.queued.writes, CountedBytes { count: 1, bytes: 1 << 20 });
    assert_eq!((disk.counts.passthrough, disk.counts.events), (1, 8));
    assert_eq!(disk.by_cpu[1].counts.passthrough, 1);
    assert_eq!(disk.by_cpu[2].counts.merged().reads.count, 1);
    assert_eq!(disk.rates.points[0].completed[2], CountedBytes { count: 1, bytes: 1 << 20 });
    let plugs = PlugCounts { plugs: 0, unplugs: 1, unplugged_requests: 3 };
    assert_eq!((report.plugs, report.span.block_events), (plugs, 8));
    assert_eq!(disk.issued.mix.passthrough, 1);
}
