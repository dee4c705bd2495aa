//! What the picture's widths and colours mean.

use super::draw;
use super::measure::LABEL;
use super::share::CaseView;
use super::tree::Tree;
use super::wording;
use crate::svg::Svg;
use crate::theme;

const WIDTHS: [(f64, &str); 3] = [(0.5e9, "0.5"), (4e9, "4"), (32e9, "32")];
/// Where each step of the scale begins; the last has a word.
const STEPS: [&str; theme::STEPS - 1] = ["< 25 %", "25", "50", "75"];
const SWATCH: f64 = 22.0;
const ROW: f64 = 22.0;

enum LegendSymbol {
    Words,
    Line(f64),
    Step(usize),
}

/// The legend's height, where it has anything to explain.
pub(super) fn height(tree: &Tree, view: &CaseView, width: f64) -> Option<f64> {
    let mut rates = false;
    tree.walk(|node| rates |= node.link.iter().chain(&node.out).any(|l| l.bytes_per_second.is_some()));
    let rows = usize::from(rates) + usize::from(view.has_shares());
    (rows > 0).then(|| place(view, width).iter().map(|(_, y, _, _)| *y).fold(0.0, f64::max) + 12.0)
}

/// Every entry with its place, wrapped at `width`.
fn place(view: &CaseView, width: f64) -> Vec<(f64, f64, LegendSymbol, String)> {
    let said = |key: &str| wording::say(view.words, key);
    let widths =
        WIDTHS.iter().map(|(rate, word)| (LegendSymbol::Line(draw::stroke(Some(*rate))), (*word).to_owned()));
    let mut groups = vec![(said("legend-width"), widths.collect::<Vec<_>>())];
    if view.has_shares() {
        let words = STEPS.iter().map(|word| (*word).to_owned()).chain([said("legend-full")]);
        let steps = words.enumerate().map(|(i, word)| (LegendSymbol::Step(i), word));
        groups.push((said("legend-share"), steps.collect()));
    }
    let mut all = Vec::new();
    let mut y = 12.0;
    for (heading, entries) in groups {
        if !all.is_empty() {
            y += ROW;
        }
        let mut x = LABEL.width(&heading) + 14.0;
        all.push((0.0, y, LegendSymbol::Words, heading));
        let needs = |word: &str| SWATCH + 5.0 + LABEL.width(word);
        if x + entries.iter().map(|(_, word)| needs(word) + 12.0).sum::<f64>() > width {
            x = 0.0;
            y += ROW;
        }
        for (sign, word) in entries {
            let needs = needs(&word);
            if x + needs > width {
                x = 0.0;
                y += ROW;
            }
            all.push((x, y, sign, word));
            x += needs + 12.0;
        }
    }
    all
}

/// Draws the legend with its upper left corner at `at`.
pub(super) fn draw(svg: &mut Svg, view: &CaseView, at: (f64, f64), width: f64) {
    for (x, y, sign, word) in place(view, width) {
        let (x, y) = (at.0 + x, at.1 + y);
        let text_x = if matches!(sign, LegendSymbol::Words) { x } else { x + SWATCH + 5.0 };
        match sign {
            LegendSymbol::Words => {}
            LegendSymbol::Line(stroke) => {
                let d = format!("M{} {}h{SWATCH}", crate::svg::number(x), crate::svg::number(y - 4.0));
                svg.tag("path").class("wire").attr("d", &d).num("stroke-width", stroke).empty();
            }
            LegendSymbol::Step(step) => {
                draw::rect(svg, &format!("pill s{step}"), (x, y - 11.0), (SWATCH, 14.0), 4.0);
            }
        }
        draw::write(svg, "quiet", LABEL, (text_x, y), &word);
    }
    svg.line();
}
