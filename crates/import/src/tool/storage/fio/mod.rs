//! fio 3: its normal text and its JSON. What both say is put into [`run::FioRun`], of which the
//! results are made in one way.

mod json;
mod options;
mod run;
mod text;

use model::tool_result::{Counting, ToolRemedy, ToolResult};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::reader::{Beginning, Extent, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Fio;

const NAME: &str = "fio";

/// Without an i, fio 3 counts in thousands: it prints every rate and size both ways.
const DECIMAL: CountingRule = CountingRule {
    tool: NAME,
    versions: "3.x",
    units: "kB/s, MB/s, GB/s; k and M of IOPS",
    counting: Counting::Decimal,
    proof: "fio-3.33-randread: 28883 reads of 4096 bytes in 2.001 s are 59.1 decimal MB/s and 56.4 MiB/s, and 14.4 k a \
            second; it prints `IOPS=14.4k, BW=56.4MiB/s (59.1MB/s)`",
};

const RULES: &[CountingRule] = &[DECIMAL];

impl ToolReader for Fio {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the normal text and the JSON of fio 3, of one job or of many, with or without group_reporting"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["fio"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let begins = text::is_header(&line.text) || text::is_version(&line.text) || text::is_job(&line.text);
        begins.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        if !text::is_of_fio(last) {
            return Extent::EndsBefore;
        }
        // Another run begins where the figures of one are over.
        let begins = text::is_header(&last.text) || text::is_version(&last.text);
        let is_over = || before.iter().any(|line| text::is_job(&line.text));
        if begins && is_over() { Extent::EndsBefore } else { Extent::More }
    }

    fn knows_json(&self, text: &str) -> bool {
        let head: String = text.chars().take(4096).collect();
        head.contains("\"fio version\"")
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let is_json = block.lines.first().is_some_and(|line| line.text.trim_start().starts_with('{'));
        let run = if is_json { json::read(block)? } else { text::read(block)? };
        let results = run.results(block);
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }

    fn corrected(&self, result: &ToolResult, remedies: &[ToolRemedy]) -> Option<Vec<String>> {
        let mut words = result.command.clone();
        for (name, value) in remedies.iter().flat_map(options::remedied) {
            options::set(&mut words, name, value.as_deref());
        }
        Some(words)
    }
}

/// The lines of a text, for the tests of this folder.
#[cfg(test)]
pub(super) fn lines(text: &str) -> Vec<ToolLine> {
    (1..).zip(text.lines()).map(|(number, text)| ToolLine { number, text: text.to_owned() }).collect()
}
