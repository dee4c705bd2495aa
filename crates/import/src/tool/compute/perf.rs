//! `perf stat`: what the kernel and the processor counted for one command, or for the mean of several
//! runs (`-r`). Behind `+-` perf prints the standard error of the mean; the deviation of a run is that times
//! the square root of the number of runs. Counts by core (`-A`) are not read; those in lines of their own stand beside.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{LineRange, PrintedValue, ToolResult, ToolWarning};
use model::{MetricName, Unit, metric};

use super::{add_unread, metric_of, perf_counts, perf_ratios};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, leading, plain, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct PerfStat;

const NAME: &str = "perf";

/// What every output begins with.
const HEAD: &str = "Performance counter stats for ";

/// What perf says where the watchdog of the kernel has a counter for itself.
const NOT_ALL: &str = "Some events weren't counted";

impl ToolReader for PerfStat {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the counts of `perf stat`, of one run or of the mean of several (`-r`), in the digits of any language; by interval (`-I`), \
         between commas (`-x,`) and as JSON (`-j`)"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["perf"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[HEAD, "counts", "\"event\"", "<"]]).or_number()
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        if is_head(line) || perf_counts::is_sure(&line.text) {
            return Some(Beginning::Certain);
        }
        perf_counts::begins(&line.text).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        if lines.first().is_some_and(|first| perf_counts::begins(&first.text)) {
            return perf_counts::extent(last, before);
        }
        let is_own = last.is_blank()
            || last.is_indented()
            || last.text.starts_with(NOT_ALL)
            || begins_with_count(&last.text);
        let is_next = !before.is_empty() && is_head(last);
        if before.is_empty() || is_own && !is_next { Extent::More } else { Extent::EndsBefore }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        perf_ratios::disagreements(lines)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        if block.lines.first().is_some_and(|first| perf_counts::begins(&first.text)) {
            return perf_counts::read(block, block.result(NAME, self.programs()));
        }
        let mut reading = Reading::default();
        block.lines.iter().filter(|line| !line.is_blank()).for_each(|line| reading.take(line));
        let mut result = block.without_blank_end().result(NAME, self.programs());
        if reading.counted.as_deref().is_some_and(|counted| is_of_another(counted, &result.command)) {
            result.command.clear();
        }
        reading.result(result)
    }
}

/// Whether what was counted is another command than the last one above. What the shell put in is not known.
fn is_of_another(counted: &str, command: &[String]) -> bool {
    let no_commands = ["system wide", "process id", "thread id", "CPU(s)"];
    let called = command.join(" ");
    let is_command = !no_commands.iter().any(|start| counted.starts_with(start));
    is_command && !called.is_empty() && !called.contains(['$', '`', '*', '~']) && !called.contains(counted)
}

/// Whether it is a count, where white space at the beginning of lines is lost.
fn begins_with_count(text: &str) -> bool {
    text.starts_with("<not ") || text.split_whitespace().next().is_some_and(is_digits)
}

fn is_head(line: &ToolLine) -> bool {
    line.text.trim_start().starts_with(HEAD) && line.text.ends_with(':')
}

/// The text as far as it was read.
#[derive(Default)]
struct Reading {
    /// The command, or what else was counted.
    counted: Option<String>,
    runs: Option<PrintedValue>,
    elapsed: Option<PrintedValue>,
    /// The standard error of the mean.
    error: Option<PrintedValue>,
    figures: Vec<(MetricName, PrintedValue)>,
    unread: Vec<LineRange>,
    warnings: Vec<ToolWarning>,
}

impl Reading {
    fn take(&mut self, line: &ToolLine) {
        let text = line.text.trim();
        if let Some(rest) = text.strip_prefix(HEAD) {
            self.head(line.number, rest.trim_end_matches(':'));
        } else if text.starts_with("<not ") {
            self.not_counted(line.number, text);
        } else if text.starts_with(NOT_ALL) {
            self.warn(line.number, text);
        } else if let Some((before, _)) = text.split_once(" seconds time elapsed") {
            self.time(line.number, before, text);
        } else if let Some(found) = processor_time(line.number, text) {
            self.figures.push(found);
        } else if !self.event(line.number, text) && !is_of_table(text) {
            add_unread(&mut self.unread, line.number);
        }
    }

    /// `'sleep 1' (3 runs)`, `'system wide'`, `process id '17'`.
    fn head(&mut self, line: u64, text: &str) {
        let (counted, runs) = match text.rsplit_once(" (") {
            Some((counted, rest)) if rest.ends_with("runs)") => (counted, whole(rest)),
            _ => (text, None),
        };
        self.counted = Some(counted.trim_matches('\'').to_owned());
        self.runs = runs.map(|(runs, _)| exact(line, runs, Unit::One));
    }

    /// All events that were not counted for the same reason are one warning.
    fn not_counted(&mut self, line: u64, text: &str) {
        let Some((why, rest)) = text.split_once('>') else { return };
        let event = rest.split_whitespace().find(|word| *word != "msec").unwrap_or_default();
        let before = self.warnings.iter_mut().find(|warning| warning.text.starts_with(why));
        match before {
            Some(warning) => {
                warning.text.push_str(", ");
                warning.text.push_str(event);
            }
            None => self.warn(line, &format!("{why}> {event}")),
        }
    }

    fn warn(&mut self, line: u64, text: &str) {
        self.warnings.push(ToolWarning { line, text: text.to_owned() });
    }

    /// `0.022744 +- 0.000387 seconds time elapsed  ( +-  1.70% )`; of early versions without the first error.
    fn time(&mut self, line: u64, before: &str, text: &str) {
        let (mean, error) = match before.split_once("+-") {
            Some((mean, error)) => (mean, decimal(line, error, Unit::Seconds, 1.0)),
            None => (before, None),
        };
        self.elapsed = decimal(line, mean, Unit::Seconds, 1.0);
        let of_share = || {
            let elapsed = self.elapsed.as_ref()?;
            let share = decimal(line, text.split_once("( +-")?.1.split('%').next()?, Unit::One, 0.01)?;
            let text = format!("{} x {}%", elapsed.text, share.text);
            let (value, half_step) = (elapsed.value * share.value, elapsed.value * share.half_step);
            Some(PrintedValue { half_step, ..plain(line, text, value, Unit::Seconds) })
        };
        self.error = error.or_else(of_share);
    }

    /// `1,234,567      cycles                    #    2.345 GHz      ( +-  0.10% )  (49.87%)`.
    fn event(&mut self, line: u64, text: &str) -> bool {
        let (figures, derived) = text.split_once('#').unwrap_or((text, ""));
        let words: Vec<&str> = figures.split_whitespace().collect();
        let digits = words.iter().take_while(|word| is_digits(word)).count();
        let (Some(number), Some(mut rest)) = (words.get(..digits), words.get(digits..)) else { return false };
        let mut scale = None;
        if let [unit, _, ..] = rest
            && let Some((_, unit, factor)) = UNITS.iter().find(|(name, ..)| name == unit)
        {
            (scale, rest) = (Some((*unit, *factor)), rest.get(1..).unwrap_or_default());
        } else if rest.get(1) == Some(&"(msec)") || rest.first() == Some(&"task-clock") {
            // Early versions have the unit behind the event, or not at all.
            scale = Some((Unit::Seconds, 1e-3));
        }
        let is_name = |word: &&&str| digits > 0 && word.starts_with(|c: char| c.is_ascii_alphabetic());
        let Some(event) = rest.first().filter(is_name) else { return false };
        let printed = counted(line, &number.concat(), scale);
        let (Some(printed), Some(name)) = (printed, metric_of(event)) else { return false };
        self.figures.push((if is_clock(event) { metric::CPU_TIME } else { name }, printed));
        self.figures.extend(of_event(line, name, derived));
        // A counter that was shared is scaled up from the part of the time in which it counted.
        let share = text.rsplit_once('(').filter(|(_, share)| share.ends_with("%)") && !share.contains("+-"));
        if let Some((_, share)) = share {
            self.warn(line, &format!("{event} ({share}"));
        }
        true
    }

    fn result(self, mut result: ToolResult) -> Result<Vec<ToolResult>, NotUnderstood> {
        if self.figures.is_empty() && self.elapsed.is_none() {
            return Err(NotUnderstood::CutShort);
        }
        result.options.extend(self.counted.map(|command| ("command".to_owned(), command)));
        (result.unread, result.warnings) = (self.unread, self.warnings);
        let runs = self.runs.filter(|runs| runs.value > 1.0);
        match &runs {
            None => {
                result.whole.window = self.elapsed.clone();
                result.whole.add(metric::ELAPSED, self.elapsed);
            }
            Some(runs) => {
                let deviation = self.error.map(|error| PrintedValue {
                    text: format!("{} x sqrt({})", error.text, runs.text),
                    value: error.value * runs.value.sqrt(),
                    half_step: error.half_step * runs.value.sqrt(),
                    ..error
                });
                result.whole.add(metric::ELAPSED_MEAN, self.elapsed);
                result.whole.add(metric::ELAPSED_STDDEV, deviation);
            }
        }
        for (metric, printed) in self.figures {
            result.whole.add(metric, Some(printed));
        }
        result.whole.add(metric::RUNS, runs);
        Ok(vec![result])
    }
}

/// A count of an event, with what its unit is of where it has one.
pub(super) fn counted(line: u64, number: &str, scale: Option<(Unit, f64)>) -> Option<PrintedValue> {
    match scale {
        // Of nanoseconds there are no parts.
        Some((unit, factor)) if factor < 1e-6 => count(line, number).map(|printed| PrintedValue {
            value: printed.value * factor,
            half_step: factor / 2.0,
            unit,
            ..printed
        }),
        Some((unit, factor)) => decimal(line, number, unit, factor),
        None => count(line, number),
    }
}

/// Whether an event is CPU time. Behind a colon stands of which mode it is: `task-clock:u`.
pub(super) fn is_clock(event: &str) -> bool {
    matches!(event.split(':').next(), Some("task-clock" | "cpu-clock"))
}

/// Units before the name of an event, with what they are of.
pub(super) const UNITS: &[(&str, Unit, f64)] = &[
    ("msec", Unit::Seconds, 1e-3),
    ("ns", Unit::Seconds, 1e-9),
    ("Joules", Unit::Joules, 1.0),
    ("MiB", Unit::Bytes, 1_048_576.0),
];

/// Digits with what parts them, by thousands or as decimals, in any language.
pub(super) fn is_digits(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | '\u{2019}'))
}

/// A count: whatever stands between its digits parts thousands.
fn count(line: u64, digits: &str) -> Option<PrintedValue> {
    let plain: String = digits.chars().filter(char::is_ascii_digit).collect();
    Some(PrintedValue { text: digits.to_owned(), ..exact(line, plain.parse().ok()?, Unit::One) })
}

/// A number with decimals: the last of what stands between its digits parts these.
fn decimal(line: u64, digits: &str, unit: Unit, factor: f64) -> Option<PrintedValue> {
    let digits = digits.trim();
    let is_mark = |c: char| !c.is_ascii_digit();
    let english: String = match digits.rsplit_once(is_mark) {
        Some((before, decimals)) => {
            format!("{}.{decimals}", before.chars().filter(char::is_ascii_digit).collect::<String>())
        }
        None => digits.to_owned(),
    };
    let number = leading(&english, false).filter(|number| number.rest.is_empty() && is_digits(digits))?;
    let half_step = number.half_step * factor;
    let text = match unit {
        Unit::Seconds if factor >= 1.0 => format!("{digits} s"),
        _ => digits.to_owned(),
    };
    Some(PrintedValue { half_step, ..plain(line, text, number.value * factor, unit) })
}

/// `0.002055000 seconds user`.
fn processor_time(line: u64, text: &str) -> Option<(MetricName, PrintedValue)> {
    let (number, metric) = match text.strip_suffix(" seconds user") {
        Some(number) => (number, metric::CPU_USER_TIME),
        None => (text.strip_suffix(" seconds sys")?, metric::CPU_SYSTEM_TIME),
    };
    Some((metric, decimal(line, number, Unit::Seconds, 1.0)?))
}

/// What perf makes of a count: `2.345 GHz`, `0.043 CPUs utilized`, `1.23  insn per cycle`, `2.51% of all branches`.
/// Counts for each second are left out: they are of the CPU time, not of the time that passed.
fn of_event(line: u64, event: MetricName, text: &str) -> Option<(MetricName, PrintedValue)> {
    let text = text.split('(').next().unwrap_or_default().trim();
    let (number, what) = text.split_once([' ', '%'])?;
    let what = what.trim();
    let (metric, unit, factor) = match what {
        "CPUs utilized" => (metric::CPU, Unit::One, 1.0),
        "GHz" => (metric::FREQUENCY, Unit::Hertz, 1e9),
        _ if what.starts_with("insn per cycle") || what.starts_with("insns per cycle") => {
            (metric::INSTRUCTIONS_PER_CYCLE, Unit::One, 1.0)
        }
        _ if what.starts_with("of all ") => (MetricName::intern(&format!("{event}_share"))?, Unit::One, 0.01),
        _ => return None,
    };
    let printed = decimal(line, number, unit, factor)?;
    Some((metric, PrintedValue { text: text.to_owned(), ..printed }))
}

/// A line of `--table`, or a heading: the times of the runs, with their bars.
fn is_of_table(text: &str) -> bool {
    let is_row = || text.split_whitespace().nth(1).is_some_and(|word| word.starts_with(['(', '+', '-']));
    text.starts_with('#') || is_row()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ToolResult {
        let text = format!(" Performance counter stats for 'a b' (4 runs):\n\n{text}\n");
        crate::tool::read("", text.as_bytes()).unwrap().results.remove(0)
    }

    fn value(result: &ToolResult, metric: MetricName) -> Option<f64> {
        result.whole.figure(metric).map(|printed| (printed.value * 1e9).round() / 1e9)
    }

    #[test]
    fn a_command_is_that_of_the_counts_that_name_it() {
        let counts = |command: &str| {
            format!(
                " Performance counter stats for '{command}':\n\n     1,234      cycles\n\n   0.5 seconds time elapsed\n\n"
            )
        };
        let text = format!("$ perf stat -- ./a b\n{}and the other\n{}", counts("./a b"), counts("./c"));
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        let commands: Vec<String> = results.iter().map(|result| result.command.join(" ")).collect();
        assert_eq!(commands, ["perf stat -- ./a b", ""]);
    }

    #[test]
    fn white_space_before_counts_may_be_lost() {
        let result = read("1,234      cycles\n\n0.5 +- 0.1 seconds time elapsed");
        assert_eq!(value(&result, MetricName::new("cycles")), Some(1234.0));
        assert_eq!(value(&result, metric::ELAPSED_MEAN), Some(0.5));
    }

    #[test]
    fn counts_are_read_in_the_digits_of_any_language() {
        let cycles = MetricName::new("cycles");
        for (digits, decimals) in [
            ("1,234,567", "0.5"),
            ("1.234.567", "0,5"),
            ("1\u{202f}234\u{202f}567", "0,5"),
            ("1234567", "0.5"),
        ] {
            let result =
                read(&format!("  {digits}      cycles\n  {decimals} +- {decimals} seconds time elapsed"));
            assert_eq!(value(&result, cycles), Some(1_234_567.0), "{digits}");
            assert_eq!(value(&result, metric::ELAPSED_MEAN), Some(0.5), "{digits}");
        }
    }

    #[test]
    fn the_deviation_of_a_run_is_more_than_the_error_of_the_mean() {
        let result = read("   0.01238 +- 0.00112 seconds time elapsed  ( +-  9.03% )");
        assert_eq!(value(&result, metric::ELAPSED_STDDEV), Some(0.00224));
        let early = read("   2.00000 seconds time elapsed  ( +-  1.00% )");
        assert_eq!(value(&early, metric::ELAPSED_STDDEV), Some(0.04));
        assert_eq!(value(&early, metric::RUNS), Some(4.0));
    }

    #[test]
    fn what_perf_makes_of_counts_has_its_unit() {
        let result = read(
            "   1,500.00 msec task-clock      #    0.750 CPUs utilized   ( +- 1.00% )\n\
             \x20  3000      cycles           #    2.000 GHz        (49.87%)\n\
             \x20  6000      instructions     #    2.00  insn per cycle\n\
             \x20  10        branch-misses    #    2.50% of all branches\n\
             \x20  <not supported>      LLC-loads\n   <not supported>      LLC-load-misses\n",
        );
        assert_eq!(value(&result, metric::CPU_TIME), Some(1.5));
        assert_eq!((value(&result, metric::CPU), value(&result, metric::FREQUENCY)), (Some(0.75), Some(2e9)));
        assert_eq!(value(&result, metric::INSTRUCTIONS_PER_CYCLE), Some(2.0));
        assert_eq!(value(&result, MetricName::new("branch_misses_share")), Some(0.025));
        let warnings: Vec<&str> = result.warnings.iter().map(|warning| warning.text.as_str()).collect();
        assert_eq!(warnings, ["cycles (49.87%)", "<not supported> LLC-loads, LLC-load-misses"]);
    }

    #[test]
    fn nanoseconds_have_no_decimals_and_bytes_have_their_multiple() {
        let result = read(
            "  1,002,345,678 ns   duration_time\n  123.50 MiB  uncore_imc/data_reads/\n  1.00 seconds time elapsed",
        );
        assert_eq!(value(&result, MetricName::new("duration_time")), Some(1.002_345_678));
        assert_eq!(value(&result, MetricName::new("uncore_imc_data_reads")), Some(129_499_136.0));
        assert_eq!(value(&result, MetricName::new("mib")), None);
    }
}
