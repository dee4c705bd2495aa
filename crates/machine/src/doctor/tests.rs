//! What the tests of checks share, and the contract that every check keeps.

use std::collections::BTreeSet;

use language::{LANGUAGES, Language};
use model::finding::Place;
use model::machine::{
    Array, BlockDevice, BlockKind, Cpu, Frequency, Idle, IdleState, Inventory, Mount, PciDevice, PciLink,
    Sensor, Swap,
};
use model::{Finding, FindingKind, Severity};

use super::{CHECKS, Check, look, look_with};
use crate::Host;

/// What a check shows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CheckResult {
    pub(super) findings: Vec<Finding>,
}

impl CheckResult {
    pub(super) fn nothing() -> Self {
        Self { findings: Vec::new() }
    }

    pub(super) fn texts(&self) -> Vec<&str> {
        self.findings.iter().map(|f| f.text.as_str()).collect()
    }

    /// That it is one finding of this severity which says this.
    pub(super) fn one(&self, severity: Severity, text: &str) {
        assert_eq!(self.findings.len(), 1, "{:?}", self.texts());
        assert!(self.texts()[0].contains(text), "{:?} lacks {text:?}", self.texts()[0]);
        assert_eq!(self.findings[0].severity, severity);
    }
}

/// What `check` shows of a recorded tree.
pub(super) fn diagnose(check: &Check, tree: &str) -> CheckResult {
    diagnose_with(check, tree, Inventory::default())
}

/// What `check` shows of an inventory.
pub(super) fn diagnose_inventory(check: &Check, inventory: Inventory) -> CheckResult {
    diagnose_with(check, "", inventory)
}

/// What `check` shows of both.
pub(super) fn diagnose_with(check: &Check, tree: &str, inventory: Inventory) -> CheckResult {
    let check = Check { ..*check };
    let findings = look_with(&Host::parse(tree), &inventory, &[check]);
    for finding in &findings {
        keeps_the_contract(finding);
    }
    CheckResult { findings }
}

/// An array of four members that rests.
pub(super) fn array(level: &str) -> Array {
    Array { level: level.to_owned(), members: 4, ..Array::default() }
}

pub(super) fn with_array(array: Array) -> Inventory {
    let device = BlockDevice {
        name: "md0".to_owned(),
        kind: BlockKind::Md,
        array: Some(array),
        ..BlockDevice::default()
    };
    Inventory { block: vec![device], ..Inventory::default() }
}

pub(super) fn with_drive(name: &str, transport: &str) -> Inventory {
    let device = BlockDevice {
        name: name.to_owned(),
        transport: Some(transport.to_owned()),
        ..BlockDevice::default()
    };
    Inventory { block: vec![device], ..Inventory::default() }
}

pub(super) fn with_frequency(frequency: Frequency) -> Inventory {
    Inventory { cpu: Cpu { frequency: Some(frequency), ..Cpu::default() }, ..Inventory::default() }
}

/// What holds for every finding of every check; [`diagnose_with`] asks it of
/// all that the checks' own tests bring about.
fn keeps_the_contract(finding: &Finding) {
    let what = format!("{finding:?}");
    assert_eq!(finding.kind, FindingKind::Condition, "{what}");
    assert!(CHECKS.iter().any(|c| c.code == finding.code), "{what}");
    for text in [Some(&finding.text), finding.advice.as_ref()] {
        let text = text.unwrap_or_else(|| panic!("without advice: {what}"));
        assert!(!text.trim().is_empty() && !text.ends_with('.') && !text.contains('\n'), "{what}");
        assert!(text.chars().count() <= 200, "{} characters: {what}", text.chars().count());
    }
    assert!(finding.resource.as_ref().is_some_and(|r| !r.as_str().is_empty()), "{what}");
    assert!(!finding.args.is_empty() && !finding.evidence.is_empty(), "{what}");
    for evidence in &finding.evidence {
        assert!(is_kebab(&evidence.code) && evidence.text.as_ref().is_some_and(|t| !t.is_empty()), "{what}");
        if let Some(place) = &evidence.at {
            assert!(matches!(place, Place::Inventory(resource) if !resource.as_str().is_empty()), "{what}");
        }
    }
    is_said_in_every_language(finding);
}

/// A finding with its English, which keeps the contract.
pub(super) fn written(mut finding: Finding) -> Finding {
    super::words().write(&mut finding);
    keeps_the_contract(&finding);
    finding
}

/// That other languages say it, in one line, with its figures and its commands.
fn is_said_in_every_language(finding: &Finding) {
    for words in LANGUAGES.iter().map(|l| l.words()).filter(|w| w.language() != Language::English) {
        let tag = words.language().tag();
        assert_eq!(words.lacking(finding), Vec::<String>::new(), "{tag}: {finding:?}");
        let advice = words.advice(finding).unwrap_or_default();
        assert_eq!(code(&advice), code(finding.advice.as_deref().unwrap_or_default()), "{tag}: {advice}");
        let text = words.finding(finding);
        assert_eq!(figures(&text), figures(&finding.text), "{tag}: {text} | {}", finding.text);
        let evidence = finding.evidence.iter().filter_map(|e| words.evidence(e));
        for text in evidence.chain([text, advice]) {
            assert!(!text.is_empty() && text.trim() == text, "{tag}: {text:?}");
            assert!(
                !text.contains('\n') && !text.contains("  ") && !text.ends_with(['.', '。']),
                "{tag}: {text:?}"
            );
        }
    }
}

/// The commands of an advice.
fn code(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The figures of a sentence, each once: languages have an order of their own.
fn figures(text: &str) -> BTreeSet<&str> {
    let words =
        text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '%' | ':' | '_' | '-')));
    let words = words.map(|w| w.trim_end_matches([':', '.']));
    // Fluent's numbers are exact up to 15 digits, and nothing real has more.
    words.filter(|w| w.starts_with(|c: char| c.is_ascii_digit()) && w.len() <= 15).collect()
}

fn is_kebab(text: &str) -> bool {
    !text.is_empty() && text.split('-').all(|p| !p.is_empty() && p.chars().all(|c| c.is_ascii_lowercase()))
}

#[test]
fn every_check_has_a_name_of_its_own_and_says_what_it_looks_at() {
    let codes: BTreeSet<_> = CHECKS.iter().map(|c| c.code).collect();
    assert_eq!(codes.len(), CHECKS.len());
    for check in CHECKS {
        assert!(is_kebab(check.code), "{}", check.code);
        assert!(check.doc.len() > 20 && !check.doc.ends_with('.'), "{}: {}", check.code, check.doc);
    }
}

#[test]
fn every_check_has_a_sentence_and_an_advice_in_every_language() {
    for words in LANGUAGES.iter().map(|l| l.words()).filter(|w| w.language() != Language::English) {
        for code in CHECKS.iter().map(|c| c.code) {
            for key in [format!("condition-{code}"), format!("condition-{code}.advice")] {
                assert!(words.has(&key), "{:?} lacks {key}", words.language());
            }
        }
    }
}

#[test]
fn a_machine_without_anything_has_nothing_to_find() {
    assert_eq!(look(&Host::parse(""), &Inventory::default()), []);
    assert_eq!(look(&Host::recorded("/nowhere"), &Inventory::default()), []);
}

#[test]
fn what_is_found_on_this_machine_keeps_the_contract_and_is_sorted() {
    let inventory = crate::inventory::describe(&Host::this());
    let findings = look(&Host::this(), &inventory);
    findings.iter().for_each(keeps_the_contract);
    let severities: Vec<_> = findings.iter().map(|f| f.severity).collect();
    assert!(severities.is_sorted_by(|a, b| a >= b), "{severities:?}");
}

#[test]
fn a_look_at_this_machine_can_be_recorded_and_taken_again() {
    let live = Host::this().recording();
    let inventory = Inventory { kernel: "6.1".to_owned(), ..Inventory::default() };
    let findings = look(&live, &inventory);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("this.host");
    live.save_recording(&file).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("==> /probe/activity\n") && !text.contains("/proc/1/"), "{text}");
    let codes = |all: &[Finding]| all.iter().map(|f| f.code.clone()).collect::<Vec<_>>();
    assert_eq!(codes(&look(&Host::open(&file).unwrap(), &inventory)), codes(&findings));
}

#[test]
fn long_and_odd_names_do_not_break_a_sentence() {
    let long = "x\n".repeat(500);
    let json = serde_json::json!({
        "seconds": 0.2, "cpus": 2, "others_s": 0.4, "other_headrooms": u32::MAX,
        "processes": [
            {"name": long, "cpu_s": 0.1, "active": true, "count": u32::MAX},
            {"name": long, "kernel": true, "cpu_s": 0.1},
            {"name": format!("fsck{long}"), "cpu_s": 1e300, "active": true},
            {"name": format!("mkfs{long}"), "cpu_s": -1e300},
        ],
        "swapped_in": u64::MAX, "throttled": u64::MAX, "throttled_ever": u64::MAX,
        "disks": [{"name": long, "operations": u64::MAX, "bytes": u64::MAX}],
    });
    let mut inventory = with_array(Array { action: Some(long.clone()), degraded: u32::MAX, ..array(&long) });
    inventory.block[0].name.clone_from(&long);
    inventory.block[0].mounts.push(Mount {
        point: long.clone(),
        kind: "ext4".to_owned(),
        options: String::new(),
    });
    inventory.cpu.frequency = Some(Frequency {
        governors: vec![long.clone(); 9],
        preferences: vec![long.clone(); 9],
        max_hz: Some(1),
        hardware_max_hz: Some(u64::MAX),
        ..Frequency::default()
    });
    inventory.cpu.idle = Some(Idle {
        states: vec![IdleState { name: long.clone(), exit_latency_s: 9.0, disabled: false }],
        ..Idle::default()
    });
    inventory.memory.total_bytes = u64::MAX;
    inventory.memory.swap = vec![Swap { used_bytes: u64::MAX, ..Swap::default() }; 2];
    inventory.sensors.push(Sensor {
        chip: long.clone(),
        label: long.clone(),
        value: Some(99.0),
        critical: Some(100.0),
        ..Sensor::default()
    });
    inventory.pci.push(PciDevice {
        address: long.clone(),
        class: u32::MAX,
        class_name: long.clone(),
        link: Some(PciLink {
            lanes: Some(1),
            max_lanes: Some(u32::MAX),
            transfers: Some(1e-300),
            max_transfers: Some(1e300),
            ..PciLink::default()
        }),
        ..PciDevice::default()
    });
    inventory.system.virtualization = Some(long.clone());
    inventory.system.clock_source = Some(long.clone());
    let found = |check: &Check| {
        let tree = format!("==> /probe/activity\n{json}\n");
        !diagnose_with(check, &tree, inventory.clone()).findings.is_empty()
    };
    let codes: Vec<_> = CHECKS.iter().filter(|c| found(c)).map(|c| c.code).collect();
    assert!(codes.len() >= 15, "too few to mean something: {codes:?}");
}

#[test]
fn garbled_answers_are_no_answers() {
    let mut inventory = with_drive("sda", "sata");
    inventory.block[0].mounts.push(Mount {
        point: "/".to_owned(),
        kind: "ext4".to_owned(),
        options: "rw".to_owned(),
    });
    let files = [
        "/probe/activity",
        "/probe/smart/sda",
        "/probe/statvfs",
        "/probe/privilege",
        "/probe/clock-read",
        "/probe/kernel-debug",
        "/proc/stat",
        "/proc/meminfo",
    ];
    for content in
        ["", "{", "[]", "-1", "null", "99999999999999999999999", "{\"seconds\": -1, \"cpus\": -1}", "cpu "]
    {
        let tree: String = files.iter().map(|f| format!("==> {f}\n{content}\n")).collect();
        let findings = look(&Host::parse(&tree), &inventory);
        assert_eq!(findings, [], "{content}");
    }
}
