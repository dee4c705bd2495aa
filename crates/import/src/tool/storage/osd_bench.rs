//! `ceph tell osd.N bench`: how fast one daemon of Ceph writes to its device. Each JSON text of it is a result.

use model::tool_result::{PrintedValue, ToolResult};
use model::{Unit, metric};
use serde_json::{Map, Value};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{bare, exact, plain, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct OsdBench;

const NAME: &str = "ceph-osd-bench";

impl ToolReader for OsdBench {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the JSON of `ceph tell osd.N bench`, also of several daemons (`osd.*`), and the line of early versions"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["ceph"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // It prints bytes.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["osd."]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        (daemon(text).is_some() || early(text).is_some()).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        // The text of a daemon is an object without others in it.
        if early(text).is_some() && before.is_empty() || text.ends_with('}') {
            return Extent::EndsHere;
        }
        if before.is_empty() || text.starts_with('"') && before.len() < LINES_MAX {
            Extent::More
        } else {
            Extent::EndsBefore
        }
    }

    fn knows_json(&self, text: &str) -> bool {
        ["\"bytes_written\"", "\"blocksize\"", "\"bytes_per_sec\""].iter().all(|name| text.contains(name))
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        let first = block.lines.first().map(|line| line.text.trim()).unwrap_or_default();
        if let Some(early) = early(first) {
            early.keep(result.lines.first, &mut result);
            return Ok(vec![result]);
        }
        let text = block.text();
        let (before, json) = text.split_at(text.find('{').ok_or(NotUnderstood::OtherText)?);
        let object: Map<String, Value> =
            serde_json::from_str(json).map_err(|error| match error.is_eof() {
                true => NotUnderstood::CutShort,
                false => NotUnderstood::OtherText,
            })?;
        let daemon = before.trim().strip_suffix(':').map(str::to_owned);
        let asked = || result.command.iter().find(|word| is_daemon(word)).cloned();
        if let Some(daemon) = daemon.or_else(asked) {
            result.options.insert("daemon".to_owned(), daemon);
        }
        // Early versions have numbers as texts.
        let told = |name: &str| match object.get(name)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        };
        let line_of = |name: &str| {
            let key = format!("\"{name}\"");
            block
                .lines
                .iter()
                .find(|line| line.text.contains(&key))
                .map_or(result.lines.first, |line| line.number)
        };
        let number = |name: &str, unit: Unit| {
            let text = told(name)?;
            let value: f64 = text.parse().ok()?;
            Some(PrintedValue { half_step: 0.0, ..plain(line_of(name), text, value, unit) })
        };
        let bytes = number("bytes_written", Unit::Bytes);
        let window = number("elapsed_sec", Unit::Seconds);
        let rate = number("bytes_per_sec", Unit::BytesPerSecond);
        let iops = number("iops", Unit::PerSecond);
        let block_size = told("blocksize");
        result.options.extend(block_size.map(|size| ("block-size".to_owned(), size)));
        result.options.insert("operation".to_owned(), "write".to_owned());
        result.whole.bytes = bytes;
        result.whole.window =
            window.map(|seconds| PrintedValue { text: format!("{} s", seconds.text), ..seconds });
        result.whole.add(
            metric::THROUGHPUT,
            rate.map(|rate| PrintedValue { text: format!("{} B/s", rate.text), ..rate }),
        );
        result.whole.add(metric::IOPS, iops);
        if result.whole.figures.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// A text of it has fewer lines.
const LINES_MAX: usize = 12;

fn is_daemon(word: &str) -> bool {
    word.strip_prefix("osd.").is_some_and(|id| !id.is_empty() && id.chars().all(|c| c.is_ascii_digit()))
}

/// `osd.3: {`, above what that daemon did.
fn daemon(text: &str) -> Option<&str> {
    let (daemon, rest) = text.split_once(':')?;
    (is_daemon(daemon) && rest.trim_start().starts_with('{')).then_some(daemon)
}

/// `osd.0: bench: wrote 1024 MB in blocks of 4096 KB in 9.145 sec at 111 MB/sec`, until version 0.94 in the log of the cluster.
struct Early<'a> {
    daemon: &'a str,
    bytes: u64,
    block: u64,
    seconds: &'a str,
    rate: &'a str,
}

fn early(text: &str) -> Option<Early<'_>> {
    let (before, rest) = text.split_once("bench: wrote ")?;
    let daemon =
        before.split_whitespace().map(|word| word.trim_end_matches(':')).find(|word| is_daemon(word))?;
    let (bytes, rest) = rest.split_once(" in blocks of ")?;
    let (block, rest) = rest.split_once(" in ")?;
    let (seconds, rate) = rest.split_once(" sec at ")?;
    let size = |text: &str| {
        let (number, unit) = whole(text)?;
        let shift = match unit.trim() {
            "bytes" => 0,
            "kB" | "KB" => 10,
            "MB" => 20,
            "GB" => 30,
            _ => return None,
        };
        number.checked_mul(1 << shift)
    };
    Some(Early { daemon, bytes: size(bytes)?, block: size(block)?, seconds, rate })
}

impl Early<'_> {
    fn keep(&self, line: u64, result: &mut ToolResult) {
        result.options.insert("daemon".to_owned(), self.daemon.to_owned());
        result.options.insert("block-size".to_owned(), self.block.to_string());
        result.options.insert("operation".to_owned(), "write".to_owned());
        result.whole.bytes = Some(exact(line, self.bytes, Unit::Bytes));
        result.whole.window = time(line, self.seconds, "s");
        // Its multiples are of 1024, and the rest is cut off.
        let rate = bare(line, self.rate, Unit::BytesPerSecond);
        let (_, unit) = self.rate.split_once(' ').unwrap_or_default();
        let scale = match unit.trim_end_matches("/sec") {
            "kB" | "KB" => 1024.0,
            "MB" => 1_048_576.0,
            "GB" => 1_073_741_824.0,
            _ => return,
        };
        let rate = rate.map(|rate| PrintedValue {
            text: self.rate.to_owned(),
            value: rate.value * scale,
            half_step: rate.half_step * 2.0 * scale,
            ..rate
        });
        result.whole.add(metric::THROUGHPUT, rate);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_daemon_is_a_result() {
        let text = "$ ceph tell osd.* bench\nosd.0: {\n    \"bytes_written\": 1073741824,\n    \"blocksize\": 4194304,\n\
                    \x20   \"elapsed_sec\": 19.14666016,\n    \"bytes_per_sec\": 56079849.698444746,\n    \"iops\": 13.370478081332385\n}\n\
                    osd.1: {\n    \"bytes_written\": 1073741824,\n    \"blocksize\": 4194304,\n    \"elapsed_sec\": 10.0,\n\
                    \x20   \"bytes_per_sec\": 107374182.4,\n    \"iops\": 25.6\n}\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [first, second] = output.results.as_slice() else { panic!("{:?}", output.unread) };
        assert_eq!((first.options["daemon"].as_str(), second.options["daemon"].as_str()), ("osd.0", "osd.1"));
        assert_eq!(first.whole.bytes.as_ref().unwrap().value, 1_073_741_824.0);
        let rate = second.whole.figure(metric::THROUGHPUT).unwrap();
        assert_eq!((rate.value, rate.line), (107_374_182.4, 13));
        assert!(output.unread.is_empty());
    }

    #[test]
    fn json_of_every_version_is_read() {
        let early = "# ceph tell osd.7 bench\n{ \"bytes_written\": 1073741824,\n  \"blocksize\": 4194304,\n  \"bytes_per_sec\": \
                     \"42741605.000000\"}\n";
        let output = crate::tool::read("", early.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{:?}", output.unread) };
        assert_eq!(result.whole.figure(metric::THROUGHPUT).unwrap().value, 42_741_605.0);
        assert_eq!(result.options["daemon"], "osd.7");
        let log = "2012-06-01 10:00:00.1 osd.0 10.0.0.1:6800/1 3 : [INF] bench: wrote 1024 MB in blocks of 4096 KB in 9.145 sec \
                   at 111 MB/sec\n";
        let output = crate::tool::read("", log.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{:?}", output.unread) };
        assert_eq!(result.whole.figure(metric::THROUGHPUT).unwrap().value, 111.0 * 1_048_576.0);
        assert_eq!(result.whole.window.as_ref().unwrap().value, 9.145);
    }
}
