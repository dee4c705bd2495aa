//! The list of files and functions that may be longer than the rule, read
//! from `xtask/tidy-exceptions.toml`. Each entry says how long its thing is,
//! no more: so the list can only shrink.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::Problem;

/// Where the list lies.
pub(super) const PATH: &str = "xtask/tidy-exceptions.toml";

/// The file's content.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    exception: Vec<Exception>,
}

/// One entry.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    /// `path` or `path::function` or `path::Type::function`.
    what: String,
    /// How many lines it has.
    lines: usize,
    /// Why it is better long.
    reason: String,
}

/// A file or function and its length.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    /// As in [`Exception::what`].
    pub(super) what: String,
    /// The file it is in.
    pub(super) path: String,
    /// Where it begins, from 1.
    pub(super) line: usize,
    /// How many lines it has.
    pub(super) lines: usize,
    /// How many it may have without an exception.
    pub(super) limit: usize,
}

/// What is too long without an exception, and which exceptions are wrong.
pub(super) fn hold(list: &str, measured: &[Measured]) -> Vec<Problem> {
    let exceptions = match toml::from_str::<List>(list) {
        Ok(list) => list.exception,
        Err(e) => return vec![Problem::new(PATH, None, format!("cannot be read: {}", e.message()))],
    };
    // Methods of one name, in two impls of a type, share an entry: the longest
    // of them counts.
    let mut longest: BTreeMap<&str, &Measured> = BTreeMap::new();
    for thing in measured {
        let entry = longest.entry(&thing.what).or_insert(thing);
        if thing.lines > entry.lines {
            *entry = thing;
        }
    }
    let mut problems = Vec::new();
    for exception in &exceptions {
        problems.extend(judge(exception, longest.get(exception.what.as_str()).copied()));
        if exceptions.iter().filter(|other| other.what == exception.what).count() > 1 {
            problems.push(Problem::new(PATH, None, format!("`{}` is listed twice", exception.what)));
        }
    }
    for thing in longest.values().filter(|thing| thing.lines > thing.limit) {
        if !exceptions.iter().any(|exception| exception.what == thing.what) {
            let Measured { what, lines, limit, .. } = thing;
            let message = format!("`{what}` has {lines} lines, {limit} are allowed: split it");
            problems.push(Problem::new(&thing.path, thing.line, message));
        }
    }
    problems
}

/// What is wrong with one entry, which is about this thing.
fn judge(exception: &Exception, thing: Option<&Measured>) -> Option<Problem> {
    let Exception { what, lines: allowed, reason } = exception;
    let Some(thing) = thing else {
        return Some(Problem::new(
            PATH,
            None,
            format!("`{what}` is not there any more: remove the exception"),
        ));
    };
    let lines = thing.lines;
    if lines <= thing.limit {
        let message = format!("`{what}` has only {lines} lines now: remove the exception");
        return Some(Problem::new(PATH, None, message));
    }
    if lines < *allowed {
        let message =
            format!("`{what}` has {lines} lines, the exception allows {allowed}: shrink it to {lines}");
        return Some(Problem::new(PATH, None, message));
    }
    if lines > *allowed {
        let message = format!("`{what}` grew to {lines} lines, its exception allows {allowed}: split it");
        return Some(Problem::new(&thing.path, thing.line, message));
    }
    reason.trim().is_empty().then(|| Problem::new(PATH, None, format!("`{what}` needs a reason")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(list: &str, lines: usize) -> Vec<String> {
        let thing = |what: &str, lines| Measured {
            what: what.to_owned(),
            path: "a.rs".to_owned(),
            line: 3,
            lines,
            limit: 70,
        };
        let measured = [thing("a.rs::f", lines), thing("a.rs::g", 70), thing("a.rs::f", 12)];
        hold(list, &measured).iter().map(Problem::to_string).collect()
    }

    fn listed(lines: usize) -> String {
        format!("[[exception]]\nwhat = \"a.rs::f\"\nlines = {lines}\nreason = \"one long table\"\n")
    }

    #[test]
    fn what_is_too_long_needs_an_exception_of_its_length() {
        assert_eq!(held("", 70), [""; 0]);
        assert_eq!(held("", 71), ["a.rs:3: `a.rs::f` has 71 lines, 70 are allowed: split it"]);
        assert_eq!(held(&listed(71), 71), [""; 0]);
        assert_eq!(
            held(&listed(71), 72),
            ["a.rs:3: `a.rs::f` grew to 72 lines, its exception allows 71: split it"]
        );
    }

    #[test]
    fn an_exception_may_only_shrink() {
        let one = |list: &str, lines| {
            let mut problems = held(list, lines);
            assert_eq!(problems.len(), 1, "{problems:?}");
            problems.remove(0)
        };
        assert!(one(&listed(90), 80).ends_with("shrink it to 80"));
        assert!(one(&listed(90), 60).ends_with("remove the exception"));
        assert!(one(&listed(90).replace("a.rs::f", "gone.rs"), 60).ends_with("remove the exception"));
        assert!(one(&listed(80).replace("one long table", " "), 80).ends_with("needs a reason"));
        assert!(one(&listed(80).replace("reason", "because"), 80).contains("cannot be read"));
        assert_eq!(held(&(listed(80) + &listed(80)), 80).len(), 2);
    }
}
