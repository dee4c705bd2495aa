//! Mutations of JSON that are JSON again: bytes that were changed at random seldom
//! get past the parser.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;
use serde_json::{Map, Number, Value};

/// Numbers at the edges of something.
const NUMBERS: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1e-9,
    1e-300,
    5e-324,
    1e9,
    9.2e18,
    1.8446744073709552e19,
    1e300,
    f64::MAX,
    f64::MIN,
    4294967296.0,
    255.0,
    1e15,
    0.1,
];
/// The same, whole.
const WHOLE: &[u64] =
    &[0, 1, 2, 255, 65536, 1 << 32, 1 << 53, i64::MAX as u64, i64::MAX as u64 + 1, u64::MAX];
/// Texts that something may trip over.
const TEXTS: &[&str] = &[
    "",
    " ",
    "\u{0}",
    "\u{1b}[2J",
    "</script>",
    "&<>\"'",
    "\u{202e}abc",
    "é\u{301}",
    "🙂",
    "local",
    "a/b",
    "../..",
    "%s",
    "2026-11-22T10:00:00Z",
    "9999-12-31T23:59:60Z",
    "0000-00-00",
    "nan",
    "inf",
    "-1",
    "block:sda",
    "block:",
    ":",
    "disk",
    "null",
    "net.stream",
    "throughput",
    "latency_p99",
    "\n\n",
    "=1+1",
    "a,b",
    "|",
];

/// The longest text that is repeated.
const REPEATED_MOST: usize = 64 << 10;

/// Changes some places of the JSON in `data`; gives the new length. Absent if there
/// is none in it, or no room for it.
pub fn mutate(data: &mut [u8], size: usize, most: usize, seed: u32) -> Option<usize> {
    let mut document: Value = serde_json::from_slice(&data[..size]).ok()?;
    let mut random = SplitMix64::seed_from_u64(u64::from(seed));
    for _ in 0..1 + random.next_u64() % 4 {
        let places = count(&document);
        let at = pick(&mut random, places);
        let from = pick(&mut random, places);
        let other = nth(&document, from).cloned().unwrap_or(Value::Null);
        if let Some(place) = nth_mut(&mut document, at) {
            change(place, other, &mut random);
        }
    }
    let text = serde_json::to_vec(&document).ok()?;
    if text.len() > most.min(data.len()) {
        return None;
    }
    data[..text.len()].copy_from_slice(&text);
    Some(text.len())
}

fn pick(random: &mut SplitMix64, of: usize) -> usize {
    (random.next_u64() % of.max(1) as u64) as usize
}

/// Changes one value: to another of its kind, to one from elsewhere in the document,
/// or in its members.
fn change(place: &mut Value, other: Value, random: &mut SplitMix64) {
    match (random.next_u64() % 8, &mut *place) {
        (0, _) => *place = other,
        (1, _) => *place = Value::Null,
        (_, Value::Number(number)) => *number = new_number(number, random),
        (_, Value::String(text)) => {
            *text = match random.next_u64() % 4 {
                // Four times 40 of 4 KiB would fill any memory: ours, not that of what is tried.
                0 if text.len() <= REPEATED_MOST => text.repeat(1 + pick(random, 40)),
                1 => text.chars().rev().collect(),
                _ => TEXTS[pick(random, TEXTS.len())].to_owned(),
            }
        }
        (_, Value::Bool(flag)) => *flag = !*flag,
        (2 | 3, Value::Array(all)) if !all.is_empty() => {
            all.remove(pick(random, all.len()));
        }
        (4, Value::Array(all)) => all.clear(),
        (5, Value::Array(all)) => {
            let times = 1 + pick(random, 8);
            let one = all.get(pick(random, all.len())).cloned().unwrap_or(other);
            all.extend(std::iter::repeat_n(one, times));
        }
        (6, Value::Array(all)) => all.reverse(),
        (_, Value::Array(all)) => all.push(other),
        (2..=4, Value::Object(all)) if !all.is_empty() => {
            let name = all.keys().nth(pick(random, all.len())).cloned();
            name.and_then(|name| all.remove(&name));
        }
        (5, Value::Object(all)) => rename(all, random),
        (_, Value::Object(all)) => {
            let name = TEXTS[pick(random, TEXTS.len())];
            all.insert(name.to_owned(), other);
        }
        (_, Value::Null) => *place = other,
    }
}

fn new_number(number: &Number, random: &mut SplitMix64) -> Number {
    let whole = number.as_u64();
    match (random.next_u64() % 4, whole) {
        (0, Some(value)) => value.wrapping_add(1).into(),
        (1, Some(value)) => value.wrapping_sub(1).into(),
        (2, Some(_)) => WHOLE[pick(random, WHOLE.len())].into(),
        (0, None) => Number::from_f64(number.as_f64().unwrap_or(0.0) * 1e3).unwrap_or_else(|| 0.into()),
        (1, None) => Number::from_f64(-number.as_f64().unwrap_or(0.0)).unwrap_or_else(|| 0.into()),
        _ => Number::from_f64(NUMBERS[pick(random, NUMBERS.len())]).unwrap_or_else(|| 0.into()),
    }
}

fn rename(all: &mut Map<String, Value>, random: &mut SplitMix64) {
    let Some(name) = all.keys().nth(pick(random, all.len())).cloned() else { return };
    let to = TEXTS[pick(random, TEXTS.len())];
    if let Some(value) = all.remove(&name) {
        all.insert(to.to_owned(), value);
    }
}

fn members(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Array(all) => Box::new(all.iter()),
        Value::Object(all) => Box::new(all.values()),
        _ => Box::new(std::iter::empty()),
    }
}

/// How many values there are in it, itself too.
fn count(value: &Value) -> usize {
    1 + members(value).map(count).sum::<usize>()
}

/// The value of this number, in the order of [`count`].
fn nth(value: &Value, mut number: usize) -> Option<&Value> {
    if number == 0 {
        return Some(value);
    }
    number -= 1;
    for member in members(value) {
        let own = count(member);
        if number < own {
            return nth(member, number);
        }
        number -= own;
    }
    None
}

fn nth_mut(value: &mut Value, mut number: usize) -> Option<&mut Value> {
    if number == 0 {
        return Some(value);
    }
    number -= 1;
    let members: Box<dyn Iterator<Item = &mut Value>> = match value {
        Value::Array(all) => Box::new(all.iter_mut()),
        Value::Object(all) => Box::new(all.values_mut()),
        _ => return None,
    };
    for member in members {
        let own = count(member);
        if number < own {
            return nth_mut(member, number);
        }
        number -= own;
    }
    None
}
