//! What is done with objects, and with which.

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    Put,
    Get,
    List,
    Delete,
}

/// Operations on objects, all alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) act: Act,
    /// How many objects there are, or names to put them under.
    pub(super) objects: u64,
    /// Bytes of each.
    pub(super) bytes: u64,
    /// Larger ones go in parts of so many bytes.
    pub(super) part: Option<u64>,
    /// Parts of one object at once.
    pub(super) parts_at_once: u64,
    /// Names in a page.
    pub(super) page: u64,
}

impl Task {
    /// Of how many parts an object consists.
    pub(super) fn parts(&self) -> u64 {
        match (self.act, self.part) {
            (Act::Put, Some(part)) => self.bytes.div_ceil(part.max(1)).max(1),
            _ => 1,
        }
    }

    /// Bytes of part `number`, from 0: the last one has what is left.
    pub(super) fn part_bytes(&self, number: u64) -> u64 {
        let part = self.part.unwrap_or(self.bytes);
        self.bytes.saturating_sub(number.saturating_mul(part)).min(part)
    }

    /// Connections of one operation.
    pub(super) fn width(&self) -> usize {
        usize::try_from(self.parts_at_once.min(self.parts())).unwrap_or(usize::MAX).max(1)
    }

    /// The lengths of the bodies that it sends.
    pub(super) fn lengths(&self) -> Vec<u64> {
        match self.parts() {
            1 => vec![0, self.bytes],
            parts => vec![0, self.part_bytes(0), self.part_bytes(parts - 1)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_whole() {
        let task = Task { act: Act::Put, objects: 1, bytes: 10, part: Some(4), parts_at_once: 8, page: 1 };
        assert_eq!((task.parts(), task.width()), (3, 3));
        assert_eq!((0..3).map(|part| task.part_bytes(part)).collect::<Vec<_>>(), [4, 4, 2]);
        assert_eq!(task.lengths(), [0, 4, 2]);
        let exact = Task { bytes: 8, parts_at_once: 1, ..task };
        assert_eq!((exact.parts(), exact.width(), exact.part_bytes(1)), (2, 1, 4));
        for single in [Task { part: None, ..task }, Task { bytes: 4, ..task }, Task { act: Act::Get, ..task }]
        {
            assert_eq!((single.parts(), single.width()), (1, 1), "{single:?}");
            assert_eq!(single.lengths(), [0, single.bytes]);
        }
        assert_eq!(Task { bytes: 0, ..task }.parts(), 1);
    }
}
