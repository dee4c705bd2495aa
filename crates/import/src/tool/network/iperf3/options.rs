//! Options of iperf3, as far as they say what work was done.

use model::tool_result::ToolResult;
use model::{Value, WorkloadName};

use super::run::Iperf3Run;
use crate::tool::network::given::{GivenOptions, OptionSpec, binary_size, decimal_rate, set, without};
use crate::tool::network::{is_host, peer};
use crate::tool::work::same_work;

const TIME: OptionSpec = OptionSpec::value(Some('t'), "time");
const BYTES: OptionSpec = OptionSpec::value(Some('n'), "bytes");
const BLOCKS: OptionSpec = OptionSpec::value(Some('k'), "blockcount");
const SERVER_OUTPUT: OptionSpec = OptionSpec::flag(None, "get-server-output");

/// Options of a client.
const TABLE: &[OptionSpec] = &[
    OptionSpec::value(Some('c'), "client"),
    OptionSpec::value(Some('p'), "port"),
    TIME,
    BYTES,
    BLOCKS,
    SERVER_OUTPUT,
    OptionSpec::value(Some('P'), "parallel"),
    OptionSpec::flag(Some('u'), "udp"),
    OptionSpec::value(Some('b'), "bitrate").or("bandwidth"),
    OptionSpec::value(Some('l'), "length"),
    OptionSpec::value(Some('w'), "window"),
    OptionSpec::flag(Some('R'), "reverse"),
    OptionSpec::flag(None, "bidir"),
    OptionSpec::value(Some('O'), "omit"),
    OptionSpec::value(Some('i'), "interval"),
    OptionSpec::value(Some('f'), "format"),
    OptionSpec::flag(Some('J'), "json"),
    OptionSpec::flag(None, "json-stream"),
    OptionSpec::flag(Some('V'), "verbose"),
    OptionSpec::flag(None, "timestamps"),
    OptionSpec::flag(Some('4'), "version4"),
    OptionSpec::flag(Some('6'), "version6"),
    OptionSpec::flag(Some('N'), "no-delay"),
    OptionSpec::value(Some('C'), "congestion").or("linux-congestion"),
    OptionSpec::flag(Some('Z'), "zerocopy"),
    OptionSpec::value(None, "logfile"),
    OptionSpec::flag(None, "forceflush"),
    OptionSpec::value(None, "connect-timeout"),
    OptionSpec::value(Some('T'), "title"),
    OptionSpec::value(Some('B'), "bind"),
    OptionSpec::value(Some('A'), "affinity"),
    OptionSpec::value(Some('M'), "set-mss"),
    OptionSpec::value(Some('S'), "tos"),
    OptionSpec::value(None, "dscp"),
    OptionSpec::value(Some('L'), "flowlabel"),
    OptionSpec::value(None, "fq-rate"),
    OptionSpec::value(Some('F'), "file"),
    OptionSpec::value(None, "cport"),
    OptionSpec::value(None, "extra-data"),
    OptionSpec::flag(Some('d'), "debug"),
    OptionSpec::flag(Some('s'), "server"),
    OptionSpec::flag(Some('1'), "one-off"),
    OptionSpec::flag(Some('D'), "daemon"),
];

/// Those that change nothing of the work, or that [`parameters`] reads.
const KNOWN: &[&str] = &[
    "bidir",
    "bitrate",
    "bytes",
    "client",
    "congestion",
    "connect-timeout",
    "extra-data",
    "forceflush",
    "format",
    "get-server-output",
    "interval",
    "json",
    "json-stream",
    "length",
    "logfile",
    "no-delay",
    "omit",
    "parallel",
    "port",
    "reverse",
    "time",
    "timestamps",
    "title",
    "udp",
    "verbose",
    "version4",
    "version6",
    "window",
    "zerocopy",
];

/// The bytes of a call over TCP where nobody gives them: `DEFAULT_TCP_BLKSIZE` in `iperf_api.h`.
const CALL_BYTES: u64 = 128 << 10;

/// Fills in the options of a result, and the parameters of the same work where there is one.
pub(super) fn fill(result: &mut ToolResult, run: &Iperf3Run) {
    result.options.clone_from(&run.options);
    if result.command.is_empty() {
        return;
    }
    let given = GivenOptions::of(&result.command, TABLE);
    result.options.extend(given.options.clone());
    if run.is_server || !given.are_among(KNOWN) || !given.operands.is_empty() {
        return;
    }
    if let Some(parameters) = parameters(&given, run) {
        same_work(result, WorkloadName::new("net.stream"), parameters);
    }
}

/// The parameters of the same work; `None` where it is none of ours, or not all of it is known.
fn parameters(given: &GivenOptions, run: &Iperf3Run) -> Option<Vec<(&'static str, Value)>> {
    let number = |name: &str, usual: u64| given.get(name).map_or(Some(usual), |value| value.parse().ok());
    let is_udp = given.has("udp");
    let streams = number("parallel", 1)?;
    let direction = match (given.has("reverse"), given.has("bidir")) {
        (false, false) => "send",
        (true, false) => "receive",
        (false, true) => "both",
        (true, true) => return None,
    };
    let mut all: Vec<(&'static str, Value)> = vec![
        ("peer", peer(given.get("client")?).into()),
        ("protocol", if is_udp { "udp" } else { "tcp" }.into()),
        ("direction", direction.into()),
        ("streams", streams.into()),
    ];
    // Until 3.15 one thread serves all connections; who does not tell its version leaves that open.
    if streams > 1 || direction == "both" {
        match (minor(run.version.as_deref()?)? < 16, direction, is_udp) {
            (true, "both", _) | (true, _, true) => return None,
            (true, ..) => all.push(("threads", 1u64.into())),
            (false, ..) => {}
        }
    }
    let buffer = given.get("length").map(binary_size);
    if is_udp {
        // Without either it is what the path's segments hold.
        all.push(("buffer", buffer.unwrap_or(run.block_size)?.into()));
        let rate = given.get("bitrate").map_or(Some(1e6), decimal_rate)?;
        if rate > 0.0 {
            all.push(("bit-rate", (rate * streams as f64).into()));
        }
    } else {
        let buffer = buffer.unwrap_or(Some(CALL_BYTES))?;
        all.extend([("buffer", buffer.into()), ("read-buffer", buffer.into())]);
        all.push(("nodelay", given.has("no-delay").into()));
        all.push(("zero-copy", given.has("zerocopy").into()));
        if let Some(control) = given.get("congestion") {
            all.push(("congestion", control.into()));
        }
        // It sends what the path takes there.
        if given.has("bitrate") {
            return None;
        }
    }
    if let Some(window) = given.get("window") {
        all.push(("window", binary_size(window)?.into()));
    }
    match (given.get("bytes"), given.get("time")) {
        (Some(bytes), None) => all.push(("bytes", binary_size(bytes)?.into())),
        (None, seconds) => {
            let seconds: f64 = seconds.map_or(Some(10.0), |seconds| seconds.parse().ok())?;
            if seconds <= 0.0 {
                return None;
            }
            all.push(("duration", seconds.into()));
        }
        // It ends by whichever comes first.
        _ => return None,
    }
    Some(all)
}

/// Whether a command is a client's of this host, or does not say of which.
pub(super) fn is_to(command: &[String], host: &str) -> bool {
    let given = GivenOptions::of(command, TABLE);
    given.get("client").is_none_or(|client| is_host(client, host))
}

/// 12 of `3.12`, 1 of `3.1.3`.
fn minor(version: &str) -> Option<u64> {
    crate::tool::number::whole(version.strip_prefix("3.")?).map(|(minor, _)| minor)
}

/// The command that runs for so many seconds, and tells what the receiver measured in its intervals.
pub(super) fn corrected(command: &[String], seconds: Option<&str>, receiver: bool) -> Vec<String> {
    let mut words = command.to_vec();
    if let Some(seconds) = seconds {
        words = set(&without(&without(&words, &BYTES), &BLOCKS), &TIME, seconds);
    }
    if receiver && !GivenOptions::of(&words, TABLE).has(SERVER_OUTPUT.name) {
        words.push(format!("--{}", SERVER_OUTPUT.name));
    }
    words
}

#[cfg(test)]
mod tests {
    use model::ParameterName;

    use super::*;

    fn read(command: &str, version: Option<&str>) -> Option<String> {
        let command = command.split(' ').map(str::to_owned).collect();
        let mut result = ToolResult { command, ..ToolResult::default() };
        let run = Iperf3Run { version: version.map(str::to_owned), ..Iperf3Run::default() };
        fill(&mut result, &run);
        result.workload?;
        let one = |(name, value): (ParameterName, &Value)| format!("{name}={value}");
        Some(result.parameters.iter().map(one).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn options_become_parameters_of_the_same_work() {
        assert_eq!(
            read("iperf3 -c 10.0.0.2 -t 30 -R -w 4M -V", None).as_deref(),
            Some(
                "buffer=131072 direction=receive duration=30 nodelay=no peer=10.0.0.2 protocol=tcp read-buffer=131072 \
                 streams=1 window=4194304 zero-copy=no"
            )
        );
        assert_eq!(
            read("iperf3 -c localhost -u -b 50M -l 1400 -n 1M", None).as_deref(),
            Some(
                "bit-rate=50000000 buffer=1400 bytes=1048576 direction=send peer=self protocol=udp streams=1"
            )
        );
        assert!(read("iperf3 -c h -P 4", Some("3.12")).unwrap().ends_with("threads=1 zero-copy=no"));
        assert!(!read("iperf3 -c h -P 4", Some("3.17.1")).unwrap().contains("threads"));
    }

    #[test]
    fn what_is_not_all_known_is_no_work_of_ours() {
        for command in [
            "iperf3 -c h -P 4",
            "iperf3 -c h --bidir",
            "iperf3 -c h -b 10M",
            "iperf3 -c h -A 2",
            "iperf3 -c h -u",
            "iperf3 -c h -t 5 -n 1M",
            "iperf3 -c h --new-option",
            "iperf3 -t 5",
        ] {
            assert_eq!(read(command, None), None, "{command}");
        }
    }

    #[test]
    fn the_command_gets_what_it_lacks() {
        let words: Vec<String> = "iperf3 -c h -n 1G -t3".split(' ').map(str::to_owned).collect();
        assert_eq!(corrected(&words, Some("30"), true).join(" "), "iperf3 -c h -t 30 --get-server-output");
    }
}
