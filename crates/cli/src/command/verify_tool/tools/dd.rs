//! dd.

use super::{TargetKind, VerifiedTool, VerifyServer, split};

/// The tool.
pub(super) const DD: VerifiedTool = VerifiedTool {
    program: "dd",
    package: "coreutils",
    doc: "a file read from its beginning to its end, 1 MiB each time, direct",
    // That of busybox and of BSD tells none.
    oldest: None,
    target: TargetKind::Folder,
    command: |plan| {
        let file = format!("if={}/verify", plan.target);
        ["dd".to_owned(), file].into_iter().chain(split("bs=1M iflag=direct of=/dev/null")).collect()
    },
    before: Some(|plan| {
        let file = format!("of={}/verify", plan.target);
        let rest = split("if=/dev/urandom bs=1M count=64 iflag=fullblock conv=fsync");
        ["dd".to_owned(), file].into_iter().chain(rest).collect()
    }),
    server: VerifyServer::Nobody,
    differs: None,
};
