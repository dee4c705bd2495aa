//! Writing: a file is added and opened before its first step, if no step did it, and closed
//! at the end, so that fio can replay any steps.
//!
//! What fio has no word for is said by the nearest one: zeros are written. It keeps neither
//! threads nor flags.

use std::io::Write;

use super::{IologVersion, NAME_BYTES_MAX, WAIT_MIN_US, WaitRule, word_of};
use crate::format::{FormatError, write_all};
use crate::replay::{Step, StepAction};

/// fio reads lengths of 32 bits; longer steps become several, each of so many bytes.
const LENGTH_MAX: u64 = 1 << 31;

/// What was done with a file so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileState {
    New,
    Added,
    Open,
}

/// Writes an iolog.
#[derive(Debug)]
pub struct IologWriter<W> {
    output: W,
    version: IologVersion,
    waits: WaitRule,
    files: Vec<(String, FileState)>,
    /// The time that a replay of what was written has come to.
    now_ns: u64,
}

impl<W: Write> IologWriter<W> {
    /// Writes the first line. The files are those that the steps name by number; waits are
    /// written for who reads them so.
    ///
    /// # Errors
    /// If fio could not read one of the names, or the line cannot be written.
    pub fn new(
        output: W,
        version: IologVersion,
        waits: WaitRule,
        files: &[String],
    ) -> Result<Self, FormatError> {
        let is_wrong = |name: &&String| {
            let bytes = name.len();
            bytes == 0 || bytes > NAME_BYTES_MAX || name.contains(|c: char| c.is_whitespace() || c == '\0')
        };
        if let Some(name) = files.iter().find(is_wrong) {
            return Err(FormatError::FileName(name.clone()));
        }
        let files = files.iter().map(|name| (name.clone(), FileState::New)).collect();
        let mut this = Self { output, version, waits, files, now_ns: 0 };
        write_all(&mut this.output, format!("{}\n", version.head()).as_bytes())?;
        Ok(this)
    }

    /// Writes a step. Steps come in order of time.
    ///
    /// # Errors
    /// If its file has no name, or it cannot be written.
    pub fn step(&mut self, step: &Step) -> Result<(), FormatError> {
        let Step { file, action, offset, length, .. } = *step;
        self.until(step)?;
        match action {
            StepAction::Wait => Ok(()),
            StepAction::Add => self.bring(file, FileState::Added),
            StepAction::Open => self.bring(file, FileState::Open),
            StepAction::Close => self.close(file),
            StepAction::Read | StepAction::Write | StepAction::WriteZeroes | StepAction::Trim => {
                self.bring(file, FileState::Open)?;
                let mut done = 0;
                loop {
                    let part = (length - done).min(LENGTH_MAX);
                    let at = offset.saturating_add(done);
                    self.line(file, &format!("{} {at} {part}", word_of(action)))?;
                    done += part;
                    if done >= length {
                        return Ok(());
                    }
                }
            }
            StepAction::Sync | StepAction::DataSync => {
                self.bring(file, FileState::Open)?;
                self.line(file, &format!("{} 0 0", word_of(action)))
            }
        }
    }

    /// Closes what is open.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> Result<W, FormatError> {
        for file in 0..self.files.len() {
            self.close(file as u32)?;
        }
        self.output.flush().map_err(FormatError::Write)?;
        Ok(self.output)
    }

    /// Lets the time pass until a step is due.
    fn until(&mut self, step: &Step) -> Result<(), FormatError> {
        let passed_ns = step.at_ns.saturating_sub(self.now_ns);
        let time = match (self.version, self.waits) {
            (IologVersion::V3, _) => {
                self.now_ns = self.now_ns.max(step.at_ns);
                return Ok(());
            }
            (IologVersion::V2, WaitRule::Documented) if passed_ns >= WAIT_MIN_US * 1000 => {
                // What is under a microsecond is waited for with the next wait.
                self.now_ns += passed_ns / 1000 * 1000;
                passed_ns / 1000
            }
            (IologVersion::V2, WaitRule::AsFioDoes) if step.at_ns / 1_000_000 > self.now_ns / 1_000_000 => {
                let until_ms = step.at_ns / 1_000_000;
                self.now_ns = until_ms * 1_000_000;
                until_ms
            }
            (IologVersion::V2, _) => return Ok(()),
        };
        self.bring(step.file, FileState::Added)?;
        self.line(step.file, &format!("{} {time} 0", word_of(StepAction::Wait)))
    }

    /// Adds and opens a file, as far as that was not done.
    fn bring(&mut self, file: u32, to: FileState) -> Result<(), FormatError> {
        let state = self.file(file)?.1;
        if state == FileState::New {
            self.line(file, word_of(StepAction::Add))?;
            self.file(file)?.1 = FileState::Added;
        }
        if state != FileState::Open && to == FileState::Open {
            self.line(file, word_of(StepAction::Open))?;
            self.file(file)?.1 = FileState::Open;
        }
        Ok(())
    }

    fn close(&mut self, file: u32) -> Result<(), FormatError> {
        if self.file(file)?.1 == FileState::Open {
            self.line(file, word_of(StepAction::Close))?;
            self.file(file)?.1 = FileState::Added;
        }
        Ok(())
    }

    fn file(&mut self, file: u32) -> Result<&mut (String, FileState), FormatError> {
        let place = usize::try_from(file).ok().and_then(|index| self.files.get_mut(index));
        place.ok_or(FormatError::NoFile(file))
    }

    fn line(&mut self, file: u32, rest: &str) -> Result<(), FormatError> {
        let time = match self.version {
            IologVersion::V2 => String::new(),
            IologVersion::V3 => format!("{} ", self.now_ns / 1000),
        };
        let line = format!("{time}{} {rest}\n", self.file(file)?.0);
        write_all(&mut self.output, line.as_bytes())
    }
}
