//! Waiting for what the kernel, or somebody else, does in its own time: with an end to each wait, and as long as somebody
//! wants it.

use std::time::{Duration, Instant};

use engine::fault::Fault;

use crate::workload::disk::stack::command::{Commands, Program};

/// How often it is looked.
const LOOK: Duration = Duration::from_millis(10);

impl Commands<'_> {
    /// Waits until `is_so`, but not longer than `within`; returns whether it was.
    ///
    /// # Errors
    /// If nobody wants it any more.
    pub(super) fn wait_until(
        &mut self,
        within: Duration,
        mut is_so: impl FnMut() -> bool,
    ) -> Result<bool, Fault> {
        let found = self.wait_for(within, || is_so().then_some(()))?;
        Ok(found.is_some())
    }

    /// Waits until `find` finds something, but not longer than `within`; none where it did not.
    ///
    /// # Errors
    /// If nobody wants it any more.
    pub(super) fn wait_for<T>(
        &mut self,
        within: Duration,
        mut find: impl FnMut() -> Option<T>,
    ) -> Result<Option<T>, Fault> {
        let end = Instant::now() + within;
        loop {
            let found = find();
            if found.is_some() || Instant::now() >= end {
                return Ok(found);
            }
            self.go_on()?;
            std::thread::sleep(LOOK);
        }
    }

    /// Runs a program again until it ends well, but not longer than `within`: what it is to end may be busy for a moment.
    /// Once begun it runs to its end, and no time is noted for it.
    ///
    /// # Errors
    /// What it said last, or if nobody wants it any more.
    pub(super) fn run_until_done(
        &mut self,
        within: Duration,
        program: &Program,
        words: &[&str],
    ) -> Result<(), Fault> {
        let mut last = None;
        self.wait_until(within, || {
            let mut always = || true;
            last = Commands::new(&mut always).run(program, words).err();
            last.is_none()
        })?;
        last.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHELL: Program = Program { name: "sh", package: "dash", version: &["-c", "echo 1"] };

    #[test]
    fn what_comes_in_time_is_found_and_what_nobody_wants_is_not_waited_for() {
        let mut always = || true;
        let mut commands = Commands::new(&mut always);
        let mut looks = 0;
        let third = commands.wait_for(Duration::from_secs(60), || {
            looks += 1;
            (looks == 3).then_some("third")
        });
        assert_eq!(third.unwrap(), Some("third"));
        assert!(!commands.wait_until(Duration::ZERO, || false).unwrap());
        assert!(commands.wait_until(Duration::ZERO, || true).unwrap());
        let mut never = || false;
        let mut commands = Commands::new(&mut never);
        assert!(matches!(commands.wait_until(Duration::from_secs(60), || false), Err(Fault::Cancelled)));
    }

    #[test]
    fn a_program_is_run_again_until_it_ends_well() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tries").to_str().unwrap().to_owned();
        let mut always = || true;
        let mut commands = Commands::new(&mut always);
        // It ends well the third time.
        let script = "echo x >> \"$0\"; test $(wc -l < \"$0\") -ge 3";
        commands.run_until_done(Duration::from_secs(60), &SHELL, &["-c", script, &file]).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "x\nx\nx\n");
        let failed = commands.run_until_done(Duration::ZERO, &SHELL, &["-c", "echo busy >&2; exit 1"]);
        assert!(failed.unwrap_err().to_string().ends_with("busy"));
    }
}
