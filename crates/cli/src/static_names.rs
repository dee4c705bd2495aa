//! Names of machines in a program without shared libraries. The C library opens a shared one for each
//! service that `/etc/nsswitch.conf` lists for hosts beside `files` and `dns` (`resolve`, `myhostname`, `mymachines`).
//! That library needs the C library of its own machine, which then stands beside the one that is
//! part of this program. So a static program asks the two services that are built in, and no other.
//! A program with shared libraries follows the machine's list.

/// Has names of machines looked up in `/etc/hosts` and by DNS only, if the program is static. To be called
/// before the first name is looked up.
pub(crate) fn keep_to_files_and_dns() {
    #[cfg(all(target_env = "gnu", target_feature = "crt-static"))]
    built_in::choose();
}

#[cfg(all(target_env = "gnu", target_feature = "crt-static"))]
mod built_in {
    use std::ffi::{c_char, c_int};

    unsafe extern "C" {
        /// Replaces the line of a database in `/etc/nsswitch.conf` for this process (`nss.h` of glibc).
        fn __nss_configure_lookup(database: *const c_char, line: *const c_char) -> c_int;
    }

    pub(super) fn choose() {
        // SAFETY: both are texts that last for ever, ended by zero. The function takes the lock that lookups take.
        // It fails only for a database or a service that it does not know, and leaves all as it was then.
        let _ = unsafe { __nss_configure_lookup(c"hosts".as_ptr(), c"files dns".as_ptr()) };
    }
}
