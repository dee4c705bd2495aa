//! A trend as a file.

use analysis::trend::{TrendPoint, TrendSeries};

use super::ExportError;
use crate::page::trend::TrendSubject;
use crate::reference::direction;

const HEAD: &str = "\
    machine,workload,case,metric,unit,better,run,started,trials,median,low,high,level,step_ratio,step_p,baseline,noted";

/// One row a run of a work, with what it does not have left empty.
pub(super) fn csv(subject: &TrendSubject<'_>) -> Result<Vec<u8>, ExportError> {
    let failed = |e: csv::Error| ExportError::of("csv", e);
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(HEAD.split(',')).map_err(failed)?;
    for series in &subject.trend.series {
        let levels = series.levels();
        for (place, point) in series.points.iter().enumerate() {
            let level = levels.iter().find(|level| (level.from..level.to).contains(&place));
            let row = cells(subject, series, (place, point), level.map(|level| level.median));
            out.write_record(row).map_err(failed)?;
        }
    }
    out.into_inner().map_err(|e| ExportError::of("csv", e))
}

fn cells(
    subject: &TrendSubject<'_>,
    series: &TrendSeries,
    (place, point): (usize, &TrendPoint),
    level: Option<f64>,
) -> Vec<String> {
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let estimate = &point.estimate;
    let step = series.steps.iter().find(|step| step.place.at == place);
    vec![
        series.hostname.clone(),
        series.workload.to_string(),
        series.case.to_string(),
        series.metric.to_string(),
        series.unit.symbol().to_owned(),
        direction(series.better).to_owned(),
        point.run.clone(),
        point.started.clone(),
        estimate.n.to_string(),
        estimate.median.to_string(),
        number(estimate.low),
        number(estimate.high),
        number(level),
        number(step.and_then(|step| Some(step.ratio?.ratio))),
        number(step.map(|step| step.place.p_value)),
        point.accepted.clone().unwrap_or_default(),
        subject.said.get(&point.run).map(|said| no_formula(said)).unwrap_or_default(),
    ]
}

/// A text of a person's that no spreadsheet takes for a formula: with the apostrophe that marks a text there.
pub(super) fn no_formula(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use language::Language;

    use super::*;

    #[test]
    fn every_run_of_the_csv_has_all_columns() {
        let trend = crate::page::trend::tests::trend();
        let said: BTreeMap<String, String> = [("r1".to_owned(), "rack=3".to_owned())].into_iter().collect();
        let words = Language::English.words();
        let bytes = csv(&TrendSubject { trend: &trend, said: &said, command: &[], words }).unwrap();
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), trend.series.iter().map(|series| series.points.len()).sum::<usize>());
        assert_eq!(reader.headers().unwrap().len(), rows[0].len());
        assert_eq!((&rows[1][6], &rows[1][16], &rows[1][13]), ("r1", "rack=3", ""));
        let steps: Vec<&str> = rows.iter().filter(|row| !row[13].is_empty()).map(|row| &row[6]).collect();
        assert_eq!(steps, ["r10"]);
    }

    #[test]
    fn a_note_is_no_formula() {
        assert_eq!(no_formula("=1+1"), "'=1+1");
        assert_eq!(no_formula("rack=3; =1+1"), "rack=3; =1+1");
    }
}
