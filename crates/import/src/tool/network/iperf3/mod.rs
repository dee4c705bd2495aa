//! iperf3: its text, its JSON, and its JSON as a stream of events. What they say is put into
//! [`run::Iperf3Run`], of which the result is made in one way.

mod json;
mod json_sums;
mod options;
mod run;
mod text;

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, ToolRemedy, ToolResult};

use crate::tool::arithmetic::JsonNode;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::reader::{Beginning, DASHES, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Iperf3;

const NAME: &str = "iperf3";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "3.x",
    units: "KBytes, MBytes, GBytes, with /sec or without",
    counting: Counting::Binary,
    proof: "iperf3-3.12-bytes: `-n 256M` sends 256 x 2^20 bytes, and it prints `256 MBytes`; iperf3-3.12-megabytes: 1.18 GBytes in \
            1.00 s are printed as 1207 MBytes/sec, so that a GByte is 1024 MBytes",
};

const BITS: CountingRule = CountingRule {
    tool: NAME,
    versions: "3.x",
    units: "Kbits/sec, Mbits/sec, Gbits/sec",
    counting: Counting::Decimal,
    proof: "iperf3-3.12-udp: 382 datagrams of 32768 bytes in 2.00 s are 50.07 million bits a second; it prints \
            `11.9 MBytes  50.1 Mbits/sec`",
};

const RULES: &[CountingRule] = &[BYTES, BITS];

impl ToolReader for Iperf3 {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what a client or a server of iperf3 prints: the text (with --bidir, -R, -P, -u, -V, --timestamps), -J and --json-stream"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["iperf3"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[
            "Connecting to host ",
            "Server listening on ",
            "Accepted connection from ",
            "] local ",
            "iperf 3.",
            "iperf3: ",
            "\"event\"",
            DASHES,
            "[ ID]",
            "sec",
            "Test Complete. Summary Results:",
        ]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        if text::is_sure(&line.text) || json::is_event(&line.text) {
            return Some(Beginning::Certain);
        }
        let may_begin = text::is_rule(&line.text) || text::is_table(line) || text::is_complete(&line.text);
        may_begin.then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        if lines.first().is_some_and(|first| json::is_event(&first.text)) {
            let is_next = !before.is_empty() && json::is_start(&last.text);
            return if is_next || !json::is_event(&last.text) { Extent::EndsBefore } else { Extent::More };
        }
        text::extent(before, last)
    }

    fn knows_json(&self, text: &str) -> bool {
        let head: String = text.chars().take(65_536).collect();
        head.contains("\"iperf 3") && head.contains("\"start\"")
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        super::stream_rows::disagreements(lines)
    }

    fn disagreements_of_json(&self, root: &JsonNode) -> Vec<FigureDisagreement> {
        json_sums::disagreements(root)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let first = block.lines.first().map_or("", |line| line.text.trim_start());
        let runs = match first {
            event if json::is_event(event) => vec![json::read_events(block)?],
            json if json.starts_with('{') => vec![json::read(block)?],
            _ => text::read(block)?,
        };
        let results: Vec<ToolResult> = runs.iter().filter_map(|run| run.result(block)).collect();
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }

    fn corrected(&self, result: &ToolResult, remedies: &[ToolRemedy]) -> Option<Vec<String>> {
        let seconds = remedies.iter().find_map(|remedy| match remedy {
            ToolRemedy::RunFor(seconds) => Some(seconds.to_string()),
            _ => None,
        });
        let receiver = remedies.contains(&ToolRemedy::MeasureReceiver);
        Some(options::corrected(&result.command, seconds.as_deref(), receiver))
    }
}
