//! The events of two captures in blkparse's lines, and which line of one is which of the other.

use std::collections::{BTreeMap, BTreeSet};

/// An event as a line of blkparse's has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EventLine {
    /// The device's number: `8,0`.
    pub(super) device: String,
    pub(super) cpu: u32,
    pub(super) time_ns: u64,
    thread: u32,
    /// The action's letter. That of an unplug by a timer is U, too: the kernel's trace event does not tell the two
    /// apart.
    pub(super) action: String,
    /// What is done: `FWS`.
    pub(super) rwbs: String,
    /// Where, how much, and who or with which error.
    pub(super) rest: String,
}

impl EventLine {
    /// Nothing where the line is none of an event.
    fn parse(line: &str) -> Option<Self> {
        if !is_of_device(line) {
            return None;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let [device, cpu, _sequence, time, thread, action, rwbs, rest @ ..] = words.as_slice() else {
            panic!("no line of blkparse's: {line}")
        };
        if *action == "m" {
            return None;
        }
        let (seconds, rest_ns) = time.split_once('.').unwrap();
        let [seconds, rest_ns] = [seconds, rest_ns].map(|part| part.parse::<u64>().unwrap());
        let thread = thread.parse().unwrap();
        let letter = if *action == "UT" { "U" } else { *action };
        Some(Self {
            device: (*device).to_owned(),
            cpu: cpu.parse().unwrap(),
            time_ns: seconds * 1_000_000_000 + rest_ns,
            thread,
            action: letter.to_owned(),
            rwbs: (*rwbs).to_owned(),
            rest: without_idle_name(thread, action, &rest.join(" ")).to_owned(),
        })
    }

    /// All of it but the time.
    fn what(&self) -> String {
        let Self { device, cpu, thread, action, rwbs, rest, .. } = self;
        format!("{device} CPU {cpu} thread {thread} {action} {rwbs} {rest}")
    }
}

/// Whether a line is of an event or a message, and not of a table: it begins with a device's number.
pub(super) fn is_of_device(line: &str) -> bool {
    let first = line.split_whitespace().next().and_then(|word| word.split_once(','));
    first.is_some_and(|(major, minor)| [major, minor].iter().all(|part| part.parse::<u32>().is_ok()))
}

/// Without the name of thread 0. The idle task of each CPU has that number and a name of its own, of
/// which blkparse knows one.
fn without_idle_name<'a>(thread: u32, action: &str, text: &'a str) -> &'a str {
    // In these the brackets have the error.
    let is_named = !matches!(action, "C" | "R");
    match text.find('[') {
        Some(at) if thread == 0 && is_named => &text[..at],
        _ => text,
    }
}

/// The events of a text, the first of which was at this time.
pub(super) fn events(text: &str, first_ns: u64) -> Vec<EventLine> {
    let mut events: Vec<EventLine> = text.lines().filter_map(EventLine::parse).collect();
    let begin_ns = events.iter().map(|event| event.time_ns).min().unwrap_or_default();
    for event in &mut events {
        event.time_ns = event.time_ns - begin_ns + first_ns;
    }
    events
}

/// On each CPU, events of one action must have come in the same order.
pub(super) fn assert_same_order(theirs: &[EventLine], ours: &[EventLine]) {
    let (theirs, ours) = (orders(theirs), orders(ours));
    assert_eq!(theirs.keys().collect::<Vec<_>>(), ours.keys().collect::<Vec<_>>());
    for (of, theirs) in &theirs {
        for (number, (their, our)) in theirs.iter().zip(&ours[of]).enumerate() {
            assert_eq!(their, our, "event {number} of {of:?}: blktrace's and ours");
        }
    }
}

/// The events of each device, CPU and action, in order of time.
fn orders(events: &[EventLine]) -> BTreeMap<(&str, u32, &str), Vec<String>> {
    let mut sorted: Vec<&EventLine> = events.iter().collect();
    sorted.sort_by_key(|event| event.time_ns);
    let mut orders: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for event in sorted {
        let of = (event.device.as_str(), event.cpu, event.action.as_str());
        orders.entry(of).or_default().push(event.what());
    }
    orders
}

/// How much later each event is in our capture than in blktrace's, in nanoseconds, the least first.
#[derive(Debug)]
pub(super) struct TimeDifferences(Vec<i64>);

/// How far most differences may be apart.
const MOST_NS: i64 = 1_000_000;

impl TimeDifferences {
    /// Each event of one capture must be in the other once: in the same place, of the same size, action and kind, on
    /// the same CPU, by the same thread. Those that are the same in all of this are told apart by their order.
    pub(super) fn between(theirs: &[EventLine], ours: &[EventLine]) -> Self {
        let (theirs, ours) = (times(theirs), times(ours));
        assert_same_counts(&theirs, &ours);
        let signed = |time: u64| i64::try_from(time).unwrap();
        let pairs = theirs.iter().flat_map(|(what, theirs)| theirs.iter().zip(&ours[what]));
        let mut differences: Vec<i64> = pairs.map(|(their, our)| signed(*our) - signed(*their)).collect();
        differences.sort_unstable();
        Self(differences)
    }

    /// Two probes of one event read the clock one after the other. Mostly this is a part of a
    /// millisecond, even on an emulated CPU; but at any event an interrupt may come between, and the
    /// emulation may pause, for however long. So one in ten at each end may differ more.
    pub(super) fn assert_mostly_alike(&self) {
        let Self(all) = self;
        let (low, high) = (all[all.len() / 10], all[all.len() * 9 / 10]);
        assert!(high - low < MOST_NS, "most events differ by {low} to {high} ns: {all:?}");
    }

    /// And it is one clock: it does not stand elsewhere in the other capture.
    pub(super) fn assert_one_clock(&self) {
        self.assert_mostly_alike();
        let middle = self.0[self.0.len() / 2];
        assert!(middle.abs() < MOST_NS, "half of the events are {middle} ns later: {:?}", self.0);
    }

    /// From the least to the largest. Whatever is made of the times of two events, and any mean of such,
    /// differs by no more.
    pub(super) fn spread_ns(&self) -> f64 {
        (self.0[self.0.len() - 1] - self.0[0]) as f64
    }
}

/// Of each event there must be as many in both. Where there are not, it is said when they were: whether at an edge
/// of a capture or in its middle.
fn assert_same_counts(theirs: &BTreeMap<String, Vec<u64>>, ours: &BTreeMap<String, Vec<u64>>) {
    let first_ns = theirs.values().chain(ours.values()).flatten().min().copied().unwrap_or_default();
    let since_first =
        |times: &[u64]| -> Vec<u64> { times.iter().map(|time| (time - first_ns) / 1000).collect() };
    let all: BTreeSet<&String> = theirs.keys().chain(ours.keys()).collect();
    let differ: Vec<String> = all
        .into_iter()
        .map(|what| {
            (what, [theirs, ours].map(|times| times.get(what).map(Vec::as_slice).unwrap_or_default()))
        })
        .filter(|(_, [theirs, ours])| theirs.len() != ours.len())
        .map(|(what, times)| {
            let [their_count, our_count] = times.map(<[u64]>::len);
            let [theirs, ours] = times.map(since_first);
            format!("blktrace {their_count} at {theirs:?} us, Headroom {our_count} at {ours:?} us: {what}")
        })
        .collect();
    let [first, last] = [ours.values().flatten().min(), ours.values().flatten().max()];
    let ends = since_first(&first.into_iter().chain(last).copied().collect::<Vec<_>>());
    let kinds = differ.len();
    assert!(
        kinds == 0,
        "{kinds} kinds of events differ; Headroom's ends are {ends:?} us:\n{}",
        differ.join("\n")
    );
}

/// The times of equal events, in order.
fn times(events: &[EventLine]) -> BTreeMap<String, Vec<u64>> {
    let mut times: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for event in events {
        times.entry(event.what()).or_default().push(event.time_ns);
    }
    times.values_mut().for_each(|times| times.sort_unstable());
    times
}

/// Headroom's own text of a capture must be blkparse's of the same: each line to the last column, and
/// the tables.
pub(super) fn assert_same_text(headroom: &str, blkparse: &str) {
    let [(our_events, our_tables), (their_events, their_tables)] = [headroom, blkparse].map(parts);
    assert_eq!(our_events.len(), their_events.len());
    for (ours, theirs) in our_events.iter().zip(&their_events) {
        assert_eq!(ours, theirs, "Headroom's text and blkparse's");
    }
    assert_eq!(our_tables, their_tables);
}

/// The lines of events, sorted, for of two at one moment either may be first; and those of the tables, where
/// blkparse separates thousands if the machine has the locale for it.
fn parts(text: &str) -> (Vec<(u64, u32, String)>, Vec<String>) {
    let (events, tables): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| is_of_device(line));
    let sorted = |line: &str| {
        let event = EventLine::parse(line)?;
        let shown = without_idle_name(event.thread, &event.action, line).to_owned();
        Some((event.time_ns, event.cpu, shown))
    };
    let mut events: Vec<_> = events.into_iter().filter_map(sorted).collect();
    events.sort();
    let squeezed = |line: &str| line.replace(',', "").split_whitespace().collect::<Vec<_>>().join(" ");
    (events, tables.into_iter().map(squeezed).collect())
}
