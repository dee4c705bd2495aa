//! Downloads to file systems that have no room, or take nothing: an ext4 of our own on a loop device, in a
//! mount namespace of our own. And the study of one disk behind a fast network. Those need root.

use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::common::{StoryFolder, program, stderr};
use crate::device::Disk;
use crate::network::{TestNetwork, tool};
use crate::web_server::WebServer;

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

/// The server says no length, so that nobody knows beforehand; and it never ends.
#[test]
fn a_disk_that_fills_in_the_middle_is_named_however_bytes_are_moved() {
    let server = WebServer::start(None, |_, client| {
        client.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
        loop {
            client.write_all(&[7; 64 << 10])?;
        }
    });
    let url = server.url("/");
    for how in ["--move buffer", "--move splice", "--move io_uring", "--direct yes"] {
        let run = format!("{DOWNLOAD} --url {url} --duration 60s {how}");
        let (code, said) = on_a_disk(&StoryFolder::new(), &run);
        assert_eq!(code, 1, "{how}: {said}");
        let is_named = said.contains("the file system of disk is full after");
        assert!(is_named && said.contains("1 of 1 trials failed"), "{how}: {said}");
    }
}

#[test]
fn regression_the_plan_of_a_download_to_a_disk_said_that_nothing_is_written() {
    let place = StoryFolder::new();
    std::fs::create_dir(place.path().join("data")).unwrap();
    let plan = |words: &[&str]| {
        let output = place.run(&[&["run", "http.download", "--dry-run"], words].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        crate::common::stdout(&output)
    };
    let said = plan(&["--target", "data", "--streams", "1,2"]);
    let named = said.lines().filter(|line| line.starts_with("writes into ") && line.ends_with("data"));
    assert_eq!(named.count(), 1, "{said}");
    assert!(!said.contains("Nothing is written") && said.contains("No setting is changed."), "{said}");
    let said = plan(&[]);
    assert!(said.contains("Nothing is written, no setting is changed."), "{said}");
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
    // One of two seconds is not slower than both together, but for the intervals at the edges, which are in neither.
    assert!(mean.zip(peak).is_some_and(|(mean, peak)| peak > 0.8 * mean), "{estimates}");
    assert!(estimates.get("throughput_sustained").is_none(), "nothing was written: {estimates}");
}

/// An ext4 of our own on a loop device, unmounted however a story ends.
struct MountedDisk {
    folder: PathBuf,
    /// Detached after it is unmounted.
    disk: Disk,
}

impl MountedDisk {
    /// None, said on the way, where there are no loop devices for us.
    fn new(place: &StoryFolder, mib: u64) -> Option<Self> {
        let disk = Disk::of(place, "image", mib)?;
        let folder = place.path().join("data");
        std::fs::create_dir(&folder).unwrap();
        tool("mkfs.ext4", &["-q", "-F", "-m", "0", &disk.path]);
        tool("mount", &[&disk.path, folder.to_str().unwrap()]);
        Some(Self { folder, disk })
    }

    /// What is in it but what the file system made.
    fn names(&self) -> Vec<String> {
        let entries = self.folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name());
        entries.map(|name| name.into_string().unwrap()).filter(|name| name != "lost+found").collect()
    }

    /// The resource that it is: `block:loop3`.
    fn resource(&self) -> String {
        format!("block:{}", self.disk.path.rsplit('/').next().unwrap())
    }
}

impl Drop for MountedDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.folder).status();
    }
}

/// What the study changes here, as it stands: the areas of swap, and the interfaces of both namespaces.
fn states(network: &TestNetwork) -> String {
    // Of an area how much is in use is no state of it.
    let swaps = std::fs::read_to_string("/proc/swaps").unwrap();
    let areas: Vec<&str> = swaps.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let mtu = |namespace: &str, device: &str| {
        let output = Command::new("ip").args(["-n", namespace, "link", "show", device]).output().unwrap();
        let said = crate::common::stdout(&output);
        said.split_once("mtu ").unwrap().1.split_whitespace().next().unwrap().to_owned()
    };
    format!("{areas:?} {} {}", mtu(&network.near, "near0"), mtu(&network.far, "far0"))
}

/// The disk is a loop device, which has no cache of its own to switch: that factor is left out, and said.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn the_study_of_one_disk_behind_a_network_runs_as_one_command() {
    let network = TestNetwork::new("study");
    let Some(disk) = MountedDisk::new(&network.place, 1024) else { return };
    let before = states(&network);
    let target = disk.folder.to_str().unwrap();
    let small = ["--size", "200MiB", "--answer", "100MiB", "--no-extra"];
    let document = network.run(&[&["ssd-behind-10gbe", "--target", target], &small[..]].concat());
    assert_eq!(document["outcome"], "complete", "{document}");
    let cases = document["cases"].as_array().unwrap();
    let of = |workload: &str| -> Vec<&Value> {
        let is_it = |case: &&Value| {
            let is_observed = case["role"]["kind"] == "observed";
            case["loads"][0]["workload"] == workload && measured(case) && !is_observed
        };
        cases.iter().filter(is_it).collect()
    };
    // Two windows at two MTUs.
    assert_eq!(of("net.stream").len(), 4, "{document}");
    assert!(!of("disk").is_empty() && !of("http.download").is_empty(), "{document}");
    for case in of("http.download") {
        let estimates = case["loads"][0]["estimates"].as_object().unwrap();
        assert!(estimates.contains_key("throughput_durable"), "{estimates:?}");
        let path: Vec<&str> =
            case["path"].as_array().unwrap().iter().filter_map(|step| step["resource"].as_str()).collect();
        let passes = |what: &str| path.iter().any(|resource| resource.starts_with(what));
        assert!(passes(&disk.resource()) && passes("filesystem:") && passes("nic:near0"), "{path:?}");
    }
    // Each factor was changed and read back, or it is said why not.
    let left_out = cases.iter().filter(|case| !measured(case));
    let reasons: Vec<&str> = left_out.filter_map(|case| case["trials"][0]["reason"].as_str()).collect();
    // What the kernel sent was traced, or it is said why not.
    let is_traced = |case: &Value| case["trials"][0]["machines"][0]["block_trace"].is_object();
    let is_said = reasons.iter().any(|reason| reason.contains("block-trace"));
    assert!(cases.iter().any(is_traced) || is_said, "{reasons:?}");
    let was_changed = |factor: &str| of("disk").iter().any(|case| case["settings"][factor].is_array());
    for factor in ["device-write-cache", "swap"] {
        let is_said = reasons.iter().any(|reason| reason.contains(factor));
        assert!(was_changed(factor) || is_said, "{factor}: {reasons:?}");
    }
    assert!(!was_changed("device-write-cache"), "a loop device has no cache of its own");
    // The question is answered by what was measured, on the page and on the terminal.
    let answer = answer(&document);
    let rates = |code: &str| {
        answer["evidence"].as_array().unwrap().iter().filter(|evidence| evidence["code"] == code).count()
    };
    assert_eq!((rates("absorbs-source"), rates("absorbs-sink")), (1, 1), "{answer}");
    assert_eq!(rates("absorbs-joint"), of("http.download").len(), "{answer}");
    let shown = crate::common::stdout(&network.place.run(&["show", "last"]));
    let told: Vec<&str> = shown.lines().skip_while(|line| !line.contains("The answer")).take(3).collect();
    assert!(told.len() == 3 && told.iter().all(|line| line.chars().count() <= 80), "{shown}");
    // With the answer, and what the kernel sent.
    for (language, words, sent) in [
        ("en", "<dt>The answer</dt>", "Where requests spent their time"),
        ("ko", "<dt>답</dt>", "요청의 시간 내역"),
        ("ja", "<dt>答え</dt>", "リクエストの時間の内訳"),
    ] {
        let page = network.place.run(&["report", "last", "--lang", language, "-o", "page.html"]);
        assert!(page.status.success(), "{}", stderr(&page));
        let text = std::fs::read_to_string(network.place.path().join("page.html")).unwrap();
        assert!(text.contains(words), "{language}");
        assert_eq!(text.contains(sent), cases.iter().any(is_traced), "{language}");
    }
    assert_eq!(disk.names(), [""; 0], "something stayed");
    assert_eq!(states(&network), before, "all is as it was found");
}

/// What the run's question came to.
fn answer(document: &Value) -> &Value {
    let found = document["findings"].as_array().unwrap().iter().find(|found| found["kind"] == "answer");
    found.unwrap_or_else(|| panic!("no answer: {document}"))
}

fn measured(case: &Value) -> bool {
    case["trials"].as_array().unwrap().iter().any(|trial| trial["status"] == "ok")
}
