//! The clock is not the processor's own counter.

use std::time::Instant;

use model::Severity;
use serde::{Deserialize, Serialize};

use super::{Check, clip, condition, listed, seen, short_time};

const CODE: &str = "clock-source";
/// Sources that are read without a call of the kernel, beside the processor's
/// counter: `tsc` on x86, `arch_sys_counter` on ARM, `timebase` on Power.
const GOOD: &[&str] = &["tsc", "arch_sys_counter", "timebase", "tod", "riscv_clocksource"];
/// Devices outside of the CPU: each read takes a microsecond or so and they
/// serve one CPU at a time (`Documentation/timers/hpet.rst`).
const SLOW: &[&str] = &["hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"];
/// A read that costs so much is seen in the time of an operation of 10 us.
const SLOW_S: f64 = 200e-9;

/// How to take the counter.
const SWITCH: &str = "type `echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource`";

/// What reading the clock costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Cost {
    seconds: f64,
}

impl Cost {
    /// The best of a few rounds: interrupts only add.
    fn measure() -> Self {
        const READS: u32 = 100;
        let round = |_| {
            let start = Instant::now();
            for _ in 0..READS {
                std::hint::black_box(Instant::now());
            }
            start.elapsed().as_secs_f64() / f64::from(READS)
        };
        Self { seconds: (0..8).map(round).fold(f64::INFINITY, f64::min) }
    }
}

/// The check. A source of the hypervisor's that needs no call of the kernel is
/// only noted.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "the clock source is not the CPU's counter; a warning if reading it is slow",
    look: |patient| {
        let system = &patient.inventory.system;
        let source = system.clock_source.as_deref().filter(|s| !s.is_empty() && !GOOD.contains(s));
        let Some(source) = source else { return Vec::new() };
        let cost = patient.host.probe("clock-read", || Ok(Cost::measure()));
        let cost = cost.ok().map(|c| c.seconds).filter(|s| *s > 0.0 && *s < 1.0);
        let is_slow = SLOW.contains(&source) || cost.is_some_and(|c| c >= SLOW_S);
        let severity = if is_slow { Severity::Warning } else { Severity::Note };
        let name = clip(source);
        let each = cost.map(|c| format!("; each reading costs {}", short_time(c))).unwrap_or_default();
        let others: Vec<_> = system.clock_sources.iter().map(|s| clip(s)).take(4).collect();
        let has_counter = system.clock_sources.iter().any(|s| s == "tsc");
        let advice = match (is_slow, has_counter, system.container.is_some()) {
            (false, ..) => "leave it as it is: reading it is cheap enough",
            (true, true, false) => SWITCH,
            // The file is read-only in a container, as the kernel is not its own.
            (true, true, true) => {
                "outside of the container: \
                 `echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource`"
            }
            (true, false, _) => "see `dmesg | grep -i tsc` for why the CPU's counter is not used",
        };
        let mut finding =
            condition(CODE, severity, format!("the clock is {name}, not the CPU's counter{each}"))
                .on("cpu")
                .arg("source", name.as_str())
                .because(listed("clock-sources", "system", format!("sources there: {}", others.join(", "))))
                .advise(advice);
        if let Some(cost) = cost {
            let text = format!("the best of 8 rounds: {}", short_time(cost));
            finding = finding.arg("seconds", cost).because(seen("clock-read", text));
        }
        vec![finding]
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{Shown, diagnose_with};
    use model::machine::{Inventory, System};

    fn look(source: &str, cost: f64) -> Shown {
        let system = System { clock_source: Some(source.to_owned()), ..System::default() };
        let tree = format!("==> /probe/clock-read\n{{\"seconds\": {cost}}}\n");
        diagnose_with(&CHECK, &tree, Inventory { system, ..Inventory::default() })
    }

    #[test]
    fn a_slow_clock_is_a_warning_and_a_hypervisors_a_note() {
        look("hpet", 1.2e-6)
            .one(Severity::Warning, "the clock is hpet, not the CPU's counter; each reading costs 1 us");
        look("kvm-clock", 45e-9).one(Severity::Note, "each reading costs 45 ns");
        look("xen", 300e-9).one(Severity::Warning, "300 ns");
        assert_eq!(look("tsc", 20e-9), Shown::nothing());
    }

    #[test]
    fn a_clock_that_is_cheap_to_read_is_left_alone_and_a_container_cannot_switch() {
        let advice = |source: &str, cost: f64, container: Option<&str>| {
            let system = System {
                clock_source: Some(source.to_owned()),
                clock_sources: vec![source.to_owned(), "tsc".to_owned()],
                container: container.map(str::to_owned),
                ..System::default()
            };
            let tree = format!("==> /probe/clock-read\n{{\"seconds\": {cost}}}\n");
            let shown = diagnose_with(&CHECK, &tree, Inventory { system, ..Inventory::default() });
            shown.findings[0].advice.clone().unwrap()
        };
        assert!(advice("kvm-clock", 31e-9, Some("docker")).starts_with("leave it"));
        assert!(advice("kvm-clock", 31e-9, None).starts_with("leave it"));
        assert!(advice("xen", 300e-9, Some("docker")).starts_with("outside of the container"));
        assert!(advice("xen", 300e-9, None).starts_with("type `echo tsc"));
    }

    #[test]
    fn a_reading_costs_something_here() {
        let cost = Cost::measure().seconds;
        assert!(cost > 0.0 && cost < 1e-3, "{cost}");
    }
}
