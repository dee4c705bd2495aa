//! iperf3.

use super::{
    OldestVersion, ServerPlace, ServerProgram, TargetKind, VerifiedTool, VerifyPlan, VerifyServer, no_files,
    split,
};

/// The tool.
pub(super) const IPERF3: VerifiedTool = VerifiedTool {
    program: "iperf3",
    package: "iperf3",
    doc: "one TCP connection over the loopback interface",
    oldest: Some(OldestVersion { option: "--version", numbers: (3, 0) }),
    target: TargetKind::Nothing,
    command: |plan| {
        let VerifyPlan { seconds, ports: [port, _], .. } = plan;
        split(&format!("iperf3 -c 127.0.0.1 -p {port} -t {seconds}"))
    },
    before: None,
    server: VerifyServer::Program(ServerProgram {
        program: "iperf3",
        package: "iperf3",
        // It ends with its first client.
        command: |plan| split(&format!("iperf3 -s -1 -B 127.0.0.1 -p {}", plan.ports[0])),
        files: no_files,
        place: ServerPlace::OneClient,
    }),
    differs: None,
};
