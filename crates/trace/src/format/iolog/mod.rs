//! fio's iologs, versions 2 and 3: what its `write_iolog` writes and `read_iolog` reads.
//!
//! A line is `FILE ACTION` or `FILE ACTION OFFSET LENGTH`. In version 3 a time stands before
//! it, in microseconds since the beginning (`utime_since_now` in fio's `iolog.c`; its manual
//! does not name the unit). Version 2 has a line `FILE wait TIME 0` instead, of which there
//! are two readings: see [`WaitRule`].

mod read;
mod write;

use super::{FormatSpec, TraceContent};
use crate::replay::StepAction;

pub use read::IologReader;
pub use write::IologWriter;

/// Version 2.
pub static SPEC_V2: FormatSpec = FormatSpec {
    name: "iolog-v2",
    about: "fio's log of operations, version 2, without times but with waits",
    content: TraceContent::Steps,
    is_written: true,
    begins: Some(begins_v2),
    count: Some(read::count),
};

/// Version 3.
pub static SPEC_V3: FormatSpec = FormatSpec {
    name: "iolog-v3",
    about: "fio's log of operations, version 3, each with its time",
    content: TraceContent::Steps,
    is_written: true,
    begins: Some(begins_v3),
    count: Some(read::count),
};

fn begins_v2(head: &[u8]) -> bool {
    head.starts_with(IologVersion::V2.head().as_bytes())
}

fn begins_v3(head: &[u8]) -> bool {
    head.starts_with(IologVersion::V3.head().as_bytes())
}

/// The version of an iolog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IologVersion {
    /// Without times.
    V2,
    /// With times.
    V3,
}

impl IologVersion {
    /// The first line.
    const fn head(self) -> &'static str {
        match self {
            Self::V2 => "fio version 2 iolog",
            Self::V3 => "fio version 3 iolog",
        }
    }
}

/// What `wait` in an iolog of version 2 means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WaitRule {
    /// As fio's manual says: so many microseconds from the last wait on; under 100 it is none.
    #[default]
    Documented,
    /// As fio does, in all its versions from 3.31 to 3.39 at least (tried with 3.33): until so
    /// many milliseconds after the beginning.
    AsFioDoes,
}

/// Waits that are shorter are none, by the manual.
const WAIT_MIN_US: u64 = 100;
/// Longer lines are not read, by fio neither.
const LINE_BYTES_MAX: usize = 4096;
/// Longer names are cut by fio, which would then read another file, and refused here.
const NAME_BYTES_MAX: usize = 255;
/// So many files are kept.
const FILES_MAX: usize = 1 << 16;

/// What a line can say.
const ACTIONS: &[StepAction] = &[
    StepAction::Add,
    StepAction::Open,
    StepAction::Close,
    StepAction::Read,
    StepAction::Write,
    StepAction::Sync,
    StepAction::DataSync,
    StepAction::Trim,
    StepAction::Wait,
];

/// The word for an action. There is none for zeros, so these are written.
const fn word_of(action: StepAction) -> &'static str {
    match action {
        StepAction::Add => "add",
        StepAction::Open => "open",
        StepAction::Close => "close",
        StepAction::Read => "read",
        StepAction::Write | StepAction::WriteZeroes => "write",
        StepAction::Sync => "sync",
        StepAction::DataSync => "datasync",
        StepAction::Trim => "trim",
        StepAction::Wait => "wait",
    }
}
