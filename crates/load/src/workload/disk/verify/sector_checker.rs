//! What is wrong with a block, from what its sectors turned out to be.

use std::collections::BTreeMap;
use std::fmt;

use super::ledger::Expected;
use super::stamp::SectorContent;

/// What is wrong with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BlockError {
    /// What was there before is there still: the write never arrived.
    Lost,
    /// An older block of ours is there, of the right place: a later write never
    /// arrived, or was taken back.
    Stale,
    /// Some sectors are of the last write and some of what was there before.
    Torn,
    /// What is there belongs elsewhere.
    Misplaced,
    /// What we wrote is there, with bytes changed.
    Corrupted,
    /// It could not be read.
    Unreadable,
}

impl fmt::Display for BlockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BlockError::Lost => "lost",
            BlockError::Stale => "stale",
            BlockError::Torn => "torn",
            BlockError::Misplaced => "misplaced",
            BlockError::Corrupted => "corrupted",
            BlockError::Unreadable => "unreadable",
        })
    }
}

/// A block that is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fault {
    /// Which of the load's targets.
    pub(super) target: usize,
    /// Which of its files.
    pub(super) file: usize,
    /// Where in that file it begins.
    pub(super) offset: u64,
    pub(super) wrong: BlockError,
}

/// How many blocks that are wrong are told one by one.
const SHOWN: usize = 8;

/// What was found.
#[derive(Clone, Debug, Default)]
pub(super) struct VerifyCounts {
    /// Blocks that were looked at.
    pub(super) checked: u64,
    pub(super) wrong: BTreeMap<BlockError, u64>,
    /// The first of those that are wrong.
    pub(super) first: Vec<Fault>,
}

impl VerifyCounts {
    fn add(&mut self, fault: Option<Fault>) {
        self.checked += 1;
        if let Some(fault) = fault {
            *self.wrong.entry(fault.wrong).or_default() += 1;
            if self.first.len() < SHOWN {
                self.first.push(fault);
            }
        }
    }

    /// What another worker found is added.
    pub(super) fn merge(&mut self, other: VerifyCounts) {
        self.checked += other.checked;
        for (wrong, count) in other.wrong {
            *self.wrong.entry(wrong).or_default() += count;
        }
        self.first.extend(other.first);
        self.first.sort_unstable();
        self.first.truncate(SHOWN);
    }
}

/// What the sectors of one block were.
#[derive(Clone, Copy, Debug, Default)]
struct BlockState {
    last: bool,
    stale: bool,
    /// Two generations that are both stale.
    two_stale: bool,
    stale_generation: u64,
    foreign: bool,
    elsewhere: bool,
    corrupted: bool,
    unreadable: bool,
}

impl BlockState {
    fn add(&mut self, found: Option<SectorContent>, expected: Expected) {
        match found {
            None => self.unreadable = true,
            Some(SectorContent::Ours(g)) if (expected.oldest..=expected.last).contains(&g) => {
                self.last = true
            }
            // A generation that is still to come was never written here.
            Some(SectorContent::Ours(g)) if g > expected.last => self.corrupted = true,
            Some(SectorContent::Ours(generation)) => {
                self.two_stale |= self.stale && generation != self.stale_generation;
                self.stale = true;
                self.stale_generation = generation;
            }
            Some(SectorContent::Foreign) => self.foreign = true,
            Some(SectorContent::Elsewhere) => self.elsewhere = true,
            Some(SectorContent::Corrupted) => self.corrupted = true,
        }
    }

    fn wrong(self) -> Option<BlockError> {
        let kinds = [self.last, self.stale, self.foreign].into_iter().filter(|seen| *seen).count();
        // What is seen first is told.
        let signs = [
            (self.unreadable, BlockError::Unreadable),
            (self.corrupted, BlockError::Corrupted),
            (self.elsewhere, BlockError::Misplaced),
            (kinds > 1 || self.two_stale, BlockError::Torn),
            (self.stale, BlockError::Stale),
            (self.foreign, BlockError::Lost),
        ];
        signs.into_iter().find(|(is_seen, _)| *is_seen).map(|(_, wrong)| wrong)
    }
}

/// Puts sectors together to what one write left. Neighbouring units that were
/// last written at once are one block; where a later write of another size went
/// over part of one, each part is a block of its own.
#[derive(Debug, Default)]
pub(super) struct SectorChecker {
    open: Option<Block>,
    pub(super) tally: VerifyCounts,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    generation: u64,
    target: usize,
    file: usize,
    offset: u64,
    seen: BlockState,
}

impl SectorChecker {
    /// The next sector, at `offset` of `file`; it could not be read where
    /// nothing was found.
    pub(super) fn sector(
        &mut self,
        (target, file, offset): (usize, usize, u64),
        expected: Expected,
        found: Option<SectorContent>,
    ) {
        let same = |b: &Block| b.generation == expected.last && b.file == file;
        if !self.open.as_ref().is_some_and(same) {
            self.close();
        }
        let new = Block { generation: expected.last, target, file, offset, seen: BlockState::default() };
        self.open.get_or_insert(new).seen.add(found, expected);
    }

    /// The block ends here.
    pub(super) fn close(&mut self) {
        let Some(Block { target, file, offset, seen, .. }) = self.open.take() else { return };
        self.tally.add(seen.wrong().map(|wrong| Fault { target, file, offset, wrong }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(last: u64, oldest: u64, sectors: &[Option<SectorContent>]) -> Option<BlockError> {
        let mut judge = SectorChecker::default();
        for (found, offset) in sectors.iter().zip((4096..).step_by(512)) {
            judge.sector((0, 0, offset), Expected { last, oldest }, *found);
        }
        judge.close();
        assert_eq!(judge.tally.checked, 1);
        judge.tally.first.first().map(|fault| {
            assert_eq!(fault.offset, 4096);
            fault.wrong
        })
    }

    #[test]
    fn each_kind_of_wrong_is_told_from_the_others() {
        use SectorContent::{Corrupted, Elsewhere, Foreign, Ours};
        let all = |found: SectorContent| vec![Some(found); 8];
        let but_one = |most: SectorContent, one: Option<SectorContent>| {
            let mut sectors = all(most);
            sectors[5] = one;
            sectors
        };
        let last = Ours(9);
        for (sectors, expected) in [
            (all(last), None),
            (all(Foreign), Some(BlockError::Lost)),
            (all(Ours(4)), Some(BlockError::Stale)),
            (but_one(last, Some(Foreign)), Some(BlockError::Torn)),
            (but_one(last, Some(Ours(4))), Some(BlockError::Torn)),
            (but_one(Ours(4), Some(Ours(3))), Some(BlockError::Torn)),
            (but_one(Ours(4), Some(Foreign)), Some(BlockError::Torn)),
            (all(Elsewhere), Some(BlockError::Misplaced)),
            (but_one(last, Some(Elsewhere)), Some(BlockError::Misplaced)),
            (but_one(last, Some(Corrupted)), Some(BlockError::Corrupted)),
            (but_one(last, Some(Ours(10))), Some(BlockError::Corrupted)),
            (but_one(last, None), Some(BlockError::Unreadable)),
        ] {
            assert_eq!(wrong(9, 9, &sectors), expected, "{sectors:?}");
        }
        // Two writes that were in flight at once.
        assert_eq!(wrong(9, 7, &all(Ours(7))), None);
        assert_eq!(wrong(9, 7, &but_one(Ours(7), Some(Ours(9)))), None);
        assert_eq!(wrong(9, 7, &all(Ours(6))), Some(BlockError::Stale));
    }

    #[test]
    fn a_block_ends_where_another_write_begins() {
        let mut judge = SectorChecker::default();
        let at = |generation| Expected { last: generation, oldest: generation };
        for (offset, generation, found) in [(0, 1, 1), (512, 1, 1), (1024, 2, 1), (1536, 2, 2), (2048, 3, 1)]
        {
            judge.sector((0, 0, offset), at(generation), Some(SectorContent::Ours(found)));
        }
        judge.sector((0, 1, 0), at(3), Some(SectorContent::Foreign));
        judge.close();
        judge.close();
        assert_eq!(judge.tally.checked, 4);
        let told: Vec<_> = judge.tally.first.iter().map(|f| (f.file, f.offset, f.wrong)).collect();
        assert_eq!(
            told,
            [(0, 1024, BlockError::Torn), (0, 2048, BlockError::Stale), (1, 0, BlockError::Lost)]
        );
    }
}
