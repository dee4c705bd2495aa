//! Open loops against a device that is held back: a loop device over memory,
//! whose reads a control group throttles.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use model::trial::Status;
use model::{MetricName, Run, metric};

use crate::common::{StoryFolder, eventually, stderr};
use crate::group::{Group, Limit};
use crate::trouble::{alone, run};

/// More reads a second than any story asks for.
const FREE: u64 = 1_000_000;

/// A loop device over random bytes, in memory where there is some, so that the
/// disk of this machine has no part in it.
struct Device {
    path: PathBuf,
    /// Its numbers, as control groups want them.
    number: String,
    _file: tempfile::NamedTempFile,
}

impl Device {
    fn new(place: &StoryFolder) -> Self {
        let memory = std::path::Path::new("/dev/shm");
        let folder = if memory.is_dir() { memory } else { place.path() };
        let mut file = tempfile::NamedTempFile::new_in(folder).unwrap();
        let mut bytes = vec![0u8; 32 << 20];
        std::io::Read::read_exact(&mut std::fs::File::open("/dev/urandom").unwrap(), &mut bytes).unwrap();
        file.write_all(&bytes).unwrap();
        let output = Command::new("losetup").args(["--find", "--show"]).arg(file.path()).output().unwrap();
        assert!(output.status.success(), "this story needs root and a loop device: {}", stderr(&output));
        let path = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
        let mut device = Self { path, number: String::new(), _file: file };
        device.number = device.about("dev");
        device
    }

    /// What the kernel says of it.
    fn about(&self, file: &str) -> String {
        let name = self.path.file_name().unwrap().to_str().unwrap();
        std::fs::read_to_string(format!("/sys/block/{name}/{file}")).unwrap().trim().to_owned()
    }

    /// Reads so far.
    fn reads(&self) -> u64 {
        self.about("stat").split_whitespace().next().unwrap().parse().unwrap()
    }

    fn limit(&self, reads_per_s: u64) -> Limit<'_> {
        Limit::Reads(&self.number, reads_per_s)
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.path).status();
    }
}

/// 200 reads a second for 30 s, and a stall of 2 s: see docs/concepts/method.md
/// for what must come out.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_stall_of_two_seconds_is_in_the_latency_and_not_in_the_service_time() {
    let _alone = alone();
    let place = StoryFolder::new();
    let device = Device::new(&place);
    let group = Group::new(device.limit(FREE));
    let target = device.path.to_str().unwrap();
    let before = device.reads();
    let load = ["run", "disk", "--target", target, "--rate", "200/s", "--duration", "30s", "--trials", "1"];
    let mut command = group.around(&place.command(&[&load[..], &["--json=full"]].concat()));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Some seconds into the window: nothing else reads.
    eventually("the window is open", || device.reads() > before + 1000);
    let began = Instant::now();
    group.set(device.limit(1));
    std::thread::sleep(Duration::from_secs(2));
    group.set(device.limit(FREE));
    let stall_s = began.elapsed().as_secs_f64();
    let output = child.wait_with_output().unwrap();
    let run: Run =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", stderr(&output)));
    let trial = &run.cases[0].trials[0];
    assert_eq!(trial.status, Status::Ok, "{:?}", trial.reason);
    let seconds = |metric: MetricName| trial.result.main().metrics[&metric].value;
    let (latency, service) = (seconds(metric::LATENCY_P99), seconds(MetricName::new("service_time_p99")));
    assert!((1.4..2.1).contains(&latency), "p99 from the due time is {latency} s after {stall_s} s");
    assert!(service < 0.5, "p99 from the start is {service} s");
    assert!(seconds(MetricName::new("service_time_p50")) < 0.5 && seconds(metric::LATENCY_MAX) > 1.9);
    let reads = seconds(metric::IOPS) * 30.0;
    assert!((reads - 6000.0).abs() < 60.0, "{reads} reads: what waited was made up for");
}

/// A device that is held to 500 reads a second holds no more than that, whatever
/// it could do.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn the_rate_that_keeps_a_latency_is_bounded_by_what_the_device_gives() {
    let _alone = alone();
    let place = StoryFolder::new();
    let device = Device::new(&place);
    let group = Group::new(device.limit(500));
    let target = device.path.to_str().unwrap();
    // Now and then the kernel lets a new group's first reads pass unhindered.
    eventually("the limit holds", || {
        let mut reads = Command::new("dd");
        reads.args([&format!("if={target}"), "of=/dev/null", "bs=4k", "count=200", "iflag=direct"]);
        let began = Instant::now();
        assert!(group.around(&reads).stderr(Stdio::null()).status().unwrap().success());
        began.elapsed() > Duration::from_millis(300)
    });
    let load = ["run", "disk", "--target", target, "--latency-target", "100ms@90%", "--duration", "3s"];
    let command = place.command(&[&load[..], &["--trials", "1", "--queue-depth", "8"]].concat());
    let held = run(group.around(&command));
    let trial = &held.cases[0].trials[0];
    let rate = trial.result.main().metrics[&metric::RATE_HELD].value;
    assert!((42.0..525.0).contains(&rate), "{rate}: {:?}", trial.result.main().facts);
    assert!(
        trial.result.main().metrics[&metric::LATENCY_P90].value <= 0.1,
        "{:?}",
        trial.result.main().metrics
    );
    assert_eq!(held.cases[0].loads.main.estimates[&metric::RATE_HELD].n, 1);
    // Without being held back it is another figure.
    let free = run(place.command(&[&load[..], &["--trials", "1", "--queue-depth", "8"]].concat()));
    assert!(
        free.cases[0].loads.main.estimates[&metric::RATE_HELD].median > 1000.0,
        "{:?}",
        free.cases[0].trials[0].result.main().facts
    );
}
