//! One row a value of each series, for spreadsheets and scripts: what each load did over time, and what was sampled of
//! the machines meanwhile. Times are seconds from the start of the trial's window, so that the rows of several trials lie
//! on one another; what is below 0 is warm-up.

use model::Run;
use model::trial::{LoadTrial, Series, Trial};

use super::ExportError;
use super::csv::load_name;

const HEAD: &str = "run,case,label,trial,block,machine,load,target,resource,series,unit,from_s,to_s,value";

/// Whose series it is; all texts, for a row has nothing else.
#[derive(Clone, Copy)]
struct Owner<'a> {
    machine: &'a str,
    /// `main` or `with.N`; empty for what was sampled of a machine.
    load: &'a str,
    /// Empty unless a load has several.
    target: &'a str,
}

pub(super) fn write(run: &Run) -> Result<Vec<u8>, ExportError> {
    let failed = |e: csv::Error| ExportError::of("csv", e);
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(HEAD.split(',')).map_err(failed)?;
    for (index, case) in run.cases.iter().enumerate() {
        let label = case.label.to_string();
        for trial in &case.trials {
            let start =
                [&run.id, &index.to_string(), &label, &trial.order.to_string(), &trial.block.to_string()]
                    .map(String::clone);
            of_trial(&mut out, &start, trial).map_err(failed)?;
        }
    }
    out.into_inner().map_err(|e| ExportError::of("csv", e))
}

/// The rows of one trial: of its loads and their targets, then of the machines.
fn of_trial(out: &mut csv::Writer<Vec<u8>>, start: &[String; 5], trial: &Trial) -> csv::Result<()> {
    let result = &trial.result;
    let window_ns = result.window.map(|window| window.start_ns);
    let mut put = |owner: Owner<'_>, all: &[Series]| -> csv::Result<()> {
        all.iter().try_for_each(|series| of_series(out, (start, owner), series, window_ns))
    };
    for LoadTrial { load, machine, series, targets, .. } in &result.loads {
        let load = load_name(*load);
        put(Owner { machine, load: &load, target: "" }, series)?;
        for target in targets {
            put(Owner { machine, load: &load, target: &target.target }, &target.series)?;
        }
    }
    for machine in &result.machines {
        put(Owner { machine: &machine.machine, load: "", target: "" }, &machine.series)?;
    }
    Ok(())
}

fn of_series(
    out: &mut csv::Writer<Vec<u8>>,
    (start, owner): (&[String; 5], Owner<'_>),
    series: &Series,
    window_ns: Option<u64>,
) -> csv::Result<()> {
    let (resource, name) = (series.resource.to_string(), series.name.to_string());
    // Of a trial without a window, its own start is all there is.
    let zero_ns = window_ns.unwrap_or(series.start_ns);
    let at = |place: usize| {
        let at_ns = i128::from(series.start_ns) + i128::from(series.interval_ns) * place as i128;
        ((at_ns - i128::from(zero_ns)) as f64 / 1e9).to_string()
    };
    for (place, value) in series.values.iter().enumerate() {
        for cell in start {
            out.write_field(cell)?;
        }
        let Owner { machine, load, target } = owner;
        for cell in [machine, load, target, &resource, &name, series.unit.symbol()] {
            out.write_field(cell)?;
        }
        out.write_record([at(place), at(place + 1), value.to_string()])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_of_every_series_is_a_row_with_its_time() {
        let run = crate::tests::long::short();
        let bytes = write(&run).unwrap();
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        let trials = || run.cases.iter().flat_map(|case| &case.trials);
        let values = trials().flat_map(|trial| trial.result.series()).map(|series| series.values.len());
        assert_eq!(rows.len(), values.sum::<usize>());
        assert_eq!(reader.headers().unwrap().len(), rows[0].len());

        let first = trials().next().unwrap();
        let series = first.result.series().next().unwrap();
        let row = &rows[0];
        assert_eq!((&row[5], &row[6], &row[8]), ("local", "main", "load"));
        assert_eq!((&row[9], &row[10]), (series.name.as_str(), series.unit.symbol()));
        let number = |place: usize| row[place].parse::<f64>().unwrap();
        let window = first.result.window.unwrap();
        let from = (series.start_ns as f64 - window.start_ns as f64) / 1e9;
        assert!((number(11) - from).abs() < 1e-9, "{row:?}");
        assert!((number(12) - number(11) - series.interval_ns as f64 / 1e9).abs() < 1e-9, "{row:?}");
        assert_eq!(number(13), series.values[0]);
        let sampled = rows.iter().find(|row| row[6].is_empty()).unwrap();
        assert_eq!(&sampled[5], "local");
    }
}
