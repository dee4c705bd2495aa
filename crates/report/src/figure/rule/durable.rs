//! Writes until the last one returned, and until all were on the device: what
//! lies between is what the page cache took.

use chart::plot::{Bar, BarGroup, Bars};
use language::Words;
use model::run::CaseResult;
use model::{Better, MetricName, Unit, Value, fact, metric};

use crate::figure::factors::CaseGroup;
use crate::figure::quantity::{self, Metric};
use crate::figure::{Figure, RuleInput, some_of};

/// Cases of one chart, each with two bars.
const CASES_MOST: usize = 20;

pub(super) fn chart(input: &RuleInput<'_>, group: &CaseGroup<'_>) -> Option<Figure> {
    let words = input.view.words;
    let has = |c: &&CaseResult, name: MetricName| c.loads.main.estimates.contains_key(&name);
    let both = |c: &&CaseResult| has(c, metric::THROUGHPUT) && has(c, metric::THROUGHPUT_DURABLE);
    let cases: Vec<&CaseResult> = group.cases.iter().copied().filter(both).collect();
    let metric = Metric::of(words, cases.first()?, metric::THROUGHPUT)?;
    let of_case = |case: &&CaseResult| {
        let bar = |series: usize, name: MetricName, note: Option<String>| {
            let value = case.loads.main.estimates.get(&name).filter(|e| e.unit == Unit::BytesPerSecond);
            Bar { series, value: value.and_then(quantity::measured), reference: None, note }
        };
        let bars =
            vec![bar(0, metric::THROUGHPUT, held(words, case)), bar(1, metric::THROUGHPUT_DURABLE, None)];
        BarGroup { label: group.label(case), bars }
    };
    let all = cases.len();
    let groups = cases.iter().take(CASES_MOST).map(of_case).collect();
    let series = ["figure-until-returned", "figure-until-durable"].map(|key| words.say(key)).to_vec();
    let plot =
        Bars { value: metric.axis(), series, groups, references: Vec::new(), better: Some(Better::Higher) };
    let title = input.title(&words.say("figure-durable"), group);
    let some = (all > CASES_MOST).then(|| some_of(words, "figure-cases-some", (CASES_MOST, all)));
    Some(Figure::new("durable", title, plot).note(Some(words.say("figure-durable-note"))).note(some))
}

/// `23 % were still in memory`, where something was.
fn held(words: &Words, case: &CaseResult) -> Option<String> {
    let share = crate::load::fact(case, fact::DIRTY_SHARE).filter(|share| *share >= 0.001)?;
    Some(words.tell("figure-still-cached", &[("share", Value::Number(share))]))
}
