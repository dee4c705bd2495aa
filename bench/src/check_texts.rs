//! What reading other tools' outputs costs: 10,000 files of mixed kinds read and kept, and one text of
//! 100 KB with its report, beside `wc`, which reads the same bytes and says how many they are. The
//! texts are the captures of the importers' tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::context::BenchContext;
use crate::judge::{Figure, Goal};
use crate::{Benchmark, Sides};
use xtask::Error;

/// So many files are read and kept.
const FILES: usize = 10_000;

/// The bytes of one text.
const BYTES: usize = 100_000;

/// Many files.
pub(crate) const MANY: Benchmark = Benchmark {
    name: "check-files",
    peer: "wc",
    needs: &[],
    figures: &[Figure {
        what: "seconds to read and keep 10,000 files",
        unit: "s",
        goal: Goal::OursAtMost(10.0),
    }],
    prepare: |context| {
        let captures = captures()?;
        let folder = context.scratch("texts");
        fs::create_dir_all(&folder).map_err(Error::file("make", &folder))?;
        let mut files = Vec::new();
        for (number, capture) in captures.iter().cycle().take(FILES).enumerate() {
            let path = folder.join(format!("{number}.txt"));
            fs::write(&path, capture).map_err(Error::file("write", &path))?;
            files.push(path.to_string_lossy().into_owned());
        }
        Ok(Box::new(Texts { files, is_kept: true }))
    },
};

/// One text.
pub(crate) const ONE: Benchmark = Benchmark {
    name: "check-text",
    peer: "wc",
    needs: &[],
    figures: &[Figure {
        what: "seconds to read 100 KB and say what is wrong with it",
        unit: "s",
        goal: Goal::OursAtMost(0.05),
    }],
    prepare: |context| {
        let mut text = Vec::new();
        // Whole ones, as many as fit; what is larger than all of it is left out.
        for capture in captures()?.iter().cycle().take(FILES).filter(|capture| !capture.is_empty()) {
            if text.len() + capture.len() <= BYTES {
                text.extend_from_slice(capture);
                text.push(b'\n');
            }
        }
        let path = context.scratch("paste.txt");
        fs::write(&path, text).map_err(Error::file("write", &path))?;
        Ok(Box::new(Texts { files: vec![path.to_string_lossy().into_owned()], is_kept: false }))
    },
};

/// The captures in UTF-8, in the order of their names.
fn captures() -> Result<Vec<Vec<u8>>, Error> {
    let mut paths: Vec<PathBuf> = Vec::new();
    let folders = xtask::root().join("crates/import/tests/tool/fixtures");
    for folder in entries(&folders)? {
        paths.extend(
            entries(&folder)?.into_iter().filter(|path| path.extension().is_some_and(|e| e == "out")),
        );
    }
    paths.sort();
    let read = |path: &PathBuf| fs::read(path).map_err(Error::file("read", path));
    let texts = paths.iter().map(read).collect::<Result<Vec<_>, Error>>()?;
    let texts: Vec<Vec<u8>> = texts.into_iter().filter(|text| std::str::from_utf8(text).is_ok()).collect();
    if texts.is_empty() {
        return Err(Error::Bench("there are no captures of other tools".to_owned()));
    }
    Ok(texts)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let entries = fs::read_dir(folder).map_err(Error::file("read", folder))?;
    Ok(entries.flatten().map(|entry| entry.path()).collect())
}

/// Files to be read.
struct Texts {
    files: Vec<String>,
    /// Whether what is read is kept in a store.
    is_kept: bool,
}

impl Texts {
    /// Words, and the files behind them.
    fn behind<'a, const N: usize>(&'a self, words: [&'a str; N]) -> Vec<&'a str> {
        words.into_iter().chain(self.files.iter().map(String::as_str)).collect()
    }
}

impl Sides for Texts {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        if self.is_kept {
            let store = context.scratch(&format!("import-{seed}.db")).to_string_lossy().into_owned();
            let words = self.behind(["import", "--store", &store]);
            let began = Instant::now();
            context.own(&words)?;
            return Ok(vec![began.elapsed().as_secs_f64()]);
        }
        // It ends with 1 where it doubts a figure.
        let script = "\"$0\" check \"$@\" || test $? -eq 1";
        let program = context.program().to_string_lossy().into_owned();
        let words = self.behind(["-c", script, &program]);
        let began = Instant::now();
        context.output(None, "sh", &words)?;
        Ok(vec![began.elapsed().as_secs_f64()])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let words = self.behind(["-c"]);
        let began = Instant::now();
        context.output(None, "wc", &words)?;
        Ok(vec![began.elapsed().as_secs_f64()])
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        let said = context.output(None, "wc", &["--version"])?;
        Ok(said.lines().next().unwrap_or_default().to_owned())
    }
}
