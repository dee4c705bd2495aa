//! What a machine is made of, from the command line: this one, and all that
//! were recorded.

use std::path::{Path, PathBuf};

use model::machine::{CheckTime, ConditionCheck, Inventory};
use model::{Finding, FindingKind, Machine, Severity};

use crate::common::{StoryFolder, stderr, stdout};

/// Runs and reads the JSON that it prints.
fn machine(place: &StoryFolder, arguments: &[&str]) -> Machine {
    let output = place.run(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A page is 80 columns wide and has nothing that a terminal obeys.
fn is_a_page(text: &str, of: &str) {
    assert!(!text.is_empty(), "{of}");
    for line in text.lines() {
        assert!(console::measure_text_width(line) <= 80, "{of}: {line}");
        assert!(!line.chars().any(char::is_control), "{of}: {line:?}");
        assert_eq!(line.trim_end(), line, "{of}: spaces at the end");
    }
}

/// The recorded machines of this project.
fn recorded() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hosts");
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut hosts: Vec<PathBuf> =
        entries.map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "host")).collect();
    hosts.sort();
    hosts
}

#[test]
fn this_machine_is_described_for_people_and_programs() {
    let place = StoryFolder::new();
    let output = place.run(&["machine"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    is_a_page(&text, "this machine");
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap();
    if let Some(model) = cpuinfo.lines().find_map(|l| l.strip_prefix("model name\t: ")) {
        assert!(text.contains(model.split_whitespace().next().unwrap()), "{text}");
    }
    let all = stdout(&place.run(&["machine", "-v"]));
    is_a_page(&all, "this machine, all");
    for title in ["System\n", "CPU\n", "Memory\n"] {
        assert!(all.contains(title) && !text.contains(title), "{title}: {all}");
    }
    let document = machine(&place, &["machine", "--json"]);
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    assert_eq!(document.inventory.kernel, release.trim());
    assert_eq!(place.names(), Vec::<String>::new());
}

#[test]
fn every_recorded_machine_is_described() {
    let place = StoryFolder::new();
    for host in recorded() {
        let path = host.to_str().unwrap();
        for more in [&[][..], &["--all"]] {
            let output = place.run(&[&["machine", "--host", path], more].concat());
            assert_eq!(output.status.code(), Some(0), "{path}: {}", stderr(&output));
            is_a_page(&stdout(&output), path);
        }
        let document = machine(&place, &["machine", "--json", "--host", path]);
        assert!(!document.inventory.kernel.is_empty() || !document.inventory.cpu.online.is_empty(), "{path}");
        let doctor = place.run(&["doctor", "--host", path]);
        is_a_page(&stdout(&doctor), path);
    }
}

/// What is equal whenever it is read: not what is free, hot, or busy.
fn lasting(machine: &Machine) -> Inventory {
    let mut inventory = machine.inventory.clone();
    inventory.memory.available_bytes = 0;
    inventory.system.uptime_s = None;
    inventory.sensors.clear();
    for node in &mut inventory.memory.nodes {
        node.free_bytes = None;
        // A guest's memory grows as its host hands it out.
        node.total_bytes = 0;
    }
    for swap in &mut inventory.memory.swap {
        swap.used_bytes = 0;
    }
    // Masked in a recording.
    inventory.system.command_line = None;
    inventory.system.kernel_version = None;
    inventory
}

#[test]
fn a_recording_reads_back_as_the_machine_that_it_was_made_of() {
    let place = StoryFolder::new();
    // With `--json` the same is said on standard error.
    let printed = place.run(&["machine", "--record", "printed.host"]);
    let said = stdout(&printed);
    is_a_page(&said, "printed.host");
    assert!(said.contains("printed.host") && said.contains("Look it over"), "{said}");
    for target in ["this.host", "this-folder"] {
        // The machine as it was when it was recorded: a moment later it has other interfaces and
        // mounts where tests beside this one make some.
        let output = place.run(&["machine", "--json", "--record", target]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let live: Machine = serde_json::from_slice(&output.stdout).unwrap();
        let live = lasting(&live);
        let said = stderr(&output);
        is_a_page(&said, target);
        assert!(said.contains(target) && said.contains("masked") && said.contains("Look it over"), "{said}");
        let files: usize = said.split_whitespace().find_map(|w| w.parse().ok()).unwrap();
        assert!(files > 20, "{said}");
        let read_back = lasting(&machine(&place, &["machine", "--json", "--host", target]));
        // A folder of files cannot say why something could not be read.
        let reasons = |i: &Inventory| Inventory { absent: Vec::new(), ..i.clone() };
        assert_eq!(reasons(&read_back), reasons(&live), "{target}");
        let again = place.run(&["machine", "--record", target]);
        assert_eq!(again.status.code(), Some(3), "{}", stderr(&again));
    }
}

/// All words of this machine that nobody else may see.
fn identities() -> Vec<String> {
    let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let mut found: Vec<String> = [
        "/etc/machine-id",
        "/proc/sys/kernel/hostname",
        "/sys/class/dmi/id/product_uuid",
        "/proc/sys/kernel/random/boot_id",
    ]
    .iter()
    .map(|path| read(Path::new(path)))
    .collect();
    for (folder, name) in
        [("/sys/class/net", "address"), ("/sys/block", "serial"), ("/sys/block", "device/serial")]
    {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        found.extend(entries.map(|e| read(&e.unwrap().path().join(name))));
    }
    // Letters that are in any text prove nothing, and the loopback has no address.
    found.retain(|word| word.len() >= 6 && !word.chars().all(|c| matches!(c, '0' | ':')));
    found
}

#[test]
fn a_recording_has_nothing_that_names_this_machine() {
    let place = StoryFolder::new();
    assert!(place.run(&["machine", "--record", "this.host"]).status.success());
    let text = std::fs::read_to_string(place.path().join("this.host")).unwrap().to_lowercase();
    // What samplers read while a load runs is in it, too.
    for path in ["/proc/stat", "/proc/diskstats", "/proc/vmstat"] {
        assert!(text.contains(&format!("==> {path}\n")), "{path} is not in the recording");
    }
    let secrets = identities();
    assert!(!secrets.is_empty(), "this machine has no identity to look for");
    for secret in secrets {
        assert!(!text.contains(&secret.to_lowercase()), "the recording contains {secret}");
    }
}

#[test]
fn a_picture_is_written_beside_the_text() {
    let place = StoryFolder::new();
    let output = place.run(&["machine", "--svg", "machine.svg"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    is_a_page(&stdout(&output), "with a picture");
    assert_eq!(place.names(), ["machine.svg"]);
    let picture = std::fs::read_to_string(place.path().join("machine.svg")).unwrap();
    assert!(picture.starts_with("<svg") && picture.trim_end().ends_with("</svg>"), "{picture}");
    assert!(stderr(&output).contains("machine.svg"), "{}", stderr(&output));
    // An old picture may be replaced.
    assert_eq!(place.run(&["machine", "--svg", "machine.svg"]).status.code(), Some(0));
    let output = place.run(&["machine", "--svg", "-"]);
    assert!(stdout(&output).starts_with("<svg") && stdout(&output).trim_end().ends_with("</svg>"));
    let output = place.run(&["machine", "--svg", "-", "--lang", "ko"]);
    assert!(
        stdout(&output).contains("lang=\"ko\"") && stdout(&output).contains("메모리"),
        "{}",
        stdout(&output)
    );
    assert_eq!(place.run(&["machine", "--lang", "ko"]).status.code(), Some(2), "nothing is drawn");
    assert_eq!(place.names(), ["machine.svg"]);
}

#[test]
fn the_doctor_says_what_it_found_and_its_exit_code_says_how_grave_it_is() {
    let place = StoryFolder::new();
    let output = place.run(&["doctor", "--json"]);
    let findings: Vec<Finding> = serde_json::from_slice(&output.stdout).unwrap();
    assert!(findings.iter().all(|f| f.kind == FindingKind::Condition));
    let grave = findings.iter().any(|f| f.severity >= Severity::Warning);
    assert_eq!(output.status.code(), Some(i32::from(grave)), "{}", stderr(&output));
    is_a_page(&stdout(&place.run(&["doctor"])), "the doctor");
    assert_eq!(place.names(), Vec::<String>::new());
}

#[test]
fn the_doctor_tells_errors_since_a_time_and_since_a_run() {
    let place = StoryFolder::new();
    let (code, _) =
        place.document(&["run", "null", "--duration", "50ms", "--warm-up", "10ms", "--trials", "1"]);
    assert_eq!(code, 0);
    let store = place.store();
    let store = store.to_str().unwrap();
    for since in ["1s", "2026-01-01", "last"] {
        let output = place.run(&["doctor", "--since", since, "--json", "--store", store]);
        let findings: Vec<Finding> = serde_json::from_slice(&output.stdout).unwrap();
        let grave = findings.iter().any(|f| f.severity >= Severity::Warning);
        assert_eq!(output.status.code(), Some(i32::from(grave)), "{since}: {}", stderr(&output));
        let said = stdout(&place.run(&["doctor", "--since", since, "--store", store]));
        assert!(said.contains("Parts here that count their errors"), "{since}: {said}");
    }
    let unknown = place.run(&["doctor", "--since", "yesterday", "--store", store]);
    assert_eq!(unknown.status.code(), Some(2), "{}", stderr(&unknown));
}

#[test]
fn the_doctor_looks_at_recorded_machines() {
    let place = StoryFolder::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hosts");
    // A card that has not all its lanes.
    let ill = folder.join("two-socket-nvme.host");
    let output = place.run(&["doctor", "--host", ill.to_str().unwrap()]);
    let said = stdout(&output);
    is_a_page(&said, "a machine with a card that sits badly");
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("warning  ") && said.contains("2 of 4 lanes") && said.contains("\n         "),
        "{said}"
    );
    std::fs::write(place.path().join("well.host"), "==> /proc/cpuinfo\nprocessor : 0\n==> end\n").unwrap();
    let output = place.run(&["doctor", "--host", "well.host"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stdout(&output), "Nothing was found that would disturb a measurement.\n");
    assert_eq!(stdout(&place.run(&["doctor", "--host", "well.host", "--json"])), "[]\n");
}

#[test]
fn a_run_looks_before_and_after() {
    let place = StoryFolder::new();
    let arguments = ["run", "null", "--duration", "50ms", "--warm-up", "10ms", "--trials", "2"];
    let (code, document) = place.document(&arguments);
    assert_eq!(code, 0);
    let looks: Vec<ConditionCheck> =
        serde_json::from_value(document["machines"][0]["looks"].clone()).unwrap();
    let moments: Vec<CheckTime> = looks.iter().map(|l| l.moment).collect();
    assert_eq!(moments, [CheckTime::Before, CheckTime::After]);
    assert_eq!(place.stored(), document);
}
