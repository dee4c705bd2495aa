//! Kills of a run with a load on a storage stack, while the stack is made, settings of its layers are changed or put back,
//! it is driven, or taken down. After `headroom restore`, or the next run, nothing of it is left: no mount, no array, no
//! mapping, no loop device, no file; what else is in the target, what stands beside the stack and is called much the same,
//! and the queues of all other disks are as they were. The mounts are in a namespace of the round, so that a fault leaves
//! none on the machine.

use std::fs;
use std::time::{Duration, Instant};

use super::beside::{self, Beside};
use super::kill_database::names;
use super::kill_settings::levels;
use super::{Attack, kill};
use crate::namespaces::Namespaces;
use crate::process::{Ended, PATIENCE, Running};
use crate::round::{Round, Trouble};

pub(super) const ATTACK: Attack = Attack {
    name: "kill-stack",
    about: "kills a run with a load on a storage stack; `headroom restore`, or the next run, leaves nothing of it",
    round,
};

/// A stack: how rounds with it are counted, the size of its members, the least number of things of it that are
/// written down, and the settings of its layers, of which a run asks for one or two.
struct Target {
    stack: &'static str,
    count: &'static str,
    member_size: &'static str,
    lines: u64,
    sets: &'static [&'static str],
    /// Those that a run with `--layers` asks for: of what each of its cases has.
    sets_of_each: &'static [&'static str],
}

/// The stacks. Some need a kernel with md and the device mapper, and so the guest.
const STACKS: &[Target] = &[
    Target {
        stack: "loop > ext4",
        count: "stacks of ext4",
        member_size: "512MiB",
        lines: 2,
        sets: &["queue-requests=64,100", "read-ahead@loop=1MiB", "mount-options=noatime"],
        sets_of_each: &["queue-requests=64", "read-ahead@loop=1MiB"],
    },
    Target {
        stack: "raid5(a+b+c; assume-clean=yes) > luks > lvm > ext4",
        count: "stacks of raid5, luks, lvm and ext4",
        member_size: "192MiB",
        lines: 7,
        sets: &[
            "queue-requests@members=64",
            "read-ahead@raid5=1MiB",
            "read-ahead@luks=512KiB",
            "read-ahead=256KiB",
            "mount-options=noatime",
        ],
        sets_of_each: &["queue-requests@members=64", "read-ahead@members=1MiB"],
    },
    Target {
        stack: "loop > btrfs",
        count: "stacks of btrfs",
        member_size: "512MiB",
        lines: 2,
        sets: &["queue-requests=64,100", "read-ahead=1MiB"],
        sets_of_each: &["queue-requests=64", "read-ahead=1MiB"],
    },
    Target {
        stack: "loop > partition > ext4",
        count: "stacks of ext4 on a partition",
        member_size: "512MiB",
        lines: 3,
        sets: &["queue-requests@loop=64", "read-ahead@loop=1MiB", "mount-options=noatime"],
        sets_of_each: &["queue-requests@loop=64", "read-ahead@loop=1MiB"],
    },
    Target {
        stack: "raid1(a+b; assume-clean=yes) > luks > xfs",
        count: "stacks of raid1, luks and xfs",
        member_size: "384MiB",
        lines: 5,
        sets: &[
            "queue-requests@members=64",
            "read-ahead@raid1=1MiB",
            "read-ahead=512KiB",
            "mount-options=noatime",
        ],
        sets_of_each: &["queue-requests@members=64", "read-ahead@members=1MiB"],
    },
];

/// How kills are counted that met a stack.
pub(crate) const OF_A_STACK: &str = "kills while a stack was there";

/// In so many times what a plan takes, a layer is made.
const A_LAYER: u32 = 4;
/// The same of the load and of taking down.
const TO_THE_END: u32 = 20;
/// How much of a stack is driven.
const SIZE: &str = "16MiB";

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
    // What was mounted of them is gone with the namespaces, which go first.
    let mut beside = Beside::default();
    let namespaces = Namespaces::new()?;
    beside.make(round, &namespaces)?;
    let (chosen, unit) = possible(round, &namespaces, &target)?;
    round.count(chosen.count);
    kill_one(round, &namespaces, &target, chosen, unit)?;
    if round.below(3) == 0 {
        next_run(round, &namespaces, &target, &beside)?;
    }
    headroom(round, &namespaces, &["restore"])?.with(&[0])?;
    nothing_is_left(round, &namespaces, &target, &beside)?;
    // Twice is as once.
    let again = headroom(round, &namespaces, &["restore"])?.with(&[0])?;
    if !again.printed.contains("There is nothing to put back") {
        return Err(again.fault("the second `restore` found something"));
    }
    beside.is_as_it_was(round, &namespaces)?;
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

/// Another run, which takes the stack down. Where settings are left it must be refused until `restore` has put them back.
fn next_run(
    round: &mut Round,
    namespaces: &Namespaces,
    target: &str,
    beside: &Beside,
) -> Result<(), Trouble> {
    let has_settings = kill::has_left_settings(round);
    let next = ["run", "null", "--duration", "10ms", "--warm-up", "0", "--trials", "1"];
    let ended = headroom(round, namespaces, &next)?;
    if has_settings {
        ended.with(&[3])?;
        round.count("next runs refused, for settings were left");
        return Ok(());
    }
    ended.with(&[0])?;
    round.count("taken down by the next run");
    nothing_is_left(round, namespaces, target, beside)
}

/// One or two of these settings, and how many cases they make together.
fn settings(round: &mut Round, all: &[&'static str]) -> (Vec<&'static str>, u64) {
    let name = |set: &'static str| set.split('=').next();
    let mut chosen = vec![round.pick(all)];
    let second = round.pick(all);
    if round.below(2) == 0 && name(second) != name(chosen[0]) {
        chosen.push(second);
    }
    let cases = chosen.iter().map(|set| levels(set)).product();
    (chosen, cases)
}

/// Starts a load on the stack and kills it at some time.
fn kill_one(
    round: &mut Round,
    namespaces: &Namespaces,
    target: &str,
    chosen: &Target,
    unit: Duration,
) -> Result<(), Trouble> {
    let mut arguments = vec!["run", "disk", "--stack", chosen.stack, "--target", target];
    arguments.extend(["--member-size", chosen.member_size, "--size", SIZE]);
    arguments.extend(["--pattern", "randwrite", "--duration", "60ms", "--warm-up", "10ms", "--trials", "3"]);
    // Whoever lives on carries out the rest, on each layer. What is measured for a verdict comes before the end of a case,
    // and may take a minute of each.
    arguments.push("--no-extra");
    let is_by_layer = round.below(2) == 0;
    if is_by_layer {
        // Each layer has a stack of its own.
        arguments.push("--layers");
        round.count("of these, each layer by itself");
    }
    let (sets, cases) = settings(round, if is_by_layer { chosen.sets_of_each } else { chosen.sets });
    sets.iter().for_each(|set| arguments.extend(["--set", *set]));
    let mut run = Running::start(namespaces.headroom(round, &arguments))?;
    if round.below(2) == 0 {
        wait_for_layer(round, &mut run, chosen.lines, unit);
    } else {
        kill::wait_for_change(round, &mut run, cases);
    }
    let was_there = !written_down(round).is_empty();
    let killed = kill::killed(round);
    let (ended, is_both) = kill::mostly_by_sigkill(round, run)?;
    round.count_times(OF_A_STACK, u64::from(was_there && kill::killed(round) > killed));
    round.nobody_is_left()?;
    if !written_down(round).is_empty() || !mounts(round, namespaces)?.is_empty() {
        round.count(if is_both {
            "stacks left until `restore`"
        } else {
            "stacks that were left though somebody lived on"
        });
    }
    settings_left(round, &ended, is_both)
}

/// Counts settings that are left where nobody could put them back.
///
/// # Errors
/// If somebody lived on, who had to.
fn settings_left(round: &mut Round, ended: &Ended, is_both: bool) -> Result<(), Trouble> {
    match (kill::has_left_settings(round), is_both) {
        (false, _) => Ok(()),
        (true, true) => {
            round.count("settings of layers left until `restore`");
            Ok(())
        }
        (true, false) => Err(ended.fault("who lived on left settings of layers changed until `restore`")),
    }
}

/// Waits for a moment after the run began, or after something of the stack was written down, which is before it is
/// made. After the last of it the load runs, and all is taken down. Machines differ, so that the length of a moment is
/// taken from how long a plan took.
fn wait_for_layer(round: &mut Round, run: &mut Running, lines: u64, unit: Duration) {
    let wanted = round.below(lines + 1);
    let folder = round.path("state/stacks");
    let until = Instant::now() + PATIENCE;
    while lines_in(&folder) < wanted && !run.has_ended() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    round.wait(unit * if wanted == lines { TO_THE_END } else { A_LAYER });
}

/// How much is written down of all stacks.
fn lines_in(folder: &str) -> u64 {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    // What is mounted is a folder.
    let texts = files.filter_map(|file| fs::read_to_string(file.path()).ok());
    texts.map(|text| text.lines().count() as u64).sum()
}

/// `headroom ARGUMENTS` where the stack is mounted, to its end.
fn headroom(round: &Round, namespaces: &Namespaces, arguments: &[&str]) -> Result<Ended, Trouble> {
    Running::start(namespaces.headroom(round, arguments))?.end(PATIENCE, &[])
}

/// A stack that can be made here, in turn, so that few rounds try all of them, and how long its plan took.
fn possible(
    round: &Round,
    namespaces: &Namespaces,
    target: &str,
) -> Result<(&'static Target, Duration), Trouble> {
    let turn = usize::try_from(round.seed() % STACKS.len() as u64).unwrap_or(0);
    let mut why = String::new();
    for chosen in STACKS.iter().cycle().skip(turn).take(STACKS.len()) {
        let plan = ["run", "disk", "--stack", chosen.stack, "--target", target, "--dry-run"];
        let sizes = ["--member-size", chosen.member_size, "--size", SIZE];
        let begun = Instant::now();
        let ended = headroom(round, namespaces, &[&plan[..], &sizes].concat())?;
        match ended.code() {
            Some(0) => return Ok((chosen, begun.elapsed())),
            Some(3) => why = ended.said,
            _ => return Err(ended.fault("a stack could not be planned")),
        }
    }
    Err(Trouble::Untried(format!("no storage stack can be made here: {}", why.trim())))
}

/// # Errors
/// If something of a stack is left, for longer than loop devices may take.
fn nothing_is_left(
    round: &Round,
    namespaces: &Namespaces,
    target: &str,
    beside: &Beside,
) -> Result<(), Trouble> {
    let until = Instant::now() + TO_GO;
    loop {
        let files = names(target).into_iter().filter(|name| name != PRECIOUS);
        let mounts = mounts(round, namespaces)?;
        let left: Vec<String> = files
            .chain(written_down(round))
            .chain(mounts)
            .chain(loop_devices(round))
            .chain(beside.newer())
            .chain(beside.changed_queues())
            .collect();
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
    let own = all.lines().filter(|line| line.contains(&folder) && !line.contains(beside::NAME));
    Ok(own.map(|line| format!("the mount {line}")).collect())
}

/// The files in the folder of the round on which loop devices stand.
fn loop_devices(round: &Round) -> Vec<String> {
    let devices = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    let files = devices.filter_map(|device| fs::read_to_string(device.path().join("loop/backing_file")).ok());
    let folder = folder(round);
    let own = files.filter(|file| file.contains(&folder) && !file.contains(beside::NAME));
    own.map(|file| format!("a loop device on {}", file.trim())).collect()
}

/// The folder of the round, as the kernel calls it.
fn folder(round: &Round) -> String {
    let folder = fs::canonicalize(round.folder()).unwrap_or_else(|_| round.folder().to_owned());
    folder.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_settings_that_who_lived_on_left_were_counted_and_no_fault() {
        let scratch = tempfile::tempdir().unwrap();
        let mut round = Round::new(std::path::Path::new("/bin/true"), scratch.path(), 1).unwrap();
        let ended = round.run(&[]).unwrap();
        settings_left(&mut round, &ended, false).unwrap();
        fs::create_dir(round.path("state")).unwrap();
        let journal = "{\"setting\":\"read-ahead\",\"resource\":\"block:dm-0\"}\n";
        fs::write(round.path("state/settings.journal"), journal).unwrap();
        settings_left(&mut round, &ended, true).unwrap();
        let left = settings_left(&mut round, &ended, false);
        assert!(matches!(&left, Err(Trouble::Fault(what)) if what.contains("lived on")), "{left:?}");
    }

    #[test]
    fn settings_are_of_layers_that_the_stack_has_and_differ() {
        let scratch = tempfile::tempdir().unwrap();
        let mut round = Round::new(std::path::Path::new("/bin/true"), scratch.path(), 1).unwrap();
        for target in STACKS {
            let mut most = 0;
            for all in [target.sets, target.sets_of_each].repeat(20) {
                let (chosen, cases) = settings(&mut round, all);
                assert!(cases == 1 || chosen.iter().any(|set| set.contains(',')), "{chosen:?}");
                let names: Vec<_> = chosen.iter().map(|set| set.split('=').next().unwrap()).collect();
                let layers = names.iter().filter_map(|name| Some(name.split_once('@')?.1));
                for layer in layers {
                    let is_there = layer == "members" || target.stack.contains(layer);
                    assert!(is_there, "{layer} of {}", target.stack);
                }
                assert!(names.len() == 1 || names[0] != names[1], "{names:?}");
                most = most.max(names.len());
            }
            assert_eq!(most, 2, "{}", target.stack);
        }
    }
}
