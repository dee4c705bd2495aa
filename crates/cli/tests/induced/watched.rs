//! What `headroom watch` says beside a limit that somebody laid: it stands in the first line, as what is nearest to being full or
//! as one of those that are full too, for others may keep this machine's processors busy meanwhile.

use std::process::{Child, Command, Stdio};

use crate::common::{StoryFolder, stderr, stdout};
use crate::group::{Group, Limit};
use crate::trouble::{alone, device_of};

/// A load that ends when it is dropped.
struct Beside(Vec<Child>);

impl Beside {
    fn start(command: &mut Command) -> Self {
        Self(vec![command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()])
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

/// Watches for so long; the first line at its end, and the rows below it.
fn watched(place: &StoryFolder, time: &str) -> (String, Vec<String>) {
    let output = place.run(&["watch", "--interval", "1s", "--for", time, "-v"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    let is_first = |line: &&str| line.as_bytes().get(8) == Some(&b'Z');
    let last = lines.iter().rposition(is_first).unwrap_or_else(|| panic!("{text}"));
    (lines[last].to_owned(), lines[last + 1..].iter().map(|line| (*line).to_owned()).collect())
}

/// Whether a resource is called full, wherever in the line.
fn is_full(line: &str, name: &str) -> bool {
    let nearest = line.contains(&format!("{name}: full"));
    nearest || line.split_once("also full: ").is_some_and(|(_, others)| others.contains(name))
}

/// The row of a resource.
fn row<'a>(rows: &'a [String], name: &str) -> &'a str {
    rows.iter().find(|row| row.trim_start().starts_with(name)).unwrap_or_else(|| panic!("{name}: {rows:#?}"))
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_group_at_its_quota_is_called_full_and_its_time_is_known() {
    let _alone = alone();
    let place = StoryFolder::new();
    let group = Group::new(Limit::Cpu(10));
    let _load = Beside::start(&mut group.around(&shell("while :; do :; done")));
    let (line, rows) = watched(&place, "9s");
    let row = row(&rows, "control group ");
    assert!(row.contains("headroom-story-") && !row.contains("not counted"), "{row}");
    let full = is_full(&line, "headroom-story-") || line.contains("headroom-story-") && line.contains("full");
    assert!(full, "{line}\n{rows:#?}");
}

/// Programs that live for a moment are in their shell's account of children.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn the_time_of_a_group_has_that_of_programs_which_come_and_go() {
    let _alone = alone();
    let place = StoryFolder::new();
    let group = Group::new(Limit::Cpu(10));
    let _load = Beside::start(&mut group.around(&shell("while :; do /bin/true; done")));
    let (_, rows) = watched(&place, "9s");
    let row = row(&rows, "control group ");
    // `0.10 CPUs, stopped in ...`: all of a tenth, which is what it may.
    let used = row.split_whitespace().zip(row.split_whitespace().skip(1));
    let cpus: Vec<f64> =
        used.filter(|(_, unit)| unit.starts_with("CPUs")).filter_map(|(cpus, _)| cpus.parse().ok()).collect();
    assert!(cpus.iter().any(|cpus| *cpus >= 0.05), "{row}");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_group_at_the_throttle_of_its_disk_is_called_full() {
    let _alone = alone();
    let place = StoryFolder::new();
    let group = Group::new(Limit::Reads(&device_of(&place), 200));
    std::fs::write(place.path().join("data"), vec![1_u8; 256 << 10]).unwrap();
    let script = "while :; do dd if=data of=/dev/null bs=4k iflag=direct || exit 1; done";
    let mut command = group.around(shell(script).current_dir(place.path()));
    let _load = Beside::start(&mut command);
    let (line, rows) = watched(&place, "6s");
    let row = row(&rows, "control group ");
    assert!(row.contains("headroom-story-") && row.contains(" on "), "{row}");
    assert!(line.contains("headroom-story-") && line.contains("full"), "{line}\n{rows:#?}");
}

#[test]
fn neighbours_on_all_processors_are_called_full() {
    let _alone = alone();
    let place = StoryFolder::new();
    let cpus = std::thread::available_parallelism().unwrap().get();
    let mut command = shell("while :; do :; done");
    let loads = (0..2 * cpus).map(|_| command.stdout(Stdio::null()).spawn().unwrap());
    let _load = Beside(loads.collect());
    let (line, rows) = watched(&place, "3s");
    assert!(is_full(&line, "all CPUs"), "{line}\n{rows:#?}");
}

/// Two ends of a pair of interfaces, the far one in a namespace of its own; gone when it is dropped.
struct Pair {
    namespace: String,
    near: String,
}

impl Pair {
    /// One that sends 20 Mbit/s at most.
    fn shaped() -> Self {
        let id = std::process::id();
        let pair = Self { namespace: format!("headroom-story-{id}"), near: format!("hrw{id}") };
        let far = "hrw-far";
        let (ns, near) = (pair.namespace.as_str(), pair.near.as_str());
        for words in [
            format!("ip netns add {ns}"),
            format!("ip link add {near} type veth peer name {far} netns {ns}"),
            format!("ip address add 10.219.7.1/24 dev {near}"),
            format!("ip link set {near} up"),
            format!("ip -n {ns} address add 10.219.7.2/24 dev {far}"),
            format!("ip -n {ns} link set {far} up"),
            format!("tc qdisc add dev {near} root tbf rate 20mbit burst 32k latency 50ms"),
        ] {
            let words: Vec<&str> = words.split(' ').collect();
            let output = Command::new(words[0]).args(&words[1..]).output().unwrap();
            assert!(output.status.success(), "this story needs root: {words:?}: {}", stderr(&output));
        }
        pair
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        let _ = Command::new("ip").args(["link", "delete", &self.near]).output();
        let _ = Command::new("ip").args(["netns", "delete", &self.namespace]).output();
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn an_interface_at_its_shaper_is_called_full_while_something_is_downloaded() {
    let _alone = alone();
    let place = StoryFolder::new();
    let pair = Pair::shaped();
    // Datagrams that nobody asked for are as good as a download: they wait for the shaper, which is what is told.
    let socket = std::net::UdpSocket::bind("10.219.7.1:0").unwrap();
    let over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(std::sync::atomic::Ordering::Relaxed) {
                // A full queue drops them; a far end without a listener answers with an error.
                let _ = socket.send_to(&[0; 1400], "10.219.7.2:9");
            }
        });
        let (line, rows) = watched(&place, "6s");
        over.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(line.contains(&pair.near) && line.contains("full"), "{line}\n{rows:#?}");
    });
}
