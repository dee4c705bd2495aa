//! The phases of a load's window, where it has some: what happened beside the load, such as the rebuild of an array.

use chart::plot::PhaseSpan;
use model::{FactName, Value, fact};

use super::SampledTrial;
use crate::breakdown;

/// The phases of a trial, in seconds since the window opened.
pub(super) fn of(sampled_trial: &SampledTrial<'_>) -> Vec<PhaseSpan> {
    let facts = &sampled_trial.trial.result.main().facts;
    let list = |name: FactName| match facts.get(&name) {
        Some(Value::List(all)) => all.as_slice(),
        _ => &[],
    };
    let mut end = 0.0;
    let phase = |(name, seconds): (&Value, &Value)| {
        let from = end;
        end += seconds.number()?;
        let name = breakdown::phase_called(sampled_trial.view.words, &name.to_string());
        Some(PhaseSpan { from, to: end, name })
    };
    list(fact::WINDOW_PHASES).iter().zip(list(fact::WINDOW_PHASE_SECONDS)).filter_map(phase).collect()
}

#[cfg(test)]
mod tests {
    use model::Unit;

    use super::*;
    use crate::figure::samples::sampled_trial;
    use crate::figure::tests::fixture::{disk, run, sampled, seen, series};

    #[test]
    fn phases_follow_one_another_and_have_words() {
        let all = [series("load", "operations", Unit::PerSecond, 1_000_000_000, &[10.0, 20.0])];
        let mut case = sampled(disk("randread", 4096, 8, 80e3), &all);
        for trial in &mut case.trials {
            let facts = &mut trial.result.main_mut().facts;
            let names = ["before", "during", "after"].map(Value::from).to_vec();
            facts.insert(fact::WINDOW_PHASES, Value::List(names));
            let seconds = [5.0, 20.5, 5.0].map(Value::Number).to_vec();
            facts.insert(fact::WINDOW_PHASE_SECONDS, Value::List(seconds));
        }
        seen(&run(Vec::new()), |view| {
            let all = of(&sampled_trial(view, &[&case]).unwrap());
            let times: Vec<(f64, f64)> = all.iter().map(|phase| (phase.from, phase.to)).collect();
            assert_eq!(times, [(0.0, 5.0), (5.0, 25.5), (25.5, 30.5)]);
            assert_eq!(all[1].name, view.say("phase-during"));
        });
        let plain = sampled(disk("randread", 4096, 8, 80e3), &all);
        seen(&run(Vec::new()), |view| {
            assert!(of(&sampled_trial(view, &[&plain]).unwrap()).is_empty());
        });
    }
}
