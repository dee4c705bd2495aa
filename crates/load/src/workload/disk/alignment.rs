//! What a target wants blocks to be multiples of when they go around the page
//! cache. The kernel would only say "invalid argument".

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use model::plan::Problem;
use rustix::fs::{AtFlags, CWD, StatxFlags};

use crate::workload::disk::plan::DiskPlan;

/// Whether blocks and the offset are whole numbers of `unit` bytes, which is all
/// that the target called `text` moves; 0 where nobody knows. The page cache
/// makes them of others. Refused with which is not, and what is needed.
pub(super) fn check(text: &str, plan: &DiskPlan, unit: u64) -> Result<(), Problem> {
    if !plan.is_direct() || unit == 0 {
        return Ok(());
    }
    match plan.grid().find(|bytes| !bytes.is_multiple_of(unit)) {
        Some(odd) => Err(Problem::invalid(
            format!("{text} moves blocks of {unit} bytes, and {odd} bytes are no whole number of them"),
            "use a multiple as block-size and offset, or direct=no",
        )),
        None => Ok(()),
    }
}

/// The unit of the file at `path`, or of files in the folder `path`; 0 where
/// nobody knows. A file tells (`STATX_DIOALIGN`, Linux 6.1); of others it is the
/// logical block of the device that they lie on, if they lie on one.
pub(super) fn of_file(path: &Path) -> u64 {
    let told = rustix::fs::statx(CWD, path, AtFlags::empty(), StatxFlags::DIOALIGN).ok();
    let told = told.filter(|of| of.stx_mask & StatxFlags::DIOALIGN.bits() != 0);
    match told.map(|of| u64::from(of.stx_dio_offset_align)) {
        Some(unit) if unit > 0 => unit,
        _ => of_device_below(path).unwrap_or(0),
    }
}

/// As sysfs tells (`Documentation/ABI/stable/sysfs-block`); a partition's queue
/// is that of its disk.
fn of_device_below(path: &Path) -> Option<u64> {
    let device = path.metadata().ok()?.dev();
    let node = format!("/sys/dev/block/{}:{}", libc::major(device), libc::minor(device));
    let text = ["queue", "../queue"]
        .into_iter()
        .find_map(|queue| std::fs::read_to_string(format!("{node}/{queue}/logical_block_size")).ok())?;
    text.trim().parse().ok()
}
