//! The rate to which the network of a layer is held, so that it can be the limit as a wire between two machines is: a token
//! bucket (tc-tbf(8), `net/sched/sch_tbf.c`) at the root of each end, which holds what that end sends. Both go with the
//! interfaces, which are the layer's own.

use model::parameter::{Kind, ParameterSpec};
use model::stack::{LayerStack, StackLayer};
use model::value::Value;

use crate::workload::disk::stack::command::Program;
use crate::workload::disk::stack::kernel::KernelPart;
use crate::workload::disk::stack::present::network::{LayerNetwork, MTU};
use crate::workload::disk::stack::record::LayerRecord;

/// What is said of it.
pub(super) const BIT_RATE: ParameterSpec = ParameterSpec::new(
    "bit-rate",
    Kind::Rate,
    "Bits per second that each end of the network sends at most, heads of Ethernet and IP among them: 100m is 100 Mbit/s. \
     Without it the processors alone hold it.",
);

pub(super) const TC: Program = Program { name: "tc", package: "iproute2", version: &["-V"] };
const PROGRAMS: &[Program] = &[TC];
const KERNEL: &[KernelPart] = &[KernelPart::Module("sch_tbf")];

/// The least and the most that are set, bits per second: with less a session would not begin in time, and no virtual
/// interface carries more.
const LEAST: f64 = 1e6;
/// See [`LEAST`].
const MOST: f64 = 1e12;

/// As many times a second the rate may go out at once: 25 ms of it, so that a virtual machine that is not given a processor
/// for some ticks has the whole rate nevertheless.
const BURST: f64 = 40.0;
/// As many times a second the rate may wait, beside that: 100 ms of it. What is more is dropped.
const WAITING: f64 = 10.0;
/// Beside the MTU: the head of Ethernet with a VLAN tag.
const HEAD: f64 = 18.0;

/// A network between two layers of a stack that is held to a rate, as its client sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldLink {
    /// The kind of layer that is presented through it.
    pub layer: &'static str,
    /// The interface of this machine.
    pub interface: String,
    /// Bits per second that each of its ends sends at most, heads of Ethernet and IP among them.
    pub bits_per_s: f64,
    /// Bytes that a packet has at most, from the head of IP on.
    pub mtu: u32,
}

/// Those of a stack of which these layers were made; what was written down of others stands before that of its own.
pub(in crate::workload::disk::stack) fn held_links(
    stack: &LayerStack,
    height: usize,
    records: &[LayerRecord],
) -> Vec<HeldLink> {
    let made = stack.layers.iter().take(height).rev().zip(records.iter().rev());
    let link = |(layer, record): (&StackLayer, &LayerRecord)| {
        let bits_per_s = bit_rate(layer)?;
        let network = LayerNetwork::of(record).ok()?;
        let interface = network.interface().to_owned();
        Some(HeldLink { layer: layer.spec.name, interface, bits_per_s, mtu: MTU })
    };
    made.filter_map(link).collect()
}

/// The rate that was asked for; none where nothing is to hold the network.
pub(super) fn bit_rate(layer: &StackLayer) -> Option<f64> {
    layer.options.get(BIT_RATE.name).and_then(Value::number)
}

/// Why the one that was asked for cannot be.
pub(super) fn refuses(layer: &StackLayer) -> Option<String> {
    let bits = bit_rate(layer).filter(|bits| !(LEAST..=MOST).contains(bits))?;
    let given = model::scalar::show(Kind::Rate, &Value::Number(bits));
    Some(format!("bit-rate={given} is not within 1 Mbit/s and 1 Tbit/s"))
}

/// The programs that a layer needs for it.
pub(super) fn programs_of(layer: &StackLayer) -> &'static [Program] {
    if bit_rate(layer).is_some() { PROGRAMS } else { &[] }
}

/// What the kernel must have for it.
pub(super) fn kernel_of(layer: &StackLayer) -> &'static [KernelPart] {
    if bit_rate(layer).is_some() { KERNEL } else { &[] }
}

/// The words by which tc(8) holds an interface to so many bits per second.
pub(super) fn words(interface: &str, bits_per_s: f64) -> Vec<String> {
    let bytes_per_s = bits_per_s / 8.0;
    let burst = (bytes_per_s / BURST).max(2.0 * (f64::from(MTU) + HEAD));
    let limit = burst + bytes_per_s / WAITING;
    let sizes = [("rate", format!("{bits_per_s:.0}bit")), ("burst", whole(burst)), ("limit", whole(limit))];
    let begin = ["qdisc", "add", "dev", interface, "root", "tbf"].map(str::to_owned);
    begin.into_iter().chain(sizes.into_iter().flat_map(|(name, value)| [name.to_owned(), value])).collect()
}

/// Bytes, of which tc(8) takes 32 bits.
fn whole(bytes: f64) -> String {
    format!("{:.0}", bytes.min(f64::from(u32::MAX)))
}

#[cfg(test)]
mod tests {
    use model::Parameters;

    use super::*;
    use crate::workload::disk::stack::LAYERS;

    fn layer(stack: &str) -> StackLayer {
        LayerStack::parse(stack, LAYERS).unwrap().layers.pop().unwrap()
    }

    #[test]
    fn a_rate_is_a_bucket_with_room_for_packets() {
        let said = words("hr0a", 100e6).join(" ");
        assert_eq!(said, "qdisc add dev hr0a root tbf rate 100000000bit burst 312500 limit 1562500");
        // Two packets at least.
        assert!(words("hr0a", 1e6).join(" ").contains("burst 3125 limit 15625"));
        assert!(words("hr0a", 8e5).join(" ").contains("burst 3036 limit 13036"));
        assert!(words("hr0a", 1e12).join(" ").ends_with("burst 3125000000 limit 4294967295"));
    }

    #[test]
    fn only_who_asks_for_a_rate_needs_tc_and_it_has_bounds() {
        for way in ["iscsi", "nvme-tcp", "loop > ext4 > nfs"] {
            let plain = layer(way);
            assert_eq!((bit_rate(&plain), refuses(&plain)), (None, None), "{way}");
            assert!(programs_of(&plain).is_empty() && kernel_of(&plain).is_empty(), "{way}");
            let held = layer(&format!("{way}(bit-rate=16m)"));
            assert_eq!((bit_rate(&held), refuses(&held)), (Some(16e6), None), "{way}");
            assert!(programs_of(&held).contains(&TC) && !kernel_of(&held).is_empty(), "{way}");
            let slow = layer(&format!("{way}(bit-rate=1000)"));
            assert!(refuses(&slow).unwrap().contains("1 Mbit/s"), "{way}");
        }
    }

    #[test]
    fn a_link_is_that_of_the_layer_which_is_held() {
        let stack = LayerStack::parse("loop > iscsi(bit-rate=16m) > ext4", LAYERS).unwrap();
        let record = |kind: &str, name: &str| LayerRecord {
            kind: kind.to_owned(),
            name: name.to_owned(),
            uuid: String::new(),
            below: Vec::new(),
            beside: None,
            on_devices: false,
            place: None,
            access: None,
        };
        let names =
            ["headroom_0123456789abcdef_a", "headroom_0123456789abcdef_1", "headroom_0123456789abcdef_2"];
        let kinds = ["loop", "iscsi", "ext4"];
        let records: Vec<LayerRecord> =
            kinds.into_iter().zip(names).map(|(kind, name)| record(kind, name)).collect();
        let links = held_links(&stack, 2, &records);
        let [link] = &links[..] else { panic!("{links:?}") };
        assert_eq!(
            (link.layer, link.interface.as_str(), link.bits_per_s),
            ("iscsi", "hr0123456789a1a", 16e6)
        );
        assert_eq!(held_links(&stack, 1, &records[..2]), links);
        assert!(held_links(&stack, 0, &records[..1]).is_empty());
        let plain = StackLayer { options: Parameters::default(), ..layer("iscsi") };
        assert_eq!(bit_rate(&plain), None);
    }
}
