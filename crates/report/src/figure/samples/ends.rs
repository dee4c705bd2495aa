//! The other end of a trial between two machines: what its machine saw, on the same
//! clock, headed by its name. Where both ends are under one kernel its processors
//! are those that are drawn already, and only what a network namespace has for
//! itself is drawn again.

use chart::plot::Panel;
use model::trial::LOCAL;
use model::{Value, fact};

use super::{SampledTrial, panels};

/// What every network namespace has for itself.
const OF_NAMESPACE: &[&str] = &["figure-panel-network", "figure-panel-retransmissions", "figure-panel-drops"];

/// What a machine has besides.
const OF_MACHINE: &[&str] = &["figure-panel-cpu", "figure-panel-frequency", "figure-panel-pressure"];

/// The same trial, seen from the machines of its other ends.
pub(super) fn others<'a>(sampled_trial: &SampledTrial<'a>) -> Vec<SampledTrial<'a>> {
    let others = sampled_trial.trial.result.machines.iter().filter(|m| m.machine != LOCAL);
    let watched = others.filter(|machine| !machine.series.is_empty());
    watched.map(|machine| SampledTrial { far: Some(machine), named: true, ..*sampled_trial }).collect()
}

/// Whether the processors of both ends are the same ones.
pub(super) fn shares_processors(sampled_trial: &SampledTrial<'_>) -> bool {
    sampled_trial.trial.result.main().facts.get(&fact::ONE_MACHINE) == Some(&Value::Bool(true))
}

/// What is drawn of it.
pub(super) fn panels(far: &SampledTrial<'_>) -> Vec<Panel> {
    let own: &[&str] = if shares_processors(far) { &[] } else { OF_MACHINE };
    panels::of_titles(far, OF_NAMESPACE.iter().chain(own))
}

/// A title with the machine that it is of.
pub(super) fn titled(sampled_trial: &SampledTrial<'_>, title: &str) -> String {
    let words = sampled_trial.view.words;
    let machine = match sampled_trial.far {
        Some(far) => far.machine.clone(),
        None => words.say("figure-this-machine"),
    };
    let machine = Value::Text(machine);
    words.tell("figure-at-machine", &[("machine", machine), ("title", Value::Text(title.to_owned()))])
}

#[cfg(test)]
mod tests {
    use model::trial::{MachineTrial, Series};
    use model::{Unit, Value};

    use super::*;
    use crate::figure::samples::sampled_trial;
    use crate::figure::tests::fixture::{disk, run, sampled, seen, series};

    fn of(resource: &str, name: &str, unit: Unit) -> Series {
        series(resource, name, unit, 1_000_000_000, &[1.0, 2.0, 3.0])
    }

    #[test]
    fn both_machines_are_drawn_under_their_names_and_one_machine_once() {
        let all = |nic: &str| {
            vec![
                of("load", "operations", Unit::PerSecond),
                of(nic, "rx_bytes", Unit::BytesPerSecond),
                of("cpu", "user", Unit::One),
                of("cpu", "idle", Unit::One),
                of("cpu:0", "user", Unit::One),
                of("cpu:1", "user", Unit::One),
            ]
        };
        let mut case = sampled(disk("randread", 4096, 8, 80e3), &all("nic:eth0"));
        for trial in &mut case.trials {
            let series = all("nic:eth2").split_off(1);
            trial.result.machines.push(MachineTrial { series, ..MachineTrial::of("10.0.0.2:7117") });
        }
        let run = run(Vec::new());
        let titles = |case: &model::run::CaseResult| -> Vec<String> {
            seen(&run, |view| {
                let figures = super::super::of_shot(&sampled_trial(view, &[case]).unwrap(), &[case]);
                figures.into_iter().map(|f| f.title).collect()
            })
        };
        let apart = titles(&case);
        assert_eq!(apart.iter().filter(|t| t.contains("load of each CPU")).count(), 2, "{apart:#?}");
        assert!(apart[2].starts_with("10.0.0.2:7117: "), "{apart:#?}");
        let made = |case: &model::run::CaseResult| -> Vec<String> {
            seen(&run, |view| {
                let near = sampled_trial(view, &[case]).unwrap();
                others(&near).iter().flat_map(super::panels).map(|p| p.title).collect()
            })
        };
        let far = "10.0.0.2:7117: ";
        assert_eq!(made(&case), ["network throughput", "CPU time"].map(|title| format!("{far}{title}")));
        case.trials.iter_mut().for_each(|t| {
            t.result.main_mut().facts.insert(fact::ONE_MACHINE, Value::Bool(true));
        });
        assert_eq!(made(&case).len(), 1);
        assert_eq!(titles(&case).iter().filter(|t| t.contains("load of each CPU")).count(), 1);
        case.trials.iter_mut().for_each(|t| t.result.machines.truncate(1));
        assert!(made(&case).is_empty());
    }
}
