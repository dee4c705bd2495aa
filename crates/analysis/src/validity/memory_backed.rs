//! A file on a file system that has no block device below it.

use model::run::CaseResult;
use model::{Finding, Severity};

use super::finding;
use crate::{Context, Rule};

/// The rule.
pub(crate) struct MemoryBacked;

impl Rule for MemoryBacked {
    fn code(&self) -> &'static str {
        "no-device-below"
    }

    fn doc(&self) -> &'static str {
        "A file on a file system that has no block device below it."
    }

    fn check(&self, case: &CaseResult, context: &Context<'_>) -> Vec<Finding> {
        let step = |kind: &str| case.path.iter().find(|s| s.resource.starts_with(kind));
        let (Some(system), None) = (step("filesystem:"), step("block:")) else { return Vec::new() };
        let name = system.resource.trim_start_matches("filesystem:");
        let args = [("filesystem", name.into())];
        let text = format!(
            "there is no block device below {name}: this is the speed of memory or of a network, not of a disk"
        );
        let mut finding = finding(self.code(), Severity::Error, &args, context.headline, text);
        finding.resource = Some(system.resource.clone());
        vec![finding]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::resource::PathStep;
    use model::study::Controls;

    #[test]
    fn a_file_in_memory_is_named_and_one_on_a_disk_is_not() {
        let mut case = fixture::case(1);
        let mut count = |path: &[&str]| {
            let step = |resource: &&str| PathStep { resource: (*resource).to_owned(), amplification: 1.0 };
            case.path = path.iter().map(step).collect();
            fixture::count(&MemoryBacked, &case, &Controls::default())
        };
        assert_eq!(count(&["cpu:0-1", "memory"]), 0);
        assert_eq!(count(&["cpu:0-1", "filesystem:/ (ext4)", "block:vda"]), 0);
        assert_eq!(count(&["cpu:0-1", "filesystem:/dev/shm (tmpfs)"]), 1);
    }
}
