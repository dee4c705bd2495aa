//! What the loads of version 0.1 were. Its documents have names and parameters
//! where later ones have a profile, so the 21 workloads that it had stand here for
//! ever, as they were: nobody is asked what a workload of that name does today.

pub mod document;
pub mod label;
pub mod limit;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use model::profile::{
    Arrival, Aspect, Caches, Concurrency, Content, Durability, Flow, FlowUnit, LoadEnd, LoadProfile,
    OperationClass, Order, Peer, RateUnit, SharedAccess, SizeShare, TargetState, Transport, WaitsFor,
};
use model::{Definitions, MetricName, ParameterName, Parameters, Value, WorkloadName, metric};

/// What version 0.1 called a parameter.
const fn named(name: &'static str) -> ParameterName {
    ParameterName::new(name)
}

/// The parameters and metrics of its workloads. That the file can be read is held by the test
/// `every_workload_of_version_0_1_is_there_once`.
static DEFINITIONS: LazyLock<Definitions> =
    LazyLock::new(|| serde_json::from_str(include_str!("v1/definitions.json")).unwrap_or_default());

/// What its parameters say of a load, whichever it is. The same test reads this file.
static ASPECTS: LazyLock<BTreeMap<ParameterName, Aspect>> =
    LazyLock::new(|| serde_json::from_str(include_str!("v1/aspects.json")).unwrap_or_default());

/// What version 0.1 would have said of these workloads in a run.
#[must_use]
pub fn definitions(names: impl IntoIterator<Item = WorkloadName>) -> Definitions {
    names.into_iter().filter_map(|name| Some((name, DEFINITIONS.workload(name)?.clone()))).collect()
}

/// What a workload of version 0.1 with these parameters was; of a workload that it
/// did not have, only what every load has.
#[must_use]
pub fn profile(workload: WorkloadName, parameters: &Parameters) -> LoadProfile {
    let common = LoadProfile {
        concurrency: concurrency(parameters),
        end: end(parameters),
        window_s: parameters.number(named("duration")).ok(),
        idle_s: parameters.number(named("idle")).ok(),
        cool_down_s: parameters.number(named("cool-down")).ok(),
        aspects: ASPECTS.clone().into_iter().filter(|(name, _)| parameters.get(*name).is_some()).collect(),
        ..LoadProfile::default()
    };
    let Some(known) = TABLE.iter().find(|known| known.name == workload) else { return common };
    let common = LoadProfile {
        headline: known.headline,
        waits_for: known.waits_for.iter().cloned().collect(),
        ..common
    };
    (known.shape)(parameters, common)
}

/// The workload of version 0.1 that is called so.
fn known_name(text: &str) -> Option<WorkloadName> {
    TABLE.iter().map(|known| known.name).find(|name| name.as_str() == text)
}

/// One workload of version 0.1.
struct WorkloadV1 {
    name: WorkloadName,
    headline: MetricName,
    waits_for: &'static [WaitsFor],
    shape: fn(&Parameters, LoadProfile) -> LoadProfile,
}

const fn known(
    name: &'static str,
    headline: MetricName,
    waits_for: &'static [WaitsFor],
    shape: fn(&Parameters, LoadProfile) -> LoadProfile,
) -> WorkloadV1 {
    WorkloadV1 { name: WorkloadName::new(name), headline, waits_for, shape }
}

const TABLE: &[WorkloadV1] = &[
    known("cpu.primes", metric::EVENTS_PER_SECOND, &[WaitsFor::Processor], events),
    known("cpu.float", metric::FLOPS, &[WaitsFor::Processor], events),
    known("cpu.crypto", metric::THROUGHPUT, &[WaitsFor::Processor], blocks_computed),
    known("cpu.compress", metric::THROUGHPUT, &[WaitsFor::Processor], blocks_computed),
    known("cpu.parity", metric::THROUGHPUT, &[WaitsFor::Processor], bytes_computed),
    known("memory.bandwidth", metric::THROUGHPUT, &[WaitsFor::Memory], arrays),
    known("memory.latency", metric::LOAD_LATENCY, &[WaitsFor::Memory], chase),
    known("memory.loaded", metric::LOAD_LATENCY, &[WaitsFor::Memory], chase_and_draw),
    known("memory.blocks", metric::OPERATIONS_PER_SECOND, &[WaitsFor::Memory], blocks_accessed),
    known("scheduler.threads", metric::EVENTS_PER_SECOND, &[WaitsFor::Lock], switches),
    known("scheduler.mutex", MetricName::new("total_time"), &[WaitsFor::Lock], switches),
    known("scheduler.handoff", metric::WAKEUP_P50, &[WaitsFor::Thread], hand_offs),
    known("scheduler.timer", metric::LATENESS_P50, &[WaitsFor::Timer], sleeps),
    known("scheduler.syscall", metric::CALL_TIME, &[WaitsFor::Kernel], calls),
    known("disk", metric::IOPS, &[WaitsFor::Device], disk),
    known("file.metadata", metric::OPERATIONS_PER_SECOND, &[WaitsFor::Device], metadata),
    known("net.stream", metric::THROUGHPUT, &[WaitsFor::Peer], stream),
    known("net.pingpong", metric::LATENCY_P50, &[WaitsFor::Peer], exchange),
    known("net.loaded", metric::LATENCY_P50, &[WaitsFor::Peer], exchange_beside_stream),
    known("net.connect", MetricName::new("connections_per_second"), &[WaitsFor::Peer], connect),
    known("null", metric::OPERATIONS_PER_SECOND, &[], null),
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
    LoadProfile { span_bytes: parameters.integer(named("size")).ok(), ..profile }
}

fn chase(parameters: &Parameters, base: LoadProfile) -> LoadProfile {
    let mut profile = one(OperationClass::Access, FlowUnit::Operations, base);
    profile.flows[0].order = Order::Random;
    LoadProfile { span_bytes: parameters.integer(named("size")).ok(), ..profile }
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
    if parameters.is_word(named("scope"), "global") {
        let writes = parameters.is_word(named("operation"), "write");
        profile.shared = Some(if writes { SharedAccess::Write } else { SharedAccess::Read });
    }
    profile
}

fn switches(_: &Parameters, base: LoadProfile) -> LoadProfile {
    one(OperationClass::Switch, FlowUnit::Operations, base)
}

fn hand_offs(parameters: &Parameters, base: LoadProfile) -> LoadProfile {
    let (from, to) = (parameters.get(named("from")), parameters.get(named("to")));
    let is_same = parameters.is_word(named("to"), "same") || to.is_some() && to == from;
    LoadProfile { one_cpu: is_same, ..switches(parameters, base) }
}

fn sleeps(_: &Parameters, base: LoadProfile) -> LoadProfile {
    one(OperationClass::Sleep, FlowUnit::Operations, base)
}

fn calls(_: &Parameters, base: LoadProfile) -> LoadProfile {
    one(OperationClass::Call, FlowUnit::Operations, base)
}

fn disk(parameters: &Parameters, base: LoadProfile) -> LoadProfile {
    let pattern = parameters.text(named("pattern")).unwrap_or_default();
    let reads = parameters.number(named("read-share")).unwrap_or(0.5).clamp(0.0, 1.0);
    let classes: &[(OperationClass, f64)] = match pattern {
        "read" | "randread" => &[(OperationClass::Read, 1.0)],
        "write" | "randwrite" => &[(OperationClass::Write, 1.0)],
        "trim" | "randtrim" => &[(OperationClass::Trim, 1.0)],
        "readwrite" | "randrw" => &[(OperationClass::Read, reads), (OperationClass::Write, 1.0 - reads)],
        _ => &[],
    };
    let order = if pattern.starts_with("rand") { Order::Random } else { Order::Sequential };
    let flow = |(class, share): &(OperationClass, f64)| Flow {
        class: *class,
        unit: FlowUnit::Bytes,
        share: *share,
        order: order.clone(),
        sizes: sizes(parameters, "block-size"),
        asked_bytes_per_s: None,
    };
    let is_mapped = parameters.is_word(named("engine"), "mmap");
    let is_buffered = parameters.get(named("direct")) == Some(&Value::Bool(false));
    let is_null = parameters.is_word(named("engine"), "null");
    let mut waits_for = base.waits_for.clone();
    if parameters.text(named("sync")).is_ok_and(|sync| sync != "none") {
        waits_for.insert(WaitsFor::Flush);
    }
    LoadProfile {
        flows: classes.iter().map(flow).collect(),
        targets: targets(parameters),
        paths: paths(parameters),
        content: content(parameters),
        durability: match parameters.text(named("sync")) {
            Ok("dsync") => Durability::EachWrite,
            Ok("fsync") => Durability::Syncs,
            Ok("end") => Durability::End,
            _ => Durability::None,
        },
        interface: parameters.text(named("engine")).ok().map(str::to_owned),
        span_bytes: parameters.integer(named("span")).or_else(|_| parameters.integer(named("size"))).ok(),
        target_state: match parameters.text(named("precondition")) {
            Ok("full") => TargetState::Steady,
            Ok("fill") => TargetState::Filled,
            _ if parameters.get(named("purge")) == Some(&Value::Bool(true)) => TargetState::Discarded,
            _ => TargetState::AsFound,
        },
        caches: if is_mapped || is_buffered { Caches::PageCache } else { Caches::None },
        waits_for: if is_null { BTreeSet::new() } else { waits_for },
        calibration: Some(calibration(parameters)),
        is_null,
        ..base
    }
}

/// What the calibration of the same load without a disk was called.
fn calibration(parameters: &Parameters) -> String {
    let shape = ["pattern", "block-size", "queue-depth", "submit-batch"].into_iter();
    let shape = shape.filter_map(|name| Some(format!("{name}={}", parameters.get(named(name))?)));
    format!("disk.null {}", shape.collect::<Vec<_>>().join(" "))
}

fn metadata(parameters: &Parameters, base: LoadProfile) -> LoadProfile {
    let mut profile = one(OperationClass::Metadata, FlowUnit::Operations, base);
    if parameters.flag(named("directory-fsync")) == Ok(true) {
        profile.waits_for.insert(WaitsFor::Flush);
    }
    let phases = ["create", "stat", "open", "rename", "list", "unlink"];
    LoadProfile {
        phases: phases.map(str::to_owned).to_vec(),
        targets: targets(parameters),
        paths: paths(parameters),
        caches: Caches::PageCache,
        ..profile
    }
}

/// What all loads with another end have.
fn network(parameters: &Parameters, base: LoadProfile) -> LoadProfile {
    let is_udp = parameters.is_word(named("protocol"), "udp");
    LoadProfile {
        peer: Some(if parameters.is_word(named("peer"), "self") {
            Peer::SameProgram
        } else {
            Peer::AnotherProgram
        }),
        transport: Some(if is_udp { Transport::Udp } else { Transport::Tcp }),
        rate_unit: RateUnit::Bits,
        ..base
    }
}

/// The ways in which streams go, seen from here.
fn ways(parameters: &Parameters) -> &'static [OperationClass] {
    match parameters.text(named("direction")) {
        Ok("both") => &[OperationClass::Send, OperationClass::Receive],
        Ok("receive") => &[OperationClass::Receive],
        Ok("none") => &[],
        _ => &[OperationClass::Send],
    }
}

fn stream(parameters: &Parameters, base: LoadProfile) -> LoadProfile {
    let ways = ways(parameters);
    let flow = |class: OperationClass| Flow {
        share: 1.0 / ways.len() as f64,
        asked_bytes_per_s: parameters.number(named("bit-rate")).ok().map(|bits| bits / 8.0),
        ..Flow::only(class, FlowUnit::Bytes)
    };
    LoadProfile { flows: ways.iter().copied().map(flow).collect(), ..network(parameters, base) }
}

fn exchange(parameters: &Parameters, base: LoadProfile) -> LoadProfile {
    let mut profile = one(OperationClass::Exchange, FlowUnit::Operations, network(parameters, base));
    profile.flows[0].sizes = sizes(parameters, "message-size");
    profile
}

/// Messages of one connection, while streams fill the link.
fn exchange_beside_stream(parameters: &Parameters, base: LoadProfile) -> LoadProfile {
    let mut profile = exchange(parameters, base);
    let beside = |class: OperationClass| Flow { share: 0.0, ..Flow::only(class, FlowUnit::Bytes) };
    profile.flows.extend(ways(parameters).iter().copied().map(beside));
    if ways(parameters).is_empty() {
        // A link that is to be filled by nothing.
        profile.flows.push(Flow { asked_bytes_per_s: Some(0.0), ..beside(OperationClass::Send) });
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

fn targets(parameters: &Parameters) -> u64 {
    parameters.texts(named("target")).map_or(1, |all| all.len().max(1)) as u64
}

fn paths(parameters: &Parameters) -> Vec<String> {
    parameters.texts(named("target")).unwrap_or_default().into_iter().map(str::to_owned).collect()
}

/// What blocks held that were written.
fn content(parameters: &Parameters) -> Option<Content> {
    let name = parameters.text(named("content")).ok()?.to_owned();
    let usual = match name.as_str() {
        "compressible" => Some(0.5),
        "duplicate" => Some(0.3),
        _ => None,
    };
    let share = parameters.number(named("content-share")).ok().or(usual);
    Some(Content { is_random: name == "random", name, share })
}

fn end(parameters: &Parameters) -> LoadEnd {
    let counted = parameters.integer(named("requests")).map(LoadEnd::Operations);
    let counted = counted.or_else(|_| parameters.integer(named("bytes")).map(LoadEnd::Bytes));
    counted.unwrap_or_else(|_| match parameters.text(named("until")) {
        Ok("end") => LoadEnd::Pass,
        Ok("full") => LoadEnd::Full,
        _ => LoadEnd::Time,
    })
}

fn sizes(parameters: &Parameters, name: &'static str) -> Vec<SizeShare> {
    let part = |(bytes, share): (u64, f64)| SizeShare { bytes, share };
    parameters.mix(named(name)).map_or_else(|_| Vec::new(), |mix| mix.into_iter().map(part).collect())
}

fn at_least_one(parameters: &Parameters, name: &'static str) -> u64 {
    parameters.integer(named(name)).unwrap_or(1).max(1)
}

/// Operations of each worker at once: its depth, which loads of messages call by
/// another name.
fn in_flight(parameters: &Parameters) -> u64 {
    at_least_one(parameters, "queue-depth").saturating_mul(at_least_one(parameters, "outstanding"))
}

/// Threads for each target, or streams each way.
fn concurrency(parameters: &Parameters) -> Concurrency {
    let workers = match parameters.integer(named("streams")) {
        Ok(streams) => streams.max(1).saturating_mul(ways(parameters).len() as u64),
        Err(_) => at_least_one(parameters, "threads").saturating_mul(targets(parameters)),
    };
    let is_closed = ["rate", "latency-target"].into_iter().all(|name| parameters.get(named(name)).is_none());
    Concurrency {
        workers,
        operations: workers.saturating_mul(in_flight(parameters)),
        depth: parameters.integer(named("queue-depth")).ok(),
        arrival: if is_closed { Arrival::Closed } else { Arrival::Open },
        rate_per_s: parameters.number(named("rate")).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workload_that_version_0_1_did_not_have_is_not_guessed() {
        let mut parameters = Parameters::default();
        parameters.set(named("threads"), 3u64);
        let found = profile(WorkloadName::new("http.download"), &parameters);
        assert_eq!(found.concurrency.workers, 3);
        assert!(found.flows.is_empty() && found.waits_for.is_empty() && !found.is_null);
    }

    #[test]
    fn every_workload_of_version_0_1_is_there_once() {
        let names: BTreeSet<WorkloadName> = TABLE.iter().map(|known| known.name).collect();
        assert_eq!((names.len(), TABLE.len()), (21, 21));
        assert!(names.iter().all(|name| DEFINITIONS.workload(*name).is_some()));
        assert_eq!(ASPECTS.len(), 31);
        assert!(ASPECTS.values().all(|aspect| !matches!(aspect, Aspect::Other(_))));
    }
}
