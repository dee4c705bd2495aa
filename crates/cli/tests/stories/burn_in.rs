//! Acceptance of hardware: all parts under load at once, and what each came to.

use crate::common::{StoryFolder, stdout};

/// What a run answers: the exit code, the answer, and the parts with what they came to.
fn answered(place: &StoryFolder, arguments: &[&str]) -> (i32, String, Vec<(String, String)>) {
    let (code, document) = place.document(arguments);
    let findings = document["findings"].as_array().unwrap();
    let found = findings.iter().find(|found| found["code"] == "accepts").unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let evidence = found["evidence"].as_array().unwrap();
    let parts = evidence.iter().filter(|evidence| evidence["code"] == "accepts-part");
    let parts = parts.map(|part| (text(&part["args"]["part"]), text(&part["args"]["outcome"]))).collect();
    (code, text(&found["args"]["answer"]), parts)
}

/// What holds of the answer on any machine: the exit code says it, and a part that was not loaded does not pass.
fn is_whole((code, answer, parts): (i32, String, Vec<(String, String)>), loaded: &[&str]) {
    assert!(["yes", "no"].contains(&answer.as_str()), "{answer}");
    assert_eq!(code, i32::from(answer == "no"), "{parts:?}");
    assert_eq!(parts.len(), 5, "{parts:?}");
    for (part, outcome) in parts {
        let is_loaded = loaded.contains(&part.as_str());
        assert_eq!(outcome == "idle", !is_loaded, "{part}: {outcome}");
    }
}

#[test]
fn a_study_asks_whether_every_part_works_without_errors() {
    let place = StoryFolder::new();
    let study = "[verdict]\nkind = \"accepts\"\n\n[[workload]]\nkind = \"disk\"\npattern = \"randwrite\"\n\
                 block-size = \"64KiB\"\nsize = \"4MiB\"\nrate = \"50/s\"\nverify = \"crc32c\"\nduration = \"200ms\"\n\n\
                 [[workload.with]]\nkind = \"cpu.primes\"\nthreads = 1\n";
    std::fs::write(place.path().join("accept.toml"), study).unwrap();
    let arguments = ["run", "accept.toml", "--target", ".", "--trials", "2"];
    is_whole(answered(&place, &arguments), &["processors", "drives", "links"]);
    let shown = stdout(&place.run(&["show", "last"]));
    assert!(shown.contains("processors: ") && shown.contains("network: not loaded"), "{shown}");
    assert_eq!(place.names(), ["accept.toml"]);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_machine_is_burnt_in() {
    let place = StoryFolder::new();
    let arguments =
        ["run", "burn-in", "--target", ".", "--duration", "2s", "--trials", "2", "--size", "64MiB"];
    is_whole(answered(&place, &arguments), &["processors", "memory", "drives", "links"]);
    assert_eq!(place.names(), Vec::<String>::new());
}
