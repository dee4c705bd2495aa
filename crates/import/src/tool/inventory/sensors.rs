//! sensors of lm-sensors: temperatures with their limits, fans, voltages, powers.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolResult};
use model::{MetricName, Unit};

use super::{result_of, sensors_json, target};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::leading;
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Sensors;

const NAME: &str = "sensors";

const DECIMAL: CountingRule = CountingRule {
    tool: NAME,
    versions: "3.x",
    units: "mV, mA, mW, kW, kJ",
    counting: Counting::Decimal,
    proof: "prog/sensors/chips.c, scale_value(), divides and multiplies by 1000",
};

const RULES: &[CountingRule] = &[DECIMAL];

/// What a chip is on, in the middle of its name.
const BUSES: &[&str] =
    &["isa", "pci", "i2c", "acpi", "virtual", "spi", "hid", "mdio", "scsi", "usb", "platform"];

impl ToolReader for Sensors {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what sensors prints: temperatures in Celsius or Fahrenheit, fans, voltages, currents, powers, with their limits; the same of \
         its JSON (-j)"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["sensors"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[
            "-isa-",
            "-pci-",
            "-i2c-",
            "-acpi-",
            "-virtual-",
            "-spi-",
            "-hid-",
            "-mdio-",
            "-scsi-",
            "-usb-",
            "-platform-",
        ]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        is_chip(&line.text).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.as_str();
        // The first chip again is of another moment.
        if is_chip(text) && before.first().is_some_and(|first| first.text == text) {
            return Extent::EndsBefore;
        }
        let is_limit = last.is_indented() && text.trim_start().starts_with('(');
        let is_row = text.starts_with("Adapter:") || is_limit || row(text).is_some();
        // An empty line ends a chip, and behind it only another one follows.
        let is_between = last.is_blank() && before.last().is_some_and(|line| !line.is_blank());
        let belongs = is_chip(text) || is_between || is_row && !before.last().is_some_and(ToolLine::is_blank);
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn knows_json(&self, text: &str) -> bool {
        sensors_json::knows(text)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        if block.lines.first().is_some_and(|line| line.text.trim_start().starts_with('{')) {
            let parts = sensors_json::parts(block.range().first, &block.text());
            return result_of(block, self, parts.ok_or(NotUnderstood::CutShort)?);
        }
        let mut chip = "";
        let mut parts: Vec<ToolPart> = Vec::new();
        for line in block.lines {
            let text = line.text.as_str();
            if is_chip(text) {
                chip = text;
            } else if let Some((label, value)) = row(text) {
                parts.extend(reading(line.number, &format!("{chip} {label}"), value));
            } else if let Some(part) = parts.last_mut().filter(|_| text.trim_start().starts_with('(')) {
                // A list of limits that goes on.
                let first = part.measured.figures.first().map(|figure| figure.metric);
                let of = first.map_or("", MetricName::as_str);
                limits(line.number, text, of, &mut part.measured);
            }
        }
        result_of(block, self, parts)
    }
}

/// `coretemp-isa-0000`, `nvme-pci-0100`, `iwlwifi_1-virtual-0`, `jc42-i2c-0-18`.
fn is_chip(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let bus = parts.iter().skip(1).position(|part| BUSES.contains(part));
    let is_hex = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_hexdigit());
    let Some(behind) = bus.and_then(|bus| parts.get(bus + 2..)) else { return false };
    !text.contains([' ', ':', '/']) && (1..=2).contains(&behind.len()) && behind.iter().all(is_hex)
}

/// The label and what stands behind it.
fn row(text: &str) -> Option<(&str, &str)> {
    let (label, value) = text.split_once(':')?;
    let value = value.trim();
    let is_label = !label.is_empty() && label.len() <= 40 && !label.starts_with(' ') && label != "Adapter";
    let is_value = leading(value.trim_start_matches(['+', '-']), false).is_some()
        || ["N/A", "ALARM", "FAULT", "OK"].iter().any(|word| value.starts_with(word));
    (is_label && is_value).then_some((label, value))
}

/// `+45.0°C  (high = +80.0°C, crit = +100.0°C)`.
fn reading(line: u64, name: &str, value: &str) -> Option<ToolPart> {
    let (now, behind) = value.split_once('(').unwrap_or((value, ""));
    let (metric, printed) = figure(line, now)?;
    let mut measured = ToolMeasurement::default();
    measured.add(MetricName::new(metric), Some(printed));
    limits(line, behind, metric, &mut measured);
    target(name.to_owned(), measured)
}

/// `high = +80.0°C, crit = +100.0°C)`, each a figure of its own.
fn limits(line: u64, text: &str, metric: &str, measured: &mut ToolMeasurement) {
    let list = text.trim().trim_start_matches('(').split(')').next().unwrap_or_default();
    for (name, value) in list.split(", ").filter_map(|limit| limit.split_once('=')) {
        let Some((own, printed)) = figure(line, value) else { continue };
        let name = name.trim().to_ascii_lowercase().replace([' ', '-'], "_");
        let is_name =
            (1..=16).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let name = if own == metric && is_name { MetricName::intern(&format!("{own}_{name}")) } else { None };
        if let Some(name) = name {
            measured.add(name, Some(printed));
        }
    }
}

/// A value, with what it is of.
fn figure(line: u64, text: &str) -> Option<(&'static str, PrintedValue)> {
    let text = text.trim();
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    let number = leading(text.trim_start_matches(['+', '-']), false)?;
    let (value, half_step) = (sign * number.value, number.half_step);
    // Where UTF-8 was taken for Latin 1, another letter stands before the sign of degrees.
    let unit = number.rest.trim_start_matches([' ', '\u{b0}', '\u{c2}']).split_whitespace().next()?;
    let (metric, value, half_step, symbol) = match unit {
        "C" => ("temperature", value, half_step, Unit::Celsius),
        "F" => ("temperature", (value - 32.0) / 1.8, half_step / 1.8, Unit::Celsius),
        "RPM" => ("fan_speed", value, half_step, Unit::of_symbol("rpm")?),
        _ => {
            let prefix = unit.get(..unit.len() - 1)?;
            let scale = match prefix {
                "" => 1.0,
                "u" | "\u{b5}" => 1e-6,
                "m" => 1e-3,
                "k" => 1e3,
                "M" => 1e6,
                _ => return None,
            };
            let (metric, symbol) = match unit.get(prefix.len()..)? {
                "V" => ("voltage", Unit::of_symbol("V")?),
                "A" => ("current", Unit::of_symbol("A")?),
                "W" => ("power", Unit::Watts),
                "J" => ("energy", Unit::Joules),
                _ => return None,
            };
            (metric, value * scale, half_step * scale, symbol)
        }
    };
    let (before, _) = text.split_once("  ").unwrap_or((text, ""));
    Some((metric, super::printed(line, before, value, half_step, symbol)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chips_are_known_by_their_bus() {
        for name in
            ["coretemp-isa-0000", "nvme-pci-0100", "iwlwifi_1-virtual-0", "jc42-i2c-0-18", "BAT0-acpi-0"]
        {
            assert!(is_chip(name), "{name}");
        }
        for name in ["a-pci-card", "pci-0100", "co-operation", "see https://x-pci-0/", "x-isa-0-1-2"] {
            assert!(!is_chip(name), "{name}");
        }
    }

    #[test]
    fn values_are_in_units_of_the_document() {
        let read =
            |text: &str| figure(1, text).map(|(metric, printed)| (metric, printed.value, printed.unit));
        assert_eq!(read("+45.0°C  "), Some(("temperature", 45.0, Unit::Celsius)));
        assert_eq!(read("+87.5Â°C"), Some(("temperature", 87.5, Unit::Celsius)));
        assert_eq!(read("-5.0°C"), Some(("temperature", -5.0, Unit::Celsius)));
        let (_, celsius, _) = read("+212.0°F").unwrap();
        assert!((celsius - 100.0).abs() < 1e-9);
        assert_eq!(read("848.00 mV").unwrap().1, 0.848);
        assert_eq!(read("15.00 W").unwrap().2, Unit::Watts);
        assert_eq!((read("N/A"), read("12 parsecs"), read("7")), (None, None, None));
    }

    #[test]
    fn limits_are_figures_of_their_own() {
        let part =
            reading(3, "coretemp-isa-0000 Core 0", "+45.0°C  (high = +80.0°C, crit = +100.0°C)").unwrap();
        let named = |name: &'static str| part.measured.figure(MetricName::new(name)).map(|p| p.value);
        assert_eq!((named("temperature"), named("temperature_crit")), (Some(45.0), Some(100.0)));
    }
}
