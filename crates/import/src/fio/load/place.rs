//! Where a job works: files and devices, their number and size, and the part
//! of them that is touched.

use std::path::Path;

use model::scalar::binary;

use super::block::Part;
use super::pattern::Doing;
use super::{Load, Role};
use crate::diagnostic::Diagnostic;
use crate::fio::value::{self, Amount};

/// What other themes need to know of it.
pub(super) struct TargetLayout {
    /// fio's clones of the job.
    pub(super) clones: u64,
    /// Over how many targets one clone's queue is spread.
    pub(super) spread: u64,
    /// Bytes that one clone goes through; absent where the target says it.
    pub(super) bytes: Option<u64>,
    /// Files of one clone, all of equal size.
    pub(super) files: u64,
    /// Whether clones go through the same bytes, one after the other.
    pub(super) is_shared: bool,
}

/// The files of a job, before their sizes.
struct Files {
    /// Targets, each driven by `threads` workers.
    targets: Vec<String>,
    /// The option that names them.
    from: &'static str,
    threads: u64,
    /// Files of one clone in one target; 0 where a target is a file.
    each: u64,
    /// Over how many targets one clone's work is spread.
    spread: u64,
}

impl Files {
    /// Files of one clone.
    fn number(&self) -> u64 {
        if self.each == 0 { self.spread } else { self.each }
    }
}

pub(super) fn take(load: &mut Load<'_>, doing: &Doing, sizes: &[Part]) -> Result<TargetLayout, Diagnostic> {
    let clones = load.job.count("numjobs").unwrap_or(1);
    let files = files(load, clones)?;
    load.put_parts("target", files.from, &files.targets)?;
    if files.threads > 1 {
        load.put("threads", "numjobs", files.threads.to_string())?;
    }
    if files.spread > 1 {
        load.note(
            files.from,
            "fio would go round these with one queue; here each has workers of its own, and its part of the queue",
        );
    }
    let is_shared = files.each == 0 && clones > 1;
    let bytes = own_bytes(load, &files)?;
    if is_shared && !doing.random && load.job.amount("offset_increment").is_none() {
        load.note(
            "numjobs",
            "fio's clones would all go through the same places at about the same time, and find them in caches; here \
             each has a part of its own",
        );
    }
    extent(load, sizes, &files, bytes)?;
    Ok(TargetLayout { clones, spread: files.spread, bytes, files: files.number(), is_shared })
}

/// Which files they are, and who has which.
fn files(load: &mut Load<'_>, clones: u64) -> Result<Files, Diagnostic> {
    let job = load.job;
    let together = load.role != Role::Alone;
    let folders = names(job.text("directory").unwrap_or_default());
    let per_folder = clones.div_ceil(folders.len().max(1) as u64);
    if folders.len() > 1 && !clones.is_multiple_of(folders.len() as u64) {
        load.note("directory", "fio would give some folders one clone less; here each has as many");
    }
    if let Some((from, files)) = named(load) {
        if files.is_empty() {
            return Err(job.place_of(from).diagnostic("it names no file", "give a name on each side of `:`"));
        }
        let spread = files.len() as u64;
        let mut targets = if folders.is_empty() { files.clone() } else { Vec::new() };
        for folder in &folders {
            targets.extend(files.iter().map(|file| format!("{folder}/{file}")));
        }
        return Ok(Files { targets, from, threads: per_folder, each: 0, spread });
    }
    // Files of ours have no name, but loads that run together need to have
    // others than one another.
    let name: String = job.section.chars().map(|c| if c == '/' { '_' } else { c }).collect();
    let folder = |folder: &str| match together {
        true => Path::new(folder).join(format!("{name}.headroom")).display().to_string(),
        false => folder.to_owned(),
    };
    let targets: Vec<String> = match folders.is_empty() {
        true => vec![folder(if together { "" } else { "." })],
        false => folders.iter().map(|f| folder(f)).collect(),
    };
    let each = job.count("nrfiles").unwrap_or(1);
    Ok(Files { targets, from: "directory", threads: per_folder, each, spread: 1 })
}

/// Files with a name that all clones share, and the option that names them.
fn named(load: &mut Load<'_>) -> Option<(&'static str, Vec<String>)> {
    let job = load.job;
    if let Some(text) = job.text("filename") {
        return Some(("filename", names(text)));
    }
    if job.section.starts_with("/dev/") {
        return Some(("filename", vec![job.section.clone()]));
    }
    let format = job.text("filename_format")?.to_owned();
    let alike = |text: &str, word: &str| text.to_ascii_lowercase().contains(word);
    if alike(&format, "$jobnum") || alike(&format, "$clientuid") || job.count("nrfiles").unwrap_or(1) > 1 {
        return None;
    }
    let name = format.replace("$jobname", &job.section).replace("$filenum", "0");
    Some(("filename_format", vec![name]))
}

/// Names with `:` between them; `\:` is part of a name.
pub(super) fn names(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\\' if matches!(characters.peek(), Some(':' | '\\')) => {
                let next = characters.next();
                all.iter_mut().next_back().into_iter().for_each(|name| name.extend(next));
            }
            ':' => all.push(String::new()),
            c => all.iter_mut().next_back().into_iter().for_each(|name| name.push(c)),
        }
    }
    all.retain(|name| !name.is_empty());
    all
}

/// Bytes that one clone goes through: its size, or those of its files.
fn own_bytes(load: &mut Load<'_>, files: &Files) -> Result<Option<u64>, Diagnostic> {
    let job = load.job;
    if let Some(given) = job.get("filesize") {
        let (low, high) = given.text().split_once('-').unwrap_or((given.text(), ""));
        let last = if high.is_empty() { low } else { high };
        let bytes =
            value::amount(last.trim(), given.kb_base).map_err(|e| given.diagnostic(e.message, e.help))?;
        if !high.is_empty() {
            load.note("filesize", "fio would give each file a size of its own; here all have the larger");
        }
        if let Amount::Whole(bytes @ 1..) = bytes {
            // A share of the size is one of each file.
            let share = match job.amount("size") {
                Some(Amount::Percent(share @ 1..=99)) => u128::from(share),
                _ => 100,
            };
            let part = (u128::from(bytes) * share / 100) as u64;
            return Ok(Some(part.saturating_mul(files.number())));
        }
    }
    match job.amount("size") {
        Some(Amount::Whole(bytes @ 1..)) => Ok(Some(bytes)),
        Some(Amount::Percent(0..=99)) => {
            load.note(
                "size",
                "a part of what the target has cannot be asked for by percentage; here all of it is used",
            );
            Ok(None)
        }
        Some(Amount::Percent(_)) => Ok(None),
        _ => {
            if files.each > 0 && !job.flag("fill_device") {
                let name = &job.name;
                load.notes.push(format!(
                    "[{name}] has no size, which fio would refuse; here one is chosen by the room there is"
                ));
            }
            Ok(None)
        }
    }
}

/// Size, offset and span of each target.
fn extent(load: &mut Load<'_>, sizes: &[Part], files: &Files, own: Option<u64>) -> Result<(), Diagnostic> {
    let job = load.job;
    let from = if job.get("filesize").is_some() { "filesize" } else { "size" };
    let offset = whole(load, "offset");
    let count = files.each.saturating_mul(files.threads);
    // fio leaves out what is no whole block at the end of a file, as all of our
    // files have none.
    let largest = sizes.iter().map(|(bytes, _)| *bytes).max().unwrap_or(1).max(1);
    let unit =
        if count > 1 { sizes.iter().map(|(bytes, _)| *bytes).fold(1, common_multiple) } else { largest };
    let whole_blocks = |bytes: u64| bytes / unit * unit;
    let bytes = match (own, files.each) {
        // A target that is a file: all clones go through it.
        (Some(own), 0) => Some(whole_blocks(apart(load, files, own / files.spread))),
        (Some(own), each) => Some(whole_blocks(own / each).saturating_mul(count)),
        (None, _) => None,
    };
    if bytes == Some(0) {
        let message = format!("there is no room for a block of {}", binary(largest));
        let help = "give a larger size, for each file, or a smaller block";
        return Err(job.place_of(from).diagnostic(message, help));
    }
    if count > 1 {
        load.put("files", if files.each > 1 { "nrfiles" } else { "numjobs" }, count.to_string())?;
    }
    if offset > 0 && count > 1 {
        load.note("offset", "fio would leave it out at the start of every file; here all of them is used");
    }
    let offset = if count > 1 { 0 } else { offset };
    if let Some(bytes) = bytes {
        let end = bytes.saturating_add(offset).checked_next_multiple_of(largest).unwrap_or(bytes);
        load.put("size", from, end.to_string())?;
        if offset > 0 {
            load.put("span", from, bytes.to_string())?;
        }
    }
    if offset > 0 {
        load.put("offset", "offset", offset.to_string())?;
    }
    Ok(())
}

/// Bytes from the first clone's place to the end of the last one's, where each
/// begins further on than the one before.
fn apart(load: &mut Load<'_>, files: &Files, own: u64) -> u64 {
    let step = whole(load, "offset_increment");
    if step > 0 && step != own && files.threads > 1 {
        load.note(
            "offset_increment",
            "fio's clones would each have so many bytes; here they divide all of them evenly",
        );
    }
    if step == 0 { own } else { step.saturating_mul(files.threads - 1).saturating_add(own) }
}

/// Bytes; a percentage is named and left out.
fn whole(load: &mut Load<'_>, name: &str) -> u64 {
    match load.job.amount(name) {
        Some(Amount::Whole(bytes)) => bytes,
        Some(Amount::Percent(1..)) => {
            load.note(name, "a percentage of the target cannot be asked for; here it is 0");
            0
        }
        _ => 0,
    }
}

/// The least number that both divide (Euclid).
fn common_multiple(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    (a / x.max(1)).saturating_mul(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_divided_by_colons_that_stand_alone() {
        assert_eq!(names("/dev/sda:/dev/sdb"), ["/dev/sda", "/dev/sdb"]);
        assert_eq!(names(r"/dev/pci-0000\:00\:1f:x"), ["/dev/pci-0000:00:1f", "x"]);
        assert_eq!(names(r"a\b\\"), [r"a\b\"]);
        assert!(names("").is_empty() && names("::").is_empty());
    }

    #[test]
    fn blocks_of_several_sizes_have_a_common_multiple() {
        assert_eq!([4096, 6144, 512].into_iter().fold(1, common_multiple), 12288);
        assert_eq!(common_multiple(u64::MAX, u64::MAX - 1), u64::MAX);
    }
}
