//! `[verdict]`: what the question of a study comes to, where a rule can answer it from the
//! figures of its workloads.

use import::diagnostic::{Diagnostic, SourceRange, suggest};
use model::study::{StudyVerdict, StudyVerdictKind};
use model::{Study, WorkloadName};

/// Every key, with what may be written and what it means, in documentation order.
pub const KEYS: &[(&str, &str, &str)] = &[
    ("kind", "absorbs", "Whether the sink takes all that the source brings, for as long as it likes."),
    (
        "source",
        "WORKLOAD",
        "The workload of the study that measures what comes: it receives, reads or makes bytes. Of the cases in the state \
         that the joint one is measured in the one that brings most counts.",
    ),
    (
        "sink",
        "WORKLOAD",
        "The workload that measures what is taken where nothing else holds it back: it writes, sends or uses up bytes.",
    ),
    (
        "joint",
        "WORKLOAD",
        "The workload in which what comes from the one is taken by the other, with each of its settings.",
    ),
];

/// A key with its value, as they stand in the study.
pub(super) struct Entry<'a> {
    pub(super) name: &'a str,
    pub(super) key_place: SourceRange,
    pub(super) text: &'a str,
    pub(super) place: SourceRange,
}

/// Reads the table, which stands at `place`.
pub(super) fn read(
    study: &Study,
    entries: &[Entry<'_>],
    place: &SourceRange,
) -> Result<StudyVerdict, Diagnostic> {
    let known = || KEYS.iter().map(|(key, ..)| *key);
    if let Some(entry) = entries.iter().find(|entry| !known().any(|key| key == entry.name)) {
        let message = format!("there is no key `{}` in [verdict]", entry.name);
        return Err(entry.key_place.diagnostic(message, suggest(entry.name, known().collect::<Vec<_>>())));
    }
    let of = |key: &str| {
        let found = entries.iter().find(|entry| entry.name == key);
        found.ok_or_else(|| place.diagnostic(format!("[verdict] has no {key}"), "it needs all its keys"))
    };
    let kind = of("kind")?;
    if kind.text != "absorbs" {
        let message = format!("there is no verdict of the kind `{}`", kind.text);
        return Err(kind.place.diagnostic(message, "the only kind is absorbs"));
    }
    let workload = |key: &str| workload(study, of(key)?);
    Ok(StudyVerdict {
        kind: StudyVerdictKind::Absorbs,
        source: workload("source")?,
        sink: workload("sink")?,
        joint: workload("joint")?,
    })
}

/// A workload of the study.
fn workload(study: &Study, entry: &Entry<'_>) -> Result<WorkloadName, Diagnostic> {
    let all = || study.workloads.iter().map(|workload| workload.kind);
    let found = all().find(|kind| kind.as_str() == entry.text);
    found.ok_or_else(|| {
        let names: Vec<&str> = all().map(WorkloadName::as_str).collect();
        let message = format!("this study has no workload `{}`", entry.text);
        entry.place.diagnostic(message, suggest(entry.text, names))
    })
}

#[cfg(test)]
mod tests {
    use crate::read::from_toml;

    use super::*;

    fn read(lines: &str) -> Result<Option<StudyVerdict>, Diagnostic> {
        let text =
            format!("[verdict]\n{lines}\n[[workload]]\nkind = \"null\"\n[[workload]]\nkind = \"disk\"\n");
        from_toml(&agent::catalogue(), "test", "test.toml", &text).map(|study| study.verdict)
    }

    const WHOLE: &str = "kind = \"absorbs\"\nsource = \"null\"\nsink = \"disk\"\njoint = \"disk\"";

    #[test]
    fn a_verdict_names_workloads_of_its_study() {
        let read = read(WHOLE).unwrap().unwrap();
        assert_eq!((read.source.as_str(), read.sink.as_str(), read.joint.as_str()), ("null", "disk", "disk"));
        assert_eq!(read.kind, StudyVerdictKind::Absorbs);
    }

    #[test]
    fn what_names_nothing_of_the_study_is_refused() {
        for (from, to, says) in [
            ("absorbs", "absorb", "no verdict of the kind `absorb`"),
            ("source = \"null\"", "source = \"http.download\"", "no workload `http.download`"),
            ("source = \"null\"\n", "", "[verdict] has no source"),
            ("joint", "jiont", "no key `jiont` in [verdict]"),
            ("sink = \"disk\"", "sink = 1", "text in quotes"),
        ] {
            let found = read(&WHOLE.replacen(from, to, 1)).unwrap_err();
            assert!(found.message.contains(says), "{}", found.message);
        }
    }
}
