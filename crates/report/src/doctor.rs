//! What could disturb a measurement now: all that the doctor says.

use language::Words;
use model::Finding;

use crate::document::{Block, Document, Notice, Rank, Section, Text};
use crate::page::findings::{sentence, severity_key};

/// The findings of a look as a document, the gravest first, each with its advice.
#[must_use]
pub fn document(findings: &[Finding], words: &'static Words) -> Document {
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by_key(|f| std::cmp::Reverse(f.severity));
    let mut section = Section::new("conditions", words.say("findings-conditions"));
    if sorted.is_empty() {
        section.put(Rank::Verdict, Block::Paragraph(words.say("doctor-nothing").into()));
    }
    for finding in sorted {
        let notice = Notice {
            id: None,
            severity: finding.severity,
            kind: words.say(severity_key(finding.severity)),
            about: String::new(),
            cases: None,
            text: Text::ticked(&sentence(&words.finding(finding))),
            details: finding.evidence.iter().filter_map(|e| words.evidence(e)).map(Text::from).collect(),
            advice: words.advice(finding).map(|advice| Text::ticked(&sentence(&advice))),
        };
        section.put(Rank::Caution, Block::Notice(notice));
    }
    Document {
        words,
        title: String::new(),
        byline: Vec::new(),
        purpose: Vec::new(),
        sections: vec![section],
        footer: Text::default(),
    }
}

#[cfg(test)]
mod tests {
    use language::Language;
    use model::{FindingKind, Severity};

    use super::*;
    use crate::document::terminal::{Detail, write};
    use crate::terminal::Terminal;

    fn condition(severity: Severity, text: &str) -> Finding {
        Finding::new(FindingKind::Condition, "x", severity).worded(text)
    }

    fn text(findings: &[Finding]) -> String {
        write(&document(findings, Language::English.words()), Terminal::default(), Detail::All)
    }

    #[test]
    fn conditions_are_told_with_their_advice_the_gravest_first() {
        let findings = [
            condition(Severity::Note, "two processes are running"),
            condition(Severity::Warning, "the governor is powersave").advise("choose `performance`"),
        ];
        let expected = "warning  The governor is powersave. Choose `performance`.\n\n\
                        note     Two processes are running.\n";
        assert_eq!(text(&findings), expected);
        assert_eq!(text(&[]), "Nothing was found that would disturb a measurement.\n");
    }

    #[test]
    fn no_name_of_a_process_reaches_the_terminal_as_a_command() {
        let found = text(&[condition(Severity::Warning, "evil\u{1b}[2J\u{7} uses a CPU")]);
        assert!(!found.contains('\u{1b}') && found.contains("\\u{1b}[2J"), "{found}");
    }
}
