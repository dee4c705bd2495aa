//! A block that stays in a cache of the core: its figure is that cache's.

use model::finding::Evidence;
use model::profile::{Aspect, SharedAccess};
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, Severity};

use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "fits-in-cache",
    doc: "The block of memory.blocks, which is used again and again, fits in the core's first or second cache: memory \
         has no part in the figure.",
    english: r#"
finding-fits-in-cache =
    { $travels ->
        [yes] all threads write the one block of { BINARY($block) }: its lines travel between the cores, and that is
            what this measures, not memory
       *[no] { $global ->
            [yes] the one block of all threads, { BINARY($block) },
           *[no] a block of { BINARY($block) }
        } stays in the level { $level } cache of { BINARY($cache) }: this is that cache's figure, not memory's
    }
    .advice = to measure memory, use memory.bandwidth with a size beyond the caches

evidence-block = block-size = { BINARY($block) }
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    if !measure::accesses_blocks(case) || measure::good(case).next().is_none() {
        return None;
    }
    let caches = context.machine.map(|m| &m.inventory.cpu.caches[..]).unwrap_or_default();
    let block = measure::one_block(case)?;
    let cache = caches.iter().filter(|c| c.level <= 2 && block <= c.bytes).min_by_key(|c| c.level)?;
    let shared = measure::profile(case).shared.clone().filter(|_| measure::workers(case) > 1.0);
    let (global, travels) = (shared.is_some(), shared == Some(SharedAccess::Write));
    let evidence = Evidence::maybe_at("block", measure::said(case, Aspect::Sizes));
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
            .on(Resource::MEMORY)
            .arg("block", block)
            .arg("level", u64::from(cache.level))
            .arg("cache", cache.bytes)
            .arg("global", global)
            .arg("travels", travels)
            .because(evidence.arg("block", block)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::Machine;
    use model::machine::Cache;
    use model::study::Controls;

    #[test]
    fn the_first_cache_that_holds_the_block_is_named() {
        let of = |block: u64, threads: u64, scope: &str, operation: &str| {
            let mut machine = Machine::default();
            let cache = |level, bytes| Cache { level, bytes, shared_by: vec![0] };
            machine.inventory.cpu.caches = vec![cache(1, 48 << 10), cache(2, 2 << 20), cache(3, 32 << 20)];
            let mut case = fixture::case(1);
            fixture::workload(&mut case, "memory.blocks");
            fixture::set(&mut case, "block-size", block);
            fixture::set(&mut case, "threads", threads);
            fixture::set(&mut case, "scope", scope);
            fixture::set(&mut case, "operation", operation);
            let controls = Controls::default();
            let context = Context { machine: Some(&machine), ..fixture::context(&controls) };
            fixture::found(&RULE, &case, &context).pop().map(|f| f.text).unwrap_or_default()
        };
        let found = |block, threads, scope| of(block, threads, scope, "read");
        assert!(of(1024, 2, "global", "write").contains("travel between the cores"));
        assert!(of(1024, 2, "local", "write").contains("level 1"));
        assert!(
            found(1024, 1, "global").starts_with("a block of 1 KiB stays in the level 1 cache of 48 KiB")
        );
        assert!(found(1 << 20, 2, "local").contains("level 2 cache of 2 MiB"));
        assert!(found(1024, 2, "global").starts_with("the one block of all threads, 1 KiB"));
        assert_eq!(found(16 << 20, 1, "global"), "", "what many share is not told");
    }
}
