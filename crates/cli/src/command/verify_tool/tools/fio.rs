//! fio.

use super::{OldestVersion, TargetKind, VerifiedTool, VerifyPlan, VerifyServer, split};

/// The tool.
pub(super) const FIO: VerifiedTool = VerifiedTool {
    program: "fio",
    package: "fio",
    doc: "random reads of 4 KiB, direct, one at a time",
    oldest: Some(OldestVersion { option: "--version", numbers: (2, 0) }),
    target: TargetKind::Folder,
    command: |plan| {
        let VerifyPlan { seconds, target, .. } = plan;
        let mut words = split(&format!(
            "fio --name=verify --rw=randread --bs=4k --size=64M --ioengine=psync --direct=1 --numjobs=1 --time_based \
             --runtime={seconds}"
        ));
        words.push(format!("--directory={target}"));
        words
    },
    before: None,
    server: VerifyServer::Nobody,
    differs: None,
};
