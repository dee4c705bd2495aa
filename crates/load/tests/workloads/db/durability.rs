//! Databases whose process is killed. SQLite works in the process of its clients, which is this program, started again
//! as `sqlite_commits`: the word by which `headroom` knows that command is the name of one test here.

use std::io::Write;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use load::workload::db::durability::commit_until_killed;

use super::Bench;

/// The other end of the clients, if this is their process.
fn is_asked() -> Option<UnixStream> {
    std::env::args().nth(1).filter(|word| word == "sqlite_commits")?;
    let input = std::io::stdin().as_fd().try_clone_to_owned().ok().map(UnixStream::from)?;
    input.peer_addr().is_ok().then_some(input)
}

#[test]
fn sqlite_commits_are_those_that_are_asked_for() {
    if let Some(stream) = is_asked() {
        return commit_until_killed(stream).unwrap();
    }
    for line in ["{}\n", "\n", "{\"path\": 1}\n"] {
        let (mut ours, theirs) = UnixStream::pair().unwrap();
        ours.write_all(line.as_bytes()).unwrap();
        assert!(commit_until_killed(theirs).is_err(), "{line}");
    }
}

/// What the kernel has outlives a process, so that no setting of SQLite that can roll back loses anything.
#[test]
fn a_kill_of_its_process_takes_no_commit_from_sqlite() {
    for (journal_mode, synchronous, clients) in
        [("wal", "full", "3"), ("wal", "off", "1"), ("delete", "extra", "2")]
    {
        let given = [
            ("journal-mode", journal_mode),
            ("synchronous", synchronous),
            ("clients", clients),
            ("rounds", "2"),
            ("kill-within", "200ms"),
        ];
        let bench = Bench::of("db.durability", &given);
        let measured = bench.run().unwrap();
        let what = format!("{given:?}: {:?}", measured.metrics);
        assert!(measured.metric("acknowledged_commits") > 0.0, "{what}");
        assert_eq!(measured.metric("lost_commits"), 0.0, "{what}");
        assert_eq!(measured.metric("lost_share"), 0.0, "{what}");
        // One of each client at most, at each kill; a round of the warm-up is among them.
        let most = 3.0 * clients.parse::<f64>().unwrap();
        assert!(measured.metric("unacknowledged_commits") <= most, "{what}");
        assert!(measured.metric("recovery_time") > 0.0, "{what}");
        assert!(measured.metric("commits_per_second") > 0.0, "{what}");
        assert_eq!(
            (measured.fact("journal_mode"), measured.fact("synchronous")),
            (journal_mode, synchronous)
        );
        bench.end();
    }
}

#[test]
fn a_database_that_is_not_ours_is_not_killed() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let refused = |given: &[(&str, &str)]| {
        super::surveyed_of("db.durability", folder.path(), given).err().expect("it is refused")
    };
    for url in ["postgres://me@here/x", "mysql://me@here/x", "sqlite:/var/lib/somebody.db"] {
        assert!(refused(&[("url", url)]).contains("kills its database"), "{url}");
    }
    assert!(refused(&[("threads", "2")]).contains("one after the other"));
    assert!(refused(&[("rate", "5/s")]).contains("one after the other"));
    assert!(refused(&[("rounds", "51")]).contains("51 rounds"));
    assert!(refused(&[("clients", "257")]).contains("257 clients"));
    assert!(refused(&[("kill-within", "61s")]).contains("kill-within"));
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}
