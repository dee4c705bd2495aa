//! Packets on their way from an interface to the protocols, all CPUs together:
//! `/proc/net/softnet_stat`, a line of hexadecimal numbers for each CPU
//! (`softnet_seq_show` in `net/core/net-procfs.c`). It is of the whole kernel,
//! whatever the network namespace.

use model::Unit;

use crate::sampler::file::lines;
use crate::sampler::{SamplerColumn, SamplerKind, of_file};

/// The first three fields of a line: packets handled; those dropped because the
/// CPU's backlog was full (`net.core.netdev_max_backlog`); how often a round of
/// work ended with packets left, for want of time or budget.
const COLUMNS: [&str; 3] = ["processed", "dropped", "time_squeeze"];

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "softnet",
    doc: "packets that CPUs took from interfaces, those dropped before any protocol saw them, and rounds of work cut short",
    open: |host, _| {
        let columns = COLUMNS.map(|name| SamplerColumn::counter("softnet", name, Unit::One, 1.0));
        of_file(host, "/proc/net/softnet_stat", Vec::from(columns), |bytes, values| {
            if let Some(sums) = sums(bytes) {
                values.copy_from_slice(&sums);
            }
        })
    },
};

/// The sums over all CPUs; none where a line is garbled, for a sum without it
/// would step back.
fn sums(bytes: &[u8]) -> Option<[u64; 3]> {
    let mut sums = [0u64; 3];
    let mut is_empty = true;
    for line in lines(bytes) {
        let mut words = line.split(|b| *b == b' ').filter(|word| !word.is_empty());
        for sum in &mut sums {
            *sum = sum.checked_add(hexadecimal(words.next()?)?)?;
        }
        is_empty = false;
    }
    (!is_empty).then_some(sums)
}

/// Eight digits: the kernel prints 32 bits.
pub(super) fn hexadecimal(word: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(word).ok().filter(|_| word.len() == 8)?;
    u32::from_str_radix(text, 16).ok().map(u64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_all_cpus_are_added_and_a_garbled_one_says_nothing() {
        let two = b"048dfb78 00000001 00000046 00000000\n04f46ad0 00000002 0000006d 00000000\n";
        assert_eq!(sums(two), Some([0x048d_fb78 + 0x04f4_6ad0, 3, 0x46 + 0x6d]));
        assert_eq!(sums(b""), None);
        assert_eq!(sums(b"048dfb78 00000001\n"), None);
        assert_eq!(sums(b"048dfb78 x 00000046\n"), None);
        assert_eq!(sums(b"-48dfb78 00000001 00000046\n"), None);
    }
}
