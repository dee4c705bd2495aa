//! Importers of tools for networks: iperf, iperf3, netperf, NetPIPE, nttcp, nuttcp, flent, ping, mtr,
//! speedtest, perftest, qperf, sockperf, uperf, ss.

mod flent;
mod given;
mod interval;
mod iperf;
mod iperf3;
mod mtr;
mod netperf;
mod netpipe;
mod nttcp;
mod nuttcp;
mod perftest;
mod ping;
mod qperf;
mod sockperf;
mod speedtest;
mod ss;
mod uperf;

use model::tool_result::{PrintedValue, ToolMeasurement, ToolPart, ToolPartKind};

use super::reader::ToolReader;

/// Those of this area; one that is surer of its beginning comes before others.
pub(super) const READERS: &[&dyn ToolReader] = &[
    &iperf3::Iperf3,
    &iperf::Iperf,
    &netperf::Netperf,
    &netpipe::NetPipe,
    &nttcp::Nttcp,
    &nuttcp::Nuttcp,
    &flent::Flent,
    &perftest::Perftest,
    &ping::Ping,
    &mtr::Mtr,
    &sockperf::Sockperf,
    &qperf::Qperf,
    &uperf::Uperf,
    &speedtest::Speedtest,
    &ss::Ss,
];

/// The sum of what stands at several places; `None` if one of them is missing, or there is none.
fn added(values: &[Option<&PrintedValue>]) -> Option<PrintedValue> {
    let values = values.iter().copied().collect::<Option<Vec<_>>>()?;
    let first = *values.first()?;
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    Some(PrintedValue {
        text: texts.join(" + "),
        value: values.iter().map(|value| value.value).sum(),
        half_step: values.iter().map(|value| value.half_step).sum(),
        ..first.clone()
    })
}

/// A part of this kind.
fn part(kind: ToolPartKind, name: impl Into<String>, measured: ToolMeasurement) -> ToolPart {
    ToolPart { kind, name: name.into(), start_s: None, measured }
}

/// The other end, as `net` workloads name it: `self` is this machine.
fn peer(host: &str) -> &str {
    match host {
        "localhost" | "127.0.0.1" | "::1" => "self",
        other => other,
    }
}

/// Whether a client that was told so names this host. The interface may stand behind it, or a shell puts in a variable.
fn is_host(told: &str, host: &str) -> bool {
    told.contains('$') || told.split('%').next() == Some(host)
}

/// The lines of a text, for the tests of this folder.
#[cfg(test)]
fn lines(text: &str) -> Vec<super::block::ToolLine> {
    let line =
        |(number, text): (u64, &str)| super::block::ToolLine { number, text: text.trim_end().to_owned() };
    (1..).zip(text.lines()).map(line).collect()
}
