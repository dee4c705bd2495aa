//! A report before it has a format: sections of blocks. What a section says is
//! decided once; [`html`], [`markdown`] and [`terminal`] write it, each in its own
//! way.
//!
//! All texts are plain: nothing in a block is markup, and the writers escape.

use chart::plot::Plot;
use model::Severity;

use crate::terminal::table::keep;

pub mod html;
pub mod markdown;
pub mod terminal;
#[cfg(test)]
pub(crate) mod tests;

/// A whole report.
pub struct Document {
    /// The language of its words.
    pub words: &'static language::Words,
    /// The title.
    pub title: String,
    /// What stands below the title: author, machine, date.
    pub byline: Vec<String>,
    /// What stands before the first section: what the report is for.
    pub purpose: Vec<Ranked>,
    /// The sections, in order; numbered by the writer.
    pub sections: Vec<Section>,
    /// What stands at the end: what made it, from what.
    pub footer: Text,
}

/// One section.
pub struct Section {
    /// Its name in links, ours: `findings`.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Whether the title says what the rows of its tables are: where sections have
    /// no headings, it stands above their names.
    pub names_rows: bool,
    /// What it says.
    pub blocks: Vec<Ranked>,
    /// The sections within.
    pub subsections: Vec<Section>,
}

impl Section {
    /// An empty section.
    #[must_use]
    pub fn new(id: impl Into<String>, title: impl Into<String>) -> Self {
        let (id, title) = (id.into(), title.into());
        Self { id, title, names_rows: false, blocks: Vec::new(), subsections: Vec::new() }
    }

    /// Adds a block for those who read all.
    pub fn push(&mut self, block: Block) {
        self.put(Rank::Detail, block);
    }

    /// Adds a block of a rank.
    pub fn put(&mut self, rank: Rank, block: Block) {
        self.blocks.push(Ranked { rank, block });
    }

    /// Adds blocks for those who read all.
    pub fn extend(&mut self, blocks: impl IntoIterator<Item = Block>) {
        blocks.into_iter().for_each(|block| self.push(block));
    }

    /// Adds the answers that say something, as what came out.
    pub(crate) fn answer(&mut self, answers: impl IntoIterator<Item = Option<Answer>>) {
        let told: Vec<Answer> = answers.into_iter().flatten().filter(|a| !a.all().is_empty()).collect();
        if !told.is_empty() {
            self.put(Rank::Verdict, Block::Summary(told));
        }
    }

    /// Whether it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.subsections.iter().all(Section::is_empty)
    }
}

/// A block with its rank.
pub struct Ranked {
    /// How soon it is read.
    pub rank: Rank,
    /// What it says.
    pub block: Block,
}

/// How soon a reader needs a block. A page has all in the order of its sections; a
/// terminal prints by rank, and details only where they are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// What came out: what holds the results back, how much room is left.
    Verdict,
    /// The figures.
    Figure,
    /// What belongs to the figures of the same section.
    Remark,
    /// What must be kept in mind with them.
    Caution,
    /// All else.
    Detail,
}

/// One unit of content.
pub enum Block {
    /// A paragraph.
    Paragraph(Text),
    /// A sentence that the page is for: larger than a paragraph.
    Lead(Text),
    /// Points, without order.
    List(Vec<Text>),
    /// The headline figures, as tiles.
    Figures(Vec<Tile>),
    /// What the report says in short: questions, each with its answers.
    Summary(Vec<Answer>),
    /// Something to be noticed, with how grave it is.
    Notice(Notice),
    /// A chart with its title; the writer adds description and data table.
    Chart {
        /// What it shows, in a line.
        title: String,
        /// What to know when reading it: how the data were thinned.
        note: Option<String>,
        /// The data.
        plot: Box<dyn Plot>,
    },
    /// A finished picture (SVG of ours) with what it shows.
    Picture {
        /// What it shows, in a line.
        title: String,
        /// The `svg` element.
        svg: String,
        /// The same in words.
        description: String,
    },
    /// A table.
    Table(Table),
    /// Names and what belongs to them.
    Pairs(Vec<(String, Text)>),
    /// Things that stand on one another.
    Tree(Vec<Branch>),
    /// Text in a fixed width: a command, a file.
    Code(String),
    /// What only some readers want: closed on a screen, open on paper.
    More {
        /// What is within.
        title: String,
        /// The blocks.
        blocks: Vec<Block>,
    },
}

/// One thing of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Branch {
    /// What it is.
    pub head: Text,
    /// Further facts, a line each.
    pub lines: Vec<Text>,
    /// What stands on it.
    pub children: Vec<Branch>,
}

/// A text of pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text(pub Vec<Piece>);

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// As it is.
    Plain(String),
    /// What the eye should find.
    Strong(String),
    /// A command, a path, a name of a parameter.
    Code(String),
    /// A link within the page: the id of a section, and the words.
    Link(String, String),
    /// A verdict in a word or two, with how good it is.
    Badge(Tone, String),
}

impl Piece {
    fn text(&self) -> &str {
        match self {
            Piece::Plain(text) | Piece::Strong(text) | Piece::Code(text) => text,
            Piece::Link(_, text) | Piece::Badge(_, text) => text,
        }
    }

    /// Its words alone.
    fn words(&self) -> String {
        let end = if matches!(self, Piece::Badge(..)) { ": " } else { "" };
        self.text().to_owned() + end
    }
}

/// Whether news is good or bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As hoped for.
    Good,
    /// Neither good nor bad.
    Plain,
    /// To be kept in mind.
    Warning,
    /// Bad.
    Error,
}

impl From<Severity> for Tone {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Note => Tone::Plain,
            Severity::Warning => Tone::Warning,
            Severity::Error => Tone::Error,
        }
    }
}

/// A question that every reader has, and what there is to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The question in a few words: `How fast`.
    pub question: String,
    /// The answers, a line each.
    pub lines: Vec<Text>,
    /// Further lines: other blocks say the same in full.
    pub elsewhere: Vec<Text>,
}

impl Answer {
    /// All its lines.
    pub(crate) fn all(&self) -> Vec<&Text> {
        self.lines.iter().chain(&self.elsewhere).collect()
    }
}

impl Text {
    /// With one more piece.
    #[must_use]
    pub fn with(mut self, piece: Piece) -> Self {
        self.0.push(piece);
        self
    }

    /// With plain words.
    #[must_use]
    pub fn plain(self, text: impl Into<String>) -> Self {
        self.with(Piece::Plain(text.into()))
    }

    /// With words that the eye should find.
    #[must_use]
    pub fn strong(self, text: impl Into<String>) -> Self {
        self.with(Piece::Strong(text.into()))
    }

    /// With words that lead to a section.
    #[must_use]
    pub fn link(self, id: impl Into<String>, text: impl Into<String>) -> Self {
        self.with(Piece::Link(id.into(), text.into()))
    }

    /// Plain words, with what stands in backquotes as code.
    #[must_use]
    pub fn ticked(text: &str) -> Self {
        let parts: Vec<&str> = text.split('`').collect();
        // Without its partner, a backquote is a letter.
        if parts.len().is_multiple_of(2) {
            return text.into();
        }
        let piece = |(index, part): (usize, &str)| match index % 2 {
            0 => Piece::Plain(part.to_owned()),
            _ => Piece::Code(part.to_owned()),
        };
        let mut pieces: Vec<Piece> = parts.into_iter().enumerate().map(piece).collect();
        pieces.retain(|p| !matches!(p, Piece::Plain(text) | Piece::Code(text) if text.is_empty()));
        Self(pieces)
    }

    /// Its words alone.
    pub(crate) fn words(&self) -> String {
        self.0.iter().map(Piece::words).collect()
    }

    fn letters(&self) -> usize {
        self.0.iter().map(|piece| piece.text().chars().count()).sum()
    }

    /// Whether it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(vec![Piece::Plain(text)])
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// One headline figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tile {
    /// What was measured: `randread 4KiB queue-depth=32`.
    pub label: String,
    /// What it belongs to, above the label: the workload.
    pub group: String,
    /// The figure: `91.4 k`.
    pub value: String,
    /// What the figure counts: `IOPS`.
    pub metric: String,
    /// Its interval: `81.2 to 108`.
    pub interval: Option<String>,
    /// What else is known of it, in short: `p99 1.2 ms`.
    pub beside: Vec<String>,
    /// What it is held against, each with the share reached: limits, promises,
    /// a baseline.
    pub against: Vec<Against>,
    /// What says that the figure may not be trusted as it is: how grave, in a
    /// few words, and the place that says more.
    pub doubt: Option<Doubt>,
    /// The section with more.
    pub link: Option<String>,
}

/// Why a figure may not be trusted as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// How grave.
    pub severity: Severity,
    /// In a word or two.
    pub text: String,
    /// Where the details are.
    pub link: String,
}

/// What a figure is held against.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Against {
    /// What it is: `limit: SATA 3, 560 MB/s`, `promised: 90 k`.
    pub label: String,
    /// The share of it that was reached, drawn as a gauge; absent where there is
    /// no share, such as against a baseline.
    pub share: Option<f64>,
    /// Whether that is good; absent where it is neither, as with a limit.
    pub good: Option<bool>,
}

/// Something to be noticed.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Its name in links, ours.
    pub id: Option<String>,
    /// How grave.
    pub severity: Severity,
    /// The word at its head: `bottleneck`, `warning`.
    pub kind: String,
    /// What it is about: cases, a resource.
    pub about: String,
    /// How many cases that are, where naming them has no room.
    pub cases: Option<String>,
    /// What it says.
    pub text: Text,
    /// Further lines: what it rests on, what was ruled out.
    pub details: Vec<Text>,
    /// What to do.
    pub advice: Option<Text>,
}

/// A table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What it holds, in a line.
    pub caption: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, each as long as the columns. The first cell names the row.
    pub rows: Vec<Vec<Text>>,
    /// Where groups of rows begin, in order, each with its name; rows before the
    /// first have none.
    pub groups: Vec<(usize, Text)>,
}

impl Table {
    /// Without the columns that say nothing in any row.
    #[must_use]
    pub fn without_empty_columns(mut self) -> Self {
        let says = |at: usize| self.rows.iter().any(|row| row.get(at).is_some_and(|t| !t.words().is_empty()));
        let kept: Vec<bool> = (0..self.columns.len()).map(says).collect();
        keep(&mut self.columns, &kept);
        self.rows.iter_mut().for_each(|row| keep(row, &kept));
        self
    }

    /// Its rows by groups: the name of each, and its rows.
    fn by_group(&self) -> Vec<(Option<&Text>, &[Vec<Text>])> {
        let starts = self.groups.iter().map(|(first, name)| (*first, Some(name)));
        let mut bounds: Vec<(usize, Option<&Text>)> = std::iter::once((0, None)).chain(starts).collect();
        bounds.push((self.rows.len(), None));
        let rows = |from: usize, to: usize| self.rows.get(from..to).unwrap_or_default();
        let mut all: Vec<_> = bounds.windows(2).map(|w| (w[0].1, rows(w[0].0, w[1].0))).collect();
        all.retain(|(name, rows)| name.is_some() || !rows.is_empty());
        all
    }
}

/// One column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its title.
    pub title: String,
    /// Whether it holds numbers, which stand to the right.
    pub is_number: bool,
    /// How easily it can be spared where there is no room for all columns: those
    /// with the highest number first, those with 0 never.
    pub spare: u8,
}

impl Column {
    /// A column of words.
    #[must_use]
    pub fn words(title: impl Into<String>) -> Self {
        Self { title: title.into(), is_number: false, spare: 0 }
    }

    /// A column of numbers.
    #[must_use]
    pub fn numbers(title: impl Into<String>) -> Self {
        Self { title: title.into(), is_number: true, spare: 0 }
    }

    /// As it is, but that it can be spared.
    #[must_use]
    pub fn to_spare(self, spare: u8) -> Self {
        Self { spare, ..self }
    }
}
