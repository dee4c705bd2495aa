//! lspci with `-vv`: the PCI Express link of each function. Its rate is transfers times lanes times line
//! coding (PCI Express Base Specification 6.0, section 4.2); what payload gets of that at most
//! follows from the payload that is set, by the arithmetic of `machine::limit::pcie`.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolResult};
use model::{MetricName, Unit, metric};

use super::{LINK_RATE, LINK_RATE_MAX, printed, result_of, target};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, leading, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Lspci;

const NAME: &str = "lspci";

const DECIMAL: CountingRule = CountingRule {
    tool: NAME,
    versions: "3.x",
    units: "GT/s",
    counting: Counting::Decimal,
    proof: "ls-caps.c prints 5GT/s for the speed that the PCI Express Base Specification, section 7.5.3.6, calls 5.0 GT/s: \
            5,000,000,000 transfers per second",
};

const RULES: &[CountingRule] = &[DECIMAL];

/// The least that stands around the payload of a packet: framing, sequence number and LCRC, and a short head. In a
/// flit it is the head alone.
const AROUND: f64 = 8.0 + AROUND_IN_FLIT;
const AROUND_IN_FLIT: f64 = 12.0;
/// From so many transfers per second on, packets travel in flits.
const FLITS: f64 = 60e9;
/// The share of a flit that is for packets.
const FLIT_SHARE: f64 = 236.0 / 256.0;

impl ToolReader for Lspci {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the links in what lspci -vv prints: their speed, width and rate, now and at most, and what payload can get"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["lspci"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[": "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        function(&line.text).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some(last) = lines.last() else { return Extent::More };
        let belongs = last.is_blank() || last.is_indented() || function(&last.text).is_some();
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut functions: Vec<PciFunction> = Vec::new();
        for line in block.lines {
            if let Some(name) = function(&line.text) {
                functions.push(PciFunction { name, ..PciFunction::default() });
            } else if let Some(last) = functions.last_mut() {
                last.take(line);
            }
        }
        result_of(block, self, functions.into_iter().filter_map(PciFunction::part).collect())
    }
}

/// `01:00.0 Non-Volatile memory controller` of the line that begins a function.
fn function(text: &str) -> Option<String> {
    let (address, rest) = text.split_once(' ')?;
    let (place, function) = address.rsplit_once('.')?;
    let is_hex = |text: &str, lengths: &[usize]| {
        lengths.contains(&text.len()) && text.chars().all(|c| c.is_ascii_hexdigit())
    };
    let parts: Vec<&str> = place.split(':').collect();
    let is_place = match parts.as_slice() {
        [bus, device] => is_hex(bus, &[2]) && is_hex(device, &[2]),
        [domain, bus, device] => is_hex(domain, &[4, 5, 8]) && is_hex(bus, &[2]) && is_hex(device, &[2]),
        _ => false,
    };
    let (class, _) = rest.split_once(": ")?;
    let is_class = class.starts_with(|c: char| c.is_ascii_uppercase()) || class.starts_with("3D ");
    let class = class.split(" [").next().unwrap_or(class);
    (is_place && is_hex(function, &[1]) && is_class).then(|| format!("{address} {class}"))
}

/// Transfers per second, and lanes.
#[derive(Clone)]
struct PciSpeed {
    transfers: PrintedValue,
    lanes: u64,
}

impl PciSpeed {
    /// `Speed 8GT/s (ok), Width x4 (ok)`; lines of earlier versions have no judgement.
    fn of(line: u64, text: &str) -> Option<Self> {
        let (_, speed) = text.split_once("Speed ")?;
        let number = leading(speed, false)?;
        number.rest.trim_start().strip_prefix("GT/s")?;
        let (lanes, _) = whole(text.split_once("Width x")?.1)?;
        let text = format!("{}GT/s", number.digits);
        let transfers = printed(line, &text, number.value * 1e9, 0.0, Unit::PerSecond);
        ((1..=32).contains(&lanes) && number.value > 0.0).then_some(Self { transfers, lanes })
    }

    /// Bits of data for each bit on the lane.
    fn coding(&self) -> f64 {
        match self.transfers.value {
            transfers if transfers < 6e9 => 0.8,
            transfers if transfers < FLITS => 128.0 / 130.0,
            _ => 1.0,
        }
    }

    /// Bytes per second each way.
    fn rate(&self) -> PrintedValue {
        let text = format!("{} x{}", self.transfers.text, self.lanes);
        let lanes = self.lanes as f64;
        let value = self.transfers.value * lanes * self.coding() / 8.0;
        PrintedValue { text, value, unit: Unit::BytesPerSecond, ..self.transfers.clone() }
    }
}

/// What is said of one function.
#[derive(Default)]
struct PciFunction {
    name: String,
    most: Option<PciSpeed>,
    now: Option<PciSpeed>,
    /// The bytes of payload in a packet, as they are set.
    payload: Option<u64>,
}

impl PciFunction {
    fn take(&mut self, line: &ToolLine) {
        let text = line.text.trim_start();
        if let Some(link) = text.strip_prefix("LnkCap:") {
            self.most = PciSpeed::of(line.number, link).or(self.most.take());
        } else if let Some(link) = text.strip_prefix("LnkSta:") {
            self.now = PciSpeed::of(line.number, link).or(self.now.take());
        } else if text.contains("MaxReadReq") {
            // What the function can stands without the size of requests.
            let set = text.split_once("MaxPayload").and_then(|(_, rest)| whole(rest)).map(|(bytes, _)| bytes);
            self.payload = set.filter(|bytes| (128..=4096).contains(bytes)).or(self.payload);
        }
    }

    fn part(self) -> Option<ToolPart> {
        let Self { name, most, now, payload } = self;
        let mut measured = ToolMeasurement::default();
        for (link, names) in
            [(&now, ["link_transfers", "link_lanes"]), (&most, ["link_transfers_max", "link_lanes_max"])]
        {
            let Some(link) = link else { continue };
            let lanes = PrintedValue {
                text: format!("x{}", link.lanes),
                ..exact(link.transfers.line, link.lanes, Unit::One)
            };
            for (name, value) in names.into_iter().zip([link.transfers.clone(), lanes]) {
                measured.add(MetricName::new(name), Some(value));
            }
        }
        measured.add(LINK_RATE, now.as_ref().map(PciSpeed::rate));
        measured.add(LINK_RATE_MAX, most.as_ref().map(PciSpeed::rate));
        measured.add(metric::THROUGHPUT, bound(most, now).map(|link| effective(&link, payload)));
        target(name, measured)
    }
}

/// The link when it is loaded. Idle ones slow down, so their present speed bounds nothing; lanes do not
/// sleep on what servers have.
fn bound(most: Option<PciSpeed>, now: Option<PciSpeed>) -> Option<PciSpeed> {
    match (most, now) {
        (Some(most), Some(now)) if most.transfers.value > now.transfers.value => {
            Some(PciSpeed { lanes: now.lanes, ..most })
        }
        (most, now) => now.or(most),
    }
}

/// What payload can get of a link at most. Where its packets are not known, all that the link
/// carries.
fn effective(link: &PciSpeed, payload: Option<u64>) -> PrintedValue {
    let rate = link.rate();
    let Some(payload) = payload else { return rate };
    let packet = payload as f64;
    let is_in_flits = link.transfers.value >= FLITS;
    let (share, around) = if is_in_flits { (FLIT_SHARE, AROUND_IN_FLIT) } else { (1.0, AROUND) };
    let value = rate.value * share * packet / (packet + around);
    PrintedValue { text: format!("{}, {payload} bytes", rate.text), value, ..rate }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_known_by_its_address() {
        assert_eq!(
            function("01:00.0 Non-Volatile memory controller: Some maker (rev 02)").as_deref(),
            Some("01:00.0 Non-Volatile memory controller")
        );
        assert_eq!(
            function("0000:00:03.0 Ethernet controller [0200]: Red Hat [1af4:1041]").as_deref(),
            Some("0000:00:03.0 Ethernet controller")
        );
        assert_eq!(function("12:00:01 AM CPU: x"), None);
        assert_eq!(function("01:00.0 3D controller: x").as_deref(), Some("01:00.0 3D controller"));
        assert_eq!(function("12:30.5 we met: later"), None);
        assert_eq!(function("1:2.3 a: b"), None);
    }

    #[test]
    fn the_rate_of_a_link_has_its_coding() {
        let rate = |text: &str| PciSpeed::of(1, text).map(|link| link.rate().value);
        let near = |text: &str, expected: f64| assert!((rate(text).unwrap() / expected - 1.0).abs() < 1e-9);
        near(" Speed 2.5GT/s, Width x1, TrErr-", 0.25e9);
        near(" Port #0, Speed 8GT/s, Width x4, ASPM L1", 8e9 * 4.0 * 128.0 / 130.0 / 8.0);
        near(" Speed 64GT/s (ok), Width x4 (downgraded)", 32e9);
        assert_eq!(rate(" Speed unknown, Width x0"), None);
        assert_eq!(rate(" Speed 8GT/s, Width x0"), None);
    }

    #[test]
    fn payload_gets_what_packets_leave() {
        // As in `machine::limit::pcie`: 2.0 x2 at 128 bytes.
        let link = PciSpeed::of(1, "Speed 5GT/s, Width x2").unwrap();
        let near = |link: &PciSpeed, payload, expected: f64| {
            assert!((effective(link, Some(payload)).value / expected - 1.0).abs() < 1e-12);
        };
        near(&link, 128, 1e9 * 128.0 / 148.0);
        assert_eq!(effective(&link, None).value, 1e9);
        let in_flits = PciSpeed::of(1, "Speed 64GT/s, Width x4").unwrap();
        near(&in_flits, 256, 32e9 * 236.0 / 256.0 * 256.0 / 268.0);
    }

    #[test]
    fn an_idle_link_is_bound_by_its_highest_speed_and_its_present_width() {
        let of = |text: &str| PciSpeed::of(1, text);
        let most = || of("Speed 16GT/s, Width x16");
        let rate = |now: Option<PciSpeed>| bound(most(), now).unwrap().rate().text;
        assert_eq!(rate(of("Speed 2.5GT/s, Width x8")), "16GT/s x8");
        assert_eq!(rate(None), "16GT/s x16");
        assert!(bound(None, None).is_none());
    }
}
