//! What could disturb a measurement now, and errors of the parts since a moment: all that the doctor says.

use language::Words;
use machine::doctor::{ErrorReport, LogReach};
use model::{Finding, Value};

use crate::document::{Block, Document, Notice, Rank, Section, Text};
use crate::page::findings::{sentence, severity_key};

/// The findings of a look as a document, the gravest first, each with its advice.
#[must_use]
pub fn document(findings: &[Finding], words: &'static Words) -> Document {
    let mut section = Section::new("conditions", words.say("findings-conditions"));
    if findings.is_empty() {
        section.put(Rank::Verdict, Block::Paragraph(words.say("doctor-nothing").into()));
    }
    put_notices(&mut section, findings, words);
    of_section(section, words)
}

/// Errors of the parts since a moment, with what was asked for them: a part that counts none is no part without errors.
#[must_use]
pub fn errors_document(report: &ErrorReport, words: &'static Words) -> Document {
    let mut section = Section::new("conditions", words.say("findings-conditions"));
    if report.findings.is_empty() {
        section.put(Rank::Verdict, Block::Paragraph(words.say("doctor-no-errors").into()));
    }
    put_notices(&mut section, &report.findings, words);
    let sources = report.sources;
    let (log, seconds) = match sources.log {
        LogReach::Unread => ("unread", 0.0),
        LogReach::Whole => ("whole", 0.0),
        LogReach::Seconds(seconds) => ("cut", seconds),
    };
    let arguments = [
        ("memory", Value::from(sources.memory_controllers)),
        ("links", Value::from(sources.links)),
        ("adapters", Value::from(sources.adapters)),
        ("drives", Value::from(sources.drives)),
        ("log", Value::from(log)),
        ("seconds", Value::from(seconds)),
    ];
    section.put(Rank::Caution, Block::Paragraph(words.tell("doctor-sources", &arguments).into()));
    of_section(section, words)
}

fn put_notices(section: &mut Section, findings: &[Finding], words: &'static Words) {
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by_key(|f| std::cmp::Reverse(f.severity));
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
}

fn of_section(section: Section, words: &'static Words) -> Document {
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
    fn what_counts_no_errors_here_is_told_from_what_had_none() {
        use machine::doctor::ErrorSources;
        let mut report = ErrorReport {
            sources: ErrorSources { links: 3, drives: 1, adapters: 2, ..ErrorSources::default() },
            ..ErrorReport::default()
        };
        let said = |report: &ErrorReport| {
            let document = errors_document(report, Language::English.words());
            let text = write(&document, Terminal::default(), Detail::All);
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let nothing = said(&report);
        assert!(nothing.starts_with("No errors were counted or logged since then."), "{nothing}");
        assert!(nothing.contains("memory controllers (ECC) 0, PCI Express functions 3"), "{nothing}");
        assert!(nothing.contains("The kernel's log cannot be read."), "{nothing}");
        report.sources.log = LogReach::Seconds(7200.0);
        report.findings = vec![condition(Severity::Warning, "a link had errors")];
        let some = said(&report);
        assert!(some.contains("A link had errors.") && !some.contains("No errors"), "{some}");
        assert!(some.contains("The kernel's log reaches back no further than 2 h 0 min."), "{some}");
    }

    #[test]
    fn no_name_of_a_process_reaches_the_terminal_as_a_command() {
        let found = text(&[condition(Severity::Warning, "evil\u{1b}[2J\u{7} uses a CPU")]);
        assert!(!found.contains('\u{1b}') && found.contains("\\u{1b}[2J"), "{found}");
    }
}
