//! `frequency-max`: the clock rate up to which the kernel lets the CPUs go
//! (`scaling_max_freq` of every policy, `Documentation/admin-guide/pm/cpufreq.rst`).
//!
//! The kernel shows what holds in the end: the least of what a person, the firmware and
//! heat ask for, and never what each of them does. Where that is all that the processor
//! has, nobody holds it, and all that it has then is what is written to put it back. Where
//! it is less, or a switch takes turbo away, the setting is refused: what was asked for is not shown.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};

use super::journal::SideEffect;
use super::parts::{self, Parts};
use super::policies::{self, FOLDER};
use super::{Setting, SettingError};

const COOLING: &str = "/sys/class/thermal";
const MAX: &str = "scaling_max_freq";
const MIN: &str = "scaling_min_freq";
const HARDWARE_MIN: &str = "cpuinfo_min_freq";
const HARDWARE_MAX: &str = "cpuinfo_max_freq";
/// What the firmware lets the CPUs have (`drivers/cpufreq/acpi-cpufreq.c`).
const FIRMWARE_MAX: &str = "bios_limit";
/// The kernel writes rates in kHz.
const HZ: u64 = 1000;
/// What is written down of a policy that may have all that its CPUs can.
const ALL: &str = "max";

pub(super) struct FrequencyMax;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "frequency-max",
        Kind::Count,
        "The clock rate up to which the kernel lets every CPU go (scaling_max_freq of all policies of cpufreq), in Hz: \
         2400M is 2.4 GHz. A rate that the driver rounds, or that some CPU does not have, is none of the levels: the \
         trials of that level have failed, with what was taken. The processor itself may go slower, for heat or power. \
         Each policy is put back to its own; one that had all that the processor can (cpuinfo_max_freq) gets what that is \
         then. Policies whose CPUs are all offline are left alone. It is refused below scaling_min_freq, for the kernel \
         would move that too, where the rate is less than all that the processor can (a person, the firmware or heat may \
         hold it, and what was asked for is not shown), and where turbo is switched off. It belongs to the whole machine, also from a network namespace, with a \
         peer to both.",
    ),
    unit: Unit::Hertz,
    binds: None,
    holds: None,
    summary: "the clock rate up to which the CPUs go",
};

impl Setting for FrequencyMax {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        read(Path::new(FOLDER), resource)
    }

    fn read_each(&self, resource: &Resource) -> Result<Value, SettingError> {
        read_each(Path::new(FOLDER), resource)
    }

    fn is_as_before(&self, now: &Value, before: &Value) -> bool {
        parts::holds(now, before)
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        write(Path::new(FOLDER), resource, value)
    }

    fn side_effects(&self, resource: &Resource, value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        side_effects(Path::new(FOLDER), Path::new(COOLING), resource, value)
    }
}

/// The policies with a CPU that is online, each with its highest rate in Hz.
fn rates(folder: &Path, resource: &Resource) -> Result<Vec<(u32, u64)>, SettingError> {
    let mut found = Vec::new();
    for number in policies::with_cpus(folder) {
        let policy = policies::folder(folder, number);
        match fs::read_to_string(policy.join(MAX)) {
            Err(e) if policies::is_absent(&e) => {}
            _ => found.push((number, rate(&policy, MAX, resource)?)),
        }
    }
    if found.is_empty() {
        return Err(SettingError::unreadable(&SPEC, resource, policies::none(folder)));
    }
    Ok(found)
}

/// A rate of a policy in Hz.
fn rate(policy: &Path, leaf: &str, resource: &Resource) -> Result<u64, SettingError> {
    let path = policy.join(leaf);
    let unreadable =
        |reason: String| SettingError::unreadable(&SPEC, resource, format!("{}: {reason}", path.display()));
    let text = fs::read_to_string(&path).map_err(|e| unreadable(e.to_string()))?;
    let khz = text.trim().parse::<u64>().ok().and_then(|khz| khz.checked_mul(HZ));
    khz.ok_or_else(|| unreadable(format!("`{}` is no rate", text.trim())))
}

/// One number where all policies have the same, else that of each.
fn read(folder: &Path, resource: &Resource) -> Result<Value, SettingError> {
    let rates = rates(folder, resource)?;
    let first = rates.first().map_or(0, |(_, hz)| *hz);
    if rates.iter().all(|(_, hz)| *hz == first) {
        return Ok(Value::Integer(first));
    }
    Ok(parts::value(&rates.into_iter().map(|(number, hz)| (number, hz.to_string())).collect()))
}

/// The rate of each policy, by its number.
fn read_each(folder: &Path, resource: &Resource) -> Result<Value, SettingError> {
    let shown = |(number, hz): (u32, u64)| {
        let has_all = rate(&policies::folder(folder, number), HARDWARE_MAX, resource) == Ok(hz);
        (number, if has_all { ALL.to_owned() } else { hz.to_string() })
    };
    Ok(parts::value(&rates(folder, resource)?.into_iter().map(shown).collect()))
}

fn write(folder: &Path, resource: &Resource, value: &Value) -> Result<(), SettingError> {
    let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
    let wanted: Parts = match value {
        Value::Integer(hz) => {
            let all = rates(folder, resource)?;
            all.into_iter().map(|(number, _)| (number, hz.to_string())).collect()
        }
        other => parts::parse(other).ok_or_else(|| refused("it is no clock rate".to_owned()))?,
    };
    // One that is refused keeps no other from its own.
    let mut first = None;
    for (number, text) in wanted {
        if let Err(error) = write_one(&policies::folder(folder, number), &text, resource) {
            first.get_or_insert(error);
        }
    }
    first.map_or(Ok(()), |reason| Err(refused(reason)))
}

fn write_one(policy: &Path, text: &str, resource: &Resource) -> Result<(), String> {
    let hz = match text {
        ALL => rate(policy, HARDWARE_MAX, resource).map_err(|error| error.to_string())?,
        number => number.parse().map_err(|_| format!("`{number}` is no rate"))?,
    };
    let path = policy.join(MAX);
    fs::write(&path, format!("{}\n", hz / HZ)).map_err(|error| {
        let why = match error.kind() {
            _ if policies::is_offline(&error) || policies::has_no_cpu(policy) => {
                "; its CPUs are all offline: bring one online first".to_owned()
            }
            ErrorKind::PermissionDenied => "; run Headroom as root".to_owned(),
            _ => bounds(policy, resource).map_or_else(String::new, |bounds| format!("; {bounds}")),
        };
        format!("{}: {error}{why}", path.display())
    })
}

/// What the CPUs of a policy can do.
fn bounds(policy: &Path, resource: &Resource) -> Option<String> {
    let hz = |leaf| rate(policy, leaf, resource).ok();
    Some(format!("it takes {} to {} Hz", hz(HARDWARE_MIN)?, hz(HARDWARE_MAX)?))
}

// The kernel keeps what was asked for as the least and as the most apart, and gives the
// other back where one moved it (`cpufreq_set_policy` in `drivers/cpufreq/cpufreq.c`);
// some versions move the least below the most, which is refused.
fn side_effects(
    folder: &Path,
    cooling: &Path,
    resource: &Resource,
    value: &Value,
) -> Result<Vec<SideEffect>, SettingError> {
    let refused = |reason: String| Err(SettingError::refused(&SPEC, resource, value, reason));
    let Value::Integer(hz) = *value else { return Ok(Vec::new()) };
    if !hz.is_multiple_of(HZ) {
        return refused("the kernel counts whole kHz".to_owned());
    }
    for (number, now) in rates(folder, resource)? {
        let policy = policies::folder(folder, number);
        let least = rate(&policy, MIN, resource)?;
        if hz < least {
            return refused(format!(
                "{} is {least} Hz, and what is less would move it; {}",
                policy.join(MIN).display(),
                bounds(&policy, resource).unwrap_or_default()
            ));
        }
        let most = rate(&policy, HARDWARE_MAX, resource)?;
        if hz > most {
            return refused(format!("{} goes up to {most} Hz", policy.display()));
        }
        if let Some(switch) = switched_off(folder, &policy) {
            return refused(format!("{switch}: what was asked for without that could not be put back"));
        }
        if now < most {
            // The kernel shows what holds, not what was asked for.
            let holder = held_by(&policy, cooling, now, resource);
            return refused(format!(
                "{} is {now} Hz of {most}, and {}: what it was without that could not be put back",
                policy.join(MAX).display(),
                holder.unwrap_or_else(|| "who holds it cannot be told".to_owned())
            ));
        }
    }
    Ok(Vec::new())
}

/// A switch that takes turbo away, and what it says: the rate that was asked for is more than
/// the kernel shows while it is off (`Documentation/admin-guide/pm/intel_pstate.rst`,
/// `cpufreq.rst`).
fn switched_off(folder: &Path, policy: &Path) -> Option<String> {
    let cpus = folder.parent()?;
    let all = [
        (cpus.join("intel_pstate/no_turbo"), "0"),
        (cpus.join("intel_pstate/max_perf_pct"), "100"),
        (folder.join("boost"), "1"),
        (policy.join("boost"), "1"),
    ];
    let mut off = all.iter().filter_map(|(path, free)| {
        let text = fs::read_to_string(path).ok()?;
        (text.trim() != *free).then(|| format!("{} is {}", path.display(), text.trim()))
    });
    off.next()
}

/// Who may hold a policy below what its CPUs can, other than a person, for the message.
fn held_by(policy: &Path, cooling: &Path, now: u64, resource: &Resource) -> Option<String> {
    if rate(policy, FIRMWARE_MAX, resource).is_ok_and(|most| most <= now) {
        return Some(format!("the firmware lets it have no more ({FIRMWARE_MAX})"));
    }
    let devices = fs::read_dir(cooling).into_iter().flatten().flatten().map(|entry| entry.path());
    let text = |device: &Path, leaf: &str| fs::read_to_string(device.join(leaf)).unwrap_or_default();
    let is_holding = |device: &PathBuf| {
        let kind = text(device, "type");
        let is_of_cpus = kind.trim() == "Processor" || kind.contains("cpufreq");
        is_of_cpus && text(device, "cur_state").trim().parse::<u64>().is_ok_and(|state| state > 0)
    };
    let mut devices = devices.filter(is_holding);
    devices.next().map(|device| format!("{} holds CPUs down for heat", device.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Policies with these rates, each up to the hardware's, in kHz.
    fn tree(rates: &[(u64, u64)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("boost"), "1\n").unwrap();
        for (at, (max, hardware)) in rates.iter().enumerate() {
            // In the order of the numbers, not of the names.
            let policy = folder.path().join(format!("policy{}", at * 5));
            fs::create_dir(&policy).unwrap();
            let files = [(MAX, *max), (MIN, 800_000), (HARDWARE_MIN, 400_000), (HARDWARE_MAX, *hardware)];
            for (leaf, khz) in files {
                fs::write(policy.join(leaf), format!("{khz}\n")).unwrap();
            }
        }
        folder
    }

    const MACHINE: Resource = Resource::MACHINE;

    fn refusal(folder: &Path, cooling: &Path, hz: u64) -> Option<String> {
        let refused = side_effects(folder, cooling, &MACHINE, &Value::Integer(hz));
        refused.err().map(|error| error.to_string())
    }

    #[test]
    fn all_policies_are_set_and_each_is_put_back_by_its_name() {
        let tree = tree(&[(3_600_000, 3_600_000), (3_000_000, 3_600_000), (2_800_000, 2_800_000)]);
        let before = read_each(tree.path(), &MACHINE).unwrap();
        assert_eq!(before.to_string(), "0,10:max+5:3000000000");
        let shown = read(tree.path(), &MACHINE).unwrap().to_string();
        assert_eq!(shown, "0:3600000000+5:3000000000+10:2800000000");
        let slow = Value::Integer(2_400_000_000);
        let held = refusal(tree.path(), tree.path(), 2_400_000_000).unwrap();
        assert!(held.contains("policy5") && held.contains("who holds it cannot be told"), "{held}");
        write(tree.path(), &MACHINE, &slow).unwrap();
        assert_eq!(read(tree.path(), &MACHINE), Ok(slow));
        let now = read_each(tree.path(), &MACHINE).unwrap();
        assert!(!parts::holds(&now, &before));
        // More came, which is not ours, and the processor can do less than before.
        fs::create_dir(tree.path().join("policy7")).unwrap();
        fs::write(tree.path().join("policy7").join(MAX), "1000000\n").unwrap();
        fs::write(tree.path().join("policy7").join(HARDWARE_MAX), "3600000\n").unwrap();
        fs::write(tree.path().join("policy10").join(HARDWARE_MAX), "2600000\n").unwrap();
        write(tree.path(), &MACHINE, &before).unwrap();
        let now = read_each(tree.path(), &MACHINE).unwrap();
        assert_eq!(now.to_string(), "0,10:max+5:3000000000+7:1000000000");
        assert!(parts::holds(&now, &before));
    }

    #[test]
    fn a_policy_that_cannot_be_put_back_keeps_no_other_from_it() {
        let tree = tree(&[(3_600_000, 3_600_000), (3_600_000, 3_600_000), (2_800_000, 2_800_000)]);
        let before = read_each(tree.path(), &MACHINE).unwrap();
        write(tree.path(), &MACHINE, &Value::Integer(2_000_000_000)).unwrap();
        let lost = tree.path().join("policy0");
        fs::remove_dir_all(&lost).unwrap();
        let error = write(tree.path(), &MACHINE, &before).unwrap_err().to_string();
        assert!(error.contains("policy0"), "{error}");
        let now = read_each(tree.path(), &MACHINE).unwrap();
        assert_eq!(now.to_string(), "5,10:max");
        assert!(!parts::holds(&now, &before), "one is not there");
    }

    #[test]
    fn a_rate_that_cannot_be_is_refused_before_anything_is_changed() {
        let tree = tree(&[(3_600_000, 3_600_000), (2_800_000, 2_800_000)]);
        for (hz, says) in [
            (2_400_000_500, "whole kHz"),
            (700_000_000, "scaling_min_freq is 800000000 Hz"),
            (3_000_000_000, "goes up to 2800000000 Hz"),
        ] {
            let error = refusal(tree.path(), tree.path(), hz).unwrap();
            assert!(error.contains(says), "{error}");
        }
        assert_eq!(read_each(tree.path(), &MACHINE).unwrap().to_string(), "0,5:max");
    }

    #[test]
    fn what_heat_or_the_firmware_holds_down_is_not_changed() {
        let (tree, cooling) = (tree(&[(2_000_000, 3_600_000)]), tempfile::tempdir().unwrap());
        let refusal = || refusal(tree.path(), cooling.path(), 1_500_000_000);
        for (name, kind, state) in [
            ("cooling_device0", "Fan", "3"),
            ("cooling_device1", "Processor", "0"),
            ("zone", "x86_pkg_temp", "1"),
        ] {
            let device = cooling.path().join(name);
            fs::create_dir(&device).unwrap();
            fs::write(device.join("type"), kind).unwrap();
            fs::write(device.join("cur_state"), state).unwrap();
        }
        assert!(refusal().unwrap().contains("who holds it cannot be told"));
        let device = cooling.path().join("cooling_device1");
        for kind in ["Processor\n", "cpufreq-cpu0\n"] {
            fs::write(device.join("type"), kind).unwrap();
            fs::write(device.join("cur_state"), "2\n").unwrap();
            assert!(refusal().unwrap().contains("cooling_device1 holds CPUs down for heat"));
        }
        let policy = tree.path().join("policy0");
        fs::write(policy.join(MAX), "3600000\n").unwrap();
        assert_eq!(refusal(), None, "nothing holds it down");
        fs::write(tree.path().join("boost"), "0\n").unwrap();
        assert!(refusal().unwrap().contains("boost is 0"));
        fs::remove_file(tree.path().join("boost")).unwrap();
        fs::write(device.join("cur_state"), "0\n").unwrap();
        fs::write(policy.join(MAX), "2000000\n").unwrap();
        fs::write(policy.join(FIRMWARE_MAX), "2000000\n").unwrap();
        assert!(refusal().unwrap().contains("firmware"));
    }

    #[test]
    fn without_policies_it_is_said_that_there_are_none() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path(), folder.path().join("none").as_path()] {
            let error = read(path, &MACHINE).unwrap_err().to_string();
            assert!(error.contains("does not choose the clock rate"), "{error}");
        }
        let tree = tree(&[(1, 1)]);
        fs::write(tree.path().join("policy0").join(MAX), "<unknown>\n").unwrap();
        let error = read(tree.path(), &MACHINE).unwrap_err().to_string();
        assert!(error.contains("`<unknown>` is no rate"), "{error}");
    }
}
