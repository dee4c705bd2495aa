//! Where a benchmark runs: the program to measure, a scratch folder under
//! `target/`, and a way to run programs that always comes to an end. The
//! scratch folder goes when the site does, also after an error or Ctrl-C; what
//! a kill leaves there is removed by the next run.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use serde_json::Value;
use signal_hook::consts::{SIGINT, SIGTERM};

use xtask::Error;

/// How long ours runs before its window opens, and a peer likewise.
pub(crate) const WARM_UP: &str = "300ms";
/// The same in milliseconds.
pub(crate) const WARM_UP_MS: u32 = 300;

/// What a run may take beyond twice the time that it measures.
const PATIENCE: Duration = Duration::from_secs(60);

/// The place and the means.
#[derive(Debug)]
pub(crate) struct BenchContext {
    headroom: PathBuf,
    /// How long one run measures.
    pub(crate) seconds: u16,
    scratch: Arc<Scratch>,
    interrupted: Arc<AtomicBool>,
    /// Held, so that two benchmarks do not disturb each other.
    _lock: Arc<File>,
}

impl BenchContext {
    /// A fresh scratch folder in `target`. The program to measure is found later,
    /// so that nothing is built beside another benchmark.
    pub(crate) fn new(target: &Path, seconds: u16) -> Result<Self, Error> {
        fs::create_dir_all(target).map_err(Error::file("make", target))?;
        let path = target.join("bench.lock");
        let lock = File::create(&path).map_err(Error::file("make", &path))?;
        lock.try_lock()
            .map_err(|e| Error::Bench(format!("another benchmark runs here (`{}`: {e})", path.display())))?;
        let scratch = target.join("bench");
        match fs::remove_dir_all(&scratch) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(Error::file("remove", &scratch)(e)),
            _ => fs::create_dir(&scratch).map_err(Error::file("make", &scratch))?,
        }
        let scratch = Arc::new(Scratch(scratch));
        let interrupted = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            signal_hook::flag::register(signal, Arc::clone(&interrupted))
                .map_err(|e| Error::Bench(format!("cannot listen for signals: {e}")))?;
        }
        Ok(Self { headroom: PathBuf::new(), seconds, scratch, interrupted, _lock: Arc::new(lock) })
    }

    /// Measures this program.
    pub(crate) fn measuring(mut self, headroom: PathBuf) -> Self {
        self.headroom = headroom;
        self
    }

    /// The same place, with another program to measure.
    pub(crate) fn beside(&self, other: PathBuf) -> Self {
        Self {
            headroom: other,
            seconds: self.seconds,
            scratch: Arc::clone(&self.scratch),
            interrupted: Arc::clone(&self.interrupted),
            _lock: Arc::clone(&self._lock),
        }
    }

    /// A path in the scratch folder.
    pub(crate) fn scratch(&self, name: &str) -> PathBuf {
        self.scratch.0.join(name)
    }

    /// Where cargo puts what it builds.
    pub(crate) fn target(&self) -> &Path {
        self.scratch.0.parent().unwrap_or(&self.scratch.0)
    }

    /// An error if the user wants an end.
    pub(crate) fn go_on(&self) -> Result<(), Error> {
        if self.interrupted.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// One trial by Headroom of the workload in `words`, on one CPU or on all.
    pub(crate) fn headroom(&self, cpu: Option<u32>, words: &[&str], seed: u64) -> Result<Metrics, Error> {
        let duration = format!("{}s", self.seconds);
        self.headroom_by_count(cpu, &[words, &["--duration", &duration]].concat(), seed)
    }

    /// The same where the words say what ends the trial.
    pub(crate) fn headroom_by_count(
        &self,
        cpu: Option<u32>,
        words: &[&str],
        seed: u64,
    ) -> Result<Metrics, Error> {
        self.headroom_after(&[], cpu, words, seed)
    }

    /// The same begun by other words, such as those that enter a namespace.
    pub(crate) fn headroom_after(
        &self,
        before: &[&str],
        cpu: Option<u32>,
        words: &[&str],
        seed: u64,
    ) -> Result<Metrics, Error> {
        // As long as the peer's, where that is another.
        let warm_up: &[&str] = if words.contains(&"--warm-up") { &[] } else { &["--warm-up", WARM_UP] };
        self.run(before, cpu, &[words, &["--pin", "none"], warm_up].concat(), seed)
    }

    /// The same as a user types it: on all CPUs, placed and warmed up as Headroom does it by itself.
    pub(crate) fn as_typed(&self, before: &[&str], words: &[&str], seed: u64) -> Result<Metrics, Error> {
        self.run(before, None, words, seed)
    }

    fn run(&self, before: &[&str], cpu: Option<u32>, words: &[&str], seed: u64) -> Result<Metrics, Error> {
        let seed = seed.to_string();
        let (store, headroom) = (self.scratch("x.db"), self.headroom.to_string_lossy().into_owned());
        let store = store.to_string_lossy();
        let rest = ["--trials", "1", "--json", "--seed", &seed, "--store", &store];
        let all = [before, &[&headroom, "run"], words, &rest].concat();
        Metrics::read(&self.output(cpu, all[0], &all[1..])?)
    }

    /// The program that is measured.
    pub(crate) fn program(&self) -> &Path {
        &self.headroom
    }

    /// What Headroom prints for these words.
    pub(crate) fn own(&self, words: &[&str]) -> Result<String, Error> {
        let headroom = self.headroom.to_string_lossy().into_owned();
        self.output(None, &headroom, words)
    }

    /// What a program prints on its standard output, on one CPU or on all. One
    /// that takes too long is ended.
    pub(crate) fn output(
        &self,
        cpu: Option<u32>,
        program: &str,
        arguments: &[&str],
    ) -> Result<String, Error> {
        self.output_and_memory(cpu, program, arguments).map(|(text, _)| text)
    }

    /// The same, and the most memory that it had resident, in bytes. This program's own is the least
    /// that is seen: the kernel counts what a process has before it becomes another program.
    pub(crate) fn output_and_memory(
        &self,
        cpu: Option<u32>,
        program: &str,
        arguments: &[&str],
    ) -> Result<(String, u64), Error> {
        self.go_on()?;
        let cpu = cpu.map(|cpu| cpu.to_string());
        let placed: Vec<&str> = cpu.iter().flat_map(|cpu| ["taskset", "-c", cpu]).collect();
        let words = [placed.as_slice(), &[program], arguments].concat();
        let failed = |why: String| Error::Bench(format!("`{}`: {why}", words.join(" ")));
        // Into files: a pipe wants a reader, which would want CPU.
        let (out, err) = (self.scratch("out"), self.scratch("err"));
        let make = |path: &Path| File::create(path).map_err(Error::file("make", path));
        let child = Process::new(words[0])
            .args(&words[1..])
            .current_dir(&self.scratch.0)
            .stdin(Stdio::null())
            .stdout(make(&out)?)
            .stderr(make(&err)?)
            .spawn()
            .map_err(|e| failed(format!("cannot be run: {e}")))?;
        let limit = PATIENCE + 2 * Duration::from_secs(u64::from(self.seconds));
        let end = self.wait(child, limit).map_err(|e| failed(e.to_string()))?;
        self.go_on()?;
        let text = |path: &Path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        match end {
            Some(ChildEnd { status, resident_bytes }) if status.success() => {
                Ok((text(&out).map_err(Error::file("read", &out))?, resident_bytes))
            }
            Some(ChildEnd { status, .. }) => {
                let says = text(&err).map_err(Error::file("read", &err))?;
                Err(failed(format!("{status}\n{}", says.trim_end())))
            }
            None => Err(failed(format!("has not ended after {} s", limit.as_secs()))),
        }
    }

    /// How a child ended; none if it had to be ended, because its time was over
    /// or the user wants an end.
    fn wait(&self, mut child: Child, limit: Duration) -> io::Result<Option<ChildEnd>> {
        let deadline = Instant::now() + limit;
        if self.is_over(&child, deadline)? {
            return ChildEnd::of(&child).map(Some);
        }
        // Asked first: fio and Headroom have children of their own to end.
        kill_process(Pid::from_child(&child), Signal::TERM)?;
        if !ends_before(&child, Instant::now() + Duration::from_secs(5))? {
            child.kill()?;
        }
        child.wait()?;
        Ok(None)
    }

    fn is_over(&self, child: &Child, deadline: Instant) -> io::Result<bool> {
        loop {
            match ends_before(child, deadline) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {
                    if self.interrupted.load(Ordering::Relaxed) {
                        return Ok(false);
                    }
                }
                over => return over,
            }
        }
    }
}

/// A folder that goes with the last who works in it.
#[derive(Debug)]
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(e) = fs::remove_dir_all(&self.0) {
            eprintln!("xtask: cannot remove `{}`: {e}", self.0.display());
        }
    }
}

/// How a child ended.
#[derive(Debug)]
struct ChildEnd {
    status: ExitStatus,
    /// The most memory that it had, in bytes.
    resident_bytes: u64,
}

impl ChildEnd {
    /// Of a child that has ended, and that nobody waited for before (wait4(2); its `ru_maxrss` is in
    /// KiB, getrusage(2)).
    fn of(child: &Child) -> io::Result<Self> {
        let id = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
        let mut status = 0;
        // SAFETY: a `rusage` is numbers, for which zero is a valid value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: both pointers are to whole values, which the call fills.
        let ended = unsafe { libc::wait4(id, &raw mut status, 0, &raw mut usage) };
        if ended != id {
            return Err(io::Error::last_os_error());
        }
        let resident_kib = u64::try_from(usage.ru_maxrss).map_err(io::Error::other)?;
        Ok(Self { status: ExitStatus::from_raw(status), resident_bytes: resident_kib * 1024 })
    }
}

/// Sleeps until the child ends; false if it has not by then.
fn ends_before(child: &Child, deadline: Instant) -> io::Result<bool> {
    let handle = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    let left = deadline.saturating_duration_since(Instant::now());
    let left = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
    Ok(poll(&mut [PollFd::new(&handle, PollFlags::IN)], Some(&left))? > 0)
}

/// The course of a trial's operations within its window.
fn rates(trial: &Value) -> Option<Vec<f64>> {
    let window_ns = trial["window"]["start_ns"].as_u64()?;
    let all = trial.pointer("/loads/0/series")?.as_array()?;
    let course = all.iter().find(|series| series["name"] == "operations" && series["resource"] == "load")?;
    let (start_ns, interval_ns) = (course["start_ns"].as_u64()?, course["interval_ns"].as_u64()?);
    let before = window_ns.saturating_sub(start_ns).div_ceil(interval_ns.max(1)) as usize;
    course["values"].as_array()?.iter().skip(before).map(Value::as_f64).collect()
}

/// The same after some time.
pub(crate) fn ends_within(child: &Child, time: Duration) -> io::Result<bool> {
    ends_before(child, Instant::now() + time)
}

/// The figures of one trial.
#[derive(Debug)]
pub(crate) struct Metrics {
    metrics: Value,
    /// Operations per second in each interval of the window.
    rates: Vec<f64>,
}

impl Metrics {
    /// Out of a run document of one trial.
    fn read(document: &str) -> Result<Self, Error> {
        let unusable = |why: String| Error::Bench(format!("the run document of headroom {why}"));
        let mut document: Value =
            serde_json::from_str(document).map_err(|e| unusable(format!("is not JSON: {e}")))?;
        let trial = &mut document["cases"][0]["trials"][0];
        if trial["status"] != "ok" {
            return Err(unusable(format!("has no trial that is ok: {}", trial["reason"])));
        }
        let rates = rates(trial).unwrap_or_default();
        let metrics =
            trial.pointer_mut("/loads/0/metrics").ok_or_else(|| unusable("has no figures".to_owned()))?;
        Ok(Self { metrics: metrics.take(), rates })
    }

    /// The best of all intervals, operations per second.
    pub(crate) fn best_rate(&self) -> Result<f64, Error> {
        let best = self.rates.iter().copied().fold(0.0, f64::max);
        if best > 0.0 {
            Ok(best)
        } else {
            Err(Error::Bench("the run document of headroom has no course".to_owned()))
        }
    }

    /// A metric's value, in its SI unit.
    pub(crate) fn get(&self, name: &str) -> Result<f64, Error> {
        let missing = || Error::Bench(format!("the run document of headroom has no metric `{name}`"));
        self.metrics[name]["value"].as_f64().ok_or_else(missing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(target: &Path) -> BenchContext {
        BenchContext::new(target, 1).unwrap()
    }

    #[test]
    fn the_best_interval_is_one_of_the_window() {
        let document = r#"{"cases": [{"trials": [{"status": "ok", "window": {"start_ns": 250, "end_ns": 500},
            "loads": [{"metrics": {}, "series": [{"resource": "load", "name": "operations", "start_ns": 100,
            "interval_ns": 100, "values": [9.0, 8.0, 5.0, 6.0]}]}]}]}]}"#;
        assert_eq!(Metrics::read(document).unwrap().best_rate().unwrap(), 6.0);
    }

    #[test]
    fn metrics_are_read_from_a_run_document() {
        let document = r#"{"schema": "headroom.run/2", "cases": [{"trials": [{"status": "ok",
            "loads": [{"load": 0, "machine": "local",
            "metrics": {"events_per_second": {"value": 4358.100200213101, "unit": "1/s"}}}]}]}]}"#;
        let metrics = Metrics::read(document).unwrap();
        assert_eq!(metrics.get("events_per_second").unwrap(), 4358.100200213101);
        assert!(metrics.best_rate().is_err());
        let missing = metrics.get("iops").unwrap_err();
        assert_eq!(missing.to_string(), "the run document of headroom has no metric `iops`");
        let failed = r#"{"cases": [{"trials": [{"status": "failed", "reason": "no room"}]}]}"#;
        let error = Metrics::read(failed).unwrap_err();
        assert_eq!(error.to_string(), r#"the run document of headroom has no trial that is ok: "no room""#);
        Metrics::read("Segmentation fault").unwrap_err();
    }

    #[test]
    fn the_output_of_a_program_is_kept_and_its_failure_told() {
        let target = tempfile::tempdir().unwrap();
        let context = context(target.path());
        assert_eq!(context.output(None, "echo", &["a", "b"]).unwrap(), "a b\n");
        let error = context.output(None, "sh", &["-c", "echo no >&2; exit 3"]).unwrap_err();
        assert_eq!(error.to_string(), "`sh -c echo no >&2; exit 3`: exit status: 3\nno");
        let error = context.output(None, "/no/such/program", &[]).unwrap_err();
        assert!(error.to_string().starts_with("`/no/such/program`: cannot be run"), "{error}");
    }

    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let target = tempfile::tempdir().unwrap();
        let context = context(target.path());
        let child = Process::new("sleep").arg("600").spawn().unwrap();
        assert!(context.wait(child, Duration::from_millis(50)).unwrap().is_none());
    }

    #[test]
    fn the_most_memory_of_a_program_is_seen() {
        let target = tempfile::tempdir().unwrap();
        let context = context(target.path());
        // dd has its block in memory, whole.
        let bytes = |block: &str| {
            let words = ["if=/dev/zero", "of=/dev/null", "count=1", "status=none", block];
            context.output_and_memory(None, "dd", &words).unwrap().1
        };
        let (small, large) = (bytes("bs=4k"), bytes("bs=256M"));
        assert!(large >= 256 << 20, "{large}");
        assert!(small < 256 << 20, "{small}");
    }

    #[test]
    fn the_scratch_folder_goes_with_the_site_and_is_for_one() {
        let target = tempfile::tempdir().unwrap();
        fs::create_dir(target.path().join("bench")).unwrap();
        fs::write(target.path().join("bench/left"), "over").unwrap();
        let context = context(target.path());
        assert!(!context.scratch("left").exists());
        fs::write(context.scratch("x"), "").unwrap();
        let second = BenchContext::new(target.path(), 1).unwrap_err();
        assert!(second.to_string().starts_with("another benchmark runs here"), "{second}");
        drop(context);
        assert!(!target.path().join("bench").exists());
    }

    #[test]
    fn an_interrupted_site_runs_nothing() {
        let target = tempfile::tempdir().unwrap();
        let context = context(target.path());
        context.interrupted.store(true, Ordering::Relaxed);
        assert!(matches!(context.output(None, "true", &[]), Err(Error::Interrupted)));
    }
}
