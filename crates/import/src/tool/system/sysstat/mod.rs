//! iostat, mpstat, sar and pidstat of sysstat: tables whose headings tell all. The four begin with the same line,
//! so what belongs to an output is found in one way, and then each knows its own headings.

mod columns;
pub(super) mod devices;
mod json;
mod processors;
mod sadf;
mod sums;
mod table;
mod tasks;

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, ToolResult};

use crate::tool::arithmetic::JsonNode;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

use self::table::Tables;
pub(super) use self::tasks::Pidstat;

/// The importer of iostat.
pub(super) struct Iostat;

/// The importer of mpstat.
pub(super) struct Mpstat;

/// The importer of sar.
pub(super) struct Sar;

const IOSTAT: &str = "iostat";
const MPSTAT: &str = "mpstat";
const SAR: &str = "sar";

const OF_IOSTAT: &[CountingRule] = &[
    CountingRule {
        tool: IOSTAT,
        versions: "sysstat 9 to 12",
        units: "kB, kB/s, MB, MB/s, and the sizes of requests in kB",
        counting: Counting::Binary,
        proof: "iostat-12.6.1-loop-100-mib: dd read 104857600 bytes from the device; it prints 102400 kB_read. \
                iostat-12.6.1-megabytes-time: 4799 requests of 64.00 kB are 307136 kB; it prints 299.94 rMB/s",
    },
    CountingRule {
        tool: IOSTAT,
        versions: "sysstat 5 to 12",
        units: "Blk, sec: of 512 bytes, whatever the device has",
        counting: Counting::Other,
        proof: "the kernel's Documentation/admin-guide/iostats.rst: sectors of 512 bytes; iostat.c prints them as they are",
    },
];

const OF_SAR: &[CountingRule] = &[CountingRule {
    tool: SAR,
    versions: "sysstat 9 to 12",
    units: "kB/s, kb of memory; bread/s and bwrtn/s are of 512 bytes",
    counting: Counting::Binary,
    proof: "sar-12.6.1-many: 1288.00 bread/s of 512 bytes are 644 * 1024 bytes; beside it stand 644.00 pgpgin/s. For \
            rxkB/s pr_stats.c divides bytes by 1024",
}];

impl ToolReader for Iostat {
    fn name(&self) -> &'static str {
        IOSTAT
    }

    fn doc(&self) -> &'static str {
        "iostat of sysstat 5 to 12 with any columns, `-h`, `-s` and JSON: one result a device and one of the \
         processors. The first report is of all the time since the machine started, unless `-y` is given"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[IOSTAT]
    }

    fn counting(&self) -> &'static [CountingRule] {
        OF_IOSTAT
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[table::MARKS])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        table::begins(line)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        table::extent(lines)
    }

    fn knows_json(&self, text: &str) -> bool {
        json::is_of_sysstat(text) && (text.contains("\"disk\"") || text.contains("\"avg-cpu\""))
    }

    fn disagreements_of_all(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        sums::disagreements(lines)
    }

    fn disagreements_of_json(&self, root: &JsonNode) -> Vec<FigureDisagreement> {
        sums::disagreements_of_json(root)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut base = block.result(IOSTAT, self.programs());
        match json::reports(block) {
            Some(reports) => devices::results(&reports?, &base),
            None => {
                let tables = Tables::of(block)?;
                base.unread.extend(&tables.unread);
                let mut reports = devices::reports(&tables)?;
                let is_headed = block.lines.iter().any(|line| line.text.starts_with("Linux "));
                if let [only] = reports.as_mut_slice() {
                    only.is_cut_out = !is_headed;
                }
                devices::results(&reports, &base)
            }
        }
    }
}

impl ToolReader for Mpstat {
    fn name(&self) -> &'static str {
        MPSTAT
    }

    fn doc(&self) -> &'static str {
        "mpstat of sysstat 5 to 12: what all processors did, with each one as a part, and interrupts; JSON of \
         the load of processors"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[MPSTAT]
    }

    fn counting(&self) -> &'static [CountingRule] {
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[table::MARKS])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        table::begins(line)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        table::extent(lines)
    }

    fn knows_json(&self, text: &str) -> bool {
        json::is_of_sysstat(text) && ["\"cpu-load\"", "\"node-load\""].iter().any(|list| text.contains(list))
    }

    fn disagreements_of_all(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        sums::disagreements(lines)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let base = block.result(MPSTAT, self.programs());
        match json::loads(block) {
            Some(tables) => processors::results(&tables?, &base),
            None => {
                let tables = Tables::of(block)?;
                if !tables.is_of_mpstat() {
                    return Err(NotUnderstood::OtherText);
                }
                processors::results(&tables, &base)
            }
        }
    }
}

impl ToolReader for Sar {
    fn name(&self) -> &'static str {
        SAR
    }

    fn doc(&self) -> &'static str {
        "reports of sar, of sysstat 5 to 12, of any activity: one result a report and device or interface. Of \
         columns that are not known by name, rates (`/s`), shares (`%`) and amounts of kb are read. The same of \
         `sadf -d`"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[SAR, "sadf"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        OF_SAR
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[table::MARKS, &["hostname;interval;timestamp;"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        if sadf::is_heading(&line.text) { Some(Beginning::Certain) } else { table::begins(line) }
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let of_sadf = lines.first().zip(lines.last()).and_then(|(first, last)| sadf::extent(first, last));
        of_sadf.unwrap_or_else(|| table::extent(lines))
    }

    fn disagreements_of_all(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        sums::disagreements(lines)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        if let Some(tables) = sadf::tables(block) {
            return processors::results(&tables?, &block.result(SAR, self.programs()));
        }
        let tables = Tables::of(block)?;
        if tables.is_of_mpstat() || tables.is_of_iostat() {
            return Err(NotUnderstood::OtherText);
        }
        processors::results(&tables, &block.result(SAR, self.programs()))
    }
}
