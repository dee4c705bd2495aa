//! Kills of a run with a load on a database: SQLite in the target, or a server that Headroom started there, while its
//! folder is made ready, its tables are filled, or it is measured. No server outlives who started it, and nothing is left
//! in the target after `headroom restore`.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::{Attack, kill};
use crate::process::send;
use crate::round::{Round, Trouble};

pub(super) const ATTACK: Attack = Attack {
    name: "kill-database",
    about: "kills a run with a load on SQLite or on a server that it started; no server stays, and `headroom restore` leaves nothing",
    round,
};

/// What runs, what is counted of it, a file that is there where it can run, and how long it takes until it is measured.
struct Target {
    words: &'static [&'static str],
    count: &'static str,
    needs: &'static str,
    ready: Duration,
}

const TARGETS: &[Target] = &[
    Target {
        words: &["db.oltp", "--rows", "500", "--mix", "write-only", "--clients", "4"],
        count: "loads on SQLite",
        needs: "/",
        ready: Duration::from_millis(1500),
    },
    Target {
        words: &["db.tpcb", "--journal-mode", "delete"],
        count: "loads on SQLite",
        needs: "/",
        ready: Duration::from_secs(3),
    },
    Target {
        words: &["db.oltp", "--rows", "500", "--mix", "read-write", "--clients", "4", "--start", "mariadb"],
        count: "loads on a MariaDB of ours",
        needs: "/usr/sbin/mariadbd",
        ready: Duration::from_secs(8),
    },
    Target {
        words: &["db.slap", "--mix", "write", "--clients", "4", "--start", "postgres"],
        count: "loads on a PostgreSQL of ours",
        needs: "/usr/lib/postgresql",
        ready: Duration::from_secs(8),
    },
];

/// How long a server may take to end after who started it.
const TO_END: Duration = Duration::from_secs(30);

fn round(round: &mut Round) -> Result<(), Trouble> {
    let target = round.path("target");
    // Root has another user run the server, who must be able to come there.
    let open = |path: &str| fs::set_permissions(path, Permissions::from_mode(0o755));
    let made = open(&round.path("")).and_then(|()| fs::create_dir(&target)).and_then(|()| open(&target));
    made.map_err(|e| Trouble::Untried(format!("the target: {e}")))?;
    let there: Vec<&Target> = TARGETS.iter().filter(|target| Path::new(target.needs).exists()).collect();
    // In turn, so that few rounds try all of them.
    let turn = usize::try_from(round.seed() % there.len().max(1) as u64).unwrap_or(0);
    let Some(load) = there.get(turn) else { return Err(Trouble::Untried("there is no database".to_owned())) };
    round.count(load.count);
    let mut arguments = vec!["run"];
    arguments.extend(load.words);
    arguments.extend(["--target", &target, "--duration", "60ms", "--warm-up", "10ms", "--trials", "8"]);
    let run = round.start(&arguments)?;
    round.wait(load.ready);
    let (ended, is_both) = kill::at_some_time(round, run, Duration::from_millis(1500))?;
    round.nobody_is_left()?;
    no_server_is_left(&target)?;
    if ended.code() == Some(3) && names(&target).is_empty() && load.needs != "/" {
        round.count("of these, refused");
    }
    let left = names(&target);
    if left.iter().any(|name| !name.starts_with(".headroom-tree-")) {
        return Err(Trouble::Fault(format!("files are left: {left:?}")));
    }
    if !left.is_empty() {
        round.count(if is_both {
            "trees left until `restore`"
        } else {
            "trees that were left though somebody lived on"
        });
    }
    let restored = round.run(&["restore"])?.with(&[0])?;
    let after = names(&target);
    if !after.is_empty() {
        return Err(restored.fault(&format!("`restore` leaves {after:?}")));
    }
    // Twice is as once.
    let again = round.run(&["restore"])?.with(&[0])?;
    if !again.printed.contains("There is nothing to put back") {
        return Err(again.fault("the second `restore` found something"));
    }
    if round.stored()?.is_some() {
        round.run(&["show", "last"])?.with(&[0])?;
    }
    Ok(())
}

/// Servers have nothing of our environment: they are known by where they work.
fn no_server_is_left(target: &str) -> Result<(), Trouble> {
    let until = Instant::now() + TO_END;
    loop {
        let living = working_in(target);
        if living.is_empty() {
            return Ok(());
        }
        if Instant::now() >= until {
            living.iter().for_each(|id| send(*id, Signal::KILL));
            return Err(Trouble::Fault(format!("processes of a server are left: {living:?}")));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The processes that work in a folder, or below.
fn working_in(folder: &str) -> Vec<u32> {
    let Ok(folder) = fs::canonicalize(folder) else { return Vec::new() };
    let works_there =
        |id: &u32| fs::read_link(format!("/proc/{id}/cwd")).is_ok_and(|path| path.starts_with(&folder));
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(works_there).collect()
}

/// What is in a folder.
pub(super) fn names(target: &str) -> Vec<String> {
    let entries = fs::read_dir(target).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}
