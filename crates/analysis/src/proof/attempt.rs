//! What to try on a case whose verdict is to be proved: what can be taken of the resource that is
//! named, of one that is not, and what can be given.
//!
//! | named | taken of it | taken of another | given |
//! |---|---|---|---|
//! | processors of an end | slices of their time, at that end | the disk's operations | twice the threads, where one core is full |
//! | a quota of CPU time | slices within the group, so that they count against the quota | | a quota of ours that is a quarter higher |
//! | a disk, a throttle or allowance on one | the same load at a tenth of the rate | the time of its CPUs | a throttle of ours, a quarter higher |
//! | a link or a rate between two machines | one stream more, of its own | the time of its CPUs | a rate of ours, a quarter higher |
//! | memory bandwidth, several threads | | a tenth of the threads, at least one: much of the CPUs | |
//! | a window | | | twice the window |
//! | the load's own operations, one at a time | | | twice as many at once |
//!
//! **Memory bandwidth** of several threads cannot be taken without taking processors: a companion
//! needs a core. It is known from the other side. It is one of two things that hold threads back
//! which do nothing but move what no cache holds: what all of them share, or what each core can have
//! under way. With some of the threads away, the second falls by their share and the first stays.
//!
//! **A stream more** takes from a link what it gets there, which is measured; a stream beside it has
//! threads and CPU time of its own, so the time of CPUs is what must not matter beside it.
//!
//! **What waits for memory one load at a time**, for other threads, for timers or for what was lost
//! has nothing that could be taken or given without being another load: it cannot be proved here.
//!
//! **Others are left alone.** Where other programs compute on the machine, or use the disk, nothing
//! is taken of these: it would be theirs.

use model::finding::Finding;
use model::profile::Aspect;
use model::run::{CaseResult, ProofStep, Run};
use model::search::CpuTake;
use model::{FactName, FindingKind, ParameterName, Resource, ResourceKind, Value, fact};

use super::TAKEN;
use crate::measure::{CaseCpus, End};
use crate::validity::{disturbed, others_io};
use crate::{Context, measure};

/// So much more a setting lets through where it is what holds back.
const RAISED: f64 = 1.25;

/// One thing to try on a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Perturbation {
    /// What it is for.
    pub step: ProofStep,
    /// What is done.
    pub how: PerturbationKind,
}

/// How a case is perturbed.
#[derive(Clone, Debug, PartialEq)]
pub enum PerturbationKind {
    /// A share of CPUs is taken.
    Cpu(CpuTake),
    /// The same load runs beside it, but for these: what a parameter of the company says, which the
    /// case need not have set, and its value.
    Company(Vec<(Aspect, Value)>),
    /// The load has another value of a parameter.
    Level {
        /// The parameter.
        parameter: ParameterName,
        /// Its value.
        value: u64,
    },
    /// Settings of the case let more through.
    Settings(
        /// By their keys in the study.
        Vec<(String, Value)>,
    ),
}

/// What a verdict says is the limit, as far as it can be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Suspect {
    Processors(End),
    CpuQuota(End),
    Device,
    Interface,
    Memory,
    Window,
    OwnOperations,
    /// Nothing of it can be taken or given.
    Unmovable,
}

impl Suspect {
    fn of(code: &str, verdict: &Finding, case: &CaseResult) -> Self {
        match code {
            "one-core-full" | "own-cores-full" | "all-cores-full" | "clock-held" | "client-bound" => {
                Self::Processors(End::Drives)
            }
            "sender-cpu" => Self::Processors(measure::sender(case)),
            "receiver-cpu" => Self::Processors(measure::receiver(case)),
            "cpu-quota" => match verdict.args.get("end") {
                Some(end) if *end == Value::from(End::Answers.word()) => Self::CpuQuota(End::Answers),
                _ => Self::CpuQuota(End::Drives),
            },
            "window-bound" => Self::Window,
            "latency-bound" | "round-trip-bound" => Self::OwnOperations,
            "memory-bandwidth-full" => Self::Memory,
            // What each connection may have another one does not take.
            "io-quota" if verdict.args.get("shared") == Some(&Value::from("each")) => Self::Unmovable,
            "memory-latency"
            | "scheduler-bound"
            | "overloaded"
            | "io-control"
            | "loss-bound"
            | "reordering-bound"
            | "credits-used-up"
            | "server-cpu-bound"
            | "lock-bound"
            | "steal-bound"
            | "swap-bound"
            | "reclaim-bound"
            | "interrupt-cpu-full"
            | "threads-stopped"
            | "presenter-cpu-full"
            | "presenter-device-bound" => Self::Unmovable,
            _ if measure::is_net(case) && measure::profile(case).is_stream() => Self::Interface,
            _ if measure::device(case).is_some() => Self::Device,
            _ => Self::Unmovable,
        }
    }

    /// Of which kind settings are that hold it.
    fn held_by(self) -> Option<ResourceKind> {
        match self {
            Self::CpuQuota(_) => Some(ResourceKind::Cpu),
            Self::Device => Some(ResourceKind::Block),
            Self::Interface => Some(ResourceKind::Nic),
            _ => None,
        }
    }
}

/// A case and what there is to know of it.
struct Subject<'a> {
    run: &'a Run,
    case: &'a CaseResult,
    context: &'a Context<'a>,
    verdict: &'a Finding,
    /// Whether the verdict is one that was found: a planted one names no resource.
    is_found: bool,
}

/// What to try on a case of a run whose findings are made, and why it is nothing where nothing can
/// be tried. `named` stands for the verdict's code where it is given, for tests; `holds` says which
/// settings let a load have no more than their value, and of what.
///
/// # Errors
/// The word of the reason, in the arguments of `proof-none`.
pub fn perturbations(
    run: &Run,
    case: usize,
    named: Option<&str>,
    holds: &dyn Fn(&str) -> Option<ResourceKind>,
) -> Result<Vec<Perturbation>, &'static str> {
    let siblings = crate::Siblings::of(&run.cases);
    let Some(case) = run.cases.get(case) else { return Err("nothing") };
    let context = Context::of(run, case, &siblings);
    let verdict = case.findings.iter().find(|f| f.kind == FindingKind::Bottleneck);
    let Some(verdict) = verdict.filter(|f| f.code != "cannot-tell") else { return Err("nothing") };
    // Other writes would undo a steady state.
    if case.rounds.is_some() {
        return Err("steady");
    }
    let code = named.unwrap_or(&verdict.code);
    let is_found = code == verdict.code;
    let subject = Subject { run, case, context: &context, verdict, is_found };
    let suspect = Suspect::of(code, verdict, case);
    let mut all = subject.steps(suspect, code);
    // A limit that is ours is raised; a device is not what a throttle holds.
    let is_imposed = matches!(code, "io-quota" | "cpu-quota");
    let raised = suspect.held_by().filter(|_| is_imposed).and_then(|kind| subject.raised(kind, holds));
    all.extend(raised);
    let is_theirs = |p: &Perturbation| subject.is_others(p, suspect);
    let refused = all.iter().any(|p| is_theirs(p) && p.step == ProofStep::Named);
    all.retain(|p| !is_theirs(p));
    // Twice the threads are twice as much under way, too: alone they do not tell a processor.
    let is_processor = matches!(suspect, Suspect::Processors(_));
    let has_named = all.iter().any(|p| p.step == ProofStep::Named);
    // What is not named proves nothing alone.
    if refused || is_processor && !has_named || all.iter().all(|p| p.step == ProofStep::Other) {
        return Err(if refused && verdict.code != "cpu-quota" { "others" } else { "nothing" });
    }
    Ok(all)
}

impl Subject<'_> {
    fn steps(&self, suspect: Suspect, code: &str) -> Vec<Perturbation> {
        let Self { case, .. } = *self;
        let all = match suspect {
            Suspect::Processors(end) => {
                let relief = (code == "one-core-full").then(|| self.more(Aspect::Workers)).flatten();
                [self.cpu(end, ProofStep::Named), self.device(ProofStep::Other), relief]
            }
            Suspect::CpuQuota(end) => [self.group(end), None, None],
            Suspect::Device => [self.device(ProofStep::Named), self.cpu(End::Drives, ProofStep::Other), None],
            Suspect::Interface => [self.stream(), self.cpu(measure::sender(case), ProofStep::Other), None],
            Suspect::Memory => [self.fewer(), None, None],
            Suspect::Window => [None, None, self.window()],
            Suspect::OwnOperations => {
                // Each client of a database has one statement under way.
                let of_clients = self.verdict.args.get("how") == Some(&Value::from("statements"));
                let workers = if of_clients { Aspect::Streams } else { Aspect::Workers };
                [None, None, self.more(Aspect::Depth).or_else(|| self.more(workers))]
            }
            Suspect::Unmovable => [None, None, None],
        };
        all.into_iter().flatten().collect()
    }

    /// Whether what is taken would be other programs', or another resource's as well.
    fn is_others(&self, one: &Perturbation, suspect: Suspect) -> bool {
        let says = |code: &str| self.case.findings.iter().any(|finding| finding.code == code);
        match &one.how {
            // Whoever takes time has others' programs moved to other CPUs as well. And where a quota
            // stops us, all that we compute is taken of it, too.
            PerturbationKind::Cpu(take) => {
                says(disturbed::RULE.code) || !take.of_group && self.verdict.code == "cpu-quota"
            }
            PerturbationKind::Company(_) => suspect == Suspect::Device && says(others_io::RULE.code),
            PerturbationKind::Level { .. } | PerturbationKind::Settings(_) => false,
        }
    }

    /// How many CPUs the load may use here.
    fn allowed(&self) -> u64 {
        CaseCpus::of(self.case, self.context.machine).allowed.len() as u64
    }

    /// A share of the CPUs that the load runs on at an end, or may run on.
    fn cpu(&self, end: End, step: ProofStep) -> Option<Perturbation> {
        let (cpus, far) = self.cpus_of(end)?;
        let how = PerturbationKind::Cpu(CpuTake { cpus, share: TAKEN, far, of_group: false });
        Some(Perturbation { step, how })
    }

    /// The CPUs of an end, and whether they are to be taken time by the far one. Where both ends are
    /// under one kernel, all CPUs are here.
    fn cpus_of(&self, end: End) -> Option<(Vec<u32>, bool)> {
        let Self { run, case, context, verdict, is_found } = *self;
        let here = context.machine.map(|machine| CaseCpus::of(case, Some(machine)).allowed);
        let one_kernel = measure::is_net(case) && measure::is_one_machine(case);
        let far = end.answers() && !one_kernel;
        // The one that takes the interrupts, where that is what is full.
        let core = verdict.resource.as_ref().filter(|_| is_found).and_then(|r| r.named(ResourceKind::Cpu));
        let by_core = verdict.args.get("by") == Some(&Value::from("core"));
        let core = core.filter(|_| by_core).and_then(|cpu| cpu.parse().ok());
        let mut cpus = if let Some(core) = core {
            vec![core]
        } else if far {
            let name = end.machine(case)?;
            CaseCpus::at(end, case, run.machines.iter().find(|m| m.id == name)?).allowed
        } else if one_kernel {
            here?
        } else {
            self.own_cpus().or(here)?
        };
        cpus.sort_unstable();
        cpus.dedup();
        (!cpus.is_empty()).then_some((cpus, far))
    }

    /// The CPUs to which the workers of the main load are pinned, if all are.
    fn own_cpus(&self) -> Option<Vec<u32>> {
        let own = measure::good(self.case).find_map(|trial| {
            let workers = &trial.result.placement.as_ref()?.workers;
            workers.iter().filter(|w| w.load == 0).map(|w| w.cpu).collect::<Option<Vec<u32>>>()
        });
        own.filter(|own| !own.is_empty())
    }

    /// A tenth of what the control group of an end's process may have: its own threads take it, and
    /// run only while the group may run, as the workers do. On CPUs without workers, if there are any.
    fn group(&self, end: End) -> Option<Perturbation> {
        let Self { run, case, context, is_found, .. } = *self;
        let machine = match end.answers() {
            true => run.machines.iter().find(|m| Some(m.id.as_str()) == end.machine(case))?,
            false => context.machine?,
        };
        let own = self.own_cpus().filter(|_| !end.answers()).unwrap_or_default();
        let allowed = CaseCpus::at(end, case, machine).allowed;
        let free: Vec<u32> = allowed.iter().copied().filter(|cpu| !own.contains(cpu)).collect();
        // Where nobody counted that a quota stopped us, it must be told from the workers' CPUs.
        if !is_found && (own.is_empty() || free.is_empty()) {
            return None;
        }
        let cpus = if free.is_empty() { allowed.clone() } else { free };
        let workers = measure::workers(case).min(allowed.len() as f64);
        let share = (TAKEN * workers / cpus.len() as f64).min(SHARE_MOST);
        let how = PerturbationKind::Cpu(CpuTake { cpus, share, far: end.answers(), of_group: true });
        (!allowed.is_empty()).then_some(Perturbation { step: ProofStep::Named, how })
    }

    /// The same load beside it on the disk, at a tenth of its rate, by one worker.
    fn device(&self, step: ProofStep) -> Option<Perturbation> {
        let is_its_own = measure::is_direct(self.case) && !measure::does_transactions(self.case);
        measure::device(self.case).filter(|_| is_its_own)?;
        // Another worker must have a CPU of its own, or it would take processor time; and with more
        // than there are CPUs nobody would be pinned, neither those that are there.
        if !measure::is_closed(self.case) || measure::workers(self.case) >= self.allowed() as f64 {
            return None;
        }
        let (_, rate) = measure::operations(self.case)?;
        let one = self.parameter(Aspect::Workers).map(|_| (Aspect::Workers, 1u64.into()));
        let says = one.into_iter().chain([(Aspect::Rate, (rate * TAKEN).into())]).collect();
        Some(Perturbation { step, how: PerturbationKind::Company(says) })
    }

    /// One more stream the same way.
    fn stream(&self) -> Option<Perturbation> {
        self.parameter(Aspect::Streams)?;
        let how = PerturbationKind::Company(vec![(Aspect::Streams, 1u64.into())]);
        Some(Perturbation { step: ProofStep::Named, how })
    }

    /// A tenth of the threads less, at least one.
    fn fewer(&self) -> Option<Perturbation> {
        let parameter = self.parameter(Aspect::Workers)?;
        let threads = self.case.loads.main.parameters.integer(parameter).ok().filter(|n| *n >= 2)?;
        let value = threads - ((threads as f64 * TAKEN) as u64).max(1);
        let how = PerturbationKind::Level { parameter, value };
        measure::is_of_memory(self.case).then_some(Perturbation { step: ProofStep::Rival, how })
    }

    /// Twice as much under way.
    fn more(&self, aspect: Aspect) -> Option<Perturbation> {
        let parameter = self.parameter(aspect)?;
        let value = self.case.loads.main.parameters.integer(parameter).ok()?.checked_mul(2)?;
        let fits = aspect != Aspect::Workers || value <= self.allowed();
        let how = PerturbationKind::Level { parameter, value };
        fits.then_some(Perturbation { step: ProofStep::Relief, how })
    }

    /// Sockets that are granted twice as much.
    fn window(&self) -> Option<Perturbation> {
        let parameter = self.parameter(Aspect::Window)?;
        let asked = self.case.loads.main.parameters.integer(parameter).ok().map(|bytes| bytes * 2);
        // The kernel grants twice what is asked.
        let value = asked.or_else(|| granted(self.case).map(|bytes| bytes as u64))?;
        let how = PerturbationKind::Level { parameter, value };
        Some(Perturbation { step: ProofStep::Relief, how })
    }

    /// Settings of the case that hold this kind of resource, a quarter higher.
    fn raised(
        &self,
        kind: ResourceKind,
        holds: &dyn Fn(&str) -> Option<ResourceKind>,
    ) -> Option<Perturbation> {
        let name = |key: &str| key.split_once('@').map_or(key.to_owned(), |(name, _)| name.to_owned());
        let of_kind = self.case.settings.iter().filter(|(key, _)| holds(&name(key)) == Some(kind));
        let higher = |(key, states): (&String, &Vec<model::setting::SettingState>)| {
            let asked = &states.first()?.asked;
            let value = match asked {
                Value::Integer(value) => Value::Integer((*value as f64 * RAISED) as u64),
                other => Value::Number(other.number()? * RAISED),
            };
            Some((key.clone(), value))
        };
        let all: Vec<(String, Value)> = of_kind.filter_map(higher).collect();
        let how = PerturbationKind::Settings(all.clone());
        (!all.is_empty()).then_some(Perturbation { step: ProofStep::Relief, how })
    }

    fn parameter(&self, aspect: Aspect) -> Option<ParameterName> {
        self.case.loads.main.profile.parameter(aspect)
    }
}

/// The greatest share of a CPU that is taken.
const SHARE_MOST: f64 = 0.25;

/// Bytes that the kernel granted the sockets of a case: the larger of the receiver's buffer and of
/// what the sender's held.
pub(super) fn granted(case: &CaseResult) -> Option<f64> {
    let of = |end: End, name: FactName| measure::median(case, |trial| end.number(trial, name));
    let receive = of(measure::receiver(case), fact::WINDOW_GRANTED_RECEIVE);
    let send = of(measure::sender(case), fact::SEND_BUFFER_MOST);
    [receive, send].into_iter().flatten().filter(|bytes| *bytes > 0.0).reduce(f64::max)
}

/// What something was taken of, in a document.
pub(super) fn resource_of(take: &CpuTake) -> Resource {
    if take.of_group { Resource::CGROUP_CPU } else { Resource::of_cpus(&take.cpus) }
}
