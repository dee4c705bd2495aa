//! What a person types, and what they read: the only crate that prints and
//! exits. The program is [`main`]; the commands are one file each.

mod accept_nodes;
pub mod browser;
mod command;
mod database_passwords;
mod exit;
mod interval_lines;
mod live_progress;
mod mask_keys;
mod operation_log;
mod output;
mod peer;
mod progress;
mod redact_args;
mod show;
mod signals;
mod static_names;
mod tool_hints;
mod unknown_option;
mod unknown_study;
mod version;

use std::ffi::OsString;
use std::process::ExitCode;

pub use command::command_line;
pub use exit::Failure;

/// What a program has beside what Headroom brings.
#[derive(Clone, Copy, Default)]
pub struct Tables {
    /// Its workloads.
    pub workloads: &'static [&'static dyn load::workload::Workload],
    /// The kinds of fixtures that these need.
    pub fixtures: &'static [load::fixture::FixtureKind],
    /// What they, their parameters, operations and metrics are called, as Fluent; English
    /// stands with them.
    pub words: &'static [(language::Language, &'static str)],
}

impl std::fmt::Debug for Tables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tables").finish_non_exhaustive()
    }
}

/// As [`main`], with workloads of its own. The program is its own agent, so it must
/// do nothing else when it is called as one.
#[must_use]
pub fn main_with(arguments: impl IntoIterator<Item = OsString>, tables: Tables) -> ExitCode {
    load::workload::add(tables.workloads, tables.fixtures);
    language::add(tables.words);
    main(arguments)
}

/// Runs the program with `arguments`, the first of which is its name.
#[must_use]
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    let _ = redact_args::cover();
    if let Some(code) = without_command(&arguments) {
        return code;
    }
    static_names::keep_to_files_and_dns();
    let own = database_passwords::own_words(&arguments);
    let passwords = match database_passwords::take(&mut arguments[..own]) {
        Ok(passwords) => passwords,
        Err(failure) => return show::failure(&failure),
    };
    if arguments.get(1).is_some_and(|word| word == "run") {
        // SAFETY: this is the first that the program does, and no thread was started yet.
        unsafe { database_passwords::hand_over(&passwords) };
    }
    if arguments.get(1).is_some_and(|word| word == "restore") {
        load::workload::db::password::give(&passwords);
    }
    if arguments.get(1).is_some_and(|word| word == "schedule") && !passwords.is_empty() {
        return show::failure(&exit::Failure::refused(
            "a unit would have the password of a database in it, and everybody may read a unit",
            "keep it in a file that only you may read: --password-file PATH",
        ));
    }
    // For messages, and to be kept.
    let typed: Vec<String> = arguments.iter().map(|a| mask_keys::shortened(&a.to_string_lossy())).collect();
    let matches = match command_line().try_get_matches_from(&arguments) {
        Ok(matches) => matches,
        Err(error) => {
            if let Some(meant) = tool_hints::of_line(&error, &typed, &command::offered_command_line()) {
                return show::failure(&meant);
            }
            // Help and version are no errors; the rest are bad arguments.
            show::usage(&error);
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match command::dispatch(&matches, &typed) {
        Ok(code) => code,
        Err(failure) => show::failure(&failure),
    }
}

/// Carries out what no command does: nothing was typed, a shell asks what may be, or the version or the
/// help of a workload was asked for. The version needs none of the tables, so that programs that ask for
/// it need not wait.
fn without_command(arguments: &[OsString]) -> Option<ExitCode> {
    if arguments.len() < 2 {
        output::note(command::help::FIRST_WORDS);
        return Some(ExitCode::from(exit::INVALID));
    }
    let text =
        || version::asked(arguments).or_else(|| command::help::asked(arguments)).map(String::into_bytes);
    let answer = command::completion::asked(arguments).or_else(text)?;
    Some(output::done(answer).unwrap_or_else(|failure| show::failure(&failure)))
}
