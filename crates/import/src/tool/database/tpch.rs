//! go-tpc's TPC-H: how long each of its queries took, on average.

use model::metric;
use model::tool_result::{Counting, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct TpcH;

const NAME: &str = "go-tpc-h";

/// What stands before its rows.
const SUMMARY: &str = "[Summary] Q";
const CURRENT: &str = "[Current] Q";

impl ToolReader for TpcH {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the summary of `go-tpc tpch`: the mean time of each query"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["go-tpc", "tiup"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // Seconds, without multiples.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[SUMMARY, CURRENT]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        row(line.text.trim()).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some(last) = lines.last() else { return Extent::More };
        let text = last.text.trim();
        if row(text).is_some() || text == "Finished" { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        let rows = || block.lines.iter().filter_map(|line| Some((line.number, row(line.text.trim())?)));
        // Those on the way are told again at the end.
        let has_summary = rows().any(|(_, row)| row.is_summary);
        for (line, row) in rows().filter(|(_, row)| row.is_summary == has_summary) {
            let mut measured = ToolMeasurement::default();
            measured.add(metric::ELAPSED_MEAN, quantity(line, row.time, Counting::Decimal));
            let place = result.parts.iter().position(|part: &ToolPart| part.name == row.name);
            let part =
                ToolPart { kind: ToolPartKind::Phase, name: row.name.to_owned(), start_s: None, measured };
            match place.and_then(|at| result.parts.get_mut(at)) {
                // What was told last counts.
                Some(own) => *own = part,
                None => result.parts.push(part),
            }
        }
        let number = |part: &ToolPart| whole(part.name.trim_start_matches('Q')).map(|(number, _)| number);
        result.parts.sort_by_key(number);
        if result.parts.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// `[Summary] Q1: 2.39s`.
struct QueryRow<'a> {
    is_summary: bool,
    name: &'a str,
    time: &'a str,
}

fn row(text: &str) -> Option<QueryRow<'_>> {
    let is_summary = text.starts_with(SUMMARY);
    if !is_summary && !text.starts_with(CURRENT) {
        return None;
    }
    let (name, time) = text.split_once("] ")?.1.split_once(": ")?;
    let is_one = quantity(0, time, Counting::Decimal).is_some() && name.len() <= 3;
    is_one.then_some(QueryRow { is_summary, name, time })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_stand_in_their_order() {
        let text = "$ go-tpc tpch run --sf 1\n[Current] Q1: 2.39s\n[Current] Q2: 1.06s\nFinished\n[Summary] Q1: 2.41s\n[Summary] Q10: 1.13s\n[Summary] Q2: 1.06s\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let parts: Vec<(&str, f64)> = result
            .parts
            .iter()
            .map(|part| (part.name.as_str(), part.measured.figure(metric::ELAPSED_MEAN).unwrap().value))
            .collect();
        assert_eq!(parts, [("Q1", 2.41), ("Q2", 1.06), ("Q10", 1.13)]);
        assert!(output.unread.is_empty(), "{output:?}");
    }

    #[test]
    fn what_was_broken_off_has_its_last_times() {
        let text = "[Current] Q1: 2.39s\n[Current] Q1: 3.39s\n";
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        assert_eq!(results[0].parts[0].measured.figure(metric::ELAPSED_MEAN).unwrap().value, 3.39);
    }
}
