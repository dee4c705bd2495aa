//! The JSON of yabs.sh. fio's rates are in KiB/s there, whatever the script's version calls them.

use model::tool_result::{PrintedValue, ToolResult};
use model::{MetricName, Unit};
use serde::Deserialize;

use super::{DECIMAL, NAME, Yabs, YabsDisk, network_result};
use crate::tool::block::ToolBlock;
use crate::tool::number::{exact, plain, quantity};
use crate::tool::reader::{NotUnderstood, ToolReader};

/// What is read of a document; it has more.
#[derive(Deserialize)]
struct Document {
    version: String,
    time: Option<String>,
    #[serde(default)]
    fio: Vec<Disk>,
    #[serde(default)]
    iperf: Vec<Network>,
    #[serde(default)]
    geekbench: Vec<Geekbench>,
}

#[derive(Deserialize)]
struct Disk {
    bs: String,
    speed_r: Option<f64>,
    iops_r: Option<f64>,
    speed_w: Option<f64>,
    iops_w: Option<f64>,
    speed_rw: Option<f64>,
    iops_rw: Option<f64>,
}

#[derive(Deserialize)]
struct Network {
    #[serde(default)]
    mode: String,
    #[serde(default)]
    provider: String,
    #[serde(default)]
    loc: String,
    #[serde(default)]
    send: String,
    #[serde(default)]
    recv: String,
    #[serde(default)]
    latency: String,
}

#[derive(Deserialize)]
struct Geekbench {
    version: u64,
    single: Option<u64>,
    multi: Option<u64>,
}

/// Reads a document; its figures stand at the line where it begins.
///
/// # Errors
/// If it is cut, or another's.
pub(super) fn read(block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
    let document: Document = serde_json::from_str(&block.text()).map_err(|error| match error.is_eof() {
        true => NotUnderstood::CutShort,
        false => NotUnderstood::OtherText,
    })?;
    let line = block.range().first;
    let of_all = ToolResult {
        version: Some(document.version),
        moment: document.time,
        ..block.result(NAME, Yabs.programs())
    };
    let mut results = Vec::new();
    results.extend(document.fio.into_iter().filter_map(|disk| of_disk(line, disk).result(of_all.clone())));
    for network in document.iperf {
        let value = |text: &str| quantity(line, text, DECIMAL.counting);
        let values = (value(&network.send), value(&network.recv), value(&network.latency));
        let Network { mode, provider, loc, .. } = &network;
        let options = [("mode", mode.as_str()), ("provider", provider.as_str()), ("location", loc.as_str())];
        results.extend(network_result(of_all.clone(), options, values));
    }
    for Geekbench { version, single, multi } in document.geekbench {
        let mut result = of_all.clone();
        result.options.insert("test".to_owned(), "geekbench".to_owned());
        result.options.insert("version".to_owned(), version.to_string());
        let score = |score: Option<u64>| score.map(|score| exact(line, score, Unit::One));
        result.whole.add(MetricName::new("single_core_score"), score(single));
        result.whole.add(MetricName::new("multi_core_score"), score(multi));
        results.extend((!result.whole.is_empty()).then_some(result));
    }
    Ok(results)
}

fn of_disk(line: u64, disk: Disk) -> YabsDisk {
    // fio gives whole numbers, cut and not rounded.
    let rate = |value: Option<f64>| -> Option<PrintedValue> {
        let value = value?;
        let text = format!("{value} KBps");
        Some(PrintedValue { half_step: 1024.0, ..plain(line, text, value * 1024.0, Unit::BytesPerSecond) })
    };
    let iops = |value: Option<f64>| -> Option<PrintedValue> {
        let value = value?;
        Some(PrintedValue { half_step: 1.0, ..plain(line, value.to_string(), value, Unit::PerSecond) })
    };
    YabsDisk {
        size: disk.bs,
        read: (rate(disk.speed_r), iops(disk.iops_r)),
        write: (rate(disk.speed_w), iops(disk.iops_w)),
        total: (rate(disk.speed_rw), iops(disk.iops_rw)),
    }
}
