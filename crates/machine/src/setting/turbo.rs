//! `turbo`: whether CPUs may go beyond their nominal clock rate (`intel_pstate/no_turbo`,
//! `cpufreq/boost`; `Documentation/admin-guide/pm/intel_pstate.rst`, `cpufreq.rst`).

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};

use super::journal::SideEffect;
use super::{Setting, SettingError, find};

const CPUS: &str = "/sys/devices/system/cpu";

pub(super) struct Turbo;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "turbo",
        Kind::Flag,
        "Whether CPUs may go beyond their nominal clock rate for as long as heat and power allow (turbo, boost). Without it a \
         CPU is slower, but steady from second to second. It is intel_pstate's no_turbo or cpufreq's boost; \
         a kernel that does not choose the clock rate, as in most virtual machines, has neither. \
         frequency-max is put back with it; intel_pstate's min_perf_pct may end up lower. \
         It belongs to the whole machine, with a peer to both.",
    ),
    unit: Unit::One,
    binds: None,
    holds: None,
    summary: "whether CPUs may go beyond their nominal clock rate",
};

impl Setting for Turbo {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    fn not_beside(&self) -> &'static [&'static str] {
        &["frequency-max"]
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        read(Path::new(CPUS), resource)
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        write(Path::new(CPUS), resource, value)
    }

    // The driver may set the most of every policy anew (`cpufreq_boost_set_sw` in
    // `drivers/cpufreq/cpufreq.c`); of intel_pstate it does not (`store_no_turbo`).
    fn side_effects(&self, resource: &Resource, _value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        const SETTING: &str = "frequency-max";
        let before = find(SETTING).and_then(|setting| setting.read_each(resource).ok());
        let effect = |before| SideEffect { setting: SETTING.to_owned(), resource: resource.clone(), before };
        Ok(before.map(effect).into_iter().collect())
    }
}

/// The switch of a driver, and what stands in it where CPUs may.
fn switch(cpus: &Path) -> Option<(PathBuf, &'static str)> {
    let all = [(cpus.join("intel_pstate/no_turbo"), "0"), (cpus.join("cpufreq/boost"), "1")];
    all.into_iter().find(|(path, _)| path.exists())
}

fn read(cpus: &Path, resource: &Resource) -> Result<Value, SettingError> {
    let unreadable = |reason: String| SettingError::unreadable(&SPEC, resource, reason);
    let (path, on) = switch(cpus).ok_or_else(|| {
        unreadable("the kernel has no switch for it here, as in most virtual machines".to_owned())
    })?;
    let text = fs::read_to_string(&path).map_err(|e| unreadable(format!("{}: {e}", path.display())))?;
    match text.trim() {
        "0" | "1" => Ok(Value::Bool(text.trim() == on)),
        other => Err(unreadable(format!("{}: `{other}` is neither 0 nor 1", path.display()))),
    }
}

fn write(cpus: &Path, resource: &Resource, value: &Value) -> Result<(), SettingError> {
    let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
    let Value::Bool(is_on) = value else { return Err(refused("it is neither yes nor no".to_owned())) };
    let Some((path, on)) = switch(cpus) else {
        return Err(refused("the kernel has no switch for it here".to_owned()));
    };
    let text = if (on == "1") == *is_on { "1\n" } else { "0\n" };
    fs::write(&path, text).map_err(|error| {
        let why = match error.kind() {
            ErrorKind::PermissionDenied => "; it needs root, and the firmware may have switched it off",
            _ => "",
        };
        refused(format!("{}: {error}{why}", path.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_switches_are_read_and_written() {
        for (leaf, on, off) in [("intel_pstate/no_turbo", "0", "1"), ("cpufreq/boost", "1", "0")] {
            let cpus = tempfile::tempdir().unwrap();
            let file = cpus.path().join(leaf);
            fs::create_dir(file.parent().unwrap()).unwrap();
            for (text, is_on) in [(on, true), (off, false)] {
                fs::write(&file, format!("{text}\n")).unwrap();
                assert_eq!(read(cpus.path(), &Resource::MACHINE), Ok(Value::Bool(is_on)), "{leaf}");
                write(cpus.path(), &Resource::MACHINE, &Value::Bool(!is_on)).unwrap();
                assert_eq!(read(cpus.path(), &Resource::MACHINE), Ok(Value::Bool(!is_on)), "{leaf}");
            }
            fs::write(&file, "?").unwrap();
            assert!(read(cpus.path(), &Resource::MACHINE).is_err());
        }
        let none = tempfile::tempdir().unwrap();
        let error = read(none.path(), &Resource::MACHINE).unwrap_err().to_string();
        assert!(error.contains("virtual machines"), "{error}");
    }
}
