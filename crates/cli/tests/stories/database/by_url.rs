//! Loads on servers that a story started as somebody else's: over TLS and without, for users of several rights. What is
//! made is gone afterwards, and what was there is as it was.

use crate::common::{StoryFolder, stderr, trials};
use crate::database::server::{BOTH, OwnServer, PASSWORD, Product};
use crate::database::{DatabaseStory, ONCE, fact, metric, reasons};

const SMALL: [&str; 6] = ["--rows", "500", "--requests", "100", "--mix", "write-only"];

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_server_is_used_over_tls_and_without_and_is_as_it_was_afterwards() {
    for product in BOTH {
        let Some(server) = OwnServer::start(product, &[]) else { continue };
        let before = server.theirs();
        let url = server.url_with("bench", PASSWORD, "");
        let file = server.certificate().replace('/', "%2F");
        let urls = format!("{url}?tls=off,{url}?tls=require,{url}?tls=verify&ca-file={file}");
        let story = DatabaseStory::new();
        let document = story.good("db.oltp", &[&["--url", &urls][..], &SMALL].concat());
        let all = trials(&document);
        let mut ways: Vec<&str> =
            all.iter().map(|trial| fact(trial, "database_connection").as_str().unwrap()).collect();
        ways.sort_unstable();
        assert_eq!(ways, ["TCP", "TLS", "TLS"], "{document:#}");
        for trial in all {
            assert_eq!(fact(trial, "database_is_own"), true);
            assert_eq!(fact(trial, "transactions_committed"), 100);
            let each =
                ["queries_per_second", "transactions_per_second"].map(|name| metric(trial, name).unwrap());
            assert!((each[0] / each[1] - 6.0).abs() < 0.1, "{trial:#}");
        }
        assert!(!document.to_string().contains(PASSWORD), "{product:?}: a password is in the document");
        assert_eq!((server.theirs(), server.databases_of_ours()), (before, String::new()), "{product:?}");
    }
}

/// Who may make no database has tables in the one that the URL names, and only those are made and removed.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn tables_in_a_database_of_others_are_made_beside_theirs_and_removed() {
    for product in BOTH {
        let Some(server) = OwnServer::start(product, &[]) else { continue };
        let before = server.theirs();
        let story = DatabaseStory::new();
        let url = server.url_with("keeper", PASSWORD, "theirs");
        let document = story.good("db.tpcb", &["--url", &url, "--requests", "50"]);
        let trial = trials(&document)[0];
        assert_eq!(fact(trial, "database_is_own"), false, "{trial:#}");
        assert_eq!(fact(trial, "consistency_checks"), 2);
        assert_eq!(server.theirs(), before, "{product:?}");

        // It has a table that this load needs: it is left alone.
        let (code, document) = story.run("db.oltp", &[&["--url", &url][..], &SMALL].concat());
        assert_eq!(code, 1, "{product:?}");
        let told = reasons(&document).join(" ");
        assert!(
            told.contains("theirs has a table sbtest1 already") && told.contains("recreate=yes"),
            "{told}"
        );
        assert_eq!(server.theirs(), before, "{product:?}");

        // Whoever asks for that by name gets it.
        story.good("db.oltp", &[&["--url", &url, "--recreate", "yes"][..], &SMALL].concat());
        assert!(server.ask("theirs", "SELECT a FROM sbtest1").is_err(), "{product:?}");
        assert_eq!(server.databases_of_ours(), "");
    }
}

/// Rights that are missing are told, and nothing is made; what needs none runs.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn rights_that_are_missing_are_told_and_who_may_read_only_reads() {
    for product in BOTH {
        let Some(server) = OwnServer::start(product, &[]) else { continue };
        let before = server.theirs();
        let story = DatabaseStory::new();
        let url = server.url_with("reader", PASSWORD, "theirs");
        let (code, document) = story.run("db.tpcb", &["--url", &url, "--requests", "5"]);
        let told = reasons(&document).join(" ");
        let words = if product == Product::MariaDb { "CREATE command denied" } else { "permission denied" };
        assert!(code == 1 && told.contains(words), "{product:?}: {told}");
        let nowhere = server.url_with("reader", PASSWORD, "");
        let (code, document) = story.run("db.tpcb", &["--url", &nowhere, "--requests", "5"]);
        let told = reasons(&document).join(" ");
        assert!(code == 1 && told.contains("the user reader may not make databases"), "{product:?}: {told}");

        let sql = story.place.path().join("reads.sql");
        std::fs::write(&sql, "\\set a random(1, 2)\nSELECT b FROM sbtest1 WHERE a = :a;\n").unwrap();
        let reads = ["--sql", sql.to_str().unwrap(), "--data", "existing", "--requests", "50"];
        let document = story.good("db.script", &[&["--url", &url][..], &reads].concat());
        assert_eq!(fact(trials(&document)[0], "transactions_committed"), 50);
        std::fs::write(&sql, "UPDATE sbtest1 SET b = 'x';\n").unwrap();
        let output = story.place.run(&[&["run", "db.script", "--url", &url][..], &reads, &ONCE].concat());
        assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
        assert_eq!((server.theirs(), server.databases_of_ours()), (before, String::new()), "{product:?}");
    }
}

/// A password that is not in the URL is read from the environment, or from a file.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_password_of_the_environment_or_a_file_signs_in_each_way() {
    for product in BOTH {
        let Some(server) = OwnServer::start(product, &[]) else { continue };
        let own = if product == Product::MariaDb { "MYSQL_PWD" } else { "PGPASSWORD" };
        let users: &[&str] = if product == Product::MariaDb { &["bench"] } else { &["bench", "md5_user"] };
        for user in users {
            let place = StoryFolder::new();
            let url = server.url(user, "");
            let load = [&["run", "db.oltp", "--url", &url][..], &SMALL, &ONCE].concat();
            for variable in ["HEADROOM_DB_PASSWORD", own] {
                let output = place.command(&load).env(variable, PASSWORD).output().unwrap();
                assert_eq!(output.status.code(), Some(0), "{product:?} {user}: {}", stderr(&output));
            }
            std::fs::write(place.path().join("password"), format!("{PASSWORD}\nnot this\n")).unwrap();
            let by_file = [&load[..], &["--password-file", "password"]].concat();
            let output = place.run(&by_file);
            assert_eq!(output.status.code(), Some(0), "{product:?} {user}: {}", stderr(&output));
        }
        assert_eq!(server.databases_of_ours(), "");
    }
}
