//! A window that is full: what the receiver offers, what the sender's own buffer
//! takes, or a congestion window that somebody clamps. TCP's own account of its time tells of most; over a long way what is in flight
//! does.

use std::collections::BTreeMap;

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{FactName, Finding, Resource, Severity, Trial, Value, fact, metric};

use super::{Verdict, finding, path};
use crate::{Context, measure};

pub(super) const ENGLISH: &str = r#"
finding-window-bound = the window holds this back: { evidence-window }
    .advice =
        { $which ->
            [congestion] look for what clamps it: a route with `cwnd` and `lock` (`ip route show`), or the congestion control
           *[other] { window-advice }
        }

window-advice =
        give a larger --window or leave it to the kernel; { $which ->
            [send] at the sender a --window may have net.core.wmem_max, and the kernel by itself goes up to the last figure of
                net.ipv4.tcp_wmem
           *[receive] at the receiver a --window may have net.core.rmem_max, and the kernel by itself goes up to the last
                figure of net.ipv4.tcp_rmem
        } (--set socket-buffer-max=32MiB)

evidence-tcp-memory =
    TCP of this machine was short of memory { PERCENT($share) } of the time, so that windows and buffers were kept small
    (net.ipv4.tcp_mem)
evidence-window =
    { $by ->
        [flight] what is in flight fills { PERCENT($share) } of { $which ->
            [receive] the receiver's window
            [congestion] the congestion window, which does not grow though nothing is lost,
           *[send] the sender's own buffer
        } of { BINARY($window) }, at a round trip of { SHORT($rtt_s, unit: "s") } that no queue lengthens{ $emptied ->
            [yes] , and { PERCENT($empty) } of the time all of it was under way while the program waited for room
           *[no] {""}
        }
        [datagrams] sockets of the receiver dropped { PERCENT($share) } of the datagrams that came to them, though each of its
            threads computes, or stands ready for a CPU, { PERCENT($computes) } of the time only: at times more comes than
            their buffer{ $known ->
                [yes] {" "}of { BINARY($window) }
               *[no] {""}
            } holds
       *[account] { $which ->
            [receive] the receiver's window was full
           *[send] the sender's own buffer was full
        } { PERCENT($share) } of the time
    }
"#;

/// A window that is full.
#[derive(Clone, Copy)]
pub(super) struct FullWindow {
    /// `receive` or `send`.
    which: &'static str,
    /// Of the time, by TCP's account; of the window, by what is in flight.
    share: f64,
    /// The window, B, and the round trip, s, where it is by what is in flight.
    flight: Option<(f64, f64)>,
    /// The share of the time for which a buffer had nothing left to send, where that counts.
    empty: Option<f64>,
}

impl FullWindow {
    /// Which held the sender up for this share of the time.
    pub(super) fn by_account(which: &'static str, share: f64) -> Self {
        Self { which, share, flight: None, empty: None }
    }

    /// Of which what is in flight fills this share; the window, B, and the round trip, s.
    pub(super) fn by_flight(which: &'static str, share: f64, flight: (f64, f64)) -> Self {
        Self { which, share, flight: Some(flight), empty: None }
    }

    /// That it is what holds the result back.
    pub(super) fn verdict(self) -> Verdict {
        let mut evidence = Evidence::at("window", Place::Metric(metric::THROUGHPUT));
        evidence.args = self.arguments();
        let mut finding = finding("window-bound", Severity::Note);
        finding.args = self.arguments();
        Verdict::Full(Box::new(finding.because(evidence)))
    }

    fn arguments(&self) -> BTreeMap<String, Value> {
        let (window, rtt_s) = self.flight.unwrap_or_default();
        let by = if self.flight.is_some() { "flight" } else { "account" };
        let all: [(&str, Value); 7] = [
            ("which", self.which.into()),
            ("share", self.share.into()),
            ("by", by.into()),
            ("window", window.into()),
            ("rtt_s", rtt_s.into()),
            ("emptied", self.empty.is_some().into()),
            ("empty", self.empty.unwrap_or_default().into()),
        ];
        all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// Verdicts on streams that may be what a lack of memory makes them.
const SHORT: [&str; 5] = ["window-bound", "cannot-tell", "path-full", "server-bound", "loss-bound"];

/// From this share of the time on a lack of memory is felt.
const LACKED: f64 = 0.05;

/// That TCP was short of memory: it then takes no more than it must, on both ways (`tcp_mem`, tcp(7)).
pub(super) fn lacking(named: &Finding, case: &CaseResult, _context: &Context<'_>) -> Option<Evidence> {
    if !measure::is_net(case) || !SHORT.contains(&named.code.as_str()) {
        return None;
    }
    // Milliseconds.
    let of = |trial: &Trial| Some(measure::rate(trial, &Resource::TCP, PRESSED)? / 1e3);
    let share = measure::median(case, of).filter(|share| *share >= LACKED)?;
    Some(
        Evidence::at("tcp-memory", measure::place(case, &Resource::TCP, PRESSED)?)
            .arg("share", share.min(1.0)),
    )
}

/// What counts for how long TCP was short of memory.
const PRESSED: &str = "TCPMemoryPressuresChrono";

/// From this share of a window on, what is in flight fills it: the last segment may
/// be missing, and acknowledgements come for two.
const FILLS: f64 = 0.8;

/// From this share of a send buffer on, where it ran out, too: the kernel lets a buffer grow to
/// twice what the congestion window takes (`tcp_sndbuf_expand` in `net/ipv4/tcp_input.c`), so with more in flight
/// it is the buffer that is small. A program that waits for room is woken when a third is free
/// (`sk_stream_is_writeable`), and a paced sender (BBR) spreads the rest over the round trip.
const FILLS_HALF: f64 = 0.5;

/// For this share of the time all that a buffer had was under way, though the program had more.
/// What waits for the path waits in the buffer, which then never runs out.
const EMPTIED: f64 = 0.1;

/// A sender whose threads compute for less than this share of the time waits for its socket:
/// there is nothing else that it does.
const WAITS: f64 = 0.5;

/// A congestion window stands where it is never larger than this, of its median: one that nothing clamps grows until something is
/// lost (RFC 5681, RFC 9438).
const STANDS: f64 = 1.05;

/// A lossless way: one in ten thousand may be a segment that only came late.
const LOST: f64 = 0.0001;

/// A congestion window that does not grow though nothing is lost, no queue stands on the way and all of it is in flight: a route
/// (`cwnd` with `lock`, ip-route(8)), or a congestion control of somebody's own, clamps it.
pub(super) fn clamped(case: &CaseResult) -> Option<FullWindow> {
    if measure::goes_both_ways(case) {
        return None;
    }
    let sender = measure::sender(case);
    let of = |trial: &Trial| {
        let rtt = measure::measured(trial, metric::RTT)?;
        let least = sender.number(trial, fact::LEAST_RTT).filter(|least| *least > 0.0)?;
        let window = sender.number(trial, fact::CONGESTION_WINDOW).filter(|window| *window > 0.0)?;
        let stands = sender.number(trial, fact::CONGESTION_WINDOW_MOST)? <= STANDS * window;
        let segments = measure::measured(trial, metric::THROUGHPUT)? * trial.result.window?.seconds()
            / sender.number(trial, fact::MSS).filter(|mss| *mss > 0.0)?;
        let is_lossless = measure::measured(trial, metric::RETRANSMITS)? <= LOST * segments;
        let each = measure::measured(trial, metric::THROUGHPUT)? / measure::concurrency(case);
        let share = each * rtt / window;
        (stands && is_lossless && rtt <= path::QUEUED * least).then_some((share, (share, (window, rtt))))
    };
    let trials = measure::good(case).count();
    // One that stands now and then has not found its size yet.
    let all = measure::good(case).filter_map(of).count() == trials;
    let (share, flight) = measure::middle(case, of).filter(|_| all)?;
    (share >= FILLS).then(|| FullWindow::by_flight("congestion", share.min(1.0), flight))
}

/// The window by what is in flight, which is the rate times the round trip (Little's law). Over
/// a long way TCP's own account misses it: the window opens a little with each
/// acknowledgement, and each time is used at once. Far above the least round trip a
/// queue stands before something that is slower. `empty` is the share of the time for which the
/// send buffer had nothing left to send.
pub(super) fn in_flight(case: &CaseResult, empty: Option<f64>) -> Option<FullWindow> {
    if measure::goes_both_ways(case) {
        return None;
    }
    let sender = measure::sender(case);
    let of = |trial: &Trial, name: FactName| {
        let rtt = measure::measured(trial, metric::RTT)?;
        let least = sender.number(trial, fact::LEAST_RTT).filter(|least| *least > 0.0)?;
        let window = sender.number(trial, name).filter(|window| *window > 0.0)?;
        let each = measure::measured(trial, metric::THROUGHPUT)? / measure::concurrency(case);
        let share = each * rtt / window;
        (rtt <= path::QUEUED * least).then_some((share, (share, (window, rtt))))
    };
    let full = |(which, name, least, empty): (&'static str, FactName, f64, Option<f64>)| {
        let (share, flight) = measure::middle(case, |trial| of(trial, name))?;
        (share >= least).then_some(FullWindow { which, share: share.min(1.0), flight: Some(flight), empty })
    };
    // All that the send buffer ever held being in flight, nothing waits in it for the path. That
    // it was full is known where the program waited for room: one that computes fills no more.
    let waits = sender.worker_share(case).is_some_and(|share| share < WAITS);
    let empty = empty.filter(|empty| *empty >= EMPTIED);
    let least = if empty.is_some() { FILLS_HALF } else { FILLS };
    let buffer = waits.then_some(("send", fact::SEND_BUFFER_MOST, least, empty));
    let windows = [("receive", fact::PEER_WINDOW, FILLS, None)].into_iter().chain(buffer);
    windows.filter_map(full).max_by(|a, b| a.share.total_cmp(&b.share))
}
