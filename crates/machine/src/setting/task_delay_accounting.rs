//! `task-delay-accounting`: whether the kernel accounts for each task how long it
//! waited for block devices, swapped pages and memory (`kernel.task_delayacct`,
//! `Documentation/accounting/delay-accounting.rst`).
//!
//! Only tasks that start while it is on have such an account. The threads of a
//! load start in each trial, after the settings.

use std::path::Path;

use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};

use super::journal::SideEffect;
use super::{Setting, SettingError};

const FILE: &str = "/proc/sys/kernel/task_delayacct";

pub(super) struct TaskDelayAccounting;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "task-delay-accounting",
        Kind::Flag,
        "Whether the kernel accounts how long each task waited for block devices, swapped pages and memory \
         (kernel.task_delayacct). With it a result says how long its workers waited so; without it they are only looked at \
         now and then. It belongs to the whole machine, costs each task that starts meanwhile a little memory, and each of \
         its waits some tens of nanoseconds. Tasks that run already have no such account.",
    ),
    unit: Unit::One,
    binds: None,
    holds: None,
    summary: "whether the kernel accounts what each task waits for",
};

impl Setting for TaskDelayAccounting {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    // There is one for all namespaces (`kernel/delayacct.c`).
    fn is_of_namespace(&self) -> bool {
        false
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        read(Path::new(FILE), resource)
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        write(Path::new(FILE), resource, value)
    }

    // `sysctl_delayacct` in `kernel/delayacct.c` sets its switch, which is read when a task
    // starts and when it waits; it changes nothing with it.
    fn side_effects(&self, _resource: &Resource, _value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        Ok(Vec::new())
    }
}

fn read(file: &Path, resource: &Resource) -> Result<Value, SettingError> {
    let unreadable =
        |reason: String| SettingError::unreadable(&SPEC, resource, format!("{}: {reason}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|e| unreadable(e.to_string()))?;
    match text.trim() {
        "0" => Ok(Value::Bool(false)),
        "1" => Ok(Value::Bool(true)),
        other => Err(unreadable(format!("`{other}` is neither 0 nor 1"))),
    }
}

fn write(file: &Path, resource: &Resource, value: &Value) -> Result<(), SettingError> {
    let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
    let number = match value {
        Value::Bool(true) => "1\n",
        Value::Bool(false) => "0\n",
        _ => return Err(refused("it is neither yes nor no".to_owned())),
    };
    std::fs::write(file, number).map_err(|error| {
        let why = match error.kind() {
            std::io::ErrorKind::PermissionDenied => "; it needs root of the machine itself",
            _ => "",
        };
        refused(format!("{}: {error}{why}", file.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_on_or_off_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("task_delayacct");
        for (text, value) in [("0\n", false), ("1\n", true)] {
            std::fs::write(&file, text).unwrap();
            assert_eq!(read(&file, &Resource::MACHINE).unwrap(), Value::Bool(value));
            write(&file, &Resource::MACHINE, &Value::Bool(!value)).unwrap();
            assert_eq!(read(&file, &Resource::MACHINE).unwrap(), Value::Bool(!value));
            write(&file, &Resource::MACHINE, &Value::Bool(value)).unwrap();
            assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
        }
        std::fs::write(&file, "2\n").unwrap();
        let error = read(&file, &Resource::MACHINE).unwrap_err().to_string();
        assert!(error.contains("task_delayacct") && error.contains('2'), "{error}");
        assert!(write(&file, &Resource::MACHINE, &Value::Integer(1)).is_err());
        let none = folder.path().join("none/x");
        let error = write(&none, &Resource::MACHINE, &Value::Bool(true)).unwrap_err().to_string();
        assert!(error.contains("none/x"), "{error}");
    }
}
