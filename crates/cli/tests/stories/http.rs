//! Downloads to file systems that have no room, or take nothing: an ext4 of our own on a loop device, in a
//! mount namespace of our own. And the study of one disk behind a fast network. Those need root.

use std::process::Command;

use serde_json::Value;

use crate::common::{StoryFolder, program, stderr};
use crate::network::TestNetwork;

/// Runs `script` where `disk` is an ext4 of 32 MiB, with `$HEADROOM` as the program; what it said.
fn on_a_disk(place: &StoryFolder, script: &str) -> (i32, String) {
    let script = format!(
        "mkdir disk; truncate -s 32M image; mkfs.ext4 -q -F -m 0 image && mount -o loop image disk || exit 99
         {script}; code=$?; ls -A disk | grep -v lost+found && exit 98; umount disk || exit 97; exit $code"
    );
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", &script]).current_dir(place.path());
    command.env("HEADROOM", program()).env("HEADROOM_STATE", place.path().join("state")).env("NO_COLOR", "1");
    let output = command.output().unwrap();
    let words = format!("{} {}", stderr(&output), crate::common::stdout(&output));
    let words = words.replace("| ", "").split_whitespace().collect::<Vec<_>>().join(" ");
    (output.status.code().unwrap(), words)
}

const DOWNLOAD: &str = "\"$HEADROOM\" run http.download --target disk --store x.db --trials 1 --warm-up 0";

#[test]
fn a_disk_that_fills_in_the_middle_of_downloads_is_named_and_left_empty() {
    let place = StoryFolder::new();
    // Each of them has room, both together have not.
    let (code, said) = on_a_disk(&place, &format!("{DOWNLOAD} --answer 20m --streams 2 --until end"));
    assert_eq!(code, 1, "{said}");
    assert!(
        said.contains("1 of 1 trials failed") && said.contains("the file system of disk is full"),
        "{said}"
    );
    // Without both it is known beforehand.
    let (code, said) = on_a_disk(&StoryFolder::new(), &format!("{DOWNLOAD} --answer 40m --until end"));
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("no room for the 40 MiB"), "{said}");
}

#[test]
fn a_folder_that_takes_no_file_is_named() {
    let place = StoryFolder::new();
    let (code, said) = on_a_disk(&place, &format!("mount -o remount,ro disk; {DOWNLOAD} --answer 1m"));
    assert_ne!(code, 0, "{said}");
    assert!(said.contains("disk") && said.contains("read-only"), "{said}");
    let missing = DOWNLOAD.replace("--target disk", "--target nowhere");
    let (code, said) = on_a_disk(&StoryFolder::new(), &missing);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("nowhere is no folder"), "{said}");
}

#[test]
fn the_fastest_second_of_a_download_stands_beside_its_mean() {
    let place = StoryFolder::new();
    let short = ["--answer", "1m", "--duration", "2s", "--warm-up", "0", "--trials", "1"];
    let output = place.run(&[&["run", "http.download", "--json"], &short[..]].concat());
    let document: Value = serde_json::from_str(&crate::common::stdout(&output)).unwrap();
    let estimates = &document["cases"][0]["loads"][0]["estimates"];
    let [mean, peak] = ["throughput", "throughput_peak"].map(|name| estimates[name]["median"].as_f64());
    // Not above it for certain: of a second and a half, the middle is in every second.
    assert!(mean.zip(peak).is_some_and(|(mean, peak)| peak > mean / 2.0), "{estimates}");
    assert!(estimates.get("throughput_sustained").is_none(), "nothing was written: {estimates}");
}

/// Here the disk is a file's loop device, which has no cache to switch: that factor is left out, and said.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn the_study_of_one_disk_behind_a_network_runs_as_one_command() {
    let network = TestNetwork::new("study");
    let folder = network.place.path().join("data");
    std::fs::create_dir(&folder).unwrap();
    let target = folder.to_str().unwrap();
    let small = ["--size", "200MiB", "--answer", "100MiB", "--duration", "300ms", "--no-extra"];
    let document = network.run(&[&["ssd-behind-10gbe", "--target", target], &small[..]].concat());
    assert_eq!(document["outcome"], "complete", "{document}");
    let cases = document["cases"].as_array().unwrap();
    let of = |workload: &str| -> Vec<&Value> {
        let is_it = |case: &&Value| case["loads"][0]["workload"] == workload && measured(case);
        cases.iter().filter(is_it).collect()
    };
    // Two windows at two MTUs.
    assert_eq!(of("net.stream").len(), 4, "{document}");
    assert!(!of("disk").is_empty() && !of("http.download").is_empty(), "{document}");
    for case in of("http.download") {
        let estimates = case["loads"][0]["estimates"].as_object().unwrap();
        assert!(estimates.contains_key("throughput_durable"), "{estimates:?}");
    }
    // Each factor was changed and read back, or it is said why not.
    let left_out = cases.iter().filter(|case| !measured(case));
    let reasons: Vec<&str> = left_out.filter_map(|case| case["trials"][0]["reason"].as_str()).collect();
    for factor in ["device-write-cache", "swap"] {
        let was_changed = of("disk").iter().any(|case| case["settings"][factor].is_array());
        assert!(was_changed || reasons.iter().any(|reason| reason.contains(factor)), "{factor}: {reasons:?}");
    }
    assert_eq!(folder.read_dir().unwrap().count(), 0, "something stayed");
}

fn measured(case: &Value) -> bool {
    case["trials"].as_array().unwrap().iter().any(|trial| trial["status"] == "ok")
}
