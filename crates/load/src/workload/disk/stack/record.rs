//! What is written down of a stack before it is made: a file for each in the folder of states, with a line for each
//! layer. It is locked as long as who made the stack lives, so that `headroom restore` and later runs know which ones
//! nobody will take down. A last line without an end is of a layer that was not begun.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::net::IpAddr;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use model::present::TargetSecret;
use model::stack::FOLDER;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use crate::workload::disk::stack::random::is_stack_name;

/// A stack has a line of some hundred bytes for each layer.
const BYTES_MAX: u64 = 256 << 10;

/// One layer: what it is called, and how it is known again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LayerRecord {
    /// Its kind.
    pub(super) kind: String,
    /// Its name, which nobody else has.
    pub(super) name: String,
    /// Its UUID, by which it is known again.
    pub(super) uuid: String,
    /// The devices on which it stands, as they were called.
    pub(super) below: Vec<PathBuf>,
    /// The device that it uses beside them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) beside: Option<PathBuf>,
    /// Whether there are devices of the user's among those.
    pub(super) on_devices: bool,
    /// Where it is mounted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<PathBuf>,
    /// How another machine reaches it; none where only this machine does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) access: Option<TargetAccess>,
}

/// How a target is reached from another machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TargetAccess {
    /// The address at which it is presented.
    pub(super) address: IpAddr,
    /// What lets the one initiator in.
    pub(super) secret: TargetSecret,
}

impl LayerRecord {
    /// The names of the devices on which it stands, and behind them of the one that it uses beside.
    pub(super) fn devices(&self) -> impl Iterator<Item = &str> {
        self.below.iter().chain(&self.beside).filter_map(|path| path.to_str())
    }
}

/// The file of one stack, locked.
#[derive(Debug)]
pub(super) struct StackRecord {
    path: PathBuf,
    file: File,
}

impl StackRecord {
    /// A new one, without a layer yet.
    pub(super) fn create(state: &Path, name: &str) -> io::Result<Self> {
        let list = state.join(FOLDER);
        fs::create_dir_all(state)?;
        match fs::DirBuilder::new().mode(0o700).create(&list) {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(e),
            _ => {}
        }
        // As the kernel calls what is mounted there.
        let path = list.canonicalize()?.join(name);
        let mut options = OpenOptions::new();
        let file = options.read(true).append(true).create_new(true).mode(0o600).open(&path)?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        File::open(&list)?.sync_all()?;
        Ok(Self { path, file })
    }

    /// Adds a layer; it is on the disk when this returns.
    pub(super) fn add(&mut self, layer: &LayerRecord) -> io::Result<()> {
        let mut line = serde_json::to_vec(layer)?;
        line.push(b'\n');
        self.file.write_all(&line)?;
        self.file.sync_all()
    }

    /// The folder in which the layer number `index` is mounted.
    pub(super) fn mount_point(&self, index: usize) -> PathBuf {
        self.path.with_extension(format!("{index}"))
    }

    /// Takes it out of the list: nothing of the stack is left.
    pub(super) fn remove(self) {
        let _ = fs::remove_file(&self.path);
    }

    /// What it is called.
    pub(super) fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The layers in it, the lowest first.
    pub(super) fn layers(&self) -> io::Result<Vec<LayerRecord>> {
        layers_in(&self.path)
    }
}

impl Drop for StackRecord {
    /// What was just forked, and has not begun its own program, has the file, too.
    fn drop(&mut self) {
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

/// The layers in the file of a stack, the lowest first.
fn layers_in(path: &Path) -> io::Result<Vec<LayerRecord>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(BYTES_MAX).read_to_end(&mut bytes)?;
    let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    let lines = bytes[..whole].split(|b| *b == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).map_err(io::Error::from)).collect()
}

/// What the layer stands on that is mounted at `place`, by what was written down of its stack; none where that is no layer
/// of a stack of ours. Nothing is locked: a stack that is driven stays as it is.
pub(super) fn below_mounted(place: &Path) -> Option<PathBuf> {
    let file = place.with_extension("");
    file.file_name()?.to_str().filter(|name| is_stack_name(name))?;
    let layer = layers_in(&file).ok()?.into_iter().find(|layer| layer.place.as_deref() == Some(place))?;
    layer.below.into_iter().next()
}

/// The records in the folder `state` whose makers are dead, each locked. What is none of ours is passed over.
pub(super) fn left(state: &Path) -> Vec<StackRecord> {
    let Ok(list) = state.join(FOLDER).canonicalize() else { return Vec::new() };
    let user = rustix::process::geteuid().as_raw();
    // Who may write there could have anything taken down.
    let is_ours =
        |path: &Path| path.symlink_metadata().is_ok_and(|m| m.uid() == user && m.mode() & 0o022 == 0);
    if !is_ours(&list) {
        return Vec::new();
    }
    let Ok(entries) = fs::read_dir(&list) else { return Vec::new() };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| is_stack_name(name)).collect();
    names.sort_unstable();
    let open = |name: String| {
        let path = list.join(name);
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
        let file = OpenOptions::new().read(true).append(true).custom_flags(flags).open(&path).ok()?;
        if !file.metadata().ok()?.is_file() || !is_ours(&path) {
            return None;
        }
        flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
        // It may have been removed before it was locked.
        path.exists().then_some(StackRecord { path, file })
    };
    names.into_iter().filter_map(open).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    const NAME: &str = "headroom_0123456789abcdef";

    fn layer(kind: &str) -> LayerRecord {
        LayerRecord {
            kind: kind.to_owned(),
            name: format!("{NAME}_1"),
            uuid: "u".to_owned(),
            below: vec!["/dev/loop7".into()],
            beside: None,
            on_devices: false,
            place: None,
            access: None,
        }
    }

    #[test]
    fn what_was_written_is_found_once_its_maker_is_gone() {
        let state = tempfile::tempdir().unwrap();
        let mut record = StackRecord::create(state.path(), NAME).unwrap();
        record.add(&layer("loop")).unwrap();
        record.add(&layer("ext4")).unwrap();
        assert!(left(state.path()).is_empty(), "its maker lives");
        let path = record.path.clone();
        drop(record);
        // Killed while it wrote the next.
        fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"kind\":\"x").unwrap();
        let mut found = left(state.path());
        assert_eq!(found.len(), 1);
        let found = found.remove(0);
        assert_eq!(found.layers().unwrap(), [layer("loop"), layer("ext4")]);
        assert_eq!(found.name(), NAME);
        found.remove();
        assert!(left(state.path()).is_empty() && !path.exists());
    }

    #[test]
    fn what_a_mounted_layer_stands_on_is_told_by_its_place() {
        let state = tempfile::tempdir().unwrap();
        let mut record = StackRecord::create(state.path(), NAME).unwrap();
        let place = record.mount_point(2);
        record.add(&layer("loop")).unwrap();
        record.add(&LayerRecord { place: Some(place.clone()), ..layer("ext4") }).unwrap();
        assert_eq!(below_mounted(&place), Some(PathBuf::from("/dev/loop7")));
        assert_eq!(below_mounted(&record.mount_point(1)), None);
        assert_eq!(below_mounted(&state.path().join("notes.2")), None);
        record.remove();
        assert_eq!(below_mounted(&place), None);
    }

    #[test]
    fn what_is_none_of_ours_is_passed_over() {
        let state = tempfile::tempdir().unwrap();
        drop(StackRecord::create(state.path(), NAME).unwrap());
        let list = state.path().join(FOLDER);
        fs::write(list.join("notes"), "x").unwrap();
        let precious = state.path().join("precious");
        fs::write(&precious, "x").unwrap();
        symlink(&precious, list.join("headroom_00000000000000ff")).unwrap();
        assert_eq!(left(state.path()).len(), 1);
        // A folder in which others may write says nothing.
        let everybody = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        fs::set_permissions(&list, everybody).unwrap();
        assert!(left(state.path()).is_empty());
    }
}
