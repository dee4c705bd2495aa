//! Our own files: what is written comes back; what is torn or damaged is noticed, and the
//! rest is read.

use proptest::prelude::*;
use trace::event::{Action, BlockEvent, BlockOperation, Device, Flags, IoDirection, TaskName, TraceRecord};
use trace::format::saved::{
    SavedDevice, SavedHeader, SavedPartition, SavedReader, SavedSummary, SavedWriter,
};
use trace::format::{FormatError, RecordWriter};

use super::records;

fn header() -> SavedHeader {
    let disk = Device { major: 254, minor: 0 };
    let partition = SavedPartition { of: disk, first_sector: 2048, is_asked: true };
    SavedHeader {
        clock: "mono".to_owned(),
        begin_ns: 12_345_678_901,
        begin_unix_ns: Some(1_700_000_000_000_000_000),
        machine: "host-1".to_owned(),
        kernel: "6.18.0".to_owned(),
        architecture: "x86_64".to_owned(),
        command: ["dd", "if=/dev/zero", "of=a b"].map(str::to_owned).to_vec(),
        writer: "headroom 0.1.0".to_owned(),
        devices: vec![
            SavedDevice {
                device: disk,
                name: "vda".to_owned(),
                bytes: Some(1 << 40),
                logical_block_bytes: Some(4096),
                partition: None,
            },
            SavedDevice {
                device: Device { major: 254, minor: 1 },
                name: "vda1".to_owned(),
                partition: Some(partition),
                ..SavedDevice::default()
            },
        ],
    }
}

/// A file of these records, with a new block after so many each.
fn written(records: &[TraceRecord], block: usize) -> Vec<u8> {
    let mut writer = SavedWriter::new(Vec::new(), &header()).unwrap();
    for records in records.chunks(block) {
        for record in records {
            writer.record(record).unwrap();
        }
        writer.flush().unwrap();
    }
    writer.finish().unwrap();
    writer.into_output()
}

fn read(bytes: &[u8]) -> (Vec<TraceRecord>, SavedSummary) {
    let mut reader = SavedReader::new(bytes).unwrap();
    let records = reader.by_ref().map(Result::unwrap).collect();
    (records, reader.summary())
}

/// How long the header is in the file.
fn header_bytes() -> usize {
    let writer = SavedWriter::new(Vec::new(), &header()).unwrap();
    writer.into_output().len()
}

/// What a random load on four CPUs makes: each request is queued, issued and completed.
fn load(requests: u64) -> Vec<TraceRecord> {
    let mut all = Vec::new();
    let mut place = 1_u64;
    for request in 0..requests {
        place = place.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let actions = [Action::Queue, Action::GetRequest, Action::Insert, Action::Issue, Action::Complete];
        for (step, action) in (0..).zip(actions) {
            all.push(TraceRecord::Block(BlockEvent {
                time_ns: request * 10_000 + step * 1_200 + (place >> 54),
                cpu: (request % 4) as u32,
                action,
                device: Some(Device { major: 254, minor: 0 }),
                sector: (place >> 34) / 8 * 8,
                bytes: 4096,
                operation: BlockOperation {
                    direction: IoDirection::Read,
                    flags: Flags { sync: true, ..Flags::default() },
                },
                thread: 1000 + (request % 4) as u32,
                task: TaskName(*b"fio\0\0\0\0\0\0\0\0\0\0\0\0\0"),
                error: 0,
            }));
        }
    }
    all
}

#[test]
fn the_header_comes_back() {
    let bytes = written(&[], 1);
    let reader = SavedReader::new(bytes.as_slice()).unwrap();
    assert_eq!(reader.header(), &header());
    assert!(read(&bytes).1.is_whole());
}

#[test]
fn many_records_fill_several_blocks_of_few_bytes_a_record() {
    let records = load(40_000);
    let bytes = written(&records, records.len());
    let (back, summary) = read(&bytes);
    assert!(back == records, "the records differ");
    assert!(summary.is_whole(), "{summary:?}");
    assert!(summary.read.blocks > 2, "{summary:?}");
    assert!(bytes.len() < records.len() * 10, "{} bytes for {} records", bytes.len(), records.len());
}

#[test]
fn a_damaged_block_is_passed_over() {
    let records = load(30);
    let bytes = written(&records, 50);
    let mut damaged = bytes.clone();
    // In the first block behind its frame.
    damaged[header_bytes() + 60] ^= 1;
    let (back, summary) = read(&damaged);
    assert_eq!(back, records[50..]);
    assert_eq!((summary.damaged_blocks, summary.damaged_records, summary.skipped_bytes), (1, 50, 0));
    assert!(!summary.is_whole());
    // Its frame.
    let mut damaged = bytes.clone();
    damaged[header_bytes() + 9] ^= 1;
    let (back, summary) = read(&damaged);
    assert_eq!(back, records[50..]);
    assert!(summary.damaged_blocks == 0 && summary.skipped_bytes > 48, "{summary:?}");
    assert!(!summary.is_whole());
}

#[test]
fn other_files_versions_and_damaged_headers_are_refused() {
    let bytes = written(&[], 1);
    let error = |at: usize, length: usize| {
        let mut changed = bytes[..length].to_vec();
        if let Some(byte) = changed.get_mut(at) {
            *byte ^= 2;
        }
        SavedReader::new(changed.as_slice()).unwrap_err()
    };
    assert!(matches!(error(0, 40), FormatError::NotThis { format: "headroom" }));
    assert!(matches!(error(0, 0), FormatError::NotThis { .. }));
    assert!(matches!(error(8, 40), FormatError::Version { version: 3, supported: 1, .. }));
    assert!(matches!(error(20, bytes.len()), FormatError::Header("is damaged")));
    assert!(matches!(error(usize::MAX, 10), FormatError::Header("is torn off")));
    assert!(matches!(error(usize::MAX, 20), FormatError::Header("is torn off")));
    // A length that nobody would write asks for no memory.
    assert!(matches!(error(15, 20), FormatError::Header("is damaged")));
}

proptest! {
    #[test]
    fn records_come_back(
        records in proptest::collection::vec(records::record(), 0..120),
        block in 1_usize..60,
    ) {
        let (back, summary) = read(&written(&records, block));
        prop_assert!(summary.is_whole(), "{:?}", summary);
        prop_assert_eq!(back, records);
    }

    #[test]
    fn a_file_that_ends_early_is_read_to_there(
        records in proptest::collection::vec(records::record(), 1..60),
        block in 1_usize..20,
        cut in any::<prop::sample::Index>(),
    ) {
        let bytes = written(&records, block);
        let from = header_bytes();
        let (back, summary) = read(&bytes[..from + cut.index(bytes.len() - from)]);
        prop_assert!(!summary.is_whole());
        prop_assert_eq!(&back[..], &records[..back.len()]);
        prop_assert!(back.len() == records.len() || back.len() % block == 0);
    }

    #[test]
    fn a_changed_byte_is_noticed(
        records in proptest::collection::vec(records::record(), 1..60),
        block in 1_usize..20,
        place in any::<prop::sample::Index>(),
        change in 1_u8..,
    ) {
        let mut bytes = written(&records, block);
        let from = header_bytes();
        let at = from + place.index(bytes.len() - from);
        bytes[at] ^= change;
        let (back, summary) = read(&bytes);
        prop_assert!(!summary.is_whole(), "byte {}", at);
        prop_assert!(back.len() + block >= records.len(), "{} of {}", back.len(), records.len());
    }
}
