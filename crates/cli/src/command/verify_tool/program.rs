//! Where the programs of a tool are, and whether they are new enough.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::{Access, access};

use super::tools::{OldestVersion, VerifiedTool};
use crate::exit::Failure;

/// Folders of administrators' programs, which PATH lacks for ordinary users.
const FOLDERS: [&str; 4] = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin"];

/// Where a program of a package of Debian's is: in `first`, by PATH, or where administrators' programs are.
pub(super) fn find(program: &str, package: &str, first: Option<&Path>) -> Result<PathBuf, Failure> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_program = |file: &PathBuf| file.is_file() && access(file, Access::EXEC_OK).is_ok();
    let mut folders = first
        .map(Path::to_owned)
        .into_iter()
        .chain(std::env::split_paths(&path))
        .chain(FOLDERS.map(PathBuf::from));
    folders.find_map(|folder| Some(folder.join(program)).filter(is_program)).ok_or_else(|| {
        Failure::refused(format!("{program} is not installed"), format!("install it ({package} in Debian)"))
    })
}

/// Refuses a tool that is older than the options that it is given. One that does not tell its version is tried.
pub(super) fn check_version(verified: &VerifiedTool, program: &Path) -> Result<(), Failure> {
    let Some(OldestVersion { option, numbers }) = verified.oldest else { return Ok(()) };
    // Some end with a failure then, and some tell it on their standard error.
    let told = Command::new(program).arg(option).env("LC_ALL", "C").stdin(Stdio::null()).output();
    let told = told.map(|output| [output.stdout, output.stderr].concat()).unwrap_or_default();
    match version_in(&String::from_utf8_lossy(&told)) {
        Some(found) if found < numbers => Err(too_old(verified.program, found, numbers)),
        _ => Ok(()),
    }
}

fn too_old(tool: &str, (major, minor): (u32, u32), (oldest_major, oldest_minor): (u32, u32)) -> Failure {
    Failure::refused(
        format!("{tool} {major}.{minor} lacks options that {oldest_major}.{oldest_minor} has"),
        "install a later version",
    )
}

/// The first two numbers of the version that a text tells first: `fio-3.33`, `wrk debian/4.1.0-3+b2 [epoll]`.
fn version_in(text: &str) -> Option<(u32, u32)> {
    text.split(|c: char| !c.is_ascii_digit() && c != '.').find_map(|part| {
        let mut numbers = part.split('.').map(str::parse::<u32>);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::super::tools::TOOLS;
    use super::*;

    #[test]
    fn versions_are_read_from_real_answers() {
        for (text, version) in [
            ("fio-3.33\n", Some((3, 33))),
            ("iperf version 2.1.8 (12 August 2022) pthreads", Some((2, 1))),
            ("iperf 3.12 (cJSON 1.7.15)\nLinux x 6.1.0", Some((3, 12))),
            ("wrk debian/4.1.0-3+b2 [epoll] Copyright (C) 2012 Will Glozer", Some((4, 1))),
            ("hdparm v9.65\n", Some((9, 65))),
            ("nuttcp-6.1.2\n", Some((6, 1))),
            ("Netperf version 2.7.1\n", Some((2, 7))),
            ("pgbench (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", Some((15, 18))),
            ("sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)", Some((1, 0))),
            ("usage: x ...", None),
        ] {
            assert_eq!(version_in(text), version, "{text}");
        }
    }

    #[test]
    fn a_tool_that_is_missing_or_too_old_is_refused_with_what_to_install() {
        let missing = find("no-such-program", "no-such-package", None).unwrap_err();
        assert_eq!(missing.code(), crate::exit::REFUSED);
        assert!(missing.help().unwrap().contains("no-such-package"));
        let old = too_old("fio", (1, 59), (2, 0));
        assert_eq!(old.code(), crate::exit::REFUSED);
        assert!(old.message().contains("fio 1.59") && old.help().unwrap().contains("install"));
    }

    #[test]
    fn a_program_is_found_in_the_first_folder_and_by_path() {
        let place = tempfile::tempdir().unwrap();
        let own = place.path().join("sh");
        std::fs::write(&own, "").unwrap();
        let by_path = find("sh", "dash", Some(place.path())).unwrap();
        assert_ne!(by_path, own, "it cannot be executed");
        std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find("sh", "dash", Some(place.path())).unwrap(), own);
        assert_eq!(find("sh", "dash", None).unwrap(), by_path);
    }

    #[test]
    fn a_tool_that_tells_no_version_is_tried() {
        let dd = TOOLS.iter().find(|tool| tool.oldest.is_none()).unwrap();
        assert!(check_version(dd, Path::new("/no/such/program")).is_ok());
        let fio = TOOLS.iter().find(|tool| tool.oldest.is_some()).unwrap();
        assert!(check_version(fio, Path::new("/no/such/program")).is_ok());
    }
}
