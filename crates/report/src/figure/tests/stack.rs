//! Charts of the layers of storage stacks: one of each stack, with what each layer leaves of the one below.

use model::label::LabelPart;
use model::parameter::Kind;
use model::profile::Aspect;
use model::run::{CaseResult, Run};
use model::{ParameterName, Value};

use super::fixture::{charts, disk, kinds, run};
use super::{english, titles};

const STACK: ParameterName = ParameterName::new("stack");
const LAYER: ParameterName = ParameterName::new("layer");

/// Writes at a layer of a stack.
fn at(stack: &str, layer: &str, iops: f64) -> CaseResult {
    let mut case = disk("randwrite", 4096, 8, iops);
    let parts = [(STACK, stack), (LAYER, layer)].map(|(name, value)| {
        case.loads.main.parameters.set(name, Value::from(value));
        LabelPart { name: name.to_string(), kind: Kind::Choice, value: Value::from(value) }
    });
    case.label.loads[0].parameters.extend(parts);
    case
}

/// A run of these, as their workload describes them.
fn run_of(cases: Vec<CaseResult>) -> Run {
    let mut run = run(cases);
    for case in &mut run.cases {
        case.loads.main.profile.aspects.extend([(STACK, Aspect::Stack), (LAYER, Aspect::Layer)]);
    }
    run
}

#[test]
fn each_layer_is_a_bar_that_is_held_against_the_layer_below() {
    let all = [("loop", 2000.0), ("luks", 1500.0), ("ext4", 1500.0)];
    let figures = charts(&run_of(all.map(|(layer, iops)| at("loop > luks > ext4", layer, iops)).to_vec()));
    assert_eq!(kinds(&figures)[0], "waterfall");
    assert!(!kinds(&figures).contains(&"bars"), "the same once more: {:?}", kinds(&figures));
    assert_eq!(titles(&figures)[0], "IOPS at each layer of the stack, the lowest first");
    let rows = figures[0].plot.table(english()).rows;
    let layers: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(layers, ["loop", "luks", "ext4"]);
    let held: Vec<&str> = rows.iter().map(|row| row[4].as_str()).collect();
    assert_eq!(held[0], "", "there is nothing below");
    assert!(held[1].starts_with("-25.0") && held[2].contains("0.0"), "{held:?}");
}

#[test]
fn each_stack_has_a_chart_of_its_own_that_names_it() {
    let all = [
        ("loop > ext4", "loop", 2e3),
        ("loop > ext4", "ext4", 1e3),
        ("loop > xfs", "loop", 2e3),
        ("loop > xfs", "xfs", 9e2),
    ];
    let figures = charts(&run_of(all.map(|(stack, layer, iops)| at(stack, layer, iops)).to_vec()));
    assert_eq!(kinds(&figures)[..2], ["waterfall", "waterfall"]);
    let titles = titles(&figures);
    assert!(titles[0].contains("loop > ext4") && titles[1].contains("loop > xfs"), "{titles:?}");
}

#[test]
fn one_layer_alone_is_no_waterfall() {
    let figures = charts(&run_of(vec![at("loop > ext4", "ext4", 1e3)]));
    assert!(!kinds(&figures).contains(&"waterfall"));
    let stacks = [("loop > ext4", "ext4", 1e3), ("loop > xfs", "xfs", 9e2)];
    let figures = charts(&run_of(stacks.map(|(stack, layer, iops)| at(stack, layer, iops)).to_vec()));
    assert_eq!(kinds(&figures)[0], "bars", "stacks are held against each other");
}
