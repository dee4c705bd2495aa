//! What `curl -w` printed with labels of its user's own. Only the format of the command above tells which number is which, so
//! that without it nothing is read. curl's own importer reads lines with the names of its variables.

use model::tool_result::{LineRange, PrintedValue, ToolMeasurement, ToolResult};
use model::{MetricName, Unit, metric};

use super::CommandOptions;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::command_line::CommandLine;
use crate::tool::counting::CountingRule;
use crate::tool::number::{leading, plain};
use crate::tool::reader::{Beginning, Extent, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct CurlLabels;

const NAME: &str = "curl-labels";

/// The tool of the results.
const CURL: &str = "curl";

const PROGRAMS: &[&str] = &[CURL];

/// The most lines of one output: a loop prints some for each turn.
const LINES_MAX: usize = 1000;

/// The most characters of a line.
const LINE_MAX: usize = 400;

impl ToolReader for CurlLabels {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what curl -w prints with labels of its user's own, below its command, whose format tells the variables; not of a format in a \
         file"
    }

    fn programs(&self) -> &'static [&'static str] {
        PROGRAMS
    }

    fn counting(&self) -> &'static [CountingRule] {
        // Seconds and whole bytes.
        &[]
    }

    fn begins(&self, _: &ToolLine) -> Option<Beginning> {
        None
    }

    fn begins_below(&self, line: &ToolLine, command: Option<&CommandLine>) -> Option<Beginning> {
        let words = command.and_then(|command| command.invocation(PROGRAMS))?;
        let templates = templates(words);
        values(&templates, &line.text).is_some_and(|values| has_figure(&values)).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let has_digit = last.text.contains(|c: char| c.is_ascii_digit());
        let belongs = before.is_empty() || has_digit && last.text.len() <= LINE_MAX;
        if belongs && before.len() < LINES_MAX { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let words = block.command.and_then(|line| line.invocation(PROGRAMS)).unwrap_or_default();
        let templates = templates(words);
        let mut results: Vec<ToolResult> = Vec::new();
        let mut known: Vec<String> = Vec::new();
        for line in block.lines {
            let Some(values) = values(&templates, &line.text) else {
                let unread = LineRange { first: line.number, last: line.number };
                results.last_mut().ok_or(NotUnderstood::OtherText)?.unread.push(unread);
                continue;
            };
            // Another execution has the same variables once more.
            let is_again = values.iter().any(|(name, _)| known.iter().any(|known| known == name));
            if is_again || results.is_empty() {
                known.clear();
                results
                    .push(ToolBlock { lines: std::slice::from_ref(line), ..*block }.result(CURL, PROGRAMS));
            }
            let Some(result) = results.last_mut() else { break };
            result.lines.last = line.number;
            for (name, value) in values {
                variable(line.number, name, value, &mut result.whole);
                known.push(name.to_owned());
            }
        }
        results.retain(|result| !result.whole.figures.is_empty());
        results.iter_mut().for_each(options);
        if results.is_empty() { Err(NotUnderstood::OtherText) } else { Ok(results) }
    }
}

/// The lines of the format of a command, each with its variables.
fn templates(words: &[String]) -> Vec<String> {
    let mut format = None;
    let mut all = words.iter().skip(1);
    while let Some(word) = all.next() {
        if word == "--write-out" || word.starts_with('-') && !word.starts_with("--") && word.ends_with('w') {
            format = all.next().map(String::as_str);
        } else if let Some(joined) = word.strip_prefix("--write-out=").or_else(|| word.strip_prefix("-w")) {
            format = Some(joined);
        }
    }
    // Tabs of a text are read as spaces.
    let format = format.unwrap_or_default().replace("\\r", "").replace("\\t", " ").replace('\t', " ");
    let lines = format.replace("\\n", "\n");
    lines.lines().map(str::to_owned).filter(|line| !line.trim().is_empty()).collect()
}

/// The variables of a line with their texts, by the first of the formats that it is of.
fn values<'a>(templates: &'a [String], line: &'a str) -> Option<Vec<(&'a str, &'a str)>> {
    templates.iter().find_map(|template| values_of(template, line))
}

fn values_of<'a>(template: &'a str, line: &'a str) -> Option<Vec<(&'a str, &'a str)>> {
    let (mut template, mut rest) = (template.trim(), line.trim());
    let mut found = Vec::new();
    while let Some((before, behind)) = template.split_once("%{") {
        rest = rest.strip_prefix(before)?;
        let (name, after) = behind.split_once('}')?;
        let next = after.split("%{").next().unwrap_or_default();
        let end = if next.is_empty() { rest.len() } else { rest.find(next)? };
        let (value, left) = rest.split_at_checked(end)?;
        found.push((name, value));
        (rest, template) = (left, after);
    }
    (rest == template).then_some(found)
}

/// Variables that are read. All times count from the start.
const VARIABLES: &[&str] = &[
    "time_namelookup",
    "time_connect",
    "time_appconnect",
    "time_pretransfer",
    "time_redirect",
    "time_starttransfer",
    "time_total",
    "size_download",
    "speed_download",
];

/// Whether any of these is one that is read, with a number.
fn has_figure(values: &[(&str, &str)]) -> bool {
    values.iter().any(|(name, value)| VARIABLES.contains(name) && number(value).is_some())
}

/// The number that a text is.
fn number(text: &str) -> Option<(f64, f64)> {
    let number = leading(text, false).filter(|number| number.rest.trim().is_empty())?;
    Some((number.value, number.half_step))
}

/// Adds a variable.
fn variable(line: u64, name: &str, text: &str, whole: &mut ToolMeasurement) {
    let Some((value, half_step)) = number(text).filter(|_| VARIABLES.contains(&name)) else { return };
    let (unit, half_step) = match name {
        "size_download" => (Unit::Bytes, 0.0),
        // A whole number of bytes, cut off.
        "speed_download" => (Unit::BytesPerSecond, 1.0),
        _ => (Unit::Seconds, half_step),
    };
    let printed = PrintedValue { half_step, ..plain(line, text.trim(), value, unit) };
    match name {
        "time_total" => {
            whole.window = Some(printed.clone());
            whole.add(metric::ELAPSED, Some(printed));
        }
        "time_starttransfer" => whole.add(MetricName::new("first_byte"), Some(printed)),
        // Nothing came, or it did not happen: no TLS, no other address.
        "size_download" | "speed_download" | "time_appconnect" | "time_redirect" if value <= 0.0 => {}
        "size_download" => whole.bytes = Some(printed),
        "speed_download" => whole.add(metric::THROUGHPUT, Some(printed)),
        other => {
            if let Some(name) = MetricName::intern(other) {
                whole.add(name, Some(printed));
            }
        }
    }
}

const WITH_VALUE: &[&str] = &[
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
    "u",
    "user",
    "m",
    "max-time",
    "A",
    "user-agent",
    "x",
    "proxy",
    "b",
    "cookie",
    "T",
    "upload-file",
    "F",
    "form",
    "r",
    "range",
    "e",
    "referer",
    "connect-timeout",
    "resolve",
    "retry",
];

/// Fills in the address.
fn options(result: &mut ToolResult) {
    let given = CommandOptions::of(&result.command, WITH_VALUE);
    if let [url] = given.operands.as_slice() {
        result.options.insert("url".to_owned(), url.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> model::ToolOutput {
        crate::tool::read("", text.as_bytes()).unwrap()
    }

    const COMMAND: &str =
        "$ curl -so /dev/null -w 'DNS: %{time_namelookup}s\\nTotal (s)\\t%{time_total}\\n' http://h/\n";

    #[test]
    fn the_format_tells_which_number_is_which() {
        let output = read(&format!("{COMMAND}DNS: 0.004000s\nTotal (s)\t0.125000\n"));
        let [result] = output.results.as_slice() else { panic!("{:?}", output.results) };
        let value = |name| result.whole.figure(name).map(|figure| figure.value);
        assert_eq!(
            (value(metric::ELAPSED), value(MetricName::new("time_namelookup"))),
            (Some(0.125), Some(0.004))
        );
        assert_eq!((result.lines.first, result.lines.last), (2, 3));
        assert_eq!(result.options["url"], "http://h/");
    }

    #[test]
    fn without_the_command_nothing_is_guessed() {
        assert!(read("DNS: 0.004000s\nTotal (s)\t0.125000\n").results.is_empty());
        assert!(read("$ curl -w @format.txt http://h/\nTotal (s)\t0.125000\n").results.is_empty());
    }

    #[test]
    fn each_turn_of_a_loop_is_a_result() {
        let command =
            "$ for i in 1 2; do curl -s -o /dev/null -w '%{http_code} %{time_total}\\n' http://h/; done\n";
        let output = read(&format!("{command}200 0.125000\n200 0.250000\n"));
        let totals: Vec<Option<f64>> = output
            .results
            .iter()
            .map(|result| result.whole.figure(metric::ELAPSED).map(|total| total.value))
            .collect();
        assert_eq!(totals, [Some(0.125), Some(0.25)]);
    }

    #[test]
    fn what_a_template_parts_is_found() {
        let values = values_of("a=%{x} (%{y} B/s)", "a=5 (7 B/s)").unwrap();
        assert_eq!(values, [("x", "5"), ("y", "7")]);
        assert!(values_of("a=%{x}", "b=5").is_none() && values_of("a=%{x}s", "a=5").is_none());
    }
}
