//! Lines by which programs tell their version.

/// Whether a program tells its version, in a quotation maybe: `sysbench 0.5:  multi-threaded ...`, `pgbench (15.18)`,
/// `sysbench 1.0.20 (using ...)`, `fio 1.59`. An address of a machine has more points.
pub(super) fn is_version_banner(text: &str) -> bool {
    let mut words = text.split_whitespace().skip(1);
    let Some(version) = words.next() else { return false };
    let number = version.trim_matches(['(', ')', ':']);
    let is_version = number.starts_with(|c: char| c.is_ascii_digit())
        && (1..=2).contains(&number.matches('.').count())
        && number.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'));
    let has_mark = version.starts_with('(') || version.ends_with(':');
    is_version && (has_mark || words.next().is_none_or(|word| word.starts_with('(')))
}
