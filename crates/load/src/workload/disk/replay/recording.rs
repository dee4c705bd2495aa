//! A recording: what is known of it as a whole, which the survey finds out in bounded memory, and all of
//! its operations, which are kept for the study as a fixture.

use std::io::{ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

use engine::fault::Fault;
use model::plan::{FixtureKey, Ownership};
use sha2::{Digest as _, Sha256};

use crate::fixture::{Fixture, FixtureKind, FixtureResult, Progress};
use crate::host::HostInfo;
use crate::workload::disk::access::common_unit;
use crate::workload::disk::pattern::{KINDS, Kind};
use crate::workload::disk::playback::Step;
use crate::workload::disk::replay::reading::{self, Found, StepSink};

/// The kind of fixtures.
const NAME: &str = "recording";

/// Recordings, as fixtures.
pub const RECORDINGS: FixtureKind = FixtureKind { name: NAME, make };

/// With what the content of a recording begins that is told by its digits.
pub(super) const SHA256: &str = "sha256";

/// So many operations are read between two looks whether to go on.
const LOOK: u64 = 1 << 16;

/// What is known of the operations on one file or device of a recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SourceDigest {
    pub(super) name: String,
    /// Whether it got its operations from another one that stands on it.
    pub(super) is_beneath: bool,
    /// The most operations that were under way there at once, where that is known.
    pub(super) in_flight: Option<u64>,
    /// Operations by kind, and their bytes.
    pub(super) operations: [u64; KINDS],
    pub(super) bytes: [u64; KINDS],
    /// The end of the last byte that is touched, by kind.
    pub(super) ends: [u64; KINDS],
    /// What all places and lengths are multiples of.
    pub(super) unit: u64,
    /// The longest read or write.
    pub(super) longest: u64,
}

/// What is known of a recording as a whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Digest {
    pub(super) found: Found,
    /// By number.
    pub(super) sources: Vec<SourceDigest>,
    /// Operations of all kinds.
    pub(super) steps: u64,
    /// From the first to the last one, ns.
    pub(super) length_ns: u64,
}

impl Digest {
    /// Reads the recording at `path` for it.
    pub(super) fn read(path: &Path) -> Result<Self, Fault> {
        let mut digester = Digester::default();
        let found = reading::read(path, &mut digester)?;
        Ok(digester.digest(found))
    }

    /// Whether it says when its operations began.
    pub(super) fn has_times(&self) -> bool {
        self.length_ns > 0 || self.steps < 2
    }

    /// From the start of one pass to that of the next: one gap behind the last operation.
    pub(super) fn pass_ns(&self) -> u64 {
        (self.length_ns + self.length_ns / self.steps.saturating_sub(1).max(1)).max(1000)
    }
}

/// Makes a digest of operations.
#[derive(Debug, Default)]
struct Digester {
    sources: Vec<SourceDigest>,
    steps: u64,
    /// The first and the last moment, ns.
    span_ns: Option<(u64, u64)>,
}

impl Digester {
    fn take(&mut self, step: &Step) {
        let index = usize::from(step.source);
        if self.sources.len() <= index {
            self.sources.resize_with(index + 1, SourceDigest::default);
        }
        let own = &mut self.sources[index];
        own.operations[step.kind as usize] += 1;
        own.bytes[step.kind as usize] += step.bytes;
        self.steps += 1;
        let (first, last) = self.span_ns.unwrap_or((step.due_ns, step.due_ns));
        self.span_ns = Some((first.min(step.due_ns), last.max(step.due_ns)));
        if step.kind == Kind::Sync {
            return;
        }
        let end = &mut own.ends[step.kind as usize];
        *end = (*end).max(step.offset + step.bytes);
        own.unit = common_unit([own.unit, step.offset, step.bytes].into_iter());
        if !matches!(step.kind, Kind::Trim | Kind::Zero) {
            own.longest = own.longest.max(step.bytes);
        }
    }

    fn digest(mut self, found: Found) -> Digest {
        self.sources.resize_with(found.sources.len(), SourceDigest::default);
        for (own, source) in self.sources.iter_mut().zip(&found.sources) {
            own.name.clone_from(&source.name);
            own.is_beneath = source.is_beneath;
            own.in_flight = source.in_flight;
        }
        let length_ns = self.span_ns.map_or(0, |(first, last)| last - first);
        Digest { found, sources: self.sources, steps: self.steps, length_ns }
    }
}

impl StepSink for Digester {
    fn step(&mut self, step: Step) -> Result<(), Fault> {
        self.take(&step);
        Ok(())
    }

    fn took(&mut self, _number: u64, _ns: u64) {}
}

/// All of a recording.
#[derive(Debug)]
pub(super) struct Recording {
    pub(super) digest: Digest,
    /// In the order in which they are due, the first one at 0.
    pub(super) steps: Arc<Vec<Step>>,
}

impl Fixture for Recording {
    fn remove(self: Box<Self>) -> Result<(), Fault> {
        Ok(())
    }
}

/// What tells a recording from others, wherever it is: the SHA-256 of its file, as sha256sum prints it; of several
/// files that of all of them, one behind the other.
pub(super) fn content(path: &Path) -> Result<String, Fault> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    for path in reading::files(path)? {
        let mut file = reading::open(&path)?;
        loop {
            match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(bytes) => hash.update(&buffer[..bytes]),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(Fault::system(format!("reading {}", path.display()), e)),
            }
        }
    }
    let digits: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{SHA256}:{digits}"))
}

/// The key of the recording at `path`, with its content where that is known.
pub(super) fn key(path: &str, content: Option<&str>) -> Result<FixtureKey, Fault> {
    let files = reading::files(Path::new(path))?;
    let bytes = files.iter().filter_map(|file| file.metadata().ok()).map(|m| m.len()).sum();
    let details = content.map_or(serde_json::Value::Null, Into::into);
    Ok(FixtureKey { details, ..FixtureKey::new(NAME, path, bytes, Ownership::Borrowed) })
}

fn make(key: &FixtureKey, _host: &HostInfo, progress: &mut Progress<'_>) -> FixtureResult {
    if let Some(expected) = key.details.as_str()
        && content(Path::new(&key.target))? != expected
    {
        return Err(Fault::Other(format!(
            "{} was changed since it was looked at; leave a recording alone while it is played",
            key.target
        )));
    }
    let mut all = Everything { digester: Digester::default(), steps: Vec::new(), progress };
    let found = reading::read(Path::new(&key.target), &mut all)?;
    let Everything { digester, mut steps, .. } = all;
    if !steps.is_sorted_by_key(|step| step.due_ns) {
        // Those of several threads or files come a little out of order.
        steps.sort_by_key(|step| step.due_ns);
    }
    let first_ns = steps.first().map_or(0, |step| step.due_ns);
    steps.iter_mut().for_each(|step| step.due_ns -= first_ns);
    steps.shrink_to_fit();
    Ok(Box::new(Recording { digest: digester.digest(found), steps: Arc::new(steps) }))
}

/// Keeps every operation.
struct Everything<'a, 'p> {
    digester: Digester,
    steps: Vec<Step>,
    progress: &'a mut Progress<'p>,
}

impl StepSink for Everything<'_, '_> {
    fn step(&mut self, step: Step) -> Result<(), Fault> {
        self.digester.take(&step);
        // Their numbers have 32 bits.
        if self.digester.steps > u64::from(u32::MAX) {
            return Err(Fault::Other("a recording of more than 4,294,967,295 operations".to_owned()));
        }
        if self.digester.steps.is_multiple_of(LOOK) && !(self.progress)(0) {
            return Err(Fault::Cancelled);
        }
        self.steps.push(step);
        Ok(())
    }

    fn took(&mut self, number: u64, ns: u64) {
        if let Some(step) = self.steps.get_mut(number as usize) {
            // 0 stands for not known.
            step.latency_ns = ns.max(1) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::FixtureStore;

    const FIXTURES: &[FixtureKind] = &[RECORDINGS];

    /// What a recording with these lines is.
    fn recorded(lines: &str) -> Recording {
        let mut file = tempfile::NamedTempFile::new_in(".").unwrap();
        std::io::Write::write_all(&mut file, format!("fio version 3 iolog\n{lines}").as_bytes()).unwrap();
        let key = key(&file.path().to_string_lossy(), None).unwrap();
        let mut store = FixtureStore::new(FIXTURES);
        store.make(&key, &HostInfo::default(), &mut |_| true).unwrap();
        let made: &Recording = store.find(&key).unwrap();
        let read = Digest::read(file.path()).unwrap();
        assert_eq!(read, made.digest, "the survey saw something else");
        Recording { digest: read, steps: Arc::clone(&made.steps) }
    }

    const TWO: &str = "0 a add\n0 b add\n0 a open\n0 b open\n";

    #[test]
    fn a_recording_is_kept_in_the_order_in_which_it_is_due() {
        let Recording { digest, steps } = recorded(&format!(
            "{TWO}1000 a read 0 4096\n3000 b write 8192 512\n2000 a datasync 0 0\n5000 b trim 1048576 65536\n"
        ));
        let due: Vec<_> = steps.iter().map(|step| (step.due_ns, step.kind, step.source)).collect();
        let expected = [
            (0, Kind::Read, 0),
            (1_000_000, Kind::Sync, 0),
            (2_000_000, Kind::Write, 1),
            (4_000_000, Kind::Trim, 1),
        ];
        assert_eq!(due, expected);
        let Digest { sources, steps, length_ns, .. } = &digest;
        assert_eq!((*steps, *length_ns), (4, 4_000_000));
        let [a, b] = &sources[..] else { panic!("{sources:?}") };
        assert_eq!(
            (a.name.as_str(), a.operations, a.bytes, a.ends[0]),
            ("a", [1, 0, 0, 1, 0], [4096, 0, 0, 0, 0], 4096)
        );
        assert_eq!((b.operations, b.bytes, b.unit), ([0, 1, 1, 0, 0], [0, 512, 65536, 0, 0], 512));
        assert_eq!((b.ends, b.longest), ([0, 8704, (1 << 20) + 65536, 0, 0], 512));
    }

    #[test]
    fn what_is_torn_off_is_told_and_the_rest_is_kept() {
        let Recording { digest, steps } = recorded("0 a add\n0 a open\n10 a read 0 4096\n20 a rea");
        assert_eq!(steps.len(), 1);
        assert_eq!(digest.found.torn.as_deref(), Some("it ends within line 5"));
        let mut file = tempfile::NamedTempFile::new_in(".").unwrap();
        std::io::Write::write_all(&mut file, b"fio version 3 iolog\n0 a add\n0 a opened\n0 a close\n")
            .unwrap();
        let told = Digest::read(file.path()).unwrap_err().to_string();
        assert!(told.contains("line 3") && told.contains("opened"), "{told}");
        std::fs::write(file.path(), "neither\n").unwrap();
        let told = Digest::read(file.path()).unwrap_err().to_string();
        assert!(told.contains("no recording that is known here"), "{told}");
    }

    #[test]
    fn a_recording_is_told_by_what_its_files_hold() {
        let folder = tempfile::tempdir_in(".").unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("log"), "abc").unwrap();
        std::fs::write(at("copy"), "abc").unwrap();
        // FIPS 180-2, appendix B.1.
        let abc = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!((content(&at("log")).unwrap(), content(&at("copy")).unwrap()), (abc.into(), abc.into()));
        // Of blktrace's files all belong to it, in the order of their CPUs.
        for (name, text) in [("sda.blktrace.2", "b"), ("sda.blktrace.10", "c"), ("sda.blktrace.0", "a")] {
            std::fs::write(at(name), text).unwrap();
        }
        assert_eq!(content(&at("sda")).unwrap(), abc);
        std::fs::write(at("copy"), "abd").unwrap();
        assert_ne!(content(&at("copy")).unwrap(), abc);
        // What was looked at is not there any more.
        let key = key(&at("copy").to_string_lossy(), Some(abc)).unwrap();
        let made = FixtureStore::new(FIXTURES).make(&key, &HostInfo::default(), &mut |_| true);
        assert!(made.unwrap_err().to_string().contains("was changed since it was looked at"));
    }

    #[test]
    fn reading_stops_when_told_to() {
        let mut file = tempfile::NamedTempFile::new_in(".").unwrap();
        let lines = "1 a read 0 512\n".repeat(LOOK as usize);
        let text = format!("fio version 3 iolog\n0 a add\n0 a open\n{lines}");
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
        let key = key(&file.path().to_string_lossy(), None).unwrap();
        let stopped = FixtureStore::new(FIXTURES).make(&key, &HostInfo::default(), &mut |_| false);
        assert!(matches!(stopped, Err(Fault::Cancelled)), "{stopped:?}");
    }
}
