//! How large cards and labels are, by what is written on them.

use super::share::CaseView;
use super::tree::{Link, Node, StackLevel};
use crate::text::Font;
use model::Resource;

pub(super) const TITLE: Font = Font::bold(13.0);
/// What stands below it.
pub(super) const LINE: Font = Font::plain(12.0);
/// What is written beside lines, and shares.
pub(super) const LABEL: Font = Font::plain(12.0);
/// What is wrong with a link.
pub(super) const WARNING: Font = Font::bold(12.0);
pub(super) const SHARE: Font = Font::bold(11.5);

/// Between a card's edge and its text.
pub(super) const PAD: f64 = 11.0;
/// From the upper edge to below the title.
pub(super) const TITLE_STEP: f64 = 19.0;
/// From line to line on a card.
pub(super) const LINE_STEP: f64 = 16.0;
/// From line to line of a label.
pub(super) const LABEL_STEP: f64 = 15.0;
/// The height of a rung of one line.
const RUNG: f64 = 20.0;
/// How much further right a rung begins than what it stands on.
pub(super) const RUNG_INDENT: f64 = 9.0;
pub(super) const CARD_GAP: f64 = 16.0;
/// How much further right children begin where they fill several rows.
pub(super) const INDENT: f64 = 22.0;
/// Where a line meets a card, from its left edge.
pub(super) const DROP_X: f64 = 14.0;
/// How far the lowest card of a stack looks out.
const STACK: f64 = 6.0;
/// Lines that one long text is broken into at most.
const MOST_LINES: usize = 4;
pub(super) const PILL: f64 = 12.0;

const NARROWEST: f64 = 112.0;
const WIDEST: f64 = 340.0;
/// A card is not made narrower than this to stand beside another.
const LEAST: f64 = 236.0;

/// The width of a card that has all the room it likes.
pub(super) fn card_width(node: &Node, view: &CaseView) -> f64 {
    let pill = |resources: &[Resource]| share_width(view, resources);
    let title = TITLE.width(&node.title(view.words)) + pill(&node.resources);
    let lines = node.lines.iter().map(|l| LINE.width(l));
    let rungs = node.rungs.iter().map(|r| {
        let mount = if r.mount.is_empty() { 0.0 } else { LINE.width(&r.mount) + 12.0 };
        LINE.width(&r.text) + mount + 12.0 + r.depth as f64 * RUNG_INDENT + pill(&r.resources)
    });
    let inner = lines.chain(rungs).fold(title, f64::max);
    (inner + 2.0 * PAD).clamp(NARROWEST, WIDEST).ceil() + stack(node)
}

/// What stands on a card of a certain width, line by line.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    pub(super) title: Vec<String>,
    /// What stands below it.
    pub(super) lines: Vec<String>,
    /// Of each rung, whether it is drawn on two lines.
    pub(super) tall: Vec<bool>,
}

impl Words {
    pub(super) fn new(node: &Node, width: f64, view: &CaseView) -> Self {
        let inner = width - 2.0 * PAD;
        let beside_share = inner - share_width(view, &node.resources).min(inner);
        let wrap = |line: &String| LINE.wrap(line, inner, inner, MOST_LINES);
        Self {
            title: TITLE.wrap(&node.title(view.words), beside_share, inner, MOST_LINES),
            lines: node.lines.iter().flat_map(wrap).collect(),
            tall: node.rungs.iter().map(|r| is_tall(r, inner, view)).collect(),
        }
    }

    /// The height of all lines, from a card's edge to the last base line.
    pub(super) fn height(&self) -> f64 {
        let titles = self.title.len().max(1) as f64 - 1.0;
        TITLE_STEP + titles * LINE_STEP + self.lines.len() as f64 * LINE_STEP
    }
}

/// Whether what is written on a rung fits on one line only if it is cut.
fn is_tall(rung: &StackLevel, inner: f64, view: &CaseView) -> bool {
    if rung.text.is_empty() || rung.mount.is_empty() {
        return false;
    }
    let indent = (rung.depth as f64 * RUNG_INDENT).min(inner * 0.4);
    let room = inner - indent - 10.0 - share_width(view, &rung.resources);
    LINE.width(&rung.text) + 10.0 + LINE.width(&rung.mount) > room
}

pub(super) fn rung_height(tall: bool) -> f64 {
    if tall { RUNG + LINE_STEP } else { RUNG }
}

pub(super) fn card_height(words: &Words) -> f64 {
    let rungs: f64 = words.tall.iter().map(|tall| rung_height(*tall)).sum();
    words.height() + 11.0 + if words.tall.is_empty() { 0.0 } else { rungs + 5.0 }
}

/// How far the cards behind one that stands for several look out.
pub(super) fn stack(node: &Node) -> f64 {
    if node.count > 1 { STACK } else { 0.0 }
}

/// The room that the share of these resources takes, nothing without one.
pub(super) fn share_width(view: &CaseView, resources: &[Resource]) -> f64 {
    view.mark(resources).words(view.words).map_or(0.0, |w| SHARE.width(&w) + PILL + 6.0)
}

pub(super) fn label_lines(link: &Link) -> usize {
    usize::from(!link.what.is_empty() || link.rate.as_ref().is_some_and(|r| !r.is_empty()))
        + link.warnings.len()
        + link.notes.len()
}

/// The height of a link's label with what is around it.
pub(super) fn label_height(link: &Link) -> f64 {
    match label_lines(link) {
        0 => 12.0,
        lines => lines as f64 * LABEL_STEP + 7.0,
    }
}

pub(super) fn label_width(link: &Link, view: &CaseView) -> f64 {
    let first = LABEL.width(&link.label(view.words)) + share_width(view, &link.resources);
    let warnings = link.warnings.iter().map(|w| WARNING.width(w));
    link.notes.iter().map(|n| LABEL.width(n)).chain(warnings).fold(first, f64::max)
}

fn own_width(node: &Node, view: &CaseView) -> f64 {
    let links = node.link.iter().chain(&node.out).map(|l| label_width(l, view) + DROP_X + 14.0);
    links.fold(card_width(node, view), f64::max)
}

/// The width that a card and all below it would like.
pub(super) fn natural_width(node: &Node, view: &CaseView) -> f64 {
    let gaps = CARD_GAP * (node.children.len().max(1) as f64 - 1.0);
    let below: f64 = node.children.iter().map(|c| natural_width(c, view)).sum();
    own_width(node, view).max(below + gaps)
}

/// The width at which all below a card can stand side by side.
pub(super) fn side_width(node: &Node, view: &CaseView) -> f64 {
    let gaps = CARD_GAP * (node.children.len().max(1) as f64 - 1.0);
    let below: f64 = node.children.iter().map(|c| side_width(c, view)).sum();
    own_width(node, view).min(LEAST).max(below + gaps)
}

/// The width that a card and all below it can do with.
pub(super) fn least_width(node: &Node, view: &CaseView) -> f64 {
    let own = own_width(node, view).min(LEAST);
    let indent = if node.children.len() > 1 { INDENT } else { 0.0 };
    node.children.iter().map(|c| least_width(c, view) + indent).fold(own, f64::max)
}
