//! Lines over a factor, with intervals as bands.

mod draw;

use language::Words;

use super::{Axis, Better, DataTable, Drawing, Measured, Plot, Reference};
use super::{reference, text, wording};
use crate::svg::clean;
use draw::{Drawn, finite, shorten};

/// Lines over an ordered factor.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    /// The axis of the factor.
    pub x: Axis,
    /// The axis of values.
    pub y: Axis,
    /// The lines.
    pub lines: Vec<Line>,
    /// Lines across.
    pub references: Vec<Reference>,
    /// Places to be named, such as a knee.
    pub marks: Vec<Mark>,
    /// Stretches of the factor's axis that are level, and what lies between.
    pub zones: Vec<Zone>,
    /// Which way is better.
    pub better: Option<Better>,
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name; empty where it is the only one.
    pub name: String,
    /// Its points, by `x`.
    pub points: Vec<(f64, Measured)>,
}

/// A place with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Where, on the factor's axis.
    pub x: f64,
    /// What is there.
    pub label: String,
}

/// A stretch of the factor's axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Zone {
    /// Where it begins, on the factor's axis.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// The value that is held from its one end to the other; absent where
    /// something changes within it, which is shaded.
    pub level: Option<f64>,
    /// What is there; a level may have none.
    pub label: String,
}

/// How many lines a description tells of.
const MOST_TOLD: usize = 6;
/// A table has a column a line up to so many, else a row a point of each.
const MOST_COLUMNS: usize = 6;

impl Plot for Lines {
    fn draw(&self, words: &Words, width: f64) -> Drawing {
        draw::draw(&[self], words, width)
    }

    fn describe(&self, words: &Words) -> String {
        let titles = [("y", text(&self.y.title)), ("x", text(&self.x.title))];
        let what = words.tell("lines-what", &titles);
        let all = self.lines.iter().enumerate().map(|(i, line)| finite(i, line));
        let mut told: Vec<_> = all.filter(|line| !line.points.is_empty()).collect();
        let common = shorten(&mut told);
        let what = if common.is_empty() { what } else { format!("{what} ({common})") };
        let mut said = Vec::new();
        match told.as_slice() {
            [] => said.extend([format!("{what}."), words.say("chart-nothing")]),
            [only] if only.name.is_empty() => said.push(self.tell(only, &what, words)),
            many => {
                said.push(format!("{what}."));
                said.extend(many.iter().take(MOST_TOLD).map(|line| self.tell(line, &line.name, words)));
            }
        }
        said.extend(wording::rest(words, "chart-others", told.len(), MOST_TOLD));
        let values = told.iter().flat_map(|line| line.points.iter().map(|(_, m)| m.value));
        let greatest = values.fold(f64::NEG_INFINITY, f64::max);
        said.extend(reference::describe(&self.references, greatest, words));
        let marks = self.marks.iter().filter(|m| m.x.is_finite()).map(|m| &m.label).take(MOST_TOLD);
        let zones = self.zones.iter().map(|z| &z.label).filter(|label| !label.is_empty()).take(MOST_TOLD);
        said.extend(marks.chain(zones).map(|label| words.tell("lines-mark", &[("label", text(label))])));
        said.join(" ")
    }

    fn table(&self, words: &Words) -> DataTable {
        if self.lines.len() == 1 || self.lines.len() > MOST_COLUMNS {
            self.long_table(words)
        } else {
            self.wide_table(words)
        }
    }
}

/// Lines of several quantities over one factor, in panels one below the other:
/// what was measured in the same cases stands in one column. All panels have the
/// factor's axis of the first, its marks and its shaded zones.
#[derive(Clone, Debug, PartialEq)]
pub struct LinePanels {
    /// The panels, top to bottom.
    pub panels: Vec<Lines>,
}

impl Plot for LinePanels {
    fn draw(&self, words: &Words, width: f64) -> Drawing {
        draw::draw(&self.panels.iter().collect::<Vec<_>>(), words, width)
    }

    fn describe(&self, words: &Words) -> String {
        let all = self.panels.iter().enumerate().map(|(i, panel)| match i {
            0 => panel.describe(words),
            _ => Lines { marks: Vec::new(), zones: Vec::new(), ..panel.clone() }.describe(words),
        });
        let said: Vec<String> = all.collect();
        if said.is_empty() { words.say("chart-nothing") } else { said.join(" ") }
    }

    fn table(&self, words: &Words) -> DataTable {
        let [only] = self.panels.as_slice() else { return self.joined(words) };
        only.table(words)
    }
}

impl LinePanels {
    /// A row a level, a column each line of each panel.
    fn joined(&self, words: &Words) -> DataTable {
        let x = self.panels.first().map(|p| &p.x);
        let lines = || self.panels.iter().flat_map(|p| p.lines.iter().map(move |l| (p, l)));
        let mut levels: Vec<f64> = lines().flat_map(|(_, l)| l.points.iter().map(|p| p.0)).collect();
        levels.sort_by(f64::total_cmp);
        levels.dedup_by(|a, b| a.total_cmp(b).is_eq());
        let name = |(panel, line): (&Lines, &Line)| match line.name.is_empty() {
            true => clean(&panel.y.title),
            false => format!("{}, {}", clean(&panel.y.title), clean(&line.name)),
        };
        let first = x.map_or_else(String::new, |x| clean(&x.title));
        let head = std::iter::once(first).chain(lines().map(name)).collect();
        let row = |level: &f64| {
            let at = x.map_or_else(String::new, |x| x.numbers.write(*level));
            let cells = lines().map(|(panel, line)| cell(panel, line, *level, words));
            std::iter::once(at).chain(cells).collect()
        };
        DataTable { head, rows: levels.iter().map(row).collect() }
    }
}

fn cell(panel: &Lines, line: &Line, level: f64, words: &Words) -> String {
    let point = line.points.iter().find(|p| p.0.total_cmp(&level).is_eq());
    point.map_or_else(String::new, |p| panel.y.numbers.measured(&p.1, words))
}

impl Lines {
    fn tell(&self, line: &Drawn<'_>, name: &str, words: &Words) -> String {
        let y = |m: &Measured| text(&self.y.numbers.write_under(m.value, &self.y.title));
        let x = |at: f64| text(&self.x.numbers.write(at));
        let (first, last) = (line.points[0], line.points[line.points.len() - 1]);
        let mut what = if line.points.len() == 1 {
            words.tell("lines-point", &[("value", y(&first.1)), ("at", x(first.0))])
        } else {
            let ends =
                [("first", y(&first.1)), ("from", x(first.0)), ("last", y(&last.1)), ("to", x(last.0))];
            words.tell("lines-change", &ends)
        };
        let by_value = |a: &&&(f64, Measured), b: &&&(f64, Measured)| a.1.value.total_cmp(&b.1.value);
        let (low, high) = (line.points.iter().min_by(by_value), line.points.iter().max_by(by_value));
        if let (Some(low), Some(high)) = (low, high)
            && ![low.0, high.0].iter().all(|at| *at == first.0 || *at == last.0)
        {
            let ends =
                [("high", y(&high.1)), ("high_at", x(high.0)), ("low", y(&low.1)), ("low_at", x(low.0))];
            what = format!("{what}; {}", words.tell("lines-between", &ends));
        }
        format!("{}.", words.tell("chart-named", &[("name", text(name)), ("what", text(&what))]))
    }

    /// A row a level, a column a line.
    fn wide_table(&self, words: &Words) -> DataTable {
        let mut head = vec![clean(&self.x.title)];
        head.extend(self.lines.iter().map(|line| clean(&line.name)));
        let mut levels: Vec<f64> = self.lines.iter().flat_map(|l| l.points.iter().map(|p| p.0)).collect();
        levels.sort_by(f64::total_cmp);
        levels.dedup_by(|a, b| a.total_cmp(b).is_eq());
        let row = |level: &f64| {
            let cells = self.lines.iter().map(|line| cell(self, line, *level, words));
            [self.x.numbers.write(*level)].into_iter().chain(cells).collect()
        };
        DataTable { head, rows: levels.iter().map(row).collect() }
    }

    /// A row a point; the line's name first where there are many.
    fn long_table(&self, words: &Words) -> DataTable {
        let is_one = self.lines.len() == 1;
        let mut head = vec![clean(&self.x.title), clean(&self.y.title)];
        head.extend([words.say("chart-column-low"), words.say("chart-column-high")]);
        if !is_one {
            head.insert(0, words.say("lines-name"));
        }
        let mut rows = Vec::new();
        for line in &self.lines {
            for (x, measured) in &line.points {
                let end = |pick: fn((f64, f64)) -> f64| {
                    measured.interval.map_or_else(String::new, |i| self.y.numbers.write(pick(i)))
                };
                let mut row = vec![self.x.numbers.write(*x), self.y.numbers.write(measured.value)];
                row.extend([end(|i| i.0), end(|i| i.1)]);
                if !is_one {
                    row.insert(0, clean(&line.name));
                }
                rows.push(row);
            }
        }
        DataTable { head, rows }
    }
}

#[cfg(test)]
mod tests;
