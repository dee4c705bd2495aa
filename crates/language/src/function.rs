//! What a Fluent pattern may call to write a number: `{ PERCENT($share) }`,
//! `{ QUANTITY($rate, unit: "B/s") }`. All are [`crate::format`]'s, so that a
//! figure reads the same in a sentence, a table and a chart.

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use model::{MetricName, Resource, Unit};

use crate::range::Range;
use crate::{Language, format, metric_title, resource_name};

/// What stands beside the number of a call.
struct CallArguments<'a> {
    second: Option<&'a FluentValue<'a>>,
    named: &'a FluentArgs<'a>,
}

impl CallArguments<'_> {
    /// The unit that is named by its symbol, `unit: "B/s"`, or by an argument,
    /// `SHORT($rate, $unit)`, also one that this version does not know; a plain number
    /// where none is given.
    fn unit(&self) -> Unit {
        match self.named.get("unit").or(self.second) {
            Some(FluentValue::String(symbol)) => Unit::of_symbol(symbol).unwrap_or(Unit::One),
            _ => Unit::One,
        }
    }

    /// `value` in that unit; `bit/s` is not one of the document, but how people read
    /// what a network carries.
    fn written(&self, value: f64, write: fn(format::Rates, f64, Unit) -> String) -> String {
        match self.named.get("unit").or(self.second) {
            Some(FluentValue::String(symbol)) if symbol == "bit/s" => {
                write(format::Rates::Bits, value / 8.0, Unit::BytesPerSecond)
            }
            _ => write(format::Rates::Bytes, value, self.unit()),
        }
    }

    fn decimals(&self) -> usize {
        match self.named.get("decimals") {
            Some(FluentValue::Number(n)) => n.value.clamp(0.0, 6.0) as usize,
            _ => 0,
        }
    }
}

/// One function: its name, and what it makes of a number.
type Function = (&'static str, fn(f64, &CallArguments<'_>) -> String);

/// Every function of numbers.
const FUNCTIONS: &[Function] = &[
    // A share: 0.164 is `16 %`; with `decimals: 1`, `16.4 %`.
    ("PERCENT", |value, given| match given.decimals() {
        0 => format::percent(value),
        _ => format::fine_percent(value),
    }),
    // A number of the unit named: `{ QUANTITY($x, unit: "s") }` is `109.0 us`.
    ("QUANTITY", |value, given| given.written(value, format::Rates::quantity)),
    // The same in as few digits as are needed: `3.7 GHz`.
    ("SHORT", |value, given| given.written(value, format::Rates::setting)),
    // Bytes of what is built in powers of two: `64 KiB`.
    ("BINARY", |value, _| format::part(whole(value))),
    // Bytes as makers of disks print them: `512.1 GB`.
    ("DECIMAL", |value, _| format::decimal(whole(value))),
    // Bits per second, of bits: `10 Gbit/s`.
    ("BITS", |value, _| format::bits(whole(value))),
    // A span of time, of seconds: `1 min 24 s`.
    ("SPAN", |value, _| format::span(value)),
    // A plain number with so many decimals: `{ FIXED($x, decimals: 1) }`.
    ("FIXED", |value, given| format::fixed(value, given.decimals(), "")),
];

/// Adds all of them to the bundle of a language, and `{ RESOURCE($resource) }`,
/// which says `disk vda` for `block:vda`, and `{ WORDS($metric) }`, `latency p99` for
/// `latency_p99`.
pub(crate) fn add_all(bundle: &mut FluentBundle<FluentResource>, language: Language) {
    for (name, function) in FUNCTIONS {
        let added = bundle.add_function(name, move |positional, named| {
            let write = |value: f64| function(value, &CallArguments { second: positional.get(1), named });
            match positional.first() {
                Some(FluentValue::Number(number)) => write(number.value).into(),
                Some(FluentValue::Custom(custom)) => match (**custom).as_any().downcast_ref::<Range>() {
                    Some(range) => range.written(write).into(),
                    None => FluentValue::Error,
                },
                // A word in place of a number stays a word.
                Some(FluentValue::String(text)) => text.clone().into_owned().into(),
                _ => FluentValue::Error,
            }
        });
        debug_assert!(added.is_ok(), "{name} is there once");
    }
    let added = bundle.add_function("RESOURCE", move |positional, _| match positional.first() {
        Some(FluentValue::String(resource)) => {
            resource_name(language.words(), &Resource::from(resource.as_ref())).into()
        }
        _ => FluentValue::Error,
    });
    debug_assert!(added.is_ok(), "RESOURCE is there once");
    let added = bundle.add_function("WORDS", move |positional, _| match positional.first() {
        Some(FluentValue::String(name)) => match MetricName::intern(name) {
            Some(metric) => metric_title(language.words(), metric).into(),
            None => name.replace('_', " ").into(),
        },
        _ => FluentValue::Error,
    });
    debug_assert!(added.is_ok(), "WORDS is there once");
}

fn whole(value: f64) -> u64 {
    value.max(0.0).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(pattern: &str, value: f64) -> String {
        let mut bundle = FluentBundle::new_concurrent(vec!["en".parse().unwrap()]);
        bundle.set_use_isolating(false);
        add_all(&mut bundle, Language::English);
        let text = format!("key = {pattern}");
        bundle.add_resource(FluentResource::try_new(text).unwrap()).unwrap();
        let mut arguments = FluentArgs::new();
        arguments.set("x", value);
        arguments.set("unit", "B/s");
        arguments.set("resource", "block:vda");
        let mut errors = Vec::new();
        let pattern = bundle.get_message("key").unwrap().value().unwrap();
        let text = bundle.format_pattern(pattern, Some(&arguments), &mut errors).into_owned();
        assert!(errors.is_empty(), "{errors:?}");
        text
    }

    #[test]
    fn numbers_in_a_sentence_read_as_in_a_table() {
        assert_eq!(said("{ PERCENT($x) } stolen", 0.164), "16 % stolen");
        assert_eq!(said("{ QUANTITY($x, unit: \"B/s\") }", 560e6), "560.0 MB/s");
        assert_eq!(said("{ SHORT($x, unit: \"B/s\") }", 560e6), "560 MB/s");
        assert_eq!(said("{ SHORT($x, $unit) }", 560e6), "560 MB/s");
        assert_eq!(
            said("{ PERCENT($x, decimals: 1) } of { RESOURCE($resource) }", 0.024),
            "2.4 % of disk vda"
        );
        assert_eq!(said("{ BINARY($x) }", 65536.0), "64 KiB");
        assert_eq!(said("{ BITS($x) }", 1e10), "10 Gbit/s");
        assert_eq!(said("{ SHORT($x, unit: \"bit/s\") }", 956.4e6), "956.4 Mbit/s");
        assert_eq!(said("{ FIXED($x, decimals: 1) }", 2.94), "2.9");
        assert_eq!(said("{ FIXED($x) }", -0.2), "0");
        assert_eq!(said("{ $x ->\n [one] one\n *[other] { $x } many\n }", 1.0), "one");
    }
}
