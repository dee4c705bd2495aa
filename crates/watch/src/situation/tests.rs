//! Situations of samples and machines that are made here.

use std::collections::BTreeMap;

use machine::sampler::Scope;
use model::limit::{Direction, LimitKind};
use model::machine::{BlockDevice, Mount, NetworkInterface};
use model::profile::Order;
use model::{Limit, ResourceKind, metric};

use super::*;
use crate::limit_book::MeasuredGoodput;
use crate::mix::{MeasuredMix, MixLevel};

/// Rates and gauges by resource and name.
#[derive(Default)]
pub(crate) struct Fake {
    rates: BTreeMap<(String, String), f64>,
    gauges: BTreeMap<(String, String), f64>,
}

impl Fake {
    fn with(mut self, resource: &str, values: &[(&str, f64)]) -> Self {
        let entries = values.iter().map(|(name, value)| ((resource.to_owned(), (*name).to_owned()), *value));
        self.rates.extend(entries);
        self
    }

    fn gauge_of(mut self, resource: &str, name: &str, value: f64) -> Self {
        self.gauges.insert((resource.to_owned(), name.to_owned()), value);
        self
    }

    /// A disk with so many reads and writes of so many bytes, each of which takes so long.
    pub(crate) fn disk(self, name: &str, reads: f64, writes: f64, bytes: f64, each_s: f64) -> Self {
        self.with(
            &format!("block:{name}"),
            &[
                ("reads", reads),
                ("writes", writes),
                ("read_sectors", reads * bytes),
                ("written_sectors", writes * bytes),
                ("read_ms", reads * each_s),
                ("write_ms", writes * each_s),
            ],
        )
    }

    pub(crate) fn nic(self, name: &str, sent: f64, packets: f64) -> Self {
        let values = [("rx_bytes", 0.0), ("rx_packets", 0.0), ("tx_bytes", sent), ("tx_packets", packets)];
        self.with(&format!("nic:{name}"), &values)
    }

    /// A control group, by its path.
    pub(crate) fn group(self, path: &str, values: &[(&str, f64)]) -> Self {
        self.with(&format!("cgroup:{path}"), values)
    }

    pub(crate) fn cpu(self, busy: f64) -> Self {
        self.with("cpu", &[("user", busy)]).with("cpu:0", &[("user", busy.min(1.0))])
    }
}

impl Readings for Fake {
    fn rate(&self, resource: &Resource, name: &str) -> Option<f64> {
        self.rates.get(&(resource.to_string(), name.to_owned())).copied()
    }
    fn gauge(&self, resource: &Resource, name: &str) -> Option<f64> {
        self.gauges.get(&(resource.to_string(), name.to_owned())).copied()
    }
    fn window(&self) -> Window {
        Window { start_ns: 0, end_ns: 10_000_000_000 }
    }
}

/// A machine of two CPUs, a disk that is mounted, and an interface.
pub(crate) fn inventory() -> Inventory {
    let mount = Mount { point: "/data".to_owned(), ..Mount::default() };
    let disk = BlockDevice { name: "sda".to_owned(), mounts: vec![mount], ..BlockDevice::default() };
    let nic = NetworkInterface { name: "eth0".to_owned(), mtu: 1500, ..NetworkInterface::default() };
    let mut inventory = Inventory { block: vec![disk], network: vec![nic], ..Inventory::default() };
    (inventory.cpu.online, inventory.cpu.allowed) = (vec![0, 1], vec![0]);
    inventory.memory.total_bytes = 8 << 30;
    inventory
}

/// A disk that gives so many operations of these sizes, whatever the share of reads from a half to all.
pub(crate) fn book(sizes: &[(f64, f64)]) -> LimitBook {
    let mix = |size: f64, operations: f64, read_share: f64| MeasuredMix {
        device: "sda".to_owned(),
        mix: IoMix { block_bytes: size, read_share },
        order: Order::Random,
        levels: [(8.0, operations * 0.96), (16.0, operations)]
            .map(|(depth, operations_per_s)| MixLevel { depth, operations_per_s })
            .into(),
        run: "20261101-080000-aaaa".to_owned(),
        started: "2026-11-01T08:00:00Z".to_owned(),
    };
    let all = sizes.iter().flat_map(|(s, o)| [mix(*s, *o, 0.5), mix(*s, *o, 1.0)]);
    LimitBook { mixes: all.collect(), ..LimitBook::default() }
}

pub(crate) fn situation(readings: &Fake, book: &LimitBook, groups: &[LimitedGroup]) -> Situation {
    let scope = Scope {
        block: vec!["sda".to_owned()],
        network: vec!["lo".to_owned(), "eth0".to_owned()],
        ..Scope::default()
    };
    Situation::of(&SituationInput {
        readings,
        inventory: &inventory(),
        book,
        scope: &scope,
        groups,
        processes: Vec::new(),
        now: "2026-11-29T08:00:00Z".parse().unwrap(),
    })
}

fn row<'a>(situation: &'a Situation, resource: &str) -> &'a ResourceRow {
    situation.rows.iter().find(|row| row.resource.as_str() == resource).unwrap()
}

#[test]
fn a_disk_is_held_against_the_nearest_mixes() {
    let book = book(&[(4096.0, 10_000.0), (65_536.0, 2_000.0)]);
    let now = Fake::default().disk("sda", 3_000.0, 1_000.0, 8_192.0, 0.002);
    let found = situation(&now, &book, &[]);
    let disk = row(&found, "block:sda");
    let used = disk.nearest().unwrap();
    // At least the bytes of 4 KiB: 5,000 of 8 KiB; at most its operations.
    let (low, high) = used.share().unwrap();
    assert_eq!((low, high), (0.4, 0.8));
    let Some(LimitOrigin::Mixes { age_s, mixes, knee, by_latency, is_shallow, .. }) =
        used.limit.as_ref().map(|limit| &limit.origin)
    else {
        panic!("{used:?}")
    };
    assert_eq!((*age_s, mixes.len(), *knee), (Some(28 * 86_400), 4, (8.0, 8.0)));
    assert!(!by_latency && !is_shallow);
    let ResourceActivity::Disk { depth, latency_s, .. } = disk.activity else { panic!("{disk:?}") };
    assert_eq!((depth, latency_s[0]), (8.0, Some(0.002)));
}

#[test]
fn outside_of_what_was_measured_it_is_unknown_and_the_study_is_named() {
    let now = Fake::default().disk("sda", 700.0, 300.0, 16_384.0, 0.001);
    for book in [LimitBook::default(), book(&[(4096.0, 10_000.0)])] {
        let found = situation(&now, &book, &[]);
        let disk = row(&found, "block:sda");
        assert!(disk.nearest().is_none(), "{disk:?}");
        let study = disk.uses[0].study.clone().unwrap().join(" ");
        assert_eq!(
            study,
            "run disk --target /data --pattern randrw --read-share 70% --block-size 16k,32k --queue-depth 1..64"
        );
    }
    // More than was measured at a mix says that something else was measured.
    let more = Fake::default().disk("sda", 20_000.0, 0.0, 4096.0, 0.001);
    assert!(row(&situation(&more, &book(&[(4096.0, 10_000.0)]), &[]), "block:sda").nearest().is_none());
    let idle = Fake::default().disk("sda", 0.0, 0.0, 4096.0, 0.0);
    assert!(row(&situation(&idle, &LimitBook::default(), &[]), "block:sda").uses.is_empty());
}

fn nic_limit(kind: LimitKind, line: f64) -> LimitBook {
    let bound = Limit::new(
        Resource::of(ResourceKind::Nic, "eth0"),
        metric::THROUGHPUT,
        Unit::BytesPerSecond,
        kind,
        "a test".to_owned(),
    );
    let direction = (kind == LimitKind::Quota).then_some(Direction::Write);
    LimitBook { limits: vec![Limit { line: Some(line), direction, ..bound }], ..LimitBook::default() }
}

#[test]
fn a_link_is_full_by_its_frames_and_what_is_around_them() {
    // 1 Gbit/s of frames of 1514 bytes, each of which takes 1538 of the wire.
    let packets = 125e6 / 1538.0;
    let now = Fake::default().nic("eth0", packets * 1514.0, packets);
    let found = situation(&now, &nic_limit(LimitKind::Link, 125e6), &[]);
    let used = row(&found, "nic:eth0").nearest().unwrap().clone();
    assert!((used.middle().unwrap() - 1.0).abs() < 1e-9, "{used:?}");
    // Its payload is the goodput of TCP with timestamps: 941 Mbit/s.
    assert!((used.demand * 8.0 / 1e6 - 941.5).abs() < 0.5, "{used:?}");
    // The same as the kernel counts it where it hands over 40 packets at once.
    let joined = packets / 40.0;
    let now = Fake::default().nic("eth0", joined * (66.0 + 40.0 * 1448.0), joined);
    let used =
        row(&situation(&now, &nic_limit(LimitKind::Link, 125e6), &[]), "nic:eth0").nearest().unwrap().clone();
    assert!((used.middle().unwrap() - 1.0).abs() < 1e-3, "{used:?}");
    // Small packets fill it with less.
    let small = Fake::default().nic("eth0", 60.0 * 1e6, 1e6);
    let used = row(&situation(&small, &nic_limit(LimitKind::Link, 125e6), &[]), "nic:eth0")
        .nearest()
        .unwrap()
        .clone();
    assert!((used.middle().unwrap() - 84.0 / 125.0).abs() < 1e-9, "{used:?}");
}

#[test]
fn a_shaper_counts_frames_and_only_what_is_sent() {
    let packets = 12.5e6 / 1514.0;
    let now = Fake::default().nic("eth0", packets * 1514.0, packets);
    let found = situation(&now, &nic_limit(LimitKind::Quota, 12.5e6), &[]);
    let used = row(&found, "nic:eth0").nearest().unwrap();
    assert!((used.middle().unwrap() - 1.0).abs() < 1e-9, "{used:?}");
    assert_eq!(used.measure, UseMeasure::BytesOut);
    assert!(matches!(used.limit.as_ref().unwrap().origin, LimitOrigin::Quota(_)));
}

#[test]
fn what_a_run_carried_counts_for_packets_as_large() {
    let known = MeasuredGoodput {
        interface: "eth0".to_owned(),
        direction: Direction::Write,
        bytes_per_s: 100e6,
        run: "r".to_owned(),
        started: String::new(),
    };
    let book = LimitBook { goodputs: vec![known], ..LimitBook::default() };
    let large = Fake::default().nic("eth0", 50e6 / 1448.0 * 1514.0, 50e6 / 1448.0);
    let used = row(&situation(&large, &book, &[]), "nic:eth0").nearest().unwrap().clone();
    assert!((used.middle().unwrap() - 0.5).abs() < 1e-9, "{used:?}");
    let small = Fake::default().nic("eth0", 6e6, 1e5);
    assert!(row(&situation(&small, &book, &[]), "nic:eth0").nearest().is_none());
}

fn group(path: &str) -> LimitedGroup {
    LimitedGroup::kept(path.to_owned(), Some(0.5), None, Vec::new())
}

#[test]
fn a_group_at_its_quota_is_nearest_though_the_machine_idles() {
    let now = Fake::default()
        .cpu(0.5)
        .with("cgroup:/job", &[("usage", 0.499), ("nr_periods", 10.0), ("nr_throttled", 9.8)]);
    let found = situation(&now, &LimitBook::default(), &[group("/job")]);
    let (nearest, used) = found.nearest().unwrap();
    assert_eq!(nearest.resource.as_str(), "cgroup:/job");
    assert!((used.middle().unwrap() - 0.998).abs() < 1e-9);
    // Where the time is counted nowhere, that it was stopped says as much; a group that never is may use anything.
    let uncounted =
        Fake::default().cpu(0.5).with("cgroup:/job", &[("nr_periods", 10.0), ("nr_throttled", 9.8)]);
    let found = situation(&uncounted, &LimitBook::default(), &[group("/job")]);
    assert_eq!(found.nearest().unwrap().0.resource.as_str(), "cgroup:/job");
    let free = Fake::default().cpu(0.5).with("cgroup:/job", &[("nr_periods", 10.0), ("nr_throttled", 0.0)]);
    let found = situation(&free, &LimitBook::default(), &[group("/job")]);
    assert_eq!(found.nearest().unwrap().0.resource, Resource::CPUS);
}

/// Programs that came and went between two looks are missing in a sum of processes, and a group may idle in other periods.
#[test]
fn a_group_that_is_stopped_though_it_used_little_is_told_as_a_range_up_to_full() {
    let now = Fake::default()
        .cpu(0.3)
        .with("cgroup:/job", &[("usage", 0.3), ("nr_periods", 10.0), ("nr_throttled", 9.8)]);
    let found = situation(&now, &LimitBook::default(), &[group("/job")]);
    let (nearest, used) = found.nearest().unwrap();
    assert_eq!(nearest.resource.as_str(), "cgroup:/job");
    let (low, high) = used.share().unwrap();
    assert!((low - 0.6).abs() < 1e-9 && (high - 1.0).abs() < 1e-9, "{low} {high}");
}

#[test]
fn a_disk_that_flushes_often_is_held_against_a_run_that_synced_and_not_against_mixes() {
    let now =
        || Fake::default().disk("sda", 0.0, 2_000.0, 4096.0, 0.001).with("block:sda", &[("flushes", 600.0)]);
    let mixes = book(&[(4096.0, 10_000.0)]);
    let found = situation(&now(), &mixes, &[]);
    let disk = row(&found, "block:sda");
    assert!(disk.nearest().is_none(), "{disk:?}");
    let study = disk.uses[0].study.clone().unwrap().join(" ");
    assert!(
        study.ends_with("--pattern randwrite --block-size 4k,8k --queue-depth 1..64 --sync fsync"),
        "{study}"
    );
    let known = crate::limit_book::MeasuredRate {
        per_s: 1_000.0,
        run: "r".to_owned(),
        started: "2026-11-01T08:00:00Z".to_owned(),
    };
    let synced = LimitBook { flushes: [("sda".to_owned(), known)].into(), ..mixes };
    let found = situation(&now(), &synced, &[]);
    let used = row(&found, "block:sda").nearest().unwrap();
    assert_eq!((used.measure, used.middle()), (UseMeasure::Flushes, Some(0.6)));
    // A few flushes, such as those of a journal every five seconds, are no part of the mix.
    let few = Fake::default().disk("sda", 2_000.0, 0.0, 4096.0, 0.001).with("block:sda", &[("flushes", 2.0)]);
    let found = situation(&few, &synced, &[]);
    assert_eq!(row(&found, "block:sda").nearest().unwrap().measure, UseMeasure::Operations);
}

#[test]
fn memory_bandwidth_is_told_where_something_counts_it() {
    let counted = Fake::default()
        .cpu(0.1)
        .gauge_of("memory", "MemAvailable", 6e9)
        .with("memory", &[("mbm_total_bytes", 6e9)]);
    let found = situation(&counted, &LimitBook::default(), &[]);
    let moved = row(&found, "memory:bandwidth");
    assert_eq!(moved.uses[0].study.clone().unwrap(), ["run", "memory.bandwidth"]);
    let known = crate::limit_book::MeasuredRate { per_s: 12e9, run: "r".to_owned(), started: String::new() };
    let book = LimitBook { memory: Some(known), ..LimitBook::default() };
    let found = situation(&counted, &book, &[]);
    assert_eq!(found.nearest().unwrap().0.resource.as_str(), "memory:bandwidth");
    assert_eq!(row(&found, "memory:bandwidth").nearest().unwrap().middle(), Some(0.5));
    let none = Fake::default().cpu(0.1).gauge_of("memory", "MemAvailable", 6e9);
    let found = situation(&none, &book, &[]);
    assert!(found.rows.iter().all(|row| row.resource.as_str() != "memory:bandwidth"));
    let ResourceActivity::Memory { has_traffic, .. } = row(&found, "memory").activity else { panic!() };
    assert_eq!(has_traffic, Some(false), "that there is no counter is told");
}

#[test]
fn stolen_time_leaves_fewer_processors() {
    let now = Fake::default().cpu(1.2).with("cpu", &[("user", 1.2), ("steal", 0.5)]);
    let found = situation(&now, &LimitBook::default(), &[]);
    assert!((found.nearest().unwrap().1.middle().unwrap() - 0.8).abs() < 1e-9);
}

#[test]
fn memory_is_nearest_only_where_it_is_nearly_full() {
    let of = |available: f64| {
        let now =
            Fake::default().cpu(0.1).gauge_of("memory", "MemAvailable", available * 1024.0 * 1024.0 * 1024.0);
        situation(&now, &LimitBook::default(), &[]).nearest().unwrap().0.resource.clone()
    };
    assert_eq!(of(2.0), Resource::CPUS);
    assert_eq!(of(0.5), Resource::MEMORY);
}

#[test]
fn a_disk_that_tasks_wait_for_and_nobody_measured_comes_first() {
    let base = || Fake::default().cpu(0.2).disk("sda", 900.0, 0.0, 4096.0, 0.03);
    let waits = base().with("pressure:io", &[("some", 0.6), ("full", 0.5)]);
    let found = situation(&waits, &LimitBook::default(), &[]);
    assert_eq!(found.unknown_wait().unwrap().0.resource.as_str(), "block:sda");
    assert!(situation(&base(), &LimitBook::default(), &[]).unknown_wait().is_none(), "nobody waits");
    let book = book(&[(4096.0, 1_000.0)]);
    let known = situation(&waits, &book, &[]);
    assert!(known.unknown_wait().is_none(), "what it can do is known");
}
