//! The chart of the rate over the place on a target.

use model::profile::{Caches, Flow, FlowUnit, LoadEnd, OperationClass, Order};
use model::run::Run;
use model::trial::{Series, TargetTrial};
use model::{Finding, FindingKind, Resource, Severity, Unit, series};

use super::fixture::{charts, disk, kinds, run};
use super::{english, titles};

/// A pass over these targets, each with its rate.
fn pass(targets: &[(&str, f64)]) -> Run {
    let mut run = run(vec![disk("read", 1 << 20, 4, 200.0)]);
    let main = &mut run.cases[0].loads.main;
    main.profile.flows =
        vec![Flow { order: Order::Sequential, ..Flow::only(OperationClass::Read, FlowUnit::Operations) }];
    main.profile.end = LoadEnd::Pass;
    main.profile.caches = Caches::None;
    main.profile.targets = targets.len() as u64;
    main.profile.concurrency.workers = targets.len() as u64;
    main.profile.paths = targets.iter().map(|(target, _)| (*target).to_owned()).collect();
    let course = |rate: f64| Series {
        resource: Resource::LOAD,
        name: series::THROUGHPUT,
        unit: Unit::BytesPerSecond,
        start_ns: 0,
        interval_ns: 100_000_000,
        values: vec![rate; 61],
    };
    for trial in &mut run.cases[0].trials {
        let main = trial.result.main_mut();
        match targets {
            [(_, rate)] => main.series.push(course(*rate)),
            several => {
                let of = |(target, rate): &(&str, f64)| TargetTrial {
                    target: (*target).to_owned(),
                    series: vec![course(*rate)],
                    ..TargetTrial::default()
                };
                main.targets = several.iter().map(of).collect();
            }
        }
    }
    run
}

#[test]
fn a_pass_over_a_disk_is_drawn_over_its_places() {
    let figures = charts(&pass(&[("/dev/sda", 200e6)]));
    assert_eq!(kinds(&figures)[0], "places");
    assert_eq!(titles(&figures)[0], "Throughput by position on the target, from its first byte to its last");
    assert_eq!(figures[0].plot.table(english()).rows.len(), 30);
}

#[test]
fn several_disks_lie_over_each_other_and_slow_ones_are_marked() {
    let mut run = pass(&[("/dev/sda", 200e6), ("/dev/sdb", 201e6), ("/dev/sdc", 120e6)]);
    let slow = Finding::new(FindingKind::Validity, "slow-target", Severity::Warning);
    run.cases[0].findings.push(slow.arg("target", "/dev/sdc"));
    let figures = charts(&run);
    let place = kinds(&figures).iter().position(|kind| *kind == "places").unwrap();
    let head = figures[place].plot.table(english()).head;
    assert_eq!(head[1..], ["/dev/sda", "/dev/sdb", "/dev/sdc (slow)"]);
}
