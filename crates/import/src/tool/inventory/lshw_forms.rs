//! lshw's other forms: JSON (`-json`), with the numbers that its text rounds, and the list of `-short`, where
//! a size stands before what is described.

use model::tool_result::{PrintedValue, ToolMeasurement, ToolPart};
use model::{MetricName, Unit, metric};
use serde_json::{Map, Value};

use super::lshw::{DISKS, figure, is_virtual};
use super::{LINK_RATE, LINK_RATE_MAX, target};
use crate::tool::block::ToolLine;
use crate::tool::number::{plain, quantity};

/// The most levels of nodes.
const DEPTH_MAX: usize = 32;

/// Whether a JSON text is of lshw.
pub(super) fn is_json(text: &str) -> bool {
    let head: String = text.chars().take(2000).collect();
    ["\"id\"", "\"class\"", "\"claimed\""].iter().all(|key| head.contains(key))
}

/// The nodes of a JSON text that begins on this line; `None` if it is cut.
pub(super) fn of_json(line: u64, text: &str) -> Option<Vec<ToolPart>> {
    // Early versions part the objects of a class by commas alone.
    let document: Value = serde_json::from_str(text.trim_end().trim_end_matches(',')).ok()?;
    let mut parts = Vec::new();
    let top = match &document {
        Value::Array(nodes) => nodes.as_slice(),
        one => std::slice::from_ref(one),
    };
    add(line, top, &mut parts, 0);
    Some(parts)
}

fn add(line: u64, nodes: &[Value], parts: &mut Vec<ToolPart>, depth: usize) {
    for node in nodes.iter().filter_map(Value::as_object) {
        parts.extend(part(line, node));
        if let Some(children) = node.get("children").and_then(Value::as_array)
            && depth < DEPTH_MAX
        {
            add(line, children, parts, depth + 1);
        }
    }
}

fn part(line: u64, node: &Map<String, Value>) -> Option<ToolPart> {
    let text = |key: &str| node.get(key).and_then(Value::as_str);
    let of_configuration = |key: &str| node.get("configuration")?.get(key)?.as_str();
    let number = |key: &str| {
        let value = node.get(key)?.as_f64()?;
        amount(line, value, text("units")?)
    };
    let mut measured = ToolMeasurement::default();
    for (key, rate, clock, size) in [
        ("size", LINK_RATE, MetricName::new("frequency"), MetricName::new("size")),
        ("capacity", LINK_RATE_MAX, MetricName::new("frequency_max"), MetricName::new("capacity")),
    ] {
        let Some(printed) = number(key) else { continue };
        let metric = match printed.unit {
            Unit::BytesPerSecond => rate,
            Unit::Hertz => clock,
            _ => size,
        };
        measured.add(metric, Some(printed));
    }
    // Of buses it is what their registers say, and no rate.
    if text("class") == Some("memory") {
        let clock = node.get("clock").and_then(Value::as_f64).and_then(|hertz| amount(line, hertz, "Hz"));
        measured.add(MetricName::new("clock"), clock);
    }
    if measured.figure(LINK_RATE).is_none() {
        let speed = of_configuration("speed").and_then(|speed| figure(line, speed, true));
        measured.add(LINK_RATE, speed.filter(|rate| rate.unit == Unit::BytesPerSecond));
    }
    let is_virtual = of_configuration("driver").is_some_and(is_virtual);
    let rate = measured.figure(LINK_RATE).or_else(|| measured.figure(LINK_RATE_MAX)).cloned();
    measured.add(metric::THROUGHPUT, rate.filter(|_| !is_virtual));
    // Several names are a list.
    let logical = node.get("logicalname");
    let logical = logical.and_then(|name| name.as_array().and_then(|all| all.first()).or(Some(name)));
    let name = match logical.and_then(Value::as_str) {
        Some(logical) => format!("{} {logical}", text("id")?),
        None => text("id")?.to_owned(),
    };
    target(name, measured)
}

fn amount(line: u64, value: f64, units: &str) -> Option<PrintedValue> {
    let (scale, unit) = match units {
        "bytes" => (1.0, Unit::Bytes),
        "Hz" => (1.0, Unit::Hertz),
        "bit/s" => (0.125, Unit::BytesPerSecond),
        _ => return None,
    };
    Some(plain(line, format!("{value} {units}"), value * scale, unit))
}

/// `H/W path      Device    Class          Description`.
pub(super) fn is_short_heading(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    words == ["H/W", "path", "Device", "Class", "Description"]
        || words == ["H/W", "path", "Class", "Description"]
}

/// Whether a line belongs to the list of `-short`.
pub(super) fn is_short_row(text: &str) -> bool {
    is_ruler(text) || text.trim_start().starts_with('/') || text.starts_with("          ")
}

fn is_ruler(text: &str) -> bool {
    text.len() > 20 && text.bytes().all(|byte| byte == b'=')
}

/// The rows of `-short` whose description begins with a size: `/0/0  memory  24GiB System memory`.
pub(super) fn of_short(lines: &[ToolLine]) -> Vec<ToolPart> {
    let row = |line: &ToolLine| {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let at = words.iter().position(|word| CLASSES.contains(word))?;
        let path = words.first().filter(|path| at > 0 && path.starts_with('/'))?;
        let size = quantity(line.number, words.get(at + 1)?, DISKS.counting)?;
        let device = words.get(1).filter(|_| at > 1);
        let name = format!("{} {}", words.get(at)?, device.unwrap_or(path));
        let mut measured = ToolMeasurement::default();
        measured.add(MetricName::new("size"), Some(size).filter(|size| size.unit == Unit::Bytes));
        target(name, measured)
    };
    lines.iter().filter_map(row).collect()
}

/// Classes whose sizes lshw puts into its list.
const CLASSES: &[&str] = &["memory", "disk", "volume"];

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> ToolLine {
        ToolLine { number: 1, text: text.to_owned() }
    }

    #[test]
    fn rows_of_the_short_list_have_their_sizes() {
        assert!(is_short_heading("H/W path    Device    Class          Description"));
        let rows = [
            "/0/0                  memory         24GiB System memory",
            "/0/100/2/0  /dev/vda  disk           512GB Virtual I/O device",
            "/0/1                  processor      AMD EPYC",
            "/0/100/3/0  eth0      network        Ethernet interface",
        ];
        let parts = of_short(&rows.map(line));
        let read: Vec<(&str, f64)> =
            parts.iter().map(|p| (p.name.as_str(), p.measured.figures[0].printed.value)).collect();
        assert_eq!(read, [("memory /0/0", 24.0 * 1_073_741_824.0), ("disk /dev/vda", 512e9)]);
    }

    #[test]
    fn nodes_of_json_have_exact_figures() {
        let text = r#"[{"id":"network","class":"network","claimed":true,"logicalname":"eth0","units":"bit/s",
            "size":1000000000,"configuration":{"driver":"e1000e","speed":"1Gbit/s"}},
            {"id":"x","class":"memory","claimed":true,"children":[{"id":"bank","class":"memory","units":"bytes",
            "size":8589934592,"clock":3200000000}]}]"#;
        assert!(is_json(text));
        let parts = of_json(1, text).unwrap();
        let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["network eth0", "bank"]);
        assert_eq!(parts[0].measured.figure(metric::THROUGHPUT).unwrap().value, 125e6);
        assert_eq!(of_json(1, "[{\"id\""), None);
    }
}
