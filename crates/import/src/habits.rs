//! Options, values and metrics of other tools that are typed out of habit on the command line of this one, for loads of every
//! kind: what they are called here. Those of fio's job files and of tools for databases have files of their own
//! ([`crate::fio::command_line`], [`crate::database_options`]). Sources: the manuals of sysbench 1.0, iperf3 3.12, netperf
//! 2.7, wrk 4.1, wrk2, ab 2.4, hey 0.1 and hdparm 9.65.

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

/// Values that have another name here: of which option, their word, ours.
pub const VALUES: &[(&str, &str, &str)] = &[
    ("pattern", "rand", "randread"),
    ("pattern", "random", "randread"),
    ("pattern", "rnd", "randread"),
    ("pattern", "rndrd", "randread"),
    ("pattern", "rndwr", "randwrite"),
    ("pattern", "rndrw", "randrw"),
    ("pattern", "random-read", "randread"),
    ("pattern", "random-write", "randwrite"),
    ("pattern", "randomread", "randread"),
    ("pattern", "randomwrite", "randwrite"),
    ("pattern", "seq", "read"),
    ("pattern", "sequential", "read"),
    ("pattern", "seqrd", "read"),
    ("pattern", "seqread", "read"),
    ("pattern", "seqwr", "write"),
    ("pattern", "seqwrite", "write"),
    ("pattern", "seqrewr", "write"),
    ("pattern", "mixed", "randrw"),
    ("pattern", "mix", "randrw"),
    ("engine", "uring", "io_uring"),
    ("engine", "io-uring", "io_uring"),
    ("engine", "iouring", "io_uring"),
    ("direction", "download", "receive"),
    ("direction", "upload", "send"),
    ("direction", "reverse", "receive"),
    ("direction", "bidirectional", "both"),
    ("start", "mysql", "mariadb"),
    ("start", "postgresql", "postgres"),
    ("start", "pg", "postgres"),
    ("access", "seq", "sequential"),
    ("access", "rnd", "random"),
    ("access", "rand", "random"),
];

/// Metrics that have another name here: their word, and ours with those that come first first.
const METRICS: &[(&str, &[&str])] = &[
    ("bw", &["throughput"]),
    ("bandwidth", &["throughput"]),
    ("mbps", &["throughput"]),
    ("mb/s", &["throughput"]),
    ("speed", &["throughput", "events_per_second", "operations_per_second"]),
    ("goodput", &["throughput"]),
    ("rate", &["throughput", "iops", "operations_per_second", "events_per_second"]),
    ("io/s", &["iops"]),
    ("iops", &["operations_per_second", "events_per_second"]),
    ("ops", &["operations_per_second", "iops", "events_per_second"]),
    ("ops/s", &["operations_per_second", "iops", "events_per_second"]),
    ("events", &["events_per_second"]),
    ("lat", &["latency_p99", "load_latency", "rtt"]),
    ("latency", &["latency_p99", "load_latency", "rtt"]),
    ("clat", &["latency_p99"]),
    ("slat", &["submit_latency_p99"]),
    ("avg", &["latency_p50"]),
    ("mean", &["latency_p50"]),
    ("median", &["latency_p50"]),
    ("min", &["latency_p50"]),
    ("max", &["latency_max"]),
    ("p50", &["latency_p50"]),
    ("p90", &["latency_p90"]),
    ("p95", &["latency_p99", "latency_p90"]),
    ("p99", &["latency_p99"]),
    ("p999", &["latency_p99_9", "latency_p99"]),
    ("p99.9", &["latency_p99_9", "latency_p99"]),
    ("rps", &["requests_per_second"]),
    ("req/s", &["requests_per_second"]),
    ("requests", &["requests_per_second"]),
    ("tps", &["transactions_per_second"]),
    ("qps", &["queries_per_second", "requests_per_second"]),
    ("pps", &["packets_per_second"]),
    ("retr", &["retransmits"]),
    ("retries", &["retransmits", "retries_per_second"]),
    ("lost", &["loss"]),
    ("packet_loss", &["loss"]),
    ("ping", &["latency_p50", "rtt"]),
    ("errors", &["error_share"]),
    ("cpu", &["cpu_per_operation", "cpu_per_byte"]),
    ("fsync", &["sync_latency_p99"]),
    ("fsync_latency", &["sync_latency_p99"]),
];

/// Tools and things that are measured, and the workload that does the like.
pub const WORKLOADS: &[(&str, &str)] = &[
    ("ab", "http.requests"),
    ("apache", "http.requests"),
    ("bandwidth", "net.stream"),
    ("bonnie++", "disk"),
    ("coremark", "cpu.primes"),
    ("database", "db.oltp"),
    ("dd", "disk"),
    ("fio", "disk"),
    ("geekbench", "cpu.primes"),
    ("hdd", "disk"),
    ("hdparm", "disk"),
    ("hey", "http.requests"),
    ("io", "disk"),
    ("ioping", "disk"),
    ("iozone", "disk"),
    ("iperf", "net.stream"),
    ("iperf3", "net.stream"),
    ("latency", "net.pingpong"),
    ("mariadb", "db.oltp"),
    ("mbw", "memory.bandwidth"),
    ("mysql", "db.oltp"),
    ("mysqlslap", "db.slap"),
    ("netperf", "net.stream"),
    ("network", "net.stream"),
    ("nginx", "http.requests"),
    ("nuttcp", "net.stream"),
    ("openssl", "cpu.crypto"),
    ("pgbench", "db.tpcb"),
    ("ping", "net.pingpong"),
    ("postgres", "db.oltp"),
    ("postgresql", "db.oltp"),
    ("qperf", "net.pingpong"),
    ("ram", "memory.bandwidth"),
    ("s3", "object.get"),
    ("speedtest", "net.stream"),
    ("sql", "db.oltp"),
    ("ssd", "disk"),
    ("storage", "disk"),
    ("stream", "memory.bandwidth"),
    ("stress-ng", "cpu.primes"),
    ("sysbench", "cpu.primes"),
    ("unixbench", "cpu.primes"),
    ("web", "http.requests"),
    ("wrk", "http.requests"),
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

/// What a value is here, of the option that is called `name` here.
#[must_use]
pub fn value(name: &str, theirs: &str) -> Option<&'static str> {
    VALUES.iter().find(|(of, value, _)| *of == name && *value == theirs).map(|(_, _, ours)| *ours)
}

/// Commands of other tools, and what is typed here.
const COMMANDS: &[(&str, &str)] = &[
    ("bench", "run"),
    ("benchmark", "run"),
    ("client", "run net.stream --peer"),
    ("cmp", "compare"),
    ("daemon", "node"),
    ("delete", "rm"),
    ("diff", "compare"),
    ("hardware", "machine"),
    ("health", "doctor"),
    ("history", "list"),
    ("info", "machine"),
    ("inventory", "machine"),
    ("ls", "list"),
    ("measure", "run"),
    ("plan", "run NAME --dry-run"),
    ("remove", "rm"),
    ("runs", "list"),
    ("serve", "node"),
    ("server", "node"),
    ("start", "run"),
    ("test", "run"),
    ("version", "--version"),
    ("view", "show"),
];

/// The command of Headroom that does what another tool calls so.
#[must_use]
pub fn command(theirs: &str) -> Option<&'static str> {
    COMMANDS.iter().find(|(word, _)| *word == theirs).map(|(_, ours)| *ours)
}

/// The workload that does the like of a tool, or measures a thing, of this name.
#[must_use]
pub fn workload(theirs: &str) -> Option<&'static str> {
    WORKLOADS.iter().find(|(word, _)| *word == theirs).map(|(_, ours)| *ours)
}

/// What a metric is here, of those that `has` knows.
#[must_use]
pub fn metric(theirs: &str, has: impl Fn(&str) -> bool) -> Option<&'static str> {
    let theirs = theirs.to_lowercase();
    let (_, ours) = METRICS.iter().find(|(word, _)| *word == theirs)?;
    ours.iter().copied().find(|name| has(name))
}

/// What is to be typed in place of an operand of dd, such as `bs=1M` or `of=/data/x`, without dashes.
#[must_use]
pub fn operand(typed: &str) -> Option<String> {
    let (name, value) = typed.split_once('=').filter(|(name, _)| !name.starts_with('-'))?;
    let ours = match name {
        "of" | "if" if !value.starts_with("/dev/zero") && !value.starts_with("/dev/null") => {
            format!("--target {value}")
        }
        "bs" => format!("--block-size {value}"),
        "count" => format!("--requests {value}"),
        "oflag" | "iflag" if value.contains("direct") => "--direct yes".to_owned(),
        "conv" if value.contains("sync") => "--sync fsync".to_owned(),
        "if" | "of" | "oflag" | "iflag" | "conv" => return Some("leave it out".to_owned()),
        _ => format!("--{name} {value}"),
    };
    Some(format!("options have two dashes here: `{ours}`"))
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
    fn a_metric_is_told_where_there_is_one() {
        assert_eq!(metric("bw", |name| name == "throughput"), Some("throughput"));
        assert_eq!(metric("IOPS", |name| name == "operations_per_second"), Some("operations_per_second"));
        assert_eq!(metric("lat", |name| name == "load_latency"), Some("load_latency"));
        assert_eq!(metric("bw", |_| false), None);
        assert_eq!(metric("throughput", |_| true), None);
    }

    #[test]
    fn operands_of_dd_are_options_here() {
        for (typed, told) in [
            ("bs=1M", "options have two dashes here: `--block-size 1M`"),
            ("of=/data/x", "options have two dashes here: `--target /data/x`"),
            ("if=/dev/zero", "leave it out"),
            ("oflag=direct", "options have two dashes here: `--direct yes`"),
            ("conv=fdatasync", "options have two dashes here: `--sync fsync`"),
            ("threads=4", "options have two dashes here: `--threads 4`"),
        ] {
            assert_eq!(operand(typed).as_deref(), Some(told));
        }
        assert_eq!(operand("--bs=4k"), None);
        assert_eq!(operand("disk"), None);
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
        for (at, (of, theirs, _)) in VALUES.iter().enumerate() {
            assert!(VALUES[..at].iter().all(|(o, t, _)| (o, t) != (of, theirs)), "{of}={theirs}");
        }
    }
}
