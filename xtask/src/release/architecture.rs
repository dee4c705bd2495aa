//! The processors that are released for, and what this machine needs to build for each.

use std::env;
use std::ffi::{OsStr, OsString};
use std::iter;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use super::command::run;
use crate::error::Error;
use crate::tools;

/// A kind of processor.
#[derive(Debug)]
pub(super) struct Architecture {
    /// As `uname -m` says it, and RPM; it stands in the names of files.
    pub(super) name: &'static str,
    /// As rustc calls it.
    pub(super) triple: &'static str,
    /// As Debian calls it.
    pub(super) debian: &'static str,
    /// As images of containers call it.
    pub(super) image: &'static str,
    /// What the heads of its programs say (`e_machine` of elf.h).
    pub(super) machine: u16,
    /// Whether rustc makes static programs for it that may lie anywhere in memory.
    pub(super) is_position_independent: bool,
    /// What the names of GNU's tools for it begin with where it is not this machine's own.
    prefix: &'static str,
    /// The packages of Debian with these tools and the static C library.
    packages: &'static str,
}

/// Every kind that is released for.
pub(super) const ALL: &[Architecture] = &[
    Architecture {
        name: "x86_64",
        triple: "x86_64-unknown-linux-gnu",
        debian: "amd64",
        image: "amd64",
        machine: 62,
        is_position_independent: true,
        prefix: "x86_64-linux-gnu-",
        packages: "gcc-x86-64-linux-gnu libc6-dev-amd64-cross",
    },
    Architecture {
        name: "aarch64",
        triple: "aarch64-unknown-linux-gnu",
        debian: "arm64",
        image: "arm64",
        machine: 183,
        is_position_independent: false,
        prefix: "aarch64-linux-gnu-",
        packages: "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
    },
];

impl Architecture {
    /// The one with this name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|architecture| architecture.name == name)
    }

    /// Whether it is this machine's.
    pub(super) fn is_native(&self) -> bool {
        self.name == env::consts::ARCH
    }

    /// What one of GNU's tools for it is called.
    pub(super) fn tool(&self, name: &str) -> String {
        if self.is_native() { name.to_owned() } else { format!("{}{name}", self.prefix) }
    }

    /// What is missing to build for it, each with how to get it.
    pub(super) fn missing(&self) -> Vec<String> {
        let path = env::var_os("PATH").unwrap_or_default();
        let packages = if self.is_native() { "gcc libc6-dev binutils" } else { self.packages };
        let get = format!("as root `apt-get install {packages}`, or what your distribution has for it");
        let lacks = |name: &str| tools::find(name, &path).is_none();
        let mut missing: Vec<String> = ["gcc", "objcopy", "ar"]
            .map(|name| self.tool(name))
            .into_iter()
            .filter(|tool| lacks(tool))
            .map(|tool| format!("{}: `{tool}` cannot be found: {get}", self.name))
            .collect();
        if missing.is_empty() && static_library(&self.tool("gcc")).is_none() {
            missing.push(format!("{}: the static C library (libc.a) cannot be found: {get}", self.name));
        }
        if self.compiler().is_none() {
            missing.push(format!(
                "{}: no rustc here has the standard library for {}: `rustup target add {}`; or Debian's rustc and \
                 `libstd-rust-dev:{}` (Debian 12: `rustc-web` and `libstd-rust-web-dev:{}`)",
                self.name, self.triple, self.triple, self.debian, self.debian
            ));
        }
        missing
    }

    /// The first rustc that has the standard library for it: the one that cargo uses, else another that PATH has. A
    /// toolchain of rustup may be without it where Debian's rustc, which is found later, has it.
    pub(super) fn compiler(&self) -> Option<OsString> {
        compilers()
            .into_iter()
            .find(|rustc| standard_library(rustc, self.triple).is_ok_and(|folder| has_library(&folder)))
    }

    /// What tells cargo of that rustc, where it is not cargo's own.
    pub(super) fn rustc_variable(&self) -> Option<(String, OsString)> {
        let rustc = self.compiler().filter(|rustc| rustc.as_os_str() != "rustc")?;
        Some(("RUSTC".to_owned(), rustc))
    }
}

/// The compilers that may be used, cargo's own first. Where RUSTC names one, it is meant.
fn compilers() -> Vec<OsString> {
    if let Some(named) = env::var_os("RUSTC") {
        return vec![named];
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let others = env::split_paths(&path).map(|folder| folder.join("rustc")).filter(|file| file.is_file());
    iter::once(OsString::from("rustc")).chain(others.map(PathBuf::into_os_string)).collect()
}

/// Where the compiler finds the static C library. One that has none gives the bare name back.
fn static_library(compiler: &str) -> Option<PathBuf> {
    let found = run(Process::new(compiler).arg("-print-file-name=libc.a")).ok()?;
    let file = PathBuf::from(found.trim());
    file.is_file().then_some(file)
}

/// The folder in which a rustc looks for the standard library of a target, whether it is there or not.
fn standard_library(rustc: &OsStr, triple: &str) -> Result<PathBuf, Error> {
    let found = run(Process::new(rustc).args(["--print", "target-libdir", "--target", triple]))?;
    Ok(PathBuf::from(found.trim()))
}

fn has_library(folder: &Path) -> bool {
    let Ok(entries) = folder.read_dir() else { return false };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("libstd-") && name.ends_with(".rlib")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_native_tool_has_its_plain_name_and_another_its_prefix() {
        let native = Architecture::named(env::consts::ARCH).expect("tests run where releases are made for");
        assert_eq!(native.tool("gcc"), "gcc");
        let other = ALL.iter().find(|architecture| !architecture.is_native()).unwrap();
        assert!(other.tool("gcc").ends_with("-linux-gnu-gcc"));
        assert!(Architecture::named("mips").is_none());
    }

    #[test]
    fn the_standard_library_is_a_file_in_the_folder_that_rustc_names() {
        let native = Architecture::named(env::consts::ARCH).unwrap();
        let rustc = native.compiler().expect("it compiled this test");
        assert!(has_library(&standard_library(&rustc, native.triple).unwrap()));
        let empty = tempfile::tempdir().unwrap();
        assert!(!has_library(empty.path()));
        assert!(!has_library(&empty.path().join("missing")));
        assert!(standard_library(&rustc, "no-such-target").is_err());
    }

    #[test]
    fn what_is_missing_comes_with_how_to_get_it() {
        let nowhere = Architecture {
            name: "none",
            triple: "no-such-target",
            debian: "none",
            image: "none",
            machine: 0,
            is_position_independent: false,
            prefix: "none-linux-gnu-",
            packages: "gcc-none",
        };
        let missing = nowhere.missing();
        assert_eq!(missing.len(), 4, "{missing:?}");
        assert!(
            missing[0].contains("`none-linux-gnu-gcc`") && missing[0].contains("apt-get install gcc-none")
        );
        assert!(missing[3].contains("rustup target add no-such-target"));
    }
}
