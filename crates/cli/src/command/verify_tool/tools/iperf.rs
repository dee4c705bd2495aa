//! iperf 2.

use super::{
    OldestVersion, ServerPlace, ServerProgram, TargetKind, VerifiedTool, VerifyPlan, VerifyServer, no_files,
    split,
};

/// The tool.
pub(super) const IPERF: VerifiedTool = VerifiedTool {
    program: "iperf",
    package: "iperf",
    doc: "the same, by iperf 2",
    oldest: Some(OldestVersion { option: "-v", numbers: (2, 0) }),
    target: TargetKind::Nothing,
    command: |plan| {
        let VerifyPlan { seconds, ports: [port, _], .. } = plan;
        split(&format!("iperf -c 127.0.0.1 -p {port} -t {seconds}"))
    },
    before: None,
    server: VerifyServer::Program(ServerProgram {
        program: "iperf",
        package: "iperf",
        // -P counts the clients of a server, with the last of which it ends.
        command: |plan| split(&format!("iperf -s -P 1 -B 127.0.0.1 -p {}", plan.ports[0])),
        files: no_files,
        place: ServerPlace::OneClient,
    }),
    differs: None,
};
