//! `c-states`: how long a CPU that sleeps may take to wake up (`/dev/cpu_dma_latency`,
//! `Documentation/power/pm_qos_interface.rst`, `Documentation/admin-guide/pm/cpuidle.rst`).
//!
//! The kernel keeps to what is asked as long as the file is open, and to the least of all who have
//! it open. So this holds for as long as this process lives, and nothing is left behind by one that
//! was killed.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};

use super::journal::SideEffect;
use super::{Setting, SettingError};

const FILE: &str = "/dev/cpu_dma_latency";
/// Nobody asks for anything (`PM_QOS_CPU_LATENCY_DEFAULT_VALUE` of include/linux/pm_qos.h).
const ANY: i32 = 2_000_000_000;

/// What this process asks for.
static HELD: Mutex<Option<File>> = Mutex::new(None);

pub(super) struct CStates;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "c-states",
        Kind::Count,
        "How many microseconds an idle CPU may take to wake up (/dev/cpu_dma_latency): 0 keeps CPUs out of \
         sleep states where the kernel has a driver for them (on ARM a light one is left), 10 allows light ones. \
         The kernel keeps to the least that any program asks for, so \
         a larger value than that has no effect, and the request ends with this process. 2000000000 is no limit. \
         A low value costs power, and may cost turbo. \
         It belongs to the whole machine, with a peer to both. The sleep of a virtual machine is up to its host: there it \
         may change nothing.",
    )
    .or_zero(),
    unit: Unit::One,
    binds: None,
    holds: None,
    summary: "microseconds that a sleeping CPU may take to wake up",
};

impl Setting for CStates {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        let unreadable =
            |reason: String| SettingError::unreadable(&SPEC, resource, format!("{FILE}: {reason}"));
        now(Path::new(FILE)).map_err(|e| unreadable(format!("{e}; this kernel may have no idle states")))
    }

    fn read_each(&self, resource: &Resource) -> Result<Value, SettingError> {
        self.read(resource).map(|now| Value::Text(now.to_string()))
    }

    // What others ask for is theirs, and may have changed.
    fn is_as_before(&self, _now: &Value, _before: &Value) -> bool {
        HELD.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
        if let Value::Text(_) = value {
            *HELD.lock().unwrap_or_else(PoisonError::into_inner) = None;
            return Ok(());
        }
        let Value::Integer(us) = value else { return Err(refused("it is no number".to_owned())) };
        let us = i32::try_from(*us).ok().filter(|us| *us <= ANY);
        let us = us.ok_or_else(|| refused(format!("{ANY} is no limit already")))?;
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        // What others ask for stays; what was before is that.
        *held = None;
        if now(Path::new(FILE)).is_ok_and(|now| now == *value) {
            return Ok(());
        }
        let asked = OpenOptions::new().write(true).open(FILE).and_then(|mut file| {
            file.write_all(&us.to_ne_bytes())?;
            Ok(file)
        });
        let file = asked.map_err(|error| {
            let why = match error.kind() {
                std::io::ErrorKind::PermissionDenied => "; it needs root",
                _ => "",
            };
            refused(format!("{FILE}: {error}{why}"))
        })?;
        *held = Some(file);
        Ok(())
    }

    // A number that the governor of idle states looks at; it changes nothing with it.
    fn side_effects(&self, _resource: &Resource, _value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        Ok(Vec::new())
    }
}

/// The least that anybody asks for, in microseconds.
fn now(file: &Path) -> std::io::Result<Value> {
    let mut bytes = [0; 4];
    File::open(file)?.read_exact(&mut bytes)?;
    u64::try_from(i32::from_ne_bytes(bytes)).map(Value::Integer).map_err(std::io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_a_number_of_four_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("latency");
        std::fs::write(&file, ANY.to_ne_bytes()).unwrap();
        assert_eq!(now(&file).unwrap(), Value::Integer(2_000_000_000));
        std::fs::write(&file, (-1_i32).to_ne_bytes()).unwrap();
        assert!(now(&file).is_err());
        std::fs::write(&file, [0; 3]).unwrap();
        assert!(now(&file).is_err());
        assert!(CStates.write(&Resource::MACHINE, &Value::Integer(3_000_000_000)).is_err());
    }
}
