//! Which files and devices of a recording go to which target, and where there.

use std::io::{Seek, SeekFrom};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use model::Kind as ParameterKind;
use model::plan::Problem;
use model::scalar::{binary, show};

use crate::workload::disk::access::common_unit;
use crate::workload::disk::pattern::{KINDS, Kind};
use crate::workload::disk::playback::{Mapping, Placement};
use crate::workload::disk::replay::plan::{ReplayPlan, Writes};
use crate::workload::disk::replay::reading::{END_MAX, Found, Replaced};
use crate::workload::disk::replay::recording::{Digest, SourceDigest};

/// Sources that share a target begin at multiples of this.
const APART: u64 = 4096;

/// The least that is read or written around the page cache.
pub(super) const SECTOR: u64 = 512;

/// One target and what goes to it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    pub(super) path: String,
    /// The sources by number, in the order in which they lie side by side.
    pub(super) sources: Vec<usize>,
    /// Bytes that are used of what exists, or of the file that is to be made.
    pub(super) bytes: u64,
    pub(super) placement: Placement,
    /// The longest operation that has a buffer, in bytes.
    pub(super) longest: u64,
    /// Operations that are done, by kind as they were recorded.
    pub(super) operations: [u64; KINDS],
    /// Whether it is a block device.
    pub(super) is_device: bool,
}

/// `NAME=TARGET`, or a target for all. What exists as it is written is a path.
pub(super) fn split(text: &str) -> (Option<&str>, &str) {
    match text.split_once('=') {
        Some((name, path)) if !Path::new(text).exists() => (Some(name), path),
        _ => (None, text),
    }
}

/// Which sources of the recording go to which target.
fn assign<'a>(plan: &'a ReplayPlan, digest: &Digest) -> Result<Vec<(&'a str, Vec<usize>)>, Problem> {
    let names = || digest.sources.iter().map(|s| s.name.as_str()).collect::<Vec<_>>().join(", ");
    let mut all: Vec<(&str, Vec<usize>)> = Vec::new();
    for text in &plan.targets {
        let (name, path) = split(text);
        let sources = match name {
            Some(name) => {
                let known = digest.sources.iter().position(|source| source.name == name);
                let Some(known) = known else {
                    return Err(Problem::invalid(
                        format!("the recording has no `{name}`, which {text} is to be the target of"),
                        format!("it has {}", names()),
                    ));
                };
                if all.iter().any(|(_, sources)| sources.contains(&known)) {
                    return Err(Problem::invalid(
                        format!("`{name}` of the recording is given two targets"),
                        "give it one",
                    ));
                }
                vec![known]
            }
            None if plan.targets.len() > 1 => {
                return Err(Problem::invalid(
                    format!("{text} is one of several targets, and it is not said what goes to it"),
                    format!("write NAME=TARGET+NAME=TARGET; the recording has {}", names()),
                ));
            }
            None => (0..digest.sources.len()).filter(|n| !digest.sources[*n].is_beneath).collect(),
        };
        match all.iter_mut().find(|(known, _)| *known == path) {
            Some((_, own)) => own.extend(sources),
            None => all.push((path, sources)),
        }
    }
    Ok(all)
}

/// What exists at a path: how many bytes, and whether it is a device; nothing where a file is to be made.
fn existing(path: &str) -> Result<Option<(u64, bool)>, Problem> {
    let Ok(metadata) = std::fs::metadata(path) else { return Ok(None) };
    if metadata.is_file() {
        return Ok(Some((metadata.len(), false)));
    }
    if !metadata.file_type().is_block_device() {
        return Ok(None);
    }
    let end = std::fs::File::open(path).and_then(|mut device| device.seek(SeekFrom::End(0)));
    let hidden = |e| Problem::refused(format!("{path} cannot be looked at: {e}"), "check its permissions");
    end.map(|bytes| Some((bytes, true))).map_err(hidden)
}

/// Where everything goes. Touches nothing.
pub(super) fn of(plan: &ReplayPlan, digest: &Digest) -> Result<Vec<Layout>, Problem> {
    let assigned = assign(plan, digest)?;
    let layouts = assigned.into_iter().map(|(path, sources)| one(plan, digest, path, sources));
    let layouts = layouts.collect::<Result<Vec<_>, _>>()?;
    let empty = layouts.iter().find(|layout| layout.operations == [0; KINDS]);
    match empty {
        None => Ok(layouts),
        Some(layout) => Err(Problem::invalid(
            format!("nothing of the recording is left to be done on {}", layout.path),
            "play writes (writes=play, or writes=read), or give another recording",
        )),
    }
}

/// How a target of a file or device that is there, or is to be made, is laid out.
fn one(plan: &ReplayPlan, digest: &Digest, path: &str, sources: Vec<usize>) -> Result<Layout, Problem> {
    let existing = if plan.drives() { existing(path)? } else { None };
    let mut placement = side_by_side(plan, digest, &sources)?;
    let bytes = match existing {
        Some((bytes, _)) => plan.size.map_or(bytes, |size| size.min(bytes)),
        None => plan.size.unwrap_or(placement.extent.next_multiple_of(APART)),
    };
    if placement.mapping == Mapping::Same && placement.extent > bytes {
        return Err(Problem::refused(
            format!(
                "the recording reaches to {}, and {path} has {}",
                binary(placement.extent),
                binary(bytes)
            ),
            "add map=wrap, which begins anew behind the end, or map=scale, which presses all onto it; or give a larger \
             target",
        ));
    }
    placement.room = bytes / placement.unit * placement.unit;
    let of = |source: &SourceDigest| rounded(source.longest, placement.align);
    let longest = sources.iter().map(|n| of(&digest.sources[*n])).max().unwrap_or(0);
    // Where nothing is read or written, there are buffers all the same, of a size that every target moves.
    let longest = if longest == 0 { APART } else { longest };
    if longest > placement.room {
        return Err(Problem::refused(
            format!("{path} has {}, and an operation of the recording {}", binary(bytes), binary(longest)),
            "give a larger target",
        ));
    }
    let is_device = existing.is_some_and(|(_, is_device)| is_device);
    let operations = played(plan, digest, &sources);
    Ok(Layout { path: path.to_owned(), sources, bytes, placement, longest, operations, is_device })
}

/// How large the buffer of an operation is.
pub(super) fn longest(layouts: &[Layout]) -> u64 {
    layouts.iter().map(|layout| layout.longest).max().unwrap_or(1).max(1)
}

/// Bytes, rounded up to what covers an operation of so many wherever it begins.
fn rounded(bytes: u64, align: u64) -> u64 {
    // One that begins and ends inside of a block touches one more.
    if align > 1 { bytes.next_multiple_of(align) + align } else { bytes }
}

/// Operations that are done, by kind as they were recorded.
fn played(plan: &ReplayPlan, digest: &Digest, sources: &[usize]) -> [u64; KINDS] {
    let mut all = [0; KINDS];
    for source in sources.iter().map(|n| &digest.sources[*n]) {
        for (sum, own) in all.iter_mut().zip(source.operations) {
            *sum += own;
        }
    }
    for kind in [Kind::Read, Kind::Write, Kind::Trim, Kind::Zero, Kind::Sync] {
        if !plan.plays(kind) {
            all[kind as usize] = 0;
        }
    }
    all
}

/// The places of sources, one behind the other; the room is not known yet.
fn side_by_side(plan: &ReplayPlan, digest: &Digest, sources: &[usize]) -> Result<Placement, Problem> {
    let align = plan.align.unwrap_or(1);
    let mut bases = vec![0; digest.sources.len()];
    let mut end = 0u64;
    for (place, number) in sources.iter().enumerate() {
        let source = &digest.sources[*number];
        if place > 0 {
            end = end.next_multiple_of(APART.max(align));
        }
        bases[*number] = end;
        let of = |kind: Kind| if plan.plays(kind) { source.ends[kind as usize] } else { 0 };
        let own = [Kind::Read, Kind::Write, Kind::Trim, Kind::Zero].map(of).into_iter().max();
        end = end.saturating_add(own.unwrap_or(0));
        if end > END_MAX {
            return Err(Problem::invalid(
                "the files and devices of the recording are too large to lie side by side",
                "give each a target of its own: NAME=TARGET+NAME=TARGET",
            ));
        }
    }
    let units = sources.iter().map(|n| digest.sources[*n].unit).chain(bases.iter().copied());
    let unit = if align > 1 { align } else { common_unit(units).max(1) };
    let extent = end.next_multiple_of(align);
    let extent = extent.max(1);
    Ok(Placement { mapping: plan.mapping, extent, room: extent, unit, align, bases })
}

/// Refuses what a target that moves whole blocks of `unit` bytes cannot do around the page cache.
pub(super) fn check_unit(layout: &Layout, digest: &Digest, unit: u64) -> Result<(), Problem> {
    let units = layout.sources.iter().map(|n| digest.sources[*n].unit);
    let own = if layout.placement.align > 1 { layout.placement.align } else { common_unit(units) };
    let fits = own.is_multiple_of(unit) && layout.placement.unit.is_multiple_of(unit);
    if own == 0 || fits {
        return Ok(());
    }
    let typed = show(ParameterKind::Size, &unit.into());
    Err(Problem::invalid(
        format!(
            "{} moves blocks of {unit} bytes, and the recording has places or lengths in steps of {own} bytes",
            layout.path
        ),
        format!("add align={typed}, which rounds places down and ends up, or direct=no"),
    ))
}

/// The rule by which places of the recording became those of the target, as a fact tells it.
pub(super) fn rule(layouts: &[Layout]) -> String {
    let one = |layout: &Layout| {
        let Placement { mapping, extent, room, align, .. } = layout.placement;
        let how = match mapping {
            Mapping::Same => "as recorded".to_owned(),
            Mapping::Wrap => format!("modulo {room}"),
            Mapping::Scale => format!("times {room} / {extent}"),
        };
        let aligned = if align > 1 { format!(", whole blocks of {align}") } else { String::new() };
        let beside = match layout.sources.len() {
            0 | 1 => String::new(),
            several => format!(", {several} sources side by side"),
        };
        format!("{how}{aligned}{beside}")
    };
    let mut rules: Vec<String> = layouts.iter().map(one).collect();
    rules.dedup();
    rules.join("; ")
}

/// What is done as something else, as a fact tells it; nothing where nothing is.
pub(super) fn replaced(plan: &ReplayPlan, digest: &Digest) -> Option<String> {
    if plan.writes != Writes::Play {
        return None;
    }
    let Found { forced, replaced: Replaced { preflushes, secure_erases, full_syncs }, .. } = digest.found;
    let told = [
        (forced, !plan.forces(), "FUA writes as ordinary writes"),
        (preflushes, true, "writes with a flush before without it"),
        (secure_erases, plan.plays(Kind::Trim), "secure erases as discards"),
        (full_syncs, true, "fsyncs as fdatasyncs"),
    ];
    let told = told.into_iter().filter(|(count, is_so, _)| *count > 0 && *is_so);
    let told: Vec<String> = told.map(|(count, _, how)| format!("{how}: {count}")).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// What is not played, and why, as a fact tells it; nothing where all is.
pub(super) fn left_out(plan: &ReplayPlan, digest: &Digest, layouts: &[Layout]) -> Option<String> {
    let mut told = Vec::new();
    let chosen = |n: &usize| layouts.iter().any(|layout| layout.sources.contains(n));
    let others: Vec<usize> = (0..digest.sources.len()).filter(|n| !chosen(n)).collect();
    let sum = |kinds: &[Kind], of: &[usize]| -> u64 {
        of.iter().flat_map(|n| kinds.iter().map(move |k| digest.sources[*n].operations[*k as usize])).sum()
    };
    for n in &others {
        let source = &digest.sources[*n];
        let why = if source.is_beneath { "it got them from another device" } else { "it has no target" };
        let count: u64 = source.operations.iter().sum();
        if count > 0 {
            told.push(format!("operations of {}: {count} ({why})", source.name));
        }
    }
    let played: Vec<usize> = (0..digest.sources.len()).filter(chosen).collect();
    let (writes, discards) = (sum(&[Kind::Write, Kind::Sync], &played), sum(&[Kind::Trim], &played));
    let (syncs, zeroes) = (sum(&[Kind::Sync], &played), sum(&[Kind::Zero], &played));
    match plan.writes {
        Writes::Skip if writes > 0 => told.push(format!("writes and syncs: {writes} (writes=skip)")),
        Writes::Read if syncs > 0 => told.push(format!("syncs: {syncs} (writes=read)")),
        _ => {}
    }
    if !plan.plays(Kind::Trim) && discards > 0 {
        told.push(format!("discards: {discards}"));
    }
    if !plan.plays(Kind::Zero) && zeroes > 0 {
        told.push(format!("writes of zeros: {zeroes}"));
    }
    if digest.found.impossible > 0 {
        told.push(format!("what cannot be done again: {}", digest.found.impossible));
    }
    (!told.is_empty()).then(|| told.join("; "))
}
