//! The log of dm-log-writes, read and replayed as a disk may be after a power cut. The format is that of
//! `drivers/md/dm-log-writes.c`: a head in the first sector; then, for each entry, a sector that says what was written
//! where, and the data.
//!
//! What a disk has in its cache at a power cut is gone: at a mark that is each write after which no flush was
//! completed before the mark, and that was none that goes through the cache (FUA). It may also be there, or some of it;
//! here none is, which is the worst that a disk may do that reports truthfully. The kernel puts a write into the log
//! when a flush comes, so that what is in the log before a mark is mostly durable; it is looked at all the same.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// What the head begins with (`WRITE_LOG_MAGIC`), and the version that is known.
const MAGIC: u64 = 0x006a_7366_7773_6872;
const VERSION: u64 = 1;

/// Flags of an entry (`LOG_FLUSH_FLAG` and the others).
const FLUSH: u64 = 1 << 0;
const FUA: u64 = 1 << 1;
const DISCARD: u64 = 1 << 2;
const MARK: u64 = 1 << 3;

/// Bytes of an entry without what is behind it.
const ENTRY: usize = 32;

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LogEntry {
    /// Where it wrote, in sectors of the log.
    sector: u64,
    sectors: u64,
    flags: u64,
    /// Where its data is in the log, in bytes.
    data_at: u64,
    /// What a mark says; empty for all else.
    mark: String,
}

/// A log that was read.
#[derive(Debug)]
pub(crate) struct WriteLog {
    file: File,
    sector_bytes: u64,
    entries: Vec<LogEntry>,
}

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

impl WriteLog {
    /// Reads the log on this device, on which nothing is logged any more.
    pub(crate) fn read(file: File) -> Self {
        let mut head = [0; ENTRY];
        file.read_exact_at(&mut head, 0).unwrap();
        assert_eq!((number(&head, 0), number(&head, 8)), (MAGIC, VERSION), "this is no log of dm-log-writes");
        let count = number(&head, 16);
        let sector_bytes = u64::from(u32::from_le_bytes(head[24..28].try_into().unwrap()));
        assert!(sector_bytes.is_power_of_two() && sector_bytes >= 512, "{sector_bytes} bytes in a sector");
        let mut entries = Vec::new();
        let mut at = sector_bytes;
        let mut sector = vec![0; usize::try_from(sector_bytes).unwrap()];
        for _ in 0..count {
            file.read_exact_at(&mut sector, at).unwrap();
            let [own, sectors, flags, length] = [0, 8, 16, 24].map(|place| number(&sector, place));
            let mut mark = String::new();
            if flags & MARK != 0 {
                let length = usize::try_from(length).unwrap();
                mark = String::from_utf8(sector[ENTRY..ENTRY + length].to_vec()).unwrap();
            }
            let data_at = at + sector_bytes;
            entries.push(LogEntry { sector: own, sectors, flags, data_at, mark });
            // A discard has a length and no data.
            at = data_at + if flags & DISCARD == 0 { sectors * sector_bytes } else { 0 };
        }
        Self { file, sector_bytes, entries }
    }

    /// The writes that are on the disk for certain when the mark is made, in their order.
    fn durable_at(&self, mark: &str) -> Vec<&LogEntry> {
        let end = self.entries.iter().position(|entry| entry.flags & MARK != 0 && entry.mark == mark);
        let before = &self.entries[..end.unwrap_or_else(|| panic!("there is no mark `{mark}`"))];
        let last_flush = before.iter().rposition(|entry| entry.flags & FLUSH != 0).unwrap_or(0);
        let is_durable = |place: usize, entry: &LogEntry| {
            // A flush is one of what was written before; of its own data only with FUA.
            entry.sectors > 0 && (place < last_flush || entry.flags & FUA != 0)
        };
        let durable = before.iter().enumerate().filter(|(place, entry)| is_durable(*place, entry));
        durable.map(|(_, entry)| entry).collect()
    }

    /// Writes to `device`, which is as the logged one was before, what is on the disk for certain at this mark. Returns
    /// how many writes these are.
    pub(crate) fn replay_until(&self, mark: &str, device: &File) -> usize {
        let durable = self.durable_at(mark);
        for entry in &durable {
            let bytes = usize::try_from(entry.sectors * self.sector_bytes).unwrap();
            let mut data = vec![0; bytes];
            // What is discarded may read as anything: here as zeros.
            if entry.flags & DISCARD == 0 {
                self.file.read_exact_at(&mut data, entry.data_at).unwrap();
            }
            device.write_all_at(&data, entry.sector * self.sector_bytes).unwrap();
        }
        device.sync_all().unwrap();
        durable.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a log is made of: where, flags, and the data or the text of a mark.
    type Written<'a> = (u64, u64, &'a [u8]);

    /// A log with these entries, as the kernel writes it.
    fn log(entries: &[Written<'_>]) -> File {
        let file = tempfile::tempfile().unwrap();
        let mut at = 512;
        for (sector, flags, data) in entries {
            let (is_mark, is_discard) = (flags & MARK != 0, flags & DISCARD != 0);
            let sectors = if is_mark { 0 } else { data.len() as u64 / 512 };
            let length = if is_mark { data.len() as u64 } else { 0 };
            let words = [*sector, sectors, *flags, length];
            let mut head: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            head.extend(data.iter().filter(|_| is_mark));
            head.resize(512, 0);
            file.write_all_at(&head, at).unwrap();
            at += 512;
            if !is_mark && !is_discard {
                file.write_all_at(data, at).unwrap();
                at += data.len() as u64;
            }
        }
        let mut head: Vec<u8> =
            [MAGIC, VERSION, entries.len() as u64].iter().flat_map(|word| word.to_le_bytes()).collect();
        head.extend(512u32.to_le_bytes());
        head.resize(512, 0);
        file.write_all_at(&head, 0).unwrap();
        file
    }

    /// The first byte of each of the first sectors after a replay.
    fn replayed(log: &WriteLog, mark: &str) -> Vec<u8> {
        let device = tempfile::tempfile().unwrap();
        device.set_len(8 * 512).unwrap();
        log.replay_until(mark, &device);
        let mut bytes = vec![0; 8 * 512];
        device.read_exact_at(&mut bytes, 0).unwrap();
        bytes.chunks(512).map(|sector| sector[0]).collect()
    }

    #[test]
    fn what_no_flush_followed_is_lost_and_what_went_through_the_cache_is_not() {
        let [one, two, three, four] = [1u8, 2, 3, 4].map(|byte| [byte; 512]);
        let both = [[5u8; 512], [6; 512]].concat();
        let log = WriteLog::read(log(&[
            (0, 0, &one[..]),
            (0, FLUSH, &[][..]),
            (0, MARK, &b"first"[..]),
            (1, 0, &two[..]),
            (2, FUA, &three[..]),
            (0, MARK, &b"second"[..]),
            (3, FLUSH, &four[..]),
            (0, MARK, &b"third"[..]),
            (4, 0, &both[..]),
            (0, FLUSH | FUA, &one[..]),
            (0, MARK, &b"last"[..]),
        ]));
        assert_eq!(log.entries.len(), 11);
        assert_eq!(replayed(&log, "first"), [1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(replayed(&log, "second"), [1, 0, 3, 0, 0, 0, 0, 0]);
        // A flush is one of what came before it, and not of what it carries.
        assert_eq!(replayed(&log, "third"), [1, 2, 3, 0, 0, 0, 0, 0]);
        assert_eq!(replayed(&log, "last"), [1, 2, 3, 4, 5, 6, 0, 0]);
    }

    #[test]
    fn a_discard_has_no_data_in_the_log_and_writes_keep_their_order() {
        let [one, two] = [1u8, 2].map(|byte| [byte; 512]);
        let log = WriteLog::read(log(&[
            (0, FUA, &one[..]),
            (1, 0, &one[..]),
            (1, FUA, &two[..]),
            (0, DISCARD, &one[..]),
            (2, 0, &two[..]),
            (0, FLUSH, &[][..]),
            (0, MARK, &b"end"[..]),
        ]));
        assert_eq!(replayed(&log, "end"), [0, 2, 2, 0, 0, 0, 0, 0]);
    }

    #[test]
    #[should_panic(expected = "no log of dm-log-writes")]
    fn what_is_no_log_is_not_read_as_one() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(4096).unwrap();
        WriteLog::read(file);
    }
}
