//! Workloads, studies and settings as text: for the terminal and for the reference pages.

use machine::setting::PresentState;
use model::metric::Better;
use model::resource::Symbol;
use model::setting::SettingSpec;
use model::workload::Catalogue;
use model::{Kind, ParameterSpec, WorkloadSpec};
use textwrap::{Options, WordSeparator, WordSplitter};

use crate::WIDTH;
use crate::terminal::Terminal;
use crate::terminal::table::plain;

/// All workloads, a line each.
#[must_use]
pub fn list(catalogue: &Catalogue, terminal: Terminal) -> String {
    let rows: Vec<Vec<String>> =
        catalogue.workloads.iter().map(|w| vec![w.name.to_string(), w.summary.to_owned()]).collect();
    plain(terminal, &[("workload", false), ("what it measures", false)], &rows)
}

/// The built-in studies, each a name and its question, a line each.
#[must_use]
pub fn studies(all: &[(&str, String)], terminal: Terminal) -> String {
    let rows: Vec<Vec<String>> =
        all.iter().map(|(name, question)| vec![(*name).to_owned(), question.clone()]).collect();
    plain(terminal, &[("study", false), ("what it answers", false)], &rows)
}

/// What a machine may be fit for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FitUse<'a> {
    /// The name of the use.
    pub name: &'a str,
    /// What its study asks.
    pub question: String,
    /// What it asks of its user: an option with its default, and what it is.
    pub inputs: Vec<(String, String)>,
}

/// Uses with their inputs, for a terminal.
#[must_use]
pub fn uses(all: &[FitUse<'_>], terminal: Terminal) -> String {
    let one = |fit: &FitUse<'_>| {
        let head = filled(&format!("{}: {}", fit.name, fit.question), ("", "  "), terminal);
        let input = |(option, doc): &(String, String)| {
            let doc = filled(doc, ("      ", "      "), terminal);
            format!("  {option}\n{doc}")
        };
        std::iter::once(head).chain(fit.inputs.iter().map(input)).collect::<Vec<_>>().join("\n")
    };
    all.iter().map(one).collect::<Vec<_>>().join("\n\n") + "\n"
}

/// A paragraph without a line break at its end. Its lines break at spaces only: names such as
/// `queue-depth` are there to be copied.
#[must_use]
pub fn paragraph(text: &str, terminal: Terminal) -> String {
    filled(text, ("", ""), terminal)
}

/// The same with `first` before the first line and `rest` before the others.
fn filled(text: &str, (first, rest): (&str, &str), terminal: Terminal) -> String {
    let options = Options::new(terminal.width().min(WIDTH))
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .initial_indent(first)
        .subsequent_indent(rest);
    textwrap::fill(text, options)
}

/// One workload in full, for a terminal.
#[must_use]
pub fn text(spec: &WorkloadSpec, catalogue: &Catalogue, terminal: Terminal) -> String {
    let indented = |text: &str| filled(text, ("      ", "      "), terminal);
    let title = paragraph(&format!("{}: {}", spec.name, spec.summary), terminal);
    let mut out = format!("{title}\n\n");
    if !spec.examples.is_empty() {
        out.push_str(&format!("Examples\n{}\n", examples(spec, "  ")));
    }
    out.push_str(&format!("{}\n\nParameters\n", paragraph(spec.doc, terminal)));
    for parameter in catalogue.parameters(spec) {
        let head = format!("  {} = {}", parameter.name, parameter.default.unwrap_or("(not set)"));
        out.push_str(&format!("{head}\n{}\n", indented(&described(parameter))));
    }
    out.push_str("\nMetrics\n");
    for metric in spec.metrics {
        let direction = direction(metric.better);
        let head = format!("  {} ({}, {direction} is better)", metric.name, metric.unit.symbol());
        out.push_str(&format!("{head}\n{}\n", indented(metric.doc)));
    }
    out
}

/// What may be typed for a workload, a line each.
fn examples(spec: &WorkloadSpec, indent: &str) -> String {
    spec.examples.iter().map(|words| format!("{indent}headroom run {words}\n")).collect()
}

pub(crate) fn direction(better: Better) -> &'static str {
    match better {
        Better::Higher => "higher",
        Better::Lower => "lower",
    }
}

/// The documentation with what may be written.
fn described(parameter: &ParameterSpec) -> String {
    let words: Vec<String> = parameter.forms().map(|(form, doc)| format!("{form} ({doc})")).collect();
    let values = match (parameter.kind, words.is_empty()) {
        (Kind::Choice, _) => words.join(", "),
        (_, true) => parameter.hint().to_owned(),
        (_, false) => format!("{}; or {}", parameter.hint(), words.join(", ")),
    };
    format!("{} Values: {values}.", parameter.doc)
}

/// All settings, each with what it is and how it stands here.
#[must_use]
pub fn settings(all: &[&SettingSpec], present: &[PresentState], terminal: Terminal) -> String {
    const NAME: usize = 28;
    let indent: &str = &" ".repeat(NAME);
    let mut out = String::new();
    for spec in all {
        let here = present.iter().filter(|state| state.spec.name() == spec.name());
        let stands = stands(here).map(|now| format!(": {now}")).unwrap_or_default();
        let text = filled(&format!("{}{stands}", spec.summary), (indent, indent), terminal);
        out.push_str(&format!("{:NAME$}{}\n", spec.name(), text.trim_start()));
    }
    let more = "`headroom settings NAME` says all of one, and why it cannot be changed.";
    out.push_str(&format!("\n{}\n", paragraph(more, terminal)));
    out
}

/// How a setting stands at its resources, in a line: `vda mq-deadline, vdb none (cannot be changed)`.
fn stands<'a>(here: impl Iterator<Item = &'a PresentState>) -> Option<String> {
    /// More than that are not named.
    const MOST: usize = 4;
    let all: Vec<&PresentState> = here.collect();
    let known: Vec<String> = all
        .iter()
        .filter_map(|state| {
            let now = state.now.as_ref().ok()?;
            let (name, now) = (state.bound.name(), brief(now));
            let told = if name.is_empty() { now } else { format!("{name} {now}") };
            Some(if state.refused.is_some() { format!("{told} (cannot be changed)") } else { told })
        })
        .collect();
    if all.is_empty() {
        return None;
    }
    Some(match known.len() {
        0 => "not to be had here".to_owned(),
        some if some > MOST => format!("{}, and {} more", known[..MOST].join(", "), some - MOST),
        _ => known.join(", "),
    })
}

/// The first parts of a long state; [`present`] has all.
fn brief(now: &str) -> String {
    const LONGEST: usize = 40;
    let Some((end, _)) = now.char_indices().nth(LONGEST) else { return now.to_owned() };
    let head = &now[..end];
    match head.rsplit_once('+') {
        Some((whole, _)) => format!("{whole}+..."),
        None => format!("{head}..."),
    }
}

/// How one setting stands at each of its resources, a line each.
#[must_use]
pub fn present(states: &[PresentState], terminal: Terminal) -> String {
    let line = |state: &PresentState| {
        let place = state.resource.as_str();
        let said = match (&state.now, &state.refused) {
            (Err(reason), _) => format!("{place}: cannot be read: {reason}"),
            (Ok(now), Some(reason)) => format!("{place}: {now}; cannot be changed: {reason}"),
            (Ok(now), None) => format!("{place}: {now}"),
        };
        filled(&said, ("  ", "    "), terminal)
    };
    match states {
        [] => "Nothing here has it.\n".to_owned(),
        all => format!("Here it is now:\n{}\n", all.iter().map(line).collect::<Vec<_>>().join("\n")),
    }
}

/// One setting in full, for a terminal.
#[must_use]
pub fn setting(spec: &SettingSpec, terminal: Terminal) -> String {
    let name = spec.name();
    let mut example = format!("--set {name}=LEVELS");
    let mut resource = "the machine; with a peer both machines".to_owned();
    if let Some(symbol) = spec.binds {
        let ends = if symbol == Symbol::PeerInterface { ", at both ends" } else { "" };
        resource = format!("{}{ends}", symbol.words().phrase(None));
    }
    if let Some(one) = spec.named().and_then(|words| words.example) {
        resource.push_str(", or the one named after `@`");
        example.push_str(&format!(" or --set {name}@{one}=LEVELS"));
    }
    if matches!(spec.binds, Some(Symbol::TargetDevice | Symbol::TargetFileSystem)) {
        resource.push_str(
            "; on a storage stack (--stack) to that of its top, or of the layer named after `@`, as the stack calls it",
        );
    }
    let about = format!(
        "It belongs to {resource}. Write {example}; a comma makes levels, which are measured one after the other. It \
         is read back after the change, and put back at the end."
    );
    format!(
        "{}\n\n{}\n\n{}\n",
        paragraph(&format!("{name}: {}", spec.summary), terminal),
        paragraph(&described(&spec.value), terminal),
        paragraph(&about, terminal)
    )
}

/// The reference page of all workloads, in Markdown.
#[must_use]
pub fn markdown(catalogue: &Catalogue) -> String {
    let mut out = String::from(
        "# Workloads\n\nMade by `cargo xtask gen` from the workload table; edit the workload, not this page.\n\n\
         Every parameter may be a list (`--queue-depth 1,4,16`) or a range (`1..64` doubles, `1..16:1` steps): then it \
         is a factor, and every combination is a case.\n",
    );
    for spec in &catalogue.workloads {
        out.push_str(&format!("\n## `{}`\n\n{}\n\n", spec.name, spec.doc));
        if !spec.examples.is_empty() {
            out.push_str(&format!("```text\n{}```\n\n", examples(spec, "")));
        }
        out.push_str("| parameter | default | meaning |\n|---|---|---|\n");
        for parameter in spec.parameters {
            out.push_str(&parameter_row(parameter));
        }
        out.push_str("\n| metric | unit | better | meaning |\n|---|---|---|---|\n");
        for m in spec.metrics {
            out.push_str(&format!(
                "| `{}` | {} | {} | {} |\n",
                m.name,
                m.unit.symbol(),
                direction(m.better),
                m.doc
            ));
        }
        let path: Vec<&str> = spec.path.iter().map(|s| s.name()).collect();
        out.push_str(&format!("\nPath: {}.\n", path.join(", ")));
    }
    out.push_str("\n## What every workload has\n\n| parameter | default | meaning |\n|---|---|---|\n");
    for parameter in catalogue.common {
        out.push_str(&parameter_row(parameter));
    }
    out
}

fn parameter_row(parameter: &ParameterSpec) -> String {
    let default = parameter.default.map_or_else(String::new, |d| format!("`{d}`"));
    format!("| `{}` | {default} | {} |\n", parameter.name, described(parameter).replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use model::{Resource, ResourceKind};

    use super::*;

    #[test]
    fn regression_lines_broke_within_names_that_are_to_be_copied() {
        for names in ["queue-depth stripe-width", "none,mq-deadline,kyber", "raid5(a+b+c;chunk=64k)"] {
            for before in 40..80 {
                let filled =
                    paragraph(&format!("{} {names} dm-crypt", "x".repeat(before)), Terminal::default());
                for name in names.split(' ').chain(["dm-crypt"]) {
                    assert!(filled.contains(name), "{filled}");
                }
            }
        }
    }

    #[test]
    fn a_setting_that_cannot_be_changed_is_told_in_the_list_and_why_beside_its_resource() {
        let spec = machine::setting::find("read-ahead").unwrap().spec();
        let at = |name: &str, now: Result<&str, &str>, refused: Option<&str>| PresentState {
            spec,
            bound: Resource::of(ResourceKind::Block, name),
            resource: Resource::of(ResourceKind::Block, name),
            now: now.map(str::to_owned).map_err(str::to_owned),
            refused: refused.map(str::to_owned),
        };
        let states = [
            at("sda", Ok("128KiB"), None),
            at("sdb", Ok("64KiB"), Some("the host keeps it")),
            at("sdc", Err("it has none"), None),
        ];
        let listed = settings(&[spec], &states, Terminal::default());
        let flat = listed.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            flat.contains("sda 128KiB, sdb 64KiB (cannot be changed) `headroom settings NAME`"),
            "{listed}"
        );
        let told = present(&states, Terminal::default());
        assert!(told.contains("block:sda: 128KiB\n"), "{told}");
        assert!(told.contains("block:sdb: 64KiB; cannot be changed: the host keeps it\n"), "{told}");
        assert!(told.contains("block:sdc: cannot be read: it has none\n"), "{told}");
        assert_eq!(
            brief("relatime+diratime+nolazytime+async+barrier+commit=5"),
            "relatime+diratime+nolazytime+async+..."
        );
        assert_eq!(brief("0-3:max"), "0-3:max");
        let nowhere = settings(&[spec], &states[2..], Terminal::default());
        assert!(nowhere.contains("not to be had here"), "{nowhere}");
    }

    #[test]
    fn lines_are_as_long_as_the_terminal_allows() {
        let question = "How fast are large blocks written to a file, and how much of that is the page cache?";
        for most in [60, 80] {
            let terminal = Terminal::new(most, false);
            let all = [("dd", question.to_owned()), ("ssd-steady-state", question.to_owned())];
            let text = format!("{}\n{}", studies(&all, terminal), paragraph(question, terminal));
            assert!(text.lines().all(|line| line.len() <= most), "{text}");
            assert!(text.lines().any(|line| line.len() > most - 12), "{text}");
        }
    }
}
