//! A mean of what processors did that is not the mean of the rows above it: sar and mpstat print both.

use model::finding::Evidence;
use model::tool_result::{PrintedValue, ToolFigure, ToolPartKind, ToolResult};
use model::{Finding, FindingKind, Severity};

use crate::check::work::parts;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// Rows of unequal length make a mean differ by less.
const FAR: f64 = 0.05;

/// Fewer rows show no mean.
const ROWS_MIN: usize = 3;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "mean-contradicts-rows",
    doc: "The share of the processors' time that is printed as a mean differs by five per cent of that time, or more, from the mean \
          of the rows above it.",
    english: r#"
finding-mean-contradicts-rows =
    { $tool } prints { $printed } as its mean ({ WORDS($metric) }), and the mean of its { $count } rows is { PERCENT($computed) }
    .advice = look at the original output: rows may be missing, or the mean is of another time

evidence-mean-of-rows =
    line { $line }: { $printed }; lines { $first } to { $last }: { PERCENT($computed) }
"#,
    remedies: &[],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    let shares = result.whole.figures.iter().filter(|figure| figure.metric.processor_state().is_some());
    // One of them tells it all: together they are the whole.
    shares.filter_map(|share| contradiction(result, share)).take(1).collect()
}

fn contradiction(result: &ToolResult, mean: &ToolFigure) -> Option<Finding> {
    let rows = parts(result, ToolPartKind::Interval);
    let rows: Vec<&PrintedValue> =
        rows.iter().map(|row| row.measured.figure(mean.metric)).collect::<Option<Vec<_>>>()?;
    if rows.len() < ROWS_MIN {
        return None;
    }
    let computed = rows.iter().map(|row| row.value).sum::<f64>() / rows.len() as f64;
    let printed = &mean.printed;
    if (printed.value - computed).abs() < FAR {
        return None;
    }
    let lines = || rows.iter().map(|row| row.line);
    let evidence = Evidence::maybe_at("mean-of-rows", None)
        .arg("line", printed.line)
        .arg("printed", printed.text.as_str())
        .arg("first", lines().min()?)
        .arg("last", lines().max()?)
        .arg("computed", computed);
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Warning)
        .arg("tool", result.tool.as_str())
        .arg("printed", printed.text.as_str())
        .arg("metric", mean.metric.as_str())
        .arg("count", u64::try_from(rows.len()).ok()?)
        .arg("computed", computed)
        .because(evidence);
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture;

    fn sar(user: &str, idle: &str) -> String {
        format!(
            "10:00:00 CPU %user %idle\n10:00:01 all 90.00 10.00\n10:00:02 all 92.00 8.00\n10:00:03 all 94.00 6.00\n\
             Average: all {user} {idle}\n"
        )
    }

    #[test]
    fn the_mean_is_held_against_the_rows_above_it() {
        assert_eq!(fixture::found(&CHECK, &sar("92.00", "8.00")).len(), 0);
        assert_eq!(fixture::found(&CHECK, &sar("89.00", "11.00")).len(), 0, "rows may be of unequal length");
        assert_eq!(fixture::found(&CHECK, &sar("82.00", "18.00")).len(), 1);
    }
}
