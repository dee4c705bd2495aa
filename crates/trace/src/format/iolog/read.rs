//! Reading: a step for each line.

use std::collections::HashMap;
use std::io::{BufRead, Read};

use super::{
    ACTIONS, FILES_MAX, IologVersion, LINE_BYTES_MAX, NAME_BYTES_MAX, SPEC_V3, WAIT_MIN_US, WaitRule, word_of,
};
use crate::format::{FormatError, LineProblem};
use crate::replay::{Step, StepAction};

/// Reads the steps of an iolog.
#[derive(Debug)]
pub struct IologReader<R> {
    reader: R,
    version: IologVersion,
    waits: WaitRule,
    line: u64,
    numbers: HashMap<String, u32>,
    /// The names by number, and whether each is open.
    files: Vec<(String, bool)>,
    /// The time of the last wait.
    now_ns: u64,
    is_ended: bool,
}

impl<R: BufRead> IologReader<R> {
    /// Reads the first line.
    ///
    /// # Errors
    /// If it is that of no iolog of version 2 or 3.
    pub fn new(reader: R, waits: WaitRule) -> Result<Self, FormatError> {
        let mut this = Self {
            reader,
            version: IologVersion::V3,
            waits,
            line: 0,
            numbers: HashMap::new(),
            files: Vec::new(),
            now_ns: 0,
            is_ended: false,
        };
        let not_this = FormatError::NotThis { format: SPEC_V3.name };
        let first = match this.line() {
            Ok(first) => first.unwrap_or_default(),
            Err(FormatError::Line { .. }) => return Err(not_this),
            Err(e) => return Err(e),
        };
        let versions = [IologVersion::V2, IologVersion::V3];
        let version = versions.into_iter().find(|version| first.trim_end() == version.head());
        this.version = version.ok_or(not_this)?;
        Ok(this)
    }

    /// Which version it is.
    #[must_use]
    pub const fn version(&self) -> IologVersion {
        self.version
    }

    /// The name of a file whose number a step had.
    #[must_use]
    pub fn file(&self, number: u32) -> Option<&str> {
        let index = usize::try_from(number).ok()?;
        self.files.get(index).map(|(name, _)| name.as_str())
    }

    /// The names of all files so far, by number.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(name, _)| name.as_str())
    }

    /// The next line.
    fn line(&mut self) -> Result<Option<String>, FormatError> {
        let mut bytes = Vec::new();
        let mut reader = self.reader.by_ref().take(LINE_BYTES_MAX as u64 + 1);
        let read = reader.read_until(b'\n', &mut bytes).map_err(FormatError::Read)?;
        if read == 0 {
            return Ok(None);
        }
        self.line += 1;
        if read > LINE_BYTES_MAX {
            return Err(self.wrong(LineProblem::TooLong { max: LINE_BYTES_MAX }));
        }
        String::from_utf8(bytes).map(Some).map_err(|_| self.wrong(LineProblem::NotText))
    }

    fn wrong(&self, problem: LineProblem) -> FormatError {
        FormatError::Line { line: self.line, problem }
    }

    fn next_step(&mut self) -> Result<Option<Step>, FormatError> {
        while let Some(line) = self.line()? {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            if words.is_empty() {
                continue;
            }
            let step = self.step(&words).map_err(|problem| self.wrong(problem))?;
            if let Some(step) = step {
                return Ok(Some(step));
            }
        }
        Ok(None)
    }

    /// The step of a line. A wait that is too short is none.
    fn step(&mut self, words: &[&str]) -> Result<Option<Step>, LineProblem> {
        let (at_ns, rest) = match (self.version, words) {
            (IologVersion::V3, [time, rest @ ..]) => {
                let at_ns = number(time)?.checked_mul(1000);
                (at_ns.ok_or_else(|| LineProblem::Number((*time).to_owned()))?, rest)
            }
            (_, rest) => (self.now_ns, rest),
        };
        let (name, word, place) = match *rest {
            [name, word] => (name, word, None),
            [name, word, offset, length] => (name, word, Some((number(offset)?, number(length)?))),
            _ => return Err(self.words(words)),
        };
        let is_known =
            |action: &&StepAction| **action != StepAction::Wait || self.version == IologVersion::V2;
        let known = ACTIONS.iter().find(|action| word_of(**action) == word).filter(is_known);
        let Some(&action) = known else { return Err(LineProblem::Action(word.to_owned())) };
        let has_place = !matches!(action, StepAction::Add | StepAction::Open | StepAction::Close);
        if has_place != place.is_some() {
            return Err(self.words(words));
        }
        let file = self.number_of(name, action)?;
        let (offset, length) = place.unwrap_or_default();
        match action {
            StepAction::Wait => Ok(self.wait(file, offset)),
            // fio writes where the last operation was.
            StepAction::Sync | StepAction::DataSync => Ok(Some(Step::new(at_ns, file, action))),
            _ => Ok(Some(Step { offset, length, ..Step::new(at_ns, file, action) })),
        }
    }

    fn words(&self, words: &[&str]) -> LineProblem {
        let expected = match self.version {
            IologVersion::V2 => "FILE ACTION [OFFSET LENGTH]",
            IologVersion::V3 => "TIME FILE ACTION [OFFSET LENGTH]",
        };
        LineProblem::Words { words: words.len(), expected }
    }

    /// The number of a file that this may be done with.
    fn number_of(&mut self, name: &str, action: StepAction) -> Result<u32, LineProblem> {
        let known = self.numbers.get(name).copied();
        let number = match (action, known) {
            (StepAction::Add, None) if name.len() > NAME_BYTES_MAX => {
                return Err(LineProblem::NameTooLong { max: NAME_BYTES_MAX });
            }
            (StepAction::Add, None) if self.files.len() >= FILES_MAX => {
                return Err(LineProblem::TooManyFiles { max: FILES_MAX });
            }
            (StepAction::Add, None) => {
                let number = self.files.len() as u32;
                self.numbers.insert(name.to_owned(), number);
                self.files.push((name.to_owned(), false));
                number
            }
            (_, Some(number)) => number,
            (_, None) => return Err(LineProblem::NotAdded(name.to_owned())),
        };
        let Some((_, is_open)) = self.files.get_mut(number as usize) else { return Ok(number) };
        match action {
            StepAction::Add | StepAction::Wait => {}
            StepAction::Open => *is_open = true,
            _ if !*is_open => return Err(LineProblem::NotOpen(name.to_owned())),
            StepAction::Close => *is_open = false,
            _ => {}
        }
        Ok(number)
    }

    fn wait(&mut self, file: u32, time: u64) -> Option<Step> {
        let until_ns = match self.waits {
            WaitRule::Documented if time < WAIT_MIN_US => self.now_ns,
            WaitRule::Documented => self.now_ns.saturating_add(time.saturating_mul(1000)),
            WaitRule::AsFioDoes => self.now_ns.max(time.saturating_mul(1_000_000)),
        };
        let length = until_ns - self.now_ns;
        self.now_ns = until_ns;
        (length > 0).then_some(Step { length, ..Step::new(until_ns, file, StepAction::Wait) })
    }
}

impl<R: BufRead> Iterator for IologReader<R> {
    type Item = Result<Step, FormatError>;

    /// The next step; nothing comes after an error.
    fn next(&mut self) -> Option<Self::Item> {
        if self.is_ended {
            return None;
        }
        let next = self.next_step().transpose();
        self.is_ended = !matches!(next, Some(Ok(_)));
        next
    }
}

fn number(word: &str) -> Result<u64, LineProblem> {
    // The parser accepts a plus sign.
    let is_plain = word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|_| is_plain).ok_or_else(|| LineProblem::Number(word.to_owned()))
}

/// How many steps are in these bytes.
pub(super) fn count(bytes: &[u8]) -> u64 {
    let Ok(reader) = IologReader::new(bytes, WaitRule::AsFioDoes) else { return 0 };
    reader.filter(Result::is_ok).count() as u64
}
