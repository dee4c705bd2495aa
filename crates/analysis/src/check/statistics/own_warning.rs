//! What the tool itself warned of: people quote the figure and leave that out.

use model::finding::Evidence;
use model::tool_result::ToolResult;
use model::{Finding, FindingKind, Severity};

use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "own-warning",
    doc: "The tool itself printed a warning beside its figures: outliers, a run that was broken off, events that were not \
          counted, a result that is wrong.",
    english: r#"
finding-own-warning =
    { $tool } itself warns: { $printed }{ $more ->
        [0] {""}
       *[other] {" "}({ $more } more)
    }
    .advice = remove the cause and run it again, or show the warning beside the figure

evidence-own-warning-line =
    line { $line }: { $printed }
"#,
    remedies: &[],
    look: ToolCheckLook::EachResult(look),
};

/// So many of them are shown.
const SHOWN: usize = 5;

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    let Some(first) = result.warnings.first() else { return Vec::new() };
    let lines = result.warnings.iter().take(SHOWN).map(|warning| {
        Evidence::maybe_at("own-warning-line", None)
            .arg("line", warning.line)
            .arg("printed", warning.text.as_str())
    });
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Warning)
        .arg("tool", result.tool.as_str())
        .arg("printed", first.text.as_str())
        .arg("more", result.warnings.len().saturating_sub(1) as u64)
        .because_all(lines);
    vec![finding]
}

#[cfg(test)]
mod tests {
    use model::Value;

    use super::*;
    use crate::check::fixture;

    const BENCHMARK: &str = "Benchmark 1: a\n  Time (mean \u{b1} \u{3c3}):  20.0 ms \u{b1} 5.0 ms    [User: 1.0 ms, System: 2.0 ms]\n  \
                             Range (min \u{2026} max):  18.0 ms \u{2026} 40.0 ms    10 runs\n";

    #[test]
    fn what_the_tool_warns_of_is_told() {
        assert_eq!(fixture::found(&CHECK, BENCHMARK).len(), 0);
        let outliers = "Statistical outliers were detected.";
        let found = fixture::found(&CHECK, &format!("{BENCHMARK} \n  Warning: {outliers}\n"));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].args.get("printed"), Some(&Value::from(outliers)));
        let twice = format!("{BENCHMARK} \n  Warning: {outliers}\n  Warning: Ignoring non-zero exit code.\n");
        let found = fixture::found(&CHECK, &twice);
        assert!(found[0].text.contains("(1 more)"), "{}", found[0].text);
        assert_eq!(found[0].evidence.len(), 2);
    }
}
