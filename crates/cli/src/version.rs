//! `headroom --version`, and with `--verbose` what a report of a fault should begin with: which build this
//! is, what it reads and writes, and on which kernel it runs. Nothing else of the machine is told.

use std::ffi::OsString;

use import::v1::document::SCHEMA_V1;
use model::run::SCHEMA;

/// The version of this program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The commit that it was built of; known where the build said so in `HEADROOM_COMMIT`, as `cargo xtask
/// dist` does.
const COMMIT: Option<&str> = option_env!("HEADROOM_COMMIT");

/// The version, as `arguments` ask for it; nothing if they are about something else.
pub(crate) fn asked(arguments: &[OsString]) -> Option<String> {
    let words: Vec<&str> = arguments.iter().skip(1).map_while(|word| word.to_str()).collect();
    if words.len() + 1 != arguments.len() {
        return None;
    }
    let is_version = |word: &&str| ["--version", "-V"].contains(word);
    let is_verbose = |word: &&str| ["--verbose", "-v"].contains(word);
    let is_both = |word: &&str| ["-vV", "-Vv"].contains(word);
    let is_asked = words.iter().any(|word| is_version(word) || is_both(word));
    if !is_asked || !words.iter().all(|word| is_version(word) || is_verbose(word) || is_both(word)) {
        return None;
    }
    Some(match words.iter().any(|word| is_verbose(word) || is_both(word)) {
        true => verbose(),
        false => format!("headroom {VERSION}\n"),
    })
}

/// All of it, a line each.
fn verbose() -> String {
    let build = if cfg!(debug_assertions) { "with debug assertions" } else { "optimised" };
    let library = match () {
        () if cfg!(target_env = "gnu") => "glibc",
        () if cfg!(target_env = "musl") => "musl",
        () => "another C library",
    };
    let linked = if cfg!(target_feature = "crt-static") { "static" } else { "dynamic" };
    let kernel = rustix::system::uname();
    let rows = [
        ("commit", COMMIT.unwrap_or("unknown").to_owned()),
        ("target", env!("HEADROOM_TARGET").to_owned()),
        ("build", format!("{build}, {library}, {linked}")),
        ("documents", format!("writes {SCHEMA}, reads {SCHEMA_V1} and {SCHEMA}")),
        ("nodes", format!("protocol {}", ::node::PROTOCOL)),
        (
            "kernel",
            format!(
                "{} {} {}",
                kernel.sysname().to_string_lossy(),
                kernel.release().to_string_lossy(),
                kernel.machine().to_string_lossy()
            ),
        ),
    ];
    let lines = rows.map(|(name, value)| format!("{name:<10} {}\n", report::text::printable(&value)));
    format!("headroom {VERSION}\n{}", lines.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked_by(line: &str) -> Option<String> {
        asked(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn one_line_says_the_version_and_several_say_the_build() {
        let version = format!("headroom {VERSION}\n");
        for typed in ["headroom --version", "headroom -V"] {
            assert_eq!(asked_by(typed).as_ref(), Some(&version), "{typed}");
        }
        for typed in ["headroom --version --verbose", "headroom -v -V", "headroom -Vv", "headroom -vV"] {
            let told = asked_by(typed).unwrap();
            assert!(told.starts_with(&version), "{told}");
            let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
            for says in [kernel.trim(), SCHEMA, SCHEMA_V1, std::env::consts::ARCH] {
                assert!(told.contains(says), "no {says}: {told}");
            }
            assert!(told.lines().all(|line| line.len() <= ::report::WIDTH), "{told}");
        }
    }

    #[test]
    fn other_lines_do_not_ask_for_the_version() {
        let others = [
            "headroom",
            "headroom --verbose",
            "headroom run --version",
            "headroom show -V",
            "headroom --version x",
        ];
        for typed in others {
            assert_eq!(asked_by(typed), None, "{typed}");
        }
    }
}
