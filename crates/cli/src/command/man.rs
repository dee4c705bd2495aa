//! `headroom man [COMMAND]`: the manual pages, made of the same tables as the help, so that neither can
//! say what the other does not. A page is printed, or all of them are written into a folder, as packages
//! do.

use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use super::help::examples;
use super::{offered_command_line, option, unknown};
use crate::exit::Failure;
use crate::output::{self, Pending};
use crate::version::VERSION;

/// The section of user commands.
const SECTION: &str = "1";

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples([
            "man | man -l -",
            "man run | man -l -",
            "man --dir /usr/local/share/man/man1",
        ]))
        .about("The manual pages, for man(1)")
        .arg(
            Arg::new("command")
                .value_name("COMMAND")
                .help("The command that the page is about [default: the program]"),
        )
        .arg(
            option("dir", "DIR")
                .conflicts_with("command")
                .help("Write every page into this folder, in place of those that stand there"),
        )
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let mut root = offered_command_line().disable_help_subcommand(true);
    root.build();
    if let Some(folder) = matches.get_one::<String>("dir") {
        return write_all(&root, Path::new(folder));
    }
    let Some(name) = matches.get_one::<String>("command") else { return output::done(page(&root)) };
    match root.find_subcommand(name) {
        Some(command) => output::done(page(command)),
        None => {
            let known: Vec<&str> = root.get_subcommands().map(Command::get_name).collect();
            Err(unknown("command", name, known))
        }
    }
}

/// Writes the page of the program and of each command; none before all may be written.
fn write_all(root: &Command, folder: &Path) -> Result<ExitCode, Failure> {
    let pages = std::iter::once(root).chain(root.get_subcommands());
    let place = |command: &Command| -> Result<(Pending, Vec<u8>), Failure> {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name());
        Ok((Pending::at(&folder.join(format!("{name}.{SECTION}")))?, page(command)))
    };
    for (pending, page) in pages.map(place).collect::<Result<Vec<_>, _>>()? {
        pending.finish(&page)?;
    }
    output::done(format!("Wrote the pages into {}\n", report::text::printable(&folder.display().to_string())))
}

/// The page of a command, in roff.
fn page(command: &Command) -> Vec<u8> {
    let man =
        Man::new(command.clone()).section(SECTION).source(format!("Headroom {VERSION}")).manual("Headroom");
    let mut page = Vec::new();
    // Writing to memory does not fail.
    let _ = man.render_title(&mut page);
    let _ = man.render_name_section(&mut page);
    let _ = man.render_synopsis_section(&mut page);
    let _ = man.render_description_section(&mut page);
    let examples = command.get_before_help().map(ToString::to_string).unwrap_or_default();
    let examples: Vec<&str> = examples.lines().skip(1).map(str::trim).collect();
    let _ = section("EXAMPLES", &examples).to_writer(&mut page);
    let _ = man.render_options_section(&mut page);
    if command.has_subcommands() {
        let _ = man.render_subcommands_section(&mut page);
    }
    if let Some(notes) = command.get_after_help().map(ToString::to_string) {
        let _ = section("NOTES", &notes.lines().collect::<Vec<_>>()).to_writer(&mut page);
    }
    page
}

/// A section of lines that stay apart.
fn section(title: &str, lines: &[&str]) -> Roff {
    let mut section = Roff::new();
    section.control("SH", [title]);
    for line in lines {
        section.text([roman(*line)]);
        section.control("br", []);
    }
    section
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages() -> Vec<(String, String)> {
        let mut root = offered_command_line().disable_help_subcommand(true);
        root.build();
        let all = std::iter::once(&root).chain(root.get_subcommands());
        all.map(|command| (command.get_name().to_owned(), String::from_utf8(page(command)).unwrap()))
            .collect()
    }

    #[test]
    fn every_command_has_a_page_with_its_examples_and_options() {
        let pages = pages();
        let text = |name: &str| &pages.iter().find(|(command, _)| command == name).unwrap().1;
        for (name, page) in &pages {
            for part in [".TH", ".SH NAME", ".SH SYNOPSIS", ".SH EXAMPLES", ".SH OPTIONS"] {
                assert!(page.contains(part), "{name}: no {part}: {page}");
            }
            assert!(!page.contains('\u{1b}'), "{name}: {page}");
        }
        assert!(text("run").contains("headroom\\-run \\- Measure"), "{}", text("run"));
        assert!(text("headroom").contains("headroom\\-compare(1)"), "{}", text("headroom"));
        assert!(!pages.iter().any(|(name, _)| name == "agent"));
    }

    #[test]
    fn all_pages_are_written_into_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let line = ["man", "--dir", folder.path().to_str().unwrap()];
        let matches = define(Command::new("man")).try_get_matches_from(line).unwrap();
        carry_out(&matches, &[]).unwrap();
        for name in ["headroom.1", "headroom-run.1", "headroom-verify-tool.1"] {
            assert!(folder.path().join(name).is_file(), "{name}");
        }
    }
}
