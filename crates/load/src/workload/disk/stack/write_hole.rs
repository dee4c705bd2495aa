//! What an array with parity keeps so that a crash leaves no stripe half written (the write hole): a bitmap of what is
//! being written, a journal on a device of its own, or a log of the parity that is going to be replaced on the members
//! themselves (`Documentation/driver-api/md/raid5-cache.rst`, `raid5-ppl.rst`, mdadm(8)). It has one of them at most.

use engine::fault::Fault;
use model::parameter::{Kind, ParameterSpec, Word};
use model::stack::{BesideDevice, StackLayer};
use model::value::Value;

use crate::workload::disk::stack::md::MdFolder;
use crate::workload::named;

/// The device that stripes are written to first.
pub(super) const JOURNAL: Option<BesideDevice> = Some(BesideDevice { name: "journal", required: false });

pub(super) const JOURNAL_MODE: ParameterSpec = ParameterSpec::new(
    "journal-mode",
    Kind::Choice,
    "When what is written is done, with a journal; `write-through` without it.",
)
.words(&[
    Word { word: "write-through", doc: "when the members have it, too" },
    Word { word: "write-back", doc: "when the journal has it: it is a cache then" },
]);

pub(super) const PARTIAL_PARITY_LOG: ParameterSpec = ParameterSpec::new(
    "ppl",
    Kind::Flag,
    "Whether the parity of the data in a stripe that stay is logged on the member with the parity before the rest is \
     written (partial parity log).",
)
.default("no");

/// Whether a layer has a log of partial parity.
pub(super) fn has_parity_log(layer: &StackLayer) -> bool {
    layer.option(PARTIAL_PARITY_LOG.name) == Some(Value::Bool(true))
}

/// Whether its journal is a cache.
pub(super) fn is_write_back(layer: &StackLayer) -> bool {
    layer.option(JOURNAL_MODE.name) == Some(Value::from("write-back"))
}

/// How mdadm is told of it; not of a journal, which is a device. None for a level that needs nothing of it.
pub(super) fn word(layer: &StackLayer) -> Option<String> {
    if has_parity_log(layer) {
        return Some("--consistency-policy=ppl".to_owned());
    }
    match layer.option(named("bitmap")) {
        Some(Value::Text(word)) => Some(format!("--bitmap={word}")),
        _ => None,
    }
}

/// Why what was asked for cannot be together; none where it can.
pub(super) fn refuses(layer: &StackLayer) -> Option<String> {
    let has_bitmap = layer.option(named("bitmap")) == Some(Value::from("internal"));
    let (has_journal, has_log) = (layer.beside.is_some(), has_parity_log(layer));
    if has_journal && has_bitmap {
        return Some("an array has a bitmap or a journal, not both".to_owned());
    }
    if has_log && (has_journal || has_bitmap) {
        return Some(
            "an array has a partial parity log (ppl), a bitmap or a journal, not two of them".to_owned(),
        );
    }
    let is_idle = !has_journal && layer.options.get(JOURNAL_MODE.name).is_some();
    is_idle.then(|| "journal-mode goes with a journal: name its device, as journal=d".to_owned())
}

/// Tells an array how to use its journal. One that lacks a member takes no `write-back`, and so does one whose parity is
/// not there yet.
pub(super) fn set_journal_mode(layer: &StackLayer, md: &MdFolder) -> Result<(), Fault> {
    let Some(Value::Text(mode)) = layer.options.get(JOURNAL_MODE.name) else { return Ok(()) };
    let file = "journal_mode";
    md.write(file, mode)
        .map_err(|e| Fault::system(format!("writing {mode} to {}", md.file(file).display()), e))
}

#[cfg(test)]
mod tests {
    use model::Parameters;

    use super::*;
    use crate::workload::disk::stack::raid::{RAID0, RAID5};

    #[test]
    fn mdadm_is_told_of_a_bitmap_or_a_log() {
        let mut layer = StackLayer { spec: RAID5.spec, beside: None, options: Parameters::default() };
        assert_eq!(word(&layer).as_deref(), Some("--bitmap=none"));
        layer.options.set(PARTIAL_PARITY_LOG.name, true);
        assert_eq!(word(&layer).as_deref(), Some("--consistency-policy=ppl"));
        let plain = StackLayer { spec: RAID0.spec, beside: None, options: Parameters::default() };
        assert_eq!(word(&plain), None);
    }

    #[test]
    fn an_array_has_one_of_them_and_a_mode_only_with_a_journal() {
        let refused = |beside: Option<char>, given: &[(&'static str, Value)]| {
            let mut options = Parameters::default();
            given.iter().for_each(|(name, value)| options.set(named(name), value.clone()));
            refuses(&StackLayer { spec: RAID5.spec, beside, options })
        };
        let (log, bitmap) = (("ppl", Value::Bool(true)), ("bitmap", Value::from("internal")));
        let mode = ("journal-mode", Value::from("write-back"));
        assert_eq!(refused(Some('d'), std::slice::from_ref(&mode)), None);
        assert_eq!(refused(None, std::slice::from_ref(&log)), None);
        assert!(refused(Some('d'), std::slice::from_ref(&bitmap)).unwrap().contains("not both"));
        for (beside, given) in [(Some('d'), vec![log.clone()]), (None, vec![log, bitmap])] {
            assert!(refused(beside, &given).unwrap().contains("not two of them"));
        }
        assert!(refused(None, &[mode]).unwrap().contains("goes with a journal"));
    }
}
