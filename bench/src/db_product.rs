//! MariaDB and PostgreSQL as a server of a benchmark: what their programs are called and told, where their sockets are, and
//! what says that they let clients in.

use std::fs;
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::Signal;

use crate::db_tls::{ADDRESS, DatabaseTls};
use xtask::Error;

/// Where Debian has PostgreSQL, a folder for each version.
const POSTGRES_VERSIONS: &str = "/usr/lib/postgresql";

/// PostgreSQL's port, which names its socket.
pub(crate) const PORT: &str = "5432";

/// Who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DatabaseProduct {
    MariaDb,
    Postgres,
}

impl DatabaseProduct {
    /// What its server's program, and its folder, are called.
    pub(crate) const fn program(self) -> &'static str {
        match self {
            Self::MariaDb => "mariadbd",
            Self::Postgres => "postgres",
        }
    }

    /// Whose user the package makes.
    pub(crate) const fn system_user(self) -> &'static str {
        match self {
            Self::MariaDb => "mysql",
            Self::Postgres => "postgres",
        }
    }

    /// As whom clients sign in.
    pub(crate) const fn user(self) -> &'static str {
        match self {
            Self::MariaDb => "root",
            Self::Postgres => "bench",
        }
    }

    /// The database that is there from the beginning.
    pub(crate) const fn first_database(self) -> &'static str {
        match self {
            Self::MariaDb => "mysql",
            Self::Postgres => "postgres",
        }
    }

    /// What ends it at once. PostgreSQL's processes and its shared memory go by an immediate shutdown only (PostgreSQL's
    /// manual, "Shutting Down the Server"); MariaDB is one process, whose data is not wanted any more.
    pub(crate) const fn ending(self) -> Signal {
        match self {
            Self::MariaDb => Signal::KILL,
            Self::Postgres => Signal::QUIT,
        }
    }

    /// The same as setpriv has it.
    pub(crate) const fn ending_word(self) -> &'static str {
        match self {
            Self::MariaDb => "KILL",
            Self::Postgres => "QUIT",
        }
    }

    /// What is not as Debian has it. A commit does not wait for the disk: the clients are measured, of which less is seen
    /// the longer each waits. Tables fit into memory, and are made anew before anybody would have to vacuum them.
    pub(crate) const fn settings(self) -> &'static [&'static str] {
        match self {
            Self::MariaDb => {
                &["innodb_flush_log_at_trx_commit=2", "innodb_buffer_pool_size=256M", "max_connections=200"]
            }
            Self::Postgres => {
                &["synchronous_commit=off", "shared_buffers=256MB", "max_connections=200", "autovacuum=off"]
            }
        }
    }

    /// Its socket in `folder`; PostgreSQL's is named by the port.
    pub(crate) fn socket(self, folder: &Path, port: &str) -> PathBuf {
        match self {
            Self::MariaDb => folder.join("socket"),
            Self::Postgres => folder.join(format!(".s.PGSQL.{port}")),
        }
    }

    /// Where a program of it is: by PATH, or in the folder of the newest version.
    pub(crate) fn path_of(self, program: &str) -> Result<String, Error> {
        match self {
            Self::MariaDb => Ok(program.to_owned()),
            Self::Postgres => {
                let folder = newest_version(Path::new(POSTGRES_VERSIONS))
                    .ok_or_else(|| Error::Bench(format!("there is no PostgreSQL in {POSTGRES_VERSIONS}")))?;
                Ok(text(&folder.join("bin").join(program)))
            }
        }
    }

    /// The words that make its data. Who comes by the socket needs no password.
    pub(crate) fn initialiser(self, folder: &Path, tls: Option<&DatabaseTls>) -> Result<Vec<String>, Error> {
        let data = text(&folder.join("data"));
        Ok(match (self, tls) {
            (Self::Postgres, Some(tls)) => owned(&[
                &self.path_of("initdb")?,
                &format!("--pgdata={data}"),
                &format!("--username={}", self.user()),
                "--auth-local=trust",
                "--auth-host=scram-sha-256",
                &format!("--pwfile={}", tls.password_file()),
                "--encoding=UTF8",
                "--locale=C",
            ]),
            (Self::MariaDb, _) => owned(&[
                "mariadb-install-db",
                "--no-defaults",
                &format!("--datadir={data}"),
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                "--skip-name-resolve",
            ]),
            (Self::Postgres, None) => owned(&[
                &self.path_of("initdb")?,
                &format!("--pgdata={data}"),
                &format!("--username={}", self.user()),
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C",
            ]),
        })
    }

    /// The words that start it.
    pub(crate) fn starter(self, folder: &Path, tls: Option<&DatabaseTls>) -> Result<Vec<String>, Error> {
        let data = text(&folder.join("data"));
        let port = tls.map_or_else(|| PORT.to_owned(), |tls| tls.port.to_string());
        let settings = self.settings().iter();
        Ok(match self {
            Self::MariaDb => {
                let own = owned(&[
                    self.program(),
                    "--no-defaults",
                    &format!("--datadir={data}"),
                    &format!("--socket={}", text(&self.socket(folder, &port))),
                    &format!("--pid-file={}", text(&folder.join("pid"))),
                    &format!("--tmpdir={}", text(folder)),
                ]);
                let network = match tls {
                    None => owned(&["--skip-networking"]),
                    Some(tls) => owned(&[
                        &format!("--bind-address={ADDRESS}"),
                        &format!("--port={port}"),
                        "--skip-name-resolve",
                        &format!("--init-file={}", tls.file("init.sql")),
                        &format!("--ssl-ca={}", tls.file("cacert.pem")),
                        &format!("--ssl-cert={}", tls.file("server-cert.pem")),
                        &format!("--ssl-key={}", tls.file("server-key.pem")),
                    ]),
                };
                own.into_iter().chain(network).chain(settings.map(|setting| format!("--{setting}"))).collect()
            }
            Self::Postgres => {
                let (folder, port) =
                    (format!("unix_socket_directories={}", text(folder)), format!("port={port}"));
                // Nothing in /dev/shm that a kill would leave.
                let mut own = owned(&[&folder, &port, "dynamic_shared_memory_type=mmap"]);
                own.extend(match tls {
                    None => owned(&["listen_addresses="]),
                    Some(tls) => owned(&[
                        &format!("listen_addresses={ADDRESS}"),
                        "ssl=on",
                        &format!("ssl_cert_file={}", tls.file("server-cert.pem")),
                        &format!("ssl_key_file={}", tls.file("server-key.pem")),
                    ]),
                });
                let program = [self.path_of(self.program())?, "-D".to_owned(), data];
                let all = own.into_iter().chain(settings.map(|setting| (*setting).to_owned()));
                program.into_iter().chain(all.flat_map(|set| ["-c".to_owned(), set])).collect()
            }
        })
    }

    /// Whether it lets clients in: MariaDB's greeting has the version of the protocol, 10, behind its head (a server that
    /// lets nobody in yet sends an error); PostgreSQL says so in the eighth line of a file (`pidfile.h`).
    pub(crate) fn is_ready(self, folder: &Path, process: u32) -> bool {
        match self {
            Self::MariaDb => {
                let greeting = || {
                    let mut stream = UnixStream::connect(self.socket(folder, PORT))?;
                    stream.set_read_timeout(Some(Duration::from_millis(500)))?;
                    let mut bytes = [0; 5];
                    stream.read_exact(&mut bytes)?;
                    Ok::<_, std::io::Error>(bytes[4] == 10)
                };
                greeting().unwrap_or(false)
            }
            Self::Postgres => {
                let says = fs::read_to_string(folder.join("data/postmaster.pid")).unwrap_or_default();
                let line = |number: usize| says.lines().nth(number).map(str::trim);
                line(0) == Some(process.to_string().as_str()) && line(7) == Some("ready")
            }
        }
    }
}

/// The folder of the newest version in `folder`.
fn newest_version(folder: &Path) -> Option<PathBuf> {
    let version = |path: &PathBuf| {
        let numbers = path.file_name()?.to_str()?.split('.').map(|part| part.parse().ok());
        numbers.collect::<Option<Vec<u32>>>()
    };
    let all = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let known = all.filter_map(|path| Some((version(&path)?, path)));
    known.max_by(|one, other| one.0.cmp(&other.0)).map(|(_, path)| path)
}

/// The word with the version: the first that begins with a digit.
pub(crate) fn version_of(says: &str) -> Option<&str> {
    says.split_whitespace().find(|word| word.starts_with(|first: char| first.is_ascii_digit()))
}

/// A path as a word.
pub(crate) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Words of our own.
pub(crate) fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_is_that_of_the_largest_number() {
        let place = tempfile::tempdir().unwrap();
        for version in ["9.6", "15", "9.10", "old"] {
            fs::create_dir(place.path().join(version)).unwrap();
        }
        assert_eq!(newest_version(place.path()), Some(place.path().join("15")));
        assert_eq!(newest_version(&place.path().join("old")), None);
    }

    #[test]
    fn versions_are_read_from_real_answers() {
        let maria = "mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian n/a)";
        assert_eq!(version_of(maria), Some("10.11.19-MariaDB-0+deb12u1"));
        assert_eq!(version_of("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"), Some("15.18"));
        assert_eq!(version_of("no"), None);
    }

    #[test]
    fn a_server_listens_at_no_port() {
        let folder = Path::new("/x");
        let maria = DatabaseProduct::MariaDb.starter(folder, None).unwrap();
        for word in ["--skip-networking", "--socket=/x/socket", "--innodb_flush_log_at_trx_commit=2"] {
            assert!(maria.contains(&word.to_owned()), "{maria:?}");
        }
        match DatabaseProduct::Postgres.starter(folder, None) {
            Ok(postgres) => {
                assert!(postgres.windows(2).any(|two| two == ["-c", "listen_addresses="]), "{postgres:?}")
            }
            Err(why) => println!("skipped: {why}"),
        }
    }
}
