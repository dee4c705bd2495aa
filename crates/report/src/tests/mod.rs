//! What the tests of the texts share, and the text of machines made by hand.

pub(crate) mod baseline;
pub(crate) mod disks;
pub(crate) mod long;
mod made;
pub(crate) mod odd;
mod server;

use language::Language;
use model::limit::LimitKind;
use model::machine::{PciDevice, PciLink};
use model::run::{AnalysisInfo, Build, CaseResult, Origin, Run, SCHEMA, Utilization};
use model::study::Controls;
use model::{Definitions, Limit, Machine, Resource, ResourceKind, Study, Unit, WorkloadName, metric};
use serde_json::{Value, json};

use crate::document::terminal::{Detail, write};
use crate::inventory;
use crate::terminal::Terminal;
pub(crate) use long::{named, profiled, put_series};
pub(crate) use server::server;

/// A run of one case, without figures.
pub(crate) fn run() -> Run {
    // As a document holds it: all else has its default.
    let study = json!({ "name": "disk", "workloads": [], "controls": Controls::default() });
    let study: Study = serde_json::from_value(study).unwrap();
    let mut case = CaseResult::default();
    case.loads.main.workload = WorkloadName::new("disk");
    case.loads.main.definition_version = Some(1);
    named(&mut case, "disk read");
    Run {
        schema: SCHEMA.to_owned(),
        id: "20261120-191542-k3f9".to_owned(),
        started: String::new(),
        finished: None,
        outcome: None,
        resumptions: Vec::new(),
        origin: Origin { tool: "headroom".to_owned(), version: String::new(), command: Vec::new() },
        headroom: Build { version: String::new(), build: String::new() },
        study,
        seed: 1,
        machines: Vec::new(),
        definitions: Definitions::default(),
        cases: vec![case],
        findings: Vec::new(),
        tool_outputs: Vec::new(),
        analysis: AnalysisInfo { version: 1 },
    }
}

/// A share of the rate of a link.
pub(crate) fn used(resource: &str, fraction: f64) -> Utilization {
    Utilization {
        machine: None,
        promise: None,
        allowance: None,
        flows: None,
        line_only: false,
        usual: None,
        resource: Resource::from(resource),
        quantity: metric::THROUGHPUT,
        kind: LimitKind::Link,
        demand: fraction * 560e6,
        limit: 560e6,
        unit: Unit::BytesPerSecond,
        fraction,
        source: String::new(),
    }
}

const BRIEF: Detail<'_> = Detail::Brief("headroom machine -v");

fn text(machine: &Machine, detail: Detail<'_>) -> String {
    write(&inventory::document(machine, Language::English.words()), Terminal::default(), detail)
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_a_page(text: &str) {
    for line in text.lines() {
        assert!(textwrap::core::display_width(line) <= 80, "{line}");
        assert!(!line.chars().any(char::is_control), "{line:?}");
    }
}

#[test]
fn a_server_is_described_on_a_screen() {
    let shown = text(&server(), BRIEF);
    is_a_page(&shown);
    insta::assert_snapshot!(shown);
}

#[test]
fn all_of_a_server_is_shown_if_asked() {
    let shown = text(&server(), Detail::All);
    is_a_page(&shown);
    insta::assert_snapshot!(shown);
    for more in ["Configuration Registers", "8 GT/s x 8 lanes, 128b/130b"] {
        assert!(flat(&shown).contains(more), "{more} is missing: {shown}");
        assert!(!flat(&text(&server(), BRIEF)).contains(more), "{more}");
    }
}

#[test]
fn limits_of_functions_that_carry_no_data_stand_apart() {
    let mut machine = server();
    let limit = |address: &str| Limit {
        resource: Resource::of(ResourceKind::Pci, address),
        ..server().limits[0].clone()
    };
    // A bridge to a management controller; and one that the tree does not have.
    machine.limits = vec![limit("0000:3b:00.0"), limit("0000:00:05.0"), limit("0000:99:00.0")];
    let shown = flat(&text(&machine, BRIEF));
    assert!(shown.contains("3b:00.0") && shown.contains("99:00.0") && !shown.contains("00:05.0"), "{shown}");
    assert!(flat(&text(&machine, Detail::All)).contains("00:05.0"));
}

#[test]
fn gpus_are_listed_and_displays_without_a_link_are_not() {
    let function = |address: &str, class: u32, link: Option<PciLink>| PciDevice {
        address: address.to_owned(),
        class,
        vendor: 0x10de,
        device: 0x20b0,
        vendor_name: Some("NVIDIA Corporation".to_owned()),
        device_name: Some("A100".to_owned()),
        driver: Some("nvidia".to_owned()),
        node: Some(1),
        link,
        ..PciDevice::default()
    };
    let link = PciLink { transfers: Some(16e9), lanes: Some(16), ..PciLink::default() };
    let mut machine = Machine::default();
    machine.inventory.pci = vec![
        function("0000:01:00.0", 0x03_0200, Some(link)),
        function("0000:02:00.0", 0x03_0200, Some(link)),
        function("0000:03:00.0", 0x03_0000, None),
    ];
    let shown = flat(&text(&machine, BRIEF));
    assert!(shown.contains("GPU, accelerator"), "{shown}");
    assert!(shown.contains("NVIDIA A100 (nvidia), 16 GT/s x16, NUMA node 1"), "{shown}");
    assert_eq!(shown.matches("NVIDIA A100").count(), 1, "both are alike: {shown}");
    machine.inventory.pci.drain(..2);
    assert!(!flat(&text(&machine, BRIEF)).contains("GPU"));
}

#[test]
fn where_a_limit_is_known_from_is_for_those_who_ask() {
    let mut machine = server();
    machine.limits.truncate(1);
    machine.limits[0].source =
        "DDR4 of 2 modules on 2 channels, 2400 MT/s, by the firmware's tables; as it was set".to_owned();
    assert!(!text(&machine, BRIEF).contains("DDR4 of"));
    assert!(flat(&text(&machine, Detail::All)).contains(&machine.limits[0].source));
}

#[test]
fn of_a_machine_of_which_nothing_is_known_nothing_is_said() {
    insta::assert_snapshot!(text(&Machine::default(), BRIEF), @"unknown processor, 0 CPUs");
}

/// `value` with every text in it replaced.
fn with_texts(value: &Value, text: &str) -> Value {
    match value {
        Value::String(_) => text.into(),
        Value::Array(all) => all.iter().map(|v| with_texts(v, text)).collect(),
        // Keys are names of fields, or of flaws and offloads.
        Value::Object(all) => all.iter().map(|(k, v)| (k.clone(), with_texts(v, text))).collect(),
        other => other.clone(),
    }
}

/// Words that are one of a few, which no device can choose.
const CHOICES: &[&str] = &["kind", "severity", "moment", "unit", "direction", "access"];

/// `hostile` with the words of `original` where only few are possible.
fn keep_choices(hostile: &mut Value, original: &Value) {
    match (hostile, original) {
        (Value::Array(hostile), Value::Array(original)) => {
            for (h, o) in hostile.iter_mut().zip(original) {
                keep_choices(h, o);
            }
        }
        (Value::Object(hostile), Value::Object(original)) => {
            for (key, o) in original {
                match hostile.get_mut(key) {
                    Some(h) if CHOICES.contains(&key.as_str()) && o.is_string() => *h = o.clone(),
                    Some(h) => keep_choices(h, o),
                    None => {}
                }
            }
        }
        _ => {}
    }
}

/// Every name is the same, so that everything stands on itself, too.
#[test]
fn whatever_devices_call_themselves_the_text_is_a_page() {
    let original = serde_json::to_value(server()).unwrap();
    let long = "x".repeat(300);
    let wide = "자료".repeat(100);
    for text_of_all in
        ["", " ", "\u{1b}[2J\u{7}", "a\nb\r\tc", &long, &wide, "\u{202e}abc", "a  b\u{a0}c", "\u{301}\u{301}"]
    {
        let mut hostile = with_texts(&original, text_of_all);
        keep_choices(&mut hostile, &original);
        let machine: Machine = serde_json::from_value(hostile).unwrap();
        is_a_page(&text(&machine, BRIEF));
        is_a_page(&text(&machine, Detail::All));
    }
}
