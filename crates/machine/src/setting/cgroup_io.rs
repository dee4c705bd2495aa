//! `cgroup-io-...`: what a control group of our own lets the process that runs the loads
//! read and write of a block device each second (`blkio.throttle.*` of
//! `Documentation/admin-guide/cgroup-v1/blkio-controller.rst`, `io.max` of
//! `Documentation/admin-guide/cgroup-v2.rst`).

use std::fs;
use std::io;
use std::path::Path;

use model::profile::{Caches, Durability, LoadProfile, OperationClass};
use model::resource::Symbol;
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, ResourceKind, Unit, Value};

use super::journal::SideEffect;
use super::own_group::{self, IO};
use super::{Setting, SettingError, block};
use crate::Host;
use crate::inventory::cgroup;

const SECOND: &str = "io.max";
/// The least that is set, each second.
const BYTES_MIN: u64 = 64 << 10;
const OPERATIONS_MIN: u64 = 10;

/// One of the four limits of a device.
pub(super) struct CgroupIo {
    spec: &'static SettingSpec,
    /// The file of version 1: `blkio.throttle.NAME_device`.
    first: &'static str,
    /// The word in `io.max`.
    second: &'static str,
}

pub(super) const READ_BYTES: CgroupIo =
    CgroupIo { spec: &READ_BYTES_SPEC, first: "read_bps", second: "rbps" };
pub(super) const WRITE_BYTES: CgroupIo =
    CgroupIo { spec: &WRITE_BYTES_SPEC, first: "write_bps", second: "wbps" };
pub(super) const READ_OPERATIONS: CgroupIo =
    CgroupIo { spec: &READ_OPERATIONS_SPEC, first: "read_iops", second: "riops" };
pub(super) const WRITE_OPERATIONS: CgroupIo =
    CgroupIo { spec: &WRITE_OPERATIONS_SPEC, first: "write_iops", second: "wiops" };

static READ_BYTES_SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "cgroup-io-read-bytes",
        Kind::Size,
        "The bytes per second that the process which runs the loads reads from the device at most: 100MB is 100 MB/s, \
         100MiB binary. The process is put into a control group of its own (version 1 or 2) with all of its threads, which \
         is removed at the end. What comes from the page cache is not read from the device. 64KiB is the least. Without `@DEVICE` it is the \
         block device under the target; a partition cannot be named, for the whole disk is limited.",
    ),
    unit: Unit::BytesPerSecond,
    binds: Some(Symbol::TargetDevice),
    holds: Some(ResourceKind::Block),
    summary: "bytes per second that the loads read from a device at most",
};

static WRITE_BYTES_SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "cgroup-io-write-bytes",
        Kind::Size,
        "The bytes per second that the process which runs the loads writes to the device at most: 100MB is 100 MB/s, \
         100MiB binary. It is done as by cgroup-io-read-bytes. What the kernel writes later from the page cache is held \
         by version 2 alone, and of some file systems only: write directly, or with sync=dsync. With version 1 it is \
         refused for a load that writes so.",
    ),
    unit: Unit::BytesPerSecond,
    binds: Some(Symbol::TargetDevice),
    holds: Some(ResourceKind::Block),
    summary: "bytes per second that the loads write to a device at most",
};

static READ_OPERATIONS_SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "cgroup-io-read-operations",
        Kind::Rate,
        "The reads per second from the device by the process which runs the loads, at most: 500 is 500/s, whole numbers, \
         10 the least. It is done as by cgroup-io-read-bytes. The kernel counts requests as they come to the device, after it has cut \
         large ones.",
    ),
    unit: Unit::PerSecond,
    binds: Some(Symbol::TargetDevice),
    holds: Some(ResourceKind::Block),
    summary: "reads per second from a device by the loads at most",
};

static WRITE_OPERATIONS_SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "cgroup-io-write-operations",
        Kind::Rate,
        "The writes per second to the device by the process which runs the loads, at most: 500 is 500/s, whole numbers. \
         It is done as by cgroup-io-read-operations, and what the kernel writes later is held as by \
         cgroup-io-write-bytes.",
    ),
    unit: Unit::PerSecond,
    binds: Some(Symbol::TargetDevice),
    holds: Some(ResourceKind::Block),
    summary: "writes per second to a device by the loads at most",
};

impl Setting for CgroupIo {
    fn spec(&self) -> &'static SettingSpec {
        self.spec
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    // The group, and the device that is limited in it: `cgroup:FOLDER:vda`.
    fn place(&self, host: &Host, bound: Resource) -> Result<Resource, SettingError> {
        let bound = block::disk(host, self.spec, bound)?;
        let device = bound.named(ResourceKind::Block).unwrap_or(bound.as_str());
        match own_group::folder(host, IO, std::process::id()) {
            Ok(folder) => Ok(Resource::of(ResourceKind::Cgroup, format_args!("{folder}:{device}"))),
            Err(reason) => Err(SettingError::unreadable(self.spec, &bound, reason)),
        }
    }

    // Version 1 charges a request to whom it was made by, which of what waits in the page cache is a thread of the
    // kernel in the root group; version 2 knows whose page it was (`Documentation/admin-guide/cgroup-v2.rst`,
    // "Writeback"). Reads, and writes that are brought to the device one by one, are the process's own.
    fn misses(&self, host: &Host, profile: &LoadProfile) -> Option<String> {
        let is_first = || cgroup::levels(host, IO.first()).is_ok_and(|levels| levels.version == 1);
        let is_of_writes = self.second.starts_with('w');
        (is_of_writes && writes_later(profile) && is_first()).then(|| {
            format!(
                "`{}` does not hold what this load writes: in control groups of version 1 what goes through the page cache is \
                 written later by the kernel, outside of the group",
                self.spec.name()
            )
        })
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        let (folder, device) = parts(resource);
        if own_group::is_hidden(folder) {
            return Err(SettingError::unreadable(self.spec, resource, own_group::HIDDEN.to_owned()));
        }
        // One that is gone took its limits with it; the group may still be there.
        let limit = block::number(device).and_then(|number| self.limit(folder, &number));
        let shown = |amount: u64| match self.spec.value.kind {
            Kind::Size => Value::Integer(amount),
            _ => Value::Number(amount as f64),
        };
        Ok(own_group::value(folder, limit.map(shown)))
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        if let Some(reason) = self.too_little(value) {
            return Err(SettingError::refused(self.spec, resource, value, reason));
        }
        let (folder, device) = parts(resource);
        let number = block::number(device);
        let changed = match (amount(value), &number) {
            (None, Some(number)) if self.limit(folder, number).is_some() => {
                self.put(folder, number, None).and_then(|()| own_group::leave(folder))
            }
            (None, _) => own_group::leave(folder),
            (Some(_), None) => return Err(SettingError::gone(self.spec, resource)),
            (Some(amount), Some(number)) => {
                own_group::enter(folder, IO, || self.put(folder, number, Some(amount)))
            }
        };
        changed.map_err(|error| SettingError::refused(self.spec, resource, value, error.to_string()))
    }

    // The group is our own, and each of the four limits of a device stands alone.
    fn side_effects(&self, resource: &Resource, value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        match own_group::in_the_way(parts(resource).0) {
            None => Ok(Vec::new()),
            Some(reason) => Err(SettingError::refused(self.spec, resource, value, reason)),
        }
    }
}

impl CgroupIo {
    /// Why so little is not set: a trial would not come to its end, and 0 is no limit for
    /// the kernel.
    fn too_little(&self, value: &Value) -> Option<String> {
        let (least, shown) = match self.spec.value.kind {
            Kind::Size => (BYTES_MIN, Value::Integer(BYTES_MIN)),
            _ => (OPERATIONS_MIN, Value::Number(OPERATIONS_MIN as f64)),
        };
        let is_too_little = amount(value).is_some_and(|amount| amount < least);
        is_too_little.then(|| format!("{} is the least that is set", self.spec.show(&shown)))
    }

    fn first_file(&self) -> String {
        format!("blkio.throttle.{}_device", self.first)
    }

    /// The limit of the device `MAJOR:MINOR`; none where there is none.
    fn limit(&self, folder: &Path, number: &str) -> Option<u64> {
        let of_device = |leaf: &str| {
            let text = fs::read_to_string(folder.join(leaf)).ok()?;
            let mut lines = text.lines().filter_map(|line| line.split_once(' '));
            lines.find(|(device, _)| *device == number).map(|(_, rest)| rest.trim().to_owned())
        };
        let amount = if folder.join(SECOND).exists() {
            let words = of_device(SECOND)?;
            let mut words = words.split_whitespace().filter_map(|word| word.split_once('='));
            // `max` is no limit, and no number.
            words.find(|(word, _)| *word == self.second)?.1.parse().ok()?
        } else {
            of_device(&self.first_file())?.parse().ok()?
        };
        Some(amount).filter(|amount| *amount > 0)
    }

    /// Sets the limit of the device `MAJOR:MINOR`, or takes it away.
    fn put(&self, folder: &Path, number: &str, amount: Option<u64>) -> io::Result<()> {
        let (leaf, text) = if folder.join(SECOND).exists() {
            let amount = amount.map_or_else(|| "max".to_owned(), |amount| amount.to_string());
            (SECOND.to_owned(), format!("{number} {}={amount}", self.second))
        } else {
            (self.first_file(), format!("{number} {}", amount.unwrap_or(0)))
        };
        let path = folder.join(leaf);
        if !path.exists() {
            // Nothing is limited there.
            return if amount.is_none() { Ok(()) } else { Err(own_group::no_controller(IO, folder)) };
        }
        fs::write(&path, text).map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", path.display())))
    }
}

/// Whether the kernel writes later what a load wrote to the page cache.
fn writes_later(profile: &LoadProfile) -> bool {
    let writes = profile.does(OperationClass::Write) || profile.does(OperationClass::Metadata);
    writes && profile.caches == Caches::PageCache && profile.durability != Durability::EachWrite
}

/// What is asked for each second, whole; none for what was before.
fn amount(value: &Value) -> Option<u64> {
    match value {
        Value::Integer(amount) => Some(*amount),
        Value::Number(amount) => Some(*amount as u64),
        _ => None,
    }
}

/// The folder of the group, and the device.
fn parts(resource: &Resource) -> (&Path, &str) {
    let named = resource.named(ResourceKind::Cgroup).unwrap_or(resource.as_str());
    let (folder, device) = named.rsplit_once(':').unwrap_or((named, ""));
    (Path::new(folder), device)
}

#[cfg(test)]
mod tests {
    use model::profile::{Flow, FlowUnit};

    use super::*;

    const ALL: [CgroupIo; 4] = [READ_BYTES, WRITE_BYTES, READ_OPERATIONS, WRITE_OPERATIONS];

    #[test]
    fn limits_are_written_and_read_in_both_versions() {
        for setting in ALL {
            for leaf in [SECOND.to_owned(), setting.first_file()] {
                let place = tempfile::tempdir().unwrap();
                fs::write(place.path().join(&leaf), "").unwrap();
                assert_eq!(setting.limit(place.path(), "254:0"), None);
                setting.put(place.path(), "254:0", Some(1_000_000)).unwrap();
                assert_eq!(setting.limit(place.path(), "254:0"), Some(1_000_000), "{leaf}");
                assert_eq!(setting.limit(place.path(), "254:16"), None, "another device");
                setting.put(place.path(), "254:0", None).unwrap();
                assert_eq!(setting.limit(place.path(), "254:0"), None, "{leaf}");
            }
        }
    }

    #[test]
    fn version_1_does_not_hold_what_the_kernel_writes_later() {
        let first =
            Host::parse("==> /proc/self/cgroup\n3:blkio:/\n0::/\n==> /sys/fs/cgroup/blkio/tasks\n1\n");
        let second = Host::parse("==> /proc/self/cgroup\n0::/\n==> /sys/fs/cgroup/cgroup.procs\n1\n");
        let of = |class, caches, durability| LoadProfile {
            flows: vec![Flow::only(class, FlowUnit::Bytes)],
            caches,
            durability,
            ..LoadProfile::default()
        };
        let buffered = of(OperationClass::Write, Caches::PageCache, Durability::End);
        for setting in [WRITE_BYTES, WRITE_OPERATIONS] {
            let reason = setting.misses(&first, &buffered).unwrap();
            assert!(reason.contains(setting.spec.name()) && reason.contains("version 1"), "{reason}");
            assert_eq!(setting.misses(&second, &buffered), None);
            let files = of(OperationClass::Metadata, Caches::PageCache, Durability::None);
            assert!(setting.misses(&first, &files).is_some());
            for held in [
                of(OperationClass::Write, Caches::None, Durability::None),
                of(OperationClass::Write, Caches::PageCache, Durability::EachWrite),
                of(OperationClass::Read, Caches::PageCache, Durability::None),
            ] {
                assert_eq!(setting.misses(&first, &held), None, "{held:?}");
            }
        }
        for reads in [READ_BYTES, READ_OPERATIONS] {
            assert_eq!(reads.misses(&first, &buffered), None);
        }
    }

    #[test]
    fn each_limit_of_a_line_of_version_2_is_found() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join(SECOND), "8:0 rbps=7 wbps=8 riops=max wiops=9\n8:16 rbps=1\n").unwrap();
        let found = ALL.map(|setting| setting.limit(place.path(), "8:0"));
        assert_eq!(found, [Some(7), Some(8), None, Some(9)]);
    }

    #[test]
    fn a_resource_names_the_group_and_the_device() {
        let resource = Resource::from("cgroup:/sys/fs/cgroup/blkio/headroom-7:vda");
        assert_eq!(parts(&resource), (Path::new("/sys/fs/cgroup/blkio/headroom-7"), "vda"));
        let none = Resource::from("block:hr-none");
        assert!(matches!(READ_BYTES.place(&Host::this(), none), Err(SettingError::Gone { .. })));
    }

    #[test]
    fn a_group_that_is_not_there_limits_nothing() {
        let resource = Resource::from("cgroup:/no/such/headroom-7:hr-none");
        assert_eq!(READ_OPERATIONS.read(&resource), Ok(own_group::NONE.into()));
        assert_eq!(READ_OPERATIONS.write(&resource, &own_group::NONE.into()), Ok(()));
        let gone = READ_OPERATIONS.write(&resource, &Value::Number(500.0));
        assert!(matches!(gone, Err(SettingError::Gone { .. })), "{gone:?}");
        let place = tempfile::tempdir().unwrap();
        for setting in ALL {
            assert!(setting.put(place.path(), "254:0", None).is_ok());
            let error = setting.put(place.path(), "254:0", Some(1_000_000)).unwrap_err().to_string();
            assert!(error.contains("no controller `io` in"), "{error}");
        }
    }

    #[test]
    fn a_partition_is_refused_with_the_name_of_its_disk() {
        let host = Host::parse(
            "==> /sys/class/block/vda1 -> ../../devices/pci0/block/vda/vda1\n\
             ==> /sys/devices/pci0/block/vda/vda1/partition\n1\n\
             ==> /sys/class/block/vda -> ../../devices/pci0/block/vda\n",
        );
        let error = READ_BYTES.place(&host, Resource::from("block:vda1")).unwrap_err().to_string();
        assert!(error.contains("partition") && error.contains("cgroup-io-read-bytes@vda"), "{error}");
        assert_eq!(block::whole(&host, "vda"), None);
    }

    #[test]
    fn what_would_never_come_to_an_end_is_refused() {
        for (setting, little, says) in [
            (READ_BYTES, Value::Integer((64 << 10) - 1), "64KiB is the least"),
            (WRITE_BYTES, Value::Integer(0), "64KiB is the least"),
            (READ_OPERATIONS, Value::Number(9.0), "10/s is the least"),
            (WRITE_OPERATIONS, Value::Number(0.5), "10/s is the least"),
        ] {
            let error = setting.too_little(&little).unwrap();
            assert!(error.contains(says), "{error}");
        }
        let little = READ_BYTES.write(&Resource::from("cgroup:/no/such/headroom-7:x"), &Value::Integer(1));
        assert!(matches!(little, Err(SettingError::Refused { .. })), "{little:?}");
        assert_eq!(READ_BYTES.too_little(&Value::Integer(64 << 10)), None);
        assert_eq!(READ_OPERATIONS.too_little(&Value::Number(10.0)), None);
        assert_eq!(READ_OPERATIONS.too_little(&own_group::NONE.into()), None);
    }
}
