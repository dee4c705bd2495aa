//! `nvme-power-states`: into which power states an NVMe drive may go by itself while it is idle: APST,
//! the autonomous power state transitions of the NVM Express base specification (8.15 of revision
//! 2.0), by the latency that is tolerated (`power/pm_qos_latency_tolerance_us` of a controller,
//! `Documentation/ABI/testing/sysfs-devices-power`, `nvme_configure_apst` in
//! `drivers/nvme/host/core.c`).

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use model::resource::Symbol;
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};

use super::journal::SideEffect;
use super::{Setting, SettingError, block, kernel_file};
use crate::Host;
use crate::inventory::interrupt;

const CLASS: &str = "/sys/class/nvme";
const LEAF: &str = "power/pm_qos_latency_tolerance_us";
const KIND: &str = "nvme:";
/// The most that is a number: what is one more reads as `any` (`PM_QOS_LATENCY_ANY` of
/// include/linux/pm_qos.h).
const MOST: u64 = 2_147_483_646;
/// What else the kernel writes there: no limit, and nobody asks for one
/// (`pm_qos_latency_tolerance_us_show` in `drivers/base/power/sysfs.c`). Both let the drive go into
/// every state.
const WORDS: [&str; 2] = ["any", "auto"];

pub(super) struct NvmePowerStates;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "nvme-power-states",
        Kind::Count,
        "How many microseconds an NVMe drive may take to wake up from a power state that it enters by itself while it \
         is idle (APST, autonomous power state transitions): 0 switches that off, 100000 is the kernel's default, and \
         states that take longer to leave than this are not used. `nvme id-ctrl` shows which states a drive has, and \
         their latencies. After a pause of some 100 ms, the first operation of a sleeping drive is delayed. It belongs \
         to the drive, with all of its namespaces; drives without APST, drives behind several controllers, and drives \
         that are not NVMe have no such setting. What a drive does by itself beyond APST is not changed. Without \
         `@DEVICE` it is the drive under the target.",
    )
    .or_zero(),
    unit: Unit::One,
    binds: Some(Symbol::TargetDevice),
    holds: None,
    summary: "microseconds that an idle NVMe drive may take to wake up",
};

impl Setting for NvmePowerStates {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    fn place(&self, host: &Host, bound: Resource) -> Result<Resource, SettingError> {
        place(host, &bound)
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        read(Path::new(CLASS), resource)
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        write(Path::new(CLASS), resource, value)
    }

    // The table of APST is written anew, and nothing else (`nvme_set_latency_tolerance`).
    fn side_effects(&self, resource: &Resource, value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        match value {
            Value::Integer(us) if *us > MOST => {
                let reason = format!("{MOST} are the most that the kernel takes as a number");
                Err(SettingError::refused(&SPEC, resource, value, reason))
            }
            _ => Ok(Vec::new()),
        }
    }
}

/// The one controller of a drive, as the resource of the setting.
fn place(host: &Host, bound: &Resource) -> Result<Resource, SettingError> {
    let name = block::device(host, &SPEC, bound)?;
    let unreadable = |reason: String| Err(SettingError::unreadable(&SPEC, bound, reason));
    let disks = interrupt::disks(host, name);
    if let Some(other) = disks.iter().find(|disk| !disk.starts_with("nvme")) {
        return unreadable(if other == name {
            "it is no NVMe drive".to_owned()
        } else {
            format!("it stands on {other}, which is no NVMe drive")
        });
    }
    let mut controllers: Vec<String> = disks.iter().flat_map(|disk| controllers(host, disk)).collect();
    controllers.sort();
    controllers.dedup();
    match &controllers[..] {
        [controller] => Ok(Resource::from(format!("{KIND}{controller}"))),
        [] => unreadable("sysfs shows no controller of it".to_owned()),
        several if disks.len() == 1 => {
            unreadable(format!("it is reached by several controllers: {}", several.join(", ")))
        }
        several => {
            unreadable(format!("it stands on several drives ({}): name one of them", several.join(", ")))
        }
    }
}

/// The names of the controllers of a namespace.
fn controllers(host: &Host, disk: &str) -> Vec<String> {
    let mut folders = interrupt::nvme_controllers(host, disk);
    if folders.is_empty() {
        folders.extend(host.resolve(format!("/sys/block/{disk}/device")));
    }
    let name = |folder: String| Some(Path::new(&folder).file_name()?.to_str()?.to_owned());
    folders.into_iter().filter_map(name).filter(|name| host.exists(format!("{CLASS}/{name}"))).collect()
}

/// The file of a controller.
fn file(class: &Path, resource: &Resource) -> Result<PathBuf, SettingError> {
    let name = resource.as_str().strip_prefix(KIND).unwrap_or_default();
    let folder = class.join(name);
    if name.is_empty() || name.contains('/') || name.starts_with('.') || !folder.exists() {
        return Err(SettingError::gone(&SPEC, resource));
    }
    Ok(folder.join(LEAF))
}

fn read(class: &Path, resource: &Resource) -> Result<Value, SettingError> {
    let path = file(class, resource)?;
    let unreadable = |reason: String| SettingError::unreadable(&SPEC, resource, reason);
    let text = fs::read_to_string(&path).map_err(|error| {
        unreadable(match error.kind() {
            ErrorKind::NotFound => {
                "the drive has no power states that it goes into by itself (APST)".to_owned()
            }
            _ => format!("{}: {error}", path.display()),
        })
    })?;
    match text.trim() {
        word if WORDS.contains(&word) => Ok(word.into()),
        number => number
            .parse()
            .map(Value::Integer)
            .map_err(|_| unreadable(format!("{}: `{number}` is no latency", path.display()))),
    }
}

fn write(class: &Path, resource: &Resource, value: &Value) -> Result<(), SettingError> {
    let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
    let text = match value {
        Value::Integer(us) => us.to_string(),
        Value::Text(word) if WORDS.contains(&word.as_str()) => word.clone(),
        _ => return Err(refused("it is no number".to_owned())),
    };
    let path = file(class, resource)?;
    kernel_file::write(&path, &text).map_err(|error| {
        let why = match error.kind() {
            ErrorKind::PermissionDenied => "; it needs root of the machine itself",
            ErrorKind::NotFound => "; the drive has no power states that it goes into by itself (APST)",
            _ => "",
        };
        refused(format!("{}: {error}{why}", path.display()))
    })
}

#[cfg(test)]
mod tests {
    use model::ResourceKind;

    use super::*;
    use crate::setting::tests::binding::assert_unbound;

    fn host() -> Host {
        let class = |name: &str, folder: &str| {
            format!("==> /sys/class/nvme/{name} -> ../../devices/{folder}/{name}\n")
        };
        let disk = |name: &str, folder: &str| {
            format!(
                "==> /sys/class/block/{name} -> ../../devices/{folder}/{name}\n\
                 ==> /sys/block/{name} -> ../devices/{folder}/{name}\n"
            )
        };
        let text = [
            class("nvme0", "pci0/f1/nvme"),
            class("nvme1", "pci0/f2/nvme"),
            class("nvme2", "pci0/f3/nvme"),
            "==> /sys/devices/pci0/f1/nvme/nvme0/transport\npcie\n".to_owned(),
            disk("nvme0n1", "pci0/f1/nvme/nvme0"),
            "==> /sys/devices/pci0/f1/nvme/nvme0/nvme0n1/device -> ../../nvme0\n".to_owned(),
            disk("nvme0n1p1", "pci0/f1/nvme/nvme0/nvme0n1"),
            "==> /sys/devices/pci0/f1/nvme/nvme0/nvme0n1/nvme0n1p1/partition\n1\n".to_owned(),
            // Below a subsystem: one with one controller, one with two.
            disk("nvme1n1", "virtual/nvme-subsystem/nvme-subsys1"),
            "==> /sys/devices/virtual/nvme-subsystem/nvme-subsys1/nvme1n1/device -> ../../nvme-subsys1\n\
             ==> /sys/devices/virtual/nvme-subsystem/nvme-subsys1/nvme1 -> ../../../pci0/f2/nvme/nvme1\n\
             ==> /sys/devices/pci0/f2/nvme/nvme1/transport\npcie\n"
                .to_owned(),
            disk("nvme2n1", "virtual/nvme-subsystem/nvme-subsys2"),
            "==> /sys/devices/virtual/nvme-subsystem/nvme-subsys2/nvme2n1/device -> ../../nvme-subsys2\n\
             ==> /sys/devices/virtual/nvme-subsystem/nvme-subsys2/nvme1 -> ../../../pci0/f2/nvme/nvme1\n\
             ==> /sys/devices/virtual/nvme-subsystem/nvme-subsys2/nvme2 -> ../../../pci0/f3/nvme/nvme2\n\
             ==> /sys/devices/pci0/f3/nvme/nvme2/transport\npcie\n"
                .to_owned(),
            disk("sda", "pci0/f4"),
            "==> /sys/devices/pci0/f4/sda/size\n8\n".to_owned(),
            disk("md0", "virtual/block"),
            "==> /sys/devices/virtual/block/md0/slaves/nvme0n1 -> ../../../../pci0/f1/nvme/nvme0/nvme0n1\n\
             ==> /sys/devices/virtual/block/md0/slaves/nvme1n1 -> \
             ../../../nvme-subsystem/nvme-subsys1/nvme1n1\n"
                .to_owned(),
        ];
        Host::parse(&text.concat())
    }

    #[test]
    fn the_resource_is_the_drive_of_a_namespace_or_of_its_partition() {
        let host = host();
        let of = |name: &str| place(&host, &Resource::of(ResourceKind::Block, name));
        assert_eq!(of("nvme0n1"), Ok(Resource::from("nvme:nvme0")));
        assert_eq!(of("nvme0n1p1"), Ok(Resource::from("nvme:nvme0")));
        assert_eq!(of("nvme1n1"), Ok(Resource::from("nvme:nvme1")));
        let refused = [
            ("nvme2n1", "several controllers: nvme1, nvme2"),
            ("sda", "no NVMe drive"),
            ("md0", "several drives"),
        ];
        assert_unbound(of, &refused, &["nvme9n1", "../nvme0n1", ""]);
    }

    #[test]
    fn a_number_is_set_and_the_words_of_the_kernel_are_put_back() {
        let class = tempfile::tempdir().unwrap();
        let drive = Resource::from("nvme:nvme0");
        assert!(matches!(read(class.path(), &drive), Err(SettingError::Gone { .. })));
        fs::create_dir_all(class.path().join("nvme0/power")).unwrap();
        for error in [
            read(class.path(), &drive).map(drop).unwrap_err(),
            write(class.path(), &drive, &Value::Integer(0)).unwrap_err(),
        ] {
            assert!(error.to_string().contains("APST"), "{error}");
        }
        let path = class.path().join("nvme0").join(LEAF);
        for before in ["100000\n", "auto\n", "any\n"] {
            fs::write(&path, before).unwrap();
            let value = read(class.path(), &drive).unwrap();
            write(class.path(), &drive, &Value::Integer(0)).unwrap();
            assert_eq!(read(class.path(), &drive), Ok(Value::Integer(0)));
            write(class.path(), &drive, &value).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), before.trim());
        }
        fs::write(&path, "-1\n").unwrap();
        assert!(read(class.path(), &drive).is_err());
        assert!(write(class.path(), &drive, &"none".into()).is_err());
        assert!(NvmePowerStates.side_effects(&drive, &Value::Integer(MOST)).is_ok());
        let error = NvmePowerStates.side_effects(&drive, &Value::Integer(MOST + 1)).unwrap_err().to_string();
        assert!(error.contains("2147483646"), "{error}");
    }
}
