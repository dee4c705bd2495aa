//! What was seen inside: evidence that stands beside a verdict and tells why it is so.
//! Where nothing was seen the verdict is the same, with less evidence.

use model::Finding;
use model::finding::Evidence;
use model::metric;
use model::run::CaseResult;

use super::network::DECIDES;
use super::{
    bus, clock, connecting, contention, database, datagrams, device, device_queue, flushed, host_queue,
    huge_pages, large_answers, late_answers, latency, loss, mounted_sync, overloaded, path, presenter, quota,
    remade, reorder, server, shaped, shown, slower, steal, weight, window,
};
use crate::validity::others_io;
use crate::{Context, measure};

/// What may be seen.
type Look = fn(&CaseResult) -> Option<Evidence>;

/// Of each verdict, what tells more about it.
const LOOKS: &[(&str, &[Look])] = &[
    ("latency-bound", &[measure::waited, measure::delayed, measure::ready]),
    ("scheduler-bound", &[measure::waited, measure::ready]),
    (
        "round-trip-bound",
        &[measure::waited, measure::ready, large_answers::told, late_answers::beyond_way, remade::told],
    ),
    (
        "cannot-tell",
        &[measure::waited, measure::delayed, measure::ready, |case| measure::pressure(case, "memory")],
    ),
    ("cpu-quota", &[|case| measure::pressure(case, "cpu")]),
    ("one-core-full", &[measure::counted, |case| measure::pressure(case, "cpu")]),
    ("own-cores-full", &[measure::counted, |case| measure::pressure(case, "cpu")]),
    ("all-cores-full", &[measure::counted, |case| measure::pressure(case, "cpu")]),
    ("io-quota", &[measure::waited, measure::delayed, |case| measure::pressure(case, "io")]),
    ("clock-held", &[measure::counted]),
    ("memory-bandwidth-full", &[measure::counted]),
    ("memory-latency", &[measure::counted, measure::ready]),
    ("device-bound", &[measure::waited, measure::delayed, |case| measure::pressure(case, "io")]),
    (
        "server-bound",
        &[
            server::program_here,
            server::among_busy,
            large_answers::told,
            remade::told,
            database::log::device_work,
        ],
    ),
    ("log-flush-bound", &[database::log::device_work]),
    ("page-read-bound", &[database::log::device_work]),
    ("device-full", &[measure::waited, measure::delayed, |case| measure::pressure(case, "io")]),
];

pub(super) const ENGLISH: &str = r#"
evidence-waited =
    its workers waited { PERCENT($share) } of the time { $what ->
        [file] in calls to files and disks
        [socket] for a socket
        [pipe] for a pipe
        [lock] for other threads
        [timer] for a timer
        [completion] for the completion of asynchronous I/O
        [poll] until one of several descriptors was ready
        [fault] for pages that were not mapped
        [writeback] until dirty pages were written
        [reclaim] for memory to be made free
       *[other] in other calls
    }
evidence-counted-cycles =
    { FIXED($in_cycle, decimals: 2) } instructions per cycle{ $known ->
        [yes] , { FIXED($misses, decimals: 1) } cache misses per operation
       *[no] {""}
    }{ $user ->
        [yes] {" "}(user mode only)
       *[no] {""}
    }{ $what ->
        [memory] : it waits for memory more than it computes
        [computes] : it computes
       *[unclear] {""}
    }
evidence-ready = each worker stood ready without a CPU { PERCENT($share) } of the time
evidence-others-there =
    { RESOURCE($resource) } moved { SHORT($beyond, unit: "B/s") } more than the { SHORT($program, unit: "B/s") } of the load:
    what others do there, or a file system adds, may be what it waits for
evidence-in-syncs = { PERCENT($share) } of the time is spent in syncs of { SHORT($sync_s, unit: "s") }
evidence-delayed =
    each worker waited { PERCENT($share) } of the time { $what ->
        [blkio] for block devices
        [swapin] for swapped pages
        [freepages] for memory to be made free
        [thrashing] for pages that had just been dropped
        [compact] for memory to be moved together
        [wpcopy] for pages to be copied that are shared until written
       *[irq] while interrupts had its CPU
    }, by the kernel's account
evidence-pressure =
    { $whose ->
        [group] in the control group of the load
       *[machine] on the machine as a whole
    } { $what ->
        [cpu] tasks stood ready without a CPU
        [memory] tasks waited for memory
       *[io] tasks waited for disks
    } { PERCENT($some) } of the time{ $all ->
        [yes] ; { PERCENT($full) } of the time all that were not idle did
       *[no] {""}
    }
"#;

/// What is known around the case that tells more about a verdict.
const AROUND: &[LookAround] = &[
    bus::unknown,
    clock::held,
    clock::slowed,
    connecting::told,
    contention::of_cores,
    others_there,
    few_at_device,
    in_syncs,
    flushed::told,
    flushed::trimmed,
    huge_pages::told,
    mounted_sync::told,
    quota::beside_link,
    datagrams::lost_beside,
    loss::told,
    presenter::on_the_way,
    reorder::told,
    slower::told,
    steal::told,
    steal::in_some,
    shaped::told,
    shaped::dropped,
    overloaded::told,
    path::growing,
    weight::told,
    window::lacking,
    path::paced,
    database::most::told,
    database::temporary::told,
];

/// What may be known around a case.
type LookAround = fn(&Finding, &CaseResult, &Context<'_>) -> Option<Evidence>;

/// Verdicts on devices that may give no more because others use them, and that which names nothing.
const SHARED: [&str; 5] = ["latency-bound", "device-full", "device-bound", "constant-limit", CANNOT_TELL];

/// Evidence that others have much of a device.
const OTHERS_THERE: &str = "others-there";

/// That others have at least as much of the device as the load: what these do there may be what it waits for.
fn others_there(named: &Finding, case: &CaseResult, context: &Context<'_>) -> Option<Evidence> {
    if !SHARED.contains(&named.code.as_str()) {
        return None;
    }
    let found = others_io::RULE.look(case, context).into_iter().next()?;
    let of = |name: &str| found.args.get(name)?.number();
    let (beyond, program) = (of("beyond")?, of("program")?);
    let place = found.evidence.first()?.at.clone().filter(|_| beyond >= program)?;
    let evidence = Evidence::at(OTHERS_THERE, place).arg("resource", found.resource.as_ref()?.as_str());
    Some(evidence.arg("beyond", beyond).arg("program", program))
}

/// Verdicts that leave open where operations wait.
const OPEN: [&str; 2] = ["latency-bound", CANNOT_TELL];
const CANNOT_TELL: &str = "cannot-tell";

/// That the device has hardly any of what is under way, where neither a trace nor another depth tells.
fn few_at_device(named: &Finding, case: &CaseResult, context: &Context<'_>) -> Option<Evidence> {
    let tells = |evidence: &Evidence| [device_queue::FEW, device::ABOVE].contains(&evidence.code.as_str());
    let is_open = OPEN.contains(&named.code.as_str()) && !named.evidence.iter().any(tells);
    let is_traced = || measure::block_phases(case, context).is_some();
    if is_open && !is_traced() { device_queue::few(case, context) } else { None }
}

/// That a device which is full has flushes to do for most of the time: it would take more writes without them.
fn in_syncs(named: &Finding, case: &CaseResult, _context: &Context<'_>) -> Option<Evidence> {
    let is_full = named.code == "device-full";
    let syncs = latency::syncing(case, measure::concurrency(case));
    let (sync_s, share) = syncs.filter(|(_, share)| is_full && *share >= DECIDES)?;
    Some(shown("in-syncs", metric::SYNCS_PER_SECOND).arg("share", share).arg("sync_s", sync_s))
}

/// The verdict with what was seen.
pub(super) fn told(finding: Finding, case: &CaseResult, context: &Context<'_>) -> Finding {
    let around: Vec<Evidence> = AROUND.iter().filter_map(|look| look(&finding, case, context)).collect();
    // One that waits for a device of which others have most may wait for these.
    let is_shared = around.iter().any(|evidence| evidence.code == OTHERS_THERE);
    let finding = clock::named(finding, case, context);
    let finding = host_queue::named(finding, case, context);
    let finding = shaped::named(slower::named(finding, &around), &around);
    // What it is known to wait for has the word.
    let is_open = finding.args.get("others") == Some(&model::Value::Bool(false));
    let finding = if is_shared && is_open { finding.arg("others", true) } else { finding };
    let finding =
        finding.because_all(around.into_iter().map(|evidence| Evidence { beside: true, ..evidence }));
    let looks = LOOKS.iter().filter(|(code, _)| *code == finding.code).flat_map(|(_, looks)| *looks);
    let seen: Vec<Evidence> =
        looks.filter_map(|look| Some(Evidence { beside: true, ..look(case)? })).collect();
    finding.because_all(seen)
}

#[cfg(test)]
mod tests {
    use model::Resource;

    use super::super::CODES;
    use super::super::tests::{disk, verdict};
    use super::*;
    use crate::validity::fixture;

    #[test]
    fn each_is_of_a_verdict_that_there_is() {
        for (code, _) in LOOKS {
            assert!(CODES.iter().any(|(own, _)| own == code), "{code}");
        }
    }

    #[test]
    fn a_full_core_says_whether_it_waits_for_memory() {
        use model::{Better, Unit, fact, metric};
        let mut case = disk(1, 9_000.0, 110.0, 109.0);
        for (name, value) in [
            (metric::INSTRUCTIONS_PER_CYCLE, 0.4),
            (metric::INSTRUCTIONS_PER_OPERATION, 1_000.0),
            (metric::CACHE_MISSES_PER_OPERATION, 31.0),
        ] {
            case.loads.main.estimates.insert(name, fixture::estimate(value, Unit::One, Better::Lower));
        }
        case.trials[0].result.main_mut().facts.insert(fact::HARDWARE_COUNTERS, fact::USER.into());
        let found = verdict(&[case]);
        assert_eq!(found.code, "one-core-full");
        let said: Vec<&str> = found.evidence.iter().filter_map(|e| e.text.as_deref()).collect();
        let expected = "0.40 instructions per cycle, 31.0 cache misses per operation (user mode only): it waits for \
                        memory more than it computes";
        assert!(said.contains(&expected), "{said:?}");
    }

    #[test]
    fn a_verdict_is_the_same_with_and_without_what_was_seen() {
        let mut case = disk(1, 9_000.0, 110.0, 5.0);
        let plain = verdict(&[case.clone()]);
        for trial in &mut case.trials {
            for (name, steps) in [("looks", 40), ("running", 7), ("wait_file", 93)] {
                let source = format!("/proc/self/task/*/syscall {name}");
                let counter = fixture::counter(Resource::WORKERS, &source, 1.0, steps);
                trial.result.local_mut().counters.push(counter);
            }
        }
        let seen = verdict(&[case]);
        assert!(seen.evidence.iter().any(|e| e.beside) && plain.evidence.iter().all(|e| !e.beside));
        assert_eq!((plain.code.as_str(), &plain.text), ("latency-bound", &seen.text));
        let said: Vec<&str> = seen.evidence.iter().filter_map(|e| e.text.as_deref()).collect();
        assert!(
            said.contains(&"its workers waited 93 % of the time in calls to files and disks"),
            "{said:?}"
        );
    }

    #[test]
    fn a_server_on_this_machine_is_told_with_what_it_computes() {
        use model::profile::Aspect;
        use model::trial::ProcessUse;
        use model::{Better, ParameterName, Unit, fact, metric};
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.pingpong");
        fixture::set(&mut case, "peer", "127.0.0.1:80");
        case.loads.main.profile.aspects.insert(ParameterName::new("url"), Aspect::Server);
        let estimate = fixture::estimate(1000.0, Unit::PerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::OPERATIONS_PER_SECOND, estimate);
        let mut latency = stats::histogram::new_latency();
        latency.record(1_000_000).unwrap();
        let result = &mut case.trials[0].result;
        let main = result.main_mut();
        main.histograms.insert(metric::LATENCY, stats::histogram::encode(&latency).unwrap());
        main.facts.insert(fact::ONE_MACHINE, true.into());
        main.facts.insert(fact::RTT_LEAST, 0.0001.into());
        let name = "python3".to_owned();
        let server = ProcessUse { pid: 7, name, own: false, kernel: false, cpu_s: 0.99, watched_s: 1.0 };
        result.local_mut().processes = vec![server];
        let found = verdict(&[case.clone()]);
        assert_eq!(found.code, "server-bound");
        let said: Vec<&str> = found.evidence.iter().filter_map(|e| e.text.as_deref()).collect();
        assert!(
            said.iter().any(|text| text.starts_with("meanwhile python3, of the other programs")),
            "{said:?}"
        );
        case.trials[0].result.main_mut().facts.insert(fact::ONE_MACHINE, false.into());
        assert!(verdict(&[case]).evidence.iter().all(|evidence| evidence.code != "program-here"));
    }

    #[test]
    fn threads_that_stand_ready_for_long_are_told() {
        let with = |delay: f64| {
            let mut case = disk(1, 9_000.0, 110.0, 5.0);
            for trial in &mut case.trials {
                trial.result.main_mut().facts.insert(model::fact::RUN_DELAY, delay.into());
            }
            verdict(&[case]).evidence.into_iter().find(|evidence| evidence.code == "ready")?.text
        };
        let said = "each worker stood ready without a CPU 30 % of the time";
        assert_eq!(with(0.3).as_deref(), Some(said));
        assert_eq!(with(0.01), None);
    }

    /// Bug: a load that waited for what others did on its disk was told that nothing is full.
    #[test]
    fn a_device_that_others_have_more_of_says_so() {
        let with = |others: f64| {
            let mut case = disk(1, 9_000.0, 110.0, 5.0);
            let sectors = (9_000.0 * 4096.0 + others) / 512.0;
            for trial in &mut case.trials {
                trial.result.local_mut().counters[0].after = sectors as u64;
            }
            let found = verdict(&[case]);
            assert_eq!(found.code, "latency-bound");
            let says = found.text.contains("more passes disk sda than the load moves");
            let there = found.evidence.into_iter().find(|evidence| evidence.code == OTHERS_THERE);
            assert_eq!(says, there.is_some());
            there?.text
        };
        assert!(with(400e6).is_some_and(|text| text.starts_with("disk sda moved 400 MB/s more")));
        assert_eq!(with(20e6), None);
    }

    /// Bug: of a device that has flushes to do for most of the time the writes alone were said to fill it.
    #[test]
    fn a_full_device_that_is_flushed_for_most_of_the_time_says_so() {
        use model::{Better, Unit};
        let with = |sync_us: u64| {
            let mut full = disk(32, 10_000.0, 3_200.0, 2.0);
            let each = fixture::estimate(10_000.0, Unit::PerSecond, Better::Higher);
            full.loads.main.estimates.insert(metric::SYNCS_PER_SECOND, each);
            let mut syncs = stats::histogram::new_latency();
            syncs.record(sync_us * 1000).unwrap();
            let text = stats::histogram::encode(&syncs).unwrap();
            for trial in &mut full.trials {
                trial.result.main_mut().histograms.insert(metric::SYNC_LATENCY, text.clone());
            }
            let found = verdict(&[full, disk(16, 9_900.0, 1_600.0, 2.0)]);
            assert_eq!(found.code, "device-full");
            found.evidence.into_iter().find(|evidence| evidence.code == "in-syncs")?.text
        };
        assert!(
            with(2_900).is_some_and(|text| text.starts_with("91 % of the time is spent in syncs of 2.9"))
        );
        assert_eq!(with(100), None);
    }
}
