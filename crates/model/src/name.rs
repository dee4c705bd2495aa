//! Names: text in documents, types in the program. A name that this version does not
//! know is kept as it was read.
//!
//! A name comes from a workload's description, from a document, or is a constant of
//! `model`. None compares with a text, and `cargo xtask tidy` sees to it that no other
//! code makes one from a literal. What a person types is looked up first.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

/// About what a name costs beside its bytes: the allocation and its place in the set.
const OVERHEAD: usize = 64;

/// Whether this process keeps no further names.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// From now on this process reads only names that it has already, entered or read: for a
/// process that hears strangers and runs for long. Enter what it has to know before.
pub fn close() {
    CLOSED.store(true, Ordering::Relaxed);
}

/// The names of one type that were read, interned: each is kept once, until the process
/// ends, so that a name is `Copy`. The memory for them is bounded, whatever documents say.
pub(crate) struct Interner {
    names: RwLock<Kept>,
    each_max: usize,
    all_max: usize,
}

struct Kept {
    names: BTreeSet<&'static str>,
    bytes: usize,
}

impl Interner {
    /// With at most `each_max` bytes a name, and `all_max` together.
    pub(crate) const fn new(each_max: usize, all_max: usize) -> Self {
        Self { names: RwLock::new(Kept { names: BTreeSet::new(), bytes: 0 }), each_max, all_max }
    }

    /// The name with this text; `None` if it may not be kept.
    pub(crate) fn name(&self, text: &str) -> Option<&'static str> {
        if let Some(known) = self.names.read().unwrap_or_else(PoisonError::into_inner).names.get(text) {
            return Some(known);
        }
        if CLOSED.load(Ordering::Relaxed) {
            return None;
        }
        let mut kept = self.names.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.names.get(text) {
            return Some(known);
        }
        let bytes = text.len().saturating_add(OVERHEAD);
        if text.len() > self.each_max || bytes > self.all_max - kept.bytes {
            return None;
        }
        let name: &'static str = Box::leak(text.to_owned().into_boxed_str());
        kept.names.insert(name);
        kept.bytes += bytes;
        Some(name)
    }

    /// Enters a name of the program itself, which counts towards no bound.
    pub(crate) fn enter(&self, name: &'static str) {
        self.names.write().unwrap_or_else(PoisonError::into_inner).names.insert(name);
    }
}

/// Declares a type of names: the bytes of the longest, and of all that one process reads,
/// with [`OVERHEAD`] for each.
macro_rules! names {
    // As long as the names of parameters that a document may have.
    ($(#[$doc:meta])* $name:ident ($noun:literal)) => {
        $crate::name::names! { $(#[$doc])* $name ($noun): 65_536 of 4_194_304 }
    };
    ($(#[$doc:meta])* $name:ident ($noun:literal): $each_max:literal of $all_max:literal) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, schemars::JsonSchema,
        )]
        #[serde(transparent)]
        pub struct $name(&'static str);

        impl $name {
            /// The longest, in bytes.
            pub const BYTES_MAX: usize = $each_max;

            /// One that is known when the program is compiled.
            #[must_use]
            pub const fn new(name: &'static str) -> Self {
                assert!(name.len() <= Self::BYTES_MAX, "the name is too long");
                Self(name)
            }

            /// The name with this text, which is kept; nothing need be called so. `None` if
            /// it is too long, if too many are kept already, or if it is new and the process
            /// reads no new ones ([`$crate::name::close`]).
            #[must_use]
            pub fn intern(name: &str) -> Option<Self> {
                Self::read().name(name).map(Self)
            }

            /// Makes it known to a process that will read no others ([`$crate::name::close`]).
            pub fn enter(self) {
                Self::read().enter(self.0);
            }

            fn read() -> &'static $crate::name::Interner {
                static READ: $crate::name::Interner = $crate::name::Interner::new($each_max, $all_max);
                &READ
            }

            /// Whether it is the empty name, which stands for none.
            #[must_use]
            pub const fn is_empty(&self) -> bool {
                self.0.is_empty()
            }

            /// As documents write it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
                Self::intern(&text).ok_or_else(|| {
                    serde::de::Error::custom(concat!($noun, " is too long, or unknown to this program, which takes in no more new ones"))
                })
            }
        }
    };
}

pub(crate) use names;

/// Declares names of a type as constants, and `KNOWN`.
macro_rules! known_names {
    ($type:ident: $($(#[$doc:meta])* $constant:ident = $name:literal;)*) => {
        $($(#[$doc])* pub const $constant: $type = $type::new($name);)*

        /// All of them.
        pub const KNOWN: &[$type] = &[$($constant),*];
    };
}

pub(crate) use known_names;

names! {
    /// What a workload is called: `area.name`, or `area` alone for the area's one workload.
    WorkloadName ("the name of a workload")
}

impl WorkloadName {
    /// What others do, and nobody here drives: the cases of a watch.
    pub const WATCHED: Self = Self::new("watched");
    /// A stream between two machines, by which a watch would learn what an interface carries.
    pub const NET_STREAM: Self = Self::new("net.stream");
    /// What passes between processors and memory, by which a watch would learn how much that may be.
    pub const MEMORY_BANDWIDTH: Self = Self::new("memory.bandwidth");
}

names! {
    /// What a parameter is called, in kebab case, the same on the command line and in TOML.
    ParameterName ("the name of a parameter")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Interner, OVERHEAD};
    use crate::metric::{self, MetricName};

    #[test]
    fn a_name_that_nobody_knows_is_kept() {
        let text = r#"{"hue_p99":1,"iops":2}"#;
        let read: BTreeMap<MetricName, u32> = serde_json::from_str(text).unwrap();
        assert_eq!(read.get(&metric::IOPS), Some(&2));
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        assert!(serde_json::from_str::<MetricName>(&format!("{:?}", "x".repeat(70_000))).is_err());
    }

    #[test]
    fn no_document_makes_a_process_keep_names_without_end() {
        let read = Interner::new(4, 256 * (4 + OVERHEAD));
        let kept = (100..1000).filter(|n| read.name(&format!("u{n}")).is_some()).count();
        assert_eq!(kept, 256);
        assert_eq!((read.name("u100"), read.name("u999")), (Some("u100"), None));
        assert_eq!(Interner::new(3, 1024).name("four"), None);
        // What the program has anyway takes nothing.
        let full = Interner::new(4, 0);
        full.enter("iops");
        assert_eq!((full.name("iops"), full.name("hue")), (Some("iops"), None));
    }
}
