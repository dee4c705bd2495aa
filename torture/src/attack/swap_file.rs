//! Another file that is renamed onto the name of one that was given up, at some time:
//! it is not written to.

use std::fs;
use std::time::Duration;

use super::Attack;
use crate::process::PATIENCE;
use crate::round::{Round, Trouble};

pub(super) const ATTACK: Attack = Attack {
    name: "swap-file",
    about: "renames a file, or links it, onto a name that was given up; it stays as it was",
    round,
};

const LENGTH: usize = 4 << 20;

fn round(round: &mut Round) -> Result<(), Trouble> {
    let (given, precious) = (round.path("given"), round.path("precious"));
    let unready = |e: std::io::Error| Trouble::Untried(format!("a file: {e}"));
    let content = round.bytes(LENGTH);
    fs::write(&given, vec![0; LENGTH]).map_err(unready)?;
    fs::write(&precious, &content).map_err(unready)?;
    let pattern = round.pick(&["write", "randwrite", "randrw"]);
    let engine = round.pick(&["sync", "io_uring", "mmap"]);
    let words =
        ["run", "disk", "--target", &given, "--destroy", &given, "--pattern", pattern, "--engine", engine];
    let more = ["--duration", "60ms", "--warm-up", "10ms", "--trials", "6"];
    let mut run = round.start(&[&words[..], &more].concat())?;
    // Before that, the file of this name is the one that is given up.
    round.wait_until_looked_at(&mut run);
    round.wait(Duration::from_millis(800));
    if round.below(3) == 0 && run.kill_agents() {
        round.count("agents killed before");
    }
    let kept = round.path("kept");
    match round.below(3) {
        // The name is the precious file, and nothing else is.
        0 => fs::rename(&precious, &given).map_err(unready)?,
        // The precious file has the name too.
        1 => {
            fs::remove_file(&given).map_err(unready)?;
            fs::hard_link(&precious, &given).map_err(unready)?;
        }
        _ => {
            fs::remove_file(&given).map_err(unready)?;
            std::os::unix::fs::symlink(&precious, &given).map_err(unready)?;
        }
    }
    round.count(if run.has_ended() { "swapped after the run" } else { "swapped under a run" });
    run.end(PATIENCE, &[])?.with(&[0, 1, 3])?;
    round.nobody_is_left()?;
    fs::rename(&given, &kept)
        .map_err(|e| Trouble::Fault(format!("the name is gone, and what it named: {e}")))?;
    let after = fs::read(if fs::exists(&precious).unwrap_or(false) { &precious } else { &kept });
    match after {
        Ok(after) if after == content => Ok(()),
        Ok(_) => Err(Trouble::Fault("the other file was overwritten".to_owned())),
        Err(e) => Err(Trouble::Fault(format!("the other file is gone: {e}"))),
    }
}
