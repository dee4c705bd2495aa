//! A report before it has a format: sections of blocks. What a section says is
//! decided once; [`html`] and [`markdown`] write it, each in its own way.
//!
//! All texts are plain: nothing in a block is markup, and the writers escape.

use chart::plot::Plot;
use model::Severity;

pub mod html;
pub mod markdown;

/// A whole report.
pub struct Document {
    /// The language of its words.
    pub words: &'static language::Words,
    /// The title.
    pub title: String,
    /// What stands below the title: author, machine, date.
    pub byline: Vec<String>,
    /// The sections, in order; numbered by the writer.
    pub sections: Vec<Section>,
}

/// One section.
pub struct Section {
    /// Its name in links, ours: `findings`.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What it says.
    pub blocks: Vec<Block>,
    /// The sections within.
    pub subsections: Vec<Section>,
}

impl Section {
    /// An empty section.
    #[must_use]
    pub fn new(id: impl Into<String>, title: impl Into<String>) -> Self {
        Self { id: id.into(), title: title.into(), blocks: Vec::new(), subsections: Vec::new() }
    }

    /// Whether it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.subsections.iter().all(Section::is_empty)
    }
}

/// One thing that is said or shown.
pub enum Block {
    /// A paragraph.
    Paragraph(Text),
    /// A sentence that the page is for: larger than a paragraph.
    Lead(Text),
    /// Points, without order.
    List(Vec<Text>),
    /// The headline figures, as tiles.
    Figures(Vec<Tile>),
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
}

impl Text {
    /// With one more piece.
    #[must_use]
    pub fn with(mut self, piece: Piece) -> Self {
        self.0.push(piece);
        self
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
    /// What was measured: `disk randread 4 KiB, depth 32`.
    pub label: String,
    /// The figure: `91.4 k IOPS`.
    pub value: String,
    /// Its interval: `81.2 to 108`.
    pub interval: Option<String>,
    /// What it is held against, each with the share reached: limits, promises,
    /// a baseline.
    pub against: Vec<Against>,
    /// Whether something says that the figure may not be trusted as it is.
    pub doubt: Option<Severity>,
    /// The section with more.
    pub link: Option<String>,
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
    /// How grave.
    pub severity: Severity,
    /// The word at its head: `bottleneck`, `warning`.
    pub kind: String,
    /// What it is about: cases, a resource.
    pub about: String,
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
}

/// One column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its title.
    pub title: String,
    /// Whether it holds numbers, which stand to the right.
    pub is_number: bool,
}
