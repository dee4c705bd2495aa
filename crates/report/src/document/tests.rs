//! What the writers make of documents: a small one to look at, and runs whose
//! names mean something to a page.

use std::collections::BTreeSet;

use language::{LANGUAGES, Language};
use model::{Run, Severity};
use roxmltree::{Document as Xml, Node, ParsingOptions};
use textwrap::core::display_width;

use super::terminal::Detail;
use super::{
    Against, Answer, Block, Column, Document, Doubt, Notice, Piece, Rank, Ranked, Section, Table, Text, Tile,
    Tone,
};
use super::{html, markdown, terminal};
use crate::page::{self, Subject};
use crate::terminal::Terminal;
use crate::tests::odd::{TEXTS, odd, with_text};
use crate::text::printable;

/// A document with one of each block but charts, which have tests of their own.
fn small() -> Document {
    let mut first = Section::new("answer", "In short");
    first.extend(vec![
        Block::Lead("How fast is <it>?".into()),
        Block::Summary(vec![
            Answer { question: "How fast".to_owned(), lines: vec![], elsewhere: vec!["9 GB/s".into()] },
            Answer {
                question: "Is it sound".to_owned(),
                lines: vec![
                    Text(vec![Piece::Badge(Tone::Warning, "With care".to_owned())]).plain("one warning"),
                ],
                elsewhere: vec![Text::default().link("finding-1", "time was stolen")],
            },
        ]),
        Block::Figures(vec![tile()]),
    ]);
    let mut second = Section::new("rest", "The rest");
    second.extend(vec![
        Block::Notice(notice()),
        Block::Paragraph(Text::default().plain("with ").with(Piece::Code("a|b".to_owned()))),
        Block::List(vec!["one".into(), "two".into()]),
        Block::Pairs(vec![
            ("disk".to_owned(), "sda".into()),
            ("disk".to_owned(), "sdb".into()),
            ("memory".to_owned(), "1 GiB".into()),
        ]),
        Block::Code("headroom run\n  --seed 1".to_owned()),
    ]);
    let mut within = Section::new("numbers", "Numbers");
    within.push(Block::More { title: "All".to_owned(), blocks: vec![Block::Table(table())] });
    second.subsections.push(within);
    Document {
        words: Language::English.words(),
        title: "A & B".to_owned(),
        byline: vec!["somebody".to_owned(), "db1".to_owned()],
        purpose: vec![Ranked { rank: Rank::Detail, block: Block::Paragraph("To see.".into()) }],
        sections: vec![first, second],
        footer: "Made.".into(),
    }
}

fn tile() -> Tile {
    Tile {
        label: "read 1MiB".to_owned(),
        group: "disk".to_owned(),
        value: "9.000 GB/s".to_owned(),
        metric: "throughput".to_owned(),
        interval: Some("8 to 10".to_owned()),
        beside: vec!["p99 1 ms".to_owned()],
        against: vec![
            Against { label: "90 % of the link".to_owned(), share: Some(0.9), good: None },
            Against { label: "120 % of the promise".to_owned(), share: Some(1.2), good: Some(true) },
        ],
        doubt: Some(Doubt {
            severity: Severity::Warning,
            text: "1 warning".to_owned(),
            link: "finding-1".to_owned(),
        }),
        link: Some("rest".to_owned()),
    }
}

fn notice() -> Notice {
    Notice {
        id: Some("finding-1".to_owned()),
        severity: Severity::Warning,
        kind: "warning".to_owned(),
        about: "disk".to_owned(),
        cases: None,
        text: "Time was stolen.".into(),
        details: vec!["16 %".into()],
        advice: Some("Measure again.".into()),
    }
}

fn table() -> Table {
    let row = |name: &str, value: &str| vec![Text::from(name), Text::from(value)];
    Table {
        caption: "Estimates".to_owned(),
        columns: vec![Column::words("metric"), Column::numbers("median")],
        rows: vec![row("loose", "0"), row("iops", "1"), row("throughput", "2")],
        groups: vec![(1, "a|b".into()), (3, "empty".into())],
    }
}

#[test]
fn a_small_document_as_a_page() {
    let page = html::write(&small());
    let (_, body) = page.split_once("<body>").unwrap();
    insta::assert_snapshot!(body.replace("><", ">\n<"));
}

#[test]
fn regression_prose_in_a_table_had_one_word_a_line_on_a_phone() {
    let long = "measured before the run: what the receiver got of one stream";
    let mut own = table();
    own.rows[1][1] = long.into();
    let mut document = small();
    document.sections[0].extend(vec![Block::Table(own)]);
    let page = html::write(&document);
    assert!(
        page.contains(&format!("<td class=\"prose\">{long}</td>")) && page.contains("<td>2</td>"),
        "{page}"
    );
}

#[test]
fn a_small_document_as_markdown() {
    insta::assert_snapshot!(markdown::write(&small()));
}

#[test]
fn a_small_document_on_a_terminal() {
    let mut document = small();
    let ranks = [Rank::Verdict, Rank::Verdict, Rank::Figure];
    for (ranked, rank) in document.sections[0].blocks.iter_mut().zip(ranks) {
        ranked.rank = rank;
    }
    let rest = &mut document.sections[1];
    rest.blocks[0].rank = Rank::Caution;
    rest.blocks[2].rank = Rank::Remark;
    let brief = terminal::write(&document, Terminal::default(), Detail::Brief("-v"));
    let verbose = terminal::write(&document, Terminal::new(60, true), Detail::All);
    insta::assert_snapshot!(format!("{brief}\n=====\n\n{}", verbose.replace('\u{1b}', "^")));
}

#[test]
fn details_of_notices_are_announced() {
    let mut document = small();
    document.sections.truncate(1);
    let notice = Notice {
        id: None,
        severity: Severity::Warning,
        kind: "warning".to_owned(),
        text: "late".into(),
        advice: None,
        about: String::new(),
        cases: None,
        details: vec!["2 ms of 10".into()],
    };
    let told = |document: &mut Document, notice: Notice| {
        let block = Block::Notice(notice);
        document.sections[0].blocks = vec![Ranked { rank: Rank::Caution, block }];
        terminal::write(document, Terminal::default(), Detail::Brief("headroom show -v"))
    };
    let without = Notice { details: Vec::new(), ..notice.clone() };
    assert!(told(&mut document, notice).contains("headroom show -v"));
    assert!(!told(&mut document, without).contains("headroom show -v"));
}

/// The lines of blocks of code, as a terminal shows them: they do not break.
pub(crate) fn code_lines(document: &Document) -> BTreeSet<String> {
    fn of_block(block: &Block, found: &mut BTreeSet<String>) {
        match block {
            Block::Code(text) => found.extend(text.lines().map(|line| format!("  {}", printable(line)))),
            Block::More { blocks, .. } => blocks.iter().for_each(|block| of_block(block, found)),
            _ => {}
        }
    }
    fn of_section(section: &Section, found: &mut BTreeSet<String>) {
        section.blocks.iter().for_each(|ranked| of_block(&ranked.block, found));
        section.subsections.iter().for_each(|section| of_section(section, found));
    }
    let mut found = BTreeSet::new();
    document.purpose.iter().for_each(|ranked| of_block(&ranked.block, &mut found));
    document.sections.iter().for_each(|section| of_section(section, &mut found));
    found
}

#[test]
fn a_name_wider_than_the_terminal_breaks_and_a_path_stays_whole_behind_a_long_one() {
    let (wide, path) = ("w".repeat(70), format!("/{}", "p".repeat(25)));
    let pairs = vec![(wide.clone(), "text".into()), ("n".repeat(40), path.as_str().into())];
    let mut document = small();
    document.sections.truncate(1);
    document.sections[0].blocks = vec![Ranked { rank: Rank::Verdict, block: Block::Pairs(pairs) }];
    let text = terminal::write(&document, Terminal::new(60, false), Detail::All);
    assert!(text.lines().all(|line| display_width(line) <= 60), "{text}");
    assert!(text.lines().any(|line| line.trim() == path), "{text}");
    let letters = text.lines().filter(|line| line.starts_with("www")).map(|l| l.matches('w').count());
    assert_eq!(letters.sum::<usize>(), wide.len(), "{text}");
}

/// Nothing on a terminal is wider than it, nor anything that it would obey.
#[test]
fn no_name_rules_a_terminal_whatever_it_is() {
    for (place, (name, run)) in odd().into_iter().enumerate() {
        let words = LANGUAGES[place % LANGUAGES.len()].words();
        let document = page::document(&Subject { run: &run, words });
        for (columns, detail) in [(60, Detail::All), (80, Detail::Brief("-v")), (200, Detail::All)] {
            let text = terminal::write(&document, Terminal::new(columns, false), detail);
            let copied = code_lines(&document);
            for line in text.lines() {
                // Commands are there to be copied.
                assert!(display_width(line) <= columns || copied.contains(line), "{name}: {line}");
                assert!(!line.contains(char::is_control) && !line.contains('\u{202e}'), "{name}: {line:?}");
            }
        }
    }
}

fn page_of(run: &Run, language: Language) -> String {
    html::write(&page::document(&Subject { run, words: language.words() }))
}

/// Elements that pages and pictures are made of.
const ELEMENTS: &[&str] = &[
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "a",
    "header",
    "h1",
    "h2",
    "h3",
    "p",
    "span",
    "div",
    "nav",
    "ol",
    "ul",
    "li",
    "main",
    "details",
    "summary",
    "section",
    "dl",
    "dt",
    "dd",
    "b",
    "code",
    "pre",
    "article",
    "figure",
    "figcaption",
    "table",
    "caption",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "footer",
    "svg",
    "desc",
    "g",
    "rect",
    "path",
    "line",
    "text",
    "tspan",
    "circle",
    "polyline",
    "polygon",
    "use",
    "defs",
    "clipPath",
    "pattern",
];

/// Checks that nothing of `node` was written by anybody but us.
fn is_ours(name: &str, node: Node<'_, '_>, ids: &mut BTreeSet<String>) {
    let tag = node.tag_name().name();
    assert!(ELEMENTS.contains(&tag), "{name}: an element <{tag}>");
    for attribute in node.attributes() {
        let (key, value) = (attribute.name(), attribute.value());
        assert!(!key.starts_with("on") && key != "src", "{name}: {tag} {key}={value}");
        match key {
            "href" => assert!(value.starts_with('#'), "{name}: a link to {value}"),
            "style" => assert!(
                !value.contains("url") && !value.contains('<') && value.len() < 200,
                "{name}: a style {value}"
            ),
            "id" => assert!(ids.insert(value.to_owned()), "{name}: the id {value} is there twice"),
            _ => {}
        }
    }
    if tag == "style" {
        let css = node.text().unwrap_or_default();
        assert!(!css.contains("url(") && !css.contains("@import"), "{name}: a style that fetches");
    }
}

/// That a page is whole and nothing in it is anybody's but ours.
pub(crate) fn check(name: &str, page: &str) {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let xml = Xml::parse_with_options(page, options).unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut ids = BTreeSet::new();
    xml.descendants().filter(Node::is_element).for_each(|node| is_ours(name, node, &mut ids));
    for node in xml.descendants().filter(|n| n.has_tag_name("a")) {
        let to = node.attribute("href").and_then(|h| h.strip_prefix('#')).unwrap_or_default();
        assert!(ids.contains(to), "{name}: a link to #{to}, which is not there");
    }
    let level = |n: &Node<'_, '_>| n.tag_name().name().strip_prefix('h')?.parse::<u8>().ok();
    let levels: Vec<u8> = xml.descendants().filter(Node::is_element).filter_map(|n| level(&n)).collect();
    assert!(levels.first() == Some(&1) && levels.windows(2).all(|w| w[1] <= w[0] + 1), "{name}: {levels:?}");
}

#[test]
fn no_name_becomes_markup_whatever_it_is() {
    for (name, run) in odd() {
        check(&name, &page_of(&run, Language::English));
    }
    let (_, markup) = TEXTS[0];
    for language in LANGUAGES {
        check(language.tag(), &page_of(&with_text(markup, false), *language));
    }
}

/// What was hostile is still there to be read.
#[test]
fn what_a_name_holds_is_shown() {
    let (_, markup) = TEXTS[0];
    let page = page_of(&with_text(markup, true), Language::English);
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
    let page = page_of(&with_text("a\u{202e}b", true), Language::English);
    assert!(page.contains("a\\u{202e}b") && !page.contains('\u{202e}'));
}

#[test]
fn no_name_becomes_markdown_whatever_it_is() {
    for (name, run) in odd() {
        let subject = Subject { run: &run, words: Language::English.words() };
        only_our_markdown(&name, &markdown::write(&page::document(&subject)));
    }
}

/// That nothing in Markdown is markup but what we wrote.
pub(crate) fn only_our_markdown(name: &str, text: &str) {
    // The text around them holds what is ours: details, anchors, comments.
    let outside = outside_code(text);
    for piece in ["<script", "<img", "<style", "<h1", "](http", "](java", "](x"] {
        let line = outside.lines().find(|l| l.contains(piece));
        assert_eq!(line, None, "{name}: {piece}");
    }
    let opened = text.lines().filter(|l| l.starts_with("<details>")).count();
    assert_eq!(opened, text.lines().filter(|l| *l == "</details>").count(), "{name}");
}

/// `text` without its blocks of code and what is escaped.
fn outside_code(text: &str) -> String {
    let mut fence: Option<String> = None;
    let mut kept = String::new();
    for line in text.lines() {
        let ticks: String = line.chars().take_while(|c| *c == '`').collect();
        match &fence {
            Some(open) if *open == ticks && line == ticks => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => kept += &inline_code_removed(line),
        }
        kept.push('\n');
    }
    kept.replace("\\<", "").replace("\\]", "")
}

fn inline_code_removed(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        if rest[..start].ends_with('\\') {
            out += &rest[..=start];
            rest = &rest[start + 1..];
            continue;
        }
        out += &rest[..start];
        let ticks: String = rest[start..].chars().take_while(|c| *c == '`').collect();
        let after = &rest[start + ticks.len()..];
        rest = after.find(&ticks).map_or("", |end| &after[end + ticks.len()..]);
    }
    out + rest
}

#[test]
fn the_page_of_500_cases_stays_small() {
    let page = page_of(&crate::tests::long::long(), Language::English);
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    check("long", &page);
}
