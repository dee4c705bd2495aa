//! The report of pgbench, line by line: by the names before its figures, in any order.

use std::collections::BTreeMap;

use model::tool_result::{
    Counting, LineRange, PrintedValue, ToolFigure, ToolMeasurement, ToolPart, ToolPartKind,
};
use model::{MetricName, Unit, metric};

use crate::tool::block::ToolLine;
use crate::tool::database::{behind, number};
use crate::tool::latency::percentile;
use crate::tool::number::{exact, leading, quantity, time, whole};

/// Reads all of it.
pub(super) fn read(lines: &[ToolLine]) -> PgbenchReport {
    let mut report = PgbenchReport::default();
    for line in lines.iter().filter(|line| !line.is_blank()) {
        if !report.take(line) {
            report.unread(line.number);
        }
    }
    report
}

pub(super) const MEAN: MetricName = MetricName::new("latency_mean");
pub(super) const DEVIATION: MetricName = MetricName::new("latency_stddev");
const WITH_CONNECTING: MetricName = MetricName::new("transactions_per_second_with_connecting");

/// Names of options in its report, with the options; of some only the beginning, for a count may follow.
const OPTIONS: &[(&str, &str)] = &[
    ("transaction type", "builtin"),
    ("scaling factor", "scale"),
    ("partition method", "partition-method"),
    ("partitions", "partitions"),
    ("query mode", "protocol"),
    ("number of clients", "client"),
    ("number of threads", "jobs"),
    ("maximum number of tries", "max-tries"),
    ("number of transactions per client", "transactions"),
    ("duration", "time"),
];

/// Counts, with the metric of the share in the parentheses behind them.
const SHARES: &[(&str, &str)] = &[
    ("number of failed transactions", "error_share"),
    ("number of serialization failures", "serialization_failure_share"),
    ("number of deadlock failures", "deadlock_failure_share"),
    ("number of transactions skipped", "skipped_share"),
    ("number of transactions above the ", "above_limit_share"),
    ("number of transactions retried", "retried_share"),
    ("number of retries", "retries"),
    ("total number of retries", "retries"),
];

/// `pgbench (15.18 (Debian 15.18-0+deb12u1))`, `pgbench (PostgreSQL) 12.1`.
pub(super) fn version(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("pgbench (")?;
    let rest = rest.strip_prefix("PostgreSQL) ").unwrap_or(rest);
    let version = rest.split([' ', ')', ',']).next()?;
    version.starts_with(|c: char| c.is_ascii_digit()).then_some(version)
}

/// The report as far as it was read.
#[derive(Default)]
pub(super) struct PgbenchReport {
    pub(super) version: Option<String>,
    pub(super) options: BTreeMap<String, String>,
    pub(super) whole: ToolMeasurement,
    pub(super) parts: Vec<ToolPart>,
    /// The script whose figures follow, by its place in `parts`.
    script: Option<usize>,
    /// Whether statements with their times follow.
    has_statements: bool,
    pub(super) unread: Vec<LineRange>,
}

impl PgbenchReport {
    /// Takes a line; says whether it was understood.
    pub(super) fn take(&mut self, line: &ToolLine) -> bool {
        let (at, text) = (line.number, without_comment(line.text.trim()));
        if let Some(version) = version(text) {
            self.version = Some(version.to_owned());
            return true;
        }
        if let Some(rest) = text.strip_prefix("progress: ") {
            return self.progress(at, rest).is_some();
        }
        if let Some(rest) = text.strip_prefix("SQL script ") {
            return self.begin_script(rest).is_some();
        }
        if heads_statements(text) {
            self.has_statements = true;
            return true;
        }
        if self.script.is_some() && text.starts_with("- ") {
            return self.of_script(at, text.trim_start_matches("- ").trim());
        }
        // Versions 9.6 and 10 have a heading above that of the statements.
        let is_said = ["end.", "script statistics:"].contains(&text);
        if text.starts_with("starting vacuum") || text.starts_with("vacuuming") || is_said {
            return true;
        }
        self.rate(at, text) || self.named(at, text) || self.statement(line)
    }

    fn unread(&mut self, line: u64) {
        match self.unread.last_mut() {
            Some(range) if range.last + 1 == line => range.last = line,
            _ => self.unread.push(LineRange { first: line, last: line }),
        }
    }

    /// `tps = 427.959843 (without initial connection time)`. Before version 14 there are two: with and
    /// without the time that connecting took.
    fn rate(&mut self, line: u64, text: &str) -> bool {
        let Some(rest) = text.strip_prefix("tps = ") else { return false };
        let printed = number(line, rest, Unit::PerSecond);
        let is_with = rest.contains("(including connections establishing)");
        let metric = if is_with { WITH_CONNECTING } else { metric::TRANSACTIONS_PER_SECOND };
        let is_read = printed.is_some();
        self.whole.add(metric, printed);
        // What matters most comes first.
        if !is_with {
            self.whole.figures.rotate_right(usize::from(is_read));
        }
        is_read
    }

    /// Lines with a name, and behind a colon or an equals sign its value.
    fn named(&mut self, line: u64, text: &str) -> bool {
        let Some((name, value)) = text.split_once(": ").or_else(|| text.split_once(" = ")) else {
            return false;
        };
        if let Some(value) = text.strip_prefix("rate limit schedule lag: ") {
            return self.lag(line, value);
        }
        if let Some((_, option)) = OPTIONS.iter().find(|(known, _)| *known == name) {
            self.options.insert((*option).to_owned(), option_value(option, value));
            if *option == "time" {
                let window = quantity(line, value, Counting::Decimal);
                self.whole.window = window.or_else(|| self.whole.window.take());
            }
            return true;
        }
        if name == "number of transactions actually processed" {
            self.whole.operations = whole(value).map(|(count, _)| exact(line, count, Unit::One));
            return self.whole.operations.is_some();
        }
        if let Some(printed) = share(line, name, value) {
            self.whole.figures.push(printed);
            return true;
        }
        times(line, name, value, &mut self.whole)
    }

    /// `avg 0.372 (max 12.612) ms`.
    fn lag(&mut self, line: u64, value: &str) -> bool {
        let Some((_, unit)) = value.rsplit_once(' ') else { return false };
        for (name, metric) in [("avg", "schedule_lag_mean"), ("max", "schedule_lag_max")] {
            let text = behind(value, name).and_then(|rest| leading(rest, false)).map(|number| number.digits);
            self.whole.figures.extend(text.and_then(|text| {
                let printed = time(line, text, unit)?;
                Some(ToolFigure { metric: MetricName::intern(metric)?, printed })
            }));
        }
        true
    }

    /// `1.0 s, 672.9 tps, lat 2.941 ms stddev 2.598, 0 failed, lag 0.348 ms, 2 skipped`.
    fn progress(&mut self, line: u64, rest: &str) -> Option<()> {
        let at_s = leading(rest, false)?;
        let (time_text, figures) = rest.split_once(", ")?;
        // With --progress-timestamp it is the time of day.
        let is_since_start = at_s.value < 1e9;
        let mut measured = ToolMeasurement::default();
        for figure in figures.split(", ") {
            if figure.ends_with(" tps") {
                measured.add(metric::TRANSACTIONS_PER_SECOND, number(line, figure, Unit::PerSecond));
            } else if let Some(times) = figure.strip_prefix("lat ") {
                let (mean, rest) = times.split_once(" ms")?;
                measured.add(MEAN, time(line, mean, "ms"));
                let deviation = behind(rest, "stddev").and_then(|text| time(line, text, "ms"));
                measured.add(DEVIATION, deviation);
            } else if let Some(lag) = figure.strip_prefix("lag ") {
                let lag = lag.strip_suffix(" ms").and_then(|lag| time(line, lag, "ms"));
                measured.add(metric::SCHEDULE_LAG_MEAN, lag);
            } else if let Some((count, name)) = whole(figure) {
                let metric = match name.trim() {
                    "failed" => MetricName::new("failures"),
                    "skipped" => MetricName::new("skipped"),
                    "retried" => MetricName::new("retried"),
                    "retries" => MetricName::new("retries"),
                    _ => continue,
                };
                measured.add(metric, Some(exact(line, count, Unit::One)));
            }
        }
        let before = self.parts.iter().rev().find(|part| part.kind == ToolPartKind::Interval);
        let before_s = before.and_then(|part| leading(&part.name, false)).map_or(0.0, |end| end.value);
        let start_s = is_since_start.then_some(before_s);
        let name = time_text.to_owned();
        self.parts.push(ToolPart { kind: ToolPartKind::Interval, name, start_s, measured });
        Some(())
    }

    /// `1: <builtin: select only>`.
    fn begin_script(&mut self, rest: &str) -> Option<()> {
        let (_, name) = rest.split_once(": ")?;
        self.script = Some(self.parts.len());
        self.has_statements = false;
        let measured = ToolMeasurement::default();
        self.parts.push(ToolPart { kind: ToolPartKind::Job, name: name.to_owned(), start_s: None, measured });
        Some(())
    }

    /// `3212 transactions (75.2% of total, tps = 1611.377166)`, and what else is told of a script.
    fn of_script(&mut self, line: u64, text: &str) -> bool {
        let Some(script) = self.script else { return false };
        let Some(part) = self.parts.get_mut(script) else { return false };
        let measured = &mut part.measured;
        if let Some((count, rest)) = whole(text).filter(|(_, rest)| rest.starts_with(" transactions")) {
            measured.operations = Some(exact(line, count, Unit::One));
            let rate = behind(rest, "tps =").and_then(|rest| number(line, rest, Unit::PerSecond));
            measured.add(metric::TRANSACTIONS_PER_SECOND, rate);
            return true;
        }
        if text.starts_with("weight: ") {
            return true;
        }
        let Some((name, value)) = text.split_once(": ").or_else(|| text.split_once(" = ")) else {
            return false;
        };
        if let Some(printed) = share(line, name, value) {
            measured.figures.push(printed);
            return true;
        }
        times(line, name, value, measured)
    }

    /// `0.224           0  BEGIN;`: its mean time, since version 15 with counts of failures and retries
    /// before the statement.
    fn statement(&mut self, line: &ToolLine) -> bool {
        if !self.has_statements {
            return false;
        }
        let mut rest = line.text.trim_start();
        let Some((mean, after)) = rest.split_once(' ') else { return false };
        let Some(mean) = time(line.number, mean, "ms") else { return false };
        rest = after.trim_start();
        while let Some((count, after)) = rest.split_once(' ')
            && count.chars().all(|c| c.is_ascii_digit())
        {
            rest = after.trim_start();
        }
        let script = self.script.and_then(|script| self.parts.get(script)).map(|part| part.name.as_str());
        let name = script.map_or(rest.to_owned(), |script| format!("{script}: {rest}"));
        let mut measured = ToolMeasurement::default();
        measured.add(MEAN, Some(mean));
        self.parts.push(ToolPart { kind: ToolPartKind::Phase, name, start_s: None, measured });
        true
    }
}

/// Whether statements with their times stand below this line.
pub(super) fn heads_statements(text: &str) -> bool {
    text.trim_start_matches("- ").starts_with("statement latencies in milliseconds")
}

/// A line without what somebody explains behind it: `scaling factor: 1     # the size`.
fn without_comment(text: &str) -> &str {
    text.split_once("  #").map_or(text, |(own, _)| own.trim_end())
}

/// The value of an option as a command line has it.
fn option_value(option: &str, value: &str) -> String {
    let builtin = value.strip_prefix("<builtin: ").and_then(|rest| rest.strip_suffix('>'));
    match (option, builtin.unwrap_or(value)) {
        ("builtin", "TPC-B (sort of)") => "tpcb-like".to_owned(),
        ("builtin", "simple update" | "Update only pgbench_accounts") => "simple-update".to_owned(),
        ("builtin", "select only" | "SELECT only") => "select-only".to_owned(),
        ("time", time) => time.trim_end_matches('s').trim_end().to_owned(),
        (_, value) => value.to_owned(),
    }
}

/// A count of transactions as a share of all, `2 (0.885%)`, or a plain count.
fn share(line: u64, name: &str, value: &str) -> Option<ToolFigure> {
    let (_, metric) = SHARES.iter().find(|(known, _)| name.starts_with(*known))?;
    let metric = MetricName::intern(metric)?;
    let printed = match value.split_once('(').and_then(|(_, rest)| rest.split_once('%')) {
        Some((percent, _)) => {
            let printed = number(line, percent, Unit::One)?;
            let text = format!("{} %", printed.text);
            PrintedValue {
                text,
                value: printed.value / 100.0,
                half_step: printed.half_step / 100.0,
                ..printed
            }
        }
        None => exact(line, whole(value)?.0, Unit::One),
    };
    Some(ToolFigure { metric, printed })
}

/// `latency average = 9.347 ms`; before 9.6 with a colon. Without -P, -r, -L or a rate it is the clients'
/// time divided by the transactions.
fn times(line: u64, name: &str, value: &str, measured: &mut ToolMeasurement) -> bool {
    let metric = match name {
        "latency average" => MEAN,
        "latency stddev" => DEVIATION,
        "initial connection time" => MetricName::new("connecting_time"),
        "average connection time" => MetricName::new("connect_mean"),
        // Of versions that somebody patched.
        other => match other.strip_prefix("latency percentile ").and_then(percentile) {
            Some(metric) => metric,
            None => return false,
        },
    };
    let value = value.split(" (").next().unwrap_or(value);
    let printed = quantity(line, value, Counting::Decimal).filter(|printed| printed.unit == Unit::Seconds);
    let is_read = printed.is_some();
    measured.add(metric, printed);
    is_read
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<ToolLine> {
        (1..).zip(text.lines()).map(|(number, text)| ToolLine { number, text: text.to_owned() }).collect()
    }

    fn figures(measured: &ToolMeasurement) -> String {
        let one = |figure: &ToolFigure| format!("{}={}", figure.metric, figure.printed.value);
        measured.figures.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn percentiles_of_a_patched_version_are_read() {
        let report = read(&lines(
            "latency average = 24.5 ms\nlatency percentile 50 = 23.5 ms\nlatency percentile 99.9 = 250 ms\n",
        ));
        assert_eq!(figures(&report.whole), "latency_mean=0.0245 latency_p50=0.0235 latency_p99_9=0.25");
        assert!(report.unread.is_empty());
    }

    #[test]
    fn reports_of_early_versions_have_two_rates() {
        let report = read(&lines(
            "transaction type: TPC-B (sort of)\nduration: 10 s\nnumber of transactions actually processed: 50\n\
             latency average: 500 ms\ntps = 4.5 (including connections establishing)\n\
             tps = 5.5 (excluding connections establishing)\n",
        ));
        assert_eq!(
            figures(&report.whole),
            "transactions_per_second=5.5 latency_mean=0.5 transactions_per_second_with_connecting=4.5"
        );
        assert_eq!(report.options["builtin"], "tpcb-like");
        assert!(report.unread.is_empty());
    }

    #[test]
    fn comments_behind_its_lines_are_left_out() {
        let report = read(&lines(
            "transaction type: TPC-B (sort of)     #  the kind\nlatency average = 500 ms    # how long\n\
             tps = 5.5 (excluding connections establishing)   #  how many\n",
        ));
        assert_eq!(figures(&report.whole), "transactions_per_second=5.5 latency_mean=0.5");
        assert_eq!((report.options["builtin"].as_str(), report.unread.len()), ("tpcb-like", 0));
    }

    #[test]
    fn headings_above_statements_are_its_own() {
        let report = read(&lines(
            "transaction type: <builtin: TPC-B (sort of)>\nduration: 10 s\nnumber of transactions actually processed: 55\n\
             tps = 5.5 (excluding connections establishing)\nscript statistics:\n - statement latencies in milliseconds:\n\
             \x20        0.003  \\set aid random(1, 100000 * :scale)\n",
        ));
        assert!(report.unread.is_empty());
    }

    #[test]
    fn progress_of_every_version_has_what_it_tells() {
        let report = read(&lines(
            "progress: 1.0 s, 4.5 tps, lat 500 ms stddev 250, 3 failed, lag 125 ms, 2 skipped\n\
             progress: 2.0 s, 5.5 tps, lat 500 ms stddev 250\nsome words\n",
        ));
        let parts: Vec<String> = report
            .parts
            .iter()
            .map(|part| format!("{:?} {}", part.start_s, figures(&part.measured)))
            .collect();
        let first = "Some(0.0) transactions_per_second=4.5 latency_mean=0.5 latency_stddev=0.25 failures=3 \
                     schedule_lag_mean=0.125 skipped=2";
        assert_eq!(parts[0], first);
        assert_eq!(parts[1], "Some(1.0) transactions_per_second=5.5 latency_mean=0.5 latency_stddev=0.25");
        assert_eq!(report.unread, [LineRange { first: 3, last: 3 }]);
    }
}
