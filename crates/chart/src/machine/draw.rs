//! From places to SVG.

use super::layout::{CardPosition, Diagram, Item, Line};
use super::measure::{
    self, LABEL, LABEL_STEP, LINE, LINE_STEP, PAD, PILL, RUNG_INDENT, SHARE, TITLE, TITLE_STEP, WARNING,
};
use super::share::{CaseView, Mark};
use super::tree::{Kind, Link, Node, StackLevel};
use crate::svg::{Svg, join, number};
use crate::text::Font;
use crate::theme;

pub(super) const RULES: &[(&str, &str)] = &[
    (".card", "fill:$card;stroke:$edge;stroke-width:1"),
    (".rung", "fill:$paper;stroke:$edge;stroke-width:1"),
    (".wire", "stroke:$wire;fill:none"),
    (".plug", "stroke:$wire;fill:$paper;stroke-width:1.5"),
    (".cpu", "fill:$cpu"),
    (".memory", "fill:$memory"),
    (".hub", "fill:$hub"),
    (".disk", "fill:$disk"),
    (".network", "fill:$network"),
    (".on .card, .rung.on", "stroke:$ink;stroke-width:1.5"),
    (".wire.on, .plug.on", "stroke:$ink"),
    (".peak .card, .rung.peak", "stroke-width:3"),
    // What steps back stays legible: only its shapes fade.
    (".off rect, .off path, .off circle, .off line", "opacity:0.5"),
    (".off text", "fill:$quiet"),
    (".s0", "fill:$share-0"),
    (".s1", "fill:$share-1"),
    (".s2", "fill:$share-2"),
    (".s3", "fill:$share-3"),
    (".s4", "fill:$share-4"),
    ("text.t0", "fill:$on-share-0"),
    ("text.t1", "fill:$on-share-1"),
    ("text.t2", "fill:$on-share-2"),
    ("text.t3", "fill:$on-share-3"),
    ("text.t4", "fill:$on-share-4"),
    (".pill", "stroke:$ink;stroke-width:1"),
    (".pill.peak", "stroke-width:2.5"),
    (".w0", "stroke:$share-0"),
    (".w1", "stroke:$share-1"),
    (".w2", "stroke:$share-2"),
    (".w3", "stroke:$share-3"),
    (".w4", "stroke:$share-4"),
];

pub(super) fn scene(svg: &mut Svg, scene: &Diagram, view: &CaseView) {
    // Lines first, so that cards cover their ends; those on the path last.
    for on in [false, true] {
        for item in &scene.items {
            if let Item::Line(line) = item
                && line_mark(line, view).on == on
            {
                draw_line(svg, line, view);
            }
        }
    }
    for item in &scene.items {
        match item {
            Item::Card(place) => card(svg, place, view),
            Item::Heading { text, x, y } => write(svg, "quiet bold", LINE, (*x, *y), text),
            Item::Line(_) => {}
        }
    }
}

/// How wide a link is drawn: one pixel more for twice the bandwidth.
pub(super) fn stroke(bytes_per_second: Option<f64>) -> f64 {
    // 125 MB/s, a Gigabit network, is 2 pixels wide.
    let Some(rate) = bytes_per_second.filter(|r| r.is_finite() && *r > 0.0) else { return 1.5 };
    (2.0 + (rate / 125e6).log2()).clamp(1.5, 12.0)
}

/// What lies on the way to a card that the case passes is on its path too.
fn line_mark(line: &Line, view: &CaseView) -> Mark {
    let own = line.link.map_or(&line.to.resources, |l| {
        if l.resources.is_empty() { &line.to.resources } else { &l.resources }
    });
    let mark = view.mark(own);
    Mark { on: mark.on || (!line.out && passes(line.to, view)), ..mark }
}

/// Whether the case passes a card or anything that hangs below it.
fn passes(node: &Node, view: &CaseView) -> bool {
    node.all_resources().any(|r| view.passes(std::slice::from_ref(r)))
        || node.children.iter().any(|c| passes(c, view))
}

fn draw_line(svg: &mut Svg, line: &Line, view: &CaseView) {
    let mark = line_mark(line, view);
    svg.tag("g").class(if view.active() && !mark.on { "off" } else { "" }).open();
    let points = line.points.iter().map(|(x, y)| format!("{} {}", number(*x), number(*y)));
    let course = format!("M{}", points.collect::<Vec<_>>().join("L"));
    let stroke_of = |svg: &mut Svg, class: &str, width: f64| {
        svg.tag("path").class(class).attr("d", &course).num("stroke-width", width).empty();
    };
    match line.link {
        Some(link) => {
            title(svg, &link.tooltip(view.words));
            let width = stroke(link.bytes_per_second);
            if mark.on {
                // An outline, so that a pale colour is seen too.
                stroke_of(svg, "wire on", width + 2.5);
            }
            let step = mark.share.map(|(_, high)| theme::step(high));
            stroke_of(svg, &step.map_or("wire".to_owned(), |s| format!("wire w{s}")), width);
        }
        None if mark.on => stroke_of(svg, "wire on", 2.0),
        None => stroke_of(svg, "wire", 1.5),
    }
    if let (true, Some((x, y))) = (line.out, line.points.last()) {
        let class = if mark.on { "plug on" } else { "plug" };
        svg.tag("circle").class(class).num("cx", *x).num("cy", *y).num("r", 4.5).empty();
    }
    if let (Some(link), Some(label)) = (line.link, line.label) {
        draw_label(svg, link, label, view);
    }
    svg.close();
    svg.line();
}

fn draw_label(svg: &mut Svg, link: &Link, (x, y, room): (f64, f64, f64), view: &CaseView) {
    let mark = view.mark(&link.resources);
    let pill = measure::share_width(view, &link.resources).min(room);
    let text = LABEL.fit(&link.label(view.words), room - pill);
    write(svg, "", LABEL, (x, y), &text);
    let mut after = x + LABEL.width(&text);
    if !text.is_empty() {
        after += 6.0;
    }
    share(svg, (mark, view), (after, y), x + room - after);
    let first = if text.is_empty() && pill == 0.0 { y } else { y + LABEL_STEP };
    let warnings = link.warnings.iter().map(|w| ("warn bold", WARNING, w));
    let notes = link.notes.iter().map(|n| ("quiet", LABEL, n));
    for (i, (class, font, text)) in warnings.chain(notes).enumerate() {
        write(svg, class, font, (x, first + i as f64 * LABEL_STEP), &font.fit(text, room));
    }
}

/// A share as a small coloured field that begins at `x`, its figure on the base
/// line `y`.
fn share(svg: &mut Svg, (mark, view): (Mark, &CaseView), (x, y): (f64, f64), room: f64) {
    let (Some(words), Some((_, high))) = (mark.words(view.words), mark.share) else { return };
    // Room that was made for just these words may be smaller by a rounding.
    let words = SHARE.fit(&words, room - PILL + 1e-6);
    let width = SHARE.width(&words) + PILL;
    let step = theme::step(high);
    let class = if mark.peak { format!("pill peak s{step}") } else { format!("pill s{step}") };
    rect(svg, &class, (x, y - 12.0), (width, 16.0), 8.0);
    let tag = svg.tag("text").class(&format!("bold t{step}")).num("x", x + width / 2.0).num("y", y);
    tag.num("font-size", SHARE.size).attr("text-anchor", "middle").text(&words);
}

/// A box with round corners.
pub(super) fn rect(svg: &mut Svg, class: &str, (x, y): (f64, f64), (width, height): (f64, f64), radius: f64) {
    let tag = svg.tag("rect").class(class).num("x", x).num("y", y).num("width", width);
    tag.num("height", height).num("rx", radius).empty();
}

pub(super) fn write(svg: &mut Svg, class: &str, font: Font, (x, y): (f64, f64), text: &str) {
    if text.is_empty() {
        return;
    }
    svg.tag("text").class(class).num("x", x).num("y", y).num("font-size", font.size).text(text);
}

fn title(svg: &mut Svg, text: &str) {
    if !text.is_empty() {
        svg.tag("title").text(text);
    }
}

fn class(view: &CaseView, mark: Mark) -> &'static str {
    match (view.active(), mark.on, mark.peak) {
        (_, true, true) => "on peak",
        (_, true, false) => "on",
        (true, false, _) => "off",
        (false, false, _) => "",
    }
}

fn strip(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Package => Some("cpu"),
        Kind::Memory => Some("memory"),
        Kind::Hub => Some("hub"),
        Kind::Disk | Kind::Across => Some("disk"),
        Kind::Network => Some("network"),
        Kind::More => None,
    }
}

fn card(svg: &mut Svg, place: &CardPosition, view: &CaseView) {
    let CardPosition { node, words, x, y, width, height } = place;
    let mark = view.mark(&node.resources);
    // What only leads to the path does not step back either.
    let state = if !mark.on && passes(node, view) { "" } else { class(view, mark) };
    svg.tag("g").class(state).open();
    title(svg, &node.tooltip(view.words));
    for behind in (1..=2).rev().filter(|_| node.count > 1) {
        let shift = measure::stack(node) / 2.0 * f64::from(behind);
        rect(svg, "card", (x + shift, y + shift), (*width, *height), 5.0);
    }
    rect(svg, "card", (*x, *y), (*width, *height), 5.0);
    if let Some(kind) = strip(node.kind) {
        let step = mark.share.map(|(_, high)| format!("s{}", theme::step(high)));
        let (class, width, radius) = match &step {
            Some(step) => (step.as_str(), 6.0, 3.0),
            None => (kind, 4.0, 2.0),
        };
        rect(svg, class, (x + 1.0, y + 1.0), (width, height - 2.0), radius);
    }
    let inner = width - 2.0 * PAD;
    let pill = measure::share_width(view, &node.resources).min(inner);
    if pill > 0.0 {
        share(svg, (mark, view), (x + width - PAD - pill + 6.0, y + TITLE_STEP), pill - 6.0);
    }
    let mut base = y + TITLE_STEP;
    for (i, line) in words.title.iter().enumerate() {
        base += if i > 0 { LINE_STEP } else { 0.0 };
        write(svg, "bold", TITLE, (x + PAD, base), line);
    }
    for line in &words.lines {
        base += LINE_STEP;
        write(svg, "quiet", LINE, (x + PAD, base), line);
    }
    svg.close();
    svg.line();
    let mut top = y + words.height() + 11.0;
    for (rung, tall) in node.rungs.iter().zip(&words.tall) {
        draw_rung(svg, rung, (x + PAD, top), (inner, *tall), view);
        top += measure::rung_height(*tall);
    }
}

fn draw_rung(
    svg: &mut Svg,
    rung: &StackLevel,
    (x, y): (f64, f64),
    (width, tall): (f64, bool),
    view: &CaseView,
) {
    let mark = view.mark(&rung.resources);
    let outer = class(view, mark);
    let indent = (rung.depth as f64 * RUNG_INDENT).min(width * 0.4);
    let (x, width) = (x + indent, width - indent);
    svg.tag("g").class(if outer == "off" { "off" } else { "" }).open();
    title(svg, &join([&rung.text, &rung.mount].into_iter().chain(&rung.tip), "\n"));
    let class = if mark.on { format!("rung {outer}") } else { "rung".to_owned() };
    rect(svg, &class, (x, y), (width, measure::rung_height(tall) - 2.0), 3.0);
    let inner = width - 10.0;
    let base = y + 13.0;
    let pill = measure::share_width(view, &rung.resources).min(inner);
    let mut room = inner - pill;
    if pill > 0.0 {
        share(svg, (mark, view), (x + 5.0 + room + 6.0, base), pill - 6.0);
    }
    let mount = LINE.fit(&rung.mount, room);
    if tall {
        write(svg, "", LINE, (x + 5.0, base + LINE_STEP), &mount);
    } else if !mount.is_empty() {
        let tag = svg.tag("text").num("x", x + 5.0 + room).num("y", base).num("font-size", LINE.size);
        tag.attr("text-anchor", "end").text(&mount);
        room -= LINE.width(&mount) + 10.0;
    }
    write(svg, "quiet", LINE, (x + 5.0, base), &LINE.fit(&rung.text, room));
    svg.close();
    svg.line();
}
