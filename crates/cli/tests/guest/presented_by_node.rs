//! Disks that a node presents to its controller: the node in a network namespace, the controller on this machine, where the
//! kernel's clients are. What either end made goes when the run ends, when the controller is killed and when the node is.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use rustix::process::Signal;

use crate::common::{StoryFolder, agent_of, kill_together, lives, signal, stderr, stdout};
use crate::presented::{DISK, ISCSI, NVME, bed, follow, names, no_target_is_left};
use crate::test_bed::{TestBed, does, eventually};

const NAMESPACE: &str = "hr-presenting";
const ADDRESS: &str = "10.218.0.2";
const SUBSYSTEMS: &str = "/sys/kernel/config/nvmet/subsystems";

/// A wire between this machine and the namespace, which goes with that.
fn wire(bed: &mut TestBed) {
    bed.build(&["ip", "netns", "add", NAMESPACE], &["ip", "netns", "del", NAMESPACE]);
    does(&["ip", "link", "add", "near0", "type", "veth", "peer", "name", "far0", "netns", NAMESPACE]);
    does(&["ip", "address", "add", "10.218.0.1/24", "dev", "near0"]);
    does(&["ip", "link", "set", "near0", "up"]);
    let far = ["ip", "-n", NAMESPACE];
    does(&[&far[..], &["address", "add", &format!("{ADDRESS}/24"), "dev", "far0"]].concat());
    does(&[&far[..], &["link", "set", "far0", "up"]].concat());
}

/// A node that presents the disk.
struct PresentingNode {
    place: StoryFolder,
    process: Child,
    join: String,
}

impl PresentingNode {
    fn start() -> Self {
        let place = StoryFolder::new();
        let listen = format!("{ADDRESS}:7117");
        let inner =
            place.command(&["node", "--listen", &listen, "--key-file", "node.json", "--present", DISK]);
        let mut command = Command::new("ip");
        command.args(["netns", "exec", NAMESPACE]).arg(inner.get_program()).args(inner.get_args());
        command.current_dir(place.path()).env("HEADROOM_STATE", place.path().join("store.db-state"));
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut join = String::new();
        let mut lines = BufReader::new(process.stdout.take().unwrap());
        lines.read_line(&mut join).unwrap();
        let join = join.trim().to_owned();
        assert!(join.starts_with(&format!("headroom://{ADDRESS}:7117#")), "{join}");
        Self { place, process, join }
    }

    /// A run here that drives what the node presents by `way`.
    fn arguments<'a>(&'a self, way: &'a str, duration: &'a str) -> Vec<&'a str> {
        let load = ["run", "disk", "--target", DISK, "--present", way, "--presented-by", &self.join];
        let how = ["--pattern", "randwrite", "--size", "16MiB", "--duration", duration];
        [&load[..], &how, &["--warm-up", "10ms", "--trials", "1"]].concat()
    }

    /// A long run here that drives what the node presents, once that is there.
    fn presenting(&self, place: &StoryFolder) -> Child {
        let run = place.start(&self.arguments("nvme-tcp", "600s"));
        eventually("it is presented", || {
            !names(SUBSYSTEMS).is_empty() && !names("/sys/class/nvme").is_empty()
        });
        run
    }

    /// The process of its agent: `ip` became the node, whose sessions are threads.
    fn agent(&self) -> u32 {
        let tasks = format!("/proc/{}/task", self.process.id());
        let of_threads = names(&tasks).into_iter().filter_map(|thread| {
            let text = std::fs::read_to_string(format!("{tasks}/{thread}/children")).ok()?;
            text.split_whitespace().next()?.parse().ok()
        });
        of_threads.into_iter().next().expect("the node has an agent")
    }

    /// The node ends by itself, with all that it presents.
    fn end(mut self) {
        signal(self.process.id(), Signal::TERM);
        self.process.wait().unwrap();
        no_target_is_left(&self.place);
    }
}

impl Drop for PresentingNode {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_node_presents_a_disk_that_its_controller_drives_and_nothing_is_left_at_either_end() {
    let mut bed = bed(&[ISCSI, NVME].concat());
    wire(&mut bed);
    let node = PresentingNode::start();
    for (way, disk) in [("iscsi", "block:sd"), ("nvme-tcp", "block:nvme")] {
        let place = StoryFolder::new();
        let (code, document) = place.document(&node.arguments(way, "200ms"));
        assert_eq!(code, 0, "{document}");
        let case = &document["cases"][0];
        assert!(case["trials"].as_array().unwrap().iter().all(|trial| trial["status"] == "ok"), "{case}");
        let path = case["path"].as_array().unwrap();
        let path: String =
            path.iter().map(|step| format!("{}\n", step["resource"].as_str().unwrap())).collect();
        follow(&path, &[disk, "nic:near0", &format!("server:{ADDRESS}")]);
        // Neither the key nor the secret of the target.
        let text = document.to_string();
        let key = node.join.split_once('#').unwrap().1;
        assert!(!text.contains(key) && !text.contains("\"secret\""), "{text}");
        no_target_is_left(&place);
        no_target_is_left(&node.place);
    }
    node.end();
}

/// So layers at a node are compared: a stack up to each is presented in turn.
#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn several_stacks_of_a_node_are_presented_in_turn() {
    let mut bed = bed(NVME);
    wire(&mut bed);
    let node = PresentingNode::start();
    let place = StoryFolder::new();
    let run = [&node.arguments("nvme-tcp", "200ms")[..], &["--stack", "crypt,crypt > luks"]].concat();
    let (code, document) = place.document(&run);
    assert_eq!(code, 0, "{document}");
    let cases = document["cases"].as_array().unwrap();
    let stacks: Vec<&str> =
        cases.iter().map(|case| case["loads"][0]["parameters"]["stack"].as_str().unwrap()).collect();
    assert_eq!(stacks, ["crypt", "crypt > luks"]);
    assert!(cases.iter().all(|case| case["trials"][0]["status"] == "ok"), "{document}");
    no_target_is_left(&place);
    no_target_is_left(&node.place);
    node.end();
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn what_the_owner_of_a_node_did_not_name_is_not_presented() {
    let mut bed = bed(NVME);
    wire(&mut bed);
    let node = PresentingNode::start();
    let place = StoryFolder::new();
    let other: Vec<&str> = node
        .arguments("nvme-tcp", "200ms")
        .into_iter()
        .map(|word| if word == DISK { "/tmp" } else { word })
        .collect();
    let refused = place.run(&other);
    assert_eq!(refused.status.code(), Some(3), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("was not started to present"), "{}", stderr(&refused));
    no_target_is_left(&place);
    node.end();
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_node_takes_down_what_it_presents_when_its_controller_is_killed() {
    let mut bed = bed(NVME);
    wire(&mut bed);
    let node = PresentingNode::start();
    let place = StoryFolder::new();
    let mut run = node.presenting(&place);
    let agent = agent_of(run.id());
    kill_together([run.id(), agent]);
    run.wait().unwrap();
    eventually("both are gone", || !lives(agent));
    eventually("the node has taken it down", || names(SUBSYSTEMS).is_empty());
    let restored = place.run(&["restore"]);
    assert_eq!(restored.status.code(), Some(0), "{}{}", stdout(&restored), stderr(&restored));
    eventually("its record is gone", || {
        names(&node.place.path().join("store.db-state/stacks").to_string_lossy()).is_empty()
    });
    no_target_is_left(&place);
    node.end();
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn restore_takes_down_what_a_killed_node_presented() {
    let mut bed = bed(NVME);
    wire(&mut bed);
    let node = PresentingNode::start();
    let place = StoryFolder::new();
    let mut run = node.presenting(&place);
    let agent = node.agent();
    kill_together([node.process.id(), agent]);
    eventually("the node is gone", || !lives(agent));
    // The kernel of a node goes on presenting.
    signal(run.id(), Signal::INT);
    run.wait().unwrap();
    let restored = node.place.run(&["restore"]);
    assert_eq!(restored.status.code(), Some(0), "{}{}", stdout(&restored), stderr(&restored));
    let said = stdout(&restored).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("nvme-tcp-target"), "{said}");
    no_target_is_left(&node.place);
    no_target_is_left(&place);
}
