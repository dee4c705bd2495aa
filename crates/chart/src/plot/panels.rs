//! Quantities over time in panels, one below the other, on one clock.
//!
//! Where intervals are shorter than a column of pixels, a column shows all that
//! fall into it: its mean as a line, its least and greatest as a shade.

mod draw;

use language::Words;

use super::clock::Clock;
use super::style::WIDTHS;
use super::thin::{Series, Summary};
use super::wording::{self, duration};
use super::{DataTable, Drawing, Numbers, Plot, PlotPart, Readout, ReadoutTrack, Reference, readout, series};
use crate::svg::clean;

/// Panels that share one axis of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Panels {
    /// From when to when, in seconds of the clock that all tracks have.
    pub span: (f64, f64),
    /// The part that counts, in the same seconds.
    pub window: Option<(f64, f64)>,
    /// What else has a name, such as a rest before the window.
    pub phases: Vec<PhaseSpan>,
    /// The panels, top to bottom.
    pub panels: Vec<Panel>,
}

/// A stretch of time with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseSpan {
    /// When it begins, in the seconds of the clock.
    pub from: f64,
    /// When it ends.
    pub to: f64,
    /// What it is.
    pub name: String,
}

/// One panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What it shows: `disk vda`.
    pub title: String,
    /// How its numbers are written.
    pub numbers: Numbers,
    /// Whether tracks stand upon one another, as parts of a whole do.
    pub stacked: bool,
    /// The tracks.
    pub tracks: Vec<Track>,
    /// Lines across.
    pub references: Vec<Reference>,
}

/// One quantity: each value is the mean, or the state, of an interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Its name.
    pub name: String,
    /// When the first interval began, in seconds.
    pub start_s: f64,
    /// How long an interval is, in seconds.
    pub interval_s: f64,
    /// One value an interval; what is not finite was not seen.
    pub values: Vec<f64>,
}

/// At most so many tracks are described in words.
const TOLD: usize = 6;

impl Track {
    fn series(&self) -> Series<'_> {
        Series { start_s: self.start_s, interval_s: self.interval_s, values: &self.values }
    }

    fn full_name(&self, panel: &Panel) -> String {
        match (panel.title.is_empty(), self.name.is_empty()) {
            (true, _) => self.name.clone(),
            (_, true) => panel.title.clone(),
            _ => format!("{}, {}", panel.title, self.name),
        }
    }

    /// What it comes to, in a sentence.
    fn told(&self, panel: &Panel, clock: &Clock, words: &Words) -> Option<String> {
        let Summary { min, max, mean } = self.series().summary(clock.counted())?;
        let write = |value: f64| wording::text(panel.numbers.write(value));
        let arguments = [
            ("name", wording::name(&self.full_name(panel))),
            ("mean", write(mean)),
            ("low", write(min.value)),
            ("high", write(max.value)),
            ("at", wording::text(duration(max.at_s))),
        ];
        Some(words.tell("panels-said", &arguments))
    }
}

impl Panels {
    fn tracks(&self) -> impl Iterator<Item = (&Panel, &Track)> {
        self.panels.iter().flat_map(|panel| panel.tracks.iter().map(move |track| (panel, track)))
    }
}

impl Plot for Panels {
    fn draw(&self, words: &Words, width: f64) -> Drawing {
        draw::draw(self, words, width)
    }

    fn is_over_time(&self) -> bool {
        true
    }

    fn readout(&self, words: &Words) -> Option<Readout> {
        let clock = Clock::new(self.span, self.window)?;
        let area = |(_, width): (&str, f64)| draw::area(self, &clock, width);
        let mut tracks = Vec::new();
        for panel in &self.panels {
            for (series, track) in panel.tracks.iter().enumerate() {
                let (start_s, step_s, values) = readout::values(track.series(), panel.numbers, &clock, words);
                let (panel, name) = (clean(&panel.title), clean(&track.name));
                let (place, colour) = (tracks.len(), series::colour(series));
                tracks.push(ReadoutTrack { place, panel, name, colour, start_s, step_s, values });
            }
        }
        Some(Readout { span: clock.span, areas: WIDTHS.map(area).to_vec(), tracks })
    }

    fn part(&self, part: &PlotPart) -> Option<Box<dyn Plot>> {
        let span = part.of(self.span)?;
        let mut shown = Self { span, ..self.clone() };
        let tracks = shown.panels.iter_mut().flat_map(|panel| &mut panel.tracks);
        // Its place, and so its colour, stays.
        let hidden = tracks.enumerate().filter(|(place, _)| part.hidden.contains(place));
        hidden.for_each(|(_, track)| track.values.fill(f64::NAN));
        Some(Box::new(shown))
    }

    fn describe(&self, words: &Words) -> String {
        let seen = |clock: &Clock| self.tracks().any(|(_, t)| t.series().summary(clock.span).is_some());
        let Some(clock) = Clock::new(self.span, self.window).filter(seen) else {
            return words.say("chart-nothing");
        };
        let length = duration(clock.length());
        let arguments = [("count", wording::count(self.panels.len())), ("length", wording::text(length))];
        let mut sentences = vec![words.tell("panels-describe", &arguments)];
        if let Some((from, to)) = clock.window {
            let arguments = [("from", wording::text(duration(from))), ("to", wording::text(duration(to)))];
            sentences.push(words.tell("panels-describe-window", &arguments));
        }
        for phase in self.phases.iter().filter(|p| p.from.is_finite() && p.to > p.from) {
            let (from, to) = (wording::text(duration(phase.from)), wording::text(duration(phase.to)));
            let arguments = [("name", wording::name(&phase.name)), ("from", from), ("to", to)];
            sentences.push(words.tell("panels-phase", &arguments));
        }
        let said: Vec<String> = self.tracks().filter_map(|(p, t)| t.told(p, &clock, words)).collect();
        sentences.extend(said.iter().take(TOLD).cloned());
        sentences.extend(wording::rest(words, "panels-rest", said.len(), TOLD));
        sentences.join(" ")
    }

    fn table(&self, words: &Words) -> DataTable {
        let keys = ["panel", "track", "mean", "least", "greatest", "at"];
        let head = keys.map(|key| words.say(&format!("panels-{key}"))).to_vec();
        let Some(clock) = Clock::new(self.span, self.window) else {
            return DataTable { head, rows: Vec::new() };
        };
        let row = |(panel, track): (&Panel, &Track)| {
            let mut row = vec![clean(&panel.title), clean(&track.name)];
            match track.series().summary(clock.counted()) {
                Some(Summary { min, max, mean }) => {
                    row.extend([mean, min.value, max.value].map(|value| panel.numbers.write(value)));
                    row.push(duration(max.at_s));
                }
                None => row.extend([words.say("panels-none"), String::new(), String::new(), String::new()]),
            }
            row
        };
        DataTable { head, rows: self.tracks().map(row).collect() }
    }
}

#[cfg(test)]
mod tests {
    use language::Language;

    use super::*;
    use crate::plot::check::{self, Dice, paths};
    use crate::plot::path::corners;
    use crate::plot::{Drawing, ReferenceKind};

    fn track(interval_s: f64, values: Vec<f64>) -> Track {
        Track { name: "read".to_owned(), start_s: 0.0, interval_s, values }
    }

    fn panel(tracks: Vec<Track>) -> Panel {
        Panel { title: "disk".into(), numbers: Numbers::Count, stacked: false, tracks, references: vec![] }
    }

    fn one(length: f64, track: Track) -> Panels {
        Panels { span: (0.0, length), window: None, phases: vec![], panels: vec![panel(vec![track])] }
    }

    fn draw(panels: &Panels, width: f64) -> Drawing {
        panels.draw(Language::English.words(), width)
    }

    #[test]
    fn a_stall_of_a_tenth_of_a_second_in_an_hour_is_drawn_to_the_ground() {
        for at in [0, 1, 12_345, 29_999, 35_999] {
            for (value, down) in [(0.0, true), (200.0, false)] {
                let mut values = vec![100.0; 36_000];
                values[at] = value;
                let panels = one(3600.0, track(0.1, values));
                for width in [760.0, 340.0] {
                    let drawing = draw(&panels, width);
                    let shade: Vec<(f64, f64)> =
                        paths(&drawing, "u").iter().flat_map(|d| corners(d)).flatten().collect();
                    let (low, high) = (
                        shade.iter().map(|p| p.1).fold(f64::INFINITY, f64::min),
                        shade.iter().map(|p| p.1).fold(f64::NEG_INFINITY, f64::max),
                    );
                    let ground =
                        paths(&drawing, "a").iter().flat_map(|d| corners(d)).flatten().next().unwrap().1;
                    if down {
                        assert!((high - ground).abs() < 0.6, "{at} in {width}: {high} of {ground}");
                    } else {
                        assert!(high - low > 20.0, "{at} in {width}: {low} to {high}");
                    }
                    let peak = shade.iter().find(|p| p.1 == if down { high } else { low }).unwrap().0;
                    let (left, right) = (shade[0].0, shade.iter().map(|p| p.0).fold(0.0, f64::max));
                    let wanted = left + (right - left) * at as f64 / 36_000.0;
                    assert!((peak - wanted).abs() < 2.5, "{at} in {width}: at {peak}, not {wanted}");
                }
            }
        }
    }

    #[test]
    fn an_hour_of_noise_is_small() {
        let mut dice = Dice(3);
        let values = (0..36_000).map(|_| dice.share() * 1e9).collect();
        let panels = one(3600.0, track(0.1, values));
        let bytes: usize = [760.0, 340.0]
            .map(|width| {
                let drawing = draw(&panels, width);
                ["u", "j"].iter().flat_map(|class| paths(&drawing, class)).map(|d| d.len()).sum::<usize>()
            })
            .iter()
            .sum();
        assert!(bytes < 6200, "{bytes}");
        assert!(bytes > 3000, "{bytes}: is it drawn at all?");
    }

    #[test]
    fn few_intervals_are_drawn_one_by_one() {
        let drawing = draw(&one(3.0, track(1.0, vec![0.0, 2.0, 1.0])), 760.0);
        assert!(paths(&drawing, "u").is_empty());
        let steps = corners(&paths(&drawing, "j")[0]).remove(0);
        // Down and up again: six corners, two a height.
        assert_eq!(steps.len(), 6);
        assert_eq!(steps[0].1, steps[1].1);
        assert!(steps[2].1 < steps[4].1 && steps[4].1 < steps[0].1);
    }

    #[test]
    fn what_was_not_seen_is_a_gap() {
        let drawing = draw(&one(4.0, track(1.0, vec![1.0, f64::NAN, 1.0, 1.0])), 760.0);
        assert_eq!(corners(&paths(&drawing, "j")[0]).len(), 2);
        let mut values = vec![5.0; 36_000];
        values[10_000..20_000].fill(f64::NAN);
        let drawing = draw(&one(3600.0, track(0.1, values)), 760.0);
        assert_eq!(corners(&paths(&drawing, "j")[0]).len(), 2);
    }

    #[test]
    fn parts_stand_upon_one_another() {
        let mut panels = one(2.0, track(1.0, vec![1.0, 2.0]));
        panels.panels[0].stacked = true;
        panels.panels[0].tracks.push(track(1.0, vec![2.0, f64::NAN]));
        let drawing = draw(&panels, 760.0);
        let areas = paths(&drawing, "s");
        let height = |d: &str| {
            let points: Vec<(f64, f64)> = corners(d).into_iter().flatten().collect();
            points.iter().map(|p| p.1).fold(0.0, f64::max) - points.iter().map(|p| p.1).fold(1e9, f64::min)
        };
        assert!((height(&areas[0]) / height(&areas[1]) - 3.0).abs() < 0.05, "{areas:?}");
        // Where one part was not seen, the whole is not known.
        let right = |d: &str| corners(d).into_iter().flatten().map(|p| p.0).fold(0.0, f64::max);
        assert!(right(&areas[0]) < 450.0, "{areas:?}");
    }

    #[test]
    fn the_greatest_sum_is_not_the_sum_of_the_greatest() {
        // Two that take turns: each reaches 1, both together never more than 1.
        let turns = |odd: usize| (0..36_000).map(|i| if i % 2 == odd { 1.0 } else { 0.0 }).collect();
        let mut panels = one(3600.0, track(0.1, turns(0)));
        panels.panels[0].tracks.push(track(0.1, turns(1)));
        panels.panels[0].stacked = true;
        let drawing = draw(&panels, 760.0);
        let top = corners(&paths(&drawing, "h")[0]).remove(0);
        let ground = corners(&paths(&drawing, "a")[0])[0][0].1;
        let whole = corners(&paths(&drawing, "s")[0]).remove(0);
        assert!((whole[0].1 - top[0].1).abs() < 1.0, "{whole:?} {top:?}");
        assert!(ground - top[0].1 > 40.0);
        panels.panels[0].tracks[0].values[9_000..18_000].fill(f64::NAN);
        let drawing = draw(&panels, 760.0);
        assert_eq!(corners(&paths(&drawing, "h")[0]).len(), 2, "the sum was seen where a part was not");
    }

    #[test]
    fn the_words_are_of_the_window_alone() {
        let mut panels = one(4.0, track(1.0, vec![9.0, 1.0, 3.0, 0.0]));
        panels.window = Some((1.0, 3.0));
        let words = Language::English.words();
        assert_eq!(
            panels.describe(words),
            "One panel over 4 s. The window that counts is from 1 s to 3 s; the figures are of it. \
             disk, read: mean 2, least 1, greatest 3 at 2 s."
        );
        assert_eq!(panels.table(words).rows, [["disk", "read", "2", "1", "3", "2 s"]]);
        assert!(check::texts(&panels, words, 760.0).iter().any(|t| t == "window that counts: 2 s"));
    }

    #[test]
    fn phases_of_the_window_are_named_and_parted_by_lines() {
        let mut panels = one(40.0, track(1.0, vec![1.0; 40]));
        panels.window = Some((0.0, 40.0));
        let without = paths(&draw(&panels, 760.0), "a").len();
        let phase = |from, to, name: &str| PhaseSpan { from, to, name: name.to_owned() };
        panels.phases =
            vec![phase(0.0, 10.0, "before"), phase(10.0, 30.0, "rebuilding"), phase(30.0, 40.1, "after")];
        let words = Language::English.words();
        let said = check::texts(&panels, words, 760.0);
        for name in ["before", "rebuilding", "after", "window that counts: 40 s"] {
            assert!(said.iter().any(|text| text == name), "{name}: {said:?}");
        }
        assert_eq!(paths(&draw(&panels, 760.0), "a").len(), without + 2);
        assert!(panels.describe(words).contains("rebuilding"));
        check::hold(&panels, "phases of the window");
        // Beside the window there are no lines.
        panels.window = Some((10.0, 30.0));
        panels.phases.remove(1);
        assert_eq!(paths(&draw(&panels, 760.0), "a").len(), without);
    }

    #[test]
    fn nothing_is_said_to_be_nothing() {
        let words = Language::English.words();
        let panels = Panels { span: (0.0, 0.0), window: None, phases: vec![], panels: vec![] };
        assert_eq!(panels.describe(words), "Nothing was measured.");
        check::hold(&panels, "no panels");
        check::hold(&one(1.0, track(1.0, vec![])), "no values");
    }

    #[test]
    fn panels_of_a_trial_look_as_they_did() {
        let mut disk = panel(vec![track(0.5, vec![520e6, 530e6, 510e6, 525e6, 90e6, 515e6])]);
        disk.numbers = Numbers::Unit(model::Unit::BytesPerSecond);
        let limit = |value, label: &str| Reference { value, label: label.into(), kind: ReferenceKind::Limit };
        disk.references = vec![limit(560e6, "SATA 3: 560 MB/s"), limit(3.9e9, "PCIe: 3.9 GB/s")];
        let busy = |values: &[f64], name: &str| Track { name: name.into(), ..track(0.5, values.to_vec()) };
        let mut cpu = panel(vec![
            busy(&[0.1, 0.2, 0.2, 0.2, 0.1, 0.2], "user"),
            busy(&[0.3, 0.3, 0.4, 0.4, 0.1, 0.4], "system"),
        ]);
        (cpu.title, cpu.numbers, cpu.stacked) = ("CPU".into(), Numbers::Share, true);
        let panels =
            Panels { span: (0.0, 3.0), window: Some((0.5, 3.0)), phases: vec![], panels: vec![disk, cpu] };
        insta::assert_snapshot!(crate::plot::svg(&panels, "A trial", Language::English.words()));
    }

    #[test]
    fn whatever_comes_is_drawn_within_the_sheet() {
        let mut dice = Dice(11);
        for round in 0..40 {
            let panels = (0..dice.below(6)).map(|_| any_panel(&mut dice)).collect();
            let start = if dice.below(5) == 0 { dice.value() } else { 0.0 };
            let span = (start, start + if dice.below(8) == 0 { dice.value() } else { 10.0 });
            let window = (dice.below(2) == 0).then(|| (start + dice.value(), start + 8.0 * dice.share()));
            check::hold(&Panels { span, window, phases: vec![], panels }, &format!("round {round}"));
        }
    }

    fn any_panel(dice: &mut Dice) -> Panel {
        let numbers = [Numbers::Count, Numbers::Share, Numbers::Bits, Numbers::Unit(model::Unit::Celsius)];
        let tracks = (0..dice.below(9))
            .map(|_| {
                let count = [0, 1, 9, 3000][dice.below(4)];
                let interval_s = if dice.below(9) == 0 { dice.value() } else { 10.0 / count as f64 };
                let values = (0..count).map(|_| dice.value()).collect();
                Track { name: dice.name(), start_s: dice.share() - 0.5, interval_s, values }
            })
            .collect();
        let kinds = [ReferenceKind::Limit, ReferenceKind::Promise, ReferenceKind::Ideal];
        let references = (0..dice.below(4))
            .map(|_| Reference { value: dice.value(), label: dice.name(), kind: kinds[dice.below(3)] })
            .collect();
        let (title, stacked) = (dice.name(), dice.below(3) == 0);
        Panel { title, numbers: numbers[dice.below(4)], stacked, tracks, references }
    }
}
