//! sysbench.

use super::{OldestVersion, TargetKind, VerifiedTool, VerifyServer, split};

/// The tool.
pub(super) const SYSBENCH: VerifiedTool = VerifiedTool {
    program: "sysbench",
    package: "sysbench",
    doc: "primes on one CPU",
    // The test stands before its options since then.
    oldest: Some(OldestVersion { option: "--version", numbers: (1, 0) }),
    target: TargetKind::Nothing,
    command: |plan| {
        split(&format!("sysbench cpu --cpu-max-prime=10000 --threads=1 --time={} run", plan.seconds))
    },
    before: None,
    server: VerifyServer::Nobody,
    differs: None,
};
