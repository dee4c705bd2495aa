//! The answer in words: what was lost, what was done to the devices and by whom, what takes the
//! time, what else must be known.

use trace::analysis::Observation;

use super::view::TraceView;
use super::{activity, observation};
use crate::document::{Block, Rank, Section, Text};

/// Devices that the answer tells of; the tables have all.
const DEVICES_MOST: usize = 3;

pub(super) fn write(view: &TraceView<'_>) -> Section {
    let mut section = Section::new("answer", view.words().say("trace-answer"));
    let said = sentences(view).join(" ");
    section.put(Rank::Verdict, Block::Paragraph(Text::ticked(&said)));
    section
}

fn sentences(view: &TraceView<'_>) -> Vec<String> {
    if view.subject.is_steps {
        return of_steps(view);
    }
    let comes_first =
        |seen: &&Observation| matches!(seen, Observation::NothingSeen | Observation::LostEvents { .. });
    let (first, rest): (Vec<&Observation>, Vec<&Observation>) =
        view.report().observations.iter().partition(comes_first);
    let mut said: Vec<String> = first.into_iter().map(|seen| observation::sentence(view, seen)).collect();
    for device in view.devices().take(DEVICES_MOST) {
        said.extend(activity::of_device(view, device));
        said.extend(activity::after_command(view, device));
    }
    if view.devices().next().is_none() && !view.report().devices.is_empty() {
        said.push(observation::sentence(view, &Observation::NothingSeen));
    }
    said.extend(activity::by_whom(view));
    said.extend(rest.into_iter().map(|seen| observation::sentence(view, seen)));
    said
}

/// What a list of steps asks for. Its times say nothing of a device.
fn of_steps(view: &TraceView<'_>) -> Vec<String> {
    let mut said = Vec::new();
    for device in view.devices().take(DEVICES_MOST) {
        said.extend(activity::of_device(view, device));
    }
    let is_pattern = |seen: &&Observation| {
        matches!(
            seen,
            Observation::NothingSeen
                | Observation::MostlySequential { .. }
                | Observation::MostlyRandom { .. }
                | Observation::SmallSequential { .. }
        )
    };
    let patterns = view.report().observations.iter().filter(is_pattern);
    said.extend(patterns.map(|seen| observation::sentence(view, seen)));
    said
}
