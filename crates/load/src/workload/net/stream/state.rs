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
            peer_window: info.peer_window().map(f64::from),
            retransmits: info.retransmits().map(f64::from),
            spurious: info.duplicates().map(f64::from),
            busy_s: us(info.busy_us()),
            receive_limited_s: us(info.receive_window_limited_us()),
            send_limited_s: us(info.send_buffer_limited_us()),
            delivery_rate: info.delivery_rate().map(|v| v as f64),
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
    middle(fact::PEER_WINDOW, median(&book.values(window, |s| s.peer_window)));
    middle(fact::LEAST_RTT, median(&book.values(window, |s| s.least_rtt_s)));
    if let Some(spurious) = book.change(window, |s| s.spurious) {
        into.facts.insert(fact::SPURIOUS_RETRANSMITS, Value::Number(spurious));
    }
    let most = book.values(whole, |s| s.queued).into_iter().reduce(f64::max);
    if let Some(most) = most {
        into.facts.insert(fact::SEND_BUFFER_MOST, Value::Integer(most as u64));
    }
}
