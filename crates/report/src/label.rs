//! What cases and metrics are called, in words as they are typed.

use model::run::CaseResult;
use model::workload::Catalogue;
use model::{Kind, Run};

/// Names of metrics as a person says them.
#[must_use]
pub fn title(metric: &str) -> String {
    match metric {
        "latency_p99_9" => "latency p99.9".to_owned(),
        "throughput_durable" => "throughput to the device".to_owned(),
        other => {
            let word = |word| match word {
                "cpu" => "CPU",
                "iops" => "IOPS",
                "flops" => "FLOPS",
                other => other,
            };
            other.split('_').map(word).collect::<Vec<_>>().join(" ")
        }
    }
}

/// The label without what the head and common sense say: the workload's name,
/// and the names of choices and of the one size (`randread 4KiB queue-depth=32`).
/// `None` where that leaves nothing.
pub(crate) fn own_label(case: &CaseResult, catalogue: &Catalogue) -> Option<String> {
    short_form(&case.workload, &case.label, catalogue)
}

/// The same of a label alone.
pub(crate) fn short_form(workload: &str, label: &str, catalogue: &Catalogue) -> Option<String> {
    let text = label.strip_prefix(workload).unwrap_or(label).trim();
    let (own, with) = text.split_at(text.find("with ").unwrap_or(text.len()));
    let kind = |name: &str| Some(catalogue.parameter(catalogue.workload(workload)?, name)?.kind);
    let words: Vec<&str> = own.split_whitespace().collect();
    let sizes = words.iter().filter_map(|w| kind(w.split_once('=')?.0)).filter(|k| *k == Kind::Size).count();
    let short = |word: &&str| match word.split_once('=') {
        Some((name, value)) => match kind(name) {
            // A word that says what there is speaks for itself.
            Some(Kind::Choice) if value != "none" => value.to_owned(),
            Some(Kind::Size) if sizes == 1 => value.to_owned(),
            Some(Kind::Path) => format!("{name}={}", ends(value)),
            _ => (*word).to_owned(),
        },
        None => (*word).to_owned(),
    };
    let own = words.iter().map(short).collect::<Vec<_>>().join(" ");
    let whole = format!("{own} {with}").trim().to_owned();
    (!whole.is_empty()).then_some(whole)
}

/// Of many targets that are driven at once the first and the last.
fn ends(targets: &str) -> String {
    match targets.split('+').collect::<Vec<_>>().as_slice() {
        [first, _, .., last] => format!("{first}+..+{last}"),
        _ => targets.to_owned(),
    }
}

/// What was asked for and is the same in all cases, which no row says.
pub(crate) fn constant_words(run: &Run, name: &str, catalogue: &Catalogue) -> Vec<String> {
    let entries: Vec<_> = run.study.workloads.iter().filter(|w| w.kind == name).collect();
    let (Some(first), Some(spec)) = (entries.first(), catalogue.workload(name)) else { return Vec::new() };
    let cases: Vec<&CaseResult> = run.cases.iter().filter(|c| c.workload == name).collect();
    let said = |p: &str| cases.len() > 1 && cases.iter().any(|c| c.label.contains(&format!(" {p}=")));
    first
        .parameters
        .iter()
        .filter(|(p, levels)| {
            levels.len() == 1 && !said(p) && entries.iter().all(|w| w.parameters.get(*p) == Some(levels))
        })
        .filter_map(|(p, levels)| {
            let kind = catalogue.parameter(spec, p)?.kind;
            let parts: Vec<_> = levels.first()?.iter().map(|v| model::scalar::show(kind, v)).collect();
            Some(format!("{p}={}", parts.join("+")))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_targets_a_label_has_the_first_and_the_last() {
        assert_eq!(ends("/dev/sdb+/dev/sdc+/dev/sdd"), "/dev/sdb+..+/dev/sdd");
        assert_eq!((ends("/dev/sdb+/dev/sdc"), ends(".")), ("/dev/sdb+/dev/sdc".into(), ".".into()));
    }
}
