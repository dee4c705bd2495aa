//! What may watch a load more closely than the samplers do, because a study asks for it. It
//! costs something, so what it costs is measured: each case that is observed has trials
//! with it and trials without, one beside the other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::metric::MetricName;
use crate::resource::Symbol;
use crate::run::Estimate;

/// One that may watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ObserverKind {
    /// The kernel's events of block devices.
    BlockTrace,
    /// The kernel's events of the work of its queues.
    WorkQueues,
    /// What this version does not know.
    #[serde(other)]
    Unknown,
}

impl ObserverKind {
    /// The one that a person calls so.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static ObserverSpec> {
        OBSERVERS.iter().find(|spec| spec.name == name)
    }

    /// What a person calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        OBSERVERS.iter().find(|spec| spec.kind == self).map_or("unknown", |spec| spec.name)
    }
}

/// What there is to say of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObserverSpec {
    /// Which one it is.
    pub kind: ObserverKind,
    /// What a person calls it.
    pub name: &'static str,
    /// The part of a load's path that it watches: there is nothing to see for it where the path
    /// does not have it.
    pub watches: Symbol,
    /// What it sees, in a sentence.
    pub doc: &'static str,
}

/// All of them.
pub const OBSERVERS: &[ObserverSpec] = &[
    ObserverSpec {
        kind: ObserverKind::BlockTrace,
        name: "block-trace",
        watches: Symbol::TargetDevice,
        doc: "The kernel's events of each request to the block devices under the load (queue, merge, issue, complete, \
              requeue): how long requests wait in the host and how long the device has them. Needs root.",
    },
    ObserverSpec {
        kind: ObserverKind::WorkQueues,
        name: "work-queues",
        watches: Symbol::TargetDevice,
        doc: "The kernel's events of the work of its queues (queue_work, execute_start, execute_end): how long the work \
              of each queue ran, such as that of dm-crypt, which trials without it tell by the names of threads only. \
              Needs root.",
    },
];

/// What observers cost: how the result with them compares with the result without.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ObserverEffect {
    /// The observers.
    pub observers: Vec<ObserverKind>,
    /// The metric that was compared.
    pub metric: MetricName,
    /// Its value with them, as a multiple of that without, over pairs of trials of the same block: 1 where
    /// they cost nothing.
    pub ratio: Estimate,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_called_as_documents_write_it() {
        for spec in OBSERVERS {
            assert_eq!(serde_json::to_value(spec.kind).unwrap(), spec.name);
            assert_eq!(ObserverKind::named(spec.name), Some(spec));
            assert_eq!(spec.kind.name(), spec.name);
        }
        let later: ObserverKind = serde_json::from_str("\"of-a-later-version\"").unwrap();
        assert_eq!((later, later.name()), (ObserverKind::Unknown, "unknown"));
    }
}
