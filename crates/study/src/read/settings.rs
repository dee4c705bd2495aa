//! Settings as a person asks for them, `mtu=1500,9000` or `mtu@eth0=9000`: the
//! same from arguments and from `[settings]` of a study file.

use std::collections::BTreeMap;
use std::sync::Arc;

use import::checked::twice;
use import::diagnostic::{Diagnostic, Source, SourceRange};
use machine::setting::{TABLE, find};
use model::Study;
use model::setting::SettingSpec;
use model::study::Level;

use crate::grammar;

/// The setting that a key names, `NAME` or `NAME@RESOURCE`.
pub(super) fn spec(key: &str, place: &SourceRange) -> Result<&'static SettingSpec, Diagnostic> {
    let (name, resource) = parts(key);
    let Some(setting) = find(name) else {
        return Err(place.unknown("setting", name, TABLE.iter().map(|setting| setting.spec().name())));
    };
    let spec = setting.spec();
    match (spec.named(), resource) {
        (None, Some(_)) => {
            let message = format!("`{name}` belongs to the whole machine");
            Err(place.diagnostic(message, format!("write {name} without `@`")))
        }
        (Some(words), Some("")) => {
            let example = words.example.unwrap_or_default();
            let message = format!("no {} is named after `@`", words.noun);
            Err(place.diagnostic(message, format!("for example {name}@{example}")))
        }
        _ => Ok(spec),
    }
}

/// The name and the resource of a key.
pub(crate) fn parts(key: &str) -> (&str, Option<&str>) {
    key.split_once('@').map_or((key, None), |(name, resource)| (name, Some(resource)))
}

/// Adds the levels of one setting; each may be given once.
pub(super) fn put(
    all: &mut BTreeMap<String, Vec<Level>>,
    key: &str,
    levels: Vec<Level>,
    place: &SourceRange,
) -> Result<(), Diagnostic> {
    match all.insert(key.to_owned(), levels) {
        None => Ok(()),
        Some(_) => Err(twice(&format!("`{key}`"), place)),
    }
}

/// Lets every `--set NAME=LEVELS` that was typed override the study's: where workloads have it for
/// themselves, theirs.
pub(super) fn apply(study: &mut Study, typed: &[String]) -> Result<(), Diagnostic> {
    let mut seen: Vec<&str> = Vec::new();
    for text in typed {
        const OPTION: &str = "--set ";
        let shown = format!("{OPTION}{text}");
        let whole = SourceRange::whole(Arc::new(Source { name: "command line".to_owned(), text: shown }));
        let at = |from: usize, to: usize| whole.part(OPTION.len() + from..OPTION.len() + to);
        let Some((key, levels)) = text.split_once('=') else {
            spec(text, &at(0, text.len()))?;
            let help = format!("write --set {text}=VALUE, or several: {text}=VALUE,VALUE");
            return Err(at(0, text.len()).diagnostic(format!("no value is given for `{text}`"), help));
        };
        let place = at(0, key.len());
        let spec = spec(key, &place)?;
        if seen.contains(&key) {
            return Err(twice(&format!("--set {key}"), &place));
        }
        seen.push(key);
        let levels = grammar::levels(&spec.value, levels, &at(key.len() + 1, text.len()))?;
        let is_own = study.workloads.iter().any(|w| w.settings.contains_key(key));
        let own = study.workloads.iter_mut().filter_map(|w| w.settings.get_mut(key));
        own.for_each(|of_workload| of_workload.clone_from(&levels));
        if !is_own || study.settings.contains_key(key) {
            study.settings.insert(key.to_owned(), levels);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use model::Value;
    use model::study::StudyWorkload;

    use super::*;

    fn read(typed: &[&str]) -> Result<Study, Diagnostic> {
        let mut study = Study::default();
        let typed: Vec<String> = typed.iter().map(|t| (*t).to_owned()).collect();
        apply(&mut study, &typed).map(|()| study)
    }

    #[test]
    fn what_is_typed_has_the_grammar_of_parameters() {
        let study = read(&["mtu=1500,9000", "mtu@eth0=9000", "socket-buffer-max=32MiB"]).unwrap();
        let number = |v: u64| vec![Value::from(v)];
        assert_eq!(study.settings["mtu"], [number(1500), number(9000)]);
        assert_eq!(study.settings["mtu@eth0"], [number(9000)]);
        assert_eq!(study.settings["socket-buffer-max"], [number(32 << 20)]);
        let study = read(&["swap=off,file:4g,on"]).unwrap();
        assert_eq!(study.settings["swap"], ["off", "file:4GiB", "on"].map(|level| vec![Value::from(level)]));
    }

    #[test]
    fn what_is_typed_overrides_what_workloads_have_for_themselves() {
        let number = |v: u64| vec![vec![Value::from(v)]];
        let one = |settings: &[(&str, u64)]| StudyWorkload {
            settings: settings.iter().map(|(key, v)| ((*key).to_owned(), number(*v))).collect(),
            ..StudyWorkload::default()
        };
        let mut study = Study {
            workloads: vec![one(&[]), one(&[("mtu", 1500)]), one(&[("mtu", 9000)])],
            ..Study::default()
        };
        apply(&mut study, &["mtu=1400".to_owned(), "dirty-bytes=64MiB".to_owned()]).unwrap();
        let mtus: Vec<_> = study.workloads.iter().map(|w| w.settings.get("mtu").cloned()).collect();
        assert_eq!(mtus, [None, Some(number(1400)), Some(number(1400))]);
        assert_eq!(study.settings.keys().collect::<Vec<_>>(), ["dirty-bytes"]);
        study.settings.insert("mtu".to_owned(), number(2000));
        apply(&mut study, &["mtu=1300".to_owned()]).unwrap();
        assert_eq!(study.settings["mtu"], number(1300), "that of all, too");
        assert_eq!(study.workloads[2].settings["mtu"], number(1300));
    }

    #[test]
    fn what_is_wrong_is_pointed_at() {
        for (typed, says) in [
            (&["swapp=off"][..], "no setting `swapp`"),
            (&["mtuu=1500"], "no setting `mtuu`"),
            (&["mtu"], "no value is given"),
            (&["mtu="], "missing"),
            (&["mtu=big"], "mtu"),
            (&["mtu=1500,1500"], "twice"),
            (&["mtu=1500", "mtu=9000"], "given twice"),
            (&["mtu@=1500"], "no network interface"),
            (&["swap=file:4g,file:4096m"], "twice"),
            (&["swap=file:4q"], "not a unit"),
            (&["queueing-discipline@eth0=drr"], "not a choice"),
            (&["socket-buffer-max@eth0=1m"], "whole machine"),
        ] {
            let diagnostic = read(typed).unwrap_err();
            assert!(diagnostic.message.contains(says), "{typed:?}: {}", diagnostic.message);
            assert!(diagnostic.help.is_some() || says == "mtu", "{typed:?}");
        }
        let diagnostic = read(&["mtuu=1500"]).unwrap_err();
        assert_eq!(&diagnostic.source_text.text[diagnostic.span], "mtuu");
        assert!(diagnostic.help.unwrap().contains("`mtu`"));
    }
}
