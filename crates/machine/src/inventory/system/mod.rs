//! What a machine is as a whole: board, firmware, kernel, clock sources, who rents
//! it out, and what holds it or this process.

mod container;
mod provider;
mod virtualization;

use model::machine::{Absent, System};

use super::{line, note, unless_left_out};
use crate::Host;
use crate::host::anonymize;

/// The firmware's own words (`Documentation/ABI/testing/sysfs-firmware-dmi-tables`,
/// `drivers/firmware/dmi-id.c`).
const DMI: &str = "/sys/class/dmi/id";
const CLOCKS: &str = "/sys/devices/system/clocksource/clocksource0";

/// The machine as a whole.
#[must_use]
pub fn describe(host: &Host, absent: &mut Vec<Absent>) -> System {
    let vendor = dmi(host, "sys_vendor");
    let product = dmi(host, "product_name").or_else(|| tree(host, "model"));
    if vendor.is_none() && product.is_none() {
        note(absent, "maker and product", unless_left_out(host, DMI, "the firmware does not say"));
    }
    System {
        vendor,
        product,
        board: joined(host, &["board_vendor", "board_name"]),
        firmware: joined(host, &["bios_vendor", "bios_version", "bios_date"]),
        kernel_version: file(host, "/proc/version").map(|text| anonymize::without_builder(&text)),
        command_line: host.text("/proc/cmdline").and_then(|text| anonymize::command_line::masked(&text)),
        virtualization: virtualization::of(host),
        provider: provider::of(host),
        container: container::of(host),
        uptime_s: uptime(host),
        clock_source: file(host, &format!("{CLOCKS}/current_clocksource")),
        clock_sources: clock_sources(host),
    }
}

/// The kernel's release.
pub(super) fn kernel(host: &Host, absent: &mut Vec<Absent>) -> String {
    file(host, "/proc/sys/kernel/osrelease").unwrap_or_else(|| {
        note(absent, "kernel", "not there");
        String::new()
    })
}

/// The distribution's own name (os-release(5)).
pub(super) fn os(host: &Host) -> Option<String> {
    let text = host.text("/etc/os-release").or_else(|| host.text("/usr/lib/os-release"))?;
    let value = text.lines().find_map(|l| l.strip_prefix("PRETTY_NAME="))?;
    line(value.trim().trim_matches(['"', '\'']))
}

/// The instruction set that the kernel was built for (uname(2)): of the
/// recorded machine, not of the one that looks at the recording.
pub(super) fn architecture(host: &Host, absent: &mut Vec<Absent>) -> String {
    let asked = host.probe("uname", || {
        let machine = rustix::system::uname().machine().to_str().map(str::to_owned);
        machine.map_err(|e| e.to_string())
    });
    let known = match asked {
        Ok(machine) => line(&machine).ok_or_else(|| "garbled: nothing".to_owned()),
        Err(_) if host.is_this() => Ok(std::env::consts::ARCH.to_owned()),
        Err(a) => Err(a.reason),
    };
    known.unwrap_or_else(|reason| {
        note(absent, "architecture", reason);
        String::new()
    })
}

fn file(host: &Host, path: &str) -> Option<String> {
    line(&host.text(path)?)
}

/// A word of the firmware, unless it is what makers leave when they forget to
/// write one.
fn dmi(host: &Host, leaf: &str) -> Option<String> {
    const NOTHING: &[&str] = &[
        "to be filled by o.e.m.",
        "to be filled by oem",
        "default string",
        "system manufacturer",
        "system product name",
        "not specified",
        "not applicable",
        "not available",
        "unknown",
        "undefined",
        "none",
        "n/a",
        "o.e.m.",
        "oem",
        "empty",
    ];
    file(host, &format!("{DMI}/{leaf}")).filter(|text| {
        let text = text.to_ascii_lowercase();
        !NOTHING.contains(&text.as_str()) && text.chars().any(|c| c.is_alphanumeric() && c != '0')
    })
}

fn joined(host: &Host, leaves: &[&str]) -> Option<String> {
    let words: Vec<String> = leaves.iter().filter_map(|leaf| dmi(host, leaf)).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// A property of the device tree (`Documentation/ABI/testing/sysfs-firmware-ofw`).
fn tree(host: &Host, property: &str) -> Option<String> {
    file(host, &format!("/sys/firmware/devicetree/base/{property}"))
}

/// Whole seconds since the start: `/proc/uptime` (proc_uptime(5)).
fn uptime(host: &Host) -> Option<u64> {
    /// A century; more is garbled.
    const SECONDS_MAX: u64 = 100 * 366 * 86_400;
    let text = host.text("/proc/uptime")?;
    let seconds = text.split_whitespace().next()?.split('.').next()?;
    seconds.parse().ok().filter(|seconds| *seconds <= SECONDS_MAX)
}

fn clock_sources(host: &Host) -> Vec<String> {
    let all = file(host, &format!("{CLOCKS}/available_clocksource")).unwrap_or_default();
    all.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
