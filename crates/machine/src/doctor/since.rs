//! Errors of the parts since a moment, without a load: the checks that know errors, told of that time. A counter says nothing of
//! when: it began with the machine's start, or somebody kept what it was.

use std::collections::BTreeMap;

use model::machine::Inventory;
use model::{Finding, Resource, ResourceKind};

use super::kernel_errors::{self, LogReach};
use super::{
    CHECKS, Check, CheckContext, array_degraded, counted_errors, drive_health, look_at, nic_link, pcie_link,
    sata_link, sorted, throttling,
};
use crate::Host;

/// Since when errors are told.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Since {
    /// The moment, Unix time in seconds.
    pub unix_s: f64,
    /// What parts had counted then, by part and the kernel's name of the counter; empty where nobody kept it.
    pub counts: BTreeMap<(Resource, String), u64>,
}

impl Since {
    /// Whether the machine was started after that moment: then all that is counted is of this time.
    pub(super) fn is_before_start(&self, host: &Host) -> bool {
        started_s(host).is_some_and(|started| self.unix_s <= started)
    }
}

/// When the machine was started, Unix time in seconds (proc_stat(5)).
fn started_s(host: &Host) -> Option<f64> {
    host.text("/proc/stat")?.lines().find_map(|line| line.strip_prefix("btime ")?.trim().parse().ok())
}

/// What was asked for errors: how many parts of each kind count them, or answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ErrorSources {
    /// Memory controllers (EDAC).
    pub memory_controllers: u64,
    /// PCI Express functions (AER).
    pub links: u64,
    /// Drives that said how they are.
    pub drives: u64,
    /// Network adapters.
    pub adapters: u64,
    /// How far back the kernel's log reaches.
    pub log: LogReach,
}

/// What is found since a moment, and what was asked for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ErrorReport {
    /// Findings, the gravest first.
    pub findings: Vec<Finding>,
    /// What was asked.
    pub sources: ErrorSources,
}

/// The checks that know errors of parts, in the order of [`CHECKS`].
fn is_of_errors(check: &Check) -> bool {
    let codes = [
        throttling::CHECK.code,
        array_degraded::CHECK.code,
        drive_health::CHECK.code,
        counted_errors::CHECK.code,
        kernel_errors::CHECK.code,
        pcie_link::CHECK.code,
        sata_link::CHECK.code,
        nic_link::CHECK.code,
    ];
    codes.contains(&check.code)
}

/// Errors of the parts of a machine since a moment. Takes as long as [`super::look`].
#[must_use]
pub fn errors_since(host: &Host, inventory: &Inventory, since: &Since) -> ErrorReport {
    look_at(host, inventory, Some(since), |context| {
        let checks = CHECKS.iter().filter(|check| is_of_errors(check));
        let findings = checks.flat_map(|check| (check.look)(context)).collect();
        ErrorReport { findings: sorted(findings), sources: sources(context, since) }
    })
}

fn sources(context: &CheckContext<'_>, since: &Since) -> ErrorSources {
    let counts = counted_errors::now(context);
    let parts_of = |kind: ResourceKind| {
        let mut parts: Vec<&Resource> =
            counts.keys().map(|(resource, _)| resource).filter(|resource| resource.kind() == kind).collect();
        parts.dedup();
        parts.len() as u64
    };
    ErrorSources {
        memory_controllers: parts_of(ResourceKind::Memory),
        links: parts_of(ResourceKind::Pci),
        adapters: parts_of(ResourceKind::Nic),
        drives: context.drives.all().count() as u64,
        log: kernel_errors::reach(context.host, since),
    }
}

#[cfg(test)]
mod tests {
    use model::Severity;
    use model::machine::NetworkInterface;

    use super::*;
    use crate::doctor::tests::written;

    const TREE: &str = "==> /proc/stat\nbtime 1000\n\
        ==> /sys/devices/system/edac/mc/mc0/ce_count\n7\n\
        ==> /sys/devices/system/edac/mc/mc0/ue_count\n0\n";

    fn report(since: &Since) -> ErrorReport {
        errors_since(&Host::parse(TREE), &Inventory::default(), since)
    }

    fn texts(since: &Since) -> Vec<String> {
        report(since).findings.into_iter().map(|finding| finding.text).collect()
    }

    #[test]
    fn what_was_kept_then_is_taken_off() {
        let kept = |count: u64| Since {
            unix_s: 2000.0,
            counts: BTreeMap::from([((Resource::from("memory:mc0"), "ce_count".to_owned()), count)]),
        };
        let said = |count: u64| {
            format!("memory controller mc0 counted {count} errors that ECC corrected since that time")
        };
        assert_eq!(texts(&kept(5)), [said(2)]);
        assert_eq!(texts(&kept(7)), Vec::<String>::new());
        assert_eq!(texts(&kept(9)), [said(7)], "it began anew");
    }

    #[test]
    fn what_nobody_kept_is_told_since_the_start() {
        let since = |unix_s: f64| Since { unix_s, counts: BTreeMap::new() };
        let told = "memory controller mc0 counted 7 errors that ECC corrected since ";
        assert_eq!(texts(&since(2000.0)), [format!("{told}the machine was started")]);
        assert_eq!(texts(&since(500.0)), [format!("{told}that time")], "it was started later");
        assert_eq!(report(&since(500.0)).findings[0].severity, Severity::Note);
    }

    #[test]
    fn a_lost_link_and_missed_packets_are_told_of_a_time_only() {
        let interface = NetworkInterface {
            name: "eth0".to_owned(),
            kind: "ethernet".to_owned(),
            ..NetworkInterface::default()
        };
        let inventory = Inventory { network: vec![interface], ..Inventory::default() };
        let tree = "==> /proc/stat\nbtime 1000\n==> /sys/class/net/eth0/carrier_down_count\n2\n\
                    ==> /sys/class/net/eth0/statistics/rx_missed_errors\n40\n";
        let told = |unix_s: f64| -> Vec<String> {
            let since = Since { unix_s, counts: BTreeMap::new() };
            let report = errors_since(&Host::parse(tree), &inventory, &since);
            report.findings.into_iter().map(|finding| written(finding).text).collect()
        };
        assert_eq!(
            told(500.0),
            [
                "eth0 lost its link 2 times since that time",
                "eth0 missed 40 packets for want of room since that time",
            ]
        );
        assert_eq!(told(2000.0), Vec::<String>::new(), "since the start they are no news");
        // Bug: what a run had counted was looked for under another name.
        let kept = BTreeMap::from([((Resource::from("nic:eth0"), "rx_missed".to_owned()), 30)]);
        let since = Since { unix_s: 2000.0, counts: kept };
        let found = errors_since(&Host::parse(tree), &inventory, &since).findings;
        let texts: Vec<String> = found.into_iter().map(|finding| written(finding).text).collect();
        assert_eq!(texts, ["eth0 missed 10 packets for want of room since that time"]);
        assert_eq!(crate::doctor::look(&Host::parse(tree), &inventory), []);
    }

    #[test]
    fn what_counts_nothing_here_is_told_from_what_counted_none() {
        let sources = report(&Since::default()).sources;
        assert_eq!((sources.memory_controllers, sources.links, sources.adapters), (1, 0, 0));
        assert_eq!(sources.log, LogReach::Unread);
    }
}
