//! A rate of blocks that does not depend on their size: it counts operations, and
//! bytes have no part in it. (Study C's table of memory is of this kind: 3.19,
//! 3.19 and 3.17 million operations a second at 1, 4 and 16 KiB.)

use model::finding::{Evidence, Place};
use model::profile::Aspect;
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, Severity};

use crate::{Context, Rule, RuleCheck, measure};

/// Blocks differ at least by this factor before anything is concluded.
const SIZES: u64 = 4;

/// Operations that move so many times as many bytes and are at most so much
/// slower take their time for something else.
const SAME: f64 = 1.15;

pub(crate) const RULE: Rule = Rule {
    code: "cost-per-operation",
    doc: "Blocks of sizes that differ at least fourfold have the same rate of operations, within 15 %: it is what one \
         operation costs, and bytes per second made from it are not memory's.",
    english: r#"
finding-cost-per-operation =
    the rate is the same for blocks from { BINARY($least) } to { BINARY($most) }: this is the cost per operation
    ({ SHORT($each_s, unit: "s") }), not memory
    .advice = memory.bandwidth measures memory, memory.latency what one access takes
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    if !measure::accesses_blocks(case) || !measure::is_closed(case) {
        return None;
    }
    let (metric, rate) = measure::operations(case).filter(|(_, rate)| *rate > 0.0)?;
    let alike = context.siblings.same_but(case, Aspect::Sizes);
    let alike = alike.iter().map(|member| context.siblings.case(member));
    let alike = alike.chain(std::iter::once(case)).filter_map(|other| {
        let size = measure::one_block(other)?;
        let (_, own) = measure::operations(other).filter(|(_, own)| *own > 0.0)?;
        ((own / rate).max(rate / own) <= SAME).then_some((size, other))
    });
    let alike: Vec<(u64, &CaseResult)> = alike.collect();
    let least = alike.iter().min_by_key(|(size, _)| *size);
    let most = alike.iter().max_by_key(|(size, _)| *size);
    let ((least, small), (most, large)) = least.zip(most)?;
    if *most < least.saturating_mul(SIZES) {
        return None;
    }
    // As many at once as there are workers, and no more than run at once.
    let cpus = measure::cpus_allowed(case, context.machine);
    let workers = measure::workers(case);
    let each_s = if cpus > 0.0 { workers.min(cpus) } else { workers } / rate;
    let other = if measure::one_block(case) == Some(*least) { large } else { small };
    let said = measure::operations(other).map_or(0.0, |(_, own)| own);
    let evidence = |place: Place, rate: f64| Evidence::at("rate", place).arg("rate", rate);
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
            .on(Resource::MEMORY)
            .arg("least", *least)
            .arg("most", *most)
            .arg("each_s", each_s)
            .because(evidence(Place::Metric(metric), rate))
            .because(evidence(Place::Case(other.label.to_string()), said)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::metric;
    use model::study::Controls;
    use model::{Better, Unit};

    fn cases(rates: &[(u64, f64)]) -> Vec<CaseResult> {
        let of = |(size, rate): &(u64, f64)| {
            let mut case = fixture::case(3);
            fixture::workload(&mut case, "memory.blocks");
            fixture::named(&mut case, &format!("memory.blocks block-size={size}"));
            fixture::set(&mut case, "block-size", *size);
            let estimate = fixture::estimate(*rate, Unit::PerSecond, Better::Higher);
            case.loads.main.estimates.insert(metric::OPERATIONS_PER_SECOND, estimate);
            case
        };
        rates.iter().map(of).collect()
    }

    fn found(cases: &[CaseResult]) -> Vec<String> {
        let controls = Controls::default();
        let context = Context { siblings: &crate::Siblings::of(cases), ..fixture::context(&controls) };
        let of = |case| fixture::found(&RULE, case, &context).pop().map(|f| f.text);
        cases.iter().map(|case| of(case).unwrap_or_default()).collect()
    }

    #[test]
    fn what_one_costs_does_not_depend_on_how_many_run_and_a_given_rate_is_no_cost() {
        let mut two = cases(&[(1024, 2e6), (4096, 2e6)]);
        two.iter_mut().for_each(|case| fixture::set(case, "threads", 2u64));
        assert!(found(&two)[0].contains("(1 us)"), "{:?}", found(&two));
        two.iter_mut().for_each(|case| fixture::set(case, "rate", 2e6));
        assert_eq!(found(&two), ["", ""]);
    }

    #[test]
    fn study_cs_table_counts_operations() {
        let all = found(&cases(&[(1024, 3.19e6), (4096, 3.19e6), (16384, 3.17e6), (1 << 20, 23.6e3)]));
        for text in &all[..3] {
            assert!(text.contains("blocks from 1 KiB to 16 KiB: this is the cost per operation"), "{all:?}");
        }
        assert_eq!(all[3], "", "a mebibyte is moved");
    }

    #[test]
    fn rates_that_fall_with_the_size_or_sizes_too_near_say_nothing() {
        assert_eq!(found(&cases(&[(1024, 8e6), (4096, 4e6), (16384, 1e6)])), ["", "", ""]);
        assert_eq!(found(&cases(&[(1024, 3e6), (2048, 3e6)])), ["", ""]);
        assert_eq!(found(&cases(&[(1024, 3e6)])), [""]);
    }
}
