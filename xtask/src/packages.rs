//! Packages of Debian that tests need, installed without their services: Debian starts what
//! listens as soon as it is installed, and at each boot, and a web server on port 80 is nothing that
//! a test may leave behind. The machine's policy (`policy-rc.d`) is not touched for it: whoever ends
//! the task in the middle would leave it changed.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command as Process, Stdio};

use tempfile::TempDir;

use crate::cargo::target_folder;

/// What scripts of packages start services by (Debian Policy, section 9.3.3.2; deb-systemd-invoke(1p)).
const STARTERS: &[&str] = &["invoke-rc.d", "deb-systemd-invoke"];

/// Where scripts of packages find programs (apt.conf(5), `DPkg::Path`).
const PROGRAMS: &str = "/usr/sbin:/usr/bin:/sbin:/bin";

/// Installs packages while other steps print: what apt says is shown if it failed. Of the services
/// that come with them, these are neither started now nor at the next boot.
pub(crate) fn install(packages: &[&str], services: &[&str]) {
    let folder = match stand_ins(services) {
        Ok(folder) => folder,
        Err(e) => {
            return println!("nothing is installed, for its services could not be kept from starting: {e}");
        }
    };
    let path = format!("{}:{PROGRAMS}", folder.path().display());
    let option = format!("DPkg::Path={path}");
    let install = [&["-o", &option, "install", "-y", "--no-install-recommends"], packages].concat();
    // Old lists may still do, so a failed update does not end it.
    run("apt-get", &["update"], &path);
    run("apt-get", &install, &path);
    for &service in services {
        run("update-rc.d", &[service, "disable"], PROGRAMS);
    }
}

/// A folder with programs that do nothing about these services, and for others what they stand for.
/// It lies where cargo builds, for not every temporary folder lets programs be run.
fn stand_ins(services: &[&str]) -> Result<TempDir, String> {
    let target = target_folder(&crate::root()).map_err(|e| e.to_string())?;
    fs::create_dir_all(&target).map_err(|e| e.to_string())?;
    let folder = tempfile::tempdir_in(target).map_err(|e| e.to_string())?;
    for starter in STARTERS {
        let file = folder.path().join(starter);
        fs::write(&file, stand_in(starter, services))
            .and_then(|()| fs::set_permissions(&file, Permissions::from_mode(0o755)))
            .map_err(|e| format!("{}: {e}", file.display()))?;
    }
    Ok(folder)
}

fn stand_in(starter: &str, services: &[&str]) -> String {
    let cases: String = services
        .iter()
        .map(|service| format!("    *' {service} '* | *' {service}.service '*) exit 0 ;;\n"))
        .collect();
    format!("#!/bin/sh\ncase \" $* \" in\n{cases}esac\nPATH={PROGRAMS}\nexec {starter} \"$@\"\n")
}

fn run(program: &str, arguments: &[&str], path: &str) {
    let done = Process::new(program)
        .args(arguments)
        .env("PATH", path)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        .output();
    match done {
        Ok(output) if output.status.success() => {}
        Ok(output) => println!(
            "`{program} {}`: {}\n{}{}",
            arguments.join(" "),
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        ),
        Err(e) => println!("`{program}` cannot be run: {e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the stand-in handed these words on, to a program that says them.
    fn hands_on(words: &str) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("stand-in");
        fs::write(&file, stand_in("echo", &["nginx", "other"])).unwrap();
        let output = Process::new("sh").arg(&file).args(words.split(' ')).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.is_empty() || said.trim_end() == words, "{said}");
        !said.is_empty()
    }

    #[test]
    fn services_of_packages_are_not_started_and_others_are() {
        for words in
            ["nginx start", "--quiet nginx status", "start nginx.service", "restart a.service other.service"]
        {
            assert!(!hands_on(words), "{words}");
        }
        for words in ["cron start", "start nginx-debug.service", "mynginx start"] {
            assert!(hands_on(words), "{words}");
        }
    }

    #[test]
    fn what_starts_services_is_found_by_its_name() {
        let folder = stand_ins(&["nginx"]).unwrap();
        for starter in STARTERS {
            let file = folder.path().join(starter);
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o755);
            let output = Process::new("sh").arg(&file).args(["nginx", "start"]).output().unwrap();
            assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
        }
    }
}
