//! Settings of layers that our machines' kernels lack: they hold there, and nothing of them stays, also after a kill.

use rustix::process::Signal;

use super::{DISKS, arguments, nothing_is_left};
use crate::common::{StoryFolder, agent_of, lives, signal, stderr, stdout};
use crate::test_bed::{TestBed, eventually};

/// How many settings the journal of a story says are changed.
fn changed(place: &StoryFolder) -> usize {
    let journal = place.path().join("store.db-state/settings.journal");
    std::fs::read_to_string(journal).map_or(0, |text| text.lines().count())
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn read_ahead_of_an_array_is_a_factor_below_a_file_system() {
    let mut bed = TestBed::new();
    bed.ram_disks(4);
    let place = StoryFolder::new();
    let target = DISKS.join("+");
    let sets = ["--set", "read-ahead@raid1=1MiB,4MiB", "--set", "mount-options=noatime"];
    let (code, document) = place.document(&arguments(&target, "raid1(a+b; assume-clean=yes) > ext4", &sets));
    assert_eq!(code, 0, "{document}");
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 2);
    for (case, level) in cases.iter().zip([1 << 20, 4 << 20]) {
        let ahead = &case["settings"]["read-ahead@raid1"][0];
        assert!(ahead["resource"].as_str().unwrap().starts_with("block:md"), "{ahead}");
        assert_eq!(ahead["read_back"], level, "{ahead}");
        assert_eq!(case["settings"]["mount-options"][0]["read_back"], "noatime");
        assert!(case["trials"].as_array().unwrap().iter().all(|trial| trial["status"] == "ok"), "{case}");
    }
    assert_eq!(changed(&place), 0);
    nothing_is_left(&place);
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn settings_of_arrays_and_mappings_of_a_killed_run_are_put_back() {
    let mut bed = TestBed::new();
    bed.ram_disks(4);
    let place = StoryFolder::new();
    let target = DISKS.join("+");
    // Neither is what the kernel gives them: 2 MiB for so wide an array, and as much for what stands on it.
    let sets = ["--set", "read-ahead@raid5=1MiB", "--set", "read-ahead@luks=512KiB", "--duration", "600s"];
    let stack = "raid5(a+b+c; assume-clean=yes) > luks > ext4";
    let mut run = place.start(&arguments(&target, stack, &sets));
    let agent = agent_of(run.id());
    eventually("both are changed", || changed(&place) == 2);
    for with in [Signal::STOP, Signal::KILL] {
        [run.id(), agent].into_iter().for_each(|process| signal(process, with));
    }
    run.wait().unwrap();
    eventually("both are gone", || !lives(agent));
    let restored = place.run(&["restore"]);
    let said = stdout(&restored);
    assert_eq!(restored.status.code(), Some(0), "{said}{}", stderr(&restored));
    for (device, level) in [("read-ahead of block:md", "1MiB"), ("read-ahead of block:dm-", "512KiB")] {
        let line = said.lines().find(|line| line.starts_with(device));
        assert!(
            line.is_some_and(|line| line.contains(&format!("put back from {level} to "))),
            "{device}: {said}"
        );
    }
    assert!(said.contains("ext4, luks, raid5"), "{said}");
    assert_eq!(changed(&place), 0);
    nothing_is_left(&place);
}
