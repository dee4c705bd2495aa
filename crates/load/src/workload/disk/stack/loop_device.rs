//! Loop devices on files without a name (0001): with the last who uses one, the device goes, and with it the file
//! (`LO_FLAGS_AUTOCLEAR`). So nothing is left of a run that was killed but what stands on them. Each bears the name
//! of its stack, by which it is known again (`lo_file_name`).

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::fault::Fault;
use model::parameter::{Kind, ParameterSpec};
use model::stack::{LayerRole, LayerSpec};
use rustix::fs::{FallocateFlags, fallocate};

use crate::workload::disk::fixture::nameless;
use crate::workload::disk::stack::command::Commands;
use crate::workload::disk::stack::record::LayerRecord;

pub(super) const SPEC: LayerSpec = LayerSpec {
    name: "loop",
    role: LayerRole::Ground,
    devices: (1, 26),
    beside: None,
    options: &[
        ParameterSpec::new(
            "direct-io",
            Kind::Flag,
            "Whether it goes around the page cache to its file, where the file system of the target can do that.",
        )
        .default("yes"),
        ParameterSpec::new("allocated", Kind::Flag, "Whether its file has all of its blocks from the start.")
            .default("no"),
    ],
    doc: "loop devices, each on a file in the target",
};

/// How a loop device is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LoopOptions {
    /// Bytes of its file.
    pub(super) bytes: u64,
    pub(super) direct_io: bool,
    pub(super) allocated: bool,
    /// Whether the kernel removes its partitions when it goes.
    pub(super) partitions: bool,
}

/// Of `include/uapi/linux/loop.h`.
const LOOP_CLR_FD: libc::c_ulong = 0x4c01;
const LOOP_GET_STATUS64: libc::c_ulong = 0x4c05;
const LOOP_CONFIGURE: libc::c_ulong = 0x4c0a;
const LOOP_CTL_GET_FREE: libc::c_ulong = 0x4c82;
const LO_FLAGS_AUTOCLEAR: u32 = 4;
const LO_FLAGS_PARTSCAN: u32 = 8;
const LO_FLAGS_DIRECT_IO: u32 = 16;

/// `struct loop_info64`, 232 bytes, as numbers: five of 8 bytes, then `lo_number`, `lo_encrypt_type`,
/// `lo_encrypt_key_size` and `lo_flags` of 4, then `lo_file_name` of 64.
type LoopInfo = [u64; 29];
/// `struct loop_config`, 304 bytes: the file and the block size of 4, the info, and eight numbers that are kept free.
type LoopConfig = [u64; 38];
const FLAGS_AT: usize = 52;
const NAME_AT: usize = 56;
const NAME_BYTES: usize = 64;
const INFO_AT: usize = 8;

fn numbers<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let mut numbers = [0; N];
    for (number, eight) in numbers.iter_mut().zip(bytes.chunks_exact(8)) {
        *number = u64::from_ne_bytes(eight.try_into().unwrap_or_default());
    }
    numbers
}

fn config(file: u32, flags: u32, name: &str) -> LoopConfig {
    let mut bytes = [0u8; size_of::<LoopConfig>()];
    bytes[..4].copy_from_slice(&file.to_ne_bytes());
    bytes[INFO_AT + FLAGS_AT..INFO_AT + FLAGS_AT + 4].copy_from_slice(&flags.to_ne_bytes());
    // The last byte ends it.
    let place = INFO_AT + NAME_AT..INFO_AT + NAME_AT + NAME_BYTES - 1;
    bytes[place].iter_mut().zip(name.bytes()).for_each(|(to, from)| *to = from);
    numbers(&bytes)
}

/// The flags and the name of a loop device.
fn flags_and_name(info: &LoopInfo) -> (u32, String) {
    let bytes: Vec<u8> = info.iter().flat_map(|number| number.to_ne_bytes()).collect();
    let flags = u32::from_ne_bytes(bytes[FLAGS_AT..FLAGS_AT + 4].try_into().unwrap_or_default());
    let name = bytes[NAME_AT..NAME_AT + NAME_BYTES].split(|byte| *byte == 0).next().unwrap_or_default();
    (flags, String::from_utf8_lossy(name).into_owned())
}

/// A loop device of ours; it goes when this is dropped, unless something stands on it.
#[derive(Debug)]
pub(super) struct LoopDevice {
    pub(super) path: PathBuf,
    /// Whether the kernel goes around the page cache, as it says.
    pub(super) direct_io: bool,
    /// Open for reading: the device is there as long.
    _file: File,
}

/// Another may take the number that the kernel gave before it is used.
const TRIES: u32 = 16;

/// How long a loop device may be there after the last who used it.
const GOES_WITHIN: Duration = Duration::from_secs(10);

impl LoopDevice {
    /// Makes one that is called `name` on a new file in `folder`.
    pub(super) fn make(folder: &Path, name: &str, options: LoopOptions) -> Result<Self, Fault> {
        let file = nameless(folder)?;
        let fault = |e: io::Error| Fault::system(format!("making a file in {}", folder.display()), e);
        file.set_len(options.bytes).map_err(fault)?;
        if options.allocated {
            fallocate(&file, FallocateFlags::empty(), 0, options.bytes).map_err(|e| fault(e.into()))?;
        }
        let control = OpenOptions::new()
            .read(true)
            .write(true)
            .open("/dev/loop-control")
            .map_err(|e| Fault::system("opening /dev/loop-control", e))?;
        let mut last = None;
        for _ in 0..TRIES {
            match attach(&control, &file, name, options) {
                Err(e) if e.raw_os_error() == Some(libc::EBUSY) => last = Some(e),
                other => {
                    return other.map_err(|e| Fault::system("making a loop device", e));
                }
            }
        }
        let busy = || io::Error::from_raw_os_error(libc::EBUSY);
        Err(Fault::system("making a loop device", last.unwrap_or_else(busy)))
    }
}

fn attach(control: &File, backing: &File, name: &str, options: LoopOptions) -> io::Result<LoopDevice> {
    // SAFETY: the ioctl has no argument.
    let number = unsafe { libc::ioctl(control.as_raw_fd(), LOOP_CTL_GET_FREE as _) };
    if number < 0 {
        return Err(io::Error::last_os_error());
    }
    let path = PathBuf::from(format!("/dev/loop{number}"));
    let open = |write| OpenOptions::new().read(true).write(write).custom_flags(libc::O_NONBLOCK).open(&path);
    // Only who may write makes a device that may be written to.
    let device = open(true)?;
    let asked = [(options.direct_io, LO_FLAGS_DIRECT_IO), (options.partitions, LO_FLAGS_PARTSCAN)];
    let flags = asked.into_iter().filter(|(is_asked, _)| *is_asked).map(|(_, flag)| flag).sum::<u32>();
    let fd = u32::try_from(backing.as_raw_fd()).map_err(io::Error::other)?;
    let config = config(fd, LO_FLAGS_AUTOCLEAR | flags, name);
    // SAFETY: the ioctl reads one `struct loop_config`, which is as large and as aligned as `config`.
    let result = unsafe { libc::ioctl(device.as_raw_fd(), LOOP_CONFIGURE as _, config.as_ptr()) };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    // Who has it open to write looks like one who uses it.
    let file = open(false)?;
    let (flags, _) = status(&file)?;
    Ok(LoopDevice { path, direct_io: flags & LO_FLAGS_DIRECT_IO != 0, _file: file })
}

/// The flags and the name of an open loop device.
fn status(device: &File) -> io::Result<(u32, String)> {
    let mut info: LoopInfo = [0; 29];
    // SAFETY: the ioctl writes one `struct loop_info64`, which is as large and as aligned as `info`, and any bits are
    // numbers.
    let result = unsafe { libc::ioctl(device.as_raw_fd(), LOOP_GET_STATUS64 as _, info.as_mut_ptr()) };
    if result == 0 { Ok(flags_and_name(&info)) } else { Err(io::Error::last_os_error()) }
}

/// The loop device that is called `name`, open.
fn find(name: &str) -> Option<(PathBuf, File)> {
    let entries = fs::read_dir("/sys/block").ok()?;
    let used = entries.flatten().filter(|entry| entry.path().join("loop/backing_file").exists());
    used.map(|entry| Path::new("/dev").join(entry.file_name())).find_map(|path| {
        let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&path).ok()?;
        (status(&file).ok()?.1 == name).then_some((path, file))
    })
}

/// Removes the one that a record says, if it is there: nobody holds it, or what stood on it is being taken down.
/// Whether it was there.
pub(super) fn take_down(record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
    let mut was_there = false;
    let gone = commands.wait_until(GOES_WITHIN, || match find(&record.name) {
        Some((_, file)) => {
            was_there = true;
            // SAFETY: the ioctl has no argument. The device is the one that bears our name.
            unsafe { libc::ioctl(file.as_raw_fd(), LOOP_CLR_FD as _) };
            false
        }
        None => true,
    })?;
    match find(&record.name) {
        Some((path, _)) if !gone => Err(Fault::Other(format!("{} is still in use", path.display()))),
        _ => Ok(was_there),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structures_are_those_of_the_kernel() {
        assert_eq!((size_of::<LoopInfo>(), size_of::<LoopConfig>()), (232, 304));
        let config = config(7, LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO, &"n".repeat(100));
        assert_eq!(config[0].to_ne_bytes()[..4], 7u32.to_ne_bytes());
        let info: LoopInfo = config[1..30].try_into().unwrap();
        assert_eq!(flags_and_name(&info), (20, "n".repeat(NAME_BYTES - 1)));
    }

    #[test]
    fn a_loop_device_bears_its_name_and_goes_with_who_made_it() {
        let folder = tempfile::tempdir_in(".").unwrap();
        let options = LoopOptions { bytes: 32 << 20, direct_io: true, allocated: false, partitions: false };
        let name = "headroom_00000000000000aa_a";
        let made = match LoopDevice::make(folder.path(), name, options) {
            Ok(made) => made,
            Err(fault) => {
                assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: {fault}");
                println!("skipped: no loop device can be made: {fault}");
                return;
            }
        };
        assert_eq!(find(name).map(|(path, _)| path), Some(made.path.clone()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "its file has no name");
        drop(made);
        let record = LayerRecord {
            kind: SPEC.name.to_owned(),
            name: name.to_owned(),
            uuid: String::new(),
            below: Vec::new(),
            beside: None,
            on_devices: false,
            place: None,
            access: None,
        };
        let mut always = || true;
        take_down(&record, &mut Commands::new(&mut always)).unwrap();
        assert!(find(name).is_none());
    }
}
