//! What is kept is read back, after a kill too, and no more is kept than may be.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use machine::sampler::{ABSENT, SamplerColumn};
use model::{Machine, Resource, Unit};

use super::segment::{KeptRecord, decode};
use super::*;
use agent::SampledColumn;

fn buffer() -> SampleBuffer {
    let column = |name| SampledColumn {
        source: "/proc/diskstats".to_owned(),
        column: SamplerColumn::counter("block:sda", name, Unit::One, 1.0),
    };
    let mut buffer = SampleBuffer::of_columns(["reads", "writes", "discards"].map(column).to_vec());
    buffer.start(1_000_000_000, 1_000_000_000);
    buffer
}

/// A keeper whose segment began then, and what it wrote of so many seconds: 100 reads in each.
fn kept(folder: &Path, seconds: u64) -> (SampleKeeper, SystemTime) {
    let bounds = KeepBounds { age: Duration::from_secs(3600), bytes: 1 << 20 };
    let mut keeper = SampleKeeper::open(folder, bounds).unwrap();
    let now = SystemTime::now();
    let mut rows = buffer();
    let header = SegmentHeader::of(&Machine::default(), &[], &[&rows], now);
    let begin = header.monotonic_ns;
    keeper.begin(&header, now).unwrap();
    for second in 0..seconds {
        rows.take_row(begin + second * 1_000_000_000, &[second * 100, 7, ABSENT]);
        keeper.write(&[&rows], &[]).unwrap();
    }
    (keeper, now)
}

fn unix_ns(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64
}

#[test]
fn what_was_kept_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let (keeper, began) = kept(folder.path(), 60);
    drop(keeper);
    let at = unix_ns(began + Duration::from_secs(30));
    let found = read_at(folder.path(), at, Duration::from_secs(10)).unwrap();
    let sda = Resource::from("block:sda");
    assert_eq!(found.buffers[0].rate(&sda, "reads", found.window), Some(100.0));
    assert_eq!(found.buffers[0].rate(&sda, "writes", found.window), Some(0.0));
    assert_eq!(found.buffers[0].rate(&sda, "discards", found.window), None, "it was absent");
    assert_eq!(found.unix_ns.1, at);
    assert!((10.0..=12.0).contains(&found.window.seconds()), "{:?}", found.window);
    let late = read_at(folder.path(), at + 90_000_000_000_000, Duration::from_secs(10));
    assert!(matches!(late, Err(KeeperError::Nothing(_))));
}

/// The last record of a recorder that was killed may be a part; all before it counts.
#[test]
fn a_segment_that_was_cut_off_is_read_up_to_there() {
    let folder = tempfile::tempdir().unwrap();
    let (keeper, began) = kept(folder.path(), 20);
    let path = keeper.segment.as_ref().unwrap().path.clone();
    drop(keeper);
    let whole = fs::read(&path).unwrap();
    let (header, records) = SegmentHeader::read(&whole).unwrap();
    let count = |bytes: &[u8]| {
        let mut rows = 0;
        decode(&header, bytes, &mut |record| rows += usize::from(matches!(record, KeptRecord::Row(..))));
        rows
    };
    assert_eq!(count(records), 20);
    for cut in 1..records.len() {
        let rows = count(&records[..records.len() - cut]);
        assert!(rows < 20, "{cut}");
    }
    fs::write(&path, &whole[..whole.len() - 3]).unwrap();
    let at = unix_ns(began + Duration::from_secs(18));
    assert!(read_at(folder.path(), at, Duration::from_secs(5)).is_ok());
    // A damaged byte ends it, too, and never becomes a figure.
    let mut damaged = records.to_vec();
    damaged[40] ^= 1;
    assert!(count(&damaged) < 20);
}

#[test]
fn the_oldest_segments_go_when_there_are_too_many_bytes_or_they_are_too_old() {
    let folder = tempfile::tempdir().unwrap();
    let now = SystemTime::now();
    let write = |ago: u64, bytes: usize| {
        let path = folder.path().join(format!("{:020}.watch", unix_ns(now - Duration::from_secs(ago))));
        fs::write(&path, vec![0; bytes]).unwrap();
        path
    };
    let [old, second, third] =
        [(90_000, 10), (2_000, 600), (1_000, 600)].map(|(ago, bytes)| write(ago, bytes));
    let bounds = KeepBounds { age: Duration::from_secs(24 * 3600), bytes: 1000 };
    let keeper = SampleKeeper::open(folder.path(), bounds).unwrap();
    assert!(!old.exists() && !second.exists() && third.exists());
    let another = SampleKeeper::open(folder.path(), bounds);
    assert!(matches!(another, Err(KeeperError::Busy(_))));
    drop(keeper);
    SampleKeeper::open(folder.path(), bounds).unwrap();
}
