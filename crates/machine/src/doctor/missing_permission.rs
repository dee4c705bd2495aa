//! What we may not see.

use model::machine::Absent;
use model::{Finding, Resource, Severity};
use serde::{Deserialize, Serialize};

use super::{Check, clip, condition, few, listed, seen};

const CODE: &str = "missing-permission";

/// Who we are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Privilege {
    root: bool,
}

/// What may be denied, as it begins in the inventory's list of what is absent,
/// and its name in a finding.
const PARTS: &[(&str, &str)] = &[
    ("memory modules", "memory-modules"),
    ("PCI Express payload sizes", "pcie-payload"),
    ("health of ", "drive-health"),
    ("sensors of ", "sensors"),
    ("block device ", "block-device"),
    ("network interface ", "network-interface"),
    ("PCI function ", "pci-function"),
];

/// What is denied, as a code, and the name of the one that is meant.
fn part(what: &str) -> (&'static str, String) {
    let known = PARTS.iter().find_map(|(start, code)| Some((*code, what.strip_prefix(start)?)));
    let (code, name) = known.unwrap_or(("other", what));
    (code, clip(name))
}

/// The check. All that is denied is one note: one thing mends it.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "parts of the machine may not be read, or we are not root",
    english: r#"
condition-missing-permission =
    { $how ->
        [privilege] Headroom does not run as root: settings and some counters are out of reach
       *[denied] may not be read here: { $names }{ few-more }
    }
    .advice =
        { $root ->
            [yes] run outside of the container, or give it what it lacks (CAP_SYS_ADMIN, CAP_SYS_RAWIO)
           *[no] run it with `sudo`
        }

evidence-privilege = the effective user is not root
evidence-denied = { $what }
"#,
    look: |context| {
        let is_denied =
            |a: &&Absent| a.reason.contains("permission denied") || a.reason.contains("not permitted");
        let mut denied: Vec<String> =
            context.inventory.absent.iter().filter(is_denied).map(|a| a.what.clone()).collect();
        denied.extend(context.drives.denied().map(|name| format!("health of {name}")));
        let is_root = || Ok(Privilege { root: rustix::process::geteuid().is_root() });
        match context.host.probe("privilege", is_root).ok() {
            None | Some(Privilege { root: true }) if denied.is_empty() => Vec::new(),
            privilege => vec![judge(&denied, privilege.is_some_and(|p| p.root))],
        }
    },
};

fn judge(denied: &[String], is_root: bool) -> Finding {
    let shown = few(denied);
    let mut finding = condition(CODE, Severity::Note)
        .general()
        .on(Resource::SYSTEM)
        .arg("how", if denied.is_empty() { "privilege" } else { "denied" })
        .arg("root", is_root)
        .arg("denied", denied.len() as u64)
        .arg("names", shown.names)
        .arg("more", shown.more);
    for (place, key) in ["first", "second", "third"].into_iter().enumerate() {
        let (code, name) = denied.get(place).map_or(("none", String::new()), |what| part(what));
        finding = finding.arg(key, code).arg(&format!("{key}_name"), name.as_str());
    }
    if denied.is_empty() {
        finding = finding.because(seen("privilege"));
    }
    for what in denied.iter().take(16) {
        let (code, name) = part(what);
        let evidence = listed("denied", &Resource::from("absent"))
            .arg("what", clip(what))
            .arg("part", code)
            .arg("name", name);
        finding = finding.because(evidence);
    }
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose, diagnose_with, with_drive};

    #[test]
    fn what_is_denied_is_one_note() {
        let mut inventory = with_drive("sda", "sata");
        for (what, reason) in [("memory modules", "permission denied"), ("eth0: firmware", "not supported")] {
            inventory.absent.push(Absent { what: what.to_owned(), reason: reason.to_owned() });
        }
        let tree = "==> /probe/privilege\n{\"root\": false}\n==> /probe/smart/sda !permission denied\n";
        diagnose_with(&CHECK, tree, inventory)
            .one(Severity::Note, "may not be read here: memory modules, health of sda");
        let mut inventory = with_drive("sda", "sata");
        for what in
            ["block device sdb", "sensors of nvme0", "/sys/x", "PCI function 0000:00:1f.0", "control groups"]
        {
            let reason = "permission denied".to_owned();
            inventory.absent.push(Absent { what: what.to_owned(), reason });
        }
        diagnose_with(&CHECK, "==> /probe/privilege\n{\"root\": true}\n", inventory)
            .one(Severity::Note, "block device sdb, sensors of nvme0, /sys/x and 2 more");
        diagnose(&CHECK, "==> /probe/privilege\n{\"root\": false}\n")
            .one(Severity::Note, "does not run as root");
    }

    #[test]
    fn root_who_sees_all_is_nothing() {
        assert_eq!(diagnose(&CHECK, "==> /probe/privilege\n{\"root\": true}\n"), CheckResult::nothing());
        assert_eq!(diagnose(&CHECK, ""), CheckResult::nothing());
    }
}
