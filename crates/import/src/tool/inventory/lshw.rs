//! lshw's text: how fast network interfaces are, how large memories and disks are, and the clocks of
//! processors.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolResult};
use model::{MetricName, Unit, metric};

use super::lshw_forms::{self, is_short_heading, is_short_row};
use super::{LINK_RATE, LINK_RATE_MAX, printed, result_of, target};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{leading, quantity};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Lshw;

const NAME: &str = "lshw";

const SIZES: CountingRule = CountingRule {
    tool: NAME,
    versions: "since B.02.11",
    units: "KiB, MiB, GiB of memories and disks",
    counting: Counting::Binary,
    proof: "osutils.cc, kilobytes(), divides by 1024: lshw-02.19-whole has 24GiB of the machine whose JSON has \
            25769803776 bytes",
};

const RATES: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "Mbit/s, Gbit/s; MB/s of network interfaces, which early versions print for megabits; MHz, GHz",
    counting: Counting::Decimal,
    proof: "osutils.cc, decimalkilos(), divides by 1000; early ones print `capacity: 100MB/s` of a 100Base-TX interface",
};

const RULES: &[CountingRule] = &[SIZES, RATES, DISKS];

/// Disks, whose size `-short` prints by thousands.
pub(super) const DISKS: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "MB, GB, TB of disks and volumes in the list of -short",
    counting: Counting::Decimal,
    proof: "the text has `476GiB (512GB)` of a disk, and -short has `512GB`: 476 x 2^30 bytes are 511 decimal GB, and less \
            than 512 x 2^30",
};

/// Drivers of interfaces without a wire.
const VIRTUAL: &[&str] =
    &["veth", "tun", "bridge", "virtio_net", "dummy", "macvlan", "ipvlan", "vxlan", "team", "bonding"];

/// What nodes are called.
const NODES: &[&str] = &[
    "core",
    "firmware",
    "cpu",
    "cache",
    "memory",
    "bank",
    "pci",
    "isa",
    "network",
    "disk",
    "storage",
    "volume",
    "display",
    "multimedia",
    "usb",
    "usbhost",
    "scsi",
    "sata",
    "ide",
    "nvme",
    "namespace",
    "generic",
    "bridge",
    "communication",
    "input",
    "power",
    "battery",
    "serial",
    "raid",
    "cdrom",
    "medium",
    "virtio",
    "pnp",
    "system",
    "graphics",
    "sound",
    "card",
    "sas",
    "remoteaccess",
    "bus",
    "logicalvolume",
    "processor",
];

impl ToolReader for Lshw {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the text of lshw, of all classes or of one, its JSON, and its list of -short: rates of network interfaces, sizes, \
         clocks"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["lshw"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["*-", "H/W", "    description: "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let known = |node: &str| {
            let name = node.split([':', ' ']).next().unwrap_or_default();
            NODES.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit()))
        };
        if node(&line.text).is_some_and(known) || is_short_heading(&line.text) {
            return Some(Beginning::Certain);
        }
        // What stands below the name of the machine.
        let is_root = line.text.strip_prefix("    description: ").is_some_and(|text| !text.starts_with(' '));
        is_root.then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some(last) = lines.last() else { return Extent::More };
        if lines.first().is_some_and(|first| is_short_heading(&first.text)) {
            let belongs = lines.len() == 1 || is_short_row(&last.text);
            return if belongs { Extent::More } else { Extent::EndsBefore };
        }
        let belongs = last.is_indented() && (node(&last.text).is_some() || last.text.contains(':'));
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn knows_json(&self, text: &str) -> bool {
        lshw_forms::is_json(text)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let first = block.lines.first().map_or("", |line| line.text.as_str());
        if is_short_heading(first) {
            return result_of(block, self, lshw_forms::of_short(block.lines));
        }
        if first.trim_start().starts_with(['{', '[']) {
            let parts = lshw_forms::of_json(block.range().first, &block.text());
            return result_of(block, self, parts.ok_or(NotUnderstood::CutShort)?);
        }
        if !block.lines.iter().any(|line| node(&line.text).is_some()) {
            return Err(NotUnderstood::OtherText);
        }
        let mut nodes: Vec<LshwNode> = Vec::new();
        for line in block.lines {
            if let Some(name) = node(&line.text) {
                nodes.push(LshwNode { name: name.to_owned(), ..LshwNode::default() });
            } else if let Some(last) = nodes.last_mut() {
                last.take(line);
            }
        }
        result_of(block, self, nodes.into_iter().filter_map(LshwNode::part).collect())
    }
}

/// Whether interfaces of this driver have no wire.
pub(super) fn is_virtual(driver: &str) -> bool {
    VIRTUAL.contains(&driver)
}

/// `network` of `  *-network`, `virtio0` of `*-virtio0 UNCLAIMED`.
fn node(text: &str) -> Option<&str> {
    let name = text.trim_start().strip_prefix("*-")?;
    name.split_whitespace().next()
}

/// What is said of one node.
#[derive(Default)]
struct LshwNode {
    name: String,
    /// What it is called in the system.
    logical: Option<String>,
    is_network: bool,
    /// Whether it has no wire: the speed that its driver names bounds nothing.
    is_virtual: bool,
    measured: ToolMeasurement,
}

impl LshwNode {
    fn take(&mut self, line: &ToolLine) {
        let Some((key, value)) = line.text.trim_start().split_once(": ") else { return };
        let value = value.trim();
        let is_of = |classes: &[&str]| classes.iter().any(|class| self.name.starts_with(class));
        match key {
            "logical name" => self.logical = self.logical.take().or_else(|| Some(value.to_owned())),
            "description" => {
                self.is_network = value.starts_with("Ethernet interface") || value.starts_with("Wireless");
            }
            "size" | "capacity" => {
                let is_most = key == "capacity";
                let is_network = self.is_network || is_of(&["network"]);
                let (metric, printed) = match figure(line.number, value, is_network) {
                    Some(rate) if rate.unit == Unit::BytesPerSecond => {
                        (if is_most { LINK_RATE_MAX } else { LINK_RATE }, rate)
                    }
                    Some(clock) if clock.unit == Unit::Hertz => {
                        (MetricName::new(if is_most { "frequency_max" } else { "frequency" }), clock)
                    }
                    Some(size) => (MetricName::new(if is_most { "capacity" } else { "size" }), size),
                    None => return,
                };
                self.measured.add(metric, Some(printed));
            }
            // Of buses it is what their registers say, and no rate.
            "clock" if is_of(&["memory", "bank"]) => {
                self.measured.add(MetricName::new("clock"), figure(line.number, value, false));
            }
            "configuration" => {
                let named = |name: &str| value.split(' ').find_map(|pair| pair.strip_prefix(name));
                self.is_virtual = named("driver=").is_some_and(is_virtual);
                let speed = named("speed=").and_then(|speed| figure(line.number, speed, true));
                let speed = speed.filter(|rate| rate.unit == Unit::BytesPerSecond);
                if self.measured.figure(LINK_RATE).is_none() {
                    self.measured.add(LINK_RATE, speed);
                }
            }
            _ => {}
        }
    }

    fn part(mut self) -> Option<ToolPart> {
        let rate = self.measured.figure(LINK_RATE).or_else(|| self.measured.figure(LINK_RATE_MAX)).cloned();
        self.measured.add(metric::THROUGHPUT, rate.filter(|_| !self.is_virtual));
        let name = match self.logical {
            Some(logical) => format!("{} {logical}", self.name),
            None => self.name,
        };
        target(name, self.measured)
    }
}

/// `1Gbit/s`, `24GiB (25GB)`, `2400MHz`, `3200MHz (0.3ns)`. Early versions print the bits of network
/// interfaces as `100MB/s`.
pub(super) fn figure(line: u64, value: &str, is_network: bool) -> Option<PrintedValue> {
    let text = value.split(" (").next()?.trim();
    let number = leading(text, false)?;
    let unit = number.rest.trim();
    let hertz = match unit {
        "Hz" => Some(1.0),
        "KHz" | "kHz" => Some(1e3),
        "MHz" => Some(1e6),
        "GHz" => Some(1e9),
        _ => None,
    };
    if let Some(scale) = hertz {
        return Some(printed(line, text, number.value * scale, number.half_step * scale, Unit::Hertz));
    }
    match unit.strip_suffix("B/s") {
        Some(prefix) if is_network => {
            let bits = quantity(line, &format!("{} {prefix}bit/s", number.digits), RATES.counting)?;
            Some(PrintedValue { text: text.to_owned(), ..bits })
        }
        Some(_) => None,
        None if unit.ends_with("/s") => quantity(line, text, RATES.counting),
        // Widths are in bits.
        None => quantity(line, text, SIZES.counting).filter(|_| unit.ends_with('B')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_in_the_units_of_every_version() {
        let read = |text: &str| figure(1, text, true).map(|printed| (printed.value, printed.unit));
        assert_eq!(read("1Gbit/s"), Some((1e9 / 8.0, Unit::BytesPerSecond)));
        assert_eq!(read("100MB/s"), Some((100e6 / 8.0, Unit::BytesPerSecond)));
        assert_eq!(read("24GiB"), Some((24.0 * 1_073_741_824.0, Unit::Bytes)));
        assert_eq!(read("476GiB (512GB)"), Some((476.0 * 1_073_741_824.0, Unit::Bytes)));
        assert_eq!(read("3200MHz (0.3ns)"), Some((3200e6, Unit::Hertz)));
        assert_eq!(read("64 bits"), None);
        assert_eq!(figure(1, "100MB/s", false), None);
    }

    #[test]
    fn a_list_with_stars_is_no_tree() {
        let begins = |text: &str| Lshw.begins(&ToolLine { number: 1, text: text.to_owned() });
        assert_eq!(begins("  *-network:0"), Some(Beginning::Certain));
        assert_eq!(begins("  *-virtio2"), Some(Beginning::Certain));
        assert_eq!(begins("*-my shopping list"), None);
        assert_eq!(begins("description: x"), None);
    }
}
