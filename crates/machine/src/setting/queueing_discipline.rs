//! `queueing-discipline`: what queues the packets that an interface sends (tc(8)), by its
//! kind, with the options that the kernel gives that kind.

use model::parameter::Word;
use model::resource::Symbol;
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};
use rustix::io::Errno;

use super::discipline::{self, OF_KIND, PFIFO_FAST, Queueing};
use super::journal::SideEffect;
use super::{Setting, SettingError};

/// What the kernel gave the interface by itself.
const DEFAULT: &str = "default";
/// Kinds that let as much wait as the transmit queue is long (`fifo_init` in
/// `net/sched/sch_fifo.c`, `pfifo_fast_init` in `net/sched/sch_generic.c`).
const AS_LONG: &[&str] = &["pfifo", "bfifo", PFIFO_FAST];
const NOTHING_WAITS: &str =
    "the interface has a tx-queue-length of 0, and one of that length would let nothing wait";

pub(super) struct QueueingDiscipline;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "queueing-discipline",
        Kind::Choice,
        "What queues the packets that the interface sends (tc(8)): one discipline at its root, for all of its queues, \
         with the kernel's default options for that kind. Where an interface has several queues, the kernel gives each \
         a discipline of its own (mq), and one for all may cost processor time; `default` is what was found. Packets \
         that wait when it is changed are dropped. Only its kind is read back. A kernel module that is loaded for it \
         stays loaded. Without `@INTERFACE` it is the interface towards the peer, at both ends. The interface must be \
         up, and its discipline one that the kernel always makes alike by itself (noqueue; or pfifo_fast, fq_codel or \
         fq, also below mq, if net.core.default_qdisc names it, and fq_codel and fq only if made with the current MTU \
         of the interface) and that nobody has changed; any other is refused, because its options could not be \
         put back. It cannot be set together with `interface-rate`, which puts its own there, nor with `tx-queue-length` \
         and `mtu`, also that of an interface below, on which its options depend.",
    )
    .words(&[
        Word { word: DEFAULT, doc: "as it was found" },
        Word { word: "fq", doc: "a queue for each flow, served in turn, paced as its sender asks" },
        Word { word: "fq_codel", doc: "a queue for each flow, served in turn, each kept short" },
        Word { word: "cake", doc: "a queue for each flow and host, served in turn, each kept short" },
        Word { word: "sfq", doc: "flows spread over queues, which are served in turn" },
        Word { word: "codel", doc: "one queue, kept short by how long packets wait" },
        Word { word: "pie", doc: "one queue, kept short by an estimate of how long packets wait" },
        Word { word: "fq_pie", doc: "a queue for each flow, served in turn, each kept short as by pie" },
        Word { word: "pfifo", doc: "one queue of tx-queue-length packets" },
        Word { word: "bfifo", doc: "one queue of as many bytes as tx-queue-length packets of the largest size" },
        Word { word: PFIFO_FAST, doc: "three queues as of pfifo, by the priority of packets" },
    ]),
    unit: Unit::One,
    binds: Some(Symbol::PeerInterface),
    holds: None,
    summary: "what queues the packets that a network interface sends",
};

impl Setting for QueueingDiscipline {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        true
    }

    // What waits is dropped.
    fn may_drop(&self) -> bool {
        true
    }

    fn not_beside(&self) -> &'static [&'static str] {
        &["interface-rate", "mtu", "tx-queue-length"]
    }

    fn is_apart(&self, resource: &Resource, setting: &str, other: &Resource) -> bool {
        let is_beside = resource == other && self.not_beside().contains(&setting);
        is_beside || discipline::depends_on(resource, setting, other)
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        let queueing = Queueing::of(&SPEC, resource)?;
        Ok(if queueing.is_by_default() { DEFAULT.into() } else { state(&queueing) })
    }

    fn read_each(&self, resource: &Resource) -> Result<Value, SettingError> {
        Ok(state(&Queueing::of(&SPEC, resource)?))
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        match value {
            Value::Text(kind) if OF_KIND.kinds.contains(&kind.as_str()) => {
                let queueing = Queueing::of(&SPEC, resource)?;
                let is_empty = is_as_long(value) && queueing.link.queue_length == Some(0);
                let nothing_waits =
                    || SettingError::refused(&SPEC, resource, value, NOTHING_WAITS.to_owned());
                discipline::create(&queueing.request(&OF_KIND, kind, &[])).map_err(|error| match error {
                    Errno::INVAL if is_empty => nothing_waits(),
                    Errno::NOENT => {
                        let option = kind.to_uppercase();
                        let reason =
                            format!("this kernel has no {kind} (CONFIG_NET_SCH_{option}, or its module)");
                        SettingError::refused(&SPEC, resource, value, reason)
                    }
                    other => discipline::failed(&SPEC, resource, value, other),
                })?;
                // Where a driver does without a queue the kernel has given it one of 1000 before.
                if is_empty && Queueing::of(&SPEC, resource)?.link.queue_length == Some(0) {
                    discipline::put_back(&SPEC, resource, value, &OF_KIND)?;
                    return Err(nothing_waits());
                }
                Ok(())
            }
            // What was there before, which the kernel makes again by itself.
            Value::Text(_) => discipline::put_back(&SPEC, resource, value, &OF_KIND),
            _ => Err(SettingError::refused(&SPEC, resource, value, "it is no kind".to_owned())),
        }
    }

    // What stands at the root, and a transmit queue of no packets.
    fn side_effects(&self, resource: &Resource, value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        let found = discipline::side_effects(&SPEC, resource, value)?;
        // One without a queue may get one with the discipline: that is seen when it is there.
        if is_as_long(value) && !found.is_empty() && Queueing::of(&SPEC, resource)?.has_queue() {
            return Err(SettingError::refused(&SPEC, resource, value, NOTHING_WAITS.to_owned()));
        }
        Ok(found)
    }
}

fn is_as_long(value: &Value) -> bool {
    matches!(value, Value::Text(kind) if AS_LONG.contains(&kind.as_str()))
}

/// The kind of ours; of any other what it is: `mq of fq_codel by default`, `htb 1:`. What
/// the kernel made is never called as a kind that can be asked for.
fn state(queueing: &Queueing) -> Value {
    Value::Text(match queueing.own(&OF_KIND) {
        Some(own) => own.kind.clone(),
        None if queueing.is_by_default() => format!("{} by default", queueing.text()),
        None => queueing.text(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::network::netlink::{Node, node};
    use crate::inventory::network::wire::ROOT;
    use crate::setting::discipline::tests::queueing;

    #[test]
    fn each_kind_that_can_be_asked_for_is_read_back_as_ours() {
        let words: Vec<&str> = SPEC.value.words.iter().map(|word| word.word).collect();
        assert_eq!(words[1..], *OF_KIND.kinds);
        for kind in OF_KIND.kinds {
            // An answer of the kernel has the same form.
            let made = node(&queueing(&[]).request(&OF_KIND, kind, &[])).unwrap();
            assert_eq!((made.index, made.parent), (3, ROOT));
            assert_eq!(state(&queueing(std::slice::from_ref(&made))).to_string(), *kind);
            let default = queueing(&[Node { handle: 0, ..made.clone() }]);
            assert_eq!(state(&default).to_string(), format!("{kind} by default"));
            let other = queueing(&[Node { handle: 0x8001 << 16, ..made }]);
            assert_eq!(state(&other).to_string(), format!("{kind} 8001:"));
        }
    }

    #[test]
    fn the_loopback_has_a_state_and_what_is_not_there_has_none() {
        assert!(matches!(QueueingDiscipline.read(&Resource::from("nic:lo")), Ok(Value::Text(_))));
        let (none, kind) = (Resource::from("nic:hr-none"), Value::from("fq"));
        assert!(matches!(QueueingDiscipline.read_each(&none), Err(SettingError::Gone { .. })));
        assert!(matches!(QueueingDiscipline.write(&none, &kind), Err(SettingError::Gone { .. })));
        assert!(matches!(QueueingDiscipline.side_effects(&none, &kind), Err(SettingError::Gone { .. })));
    }
}
