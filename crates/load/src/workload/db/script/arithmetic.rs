//! Reads the expressions of `\set`: the whole numbers of pgbench, with its random functions, and two functions of our
//! own that make texts.

use crate::workload::db::expression::{ArithmeticOperator, ScriptDistribution, ValueExpression};
use crate::workload::db::generator::ValueGenerator;

/// So deep an expression may be nested.
const DEPTH_MOST: usize = 50;
/// So long a text may be.
const TEXT_MOST: usize = 1 << 16;

/// What a name in an expression stands for, if it is known.
pub(super) type Names<'a> = dyn Fn(&str) -> Option<ValueExpression> + 'a;

/// The generator that `text` says: an expression of numbers, `text('###-@@@')` or `alphanumeric(128)`.
///
/// # Errors
/// What is not read, in words.
pub(super) fn generator(text: &str, names: &Names<'_>) -> Result<ValueGenerator, String> {
    let mut parser = Parser { rest: text.trim(), names, depth: 0 };
    if let Some(generator) = parser.text_function()? {
        return Ok(generator);
    }
    let expression = parser.sum()?;
    if !parser.rest.is_empty() {
        return Err(format!("`{}` is not read in an expression", parser.rest));
    }
    Ok(ValueGenerator::Computed(expression))
}

struct Parser<'a> {
    rest: &'a str,
    names: &'a Names<'a>,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn skip(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest.trim_start();
        taken
    }

    /// Takes `sign`, if it comes next.
    fn takes(&mut self, sign: char) -> bool {
        let is_next = self.rest.starts_with(sign);
        if is_next {
            self.skip(sign.len_utf8());
        }
        is_next
    }

    fn expect(&mut self, sign: char) -> Result<(), String> {
        if self.takes(sign) { Ok(()) } else { Err(format!("`{sign}` is missing before `{}`", self.rest)) }
    }

    /// The characters at the front that `are` so.
    fn while_they(&mut self, are: impl Fn(char) -> bool) -> &'a str {
        let length = self.rest.find(|c: char| !are(c)).unwrap_or(self.rest.len());
        self.skip(length)
    }

    /// `text('...')` or `alphanumeric(N)`, which stand alone.
    fn text_function(&self) -> Result<Option<ValueGenerator>, String> {
        let given = |name: &str| {
            let inner = self.rest.strip_prefix(name)?.trim_start().strip_prefix('(')?.strip_suffix(')')?;
            Some(inner.trim())
        };
        if let Some(inner) = given("text") {
            let quoted = inner.strip_prefix('\'').and_then(|inner| inner.strip_suffix('\''));
            let template = quoted.ok_or("text takes a template in quotes, as text('###-@@@')")?;
            return Ok(Some(ValueGenerator::Text(template.replace("''", "'").into())));
        }
        let Some(inner) = given("alphanumeric") else { return Ok(None) };
        let length = inner.parse::<usize>().ok().filter(|length| *length <= TEXT_MOST);
        let length = length.ok_or("alphanumeric takes a number of characters, at most 65536")?;
        Ok(Some(ValueGenerator::Alphanumeric(length)))
    }

    fn sum(&mut self) -> Result<ValueExpression, String> {
        self.depth += 1;
        if self.depth > DEPTH_MOST {
            return Err("it is nested too deep".to_owned());
        }
        let mut sum = self.product()?;
        loop {
            let operator = match self.rest.chars().next() {
                Some('+') => ArithmeticOperator::Add,
                Some('-') => ArithmeticOperator::Subtract,
                _ => break,
            };
            self.skip(1);
            let right = self.product()?;
            sum = ValueExpression::join(operator, sum, right);
        }
        self.depth -= 1;
        Ok(sum)
    }

    fn product(&mut self) -> Result<ValueExpression, String> {
        let mut product = self.factor()?;
        loop {
            let operator = match self.rest.chars().next() {
                Some('*') => ArithmeticOperator::Multiply,
                Some('/') => ArithmeticOperator::Divide,
                Some('%') => ArithmeticOperator::Remainder,
                _ => return Ok(product),
            };
            self.skip(1);
            let right = self.factor()?;
            product = divided(operator, product, right)?;
        }
    }

    fn factor(&mut self) -> Result<ValueExpression, String> {
        let is_negative = self.takes('-');
        if !is_negative {
            self.takes('+');
        }
        let inner = self.operand()?;
        let zero = ValueExpression::Constant(0);
        Ok(if is_negative { ValueExpression::join(ArithmeticOperator::Subtract, zero, inner) } else { inner })
    }

    fn operand(&mut self) -> Result<ValueExpression, String> {
        if self.takes('(') {
            let inner = self.sum()?;
            self.expect(')')?;
            return Ok(inner);
        }
        if self.takes(':') {
            let name = self.while_they(is_of_name);
            return (self.names)(name).ok_or_else(|| format!("`:{name}` was not set before"));
        }
        let word = self.while_they(|c| is_of_name(c) || c == '.');
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return word
                .parse()
                .map(ValueExpression::Constant)
                .map_err(|_| format!("`{word}` is no whole number of 64 bits, and no others are read"));
        }
        if word.is_empty() {
            return Err(format!("a number is missing before `{}`", self.rest));
        }
        self.expect('(').map_err(|_| format!("`{word}` is not read in an expression"))?;
        let result = self.function(word)?;
        self.expect(')')?;
        Ok(result)
    }

    /// The function of this name, whose bracket was taken, up to the one that closes it.
    fn function(&mut self, name: &str) -> Result<ValueExpression, String> {
        let operator = match name {
            "abs" => return Ok(ValueExpression::Absolute(Box::new(self.sum()?))),
            "int" => return self.sum(),
            "least" => ArithmeticOperator::Least,
            "greatest" => ArithmeticOperator::Greatest,
            "mod" => {
                let left = self.sum()?;
                self.expect(',')?;
                let right = self.sum()?;
                return divided(ArithmeticOperator::Remainder, left, right);
            }
            _ => return self.draw(name),
        };
        let mut result = self.sum()?;
        while self.takes(',') {
            let next = self.sum()?;
            result = ValueExpression::join(operator, result, next);
        }
        Ok(result)
    }

    /// A random function.
    fn draw(&mut self, name: &str) -> Result<ValueExpression, String> {
        let least = match name {
            "random" => 0.0,
            "random_gaussian" => 2.0,
            "random_exponential" => f64::MIN_POSITIVE,
            "random_zipfian" => 1.001,
            _ => return Err(format!("the function `{name}` is not read")),
        };
        let from = self.sum()?;
        self.expect(',')?;
        let to = self.sum()?;
        if let (ValueExpression::Constant(from), ValueExpression::Constant(to)) = (&from, &to)
            && from > to
        {
            return Err(format!("there is no number from {from} to {to}"));
        }
        let bounds = Box::new([from, to]);
        if name == "random" {
            return Ok(ValueExpression::Draw(ScriptDistribution::Uniform, bounds));
        }
        self.expect(',')?;
        let text = self.while_they(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-'));
        let parameter = text.parse::<f64>().ok().filter(|parameter| (least..=1000.0).contains(parameter));
        let parameter = parameter.ok_or_else(|| {
            format!("{name} takes a number from {least} to 1000 in its third place, not `{text}`")
        })?;
        let distribution = match name {
            "random_gaussian" => ScriptDistribution::Gaussian(parameter),
            "random_exponential" => ScriptDistribution::Exponential(parameter),
            _ => ScriptDistribution::Zipfian(parameter),
        };
        Ok(ValueExpression::Draw(distribution, bounds))
    }
}

pub(super) fn is_of_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// Joined, where it is no division by what may be 0.
fn divided(
    operator: ArithmeticOperator,
    left: ValueExpression,
    right: ValueExpression,
) -> Result<ValueExpression, String> {
    let divides = operator != ArithmeticOperator::Multiply;
    let is_safe = matches!(right, ValueExpression::Constant(number) if number != 0);
    if divides && !is_safe {
        return Err("it divides by what may be 0: only numbers other than 0 are read there".to_owned());
    }
    Ok(ValueExpression::join(operator, left, right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::db::generator::{SqlValue, ValueRandom};

    fn names(name: &str) -> Option<ValueExpression> {
        match name {
            "scale" => Some(ValueExpression::Constant(3)),
            "aid" => Some(ValueExpression::Variable(0)),
            _ => None,
        }
    }

    fn value(text: &str) -> i64 {
        let made = generator(text, &names).unwrap_or_else(|e| panic!("{text}: {e}"));
        let mut values = [SqlValue::Integer(17), SqlValue::Integer(0)];
        made.set(1, &mut values, &mut ValueRandom::new(1));
        match values[1] {
            SqlValue::Integer(number) => number,
            SqlValue::Text(_) => panic!("{text} is no number"),
        }
    }

    #[test]
    fn expressions_are_those_of_pgbench() {
        for (text, expected) in [
            ("100000 * :scale", 300_000),
            ("1 + 2 * 3 - 4", 3),
            ("-(2 + 3) % 3", -2),
            (":aid / 5 - -1", 4),
            ("abs(:scale - 10)", 7),
            ("least(:aid, 4, 9) + greatest(1, 2)", 6),
            ("mod(:aid, 5)", 2),
            ("int(9)", 9),
            ("random(4, 2 * 2)", 4),
            ("random_gaussian(5, 5, 2.5)", 5),
            ("random_zipfian(6, 6, 1.07)", 6),
            ("random_exponential(7, 7, 1e-3)", 7),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn texts_are_templates() {
        let text = generator("text('it''s (##)')", &names).unwrap();
        assert_eq!(text, ValueGenerator::Text("it's (##)".into()));
        assert_eq!(generator("alphanumeric( 12 )", &names).unwrap(), ValueGenerator::Alphanumeric(12));
    }

    #[test]
    fn what_is_not_read_is_told() {
        let deep = format!("{}1{}", "(".repeat(200), ")".repeat(200));
        for (text, why) in [
            ("", "a number is missing"),
            ("1 +", "a number is missing"),
            (":other", "`:other` was not set"),
            ("1.5 * 2", "no whole number"),
            ("99999999999999999999", "no whole number"),
            ("1 / :aid", "divides by what may be 0"),
            ("mod(1, 0)", "divides by what may be 0"),
            ("random(2, 1)", "no number from 2 to 1"),
            ("random_gaussian(1, 2, 1.5)", "from 2 to 1000"),
            ("random_zipfian(1, 2, NaN)", "from 1.001"),
            ("pi()", "function `pi`"),
            ("1 < 2", "`< 2` is not read"),
            ("case when 1 then 2 end", "`case` is not read"),
            ("(1", "`)` is missing"),
            ("text(1)", "in quotes"),
            ("alphanumeric(99999999)", "at most"),
            (&deep, "too deep"),
        ] {
            let told = generator(text, &names).unwrap_err();
            assert!(told.contains(why), "{text}: {told}");
        }
    }
}
