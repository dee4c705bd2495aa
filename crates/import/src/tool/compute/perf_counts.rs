//! `perf stat` in a line for each event: by interval (`-I`), between commas (`-x,`), as JSON (`-j`). Of intervals the
//! counts are summed up.

use model::tool_result::{
    LineRange, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult, ToolWarning,
};
use model::{MetricName, Unit, metric};
use serde_json::Value;

use super::perf::{UNITS, counted, is_clock, is_digits};
use super::{add_unread, metric_of};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::number::{leading, plain};
use crate::tool::reader::{Extent, NotUnderstood};

/// What perf prints where an event was not counted.
const NOT: &str = "<not ";

/// What a line of JSON begins with, without and with an interval.
const OF_JSON: &[&str] = &["{\"counter-value\"", "{\"interval\""];

/// One line.
struct CountRow {
    /// When the interval ended, in seconds from the start.
    ended_s: Option<f64>,
    /// The count as printed.
    number: String,
    unit: String,
    event: String,
    /// Whether it is written in the digits of a language.
    is_local: bool,
}

/// Whether such lines begin with this one.
pub(super) fn begins(text: &str) -> bool {
    is_heading(text) || of_commas(text).is_some() || is_json(text) || is_row_of_interval(text)
}

/// Whether it is a row of an interval, where the heading was left out. Words alone would be any table's: what perf makes
/// of a count stands behind a mark, or it is an event that is named as no column of others is.
fn is_row_of_interval(text: &str) -> bool {
    // Every line of every text is asked.
    if !text.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    // It is printed with nine decimals.
    let is_time = |time: &str| {
        time.split_once(['.', ',']).is_some_and(|(seconds, decimals)| {
            [seconds, decimals].iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
                && decimals.len() == 9
        })
    };
    text.split_whitespace().next().is_some_and(is_time)
        && of_interval(text).is_some_and(|row| {
            let is_event = row.event.contains(['-', ':', '/']) || EVENTS.contains(&row.event.as_str());
            is_event || text.contains(" # ") || !row.unit.is_empty() || row.number.starts_with(NOT)
        })
}

/// Whether no other program prints such a line: tables between commas may have a word, a number and a share, too.
pub(super) fn is_sure(text: &str) -> bool {
    let is_own = |row: CountRow| {
        let is_event = row.event.contains(['-', ':', '_', '/']) || EVENTS.contains(&row.event.as_str());
        !row.unit.is_empty() || row.number.starts_with(NOT) || is_event
    };
    is_heading(text) || is_json(text) || of_commas(text).is_some_and(is_own)
}

/// Events of one word that perf counts where nobody asks for others.
const EVENTS: &[&str] = &["cycles", "instructions", "branches"];

/// Whether `last` belongs to the lines before it.
pub(super) fn extent(last: &ToolLine, before: &[ToolLine]) -> Extent {
    let is_of_intervals =
        before.first().is_some_and(|first| is_heading(&first.text) || is_row_of_interval(&first.text));
    let belongs = if is_of_intervals {
        of_interval(&last.text).is_some() || is_heading(&last.text)
    } else {
        begins(&last.text) && !is_heading(&last.text)
    };
    if before.is_empty() || belongs { Extent::More } else { Extent::EndsBefore }
}

/// `#           time             counts unit events`.
fn is_heading(text: &str) -> bool {
    text.trim_start().starts_with('#')
        && text.split_whitespace().eq(["#", "time", "counts", "unit", "events"])
}

fn is_json(text: &str) -> bool {
    OF_JSON.iter().any(|start| text.trim_start().starts_with(start)) && text.contains("\"event\"")
}

/// `     0.100184405               1.32 msec task-clock      #    0.013 CPUs utilized`.
fn of_interval(text: &str) -> Option<CountRow> {
    let counted = text.split('#').next()?.replace("<not counted>", "<not_counted>");
    let counted = counted.replace("<not supported>", "<not_supported>");
    let words: Vec<&str> = counted.split_whitespace().collect();
    let (time, rest) = words.split_first()?;
    let ended_s =
        leading(time, false).filter(|time| time.rest.is_empty() && time.digits.contains(['.', ',']))?;
    let (number, rest) = rest.split_first()?;
    let is_count = is_digits(number) || number.starts_with("<not_");
    let (unit, event) = match rest {
        [event] => ("", *event),
        [unit, event] if UNITS.iter().any(|(name, ..)| name == unit) => (*unit, *event),
        _ => return None,
    };
    is_count.then(|| CountRow {
        ended_s: Some(ended_s.value),
        number: number.replace('_', " "),
        unit: unit.to_owned(),
        event: event.to_owned(),
        is_local: true,
    })
}

/// `1.35,msec,task-clock,1347914,100.00,0.013,CPUs utilized`, with the time before it or without.
fn of_commas(text: &str) -> Option<CountRow> {
    // Every line of every text is asked.
    if !text.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '<') {
        return None;
    }
    let cells: Vec<&str> = text.trim().split(',').collect();
    let is_count = |at: usize| {
        let cell = cells.get(at).copied().unwrap_or_default();
        cell.starts_with(NOT) || leading(cell, false).is_some_and(|number| number.rest.is_empty())
    };
    let is_unit = |at: usize| {
        cells.get(at).is_some_and(|unit| unit.is_empty() || UNITS.iter().any(|(name, ..)| name == unit))
    };
    let at = (0..2).find(|at| is_count(*at) && is_unit(at + 1))?;
    let [number, unit, event, runtime, share] = cells.get(at..at + 5)? else { return None };
    let is_event = event.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_runtime = !runtime.is_empty() && runtime.bytes().all(|byte| byte.is_ascii_digit());
    let is_share = share.parse::<f64>().is_ok_and(|share| (0.0..=100.0).contains(&share));
    let ended_s = if at == 1 { cells.first()?.trim().parse().ok() } else { None };
    (is_event && is_runtime && is_share).then(|| CountRow {
        ended_s,
        number: (*number).to_owned(),
        unit: (*unit).to_owned(),
        event: (*event).to_owned(),
        is_local: false,
    })
}

/// `{"counter-value" : "1.539170", "unit" : "msec", "event" : "task-clock", ...}`.
fn of_json(text: &str) -> Option<CountRow> {
    let object: Value = serde_json::from_str(text.trim()).ok()?;
    let word = |name: &str| Some(object.get(name)?.as_str()?.to_owned());
    Some(CountRow {
        ended_s: object.get("interval").and_then(Value::as_f64),
        number: word("counter-value")?,
        unit: word("unit").unwrap_or_default(),
        event: word("event")?,
        is_local: false,
    })
}

impl CountRow {
    fn of(text: &str) -> Option<Self> {
        if is_json(text) { of_json(text) } else { of_commas(text).or_else(|| of_interval(text)) }
    }

    /// What was counted, by its name.
    fn figure(&self, line: u64) -> Option<(MetricName, PrintedValue)> {
        let name = if is_clock(&self.event) { metric::CPU_TIME } else { metric_of(&self.event)? };
        let scale =
            UNITS.iter().find(|(unit, ..)| *unit == self.unit).map(|(_, unit, factor)| (*unit, *factor));
        if self.is_local {
            return Some((name, counted(line, &self.number, scale)?));
        }
        let number = leading(&self.number, false).filter(|number| number.rest.is_empty())?;
        let printed = match scale {
            Some((unit, factor)) => PrintedValue {
                half_step: number.half_step * factor,
                ..plain(line, format!("{} {}", self.number, self.unit), number.value * factor, unit)
            },
            // A whole number, with zeros behind it in JSON.
            None => plain(line, self.number.as_str(), number.value, Unit::One),
        };
        Some((name, printed))
    }
}

/// Reads all lines.
///
/// # Errors
/// If nothing was counted.
pub(super) fn read(block: &ToolBlock<'_>, mut result: ToolResult) -> Result<Vec<ToolResult>, NotUnderstood> {
    let mut unread: Vec<LineRange> = Vec::new();
    let mut intervals: Vec<(f64, ToolMeasurement)> = Vec::new();
    for line in block.lines.iter().filter(|line| !line.is_blank() && !is_heading(&line.text)) {
        let Some(row) = CountRow::of(&line.text) else {
            add_unread(&mut unread, line.number);
            continue;
        };
        let Some((name, printed)) = row.figure(line.number) else {
            not_counted(&mut result, line.number, &row);
            continue;
        };
        let Some(ended_s) = row.ended_s else {
            result.whole.add(name, Some(printed));
            continue;
        };
        match intervals.last_mut() {
            Some((ended, measured)) if *ended == ended_s => measured.add(name, Some(printed)),
            _ => {
                let mut measured = ToolMeasurement::default();
                measured.add(name, Some(printed));
                intervals.push((ended_s, measured));
            }
        }
    }
    result.unread = unread;
    sum_up(&mut result, intervals);
    if result.whole.figures.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
}

/// All events that were not counted are one warning.
fn not_counted(result: &mut ToolResult, line: u64, row: &CountRow) {
    if !row.number.starts_with(NOT) {
        return;
    }
    match result.warnings.iter_mut().find(|warning| warning.text.starts_with(&row.number)) {
        Some(warning) if warning.text.contains(&row.event) => {}
        Some(warning) => {
            warning.text.push_str(", ");
            warning.text.push_str(&row.event);
        }
        None => result.warnings.push(ToolWarning { line, text: format!("{} {}", row.number, row.event) }),
    }
}

/// Intervals become parts, and the whole has their sums.
fn sum_up(result: &mut ToolResult, intervals: Vec<(f64, ToolMeasurement)>) {
    let mut start_s = 0.0;
    for (at, (ended_s, measured)) in (1u64..).zip(intervals) {
        for figure in &measured.figures {
            match result.whole.figures.iter_mut().find(|own| own.metric == figure.metric) {
                Some(own) => {
                    own.printed.value += figure.printed.value;
                    own.printed.half_step += figure.printed.half_step;
                    own.printed.text = format!("the sum of {at}");
                }
                None => result.whole.add(figure.metric, Some(figure.printed.clone())),
            }
        }
        let line = measured.figures.first().map_or(0, |figure| figure.printed.line);
        let window = |seconds: f64| plain(line, format!("{seconds} s"), seconds, Unit::Seconds);
        result.whole.window = Some(window(ended_s));
        let measured = ToolMeasurement { window: Some(window(ended_s - start_s)), ..measured };
        let kind = ToolPartKind::Interval;
        result.parts.push(ToolPart { kind, name: at.to_string(), start_s: Some(start_s), measured });
        start_s = ended_s;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ToolResult {
        let mut results = crate::tool::read("", text.as_bytes()).unwrap().results;
        assert_eq!(results.len(), 1, "{text}");
        results.remove(0)
    }

    fn value(result: &ToolResult, name: MetricName) -> Option<f64> {
        result.whole.figure(name).map(|printed| (printed.value * 1e9).round() / 1e9)
    }

    #[test]
    fn all_forms_say_the_same() {
        let faults = MetricName::new("page_faults");
        for text in [
            "1.54,msec,task-clock,1539170,100.00,0.015,CPUs utilized\n<not supported>,,cycles,0,100.00,,\n\
             74,,page-faults,1539170,100.00,48.078,K/sec\n",
            "{\"counter-value\" : \"1.540000\", \"unit\" : \"msec\", \"event\" : \"task-clock\", \"event-runtime\" : 1539170}\n\
             {\"counter-value\" : \"<not supported>\", \"unit\" : \"\", \"event\" : \"cycles\", \"event-runtime\" : 0}\n\
             {\"counter-value\" : \"74.000000\", \"unit\" : \"\", \"event\" : \"page-faults\", \"event-runtime\" : 1539170}\n",
        ] {
            let result = read(text);
            assert_eq!(value(&result, metric::CPU_TIME), Some(0.001_54), "{text}");
            assert_eq!(value(&result, faults), Some(74.0), "{text}");
            assert_eq!(result.warnings[0].text, "<not supported> cycles", "{text}");
        }
    }

    #[test]
    fn intervals_are_summed_up() {
        let result = read(
            "#           time             counts unit events\n\
             \x20    0.100184405               1.50 msec task-clock                       #    0.013 CPUs utilized\n\
             \x20    0.100184405              1,000      page-faults\n\
             \x20    0.200556821      <not counted> msec task-clock\n\
             \x20    0.200556821                500      page-faults\n",
        );
        assert_eq!(value(&result, MetricName::new("page_faults")), Some(1500.0));
        assert_eq!(value(&result, metric::CPU_TIME), Some(0.0015));
        assert_eq!(result.whole.window.as_ref().map(|window| window.value), Some(0.200_556_821));
        let starts: Vec<Option<f64>> = result.parts.iter().map(|part| part.start_s).collect();
        assert_eq!(starts, [Some(0.0), Some(0.100_184_405)]);
    }

    #[test]
    fn intervals_may_stand_without_their_heading() {
        let result = read(
            "     1.001090000              1.50 msec task-clock                #    0.015 CPUs utilized\n\
             \x20    1.001090000               212      context-switches          #  160.606 K/sec\n\
             \x20    1.001090000         1,234,567      cycles                    #    0.935 GHz\n\
             \x20    2.002190000              1.25 msec task-clock                #    0.013 CPUs utilized\n\
             \x20    2.002190000               112      context-switches\n\
             \x20    2.002190000           765,433      cycles\n",
        );
        assert_eq!(value(&result, metric::CPU_TIME), Some(0.002_75));
        assert_eq!(value(&result, MetricName::new("context_switches")), Some(324.0));
        assert_eq!(value(&result, MetricName::new("cycles")), Some(2_000_000.0));
        assert_eq!((result.parts.len(), result.unread.len()), (2, 0));
        for other in ["     1.001090000     12     orders", "1.5 2 msec task-clock", "10.000000000"] {
            assert!(!begins(other), "{other}");
        }
    }

    #[test]
    fn a_table_of_others_may_look_like_counts() {
        assert!(is_sure("74,,page-faults,1539170,100.00,48.078,K/sec"));
        assert!(is_sure("1000,,cycles,1539170,100.00,,"));
        let other = "12,,alice,100,50.00";
        assert!(begins(other) && !is_sure(other));
    }

    #[test]
    fn other_lines_with_commas_are_no_counts() {
        for text in
            ["1,2,three,4,500", "20230101120000,10.0.0.1,50001,10.0.0.2,5001,3,0.0-10.0,5,4", "a,b,c,d,e", ""]
        {
            assert!(!begins(text), "{text}");
        }
    }
}
