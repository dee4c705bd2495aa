//! A node keeps no name that somebody makes up. A process of its own: what it keeps is
//! for all of the process.

use model::profile::ClassName;
use model::{FactName, MetricName, ParameterName, SeriesName, WorkloadName};
use serde::de::DeserializeOwned;

fn reads<T: DeserializeOwned>(name: &str) -> bool {
    serde_json::from_value::<T>(name.into()).is_ok()
}

#[test]
fn only_names_of_the_catalogue_are_read() {
    assert!(reads::<ParameterName>("seen-before"));
    node::known_names_only();
    let catalogue = agent::catalogue();
    for workload in &catalogue.workloads {
        assert!(reads::<WorkloadName>(workload.name.as_str()), "{}", workload.name);
        assert!(reads::<MetricName>(workload.headline.as_str()), "{}", workload.name);
        for parameter in catalogue.parameters(workload) {
            assert!(reads::<ParameterName>(parameter.name.as_str()), "{}", parameter.name);
        }
    }
    assert!(reads::<MetricName>("read_latency_p99") && reads::<MetricName>("rate_held"));
    assert!(!reads::<WorkloadName>("hologram") && !reads::<ParameterName>("hue"));
    assert!(!reads::<MetricName>("frames"));
    // Facts of the way to the other end come with a request.
    assert!(reads::<FactName>("interface_mtu") && !reads::<FactName>("hue"));
    assert!(!reads::<ClassName>("stamp") && !reads::<SeriesName>("hue"));
}
