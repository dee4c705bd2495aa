//! `cpu.float`: the most multiply-adds a second that threads compute.
//!
//! Beside the load each worker measures the clock of its core with a chain of
//! dependent additions, right after a batch of multiply-adds, so that it is the
//! clock that the core has under this load. It takes less than 0.5 % of the
//! time, and the rate is of all of the time: it is low by so much.

mod clock;
mod kernel;
mod units;

use engine::clock as time;
use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::{Completion, Operation, Queue};
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker};
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::{Aspect, Flow, FlowUnit, OperationClass, WaitsFor};
use model::resource::Symbol;
use model::trial::Window;
use model::{
    FactName, LoadProfile, MetricName, MetricSpec, Parameters, Quantity, Unit, Value, WorkloadName,
    WorkloadSpec, metric,
};

use crate::workload::common::LoadSchedule;
use crate::workload::cpu::vectors::{AskedSet, Set, VECTORS};
use crate::workload::{
    HostInfo, LoadContext, Metrics, Planned, Requirements, Workload, common, named, profile,
};
use kernel::Real;
use units::Core;

pub(crate) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("cpu.float"),
    definition_version: 1,
    summary: "peak rate of multiply-adds (floating point)",
    doc: "Each thread computes chains of multiply-adds that do not depend on each other, all of them in registers: \
          the most that the core's floating-point units can do, which real programs come near to only in matrix \
          products. A multiply-add counts as two operations. SSE2, and scalar code where the processor has no FMA, \
          take two instructions for it. One operation, as `requests` and `rate` count them, is a batch of 16,384 \
          steps of all chains. The clock is measured beside it, less than 0.5 % of the time, by a chain of additions \
          of one cycle each. Every batch must give the same numbers, and those that single steps give.",
    parameters: &[
        ParameterSpec::new("type", Kind::Choice, "The numbers that are computed with.")
            .says(Aspect::NumberType)
            .default("double")
            .words(&[
                Word { word: "double", doc: "64 bits (IEEE 754 binary64)" },
                Word { word: "single", doc: "32 bits (binary32)" },
            ]),
        VECTORS,
    ],
    headline: metric::FLOPS,
    metrics: &[
        FLOPS,
        FLOPS_PER_CYCLE,
        PEAK_SHARE,
        FREQUENCY,
        common::OPERATIONS,
        common::ELAPSED,
        common::CPU_PER_OPERATION,
    ],
    path: &[Symbol::WorkerCpus],
    examples: &[
        "cpu.float --threads all",
        "cpu.float --type double,single --vectors scalar,auto",
        "cpu.float --threads all --duration 5m --idle 30s --cool-down 2m",
    ],
};

const FLOPS: MetricSpec = common::rate(
    metric::FLOPS,
    "Floating-point operations per second of all threads; a multiply-add is two.",
);
const FLOPS_PER_CYCLE: MetricSpec = MetricSpec::higher(
    MetricName::new("flops_per_cycle"),
    Unit::One,
    "Floating-point operations of one thread in each cycle of the clock that was measured.",
);
const PEAK_SHARE: MetricSpec = MetricSpec::higher(
    metric::PEAK_SHARE,
    Unit::One,
    "What share that is of width x units x 2; only for cores whose number of units is known. Threads that share a \
     core share its units.",
);
const FREQUENCY: MetricSpec = MetricSpec::higher(
    metric::FREQUENCY,
    Unit::Hertz,
    "The clock of the cores under this load, measured: the median over the slices of all workers.",
);

/// Steps of all chains in one operation: 20 to 100 us.
const STEPS: usize = 16_384;
/// The clock is measured at the end of one in so many operations.
const MEASURED_EVERY: u64 = 512;
/// What the time of an operation is made of.
const STAGES: [MetricName; 2] = [MetricName::new("multiply"), MetricName::new("clock")];

#[derive(Debug)]
pub(crate) struct Float;

impl Workload for Float {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        Ok(Box::new(PlannedFloat {
            threads: schedule.threads,
            vectors: AskedSet::of(parameters)?,
            single: parameters.is_word(named("type"), "single"),
        }))
    }
}

#[derive(Debug)]
struct PlannedFloat {
    threads: u64,
    vectors: AskedSet,
    single: bool,
}

impl PlannedFloat {
    fn ready(&self) -> Result<PreparedFloat, Problem> {
        Ok(PreparedFloat { set: self.vectors.checked()?, single: self.single })
    }
}

impl Planned for PlannedFloat {
    fn survey(&mut self, _host: &HostInfo) -> Result<Requirements, Problem> {
        if !cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
            return Err(Problem::refused(
                "cpu.float is not written for this kind of processor",
                "it is for x86-64 and 64-bit Arm",
            ));
        }
        self.vectors.checked()?;
        Ok(Requirements::default())
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let steps = Flow::only(OperationClass::Compute, FlowUnit::Operations);
        profile::of_one(base, WaitsFor::Processor, steps)
    }

    fn prepare(&self, _given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        Ok(Box::new(self.ready()?))
    }

    fn metrics(&self, mut metrics: Metrics, outcome: &LoadOutcome, window: Window) -> Metrics {
        let mut put = |spec: MetricSpec, value: f64| {
            metrics.insert(spec.name, Quantity { value, unit: spec.unit });
        };
        let Ok(ready) = self.ready() else { return metrics };
        let flops = outcome.operations * ready.flops() / window.seconds();
        put(FLOPS, flops);
        if let Some(frequency) = frequency(outcome) {
            let per_cycle = flops / self.threads as f64 / frequency;
            put(FREQUENCY, frequency);
            put(FLOPS_PER_CYCLE, per_cycle);
            if let Some(units) = ready.units() {
                put(PEAK_SHARE, per_cycle / (2.0 * ready.lanes() as f64 * f64::from(units)));
            }
        }
        metrics
    }
}

/// The clock, from the chains of additions: the median, because an interruption
/// makes one longer and nothing makes one shorter.
fn frequency(outcome: &LoadOutcome) -> Option<f64> {
    let slices = outcome.histogram(STAGES[1])?;
    let ns = slices.value_at_quantile(0.5);
    (ns > 0).then(|| clock::ADDITIONS as f64 / (slices.median_equivalent(ns) as f64 / 1e9))
}

#[derive(Clone, Copy, Debug)]
struct PreparedFloat {
    set: Set,
    single: bool,
}

impl PreparedFloat {
    fn lanes(self) -> usize {
        if self.single { kernel::lanes::<f32>(self.set) } else { kernel::lanes::<f64>(self.set) }
    }

    /// Of one operation.
    fn flops(self) -> f64 {
        2.0 * (kernel::chains(self.set) * self.lanes() * STEPS) as f64
    }

    fn units(self) -> Option<u32> {
        Core::here()?.units(self.set, kernel::fused(self.set))
    }
}

impl Prepared for PreparedFloat {
    fn stages(&self) -> Option<[MetricName; 2]> {
        Some(STAGES)
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        let how = if kernel::fused(self.set) { "one instruction" } else { "two instructions" };
        let units = match self.units() {
            Some(units) => Value::Integer(u64::from(units)),
            None => Value::from("unknown"),
        };
        vec![
            (FactName::new("vectors"), Value::Text(self.set.to_string())),
            (FactName::new("multiply_add"), Value::from(how)),
            (FactName::new("multiply_add_units"), units),
        ]
    }

    fn worker(&self, _seat: WorkerIndex, _seed: u64) -> Result<Box<dyn Worker>, Fault> {
        Ok(if self.single {
            Box::new(Multiplying::<f32>::new(self.set))
        } else {
            Box::new(Multiplying::<f64>::new(self.set))
        })
    }
}

/// Runs batches, all alike.
struct Multiplying<R> {
    set: Set,
    begin: Vec<R>,
    values: Vec<R>,
    /// What the first batch gave.
    first: Option<Vec<R>>,
    finished: Option<Completion>,
}

impl<R: Real> Multiplying<R> {
    fn new(set: Set) -> Self {
        let begin: Vec<R> = (0..kernel::chains(set) * kernel::lanes::<R>(set)).map(R::begin).collect();
        Self { set, values: begin.clone(), begin, first: None, finished: None }
    }

    fn check(&self) -> Result<(), Fault> {
        let fused = kernel::fused(self.set);
        for (index, (begin, found)) in self.begin.iter().zip(self.first.iter().flatten()).enumerate() {
            let wanted = (0..STEPS).fold(*begin, |x, _| x.step(fused));
            if *found != wanted {
                return Err(Fault::Verification(format!(
                    "number {index} of a batch is {found:?} where single steps give {wanted:?}"
                )));
            }
        }
        Ok(())
    }
}

impl<R: Real> Queue for Multiplying<R> {
    fn start(&mut self, slot: usize, operation: Operation) -> Result<(), Fault> {
        self.values.copy_from_slice(&self.begin);
        // SAFETY: the processor has the set, as `AskedSet::checked` saw.
        unsafe { R::run(self.set, &mut self.values, STEPS) };
        match &self.first {
            Some(first) if *first != self.values => {
                return Err(Fault::Verification("two batches that are alike gave other numbers".to_owned()));
            }
            Some(_) => {}
            None => self.first = Some(self.values.clone()),
        }
        let mut handed_ns = 0;
        if operation.sequence % MEASURED_EVERY == MEASURED_EVERY / 8 {
            handed_ns = time::now_ns();
            let step = operation.sequence | 1;
            let sum = clock::chain(std::hint::black_box(step));
            if sum.is_some_and(|sum| sum != step.wrapping_mul(clock::ADDITIONS)) {
                return Err(Fault::Verification(format!("{} additions gave a wrong sum", clock::ADDITIONS)));
            }
        }
        self.finished = Some(Completion { slot, handed_ns, ..Completion::default() });
        Ok(())
    }

    #[inline]
    fn finished(&mut self) -> Option<Completion> {
        self.finished.take()
    }

    fn verify(&mut self, _life: &engine::drive::WorkerContext<'_>) -> Result<(), Fault> {
        self.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(vectors: &str, of: &str) -> Parameters {
        let mut p = Parameters::default();
        p.set(named("vectors"), vectors);
        p.set(named("type"), of);
        p
    }

    #[test]
    fn instructions_that_are_not_here_are_refused_with_those_that_are() {
        let absent = if cfg!(target_arch = "x86_64") { "neon" } else { "avx2" };
        let problem =
            crate::workload::survey(&Float, parameters(absent, "double"), &HostInfo::default()).unwrap_err();
        assert!(problem.message.contains(absent), "{problem:?}");
        assert!(problem.help.contains("scalar"), "{problem:?}");
        assert!(crate::workload::survey(&Float, parameters("auto", "single"), &HostInfo::default()).is_ok());
    }

    #[test]
    fn an_operation_counts_two_for_each_number_and_step() {
        let ready = |vectors, single| PreparedFloat { set: Set::of(vectors), single };
        let scalar = ready("scalar", false);
        assert_eq!(scalar.flops(), 2.0 * 16_384.0 * kernel::chains(scalar.set) as f64);
        assert_eq!(ready("auto", true).flops(), 2.0 * ready("auto", false).flops());
    }

    #[test]
    fn a_wrong_number_fails_the_verification() {
        let set = Set::of("auto");
        let mut worker = Multiplying::<f64>::new(set);
        for sequence in 0..2 {
            worker.start(0, Operation { index: sequence, sequence }).unwrap();
        }
        worker.check().unwrap();
        if let Some(first) = &mut worker.first {
            first[3] += 1e-9;
        }
        assert!(worker.check().is_err());
        assert!(worker.start(0, Operation { index: 2, sequence: 2 }).is_err());
    }
}
