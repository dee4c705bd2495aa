//! How resources are called by people: `block:vda` is `disk vda`.

use language::Words;
use model::Value;

/// A resource's kind in the document, and the words for it.
const KINDS: &[(&str, &str)] = &[
    ("cpu", "figure-resource-cpu"),
    ("memory", "figure-resource-memory"),
    ("block", "figure-resource-block"),
    ("filesystem", "figure-resource-filesystem"),
    ("nic", "figure-resource-nic"),
    ("pci", "figure-resource-pci"),
    ("sata", "figure-resource-sata"),
    ("dmi", "figure-resource-dmi"),
    ("sensor", "figure-resource-sensor"),
    ("power", "figure-resource-power"),
];

/// The name of `resource` in words; what is unknown is shown as it is.
pub(crate) fn name(words: &Words, resource: &str) -> String {
    let (kind, rest) = resource.split_once(':').unwrap_or((resource, ""));
    match KINDS.iter().find(|(k, _)| *k == kind) {
        Some((_, key)) => words.tell(key, &[("name", Value::from(rest))]).trim().to_owned(),
        None => resource.to_owned(),
    }
}
