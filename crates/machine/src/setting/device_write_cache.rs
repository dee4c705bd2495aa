//! `device-write-cache`: whether a disk answers writes from a cache of its own that loses its content
//! with the power: mode page 8 of SCSI, SET FEATURES of ATA behind it (`scsi_disk/*/cache_type`,
//! `drivers/scsi/sd.c`), the feature of NVMe, `cache_type` of virtio.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use model::resource::Symbol;
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, ResourceKind, Unit, Value};

use super::journal::SideEffect;
use super::{Setting, SettingError, block, find, kernel_file};
use crate::Host;
use crate::nvme::{self, Refusal};

const BLOCK: &str = "/sys/class/block";
/// What a drive may take to answer, in milliseconds.
const PATIENCE_MS: u32 = 10_000;
/// What `cache_type` says of a disk that answers at once.
const ON: &str = "write back";
const OFF: &str = "write through";

/// What the kernel sets anew when it looks at the disk again, in the order in which it is put back.
const WITH_IT: &[&str] = &["kernel-flush", "read-ahead"];

pub(super) struct DeviceWriteCache;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "device-write-cache",
        Kind::Flag,
        "Whether the disk answers writes from a volatile cache of its own: by the caching mode page of SCSI and ATA \
         disks (hdparm -W, sdparm --set WCE), the feature of NVMe, and cache_type of virtio disks, where the host lets that be changed. \
         Before the cache is switched off, the disk writes out what is in it. Afterwards the kernel asks a SCSI or ATA disk \
         again, and flushes it or not accordingly \
         (kernel-flush is put back with it). A disk without a volatile cache, and what is no disk (loop, zram, md, dm), has \
         no such setting. **A SCSI disk that can save the page does**, so the change also outlasts a loss of power: \
         even then `headroom restore` puts it back, if the disk still has its name. \
         Without `@DEVICE` it is the disk under the target.",
    ),
    unit: Unit::One,
    binds: Some(Symbol::TargetDevice),
    holds: None,
    summary: "whether a disk answers writes from its own volatile cache",
};

/// How the cache of a disk is switched.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Switch {
    /// A file that says how the cache works.
    File(PathBuf),
    /// A feature of a drive, by its device.
    Nvme(PathBuf),
}

impl Setting for DeviceWriteCache {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    fn resets(&self) -> &'static [&'static str] {
        WITH_IT
    }

    fn place(&self, host: &Host, bound: Resource) -> Result<Resource, SettingError> {
        block::disk(host, &SPEC, bound)
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        let unreadable = |reason: String| SettingError::unreadable(&SPEC, resource, reason);
        match switch(Path::new(BLOCK), resource)? {
            Switch::File(path) => {
                let text =
                    fs::read_to_string(&path).map_err(|e| unreadable(format!("{}: {e}", path.display())))?;
                state(&text).map(Value::Bool).ok_or_else(|| {
                    unreadable(format!(
                        "{}: `{}`: it has no volatile cache that could be switched",
                        path.display(),
                        text.trim()
                    ))
                })
            }
            Switch::Nvme(path) => {
                let drive = File::open(&path).map_err(|e| unreadable(format!("{}: {e}", path.display())))?;
                nvme::write_cache(&drive, PATIENCE_MS).map(Value::Bool).map_err(|refusal| {
                    unreadable(format!(
                        "{}: {}; a drive without a volatile write cache does not know the feature",
                        path.display(),
                        said(refusal)
                    ))
                })
            }
        }
    }

    fn read_each(&self, resource: &Resource) -> Result<Value, SettingError> {
        let is_on = self.read(resource)? == Value::Bool(true);
        Ok(Value::Text(format!(
            "{}:{}",
            if is_on { "on" } else { "off" },
            identity(Path::new(BLOCK), resource)
        )))
    }

    // `sp` of `cache_type_store` in `drivers/scsi/sd.c`.
    fn outlives_boot(&self) -> bool {
        true
    }

    fn lacks(&self, resource: &Resource, value: &Value) -> Option<String> {
        let is_so = self.read(resource).is_ok_and(|now| now == *value);
        kept_by_host(Path::new(BLOCK), resource).filter(|_| !is_so)
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
        let is_on = match value {
            Value::Bool(is_on) => *is_on,
            Value::Text(before) => {
                let (state, id) = before.split_once(':').unwrap_or((before, ""));
                let now = identity(Path::new(BLOCK), resource);
                if now != id {
                    return Err(refused(format!(
                        "another disk has this name now (`{now}`, and it was `{id}`): find that, and switch its cache {state}"
                    )));
                }
                state == "on"
            }
            _ => return Err(refused("it is neither yes nor no".to_owned())),
        };
        match switch(Path::new(BLOCK), resource)? {
            Switch::File(path) => put(&path, is_on).map_err(|error| {
                let why = match error.kind() {
                    io::ErrorKind::PermissionDenied => {
                        "; it needs root, and of a virtio disk the host may not let it be changed"
                    }
                    io::ErrorKind::InvalidInput => {
                        "; the disk, or the controller before it, does not take it"
                    }
                    _ => "",
                };
                refused(format!("{}: {error}{why}", path.display()))
            }),
            Switch::Nvme(path) => {
                let drive = File::open(&path).map_err(|e| refused(format!("{}: {e}", path.display())))?;
                nvme::set_write_cache(&drive, is_on, PATIENCE_MS)
                    .map_err(|refusal| refused(format!("{}: {}", path.display(), said(refusal))))
            }
        }
    }

    // The kernel looks at a SCSI or ATA disk again (`cache_type_store` in `drivers/scsi/sd.c`), at a
    // virtio disk, too (`virtblk_update_cache_mode`), and then flushes it or not; of NVMe it does not.
    fn side_effects(&self, resource: &Resource, value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        switch(Path::new(BLOCK), resource)?;
        if let Some(reason) = kept_by_host(Path::new(BLOCK), resource) {
            return Err(SettingError::refused(&SPEC, resource, value, reason));
        }
        if identity(Path::new(BLOCK), resource).is_empty() && name_of(resource).starts_with("sd") {
            let reason =
                "the disk does not say who it is, so that it might not be found again to be put back";
            return Err(SettingError::refused(&SPEC, resource, value, reason.to_owned()));
        }
        let effect = |name: &&str| {
            let before = find(name)?.read(resource).ok()?;
            Some(SideEffect { setting: (*name).to_owned(), resource: resource.clone(), before })
        };
        Ok(WITH_IT.iter().filter_map(effect).collect())
    }
}

fn name_of(resource: &Resource) -> &str {
    resource.named(ResourceKind::Block).unwrap_or("-")
}

/// How the cache of a disk is switched.
fn switch(all: &Path, resource: &Resource) -> Result<Switch, SettingError> {
    let name = resource.named(ResourceKind::Block).unwrap_or(resource.as_str());
    let folder = all.join(name);
    if name.is_empty() || name.contains('/') || !folder.exists() {
        return Err(SettingError::gone(&SPEC, resource));
    }
    let of_scsi = fs::read_dir(folder.join("device/scsi_disk")).into_iter().flatten().flatten();
    let mut files = of_scsi.map(|entry| entry.path().join("cache_type")).chain([folder.join("cache_type")]);
    if let Some(file) = files.find(|file| file.exists()) {
        return Ok(Switch::File(file));
    }
    if name.starts_with("nvme") {
        return Ok(Switch::Nvme(Path::new("/dev").join(name)));
    }
    Err(SettingError::unreadable(
        &SPEC,
        resource,
        "it has no cache of its own that the kernel can switch: it is no SCSI, ATA, NVMe or virtio disk"
            .to_owned(),
    ))
}

/// Why the cache of a disk cannot be switched: of a virtio disk the host decides.
fn kept_by_host(all: &Path, resource: &Resource) -> Option<String> {
    let Ok(Switch::File(path)) = switch(all, resource) else { return None };
    let is_kept = fs::metadata(&path).is_ok_and(|file| file.permissions().readonly());
    is_kept.then(|| format!("{} can only be read: the host keeps it as it is", path.display()))
}

/// What a disk says who it is; empty where it says nothing.
fn identity(all: &Path, resource: &Resource) -> String {
    let folder = all.join(name_of(resource));
    let files = ["wwid", "device/wwid", "serial", "device/serial"];
    let text = |leaf: &&str| fs::read_to_string(folder.join(leaf)).ok().map(|text| text.trim().to_owned());
    files.iter().find_map(text).unwrap_or_default()
}

/// What `cache_type` says; none of a disk that has no volatile cache, or one without a switch.
fn state(text: &str) -> Option<bool> {
    match text.trim() {
        ON => Some(true),
        OFF => Some(false),
        _ => None,
    }
}

fn put(path: &Path, is_on: bool) -> io::Result<()> {
    kernel_file::write(path, if is_on { ON } else { OFF })
}

fn said(refusal: Refusal) -> String {
    match refusal {
        Refusal::Kernel(error) => error.to_string(),
        Refusal::Drive(status) => format!("the drive answered with status {status:#x}"),
        Refusal::Unsent => "not sent".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_disk_has_its_switch() {
        let all = tempfile::tempdir().unwrap();
        let of = |name: &str| switch(all.path(), &Resource::of(ResourceKind::Block, name));
        let sda = all.path().join("sda/device/scsi_disk/0:0:0:0");
        fs::create_dir_all(&sda).unwrap();
        fs::write(sda.join("cache_type"), "write back\n").unwrap();
        assert_eq!(of("sda"), Ok(Switch::File(sda.join("cache_type"))));
        fs::write(all.path().join("sda/device/wwid"), "naa.5000c500\n").unwrap();
        let id = |name: &str| identity(all.path(), &Resource::of(ResourceKind::Block, name));
        assert_eq!((id("sda").as_str(), id("sdz").as_str()), ("naa.5000c500", ""));
        fs::create_dir_all(all.path().join("vda")).unwrap();
        fs::write(all.path().join("vda/cache_type"), "write through\n").unwrap();
        assert_eq!(of("vda"), Ok(Switch::File(all.path().join("vda/cache_type"))));
        let kept = |name: &str| kept_by_host(all.path(), &Resource::of(ResourceKind::Block, name));
        assert_eq!([kept("sda"), kept("vda"), kept("sdz")], [None, None, None]);
        let mut readable = fs::metadata(all.path().join("vda/cache_type")).unwrap().permissions();
        readable.set_readonly(true);
        fs::set_permissions(all.path().join("vda/cache_type"), readable).unwrap();
        assert!(kept("vda").unwrap().ends_with("can only be read: the host keeps it as it is"));
        for name in ["nvme0n1", "loop0"] {
            fs::create_dir(all.path().join(name)).unwrap();
        }
        assert_eq!(of("nvme0n1"), Ok(Switch::Nvme(PathBuf::from("/dev/nvme0n1"))));
        assert!(of("loop0").unwrap_err().to_string().contains("no cache of its own"));
        for gone in ["sdz", "", "../x"] {
            assert!(matches!(of(gone), Err(SettingError::Gone { .. })), "{gone}");
        }
    }

    #[test]
    fn a_cache_is_switched_by_its_words() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cache_type");
        assert!(put(&file, true).is_err());
        fs::write(&file, "").unwrap();
        for is_on in [true, false] {
            fs::write(&file, "").unwrap();
            put(&file, is_on).unwrap();
            assert_eq!(state(&fs::read_to_string(&file).unwrap()), Some(is_on));
        }
        for other in ["none", "write back, no read (daft)", ""] {
            assert_eq!(state(other), None);
        }
    }
}
