//! What more threads bring: the law on the chart of the rate, and charts of
//! speed-ups.

use model::run::CaseResult;
use model::unit::Quantity;
use model::{ParameterName, Run, Unit, WorkloadName, metric};

use super::fixture::{case, charts, kinds, run};
use crate::figure::Figure;

/// What so many threads do of work whose serial share is this.
fn amdahl(serial: f64, threads: u64) -> f64 {
    100.0 / (serial + (1.0 - serial) / threads as f64)
}

fn primes(threads: u64, rate: f64) -> CaseResult {
    case(
        WorkloadName::new("cpu.primes"),
        &[("threads", threads.into())],
        (metric::EVENTS_PER_SECOND, Unit::PerSecond, rate),
    )
}

/// A machine of eight CPUs on which these threads did so much.
fn of(rates: &[(u64, f64)]) -> Run {
    with_cpus(rates.iter().map(|(n, rate)| primes(*n, *rate)).collect(), 8)
}

fn with_cpus(cases: Vec<CaseResult>, cpus: u32) -> Run {
    let mut run = run(cases);
    run.machines[0].inventory.cpu.allowed = (0..cpus).collect();
    run
}

/// Each trial another rate, the same disturbance in no two cases.
fn disturbed(mut run: Run, by: f64) -> Run {
    for (at, case) in run.cases.iter_mut().enumerate() {
        for (round, trial) in case.trials.iter_mut().enumerate() {
            let off = ((at * 7 + round * 3) % 5) as f64 - 2.0;
            let value = case.loads.main.estimates[&metric::EVENTS_PER_SECOND].median * (1.0 + off * by);
            let quantity = Quantity { value, unit: Unit::PerSecond };
            trial.result.main_mut().metrics.insert(metric::EVENTS_PER_SECOND, quantity);
        }
    }
    run
}

fn notes(figure: &Figure) -> String {
    figure.notes.join(" ")
}

#[test]
fn the_law_stands_on_the_chart_of_the_rate_with_its_share() {
    let run = disturbed(of(&[1, 2, 4, 8].map(|n| (n, amdahl(0.05, n)))), 0.002);
    let figures = charts(&run);
    assert_eq!(kinds(&figures), ["lines", "boxes"]);
    let head = figures[0].plot.table(super::english()).head;
    assert_eq!(head[1..], ["measured", "ideal", "Amdahl’s law"]);
    let said = notes(&figures[0]);
    assert!(said.contains("8 threads do 5.94 times what one does, 74 % of the ideal."), "{said}");
    assert!(said.contains("Amdahl’s law fits: 5"), "{said}");
    assert!(said.contains(" of the work is serial (4.") && said.contains(" to 5."), "{said}");
}

#[test]
fn two_points_are_said_to_be_two() {
    let said = notes(&charts(&disturbed(of(&[(1, 100.0), (2, 180.0)]), 0.001))[0]);
    // (1/1.8 - 1/2) / (1 - 1/2)
    assert!(said.contains("11.1 % of the work is serial") && said.contains("by Karp and Flatt"), "{said}");
    assert!(said.contains("2 threads do 1.80 times what one does, 90 % of the ideal."), "{said}");
}

#[test]
fn without_a_serial_share_its_most_is_said() {
    let said = notes(&charts(&disturbed(of(&[1, 2, 4, 8].map(|n| (n, 100.0 * n as f64))), 0.004))[0]);
    assert!(said.contains("No serial share is seen: it is ") && said.contains("at most"), "{said}");
}

#[test]
fn a_rate_that_falls_or_breaks_has_no_share() {
    let falls = charts(&of(&[(1, 100.0), (2, 190.0), (4, 300.0), (8, 200.0)]));
    let said = notes(&falls[0]);
    assert!(said.contains("highest with 4 threads and falls with more"), "{said}");
    assert!(!said.contains("serial (") && falls[0].plot.table(super::english()).head.len() == 3, "{said}");
    let said = notes(&charts(&of(&[(1, 100.0), (2, 200.0), (4, 400.0), (8, 410.0)]))[0]);
    assert!(said.contains("does not fit"), "{said}");
}

#[test]
fn threads_beyond_the_cpus_or_a_quota_are_not_fitted() {
    let rates = [(1, 100.0), (2, amdahl(0.1, 2)), (4, amdahl(0.1, 4)), (8, 260.0)];
    let mut run = with_cpus(of(&rates).cases, 4);
    let said = notes(&charts(&run)[0]);
    assert!(said.contains("10 % of the work is serial"), "{said}");
    assert!(said.contains("4 threads do 3.08 times") && said.contains("More threads than 4 CPUs"), "{said}");
    run.machines[0].inventory.cpu.allowed = (0..8).collect();
    run.machines[0].inventory.cgroup.cpu_quota = Some(2.5);
    let said = notes(&charts(&run)[0]);
    assert!(said.contains("More threads than 2.5 CPUs") && said.contains("by Karp and Flatt"), "{said}");
}

#[test]
fn several_lines_and_fixed_work_are_speed_ups() {
    let both = |operation: &str, threads: u64, rate: f64| {
        let parameters = [("operation", operation.into()), ("threads", threads.into())];
        case(
            WorkloadName::new("memory.bandwidth"),
            &parameters,
            (metric::THROUGHPUT, Unit::BytesPerSecond, rate),
        )
    };
    let cases = [1u64, 2, 4]
        .into_iter()
        .flat_map(|n| [both("read", n, 1e10 * n as f64), both("write", n, 8e9 * (n as f64).min(2.0))]);
    let figures = charts(&with_cpus(cases.collect(), 8));
    let figure = figures.iter().find(|f| f.kind == "scaling").unwrap();
    assert_eq!(figure.title, "Speed-up over threads: throughput");
    let table = figure.plot.table(super::english());
    assert_eq!(table.head[1..], ["read", "write", "ideal"]);
    assert!(table.rows[2][1].starts_with("4.00×") && table.rows[2][2].starts_with("2.00×"), "{table:?}");
    assert!(
        notes(figure).contains("write: 2.00 times with 4 threads, 50 % of the ideal, no serial share fits."),
        "{}",
        notes(figure)
    );

    let timed = |threads: u64| {
        let mut case = primes(threads, amdahl(0.05, threads));
        case.loads.main.parameters.set(ParameterName::new("requests"), 10_000u64);
        super::with(case, metric::ELAPSED, Unit::Seconds, 1e4 / amdahl(0.05, threads))
    };
    let figures = charts(&with_cpus([1, 2, 4].map(timed).to_vec(), 8));
    let figure = figures.iter().find(|f| f.kind == "scaling").unwrap();
    let table = figure.plot.table(super::english());
    assert_eq!(table.head[1..], ["measured", "ideal", "Amdahl’s law"]);
    assert!(table.rows[2][1].starts_with("3.48×"), "{table:?}");
    assert!(notes(figure).contains("5 % of the work is serial"), "{}", notes(figure));
}

#[test]
fn without_one_thread_or_with_a_device_no_share_is_given() {
    let said = notes(&charts(&of(&[(2, 190.0), (4, 300.0), (8, 500.0)]))[0]);
    assert!(!said.contains("serial") && !said.contains("times what one"), "{said}");
    let mut run = of(&[1, 2, 4].map(|n| (n, amdahl(0.05, n))));
    for case in &mut run.cases {
        let resource = "block:sda".to_owned();
        case.path.push(model::resource::PathStep { resource: resource.into(), amplification: 1.0 });
    }
    let said = notes(&charts(&run)[0]);
    assert!(said.contains("4 threads do") && !said.contains("serial"), "{said}");
}

#[test]
fn regression_trials_of_a_starved_machine_gave_a_speed_up_of_a_hundred() {
    let mut run = of(&[(1, 295.4), (2, 1773.2)]);
    for (case, values) in run.cases.iter_mut().zip([[3.0, 568.9, 295.4], [640.8, 2905.6, 1000.0]]) {
        case.trials.truncate(3);
        for (trial, value) in case.trials.iter_mut().zip(values) {
            let quantity = Quantity { value, unit: Unit::PerSecond };
            trial.result.main_mut().metrics.insert(metric::EVENTS_PER_SECOND, quantity);
        }
    }
    let said = notes(&charts(&run)[0]);
    assert!(said.ends_with("The trials differ too much to say what more threads bring."), "{said}");
    assert!(!said.contains("of the ideal.") && !said.contains("serial"), "{said}");
}
