//! `--log-operations FILE`: every operation of every trial, a row each, as CSV. What a trial did is written when it is
//! over, so that nothing is written while time counts; an agent notes operations in memory until then. Both are bounded,
//! and how many operations had no room is said at the end.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches};
use model::AgentEvent;
use model::event::{Event, OperationBatch};
use report::text::printable;

use crate::exit::Failure;
use crate::output;

/// The name of the option.
pub(crate) const LOG_OPERATIONS: &str = "log-operations";

/// What the columns are called.
const HEAD: &str = "case,block,load,worker,start_ns,latency_ns,bytes,kind,error\n";

/// The most rows of a file: some 400 MB.
const ROWS_MAX: u64 = 10_000_000;

pub(crate) fn argument() -> Arg {
    Arg::new(LOG_OPERATIONS).long(LOG_OPERATIONS).value_name("FILE").help(
        "Write every operation to this new file as CSV: case, start, latency, bytes, kind, whether it failed; at most 1 \
         million of a trial and 10 million in all",
    )
}

/// The file, and how far it is.
pub(crate) struct OperationLogFile {
    path: PathBuf,
    file: BufWriter<File>,
    /// The case and the block of the trial under way.
    trial: (usize, u32),
    rows: u64,
    left_out: u64,
    /// What went wrong first: from then on nothing is written.
    error: Option<io::Error>,
}

impl OperationLogFile {
    /// The one that is asked for: it must not be there yet.
    pub(crate) fn asked(matches: &ArgMatches) -> Result<Option<Self>, Failure> {
        matches.get_one::<String>(LOG_OPERATIONS).map(|path| Self::at(Path::new(path))).transpose()
    }

    fn at(path: &Path) -> Result<Self, Failure> {
        let made = OpenOptions::new().write(true).create_new(true).open(path).and_then(|file| {
            let mut file = BufWriter::new(file);
            file.write_all(HEAD.as_bytes())?;
            Ok(file)
        });
        match made {
            Ok(file) => {
                let path = path.to_owned();
                Ok(Self { path, file, trial: (0, 0), rows: 0, left_out: 0, error: None })
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(Failure::refused(
                format!("{} is there already", printable(&path.display().to_string())),
                "operations are logged to a new file; name another, or remove it",
            )),
            Err(error) => Err(unwritten(path, error)),
        }
    }

    /// Writes what a run says of operations.
    pub(crate) fn hear(&mut self, event: &Event) {
        match event {
            Event::TrialStarted { case, block, .. } => self.trial = (*case, *block),
            Event::Agent(AgentEvent::Operations(batch)) if self.error.is_none() => {
                self.error = self.write(batch).err();
            }
            Event::TrialFinished { .. } if self.error.is_none() => self.error = self.settle().err(),
            _ => {}
        }
    }

    fn write(&mut self, batch: &OperationBatch) -> io::Result<()> {
        let (case, block) = self.trial;
        let OperationBatch { load, worker, kinds, operations, left_out } = batch;
        let room = usize::try_from(ROWS_MAX.saturating_sub(self.rows)).unwrap_or(usize::MAX);
        let written = &operations[..operations.len().min(room)];
        for operation in written {
            let kind = kinds.get(usize::from(operation.kind));
            let name = kind.map(|kind| cell(&kind.name)).unwrap_or_default();
            let failed = u8::from(kind.is_some_and(|kind| kind.fails));
            let (start, latency, bytes) = (operation.start_ns, operation.latency_ns, operation.bytes);
            writeln!(self.file, "{case},{block},{load},{worker},{start},{latency},{bytes},{name},{failed}")?;
        }
        self.rows += written.len() as u64;
        self.left_out += left_out + (operations.len() - written.len()) as u64;
        Ok(())
    }

    /// Brings what a trial did to the disk before the next one begins, in which the kernel would write it.
    fn settle(&mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_data()
    }

    /// Ends it, and says what is in it.
    pub(crate) fn close(mut self) -> Result<(), Failure> {
        let flushed = self.file.flush();
        if let Some(error) = self.error.or(flushed.err()) {
            return Err(unwritten(&self.path, error));
        }
        let path = printable(&self.path.display().to_string());
        let left_out = match self.left_out {
            0 => String::new(),
            more => format!("; {more} more had no room there"),
        };
        output::note(&format!("{} operations are in {path}{left_out}\n", self.rows));
        Ok(())
    }
}

fn unwritten(path: &Path, source: io::Error) -> Failure {
    Failure::File { what: "write", path: path.to_owned(), source }
}

/// A name as a cell of CSV (RFC 4180).
fn cell(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use model::event::{LoggedOperation, OperationKind};
    use model::trial::Status;

    use super::*;

    fn batch(kinds: &[(&str, bool)], operations: usize, left_out: u64) -> Event {
        let kind = |(name, fails): &(&str, bool)| OperationKind { name: (*name).to_owned(), fails: *fails };
        let operation = |number: usize| LoggedOperation {
            start_ns: number as i64 - 1,
            latency_ns: 250,
            bytes: 4096,
            kind: (number % 2) as u8,
        };
        Event::Agent(AgentEvent::Operations(OperationBatch {
            load: 0,
            worker: 3,
            kinds: kinds.iter().map(kind).collect(),
            operations: (0..operations).map(operation).collect(),
            left_out,
        }))
    }

    #[test]
    fn a_row_has_all_of_an_operation_and_the_place_of_its_trial() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("operations.csv");
        let mut log = OperationLogFile::at(&path).unwrap();
        log.hear(&Event::TrialStarted { case: 2, label: "disk".to_owned(), block: 4 });
        log.hear(&batch(&[("a \"read\"", false), ("error", true)], 2, 5));
        assert_eq!((log.rows, log.left_out), (2, 5));
        // It is there when the trial is over, whatever becomes of the run.
        log.hear(&Event::TrialFinished { case: 2, status: Status::Ok, reason: None });
        let text = std::fs::read_to_string(&path).unwrap();
        log.close().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        assert_eq!(
            text,
            format!("{HEAD}2,4,0,3,-1,250,4096,\"a \"\"read\"\"\",0\n2,4,0,3,0,250,4096,error,1\n")
        );
        // What is there is not touched.
        let refused = OperationLogFile::at(&path).err().unwrap();
        assert!(refused.message().contains("is there already"), "{}", refused.message());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }

    #[test]
    fn what_has_no_room_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = OperationLogFile::at(&folder.path().join("full.csv")).unwrap();
        log.rows = ROWS_MAX - 1;
        log.hear(&batch(&[("", false)], 3, 0));
        assert_eq!((log.rows, log.left_out), (ROWS_MAX, 2));
    }
}
