//! Settings of a real interface, in a network namespace that the story makes:
//! changed, read back, and put back whatever happens. Needs root.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use rustix::process::Signal;
use serde_json::Value;

use crate::common::{StoryFolder, agent_of, eventually, lives, signal, stderr, stdout};

/// A namespace with one end of a veth pair, `va` with 10.213.1.1/24; gone when it
/// is dropped.
pub(crate) struct TestNetwork {
    pub(crate) name: String,
    pub(crate) place: StoryFolder,
}

impl TestNetwork {
    pub(crate) fn new(name: &str) -> Self {
        let network = Self { name: format!("hr-{name}-{}", std::process::id()), place: StoryFolder::new() };
        ip(&["netns", "add", &network.name]);
        let own: &[&[&str]] = &[
            &["link", "add", "va", "type", "veth", "peer", "name", "vb"],
            &["addr", "add", "10.213.1.1/24", "dev", "va"],
            &["link", "set", "va", "up"],
            &["link", "set", "vb", "up"],
            &["link", "set", "lo", "up"],
        ];
        for arguments in own {
            ip(&[&["-n", &network.name], *arguments].concat());
        }
        network
    }

    /// `headroom ARGUMENTS` inside.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.command_with_store_of(&self.place, arguments)
    }

    /// The same with the store of another folder, for runs that go on at once.
    fn command_with_store_of(&self, store: &StoryFolder, arguments: &[&str]) -> Command {
        let there = store.command(arguments);
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name]).arg(there.get_program()).args(there.get_args());
        for (name, value) in there.get_envs() {
            value.map(|value| command.env(name, value));
        }
        command.env("HEADROOM_STATE", self.state()).current_dir(store.path());
        command
    }

    /// The folder of the journal.
    fn state(&self) -> std::path::PathBuf {
        self.place.path().join("store.db-state")
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Starts a run of many trials that changes the MTU, and waits until it is
    /// changed.
    pub(crate) fn start(&self) -> Child {
        self.start_with(9000)
    }

    /// Has such a run killed together with its agent, so that nobody puts anything back.
    pub(crate) fn kill_both(&self) {
        let mut run = self.start();
        let agent = agent_of(run.id());
        // Neither may clean up: both are stopped before they are killed.
        for with in [Signal::STOP, Signal::KILL] {
            [agent, run.id()].into_iter().for_each(|process| signal(process, with));
        }
        run.wait().unwrap();
        eventually("both are gone", || !lives(agent));
        assert_eq!(self.mtu(), 9000);
    }

    fn start_with(&self, mtu: u64) -> Child {
        let set = format!("mtu@va={mtu}");
        let arguments = ["run", "cpu.primes", "--set", &set, "--duration", "300ms", "--trials", "60"];
        let mut command = self.command(&arguments);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        eventually("the MTU is changed", || self.mtu() == mtu);
        child
    }

    fn number(&self, file: &str) -> u64 {
        let path = format!("/sys/class/net/va/{file}");
        // `ip netns exec` mounts the sysfs of the namespace.
        let output = Command::new("ip").args(["netns", "exec", &self.name, "cat", &path]).output().unwrap();
        stdout(&output).trim().parse().unwrap_or_else(|_| panic!("{}", stderr(&output)))
    }

    pub(crate) fn mtu(&self) -> u64 {
        self.number("mtu")
    }

    pub(crate) fn journal(&self) -> std::path::PathBuf {
        self.state().join("settings.journal")
    }

    fn document(&self, arguments: &[&str]) -> (i32, Value) {
        let output = self.run(&[arguments, &["--json"]].concat());
        let document = serde_json::from_slice(&output.stdout);
        (output.status.code().unwrap(), document.unwrap_or_else(|e| panic!("{e}: {}", stderr(&output))))
    }
}

impl Drop for TestNetwork {
    fn drop(&mut self) {
        let _ = Command::new("ip").args(["netns", "del", &self.name]).status();
    }
}

fn ip(arguments: &[&str]) {
    let output = Command::new("ip").args(arguments).output().expect("ip is installed");
    assert!(output.status.success(), "ip {}: {}", arguments.join(" "), stderr(&output));
}

const SHORT: &[&str] = &["run", "cpu.primes", "--duration", "50ms", "--trials", "2", "--warm-up", "0"];

#[test]
fn levels_of_a_setting_are_measured_apart_and_put_back() {
    let network = TestNetwork::new("levels");
    let sets = ["--set", "mtu@va=1400,9000", "--set", "tx-queue-length@va=123"];
    let plan = network.run(&[SHORT, &sets, &["--dry-run"]].concat());
    let said = stdout(&plan);
    assert!(said.contains("changes mtu of va on this machine: 1400, 9000; and puts it back"), "{said}");
    assert!(said.contains("Group 2 of 2"), "{said}");
    assert!(!network.journal().exists());
    let (code, document) = network.document(&[SHORT, &sets].concat());
    assert_eq!(code, 0);
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 2);
    for (case, level) in cases.iter().zip([1400, 9000]) {
        let state = &case["settings"]["mtu@va"][0];
        assert_eq!(state["resource"], "nic:va");
        assert_eq!(state["machine"], "local");
        assert_eq!((&state["asked"], &state["read_back"]), (&level.into(), &level.into()));
        assert_eq!(state["before"], 1500);
        assert_eq!(case["settings"]["tx-queue-length@va"][0]["read_back"], 123);
        let settings = case["label"]["settings"].as_array().unwrap();
        let is_it = |part: &serde_json::Value| part["name"] == "mtu@va" && part["value"] == level;
        assert!(settings.iter().any(is_it), "{}", case["label"]);
        assert_eq!(case["work_id"], cases[0]["work_id"], "a setting is no other work");
        assert!(case["trials"].as_array().unwrap().iter().all(|t| t["status"] == "ok"));
    }
    assert_ne!(cases[0]["block"], cases[1]["block"]);
    assert_eq!((network.mtu(), network.number("tx_queue_len")), (1500, 1000));
    assert!(!network.journal().exists());
    let shown = stdout(&network.place.run(&["show", "-v", "last"]));
    let told = "MTU of network interface va: 1500 before, 1400, 9000";
    assert!(shown.lines().any(|line| line.contains(told)), "{shown}");
    let compared = network.place.run(&["compare", "last", "--by", "mtu@va"]);
    assert!(stdout(&compared).contains("9000"), "{}{}", stdout(&compared), stderr(&compared));
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_study_file_has_settings_too() {
    let network = TestNetwork::new("file");
    let study = "[settings]\n\"mtu@va\" = [1400, 9000]\n[trials]\ntrials = 1\n[[workload]]\n\
                 kind = \"cpu.primes\"\nduration = \"50ms\"\n";
    std::fs::write(network.place.path().join("store.db-study.toml"), study).unwrap();
    let (code, document) = network.document(&["run", "./store.db-study.toml"]);
    assert_eq!((code, document["cases"].as_array().unwrap().len()), (0, 2));
    assert_eq!(document["cases"][1]["settings"]["mtu@va"][0]["read_back"], 9000);
    let (_, document) = network.document(&["run", "./store.db-study.toml", "--set", "mtu@va=1300"]);
    assert_eq!(document["cases"].as_array().unwrap().len(), 1, "what is typed wins");
    assert_eq!(network.mtu(), 1500);
}

#[test]
fn a_refused_value_is_a_failed_trial_and_the_rest_goes_on() {
    let network = TestNetwork::new("refused");
    let sets = ["--set", "mtu@va=100000,9000", "--set", "tx-queue-length@va=123"];
    let (code, document) = network.document(&[SHORT, &sets].concat());
    assert_eq!(code, 1);
    let case = |at: usize| &document["cases"][at];
    for trial in case(0)["trials"].as_array().unwrap() {
        let reason = trial["reason"].as_str().unwrap();
        assert!(reason.contains("mtu=100000") && reason.contains("68 to 65535"), "{reason}");
    }
    assert_eq!(case(0)["settings"]["mtu@va"][0].get("read_back"), None, "nothing was read back");
    assert_eq!(case(1)["settings"]["mtu@va"][0]["read_back"], 9000);
    assert!(case(1)["trials"].as_array().unwrap().iter().all(|t| t["status"] == "ok"));
    assert_eq!((network.mtu(), network.number("tx_queue_len")), (1500, 1000));
    assert!(!network.journal().exists());
}

#[test]
fn what_cannot_be_bound_is_refused_before_anything_is_touched() {
    let network = TestNetwork::new("unbound");
    for (set, says) in [
        ("mtu=9000", "mtu@eth0"),
        ("mtu@nope=9000", "no network interface `nope`"),
        ("mtuu@va=9000", "no setting `mtuu`"),
    ] {
        let output = network.run(&[SHORT, &["--set", set]].concat());
        assert_eq!(output.status.code(), Some(2), "{set}: {}", stderr(&output));
        assert!(stderr(&output).contains(says), "{set}: {}", stderr(&output));
    }
    let listed = stdout(&network.place.run(&["settings"]));
    assert!(listed.contains("mtu") && listed.contains("socket-buffer-max"), "{listed}");
    assert!(stdout(&network.place.run(&["settings", "mtu"])).contains("towards the peer"));
    assert_eq!(network.place.run(&["settings", "nope"]).status.code(), Some(2));
}

#[test]
fn ctrl_c_puts_everything_back() {
    let network = TestNetwork::new("ctrlc");
    let mut run = network.start();
    assert!(network.journal().exists(), "what is changed stands in the journal");
    signal(run.id(), Signal::INT);
    assert_eq!(run.wait().unwrap().code(), Some(130));
    assert_eq!(network.mtu(), 1500);
    assert!(!network.journal().exists());
}

#[test]
fn an_agent_whose_controller_is_killed_puts_its_own_back() {
    let network = TestNetwork::new("orphan");
    let mut run = network.start();
    signal(run.id(), Signal::KILL);
    run.wait().unwrap();
    eventually("the agent puts the MTU back", || network.mtu() == 1500);
    eventually("the journal is empty", || !network.journal().exists());
}

#[test]
fn after_an_agent_was_killed_the_next_one_puts_back_what_it_had_changed() {
    let network = TestNetwork::new("agent");
    let run = network.start();
    signal(agent_of(run.id()), Signal::KILL);
    eventually("another agent works", || children_agent(run.id()));
    assert_eq!(network.mtu(), 9000, "the run goes on as it was asked for");
    signal(run.id(), Signal::INT);
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert_eq!(network.mtu(), 1500);
    assert!(!network.journal().exists());
}

fn children_agent(run: u32) -> bool {
    let children = std::fs::read_to_string(format!("/proc/{run}/task/{run}/children")).unwrap_or_default();
    children.split_whitespace().filter_map(|c| c.parse().ok()).any(lives)
}

#[test]
fn after_a_power_cut_or_a_kill_restore_puts_back_and_no_run_starts_before() {
    let network = TestNetwork::new("killed");
    let mut run = network.start();
    let agent = agent_of(run.id());
    // Neither may clean up: both are stopped before they are killed.
    for process in [run.id(), agent] {
        signal(process, Signal::STOP);
    }
    for process in [agent, run.id()] {
        signal(process, Signal::KILL);
    }
    run.wait().unwrap();
    eventually("both are gone", || !lives(agent));
    assert_eq!(network.mtu(), 9000);
    let refused = network.run(SHORT);
    assert_eq!(refused.status.code(), Some(3), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("headroom restore"), "{}", stderr(&refused));
    // From another namespace it is said where it belongs.
    let elsewhere = network.place.run(&["restore"]);
    assert_eq!(elsewhere.status.code(), Some(1));
    let way = format!("ip netns exec {} headroom restore", network.name);
    assert!(stdout(&elsewhere).contains(&way), "{}", stdout(&elsewhere));
    assert_eq!(network.mtu(), 9000);
    let restored = network.run(&["restore"]);
    assert_eq!(restored.status.code(), Some(0), "{}", stderr(&restored));
    assert!(stdout(&restored).contains("mtu of nic:va: put back from 9000 to 1500"), "{}", stdout(&restored));
    assert_eq!(network.mtu(), 1500);
    assert!(stdout(&network.run(&["restore"])).contains("nothing to put back"));
    assert_eq!(network.run(SHORT).status.code(), Some(0));
}

#[test]
fn a_control_group_that_a_killed_run_left_is_removed_by_restore() {
    let place = StoryFolder::new();
    let journal = place.path().join("store.db-state/settings.journal");
    let arguments = ["run", "cpu.primes", "--set", "cgroup-cpu=0.5", "--duration", "300ms", "--trials", "60"];
    let mut run = place.start(&arguments);
    eventually("the change stands in the journal", || journal.exists());
    let entry: Value = serde_json::from_str(std::fs::read_to_string(&journal).unwrap().trim()).unwrap();
    let agent = u32::try_from(entry["owner"]["pid"].as_u64().unwrap()).unwrap();
    let folder = Path::new(entry["resource"].as_str().unwrap().strip_prefix("cgroup:").unwrap());
    let (name, groups) = (format!("headroom-{agent}"), format!("/proc/{agent}/cgroup"));
    assert!(folder.ends_with(&name), "{}", folder.display());
    eventually("the agent is in a group of its own", || {
        std::fs::read_to_string(&groups).unwrap_or_default().contains(&name)
    });
    for process in [run.id(), agent] {
        signal(process, Signal::STOP);
    }
    for process in [agent, run.id()] {
        signal(process, Signal::KILL);
    }
    run.wait().unwrap();
    eventually("both are gone", || !lives(agent));
    assert!(folder.is_dir());
    let restored = place.run(&["restore"]);
    assert_eq!(restored.status.code(), Some(0), "{}{}", stdout(&restored), stderr(&restored));
    assert!(stdout(&restored).contains("put back from 0.5 to none"), "{}", stdout(&restored));
    assert!(!folder.exists() && !journal.exists());
}

#[test]
fn restore_puts_back_what_the_kernel_changed_above_the_interface_too() {
    let network = TestNetwork::new("above");
    let there = ["-n", &network.name, "link", "add", "link", "va", "name", "m0", "type", "macvlan"];
    if !Command::new("ip").args(there).output().unwrap().status.success() {
        assert!(std::env::var_os("CI").is_none(), "this kernel has no macvlan");
        println!("skipped: this kernel has no macvlan");
        return;
    }
    let mtu_above = || {
        let output = Command::new("ip").args(["-n", &network.name, "link", "show", "m0"]).output().unwrap();
        stdout(&output).split_whitespace().skip_while(|word| *word != "mtu").nth(1).unwrap().to_owned()
    };
    let mut run = network.start_with(1300);
    assert_eq!(mtu_above(), "1300");
    let agent = agent_of(run.id());
    for process in [run.id(), agent] {
        signal(process, Signal::STOP);
    }
    for process in [agent, run.id()] {
        signal(process, Signal::KILL);
    }
    run.wait().unwrap();
    eventually("both are gone", || !lives(agent));
    // Somebody put the interface back by hand, which was not all.
    ip(&["-n", &network.name, "link", "set", "va", "mtu", "1500"]);
    let restored = network.run(&["restore"]);
    assert_eq!(restored.status.code(), Some(0), "{}", stderr(&restored));
    assert!(stdout(&restored).contains("mtu of nic:m0 from 1300 to 1500"), "{}", stdout(&restored));
    assert_eq!((network.mtu(), mtu_above().as_str()), (1500, "1500"));
}

#[test]
fn a_trial_whose_setting_somebody_changed_has_failed() {
    let network = TestNetwork::new("changed");
    let arguments = ["--set", "mtu@va=9000", "--duration", "700ms", "--trials", "2", "--warm-up", "0"];
    let mut command = network.command(&[&["run", "cpu.primes", "--json"], &arguments[..]].concat());
    let run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("the MTU is changed", || network.mtu() == 9000);
    ip(&["-n", &network.name, "link", "set", "va", "mtu", "1400"]);
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let trials = document["cases"][0]["trials"].as_array().unwrap();
    let states: Vec<_> = trials.iter().map(|trial| trial["status"].as_str().unwrap()).collect();
    assert_eq!(states, ["failed", "ok"], "the next trial is measured as asked");
    let reason = trials[0]["reason"].as_str().unwrap();
    assert!(reason.contains("changed mtu of nic:va from 9000 to 1400"), "{reason}");
    assert_eq!(network.mtu(), 1500);
}

#[test]
fn what_another_machine_left_is_dropped_only_when_it_is_said() {
    let network = TestNetwork::new("stranger");
    std::fs::create_dir_all(network.journal().parent().unwrap()).unwrap();
    let dead = r#"{"pid":1,"start_ticks":18446744073709551615}"#;
    let entry = format!(
        r#"{{"machine":"another","boot":"another","namespace":7,"owner":{dead},"controller":null,"setting":"mtu","resource":"nic:va","before":4321,"asked":9000}}"#
    );
    std::fs::write(network.journal(), entry + "\n").unwrap();
    let told = network.run(&["restore"]);
    assert_eq!(told.status.code(), Some(1));
    assert!(stdout(&told).contains("headroom restore --drop"), "{}", stdout(&told));
    assert!(network.journal().exists());
    let dropped = network.run(&["restore", "--drop"]);
    assert_eq!(dropped.status.code(), Some(0), "{}", stderr(&dropped));
    assert!(stdout(&dropped).contains("not put back; it was 4321 before"), "{}", stdout(&dropped));
    assert!(!network.journal().exists());
    assert_eq!(network.mtu(), 1500);
}

/// An upgrade after a kill: the journal is the one that version 0.1 wrote.
#[test]
fn what_version_0_1_left_is_put_back() {
    let network = TestNetwork::new("upgrade");
    let written = include_str!("../../../../tests/corpus/settings-0.1.journal");
    let mut entry: Value = serde_json::from_str(written).unwrap();
    let here = |path: &str| Value::from(std::fs::read_to_string(path).unwrap().trim());
    entry["machine"] = here("/etc/machine-id");
    entry["boot"] = here("/proc/sys/kernel/random/boot_id");
    let namespace = ["netns", "exec", &network.name, "stat", "-L", "-c", "%i", "/proc/self/ns/net"];
    let inode = stdout(&Command::new("ip").args(namespace).output().unwrap());
    entry["namespace"] = inode.trim().parse::<u64>().unwrap().into();
    entry["resource"] = "nic:va".into();
    std::fs::create_dir_all(network.journal().parent().unwrap()).unwrap();
    std::fs::write(network.journal(), format!("{entry}\n")).unwrap();
    ip(&["-n", &network.name, "link", "set", "va", "mtu", "1400"]);
    let restored = network.run(&["restore"]);
    assert_eq!(restored.status.code(), Some(0), "{}{}", stdout(&restored), stderr(&restored));
    assert_eq!(network.mtu(), 1500);
    assert!(!network.journal().exists());
}

#[test]
fn another_run_is_not_disturbed() {
    let network = TestNetwork::new("other");
    let mut run = network.start();
    let second = network.run(SHORT);
    assert_eq!(second.status.code(), Some(3));
    assert!(stderr(&second).contains("another run"), "{}", stderr(&second));
    let restored = network.run(&["restore"]);
    assert_eq!(restored.status.code(), Some(1));
    assert!(stdout(&restored).contains("will put it back itself"), "{}", stdout(&restored));
    assert_eq!(network.mtu(), 9000);
    signal(run.id(), Signal::INT);
    run.wait().unwrap();
    assert_eq!(network.mtu(), 1500);
}

#[test]
fn of_two_runs_that_start_together_each_has_its_own_level_or_is_told_of_the_other() {
    let network = TestNetwork::new("two");
    let stores = [StoryFolder::new(), StoryFolder::new()];
    let start = |(store, mtu): (&StoryFolder, u64)| {
        let set = format!("mtu@va={mtu}");
        let words = ["run", "null", "--duration", "300ms", "--warm-up", "0", "--trials", "2", "--json"];
        let mut command = network.command_with_store_of(store, &[&words[..], &["--set", &set]].concat());
        (mtu, command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    };
    let runs: Vec<(u64, Child)> = stores.iter().zip([4000, 9000]).map(start).collect();
    let mut got_in = 0;
    for (mtu, run) in runs {
        let output = run.wait_with_output().unwrap();
        if output.status.code() != Some(0) {
            let said = stderr(&output);
            assert!(
                [Some(1), Some(3)].contains(&output.status.code()) && said.contains("another run"),
                "{said}"
            );
            continue;
        }
        got_in += 1;
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        let state = &document["cases"][0]["settings"]["mtu@va"][0];
        assert_eq!((&state["before"], &state["read_back"]), (&1500.into(), &mtu.into()), "{state}");
    }
    assert!(got_in > 0, "one of them gets in");
    assert_eq!(network.mtu(), 1500);
    assert!(!network.journal().exists());
}

#[test]
fn a_journal_that_cannot_be_read_stops_a_run() {
    let network = TestNetwork::new("damaged");
    std::fs::create_dir_all(network.journal().parent().unwrap()).unwrap();
    std::fs::write(network.journal(), "garbage\n").unwrap();
    let refused = network.run(SHORT);
    assert_eq!(refused.status.code(), Some(3));
    assert!(stderr(&refused).contains("line 1"), "{}", stderr(&refused));
    assert!(Path::new(&network.journal()).exists());
}
