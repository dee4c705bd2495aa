//! What people call a resource: `disk vda` for `block:vda`.

use model::{Resource, ResourceKind};

use crate::Words;

/// `resource` as people say it, in the language of `words`. One of a kind that
/// nobody here knows is shown as it stands in the document. The name comes from
/// a machine: whoever shows it must escape it.
#[must_use]
pub fn resource_name(words: &Words, resource: &Resource) -> String {
    let named = |key: &str, name: &str| words.tell_texts(key, &[("name", name)]);
    match (resource.kind(), resource.name()) {
        (ResourceKind::Cpu, "") => words.say("resource-cpus"),
        (ResourceKind::Memory, "") => words.say("resource-memory"),
        (ResourceKind::Dmi, "") => words.say("resource-dmi"),
        (ResourceKind::PageCache, "") => words.say("resource-page-cache"),
        (ResourceKind::Load, "") => words.say("resource-load"),
        (ResourceKind::System, "") => words.say("resource-system"),
        (ResourceKind::OwnProcess, "") => words.say("resource-self"),
        _ if *resource == Resource::CGROUP_CPU => words.say("resource-cgroup-cpu"),
        _ if *resource == Resource::CGROUP_MEMORY => words.say("resource-cgroup-memory"),
        (ResourceKind::Memory | ResourceKind::Dmi | ResourceKind::Load | ResourceKind::Pressure, _)
        | (_, "") => resource.to_string(),
        (ResourceKind::Cpu, some) if resource.is_several() => named("resource-cpus-some", some),
        (ResourceKind::Block, all) if resource.is_several() => {
            named("resource-blocks", &all.replace('+', ", "))
        }
        (ResourceKind::Block, name) => named(block(name), name),
        // As lspci prints it: the first domain goes without saying.
        (ResourceKind::Pci, name) => named("resource-pci", name.strip_prefix("0000:").unwrap_or(name)),
        (ResourceKind::Nic, name) => named("resource-nic", name),
        _ => short_name(words, resource),
    }
}

/// The same in as few words as a chart has room for: `network eth0`.
#[must_use]
pub fn resource_label(words: &Words, resource: &Resource) -> String {
    short_name(words, resource).trim().to_owned()
}

fn short_name(words: &Words, resource: &Resource) -> String {
    let key = match resource.kind() {
        ResourceKind::Cpu => "resource-cpu",
        ResourceKind::Memory => "figure-resource-memory",
        ResourceKind::FileSystem => "resource-filesystem",
        ResourceKind::Block => "resource-block",
        ResourceKind::Nic => "figure-resource-nic",
        ResourceKind::Pci => "resource-pci",
        ResourceKind::PageCache => "resource-page-cache",
        ResourceKind::Server => "resource-server",
        ResourceKind::Sata => "resource-sata",
        ResourceKind::Sas => "resource-sas",
        ResourceKind::Usb => "resource-usb",
        ResourceKind::Dmi => "figure-resource-dmi",
        // The chip's own name for it.
        ResourceKind::Sensor | ResourceKind::Power => return resource.name().to_owned(),
        _ => return resource.to_string(),
    };
    words.tell_texts(key, &[("name", resource.name())])
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
        let said = |resource: &str| resource_name(Language::English.words(), &resource.into());
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
        assert_eq!(said("usb:sdb"), "USB link sdb");
        assert_eq!(said("nic:eth0"), "network interface eth0");
        assert_eq!(said("sensor:coretemp/Core 0"), "coretemp/Core 0");
        assert_eq!(said("dmi"), "DMI link");
        assert_eq!(said("system"), "the system");
        assert_eq!(said("gpu:0"), "gpu:0");
        assert_eq!(said("gpu"), "gpu");
        assert_eq!(resource_name(Language::Korean.words(), &"block:vda".into()), "디스크 vda");
        assert_eq!(resource_name(Language::Japanese.words(), &"cpu".into()), "全 CPU");
    }

    #[test]
    fn a_chart_calls_resources_by_fewer_words() {
        let said = |resource: &str| resource_label(Language::English.words(), &resource.into());
        assert_eq!(said("cpu"), "CPU");
        assert_eq!(said("cpu:0-1"), "CPU 0-1");
        assert_eq!(said("block:sda+sdb"), "disk sda+sdb");
        assert_eq!(said("nic:eth0"), "network eth0");
        assert_eq!(said("pci:0000:01:00.0"), "PCIe link 0000:01:00.0");
        assert_eq!(said("dmi"), "link to the chipset");
        assert_eq!(said("sensor:coretemp/Core 0"), "coretemp/Core 0");
        assert_eq!(said("pressure:io"), "pressure:io");
    }

    /// A name is data, whatever stands in it.
    #[test]
    fn a_name_with_the_marks_of_a_pattern_stays_a_name() {
        for language in LANGUAGES {
            let said = resource_name(language.words(), &"filesystem:/{ $x }<b>:1 (ext4)".into());
            assert!(said.contains("/{ $x }<b>:1 (ext4)"), "{said}");
        }
    }
}
