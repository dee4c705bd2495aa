//! What iostat says of each device, and of the processors beside it.

use model::tool_result::{ToolMeasurement, ToolPart, ToolPartKind, ToolResult};

use super::table::{Table, Tables};
use crate::tool::option_words::{self, OptionName, OptionWord, Takes};
use crate::tool::reader::NotUnderstood;
use crate::tool::system::clock::between;
use crate::tool::system::sample::{SINCE_BOOT, Sample, SampleCell, Series, SeriesByItem};

/// One report: of all things in one span of time.
#[derive(Debug, Default)]
pub(in crate::tool::system) struct Report {
    /// When it ended, as a time of day.
    pub(in crate::tool::system) ended: Option<f64>,
    /// What it says of each device; of the processors, whose name is empty.
    pub(in crate::tool::system) rows: Vec<(String, Vec<SampleCell>)>,
    /// Whether it stands alone, without the line about the machine that is above the first one.
    pub(in crate::tool::system) is_cut_out: bool,
}

impl Report {
    /// Adds what a table says of a device; with `-h`, several do.
    pub(in crate::tool::system) fn add(&mut self, item: &str, cells: Vec<SampleCell>) {
        match self.rows.iter_mut().find(|(name, _)| name == item) {
            Some((_, known)) => known.extend(cells),
            None => self.rows.push((item.to_owned(), cells)),
        }
    }
}

/// The reports that these tables are.
///
/// # Errors
/// If another program made them.
pub(super) fn reports(tables: &Tables) -> Result<Vec<Report>, NotUnderstood> {
    if !tables.is_of_iostat() {
        return Err(NotUnderstood::OtherText);
    }
    let mut reports: Vec<Report> = Vec::new();
    let mut seen: Vec<&[String]> = Vec::new();
    for Table { head, rows } in &tables.list {
        // What comes a second time is of the next span.
        if reports.is_empty() || seen.contains(&head.words.as_slice()) {
            reports.push(Report { ended: head.ended, ..Report::default() });
            seen.clear();
        }
        seen.push(&head.words);
        let Some(report) = reports.last_mut() else { continue };
        for row in rows {
            report.add(&row.item, row.cells.clone());
        }
    }
    Ok(reports)
}

/// A result for each device, and one for the processors.
///
/// # Errors
/// If there is no figure.
pub(in crate::tool::system) fn results(
    reports: &[Report],
    base: &ToolResult,
) -> Result<Vec<ToolResult>, NotUnderstood> {
    let asked = Asked::of(&base.command);
    let mut all = SeriesByItem::default();
    let mut start_s = Some(0.0);
    let mut before: Option<f64> = None;
    for (at, report) in reports.iter().enumerate() {
        let told = before.zip(report.ended).map(|(from, to)| between(from, to));
        before = report.ended;
        // Of many reports somebody may have copied any; nor is it known of how many, where the command is missing.
        let may_be_many = asked.interval_s.is_some() && !asked.is_for_one || base.command.is_empty();
        let is_any = report.is_cut_out && may_be_many;
        let is_since_boot = at == 0 && !asked.is_without_first && !is_any;
        let length_s = told.or(asked.interval_s).filter(|_| !is_since_boot);
        for (item, cells) in &report.rows {
            let series = all.entry(item);
            if is_since_boot {
                series.since_boot = Some(Sample { cells: cells.clone(), ..Sample::default() });
            } else {
                series.samples.push(Sample {
                    start_s: start_s.filter(|_| length_s.is_some()),
                    length_s,
                    cells: cells.clone(),
                });
            }
        }
        if !is_since_boot {
            start_s = start_s.zip(length_s).map(|(start, length)| start + length);
        }
    }
    let result = |series: &Series| {
        let mut result = base.clone();
        let (name, value) = match series.item.as_str() {
            "" => ("report", "processors"),
            device => ("device", device),
        };
        result.options.insert(name.to_owned(), value.to_owned());
        series.fill(&mut result);
        // With -z, what did nothing is left out: its only rates are none of the time that was looked at.
        if reports.len() > 1 && series.is_since_boot() {
            let since_boot = std::mem::take(&mut result.whole);
            result.parts.push(since_boot_part(since_boot));
        }
        result
    };
    let results: Vec<ToolResult> = all.all().iter().map(result).collect();
    if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
}

/// What is of all the time since the machine started, beside other reports.
fn since_boot_part(measured: ToolMeasurement) -> ToolPart {
    ToolPart { kind: ToolPartKind::Phase, name: SINCE_BOOT.to_owned(), start_s: None, measured }
}

/// What the command asks for.
struct Asked {
    /// Seconds of each report.
    interval_s: Option<f64>,
    /// Whether it asks for one report only.
    is_for_one: bool,
    /// Whether there is no report of the time since the machine started.
    is_without_first: bool,
}

impl Asked {
    fn of(command: &[String]) -> Self {
        let words = option_words::read(command, |_| Takes::Nothing);
        let y = OptionWord::Option(OptionName::Letter('y'), None);
        let mut numbers = option_words::numbers(&words);
        let interval_s = numbers.next().filter(|seconds| *seconds > 0.0 && *seconds < 1e6);
        Self { interval_s, is_for_one: numbers.next() == Some(1.0), is_without_first: words.contains(&y) }
    }
}

#[cfg(test)]
mod tests {
    use model::metric;

    use super::*;

    const REPORT: &str = "Device r/s rkB/s r_await\nsda 10.00 40.00 1.00\nsdb 0.00 0.00 0.00\n\n";

    fn read(command: &str) -> Vec<ToolResult> {
        let second = REPORT.replace("10.00 40.00 1.00", "30.00 80.00 5.00");
        let text = format!("{command}{REPORT}{second}{second}");
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    #[test]
    fn each_device_is_a_result_without_the_time_before() {
        let results = read("$ iostat -x -d 2 3\n");
        let devices: Vec<&str> = results.iter().map(|result| result.options["device"].as_str()).collect();
        assert_eq!(devices, ["sda", "sdb"]);
        let sda = &results[0].whole;
        assert_eq!(sda.figure(metric::READ_IOPS).unwrap().value, 30.0);
        assert_eq!(sda.window.as_ref().unwrap().value, 4.0);
        let starts: Vec<Option<f64>> = results[0].parts.iter().map(|part| part.start_s).collect();
        assert_eq!(starts, [None, Some(0.0), Some(2.0)]);
    }

    #[test]
    fn a_report_that_was_cut_out_may_be_any() {
        let is_since_boot = |text: &str| {
            let text = format!("{text}{REPORT}");
            crate::tool::read("", text.as_bytes()).unwrap().results[0].is_since_boot()
        };
        assert!(!is_since_boot("$ iostat -xd 1\n") && !is_since_boot(""));
        assert!(is_since_boot("$ iostat -xd 1 1\n") && is_since_boot("$ iostat -xd\n"));
        let headed = "$ iostat -xd 1\nLinux 6.1.0 (vm) \t11/28/26 \t_x86_64_\t(2 CPU)\n\n";
        assert!(is_since_boot(headed), "it is the first one");
    }

    #[test]
    fn without_the_first_report_all_are_spans() {
        let results = read("$ iostat -xdy 2 3\n");
        let mean = results[0].whole.figure(metric::READ_IOPS).unwrap().value;
        assert!((mean - 70.0 / 3.0).abs() < 1e-9);
        assert_eq!(results[0].parts.len(), 3);
    }

    #[test]
    fn a_device_that_did_nothing_since_has_no_rates_of_now() {
        let second = "Device r/s rkB/s r_await\nsda 30.00 80.00 5.00\n\n";
        let text = format!("$ iostat -xdz 2 2\n{REPORT}{second}");
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        let rates: Vec<Option<f64>> = results
            .iter()
            .map(|result| result.whole.figure(metric::READ_IOPS).map(|printed| printed.value))
            .collect();
        assert_eq!(rates, [Some(30.0), None]);
        assert_eq!(results[1].parts[0].name, SINCE_BOOT);
        assert!(results[1].is_since_boot());
    }
}
