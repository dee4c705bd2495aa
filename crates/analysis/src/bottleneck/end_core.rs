//! A processor of one end that packets keep busy. What a kernel does for packets
//! that come in, it does in an interrupt's wake (softirq), on whichever CPU takes
//! the interrupts: no thread of ours is charged for it, and a thread that reads may
//! run on another CPU, half idle, while that one is full.
//!
//! `/proc/stat` tells of each CPU where its time went (proc_stat(5)), by what it
//! did when the clock ticked. A CPU is full as any other resource is. What fills it
//! must be ours: it is interrupts, and what the threads of that end computed; a
//! neighbour that computes there is told elsewhere, and cannot hold back what
//! interrupts do.
//!
//! Where both ends are under one kernel, their processors are the same ones. Who of
//! the two a CPU worked for is then known of interrupts, which are for what
//! comes in, and of the rest by which end's threads compute more. Nothing is said before all
//! that TCP and the threads tell.

use std::collections::BTreeMap;

use model::finding::{Evidence, Place};
use model::limit::Direction;
use model::run::CaseResult;
use model::{Resource, ResourceKind, Severity, Trial};

use super::{FULL, Verdict, finding};
use crate::measure;
use crate::measure::End;

/// Seconds of a CPU that must have been counted: 40 ticks of 10 ms, so that one
/// more or less is 2.5 %.
const COUNTED_LEAST: f64 = 0.4;

/// From this share of a full CPU on, it is interrupts that make the difference: a
/// thread that had the rest would be seen to be full itself.
const FELT: f64 = 1.0 - FULL;

/// From this share of what a CPU did on that both ends share, interrupts are what fills it: with
/// less, it is as much the thread that computes more.
pub(super) const MOSTLY: f64 = 0.5;

/// So much of what a full CPU did must be interrupts, or the threads of this end.
pub(super) const EXPLAINED: f64 = 0.9;

pub(super) const ENGLISH: &str = r#"
core-named = CPU { $cpu }{ of-end }
core-share =
    { core-named } is { PERCENT($share) } busy, { PERCENT($interrupts) } of it in softirq, { PERCENT($system) } in system
    calls and { PERCENT($user) } in programs{ $shared ->
        [yes] , and both ends share it
       *[no] {""}
    }
reads-advice = more --streams use more cores; larger reads or a larger MTU take less for each byte
core-advice =
    let more CPUs take the packets: more receive queues (`ethtool -L`), their interrupts on several CPUs, or receive
    packet steering (rps_cpus); a larger MTU makes fewer packets

evidence-core = { core-named } is { PERCENT($busy) } busy, { PERCENT($interrupts) } of it in softirq
"#;

/// Of the processors of an end that has a kernel of its own, or of those that both ends
/// share.
pub(super) fn examine(case: &CaseResult, end: End, shared: bool) -> Verdict {
    if shared != measure::is_one_machine(case) || !measure::profile(case).is_stream() {
        return Verdict::Elsewhere;
    }
    let Some((core, place)) = busiest(case, end) else { return Verdict::Elsewhere };
    if core.busy < FULL {
        return Verdict::Free(core.evidence(case, end, place));
    }
    let threads = threads(case, end, shared);
    // Threads that are full say it themselves, and others' programs are told
    // of elsewhere.
    if threads.each >= FULL || core.interrupts < FELT || !core.is_explained(&threads) {
        return Verdict::Elsewhere;
    }
    Verdict::Full(Box::new(held_back(case, end, shared, &core, place)))
}

/// Whether a CPU of an end is full.
pub(super) fn is_full(case: &CaseResult, end: End) -> bool {
    busiest(case, end).is_some_and(|(core, _)| core.busy >= FULL)
}

/// How busy the busiest CPU of an end is.
pub(super) fn most_busy(case: &CaseResult, end: End) -> Option<f64> {
    busiest(case, end).map(|(core, _)| core.busy)
}

/// A processor that is busier may be the limit.
const BUSY: f64 = 0.80;

/// Threads that stand ready without a CPU for no more of the time are not kept from what they do.
const UNHURRIED: f64 = 0.25;

/// Packets that take no more of any CPU are little work.
const LITTLE: f64 = 0.1;

/// Whether the processors of an end have room for what the load does there, where that is known: no CPU is near full; or others'
/// programs fill them, beside which the load's threads want little and hardly ever wait, and packets are little work. These
/// are dealt with before any program (softirq), whoever fills the CPU.
pub(super) fn has_room(case: &CaseResult, end: End) -> Option<bool> {
    let computes = end.worker_share(case);
    if computes.is_some_and(|computes| computes > BUSY) {
        return Some(false);
    }
    let (computes, busy) = (computes?, most_busy(case, end)?);
    Some(busy <= BUSY || is_beside_others(case, end, computes))
}

fn is_beside_others(case: &CaseResult, end: End, computes: f64) -> bool {
    let waits = end.wanted_share(case).map(|wanted| wanted - computes);
    let interrupts =
        measure::median(case, |trial| cores(trial, end).iter().map(|core| core.interrupts).reduce(f64::max));
    computes <= MOSTLY
        && waits.is_some_and(|waits| waits <= UNHURRIED)
        && interrupts.is_some_and(|interrupts| interrupts <= LITTLE)
}

/// The busiest CPU of an end, as evidence.
pub(super) fn evidence(case: &CaseResult, end: End) -> Option<Evidence> {
    busiest(case, end).map(|(core, place)| core.evidence(case, end, place))
}

/// What our threads at an end computed, as shares of a CPU.
struct Threads {
    /// The fullest.
    each: f64,
    /// What all of them did in the kernel.
    system: f64,
    /// What all of them did for themselves.
    user: f64,
}

fn threads(case: &CaseResult, end: End, shared: bool) -> Threads {
    let ends = if shared { &[End::Drives, End::Answers][..] } else { &[end] };
    let each = ends.iter().filter_map(|end| end.worker_share(case)).fold(0.0, f64::max);
    let own = |name: &str| -> f64 {
        let of = |end: &End| measure::median(case, |trial| end.rate(trial, &Resource::OWN_PROCESS, name));
        ends.iter().filter_map(of).sum()
    };
    Threads { each, system: own("system"), user: own("user") }
}

/// Where the time of one CPU went, as shares of all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Core {
    pub(super) number: u32,
    pub(super) busy: f64,
    /// Interrupts, and what is done in their wake.
    pub(super) interrupts: f64,
    /// The kernel for programs.
    system: f64,
    /// Programs.
    user: f64,
}

impl Core {
    /// Of seconds by the kernel's words; none where too little was counted.
    fn of(number: u32, seconds: &BTreeMap<&str, f64>) -> Option<Self> {
        let of = |names: &[&str]| names.iter().filter_map(|name| seconds.get(name)).sum::<f64>();
        let all = of(&["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"]);
        let share = |names: &[&str]| of(names) / all;
        (all >= COUNTED_LEAST && seconds.contains_key("idle")).then(|| Self {
            number,
            busy: 1.0 - share(&["idle", "iowait"]),
            interrupts: share(&["irq", "softirq"]),
            system: share(&["system"]),
            user: share(&["user", "nice"]),
        })
    }

    /// Whether interrupts and our threads are what it did, had they all run here.
    fn is_explained(&self, threads: &Threads) -> bool {
        let ours = threads.system.min(self.system) + threads.user.min(self.user);
        self.interrupts + ours >= EXPLAINED * self.busy
    }

    /// Of what it did: interrupts, the kernel for programs, programs.
    fn parts(&self) -> [f64; 3] {
        [self.interrupts, self.system, self.user].map(|part| part / self.busy)
    }

    fn evidence(&self, case: &CaseResult, end: End, place: Place) -> Evidence {
        let [interrupts, system, user] = if self.busy > 0.0 { self.parts() } else { [0.0; 3] };
        Evidence::at("core", place)
            .arg("cpu", self.number.to_string())
            .arg("end", end.word())
            .arg("machine", end.machine(case).unwrap_or_default())
            .arg("busy", self.busy)
            .arg("interrupts", interrupts)
            .arg("system", system)
            .arg("user", user)
    }
}

fn held_back(case: &CaseResult, end: End, shared: bool, core: &Core, place: Place) -> model::Finding {
    let sends = match measure::way(case) {
        // What comes in is what interrupts are for.
        None => false,
        Some(Direction::Read) => end.answers(),
        Some(Direction::Write) => !end.answers(),
    };
    let is_senders = if shared { is_mostly_the_senders(case, core) } else { sends };
    let code = if is_senders { "sender-cpu" } else { "receiver-cpu" };
    let [interrupts, system, user] = core.parts();
    finding(code, Severity::Note)
        .on(Resource::of(ResourceKind::Cpu, core.number))
        .arg("by", "core")
        .arg("cpu", core.number.to_string())
        .arg("end", end.word())
        .arg("machine", end.machine(case).unwrap_or_default())
        .arg("share", core.busy)
        .arg("interrupts", interrupts)
        .arg("system", system)
        .arg("user", user)
        .arg("shared", shared)
        // Of verdicts by threads.
        .arg("loopback", false)
        .arg("behind", false)
        .because(core.evidence(case, end, place))
}

/// Whether the sender's threads have more of a CPU that both ends share than interrupts, and
/// than the receiver's.
fn is_mostly_the_senders(case: &CaseResult, core: &Core) -> bool {
    let share = |end: End| end.worker_share(case).unwrap_or(0.0);
    !measure::goes_both_ways(case)
        && core.interrupts < MOSTLY * core.busy
        && share(measure::sender(case)) >= share(measure::receiver(case))
}

/// The CPU of an end that did most: of full ones that with most interrupts. Of the
/// trial in which it was as busy as in the middle one.
fn busiest(case: &CaseResult, end: End) -> Option<(Core, Place)> {
    // Under one kernel each end may see CPUs that the other is not allowed on.
    let ends: &[End] = if measure::is_one_machine(case) { &[End::Drives, End::Answers] } else { &[end] };
    measure::middle(case, |trial| {
        let cores = ends.iter().flat_map(|end| cores(trial, *end));
        let key = |core: &Core| if core.busy >= FULL { 1.0 + core.interrupts } else { core.busy };
        let core = cores.max_by(|a, b| key(a).total_cmp(&key(b)))?;
        let resource = Resource::of(ResourceKind::Cpu, core.number);
        let counted = |end: &End| measure::named(end.counters(trial), &resource, "softirq");
        let source = ends.iter().find_map(counted)?.source.clone();
        Some((core.busy, (core, Place::Counter { resource, source })))
    })
}

/// Where the time of each CPU of an end went in one trial.
pub(super) fn cores(trial: &Trial, end: End) -> Vec<Core> {
    let mut all: BTreeMap<u32, BTreeMap<&str, f64>> = BTreeMap::new();
    for counter in end.counters(trial) {
        let Some(number) = counter.resource.named(ResourceKind::Cpu).and_then(|n| n.parse().ok()) else {
            continue;
        };
        let Some(name) = counter.source.strip_prefix("/proc/stat ") else { continue };
        // The kernel lets idle times step back a little.
        all.entry(number).or_default().insert(name, counter.change().unwrap_or(0.0));
    }
    all.into_iter().filter_map(|(number, seconds)| Core::of(number, &seconds)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::fact;
    use model::metric;
    use model::trial::{Counter, Window};
    use model::{Better, FactName, Quantity, Unit, Value};

    /// Ticks of a CPU in a second: user, system, idle, softirq.
    fn counters(cpu: u32, ticks: [u64; 4]) -> Vec<Counter> {
        let names = ["user", "system", "idle", "softirq"];
        let one = |(name, ticks): (&str, u64)| {
            fixture::counter(format!("cpu:{cpu}"), &format!("/proc/stat {name}"), 0.01, ticks)
        };
        names.into_iter().zip(ticks).map(one).collect()
    }

    /// A second of a stream at 100 MB/s whose threads computed for so long, and the
    /// CPUs of both ends.
    fn case(near: (f64, &[[u64; 4]]), far: (f64, &[[u64; 4]])) -> CaseResult {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.stream");
        for (name, value) in [("direction", "send"), ("protocol", "tcp"), ("peer", "10.0.0.2:7117")] {
            fixture::set(&mut case, name, value);
        }
        fixture::set(&mut case, "streams", 1u64);
        let estimate = fixture::estimate(100e6, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        let rate = Quantity { value: 100e6, unit: Unit::BytesPerSecond };
        let metrics = |cpu: f64| {
            let per_byte = Quantity { value: cpu / 100e6, unit: Unit::SecondsPerByte };
            [(metric::THROUGHPUT, rate), (metric::CPU_PER_BYTE, per_byte)].into()
        };
        let all = |(cpu, cpus): (f64, &[[u64; 4]])| {
            let own = |name: &str, share: f64| {
                fixture::counter("self", &format!("getrusage(2) {name}"), 1e-6, (cpu * share * 1e6) as u64)
            };
            let cpus = (0..).zip(cpus).flat_map(|(i, t)| counters(i, *t));
            cpus.chain([own("user", 0.1), own("system", 0.9)]).collect::<Vec<_>>()
        };
        let result = &mut case.trials[0].result;
        result.window = Some(Window { start_ns: 0, end_ns: 1_000_000_000 });
        (result.main_mut().metrics, result.local_mut().counters) = (metrics(near.0), all(near));
        fixture::far(&mut case).metrics = metrics(far.0);
        fixture::far_machine(&mut case).counters = all(far);
        case
    }

    fn verdict(case: &CaseResult) -> model::Finding {
        let found = crate::bottleneck::check(case, &fixture::context(&Default::default()));
        let mut found = crate::said::written(found);
        found.remove(0)
    }

    const IDLE: [u64; 4] = [1, 2, 97, 0];

    #[test]
    fn a_cpu_that_packets_fill_is_named_with_its_end() {
        // The thread that reads is on another CPU, half idle.
        let busy = case((0.3, &[IDLE, [2, 28, 70, 0]]), (0.5, &[[5, 45, 50, 0], [7, 30, 2, 61]]));
        let found = verdict(&busy);
        assert_eq!(
            (found.code.as_str(), found.resource.as_ref().map(Resource::as_str)),
            ("receiver-cpu", Some("cpu:1"))
        );
        assert!(
            found
                .text
                .contains("CPU 1 of 10.0.0.2:7117 is 98 % busy, 62 % of it in softirq, 31 % in system calls"),
            "{}",
            found.text
        );
        let near = found.ruled_out.iter().find(|e| e.code == "core").unwrap();
        assert_eq!(near.args["end"], Value::from("near"));
        let mut back = busy.clone();
        fixture::set(&mut back, "direction", "receive");
        assert_eq!(verdict(&back).code, "sender-cpu");
        fixture::set(&mut back, "direction", "both");
        assert_eq!(verdict(&back).code, "receiver-cpu");
    }

    #[test]
    fn a_cpu_below_the_threshold_or_without_packets_is_not_what_holds_it_back() {
        let far = |ticks: [u64; 4]| verdict(&case((0.3, &[IDLE]), (0.5, &[IDLE, ticks]))).code;
        assert_eq!(far([0, 0, 5, 95]), "receiver-cpu");
        assert_eq!(far([0, 0, 6, 94]), "cannot-tell");
        // Half of it our thread, half interrupts.
        assert_eq!(far([0, 48, 2, 50]), "receiver-cpu");
        // A neighbour computes there, though our thread computes as much elsewhere.
        assert_eq!(far([48, 0, 2, 50]), "cannot-tell");
        assert_eq!(far([2, 94, 0, 4]), "cannot-tell", "too little is softirq");
    }

    #[test]
    fn a_window_of_few_ticks_says_nothing() {
        assert_eq!(verdict(&case((0.3, &[IDLE]), (0.5, &[[0, 0, 0, 39]]))).code, "cannot-tell");
    }

    #[test]
    fn processors_that_both_ends_share_are_looked_at_once_and_last() {
        let mut one = case((0.4, &[IDLE, [4, 36, 2, 58]]), (0.3, &[IDLE, [4, 36, 2, 58]]));
        one.trials[0].result.main_mut().facts.insert(fact::ONE_MACHINE, true.into());
        let found = verdict(&one);
        assert_eq!(found.code, "receiver-cpu");
        assert!(
            found.text.contains("CPU 1 is 98 % busy") && found.text.ends_with("share it"),
            "{}",
            found.text
        );
        assert_eq!(found.ruled_out.iter().filter(|e| e.code == "core").count(), 0);
        let mut sender = case((0.9, &[IDLE, [4, 66, 2, 28]]), (0.3, &[IDLE, [4, 66, 2, 28]]));
        sender.trials[0].result.main_mut().facts.insert(fact::ONE_MACHINE, true.into());
        let found = verdict(&sender);
        assert_eq!(found.code, "sender-cpu", "it computes more than the receiver does");
        assert!(found.text.contains("CPU 1 is 98 % busy, 29 % of it in softirq"), "{}", found.text);
        // Nobody of ours computes so much: a neighbour does.
        let mut other = case((0.2, &[IDLE, [4, 66, 2, 28]]), (0.1, &[IDLE, [4, 66, 2, 28]]));
        other.trials[0].result.main_mut().facts.insert(fact::ONE_MACHINE, true.into());
        assert_eq!(verdict(&other).code, "cannot-tell");
        // What TCP tells comes first.
        for (name, value) in
            [("busy_time", 1.0), ("receive_window_limited_time", 0.8), ("send_buffer_limited_time", 0.0)]
        {
            one.trials[0].result.main_mut().facts.insert(FactName::new(name), value.into());
        }
        assert_eq!(verdict(&one).code, "window-bound");
    }

    /// Bug: the near end is let see CPU 0 only, and the far end computes on CPU 1, which a neighbour
    /// fills.
    #[test]
    fn under_one_kernel_a_cpu_that_only_the_far_end_may_use_is_seen() {
        let one = |far: [u64; 4]| {
            let mut one = case((0.4, &[[2, 28, 60, 10]]), (0.3, &[[2, 28, 60, 10], far]));
            one.trials[0].result.main_mut().facts.insert(fact::ONE_MACHINE, true.into());
            fixture::far(&mut one).facts.insert(fact::RUN_DELAY, 0.7.into());
            verdict(&one).code
        };
        assert_eq!(one([70, 27, 1, 2]), "receiver-cpu");
        assert_eq!(one([40, 27, 31, 2]), "cannot-tell", "an idle machine takes time to wake up, too");
    }

    #[test]
    fn threads_that_are_full_say_it_with_the_cpu_that_they_fill() {
        let found = verdict(&case((0.3, &[IDLE]), (0.97, &[IDLE, [5, 80, 1, 14]])));
        assert_eq!(
            (found.code.as_str(), found.resource.as_ref().map(Resource::as_str)),
            ("receiver-cpu", Some("cpu"))
        );
        let core = found.evidence.iter().find(|e| e.code == "core").unwrap();
        assert_eq!(core.text.as_deref(), Some("CPU 1 of 10.0.0.2:7117 is 99 % busy, 14 % of it in softirq"));
    }
}
