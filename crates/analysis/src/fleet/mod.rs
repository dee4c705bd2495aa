//! Many machines that did the same work: which are unlike the others, which fall into groups, and what of their
//! inventory, settings and telemetry goes with it.
//!
//! A figure is of one work (as a trend has it, see [`crate::trend`]) over all machines that did it. Machines unlike
//! the others are those of [`stats::outlier`], in logarithms where all figures are above 0; over all machines
//! and figures together the chance of a false accusation is [`FALSE_ALARM`] (Holm). Where a good part of the machines
//! is at another level, that is a group, and each machine is held against its own level.
//!
//! What goes with it is found by [`stats::association`], over facts. Those that differ on nearly every machine
//! are left out; those that part the machines alike cannot be told apart, and are one tie. None is said to be
//! the cause.

mod explain;
mod facts;
mod gather;
mod judge;
mod mask;
#[cfg(test)]
mod tests;

use model::profile::RateUnit;
use model::{Better, Label, MetricName, Unit, WorkloadName};
use serde::Serialize;

pub use explain::FactTable;
pub use facts::{FactValue, MachineFact};
pub use gather::FleetGathering;

/// The chance that any machine of a page is accused though it is like the others.
pub const FALSE_ALARM: f64 = 0.05;

/// Like work on many machines.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Fleet {
    /// The machines, in the order of rack, position and name.
    pub machines: Vec<FleetMachine>,
    /// Each figure, in the order in which it first comes.
    pub figures: Vec<FleetFigure>,
    /// The machines that are unlike the others, and the groups; what is worse and most certain first.
    pub splits: Vec<FleetSplit>,
    /// The difference that does not matter, as a fraction.
    pub margin: f64,
    /// How many figures only one machine has: they are of work that no other did.
    pub alone: usize,
    /// How far from the median a machine must be at least to be found, in units of the spread between machines;
    /// absent where there are too few machines for any to be found.
    pub reach: Option<f64>,
}

/// One machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FleetMachine {
    /// What it calls itself; its run's name where it has none.
    pub name: String,
    /// Its newest run.
    pub run: String,
    /// The tag `rack` of that run.
    pub rack: Option<String>,
    /// The tag `position` of that run.
    pub position: Option<String>,
}

/// One figure over the machines.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FleetFigure {
    /// What the case is called.
    pub case: Label,
    /// The workload.
    pub workload: WorkloadName,
    /// What its rates are written in.
    #[serde(skip)]
    pub rate_unit: RateUnit,
    /// The metric.
    pub metric: MetricName,
    /// The unit of all values.
    pub unit: Unit,
    /// Which direction is better.
    pub better: Better,
    /// The value of each machine; absent where it has none.
    pub values: Vec<Option<f64>>,
    /// How far each machine is from the median of its level, in units of the spread; absent where that is not known.
    pub scores: Vec<Option<f64>>,
    /// The median of all values.
    pub median: Option<f64>,
    /// The spread between machines that are like each other: a fraction where all values are above 0, otherwise in
    /// the unit. Absent where there are too few machines, or more than half have the same value.
    pub spread: Option<f64>,
    /// The machines without a value, each with the reason where there is one.
    pub missing: Vec<FleetMissing>,
}

/// A machine without a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FleetMissing {
    /// Its place among the machines.
    pub machine: usize,
    /// Why; absent where it did not do this work.
    pub reason: Option<String>,
}

/// What a set of machines is beside the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SplitKind {
    /// Unlike the others.
    Unlike,
    /// At a level of their own.
    Group,
}

/// Machines that differ from the others in the same figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FleetSplit {
    /// What they are.
    pub kind: SplitKind,
    /// Whether they are on the worse side.
    pub is_worse: bool,
    /// Their places among the machines.
    pub machines: Vec<usize>,
    /// The figures, the one with the greatest difference first.
    pub figures: Vec<SplitFigure>,
    /// What goes with it, best first: facts that part the machines alike are one.
    pub ties: Vec<FactTie>,
}

/// One figure of machines that differ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SplitFigure {
    /// Its place among the figures.
    pub figure: usize,
    /// How much theirs is of the others', and the 95 % interval; absent where there is no ratio.
    pub ratio: Option<FleetRatio>,
    /// The largest of their p-values, adjusted for all machines and figures; absent for a group.
    pub p_value: Option<f64>,
}

/// A ratio with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FleetRatio {
    /// The point.
    pub ratio: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Facts that part the machines alike.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FactTie {
    /// The facts, in the order of the inventory.
    pub facts: Vec<TiedFact>,
    /// The chance of such an association where there is none, adjusted for all that were looked at.
    pub p_value: f64,
    /// How well they tell the machines from the others: 1 always, 0.5 as a coin does.
    pub told_apart: f64,
}

impl FactTie {
    /// Whether chance seldom makes such an association.
    #[must_use]
    pub fn is_sure(&self) -> bool {
        self.p_value <= FALSE_ALARM
    }
}

/// One fact that goes with it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TiedFact {
    /// Its code: `microcode`.
    pub code: String,
    /// Its name in English.
    pub text: String,
    /// What it is.
    pub what: TiedWhat,
}

/// What is found of a fact.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TiedWhat {
    /// How many of the machines have this, and how many of the others.
    Has {
        /// What they have.
        value: String,
        /// Of these machines, and of how many of which it is known.
        own: (usize, usize),
        /// Of the others, and of how many of which it is known.
        others: (usize, usize),
    },
    /// The median of these machines, and that of the others.
    Number {
        /// Of these.
        own: f64,
        /// Of the others.
        others: f64,
    },
}
