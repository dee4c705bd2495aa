//! A server of ours for other programs: it runs while this is kept, and they reach it as its one user.

use std::fmt;
use std::path::{Path, PathBuf};

use engine::fault::Fault;
use model::plan::Problem;

use crate::fixture::Fixture;
use crate::host::HostInfo;
use crate::workload::db::password;
use crate::workload::db::server::{PrivateServer, ServerRequest, StartedServer, USER, url};
use crate::workload::db::url::{DatabaseSystem, DatabaseUrl};

/// Other programs name its socket by a path of so many bytes at most (unix(7): 108 with the zero behind it).
const SOCKET_PATH_MOST: usize = 107;

/// What a client of PostgreSQL puts behind the folder that it is given.
const POSTGRES_SOCKET: &str = ".s.PGSQL.5432";

/// A server of databases that runs until this is dropped, which removes its folder, too.
pub struct StartedDatabase {
    /// Absent only while it is dropped.
    server: Option<Box<PrivateServer>>,
    url: DatabaseUrl,
    /// Where its programs are.
    programs: PathBuf,
    /// The words of the environment with its password.
    environment: Vec<(&'static str, String)>,
}

/// Without the password.
impl fmt::Debug for StartedDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StartedDatabase").field("url", &self.url).finish_non_exhaustive()
    }
}

impl StartedDatabase {
    /// An installed PostgreSQL in a hidden folder of ours in `folder`, with room for tables of `data_bytes`. `goes_on` is
    /// asked all the time whether to.
    ///
    /// # Errors
    /// If it is not installed, there is no room for it, or it does not start.
    pub fn postgres(
        folder: &Path,
        data_bytes: u64,
        host: &HostInfo,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Self, Problem> {
        Self::start(StartedServer::Postgres, folder, (data_bytes, host), goes_on)
    }

    /// The same of MariaDB.
    ///
    /// # Errors
    /// As there.
    pub fn mariadb(
        folder: &Path,
        data_bytes: u64,
        host: &HostInfo,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Self, Problem> {
        Self::start(StartedServer::Mariadb, folder, (data_bytes, host), goes_on)
    }

    fn start(
        start: StartedServer,
        folder: &Path,
        (data_bytes, host): (u64, &HostInfo),
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Self, Problem> {
        let unusable = |e: std::io::Error| {
            Problem::refused(format!("{} cannot be used: {e}", folder.display()), "name another folder")
        };
        let folder = folder.canonicalize().map_err(unusable)?;
        let request = ServerRequest { start, variables: Vec::new() };
        request.survey(&folder, data_bytes, host)?;
        let key = request.key(&folder.to_string_lossy());
        let started = PrivateServer::start(request, &key, host, &mut |_: u64| goes_on());
        let server = Box::new(started.map_err(|fault| not_started(&fault))?);
        let url = lasting_url(&server);
        let secret = String::from_utf8_lossy(server.place.around.password.bytes()).into_owned();
        let of_clients = match url.system {
            DatabaseSystem::Postgres => "PGPASSWORD",
            DatabaseSystem::MySql | DatabaseSystem::Sqlite => "MYSQL_PWD",
        };
        let environment = vec![(password::OWN, secret.clone()), (of_clients, secret)];
        let programs = server.place.installed.server.parent().map(Path::to_owned).unwrap_or_default();
        // Dropped where it is refused.
        let started = Self { server: Some(server), url, programs, environment };
        let socket = match started.url.system {
            DatabaseSystem::Postgres => Path::new(started.socket()).join(POSTGRES_SOCKET),
            DatabaseSystem::MySql | DatabaseSystem::Sqlite => PathBuf::from(started.socket()),
        };
        if socket.as_os_str().len() > SOCKET_PATH_MOST {
            return Err(Problem::refused(
                format!("{} is longer than the path of a socket may be", socket.display()),
                "name a folder with a shorter path",
            ));
        }
        Ok(started)
    }

    /// Its URL for a load of ours, without a database.
    #[must_use]
    pub fn url(&self) -> String {
        self.url.to_string()
    }

    /// The path of its socket; of PostgreSQL the folder that the socket is in, which its clients are given.
    #[must_use]
    pub fn socket(&self) -> &str {
        &self.url.host
    }

    /// Its one user.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.url.user
    }

    /// The folder of its programs, in which PostgreSQL's clients are, too.
    #[must_use]
    pub fn programs(&self) -> &Path {
        &self.programs
    }

    /// Variables of the environment, with their values, that give its clients and loads of ours the password.
    #[must_use]
    pub fn environment(&self) -> &[(&'static str, String)] {
        &self.environment
    }
}

impl Drop for StartedDatabase {
    fn drop(&mut self) {
        // What cannot be removed is listed, and `headroom restore` finds it.
        if let Some(server) = self.server.take() {
            let _ = server.remove();
        }
    }
}

/// Its URL by the path of its folder, which other processes understand, and which is the same all the time.
fn lasting_url(server: &PrivateServer) -> DatabaseUrl {
    let own = url(&server.request, &server.place, "");
    let folder = &server.place.around.folder;
    let inside = Path::new(&own.host).strip_prefix(server.place.shortcut()).map(Path::to_owned);
    let path = match inside {
        Ok(inside) if inside.as_os_str().is_empty() => folder.clone(),
        Ok(inside) => folder.join(inside),
        Err(_) => PathBuf::from(&own.host),
    };
    DatabaseUrl { user: USER.to_owned(), host: path.to_string_lossy().into_owned(), started: None, ..own }
}

fn not_started(fault: &Fault) -> Problem {
    Problem::refused(fault.to_string(), "see whether the server that is installed runs by itself")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A folder that every user may enter.
    fn folder() -> tempfile::TempDir {
        let place = tempfile::tempdir().unwrap();
        std::fs::set_permissions(place.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        place
    }

    #[test]
    fn a_server_for_others_is_reached_by_its_path_and_leaves_nothing() {
        let place = folder();
        let started = StartedDatabase::postgres(place.path(), 0, &HostInfo::default(), &mut || true);
        let started = match started {
            Ok(started) => started,
            Err(problem) => {
                assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: {problem:?}");
                return println!("skipped: {}", problem.message);
            }
        };
        let socket = Path::new(started.socket()).join(POSTGRES_SOCKET);
        assert!(std::os::unix::net::UnixStream::connect(&socket).is_ok(), "{}", socket.display());
        let url = DatabaseUrl::parse(&started.url()).unwrap();
        assert_eq!((url.host.as_str(), url.user.as_str()), (started.socket(), started.user()));
        assert!(started.programs().join("postgres").is_file());
        let names: Vec<&str> = started.environment().iter().map(|(name, _)| *name).collect();
        assert_eq!(names, [password::OWN, "PGPASSWORD"]);
        assert!(!format!("{started:?}").contains(&started.environment()[0].1));
        drop(started);
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
    }

    #[test]
    #[ignore = "long: cargo xtask test --long"]
    fn a_path_that_is_too_long_for_other_programs_is_refused_and_leaves_nothing() {
        let place = folder();
        let deep = place.path().join("x".repeat(100));
        std::fs::create_dir(&deep).unwrap();
        std::fs::set_permissions(&deep, std::fs::Permissions::from_mode(0o755)).unwrap();
        let refused = StartedDatabase::postgres(&deep, 0, &HostInfo::default(), &mut || true).unwrap_err();
        if refused.message.contains("not installed") {
            assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped");
            return println!("skipped: {}", refused.message);
        }
        assert!(refused.message.contains("longer than the path of a socket"), "{refused:?}");
        assert_eq!(std::fs::read_dir(&deep).unwrap().count(), 0);
    }
}
