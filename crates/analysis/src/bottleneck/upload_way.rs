//! An upload to a server that is no end of ours, which takes what comes. What is left of the time then is told by TCP: data
//! was under way while the server's window had room, so that the way held it, or all was acknowledged before the last byte
//! was sent, so that the client itself had nothing to send. If the way loses segments, by this machine's kernel, that is what
//! holds it back (`loss`); if a queue stands on it, or BBR sends as fast as it lets through, it is full (`path`). Where the own
//! send buffer ran out of room for most of the time, it is that.

use std::ops::RangeInclusive;

use model::finding::{Evidence, Place};
use model::limit::{Direction, Limit, LimitKind};
use model::profile::Caches;
use model::run::CaseResult;
use model::{Finding, Resource, ResourceKind, Severity, Trial, fact, metric};

use super::network::DECIDES;
use super::window::FullWindow;
use super::{BEYOND, FULL, Verdict, end_core, finding, loss, path, quota, server, unsent};
use crate::measure::End;
use crate::{Context, measure, utilization};

pub(super) const ENGLISH: &str = r#"
evidence-under-way =
    data was under way { PERCENT($share) } of the time while the window of the server had room
evidence-nothing-to-send =
    for { PERCENT($share) } of the time all that was sent was acknowledged and more was due: the client itself had nothing to
    send, as where it reads a file from a disk
"#;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    let Some(spent) = Spent::of(case) else { return Verdict::Elsewhere };
    let told = |code: &str, share: f64| {
        Evidence::at(code, Place::Fact(fact::ALL_ACKNOWLEDGED_SHARE)).arg("share", share)
    };
    if spent.source >= DECIDES {
        let evidence = told("nothing-to-send", spent.source);
        return match from_disk(case, context, spent.source) {
            Some(found) => Verdict::Full(Box::new(found.because(evidence))),
            None => Verdict::Unknown(evidence),
        };
    }
    if spent.way < DECIDES {
        return Verdict::Elsewhere;
    }
    if spent.buffer >= DECIDES {
        return FullWindow::by_account("send", spent.buffer).verdict();
    }
    let evidence = told("under-way", spent.way);
    if let Some(found) = unsent::bound(case, spent.way) {
        return found;
    }
    let is_free = end_core::has_room(case, End::Drives).unwrap_or(true);
    let full = if is_free { path::of_share(case, spent.way) } else { None };
    // A queue that stands on the way loses what it does not take.
    let Some((share, lost)) = lost(case).filter(|_| !full.as_ref().is_some_and(stands_in_queue)) else {
        return full.unwrap_or(Verdict::Unknown(evidence));
    };
    Verdict::Full(Box::new(
        finding("loss-bound", Severity::Warning)
            .arg("how", "segments")
            .arg("share", share)
            .arg("path", spent.way)
            .because(lost)
            .because(evidence),
    ))
}

/// Where the time of uploads goes that a server does not take, as shares of it.
struct Spent {
    /// Data was under way, and the window had room.
    way: f64,
    /// The client had nothing to send.
    source: f64,
    /// The own send buffer had no room, though the server's window and the way did.
    buffer: f64,
}

impl Spent {
    fn of(case: &CaseResult) -> Option<Self> {
        let kept = server::kept_waiting(case).filter(|_| !measure::has_far_end(case))?;
        let number = |name| measure::median(case, |trial| measure::number(trial, name));
        let (full, idle) = (number(fact::SERVER_WINDOW_FULL_SHARE)?, number(fact::ALL_ACKNOWLEDGED_SHARE)?);
        let buffer = measure::median(case, |trial| {
            let limited_s = measure::number(trial, fact::SEND_BUFFER_LIMITED_TIME)?;
            Some(limited_s / trial.result.window?.seconds())
        });
        Some(Self {
            way: (1.0 - full - idle).max(0.0),
            source: (full + idle - kept).clamp(0.0, 1.0),
            buffer: buffer.unwrap_or_default().min(1.0),
        })
    }
}

/// What a disk reads while an upload waits for its file is that file, where it is between so many times what is sent: reading ahead,
/// and what a file system adds.
const READ: RangeInclusive<f64> = 0.9..=1.5;

/// A client that has nothing to send because a disk delivers its file no faster: the disk, or the throttle on it.
fn from_disk(case: &CaseResult, context: &Context<'_>, share: f64) -> Option<Finding> {
    if measure::profile(case).caches == Caches::None {
        return None;
    }
    let sent = measure::estimated(case, metric::THROUGHPUT).filter(|sent| *sent > 0.0)?;
    let counters = measure::good(case).next().map(|trial| &trial.result.local().counters)?;
    let disks = counters.iter().filter(|one| one.source.ends_with(" read_sectors"));
    let read = |disk: &Resource| measure::median(case, |trial| measure::rate(trial, disk, "read_sectors"));
    let disks = disks.map(|one| one.resource.clone()).filter(|disk| disk.is_named(ResourceKind::Block));
    let all: Vec<(Resource, f64)> = disks.filter_map(|disk| Some((disk.clone(), read(&disk)?))).collect();
    let all: Vec<_> = all.into_iter().filter(|(_, read)| READ.contains(&(read / sent))).collect();
    let limits = context.machine.map_or(&[][..], |machine| &machine.limits[..]);
    let throttled = all.iter().find_map(|(disk, read)| {
        let is_its = |limit: &&Limit| {
            limit.kind == LimitKind::Quota
                && limit.resource == *disk
                && limit.quantity == metric::THROUGHPUT
                && limit.direction == Some(Direction::Read)
        };
        let used = limits.iter().filter(is_its).find_map(|limit| utilization::of_limit(limit, *read))?;
        (FULL..=BEYOND).contains(&used.fraction).then_some(used)
    });
    if let Some(used) = throttled {
        return Some(quota::held(case, &used));
    }
    let (disk, _) = all.into_iter().next()?;
    let found = finding("device-bound", Severity::Note).on(disk).arg("how", "reads");
    Some(found.arg("share", share).arg("ahead", true).arg("flushed", false))
}

fn stands_in_queue(full: &Verdict) -> bool {
    matches!(full, Verdict::Full(found) if found.args.get("by").is_some_and(|by| by.to_string() == "queue"))
}

/// The share of the segments that were lost, where it is what such a connection gets little for.
fn lost(case: &CaseResult) -> Option<(f64, Evidence)> {
    let evidence = loss::evidence(case).or_else(|| loss::sent_again(case))?;
    let share = evidence.args.get("share")?.number()?;
    if loss::felt(case).is_some() {
        return Some((share, evidence));
    }
    let of = |trial: &Trial| {
        let rtt_s = measure::number(trial, fact::RTT_LEAST).filter(|rtt_s| *rtt_s > 0.0)?;
        let each = measure::measured(trial, metric::THROUGHPUT)? / measure::concurrency(case);
        Some(each / loss::allowed(measure::number(trial, fact::MSS)?, rtt_s, share))
    };
    let is_felt = measure::median(case, of).is_none_or(|part| part >= loss::ALLOWED);
    is_felt.then_some((share, evidence))
}

#[cfg(test)]
mod tests {
    use model::profile::{Flow, FlowUnit, OperationClass, Peer, Transport};
    use model::resource::PathStep;
    use model::trial::Window;
    use model::{Better, FactName, Finding, Quantity, Resource, Unit};

    use super::*;
    use crate::validity::fixture;

    /// What holds back an upload of 1 MB/s over 10 ms for so much of whose time all was acknowledged, and so many of whose
    /// segments were sent again beside 1,000.
    fn verdict(idle: f64, again: u64) -> Finding {
        verdict_of(idle, again, &[])
    }

    /// The same where TCP tells more of the way, whose least round trip is 10 ms.
    fn verdict_of(idle: f64, again: u64, told: &[(FactName, f64)]) -> Finding {
        let found =
            crate::bottleneck::check(&case(idle, again, told), &fixture::context(&Default::default()));
        crate::said::written(found).remove(0)
    }

    fn case(idle: f64, again: u64, told: &[(FactName, f64)]) -> CaseResult {
        let mut case = fixture::case(1);
        let profile = &mut case.loads.main.profile;
        profile.flows = vec![Flow::only(OperationClass::Send, FlowUnit::Bytes)];
        profile.peer = Some(Peer::AnotherProgram);
        profile.transport = Some(Transport::Tcp);
        let estimate = fixture::estimate(1e6, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        let result = &mut case.trials[0].result;
        result.window = Some(Window { start_ns: 0, end_ns: 1_000_000_000 });
        let counter =
            |name: &str, count| fixture::counter("tcp", &format!("/proc/net/snmp {name}"), 1.0, count);
        result.local_mut().counters = vec![counter("RetransSegs", again), counter("OutSegs", 1000)];
        let rate = Quantity { value: 1e6, unit: Unit::BytesPerSecond };
        result.main_mut().metrics = [(metric::THROUGHPUT, rate)].into();
        case.path = vec![PathStep { resource: Resource::from("nic:eth0"), amplification: 1.0 }];
        let main = case.trials[0].result.main_mut();
        for (name, value) in told {
            let rtt = Quantity { value: *value, unit: Unit::Seconds };
            match *name {
                // A metric: the others are facts.
                name if name == fact::RTT_LEAST => _ = main.metrics.insert(metric::RTT, rtt),
                name => _ = main.facts.insert(name, (*value).into()),
            }
        }
        for (name, value) in [
            (fact::SERVER_WINDOW_FULL_SHARE, 0.0),
            (fact::ALL_ACKNOWLEDGED_SHARE, idle),
            (fact::RTT_LEAST, 0.01),
            (fact::MSS, 1448.0),
        ] {
            main.facts.insert(name, value.into());
        }
        for (name, ns) in [(metric::LATENCY, 1_000_000_000), (metric::ANSWER, 20_000_000)] {
            let mut times = stats::histogram::new_latency();
            times.record(ns).unwrap();
            main.histograms.insert(name, stats::histogram::encode(&times).unwrap());
        }
        case
    }

    /// Bug: of an upload over a way that loses segments nobody could tell what held it back.
    #[test]
    fn an_upload_that_is_under_way_most_of_the_time_is_held_back_by_what_is_lost() {
        let lossy = verdict(0.05, 10);
        assert_eq!(lossy.code, "loss-bound");
        assert!(lossy.text.contains("waits for the path 95 % of the time"), "{}", lossy.text);
        let has = |found: &Finding, code: &str| found.evidence.iter().any(|one| one.code == code);
        let narrow = verdict(0.05, 0);
        assert!(narrow.code == "cannot-tell" && has(&narrow, "under-way"), "{narrow:?}");
        // Bug: of an upload over a way that a queue shows to be full, and of one whose own buffer is small, nobody could tell either.
        let queued =
            [(fact::LEAST_RTT, 0.01), (fact::RTT_LEAST, 0.03), (fact::SEND_BUFFER_LIMITED_TIME, 0.1)];
        let full = verdict_of(0.05, 0, &queued);
        assert_eq!(full.code, "path-full", "{full:?}");
        assert_eq!(full.resource.as_ref().map(Resource::as_str), Some("nic:eth0"));
        let direct =
            [(fact::LEAST_RTT, 0.01), (fact::RTT_LEAST, 0.0104), (fact::SEND_BUFFER_LIMITED_TIME, 0.1)];
        assert_eq!(verdict_of(0.05, 0, &direct).code, "cannot-tell", "no queue stands there");
        // What it does not take is lost; and what a policer drops keeps the ends waiting a little, without a queue.
        let losing = |rtt_s: f64, least_s: f64| {
            let told =
                [(fact::LEAST_RTT, least_s), (fact::RTT_LEAST, rtt_s), (fact::SEND_BUFFER_LIMITED_TIME, 0.1)];
            let mut case = case(0.05, 100, &told);
            let again = Quantity { value: 100.0, unit: Unit::One };
            case.trials[0].result.main_mut().metrics.insert(metric::RETRANSMITS, again);
            let found = crate::bottleneck::check(&case, &fixture::context(&Default::default()));
            found[0].code.clone()
        };
        assert_eq!(losing(0.04, 0.01), "path-full");
        assert_eq!(losing(0.0105, 0.00001), "loss-bound");
        let small = verdict_of(0.05, 0, &[(fact::SEND_BUFFER_LIMITED_TIME, 0.8)]);
        assert_eq!(small.code, "window-bound", "{small:?}");
        assert!(small.text.contains("sender's own buffer was full 80 % of the time"), "{}", small.text);
        let slow = verdict(0.9, 0);
        assert!(slow.code == "cannot-tell" && has(&slow, "nothing-to-send"), "{slow:?}");
    }

    /// Bug: of an upload that waits for the disk from which its file is read, or for a throttle on it, nobody could tell why it has
    /// nothing to send.
    #[test]
    fn an_upload_that_has_nothing_to_send_waits_for_the_disk_that_delivers_its_file() {
        let found = |read: u64, throttle: Option<f64>, caches: Caches| {
            let mut case = case(0.9, 0, &[]);
            case.loads.main.profile.caches = caches;
            let read = fixture::counter("block:sda", "/proc/diskstats read_sectors", 512.0, read / 512);
            case.trials[0].result.local_mut().counters.push(read);
            let mut machine = crate::bottleneck::tests::machine();
            let (unit, source) = (Unit::BytesPerSecond, "a throttle".to_owned());
            let limit =
                Limit::new(Resource::from("block:sda"), metric::THROUGHPUT, unit, LimitKind::Quota, source);
            let limit =
                |rate| Limit { direction: Some(Direction::Read), effective: Some(rate), ..limit.clone() };
            machine.limits = throttle.map(limit).into_iter().collect();
            crate::bottleneck::tests::verdict_on(&machine, &[case])
        };
        let disk = found(1_050_000, None, Caches::PageCache);
        assert_eq!(disk.code, "device-bound", "{disk:?}");
        assert!(
            disk.text.contains("disk sda holds this back: the load waits 89 % of the time"),
            "{}",
            disk.text
        );
        assert_eq!(found(1_050_000, Some(1e6), Caches::PageCache).code, "io-quota");
        assert_eq!(found(1_050_000, Some(5e6), Caches::PageCache).code, "device-bound", "there is room");
        assert_eq!(found(100_000, None, Caches::PageCache).code, "cannot-tell", "the file is in memory");
        assert_eq!(found(1_050_000, None, Caches::None).code, "cannot-tell", "it sends no file");
    }
}
