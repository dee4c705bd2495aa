//! What was done and what came of it, counted.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// Faults that are told in full; more are only counted.
const TOLD_MOST: usize = 5;
/// After so many rounds in a row that could not be tried there is no use in more.
const UNTRIED_MOST: usize = 20;

/// Counts of one attack or fuzzer.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    name: String,
    rounds: u64,
    took: Duration,
    /// How often each thing happened.
    counts: BTreeMap<&'static str, u64>,
    faults: usize,
    untried: usize,
}

impl Tally {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Of something that ended before it began.
    pub(crate) fn broken(name: &str, why: &str) -> Self {
        let mut tally = Self::new(name);
        tally.add_untried(why);
        tally
    }

    pub(crate) fn add_round(&mut self, counts: &BTreeMap<&'static str, u64>, took: Duration) {
        self.rounds += 1;
        self.took += took;
        for (what, times) in counts {
            *self.counts.entry(what).or_default() += times;
        }
    }

    /// Adds what a fuzzer did.
    pub(crate) fn add_inputs(&mut self, inputs: u64, took: Duration) {
        self.rounds += inputs;
        self.took += took;
    }

    pub(crate) fn count(&mut self, what: &'static str, times: u64) {
        *self.counts.entry(what).or_default() += times;
    }

    /// A promise that was not kept.
    pub(crate) fn add_fault(&mut self, what: &str) {
        self.faults += 1;
        if self.faults <= TOLD_MOST {
            eprintln!("FAULT {}: {what}", self.name);
        }
    }

    /// A round that was no attack, for what it needs could not be made. It does not
    /// count as tried.
    pub(crate) fn add_untried(&mut self, why: &str) {
        self.rounds = self.rounds.saturating_sub(1);
        self.untried += 1;
        if self.untried <= TOLD_MOST {
            eprintln!("{}: not tried: {why}", self.name);
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// How often something happened; absent where it was never looked for.
    pub(crate) fn times(&self, what: &str) -> Option<u64> {
        self.counts.get(what).copied()
    }

    pub(crate) fn faults(&self) -> usize {
        self.faults
    }

    /// Whether the next fault is told in full.
    pub(crate) fn tells_more(&self) -> bool {
        self.faults < TOLD_MOST
    }

    /// Whether more was not tried than tried.
    pub(crate) fn is_hardly_tried(&self) -> bool {
        self.rounds == 0 || self.untried as u64 > self.rounds
    }

    /// Whether more rounds would only repeat what was told.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.untried >= UNTRIED_MOST && self.rounds == 0
    }

    /// All of it on a line.
    pub(crate) fn line(&self) -> String {
        let mut line = format!(
            "{:<16} {:>9} tried in {:>5.0} s, {} faults",
            self.name,
            self.rounds,
            self.took.as_secs_f64(),
            self.faults
        );
        if self.untried > 0 {
            // Writing to a String does not fail.
            let _ = write!(line, ", {} not tried", self.untried);
        }
        line
    }
}

/// All counts, one attack below the other.
pub(crate) fn table(tallies: &[Tally]) -> String {
    let mut text = String::new();
    for tally in tallies {
        text += &tally.line();
        text.push('\n');
        for (what, times) in &tally.counts {
            let _ = writeln!(text, "    {times:>9} {what}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_tried_is_not_counted_as_tried() {
        let mut tally = Tally::new("swap");
        for _ in 0..2 {
            tally.add_round(&BTreeMap::from([("too late", 1)]), Duration::from_secs(1));
        }
        tally.add_untried("no loop device");
        tally.add_fault("it was overwritten");
        let text = table(&[tally]);
        assert!(
            text.starts_with("swap                     1 tried in     2 s, 1 faults, 1 not tried"),
            "{text}"
        );
        assert!(text.ends_with("            2 too late\n"), "{text}");
    }
}
