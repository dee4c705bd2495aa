//! Options of netperf, as far as they say what work was done.

use model::tool_result::ToolResult;
use model::{Value, WorkloadName};

use super::table::NetperfTable;
use crate::tool::network::given::{GivenOptions, OptionSpec};
use crate::tool::network::peer;
use crate::tool::work::same_work;

pub(super) const LENGTH: OptionSpec = OptionSpec::value(Some('l'), "testlen");

const TABLE: &[OptionSpec] = &[
    LENGTH,
    OptionSpec::value(Some('H'), "host"),
    OptionSpec::value(Some('p'), "port"),
    OptionSpec::value(Some('t'), "testname"),
    OptionSpec::value(Some('f'), "format"),
    OptionSpec::value(Some('P'), "banner"),
    OptionSpec::value(Some('v'), "verbosity"),
    OptionSpec::value(Some('D'), "interim"),
    OptionSpec::flag(Some('c'), "local-cpu"),
    OptionSpec::flag(Some('C'), "remote-cpu"),
    OptionSpec::flag(Some('j'), "keep-histogram"),
    OptionSpec::flag(Some('4'), "ipv4"),
    OptionSpec::flag(Some('6'), "ipv6"),
    OptionSpec::value(Some('i'), "iterations"),
    OptionSpec::value(Some('I'), "confidence"),
    OptionSpec::value(Some('T'), "cpus"),
    OptionSpec::value(Some('L'), "local-address"),
    OptionSpec::value(Some('F'), "fill-file"),
];

/// Those that change nothing of the work, or that [`parameters`] reads.
const KNOWN: &[&str] = &[
    "banner",
    "format",
    "host",
    "interim",
    "ipv4",
    "ipv6",
    "keep-histogram",
    "local-cpu",
    "port",
    "remote-cpu",
    "testlen",
    "testname",
    "verbosity",
];

/// Options of a test, behind `--`.
const OF_TEST: &[OptionSpec] = &[
    OptionSpec::value(Some('m'), "message"),
    OptionSpec::value(Some('r'), "request"),
    OptionSpec::flag(Some('D'), "nodelay"),
    OptionSpec::value(Some('k'), "keys"),
    OptionSpec::value(Some('o'), "csv"),
    OptionSpec::value(Some('O'), "human"),
];

/// Whether a command is of the test towards this host. Only addresses tell: of a name, the whole one is printed.
pub(super) fn is_to(command: &[String], host: &str) -> bool {
    let end = command.iter().position(|word| word == "--").unwrap_or(command.len());
    let general = GivenOptions::of(command.get(..end).unwrap_or_default(), TABLE);
    let address = |text: &str| text.parse::<std::net::IpAddr>().ok();
    let told = general.get("host").and_then(|told| address(told.split(',').next()?));
    match (told, address(host)) {
        (Some(told), Some(host)) => told == host,
        _ => true,
    }
}

/// Fills in the options of a result, and the parameters of the same work where there is one.
pub(super) fn fill(result: &mut ToolResult, test: &str, table: &NetperfTable) {
    if result.command.is_empty() {
        return;
    }
    let end = result.command.iter().position(|word| word == "--").unwrap_or(result.command.len());
    let general = GivenOptions::of(result.command.get(..end).unwrap_or_default(), TABLE);
    let of_test = GivenOptions::of(result.command.get(end..).unwrap_or_default(), OF_TEST);
    result.options.insert("test".to_owned(), test.to_owned());
    result.options.extend(general.options.clone());
    let named = |(name, value): (&String, &String)| (format!("test-{name}"), value.clone());
    result.options.extend(of_test.options.iter().map(named));
    let is_all = general.are_among(KNOWN) && of_test.is_all;
    if !is_all || !general.operands.is_empty() || !of_test.operands.is_empty() {
        return;
    }
    if let Some((workload, parameters)) = parameters(test, &general, &of_test, table) {
        same_work(result, WorkloadName::new(workload), parameters);
    }
}

/// The workload that does the same, and its parameters; `None` where there is none, or not all of it is known.
fn parameters(
    test: &str,
    general: &GivenOptions,
    of_test: &GivenOptions,
    table: &NetperfTable,
) -> Option<(&'static str, Vec<(&'static str, Value)>)> {
    let protocol = if test.starts_with("UDP") { "udp" } else { "tcp" };
    let seconds: f64 = general.get("testlen").map_or(Some(10.0), |seconds| seconds.parse().ok())?;
    // Below nought it counts bytes or transactions.
    if seconds <= 0.0 {
        return None;
    }
    let mut all: Vec<(&'static str, Value)> = vec![
        ("peer", peer(general.get("host").unwrap_or("localhost")).into()),
        ("protocol", protocol.into()),
        ("duration", seconds.into()),
    ];
    if protocol == "tcp" {
        all.push(("nodelay", of_test.has("nodelay").into()));
    }
    match test {
        "TCP REQUEST/RESPONSE" | "UDP REQUEST/RESPONSE" => {
            let (request, answer) = table.request?;
            if request != answer {
                return None;
            }
            all.push(("message-size", request.into()));
            Some(("net.pingpong", all))
        }
        "TCP STREAM" | "TCP MAERTS" => {
            let direction = if test.ends_with("MAERTS") { "receive" } else { "send" };
            all.push(("direction", direction.into()));
            all.push(("streams", 1u64.into()));
            all.push(("buffer", table.message?.into()));
            all.push(("read-buffer", table.receive_buffer?.into()));
            Some(("net.stream", all))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_of_its_host() {
        let is_to = |command: &str, host: &str| {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            is_to(&words, host)
        };
        assert!(is_to("netperf -H 10.0.0.2,4 -- -m 1400", "10.0.0.2"));
        assert!(is_to("netperf -H db1", "10.0.0.2") && is_to("netperf", "10.0.0.2"));
        assert!(!is_to("netperf -H 10.0.0.2", "10.0.0.9"));
    }
}
