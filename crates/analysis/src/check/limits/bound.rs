//! What a figure can be at most: by the limits of the machine that was given, or by the links that
//! the texts name.

use model::limit::{Access, Direction, Limit, LimitKind};
use model::machine::NetworkInterface;
use model::tool_result::{PrintedValue, ToolPartKind, ToolResult};
use model::{Machine, Resource, ResourceKind, ToolOutput, metric};

use super::named::NamedLinks;
use crate::check::storage::{StorageLoad, disk_under, target_device};

/// What a rate cannot exceed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RateBound {
    /// Bytes per second.
    pub(super) most: f64,
    /// Of what.
    pub(super) of: BoundOf,
    /// The line of the text that says so, or in a sentence how it is known.
    pub(super) source: BoundSource,
}

/// Whose bound it is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum BoundOf {
    /// This resource's: the target lies there.
    Target(Resource),
    /// Of the machine's interfaces the fastest's.
    FastestInterface(Resource),
    /// That of links that the text names: of those that may be meant the fastest, or all together.
    Links(String),
}

/// How a bound is known.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum BoundSource {
    /// The machine's inventory says so, and how it knows.
    Machine(String),
    /// The text does, on this line.
    Line(u64),
}

/// Tools whose bytes go over a network, by the names of their importers.
const NETWORK: &[&str] = &[
    "iperf",
    "iperf2",
    "iperf3",
    "netperf",
    "netpipe",
    "nttcp",
    "nuttcp",
    "flent",
    "speedtest",
    "wget",
    "curl",
    "aria2",
];

/// Tools that list the parts of a machine, with the rates of their links.
const INVENTORIES: &[&str] = &["lspci", "lshw", "ip", "ethtool"];

/// The tool that tells the link of one drive, which its command names.
const OF_ONE_DRIVE: &str = "smartctl";

/// Words in the name of a link by which a network is reached.
const NETWORK_LINKS: &[&str] = &["ethernet", "network", "nic", "eth", "en", "ib"];

/// Words in the name of a link by which an NVMe drive is.
const NVME_LINKS: &[&str] = &["non-volatile", "nvme"];

/// Words in the name of a link by which storage is.
const STORAGE_LINKS: &[&str] = &["non-volatile", "nvme", "sata", "sas", "raid", "storage", "disk", "scsi"];

/// Whether a result is of bytes that went over a network, and not to this very machine.
pub(super) fn is_over_network(result: &ToolResult) -> bool {
    NETWORK.contains(&result.tool.as_str()) && !is_to_itself(result)
}

fn is_to_itself(result: &ToolResult) -> bool {
    let is_local = |word: &String| {
        ["localhost", "127.0.0.", "[::1]"].iter().any(|local| word.contains(local)) || word == "::1"
    };
    result.command.iter().chain(result.options.values()).any(is_local)
}

/// The bounds by the links that a text lists: one text is of one machine.
#[derive(Clone, Debug, Default)]
pub(in crate::check) struct ListedBounds {
    /// Of the fastest link to a network.
    network: Option<RateBound>,
    /// Of the fastest NVMe drive.
    nvme: Option<RateBound>,
    /// Of the fastest link to storage.
    disk: Option<RateBound>,
    /// Of all links to storage together.
    storage: Option<RateBound>,
    /// Of single drives, with their names: `sda`.
    drives: Vec<(String, RateBound)>,
    /// Those that somebody named in words.
    named: NamedLinks,
}

impl ListedBounds {
    /// Those of a text, with what is said in it.
    pub(in crate::check) fn of_output(output: &ToolOutput) -> Self {
        Self { named: NamedLinks::of(output), ..Self::of(&output.results) }
    }

    /// Those of a text with these results.
    pub(in crate::check) fn of(results: &[ToolResult]) -> Self {
        let is_list = |result: &&ToolResult| INVENTORIES.contains(&result.tool.as_str());
        let lists: Vec<&ToolResult> = results.iter().filter(is_list).collect();
        let of_drives = results.iter().filter(|result| result.tool == OF_ONE_DRIVE);
        Self {
            network: listed(&lists, NETWORK_LINKS, false),
            nvme: listed(&lists, NVME_LINKS, false),
            disk: listed(&lists, STORAGE_LINKS, false),
            storage: listed(&lists, STORAGE_LINKS, true),
            drives: of_drives.filter_map(of_one_drive).collect(),
            named: NamedLinks::default(),
        }
    }
}

/// The bound of what a result moved this way.
pub(super) fn of_network(machine: Option<&Machine>, links: Option<&ListedBounds>) -> Option<RateBound> {
    machine.and_then(fastest_interface).or_else(|| {
        let links = links?;
        links.network.clone().or_else(|| links.named.network.clone())
    })
}

/// As [`of_network`], of a load on storage.
pub(super) fn of_storage(
    load: &StorageLoad<'_>,
    direction: Direction,
    machine: Option<&Machine>,
    links: Option<&ListedBounds>,
) -> Option<RateBound> {
    if let Some(machine) = machine {
        return target_bound(load, direction, machine);
    }
    let links = links?;
    let device = load.target.and_then(|target| target.strip_prefix("/dev/"));
    let own = device.and_then(|device| links.drives.iter().find(|(drive, _)| is_on(device, drive)));
    if let Some((_, bound)) = own {
        return Some(bound.clone());
    }
    // What is no single device may lie on all of them.
    let bound = match device {
        Some(name) if name.starts_with("nvme") => &links.nvme,
        Some(name) if name.starts_with("sd") => &links.disk,
        _ => &links.storage,
    };
    // Another device is none of SATA.
    let is_of_sata = device.is_none_or(|name| name.starts_with("sd"));
    bound.clone().or_else(|| links.named.storage.clone().filter(|_| is_of_sata))
}

/// The least bound on the way to the target.
fn target_bound(load: &StorageLoad<'_>, direction: Direction, machine: &Machine) -> Option<RateBound> {
    let (device, _) = target_device(machine, load.target?)?;
    let disk = disk_under(machine, device)?;
    let of_kind = |kind: ResourceKind| Resource::of(kind, &disk.name);
    let links = [ResourceKind::Block, ResourceKind::Sata, ResourceKind::Sas, ResourceKind::Usb];
    let mut way: Vec<Resource> = links.into_iter().map(of_kind).collect();
    if let Some(address) = &disk.pci {
        let functions = machine.inventory.pci_to_root(address);
        way.extend(functions.into_iter().map(|f| Resource::of(ResourceKind::Pci, &f.address)));
    }
    let access = if load.is_random { Access::Random } else { Access::Sequential };
    let holds = |limit: &&Limit| {
        is_certain(limit)
            && way.contains(&limit.resource)
            && limit.direction.is_none_or(|own| own == direction)
            && limit.access.is_none_or(|own| own == access)
    };
    let (limit, most) = least(machine.limits.iter().filter(holds))?;
    let source = BoundSource::Machine(limit.known_from());
    Some(RateBound { most, of: BoundOf::Target(limit.resource.clone()), source })
}

/// Whether a limit bounds bytes and was not measured or promised: what was measured may be too low.
fn is_certain(limit: &Limit) -> bool {
    limit.quantity == metric::THROUGHPUT
        && matches!(limit.kind, LimitKind::Link | LimitKind::Datasheet | LimitKind::Quota)
        && limit.block_bytes.is_none()
        && limit.allowance.is_none()
}

fn least<'a>(limits: impl Iterator<Item = &'a Limit>) -> Option<(&'a Limit, f64)> {
    let bounds = limits.filter_map(|limit| Some((limit, limit.bound()?)));
    bounds.min_by(|a, b| a.1.total_cmp(&b.1))
}

/// The bound of the fastest interface; `None` where one is up whose bound is not known.
fn fastest_interface(machine: &Machine) -> Option<RateBound> {
    // What goes to another machine passes one that has a wire.
    const NO_WIRE: &[&str] = &["loopback", "bridge", "vlan", "veth", "tun", "dummy"];
    let mut fastest: Option<(&Limit, f64)> = None;
    let has_wire = |n: &&NetworkInterface| !NO_WIRE.contains(&n.kind.as_str()) && n.state != "down";
    for interface in machine.inventory.network.iter().filter(has_wire) {
        let resource = Resource::of(ResourceKind::Nic, &interface.name);
        let own = least(machine.limits.iter().filter(|l| is_certain(l) && l.resource == resource))?;
        if fastest.is_none_or(|(_, most)| own.1 > most) {
            fastest = Some(own);
        }
    }
    let (limit, most) = fastest?;
    let source = BoundSource::Machine(limit.known_from());
    Some(RateBound { most, of: BoundOf::FastestInterface(limit.resource.clone()), source })
}

/// The bound by the links that a list in the texts names, of those whose names have one of these words:
/// of the fastest, or of all together. What was measured went over one link of each list: that of the
/// cable, and that of the slot.
fn listed(lists: &[&ToolResult], words: &[&str], is_together: bool) -> Option<RateBound> {
    let bounds = lists.iter().filter_map(|list| of_list(list, words, is_together));
    bounds.min_by(|a, b| a.most.total_cmp(&b.most))
}

fn of_list(list: &ToolResult, words: &[&str], is_together: bool) -> Option<RateBound> {
    let targets = list.parts.iter().filter(|part| part.kind == ToolPartKind::Target);
    let meant = targets.filter(|part| is_named(&part.name, words));
    let mut links: Vec<(&str, &PrintedValue)> = meant
        .filter_map(|part| Some((part.name.as_str(), part.measured.figure(metric::THROUGHPUT)?)))
        .collect();
    if !is_together {
        links.sort_by(|a, b| b.1.value.total_cmp(&a.1.value));
        links.truncate(1);
    }
    let (_, first) = links.first()?;
    let names: Vec<&str> = links.iter().map(|(name, _)| *name).collect();
    Some(RateBound {
        most: links.iter().map(|(_, rate)| rate.most()).sum(),
        of: BoundOf::Links(names.join(" + ")),
        source: BoundSource::Line(first.line),
    })
}

/// The drive whose link a result tells, with the bound.
fn of_one_drive(result: &ToolResult) -> Option<(String, RateBound)> {
    let drive = result.command.iter().find_map(|word| word.strip_prefix("/dev/"))?;
    Some((drive.to_owned(), of_list(result, STORAGE_LINKS, false)?))
}

/// Whether a device is this drive, or a partition of it.
fn is_on(device: &str, drive: &str) -> bool {
    let rest = device.strip_prefix(drive);
    rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
}

/// Whether one of these words stands in a name, alone or with digits behind it: `eth0`, `enp3s0`.
fn is_named(name: &str, words: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    let mut parts = name.split(|c: char| c.is_whitespace() || [':', '(', ')', ','].contains(&c));
    let is_one = |part: &str| {
        words.iter().any(|word| {
            let rest = part.strip_prefix(word);
            rest.is_some_and(|rest| rest.is_empty() || rest.contains(|c: char| c.is_ascii_digit()))
        })
    };
    parts.any(is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_known_by_the_words_of_their_names() {
        for name in ["03:00.0 Ethernet controller: Intel I350", "eth0", "enp3s0f1", "Network controller"] {
            assert!(is_named(name, NETWORK_LINKS), "{name}");
        }
        for name in ["01:00.0 Non-Volatile memory controller: Samsung", "nvme0n1", "SATA controller"] {
            assert!(is_named(name, STORAGE_LINKS) && !is_named(name, NETWORK_LINKS), "{name}");
        }
        assert!(!is_named("VGA compatible controller", NETWORK_LINKS));
        assert!(!is_named("Entropy source", NETWORK_LINKS));
    }

    #[test]
    fn a_file_may_lie_on_all_drives_and_a_device_is_one() {
        let part = |name: &str, value: f64| {
            let printed = PrintedValue {
                line: 1,
                text: String::new(),
                value,
                unit: model::Unit::BytesPerSecond,
                half_step: 0.0,
                counting: None,
            };
            let mut measured = model::tool_result::ToolMeasurement::default();
            measured.add(metric::THROUGHPUT, Some(printed));
            let kind = ToolPartKind::Target;
            model::tool_result::ToolPart { kind, name: name.to_owned(), start_s: None, measured }
        };
        let parts = vec![
            part("01:00.0 Non-Volatile memory controller", 3e9),
            part("02:00.0 Non-Volatile memory controller", 1e9),
            part("00:1f.2 SATA controller", 0.5e9),
            part("03:00.0 Ethernet controller", 9e9),
        ];
        let list = ToolResult { tool: "lspci".to_owned(), parts, ..ToolResult::default() };
        let links = ListedBounds::of(&[list]);
        let most = |target: &str| {
            let load = StorageLoad { reads: true, target: Some(target), ..StorageLoad::default() };
            of_storage(&load, Direction::Read, None, Some(&links)).map(|bound| bound.most)
        };
        assert_eq!(most("/dev/nvme0n1"), Some(3e9));
        assert_eq!(most("/data/x"), Some(4.5e9));
    }

    #[test]
    fn a_partition_lies_on_its_drive() {
        assert!(is_on("sda", "sda") && is_on("sda1", "sda"));
        assert!(!is_on("sdaa", "sda") && !is_on("sdb", "sda"));
    }

    #[test]
    fn what_stays_on_the_machine_crosses_no_link() {
        let result = |tool: &str, command: &str| ToolResult {
            tool: tool.to_owned(),
            command: command.split(' ').map(str::to_owned).collect(),
            ..ToolResult::default()
        };
        assert!(is_over_network(&result("iperf3", "iperf3 -c 10.0.0.2")));
        assert!(!is_over_network(&result("iperf3", "iperf3 -c 127.0.0.1")));
        assert!(!is_over_network(&result("wget", "wget http://localhost:8080/x")));
        assert!(!is_over_network(&result("dd", "dd if=x of=y")));
    }
}
