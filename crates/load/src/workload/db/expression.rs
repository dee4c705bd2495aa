//! Whole numbers that follow from others and from chance, as `\set` of pgbench computes them.

use std::f64::consts::TAU;

use crate::workload::db::generator::{SqlValue, ValueRandom};

/// What joins two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::workload) enum ArithmeticOperator {
    Add,
    Subtract,
    Multiply,
    /// Toward zero; what is divided by 0 is 0, so that whoever reads expressions has to refuse that.
    Divide,
    /// What is left of that division.
    Remainder,
    Least,
    Greatest,
}

impl ArithmeticOperator {
    /// What comes of two numbers; the nearest one that there is, where it is too large.
    #[inline]
    fn join(self, left: i64, right: i64) -> i64 {
        match self {
            Self::Add => left.saturating_add(right),
            Self::Subtract => left.saturating_sub(right),
            Self::Multiply => left.saturating_mul(right),
            Self::Divide if right == 0 => 0,
            Self::Divide => left.saturating_div(right),
            Self::Remainder => left.checked_rem(right).unwrap_or(0),
            Self::Least => left.min(right),
            Self::Greatest => left.max(right),
        }
    }
}

/// How a number between two others is drawn (PostgreSQL, `src/bin/pgbench/pgbench.c`). Unlike `db.oltp`'s, numbers
/// that are drawn often lie together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::workload) enum ScriptDistribution {
    /// `random`.
    Uniform,
    /// `random_gaussian`, with its parameter of at least 2: the whole range is so many standard deviations to each
    /// side of the middle.
    Gaussian(f64),
    /// `random_exponential`, with its parameter above 0.
    Exponential(f64),
    /// `random_zipfian`, with its parameter of 1.001 to 1000.
    Zipfian(f64),
}

impl ScriptDistribution {
    /// One of `count` numbers from 0 on.
    fn draw(self, count: u64, random: &mut ValueRandom) -> u64 {
        let of = count as f64;
        let offset = match self {
            Self::Uniform => return random.below(count),
            Self::Gaussian(parameter) => loop {
                let normal = normal(random);
                if (-parameter..parameter).contains(&normal) {
                    break of * (normal + parameter) / (parameter * 2.0);
                }
            },
            Self::Exponential(parameter) => {
                let cut = (-parameter).exp();
                let uniform = 1.0 - random.share();
                of * -(cut + (1.0 - cut) * uniform).ln() / parameter
            }
            Self::Zipfian(parameter) => zipfian(of, parameter, random) - 1.0,
        };
        (offset as u64).min(count.saturating_sub(1))
    }
}

/// A number of the standard normal distribution (Box and Muller 1958, as `pg_prng_double_normal`).
fn normal(random: &mut ValueRandom) -> f64 {
    let (first, second) = (1.0 - random.share(), random.share());
    (-2.0 * first.ln()).sqrt() * (TAU * second).sin()
}

/// A number from 1 to `count` by Zipf's law (Devroye, "Non-Uniform Random Variate Generation", 1986, p. 551, as
/// `computeIterativeZipfian`).
fn zipfian(count: f64, parameter: f64, random: &mut ValueRandom) -> f64 {
    let power = parameter - 1.0;
    let b = 2f64.powf(power);
    if count <= 1.0 {
        return 1.0;
    }
    loop {
        let (u, v) = (random.share(), random.share());
        let x = u.powf(-1.0 / power).floor();
        let t = (1.0 + 1.0 / x).powf(power);
        if v * x * (t - 1.0) / (b - 1.0) <= t / b && x <= count {
            return x;
        }
    }
}

/// An expression of whole numbers.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::workload) enum ValueExpression {
    Constant(i64),
    /// The number in the variable of this number; of a text the number that it is, or 0.
    Variable(usize),
    Join(ArithmeticOperator, Box<[ValueExpression; 2]>),
    Absolute(Box<ValueExpression>),
    /// A number from the first to the second, which is the first where the second is less.
    Draw(ScriptDistribution, Box<[ValueExpression; 2]>),
}

impl ValueExpression {
    /// Its value with these variables.
    pub(in crate::workload) fn evaluate(&self, values: &[SqlValue], random: &mut ValueRandom) -> i64 {
        match self {
            Self::Constant(number) => *number,
            Self::Variable(variable) => match &values[*variable] {
                SqlValue::Integer(number) => *number,
                SqlValue::Text(text) => text.trim().parse().unwrap_or(0),
            },
            Self::Join(operator, sides) => {
                let [left, right] = &**sides;
                let left = left.evaluate(values, random);
                operator.join(left, right.evaluate(values, random))
            }
            Self::Absolute(inner) => inner.evaluate(values, random).saturating_abs(),
            Self::Draw(distribution, bounds) => {
                let [least, most] = &**bounds;
                let least = least.evaluate(values, random);
                let most = most.evaluate(values, random).max(least);
                let count = most.abs_diff(least).saturating_add(1);
                least.saturating_add_unsigned(distribution.draw(count, random))
            }
        }
    }

    /// Two joined.
    pub(in crate::workload) fn join(operator: ArithmeticOperator, left: Self, right: Self) -> Self {
        match (&left, &right) {
            (Self::Constant(left), Self::Constant(right)) => Self::Constant(operator.join(*left, *right)),
            _ => Self::Join(operator, Box::new([left, right])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(distribution: ScriptDistribution, least: i64, most: i64) -> Vec<i64> {
        let bounds = Box::new([ValueExpression::Constant(least), ValueExpression::Constant(most)]);
        let expression = ValueExpression::Draw(distribution, bounds);
        let mut random = ValueRandom::new(11);
        (0..20_000).map(|_| expression.evaluate(&[], &mut random)).collect()
    }

    #[test]
    fn draws_are_in_their_range() {
        for distribution in [
            ScriptDistribution::Uniform,
            ScriptDistribution::Gaussian(2.0),
            ScriptDistribution::Exponential(10.0),
            ScriptDistribution::Zipfian(1.2),
        ] {
            for (least, most) in [(1, 1), (-5, 5), (1, 100_000), (9, 3), (i64::MAX - 1, i64::MAX)] {
                let all = draws(distribution, least, most);
                let (least, most) = (least, most.max(least));
                assert!(all.iter().all(|n| (least..=most).contains(n)), "{distribution:?} {least} {most}");
            }
        }
    }

    #[test]
    fn draws_have_the_shape_that_pgbench_documents() {
        let share = |distribution, range: std::ops::RangeInclusive<i64>| {
            let all = draws(distribution, 1, 1000);
            all.iter().filter(|n| range.contains(n)).count() as f64 / all.len() as f64
        };
        let near =
            |share: f64, expected: f64| assert!((share - expected).abs() < 0.015, "{share} {expected}");
        near(share(ScriptDistribution::Uniform, 1..=100), 0.1);
        // pgbench's manual: with 4.0, 67 % are in the middle quarter, and 95 % in the middle half.
        near(share(ScriptDistribution::Gaussian(4.0), 376..=625), 0.683);
        near(share(ScriptDistribution::Gaussian(4.0), 251..=750), 0.954);
        // f(x) = exp(-parameter * (x - 1) / 1000) - exp(-parameter * x / 1000), summed and divided by 1 - exp(-parameter).
        near(
            share(ScriptDistribution::Exponential(5.0), 1..=100),
            (1.0 - (-0.5f64).exp()) / (1.0 - (-5f64).exp()),
        );
        // 1 / (sum of 1 / k^2 for 1 to 1000) of all are the first.
        let sum: f64 = (1..=1000i32).map(|k| 1.0 / f64::from(k * k)).sum();
        near(share(ScriptDistribution::Zipfian(2.0), 1..=1), 1.0 / sum);
    }

    #[test]
    fn arithmetic_is_that_of_whole_numbers() {
        let of = |operator: ArithmeticOperator, left, right| operator.join(left, right);
        assert_eq!(of(ArithmeticOperator::Divide, -7, 2), -3);
        assert_eq!(of(ArithmeticOperator::Remainder, -7, 2), -1);
        assert_eq!(of(ArithmeticOperator::Divide, i64::MIN, -1), i64::MAX);
        assert_eq!(of(ArithmeticOperator::Remainder, i64::MIN, -1), 0);
        assert_eq!(of(ArithmeticOperator::Add, i64::MAX, 1), i64::MAX);
        assert_eq!((of(ArithmeticOperator::Least, 2, 3), of(ArithmeticOperator::Greatest, 2, 3)), (2, 3));
        let sum = ValueExpression::join(
            ArithmeticOperator::Add,
            ValueExpression::Variable(1),
            ValueExpression::Absolute(Box::new(ValueExpression::Variable(0))),
        );
        let values = [SqlValue::Integer(-4), SqlValue::Text("12".to_owned())];
        assert_eq!(sum.evaluate(&values, &mut ValueRandom::new(1)), 16);
    }
}
