//! The programs that tests and benchmarks compare Headroom with. For tests,
//! missing ones are installed where that is possible without asking (Debian, as
//! root), and otherwise named with the command that installs them. sudo is never
//! used.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use rustix::fs::{Access, access};
use rustix::process::geteuid;

use super::{Outcome, passed_through};

/// A program of a Debian package.
#[derive(Debug)]
struct Tool {
    package: &'static str,
    binary: &'static str,
    /// Makes it say who it is.
    argument: &'static str,
    /// How its answer begins. A name alone proves little: `fio` is also
    /// Python's Fiona.
    answer: &'static str,
}

/// Every tool that some test or benchmark needs.
const TOOLS: &[Tool] = &[
    Tool { package: "fio", binary: "fio", argument: "--version", answer: "fio-" },
    Tool { package: "sysbench", binary: "sysbench", argument: "--version", answer: "sysbench " },
    Tool { package: "mbw", binary: "mbw", argument: "-h", answer: "Usage: mbw" },
    Tool { package: "gcc", binary: "gcc", argument: "--version", answer: "gcc " },
    Tool { package: "lshw", binary: "lshw", argument: "-version", answer: "" },
    Tool { package: "util-linux", binary: "taskset", argument: "--version", answer: "taskset " },
];

/// Why a tool cannot be used.
#[derive(Debug, PartialEq, Eq)]
enum Lack {
    Missing,
    /// Another program has its name.
    Other {
        path: PathBuf,
        says: String,
    },
}

/// Sees to it that the tools are there.
pub(super) fn ensure() -> Outcome {
    let mut lacking = lacking();
    if !lacking.is_empty() {
        tell(&lacking);
        if can_install() {
            install(&lacking);
            lacking = self::lacking();
            tell(&lacking);
        }
    }
    if lacking.is_empty() {
        return Outcome::Passed;
    }
    let names: Vec<_> = lacking.iter().map(|(tool, _)| tool.binary).collect();
    Outcome::Skipped(format!("tests that need {} were skipped: {}", names.join(", "), advice(&lacking)))
}

/// Whether the tools with these names are there; the error says what to do.
pub(crate) fn require(binaries: &[&str]) -> Result<(), String> {
    let mut lacking = lacking();
    lacking.retain(|(tool, _)| binaries.contains(&tool.binary));
    if lacking.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = lacking.iter().map(|(tool, _)| tool.binary).collect();
    Err(format!("{} cannot be found: {}", names.join(", "), advice(&lacking)))
}

/// Whether [`require`] can look for this tool.
#[cfg(test)]
pub(crate) fn is_known(binary: &str) -> bool {
    TOOLS.iter().any(|tool| tool.binary == binary)
}

fn lacking() -> Vec<(&'static Tool, Lack)> {
    let path = env::var_os("PATH").unwrap_or_default();
    TOOLS.iter().filter_map(|tool| Some((tool, lack(tool, &path)?))).collect()
}

fn tell(lacking: &[(&Tool, Lack)]) {
    for (tool, lack) in lacking {
        match lack {
            Lack::Missing => println!("{} is missing", tool.binary),
            Lack::Other { path, says } => println!(
                "`{}` is not the {} of the package {}: it says `{says}`",
                path.display(),
                tool.binary,
                tool.package
            ),
        }
    }
}

/// What to do about what lacks.
fn advice(lacking: &[(&Tool, Lack)]) -> String {
    let (missing, others): (Vec<_>, Vec<_>) = lacking.iter().partition(|(_, lack)| *lack == Lack::Missing);
    let mut steps = Vec::new();
    if !missing.is_empty() {
        let packages: Vec<_> = missing.iter().map(|(tool, _)| tool.package).collect();
        steps.push(format!("run `apt-get install --no-install-recommends {}` as root", packages.join(" ")));
    }
    for (tool, _) in others {
        steps.push(format!("let PATH find the {} of the package {} first", tool.binary, tool.package));
    }
    steps.join("; ")
}

fn can_install() -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    geteuid().is_root() && find("apt-get", &path).is_some()
}

fn install(lacking: &[(&Tool, Lack)]) {
    let apt = |arguments: &[&str]| {
        passed_through(Process::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    let packages = lacking.iter().map(|(tool, _)| tool.package);
    let install: Vec<_> = ["install", "-y", "--no-install-recommends"].into_iter().chain(packages).collect();
    // Old lists may still do, so a failed update does not end it.
    for arguments in [&["update"], install.as_slice()] {
        if let Outcome::Failed(why) = apt(arguments) {
            println!("{why}");
        }
    }
}

/// Why this tool cannot be used; none if it can.
fn lack(tool: &Tool, path: &OsStr) -> Option<Lack> {
    let Some(program) = find(tool.binary, path) else {
        return Some(Lack::Missing);
    };
    let answer = Process::new(&program).arg(tool.argument).stdin(Stdio::null()).output();
    let texts = match answer {
        Ok(output) => {
            [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        }
        Err(e) => [e.to_string(), String::new()],
    };
    judge(tool, &texts).map(|says| Lack::Other { path: program, says })
}

/// What another program said in the tool's place; none if it is the tool.
fn judge(tool: &Tool, texts: &[String]) -> Option<String> {
    if texts.iter().any(|text| text.starts_with(tool.answer)) {
        return None;
    }
    Some(texts.iter().flat_map(|text| text.lines()).next().unwrap_or_default().to_owned())
}

/// The first program of this name in a search path.
pub(super) fn find(name: &str, path: &OsStr) -> Option<PathBuf> {
    env::split_paths(path).map(|folder| folder.join(name)).find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn judged(binary: &str, stdout: &str, stderr: &str) -> Option<String> {
        let tool = TOOLS.iter().find(|tool| tool.binary == binary).unwrap();
        judge(tool, &[stdout.to_owned(), stderr.to_owned()])
    }

    #[test]
    fn a_tool_is_known_by_what_it_says() {
        assert_eq!(judged("fio", "fio-3.33\n", ""), None);
        assert_eq!(judged("sysbench", "sysbench 1.0.20\n", ""), None);
        assert_eq!(judged("mbw", "Usage: mbw [options] array_size_in_MiB\n", ""), None);
        assert_eq!(judged("mbw", "", "Usage: mbw [options] array_size_in_MiB\n"), None);
        assert_eq!(judged("gcc", "gcc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright\n", ""), None);
    }

    #[test]
    fn fiona_is_not_fio() {
        assert_eq!(judged("fio", "1.9.6\n", ""), Some("1.9.6".to_owned()));
        assert_eq!(judged("fio", "fio, version 1.9.6\n", ""), Some("fio, version 1.9.6".to_owned()));
        assert_eq!(judged("fio", "", "broken\n"), Some("broken".to_owned()));
        assert_eq!(judged("fio", "", ""), Some(String::new()));
    }

    #[test]
    fn the_first_that_can_be_run_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second, third] = ["a", "b", "c"].map(|name| folder.path().join(name));
        for (folder, mode) in [(&first, 0o644), (&second, 0o755), (&third, 0o755)] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("fio"), "").unwrap();
            fs::set_permissions(folder.join("fio"), Permissions::from_mode(mode)).unwrap();
        }
        fs::create_dir(first.join("gcc")).unwrap();
        let path = env::join_paths([&first, &second, &third]).unwrap();
        assert_eq!(find("fio", &path), Some(second.join("fio")));
        assert_eq!(find("gcc", &path), None);
        assert_eq!(find("mbw", &path), None);
    }

    #[test]
    fn what_lacks_is_named_with_what_to_do() {
        let other = Lack::Other { path: "/usr/local/bin/fio".into(), says: "1.9.6".to_owned() };
        let lacking = [(&TOOLS[0], other), (&TOOLS[2], Lack::Missing), (&TOOLS[3], Lack::Missing)];
        assert_eq!(
            advice(&lacking),
            "run `apt-get install --no-install-recommends mbw gcc` as root; let PATH find the fio of the package fio first"
        );
        assert_eq!(lack(&TOOLS[0], OsStr::new("/no/such/folder")), Some(Lack::Missing));
    }
}
