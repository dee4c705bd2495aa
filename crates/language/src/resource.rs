//! What people call a resource: `disk vda` for `block:vda`.

use model::{Resource, ResourceKind, Value};

use crate::Words;

/// `resource` as people say it, in the language of `words`. One of a kind that
/// nobody here knows is shown as it stands in the document. The name comes from
/// a machine: whoever shows it must escape it.
#[must_use]
pub fn resource_name(words: &Words, resource: &Resource) -> String {
    let (kind, name) = (resource.kind(), resource.name());
    let named = |key: &str| words.tell(key, &[("name", Value::Text(name.to_owned()))]);
    match (kind, name) {
        (ResourceKind::Cpu, "") => words.say("resource-cpus"),
        (ResourceKind::Memory, "") => words.say("resource-memory"),
        (ResourceKind::Dmi, "") => words.say("resource-dmi"),
        (ResourceKind::Load, "") => words.say("resource-load"),
        (ResourceKind::System, "") => words.say("resource-system"),
        (ResourceKind::OwnProcess, "") => words.say("resource-self"),
        _ if *resource == Resource::CGROUP_CPU => words.say("resource-cgroup-cpu"),
        _ if *resource == Resource::CGROUP_MEMORY => words.say("resource-cgroup-memory"),
        (_, "") => resource.to_string(),
        (ResourceKind::Cpu, _) if name.contains(['-', ',']) => named("resource-cpus-some"),
        (ResourceKind::Cpu, _) => named("resource-cpu"),
        (ResourceKind::Block, _) if name.contains('+') => {
            let all = name.replace('+', ", ");
            words.tell("resource-blocks", &[("name", Value::Text(all))])
        }
        (ResourceKind::Block, _) => named(block(name)),
        (ResourceKind::FileSystem, _) => named("resource-filesystem"),
        (ResourceKind::Pci, _) => {
            // As lspci prints it: the first domain goes without saying.
            let short = name.strip_prefix("0000:").unwrap_or(name);
            words.tell("resource-pci", &[("name", Value::Text(short.to_owned()))])
        }
        (ResourceKind::Sata, _) => named("resource-sata"),
        (ResourceKind::Nic, _) => named("resource-nic"),
        // The chip's own name for it.
        (ResourceKind::Sensor | ResourceKind::Power, _) => name.to_owned(),
        _ => resource.to_string(),
    }
}

/// The key for a block device: not all of them are disks.
fn block(name: &str) -> &'static str {
    let is = |prefixes: &[&str]| prefixes.iter().any(|p| name.starts_with(p));
    if is(&["md"]) {
        "resource-array"
    } else if is(&["dm-", "loop", "zram", "ram", "nbd", "drbd"]) {
        "resource-device"
    } else {
        "resource-block"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LANGUAGES, Language};

    #[test]
    fn resources_are_called_as_people_call_them() {
        let said = |resource: &str| resource_name(Language::English.words(), &Resource::from(resource));
        assert_eq!(said("block:vda"), "disk vda");
        assert_eq!(said("block:md0"), "array md0");
        assert_eq!(said("block:loop3"), "device loop3");
        assert_eq!(said("block:sda+sdb"), "disks sda, sdb");
        assert_eq!(said("cpu:0-1"), "CPUs 0-1");
        assert_eq!(said("cpu:7"), "CPU 7");
        assert_eq!(said("cpu"), "all CPUs");
        assert_eq!(said("filesystem:/ (ext4)"), "file system / (ext4)");
        assert_eq!(said("pci:0000:01:00.0"), "PCIe link 01:00.0");
        assert_eq!(said("sata:sda"), "SATA link sda");
        assert_eq!(said("nic:eth0"), "network interface eth0");
        assert_eq!(said("sensor:coretemp/Core 0"), "coretemp/Core 0");
        assert_eq!(said("dmi"), "DMI link");
        assert_eq!(said("system"), "the system");
        assert_eq!(said("gpu:0"), "gpu:0");
        assert_eq!(said("gpu"), "gpu");
        assert_eq!(resource_name(Language::Korean.words(), &Resource::from("block:vda")), "디스크 vda");
        assert_eq!(resource_name(Language::Japanese.words(), &Resource::from("cpu")), "全 CPU");
    }

    /// A name is data, whatever stands in it.
    #[test]
    fn a_name_with_the_marks_of_a_pattern_stays_a_name() {
        for language in LANGUAGES {
            let said = resource_name(language.words(), &Resource::from("filesystem:/{ $x }<b>:1 (ext4)"));
            assert!(said.contains("/{ $x }<b>:1 (ext4)"), "{said}");
        }
    }
}
