//! What holds back what is watched, by the rules of runs.

use model::{Finding, Run, Severity};

/// What the rules say of a document of a watch, the graver first; each once. That nothing can be told of a load of others is
/// no news, so it is left out.
#[must_use]
pub fn verdicts(run: &Run) -> Vec<Finding> {
    let is_verdict = |finding: &&Finding| {
        finding.code != "cannot-tell" && analysis::verdicts().any(|code| code == finding.code)
    };
    let all = run.cases.iter().flat_map(|case| case.findings.iter().filter(is_verdict));
    let mut found: Vec<Finding> = Vec::new();
    for finding in all {
        if found.iter().all(|known| known.text != finding.text) {
            found.push(finding.clone());
        }
    }
    found.sort_by_key(|finding| match finding.severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Note => 2,
    });
    found
}

#[cfg(test)]
mod tests;
