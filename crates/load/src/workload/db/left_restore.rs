//! What killed runs left at a server, taken back by somebody who names that server again: a password was not kept.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use engine::fault::Fault;
use model::plan::Problem;

use crate::workload::db::left::{LeftOnServer, LeftThing, ServerList};
use crate::workload::db::password;
use crate::workload::db::remote::{self, RemoteSystem};
use crate::workload::db::server_settings::put_back;
use crate::workload::db::sqlite::{kept_file, named_file};
use crate::workload::db::url::DatabaseUrl;
use crate::workload::db::wire::DatabaseServer;
use crate::workload::left_records::LeftRecord;

/// How long a statement waits for a lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// Something that a killed run left at a server, and what became of it.
#[derive(Debug)]
pub struct RestoredOnServer {
    left: LeftOnServer,
    stays: Option<String>,
    /// A file that is not there was removed by somebody, or its file system is not mounted now.
    is_missing: bool,
}

impl RestoredOnServer {
    /// What it was.
    #[must_use]
    pub fn left(&self) -> &LeftOnServer {
        &self.left
    }

    /// Whether nothing is left to be done.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.stays.is_none()
    }
}

impl fmt::Display for RestoredOnServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.left.thing(), &self.stays) {
            (LeftThing::Kept { name }, stays) if self.is_missing => {
                write!(f, "the file {name}.db, which was kept, is not there: ")?;
                match stays {
                    None => f.write_str(
                        "it is taken off the list; if its disk is only not mounted, remove it by hand when it is",
                    ),
                    Some(why) => write!(f, "it stays in the list; {why}"),
                }
            }
            (LeftThing::Database { name }, None) => {
                write!(f, "the database {name}, which a killed run left: it is removed")
            }
            (LeftThing::Database { name }, Some(why)) => {
                write!(f, "the database {name}, which a killed run left, stays: {why}")
            }
            (LeftThing::Kept { name }, None) if self.left.file().is_some() => {
                write!(f, "the file {name}.db, which was kept: it is removed")
            }
            (LeftThing::Kept { name }, None) => {
                write!(f, "the database {name}, which was kept: it is removed")
            }
            (LeftThing::Kept { name }, Some(why)) => {
                write!(f, "the data {name}, which was kept, stays: {why}")
            }
            (LeftThing::File { .. }, stays) => {
                let path = self.left.made_file().map_or(Path::new(""), |made| made.path).display();
                match stays {
                    None => write!(f, "{path}, which a killed run left: it is removed"),
                    Some(why) => write!(f, "{path}, which a killed run left, stays: {why}"),
                }
            }
            (LeftThing::Variable { name, before, .. }, None) => {
                let before = before.as_deref().unwrap_or("what it is without ALTER SYSTEM");
                write!(f, "the variable {name}, which a killed run left changed: it is {before} again")
            }
            (LeftThing::Variable { name, .. }, Some(why)) => {
                write!(f, "the variable {name}, which a killed run left changed, stays as it is: {why}")
            }
        }
    }
}

/// Removes and puts back what killed runs left at the server of `url`, by the list in the folder `state`: what stands in
/// it, and nothing else. The password comes from where those of loads do ([`password::give`]); `password_file` is such a
/// file. Data that was kept is removed only where it `removes_kept`. What does not succeed stays in the list.
///
/// # Errors
/// If the URL names no server, or it cannot be reached.
pub fn restore_at(
    state: &Path,
    url: &str,
    password_file: Option<&Path>,
    removes_kept: bool,
) -> Result<Vec<RestoredOnServer>, Problem> {
    let url = DatabaseUrl::parse(url)?;
    let system = remote::system(url.system).ok_or_else(|| {
        Problem::invalid(format!("{url} is no server"), "name the server as `headroom restore` lists it")
    })?;
    let mut all = ServerList::in_state(state).left();
    all.retain(|(left, _)| left.is_at(&url) && (removes_kept || !left.is_kept()));
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let password = password::find(&url, password_file)?;
    let unreachable = |why: String| Problem::refused(why, "see that the server runs and the url is right");
    let server = system.find(&url, password, LOCK_TIMEOUT).map_err(|fault| unreachable(fault.to_string()))?;
    // Once, and not for each of them.
    system.ask(&server, "SELECT 1").map_err(|failure| unreachable(failure.message))?;
    let restored = all.into_iter().map(|(left, record)| {
        let stays = restore(system, &server, left.thing()).err().map(|fault| fault.to_string());
        if stays.is_none() {
            record.remove();
        }
        RestoredOnServer { left, stays, is_missing: false }
    });
    Ok(restored.collect())
}

/// Removes the files of SQLite that were kept for later runs and are not in use, by the list in the folder `state`. What
/// does not succeed stays in the list, and so does a file that is not there.
#[must_use]
pub fn remove_kept_files(state: &Path) -> Vec<RestoredOnServer> {
    let all = ServerList::in_state(state).left().into_iter();
    all.filter_map(|one| remove_kept(one, false)).collect()
}

/// The same of the file at `path` alone, which is taken off the list where it is not there; none where the list has no
/// such file, or a run uses it.
#[must_use]
pub fn remove_kept_file(state: &Path, path: &Path) -> Option<RestoredOnServer> {
    let is_it = |(left, _): &(LeftOnServer, LeftRecord)| left.file() == Some(path);
    ServerList::in_state(state).left().into_iter().find(is_it).and_then(|one| remove_kept(one, true))
}

/// Removes a file that is kept, and its record; that of a file that is not there if it `forgets`. None where it is no file.
fn remove_kept((left, record): (LeftOnServer, LeftRecord), forgets: bool) -> Option<RestoredOnServer> {
    let path = left.file()?;
    let is_missing = matches!(kept_file::is_there(path), Ok(false));
    let stays = if is_missing && !forgets {
        Some(format!("`headroom fixtures --remove {}` takes it off", path.display()))
    } else {
        kept_file::remove(path).err()
    };
    if stays.is_none() {
        record.remove();
    }
    Some(RestoredOnServer { left, stays, is_missing })
}

/// Removes the files of SQLite that killed runs left where their paths had been given, by the list in the folder `state`.
/// What does not succeed stays in the list.
#[must_use]
pub fn remove_left_files(state: &Path) -> Vec<RestoredOnServer> {
    let all = ServerList::in_state(state).left().into_iter();
    all.filter_map(|(left, record)| {
        let stays = named_file::remove_left(&left.made_file()?).err();
        if stays.is_none() {
            record.remove();
        }
        Some(RestoredOnServer { left, stays, is_missing: false })
    })
    .collect()
}

fn restore(system: &dyn RemoteSystem, server: &DatabaseServer, thing: &LeftThing) -> Result<(), Fault> {
    match thing {
        LeftThing::Database { name } | LeftThing::Kept { name } => system.remove_database(server, name),
        LeftThing::File { .. } => Err(Fault::Other("it is at no server".to_owned())),
        LeftThing::Variable { name, before, .. } => put_back(system, server, name, before.as_deref()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::db::left::kept_for_later;

    #[test]
    fn regression_a_kept_file_whose_disk_is_not_mounted_was_said_to_be_removed() {
        let state = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let name = "headroom_kept_0123456789abcdef";
        let path = state.path().canonicalize().unwrap().join("not-mounted").join(format!("{name}.db"));
        let url = DatabaseUrl::parse(&format!("sqlite:{}", path.display())).unwrap();
        let left = LeftOnServer::new(&url, LeftThing::Kept { name: name.to_owned() });
        drop(ServerList::in_state(state.path()).write(&left).unwrap());
        let all = remove_kept_files(state.path());
        assert!(all.len() == 1 && !all[0].is_settled(), "{all:?}");
        assert!(all[0].to_string().contains("is not there: it stays in the list"), "{}", all[0]);
        assert_eq!(kept_for_later(state.path()), [left]);
        let named = remove_kept_file(state.path(), &path).unwrap();
        assert!(named.is_settled() && named.to_string().contains("is taken off the list"), "{named}");
        assert!(kept_for_later(state.path()).is_empty());
    }

    #[test]
    fn a_server_at_which_nothing_was_left_is_not_asked() {
        let state = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        // Nobody is there.
        let restored = restore_at(state.path(), "postgres://me@192.0.2.1/x", None, false).unwrap();
        assert!(restored.is_empty());
        let problem = restore_at(state.path(), "sqlite:x", None, false).unwrap_err();
        assert!(problem.message.contains("no server"), "{problem:?}");
        let problem = restore_at(state.path(), "mysql://me:hunter2@here/x", None, false).unwrap_err();
        assert!(!problem.message.contains("hunter2"), "{problem:?}");
    }
}
