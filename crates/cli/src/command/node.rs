//! `headroom node`: this machine lets itself be measured with, by who has its
//! join string. The strings go to standard output, one a line; all else to
//! standard error.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use ::agent::ChildCommand;
use ::agent::iperf3::{Iperf3Error, Iperf3Options, Iperf3Server};
use ::node::{
    Allow, DEFAULT_PORT, IdentityError, JoinString, NODE_FILE, Node, NodeError, NodeEvent, NodeIdentity,
    ServeOptions,
};
use clap::{ArgMatches, Command, value_parser};
use signal_hook::low_level;

use super::help::examples;
use super::join::{self, Source};
use super::node_offers::{self, described, limits, refuse_presenting, served_files};
use super::systemd_unit::exec_start;
use super::{flag, option, restore};
use crate::exit::Failure;
use crate::output;
use crate::signals;

pub(super) fn define(command: Command) -> Command {
    command
        .before_help(examples([
            "node",
            "node --allow 10.0.0.0/8 --once",
            "node --join join.txt  # to a run that waits",
        ]))
        .about("Let another machine measure with this one, over the network")
        .long_about(
            "Let another machine measure with this one, over the network. It prints join strings, one for each address \
             of this machine: give one of them to `--peer` on the other machine. Who has it may run the far end of \
             network loads here, and read what this machine is made of; no commands are run, and no files are touched \
             but those that --serve-file names, which are sent, and the devices and folders that --present names. Where \
             nobody comes in to this machine, `--join` dials a run that waits at the other machine, with \
             `--peer listen://:7117`. Ctrl-C or SIGTERM ends it.",
        )
        .arg(
            option("listen", "ADDR[:PORT]")
                .default_value("0.0.0.0:7117")
                .value_parser(listen_address)
                .help("Where to wait for controllers; [::] is any address of both families"),
        )
        .arg(
            option("allow", "CIDR,...")
                .value_parser(Allow::parse)
                .help("Take connections from these networks only, such as 10.0.0.0/8,fd00::/8"),
        )
        .args(node_offers::arguments())
        .arg(
            option("join", "STRING|FILE|-")
                .conflicts_with_all(["listen", "allow", "present", "iperf3", "new-key", "key-file", "print"])
                .help(
                    "Dial the run that printed this join string and waits for this machine, again and again until \
                     stopped. A file that holds the string, or standard input, keeps it out of the list of processes",
                ),
        )
        .arg(flag("once", "End after one session"))
        .arg(
            option("iperf3", "PORT")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("5201")
                .value_parser(value_parser!(u16).range(1..))
                .help(
                    "Serve stock clients of iperf3 too, several at once. They have no key: --allow must say who may \
                     come, unless --listen is a loopback address [default port: 5201]",
                ),
        )
        .arg(flag("new-key", "Make another certificate and key; older join strings are worth nothing then"))
        .arg(
            option("key-file", "PATH")
                .value_parser(value_parser!(PathBuf))
                .help(
                    "Where the certificate and the key are kept [default: /var/lib/headroom/node.json for root, else \
                     $XDG_STATE_HOME/headroom/node.json]",
                ),
        )
        .arg(flag("print", "Print the join strings and end: of a node that runs, or will run"))
        .arg(
            flag("systemd-unit", "Print a unit for systemd that runs this command, and end")
                // A service has devices and temporary folders of its own.
                .conflicts_with_all(["print", "new-key", "once", "present"]),
        )
}

/// An address with or without a port.
fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let bare = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse::<IpAddr>().map(|ip| SocketAddr::new(ip, DEFAULT_PORT));
    address
        .or_else(|_| text.parse())
        .map_err(|_| "this is no address of a machine (0.0.0.0:7117, 10.0.0.2 and [::]:7117 are)".to_owned())
}

pub(super) fn carry_out(matches: &ArgMatches, _typed: &[String]) -> Result<ExitCode, Failure> {
    let at = *matches.get_one::<SocketAddr>("listen").unwrap_or(&SocketAddr::from(([0; 4], DEFAULT_PORT)));
    let allow = matches.get_one::<Allow>("allow").cloned().unwrap_or_default();
    let key_file = matches.get_one::<PathBuf>("key-file").cloned();
    ::node::known_names_only();
    if let Some(text) = matches.get_one::<String>("join") {
        return dial_out(Source::of(text)?, matches);
    }
    if matches.get_flag("systemd-unit") {
        let mut words = words(at, &allow, key_file.as_deref(), matches.get_one("iperf3").copied());
        words.extend(of_served(&served_files(matches))?);
        return output::done(unit(&words, LISTENS)?);
    }
    let path = key_file.map_or_else(|| NodeIdentity::usual_path(NODE_FILE), Ok).map_err(of_identity)?;
    let identity = NodeIdentity::kept(&path, matches.get_flag("new-key")).map_err(of_identity)?;
    if matches.get_flag("print") {
        let strings = identity.join_strings(at).map_err(|e| failure(e.into()))?;
        return output::done(lines(&strings));
    }
    let limits = limits(matches);
    refuse_presenting(&limits)?;
    restore::put_back_left()?;
    if !limits.presents.is_empty() {
        // What a node that was killed left may hold the same devices.
        restore::remove_left();
    }
    let sent = described(&limits);
    let options = ServeOptions { once: matches.get_flag("once"), limits, agent: agent(), allow };
    // Before it reports that it is ready.
    let stop = stop_on_signals()?;
    let iperf3 =
        matches.get_one::<u16>("iperf3").map(|port| Iperf3::start(at.ip(), *port, matches)).transpose()?;
    let who = format!(
        "Anyone with one of these strings can measure with this machine. Connections are accepted from {}. {} ends it.",
        options.allow,
        if options.once { "One session" } else { "Ctrl-C" }
    );
    let node = Node::listen(at, identity, options).map_err(failure)?;
    let strings = node.join_strings().map_err(|e| failure(e.into()))?;
    output::print(lines(&strings).as_bytes())?;
    output::note(&format!("{}\n", report::terminal::fill(&(who + &sent)).trim_end()));
    if let Some(server) = &iperf3 {
        output::note(&format!("Clients of iperf3 are served at {}.\n", server.address));
    }
    node.serve(stop.as_fd(), &tell).map_err(|e| failure(e.into()))?;
    drop(iperf3);
    Ok(ExitCode::SUCCESS)
}

/// The files that it sends as arguments of a unit, which has temporary folders of its own.
fn of_served(files: &[String]) -> Result<Vec<String>, Failure> {
    let is_temporary = |path: &&String| TEMPORARY.iter().any(|folder| Path::new(path).starts_with(folder));
    match files.iter().find(is_temporary) {
        Some(path) => Err(Failure::arguments(
            format!(
                "a service of systemd would not see {path}: the unit gives it temporary folders of its own"
            ),
            "move the file to a folder that is not temporary",
        )),
        None => Ok(files.iter().flat_map(|path| ["--serve-file".to_owned(), path.clone()]).collect()),
    }
}

/// How the agent's process is started: this program itself.
fn agent() -> ChildCommand {
    ChildCommand { program: "/proc/self/exe".into(), arguments: vec!["agent".into()] }
}

/// A node that dials, instead of one that listens.
fn dial_out(source: Source, matches: &ArgMatches) -> Result<ExitCode, Failure> {
    if matches.get_flag("systemd-unit") {
        let Source::File(path) = source else {
            return Err(Failure::arguments(
                "everybody may read a unit, and a join string has a key in it",
                "keep the string in a file that only root may read, and give the file's path to --join",
            ));
        };
        let path = std::path::absolute(path).map_err(|source| failure(NodeError::System(source)))?;
        let mut words = vec!["--join".to_owned(), path.display().to_string()];
        words.extend(of_served(&served_files(matches))?);
        return output::done(unit(&words, DIALS)?);
    }
    let join = source.read()?;
    restore::put_back_left()?;
    let stop = stop_on_signals()?;
    let limits = limits(matches);
    let sent = described(&limits);
    let options =
        ServeOptions { allow: Allow::default(), once: matches.get_flag("once"), limits, agent: agent() };
    join::carry_out(join, options, &sent, stop.as_fd())?;
    Ok(ExitCode::SUCCESS)
}

/// A server for clients of iperf3, beside the node; ended with it.
struct Iperf3 {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Iperf3 {
    fn start(ip: IpAddr, port: u16, matches: &ArgMatches) -> Result<Self, Failure> {
        let mut options = Iperf3Options::new(SocketAddr::new(ip, port));
        if let Some(allow) = matches.get_one::<Allow>("allow").cloned() {
            options.admit = Some(Box::new(move |address| allow.admits(address)));
        }
        options.tell = Box::new(|line| output::note(&format!("{}\n", report::text::printable(line))));
        let refused =
            |error: Iperf3Error| Failure::refused(error.to_string(), "`--iperf3=PORT` takes another port");
        let server = Iperf3Server::open(options).map_err(refused)?;
        let address = server.address();
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        let serve = move || {
            if let Err(error) = server.serve(&asked) {
                output::note(&format!("{error}\n"));
            }
        };
        let thread = std::thread::Builder::new().name("iperf3".to_owned()).spawn(serve);
        let thread = thread.map_err(|source| failure(NodeError::System(source)))?;
        Ok(Self { address, stop, thread: Some(thread) })
    }
}

impl Drop for Iperf3 {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Join strings, a line each.
fn lines(strings: &[JoinString]) -> String {
    strings.iter().map(|join| join.secret() + "\n").collect()
}

/// A stream that can be read from when a signal came; a second one ends the
/// program at once, and what it started ends by itself.
fn stop_on_signals() -> Result<UnixStream, Failure> {
    let failed = |source| failure(NodeError::System(source));
    let (stop, rings) = UnixStream::pair().map_err(failed)?;
    signals::watch(&Arc::new(AtomicBool::new(false))).map_err(failed)?;
    for signal in signals::ASK {
        low_level::pipe::register(signal, rings.try_clone().map_err(failed)?).map_err(failed)?;
    }
    Ok(stop)
}

/// Says what happens, a line each.
fn tell(event: NodeEvent) {
    let line = match event {
        NodeEvent::Came { from, version } => format!("{from} (headroom {version}) was let in"),
        NodeEvent::Went { from, why } => format!("{from} is gone: {why}"),
        NodeEvent::Refused { from, why } => format!("{from} was turned away: {why}"),
    };
    output::note(&format!("{}\n", report::text::printable(&line)));
}

fn failure(error: NodeError) -> Failure {
    let message = error.to_string();
    let help = match &error {
        NodeError::Identity(_) => "start it again with --new-key",
        NodeError::System(_) => "see whether the machine has memory and open files left",
        NodeError::Listen { source, .. } => match source.kind() {
            ErrorKind::AddrInUse => {
                "another program listens there, perhaps another node; `--listen ADDR:PORT` takes another port"
            }
            ErrorKind::AddrNotAvailable => "that is no address of this machine: `ip address` shows them",
            ErrorKind::PermissionDenied => "ports below 1024 are root's; `--listen ADDR:PORT` takes another",
            _ => "`--listen ADDR:PORT` takes another address or port",
        },
    };
    Failure::refused(message, help)
}

fn of_identity(error: IdentityError) -> Failure {
    let help = match &error {
        IdentityError::Open(path) => {
            format!(
                "`--new-key` makes another; if nobody has read it, `chmod 600 {}` is enough",
                path.display()
            )
        }
        IdentityError::Foreign(_) | IdentityError::File { .. } | IdentityError::NoPlace => {
            "`--key-file PATH` names another".to_owned()
        }
        IdentityError::Invalid(_) => {
            "`--new-key` makes another in its place; older join strings are worth nothing then".to_owned()
        }
        IdentityError::Certificate(_) => "this is a fault of Headroom: please report it".to_owned(),
    };
    Failure::refused(error.to_string(), help)
}

/// The arguments of a node that listens, as it was called.
fn words(at: SocketAddr, allow: &Allow, key_file: Option<&Path>, iperf3: Option<u16>) -> Vec<String> {
    let mut words = vec!["--listen".to_owned(), at.to_string()];
    if *allow != Allow::default() {
        words.extend(["--allow".to_owned(), allow.to_string().replace(' ', "")]);
    }
    if let Some(path) = key_file {
        // A service begins in another folder.
        let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        words.extend(["--key-file".to_owned(), whole.display().to_string()]);
    }
    words.extend(iperf3.map(|port| format!("--iperf3={port}")));
    words
}

/// Of a unit, what only one that listens has: its description, and lines.
const LISTENS: (&str, &str) = (
    "lets who has its join string measure with this machine",
    "# The join strings would stay in the journal; `headroom node --print` shows them.
StandardOutput=null",
);

/// The same of one that dials.
const DIALS: (&str, &str) = (
    "lets the runs that it dials measure with this machine",
    "# It ends where to dial again would be in vain, as with a wrong key.
RestartSec=60",
);

/// The unit, with places for what it does, its command and further lines. Packages have the same
/// (`xtask/src/release`).
const UNIT: &str = include_str!("node.service");

/// The folders that `PrivateTmp` hides (systemd.exec(5)).
const TEMPORARY: [&str; 2] = ["/tmp", "/var/tmp"];

/// A unit that runs this program as it was called.
fn unit(arguments: &[String], (does, lines): (&str, &str)) -> Result<String, Failure> {
    let program = std::env::current_exe().map_err(|source| failure(NodeError::System(source)))?;
    let program = program.display().to_string();
    let own = [program.as_str(), "node"];
    let words: Vec<&str> = own.into_iter().chain(arguments.iter().map(String::as_str)).collect();
    let command = exec_start(&words)?;
    // The command comes last, for it may have any text in it.
    let parts = [("{does}", does), ("{lines}", lines), ("{command}", command.as_str())];
    Ok(parts.iter().fold(UNIT.to_owned(), |unit, (place, text)| unit.replacen(place, text, 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_lack_its_port() {
        for (text, means) in [
            ("0.0.0.0:7117", "0.0.0.0:7117"),
            ("10.0.0.2", "10.0.0.2:7117"),
            ("::", "[::]:7117"),
            ("[fd00::2]", "[fd00::2]:7117"),
            ("[::]:80", "[::]:80"),
        ] {
            assert_eq!(listen_address(text).unwrap().to_string(), means);
        }
        for wrong in ["", "7117", "name:7117", "10.0.0.2:", "10.0.0.2:65536", "[10.0.0"] {
            assert!(listen_address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_unit_has_the_words_of_the_command() {
        let allow = Allow::parse("10.0.0.0/8,fd00::/8").unwrap();
        let at = listen_address("10.0.0.2").unwrap();
        let words = words(at, &allow, Some("/a b/50%.json".as_ref()), Some(5201));
        let unit = unit(&words, LISTENS).unwrap();
        let line = unit.lines().find(|line| line.starts_with("ExecStart=")).unwrap();
        assert!(
            line.ends_with(
                " node --listen 10.0.0.2:7117 --allow 10.0.0.0/8,fd00::/8 --key-file \"/a b/50%%.json\" --iperf3=5201"
            ),
            "{line}"
        );
    }

    #[test]
    fn regression_a_unit_looked_for_the_key_in_the_folder_of_the_service() {
        let at = listen_address("10.0.0.2").unwrap();
        let words = words(at, &Allow::default(), Some("key.json".as_ref()), None);
        let key = Path::new(words.last().unwrap());
        assert!(key.is_absolute() && key.ends_with("key.json"), "{words:?}");
    }

    #[test]
    fn a_unit_has_no_place_left_and_no_filter_of_system_calls() {
        for what in [LISTENS, DIALS] {
            let unit = unit(&["{lines}".to_owned()], what).unwrap();
            assert!(unit.contains(what.0) && unit.contains(&format!("\n{}\n", what.1)), "{unit}");
            assert_eq!(unit.matches('{').count(), 1, "{unit}");
            let options = unit.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name);
            for option in options {
                assert!(!["SystemCallFilter", "RestrictAddressFamilies"].contains(&option), "{option}");
            }
        }
    }

    #[test]
    fn a_unit_names_the_files_that_are_sent_but_none_that_it_would_not_see() {
        let of = |path: &str| of_served(&[path.to_owned()]);
        assert_eq!(of("/srv/tmp/a b").unwrap(), ["--serve-file", "/srv/tmp/a b"]);
        for path in ["/tmp/a", "/var/tmp/b/c"] {
            let refused = format!("{:?}", of(path).unwrap_err());
            assert!(refused.contains(path), "{refused}");
        }
    }
}
