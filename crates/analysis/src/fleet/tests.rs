//! Fleets made by a generator with a seed, and of runs made by hand.

use std::collections::BTreeMap;

use model::{Machine, Unit, metric};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::comparison::MARGIN;
use crate::comparison::tests::{depth, run};

const PAGES: usize = 200;

/// A fleet that was made up: what is wrong with it is known.
struct Made {
    random: Xoshiro256PlusPlus,
    machines: usize,
    figures: usize,
}

impl Made {
    fn new(seed: u64, machines: usize, figures: usize) -> Self {
        Self { random: Xoshiro256PlusPlus::seed_from_u64(seed), machines, figures }
    }

    fn uniform(&mut self) -> f64 {
        ((self.random.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Figures spread by 2 %, of which those of `slow` machines are 11 % less in the first `in_figures`.
    fn figures(&mut self, slow: &[usize], in_figures: usize) -> Vec<FleetFigure> {
        let (machines, figures) = (self.machines, self.figures);
        let one = |place: usize| {
            let value = |machine: usize| {
                let level = if place < in_figures && slow.contains(&machine) { 0.89 } else { 1.0 };
                Some(1e9 * level * (0.02 * self.normal()).exp())
            };
            FleetFigure {
                case: Label::default(),
                workload: WorkloadName::new("disk"),
                rate_unit: RateUnit::default(),
                metric: metric::THROUGHPUT,
                unit: Unit::BytesPerSecond,
                better: Better::Higher,
                values: (0..machines).map(value).collect(),
                scores: Vec::new(),
                median: None,
                spread: None,
                missing: Vec::new(),
            }
        };
        (0..figures).map(one).collect()
    }

    /// Facts of machines: one that all of `marked` have and no other, with the same said in other words; an identity of
    /// each; and facts that are dealt out at random.
    fn facts(&mut self, marked: &[usize]) -> Vec<Vec<MachineFact>> {
        let fact = |code, value: String| MachineFact { code, text: code, value: FactValue::Whole(value) };
        let machines = self.machines;
        let one = |machine: usize| {
            let is_marked = marked.contains(&machine);
            let modules = if is_marked { ["A1"].as_slice() } else { &["A1", "B1"] };
            let modules = modules.iter().map(|slot| (*slot).to_owned()).collect();
            let half = |random: f64| if random < 0.5 { "a" } else { "b" }.to_owned();
            vec![
                fact("serial", format!("S{machine:06}")),
                MachineFact { code: "modules", text: "modules", value: FactValue::Parts(modules) },
                fact("board", half(self.uniform())),
                fact("firmware", format!("1.{}", (self.uniform() * 4.0) as usize)),
                fact("rare", if self.uniform() < 0.08 { "x" } else { "y" }.to_owned()),
                fact("memory", if is_marked { "128 GiB" } else { "256 GiB" }.to_owned()),
                MachineFact {
                    code: "warm",
                    text: "warm",
                    value: FactValue::Number(50.0 + 5.0 * self.normal()),
                },
                MachineFact {
                    code: "uptime",
                    text: "uptime",
                    value: FactValue::Number(1e6 * self.uniform()),
                },
            ]
        };
        (0..machines).map(one).collect()
    }

    fn judged(&mut self, slow: &[usize], in_figures: usize) -> Fleet {
        let facts = self.facts(slow);
        let machine = |place: usize| FleetMachine { name: format!("node{place}"), ..FleetMachine::default() };
        let figures = self.figures(slow, in_figures);
        Fleet::judged((0..self.machines).map(machine).collect(), &facts, figures, MARGIN)
    }
}

/// What simulated pages came to.
#[derive(Debug, Default)]
struct Tally {
    found: usize,
    accusing: usize,
    sets: usize,
    explained: usize,
}

/// Of pages with three machines that are slow in so many of 50 figures: how many of the slow were named, how many pages
/// accuse another, and how often the planted cause was in the first tie.
fn tally(in_figures: usize) -> Tally {
    let mut tally = Tally::default();
    for page in 0..PAGES {
        let slow = [page % 60, page % 60 + 1, page % 60 + 3];
        let fleet = Made::new(page as u64, 64, 50).judged(&slow, in_figures);
        let is_named = |machine: &usize| fleet.splits.iter().any(|split| split.machines.contains(machine));
        tally.found += slow.iter().filter(|machine| is_named(machine)).count();
        tally.accusing += usize::from((0..64).any(|m| !slow.contains(&m) && is_named(&m)));
        if let Some(split) = fleet.splits.first() {
            tally.sets += 1;
            let first = split.ties.first();
            let has = |code: &str| first.is_some_and(|tie| tie.facts.iter().any(|fact| fact.code == code));
            tally.explained += usize::from(has("modules") && has("memory"));
        }
    }
    println!("slow in {in_figures} of 50 figures: {tally:?} of {} slow on {PAGES} pages", 3 * PAGES);
    tally
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn slow_machines_are_found_with_the_planted_cause_and_others_seldom_accused() {
    let tally = tally(5);
    assert!(tally.found * 10 >= 9 * 3 * PAGES, "{tally:?}");
    assert!(tally.accusing * 20 <= PAGES, "{tally:?}");
    assert!(tally.explained * 10 >= 9 * PAGES, "{tally:?}");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn slow_in_one_figure_alone_is_mostly_found() {
    let tally = tally(1);
    assert!(tally.found * 100 >= 75 * 3 * PAGES, "{tally:?}");
    assert!(tally.accusing * 20 <= PAGES && tally.explained * 10 >= 9 * tally.sets, "{tally:?}");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn fleets_without_a_slow_machine_seldom_accuse_one() {
    let accusing =
        (0..PAGES).filter(|page| !Made::new(1000 + *page as u64, 64, 50).judged(&[], 0).splits.is_empty());
    let accusing = accusing.count();
    println!("{accusing} of {PAGES} pages without a slow machine accuse one");
    assert!(accusing * 20 <= PAGES, "{accusing}");
}

#[test]
fn of_few_machines_what_can_be_told_is_told() {
    let slow = |machines, figures| Made::new(7, machines, figures).judged(&[1], figures);
    let three = slow(3, 1);
    assert!(three.splits.is_empty() && three.reach.is_none() && three.figures[0].median.is_some());
    // Of five, one has to be far out to be seen.
    let five = slow(5, 1);
    assert!(five.reach.unwrap() > 5.0, "{:?}", five.reach);
    let eight = slow(8, 1);
    assert!(eight.reach.unwrap() < five.reach.unwrap() && eight.reach.unwrap() > 3.0, "{:?}", eight.reach);
    let many = slow(64, 1);
    assert_eq!(many.splits.iter().map(|split| split.machines.clone()).collect::<Vec<_>>(), [[1]]);
}

#[test]
fn how_much_less_two_machines_do_is_as_sure_as_the_median_of_the_others() {
    let fleet = Made::new(5, 64, 3).judged(&[1, 2], 3);
    let split = fleet.splits.iter().find(|split| split.machines == [1, 2]).expect("both are slow");
    for figure in &split.figures {
        let ratio = figure.ratio.unwrap();
        assert!(0.83 < ratio.low && ratio.high < 0.95 && ratio.high - ratio.low < 0.04, "{ratio:?}");
    }
}

#[test]
fn a_quarter_of_the_machines_is_a_group_with_what_goes_with_it() {
    let slow: Vec<usize> = (0..64).filter(|machine| machine % 4 == 0).collect();
    let fleet = Made::new(3, 64, 10).judged(&slow, 2);
    let [split] = &fleet.splits[..] else { panic!("{:?}", fleet.splits) };
    assert_eq!((split.kind, split.is_worse, &split.machines), (SplitKind::Group, true, &slow));
    assert_eq!(split.figures.len(), 2);
    let ratio = split.figures[0].ratio.unwrap();
    assert!(ratio.low < 0.89 && 0.89 < ratio.high && ratio.high < 0.95, "{ratio:?}");
    let tie = &split.ties[0];
    assert!(tie.is_sure() && tie.told_apart == 1.0, "{tie:?}");
    let codes: Vec<&str> = tie.facts.iter().map(|fact| fact.code.as_str()).collect();
    assert_eq!(
        codes,
        ["modules", "memory", "memory"],
        "both values of the memory, and the module that is missing"
    );
}

#[test]
fn what_only_one_machine_has_explains_it_and_what_is_each_ones_own_does_not() {
    let fact = |code: &'static str, value: &str| MachineFact {
        code,
        text: code,
        value: FactValue::Whole(value.to_owned()),
    };
    let one = |machine: usize| {
        let governor = if machine == 2 { "powersave" } else { "performance" };
        let options = ["quiet".to_owned(), format!("root=UUID={machine}")].into_iter().collect();
        let line = MachineFact { code: "line", text: "line", value: FactValue::Parts(options) };
        vec![fact("governor", governor), fact("mac", &format!("02:{machine}")), line]
    };
    let table = FactTable::of(&(0..64).map(one).collect::<Vec<_>>());
    let others: Vec<usize> = (0..64).filter(|machine| *machine != 2).collect();
    let ties = table.explain(&[2], &others);
    let [tie] = &ties[..] else { panic!("{ties:?}") };
    assert!(tie.facts.iter().all(|fact| fact.code == "governor"), "{tie:?}");
    assert!((tie.p_value - 1.0 / 64.0).abs() < 1e-9, "{tie:?}");
    // Nothing is known of a machine that says nothing.
    assert!(FactTable::of(&vec![Vec::new(); 8]).explain(&[1], &[2, 3]).is_empty());
}

#[test]
fn a_number_goes_with_it_where_it_ranks_apart() {
    let warm = |machine: usize| MachineFact {
        code: "temperature",
        text: "temperature",
        value: FactValue::Number(if machine < 3 { 90.0 } else { 50.0 } + machine as f64 / 10.0),
    };
    let table = FactTable::of(&(0..32).map(|machine| vec![warm(machine)]).collect::<Vec<_>>());
    let others: Vec<usize> = (3..32).collect();
    let ties = table.explain(&[0, 1, 2], &others);
    assert_eq!(ties.len(), 1);
    // 2 of the C(32, 3) ways.
    assert!((ties[0].p_value - 2.0 / 4960.0).abs() < 1e-9 && ties[0].told_apart == 1.0, "{ties:?}");
    assert_eq!(ties[0].facts[0].what, TiedWhat::Number { own: 90.1, others: 51.7 });
}

/// A run on a machine, with a kernel, of these depths.
fn on(host: &str, kernel: &str, cases: &[(u64, f64)]) -> model::Run {
    let case = |(deep, value): &(u64, f64)| depth(*deep, &[value * 0.999, *value, value * 1.001]);
    let mut run = run(&format!("r-{host}"), &[], cases.iter().map(case).collect());
    let mut machine = Machine { hostname: host.to_owned(), ..Machine::default() };
    machine.inventory.kernel = kernel.to_owned();
    run.machines = vec![machine];
    run
}

#[test]
fn runs_of_many_machines_become_a_fleet() {
    let mut gathering = FleetGathering::new(None);
    let none = BTreeMap::new();
    for place in (0..16).rev() {
        let factor = [1.0, 1.01, 0.99, 1.005, 0.995][place % 5];
        let (kernel, level) = if place == 9 { ("6.18", 80.0) } else { ("6.1", 100.0) };
        let tags = [("rack".to_owned(), (place / 8).to_string())].into_iter().collect();
        gathering.add(&on(&format!("node{place}"), kernel, &[(1, level * factor)]), &tags);
    }
    // An older run of the same machine, one of other work, and one without a name.
    let old = model::Run { started: "2026-01-01T12:00:00Z".to_owned(), ..on("node3", "6.1", &[(1, 1.0)]) };
    gathering.add(&old, &none);
    gathering.add(&on("node16", "6.1", &[(64, 500.0)]), &none);
    gathering.add(&on("xxxx", "6.1", &[(1, 100.4)]), &none);
    let fleet = gathering.finish(MARGIN);
    let names: Vec<&str> = fleet.machines.iter().map(|machine| machine.name.as_str()).collect();
    assert_eq!(names[..4], ["node16", "r-xxxx", "node0", "node1"], "by rack, then by number");
    assert_eq!((fleet.machines.len(), fleet.figures.len(), fleet.alone), (18, 1, 1));
    let figure = &fleet.figures[0];
    assert_eq!((figure.metric, figure.values.iter().flatten().count()), (metric::IOPS, 17));
    assert_eq!(figure.missing, [FleetMissing { machine: 0, reason: None }]);
    let [split] = &fleet.splits[..] else { panic!("{:?}", fleet.splits) };
    assert_eq!(
        split.machines.iter().map(|m| fleet.machines[*m].name.as_str()).collect::<Vec<_>>(),
        ["node9"]
    );
    assert!(split.is_worse && split.kind == SplitKind::Unlike);
    let ratio = split.figures[0].ratio.unwrap();
    assert!(
        (ratio.ratio - 0.8).abs() < 0.01 && ratio.low < ratio.ratio && ratio.ratio < ratio.high,
        "{ratio:?}"
    );
    assert!(split.ties[0].facts.iter().any(|fact| fact.code == "kernel"), "{:?}", split.ties);
}

#[test]
fn a_difference_that_does_not_matter_is_not_told() {
    let fleet = |margin| {
        let mut gathering = FleetGathering::new(None);
        for place in 0..20 {
            let value = if place == 4 { 99.0 } else { 100.0 + f64::from(place % 3) * 0.01 };
            gathering.add(&on(&format!("node{place}"), "6.1", &[(1, value)]), &BTreeMap::new());
        }
        gathering.finish(margin)
    };
    assert_eq!(fleet(0.0).splits.len(), 1);
    assert!(fleet(0.02).splits.is_empty());
}

#[test]
fn a_masked_fleet_has_no_name_in_it() {
    let mut gathering = FleetGathering::new(None);
    for place in 0..12 {
        let mut run = on(
            &format!("secret{place}"),
            "6.1",
            &[(1, if place == 11 { 50.0 } else { 100.0 + f64::from(place) / 9.0 })],
        );
        run.machines[0].inventory.system.product = Some(format!("box of secret{place}"));
        gathering.add(&run, &BTreeMap::new());
    }
    let mut fleet = gathering.finish(MARGIN);
    assert_eq!(fleet.splits.len(), 1);
    let names = fleet.mask();
    assert_eq!(names.len(), 12);
    let text = serde_json::to_string(&fleet).unwrap();
    assert!(!text.contains("secret") && text.contains("machine 12"), "{text}");
}
