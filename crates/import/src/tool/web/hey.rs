//! hey, and boom that it was called before: its summary. oha's was made after it, and is read in the same way; hey
//! does not say which share went well.

use model::tool_result::{PrintedValue, ToolResult};
use model::{Unit, metric};

use super::oha::Reading;
use super::{CommandOptions, behind};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, plain, whole};
use crate::tool::reader::{Beginning, Extent, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Hey;

const NAME: &str = "hey";

/// The heading that the errors stand below.
const ERRORS: &str = "Error distribution:";

impl ToolReader for Hey {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the summary of hey, and of boom, which was its name before"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["hey", "boom"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // It prints whole bytes.
        &[]
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        (line.text == "Summary:").then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        super::oha::Oha.extent(lines)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let has = |label: &str| block.lines.iter().any(|line| behind(&line.text, label).is_some());
        if has("Success rate") || !has("Requests/sec") {
            return Err(NotUnderstood::OtherText);
        }
        let mut result = block.result(NAME, self.programs());
        let mut reading = Reading::default();
        for line in block.lines {
            reading.take(line, &mut result.whole);
        }
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        result.whole.operations = reading.operations();
        let share = failed(block, result.whole.operations.as_ref());
        result.whole.add(metric::ERROR_SHARE, share);
        if let Some(last) = block.lines.iter().rev().find(|line| !line.is_blank()) {
            result.lines.last = last.number;
        }
        options(&mut result);
        Ok(vec![result])
    }
}

/// The share of requests without an answer, or with one that says that it failed.
fn failed(block: &ToolBlock<'_>, all: Option<&PrintedValue>) -> Option<PrintedValue> {
    let all = all.filter(|all| all.value > 0.0)?;
    let mut failed = exact(all.line, 0, Unit::One);
    let mut is_error = false;
    for line in block.lines {
        is_error |= line.text == ERRORS;
        let Some((inside, rest)) = line.text.trim_start().strip_prefix('[').and_then(|t| t.split_once(']'))
        else {
            continue;
        };
        let Some((number, _)) = whole(inside) else { continue };
        let answers = whole(rest).filter(|(_, rest)| rest.trim_start().starts_with("response"));
        match answers {
            // `[5] Get "http://h/": ...`.
            _ if is_error => failed.value += number as f64,
            // `[503] 12 responses`.
            Some((answers, _)) if number >= 400 => failed.value += answers as f64,
            _ => {}
        }
    }
    let text = format!("{}/{}", failed.value, all.value);
    Some(plain(all.line, text, failed.value / all.value, Unit::One))
}

const WITH_VALUE: &[&str] =
    &["n", "c", "q", "z", "o", "m", "H", "t", "A", "d", "D", "T", "U", "a", "x", "host", "cpus"];

/// Options whose values are told: others may be secret.
const TOLD: &[&str] = &["n", "c", "q", "z", "m", "t", "A", "D", "T", "cpus"];

/// Fills in what the command says. Its long names stand behind one dash.
fn options(result: &mut ToolResult) {
    let words: Vec<String> = result.command.iter().map(|word| with_two_dashes(word)).collect();
    let given = CommandOptions::of(&words, WITH_VALUE);
    let told = |(name, _): &(String, String)| TOLD.contains(&name.as_str()) || name.starts_with("disable-");
    result.options.extend(given.options.into_iter().filter(told));
    if let [url] = given.operands.as_slice() {
        result.options.insert("url".to_owned(), url.clone());
    }
}

fn with_two_dashes(word: &str) -> String {
    let is_long = word.starts_with('-') && !word.starts_with("--") && word.chars().count() > 2;
    if is_long { format!("-{word}") } else { word.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ToolResult, NotUnderstood> {
        let lines: Vec<ToolLine> = (1..)
            .zip(text.lines())
            .map(|(number, text)| ToolLine { number, text: text.to_owned() })
            .collect();
        Hey.read(&ToolBlock { lines: &lines, command: None }).map(|mut all| all.remove(0))
    }

    #[test]
    fn errors_and_answers_that_say_so_have_failed() {
        let read = read(
            "Summary:\n  Total:\t2.0000 secs\n  Requests/sec:\t50.0000\n\nStatus code distribution:\n  [200]\t80 responses\n  \
             [503]\t10 responses\n\nError distribution:\n  [10]\tGet \"http://h/\": EOF\n",
        )
        .unwrap();
        assert_eq!(read.whole.operations.as_ref().map(|all| all.value), Some(100.0));
        assert_eq!(read.whole.figure(metric::ERROR_SHARE).map(|share| share.value), Some(0.2));
    }

    #[test]
    fn a_summary_of_ohas_is_another_programs() {
        let text = "Summary:\n  Success rate: 1.0\n  Requests/sec: 50.0\n";
        assert_eq!(read(text).unwrap_err(), NotUnderstood::OtherText);
    }

    #[test]
    fn long_names_stand_behind_one_dash() {
        let words = "hey -z 10s -disable-keepalive -a me:x http://h/".split(' ').map(str::to_owned).collect();
        let mut result = ToolResult { command: words, ..ToolResult::default() };
        options(&mut result);
        let told: Vec<&str> = result.options.keys().map(String::as_str).collect();
        assert_eq!(told, ["disable-keepalive", "url", "z"]);
    }
}
