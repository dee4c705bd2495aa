//! `headroom man [NAME]`: the manual pages of the program, of its commands and of the workloads, made of the same
//! tables as the help, so that neither can say what the other does not. A page is printed, or all of them are
//! written into a folder, as packages do.

use std::path::Path;
use std::process::ExitCode;

use ::report::terminal::Terminal;
use clap::{Arg, ArgMatches, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use model::WorkloadSpec;
use model::workload::Catalogue;

use super::help::{self, examples};
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
            "man disk | man -l -",
            "man --dir /usr/local/share/man/man1",
        ]))
        .about("The manual pages, for man(1)")
        .arg(
            Arg::new("command")
                .value_name("NAME")
                .help("The command or workload that the page is about [default: the program]"),
        )
        .arg(
            option("dir", "DIR")
                .conflicts_with("command")
                .help("Write every page into this folder, in place of those that stand there"),
        )
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let root = program();
    let catalogue = ::agent::catalogue();
    if let Some(folder) = matches.get_one::<String>("dir") {
        return write_all(&root, &catalogue, Path::new(folder));
    }
    let Some(name) = matches.get_one::<String>("command") else { return output::done(page(&root)) };
    if let Some(command) = root.find_subcommand(name) {
        return output::done(page(command));
    }
    match catalogue.called(name) {
        Some(spec) => output::done(page_of_workload(spec, &catalogue)),
        None => {
            let commands = root.get_subcommands().map(Command::get_name);
            let workloads = catalogue.workloads.iter().map(|spec| spec.name.as_str());
            let known: Vec<&str> = commands.chain(workloads).collect();
            Err(unknown("command or workload", name, known))
        }
    }
}

/// The whole command line, as pages are about it.
fn program() -> Command {
    let mut root = offered_command_line().disable_help_subcommand(true);
    root.build();
    root
}

/// Every page, with the name of its file.
fn pages(root: &Command, catalogue: &Catalogue) -> Vec<(String, Vec<u8>)> {
    let of_command = |command: &Command| {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name());
        (format!("{name}.{SECTION}"), page(command))
    };
    let commands = std::iter::once(root).chain(root.get_subcommands()).map(of_command);
    let workloads = catalogue
        .workloads
        .iter()
        .map(|spec| (format!("{}.{SECTION}", title(spec)), page_of_workload(spec, catalogue)));
    commands.chain(workloads).collect()
}

/// Writes every page; none before all may be written.
fn write_all(root: &Command, catalogue: &Catalogue, folder: &Path) -> Result<ExitCode, Failure> {
    let place = |(name, page): (String, Vec<u8>)| -> Result<(Pending, Vec<u8>), Failure> {
        Ok((Pending::at(&folder.join(name))?, page))
    };
    for (pending, page) in pages(root, catalogue).into_iter().map(place).collect::<Result<Vec<_>, _>>()? {
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

/// What the page of a workload is called: as that of a command behind `run` would be.
fn title(spec: &WorkloadSpec) -> String {
    format!("headroom-run-{}", spec.name)
}

/// The page of a workload: the text of its help, whose lines have their breaks already.
fn page_of_workload(spec: &WorkloadSpec, catalogue: &Catalogue) -> Vec<u8> {
    let man = Man::new(Command::new(title(spec)).about(spec.summary))
        .section(SECTION)
        .source(format!("Headroom {VERSION}"))
        .manual("Headroom");
    let mut page = Vec::new();
    // Writing to memory does not fail.
    let _ = man.render_title(&mut page);
    let _ = man.render_name_section(&mut page);
    let mut text = Roff::new();
    text.control("SH", ["DESCRIPTION"]);
    // As wide as a terminal, and no line joined with the next.
    text.control("in", ["0"]);
    text.control("nf", []);
    for line in help::of_workload(spec, catalogue, Terminal::default()).lines() {
        text.text([roman(line)]);
    }
    text.control("fi", []);
    let _ = text.to_writer(&mut page);
    let _ = section("SEE ALSO", &["headroom-run(1)"]).to_writer(&mut page);
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

    fn pages_of_commands() -> Vec<(String, String)> {
        let root = program();
        let all = std::iter::once(&root).chain(root.get_subcommands());
        all.map(|command| (command.get_name().to_owned(), String::from_utf8(page(command)).unwrap()))
            .collect()
    }

    #[test]
    fn every_command_has_a_page_with_its_examples_and_options() {
        let pages = pages_of_commands();
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
    fn the_page_of_a_workload_has_what_its_help_says() {
        let catalogue = ::agent::catalogue();
        for spec in &catalogue.workloads {
            let page = String::from_utf8(page_of_workload(spec, &catalogue)).unwrap();
            assert!(page.contains(&format!("\n.TH headroom-run-{} 1 ", spec.name)), "{page}");
            // Hyphens are written so in pages.
            let page = page.replace("\\-", "-");
            for parameter in catalogue.parameters(spec) {
                assert!(page.contains(&format!("\n  {} = ", parameter.name)), "{}: {page}", spec.name);
            }
        }
    }

    #[test]
    fn all_pages_are_written_into_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let line = ["man", "--dir", folder.path().to_str().unwrap()];
        let matches = define(Command::new("man")).try_get_matches_from(line).unwrap();
        carry_out(&matches, &[]).unwrap();
        for name in ["headroom.1", "headroom-run.1", "headroom-verify-tool.1", "headroom-run-disk.1"] {
            assert!(folder.path().join(name).is_file(), "{name}");
        }
    }
}
