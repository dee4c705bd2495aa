//! The samplers against what another reads here, and over recorded trees for
//! what this machine does not have.

mod live;
mod recorded;

use std::collections::BTreeMap;

use super::*;

/// What was read in one moment, by resource, then name.
type ReadValues = BTreeMap<(String, &'static str), u64>;

/// Reads all of `samplers`, absent values left out.
fn read(samplers: &mut [Box<dyn Sampler>]) -> ReadValues {
    let mut seen = ReadValues::new();
    for sampler in samplers {
        // Filled with something that a reader must overwrite.
        let mut values = vec![123_456_789_123; sampler.columns().len()];
        sampler.read(&mut values);
        let columns = sampler.columns().iter().map(|column| (column.resource.to_string(), column.name));
        seen.extend(columns.zip(values).filter(|(_, value)| *value != ABSENT));
    }
    seen
}

fn open(kind: &SamplerKind, host: &Host, scope: &Scope) -> Vec<Box<dyn Sampler>> {
    (kind.open)(host, scope)
}

fn at(seen: &ReadValues, resource: &str, name: &str) -> Option<u64> {
    seen.iter().find(|((r, n), _)| r == resource && *n == name).map(|(_, value)| *value)
}

/// A scope with these devices.
fn scope(block: &[&str], network: &[&str]) -> Scope {
    let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Scope { block: own(block), network: own(network), ..Scope::default() }
}

#[test]
fn kinds_have_names_and_documentation_of_their_own() {
    let names: std::collections::HashSet<_> = TABLE.iter().map(|kind| kind.name).collect();
    assert_eq!(names.len(), TABLE.len());
    assert!(TABLE.iter().all(|kind| !kind.doc.is_empty() && !kind.doc.ends_with('.')));
}

#[test]
fn a_value_knows_its_scale_and_what_is_negative() {
    let ticks = SamplerColumn::counter("cpu", "user", Unit::Seconds, 0.01);
    assert_eq!((ticks.value(250), ticks.value(ABSENT)), (Some(2.5), None));
    let degrees = SamplerColumn::gauge("sensor:x/y", "temperature", Unit::Celsius, 1e-3).biased(273_150);
    assert_eq!((degrees.value(298_150), degrees.value(268_150)), (Some(25.0), Some(-5.0)));
}
