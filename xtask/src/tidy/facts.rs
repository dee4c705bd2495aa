//! What the rules take of a Rust file. It is parsed once for all of them, several files at a
//! time. Its tree is then dropped: those of all files would take much memory, and none can be
//! given to another thread.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::Problem;
use super::exceptions::Measured;
use super::names::Declared;
use super::source::{Source, Sources};
use super::{folders, names, sizes, style, types};

/// What rules take of one file.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Why it cannot be parsed; then all else is empty.
    pub(super) broken: Option<Problem>,
    /// It and its functions, with their lengths.
    pub(super) lengths: Vec<Measured>,
    /// What it names of its own crate, with the lines.
    pub(super) uses: Vec<(folders::Module, usize)>,
    /// The names that it makes of literals, with their lines.
    pub(super) names: Vec<(usize, String)>,
    /// Its public types, with their lines.
    pub(super) types: Vec<(String, usize)>,
    /// Imports and macros that should not be.
    pub(super) habits: Vec<Problem>,
}

impl Facts {
    /// Those of this file, where these names are declared.
    pub(super) fn of(source: &Source, declared: &Declared) -> Self {
        let file = match syn::parse_file(&source.text) {
            Ok(file) => file,
            Err(e) => {
                let message = format!("cannot be parsed: {e}");
                let broken = Problem::new(&source.path, e.span().start().line, message);
                return Self { broken: Some(broken), ..Self::default() };
            }
        };
        Self {
            broken: None,
            lengths: sizes::measure(source, &file),
            uses: folders::uses(source, &file),
            names: names::in_file(source, &file, declared),
            types: file.items.iter().filter_map(types::public_type).collect(),
            habits: style::habits(source, &file),
        }
    }
}

/// Those of each Rust file, in the order of the files.
pub(super) fn of_all(sources: &Sources) -> Vec<Facts> {
    let declared = Declared::of(sources);
    let files: Vec<&Source> = sources.ending(".rs").collect();
    let next = AtomicUsize::new(0);
    let take = || {
        let index = next.fetch_add(1, Ordering::Relaxed);
        files.get(index).map(|source| (index, *source))
    };
    let work = || {
        let mut done = Vec::new();
        while let Some((index, source)) = take() {
            done.push((index, Facts::of(source, &declared)));
        }
        done
    };
    let cpus = thread::available_parallelism().map_or(1, NonZero::get);
    let mut all: Vec<(usize, Facts)> = Vec::new();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cpus).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            match worker.join() {
                Ok(done) => all.extend(done),
                Err(why) => std::panic::resume_unwind(why),
            }
        }
    });
    all.sort_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, facts)| facts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_those_of_their_file() {
        let text = |index: usize| format!("//! A.\npub struct T{index};\n{}", "\n".repeat(index % 7));
        let files = (0..100).map(|index| Source::made_up(&format!("a/src/{index:03}.rs"), &text(index)));
        let note = Source::made_up("a/src/note.md", "");
        let sources = Sources::new(std::iter::once(note).chain(files).collect());
        let mut count = 0;
        for (index, (source, facts)) in sources.rust().enumerate() {
            assert_eq!(source.path, format!("a/src/{index:03}.rs"));
            assert_eq!(facts.types, [(format!("T{index}"), 2)]);
            assert_eq!(facts.lengths[0].lines, 2 + index % 7);
            count += 1;
        }
        assert_eq!(count, 100);
    }

    #[test]
    fn a_file_that_is_not_rust_is_told_with_its_line() {
        let facts = Facts::of(&Source::made_up("a.rs", "fn f() {}\nfn (\n"), &Declared::default());
        let problem = facts.broken.unwrap().to_string();
        assert!(problem.starts_with("a.rs:2: cannot be parsed"), "{problem}");
        assert!(facts.lengths.is_empty());
    }
}
