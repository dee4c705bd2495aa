//! The picture in other languages: nothing of it is English but names.

use std::collections::BTreeSet;

use model::WorkloadName;
use roxmltree::Document;

use super::*;

const ENGLISH: &str = include_str!("../../../../language/words/en/machine.ftl");

/// The keys of the picture's table.
fn keys() -> Vec<&'static str> {
    let keys = ENGLISH.lines().filter_map(|l| l.split_once(" = ").map(|(key, _)| key));
    keys.filter(|key| key.starts_with("picture-")).collect()
}

/// The words that stand between the arguments of a table's patterns.
fn phrases(table: &str) -> BTreeSet<String> {
    let patterns = table.lines().filter(|l| !l.starts_with('#')).filter_map(|line| match line.trim() {
        variant if variant.starts_with(['[', '*']) => variant.split_once("] ").map(|(_, text)| text),
        message => message.split_once(" = ").map(|(_, text)| text).filter(|text| !text.ends_with("->")),
    });
    let literals = patterns.flat_map(|text| text.split(['{', '}']).step_by(2).map(str::trim));
    let is_words = |text: &&str| text.chars().any(char::is_alphabetic);
    literals
        .map(|t| t.trim_matches([',', ':', ';', '.', '(', ')', ' ']))
        .filter(is_words)
        .map(str::to_owned)
        .collect()
}

/// Whether `text` has `phrase` as whole words.
fn has(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let ends = [text[..at].chars().next_back(), text[at + phrase.len()..].chars().next()];
        ends.into_iter().flatten().all(|c| !c.is_alphanumeric())
    })
}

/// A machine whose own names have no English words in them, so that what is
/// found is the picture's.
fn without_words(mut machine: Machine) -> Machine {
    machine.limits.iter_mut().for_each(|limit| limit.source.clear());
    for device in &mut machine.inventory.pci {
        device.class_name = "PCI".to_owned();
        device.device_name = device.device_name.as_ref().map(|_| "X1000".to_owned());
    }
    machine
}

fn machines() -> Vec<(Machine, Option<CaseResult>)> {
    let mut quota = small_guest();
    quota.inventory.memory.limit_bytes = Some(4 * GIB);
    let mut limit = limit("cpu", model::limit::LimitKind::Quota, None, Some(1.5));
    limit.unit = model::Unit::One;
    quota.limits.push(limit);
    quota.inventory.network[1].bus = some("platform");
    let mut faults = study_a();
    faults.inventory.network[1].carrier = Some(false);
    for device in &mut faults.inventory.pci {
        if let Some(link) = &mut device.link {
            link.max_lanes = Some(16);
        }
    }
    let mut loose = nvme_server(4, 2);
    loose.inventory.block.push(disk("sdz", 500 * GB, "Remote", "iscsi", None));
    vec![
        (Machine::default(), None),
        (small_guest(), Some(small_guest_case())),
        (quota, None),
        (study_a(), Some(study_a_case())),
        (faults, None),
        (loose, None),
        (nvme_server(32, 8), Some(nvme_case(8))),
        (study_e(), Some(study_e_case())),
        (arm_board(), None),
        (many_disks(500), None),
    ]
}

#[test]
fn no_words_of_english_stand_in_a_picture_of_another_language() {
    let tables = [
        (Language::Korean, include_str!("../../../../language/words/ko/machine.ftl")),
        (Language::Japanese, include_str!("../../../../language/words/ja/machine.ftl")),
    ];
    for (language, table) in tables {
        let own = phrases(table);
        let english: Vec<String> = phrases(ENGLISH).into_iter().filter(|p| !own.contains(p)).collect();
        assert!(english.iter().any(|p| p == "held to") && english.iter().any(|p| p == "distance to others"));
        for (machine, mut case) in machines() {
            if let Some(case) = &mut case {
                (case.label, case.loads.main.workload) = (named("x=1"), WorkloadName::new("x"));
                // A resource of this name is told by it in every language.
                case.path.retain(|step| step.resource.as_str() != "memory");
                case.utilization.retain(|used| used.resource.as_str() != "memory");
            }
            let text = super::super::svg(
                &without_words(machine),
                case.as_ref().map(DrawnCase::from),
                language.words(),
            );
            let document = Document::parse(&text).unwrap();
            let told =
                document.descendants().filter(|n| ["text", "title", "desc"].contains(&n.tag_name().name()));
            for said in told.filter_map(|n| n.text()) {
                // What the kernel's tools call the content of a partition.
                let said = said.strip_suffix("\nswap").unwrap_or(said);
                let found: Vec<&String> = english.iter().filter(|phrase| has(said, phrase)).collect();
                assert!(found.is_empty(), "{found:?} in {said:?}");
            }
        }
    }
}

#[test]
fn every_key_of_the_table_is_said_somewhere_and_none_is_shown() {
    let sources = [
        include_str!("../build.rs"),
        include_str!("../collapse.rs"),
        include_str!("../describe.rs"),
        include_str!("../ladder.rs"),
        include_str!("../layout.rs"),
        include_str!("../legend.rs"),
        include_str!("../link.rs"),
        include_str!("../mod.rs"),
        include_str!("../parts.rs"),
        include_str!("../pci.rs"),
        include_str!("../wording.rs"),
        include_str!("../share.rs"),
        include_str!("../tree.rs"),
    ];
    for key in keys().into_iter().filter(|key| !key.starts_with("picture-interface-")) {
        let short = format!("\"{}\"", key.trim_start_matches("picture-"));
        let whole = format!("\"{key}\"");
        assert!(sources.iter().any(|s| s.contains(&short) || s.contains(&whole)), "nothing says {key}");
    }
    for (name, text) in pictures() {
        assert!(!text.contains("picture-"), "{name}");
    }
}

#[test]
fn the_same_figures_stand_in_every_language() {
    let figures = |text: &str| {
        let document = Document::parse(text).unwrap();
        let texts = document.descendants().filter(|n| n.has_tag_name("text")).filter_map(|n| n.text());
        let words = texts.flat_map(|t| t.split(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '/'));
        let with_unit = words.filter(|w| w.starts_with(|c: char| c.is_ascii_digit()) && w.contains('.'));
        with_unit.map(str::to_owned).collect::<BTreeSet<String>>()
    };
    for (mut machine, case) in [(study_a(), study_a_case()), (study_e(), study_e_case())] {
        // Stands in a line that is cut, elsewhere in each language.
        machine.inventory.kernel.clear();
        let english = figures(&svg(&machine, Some(&case)));
        assert!(english.len() > 3, "{english:?}");
        for language in LANGUAGES {
            assert_eq!(
                figures(&super::super::svg(&machine, Some((&case).into()), language.words())),
                english
            );
        }
    }
}

#[test]
fn a_picture_says_what_language_it_is_in() {
    for language in LANGUAGES {
        let text = super::super::svg(&study_a(), None, language.words());
        let document = Document::parse(&text).unwrap();
        let tag = Some(language.tag()).filter(|tag| *tag != "en");
        assert_eq!(document.root_element().attribute("lang"), tag);
    }
}
