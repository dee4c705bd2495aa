//! What the lines of each result contradict themselves in, as its reader knows what follows from what.

use model::tool_result::ToolResult;

use super::json::JsonExtent;
use crate::tool::arithmetic::{JsonNode, in_distributions};
use crate::tool::block::ToolLine;
use crate::tool::reader::ToolReader;

/// As much of one output is looked at.
const LINES_MAX: usize = 100_000;

/// Adds them to the results of an output. Results that stand in the same lines share what was found, which the first has.
pub(super) fn add(reader: &dyn ToolReader, results: &mut [ToolResult], lines: &[ToolLine]) {
    let is_json = lines.first().is_some_and(|line| JsonExtent::begins(&line.text));
    let Some(first) = results.first_mut().filter(|_| lines.len() <= LINES_MAX) else { return };
    if is_json {
        let root = JsonNode::of(lines);
        let known = reader.disagreements_of_json(&root);
        first.disagreements.extend(known.into_iter().chain(in_distributions(&root)));
        return;
    }
    first.disagreements.extend(reader.disagreements_of_all(lines));
    let mut until = 0;
    for result in results {
        let (first, last) = (result.lines.first, result.lines.last);
        // What it shares with the one before it would be told twice, or mixed.
        if first <= until {
            continue;
        }
        until = last;
        let start = lines.partition_point(|line| line.number < first);
        let end = lines.partition_point(|line| line.number <= last);
        let own = lines.get(start..end).unwrap_or_default();
        result.disagreements.extend(reader.disagreements(own));
    }
}
