//! Importers of tools for what a machine has: lspci, lshw, lscpu, ip, ifconfig, ethtool, sensors, smartctl, nvme, free, numactl,
//! dmidecode, tc. Nothing was measured there: a link, a memory, a sensor is a part of kind `Target`, and its throughput is what a
//! measurement cannot be above: the most that a link carries, or that payload gets of it.
//! Addresses and serial numbers are not kept.

mod dmidecode;
mod ethtool;
mod ethtool_statistics;
mod free;
mod ifconfig;
mod ip;
mod lscpu;
mod lscpu_tables;
mod lshw;
mod lshw_forms;
mod lspci;
mod numactl;
mod nvme;
mod sensors;
mod sensors_json;
mod smartctl;
mod tc;

use model::tool_result::{PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit};

use super::block::ToolBlock;
use super::reader::{NotUnderstood, ToolReader};

/// Those of this area; one that is surer of its beginning comes before others.
pub(super) const READERS: &[&dyn ToolReader] = &[
    &lspci::Lspci,
    &lshw::Lshw,
    &ip::IpAddress,
    &ifconfig::Ifconfig,
    &ethtool::Ethtool,
    &ethtool_statistics::EthtoolStatistics,
    &lscpu::Lscpu,
    &sensors::Sensors,
    &smartctl::Smartctl,
    &nvme::Nvme,
    &free::Free,
    &numactl::Numactl,
    &dmidecode::Dmidecode,
    &tc::Tc,
];

/// Bytes per second that a link carries at the speed at which it is.
const LINK_RATE: MetricName = MetricName::new("link_rate");
/// Bytes per second that it carries at the highest speed of this end.
const LINK_RATE_MAX: MetricName = MetricName::new("link_rate_max");

/// Something that a machine has, with what is said of it; none where nothing is.
fn target(name: String, measured: ToolMeasurement) -> Option<ToolPart> {
    let part = ToolPart { kind: ToolPartKind::Target, name, start_s: None, measured };
    (!part.measured.is_empty()).then_some(part)
}

/// The result of these parts.
///
/// # Errors
/// If there is none.
fn result_of(
    block: &ToolBlock<'_>,
    reader: &dyn ToolReader,
    parts: Vec<ToolPart>,
) -> Result<Vec<ToolResult>, NotUnderstood> {
    if parts.is_empty() {
        return Err(NotUnderstood::CutShort);
    }
    let result = block.without_blank_end().result(reader.name(), reader.programs());
    Ok(vec![ToolResult { parts, ..result }])
}

/// A number on this line, in this unit.
fn printed(line: u64, text: &str, value: f64, half_step: f64, unit: Unit) -> PrintedValue {
    PrintedValue { line, text: text.to_owned(), value, unit, half_step, counting: None }
}
