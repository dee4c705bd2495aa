//! What links can do, from the machine's limits and the inventory, in the words
//! that people know them by.

use std::collections::BTreeMap;

use language::{Words, format};
use model::limit::{ChipsetLink, Direction, LimitKind};
use model::machine::{BlockDevice, Inventory, Machine, NetworkInterface, PciDevice, PciLink};
use model::{Limit, Resource, ResourceKind, Unit};

use super::tree::Link;
use super::wording;
use crate::svg::clean;

/// Generations of PCI Express: transfers per second and lane, bytes per second
/// and lane after coding, name (PCI Express Base Specification 6.0: 8b/10b up to
/// 5 GT/s, 128b/130b up to 32 GT/s, 1b/1b at 64 GT/s).
const GENERATIONS: [(f64, f64, &str); 6] = [
    (2.5e9, 0.25e9, "1.0"),
    (5e9, 0.5e9, "2.0"),
    (8e9, 8e9 * 128.0 / 130.0 / 8.0, "3.0"),
    (16e9, 16e9 * 128.0 / 130.0 / 8.0, "4.0"),
    (32e9, 32e9 * 128.0 / 130.0 / 8.0, "5.0"),
    (64e9, 8e9, "6.0"),
];

/// The buses that disks have for themselves, and how they are written.
const BUSES: &[(&str, &str)] = &[("sata", "SATA"), ("sas", "SAS"), ("usb", "USB"), ("mmc", "MMC")];

pub(super) struct LinkLimits<'a> {
    by_resource: BTreeMap<&'a Resource, Vec<&'a Limit>>,
    inventory: &'a Inventory,
    pub(super) words: &'a Words,
}

impl<'a> LinkLimits<'a> {
    pub(super) fn new(machine: &'a Machine, words: &'a Words) -> Self {
        let mut by_resource: BTreeMap<_, Vec<&Limit>> = BTreeMap::new();
        for limit in &machine.limits {
            by_resource.entry(&limit.resource).or_default().push(limit);
        }
        Self { by_resource, inventory: &machine.inventory, words }
    }

    pub(super) fn knows(&self, resource: &Resource) -> bool {
        self.by_resource.contains_key(resource)
    }

    /// The bounds of `resource` on bytes per second, of any access and size.
    fn throughput(&self, resource: &Resource) -> impl Iterator<Item = &'a Limit> {
        self.all(resource).iter().copied().filter(|l| l.unit == Unit::BytesPerSecond && l.bound().is_some())
    }

    fn all(&self, resource: &Resource) -> &[&'a Limit] {
        self.by_resource.get(resource).map(Vec::as_slice).unwrap_or_default()
    }

    /// The CPU seconds per second that are imposed on `cpu`.
    pub(super) fn cpu_quota(&self) -> Option<f64> {
        let quotas = self.all(&Resource::CPUS).iter().filter(|l| l.kind == LimitKind::Quota);
        quotas.filter_map(|l| l.bound()).reduce(f64::min)
    }

    /// The link of `resource`, written with `show`; `what` names it from its
    /// line rate.
    fn link(
        &self,
        resource: &Resource,
        what: impl Fn(Option<f64>) -> String,
        show: fn(f64) -> String,
    ) -> Link {
        let links = || self.throughput(resource).filter(|l| l.kind == LimitKind::Link);
        let is_rate = |rate: &f64| rate.is_finite() && *rate > 0.0;
        let line = links().filter_map(|l| l.line).filter(is_rate).reduce(f64::min);
        let effective = links().filter_map(|l| l.effective).filter(is_rate).reduce(f64::min);
        let measured = self.bound(resource, LimitKind::Measured);
        let rate = line.or(effective).or(measured);
        let mut notes = Vec::new();
        if let (Some(line), Some(effective)) = (line, effective)
            && show(line) != show(effective)
        {
            notes.push(self.rated("effective", &show(effective)));
        }
        if let (Some(measured), Some(_)) = (measured, line.or(effective)) {
            notes.push(self.rated("measured", &show(measured)));
        }
        if let Some(quota) = self.bound(resource, LimitKind::Quota) {
            notes.push(self.rated("held-to", &show(quota)));
        }
        Link {
            what: what(line),
            rate: rate.map(show),
            notes,
            warnings: Vec::new(),
            bytes_per_second: rate,
            count: 1,
            resources: vec![resource.to_owned()],
            tip: self.sources(resource),
        }
    }

    /// A rate with what it is: `effective 3.2 GB/s`.
    fn rated(&self, key: &str, rate: &str) -> String {
        wording::fill(self.words, key, &[("rate", rate)])
    }

    fn bound(&self, resource: &Resource, kind: LimitKind) -> Option<f64> {
        self.throughput(resource).filter(|l| l.kind == kind).filter_map(Limit::bound).reduce(f64::min)
    }

    /// Where the figures of `resource` are from, each once.
    pub(super) fn sources(&self, resource: &Resource) -> Vec<String> {
        const MOST: usize = 4;
        let mut all: Vec<String> = Vec::new();
        for limit in self.all(resource) {
            let source = clean(&limit.known_from());
            if !source.is_empty() && !all.contains(&source) && all.len() < MOST {
                all.push(source);
            }
        }
        all
    }

    /// The link of a PCI function, by the name that all of its slot share. Where
    /// its rate is not known it has no name either: a port's registers may speak
    /// of the link below it, and a virtual machine's of none.
    pub(super) fn pci(&self, device: &PciDevice) -> Option<Link> {
        let resource = Resource::of(ResourceKind::Pci, &self.inventory.link_function(device).address);
        if device.link.is_none() && !self.knows(&resource) {
            return None;
        }
        let name = |line: Option<f64>| line.and(pcie_name(device.link, line)).unwrap_or_default();
        let mut link = self.link(&resource, name, bytes_per_second);
        if link.rate.is_some() {
            link.warnings.extend(self.narrow(device));
        }
        Some(link)
    }

    /// `x2 of x4`, where a link has fewer lanes than both of its ends.
    fn narrow(&self, device: &PciDevice) -> Option<String> {
        let own = device.link?;
        let port = self.inventory.pci_device(device.parent.as_deref()?)?.link?;
        let best = own.max_lanes?.min(port.max_lanes?);
        let now = own.lanes.filter(|now| *now > 0 && *now < best && best <= 32)?;
        let lanes = [("lanes", &*format!("x{now}")), ("most", &*format!("x{best}"))];
        (!self.inventory.link_faces_down(device)).then(|| wording::fill(self.words, "lanes", &lanes))
    }

    fn chipset_link(&self) -> Option<ChipsetLink> {
        self.throughput(&Resource::DMI).find_map(|limit| limit.chipset.clone())
    }

    pub(super) fn chipset(&self) -> Option<String> {
        let name = clean(&self.chipset_link()?.chipset);
        (!name.is_empty() && name.len() <= 40)
            .then(|| wording::fill(self.words, "intel-chipset", &[("name", &name)]))
    }

    /// The link between processor and chipset: `DMI 3.0 x4`.
    pub(super) fn dmi(&self) -> Link {
        let link = self.chipset_link().filter(|link| link.version.len() <= 3);
        let name =
            link.map_or_else(|| "DMI".to_owned(), |l| format!("DMI {} x{}", clean(&l.version), l.lanes));
        self.link(&Resource::DMI, |_| name.clone(), bytes_per_second)
    }

    /// The memory's link; with `channels`, how many of 64 bits at `transfers`
    /// per second give the rate (JESD79-4: a channel is 64 bits of data).
    pub(super) fn memory(&self, kind: Option<&str>, transfers: Option<u64>) -> Link {
        let name = |line: Option<f64>| {
            let speed = match (kind, transfers) {
                (Some(kind), Some(t)) => format!("{}-{}", clean(kind), t / 1_000_000),
                (Some(kind), None) => clean(kind),
                _ => return String::new(),
            };
            let channels = line.zip(transfers).map(|(line, t)| line / (t as f64 * 8.0));
            match channels.filter(|c| near(c.round(), *c) && (1.0..=64.0).contains(&c.round())) {
                Some(c) => {
                    let count = model::Value::Integer(c.round() as u64);
                    let memory = model::Value::Text(speed);
                    self.words.tell("picture-channels", &[("count", count), ("memory", memory)])
                }
                None => speed,
            }
        };
        self.link(&Resource::MEMORY, name, bytes_per_second)
    }

    /// The link of a disk to its controller, where it has one of its own.
    pub(super) fn disk(&self, disk: &BlockDevice) -> Option<Link> {
        let transport = disk.transport.as_deref().unwrap_or_default();
        let port = |kind: &str| Resource::from(format!("{kind}:{}", disk.name));
        let kind = BUSES.iter().map(|(kind, _)| *kind).find(|kind| self.knows(&port(kind)));
        // A bus is named without its rate too, where the machine does not tell.
        let told = || matches!(transport, "usb" | "mmc") || disk.link_bits.is_some();
        let kind = kind.or_else(|| told().then_some(transport))?;
        let word = BUSES.iter().find(|(bus, _)| *bus == kind).map_or("SATA", |(_, word)| word);
        let speed = disk.link_bits.map(|bits| format!(" {}", bits_per_second(bits as f64 / 8.0)));
        let name = |_: Option<f64>| format!("{word}{}", speed.as_deref().unwrap_or_default());
        Some(self.link(&port(kind), name, bytes_per_second))
    }

    pub(super) fn network(&self, interface: &NetworkInterface) -> Option<Link> {
        let resource = Resource::of(ResourceKind::Nic, &interface.name);
        let line = self.throughput(&resource).next().is_some();
        let word = match interface.kind.as_str() {
            "ethernet" => "Ethernet",
            "wifi" => "Wi-Fi",
            "infiniband" => "InfiniBand",
            _ if line => "",
            _ => return None,
        };
        let mut link = self.link(&resource, |_| word.to_owned(), bits_per_second);
        if let (None, Some(bits)) = (&link.rate, interface.speed_bits.filter(|b| *b > 0)) {
            link.rate = Some(bits_per_second(bits as f64 / 8.0));
            link.bytes_per_second = Some(bits as f64 / 8.0);
        }
        Some(link)
    }

    /// What a disk should do: `datasheet: read 560 MB/s, write 530 MB/s`.
    pub(super) fn disk_rates(&self, name: &str) -> Vec<String> {
        let kinds = [
            (LimitKind::Measured, "measured"),
            (LimitKind::Datasheet, "datasheet"),
            (LimitKind::Promise, "promised"),
            (LimitKind::Quota, "held-to"),
        ];
        let resource = Resource::of(ResourceKind::Block, name);
        let mut lines = Vec::new();
        for (kind, key) in kinds {
            let way = |way: Option<Direction>| {
                let of_kind = self.throughput(&resource).filter(|l| l.kind == kind && l.direction == way);
                of_kind.filter_map(Limit::bound).reduce(f64::max).map(bytes_per_second)
            };
            let (read, write, both) = (way(Some(Direction::Read)), way(Some(Direction::Write)), way(None));
            let read = read.map(|rate| self.rated("read", &rate));
            let write = write.map(|rate| self.rated("write", &rate));
            let rates = wording::list(self.words, [read, write, both].into_iter().flatten());
            if !rates.is_empty() {
                lines.push(self.rated(key, &rates));
            }
        }
        lines
    }
}

/// What a PCI Express link is called. Links slow down when idle, so the limit's
/// line rate decides on the generation where it fits one.
fn pcie_name(link: Option<PciLink>, line: Option<f64>) -> Option<String> {
    let link = link?;
    let lanes = link.lanes.or(link.max_lanes).filter(|l| (1..=32).contains(l))?;
    let by_line = line.and_then(|line| GENERATIONS.iter().find(|g| near(g.1 * f64::from(lanes), line)));
    let transfers = link.transfers.or(link.max_transfers);
    let by_speed = || transfers.and_then(|t| GENERATIONS.iter().find(|g| near(g.0, t)));
    Some(match by_line.or_else(by_speed) {
        Some((_, _, generation)) => format!("PCIe {generation} x{lanes}"),
        None => format!("PCIe x{lanes}"),
    })
}

/// Whether two rates are the same but for rounding: within 2 %, while the
/// nearest of any two standards differ by far more.
fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= a.abs() * 0.02
}

fn bytes_per_second(rate: f64) -> String {
    format::Rates::Bytes.rough(rate, Unit::BytesPerSecond)
}

/// A network's rate, given in bytes as all rates are.
pub(super) fn bits_per_second(rate: f64) -> String {
    format::Rates::Bits.rough(rate, Unit::BytesPerSecond)
}
