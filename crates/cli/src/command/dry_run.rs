//! `headroom run --dry-run`: the plan, and what its trials take of the life of a drive.

use std::process::ExitCode;

use ::agent::{Agent, CallContext};
use clap::{Arg, ArgMatches};
use machine::limit::datasheet;
use model::machine::{BlockDevice, BlockKind};
use model::parameter::Kind;
use model::{Value, scalar};
use report::format;
use report::text::printable;
use study::plan::FeasiblePlan;
use study::plan::written::{self, PlannedWrites};

use super::option;
use crate::exit::Failure;
use crate::output;

/// The option that says how much may be written to the drive.
const ENDURANCE: &str = "endurance";

/// What a load without a rate is taken to write, B/s: it is said with the figure.
const TAKEN_RATE: f64 = 1e9;

pub(super) fn argument() -> Arg {
    option(ENDURANCE, "SIZE").value_parser(bytes).requires("dry-run").help(
        "With --dry-run: how much may be written to the drive in its life (TBW), such as 300TB, to say what share of it \
         all trials use; without it, the datasheet counts if Headroom has it",
    )
}

fn bytes(text: &str) -> Result<u64, String> {
    match scalar::parse(Kind::Size, text) {
        Ok(Value::Integer(bytes)) if bytes > 0 => Ok(bytes),
        _ => Err("this is no size, such as 300TB".to_owned()),
    }
}

/// Prints a plan; the machine is looked at once more where it writes to disks.
pub(super) fn show(
    matches: &ArgMatches,
    planned: &FeasiblePlan,
    (agent, watch): (&mut dyn Agent, &mut CallContext<'_>),
) -> Result<ExitCode, Failure> {
    if matches.contains_id("json") {
        return output::done(serde_json::to_string_pretty(&planned.plan).unwrap_or_default() + "\n");
    }
    let mut text = report::plan::text(&planned.plan, &planned.left_out);
    if !written::writes(&planned.plan, |_| true).is_empty() {
        let disks = agent.describe(watch).map(|machine| machine.inventory.block).unwrap_or_default();
        let is_disk = |name: &str| disk(&disks, name).is_some();
        let asked = matches.get_one::<u64>(ENDURANCE).copied();
        for (name, writes) in written::writes(&planned.plan, is_disk) {
            text.extend(disk(&disks, &name).and_then(|device| share_of_life(device, writes, asked)));
        }
    }
    output::done(text)
}

fn disk<'a>(disks: &'a [BlockDevice], name: &str) -> Option<&'a BlockDevice> {
    disks.iter().find(|device| device.name == name && device.kind == BlockKind::Disk)
}

/// The sentence about one drive; none where nobody says how much may be written to it.
fn share_of_life(device: &BlockDevice, writes: PlannedWrites, asked: Option<u64>) -> Option<String> {
    let sheet = || {
        let sheet = datasheet::of(device)?;
        Some((sheet.endurance_bytes?, format!("the data sheet of {}", sheet.title)))
    };
    let (life, source) = asked.map(|bytes| (bytes, "--endurance".to_owned())).or_else(sheet)?;
    let PlannedWrites { known_bytes, open_s } = writes;
    let open_bytes = open_s * TAKEN_RATE;
    let open = if open_s > 0.0 {
        format!(
            ", and what loads without a rate write in {}, {} at 1 GB/s",
            format::span(open_s),
            format::rough_decimal(open_bytes as u64)
        )
    } else {
        String::new()
    };
    Some(format!(
        "Written to {} in all trials: up to {}{open}; {} of the {} that it may take in its life (by {source}).\n",
        printable(&device.name),
        format::rough_decimal(known_bytes as u64),
        share((known_bytes + open_bytes) / life as f64),
        format::rough_decimal(life),
    ))
}

/// A share of a life, which mostly is a small one.
fn share(share: f64) -> String {
    if share < 0.0005 { "less than 0.1 %".to_owned() } else { format::percent(share) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_is_told_what_it_takes_of_its_life() {
        let device = BlockDevice { name: "sda".to_owned(), ..BlockDevice::default() };
        let writes = PlannedWrites { known_bytes: 2e12, open_s: 1000.0 };
        assert_eq!(share_of_life(&device, writes, None), None, "nobody knows the drive");
        let told = share_of_life(&device, writes, Some(300_000_000_000_000)).unwrap();
        assert!(
            told.starts_with("Written to sda in all trials: up to 2 TB, and what loads without a rate"),
            "{told}"
        );
        assert!(told.contains("1 TB at 1 GB/s; 1 % of the 300 TB"), "{told}");
        let little = share_of_life(&device, PlannedWrites { known_bytes: 1e6, open_s: 0.0 }, Some(1 << 50));
        assert!(little.unwrap().contains("up to 1 MB; less than 0.1 % of"));
    }

    #[test]
    fn a_drive_of_a_data_sheet_needs_no_option() {
        let model = Some("Samsung SSD 860 PRO 256GB".to_owned());
        let device =
            BlockDevice { name: "sdb".to_owned(), bytes: 256_060_514_304, model, ..BlockDevice::default() };
        let told = share_of_life(&device, PlannedWrites { known_bytes: 3e12, open_s: 0.0 }, None).unwrap();
        assert!(told.contains("1 % of the 300 TB") && told.contains("data sheet of Samsung"), "{told}");
    }

    #[test]
    fn an_endurance_is_an_amount_of_data() {
        assert_eq!(bytes("300TB"), Ok(300_000_000_000_000));
        assert!(bytes("much").is_err() && bytes("0").is_err());
    }
}
