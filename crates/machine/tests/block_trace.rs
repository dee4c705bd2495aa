//! The kernel's block events of this machine: what dd does to a loop device is counted, and
//! nothing is left in the kernel, however a trace ends. These tests need root, tracefs and
//! loop devices; where they cannot run they say so, and in CI they must.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[allow(dead_code)]
#[path = "devices/bench.rs"]
mod bench;

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bench::{Disk, Mounted, RunningProgram, run, skip};
use machine::setting::Process;
use machine::trace::{
    Capture, CaptureOptions, CaptureState, CaptureSummary, TraceError, WorkCapture, remove_left, resolve,
};
use trace::event::{BlockEvent, IoDirection};
use trace::{Action, TraceRecord};

const MIB: u64 = 1 << 20;

/// Where another run of these tests is told to begin a trace, and to say so.
const HOLD: &str = "HEADROOM_TEST_HOLDS_A_TRACE";

/// One test at a time: they look for each other's instances.
fn turn() -> MutexGuard<'static, ()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins a trace; none, said on the way, where there can be none.
fn start(options: &CaptureOptions) -> Option<Capture> {
    match Capture::start(options) {
        Ok(capture) => Some(capture),
        Err(error @ (TraceError::Permission { .. } | TraceError::NoTracefs { .. })) => {
            skip(&error.to_string());
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Only the block layer's events of the device at `path`.
fn options(path: &str) -> CaptureOptions {
    let mut options = CaptureOptions::of(&resolve(Path::new(path)).unwrap());
    (options.has_sync_calls, options.has_plugging) = (false, false);
    options.backings.clear();
    options
}

/// Ends a trace and takes all of it.
fn take(mut capture: Capture) -> (Vec<TraceRecord>, CaptureSummary) {
    capture.end().unwrap();
    let mut records = Vec::new();
    let end = Instant::now() + Duration::from_secs(60);
    while capture.next(Duration::from_secs(1), &mut records).unwrap() == CaptureState::UnderWay {
        assert!(Instant::now() < end, "it does not end");
    }
    (records, capture.finish().unwrap())
}

fn events(records: &[TraceRecord], action: Action, direction: IoDirection) -> Vec<BlockEvent> {
    let event = |record: &TraceRecord| match record {
        TraceRecord::Block(event) => Some(*event),
        _ => None,
    };
    let is_it = |event: &BlockEvent| event.action == action && event.operation.direction == direction;
    records.iter().filter_map(event).filter(is_it).collect()
}

fn bytes(events: &[BlockEvent]) -> u64 {
    events.iter().map(|event| event.bytes).sum()
}

/// Runs a script with a tracefs at `$T` that nobody else sees.
fn in_tracefs(script: &str) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("T={}; mount -t tracefs none $T && {{ {script}; }}", folder.path().display());
    run("unshare", ["--mount", "sh", "-c", &*script])
}

/// The names of all instances.
fn instances() -> Vec<String> {
    let listed = in_tracefs("ls $T/instances").unwrap();
    listed.lines().map(str::to_owned).filter(|name| !name.is_empty()).collect()
}

/// The beginning of the names of this process's instances.
fn own() -> String {
    format!("headroom-{}-", std::process::id())
}

fn has_own() -> bool {
    instances().iter().any(|name| name.starts_with(&own()))
}

#[test]
fn every_request_of_dd_is_counted_and_nothing_stays() {
    let _turn = turn();
    let Some(disk) = Disk::new(16 * MIB) else { return };
    let Some(capture) = start(&options(disk.path())) else { return };
    assert!(has_own());
    let (to, from) = (format!("of={}", disk.path()), format!("if={}", disk.path()));
    run("dd", ["if=/dev/zero", &*to, "bs=4k", "count=100", "oflag=direct"]).unwrap();
    // Far from where others look for signatures.
    run("dd", [&*from, "of=/dev/null", "bs=64k", "skip=100", "count=4", "iflag=direct"]).unwrap();
    let (records, summary) = take(capture);
    for action in [Action::Queue, Action::Issue, Action::Complete] {
        let written = events(&records, action, IoDirection::Write);
        assert_eq!((written.len(), bytes(&written)), (100, 100 * 4096), "{action:?}");
        assert!(written.iter().map(|event| event.sector).eq((0..100).map(|block| block * 8)), "{action:?}");
        let mut read = events(&records, action, IoDirection::Read);
        read.retain(|event| (12_800..13_312).contains(&event.sector));
        assert_eq!((read.len(), bytes(&read)), (4, 4 * 65_536), "{action:?}");
    }
    let queued = events(&records, Action::Queue, IoDirection::Write);
    assert!(queued.iter().all(|event| event.task.bytes() == b"dd" && event.thread != 0));
    let completed = events(&records, Action::Complete, IoDirection::Write);
    for (queued, completed) in queued.iter().zip(&completed) {
        assert!(queued.time_ns < completed.time_ns && completed.error == 0);
    }
    assert!(records.is_sorted_by_key(TraceRecord::time_ns));
    assert!(records.iter().all(|record| !matches!(record, TraceRecord::Lost { .. })));
    assert_eq!((summary.events_lost(), summary.late_records, summary.untaken_records), (0, 0, 0));
    assert!(summary.is_accounted_for(), "{summary:?}");
    let inside = |event: &BlockEvent| (summary.began_ns..=summary.ended_ns).contains(&event.time_ns);
    assert!(queued.iter().chain(&completed).all(inside));
    assert!(!has_own());
}

#[test]
fn the_work_of_the_kernels_queues_is_counted_and_nothing_stays() {
    let _turn = turn();
    let capture = match WorkCapture::start(|_| true) {
        Ok(capture) => capture,
        Err(error @ (TraceError::Permission { .. } | TraceError::NoTracefs { .. })) => {
            skip(&error.to_string());
            return;
        }
        Err(error) => panic!("{error}"),
    };
    assert!(has_own());
    // The kernel brings its statistics up to date once a second, which is work.
    std::thread::sleep(Duration::from_millis(1500));
    let found = capture.finish().unwrap();
    assert!(!has_own(), "{found:?}");
    assert!(found.events > 0 && !found.queues.is_empty(), "{found:?}");
    assert!(found.queues.iter().all(|(queue, seconds)| !queue.is_empty() && *seconds > 0.0), "{found:?}");
    drop(WorkCapture::start(|_| false).unwrap());
    assert!(!has_own());
}

#[test]
fn another_tracer_does_not_disturb() {
    let _turn = turn();
    let Some(disk) = Disk::new(16 * MIB) else { return };
    let Some(capture) = start(&options(disk.path())) else { return };
    let name = format!("other-{}", std::process::id());
    let issue = "events/block/block_rq_issue";
    let began = in_tracefs(&format!(
        "cd $T/instances && mkdir {name} && cd {name} && echo 1 > {issue}/enable && echo boot > trace_clock"
    ));
    let to = format!("of={}", disk.path());
    run("dd", ["if=/dev/zero", &*to, "bs=4k", "count=10", "oflag=direct"]).unwrap();
    let ended = in_tracefs(&format!(
        "cd $T/instances/{name} && grep -c block_rq_issue trace; echo 0 > {issue}/enable; cd .. && rmdir {name}"
    ));
    began.unwrap();
    assert!(ended.unwrap().parse::<u64>().unwrap() >= 10);
    run("dd", ["if=/dev/zero", &*to, "bs=4k", "count=10", "oflag=direct"]).unwrap();
    let (records, summary) = take(capture);
    assert_eq!(events(&records, Action::Issue, IoDirection::Write).len(), 20);
    assert!(summary.is_accounted_for() && summary.events_lost() == 0, "{summary:?}");
}

#[test]
fn what_did_not_fit_is_counted_and_told() {
    let _turn = turn();
    let Some(disk) = Disk::new(16 * MIB) else { return };
    let small = CaptureOptions { buffer_bytes: Some(8192), ..options(disk.path()) };
    let Some(capture) = start(&small) else { return };
    let to = format!("of={}", disk.path());
    // Nobody takes anything, so the reader waits at last, and the kernel overwrites.
    for _ in 0..40 {
        run("dd", ["if=/dev/zero", &*to, "bs=4k", "count=1000", "oflag=direct"]).unwrap();
    }
    let (records, summary) = take(capture);
    let told: u64 = records
        .iter()
        .map(|record| match record {
            TraceRecord::Lost { events, .. } => events.unwrap_or(0),
            _ => 0,
        })
        .sum();
    let issued = events(&records, Action::Issue, IoDirection::Write).len() as u64;
    assert!(summary.is_accounted_for(), "{summary:?}");
    assert!(told <= summary.events_overwritten(), "{told} {summary:?}");
    // Each request is queued, allocated, issued and completed at least.
    assert!(issued <= 40_000 && summary.events_read() + summary.events_lost() >= 4 * 40_000, "{summary:?}");
    // More than the lots and the buffers hold, so the test is not one of nothing.
    assert!(summary.events_overwritten() > 0, "{summary:?}");
    let is_lossy = records.iter().any(|record| matches!(record, TraceRecord::Lost { .. }));
    assert_eq!(is_lossy, summary.events_overwritten() > 0, "{summary:?}");
}

#[test]
fn a_partition_is_traced_as_a_part_of_its_disk_and_a_file_by_its_file_system() {
    let _turn = turn();
    let Some(disk) = Disk::new(64 * MIB) else { return };
    disk.divide("gpt");
    let found = resolve(Path::new(&disk.part(2))).unwrap();
    let [device] = &found[..] else { panic!("{found:?}") };
    let asked = device.asked.clone().unwrap();
    assert_eq!(format!("/dev/{}", asked.name), disk.part(2));
    assert_eq!(format!("/dev/{}", device.name), disk.path());
    assert!(device.has_requests && device.backing_file.as_deref() == disk.file.to_str());
    assert_eq!(device.partitions.len(), 2);
    if let Some(capture) = start(&options(&disk.part(2))) {
        let to = format!("of={}", disk.part(2));
        run("dd", ["if=/dev/zero", &*to, "bs=4k", "seek=3", "count=1", "oflag=direct"]).unwrap();
        let (records, _) = take(capture);
        let written = events(&records, Action::Issue, IoDirection::Write);
        let sectors: Vec<u64> = written.iter().map(|event| event.sector).collect();
        assert_eq!(sectors, [asked.start_sector + 24]);
        let remap = Action::Remap { from: asked.device, from_sector: 24 };
        assert_eq!(events(&records, remap, IoDirection::Write).len(), 1, "{records:?}");
        assert_eq!(written[0].device, Some(device.device));
    }
    run("mkfs.ext4", ["-q", &disk.part(1)]).unwrap();
    let mounted = Mounted::new(&disk.part(1));
    let file = mounted.point.join("file");
    std::fs::write(&file, "x").unwrap();
    let by_file = resolve(&file).unwrap();
    assert_eq!(by_file[0].device, device.device);
    assert_eq!(by_file[0].asked.as_ref().map(|part| format!("/dev/{}", part.name)), Some(disk.part(1)));
    let name = Path::new(disk.path().trim_start_matches("/dev/"));
    assert_eq!(resolve(name).unwrap()[0].device, device.device);
}

#[test]
fn who_dirtied_pages_and_who_waited_for_them_is_told() {
    let _turn = turn();
    let Some(disk) = Disk::new(16 * MIB) else { return };
    let all = CaptureOptions::of(&resolve(&disk.device).unwrap());
    let Some(capture) = start(&all) else { return };
    let to = format!("of={}", disk.path());
    run("dd", ["if=/dev/zero", &*to, "bs=4k", "count=16", "conv=fsync,notrunc"]).unwrap();
    let (records, summary) = take(capture);
    let device = resolve(&disk.device).unwrap()[0].device;
    let is_dirtied = |record: &&TraceRecord| matches!(record, TraceRecord::Dirtied { device: Some(d), task, .. } if *d == device && task.bytes() == b"dd");
    assert!(records.iter().any(|record| is_dirtied(&record)), "{summary:?}");
    let synced = records.iter().find(|record| {
        matches!(record, TraceRecord::Synced { call: "fsync", result: 0, task, .. } if task.bytes() == b"dd")
    });
    let Some(TraceRecord::Synced { began_ns, ended_ns, .. }) = synced else { panic!("{records:?}") };
    let written = events(&records, Action::Complete, IoDirection::Write);
    let within = written.iter().filter(|event| (*began_ns..*ended_ns).contains(&event.time_ns));
    assert!(within.map(|event| event.bytes).sum::<u64>() >= 16 * 4096, "{records:?}");
}

#[test]
fn a_trace_that_is_dropped_or_cannot_begin_leaves_nothing() {
    let _turn = turn();
    let Some(disk) = Disk::new(MIB) else { return };
    let Some(capture) = start(&options(disk.path())) else { return };
    assert!(has_own());
    drop(capture);
    assert!(!has_own());
    // More than any machine has, for each CPU.
    let huge = CaptureOptions { buffer_bytes: Some(1 << 50), ..options(disk.path()) };
    assert!(Capture::start(&huge).is_err());
    assert!(!has_own());
}

#[test]
fn instances_of_the_dead_are_removed_and_those_of_the_living_stay() {
    let _turn = turn();
    let Some(disk) = Disk::new(MIB) else { return };
    if start(&options(disk.path())).is_none() {
        return;
    }
    let namespace = std::fs::metadata("/proc/self/ns/pid").unwrap().ino();
    let mut gone = Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    let this = Process::this();
    let dead = format!("headroom-{}-1-{namespace}-0", gone.id());
    let alive = format!("headroom-{}-{}-{namespace}-99999", this.pid, this.start_ticks);
    let other = format!("other-{}", this.pid);
    for name in [&dead, &alive, &other] {
        in_tracefs(&format!("mkdir $T/instances/{name}")).unwrap();
    }
    in_tracefs(&format!("echo 1 > $T/instances/{dead}/events/block/block_plug/enable")).unwrap();
    let capture = start(&options(disk.path())).unwrap();
    let found = instances();
    let removed: Vec<&str> = capture.removed().iter().map(|left| left.name.as_str()).collect();
    let removed_dead = removed.contains(&&*dead);
    drop(capture);
    in_tracefs(&format!("rmdir $T/instances/{alive} $T/instances/{other}")).unwrap();
    assert!(removed_dead && !found.contains(&dead), "{found:?}");
    assert!(found.contains(&alive) && found.contains(&other), "{found:?}");
}

#[test]
fn a_trace_of_another_namespace_goes_on_and_one_that_nobody_reads_is_removed() {
    let _turn = turn();
    let Some(disk) = Disk::new(MIB) else { return };
    if start(&options(disk.path())).is_none() {
        return;
    }
    let elsewhere = std::fs::metadata("/proc/self/ns/pid").unwrap().ino() + 1;
    // Here nobody is called so; there somebody may be.
    let name = |number: u32| format!("headroom-{}-1-{elsewhere}-{number}", u32::MAX);
    let (read, left) = (name(0), name(1));
    let plug = "events/block/block_plug/enable";
    let folder = tempfile::tempdir().unwrap();
    let script = format!(
        "T={}; mount -t tracefs none $T && cd $T/instances && mkdir {read} {left} && echo 1 > {read}/{plug} \
         && exec 3< {read}/per_cpu/cpu0/trace_pipe_raw && echo ready && read line",
        folder.path().display()
    );
    let reader = RunningProgram::start("unshare", &["--mount", "sh", "-c", &script]);
    let capture = start(&options(disk.path())).unwrap();
    let found = instances();
    drop(capture);
    let state = in_tracefs(&format!("cat $T/instances/{read}/tracing_on $T/instances/{read}/{plug}"));
    drop(reader);
    in_tracefs(&format!("rmdir $T/instances/{read}")).unwrap();
    assert_eq!(state.unwrap(), "1\n1");
    assert!(found.contains(&read) && !found.contains(&left), "{found:?}");
}

/// Begins a trace and waits to be killed, where the test below says so.
#[test]
fn holds_a_trace_until_it_is_killed() {
    let Some(mark) = std::env::var_os(HOLD) else { return };
    let options = CaptureOptions { has_plugging: true, ..CaptureOptions::default() };
    let _capture = Capture::start(&options).unwrap();
    std::fs::write(mark, "").unwrap();
    std::thread::sleep(Duration::from_secs(600));
}

#[test]
fn what_was_killed_is_cleaned_up_after() {
    let _turn = turn();
    let Some(disk) = Disk::new(MIB) else { return };
    if start(&options(disk.path())).is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("mark");
    let mut other = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "holds_a_trace_until_it_is_killed"])
        .env(HOLD, &mark)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let end = Instant::now() + Duration::from_secs(60);
    while !mark.exists() {
        let ended = other.try_wait().unwrap();
        assert!(Instant::now() < end && ended.is_none(), "it does not begin: {ended:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
    let name = format!("headroom-{}-", other.id());
    let is_there = || instances().iter().any(|instance| instance.starts_with(&name));
    let before = (is_there(), remove_left().iter().any(|left| left.owner == other.id()));
    other.kill().unwrap();
    other.wait().unwrap();
    let left = remove_left();
    assert_eq!(before, (true, false), "it lived");
    let one = left.iter().find(|left| left.owner == other.id()).unwrap();
    assert!(one.is_settled() && one.to_string().ends_with("ended and removed"), "{one}");
    assert!(!is_there());
}
