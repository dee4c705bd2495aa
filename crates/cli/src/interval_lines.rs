//! `--lines 1s`: what the main load does in each interval, a line each while it runs, as vmstat and iperf print it. The
//! lines go to standard output, whatever that is, before the summary; with `--json`, which leaves nothing but the
//! document there, to standard error. They are for looking on: estimates are made of whole trials.

use std::io::Write;

use clap::{Arg, ArgMatches};
use model::event::IntervalFigures;
use model::parameter::Kind;
use model::{Plan, Unit, Value, scalar};
use report::format::{self, Rates};
use report::text::printable;

use crate::output;

/// The name of the option.
const LINES: &str = "lines";

/// The shortest interval, in seconds: a line wakes programs beside the load.
const LEAST_S: f64 = 0.1;

/// After so many lines the columns are named again.
const LINES_TO_HEAD: usize = 20;

/// What the columns are called.
const HEAD: &str = "from s,to s,throughput,operations,p50,p99,max,errors";

/// How wide they are: together a line of a usual terminal.
const WIDTHS: [usize; 8] = [7, 7, 12, 12, 9, 9, 9, 7];

/// What stands in the last column of an interval before the window, if nothing failed in it.
const WARM_UP: &str = "warm-up";

pub(crate) fn argument() -> Arg {
    Arg::new(LINES).long(LINES).value_name("DURATION").value_parser(seconds).help(
        "Print a line for each interval of this length while a trial runs: throughput, operations, latency, errors; \
         at most 1,200 lines in a window that time ends",
    )
}

fn seconds(text: &str) -> Result<f64, String> {
    match scalar::parse(Kind::Duration, text) {
        Ok(Value::Number(seconds)) if seconds >= LEAST_S => Ok(seconds),
        _ => Err("this is no duration of at least 100ms (500ms, 1s and 1m are)".to_owned()),
    }
}

/// How long the intervals are, in seconds; none if nobody asks for lines.
pub(crate) fn length_s(matches: &ArgMatches) -> Option<f64> {
    matches.get_one::<f64>(LINES).copied()
}

/// Writes lines of the trial under way.
#[derive(Debug)]
pub(crate) struct IntervalLines {
    /// Whether the document goes to standard output.
    beside_document: bool,
    /// How rates of each case of the plan are written.
    rates: Vec<Rates>,
    /// The trials that have begun.
    trials: usize,
    /// The rates of the present one.
    present: Rates,
    /// Whether it has moved any bytes: a load that moves none has no throughput.
    moves_bytes: bool,
    /// Lines since the columns were last named.
    since_head: usize,
}

impl IntervalLines {
    /// Those that are asked for, of a run of `plan`.
    pub(crate) fn asked(matches: &ArgMatches, plan: &Plan) -> Option<Self> {
        length_s(matches).map(|_| Self::new(plan, matches.contains_id("json")))
    }

    fn new(plan: &Plan, beside_document: bool) -> Self {
        let profiles =
            plan.cases.iter().map(|case| case.loads.first().and_then(|load| load.profile.as_ref()));
        Self {
            beside_document,
            rates: profiles.map(|p| p.map_or(Rates::Bytes, |profile| Rates::of(profile.rate_unit))).collect(),
            trials: 0,
            present: Rates::Bytes,
            moves_bytes: false,
            since_head: 0,
        }
    }

    /// The line that begins a trial.
    pub(crate) fn begin(&mut self, case: usize, label: &str) -> String {
        self.trials += 1;
        // One that was added on the way is of the same kind as those of the plan.
        self.present = self.rates.get(case).or(self.rates.first()).copied().unwrap_or_default();
        self.moves_bytes = false;
        self.since_head = 0;
        format!("trial {}: {}\n", self.trials, printable(label))
    }

    /// The line of one interval, after the names of the columns where it is time for these.
    pub(crate) fn line(&mut self, figures: &IntervalFigures) -> String {
        let head = self.since_head.is_multiple_of(LINES_TO_HEAD);
        self.since_head += 1;
        let mut text = if head { row(HEAD.split(',')) + "\n" } else { String::new() };
        text.push_str(&row(self.cells(figures).iter().map(String::as_str)));
        text.push('\n');
        text
    }

    fn cells(&mut self, figures: &IntervalFigures) -> [String; 8] {
        let seconds = figures.end_s - figures.start_s;
        let rate = |count: u64| if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
        let decimals = if seconds < 0.95 { 2 } else { 1 };
        let at = |seconds: f64| format!("{seconds:.decimals$}");
        let time = |s: Option<f64>| s.map_or_else(|| "-".to_owned(), |s| format::quantity(s, Unit::Seconds));
        self.moves_bytes |= figures.bytes > 0;
        let throughput = self.present.quantity(rate(figures.bytes), Unit::BytesPerSecond);
        [
            at(figures.start_s),
            at(figures.end_s),
            if self.moves_bytes { throughput } else { "-".to_owned() },
            format::quantity(rate(figures.operations), Unit::PerSecond),
            time(figures.latency_p50_s),
            time(figures.latency_p99_s),
            time(figures.latency_max_s),
            if figures.start_s < 0.0 && figures.errors == 0 {
                WARM_UP.to_owned()
            } else {
                figures.errors.to_string()
            },
        ]
    }

    /// Writes `text` at once, where lines go.
    pub(crate) fn write(&self, text: &str) {
        // A reader that went away must not end the run.
        if self.beside_document {
            let _ = std::io::stderr().write_all(text.as_bytes());
        } else {
            let _ = output::print(text.as_bytes());
        }
    }
}

/// Cells under one another, each at the right of its column.
fn row<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let padded = cells.zip(WIDTHS).map(|(cell, width)| format!("{cell:>width$}"));
    padded.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(start_s: f64, operations: u64) -> IntervalFigures {
        IntervalFigures {
            start_s,
            end_s: start_s + 1.0,
            operations,
            bytes: operations * 4096,
            errors: 0,
            latency_p50_s: Some(85e-6),
            latency_p99_s: None,
            latency_max_s: Some(0.0123),
            latency_steps: Vec::new(),
        }
    }

    fn lines(rates: Rates) -> IntervalLines {
        IntervalLines {
            beside_document: false,
            rates: vec![rates],
            trials: 0,
            present: Rates::Bytes,
            moves_bytes: false,
            since_head: 0,
        }
    }

    #[test]
    fn columns_are_aligned_and_named_again() {
        let mut lines = lines(Rates::Bytes);
        assert_eq!(lines.begin(0, "disk queue-depth=4"), "trial 1: disk queue-depth=4\n");
        let text: String = (-1..24).map(|second| lines.line(&figures(f64::from(second), 12_000))).collect();
        let all: Vec<&str> = text.lines().collect();
        assert_eq!(all.len(), 25 + 2);
        assert_eq!(all[0], all[21]);
        assert!(all[0].trim_start().starts_with("from s"), "{}", all[0]);
        assert!(all[1].ends_with(WARM_UP) && all[2].ends_with(" 0"), "{text}");
        assert!(all.iter().all(|line| line.chars().count() == report::WIDTH - 1), "{text}");
        assert!(all[2].contains("49.15 MB/s") && all[2].contains(" - "), "{}", all[2]);
    }

    #[test]
    fn a_stall_is_zero_and_what_moves_no_bytes_has_no_throughput() {
        let mut lines = lines(Rates::Bits);
        lines.begin(0, "null");
        let none = IntervalFigures { bytes: 0, ..figures(0.0, 5) };
        let failed = IntervalFigures { errors: 7, bytes: 0, ..figures(-1.0, 5) };
        assert!(lines.line(&failed).ends_with(" 7\n"), "errors of the warm-up are told");
        let cell = |text: &str| text.lines().last().unwrap().split_whitespace().nth(2).unwrap().to_owned();
        assert_eq!(cell(&lines.line(&none)), "-");
        lines.line(&figures(1.0, 1_000_000));
        assert_eq!(cell(&lines.line(&none)).parse::<f64>(), Ok(0.0));
        assert!(lines.line(&figures(3.0, 1_000_000)).contains("32.77 Gbit/s"));
    }

    #[test]
    fn an_interval_is_a_duration_of_at_least_a_tenth_of_a_second() {
        assert_eq!(seconds("1s"), Ok(1.0));
        assert_eq!(seconds("100ms"), Ok(0.1));
        assert!(seconds("50ms").is_err() && seconds("one").is_err() && seconds("-1s").is_err());
    }
}
