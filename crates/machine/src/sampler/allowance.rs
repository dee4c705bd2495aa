//! Packets that a provider queued or dropped because the instance had more than it may
//! have: what the driver of Amazon's adapter counts ("Monitor network performance for
//! your EC2 instance", EC2 User Guide; `drivers/net/ethernet/amazon/ena/ena_ethtool.c`
//! since Linux 5.10).
//!
//! Google's adapter (gVNIC) has no such counters: of what `gve_get_strings` names in
//! `drivers/net/ethernet/google/gve/gve_ethtool.c` nothing says that the instance had more than it
//! may have. What is read of it tells how its rate is held: it stops the driver's queues
//! (`tx_stop[N]`: the ring is full, for the host takes packets more slowly than they come), drops
//! what comes in and finds no buffer (`rx_queue_drop_cnt[N]`, `rx_no_buffers_posted[N]`, which the
//! adapter itself reports, every 20 s and only where `ethtool --set-priv-flags ... report-stats on`
//! asks for it), and resets (`tx_timeouts`, `reset_cnt`, `interface_down_cnt`). A full ring is no
//! proof of an allowance, for a link has one too; hence no rule reads them. Counters of queues are
//! added up.

use std::collections::BTreeMap;

use model::{Resource, ResourceKind, Unit};

use crate::Host;
use crate::inventory::network::ethtool::Statistics;
use crate::sampler::{ABSENT, Pace, SamplerColumn, SamplerKind, reader};

/// Inbound and outbound bytes, packets both ways, connections that are tracked; then those of
/// gVNIC, of which the first three are each queue's.
const COUNTERS: &[&str] = &[
    "bw_in_allowance_exceeded",
    "bw_out_allowance_exceeded",
    "pps_allowance_exceeded",
    "conntrack_allowance_exceeded",
    "tx_stop",
    "rx_queue_drop_cnt",
    "rx_no_buffers_posted",
    "interface_down_cnt",
    "reset_cnt",
    "tx_timeouts",
];

/// By this counter the driver of gVNIC is known: others have some of the same names.
const OF_GVNIC: &str = "stats_report_trigger_cnt";
/// How many of [`COUNTERS`] are Amazon's.
const AMAZON: usize = 4;

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "allowance",
    doc: "packets that a provider held back from network adapters whose drivers count them; of gVNIC, how often its queues \
          were stopped or dropped, and its resets",
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
    /// One of this machine, and where its counters stand: of each all that are added up.
    Live(Statistics, Vec<Vec<usize>>),
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
                let all = places.iter().flat_map(|(_, all)| all);
                let count = |at: &usize| Some((names.get(*at)?.clone(), value(*at)?));
                let known = all.filter_map(count).collect::<BTreeMap<_, _>>();
                // What a recording needs to be told as gVNIC's.
                let of_gvnic = names.iter().position(|name| name == OF_GVNIC);
                let mark = of_gvnic
                    .filter(|_| !known.is_empty())
                    .and_then(|at| Some((OF_GVNIC.to_owned(), value(at)?)));
                known.into_iter().chain(mark).collect::<BTreeMap<_, _>>()
            });
            live = Some((statistics, places));
            answer.filter(|counts| !counts.is_empty()).ok_or_else(|| "not supported".to_owned())
        };
        let answer = host.probe(&format!("ethtool-statistics/{name}"), ask).ok()?;
        if let Some((statistics, places)) = live {
            let (words, places) = places.into_iter().unzip();
            return Some((Self::Live(statistics, places), words));
        }
        let (names, values): (Vec<String>, Vec<u64>) = answer.into_iter().unzip();
        let sum = |all: Vec<usize>| all.iter().filter_map(|at| values.get(*at)).sum::<u64>();
        let known = places(&names).into_iter().map(|(word, all)| (word, sum(all)));
        let (words, counts): (Vec<&'static str>, Vec<u64>) = known.unzip();
        (!words.is_empty()).then_some((Self::Recorded(counts), words))
    }

    fn read(&mut self, values: &mut [u64]) {
        match self {
            Self::Live(statistics, places) => {
                let Some(value) = statistics.read() else { return };
                let sum = |all: &Vec<usize>| all.iter().map(|at| value(*at)).sum::<Option<u64>>();
                values.iter_mut().zip(places.iter()).for_each(|(to, all)| *to = sum(all).unwrap_or(ABSENT));
            }
            Self::Recorded(counts) => values.copy_from_slice(counts),
        }
    }
}

/// Where the counters stand among all of a driver's: those with its name, and with it and the
/// number of a queue.
fn places(names: &[String]) -> Vec<(&'static str, Vec<usize>)> {
    let is_gvnic = names.iter().any(|name| name == OF_GVNIC);
    let counters = if is_gvnic { COUNTERS } else { &COUNTERS[..AMAZON] };
    let is_of = |name: &str, word: &str| {
        name.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
    };
    let place = |word: &&'static str| {
        let all = (0..names.len()).filter(|at| is_of(&names[*at], word)).collect::<Vec<_>>();
        (!all.is_empty()).then_some((*word, all))
    };
    counters.iter().filter_map(place).collect()
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
        let places: Vec<Vec<usize>> = found(&ena).into_iter().map(|(_, all)| all).collect();
        assert_eq!(places, [[2], [3], [4], [5]]);
        assert_eq!(found(&["x", "pps_allowance_exceeded"]), [("pps_allowance_exceeded", vec![1])]);
        assert!(found(&["rx_queue_0_packets"]).is_empty());
        assert!(found(&["reset_cnt", "tx_timeouts"]).is_empty(), "another driver's");
    }

    /// As `gve_get_strings` of Linux 6.8 names them, for two queues; counts are made.
    #[test]
    fn counters_of_gvnic_are_added_up_over_its_queues() {
        let host = Host::parse(
            "==> /probe/ethtool-statistics/ens4\n{\"rx_packets\": 9, \"tx_timeouts\": 1, \"interface_up_cnt\": 1, \
             \"interface_down_cnt\": 0, \"reset_cnt\": 2, \"stats_report_trigger_cnt\": 0, \
             \"rx_queue_drop_cnt[0]\": 3, \"rx_no_buffers_posted[0]\": 3, \"rx_queue_drop_cnt[1]\": 4, \
             \"rx_no_buffers_posted[1]\": 0, \"tx_stop[0]\": 70, \"tx_stop[1]\": 30, \"tx_stopped\": 5}\n",
        );
        let network = vec!["ens4".to_owned()];
        let mut all = (KIND.open)(&host, &Scope { network, ..Scope::default() });
        let mut values = [0; 6];
        all[0].read(&mut values);
        let names: Vec<&str> = all[0].columns().iter().map(|c| c.name).collect();
        let expected = [
            "tx_stop",
            "rx_queue_drop_cnt",
            "rx_no_buffers_posted",
            "interface_down_cnt",
            "reset_cnt",
            "tx_timeouts",
        ];
        assert_eq!((names, values), (expected.to_vec(), [100, 7, 3, 0, 2, 1]));
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
