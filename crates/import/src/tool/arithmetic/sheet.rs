//! The figures of an output by the labels before them, and what is wrong among them: a reader writes `requests / seconds`
//! as it would be written on paper.

use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Sub};

use model::Unit;
use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::PrintedValue;

use super::{Computed, above, below, outside, unequal};
use crate::tool::block::ToolLine;
use crate::tool::number::{LeadingNumber, leading, plain};

/// A figure, or what follows from several; nothing where one of them is not there.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::tool) struct Term {
    /// Of a figure as it is printed.
    printed: Option<PrintedValue>,
    computed: Option<Computed>,
}

impl Term {
    /// A figure as it is printed.
    pub(in crate::tool) fn of(printed: Option<PrintedValue>) -> Self {
        Self { computed: printed.as_ref().map(Computed::of), printed }
    }

    /// A number that no output has.
    pub(in crate::tool) fn number(value: f64) -> Self {
        Self { printed: None, computed: Some(Computed::number(value)) }
    }

    /// Figures together; nothing of none.
    pub(in crate::tool) fn sum(terms: &[Self]) -> Self {
        let printed: Vec<&PrintedValue> = terms.iter().filter_map(|term| term.printed.as_ref()).collect();
        let is_all = printed.len() == terms.len();
        Self { printed: None, computed: Computed::sum(printed).filter(|_| is_all) }
    }

    /// Figures together; 0 of none.
    pub(in crate::tool) fn total(terms: &[Self]) -> Self {
        if terms.is_empty() { Self::number(0.0) } else { Self::sum(terms) }
    }

    /// The mean of figures; nothing of none.
    pub(in crate::tool) fn mean(terms: &[Self]) -> Self {
        Self::sum(terms) / Self::number(terms.len() as f64)
    }

    /// The geometric mean of figures; nothing of none, or where one is 0.
    pub(in crate::tool) fn geometric_mean(terms: &[Self]) -> Self {
        let printed: Vec<&PrintedValue> = terms.iter().filter_map(|term| term.printed.as_ref()).collect();
        Self { printed: None, computed: Computed::geometric_mean(&printed) }
    }

    /// A figure of which one is so many of the others.
    pub(in crate::tool) fn in_other_unit(self, factor: f64) -> Self {
        let scaled = |printed: PrintedValue| PrintedValue {
            value: printed.value * factor,
            half_step: printed.half_step * factor,
            text: format!("{} x {factor}", printed.text),
            ..printed
        };
        Self::of(self.printed.map(scaled))
    }

    /// As [`Computed::scaled`].
    pub(in crate::tool) fn scaled(self, factor: f64) -> Self {
        Self { printed: None, computed: self.computed.map(|computed| computed.scaled(factor)) }
    }

    /// As [`Computed::cut_to`].
    pub(in crate::tool) fn cut_to(self, step: f64) -> Self {
        Self { printed: None, computed: self.computed.map(|computed| computed.cut_to(step)) }
    }

    /// A count, which is exact.
    pub(in crate::tool) fn exact(self) -> Self {
        Self::of(self.printed.map(|printed| PrintedValue { half_step: 0.0, ..printed }))
    }

    /// A figure whose last digit was cut off and not rounded.
    pub(in crate::tool) fn cut(self) -> Self {
        Self::of(self.printed.map(crate::tool::number::cut_off))
    }

    /// It, or another where it is not there.
    pub(in crate::tool) fn or(self, other: Self) -> Self {
        if self.computed.is_some() { self } else { other }
    }

    /// Whether it is there, and above zero.
    pub(in crate::tool) fn is_some(&self) -> bool {
        self.value().is_some_and(|value| value > 0.0)
    }

    /// Its value.
    pub(in crate::tool) fn value(&self) -> Option<f64> {
        self.computed.as_ref().map(|computed| computed.value)
    }

    fn with(&self, other: &Self, join: impl Fn(&Computed, &Computed) -> Option<Computed>) -> Self {
        let both = self.computed.as_ref().zip(other.computed.as_ref());
        Self { printed: None, computed: both.and_then(|(one, other)| join(one, other)) }
    }
}

impl Add for &Term {
    type Output = Term;
    fn add(self, other: Self) -> Term {
        self.with(other, |one, other| Some(one.plus(other)))
    }
}

impl Sub for &Term {
    type Output = Term;
    fn sub(self, other: Self) -> Term {
        self.with(other, |one, other| Some(one.minus(other)))
    }
}

impl Mul for &Term {
    type Output = Term;
    fn mul(self, other: Self) -> Term {
        self.with(other, |one, other| Some(one.times(other)))
    }
}

impl Div for &Term {
    type Output = Term;
    fn div(self, other: Self) -> Term {
        self.with(other, Computed::over)
    }
}

impl Div for Term {
    type Output = Term;
    fn div(self, other: Self) -> Term {
        &self / &other
    }
}

impl Mul for Term {
    type Output = Term;
    fn mul(self, other: Self) -> Term {
        &self * &other
    }
}

/// The lines of an output, and what is wrong in them.
pub(in crate::tool) struct FigureSheet<'a> {
    lines: &'a [ToolLine],
    found: RefCell<Vec<FigureDisagreement>>,
}

impl<'a> FigureSheet<'a> {
    /// That of these lines.
    pub(in crate::tool) fn of(lines: &'a [ToolLine]) -> Self {
        Self { lines, found: RefCell::default() }
    }

    /// The lines that begin so, but for white space, with their numbers and what stands behind.
    pub(in crate::tool) fn behind<'b>(
        &self,
        label: &'b str,
    ) -> impl Iterator<Item = (u64, &'a str)> + use<'a, 'b> {
        self.lines
            .iter()
            .filter_map(move |line| Some((line.number, line.text.trim_start().strip_prefix(label)?)))
    }

    /// All lines, with their numbers, without white space around them.
    pub(in crate::tool) fn lines(&self) -> impl Iterator<Item = (u64, &'a str)> + use<'a> {
        self.lines.iter().map(|line| (line.number, line.text.trim()))
    }

    /// The number that stands behind one label in the first line that begins with another.
    pub(in crate::tool) fn within(&self, line: &str, label: &str) -> Term {
        let found = self.lines().filter(|(_, text)| text.starts_with(line)).find_map(|(number, text)| {
            let (_, rest) = text.split_once(label)?;
            Some((number, rest))
        });
        found.map_or_else(Term::default, |(number, rest)| nth_of(number, rest, 0))
    }

    /// The count that stands behind one label in the first line that begins with another, with marks between its digits.
    pub(in crate::tool) fn within_count(&self, line: &str, label: &str) -> Term {
        let found = self.lines().filter(|(_, text)| text.starts_with(line)).find_map(|(number, text)| {
            let (_, rest) = text.split_once(label)?;
            Some(of_number(number, &numbers(rest, true).next()?))
        });
        Term::of(found)
    }

    /// The counts of `[200] 79000 responses`.
    pub(in crate::tool) fn answers(&self) -> Vec<Term> {
        let counts = self.lines().filter_map(|(line, text)| {
            let (status, count) = text.strip_prefix('[')?.split_once(']')?;
            let is_count = count.trim_end().ends_with(" responses") && !status.contains(' ');
            is_count.then(|| nth_of(line, count, 0).exact())
        });
        counts.collect()
    }

    /// The counts of a histogram: `0.003 [79999] |■■■`.
    pub(in crate::tool) fn histogram(&self) -> Vec<Term> {
        let counts = self.lines().filter_map(|(line, text)| {
            let (value, rest) = text.split_once(" [")?;
            let (count, bar) = rest.split_once(']')?;
            let is_row = bar.trim_start().starts_with(['|', '\u{2223}']) && leading(value, false).is_some();
            is_row.then(|| nth_of(line, count, 0).exact())
        });
        counts.collect()
    }

    /// The first number behind a label that begins a line, whatever its unit: of the first such line.
    pub(in crate::tool) fn number(&self, label: &str) -> Term {
        self.nth(label, 0)
    }

    /// One of the numbers behind a label, from 0.
    pub(in crate::tool) fn nth(&self, label: &str, nth: usize) -> Term {
        let found = self.behind(label).find_map(|(line, rest)| Some((line, numbers(rest, false).nth(nth)?)));
        Term::of(found.map(|(line, number)| of_number(line, &number)))
    }

    /// A count behind a label, which is exact.
    pub(in crate::tool) fn count(&self, label: &str) -> Term {
        let found = self.behind(label).find_map(|(line, rest)| Some((line, numbers(rest, true).next()?)));
        Term::of(found.map(|(line, number)| of_number(line, &number))).exact()
    }

    /// Holds a figure against what was computed, of which it may differ by a share for other reasons than rounding.
    pub(in crate::tool) fn equal(&self, figure: &Term, computed: Term, slack: f64) {
        if let Some(printed) = &figure.printed {
            self.found.borrow_mut().extend(unequal(printed, computed.computed, slack));
        }
    }

    /// Holds a figure against several, of which it has to be one: nothing is told where it is not clear that all are there.
    pub(in crate::tool) fn equal_to_any(&self, figure: &Term, readings: Vec<Term>, slack: f64) {
        let Some(printed) = &figure.printed else { return };
        let known: Vec<Computed> = readings.into_iter().filter_map(|reading| reading.computed).collect();
        let wrong: Option<Vec<_>> =
            known.into_iter().map(|reading| unequal(printed, Some(reading), slack)).collect();
        self.found.borrow_mut().extend(wrong.into_iter().flatten().next());
    }

    /// Holds the sum of some counts against that of others, where there are any of both.
    pub(in crate::tool) fn equal_sums(&self, counts: &[Term], others: &[Term]) {
        if let Some((first, rest)) = counts.split_first().filter(|_| !others.is_empty()) {
            self.equal(first, &Term::sum(others) - &Term::total(rest), 0.0);
        }
    }

    /// Holds a figure against what it cannot be above.
    pub(in crate::tool) fn at_most(&self, figure: &Term, computed: Term, slack: f64) {
        if let Some(printed) = &figure.printed {
            self.found.borrow_mut().extend(above(printed, computed.computed, slack));
        }
    }

    /// Holds a figure against what it cannot be below.
    pub(in crate::tool) fn at_least(&self, figure: &Term, computed: Term, slack: f64) {
        if let Some(printed) = &figure.printed {
            self.found.borrow_mut().extend(below(printed, computed.computed, slack));
        }
    }

    /// Holds a figure against its least and its greatest, as far as they are there.
    pub(in crate::tool) fn between(&self, least: &Term, figure: &Term, most: &Term) {
        if let Some(printed) = &figure.printed {
            self.found.borrow_mut().extend(outside(printed, least.printed.as_ref(), most.printed.as_ref()));
        }
    }

    /// What was found.
    pub(in crate::tool) fn found(self) -> Vec<FigureDisagreement> {
        self.found.into_inner()
    }
}

/// One of the numbers of a text, from 0.
pub(in crate::tool) fn nth_of(line: u64, text: &str, nth: usize) -> Term {
    Term::of(numbers(text, false).nth(nth).map(|number| of_number(line, &number)))
}

/// The same of counts, which are exact and may have marks between their digits.
pub(in crate::tool) fn nth_count_of(line: u64, text: &str, nth: usize) -> Term {
    Term::of(numbers(text, true).nth(nth).map(|number| of_number(line, &number))).exact()
}

/// A number without its unit.
pub(in crate::tool) fn of_number(line: u64, number: &LeadingNumber<'_>) -> PrintedValue {
    let value = plain(line, number.digits, number.value, Unit::One);
    PrintedValue { half_step: number.half_step, ..value }
}

/// The numbers of a text, in its order; none within words, as that of `p99`. A comma is a decimal one unless it `groups`.
pub(in crate::tool) fn numbers(text: &str, groups: bool) -> impl Iterator<Item = LeadingNumber<'_>> {
    let mut rest = text;
    let mut before: Option<char> = None;
    // What stands before a sign tells whether it is one: `0.00-1.00` is a span.
    let mut before_that: Option<char> = None;
    std::iter::from_fn(move || {
        loop {
            let first = rest.chars().next()?;
            let is_within =
                before.is_some_and(|before| before.is_alphanumeric() || before == '_' || before == '.');
            if first.is_ascii_digit()
                && !is_within
                && let Some(number) = leading(rest, groups)
            {
                let is_negative = before == Some('-')
                    && before_that.is_none_or(|before| {
                        before.is_whitespace() || matches!(before, '(' | '=' | ':' | '/')
                    });
                before = number.digits.chars().next_back();
                rest = number.rest;
                let value = if is_negative { -number.value } else { number.value };
                return Some(LeadingNumber { value, ..number });
            }
            before_that = before;
            before = Some(first);
            rest = rest.get(first.len_utf8()..)?;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<ToolLine> {
        (1..).zip(text.lines()).map(|(number, text)| ToolLine { number, text: text.to_owned() }).collect()
    }

    #[test]
    fn figures_are_held_against_others_as_on_paper() {
        let wrong = |rate: &str| {
            let lines = lines(&format!("Requests: 1,200 in all\nTime: 4.0 s\nRate: {rate} a second\n"));
            let sheet = FigureSheet::of(&lines);
            let (requests, seconds) = (sheet.count("Requests:"), sheet.number("Time:"));
            sheet.equal(&sheet.number("Rate:"), &requests / &seconds, 0.0);
            sheet.equal(&sheet.number("None:"), &requests / &seconds, 0.0);
            sheet.equal(&sheet.number("Rate:"), &requests / &sheet.number("None:"), 0.0);
            sheet.found()
        };
        assert_eq!(wrong("300"), []);
        let found = wrong("500");
        assert_eq!((found.len(), found[0].arithmetic.as_str()), (1, "1,200 / 4.0"));
    }

    #[test]
    fn numbers_within_words_are_none() {
        let values = |text: &str| numbers(text, false).map(|number| number.value).collect::<Vec<_>>();
        assert_eq!(values("p99 4.5 ms, 12 (3%) v1.2"), [4.5, 12.0, 3.0]);
        assert_eq!(values("0.00-1.00 min -0.5"), [0.0, 1.0, -0.5]);
        assert_eq!(values("0/5 (0%) -7"), [0.0, 5.0, 0.0, -7.0]);
    }
}
