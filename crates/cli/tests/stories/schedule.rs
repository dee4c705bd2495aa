//! Units that `headroom schedule` writes: what systemd says of them, where it is there, and what is left of them.

use std::process::Command;

use crate::common::{StoryFolder, flat, stderr, stdout};

#[test]
fn units_are_written_only_where_that_is_asked_for_and_systemd_takes_them() {
    let place = StoryFolder::new();
    let command = ["schedule", "null", "--every", "1d", "--between", "01:00-05:00", "--budget", "1m"];
    let options = ["--", "--duration", "100ms"];
    // The story's store is an option of its own, before those of the run.
    let run = |more: &[&str]| {
        let store = place.store();
        let typed = [&command[..], more, &["--store", store.to_str().unwrap()], &options[..]].concat();
        let mut program = Command::new(crate::common::program());
        program.args(&typed).current_dir(place.path()).output().unwrap()
    };
    let printed = run(&[]);
    assert_eq!(printed.status.code(), Some(0), "{}", stderr(&printed));
    assert!(stdout(&printed).contains(" run null --duration 100ms --budget 1m --tag schedule=null --store "));
    assert_eq!(place.names(), Vec::<String>::new());

    let written = run(&["--to", "."]);
    assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
    assert_eq!(place.names(), ["headroom-null.service", "headroom-null.timer"]);
    for (unit, keys) in [
        ("headroom-null.service", ["[Unit]", "[Service]", "Type=oneshot", "TimeoutStartSec=14400"]),
        ("headroom-null.timer", ["[Unit]", "[Timer]", "OnCalendar=*-*-* 01:00:00", "WantedBy=timers.target"]),
    ] {
        let text = std::fs::read_to_string(place.path().join(unit)).unwrap();
        for key in keys {
            assert!(text.lines().any(|line| line == key), "{unit} lacks {key}: {text}");
        }
    }
    let verify = ["verify", "./headroom-null.service", "./headroom-null.timer"];
    match Command::new("systemd-analyze").args(verify).current_dir(place.path()).output() {
        Ok(verified) => assert!(verified.status.success(), "{}", stderr(&verified)),
        Err(_) => {
            eprintln!("SKIPPED: systemd-analyze is not installed; only the form of the units was looked at")
        }
    }
    let remove = ["schedule", "--remove", "null", "--to", "."];
    let removed =
        Command::new(crate::common::program()).args(remove).current_dir(place.path()).output().unwrap();
    assert_eq!(removed.status.code(), Some(0), "{}", stderr(&removed));
    assert_eq!(place.names(), Vec::<String>::new());
}

#[test]
fn a_password_is_kept_out_of_a_unit() {
    let place = StoryFolder::new();
    let url = "postgres://me:geheim@127.0.0.1/x";
    let typed = ["schedule", "db.oltp", "--every", "1d", "--to", ".", "--", "--url", url];
    let refused =
        Command::new(crate::common::program()).args(typed).current_dir(place.path()).output().unwrap();
    assert_eq!(refused.status.code(), Some(3), "{}", stderr(&refused));
    let said = flat(&stderr(&refused));
    assert!(said.contains("everybody may read a unit") && !said.contains("geheim"), "{said}");
    assert_eq!(place.names(), Vec::<String>::new());
}
