//! What each layer of a storage stack costs: the same load at each layer from the ground up, and how much of the rate
//! below it each layer leaves.

use analysis::{Amplification, CONFIDENCE, CpuBeside, amplification, cpu_beside};
use language::format::{Rates, fixed};
use model::metric::{CPU_PER_BYTE, CPU_PER_OPERATION, LATENCY_P50, LATENCY_P99};
use model::run::CaseResult;
use model::{MetricName, Run, Unit};

use super::View;
use super::layer_cost::{self, LayerStep};
use crate::document::{Block, Column, Rank, Section, Table, Text};
use crate::layers::{self, Waterfall};
use crate::view::label;

/// Shown beside the rate, where a load has it.
const FIGURES: &[MetricName] = &[LATENCY_P50, LATENCY_P99, CPU_PER_OPERATION, CPU_PER_BYTE];

/// Threads of the kernel that are named, and the least share of the time that one of them has.
const THREADS_MOST: usize = 3;
/// See [`THREADS_MOST`].
const SHARE_LEAST: f64 = 0.05;

pub(super) fn write(view: &View<'_>) -> Section {
    let mut section = Section::new("waterfall", view.say("waterfall-title"));
    let waterfalls = layers::waterfalls(view.cases());
    if waterfalls.is_empty() {
        return section;
    }
    let many = waterfalls.len() > 1;
    // Its cases are those of one pair after another.
    let mut pair = view.run.clone();
    for waterfall in &waterfalls {
        let LayerTables { figures, reasons, costs } = layers_of(view, waterfall, many, &mut pair);
        section.put(Rank::Figure, Block::Table(figures));
        if reasons.columns.len() > 1 {
            section.put(Rank::Figure, Block::Table(reasons));
        }
        if !costs.is_empty() {
            section.put(Rank::Verdict, Block::List(costs));
        }
    }
    let percent = format!("{:.0}", CONFIDENCE * 100.0);
    let read = view.tell("waterfall-read", &[("percent", &percent)]);
    section.put(Rank::Remark, Block::Paragraph(read.into()));
    section
}

/// What is told of a stack.
struct LayerTables {
    /// The rate, the latency and the load's own CPU time at each layer, and what is left of the rate below.
    figures: Table,
    /// What the rest of the machine did meanwhile, and what was full.
    reasons: Table,
    /// A sentence about what each layer costs.
    costs: Vec<Text>,
}

fn layers_of(view: &View<'_>, waterfall: &Waterfall<'_>, many: bool, pair: &mut Run) -> LayerTables {
    let Waterfall { layer, cases } = waterfall;
    let headline = cases[0].loads.main.profile.watched();
    let metrics: Vec<MetricName> = std::iter::once(headline).chain(FIGURES.iter().copied()).collect();
    let (mut rows, mut behind, mut costs) = (Vec::new(), Vec::new(), Vec::new());
    for (place, case) in cases.iter().copied().enumerate() {
        let name = waterfall.name(case);
        let below = place.checked_sub(1).and_then(|below| cases.get(below)).copied();
        let row = below.and_then(|below| layers::row(pair, (below, case), *layer, headline));
        if let Some((below, row)) = below.zip(row.as_ref()) {
            let name_below = waterfall.name(below);
            let step = LayerStep { name: &name, case, name_below: &name_below, below };
            costs.extend(layer_cost::sentence(view, &step, row).map(Text::from));
        }
        let cost = row.and_then(|row| row.ratio).map(|ratio| layers::written(view, &ratio));
        let figures = metrics.iter().map(|metric| figure(view, case, *metric));
        let beside = cpu_beside(case);
        let [used, threads] = beside.map(|beside| beside_load(view, case, &beside)).unwrap_or_default();
        let full = layer_cost::full(view, case).unwrap_or_default();
        let passed = amplification(case).map(|found| bytes_below(view, found)).unwrap_or_default();
        behind.push([name.clone(), used, threads, passed, full].map(Text::from).to_vec());
        let all = std::iter::once(name).chain(figures).chain([cost.unwrap_or_default()]);
        rows.push(all.map(Text::from).collect());
    }
    let own = label::without(view, cases[0], &[*layer]).filter(|_| many);
    let caption = own.unwrap_or_else(|| view.say("waterfall-table"));
    let table = |caption, columns, rows| Table { caption, columns, rows, groups: Vec::new() };
    LayerTables {
        figures: table(caption, columns(view, &metrics), rows).without_empty_columns(),
        reasons: table(view.say("waterfall-reasons"), columns_behind(view), behind).without_empty_columns(),
        costs,
    }
}

fn columns(view: &View<'_>, metrics: &[MetricName]) -> Vec<Column> {
    let mut columns = vec![Column::words(view.say("waterfall-layer"))];
    columns.extend(metrics.iter().map(|metric| Column::numbers(view.metric(*metric))));
    columns.push(Column::numbers(view.say("waterfall-cost")));
    columns
}

fn columns_behind(view: &View<'_>) -> Vec<Column> {
    vec![
        Column::words(view.say("waterfall-layer")),
        Column::numbers(view.say("waterfall-beside")).to_spare(1),
        Column::words(view.say("waterfall-threads")).to_spare(2),
        Column::words(view.say("waterfall-bytes-below")).to_spare(1),
        Column::words(view.say("waterfall-full")),
    ]
}

/// What the lowest devices read and wrote for each byte of the load.
fn bytes_below(view: &View<'_>, found: Amplification) -> String {
    let [read, written] = [found.read, found.written].map(|bytes| fixed(bytes, 2, ""));
    view.tell("waterfall-bytes", &[("read", &read), ("written", &written)])
}

fn figure(view: &View<'_>, case: &CaseResult, metric: MetricName) -> String {
    let main = &case.loads.main;
    let rates = Rates::of(main.profile.rate_unit);
    let Some(estimate) = main.estimates.get(&metric) else { return String::new() };
    let figure = view.figure(rates, metric, estimate);
    match view.interval(rates, estimate) {
        Some(interval) => format!("{figure} ({interval})"),
        None => figure,
    }
}

/// The CPU time of the rest of the machine, and the threads of the kernel that used most.
fn beside_load(view: &View<'_>, case: &CaseResult, beside: &CpuBeside) -> [String; 2] {
    let rates = Rates::of(case.loads.main.profile.rate_unit);
    let written = |seconds: f64| rates.under_title(seconds, Unit::Seconds, "");
    let whole = &beside.per_operation;
    let used = match view.interval(rates, whole) {
        Some(interval) => format!("{} ({interval})", written(whole.median)),
        None => written(whole.median),
    };
    let is_felt = |used: &f64| *used > 0.0 && *used >= whole.median * SHARE_LEAST;
    let named = beside.threads.iter().filter(|(_, used)| is_felt(used)).take(THREADS_MOST);
    let threads: Vec<String> = named.map(|(name, used)| format!("{name} {}", written(*used))).collect();
    [used, threads.join(", ")]
}

#[cfg(test)]
mod tests {
    use language::Language;
    use model::profile::Aspect;
    use model::run::Estimate;
    use model::trial::{Counter, ProcessUse, Status, Trial, TrialResult};
    use model::{
        Better, Finding, FindingKind, ParameterName, Quantity, Resource, ResourceKind, Severity, Value,
        metric,
    };

    use super::*;
    use crate::page::Subject;
    use crate::tests::run;

    fn layered(names: &[(&str, f64)]) -> Run {
        let mut run = run();
        let case = run.cases[0].clone();
        let of = |(name, iops): &(&str, f64)| {
            let mut case = case.clone();
            let main = &mut case.loads.main;
            main.profile.aspects.insert(ParameterName::new("layer"), Aspect::Layer);
            main.parameters.set(ParameterName::new("layer"), Value::from(*name));
            main.profile.headline = metric::IOPS;
            let estimate = Estimate {
                n: 1,
                median: *iops,
                low: None,
                high: None,
                confidence: None,
                method: None,
                unit: Unit::PerSecond,
                better: Better::Higher,
            };
            main.estimates.insert(metric::IOPS, estimate);
            case
        };
        run.cases = names.iter().map(of).collect();
        run
    }

    fn section(run: &Run) -> Section {
        write(&View::new(&Subject { run, words: Language::English.words() }))
    }

    #[test]
    fn each_layer_has_a_row_and_what_is_not_known_has_no_column() {
        let run = layered(&[("loop", 2000.0), ("luks", 1000.0), ("ext4", 900.0)]);
        let section = section(&run);
        let Block::Table(table) = &section.blocks[0].block else { panic!("no table") };
        let names: Vec<String> = table.rows.iter().map(|row| row[0].words()).collect();
        assert_eq!(names, ["loop", "luks", "ext4"]);
        assert_eq!(table.columns.len(), 2, "{:?}", table.columns);
        assert!(section.blocks.len() == 2);
    }

    /// A second of one CPU that was idle for 0.2 s of it: 0.3 s of ours, 0.4 s of one thread of the kernel.
    fn counted(run: &mut Run) {
        let counter = |resource: &str, source: &str, after: u64| Counter {
            resource: Resource::from(resource),
            source: source.to_owned(),
            after,
            after_ns: 1_000_000_000,
            scale: Some(0.01),
            ..Counter::default()
        };
        let mut result = TrialResult::default();
        result.main_mut().metrics.insert(metric::IOPS, Quantity { value: 1000.0, unit: Unit::PerSecond });
        let local = result.local_mut();
        local.counters = vec![
            counter("cpu", "/proc/stat idle", 20),
            counter("cpu:0", "/proc/stat user", 1),
            counter("self", "getrusage(2) user", 10),
            counter("self", "getrusage(2) system", 20),
        ];
        local.processes = vec![ProcessUse {
            pid: 9,
            name: "kworker/0:1".to_owned(),
            own: false,
            kernel: true,
            cpu_s: 0.4,
            watched_s: 1.0,
        }];
        for case in &mut run.cases {
            let result = result.clone();
            let trial = Trial {
                order: 0,
                block: 0,
                started: String::new(),
                status: Status::Ok,
                reason: None,
                result,
            };
            case.trials = vec![trial];
        }
    }

    #[test]
    fn the_rest_of_the_machine_stands_beside_the_load() {
        let mut run = layered(&[("loop", 1000.0), ("ext4", 1000.0)]);
        counted(&mut run);
        let section = section(&run);
        let Block::Table(table) = &section.blocks[1].block else { panic!("no table") };
        let row: Vec<String> = table.rows[1].iter().map(Text::words).collect();
        assert!(row.contains(&"500.0 us".to_owned()), "{row:?}");
        assert!(row.contains(&"kworker 400.0 us".to_owned()), "{row:?}");
    }

    #[test]
    fn what_is_full_and_what_each_layer_costs_stand_with_the_layers() {
        let mut run = layered(&[("raid6", 2000.0), ("luks", 1000.0)]);
        let limits = ["device-full", "kernel-work-full"];
        for (case, (code, iops)) in run.cases.iter_mut().zip(limits.into_iter().zip([2000.0, 1000.0])) {
            let resource = Resource::of(ResourceKind::Block, "dm-0");
            case.findings = vec![Finding::new(FindingKind::Bottleneck, code, Severity::Note).on(resource)];
            case.trials = (0..5).map(|block| trial(block, iops + f64::from(block))).collect();
        }
        let section = section(&run);
        let Block::Table(table) = &section.blocks[1].block else { panic!("no table") };
        let full: Vec<String> = table.rows.iter().map(|row| row[row.len() - 1].words()).collect();
        assert!(full[0].contains("is full") && full[1].contains("the CPUs are full"), "{full:?}");
        let Block::List(costs) = &section.blocks[2].block else { panic!("no sentences") };
        let costs: Vec<String> = costs.iter().map(Text::words).collect();
        assert_eq!(costs.len(), 1);
        assert!(
            costs[0].starts_with("luks costs 49.") && costs[0].contains("the CPUs are full"),
            "{costs:?}"
        );
    }

    fn trial(block: u32, iops: f64) -> Trial {
        let mut result = TrialResult::default();
        result.main_mut().metrics.insert(metric::IOPS, Quantity { value: iops, unit: Unit::PerSecond });
        let (started, status) = (String::new(), Status::Ok);
        Trial { order: block, block, started, status, reason: None, result }
    }

    #[test]
    fn a_run_without_layers_has_no_such_section() {
        assert!(section(&run()).is_empty());
        assert!(section(&layered(&[("loop", 1.0)])).is_empty());
    }
}
