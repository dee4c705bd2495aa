//! Which charts each shape of a study gets, and what their titles say.

mod compute;
mod database;
mod disk;
pub(crate) mod fixture;
mod interaction;
mod places;
mod recorded;
mod scaling;
mod stack;

use super::quantity::{self, Metric};
use super::{Figure, factors, reference};
use fixture::{case, charts, disk, failed, kinds, limited, more, run, seen, timed, with};
use model::limit::LimitKind;
use model::{ParameterName, Unit, Value, WorkloadName, metric};

fn english() -> &'static language::Words {
    language::Language::English.words()
}

const DEPTHS: [u64; 5] = [1, 4, 16, 32, 64];

/// A disk that answers in 100 us and gives at most 80,000 operations a second.
fn iops(depth: u64) -> f64 {
    (depth as f64 / 100e-6).min(80e3)
}

fn titles(figures: &[Figure]) -> Vec<&str> {
    figures.iter().map(|f| f.title.as_str()).collect()
}

#[test]
fn one_case_shows_its_trials_and_its_distribution() {
    let run = run(vec![timed(disk("randread", 4096, 8, 80e3), 90_000)]);
    assert_eq!(kinds(&charts(&run)), ["percentiles", "boxes", "histogram"]);
}

#[test]
fn one_case_without_distributions_shows_its_trials() {
    assert_eq!(kinds(&charts(&run(vec![disk("read", 4096, 8, 80e3)]))), ["boxes"]);
    // Of one trial there is no spread.
    let mut one = disk("read", 4096, 8, 80e3);
    one.trials.truncate(1);
    assert!(charts(&run(vec![one])).is_empty());
}

#[test]
fn one_case_is_a_bar_where_there_is_something_to_hold_it_against() {
    let mut one = limited(disk("read", 1 << 20, 8, 429.0), LimitKind::Link, 560e6, 1.0);
    one.trials.clear();
    let figures = charts(&run(vec![one]));
    assert_eq!(kinds(&figures), ["bars", "chain"]);
    assert_eq!(figures[0].title, "Throughput");
}

#[test]
fn an_ordered_factor_is_a_line_and_what_the_load_costs() {
    let run = run(DEPTHS.map(|d| disk("randread", 4096, d, iops(d))).to_vec());
    let figures = charts(&run);
    assert_eq!(kinds(&figures), ["lines", "scatter", "boxes"]);
    // 4 * 4 of 100 us are 40,000 a second, 16 and more 80,000: there it is full.
    let rows = figures[1].plot.table(language::Language::English.words()).rows;
    let points: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(points[1..4], ["queue depth 4", "queue depth 16, knee", "queue depth 32"]);
    assert_eq!(titles(&figures)[..2], ["IOPS and p99 latency over queue depth", "p99 latency against IOPS"]);
}

#[test]
fn two_levels_and_choices_are_bars() {
    let two = run([1, 32].map(|d| disk("randread", 4096, d, iops(d))).to_vec());
    assert_eq!(kinds(&charts(&two)), ["bars", "boxes"]);
    let choice = run(["read", "write", "randread"].map(|p| disk(p, 4096, 1, 9e3)).to_vec());
    let figures = charts(&choice);
    assert_eq!((kinds(&figures), figures[0].title.as_str()), (vec!["bars", "boxes"], "IOPS by pattern"));
}

#[test]
fn two_ordered_factors_are_lines_and_a_heat_map() {
    let cases =
        [4096u64, 8192, 16384].into_iter().flat_map(|b| DEPTHS.map(|d| disk("randread", b, d, iops(d))));
    let figures = charts(&run(cases.collect()));
    assert_eq!(kinds(&figures), ["lines", "heat", "scatter", "boxes"]);
    assert_eq!(figures[1].title, "IOPS by queue depth and block size");
}

#[test]
fn the_disk_of_the_overview_falls_apart_by_block_size() {
    let mut cases = Vec::new();
    for (pattern, block, depths) in [
        ("read", 1 << 20, [8u64, 16].as_slice()),
        ("write", 1 << 20, &[8, 16]),
        ("randread", 4096, &[1, 16, 32]),
        ("randwrite", 4096, &[1, 32]),
    ] {
        let rate = |d: &u64| if block > 4096 { 2500.0 } else { iops(*d) };
        cases.extend(depths.iter().map(|d| timed(disk(pattern, block, *d, rate(d)), 80_000)));
    }
    let run = run(cases);
    let figures = charts(&run);
    assert_eq!(kinds(&figures), ["lines", "bars", "scatter", "percentiles", "boxes", "histogram"]);
    assert_eq!(
        titles(&figures)[..4],
        [
            "IOPS and p99 latency over queue depth: block size 4 KiB",
            "Throughput by queue depth and pattern: block size 1 MiB",
            "p99 latency against IOPS: block size 4 KiB",
            "Percentiles of latency by pattern and queue depth: block size 4 KiB",
        ]
    );
    let last = figures[5].notes.join(" ");
    assert!(last.contains("Not drawn here: Percentiles of latency") && last.contains("1 MiB"), "{last}");
}

#[test]
fn small_and_large_operations_are_charts_of_their_own() {
    let blocks = [4096u64, 8192, 65536, 1 << 20];
    let cases = blocks.into_iter().flat_map(|b| DEPTHS.map(|d| disk("randread", b, d, iops(d) / b as f64)));
    let figures = charts(&run(cases.collect()));
    let lines: Vec<&str> = figures.iter().filter(|f| f.kind == "lines").map(|f| f.title.as_str()).collect();
    let expected = [
        "IOPS and p99 latency over queue depth: block size 4 KiB\u{2013}8 KiB",
        "Throughput and p99 latency over queue depth: block size 64 KiB\u{2013}1 MiB",
    ];
    assert_eq!(lines, expected);
    assert_eq!(titles(&figures).len(), 5, "{:?}", titles(&figures));
}

/// Reads of these sizes at each depth.
fn sizes_and_depths(sizes: &[u64]) -> model::Run {
    let cases = sizes.iter().flat_map(|b| DEPTHS.map(|d| disk("randread", *b, d, iops(d) / *b as f64)));
    run(cases.collect())
}

#[test]
fn regression_64_kib_in_a_sweep_of_smaller_ones_got_a_chart_of_its_own_in_bytes() {
    let figures = charts(&sizes_and_depths(&[4096, 16384, 65536]));
    let title = "IOPS and p99 latency over queue depth";
    assert_eq!(figures[0].title, title);
    assert_eq!(kinds(&figures), ["lines", "heat", "scatter", "boxes"]);
    // 4 KiB alone far below large ones is another matter.
    let figures = charts(&sizes_and_depths(&[4096, 1 << 18, 1 << 20]));
    let lines: Vec<&str> = figures.iter().filter(|f| f.kind == "lines").map(|f| f.title.as_str()).collect();
    let expected = [
        "Throughput and p99 latency over queue depth: block size 256 KiB\u{2013}1 MiB",
        "IOPS and p99 latency over queue depth: block size 4 KiB",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn sizes_on_an_axis_show_operations_and_bytes_whatever_the_sizes() {
    for sizes in [&[4096u64, 16384, 65536][..], &[4096, 65536, 1 << 20], &[65536, 1 << 20, 1 << 22]] {
        let one = run(sizes.iter().map(|b| disk("read", *b, 8, 2e9 / *b as f64)).collect());
        let figures = charts(&one);
        assert_eq!(figures[0].title, "IOPS and throughput over block size");
        let table = figures[0].plot.table(language::Language::English.words());
        assert_eq!((table.head.len(), table.rows.len()), (3, 3), "{table:?}");
        // The bytes are the same at each size.
        assert!(table.rows.iter().all(|row| row[2].starts_with("2 GB/s")), "{table:?}");
    }
    // Of a span, operations stay what they are.
    let span = |bytes: u64| {
        let mut case = disk("randread", 4096, 1, 1e4);
        case.loads.main.parameters.set(ParameterName::new("span"), bytes);
        crate::tests::named(&mut case, &format!("disk span={bytes}"));
        case
    };
    let spans = run([1u64 << 20, 1 << 22, 1 << 24].map(span).to_vec());
    assert_eq!(charts(&spans)[0].title, "IOPS over span");
}

#[test]
fn a_single_line_has_its_latencies_below_and_several_have_one_each() {
    let case = |pattern: &str, depth: u64| {
        let case = disk(pattern, 4096, depth, iops(depth));
        with(case, metric::LATENCY_P50, Unit::Seconds, depth as f64 / iops(depth))
    };
    let one = run(DEPTHS.map(|d| case("randread", d)).to_vec());
    let figures = charts(&one);
    assert_eq!(figures[0].title, "IOPS and latency over queue depth");
    let words = language::Language::English.words();
    let head = figures[0].plot.table(words).head;
    assert_eq!(head, ["queue depth", "IOPS", "latency, p50", "latency, p99"]);
    let two = run(["randread", "randwrite"].into_iter().flat_map(|p| DEPTHS.map(|d| case(p, d))).collect());
    let figures = charts(&two);
    assert_eq!(figures[0].title, "IOPS and p99 latency over queue depth");
    assert_eq!(figures[0].plot.table(words).head.len(), 5);
}

#[test]
fn of_five_hundred_cases_few_charts_are_drawn_and_the_rest_is_named() {
    let mut cases = Vec::new();
    for pattern in ["read", "write", "randread", "randwrite"] {
        for block in [4096u64, 8192, 16384, 32768, 49152] {
            for depth in DEPTHS {
                for threads in [1u64, 2, 4, 8, 16] {
                    let mut case = disk(pattern, block, depth, iops(depth));
                    case.loads.main.parameters.set(ParameterName::new("threads"), threads);
                    more(&mut case, &format!(" threads={threads}"));
                    cases.push(timed(case, 90_000));
                }
            }
        }
    }
    assert_eq!(cases.len(), 500);
    let figures = charts(&run(cases));
    assert!(figures.len() <= super::MOST, "{:?}", titles(&figures));
    assert_eq!(figures[0].kind, "lines");
    let notes = figures.iter().flat_map(|f| &f.notes).cloned().collect::<Vec<_>>().join(" ");
    assert!(
        notes.contains("Not drawn here") && notes.contains("more. The tables have the numbers"),
        "{notes}"
    );
    assert!(notes.contains("The 40 of 500 cases"), "{notes}");
}

#[test]
fn threads_are_held_against_their_ideal_as_far_as_there_are_cpus() {
    let threads = [1u64, 2, 4, 8].map(|t| {
        let rate = 1000.0 * t.min(4) as f64 * 0.9;
        case(
            WorkloadName::new("cpu.primes"),
            &[("threads", t.into())],
            (metric::EVENTS_PER_SECOND, Unit::PerSecond, rate),
        )
    });
    let figures = charts(&run(threads.to_vec()));
    assert_eq!(figures[0].kind, "lines");
    assert!(figures[0].notes.iter().any(|n| n.starts_with("Ideal")), "{:?}", figures[0].notes);
}

#[test]
fn what_only_follows_from_another_factor_is_none() {
    let of = |size: u64, stores: &str| {
        let parameters = [("operation", "read".into()), ("size", size.into())];
        let mut case = case(
            WorkloadName::new("memory.bandwidth"),
            &parameters,
            (metric::THROUGHPUT, Unit::BytesPerSecond, 1e9),
        );
        case.loads.main.parameters.set(ParameterName::new("stores"), stores);
        case
    };
    let run = run(vec![of(1 << 20, "ordinary"), of(1 << 30, "non-temporal")]);
    let figures = charts(&run);
    assert_eq!(figures[0].title, "Throughput by size");
}

#[test]
fn companions_parameters_and_company_are_factors() {
    let beside = |rate: Option<f64>| {
        let mut case = disk("randread", 4096, 8, 50e3);
        if let Some(rate) = rate {
            let mut parameters = model::Parameters::default();
            parameters.set(ParameterName::new("rate"), rate);
            case.loads.beside.push(model::run::CaseLoad {
                role: model::run::LoadRole::Beside,
                workload: WorkloadName::new("cpu.primes"),
                parameters,
                ..model::run::CaseLoad::default()
            });
            more(&mut case, &format!(" with cpu.primes rate={rate}"));
        }
        case
    };
    let rates = run([1e3, 2e3, 4e3].map(|r| beside(Some(r))).to_vec());
    assert_eq!(charts(&rates)[0].title, "IOPS over cpu.primes rate asked for");
    let company = run(vec![beside(None), beside(Some(1e3))]);
    assert!(charts(&company)[0].title.starts_with("IOPS by load beside it"), "{}", charts(&company)[0].title);
}

#[test]
fn cases_that_nothing_tells_apart_are_bars_by_their_labels() {
    let run = run(vec![disk("read", 4096, 1, 1e3), disk("read", 4096, 1, 2e3)]);
    assert_eq!(kinds(&charts(&run)), ["bars", "boxes"]);
}

#[test]
fn without_results_there_are_no_charts_and_a_failed_case_is_said() {
    assert!(charts(&run(Vec::new())).is_empty());
    assert!(charts(&run(DEPTHS.map(|d| failed(disk("read", 4096, d, 1.0))).to_vec())).is_empty());
    let mut cases = DEPTHS.map(|d| disk("read", 4096, d, iops(d))).to_vec();
    cases[2] = failed(cases[2].clone());
    let figures = charts(&run(cases));
    assert!(
        figures[0].notes.iter().any(|n| n.starts_with("One case has no result")),
        "{:?}",
        figures[0].notes
    );
}

#[test]
fn values_that_are_no_measurements_do_no_harm() {
    for bad in [0.0, -5.0, f64::NAN, f64::INFINITY, 1e300, f64::MIN_POSITIVE] {
        let mut cases = DEPTHS.map(|d| timed(disk("randread", 4096, d, iops(d)), 1)).to_vec();
        cases[1] = limited(timed(disk("randread", 4096, 4, bad), 1), LimitKind::Link, 560e6, 1.0);
        cases[1].trials[0].result.main_mut().histograms.insert(metric::LATENCY, "<svg>".to_owned());
        let run = run(cases);
        let figures = charts(&run);
        assert_eq!(figures[0].kind, "lines", "{bad}");
        seen(&run, |view| super::of_samples(view, &run.cases.iter().collect::<Vec<_>>()));
    }
}

#[test]
fn large_operations_are_told_in_bytes_and_small_ones_in_operations() {
    let small = disk("read", 65_535, 1, 1e3);
    let large = disk("read", 65_536, 1, 1e3);
    let figure = |case: &model::run::CaseResult| quantity::figure(case);
    assert_eq!((figure(&small), figure(&large)), (Some(metric::IOPS), Some(metric::THROUGHPUT)));
    let words = language::Language::English.words();
    // Together they need one figure.
    let common = quantity::common(words, &[&small, &large]).unwrap();
    assert_eq!(common.name, metric::THROUGHPUT);
    let elapsed = with(small.clone(), metric::ELAPSED, Unit::Seconds, 3.0);
    assert_eq!(figure(&elapsed), Some(metric::ELAPSED));
}

#[test]
fn a_limit_stands_where_the_metric_would_fill_it() {
    let words = language::Language::English.words();
    // 300 MB/s that become 400 MB/s on the link, of 560: full at 420 MB/s.
    let one = limited(disk("write", 1_000_000, 8, 300.0), LimitKind::Link, 560e6, 4.0 / 3.0);
    let at = |case, name| Metric::of(words, case, name).map(|m| reference::of(words, &[case], &m)).unwrap();
    let lines = at(&one, metric::THROUGHPUT);
    assert_eq!(lines.len(), 1);
    assert!((lines[0].value - 420e6).abs() < 1.0, "{lines:?}");
    assert_eq!(lines[0].label, "limit of SATA link sda: 420.0 MB/s");
    assert!((at(&one, metric::IOPS)[0].value - 420.0).abs() < 1e-6);
    assert!(at(&one, metric::LATENCY_P99).is_empty());

    // The same link is another number of operations for another size; and what
    // only one case meets is no line for both.
    let other = limited(disk("write", 500_000, 8, 300.0), LimitKind::Link, 560e6, 1.0);
    let free = disk("read", 1_000_000, 8, 900.0);
    let metric = Metric::of(words, &one, metric::IOPS).unwrap();
    assert!(reference::of(words, &[&one, &other], &metric).is_empty());
    assert!(reference::of(words, &[&one, &free], &metric).is_empty());
    let some = reference::of_some(words, ("write", &[&one]), &metric, &[]);
    assert!(some[0].label.starts_with("write: limit of SATA"), "{some:?}");
}

#[test]
fn promises_are_told_from_limits() {
    let words = language::Language::English.words();
    let case = limited(disk("read", 1 << 20, 8, 429.0), LimitKind::Link, 560e6, 1.0);
    let case = limited(case, LimitKind::Promise, 500e6, 1.0);
    let metric = Metric::of(words, &case, metric::THROUGHPUT).unwrap();
    let lines = reference::of(words, &[&case], &metric);
    let kinds: Vec<_> = lines.iter().map(|r| r.kind).collect();
    assert_eq!(kinds, [chart::plot::ReferenceKind::Limit, chart::plot::ReferenceKind::Promise]);
    assert_eq!(lines[1].label, "promised: 500.0 MB/s");
}

#[test]
fn networks_are_told_in_bits() {
    let words = language::Language::English.words();
    let mut case = disk("read", 1 << 20, 8, 429.0);
    case.loads.main.profile.rate_unit = model::profile::RateUnit::Bits;
    let metric = Metric::of(words, &case, metric::THROUGHPUT).unwrap();
    assert_eq!(metric.numbers, chart::plot::Numbers::Bits);
    assert_eq!(reference::shown(125e6, &metric), "1 Gbit/s");
}

#[test]
fn levels_stand_in_order_and_are_written_as_people_write_them() {
    let cases = [65536u64, 4096, 1 << 20].map(|b| disk("read", b, 1, 1e3));
    seen(&run(Vec::new()), |view| {
        let all: Vec<_> = cases.iter().collect();
        let factors = factors::of(view, &all);
        assert_eq!(factors.len(), 1);
        let texts: Vec<&str> = factors[0].levels.iter().map(|l| l.text.as_str()).collect();
        assert_eq!(texts, ["4 KiB", "64 KiB", "1 MiB"]);
        assert_eq!(factors::label(&factors, &cases[1]), "4 KiB");
    });
}

#[test]
fn shares_and_mixes_of_sizes_are_written_as_people_write_them() {
    let of = |share: f64, sizes: Value| {
        let mut case = disk("randrw", 4096, 1, 1e3);
        case.loads.main.parameters.set(ParameterName::new("read-share"), Value::Number(share));
        case.loads.main.parameters.set(ParameterName::new("block-size"), sizes);
        crate::tests::named(&mut case, &format!("disk block-size=x read-share={share}"));
        case
    };
    let mix = Value::List(vec!["4k:70%".into(), "64k:30%".into()]);
    let cases = [of(0.6, 4096u64.into()), of(1.0, mix)];
    seen(&run(Vec::new()), |view| {
        let all: Vec<_> = cases.iter().collect();
        let factors = factors::of(view, &all);
        let texts = |at: usize| factors[at].levels.iter().map(|l| l.text.clone()).collect::<Vec<_>>();
        assert_eq!(texts(0), ["4 KiB", "70 % 4 KiB + 30 % 64 KiB"]);
        assert_eq!(
            (texts(1), factors[1].title.as_str()),
            (vec!["60 %".into(), "100 %".into()], "share of reads")
        );
        assert!(!factors[0].is_ordered() && factors[1].is_ordered());
        assert_eq!(quantity::factor_axis(&factors[1]).numbers, chart::plot::Numbers::Share);
    });
}

#[test]
fn a_parameter_that_some_cases_lack_has_no_order() {
    let without = disk("read", 4096, 1, 1e3);
    let mut asked = disk("read", 4096, 1, 1e3);
    asked.loads.main.parameters.set(ParameterName::new("rate"), Value::Number(20e3));
    seen(&run(Vec::new()), |view| {
        let factors = factors::of(view, &[&without, &asked]);
        let texts: Vec<&str> = factors[0].levels.iter().map(|l| l.text.as_str()).collect();
        assert_eq!((texts, factors[0].is_ordered()), (vec!["not set", "20 k/s"], false));
    });
}

#[test]
fn whatever_the_shape_every_case_is_in_one_group() {
    use proptest::prelude::*;
    let patterns = ["read", "write", "randread", "randwrite"];
    let set = proptest::collection::hash_set((0..4usize, 0..4u32, 0..5u32, 1..4u64, any::<bool>()), 1..40);
    proptest!(|(set in set)| {
        let cases: Vec<_> = set.iter().map(|(pattern, block, depth, threads, direct)| {
            let mut case = disk(patterns[*pattern], 4096 << (2 * block), 1 << depth, 1e3);
            case.loads.main.parameters.set(ParameterName::new("threads"), *threads);
            case.loads.main.parameters.set(ParameterName::new("direct"), *direct);
            more(&mut case, &format!(" threads={threads} direct={direct}"));
            case
        }).collect();
        let all: Vec<_> = cases.iter().collect();
        seen(&run(Vec::new()), |view| {
            let groups = factors::groups(view, &all);
            let count: usize = groups.iter().map(|g| g.cases.len()).sum();
            prop_assert_eq!(count, cases.len());
            for group in &groups {
                prop_assert!(group.factors.len() <= 2 && !group.collides());
            }
            Ok(())
        })?;
    });
}
