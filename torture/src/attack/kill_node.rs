//! Kills on either side of a trial of two machines: the other side notices, and a
//! node that lives serves the next run.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::Attack;
use crate::process::{PATIENCE, Running, send};
use crate::round::{Round, Trouble};

pub(super) const ATTACK: Attack = Attack {
    name: "kill-node",
    about: "kills a node, a run or an agent of either; the other side ends, and a node that lives goes on",
    round,
};

/// A node at a port of the kernel's choice, and what lets one in.
pub(super) fn node(round: &Round, more: &[&str]) -> Result<(Running, String), Trouble> {
    let words = ["node", "--listen", "127.0.0.1:0", "--key-file", "node.json"];
    let mut node = round.start(&[&words[..], more].concat())?;
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let printed = node.printed();
        if let Some(join) = printed.lines().find(|line| line.starts_with("headroom://")) {
            return Ok((node, join.to_owned()));
        }
        if node.has_ended() || Instant::now() > until {
            return Err(Trouble::Fault(format!("the node does not start: {}", node.said())));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A run with the node as peer that must be well.
pub(super) fn served(round: &Round, join: &str) -> Result<(), Trouble> {
    let words =
        ["run", "net.pingpong", "--peer", join, "--duration", "30ms", "--warm-up", "0", "--trials", "1"];
    round.run(&words)?.with(&[0]).map(|_| ())
}

/// Ends a node as its user does.
pub(super) fn end(node: Running) -> Result<(), Trouble> {
    node.signal(Signal::TERM);
    node.end(PATIENCE, false)?.with(&[0, 130]).map(|_| ())
}

fn round(round: &mut Round) -> Result<(), Trouble> {
    let (node, join) = node(round, &[])?;
    let load = round.pick(&["net.stream", "net.pingpong", "net.connect"]);
    let words = ["run", load, "--peer", &join, "--duration", "80ms", "--warm-up", "10ms", "--trials", "8"];
    let mut run = round.start(&words)?;
    round.wait(Duration::from_millis(1800));
    if run.has_ended() {
        round.count("too late: it had ended");
    }
    let agents = |of: &Running| of.children().into_iter().for_each(|id| send(id, Signal::KILL));
    let lives = match round.below(5) {
        0 => {
            node.signal_group(Signal::KILL);
            round.count("nodes killed");
            false
        }
        1 => {
            agents(&node);
            round.count("agents of nodes killed");
            true
        }
        2 => {
            agents(&run);
            round.count("agents of runs killed");
            true
        }
        3 => {
            run.signal_group(Signal::KILL);
            round.count("runs killed");
            true
        }
        _ => {
            run.signal(Signal::INT);
            round.count("runs interrupted");
            true
        }
    };
    run.end(PATIENCE, true)?;
    if !lives {
        return node.end(PATIENCE, true).map(|_| ());
    }
    served(round, &join)?;
    round.count("served afterwards");
    end(node)
}
