//! The numbers of the system calls that wait for data to be on the medium, for kernels whose
//! tracefs has no events for each call.

/// Number and name. `sync_file_range` is left out: its number and its arguments differ
/// between architectures.
pub(super) fn sync_calls() -> Vec<(u64, &'static str)> {
    let all = [
        (libc::SYS_fsync, "fsync"),
        (libc::SYS_fdatasync, "fdatasync"),
        (libc::SYS_sync, "sync"),
        (libc::SYS_syncfs, "syncfs"),
        (libc::SYS_msync, "msync"),
    ];
    all.into_iter().filter_map(|(number, name)| Some((u64::try_from(number).ok()?, name))).collect()
}
