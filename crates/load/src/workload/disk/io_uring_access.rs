//! Whether this machine lets us use io_uring, and why not.

use std::io;

use io_uring::IoUring;

/// Why no ring can be had here; none if one can.
pub(in crate::workload) fn refusal() -> Option<String> {
    IoUring::new(2).err().map(|error| explanation(&error))
}

/// What it means that the kernel made no ring.
pub(in crate::workload) fn explanation(error: &io::Error) -> String {
    let sysctl = std::fs::read_to_string("/proc/sys/kernel/io_uring_disabled").unwrap_or_default();
    why(error, sysctl.trim())
}

/// The same; `sysctl` is what `kernel.io_uring_disabled` says.
fn why(error: &io::Error, sysctl: &str) -> String {
    match (error.raw_os_error(), sysctl) {
        (Some(libc::ENOSYS), _) => "this kernel has no io_uring, or a seccomp filter hides it".to_owned(),
        (Some(libc::EPERM), "1" | "2") => {
            format!("io_uring is disabled by sysctl kernel.io_uring_disabled={sysctl}")
        }
        (Some(libc::EPERM), _) => {
            "io_uring is forbidden here, by a seccomp filter or a security module".to_owned()
        }
        (Some(libc::ENOMEM), _) => "io_uring has no locked memory left (see `ulimit -l`)".to_owned(),
        _ => format!("io_uring cannot be used: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_there_is_no_ring_is_told_by_what_forbids_it() {
        let told = |code: i32, sysctl: &str| why(&io::Error::from_raw_os_error(code), sysctl);
        assert!(told(libc::ENOSYS, "").contains("no io_uring, or a seccomp filter"));
        assert!(told(libc::EPERM, "2").contains("kernel.io_uring_disabled=2"));
        assert!(told(libc::EPERM, "0").contains("seccomp filter or a security module"));
        assert!(told(libc::ENOMEM, "0").contains("ulimit -l"));
        assert!(told(libc::EMFILE, "0").contains("cannot be used"));
    }
}
