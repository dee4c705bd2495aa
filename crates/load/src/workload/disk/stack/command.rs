//! Running the programs that make layers: by their whole path, with nothing of our environment, never longer than
//! this process, and with what they need to know on standard input.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use engine::fault::Fault;
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::Signal;

use crate::host::StatusListener;
use crate::workload::disk::stack::md::SyncSpeeds;

/// Where programs of administrators are, which PATH lacks for some.
const FOLDERS: [&str; 6] = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/// How often it is looked whether a program has ended.
const LOOK: Duration = Duration::from_millis(10);
/// A program may have ended for so large a part of its time before that is seen, or for as long as [`SOONEST`].
const LATE_BY: u32 = 20;
/// See [`LATE_BY`].
const SOONEST: Duration = Duration::from_millis(1);
/// A file system of a large disk takes minutes.
const WITHIN: Duration = Duration::from_secs(3600);
/// So much of what a program prints is read.
const OUTPUT_MOST: u64 = 64 << 10;
/// A reason and a version have so many characters at most.
const LINE_MOST: usize = 300;

/// A program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) name: &'static str,
    /// The package that has it, in Debian.
    pub(super) package: &'static str,
    /// With which words it says its version.
    pub(super) version: &'static [&'static str],
}

impl Program {
    /// Where it is.
    pub(super) fn find(&self) -> Option<PathBuf> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path).chain(FOLDERS.map(PathBuf::from));
        folders.map(|folder| folder.join(self.name)).find(|path| path.is_absolute() && path.is_file())
    }
}

/// What was done to make a layer, and how long it took.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StepTime {
    /// A program with its command, or a word for what no program did.
    pub(super) step: String,
    pub(super) seconds: f64,
}

/// Runs programs as long as somebody wants them to.
pub(super) struct Commands<'a> {
    goes_on: &'a mut dyn FnMut() -> bool,
    times: Vec<StepTime>,
    speeds: Option<SyncSpeeds>,
    status: StatusListener,
    within: Duration,
}

impl std::fmt::Debug for Commands<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Commands(..)")
    }
}

/// What a program has printed and how it ended.
struct Ended {
    succeeded: bool,
    status: String,
    output: String,
    errors: String,
}

impl<'a> Commands<'a> {
    /// Those that `goes_on` is asked of all the time.
    pub(super) fn new(goes_on: &'a mut dyn FnMut() -> bool) -> Self {
        Self { goes_on, times: Vec::new(), speeds: None, status: StatusListener::default(), within: WITHIN }
    }

    /// With somebody who hears how far what takes long is.
    pub(super) fn with_status(self, status: StatusListener) -> Self {
        Self { status, ..self }
    }

    /// With programs that end within so long, or are ended.
    pub(super) fn within(self, within: Duration) -> Self {
        Self { within, ..self }
    }

    /// Who hears that.
    pub(super) fn status(&self) -> StatusListener {
        self.status.clone()
    }

    /// Notes how long something took that no program was run for.
    pub(super) fn note(&mut self, step: String, took: Duration) {
        self.times.push(StepTime { step, seconds: took.as_secs_f64() });
    }

    /// Notes all that `work` does as one step.
    ///
    /// # Errors
    /// Those of `work`.
    pub(super) fn as_one<T>(
        &mut self,
        step: &str,
        work: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let (begin, before) = (Instant::now(), self.take_times());
        let done = work(self);
        self.times = before;
        if done.is_ok() {
            self.note(step.to_owned(), begin.elapsed());
        }
        done
    }

    /// Notes how fast an array is synchronised.
    pub(super) fn note_speeds(&mut self, speeds: SyncSpeeds) {
        self.speeds = Some(speeds);
    }

    /// What was noted of that.
    pub(super) fn speeds(&self) -> Option<SyncSpeeds> {
        self.speeds
    }

    /// How long each step took since this was last asked.
    pub(super) fn take_times(&mut self) -> Vec<StepTime> {
        std::mem::take(&mut self.times)
    }

    /// Runs a program to a good end; what it printed.
    ///
    /// # Errors
    /// If it is not there, or fails; with what it said.
    pub(super) fn run(&mut self, program: &Program, words: &[&str]) -> Result<String, Fault> {
        self.run_with(program, words, b"")
    }

    /// The same, with this on its standard input.
    ///
    /// # Errors
    /// As [`Commands::run`].
    pub(super) fn run_with(
        &mut self,
        program: &Program,
        words: &[&str],
        input: &[u8],
    ) -> Result<String, Fault> {
        self.finish(program, words, (None, input))
    }

    /// Runs a program as [`Commands::run`] does, in this mount namespace.
    ///
    /// # Errors
    /// As [`Commands::run`].
    pub(super) fn run_in(
        &mut self,
        mounts: BorrowedFd<'_>,
        program: &Program,
        words: &[&str],
    ) -> Result<String, Fault> {
        self.finish(program, words, (Some(mounts), b""))
    }

    fn finish(
        &mut self,
        program: &Program,
        words: &[&str],
        site: (Option<BorrowedFd<'_>>, &[u8]),
    ) -> Result<String, Fault> {
        let begin = Instant::now();
        let ended = self.end_of(program, words, site)?;
        if ended.succeeded {
            self.note(step(program, words), begin.elapsed());
            return Ok(ended.output);
        }
        let line = reason(&ended.errors).or_else(|| reason(&ended.output));
        let said = line.map(|line| format!(": {line}")).unwrap_or_default();
        Err(Fault::Other(format!("`{} {}` failed ({}){said}", program.name, words.join(" "), ended.status)))
    }

    /// What a program prints, if it ends well.
    pub(super) fn ask(&mut self, program: &Program, words: &[&str]) -> Option<String> {
        self.end_of(program, words, (None, b""))
            .ok()
            .filter(|ended| ended.succeeded)
            .map(|ended| ended.output)
    }

    /// What a program says of its version, in a line: some say it where errors go.
    pub(super) fn version(&mut self, program: &Program) -> Option<String> {
        let ended = self.end_of(program, program.version, (None, b"")).ok()?;
        let mut lines = ended.output.lines().chain(ended.errors.lines()).map(str::trim);
        let line = lines.find(|line| !line.is_empty())?;
        Some(line.chars().filter(|c| !c.is_control()).take(LINE_MOST).collect())
    }

    /// Whether somebody still wants them.
    ///
    /// # Errors
    /// If nobody does any more.
    pub(super) fn go_on(&mut self) -> Result<(), Fault> {
        if (self.goes_on)() { Ok(()) } else { Err(Fault::Cancelled) }
    }

    /// Runs a program to its end: in which mount namespace, if not in ours, and with what on its standard input.
    fn end_of(
        &mut self,
        program: &Program,
        words: &[&str],
        (mounts, input): (Option<BorrowedFd<'_>>, &[u8]),
    ) -> Result<Ended, Fault> {
        let path = path_of(program)?;
        let fault = |e| Fault::system(format!("running {}", path.display()), e);
        let (output, errors) = (scratch().map_err(fault)?, scratch().map_err(fault)?);
        let mut command = command(&path, words);
        if let Some(mounts) = mounts {
            enter(&mut command, mounts);
        }
        let streams = output.try_clone().and_then(|out| Ok((out, errors.try_clone()?)));
        let (out, err) = streams.map_err(fault)?;
        let mut child = command.stdout(out).stderr(err).spawn().map_err(fault)?;
        // It may end without having read it.
        let _ = child.stdin.take().map(|mut stdin| stdin.write_all(input));
        let status = self.wait(&mut child, program)?;
        Ok(Ended {
            succeeded: status.success(),
            status: status.to_string(),
            output: read(output).map_err(fault)?,
            errors: read(errors).map_err(fault)?,
        })
    }

    fn wait(&mut self, child: &mut Child, program: &Program) -> Result<std::process::ExitStatus, Fault> {
        let begin = Instant::now();
        let end = begin + self.within;
        loop {
            let ended =
                child.try_wait().map_err(|e| Fault::system(format!("waiting for {}", program.name), e));
            let why = match ended {
                Ok(Some(status)) => return Ok(status),
                Ok(None) if Instant::now() >= end => {
                    Fault::Other(format!("{} did not end within {} s", program.name, self.within.as_secs()))
                }
                Ok(None) if !(self.goes_on)() => Fault::Cancelled,
                Ok(None) => {
                    // Of a short one, too, it is to be told how long it took.
                    std::thread::sleep((begin.elapsed() / LATE_BY).clamp(SOONEST, LOOK));
                    continue;
                }
                Err(fault) => fault,
            };
            let _ = child.kill();
            let _ = child.wait();
            return Err(why);
        }
    }
}

/// A program that runs until this is dropped.
#[derive(Debug)]
pub(super) struct BackgroundProgram {
    child: Child,
    errors: File,
}

impl BackgroundProgram {
    /// Starts one in this mount namespace.
    ///
    /// # Errors
    /// If it is not there, or cannot be started.
    pub(super) fn start_in(mounts: BorrowedFd<'_>, program: &Program, words: &[&str]) -> Result<Self, Fault> {
        let path = path_of(program)?;
        let fault = |e| Fault::system(format!("running {}", path.display()), e);
        let errors = scratch().map_err(fault)?;
        let mut command = command(&path, words);
        enter(&mut command, mounts);
        let said = errors.try_clone().map_err(fault)?;
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said).spawn().map_err(fault)?;
        Ok(Self { child, errors })
    }

    /// The last line of its errors.
    pub(super) fn reason(&self) -> Option<String> {
        reason(&read(self.errors.try_clone().ok()?).ok()?)
    }
}

impl Drop for BackgroundProgram {
    fn drop(&mut self) {
        // It may have started others, which are of its group.
        let group = rustix::process::Pid::from_child(&self.child);
        let _ = rustix::process::kill_process_group(group, Signal::KILL);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn path_of(program: &Program) -> Result<PathBuf, Fault> {
    program.find().ok_or_else(|| {
        Fault::Other(format!(
            "there is no program `{}` any more ({} in Debian)",
            program.name, program.package
        ))
    })
}

/// Has a program that is still to be started run in this mount namespace, which stays open until it was.
fn enter(command: &mut Command, mounts: BorrowedFd<'_>) {
    let mounts = mounts.as_raw_fd();
    let enter = move || -> io::Result<()> {
        // SAFETY: it reads no memory. The child has the descriptors that were open here.
        let result = unsafe { libc::setns(mounts, libc::CLONE_NEWNS) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    };
    // SAFETY: it makes one system call between fork and exec, allocates nothing and takes no lock.
    unsafe { command.pre_exec(enter) };
}

/// A program with its command, where it has several: `lvm pvcreate`, `mdadm --create`.
fn step(program: &Program, words: &[&str]) -> String {
    let is_command =
        |word: &&&str| word.starts_with("--") || word.starts_with(|c: char| c.is_ascii_alphabetic());
    match words.first().filter(is_command) {
        Some(command) => format!("{} {command}", program.name),
        None => program.name.to_owned(),
    }
}

/// A file in memory for what a program prints: a pipe could be full.
fn scratch() -> io::Result<File> {
    Ok(File::from(memfd_create(c"headroom", MemfdFlags::CLOEXEC)?))
}

fn read(mut file: File) -> io::Result<String> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.take(OUTPUT_MOST).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The last line that says something.
fn reason(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    Some(line.chars().filter(|c| !c.is_control()).take(LINE_MOST).collect())
}

fn command(path: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(path);
    command
        .args(words)
        .env_clear()
        .env("LC_ALL", "C")
        .env("PATH", FOLDERS.join(":"))
        .current_dir("/")
        .stdin(Stdio::piped())
        // Ctrl-C at a terminal reaches only us, and we end it.
        .process_group(0);
    if !Path::new("/run/udev/control").exists() {
        // They would wait for ever for what udev says.
        command.env("DM_DISABLE_UDEV", "1").env("MDADM_NO_UDEV", "1");
    }
    let parent = rustix::process::getpid();
    let die_with_us = move || -> io::Result<()> {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        // It may have died already.
        if rustix::process::getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    };
    // SAFETY: it makes two system calls between fork and exec, allocates nothing and takes no lock.
    unsafe { command.pre_exec(die_with_us) };
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHELL: Program =
        Program { name: "sh", package: "dash", version: &["-c", "echo >&2; echo sh 7 >&2"] };

    #[test]
    fn a_program_is_given_its_input_and_tells_why_it_failed() {
        let mut always = || true;
        let mut commands = Commands::new(&mut always);
        assert_eq!(commands.run_with(&SHELL, &["-c", "cat"], b"secret").unwrap(), "secret");
        assert_eq!(commands.run(&SHELL, &["-c", "env | grep -c CARGO; true"]).unwrap().trim(), "0");
        let failed = commands.run(&SHELL, &["-c", "echo one >&2; echo two >&2; exit 3"]).unwrap_err();
        assert!(failed.to_string().ends_with("(exit status: 3): two"), "{failed}");
        assert_eq!(commands.ask(&SHELL, &["-c", "exit 1"]), None);
        assert_eq!(commands.version(&SHELL).as_deref(), Some("sh 7"));
        let missing = Program { name: "no-such-program", ..SHELL };
        assert!(commands.run(&missing, &[]).unwrap_err().to_string().contains("no-such-program"));
    }

    #[test]
    fn what_made_something_is_told_with_its_time_and_what_was_only_asked_is_not() {
        let mut always = || true;
        let mut commands = Commands::new(&mut always);
        commands.run(&SHELL, &["-c", "true"]).unwrap();
        commands.ask(&SHELL, &["-c", "true"]).unwrap();
        commands.run(&SHELL, &["-c", "false"]).unwrap_err();
        commands.note("initial-sync".to_owned(), Duration::from_secs(2));
        let times = commands.take_times();
        let steps: Vec<&str> = times.iter().map(|time| time.step.as_str()).collect();
        assert_eq!(steps, ["sh", "initial-sync"]);
        assert!(times[0].seconds > 0.0 && (times[1].seconds - 2.0).abs() < 1e-9, "{times:?}");
        assert!(commands.take_times().is_empty());
        for (words, said) in [
            (&["pvcreate", "-y"][..], "sh pvcreate"),
            (&["--create"], "sh --create"),
            (&["-q"], "sh"),
            (&[], "sh"),
        ] {
            assert_eq!(step(&SHELL, words), said);
        }
    }

    #[test]
    fn what_is_one_step_is_told_once() {
        let mut always = || true;
        let mut commands = Commands::new(&mut always);
        commands.note("first".to_owned(), Duration::ZERO);
        let twice = commands.as_one("both", |commands| {
            commands.run(&SHELL, &["-c", "true"])?;
            commands.run(&SHELL, &["-c", "echo 2"])
        });
        assert_eq!(twice.unwrap().trim(), "2");
        commands.as_one("none", |commands| commands.run(&SHELL, &["-c", "false"])).unwrap_err();
        let steps: Vec<String> = commands.take_times().into_iter().map(|time| time.step).collect();
        assert_eq!(steps, ["first", "both"]);
    }

    #[test]
    fn a_program_that_nobody_wants_any_more_is_ended() {
        let mut never = || false;
        let mut commands = Commands::new(&mut never);
        assert!(matches!(commands.run(&SHELL, &["-c", "exec sleep 60"]), Err(Fault::Cancelled)));
        let mut always = || true;
        let mut commands = Commands::new(&mut always).within(Duration::ZERO);
        let late = commands.run(&SHELL, &["-c", "exec sleep 60"]).unwrap_err();
        assert!(late.to_string().contains("did not end within 0 s"), "{late}");
    }
}
