//! Whatever stands in a machine's files, readers neither panic nor hang: files
//! of plausible machines are taken away or spoiled at random, and the machine
//! is described, its limits are worked out and its disturbances looked for.

use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use machine::{Host, doctor, inventory, limit};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

#[path = "garbled/plausible.rs"]
mod plausible;

/// Far more than any machine needs; a hang needs more.
const PATIENCE: Duration = Duration::from_secs(60);
const HEAD: &str = "==> ";

/// What is done to an entry.
#[derive(Clone, Debug)]
enum Harm {
    /// It is not there.
    Missing,
    /// It is there and may not be read.
    Denied,
    /// It holds this.
    Holds(String),
    /// It ends after this share of it.
    Cut(Index),
    /// A character of it is another.
    Changed(Index, char),
    /// Its numbers are these.
    Numbers(String),
    /// It holds what another entry holds.
    Swapped(Index),
    /// It holds itself over and over.
    Repeated(u16),
    /// It leads to itself.
    LeadsToItself,
    /// It leads there.
    LeadsTo(String),
    /// It is a folder.
    Folder,
}

const NUMBERS: &[&str] = &[
    "-1",
    "0",
    "1",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
    "1e308",
    "NaN",
    "0-65535",
    "0x7fffffff",
];

fn number() -> impl Strategy<Value = String> {
    proptest::sample::select(NUMBERS).prop_map(str::to_owned)
}

fn content() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("\n\n\n".to_owned()),
        Just("\0".to_owned()),
        Just("\u{fffd}\u{fffd}\0\u{1b}[31m".to_owned()),
        number(),
        number().prop_map(|n| format!("{n} {n} {n}:{n}={n}\n{n}\t{n}\n")),
        "[ -~\n]{0,200}",
        "\\PC{0,60}",
    ]
}

fn harm() -> impl Strategy<Value = Harm> {
    let place = proptest::sample::select(&["/", "../../../..", ".", "/proc/cpuinfo", "x", ""][..]);
    prop_oneof![
        3 => Just(Harm::Missing),
        1 => Just(Harm::Denied),
        4 => content().prop_map(Harm::Holds),
        3 => any::<Index>().prop_map(Harm::Cut),
        3 => (any::<Index>(), any::<char>()).prop_map(|(at, c)| Harm::Changed(at, c)),
        6 => number().prop_map(Harm::Numbers),
        2 => any::<Index>().prop_map(Harm::Swapped),
        1 => (2..200_u16).prop_map(Harm::Repeated),
        1 => Just(Harm::LeadsToItself),
        1 => place.prop_map(|to| Harm::LeadsTo(to.to_owned())),
        1 => Just(Harm::Folder),
    ]
}

/// An entry of a recording: its head without the mark, and its content.
type Entry = (String, String);

fn entries(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for line in text.lines() {
        if let Some(head) = line.strip_prefix(HEAD) {
            entries.push((head.to_owned(), String::new()));
        } else if let Some((_, content)) = entries.last_mut() {
            content.push_str(line);
            content.push('\n');
        }
    }
    entries
}

/// The path of a head.
fn path_of(head: &str) -> &str {
    head.split(" -> ").next().unwrap_or(head).split(" !").next().unwrap_or(head).trim_end_matches('/')
}

fn spoiled(entries: &[Entry], harms: &[(Index, Harm)]) -> String {
    let mut all: Vec<Option<Entry>> = entries.iter().cloned().map(Some).collect();
    for (at, harm) in harms {
        let place = at.index(entries.len());
        if let Some(entry) = all[place].take() {
            all[place] = harmed(entry, harm, entries);
        }
    }
    let written = all.into_iter().flatten().map(|(head, content)| {
        // A spoiled content may look like a head; it is one then.
        let end = if content.is_empty() || content.ends_with('\n') { "" } else { "\n" };
        format!("{HEAD}{head}\n{content}{end}")
    });
    written.collect()
}

fn harmed((head, content): Entry, harm: &Harm, entries: &[Entry]) -> Option<Entry> {
    let path = path_of(&head).to_owned();
    Some(match harm {
        Harm::Missing => return None,
        Harm::Denied => (format!("{path} !permission denied"), String::new()),
        Harm::Holds(text) => (path, text.clone()),
        Harm::Cut(index) => {
            let end = index.index(content.len() + 1);
            (path, String::from_utf8_lossy(&content.as_bytes()[..end]).into_owned())
        }
        Harm::Changed(index, to) => {
            let at = index.index(content.len() + 1);
            (path, content.char_indices().map(|(i, c)| if i == at { *to } else { c }).collect())
        }
        Harm::Numbers(to) => (path, with_numbers(&content, to)),
        Harm::Swapped(index) => (path, index.get(entries).1.clone()),
        Harm::Repeated(times) => (path, content.repeat(usize::from(*times))),
        Harm::LeadsToItself => (format!("{path} -> {path}"), String::new()),
        Harm::LeadsTo(to) => (format!("{path} -> {to}"), String::new()),
        Harm::Folder => (format!("{path}/"), String::new()),
    })
}

/// `text` with each run of digits replaced.
fn with_numbers(text: &str, to: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for c in text.chars() {
        match (c.is_ascii_digit(), inside) {
            (true, false) => out.push_str(to),
            (true, true) => {}
            (false, _) => out.push(c),
        }
        inside = c.is_ascii_digit();
    }
    out
}

/// Reads the machine in a thread of its own, so that a hang is a failure.
fn survives(text: String) -> Result<(), String> {
    let (done, wait) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        let host = Host::parse(&text);
        let inventory = inventory::describe(&host);
        let limits = limit::of(&inventory);
        let findings = doctor::look(&host, &inventory);
        let written = serde_json::to_string(&(&inventory, &limits, &findings));
        let _ = done.send(written.map(|_| ()).map_err(|e| e.to_string()));
    });
    match wait.recv_timeout(PATIENCE) {
        Ok(answer) => answer,
        Err(mpsc::RecvTimeoutError::Timeout) => Err("it hangs".to_owned()),
        // The panic itself was printed by its thread.
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            Err(if reader.join().is_err() { "it panics" } else { "no answer" }.to_owned())
        }
    }
}

/// The plausible machine, and those that are recorded beside the workspace.
fn machines() -> Vec<Vec<Entry>> {
    let mut texts = vec![plausible::host()];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hosts");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .map(|all| all.filter_map(|entry| Some(entry.ok()?.path())).collect())
        .unwrap_or_default();
    files.sort();
    let hosts = files.iter().filter(|path| path.extension().is_some_and(|e| e == "host"));
    texts.extend(hosts.filter_map(|path| std::fs::read_to_string(path).ok()));
    texts.iter().map(|text| entries(text)).filter(|entries| !entries.is_empty()).collect()
}

#[test]
fn machines_as_they_were_recorded_are_described() {
    for entries in machines() {
        assert_eq!(survives(spoiled(&entries, &[])), Ok(()));
    }
}

#[test]
fn the_plausible_machine_reaches_the_readers() {
    let inventory = inventory::describe(&Host::parse(&plausible::host()));
    assert!(inventory.cpu.frequency.is_some() && inventory.cpu.idle.is_some());
    assert!(!inventory.cpu.topology.is_empty() && !inventory.cpu.cache_kinds.is_empty());
    assert!(!inventory.memory.modules.is_empty() && !inventory.memory.nodes.is_empty());
    assert!(!inventory.memory.swap.is_empty() && !inventory.memory.huge_pages.is_empty());
    assert!(inventory.cgroup.cpu_quota.is_some() && !inventory.cgroup.io.is_empty());
    assert!(!inventory.sensors.is_empty() && inventory.system.uptime_s.is_some());
    assert!(inventory.absent.is_empty(), "{:?}", inventory.absent);
}

#[test]
fn every_entry_spoiled_the_same_way_is_survived() {
    for entries in machines() {
        let contents =
            ["", "-1", "18446744073709551615", "99999999999999999999", "\u{fffd}\0", ": : :\n - \n[", "{}"];
        for content in contents {
            let text: String = entries.iter().map(|(head, _)| format!("{HEAD}{head}\n{content}\n")).collect();
            assert_eq!(survives(text), Ok(()), "{content:?}");
        }
        for to in NUMBERS {
            let text = entries.iter().map(|(head, text)| format!("{HEAD}{head}\n{}", with_numbers(text, to)));
            assert_eq!(survives(text.collect()), Ok(()), "{to}");
        }
        let paths = entries.iter().map(|(head, _)| path_of(head));
        let loops: String = paths.map(|path| format!("{HEAD}{path} -> {path}\n")).collect();
        assert_eq!(survives(loops), Ok(()));
    }
}

proptest! {
    // No file of failures: a case worth keeping becomes a test of its own.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn a_spoiled_machine_is_described_without_harm(
        which in any::<Index>(),
        harms in vec((any::<Index>(), harm()), 1..40),
    ) {
        let machines = machines();
        let text = spoiled(&machines[which.index(machines.len())], &harms);
        prop_assert_eq!(survives(text), Ok(()));
    }

    #[test]
    fn any_text_is_a_machine(
        text in "(==> (/[a-z0-9:.-]{0,12}){1,6}( -> [a-z./]{0,12}|/| !no)?\n|\\PC{0,30}\n){0,60}",
    ) {
        prop_assert_eq!(survives(text), Ok(()));
    }
}
