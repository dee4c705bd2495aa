//! Errors that parts of a machine count of themselves: memory controllers those that ECC met
//! (`Documentation/ABI/testing/sysfs-devices-edac`), PCI Express functions those of their links
//! (`Documentation/ABI/testing/sysfs-bus-pci-devices-aer_stats`), network adapters broken frames and links
//! that were lost (`Documentation/ABI/testing/sysfs-class-net-statistics` and `-net`). Of a link of PCI Express either
//! end may see the error, so the ports above a function are read with it.

use model::{Resource, ResourceKind, Unit};

use crate::Host;
use crate::sampler::file::{OpenFile, lines, number, split_word};
use crate::sampler::{ABSENT, Pace, Sampler, SamplerColumn, SamplerKind, Scope, reader, single};

const CONTROLLERS: &str = "/sys/devices/system/edac/mc";
const FUNCTIONS: &str = "/sys/bus/pci/devices";
const INTERFACES: &str = "/sys/class/net";

/// Of memory controllers: errors that were corrected, and those that were not.
const MEMORY: [&str; 2] = ["ce_count", "ue_count"];

/// Of PCI Express functions: the file, the line of it that has the sum, and what the sum is called here.
const LINK: [(&str, &str, &str); 3] = [
    ("aer_dev_correctable", "TOTAL_ERR_COR", "aer_correctable"),
    ("aer_dev_nonfatal", "TOTAL_ERR_NONFATAL", "aer_nonfatal"),
    ("aer_dev_fatal", "TOTAL_ERR_FATAL", "aer_fatal"),
];

/// Of network interfaces, below their folder.
const NETWORK: [(&str, &str); 4] = [
    ("statistics/rx_crc_errors", "rx_crc_errors"),
    ("statistics/rx_frame_errors", "rx_frame_errors"),
    ("statistics/tx_carrier_errors", "tx_carrier_errors"),
    ("carrier_down_count", "carrier_down_count"),
];

/// Packets for which an adapter had no room: the file, and what runs call them.
const MISSED: (&str, &str) = ("rx_missed_errors", "rx_missed");

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "errors",
    doc: "errors of memory that ECC met, of PCI Express links (AER) and of frames of network adapters, and how often these \
          lost their link",
    open: |host, scope| {
        let mut all = memory(host);
        all.extend(links(host, scope));
        all.extend(network(host, scope));
        all
    },
};

/// What parts counted until now, by part and the name that the counter has in runs, mostly the kernel's.
pub(crate) fn counts(host: &Host, scope: &Scope) -> Vec<(Resource, &'static str, u64)> {
    let mut all = Vec::new();
    for mut sampler in (KIND.open)(host, scope) {
        let mut values = vec![ABSENT; sampler.columns().len()];
        sampler.read(&mut values);
        let read = sampler.columns().iter().zip(values).filter(|(_, value)| *value != ABSENT);
        all.extend(read.map(|(column, value)| (column.resource.clone(), column.name, value)));
    }
    // Runs sample these beside what else adapters do not take (`missed`).
    let missed = scope.network.iter().filter_map(|interface| {
        let (file, name) = MISSED;
        let count = host.number(format!("{INTERFACES}/{interface}/statistics/{file}"))?;
        Some((Resource::of(ResourceKind::Nic, interface), name, count))
    });
    all.extend(missed);
    all
}

fn count(resource: &Resource, name: &'static str) -> SamplerColumn {
    SamplerColumn::counter(resource.clone(), name, Unit::One, 1.0)
}

fn memory(host: &Host) -> Vec<Box<dyn Sampler>> {
    let is_controller = |name: &String| {
        name.strip_prefix("mc").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let wanted = host.names(CONTROLLERS).into_iter().filter(is_controller).flat_map(|controller| {
        let resource = Resource::of(ResourceKind::Memory, &controller);
        MEMORY.map(|name| (format!("{CONTROLLERS}/{controller}/{name}"), count(&resource, name)))
    });
    single::open(host, CONTROLLERS, wanted)
}

fn network(host: &Host, scope: &Scope) -> Vec<Box<dyn Sampler>> {
    let wanted = scope.network.iter().flat_map(|interface| {
        let resource = Resource::of(ResourceKind::Nic, interface);
        NETWORK.map(|(file, name)| (format!("{INTERFACES}/{interface}/{file}"), count(&resource, name)))
    });
    single::open(host, INTERFACES, wanted)
}

fn links(host: &Host, scope: &Scope) -> Vec<Box<dyn Sampler>> {
    let (mut columns, mut files) = (Vec::new(), Vec::new());
    for address in with_ports(host, &scope.pci) {
        let resource = Resource::of(ResourceKind::Pci, &address);
        for (file, line, name) in LINK {
            if let Some(file) = OpenFile::open(host, &format!("{FUNCTIONS}/{address}/{file}")) {
                files.push((file, line));
                columns.push(count(&resource, name));
            }
        }
    }
    reader(FUNCTIONS, Pace::Slow, columns, move |values| {
        for (value, (file, line)) in values.iter_mut().zip(&mut files) {
            *value = file.read().map_or(ABSENT, |bytes| sum(bytes, line));
        }
    })
}

/// The functions, each once, with the ports above them: `/sys/devices/pci0000:00/0000:00:1c.0/0000:01:00.0`.
fn with_ports(host: &Host, functions: &[String]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for function in functions {
        let place = host.resolve(format!("{FUNCTIONS}/{function}")).unwrap_or_default();
        let ports = place.split('/').filter(|part| is_address(part)).map(str::to_owned);
        for address in ports.chain([function.clone()]) {
            if !all.contains(&address) {
                all.push(address);
            }
        }
    }
    all
}

/// Whether a folder is that of a function: `0000:01:00.0`.
fn is_address(part: &str) -> bool {
    let is_hex = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit());
    let mut parts = part.split([':', '.']);
    let is_whole = parts.by_ref().take(4).filter(|part| is_hex(part)).count() == 4;
    is_whole && parts.next().is_none() && part.contains('.')
}

/// The number behind the word that a line begins with.
fn sum(bytes: &[u8], word: &str) -> u64 {
    let mut words = lines(bytes).map(split_word);
    let found = words.find(|(first, _)| *first == word.as_bytes());
    found.map_or(ABSENT, |(_, rest)| number(split_word(rest).0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "\
==> /sys/devices/system/edac/mc/mc0/ce_count
3
==> /sys/devices/system/edac/mc/mc0/ue_count
0
==> /sys/devices/system/edac/mc/power/async
x
==> /sys/bus/pci/devices/0000:01:00.0 -> ../../../devices/pci0000:00/0000:00:1c.0/0000:01:00.0
==> /sys/bus/pci/devices/0000:00:1c.0 -> ../../../devices/pci0000:00/0000:00:1c.0
==> /sys/devices/pci0000:00/0000:00:1c.0/aer_dev_correctable
RxErr 0
BadTLP 5
TOTAL_ERR_COR 5
==> /sys/devices/pci0000:00/0000:00:1c.0/0000:01:00.0/aer_dev_correctable
RxErr 0
TOTAL_ERR_COR 0
==> /sys/devices/pci0000:00/0000:00:1c.0/0000:01:00.0/aer_dev_fatal
Undefined 0
TOTAL_ERR_FATAL 1
==> /sys/devices/pci0000:00/0000:00:1c.0/0000:01:00.0/aer_dev_nonfatal
garbled
==> /sys/class/net/eth0/statistics/rx_crc_errors
7
==> /sys/class/net/eth0/carrier_down_count
2
==> /sys/class/net/eth0/statistics/rx_missed_errors
9
";

    /// What is read, as `resource name count`.
    fn read(tree: &str) -> Vec<String> {
        let one = |name: &str| vec![name.to_owned()];
        let scope = Scope { pci: one("0000:01:00.0"), network: one("eth0"), ..Scope::default() };
        let found = counts(&Host::parse(tree), &scope).into_iter();
        found.map(|(resource, name, count)| format!("{resource} {name} {count}")).collect()
    }

    #[test]
    fn errors_of_memory_links_and_frames_are_read_with_the_port_above() {
        assert_eq!(
            read(TREE),
            [
                "memory:mc0 ce_count 3",
                "memory:mc0 ue_count 0",
                "pci:0000:00:1c.0 aer_correctable 5",
                "pci:0000:01:00.0 aer_correctable 0",
                "pci:0000:01:00.0 aer_fatal 1",
                "nic:eth0 rx_crc_errors 7",
                "nic:eth0 carrier_down_count 2",
                "nic:eth0 rx_missed 9",
            ]
        );
    }

    #[test]
    fn where_nothing_is_counted_nothing_is_read() {
        assert_eq!(read(""), Vec::<String>::new());
    }

    #[test]
    fn only_functions_are_taken_for_functions() {
        assert!(is_address("0000:00:1c.0") && is_address("10000:e1:00.0"));
        for other in ["pci0000:00", "0000:00", "devices", "0000:00:1c", "0000:00:1c.0:pcie001", "", "a:b:c:d"]
        {
            assert!(!is_address(other), "{other}");
        }
    }
}
