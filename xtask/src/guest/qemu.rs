//! QEMU: boots the guest, shows what its command prints, and sees to its end,
//! be it by power off, after too long a time, or because the user wants one.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::Guest;
use super::kernel::Kernel;
use super::share::Share;
use crate::error::Error;

/// How often it is looked at.
const STEP: Duration = Duration::from_millis(50);

/// How much of the console is quoted if the guest fails.
const CONSOLE_LINES: usize = 30;

/// How long the guest's parts took, each from the end of the one before.
#[derive(Debug)]
pub(super) struct Times {
    /// From QEMU's start to the command's.
    pub(super) up: Duration,
    /// The command.
    pub(super) command: Duration,
    /// From the command's end to QEMU's.
    pub(super) off: Duration,
}

/// Runs the guest to its end.
pub(super) fn run(
    guest: &Guest,
    kernel: &Kernel,
    initramfs: &Path,
    share: &Share,
    interrupted: &AtomicBool,
) -> Result<Times, Error> {
    let (console, errors) = (share.outside().join("console"), share.outside().join("errors"));
    let said = File::create(&errors).map_err(Error::file("make", &errors))?;
    let child = qemu(guest.beside.is_some())
        .args(arguments(guest.memory_mib, kernel, initramfs, &share.inside(), &console))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said)
        // Ctrl-C is for us to act on, not for QEMU beside us.
        .process_group(0)
        .spawn()
        .map_err(|e| Error::Guest(format!("QEMU cannot be run: {e}")))?;
    let (ended, times) = Watch::new(child, share).watch(guest, interrupted)?;
    let why = match ended {
        End::Interrupted => return Err(Error::Interrupted),
        End::Off(_) if share.has_ended() => return Ok(times),
        End::Off(status) if status.success() && share.is_up() => {
            "the guest ended before the command did".to_owned()
        }
        End::Off(status) if status.success() => "the guest ended before the command was run".to_owned(),
        End::Off(status) => format!("QEMU ended: {status}"),
        End::Late => {
            let place = if share.is_up() { "the command had not ended" } else { "the guest was not up" };
            format!("{place} after {} s; `--timeout` gives it more", guest.timeout.as_secs())
        }
    };
    Err(Error::Guest(format!("{why}\n{}", quoted(&errors, &console))))
}

/// How much less than other work a guest beside it counts for the scheduler (nice(1)): with as
/// many to run it has a quarter of a CPU.
const NICENESS_BESIDE: u8 = 5;

/// The program, beside other work or alone.
fn qemu(is_beside: bool) -> Process {
    let program = "qemu-system-x86_64";
    if !is_beside {
        return Process::new(program);
    }
    let mut nice = Process::new("nice");
    nice.args(["-n", &NICENESS_BESIDE.to_string(), program]);
    nice
}

/// The network adapters: on a wire that leads nowhere, and nobody's until their modules are loaded.
/// An empty name of a ROM asks for none, which QEMU may not have.
const ADAPTERS: &[&str] = &["e1000e", "vmxnet3"];

/// QEMU's arguments. Nothing but two CPUs, each a socket and a NUMA node with
/// half of the memory, a console, the adapters and the two folders.
fn arguments(
    memory_mib: u32,
    kernel: &Kernel,
    initramfs: &Path,
    inside: &Path,
    console: &Path,
) -> Vec<OsString> {
    let mut all: Vec<OsString> = Vec::new();
    // KVM is not used: where it is offered inside virtual machines, it may hang.
    let machine = "-accel tcg,thread=multi -cpu max -smp 2,sockets=2 -nodefaults -no-user-config -display none \
                   -no-reboot -kernel";
    all.extend(machine.split_whitespace().map(OsString::from));
    all.push(kernel.image().into());
    // Both nodes together are all of it.
    let memory_mib = memory_mib / 2 * 2;
    all.extend(["-initrd".into(), initramfs.into(), "-m".into(), memory_mib.to_string().into()]);
    for node in 0..2 {
        let memory = format!("memory-backend-ram,id=node{node},size={}M", memory_mib / 2);
        let place = format!("node,nodeid={node},cpus={node},memdev=node{node}");
        all.extend(["-object".into(), memory.into(), "-numa".into(), place.into()]);
    }
    for (number, adapter) in ADAPTERS.iter().enumerate() {
        let end = format!("hubport,id=wire{number},hubid=0");
        let device = format!("{adapter},netdev=wire{number},romfile=");
        all.extend(["-netdev".into(), end.into(), "-device".into(), device.into()]);
    }
    // `headroom.guest` is how the stories know where they are.
    all.extend(["-append".into(), "console=ttyS0 quiet panic=-1 headroom.guest".into()]);
    let folder =
        |path: &Path, rest: &str| ["-virtfs".into(), format!("local,path={}{rest}", escaped(path)).into()];
    all.extend(folder(Path::new("/"), ",mount_tag=host,security_model=none,readonly=on,multidevs=remap"));
    all.extend(folder(inside, ",mount_tag=share,security_model=none"));
    all.extend(["-serial".into(), format!("file:{}", escaped(console)).into()]);
    all
}

/// A path as QEMU's options want it: a comma would end it, two stand for one.
fn escaped(path: &Path) -> String {
    path.to_string_lossy().replace(',', ",,")
}

/// Why it is over.
#[derive(Debug)]
enum End {
    Off(ExitStatus),
    Late,
    Interrupted,
}

/// A guest that runs. Dropping it ends it.
struct Watch<'a> {
    child: Child,
    share: &'a Share,
    started: Instant,
}

impl<'a> Watch<'a> {
    fn new(child: Child, share: &'a Share) -> Self {
        Self { child, share, started: Instant::now() }
    }

    /// Shows or keeps what the command prints until it is over.
    fn watch(mut self, guest: &Guest, interrupted: &AtomicBool) -> Result<(End, Times), Error> {
        let inside = self.share.inside();
        let (to_out, to_err): (Box<dyn Write>, Box<dyn Write>) = match &guest.beside {
            Some(printed) => (Box::new(printed.clone()), Box::new(printed.clone())),
            None => (Box::new(io::stdout()), Box::new(io::stderr())),
        };
        let mut out = Tail::new(inside.join("stdout"), to_out);
        let mut err = Tail::new(inside.join("stderr"), to_err);
        let (mut up, mut done) = (None, None);
        let end = loop {
            let exited = self.child.try_wait().map_err(|e| Error::Guest(format!("QEMU is lost: {e}")))?;
            let now = self.started.elapsed();
            if up.is_none() && self.share.is_up() {
                up = Some(now);
            }
            if done.is_none() && self.share.has_ended() {
                done = Some(now);
            }
            out.show()?;
            err.show()?;
            if let Some(status) = exited {
                break End::Off(status);
            }
            if interrupted.load(Ordering::Relaxed) {
                break End::Interrupted;
            }
            if now > guest.timeout {
                break End::Late;
            }
            std::thread::sleep(STEP);
        };
        let off = self.started.elapsed();
        let up = up.unwrap_or(off);
        let done = done.unwrap_or(off);
        Ok((end, Times { up, command: done.saturating_sub(up), off: off.saturating_sub(done) }))
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        // It may have ended by itself; then neither does anything.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A file that grows, shown as it does.
struct Tail<W> {
    path: PathBuf,
    file: Option<File>,
    to: W,
}

impl<W: Write> Tail<W> {
    fn new(path: PathBuf, to: W) -> Self {
        Self { path, file: None, to }
    }

    /// Copies what is new.
    fn show(&mut self) -> Result<(), Error> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(File::open(&self.path).map_err(Error::file("read", &self.path))?),
        };
        let mut new = Vec::new();
        file.read_to_end(&mut new).map_err(Error::file("read", &self.path))?;
        // Whoever reads us may have enough; the command goes on.
        let _ = self.to.write_all(&new).and_then(|()| self.to.flush());
        Ok(())
    }
}

/// What QEMU said, and the end of what the guest's kernel said.
fn quoted(errors: &Path, console: &Path) -> String {
    let text = |path| String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
    let (errors, console) = (text(errors), text(console));
    let lines: Vec<&str> = errors.lines().chain(last(&console, CONSOLE_LINES)).collect();
    if lines.is_empty() { "neither QEMU nor the kernel said anything".to_owned() } else { lines.join("\n") }
}

/// The last lines of a text.
fn last(text: &str, count: usize) -> impl Iterator<Item = &str> {
    let all = text.lines().count();
    text.lines().skip(all.saturating_sub(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_in_a_path_does_not_end_it() {
        let kernel = Kernel { release: "6.1.0-1-amd64".to_owned(), root: "/cache".into() };
        let all = arguments(512, &kernel, Path::new("/i"), Path::new("/a,b"), Path::new("/c"));
        assert!(all.contains(&"local,path=/a,,b,mount_tag=share,security_model=none".into()), "{all:?}");
        assert!(all.contains(&"/cache/boot/vmlinuz-6.1.0-1-amd64".into()), "{all:?}");
        let host = all.iter().find(|word| word.to_string_lossy().contains("mount_tag=host")).unwrap();
        assert!(host.to_string_lossy().contains("readonly=on"), "{host:?}");
        for end in all.iter().filter(|word| word.to_string_lossy().contains("id=wire")) {
            assert!(end.to_string_lossy().starts_with("hubport,"), "it leads to the host: {end:?}");
        }
    }

    #[test]
    fn beside_other_work_it_yields() {
        let words = |is_beside| {
            let command = qemu(is_beside);
            let all = std::iter::once(command.get_program()).chain(command.get_args());
            all.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words(false), "qemu-system-x86_64");
        assert_eq!(words(true), format!("nice -n {NICENESS_BESIDE} qemu-system-x86_64"));
    }

    #[test]
    fn what_is_new_is_shown_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        fs::write(&path, "one\n").unwrap();
        let mut tail = Tail::new(path.clone(), Vec::new());
        tail.show().unwrap();
        tail.show().unwrap();
        fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"two\n").unwrap();
        tail.show().unwrap();
        assert_eq!(String::from_utf8_lossy(&tail.to), "one\ntwo\n");
    }

    #[test]
    fn a_failed_guest_is_quoted_by_its_last_lines() {
        assert_eq!(last("a\nb\nc\n", 2).collect::<Vec<_>>(), ["b", "c"]);
        assert_eq!(last("a\n", 2).collect::<Vec<_>>(), ["a"]);
        let folder = tempfile::tempdir().unwrap();
        let [errors, console] = ["e", "c"].map(|name| folder.path().join(name));
        assert!(quoted(&errors, &console).contains("neither"));
        fs::write(&errors, "no such machine\n").unwrap();
        fs::write(&console, "Kernel panic\n").unwrap();
        assert_eq!(quoted(&errors, &console), "no such machine\nKernel panic");
    }
}
