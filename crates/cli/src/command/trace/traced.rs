//! What a trace came to.

use std::collections::BTreeMap;

use machine::trace::CaptureSummary;
use report::trace::{TraceCaution, TracedCommandEnd};
use trace::{Device, Report};

use crate::exit::Failure;

/// A trace that is over.
#[derive(Debug)]
pub(super) struct Traced {
    pub(super) report: Report,
    /// What the kernel calls the devices.
    pub(super) names: BTreeMap<Device, String>,
    /// What was asked for.
    pub(super) target: String,
    pub(super) capture: Option<CaptureSummary>,
    pub(super) command: Option<TracedCommandEnd>,
    /// Whether it is a list of what to do.
    pub(super) is_steps: bool,
    pub(super) cautions: Vec<TraceCaution>,
    /// Whether somebody asked to stop.
    pub(super) is_interrupted: bool,
    /// What could not be written, though all else was done.
    pub(super) unwritten: Option<Failure>,
}

impl Traced {
    /// How much there was, where the events themselves were asked for.
    pub(super) fn summary_line(&self) -> String {
        let losses = &self.report.losses;
        let lost = match (losses.times, losses.times_unknown) {
            (0, _) => "none lost".to_owned(),
            (_, 0) => format!("{} LOST", losses.events),
            _ => format!("more than {} LOST", losses.events),
        };
        let ended = self.command.as_ref().filter(|command| !command.ending.is_success());
        let ended = ended
            .map(|command| format!("The command `{}` failed.\n", report::text::printable(&command.line)));
        format!("{} events, {lost}\n{}", self.report.span.block_events, ended.unwrap_or_default())
    }
}
