//! A fleet as a file.

use analysis::fleet::FleetFigure;
use serde_json::json;

use super::ExportError;
use super::json::ended;
use crate::page::fleet::FleetSubject;
use crate::reference::direction;

/// The name and version of the document.
const SCHEMA: &str = "headroom.fleet/1";

/// All that was found.
pub(super) fn json(subject: &FleetSubject<'_>) -> Result<Vec<u8>, ExportError> {
    let left_out: Vec<_> =
        subject.left_out.iter().map(|(name, reason)| json!({"name": name, "reason": reason})).collect();
    let all = json!({"schema": SCHEMA, "fleet": subject.fleet, "left_out": left_out});
    ended(serde_json::to_vec(&all))
}

const HEAD: &str = "\
    machine,rack,position,run,workload,case,metric,unit,better,value,deviation,unlike,p_adjusted,group";

/// One row a machine of a figure, with what it does not have left empty.
pub(super) fn csv(subject: &FleetSubject<'_>) -> Result<Vec<u8>, ExportError> {
    let failed = |e: csv::Error| ExportError::of("csv", e);
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(HEAD.split(',')).map_err(failed)?;
    for (place, figure) in subject.fleet.figures.iter().enumerate() {
        let own = OwnSplits::of(subject, place);
        for machine in 0..subject.fleet.machines.len() {
            out.write_record(cells(subject, figure, machine, &own)).map_err(failed)?;
        }
    }
    out.into_inner().map_err(|e| ExportError::of("csv", e))
}

/// Of each machine in one figure: whether it is unlike the others, with the p-value, and whether it is of a group.
struct OwnSplits {
    unlike: Vec<Option<f64>>,
    group: Vec<bool>,
}

impl OwnSplits {
    fn of(subject: &FleetSubject<'_>, place: usize) -> Self {
        let count = subject.fleet.machines.len();
        let mut own = Self { unlike: vec![None; count], group: vec![false; count] };
        for split in &subject.fleet.splits {
            let Some(figure) = split.figures.iter().find(|one| one.figure == place) else { continue };
            for machine in &split.machines {
                match figure.p_value {
                    Some(p_value) => own.unlike[*machine] = Some(p_value),
                    None => own.group[*machine] = true,
                }
            }
        }
        own
    }
}

fn cells(subject: &FleetSubject<'_>, figure: &FleetFigure, place: usize, own: &OwnSplits) -> Vec<String> {
    let machine = &subject.fleet.machines[place];
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let text = |text: &Option<String>| text.as_deref().map(super::trend::no_formula).unwrap_or_default();
    vec![
        super::trend::no_formula(&machine.name),
        text(&machine.rack),
        text(&machine.position),
        machine.run.clone(),
        figure.workload.to_string(),
        super::trend::no_formula(&figure.case.to_string()),
        figure.metric.to_string(),
        figure.unit.symbol().to_owned(),
        direction(figure.better).to_owned(),
        number(figure.values.get(place).copied().flatten()),
        number(figure.scores.get(place).copied().flatten()),
        own.unlike[place].is_some().to_string(),
        number(own.unlike[place]),
        own.group[place].to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use language::Language;

    use super::*;

    #[test]
    fn the_csv_has_a_row_a_machine_and_figure_and_the_json_all() {
        let fleet = crate::page::fleet::tests::made(64, 6, 1);
        let words = Language::English.words();
        let left_out = [("broken.json".to_owned(), "it is not JSON".to_owned())];
        let subject = FleetSubject { fleet: &fleet, left_out: &left_out, command: &[], words };
        let bytes = csv(&subject).unwrap();
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        assert_eq!(reader.headers().unwrap().len(), HEAD.split(',').count());
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 64 * 6);
        let unlike: Vec<&str> = rows.iter().filter(|row| &row[11] == "true").map(|row| &row[0]).collect();
        assert!(
            !unlike.is_empty() && unlike.iter().all(|name| ["node1", "node2", "node4"].contains(name)),
            "{unlike:?}"
        );
        let document: serde_json::Value = serde_json::from_slice(&json(&subject).unwrap()).unwrap();
        assert_eq!(document["schema"], SCHEMA);
        assert_eq!(document["fleet"]["machines"].as_array().unwrap().len(), 64);
        assert_eq!(document["left_out"][0]["name"], "broken.json");
    }
}
