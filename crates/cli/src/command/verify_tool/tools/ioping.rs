//! ioping.

use super::{OldestVersion, TargetKind, VerifiedTool, VerifyPlan, VerifyServer, split};

/// The tool.
pub(super) const IOPING: VerifiedTool = VerifiedTool {
    program: "ioping",
    package: "ioping",
    doc: "the same, whose rates leave out the time between two reads",
    oldest: Some(OldestVersion { option: "-v", numbers: (1, 0) }),
    target: TargetKind::Folder,
    command: |plan| {
        let VerifyPlan { seconds, target, .. } = plan;
        let mut words = split(&format!("ioping -R -D -w {seconds} -s 4k -S 64m"));
        words.push(target.clone());
        words
    },
    before: None,
    server: VerifyServer::Nobody,
    differs: Some("ioping divides by the time in reads alone, Headroom by all of the time."),
};
