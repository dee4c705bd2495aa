//! What may be typed behind `headroom watch`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ::language::Words;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use jiff::Timestamp;
use model::parameter::Kind;
use model::{Value, scalar};

use super::super::export::{language, language_argument};
use super::super::help::examples;
use super::super::{flag, option, store_argument, store_path};
use crate::accept_nodes;
use crate::exit::Failure;
use crate::output;

/// Bytes that the recorder keeps where nobody says otherwise.
const KEEP_BYTES: u64 = 256 << 20;
/// A folder for it, beside the store.
const FOLDER: &str = "watch";

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples([
            "watch -- make -j8",
            "watch --prometheus 127.0.0.1:9847 --keep 24h",
            "watch --at 03:00",
        ]))
        .about("How much of each resource is used now, of what it was measured to give, and what is full first")
        .long_about(
            "Shows how much of each resource is used now: processors, disks, network interfaces, memory, and control groups \
             with a limit. A disk is held against what kept runs of this machine measured at the nearest mixes of block \
             sizes and reads, an interface against its link, its shaper, or what a run carried. What no run measured is \
             unknown, and the study that would measure it is named. The first line says what is nearest to full, and how \
             much more of the present load it would bear.\n\nWith a command, that is watched as long as it runs, and its \
             exit status is that of `watch`. Nothing is changed.",
        )
        .args(watching())
        .args(telling())
        .args(keeping())
        .args(elsewhere())
        .arg(flag("systemd-unit", "Print a unit for systemd that watches like this, and end"))
        .arg(store_argument().help("Where the runs are that tell limits [default: $XDG_DATA_HOME/headroom/headroom.db]"))
        .arg(
            Arg::new("command")
                .value_name("COMMAND")
                .num_args(1..)
                .last(true)
                .help("Watch as long as this command runs, and say at its end what was full"),
        )
}

fn time(name: &'static str, help: &'static str) -> Arg {
    option(name, "TIME").value_parser(duration).help(help)
}

fn watching() -> Vec<Arg> {
    vec![
        time("interval", "How far apart samples are, 50ms to 1h").default_value("1s"),
        time("window", "The time that rates and verdicts are of [default: 10s; with --at, 1min]"),
        time("for", "End after this time"),
        flag("trace", "Also trace disks (as root): where the time of their operations goes, once a second")
            .conflicts_with("at"),
        flag(
            "lines",
            "Print a line for each interval instead of a screen, as where standard output is no terminal",
        ),
        output::verbose_argument().help("With lines: also a line for each resource, and each new verdict"),
        language_argument(),
    ]
}

fn telling() -> Vec<Arg> {
    vec![
        option("prometheus", "ADDRESS").value_parser(value_parser!(SocketAddr)).help(
            "Hand out the same as metrics for Prometheus at http://ADDRESS/metrics, such as 127.0.0.1:9847",
        ),
        flag(
            "reachable",
            "Let the address of --prometheus be one that other machines reach; they need no key",
        )
        .requires("prometheus"),
        option("record", "FILE").value_parser(value_parser!(PathBuf)).help(
            "Write what was watched as a run document at the end; `headroom report FILE` makes a page of it",
        ),
    ]
}

fn elsewhere() -> Vec<Arg> {
    let peer = option("peer", "PEER")
        .action(ArgAction::Append)
        .conflicts_with("at")
        .help("Watch another machine too: the join string that `headroom node` prints there, or listen://ADDRESS:PORT");
    [peer].into_iter().chain(accept_nodes::arguments()).collect()
}

fn keeping() -> Vec<Arg> {
    vec![
        time("keep", "Keep all samples of so long in a folder, in which `--at` finds them; older ones are removed"),
        option("keep-size", "SIZE").value_parser(size).requires("keep").help(
            "Keep at most so many bytes; the oldest samples go first [default: 256MiB]",
        ),
        option("folder", "PATH")
            .value_parser(value_parser!(PathBuf))
            .help("The folder of --keep and --at [default: `watch` beside the store]"),
        option("at", "TIME")
            .value_parser(moment)
            .conflicts_with_all(["keep", "prometheus", "command", "for", "lines"])
            .help("Show what was kept of then: the last 03:00 (UTC), a time (2026-11-28T10:30:00Z), or how long ago (2h)"),
    ]
}

fn duration(text: &str) -> Result<Duration, String> {
    match scalar::parse(Kind::Duration, text) {
        Ok(Value::Number(seconds)) => Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string()),
        Ok(_) => Err("not a time".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn size(text: &str) -> Result<u64, String> {
    match scalar::parse(Kind::Size, text) {
        Ok(Value::Integer(bytes)) => Ok(bytes),
        Ok(_) => Err("not a size".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// A moment of the past, ns since 1970.
fn moment(text: &str) -> Result<u64, String> {
    moment_before(text, Timestamp::now())
}

fn moment_before(text: &str, now: Timestamp) -> Result<u64, String> {
    const DAY_S: i64 = 86_400;
    let nanoseconds = |s: f64| (s * 1e9) as u64;
    if let Some((hours, minutes)) = text.split_once(':').filter(|_| text.len() <= 5) {
        let part = |text: &str, below: i64| text.parse().ok().filter(|part| (0..below).contains(part));
        let (Some(hours), Some(minutes)) = (part(hours, 24), part(minutes, 60)) else {
            return Err("no time of a day: 03:00".to_owned());
        };
        let today = now.as_second().div_euclid(DAY_S) * DAY_S + hours * 3600 + minutes * 60;
        let last = if today > now.as_second() { today - DAY_S } else { today };
        return Ok(nanoseconds(last as f64));
    }
    if let Ok(Value::Number(ago_s)) = scalar::parse(Kind::Duration, text) {
        return Ok(nanoseconds((now.as_millisecond() as f64 / 1e3 - ago_s).max(0.0)));
    }
    let time: Timestamp =
        text.parse().map_err(|_| "no time: 03:00, 2026-11-28T10:30:00Z or 2h".to_owned())?;
    Ok(nanoseconds(time.as_millisecond() as f64 / 1e3))
}

/// What was typed.
pub(super) struct WatchArguments {
    pub(super) interval: Duration,
    pub(super) window: Option<Duration>,
    pub(super) most: Option<Duration>,
    pub(super) has_lines: bool,
    pub(super) has_trace: bool,
    pub(super) is_verbose: bool,
    pub(super) words: &'static Words,
    pub(super) prometheus: Option<SocketAddr>,
    pub(super) is_reachable: bool,
    pub(super) record: Option<PathBuf>,
    pub(super) keep: Option<Duration>,
    pub(super) keep_bytes: u64,
    pub(super) folder: Option<PathBuf>,
    pub(super) store: Option<PathBuf>,
    pub(super) at: Option<u64>,
    pub(super) peers: Vec<String>,
    pub(super) command: Vec<String>,
}

impl WatchArguments {
    pub(super) fn of(matches: &ArgMatches) -> Result<Self, Failure> {
        let time = |name: &str| matches.get_one::<Duration>(name).copied();
        let store = store_path(matches);
        let beside = || store.as_deref().and_then(Path::parent).map(|folder| folder.join(FOLDER));
        let interval = time("interval").unwrap_or(Duration::from_secs(1));
        if !(Duration::from_millis(50)..=Duration::from_secs(3600)).contains(&interval) {
            return Err(Failure::arguments(
                "samples may be 50 ms to an hour apart",
                "give another --interval, such as 1s",
            ));
        }
        Ok(Self {
            interval,
            window: time("window"),
            most: time("for"),
            has_lines: matches.get_flag("lines"),
            has_trace: matches.get_flag("trace"),
            is_verbose: matches.get_flag("verbose"),
            words: language(matches).words(),
            prometheus: matches.get_one::<SocketAddr>("prometheus").copied(),
            is_reachable: matches.get_flag("reachable"),
            record: matches.get_one::<PathBuf>("record").cloned(),
            keep: time("keep"),
            keep_bytes: matches.get_one::<u64>("keep-size").copied().unwrap_or(KEEP_BYTES),
            folder: matches.get_one::<PathBuf>("folder").cloned().or_else(beside),
            store,
            at: matches.get_one::<u64>("at").copied(),
            peers: matches.get_many::<String>("peer").into_iter().flatten().cloned().collect(),
            command: matches.get_many::<String>("command").into_iter().flatten().cloned().collect(),
        })
    }

    /// The folder of what is kept.
    pub(super) fn folder(&self) -> Result<&Path, Failure> {
        let help = "name one with --folder";
        self.folder.as_deref().ok_or_else(|| Failure::arguments("there is no folder for what is kept", help))
    }

    /// The time that rates are of: no shorter than two samples.
    pub(super) fn window(&self) -> Duration {
        self.window.unwrap_or(Duration::from_secs(10)).max(2 * self.interval)
    }

    /// The words of a unit that watches like this.
    pub(super) fn unit_words(&self) -> Vec<String> {
        let mut words = vec!["--interval".to_owned(), format!("{}ms", self.interval.as_millis())];
        let mut add = |name: &str, value: Option<String>| {
            words.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
        };
        let keep = self.keep.unwrap_or(Duration::from_secs(24 * 3600));
        add("--keep", Some(format!("{}s", keep.as_secs())));
        add("--keep-size", Some(self.keep_bytes.to_string()));
        add("--folder", Some("/var/lib/headroom/watch".to_owned()));
        let absolute = self.store.as_deref().and_then(|path| std::path::absolute(path).ok());
        add("--store", absolute.map(|path| path.display().to_string()));
        add("--prometheus", self.prometheus.map(|address| address.to_string()));
        if self.is_reachable {
            words.push("--reachable".to_owned());
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_the_last_time_of_a_day_a_time_or_how_long_ago() {
        let now: Timestamp = "2026-11-29T10:00:00Z".parse().unwrap();
        let at = |text: &str| {
            let ns = moment_before(text, now).unwrap();
            Timestamp::from_second((ns / 1_000_000_000) as i64).unwrap().to_string()
        };
        assert_eq!(at("03:00"), "2026-11-29T03:00:00Z");
        assert_eq!(at("10:00"), "2026-11-29T10:00:00Z");
        assert_eq!(at("23:59"), "2026-11-28T23:59:00Z");
        assert_eq!(at("2h"), "2026-11-29T08:00:00Z");
        assert_eq!(at("2026-11-01T00:00:00+01:00"), "2026-10-31T23:00:00Z");
        for wrong in ["24:00", "3:60", "yesterday", "03:00:00:00", "-1:00"] {
            assert!(moment_before(wrong, now).is_err(), "{wrong}");
        }
    }
}
