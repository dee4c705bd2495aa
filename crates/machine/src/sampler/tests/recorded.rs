//! What this machine does not have.

use super::*;

const SCOPE: (&[&str], &[&str]) = (&["sda", "nvme0n1"], &["lo", "eth0"]);

/// A machine that has everything.
const FULL: &str = "\
==> /proc/stat
cpu  100 20 30 400 5 6 7 8 9 10
cpu0 60 10 20 200 5 3 4 4 0 0
cpu2 40 10 10 200 0 3 3 4 0 0
intr 123456 1 2 3
ctxt 777
btime 1700000000
processes 88
procs_running 3
procs_blocked 1
softirq 1000 1 2 3 4 5 6 7 8 9 10
==> /proc/diskstats
   8       0 sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17
   8       1 sda1 91 92 93 94 95 96 97 98 99 90 91 92 93 94 95 96 97
 259       0 nvme0n1 21 22 23 24 25 26 27 28 29 30 31
==> /proc/net/dev
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25
  eth0: 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45
==> /proc/net/snmp
Ip: Forwarding DefaultTTL
Ip: 1 64
Tcp: RtoAlgorithm MaxConn OutSegs InSegs RetransSegs CurrEstab
Tcp: 1 -1 500 400 7 3
Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors
Udp: 600 1 8 700 6 5
UdpLite: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors
UdpLite: 1 1 1 1 1 1
==> /proc/net/snmp6
Ip6InReceives                   \t55
Udp6InDatagrams                 \t44
Udp6RcvbufErrors                \t3
==> /proc/net/softnet_stat
0000ffff 00000011 00000002 00000000 00000000
==> /sys/class/net/eth0/statistics/rx_missed_errors
13
==> /proc/net/netstat
TcpExt: SyncookiesSent TCPTimeouts ListenDrops
TcpExt: 0 9 2
==> /proc/vmstat
nr_free_pages 1000
nr_file_pages 50
nr_dirty 4
nr_writeback 2
pgpgin 600
pgpgout 700
pswpin 1
pswpout 2
pgmajfault 3
allocstall_normal 4
oom_kill 5
==> /proc/meminfo
MemTotal:       2000 kB
MemAvailable:   1500 kB
==> /proc/pressure/cpu
some avg10=0.00 avg60=0.00 avg300=0.00 total=11
full avg10=0.00 avg60=0.00 avg300=0.00 total=12
==> /proc/pressure/irq
full avg10=0.00 avg60=0.00 avg300=0.00 total=13
==> /proc/self/cgroup
0::/a.slice/b.service
==> /sys/fs/cgroup/cpu.stat
usage_usec 1
==> /sys/fs/cgroup/a.slice/cpu.stat
usage_usec 1
nr_periods 10
nr_throttled 2
throttled_usec 3000
==> /sys/fs/cgroup/a.slice/b.service/cpu.stat
usage_usec 1
nr_periods 20
nr_throttled 4
throttled_usec 5000
==> /sys/class/hwmon/hwmon0/name
coretemp
==> /sys/class/hwmon/hwmon0/temp1_input
45000
==> /sys/class/hwmon/hwmon0/temp1_label
Package id 0
==> /sys/class/hwmon/hwmon0/temp2_input
44000
==> /sys/class/hwmon/hwmon0/temp2_label
Core 0
==> /sys/class/hwmon/hwmon1/name
nvme
==> /sys/class/hwmon/hwmon1/temp1_input
-5000
==> /sys/class/hwmon/hwmon1/temp1_label
Composite
==> /sys/class/hwmon/hwmon2/name
nvme
==> /sys/class/hwmon/hwmon2/temp1_input
38850
==> /sys/class/hwmon/hwmon2/temp1_label
Composite
==> /sys/class/hwmon/hwmon2/temp2_input
-999999
==> /sys/devices/system/cpu/online
0,2
==> /sys/devices/system/cpu/cpu0/cpufreq -> ../cpufreq/policy0
==> /sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq
2400000
==> /sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq
<unknown>
==> /sys/devices/system/cpu/cpu0/topology/physical_package_id
0
==> /sys/devices/system/cpu/cpu2/topology/physical_package_id
0
==> /sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count
4
==> /sys/devices/system/cpu/cpu0/thermal_throttle/package_throttle_count
6
==> /sys/devices/system/cpu/cpu2/thermal_throttle/core_throttle_count
5
==> /sys/devices/system/cpu/cpu2/thermal_throttle/package_throttle_count
6
==> /sys/class/powercap/intel-rapl/enabled
1
==> /sys/class/powercap/intel-rapl:0/name
package-0
==> /sys/class/powercap/intel-rapl:0/energy_uj
9000000
==> /sys/class/powercap/intel-rapl:0/max_energy_range_uj
262143328850
==> /sys/class/powercap/intel-rapl:0:0/name
core
==> /sys/class/powercap/intel-rapl:0:0/energy_uj
4000000
==> /sys/class/powercap/intel-rapl:0:0/max_energy_range_uj
262143328850
==> /sys/class/powercap/intel-rapl-mmio:0/name
package-0
==> /sys/class/powercap/intel-rapl-mmio:0/energy_uj
1
==> /sys/class/powercap/intel-rapl-mmio:0/max_energy_range_uj
262143328850
";

/// All that is read of a machine, in units, as `resource name value`.
fn values(host: &Host) -> Vec<String> {
    let mut all = Vec::new();
    for sampler in &mut open_all(host, &scope(SCOPE.0, SCOPE.1)) {
        let mut raw = vec![0; sampler.columns().len()];
        sampler.read(&mut raw);
        for (column, raw) in sampler.columns().iter().zip(raw) {
            let value = column.value(raw).map(|v| (v * 1e6).round() / 1e6);
            all.extend(
                value.map(|v| format!("{} {} {v} {}", column.resource, column.name, column.unit.symbol())),
            );
        }
    }
    all
}

#[test]
fn a_machine_that_has_everything_is_read() {
    let all = values(&Host::parse(FULL));
    let page = rustix::param::page_size();
    for line in [
        "cpu user 1 s",
        "cpu steal 0.08 s",
        "cpu:0 user 0.6 s",
        "cpu:2 steal 0.04 s",
        "cpu intr 123456 1",
        "cpu ctxt 777 1",
        "cpu processes 88 1",
        "cpu procs_running 3 1",
        "cpu procs_blocked 1 1",
        "cpu softirqs 1000 1",
        "cpu softirqs_net_rx 4 1",
        "cpu softirqs_rcu 10 1",
        "block:sda reads 1 1",
        "block:sda read_sectors 1536 B",
        "block:sda flush_ms 0.017 s",
        "block:nvme0n1 queue_ms 0.031 s",
        "nic:lo rx_bytes 10 B",
        "nic:eth0 tx_compressed 45 1",
        "tcp OutSegs 500 1",
        "tcp InSegs 400 1",
        "tcp CurrEstab 3 1",
        "tcp TCPTimeouts 9 1",
        "tcp ListenDrops 2 1",
        "udp OutDatagrams 700 1",
        "udp RcvbufErrors 6 1",
        "udp Udp6RcvbufErrors 3 1",
        "softnet processed 65535 1",
        "softnet dropped 17 1",
        "nic:eth0 rx_missed 13 1",
        &format!("memory nr_free_pages {} B", 1000 * page),
        &format!("memory pswpout {} B", 2 * page),
        "memory pgpgin 614400 B",
        "memory oom_kill 5 1",
        "memory allocstall_normal 4 1",
        "memory MemAvailable 1536000 B",
        "pressure:cpu some 0.000011 s",
        "pressure:cpu full 0.000012 s",
        "pressure:irq full 0.000013 s",
        "cgroup:cpu nr_throttled 4 1",
        "cgroup:cpu throttled_time 0.005 s",
        "cgroup:cpu throttled_time 0.003 s",
        "sensor:coretemp/Package id 0 temperature 45 Cel",
        "sensor:nvme/Composite temperature -5 Cel",
        "sensor:nvme/Composite#2 temperature 38.85 Cel",
        "cpu:0 scaling_cur_freq 2400000000 Hz",
        "cpu:0 core_throttle_count 4 1",
        "cpu:0 package_throttle_count 6 1",
        "cpu:2 core_throttle_count 5 1",
        "power:package-0 energy_uj 9 J",
        "power:package-0/core energy_uj 4 J",
    ] {
        assert!(all.iter().any(|l| l == line), "{line}: {all:#?}");
    }
    let none = |start: &str| assert!(!all.iter().any(|l| l.starts_with(start)), "{start}: {all:#?}");
    // Kernels before 4.18 and 5.5 have fewer columns; partitions are not asked
    // for; colder than nothing; a core beside its package; what is not known.
    ["block:nvme0n1 discard", "block:nvme0n1 flush", "block:sda1", "sensor:nvme/temp2", "cpu:1 "]
        .iter()
        .for_each(|s| none(s));
    ["sensor:coretemp/Core", "cpu:2 scaling", "cpu:2 package", "pressure:irq some", "memory allocstall "]
        .iter()
        .for_each(|s| none(s));
    assert_eq!(all.iter().filter(|l| l.starts_with("power:")).count(), 2);
}

#[test]
fn each_level_of_control_groups_has_its_own_source() {
    let host = Host::parse(FULL);
    let sources = |host: &Host| -> Vec<String> {
        open(&cgroup::KIND, host, &Scope::default()).iter().map(|s| s.source().to_owned()).collect()
    };
    assert_eq!(sources(&host), ["cpu.stat", "../cpu.stat"]);
    // Version 1, in nanoseconds; the group of another controller is not ours.
    let old = Host::parse(
        "==> /proc/self/cgroup\n4:memory:/other\n3:cpu,cpuacct:/a\n0::/\n\
         ==> /sys/fs/cgroup/cpu/cpu.stat\nnr_periods 0\nnr_throttled 0\nthrottled_time 0\n\
         ==> /sys/fs/cgroup/cpu/a/cpu.stat\nnr_periods 5\nnr_throttled 1\nthrottled_time 2000000\n",
    );
    assert_eq!(sources(&old), ["cpu.stat", "../cpu.stat"]);
    let own = &mut open(&cgroup::KIND, &old, &Scope::default())[..1];
    assert_eq!(at(&read(own), "cgroup:cpu", "throttled_time"), Some(2_000_000));
    assert_eq!(own[0].columns()[2].scale, 1e-9);
    let outside = Host::parse("==> /proc/self/cgroup\n0::/../../x\n==> /x/cpu.stat\nnr_periods 1\n");
    assert!(sources(&outside).is_empty());
}

/// Version 2 beside version 1, as systemd's hybrid layout has it; a container whose group
/// is not seen under its own name; and the uppermost group, which is the machine.
#[test]
fn the_pressure_of_our_group_is_read_where_it_is_not_the_machine_s() {
    let pressure = |us| format!("some avg10=0.00 avg60=0.00 avg300=0.00 total={us}\nfull avg10=0 total=7\n");
    let tree = |membership: &str, folder: &str, events: bool| {
        let mut text = format!("==> /proc/self/cgroup\n{membership}\n");
        text += &format!("==> {folder}/cpu.pressure\n{}", pressure(11));
        text += &format!("==> {folder}/io.pressure\n{}", pressure(12));
        if events {
            text += &format!("==> {folder}/cgroup.events\npopulated 1\nfrozen 0\n");
        }
        let samplers = &mut open(&group_pressure::KIND, &Host::parse(&text), &Scope::default());
        let sources: Vec<String> = samplers.iter().map(|s| s.source().to_owned()).collect();
        let seen = read(samplers);
        (sources, ["cpu", "io", "memory"].map(|name| at(&seen, &format!("cgroup:{name}"), "some")))
    };
    let own = (vec!["cpu.pressure".to_owned(), "io.pressure".to_owned()], [Some(11), Some(12), None]);
    let hybrid = "4:memory:/other\n3:cpu,cpuacct:/a\n0::/user/x";
    assert_eq!(tree(hybrid, "/sys/fs/cgroup/unified/user/x", true), own);
    assert_eq!(tree("0::/user/x", "/sys/fs/cgroup/user/x", true), own);
    assert_eq!(tree("0::/docker/4711", "/sys/fs/cgroup", true), own, "a container's own");
    assert_eq!(tree("0::/", "/sys/fs/cgroup", false), (Vec::new(), [None; 3]));
    assert_eq!(tree("3:cpu:/a", "/sys/fs/cgroup/a", true), (Vec::new(), [None; 3]));
}

fn written(files: &[(&str, &str)]) -> (tempfile::TempDir, Host) {
    let tree = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = tree.path().join(path.trim_start_matches('/'));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let host = Host::recorded(tree.path());
    (tree, host)
}

/// Every value of a machine of 128 CPUs with long lines of interrupts.
#[test]
fn a_stat_of_128_cpus_is_read_whole_and_again() {
    let line = |cpu: u64| (0..10).map(|i| format!(" {}", cpu * 1000 + i)).collect::<String>();
    let mut text = format!("cpu {}\n", line(999));
    (0..128).for_each(|cpu| text += &format!("cpu{cpu}{}\n", line(cpu)));
    text += &format!("intr 5{}\nctxt 6\n", " 4000000000".repeat(2000));
    text += "processes 7\nprocs_running 8\nprocs_blocked 9\nsoftirq 10 1 1 1 1 1 1 1 1 1 1\n";
    assert!(text.len() > 30_000);
    let (_tree, host) = written(&[("/proc/stat", &text)]);
    let mut samplers = open(&cpu::KIND, &host, &Scope::default());
    for _ in 0..2 {
        let seen = read(&mut samplers);
        assert_eq!(seen.len(), 8 * 129 + 3 + 2 + 11);
        for cpu in 0..128u64 {
            assert_eq!(at(&seen, &format!("cpu:{cpu}"), "user"), Some(cpu * 1000));
            assert_eq!(at(&seen, &format!("cpu:{cpu}"), "steal"), Some(cpu * 1000 + 7));
        }
        assert_eq!(at(&seen, "cpu", "user"), Some(999_000));
        assert_eq!((at(&seen, "cpu", "intr"), at(&seen, "cpu", "softirqs")), (Some(5), Some(10)));
    }
}

/// At whatever byte the file ends, what is told is right.
#[test]
fn a_truncated_file_yields_whole_lines_only() {
    let entries: Vec<(&str, &str)> = FULL
        .split("==> ")
        .filter_map(|entry| entry.split_once('\n'))
        .filter(|(path, text)| path.starts_with("/proc/") && !text.is_empty())
        .collect();
    let whole = read(&mut open_all(&Host::parse(FULL), &scope(SCOPE.0, SCOPE.1)));
    let (tree, host) = written(&entries);
    for (path, text) in &entries {
        let mut samplers = open_all(&host, &scope(SCOPE.0, SCOPE.1));
        let all = read(&mut samplers).len();
        let file = tree.path().join(path.trim_start_matches('/'));
        for length in (0..text.len()).rev() {
            std::fs::write(&file, &text[..length]).unwrap();
            for seen in [read(&mut samplers), read(&mut open_all(&host, &scope(SCOPE.0, SCOPE.1)))] {
                assert!(seen.len() <= all, "{path}");
                for (key, value) in seen {
                    assert_eq!(whole.get(&key), Some(&value), "{path} {length}: {key:?}");
                }
            }
        }
        std::fs::write(&file, text).unwrap();
        assert_eq!(read(&mut samplers).len(), all, "{path}: whole again");
    }
}

#[test]
fn a_device_that_vanishes_is_absent_and_the_others_stay() {
    let disks = "8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n259 0 nvme0n1 21 22 23 24 25 26 27 28 29 30 31\n";
    let cpus = "cpu 1 1 1 1 1 1 1 1\ncpu0 1 1 1 1 1 1 1 1\ncpu2 7 1 1 1 1 1 1 1\n";
    let sensor = "/sys/class/hwmon/hwmon0/temp1_input";
    let (tree, host) = written(&[("/proc/diskstats", disks), ("/proc/stat", cpus), (sensor, "20000\n")]);
    let mut samplers = open_all(&host, &scope(SCOPE.0, SCOPE.1));
    let reads =
        |seen: &ReadValues| ["sda", "nvme0n1"].map(|name| at(seen, &format!("block:{name}"), "reads"));
    let seen = read(&mut samplers);
    assert_eq!(reads(&seen), [Some(1), Some(21)]);
    assert_eq!((at(&seen, "cpu:2", "user"), seen.len()), (Some(7), 22 + 24 + 1));
    let write = |path: &str, text: &str| {
        std::fs::write(tree.path().join(path.trim_start_matches('/')), text).unwrap()
    };
    // In the other order, too: a disk that came back.
    write("/proc/diskstats", "259 0 nvme0n1 22 22 23 24 25 26 27 28 29 30 31\n");
    write("/proc/stat", "cpu 1 1 1 1 1 1 1 1\ncpu2 8 1 1 1 1 1 1 1\ncpu7 1 1 1 1 1 1 1 1\n");
    write(sensor, "");
    let seen = read(&mut samplers);
    assert_eq!(reads(&seen), [None, Some(22)]);
    assert_eq!((at(&seen, "cpu:0", "user"), at(&seen, "cpu:2", "user")), (None, Some(8)));
    assert_eq!(seen.len(), 11 + 16);
    write("/proc/diskstats", &format!("{disks}8 16 sdb 1 1 1 1 1 1 1 1 1 1 1\n"));
    assert_eq!(reads(&read(&mut samplers)), [Some(1), Some(21)]);
}

#[test]
fn what_begins_again_at_zero_goes_on() {
    let disk = |ms: u64| format!("8 0 sda 1 2 3 {ms} 5 6 7 8 9 10 11\n");
    let zone = "/sys/class/powercap/intel-rapl:0";
    let (name, energy, range) =
        (format!("{zone}/name"), format!("{zone}/energy_uj"), format!("{zone}/max_energy_range_uj"));
    let (tree, host) = written(&[
        ("/proc/diskstats", &disk((1 << 32) - 10)),
        (&name, "package-0\n"),
        (&energy, "999000\n"),
        (&range, "1000000\n"),
    ]);
    let mut samplers = open_all(&host, &scope(&["sda"], &[]));
    let both =
        |seen: &ReadValues| (at(seen, "block:sda", "read_ms"), at(seen, "power:package-0", "energy_uj"));
    assert_eq!(both(&read(&mut samplers)), (Some((1 << 32) - 10), Some(999_000)));
    let write = |path: &str, text: &str| {
        std::fs::write(tree.path().join(path.trim_start_matches('/')), text).unwrap()
    };
    write("/proc/diskstats", &disk(5));
    write(&energy, "4000\n");
    assert_eq!(both(&read(&mut samplers)), (Some((1 << 32) + 5), Some(1_004_000)));
}

/// Whatever stands in the files: no panic, and no number that is none.
#[test]
fn spoilt_files_are_absent() {
    let spoilt = [
        "",
        "\n",
        "x",
        "garbage garbage garbage\n\n::: -1 -2\n",
        "-5\n",
        "99999999999999999999999999\n",
        "cpu 99999999999999999999 -1 x\ncpu99999999999 1\ncpu-1 2\ncpu 18446744073709551615\nctxt\nsoftirq\n",
        "8 0 sda\n8 0\n8\n8 0 sda -1 99999999999999999999 x\n",
        "eth0\neth0:\n:\neth0: x -1 99999999999999999999\n",
        "Tcp:\nTcp:\nTcpExt: TCPTimeouts\nTcpExt:\nTcpExt: 1\n",
        "nr_periods\nnr_periods -1\nthrottled_usec x\npgpgin 99999999999999999999\n",
        "some\nsome total=\nfull total=-1\nsome total=99999999999999999999\n",
        "0::/../..\n1:cpu\n:::::\n0::\n",
        "0-4294967295\n",
    ];
    let paths: Vec<&str> =
        FULL.lines().filter_map(|l| l.strip_prefix("==> ")).filter(|l| !l.contains(" -> ")).collect();
    for text in spoilt {
        let all: String = paths.iter().map(|path| format!("==> {path}\n{text}\n")).collect();
        for (resource, name) in read(&mut open_all(&Host::parse(&all), &scope(SCOPE.0, SCOPE.1))).keys() {
            // Of a file that holds `-5`, a temperature may be made.
            assert!(text.starts_with("-5") && *name == "temperature", "{text:?}: {resource} {name}");
        }
        // And one at a time, beside whole ones.
        for path in &paths {
            let head = format!("==> {path}\n");
            let (before, rest) = FULL.split_once(&head).unwrap();
            let after = rest.split_once("==> ").map(|(_, after)| format!("==> {after}")).unwrap_or_default();
            let host = Host::parse(&format!("{before}{head}{text}\n{after}"));
            read(&mut open_all(&host, &scope(SCOPE.0, SCOPE.1)));
        }
    }
}
