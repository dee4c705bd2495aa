//! The key in a join string is seen by nobody, however it was mistyped and
//! wherever it was put.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;

use crate::common::{StoryFolder, stderr, stdout};

const PRINT: &str = "q7Xk2LmW9sVbTzR4yHcPfG1dNjUoEa3iQ8MxKw5Bt6E";
const KEY: &str = "u2Fz8QxLr5TnYb7WkJ0cVg";

/// With `JOIN` as the join string, `SECRET` as what is behind its `#`.
fn with_secret(text: &str) -> String {
    let secret = format!("{PRINT}.{KEY}");
    text.replace("JOIN", "headroom://127.0.0.1:1#SECRET").replace("SECRET", &secret).replace("KEY", KEY)
}

/// No piece of the key, nor a long one of the fingerprint, in what was printed.
fn assert_hidden(what: &str, shown: &str) {
    for (secret, length) in [(KEY, 5), (PRINT, 12)] {
        let leak = (0..=secret.len() - length).map(|at| &secret[at..at + length]).find(|p| shown.contains(p));
        assert_eq!(leak, None, "{what} shows it: {shown}");
    }
}

/// Mistakes on the command line, each with a join string somewhere about.
const TYPED: &[&[&str]] = &[
    &["run", "net.stream", "--peer", "JOINx"],
    &["run", "net.stream", "--peer", "127.0.0.1:1#SECRET"],
    &["run", "net.stream", "--peer", "hedroom://127.0.0.1:1#SECRET"],
    &["run", "net.stream", "--peer", "HEADROOM://127.0.0.1:1#SECRET"],
    &["run", "net.stream", "--peer", "iperf3://127.0.0.1#SECRET"],
    &["run", "net.stream", "--peer", "listen://127.0.0.1#SECRET"],
    &["run", "http.download", "--url", "JOIN"],
    &["run", "http.download", "--url", "peer", "--peer", "JOINx"],
    &["run", "http.download", "--url", "peer", "--serve-file", "JOIN"],
    &["run", "net.stream", "--peer", "SECRET"],
    &["run", "net.stream", "--peer", "KEY"],
    &["run", "net.stream", "--peer", "JOIN,"],
    &["run", "net.stream", "--peer", "JOIN,JOIN"],
    &["run", "net.stream", "--peer", "JOIN+self"],
    &["run", "net.stream", "--peer", "'JOIN"],
    &["run", "net.stream", "--peer", "JOIN", "--peer", "JOIN"],
    &["run", "net.stream", "--pear", "JOIN"],
    &["run", "net.stream", "--pear=JOIN"],
    &["run", "net.stream", "JOIN"],
    &["run", "JOIN"],
    &["run", "JOIN.toml"],
    &["run", "disk", "--peer", "JOIN"],
    &["run", "disk", "--presented-by", "JOIN"],
    &["run", "disk", "--target", "JOIN"],
    &["run", "null", "--queue-depth", "JOIN"],
    &["run", "null", "--duration", "JOIN"],
    &["run", "null", "--trials", "JOIN"],
    &["run", "null", "--seed", "JOIN"],
    &["run", "null", "--set", "JOIN"],
    &["run", "null", "--set", "mtu=JOIN"],
    &["run", "null", "--wipe", "JOIN"],
    &["run", "null", "--section", "JOIN", "-o", "JOIN"],
    &["run", "null", "--join-within", "JOIN"],
    &["run", "null", "--with", "net.stream --pear JOIN"],
    &["run", "null", "--with", "net.stream --peer JOIN --streams 4q"],
    &["run", "null", "--with", "net.stream --peer JOIN --duration 1s"],
    &["run", "null", "--with", "net.stream JOIN"],
    &["run", "null", "--with", "net.stream --peer 'JOIN"],
    &["run", "null", "--with", "JOIN"],
    &["run", "null", "--with=net.strem --peer JOIN"],
    &["net.stream", "--peer", "JOIN"],
    &["JOIN"],
    &["show", "JOIN"],
    &["rm", "JOIN"],
    &["export", "JOIN"],
    &["compare", "last", "JOIN"],
    &["compare", "last", "last", "--margin", "JOIN"],
    &["workloads", "JOIN"],
    &["machine", "--host", "JOIN"],
    &["node", "--listen", "JOIN"],
    &["node", "--allow", "JOIN"],
    &["node", "--serve-file", "JOIN"],
    &["node", "--present", "JOIN"],
    &["node", "--join", "JOINx"],
    &["node", "--join", "127.0.0.1:1#SECRET"],
    &["node", "--join", "127.0.0.1:1#SECRET", "--systemd-unit"],
    &["node", "--join", "SECRET"],
    &["node", "--join", "JOIN", "--listen", "0.0.0.0"],
    &["node", "--jion", "JOIN"],
    &["node", "JOIN"],
];

#[test]
fn a_mistyped_command_does_not_show_the_key() {
    for arguments in TYPED {
        let typed: Vec<String> = arguments.iter().map(|a| with_secret(a)).collect();
        let typed: Vec<&str> = typed.iter().map(String::as_str).collect();
        let output = StoryFolder::new().run(&typed);
        assert!(matches!(output.status.code(), Some(2 | 3)), "{arguments:?}: {}", stderr(&output));
        assert_hidden(&format!("{arguments:?}"), &(stderr(&output) + &stdout(&output)));
    }
}

/// Studies that are wrong, each with a join string in the line that is shown or
/// in one beside it.
const STUDIES: &[&str] = &[
    "[peers]\nfar = \"JOIN\"\nother = 4\n[[workload]]\nkind = \"null\"\n",
    "[peers]\nfar = \"JOIN\n[[workload]]\nkind = \"null\"\n",
    "[peers]\nfar = JOIN\n",
    "[peers]\nfar = \"headroom://127.0.0.1:1#\nSECRET\"\n",
    "[peers]\nfar = 'headroom://127.0.0.1:1#\nKEY'\n",
    "[peers]\n\"JOIN\" = \"far\"\n[[workload]]\nkind = \"net.stream\"\npeer = \"near\"\n",
    "[peers]\nfar = [\"JOIN\"]\n",
    "peers = \"JOIN\"\n",
    "[pears]\nfar = \"JOIN\"\n",
    "[peers]\nfar = \"JOINx\"\n[[workload]]\nkind = \"net.stream\"\npeer = \"far\"\n",
    "[[workload]]\nkind = \"net.stream\"\npeer = \"JOIN\"\nstreams = \"4q\"\n",
    "[[workload]]\nkind = \"net.stream\"\npear = \"JOIN\"\n",
    "[[workload]]\nkind = \"net.stream\"\npeer = \"JOIN\"\npeer = \"JOIN\"\n",
    "[[workload]]\nkind = \"net.stream\"\npeer = [\"JOIN\", \"JOIN\"]\n",
    "[[workload]]\nkind = \"net.stream\"\npeer = [[\"JOIN\"]]\n",
    "[[workload]]\nkind = \"net.stream\"\npeer = \"127.0.0.1:1#SECRET\"\n",
    "[[workload]]\nkind = \"net.strem\"\npeer = \"JOIN\"\n",
    "[[workload]]\nkind = \"JOIN\"\n",
    "[[workload]]\npeer = \"JOIN\"\n",
    "[[workload]]\nkind = \"null\"\n[[workload.with]]\nkind = \"net.stream\"\npeer = \"JOIN\"\nduration = \"1s\"\n",
    "[[workload]]\nkind = \"null\"\nthreads = \"JOIN\"\n",
    "[[workload]]\nkind = \"null\"\n[trials]\ntrials = \"JOIN\"\n",
    "[[workload]]\nkind = \"null\"\n[expect]\nJOIN = \"JOIN\"\n",
    "[[workload]]\nkind = \"null\"\n[expect]\ndatasheet = \"JOIN\"\n",
    "[[workload]]\nkind = \"null\"\n[settings]\n\"mtu@JOIN\" = \"JOIN\"\n",
    "impossible = \"JOIN\"\n",
    "# JOIN\nwrong\n",
    "JOIN",
];

#[test]
fn a_wrong_study_does_not_show_the_key() {
    for study in STUDIES {
        let place = StoryFolder::new();
        std::fs::write(place.path().join("a.toml"), with_secret(study)).unwrap();
        std::fs::write(place.path().join("a.fio"), with_secret(study)).unwrap();
        std::fs::write(place.path().join("a.json"), with_secret(study)).unwrap();
        let outputs = [&["run", "./a.toml"][..], &["run", "./a.fio"], &["show", "./a.json"]];
        for arguments in outputs {
            let output = place.run(arguments);
            assert!(matches!(output.status.code(), Some(2 | 3)), "{study}: {}", stderr(&output));
            assert_hidden(&format!("{arguments:?} of {study}"), &(stderr(&output) + &stdout(&output)));
        }
    }
}

#[test]
fn what_is_kept_of_a_run_has_no_key() {
    let place = StoryFolder::new();
    let study = with_secret("title = \"to JOIN\"\n[peers]\nfar = \"JOIN\"\n[[workload]]\nkind = \"null\"\n");
    std::fs::write(place.path().join("a.toml"), study).unwrap();
    let output = place.run(&["run", "./a.toml", "--duration", "20ms", "--trials", "1", "--json=full"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_hidden("the document", &(stderr(&output) + &stdout(&output)));
    assert_hidden("the store", &place.stored().to_string());
    // SQLite keeps text as it is.
    for file in ["store.db", "store.db-wal"] {
        let bytes = std::fs::read(place.path().join(file)).unwrap_or_default();
        assert_hidden(file, &String::from_utf8_lossy(&bytes));
    }
}

/// The keys of an object store, of one that is there and of one that is not.
#[test]
fn the_keys_of_an_object_store_are_nowhere() {
    let (id, key, token) =
        ("AKIAq7Xk2LmW9sVbTzR4", "u2Fz8QxLr5TnYb7WkJ0cVg/hunter2", "IQoJb3JpZ2luX2VjEHunter");
    for (endpoint, codes) in [("self", [0, 0]), ("http://127.0.0.1:1", [1, 1])] {
        let place = StoryFolder::new();
        let mut command =
            place.command(&["run", "object.put", "--endpoint", endpoint, "--duration", "100ms"]);
        command.args(["--bucket", "s3://bench", "--trials", "1", "--size", "1k"]);
        command
            .env("AWS_ACCESS_KEY_ID", id)
            .env("AWS_SECRET_ACCESS_KEY", key)
            .env("AWS_SESSION_TOKEN", token);
        let output = command.output().unwrap();
        assert!(codes.contains(&output.status.code().unwrap()), "{}", stderr(&output));
        let shown = stderr(&output) + &stdout(&output) + &place.stored().to_string();
        for secret in [key, token] {
            for piece in [&secret[..10], &secret[secret.len() - 7..]] {
                assert!(!shown.contains(piece), "{endpoint}: {shown}");
            }
        }
    }
}

/// A store that refuses every request, and repeats in its reasons all that was sent to it, and more. Where it is.
fn repeating_store(secret: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut lines = BufReader::new(client.try_clone().unwrap()).lines();
                loop {
                    let head: Vec<String> =
                        lines.by_ref().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
                    let of = |name: &str| head.iter().find_map(|line| line.strip_prefix(name));
                    let Some(signed) = of("authorization: ") else { return };
                    let token = of("x-amz-security-token: ").unwrap_or_default();
                    let body = format!(
                        "<Error><Code>{token}</Code><Message>{signed} {token} {secret}</Message>\
                         <AWSAccessKeyId>{signed}</AWSAccessKeyId><Region>{token}</Region></Error>"
                    );
                    let length = body.len();
                    let head = format!("HTTP/1.1 400 Bad Request\r\nContent-Length: {length}\r\n\r\n");
                    if client.write_all((head + &body).as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    place
}

/// All files below a folder, as text.
fn all_below(folder: &Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            all += &all_below(&path);
        } else {
            all += &String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default());
        }
    }
    all
}

#[test]
fn a_store_that_repeats_keys_in_its_errors_is_not_repeated() {
    let (id, key, token) =
        ("AKIAq7Xk2LmW9sVbTzR4", "u2Fz8QxLr5TnYb7WkJ0cVg/hunter2", "IQoJb3JpZ2luX2VjEHunter");
    for workload in ["object.put", "object.get"] {
        let (place, endpoint) = (StoryFolder::new(), repeating_store(key));
        let mut command = place.command(&["run", workload, "--endpoint", &endpoint, "--duration", "100ms"]);
        command.args(["--bucket", "s3://bench", "--trials", "1", "--size", "1k", "--json=full"]);
        command.env("AWS_ACCESS_KEY_ID", id).env("AWS_SECRET_ACCESS_KEY", key);
        let output = command.env("AWS_SESSION_TOKEN", token).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let restored = place.run(&["restore"]);
        let shown = [&output, &restored].map(|output| stderr(output) + &stdout(output)).concat();
        assert!(shown.contains("answers PUT of s3://bench/") && shown.contains("400"), "{workload}: {shown}");
        let shown = shown + &all_below(place.path());
        for secret in [id, key, token] {
            let leak =
                (0..=secret.len() - 8).map(|at| &secret[at..at + 8]).find(|piece| shown.contains(piece));
            assert_eq!(leak, None, "{workload}: {shown}");
        }
    }
}
