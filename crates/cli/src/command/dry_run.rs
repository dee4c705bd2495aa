//! `headroom run --dry-run`: the plan, or what of a kept run is missing, and what its trials take of the life of a drive.

use std::process::ExitCode;

use ::agent::{Agent, CallContext};
use clap::{Arg, ArgMatches};
use model::machine::{BlockDevice, BlockKind};
use model::plan::Case;
use model::workload::Catalogue;
use model::{Run, Study};
use report::format;
use report::reference::paragraph;
use report::text::printable;
use report::wear::{self, DriveLife};
use study::plan::FeasiblePlan;
use study::plan::written::{PlannedWrites, most_trials, writes};
use study::read::endurance::{self, ENDURANCE};
use study::run::{Invocation, Remainder, remainder};

use super::option;
use crate::exit::Failure;
use crate::output;

/// What a load without a rate is taken to write, B/s: it is said with the figure.
const TAKEN_RATE: f64 = 1e9;

pub(super) fn argument() -> Arg {
    option(ENDURANCE, "SIZE").value_parser(endurance::parse).help(
        "How much may be written to the drive in its life (TBW), such as 300TB, to say what share of it all trials use; \
         without it, the datasheet counts if Headroom has it",
    )
}

/// What was typed counts in place of what the study says.
pub(super) fn take_endurance(matches: &ArgMatches, study: &mut Study) {
    study.endurance_bytes = matches.get_one::<u64>(ENDURANCE).copied().or(study.endurance_bytes);
}

/// What would be done.
pub(super) struct Intention<'a> {
    /// The plan of the whole study.
    pub(super) planned: &'a FeasiblePlan,
    /// The kept run that would be gone on with.
    pub(super) kept: Option<&'a Run>,
    /// How many bytes may be written to the drive in its life, where somebody says it.
    pub(super) endurance: Option<u64>,
}

/// Prints what would be done; the machine is looked at once more where it writes to disks.
pub(super) fn show(
    matches: &ArgMatches,
    intention: &Intention<'_>,
    of_run: (&Invocation, &Catalogue),
    (agent, watch): (&mut dyn Agent, &mut CallContext<'_>),
) -> Result<ExitCode, Failure> {
    let Intention { planned, kept, endurance } = intention;
    let rest = match kept {
        Some(kept) => Some(remainder(kept, planned, agent, watch, of_run)?),
        None => None,
    };
    if matches.contains_id("json") {
        let json = match &rest {
            None => serde_json::to_string_pretty(&planned.plan),
            Some(rest) => serde_json::to_string_pretty(&json_of_rest(rest)),
        };
        return output::done(json.unwrap_or_default() + "\n");
    }
    let mut text = match &rest {
        None => report::plan::text(&planned.plan, &planned.left_out),
        Some(rest) => {
            report::plan::rest(&rest.plan, &planned.left_out, (&rest.run, rest.kept), &rest.missing)
        }
    };
    let plan = rest.as_ref().map_or(&planned.plan, |rest| &rest.plan);
    let trials = |case: &Case| match rest.as_ref().and_then(|rest| rest.missing.get(&case.index)) {
        Some((_, most)) => *most,
        None => most_trials(plan, case),
    };
    if !writes(plan, trials, |_| true).is_empty() {
        let disks = agent.describe(watch).map(|machine| machine.inventory.block).unwrap_or_default();
        for (name, writes) in writes(plan, trials, |name| disk(&disks, name).is_some()) {
            text.extend(disk(&disks, &name).map(|device| written_to(device, writes, *endurance)));
        }
    }
    output::done(text)
}

/// The plan of what is missing, with the name of the run and the trials that each case lacks, the fewest and the most.
fn json_of_rest(rest: &Remainder) -> serde_json::Value {
    let mut json = serde_json::to_value(&rest.plan).unwrap_or_default();
    json["resumes"] = rest.run.as_str().into();
    for case in json["cases"].as_array_mut().into_iter().flatten() {
        let index = case["index"].as_u64().and_then(|index| usize::try_from(index).ok());
        if let Some((least, most)) = index.and_then(|index| rest.missing.get(&index)) {
            case["missing"] = serde_json::json!([least, most]);
        }
    }
    json
}

fn disk<'a>(disks: &'a [BlockDevice], name: &str) -> Option<&'a BlockDevice> {
    disks.iter().find(|device| device.name == name && device.kind == BlockKind::Disk)
}

/// What is written to one drive, in a paragraph, with the share of its life where somebody says how much may be
/// written to it.
fn written_to(device: &BlockDevice, writes: PlannedWrites, asked: Option<u64>) -> String {
    let PlannedWrites { known_bytes, open_s } = writes;
    let open_bytes = open_s * TAKEN_RATE;
    let mut text = format!(
        "Written to {} in all trials: up to {}",
        printable(&device.name),
        format::rough_decimal(known_bytes as u64)
    );
    if open_s > 0.0 {
        let open = format::rough_decimal(open_bytes as u64);
        text.push_str(&format!(
            ", and what loads without a rate write in {}, {open} at 1 GB/s",
            format::span(open_s)
        ));
    }
    match DriveLife::of(device, asked) {
        Some(life) => {
            let share = wear::percent(life.share(known_bytes + open_bytes));
            text.push_str(&format!(
                "; {} of the {} that it may take in its life (by {}).",
                share.as_deref().unwrap_or("less than 0.1 %"),
                format::rough_decimal(life.bytes),
                life.sheet
                    .map_or_else(|| "--endurance".to_owned(), |title| format!("the data sheet of {title}")),
            ));
        }
        // Writing wears out no platters.
        None if device.rotational == Some(true) => text.push('.'),
        None => text.push_str(". What share of its life that is, --endurance 300TB says (its maker's TBW)."),
    }
    paragraph(&text, output::terminal()) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(device: &BlockDevice, known_bytes: f64, open_s: f64, asked: Option<u64>) -> String {
        written_to(device, PlannedWrites { known_bytes, open_s }, asked)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn a_drive_is_told_what_it_takes_of_its_life() {
        let device = BlockDevice { name: "sda".to_owned(), ..BlockDevice::default() };
        let unknown = told(&device, 2e12, 1000.0, None);
        assert!(
            unknown.starts_with("Written to sda in all trials: up to 2 TB")
                && unknown.contains("--endurance 300TB says"),
            "{unknown}"
        );
        let asked = told(&device, 2e12, 1000.0, Some(300_000_000_000_000));
        assert!(asked.contains("up to 2 TB, and what loads without a rate write in"), "{asked}");
        assert!(asked.contains("1 TB at 1 GB/s; 1 % of the 300 TB"), "{asked}");
        assert!(told(&device, 1e6, 0.0, Some(1 << 50)).contains("up to 1 MB; less than 0.1 % of"));
        let platters = BlockDevice { rotational: Some(true), ..device };
        assert_eq!(told(&platters, 1e6, 0.0, None), "Written to sda in all trials: up to 1 MB.");
    }

    #[test]
    fn a_drive_of_a_data_sheet_needs_no_option() {
        let model = Some("Samsung SSD 860 PRO 256GB".to_owned());
        let device =
            BlockDevice { name: "sdb".to_owned(), bytes: 256_060_514_304, model, ..BlockDevice::default() };
        let told = told(&device, 3e12, 0.0, None);
        assert!(told.contains("1 % of the 300 TB") && told.contains("data sheet of Samsung"), "{told}");
    }
}
