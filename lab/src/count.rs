//! The kernel's counters, looked at while headroom measures: five times a second, and
//! read off at the edges of its windows, which are told in the same clock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::scenario::{Count, Cpu};
use crate::site::{Site, number};
use crate::tool::{cpu_s, now_ns, read};

/// How often.
const EVERY: Duration = Duration::from_millis(200);

/// What was counted, at which times.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    counts: Vec<Count>,
    /// Nanoseconds, and a value for each count.
    at: Vec<(u64, Vec<Option<f64>>)>,
}

/// A window of a trial, from and to these nanoseconds.
pub(crate) type WindowNs = (u64, u64);

impl Samples {
    /// A second in which CPUs were busy and stolen for so long.
    #[cfg(test)]
    pub(crate) fn of_busy_and_stolen(busy_s: f64, stolen_s: f64) -> Self {
        let at = vec![(0, vec![Some(0.0); 2]), (1_000_000_000, vec![Some(busy_s), Some(stolen_s)])];
        Self { counts: vec![Count::Busy, Count::Stolen], at }
    }

    /// How much a second a count grew by within these windows; none where it could not
    /// be read.
    pub(crate) fn rate(&self, count: Count, windows: &[WindowNs]) -> Option<f64> {
        let column = self.counts.iter().position(|one| *one == count)?;
        let (mut grown, mut seconds) = (0.0, 0.0);
        for (from, to) in windows {
            grown += self.value(column, *to)? - self.value(column, *from)?;
            seconds += to.saturating_sub(*from) as f64 / 1e9;
        }
        (seconds > 0.0).then_some(grown / seconds)
    }

    /// The value at a time, on the line between the samples around it.
    fn value(&self, column: usize, time: u64) -> Option<f64> {
        let of = |index: usize| {
            let (at, values) = self.at.get(index)?;
            Some((*at, values.get(column).copied().flatten()?))
        };
        let after = self.at.partition_point(|(at, _)| *at < time);
        let (later, high) = of(after)?;
        let (sooner, low) = of(after.checked_sub(1)?)?;
        let part = (time - sooner) as f64 / (later - sooner).max(1) as f64;
        Some(low + (high - low) * part)
    }
}

/// Does some work and counts meanwhile.
pub(crate) fn watch<T>(site: &Site, counts: &[Count], work: impl FnOnce() -> T) -> (T, Samples) {
    /// Ends the counting, also when the work panics.
    struct End<'a>(&'a AtomicBool);
    impl Drop for End<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| sample(site, counts, &over));
        let end = End(&over);
        let result = work();
        drop(end);
        (result, watcher.join().unwrap_or_default())
    })
}

fn sample(site: &Site, counts: &[Count], over: &AtomicBool) -> Samples {
    let mut samples = Samples { counts: counts.to_vec(), at: Vec::new() };
    loop {
        // What is read before the end is told reaches beyond the last window.
        let is_last = over.load(Ordering::Relaxed);
        let values = counts.iter().map(|count| value_of(site, *count)).collect();
        samples.at.push((now_ns(), values));
        if is_last {
            return samples;
        }
        std::thread::sleep(EVERY);
    }
}

/// What a count stands at.
fn value_of(site: &Site, count: Count) -> Option<f64> {
    let busy = |cpu: Cpu| CpuTimes::read()?.busy_s(&format!("cpu{}", number(cpu).ok()?));
    let device = site.device();
    match count {
        Count::Throttled(end) => site.throttled(end),
        Count::Serviced(access, per) => site.serviced(access, per),
        Count::Busy => CpuTimes::read()?.busy_s("cpu"),
        Count::Stolen => CpuTimes::read()?.stolen_s(),
        Count::BusyShare => {
            let times = CpuTimes::read()?;
            Some(times.busy_s("cpu")? / times.count() as f64)
        }
        Count::BusyOf(cpu) => busy(cpu),
        Count::Neighbours => site.neighbours().iter().map(|id| Some(cpu_s(id)?.1)).sum(),
        Count::DeviceRequests => device.map(|counts| counts.requests),
        Count::DeviceBytes => device.map(|counts| counts.bytes),
        Count::DeviceWait => device.map(|counts| counts.waited_s),
        Count::Flushes => device.map(|counts| counts.flushes),
        Count::IoStall => stalled_s(&read("/proc/pressure/io").ok()?),
        Count::SwappedIn => swapped_in(&read("/proc/vmstat").ok()?),
        Count::Rested => site.rested_s(),
        Count::SocketDrops(end) => site.socket_drops(end),
        Count::Sent(end) => site.sent(end),
        Count::Carried => Some(site.wire()?.carried_bytes.load(Ordering::Relaxed) as f64),
        Count::Lost => Some(site.wire()?.lost.load(Ordering::Relaxed) as f64),
        Count::Switches => CpuTimes::read()?.number("ctxt"),
        Count::Forks => CpuTimes::read()?.number("processes"),
    }
}

/// Bytes that came back from swap, of /proc/vmstat, which counts pages.
fn swapped_in(text: &str) -> Option<f64> {
    let pages: f64 = text.lines().find_map(|line| line.strip_prefix("pswpin ")?.trim().parse().ok())?;
    Some(pages * rustix::param::page_size() as f64)
}

/// Seconds in which some task stood still, of a file of /proc/pressure (Documentation/accounting/psi.rst).
fn stalled_s(text: &str) -> Option<f64> {
    let some = text.lines().find_map(|line| line.strip_prefix("some "))?;
    let total = some.split_whitespace().find_map(|word| word.strip_prefix("total="))?;
    Some(total.parse::<f64>().ok()? / 1e6)
}

/// /proc/stat.
#[derive(Debug)]
pub(crate) struct CpuTimes {
    text: String,
}

/// Where the time of a CPU stands, by the kernel's order (proc_stat(5)).
const USER: [usize; 2] = [0, 1];
const IDLE: [usize; 2] = [3, 4];
const STEAL: [usize; 1] = [7];
/// What follows is counted in `user` and `nice` already.
const PARTS: usize = 8;

impl CpuTimes {
    pub(crate) fn read() -> Option<Self> {
        Some(Self { text: read("/proc/stat").ok()? })
    }

    /// The words after a name at the beginning of a line.
    fn line(&self, name: &str) -> Option<&str> {
        self.text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.line(name)?.trim().parse().ok()
    }

    /// Seconds of each kind.
    fn parts(&self, cpu: &str) -> Option<Vec<f64>> {
        let each = rustix::param::clock_ticks_per_second() as f64;
        let numbers = self.line(cpu)?.split_whitespace().take(PARTS);
        let parts: Vec<f64> = numbers.filter_map(|word| Some(word.parse::<f64>().ok()? / each)).collect();
        (parts.len() == PARTS).then_some(parts)
    }

    fn sum(&self, cpu: &str, which: &[usize]) -> Option<f64> {
        let parts = self.parts(cpu)?;
        Some(which.iter().filter_map(|index| parts.get(*index)).sum())
    }

    fn busy_s(&self, cpu: &str) -> Option<f64> {
        Some(self.parts(cpu)?.iter().sum::<f64>() - self.sum(cpu, &IDLE)?)
    }

    /// How many CPUs there are.
    fn count(&self) -> usize {
        let is_one = |line: &&str| line.starts_with("cpu") && !line.starts_with("cpu ");
        self.text.lines().filter(is_one).count().max(1)
    }

    /// Seconds in programs, of all CPUs.
    pub(crate) fn user_s(&self) -> Option<f64> {
        self.sum("cpu", &USER)
    }

    /// Seconds that the hypervisor took, of all CPUs.
    pub(crate) fn stolen_s(&self) -> Option<f64> {
        self.sum("cpu", &STEAL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::End;

    const SECOND: u64 = 1_000_000_000;

    fn samples(values: &[(u64, Option<f64>)]) -> Samples {
        let at = values.iter().map(|(time, value)| (*time, vec![*value])).collect();
        Samples { counts: vec![Count::Busy], at }
    }

    #[test]
    fn a_rate_is_that_within_the_windows() {
        let all = [(0, Some(0.0)), (SECOND, Some(10.0)), (2 * SECOND, Some(10.0)), (3 * SECOND, Some(40.0))];
        let samples = samples(&all);
        assert_eq!(samples.rate(Count::Busy, &[(0, 0)]), None);
        let half = SECOND / 2;
        assert_eq!(samples.rate(Count::Busy, &[(half, SECOND), (SECOND, SECOND + half)]), Some(5.0));
        assert_eq!(samples.rate(Count::Busy, &[(2 * SECOND, 2 * SECOND + half)]), Some(30.0));
        assert_eq!(samples.rate(Count::Busy, &[(2 * SECOND, 4 * SECOND)]), None, "nobody looked any more");
        assert_eq!(samples.rate(Count::Sent(End::Near), &[(0, SECOND)]), None);
    }

    #[test]
    fn what_was_not_read_is_no_rate() {
        let samples = samples(&[(0, None), (SECOND, Some(1.0))]);
        assert_eq!(samples.rate(Count::Busy, &[(SECOND / 2, SECOND)]), None);
    }

    #[test]
    fn pressure_is_read() {
        let text = "some avg10=0.00 avg60=0.00 avg300=0.00 total=2500000\nfull avg10=0.00 total=7\n";
        assert_eq!(stalled_s(text), Some(2.5));
        assert_eq!(stalled_s("full total=7"), None);
    }

    #[test]
    fn swapping_is_read() {
        let page = rustix::param::page_size() as f64;
        assert_eq!(swapped_in("pgpgin 7\npswpin 3\npswpout 9\n"), Some(3.0 * page));
        assert_eq!(swapped_in("pgpgin 7\n"), None);
    }

    #[test]
    fn times_of_cpus_are_read() {
        let text = "cpu  200 0 100 900 100 0 0 50 7 0\ncpu0 100 0 50 450 50 0 0 25 0 0\n\
                    cpu1 100 0 50 450 50 0 0 25 0 0\nintr 5\nctxt 77\nprocesses 9\n";
        let times = CpuTimes { text: text.to_owned() };
        let each = rustix::param::clock_ticks_per_second() as f64;
        assert_eq!(times.count(), 2);
        assert_eq!(times.busy_s("cpu").map(|s| (s * each).round()), Some(350.0));
        assert_eq!(times.busy_s("cpu1").map(|s| (s * each).round()), Some(175.0));
        assert_eq!(times.user_s().map(|s| (s * each).round()), Some(200.0));
        assert_eq!(times.stolen_s().map(|s| (s * each).round()), Some(50.0));
        assert_eq!((times.number("ctxt"), times.number("processes")), (Some(77.0), Some(9.0)));
    }
}
