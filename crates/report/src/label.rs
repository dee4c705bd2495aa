//! What cases and metrics are called, in words as they are typed.

use language::{Language, Words};
use model::label::LabelPart;
use model::metric::Statistic;
use model::run::CaseResult;
use model::{Kind, Label, MetricName, Run, Value, WorkloadName};

/// Names of metrics as a person says them.
#[must_use]
pub fn title(metric: MetricName) -> String {
    language::english_metric_title(metric)
}

/// The title of a metric.
pub(crate) fn metric(words: &Words, name: MetricName) -> String {
    language::metric_title(words, name)
}

/// The same on a chart, where English says `p99.9 latency`.
pub(crate) fn metric_of_chart(words: &Words, name: MetricName) -> String {
    match name.statistic() {
        Some((of, Statistic::Percentile(percent))) if words.language() == Language::English => {
            words.or(&format!("metric-title-{name}"), &format!("p{percent} {}", title(of)))
        }
        _ => metric(words, name),
    }
}

/// The label without what the head and common sense say: the workload's name,
/// and the names of choices and of the one size (`randread 4KiB queue-depth=32`).
/// `None` where that leaves nothing.
pub(crate) fn short_form(label: &Label) -> Option<String> {
    let is_only_size = label.parameters().iter().filter(|part| part.kind == Kind::Size).count() == 1;
    let short = |part: &LabelPart| match (part.kind, &part.value) {
        // A word that says what there is speaks for itself.
        (Kind::Choice, value) if *value != Value::from("none") => part.level(),
        (Kind::Size, _) if is_only_size => part.level(),
        // Of many targets that are driven at once the first and the last.
        (Kind::Path, Value::List(targets)) if targets.len() > 2 => {
            format!("{}={}+..+{}", part.name, targets[0], targets[targets.len() - 1])
        }
        _ => part.to_string(),
    };
    let own = label.parameters().iter().map(short).chain(label.settings.iter().map(ToString::to_string));
    let all: Vec<String> = own.chain(companions(label)).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// The loads that run with it: `with null rate=1k/s`.
pub(crate) fn companions(label: &Label) -> impl Iterator<Item = String> {
    label.with().iter().map(|load| format!("with {load}"))
}

/// What was asked for and is the same in all cases, which no row says.
pub(crate) fn constant_words(run: &Run, name: WorkloadName) -> Vec<String> {
    let entries: Vec<_> = run.study.workloads.iter().filter(|w| w.kind == name).collect();
    let Some(first) = entries.first() else { return Vec::new() };
    let cases: Vec<&CaseResult> =
        run.cases.iter().filter(|c| c.loads.main.workload == name && !c.is_auxiliary()).collect();
    let said = |p: &str| cases.len() > 1 && cases.iter().any(|c| c.label.says(p));
    first
        .parameters
        .iter()
        .filter(|(p, levels)| {
            levels.len() == 1
                && !said(p.as_str())
                && entries.iter().all(|w| w.parameters.get(*p) == Some(levels))
        })
        .filter_map(|(p, levels)| {
            let parameter = run.definitions.parameter(name, p.as_str())?;
            let parts: Vec<_> = levels.first()?.iter().map(|v| parameter.show(v)).collect();
            Some(format!("{p}={}", parts.join("+")))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_targets_a_label_has_the_first_and_the_last() {
        let short = |targets: &[&str]| {
            let value = Value::List(targets.iter().map(|t| Value::from(*t)).collect());
            let mut label = Label { loads: vec![model::label::LoadLabel::default()], settings: Vec::new() };
            label.loads[0].parameters.push(LabelPart { name: "target".to_owned(), kind: Kind::Path, value });
            short_form(&label).unwrap()
        };
        assert_eq!(short(&["/dev/sdb", "/dev/sdc", "/dev/sdd"]), "target=/dev/sdb+..+/dev/sdd");
        assert_eq!(short(&["/dev/sdb", "/dev/sdc"]), "target=/dev/sdb+/dev/sdc");
    }
}
