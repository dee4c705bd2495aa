//! What `curl -w` printed with labels of its user's own. Only the format of the command above tells which number is which, so
//! that without it nothing is read. curl's own importer reads lines with the names of its variables.

use model::tool_result::{LineRange, PrintedValue, ToolResult};

use super::CommandOptions;
use super::curl::{VARIABLES, WITH_VALUE, printed, turn_round, variable};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::command_line::CommandLine;
use crate::tool::counting::CountingRule;
use crate::tool::number::leading;
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct CurlLabels;

const NAME: &str = "curl-labels";

/// The tool of the results.
const CURL: &str = "curl";

const PROGRAMS: &[&str] = &[CURL];

/// The most lines of one output: a loop prints some for each turn.
const LINES_MAX: usize = 1000;

/// The most lines of a format, and the most bytes of all of them: each line below is held against each.
const FORMAT_LINES_MAX: usize = 100;
const FORMAT_BYTES_MAX: usize = 8192;

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

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[])
    }

    fn begins(&self, _: &ToolLine) -> Option<Beginning> {
        None
    }

    fn begins_below(&self, line: &ToolLine, command: Option<&CommandLine>) -> Option<Beginning> {
        let words = command.and_then(|command| command.invocation(PROGRAMS))?;
        let templates = templates(words);
        let values = values(&templates, &line.text)?;
        let has_figure = values.iter().any(|(name, text)| figure(line.number, name, text).is_some());
        has_figure.then_some(Beginning::Likely)
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
            for (name, text) in values {
                if let Some((own, value)) = figure(line.number, name, text) {
                    variable(&mut result.whole, own, value);
                }
                known.push(name.to_owned());
            }
        }
        results.retain(|result| !result.whole.figures.is_empty());
        for result in &mut results {
            turn_round(&mut result.whole);
            CommandOptions::of(&result.command, WITH_VALUE).tell_url(result);
        }
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
    // Nobody types a longer one.
    let format = format.filter(|format| format.len() <= FORMAT_BYTES_MAX).unwrap_or_default();
    // Tabs of a text are read as spaces.
    let format = format.replace("\\r", "").replace("\\t", " ").replace('\t', " ");
    let lines = format.replace("\\n", "\n");
    let full = lines.lines().filter(|line| !line.trim().is_empty());
    full.take(FORMAT_LINES_MAX).map(str::to_owned).collect()
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

/// A variable with its number, if it is one that is read.
fn figure(line: u64, name: &str, text: &str) -> Option<(&'static str, PrintedValue)> {
    let name = VARIABLES.iter().copied().find(|own| *own == name)?;
    let number = leading(text, false).filter(|number| number.rest.trim().is_empty())?;
    Some((name, printed(line, name, number.digits, number.value, number.half_step)))
}

#[cfg(test)]
mod tests {
    use model::{MetricName, metric};

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
    fn what_is_sent_has_a_rate_too() {
        let command = "$ curl -s -T f --limit-rate 1M -w 'put %{size_upload} at %{speed_upload}, got %{speed_download}\\n' http://h/\n";
        let output = read(&format!("{command}put 90000 at 45000, got 0\n"));
        let [result] = output.results.as_slice() else { panic!("{:?}", output.results) };
        assert_eq!(result.whole.figure(metric::THROUGHPUT).map(|rate| rate.value), Some(45_000.0));
        assert_eq!(result.whole.bytes.as_ref().map(|bytes| bytes.value), Some(90_000.0));
        assert_eq!(result.options["url"], "http://h/");
    }

    #[test]
    fn what_a_template_parts_is_found() {
        let values = values_of("a=%{x} (%{y} B/s)", "a=5 (7 B/s)").unwrap();
        assert_eq!(values, [("x", "5"), ("y", "7")]);
        assert!(values_of("a=%{x}", "b=5").is_none() && values_of("a=%{x}s", "a=5").is_none());
    }
}
