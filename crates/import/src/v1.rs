//! What the loads of version 0.1 were. Its documents have names and parameters
//! where later ones have a profile, so the 21 workloads that it had stand here for
//! ever, as they were: nobody is asked what a workload of that name does today.

pub mod document;
pub mod label;
pub mod limit;

use std::borrow::Cow;
use std::collections::BTreeSet;

use model::plan::LoadSpec;
use model::profile::{
    Arrival, Caches, Concurrency, Content, Durability, Flow, FlowUnit, LoadEnd, LoadProfile, OperationClass,
    Order, Peer, RateUnit, SharedAccess, SizeShare, TargetState, Transport, WaitsFor,
};
use model::{Parameters, Value};

/// What a load that is planned is: an agent of version 0.1 may have surveyed it.
#[must_use]
pub fn of_planned(load: &LoadSpec) -> Cow<'_, LoadProfile> {
    let known = || Cow::Owned(profile(&load.workload, &load.parameters));
    load.profile.as_ref().map_or_else(known, Cow::Borrowed)
}

/// What a workload of version 0.1 with these parameters was; of a workload that it
/// did not have, only what every load has.
#[must_use]
pub fn profile(workload: &str, parameters: &Parameters) -> LoadProfile {
    let common = LoadProfile {
        concurrency: concurrency(parameters),
        end: end(parameters),
        window_s: parameters.number("duration").ok(),
        idle_s: parameters.number("idle").ok(),
        cool_down_s: parameters.number("cool-down").ok(),
        ..LoadProfile::default()
    };
    let Some(known) = TABLE.iter().find(|known| known.name == workload) else { return common };
    let common = LoadProfile {
        headline: known.headline.to_owned(),
        waits_for: known.waits_for.iter().cloned().collect(),
        ..common
    };
    (known.shape)(parameters, common)
}

/// Whether version 0.1 had a workload of this name.
fn is_known(workload: &str) -> bool {
    TABLE.iter().any(|known| known.name == workload)
}

/// One workload of version 0.1.
struct Known {
    name: &'static str,
    headline: &'static str,
    waits_for: &'static [WaitsFor],
    shape: fn(&Parameters, LoadProfile) -> LoadProfile,
}

const fn known(
    name: &'static str,
    headline: &'static str,
    waits_for: &'static [WaitsFor],
    shape: fn(&Parameters, LoadProfile) -> LoadProfile,
) -> Known {
    Known { name, headline, waits_for, shape }
}

const TABLE: &[Known] = &[
    known("cpu.primes", "events_per_second", &[WaitsFor::Processor], events),
    known("cpu.float", "flops", &[WaitsFor::Processor], events),
    known("cpu.crypto", "throughput", &[WaitsFor::Processor], blocks_computed),
    known("cpu.compress", "throughput", &[WaitsFor::Processor], blocks_computed),
    known("cpu.parity", "throughput", &[WaitsFor::Processor], bytes_computed),
    known("memory.bandwidth", "throughput", &[WaitsFor::Memory], arrays),
    known("memory.latency", "load_latency", &[WaitsFor::Memory], chase),
    known("memory.loaded", "load_latency", &[WaitsFor::Memory], chase_and_draw),
    known("memory.blocks", "operations_per_second", &[WaitsFor::Memory], blocks_accessed),
    known("scheduler.threads", "events_per_second", &[WaitsFor::Lock], switches),
    known("scheduler.mutex", "total_time", &[WaitsFor::Lock], switches),
    known("scheduler.handoff", "wakeup_p50", &[WaitsFor::Thread], switches),
    known("scheduler.timer", "lateness_p50", &[WaitsFor::Timer], sleeps),
    known("scheduler.syscall", "call_time", &[WaitsFor::Kernel], calls),
    known("disk", "iops", &[WaitsFor::Device], disk),
    known("file.metadata", "operations_per_second", &[WaitsFor::Device], metadata),
    known("net.stream", "throughput", &[WaitsFor::Peer], stream),
    known("net.pingpong", "latency_p50", &[WaitsFor::Peer], exchange),
    known("net.loaded", "latency_p50", &[WaitsFor::Peer], exchange_beside_stream),
    known("net.connect", "connections_per_second", &[WaitsFor::Peer], connect),
    known("null", "operations_per_second", &[], null),
];

fn one(class: OperationClass, unit: FlowUnit, base: LoadProfile) -> LoadProfile {
    LoadProfile { flows: vec![Flow::only(class, unit)], ..base }
}

fn events(_: &Parameters, base: LoadProfile) -> LoadProfile {
    one(OperationClass::Compute, FlowUnit::Operations, base)
}

fn bytes_computed(_: &Parameters, base: LoadProfile) -> LoadProfile {
    one(OperationClass::Compute, FlowUnit::Bytes, base)
}

fn blocks_computed(parameters: &Parameters, base: LoadProfile) -> LoadProfile {
    let mut profile = one(OperationClass::Compute, FlowUnit::Bytes, base);
    profile.flows[0].sizes = sizes(parameters, "block-size");
    profile
}

fn arrays(parameters: &Parameters, base: LoadProfile) -> LoadProfile {
    let mut profile = one(OperationClass::Access, FlowUnit::Bytes, base);
    profile.flows[0].order = Order::Sequential;
    LoadProfile { span_bytes: parameters.integer("size").ok(), ..profile }
}

fn chase(parameters: &Parameters, base: LoadProfile) -> LoadProfile {
    let mut profile = one(OperationClass::Access, FlowUnit::Operations, base);
    profile.flows[0].order = Order::Random;
    LoadProfile { span_bytes: parameters.integer("size").ok(), ..profile }
}

/// The loads that are timed, and beside them those of the threads that draw.
fn chase_and_draw(parameters: &Parameters, base: LoadProfile) -> LoadProfile {
    let mut profile = chase(parameters, base);
    let mut drawn = Flow::only(OperationClass::Access, FlowUnit::Bytes);
    (drawn.share, drawn.order) = (0.0, Order::Sequential);
    profile.flows.push(drawn);
    profile
}

fn blocks_accessed(parameters: &Parameters, base: LoadProfile) -> LoadProfile {
    let mut profile = one(OperationClass::Access, FlowUnit::Operations, base);
    profile.flows[0].sizes = sizes(parameters, "block-size");
    if parameters.is_word("scope", "global") {
        let writes = parameters.is_word("operation", "write");
        profile.shared = Some(if writes { SharedAccess::Write } else { SharedAccess::Read });
    }
    profile
}

fn switches(_: &Parameters, base: LoadProfile) -> LoadProfile {
    one(OperationClass::Switch, FlowUnit::Operations, base)
}

fn sleeps(_: &Parameters, base: LoadProfile) -> LoadProfile {
    one(OperationClass::Sleep, FlowUnit::Operations, base)
}

fn calls(_: &Parameters, base: LoadProfile) -> LoadProfile {
    one(OperationClass::Call, FlowUnit::Operations, base)
}

fn disk(parameters: &Parameters, base: LoadProfile) -> LoadProfile {
    let pattern = parameters.text("pattern").unwrap_or_default();
    let reads = parameters.number("read-share").unwrap_or(0.5).clamp(0.0, 1.0);
    let classes: &[(OperationClass, f64)] = match pattern {
        "read" | "randread" => &[(OperationClass::Read, 1.0)],
        "write" | "randwrite" => &[(OperationClass::Write, 1.0)],
        "trim" | "randtrim" => &[(OperationClass::Trim, 1.0)],
        "readwrite" | "randrw" => &[(OperationClass::Read, reads), (OperationClass::Write, 1.0 - reads)],
        _ => &[],
    };
    let order = if pattern.starts_with("rand") { Order::Random } else { Order::Sequential };
    let flow = |(class, share): &(OperationClass, f64)| Flow {
        class: class.clone(),
        unit: FlowUnit::Bytes,
        share: *share,
        order: order.clone(),
        sizes: sizes(parameters, "block-size"),
        asked_bytes_per_s: None,
    };
    let is_mapped = parameters.is_word("engine", "mmap");
    let is_buffered = parameters.get("direct") == Some(&Value::Bool(false));
    let is_null = parameters.is_word("engine", "null");
    let mut waits_for = base.waits_for.clone();
    if parameters.text("sync").is_ok_and(|sync| sync != "none") {
        waits_for.insert(WaitsFor::Flush);
    }
    LoadProfile {
        flows: classes.iter().map(flow).collect(),
        targets: targets(parameters),
        paths: paths(parameters),
        content: content(parameters),
        durability: match parameters.text("sync") {
            Ok("dsync") => Durability::EachWrite,
            Ok("fsync") => Durability::Syncs,
            Ok("end") => Durability::End,
            _ => Durability::None,
        },
        interface: parameters.text("engine").ok().map(str::to_owned),
        span_bytes: parameters.integer("span").or_else(|_| parameters.integer("size")).ok(),
        target_state: match parameters.text("precondition") {
            Ok("full") => TargetState::Steady,
            Ok("fill") => TargetState::Filled,
            _ if parameters.get("purge") == Some(&Value::Bool(true)) => TargetState::Discarded,
            _ => TargetState::AsFound,
        },
        caches: if is_mapped || is_buffered { Caches::PageCache } else { Caches::None },
        waits_for: if is_null { BTreeSet::new() } else { waits_for },
        is_null,
        ..base
    }
}

fn metadata(parameters: &Parameters, base: LoadProfile) -> LoadProfile {
    let mut profile = one(OperationClass::Metadata, FlowUnit::Operations, base);
    if parameters.flag("directory-fsync") == Ok(true) {
        profile.waits_for.insert(WaitsFor::Flush);
    }
    LoadProfile {
        targets: targets(parameters),
        paths: paths(parameters),
        caches: Caches::PageCache,
        ..profile
    }
}

/// What all loads with another end have.
fn network(parameters: &Parameters, base: LoadProfile) -> LoadProfile {
    let is_udp = parameters.is_word("protocol", "udp");
    LoadProfile {
        peer: Some(if parameters.is_word("peer", "self") { Peer::SameProgram } else { Peer::AnotherProgram }),
        transport: Some(if is_udp { Transport::Udp } else { Transport::Tcp }),
        rate_unit: RateUnit::Bits,
        ..base
    }
}

/// The ways in which streams go, seen from here.
fn ways(parameters: &Parameters) -> &'static [OperationClass] {
    match parameters.text("direction") {
        Ok("both") => &[OperationClass::Send, OperationClass::Receive],
        Ok("receive") => &[OperationClass::Receive],
        Ok("none") => &[],
        _ => &[OperationClass::Send],
    }
}

fn stream(parameters: &Parameters, base: LoadProfile) -> LoadProfile {
    let ways = ways(parameters);
    let flow = |class: &OperationClass| Flow {
        share: 1.0 / ways.len() as f64,
        asked_bytes_per_s: parameters.number("bit-rate").ok().map(|bits| bits / 8.0),
        ..Flow::only(class.clone(), FlowUnit::Bytes)
    };
    LoadProfile { flows: ways.iter().map(flow).collect(), ..network(parameters, base) }
}

fn exchange(parameters: &Parameters, base: LoadProfile) -> LoadProfile {
    let mut profile = one(OperationClass::Exchange, FlowUnit::Operations, network(parameters, base));
    profile.flows[0].sizes = sizes(parameters, "message-size");
    profile
}

/// Messages of one connection, while streams fill the link.
fn exchange_beside_stream(parameters: &Parameters, base: LoadProfile) -> LoadProfile {
    let mut profile = exchange(parameters, base);
    let beside = |class: &OperationClass| Flow { share: 0.0, ..Flow::only(class.clone(), FlowUnit::Bytes) };
    profile.flows.extend(ways(parameters).iter().map(beside));
    if ways(parameters).is_empty() {
        // A link that is to be filled by nothing.
        profile.flows.push(Flow { asked_bytes_per_s: Some(0.0), ..beside(&OperationClass::Send) });
    }
    // One worker asks, the others fill the link.
    profile.concurrency.workers = profile.concurrency.workers.saturating_add(1);
    profile.concurrency.operations = in_flight(parameters);
    profile
}

fn connect(parameters: &Parameters, base: LoadProfile) -> LoadProfile {
    one(OperationClass::Connect, FlowUnit::Operations, network(parameters, base))
}

fn null(_: &Parameters, base: LoadProfile) -> LoadProfile {
    LoadProfile { is_null: true, ..base }
}

/// How many targets are driven at once.
fn targets(parameters: &Parameters) -> u64 {
    parameters.texts("target").map_or(1, |all| all.len().max(1)) as u64
}

fn paths(parameters: &Parameters) -> Vec<String> {
    parameters.texts("target").unwrap_or_default().into_iter().map(str::to_owned).collect()
}

/// What blocks held that were written.
fn content(parameters: &Parameters) -> Option<Content> {
    let name = parameters.text("content").ok()?.to_owned();
    let usual = match name.as_str() {
        "compressible" => Some(0.5),
        "duplicate" => Some(0.3),
        _ => None,
    };
    let share = parameters.number("content-share").ok().or(usual);
    Some(Content { is_random: name == "random", name, share })
}

/// What ended a load.
fn end(parameters: &Parameters) -> LoadEnd {
    let counted = parameters.integer("requests").map(LoadEnd::Operations);
    let counted = counted.or_else(|_| parameters.integer("bytes").map(LoadEnd::Bytes));
    counted.unwrap_or_else(|_| match parameters.text("until") {
        Ok("end") => LoadEnd::Pass,
        Ok("full") => LoadEnd::Full,
        _ => LoadEnd::Time,
    })
}

fn sizes(parameters: &Parameters, name: &str) -> Vec<SizeShare> {
    let part = |(bytes, share): (u64, f64)| SizeShare { bytes, share };
    parameters.mix(name).map_or_else(|_| Vec::new(), |mix| mix.into_iter().map(part).collect())
}

fn at_least_one(parameters: &Parameters, name: &str) -> u64 {
    parameters.integer(name).unwrap_or(1).max(1)
}

/// Operations of each worker at once: its depth, which loads of messages call by
/// another name.
fn in_flight(parameters: &Parameters) -> u64 {
    at_least_one(parameters, "queue-depth").saturating_mul(at_least_one(parameters, "outstanding"))
}

/// Threads for each target, or streams each way.
fn concurrency(parameters: &Parameters) -> Concurrency {
    let workers = match parameters.integer("streams") {
        Ok(streams) => streams.max(1).saturating_mul(ways(parameters).len() as u64),
        Err(_) => at_least_one(parameters, "threads").saturating_mul(targets(parameters)),
    };
    let is_closed = ["rate", "latency-target"].iter().all(|name| parameters.get(name).is_none());
    Concurrency {
        workers,
        operations: workers.saturating_mul(in_flight(parameters)),
        depth: parameters.integer("queue-depth").ok(),
        arrival: if is_closed { Arrival::Closed } else { Arrival::Open },
        rate_per_s: parameters.number("rate").ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workload_that_version_0_1_did_not_have_is_not_guessed() {
        let mut parameters = Parameters::default();
        parameters.set("threads", 3u64);
        let found = profile("http.download", &parameters);
        assert_eq!(found.concurrency.workers, 3);
        assert!(found.flows.is_empty() && found.waits_for.is_empty() && !found.is_null);
    }

    #[test]
    fn every_workload_of_version_0_1_is_there_once() {
        let names: BTreeSet<&str> = TABLE.iter().map(|known| known.name).collect();
        assert_eq!((names.len(), TABLE.len()), (21, 21));
    }
}
