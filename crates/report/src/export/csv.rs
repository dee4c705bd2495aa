//! One row an estimate, for spreadsheets and scripts.

use std::collections::BTreeMap;

use model::run::Estimate;
use model::{MetricName, Parameters, Run};

use super::ExportError;
use crate::reference::direction;

const HEAD: &str =
    "run,case,label,load,workload,parameters,metric,unit,better,n,median,low,high,confidence,method";

pub(super) fn write(run: &Run) -> Result<Vec<u8>, ExportError> {
    let failed = |e: csv::Error| ExportError::of("csv", e);
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(HEAD.split(',')).map_err(failed)?;
    for (index, case) in run.cases.iter().enumerate() {
        let label = case.label.to_string();
        for (place, load) in case.loads.iter().enumerate() {
            let start = [
                run.id.clone(),
                index.to_string(),
                label.clone(),
                load_name(place),
                load.workload.to_string(),
                joined(&load.parameters),
            ];
            for row in rows(&load.estimates) {
                out.write_record(start.iter().chain(&row)).map_err(failed)?;
            }
        }
    }
    out.into_inner().map_err(|e| ExportError::of("csv", e))
}

/// What a load of a case is called: `main`, or `with.N` if it runs beside that.
pub(super) fn load_name(place: usize) -> String {
    place.checked_sub(1).map_or_else(|| "main".to_owned(), |beside| format!("with.{beside}"))
}

fn joined(parameters: &Parameters) -> String {
    parameters.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

fn rows(estimates: &BTreeMap<MetricName, Estimate>) -> impl Iterator<Item = [String; 9]> + '_ {
    let optional = |v: Option<f64>| v.map(|v| v.to_string()).unwrap_or_default();
    estimates.iter().map(move |(metric, e)| {
        [
            metric.to_string(),
            e.unit.symbol().to_owned(),
            direction(e.better).to_owned(),
            e.n.to_string(),
            e.median.to_string(),
            optional(e.low),
            optional(e.high),
            optional(e.confidence),
            e.method.clone().unwrap_or_default(),
        ]
    })
}
