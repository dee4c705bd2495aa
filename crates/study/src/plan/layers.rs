//! The layers of a storage stack as a factor: `layer=all` stands for each layer of the stack of a case, the lowest
//! first. Which they are the stack says, so that they are no levels that can be multiplied with those of the stack.

use model::parameter::Parts;
use model::plan::LoadSpec;
use model::profile::Aspect;
use model::stack::{ALL, LayerStack, presented};
use model::study::{Level, StudyWorkload};
use model::workload::Catalogue;
use model::{ParameterName, Parameters, Study, Value, WorkloadSpec};

/// The loads, each that is to drive every layer of its stack as one for each.
pub(super) fn each_layer(loads: Vec<LoadSpec>, catalogue: &Catalogue) -> Vec<LoadSpec> {
    loads.into_iter().flat_map(|load| of_one(load, catalogue)).collect()
}

fn of_one(load: LoadSpec, catalogue: &Catalogue) -> Vec<LoadSpec> {
    let Some((name, layers)) = layers(&load, catalogue) else { return vec![load] };
    let with = |layer: &String| {
        let mut load = load.clone();
        load.parameters.set(name, layer.as_str());
        load
    };
    layers.iter().map(with).collect()
}

/// The parameter that names the layer, and all layers of the stack, where each is asked for.
fn layers(load: &LoadSpec, catalogue: &Catalogue) -> Option<(ParameterName, Vec<String>)> {
    let spec = catalogue.workload(load.workload)?;
    let name =
        catalogue.parameter_for(spec, Aspect::Layer).filter(|name| load.parameters.is_word(*name, ALL))?;
    // Without a stack whoever surveys the load says what is the matter.
    let stack = stack_of(load, catalogue)?;
    let mut names = stack.layer_names();
    let targets = catalogue.parameters(spec).find(|parameter| parameter.says == Some(Aspect::Targets));
    if targets.is_some_and(|targets| targets.folder) {
        let mounted: Vec<String> = names
            .iter()
            .skip(1)
            .zip(&stack.layers)
            .filter(|(_, layer)| layer.spec.role.is_mounted())
            .map(|(name, _)| name.clone())
            .collect();
        // Where no layer is one, whoever surveys the load says what is the matter.
        if !mounted.is_empty() {
            return Some((name, mounted));
        }
    }
    // Nothing says what goes to which of several devices.
    if names.len() > 1
        && stack.members.len() > 1
        && targets.is_some_and(|targets| targets.parts == Parts::Named)
    {
        names.remove(0);
    }
    Some((name, names))
}

/// The stack of a load, with what presents it as its last layer; none of a load without one.
pub(super) fn stack_of(load: &LoadSpec, catalogue: &Catalogue) -> Option<LayerStack> {
    let spec = catalogue.workload(load.workload)?;
    let stack = catalogue.parameters(spec).find(|parameter| parameter.says == Some(Aspect::Stack))?;
    let text = |name: ParameterName| match load.parameters.get(name) {
        Some(Value::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    let by = catalogue.parameter_for(spec, Aspect::Presented).and_then(text);
    LayerStack::parse(&presented(text(stack.name), by)?, stack.layers).ok()
}

/// What the layers of all stacks of a study are called, each name once.
pub(super) fn all_names(study: &Study, catalogue: &Catalogue) -> Vec<String> {
    let loads = study.workloads.iter().flat_map(|one| std::iter::once(one).chain(&one.with));
    let mut names: Vec<String> = Vec::new();
    for name in loads.flat_map(|load| names_of(load, catalogue)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn names_of(load: &StudyWorkload, catalogue: &Catalogue) -> Vec<String> {
    let Some(spec) = catalogue.workload(load.kind) else { return Vec::new() };
    // Each level of a parameter, or that it is not given.
    let levels = |aspect| -> Vec<Option<(ParameterName, Value)>> {
        let name = catalogue.parameter_for(spec, aspect);
        let given = name.and_then(|name| Some((name, load.parameters.get(&name)?)));
        match given {
            Some((name, levels)) => {
                levels.iter().flatten().map(|value| Some((name, value.clone()))).collect()
            }
            None => vec![None],
        }
    };
    let (stacks, ways) = (levels(Aspect::Stack), levels(Aspect::Presented));
    let mut names = Vec::new();
    for (stack, way) in stacks.iter().flat_map(|stack| ways.iter().map(move |way| (stack, way))) {
        let parameters: Parameters = stack.iter().chain(way).cloned().collect();
        let stack = stack_of(&LoadSpec::new(load.kind, parameters), catalogue);
        names.extend(stack.map(|stack| stack.layer_names()).unwrap_or_default());
    }
    names
}

/// Whether one level of a parameter becomes several cases.
pub(super) fn stands_for_several(
    spec: &WorkloadSpec,
    name: ParameterName,
    levels: &[Level],
    catalogue: &Catalogue,
) -> bool {
    let is_all = |value: &Value| matches!(value, Value::Text(word) if word == ALL);
    catalogue.parameter_for(spec, Aspect::Layer) == Some(name) && levels.iter().flatten().any(is_all)
}

/// What runs beside a load on a stack runs on the same one, unless it was given a target or a stack of its own.
pub(super) fn share_stack(
    main: &LoadSpec,
    with: &mut [LoadSpec],
    workload: &StudyWorkload,
    catalogue: &Catalogue,
) {
    let named = |load: &LoadSpec, aspect| catalogue.parameter_for(catalogue.workload(load.workload)?, aspect);
    for (load, given) in with.iter_mut().zip(&workload.with) {
        let is_given = |aspect| named(load, aspect).is_some_and(|name| given.parameters.contains_key(&name));
        if [Aspect::Targets, Aspect::Stack, Aspect::Presented].into_iter().any(is_given) {
            continue;
        }
        let of_stack =
            [Aspect::Stack, Aspect::Layer, Aspect::MemberSize, Aspect::Presented, Aspect::Presenter];
        for aspect in of_stack {
            let value = named(main, aspect).and_then(|name| main.parameters.get(name)).cloned();
            let (Some(name), Some(value)) = (named(load, aspect), value) else { continue };
            load.parameters.set(name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::from_toml;

    fn cases(text: &str) -> Vec<Vec<LoadSpec>> {
        let catalogue = agent::catalogue();
        let study = from_toml(&catalogue, "s", "s.toml", text).unwrap();
        super::super::expand(&study, &catalogue).unwrap().into_iter().map(|case| case.loads).collect()
    }

    fn layers_of(cases: &[Vec<LoadSpec>], load: usize) -> Vec<String> {
        let layer = ParameterName::new("layer");
        cases.iter().map(|loads| loads[load].parameters.text(layer).unwrap().to_owned()).collect()
    }

    #[test]
    fn each_layer_of_each_stack_is_a_case() {
        let text =
            "[[workload]]\nkind = 'disk'\nstack = ['loop > ext4', 'raid1(a+b) > luks']\nlayer = 'all'\n";
        assert_eq!(layers_of(&cases(text), 0), ["loop", "ext4", "members", "raid1", "luks"]);
        let through =
            "[[workload]]\nkind = 'disk'\nstack = 'loop > ext4'\npresent = ['none', 'nfs']\nlayer = 'all'\n";
        assert_eq!(layers_of(&cases(through), 0), ["loop", "ext4", "loop", "ext4", "nfs"]);
        let one = "[[workload]]\nkind = 'disk'\nstack = 'loop > ext4'\nlayer = 'loop'\n";
        assert_eq!(layers_of(&cases(one), 0), ["loop"]);
    }

    #[test]
    fn what_works_in_a_folder_is_measured_at_layers_that_are_mounted() {
        let of = |kind: &str, stack: &str| {
            let text = format!("[[workload]]\nkind = '{kind}'\nstack = '{stack}'\nlayer = 'all'\n");
            layers_of(&cases(&text), 0)
        };
        for kind in ["db.oltp", "file.metadata"] {
            assert_eq!(of(kind, "loop > luks > ext4"), ["ext4"], "{kind}");
            assert_eq!(of(kind, "loop > ext4 > nfs"), ["ext4", "nfs"], "{kind}");
        }
        assert_eq!(of("disk", "loop > ext4"), ["loop", "ext4"]);
    }

    #[test]
    fn all_layers_of_a_study_are_known_by_their_names() {
        let catalogue = agent::catalogue();
        let text = "[[workload]]\nkind = 'disk'\nstack = ['loop > ext4', 'raid1(a+b) > luks']\npresent = 'none'\n\
                    [[workload]]\nkind = 'disk'\npresent = ['none', 'iscsi']\n[[workload]]\nkind = 'null'\n";
        let study = from_toml(&catalogue, "s", "s.toml", text).unwrap();
        let names = all_names(&study, &catalogue);
        assert_eq!(names, ["loop", "ext4", "members", "raid1", "luks", "iscsi"]);
    }

    #[test]
    fn a_recording_is_played_where_one_device_or_folder_takes_all_of_it() {
        let of = |stack: &str| {
            let text = "[[workload]]\nkind = 'disk.replay'\nreplay = 'log'\nlayer = 'all'\n";
            layers_of(&cases(&format!("{text}stack = '{stack}'\n")), 0)
        };
        assert_eq!(of("loop > ext4"), ["loop", "ext4"]);
        assert_eq!(of("raid1(a+b) > luks"), ["raid1", "luks"]);
    }

    #[test]
    fn what_runs_beside_is_on_the_same_layer() {
        let text = "[[workload]]\nkind = 'disk'\nstack = 'loop > ext4'\nlayer = 'all'\n\
                    [[workload.with]]\nkind = 'disk'\n";
        let found = cases(text);
        assert_eq!(layers_of(&found, 1), layers_of(&found, 0));
        let other = format!("{text}target = '/tmp'\n");
        assert!(cases(&other)[0][1].parameters.get(ParameterName::new("stack")).is_none());
    }
}
