//! File systems that the kernel makes up: a file there is a switch or a view of
//! the kernel, whatever size it says, so it is no target. To write to one sets
//! what it stands for, and to read one may use up or change it.

use std::os::fd::AsFd;
use std::path::Path;

use model::plan::Problem;
use rustix::fs::StatFs;

/// By `f_type` of statfs(2) (`include/uapi/linux/magic.h`; those below the line
/// stand with their file systems in the kernel's source).
const MADE_UP: &[(u32, &str)] = &[
    (0x0000_9fa0, "procfs"),
    (0x6265_6572, "sysfs"),
    (0x6462_6720, "debugfs"),
    (0x7472_6163, "tracefs"),
    (0x7363_6673, "securityfs"),
    (0xf97c_ff8c, "selinuxfs"),
    (0x4341_5d53, "smackfs"),
    (0x5a3c_69f0, "apparmorfs"),
    (0x0027_e0eb, "cgroup"),
    (0x6367_7270, "cgroup2"),
    (0x0765_5821, "resctrl"),
    (0xcafe_4a11, "bpf"),
    (0xde5e_81e4, "efivarfs"),
    (0x6165_676c, "pstore"),
    (0x4249_4e4d, "binfmt_misc"),
    (0x6c6f_6f70, "binderfs"),
    (0x0000_1cd1, "devpts"),
    (0x0000_9fa1, "openpromfs"),
    (0x0000_9fa2, "usbdevfs"),
    (0x444d_4142, "dmabuf"),
    (0x6e73_6673, "nsfs"),
    (0x5049_4446, "pidfs"),
    (0x5049_5045, "pipefs"),
    (0x534f_434b, "sockfs"),
    (0x0904_1934, "anon_inodefs"),
    (0x6264_6576, "bdev"),
    (0x1130_7854, "mtd_inodefs"),
    (0x5345_434d, "secretmem"),
    (0xabba_1974, "xenfs"),
    // --
    (0x6265_6570, "configfs"),
    (0x6573_5543, "fusectl"),
    (0x1980_0202, "mqueue"),
    (0x6e66_7364, "nfsd"),
    (0x6759_6969, "rpc_pipefs"),
    (0x76a9_f425, "ocfs2_dlmfs"),
    (0x0a64_7361, "functionfs"),
    (0xaee7_1ee7, "gadgetfs"),
    (0x0068_7970, "s390_hypfs"),
];

/// Why nothing below `path`, an existing name, is a target, if that is so.
pub(super) fn check(text: &str, path: &Path) -> Result<(), Problem> {
    match rustix::fs::statfs(path).ok().and_then(|stat| name(&stat)) {
        Some(kind) => Err(Problem::refused(
            format!(
                "{text} lies in {kind}, where files are switches and views of the kernel and hold no data"
            ),
            "give a folder, a file or a device on a disk; there is no option that overrides this",
        )),
        None => Ok(()),
    }
}

/// The name of the made-up file system that an open file lies in.
pub(in crate::workload) fn holds(file: impl AsFd) -> Option<&'static str> {
    rustix::fs::fstatfs(file).ok().and_then(|stat| name(&stat))
}

fn name(stat: &StatFs) -> Option<&'static str> {
    MADE_UP.iter().find(|(magic, _)| u64::from(*magic) == magic_of(stat)).map(|(_, name)| *name)
}

/// `f_type`, which has another width and sign on every machine.
pub(super) fn magic_of(stat: &StatFs) -> u64 {
    stat.f_type as u64 & 0xffff_ffff
}
