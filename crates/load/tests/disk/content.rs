//! What really lands on a disk: the workload writes, the file is read back
//! around the page cache, and compressors that are not ours say what it is.

use std::collections::HashSet;
use std::os::unix::fs::FileExt;
use std::sync::atomic::AtomicBool;

use load::workload::disk::{Files, OpenMode};

use crate::support::{Kept, Silent, parameters, run, survey};

const BYTES: usize = 16 << 20;

/// All of a fixture's file, read around the page cache.
fn landed(kept: &Kept) -> Vec<u8> {
    let files = kept.0.find::<Files>(&kept.1[0]).unwrap();
    let file = files.open(OpenMode { direct: true, write: false, dsync: false }).unwrap().remove(0);
    let mut all = vec![0u8; BYTES + 4096];
    // O_DIRECT wants an aligned buffer.
    let start = all.as_ptr().align_offset(4096);
    file.read_exact_at(&mut all[start..start + BYTES], 0).unwrap();
    all.copy_within(start..start + BYTES, 0);
    all.truncate(BYTES);
    all
}

/// What is left of `all` when it is compressed in pieces of so many bytes: of
/// every eighth piece.
fn left(all: &[u8], piece: usize, compress: fn(&[u8]) -> usize) -> f64 {
    let some = || all.chunks(piece).step_by(8);
    some().map(compress).sum::<usize>() as f64 / some().map(<[u8]>::len).sum::<usize>() as f64
}

fn lz4(bytes: &[u8]) -> usize {
    lz4_flex::block::compress(bytes).len()
}

fn zstd(bytes: &[u8]) -> usize {
    zstd::bulk::compress(bytes, 3).unwrap().len()
}

/// The share of blocks of 4 KiB that have a twin before them.
fn twins(all: &[u8]) -> f64 {
    let blocks = all.chunks(4096);
    let distinct: HashSet<&[u8]> = blocks.clone().collect();
    (blocks.len() - distinct.len()) as f64 / blocks.len() as f64
}

#[track_caller]
fn judge(all: &[u8], what: &str, compressed: f64, duplicate: f64) {
    // In a large piece a compressor finds some of the copies.
    let large = (duplicate == 0.0 || compressed == 1.0).then_some((65536, "64 KiB"));
    for (piece, name) in [(4096, "4 KiB")].into_iter().chain(large) {
        for (compressor, compress) in [("lz4", lz4 as fn(&[u8]) -> usize), ("zstd", zstd)] {
            let left = left(all, piece, compress);
            // Headers of frames and runs: up to 1.5 % of 4 KiB.
            assert!(
                (left - (1.0 - compressed)).abs() < 0.03,
                "{what}: {compressor} leaves {left} of {name} pieces, {compressed} was to go"
            );
        }
    }
    // Of few blocks, a share of some per cent are originals.
    let twins = twins(all);
    assert!((twins - duplicate).abs() < 0.05, "{what}: {twins} have a twin, {duplicate} was asked for");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn what_lands_on_the_disk_is_compressible_and_duplicate_as_asked() {
    let contents = [
        ("random", "auto", 0.0, 0.0),
        ("zeros", "auto", 1.0, 4095.0 / 4096.0),
        ("compressible", "auto", 0.5, 0.0),
        ("compressible", "30%", 0.3, 0.0),
        ("duplicate", "auto", 0.0, 0.3),
        ("duplicate", "60%", 0.0, 0.6),
    ];
    let loads: &[&[(&str, &str)]] = &[
        &[("pattern", "write"), ("block-size", "4k"), ("threads", "2")],
        &[("pattern", "write"), ("block-size", "64k"), ("queue-depth", "4")],
        &[("pattern", "randwrite"), ("distribution", "once"), ("block-size", "4k"), ("queue-depth", "8")],
        // Reads into the same buffers must not become what is written.
        &[("pattern", "randrw"), ("distribution", "once"), ("block-size", "4k"), ("queue-depth", "8")],
    ];
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for (content, share, compressed, duplicate) in contents {
        for load in loads {
            let what = format!("{content} {share} {load:?}");
            let bytes = BYTES.to_string();
            let common =
                [("size", bytes.as_str()), ("until", "end"), ("content", content), ("content-share", share)];
            let (parameters, kept) = survey(parameters(folder.path(), &[&common, *load].concat())).unwrap();
            let before = landed(&kept);
            judge(&before, &format!("the file before {what}"), compressed, duplicate);
            run(&parameters, &kept, &Silent, &AtomicBool::new(false)).unwrap();
            let after = landed(&kept);
            judge(&after, &what, compressed, duplicate);
            let same = before.chunks(4096).zip(after.chunks(4096)).filter(|(a, b)| a == b).count();
            let expected = if load[0].1 == "randrw" { BYTES / 8192 } else { 0 };
            assert!(
                content == "zeros" || same.abs_diff(expected) <= BYTES / 4096 / 20,
                "{what}: {same} blocks are as before"
            );
        }
    }
}

#[test]
fn a_users_file_of_zeros_is_overwritten_with_what_was_asked_for() {
    // Reads bring zeros into the buffers; what is written must not be made of
    // them.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = folder.path().join("zeros");
    std::fs::write(&file, vec![0u8; BYTES]).unwrap();
    let changes = [("pattern", "randrw"), ("read-share", "50%"), ("distribution", "once"), ("until", "end")];
    let (parameters, kept) = survey(parameters(&file, &changes)).unwrap();
    run(&parameters, &kept, &Silent, &AtomicBool::new(false)).unwrap();
    let all = landed(&kept);
    let written: Vec<u8> =
        all.chunks(4096).filter(|b| b.iter().any(|byte| *byte != 0)).flatten().copied().collect();
    assert!(written.len().abs_diff(BYTES / 2) < BYTES / 20, "{} bytes were written", written.len());
    judge(&written, "a file that was zeros", 0.0, 0.0);
}
