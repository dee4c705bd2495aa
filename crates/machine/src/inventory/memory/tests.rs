//! Recorded machines, and this one against procfs.

use procfs::prelude::*;

use super::*;

const TWO_NODES: &str = "\
==> /proc/meminfo
MemTotal:  2048 kB
MemFree:    512 kB
MemAvailable:    1024 kB
Bad: kB
==> /sys/devices/system/node/node0/meminfo
Node 0 MemTotal:       1024 kB
Node 0 MemFree:         256 kB
==> /sys/devices/system/node/node0/cpulist
0-1,4
==> /sys/devices/system/node/node0/distance
10 21
==> /sys/devices/system/node/node1/meminfo
Node 1 MemTotal:       1024 kB
Node 1 MemFree:     9999999 kB
==> /sys/devices/system/node/node1/cpulist
2-3
==> /sys/devices/system/node/node1/distance
21 ten
==> /sys/devices/system/node/node2/meminfo
Node 2 MemTotal:          0 kB
==> /sys/devices/system/node/node2/cpulist

==> /sys/devices/system/node/node10/meminfo
Node 10 MemTotal: lots
==> /proc/swaps
Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority
/dev/zram0                              partition\t1000\t\t10\t\t100
/swap\\040file (none)                   file\t7
/swap\\040file                           file\t\t2000\t\t0\t\t-2
/dev/sdz                                partition\t99999999999999999999\t0\t1
==> /sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages
4
==> /sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages
3
==> /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages
0
==> /sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages
0
==> /sys/kernel/mm/hugepages/hugepages-64kB/nr_hugepages
18446744073709551615
==> /sys/kernel/mm/hugepages/hugepages-64kB/free_hugepages
0
==> /sys/kernel/mm/transparent_hugepage/enabled
always [madvise] never
";

#[test]
fn nodes_swap_and_huge_pages_of_a_recorded_machine_are_read() {
    let mut absent = Vec::new();
    let memory = describe(&Host::parse(TWO_NODES), &mut absent);
    assert_eq!((memory.total_bytes, memory.available_bytes, memory.limit_bytes), (2 << 20, 1 << 20, None));
    let nodes: Vec<_> = memory.nodes.iter().map(|n| (n.id, n.free_bytes, n.distances.clone())).collect();
    assert_eq!(nodes, [(0, Some(256 << 10), vec![10, 21]), (1, None, vec![])]);
    assert_eq!(memory.nodes[0].cpus, [0, 1, 4]);
    let swap: Vec<_> = memory.swap.iter().map(|s| (s.path.as_str(), s.bytes, s.priority)).collect();
    assert_eq!(swap, [("/dev/zram0", 1000 << 10, 100), ("/swap file", 2000 << 10, -2)]);
    assert_eq!((memory.swap[0].kind.as_str(), memory.swap[0].used_bytes), ("partition", 10 << 10));
    let huge: Vec<_> = memory.huge_pages.iter().map(|h| (h.bytes, h.reserved, h.free)).collect();
    assert_eq!(huge, [(2 << 20, 0, 0), (1 << 30, 4, 3)]);
    assert_eq!(memory.transparent_huge_pages.as_deref(), Some("madvise"));
    let missing: Vec<_> = absent.iter().map(|a| (a.what.as_str(), a.reason.as_str())).collect();
    assert_eq!(missing, [("memory modules", "not there"), ("NUMA node 10", "garbled: no MemTotal")]);
}

#[test]
fn absurd_sizes_are_no_memory() {
    for text in ["MemTotal: 18014398509481984 kB", "MemTotal: -1 kB", "MemTotal: 5 MB", "Mem", ""] {
        let mut absent = Vec::new();
        let memory = describe(&Host::parse(&format!("==> /proc/meminfo\n{text}\n")), &mut absent);
        assert_eq!((memory.total_bytes, memory.available_bytes), (0, 0), "{text}");
        assert!(absent.iter().any(|a| a.what == "memory" && a.reason.starts_with("garbled")), "{absent:?}");
    }
}

#[test]
fn a_group_limits_and_what_it_leaves_is_available() {
    let host = Host::parse(
        "==> /proc/meminfo\nMemTotal: 2048 kB\nMemAvailable: 1024 kB\n==> /proc/self/cgroup\n0::/a\n\
         ==> /sys/fs/cgroup/a/memory.max\n600000\n==> /sys/fs/cgroup/a/memory.current\n100000\n",
    );
    let memory = describe(&host, &mut Vec::new());
    assert_eq!((memory.limit_bytes, memory.available_bytes), (Some(600_000), 500_000));
}

#[test]
fn refreshing_keeps_what_does_not_change() {
    let mut memory = describe(&Host::parse(TWO_NODES), &mut Vec::new());
    let later = TWO_NODES.replace("MemAvailable:    1024", "MemAvailable:     300");
    let nodes = memory.nodes.clone();
    refresh(&Host::parse(&later), &mut memory);
    assert_eq!((memory.available_bytes, &memory.nodes), (300 << 10, &nodes));
}

#[test]
fn this_machine_has_the_memory_that_procfs_reads() {
    // Memory may be added while it runs.
    let before = procfs::Meminfo::current().unwrap();
    let ours = describe(&Host::this(), &mut Vec::new());
    let theirs = procfs::Meminfo::current().unwrap();
    assert!((before.mem_total..=theirs.mem_total).contains(&ours.total_bytes), "{}", ours.total_bytes);
    assert!(ours.available_bytes > 0 && ours.available_bytes <= ours.total_bytes);
    let swaps: u64 = ours.swap.iter().map(|area| area.bytes).sum();
    assert!(swaps.abs_diff(theirs.swap_total) <= 4096 * ours.swap.len() as u64, "{swaps}");
    let nodes: u64 = ours.nodes.iter().map(|node| node.total_bytes).sum();
    assert!(ours.nodes.is_empty() || nodes <= ours.total_bytes, "{nodes}");
}
