//! A state of several parts, each with a name and a value of its own, as one value: `rx:256` and
//! `tx:512`. It is written down by the names, so that each part gets its own back. Nobody can ask for
//! it: what a person writes is one value.

use std::collections::BTreeMap;

use model::Value;

/// The parts in this order as one value.
pub(super) fn value<'a>(parts: impl IntoIterator<Item = (&'a str, String)>) -> Value {
    let shown = |(name, text): (&str, String)| Value::Text(format!("{name}:{text}"));
    Value::List(parts.into_iter().map(shown).collect())
}

/// The parts of what [`value`] made, by their names; none of anything else.
pub(super) fn parse(value: &Value) -> Option<BTreeMap<String, String>> {
    let Value::List(parts) = value else { return None };
    let part = |part: &Value| match part {
        Value::Text(part) => part.split_once(':').map(|(name, text)| (name.to_owned(), text.to_owned())),
        _ => None,
    };
    parts.iter().map(part).collect::<Option<BTreeMap<_, _>>>().filter(|parts| !parts.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_written_down_by_their_names_and_read_again() {
        let written = value([("tx", "512".to_owned()), ("rx", "256".to_owned())]);
        assert_eq!(written.to_string(), "tx:512+rx:256");
        let read = parse(&written).unwrap();
        assert_eq!((read.len(), read["tx"].as_str(), read["rx"].as_str()), (2, "512", "256"));
        for other in [Value::from("tx:512"), Value::List(Vec::new()), Value::List(vec!["tx".into()])] {
            assert_eq!(parse(&other), None, "{other}");
        }
        assert_eq!(parse(&Value::List(vec![Value::Integer(1)])), None);
    }
}
