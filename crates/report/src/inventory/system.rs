//! The machine as a whole, and what control groups allow.

use model::Unit;
use model::machine::{Cgroup, Inventory, IoThrottle};

use super::layout::Pairs;
use crate::format;
use crate::text::facts;

/// The kernel's build, how it was started, when, and its clocks.
pub(super) fn details(inventory: &Inventory) -> Pairs {
    let system = &inventory.system;
    let build = system.kernel_version.as_deref().filter(|v| *v != inventory.kernel);
    let build = build.map(|v| v.strip_prefix("Linux version ").unwrap_or(v).to_owned());
    let clocks: Vec<&str> = system.clock_sources.iter().map(String::as_str).collect();
    let provider = system.provider.as_ref().map(|p| {
        let words = [Some(p.name.as_str()), p.instance_type.as_deref()];
        words.into_iter().flatten().collect::<Vec<_>>().join(" ")
    });
    let mut rows = Pairs::default();
    rows.add("kernel build", build)
        .add("provider", provider)
        .add("command line", system.command_line.clone())
        .add("clock sources", Some(clocks.join(", ")))
        .add("up", system.uptime_s.map(format::age));
    rows
}

/// What control groups allow; nothing where they allow all.
pub(super) fn cgroup(cgroup: &Cgroup) -> Pairs {
    let quota = cgroup.cpu_quota.map(|q| format!("{} CPU seconds for each second", format::short(q)));
    let memory = cgroup.memory_bytes.map(format::binary);
    let io: Vec<String> = cgroup.io.iter().map(throttle).collect();
    let allows_all = quota.is_none() && memory.is_none() && io.is_empty();
    let version = cgroup.version.filter(|_| !allows_all).map(|v| v.to_string());
    let mut rows = Pairs::default();
    rows.add("version", version).add("CPU", quota).add("memory", memory).add("I/O", io);
    rows
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
