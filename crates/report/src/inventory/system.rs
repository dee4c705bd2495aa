//! The machine as a whole, and what control groups allow.

use model::Unit;
use model::machine::{Cgroup, Inventory, IoThrottle};

use super::pairs;
use crate::format;
use crate::text::facts;

/// Maker, firmware, kernel, what holds it.
pub(super) fn text(inventory: &Inventory) -> String {
    let system = &inventory.system;
    let machine =
        [&system.vendor, &system.product].into_iter().flatten().cloned().collect::<Vec<_>>().join(" ");
    let kernel = format!("Linux {} {}", inventory.kernel, inventory.architecture);
    let build = system.kernel_version.as_deref().filter(|v| *v != inventory.kernel);
    let build = build.map(|v| v.strip_prefix("Linux version ").unwrap_or(v).to_owned());
    let clock = system.clock_source.as_ref().map(|source| {
        let others: Vec<&str> =
            system.clock_sources.iter().map(String::as_str).filter(|s| s != source).collect();
        if others.is_empty() {
            source.clone()
        } else {
            format!("{source} (not in use: {})", others.join(", "))
        }
    });
    let mut rows = pairs();
    rows.add("machine", machine)
        .add("board", system.board.clone())
        .add("firmware", system.firmware.clone())
        .add("system", inventory.os.clone())
        .add("kernel", (!inventory.kernel.is_empty()).then_some(kernel))
        .add("kernel build", build)
        .add("command line", system.command_line.clone())
        .add("guest of", system.virtualization.clone())
        .add("container", system.container.clone())
        .add("clock source", clock)
        .add("up", system.uptime_s.map(format::age));
    rows.text()
}

/// What control groups allow; nothing where they allow all.
pub(super) fn cgroup(cgroup: &Cgroup) -> String {
    let mut rows = pairs();
    let quota = cgroup.cpu_quota.map(|q| format!("{} CPU seconds for each second", format::short(q)));
    rows.add("CPU", quota)
        .add("memory", cgroup.memory_bytes.map(format::binary))
        .list("I/O", cgroup.io.iter().map(throttle));
    let body = rows.text();
    match cgroup.version {
        Some(version) if !body.is_empty() => {
            let mut head = pairs();
            head.add("version", version.to_string());
            head.text() + &body
        }
        _ => body,
    }
}

fn throttle(throttle: &IoThrottle) -> String {
    let bytes = |what: &str, v: Option<u64>| {
        Some(format!("{what} {}", format::setting(v? as f64, Unit::BytesPerSecond)))
    };
    let operations = |what: &str, v: Option<u64>| Some(format!("{} {what} a second", v?));
    let all = facts([
        bytes("reads", throttle.read_bytes),
        bytes("writes", throttle.write_bytes),
        operations("reads", throttle.read_operations),
        operations("writes", throttle.write_operations),
    ]);
    format!("{}: {all}", throttle.device)
}
