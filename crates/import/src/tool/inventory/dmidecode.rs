//! `dmidecode -t memory`, or all of dmidecode: the memory modules of a machine, and what each moves at the speed at
//! which it runs. Serial numbers are not kept.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolResult};
use model::{MetricName, Unit, metric};

use super::{LINK_RATE_MAX, printed, result_of, target};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::{CountingRule, factor};
use crate::tool::number::whole;
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Dmidecode;

const NAME: &str = "dmidecode";

const BYTES: CountingRule = CountingRule {
    tool: NAME,
    versions: "2.x and 3.x",
    units: "kB, MB, GB of sizes",
    counting: Counting::Binary,
    proof: "SMBIOS specification (DSP0134), 7.18.4: sizes are in units of 2^10 or 2^20 bytes; dmidecode.c prints 16384 of the \
            latter as 16 GB",
};

const RULES: &[CountingRule] = &[BYTES];

/// What stands below its version.
const FIRST: &str = "Getting SMBIOS data from ";

/// The title of a memory module.
const MODULE: &str = "Memory Device";

impl ToolReader for Dmidecode {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the memory modules that dmidecode lists: the size of each, and the most that it moves at its speed, which is the number of \
         transfers times the bytes of its width"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[FIRST, "Handle 0x"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let is_first = line.text.starts_with(FIRST) || is_handle(&line.text);
        is_first.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.as_str();
        let is_title = before.last().is_some_and(|line| is_handle(&line.text));
        let is_banner =
            ["SMBIOS ", "Table at "].iter().any(|start| text.starts_with(start)) || text.ends_with(" bytes.");
        let belongs = last.is_blank() || last.is_indented() || is_title || is_handle(text) || is_banner;
        if before.is_empty() || belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut modules: Vec<Module<'_>> = Vec::new();
        let mut is_module = false;
        for line in block.lines {
            let text = line.text.trim();
            if !line.is_indented() {
                is_module = text == MODULE;
                modules.extend(is_module.then(Module::default));
            } else if let (true, Some(module), Some((label, value))) =
                (is_module, modules.last_mut(), text.split_once(": "))
            {
                module.take(line.number, label, value.trim());
            }
        }
        let parts: Vec<ToolPart> = modules.into_iter().filter_map(Module::part).collect();
        let mut results = result_of(block, self, parts)?;
        for result in &mut results {
            // `# dmidecode 3.3` looks like a command behind a prompt.
            if let [_, version] = result.command.as_slice()
                && version.starts_with(|c: char| c.is_ascii_digit())
            {
                result.version = Some(version.clone());
                result.command.clear();
            }
        }
        Ok(results)
    }
}

/// `Handle 0x0011, DMI type 17, 92 bytes`.
fn is_handle(text: &str) -> bool {
    text.starts_with("Handle 0x") && text.contains(", DMI type ")
}

/// What is said of a module.
#[derive(Default)]
struct Module<'a> {
    slot: &'a str,
    bank: &'a str,
    kind: &'a str,
    size: Option<PrintedValue>,
    width_bits: Option<u64>,
    /// Its line, and how many transfers it can make in a second.
    speed: Option<(u64, u64)>,
    /// The same at the speed that it was set to.
    configured: Option<(u64, u64)>,
}

impl<'a> Module<'a> {
    fn take(&mut self, line: u64, label: &'a str, value: &'a str) {
        let number = || whole(value);
        match label {
            "Size" => self.size = size(line, value),
            "Locator" => self.slot = value,
            "Bank Locator" => self.bank = value,
            "Type" => self.kind = value,
            "Data Width" => self.width_bits = number().map(|(bits, _)| bits),
            "Speed" => self.speed = transfers(value).map(|rate| (line, rate)),
            // As it was called before version 3.2.
            "Configured Memory Speed" | "Configured Clock Speed" => {
                self.configured = transfers(value).map(|rate| (line, rate));
            }
            _ => {}
        }
    }

    /// A slot without a module has no size.
    fn part(self) -> Option<ToolPart> {
        let size = self.size?;
        let mut measured = ToolMeasurement::default();
        measured.add(MetricName::new("memory_total"), Some(size));
        let width = self.width_bits.map(|bits| bits / 8);
        let rate = |(line, transfers): (u64, u64)| {
            let bytes = width?;
            let value = transfers as f64 * bytes as f64;
            Some(printed(line, &format!("{transfers}/s x {bytes} B"), value, 0.0, Unit::BytesPerSecond))
        };
        measured.add(metric::THROUGHPUT, self.configured.or(self.speed).and_then(rate));
        measured.add(LINK_RATE_MAX, self.speed.and_then(rate));
        let name = [self.bank, self.slot, self.kind].join(" ");
        target(name.split_whitespace().collect::<Vec<_>>().join(" "), measured)
    }
}

/// `16 GB`, `16384 MB`; nothing of `No Module Installed`.
fn size(line: u64, text: &str) -> Option<PrintedValue> {
    let (number, rest) = whole(text)?;
    let scale = factor(rest.trim().strip_suffix('B')?, BYTES.counting)?;
    Some(printed(line, text, number as f64 * scale, 0.0, Unit::Bytes))
}

/// Transfers a second of `3200 MT/s`, and of `1600 MHz`, by which early versions mean the same.
fn transfers(text: &str) -> Option<u64> {
    let (number, rest) = whole(text)?;
    matches!(rest.trim(), "MT/s" | "MHz").then(|| number.saturating_mul(1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_moves_its_width_at_the_speed_that_it_was_set_to() {
        let text = "Handle 0x0011, DMI type 17, 92 bytes\nMemory Device\n\tTotal Width: 72 bits\n\tData Width: 64 bits\n\tSize: 16 GB\n\
                    \tLocator: DIMM_A1\n\tBank Locator: BANK 0\n\tType: DDR4\n\tSpeed: 3200 MT/s\n\tConfigured Memory Speed: 2666 MT/s\n\n\
                    Handle 0x0012, DMI type 17, 92 bytes\nMemory Device\n\tSize: No Module Installed\n\tLocator: DIMM_A2\n";
        let result = crate::tool::read("", text.as_bytes()).unwrap().results.remove(0);
        assert_eq!(result.parts.len(), 1, "the other slot is empty");
        let part = &result.parts[0];
        assert_eq!(part.name, "BANK 0 DIMM_A1 DDR4");
        let value = |name| part.measured.figure(name).map(|printed| printed.value);
        assert_eq!(value(metric::THROUGHPUT), Some(2666e6 * 8.0));
        assert_eq!(value(LINK_RATE_MAX), Some(3200e6 * 8.0));
        assert_eq!(value(MetricName::new("memory_total")), Some(16.0 * 1_073_741_824.0));
    }

    #[test]
    fn speeds_of_early_versions_are_in_megahertz() {
        assert_eq!((transfers("1600 MHz"), transfers("Unknown")), (Some(1_600_000_000), None));
    }
}
