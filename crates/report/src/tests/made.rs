//! The runs made for tests are what they say, and everything that is made of a
//! run takes them.

use language::Language;
use model::trial::Status;
use model::{Run, WorkloadName, metric};

use super::baseline::baseline;
use super::disks::disks;
use super::long::{CPUS, DIP, HOUR, SPIKE, long, short};
use super::odd::{TEXTS, odd};
use crate::export::EXPORTERS;
use crate::figure::tests::fixture::definitions;
use crate::page::Subject;

#[test]
fn the_long_run_is_long_and_always_the_same() {
    let run = long();
    assert_eq!(run.cases.len(), 500);
    assert!(run.cases.iter().all(|c| c.trials.len() == 5 && !c.loads.main.estimates.is_empty()));
    let mut labels: Vec<_> = run.cases.iter().map(|c| c.label.to_string()).collect();
    labels.sort();
    labels.dedup();
    assert_eq!(labels.len(), 500);
    let series = |resource: &str, name: &str| {
        let all = run.cases.iter().flat_map(|c| &c.trials).flat_map(|t| t.result.series());
        let long = all
            .filter(|s| s.resource.as_str() == resource && s.name.as_str() == name && s.values.len() == HOUR);
        long.cloned().collect::<Vec<_>>()
    };
    assert_eq!(series("load", "throughput").len(), 15);
    for throughput in series("load", "throughput") {
        let most = throughput.values.iter().copied().fold(0.0, f64::max);
        assert_eq!((throughput.values[DIP], throughput.values[SPIKE]), (0.0, most));
    }
    for cpu in 0..CPUS {
        assert_eq!(series(&format!("cpu:{cpu}"), "user").len(), 1, "{cpu}");
    }
    let reads = run.cases.iter().filter(|c| c.loads.main.workload == WorkloadName::new("disk"));
    assert!(reads.flat_map(|c| &c.trials).all(|t| t.result.main().histograms.contains_key(&metric::LATENCY)));
    assert_eq!(short(), short());
}

#[test]
fn every_odd_run_can_be_kept_and_read_again() {
    let all = odd();
    for (name, run) in &all {
        let text = serde_json::to_string(run).unwrap();
        let again: Run = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(again, *run, "{name}");
    }
    let named = |name: &str| &all.iter().find(|(n, _)| n == name).unwrap_or_else(|| panic!("{name}")).1;
    assert!(named("failed").cases[0].trials.iter().all(|t| t.status == Status::Failed));
    assert_eq!(named("number-largest").cases[0].loads.main.estimates[&metric::IOPS].median, f64::MAX);
    for (name, text) in TEXTS {
        let (some, every) = (named(&format!("text-{name}")), named(&format!("all-{name}")));
        assert_eq!(some.study.title.as_deref(), Some(*text));
        assert!(some.cases[0].label.to_string().contains(*text), "{}", some.cases[0].label);
        assert_eq!(some.cases[0].loads.main.workload, WorkloadName::new("disk"));
        assert_eq!(every.cases[0].loads.main.workload.as_str(), *text);
        let reason = every.cases[0].trials.last().unwrap().reason.as_deref();
        assert_eq!((reason, every.findings[0].text.as_str()), (Some(*text), *text));
    }
}

/// Each of them shows what it is for.
#[test]
fn the_runs_of_disks_show_what_they_are_for() {
    for (name, mut run) in disks() {
        run.definitions = definitions();
        let text = serde_json::to_string(&run).unwrap();
        assert_eq!(serde_json::from_str::<Run>(&text).unwrap(), run, "{name}");
        let subject = Subject { run: &run, words: Language::English.words() };
        let page = crate::document::markdown::write(&crate::page::document(&subject));
        let shown = match name {
            "depths" => "full from here",
            "sizes" => "IOPS and throughput over block size",
            "span" => "A cache ends between 512 MiB and 1 GiB touched",
            "span-buffered" => "it is the page cache",
            "mixed" | "shares" => "Reads and writes: ",
            "durable" => "until all was on the device",
            "targets" => "8 targets together",
            "rounds" => "steady after 13 rounds",
            _ => "over offset",
        };
        assert!(page.contains(shown), "{name}: {shown}\n{page}");
    }
}

/// All that a server's baseline shows, as a page, as text and in every language.
#[test]
fn a_baseline_shows_every_chart_of_compute() {
    let run = Run { definitions: definitions(), ..baseline() };
    let text = serde_json::to_string(&run).unwrap();
    assert_eq!(serde_json::from_str::<Run>(&text).unwrap(), run);
    for language in language::LANGUAGES {
        let subject = Subject { run: &run, words: language.words() };
        let page = crate::document::markdown::write(&crate::page::document(&subject));
        assert!(!page.contains("figure-"), "{}: {page}", language.tag());
        if *language != Language::English {
            continue;
        }
        for shown in [
            "The machine at a glance",
            "How long things take on this machine",
            "What the processor can do with each byte",
            "Amdahl’s law fits: 4 % of the work is serial",
            "More threads than 8 CPUs are drawn, but not fitted.",
            "32 MiB to 64 MiB: L3 ends, though it claims 260 MiB",
            "From each CPU to each: ",
            "heat from rest to rest",
            "coretemp/Core 0: 38 °C at rest, 82 °C at the most under load, 44 °C more.",
            "To the right, other threads draw more",
        ] {
            assert!(page.contains(shown), "{shown}\n{page}");
        }
    }
}

/// What cannot be written is an error, not a panic.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn every_format_takes_every_odd_run() {
    for (name, run) in odd() {
        let subject = Subject { run: &run, words: Language::English.words() };
        for exporter in EXPORTERS {
            if let Err(e) = (exporter.write)(&subject) {
                assert!(!e.to_string().is_empty(), "{name}.{}", exporter.extension);
            }
        }
    }
}
