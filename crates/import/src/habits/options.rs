//! Options of other tools, by area, and what is typed here in their place.

/// An option that has another name here.
struct Renamed {
    /// As it is typed, without dashes and with `-` between its words.
    theirs: &'static str,
    ours: &'static str,
    /// Whose it is; empty where nobody's in particular.
    tool: &'static str,
}

const fn renamed(theirs: &'static str, ours: &'static str, tool: &'static str) -> Renamed {
    Renamed { theirs, ours, tool }
}

/// Words of one area: those with another name, and those for which something else is typed.
struct Area {
    /// How the names of its workloads begin; empty for all.
    begins: &'static str,
    renamed: &'static [Renamed],
    otherwise: &'static [(&'static str, &'static str)],
}

/// Every area; the general one comes last.
const AREAS: &[Area] = &[
    Area {
        begins: "net.",
        renamed: &[
            renamed("c", "peer", "iperf3"),
            renamed("client", "peer", "iperf3"),
            renamed("host", "peer", ""),
            renamed("H", "peer", "netperf"),
            renamed("t", "duration", "iperf3"),
            renamed("P", "streams", "iperf3"),
            renamed("parallel", "streams", "iperf3"),
            renamed("w", "window", "iperf3"),
            renamed("b", "bit-rate", "iperf3"),
            renamed("bitrate", "bit-rate", "iperf3"),
            renamed("bandwidth", "bit-rate", "iperf3"),
            renamed("n", "bytes", "iperf3"),
            renamed("num", "bytes", "iperf3"),
            renamed("O", "warm-up", "iperf3"),
            renamed("omit", "warm-up", "iperf3"),
            renamed("C", "congestion", "iperf3"),
            renamed("N", "nodelay", "iperf3"),
            renamed("no-delay", "nodelay", "iperf3"),
            renamed("Z", "zero-copy", "iperf3"),
            renamed("zerocopy", "zero-copy", "iperf3"),
            renamed("S", "dscp", "iperf3"),
            renamed("tos", "dscp", "iperf3"),
            renamed("B", "local-address", "iperf3"),
            renamed("bind", "local-address", "iperf3"),
            renamed("A", "pin", "iperf3"),
            renamed("affinity", "pin", "iperf3"),
            renamed("l", "buffer", "iperf3"),
            renamed("len", "buffer", "iperf3"),
            renamed("length", "buffer", "iperf3"),
            renamed("l", "message-size", "iperf3"),
            renamed("len", "message-size", "iperf3"),
            renamed("length", "message-size", "iperf3"),
        ],
        otherwise: &[
            ("s", "`headroom node`, typed on the other machine, waits for runs and prints what --peer takes"),
            (
                "server",
                "`headroom node`, typed on the other machine, waits for runs and prints what --peer takes",
            ),
            ("p", "the port stands in what --peer takes, which `headroom node` prints on the other machine"),
            (
                "port",
                "the port stands in what --peer takes, which `headroom node` prints on the other machine",
            ),
            ("u", "`--protocol udp` sends datagrams"),
            ("udp", "`--protocol udp` sends datagrams"),
            ("R", "`--direction receive` has the other end send"),
            ("reverse", "`--direction receive` has the other end send"),
            ("d", "`--direction both` sends both ways at once"),
            ("bidir", "`--direction both` sends both ways at once"),
            ("dualtest", "`--direction both` sends both ways at once"),
            ("4", "leave it out: the address in what --peer takes says it"),
            ("6", "leave it out: the address in what --peer takes says it"),
        ],
    },
    Area {
        begins: "http.",
        renamed: &[
            renamed("c", "connections", "wrk"),
            renamed("t", "threads", "wrk"),
            renamed("d", "duration", "wrk"),
            renamed("z", "duration", "hey"),
            renamed("n", "requests", "ab"),
            renamed("R", "rate", "wrk2"),
            renamed("q", "rate", "hey"),
            renamed("concurrency", "connections", "ab"),
            renamed("H", "headers", "wrk"),
            renamed("header", "headers", "wrk"),
            renamed("k", "keep-alive", "ab"),
            renamed("X", "method", "curl"),
            renamed("m", "method", "hey"),
            renamed("request", "method", "curl"),
        ],
        otherwise: &[("latency", "leave it out: percentiles of the latency are always there")],
    },
    Area {
        begins: "",
        renamed: &[
            renamed("file-test-mode", "pattern", "sysbench"),
            renamed("file-total-size", "size", "sysbench"),
            renamed("file-block-size", "block-size", "sysbench"),
            renamed("file-num", "files", "sysbench"),
            renamed("file-io-mode", "engine", "sysbench"),
            renamed("file-fsync-freq", "sync-every", "sysbench"),
            renamed("file-rw-ratio", "read-share", "sysbench"),
            renamed("memory-block-size", "block-size", "sysbench"),
            renamed("memory-total-size", "bytes", "sysbench"),
            renamed("memory-oper", "operation", "sysbench"),
            renamed("memory-access-mode", "access", "sysbench"),
            renamed("memory-scope", "scope", "sysbench"),
            renamed("cpu-max-prime", "max-prime", "sysbench"),
            renamed("thread-yields", "yields", "sysbench"),
            renamed("thread-locks", "mutexes", "sysbench"),
            renamed("mutex-num", "mutexes", "sysbench"),
            renamed("mutex-locks", "acquisitions", "sysbench"),
            renamed("mutex-loops", "count-to", "sysbench"),
            renamed("num-threads", "threads", "sysbench"),
            renamed("time", "duration", "sysbench"),
            renamed("max-time", "duration", "sysbench"),
            renamed("seconds", "duration", ""),
            renamed("timeout", "duration", ""),
            renamed("events", "requests", "sysbench"),
            renamed("max-requests", "requests", "sysbench"),
            renamed("number-ios", "requests", "fio"),
            renamed("count", "requests", ""),
            renamed("operations", "requests", ""),
            renamed("io-size", "bytes", "fio"),
            renamed("warmup", "warm-up", ""),
            renamed("warmup-time", "warm-up", "sysbench"),
            renamed("runs", "trials", "hyperfine"),
            renamed("repeat", "trials", ""),
            renamed("repetitions", "trials", ""),
            renamed("iterations", "trials", ""),
            renamed("operation", "pattern", ""),
            renamed("mode", "pattern", ""),
            renamed("workload", "pattern", ""),
            renamed("qd", "queue-depth", ""),
            renamed("depth", "queue-depth", ""),
            renamed("jobs", "threads", "fio"),
            renamed("workers", "threads", ""),
            renamed("cpus-allowed", "pin", "fio"),
            renamed("path", "target", ""),
            renamed("dir", "target", ""),
            renamed("file", "target", ""),
            renamed("device", "target", ""),
            renamed("disk", "target", ""),
            renamed("report-interval", "lines", "sysbench"),
            renamed("status-interval", "lines", "fio"),
            renamed("interval-lines", "lines", ""),
            renamed("i", "lines", "iperf3"),
            renamed("J", "json", "iperf3"),
            renamed("write-iops-log", "log-operations", "fio"),
            renamed("write-lat-log", "log-operations", "fio"),
            renamed("write-bw-log", "lines", "fio"),
        ],
        otherwise: &[
            ("file-extra-flags", "`--direct yes` goes around the page cache (O_DIRECT)"),
            ("percentile", "leave it out: percentiles of the latency are always there"),
            ("histogram", "leave it out: the page has the distribution of the latency"),
            ("validate", "`--verify yes` reads back what was written, where a workload has it"),
            ("quiet", "`2>/dev/null` leaves the progress out"),
            (
                "format",
                "`-o FILE` writes a page: .html, .md, .csv or .json; `--json` prints the run document",
            ),
            ("output-file", "`-o FILE` writes a page: .html, .md, .csv or .json"),
            ("csv", "`-o FILE.csv` writes a table"),
            ("html", "`-o FILE.html` writes a page"),
            ("size-per-thread", "`--size` is of all threads together"),
        ],
    },
];

/// What an option is here that was typed with its dashes, for a workload, which takes some options: `takes` says which.
#[must_use]
pub fn option(typed: &str, workload: &str, takes: impl Fn(&str) -> bool) -> Option<String> {
    let bare = typed.trim_start_matches('-');
    let name = bare.replace('_', "-");
    let is_short = !typed.starts_with("--");
    // A letter is none of the long names, and the reverse.
    if name.is_empty() || is_short != (name.len() == 1) {
        return None;
    }
    if !is_short && name != bare && takes(&name) {
        return Some(format!("did you mean `--{name}`?"));
    }
    let mut own = AREAS.iter().filter(|area| workload.starts_with(area.begins));
    own.find_map(|area| of_area(area, &name, bare, &takes))
}

fn of_area(area: &Area, name: &str, typed: &str, takes: &impl Fn(&str) -> bool) -> Option<String> {
    let found = area.renamed.iter().find(|one| one.theirs == name && takes(one.ours));
    if let Some(Renamed { ours, tool, .. }) = found {
        let whose =
            if tool.is_empty() { String::new() } else { format!(" That is what {tool} calls {typed}") };
        return Some(format!("did you mean `--{ours}`?{whose}"));
    }
    let (_, help) = area.otherwise.iter().find(|(theirs, _)| *theirs == name)?;
    Some((*help).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_told_where_the_load_has_what_it_means() {
        let of =
            |typed: &str, workload: &str, has: &[&str]| option(typed, workload, |name| has.contains(&name));
        for (typed, workload, has, told) in [
            ("-P", "net.stream", &["streams"][..], "did you mean `--streams`? That is what iperf3 calls P"),
            (
                "-t",
                "net.stream",
                &["duration", "threads"],
                "did you mean `--duration`? That is what iperf3 calls t",
            ),
            (
                "-t",
                "http.requests",
                &["duration", "threads"],
                "did you mean `--threads`? That is what wrk calls t",
            ),
            (
                "-l",
                "net.pingpong",
                &["message-size"],
                "did you mean `--message-size`? That is what iperf3 calls l",
            ),
            (
                "--file_test_mode",
                "disk",
                &["pattern"],
                "did you mean `--pattern`? That is what sysbench calls file_test_mode",
            ),
            ("--operation", "disk", &["pattern"], "did you mean `--pattern`?"),
            ("--block_size", "disk", &["block-size"], "did you mean `--block-size`?"),
            ("-R", "net.stream", &[], "`--direction receive` has the other end send"),
        ] {
            assert_eq!(of(typed, workload, has).as_deref(), Some(told), "{typed} {workload}");
        }
        for (typed, workload) in
            [("-P", "disk"), ("--P", "net.stream"), ("--operation", "disk"), ("-", "disk"), ("--", "disk")]
        {
            assert_eq!(of(typed, workload, &["duration"]), None, "{typed}");
        }
    }

    #[test]
    fn each_word_of_an_area_has_one_meaning() {
        for area in AREAS {
            for (at, one) in area.renamed.iter().enumerate() {
                let is_same = |other: &Renamed| (other.theirs, other.ours) == (one.theirs, one.ours);
                assert!(one.theirs != one.ours && !area.renamed[..at].iter().any(is_same), "{}", one.theirs);
                assert!(area.otherwise.iter().all(|(theirs, _)| *theirs != one.theirs), "{}", one.theirs);
            }
        }
    }
}
