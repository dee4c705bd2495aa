//! A trial taken apart for its rows, and put together again: one small JSON
//! document without histograms and series, and one blob for each of those. A
//! list or a comparison of metrics need not touch the blobs.

use std::collections::BTreeMap;
use std::mem::take;

use import::v1::document::TrialV1;
use model::MetricName;
use model::trial::{Series, Trial, TrialResult};

use crate::column::{self, Allowance};

/// What a blob holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The text of a histogram; the header is its name.
    Histogram,
    /// The values of a series; the header is the series without them, as JSON.
    Series,
}

impl Kind {
    /// The word in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Histogram => "histogram",
            Kind::Series => "series",
        }
    }

    /// The kind with this word.
    pub(crate) fn of(name: &str) -> Option<Self> {
        [Kind::Histogram, Kind::Series].into_iter().find(|kind| kind.name() == name)
    }
}

/// One row of the table of blobs.
#[derive(Clone, Debug)]
pub(crate) struct Blob {
    /// Whose it is: its place among all that [`HasBulk::bulk`] gives.
    pub(crate) part: usize,
    pub(crate) kind: Kind,
    /// Its place among its like, from 0.
    pub(crate) place: usize,
    /// What it is called; see [`Kind`].
    pub(crate) header: String,
    /// Its content, compressed.
    pub(crate) data: Vec<u8>,
}

/// A trial taken apart.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    /// The trial without histograms and series, as JSON.
    pub(crate) document: String,
    /// Those.
    pub(crate) blobs: Vec<Blob>,
}

/// The two kinds of bulk: a machine has no histograms.
type Bulk<'a> = (Option<&'a mut BTreeMap<MetricName, String>>, &'a mut Vec<Series>);

/// What has bulk.
trait HasBulk {
    /// All of it, in an order that holds.
    fn bulk(&mut self) -> impl Iterator<Item = Bulk<'_>>;
}

impl HasBulk for TrialResult {
    /// That of each load, each followed by its targets, then that of each machine.
    fn bulk(&mut self) -> impl Iterator<Item = Bulk<'_>> {
        let loads = self.loads.iter_mut().flat_map(|load| {
            let targets = load.targets.iter_mut().map(|t| (Some(&mut t.histograms), &mut t.series));
            std::iter::once((Some(&mut load.histograms), &mut load.series)).chain(targets)
        });
        loads.chain(self.machines.iter_mut().map(|machine| (None, &mut machine.series)))
    }
}

impl HasBulk for TrialV1 {
    fn bulk(&mut self) -> impl Iterator<Item = Bulk<'_>> {
        TrialV1::bulk(self).map(|(histograms, series)| (Some(histograms), series))
    }
}

/// Takes a trial apart. Fails if the document could not be read again. JSON has no infinite number
/// and none that is not a number; better one trial refused than a run that never opens.
pub(crate) fn pack(trial: &Trial) -> Result<Packed, serde_json::Error> {
    let mut rest = trial.clone();
    let mut blobs = Vec::new();
    for (part, (histograms, series)) in rest.result.bulk().enumerate() {
        for (place, (name, text)) in histograms.map(take).unwrap_or_default().into_iter().enumerate() {
            let data = column::pack_text(&text);
            blobs.push(Blob { part, kind: Kind::Histogram, place, header: name.to_string(), data });
        }
        for (place, mut one) in take(series).into_iter().enumerate() {
            let data = column::pack_numbers(&take(&mut one.values));
            let header = serde_json::to_string(&one)?;
            blobs.push(Blob { part, kind: Kind::Series, place, header, data });
        }
    }
    let document = serde_json::to_string(&rest)?;
    serde_json::from_str::<Trial>(&document)?;
    Ok(Packed { document, blobs })
}

/// Puts a trial together; the blobs are in the order of [`pack`]. The error
/// says what is wrong with them.
pub(crate) fn unpack(packed: &Packed, allowance: &Allowance) -> Result<Trial, String> {
    let mut trial: Trial = serde_json::from_str(&packed.document).map_err(|e| e.to_string())?;
    fill(&mut trial.result, packed, allowance)?;
    Ok(trial)
}

/// The same of a trial that was kept as one of `headroom.run/1`.
pub(crate) fn unpack_v1(packed: &Packed, allowance: &Allowance) -> Result<Trial, String> {
    let mut trial: TrialV1 = serde_json::from_str(&packed.document).map_err(|e| e.to_string())?;
    fill(&mut trial, packed, allowance)?;
    Ok(trial.upgrade())
}

/// Puts each blob where it belongs.
fn fill(trial: &mut impl HasBulk, packed: &Packed, allowance: &Allowance) -> Result<(), String> {
    for blob in &packed.blobs {
        let missing = || format!("a {} belongs to part {} that is missing", blob.kind.name(), blob.part);
        let (histograms, series) = trial.bulk().nth(blob.part).ok_or_else(missing)?;
        match blob.kind {
            Kind::Histogram => {
                let text = column::unpack_text(&blob.data, allowance)?;
                let name = MetricName::intern(&blob.header)
                    .ok_or("the name of a histogram is too long, or too many names were read")?;
                histograms.ok_or_else(missing)?.insert(name, text);
            }
            Kind::Series => {
                let mut one: Series = serde_json::from_str(&blob.header).map_err(|e| e.to_string())?;
                one.values = column::unpack_numbers(&blob.data, allowance)?;
                series.push(one);
            }
        }
    }
    Ok(())
}
