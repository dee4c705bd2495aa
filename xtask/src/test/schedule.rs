//! In which order the harnesses are run, and what beside what: tests that only
//! compute share the CPUs, those that mostly wait for programs they started are
//! run many at a time, with the guest beside them, and those that measure have the machine
//! for themselves.

use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::harness::{self, Counts, HarnessOptions, TestFilter};
use super::{Bench, guest};
use crate::cargo::Built;
use crate::error::Error;

/// What a harness's tests do most of the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// They compute.
    Computing,
    /// They start programs and wait for them.
    Waiting,
    /// They measure, or make trouble for what measures.
    Measuring,
}

/// The harnesses that do more than compute, by package and target.
const KINDS: &[(&str, &str, Kind)] = &[
    ("cli", "browser", Kind::Waiting),
    ("cli", "stories", Kind::Waiting),
    ("agent", "agent", Kind::Waiting),
    ("load", "engine", Kind::Measuring),
    ("load", "workloads", Kind::Measuring),
    ("study", "steady", Kind::Measuring),
    ("cli", "induced", Kind::Measuring),
    // These change states of the whole machine, which other tests look at: its settings and swap, and traces of the
    // dead, which whoever traces next removes.
    ("machine", "block_trace", Kind::Measuring),
    ("machine", "kernel_settings", Kind::Measuring),
    ("torture", "kills", Kind::Measuring),
];

/// The tests of a harness that are of another kind than the others, by what their names have.
const APART: &[(&str, &str, Kind, &[&str])] = &[
    // These only count what comes of a number of requests or transactions, or wait for servers that err, stall or go
    // away.
    (
        "load",
        "workloads",
        Kind::Waiting,
        &[
            "db::",
            "object::",
            "http::download::",
            "http::faults::",
            "http::http2::",
            "http::mixes::",
            "http::upload::",
        ],
    ),
    // These look whether a rate that was imposed is met, which takes CPU time that is there when it is due.
    (
        "cli",
        "stories",
        Kind::Measuring,
        &[
            "network::a_rate_that_somebody_imposed_at_either_end_is_met_and_named",
            "network::a_node_is_the_server_of_a_download",
            "network_six::a_known_rate_is_met_over_ipv6_with_its_longer_head",
            "verdicts::",
        ],
    ),
];

/// A harness, or the tests of it that are run together.
#[derive(Clone, Debug)]
struct HarnessPart {
    built: Built,
    kind: Kind,
    filter: TestFilter,
}

/// What is still to be run.
type Queue = Mutex<VecDeque<HarnessPart>>;

/// Harnesses that are not run here: the guest has its own step.
const ELSEWHERE: &[(&str, &str)] = &[("cli", "guest")];

/// How many tests that wait are run at a time: more, and they take the CPU from
/// one another's loads.
const WAITING_AT_A_TIME: usize = 4;

/// Runs all harnesses.
///
/// # Errors
/// If a test failed, or none was run.
pub(super) fn run(bench: &mut Bench) -> Result<(), Error> {
    let is_long = bench.is_long;
    let parts: Vec<HarnessPart> =
        bench.built()?.iter().filter(|built| is_wanted(built)).flat_map(parts_of).collect();
    let of = |kind: Kind| -> Queue {
        let own = parts.iter().filter(|part| part.kind == kind).cloned();
        Mutex::new(own.collect())
    };
    let (computing, waiting, measuring) = (of(Kind::Computing), of(Kind::Waiting), of(Kind::Measuring));
    let cpus = thread::available_parallelism().map_or(1, NonZero::get);
    let alone = HarnessOptions { filter: TestFilter::All, threads: 1, is_long };
    let many = HarnessOptions { threads: WAITING_AT_A_TIME.max(cpus), ..alone };
    let mut sum = Counts::default();
    thread::scope(|scope| {
        let others: Vec<_> = (1..cpus).map(|_| scope.spawn(|| all(&computing, alone))).collect();
        sum.add(all(&computing, alone));
        // Another CPU may still be at its last harness that computes, which may go on beside these.
        guest::begin(bench);
        sum.add(all(&waiting, many));
        for other in others {
            // One that panicked has counted nothing; that is a failure.
            sum.add(other.join().unwrap_or(Counts { failed: 1, ..Counts::default() }));
        }
    });
    guest::wait(bench);
    sum.add(all(&measuring, alone));
    bench.counts.add(sum);
    match sum {
        Counts { failed: 0, passed: 1.., .. } => Ok(()),
        Counts { failed: 0, .. } => Err(Error::Build("no test was run".to_owned())),
        Counts { failed, .. } => Err(Error::Tests(failed)),
    }
}

fn is_wanted(built: &Built) -> bool {
    built.is_test && !ELSEWHERE.contains(&(built.package.as_str(), built.target.as_str()))
}

fn kind_of(built: &Built) -> Kind {
    let own =
        |(package, target, _): &&(&str, &str, Kind)| *package == built.package && *target == built.target;
    KINDS.iter().find(own).map_or(Kind::Computing, |(.., kind)| *kind)
}

/// A harness as it is, or what of it is run at different times.
fn parts_of(built: &Built) -> Vec<HarnessPart> {
    let part = |kind, filter| HarnessPart { built: built.clone(), kind, filter };
    let kind = kind_of(built);
    let own = |(package, target, ..): &&(&str, &str, Kind, &[&str])| {
        *package == built.package && *target == built.target
    };
    match APART.iter().find(own) {
        Some((.., other, words)) => {
            vec![part(*other, TestFilter::With(words)), part(kind, TestFilter::Without(words))]
        }
        None => vec![part(kind, TestFilter::All)],
    }
}

/// Runs what is left of these, one after the other.
fn all(queue: &Queue, manner: HarnessOptions) -> Counts {
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let mut sum = Counts::default();
    while let Some(HarnessPart { built, filter, .. }) = next() {
        sum.add(harness::run(&built, HarnessOptions { filter, ..manner }));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(package: &str, target: &str) -> Built {
        Built {
            package: package.to_owned(),
            target: target.to_owned(),
            is_test: true,
            is_integration: true,
            executable: "/bin/false".into(),
            folder: "/".into(),
        }
    }

    #[test]
    fn harnesses_are_told_by_package_and_target() {
        assert_eq!(kind_of(&built("cli", "stories")), Kind::Waiting);
        assert_eq!(kind_of(&built("study", "steady")), Kind::Measuring);
        assert_eq!(kind_of(&built("machine", "steady")), Kind::Computing);
        assert!(!is_wanted(&built("cli", "guest")) && is_wanted(&built("cli", "browser")));
        assert!(!is_wanted(&Built { is_test: false, ..built("cli", "headroom") }));
    }

    #[test]
    fn each_test_of_a_harness_in_parts_is_in_one_of_them() {
        let parts = parts_of(&built("load", "workloads"));
        let [counting, rest] = parts.as_slice() else { panic!("{parts:?}") };
        let TestFilter::With(words) = counting.filter else { panic!("{counting:?}") };
        assert_eq!((counting.kind, rest.kind), (Kind::Waiting, Kind::Measuring));
        assert_eq!(rest.filter, TestFilter::Without(words));
        let stories = parts_of(&built("cli", "stories"));
        assert_eq!(
            stories.iter().map(|part| part.kind).collect::<Vec<_>>(),
            [Kind::Measuring, Kind::Waiting]
        );
        let whole = parts_of(&built("load", "engine"));
        assert!(whole.len() == 1 && whole[0].filter == TestFilter::All, "{whole:?}");
    }

    #[test]
    fn every_harness_is_run_and_one_that_says_nothing_has_failed() {
        let three = Mutex::new((0..3).flat_map(|_| parts_of(&built("cli", "browser"))).collect());
        let counts = all(&three, HarnessOptions { filter: TestFilter::All, threads: 1, is_long: false });
        assert_eq!(counts, Counts { failed: 3, ..Counts::default() });
        assert!(three.into_inner().unwrap().is_empty());
    }

    #[test]
    fn the_table_names_harnesses_that_there_are() {
        let apart = APART.iter().map(|(package, target, ..)| (package, target));
        for (package, target) in KINDS.iter().map(|(package, target, _)| (package, target)).chain(apart) {
            let folders = [crate::root().join("crates").join(package), crate::root().join(package)];
            let folder = folders.iter().find(|folder| folder.is_dir()).unwrap();
            let is_library = package == target;
            let file = folder.join("tests").join(format!("{target}.rs"));
            let main = folder.join("tests").join(target).join("main.rs");
            assert!(is_library || file.exists() || main.exists(), "{package}/{target}");
        }
    }
}
