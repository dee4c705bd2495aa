//! A loop device that is attached to another file under its name, at some time in a
//! run that was allowed to overwrite the first: the other file is not written to.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::Attack;
use crate::process::{PATIENCE, tool};
use crate::round::{Round, Trouble};

pub(super) const ATTACK: Attack = Attack {
    name: "swap-device",
    about: "attaches a device to another file in a run that overwrites it; the other file stays as it was",
    round,
};

const LENGTH: usize = 16 << 20;

/// A loop device on a file in a folder, detached when the round ends.
struct Disk(String, PathBuf);

impl Drop for Disk {
    fn drop(&mut self) {
        // Between two files its number was free, and may be another program's now.
        let backing = format!("/sys/block/{}/loop/backing_file", self.0.trim_start_matches("/dev/"));
        if std::fs::read_to_string(backing).is_ok_and(|file| Path::new(&file).starts_with(&self.1)) {
            // The kernel detaches it when its last user closes it.
            let _ = Command::new("losetup").args(["--detach", &self.0]).status();
        }
    }
}

fn round(round: &mut Round) -> Result<(), Trouble> {
    let (given, precious) = (round.path("given"), round.path("precious"));
    let unready = |e: std::io::Error| Trouble::Untried(format!("an image: {e}"));
    let content = round.bytes(LENGTH);
    File::create(&given).and_then(|file| file.set_len(LENGTH as u64)).map_err(unready)?;
    File::create(&precious).and_then(|mut file| file.write_all(&content)).map_err(unready)?;
    let has_signature = round.below(2) == 0;
    if has_signature {
        tool("mkfs.ext4", &["-q", "-F", &precious])?;
    }
    let before = std::fs::read(&precious).map_err(unready)?;
    let device = tool("losetup", &["--find", "--show", &given])?.trim().to_owned();
    let disk = Disk(device, round.folder().to_owned());
    let pattern = round.pick(&["write", "randwrite", "trim", "randrw"]);
    let words = ["run", "disk", "--target", &disk.0, "--destroy", &disk.0, "--pattern", pattern];
    let more = ["--duration", "60ms", "--warm-up", "10ms", "--trials", "6"];
    let mut run = round.start(&[&words[..], &more].concat())?;
    if !has_signature {
        // Before that, what the device holds is what is given up. A signature would be
        // seen then, too.
        round.wait_until_looked_at(&mut run);
    }
    round.wait(Duration::from_millis(900));
    // Then nobody holds the device until there is another agent.
    if round.below(2) == 0 && run.kill_agents() {
        round.count("agents killed before");
    }
    let is_swapped = attach_again(&disk.0, &precious, Duration::from_millis(800));
    round.count(match (is_swapped, run.has_ended()) {
        (true, false) => "swapped under a run",
        (true, true) => "swapped after the run",
        (false, _) => "the run held the device",
    });
    let ended = run.end(PATIENCE, &[])?;
    if ended.code() == Some(2) && ended.said.contains("without a medium") {
        // It looked at the moment between two files.
        round.count("refused, for there was no file");
    } else {
        ended.with(&[0, 1, 3])?;
    }
    round.nobody_is_left()?;
    let _ = tool("blockdev", &["--flushbufs", &disk.0]);
    let after = std::fs::read(&precious).map_err(unready)?;
    match before.iter().zip(&after).position(|(one, other)| one != other) {
        None if before.len() == after.len() => Ok(()),
        place => Err(Trouble::Fault(format!("the other file was overwritten, first at {place:?}"))),
    }
}

/// Attaches the device to another file, if nobody holds it for so long.
fn attach_again(device: &str, file: &str, patience: Duration) -> bool {
    let quiet = |arguments: &[&str]| {
        Command::new("losetup").args(arguments).output().is_ok_and(|output| output.status.success())
    };
    let until = Instant::now() + patience;
    quiet(&["--detach", device]);
    while Instant::now() < until {
        if quiet(&[device, file]) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    false
}
