//! Quantities over time in panels, one below the other, on one clock.

use language::Words;

use super::{Drawing, Numbers, Plot, Reference, Table};

/// Panels that share one axis of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Panels {
    /// From when to when, in seconds of the clock that all tracks have.
    pub span: (f64, f64),
    /// The part that counts, in the same seconds.
    pub window: Option<(f64, f64)>,
    /// The panels, top to bottom.
    pub panels: Vec<Panel>,
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

impl Plot for Panels {
    fn draw(&self, _words: &Words, _width: f64) -> Drawing {
        Drawing::default()
    }

    fn describe(&self, _words: &Words) -> String {
        String::new()
    }

    fn table(&self, _words: &Words) -> Table {
        Table::default()
    }
}
