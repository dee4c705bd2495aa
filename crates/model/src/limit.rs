//! An upper bound of a resource, and where it is known from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::metric::MetricName;
use crate::resource::Resource;
use crate::unit::Unit;

/// An upper bound of one resource in one direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limit {
    /// The resource, as a path names it: `pci:0000:01:00.0` (the link of that
    /// function), `sata:sda`, `dmi`, `block:sda`, `memory`, `nic:eth0`,
    /// `cpu`.
    pub resource: Resource,
    /// What is bounded: `throughput`, `iops`, `cpu` (CPU seconds for each
    /// second).
    pub quantity: MetricName,
    /// Which way; absent where one bound holds each way by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// What kind of knowledge it is.
    pub kind: LimitKind,
    /// The rate after line coding, before packets' heads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<f64>,
    /// What payload can get at most: with the smallest heads that its packets can
    /// have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective: Option<f64>,
    /// What payload usually gets where the resource is full, for each way or for
    /// both; empty where nobody says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usual: Vec<UsualRange>,
    /// The unit of all of these.
    pub unit: Unit,
    /// Bytes of an operation that the bound is for, where it is for one size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_bytes: Option<u64>,
    /// The access that the bound is for, where it is for one: `sequential`,
    /// `random`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    /// Of the link to a chipset, what both are called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chipset: Option<ChipsetLink>,
    /// The key of the study's promise that it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promise: Option<String>,
    /// Of what a provider lets a rented machine have, for how long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowance: Option<Allowance>,
    /// What of that which passes the resource it holds.
    #[serde(default, skip_serializing_if = "LimitScope::is_all")]
    pub scope: LimitScope,
    /// How `effective` follows from `line`: `goodput of TCP over IPv4 at MTU 1500`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<String>,
    /// How it was got: the registers, the datasheet, the file, in a sentence.
    pub source: String,
}

impl Limit {
    /// A limit whose figures are still to be set.
    #[must_use]
    pub fn new(
        resource: Resource,
        quantity: MetricName,
        unit: Unit,
        kind: LimitKind,
        source: String,
    ) -> Self {
        Self {
            resource,
            quantity,
            direction: None,
            kind,
            line: None,
            effective: None,
            usual: Vec::new(),
            unit,
            block_bytes: None,
            access: None,
            chipset: None,
            promise: None,
            allowance: None,
            scope: LimitScope::All,
            payload: None,
            source,
        }
    }

    /// What to hold a demand against: what payload can get, or else the line.
    #[must_use]
    pub fn bound(&self) -> Option<f64> {
        self.effective.or(self.line).filter(|b| b.is_finite() && *b > 0.0)
    }

    /// What data that goes this way usually gets of it where it is full; of both ways
    /// together, the least and the most of either.
    #[must_use]
    pub fn usual_of(&self, direction: Option<Direction>) -> Option<UsualRange> {
        let is_of = |range: &&UsualRange| {
            direction.is_none() || range.direction.is_none() || range.direction == direction
        };
        let either = |a: UsualRange, b: UsualRange| UsualRange {
            direction: None,
            least: a.least.min(b.least),
            most: a.most.max(b.most),
        };
        self.usual.iter().filter(is_of).copied().reduce(either)
    }

    /// How both rates were got, in a sentence.
    #[must_use]
    pub fn known_from(&self) -> String {
        let payload = self.payload.iter().map(String::as_str);
        [self.source.as_str()].into_iter().chain(payload).collect::<Vec<_>>().join("; ")
    }
}

/// What payload usually gets of a resource that is full, in the unit of its limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UsualRange {
    /// Which way; absent where it is the same each way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<Direction>,
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
}

/// An Intel chipset and its link to the processor: `DMI 3.0 x4`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChipsetLink {
    /// The chipset: `C620`.
    pub chipset: String,
    /// The version of DMI.
    pub version: String,
    /// Lanes.
    pub lanes: u8,
}

/// Which way data flows, seen from the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Towards the program: reads, receives.
    Read,
    /// Away from it: writes, sends.
    Write,
}

/// In what order places are touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// One after the other.
    Sequential,
    /// Anywhere.
    Random,
}

/// What of that which passes a resource a limit holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LimitScope {
    /// All of it, together.
    #[default]
    All,
    /// Each connection by itself.
    EachFlow,
    /// A part of the packets: which, is not known.
    Part,
}

impl LimitScope {
    /// Whether all of it is held, together.
    #[must_use]
    pub fn is_all(&self) -> bool {
        *self == Self::All
    }
}

/// For how long a provider lets a rented machine have so much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Allowance {
    /// As long as it likes; more while it has credits, which it earns by using less.
    Baseline,
    /// At most, be it all the time or while there are credits.
    Most,
}

/// What kind of knowledge a limit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LimitKind {
    /// A link's rate, from its standard and its present state.
    Link,
    /// What the maker promises.
    Datasheet,
    /// What the user was promised, by the study's `[expect]`.
    Promise,
    /// What somebody imposed: a control group, a queueing discipline, who rents the
    /// machine out.
    Quota,
    /// What the agent measured here.
    Measured,
    /// How much of it there is: CPUs.
    Hardware,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric;

    #[test]
    fn what_is_usual_is_told_for_each_way_and_for_both() {
        let range = |direction, least, most| UsualRange { direction, least, most };
        let (read, write) = (Some(Direction::Read), Some(Direction::Write));
        let kind = LimitKind::Link;
        let bound = Limit::new(Resource::DMI, metric::THROUGHPUT, Unit::BytesPerSecond, kind, String::new());
        assert_eq!(bound.usual_of(read), None);
        let both = Limit { usual: vec![range(None, 1.0, 2.0)], ..bound.clone() };
        assert_eq!(both.usual_of(write), Some(range(None, 1.0, 2.0)));
        let each = Limit { usual: vec![range(read, 5.0, 6.0), range(write, 3.0, 6.5)], ..bound.clone() };
        assert_eq!(each.usual_of(read), Some(range(read, 5.0, 6.0)));
        assert_eq!(each.usual_of(None), Some(range(None, 3.0, 6.5)));
        let one_way = Limit { usual: vec![range(read, 5.0, 6.0)], ..bound };
        assert_eq!(one_way.usual_of(write), None);
    }
}
