//! netperf.

use super::{
    OldestVersion, ServerPlace, ServerProgram, TargetKind, VerifiedTool, VerifyPlan, VerifyServer, no_files,
    split,
};

/// The tool.
pub(super) const NETPERF: VerifiedTool = VerifiedTool {
    program: "netperf",
    package: "netperf",
    doc: "the same, by netperf (TCP_STREAM)",
    oldest: Some(OldestVersion { option: "-V", numbers: (2, 5) }),
    target: TargetKind::Nothing,
    command: |plan| {
        let VerifyPlan { seconds, ports: [port, _], .. } = plan;
        split(&format!("netperf -4 -H 127.0.0.1 -p {port} -l {seconds} -t TCP_STREAM"))
    },
    before: None,
    server: VerifyServer::Program(ServerProgram {
        program: "netserver",
        package: "netperf",
        // -D and -f: one process in the foreground, which serves one client after the other; -N: no file of what it does.
        command: |plan| split(&format!("netserver -D -f -N -4 -L 127.0.0.1 -p {}", plan.ports[0])),
        files: no_files,
        place: ServerPlace::Loopback,
    }),
    differs: None,
};

#[cfg(test)]
mod tests {
    use super::super::tests::same_work;
    use super::*;

    #[test]
    fn what_it_prints_is_work_of_a_load() {
        let printed = "MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 127.0.0.1 () port 0 AF_INET\n\
                       Recv   Send    Send                          \n\
                       Socket Socket  Message  Elapsed              \n\
                       Size   Size    Size     Time     Throughput  \n\
                       bytes  bytes   bytes    secs.    10^6bits/sec  \n\n\
                       131072  16384  16384    2.00     11787.44   \n";
        assert_eq!(
            same_work(&NETPERF, printed).as_deref(),
            Some(
                "net.stream buffer=16384 direction=send duration=2 nodelay=no peer=self protocol=tcp read-buffer=131072 \
                 streams=1"
            )
        );
    }
}
