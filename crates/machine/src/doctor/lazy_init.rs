//! ext4 still writes the inode tables that mkfs left out.
//!
//! The kernel's thread for it (`ext4_lazyinit_thread` in `fs/ext4/super.c`) is no proof: of
//! any file system that was mounted a short time ago it first reads the maps of free blocks,
//! and writes inode tables only then, of groups whose descriptor does not say that theirs
//! is zeroed (`ext4_has_uninit_itable`). So the descriptors are read, which the kernel has in
//! its buffers. Where the device may not be opened, nobody knows.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;

use model::Severity;
use model::machine::BlockDevice;
use rustix::fs::{CWD, Mode, OFlags};

use super::{Check, CheckContext, clip, condition, seen};

const CODE: &str = "lazy-init";
/// The kernel's thread, which lives only while there is work.
pub(super) const THREAD: &str = "ext4lazyinit";

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "ext4 initialises a new file system in the background; a note where that cannot be told",
    english: r#"
condition-lazy-init =
    { $known ->
        [yes] ext4 initialises the new file system on { $device } in the background and writes to it
       *[no] ext4 works on a file system in the background: it may initialise a new one and write to it, or only read
            what is free of one that was just mounted
    }
    .advice =
        wait until it has ended, or make the file system with `-E lazy_itable_init=0,lazy_journal_init=0`

evidence-lazy-init-thread = the kernel's thread { $thread } runs
evidence-lazy-init-groups = { FIXED($missing) } of { FIXED($groups) } groups of { $device } have no inode table yet
"#,
    look: |context| {
        let is_there = context.activity.is_some_and(|a| a.process(THREAD).is_some_and(|p| p.kernel));
        if !is_there {
            return Vec::new();
        }
        let thread = || seen("lazy-init-thread").arg("thread", THREAD);
        let mounted = mounted(context);
        let ask = || {
            let each = mounted.iter().filter_map(|device| Some((device.name.clone(), Groups::of(device)?)));
            Ok(each.collect::<BTreeMap<String, Groups>>())
        };
        let known = context.host.probe("ext4-groups", ask).unwrap_or_default();
        let written = mounted.iter().find_map(|device| {
            let groups = known.get(&device.name).filter(|groups| groups.missing > 0)?;
            Some((clip(&device.name), groups))
        });
        let Some((device, groups)) = written else {
            let is_known = !mounted.is_empty() && mounted.iter().all(|d| known.contains_key(&d.name));
            let note = condition(CODE, Severity::Note).on("filesystem").arg("known", false).because(thread());
            return if is_known { Vec::new() } else { vec![note] };
        };
        let evidence = seen("lazy-init-groups")
            .arg("device", device.as_str())
            .arg("missing", groups.missing)
            .arg("groups", groups.all);
        vec![
            condition(CODE, Severity::Warning)
                .on("filesystem")
                .arg("known", true)
                .arg("device", device)
                .because(evidence)
                .because(thread()),
        ]
    },
};

/// Devices with an ext4 that may be written; with `noinit_itable` none is initialised.
fn mounted<'a>(context: &CheckContext<'a>) -> Vec<&'a BlockDevice> {
    let is_initialised = |device: &&BlockDevice| {
        let has = |options: &str, word: &str| options.split(',').any(|option| option == word);
        let is_one = |options: &str| !has(options, "ro") && !has(options, "noinit_itable");
        device.mounts.iter().any(|m| m.kind == "ext4" && is_one(&m.options))
    };
    context.inventory.block.iter().filter(is_initialised).collect()
}

/// Groups of blocks, and those without an inode table so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
struct Groups {
    all: u64,
    missing: u64,
}

/// More descriptors are not read: 1 TiB has 8,192 groups.
const GROUPS_MAX: u64 = 1 << 18;

impl Groups {
    /// Looks at the device, without writing or claiming it.
    fn of(device: &BlockDevice) -> Option<Self> {
        // Names with a slash in them have an exclamation mark in sysfs.
        let path = format!("/dev/{}", device.name.replace('!', "/"));
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::openat(CWD, path, flags, Mode::empty()).ok()?);
        Self::read(&|offset, bytes| file.read_exact_at(bytes, offset).ok())
    }

    /// By `Documentation/filesystems/ext4/super.rst` and `group_descr.rst`.
    fn read(at: &dyn Fn(u64, &mut [u8]) -> Option<()>) -> Option<Self> {
        const META_GROUPS: u32 = 0x10;
        const IS_64_BIT: u32 = 0x80;
        const CHECKSUMS: u32 = 0x10 | 0x400;
        const ZEROED: u16 = 0x4;
        let mut block = [0; 1024];
        at(1024, &mut block)?;
        let short = |offset: usize| u16::from_le_bytes([block[offset], block[offset + 1]]);
        let word = |offset: usize| u32::from(short(offset)) | u32::from(short(offset + 2)) << 16;
        let (incompatible, read_only) = (word(0x60), word(0x64));
        // Descriptors of meta groups lie elsewhere.
        if short(0x38) != 0xef53 || incompatible & META_GROUPS != 0 {
            return None;
        }
        let (high, bytes) = match incompatible & IS_64_BIT {
            0 => (0, 32),
            _ => (u64::from(word(0x150)) << 32, usize::from(short(0xfe))),
        };
        let (blocks, first) = (high | u64::from(word(0x4)), u64::from(word(0x14)));
        let (each, block_bytes) = (u64::from(word(0x20)), 1024_u64.checked_shl(word(0x18))?);
        if !(32..=1024).contains(&bytes) || each == 0 || blocks <= first {
            return None;
        }
        let all = (blocks - first).div_ceil(each);
        if read_only & CHECKSUMS == 0 {
            // mkfs wrote all tables: without checksums nothing would say that it did not.
            return Some(Self { all, missing: 0 });
        }
        if all > GROUPS_MAX {
            return None;
        }
        let mut descriptors = vec![0; usize::try_from(all).ok()? * bytes];
        at((first + 1).checked_mul(block_bytes)?, &mut descriptors)?;
        let is_zeroed = |one: &&[u8]| u16::from_le_bytes([one[0x12], one[0x13]]) & ZEROED != 0;
        let zeroed = descriptors.chunks(bytes).filter(is_zeroed).count();
        Some(Self { all, missing: all - zeroed as u64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose_with};
    use model::machine::{Inventory, Mount};

    /// The kernel's thread, a disk with an ext4, and what its descriptors say.
    fn looked(kernel: bool, options: &str, groups: &str) -> CheckResult {
        let tree = format!(
            "==> /probe/activity\n{{\"processes\": [{{\"name\": \"ext4lazyinit\", \"kernel\": {kernel}}}]}}\n{groups}"
        );
        let mount = Mount { point: "/data".to_owned(), kind: "ext4".to_owned(), options: options.to_owned() };
        let disk = BlockDevice { name: "sda".to_owned(), mounts: vec![mount], ..BlockDevice::default() };
        diagnose_with(&CHECK, &tree, Inventory { block: vec![disk], ..Inventory::default() })
    }

    fn groups(missing: u64) -> String {
        format!("==> /probe/ext4-groups\n{{\"sda\": {{\"all\": 8, \"missing\": {missing}}}}}\n")
    }

    #[test]
    fn the_kernels_thread_and_what_it_has_left_to_do_give_it_away() {
        looked(true, "rw", &groups(3)).one(Severity::Warning, "ext4 initialises the new file system on sda");
        assert_eq!(looked(false, "rw", &groups(3)), CheckResult::nothing());
    }

    /// Bug: a file system that was made as is advised was said to be initialised, as the thread
    /// first reads the maps of free blocks.
    #[test]
    fn a_thread_that_only_reads_is_no_finding_and_an_unknown_one_is_a_note() {
        assert_eq!(looked(true, "rw", &groups(0)), CheckResult::nothing());
        looked(true, "rw", "").one(Severity::Note, "it may initialise a new one");
        looked(true, "rw,noinit_itable", &groups(3)).one(Severity::Note, "it may initialise a new one");
    }

    /// The first blocks of a file system of blocks of 1 KiB with so many groups, of which the
    /// first few have their tables.
    fn image(groups: u32, zeroed: usize, wide: bool, checksums: u32) -> Vec<u8> {
        let (bytes, features) = if wide { (64, 0x80) } else { (32, 0) };
        let mut image = vec![0; 64 << 10];
        let mut put = |offset: usize, value: u32| {
            image[1024 + offset..1024 + offset + 4].copy_from_slice(&value.to_le_bytes());
        };
        put(0x4, groups * 8192);
        put(0x14, 1);
        put(0x20, 8192);
        put(0x38, 0xef53);
        put(0x60, features);
        put(0x64, checksums);
        put(0xfc, bytes << 16);
        for group in 0..zeroed {
            image[2048 + group * bytes as usize + 0x12] = 0x4 | 0x1;
        }
        image
    }

    #[test]
    fn descriptors_without_a_table_are_counted() {
        let read = |image: Vec<u8>| {
            Groups::read(&|offset, bytes: &mut [u8]| {
                let offset = usize::try_from(offset).ok()?;
                bytes.copy_from_slice(image.get(offset..offset + bytes.len())?);
                Some(())
            })
        };
        for wide in [false, true] {
            assert_eq!(read(image(5, 3, wide, 0x400)), Some(Groups { all: 5, missing: 2 }));
            assert_eq!(read(image(5, 5, wide, 0x10)), Some(Groups { all: 5, missing: 0 }));
            assert_eq!(read(image(5, 0, wide, 0)), Some(Groups { all: 5, missing: 0 }));
        }
        assert_eq!(read(vec![0; 4096]), None);
        let mut meta = image(5, 3, false, 0x400);
        meta[1024 + 0x60] |= 0x10;
        assert_eq!(read(meta), None);
    }
}
