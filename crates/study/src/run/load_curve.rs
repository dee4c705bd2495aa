//! The curve of a load whose most was searched: its latency at shares of that, in an open loop.

use model::label::LabelPart;
use model::plan::{Case, LoadSpec};
use model::run::{CaseRole, Outcome, SearchEnd};
use model::{Kind, Value};

use super::{Execution, RunError};
use crate::plan::load_curve::{BLOCKS, OpenLoop, SHARES};
use crate::plan::search::{duration, window_s};

impl Execution<'_> {
    /// Measures the curves of those cases of a group that were searched, as far as the budget goes.
    pub(super) fn load_curves(&mut self, group: usize) -> Result<Outcome, RunError> {
        // Of a search that the budget ended nobody knows the most.
        let was_searched =
            |c: &&Case| self.run.cases[c.index].search.as_ref().is_some_and(|s| s.ended != SearchEnd::Budget);
        let searched: Vec<Case> = self.plan.group(group).filter(was_searched).cloned().collect();
        for case in searched {
            let shares = self.shares(group, &case)?;
            for _ in 0..BLOCKS {
                match self.one_block(group, shares.clone())? {
                    Some(Outcome::Interrupted) => return Ok(Outcome::Interrupted),
                    Some(_) => break,
                    None => {}
                }
            }
        }
        Ok(Outcome::Complete)
    }

    /// The cases of the shares; none where the load has no curve or nobody has time for it.
    fn shares(&mut self, group: usize, case: &Case) -> Result<Vec<Case>, RunError> {
        let none = Ok(Vec::new());
        let Some(main) = case.loads.first() else { return none };
        let Some(open) = OpenLoop::of(main, self.catalogue) else { return none };
        let Some(most) = analysis::operations_per_second(&self.run.cases[case.index]) else { return none };
        let Some((parameter, best)) =
            self.run.cases[case.index].search.as_ref().map(|s| (s.parameter, s.best))
        else {
            return none;
        };
        let window = duration(main, self.catalogue).map(|(name, seconds)| (name, seconds, window_s(seconds)));
        let shorter = window.map_or(0.0, |(_, own, window)| own - window);
        let others_s = (SHARES.len() - 1) as f64 * (case.trial_s - shorter);
        if !self.meter.affords_beside(group, case, others_s) {
            return none;
        }
        let mut shares = Vec::new();
        for share in SHARES {
            let rate = in_four_digits(share * most);
            let set = |load: &mut LoadSpec| {
                load.parameters.set(open.rate, rate);
                load.parameters.set(open.arrivals, model::parameter::POISSON.word);
                if let Some((name, _, window)) = window {
                    load.parameters.set(name, window);
                }
            };
            let Some(mut at_share) = self.variant(case, parameter, best, set)? else { continue };
            let part =
                LabelPart { name: open.rate.to_string(), kind: Kind::Rate, value: Value::Number(rate) };
            at_share.label.loads.iter_mut().take(1).for_each(|main| main.parameters.push(part.clone()));
            at_share.trial_s = (case.trial_s - shorter).max(0.0);
            self.add_case(&mut at_share, CaseRole::Share { of: case.index, share })?;
            shares.push(at_share);
        }
        Ok(shares)
    }
}

/// A rate as a person would type it.
fn in_four_digits(rate: f64) -> f64 {
    let step = 10_f64.powf(rate.abs().log10().floor() - 3.0);
    if step.is_normal() { (rate / step).round() * step } else { rate }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_four_digits() {
        assert!((in_four_digits(48_751.228_328) - 48_750.0).abs() < 1e-6);
        assert!((in_four_digits(0.123_456) - 0.1235).abs() < 1e-9);
        assert_eq!(in_four_digits(0.0), 0.0);
    }
}
