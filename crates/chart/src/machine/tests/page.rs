//! The picture as a document: well-formed, safe, the same each time.

use model::{Resource, ResourceKind, WorkloadName};
use roxmltree::Document;

use super::*;

const MARKUP: &str = "\"><script>alert(1)</script><a href='x' onclick=\"y\">&amp;]]>\u{1}\u{202e}";

#[test]
fn every_picture_is_well_formed_and_has_words_for_those_who_do_not_see_it() {
    for (name, text) in pictures() {
        let document = Document::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let root = document.root_element();
        assert_eq!(root.attribute("role"), Some("img"), "{name}");
        assert!(root.attribute("viewBox").is_some_and(|v| v.starts_with("0 0 800 ")), "{name}");
        let first: Vec<&str> =
            root.children().filter(|c| c.is_element()).take(2).map(|c| c.tag_name().name()).collect();
        assert_eq!(first, ["title", "desc"], "{name}");
        assert!(
            root.children()
                .filter(|c| c.is_element())
                .take(2)
                .all(|c| c.text().is_some_and(|t| t.len() > 10))
        );
    }
}

#[test]
fn a_picture_needs_nothing_from_elsewhere_and_runs_nothing() {
    for (name, text) in pictures() {
        let document = Document::parse(&text).unwrap();
        for node in document.descendants().filter(roxmltree::Node::is_element) {
            let tag = node.tag_name().name();
            assert!(
                !["script", "image", "use", "foreignObject", "a", "link"].contains(&tag),
                "{name}: {tag}"
            );
            for attribute in node.attributes() {
                assert!(!attribute.name().starts_with("on") && attribute.name() != "href", "{name}");
                // Several pictures on a page must not share names.
                assert_ne!(attribute.name(), "id", "{name}");
            }
        }
        assert!(
            !text.contains("url(") && !text.contains("@import") && !text.contains("@font-face"),
            "{name}"
        );
    }
}

#[test]
fn markup_in_any_name_stays_text() {
    let mut hostile_case = study_a_case();
    hostile_case.label = named(MARKUP);
    hostile_case.loads.main.workload = WorkloadName::intern(MARKUP).unwrap();
    hostile_case.path[0].resource = Resource::of(ResourceKind::Cpu, MARKUP);
    let text = svg(&hostile(MARKUP), Some(&hostile_case));
    let document = Document::parse(&text).unwrap();
    let known = ["svg", "title", "desc", "style", "g", "rect", "path", "text", "circle"];
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        assert!(known.contains(&node.tag_name().name()), "{}", node.tag_name().name());
        assert!(node.attributes().all(|a| !a.value().contains("script")));
    }
    assert!(text.contains("&lt;script&gt;"), "the name itself is shown");
    assert!(!text.contains(['\u{1}', '\u{202e}']));
}

#[test]
fn the_same_machine_makes_the_same_picture_in_whatever_order_it_was_read() {
    for (machine, case) in [(study_e(), study_e_case()), (nvme_server(32, 8), nvme_case(8))] {
        let first = svg(&machine, Some(&case));
        assert_eq!(first, svg(&machine, Some(&case)));
        let mut turned = machine.clone();
        turned.inventory.pci.reverse();
        turned.limits.reverse();
        assert_eq!(first, svg(&turned, Some(&case)));
    }
}

#[test]
fn two_pictures_fit_on_one_page() {
    let text = svg(&study_a(), None);
    let document = Document::parse(&text).unwrap();
    let style = document.descendants().find(|n| n.has_tag_name("style")).and_then(|n| n.text()).unwrap();
    for rule in style.lines().filter(|l| !l.is_empty()) {
        let inner =
            if rule.starts_with("@media") { rule.split_once('{').map_or("", |(_, r)| r) } else { rule };
        assert!(
            inner.split('}').filter(|r| r.contains('{')).all(|r| r.starts_with(".headroom-chart")),
            "{rule}"
        );
    }
}

#[test]
fn colours_follow_the_reader_on_screen_and_are_light_on_paper() {
    let text = svg(&study_a(), None);
    assert!(text.contains("@media screen and (prefers-color-scheme:dark)"));
    assert!(text.contains("var(--headroom-ink,#1c2127)") && text.contains("var(--headroom-ink,#e8ecf1)"));
}
