//! nvme of nvme-cli: what a drive read and wrote in its life, its temperature and its errors (`smart-log`), and how much
//! drives hold (`list`, `id-ctrl`). Their serial numbers are not kept.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolResult};
use model::{MetricName, Unit};

use super::smartctl::{data_units, errors, share};
use super::{printed, result_of, target};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, leading, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Nvme;

const NAME: &str = "nvme";

const SIZES: CountingRule = CountingRule {
    tool: NAME,
    versions: "1 and 2",
    units: "GB, TB of list",
    counting: Counting::Decimal,
    proof: "util/suffix.c divides by 1000, and by 1024 only for KiB, MiB: 1000204886016 bytes of nvme-2-id-ctrl-made \
            are `1.00  TB` in nvme-2-list-made",
};

const DATA_UNITS: CountingRule = CountingRule {
    tool: NAME,
    versions: "1 and 2",
    units: "data_units_read and data_units_written, of 1000 times 512 bytes",
    counting: Counting::Other,
    proof: "NVM Express Base Specification 2.0, section 5.16.1.3: thousands of 512 bytes, whatever the size of a block; \
            17,586,666 are `9.00 TB` in nvme-2-smart-log-made",
};

const RULES: &[CountingRule] = &[SIZES, DATA_UNITS];

/// What the names of fields of a controller have at most.
const FIELD_MAX: usize = 12;

impl ToolReader for Nvme {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "of nvme smart-log what a drive read and wrote, its temperature, how much of its life is used and errors of its media; \
         of nvme list and id-ctrl how much drives hold"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[SMART_LOG, "NVME Identify Controller:", " Namespace "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        NvmeText::of(&line.text).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return Extent::More };
        let text = last.text.as_str();
        let belongs = lines.len() == 1
            || match NvmeText::of(&first.text) {
                Some(NvmeText::SmartLog) => field(text).is_some(),
                Some(NvmeText::Controller) => {
                    last.is_indented() || field(text).is_some_and(|(name, _)| name.len() <= FIELD_MAX)
                }
                Some(NvmeText::List) => text.starts_with("/dev/") || is_rule(text),
                None => false,
            };
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let Some((first, lines)) = block.lines.split_first() else { return Err(NotUnderstood::CutShort) };
        let parts = match NvmeText::of(&first.text) {
            Some(NvmeText::SmartLog) => of_smart_log(&first.text, lines),
            Some(NvmeText::Controller) => of_controller(lines),
            Some(NvmeText::List) => of_list(&first.text, lines),
            None => return Err(NotUnderstood::OtherText),
        };
        result_of(block, self, parts)
    }
}

/// Which of its texts it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NvmeText {
    SmartLog,
    Controller,
    List,
}

impl NvmeText {
    /// By the first line.
    fn of(text: &str) -> Option<Self> {
        let is_list =
            || text.starts_with("Node ") && text.contains(" Namespace ") && text.ends_with("FW Rev");
        match text {
            _ if text.starts_with(SMART_LOG) => Some(Self::SmartLog),
            "NVME Identify Controller:" => Some(Self::Controller),
            _ if is_list() => Some(Self::List),
            _ => None,
        }
    }
}

const SMART_LOG: &str = "Smart Log for NVME device:";

/// The name and the value of `data_units_read        : 17,586,666 (9.00 TB)`, whose value may be text in a controller.
fn field(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once(':')?;
    let name = name.trim();
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ' ' | '[' | ']');
    (!name.is_empty() && name.chars().all(is_letter)).then_some((name, value.trim()))
}

/// `Smart Log for NVME device:nvme0 namespace-id:ffffffff`, and its fields.
fn of_smart_log(title: &str, lines: &[ToolLine]) -> Vec<ToolPart> {
    let device = title.strip_prefix(SMART_LOG).and_then(|rest| rest.split_whitespace().next());
    let mut health = ToolMeasurement::default();
    for line in lines {
        let Some((name, value)) = field(&line.text) else { continue };
        let (metric, printed) = match name {
            "temperature" => ("temperature", celsius(line.number, value)),
            "percentage_used" => ("used_share", share(line.number, value)),
            // In version 2 in capital letters.
            "data_units_read" | "Data Units Read" => ("read_bytes", data_units(line.number, value)),
            "data_units_written" | "Data Units Written" => ("written_bytes", data_units(line.number, value)),
            "media_errors" => ("errors", errors(line.number, value)),
            _ => continue,
        };
        health.add(MetricName::new(metric), printed);
    }
    target(device.unwrap_or(NAME).to_owned(), health).into_iter().collect()
}

/// `44 C (317 Kelvin)`, since 2.4 `44 °C (317 K)`.
fn celsius(line: u64, value: &str) -> Option<PrintedValue> {
    let number = leading(value, false)?;
    let unit = number.rest.split_whitespace().next()?;
    let is_celsius = ["C", "\u{b0}C"].contains(&unit);
    is_celsius.then(|| printed(line, value, number.value, number.half_step, Unit::Celsius))
}

/// The model, and its bytes where it tells of them.
fn of_controller(lines: &[ToolLine]) -> Vec<ToolPart> {
    let mut model = NAME;
    let mut measured = ToolMeasurement::default();
    for line in lines {
        match field(&line.text) {
            Some(("mn", name)) if !name.is_empty() => model = name,
            Some(("tnvmcap", bytes)) => {
                let bytes = whole(bytes).filter(|(bytes, rest)| *bytes > 0 && rest.is_empty());
                let capacity = bytes.map(|(bytes, _)| exact(line.number, bytes, Unit::Bytes));
                measured.add(CAPACITY, capacity);
            }
            _ => {}
        }
    }
    target(model.to_owned(), measured).into_iter().collect()
}

const CAPACITY: MetricName = MetricName::new("capacity");

/// Whether it is the line below the headings.
fn is_rule(text: &str) -> bool {
    text.starts_with("--") && text.chars().all(|c| matches!(c, '-' | ' '))
}

/// The rows below `Node  SN  Model  Namespace  Usage  Format  FW Rev`: models have spaces, so columns have places.
fn of_list(headings: &str, lines: &[ToolLine]) -> Vec<ToolPart> {
    let Some(rule) = lines.first().filter(|line| is_rule(&line.text)) else { return Vec::new() };
    let columns = columns(&rule.text);
    let cell = |text: &str, name: &str| {
        let is_own = |(first, last): &&(usize, usize)| {
            headings.get(*first..(*last).min(headings.len())).is_some_and(|heading| heading.trim() == name)
        };
        let (first, last) = columns.iter().find(is_own)?;
        text.get(*first..(*last).min(text.len())).map(|cell| cell.trim().to_owned())
    };
    let drive = |line: &ToolLine| {
        let (node, model) = (cell(&line.text, "Node")?, cell(&line.text, "Model")?);
        let usage = cell(&line.text, "Usage")?;
        let (used, all) = usage.split_once('/')?;
        let size =
            |text: &str| quantity(line.number, text, SIZES.counting).filter(|size| size.unit == Unit::Bytes);
        let mut measured = ToolMeasurement::default();
        measured.add(CAPACITY, size(all));
        measured.add(MetricName::new("used_bytes"), size(used));
        target(format!("{model} {node}"), measured)
    };
    lines.iter().filter_map(drive).collect()
}

/// Where the columns stand that dashes underline.
fn columns(rule: &str) -> Vec<(usize, usize)> {
    let mut all: Vec<(usize, usize)> = Vec::new();
    for (at, _) in rule.match_indices('-') {
        match all.last_mut() {
            Some((_, end)) if *end == at => *end = at + 1,
            _ => all.push((at, at + 1)),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<ToolPart> {
        crate::tool::read("", text.as_bytes()).unwrap().results.remove(0).parts
    }

    fn value(part: &ToolPart, name: &'static str) -> Option<f64> {
        part.measured.figure(MetricName::new(name)).map(|printed| printed.value)
    }

    #[test]
    fn a_log_of_either_version_is_read() {
        let old = "Smart Log for NVME device:nvme0n1 namespace-id:ffffffff\n\
                   critical_warning                    : 0\n\
                   temperature                         : 38 C\n\
                   percentage_used                     : 1%\n\
                   data_units_read                     : 2,000\n\
                   media_errors                        : 3\n";
        let new = old.replace("38 C", "38 \u{b0}C (311 K)").replace("data_units_read ", "Data Units Read ");
        for text in [old, new.as_str()] {
            let parts = parts(text);
            assert_eq!((parts.len(), parts[0].name.as_str()), (1, "nvme0n1"));
            assert_eq!(value(&parts[0], "temperature"), Some(38.0), "{text}");
            assert_eq!(value(&parts[0], "read_bytes"), Some(2000.0 * 512_000.0), "{text}");
            assert_eq!((value(&parts[0], "used_share"), value(&parts[0], "errors")), (Some(0.01), Some(3.0)));
        }
    }

    #[test]
    fn drives_are_listed_without_their_serial_numbers() {
        let text = "\
Node             SN           Model              Namespace Usage                      Format           FW Rev
---------------- ------------ ------------------ --------- -------------------------- ---------------- --------
/dev/nvme0n1     S0000X       EXAMPLE SSD 1TB    1         304.76  GB /   1.00  TB    512   B +  0 B   1B2QEXM7
";
        let parts = parts(text);
        assert_eq!((parts.len(), parts[0].name.as_str()), (1, "EXAMPLE SSD 1TB /dev/nvme0n1"));
        assert_eq!(
            (value(&parts[0], "capacity"), value(&parts[0], "used_bytes")),
            (Some(1e12), Some(304.76e9))
        );
    }

    #[test]
    fn a_log_ends_with_its_fields() {
        let text =
            "Smart Log for NVME device:nvme0 namespace-id:1\nmedia_errors : 0\nThat is all, I think: good.\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        assert_eq!((output.results.len(), output.results[0].lines.last, output.unread.len()), (1, 2, 1));
    }
}
