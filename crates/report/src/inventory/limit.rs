//! What the parts can do at most, and what our own parts cost.

use model::Unit;
use model::limit::{Access, Direction, Limit, LimitKind};
use model::machine::Calibration;

use super::Detail;
use super::layout::names;
use crate::WIDTH;
use crate::format::{self, Rates};
use crate::terminal::Terminal;
use crate::terminal::table::plain;
use crate::text::printable;

/// What stands before a table.
const INDENT: &str = "  ";

/// The limits as a table; equal ones of neighbours in one line.
pub(super) fn text(limits: &[Limit], detail: Detail) -> String {
    if limits.is_empty() {
        return String::new();
    }
    let mut lines: Vec<(Vec<&str>, &Limit)> = Vec::new();
    for limit in limits {
        match lines.iter_mut().find(|(_, l)| alike(l, limit)) {
            Some((resources, _)) => resources.push(&limit.resource),
            None => lines.push((vec![&limit.resource], limit)),
        }
    }
    let shown = |value: Option<f64>, limit: &Limit| {
        value.map_or_else(String::new, |v| bound(v, limit.unit, (&limit.resource, &limit.quantity)))
    };
    let rows: Vec<Vec<String>> = lines
        .iter()
        .map(|(resources, limit)| {
            vec![
                printable(&names(&short(resources))),
                what(limit, resources.len()),
                shown(limit.line, limit),
                shown(limit.effective, limit),
                source(limit, detail),
            ]
        })
        .collect();
    let head = [
        ("resource", false),
        ("limit of", false),
        ("line", true),
        ("effective", true),
        ("known from", false),
    ];
    table(&head, &rows)
}

/// A bound with its unit; CPU seconds for each second are CPUs.
pub(crate) fn bound(value: f64, unit: Unit, (resource, quantity): (&str, &str)) -> String {
    let text = Rates::of_resource(resource).setting(value, unit);
    match quantity {
        "cpu" if value == 1.0 => format!("{text} CPU"),
        "cpu" => format!("{text} CPUs"),
        _ => text,
    }
}

/// A bound's name: `link`, `datasheet`, `promise`, `quota`, `measured`.
pub(crate) fn kind(kind: LimitKind) -> &'static str {
    match kind {
        LimitKind::Link => "link",
        LimitKind::Datasheet => "datasheet",
        LimitKind::Promise => "promise",
        LimitKind::Quota => "quota",
        LimitKind::Measured => "measured",
        LimitKind::Hardware => "hardware",
    }
}

/// Whether two differ in the resource only, and that in its name only.
fn alike(a: &Limit, b: &Limit) -> bool {
    let area = |l: &Limit| l.resource.split(':').next().map(str::to_owned);
    let nameless = |l: &Limit| {
        let name = l.resource.rsplit(':').next().unwrap_or_default();
        let source = if name.is_empty() { l.source.clone() } else { l.source.replace(name, "") };
        Limit { resource: String::new(), source, ..l.clone() }
    };
    area(a) == area(b) && nameless(a) == nameless(b)
}

/// Resources of one area, named once: `sata:sda`, `sdb`.
fn short<'a>(resources: &[&'a str]) -> Vec<&'a str> {
    let (first, others) = resources.split_first().map_or((None, resources), |(f, o)| (Some(*f), o));
    let nameless = |r: &&'a str| r.split_once(':').map_or(*r, |(_, name)| name);
    first.into_iter().chain(others.iter().map(nameless)).collect()
}

/// `iops random read 4 KiB`; of several, each has it by itself.
fn what(limit: &Limit, several: usize) -> String {
    let direction = match limit.direction {
        Some(Direction::Read) => " read",
        Some(Direction::Write) => " write",
        None => "",
    };
    let access = match limit.access {
        Some(Access::Sequential) => " sequential",
        Some(Access::Random) => " random",
        None => "",
    };
    let size = limit.block_bytes.map(|b| format!(" {}", format::binary(b))).unwrap_or_default();
    let each = if several > 1 { ", each" } else { "" };
    format!("{}{access}{direction}{size}{each}", printable(&limit.quantity))
}

/// Where it is known from: in full, or the first clause.
fn source(limit: &Limit, detail: Detail) -> String {
    let whole = printable(&limit.source);
    let kind = kind(limit.kind);
    // Many a source begins with what it is, and of a link it says which.
    let said = limit.kind == LimitKind::Link || whole.contains(kind);
    let whole = if said { whole } else { format!("{kind}: {whole}") };
    match detail {
        Detail::All => whole,
        Detail::Usual => {
            let from = if said { 0 } else { kind.len() + 2 };
            let end = ["; ", ": ", " ("].iter().filter_map(|mark| whole[from..].find(mark)).min();
            whole[..end.map_or(whole.len(), |e| e + from)].to_owned()
        }
    }
}

/// What the agent measured of itself and of the machine's parts.
pub(super) fn calibration(all: &[Calibration]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|c| {
            vec![printable(&c.name), format::quantity(c.result.value, c.result.unit), printable(&c.method)]
        })
        .collect();
    table(&[("what", false), ("result", true), ("how", false)], &rows)
}

/// A table below a title: indented, within the page.
pub(super) fn table(head: &[(&str, bool)], rows: &[Vec<String>]) -> String {
    let text = plain(Terminal::new(WIDTH - INDENT.len(), false), head, rows);
    text.lines().map(|line| format!("{INDENT}{line}\n")).collect()
}
