//! The numbers of a JSON text as they are printed, each with its line, and what any program's statistics in it have in common.

use std::str::Chars;

use model::Unit;
use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::PrintedValue;

use super::sheet::{FigureSheet, Term};
use crate::tool::block::ToolLine;
use crate::tool::number::plain;

/// Longer texts are not looked at: histograms of many jobs.
const BYTES_MAX: usize = 8 << 20;

/// What is nested deeper is left out.
const DEPTH_MAX: usize = 64;

/// A value of a JSON text.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum JsonNode {
    /// Its members, in their order.
    Object(Vec<(String, JsonNode)>),
    /// Its values.
    List(Vec<JsonNode>),
    /// A number as it is written, and its line.
    Number(u64, String),
    /// A text.
    Text(String),
    /// Anything else, and what is not there.
    #[default]
    Nothing,
}

static NOTHING: JsonNode = JsonNode::Nothing;

impl JsonNode {
    /// The value that these lines are; of several, one behind the other, a list. A text that is cut has what stands before the
    /// cut; nothing where it is very long.
    pub(in crate::tool) fn of(lines: &[ToolLine]) -> Self {
        if lines.iter().map(|line| line.text.len()).sum::<usize>() > BYTES_MAX {
            return Self::Nothing;
        }
        let mut reader = JsonLines { lines, at: 0, rest: "".chars() };
        reader.enter();
        let mut all = Vec::new();
        while reader.peek().is_some() {
            all.extend(reader.value(0));
        }
        if all.len() == 1 { all.pop().unwrap_or_default() } else { Self::List(all) }
    }

    /// A member of an object; nothing where there is none.
    pub(in crate::tool) fn get(&self, name: &str) -> &Self {
        match self {
            Self::Object(members) => {
                members.iter().find(|(own, _)| own == name).map_or(&NOTHING, |(_, value)| value)
            }
            _ => &NOTHING,
        }
    }

    /// The values of a list; none of anything else.
    pub(in crate::tool) fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }

    /// The members of an object; none of anything else.
    pub(in crate::tool) fn members(&self) -> &[(String, Self)] {
        match self {
            Self::Object(members) => members,
            _ => &[],
        }
    }

    /// The text, if it is one.
    pub(in crate::tool) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number that a member is, with the name before it.
    pub(in crate::tool) fn number(&self, name: &str) -> Term {
        Term::of(self.get(name).printed(name))
    }

    /// A count that a member is, which is exact.
    pub(in crate::tool) fn count(&self, name: &str) -> Term {
        self.number(name).exact()
    }

    /// The numbers of a list, each with this name before it.
    pub(in crate::tool) fn numbers(&self, name: &str) -> Vec<Term> {
        self.items()
            .iter()
            .filter_map(|item| item.printed(name))
            .map(|printed| Term::of(Some(printed)))
            .collect()
    }

    fn printed(&self, name: &str) -> Option<PrintedValue> {
        let Self::Number(line, text) = self else { return None };
        let value: f64 = text.parse().ok()?;
        let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let half_step = match text.contains(['e', 'E']) {
            true => value.abs() * 1e-6,
            false => 0.5 * 10f64.powi(-i32::try_from(decimals).unwrap_or(0)),
        };
        let printed = plain(*line, format!("{name} {text}"), value, Unit::One);
        Some(PrintedValue { half_step, ..printed })
    }
}

/// The lines of a text, letter by letter.
struct JsonLines<'a> {
    lines: &'a [ToolLine],
    at: usize,
    rest: Chars<'a>,
}

impl JsonLines<'_> {
    fn enter(&mut self) {
        if let Some(line) = self.lines.get(self.at) {
            self.rest = line.text.chars();
        }
    }

    /// The next letter that is no white space, which stays.
    fn peek(&mut self) -> Option<char> {
        loop {
            let mut ahead = self.rest.clone();
            match ahead.next() {
                Some(letter) if letter.is_whitespace() => self.rest = ahead,
                Some(letter) => return Some(letter),
                None => {
                    self.at += 1;
                    self.lines.get(self.at)?;
                    self.enter();
                }
            }
        }
    }

    /// The next value; at least one letter is taken.
    fn value(&mut self, depth: usize) -> Option<JsonNode> {
        let first = self.peek()?;
        if depth > DEPTH_MAX {
            self.rest.next();
            return None;
        }
        match first {
            '{' => Some(JsonNode::Object(self.object(depth))),
            '[' => Some(JsonNode::List(self.list(depth))),
            '"' => Some(JsonNode::Text(self.text())),
            letter if letter.is_ascii_digit() || letter == '-' => Some(self.digits()),
            letter => {
                self.rest.next();
                // `true`, `null`, and what is no JSON.
                letter.is_alphabetic().then(|| self.word())
            }
        }
    }

    fn word(&mut self) -> JsonNode {
        let end = self.rest.as_str().find(|c: char| !c.is_alphanumeric());
        let rest = self.rest.as_str();
        self.rest = rest.get(end.unwrap_or(rest.len())..).unwrap_or_default().chars();
        JsonNode::Nothing
    }

    fn digits(&mut self) -> JsonNode {
        let rest = self.rest.as_str();
        let end = rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E')));
        let (digits, rest) = rest.split_at_checked(end.unwrap_or(rest.len())).unwrap_or((rest, ""));
        self.rest = rest.chars();
        let number = self.lines.get(self.at).map_or(0, |line| line.number);
        JsonNode::Number(number, digits.to_owned())
    }

    /// A text, which ends with its line at the latest.
    fn text(&mut self) -> String {
        self.rest.next();
        let mut text = String::new();
        while let Some(letter) = self.rest.next() {
            match letter {
                '"' => break,
                '\\' => text.extend(self.rest.next()),
                other => text.push(other),
            }
        }
        text
    }

    fn object(&mut self, depth: usize) -> Vec<(String, JsonNode)> {
        self.rest.next();
        let mut members = Vec::new();
        while let Some(letter) = self.peek() {
            match letter {
                '}' => {
                    self.rest.next();
                    break;
                }
                '"' => {
                    let name = self.text();
                    if self.peek() == Some(':') {
                        self.rest.next();
                        members.extend(self.value(depth + 1).map(|value| (name, value)));
                    }
                }
                _ => drop(self.rest.next()),
            }
        }
        members
    }

    fn list(&mut self, depth: usize) -> Vec<JsonNode> {
        self.rest.next();
        let mut items = Vec::new();
        while let Some(letter) = self.peek() {
            match letter {
                ']' => {
                    self.rest.next();
                    break;
                }
                ',' => drop(self.rest.next()),
                _ => items.extend(self.value(depth + 1)),
            }
        }
        items
    }
}

/// What programs call the least, the mean and the greatest of a distribution.
const LEAST: &[&str] = &["min", "minimum", "Min", "lowest"];
const MEAN: &[&str] = &["mean", "avg", "average", "Avg", "Mean"];
const GREATEST: &[&str] = &["max", "maximum", "Max", "highest"];

/// What programs call how many there are.
const COUNT: &[&str] = &["N", "count", "Count", "samples"];

/// Histograms have bins of this width at most, and a percentile is the middle or the end of one.
const BIN: f64 = 0.05;

/// What is wrong in the distributions of a text, whoever printed it: the mean lies between the least and the greatest, and
/// of two percentiles the higher one is not less.
pub(in crate::tool) fn in_distributions(root: &JsonNode) -> Vec<FigureDisagreement> {
    let sheet = FigureSheet::of(&[]);
    distributions(&sheet, root);
    sheet.found()
}

fn distributions(sheet: &FigureSheet<'_>, node: &JsonNode) {
    node.items().iter().for_each(|item| distributions(sheet, item));
    // That of percentiles is a part of its own object.
    let inner = node.members().iter().filter(|(name, _)| name != "percentile");
    inner.for_each(|(_, member)| distributions(sheet, member));
    let of = |names: &[&str]| names.iter().map(|name| node.number(name)).find(|term| term.value().is_some());
    let (least, mean, most) = (of(LEAST), of(MEAN), of(GREATEST));
    // Of nothing, some print the greatest number that there is as the least.
    let is_none = of(COUNT).is_some_and(|count| count.value() == Some(0.0));
    let is_unset = || most.as_ref().and_then(Term::value) == Some(0.0);
    if node.members().is_empty() || is_none || is_unset() {
        return;
    }
    let (least, most) = (least.unwrap_or_default(), most.unwrap_or_default());
    if let Some(mean) = mean.filter(|_| least.value().is_some() && most.value().is_some()) {
        sheet.between(&least, &mean, &most);
    }
    // Those of fio stand in an object of their own.
    let own = node.get("percentile").members();
    let mut percentiles = if own.is_empty() { percentiles(node.members()) } else { percentiles(own) };
    percentiles.sort_by(|a, b| a.0.total_cmp(&b.0));
    for pair in percentiles.windows(2) {
        if let [(_, lower), (_, higher)] = pair {
            sheet.at_least(higher, lower.clone(), 0.0);
        }
    }
    if let Some((_, highest)) = percentiles.last().filter(|_| most.value().is_some()) {
        sheet.at_most(highest, most.clone(), BIN);
    }
}

/// The percentiles among members, each with the share in per cent.
fn percentiles(members: &[(String, JsonNode)]) -> Vec<(f64, Term)> {
    let one = |(name, value): &(String, JsonNode)| {
        let percent = percent(name)?;
        let term = Term::of(value.printed(name));
        term.value()?;
        Some((percent, term))
    };
    let all: Vec<(f64, Term)> = members.iter().filter_map(one).collect();
    // Bins of a histogram have numbers for names, too.
    let is_one =
        all.len() >= 2 && all.len() == members.iter().filter(|(name, _)| percent(name).is_some()).count();
    if is_one { all } else { Vec::new() }
}

/// The share that the name of a percentile says: `p99`, `p(99.9)`, `p99_9`, `99th`, `99.900000`.
fn percent(name: &str) -> Option<f64> {
    let lower = name.to_ascii_lowercase();
    let is_decimal = lower.contains('.');
    let bare = match lower.strip_prefix('p') {
        Some(rest) => rest.trim_matches(['(', ')']).replace('_', "."),
        None => match lower.strip_suffix("th") {
            Some(rest) => rest.to_owned(),
            None if is_decimal => lower.clone(),
            None => return None,
        },
    };
    let is_number = bare.starts_with(|c: char| c.is_ascii_digit());
    bare.parse().ok().filter(|percent| is_number && (0.0..=100.0).contains(percent))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(text: &str) -> JsonNode {
        let lines: Vec<ToolLine> = (1..)
            .zip(text.lines())
            .map(|(number, text)| ToolLine { number, text: text.to_owned() })
            .collect();
        JsonNode::of(&lines)
    }

    fn wrong(text: &str) -> Vec<String> {
        let all = in_distributions(&node(text));
        all.into_iter()
            .map(|one| format!("{}: {} / {}", one.printed.line, one.printed.text, one.arithmetic))
            .collect()
    }

    #[test]
    fn numbers_are_found_where_they_stand() {
        let root = node(
            "{\"a\": [1, {\"b\\\"c\": -2.50, \"d\": true,\n \"e\": null, \"f\": 1e3}], \"g\" : \"x: {\"}",
        );
        let inner = &root.get("a").items()[1];
        assert_eq!(inner.get("b\"c"), &JsonNode::Number(1, "-2.50".to_owned()));
        assert_eq!((inner.number("f").value(), inner.number("d").value()), (Some(1000.0), None));
        assert_eq!(
            (root.get("g").text(), inner.get("f")),
            (Some("x: {"), &JsonNode::Number(2, "1e3".to_owned()))
        );
        assert_eq!(node("{\"a\": 1}\n{\"a\": 2}").items().len(), 2);
    }

    #[test]
    fn what_is_cut_or_no_json_ends() {
        assert_eq!(node("{\"a\": {\"b\": 1, \"c\": ").get("a").number("b").value(), Some(1.0));
        for text in [
            "",
            "{",
            "}]",
            "[[[",
            "{\"",
            "{\"a\" 1}",
            "]{:,\"a",
            "-",
            &"[".repeat(500),
            &"{\"a\":".repeat(500),
        ] {
            node(text);
        }
    }

    #[test]
    fn a_mean_lies_between_its_extremes() {
        assert_eq!(wrong("{\"x\": {\"min\": 1, \"mean\": 2.5, \"max\": 4}}"), Vec::<String>::new());
        assert_eq!(wrong("[{\"min\": 1,\n \"avg\": 5.5, \"max\": 4}]"), ["2: avg 5.5 / max 4"]);
        assert_eq!(wrong("{\"min\": 3, \"mean\": 1.5, \"max\": 4}"), ["1: mean 1.5 / min 3"]);
        // Of nothing.
        assert_eq!(
            wrong("{\"min\": 18446744073709551615, \"mean\": 0, \"max\": 0, \"N\": 0}"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn percentiles_rise() {
        let told = |text: &str| wrong(text).len();
        assert_eq!(told("{\"max\": 9, \"percentile\": {\"50.000000\": 3, \"99.000000\": 9}}"), 0);
        assert_eq!(told("{\"max\": 9, \"percentile\": {\"50.000000\": 3, \"99.000000\": 1}}"), 1);
        assert_eq!(told("{\"max\": 9, \"percentile\": {\"50.000000\": 3, \"99.000000\": 12}}"), 1);
        assert_eq!(told("{\"p50\": 3, \"p90\": 1, \"p(99.9)\": 4}"), 1);
        assert_eq!(told("{\"p99_9\": 3, \"p99\": 5}"), 1);
        // Ports and bins are none.
        assert_eq!(told("{\"80\": 3, \"99\": 1}") + told("{\"p1\": \"x\", \"p50\": 3, \"p99\": 1}"), 0);
    }
}
