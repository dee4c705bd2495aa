//! `governor`: what chooses the clock rate of the CPUs (`scaling_governor` of every policy,
//! `Documentation/admin-guide/pm/cpufreq.rst`).

use std::fs;
use std::path::Path;

use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};

use super::journal::SideEffect;
use super::parts::{self, Parts};
use super::{Setting, SettingError, kernel_file, policies};

const GOVERNOR: &str = "scaling_governor";
const GOVERNORS: &str = "scaling_available_governors";

pub(super) struct Governor;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "governor",
        Kind::Text,
        "What chooses the clock rate of every CPU: performance, powersave, schedutil, ondemand, as the kernel and its driver have them \
         (scaling_governor of all policies of cpufreq). With intel_pstate and amd_pstate in active mode, powersave is not a slow \
         rate: it leaves the choice to the processor. Each policy gets its own governor back; parameters of a governor that was \
         left (ondemand's) may then have their defaults, and with amd_pstate in active mode the energy preference stays \
         at performance. It belongs to the whole machine, with a peer to both.",
    ),
    unit: Unit::One,
    binds: None,
    holds: None,
    summary: "what chooses the clock rate of the CPUs",
};

impl Setting for Governor {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        read(Path::new(policies::FOLDER), resource)
    }

    fn read_each(&self, resource: &Resource) -> Result<Value, SettingError> {
        Ok(parts::value(&each(Path::new(policies::FOLDER), resource)?))
    }

    fn is_as_before(&self, now: &Value, before: &Value) -> bool {
        parts::holds(now, before)
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        write(Path::new(policies::FOLDER), resource, value)
    }

    // A governor asks for rates between the same bounds as the one before
    // (`cpufreq_set_policy` in `drivers/cpufreq/cpufreq.c`).
    fn side_effects(&self, _resource: &Resource, _value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        Ok(Vec::new())
    }
}

/// The governor of each policy that has a CPU.
fn each(folder: &Path, resource: &Resource) -> Result<Parts, SettingError> {
    let mut found = Parts::new();
    for number in policies::with_cpus(folder) {
        let path = policies::folder(folder, number).join(GOVERNOR);
        let unreadable =
            |e: std::io::Error| SettingError::unreadable(&SPEC, resource, format!("{}: {e}", path.display()));
        match fs::read_to_string(&path) {
            Err(e) if policies::is_absent(&e) => {}
            text => drop(found.insert(number, text.map_err(unreadable)?.trim().to_owned())),
        }
    }
    if found.is_empty() {
        return Err(SettingError::unreadable(&SPEC, resource, policies::none(folder)));
    }
    Ok(found)
}

fn read(folder: &Path, resource: &Resource) -> Result<Value, SettingError> {
    let all = each(folder, resource)?;
    Ok(parts::common(&all).map_or_else(|| parts::value(&all), |one| Value::Text(one.clone())))
}

fn write(folder: &Path, resource: &Resource, value: &Value) -> Result<(), SettingError> {
    let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
    let wanted: Parts = match value {
        Value::Text(one) => each(folder, resource)?.into_keys().map(|number| (number, one.clone())).collect(),
        other => parts::parse(other).ok_or_else(|| refused("it is no governor".to_owned()))?,
    };
    // One that is refused keeps no other from its own.
    let mut first = None;
    for (number, text) in wanted {
        let policy = policies::folder(folder, number);
        let path = policy.join(GOVERNOR);
        if let Err(error) = kernel_file::write(&path, &format!("{text}\n")) {
            let there = fs::read_to_string(policy.join(GOVERNORS)).unwrap_or_default();
            let there = there.split_whitespace().collect::<Vec<_>>().join(", ");
            let why = match error.kind() {
                std::io::ErrorKind::PermissionDenied => "; it needs root".to_owned(),
                _ if there.is_empty() => String::new(),
                _ => format!("; there are {there}"),
            };
            first.get_or_insert(format!("{}: {error}{why}", path.display()));
        }
    }
    first.map_or(Ok(()), |reason| Err(refused(reason)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_policy_gets_its_own_back() {
        let folder = tempfile::tempdir().unwrap();
        for (number, text) in [(0, "powersave\n"), (1, "performance\n"), (7, "powersave\n")] {
            let policy = folder.path().join(format!("policy{number}"));
            fs::create_dir(&policy).unwrap();
            fs::write(policy.join(GOVERNOR), text).unwrap();
            fs::write(policy.join("affected_cpus"), if number == 7 { "\n" } else { "0\n" }).unwrap();
        }
        let read_it = || read(folder.path(), &Resource::MACHINE).unwrap();
        let before = parts::value(&each(folder.path(), &Resource::MACHINE).unwrap());
        // The CPUs of the last one are offline.
        assert_eq!(before.to_string(), "0:powersave+1:performance");
        assert_eq!(read_it(), before);
        write(folder.path(), &Resource::MACHINE, &"performance".into()).unwrap();
        assert_eq!(read_it(), "performance".into());
        write(folder.path(), &Resource::MACHINE, &before).unwrap();
        let now = parts::value(&each(folder.path(), &Resource::MACHINE).unwrap());
        assert!(parts::holds(&now, &before), "{now}");
    }

    #[test]
    fn without_policies_it_is_said_that_there_are_none() {
        let folder = tempfile::tempdir().unwrap();
        let error = read(folder.path(), &Resource::MACHINE).unwrap_err().to_string();
        assert!(error.contains("virtual machines"), "{error}");
    }
}
