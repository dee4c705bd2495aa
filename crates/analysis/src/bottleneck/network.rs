//! What holds a connection back, where neither the link nor an imposed rate is
//! full: the receiver's or the sender's window, the sender's or the receiver's
//! processor, the path (`path`), loss (`loss`), or the way there and back.
//!
//! TCP itself keeps account of why it did not send (`tcp_info` in
//! include/uapi/linux/tcp.h; Cheng and others, "TCP chronograph stats",
//! commit 05b055e89121, 2016): of the time in which it had something unacknowledged
//! (*busy*), how long the receiver's window held it up and how long the own send
//! buffer did. The rest of busy is the path; what is not busy is the program,
//! which had nothing to send. The counters go by the kernel's ticks, so windows
//! shorter than 100 of them say nothing.

use model::finding::{Evidence, Place};
use model::profile::Transport;
use model::run::CaseResult;
use model::{FactName, Resource, Severity, Trial, fact, metric};

use super::cores::READY;
use super::window::{self, FullWindow};
use super::{FULL, Verdict, end_core, finding, loss, path, reorder, round_trips, server, shown};
use crate::{Context, measure};

/// Counters that go by ticks say nothing of a window shorter than this: 100 ticks of 4 ms (CONFIG_HZ=250), s.
const WINDOW_LEAST: f64 = 0.4;

/// From this share of the window on, what held the sender up decides.
pub(super) const DECIDES: f64 = 0.5;

pub(super) const ENGLISH: &str = r#"
threads-advice =
    more --streams use more cores; larger writes, a larger MTU or --zero-copy take less for each byte

ready-advice =
    stop what else computes there, or let the load run elsewhere (--pin, taskset)

finding-sender-cpu =
    the sender's processor holds this back: { $by ->
        [core] { core-share }
        [ready] each of its threads computes, or waits for a CPU, { PERCENT($share) } of the time
       *[threads] each of its threads computes { PERCENT($share) } of the time{ $loopback ->
            [yes] , on this one machine
           *[no] {""}
        }
    }
    .advice =
        { $by ->
            [core] { core-advice }
            [ready] { ready-advice }
           *[threads] { threads-advice }
        }

finding-receiver-cpu =
    { $behind ->
        [yes] the receiver does not keep up{ $loopback ->
            [yes] , on this one machine
           *[no] {""}
        }: its window was full though it lets much more through, and each of its threads computes { PERCENT($share) } of
            the time
        [drops] the receiver does not keep up: its sockets dropped { PERCENT($dropped) } of the datagrams that came to them, and
            each of its threads computes { PERCENT($share) } of the time
       *[no] the receiver's processor holds this back: { $by ->
            [core] { core-share }
            [ready] each of its threads computes, or waits for a CPU, { PERCENT($share) } of the time
           *[threads] each of its threads computes { PERCENT($share) } of the time{ $loopback ->
                [yes] , on this one machine
               *[no] {""}
            }
        }
    }
    .advice =
        { $by ->
            [core] { core-advice }
            [ready] { ready-advice }
           *[threads] { reads-advice }
        }

evidence-no-account-udp = UDP keeps no account of why it waited
evidence-no-account =
    TCP's own account of why it waited is not there, or the window is shorter than it can tell (0.4 s)
evidence-account =
    the connection waited for the network { PERCENT($path) } of the time and for the program { PERCENT($program) }, and
    no link, window or processor was found full
"#;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    if !measure::is_net(case) {
        return Verdict::Elsewhere;
    }
    if !measure::profile(case).is_stream() {
        return round_trips::bound(case, context);
    }
    // A processor that is full answers late, and what is late is sent again.
    let found = processor(case).or_else(|| reorder::bound(case));
    let found = found.or_else(|| path::full(case)).or_else(|| loss::bound(case));
    let found = found.or_else(|| window(case).filter(|_| !server::waits_for_writes(case)));
    let found = found.or_else(|| server::sends(case)).or_else(|| server::takes(case));
    found.unwrap_or_else(|| Verdict::Unknown(missing(case)))
}

/// Where the time of the sending connections went, as shares of the window.
#[derive(Clone, Copy)]
pub(super) struct Spent {
    /// The program had nothing to send.
    pub(super) program: f64,
    /// The receiver's window was full.
    receiver: f64,
    /// The own send buffer was full.
    buffer: f64,
    /// The path: the congestion window, or pacing.
    path: f64,
}

fn spent(case: &CaseResult, trial: &Trial) -> Option<Spent> {
    let seconds = trial.result.window?.seconds();
    if seconds < WINDOW_LEAST {
        return None;
    }
    // Times are the mean over the streams.
    let sender = measure::sender(case);
    let share = |name: FactName| Some((sender.number(trial, name)? / seconds).clamp(0.0, 1.0));
    let busy = share(fact::BUSY_TIME)?;
    let (receiver, buffer) =
        (share(fact::RECEIVE_WINDOW_LIMITED_TIME)?, share(fact::SEND_BUFFER_LIMITED_TIME)?);
    Some(Spent { program: 1.0 - busy, receiver, buffer, path: (busy - receiver - buffer).max(0.0) })
}

/// The share of the window in which the sender waited for the path: behind its own buffer, before the receiver's window.
pub(super) fn path_share(case: &CaseResult) -> Option<f64> {
    sum_share(case, |s| s.path)
}

pub(super) fn sum_share(case: &CaseResult, of: impl Fn(Spent) -> f64) -> Option<f64> {
    measure::median(case, |t| spent(case, t).map(&of))
}

/// The window, by TCP's own account of what held the sender up, or by what is in flight.
fn window(case: &CaseResult) -> Option<Verdict> {
    full_window(case).map(FullWindow::verdict)
}

/// The window that is full, if one is.
pub(super) fn full_window(case: &CaseResult) -> Option<FullWindow> {
    let shares = [("receive", sum_share(case, |s| s.receiver)), ("send", sum_share(case, |s| s.buffer))];
    let known = shares.into_iter().filter_map(|(which, share)| Some((which, share?)));
    let fuller = known.filter(|(_, share)| *share >= DECIDES).reduce(|a, b| if b.1 > a.1 { b } else { a });
    let by_account = fuller.map(|(which, share)| FullWindow::by_account(which, share));
    let empty = sum_share(case, |s| s.buffer);
    let waits_for_path = sum_share(case, |s| s.path).is_some_and(|share| share >= DECIDES);
    let clamped = || if waits_for_path { window::clamped(case) } else { None };
    by_account.or_else(|| window::in_flight(case, empty)).or_else(clamped)
}

/// The processor of one end: its threads compute all the time, or as much as they
/// are let while the other end waits for them.
fn processor(case: &CaseResult) -> Option<Verdict> {
    let ends = [measure::sender(case), measure::receiver(case)];
    let [sender, receiver] = ends.map(|end| end.worker_share(case).unwrap_or(0.0));
    // Waking up takes time on an idle machine, too: only where a CPU is full was it not to be had.
    let wanted =
        ends.map(|end| end.wanted_share(case).filter(|_| end_core::is_full(case, end)).unwrap_or(0.0));
    let waits_for = |share: Option<f64>| share.is_some_and(|s| s >= DECIDES);
    let idle = waits_for(sum_share(case, |s| s.program));
    let is_held = waits_for(sum_share(case, |s| s.receiver));
    let allows = if is_held { window_allows(case) } else { None };
    let slow = allows.is_some_and(|times| times >= AMPLE) && !server::waits_for_writes(case);
    // A window that lets through hardly more than came is emptied as fast as it fills: who runs for
    // each small piece of it is busy for that reason.
    let is_window_s = allows.is_some_and(|times| times < AMPLE);
    let (is_sender, used) = match (sender, receiver) {
        (s, r) if s >= FULL || r >= FULL => (s >= r, s.max(r)),
        // What has a CPU for a part of the time that it asks for one is held back by that.
        _ if !is_window_s && wanted.iter().any(|wanted| *wanted >= READY) => {
            (wanted[0] >= wanted[1], wanted[0].max(wanted[1]))
        }
        (s, _) if idle && s >= DECIDES => (true, s),
        // A receiver that does nothing but read: what keeps it from that is its
        // processor, or who else uses it.
        (_, r) if slow => (false, r),
        _ => return None,
    };
    let end = ends[usize::from(!is_sender)];
    let metric = if end.answers() { metric::PEER_CPU_PER_BYTE } else { metric::CPU_PER_BYTE };
    let evidence = shown("worker-cpu", metric).arg("share", used.min(1.0));
    let code = if is_sender { "sender-cpu" } else { "receiver-cpu" };
    let core = end_core::evidence(case, end);
    Some(Verdict::Full(Box::new(
        finding(code, Severity::Note)
            .on(Resource::CPUS)
            .arg("by", if sender.max(receiver) < FULL && used >= READY { "ready" } else { "threads" })
            .arg("share", used.min(1.0))
            .arg("loopback", measure::is_loopback(case))
            .arg("behind", !is_sender && used < READY)
            .because(evidence)
            .because_all(core),
    )))
}

/// A window that lets through so many times as much as came is not what held it
/// back: someone did not empty it. Only a part of a window is for payload, so
/// twice is not enough.
const AMPLE: f64 = 8.0;

/// How many times as much as came the receiver's window would let through. A window w over a round trip r lets w / r
/// through (RFC 7323, section 1.1). Of another program's only what it offered is known: it counts where that is ample.
fn window_allows(case: &CaseResult) -> Option<f64> {
    let (sender, receiver) = (measure::sender(case), measure::receiver(case));
    let of = |t: &Trial| {
        let rtt = measure::measured(t, metric::RTT).filter(|rtt| *rtt > 0.0)?;
        let each = measure::measured(t, metric::THROUGHPUT)? / measure::concurrency(case);
        let times = |window: f64| window / rtt / each;
        let granted = receiver.number(t, fact::WINDOW_GRANTED_RECEIVE).map(times);
        let offered = || sender.number(t, fact::PEER_WINDOW).map(times).filter(|times| *times >= AMPLE);
        granted.or_else(offered).filter(|_| each > 0.0)
    };
    measure::median(case, of)
}

/// What is not known, or does not decide.
fn missing(case: &CaseResult) -> Evidence {
    let place = Place::Metric(metric::THROUGHPUT);
    if measure::profile(case).transport == Some(Transport::Udp) {
        return Evidence::at("no-account-udp", place);
    }
    let is_seen_from_here = !measure::has_far_end(case) || server::waits_for_writes(case);
    if let Some(spent) = server::spent(case).filter(|_| is_seen_from_here) {
        return spent;
    }
    let Some(program) = sum_share(case, |s| s.program) else {
        return Evidence::at("no-account", place);
    };
    let path = sum_share(case, |s| s.path).unwrap_or(0.0);
    Evidence::at("account", place).arg("path", path).arg("program", program)
}

#[cfg(test)]
mod tests {
    use crate::validity::fixture;
    use model::run::CaseResult;
    use model::trial::Window;
    use model::{Better, FactName, MetricName, Quantity, Unit, fact, metric};

    /// A second of a stream at 100 MB/s: what the near end sends, and how the time
    /// of the sender was spent.
    fn case(direction: &str, facts: &[(&str, f64)]) -> CaseResult {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.stream");
        for (name, value) in [("direction", direction), ("protocol", "tcp"), ("peer", "10.0.0.2:7117")] {
            fixture::set(&mut case, name, value);
        }
        fixture::set(&mut case, "streams", 1u64);
        let per_byte = |cpu: f64| Quantity { value: cpu / 100e6, unit: Unit::SecondsPerByte };
        let rate = Quantity { value: 100e6, unit: Unit::BytesPerSecond };
        let estimate = fixture::estimate(100e6, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        let result = &mut case.trials[0].result;
        result.window = Some(Window { start_ns: 0, end_ns: 1_000_000_000 });
        result.main_mut().metrics =
            [(metric::THROUGHPUT, rate), (metric::CPU_PER_BYTE, per_byte(0.2))].into();
        fixture::far(&mut case).metrics =
            [(metric::THROUGHPUT, rate), (metric::CPU_PER_BYTE, per_byte(0.3))].into();
        let sender = match direction {
            "send" => &mut case.trials[0].result.main_mut().facts,
            _ => &mut fixture::far(&mut case).facts,
        };
        let usual = [
            ("busy_time", 1.0),
            ("receive_window_limited_time", 0.0),
            ("send_buffer_limited_time", 0.0),
            ("mss", 1448.0),
        ];
        for (name, value) in usual.iter().chain(facts) {
            sender.insert(FactName::intern(name).unwrap(), (*value).into());
        }
        case
    }

    fn verdict(case: &CaseResult) -> String {
        let found = crate::bottleneck::check(case, &fixture::context(&Default::default()));
        let finding = &crate::said::written(found)[0];
        finding.code.clone()
    }

    fn metric(case: &mut CaseResult, name: MetricName, value: f64, unit: Unit) {
        case.trials[0].result.main_mut().metrics.insert(name, Quantity { value, unit });
    }

    #[test]
    fn a_window_that_is_full_holds_it_back_whichever_end_sends() {
        for direction in ["send", "receive"] {
            assert_eq!(verdict(&case(direction, &[("receive_window_limited_time", 0.8)])), "window-bound");
            assert_eq!(verdict(&case(direction, &[("send_buffer_limited_time", 0.6)])), "window-bound");
            assert_eq!(verdict(&case(direction, &[("receive_window_limited_time", 0.3)])), "cannot-tell");
        }
    }

    /// 100 MB/s over 10 ms are 1 MB in flight.
    #[test]
    fn a_window_that_is_all_in_flight_holds_it_back_without_a_queue_on_the_way() {
        for (direction, window) in [("send", "peer_window"), ("receive", "send_buffer_most")] {
            let over = |rtt: f64, bytes: f64| {
                let mut long = case(direction, &[(window, bytes), ("least_rtt", 0.01)]);
                metric(&mut long, metric::RTT, rtt, Unit::Seconds);
                verdict(&long)
            };
            assert_eq!(over(0.0102, 1.05e6), "window-bound");
            assert_eq!(over(0.0102, 4e6), "cannot-tell", "a larger window is not used");
            assert_eq!(over(0.04, 4.1e6), "cannot-tell", "a queue stands before what is slower");
        }
        // Bug: of a congestion window that a route clamps nobody could tell why so little is in flight.
        let clamped = |window: f64, most: f64, again: f64, rtt: f64| {
            let facts =
                [("congestion_window", window), ("congestion_window_most", most), ("least_rtt", 0.01)];
            let mut clamped = case("send", &facts);
            metric(&mut clamped, metric::RTT, rtt, Unit::Seconds);
            metric(&mut clamped, metric::RETRANSMITS, again, Unit::One);
            verdict(&clamped)
        };
        assert_eq!(clamped(1.05e6, 1.05e6, 0.0, 0.0102), "window-bound");
        assert_eq!(clamped(1.05e6, 1.6e6, 0.0, 0.0102), "cannot-tell", "it grows");
        assert_eq!(clamped(2.1e6, 2.1e6, 0.0, 0.0102), "cannot-tell", "half of it is not used");
        assert_eq!(clamped(1.05e6, 1.05e6, 30.0, 0.0102), "cannot-tell", "what is lost keeps it small");
        // Bug: a paced sender has 52 KB of a buffer of 95 KB in flight, and the kernel says that the
        // buffer ran out a third of the time only.
        let paced = |empty: f64| {
            let facts =
                [("send_buffer_most", 1.8e6), ("least_rtt", 0.01), ("send_buffer_limited_time", empty)];
            let mut paced = case("send", &facts);
            metric(&mut paced, metric::RTT, 0.0104, Unit::Seconds);
            verdict(&paced)
        };
        assert_eq!(paced(0.3), "window-bound");
        assert_eq!(paced(0.0), "cannot-tell", "it waits for the path");
        // A program that computes keeps its buffer as empty as the path does.
        let mut slow = case("send", &[("send_buffer_most", 1.05e6), ("least_rtt", 0.01)]);
        metric(&mut slow, metric::RTT, 0.0102, Unit::Seconds);
        assert_eq!(verdict(&slow), "window-bound");
        slow.trials[0].result.main_mut().metrics.get_mut(&metric::CPU_PER_BYTE).unwrap().value = 0.9 / 100e6;
        assert_eq!(verdict(&slow), "cannot-tell");
        let mut both = case("both", &[("peer_window", 1.05e6), ("least_rtt", 0.01)]);
        metric(&mut both, metric::RTT, 0.0102, Unit::Seconds);
        assert_eq!(verdict(&both), "cannot-tell");
    }

    #[test]
    fn what_the_other_end_had_twice_was_not_lost_and_a_full_processor_answers_late() {
        let mut late = case("send", &[("spurious_retransmits", 673.0)]);
        metric(&mut late, metric::RETRANSMITS, 700.0, Unit::One);
        assert_eq!(verdict(&late), "cannot-tell");
        metric(&mut late, metric::RETRANSMITS, 1400.0, Unit::One);
        assert_eq!(verdict(&late), "loss-bound");
        fixture::far(&mut late).metrics.get_mut(&metric::CPU_PER_BYTE).unwrap().value = 0.99 / 100e6;
        assert_eq!(verdict(&late), "receiver-cpu");
    }

    #[test]
    fn a_receiver_that_does_not_keep_up_is_no_small_window() {
        let mut slow = case("send", &[("receive_window_limited_time", 0.9)]);
        fixture::far(&mut slow).facts.insert(fact::WINDOW_GRANTED_RECEIVE, 4e6.into());
        metric(&mut slow, metric::RTT, 1e-4, Unit::Seconds);
        // 4 MB over 100 us is 400 times what came, though it computes 30 % of the
        // time only: others had the processor.
        assert_eq!(verdict(&slow), "receiver-cpu");
        metric(&mut slow, metric::RTT, 0.02, Unit::Seconds);
        assert_eq!(verdict(&slow), "window-bound");
        // Of another program's receiver the window that it offers is known: 1 GB/s over 100 us.
        let mut other = case("send", &[("receive_window_limited_time", 0.9), ("peer_window", 1e5)]);
        metric(&mut other, metric::RTT, 1e-4, Unit::Seconds);
        assert_eq!(verdict(&other), "receiver-cpu");
    }

    /// A download from an end of ours to a file: its window is full because a device takes its time.
    #[test]
    fn who_writes_what_comes_has_no_small_window_and_no_slow_processor() {
        let mut slow = case("receive", &[("receive_window_limited_time", 0.9)]);
        let tell = |case: &mut CaseResult, name: FactName, value: f64| {
            case.trials[0].result.main_mut().facts.insert(name, value.into());
        };
        tell(&mut slow, fact::WINDOW_GRANTED_RECEIVE, 4e6);
        // Of an end of ours it is known why it did not send.
        tell(&mut slow, fact::SERVER_WAIT_SHARE, 0.9);
        metric(&mut slow, metric::RTT, 1e-4, Unit::Seconds);
        assert_eq!(verdict(&slow), "receiver-cpu");
        tell(&mut slow, fact::WRITE_SHARE, 0.8);
        assert_eq!(verdict(&slow), "cannot-tell");
        let mut waits = case("receive", &[]);
        tell(&mut waits, fact::SERVER_WAIT_SHARE, 0.9);
        assert_eq!(verdict(&waits), "cannot-tell");
    }

    #[test]
    fn a_processor_that_is_full_is_the_senders_or_the_receivers() {
        for (direction, near_is) in [("send", "sender-cpu"), ("receive", "receiver-cpu")] {
            let mut busy = case(direction, &[]);
            busy.trials[0].result.main_mut().metrics.get_mut(&metric::CPU_PER_BYTE).unwrap().value =
                0.99 / 100e6;
            assert_eq!(verdict(&busy), near_is);
            let mut far = case(direction, &[]);
            fixture::far(&mut far).metrics.get_mut(&metric::CPU_PER_BYTE).unwrap().value = 0.99 / 100e6;
            assert_ne!(verdict(&far), near_is);
            assert!(verdict(&far).ends_with("-cpu"));
        }
    }

    #[test]
    fn loss_counts_where_the_path_is_waited_for() {
        let mut lossy = case("send", &[]);
        // 69,061 segments a second were sent.
        metric(&mut lossy, metric::RETRANSMITS, 700.0, Unit::One);
        assert_eq!(verdict(&lossy), "loss-bound");
        metric(&mut lossy, metric::RETRANSMITS, 7.0, Unit::One);
        assert_eq!(verdict(&lossy), "cannot-tell");
        // Over 1 us one in a hundred lost allows 18 GB/s: something else is slow.
        metric(&mut lossy, metric::RETRANSMITS, 700.0, Unit::One);
        for (rtt, named) in [(1e-6, "cannot-tell"), (100e-6, "loss-bound")] {
            metric(&mut lossy, metric::RTT, rtt, Unit::Seconds);
            assert_eq!(verdict(&lossy), named, "{rtt}");
        }
        let mut idle = case("send", &[("busy_time", 0.3)]);
        metric(&mut idle, metric::RETRANSMITS, 700.0, Unit::One);
        assert_eq!(verdict(&idle), "cannot-tell");
    }

    #[test]
    fn each_way_s_loss_is_held_against_its_own_bytes() {
        let mut both = case("send", &[]);
        fixture::set(&mut both, "direction", "both");
        let rate = |bytes: f64| Quantity { value: bytes, unit: Unit::BytesPerSecond };
        for (name, bytes) in
            [(metric::THROUGHPUT, 101e6), (metric::SEND_THROUGHPUT, 100e6), (metric::RECEIVE_THROUGHPUT, 1e6)]
        {
            both.trials[0].result.main_mut().metrics.insert(name, rate(bytes));
        }
        metric(&mut both, metric::RETRANSMITS, 14.0, Unit::One);
        fixture::far(&mut both).facts.insert(fact::MSS, 1448.0.into());
        let of_far = |both: &mut CaseResult, again: f64| {
            let again = Quantity { value: again, unit: Unit::One };
            fixture::far(both).metrics.insert(metric::RETRANSMITS, again);
        };
        // The far end sent 690 segments, and 14 of them again.
        of_far(&mut both, 14.0);
        assert_eq!(verdict(&both), "loss-bound");
        // The near end sent 69,061.
        of_far(&mut both, 0.0);
        assert_eq!(verdict(&both), "cannot-tell");
    }

    #[test]
    fn datagrams_are_not_said_to_lack_what_only_tcp_has() {
        let mut udp = case("send", &[]);
        fixture::set(&mut udp, "protocol", "udp");
        udp.trials[0].result.main_mut().facts.clear();
        let found = crate::bottleneck::check(&udp, &fixture::context(&Default::default()));
        let finding = &crate::said::written(found)[0];
        assert_eq!(finding.code, "cannot-tell");
        assert!(finding.text.contains("UDP") && !finding.text.contains("TCP"), "{}", finding.text);
        // The fixture's 100 MB/s are all that was asked for, or half of it.
        for (bits, count) in [(800e6, 0), (1600e6, 1)] {
            fixture::set(&mut udp, "bit-rate", bits);
            let found = crate::bottleneck::check(&udp, &fixture::context(&Default::default()));
            assert_eq!(found.len(), count, "{bits}");
        }
    }

    #[test]
    fn a_window_too_short_for_the_kernels_ticks_says_nothing() {
        let mut short = case("send", &[("receive_window_limited_time", 0.3)]);
        short.trials[0].result.window = Some(Window { start_ns: 0, end_ns: 300_000_000 });
        assert_eq!(verdict(&short), "cannot-tell");
    }
}
