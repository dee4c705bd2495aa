//! `cross-test`: runs unit tests that need no kernel of the other processor on it, emulated by QEMU (`qemu-user-static`),
//! as static as a release: what computes, reads and writes there does the same as here, and the instructions that only it
//! has give the right results. With `--from` the programs of a release are asked the same instead. How fast anything is
//! there, an emulator does not tell.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::architecture::{self, Architecture};
use super::{program, same_answers};
use crate::error::Error;
use crate::{Task, cargo_program, tools};

/// The task.
pub(crate) const TASK: Task = Task {
    name: "cross-test",
    about: "Run unit tests for the other processor, emulated by QEMU",
    arguments,
    run,
};

/// Tests of a package.
struct Tested {
    package: &'static str,
    /// What `cargo test` is told beside the package.
    words: &'static [&'static str],
}

/// All unit tests of a package.
const fn units(package: &'static str) -> Tested {
    Tested { package, words: &["--lib"] }
}

/// What is tested: what knows no machine, readers of recorded machines, and loads that compute.
const TESTED: &[Tested] = &[
    units("model"),
    units("stats"),
    units("language"),
    units("import"),
    units("analysis"),
    units("chart"),
    units("trace"),
    units("store"),
    units("report"),
    Tested { package: "machine", words: &["--test", "hosts", "--test", "garbled"] },
    Tested {
        package: "machine",
        words: &[
            "--lib",
            "--",
            "limit::",
            "host::",
            "inventory::cpu",
            "inventory::memory",
            "inventory::sensor",
        ],
    },
    Tested { package: "load", words: &["--lib", "--", "workload::cpu::", "workload::memory::"] },
];

/// The emulator of an architecture, as Debian installs it and as others do.
fn emulator(architecture: &Architecture) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let names = [format!("qemu-{}-static", architecture.name), format!("qemu-{}", architecture.name)];
    names.iter().find_map(|name| tools::find(name, &path))
}

fn arguments(command: Command) -> Command {
    let mut packages: Vec<&'static str> = TESTED.iter().map(|tested| tested.package).collect();
    packages.dedup();
    command
        .arg(
            Arg::new("package")
                .long("package")
                .value_name("NAME")
                .action(ArgAction::Append)
                .value_parser(PossibleValuesParser::new(packages))
                .help("Only the tests of this one; again for another [default: all]"),
        )
        .arg(Arg::new("from").long("from").value_name("DIR").conflicts_with("package").help(
            "In place of tests, ask the programs of the release in this folder: all must answer the same",
        ))
}

fn run(root: &Path, arguments: &ArgMatches) -> Result<(), Error> {
    let named: Vec<&String> = arguments.get_many("package").map(Iterator::collect).unwrap_or_default();
    let is_meant =
        |tested: &&Tested| named.is_empty() || named.iter().any(|name| name.as_str() == tested.package);
    let mut failed = Vec::new();
    let dist = arguments.get_one::<String>("from").map(|from| root.join(from));
    for (architecture, emulator) in emulated(dist.is_none())? {
        if let Some(dist) = &dist {
            failed.extend(same_answers::differences(root, dist, architecture, &emulator)?);
            continue;
        }
        for tested in TESTED.iter().filter(is_meant) {
            let what = format!("{}: {} {}", architecture.name, tested.package, tested.words.join(" "));
            println!("==> {what}");
            let status = cargo(root, architecture, &emulator, tested)
                .status()
                .map_err(|e| Error::Build(format!("cargo cannot be run: {e}")))?;
            if !status.success() {
                failed.push(what);
            }
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(Error::Release(format!("failed under QEMU:\n  {}", failed.join("\n  "))))
}

/// The architectures that are not this machine's, with their emulators; fails with all that is missing at once, of which
/// compilers are only where something `is_built`.
fn emulated(is_built: bool) -> Result<Vec<(&'static Architecture, PathBuf)>, Error> {
    let mut missing = Vec::new();
    let mut found = Vec::new();
    for architecture in architecture::ALL.iter().filter(|one| !one.is_native()) {
        if is_built {
            missing.extend(architecture.missing());
        }
        match emulator(architecture) {
            Some(emulator) => found.push((architecture, emulator)),
            None => missing.push(format!(
                "{0}: `qemu-{0}-static` cannot be found: as root `apt-get install --no-install-recommends \
                 qemu-user-static`",
                architecture.name
            )),
        }
    }
    if missing.is_empty() {
        return Ok(found);
    }
    Err(Error::Release(format!("something is missing:\n  {}", missing.join("\n  "))))
}

/// What builds and runs the tests.
fn cargo(root: &Path, architecture: &Architecture, emulator: &Path, tested: &Tested) -> Process {
    let runner = format!("CARGO_TARGET_{}_RUNNER", architecture.triple.replace('-', "_").to_uppercase());
    let mut cargo = Process::new(cargo_program());
    cargo
        .args(["test", "--locked", "--no-fail-fast", "--target", architecture.triple, "--package"])
        .arg(tested.package)
        .args(tested.words)
        .envs(program::variables(architecture, 0, &[]))
        .envs(architecture.rustc_variable())
        .env(runner, emulator)
        .current_dir(root)
        .stdin(Stdio::null());
    cargo
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_static_and_run_by_the_emulator() {
        let other = architecture::ALL.iter().find(|one| !one.is_native()).unwrap();
        let cargo = cargo(Path::new("/"), other, Path::new("/usr/bin/emulator"), &units("stats"));
        let value = |name: &str| {
            cargo.get_envs().find(|(key, _)| *key == name).and_then(|(_, value)| value).unwrap().to_owned()
        };
        let triple = other.triple.replace('-', "_").to_uppercase();
        assert_eq!(value(&format!("CARGO_TARGET_{triple}_RUNNER")), "/usr/bin/emulator");
        assert!(
            value("CARGO_ENCODED_RUSTFLAGS").to_string_lossy().starts_with("-Ctarget-feature=+crt-static")
        );
        let words: Vec<_> = cargo.get_args().map(|word| word.to_string_lossy()).collect();
        assert!(words.join(" ").ends_with("--package stats --lib"), "{words:?}");
    }

    #[test]
    fn programs_of_a_release_need_no_compiler() {
        let missing = emulated(false).map_or_else(|error| error.to_string(), |_| String::new());
        assert!(!missing.contains("gcc") && !missing.contains("rustc"), "{missing}");
    }

    #[test]
    fn every_package_is_one_of_the_workspace() {
        for tested in TESTED {
            let folder = crate::root().join("crates").join(tested.package);
            assert!(folder.join("Cargo.toml").is_file(), "{}", tested.package);
            for test in tested.words.windows(2).filter(|pair| pair[0] == "--test") {
                assert!(folder.join("tests").join(format!("{}.rs", test[1])).is_file(), "{}", test[1]);
            }
        }
    }
}
