//! What may be typed behind `headroom trace`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgMatches, Command, value_parser};
use model::{Kind, Value, scalar};
use report::trace::TRACE_EXPORTERS;

use crate::command::export::{language_argument, output_argument_of};
use crate::command::help::examples;
use crate::command::{flag, option};
use crate::exit::Failure;
use crate::output;

/// The form in which a trace is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TraceFormat {
    /// What it means: a paragraph and tables.
    Text,
    /// Each event as blkparse prints it.
    Blkparse,
    /// blktrace's binary files.
    Blktrace,
}

/// The forms by their names.
const FORMATS: [(&str, TraceFormat); 3] =
    [("text", TraceFormat::Text), ("blkparse", TraceFormat::Blkparse), ("blktrace", TraceFormat::Blktrace)];

/// What was typed.
#[derive(Clone, Debug)]
pub(super) struct TraceArguments {
    /// Devices, paths, or files of traces.
    pub(super) targets: Vec<String>,
    /// The command and its arguments; empty where there is none.
    pub(super) command: Vec<OsString>,
    /// How long to trace at most.
    pub(super) duration: Option<Duration>,
    /// The buffer of each CPU in bytes.
    pub(super) buffer_bytes: Option<u64>,
    /// Whether calls such as fsync are traced, too.
    pub(super) has_sync_calls: bool,
    /// Whether what the command left in memory is written back within the trace.
    pub(super) writes_back: bool,
    /// The form.
    pub(super) format: TraceFormat,
    /// Where the trace is kept.
    pub(super) save: Option<PathBuf>,
    /// Where `-o` writes to.
    pub(super) output: Option<PathBuf>,
    /// Whether all figures are printed as JSON.
    pub(super) is_json: bool,
}

pub(super) fn define(command: Command) -> Command {
    let command = command
        .before_help(examples([
            "trace /dev/sda --duration 10s",
            "trace /data -- dd if=/dev/zero of=/data/x bs=1M count=64",
            "trace /dev/sda --duration 1h --save day.hrt",
        ]))
        .about("What the kernel really sent to a device, by whom, and where the time went")
        .long_about(
            "What the kernel really sent to a device: how much, in which pieces, in which order, by whom, and where \
             the time went, with what was lost said first. With a COMMAND it is traced while that runs, without one \
             until Ctrl-C. What a COMMAND left in memory is written back when it has ended (syncfs), still within the \
             trace, and told apart; --no-sync leaves that out. Events come from an instance of our own in the \
             kernel's tracefs, which needs root and is removed at the end. A file of a trace is read again: one that \
             --save kept, blktrace's own (NAME.blktrace.0, with those of the other CPUs), or fio's iologs. The \
             command's output is left as it is; with --json, or with blkparse's text on standard output, it goes to \
             standard error. The exit code is 1 if the command failed, 130 if it was interrupted, 3 if nothing can be \
             traced here.",
        )
        .arg(
            Arg::new("target")
                .value_name("DEVICE|PATH|FILE")
                .required(true)
                .num_args(1..)
                .help("A block device (/dev/sda, sda1), a path whose device is meant, or a file of a trace"),
        )
        .arg(
            Arg::new("command")
                .value_name("COMMAND")
                .last(true)
                .num_args(1..)
                .value_parser(value_parser!(OsString))
                .help("A command, which is traced from its start to its end"),
        )
        .arg(
            option("duration", "DURATION")
                .value_parser(duration)
                .help("Trace so long at most [default: until Ctrl-C, or to the end of the COMMAND]"),
        );
    with_options(command)
}

/// What is kept of a trace, and how it is told.
fn with_options(command: Command) -> Command {
    command
        .arg(option("save", "FILE").value_parser(value_parser!(PathBuf)).help("Keep the trace in a file, to be read again"))
        .arg(
            option("format", "FORMAT")
                .value_parser(FORMATS.map(|(name, _)| name))
                .default_value("text")
                .help("What it means, each event as blkparse prints it, or blktrace's files NAME.blktrace.N of `-o NAME`"),
        )
        .arg(
            flag("sync-calls", "Trace calls such as fsync, too: who waited for the medium, and for what")
                .long_help(
                    "Trace calls such as fsync, too: who waited for the medium, and for what. Meanwhile every system \
                     call of every program is a little slower.",
                ),
        )
        .arg(
            flag("no-sync", "End the trace with the COMMAND: do not write back what it left in memory")
                .long_help(
                    "End the trace with the COMMAND: do not write back what it left in memory. Without this, the file \
                     system that a PATH lies on, or those that are mounted from a DEVICE, are written back once the \
                     COMMAND has ended, whoever wrote into them, for at most 5 minutes; Ctrl-C ends that earlier. \
                     --duration counts it in.",
                )
                .requires("command"),
        )
        .arg(
            option("buffer", "SIZE")
                .value_parser(size)
                .help("The kernel's buffer for each CPU, for more events at once [default: by the memory, at most 16MiB]"),
        )
        .arg(flag("json", "Print all figures as JSON and nothing else on standard output"))
        .arg(output::verbose_argument())
        .arg(output_argument_of(TRACE_EXPORTERS))
        .arg(language_argument())
}

fn duration(text: &str) -> Result<Duration, String> {
    match scalar::parse(Kind::Duration, text) {
        Ok(Value::Number(seconds)) if seconds > 0.0 => {
            Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())
        }
        Ok(_) => Err("this is no duration (10s, 500ms and 1h are)".to_owned()),
        Err(e) => Err(format!("{}: {}", e.message, e.help)),
    }
}

/// The least room in which a page of events fits beside the one that is read.
const BUFFER_MIN: u64 = 8 << 10;

fn size(text: &str) -> Result<u64, String> {
    match scalar::parse(Kind::Size, text) {
        Ok(Value::Integer(bytes)) if bytes >= BUFFER_MIN => Ok(bytes),
        Ok(_) => Err("this is too small: 8k is the least".to_owned()),
        Err(e) => Err(format!("{}: {}", e.message, e.help)),
    }
}

impl TraceArguments {
    pub(super) fn of(matches: &ArgMatches) -> Result<Self, Failure> {
        let named = matches.get_one::<String>("format").map_or("text", String::as_str);
        let format = FORMATS.iter().find(|(name, _)| *name == named);
        let this = Self {
            targets: matches.get_many("target").unwrap_or_default().cloned().collect(),
            command: matches.get_many("command").unwrap_or_default().cloned().collect(),
            duration: matches.get_one("duration").copied(),
            buffer_bytes: matches.get_one("buffer").copied(),
            has_sync_calls: matches.get_flag("sync-calls"),
            writes_back: !matches.get_flag("no-sync"),
            format: format.map_or(TraceFormat::Text, |(_, format)| *format),
            save: matches.get_one("save").cloned(),
            output: matches.get_one::<String>("output").map(PathBuf::from),
            is_json: matches.get_flag("json"),
        };
        this.check()?;
        Ok(this)
    }

    /// The words of the command as they are shown and kept: without passwords and keys, for a page is passed on.
    pub(super) fn shown_command(&self) -> Vec<String> {
        let mut words: Vec<String> =
            self.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        import::tool::hide_secrets(&mut words);
        words
    }

    /// What does not fit together.
    fn check(&self) -> Result<(), Failure> {
        if self.is_json && self.format != TraceFormat::Text {
            return Err(Failure::arguments(
                "`--json` and `--format` name two forms of one thing",
                "give one of them; `--save` keeps a trace from which the other can be made",
            ));
        }
        if self.format == TraceFormat::Blktrace && self.output.is_none() {
            return Err(Failure::arguments(
                "`--format blktrace` writes several files and needs a name for them",
                "add `-o NAME`: the files are NAME.blktrace.0, NAME.blktrace.1 and so on",
            ));
        }
        Ok(())
    }

    /// Whether standard output has something for programs, which nothing may come between.
    pub(super) fn owns_standard_output(&self) -> bool {
        self.is_json || self.format == TraceFormat::Blkparse && self.output.is_none()
    }

    /// Whether every event is wanted, and not only what all of them mean.
    pub(super) fn wants_events(&self) -> bool {
        self.save.is_some() || self.format != TraceFormat::Text
    }

    /// What was asked for, for titles.
    pub(super) fn target(&self) -> String {
        self.targets.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_of_a_command_are_not_shown() {
        let words = ["trace", "/data", "--", "psql", "postgresql://me:hunter2@here/x", "-c", "select 1"];
        let matches = define(Command::new("trace")).try_get_matches_from(words).unwrap();
        let arguments = TraceArguments::of(&matches).unwrap();
        assert_eq!(arguments.command[1], "postgresql://me:hunter2@here/x");
        assert_eq!(arguments.shown_command(), ["psql", "postgresql://me:***@here/x", "-c", "select 1"]);
    }
}
