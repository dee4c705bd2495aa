//! The JSON of iostat and mpstat. All figures of a result stand at the line where the text begins.

use serde_json::{Map, Value};

use super::columns;
use super::devices::Report;
use super::table::{Head, Table, TableRow, Tables};
use crate::tool::block::ToolBlock;
use crate::tool::reader::NotUnderstood;
use crate::tool::system::clock::{leading_clock, lone_clock};
use crate::tool::system::sample::SampleCell;

/// Whether a JSON text is of sysstat.
pub(super) fn is_of_sysstat(text: &str) -> bool {
    text.chars().take(200).collect::<String>().contains("\"sysstat\"")
}

/// The reports of iostat; `None` if it is no JSON.
pub(super) fn reports(block: &ToolBlock<'_>) -> Option<Result<Vec<Report>, NotUnderstood>> {
    let statistics = statistics(block)?;
    let line = block.range().first;
    Some(statistics.map(|all| all.iter().map(|one| report(line, one)).collect()))
}

fn report(line: u64, statistics: &Value) -> Report {
    let ended = statistics.get("timestamp").and_then(Value::as_str).and_then(lone_clock);
    let mut report = Report { ended, ..Report::default() };
    if let Some(cpu) = statistics.get("avg-cpu").and_then(Value::as_object) {
        report.add("", figures(line, cpu));
    }
    for device in statistics.get("disk").and_then(Value::as_array).into_iter().flatten() {
        if let (Some(device), Some(name)) =
            (device.as_object(), device.get("disk_device").and_then(Value::as_str))
        {
            report.add(name, figures(line, device));
        }
    }
    report
}

/// The load of processors by mpstat, as its tables have it; `None` if it is no JSON.
pub(super) fn loads(block: &ToolBlock<'_>) -> Option<Result<Tables, NotUnderstood>> {
    let statistics = statistics(block)?;
    let line = block.range().first;
    let tables = |all: Vec<Value>| Tables {
        list: all.iter().map(|one| load(line, one)).collect(),
        ..Tables::default()
    };
    Some(statistics.map(tables))
}

fn load(line: u64, statistics: &Value) -> Table {
    let clock = statistics.get("timestamp").and_then(Value::as_str);
    let clock = clock.and_then(|text| leading_clock(&text.split_whitespace().collect::<Vec<_>>()));
    let clock = clock.map(|(clock, _)| clock);
    let row = |cpu: &Map<String, Value>, item: &str| {
        let item = cpu.get(item).and_then(Value::as_str).unwrap_or_default();
        // Early versions write all processors as the number that stands for them inside.
        let item = if item == "-1" { "all" } else { item };
        TableRow { clock, is_average: false, item: item.to_owned(), cells: figures(line, cpu) }
    };
    let of = |list: &str, item: &'static str| {
        let list = statistics.get(list).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_object).map(|one| row(one, item)).collect::<Vec<_>>()
    };
    // With -N alone there are only nodes.
    let processors = of("cpu-load", "cpu");
    let (word, rows) =
        if processors.is_empty() { ("NODE", of("node-load", "node")) } else { ("CPU", processors) };
    let words = [word, "%usr"].map(str::to_owned).into();
    Table { head: Head { line, words, item_at: Some(0), ..Head::default() }, rows }
}

/// The statistics of the first host; `None` if the text is no JSON.
fn statistics(block: &ToolBlock<'_>) -> Option<Result<Vec<Value>, NotUnderstood>> {
    if !block.lines.first()?.text.trim_start().starts_with('{') {
        return None;
    }
    let text = block.text();
    let parse = |text: &str| serde_json::from_str::<Value>(text).ok();
    let Some(document) = parse(&text).or_else(|| parse(&completed(&text)?)) else {
        return Some(Err(NotUnderstood::CutShort));
    };
    let all = document.pointer("/sysstat/hosts/0/statistics").and_then(Value::as_array);
    Some(all.cloned().ok_or(NotUnderstood::OtherText))
}

/// A text that was cut, up to its last list or object that is whole: an interrupt ends both programs while they write.
fn completed(text: &str) -> Option<String> {
    let mut open: Vec<char> = Vec::new();
    let (mut is_in_string, mut is_escaped) = (false, false);
    let mut whole = None;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' if is_in_string => is_escaped = true,
            '"' => is_in_string = !is_in_string,
            _ if is_in_string => {}
            '{' => open.push('}'),
            '[' => open.push(']'),
            '}' | ']' => {
                open.pop();
                whole = Some((at + 1, open.len()));
            }
            _ => {}
        }
    }
    let (end, depth) = whole?;
    let closing: String = open.get(..depth)?.iter().rev().collect();
    Some(format!("{}{closing}", text.get(..end)?))
}

/// The figures of an object. What is a share has no % in its name here.
fn figures(line: u64, object: &Map<String, Value>) -> Vec<SampleCell> {
    let one = |(name, value): (&String, &Value)| {
        let number = value.as_f64()?;
        let heading = columns::heading_of_json(name)?;
        // sysstat prints two decimals, and JSON forgets zeros at the end.
        let printed = heading.unit.read(line, &format!("{number:.2}"))?;
        Some(SampleCell { metric: heading.metric, printed, mean: heading.mean })
    };
    let place = |name: &String| {
        columns::SHARES_OF_JSON
            .iter()
            .position(|share| share == name)
            .unwrap_or(columns::SHARES_OF_JSON.len())
    };
    let mut members: Vec<(&String, &Value)> = object.iter().collect();
    members.sort_by_key(|(name, _)| place(name));
    members.into_iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_was_cut_has_what_was_whole_in_it() {
        for (cut, expected) in [
            (r#"{"a": [{"b": 1}, {"b": 2"#, Some(r#"{"a": [{"b": 1}]}"#)),
            (r#"{"a": [{"b": "}\"]"}, "#, Some(r#"{"a": [{"b": "}\"]"}]}"#)),
            (r#"{"a": [{"b": 1}], "c": [{"#, Some(r#"{"a": [{"b": 1}]}"#)),
            (r#"{"a": "#, None),
        ] {
            assert_eq!(completed(cut).as_deref(), expected, "{cut}");
        }
    }
}
