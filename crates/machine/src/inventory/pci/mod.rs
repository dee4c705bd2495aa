//! The PCI tree: `/sys/bus/pci/devices`
//! (`Documentation/ABI/testing/sysfs-bus-pci`).
//!
//! Links are told as sysfs tells them: of an endpoint or a switch's upstream
//! port it is the link above it, of a root port or a switch's downstream port
//! the one below it, the same as its child's.

mod class;
mod config;
mod names;
#[cfg(test)]
mod tests;

use model::machine::{Absent, PciDevice, PciLink};

use super::runtime_pm;
use crate::Host;

/// Where the functions are listed.
const DEVICES: &str = "/sys/bus/pci/devices";

/// The PCI functions of `host`, in order of their addresses.
#[must_use]
pub fn describe(host: &Host, absent: &mut Vec<Absent>) -> Vec<PciDevice> {
    let mut addresses: Vec<(Address, String)> =
        host.names(DEVICES).into_iter().filter_map(|name| Some((address(&name)?, name))).collect();
    addresses.sort();
    let mut devices = Vec::new();
    for (_, name) in &addresses {
        match function(host, name) {
            Ok(device) => devices.push(device),
            Err(reason) => absent.push(Absent { what: format!("PCI function {name}"), reason }),
        }
    }
    if let Some(reason) = add_payloads(host, &mut devices) {
        absent.push(Absent { what: "PCI Express payload sizes".to_owned(), reason });
    }
    names::add(host, &mut devices);
    devices
}

/// Domain, bus, device and function as numbers.
type Address = (u32, u32, u32, u32);

/// Reads an address such as `0000:01:00.0`; domains behind Intel's VMD have
/// five digits.
fn address(text: &str) -> Option<Address> {
    let mut parts = text.split([':', '.']);
    let mut part = |digits: std::ops::RangeInclusive<usize>| {
        let part = parts.next().filter(|p| digits.contains(&p.len()))?;
        part.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(part, 16).ok())?
    };
    let address = (part(4..=8)?, part(2..=2)?, part(2..=2)?, part(1..=1)?);
    let shape = text.bytes().rev().nth(1) == Some(b'.') && text.matches(':').count() == 2;
    (shape && parts.next().is_none()).then_some(address)
}

/// The PCI function nearest to the end of `path`, a place below `/sys/devices`
/// with all links followed.
#[must_use]
pub fn function_above(path: &str) -> Option<&str> {
    path.rsplit('/').find(|part| is_function(part))
}

/// Whether `name` is the address of a function.
pub(super) fn is_function(name: &str) -> bool {
    address(name).is_some()
}

/// One function, or why it cannot be told.
fn function(host: &Host, name: &str) -> Result<PciDevice, String> {
    let file = |leaf: &str| format!("{DEVICES}/{name}/{leaf}");
    let hex = |leaf: &str| {
        let text = host.read(file(leaf)).map_err(|a| a.reason)?;
        let digits = text.trim().strip_prefix("0x").ok_or_else(|| format!("garbled: {leaf}"))?;
        u32::from_str_radix(digits, 16).map_err(|_| format!("garbled: {leaf}"))
    };
    let number = |leaf: &str| u16::try_from(hex(leaf)?).map_err(|_| format!("garbled: {leaf}"));
    let class = hex("class").and_then(|c| if c < 1 << 24 { Ok(c) } else { Err("garbled: class".into()) })?;
    let place = host.resolve(format!("{DEVICES}/{name}"));
    Ok(PciDevice {
        address: name.to_owned(),
        parent: place.as_deref().and_then(parent),
        class,
        class_name: class::name(class),
        vendor: number("vendor")?,
        device: number("device")?,
        vendor_name: None,
        device_name: None,
        driver: host.resolve(file("driver")).and_then(|d| Some(d.rsplit_once('/')?.1.to_owned())),
        node: node(host, &format!("{DEVICES}/{name}")),
        link: link(host, name),
    })
}

/// The folder above in the tree, where that is a function and not a root
/// (`pci0000:00`).
fn parent(place: &str) -> Option<String> {
    let above = place.rsplit('/').nth(1)?;
    address(above).map(|_| above.to_owned())
}

/// The NUMA node of the device at `folder`; the kernel writes -1 where there is
/// none.
pub(crate) fn node(host: &Host, folder: &str) -> Option<u32> {
    host.number(format!("{folder}/numa_node")).and_then(|n| u32::try_from(n).ok())
}

/// What sysfs tells of a link; absent where it tells nothing, and where the
/// function sleeps: each of these files is a register, for which the kernel
/// would wake it.
fn link(host: &Host, name: &str) -> Option<PciLink> {
    if runtime_pm::sleeps(host, &format!("{DEVICES}/{name}")) {
        return None;
    }
    let file = |leaf: &str| host.text(format!("{DEVICES}/{name}/{leaf}"));
    let link = PciLink {
        transfers: file("current_link_speed").as_deref().and_then(transfers),
        lanes: file("current_link_width").as_deref().and_then(lanes),
        max_transfers: file("max_link_speed").as_deref().and_then(transfers),
        max_lanes: file("max_link_width").as_deref().and_then(lanes),
        ..PciLink::default()
    };
    (link != PciLink::default()).then_some(link)
}

/// Transfers per second of `8.0 GT/s PCIe` or, before Linux 5.x, `8 GT/s`;
/// `Unknown speed` is none (`pci_speed_string` in `drivers/pci/probe.c`).
fn transfers(text: &str) -> Option<f64> {
    let (number, unit) = text.trim().split_once(' ')?;
    let rate: f64 = number.parse().ok()?;
    // 2.5 GT/s is the first generation, 64 GT/s the sixth.
    (unit.starts_with("GT/s") && (2.5..=256.0).contains(&rate)).then_some(rate * 1e9)
}

/// Lanes; a width that the standard does not have (0 for a link that is down,
/// 63 for a device that is gone, 255 for what the kernel does not know) is none
/// (PCI Express Base Specification, 7.5.3.8, Negotiated Link Width).
fn lanes(text: &str) -> Option<u32> {
    let lanes: u32 = text.trim().parse().ok()?;
    matches!(lanes, 1 | 2 | 4 | 8 | 12 | 16 | 32).then_some(lanes)
}

/// Puts the sizes from configuration space into every link; says why if one
/// could not be read.
fn add_payloads(host: &Host, devices: &mut [PciDevice]) -> Option<String> {
    let mut problem = None;
    for device in devices {
        let Some(link) = &mut device.link else { continue };
        match host.probe(&format!("pcie/{}", device.address), || config::read(&device.address)) {
            Ok(sizes) => (link.max_payload, link.max_read_request) = sizes.checked(),
            Err(absent) => problem = problem.or(Some(absent.reason)),
        }
    }
    problem.filter(|reason| reason != "not there")
}
