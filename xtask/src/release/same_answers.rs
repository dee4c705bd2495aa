//! The programs of a release, asked the same without a load: what they say of recorded machines, of other tools' output and of
//! themselves must not depend on the processor. That of another processor is emulated.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::architecture::{self, Architecture};
use super::command::run;
use crate::error::Error;

/// Questions that need no file.
const PLAIN: &[&[&str]] =
    &[&["workloads"], &["workloads", "disk"], &["help", "net.stream"], &["studies"], &["man", "run"]];

/// Recorded machines, and what fio printed, from the root.
const MACHINES: &str = "tests/hosts";
const OUTPUTS: &str = "crates/analysis/src/check/captures";

/// How long a program may take for an answer: an emulated one needs seconds, so this is for one that would never end.
const PATIENCE: Duration = Duration::from_secs(300);

/// How often it is looked at meanwhile.
const POLL: Duration = Duration::from_millis(5);

/// Asks this machine's program and the other's, both from the archives in the folder `dist`, and says to which
/// questions they answer otherwise, or nothing.
///
/// # Errors
/// If there is no such program, or it cannot be asked.
pub(super) fn differences(
    root: &Path,
    dist: &Path,
    other: &Architecture,
    emulator: &Path,
) -> Result<Vec<String>, Error> {
    let native = architecture::ALL.iter().find(|one| one.is_native());
    let native = native.ok_or_else(|| Error::Release("no release is made for this processor".to_owned()))?;
    let work = tempfile::tempdir().map_err(Error::file("make", &std::env::temp_dir()))?;
    let ours = unpacked(dist, native, work.path())?;
    let theirs = unpacked(dist, other, work.path())?;
    let (_, told) = answer(Process::new(emulator).arg(&theirs).args(["--version", "--verbose"]), PATIENCE)?;
    let told = String::from_utf8_lossy(&told);
    println!("{told}");
    let mut found = Vec::new();
    if !told.contains(other.triple) {
        found.push("--version --verbose".to_owned());
    }
    let questions = questions(root)?;
    println!("{} questions to both programs", questions.len());
    for words in questions {
        let by_ours = answer(Process::new(&ours).args(&words), PATIENCE)?;
        let by_theirs = answer(Process::new(emulator).arg(&theirs).args(&words), PATIENCE)?;
        // Two programs that refuse the words, or crash, would agree as well.
        if by_ours != by_theirs || by_ours.1.is_empty() {
            let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
            found.push(words.join(" "));
        }
    }
    Ok(found)
}

/// The program in the archive for an architecture.
fn unpacked(dist: &Path, architecture: &Architecture, work: &Path) -> Result<PathBuf, Error> {
    let name = super::artefact(dist, &format!("-{}-linux.tar.gz", architecture.name))?;
    run(Process::new("tar").arg("-C").arg(work).arg("-xzf").arg(dist.join(&name)))?;
    Ok(work.join(name.trim_end_matches(".tar.gz")).join("headroom"))
}

/// What is asked: the words behind the program.
fn questions(root: &Path) -> Result<Vec<Vec<OsString>>, Error> {
    let words = |words: &[&str]| -> Vec<OsString> { words.iter().map(OsString::from).collect() };
    let mut all: Vec<Vec<OsString>> = PLAIN.iter().map(|plain| words(plain)).collect();
    for host in files(&root.join(MACHINES), "host")? {
        for command in ["machine", "doctor"] {
            let mut question = words(&[command, "-v", "--host"]);
            question.push(host.clone().into_os_string());
            all.push(question);
        }
    }
    for text in files(&root.join(OUTPUTS), "txt")? {
        let mut question = words(&["check", "-v"]);
        question.push(text.into_os_string());
        all.push(question);
    }
    Ok(all)
}

/// The files with this ending in a folder, in order.
fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(Error::file("read", folder))? {
        files.push(entry.map_err(Error::file("read", folder))?.path());
    }
    files.retain(|path| path.extension().is_some_and(|found| found == ending));
    files.sort();
    Ok(files)
}

/// How a program ended, and what it printed.
///
/// # Errors
/// If it cannot be run, or does not end within `patience`.
fn answer(process: &mut Process, patience: Duration) -> Result<(Option<i32>, Vec<u8>), Error> {
    let lost = |e: io::Error| Error::Release(format!("the program cannot be run: {e}"));
    let mut printed = tempfile::tempfile().map_err(lost)?;
    let output = printed.try_clone().map_err(lost)?;
    let mut child =
        process.stdin(Stdio::null()).stderr(Stdio::null()).stdout(output).spawn().map_err(lost)?;
    let until = Instant::now() + patience;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(lost)? {
            break status;
        }
        if Instant::now() >= until {
            // It may have ended just now.
            let _ = child.kill();
            child.wait().map_err(lost)?;
            let words: Vec<_> = process.get_args().map(|word| word.to_string_lossy()).collect();
            let (words, seconds) = (words.join(" "), patience.as_secs_f64());
            return Err(Error::Release(format!("the program did not answer `{words}` in {seconds} s")));
        }
        thread::sleep(POLL);
    };
    let mut bytes = Vec::new();
    printed.rewind().map_err(lost)?;
    printed.read_to_end(&mut bytes).map_err(lost)?;
    Ok((status.code(), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::tree::{self, PackagedFile};

    /// A release with two programs, each a script that says its processor where `differs`, and knows no `man`.
    fn release(place: &Path, differs: bool) {
        for architecture in architecture::ALL {
            let name = format!("headroom-0.1.0-{}-linux", architecture.name);
            let folder = place.join(&name);
            fs::create_dir(&folder).unwrap();
            let more = if differs { architecture.name } else { "" };
            let script = format!(
                "#!/bin/sh\ncase \"$1\" in --version) echo {} ;; check) echo \"$@\" {more} ;; man) exit 2 ;; *) echo \"$1\" ;; esac\n",
                architecture.triple
            );
            tree::write(&folder, &[PackagedFile::program("headroom", script)]).unwrap();
            let archive = place.join(format!("{name}.tar.gz"));
            run(Process::new("tar").arg("-C").arg(place).arg("-czf").arg(archive).arg(&name)).unwrap();
        }
    }

    #[test]
    fn regression_a_program_that_never_ends_was_waited_for() {
        let error = answer(Process::new("sleep").arg("3600"), Duration::from_millis(50)).unwrap_err();
        assert!(error.to_string().contains("did not answer `3600` in 0.05 s"), "{error}");
        let said = answer(Process::new("echo").arg("a b"), PATIENCE).unwrap();
        assert_eq!(said, (Some(0), b"a b\n".to_vec()));
    }

    #[test]
    fn only_what_is_answered_otherwise_or_not_at_all_is_told() {
        let other = architecture::ALL.iter().find(|one| !one.is_native()).unwrap();
        for differs in [false, true] {
            let place = tempfile::tempdir().unwrap();
            release(place.path(), differs);
            let found = differences(&crate::root(), place.path(), other, Path::new("/bin/sh")).unwrap();
            let outputs = files(&crate::root().join(OUTPUTS), "txt").unwrap().len();
            assert!(outputs > 0);
            assert!(found.contains(&"man run".to_owned()), "{found:?}");
            assert_eq!(found.len(), 1 + if differs { outputs } else { 0 }, "{found:?}");
        }
    }
}
