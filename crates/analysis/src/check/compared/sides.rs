//! Which results of a text are compared with which others: by what stands above them.

use model::ToolOutput;
use model::tool_result::{ToolResult, UnreadCause, UnreadLines, WrittenLine};

use crate::check::claim::claims;

/// What is longer is no heading.
const HEADING_MAX: usize = 80;

/// A heading stands at most so many lines above its result: its command, and what that says first, may lie between.
const NEAR: u64 = 12;

/// Words of headings that name two sides.
const PAIRS: &[(&[&str], &[&str])] = &[
    (
        &["before", "old", "previous", "baseline", "original", "stock", "default", "vanilla", "unpatched"],
        &[
            "after",
            "new",
            "current",
            "tuned",
            "optimized",
            "optimised",
            "patched",
            "changed",
            "modified",
            "improved",
        ],
    ),
    (&["without", "off", "disabled", "no"], &["with", "on", "enabled"]),
    (
        &["host", "bare", "native", "baremetal", "physical"],
        &["guest", "vm", "virtual", "container", "docker", "kvm", "lxc", "pod"],
    ),
    (&["a"], &["b"]),
    (&["이전", "전", "변경전", "기존"], &["이후", "후", "변경후", "신규"]),
    (&["前", "変更前", "従来"], &["後", "変更後", "新"]),
];

/// Words by which a text says that it compares.
const COMPARES: &[&str] = &[
    " vs ",
    " vs. ",
    "versus",
    "compar",
    "difference",
    "regression",
    "faster",
    "slower",
    "비교",
    "보다",
    "比較",
    "より",
];

/// The heading right above a result, as far as it has one.
pub(super) fn heading_of(output: &ToolOutput, result: &ToolResult) -> Option<String> {
    let place = output.results.partition_point(|own| own.lines.last < result.lines.first);
    let before = place.checked_sub(1).and_then(|before| output.results.get(before));
    let before = before.map_or(0, |before| before.lines.last);
    let written = written(output).filter(|line| line.line > before && line.line < result.lines.first);
    let last = written.last().filter(|line| result.lines.first - line.line <= NEAR)?;
    let text = last.text.trim_matches(|c: char| {
        c == '#' || c == '*' || c == ':' || c == '=' || c == '-' || c.is_whitespace()
    });
    let is_one = !text.is_empty() && text.chars().count() <= HEADING_MAX;
    is_one.then(|| text.to_owned())
}

/// All lines that somebody wrote.
fn written(output: &ToolOutput) -> impl Iterator<Item = &WrittenLine> {
    let prose = output.unread.iter().filter(|unread| unread.cause == UnreadCause::NoTool);
    prose.flat_map(|unread: &UnreadLines| &unread.written)
}

/// All of it as one text, in lower case.
pub(super) fn prose(output: &ToolOutput) -> String {
    written(output).map(|line| line.text.to_lowercase()).collect::<Vec<_>>().join("\n")
}

/// Two results of the same kind of work that a text compares, with the headings above them, which may be missing.
pub(super) struct ComparedPair<'a> {
    pub(super) one: &'a ToolResult,
    pub(super) other: &'a ToolResult,
    pub(super) headings: Option<(String, String)>,
}

/// The pairs that a text compares; none where it does not say that it does.
pub(super) fn pairs(output: &ToolOutput) -> Vec<ComparedPair<'_>> {
    let groups = groups(output);
    if let [(Some(one), first), (Some(other), second)] = groups.as_slice() {
        if !(is_pair(one, other) || compares(output) && differ_in_a_word(one, other))
            || first.len() != second.len()
        {
            return Vec::new();
        }
        let both = first.iter().zip(second).filter(|(a, b)| a.tool == b.tool);
        let headings = || Some((one.clone(), other.clone()));
        return both.map(|(one, other)| ComparedPair { one, other, headings: headings() }).collect();
    }
    // Without headings two results are what a claim is about.
    match output.results.as_slice() {
        [one, other] if one.tool == other.tool && has_claim(output) => {
            vec![ComparedPair { one, other, headings: None }]
        }
        _ => Vec::new(),
    }
}

/// Results by the heading that they stand under.
fn groups(output: &ToolOutput) -> Vec<(Option<String>, Vec<&ToolResult>)> {
    let mut groups: Vec<(Option<String>, Vec<&ToolResult>)> = Vec::new();
    for result in &output.results {
        match (heading_of(output, result), groups.last_mut()) {
            (None, Some((_, group))) => group.push(result),
            (heading, _) => groups.push((heading, vec![result])),
        }
    }
    groups
}

fn words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    parts.filter(|part| !part.is_empty()).map(str::to_lowercase).collect()
}

fn is_pair(one: &str, other: &str) -> bool {
    let (one, other) = (words(one), words(other));
    let has = |words: &[String], any: &[&str]| words.iter().any(|word| any.contains(&word.as_str()));
    let of_pair = |(first, second): &(&[&str], &[&str])| {
        has(&one, first) && has(&other, second) && !has(&other, first)
            || has(&one, second) && has(&other, first) && !has(&one, first)
    };
    PAIRS.iter().any(of_pair)
}

/// `ext4` and `xfs`, `kernel 5.15` and `kernel 6.1`.
fn differ_in_a_word(one: &str, other: &str) -> bool {
    let split = |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_lowercase).collect() };
    let (one, other) = (split(one), split(other));
    one.len() == other.len() && one.iter().zip(&other).filter(|(a, b)| a != b).count() == 1
}

fn compares(output: &ToolOutput) -> bool {
    let text = prose(output);
    COMPARES.iter().any(|word| text.contains(word))
}

/// Whether a sentence says that one of the two is so much faster, or more.
fn has_claim(output: &ToolOutput) -> bool {
    written(output).any(|line| !claims(&line.text).is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_name_two_sides() {
        for (one, other) in [
            ("Before", "After:"),
            ("with cache", "without cache"),
            ("Host", "In the VM"),
            ("Disk A", "Disk B"),
        ] {
            assert!(is_pair(one, other), "{one} {other}");
        }
        for (one, other) in [("Sequential", "Random"), ("Before", "Before again"), ("Test 1", "Test 2")] {
            assert!(!is_pair(one, other), "{one} {other}");
        }
        assert!(differ_in_a_word("kernel 5.15", "kernel 6.1") && !differ_in_a_word("a b c", "d e c"));
    }

    #[test]
    fn a_heading_is_short_and_near() {
        let dd =
            "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 0.04 s, 1.7 GB/s\n";
        let of = |text: &str| {
            let output = import::tool::read("", text.as_bytes()).unwrap();
            heading_of(&output, output.results.last().unwrap())
        };
        assert_eq!(of(&format!("### Before:\n\n$ dd if=a of=b\n{dd}")).as_deref(), Some("Before"));
        assert_eq!(of(&format!("### Before:\n{dd}{dd}")), None, "it is of the first");
        assert_eq!(of(&format!("{}\n{dd}", "long ".repeat(30))), None);
    }
}
