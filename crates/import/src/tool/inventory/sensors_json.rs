//! `sensors -j`: chips, their features, and the values of each, in the units in which the text has them.

use model::tool_result::{ToolMeasurement, ToolPart};
use model::{MetricName, Unit};
use serde_json::{Map, Value};

use super::{printed, target};

/// Whether a JSON text is of sensors.
pub(super) fn knows(text: &str) -> bool {
    text.contains("\"Adapter\"") && text.contains("_input\"")
}

/// All features of all chips; `None` if the text is cut.
pub(super) fn parts(line: u64, text: &str) -> Option<Vec<ToolPart>> {
    let document: Value = serde_json::from_str(text).ok()?;
    let chips =
        document.as_object()?.iter().filter_map(|(chip, features)| Some((chip, features.as_object()?)));
    let of_chip = |(chip, features): (&String, &Map<String, Value>)| -> Vec<ToolPart> {
        let features = features.iter().filter_map(|(name, values)| Some((name, values.as_object()?)));
        features.filter_map(|(name, values)| feature(line, &format!("{chip} {name}"), values)).collect()
    };
    Some(chips.flat_map(of_chip).collect())
}

/// A feature: what is measured first, and then its limits.
fn feature(line: u64, name: &str, values: &Map<String, Value>) -> Option<ToolPart> {
    let mut measured = ToolMeasurement::default();
    let is_input = |key: &str| key.ends_with("_input") || key.ends_with("_average");
    let inputs = values.iter().filter(|(key, _)| is_input(key));
    let others = values.iter().filter(|(key, _)| !is_input(key));
    for (key, value) in inputs.chain(others) {
        if let Some((metric, unit)) = meaning(key)
            && let Some(number) = value.as_f64()
        {
            measured.add(metric, Some(printed(line, &number.to_string(), number, 0.0, unit)));
        }
    }
    target(name.to_owned(), measured)
}

/// What a key is of: `temp1_input`, `temp1_max`, `fan2_min`. The text calls the limits of temperatures otherwise.
fn meaning(key: &str) -> Option<(MetricName, Unit)> {
    let (sensor, what) = key.split_once('_')?;
    let (name, unit) = match sensor.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "temp" => ("temperature", Unit::Celsius),
        "fan" => ("fan_speed", Unit::of_symbol("rpm")?),
        "in" => ("voltage", Unit::of_symbol("V")?),
        "curr" => ("current", Unit::of_symbol("A")?),
        "power" => ("power", Unit::Watts),
        "energy" => ("energy", Unit::Joules),
        _ => return None,
    };
    let limit = match (name, what) {
        (_, "input" | "average") => return Some((MetricName::new(name), unit)),
        ("temperature", "max") => "high",
        ("temperature", "min") => "low",
        (_, "max" | "min" | "crit") => what,
        _ => return None,
    };
    Some((MetricName::intern(&format!("{name}_{limit}"))?, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_have_what_the_text_has() {
        let text = "{\"coretemp-isa-0000\":{\"Adapter\":\"ISA adapter\",\"Package id 0\":{\"temp1_input\":45.0,\"temp1_max\":80.0,\
                    \"temp1_crit_alarm\":0.0}},\"nct-isa-0290\":{\"Adapter\":\"ISA\",\"fan1\":{\"fan1_input\":1200.0}}}";
        let result = crate::tool::read("", text.as_bytes()).unwrap().results.remove(0);
        let names: Vec<&str> = result.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["coretemp-isa-0000 Package id 0", "nct-isa-0290 fan1"]);
        let value =
            |name| result.parts[0].measured.figure(MetricName::new(name)).map(|printed| printed.value);
        assert_eq!((value("temperature"), value("temperature_high")), (Some(45.0), Some(80.0)));
        assert_eq!(result.parts[0].measured.figures.len(), 2, "an alarm is no figure");
        assert!(parts(1, "{\"a\":").is_none());
    }
}
