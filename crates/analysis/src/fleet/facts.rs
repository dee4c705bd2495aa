//! What is known of one machine: its circumstances as a comparison reads them, links of its PCI functions, what
//! was found of it, its tags, and how warm and fast it was.

use std::collections::{BTreeMap, BTreeSet};

use model::run::CaseResult;
use model::{Run, series};

use crate::comparison::environment::{Fact, Facts, View};

/// One fact of a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct MachineFact {
    /// Its code.
    pub code: &'static str,
    /// Its name in English.
    pub text: &'static str,
    /// What it is.
    pub value: FactValue,
}

/// What a fact is.
#[derive(Clone, Debug, PartialEq)]
pub enum FactValue {
    /// One text.
    Whole(String),
    /// Many, each of which a machine has or has not.
    Parts(BTreeSet<String>),
    /// A number.
    Number(f64),
}

/// All that is known of the machine of a run.
pub(super) fn of(run: &Run, tags: &BTreeMap<String, String>) -> Vec<MachineFact> {
    let cases: Vec<&CaseResult> = run.cases.iter().filter(|case| !case.is_auxiliary()).collect();
    let own = Facts::of(&View::new(run, cases)).known().map(|(code, text, fact)| {
        let value = match fact {
            Fact::Whole(text) => FactValue::Whole(text),
            Fact::Parts(parts) => FactValue::Parts(parts),
            Fact::About(bytes) => FactValue::Number(bytes as f64),
        };
        MachineFact { code, text, value }
    });
    let mut all: Vec<MachineFact> = own.collect();
    let mut put = |(code, text), value: Option<FactValue>| {
        all.extend(value.map(|value| MachineFact { code, text, value }));
    };
    let tags = tags.iter().map(|(name, value)| format!("{name}={value}"));
    let [links_name, findings_name, tags_name, temperature, frequency] = NAMES;
    put(links_name, links(run));
    put(findings_name, findings(run));
    put(tags_name, parts(tags));
    put(temperature, greatest(run, series::TEMPERATURE));
    put(frequency, mean(run, series::FREQUENCY));
    all
}

/// What is known besides the circumstances of a comparison: codes and names.
const NAMES: [(&str, &str); 5] = [
    ("pci-links", "PCI Express links"),
    ("findings", "findings"),
    ("tags", "tags"),
    ("temperature", "highest temperature"),
    ("cpu-frequency", "mean CPU frequency"),
];

fn parts(all: impl Iterator<Item = String>) -> Option<FactValue> {
    let all: BTreeSet<String> = all.collect();
    (!all.is_empty()).then_some(FactValue::Parts(all))
}

/// `0000:01:00.0: x4 at 8 GT/s`: what each link has come to.
fn links(run: &Run) -> Option<FactValue> {
    let devices = run.machines.first()?.inventory.pci.iter();
    parts(devices.filter_map(|device| {
        let link = device.link?;
        let (lanes, transfers) = (link.lanes.filter(|lanes| *lanes > 0)?, link.transfers?);
        Some(format!("{}: x{lanes}, {} GT/s", device.address, transfers / 1e9))
    }))
}

/// The codes of what was found of the run, its cases and its machine.
fn findings(run: &Run) -> Option<FactValue> {
    let looks = run.machines.first().into_iter().flat_map(|m| &m.looks).flat_map(|look| &look.findings);
    let cases = run.cases.iter().flat_map(|case| &case.findings);
    parts(run.findings.iter().chain(cases).chain(looks).map(|finding| finding.code.clone()))
}

/// Values of the machine that drives, of all trials.
fn sampled(run: &Run, name: model::SeriesName) -> impl Iterator<Item = f64> + '_ {
    let trials = run.cases.iter().flat_map(|case| &case.trials);
    let all = trials.flat_map(|trial| &trial.result.local().series).filter(move |one| one.name == name);
    all.flat_map(|one| one.values.iter().copied()).filter(|value| value.is_finite())
}

fn greatest(run: &Run, name: model::SeriesName) -> Option<FactValue> {
    sampled(run, name).reduce(f64::max).map(FactValue::Number)
}

fn mean(run: &Run, name: model::SeriesName) -> Option<FactValue> {
    let (count, sum) = sampled(run, name).fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value));
    (count > 0.0).then(|| FactValue::Number(sum / count))
}

#[cfg(test)]
mod tests {
    use language::{LANGUAGES, Language};

    use super::*;

    #[test]
    fn every_fact_has_a_name_in_every_language() {
        for language in LANGUAGES.iter().filter(|language| **language != Language::English) {
            for (code, _) in NAMES {
                let key = format!("environment-{code}");
                assert!(language.words().has(&key), "{language:?}: {key}");
            }
        }
    }
}
