//! The trials in the order they ran, each against its own case's median: did
//! the machine change during the run?

use chart::plot::{Axis, Dot, Dots, Measured, Numbers, Scatter, Spread};
use model::run::CaseResult;
use model::trial::Status;
use model::{Value, WorkloadName};

use crate::figure::{Figure, factors, quantity};
use crate::view::View;

/// Trials that are drawn one by one; of more, groups of neighbours.
const DOTS_MOST: usize = 160;

/// Trials that make a course.
const TRIALS_LEAST: usize = 6;

/// Workloads that are told apart.
const GROUPS_MOST: usize = 6;

/// One trial: its place in the run, its figure against its case's median.
struct Step {
    order: u32,
    block: u32,
    workload: WorkloadName,
    label: String,
    ratio: f64,
}

pub(super) fn figure(view: &View<'_>, cases: &[&CaseResult]) -> Option<Figure> {
    let words = view.words;
    let mut steps: Vec<Step> = steps_of(view, cases);
    if steps.len() < TRIALS_LEAST {
        return None;
    }
    steps.sort_by_key(|s| s.order);
    let all = steps.len();
    let groups = if all > DOTS_MOST { vec![in_groups(&steps)] } else { by_workload(view, &steps) };
    let x = Axis { title: words.say("figure-order"), numbers: Numbers::Count, spread: Spread::Linear };
    let y = Axis { title: words.say("figure-to-median"), numbers: Numbers::Times, spread: Spread::Auto };
    let plot = Scatter { x, y, better: (None, None), groups, references: Vec::new() };
    let note = match all > DOTS_MOST {
        true => words.tell("figure-order-groups", &[("all", Value::from(all as u64))]),
        false => words.say("figure-order-names"),
    };
    Some(
        Figure::new("scatter", words.say("figure-order-title"), plot)
            .note([words.say("figure-order-note"), note]),
    )
}

/// The trials of all cases, each called as among those of its workload.
fn steps_of(view: &View<'_>, cases: &[&CaseResult]) -> Vec<Step> {
    let mut names: Vec<WorkloadName> = cases.iter().map(|c| c.loads.main.workload).collect();
    names.sort_unstable();
    names.dedup();
    let of = |name: WorkloadName| -> Vec<Step> {
        let own: Vec<&CaseResult> = cases.iter().copied().filter(|c| c.loads.main.workload == name).collect();
        let factors = factors::of(view, &own);
        own.into_iter().filter_map(|c| of_case(c, &factors::label(&factors, c))).flatten().collect()
    };
    names.into_iter().flat_map(of).collect()
}

/// The trials of one case; one alone is its own median and says nothing.
fn of_case(case: &CaseResult, label: &str) -> Option<Vec<Step>> {
    let name = quantity::figure(case)?;
    let value = |t: &model::trial::Trial| t.result.main().metrics.get(&name).map(|q| q.value);
    let good = || case.trials.iter().filter(|t| t.status == Status::Ok && value(t).is_some());
    let median = case.loads.main.estimates.get(&name).map(|e| e.median).filter(|m| *m > 0.0)?;
    let step = |t: &model::trial::Trial| Step {
        order: t.order,
        block: t.block,
        workload: case.loads.main.workload,
        label: label.to_owned(),
        ratio: value(t).unwrap_or(median) / median,
    };
    (good().count() > 1).then(|| good().map(step).filter(|s| s.ratio.is_finite()).collect())
}

fn by_workload(view: &View<'_>, steps: &[Step]) -> Vec<Dots> {
    let groups = crate::grouped(steps.iter().map(|step| (step.workload, step)));
    let dot = |s: &Step| Dot {
        x: plain(f64::from(s.order) + 1.0),
        y: plain(s.ratio),
        label: view.words.tell(
            "figure-order-dot",
            &[("block", Value::from(u64::from(s.block) + 1)), ("case", Value::Text(s.label.clone()))],
        ),
    };
    if groups.len() == 1 || groups.len() > GROUPS_MOST {
        return vec![Dots { name: String::new(), dots: steps.iter().map(dot).collect(), joined: false }];
    }
    let of = |(name, own): &(WorkloadName, Vec<&Step>)| Dots {
        name: view.called(name.as_str()),
        dots: own.iter().map(|step| dot(step)).collect(),
        joined: false,
    };
    groups.iter().map(of).collect()
}

fn plain(value: f64) -> Measured {
    Measured { value, interval: None }
}

/// Neighbours together: their median, from their least to their greatest.
fn in_groups(steps: &[Step]) -> Dots {
    let size = steps.len().div_ceil(DOTS_MOST / 2);
    let dots = steps.chunks(size).filter_map(|part| {
        let ratios: Vec<f64> = part.iter().map(|s| s.ratio).collect();
        let value = stats::interval::median(&ratios)?;
        let (low, high) = ratios.iter().fold((f64::MAX, f64::MIN), |(l, h), r| (l.min(*r), h.max(*r)));
        let (first, last) = (u64::from(part.first()?.order) + 1, u64::from(part.last()?.order) + 1);
        let x = plain((first + last) as f64 / 2.0);
        // Where it stands on the axis says which they are.
        Some(Dot { x, y: Measured { value, interval: Some((low, high)) }, label: String::new() })
    });
    Dots { name: String::new(), dots: dots.collect(), joined: true }
}
