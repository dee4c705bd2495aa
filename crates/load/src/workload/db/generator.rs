//! Values of statements, drawn anew for each transaction from its number: whole numbers by a distribution, and texts.

use std::borrow::Cow;

use model::Parameters;
use model::parameter::Word;
use model::plan::Problem;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::workload::db::expression::ValueExpression;
use crate::workload::disk::distribution::{Distribution, Places};
use crate::workload::named;

/// The words for [`RowDistribution`].
pub(in crate::workload) const DISTRIBUTIONS: &[Word] = &[
    Word {
        word: "special",
        doc: "three of four in the middle hundredth of the rows, the rest around it, by the mean of 12 numbers \
              (sysbench's default)",
    },
    Word { word: "uniform", doc: "every row alike" },
    Word { word: "gaussian", doc: "around the middle, by the mean of 12 numbers" },
    Word { word: "pareto", doc: "four of five in the first fifth of the rows" },
    Word {
        word: "zipf",
        doc: "by Zipf's law (`zipf-theta`): few rows are asked for often, most hardly ever; they do not lie together",
    },
];

/// How rows are chosen (sysbench 1.0, `src/sb_rand.c`, with its defaults; Zipf's law as `disk` has it).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::workload) enum RowDistribution {
    Special,
    Uniform,
    Gaussian,
    Pareto,
    /// With this exponent.
    Zipf(f64),
}

impl RowDistribution {
    /// What `parameters` say.
    pub(in crate::workload) fn of(parameters: &Parameters) -> Result<Self, Problem> {
        Ok(match parameters.text(named("distribution"))? {
            "special" => Self::Special,
            "uniform" => Self::Uniform,
            "gaussian" => Self::Gaussian,
            "pareto" => Self::Pareto,
            "zipf" => Self::Zipf(parameters.number(named("zipf-theta"))?),
            other => return Err(Problem::invalid(format!("`{other}` is no distribution of rows"), "")),
        })
    }
}

/// How many numbers the mean of a Gaussian draw has (`--rand-spec-iter`).
const ITERATIONS: u32 = 12;
/// Of 100 special draws so many go to the middle, which has so many percent of the rows (`--rand-spec-res`,
/// `--rand-spec-pct`).
const SPECIAL_PERCENT: f64 = 75.0;
const MIDDLE_PERCENT: f64 = 1.0;
/// The shape of Pareto's law (`--rand-pareto-h`).
const PARETO_SHAPE: f64 = 0.2;

/// Random numbers of one transaction.
#[derive(Clone, Debug)]
pub(in crate::workload) struct ValueRandom(Xoshiro256PlusPlus);

impl ValueRandom {
    /// Those of `seed`.
    #[inline]
    pub(in crate::workload) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    #[inline]
    fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// From 0 to below 1, in steps of 2^-53.
    #[inline]
    pub(in crate::workload) fn share(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// From 0 to below `count`, each alike.
    #[inline]
    pub(in crate::workload) fn below(&mut self, count: u64) -> u64 {
        ((u128::from(self.word()) * u128::from(count)) >> 64) as u64
    }

    /// The mean of several numbers from 0 to below 1.
    fn mean(&mut self) -> f64 {
        (0..ITERATIONS).map(|_| self.share()).sum::<f64>() / f64::from(ITERATIONS)
    }
}

/// Whole numbers from a least to a greatest one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::workload) struct IntegerRange {
    least: i64,
    count: u64,
    law: IntegerLaw,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum IntegerLaw {
    Special,
    Uniform,
    Gaussian,
    /// To this power.
    Pareto(f64),
    Zipf(Places),
}

impl IntegerRange {
    /// `count` numbers from `least` on; which of them Zipf's law takes often is decided by `seed`.
    pub(in crate::workload) fn new(least: i64, count: u64, distribution: RowDistribution, seed: u64) -> Self {
        let law = match distribution {
            RowDistribution::Special => IntegerLaw::Special,
            RowDistribution::Uniform => IntegerLaw::Uniform,
            RowDistribution::Gaussian => IntegerLaw::Gaussian,
            RowDistribution::Pareto => IntegerLaw::Pareto(PARETO_SHAPE.ln() / (1.0 - PARETO_SHAPE).ln()),
            RowDistribution::Zipf(theta) => IntegerLaw::Zipf(Distribution::Zipf(theta).over(count, seed)),
        };
        Self { least, count, law }
    }

    /// One of them.
    #[inline]
    pub(in crate::workload) fn draw(&self, random: &mut ValueRandom) -> i64 {
        let of = self.count as f64;
        let offset = match &self.law {
            IntegerLaw::Uniform => random.below(self.count),
            IntegerLaw::Special => special(self.count.saturating_sub(1) as f64, random) as u64,
            IntegerLaw::Gaussian => (random.mean() * of) as u64,
            IntegerLaw::Pareto(power) => (random.share().powf(*power) * of) as u64,
            IntegerLaw::Zipf(places) => places.block(random.word()),
        };
        self.least.saturating_add_unsigned(offset.min(self.count.saturating_sub(1)))
    }
}

/// Where among numbers from 0 to `most` a special draw lies: the same random number says whether it goes to the
/// middle, and where there.
fn special(most: f64, random: &mut ValueRandom) -> f64 {
    let share = random.share();
    if share * 100.0 < 100.0 - SPECIAL_PERCENT {
        return random.mean() * most;
    }
    let middle = most * MIDDLE_PERCENT / 100.0;
    share * (middle + 1.0) + (most - middle) / 2.0
}

/// A value of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::workload) enum SqlValue {
    Integer(i64),
    Text(String),
}

/// How a value is made.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::workload) enum ValueGenerator {
    /// A number of these.
    Integer(IntegerRange),
    /// The number in another variable, and so many more.
    Sum { of: usize, more: i64 },
    /// What follows from other variables, and from numbers that are drawn for it.
    Computed(ValueExpression),
    /// This text with a random digit in place of each `#`, and a random letter in place of each `@`.
    Text(Cow<'static, str>),
    /// So many random letters and digits, those of mysqlslap.
    Alphanumeric(usize),
}

impl ValueGenerator {
    /// Puts a value into the variable `into` of `values`.
    #[inline]
    pub(in crate::workload) fn set(&self, into: usize, values: &mut [SqlValue], random: &mut ValueRandom) {
        match self {
            Self::Integer(range) => values[into] = SqlValue::Integer(range.draw(random)),
            Self::Sum { of, more } => {
                if let SqlValue::Integer(number) = values[*of] {
                    values[into] = SqlValue::Integer(number.saturating_add(*more));
                }
            }
            Self::Computed(expression) => {
                values[into] = SqlValue::Integer(expression.evaluate(values, random));
            }
            Self::Text(template) => put_text(&mut values[into], |text| fill(template, random, text)),
            Self::Alphanumeric(length) => put_text(&mut values[into], |text| {
                let count = ALPHANUMERICS.len() as u64;
                for _ in 0..*length {
                    let place = usize::try_from(random.below(count)).unwrap_or(0);
                    text.push(char::from(ALPHANUMERICS[place]));
                }
            }),
        }
    }
}

/// The characters of mysqlslap's texts, which lack `U` and `V` (`ALPHANUMERICS` in `client/mysqlslap.cc`).
const ALPHANUMERICS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTWXYZabcdefghijklmnopqrstuvwxyz";

/// Puts a text into `value` by `write`, in the room of the one that was there.
#[inline]
fn put_text(value: &mut SqlValue, write: impl FnOnce(&mut String)) {
    let mut text = match value {
        SqlValue::Text(text) => std::mem::take(text),
        SqlValue::Integer(_) => String::new(),
    };
    text.clear();
    write(&mut text);
    *value = SqlValue::Text(text);
}

/// Draws that one random word has: 26^10 is below 2^64 by far, so that each is as good as uniform.
const DRAWS_OF_WORD: u32 = 10;

/// Writes `template` to `text`, with what is drawn in place of `#` and `@`.
pub(in crate::workload) fn fill(template: &str, random: &mut ValueRandom, text: &mut String) {
    text.clear();
    let (mut word, mut left) = (0, 0);
    for character in template.chars() {
        let (first, count) = match character {
            '#' => (b'0', 10),
            '@' => (b'a', 26),
            other => {
                text.push(other);
                continue;
            }
        };
        if left == 0 {
            (word, left) = (random.word(), DRAWS_OF_WORD);
        }
        left -= 1;
        // The high half is the draw, the low half what is left of the word.
        let product = u128::from(word) * count;
        word = product as u64;
        text.push(char::from(first + (product >> 64) as u8));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [RowDistribution; 5] = [
        RowDistribution::Special,
        RowDistribution::Uniform,
        RowDistribution::Gaussian,
        RowDistribution::Pareto,
        RowDistribution::Zipf(1.1),
    ];

    #[test]
    fn every_draw_is_in_its_range_and_can_be_made_again() {
        for law in ALL {
            for count in [1, 2, 3, 100, 10_000_000] {
                let range = IntegerRange::new(1, count, law, 7);
                let draws = |seed| {
                    let mut random = ValueRandom::new(seed);
                    (0..1000).map(|_| range.draw(&mut random)).collect::<Vec<_>>()
                };
                assert!(draws(1).iter().all(|n| (1..=count as i64).contains(n)), "{law:?} of {count}");
                assert_eq!(draws(1), draws(1));
                assert!(count < 100 || draws(1) != draws(2), "{law:?}: the seed decides nothing");
            }
        }
    }

    /// How many of 100,000 draws of `law` over 10,000 rows are in `rows`, as a share.
    fn share(law: RowDistribution, rows: std::ops::RangeInclusive<i64>) -> f64 {
        let (range, mut random) = (IntegerRange::new(1, 10_000, law, 7), ValueRandom::new(3));
        let is_in = |_: &u32| rows.contains(&range.draw(&mut random));
        (0..100_000).filter(is_in).count() as f64 / 100_000.0
    }

    #[test]
    fn distributions_have_the_shape_that_is_said() {
        let near = |share: f64, expected: f64| assert!((share - expected).abs() < 0.01, "{share} {expected}");
        // 75 % in the middle hundredth; and 3.9 % of the rest, which has a standard deviation of 833 rows.
        near(share(RowDistribution::Special, 4_975..=5_055), 0.75 + 0.25 * 0.039);
        near(share(RowDistribution::Uniform, 1..=1_000), 0.1);
        // Within one standard deviation of the middle.
        near(share(RowDistribution::Gaussian, 4_168..=5_833), 0.683);
        near(share(RowDistribution::Pareto, 1..=2_000), 0.8);
    }

    #[test]
    fn texts_have_digits_and_letters_where_they_are_asked_for() {
        let (mut random, mut text) = (ValueRandom::new(5), String::new());
        let (mut digits, mut letters) = ([0u32; 10], [0u32; 26]);
        for _ in 0..2_000 {
            fill("##-@@, é", &mut random, &mut text);
            let bytes = text.as_bytes();
            assert!(text.len() == 9 && text.ends_with(", é") && bytes[2] == b'-', "{text}");
            bytes[..2].iter().for_each(|digit| digits[usize::from(digit - b'0')] += 1);
            bytes[3..5].iter().for_each(|letter| letters[usize::from(letter - b'a')] += 1);
        }
        // 400 and 154 of each are expected, with a standard deviation of 19 and 12.
        assert!(digits.iter().all(|n| (300..500).contains(n)), "{digits:?}");
        assert!(letters.iter().all(|n| (90..220).contains(n)), "{letters:?}");
    }

    #[test]
    fn a_value_may_follow_from_another() {
        let (mut values, mut random) = (vec![SqlValue::Integer(0); 3], ValueRandom::new(1));
        let range = IntegerRange::new(5, 1, RowDistribution::Uniform, 0);
        ValueGenerator::Integer(range).set(0, &mut values, &mut random);
        ValueGenerator::Sum { of: 0, more: 99 }.set(1, &mut values, &mut random);
        ValueGenerator::Text("x-#".into()).set(2, &mut values, &mut random);
        assert_eq!(values[..2], [SqlValue::Integer(5), SqlValue::Integer(104)]);
        assert!(matches!(&values[2], SqlValue::Text(text) if text.len() == 3), "{values:?}");
        ValueGenerator::Alphanumeric(126).set(2, &mut values, &mut random);
        let is_one = |text: &str| text.len() == 126 && text.bytes().all(|byte| ALPHANUMERICS.contains(&byte));
        assert!(matches!(&values[2], SqlValue::Text(text) if is_one(text)), "{values:?}");
        ValueGenerator::Computed(ValueExpression::Variable(1)).set(2, &mut values, &mut random);
        assert_eq!(values[2], SqlValue::Integer(104));
    }
}
