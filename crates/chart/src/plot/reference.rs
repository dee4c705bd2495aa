//! Limits, promises and ideals: lines with their names, each kind dashed its own
//! way. One that lies far beyond the data stands at the edge with an arrow.

use language::Words;

use super::canvas::{Canvas, LINE, TEXT};
use super::scale::{Domain, Scale};
use super::{Reference, ReferenceKind};
use crate::svg::clean;

/// As many are shown; more than a few nobody asked for.
const MOST: usize = 8;

impl ReferenceKind {
    pub(crate) fn class(self) -> &'static str {
        match self {
            ReferenceKind::Limit => "r0",
            ReferenceKind::Promise => "r1",
            ReferenceKind::Ideal => "r2",
        }
    }

    pub(crate) fn say(self, words: &Words) -> String {
        words.say(match self {
            ReferenceKind::Limit => "chart-limit",
            ReferenceKind::Promise => "chart-promise",
            ReferenceKind::Ideal => "chart-ideal",
        })
    }
}

/// Those that are on an axis, and labels for those that are beyond it, with
/// these arrows for below and above.
pub(crate) fn split<'a>(
    references: impl IntoIterator<Item = &'a Reference>,
    domain: &Domain,
    arrows: (&str, &str),
) -> (Vec<&'a Reference>, Vec<String>) {
    let known = references.into_iter().filter(|r| r.value.is_finite()).take(MOST);
    let (on, off): (Vec<_>, Vec<_>) = known.partition(|r| domain.holds(r.value));
    let told = |r: &Reference| {
        let arrow = if r.value > domain.high { arrows.1 } else { arrows.0 };
        format!("{} {arrow}", clean(&r.label))
    };
    (on, off.into_iter().map(told).collect())
}

/// The references in a sentence each: what they are, and how much
/// of them the greatest value is.
pub(crate) fn describe(references: &[Reference], greatest: f64, words: &Words) -> Vec<String> {
    let known = references.iter().filter(|r| r.value.is_finite()).take(MOST);
    known
        .map(|r| {
            let share = greatest / r.value;
            let (label, kind) = (clean(&r.label), r.kind.say(words));
            let label = if label.contains(&kind) { label } else { format!("{label} ({kind})") };
            let arguments = [("label", label.as_str().into()), ("share", share.into())];
            match (0.0..1e6).contains(&share) {
                true => words.tell("chart-reached", &arguments),
                false => words.tell("chart-held-against", &arguments[..1]),
            }
        })
        .collect()
}

/// A name's left edge, its line's place, its row from the area up, the class of
/// its line, and the name.
type Flag = (f64, f64, usize, &'static str, String);

/// Places names one after the other, each where fewest lines pass through names;
/// the answer's second part says how bad that is.
fn place(wanted: &[(f64, &'static str, String)], room: f64) -> (Vec<Flag>, f64) {
    let mut placed: Vec<Flag> = Vec::new();
    let mut all = 0.0;
    for (at, class, name) in wanted {
        let name = TEXT.fit(&clean(name), room);
        let width = TEXT.width(&name);
        let end = |flag: &Flag| flag.0 + TEXT.width(&flag.4);
        let starts = [at - width / 2.0, at - 1.0, at - width + 1.0].map(|x| x.min(room - width).max(0.0));
        let places =
            (0..=placed.len()).flat_map(|row| starts.iter().enumerate().map(move |(i, x)| (row, i, *x)));
        let free = places.filter(|(row, _, x)| {
            placed.iter().all(|f| f.2 != *row || *x >= end(f) + 12.0 || x + width + 12.0 <= f.0)
        });
        let cost = |(row, i, x): &(usize, usize, f64)| {
            let through_me = wanted.iter().filter(|w| w.0 != *at && w.0 > x - 2.0 && w.0 < x + width + 2.0);
            let through_me = through_me.map(|w| {
                placed.iter().find(|f| f.1 == w.0).map_or(5.0, |f| if f.2 > *row { 100.0 } else { 0.0 })
            });
            let through_them = placed.iter().filter(|f| f.2 < *row && *at > f.0 - 2.0 && *at < end(f) + 2.0);
            through_me.sum::<f64>() + through_them.count() as f64 * 100.0 + *row as f64 * 10.0 + *i as f64
        };
        let costs = free.map(|place| (cost(&place), place));
        if let Some((cost, (row, _, x))) = costs.min_by(|a, b| a.0.total_cmp(&b.0)) {
            all += cost;
            placed.push((x, *at, row, class, name));
        }
    }
    (placed, all)
}

/// Names at places along the top of an area, each with a line down into it.
#[derive(Debug, Default)]
pub(crate) struct Flags {
    placed: Vec<Flag>,
    rows: usize,
    /// The labels at the right end, a row each, above the others.
    beyond: Vec<String>,
}

impl Flags {
    /// References to an axis from left to right, on a sheet of this width, below
    /// what else is to be said, if anything.
    pub(crate) fn of(references: &[Reference], scale: &Scale, said: String, width: f64) -> Self {
        let (on, off) = split(references, &scale.domain, ("←", "→"));
        let wanted = on.iter().map(|r| (scale.place(r.value), r.kind.class(), r.label.clone()));
        Self::lay(wanted.collect(), std::iter::once(said).chain(off), width)
    }

    /// Lays out names at these places on a sheet of this width, and what lies
    /// beyond the axis.
    pub(crate) fn lay(
        mut wanted: Vec<(f64, &'static str, String)>,
        beyond: impl IntoIterator<Item = String>,
        width: f64,
    ) -> Self {
        wanted.truncate(MOST);
        wanted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let there = place(&wanted, width);
        wanted.reverse();
        let back = place(&wanted, width);
        let (placed, _) = if back.1 < there.1 { back } else { there };
        let rows = placed.iter().map(|flag| flag.2 + 1).max().unwrap_or(0);
        let beyond = beyond.into_iter().flat_map(|name| TEXT.wrap(&name, width, width, 2));
        Self { placed, rows, beyond: beyond.collect() }
    }

    pub(crate) fn height(&self) -> f64 {
        (self.rows + self.beyond.len()) as f64 * LINE
    }

    /// Draws their lines alone, through another area below.
    pub(crate) fn draw_lines(&self, canvas: &mut Canvas, top: f64, bottom: f64) {
        for (_, at, _, class, _) in &self.placed {
            canvas.down(class, *at, top, bottom);
        }
    }

    /// Draws them from `top` on, their lines down to `bottom`.
    pub(crate) fn draw(&self, canvas: &mut Canvas, top: f64, bottom: f64) {
        for (i, name) in self.beyond.iter().enumerate() {
            canvas.text((canvas.width, top + (i + 1) as f64 * LINE - 4.0), "w e", name);
        }
        let base = |row: usize| top + (self.beyond.len() + self.rows - row) as f64 * LINE - 4.0;
        for (_, at, row, class, _) in &self.placed {
            canvas.down(class, *at, base(*row) + 3.0, bottom);
        }
        for (start, _, row, class, name) in &self.placed {
            let class = match *class {
                "r0" | "r1" => "w o",
                "r2" => "q o",
                _ => "o",
            };
            canvas.text((*start, base(*row)), class, name);
        }
    }
}

/// Whether a name can stand beside a line of this length.
pub(crate) fn has_room(reference: &Reference, length: f64) -> bool {
    TEXT.width(&clean(&reference.label)) <= length - 12.0
}

/// Draws lines across an area, `(left, right, top, bottom)`, for values that
/// `place` puts on the sheet, with their names beside them where the least of the
/// `data` is in the way.
pub(crate) fn across(
    canvas: &mut Canvas,
    references: &[&Reference],
    place: impl Fn(f64) -> f64,
    (left, right, top, bottom): (f64, f64, f64, f64),
    data: &[(f64, f64)],
) {
    let mut taken: Vec<(f64, f64, f64)> = Vec::new();
    let mut names = Vec::new();
    for reference in references {
        let y = place(reference.value);
        canvas.across(reference.kind.class(), y, left, right);
        if !has_room(reference, right - left) {
            // It stands above the area.
            continue;
        }
        let name = clean(&reference.label);
        let width = TEXT.width(&name);
        let starts = [left + 6.0, right - 6.0 - width, (left + right - width) / 2.0];
        let mut wanted: Vec<(f64, f64)> = Vec::new();
        // Above and below; further off, where the near places are taken by other names.
        for off in (0..=MOST).map(|step| step as f64 * LINE) {
            for base in [y - 5.0 - off, y + 13.0 + off] {
                wanted.extend(starts.map(|x| (x, base)));
            }
        }
        let cost = |(x, base): (f64, f64)| {
            let is_hit = |(ox, oy): &&(f64, f64)| {
                *ox > x - 4.0 && *ox < x + width + 4.0 && *oy > base - 12.0 && *oy < base + 5.0
            };
            data.iter().filter(is_hit).count() as f64 * 10.0 + (base - y).abs()
        };
        let is_free = |(x, base): (f64, f64)| {
            base - 10.0 >= top - 2.0
                && base + 3.0 <= bottom
                && taken.iter().all(|(tx, tw, tb)| {
                    x > tx + tw + 4.0 || x + width + 4.0 < *tx || (base - tb).abs() >= 14.0
                })
        };
        let free = wanted.into_iter().filter(|at| is_free(*at));
        if let Some((x, base)) = free.min_by(|a, b| cost(*a).total_cmp(&cost(*b))) {
            taken.push((x, width, base));
            names.push((x, base, if reference.kind == ReferenceKind::Ideal { "q o" } else { "w o" }, name));
        }
    }
    for (x, base, class, name) in names {
        canvas.text((x, base), class, &name);
    }
}
