//! What the report of a trace is made from.

use std::collections::BTreeMap;

use machine::trace::{CaptureSummary, ProcessIo};
use trace::{Device, Report};

/// All that is known of a trace.
#[derive(Clone, Copy, Debug)]
pub struct TraceSubject<'a> {
    /// What its records say.
    pub report: &'a Report,
    /// What the kernel calls the devices, as far as that is known.
    pub names: &'a BTreeMap<Device, String>,
    /// What was asked for: a device, a path, a file.
    pub target: &'a str,
    /// What came of the capture; nothing for a trace from a file.
    pub capture: Option<&'a CaptureSummary>,
    /// The command that was traced.
    pub command: Option<&'a TracedCommandEnd>,
    /// Whether it is a list of what to do, of which nothing was completed.
    pub is_steps: bool,
    /// What must be kept in mind.
    pub cautions: &'a [TraceCaution],
    /// The words.
    pub words: &'static language::Words,
}

/// A command that was traced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedCommandEnd {
    /// The command, as a shell would have it.
    pub line: String,
    /// How it ended.
    pub ending: CommandEnding,
    /// What it and its children read and wrote, where the kernel told.
    pub io: Option<ProcessIo>,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandEnding {
    /// With this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl CommandEnding {
    /// Whether it says that all went well.
    #[must_use]
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Code(0))
    }
}

/// What must be kept in mind with the figures of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceCaution {
    /// A device was gone before the trace ended.
    Vanished {
        /// Its name.
        device: String,
    },
    /// Only a partition was asked for, and events are of whole disks.
    Partition {
        /// The partition.
        part: String,
        /// Its disk.
        disk: String,
        /// How many events of other parts were left out.
        left_out: u64,
    },
    /// A device stands on others, which were not traced.
    Stacked {
        /// Its name.
        device: String,
        /// On what it stands.
        members: Vec<String>,
    },
    /// A file ends within an event.
    Torn {
        /// The file.
        file: String,
    },
    /// A file goes on with something else.
    Damaged {
        /// The file.
        file: String,
    },
    /// Events of a file that could not be read.
    Unread {
        /// How many.
        events: u64,
    },
    /// The trace ended before the command did.
    CommandLonger,
    /// The trace ended before all was written that was in memory when the command ended.
    LeftInMemory,
}
