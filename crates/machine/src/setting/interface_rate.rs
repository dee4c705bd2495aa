//! `interface-rate`: bits per second to which an interface is held as it sends, by a
//! token bucket at the root of its queueing disciplines (tc-tbf(8),
//! `net/sched/sch_tbf.c`), by rtnetlink(7).

use model::resource::Symbol;
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, ResourceKind, Unit, Value};
use rustix::io::Errno;

use super::discipline::{self, OF_RATE, Queueing, TBF, named};
use super::journal::SideEffect;
use super::link::Link;
use super::{Setting, SettingError};
use crate::inventory::network::netlink::{TCA_TBF_BURST, TCA_TBF_PARMS, TCA_TBF_RATE64};
use crate::inventory::network::wire::push_attribute;

/// The least that is set, in bits per second: what drives a trial at the other
/// end passes here too.
const LEAST: f64 = 100e3;
/// As many times a second the rate may go out at once: 4 ms of it, as long as a tick
/// of a usual kernel (`CONFIG_HZ` of 250), by which tc-tbf(8) has it reckoned.
const BURST: u64 = 250;
/// As many times a second the rate may wait, beside that: 50 ms of it. What is more
/// is dropped.
const LIMIT: u64 = 20;
/// Beside the MTU: the head of Ethernet with a VLAN tag.
const HEAD: u64 = 18;

pub(super) struct InterfaceRate;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "interface-rate",
        Kind::Rate,
        "The bits per second to which sending by the interface is limited, Ethernet and IP headers included: 100m is \
         100 Mbit/s, 1g is 1 Gbit/s. A token bucket (tc-tbf(8)) replaces the queueing discipline at the root of the \
         interface, one for all of its queues; 4 ms of the rate may go out at once (at least two packets), 50 ms may \
         wait, and more than that is dropped, as is what waits when it is changed. Receiving is not limited: without \
         `@INTERFACE` it is the interface towards the peer, at both ends, so that both directions are. The kernel \
         counts whole bytes per second. The interface must be up, and its discipline one that the kernel always makes \
         alike by itself (noqueue; or pfifo_fast, fq_codel or fq, also below mq, if net.core.default_qdisc names it, \
         and fq_codel and fq only if made with the current MTU of the interface) and that nobody has changed; any \
         other is refused, because its options could not be put back. It cannot be set together with the MTU of the \
         same interface or of one below, on which the sizes of the bucket depend.",
    ),
    unit: Unit::PerSecond,
    binds: Some(Symbol::PeerInterface),
    holds: Some(ResourceKind::Nic),
    summary: "bits per second that a network interface sends at most",
};

impl Setting for InterfaceRate {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        true
    }

    // What waits is dropped, and then what comes faster.
    fn may_drop(&self) -> bool {
        true
    }

    fn not_beside(&self) -> &'static [&'static str] {
        &["mtu"]
    }

    fn is_apart(&self, resource: &Resource, setting: &str, other: &Resource) -> bool {
        let is_beside = resource == other && self.not_beside().contains(&setting);
        is_beside || discipline::depends_on(resource, setting, other)
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        Ok(state(&Queueing::of(&SPEC, resource)?))
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        match value {
            Value::Number(bits) if *bits >= LEAST => {
                let queueing = Queueing::of(&SPEC, resource)?;
                discipline::create(&request(&queueing, (*bits / 8.0) as u64)).map_err(|error| match error {
                    // The kernel knows no token bucket.
                    Errno::NOENT => {
                        let reason = "this kernel has no token bucket (CONFIG_NET_SCH_TBF)";
                        SettingError::refused(&SPEC, resource, value, reason.to_owned())
                    }
                    other => discipline::failed(&SPEC, resource, value, other),
                })
            }
            // What was there before, which the kernel makes again by itself.
            Value::Text(_) => discipline::put_back(&SPEC, resource, value, &OF_RATE),
            _ => {
                // One that is gone is said first.
                Queueing::of(&SPEC, resource)?;
                let reason = format!("{} is the least that is set", SPEC.show(&Value::Number(LEAST)));
                Err(SettingError::refused(&SPEC, resource, value, reason))
            }
        }
    }

    // What stands at the root, and a transmit queue of no packets.
    fn side_effects(&self, resource: &Resource, value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        discipline::side_effects(&SPEC, resource, value)
    }
}

/// The rate of ours in bits per second, if it lets as much wait as we would; of any
/// other what it is: `noqueue`, `mq of pfifo_fast`, `htb 1:`.
fn state(queueing: &Queueing) -> Value {
    let Some(own) = queueing.own(&OF_RATE) else { return Value::Text(queueing.text()) };
    let rate = own.rate.unwrap_or(0);
    match own.limit {
        Some(limit) if limit == sizes(&queueing.link, rate).1 => Value::Number(rate as f64 * 8.0),
        limit => Value::Text(format!("{} with a limit of {} bytes", named(own), limit.unwrap_or(0))),
    }
}

/// The bytes of a bucket, and those that may wait.
fn sizes(link: &Link, rate: u64) -> (u32, u32) {
    let burst = (rate / BURST).max(2 * (link.mtu + HEAD));
    let whole = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX);
    (whole(burst), whole(burst.saturating_add(rate / LIMIT)))
}

/// A request for a token bucket of `rate` bytes per second at the root.
fn request(queueing: &Queueing, rate: u64) -> Vec<u8> {
    /// `TC_LINKLAYER_ETHERNET`: the kernel computes times itself.
    const ETHERNET: u8 = 1;
    let (burst, limit) = sizes(&queueing.link, rate);
    // `struct tc_tbf_qopt`: two `struct tc_ratespec` of 12 bytes, that of the rate
    // and that of the peak, of which there is none; then the limit, and the bucket
    // in ticks, in place of which it is given in bytes.
    let mut parameters = vec![0; 36];
    parameters[1] = ETHERNET;
    parameters[8..12].copy_from_slice(&u32::try_from(rate).unwrap_or(u32::MAX).to_ne_bytes());
    parameters[24..28].copy_from_slice(&limit.to_ne_bytes());
    let mut options = Vec::new();
    push_attribute(&mut options, TCA_TBF_PARMS, &parameters);
    if u32::try_from(rate).is_err() {
        push_attribute(&mut options, TCA_TBF_RATE64, &rate.to_ne_bytes());
    }
    push_attribute(&mut options, TCA_TBF_BURST, &burst.to_ne_bytes());
    queueing.request(&OF_RATE, TBF, &options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::network::netlink::{Node, node};
    use crate::inventory::network::wire::ROOT;
    use crate::setting::discipline::tests::queueing;

    #[test]
    fn what_is_asked_for_is_what_is_read() {
        let link = queueing(&[]).link;
        for rate in [125_000_u64, 125_000_000, 10_000_000_000] {
            // An answer of the kernel has the same form.
            let read = node(&request(&queueing(&[]), rate)).unwrap();
            assert_eq!((read.index, read.parent, read.rate), (3, ROOT, Some(rate)));
            let own = queueing(std::slice::from_ref(&read));
            assert!(own.own(&OF_RATE).is_some());
            assert_eq!(state(&own), Value::Number(rate as f64 * 8.0));
            let other = queueing(&[Node { limit: Some(7), ..read }]);
            let shown = state(&other).to_string();
            assert_eq!(shown, "tbf 4852: with a limit of 7 bytes", "somebody changed it");
        }
        assert_eq!(sizes(&link, 125_000_000), (500_000, 6_750_000));
        let (burst, limit) = sizes(&link, 12_500);
        assert_eq!((burst, limit), (3036, 3036 + 625), "two packets at least");
        assert_eq!(sizes(&link, u64::MAX), (u32::MAX, u32::MAX));
    }

    #[test]
    fn the_loopback_has_a_state_and_what_is_not_there_has_none() {
        assert!(matches!(
            InterfaceRate.read(&Resource::from("nic:lo")),
            Ok(Value::Text(_) | Value::Number(_))
        ));
        let (none, slow) = (Resource::from("nic:hr-none"), Value::Number(1e9));
        assert!(matches!(InterfaceRate.read(&none), Err(SettingError::Gone { .. })));
        assert!(matches!(InterfaceRate.write(&none, &slow), Err(SettingError::Gone { .. })));
        assert!(matches!(InterfaceRate.side_effects(&none, &slow), Err(SettingError::Gone { .. })));
        let lo = Resource::from("nic:lo");
        let error = InterfaceRate.write(&lo, &Value::Number(10.0)).unwrap_err().to_string();
        assert!(error.contains("interface-rate=10/s") && error.contains("100k/s"), "{error}");
    }
}
