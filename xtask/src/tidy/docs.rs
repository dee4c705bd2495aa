//! Documents: the changelog waits for the next change, decision records are
//! numbered without gaps, and links between files lead somewhere.

use std::fs;
use std::io;
use std::path::Path;

use super::Problem;
use super::source::{Source, Sources};
use crate::error::Error;

const CHANGELOG: &str = "CHANGELOG.md";
const DECISIONS: &str = "docs/decisions";

/// What is wrong with the documents.
pub(super) fn check(root: &Path, sources: &Sources) -> Result<Vec<Problem>, Error> {
    let mut problems: Vec<_> = changelog(sources).into_iter().collect();
    problems.extend(decisions(root)?);
    for source in sources.ending(".md") {
        problems.extend(links(root, source));
    }
    Ok(problems)
}

fn changelog(sources: &Sources) -> Option<Problem> {
    let Some(file) = sources.files.iter().find(|source| source.path == CHANGELOG) else {
        return Some(Problem::new(CHANGELOG, None, "is missing"));
    };
    let waits = file.text.lines().any(|line| matches!(line, "## Unreleased" | "## [Unreleased]"));
    (!waits).then(|| Problem::new(CHANGELOG, None, "has no part `## [Unreleased]`"))
}

fn decisions(root: &Path) -> Result<Vec<Problem>, Error> {
    let folder = root.join(DECISIONS);
    let entries = match fs::read_dir(&folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(Error::file("read", &folder))?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(Error::file("read", &folder))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    let mut problems = Vec::new();
    let mut next = 1_u32;
    for name in names {
        let path = format!("{DECISIONS}/{name}");
        let Some(number) = decision_number(&name) else {
            let message = "is not named `NNNN-title.md`, with a title in lower case and hyphens";
            problems.push(Problem::new(&path, None, message));
            continue;
        };
        if number != next {
            let message = format!("has a number out of order: {next:04} comes here");
            problems.push(Problem::new(&path, None, message));
        }
        next = number + 1;
        let text = fs::read_to_string(root.join(&path)).map_err(Error::file("read", &root.join(&path)))?;
        if !text.starts_with("# ") {
            problems.push(Problem::new(&path, 1, "does not begin with a heading `# `"));
        }
    }
    Ok(problems)
}

fn decision_number(name: &str) -> Option<u32> {
    let (number, title) = name.strip_suffix(".md")?.split_once('-')?;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let named = number.len() == 4 && !title.is_empty() && title.chars().all(plain);
    number.parse().ok().filter(|_| named)
}

fn links(root: &Path, source: &Source) -> Vec<Problem> {
    let mut problems = Vec::new();
    let folder = source.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    for (line, target) in targets(&source.text) {
        let mut wrong = |message| problems.push(Problem::new(&source.path, line, message));
        let file = target.split(['#', '?']).next().unwrap_or_default();
        let elsewhere = target.contains("://") || target.starts_with("mailto:");
        if file.is_empty() || elsewhere {
            continue;
        }
        match normal(folder, file) {
            None => wrong(format!("links to `{target}`, outside of the project")),
            Some(path) if !root.join(&path).exists() => {
                wrong(format!("links to `{target}`, which is not there"))
            }
            Some(_) => {}
        }
    }
    problems
}

/// The path from the root that `target` means in `folder`, or none if it leads
/// out of the root. As on GitHub, a leading `/` means the root.
fn normal(folder: &str, target: &str) -> Option<String> {
    let whole = match target.strip_prefix('/') {
        Some(rest) => rest.to_owned(),
        None => format!("{folder}/{target}"),
    };
    let mut parts = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Every link target with its line: `[text](target)`, `![text](target)` and
/// `[name]: target`. Code is passed over.
fn targets(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut fence = None;
    for (number, line) in (1..).zip(text.lines()) {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        if let Some(mark) = mark
            && fence.is_none_or(|open| open == mark)
        {
            fence = if fence.is_none() { Some(mark) } else { None };
            continue;
        }
        if fence.is_some() {
            continue;
        }
        let line = without_code(line);
        if let Some((_, target)) = definition(&line) {
            found.push((number, target));
        }
        let mut rest = line.as_str();
        while let Some((_, after)) = rest.split_once("](") {
            found.extend(inline(after).map(|target| (number, target)));
            rest = after;
        }
    }
    found
}

/// `[name]: target` at the beginning of a line; footnotes are not links.
fn definition(line: &str) -> Option<(&str, String)> {
    let (name, target) = line.trim_start().strip_prefix('[')?.split_once("]: ")?;
    let plain = !name.contains([']', '[']) && !name.starts_with('^');
    Some((name, target.split_whitespace().next()?.trim_matches(['<', '>']).to_owned())).filter(|_| plain)
}

/// The target at the beginning of what follows `](`.
fn inline(after: &str) -> Option<String> {
    if let Some(quoted) = after.strip_prefix('<') {
        return quoted.split_once('>').map(|(target, _)| target.to_owned());
    }
    let mut depth = 0_u32;
    let end = after.find(|c: char| {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return true,
            ')' => depth -= 1,
            _ => {}
        }
        c.is_whitespace()
    })?;
    Some(after[..end].to_owned())
}

/// A line without its code spans: what lies between two runs of backticks of
/// one length.
fn without_code(line: &str) -> String {
    let mut kept = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let ticks = rest[start..].len() - rest[start..].trim_start_matches('`').len();
        let (open, after) = rest[start..].split_at(ticks);
        kept.push_str(&rest[..start]);
        rest = match after.split_once(open) {
            Some((_, beyond)) => beyond,
            None => after,
        };
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with these files, and what is wrong with them.
    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let sources = Sources::read(root.path()).unwrap();
        check(root.path(), &sources).unwrap().iter().map(Problem::to_string).collect()
    }

    const LOG: (&str, &str) = ("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n");

    #[test]
    fn the_changelog_waits_for_the_next_change() {
        assert_eq!(found(&[LOG]), [""; 0]);
        assert_eq!(found(&[]), ["CHANGELOG.md: is missing"]);
        assert_eq!(found(&[("CHANGELOG.md", "## 1.0\n")]), ["CHANGELOG.md: has no part `## [Unreleased]`"]);
    }

    #[test]
    fn decisions_are_numbered_without_gaps() {
        let record = "# Why\n";
        let good = [LOG, ("docs/decisions/0001-a-b.md", record), ("docs/decisions/0002-c2.md", record)];
        assert_eq!(found(&good), [""; 0]);
        let gap = [LOG, ("docs/decisions/0001-a.md", record), ("docs/decisions/0003-c.md", record)];
        assert_eq!(found(&gap), ["docs/decisions/0003-c.md: has a number out of order: 0002 comes here"]);
        let twice = [LOG, ("docs/decisions/0001-a.md", record), ("docs/decisions/0001-b.md", record)];
        assert_eq!(found(&twice), ["docs/decisions/0001-b.md: has a number out of order: 0002 comes here"]);
        for name in ["1-a.md", "0001_a.md", "0001-A.md", "0001-.md", "0001-a.txt", "README.md"] {
            let problems = found(&[LOG, (&format!("docs/decisions/{name}"), record)]);
            assert!(problems[0].contains("is not named `NNNN-title.md`"), "{name}: {problems:?}");
        }
        let headless = [LOG, ("docs/decisions/0001-a.md", "Why\n")];
        assert_eq!(found(&headless), ["docs/decisions/0001-a.md:1: does not begin with a heading `# `"]);
    }

    #[test]
    fn links_between_files_lead_somewhere() {
        let text = "[a](b.md) [a](../README.md#part) ![p](</docs/p q.svg>) [w](https://x.y/z) [h](#here)\n\
                    `[no](link.md)` [t](b.md \"title\") [m](mailto:a@b.c)\n\
                    ```\n[no](link.md)\n```\n[r]: b.md\n[^1]: a footnote\n[p](b_(c).md)\n";
        let files = [
            LOG,
            ("docs/a.md", text),
            ("docs/b.md", ""),
            ("docs/b_(c).md", ""),
            ("docs/p q.svg", ""),
            ("README.md", ""),
        ];
        assert_eq!(found(&files), [""; 0]);
        let broken =
            "[a](b.md)\n\n```text\n```\nsee [c] and [d](/gone/e.md#x)\n\n[c]: c.md\n[o](../../o.md)\n";
        assert_eq!(
            found(&[LOG, ("docs/a.md", broken), ("docs/b.md", "")]),
            [
                "docs/a.md:5: links to `/gone/e.md#x`, which is not there",
                "docs/a.md:7: links to `c.md`, which is not there",
                "docs/a.md:8: links to `../../o.md`, outside of the project",
            ]
        );
    }
}
