//! hdparm.

use super::{OldestVersion, TargetKind, VerifiedTool, VerifyServer, split};

/// The tool.
pub(super) const HDPARM: VerifiedTool = VerifiedTool {
    program: "hdparm",
    package: "hdparm",
    doc: "a device read from its beginning on, 2 MiB each time, direct, for 3 seconds",
    oldest: Some(OldestVersion { option: "-V", numbers: (9, 0) }),
    target: TargetKind::Device,
    command: |plan| {
        let mut words = split("hdparm -t --direct");
        words.push(plan.target.clone());
        words
    },
    before: None,
    server: VerifyServer::Nobody,
    differs: Some(
        "hdparm reads for 3 seconds, whatever --seconds says, and ends at the end of a small device, where Headroom begins \
         anew.",
    ),
};

#[cfg(test)]
mod tests {
    use super::super::tests::same_work;
    use super::*;

    #[test]
    fn what_it_prints_is_work_of_a_load() {
        let printed = "\n/dev/sda:\n Timing O_DIRECT disk reads: 642 MB in  3.00 seconds = 213.72 MB/sec\n";
        assert_eq!(
            same_work(&HDPARM, printed).as_deref(),
            Some("disk block-size=2097152 direct=yes duration=3 engine=sync pattern=read target=/data/x")
        );
    }
}
