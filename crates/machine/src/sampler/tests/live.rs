//! Here: what another reads between two readings of ours lies between them.

use model::{Resource, ResourceKind};
use procfs::prelude::*;

use super::*;

/// Holds that each of `theirs` lies between two readings of ours.
fn hold(kind: &SamplerKind, scope: &Scope, theirs: impl FnOnce() -> Vec<(Resource, &'static str, u64)>) {
    let mut ours = open(kind, &Host::this(), scope);
    let before = read(&mut ours);
    let theirs = theirs();
    let after = read(&mut ours);
    assert!(!theirs.is_empty());
    for (resource, name, value) in theirs {
        let (Some(before), Some(after)) =
            (at(&before, resource.as_str(), name), at(&after, resource.as_str(), name))
        else {
            panic!("{resource} {name} is not read: {before:?}");
        };
        assert!(before <= value && value <= after, "{resource} {name}: {before} {value} {after}");
    }
}

#[test]
fn cpu_times_and_counts_are_those_of_procfs() {
    hold(&cpu::KIND, &Scope::default(), || {
        let stats = procfs::KernelStats::current().unwrap();
        let mut all = vec![
            (Resource::from("cpu"), "ctxt", stats.ctxt),
            (Resource::from("cpu"), "processes", stats.processes),
        ];
        let each = stats
            .cpu_time
            .iter()
            .enumerate()
            .map(|(cpu, times)| (Resource::of(ResourceKind::Cpu, cpu), times));
        for (resource, times) in each.chain([("cpu".into(), &stats.total)]) {
            // The kernel lets idle and iowait step back at times.
            all.extend([
                (resource.clone(), "user", times.user),
                (resource.clone(), "nice", times.nice),
                (resource.clone(), "system", times.system),
                (resource.clone(), "irq", times.irq.unwrap()),
                (resource.clone(), "softirq", times.softirq.unwrap()),
                (resource, "steal", times.steal.unwrap()),
            ]);
        }
        all
    });
    let seen = read(&mut open(&cpu::KIND, &Host::this(), &Scope::default()));
    // This test runs, so at least one task does.
    assert!(at(&seen, "cpu", "procs_running").unwrap() >= 1);
    assert!(at(&seen, "cpu", "intr").unwrap() > 0 && at(&seen, "cpu", "softirqs").unwrap() > 0);
}

/// The sums of `/proc/softirqs`, which no library here reads.
#[test]
fn softirqs_are_those_of_the_kernel_s_other_table() {
    hold(&cpu::KIND, &Scope::default(), || {
        let text = std::fs::read_to_string("/proc/softirqs").unwrap();
        let kinds = [("TIMER", "softirqs_timer"), ("NET_RX", "softirqs_net_rx"), ("RCU", "softirqs_rcu")];
        let kinds = kinds.into_iter().chain([("BLOCK", "softirqs_block"), ("SCHED", "softirqs_sched")]);
        kinds
            .map(|(word, name)| {
                let line = text.lines().find_map(|l| l.trim().strip_prefix(word)?.strip_prefix(':')).unwrap();
                let sum = line.split_whitespace().map(|n| n.parse::<u64>().unwrap()).sum();
                ("cpu".into(), name, sum)
            })
            .collect()
    });
}

#[test]
fn memory_counts_are_those_of_procfs() {
    hold(&memory::KIND, &Scope::default(), || {
        let all = procfs::vmstat().unwrap();
        ["pgpgin", "pgpgout", "pswpin", "pswpout", "pgmajfault", "oom_kill", "allocstall_normal"]
            .map(|name| ("memory".into(), name, all[name].cast_unsigned()))
            .into()
    });
    let seen = read(&mut open(&memory::KIND, &Host::this(), &Scope::default()));
    let info = procfs::Meminfo::current().unwrap();
    let kib = at(&seen, "memory", "MemAvailable").unwrap();
    assert!((kib * 1024).abs_diff(info.mem_available.unwrap()) < info.mem_total / 4);
    let page = rustix::param::page_size() as u64;
    let cached = at(&seen, "memory", "nr_file_pages").unwrap() * page;
    assert!(cached.abs_diff(info.cached + info.buffers) < info.mem_total / 4);
}

#[test]
fn block_devices_are_those_of_procfs() {
    let disks = procfs::diskstats().unwrap();
    let names: Vec<&str> = disks.iter().map(|disk| disk.name.as_str()).collect();
    hold(&block::KIND, &scope(&names, &[]), || {
        let disks = procfs::diskstats().unwrap();
        let of = |disk: procfs::DiskStat| {
            let resource = Resource::of(ResourceKind::Block, &disk.name);
            [
                ("reads", disk.reads),
                ("reads_merged", disk.merged),
                ("read_sectors", disk.sectors_read),
                ("read_ms", disk.time_reading),
                ("writes", disk.writes),
                ("writes_merged", disk.writes_merged),
                ("written_sectors", disk.sectors_written),
                ("write_ms", disk.time_writing),
                ("io_ms", disk.time_in_progress),
                ("queue_ms", disk.weighted_time_in_progress),
                ("discards", disk.discards.unwrap()),
                ("discards_merged", disk.discards_merged.unwrap()),
                ("discarded_sectors", disk.sectors_discarded.unwrap()),
                ("discard_ms", disk.time_discarding.unwrap()),
                ("flushes", disk.flushes.unwrap()),
                ("flush_ms", disk.time_flushing.unwrap()),
            ]
            .map(|(name, value)| (resource.clone(), name, value))
        };
        disks.into_iter().flat_map(of).collect()
    });
}

#[test]
fn interfaces_are_those_of_procfs() {
    let names: Vec<String> = procfs::net::dev_status().unwrap().into_keys().collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    hold(&network::KIND, &scope(&[], &names), || {
        let of = |(name, status): (String, procfs::net::DeviceStatus)| {
            let resource = Resource::of(ResourceKind::Nic, name);
            [
                ("rx_bytes", status.recv_bytes),
                ("rx_packets", status.recv_packets),
                ("rx_errs", status.recv_errs),
                ("rx_drop", status.recv_drop),
                ("rx_fifo", status.recv_fifo),
                ("rx_frame", status.recv_frame),
                ("rx_compressed", status.recv_compressed),
                ("rx_multicast", status.recv_multicast),
                ("tx_bytes", status.sent_bytes),
                ("tx_packets", status.sent_packets),
                ("tx_errs", status.sent_errs),
                ("tx_drop", status.sent_drop),
                ("tx_fifo", status.sent_fifo),
                ("tx_colls", status.sent_colls),
                ("tx_carrier", status.sent_carrier),
                ("tx_compressed", status.sent_compressed),
            ]
            .map(|(name, value)| (resource.clone(), name, value))
        };
        procfs::net::dev_status().unwrap().into_iter().flat_map(of).collect()
    });
}

#[test]
fn tcp_and_udp_are_those_of_procfs() {
    hold(&tcp::KIND, &Scope::default(), || {
        let all = procfs::net::snmp().unwrap();
        let all = [
            ("ActiveOpens", all.tcp_active_opens),
            ("PassiveOpens", all.tcp_passive_opens),
            ("AttemptFails", all.tcp_attempt_fails),
            ("EstabResets", all.tcp_estab_resets),
            ("InSegs", all.tcp_in_segs),
            ("OutSegs", all.tcp_out_segs),
            ("RetransSegs", all.tcp_retrans_segs),
            ("InErrs", all.tcp_in_errs),
            ("OutRsts", all.tcp_out_rsts),
        ];
        all.map(|(name, value)| ("tcp".into(), name, value)).into()
    });
    hold(&tcp::KIND, &Scope::default(), || {
        let all = procfs::net::snmp().unwrap();
        let all = [("InDatagrams", all.udp_in_datagrams), ("RcvbufErrors", all.udp_rcvbuf_errors)];
        all.map(|(name, value)| ("udp".into(), name, value)).into()
    });
    let seen = read(&mut open(&tcp::KIND, &Host::this(), &Scope::default()));
    assert!(at(&seen, "tcp", "TCPTimeouts").is_some() && at(&seen, "tcp", "TCPSynRetrans").is_some());
}

#[test]
fn pressure_is_that_of_procfs() {
    if !std::path::Path::new("/proc/pressure/cpu").exists() {
        return;
    }
    hold(&pressure::KIND, &Scope::default(), || {
        let (cpu, memory, io) = (
            procfs::CpuPressure::current().unwrap(),
            procfs::MemoryPressure::current().unwrap(),
            procfs::IoPressure::current().unwrap(),
        );
        let of = |name: &str, some: procfs::PressureRecord, full: procfs::PressureRecord| {
            let resource = Resource::of(ResourceKind::Pressure, name);
            [(resource.clone(), "some", some.total), (resource, "full", full.total)]
        };
        [of("cpu", cpu.some, cpu.full), of("memory", memory.some, memory.full), of("io", io.some, io.full)]
            .concat()
    });
}

#[test]
fn our_own_cpu_time_is_that_of_the_kernel_s_clock() {
    let mut ours = open(&own::KIND, &Host::this(), &Scope::default());
    let mut sum = || read(&mut ours).into_values().sum::<u64>();
    let clock = || {
        let t = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        // Children of other tests, too, in ticks.
        let stat = procfs::process::Process::myself().unwrap().stat().unwrap();
        let children = (stat.cutime + stat.cstime).cast_unsigned() * 10_000;
        t.tv_sec.cast_unsigned() * 1_000_000 + t.tv_nsec.cast_unsigned() / 1000 + children
    };
    let before = sum();
    let theirs = clock();
    let after = sum();
    // Sums of numbers that are cut to microseconds, and to ticks. What other threads
    // use in their present time slice is in the clock, but not yet in the sum.
    assert!(before <= theirs + 20_002 && theirs <= after + 20_000, "{before} {theirs} {after}");
    assert!(open(&own::KIND, &Host::parse(""), &Scope::default()).is_empty(), "a recording has none");
}

#[test]
fn everything_opens_here_and_columns_are_not_told_twice() {
    let scope = Scope::of(&model::machine::Inventory::default(), &Host::this());
    let all = open_all(&Host::this(), &scope);
    let mut names: Vec<_> = all
        .iter()
        .flat_map(|s| s.columns().iter().map(|c| (s.source().to_owned(), c.resource.clone(), c.name)))
        .collect();
    let count = names.len();
    assert!(count > 50, "{names:?}");
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}

/// Bug: what a load starts and waits for was other programs'.
#[test]
fn children_that_ended_are_our_own_time() {
    let mut ours = open(&own::KIND, &Host::this(), &Scope::default());
    let before = read(&mut ours).into_values().sum::<u64>();
    let spin = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
    let mut child = std::process::Command::new("sh").args(["-c", spin]).spawn().unwrap();
    let pid = child.id().cast_signed();
    // Until it has ended, but nobody has asked how: its time is told as it stands.
    let stat = loop {
        let stat = procfs::process::Process::new(pid).unwrap().stat().unwrap();
        if stat.state == 'Z' {
            break stat;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    };
    let used_us = (stat.utime + stat.stime) * 10_000;
    child.wait().unwrap();
    let after = read(&mut ours).into_values().sum::<u64>();
    assert!(used_us > 0 && after - before + 20_000 >= used_us, "{before} {after} {used_us}");
}
