//! How resources are called by people: `block:vda` is `disk vda`.

use language::Words;
use model::{Resource, ResourceKind, Value};

/// A resource's kind in the document, and the words for it.
const KINDS: &[(ResourceKind, &str)] = &[
    (ResourceKind::Cpu, "figure-resource-cpu"),
    (ResourceKind::Memory, "figure-resource-memory"),
    (ResourceKind::Block, "figure-resource-block"),
    (ResourceKind::FileSystem, "figure-resource-filesystem"),
    (ResourceKind::Nic, "figure-resource-nic"),
    (ResourceKind::Pci, "figure-resource-pci"),
    (ResourceKind::Sata, "figure-resource-sata"),
    (ResourceKind::Dmi, "figure-resource-dmi"),
    (ResourceKind::Sensor, "figure-resource-sensor"),
    (ResourceKind::Power, "figure-resource-power"),
];

/// The name of `resource` in words; what is unknown is shown as it is.
pub(crate) fn name(words: &Words, resource: &Resource) -> String {
    match KINDS.iter().find(|(k, _)| *k == resource.kind()) {
        Some((_, key)) => words.tell(key, &[("name", Value::from(resource.name()))]).trim().to_owned(),
        None => resource.to_string(),
    }
}
