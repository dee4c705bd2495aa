//! Recorded machines, and this one against procfs and lscpu.

use std::fmt::Write;

use model::machine::{CacheKind, CpuPlace};

use super::*;

fn read(text: &str) -> (Cpu, Vec<Absent>) {
    let mut absent = Vec::new();
    let cpu = describe(&Host::parse(text), &mut absent);
    (cpu, absent)
}

fn entry(out: &mut String, path: &str, text: &str) {
    writeln!(out, "==> {FOLDER}/{path}\n{text}").unwrap();
}

/// Two packages of two cores of two threads, each package a node.
fn server() -> String {
    let mut out = "==> /proc/cpuinfo\nprocessor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n\
        model name\t: Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz\nstepping\t: 7\nmicrocode\t: 0x5003604\n\
        flags\t\t: fpu aes ht sse4_2 pdpe1gb rdtscp avx2 avx512f constant_tsc made_up\n\n\
        ==> /sys/devices/system/node/node0/cpulist\n0-1,4-5\n==> /sys/devices/system/node/node1/cpulist\n2-3,6-7\n\
        ==> /probe/affinity\n[6, 0, 0, 99]\n"
        .to_owned();
    entry(&mut out, "online", "0-7,9");
    for cpu in 0..8 {
        let (package, core) = (cpu % 4 / 2, cpu % 2);
        entry(&mut out, &format!("cpu{cpu}/topology/physical_package_id"), &package.to_string());
        entry(&mut out, &format!("cpu{cpu}/topology/core_id"), &core.to_string());
        entry(&mut out, &format!("cpu{cpu}/topology/die_id"), "-1");
        let siblings = format!("{},{}", cpu % 4, cpu % 4 + 4);
        let all = if package == 0 { "0-1,4-5" } else { "2-3,6-7" };
        let caches = [
            ("1", "Data", "32K", &*siblings),
            ("1", "Instruction", "32K", &*siblings),
            ("2", "Unified", "1024K", &*siblings),
            ("3", "Unified", "28160K", all),
        ];
        for (index, (level, kind, size, shared)) in caches.into_iter().enumerate() {
            // A CPU that shares a cache known from another need not be asked;
            // these claim something else, which would show.
            let size = if shared.starts_with(&cpu.to_string()) { size } else { "7K" };
            let base = format!("cpu{cpu}/cache/index{index}");
            for (leaf, text) in
                [("level", level), ("type", kind), ("size", size), ("shared_cpu_list", shared)]
            {
                entry(&mut out, &format!("{base}/{leaf}"), text);
            }
        }
    }
    out
}

#[test]
fn a_server_with_two_packages_is_read_whole() {
    let (cpu, _) = read(&server());
    assert_eq!(cpu.model.as_deref(), Some("Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz"));
    assert_eq!(cpu.signature.as_deref(), Some("family 6, model 85, stepping 7"));
    assert_eq!((cpu.vendor.as_deref(), cpu.microcode.as_deref()), (Some("GenuineIntel"), Some("0x5003604")));
    assert_eq!(cpu.online, (0..8).collect::<Vec<_>>(), "CPU 9 has no folder");
    assert_eq!(cpu.allowed, [0, 6]);
    assert_eq!((cpu.packages(), cpu.cores(), cpu.threads_per_core()), (2, 4, 2));
    assert_eq!(cpu.topology[7], CpuPlace { cpu: 7, core: 1, die: 0, package: 1, node: Some(1) });
    let flags = ["aes", "sse4_2", "avx2", "avx512f", "pdpe1gb", "rdtscp", "constant_tsc", "ht"];
    assert_eq!(cpu.flags, flags);
}

#[test]
fn a_cache_is_read_once_and_counted_once() {
    let (cpu, _) = read(&server());
    let seen: Vec<_> = cpu.caches.iter().map(|c| (c.level, c.bytes, c.shared_by.as_slice())).collect();
    let expected: [(u32, u64, &[u32]); 3] =
        [(1, 32 << 10, &[0, 4]), (2, 1 << 20, &[0, 4]), (3, 28160 << 10, &[0, 1, 4, 5])];
    assert_eq!(seen, expected);
    let kind =
        |level, kind: &str, bytes, instances| CacheKind { level, kind: kind.to_owned(), bytes, instances };
    let expected = [
        kind(1, "Data", 32 << 10, 4),
        kind(1, "Instruction", 32 << 10, 4),
        kind(2, "Unified", 1 << 20, 4),
        kind(3, "Unified", 28160 << 10, 2),
    ];
    assert_eq!(cpu.cache_kinds, expected);
}

#[test]
fn garbled_caches_are_left_out() {
    let mut text = String::new();
    entry(&mut text, "online", "0-1");
    let index = |text: &mut String, n: u32, level: &str, kind: &str, size: &str| {
        for (leaf, content) in [("level", level), ("type", kind), ("size", size), ("shared_cpu_list", "0-9")]
        {
            entry(text, &format!("cpu0/cache/index{n}/{leaf}"), content);
        }
    };
    index(&mut text, 0, "3", "Unified", "36M");
    index(&mut text, 1, "1", "Data", "48K");
    index(&mut text, 2, "1", "Instruction", "32K");
    index(&mut text, 3, "two", "Unified", "1M");
    index(&mut text, 4, "2", "Unified", "99999999999999999999K");
    index(&mut text, 5, "2", "Unified", "9999999999G");
    index(&mut text, 6, "2", "Unified", "0K");
    index(&mut text, 7, "99", "Unified", "1M");
    index(&mut text, 8, "2", "Odd", "1M");
    let (cpu, _) = read(&text);
    let found: Vec<_> = cpu.caches.iter().map(|c| (c.level, c.bytes, c.shared_by.len())).collect();
    assert_eq!(found, [(1, 48 << 10, 1), (3, 36 << 20, 1)], "CPU 1 has no folder");
}

#[test]
fn clock_rates_are_those_of_all_policies() {
    let mut text = server();
    for (policy, governor, min, max, base) in [
        (0, "powersave", "800000", "3900000", "2100000"),
        (10, "performance", "1000000", "3700000", "garbled"),
    ] {
        let files = [
            ("scaling_driver", "intel_pstate"),
            ("scaling_governor", governor),
            ("energy_performance_preference", "balance_performance"),
            ("scaling_min_freq", min),
            ("scaling_max_freq", max),
            ("cpuinfo_max_freq", "3900000"),
            ("base_frequency", base),
        ];
        for (leaf, content) in files {
            entry(&mut text, &format!("cpufreq/policy{policy}/{leaf}"), content);
        }
    }
    entry(&mut text, "intel_pstate/no_turbo", "1");
    let frequency = read(&text).0.frequency.unwrap();
    assert_eq!(frequency.driver.as_deref(), Some("intel_pstate"));
    assert_eq!(frequency.governors, ["performance", "powersave"]);
    assert_eq!(frequency.preferences, ["balance_performance"]);
    assert_eq!((frequency.min_hz, frequency.max_hz), (Some(800_000_000), Some(3_900_000_000)));
    assert_eq!((frequency.hardware_max_hz, frequency.base_hz), (Some(3_900_000_000), Some(2_100_000_000)));
    assert_eq!(frequency.boost, Some(false));
}

#[test]
fn cpus_with_rates_of_their_own_are_told_apart_and_equal_ones_are_one_group() {
    let mut text = String::new();
    for (policy, cpus, max) in
        [(0, "0 1", "1416000"), (2, "2", "1800000"), (3, "3", "1800000"), (4, "", "9000000")]
    {
        entry(&mut text, &format!("cpufreq/policy{policy}/affected_cpus"), cpus);
        entry(&mut text, &format!("cpufreq/policy{policy}/scaling_max_freq"), max);
    }
    let policies = read(&text).0.frequency.unwrap().policies;
    let found: Vec<_> = policies.iter().map(|p| (p.cpus.as_slice(), p.max_hz, p.min_hz)).collect();
    let expected: [(&[u32], _, _); 2] =
        [(&[0, 1], Some(1_416_000_000), None), (&[2, 3], Some(1_800_000_000), None)];
    assert_eq!(found, expected);
    assert!(read(&text.replace("1416000", "1800000")).0.frequency.unwrap().policies.is_empty());
}

#[test]
fn the_mark_of_turbo_is_no_rate() {
    let of = |driver: &str, listed: &str| {
        let mut text = String::new();
        for (leaf, content) in [
            ("scaling_driver", driver),
            ("scaling_max_freq", "2668000"),
            ("cpuinfo_max_freq", "2668000"),
            ("scaling_available_frequencies", listed),
        ] {
            entry(&mut text, &format!("cpufreq/policy0/{leaf}"), content);
        }
        let found = read(&text).0.frequency.unwrap();
        (found.base_hz, found.max_hz, found.hardware_max_hz)
    };
    assert_eq!(of("acpi-cpufreq", "2668000 2667000 1200000 "), (Some(2_667_000_000), None, None));
    let plain = (None, Some(2_668_000_000), Some(2_668_000_000));
    assert_eq!(of("acpi-cpufreq", "2668000 2533000 x -1"), plain);
    assert_eq!(of("cpufreq-dt", "2668000 2667000"), plain);
    assert_eq!(of("acpi-cpufreq", ""), plain);
}

#[test]
fn policies_of_old_kernels_are_found_with_their_cpus() {
    let mut text = String::new();
    entry(&mut text, "cpu0/cpufreq/scaling_governor", "ondemand");
    entry(&mut text, "cpu0/cpufreq/scaling_max_freq", "99999999999999999999");
    entry(&mut text, "cpu1/cpufreq/scaling_governor", "ondemand");
    entry(&mut text, "cpu1/cpufreq/scaling_max_freq", "18446744073709551615");
    entry(&mut text, "cpufreq/boost", "1");
    let frequency = read(&text).0.frequency.unwrap();
    assert_eq!((frequency.governors, frequency.max_hz), (vec!["ondemand".to_owned()], None));
    assert_eq!(frequency.boost, Some(true));
}

#[test]
fn idle_states_come_in_their_order_with_what_was_switched_off() {
    let mut text = String::new();
    entry(&mut text, "online", "1");
    entry(&mut text, "cpuidle/current_driver", "intel_idle");
    entry(&mut text, "cpuidle/current_governor_ro", "menu");
    for (state, name, latency, disable) in
        [(0, "POLL", "0", "0"), (2, "C6", "133", "1"), (10, "C10", "890", "0"), (3, "C7", "-1", "0")]
    {
        for (leaf, content) in [("name", name), ("latency", latency), ("disable", disable)] {
            entry(&mut text, &format!("cpu1/cpuidle/state{state}/{leaf}"), content);
        }
    }
    let idle = read(&text).0.idle.unwrap();
    assert_eq!((idle.driver.as_deref(), idle.governor.as_deref()), (Some("intel_idle"), Some("menu")));
    let states: Vec<_> =
        idle.states.iter().map(|s| (s.name.as_str(), s.exit_latency_s, s.disabled)).collect();
    assert_eq!(states, [("POLL", 0.0, false), ("C6", 133e-6, true), ("C10", 890e-6, false)]);
}

#[test]
fn what_the_kernel_does_not_choose_is_absent_with_its_reason() {
    let mut text = "==> /proc/cpuinfo\nprocessor : 0\nprocessor : 1\n".to_owned();
    entry(&mut text, "cpuidle/current_driver", "none");
    entry(&mut text, "vulnerabilities/meltdown", "Mitigation: PTI");
    entry(&mut text, "vulnerabilities/mds", "");
    let (cpu, absent) = read(&text);
    assert_eq!((cpu.frequency, cpu.idle, cpu.topology.len()), (None, None, 0));
    assert_eq!((cpu.online, cpu.allowed), (vec![0, 1], vec![0, 1]));
    assert_eq!(
        cpu.mitigations.into_iter().collect::<Vec<_>>(),
        [("meltdown".into(), "Mitigation: PTI".into())]
    );
    let missing: Vec<_> = absent.iter().map(|a| a.what.as_str()).collect();
    let expected = ["processor caches", "processor model", "processor topology", "clock rate", "idle states"];
    assert_eq!(missing, expected);
    assert_eq!(absent[3].reason, "the kernel does not choose the clock rate");
}

#[test]
fn an_arm_board_is_named_by_its_cores() {
    let text = "==> /proc/cpuinfo\nprocessor\t: 0\nBogoMIPS\t: 108.00\n\
        Features\t: fp asimd aes pmull sha1 sha2 crc32 atomics\nCPU implementer\t: 0x41\nCPU architecture: 8\n\
        CPU variant\t: 0x4\nCPU part\t: 0xd0b\nCPU revision\t: 1\n\nModel\t\t: Raspberry Pi 5 Model B Rev 1.0\n";
    let (cpu, _) = read(text);
    assert_eq!((cpu.model.as_deref(), cpu.vendor.as_deref()), (Some("Cortex-A76"), Some("ARM")));
    assert_eq!(cpu.signature.as_deref(), Some("implementer 0x41, part 0xd0b, r4p1"));
    assert_eq!(cpu.flags, ["aes", "pmull", "sha1", "sha2", "crc32", "atomics", "asimd"]);
    let old = text.replace("processor\t: 0\n", "processor\t: 0\nmodel name\t: ARMv7 Processor rev 1 (v7l)\n");
    assert_eq!(read(&old).0.model.as_deref(), Some("Cortex-A76"));
}

#[test]
fn a_processor_without_a_name_in_cpuinfo_is_named_by_itself() {
    let text = "==> /probe/cpuid\n{\"brand\": \"AMD EPYC 9654 96-Core Processor\", \"hypervisor\": null}\n";
    assert_eq!(read(text).0.model.as_deref(), Some("AMD EPYC 9654 96-Core Processor"));
}

#[test]
fn this_machine_has_a_cpu_that_we_may_use() {
    let cpu = describe(&Host::this(), &mut Vec::new());
    assert!(!cpu.allowed.is_empty());
    assert!(cpu.allowed.iter().all(|c| cpu.online.contains(c)), "{cpu:?}");
    assert_eq!(cpu.allowed.len(), allowed_count() as usize);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn this_machine_is_as_procfs_reads_it() {
    use procfs::prelude::*;
    let ours = describe(&Host::this(), &mut Vec::new());
    let theirs = procfs::CpuInfo::current().unwrap();
    assert_eq!(ours.model.as_deref(), theirs.model_name(0));
    assert_eq!(ours.vendor.as_deref(), theirs.vendor_id(0));
    assert_eq!(ours.online.len(), theirs.num_cores());
    let flags = theirs.flags(0).unwrap();
    assert!(ours.flags.iter().all(|flag| flags.contains(&flag.as_str())), "{:?}", ours.flags);
    for place in &ours.topology {
        let package = theirs.physical_id(place.cpu as usize);
        assert!(package.is_none_or(|package| package == place.package), "{place:?}");
    }
    let itself = cpuid::ask(&Host::this()).unwrap();
    assert_eq!(itself.vendor.as_deref(), theirs.vendor_id(0));
    assert_eq!(itself.hypervisor.is_some(), flags.contains(&"hypervisor"));
}

#[test]
fn this_machine_is_as_lscpu_reads_it() {
    let Ok(answer) = std::process::Command::new("lscpu").args(["-J", "-e=CPU,CORE,SOCKET"]).output() else {
        println!("skipped: there is no lscpu");
        return;
    };
    let ours = describe(&Host::this(), &mut Vec::new());
    let theirs: serde_json::Value = serde_json::from_slice(&answer.stdout).unwrap();
    let rows = theirs["cpus"].as_array().unwrap();
    // Versions differ in whether numbers are strings.
    let number = |row: &serde_json::Value, name: &str| row[name].to_string().trim_matches('"').to_owned();
    let distinct = |names: &[&str]| {
        let key = |row| names.iter().map(|name| number(row, name)).collect::<Vec<_>>();
        rows.iter().map(key).collect::<std::collections::BTreeSet<_>>().len()
    };
    assert_eq!(ours.online.len(), distinct(&["cpu"]));
    if !ours.topology.is_empty() {
        assert_eq!((ours.cores(), ours.packages()), (distinct(&["core"]), distinct(&["socket"])));
    }
    let columns = "-C=LEVEL,TYPE,ONE-SIZE,ALL-SIZE";
    let answer = std::process::Command::new("lscpu").args(["-J", "-B", columns]).output().unwrap();
    let Ok(theirs) = serde_json::from_slice::<serde_json::Value>(&answer.stdout) else {
        println!("skipped: this lscpu does not list caches");
        return;
    };
    let rows = theirs["caches"].as_array().unwrap();
    let read = |row: &serde_json::Value, name: &str| number(row, name).parse::<u64>().unwrap();
    for kind in &ours.cache_kinds {
        let row = rows.iter().find(|row| {
            read(row, "level") == u64::from(kind.level) && row["type"].as_str() == Some(&kind.kind)
        });
        let row = row.unwrap();
        assert_eq!(read(row, "one-size"), kind.bytes, "{kind:?}");
        assert_eq!(read(row, "all-size"), kind.bytes * u64::from(kind.instances), "{kind:?}");
    }
}
