//! turbostat: at which clock processors ran while they were busy, how long they were idle in which state, how warm they
//! were and what they took. The row with dashes, or the only one of a span, is of the whole machine.

use model::tool_result::{PrintedValue, ToolResult};
use model::{MetricName, Unit, metric};

use super::cell::Mean;
use super::sample::{Sample, SampleCell, Series, SeriesByItem};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::leading;
use crate::tool::option_words::{self, OptionName, OptionWord, Takes};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Turbostat;

const NAME: &str = "turbostat";

/// The share of the time in which a processor was not idle.
const BUSY: MetricName = MetricName::new("cpu_busy_share");

/// Columns that tell of which processor a row is.
const IDS: &[&str] = &["Package", "Node", "Die", "Core", "CPU", "X2APIC", "APIC"];

/// Columns that are read, with the names of the metrics, how many of the unit one is, and the unit. Clocks count only
/// while a processor is busy.
const COLUMNS: &[(&str, MetricName, f64, Unit)] = &[
    ("Busy%", BUSY, 0.01, Unit::One),
    ("%Busy", BUSY, 0.01, Unit::One),
    ("Bzy_MHz", metric::FREQUENCY, 1e6, Unit::Hertz),
    ("TSC_MHz", MetricName::new("tsc_frequency"), 1e6, Unit::Hertz),
    ("IPC", metric::INSTRUCTIONS_PER_CYCLE, 1.0, Unit::One),
    ("CoreTmp", MetricName::new("core_temperature"), 1.0, Unit::Celsius),
    ("PkgTmp", MetricName::new("package_temperature"), 1.0, Unit::Celsius),
    ("PkgWatt", MetricName::new("package_power"), 1.0, Unit::Watts),
    ("CorWatt", MetricName::new("core_power"), 1.0, Unit::Watts),
    ("RAMWatt", MetricName::new("memory_power"), 1.0, Unit::Watts),
];

/// What shares of idle states begin with, of cores and of packages, and the names of the metrics.
const IDLE_STATES: &[(&str, &str)] = &[("CPU%", "core"), ("Pkg%p", "package"), ("Pk%p", "package")];

impl ToolReader for Turbostat {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the table of turbostat: busy share, clocks, shares of the hardware's idle states, temperatures and power, of the machine and \
         of each processor"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // Its megahertz are decimal, as everywhere.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Bzy_MHz", "PkgWatt"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        is_heading(&line.text).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.as_str();
        let belongs = before.is_empty() || is_heading(text) || is_row(text) || text == "^C";
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        let interval_s = interval(&result.command);
        let mut headings: Vec<&str> = Vec::new();
        let mut machine = Series::default();
        let mut processors = SeriesByItem::default();
        for line in block.lines {
            let words: Vec<&str> = line.text.split_whitespace().collect();
            if is_heading(&line.text) {
                headings = words;
                continue;
            }
            let cells = cells(line.number, &headings, &words);
            match processor(&headings, &words) {
                _ if cells.is_empty() => {}
                None => machine.add(interval_s, cells),
                Some(name) => {
                    processors.entry(&name).samples.push(Sample { cells, ..Sample::default() });
                }
            }
        }
        if machine.samples.is_empty() && processors.all().is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        machine.fill(&mut result);
        result.parts.extend(processors.threads());
        Ok(vec![result])
    }
}

/// The headings of the table, which has any of the columns that are read.
fn is_heading(text: &str) -> bool {
    if !text.contains("Bzy_MHz") && !text.contains("PkgWatt") {
        return false;
    }
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '%' | '+' | '-');
    let is_known = |word: &&str| COLUMNS.iter().any(|(name, ..)| name == word);
    text.chars().all(|c| is_letter(c) || c.is_whitespace())
        && text.split_whitespace().filter(is_known).count() > 1
}

/// A row of numbers, or of dashes where it is of all processors.
fn is_row(text: &str) -> bool {
    let is_cell = |word: &str| word == "-" || leading(word, false).is_some_and(|n| n.rest.is_empty());
    text.split_whitespace().next().is_some() && text.split_whitespace().all(is_cell)
}

/// Of which processor a row is; `None` of all.
fn processor(headings: &[&str], words: &[&str]) -> Option<String> {
    let at = headings.iter().position(|heading| *heading == "CPU")?;
    let cpu = words.get(at).filter(|word| **word != "-")?;
    Some(format!("CPU {cpu}"))
}

/// The figures of a row. What a core or a package has only once stands in the row of its first processor, at the end.
fn cells(line: u64, headings: &[&str], words: &[&str]) -> Vec<SampleCell> {
    let one = |(heading, word): (&&str, &&str)| {
        let (metric, scale, unit) = column(heading)?;
        let number = leading(word, false).filter(|number| number.rest.is_empty())?;
        let printed = PrintedValue {
            line,
            text: format!("{word} {heading}"),
            value: number.value * scale,
            unit,
            half_step: number.half_step * scale,
            counting: None,
        };
        let mean = match unit {
            Unit::Hertz if metric == metric::FREQUENCY => Mean::By(&[BUSY]),
            _ if metric == metric::INSTRUCTIONS_PER_CYCLE => Mean::No,
            _ => Mean::Plain,
        };
        Some(SampleCell { metric, printed, mean })
    };
    headings.iter().zip(words).filter_map(one).collect()
}

/// What a column is: its metric, how many of the unit one is, and the unit.
fn column(heading: &str) -> Option<(MetricName, f64, Unit)> {
    if IDS.contains(&heading) {
        return None;
    }
    if let Some((_, metric, scale, unit)) = COLUMNS.iter().find(|(name, ..)| *name == heading) {
        return Some((*metric, *scale, *unit));
    }
    IDLE_STATES.iter().find_map(|(beginning, of)| {
        let state = heading.strip_prefix(beginning)?;
        let is_state = state.starts_with('c') && state.chars().all(|c| c.is_ascii_alphanumeric());
        let name = is_state.then(|| format!("{of}_{state}_share"))?;
        Some((MetricName::intern(&name)?, 0.01, Unit::One))
    })
}

/// Options that have a value.
const LONG_WITH_VALUE: &[&str] = &[
    "interval",
    "num_iterations",
    "show",
    "hide",
    "cpu",
    "add",
    "out",
    "enable",
    "TCC",
    "header_iterations",
];
const LETTERS_WITH_VALUE: &[char] = &['i', 'n', 's', 'H', 'c', 'a', 'o', 'e', 'T', 'N'];

/// Behind which options a value stands.
fn takes(name: OptionName<'_>) -> Takes {
    let has_value = match name {
        OptionName::Long(long) => LONG_WITH_VALUE.contains(&long),
        OptionName::Letter(letter) => LETTERS_WITH_VALUE.contains(&letter),
    };
    if has_value { Takes::Value } else { Takes::Nothing }
}

/// Seconds between two spans, where the command is known: 5, if it does not tell them. Of a command that it runs, the
/// span is as long as that.
fn interval(command: &[String]) -> Option<f64> {
    command.first()?;
    let mut told = None;
    for word in option_words::read(command, takes) {
        match word {
            OptionWord::Option(OptionName::Long("interval") | OptionName::Letter('i'), value) => told = value,
            OptionWord::Operand(_) => return None,
            _ => {}
        }
    }
    match told {
        Some(told) => told.parse().ok().filter(|seconds: &f64| *seconds > 0.0 && *seconds < 1e6),
        None => Some(5.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "Core\tCPU\tAvg_MHz\tBusy%\tBzy_MHz\tTSC_MHz\tIPC\tIRQ\tCPU%c6\tCoreTmp\tPkgWatt\n\
                         -\t-\t500\t25.00\t2000\t2500\t1.10\t900\t75.00\t50\t12.50\n\
                         0\t0\t900\t45.00\t2000\t2500\t1.20\t500\t50.00\t50\t12.50\n\
                         0\t1\t100\t5.00\t2000\t2500\t0.80\t400\n";

    fn read(text: &str) -> ToolResult {
        crate::tool::read("", text.as_bytes()).unwrap().results.remove(0)
    }

    #[test]
    fn the_row_of_dashes_is_of_the_machine() {
        let result = read(TABLE);
        let value = |name| result.whole.figure(name).map(|figure| figure.value);
        assert_eq!((value(metric::FREQUENCY), value(BUSY)), (Some(2e9), Some(0.25)));
        assert_eq!(value(MetricName::new("core_c6_share")), Some(0.75));
        let names: Vec<&str> = result.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["CPU 0", "CPU 1"]);
        let sibling = &result.parts[1].measured;
        assert!(sibling.figure(MetricName::new("package_power")).is_none());
        assert_eq!(sibling.figure(metric::INSTRUCTIONS_PER_CYCLE).map(|ipc| ipc.value), Some(0.8));
    }

    #[test]
    fn a_clock_counts_as_long_as_it_was_used() {
        let idle = TABLE.replace("25.00\t2000", "75.00\t4000");
        let result = read(&format!("$ turbostat -q -i 2\n{TABLE}{idle}"));
        let clock = result.whole.figure(metric::FREQUENCY).map(|clock| clock.value);
        assert_eq!(clock, Some(3.5e9));
        assert_eq!(result.whole.window.as_ref().map(|window| window.value), Some(4.0));
    }

    #[test]
    fn other_tables_are_not_its_own() {
        assert!(!is_heading("The column Bzy_MHz is the clock"));
        assert!(!is_row("- a list") && !is_row(""));
        assert!(is_row("-\t-\t5.0"));
    }
}
