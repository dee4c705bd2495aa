//! Where the server of a load is: a URL names it, or it is one of ours that is started for the load.

use std::path::{Path, PathBuf};

use engine::fault::Fault;
use model::plan::{FixtureKey, Problem};
use model::{FactName, Parameters, Value};

use crate::fixture::FixtureStore;
use crate::host::HostInfo;
use crate::workload::db::password::{self, Password};
use crate::workload::db::server::running::running;
use crate::workload::db::server::variables::{self, ServerVariable};
use crate::workload::db::server::{PrivateServer, ServerRequest};
use crate::workload::db::url::{DatabaseSystem, DatabaseUrl};
use crate::workload::named;

/// The server of a load.
#[derive(Clone, Debug)]
pub(in crate::workload) struct ServerHome {
    /// Of one that is started it says the system only.
    pub(in crate::workload) url: DatabaseUrl,
    password_file: Option<PathBuf>,
    /// The one that is started.
    request: Option<ServerRequest>,
    /// Its folder; none where none is started.
    target: Vec<String>,
    variables: Vec<ServerVariable>,
    /// Whether they are set for the whole server, which is not ours.
    pub(in crate::workload) sets_globally: bool,
}

impl ServerHome {
    /// The one that `parameters` name, of which `url` is one; none where the database is no server's.
    ///
    /// # Errors
    /// If they name two, or set variables of what has none.
    pub(in crate::workload) fn of(
        parameters: &Parameters,
        url: &DatabaseUrl,
    ) -> Result<Option<Self>, Problem> {
        let request = ServerRequest::of(parameters)?;
        let variables = variables::of(parameters)?;
        let names_server = url.system != DatabaseSystem::Sqlite;
        let url = match &request {
            Some(_) if names_server || !url.database.is_empty() => {
                return Err(Problem::invalid(
                    format!("start and the url {url} both say which database it is"),
                    "leave one of them out",
                ));
            }
            Some(request) => DatabaseUrl { system: request.system(), ..url.clone() },
            None if names_server => url.clone(),
            None if variables.is_empty() => return Ok(None),
            None => {
                return Err(Problem::invalid(
                    "SQLite has no variables of a server",
                    "give start or the url of a server, or leave server-variables out",
                ));
            }
        };
        let text = |name: &'static str| {
            parameters.get(named(name)).map(|_| parameters.text(named(name))).transpose()
        };
        let password_file = text("password-file")?.map(PathBuf::from);
        let target = match &request {
            Some(_) => text("target")?.map(str::to_owned).into_iter().collect(),
            None => Vec::new(),
        };
        let allows = parameters.given(named(variables::ALLOWANCE), Parameters::flag)?;
        let sets_globally = request.is_none() && allows == Some(true);
        Ok(Some(Self { url, password_file, request, target, variables, sets_globally }))
    }

    /// The folder of one that is started.
    pub(in crate::workload) fn targets(&self) -> &[String] {
        &self.target
    }

    /// What is made to start it, where it is started.
    pub(in crate::workload) fn fixture(&self) -> Option<FixtureKey> {
        Some(self.request.as_ref()?.key(self.target.first()?))
    }

    /// Looks whether one can be started, with `data_bytes` of tables; its folder has its whole path then. Returns how
    /// much memory it takes, that of its folder if that is some.
    ///
    /// # Errors
    /// Why it cannot.
    pub(in crate::workload) fn survey(&mut self, data_bytes: u64, host: &HostInfo) -> Result<u64, Problem> {
        if let Some(file) = &self.password_file {
            password::check_file(file)?;
        }
        let (Some(request), Some(target)) = (&self.request, self.target.first_mut()) else { return Ok(0) };
        let folder = Path::new(target.as_str());
        if !folder.is_dir() {
            return Err(Problem::invalid(format!("{target} is no folder"), "give an existing folder"));
        }
        let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let memory_bytes = request.survey(&whole, data_bytes, host)?;
        *target = whole.to_string_lossy().into_owned();
        Ok(memory_bytes)
    }

    /// What a fixture on it needs to reach it.
    pub(in crate::workload) fn details(&self) -> serde_json::Value {
        serde_json::json!({ "server": self.fixture(), "password_file": self.password_file })
    }

    /// Where tables are: a folder, or a URL.
    pub(in crate::workload) fn place(&self) -> String {
        self.target.first().cloned().unwrap_or_else(|| self.url.to_string())
    }

    /// The statements with which each session begins: a server that we started has its variables already, and one whose
    /// variables are set globally has them then.
    pub(in crate::workload) fn session_statements(&self) -> Vec<String> {
        if self.request.is_some() || self.sets_globally {
            return Vec::new();
        }
        variables::session_statements(self.url.system, &self.variables)
    }

    /// The variables that it, or each session, was given.
    pub(in crate::workload) fn variables(&self) -> &[ServerVariable] {
        &self.variables
    }

    /// Starts the one that was started again, with nothing of its data in memory; the share of its files that the page cache
    /// held before that, where that is known.
    ///
    /// # Errors
    /// If it is none of ours, or does not come up.
    pub(in crate::workload) fn begin_cold(
        &self,
        fixtures: &FixtureStore,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<f64>, Fault> {
        let made = self.fixture().and_then(|key| fixtures.find::<PrivateServer>(&key));
        made.ok_or_else(|| Fault::Other("the server was not started".to_owned()))?.begin_cold(goes_on)
    }

    /// What is known of one that was started.
    pub(in crate::workload) fn facts(&self, fixtures: &FixtureStore) -> Vec<(FactName, Value)> {
        let made = self.fixture().and_then(|key| fixtures.find::<PrivateServer>(&key));
        made.map_or_else(Vec::new, PrivateServer::facts)
    }
}

/// Whether these [`ServerHome::details`] are of a server that is started.
pub(in crate::workload) fn is_started(details: &serde_json::Value) -> bool {
    !details["server"].is_null()
}

/// The server at `place` with these [`ServerHome::details`]: where it is, and with which password.
///
/// # Errors
/// If it was not started, or the password cannot be read.
pub(in crate::workload) fn reach(
    place: &str,
    details: &serde_json::Value,
) -> Result<(DatabaseUrl, Option<Password>), Fault> {
    if !is_started(details) {
        let url = DatabaseUrl::parse(place)?;
        let password = password::find(&url, details["password_file"].as_str().map(Path::new))?;
        return Ok((url, password));
    }
    let server: FixtureKey = serde_json::from_value(details["server"].clone())
        .map_err(|e| Fault::Other(format!("this agent does not know where a database is to be: {e}")))?;
    let reached = running(&server).ok_or_else(|| Fault::Other("the server was not started".to_owned()))?;
    Ok((reached.url, Some(reached.password)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home(given: &[(&'static str, &str)], url: &str) -> Result<Option<ServerHome>, Problem> {
        let mut parameters = Parameters::default();
        for (name, value) in given {
            parameters.set(named(name), *value);
        }
        ServerHome::of(&parameters, &DatabaseUrl::parse(url).unwrap())
    }

    #[test]
    fn a_server_is_named_or_started_and_never_both() {
        let none = home(&[("start", "no"), ("target", ".")], "sqlite:").unwrap();
        assert!(none.is_none());
        let named = home(&[("password-file", "/x")], "mysql://me@here/y").unwrap().unwrap();
        assert!(named.targets().is_empty() && named.fixture().is_none());
        assert_eq!(named.place(), "mysql://me@here/y");
        assert_eq!(named.details()["password_file"], "/x");
        let started = home(&[("start", "postgres"), ("target", "/data")], "sqlite:").unwrap().unwrap();
        assert_eq!((started.url.system, started.place().as_str()), (DatabaseSystem::Postgres, "/data"));
        assert_eq!(started.fixture().unwrap().target, "/data");
        let both = home(&[("start", "mariadb"), ("target", ".")], "postgres://here/x").unwrap_err();
        assert!(both.message.contains("both say"), "{both:?}");
        let idle = home(&[("server-variables", "fsync=off")], "sqlite:").unwrap_err();
        assert!(idle.message.contains("no variables"), "{idle:?}");
    }

    #[test]
    fn variables_are_of_sessions_where_the_server_is_not_ours() {
        let given = ("server-variables", "synchronous_commit=off");
        let session = home(&[given], "postgres://here/x").unwrap().unwrap();
        assert_eq!(session.session_statements(), ["SET synchronous_commit = 'off'"]);
        let mut allowed = Parameters::default();
        allowed.set(named("server-variables"), given.1);
        allowed.set(named(variables::ALLOWANCE), true);
        let url = DatabaseUrl::parse("postgres://here/x").unwrap();
        let global = ServerHome::of(&allowed, &url).unwrap().unwrap();
        assert!(global.sets_globally && global.session_statements().is_empty());
        let started = home(&[given, ("start", "postgres"), ("target", ".")], "sqlite:").unwrap().unwrap();
        assert!(started.session_statements().is_empty() && started.variables().len() == 1);
    }

    #[test]
    fn a_fixture_reaches_a_server_only_while_it_runs() {
        let started = home(&[("start", "mariadb"), ("target", "/data")], "sqlite:").unwrap().unwrap();
        let told = reach(&started.place(), &started.details()).unwrap_err();
        assert_eq!(told.to_string(), "the server was not started");
        let named = home(&[], "postgres://me@here/x").unwrap().unwrap();
        let (url, password) = reach(&named.place(), &named.details()).unwrap();
        assert_eq!(url.to_string(), "postgres://me@here/x");
        assert!(password.is_none());
    }
}
