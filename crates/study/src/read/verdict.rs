//! `[verdict]`: what the question of a study comes to, where a rule can answer it from the
//! figures of its workloads.

use import::diagnostic::{Diagnostic, SourceRange, suggest};
use model::study::{StudyVerdict, StudyVerdictKind};
use model::{Study, WorkloadName, scalar};

/// Every key, with what may be written and what it means, in documentation order.
pub const KEYS: &[(&str, &str, &str)] = &[
    (
        "kind",
        "absorbs",
        "`absorbs`: whether the sink takes all that the source brings, for as long as it likes; `sustains`: whether writes of \
         the sink keep a rate, and how much room is left; `fits`: whether all goals of the study are kept, and how much \
         room is left at the one that has least; `accepts`: whether every part that was loaded worked without errors.",
    ),
    (
        "source",
        "WORKLOAD",
        "With `absorbs`: the workload of the study that measures what comes: it receives, reads or makes bytes. Of the \
         cases in the state that the joint one is measured in the one that brings most counts.",
    ),
    (
        "sink",
        "WORKLOAD",
        "The workload that measures what is taken where nothing else holds it back: it writes, sends or uses up bytes. With \
         `sustains` its sequential writes count, on a storage stack those to the topmost layer.",
    ),
    (
        "joint",
        "WORKLOAD",
        "With `absorbs`: the workload in which what comes from the one is taken by the other, with each of its settings.",
    ),
    ("rate", "300MB/s", "With `sustains`: the bytes per second that are needed."),
    (
        COUNT,
        "INPUT",
        "With `fits`, where it is wanted: the input of which a search for a rate (`latency-target`) finds the most, where each \
         is one operation per second.",
    ),
];

/// The key of the input that is counted.
const COUNT: &str = "count";

/// Every kind, with the keys that it takes beside `kind`; it needs all of them but [`COUNT`].
const KINDS: &[(&str, StudyVerdictKind, &[&str])] = &[
    ("absorbs", StudyVerdictKind::Absorbs, &["source", "sink", "joint"]),
    ("sustains", StudyVerdictKind::Sustains, &["sink", "rate"]),
    ("fits", StudyVerdictKind::Fits, &[COUNT]),
    ("accepts", StudyVerdictKind::Accepts, &[]),
];

/// What may be written as `kind`.
pub fn kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|(name, ..)| *name)
}

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
    let Some((_, meant, needed)) = KINDS.iter().find(|(name, ..)| *name == kind.text) else {
        let message = format!("there is no verdict of the kind `{}`", kind.text);
        return Err(kind.place.diagnostic(message, suggest(kind.text, kinds().collect::<Vec<_>>())));
    };
    if let Some(entry) = entries.iter().find(|entry| entry.name != "kind" && !needed.contains(&entry.name)) {
        let message = format!("`{}` has no meaning for a verdict of the kind `{}`", entry.name, kind.text);
        let help = match meant {
            StudyVerdictKind::Fits => format!("it goes by the goals of the study, and takes {COUNT}"),
            StudyVerdictKind::Accepts => "it takes no other key".to_owned(),
            _ => format!("it needs {}", needed.join(", ")),
        };
        return Err(entry.key_place.diagnostic(message, help));
    }
    let workload = |key: &str| workload(study, of(key)?);
    Ok(match meant {
        StudyVerdictKind::Sustains => {
            let sink = workload("sink")?;
            let rate = Some(rate(of("rate")?)?);
            StudyVerdict { kind: *meant, source: sink, sink, joint: sink, rate, count: None }
        }
        StudyVerdictKind::Fits => {
            StudyVerdict { count: counted(study, entries)?, ..fits(study, &kind.place)? }
        }
        StudyVerdictKind::Accepts => accepts(study, &kind.place)?,
        _ => StudyVerdict {
            kind: *meant,
            source: workload("source")?,
            sink: workload("sink")?,
            joint: workload("joint")?,
            rate: None,
            count: None,
        },
    })
}

/// Whether the goals are kept, which have to be there.
fn fits(study: &Study, place: &SourceRange) -> Result<StudyVerdict, Diagnostic> {
    let kind = StudyVerdictKind::Fits;
    match study.workloads.first().map(|workload| workload.kind) {
        Some(first) if !study.goals.is_empty() => {
            Ok(StudyVerdict { kind, source: first, sink: first, joint: first, rate: None, count: None })
        }
        _ => Err(place.diagnostic(
            "a verdict of the kind `fits` goes by goals, and this study has none",
            "write them in [expect], such as goals = [\"throughput >= 500MB/s\"]",
        )),
    }
}

/// Whether all parts worked, which have to be loaded.
fn accepts(study: &Study, place: &SourceRange) -> Result<StudyVerdict, Diagnostic> {
    let kind = StudyVerdictKind::Accepts;
    match study.workloads.first().map(|workload| workload.kind) {
        Some(first) => {
            Ok(StudyVerdict { kind, source: first, sink: first, joint: first, rate: None, count: None })
        }
        None => Err(place.diagnostic("this study loads nothing", "write what it loads in [[workload]]")),
    }
}

/// The input that is counted, if one is.
fn counted(study: &Study, entries: &[Entry<'_>]) -> Result<Option<String>, Diagnostic> {
    let Some(entry) = entries.iter().find(|entry| entry.name == COUNT) else { return Ok(None) };
    if study.inputs.contains_key(entry.text) {
        return Ok(Some(entry.text.to_owned()));
    }
    let names: Vec<&str> = study.inputs.keys().map(String::as_str).collect();
    Err(entry.place.unknown("input of this study", entry.text, names))
}

/// Bytes per second.
fn rate(entry: &Entry<'_>) -> Result<u64, Diagnostic> {
    let bytes = scalar::throughput(entry.text).map_err(|e| entry.place.unread(e))?.round();
    match bytes {
        1.0..=1e15 => Ok(bytes as u64),
        _ => Err(entry
            .place
            .diagnostic(format!("`{}` is no rate that can be kept", entry.text), "such as 300MB/s")),
    }
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
        assert_eq!((read.kind, read.rate), (StudyVerdictKind::Absorbs, None));
    }

    #[test]
    fn a_rate_is_to_be_kept_by_one_workload() {
        let read = read("kind = \"sustains\"\nsink = \"disk\"\nrate = \"300MB/s\"").unwrap().unwrap();
        assert_eq!((read.kind, read.rate), (StudyVerdictKind::Sustains, Some(300_000_000)));
        assert_eq!((read.source.as_str(), read.joint.as_str()), ("disk", "disk"));
        for (lines, says) in [
            ("kind = \"sustains\"\nsink = \"disk\"", "[verdict] has no rate"),
            ("kind = \"sustains\"\nsink = \"disk\"\nrate = \"fast\"", "fast"),
            (
                "kind = \"sustains\"\nsink = \"disk\"\nrate = \"1MB/s\"\njoint = \"disk\"",
                "`joint` has no meaning",
            ),
        ] {
            let found = super::tests::read(lines).unwrap_err();
            assert!(found.message.contains(says), "{}", found.message);
        }
    }

    #[test]
    fn fitness_goes_by_the_goals_of_the_study() {
        let fits = "kind = \"fits\"";
        let goals = "\n[expect]\ngoals = \"throughput > 1B/s where workload=disk\"";
        let input = "\n[inputs.streams]\ndefault = \"1\"\ndoc = \"{streams}\"\nsource = \"a test\"";
        let verdict = read(&format!("{fits}{goals}")).unwrap().unwrap();
        assert_eq!(
            (verdict.kind, verdict.sink.as_str(), verdict.rate),
            (StudyVerdictKind::Fits, "null", None)
        );
        let counted = read(&format!("{fits}\ncount = \"streams\"{goals}{input}")).unwrap().unwrap();
        assert_eq!((verdict.count, counted.count.as_deref()), (None, Some("streams")));
        for (lines, says) in [
            (fits.to_owned(), "goes by goals, and this study has none"),
            (format!("{fits}\nsink = \"disk\"{goals}"), "`sink` has no meaning"),
            (format!("{fits}\ncount = \"streams\"{goals}"), "no input of this study `streams`"),
        ] {
            let found = read(&lines).unwrap_err();
            assert!(found.message.contains(says), "{}", found.message);
        }
    }

    #[test]
    fn acceptance_goes_by_the_parts_and_takes_nothing_else() {
        let verdict = read("kind = \"accepts\"").unwrap().unwrap();
        assert_eq!((verdict.kind, verdict.sink.as_str()), (StudyVerdictKind::Accepts, "null"));
        let found = read("kind = \"accepts\"\nrate = \"1MB/s\"").unwrap_err();
        assert!(found.message.contains("`rate` has no meaning"), "{}", found.message);
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
