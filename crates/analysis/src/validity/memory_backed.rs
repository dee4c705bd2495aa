//! A file on a file system that has no block device below it.

use model::resource::PathStep;
use model::run::CaseResult;
use model::{Finding, ResourceKind, Severity};

use super::finding;
use crate::{Context, Rule, RuleCheck, measure};

/// File systems in memory.
const MEMORY: &[&str] = &["tmpfs", "ramfs", "hugetlbfs", "devtmpfs"];
/// File systems of other machines, or of programs.
const ELSEWHERE: &[&str] =
    &["nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "ceph", "glusterfs", "lustre", "afs", "fuse"];

pub(crate) const RULE: Rule = Rule {
    code: "no-device-below",
    doc: "A file on a file system that has no block device below it.",
    english: r#"
finding-no-device-below =
    { $how ->
        [memory] { $filesystem } is in memory: this is its speed, not that of a disk
        [elsewhere] { $filesystem } is on another machine or made by a program: this is not a disk here
       *[unknown] which block device lies below { $filesystem } is not known, so its counters are not read
    }
"#,
    check: RuleCheck::One(check),
};

fn check<'a>(case: &'a CaseResult, context: &Context<'_>) -> Option<Finding> {
    measure::good(case).next()?;
    // A file system ends where it is in memory or elsewhere, and where no
    // block device comes after it. One may lie below a loop device.
    let is_last = |at: usize| !case.path[at..].iter().any(|s| s.resource.is_named(ResourceKind::Block));
    let ends = |at: usize, kind: &str| is_last(at) || is_one_of(MEMORY, kind) || is_one_of(ELSEWHERE, kind);
    let systems = case.path.iter().enumerate().filter(|(_, s)| s.resource.is_named(ResourceKind::FileSystem));
    let kind_of = |s: &'a PathStep| s.resource.file_system_type().unwrap_or_default();
    let (at, system) = systems.into_iter().find(|(at, s)| ends(*at, kind_of(s)))?;
    let (name, kind) = (system.resource.name(), kind_of(system));
    let (severity, how) = if is_one_of(MEMORY, kind) {
        (Severity::Error, "memory")
    } else if is_one_of(ELSEWHERE, kind) {
        // Where the path goes on to the server, nobody takes it for a disk.
        let has_server = case.path[at..].iter().any(|s| s.resource.is_named(ResourceKind::Server));
        (if has_server { Severity::Note } else { Severity::Error }, "elsewhere")
    } else {
        (Severity::Note, "unknown")
    };
    let args = [("filesystem", name.into()), ("how", how.into())];
    let mut finding = finding(RULE.code, severity, &args, context.headline);
    finding.resource = Some(system.resource.clone());
    Some(finding)
}

fn is_one_of(kinds: &[&str], kind: &str) -> bool {
    kinds.contains(&kind) || kind.starts_with("fuse.") && kinds.contains(&"fuse")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::Resource;
    use model::resource::PathStep;
    use model::study::Controls;

    #[test]
    fn a_file_in_memory_is_named_and_one_on_a_disk_is_not() {
        let mut case = fixture::case(1);
        let mut count = |path: &[&str]| {
            let step = |resource: &&str| PathStep { resource: Resource::from(*resource), amplification: 1.0 };
            case.path = path.iter().map(step).collect();
            fixture::count(&RULE, &case, &Controls::default())
        };
        assert_eq!(count(&["cpu:0-1", "memory"]), 0);
        assert_eq!(count(&["cpu:0-1", "filesystem:/ (ext4)", "block:vda"]), 0);
        assert_eq!(count(&["cpu:0-1", "filesystem:/dev/shm (tmpfs)"]), 1);
        assert_eq!(count(&["block:loop0", "filesystem:/dev/shm (tmpfs)"]), 1, "below a loop device");
        assert_eq!(
            count(&["filesystem:/dev/shm (tmpfs)", "filesystem:/ (ext4)", "block:vda"]),
            1,
            "one of two"
        );
        assert_eq!(count(&["filesystem:/m (xfs)", "block:loop0", "filesystem:/ (ext4)", "block:vda"]), 0);
        let severity_on = |path: &[&str]| {
            let mut case = fixture::case(1);
            let step = |resource: &&str| PathStep { resource: Resource::from(*resource), amplification: 1.0 };
            case.path = path.iter().map(step).collect();
            fixture::found(&RULE, &case, &fixture::context(&Controls::default())).remove(0).severity
        };
        let severity = |kind: &str| severity_on(&[format!("filesystem:/x ({kind})").as_str()]);
        assert_eq!(severity("tmpfs"), Severity::Error);
        assert_eq!(severity("nfs4"), Severity::Error);
        let mounted = ["filesystem:/x (nfs4)", "nic:eth0", "server:10.0.0.3"];
        assert_eq!(severity_on(&mounted), Severity::Note, "the path says where it is");
        // Both may lie on a disk of this machine.
        assert_eq!((severity("overlay"), severity("zfs")), (Severity::Note, Severity::Note));
    }
}
