//! Proving verdicts: cases that are perturbed a little, in trials beside those of the case that
//! they are for. What is tried, and what it says, [`analysis::proof`] knows.

use analysis::proof::{self, PerturbationKind};
use model::Run;
use model::label::{LabelPart, LoadLabel};
use model::plan::{Case, LoadSpec};
use model::profile::Aspect;
use model::run::{CaseRole, Outcome, ProofStep};
use model::{Kind, Status, Value};
use stats::response::{PAIRS_LEAST, PAIRS_MOST};

use super::{Execution, RunError, order};

/// Blocks after which what is not proved stays so.
const BLOCKS_MOST: usize = PAIRS_MOST;

/// Blocks before anything is concluded.
const BLOCKS_LEAST: usize = PAIRS_LEAST;

/// For tests only: what is said to be the limit, whatever the verdict is.
const NAMED: &str = "HEADROOM_TEST_NAMED_LIMIT";

impl Execution<'_> {
    /// Proves the verdicts on a group's cases, where that is asked for, as far as the budget goes.
    pub(super) fn prove(&mut self, group: usize) -> Result<Outcome, RunError> {
        if !self.plan.controls.prove {
            return Ok(Outcome::Complete);
        }
        let asked = |c: &&Case| self.run.cases[c.index].role == CaseRole::Asked;
        let cases: Vec<Case> = self.plan.group(group).filter(asked).cloned().collect();
        let judged = self.part(group);
        for case in cases {
            if !self.meter.affords_beside(group, &case, case.trial_s) {
                continue;
            }
            let Some(place) = judged.places.iter().position(|place| *place == case.index) else { continue };
            let named = std::env::var(NAMED).ok();
            let tries = proof::perturbations(&judged.run, place, named.as_deref(), &machine::setting::holds);
            // What cannot be tried is said of the case, when all is measured.
            let Ok(tries) = tries else { continue };
            let mut beside = Vec::new();
            for one in tries {
                let role = CaseRole::Proof { of: case.index, step: one.step };
                let Some(perturbed) = self.perturbed(&case, &one.how)? else { continue };
                beside.push((role, one.step, perturbed));
            }
            // What is not named proves nothing alone.
            if beside.iter().all(|(_, step, _)| *step == ProofStep::Other) {
                continue;
            }
            let mut open = vec![case.clone()];
            for (role, _, mut perturbed) in beside {
                self.add_case(&mut perturbed, role)?;
                open.push(perturbed);
            }
            match self.prove_case(group, &case, open)? {
                Outcome::Interrupted => return Ok(Outcome::Interrupted),
                Outcome::Complete | Outcome::Budget => {}
            }
        }
        Ok(Outcome::Complete)
    }

    /// Blocks over a case and what it is held against.
    fn prove_case(&mut self, group: usize, case: &Case, mut open: Vec<Case>) -> Result<Outcome, RunError> {
        for round in 0..BLOCKS_MOST {
            // What fails again and again is not tried for ever.
            let results = &self.run.cases;
            open.retain(|c| {
                let trials = &results[c.index].trials;
                c.index == case.index || trials.len() < 2 || trials.iter().any(|t| t.status == Status::Ok)
            });
            if open.len() < 2 {
                break;
            }
            if round >= BLOCKS_LEAST {
                let part = self.part(group);
                let place = part.places.iter().position(|place| *place == case.index);
                if !place.is_some_and(|place| proof::is_open(&part.run, place)) {
                    break;
                }
            }
            let block = self.blocks[group];
            self.blocks[group] += 1;
            order::shuffle(&mut open, self.run.seed, group, block);
            for case in &open {
                if (self.cancelled)() {
                    return Ok(Outcome::Interrupted);
                }
                if !self.meter.affords_beside(group, case, 0.0) {
                    return Ok(Outcome::Budget);
                }
                if !self.trial(case, block)? {
                    return Ok(self.what_ended());
                }
            }
        }
        Ok(Outcome::Complete)
    }

    /// A case with something taken away or added; none if the machine cannot do it.
    fn perturbed(&mut self, case: &Case, how: &PerturbationKind) -> Result<Option<Case>, RunError> {
        match how {
            PerturbationKind::Level { parameter, value } => self.variant(case, *parameter, *value, |_| {}),
            PerturbationKind::Cpu(take) => {
                Ok(Some(Case { take_cpu: Some(take.clone()), search: None, search_s: None, ..case.clone() }))
            }
            PerturbationKind::Company(says) => self.accompanied(case, says),
            PerturbationKind::Settings(raised) => {
                let mut changed = Case { search: None, search_s: None, ..case.clone() };
                for (key, value) in raised {
                    let own = changed.settings.iter_mut().filter(|change| change.key() == *key);
                    own.for_each(|change| change.value.clone_from(value));
                }
                Ok(Some(changed))
            }
        }
    }

    /// A case with its own load beside it once more, but for what these parameters say.
    fn accompanied(&mut self, case: &Case, says: &[(Aspect, Value)]) -> Result<Option<Case>, RunError> {
        let Some(main) = case.loads.first() else { return Ok(None) };
        let spec = self.catalogue.workload(main.workload);
        let mut company = LoadSpec::new(main.workload, main.parameters.clone());
        let mut parts = Vec::new();
        for (aspect, value) in says {
            let parameter = spec.and_then(|spec| self.catalogue.parameter_for(spec, *aspect));
            let Some(parameter) = parameter else { return Ok(None) };
            company.parameters.set(parameter, value.clone());
            let kind = spec.and_then(|spec| self.catalogue.parameter(spec, parameter.as_str()));
            let kind = kind.map_or(Kind::Count, |spec| spec.kind);
            parts.push(LabelPart { name: parameter.to_string(), kind, value: value.clone() });
        }
        let mut loads: Vec<LoadSpec> =
            case.loads.iter().map(|l| LoadSpec::new(l.workload, l.parameters.clone())).collect();
        loads.push(company);
        let mut label = case.label.clone();
        label.loads.push(LoadLabel { workload: main.workload, parameters: parts });
        self.with_loads(case, loads, label)
    }
}

/// The cases of one group, judged.
pub(super) struct JudgedPart {
    pub(super) run: Run,
    /// The places of its cases in the whole run.
    pub(super) places: Vec<usize>,
}

impl Execution<'_> {
    /// The cases of a group as a run of their own, with what is found of them.
    pub(super) fn part(&mut self, group: usize) -> JudgedPart {
        let places: Vec<usize> = self.plan.group(group).map(|c| c.index).collect();
        let all = std::mem::take(&mut self.run.cases);
        let mut run = self.run.clone();
        self.run.cases = all;
        run.cases = places.iter().map(|place| self.run.cases[*place].clone()).collect();
        // They are named by their places in the part.
        for case in &mut run.cases {
            case.role = case.role.moved(|of| places.iter().position(|place| *place == of));
        }
        analysis::derive(&mut run);
        JudgedPart { run, places }
    }
}
