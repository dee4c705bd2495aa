//! Reads a file of `specs/class/`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use model::limit::{Access, Direction};
use model::metric;
use model::{Kind, MetricName, Unit, Value, scalar};
use serde::Deserialize;

use super::like::{DiskPart, InterfacePart, Part, Work};
use super::{ClassFigure, ClassRange, ClassSource, PartClass};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet {
    title: String,
    disk: Option<DiskPart>,
    interface: Option<InterfacePart>,
    source: BTreeMap<String, SourceForm>,
    range: Vec<RangeForm>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceForm {
    title: String,
    url: String,
    date: Option<String>,
    kind: FigureKind,
    how: String,
}

/// Whose figures a source has.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum FigureKind {
    /// Somebody measured them.
    Measured,
    /// The maker says so.
    Promised,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RangeForm {
    metric: MetricName,
    unit: FigureUnit,
    work: Option<WorkForm>,
    figures: Vec<FigureForm>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct WorkForm {
    direction: Direction,
    access: Access,
    size: [String; 2],
    operations: Option<[u64; 2]>,
    under_way: Option<String>,
    span_most: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FigureForm {
    value: f64,
    of: String,
    from: String,
}

/// What figures are written in.
#[derive(Clone, Copy, Deserialize)]
enum FigureUnit {
    #[serde(rename = "1/s")]
    PerSecond,
    #[serde(rename = "MB/s")]
    Megabytes,
    #[serde(rename = "Mbit/s")]
    Megabits,
}

impl FigureUnit {
    /// The unit that figures are kept in, and how many of it one of these is.
    fn scale(self) -> (Unit, f64) {
        match self {
            Self::PerSecond => (Unit::PerSecond, 1.0),
            Self::Megabytes => (Unit::BytesPerSecond, 1e6),
            Self::Megabits => (Unit::BytesPerSecond, 1e6 / 8.0),
        }
    }
}

/// The class in the file called `name`. Fails where the file has another form, where a figure has no source, or
/// where a range has fewer than two sources or none that measured.
pub(super) fn parse(name: &'static str, text: &str) -> Result<PartClass, String> {
    let sheet: Sheet = toml::from_str(text).map_err(|error| error.to_string())?;
    let is_disk = sheet.disk.is_some();
    let part = match (sheet.disk, sheet.interface) {
        (Some(disk), None) => Part::Disk(disk),
        (None, Some(interface)) => Part::Interface(interface),
        _ => return Err("a class is of disks or of interfaces".to_owned()),
    };
    if sheet.range.iter().any(|range| range.work.is_some() != is_disk) {
        return Err("a range of disks has its work, and one of interfaces has none".to_owned());
    }
    if sheet.range.is_empty() {
        return Err("there is no range".to_owned());
    }
    let ranges: Vec<ClassRange> =
        sheet.range.into_iter().map(|form| range(form, &sheet.source)).collect::<Result<_, String>>()?;
    Ok(PartClass { name, title: sheet.title, ranges, part })
}

fn range(form: RangeForm, sources: &BTreeMap<String, SourceForm>) -> Result<ClassRange, String> {
    let RangeForm { metric, unit, work, figures } = form;
    if !metric::KNOWN.contains(&metric) {
        return Err(format!("there is no metric `{metric}`"));
    }
    let used: BTreeSet<&str> = figures.iter().map(|figure| figure.from.as_str()).collect();
    let is_measured =
        |name: &&str| sources.get(*name).is_some_and(|source| source.kind == FigureKind::Measured);
    if used.len() < 2 || !used.iter().any(is_measured) {
        return Err("a range has two sources at least, one of them measured".to_owned());
    }
    let (unit, scale) = unit.scale();
    let figures: Vec<ClassFigure> =
        figures.iter().map(|form| figure(form, scale, sources)).collect::<Result<_, String>>()?;
    let values = || figures.iter().map(|figure| figure.value);
    let (least, most) = (values().fold(f64::MAX, f64::min), values().fold(0.0, f64::max));
    let work = work.map(work_of).transpose()?;
    Ok(ClassRange { metric, unit, least, most, figures, work })
}

fn figure(
    form: &FigureForm,
    scale: f64,
    sources: &BTreeMap<String, SourceForm>,
) -> Result<ClassFigure, String> {
    let source = sources.get(&form.from).ok_or_else(|| format!("there is no source `{}`", form.from))?;
    if !(form.value.is_finite() && form.value > 0.0) {
        return Err(format!("{} is no figure", form.value));
    }
    if !source.url.starts_with("https://") && !source.url.starts_with("http://") {
        return Err(format!("`{}` is no address", source.url));
    }
    Ok(ClassFigure {
        value: form.value * scale,
        of: form.of.clone(),
        source: ClassSource {
            title: source.title.clone(),
            url: source.url.clone(),
            date: source.date.clone(),
            how: source.how.clone(),
            is_measured: source.kind == FigureKind::Measured,
        },
    })
}

fn work_of(form: WorkForm) -> Result<Work, String> {
    let [from, to] = &form.size;
    if form.operations.is_none() && form.under_way.is_none() {
        return Err("how much is under way at once is not said".to_owned());
    }
    Ok(Work {
        direction: form.direction,
        access: form.access,
        sizes: ascending([bytes(from)?, bytes(to)?])?,
        operations: form.operations.map(ascending).transpose()?,
        under_way_least: form.under_way.as_deref().map(bytes).transpose()?,
        span_most: bytes(&form.span_most)?,
    })
}

fn ascending([from, to]: [u64; 2]) -> Result<RangeInclusive<u64>, String> {
    if from <= to { Ok(from..=to) } else { Err(format!("{from} is more than {to}")) }
}

fn bytes(text: &str) -> Result<u64, String> {
    match scalar::parse(Kind::Size, text) {
        Ok(Value::Integer(bytes)) => Ok(bytes),
        _ => Err(format!("`{text}` is not a size")),
    }
}
