//! Texts that other tools printed, from files, folders and standard input, compressed by gzip or not.

use std::fs::File;
use std::io::{Cursor, ErrorKind, IsTerminal, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use analysis::check::has_written_figures;
use clap::ArgMatches;
use flate2::read::MultiGzDecoder;
use import::tool::{self, PasteError};
use load::workload::Load;
use model::plan::LoadSpec;
use model::tool_result::UnreadCause;
use model::{LoadProfile, Machine, Run, ToolOutput, parallel};
use report::text::printable;
use study::imported::{ImportedRun, KnownLoads, from_outputs};

use super::run;
use crate::exit::Failure;
use crate::output;

/// The name of standard input among files.
const STDIN: &str = "-";

/// What begins a file that gzip compressed (RFC 1952, section 2.3.1).
const GZIP: &[u8] = b"\x1f\x8b";

/// The deepest folders that are looked into.
const DEPTH_MAX: usize = 16;

/// Reads what `FILE...` names; standard input where it names nothing.
pub(super) fn read_files(matches: &ArgMatches) -> Result<Vec<ToolOutput>, Failure> {
    let files: Vec<&str> =
        matches.get_many::<String>("file").into_iter().flatten().map(String::as_str).collect();
    let files = if files.is_empty() { vec![STDIN] } else { files };
    read_all(&files)
}

/// Reads these, several at once: most of the time goes into understanding them.
fn read_all(files: &[&str]) -> Result<Vec<ToolOutput>, Failure> {
    let read = parallel::map(files, |name| try_read(name));
    read.into_iter().zip(files).map(|(output, name)| output.map_err(|why| why.failure(name))).collect()
}

/// All texts in a folder and in those below it, in the order of their names, and how many files were
/// left out because they are none.
pub(super) fn read_folder(folder: &str) -> Result<(Vec<ToolOutput>, usize), Failure> {
    let mut files = Vec::new();
    list(Path::new(folder), DEPTH_MAX, &mut files)?;
    files.sort();
    let names: Vec<String> = files.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let (mut outputs, mut left_out) = (Vec::new(), 0);
    for (read, name) in parallel::map(&names, |name| try_read(name)).into_iter().zip(&names) {
        match read {
            Ok(output) => outputs.push(output),
            // It is told, and the others are read.
            Err(why) => {
                left_out += 1;
                output::note(&format!("{}\n", printable(&why.failure(name).message())));
            }
        }
    }
    Ok((outputs, left_out))
}

/// Adds the ordinary files in a folder. Links are not followed: they may lead in a circle.
fn list(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let unread = |source| Failure::File { what: "reading", path: folder.to_owned(), source };
    for entry in folder.read_dir().map_err(unread)? {
        let entry = entry.map_err(unread)?;
        let kind = entry.file_type().map_err(unread)?;
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        if is_hidden {
            continue;
        }
        if kind.is_file() {
            files.push(entry.path());
        } else if kind.is_dir() && depth > 0 {
            list(&entry.path(), depth - 1, files)?;
        }
    }
    Ok(())
}

/// Why a text is not read.
#[derive(Debug)]
enum Unread {
    /// The kernel's error.
    Io(std::io::Error),
    /// It is no text of a tool.
    Wrong(String),
}

impl Unread {
    /// The same of the file of this name.
    fn failure(self, name: &str) -> Failure {
        let shown = if name == STDIN { "standard input" } else { name };
        match self {
            Self::Io(source) => Failure::File { what: "reading", path: PathBuf::from(shown), source },
            Self::Wrong(what) => {
                let message = format!("{shown} cannot be checked: {what}");
                Failure::arguments(printable(&message), "give the text that a tool printed")
            }
        }
    }
}

/// Reads one file, or standard input.
fn try_read(name: &str) -> Result<ToolOutput, Unread> {
    if name == STDIN {
        let input = std::io::stdin();
        if input.is_terminal() {
            output::note("Paste the output of a tool, then type Ctrl-D.\n");
        }
        return from(input.lock(), "");
    }
    let path = Path::new(name);
    let kind = path.metadata().map_err(Unread::Io)?.file_type();
    let what = match kind {
        kind if kind.is_dir() => "a folder (give it to --run)",
        kind if kind.is_block_device() => "a device",
        kind if kind.is_socket() => "a socket",
        _ => return from(File::open(path).map_err(Unread::Io)?, name),
    };
    Err(Unread::Wrong(format!("it is {what}")))
}

/// Reads a text; what gzip compressed is unpacked on the way, in bounded memory.
fn from(mut input: impl Read, name: &str) -> Result<ToolOutput, Unread> {
    let mut head = Vec::new();
    input.by_ref().take(GZIP.len() as u64).read_to_end(&mut head).map_err(Unread::Io)?;
    let is_packed = head == GZIP;
    let whole = Cursor::new(head).chain(input);
    let read = if is_packed { tool::read(name, MultiGzDecoder::new(whole)) } else { tool::read(name, whole) };
    read.map_err(|error| match error {
        PasteError::Io(source) if is_packed && is_damage(source.kind()) => {
            Unread::Wrong(format!("it is compressed by gzip, and damaged or cut: {source}"))
        }
        PasteError::Io(source) => Unread::Io(source),
        other => Unread::Wrong(other.to_string()),
    })
}

/// Whether a file could be read, and what is in it could not be unpacked.
fn is_damage(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::InvalidInput | ErrorKind::InvalidData | ErrorKind::UnexpectedEof)
}

/// Fails if no output of any tool was understood.
pub(super) fn understood(outputs: &[ToolOutput]) -> Result<(), Failure> {
    if outputs.iter().any(|output| !output.results.is_empty()) {
        return Ok(());
    }
    let mut cut = outputs.iter().flat_map(|output| &output.unread).filter(|u| u.cause != UnreadCause::NoTool);
    let message = match cut.next() {
        Some(unread) => {
            let tool = unread.tool.as_deref().unwrap_or("a tool");
            let how = match unread.cause {
                UnreadCause::CutShort => "ends before its figures",
                _ => "does not go on like it",
            };
            format!("nothing was understood: what begins like {tool} in line {} {how}", unread.lines.first)
        }
        None => "nothing was understood: there is no output of a tool that is known".to_owned(),
    };
    let names: Vec<&str> = tool::readers().map(|reader| reader.name()).collect();
    Err(Failure::arguments(
        printable(&message),
        format!("give all that the tool printed; known are: {}", names.join(", ")),
    ))
}

/// As [`understood`], for what keeps nothing: figures of a text without the output of any tool can be held against one another, too.
pub(super) fn can_be_judged(outputs: &[ToolOutput]) -> Result<(), Failure> {
    let is_prose =
        |output: &ToolOutput| output.unread.iter().all(|unread| unread.cause == UnreadCause::NoTool);
    let has_figures = outputs.iter().all(is_prose) && outputs.iter().any(has_written_figures);
    if has_figures { Ok(()) } else { understood(outputs) }
}

/// The run of what a tool printed into this file, called after it; nothing where none is understood.
pub(super) fn run_in(path: &Path, bytes: &[u8]) -> Option<Run> {
    let name = path.to_string_lossy();
    let output = from(bytes, &name).ok().filter(|output| !output.results.is_empty())?;
    let id = run_name(without_endings(&name));
    Some(Run { id, ..run_of(vec![output], None, &[]).run })
}

/// Ends of names that say how a text is kept. What else stands behind a point may be of a version.
const ENDINGS: &[&str] = &[".txt", ".log", ".out", ".json", ".gz"];

/// The name of a file without them.
pub(super) fn without_endings(mut name: &str) -> &str {
    while let Some(shorter) = ENDINGS.iter().find_map(|ending| name.strip_suffix(*ending)) {
        name = shorter;
    }
    name
}

/// The longest name of a run.
const NAME_MAX: usize = 64;

/// A text as runs are named: letters, digits and dashes, of a long one the end.
pub(super) fn run_name(text: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = text.chars().map(letter).collect();
    let name = name.trim_matches('-');
    let name = name.get(name.len().saturating_sub(NAME_MAX)..).unwrap_or(name);
    if name.is_empty() { "-".to_owned() } else { name.to_owned() }
}

/// The run document of these outputs, with what was found in each result.
pub(super) fn run_of(outputs: Vec<ToolOutput>, machine: Option<Machine>, typed: &[String]) -> ImportedRun {
    let catalogue = ::agent::catalogue();
    let loads = KnownLoads { catalogue: &catalogue, profile: &profile };
    from_outputs(outputs, machine.into_iter().collect(), &run::identity(typed), &loads)
}

/// What a load is. The number of CPUs counts for loads that take all, and no tool's does.
fn profile(load: &LoadSpec) -> Option<LoadProfile> {
    Load::named(load.workload, load.parameters.clone(), 1).ok().map(|load| load.profile())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    const DD: &str =
        "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 0.04 s, 1.7 GB/s\n";

    fn packed(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn what_cannot_be_read_says_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |path: &Path| {
            let name = path.to_string_lossy();
            try_read(&name).unwrap_err().failure(&name)
        };
        let failure = refused(folder.path());
        assert!(failure.message().contains("it is a folder"), "{}", failure.message());
        assert_eq!(failure.code(), crate::exit::INVALID);
        let path = folder.path().join("x.gz");
        let whole = packed(DD);
        for damaged in [&b"\x1f\x8b\x08"[..], &whole[..whole.len() / 2]] {
            std::fs::write(&path, damaged).unwrap();
            let failure = refused(&path);
            assert!(failure.message().contains("compressed by gzip"), "{}", failure.message());
            assert_eq!(failure.code(), crate::exit::INVALID);
        }
    }

    #[test]
    fn what_gzip_compressed_is_read_as_what_it_was() {
        let mut twice = packed(DD);
        twice.extend(packed(DD));
        let output = from(twice.as_slice(), "x.gz").unwrap();
        assert_eq!((output.results.len(), output.lines), (2, 6));
        assert_eq!(from(DD.as_bytes(), "x").unwrap().results.len(), 1);
        assert_eq!(from(&b""[..], "x").unwrap().results.len(), 0);
    }

    #[test]
    fn a_folder_is_read_in_the_order_of_names_without_what_is_no_text() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("b")).unwrap();
        for (name, bytes) in [
            ("b/1.txt", DD.as_bytes()),
            ("a.txt", DD.as_bytes()),
            ("c.png", &b"\x89PNG\0"[..]),
            (".x", &b"hidden"[..]),
        ] {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        std::os::unix::fs::symlink(folder.path(), folder.path().join("circle")).unwrap();
        let (outputs, left_out) = read_folder(&folder.path().to_string_lossy()).unwrap();
        let names: Vec<&str> =
            outputs.iter().map(|output| output.source.rsplit('/').next().unwrap()).collect();
        assert_eq!((names, left_out), (vec!["a.txt", "1.txt"], 1));
    }

    #[test]
    fn a_run_is_called_after_its_file() {
        assert_eq!(run_name("./results/linux 1"), "results-linux-1");
        assert_eq!(run_name(""), "-");
        assert_eq!(without_endings("linux-6.8"), "linux-6.8");
        assert_eq!(without_endings("linux-6.8.txt.gz"), "linux-6.8");
        assert_eq!(run_name("한국어"), "-");
        assert_eq!(run_name(&"a/".repeat(100)).len(), NAME_MAX);
    }

    #[test]
    fn text_of_no_tool_is_told_with_what_is_known() {
        let refused = |text: &str| understood(&[tool::read("", text.as_bytes()).unwrap()]).unwrap_err();
        assert!(refused("prose\n").message().contains("no output of a tool"));
        assert!(refused("64+0 records in\n").message().contains("begins like dd in line 1 ends before"));
        assert!(refused("").help().unwrap().contains("fio"));
    }
}
