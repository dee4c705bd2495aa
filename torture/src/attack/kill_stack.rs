//! Kills of a run with a load on a storage stack, while the stack is made, driven, or taken down. After
//! `headroom restore`, or the next run, nothing of it is left: no mount, no loop device, no file; what else is in the
//! target is as it was. The mounts are in a namespace of the round, so that a fault leaves none on the machine.

use std::fs;
use std::time::{Duration, Instant};

use super::kill_database::names;
use super::{Attack, kill};
use crate::namespaces::Namespaces;
use crate::process::{Ended, PATIENCE, Running};
use crate::round::{Round, Trouble};

pub(super) const ATTACK: Attack = Attack {
    name: "kill-stack",
    about: "kills a run with a load on a storage stack; `headroom restore`, or the next run, leaves nothing of it",
    round,
};

/// The stacks, and how rounds with each are counted.
const STACKS: &[(&str, &str)] = &[
    ("loop > ext4", "stacks of ext4"),
    ("loop > btrfs", "stacks of btrfs"),
    ("loop > partition > ext4", "stacks of ext4 on a partition"),
];

/// How large a stack is, and how much of it is driven.
const SMALL: [&str; 4] = ["--member-size", "512MiB", "--size", "16MiB"];

/// In about this time a stack is made and driven.
const READY: Duration = Duration::from_secs(3);
/// How long loop devices may take to go after the last who had them open.
const TO_GO: Duration = Duration::from_secs(30);

/// A file in the target that is none of ours.
const PRECIOUS: &str = "precious";

fn round(round: &mut Round) -> Result<(), Trouble> {
    let target = round.path("target");
    let precious = format!("{target}/{PRECIOUS}");
    let content = round.bytes(64 << 10);
    fs::create_dir(&target)
        .and_then(|()| fs::write(&precious, &content))
        .map_err(|e| Trouble::Untried(format!("the target: {e}")))?;
    let namespaces = Namespaces::new()?;
    let (stack, count) = possible(round, &namespaces, &target)?;
    round.count(count);
    let mut arguments = vec!["run", "disk", "--stack", stack, "--target", target.as_str()];
    arguments.extend(SMALL);
    arguments.extend(["--pattern", "randwrite", "--duration", "60ms", "--warm-up", "10ms", "--trials", "6"]);
    if round.below(2) == 0 {
        // Each layer has a stack of its own.
        arguments.push("--layers");
        round.count("of these, each layer by itself");
    }
    let run = Running::start(namespaces.headroom(round, &arguments))?;
    round.wait(READY);
    let (_, is_both) = kill::at_some_time(round, run, Duration::from_secs(2))?;
    round.nobody_is_left()?;
    if !written_down(round).is_empty() || !mounts(round, &namespaces)?.is_empty() {
        round.count(if is_both {
            "stacks left until `restore`"
        } else {
            "stacks that were left though somebody lived on"
        });
    }
    if round.below(3) == 0 {
        round.count("taken down by the next run");
        let next = ["run", "null", "--duration", "10ms", "--warm-up", "0", "--trials", "1"];
        headroom(round, &namespaces, &next)?.with(&[0])?;
        nothing_is_left(round, &namespaces, &target)?;
    }
    headroom(round, &namespaces, &["restore"])?.with(&[0])?;
    nothing_is_left(round, &namespaces, &target)?;
    // Twice is as once.
    let again = headroom(round, &namespaces, &["restore"])?.with(&[0])?;
    if !again.printed.contains("There is nothing to put back") {
        return Err(again.fault("the second `restore` found something"));
    }
    match fs::read(&precious) {
        Ok(after) if after == content => {}
        Ok(_) => return Err(Trouble::Fault("a file beside the stack was overwritten".to_owned())),
        Err(e) => return Err(Trouble::Fault(format!("a file beside the stack is gone: {e}"))),
    }
    if round.stored()?.is_some() {
        round.run(&["show", "last"])?.with(&[0])?;
    }
    Ok(())
}

/// `headroom ARGUMENTS` where the stack is mounted, to its end.
fn headroom(round: &Round, namespaces: &Namespaces, arguments: &[&str]) -> Result<Ended, Trouble> {
    Running::start(namespaces.headroom(round, arguments))?.end(PATIENCE, &[])
}

/// A stack that can be made here: in turn, so that few rounds try all of them.
fn possible(
    round: &Round,
    namespaces: &Namespaces,
    target: &str,
) -> Result<(&'static str, &'static str), Trouble> {
    let turn = usize::try_from(round.seed() % STACKS.len() as u64).unwrap_or(0);
    let mut why = String::new();
    for &(stack, count) in STACKS.iter().cycle().skip(turn).take(STACKS.len()) {
        let plan = ["run", "disk", "--stack", stack, "--target", target, "--dry-run"];
        let ended = headroom(round, namespaces, &[&plan[..], &SMALL].concat())?;
        match ended.code() {
            Some(0) => return Ok((stack, count)),
            Some(3) => why = ended.said,
            _ => return Err(ended.fault("a stack could not be planned")),
        }
    }
    Err(Trouble::Untried(format!("no storage stack can be made here: {}", why.trim())))
}

/// # Errors
/// If something of a stack is left, for longer than loop devices may take.
fn nothing_is_left(round: &Round, namespaces: &Namespaces, target: &str) -> Result<(), Trouble> {
    let until = Instant::now() + TO_GO;
    loop {
        let files = names(target).into_iter().filter(|name| name != PRECIOUS);
        let mounts = mounts(round, namespaces)?;
        let left: Vec<String> =
            files.chain(written_down(round)).chain(mounts).chain(loop_devices(round)).collect();
        if left.is_empty() {
            return Ok(());
        }
        if Instant::now() >= until {
            return Err(Trouble::Fault(format!("of a stack is left: {}", left.join("; "))));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// What is in the list of stacks.
fn written_down(round: &Round) -> Vec<String> {
    names(&round.path("state/stacks"))
}

/// What is mounted in the folder of the round.
fn mounts(round: &Round, namespaces: &Namespaces) -> Result<Vec<String>, Trouble> {
    let all = namespaces.tool(round, "cat", &["/proc/self/mountinfo"])?;
    let folder = folder(round);
    Ok(all.lines().filter(|line| line.contains(&folder)).map(|line| format!("the mount {line}")).collect())
}

/// The files in the folder of the round on which loop devices stand.
fn loop_devices(round: &Round) -> Vec<String> {
    let devices = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let files = devices.filter_map(|device| fs::read_to_string(device.path().join("loop/backing_file")).ok());
    let folder = folder(round);
    let own = files.filter(|file| file.contains(&folder));
    own.map(|file| format!("a loop device on {}", file.trim())).collect()
}

/// The folder of the round, as the kernel calls it.
fn folder(round: &Round) -> String {
    let folder = fs::canonicalize(round.folder()).unwrap_or_else(|_| round.folder().to_owned());
    folder.to_string_lossy().into_owned()
}
