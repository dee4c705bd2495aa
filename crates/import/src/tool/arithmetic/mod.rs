//! What follows from some figures of an output for others of it, with what rounding may have changed of each: totals, means,
//! shares, ratios. A reader says what follows from what; what rounding explains is dropped here.

mod json;
mod sheet;

use model::Unit;
use model::tool_arithmetic::{FigureDisagreement, FigureRule};
use model::tool_result::{LineRange, PrintedValue};

use super::number::plain;

pub use self::json::JsonNode;
pub(super) use self::json::in_distributions;
pub(super) use self::sheet::{FigureSheet, Term, nth_count_of, nth_of, numbers, of_number};

/// So many figures of a long sum are shown.
const SHOWN: usize = 4;

/// Numbers have so little blur where a machine computes with them.
const MACHINE: f64 = 1e-9;

/// What was computed of figures.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Computed {
    value: f64,
    least: f64,
    most: f64,
    text: String,
    /// Whether its text needs parentheses within another one.
    is_sum: bool,
    lines: LineRange,
}

impl Computed {
    /// A figure as it is printed.
    pub(super) fn of(printed: &PrintedValue) -> Self {
        Self {
            value: printed.value,
            least: printed.least(),
            most: printed.most(),
            text: printed.text.clone(),
            is_sum: false,
            lines: LineRange { first: printed.line, last: printed.line },
        }
    }

    /// A number that is no figure of the output.
    pub(super) fn number(value: f64) -> Self {
        let lines = LineRange { first: u64::MAX, last: 0 };
        Self { value, least: value, most: value, text: value.to_string(), is_sum: false, lines }
    }

    fn lines_with(&self, other: &Self) -> LineRange {
        LineRange {
            first: self.lines.first.min(other.lines.first),
            last: self.lines.last.max(other.lines.last),
        }
    }

    fn joined(&self, sign: &str, other: &Self) -> String {
        format!("{} {sign} {}", self.text, other.text)
    }

    /// Both together.
    pub(super) fn plus(&self, other: &Self) -> Self {
        Self {
            value: self.value + other.value,
            least: self.least + other.least,
            most: self.most + other.most,
            text: self.joined("+", other),
            is_sum: true,
            lines: self.lines_with(other),
        }
    }

    /// What is left of it without another.
    pub(super) fn minus(&self, other: &Self) -> Self {
        Self {
            value: self.value - other.value,
            least: self.least - other.most,
            most: self.most - other.least,
            text: format!("{} - {}", self.text, other.within()),
            is_sum: true,
            lines: self.lines_with(other),
        }
    }

    /// Its text within a product.
    fn within(&self) -> String {
        if self.is_sum { format!("({})", self.text) } else { self.text.clone() }
    }

    /// The product with another; neither is below zero.
    pub(super) fn times(&self, other: &Self) -> Self {
        Self {
            value: self.value * other.value,
            least: self.least.max(0.0) * other.least.max(0.0),
            most: self.most * other.most,
            text: format!("{} x {}", self.within(), other.within()),
            is_sum: false,
            lines: self.lines_with(other),
        }
    }

    /// It divided by another, which is above zero; neither is below.
    pub(super) fn over(&self, other: &Self) -> Option<Self> {
        (other.least > 0.0).then(|| Self {
            value: self.value / other.value,
            least: self.least.max(0.0) / other.most,
            most: self.most / other.least,
            text: format!("{} / {}", self.within(), other.within()),
            is_sum: false,
            lines: self.lines_with(other),
        })
    }

    /// Figures together; `None` of none.
    pub(super) fn sum<'a>(figures: impl IntoIterator<Item = &'a PrintedValue>) -> Option<Self> {
        let figures: Vec<&PrintedValue> = figures.into_iter().collect();
        let (first, last) = (figures.first()?, figures.last()?);
        let total = |of: fn(&PrintedValue) -> f64| figures.iter().map(|figure| of(figure)).sum::<f64>();
        let text = if figures.len() > SHOWN {
            let beginning: Vec<&str> =
                figures.iter().take(SHOWN - 2).map(|figure| figure.text.as_str()).collect();
            format!("{} + … + {}", beginning.join(" + "), last.text)
        } else {
            figures.iter().map(|figure| figure.text.as_str()).collect::<Vec<_>>().join(" + ")
        };
        let lines = || figures.iter().map(|figure| figure.line);
        Some(Self {
            value: total(|figure| figure.value),
            least: total(PrintedValue::least),
            most: total(PrintedValue::most),
            text,
            is_sum: figures.len() > 1,
            lines: LineRange {
                first: lines().min().unwrap_or(first.line),
                last: lines().max().unwrap_or(last.line),
            },
        })
    }

    /// The mean of figures; `None` of none.
    pub(super) fn mean<'a>(figures: impl IntoIterator<Item = &'a PrintedValue>) -> Option<Self> {
        let figures: Vec<&PrintedValue> = figures.into_iter().collect();
        let count = figures.len() as f64;
        Self::sum(figures)?.over(&Self::number(count))
    }

    /// The geometric mean of figures above zero; `None` of none.
    pub(super) fn geometric_mean(figures: &[&PrintedValue]) -> Option<Self> {
        let all = Self::sum(figures.iter().copied())?;
        if figures.iter().any(|figure| figure.least() <= 0.0) {
            return None;
        }
        let mean = |of: fn(&PrintedValue) -> f64| {
            (figures.iter().map(|figure| of(figure).ln()).sum::<f64>() / figures.len() as f64).exp()
        };
        let text = format!("({})^(1/{})", all.text.replace(" + ", " x "), figures.len());
        let (value, least, most) = (mean(|f| f.value), mean(PrintedValue::least), mean(PrintedValue::most));
        Some(Self { value, least, most, text, is_sum: false, ..all })
    }

    /// It in another unit of which one is so many of its own, such as per cent.
    pub(super) fn scaled(self, factor: f64) -> Self {
        Self { value: self.value * factor, least: self.least * factor, most: self.most * factor, ..self }
    }

    /// It in whole steps: tools divide whole numbers and drop the rest.
    pub(super) fn cut_to(self, step: f64) -> Self {
        Self { least: self.least - step, ..self }
    }

    fn disagrees(self, printed: &PrintedValue, rule: FigureRule) -> Option<FigureDisagreement> {
        let lines =
            LineRange { first: self.lines.first.min(printed.line), last: self.lines.last.max(printed.line) };
        self.value.is_finite().then(|| FigureDisagreement {
            printed: printed.clone(),
            rule,
            arithmetic: self.text,
            computed: self.value,
            lines,
        })
    }
}

/// How far a figure may be from what was computed: a share of it that is explained otherwise than by rounding.
fn room(computed: &Computed, slack: f64) -> f64 {
    computed.value.abs() * slack.max(MACHINE)
}

/// That a figure is not what was computed. `slack` is the share of it by which it may differ for other reasons than rounding.
pub(super) fn unequal(
    printed: &PrintedValue,
    computed: Option<Computed>,
    slack: f64,
) -> Option<FigureDisagreement> {
    let computed = computed?;
    let room = room(&computed, slack);
    let agrees = printed.most() + room >= computed.least && printed.least() - room <= computed.most;
    if agrees { None } else { computed.disagrees(printed, FigureRule::Equal) }
}

/// That a figure is above what was computed.
pub(super) fn above(
    printed: &PrintedValue,
    computed: Option<Computed>,
    slack: f64,
) -> Option<FigureDisagreement> {
    let computed = computed?;
    let agrees = printed.least() - room(&computed, slack) <= computed.most;
    if agrees { None } else { computed.disagrees(printed, FigureRule::AtMost) }
}

/// That a figure is below what was computed.
pub(super) fn below(
    printed: &PrintedValue,
    computed: Option<Computed>,
    slack: f64,
) -> Option<FigureDisagreement> {
    let computed = computed?;
    let agrees = printed.most() + room(&computed, slack) >= computed.least;
    if agrees { None } else { computed.disagrees(printed, FigureRule::AtLeast) }
}

/// That a figure lies outside of these two.
pub(super) fn outside(
    printed: &PrintedValue,
    least: Option<&PrintedValue>,
    most: Option<&PrintedValue>,
) -> Option<FigureDisagreement> {
    below(printed, least.map(Computed::of), 0.0).or_else(|| above(printed, most.map(Computed::of), 0.0))
}

/// That shares of one whole are together more than it by more than `slack`. Each is a fraction: of all 1.
pub(super) fn beyond_whole<'a>(
    shares: impl IntoIterator<Item = &'a PrintedValue>,
    slack: f64,
) -> Option<FigureDisagreement> {
    let shares: Vec<&PrintedValue> = shares.into_iter().collect();
    let greatest = shares.iter().copied().max_by(|a, b| a.value.total_cmp(&b.value))?;
    let computed = Computed::sum(shares)?;
    if computed.least <= 1.0 + slack { None } else { computed.disagrees(greatest, FigureRule::Whole) }
}

/// A number in per cent, whose mark may stand in the heading, as a share.
pub(super) fn share(line: u64, text: &str) -> Option<PrintedValue> {
    let number = super::number::leading(text, false)?;
    let value = plain(line, format!("{} %", number.digits), number.value / 100.0, Unit::One);
    Some(PrintedValue { half_step: number.half_step / 100.0, ..value })
}

#[cfg(test)]
mod tests {
    use super::super::number::{bare, exact};
    use super::*;

    fn count(value: u64) -> PrintedValue {
        exact(1, value, Unit::One)
    }

    fn rounded(text: &str) -> PrintedValue {
        bare(2, text, Unit::One).unwrap()
    }

    #[test]
    fn a_sum_is_that_of_its_parts() {
        let parts = [count(6000), count(4000), count(12_800)];
        let of = |total: u64| unequal(&count(total), Computed::sum(&parts), 0.0);
        assert_eq!(of(22_800), None);
        let wrong = of(23_000).unwrap();
        assert_eq!((wrong.arithmetic.as_str(), wrong.computed), ("6000 + 4000 + 12800", 22_800.0));
        assert!(unequal(&count(1), Computed::sum([]), 0.0).is_none());
    }

    #[test]
    fn rounding_explains_what_it_can() {
        let (a, b) = (rounded("0.4"), rounded("0.3"));
        let of = |mean: &str| unequal(&rounded(mean), Computed::mean([&a, &b]), 0.0).is_some();
        assert_eq!(
            (of("0.3"), of("0.4"), of("0.35"), of("0.5"), of("0.24")),
            (false, false, false, true, true)
        );
        let quotient = || Computed::of(&a).over(&Computed::of(&b));
        assert!(unequal(&rounded("1.7"), quotient(), 0.0).is_none());
        assert!(unequal(&rounded("2.5"), quotient(), 0.0).is_some());
        assert!(unequal(&rounded("2.5"), quotient(), 0.5).is_none());
    }

    #[test]
    fn a_bound_is_of_one_side() {
        let (least, most) = (rounded("1.0"), rounded("3.0"));
        let of = |value: &str| outside(&rounded(value), Some(&least), Some(&most)).map(|wrong| wrong.rule);
        assert_eq!((of("2.0"), of("1"), of("3")), (None, None, None));
        assert_eq!((of("0.5"), of("4.1")), (Some(FigureRule::AtLeast), Some(FigureRule::AtMost)));
    }

    #[test]
    fn shares_are_all_of_a_whole_at_most() {
        let of = |texts: &[&str]| {
            let shares: Vec<PrintedValue> = texts.iter().map(|text| share(1, text).unwrap()).collect();
            beyond_whole(&shares, 0.0).map(|wrong| wrong.arithmetic)
        };
        assert_eq!(of(&["50.1", "50.0"]), None);
        assert_eq!(of(&["60.1%", "50.0%"]).as_deref(), Some("60.1 % + 50.0 %"));
    }

    #[test]
    fn a_long_sum_is_shown_in_short() {
        let parts: Vec<PrintedValue> = (1..=6).map(count).collect();
        assert_eq!(Computed::mean(&parts).unwrap().text, "(1 + 2 + … + 6) / 6");
        let product = Computed::sum(&parts[..2]).unwrap().times(&Computed::number(2.0));
        assert_eq!(product.text, "(1 + 2) x 2");
        assert_eq!(Computed::of(&count(5)).minus(&product).text, "5 - (1 + 2) x 2");
    }
}
