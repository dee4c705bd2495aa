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
    node.end(PATIENCE, &[])?.with(&[0, 130]).map(|_| ())
}

fn round(round: &mut Round) -> Result<(), Trouble> {
    let (node, join) = node(round, &[])?;
    let load = round.pick(&["net.stream", "net.pingpong", "net.connect"]);
    let words = ["run", load, "--peer", &join, "--duration", "80ms", "--warm-up", "10ms", "--trials", "8"];
    let mut run = round.start(&words)?;
    let attack = round.below(5);
    // Agents live during a part of the run only.
    let until = Instant::now() + Duration::from_secs(3);
    let has_agents = |run: &Running| match attack {
        1 => !node.children().is_empty(),
        2 => !run.children().is_empty(),
        _ => true,
    };
    while !has_agents(&run) && !run.has_ended() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    round.wait(Duration::from_millis(if matches!(attack, 1 | 2) { 700 } else { 1800 }));
    if run.has_ended() {
        round.count("too late: it had ended");
        run.end(PATIENCE, &[])?.with(&[0])?;
        return end(node);
    }
    let is_early = run.children().is_empty();
    let counted = |is_done: bool, what: &'static str| if is_done { what } else { "no agent to kill" };
    match attack {
        0 => {
            node.signal_group(Signal::KILL);
            node.children().into_iter().for_each(|id| send(id, Signal::KILL));
            round.count("nodes killed");
            run.end(PATIENCE, &[])?.with(&[0, 1, 3])?;
            return node.end(PATIENCE, &[Signal::KILL]).map(|_| ());
        }
        1 => {
            round.count(counted(node.kill_agents(), "agents of nodes killed"));
            run.end(PATIENCE, &[])?.with(&[0, 1, 3])?;
        }
        2 => {
            round.count(counted(run.kill_agents(), "agents of runs killed"));
            run.end(PATIENCE, &[])?.with(&[0, 1, 3])?;
        }
        3 => {
            run.signal_group(Signal::KILL);
            round.count("runs killed");
            run.end(PATIENCE, &[Signal::KILL])?;
        }
        _ => {
            run.signal(Signal::INT);
            round.count("runs interrupted");
            let ended = run.end(PATIENCE, &[Signal::INT])?;
            if !is_early {
                ended.with(&[0, 130])?;
            }
        }
    }
    served(round, &join)?;
    round.count("served afterwards");
    end(node)
}
