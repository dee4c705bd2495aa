//! Situations whose limits are known, judged by the rules of runs.

use machine::inventory::cgroup::LimitedGroup;
use model::machine::IoThrottle;
use model::trial::{Counter, LOCAL, MachineTrial, Window};
use model::{Machine, Resource, Unit};
use study::run::Invocation;

use super::*;
use crate::document::{WatchedTime, document};
use crate::limit_book::LimitBook;
use crate::situation::Situation;
use crate::situation::tests::{Fake, inventory, situation};

const S: u64 = 1_000_000_000;

/// A counter that went so far in ten seconds.
fn counter(resource: &str, source: &str, steps: u64, unit: Unit, scale: f64) -> Counter {
    Counter {
        resource: Resource::from(resource),
        source: source.to_owned(),
        before: 1000,
        after: 1000 + steps,
        before_ns: S,
        after_ns: 11 * S,
        unit: Some(unit),
        scale: Some(scale),
    }
}

fn codes(situation: &Situation, counters: Vec<Counter>) -> Vec<String> {
    let machine = Machine { inventory: inventory(), ..Machine::default() };
    let run = document(
        WatchedTime {
            machine: &machine,
            trial: MachineTrial { counters, ..MachineTrial::of(LOCAL) },
            situation,
            window: Window { start_ns: S, end_ns: 11 * S },
            span: ("2026-11-29T08:00:00Z".to_owned(), "2026-11-29T08:00:10Z".to_owned()),
            name: "watch".to_owned(),
        },
        &Invocation { command: Vec::new(), version: "1".to_owned(), build: "test".to_owned() },
    );
    verdicts(&run).into_iter().map(|finding| finding.code).collect()
}

/// Two CPUs of which so many of ten seconds were idle.
fn cpus(idle_s: u64) -> Vec<Counter> {
    vec![
        counter("cpu", "/proc/stat user", 2000 - idle_s * 100, Unit::Seconds, 0.01),
        counter("cpu", "/proc/stat idle", idle_s * 100, Unit::Seconds, 0.01),
        counter("cpu", "/proc/stat ctxt", 50_000, Unit::One, 1.0),
    ]
}

#[test]
fn cpus_that_are_all_busy_are_full_and_idle_ones_are_not() {
    let busy = situation(&Fake::default().cpu(1.99), &LimitBook::default(), &[]);
    assert_eq!(codes(&busy, cpus(0)), ["all-cores-full"]);
    let idle = situation(&Fake::default().cpu(0.4), &LimitBook::default(), &[]);
    assert!(codes(&idle, cpus(16)).is_empty());
}

#[test]
fn a_group_that_is_stopped_is_held_by_its_quota() {
    let group = LimitedGroup::kept("/job".to_owned(), Some(0.5), None, Vec::new());
    let now = |stopped: f64| {
        Fake::default()
            .cpu(0.5)
            .group("/job", &[("usage", 0.5), ("nr_periods", 10.0), ("nr_throttled", stopped)])
    };
    let stopped = |ms: u64| {
        let own = counter("cgroup:/job", "cpu.stat throttled_time", ms * 1000, Unit::Seconds, 1e-6);
        cpus(15).into_iter().chain([own]).collect::<Vec<_>>()
    };
    let group = std::slice::from_ref(&group);
    assert_eq!(codes(&situation(&now(9.9), &LimitBook::default(), group), stopped(5_000)), ["cpu-quota"]);
    assert!(codes(&situation(&now(0.0), &LimitBook::default(), group), stopped(0)).is_empty());
}

#[test]
fn a_group_at_the_throttle_of_a_device_is_held_by_it() {
    let io = IoThrottle { device: "sda".to_owned(), read_bytes: Some(10_000_000), ..IoThrottle::default() };
    let group = LimitedGroup::kept("/job".to_owned(), None, None, vec![io]);
    let now = |bytes: f64| {
        let values =
            [("read_bytes", bytes), ("reads", bytes / 4096.0), ("written_bytes", 0.0), ("writes", 0.0)];
        Fake::default().cpu(0.1).group("/job@sda", &values)
    };
    let group = std::slice::from_ref(&group);
    assert_eq!(codes(&situation(&now(9.9e6), &LimitBook::default(), group), cpus(19)), ["io-quota"]);
    assert!(codes(&situation(&now(5e6), &LimitBook::default(), group), cpus(19)).is_empty());
}
