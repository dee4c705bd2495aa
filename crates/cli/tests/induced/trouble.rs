//! One trouble a story.

use model::{Run, metric};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use model::finding::FindingKind;
use model::trial::Status;

use crate::common::{StoryFolder, stderr};
use crate::evidence::assert_resolves;
use crate::group::{Group, Limit};

/// Stories here must not disturb one another.
static ALONE: Mutex<()> = Mutex::new(());

pub(crate) fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs to the end and reads the document.
pub(crate) fn run(mut command: Command) -> Run {
    let output = command.arg("--json=full").output().unwrap();
    let run: Run = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {} {}", stderr(&output), String::from_utf8_lossy(&output.stdout)));
    for case in &run.cases {
        for trial in &case.trials {
            assert_eq!(trial.status, Status::Ok, "{:?}", trial.reason);
        }
    }
    assert_resolves(&run);
    run
}

fn codes(run: &Run) -> Vec<&str> {
    run.cases.iter().flat_map(|c| &c.findings).map(|f| f.code.as_str()).collect()
}

fn bottlenecks(run: &Run) -> Vec<&str> {
    let findings = run.cases.iter().flat_map(|c| &c.findings);
    findings.filter(|f| f.kind == FindingKind::Bottleneck).map(|f| f.code.as_str()).collect()
}

const DISK: &[&str] =
    &["run", "disk", "--size", "64MiB", "--duration", "500ms", "--trials", "3", "--queue-depth", "8"];
const PRIMES: &[&str] = &["run", "cpu.primes", "--duration", "500ms", "--trials", "3", "--pin", "none"];

/// The number of the whole block device under a folder.
pub(crate) fn device_of(place: &StoryFolder) -> String {
    use std::os::unix::fs::MetadataExt;
    let number = std::fs::metadata(place.path()).unwrap().dev();
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    let folder = std::fs::canonicalize(format!("/sys/dev/block/{major}:{minor}")).unwrap();
    let whole = if folder.join("partition").exists() { folder.parent().unwrap() } else { &folder };
    std::fs::read_to_string(whole.join("dev")).unwrap().trim().to_owned()
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_throttle_on_the_device_is_named_as_what_holds_it_back() {
    let _alone = alone();
    let place = StoryFolder::new();
    let group = Group::new(Limit::Reads(&device_of(&place), 500));
    let run = run(group.around(&place.command(DISK)));
    assert_eq!(bottlenecks(&run), ["io-quota"], "{:#?}", run.cases[0].findings);
    let iops = run.cases[0].loads.main.estimates[&metric::IOPS].median;
    assert!((400.0..600.0).contains(&iops), "{iops}");
}

#[test]
fn a_cpu_quota_is_named_as_what_holds_it_back() {
    let _alone = alone();
    let place = StoryFolder::new();
    let group = Group::new(Limit::Cpu(50));
    let run = run(group.around(&place.command(PRIMES)));
    assert_eq!(bottlenecks(&run), ["cpu-quota"], "{:#?}", run.cases[0].findings);
}

/// Ends a child by its own number.
struct Neighbour(Child);

impl Drop for Neighbour {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_neighbour_that_burns_a_core_is_named() {
    let _alone = alone();
    let place = StoryFolder::new();
    // A process that computes in user mode, with a name of its own.
    let script = "while :; do :; done";
    let mut burner = Command::new("bash");
    burner.args(["-c", &format!("printf burner > /proc/self/comm; {script}")]).stdout(Stdio::null());
    let _neighbour = Neighbour(burner.spawn().unwrap());
    let run = run(place.command(PRIMES));
    let finding = run.cases[0].findings.iter().find(|f| f.code == "disturbed-by-others");
    let finding = finding.unwrap_or_else(|| panic!("{:?}", codes(&run)));
    assert!(finding.text.contains("burner"), "{}", finding.text);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn memory_too_small_for_the_cache_is_named() {
    let _alone = alone();
    let place = StoryFolder::new();
    let group = Group::new(Limit::Memory(192 << 20));
    let arguments = [
        "run",
        "disk",
        "--direct",
        "no",
        "--size",
        "512MiB",
        "--duration",
        "1s",
        "--trials",
        "3",
        "--queue-depth",
        "4",
    ];
    let run = run(group.around(&place.command(&arguments)));
    let codes = codes(&run);
    assert!(codes.contains(&"cache-too-small"), "{codes:?}");
    assert!(codes.contains(&"page-cache-included"), "{codes:?}");
}

/// CPU seconds in user mode of everything, in ticks of 10 ms.
fn user_ticks() -> f64 {
    let text = std::fs::read_to_string("/proc/stat").unwrap();
    text.split_whitespace().skip(1).take(2).map(|n| n.parse::<f64>().unwrap()).sum()
}

/// CPU seconds in user mode of our own children that have ended.
fn children_s() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    let rest = text.rsplit(')').next().unwrap();
    rest.split_whitespace().nth(13).unwrap().parse::<f64>().unwrap() / 100.0
}

/// What no quiet run may be accused of. That the machine really was quiet is
/// measured here independently: where others do compute, saying so is right.
#[test]
fn a_quiet_run_is_not_accused() {
    let _alone = alone();
    let place = StoryFolder::new();
    for arguments in [DISK, PRIMES] {
        let (began, ticks, own) = (Instant::now(), user_ticks(), children_s());
        let run = run(place.command(arguments));
        let others = (user_ticks() - ticks) / 100.0 - (children_s() - own);
        let share = others / began.elapsed().as_secs_f64();
        let never = [
            "io-quota",
            "cpu-quota",
            "cache-too-small",
            "page-cache-included",
            "counts-do-not-reconcile",
            "littles-law-broken",
            "throttled",
            "swapping",
            "generator-bound",
            "too-few-trials",
        ];
        for code in codes(&run) {
            assert!(!never.contains(&code), "{code}: {:#?}", run.cases[0].findings);
            if code == "disturbed-by-others" {
                assert!(share > 0.05, "others used {share} CPUs: {:#?}", run.cases[0].findings);
            }
        }
        let expected: &[&str] = if arguments == DISK {
            // A deeper level is added: it tells a full disk from one that waits.
            &["cannot-tell", "latency-bound", "device-full", "one-core-full", "all-cores-full"]
        } else {
            &["one-core-full", "all-cores-full"]
        };
        // A load whose CPU time was taken away has nothing that is full.
        let taken = codes(&run).iter().any(|c| ["cpu-stolen", "disturbed-by-others"].contains(c));
        let fits = |b: &&str| expected.contains(b) || (taken && ["cannot-tell", "steal-bound"].contains(b));
        assert!(bottlenecks(&run).iter().all(fits), "{:?}", bottlenecks(&run));
    }
}

/// An error of the machine's clock or of a counter would show here first.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn one_operation_at_a_time_is_bound_by_latency() {
    let _alone = alone();
    let place = StoryFolder::new();
    let arguments = ["run", "disk", "--size", "64MiB", "--duration", "500ms", "--trials", "3"];
    let run = run(place.command(&arguments));
    let verdict = bottlenecks(&run);
    // The hypervisor may take a CPU meanwhile; then it is told beside the verdict.
    let stolen = verdict == ["steal-bound"] && codes(&run).contains(&"cpu-stolen");
    assert!(stolen || verdict == ["latency-bound"] || verdict == ["all-cores-full"], "{verdict:?}");
}
