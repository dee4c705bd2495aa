//! A job: the options that it was given, by itself or by [global], each read
//! once and kept with its place.

use std::collections::BTreeMap;
use std::ops::Range;

use model::ScalarError;

use super::ini::{Line, Section};
use super::option::{FioOption, OptionSupport};
use super::table;
use super::value::{self, Amount, Read};
use crate::diagnostic::{Diagnostic, SourceRange};

/// One option as given.
#[derive(Clone, Debug)]
pub(super) struct JobOption {
    pub(super) option: &'static FioOption,
    /// By which of its names.
    key: String,
    /// As written, with what stood for something else replaced.
    text: Option<String>,
    read: Read,
    /// Where the value stands; the name where there is no value.
    pub(super) place: SourceRange,
    /// The later of two that say the same thing counts.
    pub(super) order: usize,
    /// Whether it stands in the job's own section.
    is_own: bool,
    /// Whether it has a unit that fio takes for another than it says.
    pub(super) is_misleading: bool,
    /// What a kB is in its section.
    pub(super) kb_base: u64,
}

impl JobOption {
    /// `bs=4k`, or only the name.
    pub(super) fn written(&self) -> String {
        match &self.text {
            Some(text) => format!("{}={text}", self.key),
            None => self.key.clone(),
        }
    }

    pub(super) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    pub(super) fn is_neutral(&self) -> bool {
        self.option.is_neutral(self.text.as_deref())
    }

    /// A diagnostic about a part of its value, which begins at byte `at`.
    pub(super) fn part(&self, at: usize, error: ScalarError) -> Diagnostic {
        let span = at + error.span.start..at + error.span.end;
        within(&self.place, self.text(), span).diagnostic(error.message, error.help)
    }

    pub(super) fn diagnostic(&self, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        self.place.diagnostic(message, help)
    }
}

/// The bytes of `text`, which stands at `place`; all of it where something in
/// it stood for something else, so that its bytes are not in the file.
fn within(place: &SourceRange, text: &str, span: Range<usize>) -> SourceRange {
    let is_there = place.source.text.get(place.span.clone()) == Some(text);
    if is_there { place.part(span) } else { place.clone() }
}

/// The options of one job, or of [global].
#[derive(Clone, Debug)]
pub(super) struct Job {
    /// What fio calls it.
    pub(super) name: String,
    /// The section's name, of which fio makes the names of files.
    pub(super) section: String,
    /// Where its section begins.
    pub(super) place: SourceRange,
    given: BTreeMap<&'static str, JobOption>,
    /// About the first option of its section that fio does not have.
    pub(super) unknown: Option<Diagnostic>,
}

impl Job {
    /// One that nothing was given to.
    pub(super) fn new(section: &Section) -> Self {
        Self {
            name: section.name.clone(),
            section: section.name.clone(),
            place: section.place.clone(),
            given: BTreeMap::new(),
            unknown: None,
        }
    }

    /// A job that begins with all of these options, and has those of `section`.
    pub(super) fn inherit(&self, section: &Section) -> Result<Self, Diagnostic> {
        let mut job = Self { given: self.given.clone(), ..Self::new(section) };
        job.given.values_mut().for_each(|given| given.is_own = false);
        job.take(section)?;
        if let Some(name) = job.get("name").filter(|n| n.is_own) {
            job.name = name.text().to_owned();
        }
        Ok(job)
    }

    pub(super) fn take(&mut self, section: &Section) -> Result<(), Diagnostic> {
        let mut unknown = None;
        let kb_base = self.kb_base(section)?;
        for line in &section.lines {
            let Some(option) = table::find(&line.key) else {
                unknown = unknown.or(Some(line));
                continue;
            };
            self.put(option, line, kb_base)?;
        }
        self.unknown = unknown.map(|line| {
            let message = format!("fio has no option `{}`", line.key);
            line.key_place.diagnostic(message, table::nearest(&line.key))
        });
        Ok(())
    }

    fn put(&mut self, option: &'static FioOption, line: &Line, kb_base: u64) -> Result<(), Diagnostic> {
        let text = line.value.as_deref();
        if option.treatment == OptionSupport::Refused && !option.is_neutral(text) {
            let message = format!("`{}`: {}", option.name, option.says);
            return Err(line.key_place.diagnostic(message, "take it out, or run this job with fio"));
        }
        let read = value::read(option.form, text, kb_base).map_err(|e| match text {
            Some(text) => within(&line.value_place, text, e.span).diagnostic(e.message, e.help),
            None => line.key_place.diagnostic(format!("`{}` has no value", line.key), "write it after `=`"),
        })?;
        let is_misleading = text.is_some_and(|t| value::is_misleading(option.form, t, kb_base));
        let (key, text, place) = (line.key.clone(), line.value.clone(), line.value_place.clone());
        let order = self.given.values().map(|g| g.order + 1).max().unwrap_or(0);
        let given = JobOption { option, key, text, read, place, order, is_own: true, is_misleading, kb_base };
        self.given.insert(option.name, given);
        Ok(())
    }

    /// What a kB is in this section; fio reads that before all else.
    fn kb_base(&self, section: &Section) -> Result<u64, Diagnostic> {
        let line = section.lines.iter().rev().find(|l| l.key == "kb_base");
        match line.map(|l| (l.value.as_deref(), l)) {
            None => Ok(self.whole("kb_base").unwrap_or(1024)),
            Some((Some("1024"), _)) => Ok(1024),
            Some((Some("1000"), _)) => Ok(1000),
            Some((_, line)) => Err(line.value_place.diagnostic("kb_base is neither 1024 nor 1000", "")),
        }
    }

    /// How long its options are, as written.
    pub(super) fn bytes(&self) -> usize {
        self.given.values().map(|given| given.text().len()).sum()
    }

    /// Every option, in the order given.
    pub(super) fn all(&self) -> Vec<&JobOption> {
        let mut all: Vec<&JobOption> = self.given.values().collect();
        all.sort_by_key(|g| g.order);
        all
    }

    pub(super) fn get(&self, name: &str) -> Option<&JobOption> {
        debug_assert!(table::find(name).is_some_and(|o| o.name == name), "fio has no option {name}");
        self.given.get(name)
    }

    /// Where the option `name` stands; where it was not given, the job.
    pub(super) fn place_of(&self, name: &str) -> &SourceRange {
        self.get(name).map_or(&self.place, |given| &given.place)
    }

    /// Whether a flag was given, and not as 0.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.flag_or(name, false)
    }

    /// A flag, or what fio takes it for where it was not given.
    pub(super) fn flag_or(&self, name: &str, default: bool) -> bool {
        match self.get(name).map(|g| &g.read) {
            Some(Read::Flag(flag)) => *flag,
            _ => default,
        }
    }

    pub(super) fn whole(&self, name: &str) -> Option<u64> {
        self.amount(name)?.whole()
    }

    /// A whole number of at least 1, where 0 is as good as nothing.
    pub(super) fn count(&self, name: &str) -> Option<u64> {
        self.whole(name).filter(|n| *n > 0)
    }

    /// Bytes, a count or a percentage.
    pub(super) fn amount(&self, name: &str) -> Option<Amount> {
        let Read::Amount(amount) = self.get(name)?.read else { return None };
        Some(amount)
    }

    /// Sizes or counts of reads, writes and trims.
    pub(super) fn each(&self, name: &str) -> [Option<u64>; 3] {
        match self.get(name).map(|g| &g.read) {
            Some(Read::Each(all)) => all.map(|amount| amount?.whole()),
            _ => [None; 3],
        }
    }

    /// Seconds, where they are more than 0.
    pub(super) fn seconds(&self, name: &str) -> Option<f64> {
        let Read::Seconds(seconds) = self.get(name)?.read else { return None };
        Some(seconds).filter(|seconds| *seconds > 0.0)
    }

    /// One of a few words, and what follows it.
    pub(super) fn word(&self, name: &str) -> Option<(&'static str, &str)> {
        let Read::Word(word, rest) = &self.get(name)?.read else { return None };
        Some((word, rest))
    }

    pub(super) fn decimal(&self, name: &str) -> Option<f64> {
        let Read::Decimal(number) = self.get(name)?.read else { return None };
        Some(number)
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let Read::Text(text) = &self.get(name)?.read else { return None };
        Some(text)
    }

    /// What stands before a note about `given`: whose it is, where it is not
    /// everybody's.
    pub(super) fn whose(&self, given: &JobOption) -> String {
        if given.is_own { format!("[{}] ", self.name) } else { String::new() }
    }
}
