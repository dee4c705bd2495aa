//! CrystalDiskMark's text (Ctrl+C in its window), of versions 3 to 9, and KDiskMark's, which is like it but has fio do
//! the work. Each of its lines is a measurement of its own: the best of several passes.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolResult};
use model::{MetricName, Unit, Value, WorkloadName, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{count, leading, quantity, time, whole};
use crate::tool::reader::{Beginning, DASHES, Extent, LineMarks, NotUnderstood, ToolReader};
use crate::tool::work::same_work;

/// The importer.
pub(super) struct CrystalDiskMark;

const NAME: &str = "crystaldiskmark";

const DECIMAL: CountingRule = CountingRule {
    tool: NAME,
    versions: "3.x to 9.x",
    units: "MB/s, GB/s",
    counting: Counting::Decimal,
    proof: "it says so itself: `MB/s = 1,000,000 bytes/s`; in crystaldiskmark-8.0-from-documentation 20000.0 reads of 4096 bytes \
            a second are 81.920 decimal MB/s, and 78.1 binary ones",
};

/// KDiskMark's, whose text says the same of it.
const OF_KDISKMARK: CountingRule = CountingRule {
    tool: NAME,
    versions: "KDiskMark 1 to 3",
    units: "MB/s are of 1024 * 1000 bytes",
    counting: Counting::Other,
    proof: "its src/benchmark.cpp divides fio's bw, which is in KiB/s, by 1000; in its README 497.0 reads of 1 MiB a second are \
            508.897 MB/s",
};

/// How many bytes of 1000 * 1000 one of its MB has.
const KDISKMARK_SCALE: f64 = 1.024;

const RULES: &[CountingRule] = &[DECIMAL, OF_KDISKMARK];

impl ToolReader for CrystalDiskMark {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the text that CrystalDiskMark 3 to 9 and KDiskMark copy, whole or only its lines of results, each of which is a result"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["DiskMark64", "DiskMark32", "DiskMark"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[
            "KDiskMark (",
            "CrystalDiskMark ",
            "SEQ",
            "Sequential",
            "RND",
            "Random",
            DASHES,
            "[Read]",
            "[Write]",
            "[Mix] Read ",
        ]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = unquoted(line);
        if version(text).is_some() || Test::of(text, Some(Direction::Read)).is_some() {
            return Some(Beginning::Certain);
        }
        (is_rule(text) || section(text).is_some()).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = unquoted(last);
        if before.is_empty() || text.is_empty() {
            return Extent::More;
        }
        let begins_again = is_rule(text) || version(text).is_some();
        // Between its own name and its results KDiskMark has a rule.
        if begins_again {
            let is_test = |line: &ToolLine| Test::of(unquoted(line), Some(Direction::Read)).is_some();
            let is_over = before.iter().rev().take(LINES_MAX).any(is_test);
            return if is_over { Extent::EndsBefore } else { Extent::More };
        }
        let is_own = section(text).is_some()
            || Test::of(text, Some(Direction::Read)).is_some()
            || BEGINNINGS.iter().any(|beginning| text.starts_with(beginning));
        if is_own { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut about = About::default();
        let mut direction = None;
        let mut measured = Vec::new();
        for line in block.lines {
            let text = unquoted(line);
            if let Some(section) = section(text) {
                direction = Some(section);
            } else if let Some(test) = Test::of(text, direction) {
                let is_of_kde =
                    about.version.as_deref().is_some_and(|version| version.starts_with("KDiskMark"));
                measured.extend(test.measured(line.number, is_of_kde).map(|figures| (test, figures)));
            } else {
                about.take(text);
            }
        }
        let results: Vec<ToolResult> =
            measured.into_iter().map(|(test, figures)| test.result(figures, &about, block)).collect();
        // Without any, it is something else that begins like it.
        let why = if about.version.is_some() { NotUnderstood::CutShort } else { NotUnderstood::OtherText };
        if results.is_empty() { Err(why) } else { Ok(results) }
    }
}

/// A text of it has fewer lines.
const LINES_MAX: usize = 128;

/// What other lines begin with.
const BEGINNINGS: &[&str] = &[
    "Crystal Dew World",
    "Flexible I/O Tester (",
    "* ",
    "Profile",
    "Test",
    "Mode",
    "Time",
    "Date",
    "OS",
    "Target",
    "Comment",
    "- ",
];

/// So many dashes a rule has: in version 2, up to 6, and since 7; others in KDiskMark.
const RULES_OF: &[usize] = &[50, 71, 77, 78, 80];

/// A line as it was before somebody quoted it.
fn unquoted(line: &ToolLine) -> &str {
    line.text.trim_start_matches(['>', ' ']).trim_end()
}

/// The line above and below its name.
fn is_rule(text: &str) -> bool {
    RULES_OF.contains(&text.len()) && text.bytes().all(|byte| byte == b'-')
}

/// `CrystalDiskMark 8.0.4 x64 (C) 2007-2021 hiyohiyo`, or `KDiskMark (3.1.4): https://github.com/JonMagon/KDiskMark`,
/// whose name is part of its version.
fn version(text: &str) -> Option<String> {
    let of_kde = text.strip_prefix("KDiskMark (").and_then(|rest| rest.split_once("): http"));
    if let Some((version, _)) = of_kde {
        return Some(format!("KDiskMark {version}"));
    }
    own_version(text).map(str::to_owned)
}

fn own_version(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("CrystalDiskMark ")?;
    let version = rest.split(' ').next()?;
    (rest.contains("(C)") && version.starts_with(|c: char| c.is_ascii_digit())).then_some(version)
}

/// What a test does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Read,
    Write,
    /// With the share of reads, in per cent.
    Mix(u64),
}

/// `[Read]`, `[Write]`, `[Mix] Read 70%/Write 30%`.
fn section(text: &str) -> Option<Direction> {
    match text {
        "[Read]" => Some(Direction::Read),
        "[Write]" => Some(Direction::Write),
        _ => {
            let (share, rest) = whole(text.strip_prefix("[Mix] Read ")?)?;
            rest.starts_with('%').then_some(Direction::Mix(share))
        }
    }
}

/// A line of results.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Test<'a> {
    direction: Direction,
    is_random: bool,
    /// Whether a space stands between the number and the unit of the block: KDiskMark's.
    is_parted: bool,
    /// Bytes; not told of sequential ones before version 7.
    block: Option<u64>,
    queues: u64,
    threads: u64,
    rate: &'a str,
    /// Where they are told.
    iops: Option<&'a str>,
    latency_us: Option<&'a str>,
}

impl<'a> Test<'a> {
    /// Reads `SEQ    1MiB (Q=  8, T= 1):   384.064 MB/s [    366.3 IOPS] < 21765.43 us>` below a heading, or, before
    /// version 7, `Random Read 4KiB (Q= 32,T= 1) :   402.1 MB/s [ 98174.6 IOPS]`, and in version 3 `Random Read
    /// 4KB (QD=32) :`.
    fn of(text: &'a str, section: Option<Direction>) -> Option<Self> {
        let (label, values) = text.split_once(':')?;
        let kind = label.split_whitespace().next()?;
        let is_random = match kind {
            "SEQ" | "Sequential" => false,
            "RND" | "Random" => true,
            _ => return None,
        };
        let direction = match label.split_whitespace().nth(1)? {
            "Read" => Direction::Read,
            "Write" => Direction::Write,
            // Its heading tells.
            _ => section.filter(|_| label.contains("(Q="))?,
        };
        let (rate, rest) = split_at_unit(values)?;
        let iops = between(rest, '[', "IOPS]");
        let latency_us = between(rest, '<', "us>");
        let (block, is_parted) = block_size(label);
        let setting = |name: &str| {
            let (_, value) = label.split_once(name)?;
            whole(value).map(|(value, _)| value)
        };
        let queues = setting("Q=").or_else(|| setting("QD=")).unwrap_or(1);
        let threads = setting("T=").unwrap_or(1);
        Some(Self { direction, is_random, is_parted, block, queues, threads, rate, iops, latency_us })
    }

    /// Its figures; `None` if it was not run.
    fn measured(&self, line: u64, is_of_kde: bool) -> Option<ToolMeasurement> {
        let mut measured = ToolMeasurement::default();
        let mut rate = quantity(line, self.rate, DECIMAL.counting).filter(|rate| rate.value > 0.0)?;
        let iops = self.iops.and_then(|iops| count(line, iops, Counting::Decimal, Unit::PerSecond));
        if self.is_parted || is_of_kde {
            // A port or a later version may count as its text says: the operations tell.
            let computed = iops.as_ref().zip(self.block).map(|(iops, block)| iops.value * block as f64);
            let is_nearer = |computed: f64| {
                (rate.value * KDISKMARK_SCALE - computed).abs() < (rate.value - computed).abs()
            };
            if computed.is_none_or(is_nearer) {
                rate.value *= KDISKMARK_SCALE;
                rate.half_step *= KDISKMARK_SCALE;
                rate.counting = Some(Counting::Other);
            }
        }
        measured.add(metric::THROUGHPUT, Some(rate));
        measured.add(metric::IOPS, iops);
        let latency: Option<PrintedValue> = self.latency_us.and_then(|latency| time(line, latency, "us"));
        measured.add(MetricName::new("latency_mean"), latency);
        Some(measured)
    }

    fn result(&self, figures: ToolMeasurement, about: &About, block: &ToolBlock<'_>) -> ToolResult {
        let mut result = block.result(NAME, CrystalDiskMark.programs());
        let line = figures.figures.first().map_or(result.lines.first, |figure| figure.printed.line);
        (result.lines.first, result.lines.last) = (line, line);
        result.version.clone_from(&about.version);
        result.moment.clone_from(&about.moment);
        let (name, share) = match self.direction {
            Direction::Read => ("read", None),
            Direction::Write => ("write", None),
            Direction::Mix(share) => ("mix", Some(share)),
        };
        let order = if self.is_random { "random" } else { "sequential" };
        let told = [
            ("test", Some(format!("{order} {name}"))),
            ("read-share", share.map(|share| format!("{share}%"))),
            ("block-size", self.block.map(|block| block.to_string())),
            ("queues", Some(self.queues.to_string())),
            ("threads", Some(self.threads.to_string())),
        ];
        let told = told.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        result.options = about.options.iter().cloned().chain(told).collect();
        if let Some(parameters) = self.parameters(about) {
            same_work(&mut result, WorkloadName::new("disk"), parameters);
        }
        result.whole = figures;
        result
    }

    /// The parameters of the same work; `None` where it is none of ours: of writes it is not told what is written
    /// through.
    fn parameters(&self, about: &About) -> Option<Vec<(&'static str, Value)>> {
        if self.direction != Direction::Read || !self.is_random && self.threads > 1 {
            return None;
        }
        Some(vec![
            ("pattern", if self.is_random { "randread" } else { "read" }.into()),
            ("block-size", self.block?.into()),
            ("engine", "aio".into()),
            ("direct", true.into()),
            ("queue-depth", self.queues.into()),
            ("threads", self.threads.into()),
            ("size", about.size?.into()),
            ("duration", about.duration_s?.into()),
        ])
    }
}

/// A rate at the beginning of a text, with its unit, and what stands behind it.
fn split_at_unit(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = ["MB/s", "GB/s"].iter().find_map(|unit| Some(text.find(unit)? + unit.len()))?;
    let (rate, rest) = (text.get(..end)?, text.get(end..)?);
    let number = leading(rate, false)?;
    matches!(number.rest.trim(), "MB/s" | "GB/s").then_some((rate, rest))
}

fn between<'a>(text: &'a str, before: char, behind: &str) -> Option<&'a str> {
    let (inside, _) = text.split_once(before)?.1.split_once(behind)?;
    Some(inside.trim())
}

/// The size of a block in `SEQ    1MiB (Q=  8, T= 1)`; KDiskMark parts the number from its unit, which is told, too.
fn block_size(label: &str) -> (Option<u64>, bool) {
    let words: Vec<&str> = label.split_whitespace().collect();
    let whole = words.iter().find_map(|word| bytes(word));
    let parted = || words.windows(2).find_map(|pair| bytes(&pair.concat()));
    match whole {
        Some(_) => (whole, false),
        None => {
            let parted = parted();
            (parted, parted.is_some())
        }
    }
}

/// `4KiB`, and in version 3 `4KB`, which is as much: 0.487 MB/s are 118.8 blocks a second there.
fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = whole(text)?;
    let scale: u64 = match unit {
        "KiB" | "KB" => 1 << 10,
        "MiB" | "MB" => 1 << 20,
        "GiB" | "GB" => 1 << 30,
        _ => return None,
    };
    number.checked_mul(scale)
}

/// What the text says of all its tests.
#[derive(Default)]
struct About {
    version: Option<String>,
    moment: Option<String>,
    options: Vec<(String, String)>,
    /// Bytes of the file.
    size: Option<u64>,
    duration_s: Option<f64>,
}

impl About {
    fn take(&mut self, text: &str) {
        if let Some(version) = version(text) {
            self.version = Some(version);
            return;
        }
        let Some((name, value)) = text.split_once(':') else { return };
        let (name, value) = (name.trim(), value.trim());
        match name {
            "Date" => self.moment = Some(value.to_owned()),
            "Test" | "Test Size" => {
                // `1 GiB (x5) [C: 50% (100/200GiB)]`, before `1000 MB [C: 50.0% (50.0/100.0 GB)] (x5)`.
                let size = value.split(['(', '[']).next().unwrap_or_default().replace(' ', "");
                self.size = bytes(&size);
                let passes = value.split_once("(x").and_then(|(_, passes)| whole(passes));
                // Version 7 has `[Interval: 5 sec]` there.
                let drive = value.split_once('[').and_then(|(_, drive)| drive.split_once(':'));
                let drive = drive.filter(|(drive, _)| drive.len() == 1);
                let told = [
                    ("size", Some(size)),
                    ("passes", passes.map(|(passes, _)| passes.to_string())),
                    ("drive", drive.map(|(drive, _)| drive.to_owned())),
                ];
                self.options
                    .extend(told.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
            }
            "Time" => {
                let measure = value.split_once("Measure ").and_then(|(_, time)| time.split(" /").next());
                let measure = measure.and_then(|time| quantity(0, time, Counting::Decimal));
                self.duration_s = measure.map(|time| time.value);
                self.options.push(("time".to_owned(), value.to_owned()));
            }
            "Profile" | "Mode" => self.options.push((name.to_ascii_lowercase(), value.to_owned())),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
