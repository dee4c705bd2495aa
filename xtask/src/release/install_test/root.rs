//! Fresh roots: small systems in folders, in which steps are run apart from this machine. Each step has mounts, processes
//! and networks of its own (unshare(1)), which are gone with its last process, however it ends.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};

use super::image;
use super::steps::{self, Step};
use crate::error::Error;
use crate::release::architecture::Architecture;
use crate::release::command::run;
use crate::release::tree;

/// A kind of root.
pub(super) struct FreshRoot {
    pub(super) name: &'static str,
    origin: Origin,
    pub(super) steps: &'static [Step],
}

/// Of what a root is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// This release of Debian.
    Debian(&'static str),
    /// A shell and plain tools, in one program.
    Busybox,
    /// The image for containers that is tried.
    Image,
}

/// Every kind, the oldest Debian first.
pub(super) const ROOTS: &[FreshRoot] = &[
    FreshRoot { name: "debian-11", origin: Origin::Debian("bullseye"), steps: steps::DEBIAN },
    FreshRoot { name: "debian-12", origin: Origin::Debian("bookworm"), steps: steps::DEBIAN },
    FreshRoot { name: "debian-13", origin: Origin::Debian("trixie"), steps: steps::DEBIAN },
    FreshRoot { name: "busybox", origin: Origin::Busybox, steps: steps::BARE },
    FreshRoot { name: "image", origin: Origin::Image, steps: steps::IMAGE },
];

/// From where roots come.
pub(super) struct Sources<'a> {
    /// Where those that are the same each time are kept.
    pub(super) folder: &'a Path,
    /// Whence Debian is fetched.
    pub(super) mirror: &'a str,
    /// The release.
    pub(super) dist: &'a Path,
    pub(super) architecture: &'a Architecture,
}

/// The longest that one step may take, as timeout(1) takes it.
const STEP_SECONDS_MAX: &str = "180";

/// The shell and tools of the bare root, in one static program.
const BUSYBOX: &str = "/bin/busybox";

/// Mounts what programs expect, becomes the user and runs a command: $1 root, $2 release, $3 user, then the command.
/// Devices are those that give or take bytes and nothing else.
const ENTER: &str = r#"
mount -t proc proc "$1/proc"
mount -t sysfs -o ro sysfs "$1/sys"
mount -t tmpfs -o mode=755 tmpfs "$1/dev"
for name in null zero full random urandom; do
    : >"$1/dev/$name"
    mount --bind "/dev/$name" "$1/dev/$name"
done
mkdir "$1/dev/shm"
mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
mount --bind "$2" "$1/dist"
mount -o remount,bind,ro "$1/dist"
root=$1 user=$3
shift 3
exec chroot --userspec="$user" "$root" "$@"
"#;

impl FreshRoot {
    /// Makes the root in the folder `work`.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(super) fn fresh(&self, sources: &Sources<'_>, work: &Path) -> Result<PathBuf, Error> {
        let root = work.join("root");
        if self.origin == Origin::Image {
            tree::make_folder(&root)?;
            image::unpack(sources, work, &root)?;
        } else {
            let made = self.made(sources)?;
            run(Process::new("cp").args(["--archive", "--reflink=auto", "--"]).arg(made).arg(&root))?;
        }
        for name in ["dev", "dist", "proc", "sys"] {
            tree::make_folder(&root.join(name))?;
        }
        Ok(root)
    }

    /// Whether its steps are scripts, and not single commands.
    pub(super) fn has_shell(&self) -> bool {
        self.origin != Origin::Image
    }

    /// The root as it was made, in a folder where later ones find it again.
    fn made(&self, sources: &Sources<'_>) -> Result<PathBuf, Error> {
        let Sources { folder, mirror, .. } = *sources;
        let place = folder.join(self.name);
        if place.is_dir() {
            return Ok(place);
        }
        // Under its name only when it is whole.
        let begun = tempfile::tempdir_in(folder).map_err(Error::file("make", folder))?;
        let root = begun.path().join("root");
        tree::make_folder(&root)?;
        match self.origin {
            Origin::Debian(suite) => {
                println!("{}: fetched from {mirror}", self.name);
                // What it mounts goes with it.
                let mut fetched = Process::new("unshare");
                fetched.args(["--mount", "debootstrap", "--variant=minbase", suite]).arg(&root).arg(mirror);
                run(&mut fetched)?;
            }
            Origin::Busybox => bare(&root)?,
            Origin::Image => {}
        }
        fs::rename(&root, &place).map_err(Error::file("make", &place))?;
        Ok(place)
    }
}

/// Makes a root with a shell and the plainest tools.
fn bare(root: &Path) -> Result<(), Error> {
    for name in ["bin", "usr", "usr/bin", "etc", "root", "tmp"] {
        tree::make_folder(&root.join(name))?;
    }
    tree::set_mode(&root.join("tmp"), 0o1777)?;
    let busybox = root.join("bin/busybox");
    fs::copy(BUSYBOX, &busybox).map_err(Error::file("write", &busybox))?;
    for tool in run(Process::new(BUSYBOX).arg("--list"))?.lines().filter(|tool| *tool != "busybox") {
        let link = root.join("bin").join(tool);
        symlink("busybox", &link).map_err(Error::file("make", &link))?;
    }
    let users = root.join("etc/passwd");
    let text = "root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n";
    fs::write(&users, text).map_err(Error::file("write", &users))
}

/// What a step is told beside its script.
pub(super) struct Surroundings<'a> {
    /// The root, which it may change.
    pub(super) root: &'a Path,
    /// The folder with the release.
    pub(super) dist: &'a Path,
    /// The package and the archive, by their names in it.
    pub(super) package: &'a str,
    pub(super) archive: &'a str,
    pub(super) has_shell: bool,
}

/// What came of a step.
pub(super) struct Tried {
    pub(super) took: Duration,
    /// The last lines that it printed, if it failed.
    pub(super) failure: Option<String>,
}

/// Runs a step.
///
/// # Errors
/// If it cannot be begun.
pub(super) fn attempt(step: &Step, around: &Surroundings<'_>) -> Result<Tried, Error> {
    let begun = Instant::now();
    let done = entered(step, around)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| Error::Release(format!("`timeout` and `unshare` cannot be run: {e}")))?;
    let failure = (!done.status.success()).then(|| {
        let said = [done.stdout, done.stderr].concat();
        format!("{}\n{}", done.status, last_lines(&String::from_utf8_lossy(&said)))
    });
    Ok(Tried { took: begun.elapsed(), failure })
}

fn entered(step: &Step, around: &Surroundings<'_>) -> Process {
    let mut process = Process::new("timeout");
    process.args(["--kill-after=5", STEP_SECONDS_MAX, "unshare"]);
    process.args(["--mount", "--pid", "--fork", "--kill-child", "--net", "--ipc", "--uts"]);
    process.args(["sh", "-euc", ENTER, "sh"]).arg(around.root).arg(around.dist);
    process.arg(step.user.ids());
    if around.has_shell {
        process.args(["/bin/sh", "-euc", step.script]);
    } else {
        process.args(step.script.split_whitespace());
    }
    process
        .env_clear()
        .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
        .env("HOME", step.user.home())
        .env("LC_ALL", "C")
        .env("DEBIAN_FRONTEND", "noninteractive")
        .env("DEB", format!("/dist/{}", around.package))
        .env("ARCHIVE", format!("/dist/{}", around.archive));
    process
}

/// The end of what was printed.
fn last_lines(text: &str) -> String {
    const LINES: usize = 15;
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::install_test::steps::User;
    use crate::release::tests::is_skipped;

    #[test]
    fn a_step_sees_the_release_and_has_no_network_and_what_it_mounts_is_gone() {
        if is_skipped("busybox") || is_skipped("unshare") {
            return;
        }
        if !rustix::process::geteuid().is_root() {
            assert!(std::env::var_os("CI").is_none(), "CI must run this as root");
            println!("skipped: a root of its own needs root");
            return;
        }
        let place = tempfile::tempdir().unwrap();
        let kind = ROOTS.iter().find(|kind| kind.origin == Origin::Busybox).unwrap();
        let dist = place.path().join("release");
        fs::create_dir(&dist).unwrap();
        fs::write(dist.join("package"), "x").unwrap();
        let architecture = Architecture::named(std::env::consts::ARCH).unwrap();
        let sources = Sources { folder: place.path(), mirror: "", dist: &dist, architecture };
        let work = place.path().join("work");
        fs::create_dir(&work).unwrap();
        let root = kind.fresh(&sources, &work).unwrap();
        let around = |has_shell| Surroundings {
            root: &root,
            dist: &dist,
            package: "package",
            archive: "none",
            has_shell,
        };
        let tried = |user: User, script: &'static str| {
            attempt(&Step { name: "", user, script, is_answer: false }, &around(true)).unwrap().failure
        };
        let script = r#"
test "$(cat "$DEB")" = x
test "$(id -u)" = 0
test "$(wc -l </proc/net/route)" -le 1
if touch /dist/mine 2>/dev/null; then exit 1; fi
echo kept >/tmp/kept
"#;
        assert_eq!(tried(User::Root, script), None);
        assert_eq!(tried(User::Nobody, "test \"$(id -u)\" = 65534\ntest \"$(cat /tmp/kept)\" = kept"), None);
        let failure = tried(User::Root, "echo why >&2\nexit 3").unwrap();
        assert!(failure.contains("exit status: 3") && failure.contains("why"), "{failure}");
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        assert!(!mounts.contains(root.to_str().unwrap()), "{mounts}");
        // Where there is no shell, a step is one command.
        let step = Step { name: "", user: User::Nobody, script: "cat /dist/package", is_answer: false };
        assert_eq!(attempt(&step, &around(false)).unwrap().failure, None);
        // What was changed is not what the next one gets.
        let again = place.path().join("again");
        fs::create_dir(&again).unwrap();
        assert!(!kind.fresh(&sources, &again).unwrap().join("tmp/kept").exists());
    }

    #[test]
    fn only_the_end_of_much_is_told() {
        let text: String = (0..20).map(|n| format!("{n}\n")).collect();
        assert!(last_lines(&text).starts_with("5\n") && last_lines(&text).ends_with("19"));
        assert_eq!(last_lines("one"), "one");
    }
}
