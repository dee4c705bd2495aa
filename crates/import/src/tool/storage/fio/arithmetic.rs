//! Figures of fio's normal text that others of it determine: means between their extremes, shares of one whole, times that
//! add up, a rate in both of its units.

use model::Unit;
use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, PrintedValue};

use super::figures;
use super::run::FioJob;
use crate::tool::arithmetic::{Computed, above, below, beyond_whole, outside, share, unequal};
use crate::tool::block::ToolLine;
use crate::tool::number::{bare, quantity, time};

/// Engines that do all they do in the thread whose CPU time is printed: those of others have threads of their own.
const OWN_THREAD: &[&str] =
    &["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "splice", "libaio", "null", "sg"];

/// The engine whose helpers are threads of the kernel: these use no user time.
const KERNEL_THREADS: &str = "io_uring";

/// What the CPU time of a job may be above all of its time: two clocks.
const CLOCKS: f64 = 0.03;

/// A mean until submission and one until completion are of the same operations, but for those under way.
const UNDER_WAY: f64 = 0.03;

/// Histograms round up, to 1/64.
const BUCKET: f64 = 0.035;

/// What a list of shares may be above all: those below what is printed are shown as that.
const SHARES: f64 = 0.005;

/// The extremes, the mean and the deviation of a line: `min=38, max=3124, avg=67.93, stdev=51.87`.
#[derive(Clone, Default)]
struct Spread {
    least: Option<PrintedValue>,
    most: Option<PrintedValue>,
    mean: Option<PrintedValue>,
    deviation: Option<PrintedValue>,
}

impl Spread {
    fn of(line: u64, text: &str, read: impl Fn(u64, &str) -> Option<PrintedValue>) -> Self {
        let value = |name: &str| {
            let at = text.find(name)?;
            let rest = text.get(at + name.len()..)?;
            read(line, rest.split(',').next()?.trim())
        };
        Self { least: value("min="), most: value("max="), mean: value("avg="), deviation: value("stdev=") }
    }

    fn disagreements(&self) -> Vec<FigureDisagreement> {
        let mut all = Vec::new();
        let (least, most) = (self.least.as_ref(), self.most.as_ref());
        all.extend(self.mean.as_ref().and_then(|mean| outside(mean, least, most)));
        all.extend(least.zip(most).and_then(|(least, most)| outside(least, None, Some(most))));
        // No value is further from the mean than the two extremes are from one another.
        if let (Some(deviation), Some(least), Some(most)) = (&self.deviation, least, most) {
            let range = Computed::of(most).minus(&Computed::of(least));
            all.extend(above(deviation, Some(range), SHARES));
        }
        all
    }
}

/// Shares of one whole, as far as their list was read: `lat (usec): 2=0.01%, 4=99.21%`.
#[derive(Default)]
struct Shares(Vec<PrintedValue>);

impl Shares {
    fn take(&mut self, line: u64, list: &str) {
        let each = list.split(',').filter_map(|part| part.rsplit_once('=')).map(|(_, value)| value.trim());
        let read = |value: &str| {
            let printed = share(line, value.strip_suffix('%')?)?;
            // The least that is printed stands for all that is less.
            Some(PrintedValue { half_step: printed.half_step * 2.0, ..printed })
        };
        self.0.extend(each.filter_map(read));
    }

    fn disagreement(&mut self) -> Option<FigureDisagreement> {
        beyond_whole(&std::mem::take(&mut self.0), SHARES)
    }
}

/// The text of one execution as far as it was read.
#[derive(Default)]
struct Reading {
    until_submission: Spread,
    until_completion: Spread,
    /// Of which times the percentiles are, and their unit, with the last of them.
    percentiles: Option<(Spread, String, Option<PrintedValue>)>,
    latencies: Shares,
    found: Vec<FigureDisagreement>,
    is_in_json: bool,
}

/// What one execution contradicts itself in. `jobs` are those of its text, in its order.
pub(super) fn disagreements(lines: &[ToolLine], jobs: &[FioJob]) -> Vec<FigureDisagreement> {
    let mut reading = Reading::default();
    for line in lines {
        let job = jobs.iter().rev().find(|job| job.line > 0 && job.line <= line.number);
        reading.take(line, job);
    }
    reading.found.extend(reading.latencies.disagreement());
    reading.found
}

impl Reading {
    fn take(&mut self, line: &ToolLine, job: Option<&FioJob>) {
        let (number, text) = (line.number, line.text.trim_start());
        if self.is_in_json || text == "{" {
            self.is_in_json = line.text != "}";
            return;
        }
        if line.text.contains(": (groupid=") || figures::class(text).is_some() {
            self.found.extend(self.latencies.disagreement());
            (self.until_submission, self.until_completion, self.percentiles) =
                (Spread::default(), Spread::default(), None);
        } else if let Some((unit, _)) = text.strip_prefix("slat (").and_then(|rest| rest.split_once(')')) {
            self.until_submission = self.spread(number, text, unit);
        } else if let Some((unit, _)) = text.strip_prefix("clat (").and_then(|rest| rest.split_once(')')) {
            self.until_completion = self.spread(number, text, unit);
        } else if let Some((unit, rest)) = text.strip_prefix("lat (").and_then(|rest| rest.split_once(')')) {
            if rest.contains("min=") {
                self.whole_latency(number, text, unit);
            } else {
                self.latencies.take(number, rest.trim_start().trim_start_matches(':'));
            }
        } else if let Some((name, rest)) = text.split_once(" percentiles (") {
            let of = match name {
                "clat" => self.until_completion.clone(),
                _ => Spread::default(),
            };
            let (unit, rest) = rest.split_once(')').unwrap_or((rest, ""));
            self.percentiles = Some((of, unit.to_owned(), None));
            self.list(number, rest);
        } else if text.contains("th=") {
            self.list(number, text.trim_start_matches('|'));
        } else {
            self.others(number, text, job);
        }
    }

    fn spread(&mut self, line: u64, text: &str, unit: &str) -> Spread {
        let spread = Spread::of(line, text, |line, value| time(line, value, unit));
        self.found.extend(spread.disagreements());
        spread
    }

    /// The whole latency is the time until submission and the one from there until completion.
    fn whole_latency(&mut self, line: u64, text: &str, unit: &str) {
        let whole = self.spread(line, text, unit);
        let (submission, completion) = (&self.until_submission.mean, &self.until_completion.mean);
        if let (Some(mean), Some(submission), Some(completion)) = (&whole.mean, submission, completion) {
            let both = Computed::of(submission).plus(&Computed::of(completion));
            self.found.extend(unequal(mean, Some(both), UNDER_WAY));
        }
        let longest = self.until_completion.most.as_ref().map(Computed::of);
        self.found.extend(whole.most.as_ref().and_then(|most| below(most, longest, UNDER_WAY)));
    }

    /// Percentiles that do not rise, or lie outside of the extremes.
    fn list(&mut self, line: u64, list: &str) {
        let Some((of, unit, last)) = &mut self.percentiles else { return };
        for part in list.split(',') {
            let Some((percent, value)) = part.split_once("th=") else { continue };
            if percent.trim().parse::<f64>().is_err() {
                continue;
            }
            let Some(value) = time(line, value.trim_matches(['[', ']', ' ']), unit) else { continue };
            let least = last.as_ref().or(of.least.as_ref()).map(Computed::of);
            // The longest of a bucket is told for it.
            let most = of.most.as_ref().map(Computed::of);
            self.found.extend(below(&value, least, BUCKET).or_else(|| above(&value, most, BUCKET)));
            *last = Some(value);
        }
    }

    fn others(&mut self, line: u64, text: &str, job: Option<&FioJob>) {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        // Of several jobs together some versions print the mean of all beside the extremes of each.
        let is_of_one = job.is_some_and(|job| job.jobs == Some(1));
        match name.trim_end() {
            name if is_of_one && (["iops", "bw"].contains(&name) || name.starts_with("bw (")) => {
                let spread = Spread::of(line, rest, |line, value| bare(line, value, Unit::One));
                // Of 1.x and early 2.x each may have a multiple of its own.
                let is_plain = !rest.contains(['K', 'M', 'G', 'k']);
                self.found.extend(if is_plain { spread.disagreements() } else { Vec::new() });
            }
            "cpu" => self.processor(line, rest, job),
            // Its depths may be more than all of them: with requests that were short, 111.7 % was seen of 3.33.
            "submit" | "complete" => {
                let mut shares = Shares::default();
                shares.take(line, rest);
                self.found.extend(shares.disagreement());
            }
            "READ" | "WRITE" | "TRIM" | "MIXED" => self.status(line, rest),
            _ => {}
        }
    }

    /// `cpu          : usr=1.05%, sys=4.53%, ctx=28883, majf=0, minf=12`.
    fn processor(&mut self, line: u64, rest: &str, job: Option<&FioJob>) {
        let engine = job.and_then(|job| job.options.get("ioengine")).map_or("", String::as_str);
        let of = |name: &str| {
            let part = rest.split(',').find_map(|part| part.trim().strip_prefix(name))?;
            share(line, part.strip_suffix('%')?)
        };
        let shares: Vec<PrintedValue> = match engine {
            KERNEL_THREADS => of("usr=").into_iter().collect(),
            engine if OWN_THREAD.contains(&engine) => {
                [of("usr="), of("sys=")].into_iter().flatten().collect()
            }
            _ => return,
        };
        self.found.extend(beyond_whole(&shares, CLOCKS));
    }

    /// `bw=56.4MiB/s (59.1MB/s), 56.4MiB/s-56.4MiB/s (59.1MB/s-59.1MB/s), io=113MiB (118MB), run=2001-2001msec`.
    fn status(&mut self, line: u64, rest: &str) {
        let read = |text: &str| figures::either(line, text);
        for part in rest.split(", ") {
            let (own, other) = part.split_once(" (").unwrap_or((part, ""));
            let own = own.trim();
            let other = other.trim_end_matches(')');
            if let Some(value) = own.strip_prefix("bw=").or_else(|| own.strip_prefix("io=")) {
                let (Some(value), Some(other)) = (read(value), read(other)) else { continue };
                self.found.extend(unequal(&value, Some(Computed::of(&other)), SHARES));
            } else if let Some((least, most)) = own.split_once('-') {
                let least = least.strip_prefix("run=").unwrap_or(least);
                let unit = most.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
                // Of `2001-2001msec` the first has no unit.
                let least =
                    read(least).or_else(|| quantity(line, &format!("{least}{unit}"), Counting::Decimal));
                let most = read(most);
                self.found
                    .extend(least.zip(most).and_then(|(least, most)| outside(&least, None, Some(&most))));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    const CAPTURE: &str = include_str!("../../../../tests/tool/fixtures/fio/fio-3.33-randread.out");

    fn wrong(text: &str) -> Vec<String> {
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let all = output.results.iter().flat_map(|result| &result.disagreements);
        all.map(|wrong| format!("{} / {}", wrong.printed.text, wrong.arithmetic)).collect()
    }

    /// The capture with another value of a name, in the first line that begins so.
    fn with(line: &str, from: &str, to: &str) -> String {
        let own = CAPTURE.lines().find(|own| own.trim_start().starts_with(line)).unwrap();
        let at = own.find(from).unwrap() + from.len();
        let end = own[at..].find([',', '%', ']']).map_or(own.len(), |end| at + end);
        CAPTURE.replacen(own, &format!("{}{to}{}", &own[..at], &own[end..]), 1)
    }

    #[test]
    fn what_fio_prints_agrees() {
        assert_eq!(wrong(CAPTURE), Vec::<String>::new());
    }

    #[test]
    fn shares_of_more_than_all_are_told() {
        assert_eq!(wrong(&with("lat (usec)   :", "50=", "90.11")).len(), 1);
        assert_eq!(wrong(&with("cpu", "usr=", "99.05")).len(), 1);
        assert_eq!(wrong(&with("submit", "4=", "130.0")).len(), 1);
    }

    #[test]
    fn means_and_percentiles_lie_between_their_extremes() {
        assert_eq!(wrong(&with("clat (usec)", "avg=", "9999999.1")).len(), 1);
        assert_eq!(wrong(&with("iops ", "avg=", "999999.1")).len(), 1);
        assert_eq!(wrong(&with("| 30.00th", "40.00th=[", "    1")).len(), 1);
    }

    #[test]
    fn the_rate_of_a_group_is_the_same_in_both_units() {
        assert_eq!(wrong(&with("READ: bw=", "io=", "713MiB (118MB)")).len(), 1);
    }
}
