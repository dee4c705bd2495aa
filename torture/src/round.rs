//! One round of an attack: a folder of its own, chance that a seed repeats, and a
//! look at what is left.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;
use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use crate::process::{Ended, PATIENCE, Running, send};

/// The variable by which all processes of a round are known.
const MARK: &str = "HEADROOM_TORTURE";
/// How long an agent may take to notice that its run is gone, and to take down what it made: in the guest each step of
/// that takes a second.
const TO_LEAVE: Duration = Duration::from_secs(60);

/// Why a round did not end well.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// Headroom broke a promise.
    Fault(String),
    /// The attack itself could not be carried out.
    Untried(String),
}

/// One round.
pub(crate) struct Round {
    folder: TempDir,
    program: PathBuf,
    mark: String,
    seed: u64,
    random: SplitMix64,
    counts: BTreeMap<&'static str, u64>,
}

impl Round {
    pub(crate) fn new(program: &Path, scratch: &Path, seed: u64) -> std::io::Result<Self> {
        std::fs::create_dir_all(scratch)?;
        let folder = tempfile::Builder::new().prefix("round-").tempdir_in(scratch)?;
        let mark = format!("{}-{seed}", std::process::id());
        let random = SplitMix64::seed_from_u64(seed);
        Ok(Self { folder, program: program.to_owned(), mark, seed, random, counts: BTreeMap::new() })
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The seed: one more than that of the round before, so that rounds take several things in turn.
    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// A path in the folder, as text.
    pub(crate) fn path(&self, name: &str) -> String {
        self.folder().join(name).to_string_lossy().into_owned()
    }

    pub(crate) fn counts(&self) -> &BTreeMap<&'static str, u64> {
        &self.counts
    }

    /// Something happened that makes the round worth something.
    pub(crate) fn count(&mut self, what: &'static str) {
        self.count_times(what, 1);
    }

    pub(crate) fn count_times(&mut self, what: &'static str, times: u64) {
        *self.counts.entry(what).or_default() += times;
    }

    /// A number from 0 to below `most`.
    pub(crate) fn below(&mut self, most: u64) -> u64 {
        // That the last numbers are a little rarer does no harm here.
        self.random.next_u64() % most.max(1)
    }

    pub(crate) fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::try_from(self.below(all.len() as u64)).unwrap_or(0)]
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        self.random.fill_bytes(&mut bytes);
        bytes
    }

    /// Waits up to `most`. Short waits are as likely as long ones in their order of
    /// magnitude: the beginning has more places at which something can happen.
    pub(crate) fn wait(&mut self, most: Duration) {
        let most = u64::try_from(most.as_micros()).unwrap_or(u64::MAX).max(2048);
        let magnitude = 10 + self.below(u64::from(most.ilog2()) - 9);
        let micros = self.below(2 << magnitude).min(most);
        std::thread::sleep(Duration::from_micros(micros));
    }

    /// `headroom ARGUMENTS`, with a store, a journal and a home of the round's own.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).current_dir(self.folder());
        for (name, value) in self.variables() {
            command.env(name, value);
        }
        command
    }

    /// The path of the program.
    pub(crate) fn program(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }

    /// The variables of all its processes.
    pub(crate) fn variables(&self) -> [(&'static str, String); 4] {
        [
            (MARK, self.mark.clone()),
            ("NO_COLOR", "1".to_owned()),
            ("HEADROOM_STATE", self.path("state")),
            ("XDG_DATA_HOME", self.path("home")),
        ]
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Result<Running, Trouble> {
        Running::start(self.command(arguments))
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Result<Ended, Trouble> {
        self.start(arguments)?.end(PATIENCE, &[])
    }

    /// The run that started last, if there is one, read from the store.
    pub(crate) fn stored(&self) -> Result<Option<Value>, Trouble> {
        let export = ["export", "last"];
        let ended = self.run(&export)?;
        match ended.code() {
            Some(0) => serde_json::from_str(&ended.printed)
                .map(Some)
                .map_err(|e| ended.fault(&format!("what was exported is no document: {e}"))),
            // There is no run yet.
            Some(2) => Ok(None),
            _ => Err(ended.fault("the store cannot be read")),
        }
    }

    /// Waits until the run has looked at its targets and takes them for its own: then
    /// it opens its store.
    pub(crate) fn wait_until_looked_at(&self, run: &mut Running) {
        let store = self.folder().join("home/headroom/headroom.db");
        let until = Instant::now() + PATIENCE;
        while !store.exists() && !run.has_ended() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The processes of this round that live.
    fn living(&self) -> Vec<u32> {
        let own = format!("{MARK}={}", self.mark);
        let is_own = |id: &u32| {
            let bytes = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            bytes.split(|byte| *byte == 0).any(|variable| variable == own.as_bytes())
        };
        let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
        let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        ids.filter(is_own).collect()
    }

    /// # Errors
    /// If a process of the round does not leave. It is ended.
    pub(crate) fn nobody_is_left(&self) -> Result<(), Trouble> {
        let until = Instant::now() + TO_LEAVE;
        loop {
            let living = self.living();
            if living.is_empty() {
                return Ok(());
            }
            if Instant::now() >= until {
                let told: Vec<String> = living.iter().map(|id| format!("{id} ({})", line_of(*id))).collect();
                for id in living {
                    send(id, Signal::KILL);
                }
                return Err(Trouble::Fault(format!("processes are left: {}", told.join(", "))));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Leaves the folder for whoever looks for the fault.
    pub(crate) fn keep(self) -> PathBuf {
        self.folder.keep()
    }
}

/// The command line of a process.
fn line_of(id: u32) -> String {
    let bytes = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}

/// How many trials a document has in all.
pub(crate) fn trials(document: &Value) -> usize {
    let cases = document["cases"].as_array();
    cases.into_iter().flatten().filter_map(|case| case["trials"].as_array()).map(Vec::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_repeated_by_its_seed() {
        let scratch = tempfile::tempdir().unwrap();
        let draw = |seed| {
            let mut round = Round::new(Path::new("/bin/true"), scratch.path(), seed).unwrap();
            (0..8).map(|_| round.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        assert!(draw(9).iter().all(|number| *number < 1000));
    }

    #[test]
    fn a_process_that_stays_is_found() {
        let scratch = tempfile::tempdir().unwrap();
        let round = Round::new(Path::new("sleep"), scratch.path(), 1).unwrap();
        let mut command = round.command(&["60"]);
        let mut child = command.spawn().unwrap();
        let until = Instant::now() + Duration::from_secs(5);
        while round.living().is_empty() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(round.living(), [child.id()]);
        child.kill().unwrap();
        child.wait().unwrap();
        round.nobody_is_left().unwrap();
    }
}
