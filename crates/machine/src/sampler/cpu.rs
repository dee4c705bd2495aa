//! Where the CPUs spent their time, and what they were called to: `/proc/stat`,
//! all of it from one reading.

use model::{Resource, ResourceKind, Unit};

use crate::sampler::file::{Numbers, OpenFile, fill, lines, number, split_word};
use crate::sampler::{ABSENT, Pace, SamplerColumn, SamplerKind, reader};

/// proc_stat(5), in clock ticks (1/100 s on Linux). Time of guests is in
/// `user` already.
const TIMES: &[&str] = &["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"];

/// Seconds in a clock tick as the kernel shows it: USER_HZ is 100 on all
/// architectures that Linux has left (`include/asm-generic/param.h`).
pub(crate) const TICK_S: f64 = 0.01;

/// Lines that hold one count each; of `intr`, the first number is the sum.
const COUNTS: &[&str] = &["ctxt", "intr", "processes"];
/// Lines that hold a state.
const STATES: &[&str] = &["procs_running", "procs_blocked"];
/// The line `softirq`: the sum, then each kind in the order of
/// `include/linux/interrupt.h`.
const SOFTIRQS: &[&str] = &[
    "softirqs",
    "softirqs_hi",
    "softirqs_timer",
    "softirqs_net_tx",
    "softirqs_net_rx",
    "softirqs_block",
    "softirqs_irq_poll",
    "softirqs_tasklet",
    "softirqs_sched",
    "softirqs_hrtimer",
    "softirqs_rcu",
];

/// Where the parts begin in the row of values.
const COUNTS_AT: usize = TIMES.len();
const STATES_AT: usize = COUNTS_AT + COUNTS.len();
const SOFTIRQS_AT: usize = STATES_AT + STATES.len();
const EACH_AT: usize = SOFTIRQS_AT + SOFTIRQS.len();

/// More CPUs than any kernel can be built for (`NR_CPUS` is 8192 at most).
const CPUS_MAX: u64 = 1 << 16;

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "cpu",
    doc: "where the CPUs spent their time, all together and each; interrupts, context switches, forks",
    open: |host, _| {
        let Some(mut file) = OpenFile::open(host, "/proc/stat") else { return Vec::new() };
        let cpus: Vec<u64> = file.read().map(cpus).unwrap_or_default();
        let mut columns = Vec::with_capacity(EACH_AT + cpus.len() * TIMES.len());
        let times = |resource: String| {
            TIMES
                .iter()
                .map(move |name| SamplerColumn::counter(resource.clone(), name, Unit::Seconds, TICK_S))
        };
        columns.extend(times("cpu".to_owned()));
        columns.extend(COUNTS.iter().map(|name| SamplerColumn::counter("cpu", name, Unit::One, 1.0)));
        columns.extend(STATES.iter().map(|name| SamplerColumn::gauge("cpu", name, Unit::One, 1.0)));
        columns.extend(SOFTIRQS.iter().map(|name| SamplerColumn::counter("cpu", name, Unit::One, 1.0)));
        columns.extend(cpus.iter().flat_map(|cpu| times(Resource::of(ResourceKind::Cpu, cpu).to_string())));
        // By a CPU's number: where its times begin in the row.
        let mut places = vec![None; cpus.iter().max().map_or(0, |most| *most as usize + 1)];
        for (index, cpu) in cpus.iter().enumerate() {
            places[*cpu as usize] = Some(EACH_AT + index * TIMES.len());
        }
        reader("/proc/stat", Pace::Fast, columns, move |values| {
            file.read().into_iter().flat_map(lines).for_each(|line| take(line, &places, values));
        })
    },
};

/// The CPUs that have a line.
fn cpus(bytes: &[u8]) -> Vec<u64> {
    let mut cpus: Vec<u64> = lines(bytes)
        .filter_map(|line| Some(number(split_word(line).0.strip_prefix(b"cpu")?)))
        .filter(|cpu| *cpu < CPUS_MAX)
        .collect();
    cpus.sort_unstable();
    cpus.dedup();
    cpus
}

/// Puts what a line says into the row of values.
fn take(line: &[u8], places: &[Option<usize>], values: &mut [u64]) {
    let (word, rest) = split_word(line);
    match word {
        b"cpu" => fill(&mut values[..COUNTS_AT], rest),
        b"softirq" => fill(&mut values[SOFTIRQS_AT..EACH_AT], rest),
        _ => {
            let cpu = word.strip_prefix(b"cpu").map(number);
            let place = cpu.and_then(|cpu| *places.get(usize::try_from(cpu).ok()?)?);
            if let Some(place) = place {
                fill(&mut values[place..place + TIMES.len()], rest);
            } else if cpu.is_none() {
                let names = COUNTS.iter().chain(STATES);
                if let Some(index) = names.into_iter().position(|name| name.as_bytes() == word) {
                    values[COUNTS_AT + index] = Numbers(rest).next().unwrap_or(ABSENT);
                }
            }
        }
    }
}
