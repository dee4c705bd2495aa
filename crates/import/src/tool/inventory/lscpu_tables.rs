//! The tables of lscpu with a row for each processor (`-e`, `-p`, and `-e -J`) or for each cache (`-C -J`): how
//! many processors that are on, cores, sockets and nodes there are, and between which clocks.

use std::collections::{BTreeMap, BTreeSet};

use model::tool_result::{PrintedValue, ToolMeasurement, ToolPart};
use model::{MetricName, Unit};
use serde_json::Value;

use super::{printed, target};
use crate::tool::block::ToolLine;
use crate::tool::number::{exact, leading};

/// What one row says, by the headings in lower case.
type TableRow = BTreeMap<String, String>;

/// What stands above the table of `-p`.
const PARSABLE: &str = "# The following is the parsable format";

/// Columns of which the different values are counted.
const COUNTED: &[(&str, MetricName)] = &[
    ("core", MetricName::new("cores")),
    ("socket", MetricName::new("sockets")),
    ("node", MetricName::new("numa_nodes")),
];

/// Whether a table of processors begins with this line: `CPU NODE SOCKET CORE L1d:L1i:L2:L3 ONLINE`, or what stands
/// above `# CPU,Core,Socket,Node,,L1d,L1i,L2,L3`.
pub(super) fn begins(text: &str) -> bool {
    text.starts_with(PARSABLE) || text.starts_with("# CPU,") || extended_columns(text).is_some()
}

/// Whether a line below the first goes on with the table.
pub(super) fn belongs(first: &str, text: &str) -> bool {
    match extended_columns(first) {
        Some(columns) => {
            let words = text.split_whitespace();
            words.clone().count() == columns.len() && words.take(1).all(is_whole)
        }
        None => text.starts_with("# ") || text.split(',').next().is_some_and(is_whole) && text.contains(','),
    }
}

/// What the tables of a block say of the processors.
pub(super) fn of_lines(lines: &[ToolLine]) -> Option<ToolPart> {
    let first = lines.first()?;
    let of_headings = |columns: &[String], cells: Vec<&str>| -> TableRow {
        columns.iter().cloned().zip(cells.into_iter().map(|cell| cell.trim().to_owned())).collect()
    };
    let rows: Vec<TableRow> = match extended_columns(&first.text) {
        Some(columns) => {
            let row = |line: &ToolLine| of_headings(&columns, line.text.split_whitespace().collect());
            lines.iter().skip(1).map(row).collect()
        }
        None => {
            let head = lines.iter().find_map(|line| line.text.strip_prefix("# CPU,"))?;
            let others = head.split(',').map(|name| name.trim().to_ascii_lowercase());
            let columns: Vec<String> = std::iter::once("cpu".to_owned()).chain(others).collect();
            let row = |line: &ToolLine| of_headings(&columns, line.text.split(',').collect());
            lines.iter().filter(|line| !line.text.starts_with('#')).map(row).collect()
        }
    };
    processors(first.number, &rows)
}

/// Whether a JSON text is such a table.
pub(super) fn knows_json(text: &str) -> bool {
    let has = |names: &[&str]| names.iter().all(|name| text.contains(name));
    has(&["\"cpus\"", "\"cpu\":", "\"core\":"]) || has(&["\"caches\"", "\"all-size\""])
}

/// The rows of a JSON text, and which table they are of; `None` if it is of another tool.
pub(super) fn of_json(line: u64, document: &Value) -> Option<Vec<ToolPart>> {
    let list = |name: &str| document.get(name)?.as_array();
    if let Some(caches) = list("caches") {
        return Some(caches.iter().filter_map(|cache| of_cache(line, &row(cache))).collect());
    }
    let rows: Vec<TableRow> = list("cpus")?.iter().map(row).collect();
    Some(processors(line, &rows).into_iter().collect())
}

fn row(object: &Value) -> TableRow {
    // Before 2.37 numbers and truths were texts.
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let members = object.as_object().into_iter().flatten();
    members.map(|(name, value)| (name.to_ascii_lowercase(), text(value))).collect()
}

fn of_cache(line: u64, row: &TableRow) -> Option<ToolPart> {
    super::lscpu::cache(line, row.get("name")?, row.get("all-size")?)
}

/// The headings of `-e`, in lower case: all are in capitals but those of caches.
fn extended_columns(text: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_heading =
        |word: &&str| word.contains(':') || word.chars().all(|c| c.is_ascii_uppercase() || c == '-');
    let is_one = words.first() == Some(&"CPU")
        && words.len() > 1
        && words.iter().all(is_heading)
        && words.iter().any(|word| ["CORE", "ONLINE", "SOCKET"].contains(word));
    is_one.then(|| words.iter().map(|word| word.to_ascii_lowercase()).collect())
}

fn is_whole(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

/// One part of them all.
fn processors(line: u64, rows: &[TableRow]) -> Option<ToolPart> {
    let is_off = |row: &&TableRow| {
        row.get("online")
            .is_some_and(|online| ["no", "n", "false"].contains(&online.to_ascii_lowercase().as_str()))
    };
    let on: Vec<&TableRow> = rows.iter().filter(|row| !is_off(row)).collect();
    if on.is_empty() {
        return None;
    }
    let mut measured = ToolMeasurement::default();
    measured.add(MetricName::new("cpus"), Some(exact(line, on.len() as u64, Unit::One)));
    for (column, metric) in COUNTED {
        let values = on.iter().filter_map(|row| row.get(*column)).filter(|value| is_whole(value));
        let different = values.collect::<BTreeSet<_>>().len() as u64;
        measured.add(*metric, (different > 0).then(|| exact(line, different, Unit::One)));
    }
    let clocks = |column: &str| -> Vec<PrintedValue> {
        on.iter().filter_map(|row| clock(line, row.get(column)?)).collect()
    };
    let greatest = clocks("maxmhz").into_iter().max_by(|a, b| a.value.total_cmp(&b.value));
    let least = clocks("minmhz").into_iter().min_by(|a, b| a.value.total_cmp(&b.value));
    measured.add(MetricName::new("frequency_max"), greatest);
    measured.add(MetricName::new("frequency_min"), least);
    target("cpu".to_owned(), measured)
}

fn clock(line: u64, text: &str) -> Option<PrintedValue> {
    let number = leading(text, false).filter(|number| number.rest.is_empty())?;
    let text = format!("{} MHz", number.digits);
    Some(printed(line, &text, number.value * 1e6, number.half_step * 1e6, Unit::Hertz))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(text: &str) -> Vec<(String, f64)> {
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        let of_part = |part: &ToolPart| -> Vec<(String, f64)> {
            let figures = part.measured.figures.iter();
            figures.map(|figure| (figure.metric.to_string(), figure.printed.value)).collect()
        };
        results.iter().flat_map(|result| &result.parts).flat_map(of_part).collect()
    }

    fn named(expected: &[(&str, f64)]) -> Vec<(String, f64)> {
        expected.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
    }

    #[test]
    fn processors_that_are_off_do_not_count() {
        let text = "CPU NODE SOCKET CORE L1d:L1i:L2:L3 ONLINE    MAXMHZ   MINMHZ\n  \
                    0    0      0    0 0:0:0:0          yes 4000.0000 800.0000\n  \
                    1    0      0    0 0:0:0:0          yes 4200.0000 800.0000\n  \
                    2    -      -    - -                 no         -        -\n";
        let expected = [
            ("cpus", 2.0),
            ("cores", 1.0),
            ("sockets", 1.0),
            ("numa_nodes", 1.0),
            ("frequency_max", 4.2e9),
            ("frequency_min", 8e8),
        ];
        assert_eq!(figures(text), named(&expected));
    }

    #[test]
    fn the_parsable_table_says_the_same() {
        let text = "# The following is the parsable format, which can be fed to other\n\
                    # programs. Each different item in every column has an unique ID\n\
                    # starting usually from zero.\n# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n\
                    0,0,0,0,,0,0,0,0\n1,1,0,0,,1,1,1,0\n";
        let expected = [("cpus", 2.0), ("cores", 2.0), ("sockets", 1.0), ("numa_nodes", 1.0)];
        assert_eq!(figures(text), named(&expected));
    }

    #[test]
    fn json_of_processors_and_of_caches_is_read() {
        let cpus = "{\"cpus\": [{\"cpu\": 0, \"core\": 0, \"online\": true}, {\"cpu\": \"1\", \"core\": \"1\", \
                    \"online\": \"no\"}]}\n";
        assert_eq!(figures(cpus), named(&[("cpus", 1.0), ("cores", 1.0)]));
        let caches = "{\"caches\": [{\"name\": \"L3\", \"one-size\": \"16M\", \"all-size\": \"32M\"}]}\n";
        assert_eq!(figures(caches), named(&[("size", 33_554_432.0)]));
    }

    #[test]
    fn other_tables_of_processors_are_none() {
        for text in ["CPU TYPE", "CPU    %usr   %nice", "CPU CORE of it", "# CPU load"] {
            assert!(!begins(text), "{text}");
        }
    }
}
