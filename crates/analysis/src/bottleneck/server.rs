//! A server that is no end of ours: nobody asks its kernel. What the client sees of it is how long it
//! waited for it, and how long for its own device.

use model::finding::{Evidence, Place};
use model::profile::Aspect;
use model::run::CaseResult;
use model::{FactName, Resource, Severity, Trial, fact, metric};

use super::network::DECIDES;
use super::window::FullWindow;
use super::{FULL, Verdict, client_time, cores, finding, remade};
use crate::measure;
use crate::measure::End;
use crate::validity::disturbed;

pub(super) const ENGLISH: &str = r#"
finding-server-bound =
    server-bound: { $how ->
        [stream] the client waits { PERCENT($share) } of the time for the server to send, and nothing that is known on the
            way is full
        [upload] the client waits { PERCENT($share) } of the time for the server to take what is sent and to answer, and
            nothing that is known on the way is full
        [threads] each thread of { $machine } that answers computes { PERCENT($share) } of the time, and other requests wait
            meanwhile
        [file] the other end has nothing to send { PERCENT($share) } of the time and does not compute: it waits until its disk
            delivers the file
        [refused] it does not serve { PERCENT($share) } of the requests, and the rate is of the others
       *[requests] { FIXED($outstanding) } at a time, each answered after { SHORT($latency_s, unit: "s") }, of which the
            network round trip takes { SHORT($rtt_s, unit: "s") }
    }
    .advice =
        { $how ->
            [stream] look at the server and the path from it: its processors, its devices, limits that it sets; a sweep
                (--{ $option } 1,4,16) shows whether more --{ $option } get more from it
            [upload] look at the server: its processors, its devices, limits that it sets; a sweep (--{ $option } 1,4,16)
                shows whether it takes more from more --{ $option }
            [threads] more connections (--threads) are answered by more threads, as long as there are CPUs for them
            [file] headroom run disk on the other machine shows what its disk can do; a file that its page cache holds leaves the
                disk out
            [refused] look at what it refuses, and why: a limit of rate or of connections, a pool or a queue that is full, or a
                request that is wrong; the facts of the trials say with which answers
           *[requests] look at the server: its processors, its devices, and what its program waits for; a sweep
                (--{ $option } 1,4,16,64) shows whether more --{ $option } get more from it
        }

evidence-program-here =
    meanwhile { $name }, of the other programs of this machine the one that computed most, used
    { FIXED($cpu, decimals: 2) } CPU seconds a second{ $thread ->
        [yes] , as much as one thread that computes all the time
       *[no] {""}
    }
evidence-served-file =
    the other end sent a file of which its page cache held { PERCENT($cached) } before{ $source ->
        [cache] , so that its disk was not the source
       *[disk] {""}
    }
evidence-client-waited =
    the client waited for the server { PERCENT($server) } of the time{ $writes ->
        [yes] {" "}and wrote { PERCENT($written) } of it
       *[no] {""}
    }
"#;

/// From this share of the connections on that wait for an answer in the mean, all do: the next question goes out when an
/// answer is there.
const ALL_WAIT: f64 = 0.8;

/// How long a request waits for its answer in the mean, s. Of an open loop that is not kept the requests since they were
/// sent, where all connections wait for answers: then these are what holds it back. Since they were due they wait for others.
pub(super) fn answered_after(case: &CaseResult) -> Option<f64> {
    if measure::is_closed(case) {
        return measure::mean_latency(case);
    }
    let mean =
        measure::median(case, |t| measure::mean_of(&t.result.main().histograms, metric::SERVICE_TIME))?;
    let (_, rate) = measure::operations(case)?;
    (rate * mean >= ALL_WAIT * measure::concurrency(case)).then_some(mean)
}

/// What is spent in the server, or else in the client, of requests that are answered after `mean` seconds.
pub(super) fn answers(case: &CaseResult, mean: f64) -> Option<Verdict> {
    // A connection that is made anew goes there and back more than once.
    let trips = remade::trips(case);
    let of_client = client_time::bound(case, mean);
    if of_client.is_some() {
        return of_client;
    }
    let own_s = client_time::each_s(case);
    let rtt_s = least_rtt(case).map(|rtt_s| rtt_s * trips);
    let rtt_s = rtt_s.filter(|rtt_s| mean - rtt_s - own_s >= DECIDES * mean)?;
    Some(Verdict::Full(Box::new(
        finding("server-bound", Severity::Note)
            .arg("how", "requests")
            .arg("option", option(case))
            .arg("outstanding", measure::concurrency(case))
            .arg("latency_s", mean)
            .arg("rtt_s", rtt_s)
            .because(measure::latency_evidence(mean)),
    )))
}

/// An end of ours that answers and computes all the time, while several requests are under way for each of its threads:
/// then they wait for it, and not for the way there and back.
pub(super) fn answers_all_the_time(case: &CaseResult, mean: f64) -> Option<Verdict> {
    let is_several = measure::concurrency(case) > measure::workers(case);
    let share = End::Answers.worker_share(case).filter(|share| is_several && *share >= FULL)?;
    Some(Verdict::Full(Box::new(
        finding("server-bound", Severity::Note)
            .arg("how", "threads")
            .arg("share", share.min(1.0))
            .arg("machine", End::Answers.machine(case).unwrap_or_default())
            .because(measure::latency_evidence(mean)),
    )))
}

/// The program of this machine that computed most, where the server is here and is none of ours: most likely it.
pub(super) fn program_here(case: &CaseResult) -> Option<Evidence> {
    let all = disturbed::programs(case, End::Drives);
    let (name, cpu) = all.into_iter().next().filter(|_| measure::is_served_here(case))?;
    let is_one_thread = (FULL..=2.0 - FULL).contains(&cpu);
    let evidence = Evidence::at("program-here", Place::Process(name.clone())).arg("name", name.as_str());
    (cpu >= disturbed::FELT).then(|| evidence.arg("cpu", cpu).arg("thread", is_one_thread))
}

/// That all CPUs of this machine are busy, where the server is here: it may wait for one of them.
pub(super) fn among_busy(case: &CaseResult) -> Option<Evidence> {
    let busy = measure::median(case, |trial| cores::busy_share(trial, &[Resource::CPUS]));
    let busy = busy.filter(|busy| *busy >= FULL && measure::is_served_here(case))?;
    Some(Evidence::at("busy", measure::place(case, &Resource::CPUS, "idle")?).arg("share", busy))
}

/// The option that asks for more at once.
pub(super) fn option(case: &CaseResult) -> String {
    let name = measure::profile(case).parameter(Aspect::Streams);
    name.map_or_else(|| "connections".to_owned(), |name| name.to_string())
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
    let evidence = spent(case)?;
    if let Some(share) = waited(case) {
        // What a client that is slow itself has not taken fills its window, too.
        if let Some(window) = window(case) {
            return Some(window.verdict());
        }
        let found = finding("server-bound", Severity::Note)
            .arg("how", "stream")
            .arg("option", option(case))
            .arg("share", share);
        return Some(Verdict::Full(Box::new(found.because(evidence))));
    }
    let written =
        share(case, fact::WRITE_SHARE).filter(|share| *share >= DECIDES && measure::is_direct(case))?;
    let device = measure::devices_name(case)?;
    let buffer = measure::profile(case).flows.iter().find_map(|flow| flow.sizes.first());
    Some(Verdict::Full(Box::new(
        finding("device-bound", Severity::Note)
            .on(device)
            .arg("how", "stream")
            .arg("share", written)
            .arg("buffer", buffer.map_or(0, |size| size.bytes))
            .because(evidence),
    )))
}

/// The share of the time in which the client waited for a server that is no end of ours, where that
/// decides.
pub(super) fn waited(case: &CaseResult) -> Option<f64> {
    share(case, fact::SERVER_WAIT_SHARE).filter(|share| *share >= DECIDES && !measure::has_far_end(case))
}

/// What holds back a client that sends to a server, where no link and no processor is full.
pub(super) fn takes(case: &CaseResult) -> Option<Verdict> {
    let share = kept_waiting(case).filter(|share| *share >= DECIDES && !measure::has_far_end(case))?;
    // However fast a window is emptied that all in flight fills, it lets no more through.
    if let Some(window) = filled(case, fact::PEER_WINDOW_MOST) {
        return Some(window.verdict());
    }
    let found = finding("server-bound", Severity::Note)
        .arg("how", "upload")
        .arg("option", option(case))
        .arg("share", share);
    Some(Verdict::Full(Box::new(found.because_all(spent(case)))))
}

/// The share of the time in which a server kept uploads waiting: its window was full, or it had acknowledged
/// everything and not answered. Of the latter no more counts than the time from the last byte to the answer, without
/// that of the way: before that the client had nothing to send yet.
pub(super) fn kept_waiting(case: &CaseResult) -> Option<f64> {
    measure::median(case, |trial| {
        let full = measure::number(trial, fact::SERVER_WINDOW_FULL_SHARE)?;
        let idle = measure::number(trial, fact::ALL_ACKNOWLEDGED_SHARE)?;
        let times = &trial.result.main().histograms;
        let answer_s = measure::mean_of(times, metric::ANSWER)? - measure::number(trial, fact::RTT_LEAST)?;
        let answering = answer_s.max(0.0) / measure::mean_of(times, metric::LATENCY)?;
        Some((full + idle.min(answering)).min(1.0))
    })
}

/// How much of its time the client waited and wrote.
pub(super) fn spent(case: &CaseResult) -> Option<Evidence> {
    let told = |name: FactName| Some((name, share(case, name)?));
    let of_upload = || Some((fact::ALL_ACKNOWLEDGED_SHARE, kept_waiting(case)?));
    let (name, server) = told(fact::SERVER_WAIT_SHARE).or_else(of_upload)?;
    let written = share(case, fact::WRITE_SHARE);
    Some(
        Evidence::at("client-waited", Place::Fact(name))
            .arg("server", server)
            .arg("writes", written.is_some())
            .arg("written", written.unwrap_or_default()),
    )
}

/// Where a file came from that an end of ours sent.
pub(super) fn served(case: &CaseResult) -> Option<Evidence> {
    let cached = measure::served_cached(case)?;
    let from = if measure::is_served_from_cache(case) { "cache" } else { "disk" };
    let evidence = Evidence::at("served-file", Place::Fact(fact::SERVED_CACHED_SHARE));
    Some(evidence.arg("cached", cached).arg("source", from))
}

/// From this share of a window on, what is in flight fills it: see `window`.
const FILLS: f64 = 0.8;

/// The client's own window, if it is full.
pub(super) fn window(case: &CaseResult) -> Option<FullWindow> {
    filled(case, fact::OWN_WINDOW)
}

/// The window of a receiver, if what is in flight fills it: the rate times the least round trip (Little's law).
/// With a queue on the way it is more, so that it is full all the more.
fn filled(case: &CaseResult, name: FactName) -> Option<FullWindow> {
    least_rtt(case)?;
    let of = |trial: &Trial| {
        let rtt = measure::number(trial, fact::RTT_LEAST).filter(|rtt| *rtt > 0.0)?;
        let window = measure::number(trial, name).filter(|window| *window > 0.0)?;
        let each = measure::measured(trial, metric::THROUGHPUT)? / measure::concurrency(case);
        let share = each * rtt / window;
        Some((share, (share, window, rtt)))
    };
    let (share, window, rtt) = measure::middle(case, of)?;
    (share >= FILLS).then(|| FullWindow::by_flight("receive", share.min(1.0), (window, rtt)))
}

#[cfg(test)]
mod tests {
    use model::profile::{Arrival, Caches, Flow, FlowUnit, OperationClass, Peer};
    use model::resource::PathStep;
    use model::trial::Window;
    use model::{Better, FactName, ParameterName, Quantity, Resource, Unit};

    use super::*;
    use crate::validity::fixture;

    /// A second of a download at 100 MB/s into `block:sda`, around the page cache; how much of a CPU its
    /// one thread used, and what it saw.
    fn download(cpu: f64, facts: &[(FactName, f64)]) -> CaseResult {
        let mut case = fixture::case(1);
        let profile = &mut case.loads.main.profile;
        profile.flows = vec![
            Flow::only(OperationClass::Receive, FlowUnit::Bytes),
            Flow::only(OperationClass::Write, FlowUnit::Bytes).of_bytes(262_144),
        ];
        profile.peer = Some(Peer::AnotherProgram);
        profile.transport = Some(model::profile::Transport::Tcp);
        profile.caches = Caches::None;
        profile.aspects = [(ParameterName::new("url"), Aspect::Server)].into();
        case.path = vec![PathStep { resource: Resource::from("block:sda"), amplification: 1.0 }];
        let estimate = fixture::estimate(100e6, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        let per_byte = fixture::estimate(cpu / 100e6, Unit::SecondsPerByte, Better::Lower);
        case.loads.main.estimates.insert(metric::CPU_PER_BYTE, per_byte);
        let result = &mut case.trials[0].result;
        result.window = Some(Window { start_ns: 0, end_ns: 1_000_000_000 });
        let quantity = |value, unit| Quantity { value, unit };
        result.main_mut().metrics = [
            (metric::THROUGHPUT, quantity(100e6, Unit::BytesPerSecond)),
            (metric::CPU_PER_BYTE, quantity(cpu / 100e6, Unit::SecondsPerByte)),
        ]
        .into();
        result.main_mut().facts = facts.iter().map(|(name, value)| (*name, (*value).into())).collect();
        case
    }

    fn verdict(case: &CaseResult) -> String {
        let found = crate::bottleneck::check(case, &fixture::context(&Default::default()));
        crate::said::written(found)[0].code.clone()
    }

    /// Requests that are answered after so long, over a way there and back of so long, to a server or to
    /// an end of ours.
    fn answered(latency_ns: u64, rtt_s: Option<f64>, is_server: bool) -> CaseResult {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.pingpong");
        fixture::set(&mut case, "peer", "10.0.0.2:7117");
        let estimate = fixture::estimate(1000.0, Unit::PerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::OPERATIONS_PER_SECOND, estimate);
        if is_server {
            case.loads
                .main
                .profile
                .aspects
                .insert(model::ParameterName::new("peer"), model::profile::Aspect::Server);
        }
        let main = case.trials[0].result.main_mut();
        let mut latency = stats::histogram::new_latency();
        latency.record(latency_ns).unwrap();
        main.histograms.insert(metric::LATENCY, stats::histogram::encode(&latency).unwrap());
        if let Some(rtt_s) = rtt_s {
            main.facts.insert(fact::RTT_LEAST, rtt_s.into());
        }
        case
    }

    #[test]
    fn time_that_is_not_on_the_way_is_the_servers() {
        assert_eq!(verdict(&answered(1_000_000, Some(0.0004), true)), "server-bound");
        assert_eq!(verdict(&answered(1_000_000, Some(0.0006), true)), "round-trip-bound");
        assert_eq!(verdict(&answered(1_000_000, None, true)), "round-trip-bound");
        assert_eq!(verdict(&answered(1_000_000, Some(0.0004), false)), "round-trip-bound");
    }

    #[test]
    fn an_end_of_ours_that_computes_all_the_time_is_what_requests_wait_for() {
        let with = |outstanding: u64, share: f64| {
            let mut case = answered(16_000_000, None, false);
            fixture::set(&mut case, "outstanding", outstanding);
            let quantity = |value, unit| Quantity { value, unit };
            fixture::far(&mut case).metrics = [
                (metric::OPERATIONS_PER_SECOND, quantity(1000.0, Unit::PerSecond)),
                (metric::CPU_PER_OPERATION, quantity(share / 1000.0, Unit::Seconds)),
            ]
            .into();
            verdict(&case)
        };
        assert_eq!(with(16, 0.97), "server-bound");
        assert_eq!(with(16, 0.9), "round-trip-bound");
        assert_eq!(with(1, 0.97), "round-trip-bound", "the other end waits for each question");
    }

    /// Bug: of a rate that a server does not keep nothing was said.
    #[test]
    fn a_rate_that_is_not_kept_is_the_server_s_where_all_connections_wait_for_it() {
        let open = |service_ns: u64| {
            let mut case = answered(500_000_000, Some(0.0004), true);
            let concurrency = &mut case.loads.main.profile.concurrency;
            (concurrency.arrival, concurrency.rate_per_s) = (Arrival::Open, Some(2000.0));
            let mut service = stats::histogram::new_latency();
            service.record(service_ns).unwrap();
            let service = stats::histogram::encode(&service).unwrap();
            case.trials[0].result.main_mut().histograms.insert(metric::SERVICE_TIME, service);
            verdict(&case)
        };
        assert_eq!(open(1_000_000), "server-bound");
        assert_eq!(open(100_000), "cannot-tell", "most connections have nothing to wait for");
    }

    #[test]
    fn what_the_client_waits_for_holds_it_back() {
        let spent = |server: f64, written: f64| {
            [(fact::SERVER_WAIT_SHARE, server), (fact::WRITE_SHARE, written), (fact::RTT_LEAST, 0.001)]
        };
        assert_eq!(verdict(&download(0.2, &spent(0.7, 0.2))), "server-bound");
        assert_eq!(verdict(&download(0.2, &spent(0.1, 0.8))), "device-bound");
        assert_eq!(verdict(&download(0.2, &spent(0.4, 0.4))), "cannot-tell");
        assert_eq!(verdict(&download(0.99, &spent(0.0, 0.5))), "receiver-cpu");
        let mut buffered = download(0.2, &spent(0.1, 0.8));
        buffered.loads.main.profile.caches = Caches::PageCache;
        assert_eq!(
            verdict(&buffered),
            "cannot-tell",
            "a write into the page cache says nothing of the device"
        );
    }

    /// An upload at the same rate: for which shares of the time the window of the server was full and all was
    /// acknowledged, which share of it comes after the last byte, and how large that window ever was.
    fn upload(full: f64, idle: f64, answer: f64, window: f64) -> CaseResult {
        let facts = [
            (fact::SERVER_WINDOW_FULL_SHARE, full),
            (fact::ALL_ACKNOWLEDGED_SHARE, idle),
            (fact::PEER_WINDOW_MOST, window),
            (fact::RTT_LEAST, 0.001),
        ];
        let mut case = download(0.2, &facts);
        case.loads.main.profile.flows = vec![Flow::only(OperationClass::Send, FlowUnit::Bytes)];
        case.path.clear();
        for (name, seconds) in [(metric::LATENCY, 0.1), (metric::ANSWER, 0.1 * answer)] {
            let mut times = stats::histogram::new_latency();
            times.record((seconds * 1e9) as u64).unwrap();
            let histograms = &mut case.trials[0].result.main_mut().histograms;
            histograms.insert(name, stats::histogram::encode(&times).unwrap());
        }
        case
    }

    #[test]
    fn regression_nothing_was_said_of_a_server_that_takes_an_upload_slowly_or_answers_late() {
        assert_eq!(verdict(&upload(0.0, 0.9, 0.95, 1e6)), "server-bound", "it answers late");
        assert_eq!(verdict(&upload(0.7, 0.0, 0.05, 1e6)), "server-bound", "it takes slowly");
        assert_eq!(verdict(&upload(0.3, 0.3, 0.9, 1e6)), "server-bound", "a bit of both");
        assert_eq!(verdict(&upload(0.7, 0.0, 0.05, 110e3)), "window-bound", "100 kB are in flight");
        assert_eq!(
            verdict(&upload(0.0, 0.9, 0.1, 1e6)),
            "cannot-tell",
            "the client reads its file meanwhile"
        );
        assert_eq!(verdict(&upload(0.0, 0.1, 0.9, 1e6)), "cannot-tell", "what was sent is under way");
        let mut slow = upload(0.7, 0.0, 0.05, 1e6);
        let per_byte = Quantity { value: 0.99 / 100e6, unit: Unit::SecondsPerByte };
        slow.trials[0].result.main_mut().metrics.insert(metric::CPU_PER_BYTE, per_byte);
        assert_eq!(verdict(&slow), "sender-cpu");
        let mut of_ours = upload(0.7, 0.0, 0.05, 1e6);
        fixture::far(&mut of_ours);
        assert_eq!(verdict(&of_ours), "cannot-tell", "of an end of ours more is known");
    }

    #[test]
    fn a_file_that_the_page_cache_held_is_not_called_the_disk_s() {
        let said = |cached: f64| {
            let mut case = download(0.2, &[(fact::SERVED_CACHED_SHARE, cached)]);
            fixture::far(&mut case);
            case.loads.main.profile.aspects = [(ParameterName::new("serve-file"), Aspect::ServedFile)].into();
            case.loads.main.parameters.set(ParameterName::new("serve-file"), "/srv/big.iso");
            let found = crate::bottleneck::check(&case, &fixture::context(&Default::default()));
            let found = crate::said::written(found).remove(0);
            let evidence =
                found.evidence.into_iter().find(|evidence| evidence.code == "served-file").unwrap();
            assert!(evidence.beside);
            evidence.text.unwrap()
        };
        assert!(
            said(1.0).ends_with("held 100 % before, so that its disk was not the source"),
            "{}",
            said(1.0)
        );
        assert!(said(0.4).ends_with("held 40 % before"), "{}", said(0.4));
    }

    /// 100 MB/s over 1 ms are 100 kB in flight.
    #[test]
    fn the_client_s_own_window_is_full_only_where_it_waits() {
        let with = |server: f64, window: f64| {
            let facts = [
                (fact::SERVER_WAIT_SHARE, server),
                (fact::WRITE_SHARE, 1.0 - server),
                (fact::RTT_LEAST, 0.001),
                (fact::OWN_WINDOW, window),
            ];
            verdict(&download(0.2, &facts))
        };
        assert_eq!(with(0.9, 110e3), "window-bound");
        assert_eq!(with(0.9, 400e3), "server-bound");
        // A full receive queue leaves no window.
        assert_eq!(with(0.1, 1000.0), "device-bound");
    }
}
