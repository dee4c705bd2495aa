//! What a kill meets: the kinds of settings that stand in the journal at that moment, which then have to be put
//! back by somebody.

use std::path::Path;

use serde_json::Value;

/// A kind of setting: how it is counted, and whether the journal speaks of it.
type Kind = (&'static str, fn(&[Value]) -> bool);

/// What is not there on every machine, with a file that is where it is there.
const NEEDS: &[(&str, &str)] =
    &[(ZRAM, "/sys/class/zram-control"), (HUGE_PAGES, "/sys/kernel/mm/transparent_hugepage/enabled")];

const ZRAM: &str = "met zram in use as swap";
const HUGE_PAGES: &str = "met transparent huge pages";

/// Every kind that the attacks change.
const KINDS: &[Kind] = &[
    ("met a sysctl", |all| any(all, |e| setting(e).starts_with("sysctl.vm.") || setting(e) == "dirty-bytes")),
    ("met a sysctl of a namespace", |all| any(all, |e| setting(e).starts_with("sysctl.net."))),
    ("met an interface in a namespace", |all| any(all, |e| resource(e).starts_with("nic:v"))),
    ("met an MTU with that of one above", |all| {
        any(all, |e| is(e, "mtu", "nic:va")) && any(all, |e| is(e, "mtu", "nic:vm"))
    }),
    ("met a loop device", |all| any(all, |e| resource(e).starts_with("block:loop"))),
    (ZRAM, |all| any(all, |e| setting(e) == "swap" && shown(e, "before").contains("zram"))),
    ("met a swap file", |all| any(all, |e| setting(e) == "swap" && shown(e, "asked").contains("file:"))),
    ("met a queueing discipline", |all| {
        any(all, |e| ["queueing-discipline", "interface-rate"].contains(&setting(e)))
    }),
    ("met offloads", |all| any(all, |e| setting(e).starts_with("offload"))),
    ("met a control group (cpu)", |all| any(all, |e| setting(e) == "cgroup-cpu")),
    ("met a control group (memory)", |all| any(all, |e| setting(e) == "cgroup-memory")),
    ("met a control group (io)", |all| any(all, |e| setting(e).starts_with("cgroup-io"))),
    ("met mount options", |all| any(all, |e| setting(e) == "mount-options")),
    ("met a scheduler with queue-requests", |all| {
        any(all, |e| setting(e) == "scheduler") && any(all, |e| setting(e) == "queue-requests")
    }),
    (HUGE_PAGES, |all| any(all, |e| setting(e) == "transparent-huge-pages")),
    ("met kernel-flush", |all| any(all, |e| setting(e) == "kernel-flush")),
];

/// The kinds that the journal at `path` speaks of; absent where no setting stands in it.
pub(super) fn look(path: &str) -> Option<Vec<&'static str>> {
    of(&std::fs::read_to_string(path).unwrap_or_default())
}

/// All of them.
pub(crate) fn kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|(name, _)| *name)
}

/// Those that there may be on this machine, so that one that is never met is counted as 0.
pub(super) fn here() -> impl Iterator<Item = &'static str> {
    let lacks = |name: &str| NEEDS.iter().any(|(kind, path)| *kind == name && !Path::new(path).exists());
    kinds().filter(move |name| !lacks(name))
}

fn of(journal: &str) -> Option<Vec<&'static str>> {
    let entries: Vec<Value> = journal.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let is_met = |(_, is_met): &&Kind| is_met(&entries);
    (!entries.is_empty()).then(|| KINDS.iter().filter(is_met).map(|(name, _)| *name).collect())
}

fn any(all: &[Value], what: impl Fn(&Value) -> bool) -> bool {
    all.iter().any(what)
}

fn is(entry: &Value, name: &str, of: &str) -> bool {
    setting(entry) == name && resource(entry) == of
}

fn setting(entry: &Value) -> &str {
    entry["setting"].as_str().unwrap_or_default()
}

fn resource(entry: &Value) -> &str {
    entry["resource"].as_str().unwrap_or_default()
}

fn shown(entry: &Value, member: &str) -> String {
    entry[member].to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_a_journal_is_met() {
        let line = |setting: &str, resource: &str, before: &str, asked: &str| {
            format!(r#"{{"setting":"{setting}","resource":"{resource}","before":{before},"asked":{asked}}}"#)
                + "\n"
        };
        let met = |journal: &str| of(journal).unwrap_or_default();
        assert_eq!((of(""), of("{\"setting\"")), (None, None));
        assert_eq!(of(&line("c-states", "machine", "null", "0")), Some(Vec::new()), "of none of these kinds");
        let swap = line("swap", "machine", r#"["/dev/zram1:9"]"#, r#""file:16MiB""#);
        assert_eq!(met(&swap), ["met zram in use as swap", "met a swap file"]);
        let scheduler = line("scheduler", "block:loop1", r#""none""#, r#""mq-deadline""#);
        assert_eq!(met(&scheduler), ["met a loop device"]);
        let both = scheduler + &line("queue-requests", "block:loop1", "128", "64");
        assert_eq!(met(&both), ["met a loop device", "met a scheduler with queue-requests"]);
        let mtus = line("mtu", "nic:va", "1500", "1400") + &line("mtu", "nic:vm", "1500", "1300");
        assert_eq!(met(&mtus), ["met an interface in a namespace", "met an MTU with that of one above"]);
        let mut names: Vec<_> = kinds().collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), KINDS.len());
        assert!(NEEDS.iter().all(|(kind, _)| names.contains(kind)));
    }
}
