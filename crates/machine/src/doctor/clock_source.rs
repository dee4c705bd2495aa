//! The clock is not the processor's own counter.

use std::time::Instant;

use model::{Resource, Severity};
use serde::{Deserialize, Serialize};

use super::{Check, clip, condition, listed, seen};

const CODE: &str = "clock-source";
/// Sources that are read without a call of the kernel, beside the processor's
/// counter: `tsc` on x86, `arch_sys_counter` on ARM, `timebase` on Power.
const GOOD: &[&str] = &["tsc", "arch_sys_counter", "timebase", "tod", "riscv_clocksource"];
/// Devices outside of the CPU: each read takes a microsecond or so and they
/// serve one CPU at a time (`Documentation/timers/hpet.rst`).
const SLOW: &[&str] = &["hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"];
/// A read that costs so much is seen in the time of an operation of 10 us.
const SLOW_S: f64 = 200e-9;

/// How often the cost of a reading is taken.
const ROUNDS: u32 = 8;

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
        Self { seconds: (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min) }
    }
}

/// The check. A source of the hypervisor's that needs no call of the kernel is
/// only noted.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "the clock source is not the CPU's counter; a warning if reading it is slow",
    english: r#"
condition-clock-source =
    the clock is { $source }, not the CPU's counter{ $how ->
        [cost] ; each reading costs { SHORT($seconds, unit: "s") }
       *[unknown] {""}
    }
    .advice =
        { $advice ->
            [leave] leave it; compare only with results taken by the same clock source
            [set] type `echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource`
            [set-on-host] on the host, for /sys is read-only in a container, type
                `echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource`
           *[look] see `dmesg | grep -i tsc` for why the CPU's counter is not used
        }

evidence-clock-sources = sources there: { $sources }
evidence-clock-read = the best of { $rounds } rounds: { SHORT($seconds, unit: "s") }
"#,
    look: |context| {
        let system = &context.inventory.system;
        let source = system.clock_source.as_deref().filter(|s| !s.is_empty() && !GOOD.contains(s));
        let Some(source) = source else { return Vec::new() };
        let cost = context.host.probe("clock-read", || Ok(Cost::measure()));
        let cost = cost.ok().map(|c| c.seconds).filter(|s| *s > 0.0 && *s < 1.0);
        let is_slow = SLOW.contains(&source) || cost.is_some_and(|c| c >= SLOW_S);
        let severity = if is_slow { Severity::Warning } else { Severity::Note };
        let name = clip(source);
        let mut others: Vec<_> = system.clock_sources.iter().map(|s| clip(s)).take(4).collect();
        if others.is_empty() {
            others.push(name.clone());
        }
        let others = others.join(", ");
        let has_counter = system.clock_sources.iter().any(|s| s == "tsc");
        let sources = listed("clock-sources", &Resource::SYSTEM).arg("sources", others);
        let mut finding = condition(CODE, severity)
            .general()
            .on(Resource::CPUS)
            .arg("source", name)
            .arg("how", if cost.is_some() { "cost" } else { "unknown" })
            .arg("advice", advice(is_slow, has_counter, system.container.is_some()))
            .because(sources);
        if let Some(cost) = cost {
            let read = seen("clock-read").arg("seconds", cost).arg("rounds", u64::from(ROUNDS));
            finding = finding.arg("seconds", cost).because(read);
        }
        vec![finding]
    },
};

/// What to do, in a word. A source of the hypervisor's that is fast is there for a reason:
/// it stays right where the guest is moved to a machine with another clock rate.
fn advice(is_slow: bool, has_counter: bool, in_container: bool) -> &'static str {
    match (is_slow, has_counter, in_container) {
        (false, _, _) => "leave",
        (true, true, false) => "set",
        (true, true, true) => "set-on-host",
        (true, false, _) => "look",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose_with};
    use model::machine::{Inventory, System};

    fn look(source: &str, cost: f64) -> CheckResult {
        look_in(source, cost, None)
    }

    fn look_in(source: &str, cost: f64, container: Option<&str>) -> CheckResult {
        let system = System {
            clock_source: Some(source.to_owned()),
            clock_sources: vec!["tsc".to_owned(), source.to_owned()],
            container: container.map(str::to_owned),
            ..System::default()
        };
        let tree = format!("==> /probe/clock-read\n{{\"seconds\": {cost}}}\n");
        diagnose_with(&CHECK, &tree, Inventory { system, ..Inventory::default() })
    }

    #[test]
    fn a_slow_clock_is_a_warning_and_a_hypervisors_a_note() {
        look("hpet", 1.2e-6)
            .one(Severity::Warning, "the clock is hpet, not the CPU's counter; each reading costs 1.2 us");
        look("kvm-clock", 45e-9).one(Severity::Note, "each reading costs 45 ns");
        look("xen", 300e-9).one(Severity::Warning, "300 ns");
        assert_eq!(look("tsc", 20e-9), CheckResult::nothing());
    }

    #[test]
    fn only_where_the_source_is_slow_another_is_advised() {
        let advice = |shown: CheckResult| shown.findings[0].advice.clone().unwrap();
        for fast in ["kvm-clock", "hyperv_clocksource_tsc_page", "xen"] {
            assert!(!advice(look(fast, 45e-9)).contains("tsc"), "{fast}");
        }
        assert!(advice(look("acpi_pm", 1e-6)).starts_with("type `echo tsc"));
        assert!(advice(look_in("acpi_pm", 1e-6, Some("docker"))).starts_with("on the host"));
    }

    #[test]
    fn the_cost_of_a_reading_is_a_time() {
        let cost = Cost::measure().seconds;
        assert!(cost >= 0.0 && cost.is_finite(), "{cost}");
    }
}
