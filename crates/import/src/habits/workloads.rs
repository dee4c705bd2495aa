//! Tools, and things that are measured, each with the workload that does the like.

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

/// The workload that does the like of a tool, or measures a thing, of this name.
#[must_use]
pub fn workload(theirs: &str) -> Option<&'static str> {
    WORKLOADS.iter().find(|(word, _)| *word == theirs).map(|(_, ours)| *ours)
}
