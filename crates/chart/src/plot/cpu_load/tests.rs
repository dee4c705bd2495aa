//! The load of CPUs, as it is drawn and told.

use language::Language;

use super::*;
use crate::plot::check::{self, Dice};
use crate::plot::path::corners;

fn row(cpu: u32, busy: &[f64]) -> CpuRow {
    CpuRow { cpu, start_s: 0.0, interval_s: 1.0, busy: busy.to_vec(), note: None }
}

fn load(cpus: Vec<CpuRow>, length: f64) -> CpuLoad {
    CpuLoad { span: (0.0, length), window: None, cpus }
}

/// How long all cells of a step are, in pixels.
fn length(load: &CpuLoad, step: usize) -> f64 {
    let drawing = load.draw(Language::English.words(), 760.0);
    let cells = check::paths(&drawing, &format!("s{step}"));
    cells.iter().flat_map(|d| corners(d)).map(|c| c[1].0 - c[0].0).sum()
}

#[test]
fn every_interval_has_the_ink_of_its_load() {
    let all = load(vec![row(0, &[0.1, 0.1, 0.97, 0.6]), row(1, &[0.1, 1.0, 1.0, 1.0])], 4.0);
    let lengths: Vec<f64> = (0..STEPS).map(|step| length(&all, step)).collect();
    let unit = lengths[0] / 3.0;
    let shares: Vec<f64> = lengths.iter().map(|l| (l / unit * 10.0).round() / 10.0).collect();
    assert_eq!(shares, [3.0, 0.0, 1.0, 0.0, 4.0]);
}

#[test]
fn what_was_not_seen_is_empty_and_said_so() {
    let gap = load(vec![row(0, &[0.1, f64::NAN, 0.1, 0.1])], 4.0);
    let whole = load(vec![row(0, &[0.1, 0.1, 0.1, 0.1])], 4.0);
    assert!((length(&gap, 0) / length(&whole, 0) - 0.75).abs() < 0.01);
    let words = Language::English.words();
    assert!(check::texts(&gap, words, 760.0).iter().any(|t| t.contains("Empty: not seen.")));
    assert!(!check::texts(&whole, words, 760.0).iter().any(|t| t.contains("Empty")));
}

#[test]
fn a_thinned_cell_is_the_mean_and_the_greatest_interval_stands_in_figures() {
    // Every tenth interval full, else idle: 10 % is the lowest step.
    let busy: Vec<f64> = (0..36_000).map(|i| if i % 10 == 0 { 1.0 } else { 0.0 }).collect();
    let all = load(vec![row(0, &busy)], 36_000.0);
    assert!(length(&all, 0) > 0.0 && length(&all, 4) == 0.0);
    let words = Language::English.words();
    assert!(check::texts(&all, words, 760.0).contains(&"10 %, 100 %".to_owned()));
    assert_eq!(all.table(words).rows, [["CPU 0", "10 %", "100 %", "10 %", ""]]);
}

#[test]
fn joined_columns_are_means_of_what_was_seen() {
    let means = [Some(0.1), Some(0.9), None, Some(1.0), None, None, Some(0.3)];
    assert_eq!(steps(&means, 2), [Some(2), Some(4), None, Some(1)]);
    assert_eq!(steps(&means, 1), [Some(0), Some(3), None, Some(4), None, None, Some(1)]);
}

#[test]
fn a_large_machine_stays_small_and_is_labelled_every_eighth() {
    let mut dice = Dice(2);
    let mut cpu = |cpu: u32| row(cpu, &(0..3600).map(|_| dice.share()).collect::<Vec<f64>>());
    let all = load((0..128).map(&mut cpu).collect(), 3600.0);
    let words = Language::English.words();
    let bytes: usize = [760.0, 340.0].map(|width| all.draw(words, width).elements.len()).iter().sum();
    assert!(bytes < 20_000, "{bytes}");
    let texts = check::texts(&all, words, 760.0);
    let named: Vec<&String> = texts.iter().filter(|t| t.starts_with("CPU ")).collect();
    assert_eq!((named.len(), named[1].as_str()), (16, "CPU 8"));
    check::hold(&all, "128 CPUs");
    let mut cpu = |cpu: u32| row(cpu, &[0.5, 0.5]);
    let most = load((0..1024).map(&mut cpu).collect(), 2.0);
    assert!(check::texts(&most, words, 760.0).iter().any(|t| t.contains("A row is the mean of 4 CPUs.")));
    check::hold(&most, "1024 CPUs");
}

#[test]
fn words_name_the_busiest_and_those_that_were_full() {
    let words = Language::English.words();
    let mut all = load(vec![row(0, &[0.2, 0.4]), row(1, &[1.0, 0.96])], 2.0);
    all.cpus[1].note = Some("takes the disk's interrupts".into());
    assert_eq!(
        all.describe(words),
        "Load of 2 CPUs over 2 s: 64 % busy on average. CPU 1 is the busiest with 98 %, CPU 0 the least \
         with 30 %. One CPU was full (95 % or more) on average. CPU 1: takes the disk's interrupts."
    );
}

#[test]
fn two_cpus_look_as_they_did() {
    let mut all = load(vec![row(0, &[0.02, 0.4, 0.6, 0.5]), row(1, &[0.02, 0.97, 1.0, f64::NAN])], 4.0);
    all.window = Some((1.0, 4.0));
    all.cpus[1].note = Some("takes the disk's interrupts".into());
    insta::assert_snapshot!(crate::plot::svg(&all, "Load of 2 CPUs", Language::English.words()));
}

#[test]
fn whatever_comes_is_drawn_within_the_sheet() {
    let mut dice = Dice(31);
    check::hold(&load(vec![], 1.0), "no CPUs");
    for round in 0..25 {
        let count = [1, 2, 5, 17, 49, 200][dice.below(6)];
        let cpu = |cpu: u32, dice: &mut Dice| CpuRow {
            cpu: cpu * if dice.below(9) == 0 { 1 << 20 } else { 1 },
            start_s: dice.share(),
            interval_s: if dice.below(9) == 0 { dice.value() } else { 0.5 },
            busy: (0..dice.below(30))
                .map(|_| if dice.below(5) == 0 { dice.value() } else { dice.share() })
                .collect(),
            note: (dice.below(4) == 0).then(|| dice.name()),
        };
        let cpus = (0..count).map(|i| cpu(i, &mut dice)).collect();
        let window = (dice.below(2) == 0).then(|| (dice.value(), 8.0 * dice.share()));
        check::hold(&CpuLoad { window, ..load(cpus, 10.0) }, &format!("round {round}"));
    }
}
