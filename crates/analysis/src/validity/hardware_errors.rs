//! Parts that counted errors of their own while a load ran: memory controllers, PCI Express links, network adapters. The
//! trials that failed count too, since an error may be why.

use model::finding::Evidence;
use model::run::CaseResult;
use model::trial::{Counter, LOCAL};
use model::{Finding, FindingKind, Resource, ResourceKind, Severity};

use crate::{Context, Rule, RuleCheck, measure};

/// Names of the kernel's counters, and what each counts, the gravest first: EDAC, AER, and
/// `Documentation/ABI/testing/sysfs-class-net-statistics`.
const COUNTERS: &[(&str, &str)] = &[
    ("ue_count", "memory-uncorrected"),
    ("aer_fatal", "link-fatal"),
    ("aer_nonfatal", "link-nonfatal"),
    ("ce_count", "memory-corrected"),
    ("aer_correctable", "link-corrected"),
    ("rx_crc_errors", "frame-checksum"),
    ("rx_frame_errors", "frame-alignment"),
    ("tx_carrier_errors", "carrier"),
    ("carrier_down_count", "link-lost"),
];

pub(crate) const RULE: Rule = Rule {
    code: "hardware-errors",
    doc: "Parts that counted errors of their own in the windows of the trials, failed ones too: memory that ECC corrected or \
          could not (EDAC), errors of PCI Express links (AER), frames that a network adapter got broken or could not send, and links \
          that it lost. What a link lost on the way of a network load is `packets-dropped`.",
    english: r#"
hardware-part =
    { $what ->
        [memory-uncorrected] memory controller { $name }
        [memory-corrected] memory controller { $name }
       *[other] { RESOURCE($resource) }
    }
finding-hardware-errors =
    { hardware-part }{ of-end } counted { $what ->
        [memory-uncorrected] errors that ECC could not correct
        [memory-corrected] errors that ECC corrected
        [link-fatal] fatal errors
        [link-nonfatal] errors that were not corrected
        [link-corrected] errors that were corrected
        [frame-checksum] frames with a wrong checksum
        [frame-alignment] frames with a wrong alignment
        [carrier] frames that found no carrier
       *[link-lost] losses of its link
    } in { $trials } of { $of } trials: { FIXED($count) } in all
    .advice =
        { $what ->
            [memory-uncorrected] replace the module: `journalctl -k` names its slot, or the firmware's log does
            [memory-corrected] watch whether there are more: `journalctl -k` names the module; errors that return are a reason to replace it
            [frame-checksum] try another cable, transceiver and port; `ethtool -S` says how frames break
            [frame-alignment] try another cable, transceiver and port; `ethtool -S` says how frames break
            [carrier] try another cable, transceiver and port
            [link-lost] try another cable, transceiver and port; some settings take a link down, too
           *[link] seat the card again, or try another slot or riser; `journalctl -k` says what kind of error it was
        }

evidence-hardware-errors = up to { FIXED($count) } in one window
"#,
    check: RuleCheck::Many(check),
};

/// What one counter of a part came to.
struct PartErrors<'a> {
    machine: &'a str,
    counter: &'a Counter,
    /// The place in [`COUNTERS`].
    rank: usize,
    count: f64,
    trials: u64,
    /// The window with most of them.
    most: f64,
}

impl PartErrors<'_> {
    fn is_of(&self, machine: &str, resource: &Resource, rank: usize) -> bool {
        self.machine == machine && self.counter.resource == *resource && self.rank == rank
    }
}

/// Whether a counter is one of errors.
pub(crate) fn is_counter(counter: &Counter) -> bool {
    rank(counter).is_some()
}

/// The place of a counter in [`COUNTERS`].
fn rank(counter: &Counter) -> Option<usize> {
    let name = counter.source.rsplit(' ').next().unwrap_or_default();
    COUNTERS.iter().position(|(own, _)| *own == name)
}

/// How much a counter of errors grew, and its place in [`COUNTERS`].
fn grown(counter: &Counter) -> Option<(usize, f64)> {
    let rank = rank(counter)?;
    let change = counter.change().filter(|change| *change > 0.0)?;
    Some((rank, change))
}

/// All errors of a case, the gravest first.
fn errors(case: &CaseResult) -> Vec<PartErrors<'_>> {
    // What breaks on the way of a network load, another rule tells.
    let is_net = measure::is_net(case);
    let mut all: Vec<PartErrors<'_>> = Vec::new();
    let machines = case.trials.iter().flat_map(|trial| &trial.result.machines);
    for (machine, counter) in machines.flat_map(|m| m.counters.iter().map(move |c| (m.machine.as_str(), c))) {
        let Some((rank, change)) = grown(counter) else { continue };
        if is_net && counter.resource.kind() == ResourceKind::Nic {
            continue;
        }
        match all.iter_mut().find(|errors| errors.is_of(machine, &counter.resource, rank)) {
            Some(errors) => {
                errors.count += change;
                errors.trials += 1;
                errors.most = errors.most.max(change);
            }
            None => {
                all.push(PartErrors { machine, counter, rank, count: change, trials: 1, most: change });
            }
        }
    }
    all.sort_by_key(|errors| errors.rank);
    all
}

fn check(case: &CaseResult, _context: &Context<'_>) -> Vec<Finding> {
    let finding = |errors: PartErrors<'_>| {
        let resource = &errors.counter.resource;
        let is_here = errors.machine == LOCAL;
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
            .on(resource.as_str())
            .arg("what", COUNTERS[errors.rank].1)
            .arg("name", resource.name())
            .arg("end", if is_here { "near" } else { "far" })
            .arg("machine", if is_here { "" } else { errors.machine })
            .arg("count", errors.count)
            .arg("trials", errors.trials)
            .arg("of", case.trials.len() as u64)
            .because(Evidence::at(RULE.code, measure::place_of(errors.counter)).arg("count", errors.most))
    };
    errors(case).into_iter().map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;

    fn found(counters: Vec<Vec<Counter>>) -> Vec<Finding> {
        let mut case = fixture::case(u32::try_from(counters.len()).unwrap());
        for (trial, counters) in case.trials.iter_mut().zip(counters) {
            trial.result.local_mut().counters = counters;
        }
        fixture::found(&RULE, &case, &fixture::context(&Controls::default()))
    }

    fn count(resource: &'static str, name: &str, steps: u64) -> Counter {
        fixture::counter(resource, &format!("/sys/x {name}"), 1.0, steps)
    }

    #[test]
    fn errors_of_a_part_are_added_up_over_trials_and_the_gravest_is_first() {
        let found = found(vec![
            vec![count("memory:mc0", "ce_count", 2), count("nic:eth0", "rx_crc_errors", 0)],
            vec![count("memory:mc0", "ce_count", 3), count("pci:0000:01:00.0", "aer_fatal", 1)],
            vec![count("block:sda", "reads", 900)],
        ]);
        let texts: Vec<&str> = found.iter().map(|f| f.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "PCIe link 01:00.0 counted fatal errors in 1 of 3 trials: 1 in all",
                "memory controller mc0 counted errors that ECC corrected in 2 of 3 trials: 5 in all",
            ]
        );
    }

    #[test]
    fn every_counter_is_said_in_every_language() {
        for (name, _) in COUNTERS {
            let resource = match name.split('_').next() {
                Some("ce" | "ue") => "memory:mc1",
                Some("aer") => "pci:0000:01:00.0",
                _ => "nic:eth0",
            };
            assert_eq!(found(vec![vec![count(resource, name, 7)]]).len(), 1, "{name}");
            assert!(found(vec![vec![count(resource, name, 0)]]).is_empty(), "{name}");
        }
    }

    #[test]
    fn errors_of_another_machine_name_it() {
        let mut case = fixture::case(1);
        fixture::far_machine(&mut case).counters = vec![count("memory:mc0", "ue_count", 1)];
        let found = fixture::found(&RULE, &case, &fixture::context(&Controls::default()));
        assert!(
            found[0].text.starts_with("memory controller mc0 of 10.0.0.2:7117 counted errors"),
            "{found:?}"
        );
    }
}
