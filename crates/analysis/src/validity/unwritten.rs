//! Reads of a block device of which nobody knows that it was ever written.
//! Blocks that were not, or that were discarded, are answered from a table:
//! no flash is read (and of zram or a sparse image, no memory).

use model::finding::Evidence;
use model::profile::{Aspect, OperationClass, TargetState};
use model::run::CaseResult;
use model::{Finding, FindingKind, ResourceKind, Severity};

use crate::measure;
use crate::{Context, Rule, RuleCheck};

pub(crate) const RULE: Rule = Rule {
    code: "blocks-never-written",
    doc: "Reads of a block device that was not filled first: blocks that were never written, or were discarded, are \
         answered by its controller and not by the medium. Hard disks read them all the same.",
    english: r#"
finding-blocks-never-written =
    { $how ->
        [purged] all blocks of { RESOURCE($resource) } were discarded before: { pronoun-its } controller{ plural-s } answer{ verb-s } their reads, not
            the medium
       *[unknown] nobody knows which blocks of { RESOURCE($resource) } were ever written: { pronoun-its } controller{ plural-s } answer{ verb-s } reads of
            the others, not the medium
    }
    .advice = use precondition=fill, which overwrites a device that was given up

evidence-not-filled = it was not filled first
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let reads = measure::does(case, OperationClass::Read) && !measure::is_null(case);
    let state = measure::profile(case).target_state.clone();
    let filled = matches!(state, TargetState::Filled | TargetState::Steady);
    let on_device = case
        .path
        .iter()
        .find(|s| s.resource.is_named(ResourceKind::FileSystem) || s.resource.is_named(ResourceKind::Block))
        .is_some_and(|s| s.resource.is_named(ResourceKind::Block));
    let resource = measure::devices_name(case).filter(|_| reads && on_device && !filled)?;
    let disks = measure::wholes(case, context.machine);
    if !disks.is_empty() && disks.iter().all(|d| measure::is_platter(context.machine, d)) {
        return None;
    }
    let purged = state == TargetState::Discarded;
    let (how, aspect) = if purged { ("purged", Aspect::Discard) } else { ("unknown", Aspect::Targets) };
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
            .on(resource)
            .arg("how", how)
            .because(Evidence::maybe_at("not-filled", measure::said(case, aspect))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::machine::BlockDevice;
    use model::resource::PathStep;
    use model::study::Controls;
    use model::{Machine, Resource, ResourceKind};

    fn hows(rotational: bool, change: impl Fn(&mut CaseResult)) -> Vec<String> {
        let mut machine = Machine::default();
        machine.inventory.block.push(BlockDevice {
            name: "sda".to_owned(),
            rotational: Some(rotational),
            transport: Some("sata".to_owned()),
            ..BlockDevice::default()
        });
        let mut case = fixture::disk_case("randread", 100e6, 100e6);
        change(&mut case);
        let controls = Controls::default();
        let context = Context { machine: Some(&machine), ..fixture::context(&controls) };
        fixture::found(&RULE, &case, &context).iter().map(|f| f.args["how"].to_string()).collect()
    }

    #[test]
    fn only_reads_of_a_device_that_nobody_filled_are_named() {
        let none = Vec::<String>::new();
        assert_eq!(hows(false, |_| {}), ["unknown"]);
        assert_eq!(hows(false, |c| fixture::set(c, "purge", true)), ["purged"]);
        assert_eq!(hows(false, |c| fixture::set(c, "precondition", "fill")), none);
        assert_eq!(hows(false, |c| fixture::set(c, "pattern", "randwrite")), none);
        assert_eq!(hows(true, |_| {}), none);
        let file = |c: &mut CaseResult| {
            c.path.insert(
                0,
                PathStep { resource: Resource::of(ResourceKind::FileSystem, "/ (ext4)"), amplification: 1.0 },
            );
        };
        assert_eq!(hows(false, file), none);
    }
}
