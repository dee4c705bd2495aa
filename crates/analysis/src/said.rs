//! Whatever a rule finds in a test of this crate can be said in every language,
//! with the same figures.

use language::{LANGUAGES, Language};
use model::comparison::Remark;
use model::{Finding, Value};

/// Arguments that are names, or what another program wrote: shown as they are.
/// All other texts are codes that a sentence chooses by.
const NAMES: &[&str] = &[
    "amount",
    "below",
    "cores",
    "device",
    "error",
    "example",
    "filesystem",
    "goal",
    "host",
    "inputs",
    "kinds",
    "lasted",
    "machine",
    "metric",
    "name",
    "other",
    "pin",
    "printed",
    "promise",
    "reason",
    "resource",
    "server",
    "source",
    "target",
    "tool",
    "unit",
    "who",
    "workload",
];

/// What rules found, with its English. Every language says it itself, and says what
/// English says.
pub(crate) fn written(mut findings: Vec<Finding>) -> Vec<Finding> {
    crate::write_english(&mut findings);
    findings.iter().for_each(assert_said);
    findings
}

fn assert_said(finding: &Finding) {
    assert!(!finding.text.is_empty(), "{finding:?}");
    finding.args.iter().for_each(|(name, value)| assert_language_free(name, value));
    let evidence = || finding.evidence.iter().chain(&finding.ruled_out);
    evidence().flat_map(|e| &e.args).for_each(|(name, value)| assert_language_free(name, value));
    // What only points at a place has the finding's own code.
    evidence().for_each(|e| assert!(e.text.is_some() || e.code == finding.code, "{e:?} of {finding:?}"));
    let lacking = crate::words(Language::English).lacking(finding);
    assert_eq!(lacking, Vec::<String>::new(), "English {finding:?}");
    for language in LANGUAGES.iter().filter(|l| **l != Language::English) {
        let words = language.words();
        assert_eq!(words.lacking(finding), Vec::<String>::new(), "{language:?} {finding:?}");
        assert_same_figures(&finding.text, &words.finding(finding));
        assert_same_figures_of(finding.advice.as_deref(), words.advice(finding));
        evidence().for_each(|e| assert_same_figures_of(e.text.as_deref(), words.evidence(e)));
    }
}

/// Arguments of remarks that are names, values of parameters, or units.
const REMARKED: &[&str] = &["after", "baseline", "before", "by", "codes", "name", "new", "run"];

/// Every language says these remarks of comparisons itself, and says what
/// English says.
pub(crate) fn assert_remarked<'a>(remarks: impl IntoIterator<Item = &'a Remark>) {
    for remark in remarks {
        for (name, value) in remark.args.iter().filter(|(name, _)| !REMARKED.contains(&name.as_str())) {
            assert_language_free(name, value);
        }
        for language in LANGUAGES.iter().filter(|l| **l != Language::English) {
            let words = language.words();
            assert!(words.says(remark), "{language:?} {remark:?}");
            assert_same_figures(&remark.text, &words.remark(remark));
        }
    }
}

fn assert_same_figures_of(english: Option<&str>, other: Option<String>) {
    assert_eq!(english.is_some(), other.is_some());
    if let (Some(english), Some(other)) = (english, other) {
        assert_same_figures(english, &other);
    }
}

/// Every figure of the English sentence stands in the other.
fn assert_same_figures(english: &str, other: &str) {
    assert_ne!(english, "");
    let said = figures(other);
    for figure in figures(english) {
        assert!(said.contains(&figure), "{figure} is missing:\n{english}\n{other}");
    }
    assert!(!other.contains(['{', '}', '$']), "{other}");
}

/// The numbers of a text, each with the unit that stands behind it, if any.
fn figures(text: &str) -> Vec<&str> {
    let is_number = |c: char| c.is_ascii_digit() || c == '.' || c == ':';
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        rest = &rest[start..];
        let end = rest.find(|c| !is_number(c)).unwrap_or(rest.len());
        let behind = rest[end..].strip_prefix(' ').unwrap_or_default();
        let word =
            behind.find(|c: char| !c.is_ascii_alphabetic() && c != '/' && c != '%').unwrap_or(behind.len());
        let unit = if UNITS.contains(&&behind[..word]) { 1 + word } else { 0 };
        found.push(rest[..end + unit].trim_end_matches(['.', ':']));
        rest = &rest[end..];
    }
    found
}

/// Units that a figure is nothing without.
const UNITS: &[&str] = &[
    "%", "B/s", "kB/s", "MB/s", "GB/s", "/s", "k/s", "M/s", "s", "ms", "us", "ns", "KiB", "MiB", "GiB",
    "Mbit/s", "Gbit/s",
];

fn assert_language_free(name: &str, value: &Value) {
    let Value::Text(text) = value else { return };
    let is_code = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    assert!(NAMES.contains(&name) || is_code, "{name} is no code: {text}");
}

#[test]
fn every_finding_has_its_sentence_in_every_language() {
    for (code, _) in crate::explained() {
        for language in LANGUAGES {
            assert!(crate::words(*language).has(&format!("finding-{code}")), "{language:?}: {code}");
        }
    }
}

#[test]
fn a_figure_is_known_with_its_unit() {
    assert_eq!(figures("1 of 3 trials at 560 MB/s, 16.4 % of it."), ["1", "3", "560 MB/s", "16.4 %"]);
    assert_eq!(figures("깊이 8에서 221 us입니다 (01:00.0)"), ["8", "221 us", "01:00.0"]);
    assert_eq!(figures("2.00 s of 16 seconds"), ["2.00 s", "16"]);
}
