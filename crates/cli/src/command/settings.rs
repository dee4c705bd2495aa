//! `headroom settings [NAME]`: what of a machine can be changed for a study.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use machine::setting;

use super::help::examples;
use super::unknown;
use crate::exit::Failure;
use crate::output;

/// What is said to who may look at settings and not change them.
const WITHOUT_RIGHTS: &str =
    "Headroom does not run as root: no setting can be changed, and what only root can see is not shown.";

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples(["settings", "settings mtu", "settings governor"]))
        .about(
            "What can be changed on this machine for a study, and is put back after it: `--set NAME=VALUE`",
        )
        .arg(Arg::new("name").value_name("NAME").help("One setting in full"))
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let settings = agent::settings();
    let terminal = output::terminal();
    let mut text = match matches.get_one::<String>("name") {
        None => report::reference::settings(&settings, &setting::present(None), terminal),
        Some(name) => {
            let known = settings.iter().map(|s| s.name());
            // What stands for several is described, too; each of those is found by its own name.
            let listed = settings.iter().copied().find(|spec| spec.name() == name);
            let spec = listed.or_else(|| setting::find(name).map(|setting| setting.spec()));
            let spec = spec.ok_or_else(|| unknown("setting", name, known))?;
            let mut text = report::reference::setting(spec, terminal);
            text.push('\n');
            text.push_str(&report::reference::present(&setting::present(Some(name)), terminal));
            text
        }
    };
    if !setting::may_change() {
        text.push_str(&format!("\n{}\n", report::reference::paragraph(WITHOUT_RIGHTS, terminal)));
    }
    output::done(text)
}
