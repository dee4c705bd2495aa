//! nuttcp.

use super::{
    OldestVersion, ServerPlace, ServerProgram, TargetKind, VerifiedTool, VerifyPlan, VerifyServer, no_files,
    split,
};

/// The tool.
pub(super) const NUTTCP: VerifiedTool = VerifiedTool {
    program: "nuttcp",
    package: "nuttcp",
    doc: "the same, by nuttcp, in a network namespace of its own (root)",
    oldest: Some(OldestVersion { option: "-V", numbers: (6, 0) }),
    target: TargetKind::Nothing,
    command: |plan| {
        let VerifyPlan { seconds, ports: [control, data], .. } = plan;
        split(&format!("nuttcp -4 -P{control} -p{data} -T{seconds} 127.0.0.1"))
    },
    before: None,
    server: VerifyServer::Program(ServerProgram {
        program: "nuttcp",
        package: "nuttcp",
        // It has no option for the address.
        command: |plan| split(&format!("nuttcp -4 -S --nofork -P{}", plan.ports[0])),
        files: no_files,
        place: ServerPlace::Namespace,
    }),
    differs: None,
};

#[cfg(test)]
mod tests {
    use super::super::tests::same_work;
    use super::*;

    #[test]
    fn what_it_prints_is_work_of_a_load() {
        let printed = " 4973.1875 MB /   2.00 sec = 20857.5585 Mbps 36 %TX 31 %RX 0 retrans 0.10 msRTT\n";
        assert_eq!(
            same_work(&NUTTCP, printed).as_deref(),
            Some(
                "net.stream buffer=65536 direction=send duration=2 nodelay=no peer=self protocol=tcp read-buffer=65536 \
                 streams=1"
            )
        );
    }
}
