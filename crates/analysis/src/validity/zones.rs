//! A pass over a whole hard disk: outer tracks are longer than inner ones and pass the head as fast, so that the rate falls
//! from the first byte to the last. Study E's means over whole disks mixed both.

use model::run::CaseResult;
use model::{Finding, Severity, Value, metric};

use super::finding;
use crate::{Context, PlaceCourse, Rule, RuleCheck, measure};

/// Such a part of the pass is an end of it.
const END: f64 = 0.1;
/// A disk whose ends differ less has no zones that matter.
const LEAST: f64 = 1.2;

pub(crate) const RULE: Rule = Rule {
    code: "outer-and-inner-zones",
    doc: "A pass from the first byte of a hard disk to the last is at least 1.2 times as fast in its first tenth as in its \
         last: the mean over all of it is the rate of no place.",
    english: r#"
finding-outer-and-inner-zones =
    the rate falls from { SHORT($outer, unit: "B/s") } in the outer zones to { SHORT($inner, unit: "B/s") } in the inner
    ones, { PERCENT($share) } of it: the mean is that of no place
    .advice = hold rates of the same places against each other (offset and span)
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let disks = measure::wholes(case, context.machine);
    if disks.is_empty() || !disks.iter().all(|disk| measure::is_platter(context.machine, disk)) {
        return None;
    }
    let all: Vec<(f64, f64)> = measure::place_courses(case).iter().filter_map(ends).collect();
    let (outer, inner) = all.into_iter().max_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)))?;
    let args = [
        ("outer", Value::Number(outer)),
        ("inner", Value::Number(inner)),
        ("share", Value::Number(inner / outer)),
    ];
    (outer >= inner * LEAST).then(|| finding(RULE.code, Severity::Note, &args, Some(metric::THROUGHPUT)))
}

/// The rates at the first and at the last places.
fn ends(course: &PlaceCourse) -> Option<(f64, f64)> {
    let rates: Vec<f64> = course.points.iter().map(|(_, rate)| *rate).collect();
    let part = ((rates.len() as f64 * END).ceil() as usize).clamp(1, rates.len().max(1));
    let first = stats::interval::median(rates.get(..part)?)?;
    let last = stats::interval::median(rates.get(rates.len() - part..)?)?;
    (last > 0.0).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use model::Machine;
    use model::machine::{BlockDevice, BlockKind};
    use model::study::Controls;

    use super::*;
    use crate::measure::by_place::tests::pass;
    use crate::validity::fixture;

    fn texts(rates: Vec<f64>, rotational: bool) -> Vec<String> {
        let mut machine = Machine::default();
        machine.inventory.block.push(BlockDevice {
            name: "sda".to_owned(),
            kind: BlockKind::Disk,
            rotational: Some(rotational),
            transport: Some("sata".to_owned()),
            ..BlockDevice::default()
        });
        let controls = Controls::default();
        let context = Context { machine: Some(&machine), ..fixture::context(&controls) };
        let case = pass("read", &[("/dev/sda", rates)]);
        fixture::found(&RULE, &case, &context).into_iter().map(|found| found.text).collect()
    }

    #[test]
    fn the_ends_of_a_hard_disk_are_told() {
        let falling: Vec<f64> = (0..60).map(|at| 200e6 - f64::from(at) * 1.7e6).collect();
        let found = texts(falling.clone(), true);
        assert!(found[0].contains("in the outer zones to") && found[0].contains("of no place"), "{found:?}");
        assert!(texts(falling, false).is_empty(), "an SSD has no zones");
        assert!(texts(vec![200e6; 60], true).is_empty());
    }
}
