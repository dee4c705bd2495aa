//! pidstat: what each process or thread did. A command may have spaces in its name, and stands last in its row.

use model::tool_result::ToolResult;
use model::{MetricName, metric};

use super::columns::{self, Heading};
use super::table::{self, Stamp};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};
use crate::tool::system::cell::{CellUnit, Column, Mean, column, is_number};
use crate::tool::system::sample::{Sample, SampleCell, SeriesByItem};

/// The importer.
pub(in crate::tool::system) struct Pidstat;

const NAME: &str = "pidstat";

const RULES: &[CountingRule] = &[CountingRule {
    tool: NAME,
    versions: "sysstat 9 to 12",
    units: "kB_rd/s, kB_wr/s, VSZ, RSS",
    counting: model::tool_result::Counting::Binary,
    proof: "pidstat.c divides the bytes of /proc/PID/io by 1024, and prints pages as KiB",
}];

const fn of(headings: &'static [&'static str], metric: MetricName, unit: CellUnit) -> Column {
    Column { headings, metric, unit, mean: Mean::Plain }
}

/// Columns that mean something else here than elsewhere: 100 % are one processor, and a process may have several.
const COLUMNS: &[Column] = &[
    of(&["%usr", "%user"], MetricName::new("cpu_user"), CellUnit::PERCENT),
    of(&["%system"], MetricName::new("cpu_system"), CellUnit::PERCENT),
    of(&["%guest"], MetricName::new("cpu_guest"), CellUnit::PERCENT),
    of(&["%wait"], MetricName::new("cpu_queued"), CellUnit::PERCENT),
    of(&["%CPU"], metric::CPU, CellUnit::PERCENT),
    of(&["minflt/s"], MetricName::new("minor_page_faults_per_second"), CellUnit::PER_SECOND),
    of(&["VSZ"], MetricName::new("memory_virtual"), CellUnit::KIB),
    of(&["RSS"], MetricName::new("memory_resident"), CellUnit::KIB),
    of(&["%MEM"], MetricName::new("memory_share"), CellUnit::PERCENT),
    of(&["kB_rd/s"], metric::READ_THROUGHPUT, CellUnit::KIB_PER_S),
    of(&["kB_wr/s"], metric::WRITE_THROUGHPUT, CellUnit::KIB_PER_S),
    of(&["kB_ccwr/s"], MetricName::new("cancelled_write_throughput"), CellUnit::KIB_PER_S),
    of(&["nvcswch/s"], MetricName::new("involuntary_context_switches_per_second"), CellUnit::PER_SECOND),
];

/// Columns that tell of which process or thread a row is.
const IDS: &[&str] = &["PID", "TGID", "TID"];

/// The last column.
const COMMAND: &str = "Command";

/// What stands before the columns with `-h`.
const FLAT: [&str; 2] = ["#", "Time"];

impl ToolReader for Pidstat {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "pidstat of sysstat 9 to 12 with any columns: each process or thread is a part, with its average where pidstat prints one, \
         or else the mean of the spans in which it is listed"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[table::MARKS, &[COMMAND]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        heading(&line.text).map(|_| Beginning::Likely).or_else(|| table::begins(line))
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        table::extent(lines)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        let mut tasks = SeriesByItem::default();
        let mut head: Option<TaskHeading<'_>> = None;
        for line in block.lines {
            if let Some(found) = heading(&line.text) {
                head = Some(found);
            } else if let Some((task, stamp, sample)) = head.as_ref().and_then(|head| head.row(line)) {
                result.lines.last = line.number;
                let series = tasks.entry(&task);
                match (stamp.is_average, &mut series.average) {
                    (true, Some(average)) => average.cells.extend(sample.cells),
                    (true, none) => *none = Some(sample),
                    (false, _) => push(&mut series.samples, sample),
                }
            }
        }
        if head.is_none() {
            return Err(NotUnderstood::OtherText);
        }
        result.parts = tasks.threads();
        if result.parts.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// Adds what a table says of a span; of one span, several tables may tell.
fn push(samples: &mut Vec<Sample>, sample: Sample) {
    match samples.last_mut().filter(|last| last.start_s.is_some() && last.start_s == sample.start_s) {
        Some(last) => last.cells.extend(sample.cells),
        None => samples.push(sample),
    }
}

/// The words of a heading, without what stands before its columns.
struct TaskHeading<'a> {
    columns: Vec<&'a str>,
}

/// The heading of such a table.
fn heading(text: &str) -> Option<TaskHeading<'_>> {
    // The cheap question first: every line of any text is asked.
    if !text.trim_end().ends_with(COMMAND) {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let before = if words.starts_with(&FLAT) { FLAT.len() } else { Stamp::of(&words).words };
    let columns = words.get(before..)?;
    let has_id = columns.iter().take(3).any(|word| IDS.contains(word));
    (has_id && columns.last() == Some(&COMMAND)).then(|| TaskHeading { columns: columns.to_vec() })
}

impl TaskHeading<'_> {
    /// Of which process a row is, what stands before it, and its figures.
    fn row(&self, line: &ToolLine) -> Option<(String, Stamp, Sample)> {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let stamp = Stamp::of(&words);
        let rest = words.get(stamp.words..)?;
        let command_at = self.columns.len().checked_sub(1)?;
        let (values, command) = rest.split_at_checked(command_at)?;
        let mut ids: Vec<&str> = Vec::new();
        let mut cells = Vec::new();
        for (name, value) in self.columns.iter().zip(values) {
            if IDS.contains(name) {
                // Of a thread, the number of its process is left out.
                ids.extend(Some(*value).filter(|value| *value != "-"));
            } else if let Some(Heading { metric, unit, mean }) = meaning(name) {
                let printed = unit.read(line.number, value)?;
                cells.push(SampleCell { metric, printed, mean });
            }
        }
        let is_row = !cells.is_empty() && !command.is_empty() && ids.iter().all(|id| is_number(id));
        let task = format!("{} ({})", command.join(" "), ids.join(" "));
        // The time of day tells spans apart; it is in no document.
        is_row.then(|| (task, stamp, Sample { cells, start_s: stamp.clock, ..Sample::default() }))
    }
}

/// What the numbers of a column are.
fn meaning(name: &str) -> Option<Heading> {
    match column(COLUMNS, name) {
        Some(Column { metric, unit, mean, .. }) => {
            Some(Heading { metric: *metric, unit: *unit, mean: *mean })
        }
        None => columns::heading(name),
    }
}

/// Whether it is a heading or a row of such a table.
pub(super) fn is_line(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let stamp = Stamp::of(&words);
    let rest = words.get(stamp.words..).unwrap_or_default();
    let is_id =
        |at: usize| rest.get(at).is_some_and(|word| *word == "-" || word.bytes().all(|b| b.is_ascii_digit()));
    let is_row =
        stamp.words > 0 && rest.len() > 4 && is_id(1) && rest.get(3).is_some_and(|word| is_number(word));
    is_row || heading(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ToolResult {
        crate::tool::read("", text.as_bytes()).unwrap().results.remove(0)
    }

    fn value(result: &ToolResult, part: usize, name: MetricName) -> Option<f64> {
        result.parts[part].measured.figure(name).map(|printed| (printed.value * 1e6).round() / 1e6)
    }

    #[test]
    fn a_command_may_have_spaces() {
        let result = read(
            "07:28:34      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n\
             07:28:35        0     10266   96.04    0.99    0.00    0.00   97.03     1  tokio runtime w\n\
             07:28:36        0     10266   50.00    0.99    0.00    0.00   51.01     1  tokio runtime w\n",
        );
        assert_eq!((result.tool.as_str(), result.parts[0].name.as_str()), (NAME, "tokio runtime w (10266)"));
        assert_eq!(value(&result, 0, metric::CPU), Some(0.7402), "the mean of both spans");
    }

    #[test]
    fn the_average_counts_where_there_is_one() {
        let result = read(
            "07:28:35      UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command\n\
             07:28:36        0     10266     11.88      0.00      0.00       0  dd\n\n\
             Average:      UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command\n\
             Average:        0     10266      4.00      0.00      0.00       0  dd\n",
        );
        assert_eq!(value(&result, 0, metric::READ_THROUGHPUT), Some(4096.0));
        assert_eq!(result.parts.len(), 1);
    }

    #[test]
    fn several_tables_may_be_of_one_span() {
        let result = read(
            "07:28:34      UID       PID    %usr %system  %guest   %wait    %CPU   CPU  Command\n\
             07:28:35        0     10266   96.04    0.99    0.00    0.00   97.03     1  dd\n\n\
             07:28:34      UID       PID  minflt/s  majflt/s     VSZ     RSS   %MEM  Command\n\
             07:28:35        0     10266     55.45      0.00    8000    4000   0.37  dd\n",
        );
        assert_eq!(value(&result, 0, metric::CPU), Some(0.9703));
        assert_eq!(value(&result, 0, MetricName::new("memory_resident")), Some(4_096_000.0));
    }

    #[test]
    fn threads_have_no_number_of_their_process() {
        let result = read(
            "07:28:39      UID      TGID       TID    %usr %system  %guest   %wait    %CPU   CPU  Command\n\
             07:28:40        0     28956         -    1.00    0.00    0.00    0.00    1.00     0  bash\n\
             07:28:40        0         -     28957    1.00    0.00    0.00    0.00    1.00     0  |__bash\n",
        );
        let names: Vec<&str> = result.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["bash (28956)", "|__bash (28957)"]);
    }
}
