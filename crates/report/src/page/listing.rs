//! The study as it would stand in a file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use model::study::{Level, StudyVerdict, StudyVerdictKind, StudyWorkload};
use model::{Kind, Study, Value, scalar};

use super::View;

/// The study in TOML.
pub(super) fn study(view: &View<'_>) -> String {
    let study = &view.run.study;
    let mut out = String::new();
    let texts = [
        ("title", &study.title),
        ("question", &study.question),
        ("author", &study.author),
        ("purpose", &study.purpose),
        ("price", &study.price),
    ];
    for (key, text) in texts {
        if let Some(text) = text {
            let _ = writeln!(out, "{key} = {}", string(text));
        }
    }
    if !study.references.is_empty() {
        let all: Vec<String> = study.references.iter().map(|r| string(r)).collect();
        let _ = writeln!(out, "references = [{}]", all.join(", "));
    }
    if study.skip_impossible {
        out.push_str("impossible = \"skip\"\n");
    }
    trials(view, &mut out);
    for workload in &study.workloads {
        self::workload(view, workload, "workload", &mut out);
    }
    settings("settings", &study.settings, &mut out);
    expect(view, &mut out);
    verdict(study, &mut out);
    out.trim_start().to_owned()
}

fn trials(view: &View<'_>, out: &mut String) {
    let controls = &view.run.study.controls;
    out.push_str("\n[trials]\n");
    if controls.trials_min == controls.trials_max {
        let _ = writeln!(out, "trials = {}", controls.trials_max);
    } else {
        let _ = writeln!(out, "trials = \"{}..{}\"", controls.trials_min, controls.trials_max);
    }
    let seconds = |s: f64| string(&scalar::show(Kind::Duration, &Value::Number(s)));
    if let Some(precision) = controls.precision {
        let _ = writeln!(out, "precision = \"{}%\"", precision * 100.0);
    }
    for (key, value) in [
        ("budget", controls.budget_s),
        ("interval", controls.interval_s),
        ("warm-up", Some(controls.warm_up_s)),
    ] {
        if let Some(value) = value {
            let _ = writeln!(out, "{key} = {}", seconds(value));
        }
    }
    let _ = writeln!(out, "pin = \"{}\"\nseed = {}", controls.pin, view.run.seed);
}

fn workload(view: &View<'_>, workload: &StudyWorkload, table: &str, out: &mut String) {
    let _ = writeln!(out, "\n[[{table}]]\nkind = {}", string(workload.kind.as_str()));
    for (name, levels) in &workload.parameters {
        let parameter = view.run.definitions.parameter(workload.kind, name.as_str());
        let kind = parameter.map_or(Kind::Choice, |p| p.kind);
        let all: Vec<String> = levels.iter().map(|level| level_text(kind, level)).collect();
        let text = match &all[..] {
            [one] if levels[0].len() == 1 => one.clone(),
            _ => format!("[{}]", all.join(", ")),
        };
        let _ = writeln!(out, "{} = {text}", key(name.as_str()));
    }
    if !workload.observe.is_empty() {
        let all: Vec<String> = workload.observe.iter().map(|kind| string(kind.name())).collect();
        let _ = writeln!(out, "observe = [{}]", all.join(", "));
    }
    settings(&format!("{table}.settings"), &workload.settings, out);
    for with in &workload.with {
        self::workload(view, with, &format!("{table}.with"), out);
    }
}

fn settings(table: &str, settings: &BTreeMap<String, Vec<Level>>, out: &mut String) {
    if settings.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n[{table}]");
    for (name, levels) in settings {
        let kind = machine::setting::find(name.split('@').next().unwrap_or(name));
        let kind = kind.map_or(Kind::Count, |s| s.spec().value.kind);
        let all: Vec<String> = levels.iter().map(|level| level_text(kind, level)).collect();
        let text = match &all[..] {
            [one] => one.clone(),
            _ => format!("[{}]", all.join(", ")),
        };
        let _ = writeln!(out, "{} = {text}", key(name.as_str()));
    }
}

/// A level of one part, or a list of parts.
fn level_text(kind: Kind, level: &Level) -> String {
    let part = |value: &Value| match (kind, value) {
        (_, Value::Bool(yes)) => yes.to_string(),
        (Kind::Count, Value::Integer(n)) => n.to_string(),
        _ => string(&scalar::show(kind, value)),
    };
    match &level[..] {
        [one] => part(one),
        parts => format!("[{}]", parts.iter().map(part).collect::<Vec<_>>().join(", ")),
    }
}

fn expect(view: &View<'_>, out: &mut String) {
    let study = &view.run.study;
    let bounds = [("goals", &study.goals), ("abort-when", &study.abort_when)];
    if study.expect.is_empty() && bounds.iter().all(|(_, bounds)| bounds.is_empty()) {
        return;
    }
    out.push_str("\n[expect]\n");
    if let Some(sheet) = &study.expect.datasheet {
        let _ = writeln!(out, "datasheet = {}", string(sheet));
    }
    for promise in &study.expect.promises {
        let value = crate::format::setting(promise.value, promise.unit).replace(' ', "");
        let _ = writeln!(out, "{} = {}", key(&promise.key), string(&value));
    }
    for (name, bounds) in bounds.into_iter().filter(|(_, bounds)| !bounds.is_empty()) {
        let all: Vec<String> = bounds.iter().map(|bound| string(&bound.text)).collect();
        let _ = writeln!(out, "{name} = [{}]", all.join(", "));
    }
}

fn verdict(study: &Study, out: &mut String) {
    // Inputs have their values here, so that none can be counted.
    let Some(StudyVerdict { kind, source, sink, joint, rate, .. }) = study.verdict.clone() else { return };
    let (kind, workloads) = match kind {
        StudyVerdictKind::Absorbs => ("absorbs", vec![("source", source), ("sink", sink), ("joint", joint)]),
        StudyVerdictKind::Sustains => ("sustains", vec![("sink", sink)]),
        StudyVerdictKind::Fits => ("fits", Vec::new()),
        StudyVerdictKind::Accepts => ("accepts", Vec::new()),
        StudyVerdictKind::Other => return,
    };
    let _ = writeln!(out, "\n[verdict]\nkind = {}", string(kind));
    for (key, workload) in workloads {
        let _ = writeln!(out, "{key} = {}", string(workload.as_str()));
    }
    if let Some(rate) = rate {
        let _ = writeln!(out, "rate = {}", string(&rate_text(rate)));
    }
}

/// Bytes per second, all digits of it.
fn rate_text(rate: u64) -> String {
    if rate.is_multiple_of(1_000_000) { format!("{}MB/s", rate / 1_000_000) } else { format!("{rate}B/s") }
}

fn key(name: &str) -> String {
    let is_bare =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if is_bare { name.to_owned() } else { string(name) }
}

/// A basic string (TOML 1.0).
fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", c as u32);
            }
            c => out.push(c),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_are_written_as_they_were() {
        let mut run = crate::page::goals::tests::run();
        run.study.abort_when = run.study.goals.split_off(2);
        let words = language::Language::English.words();
        let text = super::study(&View::new(&crate::page::Subject { run: &run, words }));
        let expected =
            "[expect]\ngoals = [\"iops >= 100/s\", \"iops >= 480/s\"]\nabort-when = [\"iops >= 800/s\"]\n";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn a_rate_is_read_again_as_it_was() {
        assert_eq!(rate_text(300_000_000), "300MB/s");
        for rate in [1_u64, 300_000_000, 314_572_800, 123_456_789_000_001] {
            let read = scalar::throughput(&rate_text(rate)).unwrap();
            assert!((read - rate as f64).abs() < 0.5, "{read}");
        }
    }
}
