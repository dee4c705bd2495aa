//! How long it took to make the storage stacks that loads drove: each step, such as the making of a file system or the
//! first synchronisation of an array.

use std::collections::BTreeMap;

use language::format::{self, Rates};
use model::fact::{INITIAL_SYNC_RATE, STACK_STEP_LAYERS, STACK_STEP_SECONDS, STACK_STEPS, SYNC_SPEED_MOST};
use model::run::CaseResult;
use model::{FactName, Status, Unit, Value};

use super::View;
use crate::document::{Block, Column, Rank, Section, Table, Text};

/// The steps of one making in their order: the layer, what was done, and for how many seconds.
type Making = Vec<(String, String, f64)>;

/// A step of a stack, with the seconds that it took each time.
struct Step {
    layer: String,
    step: String,
    seconds: Vec<f64>,
}

pub(super) fn write(view: &View<'_>) -> Section {
    let mut section = Section::new("making", view.say("making-title"));
    for (stack, makings) in makings(view) {
        section.put(Rank::Detail, Block::Table(table(view, &stack, &makings)));
        let sync = first_sync(view, &stack).map(|sentence| Block::Paragraph(sentence.into()));
        sync.into_iter().for_each(|sentence| section.put(Rank::Detail, sentence));
    }
    if !section.is_empty() {
        section.put(Rank::Detail, Block::Paragraph(view.say("making-read").into()));
    }
    section
}

/// The makings of each stack: trials on one that stayed tell of the same one.
fn makings(view: &View<'_>) -> Vec<(String, Vec<Making>)> {
    let mut all: Vec<(String, Vec<Making>)> = Vec::new();
    for case in view.cases() {
        let Some(stack) = crate::load::stack(case) else { continue };
        let good = case.trials.iter().filter(|trial| trial.status == Status::Ok);
        for making in good.filter_map(|trial| making(&trial.result.main().facts)) {
            match all.iter_mut().find(|(known, _)| *known == stack) {
                Some((_, makings)) if makings.contains(&making) => {}
                Some((_, makings)) => makings.push(making),
                None => all.push((stack.clone(), vec![making])),
            }
        }
    }
    all
}

/// How fast the array of a stack was synchronised at first, held against what md allows.
fn first_sync(view: &View<'_>, stack: &str) -> Option<String> {
    let is_of_stack = |case: &&CaseResult| crate::load::stack(case).as_deref() == Some(stack);
    let trials = || view.cases().filter(is_of_stack).flat_map(|case| &case.trials);
    let median = |name: FactName| {
        let good = trials().filter(|trial| trial.status == Status::Ok);
        let all: Vec<f64> = good.filter_map(|trial| trial.result.main().facts.get(&name)?.number()).collect();
        stats::interval::median(&all).filter(|value| *value > 0.0)
    };
    let written = |rate: f64| format::quantity(rate, Unit::BytesPerSecond);
    let rate = median(INITIAL_SYNC_RATE)?;
    let Some(most) = median(SYNC_SPEED_MOST) else {
        return Some(view.tell("making-sync", &[("rate", &written(rate))]));
    };
    let share = format!("{:.0}", rate / most * 100.0);
    let said = [("rate", written(rate)), ("limit", written(most)), ("share", share)];
    let said: Vec<(&str, &str)> = said.iter().map(|(name, text)| (*name, text.as_str())).collect();
    Some(view.tell("making-sync-limit", &said))
}

fn making(facts: &BTreeMap<FactName, Value>) -> Option<Making> {
    let list = |name: FactName| match facts.get(&name)? {
        Value::List(all) => Some(all),
        _ => None,
    };
    let layers = list(STACK_STEP_LAYERS)?.iter().zip(list(STACK_STEPS)?);
    let steps = layers.zip(list(STACK_STEP_SECONDS)?);
    steps.map(|((layer, step), took)| Some((layer.to_string(), step.to_string(), took.number()?))).collect()
}

/// The steps in the order of the stack. Those that a making has several of, such as a device for each member, are one.
fn steps(makings: &[Making]) -> Vec<Step> {
    let mut all: Vec<Step> = Vec::new();
    for making in makings {
        let own = making.iter().map(|(layer, step, seconds)| ((layer, step), *seconds));
        for ((layer, step), seconds) in crate::grouped(own) {
            let seconds: f64 = seconds.iter().sum();
            match all.iter_mut().find(|known| known.layer == *layer && known.step == *step) {
                Some(known) => known.seconds.push(seconds),
                None => all.push(Step { layer: layer.clone(), step: step.clone(), seconds: vec![seconds] }),
            }
        }
    }
    all
}

fn table(view: &View<'_>, stack: &str, makings: &[Making]) -> Table {
    let written = |seconds: f64| Rates::default().under_title(seconds, Unit::Seconds, "");
    let row = |step: &Step| -> Vec<Text> {
        let median = stats::interval::median(&step.seconds).map(written).unwrap_or_default();
        let least = step.seconds.iter().copied().reduce(f64::min);
        let range = least.zip(step.seconds.iter().copied().reduce(f64::max)).filter(|(low, high)| low < high);
        let range =
            range.map(|(low, high)| view.tell("range", &[("low", &written(low)), ("high", &written(high))]));
        let what = view.words.or(&format!("making-step-{}", step.step), &step.step);
        let times = step.seconds.len().to_string();
        [step.layer.clone(), what, median, range.unwrap_or_default(), times].map(Text::from).into()
    };
    let columns = vec![
        Column::words(view.say("waterfall-layer")),
        Column::words(view.say("making-step")),
        Column::numbers(view.say("making-median")),
        Column::numbers(view.say("making-range")),
        Column::numbers(view.say("making-times")),
    ];
    let rows = steps(makings).iter().map(row).collect();
    let caption = view.tell("making-table", &[("stack", stack)]);
    Table { caption, columns, rows, groups: Vec::new() }.without_empty_columns()
}

#[cfg(test)]
mod tests {
    use language::Language;
    use model::profile::Aspect;
    use model::trial::{Trial, TrialResult};
    use model::{ParameterName, Run};

    use super::*;
    use crate::page::Subject;
    use crate::tests::run;

    fn facts(steps: &[(&str, &str, f64)]) -> BTreeMap<FactName, Value> {
        let texts = |all: Vec<&str>| Value::List(all.into_iter().map(Value::from).collect());
        BTreeMap::from([
            (STACK_STEP_LAYERS, texts(steps.iter().map(|step| step.0).collect())),
            (STACK_STEPS, texts(steps.iter().map(|step| step.1).collect())),
            (STACK_STEP_SECONDS, Value::List(steps.iter().map(|step| Value::Number(step.2)).collect())),
        ])
    }

    /// A run whose trials have these facts.
    fn made(trials: &[BTreeMap<FactName, Value>]) -> Run {
        let mut run = run();
        let case = &mut run.cases[0];
        let stack = ParameterName::new("stack");
        case.loads.main.profile.aspects.insert(stack, Aspect::Stack);
        case.loads.main.parameters.set(stack, Value::from("loop(a+b) > ext4"));
        let trial = |facts: &BTreeMap<FactName, Value>| {
            let mut result = TrialResult::default();
            result.main_mut().facts.clone_from(facts);
            Trial { order: 0, block: 0, started: String::new(), status: Status::Ok, reason: None, result }
        };
        case.trials = trials.iter().map(trial).collect();
        run
    }

    fn section(run: &Run) -> Section {
        write(&View::new(&Subject { run, words: Language::English.words() }))
    }

    #[test]
    fn each_step_has_its_time_and_one_making_counts_once() {
        let first = facts(&[
            ("loop", "loop-device", 0.25),
            ("loop", "loop-device", 0.25),
            ("ext4", "mkfs.ext4", 1.0),
        ]);
        let second =
            facts(&[("loop", "loop-device", 0.1), ("loop", "loop-device", 0.1), ("ext4", "mkfs.ext4", 3.0)]);
        let section = section(&made(&[first.clone(), first, second]));
        let Block::Table(table) = &section.blocks[0].block else { panic!("no table") };
        let rows: Vec<Vec<String>> =
            table.rows.iter().map(|row| row.iter().map(Text::words).collect()).collect();
        assert_eq!(rows.len(), 2, "{rows:?}");
        assert_eq!(rows[1][..3], ["ext4", "mkfs.ext4", "2.000 s"]);
        assert_eq!(
            (rows[0][0].as_str(), rows[0][2].as_str(), rows[0][4].as_str()),
            ("loop", "350.0 ms", "2")
        );
        assert!(!rows[0][1].contains("loop-device"), "it has words: {rows:?}");
        assert!(table.caption.contains("loop(a+b) > ext4"), "{}", table.caption);
    }

    #[test]
    fn the_first_synchronisation_is_held_against_what_md_allows() {
        let mut slow = facts(&[("raid1", "initial-sync", 10.0)]);
        slow.insert(INITIAL_SYNC_RATE, Value::Number(50e6));
        let said = |facts: &BTreeMap<FactName, Value>| {
            let section = section(&made(std::slice::from_ref(facts)));
            let texts = section.blocks.iter().filter_map(|ranked| match &ranked.block {
                Block::Paragraph(text) => Some(text.words()),
                _ => None,
            });
            texts.collect::<Vec<_>>().join(" ")
        };
        assert!(said(&slow).contains("50") && !said(&slow).contains("sync_speed_max"), "{}", said(&slow));
        slow.insert(SYNC_SPEED_MOST, Value::Number(200e6));
        assert!(
            said(&slow).contains("sync_speed_max") && said(&slow).contains("25 % of that"),
            "{}",
            said(&slow)
        );
        assert!(!said(&facts(&[("ext4", "mkfs.ext4", 1.0)])).contains("synchronised at"));
    }

    #[test]
    fn a_run_without_a_stack_has_no_such_section() {
        assert!(section(&run()).is_empty());
        assert!(section(&made(&[BTreeMap::new()])).is_empty());
    }
}
