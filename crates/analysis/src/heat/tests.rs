//! Courses as a server makes them, and what is told of them.

use model::trial::{Series, Window};
use model::unit::Quantity;
use model::{Resource, Unit, metric};

use super::*;
use crate::validity::fixture;

const S: u64 = 1_000_000_000;

/// A second each from `start` on.
pub(crate) fn series(resource: &str, name: SeriesName, unit: Unit, start_s: u64, values: Vec<f64>) -> Series {
    Series { resource: Resource::from(resource), name, unit, start_ns: start_s * S, interval_ns: S, values }
}

/// A case of 30 s idle, a load of 60 s and 30 s of cool-down, whose sensor warms
/// by `rise` towards its end with this time constant, in seconds.
pub(crate) fn warmed(rise: f64, constant_s: f64) -> CaseResult {
    let mut case = fixture::case(3);
    fixture::workload(&mut case, "cpu.primes");
    fixture::set(&mut case, "idle", 30.0);
    fixture::set(&mut case, "cool-down", 30.0);
    let at = |second: u64| match second {
        0..=29 => 45.0,
        30..=89 => 45.0 + rise * (1.0 - (-((second - 29) as f64) / constant_s).exp()),
        _ => 45.0 + rise * (-((second - 89) as f64) / constant_s).exp(),
    };
    for trial in &mut case.trials {
        trial.result.window = Some(Window { start_ns: 130 * S, end_ns: 190 * S });
        let course: Vec<f64> = (0..120).map(|s| (at(s) * 10.0).round() / 10.0).collect();
        trial.result.local_mut().series = vec![
            series("sensor:coretemp/Core 0", series::TEMPERATURE, Unit::Celsius, 100, course),
            series("sensor:nvme/Composite", series::TEMPERATURE, Unit::Celsius, 100, vec![38.0; 120]),
            series(
                "power:package-0",
                series::POWER,
                Unit::Watts,
                100,
                [vec![20.0; 30], vec![80.0; 60], vec![22.0; 30]].concat(),
            ),
            series("power:package-0/core", series::POWER, Unit::Watts, 100, vec![10.0; 120]),
            series(
                "cpu:0",
                series::FREQUENCY,
                Unit::Hertz,
                100,
                [vec![800e6; 30], vec![4.7e9; 25], vec![3.9e9; 35], vec![800e6; 30]].concat(),
            ),
        ];
        let rate = Quantity { value: 1000.0, unit: Unit::PerSecond };
        trial.result.main_mut().metrics.insert(metric::EVENTS_PER_SECOND, rate);
    }
    case
}

#[test]
fn rise_time_to_steady_and_half_time_are_those_of_the_curve() {
    let heat = of_case(&warmed(17.0, 10.0));
    let core = &heat.sensors[0];
    assert_eq!(core.resource.as_str(), "sensor:coretemp/Core 0", "what was warmed most comes first");
    assert_eq!(core.idle, Some(45.0));
    assert!((core.rise().unwrap() - 17.0).abs() < 0.2, "{core:?}");
    assert!((core.peak - 62.0).abs() < 0.2, "{core:?}");
    // Within 10 % after ln 10 time constants, half after ln 2.
    let Some(SettledTemperature::After(seconds)) = core.settled else { panic!("{core:?}") };
    assert!((seconds - 23.0).abs() <= 1.5, "{core:?}");
    assert!((core.half_s.unwrap() - 6.9).abs() <= 1.0, "{core:?}");
    assert_eq!(heat.sensors[1].settled, Some(SettledTemperature::After(1.0)), "what does not move is steady");
}

#[test]
fn what_still_rises_at_the_end_is_not_steady() {
    let heat = of_case(&warmed(40.0, 60.0));
    assert_eq!(heat.sensors[0].settled, Some(SettledTemperature::NotYet), "{heat:?}");
}

#[test]
fn clocks_and_power_are_told_idle_and_under_load() {
    let heat = of_case(&warmed(17.0, 10.0));
    let clock = &heat.clocks[0];
    assert_eq!((clock.idle, clock.last), (Some(800e6), 3.9e9));
    assert!(clock.first > 4.6e9, "{clock:?}");
    let package = heat.power.iter().find(|p| is_package(&p.resource)).unwrap();
    assert_eq!((package.idle, package.load), (Some(20.0), 80.0));
    assert_eq!(heat.energy_per_operation, Some(0.08), "a package's part is in it already");
    let mut result = warmed(17.0, 10.0).trials[0].result.clone();
    assert_eq!(energy_per_operation(&result), Some(0.08));
    // One of two packages that was not read in the window.
    let power = |s: &&model::trial::Series| s.name == model::series::POWER && is_package(&s.resource);
    let mut other = result.series().find(power).unwrap().clone();
    other.resource = Resource::of(ResourceKind::Power, "package-1");
    other.values.truncate(1);
    result.local_mut().series.push(other);
    assert_eq!(energy_per_operation(&result), None);
}

#[test]
fn without_an_idle_nothing_is_said_of_a_rise() {
    let mut case = warmed(17.0, 10.0);
    case.loads.main.profile.idle_s = None;
    let heat = of_case(&case);
    assert_eq!((heat.sensors[0].idle, heat.sensors[0].settled), (None, None));
    assert!(heat.sensors.iter().any(|s| s.load > 61.0), "{heat:?}");
    case.trials.iter_mut().for_each(|t| t.result.local_mut().series.clear());
    assert_eq!(of_case(&case), Heat::default());
}
