//! Stacks of what our machines' kernels lack: arrays of md, LUKS and LVM, on disks that were given up.

mod kinds;
mod settings;

use std::path::Path;

use serde_json::Value;

use crate::common::{StoryFolder, stderr};
use crate::presented::{ISCSI, unload_after};
use crate::test_bed::{TestBed, does, eventually, says};

pub(crate) const DISKS: [&str; 4] = ["/dev/ram0", "/dev/ram1", "/dev/ram2", "/dev/ram3"];
const QUICK: &[&str] = &["--pattern", "randwrite", "--size", "16MiB", "--warm-up", "10ms", "--trials", "1"];

/// A run of a stack on all disks, which are given up.
fn arguments<'a>(target: &'a str, stack: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let destroy: Vec<&str> = DISKS.iter().flat_map(|disk| ["--destroy", *disk]).collect();
    let run = ["run", "disk", "--target", target, "--stack", stack];
    let usual: &[&str] = if more.contains(&"--duration") { &[] } else { &["--duration", "200ms"] };
    [&run[..], &destroy, QUICK, usual, more].concat()
}

/// That neither arrays nor mappings are there, and that nothing would assemble one.
pub(crate) fn nothing_is_left(place: &StoryFolder) {
    assert!(!std::fs::read_to_string("/proc/mdstat").unwrap_or_default().contains("active"));
    let mappings = Path::new("/sys/block").read_dir().unwrap().flatten();
    let mappings: Vec<_> = mappings.filter(|d| d.path().join("dm").exists()).map(|d| d.file_name()).collect();
    assert!(mappings.is_empty(), "{mappings:?}");
    for disk in DISKS {
        let found = does(&["wipefs", "--no-act", "--output", "TYPE", disk]);
        for kind in ["linux_raid_member", "LVM2_member", "crypto_LUKS"] {
            assert!(!found.contains(kind), "{disk} still has {kind}: {found}");
        }
    }
    let stacks = place.path().join("store.db-state/stacks");
    let left = stacks.read_dir().map_or(0, Iterator::count);
    assert_eq!(left, 0);
}

fn resources(case: &Value) -> String {
    case["path"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["resource"].as_str().unwrap().to_owned() + "\n")
        .collect()
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn each_layer_of_raid_luks_lvm_and_xfs_is_measured_and_taken_down() {
    let mut bed = TestBed::new();
    bed.ram_disks(4);
    let place = StoryFolder::new();
    let stack = "raid6(a+b+c+d; assume-clean=yes; chunk=64k) > luks(sector-size=4096) > lvm > xfs";
    let target = DISKS.join("+");
    let (code, document) = place.document(&arguments(&target, stack, &["--layers"]));
    assert_eq!(code, 0, "{document}");
    let cases = document["cases"].as_array().unwrap();
    let layers: Vec<Value> =
        cases.iter().map(|case| case["loads"][0]["parameters"]["layer"].clone()).collect();
    assert_eq!(layers, ["members", "raid6", "luks", "lvm", "xfs"]);
    for (case, resource) in cases.iter().zip(["block:ram", "block:md", "block:dm-", "block:dm-", "(xfs)"]) {
        assert!(resources(case).contains(resource), "{case}");
        assert!(case["trials"].as_array().unwrap().iter().all(|trial| trial["status"] == "ok"), "{case}");
    }
    let whole = cases[4].to_string();
    for program in ["mdadm", "cryptsetup", "lvm", "mkfs.xfs"] {
        assert!(whole.contains(&format!("{program}: ")), "no version of {program}");
    }
    nothing_is_left(&place);
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn an_array_of_others_on_the_disks_is_left_alone() {
    let mut bed = TestBed::new();
    bed.ram_disks(4);
    bed.mirror("/dev/ram0", "/dev/ram1");
    let place = StoryFolder::new();
    let target = DISKS.join("+");
    let output = place.run(&arguments(&target, "raid1(a+b)", &["--wipe", "linux_raid_member"]));
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(says(&output, "/dev/md0"), "{}", stderr(&output));
    let output = place.run(&arguments(&target, "raid1(c+d; assume-clean=yes) > luks > ext4", &[]));
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    // That of others stays.
    assert!(std::fs::read_to_string("/proc/mdstat").unwrap().contains("md0 : active raid1"));
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn restore_takes_down_arrays_and_mappings_of_a_killed_run() {
    use crate::common::{agent_of, lives, signal, stdout};
    use rustix::process::Signal;
    let mut bed = TestBed::new();
    bed.ram_disks(4);
    let place = StoryFolder::new();
    let target = DISKS.join("+");
    let stack = "raid5(a+b+c; assume-clean=yes) > luks > lvm > ext4";
    let mut run = place.start(&arguments(&target, stack, &["--duration", "600s"]));
    let agent = agent_of(run.id());
    let state = place.path().canonicalize().unwrap().join("store.db-state/stacks");
    let state = state.to_string_lossy().into_owned();
    eventually("it is mounted", || std::fs::read_to_string("/proc/self/mountinfo").unwrap().contains(&state));
    for with in [Signal::STOP, Signal::KILL] {
        [run.id(), agent].into_iter().for_each(|process| signal(process, with));
    }
    run.wait().unwrap();
    eventually("both are gone", || !lives(agent));
    let restored = place.run(&["restore"]);
    assert_eq!(restored.status.code(), Some(0), "{}{}", stdout(&restored), stderr(&restored));
    assert!(stdout(&restored).contains("ext4, lvm, luks, raid5"), "{}", stdout(&restored));
    nothing_is_left(&place);
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn kills_at_any_moment_leave_nothing_of_a_stack_and_touch_nothing_beside_it() {
    let _bed = TestBed::new();
    let program = |name: &str| std::env::var(name).unwrap_or_else(|e| panic!("{name}: {e}"));
    let (torture, attacked) = (program("HEADROOM_TORTURE"), program("HEADROOM_PROGRAM"));
    let kills = ["--only", "kill-stack", "--kills", "6", "--minutes", "15", "--program", &attacked];
    let said = does(&[&[torture.as_str()][..], &kills].concat());
    assert!(said.contains(", 0 faults"), "{said}");
    for beside in ["a loop device", "an array", "a mapping", "a volume group", "a mount"] {
        assert!(said.contains(&format!("beside it: {beside}")), "{said}");
    }
    assert!(!std::fs::read_to_string("/proc/mdstat").unwrap_or_default().contains("active"), "{said}");
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn the_study_of_a_backup_target_is_whole() {
    let mut bed = TestBed::new();
    unload_after(&mut bed, ISCSI);
    does(&["modprobe", "loop"]);
    let place = StoryFolder::new();
    let target = Path::new("/dev/shm").join("backup-target");
    std::fs::create_dir_all(&target).unwrap();
    let sizes = ["--member-size", "80MiB", "--size", "32MiB", "--trials", "2", "--price", "4,000 yen"];
    let run = ["run", "raid6-backup-target", "--target", target.to_str().unwrap()];
    let (code, document) = place.document(&[&run[..], &sizes].concat());
    assert_eq!(code, 0, "{document}");
    let cases = document["cases"].as_array().unwrap();
    let layers: Vec<&str> =
        cases.iter().filter_map(|case| case["loads"][0]["parameters"]["layer"].as_str()).collect();
    for layer in ["members", "raid6", "luks", "lvm", "xfs", "nfs"] {
        assert!(layers.contains(&layer), "{layers:?}");
    }
    assert!(cases.iter().all(|case| case["trials"][0]["status"] == "ok"), "{document}");
    // The NFS share and the iSCSI disk.
    let exported = cases.iter().filter(|case| resources(case).contains("server:198.1"));
    assert_eq!(exported.count(), 2, "{document}");
    let answer = document["findings"].as_array().unwrap().iter().find(|found| found["code"] == "sustains");
    let answer = answer.unwrap();
    assert!(["yes", "no", "unknown"].map(Value::from).contains(&answer["args"]["answer"]), "{answer}");
    let codes: Vec<&str> =
        answer["evidence"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["sustains-clients", "sustains-local"], "{answer}");
    for language in ["en", "ja", "ko"] {
        let page = place.run(&["report", "last", "--lang", language, "-o", &format!("page-{language}.md")]);
        assert_eq!(page.status.code(), Some(0), "{}", stderr(&page));
    }
    assert_eq!(target.read_dir().unwrap().count(), 0);
    std::fs::remove_dir(&target).unwrap();
    assert!(!std::fs::read_to_string("/proc/mdstat").unwrap_or_default().contains("active"));
}
