//! The tools that can be held against Headroom: one line each.

/// What is asked of both sides.
#[derive(Clone, Debug)]
pub(super) struct VerifyPlan {
    /// How long each time.
    pub(super) seconds: u32,
    /// A folder for files; empty where none are made.
    pub(super) folder: String,
    /// A port of the loopback interface.
    pub(super) port: u16,
}

/// One tool.
pub(super) struct VerifiedTool {
    /// Its program.
    pub(super) program: &'static str,
    /// What is compared, in a few words.
    pub(super) doc: &'static str,
    /// Whether it stores files.
    pub(super) stores: bool,
    /// Its command.
    pub(super) command: fn(&VerifyPlan) -> Vec<String>,
    /// What has to be done before the first time: it makes the files that are read.
    pub(super) before: Option<fn(&VerifyPlan) -> Vec<String>>,
    /// The command of its other end, which has to run meanwhile.
    pub(super) server: Option<fn(&VerifyPlan) -> Vec<String>>,
}

/// Every tool, in documentation order.
pub(super) const TOOLS: &[VerifiedTool] = &[
    VerifiedTool {
        program: "fio",
        doc: "random reads of 4 KiB, direct, one at a time",
        stores: true,
        command: |plan| {
            let VerifyPlan { seconds, folder, .. } = plan;
            let words = format!(
                "fio --name=verify --rw=randread --bs=4k --size=64M --ioengine=psync --direct=1 --numjobs=1 --time_based \
                 --runtime={seconds}"
            );
            split(&words).chain([format!("--directory={folder}")]).collect()
        },
        before: None,
        server: None,
    },
    VerifiedTool {
        program: "ioping",
        doc: "the same, whose rates leave out the time between two reads",
        stores: true,
        command: |plan| {
            let VerifyPlan { seconds, folder, .. } = plan;
            let words = format!("ioping -R -D -w {seconds} -s 4k -S 64m");
            split(&words).chain([folder.clone()]).collect()
        },
        before: None,
        server: None,
    },
    VerifiedTool {
        program: "dd",
        doc: "a file read from its beginning to its end, 1 MiB each time, direct",
        stores: true,
        command: |plan| {
            let words = "bs=1M iflag=direct of=/dev/null";
            ["dd".to_owned(), format!("if={}/verify", plan.folder)].into_iter().chain(split(words)).collect()
        },
        before: Some(|plan| {
            let words = "if=/dev/urandom bs=1M count=64 iflag=fullblock conv=fsync";
            ["dd".to_owned(), format!("of={}/verify", plan.folder)].into_iter().chain(split(words)).collect()
        }),
        server: None,
    },
    VerifiedTool {
        program: "sysbench",
        doc: "primes on one CPU",
        stores: false,
        command: |plan| {
            let seconds = plan.seconds;
            split(&format!("sysbench cpu --cpu-max-prime=10000 --threads=1 --time={seconds} run")).collect()
        },
        before: None,
        server: None,
    },
    VerifiedTool {
        program: "iperf3",
        doc: "one TCP connection over the loopback interface",
        stores: false,
        command: |plan| {
            let VerifyPlan { seconds, port, .. } = plan;
            split(&format!("iperf3 -c 127.0.0.1 -p {port} -t {seconds}")).collect()
        },
        before: None,
        // It ends with its first client.
        server: Some(|plan| split(&format!("iperf3 -s -1 -B 127.0.0.1 -p {}", plan.port)).collect()),
    },
    VerifiedTool {
        program: "iperf",
        doc: "the same, by iperf 2",
        stores: false,
        command: |plan| {
            let VerifyPlan { seconds, port, .. } = plan;
            split(&format!("iperf -c 127.0.0.1 -p {port} -t {seconds}")).collect()
        },
        before: None,
        // So does this one: -P counts the clients of a server.
        server: Some(|plan| split(&format!("iperf -s -P 1 -B 127.0.0.1 -p {}", plan.port)).collect()),
    },
];

fn split(words: &str) -> impl Iterator<Item = String> {
    words.split_whitespace().map(str::to_owned).collect::<Vec<_>>().into_iter()
}
