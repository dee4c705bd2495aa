//! The lines of a job file: sections, options, comments, included files, and
//! what stands for something else: `${HOME}`, `$ncpus`.
//!
//! A comment begins at the first `#` or `;`, wherever that is: so fio reads it.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{JobFileAccess, expression, value};
use crate::diagnostic::{Diagnostic, Source, SourceRange};

/// How deep files may include files.
const INCLUDE_MAX: usize = 10;

/// How many files one job file may include, each as often as it is read: a few
/// lines that include one another would otherwise be millions.
const FILES_MAX: usize = 200;

/// How many bytes they and all options may have, with what stands for variables
/// put in.
const BYTES_MAX: usize = 16 << 20;

/// How many sections a job file may have.
const SECTIONS_MAX: usize = 1000;

/// A section with its options.
#[derive(Debug)]
pub(super) struct Section {
    /// What stands in brackets.
    pub(super) name: String,
    /// Where that is.
    pub(super) place: SourceRange,
    /// Its options, in the order written.
    pub(super) lines: Vec<Line>,
}

/// One option as written.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) key: String,
    pub(super) key_place: SourceRange,
    /// The value, with all that stood for something else replaced.
    pub(super) value: Option<String>,
    /// Where it stands, byte for byte unless something was replaced.
    pub(super) value_place: SourceRange,
}

/// Reads all sections of a job file. Fails if an option stands in no section, a bracket is not
/// closed, a file to be included cannot be read, or a variable is not there.
pub(super) fn sections(
    name: &str,
    text: &str,
    outside: &JobFileAccess<'_>,
) -> Result<Vec<Section>, Diagnostic> {
    let source = Arc::new(Source { name: name.to_owned(), text: text.to_owned() });
    let taken = Taken::default();
    let reader = Reader { outside, folder: folder_of(Path::new(name)), taken: &taken };
    let mut sections: Vec<Section> = Vec::new();
    for place in meaningful(&source) {
        let line = &source.text[place.span.clone()];
        if line.starts_with('[') {
            let inner = line.strip_prefix('[').and_then(|l| l.strip_suffix(']'));
            let Some(name) = inner.map(str::trim).filter(|n| !n.is_empty()) else {
                return Err(
                    place.diagnostic("this is no section", "a section is [global] or [the name of a job]")
                );
            };
            if sections.len() >= SECTIONS_MAX {
                let message = format!("the job file has more than {SECTIONS_MAX} sections");
                return Err(place.diagnostic(message, "divide it into several files"));
            }
            sections.push(Section { name: name.to_owned(), place, lines: Vec::new() });
            continue;
        }
        let Some(section) = sections.last_mut() else {
            return Err(place.diagnostic(
                "this option is in no section",
                "write [global] above it for all jobs, or [NAME] for one",
            ));
        };
        reader.line(&place, 0, &mut section.lines)?;
    }
    Ok(sections)
}

fn folder_of(path: &Path) -> PathBuf {
    path.parent().map_or_else(PathBuf::new, Path::to_owned)
}

/// Every line that says something, without comment and white space around it.
fn meaningful(source: &Arc<Source>) -> Vec<SourceRange> {
    let mut start = 0;
    let mut places = Vec::new();
    for line in source.text.split('\n') {
        let said = line.split(['#', ';']).next().unwrap_or_default();
        let blank = |c: char| c.is_whitespace() || c.is_control();
        let front = said.len() - said.trim_start_matches(blank).len();
        let said = said.trim_matches(blank);
        if !said.is_empty() {
            let span = start + front..start + front + said.len();
            places.push(SourceRange { source: Arc::clone(source), span });
        }
        start += line.len() + 1;
    }
    places
}

/// What was taken so far, of all files together.
#[derive(Debug, Default)]
struct Taken {
    files: Cell<usize>,
    bytes: Cell<usize>,
}

impl Taken {
    fn file(&self, place: &SourceRange) -> Result<(), Diagnostic> {
        self.files.set(self.files.get() + 1);
        if self.files.get() <= FILES_MAX {
            return Ok(());
        }
        let message =
            format!("more than {FILES_MAX} files are included, each counted as often as it is read");
        Err(place.diagnostic(message, "write the options that jobs share into [global]"))
    }

    fn bytes(&self, bytes: usize, place: &SourceRange) -> Result<(), Diagnostic> {
        self.bytes.set(self.bytes.get().saturating_add(bytes));
        if self.bytes.get() <= BYTES_MAX {
            return Ok(());
        }
        let message = format!(
            "with all files and variables put in, there are more than {} MiB of options",
            BYTES_MAX >> 20
        );
        Err(place.diagnostic(message, "include less; shorten what stands for variables"))
    }
}

struct Reader<'a> {
    outside: &'a JobFileAccess<'a>,
    folder: PathBuf,
    taken: &'a Taken,
}

impl Reader<'_> {
    /// An option, or those of a file to be included.
    fn line(&self, place: &SourceRange, depth: usize, lines: &mut Vec<Line>) -> Result<(), Diagnostic> {
        let written = &place.source.text[place.span.clone()];
        match written.strip_prefix("include") {
            Some(rest) if rest.starts_with(char::is_whitespace) => {
                self.include(rest.trim(), place, depth, lines)
            }
            _ => {
                lines.push(self.option(written, place)?);
                Ok(())
            }
        }
    }

    /// The options of another file, which is looked for where we are and beside
    /// the file that names it.
    fn include(
        &self,
        name: &str,
        place: &SourceRange,
        depth: usize,
        lines: &mut Vec<Line>,
    ) -> Result<(), Diagnostic> {
        if depth >= INCLUDE_MAX {
            let message = "files include one another without an end, or too deeply";
            return Err(place.diagnostic(message, format!("at most {INCLUDE_MAX} deep")));
        }
        self.taken.file(place)?;
        let beside = self.folder.join(name);
        let mut found = (self.outside.file)(Path::new(name)).map(|text| (PathBuf::from(name), text));
        if found.is_err() && beside != Path::new(name) {
            found = (self.outside.file)(&beside).map(|text| (beside, text)).or(found);
        }
        let (path, text) = found.map_err(|e| {
            place.diagnostic(
                format!("{name} cannot be included: {e}"),
                "give its path from here, or from this file",
            )
        })?;
        self.taken.bytes(text.len(), place)?;
        let reader = Reader { outside: self.outside, folder: folder_of(&path), taken: self.taken };
        let source = Arc::new(Source { name: path.display().to_string(), text });
        for place in meaningful(&source) {
            if source.text[place.span.clone()].starts_with('[') {
                let message = "an included file has no sections of its own";
                return Err(place.diagnostic(message, "its options belong to the section that includes it"));
            }
            reader.line(&place, depth + 1, lines)?;
        }
        Ok(())
    }

    fn option(&self, written: &str, place: &SourceRange) -> Result<Line, Diagnostic> {
        let text = self.replaced(written, place)?;
        let parts = |text: &str| {
            let (key, value) = match text.split_once('=') {
                Some((key, value)) => (key, Some(value)),
                None => (text, None),
            };
            (key.trim().to_owned(), value.map(|v| v.trim().to_owned()))
        };
        let (key, value) = parts(&text);
        let key_place = place.part(0..parts(written).0.len());
        // Where nothing was replaced, every byte of the value is in the file.
        let value_place = match &value {
            Some(value) if text == written => place.part(written.len() - value.len()..written.len()),
            Some(_) => place.clone(),
            None => key_place.clone(),
        };
        Ok(Line { key, key_place, value, value_place })
    }

    /// With variables of the environment and fio's own words replaced. After
    /// one of the latter, fio computes what the value comes to.
    fn replaced(&self, written: &str, place: &SourceRange) -> Result<String, Diagnostic> {
        let mut text = String::new();
        let mut rest = written;
        while let Some((before, name, after)) = variable(rest) {
            text.push_str(before);
            let Some(found) = (self.outside.variable)(name) else {
                return Err(place.diagnostic(
                    format!("the environment has no variable `{name}`"),
                    format!("set it: {name}=... headroom run ..."),
                ));
            };
            self.taken.bytes(found.len(), place)?;
            text.push_str(&found);
            rest = after;
        }
        text.push_str(rest);
        self.taken.bytes(written.len(), place)?;
        let mut is_computed = false;
        for (word, number) in &self.outside.words {
            if text.contains(word) {
                text = text.replace(word, &number.to_string());
                is_computed = true;
            }
        }
        let Some((key, sum)) =
            text.split_once('=').filter(|(_, v)| is_computed && v.contains(['+', '-', '*', '/']))
        else {
            return Ok(text);
        };
        let number = |word: &str| word.parse().map_err(|_| value::wrong(word, "is no number", ""));
        // What is no sum stays as it is: a path may hold such a word too.
        Ok(expression::evaluate(sum, &number).map_or(text.clone(), |n| format!("{key}={n}")))
    }
}

/// What stands before `${NAME}`, the name, and what stands after.
fn variable(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("${")?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outside() -> JobFileAccess<'static> {
        JobFileAccess {
            variable: &|name| (name == "DISK").then(|| "/dev/sdx".to_owned()),
            file: &|path| match path.to_str() {
                Some("jobs/common.inc") => Ok("direct=1\ninclude deep/er.inc\n".to_owned()),
                Some("jobs/deep/er.inc") => Ok("; only\nnrfiles=3".to_owned()),
                Some("sections.inc") => Ok("[a]".to_owned()),
                Some("itself.inc") => Ok("include itself.inc".to_owned()),
                _ => Err(std::io::ErrorKind::NotFound.into()),
            },
            words: vec![("$pagesize", 4096), ("$ncpus", 2)],
            sections: &[],
        }
    }

    fn read(text: &str) -> Result<Vec<String>, Diagnostic> {
        let sections = sections("jobs/a.fio", text, &outside())?;
        let mut all = Vec::new();
        for section in sections {
            all.push(format!("[{}]", section.name));
            for line in section.lines {
                all.push(line.value.map_or(line.key.clone(), |v| format!("{}={v}", line.key)));
            }
        }
        Ok(all)
    }

    #[test]
    fn comments_blanks_and_carriage_returns() {
        let text = "# a\r\n  ; b\n[global] ; c\r\n bs = 4k # d\r\n\t\n[one]\nstonewall;e\nname=x y\n";
        assert_eq!(read(text).unwrap(), ["[global]", "bs=4k", "[one]", "stonewall", "name=x y"]);
    }

    #[test]
    fn included_files_are_found_beside_the_one_that_names_them() {
        let found = read("[a]\nbs=4k\ninclude common.inc\nrw=read").unwrap();
        assert_eq!(found, ["[a]", "bs=4k", "direct=1", "nrfiles=3", "rw=read"]);
        assert!(read("[a]\ninclude nowhere.inc").unwrap_err().message.contains("cannot be included"));
        assert!(read("[a]\ninclude sections.inc").unwrap_err().message.contains("no sections"));
        let endless = read("[a]\ninclude itself.inc").unwrap_err();
        assert!(endless.message.contains("without an end"));
        assert_eq!(endless.source_text.name, "itself.inc");
    }

    #[test]
    fn regression_includes_multiplied_without_a_bound() {
        let reads = Cell::new(0);
        // Each of ten files includes the next one ten times.
        let file = |path: &Path| {
            reads.set(reads.get() + 1);
            let depth: usize =
                path.to_str().and_then(|name| name.strip_prefix('f')?.parse().ok()).unwrap_or(0);
            Ok(format!("include f{}\n", depth + 1).repeat(10))
        };
        let multiplied = JobFileAccess { file: &file, ..outside() };
        let diagnostic = sections("a.fio", "[a]\ninclude f0\n", &multiplied).unwrap_err();
        assert!(diagnostic.message.contains("too deeply"), "{diagnostic}");
        let last = |path: &Path| match path.to_str() {
            Some("f3") => Ok("bs=4k\n".to_owned()),
            _ => file(path),
        };
        reads.set(0);
        let multiplied = JobFileAccess { file: &last, ..outside() };
        let diagnostic = sections("a.fio", "[a]\ninclude f0\n", &multiplied).unwrap_err();
        assert!(diagnostic.message.contains("more than 200 files"), "{diagnostic}");
        assert!(reads.get() <= FILES_MAX, "{}", reads.get());
        let large = |_: &Path| Ok("#".repeat(1 << 20));
        let large = JobFileAccess { file: &large, ..outside() };
        let diagnostic =
            sections("a.fio", &("[a]\n".to_owned() + &"include x\n".repeat(20)), &large).unwrap_err();
        assert!(diagnostic.message.contains("16 MiB"), "{diagnostic}");
    }

    #[test]
    fn regression_variables_and_sections_multiplied_without_a_bound() {
        let long = "x".repeat(100_000);
        let variable = |_: &str| Some(long.clone());
        let multiplied = JobFileAccess { variable: &variable, ..outside() };
        let diagnostic =
            sections("a.fio", &("[a]\nname=".to_owned() + &"${A}".repeat(1000)), &multiplied).unwrap_err();
        assert!(diagnostic.message.contains("16 MiB"), "{diagnostic}");
        let diagnostic = sections("a.fio", &"[a]\n".repeat(1001), &outside()).unwrap_err();
        assert!(diagnostic.message.contains("1000 sections"), "{diagnostic}");
    }

    #[test]
    fn words_and_variables_stand_for_something() {
        let found = read("[a]\nfilename=${DISK}1\nsize=$pagesize*4\nnumjobs=$ncpus\nname=$ncpus/x").unwrap();
        assert_eq!(found, ["[a]", "filename=/dev/sdx1", "size=16384", "numjobs=2", "name=2/x"]);
        let missing = read("[a]\nfilename=${DSIK}").unwrap_err();
        assert!(missing.message.contains("`DSIK`"));
        assert_eq!(&missing.source_text.text[missing.span], "filename=${DSIK}");
        assert_eq!(read("[a]\nname=${x").unwrap()[1], "name=${x");
    }

    #[test]
    fn what_stands_in_no_section_is_pointed_at() {
        let diagnostic = read("\n bs=4k\n[a]").unwrap_err();
        assert_eq!(&diagnostic.source_text.text[diagnostic.span], "bs=4k");
        for text in ["[a", "[]", "[ ]"] {
            assert!(read(text).unwrap_err().message.contains("no section"), "{text}");
        }
    }

    #[test]
    fn values_are_where_they_stand() {
        let sections = sections("a.fio", "[a]\nbs = 4k,9q ; c\n", &outside()).unwrap();
        let line = &sections[0].lines[0];
        let at = |place: &SourceRange| place.source.text[place.span.clone()].to_owned();
        assert_eq!((at(&line.key_place), at(&line.value_place)), ("bs".to_owned(), "4k,9q".to_owned()));
    }
}
