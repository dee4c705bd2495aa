//! What the URL of a database says: `sqlite:`, `mysql://USER@HOST:PORT/DATABASE?OPTION=VALUE`, `postgres://...`.

use std::fmt;

use model::plan::Problem;

/// What kind of database it is: which dialect of SQL, and how it is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workload) enum DatabaseSystem {
    /// SQLite, in this process.
    Sqlite,
    /// A server that speaks the protocol of MySQL: MariaDB too.
    MySql,
    /// PostgreSQL.
    Postgres,
}

impl DatabaseSystem {
    /// As the scheme of a URL says it.
    fn of_scheme(scheme: &str) -> Option<Self> {
        Some(match scheme {
            "sqlite" => Self::Sqlite,
            "mysql" | "mariadb" => Self::MySql,
            "postgres" | "postgresql" => Self::Postgres,
            _ => return None,
        })
    }

    /// The scheme of its URLs.
    pub(in crate::workload) fn scheme(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::MySql => "mysql",
            Self::Postgres => "postgres",
        }
    }
}

/// Where a database is, and as whom and how it is spoken to. It has no password: a URL is a parameter, which every
/// report shows, and so one with a password is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::workload) struct DatabaseUrl {
    pub(in crate::workload) system: DatabaseSystem,
    /// As whom; empty where nobody is named.
    pub(in crate::workload) user: String,
    /// A name or an address, one of IPv6 without its brackets; empty where none is named.
    pub(in crate::workload) host: String,
    pub(in crate::workload) port: Option<u16>,
    /// Which of the server's databases; of SQLite the path of the file, empty for one of our own.
    pub(in crate::workload) database: String,
    /// What stands behind the question mark.
    pub(in crate::workload) options: Vec<(String, String)>,
    /// What a server is called that this run started; none of any other.
    pub(in crate::workload) started: Option<&'static str>,
}

impl DatabaseUrl {
    /// What `text` says.
    ///
    /// # Errors
    /// If it is no URL of a database, or has a password. The message does not repeat the text, which may have one.
    pub(in crate::workload) fn parse(text: &str) -> Result<Self, Problem> {
        let (scheme, rest) = text.split_once(':').ok_or_else(|| wrong("it has no scheme"))?;
        let system = DatabaseSystem::of_scheme(scheme)
            .ok_or_else(|| wrong("its scheme is none of sqlite, mysql, mariadb and postgres"))?;
        let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
        let options = options
            .split('&')
            .filter(|option| !option.is_empty())
            .map(option)
            .collect::<Result<Vec<_>, _>>()?;
        let bare = |database: &str| Self {
            system,
            user: String::new(),
            host: String::new(),
            port: None,
            database: database.to_owned(),
            options,
            started: None,
        };
        if system == DatabaseSystem::Sqlite {
            return Ok(bare(place));
        }
        let place =
            place.strip_prefix("//").ok_or_else(|| wrong("`//` and a host do not follow its scheme"))?;
        let (authority, database) = place.split_once('/').unwrap_or((place, ""));
        let (user, address) = authority.rsplit_once('@').unwrap_or(("", authority));
        if user.contains(':') {
            return Err(Problem::invalid(
                "the url has a password, which every report would show",
                "leave it out, and give it by the environment or in a file",
            ));
        }
        let (host, port) = host_and_port(address)?;
        Ok(Self { user: decoded(user)?, host, port, ..bare(&decoded(database)?) })
    }

    /// What messages call it: as it was written, or, of a server that this run started, which one that is. Where its socket
    /// is says nothing to anybody (`/proc/self/fd/9/socket`).
    pub(in crate::workload) fn who(&self) -> String {
        match self.started {
            Some(name) => format!("the {name} that this run started"),
            None => self.to_string(),
        }
    }
}

/// As it was written, but for the way of writing.
impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.system.scheme())?;
        if self.system != DatabaseSystem::Sqlite {
            f.write_str("//")?;
            if !self.user.is_empty() {
                write!(f, "{}@", encoded(&self.user))?;
            }
            let is_ipv6 = self.host.contains(':') && !self.host.contains('/');
            if is_ipv6 {
                write!(f, "[{}]", self.host)?;
            } else {
                f.write_str(&encoded(&self.host))?;
            }
            if let Some(port) = self.port {
                write!(f, ":{port}")?;
            }
            write!(f, "/{}", encoded(&self.database))?;
        } else {
            f.write_str(&self.database)?;
        }
        for (place, (name, value)) in self.options.iter().enumerate() {
            let mark = if place == 0 { '?' } else { '&' };
            write!(f, "{mark}{}={}", encoded(name), encoded(value))?;
        }
        Ok(())
    }
}

/// With percent signs for what has a meaning of its own in a URL (RFC 3986, section 2.2), so that it is read again as
/// what it was.
fn encoded(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '%' | '/' | '?' | '#' | '&' | '=' | '@' | ':' | '[' | ']' | ' ') {
            all.push_str(&format!("%{:02x}", u32::from(character)));
        } else {
            all.push(character);
        }
    }
    all
}

fn wrong(why: &str) -> Problem {
    Problem::invalid(
        format!("the url is none of a database: {why}"),
        "write it as sqlite:, mysql://user@host:port/database or postgres://user@host:port/database",
    )
}

fn option(text: &str) -> Result<(String, String), Problem> {
    let (name, value) = text.split_once('=').ok_or_else(|| wrong("an option has no value"))?;
    if name.to_ascii_lowercase().contains("password") {
        return Err(Problem::invalid(
            "the url has a password among its options, which every report would show",
            "leave it out, and give it by the environment or in a file",
        ));
    }
    Ok((decoded(name)?, decoded(value)?))
}

fn host_and_port(address: &str) -> Result<(String, Option<u16>), Problem> {
    let (host, port) = match address.strip_prefix('[') {
        Some(rest) => {
            let (host, behind) = rest.split_once(']').ok_or_else(|| wrong("a bracket is not closed"))?;
            (host, behind.strip_prefix(':'))
        }
        None => address.split_once(':').map_or((address, None), |(host, port)| (host, Some(port))),
    };
    let port = port.map(|port| port.parse().map_err(|_| wrong("its port is none"))).transpose()?;
    Ok((decoded(host)?, port))
}

/// Without the percent signs of RFC 3986, section 2.1.
///
/// # Errors
/// If two digits do not follow one, or it is no UTF-8.
pub(in crate::workload) fn decoded(text: &str) -> Result<String, Problem> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let digit =
            |byte: Option<u8>| char::from(byte?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        bytes.push(match byte {
            b'%' => match (digit(rest.next()), digit(rest.next())) {
                (Some(high), Some(low)) => high << 4 | low,
                _ => return Err(wrong("a percent sign is not followed by two digits")),
            },
            other => other,
        });
    }
    String::from_utf8(bytes).map_err(|_| wrong("it is no UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_says_where_and_as_whom() {
        let url =
            DatabaseUrl::parse("mysql://bench%40here@db.example:3307/sb%20test?tls=verify&charset=utf8mb4")
                .unwrap();
        assert_eq!(
            (url.system, url.user.as_str(), url.host.as_str()),
            (DatabaseSystem::MySql, "bench@here", "db.example")
        );
        assert_eq!((url.port, url.database.as_str()), (Some(3307), "sb test"));
        assert_eq!(url.options[0], ("tls".to_owned(), "verify".to_owned()));
        let six = DatabaseUrl::parse("postgres://[::1]:5433/x").unwrap();
        assert_eq!(
            (six.host.as_str(), six.port, six.to_string().as_str()),
            ("::1", Some(5433), "postgres://[::1]:5433/x")
        );
        assert_eq!(
            url.to_string(),
            "mysql://bench%40here@db.example:3307/sb%20test?tls=verify&charset=utf8mb4"
        );
        let socket = DatabaseUrl::parse("postgres://me@%2Frun%2Fpostgresql/x?ca-file=%2Fca.pem").unwrap();
        assert_eq!((socket.host.as_str(), socket.port), ("/run/postgresql", None));
        assert_eq!(DatabaseUrl::parse(&socket.to_string()), Ok(socket));
        let bare = DatabaseUrl::parse("postgresql://here").unwrap();
        assert_eq!((bare.host.as_str(), bare.port, bare.database.as_str()), ("here", None, ""));
        assert_eq!(DatabaseUrl::parse("sqlite:").unwrap().database, "");
        assert_eq!(DatabaseUrl::parse("sqlite:/data/a b.db").unwrap().to_string(), "sqlite:/data/a b.db");
    }

    #[test]
    fn a_password_is_refused_and_not_repeated() {
        for text in [
            "mysql://me:hunter2@here/x",
            "mysql://me:hun@ter2@here/x",
            "postgres://me@here/x?password=hunter2",
            "oracle://me:hunter2@here/x",
            "hunter2",
        ] {
            let problem = DatabaseUrl::parse(text).unwrap_err();
            let told = format!("{} {}", problem.message, problem.help);
            assert!(!told.contains("hunter2") && !told.contains("ter2"), "{told}");
        }
    }

    #[test]
    fn a_server_that_was_started_is_called_by_its_name() {
        let named = DatabaseUrl::parse("mysql://me@here/x").unwrap();
        assert_eq!(named.who(), "mysql://me@here/x");
        let host = "/proc/self/fd/9/socket".to_owned();
        let started = DatabaseUrl { host, started: Some("MariaDB"), ..named };
        assert_eq!(started.who(), "the MariaDB that this run started");
    }

    #[test]
    fn what_is_no_url_of_a_database_is_told() {
        for (text, why) in [
            ("here", "no scheme"),
            ("http://here", "scheme is none of"),
            ("mysql:here", "do not follow"),
            ("mysql://here:x/y", "port"),
            ("mysql://[::1/y", "bracket"),
            ("mysql://he%re/y", "percent"),
            ("mysql://here/y?tls", "no value"),
        ] {
            let problem = DatabaseUrl::parse(text).unwrap_err();
            assert!(problem.message.contains(why), "{text}: {problem:?}");
        }
    }
}
