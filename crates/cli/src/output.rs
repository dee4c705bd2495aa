//! Where results go: standard output, or a file that is tried before the first
//! trial and put in place only when it is whole.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::{OpenOptions, Permissions};
use std::io::{IsTerminal, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches};
use console::Term;
use report::document::Document;
use report::document::terminal::{self, Detail};
use report::terminal::Terminal;
use tempfile::NamedTempFile;

use crate::exit::Failure;

/// A document as it stands on standard output; in brief `command` asks for all of
/// it.
pub(crate) fn rendered(document: &Document, matches: &ArgMatches, command: &str) -> String {
    written(document, detail(matches, command))
}

/// The same for another program, whatever standard output is: without colours, in lines of 80 columns.
pub(crate) fn plain(document: &Document, matches: &ArgMatches, command: &str) -> String {
    terminal::write(document, Terminal::default(), detail(matches, command))
}

/// As much as is asked for.
fn detail<'a>(matches: &ArgMatches, command: &'a str) -> Detail<'a> {
    if matches.get_flag("verbose") { Detail::All } else { Detail::Brief(command) }
}

/// A document with so much detail as it stands on standard output.
pub(crate) fn written(document: &Document, detail: Detail<'_>) -> String {
    terminal::write(document, terminal(), detail)
}

/// What standard output is: a terminal, or something that takes lines of the usual width.
pub(crate) fn terminal() -> Terminal {
    let out = std::io::stdout();
    match Term::stdout().size_checked() {
        Some((_, columns)) if out.is_terminal() => Terminal::new(columns.into(), colour(&out)),
        _ => Terminal::default(),
    }
}

/// Columns of a line on standard output that must not wrap.
pub(crate) fn columns() -> usize {
    let columns = Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    columns.filter(|_| std::io::stdout().is_terminal()).unwrap_or(report::WIDTH)
}

/// The command that was typed with `-v`, to be copied into a shell; without `-o`, for the file is written. `-v` comes
/// first: behind `--` it would be a name.
pub(crate) fn typed_verbosely(typed: &[String]) -> String {
    let mut words = without_option(typed, &["-o", "--output"]).into_iter().skip(1);
    let subcommand = words.next();
    shell_command(subcommand.into_iter().chain(["-v"]).chain(words))
}

/// What was typed without an option that takes a value, which is called by any of `names`. Behind `--` there are no options.
pub(crate) fn without_option<'a>(typed: &'a [String], names: &[&str]) -> Vec<&'a str> {
    let is_joined = |word: &str| {
        names.iter().any(|name| {
            let rest = word.strip_prefix(*name);
            // A short name needs no `=`.
            rest.is_some_and(|rest| !name.starts_with("--") || rest.starts_with('='))
        })
    };
    let mut kept = Vec::with_capacity(typed.len());
    let mut words = typed.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if word == "--" {
            kept.push(word);
            kept.extend(words.by_ref());
        } else if names.contains(&word) {
            words.next();
        } else if !is_joined(word) {
            kept.push(word);
        }
    }
    kept
}

/// `headroom` with these words, quoted for a shell.
pub(crate) fn shell_command<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    report::text::printable(&joined(["headroom"].into_iter().chain(words)))
}

/// Words as a shell takes them, with as few quotes as it needs.
pub(crate) fn joined<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// A word behind the name of a program: `--size=1G` needs no quotes there.
fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "+-./:@_=,%".contains(c);
    let needs_none = word.starts_with(|c: char| c != '=' && is_plain(c)) && word.chars().all(is_plain);
    if needs_none { Cow::Borrowed(word) } else { shlex::try_quote(word).unwrap_or(Cow::Borrowed(word)) }
}

/// `-v`.
pub(crate) fn verbose_argument() -> Arg {
    Arg::new("verbose")
        .short('v')
        .long("verbose")
        .action(ArgAction::SetTrue)
        .help("Show everything: the evidence for findings, every number, the machine and the method")
}

/// Whether colours may be used.
pub(crate) fn colour(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && takes_colour(|name| std::env::var_os(name))
}

/// Whether the person at a terminal, and the terminal, take colours (no-color.org).
fn takes_colour(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let is_refused = variable("NO_COLOR").is_some_and(|value| !value.is_empty());
    !is_refused && variable("TERM").is_none_or(|term| term != "dumb")
}

/// Writes to standard output. A reader that went away (`| head`) is no error.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::File { what: "writing to", path: PathBuf::from("standard output"), source: e })
        }
        _ => Ok(()),
    }
}

/// Writes all that a command has to say to standard output.
pub(crate) fn done(bytes: impl AsRef<[u8]>) -> Result<ExitCode, Failure> {
    print(bytes.as_ref()).map(|()| ExitCode::SUCCESS)
}

/// Says something on standard error, beside a document on standard output.
pub(crate) fn note(text: &str) {
    // Not eprint: a closed standard error must not end the program.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Says that the file of `-o` is written, if there is one.
pub(crate) fn wrote(matches: &ArgMatches) {
    if let Some(path) = matches.get_one::<String>("output") {
        note(&format!("Wrote {}\n", report::text::printable(path)));
    }
}

/// A file that will be written.
#[derive(Debug)]
pub(crate) struct Pending {
    path: PathBuf,
    goal: Goal,
}

/// What becomes of the bytes.
#[derive(Debug)]
enum Goal {
    /// This file is made, or replaced as a whole.
    File(PathBuf),
    /// What is there is a pipe or a terminal, and takes them as they come.
    Stream,
}

impl Pending {
    /// Tries whether a file can be made beside `path`, so that a folder that does not exist or may
    /// not be written shows before anything is measured. Nothing stays there until
    /// [`Pending::finish`].
    pub(crate) fn at(path: &Path) -> Result<Self, Failure> {
        let pending = Self { path: path.to_owned(), goal: goal(path)? };
        if let Goal::File(file) = &pending.goal {
            beside(file).map_err(|source| unwritten(path, &source))?;
        }
        Ok(pending)
    }

    /// The same of a file that nobody but this program has: whatever has its name when it is finished is replaced itself,
    /// and not what that links to.
    pub(crate) fn by_name(path: &Path) -> Result<Self, Failure> {
        Ok(Self { goal: Goal::File(path.to_owned()), ..Self::at(path)? })
    }

    /// Writes all and puts it in place; an old file stays until then.
    pub(crate) fn finish(self, bytes: &[u8]) -> Result<(), Failure> {
        let written = match &self.goal {
            Goal::File(file) => replace(file, bytes),
            Goal::Stream => OpenOptions::new().write(true).open(&self.path).and_then(|mut stream| {
                stream.write_all(bytes)?;
                stream.flush()
            }),
        };
        written.map_err(|source| unwritten(&self.path, &source))
    }
}

/// What is at `path`, behind a link too: to rename a file onto a pipe or a device would replace that.
fn goal(path: &Path) -> Result<Goal, Failure> {
    let folder = folder_of(path);
    let there = path.metadata().ok().map(|metadata| metadata.file_type());
    match there {
        Some(kind) if kind.is_dir() => Err(refused(path, "that is a folder".to_owned(), "name a file in it")),
        // One that is open and has no name any more can only be written to.
        Some(kind) if kind.is_file() => Ok(path.canonicalize().map_or(Goal::Stream, Goal::File)),
        Some(kind) if kind.is_fifo() || kind.is_char_device() => Ok(Goal::Stream),
        Some(_) => Err(refused(path, "that is a device or a socket".to_owned(), "name a file")),
        None if path.file_name().is_none() => {
            Err(refused(path, "that is a folder".to_owned(), "name a file in it"))
        }
        None if !folder.is_dir() => {
            let reason = format!("there is no folder {}", shown(folder));
            Err(refused(path, reason, "make the folder, or correct the path"))
        }
        None => Ok(Goal::File(path.to_owned())),
    }
}

/// An empty file in the folder of `path`, with the permissions of any new file.
fn beside(path: &Path) -> std::io::Result<NamedTempFile> {
    let ordinary = Permissions::from_mode(0o666); // Less what the umask takes.
    tempfile::Builder::new().prefix(".headroom-").permissions(ordinary).tempfile_in(folder_of(path))
}

fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut new = beside(path)?;
    // A file that its owner made private stays so, and so does what will be in it.
    if let Ok(old) = path.metadata() {
        new.as_file().set_permissions(Permissions::from_mode(old.permissions().mode() & 0o777))?;
    }
    new.write_all(bytes)?;
    new.as_file().sync_all()?;
    new.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// The folder in which `path` stands or would stand.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn shown(path: &Path) -> String {
    report::text::printable(&path.display().to_string())
}

/// That `path` is not written, for a reason that needs no more words.
pub(crate) fn refused(path: &Path, reason: String, help: &str) -> Failure {
    let message = format!("{} cannot be written: {reason}", shown(path));
    Failure::refused(message, help)
}

/// The same, as the kernel refused it; what it says of our temporary file would
/// tell nobody anything.
fn unwritten(path: &Path, source: &std::io::Error) -> Failure {
    use std::io::ErrorKind;
    let folder = shown(folder_of(path));
    let (reason, help) = match source.kind() {
        ErrorKind::NotFound => (format!("no file can be made in the folder {folder}"), "name another folder"),
        ErrorKind::PermissionDenied => {
            (format!("you may not write in the folder {folder}"), "name another folder, or ask who owns it")
        }
        ErrorKind::ReadOnlyFilesystem => {
            (format!("the file system of the folder {folder} is read-only"), "name another folder")
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            (format!("there is no room left in the folder {folder}"), "make room, or name another folder")
        }
        other => (other.to_string(), "name another file"),
    };
    refused(path, reason, help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_shell_would_take_apart_is_quoted() {
        let words = ["fio", "--size=1G", "--filename=/data/a b", "--rate=$x", "", "=x"];
        assert_eq!(joined(words), "fio --size=1G '--filename=/data/a b' '--rate=$x' '' '=x'");
    }

    #[test]
    fn colours_are_for_those_who_take_them() {
        for (no_color, term, takes) in [
            ("", "xterm", true),
            ("1", "xterm", false),
            ("", "dumb", false),
            ("0", "", false),
            ("", "", true),
        ] {
            let variable = |name: &str| Some(OsString::from(if name == "TERM" { term } else { no_color }));
            assert_eq!(takes_colour(variable), takes, "NO_COLOR={no_color} TERM={term}");
        }
        assert!(takes_colour(|_| None));
    }

    #[test]
    fn regression_the_command_for_all_details_lacked_what_was_typed() {
        let typed =
            |words: &[&str]| typed_verbosely(&words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>());
        assert_eq!(typed(&["./headroom", "doctor"]), "headroom doctor -v");
        let compare = typed(&["headroom", "compare", "a", "my run.json", "--store", "x.db"]);
        assert_eq!(compare, "headroom compare -v a 'my run.json' --store x.db");
        assert_eq!(typed(&["headroom", "show", "--", "-odd"]), "headroom show -v -- -odd");
        for output in [&["-o", "t.html"][..], &["-ot.html"], &["--output", "t.html"], &["--output=t.html"]] {
            let line = [&["headroom", "trend", "disk"][..], output, &["--since", "1d"]].concat();
            assert_eq!(typed(&line), "headroom trend -v disk --since 1d");
        }
        assert_eq!(
            typed(&["headroom", "trace", "sda", "--", "cc", "-o", "a"]),
            "headroom trace -v sda -- cc -o a"
        );
        assert_eq!(typed(&["headroom", "show", "it's"]), "headroom show -v \"it's\"");
        assert!(!typed(&["headroom", "show", "a\u{1b}[2J"]).contains('\u{1b}'));
    }

    #[test]
    fn what_the_kernel_refuses_is_said_in_words_of_the_person() {
        for (number, says) in
            [(2, "in the folder /proc"), (13, "may not write"), (28, "no room"), (30, "read-only")]
        {
            let failure = unwritten(Path::new("/proc/a.svg"), &std::io::Error::from_raw_os_error(number));
            let message = failure.message();
            assert!(
                message.starts_with("/proc/a.svg cannot be written: ") && message.contains(says),
                "{message}"
            );
            assert!(!message.contains("os error") && failure.help().is_some(), "{message}");
            assert_eq!(failure.code(), 3);
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn regression_a_result_replaced_the_pipe_that_it_was_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("page.html");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || std::fs::read(pipe).unwrap()
        });
        Pending::at(&pipe).unwrap().finish(b"page").unwrap();
        assert!(pipe.metadata().unwrap().file_type().is_fifo());
        assert_eq!(reader.join().unwrap(), b"page");
        Pending::at(Path::new("/dev/null")).unwrap().finish(b"page").unwrap();
        assert!(Path::new("/dev/null").metadata().unwrap().file_type().is_char_device());
        assert_eq!(names(folder.path()), ["page.html"]);
    }

    #[test]
    fn regression_a_result_replaced_the_link_and_not_the_file_behind_it() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a.html"), folder.path().join("latest.html"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink("a.html", &link).unwrap();
        Pending::at(&link).unwrap().finish(b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
    }

    #[test]
    fn what_is_replaced_by_its_name_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a"), folder.path().join("b"));
        std::fs::write(&file, "old").unwrap();
        let pending = Pending::by_name(&link).unwrap();
        std::os::unix::fs::symlink("a", &link).unwrap();
        pending.finish(b"new").unwrap();
        assert!(!link.is_symlink());
        assert_eq!(std::fs::read(&file).unwrap(), b"old");
        assert_eq!(std::fs::read(&link).unwrap(), b"new");
    }

    #[test]
    fn regression_a_private_file_was_made_readable_for_all() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.html");
        std::fs::write(&file, "old").unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        Pending::at(&file).unwrap().finish(b"new").unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        // A new one is like any other: what the umask leaves.
        let (ours, other) = (folder.path().join("b.html"), folder.path().join("c.html"));
        Pending::at(&ours).unwrap().finish(b"new").unwrap();
        std::fs::write(&other, "new").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&other));
    }

    #[test]
    fn regression_a_killed_run_left_a_hidden_file_beside_its_result() {
        let folder = tempfile::tempdir().unwrap();
        let pending = Pending::at(&folder.path().join("a.html")).unwrap();
        assert_eq!(names(folder.path()), Vec::<String>::new());
        pending.finish(b"new").unwrap();
        assert_eq!(names(folder.path()), ["a.html"]);
    }
}
