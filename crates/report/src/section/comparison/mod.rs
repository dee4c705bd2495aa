//! A comparison in 80 columns: what may be said, then each figure, then what must be kept in mind.

use std::collections::BTreeSet;

use model::Comparison;
use model::comparison::{Pairing, Ratio, Row, Side, Tally, Unmatched, Verdict};
use model::run::Estimate;
use textwrap::core::display_width;

use crate::WIDTH;
use crate::format::{self, Rates};
use crate::label::title;
use crate::text::{counted, paragraph, printable};

/// The comparison as a person reads it.
#[must_use]
pub fn text(comparison: &Comparison) -> String {
    let mut out = paragraph("", "", &(summary(comparison.tally, comparison.margin) + "."));
    out.push('\n');
    out.push_str(&heading(comparison));
    out.push('\n');
    out.push_str(&table(comparison));
    out.push_str(&reasons(comparison));
    out.push('\n');
    let blocks = [
        others(comparison),
        unmatched(comparison),
        differences(comparison),
        notes(comparison),
        method(comparison),
    ];
    out.push_str(&blocks.into_iter().filter(|b| !b.is_empty()).collect::<Vec<_>>().join("\n"));
    out
}

/// `3 better, 1 worse, 8 the same within 2 %, 2 cannot tell`; what none has is left out.
#[must_use]
pub fn summary(tally: Tally, margin: f64) -> String {
    let Tally { better, worse, same, cannot_tell } = tally;
    let within = format!("the same within {}", margin_words(margin));
    let all = [(better, "better"), (worse, "worse"), (same, within.as_str()), (cannot_tell, "cannot tell")];
    let words: Vec<String> =
        all.iter().filter(|(n, _)| *n > 0).map(|(n, words)| format!("{n} {words}")).collect();
    if words.is_empty() { "Nothing could be compared".to_owned() } else { words.join(", ") }
}

fn margin_words(margin: f64) -> String {
    format!("{} %", format::short(margin * 100.0))
}

/// What is held against what.
fn heading(comparison: &Comparison) -> String {
    let Some(first) = comparison.sides.first() else { return String::new() };
    if let Some(by) = &comparison.by {
        let levels: Vec<&str> = comparison.sides.iter().map(|s| s.name.as_str()).collect();
        let line = format!("Run {} by {by}: {}", described(first, &first.run), levels.join(", "));
        return paragraph("", "  ", &line);
    }
    let line = |(place, side): (usize, &Side)| {
        let role = if place == 0 { "Baseline  " } else { "New       " };
        paragraph(role, "          ", &described(side, &side.name))
    };
    comparison.sides.iter().enumerate().map(line).collect()
}

/// `20261121-120000-abcd, nightly, on db1, 2026-11-21 12:00:00 UTC`.
fn described(side: &Side, name: &str) -> String {
    let at = side.started.get(..19).map(|t| format!("{} UTC", t.replace('T', " ")));
    let host = (!side.hostname.is_empty()).then(|| format!("on {}", side.hostname));
    let title = (!side.title.is_empty()).then(|| side.title.clone());
    let all = [Some(name.to_owned()), title, host, at];
    all.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Columns of a table that hold nothing.
const BETWEEN: usize = 9;

/// The figures that were judged: a line a case, below it one a metric.
fn table(comparison: &Comparison) -> String {
    let judged: Vec<&Row> = comparison.rows.iter().filter(|r| r.judged).collect();
    let mut cells: Vec<[String; 5]> = vec![["", "baseline", "new", "change (95 %)", ""].map(str::to_owned)];
    cells.extend(judged.iter().map(|row| line(row)));
    let width = |column: usize| cells.iter().map(|c| display_width(&c[column])).max().unwrap_or(0);
    let widths: [usize; 5] = std::array::from_fn(width);
    let shown = |cells: &[String; 5]| {
        // Figures that nobody could have measured leave the columns.
        if widths.iter().sum::<usize>() + BETWEEN > WIDTH {
            let words: Vec<&str> = cells.iter().map(String::as_str).filter(|c| !c.is_empty()).collect();
            return paragraph(" ", "   ", &words.join("; "));
        }
        let mut out = String::from(" ");
        for (column, cell) in cells.iter().enumerate() {
            let room = " ".repeat(widths[column] - display_width(cell));
            // Figures stand at the right, words at the left.
            let padded = if matches!(column, 1 | 2) { room + cell } else { cell.clone() + &room };
            out.push_str(&padded);
            out.push_str("  ");
        }
        out.trim_end().to_owned() + "\n"
    };
    let mut out = String::new();
    let mut last = None;
    for (row, cells) in judged.iter().zip(&cells[1..]) {
        let name = called(row, comparison);
        if last.as_ref() != Some(&name) {
            out.push_str(&paragraph("", "  ", &name));
        }
        last = Some(name);
        out.push_str(&shown(cells));
    }
    if judged.is_empty() { out } else { shown(&cells[0]) + &out }
}

/// A case, with what is held against what where that is not the same for all.
fn called(row: &Row, comparison: &Comparison) -> String {
    let name = |place: usize| comparison.sides.get(place).map(|s| s.name.as_str()).unwrap_or_default();
    let (new, baseline) = (name(row.side), name(row.baseline_side));
    match &comparison.by {
        Some(by) => format!("{}, {by} {new} against {baseline}", row.case),
        None if comparison.sides.len() > 2 => format!("{}, {new}", row.case),
        None => row.case.clone(),
    }
}

fn line(row: &Row) -> [String; 5] {
    let title = title(&row.metric);
    let figure = |e: &Option<Estimate>| {
        e.as_ref().map_or_else(
            || "-".to_owned(),
            |e| Rates::of(row.rate_unit).under_title(e.median, e.unit, &title),
        )
    };
    let change = row.ratio.as_ref().map_or_else(|| "-".to_owned(), change);
    let verdict = row.verdict.map(Verdict::words).unwrap_or_default().to_owned();
    [printable(&title), figure(&row.baseline), figure(&row.new), change, verdict]
}

/// Changes of more than this, either way, are told as a factor.
const FACTOR: f64 = 2.0;

/// An interval with an end so many times off its point says nothing.
const WIDEST: f64 = 20.0;

/// A ratio as people read it: `+4.9 %` with `3.1` and `6.7`, a large one `3.10 x`
/// with `2.98` and `3.22`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// The change itself.
    pub(crate) point: String,
    /// The ends of its interval; absent where it says only that there are too
    /// few trials.
    pub(crate) interval: Option<(String, String)>,
}

/// `+4.9 % (3.1 to 6.7)`, a large one as `3.10 x (2.98 to 3.22)`.
#[must_use]
pub fn change(ratio: &Ratio) -> String {
    let Change { point, interval } = parts_of_change(ratio);
    match interval {
        Some((low, high)) => format!("{point} ({low} to {high})"),
        None => format!("{point} (too few trials)"),
    }
}

/// The parts of [`change`], for every language.
pub(crate) fn parts_of_change(ratio: &Ratio) -> Change {
    let Ratio { point, low, high, .. } = *ratio;
    let times = format!("{} x", factor(point));
    if high > point * WIDEST || low * WIDEST < point {
        return Change { point: times, interval: None };
    }
    if high > FACTOR || low < 1.0 / FACTOR {
        return Change { point: times, interval: Some((factor(low), factor(high))) };
    }
    // Where the interval is narrow, a tenth of a percent is too coarse.
    let decimals = if high - low < 0.01 { 2 } else { 1 };
    let percent = |ratio: f64| {
        let text = format!("{:.decimals$}", (ratio - 1.0) * 100.0);
        let is_zero = text.trim_start_matches('-').chars().all(|c| matches!(c, '0' | '.'));
        if is_zero { text.trim_start_matches('-').to_owned() } else { text }
    };
    let shown = percent(point);
    let sign = if shown.starts_with('-') { "" } else { "+" };
    Change { point: format!("{sign}{shown} %"), interval: Some((percent(low), percent(high))) }
}

/// Three digits of a factor.
fn factor(value: f64) -> String {
    match value {
        v if !(1e-3..1e6).contains(&v) => format!("{v:.1e}"),
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 0.1 => format!("{v:.2}"),
        v if v >= 0.01 => format!("{v:.3}"),
        v => format!("{v:.4}"),
    }
}

/// Why rows have no verdict, each reason once.
fn reasons(comparison: &Comparison) -> String {
    let mut all: Vec<(&str, Vec<String>)> = Vec::new();
    for row in comparison.rows.iter().filter(|r| r.judged) {
        let Some(reason) = &row.reason else { continue };
        let name = format!("{}, {}", called(row, comparison), title(&row.metric));
        match all.iter_mut().find(|(text, _)| *text == reason.text) {
            Some((_, names)) => names.push(name),
            None => all.push((&reason.text, vec![name])),
        }
    }
    let one = |(text, names): &(&str, Vec<String>)| {
        let who = match names.as_slice() {
            [one] => one.clone(),
            many => format!("{} figures, such as {}", many.len(), many.first().map_or("", String::as_str)),
        };
        paragraph("", "  ", &format!("{who}: {text}."))
    };
    let told: String = all.iter().map(one).collect();
    if told.is_empty() { told } else { format!("\n{told}") }
}

/// Metrics that have a ratio and no verdict.
fn others(comparison: &Comparison) -> String {
    let names: BTreeSet<String> =
        comparison.rows.iter().filter(|r| !r.judged).map(|r| r.metric.clone()).collect();
    if names.is_empty() {
        return String::new();
    }
    let names: Vec<String> = names.into_iter().collect();
    let text = format!(
        "Compared without a verdict: {}. `--metric NAME,NAME` judges others, `--json` shows all.",
        names.join(", ")
    );
    paragraph("", "", &text)
}

/// Cases of one kind that stand alone are told in a few lines.
const ALONE_MAX: usize = 4;

fn unmatched(comparison: &Comparison) -> String {
    let mut out = String::new();
    for (place, side) in comparison.sides.iter().enumerate() {
        let here: Vec<&Unmatched> = comparison.unmatched.iter().filter(|u| u.side == place).collect();
        if here.is_empty() {
            continue;
        }
        let what = match &comparison.by {
            Some(by) => format!("{by} {}", side.name),
            None => format!("run {}", side.name),
        };
        let head = format!("{} of {what} without a partner:", counted(here.len(), "case"));
        out.push_str(&paragraph("", "  ", &head));
        for alone in here.iter().take(ALONE_MAX) {
            let differs: Vec<String> = alone
                .differs
                .iter()
                .map(|d| {
                    let value = |v: &Option<String>| v.clone().unwrap_or_else(|| "none".to_owned());
                    format!("{} {} against {}", d.name, value(&d.baseline), value(&d.other))
                })
                .collect();
            let near = match &alone.nearest {
                Some(near) if !differs.is_empty() => format!("; nearest is {near}: {}", differs.join(", ")),
                _ => String::new(),
            };
            out.push_str(&paragraph("  ", "    ", &format!("{}{near}", alone.case)));
        }
        if here.len() > ALONE_MAX {
            out.push_str(&paragraph("  ", "    ", &format!("and {} more", here.len() - ALONE_MAX)));
        }
    }
    out
}

fn differences(comparison: &Comparison) -> String {
    let mut out = String::new();
    for (place, side) in comparison.sides.iter().enumerate() {
        let here: Vec<_> = comparison.differences.iter().filter(|d| d.side == place).collect();
        if here.is_empty() {
            continue;
        }
        let of = if comparison.sides.len() > 2 { format!(", {}", side.name) } else { String::new() };
        out.push_str(&paragraph("", "  ", &format!("Not the same as in the baseline{of}:")));
        for d in here {
            out.push_str(&paragraph("  ", "    ", &format!("{}: {}; before {}", d.text, d.after, d.before)));
        }
    }
    out
}

fn notes(comparison: &Comparison) -> String {
    comparison.notes.iter().map(|n| paragraph("note: ", "  ", &n.text)).collect()
}

/// How the figures were made, in words.
fn method(comparison: &Comparison) -> String {
    let Comparison { family, margin, .. } = comparison;
    let pairings: Vec<Pairing> =
        comparison.rows.iter().filter_map(|r| r.ratio.as_ref()).map(|r| r.pairing).collect();
    let trials = match (pairings.contains(&Pairing::Paired), pairings.contains(&Pairing::Independent)) {
        (true, false) => "trials paired by block",
        (false, true) => "trials of the two sides independent",
        (true, true) => "trials paired by block where both sides have the same",
        (false, false) => return String::new(),
    };
    let together = match family {
        0 | 1 => String::new(),
        n => format!(" Better and worse hold for all {n} figures together (Holm)."),
    };
    let text = format!(
        "Change: ratio to the baseline with its 95 % interval, {trials}.{together} Same: the 90 % interval lies \
         within {}.",
        margin_words(*margin)
    );
    paragraph("", "", &text)
}

#[cfg(test)]
pub(crate) mod tests;
