//! What a chart over time shows at each moment, written as the chart itself writes numbers, and a part of such a chart drawn
//! anew. A server gives both to a page that has a script: there the figures at the pointer and the picture come of the same
//! data and the same code.

use language::Words;

use super::clock::Clock;
use super::thin::Series;
use super::{Measured, Numbers};
use crate::svg::clean;

/// Columns of a readout at most: about as many as a wide sheet draws.
const COLUMNS: usize = 340;

/// A part of a chart over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotPart {
    /// From when to when, in seconds of the chart's clock; all of it where absent.
    pub span: Option<(f64, f64)>,
    /// The places of tracks that are not drawn, counted through all panels from 0.
    pub hidden: Vec<usize>,
}

impl PlotPart {
    /// What is to be shown of a chart from when to when; none where nothing of it would be left.
    pub(super) fn of(&self, span: (f64, f64)) -> Option<(f64, f64)> {
        let Some((from, to)) = self.span else { return Some(span) };
        let is_asked = from.is_finite() && to.is_finite();
        let (from, to) = (from.max(span.0), to.min(span.1));
        (is_asked && from < to).then_some((from, to))
    }
}

/// What a chart over time shows at each moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Readout {
    /// From when to when, in seconds.
    pub span: (f64, f64),
    /// For each of its drawings, the widest first: how wide it is, and from where to where the span reaches, in pixels.
    pub areas: Vec<ReadoutArea>,
    /// What is shown, top to bottom.
    pub tracks: Vec<ReadoutTrack>,
}

/// Where the time lies in a drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadoutArea {
    /// How wide the drawing is, in pixels.
    pub width: f64,
    /// Where the span begins.
    pub left: f64,
    /// Where it ends.
    pub right: f64,
}

/// One quantity at each moment.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadoutTrack {
    /// Its place among all tracks of the chart, by which it is hidden.
    pub place: usize,
    /// The panel that it stands in; empty where there is none.
    pub panel: String,
    /// Its name; empty where it has none beside its panel's.
    pub name: String,
    /// The class of its colour.
    pub colour: String,
    /// When the first value begins to hold, in seconds.
    pub start_s: f64,
    /// How long each value holds, in seconds.
    pub step_s: f64,
    /// The values with their units, and the least and greatest where one stands for several; absent where nothing was seen.
    pub values: Vec<Option<String>>,
}

/// The values of a series within a clock's span, each with its unit.
pub(super) fn values(
    series: Series<'_>,
    numbers: Numbers,
    clock: &Clock,
    words: &Words,
) -> (f64, f64, Vec<Option<String>>) {
    let within: Vec<(f64, f64, f64)> =
        series.intervals().filter(|(from, to, _)| *to > clock.span.0 && *from < clock.span.1).collect();
    match within.first() {
        Some((from, to, _)) if within.len() <= COLUMNS => {
            let write = |value: f64| value.is_finite().then(|| clean(&numbers.write(value)));
            (*from, to - from, within.iter().map(|(_, _, value)| write(*value)).collect())
        }
        _ => {
            let measured =
                |c: super::thin::Column| Measured { value: c.mean, interval: Some((c.min, c.max)) };
            let columns = series.columns(clock.span, COLUMNS);
            let write =
                |c: Option<super::thin::Column>| c.map(|c| clean(&numbers.measured(&measured(c), words)));
            (clock.span.0, clock.length() / COLUMNS as f64, columns.into_iter().map(write).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use language::Language;

    use crate::plot::{CpuLoad, CpuRow, Numbers, Panel, Panels, Plot, PlotPart, Track, svg};

    fn panels(values: &[f64], interval_s: f64) -> Panels {
        let track =
            |name: &str| Track { name: name.to_owned(), start_s: 0.0, interval_s, values: values.to_vec() };
        let panel = |title: &str, tracks| Panel {
            title: title.to_owned(),
            numbers: Numbers::Unit(model::Unit::BytesPerSecond),
            stacked: false,
            tracks,
            references: Vec::new(),
        };
        let panels =
            vec![panel("disk", vec![track("read"), track("written")]), panel("link", vec![track("")])];
        Panels { span: (0.0, interval_s * values.len() as f64), window: None, phases: Vec::new(), panels }
    }

    #[test]
    fn each_moment_has_the_figure_that_the_chart_would_write() {
        let readout = panels(&[1e6, f64::NAN, 2.5e6], 1.0).readout(Language::English.words()).unwrap();
        assert_eq!(readout.span, (0.0, 3.0));
        let names: Vec<_> =
            readout.tracks.iter().map(|t| (t.place, t.panel.as_str(), t.name.as_str())).collect();
        assert_eq!(names, [(0, "disk", "read"), (1, "disk", "written"), (2, "link", "")]);
        let first = &readout.tracks[0];
        assert_eq!((first.start_s, first.step_s), (0.0, 1.0));
        assert_eq!(first.values, [Some("1 MB/s".to_owned()), None, Some("2.5 MB/s".to_owned())]);
        assert_eq!(readout.areas.len(), 2);
        assert!(readout.areas.iter().all(|a| 0.0 < a.left && a.left < a.right && a.right <= a.width));
    }

    #[test]
    fn of_many_values_the_least_and_the_greatest_are_told() {
        let mut values = vec![1e6; 3400];
        values[5] = 9e6;
        let readout = panels(&values, 0.1).readout(Language::English.words()).unwrap();
        let told = readout.tracks[0].values[0].as_deref().unwrap();
        assert!(told.contains("1 MB/s to 9 MB/s"), "{told}");
        assert_eq!(readout.tracks[0].values[1].as_deref(), Some("1 MB/s (1 MB/s to 1 MB/s)"));
    }

    #[test]
    fn a_part_is_drawn_without_what_is_hidden_and_on_its_own_clock() {
        let whole = panels(&[1e6, 2e6, 3e6, 4e6], 1.0);
        let words = Language::English.words();
        let part = whole.part(&PlotPart { span: Some((1.0, 3.0)), hidden: vec![0] }).unwrap();
        let readout = part.readout(words).unwrap();
        assert_eq!(readout.span, (1.0, 3.0));
        assert!(readout.tracks[0].values.iter().all(Option::is_none), "it is hidden");
        assert_eq!(readout.tracks[1].values, ["2 MB/s", "3 MB/s"].map(|v| Some(v.to_owned())));
        assert_ne!(svg(part.as_ref(), "x", words), svg(&whole, "x", words));
        // Nothing is left of it.
        for span in [(5.0, 6.0), (2.0, 2.0), (3.0, 1.0), (f64::NAN, 2.0)] {
            assert!(whole.part(&PlotPart { span: Some(span), hidden: vec![] }).is_none(), "{span:?}");
        }
    }

    #[test]
    fn the_load_of_each_processor_is_read() {
        let row = |cpu, busy: &[f64]| CpuRow {
            cpu,
            start_s: 0.0,
            interval_s: 1.0,
            busy: busy.to_vec(),
            note: None,
        };
        let load =
            CpuLoad { span: (0.0, 2.0), window: None, cpus: vec![row(0, &[0.5, 1.0]), row(1, &[0.0, 0.25])] };
        let words = Language::English.words();
        let readout = load.readout(words).unwrap();
        assert_eq!(readout.tracks[1].values, [Some("0 %".to_owned()), Some("25 %".to_owned())]);
        let part = load.part(&PlotPart { span: Some((1.0, 9.0)), hidden: vec![] }).unwrap();
        assert_eq!(part.readout(words).unwrap().tracks[0].values, [Some("100 %".to_owned())]);
    }
}
