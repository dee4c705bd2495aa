//! The sentences of findings, made from codes and arguments in every language. A
//! language that lacks one, or an argument of it, has what the document says.

use model::finding::Evidence;
use model::{Finding, FindingKind};

use crate::words::fluent_args;
use crate::{Language, Words};

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

    /// What a piece of evidence says.
    #[must_use]
    pub fn evidence(&self, evidence: &Evidence) -> Option<String> {
        let english = evidence.text.clone()?;
        Some(self.of_evidence(evidence).unwrap_or(english))
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
    /// what would be said in English. For tests of those that make findings.
    #[must_use]
    pub fn lacking(&self, finding: &Finding) -> Vec<String> {
        let mut lacking = Vec::new();
        if self.language() == Language::English {
            return lacking;
        }
        if self.of_finding(finding, "").is_none() {
            lacking.push(key_of(finding));
        }
        if finding.advice.is_some() && self.of_finding(finding, ".advice").is_none() {
            lacking.push(format!("{}.advice", key_of(finding)));
        }
        let evidence = finding.evidence.iter().chain(&finding.ruled_out);
        let unsaid = evidence.filter(|e| e.text.is_some() && self.of_evidence(e).is_none());
        lacking.extend(unsaid.map(|e| format!("evidence-{}", e.code)));
        lacking
    }

    /// A sentence may use what the finding is about, `$resource`, and what its
    /// evidence says, `$evidence`, beside its own arguments.
    fn of_finding(&self, finding: &Finding, attribute: &str) -> Option<String> {
        let mut filled = fluent_args(finding.args.iter().map(|(name, value)| (name.as_str(), value)));
        if let Some(resource) = &finding.resource {
            filled.set("resource", resource.as_str());
        }
        let said: Vec<String> = finding.evidence.iter().filter_map(|e| self.evidence(e)).collect();
        filled.set("evidence", said.join("; "));
        self.look_up(&format!("{}{attribute}", key_of(finding)), &filled)
    }

    fn of_evidence(&self, evidence: &Evidence) -> Option<String> {
        let filled = fluent_args(evidence.args.iter().map(|(name, value)| (name.as_str(), value)));
        self.look_up(&format!("evidence-{}", evidence.code), &filled)
    }
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
    use std::collections::BTreeMap;

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
    fn what_is_lacking_is_named() {
        let finding = Finding::new(model::FindingKind::Bottleneck, "cannot-tell", model::Severity::Note)
            .worded("The sentence in English.");
        let place = model::finding::Place::Metric("iops".to_owned());
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
}
