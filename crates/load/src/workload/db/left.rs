//! The list of what runs have made or changed at servers and not taken back yet: databases, and global variables. A run that
//! was killed leaves its part of it, and so `headroom restore` knows what to do, and where. No password is in it.

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::workload::db::kept::is_kept_name;
use crate::workload::db::mysql::MySqlCodec;
use crate::workload::db::postgres::PostgresCodec;
use crate::workload::db::url::{DatabaseSystem, DatabaseUrl};
use crate::workload::db::wire::Codec;
use crate::workload::left_records::{self, LeftRecord};

/// The folder of the files, in the folder of states.
const FOLDER: &str = "databases";

/// What databases of ours begin with, before 16 hexadecimal digits.
const PREFIX: &str = "headroom_";
const DIGITS: usize = 16;

/// A digest has so many digits (SHA-256).
const DIGEST: usize = 64;

/// A name of a variable has so many characters at most.
const LONGEST_NAME: usize = 64;

/// What a run that was killed may have left at the server of a database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOnServer {
    /// Where the server is, as it was given; it has no password.
    url: String,
    #[serde(flatten)]
    thing: LeftThing,
}

/// What it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(in crate::workload) enum LeftThing {
    /// A database that was made.
    Database { name: String },
    /// A database with data that is kept for later runs.
    Kept { name: String },
    /// A file of SQLite whose path was given, with the digest in its mark.
    File {
        digest: String,
        /// The folder that it was made in; absent where that could not be looked at.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        folder: Option<Inode>,
    },
    /// A global variable that was changed.
    Variable {
        name: String,
        /// What it was; of PostgreSQL what `ALTER SYSTEM` had set, none where it had set nothing.
        before: Option<String>,
        /// What it was to become.
        asked: String,
    },
}

/// Which file or folder a path means: another file system may be mounted there next time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::workload) struct Inode {
    device: u64,
    inode: u64,
}

impl Inode {
    /// That at `path`; of a symbolic link its own.
    ///
    /// # Errors
    /// If it cannot be looked at.
    pub(in crate::workload) fn of(path: &Path) -> io::Result<Self> {
        fs::symlink_metadata(path).map(|about| Self { device: about.dev(), inode: about.ino() })
    }
}

/// A file of SQLite that was made where its path was given.
#[derive(Clone, Copy, Debug)]
pub(in crate::workload) struct MadeFile<'a> {
    pub(in crate::workload) path: &'a Path,
    /// That in its mark.
    pub(in crate::workload) digest: &'a str,
    /// The folder that it was made in, if that is known.
    pub(in crate::workload) folder: Option<Inode>,
}

/// Data that is kept for later runs: where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptData<'a> {
    /// In the file of SQLite at this path.
    File(&'a Path),
    /// In the database of this name at a server.
    Database {
        /// The name.
        name: &'a str,
        /// The server, as it was given; it has no password.
        url: &'a str,
    },
}

impl LeftOnServer {
    /// Where the data is, if it was asked for that it stays.
    #[must_use]
    pub fn kept(&self) -> Option<KeptData<'_>> {
        let LeftThing::Kept { name } = &self.thing else { return None };
        Some(match self.file() {
            Some(path) => KeptData::File(path),
            None => KeptData::Database { name, url: &self.url },
        })
    }

    /// `thing`, at the server of `url`.
    pub(in crate::workload) fn new(url: &DatabaseUrl, thing: LeftThing) -> Self {
        Self { url: url.to_string(), thing }
    }

    /// What it is.
    pub(in crate::workload) fn thing(&self) -> &LeftThing {
        &self.thing
    }

    /// Whether it is at the server that `url` names: as whom, and in which database, does not matter.
    pub(in crate::workload) fn is_at(&self, url: &DatabaseUrl) -> bool {
        DatabaseUrl::parse(&self.url).is_ok_and(|own| place(&own) == place(url))
    }

    /// Whether it was asked for that it stays.
    pub(in crate::workload) fn is_kept(&self) -> bool {
        matches!(self.thing, LeftThing::Kept { .. })
    }

    /// Whether it is something that a run makes up: nothing else is ever removed or changed.
    fn is_ours(&self) -> bool {
        let Ok(url) = DatabaseUrl::parse(&self.url) else { return false };
        if url.system == DatabaseSystem::Sqlite {
            return self.file().is_some() || self.made_file().is_some();
        }
        match &self.thing {
            LeftThing::Database { name } => is_own_name(name),
            LeftThing::Kept { name } => is_kept_name(name),
            LeftThing::File { .. } => false,
            LeftThing::Variable { name, .. } => is_variable(name),
        }
    }

    /// The file of SQLite that was made where its path was given, if it is one.
    pub(in crate::workload) fn made_file(&self) -> Option<MadeFile<'_>> {
        let LeftThing::File { digest, folder } = &self.thing else { return None };
        let path = Path::new(self.url.strip_prefix("sqlite:")?);
        let is_it =
            path.is_absolute() && digest.len() == DIGEST && digest.bytes().all(|b| b.is_ascii_hexdigit());
        is_it.then_some(MadeFile { path, digest, folder: *folder })
    }

    /// The file of SQLite that is kept, if it is one.
    pub(in crate::workload) fn file(&self) -> Option<&Path> {
        let LeftThing::Kept { name } = &self.thing else { return None };
        let path = Path::new(self.url.strip_prefix("sqlite:")?);
        let is_it = is_kept_name(name) && path.is_absolute() && path.file_stem()? == name.as_str();
        is_it.then_some(path)
    }
}

/// Whether a database of this name is one that a run makes.
fn is_own_name(name: &str) -> bool {
    let digits = name.strip_prefix(PREFIX);
    digits.is_some_and(|digits| digits.len() == DIGITS && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Whether it can stand in a statement as the name of a variable.
fn is_variable(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    !name.is_empty() && name.len() <= LONGEST_NAME && name.bytes().all(fits)
}

/// Which server, or file, a URL names.
fn place(url: &DatabaseUrl) -> (&'static str, String, u16) {
    if url.system == DatabaseSystem::Sqlite {
        return (url.system.scheme(), url.database.clone(), 0);
    }
    let port = match url.system {
        DatabaseSystem::MySql => MySqlCodec::PORT,
        _ => PostgresCodec::PORT,
    };
    (url.system.scheme(), url.host.to_ascii_lowercase(), url.port.unwrap_or(port))
}

impl fmt::Display for LeftOnServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let url = &self.url;
        match &self.thing {
            LeftThing::Database { name } => write!(
                f,
                "the database {name} at {url}: a run that was killed may have left it there; `headroom restore --url \
                 {url}` removes it. After removing it by hand, `headroom restore --drop` forgets it"
            ),
            LeftThing::Kept { .. } if self.file().is_some() => {
                write!(f, "{url}: data that is kept for later runs; `headroom restore --kept` removes it")
            }
            LeftThing::Kept { name } => write!(
                f,
                "the database {name} at {url}: data that is kept for later runs; `headroom restore --kept --url {url}` \
                 removes it"
            ),
            LeftThing::File { .. } => write!(
                f,
                "{url}: a run that was killed may have left it there; `headroom restore` removes it. After removing it by \
                 hand, `headroom restore --drop` forgets it"
            ),
            LeftThing::Variable { name, before, asked } => {
                write!(f, "the variable {name} of the server at {url}: a run that was killed ")?;
                write!(f, "may have left it at {asked}; it was {}; ", Before(before.as_deref()))?;
                write!(
                    f,
                    "`headroom restore --url {url}` puts it back. After doing so by hand, `headroom restore --drop` \
                     forgets it"
                )
            }
        }
    }
}

/// What a variable was, in words.
pub(in crate::workload) struct Before<'a>(pub(in crate::workload) Option<&'a str>);

impl fmt::Display for Before<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some("") => f.write_str("empty"),
            Some(value) => f.write_str(value),
            None => f.write_str("not set by ALTER SYSTEM"),
        }
    }
}

/// The list in the folder `state`.
#[derive(Clone, Debug)]
pub(in crate::workload) struct ServerList(PathBuf);

impl ServerList {
    /// That in this folder.
    pub(in crate::workload) fn in_state(state: &Path) -> Self {
        Self(state.join(FOLDER))
    }

    /// Writes that there will be `left`; that is on the disk when this returns.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(in crate::workload) fn write(&self, left: &LeftOnServer) -> io::Result<LeftRecord> {
        let name = match &left.thing {
            LeftThing::Database { name } => name.clone(),
            // Other servers may have the same.
            LeftThing::Kept { name } | LeftThing::Variable { name, .. } => {
                format!("{name}-{}", random_digits()?)
            }
            LeftThing::File { .. } => format!("file-{}", random_digits()?),
        };
        LeftRecord::write(&self.0, &name, left)
    }

    /// As [`ServerList::write`], of something at which only one run may be: fails with what another one, under way or
    /// killed, has written of it.
    ///
    /// # Errors
    /// If it cannot be written, too.
    pub(in crate::workload) fn write_alone(
        &self,
        url: &DatabaseUrl,
        left: &LeftOnServer,
    ) -> io::Result<Result<LeftRecord, LeftOnServer>> {
        let _turn = left_records::lock_list(&self.0)?;
        let is_same = |other: &LeftOnServer| match (&other.thing, &left.thing) {
            (LeftThing::Variable { name: one, .. }, LeftThing::Variable { name: two, .. })
            | (LeftThing::Kept { name: one }, LeftThing::Kept { name: two }) => {
                one == two && other.is_at(url)
            }
            _ => false,
        };
        match left_records::listed::<LeftOnServer>(&self.0).into_iter().find(is_same) {
            Some(other) => Ok(Err(other)),
            None => self.write(left).map(Ok),
        }
    }

    /// What is known of the kept data `name` of the server that `url` names.
    pub(in crate::workload) fn kept(&self, url: &DatabaseUrl, name: &str) -> KeptEntry {
        let is_it = |left: &LeftOnServer| {
            matches!(&left.thing, LeftThing::Kept { name: known } if known == name) && left.is_at(url)
        };
        let free = self.left().into_iter().find(|(left, _)| is_it(left));
        match free {
            Some((_, record)) => KeptEntry::Free(record),
            None if left_records::listed::<LeftOnServer>(&self.0).iter().any(is_it) => KeptEntry::InUse,
            None => KeptEntry::None,
        }
    }

    /// Whether a run under way has made the file of SQLite that `url` names.
    pub(in crate::workload) fn is_made(&self, url: &DatabaseUrl) -> bool {
        let is_it = |left: &LeftOnServer| matches!(left.thing, LeftThing::File { .. }) && left.is_at(url);
        // Those of killed runs are locked meanwhile.
        let free = self.left();
        let in_use = left_records::listed::<LeftOnServer>(&self.0).into_iter().filter(is_it).count();
        in_use > free.iter().filter(|(left, _)| is_it(left)).count()
    }

    /// What no run has in use: what killed ones left, and what is kept. Each is locked as long as its record is there.
    pub(in crate::workload) fn left(&self) -> Vec<(LeftOnServer, LeftRecord)> {
        let mut all = left_records::left::<LeftOnServer>(&self.0);
        all.retain(|(left, _)| left.is_ours());
        all
    }
}

/// What runs that were killed may have left at servers, by the list in the folder `state`; with `forgets` it is taken
/// out of the list.
#[must_use]
pub fn left_on_servers(state: &Path, forgets: bool) -> Vec<LeftOnServer> {
    let all = ServerList::in_state(state).left().into_iter().filter(|(left, _)| !left.is_kept());
    all.map(|(left, record)| {
        if forgets {
            record.remove();
        }
        left
    })
    .collect()
}

/// What is kept at servers for later runs, and not in use, by the list in the folder `state`.
#[must_use]
pub fn kept_on_servers(state: &Path) -> Vec<LeftOnServer> {
    let all = ServerList::in_state(state).left().into_iter();
    all.map(|(left, _)| left).filter(|left| left.is_kept() && left.file().is_none()).collect()
}

/// All that is kept for later runs, files and databases, and not in use, by the list in the folder `state`.
#[must_use]
pub fn kept_for_later(state: &Path) -> Vec<LeftOnServer> {
    let all = ServerList::in_state(state).left().into_iter();
    all.map(|(left, _)| left).filter(LeftOnServer::is_kept).collect()
}

/// What the list has of some kept data.
#[derive(Debug)]
pub(in crate::workload) enum KeptEntry {
    /// Nothing: no run of this machine made it.
    None,
    /// It is there, and no run uses it; it is in use as long as its record is there.
    Free(LeftRecord),
    /// A run uses it.
    InUse,
}

/// A name for a database that nobody else has.
///
/// # Errors
/// If the kernel gives no random numbers.
pub(in crate::workload) fn own_name() -> io::Result<String> {
    Ok(format!("{PREFIX}{}", random_digits()?))
}

fn random_digits() -> io::Result<String> {
    let mut bytes = [0; DIGITS / 2];
    rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
    Ok(format!("{:016x}", u64::from_ne_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "postgres://me@db.example/x";

    fn url(text: &str) -> DatabaseUrl {
        DatabaseUrl::parse(text).unwrap()
    }

    fn database(name: &str) -> LeftOnServer {
        LeftOnServer::new(&url(URL), LeftThing::Database { name: name.to_owned() })
    }

    fn variable(name: &str) -> LeftOnServer {
        let (name, asked) = (name.to_owned(), "off".to_owned());
        LeftOnServer::new(&url(URL), LeftThing::Variable { name, before: None, asked })
    }

    fn state() -> tempfile::TempDir {
        tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap()
    }

    #[test]
    fn a_database_is_left_once_its_run_is_gone_and_until_it_is_forgotten() {
        let state = state();
        let list = ServerList::in_state(state.path());
        let ours = database(&own_name().unwrap());
        let record = list.write(&ours).unwrap();
        assert!(left_on_servers(state.path(), true).is_empty(), "it is under way");
        drop(record);
        assert_eq!(left_on_servers(state.path(), false), std::slice::from_ref(&ours));
        let told = ours.to_string();
        assert!(told.contains("headroom restore --url postgres://me@db.example/x`"), "{told}");
        assert_eq!(left_on_servers(state.path(), true), [ours]);
        assert!(left_on_servers(state.path(), false).is_empty());
    }

    #[test]
    fn a_list_that_somebody_changed_names_nothing_of_others() {
        let state = state();
        let list = ServerList::in_state(state.path());
        for name in
            ["", "shop", "headroom_", "headroom_x", "headroom_0123456789abcde'", "headroom_0123456789abcdef0"]
        {
            let wrong = database(name);
            assert!(!wrong.is_ours(), "{name}");
        }
        for name in ["", "a b", "a;b", "A", "a-b"] {
            assert!(!variable(name).is_ours(), "{name}");
        }
        let mut elsewhere = database("headroom_0123456789abcdef");
        assert!(elsewhere.is_ours());
        for text in ["", "sqlite:x", "http://here"] {
            text.clone_into(&mut elsewhere.url);
            assert!(!elsewhere.is_ours(), "{text}");
        }
        drop(list.write(&elsewhere).unwrap());
        assert!(left_on_servers(state.path(), true).is_empty());
    }

    #[test]
    fn one_run_changes_a_variable_of_a_server_and_no_other() {
        let state = state();
        let list = ServerList::in_state(state.path());
        let first = list.write_alone(&url(URL), &variable("fsync")).unwrap().unwrap();
        let again = |text: &str, name: &str| {
            let url = url(text);
            let (name, asked) = (name.to_owned(), "on".to_owned());
            let left = LeftOnServer::new(&url, LeftThing::Variable { name, before: None, asked });
            list.write_alone(&url, &left).unwrap().map(LeftRecord::remove)
        };
        assert_eq!(again("postgres://you@DB.example:5432/y", "fsync"), Err(variable("fsync")));
        assert_eq!(again(URL, "wal_level"), Ok(()));
        assert_eq!(again("postgres://me@db.example:5433/x", "fsync"), Ok(()));
        drop(first);
        assert_eq!(again(URL, "fsync"), Err(variable("fsync")), "a killed one counts, too");
    }

    /// Bug: a run that could not make what another one had just made removed it.
    #[test]
    fn one_run_makes_data_that_is_kept_and_no_other_at_the_same_time() {
        let state = state();
        let list = ServerList::in_state(state.path());
        let url = url("sqlite:/data/headroom_kept_0123456789abcdef.db");
        let kept = |name: &str| LeftOnServer::new(&url, LeftThing::Kept { name: name.to_owned() });
        let _first = list.write_alone(&url, &kept("headroom_kept_0123456789abcdef")).unwrap().unwrap();
        let again = |name: &str| list.write_alone(&url, &kept(name)).unwrap().map(LeftRecord::remove);
        assert!(again("headroom_kept_0123456789abcdef").is_err());
        assert_eq!(again("headroom_kept_0123456789abcdee"), Ok(()));
    }

    #[test]
    fn what_stands_in_the_list_is_read_as_it_was_written() {
        for left in [database("headroom_0123456789abcdef"), variable("fsync")] {
            let text = serde_json::to_string(&left).unwrap();
            assert_eq!(serde_json::from_str::<LeftOnServer>(&text).unwrap(), left);
        }
    }
}
