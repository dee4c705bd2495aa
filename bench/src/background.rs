//! A program that runs beside a load until it is asked to end, as a tracer does. It is asked by
//! SIGINT, as by Ctrl-C, also when it is dropped, so that it puts away what it has in the kernel.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::context::{self, BenchContext};
use xtask::Error;

/// How long it gets to begin.
const BEGINS: Duration = Duration::from_secs(10);
/// How long it gets to end, with all that it has to write.
const ENDS: Duration = Duration::from_secs(60);
/// The same where nobody wants to have that.
const ENDS_UNHEARD: Duration = Duration::from_secs(5);

/// The program. There is one at a time: what it prints goes to files of the same name.
#[derive(Debug)]
pub(crate) struct Background {
    words: String,
    child: Child,
    out: PathBuf,
    err: PathBuf,
}

impl Background {
    /// Starts it.
    pub(crate) fn start(context: &BenchContext, program: &str, arguments: &[&str]) -> Result<Self, Error> {
        context.go_on()?;
        let words = [&[program][..], arguments].concat().join(" ");
        let (out, err) = (context.scratch("background.out"), context.scratch("background.err"));
        let make = |path: &Path| File::create(path).map_err(Error::file("make", path));
        let child = Process::new(program)
            .args(arguments)
            .current_dir(context.scratch(""))
            .stdin(Stdio::null())
            .stdout(make(&out)?)
            .stderr(make(&err)?)
            .spawn()
            .map_err(|e| Error::Bench(format!("`{words}`: cannot be run: {e}")))?;
        Ok(Self { words, child, out, err })
    }

    /// Waits until it has begun with what it is for.
    pub(crate) fn await_begun(
        &mut self,
        context: &BenchContext,
        has_begun: impl Fn(&Self) -> bool,
    ) -> Result<(), Error> {
        let deadline = Instant::now() + BEGINS;
        while !has_begun(self) {
            context.go_on()?;
            if self.has_ended()? || Instant::now() > deadline {
                return Err(self.failed("does not begin"));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// The number of its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it has printed on its standard error.
    pub(crate) fn messages(&self) -> String {
        fs::read(&self.err).map(|text| String::from_utf8_lossy(&text).into_owned()).unwrap_or_default()
    }

    /// Asks it to end; what it printed on its standard output. One that has ended before has not done
    /// its work.
    pub(crate) fn end(mut self, context: &BenchContext) -> Result<String, Error> {
        if self.has_ended()? {
            return Err(self.failed("ended before it was asked to"));
        }
        self.interrupt();
        let is_over = context::ends_within(&self.child, ENDS);
        context.go_on()?;
        if !matches!(is_over, Ok(true)) {
            return Err(self.failed("does not end"));
        }
        let status = self.child.wait().map_err(|e| self.failed(&e.to_string()))?;
        if !status.success() {
            return Err(self.failed(&status.to_string()));
        }
        let text = fs::read(&self.out).map_err(Error::file("read", &self.out))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    fn has_ended(&mut self) -> Result<bool, Error> {
        match self.child.try_wait() {
            Ok(ended) => Ok(ended.is_some()),
            Err(e) => Err(self.failed(&e.to_string())),
        }
    }

    fn interrupt(&self) {
        let _ = kill_process(Pid::from_child(&self.child), Signal::INT);
    }

    fn failed(&self, why: &str) -> Error {
        Error::Bench(format!("`{}`: {why}\n{}", self.words, self.messages().trim_end()))
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // One that was waited for has no number any more.
        if matches!(self.child.try_wait(), Ok(Some(_))) {
            return;
        }
        self.interrupt();
        if !matches!(context::ends_within(&self.child, ENDS_UNHEARD), Ok(true)) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says on standard error when it can be asked to end, and then what it was asked.
    const WAITS: &str = "trap 'echo asked; exit 0' INT; echo begun >&2; while :; do sleep 0.01; done";

    fn context(target: &Path) -> BenchContext {
        BenchContext::new(target, 1).unwrap()
    }

    #[test]
    fn a_program_runs_until_it_is_asked_to_end() {
        let target = tempfile::tempdir().unwrap();
        let context = context(target.path());
        let mut program = Background::start(&context, "sh", &["-c", WAITS]).unwrap();
        program.await_begun(&context, |program| program.messages().contains("begun")).unwrap();
        assert!(!program.has_ended().unwrap());
        assert_eq!(program.end(&context).unwrap(), "asked\n");
    }

    #[test]
    fn one_that_ends_by_itself_is_no_success() {
        let target = tempfile::tempdir().unwrap();
        let context = context(target.path());
        let mut program = Background::start(&context, "sh", &["-c", "echo no >&2; exit 3"]).unwrap();
        let error = program.await_begun(&context, |_| false).unwrap_err();
        assert_eq!(error.to_string(), "`sh -c echo no >&2; exit 3`: does not begin\nno");
        let error = program.end(&context).unwrap_err();
        assert!(error.to_string().contains("ended before it was asked to"), "{error}");
    }

    #[test]
    fn one_that_is_dropped_is_asked_to_end_first() {
        let target = tempfile::tempdir().unwrap();
        let context = context(target.path());
        let mut program = Background::start(&context, "sh", &["-c", WAITS]).unwrap();
        program.await_begun(&context, |program| program.messages().contains("begun")).unwrap();
        drop(program);
        assert_eq!(fs::read_to_string(context.scratch("background.out")).unwrap(), "asked\n");
    }
}
