//! Charts of loads on databases: clients turned up, servers side by side, and kinds of statements.

use model::metric::MetricSpec;
use model::parameter::{Kind, ParameterSpec};
use model::profile::Aspect;
use model::run::{CaseResult, Run};
use model::workload::Catalogue;
use model::{MetricName, ParameterName, Unit, WorkloadName, WorkloadSpec, metric};

use super::fixture::{DISK, case, charts, disk, kinds, run, with};
use super::{english, titles};

const NAME: WorkloadName = WorkloadName::new("db.oltp");

const OLTP: WorkloadSpec = WorkloadSpec {
    name: NAME,
    parameters: &[ParameterSpec::new("url", Kind::Text, ""), ParameterSpec::new("clients", Kind::Count, "")],
    headline: metric::TRANSACTIONS_PER_SECOND,
    metrics: &[MetricSpec::higher(metric::TRANSACTIONS_PER_SECOND, Unit::PerSecond, "")],
    ..DISK
};

/// Transactions of 4 ms each by so many clients of a server that does `most` a second.
fn oltp(url: &str, clients: u64, most: f64) -> CaseResult {
    let rate = (clients as f64 / 4e-3).min(most);
    let parameters = [("url", url.into()), ("clients", clients.into())];
    let case = case(NAME, &parameters, (metric::TRANSACTIONS_PER_SECOND, Unit::PerSecond, rate));
    let latency_s = clients as f64 / rate;
    let case = with(case, metric::LATENCY_P50, Unit::Seconds, latency_s);
    with(case, metric::LATENCY_P99, Unit::Seconds, latency_s * 3.0)
}

/// Statements that read a row, and those that commit.
fn with_statements(case: CaseResult) -> CaseResult {
    let times = [
        ("point_select_latency_p50", 50e-6),
        ("point_select_latency_p99", 100e-6),
        ("commit_latency_p50", 2e-3),
        ("commit_latency_p99", 9e-3),
    ];
    times.into_iter().fold(case, |case, (name, time)| with(case, MetricName::new(name), Unit::Seconds, time))
}

/// A run of these, as their workload describes them.
fn run_of(cases: Vec<CaseResult>) -> Run {
    let mut run = run(cases);
    run.definitions.complete(&Catalogue { workloads: vec![&OLTP], common: &[] }.definitions([NAME]));
    for case in &mut run.cases {
        case.loads.main.profile.aspects.insert(ParameterName::new("clients"), Aspect::Streams);
    }
    run
}

#[test]
fn more_clients_are_a_line_with_its_knee_and_what_they_wait() {
    let run = run_of([1, 2, 4, 8].map(|clients| oltp("a:", clients, 1000.0)).to_vec());
    let figures = charts(&run);
    assert_eq!(kinds(&figures)[..2], ["lines", "scatter"]);
    assert_eq!(titles(&figures)[0], "Transactions per second and latency over clients");
    let rows = figures[1].plot.table(english()).rows;
    let points: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(points, ["clients 1", "clients 2", "clients 4, knee", "clients 8"]);
}

#[test]
fn servers_are_lines_over_clients_and_bars_otherwise() {
    let both = |clients: &[u64]| {
        let cases = ["a:", "b:"].into_iter().flat_map(|url| {
            let most = if url == "a:" { 1000.0 } else { 400.0 };
            clients.iter().map(move |clients| oltp(url, *clients, most))
        });
        charts(&run_of(cases.collect()))
    };
    let lines = both(&[1, 2, 4, 8]);
    assert_eq!(kinds(&lines)[0], "lines");
    let head = lines[0].plot.table(english()).head.join(" ");
    assert!(head.contains("a:") && head.contains("b:"), "{head}");
    let bars = both(&[4]);
    assert_eq!(kinds(&bars)[0], "bars");
    assert_eq!(bars[0].plot.table(english()).rows.len(), 2);
}

#[test]
fn each_kind_of_statement_has_its_time() {
    let figures = charts(&run_of(vec![with_statements(oltp("a:", 4, 1000.0))]));
    let figure = figures.iter().find(|figure| figure.kind == "kinds").unwrap();
    assert_eq!(figure.title, "Latency by kind of statement or request");
    let rows = figure.plot.table(english()).rows;
    let told: Vec<[&str; 2]> = rows.iter().map(|row| [row[0].as_str(), row[1].as_str()]).collect();
    let expected = [
        ["COMMIT", "p50 latency"],
        ["COMMIT", "p99 latency"],
        ["point select", "p50 latency"],
        ["point select", "p99 latency"],
    ];
    assert_eq!(told, expected);
    assert_eq!((rows[0][2].as_str(), rows[1][2].as_str()), ("2 ms", "9 ms"));
    // Of several cases, each beside the others.
    let several = [1, 2, 4].map(|clients| with_statements(oltp("a:", clients, 1000.0)));
    let figures = charts(&run_of(several.to_vec()));
    let figure = figures.iter().find(|figure| figure.kind == "kinds").unwrap();
    assert!(figure.title.starts_with("p99 latency by kind"), "{}", figure.title);
    assert_eq!(figure.plot.table(english()).rows.len(), 6);
}

#[test]
fn parts_of_an_operation_are_no_kinds_of_statements() {
    let parts = ["submit_latency_p99", "device_latency_p99", "sync_latency_p99"];
    let disk = parts.into_iter().fold(disk("write", 4096, 1, 9e3), |case, name| {
        with(case, MetricName::new(name), Unit::Seconds, 1e-3)
    });
    assert!(!kinds(&charts(&run(vec![disk]))).contains(&"kinds"));
    assert!(!kinds(&charts(&run_of(vec![oltp("a:", 1, 1000.0)]))).contains(&"kinds"));
}
