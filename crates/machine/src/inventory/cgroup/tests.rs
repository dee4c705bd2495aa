//! Groups of version 1, of version 2 and of both.

use super::*;

const DEVICES: &str = "\
==> /sys/dev/block/8:16 -> ../../devices/pci0000:00/0000:00:17.0/block/sdb
==> /sys/devices/pci0000:00/0000:00:17.0/block/sdb/dev
8:16
==> /sys/dev/block/7:0 -> ../../devices/virtual/block/loop0
==> /sys/devices/virtual/block/loop0/dev
7:0
";

fn read(text: &str) -> (Cgroup, Vec<Absent>) {
    let mut absent = Vec::new();
    let cgroup = describe(&Host::parse(&format!("{text}{DEVICES}")), &mut absent);
    (cgroup, absent)
}

fn room(text: &str) -> Option<u64> {
    memory_room(&Host::parse(text))
}

const SECOND: &str = "\
==> /proc/self/cgroup
0::/system.slice/load.service
==> /sys/fs/cgroup/cgroup.controllers
cpu io memory
==> /sys/fs/cgroup/system.slice/load.service/cpu.max
150000 100000
==> /sys/fs/cgroup/system.slice/cpu.max
50000 50000
==> /sys/fs/cgroup/system.slice/load.service/memory.max
max
==> /sys/fs/cgroup/system.slice/load.service/memory.high
700000
==> /sys/fs/cgroup/system.slice/load.service/memory.current
650000
==> /sys/fs/cgroup/system.slice/load.service/memory.stat
anon 1
inactive_file 600000
==> /sys/fs/cgroup/system.slice/memory.max
800000
==> /sys/fs/cgroup/system.slice/memory.current
790000
==> /sys/fs/cgroup/system.slice/load.service/io.max
8:16 rbps=2097152 wbps=max riops=max wiops=120
9:9 rbps=1 wbps=max riops=max wiops=max
==> /sys/fs/cgroup/system.slice/io.max
8:16 rbps=1048576 wbps=1000 riops=nonsense wiops=500
";

#[test]
fn a_group_that_gets_less_of_the_cpus_than_others_is_known() {
    let second = |own: &str, above: &str| {
        let text = format!(
            "==> /proc/self/cgroup\n0::/a/b\n==> /sys/fs/cgroup/cgroup.controllers\ncpu\n\
             ==> /sys/fs/cgroup/a/b/cpu.weight\n{own}\n==> /sys/fs/cgroup/a/cpu.weight\n{above}\n"
        );
        read(&text).0.cpu_weight
    };
    assert_eq!((second("100", "100"), second("300", "100")), (None, None));
    assert_eq!((second("10", "100"), second("100", "1")), (Some(0.1), Some(0.01)), "of any level");
    let first = "==> /proc/self/cgroup\n1:cpu:/a\n==> /sys/fs/cgroup/cpu/a/cpu.shares\n256\n";
    assert_eq!(read(first).0.cpu_weight, Some(0.25));
}

#[test]
fn the_tightest_level_of_version_two_counts() {
    let (cgroup, absent) = read(SECOND);
    let throttle = IoThrottle {
        device: "sdb".to_owned(),
        read_bytes: Some(1 << 20),
        write_bytes: Some(1000),
        read_operations: None,
        write_operations: Some(120),
    };
    let expected = Cgroup {
        version: Some(2),
        cpu_quota: Some(1.0),
        memory_bytes: Some(700_000),
        io: vec![throttle],
        io_control: Vec::new(),
        cpu_weight: None,
    };
    assert_eq!(cgroup, expected);
    assert_eq!(absent.len(), 1, "{absent:?}");
    assert_eq!(absent[0].what, "I/O throttle of device 9:9");
}

#[test]
fn room_is_what_the_fullest_level_leaves_with_idle_cache_counted_as_free() {
    assert_eq!(room(SECOND), Some(10_000));
    assert_eq!(room(&SECOND.replace("790000", "0")), Some(650_000));
}

const FIRST: &str = "\
==> /proc/self/cgroup
12:blkio:/app
11:memory:/docker/abc
4:cpu,cpuacct:/docker/abc
1:name=systemd:/docker/abc
==> /sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us
250000
==> /sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us
100000
==> /sys/fs/cgroup/memory/memory.limit_in_bytes
1073741824
==> /sys/fs/cgroup/memory/memory.usage_in_bytes
73741824
==> /sys/fs/cgroup/memory/memory.stat
inactive_file 1
total_inactive_file 3741824
==> /sys/fs/cgroup/blkio/blkio.throttle.read_bps_device
8:16 5
==> /sys/fs/cgroup/blkio/app/blkio.throttle.read_bps_device
8:16 1048576
7:0 18446744073709551615
==> /sys/fs/cgroup/blkio/app/blkio.throttle.write_iops_device
8:16 77
7:0 -5
";

#[test]
fn a_container_of_version_one_sees_its_limits_at_the_root() {
    let (cgroup, absent) = read(FIRST);
    assert_eq!((cgroup.version, cgroup.cpu_quota, cgroup.memory_bytes), (Some(1), Some(2.5), Some(1 << 30)));
    assert_eq!(room(FIRST), Some((1 << 30) - 70_000_000));
    assert!(absent.is_empty(), "{absent:?}");
}

#[test]
fn version_one_throttles_by_the_own_group_only() {
    let io = read(FIRST).0.io;
    assert_eq!(io.len(), 1, "{io:?}");
    assert_eq!(
        (io[0].device.as_str(), io[0].read_bytes, io[0].write_operations),
        ("sdb", Some(1 << 20), Some(77))
    );
}

#[test]
fn no_limit_is_absent_in_both_versions() {
    let first = "==> /proc/self/cgroup\n3:cpu:/\n2:memory:/\n==> /sys/fs/cgroup/cpu/cpu.cfs_quota_us\n-1\n\
                 ==> /sys/fs/cgroup/cpu/cpu.cfs_period_us\n100000\n\
                 ==> /sys/fs/cgroup/memory/memory.limit_in_bytes\n9223372036854771712\n";
    assert_eq!(read(first).0, Cgroup { version: Some(1), ..Cgroup::default() });
    let second = "==> /proc/self/cgroup\n0::/\n==> /sys/fs/cgroup/cpu.max\nmax 100000\n\
                  ==> /sys/fs/cgroup/memory.max\nmax\n";
    assert_eq!(read(second).0, Cgroup { version: Some(2), ..Cgroup::default() });
    assert_eq!((room(first), room(second)), (None, None));
}

#[test]
fn both_versions_at_once_each_have_their_controllers() {
    let text = "==> /proc/self/cgroup\n3:memory:/a\n1:name=systemd:/\n0::/a\n\
                ==> /sys/fs/cgroup/memory/a/memory.limit_in_bytes\n4096\n\
                ==> /sys/fs/cgroup/unified/a/cpu.max\n10000 100000\n\
                ==> /sys/fs/cgroup/unified/a/io.max\n7:0 riops=9\n";
    let (cgroup, _) = read(text);
    assert_eq!((cgroup.version, cgroup.cpu_quota, cgroup.memory_bytes), (Some(1), Some(0.1), Some(4096)));
    assert_eq!((cgroup.io[0].device.as_str(), cgroup.io[0].read_operations), ("loop0", Some(9)));
    // A named hierarchy alone limits nothing: version 2 does.
    assert_eq!(read("==> /proc/self/cgroup\n1:name=systemd:/\n0::/\n").0.version, Some(2));
}

#[test]
fn garbled_groups_limit_nothing() {
    for text in ["", "::", "0::relative", "x", "0::/../../etc", ":::/", "1:cpu", "0::/a//b/"] {
        let text = format!(
            "==> /proc/self/cgroup\n{text}\n==> /sys/fs/cgroup/cpu.max\n5 0\n==> /sys/fs/cgroup/memory.max\n-1\n\
             ==> /sys/fs/cgroup/io.max\n8:16\nrbps=5\n../..:1 rbps=7\n"
        );
        let (cgroup, _) = read(&text);
        assert!(
            cgroup.cpu_quota.is_none() && cgroup.memory_bytes.is_none() && cgroup.io.is_empty(),
            "{text}"
        );
    }
    assert_eq!(read("").1[0].reason, "not there");
}

#[test]
fn levels_go_up_to_the_root_and_never_out_of_it() {
    assert_eq!(folders("/r", "/a/b"), ["/r/a/b", "/r/a", "/r"]);
    assert_eq!(folders("/r", "/"), ["/r"]);
    assert_eq!(folders("/r", "/../x"), ["/r"]);
    assert_eq!(folders("/r", "//a//"), ["/r//a", "/r"]);
}
