//! The one place that prints an error: what happened, where, what to do.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, Severity, SourceCode,
};
use textwrap::{WordSeparator, WordSplitter};

use crate::exit::Failure;

/// A failure as miette draws it.
#[derive(Debug)]
struct Shown {
    message: String,
    help: Option<String>,
    source: Option<NamedSource<String>>,
    label: Option<LabeledSpan>,
}

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Shown {}

impl Diagnostic for Shown {
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

/// Prints `failure` on standard error; returns its exit code.
pub(crate) fn failure(failure: &Failure) -> ExitCode {
    let (source, label) = match failure {
        Failure::Mistake(m) => (
            Some(NamedSource::new(&m.source_text.name, m.source_text.text.clone())),
            Some(LabeledSpan::underline((m.span.start, m.span.len()))),
        ),
        _ => (None, None),
    };
    // Names of files stand in messages, and may hold anything.
    let message: Vec<String> = failure.message().lines().map(report::text::printable).collect();
    let shown = Shown { message: message.join("\n"), help: failure.help(), source, label };
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    // Plain characters where no terminal is known to draw others.
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::none() };
    let _ = std::io::stderr().write_all(drawn(&shown, theme).as_bytes());
    ExitCode::from(failure.code())
}

/// The text of an error. Lines break at spaces only: what it says is there to be
/// copied, such as a path or `--destroy /dev/loop3`.
fn drawn(shown: &Shown, theme: GraphicalTheme) -> String {
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(report::WIDTH)
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
    fn regression_lines_broke_within_what_is_to_be_copied() {
        for words in ["--destroy /dev/loop3", "20261121-194131-dpy7", "block-size=4KiB", "/tmp/a/folder/file"]
        {
            for before in 40..80 {
                let text = format!("{} {words} and more", "x".repeat(before));
                let shown = Shown { message: text.clone(), help: Some(text), source: None, label: None };
                let drawn = drawn(&shown, GraphicalTheme::none());
                for word in words.split(' ') {
                    assert_eq!(drawn.matches(word).count(), 2, "{drawn}");
                }
            }
        }
    }
}
