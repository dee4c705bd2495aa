//! curl: its progress meter, of one transfer or of several at once, and what `-w` printed: lines with
//! the names of its variables, or JSON.

mod meter;

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolResult};
use model::{MetricName, Unit, metric};
use serde::Deserialize;

use self::meter::{ParallelRow, Row, is_heading, is_parallel_heading, is_second_heading};
use super::{CommandOptions, folder, one_download};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{leading, plain};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Curl;

const NAME: &str = "curl";

const METER: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "k, M and G of the meter; its digits are cut off, not rounded",
    counting: Counting::Binary,
    proof: "curl-7.88-meter: 9000000 bytes are 8789.06 KiB and 9000 decimal kB; the meter has 8789k. lib/progress.c, \
            max5data divides by 1024",
};

const RULES: &[CountingRule] = &[METER];

impl ToolReader for Curl {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "curl's progress meter, of one transfer or of several at once (-Z), and lines of -w with the names of its variables, or \
         its JSON"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["curl"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["% Total", "DL%", ":--:", "time_", "size_", "speed_"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.as_str();
        if is_heading(text) || is_parallel_heading(text) {
            return Some(Beginning::Certain);
        }
        // Without its heading, a row is known by its times.
        let is_row = || text.contains(":--:") && Row::of(line).is_some();
        (is_row() || !variables(line).is_empty()).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.as_str();
        let Some(previous) = before.last() else { return Extent::More };
        if is_heading(text) || is_parallel_heading(text) {
            return Extent::EndsBefore;
        }
        let own = variables(last);
        if !own.is_empty() {
            // Another execution has the same variables once more.
            let names = own.iter().map(|(name, _)| *name).collect::<Vec<_>>();
            let recent = before.iter().rev().take(VARIABLES.len() + OTHERS.len());
            let is_again = recent.flat_map(variables).any(|(name, _)| names.contains(&name));
            return if is_again { Extent::EndsBefore } else { Extent::More };
        }
        let is_in_meter = is_heading(&previous.text)
            || is_second_heading(&previous.text)
            || is_parallel_heading(&previous.text)
            || Row::of(previous).is_some()
            || ParallelRow::of(previous).is_some();
        let is_meter = is_second_heading(text) || Row::of(last).is_some() || ParallelRow::of(last).is_some();
        let is_rule = || !text.is_empty() && text.trim().chars().all(|c| matches!(c, '-' | '=' | '_' | '*'));
        let is_among = || !variables(previous).is_empty() || is_other_variable(&previous.text);
        if is_in_meter && is_meter || (is_rule() || is_other_variable(text)) && is_among() {
            Extent::More
        } else {
            Extent::EndsBefore
        }
    }

    fn knows_json(&self, text: &str) -> bool {
        text.contains("\"time_starttransfer\"") && text.contains("\"speed_download\"")
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        options(&mut result);
        if block.lines.first().is_some_and(|line| line.text.trim_start().starts_with('{')) {
            json(block, &mut result)?;
            return Ok(vec![result]);
        }
        if let Some(row) = block.lines.iter().rev().find_map(Row::of) {
            row.fill(&mut result.whole, &mut result.parts);
        } else if block.lines.first().is_some_and(|line| is_parallel_heading(&line.text))
            && let Some(row) = block.lines.iter().rev().find_map(ParallelRow::of)
        {
            row.fill(&mut result.whole);
        }
        for (name, value) in block.lines.iter().flat_map(variables) {
            variable(&mut result.whole, name, value);
        }
        turn_round(&mut result.whole);
        if result.whole.figures.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// Variables of `-w` that are read.
pub(super) const VARIABLES: &[&str] = &[
    "time_namelookup",
    "time_connect",
    "time_appconnect",
    "time_pretransfer",
    "time_redirect",
    "time_starttransfer",
    "time_total",
    "size_download",
    "size_upload",
    "speed_download",
    "speed_upload",
];

/// Others, which say nothing of how long it took: they may stand among those that are read.
const OTHERS: &[&str] = &[
    "http_code",
    "response_code",
    "http_connect",
    "http_version",
    "num_connects",
    "num_redirects",
    "num_headers",
    "num_retries",
    "size_header",
    "size_request",
    "remote_ip",
    "remote_port",
    "local_ip",
    "local_port",
    "ssl_verify_result",
    "content_type",
    "url_effective",
    "scheme",
    "method",
    "exitcode",
    "errormsg",
    "time_posttransfer",
    "time_queue",
];

/// Whether a line is of one of [`OTHERS`]: `http_code:  200`.
fn is_other_variable(text: &str) -> bool {
    let text = text.trim_start();
    let is_one =
        |name: &&str| text.strip_prefix(*name).is_some_and(|rest| rest.trim_start().starts_with([':', '=']));
    OTHERS.iter().any(is_one)
}

/// The variables on a line, `time_total:  2.210791s`, `speed_download=813449023`, with their numbers.
fn variables(line: &ToolLine) -> Vec<(&'static str, PrintedValue)> {
    let text = line.text.as_str();
    if !text.contains('_') || !["time_", "size_", "speed_"].iter().any(|beginning| text.contains(beginning)) {
        return Vec::new();
    }
    let one = |name: &&'static str| {
        let at = text.find(*name)?;
        let (before, behind) = (text.get(..at)?, text.get(at + name.len()..)?);
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        let value = behind.trim_start_matches([' ', ':', '=', '"']);
        if before.ends_with(is_letter) || value.len() == behind.len() {
            return None;
        }
        let number = leading(value, false)?;
        Some((*name, printed(line.number, name, number.digits, number.value, number.half_step)))
    };
    VARIABLES.iter().filter_map(one).collect()
}

/// The number of one of [`VARIABLES`], in the unit of that.
pub(super) fn printed(line: u64, name: &str, text: &str, value: f64, half_step: f64) -> PrintedValue {
    let unit = match name {
        _ if name.starts_with("time_") => Unit::Seconds,
        _ if name.starts_with("speed_") => Unit::BytesPerSecond,
        _ => Unit::Bytes,
    };
    let half_step = match unit {
        Unit::Seconds => half_step,
        // A whole number of bytes, cut off.
        Unit::BytesPerSecond => 1.0,
        _ => 0.0,
    };
    PrintedValue { half_step, ..plain(line, text, value, unit) }
}

/// Adds a variable. All times of curl count from the start.
pub(super) fn variable(whole: &mut ToolMeasurement, name: &'static str, value: PrintedValue) {
    match name {
        "time_total" => {
            whole.window = Some(value.clone());
            whole.add(metric::ELAPSED, Some(value));
        }
        "time_starttransfer" => whole.add(MetricName::new("first_byte"), Some(value)),
        "size_download" if value.value > 0.0 => whole.bytes = Some(value),
        "size_upload" if value.value > 0.0 && whole.bytes.is_none() => whole.bytes = Some(value),
        "speed_download" if value.value > 0.0 && whole.figure(metric::THROUGHPUT).is_none() => {
            whole.add(metric::THROUGHPUT, Some(value));
        }
        "speed_upload" if value.value > 0.0 => whole.add(metric::SEND_THROUGHPUT, Some(value)),
        "size_download" | "size_upload" | "speed_download" | "speed_upload" => {}
        // What did not happen: no TLS, no other address.
        "time_appconnect" | "time_redirect" if value.value <= 0.0 => {}
        other => whole.add(MetricName::new(other), Some(value)),
    }
}

/// Of a transfer that only sends, what it sends is all.
pub(super) fn turn_round(whole: &mut ToolMeasurement) {
    let receives = [metric::THROUGHPUT, metric::RECEIVE_THROUGHPUT].map(|name| whole.figure(name).is_some());
    if receives == [false, false] {
        for figure in &mut whole.figures {
            if figure.metric == metric::SEND_THROUGHPUT {
                figure.metric = metric::THROUGHPUT;
            }
        }
    }
}

/// What is read of `-w '%{json}'`; it has more.
#[derive(Deserialize)]
struct Document {
    curl_version: Option<String>,
    url_effective: Option<String>,
    #[serde(flatten)]
    all: serde_json::Map<String, serde_json::Value>,
}

fn json(block: &ToolBlock<'_>, result: &mut ToolResult) -> Result<(), NotUnderstood> {
    let document: Document = serde_json::from_str(&block.text()).map_err(|error| match error.is_eof() {
        true => NotUnderstood::CutShort,
        false => NotUnderstood::OtherText,
    })?;
    let line = block.range().first;
    for &name in VARIABLES {
        if let Some(value) = document.all.get(name).and_then(serde_json::Value::as_f64) {
            // Microseconds.
            variable(&mut result.whole, name, printed(line, name, &value.to_string(), value, 0.5e-6));
        }
    }
    turn_round(&mut result.whole);
    let version = document.curl_version.as_deref().and_then(|version| version.strip_prefix("libcurl/"));
    result.version = version.and_then(|version| version.split(' ').next()).map(str::to_owned);
    if let Some(url) = document.url_effective {
        result.options.insert("url".to_owned(), url);
    }
    if result.whole.figures.is_empty() { Err(NotUnderstood::OtherText) } else { Ok(()) }
}

/// Options that change nothing of the work, or that are read.
const KNOWN: &[&str] = &[
    "o",
    "output",
    "O",
    "remote-name",
    "s",
    "silent",
    "S",
    "show-error",
    "L",
    "location",
    "w",
    "write-out",
    "f",
    "fail",
    "http1.1",
    "no-progress-meter",
    "stderr",
];

/// Options that have a value.
pub(super) const WITH_VALUE: &[&str] = &[
    "o",
    "output",
    "w",
    "write-out",
    "H",
    "header",
    "d",
    "data",
    "X",
    "request",
    "T",
    "upload-file",
    "u",
    "user",
    "r",
    "range",
    "A",
    "user-agent",
    "b",
    "cookie",
    "m",
    "max-time",
    "x",
    "proxy",
    "e",
    "referer",
    "F",
    "form",
    "K",
    "config",
    "limit-rate",
    "connect-timeout",
    "interface",
    "resolve",
    "stderr",
    "retry",
    "E",
    "cert",
    "C",
    "c",
    "y",
    "Y",
    "z",
    "D",
    "P",
    "Q",
    "t",
    "U",
];

/// Fills in what the command says. That of several addresses does not tell which one a meter is of.
fn options(result: &mut ToolResult) {
    let given = CommandOptions::of(&result.command, WITH_VALUE);
    let [url] = given.operands.as_slice() else { return };
    result.options = given.options.clone();
    // It is a bound, and not how long it was to last.
    if let Some(most) = result.options.remove("max-time") {
        result.options.insert("m".to_owned(), most);
    }
    result.options.insert("url".to_owned(), url.clone());
    // Over TLS HTTP/2 may have been agreed on.
    let is_http_1 = url.starts_with("http://") || given.get(&["http1.1"]).is_some();
    let to_file = given.get(&["o", "output"]);
    let has_place = to_file.is_some() || given.get(&["O", "remote-name"]).is_some();
    if given.are_all(KNOWN) && is_http_1 && has_place {
        one_download(result, url, to_file.map_or(Some("."), folder));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> ToolLine {
        ToolLine { number: 1, text: text.to_owned() }
    }

    #[test]
    fn variables_are_known_by_their_names() {
        let read = |text: &str| {
            let all = variables(&line(text));
            all.into_iter().map(|(name, value)| (name, value.value)).collect::<Vec<_>>()
        };
        assert_eq!(read("         time_total:  2.210791s"), [("time_total", 2.210_791)]);
        assert_eq!(
            read("speed_download=1000 size_download=500 time_total=0.5"),
            [("time_total", 0.5), ("size_download", 500.0), ("speed_download", 1000.0)]
        );
        assert_eq!(read("time_total: %{time_total}s"), []);
        assert_eq!(read("my_time_total: 3"), []);
    }

    #[test]
    fn a_bound_of_the_time_is_not_how_long_it_was_to_last() {
        let command = "curl --max-time 30 -O http://h/f".split(' ').map(str::to_owned).collect();
        let mut result = ToolResult { command, ..ToolResult::default() };
        options(&mut result);
        assert_eq!((result.options.get("max-time"), result.options["m"].as_str()), (None, "30"));
    }

    #[test]
    fn variables_that_are_not_read_do_not_part_those_that_are() {
        let all = ["time_connect: 0.1", "  http_code:  200", "num_redirects=0", "time_total: 0.2"].map(line);
        for end in 2..=all.len() {
            assert_eq!(Curl.extent(&all[..end]), Extent::More, "{}", all[end - 1].text);
        }
        assert_eq!(Curl.extent(&[line("time_connect: 0.1"), line("a word: 5")]), Extent::EndsBefore);
    }
}
