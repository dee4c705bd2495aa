//! Records that proptest makes up.

use proptest::prelude::*;
use trace::event::{Action, BlockEvent, BlockOperation, Device, Flags, IoDirection, TaskName, TraceRecord};

pub(crate) const DIRECTIONS: [IoDirection; 8] = [
    IoDirection::None,
    IoDirection::Read,
    IoDirection::Write,
    IoDirection::Discard,
    IoDirection::SecureErase,
    IoDirection::Flush,
    IoDirection::WriteZeroes,
    IoDirection::Zone,
];

const CALLS: [&str; 6] = ["fsync", "fdatasync", "sync", "syncfs", "sync_file_range", "msync"];

fn device() -> impl Strategy<Value = Device> {
    let few = (8_u32..10, 0_u32..2);
    let any = (0_u32..1 << 12, 0_u32..1 << 20);
    prop_oneof![few, any].prop_map(|(major, minor)| Device { major, minor })
}

fn task() -> impl Strategy<Value = TaskName> {
    prop_oneof![Just([0; 16]), Just(*b"dd\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), any::<[u8; 16]>()].prop_map(TaskName)
}

fn operation() -> impl Strategy<Value = BlockOperation> {
    (0..DIRECTIONS.len(), any::<[bool; 6]>()).prop_map(|(direction, bits)| {
        let [preflush, fua, ahead, sync, meta, atomic] = bits;
        let flags = Flags { preflush, fua, ahead, sync, meta, atomic };
        BlockOperation { direction: DIRECTIONS[direction], flags }
    })
}

fn action() -> impl Strategy<Value = Action> {
    let plain = [
        Action::Queue,
        Action::GetRequest,
        Action::BackMerge,
        Action::FrontMerge,
        Action::RequestMerge,
        Action::Insert,
        Action::Issue,
        Action::Complete,
        Action::Requeue,
        Action::Plug,
    ];
    prop_oneof![
        4 => (0..plain.len()).prop_map(move |index| plain[index]),
        1 => (device(), any::<u64>()).prop_map(|(from, from_sector)| Action::Remap { from, from_sector }),
        1 => any::<u64>().prop_map(|new_sector| Action::Split { new_sector }),
        1 => any::<u32>().prop_map(|requests| Action::Unplug { requests }),
    ]
}

/// A number, more often a small one.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![0_u64..10_000, (0_u64..10_000).prop_map(|sectors| sectors * 512), any::<u64>()]
}

/// An event on one of so many CPUs.
pub(crate) fn event(cpus: u32) -> impl Strategy<Value = BlockEvent> {
    let place = (number(), 0..cpus, action(), proptest::option::of(device()), number(), number());
    let who = (operation(), prop_oneof![0_u32..3, any::<u32>()], task(), prop_oneof![Just(0), any::<u32>()]);
    (place, who).prop_map(|(place, who)| {
        let (time_ns, cpu, action, device, sector, bytes) = place;
        let (operation, thread, task, error) = who;
        BlockEvent { time_ns, cpu, action, device, sector, bytes, operation, thread, task, error }
    })
}

/// Any record.
pub(crate) fn record() -> impl Strategy<Value = TraceRecord> {
    let lost = (number(), any::<u32>(), proptest::option::of(any::<u64>()));
    let dirtied = (number(), any::<u32>(), task(), proptest::option::of(device()), number(), number());
    let synced = (number(), number(), any::<u32>(), task(), 0..CALLS.len(), any::<i64>());
    prop_oneof![
        1 => event(1 << 16).prop_map(TraceRecord::Block),
        12 => event(4).prop_map(TraceRecord::Block),
        1 => lost.prop_map(|(time_ns, cpu, events)| TraceRecord::Lost { time_ns, cpu, events }),
        1 => dirtied.prop_map(|(time_ns, thread, task, device, inode, bytes)| {
            TraceRecord::Dirtied { time_ns, thread, task, device, inode, bytes }
        }),
        1 => synced.prop_map(|(began_ns, ended_ns, thread, task, call, result)| {
            TraceRecord::Synced { began_ns, ended_ns, thread, task, call: CALLS[call], result }
        }),
    ]
}
