//! A fleet made by hand, as a page in every language and as text.

use std::time::Instant;

use analysis::fleet::{FactValue, FleetFigure, FleetMachine, FleetMissing, MachineFact};
use language::{LANGUAGES, Language};
use model::label::LabelPart;
use model::{Better, Kind, Label, Unit, Value, WorkloadName, metric};

use super::*;
use crate::document::terminal::{self, Detail};
use crate::document::{html, markdown};
use crate::terminal::Terminal;

/// A number from 0 to below 1 that follows from its arguments alone (`SplitMix64`).
fn random(seed: u64, place: u64) -> f64 {
    let mut x =
        seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(place.wrapping_mul(0xd1b5_4a32_d192_ed03));
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// Standard normal, near enough: the sum of twelve (Teichroew 1957).
fn normal(seed: u64, place: u64) -> f64 {
    (0..12).map(|i| random(seed, place * 12 + i)).sum::<f64>() - 6.0
}

/// The figure `place` of so many machines: those of [`SLOW`] are 11 % slower in the first two.
fn figure(place: usize, machines: usize, seed: u64) -> FleetFigure {
    let value = |machine: usize| {
        let level = if place < 2 && SLOW.contains(&machine) { 0.89 } else { 1.0 };
        let at = (place * machines + machine) as u64;
        (machine != 0 || place != 0).then(|| 2e10 * level * (0.02 * normal(seed, at)).exp())
    };
    let part =
        LabelPart { name: "threads".to_owned(), kind: Kind::Count, value: Value::from(place as u64 + 1) };
    let loads = vec![model::label::LoadLabel {
        workload: WorkloadName::new("mem.bandwidth"),
        parameters: vec![part],
    }];
    let missing = FleetMissing { machine: 0, reason: Some("no memory".to_owned()) };
    FleetFigure {
        case: Label { loads, settings: Vec::new() },
        workload: WorkloadName::new("mem.bandwidth"),
        rate_unit: model::profile::RateUnit::default(),
        metric: metric::THROUGHPUT,
        unit: Unit::BytesPerSecond,
        better: Better::Higher,
        values: (0..machines).map(value).collect(),
        scores: Vec::new(),
        median: None,
        spread: None,
        missing: if place == 0 { vec![missing] } else { Vec::new() },
    }
}

const SLOW: [usize; 3] = [1, 2, 4];

/// A fleet of which three machines miss a memory module.
pub(crate) fn made(machines: usize, figures: usize, seed: u64) -> Fleet {
    let facts = |machine: usize| {
        let mut slots = vec!["DIMM_A1: 32 GiB DDR5".to_owned()];
        slots.extend((!SLOW.contains(&machine)).then(|| "DIMM_B1: 32 GiB DDR5".to_owned()));
        let parts = FactValue::Parts(slots.into_iter().collect());
        let whole = |code, value: String| MachineFact { code, text: code, value: FactValue::Whole(value) };
        let mut all = vec![MachineFact { code: "memory-modules", text: "memory modules", value: parts }];
        all.push(whole("machine", format!("node{machine}")));
        all.push(whole("firmware", format!("1.{}", (random(9, machine as u64) * 3.0) as u64)));
        let heat = FactValue::Number(40.0 + normal(10, machine as u64));
        all.push(MachineFact { code: "temperature", text: "highest temperature", value: heat });
        all
    };
    let machine = |place: usize| FleetMachine {
        name: format!("node{place}"),
        run: format!("r{place}"),
        rack: Some(format!("r{}", place / 40)),
        position: Some((place % 40).to_string()),
    };
    let all: Vec<Vec<MachineFact>> = (0..machines).map(facts).collect();
    let figures = (0..figures).map(|place| figure(place, machines, seed)).collect();
    Fleet::judged((0..machines).map(machine).collect(), &all, figures, 0.02)
}

fn shown(fleet: &Fleet, language: Language, write: fn(&Document) -> String) -> String {
    let command = ["headroom", "fleet", "runs"].map(str::to_owned);
    let left_out = [("broken.json".to_owned(), "it is not JSON".to_owned())];
    let words = language.words();
    write(&document(&FleetSubject { fleet, left_out: &left_out, command: &command, words }))
}

fn brief(document: &Document) -> String {
    terminal::write(document, Terminal::default(), Detail::Brief("headroom fleet -v runs"))
}

#[test]
fn the_text_says_who_is_slow_by_how_much_and_what_goes_with_it() {
    let text = shown(&made(64, 6, 1), Language::English, brief);
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for says in [
        "3 of 64 machines are unlike the others",
        "node1, node2, node4",
        "memory modules without DIMM_B1: 32 GiB DDR5 (which 0 of 3 have, and 6",
        "need not be its cause",
        "no memory",
        "it is not JSON",
        "-1",
    ] {
        assert!(flat.contains(says), "no `{says}`: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= crate::WIDTH), "{text}");
}

#[test]
fn the_page_has_charts_and_no_key_of_a_text_in_any_language() {
    for machines in [3, 64, 400] {
        let fleet = made(machines, 3, 2);
        for language in LANGUAGES {
            let page = shown(&fleet, *language, html::write);
            assert!(page.contains("<svg") && page.contains("headroom fleet runs"), "{page}");
            for text in [shown(&fleet, *language, markdown::write), shown(&fleet, *language, brief)] {
                for key in ["fleet-", "trend-", "environment-", "comparison-"] {
                    assert!(!text.contains(key), "{language:?}, {key}: {text}");
                }
            }
        }
    }
}

#[test]
fn few_machines_are_said_to_be_too_few_and_none_to_be_nothing() {
    let text = shown(&made(3, 1, 3), Language::English, brief);
    assert!(text.contains("too few"), "{text}");
    let text = shown(&Fleet::default(), Language::English, brief);
    assert!(text.contains("No work was done by more than one machine"), "{text}");
}

/// A page of many machines stays one that a browser opens.
fn size_of_page(machines: usize, figures: usize) -> usize {
    let begun = Instant::now();
    let fleet = made(machines, figures, 5);
    let judged = begun.elapsed();
    let page = shown(&fleet, Language::English, html::write);
    println!(
        "{machines} x {figures}: made and judged in {judged:?}, {:?} with the page of {} bytes",
        begun.elapsed(),
        page.len()
    );
    if let Some(folder) = std::env::var_os("HEADROOM_SCREENSHOTS") {
        std::fs::write(std::path::Path::new(&folder).join(format!("fleet-{machines}.html")), &page).unwrap();
    }
    page.len()
}

#[test]
fn a_page_of_a_thousand_machines_is_small() {
    assert!(size_of_page(1000, 10) < 1_500_000);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_page_of_ten_thousand_machines_and_fifty_figures_is_below_five_megabytes() {
    size_of_page(64, 12);
    assert!(size_of_page(10_000, 50) < 5_000_000);
}
