//! Parts have counted errors of their own: memory controllers, PCI Express functions, network adapters and SATA drives.
//! Counts begin when the machine is started, those of a drive when it is made; since a moment they are told where the machine
//! was started after it, or where it is known what they were then ([`super::since`]).

use std::collections::BTreeMap;

use model::{Finding, Resource, ResourceKind, Severity};

use super::since::Since;
use super::{Check, CheckContext, clip, condition, seen};
use crate::sampler::{self, Scope};

const CODE: &str = "counted-errors";

/// Counters of the kernel (`sampler::errors`), what each counts, and how grave one is, the gravest first.
const COUNTERS: &[(&str, &str, Severity)] = &[
    ("ue_count", "memory-uncorrected", Severity::Warning),
    ("aer_fatal", "link-fatal", Severity::Warning),
    ("aer_nonfatal", "link-nonfatal", Severity::Warning),
    ("ce_count", "memory-corrected", Severity::Note),
    ("aer_correctable", "link-corrected", Severity::Note),
    ("rx_crc_errors", "frame-checksum", Severity::Note),
    ("rx_frame_errors", "frame-alignment", Severity::Note),
    ("tx_carrier_errors", "carrier", Severity::Note),
];

/// Every interface loses its link when it is set up, and misses packets at some time: these say something of a time only.
const OF_A_TIME: &[(&str, &str, Severity)] =
    &[("carrier_down_count", "link-lost", Severity::Note), ("rx_missed", "packets-missed", Severity::Note)];

/// What drives count of themselves (`super::smart`), and how grave one is.
const OF_DRIVES: &[(&str, Severity)] = &[
    ("pending-sectors", Severity::Warning),
    ("uncorrectable-sectors", Severity::Warning),
    ("reallocated-sectors", Severity::Note),
    ("cable-checksum", Severity::Note),
];

/// The check.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "memory (ECC), PCI Express links (AER), network adapters or SATA drives have counted errors of their own: a warning \
          where they could not be corrected",
    english: r#"
condition-counted-errors =
    { $what ->
        [memory-uncorrected] memory controller { $name } counted { $count ->
                [1] 1 error
               *[other] { $count } errors
            } that ECC could not correct
        [memory-corrected] memory controller { $name } counted { $count ->
                [1] 1 error
               *[other] { $count } errors
            } that ECC corrected
        [link-fatal] the PCI Express link of { $name } had { $count ->
                [1] 1 fatal error
               *[other] { $count } fatal errors
            }
        [link-nonfatal] the PCI Express link of { $name } had { $count ->
                [1] 1 error that was not corrected
               *[other] { $count } errors that were not corrected
            }
        [link-corrected] the PCI Express link of { $name } had { $count ->
                [1] 1 error that was corrected
               *[other] { $count } errors that were corrected
            }
        [frame-checksum] { $name } got { $count ->
                [1] 1 frame
               *[other] { $count } frames
            } with a wrong checksum
        [frame-alignment] { $name } got { $count ->
                [1] 1 frame
               *[other] { $count } frames
            } with a wrong alignment
        [carrier] { $name } lacked the carrier for { $count ->
                [1] 1 frame
               *[other] { $count } frames
            }
        [link-lost] { $name } lost its link { $count ->
                [1] once
               *[other] { $count } times
            }
        [packets-missed] { $name } missed { $count ->
                [1] 1 packet
               *[other] { $count } packets
            } for want of room
        [pending-sectors] { $name } has { $count ->
                [1] 1 sector
               *[other] { $count } sectors
            } that it could not read and has yet to replace
        [uncorrectable-sectors] { $name } has { $count ->
                [1] 1 sector
               *[other] { $count } sectors
            } that it could not correct
        [reallocated-sectors] { $name } has replaced { $count ->
                [1] 1 sector
               *[other] { $count } sectors
            }
       *[cable-checksum] { $name } counted { $count ->
                [1] 1 transfer
               *[other] { $count } transfers
            } with a wrong checksum
    }{ $since ->
        [then] {" "}since that time
        [start] {" "}since the machine was started
       *[life] {""}
    }
    .advice =
        { $what ->
            [memory-uncorrected] replace the module; `journalctl -k` or the firmware's log names its slot
            [memory-corrected] watch whether there are more; errors that return are a reason to replace the module
            [frame-checksum] try another cable, transceiver and port (`ethtool -S { $name }`)
            [frame-alignment] try another cable, transceiver and port (`ethtool -S { $name }`)
            [carrier] try another cable, transceiver and port (`ethtool -S { $name }`)
            [link-lost] try another cable, transceiver and port (`ethtool -S { $name }`)
            [packets-missed] a larger ring takes them in (`ethtool -G { $name }`), or interrupts on more CPUs
            [pending-sectors] save the data of the drive and replace it (`smartctl -x /dev/{ $name }`)
            [uncorrectable-sectors] save the data of the drive and replace it (`smartctl -x /dev/{ $name }`)
            [reallocated-sectors] watch whether there are more (`smartctl -x /dev/{ $name }`)
            [cable-checksum] try another cable and port; the count does not go back (`smartctl -x /dev/{ $name }`)
           *[link] seat the card again, or try another slot or riser; `journalctl -k` says what kind of error it was
        }

evidence-counted-errors = { $count } counted, { $ever } in all
"#,
    look: |context| counted(context).into_iter().chain(of_drives(context)).collect(),
};

/// What the kernel counts of the parts of this machine, by part and by the kernel's name.
pub(super) type ErrorCounts = BTreeMap<(Resource, String), u64>;

/// The counts now, those of nothing too.
pub(super) fn now(context: &CheckContext<'_>) -> ErrorCounts {
    let inventory = context.inventory;
    let network = inventory.network.iter().filter(|n| n.kind == "ethernet").map(|n| n.name.clone());
    let scope = Scope {
        network: network.collect(),
        pci: inventory.pci.iter().map(|device| device.address.clone()).collect(),
        ..Scope::default()
    };
    let counts = sampler::error_counts(context.host, &scope);
    counts.into_iter().map(|(resource, name, count)| ((resource, name.to_owned()), count)).collect()
}

fn counted(context: &CheckContext<'_>) -> Vec<Finding> {
    let counts = now(context);
    let of_a_time = OF_A_TIME.iter().filter(|_| context.since.is_some());
    let mut findings = Vec::new();
    for (name, what, severity) in COUNTERS.iter().chain(of_a_time) {
        for ((resource, _), ever) in counts.iter().filter(|((_, counter), _)| counter == name) {
            let (since, count) =
                match context.since.and_then(|since| grown(since, context, resource, name, *ever)) {
                    Some(grown) => ("then", grown),
                    None => ("start", *ever),
                };
            let is_of_a_time = OF_A_TIME.iter().any(|(_, other, _)| other == what);
            if count > 0 && (since == "then" || !is_of_a_time) {
                findings.push(finding(resource, what, *severity, since, count, *ever));
            }
        }
    }
    findings
}

/// How much a count grew since a moment; absent where nobody knows.
fn grown(
    since: &Since,
    context: &CheckContext<'_>,
    resource: &Resource,
    name: &str,
    ever: u64,
) -> Option<u64> {
    if since.is_before_start(context.host) {
        return Some(ever);
    }
    let before = *since.counts.get(&(resource.clone(), name.to_owned()))?;
    // A driver that was loaded again counts anew.
    Some(ever.checked_sub(before).unwrap_or(ever))
}

fn of_drives(context: &CheckContext<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (what, severity) in OF_DRIVES {
        for (name, smart) in context.drives.all() {
            let Some(count) = smart.errors.get(*what).copied().filter(|count| *count > 0) else { continue };
            let resource = Resource::of(ResourceKind::Block, name);
            findings.push(finding(&resource, what, *severity, "life", count, count));
        }
    }
    findings
}

fn finding(
    resource: &Resource,
    what: &str,
    severity: Severity,
    since: &str,
    count: u64,
    ever: u64,
) -> Finding {
    condition(CODE, severity)
        .on(resource.as_str())
        .arg("what", what)
        .arg("name", clip(resource.name()))
        .arg("since", since)
        .arg("count", count)
        .because(seen(CODE).arg("count", count).arg("ever", ever))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose, diagnose_with, with_drive};
    use model::machine::{Inventory, NetworkInterface, PciDevice};

    fn inventory() -> Inventory {
        let interface = NetworkInterface {
            name: "eth0".to_owned(),
            kind: "ethernet".to_owned(),
            ..NetworkInterface::default()
        };
        let device = PciDevice { address: "0000:01:00.0".to_owned(), ..PciDevice::default() };
        Inventory { network: vec![interface], pci: vec![device], ..Inventory::default() }
    }

    const TREE: &str = "\
==> /sys/devices/system/edac/mc/mc0/ce_count
3
==> /sys/devices/system/edac/mc/mc0/ue_count
1
==> /sys/bus/pci/devices/0000:01:00.0/aer_dev_correctable
RxErr 5
TOTAL_ERR_COR 5
==> /sys/class/net/eth0/statistics/rx_crc_errors
0
==> /sys/class/net/eth0/carrier_down_count
4
";

    #[test]
    fn what_was_counted_since_the_start_is_told_and_a_loss_of_the_link_is_not() {
        let found = diagnose_with(&CHECK, TREE, inventory());
        assert_eq!(
            found.texts(),
            [
                "memory controller mc0 counted 1 error that ECC could not correct since the machine was started",
                "memory controller mc0 counted 3 errors that ECC corrected since the machine was started",
                "the PCI Express link of 0000:01:00.0 had 5 errors that were corrected since the machine was started",
            ]
        );
        let severities: Vec<_> = found.findings.iter().map(|f| f.severity).collect();
        assert_eq!(severities, [Severity::Warning, Severity::Note, Severity::Note]);
    }

    #[test]
    fn every_counter_has_words() {
        for (name, ..) in COUNTERS.iter().filter(|(name, ..)| name.contains("count")) {
            let tree = format!("==> /sys/devices/system/edac/mc/mc0/{name}\n7\n");
            assert_eq!(diagnose(&CHECK, &tree).findings.len(), 1, "{name}");
        }
        for (name, ..) in COUNTERS.iter().filter(|(name, ..)| name.ends_with("_errors")) {
            let tree = format!("==> /sys/class/net/eth0/statistics/{name}\n7\n");
            assert_eq!(diagnose_with(&CHECK, &tree, inventory()).findings.len(), 1, "{name}");
        }
        let line = "==> /sys/bus/pci/devices/0000:01:00.0/aer_dev_";
        let tree = format!("{line}fatal\nTOTAL_ERR_FATAL 1\n{line}nonfatal\nTOTAL_ERR_NONFATAL 2\n");
        assert_eq!(diagnose_with(&CHECK, &tree, inventory()).findings.len(), 2);
    }

    #[test]
    fn a_drive_that_counts_bad_sectors_is_told_and_a_sound_one_is_not() {
        let look = |errors: &str| {
            let tree = format!("==> /probe/smart/sda\n{{\"kind\": \"ata\", \"errors\": {{{errors}}}}}\n");
            diagnose_with(&CHECK, &tree, with_drive("sda", "sata"))
        };
        assert_eq!(look(r#""pending-sectors": 0, "cable-checksum": 0"#), CheckResult::nothing());
        look(r#""pending-sectors": 8"#).one(Severity::Warning, "sda has 8 sectors that it could not read");
        look(r#""uncorrectable-sectors": 2"#)
            .one(Severity::Warning, "sda has 2 sectors that it could not correct");
        look(r#""reallocated-sectors": 9"#).one(Severity::Note, "sda has replaced 9 sectors");
        look(r#""cable-checksum": 9"#).one(Severity::Note, "sda counted 9 transfers with a wrong checksum");
    }

    #[test]
    fn a_machine_that_counts_nothing_has_nothing_to_tell() {
        assert_eq!(diagnose(&CHECK, ""), CheckResult::nothing());
        let none = TREE.replace("\n3\n", "\n0\n").replace("\n1\n", "\n0\n").replace(" 5\n", " 0\n");
        assert_eq!(diagnose_with(&CHECK, &none, inventory()), CheckResult::nothing());
    }
}
