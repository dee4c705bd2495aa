//! `disk.rebuild`: what users of an array see while a member fails and is rebuilt, while it grows, while it is scrubbed.
//!
//! The load is one of `disk`, on the top of a stack whose array is at its bottom. What happens to the array happens in a
//! thread of its own; operations are told apart by the phase in which they end.

mod course;
mod event;
mod resync;
mod spec;
mod worker;

use std::time::Duration;

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::Class;
use engine::schedule::WorkerIndex;
use engine::stop::StopRule;
use engine::{Prepared, SideMetrics, Worker};
use model::plan::{Effect, Problem};
use model::trial::Window;
use model::{
    FactName, LoadProfile, MetricName, ParameterName, Parameters, Quantity, Unit, Value, WorkloadSpec, fact,
    metric,
};

use crate::workload::common::LoadSchedule;
use crate::workload::disk::rebuild::event::{
    EventPhase, EventPlan, EventThread, GROWTH_SECONDS, MISMATCHED, RESYNC_BYTES, RESYNC_SECONDS,
    WHOLE_SECONDS,
};
use crate::workload::disk::rebuild::spec::{GROWTH_TIME, MISMATCHES, RESYNC_TIME, SPEC, TIME_TO_WHOLE};
use crate::workload::disk::rebuild::worker::{CLASSES, PhasedWorker};
use crate::workload::disk::stack::{ArrayEvent, ArrayRequest, BuiltStack, StackArray};
use crate::workload::disk::{self, Disk};
use crate::workload::{HostInfo, LoadContext, Metrics, Planned, Requirements, Workload, catalogue, named};

/// The longest phase that nothing else ends.
const PHASE_MOST: Duration = Duration::from_secs(24 * 3600);
/// The longest that an array may take.
const TIMEOUT_MOST: Duration = Duration::from_secs(30 * 24 * 3600);

/// The workload.
#[derive(Debug)]
pub struct Rebuild;

impl Workload for Rebuild {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        let seconds = |name| parameters.number(named(name)).map(Duration::try_from_secs_f64);
        let event = match parameters.text(named("event"))? {
            "grow" => ArrayEvent::Grow,
            "scrub" => ArrayEvent::Scrub,
            _ => ArrayEvent::Fail,
        };
        let written_share = match parameters.text(named("pattern"))? {
            "write" | "randwrite" => 1.0,
            "readwrite" | "randrw" => 1.0 - parameters.number(named("read-share"))?,
            _ => 0.0,
        };
        // What it drives ends by itself; the event ends the trial.
        let endless = LoadSchedule { until: None, ..schedule.clone() };
        Ok(Box::new(PlannedRebuild {
            disk: Disk.plan(&of_disk(parameters), &endless)?,
            event,
            stack: parameters.given(named("stack"), Parameters::text)?.map(str::to_owned),
            phase: seconds("phase-duration")?.unwrap_or(Duration::MAX),
            timeout: seconds("resync-timeout")?.unwrap_or(Duration::MAX),
            is_usual: schedule.stop() == StopRule::End && schedule.latency_target.is_none(),
            written_share,
        }))
    }
}

/// The parameters of the load of `disk` that is driven.
fn of_disk(parameters: &Parameters) -> Parameters {
    let is_of_disk =
        |name: ParameterName| disk::SPEC.parameters.iter().any(|parameter| parameter.name == name);
    let own = parameters.iter().filter(|(name, _)| is_of_disk(*name) && *name != named("until"));
    let mut own: Parameters = own.map(|(name, value)| (name, value.clone())).collect();
    catalogue().fill(&disk::SPEC, &mut own);
    own
}

/// A load whose parameters were read.
struct PlannedRebuild {
    disk: Box<dyn Planned>,
    event: ArrayEvent,
    /// None where nobody asked for one.
    stack: Option<String>,
    phase: Duration,
    timeout: Duration,
    /// Whether the event ends it, at no rate that is to be found.
    is_usual: bool,
    /// The share of the bytes moved that it writes.
    written_share: f64,
}

impl PlannedRebuild {
    /// What the stack has for the event.
    fn array(&self) -> Result<ArrayRequest, Problem> {
        let missing = || {
            Problem::invalid(
                format!("{} takes a stack with an array, and none is given", SPEC.name),
                "add --stack, as \"raid5(a+b+c) > ext4\"",
            )
        };
        ArrayRequest::of(self.stack.as_deref().ok_or_else(missing)?, self.event)
    }

    /// What makes no sense.
    fn check(&self) -> Result<(), Problem> {
        let wrong = |message: &str, help: &str| Err(Problem::invalid(message, help));
        if !self.is_usual {
            return wrong(
                "the event ends a trial, and the load goes on until then",
                "leave requests, bytes, latency-target and until=time out; phase-duration says how long phases are",
            );
        }
        if self.phase.is_zero() || self.phase > PHASE_MOST {
            return wrong("phase-duration is no length of a phase", "more than 0, and at most 24h");
        }
        if self.timeout.is_zero() || self.timeout > TIMEOUT_MOST {
            return wrong(
                "resync-timeout is no time that an array may take",
                "more than 0, and at most 720h",
            );
        }
        Ok(())
    }
}

impl Planned for PlannedRebuild {
    fn survey(&mut self, host: &HostInfo) -> Result<Requirements, Problem> {
        self.array()?;
        self.check()?;
        let needs = self.disk.survey(host)?;
        if self.disk.targets().is_empty() {
            return Err(Problem::invalid(
                "engine=null drives nothing, so nobody would see what happens to the array",
                "leave engine out, or give another",
            ));
        }
        let is_own = |name: ParameterName| SPEC.parameters.iter().any(|parameter| parameter.name == name);
        let resolved = needs.resolved.iter().filter(|(name, _)| is_own(*name));
        let resolved = resolved.map(|(name, value)| (name, value.clone())).collect();
        let effect = needs.effect.max(Effect::Dirty);
        Ok(Requirements { resolved, effect, ..needs })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let has_spare = self.array().is_ok_and(|array| array.has_spare);
        let phases = EventPhase::of(self.event, has_spare).map(|phase| phase.name().to_owned());
        let phases: Vec<String> = phases.collect();
        // Without what the array takes, which nobody knows before.
        let window_s = self.phase.as_secs_f64() * phases.len() as f64;
        LoadProfile { calibration: None, window_s: Some(window_s), phases, ..self.disk.profile(base) }
    }

    fn targets(&self) -> &[String] {
        self.disk.targets()
    }

    fn uses_up_stack(&self) -> bool {
        self.stack.as_deref().is_some_and(|stack| ArrayRequest::uses_up(stack, self.event))
    }

    fn prepare(&self, given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let has_spare = self.array()?.has_spare;
        let targets = self.disk.targets();
        let is_driven = |built: &&BuiltStack| {
            built.tops().iter().map(|top| top.to_string_lossy()).eq(targets.iter().map(String::as_str))
        };
        let built = given.fixtures.all::<BuiltStack>().find(is_driven);
        let built = built.ok_or_else(|| Fault::Other("the stack of the array is not there".to_owned()))?;
        let array = StackArray::of(built)?;
        if !array.is_as_made(has_spare) {
            return Err(Fault::Other(
                "the array is not as it was made: an earlier trial ended before it was whole again"
                    .to_owned(),
            ));
        }
        let disk = self.disk.prepare(given)?;
        let plan = EventPlan { event: self.event, has_spare, phase: self.phase, timeout: self.timeout };
        let thread = EventThread::start(array, plan)?;
        Ok(Box::new(PreparedRebuild { disk, thread }))
    }

    fn metrics(&self, mut all: Metrics, outcome: &LoadOutcome, _window: Window) -> Metrics {
        let number = |name: FactName| outcome.facts.get(&name).and_then(Value::number);
        let rate = number(RESYNC_BYTES).zip(number(RESYNC_SECONDS)).map(|(bytes, seconds)| bytes / seconds);
        let figures: [(MetricName, Unit, Option<f64>); 5] = [
            (TIME_TO_WHOLE, Unit::Seconds, number(WHOLE_SECONDS)),
            (RESYNC_TIME, Unit::Seconds, number(RESYNC_SECONDS)),
            (metric::RESYNC_RATE, Unit::BytesPerSecond, rate),
            (MISMATCHES, Unit::One, number(MISMATCHED)),
            (GROWTH_TIME, Unit::Seconds, number(GROWTH_SECONDS)),
        ];
        let quantity = |(name, unit, value): (MetricName, Unit, Option<f64>)| {
            Some((name, Quantity { value: value?, unit }))
        };
        all.extend(figures.into_iter().filter_map(quantity));
        all.extend(rates(outcome));
        all
    }

    fn written_share(&self, _outcome: &LoadOutcome) -> f64 {
        self.written_share
    }
}

/// Operations per second in each phase.
fn rates(outcome: &LoadOutcome) -> Vec<(MetricName, Quantity)> {
    let list = |name: FactName| match outcome.facts.get(&name) {
        Some(Value::List(all)) => all.as_slice(),
        _ => &[],
    };
    let phases = list(fact::WINDOW_PHASES).iter().zip(list(fact::WINDOW_PHASE_SECONDS));
    let rate = |(phase, seconds): (&Value, &Value)| {
        let Value::Text(phase) = phase else { return None };
        let seconds = seconds.number().filter(|seconds| *seconds > 0.0)?;
        let class = outcome.classes.iter().find(|own| own.class.name == phase.as_str())?;
        let value = class.operations / seconds;
        Some((metric::PER_SECOND.of(phase)?, Quantity { value, unit: Unit::PerSecond }))
    };
    phases.filter_map(rate).collect()
}

/// A load that is ready: the event waits for the window.
#[derive(Debug)]
struct PreparedRebuild {
    disk: Box<dyn Prepared>,
    thread: EventThread,
}

impl Prepared for PreparedRebuild {
    fn operation_bytes(&self) -> u64 {
        self.disk.operation_bytes()
    }

    fn classes(&self) -> &'static [Class] {
        CLASSES
    }

    fn cpus(&self) -> Option<Vec<u32>> {
        self.disk.cpus()
    }

    fn counts_from_start(&self) -> bool {
        true
    }

    fn workers(&self, threads: usize) -> usize {
        self.disk.workers(threads)
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.disk.facts()
    }

    fn facts_after(&self, outcome: &LoadOutcome) -> Vec<(FactName, Value)> {
        self.disk.facts_after(outcome)
    }

    fn seen(&self, window: Window) -> SideMetrics {
        let mut seen = self.disk.seen(window);
        seen.series.extend(self.thread.state.series(window));
        seen
    }

    fn verdict(&self) -> Result<(), Fault> {
        self.disk.verdict()
    }

    fn clean_up(&self, beat: &dyn Fn()) -> Result<(), Fault> {
        self.disk.clean_up(beat)
    }

    fn worker(&self, worker: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let disk = self.disk.worker(worker, seed)?;
        Ok(Box::new(PhasedWorker::new(disk, self.disk.classes(), self.thread.state.clone())))
    }
}

#[cfg(test)]
mod tests;
