//! One workload's cases as a table: the headline with its interval, then what
//! else people look at.

use import::v1::label::of_case;
use model::Run;
use model::run::{CaseResult, Estimate, TargetResult};
use model::workload::Catalogue;

use super::{part, share};
use crate::format::Rates;
use crate::label::{companions, constant_words, short_form, title};
use crate::load::headline_name;
use crate::page::{Subject, View, notes};
use crate::table::{Align, plain};
use crate::text::paragraph;

/// Metrics that are shown beside the headline, the first two that a case has.
const BESIDE: &[(&str, &str)] = &[
    ("throughput", "throughput"),
    ("elapsed", "elapsed"),
    ("peak_share", "of the peak"),
    ("frequency", "clock rate"),
    ("compression_ratio", "ratio"),
    ("wakeup_p99", "p99 wake-up"),
    ("lateness_p99", "p99 lateness"),
    ("latency_p99", "p99 latency"),
    ("latency_p50", "p50 latency"),
];

/// Targets of all cases of a table that each get a row.
const TARGETS_MOST: usize = 16;

/// The tables of all workloads of a run, in the order of its cases.
#[must_use]
pub fn text(run: &Run, catalogue: &Catalogue) -> String {
    let mut names: Vec<&str> = run.cases.iter().map(|c| c.workload.as_str()).collect();
    names.dedup();
    let mut seen = Vec::new();
    let mut out = String::new();
    let view = View::new(&Subject { run, catalogue, words: language::Language::English.words() });
    for name in names {
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        let cases: Vec<&CaseResult> = run.cases.iter().filter(|c| c.workload == name).collect();
        out.push_str(&section(name, &cases, catalogue));
        out.push_str(&constants(run, name, catalogue));
        let label = |case: &CaseResult| short_label(case, cases.len() == 1);
        out.push_str(&share::text(&cases, label));
        out.extend(notes::of(&view, &cases, &label).iter().map(|text| paragraph(" ", "   ", text)));
        out.push('\n');
    }
    out
}

fn section(name: &str, cases: &[&CaseResult], catalogue: &Catalogue) -> String {
    let spec = catalogue.workload(name);
    let measured: Vec<&CaseResult> = cases.iter().copied().filter(|c| !c.estimates.is_empty()).collect();
    let headline = headline_name(&measured, spec);
    let beside: Vec<&(&str, &str)> = BESIDE
        .iter()
        .filter(|(metric, _)| *metric != headline && measured.iter().any(|c| has(c, metric)))
        .take(2)
        .collect();
    let shown = title(&headline);
    let mut head = vec![(name, Align::Left), (shown.as_str(), Align::Right), ("95 % interval", Align::Right)];
    head.extend(beside.iter().map(|(_, title)| (*title, Align::Right)));
    let mut rows = Vec::new();
    let words = language::Language::English.words();
    let all_targets: usize = cases.iter().map(|c| c.targets.len()).sum();
    for case in cases {
        let rates = crate::load::rates(case);
        let row = |label, estimates: &_, headline: &str| row(rates, label, (estimates, headline), &beside);
        rows.push(row(short_label(case, cases.len() == 1), &case.estimates, &headline));
        for (key, estimates) in part::of(&case.estimates) {
            rows.push(row(format!("  {}", words.say(key)), &estimates, &headline));
        }
        for target in targets(case, &headline, all_targets) {
            rows.push(row(format!("  {}", target.target), &target.estimates, &headline));
        }
        for companion in &case.with {
            let spec = catalogue.workload(&companion.workload);
            let own = spec.map_or("throughput", |s| s.headline);
            let label = format!("  beside it, {}: {}", companion.workload, title(own));
            let rates = crate::load::rates_beside(companion);
            rows.push(self::row(rates, label, (&companion.estimates, own), &beside));
        }
    }
    let summary = spec.map(|s| format!("{}: {}\n", s.name, s.summary)).unwrap_or_default();
    format!("{summary}{}", plain(&head, &rows))
}

/// Whether a case or a part of it has this figure.
fn has(case: &CaseResult, metric: &str) -> bool {
    let of_part = || part::of(&case.estimates).iter().any(|(_, own)| own.contains_key(metric));
    case.estimates.contains_key(metric) || of_part()
}

/// The targets of a case that get a row: all, or of many the one with the least
/// and the one with the most.
fn targets<'a>(case: &'a CaseResult, headline: &str, all: usize) -> Vec<&'a TargetResult> {
    let several: Vec<&TargetResult> = case.targets.iter().filter(|_| case.targets.len() > 1).collect();
    if all <= TARGETS_MOST {
        return several;
    }
    let value = |t: &&TargetResult| {
        let known = [headline, "throughput", "iops"].into_iter().find_map(|name| t.estimates.get(name));
        known.map(|e| e.median)
    };
    let mut known: Vec<&TargetResult> = several.into_iter().filter(|t| value(t).is_some()).collect();
    known.sort_by(|a, b| value(a).unwrap_or(0.0).total_cmp(&value(b).unwrap_or(0.0)));
    match known.as_slice() {
        [least, .., most] => vec![*least, *most],
        few => few.to_vec(),
    }
}

/// The line about what no row says.
fn constants(run: &Run, name: &str, catalogue: &Catalogue) -> String {
    let words = constant_words(run, name, catalogue);
    let count = run.cases.iter().filter(|c| c.workload == name).count();
    match (words.is_empty(), count) {
        (true, _) => String::new(),
        (false, 1) => paragraph(" ", "   ", &format!("with {}", words.join(" "))),
        (false, _) => paragraph(" ", "   ", &format!("all with {}", words.join(" "))),
    }
}

/// What a case is called in a table. The `only` case of one has what was asked
/// of it below.
fn short_label(case: &CaseResult, only: bool) -> String {
    let label = of_case(case);
    let Some(own) = short_form(&label) else { return "at its defaults".to_owned() };
    let with: Vec<String> = companions(&label).collect();
    match with.is_empty() {
        _ if !only => own,
        false => with.join(" "),
        true => "one case".to_owned(),
    }
}

fn row(
    rates: Rates,
    label: String,
    (estimates, headline): (&std::collections::BTreeMap<String, Estimate>, &str),
    beside: &[&(&str, &str)],
) -> Vec<String> {
    let point = |metric: &str| {
        let shown = |e: &Estimate| rates.under_title(e.median, e.unit, &title(metric));
        estimates.get(metric).map_or_else(|| "-".to_owned(), shown)
    };
    let mut row = vec![label, point(headline)];
    row.push(estimates.get(headline).and_then(|e| rates.interval(e)).unwrap_or_else(|| "-".to_owned()));
    row.extend(beside.iter().map(|(metric, _)| point(metric)));
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Unit;

    #[test]
    fn the_only_case_of_a_table_has_no_long_name() {
        let mut case = crate::tests::run().cases.remove(0);
        for (label, only, several) in [
            ("disk", "at its defaults", "at its defaults"),
            ("disk queue-depth=8 size=1MiB", "one case", "queue-depth=8 1MiB"),
            ("disk size=1MiB with null rate=1k/s", "with null rate=1k/s", "1MiB with null rate=1k/s"),
            ("disk with null", "with null", "with null"),
        ] {
            case.label = label.to_owned();
            assert_eq!(short_label(&case, true), only);
            assert_eq!(short_label(&case, false), several);
        }
    }

    fn figures(rates: &[(&str, Unit, f64)]) -> std::collections::BTreeMap<String, Estimate> {
        let estimate = |unit, median: f64| Estimate {
            n: 5,
            median,
            low: Some(median * 0.98),
            high: Some(median * 1.02),
            confidence: None,
            method: None,
            unit,
            better: model::Better::Higher,
        };
        rates.iter().map(|(name, unit, value)| ((*name).to_owned(), estimate(*unit, *value))).collect()
    }

    const DISK: model::WorkloadSpec = model::WorkloadSpec {
        name: "disk",
        definition_version: 1,
        summary: "reads and writes",
        doc: "",
        parameters: &[],
        headline: "iops",
        metrics: &[],
        path: &[],
    };

    fn shown(cases: Vec<CaseResult>) -> String {
        let run = Run { cases, ..crate::tests::run() };
        let text = text(&run, &Catalogue { workloads: vec![&DISK], common: &[] });
        assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
        text
    }

    #[test]
    fn reads_and_writes_of_a_mixed_load_have_rows_and_stay_within_a_page() {
        let mut case = crate::tests::run().cases.remove(0);
        case.label = "disk randrw read-share=60% block-size=4KiB queue-depth=32".to_owned();
        case.estimates = figures(&[
            ("iops", Unit::PerSecond, 50e3),
            ("throughput", Unit::BytesPerSecond, 204.8e6),
            ("latency_p99", Unit::Seconds, 2e-3),
            ("read_iops", Unit::PerSecond, 30e3),
            ("write_iops", Unit::PerSecond, 20e3),
            ("read_latency_p99", Unit::Seconds, 1e-3),
            ("write_latency_p99", Unit::Seconds, 3e-3),
        ]);
        let rows = "disk: reads and writes\n \
                    disk         IOPS   95 % interval  throughput  p99 latency\n \
                    one case  50.00 k  49.00 to 51.00  204.8 MB/s     2.000 ms\n   \
                    reads   30.00 k  29.40 to 30.60           -     1.000 ms\n   \
                    writes  20.00 k  19.60 to 20.40           -     3.000 ms\n\n";
        assert_eq!(shown(vec![case]), rows);
    }

    #[test]
    fn targets_have_rows_and_of_many_the_least_and_the_most() {
        let mut case = crate::tests::run().cases.remove(0);
        case.label = "disk read target=/dev/nvme0n1+/dev/nvme1n1".to_owned();
        let rate = |bytes: f64| {
            figures(&[("iops", Unit::PerSecond, bytes / 1e6), ("throughput", Unit::BytesPerSecond, bytes)])
        };
        case.estimates = rate(3.2e9);
        let target = |i: u32| TargetResult {
            target: format!("/dev/nvme{i}n1"),
            estimates: rate(400e6 + f64::from(i * 7 % 8) * 1e6),
        };
        case.targets = (0..8).map(target).collect();
        let rows = |text: &str| -> Vec<String> {
            let of_target = |l: &&str| l.starts_with("   /dev/nvme") && l.contains(" to ");
            text.lines().filter(of_target).map(|l| l[3..15].to_owned()).collect()
        };
        let one = shown(vec![case.clone()]);
        assert_eq!(rows(&one).len(), 8, "{one}");
        assert!(one.contains("8 targets together 3.200 GB/s; least /dev/nvme0n1 with"), "{one}");
        let three = rows(&shown(vec![case.clone(), case.clone(), case]));
        assert_eq!(three, ["/dev/nvme0n1", "/dev/nvme1n1"].repeat(3));
    }
}
