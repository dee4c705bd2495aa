//! A study from arguments: `headroom run disk --queue-depth 1..64 --trials 5`.

use std::sync::Arc;

use import::checked::{parameter, put, searched_once, twice, workload};
use import::diagnostic::{Diagnostic, Source, SourceRange};
use model::study::StudyWorkload;
use model::workload::Catalogue;
use model::{ParameterName, ParameterSpec, Study, Value};

use super::controls::contradiction;
use super::goal::{self, BoundKind};
use super::{CONTROLS, observe, settings};
use crate::grammar;

/// One option as typed, without its dashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    /// The option.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// What was typed after `headroom run`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    /// Options for parameters and controls, in the order typed.
    pub options: Vec<Typed>,
    /// What was typed with `--input NAME=VALUE` for inputs of the study.
    pub inputs: Vec<Typed>,
    /// The texts of all `--with`.
    pub with: Vec<String>,
    /// The texts of all `--set`.
    pub set: Vec<String>,
    /// The names of all `--observe`.
    pub observe: Vec<String>,
    /// The texts of all `--expect`.
    pub expect: Vec<String>,
    /// The texts of all `--abort-when`.
    pub abort_when: Vec<String>,
    /// Files and devices given up with `--destroy`.
    pub destroy: Vec<String>,
    /// Signatures given up with `--wipe`.
    pub wipe: Vec<String>,
}

/// Where a value stands in the text that its message shows.
pub(super) fn value_place(option: &Typed) -> SourceRange {
    let text = format!("--{} {}", option.name, option.value);
    let start = text.len() - option.value.len();
    let source = Arc::new(Source { name: "command line".to_owned(), text });
    let span = start..source.text.len();
    SourceRange { source, span }
}

/// A study of one workload.
pub fn study_of_workload(
    catalogue: &Catalogue,
    kind: &str,
    arguments: &Arguments,
) -> Result<Study, Diagnostic> {
    let source = Arc::new(Source { name: "command line".to_owned(), text: format!("headroom run {kind}") });
    let place = SourceRange::whole(source).part(13..13 + kind.len());
    let spec = workload(catalogue, kind, &place)?;
    let mut study = Study {
        name: kind.to_owned(),
        workloads: vec![StudyWorkload { kind: spec.name, ..StudyWorkload::default() }],
        ..Study::default()
    };
    apply(catalogue, &mut study, arguments)?;
    Ok(study)
}

/// Lets arguments override a study: a parameter goes to every workload that has
/// it, a control to the study. An error names the argument that is wrong, or that fits no workload
/// of the study.
pub fn apply(catalogue: &Catalogue, study: &mut Study, arguments: &Arguments) -> Result<(), Diagnostic> {
    if let Some(typed) = arguments.inputs.first() {
        let message = format!("there is no input `{}` here", typed.name);
        return Err(value_place(typed).diagnostic(message, "only a study with [inputs] has some"));
    }
    let specs = study.workloads.iter().filter_map(|load| catalogue.workload(load.kind));
    let ends: Vec<_> = specs.flat_map(|spec| catalogue.parameters(spec)).filter(|p| p.ends_trial).collect();
    let is_end = |name: &str| ends.iter().any(|p| p.name.as_str() == name);
    if arguments.options.iter().any(|option| is_end(&option.name)) {
        for load in &mut study.workloads {
            load.parameters.retain(|name, _| !is_end(name.as_str()));
        }
    }
    let mut seen: Vec<&str> = Vec::new();
    for option in &arguments.options {
        let place = value_place(option);
        if seen.contains(&option.name.as_str()) {
            return Err(twice(&format!("--{}", option.name), &place));
        }
        seen.push(&option.name);
        if let Some(control) = CONTROLS.iter().find(|c| c.name == option.name) {
            (control.set)(&mut study.controls, &option.value).map_err(|e| place.unread(e))?;
        } else {
            apply_parameter(catalogue, study, option, &place)?;
        }
    }
    let kinds: Vec<_> = study.workloads.iter().map(|load| load.kind).collect();
    for (place, load) in study.workloads.iter_mut().enumerate() {
        let others = kinds.iter().enumerate().filter(|(other, _)| *other != place);
        let others = others.filter_map(|(_, kind)| catalogue.workload(*kind));
        let is_of_others = |name: &str| others.clone().any(|spec| catalogue.parameter(spec, name).is_some());
        drop_idle(catalogue, load, &seen, is_of_others);
    }
    for text in &arguments.with {
        let load = companion(catalogue, text)?;
        study.workloads.iter_mut().for_each(|workload| workload.with.push(load.clone()));
    }
    settings::apply(study, &arguments.set)?;
    observe::apply(catalogue, study, &arguments.observe)?;
    bounds(catalogue, study, ("expect", &arguments.expect), BoundKind::Goal)?;
    bounds(catalogue, study, (goal::ABORT_WHEN, &arguments.abort_when), BoundKind::AbortCondition)?;
    study.controls.destroy.extend(arguments.destroy.iter().cloned());
    study.controls.wipe.extend(arguments.wipe.iter().cloned());
    if let ([], Some(kind)) = (&study.controls.destroy[..], arguments.wipe.first()) {
        let place = value_place(&Typed { name: "wipe".to_owned(), value: kind.clone() });
        return Err(
            place.diagnostic("--wipe alone gives nothing up", "add --destroy and the device it is about")
        );
    }
    // A number of trials that is typed stands for the precision of a ready study.
    let controls = &mut study.controls;
    let is_typed = |name: &str| seen.contains(&name);
    if is_typed("trials") && !is_typed("precision") && controls.trials_min == controls.trials_max {
        controls.precision = None;
    }
    if let Some((name, message, help)) = contradiction(&study.controls) {
        let whole =
            || SourceRange::whole(Arc::new(Source { name: "study".to_owned(), text: name.to_owned() }));
        let place = arguments.options.iter().find(|o| o.name == name).map_or_else(whole, value_place);
        return Err(place.diagnostic(message, help));
    }
    Ok(())
}

/// Adds goals or conditions that were typed as the option `name`.
fn bounds(
    catalogue: &Catalogue,
    study: &mut Study,
    (name, texts): (&str, &[String]),
    kind: BoundKind,
) -> Result<(), Diagnostic> {
    for text in texts {
        let place = value_place(&Typed { name: name.to_owned(), value: text.clone() });
        goal::put(catalogue, study, kind, (text, &place))?;
    }
    Ok(())
}

/// Leaves out what goes with another parameter's value and has no meaning beside it: what a study gives
/// where the other was typed, and what was typed for other workloads. What goes with something that went
/// goes too.
fn drop_idle(
    catalogue: &Catalogue,
    load: &mut StudyWorkload,
    typed: &[&str],
    is_of_others: impl Fn(&str) -> bool,
) {
    let Some(spec) = catalogue.workload(load.kind) else { return };
    let mut gone: Vec<ParameterName> = Vec::new();
    loop {
        let is_changed = |name: ParameterName| typed.contains(&name.as_str()) || gone.contains(&name);
        let mut idle = Vec::new();
        for name in load.parameters.keys() {
            let with = catalogue.parameter(spec, name.as_str()).and_then(|parameter| parameter.with);
            let may_go = |other| match typed.contains(&name.as_str()) {
                true => is_of_others(name.as_str()),
                false => is_changed(other),
            };
            let Some((other, values)) = with.filter(|(other, _)| may_go(*other)) else { continue };
            let default = catalogue.parameter(spec, other.as_str()).and_then(ParameterSpec::default_value);
            let default = default.filter(|_| !gone.contains(&other));
            let given = load.parameters.get(&other).map(|levels| levels.iter().flatten().collect());
            let levels: Vec<&Value> = given.unwrap_or_else(|| default.iter().collect());
            let is_meant = |value: &&Value| match value {
                Value::Text(word) => values.contains(&word.as_str()),
                Value::Bool(_) => values.contains(&value.to_string().as_str()),
                _ => false,
            };
            if !levels.iter().any(is_meant) {
                idle.push(*name);
            }
        }
        if idle.is_empty() {
            return;
        }
        load.parameters.retain(|name, _| !idle.contains(name));
        gone.append(&mut idle);
    }
}

fn apply_parameter(
    catalogue: &Catalogue,
    study: &mut Study,
    option: &Typed,
    place: &SourceRange,
) -> Result<(), Diagnostic> {
    let mut used = false;
    let mut refusal = None;
    for load in &mut study.workloads {
        let spec = workload(catalogue, load.kind.as_str(), place)?;
        match parameter(catalogue, spec, &option.name, false, place) {
            Ok(found) => {
                let levels = grammar::levels(found, &option.value, place)?;
                load.parameters.insert(found.name.to_owned(), levels);
                searched_once(catalogue, load, false, place)?;
                used = true;
            }
            Err(diagnostic) => refusal = Some(diagnostic),
        }
    }
    match refusal {
        Some(diagnostic) if !used => Err(diagnostic),
        _ => Ok(()),
    }
}

/// A load of `--with "disk --pattern write --rate 1k/s"`.
fn companion(catalogue: &Catalogue, text: &str) -> Result<StudyWorkload, Diagnostic> {
    let source = Arc::new(Source { name: "--with".to_owned(), text: text.to_owned() });
    let whole = SourceRange::whole(Arc::clone(&source));
    let words = shlex::split(text).ok_or_else(|| whole.diagnostic("a quote is not closed", ""))?;
    // Where a word stands, for pointing at it; quoting may hide it, then the
    // whole text is meant.
    let mut from = 0;
    let mut place_of = |word: &str| match text[from..].find(word) {
        Some(at) => {
            let start = from + at;
            from = start + word.len();
            whole.part(start..from)
        }
        None => whole.clone(),
    };
    let mut words = words.iter();
    let Some(kind) = words.next() else {
        return Err(whole.diagnostic("no workload is named", "for example --with \"disk --pattern write\""));
    };
    let spec = workload(catalogue, kind, &place_of(kind))?;
    let mut load = StudyWorkload { kind: spec.name, ..StudyWorkload::default() };
    while let Some(word) = words.next() {
        let Some(name) = word.strip_prefix("--") else {
            return Err(
                place_of(word).diagnostic(format!("`{word}` is not an option"), "options begin with --")
            );
        };
        let (name, value) = match name.split_once('=') {
            Some((name, value)) => (name, value.to_owned()),
            None => match words.next() {
                Some(value) => (name, value.clone()),
                None => return Err(place_of(word).diagnostic(format!("--{name} has no value"), "")),
            },
        };
        let found = parameter(catalogue, spec, name, true, &place_of(name))?;
        let place = place_of(&value);
        let shown = if place.span.len() == value.len() { place.clone() } else { whole.clone() };
        let levels = grammar::levels(found, &value, &shown)?;
        put(&mut load, found, levels, &place)?;
        searched_once(catalogue, &load, true, &shown)?;
    }
    Ok(load)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_with_a_value_that_was_overridden_goes_with_it() {
        let text = "[[workload]]\nkind = 'http.download'\nanswer = '1g'\n[[workload]]\nkind = 'disk'\n";
        let with = |name: &str, value: &str| {
            let mut study = super::super::from_toml(&agent::catalogue(), "s", "s.toml", text).unwrap();
            let options = vec![Typed { name: name.to_owned(), value: value.to_owned() }];
            let arguments = Arguments { options, ..Arguments::default() };
            apply(&agent::catalogue(), &mut study, &arguments).unwrap();
            study.workloads[0].parameters.keys().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(with("url", "http://a/b"), ["url"]);
        assert_eq!(with("url", "self"), ["answer", "url"]);
        assert_eq!(with("answer", "2g"), ["answer"]);
        // What only others of the study have a use for.
        let text =
            "[[workload]]\nkind = 'http.download'\nurl = 'http://a/b'\n[[workload]]\nkind = 'net.stream'\n";
        let mut study = super::super::from_toml(&agent::catalogue(), "s", "s.toml", text).unwrap();
        let options = vec![Typed { name: "peer".to_owned(), value: "b".to_owned() }];
        apply(&agent::catalogue(), &mut study, &Arguments { options, ..Arguments::default() }).unwrap();
        let has = |place: usize| study.workloads[place].parameters.keys().any(|name| name.as_str() == "peer");
        assert_eq!((has(0), has(1)), (false, true));
    }

    #[test]
    fn regression_what_goes_with_a_flag_or_with_what_went_goes_too() {
        let with = |text: &str, name: &str, value: &str| {
            let mut study = super::super::from_toml(&agent::catalogue(), "s", "s.toml", text).unwrap();
            let options = vec![Typed { name: name.to_owned(), value: value.to_owned() }];
            let arguments = Arguments { options, ..Arguments::default() };
            apply(&agent::catalogue(), &mut study, &arguments).unwrap();
            study.workloads[0].parameters.keys().map(ToString::to_string).collect::<Vec<_>>()
        };
        let stream = "[[workload]]\nkind = 'net.stream'\nzero-copy = 'yes'\nzero-copy-by = 'msg-zerocopy'\n";
        assert_eq!(with(stream, "zero-copy", "yes"), ["zero-copy", "zero-copy-by"]);
        assert_eq!(with(stream, "zero-copy", "no"), ["zero-copy"]);
        assert_eq!(with(stream, "zero-copy", "no,yes"), ["zero-copy", "zero-copy-by"]);
        assert_eq!(with(stream, "protocol", "udp"), ["protocol"]);
        let disk =
            "[[workload]]\nkind = 'disk'\npattern = 'randread'\ndistribution = 'zipf'\nzipf-theta = 1.2\n";
        assert_eq!(with(disk, "pattern", "randwrite"), ["distribution", "pattern", "zipf-theta"]);
        assert_eq!(with(disk, "pattern", "read"), ["pattern"]);
    }
}
