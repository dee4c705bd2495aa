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

use crate::outcome::Outcome;
use crate::packages;

/// What a Debian package gives to tests.
#[derive(Debug)]
struct Tool {
    package: &'static str,
    /// What it is called in messages, and in PATH where it is a program.
    name: &'static str,
    proof: Proof,
    /// The service that Debian starts as soon as the package is installed. Tests start their own.
    service: Option<&'static str>,
}

impl Tool {
    /// The same tool, whose package has this service.
    const fn serving(self, service: &'static str) -> Self {
        Self { service: Some(service), ..self }
    }
}

/// How it is known that a tool is there.
#[derive(Debug)]
enum Proof {
    /// A program that says who it is.
    Program {
        argument: &'static str,
        /// How its answer begins. A name alone proves little: `fio` is also
        /// Python's Fiona.
        answer: &'static str,
    },
    /// A font that fontconfig finds for this language.
    Font { language: &'static str },
}

/// A program as a line of the table.
const fn program(
    package: &'static str,
    name: &'static str,
    argument: &'static str,
    answer: &'static str,
) -> Tool {
    Tool { package, name, proof: Proof::Program { argument, answer }, service: None }
}

/// A font as a line of the table.
const fn font(package: &'static str, name: &'static str, language: &'static str) -> Tool {
    Tool { package, name, proof: Proof::Font { language }, service: None }
}

/// Every tool that some test or benchmark needs.
const TOOLS: &[Tool] = &[
    program("g++", "g++", "--version", "g++ "),
    program("fio", "fio", "--version", "fio-"),
    program("sysbench", "sysbench", "--version", "sysbench "),
    program("mbw", "mbw", "-h", "Usage: mbw"),
    program("hdparm", "hdparm", "-V", "hdparm v"),
    program("iperf3", "iperf3", "--version", "iperf 3."),
    program("iperf", "iperf", "--version", "iperf version 2"),
    // Without an argument it would listen; it has none that tells its version.
    program("netpipe-tcp", "NPtcp", "-h", ""),
    program("nuttcp", "nuttcp", "-V", "nuttcp-"),
    program("iproute2", "ip", "-V", "ip utility"),
    program("ethtool", "ethtool", "--version", "ethtool version "),
    program("nftables", "nft", "--version", "nftables v"),
    program("openssl", "openssl", "version", "OpenSSL "),
    program("gcc", "gcc", "--version", "gcc "),
    program("binutils", "objcopy", "--version", "GNU objcopy "),
    program("lshw", "lshw", "-version", ""),
    program("util-linux", "taskset", "--version", "taskset "),
    program("util-linux", "unshare", "--version", "unshare "),
    program("mount", "losetup", "--version", "losetup from util-linux"),
    program("fdisk", "sfdisk", "--version", "sfdisk from util-linux"),
    program("e2fsprogs", "mkfs.ext4", "-V", "mke2fs "),
    program("xfsprogs", "mkfs.xfs", "-V", "mkfs.xfs version "),
    program("btrfs-progs", "mkfs.btrfs", "--version", "mkfs.btrfs, part of btrfs-progs"),
    program("dosfstools", "mkfs.vfat", "--help", "mkfs.fat "),
    program("cryptsetup-bin", "cryptsetup", "--version", "cryptsetup "),
    program("cryptsetup-bin", "integritysetup", "--version", "integritysetup "),
    program("lvm2", "pvcreate", "--version", "  LVM version:"),
    program("open-iscsi", "iscsiadm", "--version", "iscsiadm version ").serving("open-iscsi"),
    program("open-iscsi", "iscsid", "--version", "iscsid version ").serving("iscsid"),
    program("python3-minimal", "python3", "--version", "Python 3"),
    program("chromium", "chromium", "--version", "Chromium "),
    program("fontconfig", "fc-list", "--version", "fontconfig "),
    program("qemu-system-x86", "qemu-system-x86_64", "--version", "QEMU emulator "),
    program("busybox-static", "busybox", "--help", "BusyBox "),
    program("cpio", "cpio", "--version", "cpio (GNU cpio) "),
    program("kmod", "depmod", "--version", "kmod version "),
    // It says with its path who it is.
    program("mariadb-server", "mariadbd", "--version", "").serving("mariadb"),
    program("mdadm", "mdadm", "--version", "mdadm - v"),
    // It says no version; how it is used it tells.
    // With btt. It calls itself by its whole path; without a trace to read it tells how it is used.
    program("blktrace", "blkparse", "-h", "Usage: "),
    program("sqlite3", "sqlite3", "--version", "3."),
    program("postgresql", "psql", "--version", "psql (PostgreSQL) ").serving("postgresql"),
    program("dpkg", "dpkg-deb", "--version", "Debian 'dpkg-deb' "),
    program("rpm", "rpmbuild", "--version", "RPM version "),
    program("fish", "fish", "--version", "fish, version "),
    program("shellcheck", "shellcheck", "--version", "ShellCheck "),
    font("fonts-nanum", "a Korean font", "ko"),
    font("fonts-ipafont-gothic", "a Japanese font", "ja"),
];

/// Servers and clients of HTTP. A benchmark that lacks one of them is left out, and the others are run.
const HTTP_TOOLS: &[Tool] = &[
    program("nginx-light", "nginx", "-v", "nginx version: nginx/").serving("nginx"),
    program("wrk", "wrk", "-v", "wrk "),
    program("curl", "curl", "--version", "curl "),
    program("wget", "wget", "--version", "GNU Wget "),
    program("aria2", "aria2c", "--version", "aria2 version "),
];

/// Tracers of block devices. As with those of HTTP, a benchmark that lacks one of them is left out.
const TRACE_TOOLS: &[Tool] = &[
    // It has no word for its version, and says so before its help. A blank line comes first.
    program("trace-cmd", "trace-cmd", "--version", "\ntrace-cmd version "),
];

/// Every table.
const TABLES: [&[Tool]; 3] = [TOOLS, HTTP_TOOLS, TRACE_TOOLS];

/// The tables whose tools nothing but tests and benchmarks of their own need.
const OPTIONAL_TABLES: [&[Tool]; 2] = [HTTP_TOOLS, TRACE_TOOLS];

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
pub(crate) fn ensure() -> Outcome {
    let all = || -> Vec<_> { TABLES.into_iter().flat_map(|table| lacking(table, |_| true)).collect() };
    let mut lacking = all();
    if !lacking.is_empty() {
        tell(&lacking);
        if can_install() {
            install(&lacking);
            lacking = all();
            tell(&lacking);
        }
    }
    if lacking.is_empty() {
        return Outcome::Passed;
    }
    let names: Vec<_> = lacking.iter().map(|(tool, _)| tool.name).collect();
    Outcome::Skipped(format!("tests that need {} were skipped: {}", names.join(", "), advice(&lacking)))
}

/// Whether the tools with these names are there; the error says what to do.
///
/// # Errors
/// What is missing, and how to get it.
pub fn require(names: &[&str]) -> Result<(), String> {
    let lacking = lacking(TOOLS, |tool| names.contains(&tool.name));
    if lacking.is_empty() {
        return Ok(());
    }
    let missing: Vec<_> = lacking.iter().map(|(tool, _)| tool.name).collect();
    Err(format!("{} cannot be found: {}", missing.join(", "), advice(&lacking)))
}

/// What is not installed of the servers and clients of HTTP and the tracers with these names, and how
/// to get it.
#[must_use]
pub fn missing(names: &[&str]) -> Option<String> {
    let of = |table| lacking(table, |tool| names.contains(&tool.name));
    not_installed(&OPTIONAL_TABLES.into_iter().flat_map(of).collect::<Vec<_>>())
}

fn not_installed(lacking: &[(&Tool, Lack)]) -> Option<String> {
    let names: Vec<_> = lacking.iter().map(|(tool, _)| tool.name).collect();
    let are = match names.as_slice() {
        [] => return None,
        [name] => format!("{name} is"),
        [others @ .., last] => format!("{} and {last} are", others.join(", ")),
    };
    Some(format!("{are} not installed: {}", advice(lacking)))
}

/// Whether [`require`] or [`missing`] can look for this tool.
#[must_use]
pub fn is_known(name: &str) -> bool {
    TABLES.into_iter().flatten().any(|tool| tool.name == name)
}

fn lacking(table: &'static [Tool], of: impl Fn(&Tool) -> bool) -> Vec<(&'static Tool, Lack)> {
    let path = env::var_os("PATH").unwrap_or_default();
    table.iter().filter(|tool| of(tool)).filter_map(|tool| Some((tool, lack(tool, &path)?))).collect()
}

fn tell(lacking: &[(&Tool, Lack)]) {
    for (tool, lack) in lacking {
        match lack {
            Lack::Missing => println!("{} is missing", tool.name),
            Lack::Other { path, says } => println!(
                "`{}` is not the {} of the package {}: it says `{says}`",
                path.display(),
                tool.name,
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
        steps.push(format!("let PATH find the {} of the package {} first", tool.name, tool.package));
    }
    steps.join("; ")
}

fn can_install() -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    geteuid().is_root() && find("apt-get", &path).is_some()
}

fn install(lacking: &[(&Tool, Lack)]) {
    let packages: Vec<_> = lacking.iter().map(|(tool, _)| tool.package).collect();
    let services: Vec<_> = lacking.iter().filter_map(|(tool, _)| tool.service).collect();
    packages::install(&packages, &services);
}

/// Why this tool cannot be used; none if it can.
fn lack(tool: &Tool, path: &OsStr) -> Option<Lack> {
    match tool.proof {
        Proof::Program { argument, answer } => {
            let Some(program) = find(tool.name, path) else { return Some(Lack::Missing) };
            let says = judge(answer, &said(&program, argument))?;
            Some(Lack::Other { path: program, says })
        }
        Proof::Font { language } => {
            let fonts = find("fc-list", path).map(|list| said(&list, &format!(":lang={language}")));
            let found = fonts.is_some_and(|[fonts, _]| !fonts.trim().is_empty());
            (!found).then_some(Lack::Missing)
        }
    }
}

/// What a program says, on standard output and standard error.
fn said(program: &Path, argument: &str) -> [String; 2] {
    match Process::new(program).arg(argument).stdin(Stdio::null()).output() {
        Ok(output) => {
            [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        }
        Err(e) => [e.to_string(), String::new()],
    }
}

/// What another program said in the tool's place; none if it is the tool.
fn judge(answer: &str, texts: &[String]) -> Option<String> {
    if texts.iter().any(|text| text.starts_with(answer)) {
        return None;
    }
    Some(texts.iter().flat_map(|text| text.lines()).next().unwrap_or_default().to_owned())
}

/// The first program of this name in a search path.
pub(crate) fn find(name: &str, path: &OsStr) -> Option<PathBuf> {
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

    fn judged(name: &str, stdout: &str, stderr: &str) -> Option<String> {
        let tool = TABLES.into_iter().flatten().find(|tool| tool.name == name).unwrap();
        let Proof::Program { answer, .. } = tool.proof else { panic!("{name} is no program") };
        judge(answer, &[stdout.to_owned(), stderr.to_owned()])
    }

    #[test]
    fn a_font_is_there_where_fontconfig_lists_one() {
        let korean = font("fonts-nanum", "a Korean font", "ko");
        // One that lists something, and one that lists nothing.
        for (stand_in, expected) in [("echo", None), ("true", Some(Lack::Missing))] {
            let folder = tempfile::tempdir().unwrap();
            let program = find(stand_in, &env::var_os("PATH").unwrap()).unwrap();
            std::os::unix::fs::symlink(program, folder.path().join("fc-list")).unwrap();
            assert_eq!(lack(&korean, folder.path().as_os_str()), expected, "{stand_in}");
        }
        assert_eq!(lack(&korean, OsStr::new("/no/such/folder")), Some(Lack::Missing));
    }

    #[test]
    fn a_tool_is_known_by_what_it_says() {
        assert_eq!(judged("fio", "fio-3.33\n", ""), None);
        assert_eq!(judged("sysbench", "sysbench 1.0.20\n", ""), None);
        assert_eq!(judged("mbw", "Usage: mbw [options] array_size_in_MiB\n", ""), None);
        assert_eq!(judged("mbw", "", "Usage: mbw [options] array_size_in_MiB\n"), None);
        assert_eq!(judged("nginx", "", "nginx version: nginx/1.22.1\n"), None);
        assert_eq!(judged("wrk", "wrk debian/4.1.0-3+b2 [epoll] Copyright\n", ""), None);
        assert_eq!(judged("wget", "GNU Wget 1.21.3 built on linux-gnu.\n", ""), None);
        assert_eq!(judged("aria2c", "aria2 version 1.36.0\n", ""), None);
        assert_eq!(judged("trace-cmd", "\ntrace-cmd version 3.1.6 (not-a-git-repo)\n\nusage:\n", ""), None);
        assert_eq!(judged("blkparse", "", "Usage: /usr/bin/blkparse [ -i <file>"), None);
        assert_eq!(judged("curl", "curl 7.88.1 (x86_64-pc-linux-gnu)\n", ""), None);
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
    fn only_tools_of_a_few_benchmarks_are_called_missing() {
        for name in ["nginx", "fio", "trace-cmd"] {
            assert!(is_known(name), "{name}");
        }
        assert_eq!(missing(&["fio", "no such tool"]), None);
        let lacking = |count: usize| -> Vec<(&'static Tool, Lack)> {
            HTTP_TOOLS.iter().take(count).map(|tool| (tool, Lack::Missing)).collect()
        };
        assert_eq!(not_installed(&lacking(0)), None);
        let install = "run `apt-get install --no-install-recommends";
        let expected = format!("nginx is not installed: {install} nginx-light` as root");
        assert_eq!(not_installed(&lacking(1)), Some(expected));
        let expected =
            format!("nginx, wrk and curl are not installed: {install} nginx-light wrk curl` as root");
        assert_eq!(not_installed(&lacking(3)), Some(expected));
    }

    #[test]
    fn what_lacks_is_named_with_what_to_do() {
        let other = Lack::Other { path: "/usr/local/bin/fio".into(), says: "1.9.6".to_owned() };
        let tool = |package: &str| TOOLS.iter().find(|t| t.package == package).unwrap();
        let lacking = [(tool("fio"), other), (tool("mbw"), Lack::Missing), (tool("gcc"), Lack::Missing)];
        assert_eq!(
            advice(&lacking),
            "run `apt-get install --no-install-recommends mbw gcc` as root; let PATH find the fio of the package fio first"
        );
        assert_eq!(lack(&TOOLS[0], OsStr::new("/no/such/folder")), Some(Lack::Missing));
    }
}
