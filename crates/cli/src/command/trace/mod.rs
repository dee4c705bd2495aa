//! `headroom trace DEVICE|PATH... [-- COMMAND]`: what the kernel really sent to a device, by
//! whom, and where the time went; and the same of a trace that was saved.

mod arguments;
mod capture;
mod listed_devices;
mod part_filter;
mod presence;
mod progress;
mod read;
mod sinks;
mod traced;
mod write_back;

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use report::document::terminal::Detail;
use report::trace::{TRACE_EXPORTERS, TraceSubject, document, trace_json};

use self::arguments::{TraceArguments, TraceFormat};
use self::traced::Traced;
use super::export::{Destination, language};
use crate::exit::{Failure, INTERRUPTED, TRIAL_FAILED};
use crate::output;

pub(super) fn define(command: Command) -> Command {
    arguments::define(command)
}

pub(super) fn carry_out(matches: &ArgMatches, typed: &[String]) -> Result<ExitCode, Failure> {
    let arguments = TraceArguments::of(matches)?;
    let page = match matches.get_one::<String>("output") {
        Some(path) if arguments.format == TraceFormat::Text => Some(Destination::of(TRACE_EXPORTERS, path)?),
        _ => None,
    };
    let traced = match read::recognized(&arguments)? {
        Some(file) => read::read(file, &arguments)?,
        None => capture::capture(&arguments)?,
    };
    say(&traced, &arguments, page, (matches, typed))?;
    let Traced { command, is_interrupted, unwritten, .. } = traced;
    if let Some(failure) = unwritten {
        return Err(failure);
    }
    Ok(match command {
        Some(_) if is_interrupted => ExitCode::from(INTERRUPTED),
        Some(command) if !command.ending.is_success() => ExitCode::from(TRIAL_FAILED),
        _ => ExitCode::SUCCESS,
    })
}

/// Says what came of it, in all the ways that were asked for.
fn say(
    traced: &Traced,
    arguments: &TraceArguments,
    page: Option<Destination<report::trace::WriteTrace>>,
    (matches, typed): (&ArgMatches, &[String]),
) -> Result<(), Failure> {
    if arguments.format != TraceFormat::Text {
        output::note(&traced.summary_line());
        return Ok(());
    }
    let subject = TraceSubject {
        report: &traced.report,
        names: &traced.names,
        target: &traced.target,
        capture: traced.capture.as_ref(),
        command: traced.command.as_ref(),
        is_steps: traced.is_steps,
        cautions: &traced.cautions,
        words: language(matches).words(),
    };
    let bytes = if arguments.is_json {
        trace_json(&subject)?
    } else {
        // To look at a trace again, it must have been saved.
        let again = match &arguments.save {
            Some(path) => output::shell_command(["trace", "-v", &*path.to_string_lossy()]),
            None => {
                let mut shown = typed.to_vec();
                import::tool::hide_secrets(&mut shown);
                output::typed_verbosely(&shown)
            }
        };
        let detail = if matches.get_flag("verbose") { Detail::All } else { Detail::Brief(&again) };
        output::written(&document(&subject), detail).into_bytes()
    };
    output::print(&bytes)?;
    if let Some(page) = page {
        let bytes = (page.exporter.write)(&subject)?;
        page.put(&bytes)?;
        output::wrote(matches);
    }
    Ok(())
}
