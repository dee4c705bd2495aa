//! Lines of locust beside its tables.

/// Whether a line is of its log, or of the log of the one who wrote the test.
pub(super) fn is_log(text: &str) -> bool {
    const LEVELS: &[&str] = &["/DEBUG/", "/INFO/", "/WARNING/", "/ERROR/", "/CRITICAL/"];
    let behind = text.strip_prefix('[').and_then(|text| text.split_once("] "));
    behind.is_some_and(|(_, rest)| LEVELS.iter().any(|level| rest.contains(level)))
}

/// A rule of a table: `--------|------`.
pub(super) fn is_rule(text: &str) -> bool {
    text.contains("--") && text.chars().all(|c| matches!(c, '-' | '|' | ' '))
}
