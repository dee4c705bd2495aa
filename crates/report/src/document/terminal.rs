//! A document for a terminal: the verdict first, then the figures, then what must
//! be kept in mind, on one screen where that can be; details only where they are
//! asked for. Pictures and charts are described in words.

use chart::plot::DataTable;
use language::Words;
use textwrap::core::display_width;

use super::{
    Answer, Block, Branch, Column, Document, Notice, Piece, Rank, Ranked, Section, Table, Text, Tile, Tone,
};
use crate::terminal::table::{self, Cell, Head, Row};
use crate::terminal::wrap::lines;
use crate::terminal::{Span, Style, Terminal};
use crate::text::{cleaned, measures, printable};

/// Names of pairs and questions have at most so many columns before their text.
const NAME_MOST: usize = 28;
/// Columns between such a name and its text.
const GAP: usize = 2;
/// A tree is indented up to so many levels; deeper ones stand below the last.
const LEVELS_MAX: usize = 8;
/// What a notice is about has at most so many columns, or else only its count of cases.
const ABOUT_MOST: usize = 60;

/// How much to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail<'a> {
    /// What most readers need, and how to ask for all: `headroom show -v RUN`.
    Brief(&'a str),
    /// All.
    All,
}

/// The text.
#[must_use]
pub fn write(document: &Document, terminal: Terminal, detail: Detail<'_>) -> String {
    let verbose = detail == Detail::All;
    let mut page = Page { words: document.words, terminal, verbose, last: Last::Other, out: String::new() };
    page.paragraph(Style::Strong, &document.title.as_str().into());
    page.hanging(Vec::new(), 2, &spans(Style::Faint, &document.byline.join(" · ").into()));
    page.ranked(Rank::Verdict, &document.purpose, "");
    for phase in [&[Rank::Verdict][..], &[Rank::Figure, Rank::Remark], &[Rank::Caution]] {
        page.phase(&document.sections, phase);
    }
    if verbose {
        page.ranked(Rank::Detail, &document.purpose, "");
        page.details(&document.sections);
    }
    let mut end = vec![document.footer.clone()];
    if let Detail::Brief(command) = detail {
        let detailed = document.sections.iter().filter(|s| has_details(s) || hides_details(s));
        let titles: Vec<&str> = detailed.map(|s| s.title.as_str()).collect();
        let texts = [("command", command.into()), ("sections", titles.join(", ").into())];
        end.extend((!titles.is_empty()).then(|| Text::ticked(&document.words.tell("terminal-more", &texts))));
    }
    end.retain(|text| !text.is_empty());
    if !end.is_empty() {
        page.gap();
    }
    end.iter().for_each(|text| page.paragraph(Style::Faint, text));
    page.out
}

fn has_details(section: &Section) -> bool {
    section.blocks.iter().any(|r| r.rank == Rank::Detail) || section.subsections.iter().any(has_details)
}

/// Whether notices of it say more with `-v`.
fn hides_details(section: &Section) -> bool {
    let hides = |ranked: &Ranked| matches!(&ranked.block, Block::Notice(n) if !n.details.is_empty());
    section.blocks.iter().any(hides) || section.subsections.iter().any(hides_details)
}

/// What a block was, as far as it matters for the next.
#[derive(Clone, Copy)]
enum Last {
    Notice,
    Paragraph,
    Other,
}

/// The text as it grows.
struct Page {
    words: &'static Words,
    terminal: Terminal,
    verbose: bool,
    last: Last,
    out: String,
}

impl Page {
    /// The blocks of these ranks, section by section.
    fn phase(&mut self, sections: &[Section], ranks: &[Rank]) {
        for section in sections {
            let title = if section.names_rows { section.title.as_str() } else { "" };
            ranks.iter().for_each(|rank| self.ranked(*rank, &section.blocks, title));
            self.phase(&section.subsections, ranks);
        }
    }

    fn ranked(&mut self, rank: Rank, blocks: &[Ranked], title: &str) {
        for ranked in blocks.iter().filter(|r| r.rank == rank) {
            // Remarks stand below their table.
            if rank != Rank::Remark {
                self.gap_before(&ranked.block);
            }
            self.block(&ranked.block, title);
        }
    }

    fn details(&mut self, sections: &[Section]) {
        for section in sections.iter().filter(|s| has_details(s)) {
            self.gap();
            self.paragraph(Style::Strong, &section.title.as_str().into());
            let first = section.blocks.iter().position(|r| r.rank == Rank::Detail);
            for (place, ranked) in section.blocks.iter().enumerate().filter(|(_, r)| r.rank == Rank::Detail) {
                if Some(place) != first {
                    self.gap_before(&ranked.block);
                }
                self.block(&ranked.block, "");
            }
            self.details(&section.subsections);
        }
    }

    /// An empty line, unless there is one.
    fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// An empty line; short notices, and a list below what introduces it, need none.
    fn gap_before(&mut self, block: &Block) {
        match (self.last, block) {
            (Last::Notice, Block::Notice(_)) if !self.verbose => {}
            (Last::Paragraph, Block::List(_)) => {}
            _ => self.gap(),
        }
    }

    /// A block; `title` is what it is about.
    fn block(&mut self, block: &Block, title: &str) {
        match block {
            Block::Paragraph(text) => self.paragraph(Style::Plain, text),
            Block::Lead(text) => self.paragraph(Style::Strong, text),
            Block::List(items) => items.iter().for_each(|item| self.item("", item)),
            Block::Figures(tiles) => self.figures(tiles, title),
            Block::Summary(answers) => self.summary(answers),
            Block::Notice(notice) => self.notice(notice),
            Block::Chart { title, note, plot } => {
                self.paragraph(Style::Strong, &title.as_str().into());
                if let Some(list) = plot.list(self.words) {
                    self.list(list);
                }
                let said = [Some(plot.describe(self.words)), note.clone()];
                said.into_iter().flatten().for_each(|text| self.paragraph(Style::Plain, &text.into()));
            }
            Block::Picture { title, description, .. } => {
                if !description.is_empty() {
                    self.paragraph(Style::Strong, &title.as_str().into());
                    self.paragraph(Style::Plain, &description.as_str().into());
                }
            }
            Block::Table(table) => self.table(table, title),
            Block::Pairs(pairs) => {
                let pairs: Vec<(&str, &Text)> =
                    pairs.iter().map(|(name, text)| (name.as_str(), text)).collect();
                self.pairs(&pairs);
            }
            Block::Tree(branches) => self.tree(branches, 0),
            // It is there to be copied: it does not break.
            Block::Code(text) => {
                text.lines().for_each(|line| self.out.push_str(&format!("  {}\n", printable(line))));
            }
            Block::More { title, blocks } => {
                self.paragraph(Style::Strong, &title.as_str().into());
                blocks.iter().for_each(|block| self.block(block, ""));
            }
        }
        self.last = match block {
            Block::Notice(_) => Last::Notice,
            Block::Paragraph(_) => Last::Paragraph,
            _ => Last::Other,
        };
    }

    fn paragraph(&mut self, style: Style, text: &Text) {
        self.hanging(Vec::new(), 0, &spans(style, text));
    }

    fn item(&mut self, before: &str, text: &Text) {
        self.hanging(
            vec![Span::new(Style::Plain, format!("{before}- "))],
            before.len() + 2,
            &spans(Style::Plain, text),
        );
    }

    /// Running text behind `name`, its further lines `indent` columns from the left.
    fn hanging(&mut self, name: Vec<Span>, indent: usize, text: &[Span]) {
        if text.iter().all(|span| span.text.trim().is_empty()) {
            return;
        }
        let taken: usize = name.iter().map(|span| display_width(&span.text)).sum();
        let room = |taken: usize| self.terminal.prose().saturating_sub(taken).max(GAP);
        let mut before = name;
        for line in lines(text, room(taken), room(indent)) {
            before.extend(line);
            self.out.push_str(&self.terminal.line(&before));
            before = vec![Span::new(Style::Plain, " ".repeat(indent))];
        }
    }

    /// What stands on a thing is indented below it.
    fn tree(&mut self, branches: &[Branch], level: usize) {
        let indent = 2 * level.min(LEVELS_MAX);
        for branch in branches {
            self.indented(indent, 4, &branch.head);
            branch.lines.iter().for_each(|line| self.indented(indent + 4, 2, line));
            self.tree(&branch.children, level + 1);
        }
    }

    /// A paragraph, its further lines `more` columns further to the right.
    fn indented(&mut self, indent: usize, more: usize, text: &Text) {
        let before = vec![Span::new(Style::Plain, " ".repeat(indent))];
        self.hanging(before, indent + more, &spans(Style::Plain, text));
    }

    /// Questions with what only this block says.
    fn summary(&mut self, answers: &[Answer]) {
        let mut pairs: Vec<(&str, &Text)> = Vec::new();
        for answer in answers {
            pairs.extend(answer.lines.iter().map(|line| (answer.question.as_str(), line)));
        }
        self.pairs(&pairs);
    }

    /// Names with what belongs to them; neighbours of one name share it.
    fn pairs(&mut self, pairs: &[(&str, &Text)]) {
        let width = |(name, _): &(&str, &Text)| display_width(&printable(name));
        let indent = pairs.iter().map(width).max().unwrap_or(0).min(NAME_MOST) + GAP;
        let mut last = None;
        for (name, text) in pairs {
            let shown = if last == Some(name) { String::new() } else { printable(name) };
            let mut name_spans = self.broken(Span::new(Style::Strong, shown));
            let taken: usize = name_spans.iter().map(|span| display_width(&span.text)).sum();
            let room = indent.saturating_sub(taken).max(GAP);
            name_spans.push(Span::new(Style::Plain, " ".repeat(room)));
            self.hanging(name_spans, indent, &spans(Style::Plain, text));
            last = Some(name);
        }
    }

    /// A name; where it is wider than the terminal, its last line, below the others.
    fn broken(&mut self, name: Span) -> Vec<Span> {
        let room = self.terminal.prose().saturating_sub(2 * GAP).max(GAP);
        let mut all = lines(&[name], room, room);
        let last = all.pop().unwrap_or_default();
        all.iter().for_each(|line| self.out.push_str(&self.terminal.line(line)));
        last
    }

    /// What it says and what to do in one paragraph, behind how grave it is.
    fn notice(&mut self, notice: &Notice) {
        let style = match Tone::from(notice.severity) {
            Tone::Plain => Style::Strong,
            other => other.into(),
        };
        // The texts of errors and warnings stand below one another.
        let kind = printable(&notice.kind);
        let indent = display_width(&kind).max(display_width(&self.words.say("severity-warning"))) + GAP;
        let room = " ".repeat(indent - display_width(&kind));
        let kind = vec![Span::new(style, kind), Span::new(Style::Plain, room)];
        let mut text = spans(Style::Plain, &notice.text);
        for more in notice.advice.iter() {
            text.push(Span::new(Style::Plain, " "));
            text.extend(spans(Style::Plain, more));
        }
        let is_long = display_width(&notice.about) > ABOUT_MOST;
        let about = notice.cases.as_ref().filter(|_| is_long).unwrap_or(&notice.about);
        if !about.is_empty() {
            text.extend(spans(Style::Faint, &format!(" ({about})").into()));
        }
        self.hanging(kind, indent, &text);
        if self.verbose {
            notice.details.iter().for_each(|line| self.item(&" ".repeat(indent), line));
        }
    }

    fn figures(&mut self, tiles: &[Tile], title: &str) {
        let [what, value, interval, against] =
            ["page-tile-what", "page-tile-value", "page-tile-interval", "page-tile-against"]
                .map(|key| self.words.say(key));
        let what = if title.is_empty() { what } else { title.to_owned() };
        let head = [(what, false), (value, true), (interval, true), (against, false)];
        let head = head.map(|(title, is_number)| Head { title: printable(&title), is_number, spare: 0 });
        let plain = |text: &str| spans(Style::Plain, &text.into());
        let row = |tile: &Tile| {
            let mut against: Vec<String> = tile.against.iter().map(|a| a.label.clone()).collect();
            against.extend(tile.doubt.iter().map(|d| d.text.clone()));
            Row::Cells(vec![
                plain(format!("{} {}", tile.group, tile.label).trim()),
                spans(
                    Style::Plain,
                    &Text::default().strong(tile.value.clone()).plain(format!(" {}", tile.metric)),
                ),
                plain(tile.interval.as_deref().unwrap_or_default()),
                plain(&against.join("; ")),
            ])
        };
        let rows = tiles.iter().map(row).collect();
        self.out.push_str(&table::text(self.terminal, head.into(), rows));
    }

    /// What a chart shows, in letters.
    fn list(&mut self, list: DataTable) {
        let cells = |row: Vec<String>| row.into_iter().map(Text::from).collect();
        let table = Table {
            columns: list.head.into_iter().map(Column::words).collect(),
            rows: list.rows.into_iter().map(cells).collect(),
            ..Table::default()
        };
        self.table(&table.without_empty_columns(), "");
    }

    /// A table; its first column has `title`, where there is one, as its own says
    /// less.
    fn table(&mut self, table: &Table, title: &str) {
        let mut head: Vec<Head> = table
            .columns
            .iter()
            .map(|c| Head { title: printable(&c.title), is_number: c.is_number, spare: c.spare })
            .collect();
        if let Some(first) = head.first_mut().filter(|_| !title.is_empty()) {
            first.title = printable(title);
        }
        let mut rows = Vec::new();
        for (name, own) in table.by_group() {
            rows.extend(name.map(|name| Row::Group(spans(Style::Plain, name))));
            let cells =
                |row: &Vec<Text>| Row::Cells(row.iter().map(|text| spans(Style::Plain, text)).collect());
            rows.extend(own.iter().map(cells));
        }
        self.out.push_str(&table::text(self.terminal, head, rows));
    }
}

impl From<Tone> for Style {
    fn from(tone: Tone) -> Self {
        match tone {
            Tone::Good => Style::Good,
            Tone::Plain => Style::Plain,
            Tone::Warning => Style::Warning,
            Tone::Error => Style::Error,
        }
    }
}

/// A text as a terminal may show it, all but what stands out in `style`.
fn spans(style: Style, text: &Text) -> Cell {
    let shown = |text: &str| measures(&cleaned(text));
    let last = text.0.iter().rposition(|piece| !piece.words().trim().is_empty()).unwrap_or(0);
    let piece = |(place, piece): (usize, &Piece)| match piece {
        Piece::Plain(text) | Piece::Link(_, text) => Span::new(style, shown(text)),
        Piece::Strong(text) => Span::new(Style::Strong, shown(text)),
        Piece::Code(text) => Span::new(style, format!("`{}`", shown(text))),
        Piece::Badge(tone, text) => {
            let end = if place < last { ": " } else { "" };
            Span::new((*tone).into(), shown(text) + end)
        }
    };
    text.0.iter().enumerate().map(piece).collect()
}
