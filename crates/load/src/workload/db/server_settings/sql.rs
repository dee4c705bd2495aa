//! Global variables of a server in SQL: what one is, making it another, and putting it back.

use std::time::{Duration, Instant};

use engine::fault::Fault;

use crate::workload::db::left::Before;
use crate::workload::db::remote::RemoteSystem;
use crate::workload::db::url::DatabaseSystem;
use crate::workload::db::wire::DatabaseServer;

/// How long PostgreSQL may take to read its configuration anew, and how often it is asked.
const RELOADED_WITHIN: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

/// Where `ALTER SYSTEM` writes (PostgreSQL's documentation, "Setting Parameters").
const WRITTEN_TO: &str = "%/postgresql.auto.conf";

/// Makes a variable what it was before, and looks whether it is.
///
/// # Errors
/// Why it is not.
pub(in crate::workload) fn put_back(
    system: &dyn RemoteSystem,
    server: &DatabaseServer,
    name: &str,
    before: Option<&str>,
) -> Result<(), Fault> {
    let stays = |why: String| {
        let (before, url) = (Before(before), &server.url);
        Fault::Other(format!(
            "the variable {name} of the server at {url} could not be put back to {before}: {why}"
        ))
    };
    if before.is_some_and(|text| !can_be_quoted(server.url.system, text)) {
        return Err(stays("it cannot be written in a statement as it is".to_owned()));
    }
    let literals = match (server.url.system, before) {
        (_, None) => vec![None],
        // A number may be a text, which the server then says.
        (DatabaseSystem::MySql, Some(text)) if text.parse::<f64>().is_ok() => {
            vec![Some(text.to_owned()), Some(quoted(text))]
        }
        (_, Some(text)) => vec![Some(quoted(text))],
    };
    let mut written = Ok(());
    for literal in literals {
        written = write(system, server, name, literal.as_deref());
        if written.is_ok() {
            break;
        }
    }
    written.map_err(|fault| stays(fault.to_string()))?;
    let found = self::before(system, server, name).map_err(|fault| stays(fault.to_string()))?;
    if found.as_deref() == before {
        Ok(())
    } else {
        Err(stays(format!("it is {}", Before(found.as_deref()))))
    }
}

/// The first value that the server answers.
fn first(
    system: &dyn RemoteSystem,
    server: &DatabaseServer,
    question: &str,
) -> Result<Option<String>, Fault> {
    let rows = system.ask(server, question).map_err(|failure| Fault::Other(failure.message))?;
    Ok(rows.into_iter().flatten().next().flatten())
}

/// What has to be put back: the value of a variable, or what `ALTER SYSTEM` had set.
///
/// # Errors
/// If there is no such variable, it takes another start of the server, or it could not be put back as it is.
pub(super) fn before(
    system: &dyn RemoteSystem,
    server: &DatabaseServer,
    name: &str,
) -> Result<Option<String>, Fault> {
    let before = match server.url.system {
        DatabaseSystem::Postgres => {
            let context =
                first(system, server, &format!("SELECT context FROM pg_settings WHERE name = '{name}'"))?;
            match context.as_deref() {
                None => return Err(Fault::Other(format!("the server has no variable {name}"))),
                Some("postmaster" | "internal") => {
                    return Err(Fault::Other(format!("the server takes another {name} only when it starts")));
                }
                Some(_) => {}
            }
            let question = format!(
                "SELECT setting FROM pg_file_settings WHERE name = '{name}' AND sourcefile LIKE '{WRITTEN_TO}' \
                 ORDER BY seqno DESC LIMIT 1"
            );
            first(system, server, &question)?
        }
        _ => Some(read(system, server, name)?),
    };
    match before {
        Some(text) if !can_be_quoted(server.url.system, &text) => Err(Fault::Other(format!(
            "the variable {name} of the server has a value that could not be put back as it is ({text}), so that it is not \
             changed"
        ))),
        other => Ok(other),
    }
}

/// What a variable is in new sessions, as the server says it.
///
/// # Errors
/// If it has none of that name.
pub(super) fn read(system: &dyn RemoteSystem, server: &DatabaseServer, name: &str) -> Result<String, Fault> {
    let question = match server.url.system {
        DatabaseSystem::Postgres => format!("SELECT current_setting('{name}')"),
        _ => format!("SELECT @@global.{name}"),
    };
    let found = first(system, server, &question).map_err(|fault| {
        Fault::Other(format!("the variable {name} of the server cannot be read: {fault}"))
    })?;
    found.ok_or_else(|| Fault::Other(format!("the variable {name} of the server has no value (NULL)")))
}

/// Sets a variable for the whole server; without a value, as if it had never been set.
///
/// # Errors
/// If the server refuses it.
pub(super) fn write(
    system: &dyn RemoteSystem,
    server: &DatabaseServer,
    name: &str,
    literal: Option<&str>,
) -> Result<(), Fault> {
    let told = |what: &str| {
        let failed = |why: String| Fault::Other(format!("the server refused `{what}`: {why}"));
        system.ask(server, what).map(drop).map_err(|failure| failed(failure.message))
    };
    match (server.url.system, literal) {
        (DatabaseSystem::Postgres, _) => {
            let loaded = load_time(system, server)?;
            let change = match literal {
                Some(literal) => format!("ALTER SYSTEM SET {name} = {literal}"),
                None => format!("ALTER SYSTEM RESET {name}"),
            };
            told(&change)?;
            told("SELECT pg_reload_conf()")?;
            await_reload(system, server, &loaded)
        }
        (_, Some(literal)) => told(&format!("SET GLOBAL {name} = {literal}")),
        (_, None) => Err(Fault::Other(format!("it is not known what {name} was"))),
    }
}

/// When PostgreSQL read its configuration.
fn load_time(system: &dyn RemoteSystem, server: &DatabaseServer) -> Result<String, Fault> {
    Ok(first(system, server, "SELECT pg_conf_load_time()")?.unwrap_or_default())
}

/// Waits until a new session has a configuration that was read after `loaded`.
fn await_reload(system: &dyn RemoteSystem, server: &DatabaseServer, loaded: &str) -> Result<(), Fault> {
    let until = Instant::now() + RELOADED_WITHIN;
    while load_time(system, server)? == loaded {
        if Instant::now() >= until {
            let within = RELOADED_WITHIN.as_secs();
            return Err(Fault::Other(format!(
                "the server did not read its configuration anew within {within} s"
            )));
        }
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

/// Fails if PostgreSQL takes a variable from elsewhere than its files: its command line, the role, the database.
///
/// # Errors
/// If it does.
pub(super) fn has_effect(
    system: &dyn RemoteSystem,
    server: &DatabaseServer,
    name: &str,
) -> Result<(), Fault> {
    if server.url.system != DatabaseSystem::Postgres {
        return Ok(());
    }
    let source = first(system, server, &format!("SELECT source FROM pg_settings WHERE name = '{name}'"))?;
    match source.as_deref() {
        Some("configuration file") => Ok(()),
        other => Err(Fault::Other(format!(
            "ALTER SYSTEM has no effect on {name}: the server takes it from elsewhere ({})",
            other.unwrap_or("nobody says where")
        ))),
    }
}

/// Whether a value is the same when it is set in quotes. In PostgreSQL a comma there may be a part of one value, or stand
/// between two.
fn can_be_quoted(system: DatabaseSystem, text: &str) -> bool {
    let fits = |letter: char| {
        !letter.is_control()
            && !matches!(letter, '\'' | '"' | '\\')
            && (letter != ',' || system != DatabaseSystem::Postgres)
    };
    text.chars().all(fits)
}

/// In quotes; it has none.
fn quoted(text: &str) -> String {
    format!("'{text}'")
}
