//! A document as Markdown, as GitHub reads it, for an issue or a wiki. Pictures
//! are described in words, charts by their description and numbers.

mod escape;

use chart::plot::Plot;
use language::Words;
use model::Value;

use super::{Answer, Block, Branch, Document, Notice, Piece, Ranked, Section, Table, Text, Tile};
use escape::{code, fenced, html, plain};

/// The text.
#[must_use]
pub fn write(document: &Document) -> String {
    let mut page = Page { words: document.words, figures: 0, out: String::new() };
    page.paragraph(&format!("# {}", plain(&document.title)));
    let byline: Vec<String> = document.byline.iter().map(|fact| plain(fact)).collect();
    page.paragraph(&byline.join(" · "));
    page.ranked(&document.purpose);
    for (index, section) in document.sections.iter().enumerate() {
        page.section(section, &(index + 1).to_string(), 2);
    }
    page.paragraph("---");
    let footer = inline(&document.footer);
    page.paragraph(&footer);
    page.out.truncate(page.out.trim_end().len());
    page.out + "\n"
}

/// The text as it grows.
struct Page {
    words: &'static Words,
    /// Figures so far.
    figures: u64,
    out: String,
}

impl Page {
    /// `text` and an empty line; nothing where there is none.
    fn paragraph(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.out.push_str(text.trim_end());
            self.out.push_str("\n\n");
        }
    }

    fn section(&mut self, section: &Section, number: &str, level: usize) {
        let anchor = format!("<a name=\"{}\"></a>", html(&section.id));
        self.paragraph(&format!(
            "{anchor}\n\n{} {number} {}",
            "#".repeat(level.min(6)),
            plain(&section.title)
        ));
        self.ranked(&section.blocks);
        for (index, part) in section.subsections.iter().enumerate() {
            self.section(part, &format!("{number}.{}", index + 1), level + 1);
        }
    }

    fn ranked(&mut self, blocks: &[Ranked]) {
        blocks.iter().for_each(|ranked| self.block(&ranked.block));
    }

    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        let text = match block {
            Block::Paragraph(text) => inline(text),
            Block::Lead(text) => format!("**{}**", inline(text)),
            Block::List(items) => list(items),
            Block::Figures(tiles) => self.figures_table(tiles),
            Block::Summary(answers) => answers.iter().map(answer).collect(),
            Block::Notice(notice) => self.notice(notice),
            Block::Chart { title, note, plot } => self.chart(title, note.as_deref(), plot.as_ref()),
            Block::Picture { title, description, .. } => {
                let caption = self.caption(title);
                format!("{caption}\n\n{}", plain(description))
            }
            Block::Table(content) => table(content),
            Block::Pairs(pairs) => {
                pairs.iter().map(|(name, text)| format!("- {}: {}\n", plain(name), inline(text))).collect()
            }
            Block::Tree(branches) => tree(branches, 0),
            Block::Code(text) => fenced(text),
            Block::More { title, blocks } => return self.more(title, blocks),
        };
        self.paragraph(&text);
    }

    fn more(&mut self, title: &str, blocks: &[Block]) {
        self.paragraph(&format!("<details><summary>{}</summary>", html(title)));
        self.blocks(blocks);
        self.paragraph("</details>");
    }

    fn caption(&mut self, title: &str) -> String {
        self.figures += 1;
        let number = self.words.tell("page-figure", &[("number", Value::Integer(self.figures))]);
        format!("**{}** {}", plain(&number), plain(title))
    }

    fn chart(&mut self, title: &str, note: Option<&str>, plot: &dyn Plot) -> String {
        let mut out = format!("{}\n\n{}", self.caption(title), plain(&plot.describe(self.words)));
        if let Some(note) = note {
            out.push_str(&format!("\n\n{}", plain(note)));
        }
        let data = plot.table(self.words);
        if !data.rows.is_empty() {
            let rows = data.rows.iter().map(|row| row.iter().map(|cell| plain(cell)).collect());
            let head: Vec<String> = data.head.iter().map(|h| plain(h)).collect();
            let summary = html(&self.words.say("page-data"));
            let body = grid(&head, &[], rows);
            out.push_str(&format!("\n\n<details><summary>{summary}</summary>\n\n{body}\n</details>"));
        }
        out
    }

    fn figures_table(&self, tiles: &[Tile]) -> String {
        let head = ["page-tile-what", "page-tile-value", "page-tile-interval", "page-tile-against"]
            .map(|key| plain(&self.words.say(key)));
        let rows = tiles.iter().map(|tile| {
            let mut against: Vec<String> = tile.against.iter().map(|a| plain(&a.label)).collect();
            against.extend(tile.doubt.iter().map(|d| format!("[{}](#{})", plain(&d.text), html(&d.link))));
            vec![
                format!("{} {}", plain(&tile.group), plain(&tile.label)).trim().to_owned(),
                format!("**{}** {}", plain(&tile.value), plain(&tile.metric)),
                tile.interval.as_deref().map(plain).unwrap_or_default(),
                against.join("; "),
            ]
        });
        grid(&head, &[1, 2], rows)
    }

    fn notice(&self, notice: &Notice) -> String {
        let mut parts = Vec::new();
        if let Some(id) = &notice.id {
            parts.push(format!("<a name=\"{}\"></a>", html(id)));
        }
        parts.push(format!("**{}** {}", plain(&notice.kind), plain(&notice.about)));
        parts.push(inline(&notice.text));
        parts.extend(notice.advice.as_ref().map(|a| format!("→ {}", inline(a))));
        if !notice.details.is_empty() {
            parts.push(list(&notice.details));
        }
        let text = parts.join("\n\n");
        text.lines().map(|line| format!("> {line}").trim_end().to_owned() + "\n").collect()
    }
}

fn answer(answer: &Answer) -> String {
    let question = plain(&answer.question);
    match &answer.all()[..] {
        [one] => format!("- **{question}:** {}\n", inline(one)),
        many => {
            let lines: String = many.iter().map(|line| format!("  - {}\n", inline(line))).collect();
            format!("- **{question}:**\n{lines}")
        }
    }
}

fn list(items: &[Text]) -> String {
    items.iter().map(|item| format!("- {}\n", inline(item))).collect()
}

fn tree(branches: &[Branch], level: usize) -> String {
    let one = |branch: &Branch| {
        let indent = "  ".repeat(level);
        let own = std::iter::once(&branch.head).chain(&branch.lines).map(inline).collect::<Vec<_>>();
        format!("{indent}- {}\n{}", own.join("; "), tree(&branch.children, level + 1))
    };
    branches.iter().map(one).collect()
}

fn inline(text: &Text) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Plain(text) => plain(text),
        Piece::Strong(text) | Piece::Badge(_, text) if text.trim().is_empty() => String::new(),
        Piece::Strong(text) => format!("**{}**", plain(text.trim())),
        Piece::Badge(_, text) => format!("**{}** ", plain(text.trim())),
        Piece::Code(text) => code(text),
        Piece::Link(id, text) => format!("[{}](#{})", plain(text), html(id)),
    };
    text.0.iter().map(piece).collect()
}

fn table(table: &Table) -> String {
    let head: Vec<String> = table.columns.iter().map(|c| plain(&c.title)).collect();
    let numbers: Vec<usize> =
        table.columns.iter().enumerate().filter(|(_, c)| c.is_number).map(|(i, _)| i).collect();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (name, own) in table.by_group() {
        if let Some(name) = name {
            let mut row = vec![String::new(); table.columns.len()];
            if let Some(first) = row.first_mut() {
                *first = format!("**{}**", cell(name));
            }
            rows.push(row);
        }
        rows.extend(own.iter().map(|row| row.iter().map(cell).collect()));
    }
    let caption =
        if table.caption.is_empty() { String::new() } else { format!("**{}**\n\n", plain(&table.caption)) };
    caption + &grid(&head, &numbers, rows.into_iter())
}

/// A pipe ends a cell even within code.
fn cell(text: &Text) -> String {
    let has_code = text.0.iter().any(|p| matches!(p, Piece::Code(_)));
    let shown = inline(text);
    if has_code { shown.replace("\\|", "|").replace('|', "\\|") } else { shown }
}

/// A table of cells that are escaped already.
fn grid(head: &[String], numbers: &[usize], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule: Vec<String> =
        (0..head.len()).map(|i| if numbers.contains(&i) { "---:" } else { "---" }.to_owned()).collect();
    let mut out = line(head) + &line(&rule);
    rows.for_each(|row| out.push_str(&line(&row)));
    out
}
