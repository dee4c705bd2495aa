//! Stacks of this machine: what is asked for, and real ones on loop devices where there are some for us. Those that its
//! kernel does not have are made in the guest (`crates/cli/tests/guest/stack.rs`).

use std::fs;
use std::path::Path;

use model::parameter::ParameterName;
use model::plan::{FixtureKey, Ownership, ProblemKind};
use model::setting::LayerPlace;
use model::stack::LayerStack;
use model::{Parameters, Value};

use super::ground::{Member, members};
use super::*;
use crate::fixture::FixtureStore;
use crate::host::HostInfo;
use crate::workload::{TABLE as WORKLOADS, catalogue, named};

const TARGET: ParameterName = named("target");

fn parameters(stack: &str, folder: &Path, more: &[(&'static str, Value)]) -> Parameters {
    let mut parameters = Parameters::default();
    parameters.set(named("stack"), stack);
    parameters.set(TARGET, folder.to_string_lossy().into_owned());
    more.iter().for_each(|(name, value)| parameters.set(named(name), value.clone()));
    parameters
}

fn host(state: &Path) -> HostInfo {
    HostInfo {
        cpus: 2,
        memory_available: 8 << 30,
        state_folder: Some(state.to_owned()),
        ..HostInfo::default()
    }
}

#[test]
fn kinds_are_in_both_tables_and_documented() {
    let of_table: Vec<&str> = TABLE.iter().map(|kind| kind.spec().name).collect();
    let of_layers: Vec<&str> = LAYERS.iter().map(|spec| spec.name).collect();
    assert_eq!(of_layers[..2], ["loop", "zram"]);
    assert_eq!(of_layers[2..], of_table);
    for (index, spec) in LAYERS.iter().enumerate() {
        assert!(!LAYERS[..index].iter().any(|other| other.name == spec.name), "{} twice", spec.name);
        assert!(!spec.doc.is_empty() && !spec.doc.ends_with('.'), "{}", spec.name);
        assert!(spec.options.iter().all(|o| spec.beside.is_none_or(|beside| beside.name != o.name.as_str())));
        for option in spec.options {
            assert!(option.doc.ends_with('.'), "{} {}", spec.name, option.name);
            assert!(option.default.is_none() || option.default_value().is_some(), "{}", option.name);
        }
    }
}

#[test]
fn what_drives_a_folder_or_a_device_may_stand_on_a_stack() {
    let names = |spec: &model::WorkloadSpec| -> Vec<&'static str> {
        catalogue().parameters(spec).map(|parameter| parameter.name.as_str()).collect()
    };
    for name in ["disk", "file.metadata", "db.oltp", "db.slap", "db.tpcb", "db.orders", "db.script"] {
        let spec =
            WORKLOADS.iter().map(|workload| workload.spec()).find(|spec| spec.name.as_str() == name).unwrap();
        for parameter in ["stack", "layer", "member-size", "present"] {
            assert!(names(spec).contains(&parameter), "{name} lacks {parameter}");
        }
    }
}

#[test]
fn a_request_without_a_meaning_is_refused() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let with = |stack: &str, more: &[(&'static str, Value)]| {
        StackRequest::of(&parameters(stack, folder.path(), more), Some(TARGET)).map(|found| found.is_some())
    };
    assert_eq!(
        StackRequest::of(&Parameters::default(), Some(TARGET)).map(|found| found.is_some()),
        Ok(false)
    );
    assert_eq!(with("loop > ext4", &[("layer", "loop".into())]), Ok(true));
    assert_eq!(with("loop > ext4", &[("present", "nfs".into()), ("layer", "nfs".into())]), Ok(true));
    for (stack, more, message) in [
        ("loop > ext5", &[][..], "no layer `ext5`"),
        ("loop > ext4", &[("layer", "xfs".into())][..], "has no layer `xfs`"),
        ("loop > ext4", &[("layer", "all".into())][..], "stands for each layer"),
        ("loop > cache", &[][..], "none is named"),
        ("loop > lvm(b)", &[][..], "only the lowest layer"),
        ("loop > ext4", &[("present", "iscsi".into())][..], "nothing can stand on `ext4`"),
        ("loop", &[("present", "nfs".into())][..], "presents a mounted file system"),
    ] {
        let problem = with(stack, more).unwrap_err();
        assert!(problem.message.contains(message), "{stack}: {problem:?}");
        assert_eq!(problem.kind, ProblemKind::Invalid);
    }
    let mut target = Parameters::default();
    target.set(TARGET, folder.path().to_string_lossy().into_owned());
    for (way, is_asked) in [("none", false), ("iscsi", true)] {
        target.set(named("present"), way);
        assert_eq!(StackRequest::of(&target, Some(TARGET)).map(|found| found.is_some()), Ok(is_asked));
    }
    let mut alone = Parameters::default();
    alone.set(named("layer"), "loop");
    assert!(StackRequest::of(&alone, Some(TARGET)).unwrap_err().message.contains("goes with a stack"));
    let nowhere = parameters("loop", folder.path(), &[]);
    assert!(StackRequest::of(&nowhere, None).unwrap_err().message.contains("no folder and no device"));
}

#[test]
fn what_is_driven_of_a_stack_is_a_device_or_a_folder() {
    let is_device = |stack: &str, more: &[(&'static str, Value)]| {
        let parameters = parameters(stack, Path::new("/"), more);
        StackRequest::of(&parameters, Some(TARGET)).unwrap().unwrap().is_device()
    };
    for stack in ["loop", "raid1(a+b) > luks", "loop > iscsi"] {
        assert!(is_device(stack, &[]), "{stack}");
    }
    assert!(!is_device("loop > ext4", &[]));
    assert!(!is_device("loop > ext4", &[("present", "nfs".into())]));
    assert!(is_device("loop > ext4", &[("layer", "loop".into())]));
}

#[test]
fn letters_name_the_parts_of_the_target() {
    let parts = ["one", "two"].map(PathBuf::from);
    let of = |text: &str, targets: &[PathBuf]| {
        members(&LayerStack::parse(text, LAYERS).unwrap(), targets).map_err(|problem| problem.message)
    };
    let file = |folder: &str, letter| Member::File(folder.into(), letter);
    assert_eq!(of("loop(a+b) > raid1", &parts[..1]), Ok(vec![file("one", 'a'), file("one", 'b')]));
    assert_eq!(of("raid1(b+a)", &parts), Ok(vec![file("two", 'b'), file("one", 'a')]));
    assert_eq!(of("loop > cache(b)", &parts), Ok(vec![file("one", 'a'), file("two", 'b')]));
    let journal = vec![file("one", 'a'), file("one", 'b'), file("one", 'c'), file("one", 'd')];
    assert_eq!(of("raid5(a+b+c; journal=d)", &parts[..1]), Ok(journal));
    assert_eq!(of("zram(b)", &parts[..1]), Ok(vec![Member::Memory('b')]));
    assert!(of("raid1(a+c)", &parts).unwrap_err().contains("stands on `c`, and the target has 2 parts"));
}

#[test]
fn spares_leave_members_enough() {
    let place = tempfile::tempdir_in(".").unwrap();
    let refused = |stack: &str| {
        let request = StackRequest::of(&parameters(stack, place.path(), &[]), Some(TARGET)).unwrap().unwrap();
        request.survey(&host(place.path())).map(drop).unwrap_err()
    };
    let problem = refused("raid1(a+b; spares=1)");
    assert_eq!(problem.kind, ProblemKind::Invalid);
    assert!(problem.message.contains("needs at least 2 devices beside its spares, and has 1"), "{problem:?}");
}

#[test]
fn what_was_seen_of_devices_is_no_other_stack_and_a_lower_layer_is_one() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let key = |height| {
        let mut key = FixtureKey::new(STACKS.name, "x", 0, Ownership::Created);
        let order = request::StackOrder {
            stack: "loop > ext4".to_owned(),
            height,
            member_bytes: 1,
            targets: vec![folder.path().to_owned()],
            devices: Vec::new(),
            peer: None,
            listen: None,
        };
        key.details = serde_json::json!(order);
        key
    };
    let mut seen = key(1);
    let device = FixtureKey::new("device", "/dev/x", 1, Ownership::Surrendered);
    seen.details["devices"] = serde_json::json!([device]);
    let order = |key: &FixtureKey| request::StackOrder::of(key).unwrap().without_devices();
    assert_eq!(order(&seen), order(&key(1)));
    assert_ne!(order(&seen), order(&key(0)));
    assert!(request::StackOrder::of(&FixtureKey::new("stack", "x", 0, Ownership::Created)).is_err());
}

#[test]
fn what_cannot_stand_on_what_is_below_is_refused_before_anything_is_made() {
    let (folder, state) = (tempfile::tempdir_in(".").unwrap(), tempfile::tempdir().unwrap());
    for (stack, message) in [
        ("loop > luks > partition", "reads no partitions on `luks`"),
        ("zram > partition", "reads no partitions on `zram`"),
        ("loop > lvm(stripes=2)", "here are 1"),
        ("loop > btrfs(data=raid1)", "data=raid1 needs at least 2 devices, and here are 1"),
        ("loop(a+b+c) > btrfs(data=raid10)", "data=raid10 needs at least 4 devices, and here are 3"),
        ("loop(a+b+c) > raid5(bitmap=internal; journal=d)", "not both"),
        ("loop > ext4(stripe-unit=64k)", "go together"),
    ] {
        let request =
            StackRequest::of(&parameters(stack, folder.path(), &[]), Some(TARGET)).unwrap().unwrap();
        let problem = request.survey(&host(state.path())).unwrap_err();
        assert!(problem.message.contains(message), "{stack}: {problem:?}");
        assert_eq!(problem.kind, ProblemKind::Invalid);
    }
}

#[test]
fn a_stack_that_takes_all_of_its_devices_is_refused() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let offered = |stack: &str, each: u64| {
        let request =
            StackRequest::of(&parameters(stack, folder.path(), &[]), Some(TARGET)).unwrap().unwrap();
        request.offered(vec![each])
    };
    assert!(offered("loop > xfs", 512 << 20).unwrap() > 256 << 20);
    let problem = offered("loop > xfs", 64 << 20).unwrap_err();
    assert_eq!(problem.kind, ProblemKind::Refused);
    assert!(problem.message.contains("loop > xfs has no room on devices of 64 MiB"), "{problem:?}");
}

#[test]
fn memory_that_is_not_there_is_not_promised() {
    let (folder, state) = (tempfile::tempdir_in(".").unwrap(), tempfile::tempdir().unwrap());
    let large = [("member-size", Value::from(5u64 << 30))];
    let on = |stack: &str| StackRequest::of(&parameters(stack, folder.path(), &large), Some(TARGET));
    let members = |stack: &str| members(&LayerStack::parse(stack, LAYERS).unwrap(), &[folder.path().into()]);
    let host = host(state.path());
    let survey = |stack: &str| ground::survey(&members(stack).unwrap(), 5 << 30, &host);
    assert!(on("zram(a+b)").unwrap().is_some());
    assert_eq!(survey("zram").unwrap().bytes, [5 << 30]);
    let problem = survey("zram(a+b)").unwrap_err();
    assert!(problem.message.contains("may take 10 GiB of memory"), "{problem:?}");
}

/// A stack in a folder, or none, said on the way, where this machine cannot make it.
fn build(
    stack: &str,
    more: &[(&'static str, Value)],
    folder: &Path,
    state: &Path,
) -> Option<(FixtureStore, StackRequest, FixtureKey)> {
    let more = [&[("member-size", Value::from(512u64 << 20))][..], more].concat();
    let request = StackRequest::of(&parameters(stack, folder, &more), Some(TARGET)).unwrap().unwrap();
    let host = host(state);
    let surveyed = match request.survey(&host) {
        Ok(surveyed) => surveyed,
        Err(problem) => {
            assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: {problem:?}");
            println!("skipped: {}", problem.message);
            return None;
        }
    };
    assert!(surveyed.room > 100 << 20, "{}", surveyed.room);
    assert_eq!(fs::read_dir(folder).unwrap().count() + fs::read_dir(state).unwrap().count(), 0, "a survey");
    let mut store = FixtureStore::new(&[STACKS]);
    store.make(&surveyed.key, &host, &mut |_| true).unwrap();
    Some((store, request, surveyed.key))
}

/// What is mounted below a folder.
fn mounts(below: &Path) -> Vec<String> {
    let below = below.canonicalize().unwrap().to_string_lossy().into_owned();
    let all = fs::read_to_string("/proc/self/mountinfo").unwrap();
    all.lines().filter(|line| line.contains(&below)).map(str::to_owned).collect()
}

fn records(state: &Path) -> usize {
    fs::read_dir(state.join("stacks")).map_or(0, Iterator::count)
}

#[test]
fn a_stack_is_made_and_taken_down_and_nothing_is_left() {
    for (stack, kind) in [
        ("loop > ext4(journal=no; mount=noatime)", "ext4"),
        ("loop > xfs", "xfs"),
        ("loop(a+b) > btrfs(data=raid1; compression=zstd)", "btrfs"),
        ("loop > partition(offset=32256) > ext4(stripe-unit=64k; stripe-width=2)", "ext4"),
        ("zram > ext4", "ext4"),
    ] {
        let (folder, state) = (tempfile::tempdir_in(".").unwrap(), tempfile::tempdir().unwrap());
        let Some((mut store, request, key)) = build(stack, &[], folder.path(), state.path()) else { return };
        let built = request.built(&store).unwrap();
        let [top] = built.tops() else { panic!("{:?}", built.tops()) };
        let mounted = mounts(state.path());
        assert!(mounted.len() == 1 && mounted[0].contains(&format!(" - {kind} ")), "{stack}: {mounted:?}");
        // Each layer is found again by its name, and none of another stack.
        let place = |layer: &str| LayerPlace {
            stack: LayerStack::parse(stack, LAYERS).unwrap().to_string(),
            targets: vec![folder.path().to_string_lossy().into_owned()],
            layer: layer.to_owned(),
        };
        assert_eq!(built.places_of(&place(kind)), Some(built.tops()));
        let ground = stack.split([' ', '(']).next().unwrap();
        let devices = built.places_of(&place(ground)).unwrap();
        assert_eq!(devices.len(), stack.split(" > ").next().unwrap().split('+').count());
        assert!(devices.iter().all(|device| device.starts_with("/dev")), "{devices:?}");
        assert_eq!(built.places_of(&place("luks")), None);
        assert_eq!(built.places_of(&LayerPlace { targets: Vec::new(), ..place(kind) }), None);
        fs::write(top.join("file"), "x").unwrap();
        assert_eq!(records(state.path()), 2, "the record and the folder where it is mounted");
        // Whoever lives is not taken down by others.
        assert_eq!(remove_left(state.path()), []);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "its files have no names");
        store.remove(&[key]).unwrap();
        assert_eq!((mounts(state.path()), records(state.path())), (Vec::new(), 0), "{stack}");
    }
}

#[test]
fn stripes_are_told_to_xfs() {
    let (folder, state) = (tempfile::tempdir_in(".").unwrap(), tempfile::tempdir().unwrap());
    let stack = "loop > xfs(stripe-unit=64k; stripe-width=2)";
    let size = [("member-size", Value::from(1u64 << 30))];
    let Some((store, ..)) = build(stack, &size, folder.path(), state.path()) else { return };
    let mounted = mounts(state.path());
    // In units of 512 bytes (xfs(5)).
    assert!(mounted.len() == 1 && mounted[0].contains("sunit=128,swidth=256"), "{mounted:?}");
    drop(store);
    assert_eq!(records(state.path()), 0);
}

#[test]
fn a_lower_layer_is_devices_and_a_dropped_stack_goes() {
    let (folder, state) = (tempfile::tempdir_in(".").unwrap(), tempfile::tempdir().unwrap());
    let layer = [("layer", Value::from("loop"))];
    let Some((store, request, _)) = build("loop(a+b) > btrfs", &layer, folder.path(), state.path()) else {
        return;
    };
    let tops = request.built(&store).unwrap().tops().to_vec();
    assert_eq!(tops.len(), 2);
    assert!(tops.iter().all(|top| top.starts_with("/dev")), "{tops:?}");
    drop(store);
    assert_eq!(records(state.path()), 0);
}

#[test]
fn what_others_mounted_in_its_place_is_left_alone() {
    let (folder, state) = (tempfile::tempdir_in(".").unwrap(), tempfile::tempdir().unwrap());
    let Some((store, request, _)) = build("loop > ext4", &[], folder.path(), state.path()) else { return };
    let top = request.built(&store).unwrap().tops()[0].clone();
    let over = std::process::Command::new("mount").args(["-t", "tmpfs", "tmpfs"]).arg(&top).status().unwrap();
    assert!(over.success());
    drop(store);
    let mounted = mounts(state.path());
    assert_eq!(mounted.len(), 2, "neither is gone: {mounted:?}");
    assert_eq!(records(state.path()), 2, "what stays is written down");
    assert!(std::process::Command::new("umount").arg(&top).status().unwrap().success());
    // Now its maker has given it up, and it is found by what was written down.
    let left = remove_left(state.path());
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(left[0].is_settled(), "{}", left[0]);
    assert_eq!((mounts(state.path()), records(state.path())), (Vec::new(), 0));
}

#[test]
fn a_stack_that_nobody_wants_any_more_while_it_is_made_leaves_nothing() {
    let (folder, state) = (tempfile::tempdir_in(".").unwrap(), tempfile::tempdir().unwrap());
    let request =
        StackRequest::of(&parameters("loop > ext4", folder.path(), &[]), Some(TARGET)).unwrap().unwrap();
    let host = host(state.path());
    let Ok(surveyed) = request.survey(&host) else {
        assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped");
        println!("skipped: no stack can be made here");
        return;
    };
    let mut store = FixtureStore::new(&[STACKS]);
    let mut looks = 0;
    let made = store.make(&surveyed.key, &host, &mut |_| {
        looks += 1;
        looks < 3
    });
    assert!(matches!(made, Err(Fault::Cancelled)), "{made:?}");
    assert_eq!((mounts(state.path()), records(state.path())), (Vec::new(), 0));
}
