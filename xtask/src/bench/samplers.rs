//! What watching costs: all samplers ten times a second and all processes once
//! a second, as in a trial, as a share of one CPU. Here, and on a machine of
//! 128 CPUs, 64 disks and 2,000 processes that is made up of files in memory:
//! that one has our own work in it, but not the kernel's of making the text.
//! The peer is the procfs crate, reading the same files at the same pace the
//! way it is meant to be used.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use machine::sampler::Scope;
use machine::{Host, inventory};
use procfs::{FromRead, FromReadSI};
use rustix::time::{ClockId, clock_gettime};

use super::judge::{Figure, Goal};
use super::site::Site;
use super::{Benchmark, Sides};
use crate::error::Error;

const SHARE: &[Figure] =
    &[Figure { what: "share of one CPU while watching", unit: "1", goal: Goal::OursAtMost(0.01) }];

/// This machine.
pub(super) const HERE: Benchmark = Benchmark {
    name: "samplers-here",
    peer: "procfs crate",
    needs: &[],
    figures: SHARE,
    prepare: |_| Ok(Box::new(Samplers { root: PathBuf::from("/"), made: None })),
};

/// A machine of many parts.
pub(super) const LARGE: Benchmark = Benchmark {
    name: "samplers-large",
    peer: "procfs crate",
    needs: &[],
    figures: &[Figure { goal: Goal::None, ..SHARE[0] }],
    prepare: |site| {
        let made = Made::new(site)?;
        Ok(Box::new(Samplers { root: made.0.clone(), made: Some(made) }))
    },
};

const CPUS: usize = 128;
const INTERRUPTS: usize = 2000;
const DISKS: usize = 64;
const PROCESSES: usize = 2000;

struct Samplers {
    root: PathBuf,
    /// Its folder, where the machine is made up.
    made: Option<Made>,
}

impl Sides for Samplers {
    fn ours(&self, site: &Site, _: u64) -> Result<Vec<f64>, Error> {
        site.go_on()?;
        let host = if self.made.is_some() { Host::recorded(&self.root) } else { Host::this() };
        let scope = Scope::of(&inventory::describe(&host), &host);
        let cost = agent::watching_cost(&host, &scope, f64::from(site.seconds));
        Ok(vec![cost.cpu_s / cost.watched_s])
    }

    fn peer(&self, site: &Site) -> Result<Vec<f64>, Error> {
        site.go_on()?;
        let length = Duration::from_secs(site.seconds.into());
        let (begin, begin_s) = (Instant::now(), thread_cpu_s());
        for sample in 0.. {
            let due = Duration::from_millis(100) * sample;
            std::thread::sleep(due.saturating_sub(begin.elapsed()));
            read_by_procfs(&self.root, sample % 10 == 0)?;
            if due >= length {
                break;
            }
        }
        Ok(vec![(thread_cpu_s() - begin_s) / begin.elapsed().as_secs_f64()])
    }

    fn version(&self, _: &Site) -> Result<String, Error> {
        Ok("procfs crate 0.18".to_owned())
    }
}

fn thread_cpu_s() -> f64 {
    let t = clock_gettime(ClockId::ThreadCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 / 1e9
}

/// One look of the peer.
fn read_by_procfs(root: &Path, processes: bool) -> Result<(), Error> {
    let failed = |what: &str, e: procfs::ProcError| Error::Bench(format!("procfs: {what}: {e}"));
    let proc = root.join("proc");
    let file = |name: &str| proc.join(name);
    let info = procfs::current_system_info();
    procfs::KernelStats::from_file(file("stat"), info).map_err(|e| failed("stat", e))?;
    procfs::VmStat::from_file(file("vmstat")).map_err(|e| failed("vmstat", e))?;
    procfs::DiskStats::from_file(file("diskstats")).map_err(|e| failed("diskstats", e))?;
    procfs::net::InterfaceDeviceStatus::from_file(file("net/dev")).map_err(|e| failed("net/dev", e))?;
    procfs::net::Snmp::from_file(file("net/snmp")).map_err(|e| failed("net/snmp", e))?;
    if file("pressure/cpu").exists() {
        procfs::CpuPressure::from_file(file("pressure/cpu")).map_err(|e| failed("pressure", e))?;
        procfs::MemoryPressure::from_file(file("pressure/memory")).map_err(|e| failed("pressure", e))?;
        procfs::IoPressure::from_file(file("pressure/io")).map_err(|e| failed("pressure", e))?;
    }
    if processes {
        procfs::Meminfo::from_file(file("meminfo")).map_err(|e| failed("meminfo", e))?;
        let entries = fs::read_dir(&proc).map_err(Error::file("list", &proc))?;
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().bytes().all(|b| b.is_ascii_digit()) {
                // One that has ended meanwhile is no error.
                let _ = procfs::process::Stat::from_file(entry.path().join("stat"));
            }
        }
    }
    Ok(())
}

/// A folder that holds a machine; it goes when this does.
struct Made(PathBuf);

impl Made {
    /// In memory, where there is a place for it.
    fn new(site: &Site) -> Result<Self, Error> {
        let memory = Path::new("/dev/shm");
        let name = format!("headroom-bench-{}", std::process::id());
        let made = Self(if memory.is_dir() { memory.join(name) } else { site.scratch("machine") });
        for (path, text) in files() {
            let path = made.0.join(path);
            let folder = path.parent().unwrap_or(&made.0);
            fs::create_dir_all(folder).map_err(Error::file("make", folder))?;
            fs::write(&path, text).map_err(Error::file("write", &path))?;
        }
        Ok(made)
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        if let Err(e) = fs::remove_dir_all(&self.0) {
            eprintln!("xtask: cannot remove `{}`: {e}", self.0.display());
        }
    }
}

/// Every file of the machine, as long as they are on a real one.
fn files() -> Vec<(String, String)> {
    let mut files = vec![
        ("proc/stat".to_owned(), stat()),
        ("proc/diskstats".to_owned(), diskstats()),
        ("proc/net/dev".to_owned(), net_dev()),
    ];
    // As they are here; they do not grow with the machine.
    for name in
        ["vmstat", "meminfo", "net/snmp", "net/netstat", "pressure/cpu", "pressure/memory", "pressure/io"]
    {
        let text = Host::this().text(format!("/proc/{name}"));
        files.extend(text.map(|text| (format!("proc/{name}"), text + "\n")));
    }
    files.push(("proc/self/cgroup".to_owned(), "0::/user.slice/a.scope\n".to_owned()));
    for group in ["user.slice", "user.slice/a.scope"] {
        let text =
            "usage_usec 1\nuser_usec 1\nsystem_usec 1\nnr_periods 10\nnr_throttled 1\nthrottled_usec 5\n";
        files.push((format!("sys/fs/cgroup/{group}/cpu.stat"), text.to_owned()));
    }
    let cpus = "sys/devices/system/cpu";
    files.push((format!("{cpus}/online"), format!("0-{}\n", CPUS - 1)));
    for cpu in 0..CPUS {
        files.push((format!("{cpus}/cpu{cpu}/cpufreq/scaling_cur_freq"), "2400000\n".to_owned()));
        files.push((format!("{cpus}/cpu{cpu}/topology/physical_package_id"), format!("{}\n", cpu % 2)));
        for count in ["core_throttle_count", "package_throttle_count"] {
            files.push((format!("{cpus}/cpu{cpu}/thermal_throttle/{count}"), "0\n".to_owned()));
        }
    }
    for disk in 0..DISKS {
        files.push((format!("sys/block/sd{disk}/size"), "7814037168\n".to_owned()));
        let chip = format!("sys/class/hwmon/hwmon{disk}");
        files.push((format!("{chip}/name"), "drivetemp\n".to_owned()));
        files.push((format!("{chip}/temp1_input"), "38000\n".to_owned()));
    }
    for nic in 0..8 {
        files.push((format!("sys/class/net/eth{nic}/operstate"), "up\n".to_owned()));
    }
    for package in 0..2 {
        let zone = format!("sys/class/powercap/intel-rapl:{package}");
        files.push((format!("{zone}/name"), format!("package-{package}\n")));
        files.push((format!("{zone}/energy_uj"), "123456789\n".to_owned()));
        files.push((format!("{zone}/max_energy_range_uj"), "262143328850\n".to_owned()));
    }
    files.extend((1..=PROCESSES).map(|pid| (format!("proc/{pid}/stat"), process(pid))));
    files
}

fn stat() -> String {
    let times = " 123456789 1234 23456789 987654321 345678 0 456789 12345 0 0\n";
    let mut text = format!("cpu {times}");
    (0..CPUS).for_each(|cpu| text.extend([format!("cpu{cpu}"), times.to_owned()]));
    text.push_str("intr 12345678901");
    // Most of the numbers of interrupts of a large machine belong to nobody.
    (0..INTERRUPTS).for_each(|n| text.push_str(if n % 8 == 0 { " 12345678" } else { " 0" }));
    text + "\nctxt 98765432109\nbtime 1700000000\nprocesses 12345678\nprocs_running 12\nprocs_blocked 0\n\
            softirq 34567890123 12 345678901 23456 45678901 5678901 12 3456 456789012 56789 678901234\n"
}

/// Each disk with two partitions.
fn diskstats() -> String {
    let mut text = String::new();
    for disk in 0..DISKS {
        for name in [format!("sd{disk}"), format!("sd{disk}p1"), format!("sd{disk}p2")] {
            let counts = "12345678 12345 987654321 4567890 23456789 345678 1234567890 5678901 3 6789012 \
                          7890123 1234 0 567890 123 45678 9012";
            // Writing to a String does not fail.
            let _ = writeln!(text, "   8 {disk:7} {name} {counts}");
        }
    }
    text
}

fn net_dev() -> String {
    let mut text = "Inter-|   Receive                                                |  Transmit\n \
                    face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop \
                    fifo colls carrier compressed\n"
        .to_owned();
    for nic in 0..8 {
        let counts = "1234567890123 1234567890    0   12    0     0          0    345678";
        let _ = writeln!(text, "  eth{nic}: {counts} {counts}");
    }
    text
}

fn process(pid: usize) -> String {
    format!(
        "{pid} (kworker/u{pid}:1) S 1 {pid} {pid} 0 -1 4194560 12345 678901 23 456 {} 5678 901 234 20 0 12 0 98765 \
         1234567890 23456 18446744073709551615 94000000000000 94000000100000 140000000000000 0 0 0 0 4096 16384 1 0 \
         0 17 3 0 0 0 0 0 94000000200000 94000000210000 94000030000000 140000000001000 140000000001100 \
         140000000001200 140000000002000 0\n",
        pid * 7
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both sides read the machine that is made up; else the ratio would be of
    /// two that read nothing.
    #[test]
    fn the_machine_that_is_made_up_is_read_by_both_sides() {
        let target = tempfile::tempdir().unwrap();
        let site = Site::new(target.path(), 1).unwrap();
        let made = Made::new(&site).unwrap();
        let host = Host::recorded(&made.0);
        let scope = Scope::of(&inventory::describe(&host), &host);
        assert_eq!((scope.block.len(), scope.network.len()), (DISKS, 8));
        let all = machine::sampler::open_all(&host, &scope);
        let columns: Vec<_> = all.iter().flat_map(|sampler| sampler.columns()).collect();
        for (resource, name) in [
            ("cpu:127", "steal"),
            ("block:sd63", "flush_ms"),
            ("nic:eth7", "tx_bytes"),
            ("cgroup:cpu", "nr_throttled"),
            ("cpu:127", "scaling_cur_freq"),
            ("power:package-1", "energy_uj"),
        ] {
            assert!(columns.iter().any(|c| c.resource == resource && c.name == name), "{resource} {name}");
        }
        read_by_procfs(&made.0, true).unwrap();
        let stat = procfs::process::Stat::from_file(made.0.join("proc/2000/stat")).unwrap();
        assert_eq!(stat.utime, 14_000);
        let folder = made.0.clone();
        drop(made);
        assert!(!folder.exists());
    }
}
