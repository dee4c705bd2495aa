//! What can be wrong with a trace in a file, or with writing one.

use std::io;

/// Why a trace cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// The reader failed.
    #[error("the trace cannot be read: {0}")]
    Read(#[source] io::Error),
    /// The writer failed.
    #[error("the trace cannot be written: {0}")]
    Write(#[source] io::Error),
    /// It begins otherwise.
    #[error("this is not a trace in the format `{format}`")]
    NotThis {
        /// The format that was expected.
        format: &'static str,
    },
    /// It is of a version that nobody here knows.
    #[error("version {version} of the format `{format}` is not supported; version {supported} is")]
    Version {
        /// The format.
        format: &'static str,
        /// What the file says.
        version: u32,
        /// What is read.
        supported: u32,
    },
    /// What describes the trace as a whole cannot be read.
    #[error("the header of the trace {0}")]
    Header(&'static str),
    /// A line of a text.
    #[error("line {line}: {problem}")]
    Line {
        /// Which one, from 1.
        line: u64,
        /// What is wrong with it.
        problem: LineProblem,
    },
    /// An event of a CPU that the format has no place for.
    #[error("an event happened on CPU {cpu}, but there is room for {cpus} CPUs")]
    Cpu {
        /// The event's.
        cpu: u32,
        /// How many there can be.
        cpus: u32,
    },
    /// A file that fio could not read back.
    #[error("fio cannot read the file name `{0}`: it must have 1 to 255 bytes and no white space")]
    FileName(String),
    /// A step of a file that nobody named.
    #[error("an operation is on file number {0}, which has no name")]
    NoFile(u32),
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineProblem {
    /// It cannot be a line of this format.
    #[error("it is longer than {max} bytes")]
    TooLong {
        /// How long it may be.
        max: usize,
    },
    /// Bytes that are no text.
    #[error("it is not UTF-8")]
    NotText,
    /// Words are missing, or there are too many.
    #[error("it has {words} words; `{expected}` was expected")]
    Words {
        /// How many it has.
        words: usize,
        /// What a line looks like.
        expected: &'static str,
    },
    /// A word that must be a number.
    #[error("`{0}` is not a number in range")]
    Number(String),
    /// A word that must be an action.
    #[error("`{0}` is not an action that is known here")]
    Action(String),
    /// A file that was not added before.
    #[error("the file `{0}` was not added before")]
    NotAdded(String),
    /// A file that was not opened before.
    #[error("the file `{0}` is not open")]
    NotOpen(String),
    /// A name that is longer than fio reads.
    #[error("the name of its file is longer than {max} bytes")]
    NameTooLong {
        /// How long it may be.
        max: usize,
    },
    /// More files than are kept.
    #[error("there are more than {max} files")]
    TooManyFiles {
        /// How many there may be.
        max: usize,
    },
}
