//! Packets that a provider queued or dropped because the instance had more than it may
//! have: what the driver of Amazon's adapter counts ("Monitor network performance for
//! your EC2 instance", EC2 User Guide; `drivers/net/ethernet/amazon/ena/ena_ethtool.c`
//! since Linux 5.10). Google's adapter (gVNIC) has no such counters.

use std::collections::BTreeMap;

use model::{Resource, ResourceKind, Unit};

use crate::Host;
use crate::inventory::network::ethtool::Statistics;
use crate::sampler::{ABSENT, Pace, SamplerColumn, SamplerKind, reader};

/// Inbound and outbound bytes, packets both ways, connections that are tracked.
const COUNTERS: &[&str] = &[
    "bw_in_allowance_exceeded",
    "bw_out_allowance_exceeded",
    "pps_allowance_exceeded",
    "conntrack_allowance_exceeded",
];

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "allowance",
    doc: "packets that a provider held back from network adapters whose drivers count them",
    open: |host, scope| {
        let (mut adapters, mut columns) = (Vec::new(), Vec::new());
        for name in &scope.network {
            let Some((adapter, words)) = Adapter::open(host, name) else { continue };
            let resource = Resource::of(ResourceKind::Nic, name);
            let column = |word: &&'static str| SamplerColumn::counter(resource.clone(), word, Unit::One, 1.0);
            columns.extend(words.iter().map(column));
            adapters.push((adapter, words.len()));
        }
        // The driver asks its adapter.
        reader("ethtool(8)", Pace::Slow, columns, move |values| {
            let mut rest = values;
            for (adapter, count) in &mut adapters {
                let (own, others) = rest.split_at_mut(*count);
                rest = others;
                adapter.read(own);
            }
        })
    },
};

/// An adapter that has some of the counters.
enum Adapter {
    /// One of this machine, and where its counters stand.
    Live(Statistics, Vec<usize>),
    /// One of a recording, with what it counted then.
    Recorded(Vec<u64>),
}

impl Adapter {
    /// The adapter and which of the counters it has, in the order of its values.
    fn open(host: &Host, name: &str) -> Option<(Self, Vec<&'static str>)> {
        let mut live = None;
        let ask = || -> Result<BTreeMap<String, u64>, String> {
            let (mut statistics, names) = Statistics::open(name).ok_or("not supported")?;
            let places = places(&names);
            let answer = statistics.read().map(|value| {
                let count = |(word, at): &(&str, usize)| Some(((*word).to_owned(), value(*at)?));
                places.iter().filter_map(count).collect::<BTreeMap<_, _>>()
            });
            live = Some((statistics, places));
            answer.filter(|counts| !counts.is_empty()).ok_or_else(|| "not supported".to_owned())
        };
        let answer = host.probe(&format!("ethtool-statistics/{name}"), ask).ok()?;
        if let Some((statistics, places)) = live {
            let (words, places) = places.into_iter().unzip();
            return Some((Self::Live(statistics, places), words));
        }
        let known = COUNTERS.iter().filter_map(|word| Some((*word, *answer.get(*word)?)));
        let (words, counts): (Vec<&'static str>, Vec<u64>) = known.unzip();
        (!words.is_empty()).then_some((Self::Recorded(counts), words))
    }

    fn read(&mut self, values: &mut [u64]) {
        match self {
            Self::Live(statistics, places) => {
                let Some(value) = statistics.read() else { return };
                values.iter_mut().zip(places.iter()).for_each(|(to, at)| *to = value(*at).unwrap_or(ABSENT));
            }
            Self::Recorded(counts) => values.copy_from_slice(counts),
        }
    }
}

/// Where the counters stand among all of a driver's.
fn places(names: &[String]) -> Vec<(&'static str, usize)> {
    let place = |word: &&'static str| Some((*word, names.iter().position(|name| name == word)?));
    COUNTERS.iter().filter_map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::Scope;

    #[test]
    fn the_counters_are_found_among_those_of_a_driver() {
        let found = |names: &[&str]| places(&names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>());
        let ena = [
            "tx_timeout",
            "suspend",
            "bw_in_allowance_exceeded",
            "bw_out_allowance_exceeded",
            "pps_allowance_exceeded",
            "conntrack_allowance_exceeded",
            "linklocal_allowance_exceeded",
            "queue_0_tx_cnt",
        ];
        let places: Vec<usize> = found(&ena).into_iter().map(|(_, at)| at).collect();
        assert_eq!(places, [2, 3, 4, 5]);
        assert_eq!(found(&["x", "pps_allowance_exceeded"]), [("pps_allowance_exceeded", 1)]);
        assert!(found(&["rx_queue_0_packets"]).is_empty());
    }

    #[test]
    fn a_recorded_adapter_has_what_it_counted() {
        let host = Host::parse(
            "==> /probe/ethtool-statistics/ens5\n{\"bw_out_allowance_exceeded\": 70, \"tx_timeout\": 1, \
             \"pps_allowance_exceeded\": 3}\n\
             ==> /probe/ethtool-statistics/ens6\n{\"tx_timeout\": 1}\n",
        );
        let network = ["ens5", "ens6", "ens7"].map(str::to_owned).to_vec();
        let mut all = (KIND.open)(&host, &Scope { network, ..Scope::default() });
        let mut values = [0; 2];
        all[0].read(&mut values);
        assert_eq!((all.len(), values), (1, [70, 3]));
        let names: Vec<&str> = all[0].columns().iter().map(|c| c.name).collect();
        assert_eq!(names, ["bw_out_allowance_exceeded", "pps_allowance_exceeded"]);
        assert_eq!(all[0].columns()[0].resource.as_str(), "nic:ens5");
    }
}
