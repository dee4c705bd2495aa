//! Importers of tools for networks: iperf, iperf3, netperf, NetPIPE, nttcp, nuttcp, NTttcp, flent, ping, fping, mtr,
//! WinMTR, speedtest, perftest, qperf, sockperf, lagscope, uperf, ss, Ethr, `cilium connectivity perf`, hping3, httping,
//! nping, PsPing.

mod cilium;
mod ethr;
mod flent;
mod fping;
mod given;
mod interval;
mod iperf;
mod iperf3;
mod irtt;
mod lagscope;
mod mtr;
mod mtr_forms;
mod netperf;
mod netpipe;
mod nttcp;
mod ntttcp;
mod nuttcp;
mod perftest;
mod ping;
mod ping_sums;
mod probe;
mod qperf;
mod sockperf;
mod speedtest;
mod ss;
mod stream_rows;
mod tcping;
mod uperf;
mod winmtr;

use std::collections::BTreeMap;

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
    &ntttcp::Ntttcp,
    &ethr::Ethr,
    &flent::Flent,
    &perftest::Perftest,
    &fping::Fping,
    &probe::HPING,
    &probe::HTTPING,
    &probe::NPING,
    &probe::PSPING,
    &ping::Ping,
    &mtr::Mtr,
    &winmtr::WinMtr,
    &lagscope::Lagscope,
    &sockperf::Sockperf,
    &qperf::Qperf,
    &uperf::Uperf,
    &cilium::Cilium,
    &speedtest::Speedtest,
    &ss::Ss,
    &mtr_forms::MtrForms,
    &irtt::Irtt,
    &tcping::Tcping,
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

/// A line that was logged as `22:36:42 INFO: total bytes`, without the moment and the level; `None` of one without them.
fn logged(text: &str) -> Option<&str> {
    let (moment, rest) = text.split_at_checked(8)?;
    let is_clock = moment.bytes().enumerate().all(|(at, byte)| match at % 3 {
        2 => byte == b':',
        _ => byte.is_ascii_digit(),
    });
    let (level, rest) = rest.split_once(':')?;
    let level = level.strip_prefix(' ')?.trim_end();
    let is_level = !level.is_empty() && level.bytes().all(|byte| byte.is_ascii_uppercase());
    (is_clock && is_level).then(|| rest.trim())
}

/// All words behind a program as one option: what differs in any of them is other work.
fn arguments(command: &[String]) -> BTreeMap<String, String> {
    let words = command.get(1..).filter(|words| !words.is_empty());
    words.map(|words| ("arguments".to_owned(), words.join(" "))).into_iter().collect()
}

/// The lines of a text, for the tests of this folder.
#[cfg(test)]
fn lines(text: &str) -> Vec<super::block::ToolLine> {
    let line =
        |(number, text): (u64, &str)| super::block::ToolLine { number, text: text.trim_end().to_owned() };
    (1..).zip(text.lines()).map(line).collect()
}
