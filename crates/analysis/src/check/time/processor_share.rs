//! A share of a processor that is not the CPU time divided by the time it took.

use model::finding::Evidence;
use model::tool_result::{PrintedValue, ToolMeasurement, ToolResult};
use model::{Finding, FindingKind, Severity, metric};

use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// Shares are cut off to whole percents, and both clocks are read one after the other.
const TOLERANCE: f64 = 0.02;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "cpu-share-contradicts-times",
    doc: "The share of a processor is not the CPU time divided by the time that passed.",
    english: r#"
finding-cpu-share-contradicts-times =
    { $tool } prints { $printed } of a processor, but { SHORT($busy, unit: "s") } of CPU time in { $lasted } are
    { PERCENT($computed) }
    .advice = look at the original output: the share or one of the times is of another run
"#,
    remedies: &[],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    check(result, &result.whole).into_iter().collect()
}

fn check(result: &ToolResult, measured: &ToolMeasurement) -> Option<Finding> {
    let elapsed = measured.figure(metric::ELAPSED).filter(|elapsed| elapsed.least() > 0.0)?;
    let user = measured.figure(metric::CPU_USER_TIME)?;
    let system = measured.figure(metric::CPU_SYSTEM_TIME)?;
    let share = measured.figure(metric::CPU_SHARE)?;
    let sum = |of: fn(&PrintedValue) -> f64| of(user) + of(system);
    let (least, most) =
        (sum(PrintedValue::least) / elapsed.most(), sum(PrintedValue::most) / elapsed.least());
    let blur = TOLERANCE * (1.0 + share.value);
    if share.most() + blur >= least && share.least() - blur <= most {
        return None;
    }
    let busy = user.value + system.value;
    let lines: Vec<u64> = [share, elapsed, user, system].iter().map(|printed| printed.line).collect();
    let evidence = Evidence::maybe_at("printed-lines", None)
        .arg("first", lines.iter().copied().min()?)
        .arg("last", lines.iter().copied().max()?);
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Error)
        .arg("tool", result.tool.as_str())
        .arg("printed", share.text.as_str())
        .arg("busy", busy)
        .arg("lasted", elapsed.text.as_str())
        .arg("computed", busy / elapsed.value)
        .because(evidence);
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture;

    #[test]
    fn the_share_is_the_cpu_time_divided_by_the_time() {
        let text = |share: &str, user: &str| {
            format!(
                "{user}user 0.50system 0:02.00elapsed {share}%CPU (0avgtext+0avgdata 1656maxresident)k\n0inputs+0outputs (0major+75minor)pagefaults 0swaps\n"
            )
        };
        let count = |share: &str, user: &str| fixture::found(&CHECK, &text(share, user)).len();
        assert_eq!((count("75", "1.00"), count("74", "1.00"), count("175", "3.00")), (0, 0, 0));
        assert_eq!((count("350", "1.00"), count("75", "9.00")), (1, 1));
    }
}
