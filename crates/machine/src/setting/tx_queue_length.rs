//! `tx-queue-length`: packets that wait to be sent (`SIOCSIFTXQLEN`,
//! netdevice(7)).

use model::resource::Symbol;
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};

use super::interface::{self, Number};
use super::journal::SideEffect;
use super::{Setting, SettingError};

/// `SIOCGIFTXQLEN` and `SIOCSIFTXQLEN`.
const NUMBER: Number<0x8942, 0x8943> = Number { spec: &SPEC };

pub(super) struct TxQueueLength;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "tx-queue-length",
        Kind::Count,
        "How many packets may wait at the interface to be sent. The queueing discipline pfifo_fast and the default of \
         pfifo keep to it; fq, fq_codel and noqueue have limits of their own and do not. What waits when it \
         is changed may be dropped; nothing else changes with it. Without `@INTERFACE` it is \
         the interface towards the peer, at both ends.",
    )
    .or_zero(),
    unit: Unit::One,
    binds: Some(Symbol::PeerInterface),
    holds: None,
    summary: "packets that may wait at a network interface to be sent",
};

impl Setting for TxQueueLength {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        true
    }

    // What waits may not fit any more.
    fn may_drop(&self) -> bool {
        true
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        NUMBER.read(resource)
    }

    fn is_ready(&self, resource: &Resource) -> bool {
        interface::has_link(resource)
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        NUMBER.write(resource, value, || None)
    }

    // The rings of pfifo_fast, tun and macvtap are made as long, and again when
    // it is put back; packets in them may be dropped. Interfaces above keep
    // theirs, and no other discipline looks at it after it was made
    // (`dev_change_tx_queue_len` in `net/core/dev.c`).
    fn side_effects(&self, _resource: &Resource, _value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        Ok(Vec::new())
    }
}
