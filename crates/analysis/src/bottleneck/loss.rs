//! Loss that holds a connection back. How much it takes depends on who answers it: Reno and CUBIC
//! take each lost segment for a sign that they send too fast, BBR goes by what arrives and lets
//! one in twenty be lost without sending slower.
//!
//! Of requests that wait for answers it takes the time until TCP sends again, for nothing behind what was lost tells of it:
//! 200 ms at least, and a second where it is the first segment of a connection. How long requests took is known of each, and
//! the kernel counts its timeouts; both together tell that they waited for these. Who dropped the segments is told elsewhere.

use model::finding::{Evidence, Place};
use model::profile::Transport;
use model::run::CaseResult;
use model::trial::{Counter, MachineTrial};
use model::{Finding, MetricName, Resource, Severity, Trial, fact, metric};
use stats::distribution::Bucket;

use super::network::{self, DECIDES};
use super::{Verdict, finding, shown, unsent};
use crate::measure::End;
use crate::validity::packets_dropped;
use crate::{Context, measure};

/// From this share of segments sent again on, loss is felt: at a loss of p a
/// connection gets at most about 1.22 mss / (rtt sqrt(p)) (Mathis and others,
/// "The macroscopic behavior of the TCP congestion avoidance algorithm", 1997).
const LOSS: f64 = 0.001;

/// The same under BBR, which fills a path that loses less (Cardwell and others, "BBR:
/// Congestion-Based Congestion Control", ACM Queue 14(5), 2016, figure 8).
const LOSS_OF_BBR: f64 = 0.05;

/// TCP sends again what nobody acknowledged after this time at least (`TCP_RTO_MIN` of include/net/tcp.h), s.
const TIMEOUT_LEAST_S: f64 = 0.2;

/// What counts how often it did: by a timeout, or by one after which it probes whether the last segment was lost (RFC 8985,
/// section 7), which comes no sooner where only one is under way (`tcp_schedule_loss_probe` in net/ipv4/tcp_output.c).
const TIMERS: &[&str] = &[TIMEOUTS, "TCPLossProbes"];
const TIMEOUTS: &str = "TCPTimeouts";

/// What counts first segments of connections, and answers to them, that were sent again.
const FIRST_AGAIN: &str = "TCPSynRetrans";

/// From this share of the timeouts on it is these that are waited for.
const FIRST_MOST: f64 = 0.5;

/// What counts segments that were sent again, beside `OutSegs`, which leaves them out.
const SENT_AGAIN: &str = "RetransSegs";

/// Of the requests that took so long, so many timeouts must have been counted for each.
const TIMED_OUT: f64 = 0.5;

/// After this time a request by datagrams that nobody answered is given up (`PATIENCE_NS` of the load), s.
const GIVEN_UP_S: f64 = 1.0;

pub(super) const ENGLISH: &str = r#"
dropped-by-whom =
    { $what ->
        [filtered-in] a firewall (nftables, iptables){ of-end }
        [filtered-out] a firewall (nftables, iptables){ of-end }
        [filter-drops] filters (tc) on the interface{ of-end }
        [queue-drops] the queueing discipline{ of-end }
        [table-full] the kernel's table of connections{ of-end }, which is full
        [untracked] the tracking of connections{ of-end }
        [turned-away] the listen queue{ of-end }, which is full
        [socket-drops] sockets{ of-end }, which are full
        [tcp-socket-drops] sockets{ of-end }, which are full
        [backlog-drops] the backlog of CPUs{ of-end }, which is full
       *[other] the network interface{ of-end }
    }

finding-loss-bound =
    loss holds this back: { $how ->
        [timeouts] { PERCENT($share) } of the time requests wait for { $first ->
            [yes] connections whose first segment was lost
           *[no] segments that were lost
        }, until TCP sends them again ({ SHORT($rate, unit: "1/s") } timeouts)
        [datagrams] { PERCENT($share) } of the datagrams that were sent do not arrive, and it is not sockets of the receiver
            that drop them
        [stalls] { PERCENT($share) } of the time or more the connection waits until TCP sends again what was lost
            ({ SHORT($rate, unit: "1/s") } timeouts), and { PERCENT($lost) } of the segments were lost
        [answers] { PERCENT($share) } of the time requests wait for answers that do not come: { PERCENT($lost, decimals: 1) }
            of them are lost, and each is given up after a second
        [unsent] { PERCENT($share) } of the segments that TCP gives out do not leave the sender's machine, and the connection
            waits for the path { PERCENT($path) } of the time
       *[segments] { PERCENT($share) } of the segments were lost and sent again, and the connection waits for the path
            { PERCENT($path) } of the time
    }{ $dropped ->
        [yes] ; what is lost is dropped by { dropped-by-whom }
       *[no] {""}
    }
    .advice =
        { $dropped ->
            [yes] { finding-packets-dropped.advice }
           *[no] { lost-advice }
        }

lost-advice =
        { $how ->
            [timeouts] look for what drops them: a listen queue or a table of connections that is full, a firewall, drops of the
                interfaces on the way
            [datagrams] a lower --bit-rate loses fewer; look for what drops them: a limit of rate (a policer) or a narrower
                link on the way, or drops of the interfaces
            [stalls] look for what drops all that is sent at once: a limit of rate that keeps no queue (a policer), or a queue or a
                buffer that is short
            [answers] look for what drops datagrams on the way there or back: a policer, a firewall, a queue or a socket that is
                full, or drops of the interfaces
           *[segments] look for drops of the interfaces on the way, a full queue, a bad cable or a duplex that differs
        }

evidence-timeouts =
    { FIXED($timeouts) } timeouts of TCP, and { FIXED($late) } requests that took { SHORT($least_s, unit: "s") } or longer
evidence-retransmits = { PERCENT($share) } of the segments lost
evidence-answers-lost = { PERCENT($lost, decimals: 1) } of the requests were not answered
"#;

/// Whether the sender is under BBR, whatever its version.
pub(super) fn is_under_bbr(case: &CaseResult) -> bool {
    let sender = measure::sender(case);
    let is_bbr =
        |t: &Trial| sender.fact(t, fact::CONGESTION).is_some_and(|name| name.to_string().starts_with("bbr"));
    measure::good(case).any(is_bbr)
}

/// The share of the segments that were lost, where it is so large that it is felt.
pub(super) fn felt(case: &CaseResult) -> Option<f64> {
    let is_bbr = is_under_bbr(case);
    let least = if is_bbr { LOSS_OF_BBR } else { LOSS };
    let share = measure::median(case, |t| lost_share(case, t)).filter(|share| *share >= least)?;
    (is_bbr || !allows_more(case, share)).then_some(share)
}

/// The share of the segments that were lost, where Reno and CUBIC would feel it, as evidence.
pub(super) fn evidence(case: &CaseResult) -> Option<Evidence> {
    let share = measure::median(case, |t| lost_share(case, t)).filter(|share| *share >= LOSS)?;
    Some(shown("retransmits", metric::RETRANSMITS).arg("share", share))
}

/// Verdicts on a stream that may be what its loss does, though nothing decides it.
const UNSURE: [&str; 2] = ["cannot-tell", "server-bound"];

/// Verdicts on storage that may wait for what its network loses.
const OF_STORAGE: [&str; 3] = ["cannot-tell", "latency-bound", "device-full"];

/// What was lost of a stream of which the verdict does not say so. Of one to a server that is no end of ours this
/// machine's kernel knows it, of all connections together.
pub(super) fn told(named: &Finding, case: &CaseResult, _context: &Context<'_>) -> Option<Evidence> {
    if OF_STORAGE.contains(&named.code.as_str()) && is_over_network(case) {
        return sent_again(case);
    }
    let profile = measure::profile(case);
    let is_stream = profile.transport == Some(Transport::Tcp) && profile.is_stream();
    if !is_stream || !UNSURE.contains(&named.code.as_str()) {
        return None;
    }
    evidence(case).or_else(|| if measure::only_receives(case) { None } else { sent_again(case) })
}

/// Whether what is driven is storage of another machine.
fn is_over_network(case: &CaseResult) -> bool {
    !measure::presented_on(case).is_empty() || measure::storage_server(case).is_some()
}

/// The share of the segments that a machine sent again, by its kernel: of this one, and of one that presents what is driven,
/// the greater.
pub(super) fn sent_again(case: &CaseResult) -> Option<Evidence> {
    let at = |machine: &MachineTrial| {
        let count = |name: &str| measure::named(&machine.counters, &Resource::TCP, name)?.change();
        let again = count(SENT_AGAIN)?;
        let all = again + count("OutSegs")?;
        (all > 0.0).then_some(again / all)
    };
    let of = |trial: &Trial| trial.result.machines.iter().filter_map(at).reduce(f64::max);
    let share = measure::median(case, of).filter(|share| *share >= LOSS && !measure::has_far_end(case))?;
    let place = measure::place(case, &Resource::TCP, SENT_AGAIN)?;
    Some(Evidence::at("retransmits", place).arg("share", share))
}

/// Loss, for which the connection waits.
pub(super) fn bound(case: &CaseResult) -> Option<Verdict> {
    let path = network::path_share(case).filter(|path| *path >= DECIDES)?;
    if let Some(found) = unsent::bound(case, path) {
        return Some(found);
    }
    let Some(share) = felt(case) else { return stalled(case) };
    Some(Verdict::Full(Box::new(
        finding("loss-bound", Severity::Warning)
            .arg("how", "segments")
            .arg("share", share)
            .arg("path", path)
            .because(shown("retransmits", metric::RETRANSMITS).arg("share", share)),
    )))
}

/// A connection over a short way that gets little of what its loss would allow, for all that was sent at once is lost, and
/// nothing behind it tells of it (a policer with a short bucket): it waits until TCP sends again, at least so long for each
/// timeout of the sender's kernel.
fn stalled(case: &CaseResult) -> Option<Verdict> {
    let lost = measure::median(case, |trial| lost_share(case, trial)).filter(|lost| *lost >= LOSS)?;
    let sender = measure::sender(case);
    let counted = if measure::counted_ends(case).contains(&sender) { sender } else { End::Drives };
    let rate = measure::median(case, |trial| counted.rate(trial, &Resource::TCP, TIMEOUTS))?;
    let share = rate * TIMEOUT_LEAST_S / measure::concurrency(case).max(1.0);
    if share < DECIDES {
        return None;
    }
    Some(Verdict::Full(Box::new(
        finding("loss-bound", Severity::Warning)
            .arg("how", "stalls")
            .arg("share", share.min(1.0))
            .arg("rate", rate)
            .arg("lost", lost)
            .because(shown("retransmits", metric::RETRANSMITS).arg("share", lost)),
    )))
}

/// Requests of one trial that took as long as it takes TCP to send again.
struct Timeouts {
    /// Of the time of all requests.
    share: f64,
    /// How many took so long, and how many timeouts the kernel counted.
    late: f64,
    timeouts: f64,
    /// Timeouts in each second.
    rate: f64,
    /// Whether most of what was sent again was the first segment of a connection.
    first: bool,
    /// So many of them there must be for each that took so long.
    least: f64,
    place: Place,
}

impl Timeouts {
    fn of(case: &CaseResult, trial: &Trial, times: MetricName) -> Option<Self> {
        let times = measure::distribution(&trial.result.main().histograms, times)?;
        let late: Vec<&Bucket> =
            times.buckets().iter().filter(|bucket| bucket.high as f64 >= TIMEOUT_LEAST_S * 1e9).collect();
        let late_s = late.iter().map(|bucket| bucket.low as f64 / 1e9 * bucket.count as f64).sum::<f64>();
        let all_s = times.mean()? / 1e9 * times.len() as f64;
        // Which end sends again depends on which segment was lost.
        let ends = measure::counted_ends(case).iter();
        let counters = ends.flat_map(|end| {
            let all = end.counters(trial);
            TIMERS.iter().filter_map(move |name| measure::named(all, &Resource::TCP, name))
        });
        let counters: Vec<&Counter> = counters.collect();
        let grown = |counter: &Counter| counter.change().unwrap_or_default();
        let most = counters.iter().copied().max_by(|a, b| grown(a).total_cmp(&grown(b)))?;
        let timeouts = counters.iter().map(|counter| grown(counter)).sum::<f64>();
        // What does not leave the machine at all TCP tries again by a timer that it does not count.
        let ends = measure::counted_ends(case).iter();
        let kept: f64 = ends.map(|end| packets_dropped::kept_by_firewall(case, trial, *end)).sum();
        let timeouts = timeouts.max(kept);
        let seconds = Some(most.seconds()).filter(|seconds| *seconds > 0.0)?;
        let ends = measure::counted_ends(case).iter();
        let first: f64 = ends.filter_map(|end| end.change(trial, &Resource::TCP, FIRST_AGAIN)).sum();
        Some(Self {
            first: first > 0.0 && first >= FIRST_MOST * timeouts,
            share: (late_s / all_s).min(1.0),
            late: late.iter().map(|bucket| bucket.count as f64).sum(),
            timeouts,
            rate: timeouts / seconds,
            // Of a server that is no end of ours nobody counts what its own kernel sends again.
            least: if measure::has_far_end(case) || measure::is_one_machine(case) {
                TIMED_OUT
            } else {
                TIMED_OUT / 2.0
            },
            place: measure::place_of(most),
        })
    }

    /// Whether most of the time is theirs, and there were timeouts for them.
    fn are_felt(&self) -> bool {
        self.share >= DECIDES && self.late > 0.0 && self.timeouts >= self.least * self.late
    }
}

/// Requests that wait until TCP sends again what was lost, or for answers by datagrams that do not come.
pub(super) fn by_timeouts(case: &CaseResult) -> Option<Verdict> {
    // Since a request was due it waits for others, too.
    let times = if measure::is_closed(case) { metric::LATENCY } else { metric::SERVICE_TIME };
    if measure::profile(case).transport == Some(Transport::Udp) {
        return unanswered(case, times);
    }
    let of = |trial: &Trial| Timeouts::of(case, trial, times).map(|found| (found.share, found));
    let found = measure::middle(case, of).filter(Timeouts::are_felt)?;
    let evidence = Evidence::at("timeouts", found.place)
        .arg("timeouts", found.timeouts)
        .arg("late", found.late)
        .arg("least_s", TIMEOUT_LEAST_S);
    Some(Verdict::Full(Box::new(
        finding("loss-bound", Severity::Warning)
            .arg("how", "timeouts")
            .arg("first", found.first)
            .arg("share", found.share)
            .arg("rate", found.rate)
            .because(evidence),
    )))
}

/// Requests by datagrams of which some are lost: one that is not answered is under way until it is given up, and no
/// histogram has its time. By Little's law that is what those that were answered leave of all that may be under way; so
/// much at least is explained by how many were lost.
fn unanswered(case: &CaseResult, times: MetricName) -> Option<Verdict> {
    let of = |trial: &Trial| {
        let lost = measure::measured(trial, metric::LOSS).filter(|lost| *lost > 0.0 && *lost < 1.0)?;
        let rate = measure::trial_operations(trial)?;
        let answered = rate * measure::mean_of(&trial.result.main().histograms, times)?;
        let share = 1.0 - answered / measure::concurrency(case);
        let given_up = rate * lost / (1.0 - lost) * GIVEN_UP_S / measure::concurrency(case);
        Some((share, (share, given_up, lost)))
    };
    let (share, given_up, lost) = measure::middle(case, of)?;
    if share < DECIDES || given_up < TIMED_OUT * share {
        return None;
    }
    Some(Verdict::Full(Box::new(
        finding("loss-bound", Severity::Warning)
            .arg("how", "answers")
            .arg("share", share.min(1.0))
            .arg("lost", lost)
            .because(shown("answers-lost", metric::LOSS).arg("lost", lost)),
    )))
}

/// A connection that gets less than this share of what its loss allows is held back
/// by something else. Between half and all of it is usual; timeouts make it less.
pub(super) const ALLOWED: f64 = 0.1;

/// How many bytes per second a connection gets with segments of so many bytes, over such a round trip, at such a loss (see
/// [`LOSS`]).
pub(super) fn allowed(mss: f64, rtt_s: f64, share: f64) -> f64 {
    1.22 * mss / (rtt_s * share.sqrt())
}

/// Whether each connection could get many times as much at this loss (Mathis and
/// others, see [`LOSS`]).
fn allows_more(case: &CaseResult, share: f64) -> bool {
    let of = |t: &Trial| {
        let value = |name| measure::measured(t, name).filter(|v| *v > 0.0);
        let each = value(metric::THROUGHPUT)? / measure::concurrency(case);
        Some(each / allowed(measure::sender(case).number(t, fact::MSS)?, value(metric::RTT)?, share))
    };
    measure::median(case, of).is_some_and(|part| part < ALLOWED)
}

/// The share of the segments that were lost, as far as the sender knows: sent again, and
/// not reported as duplicates by the other end. Of both ways, that of the worse one:
/// what one end sends again, it sends beside its own bytes only.
fn lost_share(case: &CaseResult, trial: &Trial) -> Option<f64> {
    let value = |name| measure::measured(trial, name);
    let again = value(metric::RETRANSMITS)?;
    let share = |end: End, again: f64, rate: f64| {
        let lost = (again - end.number(trial, fact::SPURIOUS_RETRANSMITS).unwrap_or(0.0)).max(0.0);
        let mss = end.number(trial, fact::MSS)?;
        let sent = rate * trial.result.window?.seconds() / mss;
        (sent > 0.0 && mss > 0.0 && again >= 0.0).then(|| lost / (sent + again))
    };
    if !measure::goes_both_ways(case) {
        return share(measure::sender(case), again, value(metric::THROUGHPUT)?);
    }
    // The result has the sum of both ends.
    let of_far = measure::far(trial)?.metrics.get(&metric::RETRANSMITS)?.value;
    let ours = || share(End::Drives, again - of_far, value(metric::SEND_THROUGHPUT)?);
    let theirs = || share(End::Answers, of_far, value(metric::RECEIVE_THROUGHPUT)?);
    [ours(), theirs()].into_iter().flatten().reduce(f64::max)
}

#[cfg(test)]
mod tests;
