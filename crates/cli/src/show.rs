//! The one place that prints an error: what happened, where, what to do.

use std::io::Write;
use std::process::ExitCode;

use console::Term;
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, Severity, SourceCode,
};
use textwrap::{WordSeparator, WordSplitter};

use crate::exit::Failure;
use crate::{mask_keys, output};

/// Fewer columns than these leave no room for what is pointed at.
const NARROWEST: usize = 40;

/// A failure as miette draws it.
#[derive(Debug)]
struct ShownFailure {
    message: String,
    help: Option<String>,
    source: Option<NamedSource<String>>,
    label: Option<LabeledSpan>,
}

impl std::fmt::Display for ShownFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ShownFailure {}

impl Diagnostic for ShownFailure {
    fn severity(&self) -> Option<Severity> {
        Some(Severity::Error)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.help.as_ref().map(|h| Box::new(h) as Box<dyn std::fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|s| s as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.label.clone().map(|l| Box::new(std::iter::once(l)) as Box<dyn Iterator<Item = LabeledSpan>>)
    }
}

impl ShownFailure {
    /// `failure` without keys, and without what a terminal would obey: names of
    /// files and studies of others may hold anything.
    fn of(failure: &Failure) -> Self {
        let (source, label) = match failure {
            Failure::Usage(m) => (
                Some(NamedSource::new(
                    line(&m.source_text.name),
                    obeyed_by_none(&mask_keys::starred(&m.source_text.text)),
                )),
                Some(LabeledSpan::underline((m.span.start, m.span.len()))),
            ),
            _ => (None, None),
        };
        let message: Vec<String> = failure.message().lines().map(line).collect();
        let help = failure.help().map(|help| help.lines().map(line).collect::<Vec<_>>().join("\n"));
        Self { message: message.join("\n"), help, source, label }
    }
}

/// One line of a message.
fn line(text: &str) -> String {
    report::text::printable(&mask_keys::shortened(text))
}

/// `text` with other characters in place of those that control a terminal; each
/// byte stays where it was.
fn obeyed_by_none(text: &str) -> String {
    let harmless = |c: char| match c {
        '\n' | '\t' => c.to_string(),
        '\r' => " ".to_owned(),
        c if c.is_control() => "?".repeat(c.len_utf8()),
        c => c.to_string(),
    };
    text.chars().map(harmless).collect()
}

/// Prints what is wrong with a command line, or the help that was asked for.
pub(crate) fn usage(error: &clap::Error) {
    let plain = error.render().to_string();
    if mask_keys::secrets(plain.as_bytes()).is_empty() {
        let _ = error.print();
    } else {
        let _ = std::io::stderr().write_all(mask_keys::shortened(&plain).as_bytes());
    }
}

/// Prints `failure` on standard error; returns its exit code.
pub(crate) fn failure(failure: &Failure) -> ExitCode {
    let shown = ShownFailure::of(failure);
    let colour = output::colour(&std::io::stderr());
    // Plain characters where no terminal is known to draw others.
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::none() };
    let columns = Term::stderr().size_checked().map(|(_, columns)| usize::from(columns));
    let width = columns.map_or(report::WIDTH, |columns| columns.clamp(NARROWEST, report::WIDTH));
    let _ = std::io::stderr().write_all(drawn(&shown, theme, width).as_bytes());
    ExitCode::from(failure.code())
}

/// The text of an error in lines of so many columns. They break at spaces only: what it says is there to be
/// copied, such as a path or `--destroy /dev/loop3`.
fn drawn(shown: &ShownFailure, theme: GraphicalTheme, width: usize) -> String {
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(width)
        .with_word_separator(WordSeparator::AsciiSpace)
        .with_word_splitter(WordSplitter::NoHyphenation);
    let mut text = String::new();
    match handler.render_report(&mut text, shown) {
        Ok(()) => text,
        Err(_) => format!("error: {}\n", shown.message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_study_with_an_escape_in_it_does_not_reach_the_terminal() {
        use import::diagnostic::{Source, SourceRange};
        let text = "title = \"\u{1b}[2J\u{9b}x\"\r\nwrong\r\n".to_owned();
        let at = text.find("wrong").unwrap();
        let place =
            SourceRange { source: Source { name: "a\u{1b}.toml".to_owned(), text }.into(), span: at..at + 5 };
        let diagnostic = place.diagnostic("there is no \u{1b}", "take \u{1b}[1m out\nsoon");
        let drawn =
            drawn(&ShownFailure::of(&Failure::Usage(diagnostic)), GraphicalTheme::none(), report::WIDTH);
        assert!(drawn.chars().all(|c| c == '\n' || !c.is_control()), "{drawn:?}");
        assert!(drawn.contains("wrong") && drawn.contains("soon"), "{drawn}");
    }

    #[test]
    fn regression_lines_broke_within_what_is_to_be_copied() {
        for words in ["--destroy /dev/loop3", "20261121-194131-dpy7", "block-size=4KiB", "/tmp/a/folder/file"]
        {
            for before in 40..80 {
                let text = format!("{} {words} and more", "x".repeat(before));
                let shown =
                    ShownFailure { message: text.clone(), help: Some(text), source: None, label: None };
                let drawn = drawn(&shown, GraphicalTheme::none(), report::WIDTH);
                for word in words.split(' ') {
                    assert_eq!(drawn.matches(word).count(), 2, "{drawn}");
                }
            }
        }
    }
}
