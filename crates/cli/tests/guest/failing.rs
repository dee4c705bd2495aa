//! Devices that fail while a load drives them: the trial fails with what the
//! kernel said and where; other trials and cases go on.

use std::io::Read;
use std::path::Path;

use rustix::process::Signal;
use serde_json::Value;

use crate::common::{StoryFolder, agent_of, signal, stderr, trials};
use crate::test_bed::{RAM_DISK_SECTORS, TestBed, does, eventually};

/// A run over the folders `frail` and `/dev/shm`, whose device is broken by
/// `breaks` once the first trial on it is finished: later ones fail with one of
/// the reasons, and the other case is as if nothing had happened.
fn fails_midway(frail: &Path, breaks: impl FnOnce(), reasons: &[&str]) {
    let place = StoryFolder::new();
    let frail = frail.to_str().unwrap();
    let targets = format!("{frail},/dev/shm");
    let words = ["run", "disk", "--target", &targets, "--direct", "no", "--pattern", "write"];
    let run = place.start(
        &[&words[..], &["--size", "16MiB", "--sync", "dsync", "--duration", "400ms", "--trials", "5"]]
            .concat(),
    );
    eventually("a trial is finished", || {
        let output = place.run(&["export", "last"]);
        let Ok(document) = serde_json::from_slice::<Value>(&output.stdout) else { return false };
        of(&document, frail).iter().any(|trial| trial["status"] == "ok")
    });
    breaks();
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let document = place.stored();
    assert_eq!(document["outcome"], "complete");
    let broken = of(&document, frail);
    assert_eq!((broken.len(), &broken[4]["status"]), (5, &Value::from("failed")), "{broken:?}");
    for trial in broken.iter().filter(|trial| trial["status"] == "failed") {
        let reason = trial["reason"].as_str().unwrap();
        assert!(reasons.iter().any(|word| reason.contains(word)) && reason.contains(frail), "{reason}");
    }
    let sound = of(&document, "/dev/shm");
    assert!(sound.len() == 5 && sound.iter().all(|trial| trial["status"] == "ok"), "{sound:?}");
}

/// The trials on a target.
fn of<'a>(document: &'a Value, target: &str) -> Vec<&'a Value> {
    let cases = document["cases"].as_array().unwrap().iter();
    let here = cases.filter(|case| case["loads"][0]["parameters"]["target"] == target);
    here.flat_map(|case| case["trials"].as_array().unwrap()).collect()
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_device_that_fails_midway_fails_its_trials_and_others_go_on() {
    let mut bed = TestBed::new();
    bed.ram_disks(1);
    let device = bed.mapped("frail", &format!("0 {RAM_DISK_SECTORS} linear /dev/ram0 0"));
    // A journal would end the file system with the first write that fails.
    let folder = bed.mounted(&["mkfs.ext4", "-q", "-O", "^has_journal"], &device, "noatime");
    fails_midway(&folder, || fails_from_now_on("frail"), &["input/output error"]);
}

/// Has a mapping answer every request with an error.
fn fails_from_now_on(mapping: &str) {
    // Nothing is frozen or waited for: a real device fails unannounced.
    does(&["dmsetup", "suspend", "--nolockfs", "--noflush", mapping]);
    does(&["dmsetup", "load", mapping, "--table", &format!("0 {RAM_DISK_SECTORS} error")]);
    does(&["dmsetup", "resume", mapping]);
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_device_that_fails_below_a_stack_fails_its_trials_and_the_next_stack_is_made() {
    let mut bed = TestBed::new();
    bed.ram_disks(2);
    let frail = bed.mapped("frail", &format!("0 {RAM_DISK_SECTORS} linear /dev/ram0 0"));
    let place = StoryFolder::new();
    let targets = format!("{frail},/dev/ram1");
    let words = ["run", "disk", "--target", &targets, "--destroy", &frail, "--destroy", "/dev/ram1"];
    let load = ["--stack", "ext4(a; journal=no)", "--pattern", "write", "--size", "16MiB", "--sync", "dsync"];
    let run = place.start(&[&words[..], &load, &["--duration", "400ms", "--trials", "40"]].concat());
    eventually("a trial is finished", || {
        let output = place.run(&["export", "last"]);
        let Ok(document) = serde_json::from_slice::<Value>(&output.stdout) else { return false };
        document["cases"][0]["trials"][0]["status"] == "ok"
    });
    fails_from_now_on("frail");
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let document = place.stored();
    let of_case = |case: usize| document["cases"][case]["trials"].as_array().unwrap();
    let failed: Vec<&Value> = of_case(0).iter().filter(|trial| trial["status"] == "failed").collect();
    assert!(!failed.is_empty(), "{}{document}", stderr(&output));
    for trial in failed {
        let reason = trial["reason"].as_str().unwrap().to_lowercase();
        assert!(reason.contains("input/output error"), "{reason}");
    }
    let sound = of_case(1);
    let is_sound = sound.len() == 40 && sound.iter().all(|trial| trial["status"] == "ok");
    assert!(is_sound, "{sound:?}: {}", stderr(&output));
    let mounted = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    assert!(!mounted.contains("store.db-state"), "{mounted}");
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_disk_that_is_pulled_out_fails_its_trials_and_others_go_on() {
    let mut bed = TestBed::new();
    let disk = bed.scsi_disk(&["dev_size_mb=128", "delay=0"]);
    let folder = bed.mounted(&["mkfs.ext4", "-q", "-O", "^has_journal"], &format!("/dev/{disk}"), "noatime");
    let breaks = || std::fs::write(format!("/sys/block/{disk}/device/delete"), "1").unwrap();
    fails_midway(&folder, breaks, &["input/output error", "no such device"]);
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_disk_that_is_pulled_out_fails_the_downloads_to_it() {
    let mut bed = TestBed::new();
    let disk = bed.scsi_disk(&["dev_size_mb=128", "delay=0"]);
    let folder = bed.mounted(&["mkfs.ext4", "-q", "-O", "^has_journal"], &format!("/dev/{disk}"), "noatime");
    let place = StoryFolder::new();
    let words = ["run", "http.download", "--target", folder.to_str().unwrap(), "--direct", "yes"];
    // More trials than pass until the first is seen in the store.
    let more = ["--answer", "16m", "--duration", "400ms", "--trials", "40"];
    let run = place.start(&[&words[..], &more].concat());
    let all = || {
        let output = place.run(&["export", "last"]);
        serde_json::from_slice::<Value>(&output.stdout).ok()
    };
    eventually("a trial is finished", || all().is_some_and(|document| !trials(&document).is_empty()));
    std::fs::write(format!("/sys/block/{disk}/device/delete"), "1").unwrap();
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let document = place.stored();
    let last = trials(&document)[39];
    assert_eq!(last["status"], "failed", "{last}");
    let reason = last["reason"].as_str().unwrap();
    let is_told = ["input/output error", "no such device"].iter().any(|word| reason.contains(word));
    assert!(is_told && reason.contains(folder.to_str().unwrap()), "{reason}");
}

/// The write cache of this disk can be switched: both factors of the study are there.
#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn the_study_of_one_disk_has_both_factors_on_a_scsi_disk_and_puts_them_back() {
    let mut bed = TestBed::new();
    let disk = bed.scsi_disk(&["dev_size_mb=200", "delay=0"]);
    let folder = bed.mounted(&["mkfs.ext4", "-q", "-O", "^has_journal"], &format!("/dev/{disk}"), "noatime");
    bed.ram_disks(1);
    does(&["mkswap", "/dev/ram0"]);
    does(&["swapon", "/dev/ram0"]);
    let cache = || does(&["cat", &format!("/sys/class/scsi_disk/{}/cache_type", address(&disk))]);
    let before = cache();
    let place = StoryFolder::new();
    let words = ["run", "ssd-behind-10gbe", "--target", folder.to_str().unwrap(), "--no-extra"];
    let small = ["--size", "32MiB", "--block-size", "1MiB", "--answer", "32MiB"];
    let (code, document) = place.document(&[&words[..], &small[..], &["--trials", "2"]].concat());
    let swaps = std::fs::read_to_string("/proc/swaps").unwrap();
    does(&["swapoff", "/dev/ram0"]);
    assert!(swaps.contains("/dev/ram0"), "swap is as it was found: {swaps}");
    assert_eq!(code, 0, "{document}");
    let of = |workload: &str| {
        let cases = document["cases"].as_array().unwrap().iter();
        let measured =
            |case: &&Value| case["trials"][0]["status"] == "ok" && case["role"]["kind"] != "observed";
        cases.filter(|case| case["loads"][0]["workload"] == workload).filter(measured).count()
    };
    // Write cache and swap, each with two levels.
    assert_eq!(of("http.download"), 4, "{document}");
    // Whether it takes what comes, with each of the settings.
    let found = document["findings"].as_array().unwrap().iter().find(|found| found["code"] == "absorbs");
    let answer = found.unwrap_or_else(|| panic!("no answer: {document}"));
    let evidence = answer["evidence"].as_array().unwrap();
    let rates = |code: &str| evidence.iter().filter(|evidence| evidence["code"] == code).count();
    let all = ["absorbs-source", "absorbs-sink", "absorbs-joint"].map(rates);
    assert_eq!(all, [1, 1, 4], "{answer}");
    // What each setting does alone, and both together.
    let page = place.run(&["report", "last", "--lang", "en", "-o", "page.html"]);
    assert_eq!(page.status.code(), Some(0));
    let page = std::fs::read_to_string(place.path().join("page.html")).unwrap();
    for words in ["The answer", "Both together", "swap off", "the path of the data"] {
        assert!(page.to_lowercase().contains(&words.to_lowercase()), "{words} is missing on the page");
    }
    for case in document["cases"].as_array().unwrap() {
        for state in case["settings"]["device-write-cache"].as_array().into_iter().flatten() {
            assert!(state["read_back"].is_null() || state["read_back"] == state["asked"], "{state}");
        }
    }
    assert_eq!(cache(), before, "the cache is as it was found");
}

/// The SCSI address of a disk: `2:0:0:0`.
fn address(disk: &str) -> String {
    let link = std::fs::read_link(format!("/sys/block/{disk}/device")).unwrap();
    link.file_name().unwrap().to_str().unwrap().to_owned()
}

/// A disk that was pulled out and put in again, or another one put in, has the name
/// of the one that was given up, and is not it.
#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_disk_that_was_put_in_again_is_not_overwritten() {
    let mut bed = TestBed::new();
    let disk = bed.scsi_disk(&["dev_size_mb=32", "delay=0"]);
    let path = format!("/dev/{disk}");
    let host = does(&["sh", "-c", "ls /sys/bus/pseudo/drivers/scsi_debug/adapter0 | grep ^host"]);
    let place = StoryFolder::new();
    let targets = format!("/dev/shm,{path}");
    let words =
        ["run", "disk", "--target", &targets, "--direct", "no", "--pattern", "write", "--size", "16MiB"];
    let more = ["--destroy", &path, "--duration", "400ms", "--trials", "6"];
    let run = place.start(&[&words[..], &more].concat());
    eventually("a trial is finished", || {
        let output = place.run(&["export", "last"]);
        serde_json::from_slice::<Value>(&output.stdout).is_ok_and(|document| !trials(&document).is_empty())
    });
    signal(run.id(), Signal::STOP);
    // What ended before does not count.
    let before = of(&place.stored(), &path).len();
    let agent = agent_of(run.id());
    std::fs::write(format!("/sys/block/{disk}/device/delete"), "1").unwrap();
    eventually("it is pulled out", || !Path::new(&path).exists());
    // Who holds it keeps its name from others.
    eventually("nobody holds it", || !holds(agent, &path));
    std::fs::write(format!("/sys/class/scsi_host/{}/scan", host.trim()), "- - -").unwrap();
    eventually("it is put in again under its name", || Path::new(&path).exists());
    let precious: Vec<u8> = (0..4 << 20).map(|at: u32| (at / 7) as u8).collect();
    std::fs::write(&path, &precious).unwrap();
    does(&["blockdev", "--flushbufs", &path]);
    signal(run.id(), Signal::CONT);
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    does(&["blockdev", "--flushbufs", &path]);
    let mut found = vec![0; precious.len()];
    std::fs::File::open(&path).unwrap().read_exact(&mut found).unwrap();
    assert!(found == precious, "it was overwritten");
    let document = place.stored();
    let all = of(&document, &path);
    // One may have been ending as the disk was pulled out.
    let after = all.get(before + 1..).unwrap_or_default();
    assert!(!after.is_empty() && after.iter().all(|trial| trial["status"] == "failed"), "{all:?}");
    assert!(of(&document, "/dev/shm").iter().all(|trial| trial["status"] == "ok"));
}

/// Whether a process has a file open whose name begins so.
fn holds(process: u32, path: &str) -> bool {
    let Ok(open) = std::fs::read_dir(format!("/proc/{process}/fd")) else { return false };
    let links = open.flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok());
    links.into_iter().any(|link| link.to_string_lossy().starts_with(path))
}

/// A device with one bad block. (Debian builds no dm-dust.)
fn with_a_bad_block(bed: &mut TestBed, at: u64) -> String {
    let (after, rest) = (at + 8, RAM_DISK_SECTORS - at - 8);
    let table = format!("0 {at} linear /dev/ram0 0\n{at} 8 error\n{after} {rest} linear /dev/ram0 {after}\n");
    bed.joined("holed", &table)
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_bad_block_is_named_by_its_place_and_other_targets_go_on() {
    let mut bed = TestBed::new();
    bed.ram_disks(2);
    let bad_sector = 32768;
    let holed = with_a_bad_block(&mut bed, bad_sector);
    let place = StoryFolder::new();
    let targets = format!("{holed},/dev/ram1");
    let words = ["run", "disk", "--target", &targets, "--pattern", "read", "--block-size", "64KiB"];
    let (code, document) =
        place.document(&[&words[..], &["--span", "32MiB", "--until", "end", "--trials", "1"]].concat());
    assert_eq!(code, 1, "{document}");
    for case in document["cases"].as_array().unwrap() {
        let trial = &case["trials"][0];
        if case["loads"][0]["parameters"]["target"] == "/dev/ram1" {
            assert_eq!(trial["status"], "ok", "{trial}");
            continue;
        }
        let reason = trial["reason"].as_str().unwrap();
        let place = (bad_sector * 512).to_string();
        assert!(reason.contains("input/output error") && reason.contains(&place), "{reason}");
    }
}

/// What real drives answer for a block that they cannot read: the kernel does
/// not call it an input/output error (`BLK_STS_MEDIUM`, `block/blk-core.c`).
#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_medium_error_is_called_one() {
    let mut bed = TestBed::new();
    // Sectors 0x1234 to 0x123d cannot be read (OPT_MEDIUM_ERR_ADDR).
    let target = format!("/dev/{}", bed.scsi_disk(&["dev_size_mb=16", "opts=2"]));
    let words = ["run", "disk", "--target", &target, "--pattern", "read", "--until", "end", "--trials", "1"];
    let (code, document) = StoryFolder::new().document(&words);
    assert_eq!(code, 1, "{document}");
    let reason = trials(&document)[0]["reason"].as_str().unwrap().to_owned();
    let place = (0x1234 / 8 * 4096).to_string();
    assert!(reason.contains("medium") && reason.contains(&place), "{reason}");
}
