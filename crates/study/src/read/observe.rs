//! What watches a load beside the samplers: the same from `--observe` and from `observe` of a
//! `[[workload]]`.

use std::sync::Arc;

use import::checked::twice;
use import::diagnostic::{Diagnostic, Source, SourceRange};
use model::observer::{OBSERVERS, ObserverKind, ObserverSpec};
use model::study::StudyWorkload;
use model::workload::Catalogue;
use model::{Study, WorkloadSpec};

/// The observer of this name.
fn named(name: &str, place: &SourceRange) -> Result<&'static ObserverSpec, Diagnostic> {
    ObserverKind::named(name)
        .ok_or_else(|| place.unknown("observer", name, OBSERVERS.iter().map(|observer| observer.name)))
}

/// Whether loads of a workload pass what an observer watches.
fn sees(observer: &ObserverSpec, workload: &WorkloadSpec) -> bool {
    workload.path.contains(&observer.watches)
}

/// Adds an observer to a workload, as a study file names it.
pub(super) fn put(
    load: &mut StudyWorkload,
    workload: &WorkloadSpec,
    name: &str,
    place: &SourceRange,
) -> Result<(), Diagnostic> {
    let observer = named(name, place)?;
    if !sees(observer, workload) {
        let watches = observer.watches.name();
        return Err(place.diagnostic(
            format!("{name} watches {watches}, which a load of {} does not pass", workload.name),
            "leave it out",
        ));
    }
    if load.observe.contains(&observer.kind) {
        return Err(twice(&format!("`{name}`"), place));
    }
    load.observe.push(observer.kind);
    Ok(())
}

/// Lets every `--observe NAME` that was typed watch the workloads of a study for which there is
/// something to see.
pub(super) fn apply(catalogue: &Catalogue, study: &mut Study, typed: &[String]) -> Result<(), Diagnostic> {
    for text in typed {
        const OPTION: &str = "--observe ";
        let shown = format!("{OPTION}{text}");
        let whole = SourceRange::whole(Arc::new(Source { name: "command line".to_owned(), text: shown }));
        let place = whole.part(OPTION.len()..OPTION.len() + text.len());
        let observer = named(text, &place)?;
        let mut is_used = false;
        for load in &mut study.workloads {
            let workload = catalogue.workload(load.kind);
            if !workload.is_some_and(|workload| sees(observer, workload)) {
                continue;
            }
            is_used = true;
            if !load.observe.contains(&observer.kind) {
                load.observe.push(observer.kind);
            }
        }
        if !is_used {
            let watches = observer.watches.name();
            return Err(place.diagnostic(
                format!("{text} watches {watches}, which no load of this study passes"),
                "leave it out",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::arguments::{Arguments, study_of_workload};
    use super::super::from_toml;
    use super::*;

    fn typed(kind: &str, observers: &[&str]) -> Result<Study, Diagnostic> {
        let observe = observers.iter().map(|name| (*name).to_owned()).collect();
        study_of_workload(&agent::catalogue(), kind, &Arguments { observe, ..Arguments::default() })
    }

    #[test]
    fn what_is_typed_watches_loads_that_pass_it() {
        let study = typed("disk", &["block-trace", "block-trace"]).unwrap();
        assert_eq!(study.workloads[0].observe, [ObserverKind::BlockTrace]);
        let refused = typed("cpu.primes", &["block-trace"]).unwrap_err();
        assert!(refused.message.contains("which no load of this study passes"), "{}", refused.message);
        let unknown = typed("disk", &["block-trase"]).unwrap_err();
        assert!(unknown.message.contains("there is no observer `block-trase`"), "{}", unknown.message);
        assert!(unknown.help.unwrap().contains("block-trace"));
    }

    #[test]
    fn a_study_file_names_them_at_the_workload() {
        let read = |text: &str| from_toml(&agent::catalogue(), "s", "s.toml", text);
        let study = read("[[workload]]\nkind = 'disk'\nobserve = ['block-trace']\n").unwrap();
        assert_eq!(study.workloads[0].observe, [ObserverKind::BlockTrace]);
        let study = read("[[workload]]\nkind = 'disk'\nobserve = 'block-trace'\n").unwrap();
        assert_eq!(study.workloads[0].observe, [ObserverKind::BlockTrace]);
        let message = |text: &str| read(text).unwrap_err().message;
        let elsewhere = "[[workload]]\nkind = 'cpu.primes'\nobserve = ['block-trace']\n";
        assert!(message(elsewhere).contains("does not pass"), "{}", message(elsewhere));
        let twice = "[[workload]]\nkind = 'disk'\nobserve = ['block-trace', 'block-trace']\n";
        assert!(message(twice).contains("block-trace"), "{}", message(twice));
        let beside =
            "[[workload]]\nkind = 'disk'\n[[workload.with]]\nkind = 'disk'\nobserve = ['block-trace']\n";
        assert!(message(beside).contains("run together"), "{}", message(beside));
    }
}
