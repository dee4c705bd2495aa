//! What other tools printed, read into one unit system: `headroom check` and
//! `headroom import`. A text may hold several outputs, with prompts, command lines and prose
//! between them; each is found, and what is not understood is told as such, never guessed.
//!
//! One importer is one file, in the folder of its area, and one line in that area's table. It
//! carries its counting rules: what k, M and G before a unit stand for, with proof.

mod arithmetic;
mod block;
#[cfg(test)]
mod captures;
mod command_line;
mod compute;
mod counting;
mod database;
mod drive;
mod inventory;
mod latency;
mod network;
mod number;
mod option_words;
mod paste;
mod prompt;
mod reader;
mod secret;
mod shell_text;
mod silent_command;
mod storage;
mod system;
mod title;
mod version_banner;
mod web;
mod work;

pub use arithmetic::JsonNode;
pub use block::{ToolBlock, ToolLine};
pub use command_line::CommandLine;
pub use counting::{CountingRule, markdown};
pub use paste::{BLOCK_BYTES_MAX, FIGURES_MAX, JSON_BYTES_MAX, LINE_BYTES_MAX, PasteError, RESULTS_MAX};
pub use reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

use std::io::Read;

use model::ToolOutput;
use model::tool_result::{ToolRemedy, ToolResult};

/// The importers of each area. Where several know the first line of a block, the first that
/// understands all of it has it: those that are surer come first.
const AREAS: &[&[&dyn ToolReader]] = &[
    storage::READERS,
    drive::READERS,
    network::READERS,
    web::READERS,
    database::READERS,
    compute::READERS,
    system::READERS,
    inventory::READERS,
];

/// Every importer, in documentation order.
pub fn readers() -> impl Iterator<Item = &'static dyn ToolReader> + Clone {
    AREAS.iter().copied().flatten().copied()
}

/// Every counting rule.
pub fn counting_rules() -> impl Iterator<Item = &'static CountingRule> {
    readers().flat_map(|reader| reader.counting())
}

/// Reads a text to its end, in memory that does not grow with it but for what is understood.
/// `source` is its name.
///
/// # Errors
/// If it cannot be read, or is no text.
pub fn read(source: &str, input: impl Read) -> Result<ToolOutput, PasteError> {
    paste::read(source, input)
}

/// The command of the same tool with what would make its figure say what it is taken for; `None`
/// where the command is not known, or the tool cannot do it.
#[must_use]
pub fn corrected(result: &ToolResult, remedies: &[ToolRemedy]) -> Option<Vec<String>> {
    if result.command.is_empty() {
        return None;
    }
    let reader = readers().find(|reader| reader.name() == result.tool)?;
    let mut remedies = together(remedies);
    for remedy in &mut remedies {
        if let ToolRemedy::RunFor(seconds) = remedy {
            // Who asked for longer keeps that.
            *seconds = (*seconds).max(asked_seconds(result).unwrap_or(0));
        }
    }
    reader.corrected(result, &remedies).filter(|command| *command != result.command)
}

/// Puts stars in place of the passwords and keys in the words of a command, as far as the words tell.
pub fn hide_secrets(words: &mut [String]) {
    secret::hide_secrets(words);
}

/// Whether a password or a key stands in a command, as far as its words tell. What the shell puts in a word when it runs
/// (`$`, a backtick) is none, but a command that it runs for that may have one.
#[must_use]
pub fn has_secret(command: &str) -> bool {
    let Some(own) = shlex::split(command) else { return false };
    let mut hidden = own.clone();
    secret::hide_secrets(&mut hidden);
    let before = std::iter::once("").chain(own.iter().map(String::as_str));
    own.iter().zip(&hidden).zip(before).any(|((word, hidden), before)| match word.contains(['$', '`']) {
        false => word != hidden,
        // A shell runs it.
        true => before == "-c" && has_secret(word) || within_word(word).any(has_secret),
    })
}

/// The commands whose output becomes a part of a word, each with what follows it.
fn within_word(word: &str) -> impl Iterator<Item = &str> {
    word.split("$(").flat_map(|part| part.split('`')).skip(1)
}

/// How many seconds it was to run, by its options; `None` where they tell no whole number.
fn asked_seconds(result: &ToolResult) -> Option<u32> {
    const NAMES: &[&str] = &["runtime", "max-time", "time", "duration"];
    let told = NAMES.iter().find_map(|name| result.options.get(*name))?;
    let (number, unit) = number::whole(told)?;
    let seconds: u64 = match unit {
        "" | "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        _ => return None,
    };
    number.checked_mul(seconds)?.try_into().ok()
}

/// Remedies of several findings: of the times to run the longest, and every other one once.
fn together(remedies: &[ToolRemedy]) -> Vec<ToolRemedy> {
    let mut all: Vec<ToolRemedy> = Vec::new();
    let mut longest = None;
    for remedy in remedies {
        match remedy {
            ToolRemedy::RunFor(seconds) => longest = longest.max(Some(*seconds)),
            other if all.contains(other) => {}
            other => all.push(*other),
        }
    }
    all.extend(longest.map(ToolRemedy::RunFor));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_with_a_password_is_known() {
        for command in ["curl -u me:x https://h/", "curl -H 'X-API-Key: x' https://h/", "mysql -px -e a"] {
            assert!(has_secret(command), "{command}");
        }
        for command in [
            "mail -s \"$(curl -u me:x https://h/)\" root",
            "mail -s \"`mysql -px -e 'a b'`\" root",
            "mail -s $(date)-$(curl -u me:x https://h/$1) root",
        ] {
            assert!(has_secret(command), "{command}");
        }
        for command in [
            "mail -s 'it is worse' root",
            "curl https://h/a",
            "notify --user me",
            "mail -s \"$(date) `nproc`\" me",
        ] {
            assert!(!has_secret(command), "{command}");
        }
    }

    #[test]
    fn regression_a_longer_time_was_made_shorter() {
        let words = |command: &str| -> Vec<String> { command.split(' ').map(str::to_owned).collect() };
        let after = |asked: &str| {
            let result = ToolResult {
                tool: "fio".to_owned(),
                command: words(&format!("fio --name=a --runtime={asked}")),
                options: [("runtime".to_owned(), asked.to_owned())].into(),
                ..ToolResult::default()
            };
            corrected(&result, &[ToolRemedy::RunFor(300)]).map(|command| command.join(" "))
        };
        assert_eq!(after("60").as_deref(), Some("fio --name=a --runtime=300 --time_based"));
        assert_eq!(after("600s").as_deref(), Some("fio --name=a --runtime=600 --time_based"));
        assert_eq!(after("10m").as_deref(), Some("fio --name=a --runtime=600 --time_based"));
    }

    #[test]
    fn of_several_times_to_run_the_longest_counts() {
        let remedies = [
            ToolRemedy::RunFor(60),
            ToolRemedy::SyncAtEnd,
            ToolRemedy::RunFor(300),
            ToolRemedy::SyncAtEnd,
            ToolRemedy::RunFor(30),
        ];
        assert_eq!(together(&remedies), [ToolRemedy::SyncAtEnd, ToolRemedy::RunFor(300)]);
        assert_eq!(together(&[]), []);
    }
}
