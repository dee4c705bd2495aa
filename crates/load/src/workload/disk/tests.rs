//! Tests of the disk workload against real files.

use std::os::unix::fs::MetadataExt;

use model::plan::{FixtureKey, Ownership, ProblemKind};

use super::*;
use crate::fixture::FixtureStore;
use crate::workload::FIXTURES;
use crate::workload::disk::content::Content;

fn parameters(target: &std::path::Path, pattern: &str) -> Parameters {
    let mut p = Parameters::default();
    p.set(named("target"), target.to_string_lossy().as_ref());
    p.set(named("pattern"), pattern);
    p.set(named("block-size"), 4096u64);
    p.set(named("queue-depth"), 1u64);
    p.set(named("threads"), 1u64);
    p.set(named("engine"), "sync");
    p.set(named("direct"), true);
    p.set(named("size"), "auto");
    p.set(named("span"), "all");
    p.set(named("until"), "time");
    p
}

const DIRECT: OpenMode = OpenMode { direct: true, write: false, dsync: false };

fn host() -> HostInfo {
    HostInfo { cpus: 2, memory_available: 1 << 30, ..HostInfo::default() }
}

/// A file of ours in `folder`.
fn ours(folder: &std::path::Path, bytes: u64) -> FixtureKey {
    let key = FixtureKey::new(files::FILE, folder.to_string_lossy(), bytes, Ownership::Created);
    files::Details { files: 1, content: Content::Random, purge: false, kept: false }.put(key)
}

#[test]
fn a_folder_gets_a_file_of_ours_without_a_name_that_really_has_blocks() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let mut store = FixtureStore::new(FIXTURES);
    let key = ours(folder.path(), 9 << 20);
    let mut seen = 0;
    let made = store.make(&key, &host(), &mut |done| {
        seen = done;
        true
    });
    made.unwrap();
    let fixture = store.find::<Files>(&key).unwrap();
    assert_eq!(seen, 9 << 20);
    assert_eq!(folder.path().read_dir().unwrap().count(), 0, "the file has a name");
    let metadata = fixture.open(DIRECT).unwrap()[0].metadata().unwrap();
    assert_eq!(metadata.len(), 9 << 20);
    assert!(metadata.blocks() * 512 >= 9 << 20, "the file has holes");
    assert!(
        fixture.facts().contains(&(model::fact::ALLOCATED_SHARE, Value::Number(1.0))),
        "{:?}",
        fixture.facts()
    );
}

#[test]
fn making_a_file_stops_when_told_to() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let mut store = FixtureStore::new(FIXTURES);
    let made = store.make(&ours(folder.path(), 64 << 20), &host(), &mut |done| done < 8 << 20);
    assert!(matches!(made, Err(Fault::Cancelled)), "{made:?}");
}

#[test]
fn a_file_is_kept_of_loads_that_only_read_a_folder() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let survey = |target: &std::path::Path, pattern: &str| {
        let mut given = parameters(target, pattern);
        given.set(named("keep-data"), true);
        crate::workload::survey(&Disk, given, &host())
    };
    let needs = survey(folder.path(), "randread").unwrap();
    assert!(needs.fixtures[0].about.contains("that an earlier run kept"), "{}", needs.fixtures[0].about);
    let file = folder.path().join("data");
    std::fs::write(&file, vec![7u8; 1 << 20]).unwrap();
    for (target, pattern, why) in [
        (folder.path(), "write", "changes the file"),
        (file.as_path(), "read", "is no folder"),
        (folder.path().join("new").as_path(), "read", "is no folder"),
    ] {
        let problem = survey(target, pattern).unwrap_err();
        assert!(
            problem.message.contains("nothing can be kept") && problem.message.contains(why),
            "{problem:?}"
        );
    }
}

#[test]
fn regression_a_mistyped_target_was_a_new_name_of_which_nothing_was_said() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let lies_in = |target: &std::path::Path| {
        let needs = crate::workload::survey(&Disk, parameters(target, "read"), &host()).unwrap();
        needs.fixtures[0].new_name_in.clone()
    };
    assert_eq!(lies_in(folder.path()), None);
    let full = std::path::absolute(folder.path()).unwrap().to_string_lossy().into_owned();
    assert_eq!(lies_in(&folder.path().join("dtaa")), Some(full));
}

#[test]
fn an_existing_file_is_read_but_not_written_unless_given_up() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let file = folder.path().join("data");
    std::fs::write(&file, vec![7u8; 1 << 20]).unwrap();

    let needs = crate::workload::survey(&Disk, parameters(&file, "read"), &host()).unwrap();
    assert_eq!(needs.fixtures[0].ownership, Ownership::Borrowed);
    assert_eq!(needs.resolved.integer(named("size")), Ok(1 << 20));

    let problem = crate::workload::survey(&Disk, parameters(&file, "write"), &host()).unwrap_err();
    assert_eq!(problem.kind, ProblemKind::Refused);
    assert!(problem.help.contains("--destroy"), "{problem:?}");

    let destroy = vec![file.to_string_lossy().into_owned()];
    let needs =
        crate::workload::survey(&Disk, parameters(&file, "write"), &HostInfo { destroy, ..host() }).unwrap();
    assert_eq!(needs.fixtures[0].ownership, Ownership::Surrendered);
    assert_eq!(needs.effect, Effect::Dirty);
    assert_eq!(std::fs::read(&file).unwrap(), vec![7u8; 1 << 20], "a survey touched the file");
}

#[test]
fn what_cannot_be_a_target_is_refused_with_the_reason() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let problem = |target: &std::path::Path| {
        crate::workload::survey(&Disk, parameters(target, "read"), &host()).unwrap_err()
    };

    let missing = problem(&folder.path().join("no/such"));
    assert_eq!(missing.kind, ProblemKind::Invalid);
    assert!(missing.message.contains("nor does the folder"), "{missing:?}");

    let special = problem(std::path::Path::new("/dev/null"));
    assert_eq!(special.kind, ProblemKind::Refused);

    let mut huge = parameters(folder.path(), "read");
    huge.set(named("size"), 1u64 << 52);
    let huge = crate::workload::survey(&Disk, huge, &host()).unwrap_err();
    assert_eq!(huge.kind, ProblemKind::Refused);
    assert!(huge.message.contains(" free, which is no room"), "{huge:?}");
}

#[test]
fn all_is_the_size_of_what_there_is_and_of_nothing_else() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let file = folder.path().join("data");
    std::fs::write(&file, vec![7u8; 3 << 20]).unwrap();
    let survey = |target: &std::path::Path, pattern: &str, until: &str| {
        let mut p = parameters(target, pattern);
        p.set(named("size"), "all");
        p.set(named("until"), until);
        crate::workload::survey(&Disk, p, &host()).map(|needs| needs.resolved.integer(named("size")).unwrap())
    };
    assert_eq!(survey(&file, "read", "end").unwrap(), 3 << 20);
    let problem = survey(folder.path(), "read", "end").unwrap_err();
    assert!(
        problem.message.contains("gets a new file") && problem.help.contains("give a size"),
        "{problem:?}"
    );
    // Whether it may be filled is asked then.
    if let Err(problem) = survey(folder.path(), "write", "full") {
        assert!(problem.message.contains("must not be filled"), "{problem:?}");
    }
}

#[test]
fn sizes_that_contradict_each_other_are_named() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let survey = |changes: &[(&str, Value)]| {
        let mut p = parameters(folder.path(), "read");
        for (name, value) in changes {
            p.set(ParameterName::intern(name).unwrap(), value.clone());
        }
        crate::workload::survey(&Disk, p, &host()).map_err(|p| p.message)
    };
    let mib = |n: u64| Value::Integer(n << 20);
    assert!(survey(&[("size", mib(32))]).is_ok());
    assert!(survey(&[("size", mib(32)), ("span", mib(64))]).unwrap_err().contains("larger than the file"));
    let told = |changes: &[(&str, Value)]| {
        let mut p = parameters(folder.path(), "read");
        changes.iter().for_each(|(name, value)| {
            p.set(ParameterName::intern(name).unwrap(), value.clone());
        });
        let problem = crate::workload::survey(&Disk, p, &host()).unwrap_err();
        (problem.message, problem.help)
    };
    let (message, help) = told(&[("size", mib(64)), ("block-size", Value::Integer(48 << 10))]);
    assert_eq!(message, "size=64MiB is no whole number of blocks of 48KiB");
    assert_eq!(help, "use 65520KiB or another block-size");
    let (message, help) = told(&[("size", mib(16)), ("offset", mib(20))]);
    assert_eq!(message, "offset=20MiB lies at or behind the end: size=16MiB");
    assert_eq!(help, "use an offset below 16MiB, or a larger size");
    let (message, help) = told(&[("size", mib(16)), ("offset", mib(4)), ("span", mib(14))]);
    assert_eq!(message, "span=14MiB from offset=4MiB on is larger than the file: size=16MiB");
    assert_eq!(help, "use a span of at most 12MiB, or an offset of at most 2MiB");
    assert!(
        survey(&[("size", mib(32)), ("block-size", mib(64))]).unwrap_err().contains("no room for a block")
    );
    assert!(survey(&[("size", mib(32)), ("block-size", Value::Integer(1000))]).unwrap_err().contains("512"));
    assert!(survey(&[("queue-depth", Value::Integer(8))]).unwrap_err().contains("engine=sync"));
    let one_pass = |changes: &[(&str, Value)]| survey(&[&[("until", "end".into())], changes].concat());
    let random = ("pattern", "randread".into());
    assert!(one_pass(std::slice::from_ref(&random)).unwrap_err().contains("no end"));
    assert!(one_pass(&[random, ("distribution", "once".into())]).is_ok());
    let mix = Value::List(vec!["4KiB:70%".into(), "64KiB:30%".into()]);
    assert!(one_pass(&[("block-size", mix)]).unwrap_err().contains("several sizes"));
}
