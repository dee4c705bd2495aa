//! Packets that a machine dropped on the way, by its own counters: the interface
//! that the data passed, the queueing discipline on it, the CPUs that take packets
//! in, and the sockets. Each is named with its end, for what one counts the other
//! never sees.

use std::ops::RangeInclusive;

use model::run::CaseResult;
use model::{Finding, Resource, SeriesName, Severity, Trial, series};

use super::dropped::{self, EndCount};
use crate::measure::End;
use crate::{Context, Rule, RuleCheck, measure};

/// Of those that passed, from this share on drops are told: TCP hardly feels less
/// (Mathis and others, 1997, see the verdict `loss-bound`), and a kernel drops
/// packets of protocols that nobody asked for.
const FELT: f64 = 0.001;

/// Whose counter it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// The interface that the data passed.
    Interface,
    /// The protocol or the CPUs of its machine.
    Whole(&'static str),
}

/// One way in which packets are dropped.
struct DropKind {
    /// As the findings of all languages call it.
    what: &'static str,
    of: Of,
    /// Counters by the kernel's names, added up.
    counters: &'static [&'static str],
    /// Those that are among them and told elsewhere, or no drops.
    less: &'static [&'static str],
    /// Counters of what passed, added up; without any, one is too many.
    passed: &'static [&'static str],
}

/// What is dropped for a connection that cannot be tracked, and the same where the table of connections was full.
const UNTRACKED: &str = "untracked";
const TABLE_FULL: &str = "table-full";

/// `Documentation/networking/statistics.rst` and `snmp_counter.rst`,
/// `net/core/net-procfs.c`.
const WAYS: &[DropKind] = &[
    DropKind { what: "broken-frames", of: Of::Interface, counters: &["rx_errs"], less: &[], passed: &[] },
    DropKind { what: "unsent-frames", of: Of::Interface, counters: &["tx_errs"], less: &[], passed: &[] },
    DropKind {
        what: "missed",
        of: Of::Interface,
        counters: &["rx_missed"],
        less: &[],
        passed: &["rx_missed", "rx_packets"],
    },
    DropKind {
        what: "receive-drops",
        of: Of::Interface,
        counters: &["rx_drop"],
        less: &["rx_missed"],
        passed: &["rx_drop", "rx_packets"],
    },
    DropKind {
        what: "transmit-drops",
        of: Of::Interface,
        counters: &["tx_drop"],
        less: &[],
        passed: &["tx_drop", "tx_packets"],
    },
    DropKind {
        what: "queue-drops",
        of: Of::Interface,
        counters: &["qdisc_drops"],
        less: &[],
        passed: &["qdisc_drops", "tx_packets"],
    },
    DropKind {
        what: "filter-drops",
        of: Of::Interface,
        counters: &["filter_drops"],
        less: &[],
        passed: &["filter_drops", "rx_packets", "tx_packets"],
    },
    DropKind {
        what: "backlog-drops",
        of: Of::Whole("softnet"),
        counters: &["dropped"],
        less: &[],
        passed: &["dropped", "processed"],
    },
    DropKind {
        what: "socket-drops",
        of: Of::Whole("udp"),
        counters: &["RcvbufErrors", "Udp6RcvbufErrors"],
        less: &[],
        passed: &["RcvbufErrors", "Udp6RcvbufErrors", "InDatagrams", "Udp6InDatagrams"],
    },
    DropKind {
        what: "tcp-socket-drops",
        of: Of::Whole("tcp"),
        counters: &["TCPBacklogDrop", "TCPRcvQDrop"],
        less: &[],
        passed: &["InSegs"],
    },
    DropKind {
        what: "turned-away",
        of: Of::Whole("tcp"),
        counters: &["ListenOverflows"],
        less: &[],
        passed: &[],
    },
    DropKind { what: UNTRACKED, of: Of::Whole(CONNECTIONS), counters: &["drop"], less: &[], passed: &[] },
    // What IP was given and did not hand on, without what it counts as an error; pieces that it puts together are one.
    DropKind {
        what: FILTERED_IN,
        of: Of::Whole(BY_IP),
        counters: &["InReceives", "ReasmOKs", "Ip6InReceives", "Ip6ReasmOKs"],
        less: &[
            "InDelivers",
            "ForwDatagrams",
            "ReasmReqds",
            "InHdrErrors",
            "InAddrErrors",
            "InUnknownProtos",
            "InDiscards",
            "Ip6InDelivers",
            "Ip6OutForwDatagrams",
            "Ip6ReasmReqds",
            "Ip6InHdrErrors",
            "Ip6InTooBigErrors",
            "Ip6InNoRoutes",
            "Ip6InAddrErrors",
            "Ip6InUnknownProtos",
            "Ip6InTruncatedPkts",
            "Ip6InDiscards",
            "Ip6InMcastPkts",
        ],
        passed: &["InReceives", "Ip6InReceives"],
    },
    DropKind {
        what: FILTERED_OUT,
        of: Of::Whole(BY_IP),
        counters: &[
            "OutRequests",
            "ForwDatagrams",
            "FragCreates",
            "Ip6OutRequests",
            "Ip6OutForwDatagrams",
            "Ip6FragCreates",
        ],
        // A datagram that a firewall drops is among `OutDiscards`, and a segment of TCP is not.
        less: &[SENT, "FragOKs", "Ip6OutTransmits", "Ip6FragOKs"],
        passed: &["OutRequests", "Ip6OutRequests"],
    },
];

/// From this share of TCP's segments on that did not leave, it is no accident of counting.
const UNSENT: f64 = 0.1;

/// What a firewall dropped of what came, and of what was to leave.
const FILTERED_IN: &str = "filtered-in";
const FILTERED_OUT: &str = "filtered-out";
const BY_IP: &str = "ip";
const CONNECTIONS: &str = "conntrack";
/// Packets that left; older kernels do not count them.
const SENT: &str = "OutTransmits";
/// So few packets that IP did not hand on say nothing: a group that nobody has joined, a broadcast.
const FILTERED_LEAST: f64 = 10.0;
/// So few that were to leave say nothing, where they are so small a part.
const FILTERED_OUT_LEAST: f64 = 3.0;
const FILTERED_OUT_SHARE: f64 = 0.01;
/// Where so many of those that were to leave are missing, they left as another packet's content (IPsec): each is then to leave
/// twice and leaves once, so that it is half of them at most.
const WITHIN_OTHERS: RangeInclusive<f64> = 0.4..=0.52;

/// Ways in which new connections are kept out, or any packet: then it is no accident of the way.
pub(crate) const REFUSING: &[&str] = &["turned-away", UNTRACKED, TABLE_FULL, FILTERED_IN, FILTERED_OUT];

pub(crate) const RULE: Rule = Rule {
    code: "packets-dropped",
    doc: "Counters of the kernel, at either end, that grew in the window: frames with errors and connections that were turned \
         away, whatever their number; packets that the interface missed, or that it, its queueing discipline, filters on it (tc), a CPU's backlog \
         or sockets dropped, from one in a thousand on; and packets, whatever their number, that were dropped because the \
         kernel could not track their connection (`drop` in /proc/net/stat/nf_conntrack). The number is that of the worst trial.",
    english: r#"
finding-packets-dropped =
    { $what ->
        [broken-frames] { RESOURCE($resource) }{ of-end } got { FIXED($count) } broken frames in the window
        [unsent-frames] { RESOURCE($resource) }{ of-end } failed to send { FIXED($count) } frames in the window
        [missed] { RESOURCE($resource) }{ of-end } missed { FIXED($count) } packets in the window, { PERCENT($share) } of
            those that came: its receive ring was full
        [receive-drops] { FIXED($count) } packets that came to { RESOURCE($resource) }{ of-end } were dropped in the
            window, { PERCENT($share) } of all
        [transmit-drops] { FIXED($count) } packets that { RESOURCE($resource) }{ of-end } was to send were dropped in the
            window, { PERCENT($share) } of all
        [queue-drops] the queueing discipline on { RESOURCE($resource) }{ of-end } dropped { FIXED($count) } packets in the
            window, { PERCENT($share) } of those it was given
        [filter-drops] filters on { RESOURCE($resource) }{ of-end } dropped { FIXED($count) } packets in the window,
            { PERCENT($share) } of all that passed
        [backlog-drops] CPUs{ of-end } dropped { FIXED($count) } packets in the window, { PERCENT($share) } of all, before
            any protocol saw them: their backlog was full
        [socket-drops] sockets{ of-end } dropped { FIXED($count) } datagrams in the window, { PERCENT($share) } of those
            that came: the receive buffer was full
        [tcp-socket-drops] sockets{ of-end } dropped { FIXED($count) } segments of TCP in the window, { PERCENT($share) } of
            those that came: their buffers were full
        [table-full] { FIXED($count) } packets{ of-end } were dropped in the window because their connections could not be
            tracked: the kernel's table of connections was full
        [untracked] { FIXED($count) } packets{ of-end } were dropped in the window because their connections could not be
            tracked
        [filtered-in] { FIXED($count) } packets that came{ of-end } were dropped in the window before any protocol had them,
            { PERCENT($share) } of all: by a firewall (nftables, iptables), or for the way that they took (rp_filter)
        [filtered-out] { FIXED($count) } packets that were to be sent{ of-end } were dropped in the window before any interface had
            them, { PERCENT($share) } of all: by a firewall (nftables, iptables)
       *[turned-away] { FIXED($count) } connections{ of-end } were refused in the window: the listen queue was full
    }
    .advice =
        { $what ->
            [broken-frames] a bad cable, transceiver or port breaks frames: `ethtool -S` says how
            [unsent-frames] a carrier that is lost or a duplex that differs breaks frames: `ethtool -S` says how
            [missed] a larger ring (`ethtool -G`), more receive queues (`ethtool -L`) or their interrupts on more CPUs
                take packets out in time
            [receive-drops] `ip -s -s link` and `ethtool -S` say more; a filter, an unknown protocol or a full ring of a
                virtual interface drops them
            [transmit-drops] `ip -s -s link` and `ethtool -S` say more; a longer transmit queue or a lower rate loses
                fewer
            [queue-drops] more was sent than the interface, or a rate that is imposed on it, lets through:
                `tc -s qdisc` says where
            [filter-drops] a policer drops what comes faster than its rate and burst, or a filter has the action to drop:
                `tc -s filter show dev` with `ingress` or `egress` says which
            [backlog-drops] a larger net.core.netdev_max_backlog, or more CPUs that take packets (rps_cpus), lose fewer
            [socket-drops] a larger --window holds more, a --bit-rate sends less, more --streams read on more cores
            [tcp-socket-drops] a program that reads sooner, or a larger buffer (net.ipv4.tcp_rmem, net.core.rmem_max), loses fewer
            [table-full] raise net.netfilter.nf_conntrack_max (and nf_conntrack_buckets), shorten the timeouts of connections
                that are over, or do not track this traffic (notrack)
            [untracked] packets of one connection that arrive together on several CPUs may each ask for an entry, and one is
                dropped; `conntrack -S` counts them; what is not tracked (notrack) is not dropped
            [filtered-in] `nft list ruleset` and `iptables -nvL` show rules that drop or limit (limit, hashlimit, connlimit), with counts
                where they have a counter
            [filtered-out] `nft list ruleset` and `iptables -nvL` show rules that drop or limit (limit, hashlimit, connlimit), with counts
                where they have a counter
           *[turned-away] the listener accepts connections too slowly, or lets too few wait (net.core.somaxconn)
        }

evidence-dropped = { FIXED($count) }
"#,
    check: RuleCheck::Many(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Vec<Finding> {
    dropped::at_ends(case, |end| WAYS.iter().filter_map(move |way| one(case, end, way)))
}

fn one(case: &CaseResult, end: End, way: &DropKind) -> Option<Finding> {
    // One kernel has one backlog, whoever looks at it.
    let is_kernel = way.of == Of::Whole("softnet");
    if is_kernel && end.answers() && measure::is_one_machine(case) {
        return None;
    }
    let all = measure::good(case).filter_map(|trial| seen(trial, end, way));
    let DropCount { what, resource, source, count, share } =
        all.max_by(|a, b| a.count.total_cmp(&b.count))?;
    let is_filtered = [FILTERED_IN, FILTERED_OUT].contains(&what);
    let is_out = what == FILTERED_OUT;
    let is_half = is_out && share.is_some_and(|share| WITHIN_OTHERS.contains(&share));
    // What TCP gave out and did not leave, IPsec does not explain.
    let unsent = || measure::median(case, |trial| measure::unsent(case, trial, end).map(|(share, _)| share));
    let is_other = is_half && unsent().is_none_or(|share| share < UNSENT);
    let is_part = is_out && count >= FILTERED_OUT_LEAST && share.is_some_and(|s| s >= FILTERED_OUT_SHARE);
    let is_known = !is_filtered || (count >= FILTERED_LEAST || is_part) && !is_other;
    let is_much = is_known && share.map_or(count >= 1.0, |share| share >= FELT);
    if !is_much {
        return None;
    }
    let severity = if what == "queue-drops" { Severity::Note } else { Severity::Warning };
    let counted = EndCount { end, count, resource: resource.clone(), source };
    let mut finding = dropped::of_end(RULE.code, severity, case, counted)
        .arg("what", what)
        .arg("share", share.unwrap_or(0.0));
    if way.of == Of::Interface {
        finding = finding.on(resource);
    }
    Some(finding)
}

/// What a firewall of an end drops of what is to leave.
fn filtered_out() -> Option<&'static DropKind> {
    WAYS.iter().find(|way| way.what == FILTERED_OUT)
}

/// Whether a firewall of an end's machine dropped packets that were to leave it.
pub(crate) fn is_kept_by_firewall(case: &CaseResult, end: End) -> bool {
    filtered_out().is_some_and(|way| one(case, end, way).is_some())
}

/// How many it dropped in a trial.
pub(crate) fn kept_by_firewall(case: &CaseResult, trial: &Trial, end: End) -> f64 {
    let kept = filtered_out().filter(|_| is_kept_by_firewall(case, end));
    kept.and_then(|way| seen(trial, end, way)).map_or(0.0, |found| found.count)
}

/// What a trial counted.
struct DropCount {
    /// As the findings of all languages call it.
    what: &'static str,
    resource: Resource,
    source: String,
    count: f64,
    /// Of all that passed, where that is known.
    share: Option<f64>,
}

fn seen(trial: &Trial, end: End, way: &DropKind) -> Option<DropCount> {
    let resource = match way.of {
        Of::Interface => dropped::interface(trial, end)?,
        Of::Whole(name) => Resource::from(name),
    };
    let counters = end.counters(trial);
    let sum = |names: &[&str]| -> Option<f64> {
        names.iter().filter_map(|name| end.change(trial, &resource, name)).reduce(|a, b| a + b)
    };
    let source =
        way.counters.iter().find_map(|name| measure::named(counters, &resource, name))?.source.clone();
    if way.what == FILTERED_OUT {
        measure::named(counters, &resource, SENT)?;
    }
    let mut less = sum(way.less).unwrap_or(0.0);
    if way.of == Of::Whole(BY_IP) {
        // They are told as what could not be tracked.
        less += end.change(trial, &Resource::from(CONNECTIONS), "drop").unwrap_or(0.0);
    }
    let count = (sum(way.counters)? - less).max(0.0);
    let share = (!way.passed.is_empty())
        .then(|| sum(way.passed).filter(|all| *all > 0.0).map_or(0.0, |all| count / all));
    let is_full = way.what == UNTRACKED && table_was_full(trial, end, &resource);
    let what = if is_full { TABLE_FULL } else { way.what };
    Some(DropCount { what, resource, source, count, share })
}

/// From this share of its entries on a table of connections is full: it is looked at once a second only.
const TABLE_USED: f64 = 0.95;

/// Whether the kernel's table of connections was full: it gave up entries for new ones, or held as many as it may.
fn table_was_full(trial: &Trial, end: End, resource: &Resource) -> bool {
    let highest = |name: SeriesName| {
        let all = end.watched(trial)?.series.iter().filter(|s| s.resource == *resource && s.name == name);
        all.flat_map(|s| s.values.iter().copied()).reduce(f64::max)
    };
    let used = highest(series::TRACKED_CONNECTIONS).zip(highest(series::TRACKED_CONNECTIONS_MOST));
    end.change(trial, resource, "early_drop").is_some_and(|given_up| given_up > 0.0)
        || used.is_some_and(|(entries, most)| most > 0.0 && entries >= TABLE_USED * most)
}

#[cfg(test)]
mod tests;
