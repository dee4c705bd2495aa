//! Where everything goes: the tree from the top down in a given width. Siblings
//! stand side by side as long as they fit, then in rows below one another, so
//! that the same tree fills a screen or a phone.

use super::measure::{
    self, CARD_GAP, DROP_X, INDENT, Words, card_height, label_height, least_width, natural_width, side_width,
    stack,
};
use super::share::CaseView;
use super::tree::{Link, Node, Tree};

/// Something with a place.
#[derive(Debug)]
pub(super) enum Item<'a> {
    /// A card with all that is written on it.
    Card(CardPosition<'a>),
    /// A line between cards.
    Line(Line<'a>),
    /// A heading over a part of the picture.
    Heading { text: String, x: f64, y: f64 },
}

#[derive(Debug)]
pub(super) struct CardPosition<'a> {
    pub(super) node: &'a Node,
    pub(super) words: Words,
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A line's course, and its label's place.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) points: Vec<(f64, f64)>,
    /// The link that it is; without one it only connects.
    pub(super) link: Option<&'a Link>,
    /// The card that it leads to: on that one's path, the line is on it too.
    pub(super) to: &'a Node,
    /// Left edge and first base line of the label, and the room it has.
    pub(super) label: Option<(f64, f64, f64)>,
    pub(super) out: bool,
}

#[derive(Debug, Default)]
pub(super) struct Diagram<'a> {
    pub(super) items: Vec<Item<'a>>,
    pub(super) bottom: f64,
}

/// Space between two packages, with what is written on the line between them.
const PACKAGE_GAP: f64 = 112.0;
/// Space between rows of packages.
const ROWS_GAP: f64 = 28.0;
/// What a package needs at least.
const PACKAGE_WIDTH: f64 = 300.0;
/// From here on memory stands beside its package.
const BESIDE: f64 = 540.0;
/// Space between rows of cards.
const ROW_GAP: f64 = 14.0;
/// Cards are not pushed to the right any more when they would get narrower.
const NARROWEST_INDENTED: f64 = 180.0;
/// From a card down to the line that its children hang on.
const BUS: f64 = 10.0;

/// Places `tree` between `x` and `x + width`, from `y` down.
pub(super) fn place<'a>(tree: &'a Tree, view: &CaseView, x: f64, y: f64, width: f64) -> Diagram<'a> {
    let mut layout = Layout { view, scene: Diagram::default() };
    let mut y = layout.packages(&tree.packages, x, y, width);
    let bands = [(&tree.across, "across"), (&tree.loose, "place-unknown")];
    for (nodes, key) in bands {
        if !nodes.is_empty() {
            y += 26.0;
            let text = super::wording::say(view.words, key);
            layout.scene.items.push(Item::Heading { text, x, y });
            y = layout.band(nodes, x, y + 10.0, width);
        }
    }
    layout.scene.bottom = y;
    layout.scene
}

struct Layout<'v, 'a> {
    view: &'v CaseView<'v>,
    scene: Diagram<'a>,
}

impl<'a> Layout<'_, 'a> {
    /// Packages side by side, as many as have room.
    fn packages(&mut self, packages: &'a [Node], x: f64, y: f64, width: f64) -> f64 {
        let fit = ((width + PACKAGE_GAP) / (PACKAGE_WIDTH + PACKAGE_GAP)).floor().max(1.0) as usize;
        let columns = fit.min(packages.len()).clamp(1, 2);
        let each = (width - PACKAGE_GAP * (columns as f64 - 1.0)) / columns as f64;
        let mut top = y;
        for row in packages.chunks(columns) {
            let mut bottom = top;
            let mut cards: Vec<(f64, f64)> = Vec::new();
            for (i, package) in row.iter().enumerate() {
                let left = x + i as f64 * (each + PACKAGE_GAP);
                let at = self.package(package, left, top, each);
                cards.push((left, at.0));
                bottom = bottom.max(at.1);
            }
            if let ([(_, first), (second_x, second)], [_, to]) = (cards.as_slice(), row) {
                // Between the packages of a row: how they are coupled is not
                // known, only that they are.
                let y = first.min(*second) - 24.0;
                let points = vec![(second_x - PACKAGE_GAP, y), (*second_x, y)];
                let lines = to.link.as_ref().map_or(0.0, |l| measure::label_lines(l) as f64);
                let above = 5.0 + (lines - 1.0).max(0.0) * measure::LABEL_STEP;
                let label = (second_x - PACKAGE_GAP + 8.0, y - above, PACKAGE_GAP - 14.0);
                self.line(points, to.link.as_ref(), to, Some(label));
            }
            top = bottom + ROWS_GAP;
        }
        top - ROWS_GAP
    }

    /// A package with its memory and all below; gives the lower edge of its
    /// card and of all.
    fn package(&mut self, node: &'a Node, x: f64, y: f64, width: f64) -> (f64, f64) {
        let Some(memory) = node.memory.as_deref() else {
            let card = self.card(node, x, y, width.min(natural_width(node, self.view).max(PACKAGE_WIDTH)));
            return (card, self.children(node, (x, card), card, width));
        };
        let link = memory.link.as_ref();
        if width >= BESIDE {
            let label = link.map_or(0.0, |l| measure::label_width(l, self.view)) + 24.0;
            let gap = label.clamp(60.0, width * 0.3);
            let own = ((width - gap) * 0.54).floor();
            let place = |node: &'a Node, x: f64, width: f64| {
                let words = Words::new(node, width, self.view);
                let height = card_height(&words);
                CardPosition { node, words, x, y, width, height }
            };
            let (mut left, mut right) =
                (place(node, x, own), place(memory, x + own + gap, width - own - gap));
            // Each as high as it needs, with the line through the middle of both.
            let height = left.height.max(right.height);
            left.y += (height - left.height) / 2.0;
            right.y += (height - right.height) / 2.0;
            let card = left.y + left.height;
            self.scene.items.extend([Item::Card(left), Item::Card(right)]);
            let middle = y + height / 2.0;
            let lines = link.map_or(0.0, |l| measure::label_lines(l) as f64);
            let label =
                (x + own + 10.0, middle - 8.0 - (lines - 1.0).max(0.0) * measure::LABEL_STEP, gap - 16.0);
            self.line(vec![(x + own, middle), (x + own + gap, middle)], link, memory, Some(label));
            return (card, self.children(node, (x, card), y + height, width));
        }
        let bottom = self.card(memory, x, y, width);
        let drop = link.map_or(BUS, |l| label_height(l).max(BUS) + 4.0);
        let label = (x + DROP_X + 10.0, bottom + measure::LABEL_STEP, width - DROP_X - 10.0);
        self.line(vec![(x + DROP_X, bottom), (x + DROP_X, bottom + drop)], link, memory, Some(label));
        let card = self.card(node, x, bottom + drop, width);
        (card, self.children(node, (x, card), card, width))
    }

    /// A card as high as it needs; gives its lower edge.
    fn card(&mut self, node: &'a Node, x: f64, y: f64, width: f64) -> f64 {
        let width = width - stack(node);
        let words = Words::new(node, width, self.view);
        let height = card_height(&words);
        self.scene.items.push(Item::Card(CardPosition { node, words, x, y, width, height }));
        y + height + stack(node)
    }

    fn line(
        &mut self,
        points: Vec<(f64, f64)>,
        link: Option<&'a Link>,
        to: &'a Node,
        label: Option<(f64, f64, f64)>,
    ) {
        self.scene.items.push(Item::Line(Line { points, link, to, label, out: false }));
    }

    /// A card and all below it; gives the lower edge of all.
    fn subtree(&mut self, node: &'a Node, x: f64, y: f64, width: f64) -> f64 {
        let own = measure::card_width(node, self.view);
        let bottom = self.card(node, x, y, if own > width * 0.8 { width } else { own });
        let bottom = self.way_out(node, x, bottom, width);
        self.children(node, (x, bottom), bottom, width)
    }

    /// The link out of the machine, below a network card.
    fn way_out(&mut self, node: &'a Node, x: f64, y: f64, width: f64) -> f64 {
        let Some(out) = &node.out else { return y };
        let end = y + label_height(out).max(16.0);
        let label = (x + DROP_X + 10.0, y + measure::LABEL_STEP, width - DROP_X - 12.0);
        let points = vec![(x + DROP_X, y), (x + DROP_X, end)];
        let line = Line { points, link: Some(out), to: node, label: Some(label), out: true };
        self.scene.items.push(Item::Line(line));
        end + 6.0
    }

    /// All that hangs below a card that ends at `card`, from `y` down.
    fn children(&mut self, parent: &'a Node, (x, card): (f64, f64), y: f64, width: f64) -> f64 {
        let nodes: Vec<&Node> = parent.children.iter().collect();
        if nodes.is_empty() {
            return y;
        }
        let rows = rows(&nodes, self.view, width);
        let several = rows.len() > 1;
        let indent = if several && width - INDENT >= NARROWEST_INDENTED { INDENT } else { 0.0 };
        let mut top = y;
        for row in &rows {
            let bus = top + if row.len() == 1 && !several { 0.0 } else { BUS };
            let drop = row.iter().filter_map(|n| n.link.as_ref()).map(label_height).fold(12.0, f64::max);
            let widths = shares_of(row, self.view, width - indent);
            let mut left = x + indent;
            let mut bottom = top;
            for (node, width) in row.iter().zip(widths) {
                let at = left + DROP_X;
                self.line(vec![(x + DROP_X, card), (x + DROP_X, bus), (at, bus)], None, node, None);
                let label = (at + 10.0, bus + measure::LABEL_STEP, width - DROP_X - 12.0);
                self.line(vec![(at, bus), (at, bus + drop)], node.link.as_ref(), node, Some(label));
                bottom = bottom.max(self.subtree(node, left, bus + drop, width));
                left += width + CARD_GAP;
            }
            top = bottom + ROW_GAP;
        }
        top - ROW_GAP
    }

    fn band(&mut self, nodes: &'a [Node], x: f64, y: f64, width: f64) -> f64 {
        let nodes: Vec<&Node> = nodes.iter().collect();
        let mut top = y;
        for row in rows(&nodes, self.view, width) {
            let mut left = x;
            let mut bottom = top;
            for (node, width) in row.iter().zip(shares_of(&row, self.view, width)) {
                bottom = bottom.max(self.subtree(node, left, top, width));
                left += width + CARD_GAP;
            }
            top = bottom + ROW_GAP;
        }
        top - ROW_GAP
    }
}

/// Siblings in rows: one row where all fit, else as many in each as fit.
fn rows<'a>(nodes: &[&'a Node], view: &CaseView, width: f64) -> Vec<Vec<&'a Node>> {
    let fits = |row: &[&Node], more: f64, width: f64| {
        row.iter().map(|n| least_width(n, view) + CARD_GAP).sum::<f64>() + more <= width
    };
    if let Some((last, others)) = nodes.split_last()
        && fits(others, least_width(last, view), width)
    {
        return vec![nodes.to_vec()];
    }
    let mut rows: Vec<Vec<&Node>> = Vec::new();
    for node in nodes {
        match rows.last_mut() {
            Some(row) if fits(row, least_width(node, view), width - INDENT) => row.push(node),
            _ => rows.push(vec![node]),
        }
    }
    rows
}

/// What each of a row gets: what it needs, and a fair part of the rest up to
/// what it would like.
fn shares_of(row: &[&Node], view: &CaseView, width: f64) -> Vec<f64> {
    let room = width - CARD_GAP * (row.len() as f64 - 1.0);
    if let [_] = row {
        return vec![room];
    }
    let mut least: Vec<f64> = row.iter().map(|n| least_width(n, view)).collect();
    // First that what hangs below them can stand side by side.
    for (width, node) in least.iter_mut().zip(row) {
        *width = width.max(side_width(node, view));
    }
    let mut over = least.iter().sum::<f64>() - room;
    for (width, node) in least.iter_mut().zip(row).rev() {
        if over > 0.0 {
            let back = *width - least_width(node, view);
            *width -= back;
            over -= back;
        }
    }
    let wish: Vec<f64> = row.iter().zip(&least).map(|(n, l)| (natural_width(n, view) - l).max(0.0)).collect();
    let spare = (room - least.iter().sum::<f64>()).max(0.0);
    let wished: f64 = wish.iter().sum();
    let part = if wished > 0.0 { (spare / wished).min(1.0) } else { 0.0 };
    least.iter().zip(&wish).map(|(l, w)| l + w * part).collect()
}
