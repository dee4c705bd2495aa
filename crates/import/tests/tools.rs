//! Every capture of `tests/tool/fixtures` is read as the file beside it expects: which outputs are found,
//! with every figure in SI units, and what was not understood. `TOOL-VERSION-CASE.out` is the
//! capture, `.expected` what a person read in it.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use import::tool;
use model::tool_result::{PrintedValue, ToolMeasurement, ToolPartKind, ToolResult, UnreadCause};
use model::{ParameterName, ToolOutput, Value};

/// All captures, by their names.
fn captures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tool/fixtures");
    let folders = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let files =
        folders.flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
    let mut all: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|e| e == "out")).collect();
    all.sort();
    all
}

#[test]
fn every_capture_is_read_as_expected() {
    let mut wrong = Vec::new();
    let captures = captures();
    assert!(captures.len() > 10, "{captures:?}");
    for path in captures {
        let output = tool::read("", std::fs::File::open(&path).unwrap()).unwrap();
        let found = outline(&output);
        let expected = std::fs::read_to_string(path.with_extension("expected")).unwrap_or_default();
        if let Some(difference) = difference(&expected, &found) {
            wrong.push(format!("{}: {difference}\nfound:\n{found}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_capture_that_is_cut_anywhere_is_read_without_a_panic() {
    for path in captures() {
        let bytes = std::fs::read(path).unwrap();
        let step = (bytes.len() / 40).max(1);
        for end in (0..bytes.len()).step_by(step) {
            let output = tool::read("", &bytes[..end]).unwrap();
            let figures = |result: &ToolResult| {
                result.measurements().flat_map(|(_, m)| m.figures.iter()).all(|f| f.printed.value.is_finite())
            };
            assert!(output.results.iter().all(figures));
        }
    }
}

#[test]
fn every_capture_is_of_a_tool_that_is_read() {
    for path in captures() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let folder = path.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
        assert!(tool::readers().any(|reader| reader.name() == folder), "{folder}");
        assert!(name.starts_with(&format!("{folder}-")), "{name} is not named TOOL-VERSION-CASE");
    }
}

/// What was read, a line a thing.
fn outline(output: &ToolOutput) -> String {
    let mut text = String::new();
    for result in &output.results {
        let version = result.version.as_deref().unwrap_or("unknown");
        writeln!(text, "{} {version} lines {}-{}", result.tool, result.lines.first, result.lines.last)
            .unwrap();
        if !result.command.is_empty() {
            writeln!(text, "  command {}", result.command.join(" ")).unwrap();
        }
        if let Some(workload) = result.workload {
            let one = |(name, value): (ParameterName, &Value)| format!("{name}={value}");
            let parameters: Vec<String> = result.parameters.iter().map(one).collect();
            writeln!(text, "  work {workload} {}", parameters.join(" ")).unwrap();
        }
        for (part, measured) in result.measurements() {
            let name = part.map(|part| {
                let start = part.start_s.map(|start| format!(" from {start}")).unwrap_or_default();
                format!("{} {}{start}: ", kind(part.kind), part.name)
            });
            figures(&mut text, &name.unwrap_or_default(), measured);
        }
        for warning in &result.warnings {
            writeln!(text, "  warning {}", warning.line).unwrap();
        }
        for lines in &result.unread {
            writeln!(text, "  unread {}-{}", lines.first, lines.last).unwrap();
        }
    }
    for unread in &output.unread {
        let cause = match unread.cause {
            UnreadCause::NoTool => "no-tool",
            UnreadCause::NotUnderstood => "not-understood",
            UnreadCause::CutShort => "cut-short",
            UnreadCause::TooLong => "too-long",
            UnreadCause::TooMany => "too-many",
            UnreadCause::Other => "other",
        };
        writeln!(text, "unread {cause} {}-{}", unread.lines.first, unread.lines.last).unwrap();
    }
    if let Some(encoding) = &output.encoding {
        writeln!(text, "encoding {encoding}").unwrap();
    }
    text
}

fn figures(text: &mut String, name: &str, measured: &ToolMeasurement) {
    let ToolMeasurement { window, bytes, operations, figures } = measured;
    for (what, printed) in [("window", window), ("bytes", bytes), ("operations", operations)] {
        if let Some(printed) = printed {
            figure(text, name, what, printed);
        }
    }
    for own in figures {
        figure(text, name, own.metric.as_str(), &own.printed);
    }
}

fn figure(text: &mut String, name: &str, what: &str, printed: &PrintedValue) {
    let PrintedValue { value, unit, line, .. } = printed;
    writeln!(text, "  {name}{what} {value} {} line {line}", unit.symbol()).unwrap();
}

fn kind(kind: ToolPartKind) -> &'static str {
    match kind {
        ToolPartKind::Direction => "direction",
        ToolPartKind::Thread => "thread",
        ToolPartKind::Job => "job",
        ToolPartKind::Stream => "stream",
        ToolPartKind::Interval => "interval",
        ToolPartKind::Target => "target",
        ToolPartKind::Phase => "phase",
        ToolPartKind::Other => "other",
    }
}

/// The first line that is another one; numbers may differ by a millionth.
fn difference(expected: &str, found: &str) -> Option<String> {
    let (mut expected, mut found) = (expected.lines(), found.lines());
    loop {
        match (expected.next(), found.next()) {
            (None, None) => return None,
            (Some(one), Some(other)) if is_same(one, other) => {}
            (one, other) => return Some(format!("expected {one:?}, found {other:?}")),
        }
    }
}

fn is_same(one: &str, other: &str) -> bool {
    let same_word = |(one, other): (&str, &str)| match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= 1e-6 * a.abs().max(b.abs()),
        _ => one == other,
    };
    one.split_whitespace().count() == other.split_whitespace().count()
        && one.split_whitespace().zip(other.split_whitespace()).all(same_word)
}
