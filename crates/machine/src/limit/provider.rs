//! What a provider lets the machines have that it rents out: the files of
//! `specs/providers/`, compiled in.
//!
//! A provider is one file and one line in [`SHEETS`]. The file names the drivers of
//! the interfaces and the models of the disks that share an instance's allowances,
//! where the figures were published and when, and one `[[type]]` for each type:
//!
//! ```toml
//! title = "Amazon EC2"
//! ways = "each"        # the network's figures hold each way; "sent": for what is sent
//! drivers = ["ena"]
//! models = ["Amazon Elastic Block Store"]
//!
//! [source.general]
//! title = "User Guide, General purpose instances"
//! url = "https://..."
//! date = "2023-05-11"  # of the text that the figures are from
//!
//! [[type]]
//! name = "m5.large"    # `*` at the end: any text
//! network = { from = "general", baseline = 0.75, most = 10 }
//! disk-bandwidth = { from = "general", baseline = 650, most = 4750 }
//! disk-operations = { from = "general", baseline = 3600, most = 18750 }
//! ```
//!
//! The network's figures are in Gbit/s; those of disks, for reads and writes together,
//! in Mbit/s and in operations per second.
//!
//! `baseline` is what may be used all the time, where `most` is for a while only. Of a
//! series whose figure is so much for each virtual CPU, `per-cpu` with `least` and
//! `most` says it; the number of CPUs is the last part of the type's name.
//!
//! An allowance is an instance's. It stands at each interface and each disk, as one of
//! them alone cannot have more either; what several of them have together is not added
//! up.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use model::limit::{Allowance, Direction, LimitKind};
use model::machine::{Absent, BlockDevice, BlockKind, Inventory, NetworkInterface, Provider};
use model::{Limit, Resource, ResourceKind, Unit, metric};
use serde::Deserialize;

use super::network::{Overhead, assumed, tcp_goodput};

/// Every file of `specs/providers/`: its name and text.
const SHEETS: &[(&str, &str)] = &[
    (Provider::EC2, include_str!("../../../../specs/providers/ec2.toml")),
    (Provider::GCE, include_str!("../../../../specs/providers/gce.toml")),
];

/// A file of `specs/providers/`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet {
    title: String,
    ways: Ways,
    drivers: Vec<String>,
    models: Vec<String>,
    source: BTreeMap<String, Source>,
    #[serde(rename = "type")]
    types: Vec<InstanceType>,
}

/// Which ways the figures of the network hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Ways {
    /// Each by itself.
    Each,
    /// Only for what is sent.
    Sent,
}

/// Where figures were published.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    title: String,
    url: String,
    date: String,
}

/// What instances of one type may have.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct InstanceType {
    name: String,
    /// In Gbit/s.
    network: Option<Rate>,
    /// In Mbit/s.
    disk_bandwidth: Option<Rate>,
    /// In operations per second.
    disk_operations: Option<Rate>,
}

/// What may be had for ever and at most.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Rate {
    from: String,
    baseline: Option<f64>,
    most: f64,
    per_cpu: Option<f64>,
    least: Option<f64>,
}

impl InstanceType {
    fn is(&self, name: &str) -> bool {
        match self.name.strip_suffix('*') {
            Some(front) => name.strip_prefix(front).is_some_and(|rest| !rest.is_empty()),
            None => self.name == name,
        }
    }
}

impl Rate {
    /// The rates of an instance of the type `name`, in the unit of the file.
    fn of(&self, name: &str) -> Vec<(Allowance, f64)> {
        let cpus = || name.rsplit('-').next()?.parse::<u32>().ok();
        let by_cpus = self.per_cpu.zip(cpus()).map(|(each, cpus)| each * f64::from(cpus));
        let most = by_cpus.map_or(self.most, |rate| rate.max(self.least.unwrap_or(0.0)).min(self.most));
        let baseline = self.baseline.map(|rate| (Allowance::Baseline, rate));
        baseline.into_iter().chain([(Allowance::Most, most)]).collect()
    }
}

static PROVIDERS: LazyLock<Vec<(&str, Sheet)>> =
    // Each file is read by a test, so none is left out.
    LazyLock::new(|| {
        let read = |(name, text): &(&'static str, &'static str)| Some((*name, toml::from_str(text).ok()?));
        SHEETS.iter().filter_map(read).collect()
    });

/// What is known of this machine's type, with its provider's file.
struct Found<'a> {
    sheet: &'static Sheet,
    row: &'static InstanceType,
    name: &'a str,
}

impl<'a> Found<'a> {
    fn of(provider: &'a Provider) -> Option<Self> {
        let name = provider.instance_type.as_deref()?;
        let (_, sheet) = PROVIDERS.iter().find(|(own, _)| *own == provider.name)?;
        let row = sheet.types.iter().find(|row| row.is(name))?;
        Some(Self { sheet, row, name })
    }

    /// What is allowed, and where that was published.
    fn source(&self, rate: &Rate, allowance: Allowance) -> String {
        let (sheet, name) = (self.sheet, self.name);
        let what = match allowance {
            Allowance::Baseline => "all the time",
            Allowance::Most => "at most",
        };
        let published = sheet.source.get(&rate.from);
        let published = published.map(|s| format!(": {}, {}, {}", s.title, s.date, s.url));
        format!("what {} lets a {name} have {what}{}", sheet.title, published.unwrap_or_default())
    }

    /// The bounds of one interface.
    fn network(&self, nic: &NetworkInterface) -> Vec<Limit> {
        let Some(rate) = &self.row.network else { return Vec::new() };
        let limit = |(allowance, gigabits): (Allowance, f64)| {
            let line = gigabits * 1e9 / 8.0;
            // What a hypervisor counts of a packet is not published; it sees no more of
            // it than a queueing discipline does.
            let goodput = tcp_goodput(line, nic.mtu, Overhead::Tbf, true, false);
            let resource = Resource::of(ResourceKind::Nic, &nic.name);
            let source = self.source(rate, allowance);
            let bound =
                Limit::new(resource, metric::THROUGHPUT, Unit::BytesPerSecond, LimitKind::Quota, source);
            Limit {
                direction: (self.sheet.ways == Ways::Sent).then_some(Direction::Write),
                line: Some(line),
                effective: Some(goodput).filter(|g| *g > 0.0),
                allowance: Some(allowance),
                payload: Some(assumed(nic)),
                ..bound
            }
        };
        rate.of(self.name).into_iter().map(limit).collect()
    }

    /// The bounds of one disk.
    fn disk(&self, disk: &BlockDevice) -> Vec<Limit> {
        let bytes = self.row.disk_bandwidth.as_ref().map(|rate| (rate, metric::THROUGHPUT));
        let operations = self.row.disk_operations.as_ref().map(|rate| (rate, metric::IOPS));
        let mut limits = Vec::new();
        for (rate, quantity) in bytes.into_iter().chain(operations) {
            let (unit, scale) = match quantity {
                metric::IOPS => (Unit::PerSecond, 1.0),
                _ => (Unit::BytesPerSecond, 1e6 / 8.0),
            };
            for (allowance, value) in rate.of(self.name) {
                let resource = Resource::of(ResourceKind::Block, &disk.name);
                let source = self.source(rate, allowance);
                limits.push(Limit {
                    effective: Some(value * scale),
                    allowance: Some(allowance),
                    ..Limit::new(resource, quantity, unit, LimitKind::Quota, source)
                });
            }
        }
        limits
    }
}

pub(super) fn limits(inventory: &Inventory) -> Vec<Limit> {
    let Some(found) = inventory.system.provider.as_ref().and_then(Found::of) else { return Vec::new() };
    let is_driver =
        |n: &&NetworkInterface| n.driver.as_ref().is_some_and(|d| found.sheet.drivers.contains(d));
    let is_model = |d: &&BlockDevice| {
        let model = d.model.as_deref().map(str::trim);
        d.kind == BlockKind::Disk && found.sheet.models.iter().any(|own| Some(own.as_str()) == model)
    };
    let network = inventory.network.iter().filter(is_driver).flat_map(|nic| found.network(nic));
    let disks = inventory.block.iter().filter(is_model).flat_map(|disk| found.disk(disk));
    network.chain(disks).collect()
}

/// That a provider's allowances are not known, and why.
pub(super) fn absent(inventory: &Inventory) -> Option<Absent> {
    let provider = inventory.system.provider.as_ref()?;
    if Found::of(provider).is_some() {
        return None;
    }
    let reason = match &provider.instance_type {
        Some(name) => format!("specs/providers/{}.toml has no {name}", provider.name),
        None => "no file tells the type of the instance (/etc/headroom/instance-type may)".to_owned(),
    };
    Some(Absent { what: "allowances of the provider".to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    const EC2: &str = Provider::EC2;
    const GCE: &str = Provider::GCE;

    fn rented(name: &str, instance_type: Option<&str>, driver: &str, model: &str) -> Inventory {
        let provider = Provider {
            name: name.to_owned(),
            instance_type: instance_type.map(str::to_owned),
            known_from: "firmware".to_owned(),
        };
        let nic = NetworkInterface {
            name: "ens5".to_owned(),
            kind: "ethernet".to_owned(),
            driver: Some(driver.to_owned()),
            mtu: 9001,
            ..NetworkInterface::default()
        };
        let disk = BlockDevice {
            name: "nvme0n1".to_owned(),
            model: Some(model.to_owned()),
            ..BlockDevice::default()
        };
        let mut inventory = Inventory { network: vec![nic], block: vec![disk], ..Inventory::default() };
        inventory.system.provider = Some(provider);
        inventory
    }

    /// Each limit: resource, quantity, allowance, and its figure in Gbit/s or 1/s.
    fn figures(inventory: &Inventory) -> Vec<(String, &'static str, Allowance, f64)> {
        let figure = |l: Limit| {
            let rate = l.line.or(l.effective).unwrap();
            let value = if l.unit == Unit::PerSecond { rate } else { rate * 8.0 / 1e9 };
            assert_eq!(l.kind, LimitKind::Quota);
            (l.resource.to_string(), l.quantity.as_str(), l.allowance.unwrap(), (value * 1e6).round() / 1e6)
        };
        limits(inventory).into_iter().map(figure).collect()
    }

    #[test]
    fn every_file_of_the_folder_is_read_and_every_figure_has_a_source() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs/providers");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        files.sort();
        let listed: Vec<&str> = SHEETS.iter().map(|(name, _)| *name).collect();
        assert_eq!(files, listed);
        for (name, text) in SHEETS {
            let sheet: Sheet = toml::from_str(text).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(!sheet.types.is_empty() && !sheet.drivers.is_empty(), "{name}");
            for source in sheet.source.values() {
                assert!(source.url.starts_with("https://") && source.date.len() >= 7, "{source:?}");
            }
            let mut names: Vec<&str> = sheet.types.iter().map(|row| row.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), sheet.types.len(), "{name}: each type once");
            for row in &sheet.types {
                let rates = [&row.network, &row.disk_bandwidth, &row.disk_operations];
                for rate in rates.into_iter().flatten() {
                    assert!(sheet.source.contains_key(&rate.from), "{}: {rate:?}", row.name);
                    let all: Vec<f64> = rate.of(&row.name).into_iter().map(|(_, value)| value).collect();
                    assert!(all.iter().all(|v| *v > 0.0) && all.is_sorted(), "{}: {rate:?}", row.name);
                }
            }
        }
        assert_eq!(PROVIDERS.len(), SHEETS.len());
    }

    #[test]
    fn a_burstable_instance_has_a_baseline_and_a_most() {
        let found =
            figures(&rented(EC2, Some("t3.large"), "ena", "Amazon Elastic Block Store              "));
        let nic = || "nic:ens5".to_owned();
        let disk = || "block:nvme0n1".to_owned();
        assert_eq!(
            found,
            [
                (nic(), "throughput", Allowance::Baseline, 0.512),
                (nic(), "throughput", Allowance::Most, 5.0),
                (disk(), "throughput", Allowance::Baseline, 0.695),
                (disk(), "throughput", Allowance::Most, 2.78),
                (disk(), "iops", Allowance::Baseline, 4000.0),
                (disk(), "iops", Allowance::Most, 15_700.0),
            ]
        );
    }

    #[test]
    fn what_payload_gets_goes_by_the_packets_and_the_source_is_told() {
        let inventory = rented(EC2, Some("c5n.18xlarge"), "ena", "another");
        let found = limits(&inventory);
        assert_eq!(found.len(), 1, "all the time is at most: {found:?}");
        let share = found[0].effective.unwrap() / found[0].line.unwrap();
        assert!((share - 8949.0 / 9015.0).abs() < 1e-9, "{share}");
        assert_eq!(found[0].direction, None);
        let source = &found[0].source;
        assert!(source.starts_with("what Amazon EC2 lets a c5n.18xlarge have at most: "), "{source}");
        assert!(source.contains("2023-05-11, https://docs.aws.amazon.com/"), "{source}");
    }

    #[test]
    fn googles_figures_are_for_what_is_sent_and_go_by_virtual_cpus() {
        for (name, gigabits) in [
            ("e2-medium", 2.0),
            ("e2-standard-2", 4.0),
            ("e2-standard-32", 16.0),
            ("n1-standard-1", 2.0),
            ("n1-standard-2", 10.0),
            ("n1-standard-8", 16.0),
            ("n1-standard-96", 32.0),
            ("n2-standard-4", 10.0),
        ] {
            let inventory = rented(GCE, Some(name), "virtio_net", "PersistentDisk");
            let expected = ("nic:ens5".to_owned(), "throughput", Allowance::Most, gigabits);
            assert_eq!(figures(&inventory), [expected], "{name}");
            assert_eq!(limits(&inventory)[0].direction, Some(Direction::Write));
        }
        let source = limits(&rented(GCE, Some("n1-standard-96"), "gve", "another")).remove(0).source;
        assert!(source.contains("32 Gbit/s need Skylake or later"), "{source}");
    }

    #[test]
    fn what_is_not_rented_or_not_known_has_no_allowance() {
        assert!(limits(&Inventory::default()).is_empty() && absent(&Inventory::default()).is_none());
        let of = |name: &str, kind: Option<&str>, driver: &str| {
            let inventory = rented(name, kind, driver, "another");
            (limits(&inventory).len(), absent(&inventory).map(|a| a.reason))
        };
        assert_eq!(of(EC2, Some("m5.large"), "veth"), (0, None), "another interface");
        let (none, reason) = of(EC2, Some("z9.large"), "ena");
        assert_eq!((none, reason.as_deref()), (0, Some("specs/providers/ec2.toml has no z9.large")));
        let (none, reason) = of(GCE, None, "gve");
        assert!(none == 0 && reason.unwrap().contains("no file tells"));
        assert_eq!(of("nobody", Some("m5.large"), "ena").0, 0);
        // A series without a size.
        assert_eq!(of(GCE, Some("e2-standard-"), "gve").0, 0);
    }

    #[test]
    fn a_wrong_file_is_refused() {
        let good = SHEETS[0].1;
        let wrong =
            [("most =", "mots ="), ("\"each\"", "\"all\""), ("[source.ebs]\ntitle", "[source.ebs]\ntilte")];
        for (from, to) in wrong {
            assert!(good.contains(from), "{from}");
            assert!(toml::from_str::<Sheet>(&good.replacen(from, to, 1)).is_err(), "{to}");
        }
    }
}
