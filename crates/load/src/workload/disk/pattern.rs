//! What a load does, and in which order: the words of `pattern`.

use engine::queue::Class;
use model::Parameters;
use model::parameter::Word;
use model::plan::Problem;
use model::profile::{Flow, FlowUnit, OperationClass, Order, SizeShare};

use crate::workload::named;

/// What one operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
    Trim,
    /// Brings what was written to where it lasts.
    Sync,
    /// Makes a range hold zeros without sending them, where that can be done. It moves no data, as a discard.
    Zero,
}

/// How many kinds there are.
pub(super) const KINDS: usize = Kind::ALL.len();

impl Kind {
    /// Every kind, in the order of a load's classes.
    const ALL: [Kind; 5] = [Kind::Read, Kind::Write, Kind::Trim, Kind::Zero, Kind::Sync];

    fn class(self) -> Class {
        match self {
            Kind::Read => Class { name: "read", counts: true, fails: false },
            Kind::Write => Class { name: "write", counts: true, fails: false },
            Kind::Trim | Kind::Zero => Class { name: "trim", counts: true, fails: false },
            Kind::Sync => Class { name: "sync", counts: false, fails: false },
        }
    }

    /// What a message calls it.
    pub(super) fn verb(self) -> &'static str {
        match self {
            Kind::Read => "reading",
            Kind::Write => "writing",
            Kind::Trim => "discarding",
            Kind::Sync => "syncing",
            Kind::Zero => "zeroing",
        }
    }
}

/// Which way the data goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum DataDirection {
    Read,
    Write,
    /// Both: this share of the operations reads.
    Both(f64),
    Trim,
}

/// What is done, and in which order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pattern {
    /// What a person calls it.
    pub(super) word: &'static str,
    pub(super) way: DataDirection,
    pub(super) random: bool,
}

pub(super) const WORDS: &[Word] = &[
    Word { word: "read", doc: "sequential reads" },
    Word { word: "write", doc: "sequential writes" },
    Word { word: "randread", doc: "reads at random places" },
    Word { word: "randwrite", doc: "writes at random places" },
    Word { word: "readwrite", doc: "sequential, each operation a read or a write by `read-share`" },
    Word { word: "randrw", doc: "at random places, each operation a read or a write by `read-share`" },
    Word { word: "trim", doc: "sequential discards" },
    Word { word: "randtrim", doc: "discards at random places" },
];

impl Pattern {
    pub(super) fn of(parameters: &Parameters) -> Result<Self, Problem> {
        let asked = parameters.text(named("pattern"))?;
        let Some(Word { word, .. }) = WORDS.iter().find(|word| word.word == asked) else {
            return Err(Problem::invalid(format!("`{asked}` is no pattern of disk"), ""));
        };
        let way = match word.trim_start_matches("rand") {
            "read" => DataDirection::Read,
            "write" => DataDirection::Write,
            "trim" => DataDirection::Trim,
            _ => DataDirection::Both(parameters.number(named("read-share"))?),
        };
        Ok(Self { word, way, random: word.starts_with("rand") })
    }

    /// Whether anything of what was there is lost.
    pub(super) fn changes(self) -> bool {
        self.way != DataDirection::Read
    }

    pub(super) fn writes(self) -> bool {
        matches!(self.way, DataDirection::Write | DataDirection::Both(_))
    }

    pub(super) fn reads(self) -> bool {
        matches!(self.way, DataDirection::Read | DataDirection::Both(_))
    }

    fn does(self, kind: Kind, syncs: bool) -> bool {
        match kind {
            Kind::Read => self.reads(),
            Kind::Write => self.writes(),
            Kind::Trim => self.way == DataDirection::Trim,
            Kind::Sync => syncs,
            Kind::Zero => false,
        }
    }

    /// What flows, in blocks of these sizes.
    pub(super) fn flows(self, sizes: &[SizeShare]) -> Vec<Flow> {
        let flow = |class, share| Flow {
            share,
            order: if self.random { Order::Random } else { Order::Sequential },
            sizes: sizes.to_vec(),
            ..Flow::only(class, FlowUnit::Bytes)
        };
        match self.way {
            DataDirection::Read => vec![flow(OperationClass::Read, 1.0)],
            DataDirection::Write => vec![flow(OperationClass::Write, 1.0)],
            DataDirection::Trim => vec![flow(OperationClass::Trim, 1.0)],
            DataDirection::Both(reads) => {
                vec![flow(OperationClass::Read, reads), flow(OperationClass::Write, 1.0 - reads)]
            }
        }
    }

    /// The classes of its operations, and which of them each kind is of.
    pub(super) fn classes(self, syncs: bool) -> (&'static [Class], [u8; KINDS]) {
        classes_of(|kind| self.does(kind, syncs))
    }
}

/// The classes of the kinds of operations that a load does, and which of them each kind is of.
pub(super) fn classes_of(does: impl Fn(Kind) -> bool) -> (&'static [Class], [u8; KINDS]) {
    let mut index = [0; KINDS];
    let mut classes: Vec<Class> = Vec::new();
    for kind in Kind::ALL.into_iter().filter(|kind| does(*kind)) {
        // Neighbours may be of one class.
        if classes.last() != Some(&kind.class()) {
            classes.push(kind.class());
        }
        index[kind as usize] = (classes.len() - 1) as u8;
    }
    (same(&classes), index)
}

/// Every set of classes that a pattern may have, made once: classes outlive the
/// trial that they are of.
fn same(wanted: &[Class]) -> &'static [Class] {
    use std::sync::OnceLock;
    static SETS: OnceLock<Vec<Vec<Class>>> = OnceLock::new();
    let sets = SETS.get_or_init(|| {
        (1..1u32 << KINDS)
            .map(|set| {
                let kinds = Kind::ALL.into_iter().filter(|k| set & (1 << (*k as u32)) != 0);
                let mut classes: Vec<Class> = kinds.map(Kind::class).collect();
                classes.dedup();
                classes
            })
            .collect()
    });
    sets.iter().find(|set| set.as_slice() == wanted).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_a_pattern_and_has_the_classes_of_what_it_does() {
        let names = |pattern: &str, syncs| {
            let mut p = Parameters::default();
            p.set(named("pattern"), pattern);
            p.set(named("read-share"), 0.6);
            let (classes, index) = Pattern::of(&p).unwrap().classes(syncs);
            for kind in Kind::ALL.into_iter().filter(|k| classes.contains(&k.class())) {
                assert_eq!(classes[usize::from(index[kind as usize])], kind.class(), "{pattern}");
            }
            classes.iter().map(|c| c.name).collect::<Vec<_>>()
        };
        for word in WORDS {
            assert!(!names(word.word, false).is_empty(), "{}", word.word);
        }
        assert_eq!(names("randrw", true), ["read", "write", "sync"]);
        assert_eq!(names("write", true), ["write", "sync"]);
        assert_eq!(names("randtrim", false), ["trim"]);
    }

    #[test]
    fn writes_of_zeros_are_of_the_class_of_discards() {
        let (classes, index) = classes_of(|kind| matches!(kind, Kind::Read | Kind::Zero | Kind::Sync));
        assert_eq!(classes.iter().map(|class| class.name).collect::<Vec<_>>(), ["read", "trim", "sync"]);
        assert_eq!((index[Kind::Zero as usize], index[Kind::Sync as usize]), (1, 2));
        let (classes, index) = classes_of(|kind| matches!(kind, Kind::Trim | Kind::Zero));
        assert_eq!((classes.len(), index), (1, [0; KINDS]));
    }
}
