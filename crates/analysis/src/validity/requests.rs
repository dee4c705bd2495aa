//! Requests that the kernel counted at a device for each operation of the load:
//! it splits what a device does not take at once, and joins neighbours.

use model::finding::Place;
use model::profile::OperationClass;
use model::resource::PathStep;
use model::run::CaseResult;
use model::{Machine, Resource, Trial};

use super::counted::{self, Counts, rate, syncs};
use crate::measure;

pub(super) const ENGLISH: &str = r#"
evidence-requests =
    { SHORT($operations, unit: "1/s") } operations, { SHORT($requests, unit: "1/s") } requests
"#;

/// Requests that the journal of a file system makes for one sync, at most.
const JOURNAL_REQUESTS: f64 = 4.0;
/// So few operations, and a few of others' requests decide.
const FEW: f64 = 200.0;
/// Further apart than this and others' requests are among them.
const OTHERS: f64 = 0.10;
/// A page, the smallest piece of memory that a buffer may lie in.
const PAGE: f64 = 4096.0;

/// Requests of one kind at the devices that the targets lie on.
pub(super) struct Requests {
    pub(super) resource: Resource,
    /// Operations of the load, per second.
    pub(super) operations: f64,
    /// Requests that the kernel counted, per second; without those that a
    /// journal may have made.
    pub(super) requests: f64,
    /// Requests that were joined with another, per second.
    pub(super) merged: f64,
    /// Bytes of a request in the mean.
    pub(super) bytes: f64,
    pub(super) place: Place,
}

impl Requests {
    /// Of each kind that the load does, where the bytes agree and no other load
    /// adds its own. Discards have limits of their own.
    pub(super) fn of(case: &CaseResult) -> Vec<Self> {
        if case.loads.beside.iter().any(|c| !c.profile.paths.is_empty()) {
            return Vec::new();
        }
        let steps = measure::devices(case);
        let of_data = Counts::of(case).into_iter().filter(|c| c.kind != OperationClass::Trim);
        of_data.filter_map(|counts| Self::at(case, &steps, &counts)).collect()
    }

    fn at(case: &CaseResult, steps: &[&PathStep], counts: &Counts) -> Option<Self> {
        let (done, joined) = match counts.kind {
            OperationClass::Read => ("reads", "reads_merged"),
            OperationClass::Write => ("writes", "writes_merged"),
            _ => return None,
        };
        let share = measure::share(case, counts.kind);
        let of = |t: &Trial| {
            let operations = measure::operations_in(t)? * share;
            let (requests, merged) = (rate(t, steps, done)?, rate(t, steps, joined)?);
            let device = rate(t, steps, counted::sectors(counts.kind))?;
            let off = (device / counted::moved(case, t, counts.kind)? - 1.0).abs();
            let few = operations * t.result.window?.seconds() < FEW || off > OTHERS || requests <= 0.0;
            (!few).then_some((requests / operations, (operations, requests, merged, device / requests)))
        };
        let (operations, counted, merged, bytes) = measure::middle(case, of)?;
        let journal = if counts.kind == OperationClass::Write { syncs(case) * JOURNAL_REQUESTS } else { 0.0 };
        let requests = (counted - journal).max(counted.min(operations));
        let place = measure::place(case, &steps.first()?.resource, done)?;
        let resource = counts.resource.clone();
        Some(Self { resource, operations, requests, merged, bytes, place })
    }

    /// Requests for each operation.
    pub(super) fn each(&self) -> f64 {
        self.requests / self.operations
    }
}

/// Into how many requests an operation falls, in the mean over its sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Expected {
    /// By the most bytes of a request.
    pub(super) by_size: f64,
    /// The same, where every page of the buffer is a piece of its own.
    pub(super) by_pieces: f64,
    /// The most bytes of a request.
    pub(super) bytes: Option<u64>,
    /// The most pieces.
    pub(super) pieces: Option<u32>,
}

/// What the devices take at once, by the inventory.
pub(super) fn expected(case: &CaseResult, machine: Option<&Machine>) -> Option<Expected> {
    let profile = measure::profile(case);
    let sizes = &profile.flows.first().filter(|flow| !flow.sizes.is_empty())?.sizes;
    let devices = measure::wholes(case, machine);
    let bytes = devices.iter().filter_map(|d| d.request_bytes).filter(|b| *b > 0).min();
    let pieces = devices.iter().filter_map(|d| d.request_segments).min();
    let falls = |most: Option<f64>| {
        let one = |size: u64| most.map_or(1.0, |most| (size as f64 / most).ceil().max(1.0));
        sizes.iter().map(|size| one(size.bytes) * size.share).sum()
    };
    Some(Expected {
        by_size: falls(bytes.map(|b| b as f64)),
        by_pieces: falls(pieces.map(|n| f64::from(n) * PAGE)),
        bytes,
        pieces,
    })
}

/// A count of requests as evidence.
pub(super) fn evidence(requests: &Requests) -> model::finding::Evidence {
    model::finding::Evidence::at("requests", requests.place.clone())
        .arg("operations", requests.operations)
        .arg("requests", requests.requests)
}
