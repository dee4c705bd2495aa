//! Tests of where operations go.

use model::ParameterName;

use super::*;

use crate::workload::named;

fn access(pattern: &str, span: u64, changes: &[(&str, model::Value)]) -> Access {
    let mut p = model::Parameters::default();
    p.set(named("pattern"), pattern);
    p.set(named("read-share"), 0.5);
    p.set(named("distribution"), "uniform");
    p.set(named("block-size"), 4096u64);
    p.set(named("offset"), 0u64);
    p.set(named("span"), span);
    p.set(named("size"), span);
    p.set(named("until"), "end");
    p.set(named("target"), ".");
    for (name, value) in changes {
        p.set(ParameterName::intern(name).unwrap(), value.clone());
    }
    Access::of(&crate::workload::disk::plan_with(p).unwrap()).unwrap()
}

fn tasks(access: &Access, workers: usize, each: u64) -> Vec<Task> {
    let mut all = Vec::new();
    for index in 0..workers {
        let mut own = access.clone().for_seat(WorkerIndex { index, of: workers }, 42);
        for sequence in 0..each {
            all.push(own.task(Operation { index: index as u64 + sequence * workers as u64, sequence }));
        }
    }
    all
}

fn offsets(access: &Access, workers: usize, each: u64) -> Vec<u64> {
    tasks(access, workers, each).iter().map(|t| t.offset).collect()
}

#[test]
fn random_places_are_uniform_and_do_not_depend_on_the_number_of_workers() {
    let one = access("randread", 1000 * 4096, &[("until", "time".into())]);
    let mut alone = offsets(&one, 1, 100_000);
    let mut shared = offsets(&one, 4, 25_000);
    alone.sort_unstable();
    shared.sort_unstable();
    assert_eq!(alone, shared);
    let mut counts = vec![0u32; 1000];
    alone.iter().for_each(|o| counts[(o / 4096) as usize] += 1);
    // Chi-square with 999 degrees of freedom: below 1143 at 99.9 %.
    let chi: f64 = counts.iter().map(|c| (f64::from(*c) - 100.0).powi(2) / 100.0).sum();
    assert!(chi < 1143.0, "{chi}");
}

#[test]
fn sequential_workers_have_regions_of_their_own_that_cover_the_span() {
    let mut all = offsets(&access("read", 10 * 4096, &[]), 3, 3);
    assert_eq!(all[..3], [0, 4096, 8192]);
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 9);
}

#[test]
fn an_offset_and_a_span_bound_what_is_touched() {
    for pattern in ["read", "randread"] {
        let some = access(pattern, 8 * 4096, &[("offset", (1u64 << 20).into()), ("until", "time".into())]);
        for task in tasks(&some, 2, 100) {
            assert!((1 << 20..(1 << 20) + 8 * 4096).contains(&task.offset), "{pattern}: {task:?}");
        }
    }
}

#[test]
fn a_mix_reads_its_share_and_has_its_sizes() {
    let sizes = model::Value::List(vec!["4KiB:70%".into(), "64KiB:30%".into()]);
    let mixed = access(
        "randrw",
        1 << 30,
        &[("read-share", 0.6.into()), ("block-size", sizes), ("until", "time".into())],
    );
    let all = tasks(&mixed, 1, 100_000);
    let share = |f: &dyn Fn(&Task) -> bool| all.iter().filter(|t| f(t)).count() as f64 / 1e5;
    // Four standard deviations of a share of 100,000.
    assert!((share(&|t| t.kind == Kind::Read) - 0.6).abs() < 0.0062);
    assert!((share(&|t| t.bytes == 4096) - 0.7).abs() < 0.0058);
    let small_reads = share(&|t| t.bytes == 4096 && t.kind == Kind::Read);
    assert!((small_reads - 0.42).abs() < 0.0063, "{small_reads}");
    assert!(all.iter().all(|t| t.offset.is_multiple_of(t.bytes) && t.offset + t.bytes <= 1 << 30));
}

#[test]
fn a_sync_follows_every_so_many_operations_and_takes_no_place() {
    let synced = access("write", 6 * 4096, &[("sync", "fsync".into()), ("sync-every", 2u64.into())]);
    assert_eq!(synced.clone().for_seat(WorkerIndex { index: 0, of: 1 }, 1).operations_to_end(), Some(9));
    let all = tasks(&synced, 1, 9);
    let syncs: Vec<bool> = all.iter().map(|t| t.kind == Kind::Sync).collect();
    assert_eq!(syncs, [false, false, true, false, false, true, false, false, true]);
    let places: Vec<u64> = all.iter().filter(|t| t.bytes > 0).map(|t| t.offset / 4096).collect();
    assert_eq!(places, [0, 1, 2, 3, 4, 5]);
}

#[test]
fn places_run_through_all_files() {
    let mut p = access("read", 8 * 4096, &[]);
    p.file_bytes = 2 * 4096;
    let all = tasks(&p, 1, 8);
    let files: Vec<usize> = all.iter().map(|t| t.file).collect();
    assert_eq!(files, [0, 0, 1, 1, 2, 2, 3, 3]);
    assert!(all.iter().all(|t| t.offset <= 4096));
}

#[test]
fn blocks_that_do_not_fit_into_a_file_go_into_the_next() {
    let sizes = model::Value::List(vec!["4KiB:70%".into(), "64KiB:30%".into()]);
    for (pattern, offset) in [("read", 0), ("read", 4096u64), ("randread", 4096)] {
        let changes = [("block-size", sizes.clone()), ("offset", offset.into()), ("until", "time".into())];
        let mut p = access(pattern, (1 << 20) - offset, &changes);
        p.file_bytes = 128 << 10;
        let all = tasks(&p, 2, 2000);
        assert!(all.iter().all(|t| t.offset + t.bytes <= 128 << 10 && t.file < 8), "{pattern}");
        assert!(all.iter().all(|t| t.offset.is_multiple_of(4096)), "{pattern}");
        let files: std::collections::BTreeSet<usize> = all.iter().map(|t| t.file).collect();
        assert_eq!(files.len(), 8, "{pattern}");
    }
}

/// How often each of the first `blocks` blocks is visited.
fn visits(all: &[Task], blocks: usize) -> Vec<u64> {
    let mut counts = vec![0; blocks];
    all.iter().filter(|t| t.bytes > 0).for_each(|t| counts[(t.offset / t.bytes) as usize] += 1);
    counts
}

#[test]
fn once_visits_every_block_once_over_all_workers() {
    let once = |changes: &[(&str, model::Value)]| {
        access("randread", 1003 * 4096, &[&[("distribution", "once".into())], changes].concat())
    };
    // To the end: each worker has its own number of operations.
    for (workers, targets) in [(1, 1), (4, 1), (4, 3)] {
        let target: Vec<model::Value> = (0..targets).map(|t| format!("/t{t}").into()).collect();
        let to_end = once(&[("target", model::Value::List(target))]);
        let mut all = Vec::new();
        for index in 0..workers {
            let mut own = to_end.clone().for_seat(WorkerIndex { index, of: workers }, 42);
            for sequence in 0..own.operations_to_end().unwrap() {
                // The numbers of the first of several targets' workers.
                let index = (index as u64 + sequence * workers as u64) * targets as u64;
                all.push(own.task(Operation { index, sequence }));
            }
        }
        assert_eq!(visits(&all, 1003), [1; 1003], "{workers} workers, {targets} targets");
    }
    // By count: workers take the numbers as fast as they go.
    let counted = once(&[("until", "time".into())]);
    let mut own: Vec<_> =
        (0..3).map(|index| counted.clone().for_seat(WorkerIndex { index, of: 3 }, 1)).collect();
    let all: Vec<Task> = (0..2006)
        .map(|index| own[(random(9, index) % 3) as usize].task(Operation { index, sequence: 0 }))
        .collect();
    assert_eq!(visits(&all[..1003], 1003), [1; 1003]);
    assert_eq!(visits(&all, 1003), [2; 1003]);
    assert_ne!(all[..1003], all[1003..]);
}

#[test]
fn once_leaves_no_block_out_for_a_sync_or_another_size() {
    let synced = [("sync", "fsync".into()), ("sync-every", 3u64.into()), ("distribution", "once".into())];
    let synced = access("randwrite", 100 * 4096, &synced);
    let mut all = Vec::new();
    for index in 0..2 {
        let mut own = synced.clone().for_seat(WorkerIndex { index, of: 2 }, 42);
        // A warm-up takes nothing away.
        for sequence in 0..8 {
            own.task(Operation { index: sequence | REHEARSED, sequence });
        }
        for sequence in 0..own.operations_to_end().unwrap() {
            all.push(own.task(Operation { index: index as u64 + 2 * sequence, sequence }));
        }
    }
    assert_eq!(visits(&all, 100), [1; 100]);

    let sizes = model::Value::List(vec!["4KiB:70%".into(), "64KiB:30%".into()]);
    let mixed = access(
        "randread",
        1 << 20,
        &[("block-size", sizes), ("distribution", "once".into()), ("until", "time".into())],
    );
    let all = tasks(&mixed, 2, 600);
    for bytes in [4096, 65536] {
        let own: Vec<Task> = all.iter().filter(|t| t.bytes == bytes).copied().collect();
        let counts = visits(&own, (1 << 20) / bytes as usize);
        let (least, most) = (counts.iter().min(), counts.iter().max());
        assert!(most.unwrap() - least.unwrap() <= 2, "{bytes}: {counts:?}");
    }
}

#[test]
fn those_that_fill_a_target_write_one_stream_together() {
    let fills = access("write", 11 * 4096 + 100, &[("until", "full".into())]);
    let ends: Vec<Option<u64>> = (0..3)
        .map(|index| fills.clone().for_seat(WorkerIndex { index, of: 3 }, 1).operations_to_end())
        .collect();
    assert_eq!(ends, [Some(4), Some(4), Some(3)]);
    let mut all: Vec<u64> = offsets(&fills, 3, 4).iter().map(|o| o / 4096).collect();
    assert_eq!(all[..4], [0, 3, 6, 9], "each in turns");
    all.sort_unstable();
    assert_eq!(all, (0..12).collect::<Vec<_>>());
}

#[test]
fn places_are_visited_one_after_the_other_with_so_much_at_each() {
    const MIB: u64 = 1 << 20;
    let changes = [("places", 4u64.into()), ("block-size", MIB.into()), ("offset", (2 * MIB).into())];
    let access = access("read", 4096 * MIB, &changes);
    let all = offsets(&access, 1, 4 * 64);
    assert_eq!((all[0], all[63], all[64]), (2 * MIB, 65 * MIB, 1026 * MIB));
    assert_eq!((all[128], all[255]), (2050 * MIB, 3137 * MIB));
    assert_eq!(access.clone().for_seat(WorkerIndex { index: 0, of: 1 }, 42).operations_to_end(), Some(256));
    assert_eq!(access.range(), (2 * MIB, 4098 * MIB));
}

#[test]
fn places_that_lie_side_by_side_are_the_whole_span() {
    let access = access("read", 12 * 4096, &[("places", 3u64.into())]);
    assert_eq!(offsets(&access, 1, 12), (0..12).map(|block| block * 4096).collect::<Vec<_>>());
}
