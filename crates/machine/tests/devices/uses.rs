//! Who uses devices.

use super::bench::{Disk, Mounted, RunningProgram, Undo, attach, run, skip, state};

const MIB: u64 = 1 << 20;

fn uses(device: impl AsRef<std::path::Path>) -> Vec<String> {
    let state = state(device);
    assert_eq!(state.unknown, None);
    state.in_use
}

#[test]
fn a_mounted_device_is_in_use() {
    let Some(disk) = Disk::new(64 * MIB) else { return };
    run("mkfs.ext4", ["-q", disk.path()]).unwrap();
    assert_eq!(uses(&disk.device), [""; 0]);
    let mounted = Mounted::new(disk.path());
    let sentence = format!("{} is mounted at {}", disk.path(), mounted.point.display());
    assert_eq!(uses(&disk.device), [&*sentence]);
    // By any name.
    let link = tempfile::tempdir().unwrap();
    let link = link.path().join("by-id");
    std::os::unix::fs::symlink(&disk.device, &link).unwrap();
    assert_eq!(uses(&link), [sentence]);
    drop(mounted);
    assert_eq!(uses(&disk.device), [""; 0]);
}

#[test]
fn a_device_mounted_in_another_namespace_only_is_in_use() {
    let Some(disk) = Disk::new(64 * MIB) else { return };
    run("mkfs.ext4", ["-q", disk.path()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let point = folder.path().canonicalize().unwrap();
    let script = format!("mount {} {} && echo ready && read _", disk.path(), point.display());
    let held = RunningProgram::start("unshare", &["--mount", "sh", "-c", &script]);
    let sentence = format!("{} is mounted at {}, in another mount namespace", disk.path(), point.display());
    assert_eq!(uses(&disk.device), [sentence]);
    drop(held);
}

#[test]
fn a_mounted_partition_is_a_use_of_the_disk_and_not_of_the_other_partition() {
    let Some(disk) = Disk::new(64 * MIB) else { return };
    disk.divide("gpt");
    run("mkfs.ext4", ["-q", &disk.part(1)]).unwrap();
    let mounted = Mounted::new(&disk.part(1));
    let sentence = format!("{} is mounted at {}", disk.part(1), mounted.point.display());
    assert_eq!(uses(&disk.device), [&*sentence]);
    assert_eq!(uses(disk.part(1)), [sentence]);
    assert_eq!(uses(disk.part(2)), [""; 0]);
}

#[test]
fn a_mounted_btrfs_of_two_devices_is_a_use_of_both() {
    let (Some(one), Some(two)) = (Disk::new(128 * MIB), Disk::new(128 * MIB)) else { return };
    run("mkfs.btrfs", ["-q", one.path(), two.path()]).unwrap();
    run("btrfs", ["device", "scan", one.path(), two.path()]).unwrap();
    let mounted = Mounted::new(one.path());
    let at = mounted.point.display();
    let all = [uses(&one.device), uses(&two.device)].concat();
    let plain = |d: &Disk| format!("{} is mounted at {at}", d.path());
    let shared = |d: &Disk| format!("{} is one of the devices of the btrfs mounted at {at}", d.path());
    assert!(
        [[plain(&one), shared(&two)], [shared(&one), plain(&two)]].contains(&all.clone().try_into().unwrap()),
        "{all:?}"
    );
}

#[test]
fn swap_is_a_use() {
    let Some(disk) = Disk::new(64 * MIB) else { return };
    run("mkswap", [disk.path()]).unwrap();
    if let Err(why) = run("swapon", [disk.path()]) {
        return skip(&why);
    }
    let undo = Undo("swapoff", vec![disk.path().to_owned()]);
    assert_eq!(uses(&disk.device), [format!("{} is in use as swap", disk.path())]);
    drop(undo);
    assert_eq!(uses(&disk.device), [""; 0]);
}

#[test]
fn a_loop_device_upon_another_is_a_use_either_way() {
    let Some(disk) = Disk::new(64 * MIB) else { return };
    let upper = attach(&disk.device, &[]).unwrap();
    let _undo = Undo("losetup", vec!["--detach".to_owned(), upper.display().to_string()]);
    // The kernel itself would let both be written.
    let stands = format!("the loop device {} stands on {}", upper.display(), disk.path());
    assert_eq!(uses(&disk.device), [&*stands]);
    assert_eq!(uses(&upper), [""; 0]);
    run("mkfs.ext4", ["-q", disk.path()]).unwrap();
    let mounted = Mounted::new(disk.path());
    let sentence = format!("{} is mounted at {}", disk.path(), mounted.point.display());
    assert_eq!(uses(&upper), [sentence]);
    drop(mounted);
    let mounted = Mounted::new(upper.to_str().unwrap());
    let sentence = format!("{} is mounted at {}", upper.display(), mounted.point.display());
    assert_eq!(uses(&disk.device), [stands, sentence]);
}

#[test]
fn a_second_loop_device_on_one_file_is_a_use() {
    let Some(disk) = Disk::new(64 * MIB) else { return };
    let other = attach(&disk.file, &[]).unwrap();
    let _undo = Undo("losetup", vec!["--detach".to_owned(), other.display().to_string()]);
    let sentence = format!("{} has the same backing file as {}", other.display(), disk.path());
    assert_eq!(uses(&disk.device), [sentence]);
}

#[test]
fn a_loop_device_on_a_file_of_a_file_system_is_a_use_of_its_device() {
    let Some(disk) = Disk::new(64 * MIB) else { return };
    run("mkfs.ext4", ["-q", disk.path()]).unwrap();
    let mounted = Mounted::new(disk.path());
    let file = mounted.point.join("file");
    std::fs::File::create(&file).unwrap().set_len(MIB).unwrap();
    let upper = attach(&file, &[]).unwrap();
    let undo = Undo("losetup", vec!["--detach".to_owned(), upper.display().to_string()]);
    let stands = format!(
        "the loop device {} stands on {}, a file on {}",
        upper.display(),
        file.display(),
        disk.path()
    );
    let sentence = format!("{} is mounted at {}", disk.path(), mounted.point.display());
    assert_eq!(uses(&disk.device), [stands, sentence]);
    drop(undo);
}

/// A program in another process that opens `path` with `flags`, in Python's
/// words.
fn opened(path: &str, flags: &str) -> RunningProgram {
    let script = format!("import os\nf = os.open('{path}', {flags})\nprint('ready', flush=True)\ninput()");
    RunningProgram::start("python3", &["-c", &script])
}

#[test]
fn a_claim_of_another_process_is_a_use() {
    let Some(disk) = Disk::new(64 * MIB) else { return };
    disk.divide("gpt");
    let held = opened(disk.path(), "os.O_RDONLY | os.O_EXCL");
    for path in [disk.path(), &disk.part(2)] {
        assert_eq!(uses(path), [format!("the kernel says that {path} is in use")]);
    }
    drop(held);
    let held = opened(&disk.part(1), "os.O_RDONLY | os.O_EXCL");
    assert_eq!(uses(disk.path()), [format!("the kernel says that {} is in use", disk.path())]);
    assert_eq!(uses(disk.part(2)), [""; 0]);
    drop(held);
    assert_eq!(uses(disk.path()), [""; 0]);
}

#[test]
fn a_program_that_may_write_without_a_claim_is_a_use() {
    let Some(disk) = Disk::new(64 * MIB) else { return };
    let reader = opened(disk.path(), "os.O_RDONLY");
    assert_eq!(uses(disk.path()), [""; 0]);
    let writer = opened(disk.path(), "os.O_RDWR");
    let sentence = format!("{} is open for writing in process {} (python3)", disk.path(), writer.0.id());
    assert_eq!(uses(disk.path()), [sentence]);
    drop((reader, writer));
}

#[test]
fn our_own_claim_is_no_use_by_others() {
    use std::os::unix::fs::OpenOptionsExt;
    let Some(disk) = Disk::new(64 * MIB) else { return };
    let claim = |write| {
        const O_EXCL: i32 = 0o200;
        std::fs::OpenOptions::new().read(true).write(write).custom_flags(O_EXCL).open(&disk.device).unwrap()
    };
    let own = claim(true);
    assert_eq!(uses(disk.path()), [""; 0]);
    drop(own);
}
