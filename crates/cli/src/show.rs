//! The one place that prints an error: what happened, where, what to do.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, Severity, SourceCode,
};

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
    let mut text = String::new();
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    // Plain characters where no terminal is known to draw others.
    let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::none() };
    let handler = GraphicalReportHandler::new_themed(theme).with_width(report::WIDTH);
    if handler.render_report(&mut text, &shown).is_err() {
        text = format!("error: {}\n", shown.message);
    }
    let _ = std::io::stderr().write_all(text.as_bytes());
    ExitCode::from(failure.code())
}
