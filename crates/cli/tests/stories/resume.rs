//! Runs that end early, and go on.

use rustix::process::Signal;

use crate::common::{
    StoryFolder, agent_of, eventually, flat, interrupted, lives, signal, stderr, stdout, trials,
    wait_for_trials,
};

const SWEEP: &[&str] = &[
    "run",
    "cpu.primes",
    "--threads",
    "1,2",
    "--duration",
    "250ms",
    "--warm-up",
    "10ms",
    "--trials",
    "5",
    "--no-extra",
];

#[test]
fn an_interrupted_sweep_is_resumed_and_its_page_says_so() {
    let place = StoryFolder::new();
    let kept = interrupted(&place, SWEEP, 2);
    let before = trials(&kept).len();
    assert!((2..10).contains(&before), "{before}");

    let typed = place.run(&["run", "cpu.primes", "--resume", "last"]);
    assert_eq!(typed.status.code(), Some(2), "{}", stderr(&typed));
    let planned = place.run(&["run", "--resume", "last", "--dry-run"]);
    assert_eq!(planned.status.code(), Some(0), "{}", stderr(&planned));
    let said = flat(&stdout(&planned));
    let id = kept["id"].as_str().unwrap();
    assert!(said.contains(&format!("{id} has {before} trials and lacks {}", 10 - before)), "{said}");
    assert!(said.contains("cpu.primes threads=1") && said.contains("Time needed: "), "{said}");
    assert_eq!(trials(&place.stored()).len(), before, "a dry run measured");

    let output = place.run(&["run", "--resume", "last", "-o", "page.html"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let document = place.stored();
    assert_eq!(document["id"], kept["id"]);
    assert_eq!(document["outcome"], "complete");
    assert_eq!(trials(&document).len(), 10);
    for (old, new) in kept["cases"].as_array().unwrap().iter().zip(document["cases"].as_array().unwrap()) {
        let (old, new) = (old["trials"].as_array().unwrap(), new["trials"].as_array().unwrap());
        assert_eq!(old[..], new[..old.len()]);
    }
    let gap = &document["resumptions"][0];
    assert_eq!(gap["outcome"], "interrupted");
    assert_eq!(gap["stopped"], kept["finished"]);
    assert_eq!(gap["order"], before);

    let page = std::fs::read_to_string(place.path().join("page.html")).unwrap();
    assert!(page.contains("was resumed on"), "the page says nothing of the gap");
    let shown = place.run(&["show", "last"]);
    assert!(flat(&stdout(&shown)).contains("was resumed on"), "{}", stdout(&shown));
    let again = place.run(&["run", "--resume", "last"]);
    assert_eq!(again.status.code(), Some(3), "{}", stderr(&again));
    assert!(flat(&stderr(&again)).contains("no trial of it is missing"), "{}", stderr(&again));
    let again = place.run(&["run", "--resume", "last", "--dry-run"]);
    assert_eq!(again.status.code(), Some(3), "{}", stderr(&again));
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_killed_sweep_is_resumed_when_nobody_measures_it_any_more() {
    let place = StoryFolder::new();
    let mut run = place.start(SWEEP);
    wait_for_trials(&place, 1);
    let agent = agent_of(run.id());
    let early = place.run(&["run", "--resume", "last"]);
    assert_eq!(early.status.code(), Some(3), "{}", stderr(&early));
    assert!(flat(&stderr(&early)).contains("is still running"), "{}", stderr(&early));
    signal(run.id(), Signal::KILL);
    run.wait().unwrap();
    eventually("the agent ends", || !lives(agent));
    let output = place.run(&["run", "--resume", "last"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let document = place.stored();
    assert_eq!((document["outcome"].as_str(), trials(&document).len()), (Some("complete"), 10));
    assert!(document["resumptions"][0].get("outcome").is_none(), "{}", document["resumptions"]);
}
