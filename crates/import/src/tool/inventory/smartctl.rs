//! smartctl of smartmontools: the link of a drive, its temperature, what it read and wrote in its life, and its
//! errors. Its serial number is not kept.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolResult};
use model::{MetricName, Unit, metric};

use super::{LINK_RATE, LINK_RATE_MAX, printed, result_of, target};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{leading, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Smartctl;

const NAME: &str = "smartctl";

const DATA_UNITS: CountingRule = CountingRule {
    tool: NAME,
    versions: "5 to 7",
    units: "Data Units, of 1000 times 512 bytes",
    counting: Counting::Other,
    proof: "NVM Express Base Specification 2.0, section 5.16.1.3: thousands of 512 bytes, whatever the size of a block; \
            smartctl-7.3-nvme-made: 1,000,000 are `512 GB` there",
};

const RULES: &[CountingRule] = &[DATA_UNITS];

const DATA_UNIT: f64 = 512_000.0;

/// Of ten bits on a SATA link eight are data (8b/10b), so ten are a byte.
const BITS_OF_BYTE: f64 = 10.0;

/// So many empty lines behind one another are in none of its texts.
const BLANK_MAX: usize = 2;

impl ToolReader for Smartctl {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "of smartctl -i, -A and -a the link of a SATA drive, now and at most, the temperature, what an NVMe drive read and wrote, \
         how much of its life is used, and errors of its media"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["smartctl ", "=== START OF "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        (is_banner(&line.text) || is_section(&line.text)).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let blank = before.iter().rev().take_while(|line| line.is_blank()).count();
        let is_another = is_banner(&last.text) && !before.is_empty();
        // Behind an empty line another output may begin that is not sure of itself.
        let is_other = || {
            let begins = |reader: &dyn ToolReader| reader.name() != NAME && reader.begins(last).is_some();
            blank > 0 && crate::tool::readers().any(begins)
        };
        if is_another || blank >= BLANK_MAX || is_other() { Extent::EndsBefore } else { Extent::More }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut drive = Drive::default();
        block.lines.iter().for_each(|line| drive.take(line));
        let mut results = result_of(block, self, drive.parts())?;
        let version = block.lines.iter().find_map(|line| version(&line.text)).map(str::to_owned);
        results.iter_mut().for_each(|result| result.version.clone_from(&version));
        Ok(results)
    }
}

/// `smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1.0] (local build)`.
fn is_banner(text: &str) -> bool {
    version(text).is_some()
}

fn version(text: &str) -> Option<&str> {
    let (version, rest) = text.strip_prefix("smartctl ")?.split_once(' ')?;
    let is_one = version.starts_with(|c: char| c.is_ascii_digit()) && version.contains('.');
    (is_one && rest.contains('[')).then_some(version)
}

/// `=== START OF INFORMATION SECTION ===`.
fn is_section(text: &str) -> bool {
    text.starts_with("=== START OF ") && text.ends_with(" SECTION ===")
}

/// What is said of a drive.
#[derive(Default)]
struct Drive {
    model: Option<String>,
    link: ToolMeasurement,
    health: ToolMeasurement,
}

impl Drive {
    fn take(&mut self, line: &ToolLine) {
        if let Some((label, value)) = line.text.split_once(':') {
            self.field(line.number, label.trim(), value.trim());
        } else if let Some(celsius) = temperature_attribute(&line.text) {
            let value = printed(line.number, celsius, 0.0, 0.5, Unit::Celsius);
            self.temperature(
                leading(celsius, false).map(|number| PrintedValue { value: number.value, ..value }),
            );
        }
    }

    fn field(&mut self, line: u64, label: &str, value: &str) {
        match label {
            "Device Model" | "Model Number" | "Product" => self.model = Some(value.to_owned()),
            "SATA Version is" => self.link = link(line, value),
            "Temperature" | "Current Drive Temperature" => self.temperature(celsius(line, value)),
            "Percentage Used" => self.add("used_share", share(line, value)),
            "Data Units Read" => self.add("read_bytes", data_units(line, value)),
            "Data Units Written" => self.add("written_bytes", data_units(line, value)),
            "Media and Data Integrity Errors" => self.add("errors", errors(line, value)),
            _ => {}
        }
    }

    fn add(&mut self, name: &'static str, value: Option<PrintedValue>) {
        self.health.add(MetricName::new(name), value);
    }

    /// The first that is told: attributes may repeat it.
    fn temperature(&mut self, value: Option<PrintedValue>) {
        if self.health.figure(TEMPERATURE).is_none() {
            self.health.add(TEMPERATURE, value);
        }
    }

    fn parts(self) -> Vec<ToolPart> {
        let model = self.model.unwrap_or_default();
        let link = target(format!("{model} SATA link").trim_start().to_owned(), self.link);
        let name = if model.is_empty() { "drive".to_owned() } else { model };
        target(name, self.health).into_iter().chain(link).collect()
    }
}

const TEMPERATURE: MetricName = MetricName::new("temperature");

/// The raw value of `194 Temperature_Celsius     0x0022   064   050   000    Old_age   Always       -       36 (Min/Max 20/45)`.
fn temperature_attribute(text: &str) -> Option<&str> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_it =
        words.first() == Some(&"194") && words.get(1).is_some_and(|name| name.starts_with("Temperature"));
    words.get(9).copied().filter(|raw| is_it && leading(raw, false).is_some())
}

fn celsius(line: u64, value: &str) -> Option<PrintedValue> {
    let number = leading(value, false)?;
    let is_celsius = ["C", "Celsius"].contains(&number.rest.trim());
    is_celsius.then(|| printed(line, value, number.value, number.half_step, Unit::Celsius))
}

/// `3%`.
pub(super) fn share(line: u64, value: &str) -> Option<PrintedValue> {
    let (percent, _) = whole(value).filter(|(_, rest)| *rest == "%")?;
    Some(printed(line, value, percent as f64 / 100.0, 0.005, Unit::One))
}

/// `1,000,000 [512 GB]`.
pub(super) fn data_units(line: u64, value: &str) -> Option<PrintedValue> {
    Some(printed(line, value, grouped(value)? as f64 * DATA_UNIT, DATA_UNIT, Unit::Bytes))
}

/// A whole number at the beginning of `17,586,666 [9.00 TB]`, whatever parts thousands in the language of the machine.
fn grouped(text: &str) -> Option<u64> {
    let own = text.split(['[', '(']).next().unwrap_or_default();
    let is_part =
        |c: char| c.is_ascii_digit() || c.is_whitespace() || matches!(c, ',' | '.' | '\'' | '\u{2019}');
    let digits: String = own.chars().filter(char::is_ascii_digit).collect();
    if own.chars().all(is_part) { digits.parse().ok() } else { None }
}

/// A count of errors.
pub(super) fn errors(line: u64, value: &str) -> Option<PrintedValue> {
    Some(printed(line, value, grouped(value)? as f64, 0.0, Unit::One))
}

/// `SATA 3.3, 6.0 Gb/s (current: 3.0 Gb/s)`; what is current may be missing.
fn link(line: u64, value: &str) -> ToolMeasurement {
    let rate = |text: &str| {
        let number = leading(text, false).filter(|number| number.rest.trim_start().starts_with("Gb/s"))?;
        let text = format!("{} Gb/s", number.digits);
        Some(printed(line, &text, number.value * 1e9 / BITS_OF_BYTE, 0.0, Unit::BytesPerSecond))
    };
    let most = value.split(", ").skip(1).find_map(rate);
    let now = value.split_once("(current: ").and_then(|(_, now)| rate(now));
    let mut measured = ToolMeasurement::default();
    // What payload gets is less than what there is at most.
    measured.add(metric::THROUGHPUT, now.clone().or_else(|| most.clone()));
    measured.add(LINK_RATE, now);
    measured.add(LINK_RATE_MAX, most);
    measured
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_at_its_rate_now() {
        let read = |text: &str| {
            let measured = link(1, text);
            let value = |name| measured.figure(name).map(|printed| printed.value);
            (value(metric::THROUGHPUT), value(LINK_RATE), value(LINK_RATE_MAX))
        };
        assert_eq!(read("SATA 3.3, 6.0 Gb/s (current: 3.0 Gb/s)"), (Some(3e8), Some(3e8), Some(6e8)));
        assert_eq!(read("SATA 2.6, 3.0 Gb/s"), (Some(3e8), None, Some(3e8)));
        assert_eq!(read("Unknown"), (None, None, None));
    }

    #[test]
    fn thousands_are_parted_in_the_way_of_the_language() {
        for text in ["1,000 [512 MB]", "1.000 [512 MB]", "1\u{2019}000", "1\u{202f}000 (512 MB)", "1000"] {
            assert_eq!(data_units(1, text).map(|bytes| bytes.value), Some(512e6), "{text}");
        }
        assert_eq!((grouped("0x10"), grouped("-"), grouped("")), (None, None, None));
    }

    #[test]
    fn other_lines_begin_nothing() {
        for text in
            ["smartctl 7.3 is a tool", "smartctl -a /dev/sda", "=== START ===", "smartctl open device"]
        {
            let line = ToolLine { number: 1, text: text.to_owned() };
            assert!(Smartctl.begins(&line).is_none(), "{text}");
        }
        assert_eq!(version("smartctl 7.3 2022-02-28 r5338 [x86_64-linux-6.1.0] (local build)"), Some("7.3"));
    }

    #[test]
    fn what_follows_behind_an_empty_line_is_not_swallowed() {
        let text = "=== START OF SMART DATA SECTION ===\nTemperature:    35 Celsius\n\n\
                    SMART/Health Information (NVMe Log 0x02)\nPercentage Used:    3%\n\n\
                    Ping: 15.123 ms\nDownload: 93.21 Mbit/s\nUpload: 11.54 Mbit/s\n";
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        let found: Vec<&str> = results.iter().map(|result| result.tool.as_str()).collect();
        assert_eq!(found, [NAME, "speedtest"]);
        assert!(results[0].parts[0].measured.figure(MetricName::new("used_share")).is_some());
    }

    #[test]
    fn the_temperature_of_an_attribute_is_its_raw_value() {
        let row = "194 Temperature_Celsius     0x0022   064   050   000    Old_age   Always       -       36 (Min/Max 20/45)";
        assert_eq!(temperature_attribute(row), Some("36"));
        assert_eq!(temperature_attribute("190 Airflow_Temperature_Cel 0x0022 1 2 3 4 5 6 7"), None);
    }
}
