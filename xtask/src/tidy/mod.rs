//! `tidy`: the rules of the house that neither the compiler nor clippy holds.
//! It runs as a task, and as a test of this crate.
//!
//! One rule is one file and one line in [`CHECKS`].

mod docs;
mod exceptions;
mod facts;
mod folders;
mod layers;
mod names;
mod sizes;
mod source;
mod style;
mod types;

use std::fmt;
use std::path::Path;

use clap::ArgMatches;

use crate::Task;
use crate::error::Error;
use source::Sources;

/// The task.
pub(crate) const TASK: Task = Task {
    name: "tidy",
    about: "Check layers, sizes, style and links",
    arguments: |command| command,
    run: |root, _: &ArgMatches| run(root),
};

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Problem {
    /// The file, from the root.
    pub(crate) path: String,
    /// The line, from 1, where there is one.
    pub(crate) line: Option<usize>,
    /// What is wrong and what to do.
    pub(crate) message: String,
}

impl Problem {
    pub(crate) fn new(path: &str, line: impl Into<Option<usize>>, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: line.into(), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path, self.message),
            None => write!(f, "{}: {}", self.path, self.message),
        }
    }
}

/// A rule: what is wrong in the workspace at this root with these sources.
type Check = fn(&Path, &Sources) -> Result<Vec<Problem>, Error>;

/// Every rule, the quick ones first.
const CHECKS: &[(&str, Check)] = &[
    ("layers", |root, _| layers::check(root)),
    ("folders", folders::check),
    ("sizes", sizes::check),
    ("names", names::check),
    ("types", types::check),
    ("style", |_, sources| Ok(style::check(sources))),
    ("documents", docs::check),
];

/// Checks every rule and prints what is wrong.
///
/// # Errors
/// If something is wrong, or a rule could not be checked.
pub(crate) fn run(root: &Path) -> Result<(), Error> {
    report(&problems(root)?)
}

/// Prints problems; an error if there are any.
pub(crate) fn report(problems: &[Problem]) -> Result<(), Error> {
    for problem in problems {
        println!("{problem}");
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::Untidy(problems.len())) }
}

fn problems(root: &Path) -> Result<Vec<Problem>, Error> {
    let sources = Sources::read(root)?;
    let mut found = Vec::new();
    for (rule, check) in CHECKS {
        let mut problems = check(root, &sources)?;
        problems.sort();
        for problem in &mut problems {
            problem.message = format!("{} [{rule}]", problem.message);
        }
        found.append(&mut problems);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_is_tidy() {
        let found: Vec<_> = problems(&crate::root()).unwrap().iter().map(Problem::to_string).collect();
        assert!(found.is_empty(), "`cargo xtask tidy` finds:\n{}", found.join("\n"));
    }
}
