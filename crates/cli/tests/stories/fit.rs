//! Fitness for a use, as a person asks for it: what there is, what is asked with, the answer and the exit code.

use serde_json::Value;

use crate::common::{StoryFolder, flat, stderr, stdout};

/// The answer of a run, and what it was asked with.
fn answer(document: &Value) -> (&str, &Value) {
    let found = document["findings"].as_array().unwrap().iter().find(|found| found["code"] == "fits");
    let found = found.unwrap_or_else(|| panic!("no answer: {}", document["findings"]));
    (found["args"]["answer"].as_str().unwrap(), &document["study"]["inputs"])
}

#[test]
fn the_uses_are_listed_with_what_each_asks() {
    let place = StoryFolder::new();
    let output = place.run(&["fit"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    for part in ["etcd: ", "postgres: ", "mysql: ", "backup-target: ", "video-recorder: ", "  --streams 24\n"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let output = place.run(&["fit", "etdc"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("etcd"), "{}", stderr(&output));
    let output = place.run(&["fit", "etcd", "--target", ".", "--fsync-limit", "0ms", "--dry-run"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(flat(&stderr(&output)).contains("no result is below 0"), "{}", stderr(&output));
    assert!(place.names().is_empty());
}

#[test]
fn a_fit_of_ones_own_answers_with_what_was_typed() {
    let place = StoryFolder::new();
    let study = "question = \"Is it fast enough?\"\n\
                 [inputs.least]\ndefault = \"1/s\"\ndoc = \"What is needed.\"\nsource = \"a test\"\n\
                 [trials]\ntrials = 3\nwarm-up = \"10ms\"\nextra = \"no\"\n\
                 [expect]\ngoals = \"operations_per_second > {least}\"\n[verdict]\nkind = \"fits\"\n\
                 [[workload]]\nkind = \"null\"\nduration = \"50ms\"\n";
    std::fs::write(place.path().join("mine.toml"), study).unwrap();
    let (code, document) = place.document(&["fit", "mine.toml"]);
    assert_eq!(code, 0, "{document}");
    assert_eq!(answer(&document), ("yes", &serde_json::json!({ "least": "1/s" })));
    let output = place.run(&["show", "last"]);
    let text = flat(&stdout(&output));
    assert!(text.contains("every goal is kept") || text.contains("Every goal is kept"), "{text}");
    assert!(text.contains("asked with least=1/s") || text.contains("Asked with least=1/s"), "{text}");

    // So many operations does nothing here.
    let (code, document) = place.document(&["fit", "mine.toml", "--input", "least=100000000k/s"]);
    assert_eq!((code, answer(&document).0), (1, "no"), "{document}");

    // What is gone on with says itself what for.
    let output = place.run(&["fit", "--resume", "last"]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(flat(&stderr(&output)).contains("no trial of it is missing"), "{}", stderr(&output));

    for (input, says) in [("most=1/s", "no input of this study `most`"), ("least=", "cannot be the value")] {
        let output = place.run(&["fit", "mine.toml", "--input", input]);
        assert_eq!(output.status.code(), Some(2), "{input}");
        assert!(stderr(&output).contains(says), "{}", stderr(&output));
    }
    // Without a verdict there would be no answer.
    std::fs::write(place.path().join("other.toml"), "[[workload]]\nkind = \"null\"\n").unwrap();
    let output = place.run(&["fit", "other.toml", "--dry-run"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(flat(&stderr(&output)).contains("it has no [verdict]"), "{}", stderr(&output));
}

#[test]
fn a_disk_is_asked_whether_it_is_fit_for_etcd() {
    let place = StoryFolder::new();
    let small =
        ["--wal-size", "230000", "--backend-size", "1MiB", "--duration", "1s", "--fsync-limit", "60s"];
    let shared = ["fit", "etcd", "--target", ".", "--trials", "2", "--warm-up", "10ms", "--no-extra"];
    let (code, document) = place.document(&[&shared[..], &small[..]].concat());
    // Too few commits for a 99th percentile, which is no failure.
    assert_eq!(code, 0, "{document}");
    let (word, inputs) = answer(&document);
    assert_eq!(
        (word, &inputs["wal-size"], &inputs["commit-limit"]),
        ("unknown", &"230000".into(), &"25ms".into())
    );
    assert_eq!(document["cases"].as_array().unwrap().len(), 3);
    assert!(place.names().is_empty(), "{:?}", place.names());
}
