//! What could disturb a measurement now. A check is one file and one line in
//! [`CHECKS`]; each says what it saw, how bad it is and what to do. A warning
//! is for what makes a result another one; what merely must be known to read it
//! is a note. Nothing is changed, and nothing is run: checks read the kernel's
//! files and ask drives for their health.

mod activity;
mod array_degraded;
mod array_sync;
mod background_work;
mod clock_capped;
mod clock_source;
mod counted_errors;
mod cpu_quota;
mod debug_kernel;
mod dirty_pages;
mod disk_traffic;
mod drive_health;
mod drive_hot;
mod full_file_system;
mod governor;
mod hot;
mod idle_states;
mod io_quota;
mod kernel_errors;
mod lazy_init;
mod memory;
mod memory_quota;
mod missing_permission;
mod network_traffic;
mod nic_link;
mod observe;
mod other_headroom;
mod other_load;
mod pcie_link;
mod sata_link;
mod self_test;
mod since;
mod smart;
mod steal;
mod swap;
#[cfg(test)]
mod tests;
mod throttling;
mod tracing;
mod turbo;
mod virtual_machine;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use language::Words;

use crate::Host;
use activity::Activity;
use model::finding::{Evidence, Place};
use model::machine::Inventory;
use model::{Finding, FindingKind, Resource, Severity, Value};
use smart::Answers;

pub use kernel_errors::LogReach;
pub use since::{ErrorReport, ErrorSources, Since, errors_since};

/// What checks may look at.
#[derive(Clone, Copy, Debug)]
pub struct CheckContext<'a> {
    /// The machine.
    pub host: &'a Host,
    /// What it is made of, just read.
    pub inventory: &'a Inventory,
    /// What went on during a moment just now, where that could be seen.
    activity: Option<&'a Activity>,
    /// What the drives say of themselves.
    drives: &'a Answers,
    /// The moment since which errors are told, where one was asked about.
    since: Option<&'a Since>,
}

/// One check.
pub struct Check {
    /// The code of its findings.
    pub code: &'static str,
    /// What it looks at, in a sentence.
    pub doc: &'static str,
    /// What its findings and their evidence say in English, in Fluent.
    pub english: &'static str,
    /// What it finds. The sentences are made from codes and arguments at the end.
    pub look: fn(&CheckContext<'_>) -> Vec<Finding>,
}

/// Every check, the gravest first.
pub const CHECKS: &[Check] = &[
    other_headroom::CHECK,
    other_load::CHECK,
    steal::CHECK,
    throttling::CHECK,
    hot::CHECK,
    array_sync::CHECK,
    array_degraded::CHECK,
    self_test::CHECK,
    lazy_init::CHECK,
    background_work::CHECK,
    disk_traffic::CHECK,
    network_traffic::CHECK,
    drive_health::CHECK,
    counted_errors::CHECK,
    kernel_errors::CHECK,
    drive_hot::CHECK,
    swap::CHECK,
    memory::CHECK,
    dirty_pages::CHECK,
    full_file_system::CHECK,
    pcie_link::CHECK,
    sata_link::CHECK,
    nic_link::CHECK,
    debug_kernel::CHECK,
    tracing::CHECK,
    governor::CHECK,
    clock_capped::CHECK,
    clock_source::CHECK,
    cpu_quota::CHECK,
    memory_quota::CHECK,
    io_quota::CHECK,
    idle_states::CHECK,
    turbo::CHECK,
    virtual_machine::CHECK,
    missing_permission::CHECK,
];

/// All checks; the gravest findings first, equal ones in the order of
/// [`CHECKS`]. Takes a quarter of a second on this machine, which it spends
/// watching, and no time on a recorded one.
#[must_use]
pub fn look(host: &Host, inventory: &Inventory) -> Vec<Finding> {
    look_with(host, inventory, CHECKS)
}

/// Bytes that were written to each whole disk since the machine was started, by its name.
#[must_use]
pub fn written_bytes(host: &Host) -> BTreeMap<String, u64> {
    observe::written_bytes(host)
}

fn look_with(host: &Host, inventory: &Inventory, checks: &[Check]) -> Vec<Finding> {
    look_at(host, inventory, None, |context| {
        sorted(checks.iter().flat_map(|check| (check.look)(context)).collect())
    })
}

/// What `look` makes of a machine that was watched and whose drives were asked.
fn look_at<T>(
    host: &Host,
    inventory: &Inventory,
    since: Option<&Since>,
    look: impl FnOnce(&CheckContext<'_>) -> T,
) -> T {
    // Drives take their time to answer: they may while the machine is watched.
    let questions = smart::ask(host, inventory);
    let activity = observe::watch(host).ok();
    let drives = questions.answers(host);
    look(&CheckContext { host, inventory, activity: activity.as_ref(), drives: &drives, since })
}

/// The gravest first, with their English.
fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings.iter_mut().for_each(|finding| words().write(finding));
    findings
}

/// What the findings of all checks say in English, in Fluent.
pub fn english() -> impl Iterator<Item = &'static str> {
    CHECKS.iter().map(|check| check.english).chain([SHARED])
}

/// English, with the sentences that stand beside the checks.
fn words() -> &'static Words {
    static ENGLISH: OnceLock<Words> = OnceLock::new();
    ENGLISH.get_or_init(|| Words::english_with(english()))
}

/// What several checks say.
const SHARED: &str = r#"
quota-holder =
    { $holder ->
        [container] the container ({ $container })
       *[group] the control group
    }
few-more =
    { $more ->
        [0] {""}
       *[other] {" "}and { $more } more
    }
"#;

/// A finding of a check.
fn condition(code: &str, severity: Severity) -> Finding {
    Finding::new(FindingKind::Condition, code, severity)
}

/// A finding with an argument that is not always there.
fn maybe_arg(finding: Finding, name: &str, value: Option<impl Into<Value>>) -> Finding {
    match value {
        Some(value) => finding.arg(name, value),
        None => finding,
    }
}

/// Evidence that stands nowhere else in the document.
fn seen(code: &str) -> Evidence {
    Evidence { code: code.to_owned(), ..Evidence::default() }
}

/// Evidence that stands in the inventory.
fn listed(code: &str, resource: &Resource) -> Evidence {
    Evidence::at(code, Place::Inventory(resource.clone()))
}

/// A finding with who holds us to a quota.
fn held(finding: Finding, context: &CheckContext<'_>) -> Finding {
    match &context.inventory.system.container {
        Some(name) => finding.arg("holder", "container").arg("container", clip(name)),
        None => finding.arg("holder", "group"),
    }
}

/// A name that others chose, so short that a sentence stays one.
fn clip(text: &str) -> String {
    clip_to(text, 48)
}

fn clip_to(text: &str, characters: usize) -> String {
    let mut clean = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let start: String = clean.by_ref().take(characters).collect();
    if clean.next().is_some() { format!("{start}…") } else { start }
}

/// The first few of many names.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Few {
    /// Those, with commas.
    names: String,
    /// How many more there are.
    more: u64,
}

fn few(items: &[String]) -> Few {
    const MOST: usize = 3;
    let first: Vec<String> = items.iter().take(MOST).map(|i| clip(i)).collect();
    Few { names: first.join(", "), more: items.len().saturating_sub(MOST) as u64 }
}
