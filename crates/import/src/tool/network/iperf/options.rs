//! Options of iperf 2, as far as they say what work was done.

use model::tool_result::ToolResult;
use model::{Value, WorkloadName};

use super::rows::IperfRows;
use crate::tool::block::ToolBlock;
use crate::tool::network::given::{GivenOptions, OptionSpec, set, without};
use crate::tool::network::{is_host, peer};
use crate::tool::number::whole;
use crate::tool::reader::ToolReader as _;
use crate::tool::work::same_work;

const TIME: OptionSpec = OptionSpec::value(Some('t'), "time");
const BYTES: OptionSpec = OptionSpec::value(Some('n'), "num");

const TABLE: &[OptionSpec] = &[
    OptionSpec::value(Some('c'), "client"),
    OptionSpec::flag(Some('s'), "server"),
    OptionSpec::value(Some('p'), "port"),
    TIME,
    BYTES,
    OptionSpec::value(Some('P'), "parallel"),
    OptionSpec::flag(Some('u'), "udp"),
    OptionSpec::value(Some('b'), "bandwidth"),
    OptionSpec::value(Some('l'), "len"),
    OptionSpec::value(Some('w'), "window"),
    OptionSpec::value(Some('i'), "interval"),
    OptionSpec::value(Some('f'), "format"),
    OptionSpec::value(Some('y'), "reportstyle"),
    OptionSpec::flag(Some('e'), "enhanced"),
    OptionSpec::flag(Some('m'), "print_mss"),
    OptionSpec::flag(Some('N'), "nodelay"),
    OptionSpec::value(Some('Z'), "tcp-congestion").or("linux-congestion"),
    OptionSpec::flag(Some('R'), "reverse"),
    OptionSpec::flag(None, "full-duplex"),
    OptionSpec::flag(Some('d'), "dualtest"),
    OptionSpec::flag(Some('r'), "tradeoff"),
    OptionSpec::value(Some('L'), "listenport"),
    OptionSpec::flag(Some('V'), "ipv6_domain"),
    OptionSpec::value(Some('B'), "bind"),
    OptionSpec::value(Some('M'), "mss"),
    OptionSpec::value(Some('S'), "tos"),
    OptionSpec::value(Some('T'), "ttl"),
    OptionSpec::flag(None, "trip-times"),
    OptionSpec::flag(Some('D'), "daemon"),
];

/// Those that change nothing of the work, or that [`parameters`] reads.
const KNOWN: &[&str] = &[
    "bandwidth",
    "client",
    "enhanced",
    "format",
    "interval",
    "ipv6_domain",
    "len",
    "nodelay",
    "num",
    "parallel",
    "port",
    "print_mss",
    "reportstyle",
    "reverse",
    "tcp-congestion",
    "time",
    "udp",
    "window",
];

/// Bytes of a call over TCP where nobody gives them, since 2.0.14: it prints them with `-e`.
const CALL_BYTES: u64 = 128 << 10;

/// The port of a server where nobody gives one.
const PORT: &str = "5001";

fn given(block: &ToolBlock<'_>) -> Option<GivenOptions> {
    let words = block.command?.invocation(super::Iperf.programs())?;
    Some(GivenOptions::of(words, TABLE))
}

/// Whether the command is a client's; `None` where there is none that says so.
pub(super) fn is_client(block: &ToolBlock<'_>) -> Option<bool> {
    let given = given(block)?;
    (given.has("client") || given.has("server")).then(|| given.has("client"))
}

/// Whether the command has data go both ways, at once or in turn.
pub(super) fn is_both_ways(block: &ToolBlock<'_>) -> bool {
    let names = ["dualtest", "tradeoff", "full-duplex"];
    given(block).is_some_and(|given| names.iter().any(|name| given.has(name)))
}

/// Whether a command is a client's of this host, or does not say of which: a shell puts in its variables.
pub(super) fn is_to(command: &[String], host: &str) -> bool {
    let given = GivenOptions::of(command, TABLE);
    given.get("client").is_none_or(|client| is_host(client, host))
}

/// The port on which the server listens.
pub(super) fn port(block: &ToolBlock<'_>) -> String {
    let given = given(block);
    given.and_then(|given| given.get("port").map(str::to_owned)).unwrap_or_else(|| PORT.to_owned())
}

/// Fills in the options of a result, and the parameters of the same work where there is one.
pub(super) fn fill(result: &mut ToolResult, rows: &IperfRows) {
    if result.command.is_empty() {
        return;
    }
    let given = GivenOptions::of(&result.command, TABLE);
    result.options = given.options.clone();
    if rows.is_server || !given.are_among(KNOWN) || !given.operands.is_empty() {
        return;
    }
    if let Some(parameters) = parameters(&given, rows.is_late) {
        same_work(result, WorkloadName::new("net.stream"), parameters);
    }
}

/// The parameters of the same work; `None` where it is none of ours, or not all of it is known.
fn parameters(given: &GivenOptions, is_late: bool) -> Option<Vec<(&'static str, Value)>> {
    let is_udp = given.has("udp");
    let streams: u64 = given.get("parallel").map_or(Some(1), |streams| streams.parse().ok())?;
    let mut all: Vec<(&'static str, Value)> = vec![
        ("peer", peer(given.get("client")?).into()),
        ("protocol", if is_udp { "udp" } else { "tcp" }.into()),
        ("direction", if given.has("reverse") { "receive" } else { "send" }.into()),
        ("streams", streams.into()),
    ];
    // What is usual differs between versions before.
    let usual = (is_late && !is_udp).then_some(CALL_BYTES);
    let buffer = given.get("len").map_or(usual, size)?;
    all.push(("buffer", buffer.into()));
    if is_udp {
        // Before 2.0.14 multiples are of 1024 in some versions.
        let rate = size(given.get("bandwidth")?).filter(|_| is_late)?;
        all.push(("bit-rate", (rate.checked_mul(streams)? as f64).into()));
    } else {
        if given.has("bandwidth") {
            return None;
        }
        all.push(("nodelay", given.has("nodelay").into()));
        if let Some(control) = given.get("tcp-congestion") {
            all.push(("congestion", control.into()));
        }
    }
    if let Some(window) = given.get("window") {
        all.push(("window", size(window)?.into()));
    }
    match (given.get("num"), given.get("time")) {
        // Each connection moves so many.
        (Some(bytes), None) => all.push(("bytes", size(bytes)?.checked_mul(streams)?.into())),
        (None, seconds) => {
            let seconds: f64 = seconds.map_or(Some(10.0), |seconds| seconds.parse().ok())?;
            if seconds <= 0.0 {
                return None;
            }
            all.push(("duration", seconds.into()));
        }
        _ => return None,
    }
    Some(all)
}

/// A number with k, m, g of 1000, or K, M, G of 1024, as iperf 2 has them.
fn size(text: &str) -> Option<u64> {
    let (number, unit) = whole(text)?;
    let scale: u64 = match unit {
        "" => 1,
        "k" => 1000,
        "m" => 1_000_000,
        "g" => 1_000_000_000,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    number.checked_mul(scale)
}

/// The command that runs for so many seconds.
pub(super) fn corrected(command: &[String], seconds: &str) -> Vec<String> {
    set(&without(command, &BYTES), &TIME, seconds)
}

#[cfg(test)]
mod tests {
    use model::ParameterName;

    use super::*;

    fn read(command: &str, is_late: bool) -> Option<String> {
        let command = command.split(' ').map(str::to_owned).collect();
        let mut result = ToolResult { command, ..ToolResult::default() };
        fill(&mut result, &IperfRows { is_late, ..IperfRows::default() });
        result.workload?;
        let one = |(name, value): (ParameterName, &Value)| format!("{name}={value}");
        Some(result.parameters.iter().map(one).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn options_become_parameters_of_the_same_work() {
        assert_eq!(
            read("iperf -c 10.0.0.2 -P 4 -t 30 -i 1", true).as_deref(),
            Some("buffer=131072 direction=send duration=30 nodelay=no peer=10.0.0.2 protocol=tcp streams=4")
        );
        assert_eq!(
            read("iperf -c localhost -u -b 20m -l 1400 -t 2", true).as_deref(),
            Some("bit-rate=20000000 buffer=1400 direction=send duration=2 peer=self protocol=udp streams=1")
        );
    }

    #[test]
    fn what_is_not_all_known_is_no_work_of_ours() {
        assert_eq!(read("iperf -c h", false), None, "the buffer of early versions is not told");
        for command in
            ["iperf -c h -d", "iperf -c h -u", "iperf -c h --full-duplex", "iperf -c h -b 5m", "iperf -s"]
        {
            assert_eq!(read(command, true), None, "{command}");
        }
    }

    #[test]
    fn a_command_is_of_its_host() {
        let is_to = |command: &str| {
            let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
            is_to(&words, "10.0.0.2")
        };
        assert!(
            is_to("iperf -c 10.0.0.2 -t 1") && is_to("iperf -c 10.0.0.2%eth0") && is_to("iperf -c $HOST")
        );
        assert!(!is_to("iperf -c 10.0.0.3"));
    }

    #[test]
    fn the_command_runs_longer() {
        let words: Vec<String> = "iperf -c h -n 64M".split(' ').map(str::to_owned).collect();
        assert_eq!(corrected(&words, "30").join(" "), "iperf -c h -t 30");
    }
}
