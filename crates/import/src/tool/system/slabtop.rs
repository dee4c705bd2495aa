//! slabtop: what the caches of the kernel hold, and each of them.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit};

use crate::tool::arithmetic::{FigureSheet, nth_of};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Slabtop;

const NAME: &str = "slabtop";

const BINARY: CountingRule = CountingRule {
    tool: NAME,
    versions: "procps",
    units: "K of sizes",
    counting: Counting::Binary,
    proof: "slabtop-4.0.2-once: 104946 slabs of one page of 4096 bytes are 419784 K of 1024 bytes; it prints `419784K`",
};

const RULES: &[CountingRule] = &[BINARY];

/// Its lines of sums, with our names for what is in use and for all.
const SUMS: &[(&str, &str, &str)] = &[
    ("Active / Total Objects (% used)", "slab_objects_active", "slab_objects"),
    ("Active / Total Slabs (% used)", "slabs_active", "slabs"),
    ("Active / Total Caches (% used)", "slab_caches_active", "slab_caches"),
    ("Active / Total Size (% used)", "slab_memory_active", "slab_memory"),
];

/// The headings of its table.
const HEADINGS: &[&str] =
    &["OBJS", "ACTIVE", "USE", "OBJ", "SIZE", "SLABS", "OBJ/SLAB", "CACHE", "SIZE", "NAME"];

impl ToolReader for Slabtop {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "slabtop: its sums, and what each cache of the kernel holds"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Active / Total ", "OBJS"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        (text.starts_with(SUMS[0].0) || is_heading(text)).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if text.starts_with(SUMS[0].0) && !before.is_empty() {
            return Extent::EndsBefore;
        }
        let is_own = last.is_blank()
            || is_heading(text)
            || text.starts_with("Minimum / Average / Maximum Object")
            || SUMS.iter().any(|(label, ..)| text.starts_with(label))
            || cache(last).is_some();
        if is_own { Extent::More } else { Extent::EndsBefore }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        for (label, ..) in SUMS {
            let Some((line, rest)) = sheet.behind(label).next() else { continue };
            let of = |at: usize| nth_of(line, rest, at);
            sheet.equal(&of(2), (&of(0) / &of(1)).scaled(100.0), 0.0);
        }
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.without_blank_end().result(NAME, self.programs());
        for line in block.lines {
            let text = line.text.trim();
            if let Some((label, active, all)) = SUMS.iter().find(|(label, ..)| text.starts_with(label)) {
                let values = text.get(label.len()..).unwrap_or_default().trim().trim_start_matches(':');
                let values = values.split(" (").next().unwrap_or_default();
                for (name, value) in [active, all].into_iter().zip(values.split(" / ")) {
                    result.whole.add(MetricName::new(name), amount(line.number, value.trim()));
                }
            } else if let Some((name, measured)) = cache(line) {
                result.parts.push(ToolPart {
                    kind: ToolPartKind::Target,
                    name: name.to_owned(),
                    start_s: None,
                    measured,
                });
            }
        }
        let is_empty = result.parts.is_empty() && result.whole.figures.is_empty();
        if is_empty { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

fn is_heading(text: &str) -> bool {
    text.split_whitespace().eq(HEADINGS.iter().copied())
}

/// `988270.69K`, or a count.
fn amount(line: u64, text: &str) -> Option<PrintedValue> {
    match text.strip_suffix('K') {
        Some(number) => {
            let printed = quantity(line, &format!("{number} KB"), BINARY.counting)?;
            Some(PrintedValue { text: text.to_owned(), ..printed })
        }
        None => {
            whole(text).filter(|(_, rest)| rest.is_empty()).map(|(count, _)| exact(line, count, Unit::One))
        }
    }
}

/// `371602 371602 100%    0.57K  26543       14    212344K radix_tree_node`.
fn cache(line: &ToolLine) -> Option<(&str, ToolMeasurement)> {
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let [objects, active, share, size, slabs, _, memory, name] = words.as_slice() else { return None };
    let is_row = share.ends_with('%') && size.ends_with('K') && memory.ends_with('K');
    if !is_row {
        return None;
    }
    let mut measured = ToolMeasurement::default();
    for (metric, value) in [
        ("slab_memory", memory),
        ("slab_objects", objects),
        ("slab_objects_active", active),
        ("slabs", slabs),
    ] {
        measured.add(MetricName::new(metric), Some(amount(line.number, value)?));
    }
    Some((name, measured))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPTURE: &str = include_str!("../../../tests/tool/fixtures/slabtop/slabtop-4.0.2-once.out");

    #[test]
    fn sums_and_caches_are_read() {
        let output = crate::tool::read("", CAPTURE.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{output:?}") };
        let value = |name| result.whole.figure(MetricName::new(name)).map(|figure| figure.value);
        assert_eq!((value("slab_caches"), value("slab_memory")), (Some(236.0), Some(1_071_483.42 * 1024.0)));
        assert_eq!((result.parts[0].name.as_str(), result.disagreements.len()), ("buffer_head", 0));
        let wrong = CAPTURE.replacen("(87.0%)", "(67.0%)", 1);
        assert_eq!(crate::tool::read("", wrong.as_bytes()).unwrap().results[0].disagreements.len(), 1);
    }
}
