//! What was read of a trace, beside its records.

/// At which time of day the clock of a trace had a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WallClock {
    /// The trace's time.
    pub trace_ns: u64,
    /// Nanoseconds since 1970 at that moment.
    pub unix_ns: u64,
}

/// What was read of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlktraceSummary {
    /// Events of the block layer.
    pub events: u64,
    /// Notes: names of processes, the time, texts.
    pub notes: u64,
    /// Events that are not known, or that nothing here stands for.
    pub unknown: u64,
    /// Events without what belongs to them.
    pub garbled: u64,
    /// Events that are missing in the numbers.
    pub lost: u64,
    /// Events that came after a later one of their file.
    pub backwards: u64,
    /// Files that end inside of an event, by their place among the inputs.
    pub torn: Vec<usize>,
    /// Files that go on with something else, and from which byte on.
    pub damaged: Vec<(usize, u64)>,
    /// The time of day, where the trace has it.
    pub clock: Option<WallClock>,
}
