//! What is usual for the class of the part that a load drives: a SATA SSD, an NVMe SSD of one generation, an
//! Ethernet link of one speed.
//!
//! A class is a file of `specs/class/`, compiled in, and a line in [`SHEETS`]. The file says which parts are of the
//! class, where figures were published, and has a `[[range]]` for each kind of work:
//!
//! ```toml
//! title = "a SATA SSD"
//!
//! [disk]                     # which parts: a disk, or an `[interface]` with kind, speed-bits and mtu
//! transport = "sata"
//! rotational = false
//! link-bits = 6_000_000_000  # or pcie = { transfers = 8e9, lanes = 4 }
//!
//! [source.review]
//! title = "Review of a drive"
//! url = "https://..."
//! date = "2019-10-25"        # where it has one
//! kind = "measured"          # or promised: what the maker says
//! how = "a tool, 4 KiB, over 16 GiB"
//!
//! [[range]]
//! metric = "iops"
//! unit = "1/s"               # or MB/s, Mbit/s
//! work = { direction = "read", access = "random", size = ["4KiB", "4KiB"], operations = [1, 1], span-most = "64GiB" }
//! figures = [{ value = 8314, of = "a drive", from = "review" }, ...]
//! ```
//!
//! In place of `operations` a range may have `under-way`: bytes under way at once, at least. A range of an interface
//! has no `work`: it is of TCP streams that go one way.
//!
//! **A range is what was published, and nothing else**: its ends are the least and the most of its figures. It has
//! two sources at least, one of them measured. What a standard lets a link carry is a limit, which stands elsewhere
//! ([`crate::path_of`]), and no end of a range.
//!
//! **It is held against like work only**: the same direction, order and size of operations, as many at once, around
//! the page cache, on one whole part and nothing else. Of anything else there is no reference, and [`NoReference`]
//! says why. A range is neither a limit nor a promise, so that no finding comes of it.

mod like;
mod own;
mod sheet;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use model::run::{CaseResult, Estimate, Run};
use model::{FindingKind, MetricName, Severity, Unit};

pub use own::{OwnFigures, OwnRange};

/// Every file of `specs/class/`: its name and text.
const SHEETS: &[(&str, &str)] = &[
    ("ethernet-10g", include_str!("../../../../specs/class/ethernet-10g.toml")),
    ("ethernet-1g", include_str!("../../../../specs/class/ethernet-1g.toml")),
    ("nvme-gen3", include_str!("../../../../specs/class/nvme-gen3.toml")),
    ("nvme-gen4", include_str!("../../../../specs/class/nvme-gen4.toml")),
    ("sata-ssd", include_str!("../../../../specs/class/sata-ssd.toml")),
];

/// Published figures are rounded: so much beyond an end of a range, as a fraction, is still at that end.
const ROUNDED: f64 = 0.01;

/// The names of all classes.
pub fn names() -> impl Iterator<Item = &'static str> {
    SHEETS.iter().map(|(name, _)| *name)
}

static CLASSES: LazyLock<Vec<PartClass>> =
    // Each file is read by a test, so none is left out.
    LazyLock::new(|| SHEETS.iter().filter_map(|(name, text)| sheet::parse(name, text).ok()).collect());

/// A class of parts, and what was published of parts of it.
#[derive(Debug)]
pub struct PartClass {
    /// Its name: `sata-ssd`.
    pub name: &'static str,
    /// One of its parts, in English: `a SATA SSD`.
    pub title: String,
    /// What they usually give, each range for one kind of work.
    pub ranges: Vec<ClassRange>,
    part: like::Part,
}

/// What parts of a class usually give at one kind of work.
#[derive(Debug)]
pub struct ClassRange {
    /// What is measured: `iops`, `throughput`.
    pub metric: MetricName,
    /// The unit of all figures.
    pub unit: Unit,
    /// The least that was published.
    pub least: f64,
    /// The most that was published.
    pub most: f64,
    /// All that was published.
    pub figures: Vec<ClassFigure>,
    work: Option<like::Work>,
}

/// One published figure.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassFigure {
    /// The figure, in the unit of its range.
    pub value: f64,
    /// Of which part, and what tells it from other figures.
    pub of: String,
    /// Where it was published.
    pub source: ClassSource,
}

/// Where a figure was published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassSource {
    /// What the publication calls itself.
    pub title: String,
    /// Its address.
    pub url: String,
    /// Its day, where it has one: `2019-10-25`.
    pub date: Option<String>,
    /// How it was measured, or whose promise it is, in English.
    pub how: String,
    /// Whether somebody measured it; otherwise the maker promises it.
    pub is_measured: bool,
}

/// A figure of a case beside what is usual for the class of the part.
#[derive(Clone, Copy, Debug)]
pub struct ClassReference<'a> {
    /// The class.
    pub class: &'static PartClass,
    /// What is usual for it at such work.
    pub range: &'static ClassRange,
    /// The case's figure.
    pub estimate: &'a Estimate,
    /// How they stand to one another.
    pub standing: ClassStanding,
}

/// How a figure stands to what is usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassStanding {
    /// Its whole interval is less.
    Less,
    /// It is within.
    Usual,
    /// Its whole interval is more.
    More,
    /// It is outside, and its interval reaches within.
    CannotTell,
}

/// Why a case has no reference.
#[derive(Clone, Copy, Debug)]
pub enum NoReference {
    /// It drives neither a disk nor a network interface.
    NoPart,
    /// It drives several parts, or what stands on them: an array, a mapping, a bond.
    Several,
    /// The machine is a guest: what is behind its parts is not told.
    Guest,
    /// The part is not known, or nothing is kept of such parts.
    Unknown,
    /// Of parts of this class nothing is kept at such work.
    OtherWork(&'static PartClass),
    /// The case has not the figure.
    NoFigure(&'static PartClass),
    /// The figure is not the part's: a finding says so.
    Doubted(&'static PartClass),
}

impl NoReference {
    /// The class of the part, where that is known.
    #[must_use]
    pub fn class(self) -> Option<&'static PartClass> {
        match self {
            Self::OtherWork(class) | Self::NoFigure(class) | Self::Doubted(class) => Some(class),
            Self::NoPart | Self::Several | Self::Guest | Self::Unknown => None,
        }
    }
}

impl ClassStanding {
    fn of(estimate: &Estimate, range: &ClassRange) -> Self {
        let (least, most) = (range.least * (1.0 - ROUNDED), range.most * (1.0 + ROUNDED));
        let (low, high) = (estimate.low.unwrap_or(estimate.median), estimate.high.unwrap_or(estimate.median));
        if (least..=most).contains(&estimate.median) {
            Self::Usual
        } else if high < least {
            Self::Less
        } else if low > most {
            Self::More
        } else {
            Self::CannotTell
        }
    }
}

/// Every class, by name.
#[must_use]
pub fn all() -> &'static [PartClass] {
    &CLASSES
}

/// The class of this name.
#[must_use]
pub fn named(name: &str) -> Option<&'static PartClass> {
    all().iter().find(|class| class.name == name)
}

/// What is usual for the part that a case of `run` drives, beside its figure; or why there is no reference.
pub fn reference<'a>(run: &'a Run, case: &'a CaseResult) -> Result<ClassReference<'a>, NoReference> {
    let machine = run.machines.first().ok_or(NoReference::Unknown)?;
    let class = like::class_of(case, machine)?;
    let is_like = |range: &&ClassRange| like::is_like(range.work.as_ref(), run, case);
    let range = class.ranges.iter().find(is_like).ok_or(NoReference::OtherWork(class))?;
    let is_wrong = |finding: &model::Finding| {
        finding.kind == FindingKind::Validity && finding.severity == Severity::Error
    };
    if case.findings.iter().any(is_wrong) {
        return Err(NoReference::Doubted(class));
    }
    let of_range = case.loads.main.estimates.get(&range.metric);
    let estimate = of_range
        .filter(|estimate| estimate.unit == range.unit && estimate.median.is_finite())
        .ok_or(NoReference::NoFigure(class))?;
    Ok(ClassReference { class, range, estimate, standing: ClassStanding::of(estimate, range) })
}
