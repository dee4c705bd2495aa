//! The sensors, the cores of one chip together.

use model::Unit;
use model::machine::{Sensor, SensorKind};

use super::Detail;
use super::limit::table;
use crate::format;
use crate::text::printable;

/// So many sensors that differ in a number only have a line each.
const ALIKE_MAX: usize = 4;

/// The sensors as a table.
pub(super) fn text(all: &[Sensor], detail: Detail) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut rows = Vec::new();
    for group in all.chunk_by(alike) {
        if group.len() > ALIKE_MAX && detail == Detail::Usual {
            rows.push(row(group));
        } else {
            rows.extend(group.chunks(1).map(row));
        }
    }
    let head = [
        ("chip", false),
        ("sensor", false),
        ("now", true),
        ("at most", true),
        ("critical", true),
        ("of", false),
    ];
    table(&head, &rows)
}

/// Whether two are of one chip and one kind, and differ in their number.
fn alike(a: &Sensor, b: &Sensor) -> bool {
    let name = |s: &Sensor| s.label.replace(|c: char| c.is_ascii_digit(), "");
    let but_for_label = |s: &Sensor| Sensor { label: String::new(), value: None, ..s.clone() };
    name(a) == name(b) && but_for_label(a) == but_for_label(b)
}

fn row(group: &[Sensor]) -> Vec<String> {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return Vec::new() };
    let label = match group.len() {
        1 => printable(&first.label),
        n => format!("{} ... {} ({n})", printable(&first.label), printable(&last.label)),
    };
    let values = group.iter().filter_map(|s| s.value);
    let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), v| (l.min(v), m.max(v)));
    let now = match (least <= most, least < most) {
        (false, _) => String::new(),
        (true, false) => shown(first.kind, most),
        (true, true) => {
            let low = shown(first.kind, least);
            let low = low.split(' ').next().unwrap_or(&low);
            format!("{low}-{}", shown(first.kind, most))
        }
    };
    let bound = |value: Option<f64>| value.map(|v| shown(first.kind, v)).unwrap_or_default();
    let device = first.device.as_deref().map(printable).unwrap_or_default();
    vec![printable(&first.chip), label, now, bound(first.max), bound(first.critical), device]
}

fn shown(kind: SensorKind, value: f64) -> String {
    match kind {
        SensorKind::Temperature => format!("{value:.1} \u{b0}C"),
        SensorKind::Fan => format!("{value:.0} rpm"),
        SensorKind::Power => format::quantity(value, Unit::Watts),
        SensorKind::Voltage => format!("{value:.2} V"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_cores_are_one_line_unless_all_is_asked_for() {
        let core = |n: u32| Sensor {
            chip: "coretemp".to_owned(),
            label: format!("Core {n}"),
            value: Some(40.0 + f64::from(n)),
            max: Some(82.0),
            ..Sensor::default()
        };
        let cores: Vec<Sensor> = (0..8).map(core).collect();
        let usual = text(&cores, Detail::Usual);
        assert_eq!(usual.lines().count(), 2, "{usual}");
        assert!(usual.contains("Core 0 ... Core 7 (8)") && usual.contains("40.0-47.0 \u{b0}C"), "{usual}");
        assert_eq!(text(&cores, Detail::All).lines().count(), 9);
        assert_eq!(text(&cores[..4], Detail::Usual).lines().count(), 5);
    }
}
