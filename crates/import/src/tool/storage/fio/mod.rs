//! fio 1.x to 3.x: its normal text, its terse text and its JSON, printed here or by clients. What each says
//! is put into [`run::FioRun`], of which the results are made in one way.

mod arithmetic;
mod figures;
mod job_file;
mod json;
mod json_sums;
mod options;
mod run;
mod terse;
mod text;
mod wrapped;

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, ToolRemedy, ToolResult};

use self::run::FioRun;
use crate::tool::arithmetic::JsonNode;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Fio;

const NAME: &str = "fio";

/// Without an i, fio counts in thousands since it prints every rate and size both ways.
const DECIMAL: CountingRule = CountingRule {
    tool: NAME,
    versions: "2.17 to 3.x",
    units: "kB/s, MB/s, GB/s; k and M of IOPS",
    counting: Counting::Decimal,
    proof: "fio-3.33-randread: 28883 reads of 4096 bytes in 2.001 s are 59.1 decimal MB/s and 56.4 MiB/s, and 14.4 k a \
            second; it prints `IOPS=14.4k, BW=56.4MiB/s (59.1MB/s)`",
};

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.33 to 2.16",
    units: "KB, MB, KB/s, MB/s, GB/s",
    counting: Counting::Binary,
    proof: "fio-2.2.10-randrw-from-source: 6400 reads of 4096 bytes in 2.000 s are 12800 binary KB/s and 13107 decimal ones; \
            it prints `bw=12800KB/s`. With kb_base=1000 it counts in thousands. What stands behind a point is the remainder of \
            the division by 1024, cut to the digits that there is room for (lib/num2str.c): of 3071.7MB only 3071 is known",
};

const TERSE: CountingRule = CountingRule {
    tool: NAME,
    versions: "terse text of 2.0 to 3.x; JSON before 2.21",
    units: "sizes in KiB, rates in KiB/s",
    counting: Counting::Binary,
    proof: "fio-3.33-terse-v3: 52480 KiB in 1001 ms are 52427 KiB/s, and 53686 kB/s; it prints 52427. In 1.x the rate was bytes \
            for each millisecond, so decimal: the example of its HOWTO has 7139336 KiB in 60004 ms, and 121836",
};

const RULES: &[CountingRule] = &[DECIMAL, BINARY, TERSE];

impl ToolReader for Fio {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the normal text, the terse text and the JSON of fio 1.x to 3.x, of one job or of many, with or without \
         group_reporting, printed by clients of servers or with --status-interval, whole or only its lines of results"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["fio"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[
            ": (g=",
            "fio-",
            "fio ",
            ": (groupid=",
            "Run status group ",
            "[global]",
            ";",
            "IOPS=",
            "runt=",
            "READ: ",
            "WRITE: ",
            "TRIM: ",
            "MIXED: ",
        ]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.as_str();
        if !is_numbered(text) && text::begins(text) || terse::is_line(text) {
            return Some(Beginning::Certain);
        }
        job_file::begins(text).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let Some(first) = before.first() else { return Extent::More };
        let goes_on = if job_file::begins(&first.text) {
            job_file::goes_on(&last.text) && !text::begins(&last.text)
        } else if terse::is_line(&first.text) {
            terse::is_line(&last.text)
        } else if text::begins_run(&last.text) || matches!(last.text.as_str(), "{" | "}") {
            // Another run begins where the figures of one are over; JSON beside the text comes before them.
            !before.iter().any(|line| text::has_figures(&line.text))
        } else {
            let is_rest = |line: &ToolLine| wrapped::goes_on(&line.text, &last.text);
            text::is_of_fio(last) || before.last().is_some_and(is_rest)
        };
        if goes_on { Extent::More } else { Extent::EndsBefore }
    }

    fn knows_json(&self, text: &str) -> bool {
        let head: String = text.chars().take(4096).collect();
        head.contains("\"fio version\"")
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let first = block.lines.first().map_or("", |line| line.text.trim_start());
        if first.starts_with('{') {
            return of_runs(&[block.lines], block, json::read);
        }
        if job_file::begins(first) {
            return job_file::read(block.lines).map(|_| Vec::new()).ok_or(NotUnderstood::OtherText);
        }
        if terse::is_line(first) {
            return of_runs(&terse::executions(block), block, terse::read);
        }
        let lines = wrapped::joined(block.lines);
        let whole = ToolBlock { lines: &lines, command: block.command };
        of_runs(&text::executions(&whole), &whole, |own| {
            let mut run = text::read(own)?;
            run.disagreements = arithmetic::disagreements(own.lines, &run.jobs);
            Ok(run)
        })
    }

    fn disagreements_of_json(&self, root: &JsonNode) -> Vec<FigureDisagreement> {
        json_sums::disagreements(root)
    }

    fn corrected(&self, result: &ToolResult, remedies: &[ToolRemedy]) -> Option<Vec<String>> {
        let mut words = result.command.clone();
        for (name, value) in remedies.iter().flat_map(options::remedied) {
            options::set(&mut words, name, value.as_deref());
        }
        Some(words)
    }
}

/// The results of each of several executions that stand one behind the other.
fn of_runs(
    executions: &[&[ToolLine]],
    block: &ToolBlock<'_>,
    read: fn(&ToolBlock<'_>) -> Result<FioRun, NotUnderstood>,
) -> Result<Vec<ToolResult>, NotUnderstood> {
    let mut results = Vec::new();
    let mut why = NotUnderstood::CutShort;
    for &lines in executions {
        let own = ToolBlock { lines, command: block.command };
        match read(&own) {
            Ok(run) => {
                let command = block.command.filter(|line| run.is_of(line));
                results.extend(run.results(&ToolBlock { command, ..own }));
            }
            Err(error) => why = error,
        }
    }
    results.iter_mut().for_each(|result| cut_header(&mut result.command));
    if results.is_empty() { Err(why) } else { Ok(results) }
}

/// Takes the first line of the output off a command, where the end of the line between them was lost:
/// `fio --name=a a: (g=0): rw=read, ...`.
fn cut_header(command: &mut Vec<String>) {
    if let Some(at) = command.iter().position(|word| word.starts_with("(g=")) {
        command.truncate(at.saturating_sub(1));
    }
}

/// Whether the number of the line or a time stands before it, which would be taken for a part of a job's name. The name may
/// be a number.
fn is_numbered(text: &str) -> bool {
    let of_clock = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | ',' | '-');
    let behind = text.trim_start().trim_start_matches(of_clock);
    let is_apart = behind.len() < text.trim_start().len() && behind.starts_with([' ', '\t']);
    is_apart && !behind.trim_start().starts_with("(g")
}

/// The lines of a text, for the tests of this folder.
#[cfg(test)]
pub(super) fn lines(text: &str) -> Vec<ToolLine> {
    (1..).zip(text.lines()).map(|(number, text)| ToolLine { number, text: text.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_a_command_that_names_other_jobs_was_taken_for_its_own() {
        let printed = "seq: (groupid=0, jobs=1): err= 0: pid=77: now\n  read: IOPS=5, BW=5MiB/s (5MB/s)(10MiB/2000msec)\n";
        let words = |command: &str| {
            let output = crate::tool::read("", format!("$ {command}\n{printed}").as_bytes()).unwrap();
            (output.results[0].command.len(), output.results[0].options.contains_key("direct"))
        };
        assert_eq!(words("fio --name=seq --direct=1"), (3, true));
        assert_eq!(words("fio --name=other --direct=1"), (0, false));
        assert_eq!(words("fio --direct=1 --cmdhelp=rw"), (0, false));
        assert_eq!(words("fio --name=$i --direct=1"), (3, true));
        assert_eq!(words("fio --direct=1 jobs.fio").0, 3);
    }

    #[test]
    fn regression_a_command_that_reads_was_taken_for_that_of_writes() {
        let words = |command: &str| {
            let status =
                "WRITE: bw=5MiB/s (5MB/s), 5MiB/s-5MiB/s (5MB/s-5MB/s), io=10MiB (10MB), run=2000-2000msec";
            let output = crate::tool::read("", format!("$ {command}\n{status}\n").as_bytes()).unwrap();
            output.results[0].command.len()
        };
        assert_eq!(words("fio --name=a --rw=write"), 3);
        assert_eq!(words("fio --name=a --rw=randrw"), 3);
        assert_eq!(words("fio --name=a --rw=randread"), 0);
        assert_eq!(words("fio --rw=read --name=a"), 0);
        assert_eq!(words("fio --rw=read jobs.fio"), 3, "the file may say another");
    }

    #[test]
    fn regression_what_fio_says_of_data_that_changed_parted_an_output() {
        let header = "a: (g=0): rw=read, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1\n";
        let verify = "verify: bad magic header e035, wanted acca at file /x offset 0, length 4096\n\
                      fio: pid=7, err=84/file:io_u.c:2102, func=io_u_sync_complete, error=Invalid\n\n";
        let job = "a: (groupid=0, jobs=1): err=84 (file:io_u.c:2102, func=io_u_sync_complete, error=Invalid): pid=7: now\n  \
                   read: IOPS=1000, BW=4000KiB/s (4096kB/s)(4096B/1msec)\n";
        let text = format!("{header}fio-3.27\nStarting 1 process\n{verify}{job}");
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        assert_eq!((output.results.len(), output.unread.len()), (1, 0), "{:?}", output.unread);
        assert_eq!(output.results[0].version.as_deref(), Some("3.27"));
    }

    #[test]
    fn the_first_line_of_the_output_is_no_part_of_the_command() {
        let header = "seq: (g=0): rw=read, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1";
        let printed = "fio-3.1\nseq: (groupid=0, jobs=1): err= 0: pid=77: now\n  read: IOPS=5, BW=5MiB/s (5MB/s)(10MiB/2000msec)\n";
        let text = format!("$ fio --name=seq --rw=read     {header}\n{printed}");
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        assert_eq!(output.results[0].command.join(" "), "fio --name=seq --rw=read");
    }

    #[test]
    fn regression_numbers_of_lines_were_taken_for_names_of_jobs() {
        let text = "seq: (g=0): rw=write, bs=1M-1M/1M-1M, ioengine=sync, iodepth=1\nfio 1.59\nStarting 1 process\n\n\
                    seq: (groupid=0, jobs=1): err= 0: pid=77\n\
                    \x20 write: io=102400KB, bw=51200KB/s, iops=50, runt=  2000msec\n";
        let numbered: Vec<String> =
            lines(text).iter().map(|line| format!("{:6}\t{}", line.number, line.text)).collect();
        let output = crate::tool::read("", numbered.join("\n").as_bytes()).unwrap();
        let [run] = output.results.as_slice() else { panic!("{:?}", output.results) };
        assert_eq!((run.version.as_deref(), run.name.as_deref()), (Some("1.59"), Some("seq")));
        let timed = text.lines().map(|line| format!("20:22:23 DEBUG| {line}\n")).collect::<String>();
        let output = crate::tool::read("", timed.as_bytes()).unwrap();
        assert_eq!(output.results.first().and_then(|run| run.name.as_deref()), Some("seq"));
        let named = ToolLine { number: 1, text: "4: (groupid=0, jobs=1): err= 0: pid=77".to_owned() };
        assert!(Fio.begins(&named).is_some(), "a job may be called so");
    }
}
