//! diskspd's XML (`-Rxml`) as it is printed, an element a line. It has counts where the text has rates, and its parameters
//! become lines as the text has them.

use model::tool_result::{PrintedValue, ToolMeasurement, ToolPart, ToolPartKind};
use model::{MetricName, Unit, metric};

use super::{Reading, Span, TableClass};
use crate::tool::block::ToolLine;
use crate::tool::latency::percentile;
use crate::tool::number::{exact, time, whole};
use crate::tool::reader::Extent;

/// Its first line.
pub(super) const FIRST: &str = "<Results>";

/// Its last.
const LAST: &str = "</Results>";

/// Parameters of a file that say nothing of the work with these values.
const USUAL: &[(&str, &str)] = &[
    ("BaseFileOffset", "0"),
    ("SequentialScan", "false"),
    ("RandomAccess", "false"),
    ("TemporaryFile", "false"),
    ("UseLargePages", "false"),
    ("ParallelAsyncIO", "false"),
    ("InterlockedSequential", "false"),
    ("ThreadStride", "0"),
    ("MaxFileSize", "0"),
    ("Throughput", "0"),
    ("IOPriority", "3"),
    ("Weight", "1"),
];

/// Whether a line belongs to it; `None` where the output is not its.
pub(super) fn extent(before: &[ToolLine], last: &ToolLine) -> Option<Extent> {
    let first = before.first().unwrap_or(last);
    let text = last.text.trim();
    (first.text.trim() == FIRST).then(|| match text {
        LAST => Extent::EndsHere,
        FIRST if !before.is_empty() => Extent::EndsBefore,
        _ if text.is_empty() || text.starts_with('<') => Extent::More,
        _ => Extent::EndsBefore,
    })
}

/// What a line has.
#[derive(Debug, PartialEq)]
enum Element<'a> {
    Begins(&'a str),
    Ends,
    Value(&'a str, &'a str),
    Other,
}

fn element(text: &str) -> Element<'_> {
    let Some(inside) = text.trim().strip_prefix('<') else { return Element::Other };
    if inside.starts_with('/') {
        return Element::Ends;
    }
    let Some((tag, rest)) = inside.split_once('>').filter(|(tag, _)| !tag.ends_with(['/', '?'])) else {
        return Element::Other;
    };
    let name = tag.split(' ').next().unwrap_or_default();
    match rest.strip_suffix('>').and_then(|rest| rest.rsplit_once("</")) {
        Some((value, end)) if end == name => Element::Value(name, value),
        _ if rest.is_empty() => Element::Begins(name),
        _ => Element::Other,
    }
}

/// What one thread did to one file, of each class.
#[derive(Default)]
struct Counts {
    line: u64,
    thread: String,
    total: (u64, u64),
    read: (u64, u64),
    write: (u64, u64),
}

/// The document on the way.
#[derive(Default)]
struct Document<'a> {
    path: Vec<&'a str>,
    span: Span,
    counts: Vec<Counts>,
    thread: &'a str,
    percent: &'a str,
    /// How many files its parameters have.
    targets: usize,
}

/// Reads a document as far as it goes.
pub(super) fn read(lines: &[ToolLine], reading: &mut Reading) {
    let mut document = Document::default();
    for line in lines {
        match element(&line.text) {
            Element::Begins(name) => document.begin(name, line.number, reading),
            Element::Ends => document.end(reading),
            Element::Value(name, value) => document.value(line.number, name, value, reading),
            Element::Other => {}
        }
    }
}

impl<'a> Document<'a> {
    fn begin(&mut self, name: &'a str, line: u64, reading: &mut Reading) {
        self.path.push(name);
        match self.path.as_slice() {
            ["Results", "TimeSpan"] => {
                let number = reading.spans.len() as u64 + 1;
                self.span = Span { number, ..Span::default() };
                self.counts.clear();
            }
            ["Results", "Profile", "TimeSpans", "TimeSpan"] => {
                self.targets = 0;
                reading.parameters.push((reading.parameters.len() as u64 + 1, Vec::new()));
            }
            ["Results", "TimeSpan", "Thread", "Target"] => {
                self.counts.push(Counts { line, thread: self.thread.to_owned(), ..Counts::default() });
            }
            _ => {}
        }
    }

    fn end(&mut self, reading: &mut Reading) {
        match self.path.as_slice() {
            ["Results", "TimeSpan"] => reading.spans.push(self.whole_span()),
            ["Results", "Profile", "TimeSpans", "TimeSpan", "Targets", "Target"] => {
                self.targets += 1;
                if let Some((_, lines)) = reading.parameters.last_mut() {
                    caches(lines);
                    if self.targets > 1 {
                        lines.push(format!("targets: {}", self.targets));
                    }
                }
            }
            _ => {}
        }
        self.path.pop();
    }

    fn value(&mut self, line: u64, name: &str, value: &'a str, reading: &mut Reading) {
        match self.path.as_slice() {
            ["Results", "System"] if name == "RunTime" => reading.moment = Some(value.to_owned()),
            ["Results", "Profile", "TimeSpans", "TimeSpan", place @ ..] => {
                if let Some((_, lines)) = reading.parameters.last_mut() {
                    lines.extend(parameter(place, name, value));
                }
            }
            ["Results", "TimeSpan"] if name == "TestTimeSeconds" => {
                self.span.window = time(line, value, "s").filter(|window| window.value > 0.0);
            }
            ["Results", "TimeSpan", "Latency"] => {
                if let Some(class) = class(name.strip_prefix("Average").unwrap_or_default()) {
                    self.span.of(class).add(metric::LATENCY_MEAN, time(line, value, "ms"));
                }
            }
            ["Results", "TimeSpan", "Latency", "Bucket"] if name == "Percentile" => self.percent = value,
            ["Results", "TimeSpan", "Latency", "Bucket"] => {
                if let Some((class, metric)) = class(name).zip(rank(self.percent)) {
                    self.span.of(class).add(metric, time(line, value, "ms"));
                }
            }
            ["Results", "TimeSpan", "Thread"] if name == "Id" => self.thread = value,
            ["Results", "TimeSpan", "Thread", "Target"] => self.count(name, value),
            _ => {}
        }
    }

    fn count(&mut self, name: &str, value: &str) {
        if name == "FileSize" && !self.span.sizes.iter().any(|other| other == value) {
            self.span.sizes.push(value.to_owned());
        }
        let Some((counts, (number, ""))) = self.counts.last_mut().zip(whole(value)) else { return };
        match name {
            "BytesCount" => counts.total.0 = number,
            "IOCount" => counts.total.1 = number,
            "ReadBytes" => counts.read.0 = number,
            "ReadCount" => counts.read.1 = number,
            "WriteBytes" => counts.write.0 = number,
            "WriteCount" => counts.write.1 = number,
            _ => {}
        }
    }

    /// The timespan that was read, with the rates of all threads before its latencies.
    fn whole_span(&mut self) -> Span {
        let mut span = std::mem::take(&mut self.span);
        let line = self.counts.first().map_or(0, |counts| counts.line);
        let sum = |of: fn(&Counts) -> (u64, u64)| {
            self.counts.iter().map(of).fold((0_u64, 0_u64), |(bytes, count), own| {
                (bytes.saturating_add(own.0), count.saturating_add(own.1))
            })
        };
        let window = span.window.clone();
        for (class, (bytes, count)) in [
            (TableClass::Total, sum(|counts| counts.total)),
            (TableClass::Read, sum(|counts| counts.read)),
            (TableClass::Write, sum(|counts| counts.write)),
        ] {
            let own = span.of(class);
            let latencies = std::mem::take(&mut own.figures);
            *own = measured(line, bytes, count, window.as_ref());
            if bytes > 0 {
                own.figures.extend(latencies);
            }
        }
        span.threads = self.counts.iter().map(|counts| part(counts, window.as_ref())).collect();
        span
    }
}

fn part(counts: &Counts, window: Option<&PrintedValue>) -> ToolPart {
    let (bytes, count) = counts.total;
    ToolPart {
        kind: ToolPartKind::Thread,
        name: counts.thread.clone(),
        start_s: None,
        measured: measured(counts.line, bytes, count, window),
    }
}

/// What so many bytes and operations are in a time; nothing of no bytes.
fn measured(line: u64, bytes: u64, count: u64, window: Option<&PrintedValue>) -> ToolMeasurement {
    if bytes == 0 {
        return ToolMeasurement::default();
    }
    let rate = |amount: u64, unit: Unit| {
        let window = window?;
        let value = amount as f64 / window.value;
        Some(PrintedValue {
            line,
            text: format!("{amount} / {}", window.text),
            value,
            unit,
            half_step: value * window.half_step / window.value,
            counting: None,
        })
    };
    let mut measured = ToolMeasurement {
        window: window.cloned(),
        bytes: Some(exact(line, bytes, Unit::Bytes)),
        operations: Some(exact(line, count, Unit::One)),
        ..ToolMeasurement::default()
    };
    measured.add(metric::THROUGHPUT, rate(bytes, Unit::BytesPerSecond));
    measured.add(metric::IOPS, rate(count, Unit::PerSecond));
    measured
}

/// `TotalMilliseconds`.
fn class(name: &str) -> Option<TableClass> {
    match name {
        "TotalMilliseconds" => Some(TableClass::Total),
        "ReadMilliseconds" => Some(TableClass::Read),
        "WriteMilliseconds" => Some(TableClass::Write),
        _ => None,
    }
}

/// The percentiles that the text has, too: the XML has each of a hundred.
fn rank(percent: &str) -> Option<MetricName> {
    match percent {
        "50" | "90" | "95" | "99" | "99.9" | "99.99" => percentile(percent),
        "100" => Some(metric::LATENCY_MAX),
        _ => None,
    }
}

/// A parameter as a line of the text; `None` where it says nothing of the work.
fn parameter(place: &[&str], name: &str, value: &str) -> Option<String> {
    match place {
        [] => of_timespan(name, value),
        ["Targets", "Target"] => of_target(name, value),
        [.., "ThreadTarget"] => Some(format!("{name}: {value}")),
        _ => None,
    }
}

fn of_timespan(name: &str, value: &str) -> Option<String> {
    Some(match name {
        "Duration" => format!("duration: {value}s"),
        "Warmup" => format!("warm up time: {value}s"),
        "Cooldown" => format!("cool down time: {value}s"),
        "RandSeed" => format!("random seed: {value}"),
        "MeasureLatency" if value == "true" => "measuring latency".to_owned(),
        "CompletionRoutines" if value == "false" => "using I/O Completion Ports".to_owned(),
        "CompletionRoutines" => "using completion routines".to_owned(),
        "ThreadCount" | "RequestCount" if value != "0" => format!("{name}: {value}"),
        _ => return None,
    })
}

fn of_target(name: &str, value: &str) -> Option<String> {
    Some(match name {
        "Path" => format!("path: '{value}'"),
        "BlockSize" => format!("block size: {value}"),
        "Random" => format!("using random I/O (alignment: {value})"),
        "StrideSize" => format!("using sequential I/O (stride: {value})"),
        "RequestCount" => format!("number of outstanding I/O operations per thread: {value}"),
        "ThreadsPerFile" => format!("threads per file: {value}"),
        "WriteRatio" => match whole(value)?.0 {
            0 => "performing read test".to_owned(),
            100 => "performing write test".to_owned(),
            written => format!(
                "performing mix test (read/write ratio: {}/{written})",
                100_u64.saturating_sub(written)
            ),
        },
        "DisableAllCache" if value == "true" => "software and hardware cache disabled".to_owned(),
        "DisableOSCache" if value == "true" => "software cache disabled".to_owned(),
        "WriteThrough" if value == "true" => "hardware write cache disabled, writethrough on".to_owned(),
        "FileSize" => return None,
        _ if USUAL.contains(&(name, value)) => return None,
        _ => format!("{name}: {value}"),
    })
}

/// Says which caches are used: only those that are not have elements.
fn caches(lines: &mut Vec<String>) {
    let has = |what: &str| lines.iter().any(|line| line.contains(what));
    let usual = [
        ("software cache disabled", "using software cache"),
        ("hardware write cache disabled", "using hardware write cache, writethrough off"),
    ];
    let is_without = has("software and hardware cache disabled");
    let added: Vec<String> = usual
        .iter()
        .filter(|(disabled, _)| !is_without && !lines.iter().any(|line| line.contains(disabled)))
        .map(|(_, told)| (*told).to_owned())
        .collect();
    lines.extend(added);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::storage::diskspd::NAME;

    const DOCUMENT: &str = "<Results>\n <System>\n  <ComputerName>host</ComputerName>\n  <RunTime>2026/11/28 09:00:00 UTC</RunTime>\n\
        \x20 <Group Group=\"0\" Processors=\"0xf\"/>\n </System>\n\
        \x20<Profile>\n  <TimeSpans>\n   <TimeSpan>\n    <CompletionRoutines>false</CompletionRoutines>\n\
        \x20   <Duration>10</Duration>\n    <ThreadCount>0</ThreadCount>\n    <Targets>\n     <Target>\n      <Path>x.dat</Path>\n\
        \x20     <BlockSize>4096</BlockSize>\n      <DisableOSCache>true</DisableOSCache>\n      <FileSize>1073741824</FileSize>\n\
        \x20     <Random>4096</Random>\n      <RequestCount>8</RequestCount>\n      <WriteRatio>0</WriteRatio>\n\
        \x20     <ThreadsPerFile>2</ThreadsPerFile>\n      <IOPriority>3</IOPriority>\n\
        \x20    </Target>\n    </Targets>\n   </TimeSpan>\n  </TimeSpans>\n </Profile>\n\
        \x20<TimeSpan>\n  <TestTimeSeconds>10.00</TestTimeSeconds>\n  <Latency ReadHistoBuckets=\"5\">\n\
        \x20  <AverageTotalMilliseconds>2.000</AverageTotalMilliseconds>\n   <Bucket>\n    <Percentile>50</Percentile>\n\
        \x20   <TotalMilliseconds>1.500</TotalMilliseconds>\n   </Bucket>\n   <Bucket>\n    <Percentile>100</Percentile>\n\
        \x20   <TotalMilliseconds>8.000</TotalMilliseconds>\n   </Bucket>\n  </Latency>\n\
        \x20 <Thread>\n   <Id>0</Id>\n   <Target>\n    <Path>x.dat</Path>\n    <BytesCount>40960000</BytesCount>\n\
        \x20   <FileSize>1073741824</FileSize>\n    <IOCount>10000</IOCount>\n    <ReadBytes>40960000</ReadBytes>\n\
        \x20   <ReadCount>10000</ReadCount>\n    <WriteBytes>0</WriteBytes>\n    <WriteCount>0</WriteCount>\n   </Target>\n  </Thread>\n\
        \x20 <Thread>\n   <Id>1</Id>\n   <Target>\n    <Path>x.dat</Path>\n    <BytesCount>40960000</BytesCount>\n\
        \x20   <FileSize>1073741824</FileSize>\n    <IOCount>10000</IOCount>\n   </Target>\n  </Thread>\n </TimeSpan>\n</Results>\n";

    #[test]
    fn a_document_has_the_rates_of_its_counts_and_the_work_of_its_parameters() {
        let output = crate::tool::read("", format!("{DOCUMENT}so it was\n").as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        assert_eq!((result.tool.as_str(), output.unread.len(), result.parts.len()), (NAME, 1, 2));
        let names: Vec<&str> = result.whole.figures.iter().map(|figure| figure.metric.as_str()).collect();
        assert_eq!(names, ["throughput", "iops", "latency_mean", "latency_p50", "latency_max"]);
        let values: Vec<f64> = result.whole.figures.iter().map(|figure| figure.printed.value).collect();
        assert_eq!(values, [8_192_000.0, 2000.0, 0.002, 0.0015, 0.008]);
        let parameters: Vec<String> =
            result.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
        for parameter in ["pattern=randread", "block-size=4096", "queue-depth=8", "threads=2", "direct=yes"] {
            assert!(parameters.iter().any(|own| own == parameter), "{parameters:?}");
        }
        assert_eq!(result.moment.as_deref(), Some("2026/11/28 09:00:00 UTC"));
    }

    #[test]
    fn what_is_cut_has_no_figures_and_writes_are_told() {
        let (cut, _) = DOCUMENT.split_once(" </TimeSpan>\n</Results>").unwrap();
        let output = crate::tool::read("", cut.as_bytes()).unwrap();
        assert_eq!((output.results.len(), output.unread[0].tool.as_deref()), (0, Some(NAME)));
        assert_eq!(
            of_target("WriteRatio", "30").as_deref(),
            Some("performing mix test (read/write ratio: 70/30)")
        );
        assert_eq!(of_target("Throughput", "5").as_deref(), Some("Throughput: 5"));
        let mut lines = vec!["hardware write cache disabled, writethrough on".to_owned()];
        caches(&mut lines);
        assert_eq!(lines[1..], ["using software cache"]);
    }

    #[test]
    fn elements_are_known_by_their_ends() {
        assert_eq!(element("  <Id>0</Id>"), Element::Value("Id", "0"));
        assert_eq!(element("<Latency ReadHistoBuckets=\"5\">"), Element::Begins("Latency"));
        assert_eq!(element("</Latency>"), Element::Ends);
        for text in ["<Group A=\"0\"/>", "<?xml version=\"1.0\"?>", "<A>1</A><B>2</B>", "text"] {
            assert_eq!(element(text), Element::Other, "{text}");
        }
    }
}
