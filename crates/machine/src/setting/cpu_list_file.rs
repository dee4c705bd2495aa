//! Lists of CPUs in files of the kernel's that it cuts, or makes anew, where CPUs go offline or come
//! online: put back with `smt`, and changed in no other way. The resource is the file:
//! `file:/proc/irq/36/smp_affinity_list`.

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path};

use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};

use super::irq_affinity;
use super::journal::SideEffect;
use super::{Setting, SettingError, kernel_file};
use crate::Host;
use crate::inventory::block::mount;

pub(super) const NAME: &str = "cpu-list";
const KIND: &str = "file:";

/// The CPUs of a control group of version 1 (`Documentation/admin-guide/cgroup-v1/cpusets.rst`).
pub(super) const CPUSET: &str = "cpuset.cpus";
/// Those of a group of resctrl (`Documentation/arch/x86/resctrl.rst`).
pub(super) const RESCTRL: &str = "cpus_list";
/// Those that send by a transmit queue (`Documentation/networking/scaling.rst`).
pub(super) const XPS: &str = "xps_cpus";

pub(super) struct CpuListFile;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        NAME,
        Kind::Text,
        "A list of CPUs that the kernel changes where CPUs go offline or come online: of an interrupt, a control group, a \
         transmit queue. It is put back with smt.",
    ),
    unit: Unit::One,
    binds: None,
    holds: None,
    summary: "a list of CPUs that is put back with smt",
};

/// The file as a resource.
pub(super) fn resource(path: &str) -> Resource {
    Resource::from(format!("{KIND}{path}"))
}

/// A list as it is written down.
pub(super) fn before(path: &str, text: &str) -> Value {
    let text = Value::from(text.trim());
    if is_late(Path::new(path)) { Value::List(vec![text]) } else { text }
}

/// Whether the kernel may cut the list only after the CPUs have gone (`cpuset_hotplug_workfn`): then
/// what is read at once says nothing, and the value that is written down is one that is never read.
fn is_late(path: &Path) -> bool {
    path.ends_with(CPUSET)
}

/// The path of a resource, if it is one of those files.
fn path(resource: &Resource) -> Option<&Path> {
    let path = Path::new(resource.as_str().strip_prefix(KIND)?);
    let is_plain = path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    let is_known = [irq_affinity::LEAF, CPUSET, RESCTRL, XPS].iter().any(|leaf| path.ends_with(leaf));
    Some(path).filter(|path| path.is_absolute() && is_plain && is_known)
}

impl Setting for CpuListFile {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        let path = path(resource).ok_or_else(|| SettingError::gone(&SPEC, resource))?;
        match fs::read_to_string(path) {
            Ok(text) => Ok(Value::from(text.trim())),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(absent(path, resource)),
            Err(error) => Err(SettingError::unreadable(&SPEC, resource, error.to_string())),
        }
    }

    fn read_each(&self, resource: &Resource) -> Result<Value, SettingError> {
        let now = self.read(resource)?;
        Ok(if path(resource).is_some_and(is_late) { Value::List(vec![now]) } else { now })
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
        let path = path(resource).ok_or_else(|| SettingError::gone(&SPEC, resource))?;
        let text = match value {
            Value::Text(text) => text,
            Value::List(one) => match &one[..] {
                [Value::Text(text)] => text,
                _ => return Err(refused("it is no list of CPUs".to_owned())),
            },
            _ => return Err(refused("it is no list of CPUs".to_owned())),
        };
        kernel_file::write(path, &format!("{text}\n")).map_err(|error| match interrupt(path) {
            _ if error.kind() == ErrorKind::NotFound => absent(path, resource),
            Some(irq) => refused(irq_affinity::refusal(irq, path, &error)),
            None => refused(format!("{}: {error}", path.display())),
        })
    }

    // It is one, and has none.
    fn side_effects(&self, _resource: &Resource, _value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        Ok(Vec::new())
    }
}

/// What it means that there is no such file: the group is gone, or here nothing is mounted where it was,
/// as when a run was killed in a container, and the group still has too few CPUs.
fn absent(path: &Path, resource: &Resource) -> SettingError {
    match unmounted(&mount::table(&Host::this()), path) {
        None => SettingError::gone(&SPEC, resource),
        Some(kind) => SettingError::unreadable(
            &SPEC,
            resource,
            format!(
                "no {kind} is mounted here where it was: run this where it is mounted (in the container?)"
            ),
        ),
    }
}

/// The kind of file system that the file lies on, if none of that kind is mounted there.
fn unmounted(table: &[mount::Line], path: &Path) -> Option<&'static str> {
    let kind = match path.file_name()?.to_str()? {
        CPUSET => "cgroup",
        RESCTRL => "resctrl",
        _ => return None,
    };
    let holds = |line: &mount::Line| line.kind == kind && path.starts_with(&line.point);
    (!table.iter().any(holds)).then_some(kind)
}

/// The number of the interrupt whose list it is.
fn interrupt(path: &Path) -> Option<u32> {
    path.strip_prefix(irq_affinity::FOLDER).ok()?.components().next()?.as_os_str().to_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_put_back_and_a_file_that_is_gone_has_none() {
        let folder = tempfile::tempdir().unwrap();
        for (leaf, is_late) in [(CPUSET, true), (XPS, false), (RESCTRL, false), (irq_affinity::LEAF, false)] {
            let file = folder.path().join(leaf);
            let path = file.to_str().unwrap();
            let resource = resource(path);
            for absent in
                [CpuListFile.read_each(&resource).map(drop), CpuListFile.write(&resource, &"1".into())]
            {
                let is_as_expected = match absent {
                    // Nothing is mounted in this folder.
                    Err(SettingError::Unreadable { .. }) => [CPUSET, RESCTRL].contains(&leaf),
                    Err(SettingError::Gone { .. }) => [XPS, irq_affinity::LEAF].contains(&leaf),
                    _ => false,
                };
                assert!(is_as_expected, "{leaf}");
            }
            assert!(!file.exists());
            fs::write(&file, "0-3\n").unwrap();
            let before = before(path, "0-3\n");
            assert_eq!(CpuListFile.read_each(&resource), Ok(before.clone()));
            // What may be cut later is not taken for unchanged.
            assert_eq!(CpuListFile.read(&resource) != Ok(before.clone()), is_late);
            fs::write(&file, "0-1\n").unwrap();
            assert_ne!(CpuListFile.read_each(&resource), Ok(before.clone()));
            CpuListFile.write(&resource, &before).unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), "0-3\n");
        }
    }

    #[test]
    fn regression_a_group_that_is_mounted_elsewhere_was_taken_for_gone() {
        let table = mount::parse(
            "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n\
             2 1 0:30 / /cpusets rw - cgroup cgroup rw,cpuset\n\
             3 1 0:31 / /resctrl rw - resctrl resctrl rw\n",
        );
        let of = |path: &str| unmounted(&table, Path::new(path));
        assert_eq!((of("/cpusets/a/cpuset.cpus"), of("/resctrl/g/cpus_list")), (None, None));
        assert_eq!(of("/sys/fs/cgroup/cpuset/a/cpuset.cpus"), Some("cgroup"));
        assert_eq!(
            (of("/cpusets/a/cpus_list"), of("/resctrlx/cpus_list")),
            (Some("resctrl"), Some("resctrl"))
        );
        assert_eq!((of("/proc/irq/7/smp_affinity_list"), of("/sys/class/net/x/xps_cpus")), (None, None));
    }

    #[test]
    fn no_other_file_is_written() {
        for other in ["/etc/passwd", "cpuset.cpus", "/proc/../etc/cpuset.cpus", "/a/xcpuset.cpus"] {
            assert_eq!(path(&resource(other)), None, "{other}");
        }
        assert_eq!(path(&Resource::from("irq:/a/cpuset.cpus")), None);
        assert_eq!(interrupt(Path::new("/proc/irq/36/smp_affinity_list")), Some(36));
        assert_eq!(interrupt(Path::new("/sys/36/cpuset.cpus")), None);
        let error = CpuListFile.write(&resource("/a/cpuset.cpus"), &Value::Integer(1)).unwrap_err();
        assert!(error.to_string().contains("no list"), "{error}");
    }
}
