//! What goes wrong with databases: the reason is told, what is of others stays as it is, that trial has failed and the
//! others go on.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::common::{flat, program, stderr, stdout, trials, wait_for_trials};
use crate::database::server::{BOTH, OwnServer, PASSWORD, Product};
use crate::database::{DatabaseStory, ONCE, fact, metric, names_in, processes_in, reasons, word};

/// What is refused before anything is made, with the exit code and a part of what is said.
#[test]
fn what_cannot_be_is_told_before_anything_is_made() {
    let story = DatabaseStory::new();
    let cases: [(&[&str], i32, &str); 9] = [
        (&["--url", "oracle://me@here/x"], 2, "none of sqlite, mysql, mariadb and postgres"),
        (&["--url", "mysql://here:x/y"], 2, "its port is none"),
        (
            &["--url", "postgres://me@here/x?tls=prefer"],
            2,
            "leaves open or does not say whether there is any",
        ),
        (&["--url", "postgres://me@here/x?colour=blue"], 2, "has an option `colour`"),
        (&["--url", "postgres://me@here/x", "--start", "mariadb"], 2, "`start` has no meaning here"),
        (&["--start", "mariadb", "--server-variables", "plugin_dir=x"], 2, "is not set by loads"),
        (&["--server-variables", "fsync=off"], 2, "SQLite has no variables"),
        (
            &["--url", "postgres://me@127.0.0.1:1/", "--password-file", "nowhere"],
            3,
            "the password cannot be read from",
        ),
        (&["--rows", "2000000000", "--tables", "100"], 3, "may be needed"),
    ];
    for (words, code, told) in cases {
        let output = story.place.run(&[&["run", "db.oltp"][..], words, &ONCE].concat());
        let said = flat(&stderr(&output));
        assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
        assert!(said.contains(told), "{words:?}: {said}");
        assert_eq!(story.place.names(), Vec::<String>::new());
    }
}

/// Who says something that is no server's greeting to each who comes, for as long as there are stories.
fn says(bytes: &'static [u8]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let _ = client.write_all(bytes);
            let _ = client.set_read_timeout(Some(Duration::from_millis(500)));
            let _ = client.read(&mut [0; 4096]);
        }
    });
    address
}

#[test]
fn a_server_that_is_not_there_or_is_another_is_named_and_its_trial_fails() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let web = says(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    for product in BOTH {
        let url = |address: SocketAddr| format!("{}://me@{address}/x", product.scheme());
        let story = DatabaseStory::new();
        let (code, document) = story.run("db.oltp", &["--url", &url(gone), "--rows", "100"]);
        let told = reasons(&document).join(" ");
        assert!(code == 1 && told.contains(&format!("nothing takes connections at {gone}")), "{told}");
        let (code, document) = story.run("db.oltp", &["--url", &url(web), "--rows", "100"]);
        let told = reasons(&document).join(" ");
        assert!(code == 1 && !told.is_empty() && !told.contains("nothing takes connections"), "{told}");
        assert_eq!(document["outcome"], "complete");
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_name_that_leads_nowhere_is_told() {
    let story = DatabaseStory::new();
    let (code, document) = story.run("db.oltp", &["--url", "postgres://me@no-such-host.invalid/x"]);
    let told = reasons(&document).join(" ");
    assert!(code == 1 && told.contains("the name `no-such-host.invalid` leads nowhere"), "{told}");
}

/// Root runs a server as another user, who must be able to reach its folder.
#[test]
fn a_target_that_the_user_of_a_server_may_not_enter_is_refused() {
    let story = DatabaseStory::new();
    if !rustix::process::geteuid().is_root() || !super::private::is_there("mariadb") {
        return println!("skipped: it needs root, and MariaDB");
    }
    let closed = story.place.path().to_str().unwrap();
    std::fs::set_permissions(closed, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let output = story.place.run(&["run", "db.oltp", "--start", "mariadb", "--target", closed]);
    let said = flat(&stderr(&output));
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("may not enter"), "{said}");
    assert_eq!(story.place.names(), Vec::<String>::new());
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_wrong_password_is_told_and_not_repeated() {
    for product in BOTH {
        let Some(server) = OwnServer::start(product, &[]) else { continue };
        let story = DatabaseStory::new();
        for (user, password) in [("bench", "swordfish-8Tq"), ("nobody_here", PASSWORD)] {
            let url = server.url_with(user, password, "");
            let (code, document) = story.run("db.oltp", &["--url", &url, "--rows", "100"]);
            let told = reasons(&document).join(" ");
            let words = match product {
                Product::MariaDb => "Access denied",
                Product::Postgres => "password authentication failed",
            };
            assert!(code == 1 && told.contains(words), "{product:?}: {told}");
            assert!(!document.to_string().contains(password), "{product:?}");
        }
        assert_eq!(server.databases_of_ours(), "");
    }
}

/// More clients than the server takes: the case with fewer is measured, and the database is gone in the end although
/// the server was full.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn more_clients_than_a_server_takes_fail_their_trial_alone() {
    for product in BOTH {
        let Some(server) = OwnServer::start(product, &["max_connections=10"]) else { continue };
        let story = DatabaseStory::new();
        let url = server.url_with("bench", PASSWORD, "");
        let load = ["--url", &url, "--rows", "500", "--clients", "2,40", "--duration", "300ms"];
        let (code, document) = story.run("db.oltp", &load);
        assert_eq!((code, document["outcome"].as_str()), (1, Some("complete")), "{document:#}");
        for case in document["cases"].as_array().unwrap() {
            let trial = &case["trials"][0];
            if case["loads"][0]["parameters"]["clients"] == 2 {
                assert_eq!(trial["status"], "ok", "{product:?}: {trial:#}");
                continue;
            }
            assert_eq!(trial["status"], "failed", "{product:?}: {trial:#}");
            let told = trial["reason"].as_str().unwrap();
            let words = if product == Product::MariaDb { "Too many connections" } else { "53300" };
            assert!(told.contains(words), "{product:?}: {told}");
        }
        assert_eq!(server.databases_of_ours(), "", "{product:?}");
    }
}

/// The first trial was good, one or more failed with a reason, and the last is good again.
fn some_failed(document: &Value) {
    assert_eq!(document["outcome"], "complete", "{document:#}");
    let all = trials(document);
    let statuses: Vec<&str> = all.iter().map(|trial| trial["status"].as_str().unwrap()).collect();
    let is_good = |status: Option<&&str>| status == Some(&"ok");
    assert!(is_good(statuses.first()) && is_good(statuses.last()), "{statuses:?}: {:?}", reasons(document));
    assert!(statuses.contains(&"failed"), "{statuses:?}");
    assert!(reasons(document).iter().all(|reason| reason.len() > 10), "{:?}", reasons(document));
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_server_that_dies_and_starts_again_fails_a_trial_and_the_others_go_on() {
    for product in BOTH {
        let Some(mut server) = OwnServer::start(product, &[]) else { continue };
        let before = server.theirs();
        let story = DatabaseStory::new();
        let url = server.url_with("bench", PASSWORD, "");
        let load = ["run", "db.oltp", "--url", &url, "--rows", "1000", "--clients", "4", "--duration", "1s"];
        let run =
            story.place.start(&[&load[..], &["--trials", "6", "--warm-up", "0", "--no-extra"]].concat());
        wait_for_trials(&story.place, 1);
        std::thread::sleep(Duration::from_millis(500));
        server.kill();
        server.start_again();
        let output = run.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{product:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("a trial failed"), "{}", stderr(&output));
        some_failed(&story.place.stored());
        assert_eq!((server.theirs(), server.databases_of_ours()), (before, String::new()), "{product:?}");
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_server_that_was_started_and_dies_is_started_again_for_the_next_trial() {
    for server in ["mariadb", "postgres"] {
        if !super::private::is_there(server) {
            continue;
        }
        let story = DatabaseStory::new();
        let load = ["run", "db.tpcb", "--start", server, "--target", story.target(), "--duration", "1s"];
        let run =
            story.place.start(&[&load[..], &["--trials", "4", "--warm-up", "0", "--no-extra"]].concat());
        wait_for_trials(&story.place, 1);
        std::thread::sleep(Duration::from_millis(500));
        for process in processes_in(story.target.path()) {
            // One may have ended with another.
            let pid = rustix::process::Pid::from_raw(i32::try_from(process).unwrap()).unwrap();
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        let output = run.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{server}: {}", stderr(&output));
        let document = story.place.stored();
        some_failed(&document);
        // It is told by its name: nobody knows the path of its socket.
        let told = reasons(&document).join(" ");
        assert!(!told.contains("/proc/self") && !told.contains("%2f"), "{server}: {told}");
        assert!(server != "mariadb" || told.contains("the MariaDB that this run started"), "{told}");
        story.assert_nothing_is_left();
    }
}

/// Statements that the server gives up are failed transactions: counted, with the reason, beside those that succeed.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn statements_that_time_out_are_counted_as_failed() {
    for product in BOTH {
        let Some(server) = OwnServer::start(product, &[]) else { continue };
        let (slow, limit, code) = match product {
            Product::MariaDb => {
                ("SELECT 1 FROM (SELECT SLEEP(1)) AS slept", "max_statement_time=0.1", "1969")
            }
            Product::Postgres => ("SELECT pg_sleep(1)", "statement_timeout=100ms", "57014"),
        };
        let story = DatabaseStory::new();
        let sql = story.place.path().join("slow.sql");
        let quick = "SELECT b FROM sbtest1 WHERE a = 1";
        let mark = "-- headroom: transaction";
        std::fs::write(&sql, format!("{mark}\n{slow};\n{mark} weight=3\n{quick};\n")).unwrap();
        let url = server.url_with("reader", PASSWORD, "theirs");
        let load = ["--url", &url, "--sql", sql.to_str().unwrap(), "--data", "existing", "--duration", "2s"];
        let (exit, document) = story.run("db.script", &[&load[..], &["--server-variables", limit]].concat());
        let all = trials(&document);
        let trial = all[0];
        assert_eq!((exit, trial["status"].as_str()), (0, Some("ok")), "{product:?}: {trial:#}");
        let count = |name: &str| fact(trial, name).as_u64().unwrap();
        assert!(count("transactions_failed") > 0 && count("transactions_committed") > 0, "{trial:#}");
        let told = fact(trial, "transaction_errors").as_str().unwrap();
        assert!(told.contains(code), "{product:?}: {told}");
        let share = metric(trial, "error_share").unwrap();
        assert!(share > 0.0 && share < 1.0, "{share}");
        // If nothing else is executed, there is no result.
        std::fs::write(&sql, format!("{slow};\n")).unwrap();
        let (exit, document) = story.run("db.script", &[&load[..], &["--server-variables", limit]].concat());
        let told = reasons(&document).join(" ");
        assert!(exit == 1 && told.contains("transactions succeeded") && told.contains(code), "{told}");
    }
}

/// Runs `script` where `small` in the target is a tmpfs of so many MiB, with `$HEADROOM` as the program; what it said.
fn in_small(story: &DatabaseStory, mib: u64, script: &str) -> (i32, String) {
    let script = format!(
        "cd {}; mkdir small; mount -t tmpfs -o size={mib}m,mode=755 none small || exit 99
         {script}; code=$?; rm -f small/filler; ls -A small | grep . && exit 98; umount small || exit 97; rmdir small; exit $code",
        story.target()
    );
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", &script]).env("HEADROOM", program()).env("NO_COLOR", "1");
    command.env("HEADROOM_STATE", story.place.path().join("state")).env("STORE", story.place.store());
    let output = command.output().unwrap();
    (output.status.code().unwrap(), flat(&(stderr(&output) + &stdout(&output))))
}

/// The program itself needs root only for the mount.
pub(super) fn may_mount() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    assert!(is_root || std::env::var_os("CI").is_none(), "CI must run this as root");
    if !is_root {
        println!("skipped: mounting a tmpfs needs root");
    }
    is_root
}

const ON_SMALL: &str = "\"$HEADROOM\" run db.oltp --store \"$STORE\" --warm-up 0 --no-extra --target small";

#[test]
fn a_target_without_room_is_refused_beforehand() {
    if !may_mount() {
        return;
    }
    let (code, said) = in_small(&DatabaseStory::new(), 100, &format!("{ON_SMALL} --trials 1"));
    assert!(code == 3 && said.contains("may be needed"), "{code}: {said}");
    if super::private::is_there("mariadb") {
        let start = format!("{ON_SMALL} --trials 1 --start mariadb");
        let (code, said) = in_small(&DatabaseStory::new(), 200, &start);
        assert!(code == 3 && said.contains("a server with its tables may need"), "{code}: {said}");
    }
}

/// Somebody else fills the disk after the first trial, up to the last byte.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_disk_that_fills_under_sqlite_is_named_and_nothing_is_left() {
    if !may_mount() {
        return;
    }
    let story = DatabaseStory::new();
    let script = format!(
        "{ON_SMALL} --mix insert --duration 1s --trials 5 & run=$!
         looks=0
         until \"$HEADROOM\" export last --store \"$STORE\" 2>/dev/null | grep -q '\"ok\"' || [ $looks -ge 300 ]; do
           looks=$((looks + 1)); sleep 0.1
         done
         dd if=/dev/zero of=small/filler bs=64k 2>/dev/null; dd if=/dev/zero of=small/filler2 bs=1k 2>/dev/null
         wait $run; code=$?; rm -f small/filler2; (exit $code)"
    );
    let (code, said) = in_small(&story, 200, &script);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("space left on"), "{said}");
    let document = story.place.stored();
    let statuses: Vec<&str> =
        trials(&document).iter().map(|trial| trial["status"].as_str().unwrap()).collect();
    assert!(statuses.first() == Some(&"ok") && statuses.contains(&"failed"), "{statuses:?}");
    assert_eq!(names_in(story.target.path()), Vec::<String>::new());
}

/// Deadlocks and refusals are no reason to stop, and a load of which nothing succeeds is none.
#[test]
fn a_load_of_which_nothing_succeeds_fails_with_the_last_reason() {
    let story = DatabaseStory::new();
    let sql = story.place.path().join("twice.sql");
    let setup = "-- headroom: setup\nCREATE TABLE t (a INTEGER PRIMARY KEY);\nINSERT INTO t VALUES (1);\n";
    let mark = "-- headroom: transaction\n";
    std::fs::write(&sql, format!("{setup}{mark}INSERT INTO t VALUES (1);\n")).unwrap();
    let load = ["--sql", sql.to_str().unwrap(), "--target", story.target(), "--duration", "200ms"];
    let (code, document) = story.run("db.script", &load);
    let told = reasons(&document).join(" ");
    assert!(code == 1 && told.contains("transactions succeeded") && told.contains("UNIQUE"), "{told}");
    assert_eq!(word(&document["cases"][0], "data"), "file");
    story.assert_nothing_is_left();
}
