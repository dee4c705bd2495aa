//! Where more load buys no more rate, named on a chart. What a knee is says
//! [`stats::knee`].

use chart::plot::Mark;
use language::Words;
use model::parameter::Kind;
use model::{Better, MetricName, Value, metric};
use stats::knee::{GAIN, GAIN_ALONE, LoadLevel};

use crate::figure::factors::CaseGroup;
use crate::figure::quantity::Metric;

/// Places that are marked on one chart: more are a grid.
const MARKS_MOST: usize = 3;

/// Latencies that tell of waiting, the first that all cases of a line have: what
/// half of the operations see moves with the mean, and a tail has moods of its own.
const WITNESSES: &[MetricName] = &[metric::LATENCY_P50, metric::LATENCY_P90, metric::LATENCY_P99];

#[derive(PartialEq)]
pub(super) struct Knee {
    /// Where, on the factor's axis.
    pub(super) x: f64,
    /// Whether latency was its witness.
    pub(super) is_full: bool,
}

/// The knee of one level's cases.
pub(super) fn of(group: &CaseGroup<'_>, metric: &Metric, level: usize) -> Option<Knee> {
    let axis = group.axis()?;
    // More bytes or a longer time are no load.
    let counts = matches!(axis.kind, Some(Kind::Count | Kind::Rate));
    if !counts || metric.better != Better::Higher {
        return None;
    }
    let mut cases = group.of_level(level);
    cases.retain(|c| metric.at(c).is_some() && axis.number_of(c).is_some());
    let witness =
        WITNESSES.iter().find(|name| cases.iter().all(|c| c.loads.main.estimates.contains_key(name)));
    let at = |c: &&model::run::CaseResult| {
        let latency = witness.and_then(|name| c.loads.main.estimates.get(name)).map(|e| e.median);
        Some(LoadLevel { load: axis.number_of(c)?, rate: metric.at(c)?.value, latency })
    };
    let mut levels: Vec<LoadLevel> = cases.iter().filter_map(at).collect();
    levels.sort_by(|a, b| a.load.total_cmp(&b.load));
    let found = stats::knee::knee(&levels)?;
    Some(Knee { x: levels[found].load, is_full: witness.is_some() })
}

/// The knees of these levels: those at one place together, those of the highest
/// lines first.
pub(super) fn marks(words: &Words, group: &CaseGroup<'_>, metric: &Metric, levels: &[usize]) -> Vec<Mark> {
    let top = |level: &usize| {
        let values = group.of_level(*level).into_iter().filter_map(|c| metric.at(c)).map(|m| m.value);
        values.fold(f64::MIN, f64::max)
    };
    let mut order = levels.to_vec();
    order.sort_by(|a, b| top(b).total_cmp(&top(a)));
    let knees = order.into_iter().filter_map(|level| Some((of(group, metric, level)?, level)));
    let places = crate::grouped(knees);
    let mark = |(knee, mut of): (Knee, Vec<usize>)| {
        of.sort_unstable();
        let gain = ("gain", Value::Number(if knee.is_full { GAIN } else { GAIN_ALONE }));
        let key = if knee.is_full { "figure-full" } else { "figure-knee" };
        // What is so of all lines needs no names.
        let label = if of.len() == levels.len() {
            words.tell(key, &[gain])
        } else {
            let names: Vec<String> = of.iter().map(|level| group.name_of(*level)).collect();
            words.tell(&format!("{key}-of"), &[gain, ("line", Value::Text(names.join(", ")))])
        };
        Mark { x: knee.x, label }
    };
    places.into_iter().take(MARKS_MOST).map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::tests::fixture::{disk, run, seen, with};
    use crate::figure::{RuleInput, quantity};
    use model::Unit;
    use model::run::CaseResult;

    fn found(cases: Vec<CaseResult>) -> Vec<(f64, String)> {
        let run = run(cases);
        seen(&run, |view| {
            let input = RuleInput::new(view, &run.cases.iter().collect::<Vec<_>>());
            let group = &input.groups[0];
            let metric = quantity::common(view.words, &group.cases).unwrap();
            let levels: Vec<usize> = (0..group.series().map_or(1, |f| f.levels.len())).collect();
            marks(view.words, group, &metric, &levels).into_iter().map(|m| (m.x, m.label)).collect()
        })
    }

    const DEPTHS: [u64; 6] = [1, 2, 4, 8, 16, 32];

    /// A closed loop on a device of 80,000 reads a second, 100 us away.
    fn closed(pattern: &str, most: f64) -> Vec<CaseResult> {
        let case = |depth: u64| {
            let rate = (depth as f64 / 100e-6).min(most);
            with(disk(pattern, 4096, depth, rate), metric::LATENCY_P50, Unit::Seconds, depth as f64 / rate)
        };
        DEPTHS.map(case).to_vec()
    }

    #[test]
    fn a_knee_has_latency_as_its_witness() {
        let all = found(closed("randread", 80e3));
        assert_eq!(all.len(), 1);
        assert!(all[0].0 == 8.0 && all[0].1.contains("5 %"), "{all:?}");
        // Something else holds the rate: nobody waits.
        let mut held = closed("randread", 80e3);
        for case in &mut held {
            case.loads.main.estimates.get_mut(&metric::LATENCY_P50).unwrap().median = 1e-4;
        }
        assert_eq!(found(held), []);
    }

    #[test]
    fn every_line_has_its_knee_and_one_place_has_one_name() {
        let both = |reads, writes| found([closed("randread", reads), closed("randwrite", writes)].concat());
        let apart = both(160e3, 40e3);
        assert_eq!(apart.iter().map(|k| k.0).collect::<Vec<_>>(), [16.0, 4.0]);
        assert!(apart[1].1.starts_with("random write: "), "{apart:?}");
        let together = both(80e3, 79e3);
        assert!(together.len() == 1 && !together[0].1.contains("random"), "{together:?}");
    }
}
