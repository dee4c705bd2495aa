//! The sentences of findings, made from codes and arguments in every language. A
//! language that lacks one, or an argument of it, has what the document says.

use std::collections::{BTreeMap, BTreeSet};

use fluent_bundle::FluentArgs;
use model::finding::Evidence;
use model::{Finding, FindingKind, Resource, Value};

use crate::range::Range;
use crate::words::{fluent_args, fluent_value};
use crate::{Language, Words};

/// What fills a sentence.
type Arguments = BTreeMap<String, Value>;

/// Whether one sentence does for both: they differ at most in numbers, which it tells
/// from the least to the most, and in lists, of which it has the one that stands with
/// the greatest numbers. A name or a choice that differs makes another sentence.
#[must_use]
pub fn are_alike(a: &Arguments, b: &Arguments) -> bool {
    let fit = |(a, b): (&Value, &Value)| {
        a == b || a.number().zip(b.number()).is_some() || matches!((a, b), (Value::List(_), Value::List(_)))
    };
    a.keys().eq(b.keys()) && a.values().zip(b.values()).all(fit)
}

impl Words {
    /// A finding's sentence.
    #[must_use]
    pub fn finding(&self, finding: &Finding) -> String {
        self.of_finding(finding, "").unwrap_or_else(|| finding.text.clone())
    }

    /// A finding's advice.
    #[must_use]
    pub fn advice(&self, finding: &Finding) -> Option<String> {
        let english = finding.advice.clone()?;
        Some(self.of_finding(finding, ".advice").unwrap_or(english))
    }

    /// The part of a finding's sentence that gives the reason.
    #[must_use]
    pub fn reason(&self, finding: &Finding) -> String {
        self.of_finding(finding, ".reason").unwrap_or_else(|| finding.text.clone())
    }

    /// What a piece of evidence says.
    #[must_use]
    pub fn evidence(&self, evidence: &Evidence) -> Option<String> {
        let english = evidence.text.clone()?;
        Some(self.of_evidence(evidence).unwrap_or(english))
    }

    /// What findings that are alike say together: one sentence, or, where this language
    /// lacks it, each that the document has.
    #[must_use]
    pub fn findings(&self, alike: &[&Finding]) -> Vec<String> {
        let Some(first) = alike.first().filter(|_| alike.len() > 1) else {
            return alike.iter().map(|f| self.finding(f)).collect();
        };
        let mut filled = self.merged(&alike.iter().map(|f| &f.args).collect::<Vec<_>>());
        self.fill(&mut filled, first);
        let together = self.look_up(&key_of(first), &filled);
        together.map_or_else(|| distinct(alike.iter().map(|f| self.finding(f))), |text| vec![text])
    }

    /// The advice of all of them, each once.
    #[must_use]
    pub fn advice_of(&self, findings: &[&Finding]) -> Vec<String> {
        distinct(findings.iter().filter_map(|f| self.advice(f)))
    }

    /// What pieces of evidence say, alike ones together.
    #[must_use]
    pub fn evidence_of<'a>(&self, all: impl IntoIterator<Item = &'a Evidence>) -> Vec<String> {
        let mut groups: Vec<Vec<&Evidence>> = Vec::new();
        for evidence in all.into_iter().filter(|e| e.text.is_some()) {
            let is_like = |group: &&mut Vec<&Evidence>| {
                let first = group[0];
                let says = !first.args.is_empty() || first.text == evidence.text;
                first.code == evidence.code && says && are_alike(&first.args, &evidence.args)
            };
            match groups.iter_mut().find(is_like) {
                Some(group) => group.push(evidence),
                None => groups.push(vec![evidence]),
            }
        }
        let said = |group: &Vec<&Evidence>| {
            let mut filled = self.merged(&group.iter().map(|e| &e.args).collect::<Vec<_>>());
            agree(&mut filled, &group[0].args);
            let together = self.look_up(&format!("evidence-{}", group[0].code), &filled);
            let each = || group.iter().filter_map(|e| self.evidence(e)).collect();
            together.map_or_else(each, |text| vec![text])
        };
        distinct(groups.iter().flat_map(said))
    }

    /// The arguments of one sentence for several that are alike.
    fn merged<'a>(&self, all: &[&'a Arguments]) -> FluentArgs<'a> {
        let mut filled = FluentArgs::new();
        let Some((first, others)) = all.split_first() else { return filled };
        let differs = |name: &&String| others.iter().any(|other| other.get(*name) != first.get(*name));
        let differing: BTreeSet<&String> = first.keys().filter(differs).collect();
        let numbers = |arguments: &&'a Arguments| -> (Vec<f64>, &'a Arguments) {
            let own = differing.iter().filter_map(|name| arguments.get(*name)?.number());
            (own.collect(), *arguments)
        };
        let order = |a: &[f64], b: &[f64]| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal);
        // Of equals the first, as its case is the one that is named.
        let greatest = all.iter().rev().map(numbers).max_by(|a, b| order(&a.0, &b.0));
        for (name, value) in first.iter() {
            let is_range = differing.contains(name) && value.number().is_some();
            let values = all.iter().filter_map(|arguments| arguments.get(name)?.number());
            match is_range.then(|| Range::of(self.language(), values)).flatten() {
                Some(range) => filled.set(name.as_str(), range),
                None => {
                    let own = greatest.as_ref().and_then(|(_, arguments)| arguments.get(name));
                    let value = own.unwrap_or(value);
                    filled.set(name.as_str(), fluent_value(value));
                }
            }
        }
        filled
    }

    /// Writes into a finding what a document says of it: in English, by the words of
    /// who found it.
    pub fn write(&self, finding: &mut Finding) {
        for evidence in finding.evidence.iter_mut().chain(&mut finding.ruled_out) {
            evidence.text = self.of_evidence(evidence).or(evidence.text.take());
        }
        if let Some(text) = self.of_finding(finding, "") {
            finding.text = text;
        }
        if let Some(advice) = self.of_finding(finding, ".advice") {
            finding.advice = Some(advice).filter(|advice| !advice.is_empty());
        }
    }

    /// The keys that this language needs to say a finding with its advice, its
    /// evidence and what it rules out, and lacks, or whose arguments it lacks:
    /// what would be shown in English. Evidence of the finding's own code may say nothing.
    /// English lacks nothing where it has not the messages of the rule. For tests of
    /// rules that make findings.
    #[must_use]
    pub fn lacking(&self, finding: &Finding) -> Vec<String> {
        let mut lacking = Vec::new();
        let key = key_of(finding);
        if self.language() == Language::English && !self.has(&key) {
            return lacking;
        }
        let advice = format!("{key}.advice");
        let has_advice = finding.advice.is_some() || self.has(&advice);
        if self.of_finding(finding, "").is_none() {
            lacking.push(key);
        }
        if has_advice && self.of_finding(finding, ".advice").is_none() {
            lacking.push(advice);
        }
        let evidence = finding.evidence.iter().chain(&finding.ruled_out);
        let needed = evidence.filter(|e| e.text.is_some() || e.code != finding.code);
        let unsaid = needed.filter(|e| self.of_evidence(e).is_none());
        lacking.extend(unsaid.map(|e| format!("evidence-{}", e.code)));
        lacking
    }

    fn of_finding(&self, finding: &Finding, attribute: &str) -> Option<String> {
        let mut filled = fluent_args(finding.args.iter().map(|(name, value)| (name.as_str(), value)));
        self.fill(&mut filled, finding);
        self.look_up(&format!("{}{attribute}", key_of(finding)), &filled)
    }

    /// What a sentence may use beside the finding's own arguments: what the finding is
    /// about, `$resource`, and what its evidence says, `$evidence`.
    fn fill<'a>(&self, filled: &mut FluentArgs<'a>, finding: &'a Finding) {
        agree(filled, &finding.args);
        if let Some(resource) = &finding.resource {
            hand_over(filled, resource.as_str());
        }
        let evidence = finding.evidence.iter().filter(|e| !e.beside);
        let said: Vec<String> = evidence.filter_map(|e| self.evidence(e)).collect();
        filled.set("evidence", said.join("; "));
    }

    fn of_evidence(&self, evidence: &Evidence) -> Option<String> {
        let mut filled = fluent_args(evidence.args.iter().map(|(name, value)| (name.as_str(), value)));
        agree(&mut filled, &evidence.args);
        self.look_up(&format!("evidence-{}", evidence.code), &filled)
    }
}

/// Hands over what a sentence is about, and whether that is several, with which English verbs agree.
fn hand_over<'a>(filled: &mut FluentArgs<'a>, resource: &'a str) {
    filled.set("resource", resource);
    filled.set("several", if Resource::from(resource).is_several() { "yes" } else { "no" });
}

/// The same of what evidence, or an answer, is about, which has it among its arguments.
fn agree<'a>(filled: &mut FluentArgs<'a>, arguments: &'a Arguments) {
    if let Some(Value::Text(resource)) = arguments.get("resource") {
        hand_over(filled, resource);
    }
}

/// Each text once, in the order they come.
fn distinct(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = Vec::new();
    for text in all.filter(|text| !text.is_empty()) {
        if !seen.contains(&text) {
            seen.push(text);
        }
    }
    seen
}

/// The key of a finding's sentence. Conditions have keys of their own: a quota
/// is a condition of the machine, and of a case what holds it back.
fn key_of(finding: &Finding) -> String {
    match finding.kind {
        FindingKind::Condition => format!("condition-{}", finding.code),
        _ => format!("finding-{}", finding.code),
    }
}

#[cfg(test)]
mod tests {
    use model::MetricName;
    use model::metric;

    use super::*;

    #[test]
    fn what_a_language_lacks_is_said_in_english() {
        let finding = Finding::new(FindingKind::Validity, "no-such-code", model::Severity::Note)
            .worded("The sentence in English.");
        let korean = Language::Korean.words();
        assert_eq!(korean.finding(&finding), "The sentence in English.");
        assert_eq!(korean.lacking(&finding), ["finding-no-such-code"]);
        assert_eq!(Language::English.words().lacking(&finding), Vec::<String>::new());
    }

    #[test]
    fn a_finding_is_written_in_the_words_of_who_found_it() {
        let words = Words::english_with([
            "finding-late =\n    { PERCENT($share) }\n    { $how ->\n        [a] came\n       *[b] went\n    } late\n    .advice = { $how ->\n        [a] wait\n       *[b] {\"\"}\n    }\n",
        ]);
        let made = |how: &str| {
            let late = Finding::new(FindingKind::Validity, "late", model::Severity::Note);
            let mut late = late.arg("share", 0.5).arg("how", how);
            words.write(&mut late);
            (late.text, late.advice)
        };
        assert_eq!(made("a"), ("50 % came late".to_owned(), Some("wait".to_owned())));
        assert_eq!(made("b"), ("50 % went late".to_owned(), None));
        let mut other = Finding::new(FindingKind::Validity, "other", model::Severity::Note).worded("as read");
        words.write(&mut other);
        assert_eq!(other.text, "as read");
    }

    #[test]
    fn regression_verbs_did_not_agree_with_several_devices() {
        let words = Words::english_with([
            "finding-full =\n    { RESOURCE($resource) } { verb-is } full, and take{ verb-s } no more: { $evidence }\n    .advice = look at { pronoun-them } and { pronoun-its } cable{ plural-s }\nevidence-flushed = { RESOURCE($resource) } { verb-has } flushes; { pronoun-it } { verb-was } slow\n",
        ]);
        let told = |resource: &str| {
            let place = model::finding::Place::Metric(metric::IOPS);
            let flushed = || Evidence::at("flushed", place.clone()).worded("said").arg("resource", resource);
            let mut full = Finding::new(FindingKind::Bottleneck, "full", model::Severity::Note);
            full.resource = Some(resource.into());
            let full = full.because(flushed());
            let [text, advice] = ["", ".advice"].map(|part| words.of_finding(&full, part).unwrap());
            let together = words.evidence_of(&[flushed(), flushed().arg("more", 1u64)]).concat();
            (format!("{text}; {advice}"), together)
        };
        let one = "disk sda is full, and takes no more: disk sda has flushes; it was slow; look at it and its cable";
        let both = "disks sda, sdb are full, and take no more: disks sda, sdb have flushes; they were slow; look at them \
                    and their cables";
        assert_eq!(told("block:sda").0, one);
        assert_eq!(told("block:sda+sdb").0, both);
        assert!(told("block:sda+sdb").1.starts_with("disks sda, sdb have"));
        assert!(told("cpu").0.starts_with("all CPUs are full, and take no more"));
        assert!(told("cpu:0-3").0.starts_with("CPUs 0-3 are full"));
        assert!(told("cpu:3").0.starts_with("CPU 3 is full"));
    }

    #[test]
    fn what_is_lacking_is_named() {
        let finding = Finding::new(model::FindingKind::Bottleneck, "cannot-tell", model::Severity::Note)
            .worded("The sentence in English.");
        let place = model::finding::Place::Metric(metric::IOPS);
        let known = Evidence::at("rate", place.clone()).worded("9 k/s").arg("rate", 9000.0);
        let whole = finding.arg("missing", 1u64).because(known);
        assert_eq!(Language::Korean.words().lacking(&whole), Vec::<String>::new());
        // What its evidence says stands in the sentence.
        assert!(Language::Korean.words().finding(&whole).ends_with(": 9 k/s"));
        let without = Evidence::at("rate", place.clone()).worded("9 k/s");
        let other = Evidence::at("no-such-code", place).worded("something");
        let lacking = whole.clone().because(without).not_because(vec![other]).advise("Do it again.");
        let named = ["finding-cannot-tell.advice", "evidence-rate", "evidence-no-such-code"];
        assert_eq!(Language::Japanese.words().lacking(&lacking), named);
        assert_eq!(Language::English.words().lacking(&lacking), Vec::<String>::new());
        let empty = Finding { args: BTreeMap::new(), ..whole };
        assert_eq!(Language::Korean.words().lacking(&empty), ["finding-cannot-tell"]);
    }

    #[test]
    fn what_english_lacks_is_named_where_it_has_the_words_of_the_rule() {
        let words =
            Words::english_with(["finding-late = late\n    .advice = wait { $s }\nevidence-why = because\n"]);
        let place = || model::finding::Place::Metric(metric::IOPS);
        let late = Finding::new(FindingKind::Validity, "late", model::Severity::Note);
        let late = late.because(Evidence::at("why", place())).because(Evidence::at("late", place()));
        // No argument, no advice; evidence without words of its own is found though it says nothing.
        assert_eq!(words.lacking(&late), ["finding-late.advice"]);
        let late = late.arg("s", 1u64);
        assert_eq!(words.lacking(&late), Vec::<String>::new());
        let late = late.not_because(vec![Evidence::at("no-such", place())]);
        assert_eq!(words.lacking(&late), ["evidence-no-such"]);
    }

    fn used(percent: u32, who: &[&str]) -> Finding {
        let who = Value::List(who.iter().map(|name| (*name).into()).collect());
        Finding::new(FindingKind::Validity, "disturbed-by-others", model::Severity::Warning)
            .arg("others_cpu", f64::from(percent) / 100.0)
            .arg("end", "near")
            .arg("machine", "")
            .arg("server", false)
            .arg("who", who)
    }

    #[test]
    fn the_worst_of_several_is_not_hidden_behind_the_first() {
        let (one, worst, nobody) = (used(21, &["cargo"]), used(159, &["rustc (99 %)", "ld"]), used(9, &[]));
        assert!(are_alike(&one.args, &worst.args) && are_alike(&one.args, &nobody.args));
        let korean = Language::Korean.words();
        let told = korean.findings(&[&one, &worst, &nobody]);
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("9 ~ 159 %") && told[0].ends_with(": rustc (99 %), ld"), "{told:?}");
        assert!(!korean.finding(&nobody).contains(':'));
        let far = used(21, &["cargo"]).arg("end", "far");
        assert!(!are_alike(&one.args, &far.args));
        assert!(!are_alike(&one.args, &Arguments::new()));
    }

    #[test]
    fn a_range_has_one_unit_or_two() {
        let words = Words::english_with([
            "finding-late = { SHORT($s, unit: \"s\") } late, { $n } of { $of ->\n    [1] one\n   *[other] { $of }\n}\n",
        ]);
        let late = |s: f64, n: u64, of: u64| {
            let late = Finding::new(FindingKind::Validity, "late", model::Severity::Note);
            late.arg("s", s).arg("n", n).arg("of", of)
        };
        let told = |a: Finding, b: Finding| words.findings(&[&a, &b]).concat();
        assert_eq!(told(late(66.75e-6, 1, 2), late(90e-6, 3, 2)), "66.75 to 90 us late, 1 to 3 of 2");
        assert_eq!(told(late(0.1, 1, 2), late(9e-6, 1, 1)), "9 us to 100 ms late, 1 of 1 to 2");
        assert_eq!(told(late(0.1, 1, 1), late(0.100_001, 1, 1)), "100 ms late, 1 of one");
        // Words that nobody has are the documents'.
        let old =
            |text: &str| Finding::new(FindingKind::Validity, "no-such", model::Severity::Note).worded(text);
        assert_eq!(words.findings(&[&old("a"), &old("b"), &old("a")]), ["a", "b"]);
    }

    #[test]
    fn evidence_of_one_kind_is_told_together() {
        let at = |code: &str, rate: f64| {
            Evidence::at(code, model::finding::Place::Metric(MetricName::new("x")))
                .worded("said")
                .arg("rate", rate)
        };
        let words = Language::Korean.words();
        let all =
            [at("rate", 1e3), at("durable", 1e6), at("rate", 3e3), at("unknown", 1.0), at("unknown", 2.0)];
        assert_eq!(words.evidence_of(&all), ["1 ~ 3 k/s", "1 MB/s", "said"]);
    }
}
