//! The main job, from the command line to the document.

use crate::common::{StoryFolder, stderr, stdout, trials};
use serde_json::Value;

const QUICK: &[&str] = &["--duration", "100ms", "--warm-up", "20ms", "--trials", "3"];

fn quick(arguments: &[&'static str]) -> Vec<&'static str> {
    [arguments, QUICK].concat()
}

#[test]
fn the_document_is_valid_against_its_schema() {
    let place = StoryFolder::new();
    let arguments =
        quick(&["run", "disk", "--size", "32MiB", "--queue-depth", "1,8", "--with", "null --rate 1k/s"]);
    let (code, document) = place.document(&arguments);
    assert_eq!(code, 0);
    let schema =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/run.schema.json")).unwrap();
    let schema: Value = serde_json::from_slice(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(&document).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(document["schema"], "headroom.run/2");
    // What is stored is the same document.
    assert_eq!(place.stored(), document);
    // A validator that accepts everything proves nothing.
    let mut broken = document.clone();
    broken["cases"][0]["trials"][0]["order"] = "first".into();
    assert!(!validator.is_valid(&broken));
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn every_workload_gives_its_headline_with_an_interval() {
    for (workload, metric, more) in [
        ("cpu.primes", "events_per_second", &[][..]),
        ("memory.bandwidth", "throughput", &["--size", "1MiB", "--operation", "read,write,copy,triad"]),
        (
            "disk",
            "iops",
            &["--size", "32MiB", "--pattern", "read,write,randread,randwrite", "--engine", "io_uring,sync"],
        ),
        ("null", "operations_per_second", &[]),
    ] {
        let place = StoryFolder::new();
        let (code, document) = place.document(&quick(&[&["run", workload], more].concat()));
        assert_eq!(code, 0, "{workload}: {document}");
        for case in document["cases"].as_array().unwrap() {
            let e = &case["loads"][0]["estimates"][metric];
            let number = |name: &str| e[name].as_f64().unwrap_or_else(|| panic!("{workload} {name}: {case}"));
            assert!(number("low") <= number("median") && number("median") <= number("high"), "{e}");
            assert!(number("median") > 0.0);
            assert_eq!(e["n"], 3);
            assert_eq!(e["method"], "student-t-log");
        }
        assert_eq!(place.names(), Vec::<String>::new(), "{workload} left something behind");
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn an_operation_count_ends_a_trial_and_is_counted_exactly() {
    let place = StoryFolder::new();
    let (code, document) = place.document(&[
        "run",
        "cpu.primes",
        "--requests",
        "200",
        "--max-prime",
        "1000",
        "--threads",
        "1,all",
        "--trials",
        "2",
    ]);
    assert_eq!(code, 0);
    for trial in trials(&document) {
        let elapsed = trial["loads"][0]["metrics"]["elapsed"]["value"].as_f64().unwrap();
        let rate = trial["loads"][0]["metrics"]["events_per_second"]["value"].as_f64().unwrap();
        assert!((elapsed * rate - 200.0).abs() < 0.5, "{elapsed} s x {rate}/s are not 200");
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn one_pass_to_the_end_reads_every_block_once() {
    let place = StoryFolder::new();
    let (_, document) = place.document(&[
        "run",
        "disk",
        "--pattern",
        "read",
        "--until",
        "end",
        "--size",
        "16MiB",
        "--block-size",
        "64k",
        "--threads",
        "2",
        "--queue-depth",
        "4",
        "--trials",
        "2",
    ]);
    for trial in trials(&document) {
        let elapsed = trial["loads"][0]["metrics"]["elapsed"]["value"].as_f64().unwrap();
        let iops = trial["loads"][0]["metrics"]["iops"]["value"].as_f64().unwrap();
        assert!((elapsed * iops - 256.0).abs() < 0.5, "{trial}");
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn loads_that_run_with_a_case_have_figures_of_their_own() {
    let place = StoryFolder::new();
    let (code, document) = place.document(&quick(&[
        "run",
        "disk",
        "--size",
        "32MiB",
        "--pattern",
        "randread",
        "--with",
        "disk --pattern write --size 32MiB --rate 200/s",
    ]));
    assert_eq!(code, 0);
    let case = &document["cases"][0];
    let company = &case["loads"][1];
    assert_eq!(company["workload"], "disk");
    let rate = company["estimates"]["iops"]["median"].as_f64().unwrap();
    // 20 arrivals in 100 ms; how many fall into the window depends on its edges.
    assert!((100.0..300.0).contains(&rate), "{company}");
    assert!(case["loads"][0]["estimates"]["iops"]["median"].as_f64().unwrap() > rate, "{case}");
    assert!(
        company["estimates"]["service_time_p50"].is_null() || company["estimates"]["latency_max"].is_object()
    );
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn the_same_seed_gives_the_same_order() {
    let order = |seed: &'static str| {
        let place = StoryFolder::new();
        let (_, document) =
            place.document(&quick(&["run", "null", "--queue-depth", "1..64", "--seed", seed]));
        let mut all: Vec<(u64, u64)> = Vec::new();
        for (index, case) in document["cases"].as_array().unwrap().iter().enumerate() {
            for trial in case["trials"].as_array().unwrap() {
                all.push((trial["order"].as_u64().unwrap(), index as u64));
            }
        }
        all.sort_unstable();
        all
    };
    let first = order("7");
    assert_eq!(first, order("7"));
    assert_ne!(first, order("8"));
    // Complete blocks: each seven trials in a row hold each case once.
    for block in first.chunks(7) {
        let mut cases: Vec<u64> = block.iter().map(|(_, case)| *case).collect();
        cases.sort_unstable();
        assert_eq!(cases, (0..7).collect::<Vec<_>>());
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn reads_come_before_writes_of_the_same_file() {
    let place = StoryFolder::new();
    let (_, document) =
        place.document(&quick(&["run", "disk", "--size", "32MiB", "--pattern", "randwrite,randread"]));
    let orders = |pattern: &str| -> Vec<u64> {
        let cases = document["cases"].as_array().unwrap();
        let case = cases.iter().find(|c| c["loads"][0]["parameters"]["pattern"] == pattern).unwrap();
        case["trials"].as_array().unwrap().iter().map(|t| t["order"].as_u64().unwrap()).collect()
    };
    assert!(orders("randread").iter().max() < orders("randwrite").iter().min());
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn precision_and_budget_decide_how_many_trials() {
    let place = StoryFolder::new();
    let (code, document) = place.document(&[
        "run",
        "null",
        "--duration",
        "50ms",
        "--warm-up",
        "10ms",
        "--trials",
        "5..8",
        "--precision",
        "0.0001%",
    ]);
    assert_eq!(code, 0);
    assert_eq!(trials(&document).len(), 8);
    assert!(document["cases"][0]["findings"].to_string().contains("precision-unmet"), "{document}");

    let (_, document) = place.document(&[
        "run",
        "null",
        "--duration",
        "200ms",
        "--queue-depth",
        "1,2",
        "--trials",
        "200",
        "--budget",
        "15s",
    ]);
    let count = trials(&document).len();
    assert!((2..150).contains(&count), "{count} trials in 15 s");
    assert_eq!(document["outcome"], "budget");
}

#[test]
fn a_dry_run_says_what_it_would_do_and_touches_nothing() {
    let place = StoryFolder::new();
    let output = place.run(&[
        "run",
        "disk",
        "--queue-depth",
        "1,32",
        "--pattern",
        "read,write",
        "--size",
        "64MiB",
        "--dry-run",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    for part in ["4 cases x 5 trials", "Group 2 of 2", "(writes)", "a file of 64 MiB", "Time needed"] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    assert!(!place.store().exists());
    assert_eq!(place.names(), Vec::<String>::new());
}

#[test]
fn runs_are_listed_shown_exported_and_forgotten() {
    let place = StoryFolder::new();
    let output = place.run(&quick(&["run", "null", "-o", "run.json"]));
    assert!(output.status.success());
    let text = stdout(&output);
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    assert!(text.contains("95 % interval") && text.contains("operations"), "{text}");
    assert!(text.contains("\nduration 100 ms "), "{text}");
    let all = stdout(&place.run(&["show", "-v", "last"]));
    assert!(all.contains("\nEvery number\n") && !text.contains("\nEvery number\n"), "{all}");
    assert_eq!(place.names(), ["run.json"]);

    let list = stdout(&place.run(&["list"]));
    assert!(list.contains("complete") && list.contains("null"), "{list}");
    let id = list.lines().nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    assert!(stdout(&place.run(&["show", &id[..17]])).contains(&id));

    let csv = stdout(&place.run(&["export", "last", "--format", "csv"]));
    let head: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    assert!(csv.lines().all(|l| l.split(',').count() == head.len()), "{csv}");
    assert!(csv.contains("operations_per_second,1/s,higher,3,"), "{csv}");

    let file: Value = serde_json::from_slice(&std::fs::read(place.path().join("run.json")).unwrap()).unwrap();
    assert_eq!(file, place.stored());

    assert!(place.run(&["rm", &id]).status.success());
    assert!(stdout(&place.run(&["list"])).contains("No runs"));
}

#[test]
fn machine_readable_output_is_nothing_but_the_document() {
    let place = StoryFolder::new();
    let output = place.run(&quick(&["run", "null", "--json"]));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(trials(&document)[0].get("histograms").is_none());
    assert!(!stderr(&output).is_empty(), "progress is on standard error");
}

#[test]
fn a_load_is_kept_to_a_numa_node_at_both_ends() {
    if !std::path::Path::new("/sys/devices/system/node/node0/cpulist").exists() {
        eprintln!("skipped: this kernel shows no NUMA nodes");
        return;
    }
    let nodes = ["--cpu-node", "0", "--memory-node", "0", "--peer-cpu-node", "0", "--peer-memory-node", "0"];
    let (_, document) =
        StoryFolder::new().document(&quick(&[&["run", "net.stream", "--threads", "1"][..], &nodes].concat()));
    for trial in trials(&document) {
        if trial["reason"].as_str().is_some_and(|why| why.contains("set_mempolicy")) {
            eprintln!("skipped: this machine forbids policies of memory");
            return;
        }
        assert_eq!(trial["status"], "ok", "{trial}");
        let loads = trial["loads"].as_array().unwrap();
        assert_eq!(loads.len(), 2, "{trial}");
        for load in loads {
            assert_eq!(load["facts"]["cpu_node"], 0, "{load}");
            assert_eq!(load["facts"]["memory_policy"], "bind:0", "{load}");
            // A kernel that tells of no pages says nothing.
            assert!(load["facts"]["memory_node"].as_u64().unwrap_or(0) == 0, "{load}");
        }
    }
}

#[test]
fn workers_run_on_the_cpus_that_are_named() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    let last = allowed.trim().rsplit([',', '-']).next().unwrap();
    let pin = format!("cpus:{last}");
    for load in [&["run", "null"][..], &["run", "disk", "--size", "16MiB"]] {
        let place = StoryFolder::new();
        let (code, document) = place.document(&[load, QUICK, &["--threads", "2", "--pin", &pin]].concat());
        assert_eq!(code, 0, "{document}");
        for trial in trials(&document) {
            let workers = trial["placement"]["workers"].as_array().unwrap();
            assert_eq!(workers.len(), 2, "{trial}");
            assert!(
                workers.iter().all(|worker| worker["cpu"].as_u64() == last.parse().ok()),
                "{pin}: {trial}"
            );
        }
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn our_own_cost_is_measured_and_stored() {
    let place = StoryFolder::new();
    let (_, document) = place.document(&quick(&["run", "disk", "--size", "32MiB"]));
    let machine = &document["machines"][0];
    let named = |start: &str| {
        let all = machine["calibration"].as_array().unwrap();
        let found = all.iter().find(|c| c["name"].as_str().unwrap().starts_with(start));
        found.unwrap_or_else(|| panic!("no {start}: {machine}"))["result"]["value"].as_f64().unwrap()
    };
    assert!(named("clock.read") > 0.0 && named("clock.step") > 0.0);
    assert!(named("disk.null") > 10_000.0 && named("null") > 10_000.0);
    assert!(machine["observer_cost"]["watched_s"].as_f64().unwrap() > 0.2);
    let trial = trials(&document)[0];
    let policy = trial["placement"]["policy"].as_str().unwrap();
    assert!(["local", "spread"].contains(&policy), "{trial}");
    let counters = trial["machines"][0]["counters"].as_array().unwrap();
    assert!(counters.iter().any(|c| c["resource"] == "cpu"), "{trial}");
}

/// Bug: skipped trials and the first real one had the same place in the order,
/// which the store refused.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_study_that_leaves_cases_out_measures_the_others() {
    let place = StoryFolder::new();
    let text = "impossible = \"skip\"\n[trials]\ntrials = 2\n\
                [[workload]]\nkind = \"disk\"\ntarget = \"/proc\"\nqueue-depth = [1, 2, 4]\n\
                [[workload]]\nkind = \"null\"\nduration = \"50ms\"\n";
    std::fs::write(place.path().join("study.toml"), text).unwrap();
    let (code, document) = place.document(&["run", "./study.toml"]);
    assert_eq!(code, 0, "{document}");
    let status = |s: &str| trials(&document).iter().filter(|t| t["status"] == s).count();
    assert_eq!((status("ok"), status("skipped")), (2, 3));
    assert_eq!(place.stored(), document);
    let show = stdout(&place.run(&["show", "last"]));
    assert!(show.contains("Left out: ") && show.contains("3 trials were skipped"), "{show}");
}

/// Bug: with --destroy the run overwrote the database it was writing to.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_run_does_not_overwrite_its_own_store() {
    let place = StoryFolder::new();
    assert!(place.run(&quick(&["run", "null"])).status.success());
    let store = place.store();
    let store = store.to_str().unwrap();
    let output = place.run(&["run", "disk", "--pattern", "write", "--target", store, "--destroy", store]);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stdout(&place.run(&["list"])).contains("complete"));
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_count_is_timed_from_its_first_operation() {
    let place = StoryFolder::new();
    // The warm-up (10 ms) is shorter than one event, so its last one reaches
    // far into the window.
    let arguments = [
        "run",
        "cpu.primes",
        "--requests",
        "1",
        "--max-prime",
        "400000",
        "--warm-up",
        "10ms",
        "--trials",
        "1",
    ];
    let (code, document) = place.document(&arguments);
    assert_eq!(code, 0);
    let metric = |name: &str| trials(&document)[0]["loads"][0]["metrics"][name]["value"].as_f64().unwrap();
    let (elapsed, longest) = (metric("elapsed"), metric("latency_max"));
    assert!((elapsed / longest - 1.0).abs() < 0.01, "{elapsed} s for one event of {longest} s");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_file_in_memory_is_not_called_a_disk() {
    if !std::path::Path::new("/dev/shm").is_dir() {
        assert!(std::env::var_os("CI").is_none(), "CI has /dev/shm");
        println!("skipped: there is no /dev/shm");
        return;
    }
    let place = StoryFolder::new();
    let (_, document) = place.document(&quick(&["run", "disk", "--target", "/dev/shm", "--size", "32MiB"]));
    assert!(document["cases"][0]["findings"].to_string().contains("no-device-below"), "{document}");
}

#[test]
fn regression_the_shortest_window_that_may_be_typed_ends_the_program() {
    let place = StoryFolder::new();
    let output =
        place.run(&["run", "null", "--duration", "0.001us", "--warm-up", "0", "--trials", "1", "--json"]);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", stderr(&output));
    assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
    let document = place.stored();
    assert_eq!(document["outcome"], "complete");
}

#[test]
fn lines_tell_what_a_load_does_while_it_runs() {
    let place = StoryFolder::new();
    let times: &[&str] = &["--duration", "600ms", "--warm-up", "200ms", "--trials", "2", "--lines", "200ms"];
    let text = stdout(&place.run(&[&["run", "null"][..], times].concat()));
    let count = |is: &dyn Fn(&str) -> bool| text.lines().filter(|line| is(line)).count();
    assert_eq!(count(&|line| line.starts_with("trial ") && line.contains(": null")), 2, "{text}");
    assert_eq!(count(&|line| line.trim_start().starts_with("from s")), 2, "{text}");
    let begins = |edges: [&str; 2]| {
        count(&move |line| {
            line.split_whitespace().take(2).collect::<Vec<_>>() == edges && line.contains("/s")
        })
    };
    assert_eq!(begins(["-0.20", "0.00"]), 2, "{text}");
    for edges in [["0.00", "0.20"], ["0.20", "0.40"], ["0.40", "0.60"]] {
        assert_eq!(begins(edges), 2, "{edges:?} in {text}");
    }
    // The document is alone on standard output.
    let output = place.run(&[&["run", "null", "--json"][..], times].concat());
    serde_json::from_slice::<Value>(&output.stdout).unwrap();
    assert!(stderr(&output).contains("from s"), "{}", stderr(&output));
}

#[test]
fn every_operation_is_logged_to_a_new_file() {
    let place = StoryFolder::new();
    let file = place.path().join("operations.csv");
    let path = file.to_string_lossy().into_owned();
    let arguments: &[&str] =
        &["run", "null", "--requests", "500", "--warm-up", "0", "--trials", "2", "--log-operations", &path];
    let output = place.run(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("1000 operations are in"), "{}", stderr(&output));
    let text = std::fs::read_to_string(&file).unwrap();
    let mut rows = text.lines();
    assert_eq!(rows.next(), Some("case,block,load,worker,start_ns,latency_ns,bytes,kind,error"));
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split(',').collect()).collect();
    let of_block = |block: &str| rows.iter().filter(|row| row.len() == 9 && row[1] == block).count();
    assert_eq!((rows.len(), of_block("0"), of_block("1")), (1000, 500, 500));
    // What is there is not touched, and nothing is measured for it.
    let again = place.run(arguments);
    assert_eq!(again.status.code(), Some(3), "{}", stderr(&again));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
}
