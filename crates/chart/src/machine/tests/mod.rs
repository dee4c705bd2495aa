//! Tests of the picture.

mod bounds;
mod card;
mod content;
mod fixtures;
mod layout;
mod page;
mod words;

use fixtures::*;
use language::{LANGUAGES, Language};
use model::Machine;
use model::run::CaseResult;

use super::DrawnCase;

/// The picture in English.
fn svg(machine: &Machine, case: Option<&CaseResult>) -> String {
    super::svg(machine, case.map(DrawnCase::from), Language::English.words())
}

/// Every picture of [`pictures_in`] in every language, with its name and that of the
/// language.
fn pictures() -> Vec<(String, String)> {
    let all = LANGUAGES.iter().flat_map(|language| {
        let named = |(name, text)| (format!("{name}.{}", language.tag()), text);
        pictures_in(*language).into_iter().map(named)
    });
    all.collect()
}

/// Every machine made by hand, with a case where there is one.
fn pictures_in(language: Language) -> Vec<(&'static str, String)> {
    let svg = |machine: &Machine, case: Option<&CaseResult>| {
        super::svg(machine, case.map(DrawnCase::from), language.words())
    };
    vec![
        ("a-guest", svg(&small_guest(), None)),
        ("a-guest-case", svg(&small_guest(), Some(&small_guest_case()))),
        ("b-study-a", svg(&study_a(), None)),
        ("b-study-a-case", svg(&study_a(), Some(&study_a_case()))),
        ("c-nvme", svg(&nvme_server(32, 8), None)),
        ("c-nvme-case", svg(&nvme_server(32, 8), Some(&nvme_case(8)))),
        ("c-nvme-24", svg(&nvme_server(64, 24), None)),
        ("d-study-e", svg(&study_e(), None)),
        ("d-study-e-case", svg(&study_e(), Some(&study_e_case()))),
        ("e-arm", svg(&arm_board(), None)),
        ("f-many-disks", svg(&many_disks(500), None)),
        ("g-empty", svg(&model::Machine::default(), None)),
        ("h-east-asian", svg(&east_asian(), Some(&study_e_case()))),
    ]
}

#[test]
#[ignore = "writes pictures to look at into the directory PICTURES"]
fn write_pictures_to_look_at() {
    // Without it, somebody ran the ignored tests.
    let Some(directory) = std::env::var_os("PICTURES").map(std::path::PathBuf::from) else { return };
    std::fs::create_dir_all(&directory).unwrap();
    for (name, text) in pictures() {
        std::fs::write(directory.join(format!("{name}.svg")), text).unwrap();
    }
}
