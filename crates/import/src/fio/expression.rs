//! Sums and products in parentheses, `(2*1m+4k)`, which fio reads where it was
//! built with arithmetic, and after `$pagesize` and its like.

use model::ScalarError;

use super::value::wrong;

/// How deep parentheses may nest.
const DEPTH_MAX: usize = 32;

const HELP: &str = "whole numbers with units, + - * / and parentheses, such as (2*1m+4k)";

/// What `text` comes to; `number` reads its operands. Division leaves out the
/// remainder. Fails if it is no expression, or comes to less than 0 or too much.
pub(super) fn evaluate(
    text: &str,
    number: &dyn Fn(&str) -> Result<u64, ScalarError>,
) -> Result<u64, ScalarError> {
    let mut reader = Reader { text, at: 0, depth: 0, number };
    let value = reader.sum()?;
    if reader.peek().is_some() {
        return Err(wrong(text, "has something after its end", HELP));
    }
    u64::try_from(value).map_err(|_| wrong(text, "is less than 0, or too large", HELP))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    number: &'a dyn Fn(&str) -> Result<u64, ScalarError>,
}

impl Reader<'_> {
    /// The next character that is no space.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn computed(&self, value: Option<i128>) -> Result<i128, ScalarError> {
        value.ok_or_else(|| wrong(self.text, "cannot be computed", HELP))
    }

    fn sum(&mut self) -> Result<i128, ScalarError> {
        let mut value = self.product()?;
        while let Some(sign @ ('+' | '-')) = self.peek() {
            self.at += 1;
            let next = self.product()?;
            value = self.computed(match sign {
                '+' => value.checked_add(next),
                _ => value.checked_sub(next),
            })?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<i128, ScalarError> {
        let mut value = self.operand()?;
        while let Some(sign @ ('*' | '/')) = self.peek() {
            self.at += 1;
            let next = self.operand()?;
            value = self.computed(match sign {
                '*' => value.checked_mul(next),
                _ => value.checked_div(next),
            })?;
        }
        Ok(value)
    }

    fn operand(&mut self) -> Result<i128, ScalarError> {
        if self.peek() == Some('(') {
            self.depth += 1;
            if self.depth > DEPTH_MAX {
                return Err(wrong(self.text, "has too many parentheses", HELP));
            }
            self.at += 1;
            let value = self.sum()?;
            if self.peek() != Some(')') {
                return Err(wrong(self.text, "has a parenthesis that is not closed", HELP));
            }
            self.at += 1;
            self.depth -= 1;
            return Ok(value);
        }
        let rest = &self.text[self.at..];
        let end = rest.find(['+', '-', '*', '/', '(', ')']).unwrap_or(rest.len());
        let word = rest[..end].trim();
        if word.is_empty() {
            return Err(wrong(self.text, "lacks a number", HELP));
        }
        self.at += end;
        // The whole is shown: the part is not where it seems to be.
        (self.number)(word).map(i128::from).map_err(|e| wrong(self.text, format!(": {}", e.message), &e.help))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn computed(text: &str) -> Option<u64> {
        evaluate(text, &|word| word.parse().map_err(|_| wrong(word, "is no number", ""))).ok()
    }

    #[test]
    fn products_come_before_sums() {
        for (text, value) in
            [("(1+2*3)", 7), ("((1+2)*3)", 9), ("(7/2)", 3), ("8 - 2 - 1", 5), ("4096*4", 16384)]
        {
            assert_eq!(computed(text), Some(value), "{text}");
        }
        for text in
            ["(1", "1+", "(1))", "1-2", "1/0", "()", "x", "(9223372036854775807*99999999999999999999)"]
        {
            assert_eq!(computed(text), None, "{text}");
        }
        assert_eq!(computed(&"(".repeat(100_000)), None);
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(text in "[0-9+*/() k-]*") {
            let _ = computed(&text);
        }
    }
}
