//! Block sizes: one, a range, a split; for reads and writes.

use model::ScalarError;
use model::scalar::binary;

use super::pattern::Doing;
use super::{Load, percent};
use crate::diagnostic::Diagnostic;
use crate::fio::value::{self, Amount};

/// A size of operations, and the share of operations that have it.
pub(super) type Part = (u64, f64);

/// fio's block where none is given.
const BLOCK: u64 = 4096;

/// The most sizes of one mix; a wider range is thinned.
const PARTS_MAX: u64 = 64;

pub(super) fn take(load: &mut Load<'_>, doing: &Doing) -> Result<Vec<Part>, Diagnostic> {
    let job = load.job;
    let from = ["bssplit", "bsrange", "bs"].into_iter().find(|name| job.get(name).is_some()).unwrap_or("bs");
    let each: [Vec<Part>; 3] = match from {
        "bssplit" => read(load, from, splits)?,
        "bsrange" => read(load, from, ranges)?,
        _ => job.each("bs").map(|bytes| vec![(bytes.unwrap_or(BLOCK), 1.0)]),
    };
    let shares = doing.shares();
    let used: Vec<(&Vec<Part>, f64)> = each.iter().zip(shares).filter(|(_, share)| *share > 0.0).collect();
    let is_same = used.windows(2).all(|w| w[0].0 == w[1].0);
    let mut all: Vec<Part> = Vec::new();
    for (parts, share) in used.iter().take(if is_same { 1 } else { 3 }) {
        let share = if is_same { 1.0 } else { *share };
        for (bytes, weight) in *parts {
            match all.iter_mut().find(|(known, _)| known == bytes) {
                Some((_, sum)) => *sum += weight * share,
                None => all.push((*bytes, weight * share)),
            }
        }
    }
    // What would be written as 0 % is no part.
    all.retain(|(_, share)| *share > 1e-6);
    if !is_same {
        load.note(
            from,
            "fio would give reads and writes sizes of their own; here the mix of both is that of either",
        );
    }
    match &all[..] {
        [(bytes, _)] => load.put("block-size", from, bytes.to_string())?,
        parts => load.put_parts("block-size", from, &weighted(parts))?,
    }
    Ok(all)
}

/// A mix as it is written, in parts of a millionth of a percent that make a
/// whole: what rounding takes from one, the next gets.
fn weighted(parts: &[Part]) -> Vec<String> {
    const WHOLE: f64 = 1e8;
    let (mut sum, mut said) = (0.0, 0.0);
    let mut all = Vec::new();
    for (bytes, share) in parts {
        sum += share;
        let up_to = (sum * WHOLE).round();
        all.push(format!("{bytes}:{}", percent((up_to - said) / WHOLE)));
        said = up_to;
    }
    all
}

/// The mean of all operations, in bytes.
pub(super) fn mean(sizes: &[Part]) -> f64 {
    sizes.iter().map(|(bytes, share)| *bytes as f64 * share).sum()
}

/// Reads the sizes between two commas, in units of this kB; pushes notes.
type Reader = fn(&str, u64, &mut Vec<String>) -> Result<Vec<Part>, ScalarError>;

/// Reads what stands between commas, each for its kind of operation; what is
/// missing is as the last.
fn read(load: &mut Load<'_>, name: &str, reader: Reader) -> Result<[Vec<Part>; 3], Diagnostic> {
    let Some(given) = load.job.get(name) else { return Ok([const { Vec::new() }; 3]) };
    let mut notes = Vec::new();
    let mut all: [Vec<Part>; 3] = [const { Vec::new() }; 3];
    let mut at = 0;
    let pieces: Vec<&str> = given.text().trim_end_matches(',').split(',').collect();
    if pieces.len() > all.len() {
        return Err(
            given.diagnostic("there are more than three parts", "one each for reads, writes and trims")
        );
    }
    for (index, piece) in pieces.iter().enumerate() {
        let parts = reader(piece, given.kb_base, &mut notes).map_err(|e| given.part(at, e))?;
        at += piece.len() + 1;
        all[index..].fill(parts);
    }
    for note in notes {
        load.note(name, &note);
    }
    Ok(all)
}

fn bytes(text: &str, kb_base: u64) -> Result<u64, ScalarError> {
    match value::amount(text, kb_base)? {
        Amount::Whole(bytes @ 1..) => Ok(bytes),
        _ => Err(value::wrong(text, "is no size of a block", "a size such as 4k")),
    }
}

/// `4k/60:64k/40`. Where shares are missing, they have equal parts of what is
/// left; what is left over is the last one's, as in fio.
fn splits(text: &str, kb_base: u64, _: &mut Vec<String>) -> Result<Vec<Part>, ScalarError> {
    const HELP: &str = "sizes and percentages, such as 4k/60:64k/40";
    let wrong = |why: &str| value::wrong(text, why, HELP);
    let mut parts: Vec<(u64, Option<f64>)> = Vec::new();
    for entry in text.split(':').filter(|e| !e.trim().is_empty()) {
        let (size, share) = entry.split_once('/').unwrap_or((entry, ""));
        let share = match share.trim() {
            "" => None,
            share => match share.parse::<f64>() {
                Ok(share) if (0.0..=100.0).contains(&share) => Some(share / 100.0),
                _ => return Err(wrong("has a share that is no percentage")),
            },
        };
        // The whole is shown: the part is not where it seems to be.
        parts.push((
            bytes(size, kb_base).map_err(|e| wrong(&format!("has a wrong size: {}", e.message)))?,
            share,
        ));
    }
    let sum: f64 = parts.iter().filter_map(|(_, share)| *share).sum();
    if parts.is_empty() {
        return Err(wrong("has no sizes"));
    }
    if sum > 1.0 + 1e-9 {
        return Err(wrong("has shares of more than 100 percent"));
    }
    let open = parts.iter().filter(|(_, share)| share.is_none()).count();
    let rest = (1.0 - sum).max(0.0);
    let last = parts.len() - 1;
    let part = |(index, (bytes, share)): (usize, &(u64, Option<f64>))| {
        let own = share.unwrap_or(rest / open.max(1) as f64);
        (*bytes, if open == 0 && index == last { own + rest } else { own })
    };
    Ok(parts.iter().enumerate().map(part).collect())
}

/// `4k-16k`: fio draws sizes evenly and cuts them to multiples of the smaller.
fn ranges(text: &str, kb_base: u64, notes: &mut Vec<String>) -> Result<Vec<Part>, ScalarError> {
    let Some((low, high)) = text.split_once('-').or_else(|| text.split_once(':')) else {
        return Err(value::wrong(text, "is no range", "two sizes, such as 4k-16k"));
    };
    let whole = |e: ScalarError| value::wrong(text, format!("has a wrong end: {}", e.message), &e.help);
    let (low, high) = (bytes(low, kb_base).map_err(whole)?, bytes(high, kb_base).map_err(whole)?);
    let (low, high) = (low.min(high), low.max(high));
    let count = high / low;
    let step = count.div_ceil(PARTS_MAX);
    if step > 1 {
        notes.push(format!("of {count} sizes every {step}th is used, up to {}", binary(high)));
    }
    let numbers = (1..=count / step).map(|n| n * step).chain((count % step > 0).then_some(count));
    let sizes: Vec<u64> = numbers.map(|n| n * low).collect();
    let share = 1.0 / sizes.len() as f64;
    Ok(sizes.into_iter().map(|size| (size, share)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<(u64, f64)> {
        let round = |s: f64| (s * 1e6).round() / 1e6;
        splits(text, 1024, &mut Vec::new()).unwrap().into_iter().map(|(b, s)| (b, round(s))).collect()
    }

    #[test]
    fn shares_that_are_missing_divide_what_is_left() {
        assert_eq!(split("4k/60:64k/40"), [(4096, 0.6), (65536, 0.4)]);
        assert_eq!(split("4k/50:1k/:32k/"), [(4096, 0.5), (1024, 0.25), (32768, 0.25)]);
        assert_eq!(split("4k:8k"), [(4096, 0.5), (8192, 0.5)]);
        assert_eq!(split("4k/10:8k/20"), [(4096, 0.1), (8192, 0.9)]);
        for text in ["4k/60:64k/50", "", "4k/x", "q/50", "0/50", "4k/-1"] {
            assert!(splits(text, 1024, &mut Vec::new()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_range_has_the_multiples_of_its_smaller_end() {
        let sizes = |text: &str| -> Vec<u64> {
            ranges(text, 1024, &mut Vec::new()).unwrap().iter().map(|(b, _)| b / 1024).collect()
        };
        assert_eq!(sizes("4k-16k"), [4, 8, 12, 16]);
        assert_eq!(sizes("16k-4k"), [4, 8, 12, 16]);
        assert_eq!(sizes("4k-4k"), [4]);
        let mut notes = Vec::new();
        assert_eq!(ranges("1k-1m", 1024, &mut notes).unwrap().len(), 64);
        assert!(notes[0].contains("every 16th"), "{notes:?}");
        assert!(ranges("1-9223372036854775807", 1024, &mut notes).unwrap().len() <= 65);
    }

    proptest! {
        #[test]
        fn shares_make_a_whole(weights in proptest::collection::vec(0.01f64..1.0, 1..64)) {
            let sum: f64 = weights.iter().sum();
            let parts: Vec<Part> = weights.iter().map(|w| (512, w / sum)).collect();
            let percents = weighted(&parts).into_iter().map(|p| {
                p.trim_start_matches("512:").trim_end_matches('%').parse::<f64>().unwrap()
            });
            prop_assert!((percents.sum::<f64>() - 100.0).abs() < 1e-7);
        }

        #[test]
        fn nothing_makes_it_panic(text in "[0-9k/:,-]*") {
            let _ = splits(&text, 1024, &mut Vec::new());
            let _ = ranges(&text, 1024, &mut Vec::new());
        }
    }
}
