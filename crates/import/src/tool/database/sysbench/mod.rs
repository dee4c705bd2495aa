//! sysbench 0.4 to 1.1, all its tests: what any version says is put into [`report::SysbenchRun`], of
//! which the results are made in one way.

mod arithmetic;
mod banner;
mod interval;
mod options;
mod report;
mod text;

use model::tool_result::{Counting, ToolRemedy, ToolResult, ToolWarning};

use self::options::{SysbenchCommand, SysbenchWork};
use self::report::SysbenchTest;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::command_line::CommandLine;
use crate::tool::counting::CountingRule;
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};
use crate::tool::work::same_work;

/// The importer.
pub(super) struct Sysbench;

const NAME: &str = "sysbench";

/// So many lines are looked at for what stands at the beginning of an output,
const HEAD: usize = 64;

/// and so many for what stands in the same report.
const REPORT: usize = 128;

/// Its Mb are bytes, too.
const BEFORE_1_0: CountingRule = CountingRule {
    tool: NAME,
    versions: "0.4, 0.5",
    units: "Kb, Mb, Gb, Mb/sec of files, which are bytes; MB, MB/sec",
    counting: Counting::Binary,
    proof: "sysbench-0.4.12-fileio-from-source: 10000 requests of 16 Kb are 163840000 bytes; it prints `Total transferred \
            156.25Mb`. sb_print_value_size divides by 1024, sb_memory.c by 1024 * 1024",
};

const SINCE_1_0: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.x",
    units: "KiB, MiB, MiB/s, MiB/sec",
    counting: Counting::Binary,
    proof: "sysbench-1.0.20-memory: 4096 operations on 1024KiB in 0.2220 s are 18450 MiB/s of 1048576 bytes; it prints \
            `4096.00 MiB transferred (18388.98 MiB/sec)`",
};

const RULES: &[CountingRule] = &[BEFORE_1_0, SINCE_1_0];

impl ToolReader for Sysbench {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "sysbench 0.4 to 1.1: cpu, memory, fileio, threads, mutex, OLTP and other scripts, with intervals and \
         checkpoints; also its statistics without the heading"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["sysbench"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[
            text::HEADINGS,
            &[
                "sysbench ",
                "Running the test with following options",
                "Operations performed:",
                " bytes written in ",
                "Total operations: ",
                "WARNING: ",
                "[",
            ],
        ])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        if banner::version(text).is_some() || begins_options(text) {
            return Some(Beginning::Certain);
        }
        let is_heading = text::HEADINGS.contains(&text) && !["Throughput:", "Latency (ms):"].contains(&text);
        let is_interval =
            || interval::moment(text).is_some_and(|(_, told)| interval::figures(0, told).is_some());
        // What 0.4 and 0.5 print first of files.
        let is_of_files = text.starts_with("Operations performed:") && text.ends_with(" Total");
        let is_prepared = text.contains(" bytes written in ") && text.ends_with("/sec).");
        // What its memory test came to, alone.
        let is_of_memory = text.starts_with("Total operations: ") && text.ends_with(" per second)")
            || text.starts_with("Operations performed: ") && text.ends_with(" ops/sec)");
        (is_heading || is_of_files || is_of_memory || warns(text) || is_prepared || is_interval())
            .then_some(Beginning::Likely)
    }

    fn begins_below(&self, line: &ToolLine, command: Option<&CommandLine>) -> Option<Beginning> {
        // Others have such headings, too.
        let is_part = || ["Throughput:", "Latency (ms):"].contains(&line.text.trim());
        let is_below = || command.is_some_and(|command| command.invocation(self.programs()).is_some());
        self.begins(line).or_else(|| (is_part() && is_below()).then_some(Beginning::Likely))
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        // Many a text leaves out the names of files so.
        let is_own =
            last.is_blank() || last.is_indented() || text == "..." || fails(text) || text::knows(last);
        if !is_own {
            return Extent::EndsBefore;
        }
        let stood = |is_it: fn(&str) -> bool| before.iter().take(HEAD).any(|line| is_it(line.text.trim()));
        let begins_other = banner::version(text).is_some()
            && stood(|earlier: &str| !earlier.is_empty() && !warns(earlier))
            || begins_options(text) && stood(begins_options)
            || warns(text) && stood(|earlier: &str| banner::version(earlier).is_some());
        let is_recent = |is_it: &dyn Fn(&str) -> bool| {
            before.iter().rev().take(REPORT).any(|line| is_it(line.text.trim()))
        };
        let repeats = || {
            let is_again = text::HEADINGS.contains(&text) && is_recent(&|earlier: &str| earlier == text);
            is_again && !is_recent(&is_checkpoint)
        };
        if begins_other || repeats() {
            return Extent::EndsBefore;
        }
        // That is the last line of all versions; after the report of a checkpoint it goes on.
        let is_end = text.starts_with("execution time (avg/stddev):");
        if is_end && !is_recent(&is_checkpoint) { Extent::EndsHere } else { Extent::More }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = block.without_blank_end();
        let mut run = text::read(block.lines);
        let mut result = block.result(NAME, self.programs());
        let command = SysbenchCommand::of(&result.command);
        run.test = run.test.or_else(|| command.test.as_deref().and_then(options::test_of));
        let test = run.test;
        let version = run.version.as_deref().unwrap_or_default();
        let (is_0_x, is_1_x) = (version.starts_with("0."), version.starts_with("1."));
        result.version = run.version.take();
        result.unread = std::mem::take(&mut run.unread);
        result.disagreements = arithmetic::disagreements(block.lines);
        let failed = block.lines.iter().filter(|line| fails(line.text.trim()));
        let warning = |line: &ToolLine| ToolWarning { line: line.number, text: line.text.trim().to_owned() };
        result.warnings = failed.map(warning).collect();
        // Where both say it, the output tells what was done.
        let mut all = command.options;
        all.extend(std::mem::take(&mut run.options));
        if let Some(name) = command.test.or_else(|| test.map(|test| options::name_of(test).to_owned())) {
            all.insert("test".to_owned(), name);
        }
        let events = run.report.events.as_ref().map(|events| events.value);
        (result.whole, result.parts) = run.measured();
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        let bytes = result.whole.bytes.as_ref().map(|bytes| bytes.value);
        // Of 0.4 and 0.5 the primes are those of 1.x (sb_cpu.c), and a run ends otherwise (sysbench.c).
        let known = test.filter(|test| command.is_all && (is_1_x || is_0_x && *test == SysbenchTest::Cpu));
        let mut asked = all.clone();
        if is_0_x {
            for (name, usual) in options::ENDS_OF_0_X {
                asked.entry((*name).to_owned()).or_insert_with(|| (*usual).to_owned());
            }
        }
        let work = known.map(|test| SysbenchWork { test, options: &asked, bytes, events });
        if let Some((workload, parameters)) = work.and_then(|work| work.workload()) {
            same_work(&mut result, workload, parameters);
        }
        result.options = options::of_work(all);
        Ok(vec![result])
    }

    fn corrected(&self, result: &ToolResult, remedies: &[ToolRemedy]) -> Option<Vec<String>> {
        // These measure nothing.
        if result.command.last().is_some_and(|word| matches!(word.as_str(), "prepare" | "cleanup")) {
            return None;
        }
        let mut words = result.command.clone();
        let is_fileio = result.options.get("test").is_some_and(|test| test == "fileio");
        for remedy in remedies {
            match remedy {
                ToolRemedy::BypassPageCache if is_fileio => set(&mut words, "file-extra-flags", "direct"),
                ToolRemedy::SyncAtEnd if is_fileio => set(&mut words, "file-fsync-end", "on"),
                ToolRemedy::RunFor(seconds) => {
                    let (time, events) = limits(result);
                    set(&mut words, time, &seconds.to_string());
                    set(&mut words, events, "0");
                }
                _ => {}
            }
        }
        Some(words)
    }
}

/// The first line behind that of the version.
fn begins_options(text: &str) -> bool {
    text.starts_with("Running the test with following options")
}

/// Warnings of 1.0 on options of 0.x stand before its version.
fn warns(text: &str) -> bool {
    text.starts_with("WARNING: ")
        && (text.contains("--test option is deprecated") || text.contains(" is deprecated, use --"))
}

/// Lines that tell of a failure; they are listed as not understood.
fn fails(text: &str) -> bool {
    ["FATAL: ", "ALERT: ", "PANIC: "].iter().any(|beginning| text.starts_with(beginning))
}

fn is_checkpoint(text: &str) -> bool {
    interval::moment(text).is_some_and(|(_, told)| interval::is_checkpoint(told))
}

/// What the options for its time and its operations are called: before 1.0, and where the command has them, otherwise.
fn limits(result: &ToolResult) -> (&'static str, &'static str) {
    let is_early = result.version.as_deref().is_some_and(|version| version.starts_with("0."));
    let has_early = result.command.iter().any(|word| word.starts_with("--max-time="));
    if is_early || has_early { ("max-time", "max-requests") } else { ("time", "events") }
}

/// Sets an option of a command.
fn set(words: &mut Vec<String>, name: &str, value: &str) {
    let is_it = |own: &String| own.strip_prefix("--").and_then(|own| own.split('=').next()) == Some(name);
    let word = format!("--{name}={value}");
    match words.iter().position(is_it) {
        Some(at) => words[at] = word,
        // What it is to do comes last.
        None => words.insert(words.len().saturating_sub(1).max(1).min(words.len()), word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> ToolLine {
        ToolLine { number: 1, text: text.to_owned() }
    }

    #[test]
    fn what_the_memory_test_came_to_may_stand_alone() {
        let text = "0.4.12 said:\nOperations performed: 5242880 (9592744.87 ops/sec)\n20480.00 MB transferred (37471.66 MB/sec)\n\
                    1.0 said:\nTotal operations: 8388608 (1643947.92 per second)\n8192.00 MiB transferred (1605.42 MiB/sec)\n";
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        let rate = |at: usize, name| results[at].whole.figure(name).map(|rate| rate.value.round());
        assert_eq!(results.len(), 2);
        assert_eq!(rate(0, model::metric::OPERATIONS_PER_SECOND), Some(9_592_745.0));
        assert_eq!(rate(1, model::metric::THROUGHPUT), Some((1605.42_f64 * 1_048_576.0).round()));
    }

    #[test]
    fn prose_and_other_tools_do_not_begin_it() {
        for text in [
            "sysbench is a tool",
            "WARNING: disk is full",
            "[root@host ~]# ls",
            "Latency (ms):",
            "[ 5] connected",
        ] {
            assert_eq!(Sysbench.begins(&line(text)), None, "{text}");
        }
        assert_eq!(Sysbench.begins(&line("[ 1s ] 2293.97 MiB/sec")), Some(Beginning::Likely));
    }

    #[test]
    fn its_rates_alone_are_read_below_its_command() {
        let figures =
            "Throughput:\n    read, MiB/s:                  6.92\n    written, MiB/s:               4.61\n";
        let read =
            |before: &str| crate::tool::read("", format!("{before}{figures}").as_bytes()).unwrap().results;
        let results = read("$ sysbench fileio --file-test-mode=rndrw run\n...\n");
        assert_eq!((results.len(), results[0].tool.as_str()), (1, NAME));
        assert!(read("the manual says:\n").is_empty());
    }

    #[test]
    fn regression_preparing_was_not_read_where_names_of_files_were_left_out() {
        let banner =
            "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\n128 files, 16384Kb each, 2048Mb total\n";
        let sums =
            "...\nCreating file test_file.127\n2147483648 bytes written in 128.00 seconds (16.00 MiB/sec).\n";
        for text in [format!("{banner}{sums}"), sums.to_owned()] {
            let output = crate::tool::read("", text.as_bytes()).unwrap();
            let [prepared] = output.results.as_slice() else { panic!("{text}: {:?}", output.unread) };
            let rate = prepared.whole.figure(model::metric::THROUGHPUT).unwrap();
            assert_eq!(rate.value, 16.0 * 1_048_576.0);
        }
    }

    #[test]
    fn the_command_gets_what_it_lacks() {
        let command = "sysbench fileio --time=5 run".split(' ').map(str::to_owned).collect();
        let options = [("test".to_owned(), "fileio".to_owned())].into_iter().collect();
        let result = ToolResult { command, options, ..ToolResult::default() };
        let remedies = [ToolRemedy::BypassPageCache, ToolRemedy::RunFor(30)];
        let corrected = Sysbench.corrected(&result, &remedies).unwrap().join(" ");
        assert_eq!(corrected, "sysbench fileio --time=30 --file-extra-flags=direct --events=0 run");
    }

    #[test]
    fn a_command_gets_the_options_of_its_version() {
        let corrected = |version: &str, command: &str| {
            let result = ToolResult {
                command: command.split(' ').map(str::to_owned).collect(),
                version: Some(version.to_owned()),
                ..ToolResult::default()
            };
            Sysbench.corrected(&result, &[ToolRemedy::RunFor(60)]).map(|words| words.join(" "))
        };
        assert_eq!(corrected("1.0.20", "sysbench cpu run").unwrap(), "sysbench cpu --time=60 --events=0 run");
        let early = "sysbench --test=cpu --max-time=60 --max-requests=0 run";
        assert_eq!(corrected("0.4.12", "sysbench --test=cpu run").unwrap(), early);
        assert_eq!(corrected("1.0.20", "sysbench --test=cpu --max-time=5 run").unwrap(), early);
        assert_eq!(corrected("1.0.20", "sysbench fileio --file-num=2 prepare"), None);
    }
}
