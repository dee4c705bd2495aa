//! `mount-options`: options of the file system under a target (mount(8), ext4(5), btrfs(5)), changed
//! where it is mounted: those of the mount by mount(2) with `MS_REMOUNT | MS_BIND`, which leaves other
//! mounts of the file system alone; those of the file system by fspick(2) and fsconfig(2), which change
//! what is named and nothing else. Which there are is in `mount_state`.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use model::parameter::Parts;
use model::resource::Symbol;
use model::setting::SettingSpec;
use model::stack::FOLDER;
use model::{Kind, ParameterSpec, Resource, ResourceKind, Unit, Value};
use rustix::fs::CWD;
use rustix::io::Errno;
use rustix::mount::{
    FsPickFlags, MountFlags, fsconfig_reconfigure, fsconfig_set_flag, fsconfig_set_string, fspick,
    mount_remount,
};

use super::journal::{SideEffect, state_folder};
use super::mount_state::{Choice, Driver, LAZYTIME, MountState};
use super::{Setting, SettingError};
use crate::Host;
use crate::inventory::block::mount;

pub(super) struct MountOptions;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "mount-options",
        Kind::Text,
        "Options of the file system that holds the target, changed while it is mounted; `+` joins several, because a \
         comma separates levels: mount-options=relatime,noatime+lazytime. What is not named stays. For every mount: \
         noatime, relatime or strictatime; diratime or nodiratime. For ext4, xfs and btrfs: lazytime or nolazytime; \
         sync or async. For ext4: barrier or \
         nobarrier, commit=SECONDS, discard or nodiscard, delalloc or nodelalloc (which newer kernels refuse), auto_da_alloc or \
         noauto_da_alloc, max_batch_time, min_batch_time, inode_readahead_blks. Of btrfs: barrier or nobarrier, commit=SECONDS, \
         discard, discard=async or nodiscard, flushoncommit or noflushoncommit, autodefrag or noautodefrag, compress=METHOD \
         (with its level, as the kernel writes it: zstd:3), which affects only what is written from then on. Each is \
         read back and put back; others, such as ro and data=, are refused. The options for every mount change this \
         mount alone, **all others the whole file system, wherever else it is mounted**. **With nobarrier, a loss of \
         power may destroy the file system.** \
         It is put back in the mount namespace in which it was changed. Without `@MOUNTPOINT` it is the file system of the target.",
    )
    .parts(Parts::Joined),
    unit: Unit::One,
    binds: Some(Symbol::TargetFileSystem),
    holds: None,
    summary: "options with which the file system under the target is mounted",
};

impl Setting for MountOptions {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    fn place(&self, host: &Host, bound: Resource) -> Result<Resource, SettingError> {
        // A name with a slash at its end, or one that is no mount point, would be another resource.
        state(host, &bound).map(|state| Resource::of(ResourceKind::FileSystem, state.line.point))
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        Ok(Value::Text(joined(&state(&Host::this(), resource)?.choices)))
    }

    fn read_as(&self, resource: &Resource, asked: &Value) -> Result<Value, SettingError> {
        Ok(read_as(&state(&Host::this(), resource)?, asked))
    }

    fn read_each(&self, resource: &Resource) -> Result<Value, SettingError> {
        Ok(each(&state(&Host::this(), resource)?))
    }

    fn is_as_before(&self, now: &Value, before: &Value) -> bool {
        match (now, before) {
            (Value::List(now), Value::List(before)) => before.iter().all(|one| now.contains(one)),
            _ => false,
        }
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let host = Host::this();
        let state = state(&host, resource)?;
        let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
        let wanted = wanted(&state, value).map_err(refused)?;
        let missing = state.missing(&wanted);
        let (own, system): (Vec<Choice>, Vec<Choice>) =
            missing.into_iter().partition(|choice| choice.option.is_of_mount());
        if !own.is_empty() {
            let flags = flags(&state, &own).map_err(refused)?;
            mount_remount(state.line.point.as_str(), flags, "").map_err(|e| refused(why(e)))?;
        }
        if system.is_empty() {
            return Ok(());
        }
        reconfigure(&state, &system).map_err(refused)?;
        let now = MountState::read(&host, &state.line.point).map_err(refused)?;
        let (before, after) = (state.beside(&system), now.beside(&system));
        if before == after {
            return Ok(());
        }
        let only = |of: &[&str], other: &[&str]| {
            of.iter().filter(|text| !other.contains(*text)).copied().collect::<Vec<_>>().join(" ")
        };
        Err(refused(format!(
            "the kernel changed other options with it: [{}] became [{}]",
            only(&before, &after),
            only(&after, &before)
        )))
    }

    // A file system is made anew by none of these. What hangs on another state is refused.
    fn side_effects(&self, resource: &Resource, value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        let host = Host::this();
        let state = state(&host, resource)?;
        let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
        let wanted = wanted(&state, value).map_err(refused)?;
        match problem(&host, &state, &state.missing(&wanted)) {
            None => Ok(Vec::new()),
            Some(reason) => Err(refused(reason)),
        }
    }
}

/// What is mounted at the resource. That it is not there may be the namespace's doing: then nothing
/// is said of whether there is something to put back.
fn state(host: &Host, resource: &Resource) -> Result<MountState, SettingError> {
    let named = resource.named(ResourceKind::FileSystem).unwrap_or(resource.as_str());
    let point = Some(named.trim_end_matches('/')).filter(|point| !point.is_empty()).unwrap_or("/");
    MountState::read(host, point).map_err(|reason| match is_of_stack(&state_folder(), point) {
        // It is taken down with its stack, and nothing of it is left.
        true => SettingError::gone(&SPEC, resource),
        false => SettingError::unreadable(&SPEC, resource, reason),
    })
}

/// Whether it is where a storage stack of a run is mounted, which has this place in the folder of states for itself.
fn is_of_stack(states: &Path, point: &str) -> bool {
    let stacks = states.join(FOLDER);
    // As the kernel calls it.
    let stacks = stacks.canonicalize().unwrap_or(stacks);
    Path::new(point).parent() == Some(stacks.as_path())
}

fn joined(choices: &[Choice]) -> String {
    choices.iter().map(|choice| choice.word.as_str()).collect::<Vec<_>>().join("+")
}

/// What holds of what is asked for: that itself, where all of it does.
fn read_as(state: &MountState, asked: &Value) -> Value {
    let whole = || Value::Text(joined(&state.choices));
    let Value::Text(text) = asked else { return whole() };
    match state.asked(text) {
        Ok(wanted) if state.missing(&wanted).is_empty() => asked.clone(),
        Ok(wanted) => {
            let now = wanted.iter().filter_map(|choice| state.word(choice.option.key));
            Value::Text(now.collect::<Vec<_>>().join("+"))
        }
        Err(_) => whole(),
    }
}

/// What is written down: the number of the file system, and every option.
fn each(state: &MountState) -> Value {
    let words = state.choices.iter().map(|choice| Value::Text(choice.word.clone()));
    Value::List(std::iter::once(Value::Text(state.line.number.clone())).chain(words).collect())
}

/// What is asked for, or was before.
fn wanted(state: &MountState, value: &Value) -> Result<Vec<Choice>, String> {
    let odd = || "these are no mount options".to_owned();
    let before = match value {
        Value::Text(text) => return state.asked(text),
        Value::List(before) => before,
        _ => return Err(odd()),
    };
    let text = |value: &Value| match value {
        Value::Text(text) => Ok(text.clone()),
        _ => Err(odd()),
    };
    let texts = before.iter().map(text).collect::<Result<Vec<String>, String>>()?;
    let (number, words) = texts.split_first().ok_or_else(odd)?;
    if *number != state.line.number {
        return Err(format!(
            "another file system is mounted there now ({}, and it was {number}): its options are left alone",
            state.line.number
        ));
    }
    state.asked(&words.join("+"))
}

/// Why options of a file system cannot be changed; none where they can.
fn problem(host: &Host, state: &MountState, missing: &[Choice]) -> Option<String> {
    let first = missing.iter().find(|choice| !choice.option.is_of_mount())?;
    let line = &state.line;
    // Where nothing is said of it, ext4 and btrfs take it that it is to become writable
    // (`ext4_reconfigure`, `btrfs_reconfigure`).
    if line.system.split(',').next() == Some("ro") {
        return Some(format!("`{}`: the file system is read-only, and could become writable", first.word));
    }
    // Without the option the kernel goes over to the other (`xfs_fs_reconfigure`).
    if state.driver == Some(Driver::Xfs) && state.stands("inode32") {
        return Some("it is mounted with inode32, which the kernel would change with it".to_owned());
    }
    let mounts = mount::table(host);
    let other = mounts.iter().find(|other| other.number == line.number && other.point != line.point);
    match other {
        Some(other) if line.root != "/" => Some(format!(
            "`{}` applies to the whole file system, of which only {} is mounted here; {} is mounted at {} and would be \
             changed with it: name that mount point",
            first.word, line.root, other.root, other.point
        )),
        _ => None,
    }
}

/// The flags of mount(2) that a mount has, with other options: those that are not given are taken away.
fn flags(state: &MountState, changed: &[Choice]) -> Result<MountFlags, String> {
    let is_option = |text: &&str| state.choices.iter().any(|choice| choice.word == *text);
    let kept = state.choices.iter().filter(|choice| choice.option.is_of_mount());
    let kept = kept.filter(|choice| changed.iter().all(|other| other.option.key != choice.option.key));
    let words = kept.chain(changed).map(|choice| choice.word.as_str());
    let mut flags = MountFlags::BIND;
    for word in state.line.own.split(',').filter(|text| !is_option(text)).chain(words) {
        flags |= match word {
            "rw" | "diratime" => MountFlags::empty(),
            "ro" => MountFlags::RDONLY,
            "nosuid" => MountFlags::NOSUID,
            "nodev" => MountFlags::NODEV,
            "noexec" => MountFlags::NOEXEC,
            "nosymfollow" => MountFlags::NOSYMFOLLOW,
            "noatime" => MountFlags::NOATIME,
            "nodiratime" => MountFlags::NODIRATIME,
            "relatime" => MountFlags::RELATIME,
            "strictatime" => MountFlags::STRICTATIME,
            // An ID map stays (`do_reconfigure_mnt`).
            "idmapped" => MountFlags::empty(),
            other => return Err(format!("it is mounted with `{other}`, of which nothing is known here")),
        };
    }
    Ok(flags)
}

/// Changes options of the file system.
fn reconfigure(state: &MountState, changed: &[Choice]) -> Result<(), String> {
    let context = fspick(CWD, state.line.point.as_str(), FsPickFlags::FSPICK_CLOEXEC).map_err(why)?;
    let mut log = File::from(context);
    // Where nothing is said of it, ext4 before Linux 6 takes it away.
    let kept = state.word(LAZYTIME).filter(|_| changed.iter().all(|choice| choice.option.key != LAZYTIME));
    for word in changed.iter().map(|choice| choice.word.as_str()).chain(kept) {
        let set = match word.split_once('=') {
            Some((key, value)) => fsconfig_set_string(&log, key, value),
            None => fsconfig_set_flag(&log, word),
        };
        set.map_err(|error| format!("`{word}`: {}{}", why(error), said(&mut log)))?;
    }
    fsconfig_reconfigure(&log).map_err(|error| format!("{}{}", why(error), said(&mut log)))
}

/// What the kernel wrote down about a refusal, which is read from the context (fsconfig(2)).
fn said(log: &mut File) -> String {
    let mut text = [0; 512];
    let length = log.read(&mut text).unwrap_or(0);
    let text = String::from_utf8_lossy(text.get(..length).unwrap_or_default()).trim().to_owned();
    if text.is_empty() { text } else { format!(": {text}") }
}

fn why(error: Errno) -> String {
    let why = match error {
        Errno::PERM => "; it needs root of the machine itself",
        Errno::NOSYS => "; the kernel has no fspick(2), which came with Linux 5.2",
        Errno::INVAL => {
            "; the kernel does not take this option while the file system is mounted; dmesg may say why"
        }
        _ => "",
    };
    format!("{error}{why}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setting::mount_state::tests::EXT4;

    fn ext4() -> (Host, MountState) {
        let host = Host::parse(EXT4);
        let state = MountState::read(&host, "/data").unwrap();
        (host, state)
    }

    #[test]
    fn what_is_asked_for_is_read_back_in_its_own_words() {
        let (_, state) = ext4();
        let of = |text: &str| read_as(&state, &text.into()).to_string();
        assert_eq!(of("noatime+barrier=0"), "noatime+barrier=0", "all of it holds");
        assert_eq!(of("noatime+barrier"), "noatime+nobarrier");
        assert_eq!(of("commit=30"), "commit=5");
        assert!(of("ro").starts_with("noatime+nodiratime+lazytime+"), "{}", of("ro"));
        assert_eq!(read_as(&state, &Value::Bool(true)), of("ro").as_str().into());
    }

    #[test]
    fn what_was_before_is_written_down_with_the_file_system_and_asked_for_again() {
        let (_, state) = ext4();
        let before = each(&state);
        assert!(before.to_string().starts_with("8:2+noatime+nodiratime+lazytime+"), "{before}");
        assert!(state.missing(&wanted(&state, &before).unwrap()).is_empty());
        let changed = EXT4.replace("nosuid,noatime", "nosuid,relatime").replace("commit=5", "commit=9");
        let now = MountState::read(&Host::parse(&changed), "/data").unwrap();
        assert!(
            MountOptions.is_as_before(&before, &before) && !MountOptions.is_as_before(&each(&now), &before)
        );
        let back = now.missing(&wanted(&now, &before).unwrap());
        assert_eq!(joined(&back), "noatime+commit=5");
        let Value::List(mut texts) = before else { panic!("no list") };
        texts[0] = "8:9".into();
        let error = wanted(&now, &Value::List(texts)).unwrap_err();
        assert!(error.contains("another file system"), "{error}");
        assert!(wanted(&now, &Value::Integer(1)).is_err() && wanted(&now, &Value::List(Vec::new())).is_err());
    }

    #[test]
    fn where_stacks_are_mounted_is_told_from_other_places() {
        let states = tempfile::tempdir().unwrap();
        let stacks = states.path().canonicalize().unwrap().join(FOLDER);
        let is_of_stack = |point: &Path| is_of_stack(states.path(), point.to_str().unwrap());
        let place = stacks.join("headroom_0123456789abcdef.1");
        for _ in 0..2 {
            assert!(is_of_stack(&place) && !is_of_stack(&place.join("deeper")) && !is_of_stack(&stacks));
            std::fs::create_dir_all(&stacks).unwrap();
        }
    }

    #[test]
    fn a_mount_keeps_the_flags_that_are_not_asked_for() {
        let (_, state) = ext4();
        let of = |text: &str| flags(&state, &state.asked(text).unwrap()).unwrap();
        let kept = MountFlags::BIND | MountFlags::NOSUID;
        assert_eq!(of("strictatime"), kept | MountFlags::STRICTATIME | MountFlags::NODIRATIME);
        assert_eq!(of("diratime"), kept | MountFlags::NOATIME);
        assert_eq!(of("relatime+diratime"), kept | MountFlags::RELATIME);
        let odd = Host::parse(&EXT4.replace("rw,nosuid", "rw,new"));
        let odd = MountState::read(&odd, "/data").unwrap();
        assert!(flags(&odd, &odd.asked("relatime").unwrap()).unwrap_err().contains("`new`"));
    }

    #[test]
    fn what_would_change_more_is_refused() {
        let of = |text: &str, asked: &str| {
            let host = Host::parse(text);
            let state = MountState::read(&host, "/data").unwrap();
            problem(&host, &state, &state.missing(&state.asked(asked).unwrap()))
        };
        assert_eq!(of(EXT4, "barrier+relatime"), None);
        let read_only = EXT4.replace("sda2 rw,", "sda2 ro,");
        assert!(of(&read_only, "barrier").unwrap().contains("read-only"));
        assert_eq!(of(&read_only, "relatime+nobarrier"), None, "of the file system nothing would be changed");
        let bound = EXT4.replace("8:2 / /data", "8:2 /part /data");
        assert_eq!(of(&bound, "barrier"), None, "it is mounted nowhere else");
        let bound =
            bound.replace("/dev/sda1 rw\n", "/dev/sda1 rw\n3 1 8:2 / /whole rw - ext4 /dev/sda2 rw\n");
        let reason = of(&bound, "barrier").unwrap();
        assert!(reason.contains("/part") && reason.contains("mounted at /whole"), "{reason}");
        assert_eq!(of(&bound, "relatime"), None);
        let xfs = "==> /proc/self/mountinfo\n1 0 8:1 / / rw - ext4 /dev/sda1 rw\n\
                   2 1 8:2 / /data rw - xfs /dev/sda2 rw,inode32\n";
        assert!(of(xfs, "lazytime").unwrap().contains("inode32"));
        assert_eq!(of(&xfs.replace("inode32", "inode64"), "lazytime"), None);
    }

    #[test]
    fn a_place_is_a_mount_point() {
        let (host, _) = ext4();
        let of = |name: &str| MountOptions.place(&host, Resource::of(ResourceKind::FileSystem, name));
        assert_eq!(of("/data/"), Ok(Resource::from("filesystem:/data")));
        assert_eq!(of("/"), Ok(Resource::from("filesystem:/")));
        let error = of("/data/sub").unwrap_err().to_string();
        assert!(error.contains("it lies on /data"), "{error}");
    }
}
