//! A server that is no end of ours: nobody asks its kernel. What the client sees of it is how long it
//! waited for it, and how long for its own device.

use model::finding::{Evidence, Place};
use model::profile::Aspect;
use model::run::CaseResult;
use model::{FactName, Severity, Trial, fact, metric};

use super::network::DECIDES;
use super::window::FullWindow;
use super::{Verdict, finding};
use crate::measure;

pub(super) const ENGLISH: &str = r#"
finding-server-bound =
    server-bound: { $how ->
        [stream] the client waits { PERCENT($share) } of the time for the server to send, and nothing that is known on the
            way is full
       *[requests] { FIXED($outstanding) } at a time, each answered after { SHORT($latency_s, unit: "s") }, of which the
            network round trip takes { SHORT($rtt_s, unit: "s") }
    }
    .advice =
        { $how ->
            [stream] look at the server and at the way from it: its processors, its devices, limits that it sets; whether
                more --streams get more from it, a sweep tells (--streams 1,4,16)
           *[requests] look at the server: its processors, its devices, and what its program waits for; whether more
                --connections get more from it, a sweep tells (--connections 1,4,16,64)
        }

finding-device-bound =
    { RESOURCE($resource) } holds this back: { PERCENT($share) } of the time the client waits for it to take what came,
    and the server waits meanwhile
    .advice =
        what the device can do alone, headroom run disk --pattern write --block-size { BINARY($buffer) } tells; a larger
        --buffer makes larger writes, and more --streams write at once

evidence-client-waited =
    the client waited for the server { PERCENT($server) } of the time{ $writes ->
        [yes] {" "}and wrote { PERCENT($written) } of it
       *[no] {""}
    }
"#;

/// What is spent in the server, of requests that are answered after `mean` seconds.
pub(super) fn answers(case: &CaseResult, mean: f64) -> Option<Verdict> {
    let rtt_s = least_rtt(case).filter(|rtt_s| mean - rtt_s >= DECIDES * mean)?;
    Some(Verdict::Full(Box::new(
        finding("server-bound", Severity::Note)
            .arg("how", "requests")
            .arg("outstanding", measure::concurrency(case))
            .arg("latency_s", mean)
            .arg("rtt_s", rtt_s)
            .because(measure::latency_evidence(mean)),
    )))
}

/// The least round trip of TCP to a server, seconds.
fn least_rtt(case: &CaseResult) -> Option<f64> {
    measure::profile(case).parameter(Aspect::Server)?;
    measure::median(case, |trial| measure::number(trial, fact::RTT_LEAST))
}

/// Whether the client writes what comes from an end of ours for most of its time: then its window is full
/// because a device takes its time, not because the window is small or the processor slow.
pub(super) fn waits_for_writes(case: &CaseResult) -> bool {
    measure::has_far_end(case) && share(case, fact::WRITE_SHARE).is_some_and(|share| share >= DECIDES)
}

fn share(case: &CaseResult, name: FactName) -> Option<f64> {
    measure::median(case, |trial| measure::number(trial, name))
}

/// What holds back a client to which a server sends, where no link and no processor is full. Of an end of
/// ours more is known than how long it was waited for.
pub(super) fn sends(case: &CaseResult) -> Option<Verdict> {
    let is_ours = measure::has_far_end(case);
    if let Some(window) = window(case).filter(|_| !is_ours) {
        return Some(window.verdict());
    }
    let share = |name| share(case, name);
    let evidence = spent(case)?;
    if let Some(share) = share(fact::SERVER_WAIT_SHARE).filter(|share| *share >= DECIDES && !is_ours) {
        let found = finding("server-bound", Severity::Note).arg("how", "stream").arg("share", share);
        return Some(Verdict::Full(Box::new(found.because(evidence))));
    }
    let written = share(fact::WRITE_SHARE).filter(|share| *share >= DECIDES && measure::is_direct(case))?;
    let device = measure::devices_name(case)?;
    let buffer = measure::profile(case).flows.iter().find_map(|flow| flow.sizes.first());
    Some(Verdict::Full(Box::new(
        finding("device-bound", Severity::Note)
            .on(device)
            .arg("share", written)
            .arg("buffer", buffer.map_or(0, |size| size.bytes))
            .because(evidence),
    )))
}

/// How much of its time the client waited and wrote.
pub(super) fn spent(case: &CaseResult) -> Option<Evidence> {
    let server = share(case, fact::SERVER_WAIT_SHARE)?;
    let written = share(case, fact::WRITE_SHARE);
    Some(
        Evidence::at("client-waited", Place::Fact(fact::SERVER_WAIT_SHARE))
            .arg("server", server)
            .arg("writes", written.is_some())
            .arg("written", written.unwrap_or_default()),
    )
}

/// From this share of its own window on, what is in flight fills it: see `window`.
const FILLS: f64 = 0.8;

/// The client's own window, by what is in flight: the rate times the least round trip (Little's law).
/// With a queue on the way it is more, so that it is full all the more.
fn window(case: &CaseResult) -> Option<FullWindow> {
    least_rtt(case)?;
    let of = |trial: &Trial| {
        let rtt = measure::number(trial, fact::RTT_LEAST).filter(|rtt| *rtt > 0.0)?;
        let window = measure::number(trial, fact::OWN_WINDOW).filter(|window| *window > 0.0)?;
        let each = measure::measured(trial, metric::THROUGHPUT)? / measure::concurrency(case);
        let share = each * rtt / window;
        Some((share, (share, window, rtt)))
    };
    let (share, window, rtt) = measure::middle(case, of)?;
    (share >= FILLS).then(|| FullWindow::by_flight("receive", share.min(1.0), (window, rtt)))
}
