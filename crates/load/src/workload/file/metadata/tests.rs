//! What the phases do to files, and what of memory and room a load is allowed.

use engine::queue::Wait;
use model::ParameterName;

use super::*;
use crate::fixture::FixtureStore;
use crate::workload::{FIXTURES, Load, MemoryBeneath};

fn walk(folder: &Path, files: u32, sync: bool) -> Walk {
    let folders = vec![folder.join("a"), folder.join("b")];
    folders.iter().for_each(|f| fs::create_dir(f).unwrap());
    let handles = if sync { folders.iter().map(|f| File::open(f).unwrap()).collect() } else { Vec::new() };
    let mut order: Vec<u32> = (0..files).collect();
    shuffle(&mut order, 5);
    Walk { folders, handles, order, size: 10, chunk: vec![1; 4].into(), done: 0, finished: None }
}

#[test]
fn every_phase_does_what_it_says_to_every_file() {
    for sync in [false, true] {
        let folder = tempfile::tempdir_in(".").unwrap();
        let mut walk = walk(folder.path(), 7, sync);
        let names = || -> Vec<String> {
            let inside = ["a", "b"].iter().flat_map(|d| folder.path().join(d).read_dir().unwrap());
            let mut all: Vec<String> =
                inside.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
            all.sort();
            all
        };
        let mut done = Vec::new();
        let mut run = |walk: &mut Walk, range: std::ops::Range<u64>| {
            for sequence in range {
                walk.start(0, Operation { index: sequence, sequence }).unwrap();
                walk.reap(Wait::One, &mut done).unwrap();
            }
        };
        run(&mut walk, 0..7);
        assert_eq!(names(), ["f0", "f1", "f2", "f3", "f4", "f5", "f6"]);
        assert_eq!(fs::metadata(folder.path().join("b/f1")).unwrap().len(), 10);
        run(&mut walk, 7..28);
        assert_eq!(names(), ["r0", "r1", "r2", "r3", "r4", "r5", "r6"]);
        run(&mut walk, 28..37);
        assert_eq!(names(), [] as [String; 0]);
        assert_eq!(Queue::operations_to_end(&walk), Some(37));
        let count = |phase: Phase| done.iter().filter(|c| c.class == phase as u8).count();
        assert_eq!(PHASES.map(count), [7, 7, 7, 7, 2, 7]);
    }
}

#[test]
fn a_tree_that_is_too_large_or_has_no_room_is_refused() {
    assert!(folders(10, 6, 1).is_err());
    assert!(folders(u64::MAX, 9, 1).is_err());
    assert_eq!(folders(10, 0, 4).unwrap(), 4);
    let here = Path::new(".");
    let host = HostInfo { memory_available: 1 << 30, ..HostInfo::default() };
    assert_eq!(check_room(here, ".", 10, 1 << 20, &host), Ok(false));
    assert!(check_room(here, ".", 10, 1 << 62, &host).unwrap_err().message.contains("free"));
}

#[test]
fn regression_files_in_memory_were_not_held_to_the_memory_that_is_free() {
    let beneath = MemoryBeneath(|_| Some("tmpfs at /mnt".to_owned()));
    let host = HostInfo { memory_available: 256 << 20, beneath, ..HostInfo::default() };
    let refused = check_room(Path::new("."), ".", 10, 250 << 20, &host).unwrap_err();
    assert!(refused.message.contains("memory in the end (tmpfs at /mnt)"), "{refused:?}");
    assert_eq!(check_room(Path::new("."), ".", 10, 100 << 20, &host), Ok(true));
}

/// The defaults, in `folder`, with `changes`.
fn parameters(folder: &Path, changes: &[(&str, u64)]) -> Parameters {
    let mut parameters = Parameters::default();
    parameters.set(named("target"), folder.to_string_lossy().as_ref());
    changes.iter().for_each(|(name, value)| parameters.set(ParameterName::intern(name).unwrap(), *value));
    parameters
}

#[test]
fn regression_a_file_of_30_gib_was_held_in_memory_by_every_thread() {
    let folder = tempfile::tempdir_in(".").unwrap();
    // More than any machine that runs tests has.
    let changes = [("file-size", 1 << 50), ("files", 2), ("threads", 2), ("depth", 0)];
    let load = Load::new(&Metadata, parameters(folder.path(), &changes), 1).unwrap();
    let mut fixtures = FixtureStore::new(FIXTURES);
    let key = FixtureKey::new(TREES.name, &load.targets()[0], 0, Ownership::Created);
    let key = FixtureKey { used_up: true, ..key };
    fixtures.make(&key, &HostInfo::default(), &mut |_| true).unwrap();
    let context = LoadContext { fixtures: &fixtures, endpoint: None, watch: crate::workload::Watch::NONE };
    let prepared = load.prepare(&context).unwrap();
    let workers = [0, 1].map(|index| prepared.worker(WorkerIndex { index, of: 2 }, 1).unwrap());
    drop((workers, prepared, fixtures));
    assert_eq!(folder.path().read_dir().unwrap().count(), 0, "no tree is left");
}

#[test]
fn what_a_load_of_names_keeps_in_memory_is_counted() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let survey = |changes: &[(&str, u64)]| {
        let host = HostInfo { cpus: 2, memory_available: 1 << 40, ..HostInfo::default() };
        crate::workload::survey(&Metadata, parameters(folder.path(), changes), &host)
    };
    let needs = survey(&[("file-size", 100), ("files", 1000), ("threads", 2), ("depth", 0)]).unwrap();
    assert_eq!(needs.memory_bytes, 3 * 100 + 1000 * 4 + 2 * FOLDER_BYTES);
    let many = survey(&[("files", 1 << 32), ("threads", 1)]).unwrap_err();
    assert!(many.message.contains("too many"), "{many:?}");
}
