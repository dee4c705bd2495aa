//! The guest's kernel: the one that Debian's `linux-image-amd64` stands for,
//! fetched by apt and unpacked below `target/guest`, never installed. It is
//! fetched again only when Debian has a newer one. Or that of a package that is given, such as an older one's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use rustix::process::geteuid;

use super::share::scratch;
use crate::error::Error;

/// The package that depends on today's kernel.
const LATEST: &str = "linux-image-amd64";

/// A kernel with its modules, unpacked.
#[derive(Debug)]
pub(super) struct Kernel {
    /// As `uname -r` says it.
    pub(super) release: String,
    /// The folder that has its `boot` and `lib/modules`.
    pub(super) root: PathBuf,
}

impl Kernel {
    /// The file that is booted.
    pub(super) fn image(&self) -> PathBuf {
        self.root.join("boot").join(format!("vmlinuz-{}", self.release))
    }

    /// The folder of its modules.
    pub(super) fn modules(&self) -> PathBuf {
        self.root.join("lib/modules").join(&self.release)
    }
}

/// A package with its version.
#[derive(Debug, PartialEq, Eq)]
struct Package {
    name: String,
    version: String,
}

/// Finds the kernel in the folder, or fetches it into it.
pub(super) fn ensure(folder: &Path) -> Result<Kernel, Error> {
    match attempt(folder) {
        // Lists of packages that are missing or old name none, or one that the
        // archive no longer has.
        Err(first) if geteuid().is_root() => {
            eprintln!("guest: {first}; updating the lists of packages");
            output(Process::new("apt-get").arg("update"))?;
            attempt(folder)
        }
        other => other,
    }
}

fn attempt(folder: &Path) -> Result<Kernel, Error> {
    let text = output(Process::new("apt-cache").args(["show", "--no-all-versions", LATEST]))?;
    let package = dependency(&text).ok_or_else(|| {
        Error::Guest(format!(
            "apt knows no package {LATEST}: the guest needs Debian for amd64; run `apt-get update` as root"
        ))
    })?;
    let release = package.name.trim_start_matches("linux-image-").to_owned();
    let root = place(folder, &package);
    if !root.exists() {
        fetch(folder, &package, &release, &root)?;
    }
    Ok(Kernel { release, root })
}

/// Fetches and unpacks it.
fn fetch(folder: &Path, package: &Package, release: &str, root: &Path) -> Result<(), Error> {
    eprintln!("guest: fetching {} {} (about 70 MB)", package.name, package.version);
    let beside = scratch(folder)?;
    let which = format!("{}={}", package.name, package.version);
    // As ourselves: apt's own user may not write in this folder.
    let download = ["-q", "-o", "APT::Sandbox::User=", "download", &which];
    output(Process::new("apt-get").args(download).current_dir(beside.path()))?;
    let archive = the_archive(beside.path())?;
    unpack(&archive, &beside.path().join("root"), release, root)
}

/// The kernel of a package that is here, such as one of an older Debian.
///
/// # Errors
/// If it is no such package.
pub(super) fn unpacked(folder: &Path, archive: &Path) -> Result<Kernel, Error> {
    let text = output(Process::new("dpkg-deb").arg("--field").arg(archive).args(["Package", "Version"]))?;
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
    let package = field("Package: ").zip(field("Version: "));
    let package = package.and_then(|(name, version)| {
        let release = name.strip_prefix("linux-image-")?.trim_end_matches("-unsigned").to_owned();
        release.starts_with(|c: char| c.is_ascii_digit()).then_some((release, Package { name, version }))
    });
    let (release, package) = package.ok_or_else(|| {
        Error::Guest(format!(
            "`{}` has no kernel: give the package linux-image-VERSION-amd64, which linux-image-amd64 depends on",
            archive.display()
        ))
    })?;
    let root = place(folder, &package);
    if !root.exists() {
        let beside = scratch(folder)?;
        unpack(archive, &beside.path().join("root"), &release, &root)?;
    }
    Ok(Kernel { release, root })
}

/// Where the kernel of a package is unpacked.
fn place(folder: &Path, package: &Package) -> PathBuf {
    folder.join(format!("{}_{}", package.name, package.version.replace(':', "%3a")))
}

/// Unpacks beside, so that a folder with the right name is whole.
fn unpack(archive: &Path, beside: &Path, release: &str, root: &Path) -> Result<(), Error> {
    output(Process::new("dpkg").arg("-x").arg(archive).arg(beside))?;
    output(Process::new("depmod").arg("-b").arg(beside).arg(release))?;
    match fs::rename(beside, root) {
        // Another guest was faster.
        Err(_) if root.exists() => Ok(()),
        other => other.map_err(Error::file("make", root)),
    }
}

/// The one package in a folder.
fn the_archive(folder: &Path) -> Result<PathBuf, Error> {
    let entries = fs::read_dir(folder).map_err(Error::file("read", folder))?;
    let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths
        .find(|path| path.extension().is_some_and(|e| e == "deb"))
        .ok_or_else(|| Error::Guest(format!("apt-get download left no package in `{}`", folder.display())))
}

/// The kernel that `apt-cache show` says is depended on.
fn dependency(text: &str) -> Option<Package> {
    let depends = text.lines().find_map(|line| line.strip_prefix("Depends: "))?;
    depends.split(", ").find_map(|one| {
        let (name, version) = one.split_once(" (= ")?;
        let is_kernel = name.starts_with("linux-image-");
        let version = version.strip_suffix(')')?.to_owned();
        is_kernel.then(|| Package { name: name.to_owned(), version })
    })
}

/// Runs a program to its end and returns what it printed.
pub(super) fn output(process: &mut Process) -> Result<String, Error> {
    let name = process.get_program().to_string_lossy().into_owned();
    let done = process
        .env("LC_ALL", "C.UTF-8")
        .env("DEBIAN_FRONTEND", "noninteractive")
        .output()
        .map_err(|e| Error::Guest(format!("`{name}` cannot be run: {e}")))?;
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    let says = String::from_utf8_lossy(&done.stderr);
    let words: Vec<_> = process.get_args().map(|word| word.to_string_lossy()).collect();
    Err(Error::Guest(format!("`{name} {}` failed ({}): {}", words.join(" "), done.status, says.trim())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_is_the_one_that_the_latest_depends_on() {
        let text = "Package: linux-image-amd64\nSource: linux-signed-amd64 (6.1.192+2)\nVersion: 6.1.192-2\n\
                    Depends: linux-image-6.1.0-56-amd64 (= 6.1.192-2)\nSection: kernel\n";
        let expected =
            Package { name: "linux-image-6.1.0-56-amd64".to_owned(), version: "6.1.192-2".to_owned() };
        assert_eq!(dependency(text), Some(expected));
        let text = "Depends: linux-base (>= 4.3), linux-image-6.12.9-amd64 (= 6.12.9-1), other (= 2)\n";
        assert_eq!(dependency(text).unwrap().name, "linux-image-6.12.9-amd64");
        assert_eq!(dependency("Depends: other (= 2)\n"), None);
        assert_eq!(dependency(""), None);
    }

    #[test]
    fn a_package_that_is_given_has_a_kernel_or_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let packed = |name: &str| {
            let tree = place.path().join(name);
            fs::create_dir_all(tree.join("DEBIAN")).unwrap();
            fs::create_dir_all(tree.join("lib/modules/5.10.0-9-amd64")).unwrap();
            let control = format!(
                "Package: {name}\nVersion: 1:5.10-1\nArchitecture: all\nMaintainer: A <a@example.org>\nDescription: x\n"
            );
            fs::write(tree.join("DEBIAN/control"), control).unwrap();
            let file = place.path().join(format!("{name}.deb"));
            output(Process::new("dpkg-deb").arg("--build").arg(&tree).arg(&file)).unwrap();
            file
        };
        let folder = place.path().join("guest");
        fs::create_dir(&folder).unwrap();
        let kernel = unpacked(&folder, &packed("linux-image-5.10.0-9-amd64")).unwrap();
        assert_eq!(kernel.release, "5.10.0-9-amd64");
        assert!(kernel.modules().join("modules.dep").is_file(), "depmod ran");
        assert!(kernel.root.ends_with("linux-image-5.10.0-9-amd64_1%3a5.10-1"));
        // It is there, and not unpacked again.
        unpacked(&folder, &place.path().join("linux-image-5.10.0-9-amd64.deb")).unwrap();
        let error = unpacked(&folder, &packed("linux-image-amd64")).unwrap_err().to_string();
        assert!(error.contains("which linux-image-amd64 depends on"), "{error}");
        assert!(unpacked(&folder, &place.path().join("none.deb")).is_err());
    }

    #[test]
    fn a_program_that_fails_is_quoted() {
        let error = output(Process::new("sh").args(["-c", "echo no space >&2; exit 3"])).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("no space") && text.contains("exit status: 3"), "{text}");
        let error = output(&mut Process::new("/no/such/program")).unwrap_err();
        assert!(error.to_string().contains("cannot be run"), "{error}");
        assert_eq!(output(Process::new("echo").arg("yes")).unwrap(), "yes\n");
    }
}
