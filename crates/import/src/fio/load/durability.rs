//! What is written, whether it lasts, and whether it is read back.

use super::Load;
use super::pattern::Doing;
use crate::diagnostic::Diagnostic;

pub(super) fn take(load: &mut Load<'_>, doing: &Doing) -> Result<(), Diagnostic> {
    let is_verified = verify(load, doing)?;
    if !doing.trims {
        content(load, is_verified)?;
    }
    if doing.writes() { sync(load) } else { Ok(()) }
}

/// What buffers hold, and files that are made to be read. fio's own default is
/// random and new for every write, as ours.
fn content(load: &mut Load<'_>, is_verified: bool) -> Result<(), Diagnostic> {
    let job = load.job;
    let compressible = job.count("buffer_compress_percentage");
    let duplicate = job.count("dedupe_percentage");
    // fio writes zeros where all is to be compressible.
    let zeros = match compressible {
        _ if job.flag("zero_buffers") => Some("zero_buffers"),
        Some(100..) => Some("buffer_compress_percentage"),
        _ => None,
    };
    let alike = zeros.or(duplicate.filter(|_| compressible.is_none()).map(|_| "dedupe_percentage"));
    if let Some(name) = alike.filter(|_| is_verified) {
        load.note(
            name,
            "every sector is stamped to be verified, so that none is like another; the content is random",
        );
        return Ok(());
    }
    if let Some(name) = zeros {
        return load.put("content", name, "zeros");
    }
    if let Some(percent) = compressible {
        if duplicate.is_some() {
            load.note("dedupe_percentage", "content is compressible or has duplicates here, not both");
        }
        load.put("content", "buffer_compress_percentage", "compressible")?;
        return load.put("content-share", "buffer_compress_percentage", format!("{percent}%"));
    }
    if let Some(percent) = duplicate {
        load.put("content", "dedupe_percentage", "duplicate")?;
        return load.put("content-share", "dedupe_percentage", format!("{}%", percent.min(100)));
    }
    Ok(())
}

fn sync(load: &mut Load<'_>) -> Result<(), Diagnostic> {
    let job = load.job;
    if let Some((word, _)) = job.word("sync").filter(|(word, _)| !matches!(*word, "none" | "0")) {
        if word != "dsync" {
            load.note(
                "sync",
                "fio would have the file's times written with each write (O_SYNC); here the data (O_DSYNC)",
            );
        }
        return load.put("sync", "sync", "dsync");
    }
    let every = ["fdatasync", "fsync"].into_iter().find_map(|name| Some((name, job.count(name)?)));
    if let Some((name, every)) = every {
        if name == "fsync" {
            load.note(
                "fsync",
                "fio would have the file's times written too, by fsync; here the data, by fdatasync",
            );
        }
        load.put("sync", name, "fsync")?;
        return load.put("sync-every", name, every.to_string());
    }
    match ["end_fsync", "fsync_on_close"].into_iter().find(|name| job.flag(name)) {
        Some(name) => load.put("sync", name, "end"),
        None => Ok(()),
    }
}

/// Whether what is written is read back.
fn verify(load: &mut Load<'_>, doing: &Doing) -> Result<bool, Diagnostic> {
    let job = load.job;
    let Some((word, _)) = job.word("verify").filter(|(word, _)| !matches!(*word, "0" | "null")) else {
        return Ok(false);
    };
    if !job.flag_or("do_verify", true) {
        return Ok(false);
    }
    if !doing.writes() {
        let says = "fio would check what an earlier job wrote; here a load that writes reads back what it wrote itself";
        load.note("verify", says);
        return Ok(false);
    }
    if !word.starts_with("crc32c") {
        load.note("verify", "crc32c takes its place, with offset, seed and generation in every block");
    }
    load.put("verify", "verify", "crc32c")?;
    Ok(true)
}
