//! What a sender sees of its TCP connection over time, and what is made of it.

use std::os::fd::AsFd;

use engine::{SideMetrics, clock};
use model::trial::Window;
use model::{FactName, MetricName, Quantity, SeriesName, Unit, Value, fact, metric};

use crate::workload::net::socket;
use crate::workload::net::tcp_info::TcpInfo;
use crate::workload::net::worker_samples::{SampleCollector, Timed, WorkerSamples};

/// What was seen at one moment; absent what the kernel does not tell.
#[derive(Clone, Copy, Debug)]
pub(in crate::workload) struct State {
    at_ns: u64,
    rtt_s: Option<f64>,
    /// The least so far.
    least_rtt_s: Option<f64>,
    /// The congestion window, bytes.
    window: Option<f64>,
    /// The largest segment, bytes.
    segment: Option<f64>,
    /// What the other end offers, bytes.
    peer_window: Option<f64>,
    /// Segments sent again so far.
    retransmits: Option<f64>,
    /// Of these, those that the other end had already.
    spurious: Option<f64>,
    /// Seconds so far with data under way, and of these those that the
    /// receiver's window and the own buffer held up.
    busy_s: Option<f64>,
    receive_limited_s: Option<f64>,
    send_limited_s: Option<f64>,
    /// B/s.
    delivery_rate: Option<f64>,
    /// The rate at which it is paced, B/s.
    pacing_rate: Option<f64>,
    /// Bytes in the socket that are not acknowledged.
    queued: Option<f64>,
}

impl Timed for State {
    fn at_ns(&self) -> u64 {
        self.at_ns
    }
}

impl State {
    /// What `stream` is like now; `None` if the kernel does not say.
    fn of(stream: &impl AsFd, at_ns: u64) -> Option<Self> {
        let info = TcpInfo::of(stream)?;
        let us = |us: Option<u64>| us.map(|us| us as f64 / 1e6);
        let bytes =
            info.congestion_window().zip(info.send_mss()).map(|(w, mss)| f64::from(w) * f64::from(mss));
        Some(Self {
            at_ns,
            rtt_s: us(info.rtt_us().map(u64::from)),
            // The kernel has this one before it has measured.
            least_rtt_s: us(info.least_rtt_us().filter(|us| *us != u32::MAX).map(u64::from)),
            window: bytes,
            segment: info.send_mss().map(f64::from),
            peer_window: info.peer_window().map(f64::from),
            retransmits: info.retransmits().map(f64::from),
            spurious: info.duplicates().map(f64::from),
            busy_s: us(info.busy_us()),
            receive_limited_s: us(info.receive_window_limited_us()),
            send_limited_s: us(info.send_buffer_limited_us()),
            delivery_rate: info.delivery_rate().map(|v| v as f64),
            pacing_rate: info.pacing_rate().filter(|rate| *rate < u64::MAX).map(|v| v as f64),
            queued: socket::queued(stream).map(|v| v as f64),
        })
    }
}

/// Looks at `stream` if it is time to, or `always`.
#[inline]
pub(in crate::workload) fn look(track: &mut WorkerSamples<State>, stream: &impl AsFd, always: bool) {
    let now_ns = clock::now_ns();
    if always || track.is_due(now_ns) {
        see(track, stream, now_ns);
    }
}

#[cold]
fn see(track: &mut WorkerSamples<State>, stream: &impl AsFd, now_ns: u64) {
    if let Some(state) = State::of(stream, now_ns) {
        track.put(state);
    }
}

/// Metrics, series and facts of all senders of this end.
pub(in crate::workload) fn seen(book: &SampleCollector<State>, window: Window, into: &mut SideMetrics) {
    let connections = book.workers();
    if connections == 0 {
        return;
    }
    let median = |all: &[f64]| stats::interval::median(all);
    let sum = |all: &[f64]| Some(all.iter().sum());
    let mut metric = |name: MetricName, value: Option<f64>, unit| {
        if let Some(value) = value {
            into.metrics.insert(name, Quantity { value, unit });
        }
    };
    metric(metric::RETRANSMITS, book.change(window, |s| s.retransmits), Unit::One);
    metric(metric::RTT, median(&book.values(window, |s| s.rtt_s)), Unit::Seconds);
    let until_ns = window.end_ns;
    into.series.extend(book.gauge((SeriesName::new("rtt"), Unit::Seconds), until_ns, |s| s.rtt_s, median));
    into.series.extend(book.gauge(
        (SeriesName::new("congestion_window"), Unit::Bytes),
        until_ns,
        |s| s.window,
        sum,
    ));
    into.series
        .extend(book.rate((SeriesName::new("retransmits"), Unit::PerSecond), until_ns, |s| s.retransmits));
    // Of one connection: what all took together says nothing of one that waited.
    let mut mean = |name: FactName, value: Option<f64>| {
        if let Some(value) = value {
            into.facts.insert(name, Value::Number(value / connections as f64));
        }
    };
    mean(fact::BUSY_TIME, book.change(window, |s| s.busy_s));
    mean(fact::RECEIVE_WINDOW_LIMITED_TIME, book.change(window, |s| s.receive_limited_s));
    mean(fact::SEND_BUFFER_LIMITED_TIME, book.change(window, |s| s.send_limited_s));
    let rates = book.values(window, |s| s.delivery_rate);
    mean(FactName::new("delivery_rate"), median(&rates).map(|rate| rate * connections as f64));
    let whole = Window { start_ns: 0, end_ns: u64::MAX };
    let mut middle = |name: FactName, value: Option<f64>| {
        if let Some(value) = value {
            into.facts.insert(name, Value::Number(value));
        }
    };
    let windows = book.values(window, |s| s.window);
    middle(fact::CONGESTION_WINDOW, median(&windows));
    middle(fact::CONGESTION_WINDOW_MOST, windows.into_iter().reduce(f64::max));
    middle(fact::PEER_WINDOW, median(&book.values(window, |s| s.peer_window)));
    middle(fact::PACING_RATE, median(&book.values(window, |s| s.pacing_rate)));
    middle(fact::LEAST_RTT, median(&book.values(window, |s| s.least_rtt_s)));
    if let Some(spurious) = book.change(window, |s| s.spurious) {
        into.facts.insert(fact::SPURIOUS_RETRANSMITS, Value::Number(spurious));
    }
    let most = book.values(whole, |s| s.queued).into_iter().reduce(f64::max);
    if let Some(most) = most {
        into.facts.insert(fact::SEND_BUFFER_MOST, Value::Integer(most as u64));
    }
}

/// TCP's account goes by the kernel's ticks, so that it says nothing of a window shorter than 100 of 4 ms
/// (CONFIG_HZ=250), s.
const ACCOUNT_LEAST_S: f64 = 0.4;

/// So many segments are no more under way: a receiver may keep its acknowledgement back (RFC 9293, section 3.8.6.3),
/// also until it answers.
const DELAYED: f64 = 2.0;

/// How a server that is no end of ours took what was sent to it: for which share of the window its own window was
/// full, and at which share of the looks it had acknowledged all but what may be delayed; and what else TCP tells of the way to it. Of a connection that was
/// made anew meanwhile nobody hands in a track: its counters began anew, too.
pub(in crate::workload) fn taken(book: &SampleCollector<State>, window: Window, into: &mut SideMetrics) {
    let all_s = window.seconds() * book.workers() as f64;
    if all_s <= 0.0 || window.seconds() < ACCOUNT_LEAST_S {
        return;
    }
    let full = book.change(window, |s| s.receive_limited_s).map(|full_s| (full_s / all_s).min(1.0));
    let looks = book.values(window, |s| Some(f64::from(u8::from(s.queued? <= DELAYED * s.segment?))));
    let idle = (!looks.is_empty()).then(|| looks.iter().sum::<f64>() / looks.len() as f64);
    for (name, share) in [(fact::SERVER_WINDOW_FULL_SHARE, full), (fact::ALL_ACKNOWLEDGED_SHARE, idle)] {
        into.facts.extend(share.map(|share| (name, Value::Number(share))));
    }
    let connections = book.workers() as f64;
    let mut fact = |name: FactName, value: Option<f64>| {
        into.facts.extend(value.map(|value| (name, Value::Number(value))));
    };
    // Of one connection.
    fact(fact::BUSY_TIME, book.change(window, |s| s.busy_s).map(|all_s| all_s / connections));
    let limited = book.change(window, |s| s.send_limited_s);
    fact(fact::SEND_BUFFER_LIMITED_TIME, limited.map(|all_s| all_s / connections));
    let median = |of: fn(&State) -> Option<f64>| stats::interval::median(&book.values(window, of));
    fact(fact::LEAST_RTT, median(|s| s.least_rtt_s));
    fact(fact::PACING_RATE, median(|s| s.pacing_rate));
    let whole = Window { start_ns: 0, end_ns: u64::MAX };
    let most = book.values(whole, |s| s.queued).into_iter().reduce(f64::max);
    into.facts.extend(most.map(|bytes| (fact::SEND_BUFFER_MOST, Value::Integer(bytes as u64))));
    for (name, value, unit) in [
        (metric::RETRANSMITS, book.change(window, |s| s.retransmits), Unit::One),
        (metric::RTT, median(|s| s.rtt_s), Unit::Seconds),
    ] {
        into.metrics.extend(value.map(|value| (name, Quantity { value, unit })));
    }
    // Of the warm-up too: a window that is full is small until it is emptied.
    let ever = Window { start_ns: 0, end_ns: window.end_ns };
    let most = book.values(ever, |s| s.peer_window).into_iter().reduce(f64::max);
    into.facts.extend(most.map(|bytes| (fact::PEER_WINDOW_MOST, Value::Integer(bytes as u64))));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was seen after so long: seconds with a full window, the window, and what was not acknowledged.
    fn state(at_s: f64, full_s: f64, peer_window: f64, queued: f64) -> State {
        State {
            at_ns: (at_s * 1e9) as u64,
            rtt_s: None,
            least_rtt_s: None,
            window: None,
            segment: Some(1448.0),
            peer_window: Some(peer_window),
            retransmits: None,
            spurious: None,
            busy_s: None,
            receive_limited_s: Some(full_s),
            send_limited_s: None,
            delivery_rate: None,
            pacing_rate: None,
            queued: Some(queued),
        }
    }

    fn facts(streams: &[[State; 2]], window: Window) -> Vec<(FactName, f64)> {
        let book = SampleCollector::default();
        for seen in streams {
            let mut track = WorkerSamples::default();
            seen.iter().for_each(|state| track.put(*state));
            book.hand_in(&mut track);
        }
        let mut into = SideMetrics::default();
        taken(&book, window, &mut into);
        assert!(into.series.is_empty());
        into.facts.iter().filter_map(|(name, value)| Some((*name, value.number()?))).collect()
    }

    #[test]
    fn a_server_s_window_and_what_it_had_acknowledged_are_shares_of_the_time_of_all_streams() {
        let second = Window { start_ns: 1_000_000_000, end_ns: 2_000_000_000 };
        let streams = [
            [state(1.0, 0.5, 65_536.0, 40_000.0), state(2.0, 0.75, 512.0, 2_000.0)],
            [state(1.0, 0.0, 512.0, 3_000.0), state(2.0, 0.0, 512.0, 40_000.0)],
        ];
        let found = facts(&streams, second);
        let expected = [
            (fact::ALL_ACKNOWLEDGED_SHARE, 0.25),
            (fact::PEER_WINDOW_MOST, 65_536.0),
            (fact::SERVER_WINDOW_FULL_SHARE, 0.125),
        ];
        for (name, share) in expected {
            let is = found.iter().find(|(known, _)| *known == name).map(|(_, is)| *is);
            assert!(is.is_some_and(|is| (is - share).abs() < 1e-9), "{name:?}: {found:?}");
        }
        // What TCP says of the way is of one connection.
        let mut slow = streams[0];
        for (state, (busy_s, limited_s)) in slow.iter_mut().zip([(1.0, 0.0), (1.8, 0.5)]) {
            (state.busy_s, state.send_limited_s, state.least_rtt_s) =
                (Some(busy_s), Some(limited_s), Some(0.01));
        }
        let found = facts(&[slow], second);
        for (name, value) in
            [(fact::BUSY_TIME, 0.8), (fact::SEND_BUFFER_LIMITED_TIME, 0.5), (fact::LEAST_RTT, 0.01)]
        {
            let is = found.iter().find(|(known, _)| *known == name).map(|(_, is)| *is);
            assert!(is.is_some_and(|is| (is - value).abs() < 1e-9), "{name:?}: {found:?}");
        }
        let short = Window { start_ns: 1_000_000_000, end_ns: 1_300_000_000 };
        assert!(facts(&streams, short).is_empty(), "shorter than ticks can tell");
        assert!(facts(&[], second).is_empty(), "all connections were made anew");
    }
}
