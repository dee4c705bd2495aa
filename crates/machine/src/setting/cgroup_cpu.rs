//! `cgroup-cpu`: the CPU time that a control group of our own gives the process that
//! runs the loads: a quota for each period (`Documentation/scheduler/sched-bwc.rst`,
//! `cpu.max` of `Documentation/admin-guide/cgroup-v2.rst`).

use std::fs;
use std::io;
use std::path::Path;

use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, ResourceKind, Unit, Value};

use super::journal::SideEffect;
use super::own_group::{self, CPU};
use super::{Setting, SettingError};
use crate::Host;

/// The kernel's own period, in microseconds.
const PERIOD_US: u64 = 100_000;
/// The least quota, in microseconds: with less the process may not come to put it back.
const QUOTA_US_MIN: u64 = 5000;

const SECOND: &str = "cpu.max";
const FIRST_QUOTA: &str = "cpu.cfs_quota_us";
const FIRST_PERIOD: &str = "cpu.cfs_period_us";

pub(super) struct CgroupCpu;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "cgroup-cpu",
        Kind::Number,
        "The CPU time that the process which runs the loads gets, in CPUs: 1.5 is 150 ms in each 100 ms, from 0.05 on in \
         steps of 0.00001. The process is put into a control group of its own (version 1 or 2), with all of its threads: \
         the loads, and the sampler. The group lies below the one that it is in, or of version 2 \
         in the nearest group above that has the controller for those in it, and is removed at the end. With a peer it is so at \
         both ends; where both are this machine, at the one that drives. Of version 1 nothing in the group gets real-time \
         scheduling, where the kernel shares that out by groups.",
    ),
    unit: Unit::One,
    binds: None,
    holds: Some(ResourceKind::Cpu),
    summary: "CPUs that the process which runs the loads gets",
};

impl Setting for CgroupCpu {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    fn place(&self, host: &Host, bound: Resource) -> Result<Resource, SettingError> {
        match own_group::folder(host, CPU, std::process::id()) {
            Ok(folder) => Ok(Resource::of(ResourceKind::Cgroup, folder)),
            Err(reason) => Err(SettingError::unreadable(&SPEC, &bound, reason)),
        }
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        let folder = folder(resource);
        if own_group::is_hidden(folder) {
            return Err(SettingError::unreadable(&SPEC, resource, own_group::HIDDEN.to_owned()));
        }
        Ok(own_group::value(folder, quota(folder).map(Value::Number)))
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let folder = folder(resource);
        let changed = match value {
            Value::Text(_) => unlimit(folder).and_then(|()| own_group::leave(folder)),
            _ => match microseconds(value) {
                Some(quota) => own_group::enter(folder, CPU, || limit(folder, quota)),
                None => Err(io::Error::other("0.05 CPUs are the least that is set")),
            },
        };
        changed.map_err(|error| SettingError::refused(&SPEC, resource, value, error.to_string()))
    }

    // The group is our own: what else it has is as the kernel makes it, which limits
    // nothing. What the process leaves behind keeps what it was charged for.
    fn side_effects(&self, resource: &Resource, value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        match own_group::in_the_way(folder(resource)) {
            None => Ok(Vec::new()),
            Some(reason) => Err(SettingError::refused(&SPEC, resource, value, reason)),
        }
    }
}

fn folder(resource: &Resource) -> &Path {
    Path::new(resource.named(ResourceKind::Cgroup).unwrap_or(resource.as_str()))
}

/// The quota for each period, in microseconds, of a number of CPUs.
fn microseconds(value: &Value) -> Option<u64> {
    let quota = (value.number()? * PERIOD_US as f64).round() as u64;
    Some(quota).filter(|quota| *quota >= QUOTA_US_MIN)
}

/// CPUs; none where there is no quota.
fn quota(folder: &Path) -> Option<f64> {
    let text = |leaf: &str| fs::read_to_string(folder.join(leaf)).ok();
    let (quota, period) = match text(SECOND) {
        Some(line) => {
            let (quota, period) = line.trim().split_once(' ')?;
            (quota.parse::<u64>().ok()?, period.parse::<u64>().ok()?)
        }
        None => (text(FIRST_QUOTA)?.trim().parse().ok()?, text(FIRST_PERIOD)?.trim().parse().ok()?),
    };
    (quota > 0 && period > 0).then(|| quota as f64 / period as f64)
}

fn limit(folder: &Path, quota_us: u64) -> io::Result<()> {
    if folder.join(SECOND).exists() {
        return put(folder, SECOND, &format!("{quota_us} {PERIOD_US}"));
    }
    if !folder.join(FIRST_QUOTA).exists() {
        return Err(own_group::no_controller(CPU, folder));
    }
    put(folder, FIRST_PERIOD, &PERIOD_US.to_string())?;
    // Of version 1 the kernel takes no more than a group above has.
    put(folder, FIRST_QUOTA, &quota_us.to_string())
}

/// Takes the quota away. Without the controller, or the group, there is none.
fn unlimit(folder: &Path) -> io::Result<()> {
    if folder.join(SECOND).exists() {
        return put(folder, SECOND, &format!("max {PERIOD_US}"));
    }
    if folder.join(FIRST_QUOTA).exists() {
        return put(folder, FIRST_QUOTA, "-1");
    }
    Ok(())
}

fn put(folder: &Path, leaf: &str, text: &str) -> io::Result<()> {
    let path = folder.join(leaf);
    fs::write(&path, text).map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quota_is_written_and_read_in_both_versions() {
        let files: [&[(&str, &str)]; 2] =
            [&[(SECOND, "max 100000\n")], &[(FIRST_QUOTA, "-1\n"), (FIRST_PERIOD, "100000\n")]];
        for files in files {
            let place = tempfile::tempdir().unwrap();
            for (leaf, text) in files {
                fs::write(place.path().join(leaf), text).unwrap();
            }
            assert_eq!(quota(place.path()), None);
            for cpus in [1.5, 0.05, 0.07, 2.0, 128.0, 0.33333] {
                limit(place.path(), microseconds(&Value::Number(cpus)).unwrap()).unwrap();
                assert_eq!(quota(place.path()), Some(cpus), "{files:?}");
            }
            let resource = Resource::of(ResourceKind::Cgroup, place.path().display());
            assert_eq!(CgroupCpu.read(&resource), Ok(Value::Number(0.33333)));
            unlimit(place.path()).unwrap();
            assert_eq!(quota(place.path()), None);
            assert_eq!(CgroupCpu.read(&resource), Ok("a group without limits".into()));
            let refused = CgroupCpu.side_effects(&resource, &Value::Number(1.0)).unwrap_err().to_string();
            assert!(refused.contains("rmdir"), "{refused}");
        }
    }

    #[test]
    fn a_group_that_is_not_there_has_no_quota_and_none_is_too_small() {
        let resource = Resource::from("cgroup:/no/such/headroom-7");
        assert_eq!(CgroupCpu.read(&resource), Ok(own_group::NONE.into()));
        assert_eq!(
            CgroupCpu.write(&resource, &own_group::NONE.into()),
            Ok(()),
            "there is nothing to put back"
        );
        let error = CgroupCpu.write(&resource, &Value::Number(0.04)).unwrap_err().to_string();
        assert!(error.contains("cgroup-cpu=0.04") && error.contains("0.05 CPUs"), "{error}");
        assert!(CgroupCpu.write(&resource, &Value::Number(1.0)).is_err());
    }

    #[test]
    fn a_group_without_the_controller_is_not_limited_and_cannot_be() {
        let place = tempfile::tempdir().unwrap();
        assert!(unlimit(place.path()).is_ok());
        let error = limit(place.path(), 100_000).unwrap_err().to_string();
        assert!(error.contains("no controller `cpu` in"), "{error}");
        let left = place.path().join("headroom-7");
        std::fs::create_dir(&left).unwrap();
        let resource = Resource::of(ResourceKind::Cgroup, left.display());
        assert_eq!(CgroupCpu.write(&resource, &own_group::NONE.into()), Ok(()));
        assert!(!left.exists(), "nothing is limited in it");
    }

    #[test]
    fn where_no_group_can_be_made_the_reason_is_said() {
        let error = CgroupCpu.place(&Host::parse(""), Resource::MACHINE).unwrap_err().to_string();
        assert!(error.starts_with("cgroup-cpu of machine cannot be read"), "{error}");
    }
}
