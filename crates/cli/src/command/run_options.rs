//! The options of `headroom run` as they are typed: each parameter of any workload once, controls, and flags that stand
//! for one of them with a value.

use clap::{Arg, ArgMatches};
use model::ParameterSpec;
use model::profile::Aspect;
use model::stack::ALL;
use model::workload::Catalogue;
use study::built_in::INPUT_OPTIONS;
use study::read::arguments::{Arguments, Typed};
use study::read::goal::ABORT_WHEN;
use study::read::{CONTROLS, RAMP};

use super::option;

/// The control that is a flag here.
pub(super) const PROVE: &str = "prove";

/// The flag that stands for the parameter of a layer with the word for all of them.
pub(super) const LAYERS: &str = "layers";

/// A parameter of the command line: the same name in one workload or several.
pub(super) struct SharedParameter {
    pub(super) spec: &'static ParameterSpec,
    /// The workloads that have it, by what they say of it.
    meanings: Vec<(&'static str, Vec<&'static str>)>,
}

/// Every parameter of any workload once, by name.
pub(super) fn parameters(catalogue: &Catalogue) -> Vec<SharedParameter> {
    let mut all: Vec<SharedParameter> = Vec::new();
    for workload in &catalogue.workloads {
        for spec in catalogue.parameters(workload) {
            let index = all.iter().position(|s| s.spec.name == spec.name).unwrap_or_else(|| {
                all.push(SharedParameter { spec, meanings: Vec::new() });
                all.len() - 1
            });
            let meanings = &mut all[index].meanings;
            match meanings.iter_mut().find(|(doc, _)| *doc == spec.doc) {
                Some((_, workloads)) => workloads.push(workload.name.as_str()),
                None => meanings.push((spec.doc, vec![workload.name.as_str()])),
            }
        }
    }
    all
}

impl SharedParameter {
    /// What the help says: whose it is, and what it means for each.
    pub(super) fn help(&self, catalogue: &Catalogue) -> String {
        let one = |(doc, workloads): &(&str, Vec<&str>)| {
            let all = workloads.len() == catalogue.workloads.len();
            let whose = if all { "all".to_owned() } else { workloads.join(", ") };
            format!("[{whose}] {doc}")
        };
        self.meanings.iter().map(one).collect::<Vec<_>>().join(" ")
    }
}

/// The options of controls, but for the one that a flag stands for. A ramp needs no value.
pub(super) fn controls() -> impl Iterator<Item = Arg> {
    CONTROLS.iter().filter(|control| control.name != PROVE).map(|control| {
        let typed = option(control.name, control.hint)
            .help(control.doc)
            .allow_hyphen_values(true)
            .help_heading("Controls");
        let is_ramp = control.name == RAMP;
        if is_ramp { typed.num_args(0..=1).require_equals(true).default_missing_value("yes") } else { typed }
    })
}

/// Options in the order typed, so that messages name the first wrong one.
pub(super) fn arguments(matches: &ArgMatches, catalogue: &Catalogue) -> Arguments {
    let names = CONTROLS
        .iter()
        .map(|c| c.name)
        .filter(|name| *name != PROVE)
        .chain(parameters(catalogue).into_iter().map(|s| s.spec.name.as_str()))
        .chain(INPUT_OPTIONS.iter().copied());
    let mut options: Vec<(usize, Typed)> = names
        .filter_map(|name| {
            let value = matches.get_one::<String>(name)?.clone();
            Some((matches.index_of(name)?, Typed { name: name.to_owned(), value }))
        })
        .collect();
    if matches.get_flag("no-extra") {
        options.push((usize::MAX, Typed { name: "extra".to_owned(), value: "no".to_owned() }));
    }
    let layer = parameters(catalogue).into_iter().find(|shared| shared.spec.says == Some(Aspect::Layer));
    if let Some(layer) = layer.filter(|_| matches.get_flag(LAYERS)) {
        let (name, value) = (layer.spec.name.to_string(), ALL.to_owned());
        options.push((usize::MAX, Typed { name, value }));
    }
    if matches.get_flag(PROVE) {
        options.push((usize::MAX, Typed { name: PROVE.to_owned(), value: "yes".to_owned() }));
    }
    options.sort_by_key(|(index, _)| *index);
    let all = |name: &str| matches.get_many::<String>(name).into_iter().flatten().cloned().collect();
    let input = |text: &String| {
        let (name, value) = text.split_once('=').unwrap_or((text.as_str(), ""));
        Typed { name: name.to_owned(), value: value.to_owned() }
    };
    Arguments {
        options: options.into_iter().map(|(_, typed)| typed).collect(),
        inputs: matches.get_many::<String>("input").into_iter().flatten().map(input).collect(),
        with: all("with"),
        set: all("set"),
        observe: all("observe"),
        expect: all("expect"),
        abort_when: all(ABORT_WHEN),
        destroy: all("destroy"),
        wipe: all("wipe"),
    }
}

#[cfg(test)]
mod tests {
    use study::read::arguments::study_of_workload;

    use super::*;
    use crate::command::command_line;

    #[test]
    fn the_three_examples_of_every_workload_are_studies_of_it() {
        let catalogue = ::agent::catalogue();
        for spec in &catalogue.workloads {
            assert_eq!(spec.examples.len(), 3, "{}", spec.name);
            for example in spec.examples {
                let words = shlex::split(example).unwrap();
                assert_eq!(words[0], spec.name.as_str(), "{example}");
                let line = ["headroom", "run"].map(str::to_owned).into_iter().chain(words);
                let matches = command_line().try_get_matches_from(line).unwrap();
                let run = matches.subcommand_matches("run").unwrap();
                let study = study_of_workload(&catalogue, spec.name.as_str(), &arguments(run, &catalogue));
                if let Err(diagnostic) = study {
                    panic!("{example}: {}", diagnostic.message);
                }
            }
        }
    }
}
