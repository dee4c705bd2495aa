//! Where records go: to the analysis, and to the files that were asked for. A file that cannot
//! be written any more does not end the trace.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use model::scalar::binary;
use trace::format::blkparse::BlkparseWriter;
use trace::format::blktrace::{BlktraceWriter, WallClock};
use trace::format::saved::{SavedHeader, SavedWriter};
use trace::format::{FormatError, RecordReader, RecordWriter};
use trace::{Analysis, AnalysisOptions, Device, Report, TraceRecord};

use super::arguments::{TraceArguments, TraceFormat};
use crate::exit::Failure;
use crate::output;

/// More CPUs have no file.
const CPUS_MAX: usize = 4096;

/// Of what a trace is, as files say it.
#[derive(Clone, Debug)]
pub(super) struct TraceOrigin {
    pub(super) header: SavedHeader,
    /// The device that a file for one device is of.
    pub(super) device: Device,
    pub(super) device_name: String,
    /// The time of day at a moment of the trace, where it is known.
    pub(super) clock: Option<WallClock>,
}

/// One file that is being written.
enum SinkWriter {
    Saved(SavedWriter<BufWriter<File>>),
    Blkparse(BlkparseWriter<Box<dyn Write>>),
    Blktrace(BlktraceWriter<CpuFile>, Device),
}

/// A file, and what it is called in messages.
struct Sink {
    path: PathBuf,
    writer: SinkWriter,
}

/// All of them, with the analysis.
pub(super) struct Sinks {
    analysis: Analysis,
    files: SinkFiles,
}

/// The files that are being written, and what became of the others.
#[derive(Default)]
struct SinkFiles {
    sinks: Vec<Sink>,
    unwritten: Option<Failure>,
    /// Whether who read our standard output went away.
    is_unread: bool,
}

impl Sinks {
    /// Opens what was asked for.
    pub(super) fn open(
        arguments: &TraceArguments,
        origin: &TraceOrigin,
        options: AnalysisOptions,
    ) -> Result<Self, Failure> {
        let mut sinks = Vec::new();
        if let Some(path) = &arguments.save {
            let file = BufWriter::with_capacity(1 << 16, create(path)?);
            let writer = SavedWriter::new(file, &origin.header).map_err(|e| unwritten(path, e))?;
            sinks.push(Sink { path: path.clone(), writer: SinkWriter::Saved(writer) });
        }
        match (arguments.format, &arguments.output) {
            (TraceFormat::Blkparse, path) => sinks.push(blkparse(path.as_deref(), origin)?),
            (TraceFormat::Blktrace, Some(name)) => sinks.push(blktrace(name, origin)?),
            (TraceFormat::Blktrace, None) | (TraceFormat::Text, _) => {}
        }
        Ok(Self { analysis: Analysis::new(options), files: SinkFiles { sinks, ..SinkFiles::default() } })
    }

    /// Takes the next record.
    pub(super) fn take(&mut self, record: &TraceRecord) {
        self.analysis.take(record);
        self.files.take(record);
    }

    /// Takes all that a reader has.
    ///
    /// # Errors
    /// If it cannot be read any further.
    pub(super) fn take_all(&mut self, reader: &mut dyn RecordReader) -> Result<(), FormatError> {
        let Self { analysis, files } = self;
        analysis.take_all(reader, &mut |records| files.take_all(records))
    }

    /// Whether nobody reads any more what is printed.
    pub(super) const fn is_unread(&self) -> bool {
        self.files.is_unread
    }

    /// What is known only at the end of what was swapped.
    pub(super) const fn analysis(&mut self) -> &mut Analysis {
        &mut self.analysis
    }

    /// Ends the files; gives what is said of all records, and what could not be written.
    pub(super) fn finish(mut self) -> (Report, Option<Failure>) {
        self.files.finish();
        (self.analysis.finish(), self.files.unwritten)
    }
}

impl SinkFiles {
    fn take_all(&mut self, records: &[TraceRecord]) {
        if !self.sinks.is_empty() {
            records.iter().for_each(|record| self.take(record));
        }
    }

    fn take(&mut self, record: &TraceRecord) {
        let mut place = 0;
        while let Some(sink) = self.sinks.get_mut(place) {
            match sink.writer.record(record) {
                Ok(()) => place += 1,
                Err(error) => {
                    let sink = self.sinks.remove(place);
                    self.failed(&sink.path, error, "; the trace goes on without it");
                }
            }
        }
    }

    /// A file cannot be written any more; `goes_on` says what the trace does.
    fn failed(&mut self, path: &Path, error: FormatError, goes_on: &str) {
        if is_broken_pipe(&error) {
            self.is_unread = true;
            return;
        }
        let failure = unwritten(path, error);
        let there = path.metadata().ok().filter(Metadata::is_file);
        let there = there.map(|file| format!("; its first {} are there", binary(file.len())));
        let message = failure.message() + &there.unwrap_or_default() + goes_on;
        output::note(&format!("{}\n", report::text::printable(&message)));
        self.unwritten.get_or_insert(failure);
    }

    /// Ends them.
    fn finish(&mut self) {
        for sink in std::mem::take(&mut self.sinks) {
            let path = sink.path;
            if let Err(error) = sink.writer.finish() {
                self.failed(&path, error, "");
            }
        }
    }
}

impl SinkWriter {
    fn record(&mut self, record: &TraceRecord) -> Result<(), FormatError> {
        match self {
            Self::Saved(writer) => writer.record(record),
            Self::Blkparse(writer) => writer.record(record),
            Self::Blktrace(writer, device) => {
                let is_of_another = match record {
                    TraceRecord::Block(event) => event.device.is_some_and(|own| own != *device),
                    _ => false,
                };
                if is_of_another { Ok(()) } else { writer.record(record) }
            }
        }
    }

    fn finish(self) -> Result<(), FormatError> {
        match self {
            Self::Saved(mut writer) => writer.finish(),
            Self::Blkparse(mut writer) => writer.finish(),
            Self::Blktrace(mut writer, _) => {
                writer.finish()?;
                fill_gaps(&writer.into_outputs()).map_err(FormatError::Write)
            }
        }
    }
}

fn is_broken_pipe(error: &FormatError) -> bool {
    matches!(error, FormatError::Write(e) if e.kind() == ErrorKind::BrokenPipe)
}

/// That a file could not be written, after much was done.
fn unwritten(path: &Path, error: FormatError) -> Failure {
    let source = match error {
        FormatError::Write(source) => source,
        other => io::Error::other(other.to_string()),
    };
    Failure::File { what: "writing to", path: path.to_owned(), source }
}

fn blkparse(path: Option<&Path>, origin: &TraceOrigin) -> Result<Sink, Failure> {
    let (path, output): (PathBuf, Box<dyn Write>) = match path {
        Some(path) => (path.to_owned(), Box::new(BufWriter::new(create(path)?))),
        None => (PathBuf::from("standard output"), Box::new(BufWriter::new(io::stdout()))),
    };
    let writer = BlkparseWriter::new(output, &origin.device_name, origin.device);
    Ok(Sink { path, writer: SinkWriter::Blkparse(writer) })
}

fn blktrace(name: &Path, origin: &TraceOrigin) -> Result<Sink, Failure> {
    let path = |cpu: usize| {
        let mut path = name.as_os_str().to_owned();
        path.push(format!(".blktrace.{cpu}"));
        PathBuf::from(path)
    };
    let first = path(0);
    let is_there = first.symlink_metadata().is_ok();
    if is_there {
        let reason = "there is such a trace already".to_owned();
        return Err(output::refused(&first, reason, "name another one with -o, or remove its files"));
    }
    let mut files: Vec<CpuFile> = (0..CPUS_MAX).map(|cpu| CpuFile { path: path(cpu), file: None }).collect();
    // So a folder that may not be written shows at once.
    if let Some(file) = files.first_mut() {
        file.open().map_err(|e| output::refused(&first, e.to_string(), "name another file with -o"))?;
    }
    let writer = BlktraceWriter::new(files, origin.device, origin.clock).map_err(|e| unwritten(&first, e))?;
    Ok(Sink { path: first, writer: SinkWriter::Blktrace(writer, origin.device) })
}

/// blkparse reads the files of CPUs from 0 on until one is missing.
fn fill_gaps(files: &[CpuFile]) -> io::Result<()> {
    let used = files.iter().rposition(|file| file.file.is_some()).unwrap_or(0);
    for file in files.iter().take(used).filter(|file| file.file.is_none()) {
        File::create_new(&file.path)?;
    }
    Ok(())
}

/// The file of a CPU, which is made when something is written to it.
struct CpuFile {
    path: PathBuf,
    file: Option<BufWriter<File>>,
}

impl CpuFile {
    fn open(&mut self) -> io::Result<&mut BufWriter<File>> {
        let file = match self.file.take() {
            Some(file) => file,
            None => BufWriter::new(File::create_new(&self.path)?),
        };
        Ok(self.file.insert(file))
    }
}

impl Write for CpuFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.open()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

/// Makes a file, or empties one. What is no file is not written: a trace is large, and a device
/// would be lost.
fn create(path: &Path) -> Result<File, Failure> {
    let there = path.metadata().ok().map(|metadata| metadata.file_type());
    if there.is_some_and(|kind| !(kind.is_file() || kind.is_fifo() || kind.is_char_device())) {
        return Err(output::refused(path, "that is no file".to_owned(), "name a file"));
    }
    let opened = OpenOptions::new().write(true).create(true).truncate(true).open(path);
    opened.map_err(|e| output::refused(path, e.to_string(), "name another file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_cpus_are_made_when_they_are_written_and_none_is_missing_between() {
        let folder = tempfile::tempdir().unwrap();
        let path = |cpu: usize| folder.path().join(format!("sda.blktrace.{cpu}"));
        let mut files: Vec<CpuFile> = (0..8).map(|cpu| CpuFile { path: path(cpu), file: None }).collect();
        files[3].write_all(b"x").unwrap();
        files[3].flush().unwrap();
        fill_gaps(&files).unwrap();
        let there: Vec<bool> = (0..8).map(|cpu| path(cpu).exists()).collect();
        assert_eq!(there, [true, true, true, true, false, false, false, false]);
        assert_eq!(std::fs::read(path(3)).unwrap(), b"x");
    }

    #[test]
    fn a_folder_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let failure = create(folder.path()).unwrap_err();
        assert_eq!(failure.code(), crate::exit::REFUSED);
        assert!(failure.message().contains("that is no file"), "{}", failure.message());
    }
}
