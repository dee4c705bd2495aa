//! A run that an error ended: a full device, a failed read.

use model::finding::Evidence;
use model::tool_result::ToolResult;
use model::{Finding, FindingKind, Severity};

use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "ended-by-error",
    doc: "An error ended the run before it had done what it was to do: its figures are of the part until then.",
    english: r#"
finding-ended-by-error =
    { $tool } ended with the error { $error }: its figures are of what it did until then, which the cause of the
    error may have slowed down
    .advice = remove the cause, such as a full device or a limit, and run it again

evidence-ended-by-error = lines { $first } to { $last }: { $error }
"#,
    remedies: &[],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    result.error().map(|error| finding(result, error)).into_iter().collect()
}

fn finding(result: &ToolResult, error: &str) -> Finding {
    let lines = Evidence::maybe_at("ended-by-error", None)
        .arg("first", result.lines.first)
        .arg("last", result.lines.last)
        .arg("error", error);
    Finding::new(FindingKind::Validity, CHECK.code, Severity::Warning)
        .arg("tool", result.tool.as_str())
        .arg("error", error)
        .because(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture;

    #[test]
    fn an_error_is_told_and_a_run_to_its_end_is_not() {
        let dd = include_str!("../../../../import/tests/tool/fixtures/dd/dd-9.1-file-too-large.out");
        let found = fixture::found(&CHECK, dd);
        assert_eq!(found.len(), 1);
        assert!(found[0].text.contains("File too large"), "{}", found[0].text);
        let whole: Vec<&str> = dd.lines().filter(|line| !line.starts_with("dd: ")).collect();
        assert_eq!(fixture::found(&CHECK, &whole.join("\n")).len(), 0);
    }

    #[test]
    fn the_error_of_a_job_is_told() {
        let fio = include_str!("../../../../import/tests/tool/fixtures/fio/fio-3.33-file-too-large.out");
        assert_eq!(fixture::found(&CHECK, fio).len(), 1);
        let other = include_str!("../../../../import/tests/tool/fixtures/fio/fio-3.33-write-size.out");
        assert_eq!(fixture::found(&CHECK, other).len(), 0);
    }
}
