//! `--peer listen://ADDRESS:PORT`: the other machine can only dial out, so this one
//! listens, says what to type there, and waits for it.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ::node::{
    DEFAULT_PORT, IdentityError, JoinString, NodeAgent, NodeError, NodeEvent, NodeIdentity, RUN_FILE,
    ReverseAccept,
};
use clap::{Arg, ArgMatches, value_parser};
use model::parameter::Kind;
use model::{Value, scalar};

use crate::exit::Failure;
use crate::output;

/// How such a peer begins.
pub(crate) const SCHEME: &str = "listen://";

/// How often a waiting person gets a message.
const STILL: Duration = Duration::from_secs(30);

/// How a run waits for a node.
pub(crate) struct NodeWait {
    within: Duration,
    key_file: Option<PathBuf>,
    cancelled: Arc<AtomicBool>,
}

/// What says how.
pub(crate) fn arguments() -> [Arg; 2] {
    [
        Arg::new("join-within")
            .long("join-within")
            .value_name("DURATION")
            .default_value("5m")
            .value_parser(duration)
            .help("How long a run whose peer is listen://ADDRESS:PORT waits for the other machine to connect"),
        Arg::new("key-file")
            .long("key-file")
            .value_name("PATH")
            .value_parser(value_parser!(PathBuf))
            .help(
                "Where such a run keeps its certificate and key, so that a node may wait for the next run [default: \
                 /var/lib/headroom/run.json for root, else $XDG_STATE_HOME/headroom/run.json]",
            ),
    ]
}

fn duration(text: &str) -> Result<Duration, String> {
    match scalar::parse(Kind::Duration, text) {
        Ok(Value::Number(seconds)) if seconds > 0.0 => {
            Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())
        }
        _ => Err("this is no duration (30s, 5m and 1h are)".to_owned()),
    }
}

/// Where a peer `listen://[ADDRESS][:PORT]` listens.
pub(crate) fn address(peer: &str) -> Result<SocketAddr, Failure> {
    let text = peer.strip_prefix(SCHEME).unwrap_or(peer).trim_end_matches('/');
    let any = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    let bare = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
    let only_port = text.strip_prefix(':').and_then(|port| port.parse().ok());
    let found = match (text, only_port) {
        ("", _) => Some(SocketAddr::new(any, DEFAULT_PORT)),
        (_, Some(port)) => Some(SocketAddr::new(any, port)),
        _ => text.parse().ok().or_else(|| Some(SocketAddr::new(bare.parse().ok()?, DEFAULT_PORT))),
    };
    found.ok_or_else(|| {
        Failure::arguments(
            format!("`{peer}` is no address to listen at"),
            "give an address of this machine: listen://10.0.0.1:7117, listen://[fd00::1]:7117, or listen://:7117 \
             for any",
        )
    })
}

impl NodeWait {
    /// As the arguments say, until `cancelled`.
    pub(crate) fn of(matches: &ArgMatches, cancelled: &Arc<AtomicBool>) -> Self {
        Self {
            within: matches.get_one("join-within").copied().unwrap_or(10 * STILL),
            key_file: matches.get_one::<PathBuf>("key-file").cloned(),
            cancelled: Arc::clone(cancelled),
        }
    }

    /// The node that dials, at last. Fails if nothing can be listened at, nobody came, or the
    /// person stopped it.
    pub(crate) fn receive(&self, peer: &str, patience: Duration) -> Result<NodeAgent, Failure> {
        let at = address(peer)?;
        let path = self.key_file.clone().map_or_else(|| NodeIdentity::usual_path(RUN_FILE), Ok);
        let identity = path.and_then(|path| NodeIdentity::kept(&path, false)).map_err(of_identity)?;
        let reception = ReverseAccept::open(at, identity, patience, Box::new(tell)).map_err(of_gate)?;
        output::note(&invitation(reception.join_strings(), self.within));
        let port = reception.address().port();
        let cancelled = Arc::clone(&self.cancelled);
        let goes_on = Box::new(move || !cancelled.load(Ordering::Relaxed));
        let (began, mut said) = (Instant::now(), Duration::ZERO);
        let mut waits = || {
            let waited = began.elapsed();
            if waited >= said + STILL && waited < self.within {
                said = waited;
                let left = spoken(self.within.saturating_sub(waited));
                output::note(&format!("Still waits for the other machine; {left} left.\n"));
            }
            !self.cancelled.load(Ordering::Relaxed)
        };
        let agent = NodeAgent::receive(reception, self.within, &mut waits, goes_on);
        agent.ok_or_else(|| match self.cancelled.load(Ordering::Relaxed) {
            true => Failure::Interrupted,
            false => Failure::refused(
                format!("the other machine did not connect within {}", spoken(self.within)),
                format!(
                    "run the line above there while this waits, with an address at which that machine reaches this \
                     one; a firewall here must let TCP port {port} in; `--join-within 30m` waits longer"
                ),
            ),
        })
    }
}

/// What to type at the other machine.
fn invitation(joins: &[JoinString], within: Duration) -> String {
    let which = match joins {
        [_] => "Run this there:",
        _ => "Run one of these there, with the address at which it reaches this machine:",
    };
    let mut text = format!("Waiting for the other machine to connect. {which}\n\n");
    for join in joins {
        text.push_str(&format!("headroom node --join '{}'\n", join.secret()));
    }
    text.push_str(&format!("\nThis waits for {}; Ctrl-C ends it.\n", spoken(within)));
    text
}

/// A duration as a person says it.
fn spoken(duration: Duration) -> String {
    let seconds = duration.as_secs_f64().round() as u64;
    match (seconds / 60, seconds % 60) {
        (0, 0) => format!("{} ms", duration.as_millis()),
        (0, seconds) => format!("{seconds} s"),
        (minutes, 0) => format!("{minutes} min"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    }
}

/// Prints what the acceptor does, a line each.
fn tell(event: NodeEvent) {
    let line = match event {
        NodeEvent::Came { from, version } => format!("{from} (headroom {version}) has joined"),
        NodeEvent::Refused { from, why } => format!("{from} was turned away: {why}"),
        NodeEvent::Went { .. } => return,
    };
    output::note(&format!("{}\n", report::text::printable(&line)));
}

fn of_gate(error: NodeError) -> Failure {
    let help = match &error {
        NodeError::Identity(_) => "see what `--key-file` names",
        NodeError::System(_) => "see whether the machine has memory and open files left",
        NodeError::Listen { source, .. } => match source.kind() {
            ErrorKind::AddrInUse => {
                "another program listens there, perhaps a node or another run; `--peer listen://:PORT` takes another \
                 port"
            }
            ErrorKind::AddrNotAvailable => "that is no address of this machine: `ip address` shows them",
            ErrorKind::PermissionDenied => {
                "ports below 1024 are root's; `--peer listen://:PORT` takes another"
            }
            _ => "`--peer listen://ADDRESS:PORT` takes another address or port",
        },
    };
    Failure::refused(error.to_string(), help)
}

fn of_identity(error: IdentityError) -> Failure {
    let help = match &error {
        IdentityError::Open(path) => {
            format!(
                "if nobody has read it, `chmod 600 {0}` is enough; else `rm {0}`: the next run makes another",
                path.display()
            )
        }
        IdentityError::Invalid(path) => {
            format!(
                "`rm {}`: the next run makes another, and older join strings are worth nothing then",
                path.display()
            )
        }
        IdentityError::Foreign(_) | IdentityError::File { .. } | IdentityError::NoPlace => {
            "`--key-file PATH` names another".to_owned()
        }
        IdentityError::Certificate(_) => "this is a fault of Headroom: please report it".to_owned(),
    };
    Failure::refused(error.to_string(), help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_and_port_may_both_be_left_out() {
        for (text, means) in [
            ("listen://", "0.0.0.0:7117"),
            ("listen://:80", "0.0.0.0:80"),
            ("listen://10.0.0.1", "10.0.0.1:7117"),
            ("listen://10.0.0.1:80", "10.0.0.1:80"),
            ("listen://[fd00::1]", "[fd00::1]:7117"),
            ("listen://[::]:80", "[::]:80"),
        ] {
            assert_eq!(address(text).unwrap().to_string(), means);
        }
        for wrong in
            ["listen://name:80", "listen://:", "listen://:65536", "listen://10.0.0.1:", "listen://[10"]
        {
            assert!(address(wrong).unwrap_err().message().contains("no address"), "{wrong}");
        }
    }

    #[test]
    fn times_are_said_as_people_say_them() {
        for (ms, said) in [(300, "300 ms"), (2_000, "2 s"), (300_000, "5 min"), (270_400, "4 min 30 s")] {
            assert_eq!(spoken(Duration::from_millis(ms)), said);
        }
        assert_eq!(duration("5m").unwrap(), Duration::from_secs(300));
        assert!(duration("0s").is_err() && duration("soon").is_err());
    }
}
