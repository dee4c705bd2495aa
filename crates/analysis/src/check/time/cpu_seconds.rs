//! A rate of CPU time that passes for one of time: `openssl speed` divides by the CPU time of its process, unless
//! it is asked for `-elapsed`. Where others had the processor meanwhile, or a hypervisor did, less was done.

use model::finding::Evidence;
use model::tool_result::ToolResult;
use model::{Finding, FindingKind, Severity, metric};

use crate::check::work::option;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// Who divides by CPU time.
const TOOL: &str = "openssl";

/// Below this share of the time the difference is more than the clock's: its tick is 10 ms.
const SHARE: f64 = 0.95;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "cpu-time-as-time",
    doc: "The rate is divided by the CPU time, which is less than the time that passed: others had the processor \
          meanwhile, and less was done than the rate says.",
    english: r#"
finding-cpu-time-as-time =
    { $tool } divides by CPU time: of { SHORT($asked, unit: "s") } that passed it counts { $lasted }. For the rest others had
    the processor, so only { PERCENT($share) } of { $printed } was reached
    .advice = run it with -elapsed on a machine that does nothing else

evidence-cpu-time-line =
    line { $line }: { $lasted } of CPU time in { SHORT($asked, unit: "s") }
"#,
    remedies: &[],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    check(result).into_iter().collect()
}

/// Of the part that lost most.
fn check(result: &ToolResult) -> Option<Finding> {
    if result.tool != TOOL || option(result, &["elapsed", "multi"]).is_some() {
        return None;
    }
    let asked: f64 = option(result, &["seconds"])?.parse().ok().filter(|asked| *asked > 0.0)?;
    let rates = result.parts.iter().filter_map(|part| {
        let measured = &part.measured;
        Some((measured.window.as_ref()?, measured.figure(metric::THROUGHPUT)?))
    });
    let (window, rate) = rates.min_by(|(a, _), (b, _)| a.value.total_cmp(&b.value))?;
    let share = window.value / asked;
    if window.most() / asked >= SHARE {
        return None;
    }
    let line = Evidence::maybe_at("cpu-time-line", None)
        .arg("line", window.line)
        .arg("lasted", window.text.as_str())
        .arg("asked", asked);
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Warning)
        .arg("tool", result.tool.as_str())
        .arg("asked", asked)
        .arg("lasted", window.text.as_str())
        .arg("share", share)
        .arg("printed", rate.text.as_str())
        .because(line);
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture;

    #[test]
    fn a_process_that_had_less_than_the_processor_is_told() {
        let text = |head: &str, seconds: &str| {
            format!("{head}Doing md5 for 3s on 64 size blocks: 1000000 md5's in {seconds}s\n")
        };
        let count = |head: &str, seconds: &str| fixture::found(&CHECK, &text(head, seconds)).len();
        assert_eq!((count("", "2.40"), count("", "2.99")), (1, 0));
        let elapsed = "You have chosen to measure elapsed time instead of user CPU time.\n";
        assert_eq!(count(elapsed, "2.40"), 0);
    }
}
