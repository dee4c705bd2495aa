//! A comparison as a file.

use model::Comparison;
use model::comparison::Row;
use model::run::Estimate;

use super::ExportError;
use super::json::ended;
use crate::reference::direction;

/// The whole document.
///
/// # Errors
/// If a number cannot be written as JSON.
pub fn json(comparison: &Comparison) -> Result<Vec<u8>, ExportError> {
    ended(serde_json::to_vec_pretty(comparison))
}

const HEAD: &str = "\
    baseline,new,case,workload,metric,unit,better,headline,judged,baseline_median,new_median,\
    ratio,ratio_low,ratio_high,confidence,method,paired,baseline_trials,new_trials,p_value,p_adjusted,\
    verdict,reason";

/// One row a metric of a case, with what it does not have left empty.
pub(super) fn csv(comparison: &Comparison) -> Result<Vec<u8>, ExportError> {
    let failed = |e: csv::Error| ExportError::of("csv", e);
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(HEAD.split(',')).map_err(failed)?;
    for row in &comparison.rows {
        out.write_record(cells(row, comparison)).map_err(failed)?;
    }
    out.into_inner().map_err(|e| ExportError::of("csv", e))
}

fn cells(row: &Row, comparison: &Comparison) -> Vec<String> {
    let side = |place: usize| comparison.sides.get(place).map(|s| s.name.clone()).unwrap_or_default();
    let median = |e: &Option<Estimate>| e.as_ref().map(|e| e.median.to_string()).unwrap_or_default();
    let ratio = row.ratio.as_ref();
    let number = |pick: fn(&model::comparison::Ratio) -> String| ratio.map(pick).unwrap_or_default();
    vec![
        side(row.baseline_side),
        side(row.side),
        row.case.clone(),
        row.workload.to_string(),
        row.metric.to_string(),
        row.unit.symbol().to_owned(),
        direction(row.better).to_owned(),
        row.headline.to_string(),
        row.judged.to_string(),
        median(&row.baseline),
        median(&row.new),
        number(|r| r.point.to_string()),
        number(|r| r.low.to_string()),
        number(|r| r.high.to_string()),
        ratio.map(|_| comparison.confidence.to_string()).unwrap_or_default(),
        number(|r| r.method.clone()),
        number(|r| (r.pairing == model::comparison::Pairing::Paired).to_string()),
        number(|r| r.baseline_trials.to_string()),
        number(|r| r.trials.to_string()),
        number(|r| r.p_value.to_string()),
        number(|r| r.p_adjusted.map(|p| p.to_string()).unwrap_or_default()),
        row.verdict.map(|v| v.words().replace(' ', "-")).unwrap_or_default(),
        row.reason.as_ref().map(|r| r.code.clone()).unwrap_or_default(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_csv_has_all_columns() {
        let comparison = crate::page::comparison::tests::comparison();
        let bytes = csv(&comparison).unwrap();
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), comparison.rows.len());
        assert_eq!(reader.headers().unwrap().len(), rows[0].len());
        let verdicts: Vec<&str> = rows.iter().map(|r| &r[21]).collect();
        assert_eq!(verdicts, ["better", "cannot-tell", "", "same", "cannot-tell"]);
    }

    #[test]
    fn the_json_reads_back() {
        let comparison = crate::page::comparison::tests::comparison();
        let back: Comparison = serde_json::from_slice(&json(&comparison).unwrap()).unwrap();
        assert_eq!(back, comparison);
    }
}
