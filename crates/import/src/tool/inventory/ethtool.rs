//! ethtool: at which speed the link of an interface is, and the highest that this end can.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolResult};
use model::{Unit, metric};

use super::{LINK_RATE, LINK_RATE_MAX, printed, result_of, target};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Ethtool;

const NAME: &str = "ethtool";

const BITS: CountingRule = CountingRule {
    tool: NAME,
    versions: "all",
    units: "Mb/s",
    counting: Counting::Decimal,
    proof: "ethtool.c, dump_link_settings prints the speed of the kernel, in Mb/s; a link of 10000Mb/s has 10.3125 GBd with 64b/66b \
            (IEEE 802.3, clause 49), which are 10^10 bits a second",
};

const RULES: &[CountingRule] = &[BITS];

/// Bytes per second of a million bits.
const MEGABIT: f64 = 1e6 / 8.0;

impl ToolReader for Ethtool {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the speed of the link of each interface, now and the highest that is supported, in what ethtool prints without an option"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["ethtool"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Settings for "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        interface(&line.text).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let belongs =
            before.is_empty() || last.is_indented() && !last.is_blank() || interface(&last.text).is_some();
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut links: Vec<Link<'_>> = Vec::new();
        for line in block.lines {
            if let Some(name) = interface(&line.text) {
                links.push(Link { name, ..Link::default() });
            } else if let Some(link) = links.last_mut() {
                link.take(line);
            }
        }
        result_of(block, self, links.into_iter().filter_map(Link::part).collect())
    }
}

/// `Settings for eth0:`.
fn interface(text: &str) -> Option<&str> {
    let name = text.strip_prefix("Settings for ")?.strip_suffix(':')?;
    (!name.is_empty() && !name.contains(' ')).then_some(name)
}

/// What is said of one.
#[derive(Default)]
struct Link<'a> {
    name: &'a str,
    speed: Option<PrintedValue>,
    fastest: Option<PrintedValue>,
    /// Whether the modes that it supports go on in this line.
    is_in_modes: bool,
    is_down: bool,
}

impl Link<'_> {
    fn take(&mut self, line: &ToolLine) {
        let text = line.text.trim();
        let (label, value) =
            text.split_once(':').map_or((None, text), |(label, value)| (Some(label), value.trim()));
        self.is_in_modes = match label {
            Some(label) => label == "Supported link modes",
            None => self.is_in_modes,
        };
        match label {
            // `Unknown!` where there is no link.
            Some("Speed") => self.speed = quantity(line.number, value, BITS.counting),
            Some("Link detected") => self.is_down = value.starts_with("no"),
            _ if self.is_in_modes => {
                let modes = value.split_whitespace().filter_map(|mode| of_mode(line.number, mode));
                let all = modes.chain(self.fastest.take());
                self.fastest = all.max_by(|a, b| a.value.total_cmp(&b.value));
            }
            _ => {}
        }
    }

    fn part(self) -> Option<ToolPart> {
        let speed = self.speed.filter(|_| !self.is_down);
        let mut measured = ToolMeasurement::default();
        measured.add(LINK_RATE, speed.clone());
        measured.add(LINK_RATE_MAX, self.fastest);
        measured.add(metric::THROUGHPUT, speed);
        target(self.name.to_owned(), measured)
    }
}

/// `10000baseT/Full`: the million bits each second.
fn of_mode(line: u64, mode: &str) -> Option<PrintedValue> {
    let (speed, rest) = whole(mode)?;
    rest.starts_with("base").then(|| printed(line, mode, speed as f64 * MEGABIT, 0.0, Unit::BytesPerSecond))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<ToolPart>, NotUnderstood> {
        let lines: Vec<ToolLine> = (1..)
            .zip(text.lines())
            .map(|(number, text)| ToolLine { number, text: text.to_owned() })
            .collect();
        Ethtool.read(&ToolBlock { lines: &lines, command: None }).map(|mut all| all.remove(0).parts)
    }

    #[test]
    fn a_link_has_its_speed_and_the_highest_of_its_modes() {
        let parts = read(
            "Settings for eth0:\n\tSupported ports: [ TP ]\n\tSupported link modes:   100baseT/Half 100baseT/Full\n\t\
             \x20                       10000baseT/Full\n\tSupported pause frame use: 40000baseT/Full\n\tSpeed: 1000Mb/s\n\tLink detected: yes\n",
        )
        .unwrap();
        let figure = |name| parts[0].measured.figure(name).map(|figure| figure.value);
        assert_eq!((figure(LINK_RATE), figure(LINK_RATE_MAX)), (Some(125e6), Some(1.25e9)));
        assert_eq!(figure(metric::THROUGHPUT), Some(125e6));
    }

    #[test]
    fn a_link_that_is_down_or_unknown_has_no_speed() {
        for text in ["\tSpeed: Unknown!\n\tLink detected: yes\n", "\tSpeed: 1000Mb/s\n\tLink detected: no\n"]
        {
            assert_eq!(read(&format!("Settings for eth0:\n{text}")).unwrap_err(), NotUnderstood::CutShort);
        }
    }
}
