//! The blocks of a page, each as its elements.

use chart::plot::{self, Plot};
use maud::{Markup, PreEscaped, html};
use model::{Severity, Value};
use textwrap::core::display_width;

use super::super::{Against, Answer, Block, Branch, Notice, Table, Text, Tile, Tone};
use super::{Page, class, fragment};
use crate::text::clean;

impl Page<'_> {
    pub(super) fn block(&self, block: &Block) -> Markup {
        match block {
            Block::Paragraph(text) => html! { p { (self.text(text)) } },
            Block::Lead(text) => html! { p.lead { (self.text(text)) } },
            Block::List(items) => html! { ul { @for item in items { li { (self.text(item)) } } } },
            Block::Figures(tiles) => {
                html! { ul class=(format!("tiles of{}", abreast(tiles.len()))) { @for tile in tiles { (self.tile(tile)) } } }
            }
            Block::Summary(answers) => self.summary(answers),
            Block::Notice(notice) => self.notice(notice),
            Block::Chart { title, note, plot } => self.chart(title, note.as_deref(), plot.as_ref()),
            Block::Picture { title, svg, description } => self.picture(title, svg, description),
            Block::Table(table) => self.table(table),
            Block::Pairs(pairs) => self.pairs(pairs),
            Block::Tree(branches) => self.tree(branches),
            Block::Code(text) => html! { pre tabindex="0" { code { (lines(text)) } } },
            Block::More { title, blocks } => {
                let around = self.within.replace(clean(title));
                let more = html! {
                    details.more {
                        summary { (clean(title)) }
                        div { @for block in blocks { (self.block(block)) } }
                    }
                };
                self.within.replace(around);
                more
            }
        }
    }

    /// What a part of the page is called that can be scrolled: by its caption; where a server shows it, else by what it
    /// stands in.
    fn region(&self, caption: &str) -> String {
        match (caption.is_empty(), self.around) {
            (true, Some(_)) => self.within.borrow().clone(),
            _ => clean(caption),
        }
    }

    fn tree(&self, branches: &[Branch]) -> Markup {
        html! {
            ul {
                @for branch in branches {
                    li {
                        (self.text(&branch.head))
                        @for line in &branch.lines { br; (self.text(line)) }
                        @if !branch.children.is_empty() { (self.tree(&branch.children)) }
                    }
                }
            }
        }
    }

    fn summary(&self, answers: &[Answer]) -> Markup {
        html! {
            dl.summary {
                @for answer in answers {
                    div {
                        dt { (clean(&answer.question)) }
                        dd {
                            @if let [one] = answer.all()[..] { (self.text(one)) }
                            @else { ul { @for line in answer.all() { li { (self.text(line)) } } } }
                        }
                    }
                }
            }
        }
    }

    fn tile(&self, tile: &Tile) -> Markup {
        let label = html! {
            @if !tile.group.is_empty() { span.group { (clean(&tile.group)) } " " }
            span.label { @for part in tile.label.split_inclusive(", ") { span { (clean(part.trim_end())) } " " } }
        };
        html! {
            li.tile {
                p.what {
                    @match &tile.link {
                        Some(id) => a href=(format!("#{}", fragment(id))) { (label) },
                        None => (label),
                    }
                }
                p.value { b { (clean(&tile.value)) } " " span.metric { (clean(&tile.metric)) } }
                @if let Some(interval) = &tile.interval { p.interval { (clean(interval)) } }
                @if !tile.beside.is_empty() {
                    p.beside { @for fact in &tile.beside { span { (clean(fact)) } " " } }
                }
                @for against in &tile.against { (gauge(against)) }
                @if let Some(doubt) = &tile.doubt {
                    p class=(format!("doubt {}", class(Tone::from(doubt.severity)))) {
                        a href=(format!("#{}", fragment(&doubt.link))) { (clean(&doubt.text)) }
                    }
                }
            }
        }
    }

    fn notice(&self, notice: &Notice) -> Markup {
        let tone = match notice.severity {
            Severity::Note => "plain",
            other => class(Tone::from(other)),
        };
        html! {
            article id=[notice.id.as_deref().map(fragment)] class=(format!("notice {tone}")) {
                p.kind { b { (clean(&notice.kind)) } " " span { (clean(&notice.about)) } }
                p { (self.text(&notice.text)) }
                @if let Some(advice) = &notice.advice { p.advice { (self.text(advice)) } }
                @if !notice.details.is_empty() {
                    details {
                        summary { (self.words.say("page-evidence")) }
                        ul { @for line in &notice.details { li { (self.text(line)) } } }
                    }
                }
            }
        }
    }

    /// `Figure 3` and its title.
    fn caption(&self, title: &str) -> Markup {
        let number = self.figures.get() + 1;
        self.figures.set(number);
        let number = self.words.tell("page-figure", &[("number", Value::Integer(number as u64))]);
        html! { figcaption { span.number { (number) } " " (clean(title)) } }
    }

    fn chart(&self, title: &str, note: Option<&str>, plot: &dyn Plot) -> Markup {
        let data = plot.table(self.words);
        let caption = self.caption(title);
        // What can be asked for in parts has a mark by which a script finds it.
        let served = self.around.filter(|_| plot.is_over_time());
        let number = served.map(|_| self.figures.get());
        let part = served.and_then(|around| plot.part(&around.part(self.figures.get())?));
        let shown = part.as_deref().unwrap_or(plot);
        html! {
            figure.chart id=[number.map(|number| format!("figure-{number}"))] data-figure=[number] {
                (caption)
                (PreEscaped(plot::svg(shown, title, self.words)))
                @if let Some(note) = note { p.note { (clean(note)) } }
                @if !data.rows.is_empty() {
                    details.data {
                        summary { (self.words.say("page-data")) }
                        (self.data(title, &data))
                    }
                }
            }
        }
    }

    /// The numbers of a chart.
    fn data(&self, title: &str, data: &plot::DataTable) -> Markup {
        html! {
            div.scroll tabindex="0" role="region" aria-label=(clean(title)) {
                table.data {
                    thead { tr { @for head in &data.head { th scope="col" { (clean(head)) } } } }
                    tbody {
                        @for row in &data.rows {
                            tr {
                                @for (index, cell) in row.iter().enumerate() {
                                    @if index == 0 { th scope="row" { (clean(cell)) } } @else { td { (clean(cell)) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn picture(&self, title: &str, svg: &str, description: &str) -> Markup {
        html! {
            figure.picture {
                (self.caption(title))
                (PreEscaped(svg))
                @if !description.is_empty() { p.note { (clean(description)) } }
            }
        }
    }

    fn table(&self, table: &Table) -> Markup {
        html! {
            div.scroll tabindex="0" role="region" aria-label=(self.region(&table.caption)) {
                table class=(classes(table)) {
                    @if !table.caption.is_empty() { caption { (clean(&table.caption)) } }
                    thead { tr { @for column in &table.columns { th scope="col" { (clean(&column.title)) } } } }
                    @for (name, rows) in table.by_group() {
                        tbody {
                            @if let Some(name) = name {
                                tr.group { th scope="rowgroup" colspan=(table.columns.len()) { (self.text(name)) } }
                            }
                            @for row in rows { (self.row(row)) "\n" }
                        }
                    }
                }
            }
        }
    }

    fn row(&self, row: &[Text]) -> Markup {
        html! {
            tr {
                @for (index, cell) in row.iter().enumerate() {
                    @if index == 0 {
                        th scope="row" { (self.text(cell)) }
                    } @else if display_width(&cell.words()) > PROSE {
                        td.prose { (self.text(cell)) }
                    } @else {
                        td { (self.text(cell)) }
                    }
                }
            }
        }
    }

    /// Neighbours of one name share it.
    fn pairs(&self, pairs: &[(String, Text)]) -> Markup {
        html! {
            dl.pairs {
                @for same in pairs.chunk_by(|a, b| a.0 == b.0) {
                    div {
                        dt { (clean(&same[0].0)) }
                        @for (_, text) in same { dd { (self.text(text)) } }
                    }
                }
            }
        }
    }
}

/// How many tiles stand side by side, so that the last row is not left short
/// where it can be helped.
fn abreast(count: usize) -> usize {
    match count {
        0..=2 => 2,
        3 | 5 | 6 | 9 => 3,
        _ => 4,
    }
}

/// Lines stay lines.
fn lines(text: &str) -> String {
    text.lines().map(clean).collect::<Vec<_>>().join("\n")
}

/// So many letters of a row's name are kept on one line.
const SHORT: usize = 42;
/// A cell of more columns is prose: on a narrow screen it needs room for some words in each line, and
/// others, such as intervals, stay on one line.
const PROSE: usize = 32;

/// A table of so many rows stays on one sheet of paper.
const WHOLE: usize = 16;
/// A table of so many columns has small print on paper.
const WIDE: usize = 9;

/// Classes that say which columns hold numbers, shorter than a class a cell,
/// whether the rows' names are short, and what paper needs to know.
fn classes(table: &Table) -> String {
    let numbers = table.columns.iter().enumerate().filter(|(_, c)| c.is_number);
    let mut all: Vec<String> = numbers.map(|(i, _)| format!("n{}", i + 1)).collect();
    let length = |row: &Vec<Text>| row.first().map_or(0, |t| t.letters());
    let is_short = table.rows.iter().all(|row| length(row) <= SHORT);
    let (is_whole, is_wide) = (table.rows.len() <= WHOLE, table.columns.len() >= WIDE);
    let sizes = [(is_short, "short"), (is_whole, "whole"), (is_wide, "wide")];
    all.extend(sizes.into_iter().filter(|(is, _)| *is).map(|(_, class)| class.to_owned()));
    all.join(" ")
}

fn gauge(against: &Against) -> Markup {
    let tone = match against.good {
        Some(true) => "good",
        Some(false) => "error",
        None => "plain",
    };
    let share = against.share.filter(|s| s.is_finite()).map(|s| s.clamp(0.0, 1.0) * 100.0);
    html! {
        p class=(format!("against {tone}")) {
            @if let Some(share) = share {
                span.gauge aria-hidden="true" { span style=(format!("width:{share:.1}%")) {} }
            }
            span { (clean(&against.label)) }
        }
    }
}
