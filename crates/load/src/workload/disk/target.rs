//! What a target is and whether it may be used (design, section 8): a folder
//! and a new name get a file of ours, an existing file is read, and written
//! only if it was given up by name; so is a block device, if nobody uses it.

use std::fs::Metadata;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use engine::fault::Fault;
use model::identity::Identity;
use model::plan::{FixtureKey, Ownership, Problem};
use model::profile::TargetState;
use model::scalar::{binary, show};
use model::{Kind, Value};

use crate::in_memory::{self, Room};
use crate::workload::HostInfo;
use crate::workload::disk::files::{DEVICE, Details, FILE};
use crate::workload::disk::nodes::parent_of;
use crate::workload::disk::pattern::DataDirection;
use crate::workload::disk::plan::DiskPlan;
use crate::workload::disk::{alignment, device, filling, identity, kept, nodes, occupied, pseudo};

/// What a file made without being told a size has.
pub(super) const SIZE_USUAL: u64 = 1 << 30;
/// What `half` gives at most: more than the caches of memory and of many disks take.
const HALF_MOST: u64 = 32 << 30;
/// The least that is worth measuring.
const SIZE_LEAST: u64 = 16 << 20;
/// What always stays free on the file system.
pub(super) const RESERVE: u64 = 64 << 20;

/// Looks at the targets: fills in size and span, says which fixtures are
/// needed. Touches nothing.
pub(super) fn survey(plan: &mut DiskPlan, host: &HostInfo) -> Result<Vec<FixtureKey>, Problem> {
    let share = plan.targets.len() as u64;
    let found = plan.targets.iter().map(|text| look_at(text, plan, host, share));
    let found = found.collect::<Result<Vec<_>, _>>()?;
    let sizes = found.iter().map(|f| f.bytes);
    // All are driven alike: as far as the smallest reaches; unless each goes to
    // its own end.
    let size = if plan.fills() { sizes.max() } else { sizes.min() }.unwrap_or(SIZE_USUAL);
    resolve_sizes(plan, size);
    // The full paths, so that two spellings are one fixture and a report says
    // where it was.
    let mut paths: Vec<String> = Vec::new();
    for CheckedTarget { path, .. } in &found {
        let full = path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or(path.clone());
        let full = full.to_string_lossy().into_owned();
        if paths.contains(&full) && found.iter().any(|f| f.ownership != Ownership::Created) {
            return Err(Problem::invalid(
                format!("{full} is given twice as a part of one target"),
                "give each part once",
            ));
        }
        paths.push(full);
    }
    plan.targets = paths;
    let mut keys = keys(plan)?;
    for (key, found) in keys.iter_mut().zip(found) {
        key.holds = if found.ownership == Ownership::Surrendered { found.holds } else { Vec::new() };
        key.identity = found.identity;
        key.about = Details::of(key).map(|details| details.about(key)).unwrap_or_default();
        // Of a stack, the folder is made later.
        let target = Path::new(&key.target);
        if key.ownership == Ownership::Created && host.room.is_none() && !target.is_dir() {
            // A folder may have been meant.
            let folder = parent_of(target).display().to_string();
            key.about.push_str(&format!("; {} is no folder: the file lies in {folder}", target.display()));
            key.new_name_in = Some(folder);
        }
    }
    Ok(keys)
}

/// A target that may be used.
struct CheckedTarget {
    path: PathBuf,
    /// Bytes that can be driven.
    bytes: u64,
    ownership: Ownership,
    /// The signatures on a device.
    holds: Vec<String>,
    /// What it is, where it exists.
    identity: Option<Identity>,
}

/// Looks at one of `share` targets.
fn look_at(text: &str, plan: &DiskPlan, host: &HostInfo, share: u64) -> Result<CheckedTarget, Problem> {
    let path = PathBuf::from(text);
    let found = match std::fs::metadata(&path) {
        Ok(metadata) => Some(metadata),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
        Err(e) => return Err(hidden(text, &e)),
    };
    if found.as_ref().is_some_and(|m| m.file_type().is_block_device()) {
        return look_at_device(text, path, plan, host);
    }
    pseudo::check(text, if found.is_some() { &path } else { parent_of(&path) })?;
    let (bytes, ownership) = match &found {
        Some(m) if m.is_dir() && nodes::is_below(&path) => return Err(nodes::no_place(text)),
        None if nodes::is_below(parent_of(&path)) => return Err(nodes::missing(text, &path)),
        Some(m) if m.is_dir() => (survey_folder(&path, &path, plan, host, share)?, Ownership::Created),
        None => (survey_folder(&path, parent_of(&path), plan, host, share)?, Ownership::Created),
        Some(m) if m.is_file() => survey_file(text, m, plan, host)?,
        Some(_) => {
            return Err(Problem::refused(
                format!("{text} is neither a folder, a regular file nor a block device"),
                "give a folder, a file or a device",
            ));
        }
    };
    debug_assert_eq!(ownership, ownership_of(&path, plan.changes()));
    let identity = found.filter(Metadata::is_file).map(|metadata| identity::of_file(&path, &metadata));
    Ok(CheckedTarget { path, bytes, ownership, holds: Vec::new(), identity })
}

fn look_at_device(
    text: &str,
    path: PathBuf,
    plan: &DiskPlan,
    host: &HostInfo,
) -> Result<CheckedTarget, Problem> {
    let state = (host.look.state)(&path).map_err(|e| hidden(text, &e))?;
    let ownership = device::check(text, plan.changes(), &state, &host.destroy, &host.wipe)?;
    let purge = plan.purge;
    if (purge || plan.pattern.way == DataDirection::Trim) && state.discard_max == 0 {
        return Err(Problem::refused(
            format!("{text} takes no discards"),
            if purge {
                "leave out purge, or purge it with its maker's tool first"
            } else {
                "use a pattern that reads or writes, or another target"
            },
        ));
    }
    if plan.files > 1 {
        return Err(Problem::invalid(format!("{text} is one device, not several files"), "use files=1"));
    }
    alignment::check(text, plan, state.logical_block)?;
    check_size(text, plan, state.bytes, "a device")?;
    let identity = Some(Identity::Device(state.identity));
    Ok(CheckedTarget { path, bytes: state.bytes, ownership, holds: state.signatures, identity })
}

/// What to do where a target may not be opened. Root is kept from devices by what it runs in.
fn for_root(is_root: bool) -> &'static str {
    if is_root {
        "a container has only the devices that it was given: run it on the machine itself, give the container the device \
         (docker run --device), or give another target"
    } else {
        "run it as root, for instance by `sudo`, or give another target"
    }
}

fn hidden(text: &str, error: &std::io::Error) -> Problem {
    Problem::refused(
        format!("{text} cannot be looked at: {error}"),
        for_root(rustix::process::geteuid().is_root()),
    )
}

/// Whether `kind`, called `text`, has the bytes that are asked for.
fn check_size(text: &str, plan: &DiskPlan, bytes: u64, kind: &str) -> Result<(), Problem> {
    match plan.size {
        Some(size) if size > bytes => Err(Problem::invalid(
            format!("{text} has {}, less than the size asked for, {}", binary(bytes), binary(size)),
            format!("leave out size to use all of {kind}"),
        )),
        _ => Ok(()),
    }
}

fn is_device(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|m| m.file_type().is_block_device())
}

/// Whose the file or device under `path` is: an existing one is the user's.
fn ownership_of(path: &Path, changes: bool) -> Ownership {
    match (path.is_file() || is_device(path), changes) {
        (false, _) => Ownership::Created,
        (true, false) => Ownership::Borrowed,
        (true, true) => Ownership::Surrendered,
    }
}

/// The fixtures of surveyed parameters, one a target. Two folders that are one
/// get files of their own.
pub(super) fn keys(plan: &DiskPlan) -> Result<Vec<FixtureKey>, Problem> {
    let DiskPlan { content, files, purge, keeps, .. } = *plan;
    let (bytes, _) = plan.reach()?;
    let key = |target: &String| {
        let path = Path::new(target);
        let ownership = ownership_of(path, plan.changes());
        let key = FixtureKey::new(if is_device(path) { DEVICE } else { FILE }, target, bytes, ownership);
        let used_up = plan.fills() && ownership == Ownership::Created;
        let details = Details { files, content, purge, kept: keeps };
        details.put(FixtureKey { state: plan.state.clone(), used_up, ..key })
    };
    Ok(plan.targets.iter().map(key).collect())
}

/// Why there is no fixture of a target that was looked at before: what its name
/// means is not what it meant then.
pub(super) fn changed(target: &str) -> Fault {
    let how = match std::fs::symlink_metadata(target) {
        Ok(_) => "is something else than when it was looked at: it was replaced in between",
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => "is gone: it was removed or renamed in between",
        Err(_) => "cannot be looked at any more",
    };
    Fault::Other(format!("{target} {how}; leave a target alone while it is measured"))
}

/// How large the files of ours in `folder` are to be, one of `share` targets.
fn survey_folder(
    path: &Path,
    folder: &Path,
    plan: &DiskPlan,
    host: &HostInfo,
    share: u64,
) -> Result<u64, Problem> {
    let (name, shown) = (path.display(), folder.display());
    if !folder.is_dir() {
        return Err(Problem::invalid(
            format!("{name} does not exist, nor does the folder {shown}"),
            "give an existing folder, or a new name in one",
        ));
    }
    let fills = plan.fills();
    if plan.all && !fills {
        return Err(Problem::invalid(
            format!("size=all means all of an existing file or a device, and {name} gets a new file"),
            "give a size, or until=full to write until no space is left",
        ));
    }
    alignment::check(&format!("the file system of {shown}"), plan, alignment::of_file(folder))?;
    // Other targets may lie on the same file system.
    let Room { bytes: room, memory } = room_in(folder, host)?;
    let room = room / share;
    // On a stack of ours nobody else needs any.
    let kept = if host.room.is_some() { 0 } else { RESERVE };
    let explicit = plan.size.or_else(|| plan.half.then(|| half(room, kept)));
    if fills && explicit.is_none() {
        // What is filled may be made later, on files whose room was looked at.
        let survey = || filling::survey(folder, host.memory_available, memory.as_deref());
        return host.room.map_or_else(survey, Ok);
    }
    // A power of two, so that it is the same size, and so the same work, as long
    // as there is about as much room.
    let usual = || (room / 10).clamp(1, SIZE_USUAL);
    let size = explicit.unwrap_or_else(|| 1 << usual().ilog2());
    if plan.keeps && kept::is_there(folder, size, plan.content) {
        return Ok(size);
    }
    if size.saturating_add(kept) > room || size < SIZE_LEAST && explicit.is_none() {
        let wanted = explicit.unwrap_or(SIZE_LEAST);
        let free = match memory {
            None => format!("{shown} has {} free", binary(room)),
            Some(memory) => {
                format!("{shown} is memory in the end ({memory}), of which it may take {}", binary(room))
            }
        };
        return Err(Problem::refused(
            format!(
                "{free}, which is no room for a file of {} and the {} that always stay free",
                binary(wanted),
                binary(RESERVE)
            ),
            instead(room, kept, wanted, host),
        ));
    }
    Ok(size)
}

/// Half of what is free, as a power of two, so that it is the same work as long as there is about as much room.
fn half(room: u64, kept: u64) -> u64 {
    let half = room.saturating_sub(kept) / 2;
    1 << half.clamp(SIZE_LEAST, HALF_MOST).ilog2()
}

/// Folders that most machines have, on whatever file system.
const USUAL_FOLDERS: [&str; 4] = ["/var/tmp", "/tmp", "/srv", "/home"];

/// What to type where there is too little room: the largest size that there is room for, if there is one, and a folder with
/// more, if one is known.
fn instead(room: u64, kept: u64, wanted: u64, host: &HostInfo) -> String {
    let most = room.saturating_sub(kept) >> 20 << 20;
    let size =
        (most > 0).then(|| format!("`--size {}` has room here", show(Kind::Size, &Value::Integer(most))));
    let has_room = |folder: &str| {
        room_in(Path::new(folder), host).is_ok_and(|there| there.bytes >= wanted.saturating_add(kept))
    };
    let folder = USUAL_FOLDERS.iter().find(|folder| has_room(folder)).filter(|_| host.room.is_none());
    let folder = match folder {
        Some(folder) => format!("`--target {folder}` is another place, with more room"),
        None => "give a folder on another file system: `--target FOLDER`; `df -h` lists them".to_owned(),
    };
    size.into_iter().chain([folder]).collect::<Vec<_>>().join("; ")
}

/// What we may write below `folder`.
fn room_in(folder: &Path, host: &HostInfo) -> Result<Room, Problem> {
    let shown = folder.display();
    let refused = |e: rustix::io::Errno| {
        let why = std::io::Error::from(e);
        Problem::refused(
            format!("{shown} cannot be written to: {why}"),
            "give a folder in which you may write: `--target FOLDER`",
        )
    };
    let stat = rustix::fs::statvfs(folder).map_err(refused)?;
    if stat.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY) {
        return Err(Problem::refused(
            format!("{shown} is on a read-only file system"),
            "give a folder on another one: `--target FOLDER`",
        ));
    }
    let wanted = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
    rustix::fs::access(folder, wanted).map_err(refused)?;
    Ok(in_memory::room(folder, stat.f_bavail.saturating_mul(stat.f_frsize), host))
}

fn survey_file(
    text: &str,
    metadata: &Metadata,
    plan: &DiskPlan,
    host: &HostInfo,
) -> Result<(u64, Ownership), Problem> {
    let changes = plan.changes();
    let surrendered = host.destroy.iter().any(|d| same_file(Path::new(d), Path::new(text)));
    if changes && !surrendered {
        let what = plan.overwritten_by.clone().unwrap_or_else(|| match &plan.state {
            _ if plan.pattern.changes() => format!("pattern={}", plan.pattern.word),
            TargetState::Filled => "precondition=fill".to_owned(),
            TargetState::Steady => "precondition=full".to_owned(),
            _ => "purge=yes".to_owned(),
        });
        return Err(Problem::refused(
            format!("{text} exists, and {what} would overwrite it"),
            format!("give a folder as target; or, if its content may be lost, add --destroy {text}"),
        ));
    }
    if changes {
        identity::check_names(text, metadata, &host.destroy)?;
    }
    if let Some(user) = occupied::by(metadata).filter(|_| changes) {
        return Err(Problem::refused(
            format!("{text} may not be written to, because it is in use: {user}"),
            "end that use first, or give another target; there is no option that overrides this",
        ));
    }
    if metadata.len() == 0 {
        return Err(Problem::invalid(format!("{text} is empty"), "give a file with content, or a folder"));
    }
    let mut wanted = rustix::fs::Access::READ_OK;
    if changes {
        wanted |= rustix::fs::Access::WRITE_OK;
    }
    rustix::fs::access(text, wanted).map_err(|e| {
        let why = std::io::Error::from(e);
        Problem::refused(
            format!("{text} may not be used: {why}"),
            for_root(rustix::process::geteuid().is_root()),
        )
    })?;
    alignment::check(text, plan, alignment::of_file(Path::new(text)))?;
    check_size(text, plan, metadata.len(), "an existing file")?;
    if plan.files > 1 {
        return Err(Problem::invalid(
            format!("{text} is one file, not several"),
            "give a folder, or files=1",
        ));
    }
    Ok((metadata.len(), if changes { Ownership::Surrendered } else { Ownership::Borrowed }))
}

fn same_file(a: &Path, b: &Path) -> bool {
    a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

/// Fills in size and span where they were not given.
pub(super) fn resolve_sizes(plan: &mut DiskPlan, size: u64) {
    let size = *plan.size.get_or_insert(size);
    plan.span.get_or_insert(size.saturating_sub(plan.offset));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_is_of_what_is_free_and_ends_where_caches_are_full() {
        assert_eq!(half(32 << 30, 64 << 20), 8 << 30);
        assert_eq!(half(1 << 40, 64 << 20), 32 << 30);
        // Too little for anything: what is asked for is refused for want of room.
        assert_eq!(half(1 << 20, 64 << 20), 16 << 20);
    }

    /// Bug: root in a container was told to run it as root.
    #[test]
    fn regression_root_was_told_to_be_root() {
        assert!(for_root(false).contains("sudo"));
        assert!(for_root(true).contains("--device") && !for_root(true).contains("sudo"));
    }

    /// Bug: where there was too little room, `use a smaller size or another target` was all that was said, also where no size
    /// would have done.
    #[test]
    fn regression_what_to_type_where_there_is_too_little_room() {
        let host = HostInfo { memory_available: 64 << 30, ..HostInfo::default() };
        let help = instead((100 << 20) + 12_345, 64 << 20, 1 << 60, &host);
        assert!(help.starts_with("`--size 36MiB` has room here; give a folder"), "{help}");
        assert!(!help.contains("--target /"), "nowhere is an exbibyte free: {help}");
        let help = instead(60 << 20, 64 << 20, 1 << 60, &host);
        assert!(!help.contains("--size") && help.contains("--target FOLDER"), "{help}");
        // 16 MiB and the reserve have room wherever this is built.
        let help = instead(60 << 20, 64 << 20, 16 << 20, &host);
        let folder = USUAL_FOLDERS.iter().find(|folder| help.contains(&format!("--target {folder}`")));
        assert!(folder.is_some() || help.contains("df -h"), "{help}");
    }
}
