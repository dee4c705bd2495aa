//! What stands above a result and is not in it: a figure in the heading that the log does not have,
//! or a name of a job that says another work than its options do.

use model::finding::Evidence;
use model::tool_result::{PrintedValue, ToolResult, UnreadCause, UnreadLines};
use model::{Finding, FindingKind, ParameterName, Severity, Unit};

use super::command::contradictions;
use crate::check::prose::{WrittenNumber, heading, numbers};
use crate::check::work::{block_bytes, is_closed_loop, option};
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// A written figure that is further away from all that was printed is of something else.
const NEAR: f64 = 0.25;

/// The same of operations per second, which stand in headings where they were measured.
const NEAR_OPERATIONS: f64 = 0.4;

/// What links of networks carry, in bits per second: such a number names the link.
const LINKS: &[f64] = &[10e6, 100e6, 1e9, 2.5e9, 5e9, 10e9, 25e9, 40e9, 50e9, 100e9];

/// What is longer is a sentence, and may tell of much else.
const TITLE_MAX: usize = 60;

/// Words of what others promise, or of other runs; the last ones are Korean and Japanese: before, until now, than, goal,
/// specification, at most.
pub(super) const OF_OTHERS: &[&str] = &[
    "spec",
    "datasheet",
    "data sheet",
    "promise",
    "rated",
    "advertis",
    "up to",
    "limit",
    "target",
    "expect",
    "should",
    "instead",
    "before",
    "previous",
    "earlier",
    "versus",
    " vs",
    "line rate",
    "theoret",
    "max. ",
    "\u{c774}\u{c804}",
    "\u{ae30}\u{c874}",
    "\u{bcf4}\u{b2e4}",
    "\u{baa9}\u{d45c}",
    "\u{c0ac}\u{c591}",
    "\u{4ee5}\u{524d}",
    "\u{5f93}\u{6765}",
    "\u{3088}\u{308a}",
    "\u{76ee}\u{6a19}",
    "\u{4ed5}\u{69d8}",
    "\u{6700}\u{5927}",
];

/// Words of what is compared with the result, or made of several.
const COMPARES: &[&str] =
    &["other", "than", "without", "with ", "mean of", "average of", "but ", "faster", "slower"];

/// What `time` prints is beside a result, and no other one.
const CLOCK: &str = "time";

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "heading-contradicts-log",
    doc: "The heading above a result, or a line right below the only one, has a figure that the result does not have, or the \
          name of a job, or its command, says another work than was done.",
    english: r#"
finding-heading-contradicts-log =
    { $how ->
        [figure] the heading says { $printed }; no figure below it agrees, the nearest is { $other }
        [conclusion] the text below says { $printed }; no figure above it agrees, the nearest is { $other }
        [command] its command has { $printed }, but the output says { $other }: it is of another run, or one of them was changed
        [pattern] it is called “{ $name }”, but did { $other }
       *[size] it is called “{ $name }”, but its operations were of { BINARY($block) }
    }
    .advice = rely on the log, and correct what is written beside it

evidence-heading-line =
    line { $line }: { $name }
"#,
    remedies: &[],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, context: &ToolCheckContext<'_>) -> Vec<Finding> {
    let above = context.output_of(result).and_then(|output| heading(output, result));
    let texts = above.into_iter().flat_map(UnreadLines::texts);
    let mut found: Vec<Finding> = texts.flat_map(|(at, text)| of_text(result, at, text)).collect();
    found.extend(conclusion(result, context));
    if let Some(name) = option(result, &["name"]) {
        found.extend(work(result, name, result.lines.first));
    }
    found.extend(contradictions(result).into_iter().map(|(asked, told)| {
        let line = line(result.lines.first, &told);
        about("command", Severity::Warning).arg("printed", asked).arg("other", told).because(line)
    }));
    found
}

/// What stands right below the only result of a text, in one line.
fn conclusion(result: &ToolResult, context: &ToolCheckContext<'_>) -> Option<Finding> {
    let output = context.output_of(result)?;
    // No more are counted: each of many results asks.
    let has_others = output.results.iter().filter(|other| other.tool != CLOCK).nth(1).is_some();
    let below = output.unread.iter().find(|unread| unread.lines.first > result.lines.last)?;
    let is_title = below.text.chars().count() <= TITLE_MAX && below.cause == UnreadCause::NoTool;
    let lower = below.text.to_lowercase();
    let is_of_others = OF_OTHERS.iter().chain(COMPARES).any(|word| lower.contains(word));
    if has_others || result.tool == CLOCK || !is_title || is_of_others {
        return None;
    }
    let number = numbers(&below.text).into_iter().find(|number| number.unit != Unit::Seconds)?;
    let wrong = figure(result, &number)?.arg("how", "conclusion");
    Some(wrong.because(line(below.lines.first, &below.text)))
}

/// Of one line above it.
fn of_text(result: &ToolResult, at: u64, text: &str) -> Vec<Finding> {
    let lower = text.to_lowercase();
    let is_of_others = OF_OTHERS.iter().any(|word| lower.contains(word));
    let written = if is_of_others { Vec::new() } else { numbers(text) };
    let wrong = written.iter().filter_map(|number| figure(result, number));
    let mut found: Vec<Finding> = wrong.map(|finding| finding.because(line(at, text))).collect();
    if text.chars().count() <= TITLE_MAX {
        found.extend(work(result, text, at));
    }
    found
}

fn line(line: u64, text: &str) -> Evidence {
    Evidence::maybe_at("heading-line", None).arg("line", line).arg("name", text)
}

fn about(how: &str, severity: Severity) -> Finding {
    Finding::new(FindingKind::Validity, CHECK.code, severity).arg("how", how)
}

/// That a written figure is none of the printed ones, though near to one.
fn figure(result: &ToolResult, number: &WrittenNumber) -> Option<Finding> {
    let unit = number.unit;
    // How long it was to run is no figure of it, nor is a rate that was asked for, nor that of a link.
    let is_asked = unit == Unit::Seconds && number.meanings.iter().any(|seconds| *seconds >= 1.0)
        || unit == Unit::PerSecond && !is_closed_loop(result);
    if is_asked || is_of_link(number) {
        return None;
    }
    let figures = || {
        let of_all = result.measurements().flat_map(|(_, measured)| {
            measured.figures.iter().map(|figure| &figure.printed).chain(&measured.window)
        });
        of_all.filter(move |printed| printed.unit == unit && printed.value > 0.0)
    };
    let may_be = |printed: &PrintedValue| {
        [printed.least(), printed.value, printed.most()].into_iter().any(|value| number.may_be(value))
    };
    if figures().any(may_be) {
        return None;
    }
    let by_distance =
        |a: &&PrintedValue, b: &&PrintedValue| number.distance(a.value).total_cmp(&number.distance(b.value));
    let nearest = figures().min_by(by_distance)?;
    let near = if unit == Unit::PerSecond { NEAR_OPERATIONS } else { NEAR };
    if number.distance(nearest.value) > near {
        return None;
    }
    let finding = about("figure", Severity::Warning);
    Some(finding.arg("printed", number.text.as_str()).arg("other", nearest.text.as_str()))
}

pub(super) fn is_of_link(number: &WrittenNumber) -> bool {
    let is_one = |meaning: &f64| LINKS.iter().any(|link| (meaning * 8.0 / link - 1.0).abs() < 1e-9);
    number.unit == Unit::BytesPerSecond && number.text.contains('b') && number.meanings.iter().any(is_one)
}

/// That a name says another work than was done.
fn work(result: &ToolResult, name: &str, at: u64) -> Option<Finding> {
    let done =
        result.parameters.text(ParameterName::PATTERN).ok().or_else(|| option(result, &["rw", "readwrite"]));
    if let (Some(said), Some(done)) = (pattern_said(name), done)
        && said != done
    {
        let finding = about("pattern", Severity::Warning).arg("name", name).arg("other", done);
        return Some(finding.because(line(at, name)));
    }
    let block = block_bytes(result)?;
    let said = size_said(name).filter(|said| *said != block)?;
    let span = result.parameters.integer(ParameterName::SIZE).ok();
    let is_other =
        span == Some(said) || result.whole.bytes.as_ref().is_some_and(|bytes| bytes.value == said as f64);
    let finding = about("size", Severity::Warning).arg("name", name).arg("block", block);
    (!is_other).then(|| finding.because(line(at, name)))
}

/// The words of a name, in lower case, parted where letters and digits are.
fn words(name: &str) -> Vec<String> {
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric());
    parts.filter(|part| !part.is_empty()).map(str::to_ascii_lowercase).collect()
}

/// The pattern that a name says, where it says one alone, in fio's word.
fn pattern_said(name: &str) -> Option<&'static str> {
    let words = words(name);
    let has = |any: &[&str]| words.iter().any(|word| any.contains(&word.as_str()));
    let random = has(&["random", "rand", "rnd"]);
    let (reads, writes) = (has(&["read", "reads"]), has(&["write", "writes"]));
    let joined = [
        (has(&["randread", "randomread"]) || random && reads && !writes, "randread"),
        (has(&["randwrite", "randomwrite"]) || random && writes && !reads, "randwrite"),
        (has(&["seqread"]) || has(&["sequential", "seq"]) && reads && !writes && !random, "read"),
        (has(&["seqwrite"]) || has(&["sequential", "seq"]) && writes && !reads && !random, "write"),
    ];
    let mut said = joined.iter().filter(|(says, _)| *says).map(|(_, pattern)| *pattern);
    let first = said.next()?;
    said.next().is_none().then_some(first)
}

/// The size that a name says, where it is one alone: `4k`, `128KiB`.
fn size_said(name: &str) -> Option<u64> {
    let mut sizes = words(name).into_iter().filter_map(|word| {
        let end = word.find(|c: char| !c.is_ascii_digit())?;
        let shift = match word.get(end..)? {
            "k" | "kb" | "kib" => 10,
            "m" | "mb" | "mib" => 20,
            _ => return None,
        };
        word.get(..end)?.parse::<u64>().ok()?.checked_mul(1 << shift)
    });
    let first = sizes.next()?;
    sizes.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use model::Value;

    use super::*;
    use crate::check::fixture;

    fn said(text: &str) -> Option<String> {
        let found = fixture::found(&CHECK, text);
        match found.first()?.args.get("how")? {
            Value::Text(how) => Some(how.clone()),
            other => panic!("{other:?}"),
        }
    }

    fn dd(heading: &str) -> String {
        format!(
            "{heading}\n64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 0.500000 s, 134 MB/s\n"
        )
    }

    #[test]
    fn a_figure_in_the_heading_is_one_of_the_log() {
        assert_eq!(said(&dd("Cache off: mean 134 MB/s")), None);
        assert_eq!(said(&dd("Cache off: 128 MiB/s in 0.5 s")), None);
        assert_eq!(said(&dd("Cache off: peak 141 MB/s")).as_deref(), Some("figure"));
        assert_eq!(said(&dd("A disk rated at 140 MB/s")), None, "that is the promise");
        assert_eq!(said(&dd("Better than 500 MB/s")), None, "that is another figure");
        assert_eq!(said(&dd("Tests of a disk\n\nCache off: peak 141 MB/s")).as_deref(), Some("figure"));
        assert_eq!(said(&dd("Over 1000 Mbit/s:")), None, "that is the link");
        assert_eq!(said(&dd("## dd with cache off: 141 MB/s")).as_deref(), Some("figure"));
        assert_eq!(said(&dd("# dd with cache off: 141 MB/s")).as_deref(), Some("figure"));
    }

    #[test]
    fn a_conclusion_below_the_only_result_is_one_of_its_figures() {
        let below = |text: &str| said(&format!("{}\n{text}\n", dd("A disk")));
        assert_eq!(below("Result: 150 MB/s").as_deref(), Some("conclusion"));
        assert_eq!(below("Result: 134 MB/s"), None);
        assert_eq!(below("The other one does 150 MB/s"), None);
        assert_eq!(
            said(&format!("{}{}Result: 150 MB/s\n", dd("A disk"), dd("Again"))),
            None,
            "it may be of both"
        );
    }

    #[test]
    fn a_command_of_another_run_is_told() {
        let text = fio("x");
        assert_eq!(said(&text), None);
        assert_eq!(said(&text.replacen("--rw=randwrite", "--rw=randread", 1)).as_deref(), Some("command"));
    }

    #[test]
    fn operations_in_the_heading_were_measured_unless_they_were_asked_for() {
        let wrk = |heading: &str, rate: &str| {
            format!(
                "{heading}\n$ wrk -t2 -c100 -d30s{rate} http://192.0.2.1/\nRunning 30s test @ http://192.0.2.1/\n  \
                 2 threads and 100 connections\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    \
                 Latency     5.00ms    1.20ms  50.00ms   90.00%\n    Req/Sec    10.00k     1.00k   12.00k    70.00%\n  \
                 600000 requests in 30.00s, 487.50MB read\nRequests/sec:  20000.00\nTransfer/sec:     16.25MB\n"
            )
        };
        assert_eq!(said(&wrk("nginx: 27,000 requests/s", "")).as_deref(), Some("figure"));
        assert_eq!(said(&wrk("nginx: 20,000 requests/s", "")), None);
        assert_eq!(said(&wrk("nginx at 21,000 requests/s", " -R21000")), None, "it was asked for");
    }

    fn fio(name: &str) -> String {
        format!(
            "$ fio --name={name} --rw=randwrite --bs=8k --size=64M\n\
             {name}: (g=0): rw=randwrite, bs=(R) 8192B-8192B, (W) 8192B-8192B, (T) 8192B-8192B, ioengine=psync, iodepth=1\n\
             fio-3.33\n{name}: (groupid=0, jobs=1): err= 0: pid=1: Fri Nov 27 19:33:58 2026\n  \
             write: IOPS=8192, BW=64.0MiB/s (67.1MB/s)(64.0MiB/1000msec); 0 zone resets\n"
        )
    }

    #[test]
    fn the_name_of_a_job_says_what_it_did() {
        for (name, how) in [
            ("randwrite-8k", None),
            ("seq-and-rand-write", None),
            ("rand_write_64m", None),
            ("rand-read-8k", Some("pattern")),
            ("seqwrite", Some("pattern")),
            ("randwrite_4k", Some("size")),
        ] {
            assert_eq!(said(&fio(name)).as_deref(), how, "{name}");
        }
    }
}
