//! The program of one architecture: static, so that it runs on any distribution however old; without its debug
//! data, which lie in a file apart; and the same bytes from whatever folder it was built in.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use super::architecture::Architecture;
use super::command::run;
use super::elf;
use crate::error::Error;
use crate::{cargo, dist};

/// How large the program may be.
pub(super) const BYTES_MAX: u64 = 25_000_000;

/// A program that was built.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) architecture: &'static Architecture,
    /// The program.
    pub(super) path: PathBuf,
    /// Its debug data.
    pub(super) debug: PathBuf,
}

/// A folder of this machine, and what it is called in the program instead.
pub(super) struct Renamed {
    folder: String,
    name: String,
}

/// Builds the program into a folder that exists; what cargo makes goes into the folder `target`.
///
/// # Errors
/// If it cannot be built, or is not static.
pub(super) fn build(
    root: &Path,
    architecture: &'static Architecture,
    epoch: u64,
    target: &Path,
    folder: &Path,
) -> Result<Program, Error> {
    let target_text = text(target)?;
    let words = [
        "build",
        "--locked",
        "--profile",
        "dist",
        "--package",
        "cli",
        "--bin",
        "headroom",
        "--target",
        architecture.triple,
        "--target-dir",
        &target_text,
    ];
    // A later one goes before an earlier one, and the target folder may lie in the root.
    let mut renamed = vec![
        Renamed { folder: text(&cargo_home()?)?, name: "/cargo".to_owned() },
        Renamed { folder: text(root)?, name: "/headroom".to_owned() },
        Renamed { folder: target_text.clone(), name: "/target".to_owned() },
    ];
    renamed.extend(standard_source(&architecture.compiler().unwrap_or_else(|| "rustc".into()))?);
    let mut variables = variables(architecture, epoch, &renamed);
    // `headroom --version --verbose` tells it.
    variables.extend(dist::commit(root).map(|commit| ("HEADROOM_COMMIT".to_owned(), OsString::from(commit))));
    if let Some((name, rustc)) = architecture.rustc_variable() {
        println!("{}: by {}, which has the standard library", architecture.name, rustc.display());
        variables.push((name, rustc));
    }
    let built = cargo::build_with(root, &words, &variables)?;
    let program =
        Program { architecture, path: folder.join("headroom"), debug: folder.join("headroom.debug") };
    let from = cargo::headroom(&built)?;
    dist::set_debug_data_apart(&architecture.tool("objcopy"), from, &program.path, &program.debug)?;
    let bytes = fs::read(&program.path).map_err(Error::file("read", &program.path))?;
    println!("{}: {}", architecture.name, examined(&bytes, architecture)?);
    Ok(program)
}

/// The source of the standard library, which rustc names in the program as it lies here if it is here (`rust-src`), and else as
/// it lay where Rust was built.
fn standard_source(rustc: &OsStr) -> Result<Option<Renamed>, Error> {
    let told = run(Process::new(rustc).arg("-vV"))?;
    let Some(commit) = told.lines().find_map(|line| line.strip_prefix("commit-hash: ")) else {
        return Ok(None);
    };
    let sysroot = run(Process::new(rustc).args(["--print", "sysroot"]))?;
    let folder = text(&Path::new(sysroot.trim()).join("lib/rustlib/src/rust"))?;
    Ok(Some(Renamed { folder, name: format!("/rustc/{commit}") }))
}

/// What a program is; an error if it is not what is released.
fn examined(bytes: &[u8], architecture: &Architecture) -> Result<String, Error> {
    let wrong = |what: String| Error::Release(format!("the program for {}: {what}", architecture.name));
    let head = elf::head(bytes).ok_or_else(|| wrong("it is no program of 64 bits".to_owned()))?;
    if head.machine != architecture.machine {
        return Err(wrong(format!("it is for another processor (machine {} of elf.h)", head.machine)));
    }
    if head.has_interpreter {
        return Err(wrong("it needs shared libraries, though it was to be static".to_owned()));
    }
    let kind = if head.is_position_independent { "static-pie" } else { "static" };
    Ok(format!("{kind}, {:.1} MB", bytes.len() as f64 / 1e6))
}

/// What cargo, rustc and the C compilers are told by their environment. All of it is bound to the target, so that
/// build scripts and macros, which run here, are built as ever.
pub(super) fn variables(
    architecture: &Architecture,
    epoch: u64,
    renamed: &[Renamed],
) -> Vec<(String, OsString)> {
    let mut flags = vec!["-Ctarget-feature=+crt-static".to_owned()];
    if architecture.is_position_independent {
        // A bit, in place of 24 bytes, for each place that depends on where the program lies: 2 MB less.
        flags.push("-Clink-arg=-Wl,-z,pack-relative-relocs".to_owned());
    }
    flags.extend(renamed.iter().map(|r| format!("--remap-path-prefix={}={}", r.folder, r.name)));
    let of_c: Vec<String> =
        renamed.iter().map(|r| format!("-ffile-prefix-map={}={}", r.folder, r.name)).collect();
    let underscored = architecture.triple.replace('-', "_");
    let mut variables = vec![
        // Goes before what RUSTFLAGS and configurations say.
        ("CARGO_ENCODED_RUSTFLAGS".to_owned(), flags.join("\u{1f}")),
        (format!("CFLAGS_{underscored}"), of_c.join(" ")),
        // Not a library that the machine happens to have.
        ("AWS_LC_SYS_USE_SYSTEM".to_owned(), "0".to_owned()),
        ("CARGO_INCREMENTAL".to_owned(), "0".to_owned()),
        ("SOURCE_DATE_EPOCH".to_owned(), epoch.to_string()),
    ];
    if !architecture.is_native() {
        let linker = format!("CARGO_TARGET_{}_LINKER", underscored.to_uppercase());
        variables.push((linker, architecture.tool("gcc")));
        variables.push((format!("CC_{underscored}"), architecture.tool("gcc")));
        variables.push((format!("AR_{underscored}"), architecture.tool("ar")));
    }
    variables.into_iter().map(|(name, value)| (name, value.into())).collect()
}

fn cargo_home() -> Result<PathBuf, Error> {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("CARGO_HOME")
        .or_else(|| Some(variable("HOME")?.join(".cargo")))
        .ok_or_else(|| Error::Release("neither CARGO_HOME nor HOME is set".to_owned()))
}

/// A path as flags may have it: those of C compilers are parted at white space.
fn text(path: &Path) -> Result<String, Error> {
    let text = path.to_str().filter(|text| !text.contains(char::is_whitespace) && !text.contains('='));
    text.map(str::to_owned).ok_or_else(|| {
        let path = path.display();
        Error::Release(format!("`{path}` has white space or `=` in it, which flags of compilers cannot have"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::architecture::ALL;
    use crate::release::elf::tests::program;

    #[test]
    fn only_a_static_program_for_the_processor_is_released() {
        let [x86, arm] = ALL else { panic!("tests know two architectures") };
        assert_eq!(examined(&program(x86.machine, &[1]), x86).unwrap(), "static-pie, 0.0 MB");
        for (bytes, architecture, why) in [
            (program(x86.machine, &[1]), arm, "another processor"),
            (program(arm.machine, &[1, 3]), arm, "shared libraries"),
            (b"#!/bin/sh\n".to_vec(), arm, "no program"),
        ] {
            let error = examined(&bytes, architecture).unwrap_err().to_string();
            assert!(error.contains(why) && error.contains(architecture.name), "{error}");
        }
    }

    #[test]
    fn every_compiler_is_told_and_only_another_processor_needs_a_cross_compiler() {
        for architecture in ALL {
            let renamed = [Renamed { folder: "/home/me/headroom".to_owned(), name: "/headroom".to_owned() }];
            let variables = variables(architecture, 7, &renamed);
            let value = |name: &str| {
                variables.iter().find(|(n, _)| n == name).map(|(_, v)| v.to_string_lossy().into_owned())
            };
            let flags = value("CARGO_ENCODED_RUSTFLAGS").unwrap();
            let flags: Vec<&str> = flags.split('\u{1f}').collect();
            assert_eq!(flags[0], "-Ctarget-feature=+crt-static");
            assert_eq!(flags[flags.len() - 1], "--remap-path-prefix=/home/me/headroom=/headroom");
            assert_eq!(flags.len() == 3, architecture.is_position_independent, "{flags:?}");
            let underscored = architecture.triple.replace('-', "_");
            assert!(
                value(&format!("CFLAGS_{underscored}")).unwrap().contains("=/home/me/headroom=/headroom")
            );
            assert_eq!(value("SOURCE_DATE_EPOCH").unwrap(), "7");
            let linker = value(&format!("CARGO_TARGET_{}_LINKER", underscored.to_uppercase()));
            assert_eq!(linker.is_none(), architecture.is_native(), "{linker:?}");
        }
    }

    #[test]
    fn the_source_of_the_standard_library_has_the_name_that_it_has_for_everybody() {
        let rustc = ALL.iter().find(|one| one.is_native()).and_then(Architecture::compiler).unwrap();
        let told = run(Process::new(&rustc).arg("-vV")).unwrap();
        let Some(renamed) = standard_source(&rustc).unwrap() else { panic!("{told}") };
        let commit = renamed.name.strip_prefix("/rustc/").unwrap();
        assert!(commit.len() == 40 && told.contains(commit), "{told}");
        assert!(Path::new(&renamed.folder).is_absolute(), "{}", renamed.folder);
    }

    #[test]
    fn a_path_that_flags_cannot_have_is_refused() {
        assert_eq!(text(Path::new("/a/b")).unwrap(), "/a/b");
        for path in ["/a b", "/a=b"] {
            assert!(text(Path::new(path)).unwrap_err().to_string().contains(path));
        }
    }
}
