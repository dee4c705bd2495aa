//! The picture of a machine: packages and memory on top, below them the links
//! with what they can carry, down to disks and networks with what stands on
//! them. A link is drawn the wider the more it carries, so that a narrow place
//! is seen before any figure is read.
//!
//! The picture holds two layouts of one tree, for a screen and for a phone; a
//! media query chooses. What stands in a machine's files is cleaned, cut to its
//! box and escaped, and however large or garbled an inventory is, the picture
//! stays bounded.

mod build;
mod collapse;
mod describe;
mod draw;
mod ladder;
mod layout;
mod legend;
mod link;
mod measure;
mod names;
mod parts;
mod pci;
mod share;
#[cfg(test)]
mod tests;
mod tree;
mod wording;

use language::{Language, Words};
use model::Machine;

use crate::svg::{Svg, number};
use crate::text::Font;
use crate::theme;
use share::CaseView;
pub use share::DrawnCase;
use tree::Tree;

/// The width of the layout for screens, in pixels.
const WIDE: f64 = 800.0;
/// The width of the layout for phones.
const NARROW: f64 = 360.0;
/// A window no wider than this gets the layout for phones.
const NARROW_UP_TO: u32 = 520;

const HEADING: Font = Font::bold(16.0);
const SUBHEADING: Font = Font::plain(12.0);

/// Draws `machine`; with `case`, the resources of its path are outlined and
/// coloured by the share of their limit, and all else steps back. What it says
/// is in the language of `words`; names, units and where a figure is from
/// stay as the document has them.
///
/// The answer is one SVG element that needs nothing else, for a page or a file
/// of its own. A page may set the colours (`--headroom-ink` and others).
#[must_use]
pub fn svg(machine: &Machine, case: Option<DrawnCase<'_>>, words: &Words) -> String {
    let mut view = CaseView::new(case, words);
    let tree = build::tree(machine, &mut view);
    let wide = layout(machine, &tree, &view, WIDE, 20.0);
    let mut narrow = layout(machine, &tree, &view, NARROW, 12.0);
    // The phone's layout is enlarged to the screen's width, and must not be the
    // flatter of the two, or the screen's height would decide on its size.
    narrow.height = narrow.height.max((wide.height * NARROW / WIDE).ceil());

    let mut svg = Svg::default();
    let root = svg.tag("svg").attr("xmlns", "http://www.w3.org/2000/svg").class(theme::ROOT);
    // Decides on the shapes of characters that Chinese and Japanese share.
    let root = match words.language() {
        Language::English => root,
        other => root.attr("lang", other.tag()),
    };
    root.attr("role", "img")
        .attr("viewBox", &format!("0 0 {} {}", number(WIDE), number(wide.height)))
        .num("width", WIDE)
        .num("height", wide.height)
        .attr("preserveAspectRatio", "xMinYMin meet")
        .attr("style", &format!("--headroom-narrow:{}/{}", number(NARROW), number(narrow.height)))
        .open();
    svg.tag("title").text(&describe::title(machine, &view));
    svg.tag("desc").text(&describe::description(machine, &tree, &view));
    svg.style(&format!("{}{}", theme::sheet("", draw::RULES), media(wide.height)));
    svg.tag("g").class("wide").open();
    wide.draw(&mut svg, &view);
    svg.close();
    let scale = format!("scale({:.5})", WIDE / NARROW);
    svg.tag("g").class("narrow").attr("display", "none").attr("transform", &scale).open();
    narrow.draw(&mut svg, &view);
    svg.close();
    svg.finish()
}

/// Which layout shows where. An image within a page cannot change its own shape,
/// so where the window has the shape of the wide layout, that one stays.
fn media(height: f64) -> String {
    let root = theme::ROOT;
    let (flatter, taller) = (number((height * 0.97).floor()), number((height * 1.03).ceil()));
    let wide = number(WIDE);
    format!(
        ".{root}{{max-width:100%;height:auto}}\n\
         @media screen and (max-width:{NARROW_UP_TO}px) and (max-aspect-ratio:{wide}/{taller}),\
         screen and (max-width:{NARROW_UP_TO}px) and (min-aspect-ratio:{wide}/{flatter}){{\
         .{root}{{aspect-ratio:var(--headroom-narrow)}}\
         .{root} .wide{{display:none}}.{root} .narrow{{display:inline}}}}\n"
    )
}

/// One layout with its heading and legend.
struct Sheet<'a> {
    heading: Vec<(Font, &'static str, String)>,
    scene: layout::Diagram<'a>,
    legend: Option<f64>,
    margin: f64,
    width: f64,
    height: f64,
}

fn layout<'a>(machine: &Machine, tree: &'a Tree, view: &CaseView, width: f64, margin: f64) -> Sheet<'a> {
    let inner = width - 2.0 * margin;
    let mut heading = vec![(HEADING, "bold", describe::heading(machine, view.words))];
    heading.push((SUBHEADING, "quiet", describe::subheading(machine, view.words)));
    if let Some(DrawnCase { case, name }) = &view.case {
        let workload = crate::svg::clean(case.loads.main.workload.as_str());
        let label = crate::svg::clean(name);
        let text = if label.starts_with(&workload) { label } else { format!("{workload} {label}") };
        heading.push((SUBHEADING, "", wording::fill(view.words, "path-of", &[("case", &text)])));
    }
    heading.retain(|(_, _, text)| !text.is_empty());
    for (font, _, text) in &mut heading {
        *text = font.fit(text, inner);
    }
    let top = margin + heading.iter().map(|(font, _, _)| font.size * 1.5).sum::<f64>() + 8.0;
    let scene = layout::place(tree, view, margin, top, inner);
    let bottom = scene.bottom;
    let legend = legend::height(tree, view, inner);
    let height = bottom + legend.map_or(0.0, |h| h + 18.0) + margin;
    Sheet { heading, scene, legend: legend.map(|_| bottom + 18.0), margin, width, height: height.ceil() }
}

impl Sheet<'_> {
    fn draw(&self, svg: &mut Svg, view: &CaseView) {
        svg.line();
        svg.tag("rect").class("paper").num("width", self.width).num("height", self.height).empty();
        let mut y = self.margin;
        for (font, class, text) in &self.heading {
            y += font.size * 1.5;
            let tag = svg.tag("text").num("x", self.margin).num("y", y - font.size * 0.4);
            tag.num("font-size", font.size).class(class).text(text);
        }
        svg.line();
        draw::scene(svg, &self.scene, view);
        if let Some(y) = self.legend {
            legend::draw(svg, view, (self.margin, y), self.width - 2.0 * self.margin);
        }
    }
}
