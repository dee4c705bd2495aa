//! iperf 2: the text of 2.0 to 2.2 and its CSV. The lines of both become [`rows::IperfRows`], of which
//! the result is made in one way. iperf3 is another program.

mod csv;
mod options;
mod rows;
mod text;

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, ToolRemedy, ToolResult};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::reader::{Beginning, DASHES, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Iperf;

const NAME: &str = "iperf";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "2.x",
    units: "KBytes, MBytes, GBytes, with /sec or without",
    counting: Counting::Binary,
    proof: "iperf-2.1.8-megabytes: `-n 64M` sends 64 x 2^20 bytes, printed as 64.0 MBytes; in 0.0966 s they are 662 such MBytes/sec",
};

const BITS: CountingRule = CountingRule {
    tool: NAME,
    versions: "2.x",
    units: "Kbits/sec, Mbits/sec, Gbits/sec",
    counting: Counting::Decimal,
    proof: "iperf-2.1.8-udp: 3406 datagrams of 1470 bytes in 2.0011 s are 20.02 million bits a second; it prints 20.0 Mbits/sec",
};

const RULES: &[CountingRule] = &[BYTES, BITS];

impl ToolReader for Iperf {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what a client or a server of iperf 2 prints: the text with -i, -P, -u, -d, -r, -R, -e, --full-duplex, and -y C"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["iperf", "iperf2"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[
            "Client connecting to ",
            "Server listening on ",
            "] local ",
            DASHES,
            "[ ID] Interval",
            "sec",
        ]])
        .or_number()
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        if text::is_sure(&line.text) || csv::IperfRecord::of(line).is_some() {
            return Some(Beginning::Certain);
        }
        text::may_begin(line).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        if let Some(first) = lines.first().and_then(csv::IperfRecord::of) {
            return match csv::IperfRecord::of(last) {
                Some(next) if before.is_empty() || !next.begins_anew(&first, before) => Extent::More,
                _ => Extent::EndsBefore,
            };
        }
        text::extent(before, last)
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        super::stream_rows::disagreements(lines)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let is_csv = block.lines.first().and_then(csv::IperfRecord::of).is_some();
        let mut results = Vec::new();
        if is_csv {
            results.extend(csv::read(block).result(block));
        } else {
            for lines in text::executions(block.lines) {
                let execution = ToolBlock { lines, ..*block };
                results.extend(text::read(&execution)?.result(&execution));
            }
        }
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }

    fn corrected(&self, result: &ToolResult, remedies: &[ToolRemedy]) -> Option<Vec<String>> {
        let seconds = remedies.iter().find_map(|remedy| match remedy {
            ToolRemedy::RunFor(seconds) => Some(seconds.to_string()),
            _ => None,
        });
        Some(options::corrected(&result.command, &seconds?))
    }
}
