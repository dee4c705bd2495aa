//! The sensors.

use model::Unit;
use model::machine::{Sensor, SensorKind};

use crate::document::{Column, Table, Text};
use crate::format;

pub(super) fn table(all: &[Sensor]) -> Table {
    let row = |sensor: &Sensor| {
        let value = |value: Option<f64>| value.map(|v| shown(sensor.kind, v)).unwrap_or_default();
        let device = sensor.device.clone().unwrap_or_default();
        let texts = [
            sensor.chip.clone(),
            sensor.label.clone(),
            value(sensor.value),
            value(sensor.max),
            value(sensor.critical),
            device,
        ];
        texts.map(Text::from).to_vec()
    };
    let table = Table {
        columns: vec![
            Column::words("chip"),
            Column::words("sensor"),
            Column::numbers("now"),
            Column::numbers("at most"),
            Column::numbers("critical"),
            Column::words("of"),
        ],
        rows: all.iter().map(row).collect(),
        ..Table::default()
    };
    table.without_empty_columns()
}

fn shown(kind: SensorKind, value: f64) -> String {
    match kind {
        SensorKind::Temperature => format::fixed(value, 1, "\u{b0}C"),
        SensorKind::Fan => format::fixed(value, 0, "rpm"),
        SensorKind::Power => format::quantity(value, Unit::Watts),
        SensorKind::Voltage => format::fixed(value, 2, "V"),
    }
}
