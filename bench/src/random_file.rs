//! Files and devices full of random bytes, so that no layer below can compress them or leave them
//! out; the bytes are the same each time.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustix::fs::{Advice, fadvise, fstatvfs};

use crate::context::BenchContext;
use xtask::Error;

const MIB: u64 = 1 << 20;

/// An error if the file system below `file` has fewer free bytes than `needed`.
pub(crate) fn require_room(file: &File, path: &Path, needed: u64) -> Result<(), Error> {
    let room = fstatvfs(file).map_err(|e| Error::file("look at", path)(e.into()))?;
    let free = room.f_bavail.saturating_mul(room.f_frsize);
    if free >= needed {
        return Ok(());
    }
    let (free, needed, path) = (free / MIB, needed / MIB, path.display());
    Err(Error::Bench(format!("`{path}`: {free} MiB are free, and {needed} MiB are needed")))
}

/// Writes so many random bytes over what is at `path`, all the way to the device.
pub(crate) fn fill(context: &BenchContext, path: &Path, bytes: u64) -> Result<File, Error> {
    let failed = || Error::file("write", path);
    let mut file = File::options().write(true).open(path).map_err(failed())?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut chunk = vec![0; 1 << 20];
    let mut left = bytes;
    while left > 0 {
        context.go_on()?;
        random.fill_bytes(&mut chunk);
        let part = usize::try_from(left).map_or(chunk.len(), |left| left.min(chunk.len()));
        file.write_all(&chunk[..part]).map_err(failed())?;
        left -= part as u64;
    }
    file.sync_all().map_err(failed())?;
    Ok(file)
}

/// The same, and out of the page cache.
pub(crate) fn fill_uncached(context: &BenchContext, path: &Path, bytes: u64) -> Result<(), Error> {
    let file = fill(context, path, bytes)?;
    fadvise(&file, 0, None, Advice::DontNeed).map_err(|e| Error::file("write", path)(e.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_as_long_as_asked_and_nothing_compresses_it() {
        let target = tempfile::tempdir().unwrap();
        let context = BenchContext::new(target.path(), 1).unwrap();
        let path = context.scratch("random");
        let made = File::create(&path).unwrap();
        fill(&context, &path, MIB + 1000).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(bytes.len() as u64, MIB + 1000);
        let mut counts = [0_u32; 256];
        bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
        // 4,100 of each value are expected, give or take 64.
        assert!(counts.iter().all(|count| (3600..4600).contains(count)), "{counts:?}");
        require_room(&made, &path, 1).unwrap();
        let error = require_room(&made, &path, u64::MAX).unwrap_err().to_string();
        assert!(error.ends_with("MiB are needed"), "{error}");
    }
}
