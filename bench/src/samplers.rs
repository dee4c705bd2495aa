//! What watching costs: all samplers ten times a second and all processes once
//! a second, as in a trial, as a share of one CPU. Here, and on a machine of
//! 128 CPUs, 64 disks and 2,000 processes that is made up of files in memory:
//! that one has our own work in it, but not the kernel's of making the text.
//! The watching itself, and the peer, the procfs crate, are an example of the
//! agent.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use machine::Host;
use tempfile::TempDir;

use crate::context::BenchContext;
use crate::judge::{Figure, Goal};
use crate::{Benchmark, Sides, example};
use xtask::Error;

const SHARE: &[Figure] =
    &[Figure { what: "share of one CPU while watching", unit: "1", goal: Goal::OursAtMost(0.01) }];

/// This machine.
pub(crate) const HERE: Benchmark = Benchmark {
    name: "samplers-here",
    peer: "procfs crate",
    needs: &[],
    figures: SHARE,
    prepare: |context| Ok(Box::new(Samplers { program: build(context)?, made: None })),
};

/// A machine of many parts.
pub(crate) const LARGE: Benchmark = Benchmark {
    name: "samplers-large",
    peer: "procfs crate",
    needs: &[],
    figures: &[Figure { goal: Goal::None, ..SHARE[0] }],
    prepare: |context| {
        Ok(Box::new(Samplers { program: build(context)?, made: Some(MachineFolder::new(context)?) }))
    },
};

const CPUS: usize = 128;
const INTERRUPTS: usize = 2000;
const DISKS: usize = 64;
const PROCESSES: usize = 2000;

struct Samplers {
    program: PathBuf,
    /// Absent for this machine.
    made: Option<MachineFolder>,
}

impl Samplers {
    fn share(&self, context: &BenchContext, side: &str) -> Result<Vec<f64>, Error> {
        let root = self.made.as_ref().map_or(Path::new("/"), |made| made.0.path()).to_string_lossy();
        let seconds = context.seconds.to_string();
        let out = context.output(None, &self.program.to_string_lossy(), &[side, &root, &seconds])?;
        let share = out.trim().parse().map_err(|_| Error::Bench(format!("no share of a CPU: `{out}`")))?;
        Ok(vec![share])
    }
}

impl Sides for Samplers {
    fn ours(&self, context: &BenchContext, _: u64) -> Result<Vec<f64>, Error> {
        self.share(context, "ours")
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        self.share(context, "peer")
    }

    fn version(&self, _: &BenchContext) -> Result<String, Error> {
        Ok("procfs crate 0.18".to_owned())
    }
}

/// The example that does the watching: this program itself is not optimised.
fn build(context: &BenchContext) -> Result<PathBuf, Error> {
    example::build(context, "agent", "watching_cost")
}

/// A folder that holds a machine; it goes when this does.
struct MachineFolder(TempDir);

impl MachineFolder {
    /// In memory, where there is a place for it: one that everybody may write to,
    /// so the folder's name is not to be guessed.
    fn new(context: &BenchContext) -> Result<Self, Error> {
        let memory = Path::new("/dev/shm");
        let place = if memory.is_dir() { memory } else { context.target() };
        let folder = tempfile::Builder::new().prefix("headroom-bench-").tempdir_in(place);
        let made = Self(folder.map_err(Error::file("make a folder in", place))?);
        for (path, text) in files() {
            let path = made.0.path().join(path);
            let folder = path.parent().unwrap_or(made.0.path());
            fs::create_dir_all(folder).map_err(Error::file("make", folder))?;
            fs::write(&path, text).map_err(Error::file("write", &path))?;
        }
        Ok(made)
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
    use machine::inventory;
    use machine::sampler::Scope;
    use procfs::{FromRead, FromReadSI};

    use super::*;

    /// Both sides read the machine that is made up; else the ratio would be of
    /// two that read nothing.
    #[test]
    fn the_machine_that_is_made_up_is_read_by_both_sides() {
        let target = tempfile::tempdir().unwrap();
        let context = BenchContext::new(target.path(), 1).unwrap();
        let made = MachineFolder::new(&context).unwrap();
        let host = Host::recorded(made.0.path());
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
            assert!(
                columns.iter().any(|c| c.resource.as_str() == resource && c.name == name),
                "{resource} {name}"
            );
        }
        let stats = made.0.path().join("proc/stat");
        let stats = procfs::KernelStats::from_file(stats, procfs::current_system_info()).unwrap();
        assert_eq!(stats.cpu_time.len(), CPUS);
        let stat = procfs::process::Stat::from_file(made.0.path().join("proc/2000/stat")).unwrap();
        assert_eq!(stat.utime, 14_000);
        let folder = made.0.path().to_owned();
        drop(made);
        assert!(!folder.exists());
    }
}
