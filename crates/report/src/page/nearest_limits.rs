//! How much room is left: how near each workload came to the limits of its path.

use model::Value;
use model::run::{CaseResult, Utilization};

use super::{View, headline, highlights};
use crate::document::{Answer, Text};
use crate::format::percents;
use crate::view::WorkloadGroup;

/// At most so many limits of one workload are shown.
const TOLD: usize = 3;

/// A share that would be written as 0.0 % is near to nothing.
const NEAR: f64 = 0.0005;

/// A limit that was the nearest of cases, with the share that each used of it.
type Nearest<'a> = (&'a Utilization, Vec<(&'a CaseResult, f64)>);

/// What every workload used of the limits that it came nearest to.
pub(super) fn answer(view: &View<'_>) -> Option<Answer> {
    let of_group = |group: &WorkloadGroup<'_>| {
        let limits = nearest(group);
        let told: Vec<String> = limits.iter().take(TOLD).map(|limit| line(view, group, limit)).collect();
        let text = Text::default().link(group.id(), view.called(group.name.as_str())).plain(": ");
        (!told.is_empty()).then(|| text.plain(told.join("; ")))
    };
    let lines: Vec<Text> = view.groups().iter().filter_map(of_group).collect();
    (!lines.is_empty()).then(|| Answer { question: view.say("answer-room"), lines, elsewhere: Vec::new() })
}

/// The limits that cases came nearest to, the fullest first.
fn nearest<'a>(group: &WorkloadGroup<'a>) -> Vec<Nearest<'a>> {
    let mut limits: Vec<Nearest<'a>> = Vec::new();
    for case in &group.cases {
        let used = highlights::nearest(case).filter(|used| used.fraction >= NEAR);
        let Some(used) = used else { continue };
        let key = |u: &Utilization| (u.resource.clone(), u.quantity, u.kind, u.limit.to_bits());
        match limits.iter_mut().find(|(limit, _)| key(limit) == key(used)) {
            Some((_, cases)) => cases.push((case, used.fraction)),
            None => limits.push((used, vec![(case, used.fraction)])),
        }
    }
    let most = |(_, cases): &Nearest<'_>| cases.iter().map(|c| c.1).fold(f64::MIN, f64::max);
    limits.sort_by(|a, b| most(b).total_cmp(&most(a)));
    limits
}

/// `65 to 97 % of memory (26.74 GB/s, measured) (3 of 5 cases), highest: copy, main memory`.
fn line(view: &View<'_>, group: &WorkloadGroup<'_>, (limit, cases): &Nearest<'_>) -> String {
    let least = cases.iter().map(|c| c.1).fold(f64::MAX, f64::min);
    let Some((case, most)) = cases.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else { return String::new() };
    let share = percents(view.words, least, *most);
    let used = headline::share_of_limit(view, limit, *most, &share);
    if group.cases.len() == 1 {
        return used;
    }
    let count = |n: usize| Value::Integer(n as u64);
    let arguments = [
        ("used", Value::Text(used)),
        ("count", count(cases.len())),
        ("total", count(group.cases.len())),
        ("case", Value::Text(view.short(case))),
    ];
    view.words.tell("room-most", &arguments)
}

#[cfg(test)]
mod tests {
    use language::Language;
    use model::limit::LimitKind;
    use model::metric;
    use model::{Resource, ResourceKind, Unit};

    use super::*;
    use crate::page::Subject;

    fn case(label: &str, resource: &str, fraction: f64) -> CaseResult {
        let nearest = crate::tests::used(resource, fraction);
        let other =
            Utilization { resource: Resource::whole(ResourceKind::Dmi), fraction: 0.01, ..nearest.clone() };
        let mut case =
            CaseResult { utilization: vec![nearest, other], ..crate::tests::run().cases.remove(0) };
        crate::tests::named(&mut case, label);
        case
    }

    fn told(cases: Vec<CaseResult>) -> Option<String> {
        let run = model::Run { cases, ..crate::tests::run() };
        let view = View::new(&Subject { run: &run, words: Language::English.words() });
        answer(&view).map(|answer| answer.lines[0].words())
    }

    #[test]
    fn each_nearest_limit_stands_once_with_the_highest_share() {
        let cases = vec![
            case("disk a", "sata:sda", 0.12),
            case("disk b", "sata:sda", 0.957),
            case("disk c", "dmi", 0.5),
        ];
        let text = told(cases).unwrap();
        assert!(
            text.contains("12 to 96 % of ")
                && text.contains("(560 MB/s, link) (2 of 3 cases), highest: b; 50 % of ")
                && text.ends_with("(560 MB/s, link): c"),
            "{text}"
        );
        // The only case needs no name.
        assert!(told(vec![case("disk a", "sata:sda", 0.5)]).unwrap().ends_with("(560 MB/s, link)"));
    }

    #[test]
    fn busy_cpus_are_a_limit_when_hardly_anything_of_them_is_left() {
        let mut busy = case("disk l3", "memory", 0.5);
        let cpus = |fraction| Utilization {
            resource: Resource::of(ResourceKind::Cpu, "0-1"),
            quantity: metric::CPU,
            kind: LimitKind::Hardware,
            limit: 2.0,
            unit: Unit::One,
            fraction,
            ..busy.utilization[0].clone()
        };
        let (most, nearly) = (cpus(0.97), cpus(0.75));
        busy.utilization.insert(0, nearly);
        assert!(told(vec![busy.clone()]).unwrap().contains("50 % of memory"));
        busy.utilization = vec![most];
        assert!(told(vec![busy]).unwrap().contains("97 % of "));
        let mut none = case("disk", "memory", 0.5);
        none.utilization.clear();
        assert_eq!(told(vec![none]), None);
        let mut far = case("disk", "memory", 0.0001);
        far.utilization.truncate(1);
        assert_eq!(told(vec![far]), None, "of messages an interface has 0.0 %");
    }
}
