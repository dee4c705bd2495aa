//! `headroom reference`: every reference document that follows from tables in
//! the code, as one JSON object of paths and texts. Not for people: `cargo xtask
//! gen` writes the files and checks them.
//!
//! A document is one line in [`DOCUMENTS`]. Its text follows from the code alone:
//! the same on every machine and with every set of Cargo features.

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use serde_json::Value;

use crate::exit::Failure;

/// Where each document lies, from the root of the repository, and what makes its text; the error says
/// why there is none.
type Document = (&'static str, fn() -> Result<String, String>);

const DOCUMENTS: &[Document] = &[
    ("docs/reference/run.schema.json", || pretty(&model::run::json_schema())),
    ("docs/reference/comparison.schema.json", || pretty(&model::comparison::json_schema())),
    ("docs/reference/study.schema.json", || pretty(&study::schema::study_schema(&::agent::catalogue()))),
    ("docs/reference/study.md", || Ok(study::schema::markdown())),
    ("docs/reference/fio.md", || Ok(import::fio::markdown())),
    ("docs/reference/counting.md", || Ok(import::tool::markdown())),
    ("docs/reference/workloads.md", || Ok(::report::reference::markdown(&::agent::catalogue()))),
    ("docs/reference/findings.md", || Ok(findings())),
    ("docs/reference/samplers.md", || Ok(samplers())),
    ("docs/reference/command-line.md", || Ok(super::reference())),
];

pub(super) fn define(command: Command) -> Command {
    command.hide(true).about("The reference documents, as JSON (for `cargo xtask gen`)")
}

pub(super) fn carry_out(_matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let made = DOCUMENTS.iter().map(|(path, make)| Ok((*path, make()?)));
    let texts: BTreeMap<&str, String> = made.collect::<Result<_, String>>().map_err(failed)?;
    crate::output::done(pretty(&serde_json::json!(texts)).map_err(failed)?)
}

fn failed(why: String) -> Failure {
    Failure::arguments(format!("a document cannot be made: {why}"), "mend its table")
}

/// JSON for people. Keys are sorted here because whether `serde_json` sorts
/// them depends on which features other crates of the same build ask for.
fn pretty(value: &Value) -> Result<String, String> {
    let text = serde_json::to_string_pretty(&sorted(value)).map_err(|e| e.to_string())?;
    Ok(text + "\n")
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Object(map) => {
            let mut pairs: Vec<_> = map.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            pairs.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(pairs.into_iter().collect())
        }
        other => other.clone(),
    }
}

/// What findings there are, in Markdown.
fn findings() -> String {
    let mut page = String::from(
        "# Findings\n\nMade from the code by `cargo xtask gen`. A finding has a kind, a code, a severity, a sentence, evidence \
         that names its place in the run document, and often advice.\n\n## About a case\n\nValidity (may the number be \
         trusted), deviation (from a promise) and bottleneck (what holds it back; one a case at most).\n\n| code | what it \
         says |\n|---|---|\n",
    );
    for (code, doc) in ::analysis::explained() {
        page.push_str(&row(code, doc));
    }
    page.push_str(
        "\n## About the machine\n\nConditions: what could disturb a measurement. `headroom doctor` looks now; every run looks \
         before and after.\n\n| code | what it looks at |\n|---|---|\n",
    );
    for check in ::machine::doctor::CHECKS {
        page.push_str(&row(check.code, check.doc));
    }
    page
}

/// What is read while a load runs, in Markdown.
fn samplers() -> String {
    let mut page = String::from(
        "# Samplers\n\nMade from the code by `cargo xtask gen`. What is read at the edges of a trial's window and at a steady \
         pace within it, where the machine has it. Counters stand under `counters` with both edges, their unit and scale; \
         what changed stands under `series` as well.\n\n| sampler | what it reads |\n|---|---|\n",
    );
    for kind in ::machine::sampler::TABLE {
        page.push_str(&row(kind.name, kind.doc));
    }
    page
}

fn row(name: &str, doc: &str) -> String {
    format!("| `{name}` | {} |\n", doc.replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_can_be_made_and_has_a_place_of_its_own() {
        for (place, (path, make)) in DOCUMENTS.iter().enumerate() {
            let text = make().unwrap();
            assert!(text.ends_with('\n') && text.len() > 100, "{path}: {text}");
            assert!(path.starts_with("docs/reference/"), "{path}");
            assert!(DOCUMENTS[..place].iter().all(|(other, _)| other != path), "{path}");
        }
    }

    #[test]
    fn keys_are_sorted_and_lists_are_not() {
        let value: Value = serde_json::from_str(r#"{"b": [2, 1], "a": {"d": 1, "c": 2}}"#).unwrap();
        let text: String = pretty(&value).unwrap().split_whitespace().collect();
        assert_eq!(text, r#"{"a":{"c":2,"d":1},"b":[2,1]}"#);
    }
}
