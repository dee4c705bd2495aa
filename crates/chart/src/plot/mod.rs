//! Charts of measurements. A kind is one file: a struct of data in SI base
//! units that knows how to draw itself, to say in words what it shows, and to
//! give its numbers as a table. Which kind a case gets is not decided here.
//!
//! Every chart is drawn twice, for a screen (and paper) and for a phone, as two
//! `svg` elements side by side; the style sheet of a page, [`style_sheet`],
//! shows one. There are no scripts: tooltips are `title` elements. Nothing is
//! shown by colour alone.

mod bars;
mod boxes;
mod canvas;
mod cells;
mod chain;
#[cfg(test)]
mod check;
mod clock;
mod cpu_load;
mod effects;
mod frame;
mod heat;
mod histogram;
mod latency_map;
mod lines;
mod numbers;
mod panels;
mod path;
mod percentiles;
mod ratios;
mod readout;
mod reference;
mod roofline;
mod rounds;
mod rows;
mod scale;
mod scatter;
mod series;
mod stacks;
mod style;
#[cfg(test)]
mod tests;
mod thin;
mod ticks;
mod wording;

use language::Words;
use model::{Unit, Value};

use crate::svg::{Svg, clean, number};
use crate::theme;
use style::{CHOICE, RULES, WIDTHS};
use wording::count;

pub use bars::{Bar, BarGroup, Bars};
pub use boxes::{BoxRow, Boxes};
pub use cells::{CellPlot, PlotCell};
pub use chain::{Chain, Link};
pub use cpu_load::{CpuLoad, CpuRow};
pub use effects::{EffectRow, Effects};
pub use heat::HeatMap;
pub use histogram::{Bin, Histogram};
pub use latency_map::LatencyMap;
pub use lines::{Line, LinePanels, Lines, Mark, Zone};
pub use model::Better;
pub use panels::{Panel, Panels, PhaseSpan, Track};
pub use percentiles::{Curve, Percentiles};
pub use ratios::{RatioRow, Ratios};
pub use readout::{PlotPart, Readout, ReadoutArea, ReadoutTrack};
pub use roofline::{Roof, Roofline};
pub use rounds::{RoundPanels, RoundSeries, RoundWindow};
pub use scatter::{Dot, Dots, Scatter};
pub use stacks::{Stack, Stacks};

/// A chart: data, which any thread may draw.
pub trait Plot: Send + Sync {
    /// Draws it on a sheet of this width in pixels.
    fn draw(&self, words: &Words, width: f64) -> Drawing;
    /// What it shows, in a few sentences, for those who do not see it.
    fn describe(&self, words: &Words) -> String;
    /// Its numbers: all that are drawn, or of what is drawn thinned, what is
    /// left of it in numbers.
    fn table(&self, words: &Words) -> DataTable;
    /// What shows as much as the picture where there are letters alone: a few things, one below the
    /// other, each with its words. None where only the picture does.
    fn list(&self, _words: &Words) -> Option<DataTable> {
        None
    }
    /// Whether its horizontal axis is time, so that it has a [`Readout`] and parts.
    fn is_over_time(&self) -> bool {
        false
    }
    /// What it shows at each moment; none where it is no chart over time.
    fn readout(&self, _words: &Words) -> Option<Readout> {
        None
    }
    /// The same chart of a part of its data; none where it is no chart over time, or nothing of it is left.
    fn part(&self, _part: &PlotPart) -> Option<Box<dyn Plot>> {
        None
    }
}

/// What a chart drew.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// The elements within the `svg` element.
    pub elements: String,
    /// The height in pixels.
    pub height: f64,
}

/// Numbers in words, to be shown as a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataTable {
    /// The titles of the columns.
    pub head: Vec<String>,
    /// The rows, each as long as the head; the first cell says what it is about.
    pub rows: Vec<Vec<String>>,
}

/// A value with what is known of how far it is off.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// The point.
    pub value: f64,
    /// The interval, where there is one.
    pub interval: Option<(f64, f64)>,
}

/// How numbers of an axis are written, and in which unit they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// A unit of the run document, scaled by thousands: `200 MB/s`, `5 ms`.
    Unit(Unit),
    /// Bits per second, of a rate that comes in bytes per second as all do.
    Bits,
    /// Bytes of what is built in powers of two: `4 KiB`.
    Binary,
    /// A count: `16`.
    Count,
    /// A share, 0 to 1: `40 %`.
    Share,
    /// How many times as much: `1.5×`.
    Times,
}

/// How an axis spreads its values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spread {
    /// By the data: logarithmic where they span more than two decades and none
    /// is zero, by twos where they are powers of two.
    #[default]
    Auto,
    /// Evenly, from zero.
    Linear,
    /// By decades, ticks at 1, 2, 5.
    Decades,
    /// By doublings, ticks at powers of two.
    Doublings,
}

/// An axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// What it measures: `IOPS`, `queue depth`.
    pub title: String,
    /// How its numbers are written.
    pub numbers: Numbers,
    /// How it spreads them.
    pub spread: Spread,
}

/// What a line across a chart stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceKind {
    /// What cannot be exceeded.
    Limit,
    /// What was promised.
    Promise,
    /// What is hoped for, such as a rate that grows with the threads.
    Ideal,
}

/// A value that results are held against.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The value, in the axis' unit.
    pub value: f64,
    /// What it is: `SATA 3: 560 MB/s`.
    pub label: String,
    /// What kind of value.
    pub kind: ReferenceKind,
}

/// A chart as two `svg` elements, for a screen and for a phone, with `title` and
/// description within. The page must hold [`style_sheet`].
#[must_use]
pub fn svg(plot: &dyn Plot, title: &str, words: &Words) -> String {
    let title = clean(title);
    let description = plot.describe(words);
    let drawn = WIDTHS.map(|(class, width)| (class, width, plot.draw(words, width)));
    // The same chart twice on a page says the same of itself.
    let id = name(&[&title, &description, &drawn[0].2.elements]);
    let mut svg = Svg::default();
    for (class, width, drawing) in &drawn {
        let size = format!("0 0 {} {}", number(*width), number(drawing.height.max(1.0)));
        svg.tag("svg")
            .class(&format!("{} plot {class}", theme::ROOT))
            .attr("viewBox", &size)
            .attr("width", "100%")
            .attr("role", "img")
            .attr("aria-labelledby", &format!("{id}-t {id}-d"))
            .open();
        if *class == WIDTHS[0].0 {
            svg.tag("title").attr("id", &format!("{id}-t")).text(&title);
            svg.tag("desc").attr("id", &format!("{id}-d")).text(&description);
        }
        svg.raw(drawing.elements.trim_end());
        svg.close();
        svg.line();
    }
    svg.finish()
}

/// The rules that all charts of a page need, once.
#[must_use]
pub fn style_sheet() -> String {
    let mut css = theme::sheet(".plot", RULES);
    css.push_str(CHOICE);
    css
}

/// A name for what has these parts: FNV-1a, 64 bits (Fowler, Noll, Vo).
fn name(parts: &[&str]) -> String {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    format!("c{hash:x}")
}

/// Text from a machine or a file, as an argument of a sentence.
fn text(raw: &str) -> Value {
    clean(raw).as_str().into()
}

/// Places on the way from one to another, close enough together that no text
/// lies between two.
fn between((ax, ay): (f64, f64), (bx, by): (f64, f64)) -> impl Iterator<Item = (f64, f64)> {
    let steps = ((bx - ax).abs() / 6.0).max((by - ay).abs() / 6.0).min(200.0) as usize + 1;
    (0..=steps).map(move |i| {
        let share = i as f64 / steps as f64;
        (ax + (bx - ax) * share, ay + (by - ay) * share)
    })
}
