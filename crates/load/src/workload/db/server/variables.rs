//! Variables of a server that a load sets: of a server of ours as it starts, of another for its own sessions only.
//!
//! They may come from another machine, which drives a node. So none is taken that makes a server run, load, read or
//! write something of that machine's choice, or reach outside of its folder: names that could are refused, and a value
//! is a number or a word.

use engine::fault::Fault;
use model::plan::Problem;
use model::{FactName, Parameters, Value};
use serde::{Deserialize, Serialize};

use crate::workload::db::client::StatementFailure;
use crate::workload::db::url::DatabaseSystem;
use crate::workload::named;

/// The parameter that has them.
pub(in crate::workload) const PARAMETER: &str = "server-variables";

/// The parameter that lets them be set for a whole server that is not ours.
pub(in crate::workload) const ALLOWANCE: &str = "allow-server-settings";

/// A name or a value has so many characters at most.
const LONGEST: usize = 64;

/// Names with one of these in them are refused: commands, libraries, plugins, other servers.
const REFUSED_WITHIN: &[&str] = &[
    "command", "_cmd", "librar", "plugin", "provider", "conninfo", "master", "slave", "replica", "feedback",
];
/// Names that begin so: statements at the start, prefixes by which MariaDB's options are told from others, logs that go
/// elsewhere, debugging.
const REFUSED_BEFORE: &[&str] = &[
    "init_",
    "loose_",
    "skip_",
    "maximum_",
    "enable_",
    "disable_",
    "secure_",
    "wsrep_",
    "ssl",
    "tls",
    "syslog_",
    "general_log",
    "log_error",
    "log_destination",
    "logging_",
    "debug",
    "bootstrap",
];
/// Names that end so: places in the file system.
const REFUSED_BEHIND: &[&str] = &["_file", "dir", "directory", "directories", "_path", "_socket"];
/// What else we say ourselves.
const REFUSED: &[&str] = &[
    "socket",
    "port",
    "bind_address",
    "listen_addresses",
    "user",
    "chroot",
    "defaults",
    "hba",
    "include",
    "log_filename",
    "log_bin_index",
    "relay_log",
    "relay_log_index",
    "networking",
    "unix_socket_group",
    "unix_socket_permissions",
    "dynamic_shared_memory_type",
];

/// A variable and what it is to be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(in crate::workload) struct ServerVariable {
    /// In small letters, with `_`.
    name: String,
    value: String,
}

impl ServerVariable {
    /// `NAME=VALUE`.
    fn parse(text: &str) -> Result<Self, Problem> {
        let wrong = |why: &str| {
            Problem::invalid(
                format!("`{text}` sets no variable of a server: {why}"),
                "write NAME=VALUE, such as innodb_flush_log_at_trx_commit=1; join several with +",
            )
        };
        let (name, value) = text.split_once('=').ok_or_else(|| wrong("there is no `=`"))?;
        let name = name.to_ascii_lowercase().replace('-', "_");
        let is_word = |word: &str, more: &[u8]| {
            let fits = |byte: u8| byte.is_ascii_alphanumeric() || more.contains(&byte);
            !word.is_empty() && word.len() <= LONGEST && word.bytes().all(fits)
        };
        if !is_word(&name, b"_") || !name.starts_with(|first: char| first.is_ascii_lowercase()) {
            return Err(wrong("a name has letters, digits and _"));
        }
        if !is_word(value, b"_.-") {
            return Err(wrong("a value has letters, digits, _, . and -"));
        }
        if is_refused(&name) {
            return Err(Problem::invalid(
                format!("the variable {name} is not set by loads"),
                "it may lead the server out of its folder, or have it run something",
            ));
        }
        Ok(Self { name, value: value.to_owned() })
    }

    /// Its name, which can stand in a statement.
    pub(in crate::workload) fn name(&self) -> &str {
        &self.name
    }

    /// What it is to be.
    pub(in crate::workload) fn value(&self) -> &str {
        &self.value
    }

    /// As an argument of a server that starts.
    pub(in crate::workload) fn assignment(&self) -> String {
        format!("{}={}", self.name, self.value)
    }

    /// Its value in a statement: MySQL takes no number in quotes there, and no unit behind one.
    pub(in crate::workload) fn literal(&self, system: DatabaseSystem) -> String {
        match amount(&self.value) {
            Some(number) if system == DatabaseSystem::MySql => number.to_string(),
            _ => format!("'{}'", self.value),
        }
    }

    /// The statement that sets it for a session.
    fn for_session(&self, system: DatabaseSystem) -> String {
        let (name, literal) = (&self.name, self.literal(system));
        match system {
            DatabaseSystem::MySql => format!("SET SESSION {name} = {literal}"),
            _ => format!("SET {name} = {literal}"),
        }
    }
}

fn is_refused(name: &str) -> bool {
    REFUSED.contains(&name)
        || REFUSED_WITHIN.iter().any(|part| name.contains(part))
        || REFUSED_BEFORE.iter().any(|front| name.starts_with(front))
        || REFUSED_BEHIND.iter().any(|end| name.ends_with(end))
}

/// Those that `parameters` set, in the order of their names.
///
/// # Errors
/// If one is none that may be set, or is there twice.
pub(in crate::workload) fn of(parameters: &Parameters) -> Result<Vec<ServerVariable>, Problem> {
    if parameters.get(named(PARAMETER)).is_none() {
        return Ok(Vec::new());
    }
    let texts = parameters.texts(named(PARAMETER))?;
    let mut all = texts.into_iter().map(ServerVariable::parse).collect::<Result<Vec<_>, _>>()?;
    all.sort();
    match all.windows(2).find(|pair| pair[0].name == pair[1].name) {
        Some(pair) => Err(Problem::invalid(
            format!("the variable {} is set twice", pair[0].name),
            "give one value; a comma makes levels",
        )),
        None => Ok(all),
    }
}

/// The statements that set them for a session: of a server that is not ours.
pub(in crate::workload) fn session_statements(system: DatabaseSystem, all: &[ServerVariable]) -> Vec<String> {
    all.iter().map(|variable| variable.for_session(system)).collect()
}

/// The rows of an answer as texts; none for NULL.
type TextRows = Vec<Vec<Option<String>>>;

/// Asks for them over `query`, in a session where they were set; returns them as facts, as the server says them. A
/// server may take another value than the one that was asked for (MariaDB rounds sizes): that is a fact of its own.
///
/// # Errors
/// If it does not answer, or has no variable of that name.
pub(in crate::workload) fn read_back(
    system: DatabaseSystem,
    all: &[ServerVariable],
    query: &mut dyn FnMut(&str) -> Result<TextRows, StatementFailure>,
) -> Result<Vec<(FactName, Value)>, Fault> {
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<_> = all.iter().map(|variable| format!("'{}'", variable.name)).collect();
    let names = names.join(", ");
    let text = match system {
        DatabaseSystem::MySql => format!("SHOW VARIABLES WHERE Variable_name IN ({names})"),
        _ => format!("SELECT name, current_setting(name) FROM pg_settings WHERE name IN ({names})"),
    };
    let rows = query(&text).map_err(|failure| Fault::Other(failure.message))?;
    let (mut told, mut adjusted) = (Vec::new(), Vec::new());
    for variable in all {
        let row = rows.iter().find(|row| {
            row.first().is_some_and(|name| {
                name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(&variable.name))
            })
        });
        let found = row.and_then(|row| row.get(1)?.as_deref());
        let found =
            found.ok_or_else(|| Fault::Other(format!("the server has no variable {}", variable.name)))?;
        if !is_same(&variable.value, found) {
            adjusted.push(format!("{} for {}", found, variable.assignment()));
        }
        told.push(format!("{}={found}", variable.name));
    }
    let mut facts = vec![(FactName::new("server_variables"), Value::Text(told.join(", ")))];
    if !adjusted.is_empty() {
        facts.push((FactName::new("server_variables_adjusted"), Value::Text(adjusted.join(", "))));
    }
    Ok(facts)
}

/// Whether both say the same value.
fn is_same(asked: &str, found: &str) -> bool {
    let flag = |text: &str| match text.to_ascii_lowercase().as_str() {
        "on" | "1" | "true" | "yes" => Some(true),
        "off" | "0" | "false" | "no" => Some(false),
        _ => None,
    };
    let both = |one: Option<bool>, other: Option<bool>| one.is_some() && one == other;
    asked.eq_ignore_ascii_case(found)
        || both(flag(asked), flag(found))
        || amount(asked).is_some_and(|asked| amount(found) == Some(asked))
}

/// A number with a binary unit behind it, as both systems write sizes.
fn amount(text: &str) -> Option<f64> {
    let digits = text.trim_end_matches(|last: char| last.is_ascii_alphabetic());
    let unit = text[digits.len()..].to_ascii_lowercase();
    let factor = match unit.trim_end_matches('b') {
        "" => 1.0,
        "k" => 1024.0,
        "m" => 1024.0 * 1024.0,
        "g" => 1024.0 * 1024.0 * 1024.0,
        "t" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    Some(digits.parse::<f64>().ok()? * factor)
}

/// Bytes that the variable of this name asks for, if it is there.
pub(super) fn bytes_of(all: &[ServerVariable], name: &str) -> Option<u64> {
    let found = all.iter().find(|variable| variable.name == name)?;
    let bytes = amount(&found.value).filter(|bytes| *bytes >= 0.0)?;
    // Whole, as far as a float can say it.
    Some(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(texts: &[&str]) -> Parameters {
        let mut parameters = Parameters::default();
        let parts = texts.iter().map(|text| Value::Text((*text).to_owned())).collect();
        parameters.set(named(PARAMETER), Value::List(parts));
        parameters
    }

    #[test]
    fn variables_are_read_and_written_for_each_system() {
        let all =
            of(&parameters(&["Sync-Binlog=1", "innodb_flush_log_at_trx_commit=0", "work_mem=64MB"])).unwrap();
        let arguments: Vec<_> = all.iter().map(ServerVariable::assignment).collect();
        assert_eq!(arguments, ["innodb_flush_log_at_trx_commit=0", "sync_binlog=1", "work_mem=64MB"]);
        assert_eq!(bytes_of(&all, "work_mem"), Some(64 << 20));
        let mine = session_statements(DatabaseSystem::MySql, &all[1..]);
        assert_eq!(mine, ["SET SESSION sync_binlog = 1", "SET SESSION work_mem = 67108864"]);
        let theirs = session_statements(DatabaseSystem::Postgres, &all[1..2]);
        assert_eq!(theirs, ["SET sync_binlog = '1'"]);
        assert_eq!(of(&Parameters::default()), Ok(Vec::new()));
        assert!(of(&parameters(&["a=1", "A=2"])).unwrap_err().message.contains("twice"));
    }

    #[test]
    fn what_leads_out_of_the_folder_or_runs_something_is_refused() {
        for name in [
            "archive_command",
            "restore_command",
            "ssl_passphrase_command",
            "shared_preload_libraries",
            "dynamic_library_path",
            "archive_library",
            "jit_provider",
            "data_directory",
            "unix_socket_directories",
            "external_pid_file",
            "listen_addresses",
            "log_destination",
            "primary_conninfo",
            "datadir",
            "tmpdir",
            "init-file",
            "init_connect",
            "plugin-load",
            "plugin_dir",
            "secure_file_priv",
            "general_log",
            "slow_query_log_file",
            "log_error",
            "wsrep_notify_cmd",
            "loose-innodb_flush_method",
            "skip-grant-tables",
            "bind-address",
            "feedback_url",
        ] {
            let problem = of(&parameters(&[&format!("{name}=x")])).unwrap_err();
            assert!(problem.message.contains("not set by loads"), "{name}: {problem:?}");
        }
        for text in ["x", "=1", "a=", "a=/etc/passwd", "a=1 2", "a=1;b", "a='b'", "a=$(b)", "1a=2", "a b=1"] {
            assert!(of(&parameters(&[text])).unwrap_err().message.contains("sets no variable"), "{text}");
        }
        for name in
            ["innodb_log_file_size", "innodb_file_per_table", "log_bin", "synchronous_commit", "fsync"]
        {
            assert!(of(&parameters(&[&format!("{name}=1")])).is_ok(), "{name}");
        }
    }

    #[test]
    fn what_the_server_made_of_it_is_told() {
        let all =
            of(&parameters(&["innodb_buffer_pool_size=100M", "sync_binlog=1", "autocommit=on"])).unwrap();
        let row = |name: &str, value: &str| vec![Some(name.to_owned()), Some(value.to_owned())];
        let mut asked = String::new();
        let facts = read_back(DatabaseSystem::MySql, &all, &mut |text| {
            text.clone_into(&mut asked);
            Ok(vec![
                row("autocommit", "1"),
                row("Innodb_buffer_pool_size", "134217728"),
                row("sync_binlog", "1"),
            ])
        });
        let facts = facts.unwrap();
        assert!(asked.ends_with("('autocommit', 'innodb_buffer_pool_size', 'sync_binlog')"), "{asked}");
        let text = |place: usize| facts[place].1.to_string();
        assert_eq!(text(0), "autocommit=1, innodb_buffer_pool_size=134217728, sync_binlog=1");
        assert_eq!(text(1), "134217728 for innodb_buffer_pool_size=100M");
        let none = read_back(DatabaseSystem::MySql, &all, &mut |_| Ok(Vec::new())).unwrap_err();
        assert!(none.to_string().contains("has no variable autocommit"), "{none}");
    }

    #[test]
    fn values_are_compared_by_what_they_mean() {
        for (asked, found) in
            [("128MB", "131072kB"), ("1G", "1073741824"), ("on", "ON"), ("yes", "1"), ("0.5", "0.5")]
        {
            assert!(is_same(asked, found), "{asked} {found}");
        }
        for (asked, found) in [("1", "2"), ("on", "off"), ("full", "1"), ("100M", "128M"), ("2", "on")] {
            assert!(!is_same(asked, found), "{asked} {found}");
        }
    }
}
