//! Pause frames of Ethernet (IEEE 802.3, annex 31B): one end of a wire asks the
//! other to stop sending for a while, because its buffers are full. Each driver
//! counts them under a name of its own (`ethtool -S`).

use model::{Resource, ResourceKind, Unit};

use crate::inventory::network::ethtool::Statistics;
use crate::sampler::{ABSENT, Pace, SamplerColumn, SamplerKind, reader};

/// What drivers call frames that asked this end to stop: mlx4, sfc; bnxt, be2net;
/// mlx5; e1000e, igb, ixgbe; tg3; i40e; ice.
const RECEIVED: &[&str] = &[
    "rx_pause",
    "rx_pause_frames",
    "rx_pause_ctrl_phy",
    "rx_flow_control_xoff",
    "rx_xoff_pause_rcvd",
    "port.link_xoff_rx",
    "link_xoff_rx.nic",
];

/// And those by which this end asked the other.
const SENT: &[&str] = &[
    "tx_pause",
    "tx_pause_frames",
    "tx_pause_ctrl_phy",
    "tx_flow_control_xoff",
    "tx_xoff_sent",
    "port.link_xoff_tx",
    "link_xoff_tx.nic",
];

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "pause",
    doc: "pause frames of network adapters whose drivers count them",
    open: |host, scope| {
        // A recording has no driver that could be asked.
        if !host.is_this() {
            return Vec::new();
        }
        // Each adapter with the places of its counters.
        let (mut adapters, mut columns) = (Vec::new(), Vec::new());
        for name in &scope.network {
            let Some((statistics, names)) = Statistics::open(name) else { continue };
            let found = places(&names);
            if found.is_empty() {
                continue;
            }
            let column = |(word, _): &(&'static str, usize)| {
                SamplerColumn::counter(Resource::of(ResourceKind::Nic, name), word, Unit::One, 1.0)
            };
            columns.extend(found.iter().map(column));
            adapters.push((statistics, found.into_iter().map(|(_, at)| at).collect::<Vec<_>>()));
        }
        // A driver may have to ask its adapter.
        reader("ethtool(8)", Pace::Slow, columns, move |values| {
            let mut rest = values;
            for (statistics, places) in &mut adapters {
                let (own, others) = rest.split_at_mut(places.len());
                rest = others;
                let Some(value) = statistics.read() else { continue };
                own.iter_mut().zip(places.iter()).for_each(|(to, at)| *to = value(*at).unwrap_or(ABSENT));
            }
        })
    },
};

/// Where a driver's counters of pause frames stand among all.
fn places(names: &[String]) -> Vec<(&'static str, usize)> {
    let place = |of: &[&str]| names.iter().position(|name| of.contains(&name.as_str()));
    let both = [("rx_pause", place(RECEIVED)), ("tx_pause", place(SENT))];
    both.into_iter().filter_map(|(word, at)| Some((word, at?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pause_frames_are_found_under_the_name_that_a_driver_gives_them() {
        let found = |names: &[&str]| places(&names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>());
        let igb = ["rx_packets", "tx_flow_control_xon", "rx_flow_control_xoff", "tx_flow_control_xoff"];
        assert_eq!(found(&igb), [("rx_pause", 2), ("tx_pause", 3)]);
        assert_eq!(found(&["rx_prio0_pause", "rx_pause_ctrl_phy"]), [("rx_pause", 1)]);
        assert!(found(&["rx_queue_0_packets"]).is_empty());
    }
}
