//! Nothing makes it panic, counts add up, and what it keeps is bounded.

use proptest::prelude::*;

use super::*;
use crate::analysis::flight::{BIOS_MAX, REQUESTS_MAX};
use crate::analysis::processes::{FILES_MAX, THREADS_MAX};

const DIRECTIONS: [IoDirection; 8] = [
    IoDirection::None,
    IoDirection::Read,
    IoDirection::Write,
    IoDirection::Discard,
    IoDirection::SecureErase,
    IoDirection::Flush,
    IoDirection::WriteZeroes,
    IoDirection::Zone,
];

fn any_action() -> impl Strategy<Value = Action> {
    let device = Device { major: 8, minor: 1 };
    prop_oneof![
        4 => Just(Action::Queue),
        2 => Just(Action::GetRequest),
        1 => Just(Action::BackMerge),
        1 => Just(Action::FrontMerge),
        1 => Just(Action::RequestMerge),
        2 => Just(Action::Insert),
        4 => Just(Action::Issue),
        4 => Just(Action::Complete),
        1 => Just(Action::Requeue),
        1 => any::<u64>().prop_map(move |from_sector| Action::Remap { from: device, from_sector }),
        1 => (0..64_u64).prop_map(|sector| Action::Split { new_sector: sector }),
        1 => Just(Action::Plug),
        1 => any::<u32>().prop_map(|requests| Action::Unplug { requests }),
    ]
}

/// Mostly near one another, so that they meet; now and then anywhere.
fn any_number(near: u64) -> impl Strategy<Value = u64> {
    prop_oneof![8 => 0..near, 1 => any::<u64>()]
}

fn any_event() -> impl Strategy<Value = BlockEvent> {
    let whatever = (any_number(1 << 30), 0..4_u32, any_action(), 0..3_u32, any_number(64));
    let rest = (any_number(32), 0..8_usize, any::<[bool; 6]>(), 0..5_u32);
    (whatever, rest).prop_map(|((time_ns, cpu, action, minor, sector), (size, direction, flags, thread))| {
        let [preflush, fua, ahead, sync, meta, atomic] = flags;
        BlockEvent {
            time_ns,
            cpu,
            action,
            device: (minor > 0).then_some(Device { major: 8, minor }),
            sector,
            bytes: size.saturating_mul(SECTOR_BYTES),
            operation: BlockOperation {
                direction: DIRECTIONS[direction],
                flags: Flags { preflush, fua, ahead, sync, meta, atomic },
            },
            thread,
            task: name("any"),
            error: [0, 1, EAGAIN][thread as usize % 3],
        }
    })
}

fn any_record() -> impl Strategy<Value = TraceRecord> {
    prop_oneof![
        20 => any_event().prop_map(TraceRecord::Block),
        1 => (any::<u64>(), 0..2000_u32, any::<Option<u64>>())
            .prop_map(|(time_ns, cpu, events)| TraceRecord::Lost { time_ns: time_ns >> 34, cpu, events }),
        1 => (any_number(1 << 30), any::<u64>(), any::<u64>()).prop_map(|(time_ns, inode, bytes)| {
            TraceRecord::Dirtied { time_ns, thread: 1, task: name("any"), device: None, inode, bytes }
        }),
        1 => (any_number(1 << 30), any_number(1 << 30)).prop_map(|(began_ns, ended_ns)| TraceRecord::Synced {
            began_ns,
            ended_ns,
            thread: 2,
            task: name("any"),
            call: "fsync",
            result: 0,
        }),
    ]
}

fn of_device(records: &[TraceRecord], device: Device, action: Action) -> u64 {
    let is_it = |record: &&TraceRecord| {
        matches!(record, TraceRecord::Block(event) if event.device == Some(device)
            && event.action == action && event.operation.direction != IoDirection::None)
    };
    records.iter().filter(is_it).count() as u64
}

proptest! {
    #[test]
    fn any_order_of_events_is_counted(records in prop::collection::vec(any_record(), 0..400)) {
        let report = analysed_records(&records);
        prop_assert_eq!(report.span.records, records.len() as u64);
        for disk in &report.devices {
            let counts = &disk.counts;
            for (counted, action) in [
                (counts.queued, Action::Queue),
                (counts.issued, Action::Issue),
                (counts.completed, Action::Complete),
                (counts.requeued, Action::Requeue),
                (counts.merged_back, Action::BackMerge),
            ] {
                let both = counted.reads.count + counted.writes.count;
                prop_assert_eq!(both, of_device(&records, disk.device, action));
            }
            let by_cpu: u64 = disk.by_cpu.iter().map(|one| one.counts.events).sum();
            prop_assert_eq!(by_cpu, counts.events);
            // A part of a bio is completed once, or never.
            let done = disk.phase_mean(IoPhase::QueueToComplete).map_or(0, |(_, count)| count);
            prop_assert!(done <= counts.queued.reads.count + counts.queued.writes.count + counts.split);
            let drawn: u64 =
                disk.whole_latencies.cells.iter().map(|c| u64::from(c.reads) + u64::from(c.writes)).sum();
            prop_assert_eq!(drawn, done);
            prop_assert!(disk.depth.mean <= disk.depth.max as f64 + 1e-9);
            prop_assert!(disk.time_shares.device().is_none_or(|share| (0.0..=1.0).contains(&share)));
            for sequence in disk.issued.sequence {
                prop_assert!(sequence.sequential <= sequence.in_streams);
                prop_assert!(sequence.in_streams <= sequence.count);
            }
        }
    }
}

#[test]
fn what_is_kept_does_not_grow_with_the_trace() {
    let mut analysis = Analysis::new(AnalysisOptions::default());
    let mut time_ns = 0;
    for index in 0..200_000_u64 {
        time_ns += 1 << 22;
        // Half is never issued and half of the rest never completed, on ever new sectors, by
        // ever new threads on ever new files.
        let mut queue = event(time_ns, Action::Queue, WRITE, index * 8, 8);
        queue.thread = index as u32;
        analysis.take(&TraceRecord::Block(queue));
        if index % 2 == 0 {
            analysis.take(&TraceRecord::Block(event(time_ns, Action::Issue, WRITE, index * 8, 8)));
        }
        if index % 4 == 0 {
            analysis.take(&TraceRecord::Block(event(time_ns, Action::Complete, WRITE, index * 8, 8)));
        }
        if index % 10 == 0 {
            let (thread, task, inode) = (index as u32, name("writer"), index);
            let device = Some(DISK);
            analysis.take(&TraceRecord::Dirtied { time_ns, thread, task, device, inode, bytes: 4096 });
        }
        if index % 10_000 == 0 {
            let mut far = event(time_ns, Action::Queue, WRITE, 0, 8);
            far.device = Some(Device { major: 9, minor: index as u32 });
            analysis.take(&TraceRecord::Block(far));
        }
    }
    let Trace { counted, matched } = analysis.trace.as_ref().unwrap();
    let (traffic, states) = (counted.devices.kept(), matched.devices.kept());
    assert_eq!((traffic.len(), states.len()), (DEVICES_MAX, DEVICES_MAX));
    let state = states[0];
    assert!(state.bios.len() <= BIOS_MAX && state.bios.len() > BIOS_MAX / 4);
    assert!(state.requests.len() <= REQUESTS_MAX && state.requests.len() > REQUESTS_MAX / 4);
    assert!(traffic[0].offsets.allocated_cells() <= GRID_COLUMNS * GRID_ROWS);
    assert!(matched.shared.threads.len() <= THREADS_MAX);
    assert!(counted.dirtied.files() <= FILES_MAX);
    assert!(matched.shared.recent.len() <= RECENT_MAX);
    let report = analysis.finish();
    let disk = disk(&report);
    assert!(disk.depth.points.len() <= DEPTH_POINTS_MAX);
    assert!(disk.rates.points.len() <= RATE_POINTS_MAX);
    assert!(report.threads.threads.iter().all(|(_, io)| io.series_bytes.len() <= THREAD_POINTS_MAX));
    // 20 others, of which 15 found room.
    assert_eq!(report.events_of_others, 5);
    // Nothing is forgotten: what was given up is counted.
    let unmatched = disk.unmatched;
    let open = unmatched.unfinished_bios + unmatched.unfinished_requests + unmatched.given_up;
    let done = disk.phase_mean(IoPhase::QueueToComplete).unwrap().1;
    assert_eq!(done, 50_000);
    assert_eq!(open, (200_000 - done) + (100_000 - 50_000));
    let named: u64 = report.threads.threads.iter().map(|(_, io)| io.bytes()).sum();
    let all = named + report.threads.rest.as_ref().unwrap().bytes();
    assert_eq!(all, (200_000 + 15) * 4096);
}
