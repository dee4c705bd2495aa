//! Where things are: text within its card, nothing upon anything else.

use roxmltree::{Document, Node};

use super::*;
use crate::text::Font;

#[derive(Clone, Copy, Debug)]
struct Box {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Box {
    fn within(self, other: Box) -> bool {
        self.left >= other.left - 0.2
            && self.right <= other.right + 0.2
            && self.top >= other.top - 0.2
            && self.bottom <= other.bottom + 0.2
    }

    fn meets(self, other: Box) -> bool {
        self.left + 0.5 < other.right
            && other.left + 0.5 < self.right
            && self.top + 0.5 < other.bottom
            && other.top + 0.5 < self.bottom
    }
}

fn number(node: Node, name: &str) -> f64 {
    node.attribute(name).and_then(|v| v.parse().ok()).unwrap_or_else(|| panic!("{name} of {node:?}"))
}

fn rect(node: Node) -> Box {
    let (left, top) = (number(node, "x"), number(node, "y"));
    Box { left, top, right: left + number(node, "width"), bottom: top + number(node, "height") }
}

fn has_class(node: Node, class: &str) -> bool {
    node.attribute("class").is_some_and(|c| c.split(' ').any(|c| c == class))
}

/// Where a text is, by the same estimate as it was laid out.
fn text_box(node: Node) -> Box {
    let size = number(node, "font-size");
    assert!(size >= 11.0, "text of {size} pixels");
    let font = if has_class(node, "bold") { Font::bold(size) } else { Font::plain(size) };
    let width = font.width(node.text().unwrap_or_default());
    let at = number(node, "x");
    let left = match node.attribute("text-anchor") {
        Some("middle") => at - width / 2.0,
        Some("end") => at - width,
        _ => at,
    };
    let base = number(node, "y");
    Box { left, top: base - size * 0.8, right: left + width, bottom: base + size * 0.25 }
}

/// Looks at both layouts of a picture.
fn each_layout(text: &str, look: impl Fn(Node, Box)) {
    let document = Document::parse(text).unwrap();
    let mut seen = 0;
    for layout in document.root_element().children().filter(Node::is_element) {
        if !["wide", "narrow"].iter().any(|c| has_class(layout, c)) {
            continue;
        }
        let paper = layout.children().find(|n| has_class(*n, "paper")).unwrap();
        let page =
            Box { left: 0.0, top: 0.0, right: number(paper, "width"), bottom: number(paper, "height") };
        look(layout, page);
        seen += 1;
    }
    assert_eq!(seen, 2);
}

/// The card or rung of a group: the last drawn, above those behind it.
fn frame(group: Node) -> Option<Box> {
    group.children().rfind(|n| has_class(*n, "card") || has_class(*n, "rung")).map(rect)
}

fn texts<'a>(layout: Node<'a, 'a>) -> Vec<Node<'a, 'a>> {
    layout.descendants().filter(|n| n.has_tag_name("text")).collect()
}

#[test]
fn text_is_never_wider_than_its_card_nor_beyond_the_page() {
    for (name, text) in pictures() {
        each_layout(&text, |layout, page| {
            for node in texts(layout) {
                let place = text_box(node);
                assert!(place.within(page), "{name}: {:?} at {place:?} leaves {page:?}", node.text());
                if let Some(frame) = node.parent_element().and_then(frame) {
                    assert!(place.within(frame), "{name}: {:?} at {place:?} leaves {frame:?}", node.text());
                }
            }
        });
    }
}

#[test]
fn cards_do_not_lie_on_one_another_nor_on_words() {
    for (name, text) in pictures() {
        each_layout(&text, |layout, page| {
            let groups = layout.children().filter(|n| n.has_tag_name("g"));
            let cards: Vec<Box> =
                groups.filter(|g| g.children().any(|n| has_class(n, "card"))).filter_map(frame).collect();
            for (i, card) in cards.iter().enumerate() {
                assert!(card.within(page), "{name}: {card:?} leaves {page:?}");
                for other in &cards[i + 1..] {
                    assert!(!card.meets(*other), "{name}: {card:?} on {other:?}");
                }
            }
            let outside = texts(layout).into_iter().filter(|n| n.parent_element().and_then(frame).is_none());
            for node in outside {
                let place = text_box(node);
                for card in &cards {
                    assert!(!place.meets(*card), "{name}: {:?} on {card:?}", node.text());
                }
            }
        });
    }
}

#[test]
fn words_do_not_run_into_one_another() {
    for (name, text) in pictures() {
        each_layout(&text, |layout, _| {
            let all: Vec<(Node, Box)> = texts(layout).into_iter().map(|n| (n, text_box(n))).collect();
            for (i, (one, place)) in all.iter().enumerate() {
                for (other, there) in &all[i + 1..] {
                    assert!(!place.meets(*there), "{name}: {:?} on {:?}", one.text(), other.text());
                }
            }
        });
    }
}

#[test]
fn a_share_has_room_for_its_figure() {
    for (name, text) in pictures() {
        each_layout(&text, |layout, page| {
            for pill in layout.descendants().filter(|n| has_class(*n, "pill")) {
                let Some(figure) = pill.next_sibling_element().filter(|n| n.has_tag_name("text")) else {
                    continue;
                };
                if figure.attribute("text-anchor") == Some("middle") {
                    assert!(text_box(figure).within(rect(pill)), "{name}: {:?}", figure.text());
                    assert!(!figure.text().unwrap_or_default().contains('…'), "{name}: {:?}", figure.text());
                }
                assert!(rect(pill).within(page), "{name}: {:?}", figure.text());
            }
        });
    }
}

#[test]
fn the_layout_for_phones_fills_the_enlarged_width_exactly() {
    for (name, text) in pictures() {
        let document = Document::parse(&text).unwrap();
        let root = document.root_element();
        let style = root.attribute("style").unwrap();
        let height: f64 = style.strip_prefix("--headroom-narrow:360/").and_then(|h| h.parse().ok()).unwrap();
        // As the width decides on the scale only while the phone's layout is no
        // flatter than the screen's.
        assert!(height / 360.0 >= number(root, "height") / 800.0 - 1e-3, "{name}");
        let narrow = document.descendants().find(|n| has_class(*n, "narrow")).unwrap();
        assert_eq!(narrow.attribute("transform"), Some("scale(2.22222)"), "{name}");
        assert_eq!(
            narrow.attribute("display"),
            Some("none"),
            "{name}: viewers without styles show one layout"
        );
    }
}
