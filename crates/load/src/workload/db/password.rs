//! Passwords of databases: where they come from, and what keeps them out of everything else.
//!
//! A password is no parameter and stands in no URL that a plan keeps. The command line takes it out of what was typed and
//! gives it to the agent of its own machine ([`give`]); that agent also looks where the databases' own clients look. An
//! agent that nobody gave anything, not even an empty list, is a node's: it looks nowhere, because whoever drives it
//! would choose the server that its passwords are sent to.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use model::plan::Problem;
use zeroize::Zeroizing;

use crate::workload::db::url::{DatabaseSystem, DatabaseUrl, decoded};

/// A variable of the environment with the password of the only server that a run needs.
pub(in crate::workload) const OWN: &str = "HEADROOM_DB_PASSWORD";

/// A file of passwords may have so many bytes.
const FILE_MOST: u64 = 64 << 10;

/// Bytes of a password that is made: as many digits twice.
const RANDOM_BYTES: usize = 24;

/// A password. Its memory is overwritten when it is dropped.
#[derive(Clone)]
pub(in crate::workload) struct Password(Zeroizing<Vec<u8>>);

/// Without the password.
impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

impl Password {
    /// These bytes.
    pub(in crate::workload) fn new(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// One that nobody can guess, of letters and digits.
    ///
    /// # Errors
    /// If the kernel gives no random numbers.
    pub(in crate::workload) fn random() -> std::io::Result<Self> {
        let mut random = Zeroizing::new([0u8; RANDOM_BYTES]);
        rustix::rand::getrandom(&mut random[..], rustix::rand::GetRandomFlags::empty())?;
        let digit = |half: u8| b"0123456789abcdef"[usize::from(half)];
        Ok(Self::new(random.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()))
    }

    /// For who signs in with it.
    pub(in crate::workload) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// What this process was given: for each server a password.
static GIVEN: OnceLock<Vec<(DatabaseUrl, Password)>> = OnceLock::new();

/// Gives this process the passwords that were typed, once, and lets it look for others. Each line has a URL without a
/// password, a tabulator, and the password as it stood in the URL. Lines that are none are passed over.
pub fn give(lines: &str) {
    let all = lines.lines().filter_map(|line| {
        let (url, password) = line.split_once('\t')?;
        Some((DatabaseUrl::parse(url).ok()?, Password::new(decoded(password).ok()?.into_bytes())))
    });
    // Whoever comes first is the command line.
    let _ = GIVEN.set(all.collect());
}

/// The password for the server of `url`: the one that stood in the URL; the first line of `file`; what
/// `HEADROOM_DB_PASSWORD` has; what the database's own clients would take.
///
/// # Errors
/// If `file` cannot be read.
pub(in crate::workload) fn find(url: &DatabaseUrl, file: Option<&Path>) -> Result<Option<Password>, Problem> {
    let Some(given) = GIVEN.get() else {
        return match file {
            None => Ok(None),
            Some(_) => Err(Problem::refused(
                "a node reads no passwords: whoever drives it chooses the server that they are sent to",
                "use a database that needs none, or run this on the node itself",
            )),
        };
    };
    Sources { given, variable: &|name| std::env::var_os(name).map(OsStringExt::into_vec) }.find(url, file)
}

/// Where passwords are looked for.
struct Sources<'a> {
    given: &'a [(DatabaseUrl, Password)],
    variable: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

impl Sources<'_> {
    fn find(&self, url: &DatabaseUrl, file: Option<&Path>) -> Result<Option<Password>, Problem> {
        let is_it = |(other, _): &&(DatabaseUrl, Password)| is_same_account(url, other);
        if let Some((_, password)) = self.given.iter().find(is_it) {
            return Ok(Some(password.clone()));
        }
        if let Some(path) = file {
            return first_line(path).map(Some);
        }
        if let Some(own) = self.variable(OWN) {
            return Ok(Some(own));
        }
        Ok(match url.system {
            DatabaseSystem::Sqlite => None,
            DatabaseSystem::MySql => self.variable("MYSQL_PWD"),
            DatabaseSystem::Postgres => self.variable("PGPASSWORD").or_else(|| self.of_pgpass(url)),
        })
    }

    fn variable(&self, name: &str) -> Option<Password> {
        (self.variable)(name).filter(|value| !value.is_empty()).map(Password::new)
    }

    /// What the file of libpq has for a server (PostgreSQL's manual, "The Password File"). As there, a file that others
    /// may read is passed over.
    fn of_pgpass(&self, url: &DatabaseUrl) -> Option<Password> {
        let path = |bytes: Vec<u8>| PathBuf::from(std::ffi::OsString::from_vec(bytes));
        let path = (self.variable)("PGPASSFILE")
            .map(path)
            .or_else(|| Some(path((self.variable)("HOME")?).join(".pgpass")))?;
        let mut file = File::open(path).ok()?;
        let about = file.metadata().ok()?;
        if !about.is_file() || about.mode() & 0o077 != 0 {
            return None;
        }
        let mut text = Zeroizing::new(Vec::<u8>::new());
        Read::by_ref(&mut file).take(FILE_MOST).read_to_end(&mut text).ok()?;
        text.split(|byte| *byte == b'\n').find_map(|line| password_of_line(line, url))
    }
}

/// Whether both name the same account of a server; which database of it does not matter.
fn is_same_account(one: &DatabaseUrl, other: &DatabaseUrl) -> bool {
    let account = |url: &DatabaseUrl| (url.system, url.user.clone(), url.host.clone(), url.port);
    account(one) == account(other)
}

/// The first line of the file at `path`.
fn first_line(path: &Path) -> Result<Password, Problem> {
    let failed = |why: String| unreadable(path, &why);
    let mut bytes = Zeroizing::new(Vec::<u8>::new());
    let file = File::open(path).map_err(|e| failed(e.to_string()))?;
    file.take(FILE_MOST).read_to_end(&mut bytes).map_err(|e| failed(e.to_string()))?;
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.is_empty() {
        Err(failed("its first line is empty".to_owned()))
    } else {
        Ok(Password::new(line.to_vec()))
    }
}

/// Whether the file of a password is there and may be read. It may be a pipe, so that what is in it is read only when it is
/// needed.
///
/// # Errors
/// If it is not.
pub(in crate::workload) fn check_file(path: &Path) -> Result<(), Problem> {
    let readable = rustix::fs::access(path, rustix::fs::Access::READ_OK);
    readable.map_err(|e| unreadable(path, &std::io::Error::from(e).to_string()))
}

fn unreadable(path: &Path, why: &str) -> Problem {
    Problem::refused(
        format!("the password cannot be read from {}: {why}", path.display()),
        "name a file whose first line is the password",
    )
}

/// The password of a line `host:port:database:user:password`, if the line is of this server. A colon or a backslash in
/// a field stands behind a backslash, and a field `*` fits everything. The first line that fits counts.
fn password_of_line(line: &[u8], url: &DatabaseUrl) -> Option<Password> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.first() == Some(&b'#') {
        return None;
    }
    let mut fields: Vec<Vec<u8>> = vec![Vec::new()];
    let mut rest = line.iter();
    while let Some(byte) = rest.next() {
        let is_last = fields.len() == 5;
        match byte {
            b'\\' => fields.last_mut()?.extend(rest.next()),
            b':' if !is_last => fields.push(Vec::new()),
            other => fields.last_mut()?.push(*other),
        }
    }
    let password = (fields.len() == 5).then(|| fields.pop())??;
    let port = url.port.unwrap_or(5432).to_string();
    // A socket where servers have it by themselves is `localhost` there.
    let host = if url.host.is_empty() { "localhost" } else { &url.host };
    let user = if url.user.is_empty() { None } else { Some(url.user.as_str()) };
    let database = if url.database.is_empty() { user } else { Some(url.database.as_str()) };
    let wanted = [Some(host), Some(port.as_str()), database, user];
    let fits = fields
        .iter()
        .zip(wanted)
        .all(|(field, wanted)| field == b"*" || wanted.is_some_and(|wanted| wanted.as_bytes() == &field[..]));
    fits.then(|| Password::new(password))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;

    fn url(text: &str) -> DatabaseUrl {
        DatabaseUrl::parse(text).unwrap()
    }

    fn shown(password: Option<Password>) -> Option<String> {
        password.map(|password| String::from_utf8(password.bytes().to_vec()).unwrap())
    }

    #[test]
    fn a_password_is_not_shown_and_no_two_are_alike() {
        let (one, other) = (Password::random().unwrap(), Password::random().unwrap());
        assert_ne!(one.bytes(), other.bytes());
        assert!(one.bytes().len() == 2 * RANDOM_BYTES && one.bytes().iter().all(u8::is_ascii_alphanumeric));
        assert_eq!(format!("{one:?}"), "Password(..)");
    }

    #[test]
    fn passwords_come_from_the_first_source_that_has_one() {
        let place = tempfile::tempdir_in(".").unwrap();
        let file = place.path().join("password");
        std::fs::write(&file, "of the file\r\nmore\n").unwrap();
        let given = [(url("mysql://me@here:3307"), Password::new(b"typed".to_vec()))];
        let all = |name: &str| Some(format!("of {name}").into_bytes());
        let sources = Sources { given: &given, variable: &all };
        let found = |text: &str, file| shown(sources.find(&url(text), file).unwrap());
        assert_eq!(found("mysql://me@here:3307/x", Some(&*file)).as_deref(), Some("typed"));
        assert_eq!(found("mysql://you@here:3307/x", Some(&*file)).as_deref(), Some("of the file"));
        assert_eq!(found("mysql://me@here/x", None).as_deref(), Some("of HEADROOM_DB_PASSWORD"));
        let others = |name: &str| if name == OWN { Some(Vec::new()) } else { all(name) };
        let sources = Sources { given: &[], variable: &others };
        let found = |text: &str| shown(sources.find(&url(text), None).unwrap());
        assert_eq!(found("mysql://me@here/x").as_deref(), Some("of MYSQL_PWD"));
        assert_eq!(found("postgres://me@here/x").as_deref(), Some("of PGPASSWORD"));
        assert_eq!(found("sqlite:"), None);
        let problem = sources.find(&url("mysql://here"), Some(&place.path().join("none"))).unwrap_err();
        assert!(problem.message.contains("none: No such file"), "{problem:?}");
    }

    #[test]
    fn an_agent_that_was_given_nothing_looks_nowhere() {
        // Nothing in this process calls `give`.
        assert!(find(&url("mysql://me@here"), None).unwrap().is_none());
        let problem = find(&url("mysql://me@here"), Some(Path::new("/etc/shadow"))).unwrap_err();
        assert!(problem.message.contains("a node reads no passwords"), "{problem:?}");
    }

    #[test]
    fn the_file_of_libpq_is_read_as_libpq_reads_it() {
        let place = tempfile::tempdir_in(".").unwrap();
        let file = place.path().join("pgpass");
        let text = "# here:*:*:*:hidden\nhere:5433:*:me:one:and\\\\more\n*:*:x\\:y:*:two\nlocalhost:5432:*:me:three\n";
        std::fs::write(&file, text).unwrap();
        let permit = |mode| std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let variable = |name: &str| (name == "PGPASSFILE").then(|| file.as_os_str().as_bytes().to_vec());
        let sources = Sources { given: &[], variable: &variable };
        let found = |text: &str| shown(sources.find(&url(text), None).unwrap());
        permit(0o600);
        assert_eq!(found("postgres://me@here:5433/z").as_deref(), Some("one:and\\more"));
        assert_eq!(found("postgres://you@there/x%3Ay").as_deref(), Some("two"));
        assert_eq!(found("postgres://me@/z").as_deref(), Some("three"));
        assert_eq!(found("postgres://you@here:5433/z"), None);
        permit(0o640);
        assert_eq!(found("postgres://me@here:5433/z"), None, "others may read it");
    }
}
