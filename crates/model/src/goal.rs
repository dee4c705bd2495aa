//! What the results of a study are held to: bounds on metrics, of all its cases or of some, and what became of
//! them. A bound that ends a run early is written in the same way.
//!
//! A goal is not a promise ([`crate::study::Promise`]): it says itself on which side of it the result has to lie, and
//! knows no tolerance.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::definition::Definitions;
use crate::label::Label;
use crate::metric::MetricName;
use crate::name::WorkloadName;
use crate::parameter::Kind;
use crate::scalar;
use crate::unit::Unit;
use crate::value::{Parameters, Value};

/// A bound on a metric of the main load of cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Goal {
    /// As it was written: `latency_p99 < 1ms where queue-depth=1`.
    pub text: String,
    /// The metric.
    pub metric: MetricName,
    /// On which side of the bound the result has to lie.
    pub operator: GoalOperator,
    /// The bound, in `unit`.
    pub value: f64,
    /// The unit of `value`: that of the metric.
    pub unit: Unit,
    /// Which cases it is for: those that all of these fit. Without any, all cases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filter: Vec<CaseFilter>,
}

/// On which side of a bound a result has to lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum GoalOperator {
    /// Below it.
    #[serde(rename = "<")]
    Below,
    /// Not above it.
    #[serde(rename = "<=")]
    AtMost,
    /// Above it.
    #[serde(rename = ">")]
    Above,
    /// Not below it.
    #[serde(rename = ">=")]
    AtLeast,
}

/// A word about cases: `block-size=4k`, `workload=disk`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CaseFilter {
    /// A parameter of the main load, the key of a setting, or [`CaseFilter::WORKLOAD`].
    pub name: String,
    /// The value, as it was written.
    pub value: String,
}

/// What became of a goal in one case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HeldGoal {
    /// The goal, by its place among those of the study, from 0.
    pub goal: usize,
    /// What became of it.
    pub outcome: GoalOutcome,
    /// Why it cannot be told, where that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<GoalDoubt>,
}

/// Whether a goal is kept, the gravest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GoalOutcome {
    /// The whole interval lies on the good side.
    Kept,
    /// The trials do not say.
    CannotTell,
    /// The whole interval lies on the wrong side.
    NotKept,
}

/// Why it cannot be told whether a goal is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GoalDoubt {
    /// The interval has both sides of the bound.
    Interval,
    /// The estimate has no interval: there are too few trials, or they are too short for a percentile.
    NoInterval,
    /// No trial gave the metric.
    NoFigure,
    /// The figure keeps the goal, but an error among the findings says that it is not to be trusted.
    Untrusted,
    /// What this version does not know.
    #[serde(other)]
    Other,
}

impl GoalOperator {
    /// Every operator, those of two characters first.
    pub const ALL: &'static [Self] = &[Self::AtMost, Self::AtLeast, Self::Below, Self::Above];

    /// As it is written.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Below => "<",
            Self::AtMost => "<=",
            Self::Above => ">",
            Self::AtLeast => ">=",
        }
    }

    /// Whether the bound is from above.
    #[must_use]
    pub fn is_upper(self) -> bool {
        matches!(self, Self::Below | Self::AtMost)
    }

    /// Whether `value` is on the good side of `bound`.
    #[must_use]
    pub fn holds(self, value: f64, bound: f64) -> bool {
        match self {
            Self::Below => value < bound,
            Self::AtMost => value <= bound,
            Self::Above => value > bound,
            Self::AtLeast => value >= bound,
        }
    }
}

impl Goal {
    /// Whether a value of its metric, in its unit, is on the good side of the bound.
    #[must_use]
    pub fn is_met(&self, value: f64) -> bool {
        self.operator.holds(value, self.value)
    }

    /// Whether it is for a case with this main load and this label; `definitions` say of what kind the parameters are.
    #[must_use]
    pub fn is_for(
        &self,
        (workload, parameters): (WorkloadName, &Parameters),
        label: &Label,
        definitions: &Definitions,
    ) -> bool {
        self.filter.iter().all(|word| word.fits((workload, parameters), label, definitions))
    }

    /// Whether no value can keep it together with another one of the same metric.
    #[must_use]
    pub fn contradicts(&self, other: &Self) -> bool {
        let (upper, lower) = match (self.operator.is_upper(), other.operator.is_upper()) {
            (true, false) => (self, other),
            (false, true) => (other, self),
            _ => return false,
        };
        // With both ends allowed, a single value is left.
        self.metric == other.metric
            && (lower.value > upper.value
                || lower.value == upper.value && !(lower.is_met(upper.value) && upper.is_met(lower.value)))
    }
}

impl CaseFilter {
    /// The name that stands for the workload of the main load.
    pub const WORKLOAD: &'static str = "workload";

    fn fits(
        &self,
        (workload, parameters): (WorkloadName, &Parameters),
        label: &Label,
        definitions: &Definitions,
    ) -> bool {
        if self.name == Self::WORKLOAD {
            return workload.as_str() == self.value;
        }
        // The level as it was asked for: `all` where the case has a number.
        let mut said = label.parameters().iter().chain(&label.settings).filter(|part| part.name == self.name);
        if said.any(|part| self.is(part.kind, &part.value)) {
            return true;
        }
        let defined = definitions.parameter(workload, &self.name);
        let given = defined.and_then(|parameter| Some((parameter.kind, parameters.get(parameter.name)?)));
        given.is_some_and(|(kind, value)| self.is(kind, value))
    }

    /// Whether a value is the one that is written here: `4k` is `4KiB`.
    fn is(&self, kind: Kind, value: &Value) -> bool {
        let shown = scalar::show(kind, value);
        let part = |part: &str| {
            let value = match part {
                // What may be none at all.
                "0" => Value::Integer(0),
                _ => scalar::parse(kind, part).or_else(|_| scalar::weighted(kind, part)).ok()?,
            };
            Some(scalar::show(kind, &value))
        };
        let typed = || Some(self.value.split('+').map(part).collect::<Option<Vec<String>>>()?.join("+"));
        // A flag has several words.
        shown == self.value || typed().is_some_and(|typed| typed == shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::{LabelPart, LoadLabel};
    use crate::metric;
    use crate::name::ParameterName;
    use crate::parameter::ParameterSpec;
    use crate::workload::{Catalogue, WorkloadSpec};

    const SPEC: WorkloadSpec = WorkloadSpec {
        name: WorkloadName::new("disk"),
        definition_version: 1,
        summary: "",
        doc: "",
        parameters: &[
            ParameterSpec::new("block-size", Kind::Size, ""),
            ParameterSpec::new("direct", Kind::Flag, ""),
        ],
        headline: metric::IOPS,
        metrics: &[],
        path: &[],
        examples: &[],
    };

    fn goal(operator: GoalOperator, value: f64) -> Goal {
        let (metric, unit) = (metric::IOPS, Unit::PerSecond);
        Goal { text: String::new(), metric, operator, value, unit, filter: Vec::new() }
    }

    fn is_for(words: &[(&str, &str)]) -> bool {
        let part = |name: &str, kind, value| LabelPart { name: name.to_owned(), kind, value };
        let label = Label {
            loads: vec![LoadLabel {
                workload: SPEC.name,
                parameters: vec![part("threads", Kind::Count, "all".into())],
            }],
            settings: vec![part("mtu", Kind::Count, Value::Integer(9000))],
        };
        let mut parameters = Parameters::default();
        parameters.set(ParameterName::new("block-size"), 4096_u64);
        parameters.set(ParameterName::new("direct"), true);
        let definitions = Catalogue { workloads: vec![&SPEC], common: &[] }.definitions([SPEC.name]);
        let word = |(name, value): &(&str, &str)| CaseFilter { name: (*name).into(), value: (*value).into() };
        let filter = words.iter().map(word).collect();
        let goal = Goal { filter, ..goal(GoalOperator::AtLeast, 1.0) };
        goal.is_for((SPEC.name, &parameters), &label, &definitions)
    }

    #[test]
    fn a_filter_reads_levels_as_they_are_typed() {
        assert!(is_for(&[]));
        for fits in [
            ("workload", "disk"),
            ("block-size", "4k"),
            ("block-size", "4KiB"),
            ("block-size", "4096"),
            ("direct", "yes"),
            ("direct", "on"),
            ("threads", "all"),
            ("mtu", "9000"),
        ] {
            assert!(is_for(&[fits]), "{fits:?}");
        }
        for other in
            [("workload", "null"), ("block-size", "8k"), ("block-size", "x"), ("direct", "no"), ("size", "1")]
        {
            assert!(!is_for(&[other]) && !is_for(&[("mtu", "9000"), other]), "{other:?}");
        }
    }

    #[test]
    fn the_bound_itself_is_on_the_good_side_where_the_operator_says_so() {
        let met = GoalOperator::ALL.iter().map(|operator| {
            let goal = goal(*operator, 2.0);
            (operator.symbol(), [1.0, 2.0, 3.0].map(|value| goal.is_met(value)))
        });
        let expected = [
            ("<=", [true, true, false]),
            (">=", [false, true, true]),
            ("<", [true, false, false]),
            (">", [false, false, true]),
        ];
        assert_eq!(met.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn goals_contradict_where_no_value_keeps_both() {
        use GoalOperator::{Above, AtLeast, AtMost, Below};
        for (one, other, contradict) in [
            ((AtLeast, 2.0), (AtMost, 1.0), true),
            ((AtLeast, 2.0), (AtMost, 2.0), false),
            ((AtLeast, 2.0), (Below, 2.0), true),
            ((Above, 2.0), (AtMost, 2.0), true),
            ((Above, 1.0), (Below, 2.0), false),
            ((AtLeast, 1.0), (AtLeast, 2.0), false),
            ((AtMost, 1.0), (Below, 2.0), false),
        ] {
            let (a, b) = (goal(one.0, one.1), goal(other.0, other.1));
            assert_eq!((a.contradicts(&b), b.contradicts(&a)), (contradict, contradict), "{one:?} {other:?}");
        }
        let throughput = Goal { metric: metric::THROUGHPUT, ..goal(AtLeast, 2.0) };
        assert!(!throughput.contradicts(&goal(AtMost, 1.0)));
    }

    #[test]
    fn a_goal_is_kept_as_it_was() {
        let goal = goal(GoalOperator::AtLeast, 5e8);
        let text = serde_json::to_string(&goal).unwrap();
        assert_eq!(text, r#"{"text":"","metric":"iops","operator":">=","value":500000000.0,"unit":"1/s"}"#);
        assert_eq!(serde_json::from_str::<Goal>(&text).unwrap(), goal);
        let held = HeldGoal { goal: 1, outcome: GoalOutcome::CannotTell, doubt: Some(GoalDoubt::NoInterval) };
        let text = serde_json::to_string(&held).unwrap();
        assert_eq!(text, r#"{"goal":1,"outcome":"cannot-tell","doubt":"no-interval"}"#);
        assert_eq!(
            serde_json::from_str::<HeldGoal>(&text.replace("no-interval", "later")).unwrap().doubt,
            Some(GoalDoubt::Other)
        );
    }
}
