//! The example dashboard for Grafana, held against its dashboard model (schema 39 of the classic model) and against the metrics
//! that there are.

use std::collections::BTreeSet;

use serde_json::Value;

use super::WatchMetrics;
use crate::limit_book::LimitBook;
use crate::situation::tests::{Fake, situation};

const DASHBOARD: &str = include_str!("../../../../docs/watch/grafana.json");
/// Kinds of panels that every Grafana since 8 has and that the dashboard uses.
const KINDS: [&str; 4] = ["gauge", "timeseries", "stat", "row"];
/// What the name of a histogram has behind it in a query.
const PARTS: [&str; 3] = ["_bucket", "_count", "_sum"];

fn dashboard() -> Value {
    serde_json::from_str(DASHBOARD).unwrap()
}

fn panels(dashboard: &Value) -> &[Value] {
    dashboard["panels"].as_array().unwrap()
}

#[test]
fn panels_have_numbers_of_their_own_known_kinds_and_places_beside_each_other() {
    let dashboard = dashboard();
    assert_eq!(dashboard["schemaVersion"], 39);
    assert!(dashboard["uid"].as_str().unwrap().len() <= 40 && dashboard["id"].is_null());
    let mut numbers = BTreeSet::new();
    let mut taken = BTreeSet::new();
    for panel in panels(&dashboard) {
        let title = panel["title"].as_str().unwrap();
        assert!(numbers.insert(panel["id"].as_u64().unwrap()), "{title}");
        assert!(KINDS.contains(&panel["type"].as_str().unwrap()), "{title}");
        let place = |side: &str| panel["gridPos"][side].as_u64().unwrap();
        // A dashboard has 24 columns.
        assert!(place("x") + place("w") <= 24 && place("w") > 0 && place("h") > 0, "{title}");
        for x in place("x")..place("x") + place("w") {
            for y in place("y")..place("y") + place("h") {
                assert!(taken.insert((x, y)), "{title} lies over another one at {x} {y}");
            }
        }
    }
}

#[test]
fn every_query_asks_the_chosen_source_and_machine_for_a_metric_that_there_is() {
    let dashboard = dashboard();
    let variables = dashboard["templating"]["list"].as_array().unwrap();
    let of_kind = |kind: &str| variables.iter().find(|variable| variable["type"] == kind).unwrap();
    assert_eq!(
        (&of_kind("datasource")["name"], &of_kind("datasource")["query"]),
        (&"datasource".into(), &"prometheus".into())
    );
    let source = serde_json::json!({ "type": "prometheus", "uid": "${datasource}" });
    assert_eq!(of_kind("query")["datasource"], source);
    let metrics = WatchMetrics::new("here", "1");
    let readings =
        Fake::default().cpu(1.0).disk("sda", 3_000.0, 1_000.0, 8_192.0, 0.002).nic("eth0", 1e6, 1e3);
    metrics.take(&situation(&readings, &LimitBook::default(), &[]), 1.0);
    let text = metrics.text();
    let known: BTreeSet<&str> =
        text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    let is_known = |name: &str| {
        known.contains(name)
            || PARTS.iter().any(|part| name.strip_suffix(part).is_some_and(|n| known.contains(n)))
    };
    for panel in panels(&dashboard) {
        assert_eq!(panel["datasource"], source, "{}", panel["title"]);
        for target in panel["targets"].as_array().unwrap() {
            let expression = target["expr"].as_str().unwrap();
            let words = expression.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let names: Vec<&str> = words.filter(|word| word.starts_with("headroom_")).collect();
            assert!(!names.is_empty() && expression.contains("instance=~\"$instance\""), "{expression}");
            for name in names {
                assert!(is_known(name), "{name}: {known:?}");
            }
        }
    }
}
