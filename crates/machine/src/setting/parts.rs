//! A state of several parts, each with a number and a value of its own, as one value:
//! `0-3,8:2400000000` and `4-7:max`, a text for all that have the same. It is written
//! down by the numbers, so that each part gets its own back, whatever came and went
//! meanwhile.

use std::collections::BTreeMap;

use model::Value;
use model::resource::cpu_list;

/// The parts by their numbers.
pub(super) type Parts = BTreeMap<u32, String>;

/// More numbers than any machine has in a row; what says more is garbled.
const NUMBERS_MAX: u32 = 1 << 20;

/// All parts as one value.
pub(super) fn value(parts: &Parts) -> Value {
    let mut groups: Vec<(&str, Vec<u32>)> = Vec::new();
    for (number, text) in parts {
        match groups.iter_mut().find(|(known, _)| known == text) {
            Some((_, numbers)) => numbers.push(*number),
            None => groups.push((text.as_str(), vec![*number])),
        }
    }
    let shown = |(text, numbers): (&str, Vec<u32>)| Value::Text(format!("{}:{text}", cpu_list(&numbers)));
    Value::List(groups.into_iter().map(shown).collect())
}

/// The parts of what [`value`] made; none of anything else.
pub(super) fn parse(value: &Value) -> Option<Parts> {
    let Value::List(groups) = value else { return None };
    let mut parts = Parts::new();
    for group in groups {
        let Value::Text(group) = group else { return None };
        let (numbers, text) = group.split_once(':')?;
        for run in numbers.split(',') {
            let (first, last) = run.split_once('-').unwrap_or((run, run));
            let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
            if last.checked_sub(first)? >= NUMBERS_MAX {
                return None;
            }
            parts.extend((first..=last).map(|number| (number, text.to_owned())));
        }
    }
    Some(parts).filter(|parts| !parts.is_empty())
}

/// What all parts have, where it is the same.
pub(super) fn common(parts: &Parts) -> Option<&String> {
    let first = parts.values().next()?;
    parts.values().all(|text| text == first).then_some(first)
}

/// Whether every part of `before` is there, and has what it had; others are not ours.
pub(super) fn holds(now: &Value, before: &Value) -> bool {
    let (Some(now), Some(before)) = (parse(now), parse(before)) else { return false };
    before.iter().all(|(number, text)| now.get(number) == Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_written_down_by_their_numbers_and_read_again() {
        let of = |all: &[(u32, &str)]| -> Parts {
            all.iter().map(|(number, text)| (*number, (*text).to_owned())).collect()
        };
        let all = of(&[(0, "max"), (1, "max"), (4, "2400"), (70_000, "max")]);
        assert_eq!(value(&all).to_string(), "0-1,70000:max+4:2400");
        assert_eq!(parse(&value(&all)), Some(all.clone()));
        assert_eq!(common(&all), None);
        let cpus = of(&[(36, "0-1,8")]);
        assert_eq!(parse(&value(&cpus)), Some(cpus.clone()));
        assert_eq!(common(&cpus).map(String::as_str), Some("0-1,8"));
        for garbled in ["", "4", "x:1", "3-1:1", "0-4294967295:1"] {
            assert_eq!(parse(&Value::List(vec![garbled.into()])), None, "{garbled}");
        }
        assert_eq!(parse(&"4:1".into()), None);
        assert_eq!(parse(&value(&Parts::new())), None);
    }
}
