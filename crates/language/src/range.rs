//! A number that is another one in each of several findings which one sentence
//! tells: from the least to the most.

use std::borrow::Cow;

use fluent_bundle::FluentValue;
use fluent_bundle::types::FluentType;
use model::Value;

use crate::Language;

/// The least and the most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    language: Language,
    low: f64,
    high: f64,
}

impl Range {
    /// Of these numbers; none of none.
    pub(crate) fn of(language: Language, all: impl Iterator<Item = f64>) -> Option<Self> {
        let (low, high) =
            all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        (low <= high).then_some(Self { language, low, high })
    }

    /// Both ends as `write` has them, `83 to 84 %`; once where they read the same.
    pub(crate) fn written(self, write: impl Fn(f64) -> String) -> String {
        let (low, high) = (write(self.low), write(self.high));
        if low == high {
            return low;
        }
        let ends = |low: &str, high: &str| {
            let ends = [("low", Value::from(low)), ("high", Value::from(high))];
            self.language.words().tell("range", &ends)
        };
        match (low.split_once(' '), high.split_once(' ')) {
            (Some((low, unit)), Some((high, other))) if unit == other && !unit.contains(' ') => {
                format!("{} {unit}", ends(low, high))
            }
            _ => ends(&low, &high),
        }
    }
}

impl FluentType for Range {
    fn duplicate(&self) -> Box<dyn FluentType + Send> {
        Box::new(*self)
    }

    fn as_string(&self, _intls: &intl_memoizer::IntlLangMemoizer) -> Cow<'static, str> {
        self.written(|value| value.to_string()).into()
    }

    fn as_string_threadsafe(
        &self,
        _intls: &intl_memoizer::concurrent::IntlLangMemoizer,
    ) -> Cow<'static, str> {
        self.written(|value| value.to_string()).into()
    }
}

impl From<Range> for FluentValue<'_> {
    fn from(range: Range) -> Self {
        FluentValue::Custom(Box::new(range))
    }
}
