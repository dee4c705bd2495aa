//! What we may not see.

use model::Severity;
use model::machine::Absent;
use serde::{Deserialize, Serialize};

use super::{Check, condition, few, listed, seen};

const CODE: &str = "missing-permission";

/// Who we are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Privilege {
    root: bool,
}

/// The check. All that is denied is one note: one thing mends it.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "parts of the machine may not be read, or we are not root",
    look: |patient| {
        let is_denied =
            |a: &&Absent| a.reason.contains("permission denied") || a.reason.contains("not permitted");
        let mut denied: Vec<String> =
            patient.inventory.absent.iter().filter(is_denied).map(|a| a.what.clone()).collect();
        denied.extend(patient.drives.denied().map(|name| format!("health of {name}")));
        let is_root = || Ok(Privilege { root: rustix::process::geteuid().is_root() });
        let privilege = patient.host.probe("privilege", is_root).ok();
        let is_root = privilege.is_some_and(|p| p.root);
        let text = match (denied.is_empty(), privilege) {
            (true, None | Some(Privilege { root: true })) => return Vec::new(),
            (true, _) => {
                "Headroom does not run as root: settings and some counters are out of reach".to_owned()
            }
            (false, _) => format!("may not be read here: {}", few(&denied)),
        };
        let advice = match is_root {
            true => "run outside of the container, or give it what it lacks (CAP_SYS_ADMIN, CAP_SYS_RAWIO)",
            false => "run it with `sudo`",
        };
        let mut finding = condition(CODE, Severity::Note, text)
            .on("system")
            .arg("root", is_root)
            .arg("denied", denied.len() as u64)
            .advise(advice);
        if denied.is_empty() {
            finding = finding.because(seen("privilege", "the effective user is not root"));
        }
        for what in denied.iter().take(16) {
            finding = finding.because(listed("denied", "absent", what.as_str()));
        }
        vec![finding]
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{Shown, diagnose, diagnose_with, with_drive};

    #[test]
    fn what_is_denied_is_one_note() {
        let mut inventory = with_drive("sda", "sata");
        for (what, reason) in [("memory modules", "permission denied"), ("eth0: firmware", "not supported")] {
            inventory.absent.push(Absent { what: what.to_owned(), reason: reason.to_owned() });
        }
        let tree = "==> /probe/privilege\n{\"root\": false}\n==> /probe/smart/sda !permission denied\n";
        diagnose_with(&CHECK, tree, inventory)
            .one(Severity::Note, "may not be read here: memory modules, health of sda");
        diagnose(&CHECK, "==> /probe/privilege\n{\"root\": false}\n")
            .one(Severity::Note, "does not run as root");
    }

    #[test]
    fn root_who_sees_all_is_nothing() {
        assert_eq!(diagnose(&CHECK, "==> /probe/privilege\n{\"root\": true}\n"), Shown::nothing());
        assert_eq!(diagnose(&CHECK, ""), Shown::nothing());
    }
}
