//! hackbench: how long groups of tasks take to send each other all their messages. It prints that alone, and what
//! it did.

use model::tool_result::ToolResult;
use model::{Unit, metric};

use super::word_before;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::bare;
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Hackbench;

const NAME: &str = "hackbench";

/// Before the time, on the last line.
const TIME: &str = "Time: ";

/// The beginning of the line that tells what each task sends.
const EACH: &str = "Each sender will pass ";

/// What it tells of its options, by the word behind each.
const OPTIONS: &[(&str, &str)] = &[
    ("mode", "mode"),
    ("groups", "groups"),
    ("file", "descriptors"),
    ("tasks", "tasks"),
    ("messages", "messages"),
    ("bytes", "message bytes"),
];

impl ToolReader for Hackbench {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the time that hackbench of rt-tests prints, with its groups, tasks and messages"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // Seconds alone.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Running in "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        let is_head =
            text.starts_with("Running in ") && text.contains(" mode with ") && text.contains(" (== ");
        is_head.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if before.is_empty() || text.starts_with(EACH) {
            return Extent::More;
        }
        if text.starts_with(TIME) { Extent::EndsHere } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        for line in block.lines {
            let text = line.text.trim();
            if let Some(seconds) =
                text.strip_prefix(TIME).and_then(|time| bare(line.number, time, Unit::Seconds))
            {
                result.whole.window = Some(seconds.clone());
                result.whole.add(metric::ELAPSED, Some(seconds));
                continue;
            }
            for (word, option) in OPTIONS {
                if let Some(value) = word_before(text, word) {
                    result.options.insert((*option).to_owned(), value.to_owned());
                }
            }
        }
        if result.whole.figures.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_one_after_the_other_are_results_of_the_same_work() {
        let run = |seconds: &str| {
            format!(
                "Running in threaded mode with 10 groups using 40 file descriptors each (== 400 tasks)\n\
                 Each sender will pass 100 messages of 100 bytes\nTime: {seconds}\n"
            )
        };
        let text = format!("{}{}", run("0.158"), run("0.25"));
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        let elapsed = results.iter().filter_map(|result| result.whole.figure(metric::ELAPSED));
        let times: Vec<f64> = elapsed.map(|time| time.value).collect();
        assert_eq!(times, [0.158, 0.25]);
        let options = &results[0].options;
        assert_eq!((options["mode"].as_str(), options["tasks"].as_str()), ("threaded", "400"));
        assert_eq!((options["descriptors"].as_str(), options["message bytes"].as_str()), ("40", "100"));
        assert_eq!(results[1].options, *options);
    }
}
