//! What a load that stores writes, and when that lasts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When what is written is brought to where it lasts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Durability {
    /// When the kernel and the device like.
    #[default]
    None,
    /// At each write.
    EachWrite,
    /// By operations of their own, after so many writes.
    Syncs,
    /// At the end.
    End,
    /// What this version does not know.
    #[serde(untagged)]
    Other(String),
}

impl Durability {
    /// The word with which the metrics of syncs begin (`sync_latency`), if syncs are operations
    /// of their own. The load's own counts leave them out.
    #[must_use]
    pub fn class(&self) -> Option<&'static str> {
        (*self == Self::Syncs).then_some("sync")
    }
}

/// Evenly spaced places of a target that a load visits one after the other, instead of all between the first and the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlaceStride {
    /// How many.
    pub count: u64,
    /// Bytes that are touched at each.
    pub bytes: u64,
    /// Bytes from the beginning of one to that of the next.
    pub every: u64,
}

impl PlaceStride {
    /// Where the load is when it has touched so many bytes, from where it began.
    #[must_use]
    #[inline]
    pub fn place(self, touched: u64) -> u64 {
        let bytes = self.bytes.max(1);
        touched / bytes * self.every + touched % bytes
    }

    /// Bytes that it touches in all.
    #[must_use]
    pub fn touched(self) -> u64 {
        self.count * self.bytes
    }
}

/// What blocks hold that are written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Content {
    /// How a person calls it.
    pub name: String,
    /// Whether nothing on the way can compress it or find it twice.
    pub is_random: bool,
    /// The share that is compressed away, or found twice, where that is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
}
