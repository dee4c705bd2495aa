//! schbench: how late its workers woke up, how long their requests took, and how many requests there were in a second. It
//! prints all of it again after each interval, of the whole time until then, so that only the last report counts.

use model::tool_result::{PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{bare, cut_off, time};
use crate::tool::option_words::{self, OptionName, OptionWord, Takes};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Schbench;

const NAME: &str = "schbench";

/// What a list of percentiles is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Wakeup,
    Request,
    Rate,
}

/// What the lists begin with. Early versions have one alone, without saying of what: of wake-ups.
const SECTIONS: &[(&str, Section)] = &[
    ("Wakeup Latencies percentiles (usec)", Section::Wakeup),
    ("Request Latencies percentiles (usec)", Section::Request),
    ("RPS percentiles (requests)", Section::Rate),
    (EARLY, Section::Wakeup),
];

const EARLY: &str = "Latency percentiles (usec)";

/// Before how long it has run until a list.
const RUNTIME: &str = " runtime ";

/// Before the requests in a second of the whole run, on its last line.
const AVERAGE: &str = "average rps: ";

/// How other lines begin that it prints.
const OTHERS: &[&str] = &["current rps: ", "sched delay: ", "setting worker threads to ", "auto pinning "];

/// Its options that have a value, and what those that are told are called here.
const OPTIONS: &[(&str, char, Option<&str>)] = &[
    ("message-threads", 'm', Some("message threads")),
    ("threads", 't', Some("worker threads")),
    ("runtime", 'r', Some("runtime")),
    ("rps", 'R', Some("rate")),
    ("cache_footprint", 'F', Some("cache footprint")),
    ("operations", 'n', Some("operations")),
    ("pipe", 'p', Some("pipe")),
    ("warmuptime", 'w', Some("warm-up")),
    ("sleep_usec", 's', None),
    ("auto-rps", 'A', None),
    ("intervaltime", 'i', None),
    ("zerotime", 'z', None),
    ("jobs", 'J', None),
    ("message-cpus", 'M', None),
    ("worker-cpus", 'W', None),
];

impl ToolReader for Schbench {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the last report of schbench: percentiles of wake-ups and of requests, and the requests in a second"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // Microseconds and whole requests.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["percentiles (", "setting worker threads to "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        if section(text).is_some() {
            // Others may print a list of latencies, too.
            return Some(if text.starts_with(EARLY) { Beginning::Likely } else { Beginning::Certain });
        }
        text.starts_with("setting worker threads to ").then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if before.is_empty() {
            return Extent::More;
        }
        if text.starts_with(AVERAGE) {
            return Extent::EndsHere;
        }
        // Without a time, a second list of the same kind is another run's.
        let is_next = text == EARLY && before.iter().any(|line| line.text.trim() == EARLY);
        let is_own = section(text).is_some()
            || percentile(text).is_some()
            || extremes(text).is_some()
            || OTHERS.iter().any(|other| text.starts_with(*other));
        if is_own && !is_next { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut report = Report::default();
        block.lines.iter().for_each(|line| report.take(line));
        let mut result = block.result(NAME, self.programs());
        report.fill(&mut result);
        if result.whole.figures.is_empty() && result.parts.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        options(&mut result);
        Ok(vec![result])
    }
}

/// The last list of each kind.
#[derive(Default)]
struct Report {
    now: Option<Section>,
    window: Option<PrintedValue>,
    average: Option<PrintedValue>,
    wakeups: Vec<(MetricName, PrintedValue)>,
    requests: Vec<(MetricName, PrintedValue)>,
    /// Its percentile, and how many requests there were in such a second.
    rates: Vec<(String, PrintedValue)>,
}

impl Report {
    fn take(&mut self, line: &ToolLine) {
        let text = line.text.trim();
        if let Some(section) = section(text) {
            self.begin(section);
            let runtime = text.split_once(RUNTIME).map(|(_, rest)| rest);
            // The seconds are cut off.
            let printed = runtime.and_then(|rest| bare(line.number, rest, Unit::Seconds)).map(cut_off);
            self.window = printed.or_else(|| self.window.take());
        } else if let Some(rate) = text.strip_prefix(AVERAGE) {
            self.average = bare(line.number, rate, Unit::PerSecond);
        } else if let Some((percent, value)) = percentile(text) {
            self.add(line.number, &format!("p{percent}").replace('.', "_"), percent, value);
        } else if let Some((least, greatest)) = extremes(text) {
            self.add(line.number, "min", "min", least);
            self.add(line.number, "max", "max", greatest);
        }
    }

    fn begin(&mut self, section: Section) {
        self.now = Some(section);
        match section {
            Section::Wakeup => self.wakeups.clear(),
            Section::Request => self.requests.clear(),
            Section::Rate => self.rates.clear(),
        }
    }

    fn add(&mut self, line: u64, end: &str, rank: &str, value: &str) {
        let (distribution, list) = match self.now {
            Some(Section::Wakeup) => ("wakeup", &mut self.wakeups),
            Some(Section::Request) => ("latency", &mut self.requests),
            Some(Section::Rate) => {
                let printed = bare(line, value, Unit::PerSecond);
                self.rates.extend(printed.map(|printed| (rank.to_owned(), printed)));
                return;
            }
            None => return,
        };
        let name = MetricName::intern(&format!("{distribution}_{end}"));
        list.extend(name.zip(time(line, value, "usec")));
    }

    fn fill(self, result: &mut ToolResult) {
        result.whole.window = self.window;
        result.whole.add(metric::OPERATIONS_PER_SECOND, self.average);
        for (name, printed) in self.requests.into_iter().chain(self.wakeups) {
            result.whole.add(name, Some(printed));
        }
        for (rank, printed) in self.rates {
            let mut measured = ToolMeasurement::default();
            measured.add(metric::OPERATIONS_PER_SECOND, Some(printed));
            let name = match rank.as_str() {
                "min" | "max" => format!("{rank} of all seconds"),
                percent => format!("p{percent} of all seconds"),
            };
            result.parts.push(ToolPart { kind: ToolPartKind::Other, name, start_s: None, measured });
        }
    }
}

fn section(text: &str) -> Option<Section> {
    let (title, section) = SECTIONS.iter().find(|(title, _)| text.starts_with(*title))?;
    let rest = text.get(title.len()..)?;
    (rest.is_empty() || rest.starts_with(RUNTIME)).then_some(*section)
}

/// The rank and the value of `* 99.0th: 14         (54 samples)`, and of early versions `*99.0000th: 15`.
fn percentile(text: &str) -> Option<(&str, &str)> {
    let (percent, rest) = text.trim_start_matches('*').trim_start().split_once("th: ")?;
    let is_rank = percent.parse::<f64>().is_ok_and(|percent| percent > 0.0 && percent < 100.0);
    let value = rest.split_whitespace().next()?;
    // Zeros behind the rank say nothing.
    let percent =
        if percent.contains('.') { percent.trim_end_matches('0').trim_end_matches('.') } else { percent };
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    (is_rank && is_number).then_some((percent, value))
}

/// The values of `min=1, max=45003`.
fn extremes(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("min=")?.split_once(", max=")
}

/// Fills in what the command says.
fn options(result: &mut ToolResult) {
    let find = |name: OptionName<'_>| {
        OPTIONS.iter().find(|(long, letter, _)| match name {
            OptionName::Long(own) => own == *long,
            OptionName::Letter(own) => own == *letter,
        })
    };
    let takes = |name: OptionName<'_>| if find(name).is_some() { Takes::Value } else { Takes::Nothing };
    let mut told: Vec<(String, String)> = Vec::new();
    for word in option_words::read(&result.command, takes) {
        if let OptionWord::Option(name, Some(value)) = word
            && let Some((.., Some(own))) = find(name)
        {
            told.push(((*own).to_owned(), value.to_owned()));
        }
    }
    result.options.extend(told);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    fn value(result: &ToolResult, name: MetricName) -> Option<f64> {
        result.whole.figure(name).map(|printed| (printed.value * 1e9).round() / 1e9)
    }

    fn report(runtime: u32, p99: u32, rates: &str, end: &str) -> String {
        format!(
            "Wakeup Latencies percentiles (usec) runtime {runtime} (s) (1000 total samples)\n\
             \t  50.0th: 7          (500 samples)\n\t* 99.0th: {p99}         (90 samples)\n\t  min=1, max=4003\n\
             Request Latencies percentiles (usec) runtime {runtime} (s) (900 total samples)\n\
             \t  50.0th: 6632       (450 samples)\n\t* 99.0th: 12560      (90 samples)\n\
             \t  99.9th: 17568      (9 samples)\n\t  min=5811, max=30039\n\
             RPS percentiles (requests) runtime {runtime} (s) (11 total samples)\n\
             \t* 50.0th: {rates}      (6 samples)\n\t  min=80, max=100\n{end}\n"
        )
    }

    #[test]
    fn the_last_report_of_a_run_counts() {
        let run = report(10, 20, "90", "current rps: 91.50") + &report(20, 14, "91", "average rps: 90.25");
        let results = read(&format!("$ schbench -m 2 -t 16 -r 20\n{run}{run}"));
        assert_eq!(results.len(), 2, "the average ends a run");
        let result = &results[0];
        assert_eq!(value(result, metric::OPERATIONS_PER_SECOND), Some(90.25));
        assert_eq!(value(result, metric::LATENCY_P99_9), Some(0.017_568));
        assert_eq!(value(result, metric::LATENCY_MAX), Some(0.030_039));
        assert_eq!(value(result, metric::WAKEUP_P50), Some(0.000_007));
        assert_eq!(value(result, metric::WAKEUP_P99), Some(0.000_014));
        assert_eq!(result.whole.window.as_ref().map(|window| window.value), Some(20.0));
        let names: Vec<&str> = result.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["p50 of all seconds", "min of all seconds", "max of all seconds"]);
        let options = &result.options;
        assert_eq!((options["message threads"].as_str(), options["worker threads"].as_str()), ("2", "16"));
    }

    #[test]
    fn early_versions_have_wake_ups_alone() {
        let run = "Latency percentiles (usec)\n\t50.0000th: 6\n\t*99.0000th: 15\n\t99.5000th: 20\n\tmin=0, max=64\n";
        let results = read(&format!("{run}{run}"));
        assert_eq!(results.len(), 2);
        assert_eq!(value(&results[1], metric::WAKEUP_P99), Some(0.000_015));
        assert_eq!(value(&results[1], MetricName::new("wakeup_p99_5")), Some(0.000_02));
        assert!(results[1].whole.window.is_none());
    }
}
