//! A part is nearly too hot.

use model::machine::{Inventory, Sensor, SensorKind};
use model::{Resource, ResourceKind, Severity};

use super::{Check, clip, condition, listed, seen};

const CODE: &str = "near-critical-temperature";
/// Intel's CPUs throttle at the critical temperature itself, others and drives
/// some kelvins below it; a load adds that much within seconds.
const KELVINS: f64 = 5.0;
/// Limits outside of these are not set: drivers show 0 or 65261 then.
const PLAUSIBLE: std::ops::Range<f64> = 40.0..150.0;

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "a temperature is within 5 K of its critical one",
    english: r#"
condition-near-critical-temperature =
    { $label } of { $chip } is at { FIXED($value) } °C; { FIXED($critical) } °C is critical
    .advice = improve the cooling, or let it cool down before measuring

evidence-sensor-temperature = { condition-near-critical-temperature }
"#,
    look: |context| {
        let mut hottest: Vec<(&Sensor, f64, f64)> = Vec::new();
        for sensor in &context.inventory.sensors {
            let Some((value, critical)) = near_critical(sensor) else { continue };
            // One finding a chip, for the nearest of its sensors.
            match hottest.iter_mut().find(|(s, ..)| s.chip == sensor.chip && s.device == sensor.device) {
                Some(known) if known.2 - known.1 > critical - value => *known = (sensor, value, critical),
                Some(_) => {}
                None => hottest.push((sensor, value, critical)),
            }
        }
        let finding = |(sensor, value, critical): (&Sensor, f64, f64)| {
            let resource = resource(sensor, context.inventory);
            let evidence = match &resource {
                Some(r) => listed("sensor-temperature", r),
                None => seen("sensor-temperature"),
            };
            let finding = condition(CODE, Severity::Warning)
                .on(resource.unwrap_or(Resource::CPUS))
                .arg("label", clip(&sensor.label))
                .arg("chip", clip(&sensor.chip))
                .arg("value", value)
                .arg("critical", critical);
            finding.because_same(evidence)
        };
        hottest.into_iter().map(finding).collect()
    },
};

/// The value and the limit of a sensor that is nearly too hot.
pub(super) fn near_critical(sensor: &Sensor) -> Option<(f64, f64)> {
    let (value, critical) = (sensor.value?, sensor.critical?);
    let is_near = PLAUSIBLE.contains(&critical) && (critical - KELVINS..200.0).contains(&value);
    (is_near && sensor.kind == SensorKind::Temperature).then_some((value, critical))
}

/// What the sensor belongs to, where the inventory lists it.
fn resource(sensor: &Sensor, inventory: &Inventory) -> Option<Resource> {
    let device = sensor.device.as_deref()?;
    if inventory.block_device(device).is_some() {
        return Some(Resource::from(Resource::of(ResourceKind::Block, device).to_string()));
    }
    inventory.pci_device(device).map(|_| Resource::of(ResourceKind::Pci, device))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose_inventory};
    use model::machine::BlockDevice;

    fn sensor(chip: &str, label: &str, value: f64, critical: f64) -> Sensor {
        Sensor {
            chip: chip.to_owned(),
            label: label.to_owned(),
            value: Some(value),
            critical: Some(critical),
            ..Sensor::default()
        }
    }

    #[test]
    fn the_hottest_sensor_of_a_chip_is_named() {
        let drive = Sensor { device: Some("nvme0n1".to_owned()), ..sensor("nvme", "Composite", 83.0, 84.8) };
        let inventory = Inventory {
            sensors: vec![
                sensor("coretemp", "Core 0", 96.0, 100.0),
                sensor("coretemp", "Core 1", 99.0, 100.0),
                drive,
            ],
            block: vec![BlockDevice { name: "nvme0n1".to_owned(), ..BlockDevice::default() }],
            ..Inventory::default()
        };
        let shown = diagnose_inventory(&CHECK, inventory);
        assert_eq!(shown.texts()[0], "Core 1 of coretemp is at 99 °C; 100 °C is critical");
        assert_eq!(shown.findings[1].resource.as_ref().map(Resource::as_str), Some("block:nvme0n1"));
        assert_eq!(shown.findings.len(), 2);
    }

    #[test]
    fn cool_parts_and_limits_that_are_not_set_are_nothing() {
        let inventory = Inventory {
            sensors: vec![
                sensor("coretemp", "Core 0", 60.0, 100.0),
                sensor("x", "odd", 40.0, 0.0),
                sensor("x", "odder", 65261.0, 65261.8),
                sensor("x", "broken", f64::NAN, 100.0),
                Sensor { kind: SensorKind::Fan, ..sensor("x", "fan", 99.0, 100.0) },
            ],
            ..Inventory::default()
        };
        assert_eq!(diagnose_inventory(&CHECK, inventory), CheckResult::nothing());
    }
}
