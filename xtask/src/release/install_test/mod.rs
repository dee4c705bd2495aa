//! `install-test`: installs what `release` made on fresh roots, as a newcomer would: by the package, by the script and by
//! hand, as root and as nobody. It uses it, upgrades it, takes it away again, and says how long each step took. Nothing of
//! this machine is changed; the roots lie in the target folder.

mod image;
mod root;
mod steps;

use std::fs;
use std::path::Path;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use rustix::process::geteuid;

use self::root::{FreshRoot, ROOTS, Sources, Surroundings, attempt};
use super::architecture::{self, Architecture};
use crate::error::Error;
use crate::{Task, cargo, tools};

/// The task.
pub(crate) const TASK: Task = Task {
    name: "install-test",
    about: "Install, use, upgrade and remove a release on fresh roots of Debian and on a bare one",
    arguments,
    run,
};

/// The programs of this machine that it needs, each with its package.
const TOOLS: &[(&str, &str)] =
    &[("debootstrap", "debootstrap"), ("busybox", "busybox-static"), ("unshare", "util-linux")];

/// How long it may take from the files to the first answer.
const ANSWER_MOST: Duration = Duration::from_secs(60);

fn arguments(command: Command) -> Command {
    let text = |name: &'static str, value: &'static str| Arg::new(name).long(name).value_name(value);
    command
        .arg(text("from", "DIR").default_value("dist").help("Where the release is"))
        .arg(
            text("root", "NAME")
                .action(ArgAction::Append)
                .value_parser(ROOTS.iter().map(|root| root.name).collect::<Vec<_>>())
                .help("Only on this one; again for another [default: all]"),
        )
        .arg(
            text("mirror", "URL")
                .default_value("http://deb.debian.org/debian")
                .help("From where roots of Debian are fetched, once"),
        )
}

fn run(root: &Path, arguments: &ArgMatches) -> Result<(), Error> {
    let text = |name: &str| arguments.get_one::<String>(name).map_or("", String::as_str);
    let named: Vec<&String> = arguments.get_many("root").map(Iterator::collect).unwrap_or_default();
    let chosen: Vec<&FreshRoot> = ROOTS
        .iter()
        .filter(|kind| named.is_empty() || named.iter().any(|name| name.as_str() == kind.name))
        .collect();
    hold_missing()?;
    let dist = root.join(text("from"));
    let dist = dist.canonicalize().map_err(Error::file("read", &dist))?;
    let native = architecture::ALL.iter().find(|one| one.is_native());
    let native = native.ok_or_else(|| Error::Release("no release is made for this processor".to_owned()))?;
    let (package, archive) = artefacts(&dist, native)?;
    for name in [&package, &archive] {
        let file = dist.join(name);
        let bytes = file.metadata().map_err(Error::file("read", &file))?.len();
        println!("{name}: {:.1} MB", bytes as f64 / 1e6);
    }
    let folder = cargo::target_folder(root)?.join("install-test");
    fs::create_dir_all(&folder).map_err(Error::file("make", &folder))?;
    let sources = Sources { folder: &folder, mirror: text("mirror"), dist: &dist, architecture: native };
    println!("\n{}", row("root", "user", "step", "seconds"));
    let mut failures = 0;
    for kind in chosen {
        let work = tempfile::tempdir_in(&folder).map_err(Error::file("make", &folder))?;
        let root = kind.fresh(&sources, work.path())?;
        let has_shell = kind.has_shell();
        let around =
            Surroundings { root: &root, dist: &dist, package: &package, archive: &archive, has_shell };
        failures += tried(kind, &around)?;
    }
    match failures {
        0 => Ok(()),
        many => Err(Error::Release(format!("{many} steps failed, see above"))),
    }
}

/// Does all steps on a root, and says how many failed.
fn tried(kind: &FreshRoot, around: &Surroundings<'_>) -> Result<usize, Error> {
    let mut failures = 0;
    let mut until = Duration::ZERO;
    for step in kind.steps {
        let tried = attempt(step, around)?;
        until += tried.took;
        println!("{}", row(kind.name, step.user.name(), step.name, &seconds(tried.took)));
        if let Some(failure) = tried.failure {
            failures += 1;
            println!("  failed: {}", failure.replace('\n', "\n    "));
        }
        if step.is_answer {
            println!("{}", row(kind.name, "", "from the files to this answer", &seconds(until)));
            if until > ANSWER_MOST {
                failures += 1;
                println!("  failed: {} s are allowed until the first answer", seconds(ANSWER_MOST));
            }
        }
    }
    Ok(failures)
}

/// A line of the table.
fn row(root: &str, user: &str, step: &str, seconds: &str) -> String {
    format!("{root:<10}  {user:<7} {step:<30} {seconds:>7}")
}

fn seconds(duration: Duration) -> String {
    format!("{:.1}", duration.as_secs_f64())
}

/// Fails with all that is missing at once, before anything is fetched.
fn hold_missing() -> Result<(), Error> {
    if !geteuid().is_root() {
        return Err(Error::Release("fresh roots need root".to_owned()));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let missing: Vec<&str> = TOOLS
        .iter()
        .filter(|(name, _)| tools::find(name, &path).is_none())
        .map(|(_, package)| *package)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages = missing.join(" ");
    Err(Error::Release(format!(
        "programs are missing: run `apt-get install --no-install-recommends {packages}` as root"
    )))
}

/// The package and the archive for a processor in a folder with one release.
fn artefacts(dist: &Path, architecture: &Architecture) -> Result<(String, String), Error> {
    let package = super::artefact(dist, &format!("_{}.deb", architecture.debian))?;
    Ok((package, super::artefact(dist, &format!("-{}-linux.tar.gz", architecture.name))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_artefacts_of_this_processor_are_found_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let [x86, arm] = architecture::ALL else { panic!("tests know two architectures") };
        for name in [
            "headroom_0.1.0-1_amd64.deb",
            "headroom_0.1.0-1_arm64.deb",
            "headroom-0.1.0-x86_64-linux.tar.gz",
            "headroom-0.1.0-x86_64-linux-debug.tar.gz",
            "install.sh",
        ] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let (package, archive) = artefacts(folder.path(), x86).unwrap();
        assert_eq!(package, "headroom_0.1.0-1_amd64.deb");
        assert_eq!(archive, "headroom-0.1.0-x86_64-linux.tar.gz");
        let error = artefacts(folder.path(), arm).unwrap_err().to_string();
        assert!(error.contains("0 files") && error.contains("aarch64"), "{error}");
        fs::write(folder.path().join("headroom_0.2.0-1_amd64.deb"), "").unwrap();
        assert!(artefacts(folder.path(), x86).unwrap_err().to_string().contains("2 files"));
    }
}
