//! The clock rate follows the load, with a delay.

use model::machine::Frequency;
use model::{Finding, Resource, Severity};

use super::{Check, Few, clip, condition, few, listed};

const CODE: &str = "governor";
/// Drivers that leave the choice to the CPU, which takes it within a
/// millisecond, by the energy preference; their governors only hint
/// (`Documentation/admin-guide/pm/intel_pstate.rst`, `amd-pstate.rst`, active
/// mode).
const AUTONOMOUS: &[&str] = &["intel_pstate", "amd-pstate-epp", "amd_pstate_epp"];
/// Preferences for saving power, which hold the clock rate down even under
/// load.
const SAVING: &[&str] = &["power", "balance_power"];

/// The check. Governors of the kernel look every few milliseconds, so loads
/// that wait and wake see a lower rate: a warning. A CPU that chooses by itself
/// and is not told to save power is only noted.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "the frequency governor or energy preference is not `performance`",
    english: r#"
condition-governor =
    the clock rate is chosen by governor { $governors }{ few-more }{ $how ->
        [preference] {" "}with energy preference { $preferences }{ $more_preferences ->
            [0] {""}
           *[other] {" "}and { $more_preferences } more
        }
       *[governor] {""}
    }, not performance
    .advice = type `cpupower frequency-set -g performance`

evidence-scaling-driver = driver { $driver }
"#,
    look: |context| context.inventory.cpu.frequency.as_ref().and_then(judge).into_iter().collect(),
};

fn judge(frequency: &Frequency) -> Option<Finding> {
    const BEST: &str = "performance";
    let others = |all: &[String]| all.iter().filter(|one| *one != BEST).cloned().collect::<Vec<_>>();
    let governors = others(&frequency.governors);
    let preferences = others(&frequency.preferences);
    let is_autonomous = frequency.driver.as_deref().is_some_and(|d| AUTONOMOUS.contains(&d));
    // With the governor at `performance` such a driver ignores preferences.
    if governors.is_empty() {
        return None;
    }
    if is_autonomous && preferences.is_empty() && !frequency.preferences.is_empty() {
        return None;
    }
    let saves = preferences.iter().any(|p| SAVING.contains(&p.as_str()));
    let severity = if is_autonomous && !saves { Severity::Note } else { Severity::Warning };
    let (shown, preferred) = (short(&governors), short(&preferences));
    let driver = frequency.driver.as_deref().map_or_else(|| "unknown".to_owned(), clip);
    let mut finding = condition(CODE, severity)
        .on(Resource::CPUS)
        .arg("governors", shown.names.as_str())
        .arg("more", shown.more)
        .arg("how", if preferences.is_empty() { "governor" } else { "preference" })
        .because(listed("scaling-driver", &Resource::CPUS).arg("driver", driver));
    if !preferences.is_empty() {
        finding =
            finding.arg("preferences", preferred.names.as_str()).arg("more_preferences", preferred.more);
    }
    Some(finding)
}

/// The first few, so short that two of these fit into a sentence.
fn short(names: &[String]) -> Few {
    let Few { names, more } = few(names);
    Few { names: clip(&names), more }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::written;

    fn look(driver: &str, governors: &[&str], preferences: &[&str]) -> Option<(Severity, String)> {
        let words = |all: &[&str]| all.iter().map(|w| (*w).to_owned()).collect();
        let finding = judge(&Frequency {
            driver: Some(driver.to_owned()),
            governors: words(governors),
            preferences: words(preferences),
            ..Frequency::default()
        })
        .map(written)?;
        Some((finding.severity, finding.text))
    }

    #[test]
    fn a_governor_that_follows_the_load_is_a_warning() {
        let (severity, text) = look("acpi-cpufreq", &["performance", "schedutil"], &[]).unwrap();
        assert_eq!(severity, Severity::Warning);
        assert_eq!(text, "the clock rate is chosen by governor schedutil, not performance");
        assert_eq!(look("intel_pstate", &["powersave"], &["balance_power"]).unwrap().0, Severity::Warning);
    }

    #[test]
    fn a_cpu_that_chooses_by_itself_is_a_note() {
        let (severity, text) = look("intel_pstate", &["powersave"], &["balance_performance"]).unwrap();
        assert_eq!(severity, Severity::Note);
        assert!(text.contains("with energy preference balance_performance"), "{text}");
    }

    #[test]
    fn performance_is_nothing() {
        assert_eq!(look("acpi-cpufreq", &["performance"], &[]), None);
        assert_eq!(look("intel_pstate", &["performance"], &["balance_performance"]), None);
        assert_eq!(look("intel_pstate", &["powersave"], &["performance"]), None);
        assert_eq!(look("acpi-cpufreq", &[], &[]), None);
    }
}
