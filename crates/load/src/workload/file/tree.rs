//! A tree of folders of ours in the user's folder, with names, because names are
//! what is measured. It is removed when the trial ends. After a SIGKILL it stays
//! behind; a lock in it tells the next run in the same folder that nobody uses
//! it any more, and it is removed then.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use crate::engine::clock;
use crate::engine::fault::Fault;

/// What every tree of ours is called, before its number.
const PREFIX: &str = ".headroom-tree-";
/// The file in it that is locked while it is in use.
const LOCK: &str = "lock";

/// A tree that is removed when it is dropped.
#[derive(Debug)]
pub(super) struct Tree {
    root: PathBuf,
    leaves: Vec<PathBuf>,
    _lock: File,
}

impl Tree {
    /// A tree in `folder` for `owners`, each with `width` folders in each of its
    /// folders, `depth` levels down.
    pub(super) fn make(folder: &Path, owners: usize, width: u64, depth: u64) -> Result<Self, Fault> {
        remove_stale(folder);
        let root = folder.join(format!("{PREFIX}{}-{}", std::process::id(), clock::now_ns()));
        let fault = |e| Fault::system(format!("making folders in {}", folder.display()), e);
        fs::create_dir(&root).map_err(fault)?;
        let locked = OpenOptions::new().create_new(true).write(true).open(root.join(LOCK)).map_err(fault);
        let mut tree = match locked {
            Ok(lock) => Self { root, leaves: Vec::new(), _lock: lock },
            Err(fault) => {
                let _ = fs::remove_dir(&root);
                return Err(fault);
            }
        };
        flock(&tree._lock, FlockOperation::NonBlockingLockExclusive).map_err(|e| fault(e.into()))?;
        for owner in 0..owners {
            let mut level = vec![tree.root.join(format!("owner{owner}"))];
            fs::create_dir(&level[0]).map_err(fault)?;
            for _ in 0..depth {
                let mut next = Vec::new();
                for above in &level {
                    for index in 0..width {
                        let folder = above.join(format!("d{index}"));
                        fs::create_dir(&folder).map_err(fault)?;
                        next.push(folder);
                    }
                }
                level = next;
            }
            tree.leaves.extend(level);
        }
        Ok(tree)
    }

    /// The folders without folders of owner `index` of `of`.
    pub(super) fn leaves_of(&self, index: usize, of: usize) -> &[PathBuf] {
        let each = self.leaves.len() / of.max(1);
        &self.leaves[index * each..(index + 1) * each]
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Removes trees of ours that nobody uses: those of runs that were killed.
fn remove_stale(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if !name.to_string_lossy().starts_with(PREFIX) || !entry.file_type().is_ok_and(|t| t.is_dir()) {
            continue;
        }
        if is_abandoned(&entry.path()).unwrap_or(false) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether the lock of a tree can be had. A folder without one is not ours.
fn is_abandoned(root: &Path) -> io::Result<bool> {
    let lock = OpenOptions::new().write(true).open(root.join(LOCK))?;
    Ok(flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_has_its_folders_and_leaves_nothing() {
        let folder = tempfile::tempdir_in(".").unwrap();
        let tree = Tree::make(folder.path(), 2, 3, 2).unwrap();
        assert_eq!(tree.leaves.len(), 18);
        assert!(
            tree.leaves_of(1, 2)
                .iter()
                .all(|leaf| leaf.is_dir() && leaf.display().to_string().contains("owner1"))
        );
        drop(tree);
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn a_tree_of_a_killed_run_is_removed_but_no_other() {
        let folder = tempfile::tempdir_in(".").unwrap();
        let stale = folder.path().join(format!("{PREFIX}1-1"));
        let users = folder.path().join(format!("{PREFIX}of-the-user"));
        fs::create_dir_all(stale.join("owner0")).unwrap();
        fs::write(stale.join(LOCK), "").unwrap();
        fs::create_dir(&users).unwrap();
        let used = Tree::make(folder.path(), 1, 1, 0).unwrap();
        assert!(!stale.exists(), "nobody used it");
        let second = Tree::make(folder.path(), 1, 1, 0).unwrap();
        assert!(used.root.exists() && second.root.exists() && users.exists());
    }
}
