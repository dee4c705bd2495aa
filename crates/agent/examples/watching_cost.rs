//! What watching a machine costs, as a share of one CPU: the other half of the
//! benchmark `samplers` of `cargo xtask bench`, an example so that it is built
//! as the program is. `watching_cost ours|peer ROOT SECONDS`; the peer is the
//! procfs crate, reading the same files at the same pace the way it is meant to
//! be used.
#![allow(clippy::print_stdout, reason = "it speaks to the benchmark")]

use std::path::Path;
use std::time::{Duration, Instant};

use machine::sampler::Scope;
use machine::{Host, inventory};
use procfs::{FromRead, FromReadSI};
use rustix::time::{ClockId, clock_gettime};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [side, root, seconds] = words.as_slice() else { return Err("wanted: ours|peer ROOT SECONDS".into()) };
    let (root, seconds) = (Path::new(root), seconds.parse()?);
    let share = match side.as_str() {
        "ours" => ours(root, seconds),
        "peer" => peer(root, seconds)?,
        other => return Err(format!("no side `{other}`").into()),
    };
    println!("{share}");
    Ok(())
}

fn ours(root: &Path, seconds: f64) -> f64 {
    let host = if root == Path::new("/") { Host::this() } else { Host::recorded(root) };
    let scope = Scope::of(&inventory::describe(&host), &host);
    let cost = agent::watching_cost(&host, &scope, seconds);
    cost.cpu_s / cost.watched_s
}

fn peer(root: &Path, seconds: f64) -> Result<f64, Failure> {
    let (begin, begin_s) = (Instant::now(), thread_cpu_s());
    for sample in 0.. {
        let due = Duration::from_millis(100) * sample;
        std::thread::sleep(due.saturating_sub(begin.elapsed()));
        read_by_procfs(&root.join("proc"), sample % 10 == 0)?;
        if due.as_secs_f64() >= seconds {
            break;
        }
    }
    Ok((thread_cpu_s() - begin_s) / begin.elapsed().as_secs_f64())
}

fn thread_cpu_s() -> f64 {
    let t = clock_gettime(ClockId::ThreadCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 / 1e9
}

fn read_by_procfs(proc: &Path, processes: bool) -> Result<(), Failure> {
    let file = |name: &str| proc.join(name);
    let info = procfs::current_system_info();
    procfs::KernelStats::from_file(file("stat"), info)?;
    procfs::VmStat::from_file(file("vmstat"))?;
    procfs::DiskStats::from_file(file("diskstats"))?;
    procfs::net::InterfaceDeviceStatus::from_file(file("net/dev"))?;
    procfs::net::Snmp::from_file(file("net/snmp"))?;
    if file("pressure/cpu").exists() {
        procfs::CpuPressure::from_file(file("pressure/cpu"))?;
        procfs::MemoryPressure::from_file(file("pressure/memory"))?;
        procfs::IoPressure::from_file(file("pressure/io"))?;
    }
    if processes {
        procfs::Meminfo::from_file(file("meminfo"))?;
        for entry in std::fs::read_dir(proc)?.flatten() {
            if entry.file_name().to_string_lossy().bytes().all(|b| b.is_ascii_digit()) {
                // One that has ended meanwhile is no error.
                let _ = procfs::process::Stat::from_file(entry.path().join("stat"));
            }
        }
    }
    Ok(())
}
