//! A situation in words: the first line, and a line for each resource.

use language::format::{self, Rates};
use language::{Argument, Words, resource_name};
use model::profile::Order;
use model::{Resource, ResourceKind, Unit, Value};
use trace::analysis::IoClass;

use crate::mix::IoMix;
use crate::phases::WayPhases;
use crate::situation::{LimitOrigin, LimitShare, ResourceActivity, ResourceRow, Situation};

/// From this share on it is full.
pub const FULL: f64 = 0.95;
/// From this share on it is nearly full.
pub const NEAR: f64 = 0.80;

/// How a line is to be marked, beside what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fullness {
    /// There is room.
    Free,
    /// There is less than a fifth left.
    Near,
    /// There is none.
    Full,
    /// Nobody knows.
    Unknown,
}

impl Fullness {
    fn of(used: Option<&LimitShare>) -> Self {
        match used.and_then(LimitShare::middle) {
            None => Self::Unknown,
            Some(share) if share >= FULL => Self::Full,
            Some(share) if share >= NEAR => Self::Near,
            Some(_) => Self::Free,
        }
    }
}

/// A resource in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowText {
    /// What it is called.
    pub name: String,
    /// How full it is, `55 to 62 %`; a word where that is unknown, and nothing where it is not used.
    pub share: String,
    /// How to mark it.
    pub fullness: Fullness,
    /// What it does now.
    pub now: String,
    /// The limit, and where it is known from.
    pub limit: String,
    /// Where the time of a disk's operations went; nothing where that is not traced.
    pub phases: String,
}

/// A name of a machine must move no cursor.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// What people call a resource, control groups among them.
#[must_use]
pub fn name(words: &Words, resource: &Resource) -> String {
    let named = match (resource.kind(), resource.name()) {
        (ResourceKind::Cgroup, path) if path.starts_with('/') => match path.rsplit_once('@') {
            Some((group, device)) => {
                words.tell_texts("watch-group-device", &[("name", group), ("device", device)])
            }
            None => words.tell_texts("watch-group", &[("name", path)]),
        },
        _ => resource_name(words, resource),
    };
    printable(&named)
}

/// What people call the resource of a row, with its machine where that is another one.
#[must_use]
pub fn row_name(words: &Words, row: &ResourceRow) -> String {
    let own = match row.activity {
        ResourceActivity::MemoryTraffic { .. } => words.say("watch-memory-traffic"),
        _ => name(words, &row.resource),
    };
    match &row.machine {
        Some(machine) => format!("{}: {own}", printable(machine)),
        None => own,
    }
}

/// What is nearest to being full, and how much more of the present load it would bear.
#[must_use]
pub fn first_line(words: &Words, situation: &Situation) -> String {
    // One sample tells no rate.
    if situation.rows.is_empty() || situation.window_s <= 0.0 {
        return words.say("watch-starting");
    }
    if let Some((row, waits)) = situation.unknown_wait() {
        let study = row.uses.iter().find_map(|used| used.study.as_ref());
        let study = study.map_or_else(|| "none".to_owned(), |words| command(words));
        return words.tell(
            "watch-unknown-wait",
            &[
                ("resource", Value::from(name(words, &row.resource).as_str())),
                ("waits", Value::Number(waits)),
                ("study", Value::from(study.as_str())),
            ],
        );
    }
    let Some((row, used)) = situation.nearest() else { return words.say("watch-nothing") };
    let Some((low, high)) = used.share() else { return words.say("watch-nothing") };
    let share = format::percents(words, low, high);
    let resource = row_name(words, row);
    if let ResourceActivity::Memory { used, total, .. } = row.activity {
        let left = format::rough_binary((total - used).max(0.0) as u64);
        let texts = [("resource", resource.as_str()), ("share", &share), ("left", &left)];
        return words.tell_texts("watch-nearest-memory", &texts);
    }
    let state = match f64::midpoint(low, high) {
        share if share >= FULL => "full",
        // How many times nearly nothing fits is no figure.
        share if share < IDLE => "idle",
        _ => "some",
    };
    let what = what(words, row, used);
    let more = times(words, 1.0 / high, 1.0 / low);
    let by_latency = matches!(
        used.limit.as_ref().map(|limit| &limit.origin),
        Some(LimitOrigin::Mixes { by_latency: true, .. })
    );
    let line = words.tell_texts(
        "watch-nearest",
        &[
            ("resource", &resource),
            ("share", &share),
            ("what", &what),
            ("state", state),
            ("more", &more),
            ("latency", if by_latency { "yes" } else { "no" }),
        ],
    );
    let (others, key) = match situation.others_from(FULL) {
        // Beside what is full it matters little.
        others if others.is_empty() && state != "full" => {
            (situation.notable_unknowns(), "watch-also-unknown")
        }
        others => (others, "watch-also-full"),
    };
    let names: Vec<String> = others.into_iter().map(|row| row_name(words, row)).collect();
    let line = match names.is_empty() {
        true => line,
        false => line + &words.tell_texts(key, &[("names", &names.join(", "))]),
    };
    match situation.silent.is_empty() {
        true => line,
        false => {
            line + &words.tell_texts("watch-silent", &[("names", &printable(&situation.silent.join(", ")))])
        }
    }
}

/// A resource of which less is used is hardly used.
const IDLE: f64 = 0.01;

/// `1.6`, or `1.6 to 1.8` where that is another figure; more than a thousand is told as that.
fn times(words: &Words, low: f64, high: f64) -> String {
    let one = |value: f64| match value {
        v if v >= 1000.0 => "1000".to_owned(),
        v if v >= 10.0 => format!("{v:.0}"),
        v => format!("{v:.1}"),
    };
    let (low, high) = (one(low.max(1.0)), one(high.max(1.0)));
    both_ends(words, low, high)
}

/// Both ends of a range; one where they read the same.
fn both_ends(words: &Words, low: String, high: String) -> String {
    if low == high { low } else { words.tell_texts("range", &[("low", &low), ("high", &high)]) }
}

/// Of what a share is.
fn what(words: &Words, row: &ResourceRow, used: &LimitShare) -> String {
    let origin = used.limit.as_ref().map(|limit| &limit.origin);
    match (origin, &row.activity) {
        (Some(LimitOrigin::Mixes { .. }), _) => words.say("watch-of-mixes"),
        (Some(LimitOrigin::Goodput { .. }), _) => words.say("watch-of-goodput"),
        (Some(LimitOrigin::Syncs { .. }), _) => words.say("watch-of-syncs"),
        (Some(LimitOrigin::Link(_)), _) => words.say("watch-of-link"),
        (Some(LimitOrigin::Datasheet(_)), _) => words.say("watch-of-datasheet"),
        (Some(LimitOrigin::Quota(source)), _) => {
            words.tell_texts("watch-of-quota", &[("source", &printable(source))])
        }
        (_, ResourceActivity::Processors { online, .. }) => words.count("watch-of-cpus", *online),
        _ => words.say("watch-of-memory"),
    }
}

/// The words of a command of ours, as they are typed.
#[must_use]
pub fn command(words: &[String]) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || "/._-,:%=".contains(c);
    let quoted = words.iter().map(|word| match !word.is_empty() && word.chars().all(bare) {
        true => word.clone(),
        false => format!("'{}'", printable(word).replace('\'', "'\\''")),
    });
    let all: Vec<String> = std::iter::once("headroom".to_owned()).chain(quoted).collect();
    all.join(" ")
}

/// A line for each resource, the busiest limits first within each kind.
#[must_use]
pub fn rows(words: &Words, situation: &Situation) -> Vec<RowText> {
    let told = |row: &ResourceRow| {
        let phases = phases(words, situation, row);
        RowText { phases, ..self::row(words, row) }
    };
    situation.rows.iter().map(told).collect()
}

/// Where the time of a disk's operations went.
fn phases(words: &Words, situation: &Situation, row: &ResourceRow) -> String {
    let is_disk = row.resource.kind() == ResourceKind::Block && row.machine.is_none();
    let all = situation.traced.iter().flat_map(|traced| &traced.disks);
    let Some(disk) = all.into_iter().find(|disk| is_disk && disk.device == row.resource.name()) else {
        return String::new();
    };
    let time = |s: Option<f64>| s.map_or_else(|| "-".to_owned(), |s| Rates::Bytes.rough(s, Unit::Seconds));
    let way = |way: &WayPhases| {
        let class = match way.class {
            IoClass::Read => "read",
            IoClass::Write => "write",
            IoClass::Other => "other",
        };
        let texts = [
            ("class", class.to_owned()),
            ("request", time(way.request_s)),
            ("driver", time(way.driver_s)),
            ("device", time(way.device_s)),
            ("slow", time(way.device_slow_s)),
        ];
        words.tell_texts("watch-phases", &texts.each_ref().map(|(name, text)| (*name, text.as_str())))
    };
    let ways: Vec<String> = disk.ways.iter().map(way).collect();
    ways.join("; ")
}

fn row(words: &Words, row: &ResourceRow) -> RowText {
    let nearest = row.nearest();
    let unknown = row.uses.first().filter(|_| nearest.is_none() && row.is_active());
    let share = match (nearest.and_then(LimitShare::share), unknown) {
        (Some((low, high)), _) => format::percents(words, low, high),
        (None, Some(_)) => words.say("watch-unknown"),
        (None, None) => String::new(),
    };
    let limit = match (nearest, unknown) {
        (Some(used), _) => from(words, row, used),
        (None, Some(LimitShare { study: Some(study), .. })) => {
            words.tell_texts("watch-study", &[("study", &command(study))])
        }
        (None, Some(_)) => words.say("watch-unknown"),
        (None, None) => String::new(),
    };
    RowText {
        name: row_name(words, row),
        share,
        fullness: Fullness::of(nearest),
        now: now(words, row),
        limit,
        phases: String::new(),
    }
}

/// The limit with where it is from.
fn from(words: &Words, row: &ResourceRow, used: &LimitShare) -> String {
    let Some(limit) = &used.limit else { return String::new() };
    let rates = Rates::of_resource(&row.resource);
    let written = |value: f64| match used.unit {
        Unit::Bytes => format::rough_binary(value as u64),
        Unit::One => format::short(value),
        unit => rates.rough(value, unit),
    };
    let (low, high) = (written(limit.low), written(limit.high));
    let figure = both_ends(words, low, high);
    let source = match &limit.origin {
        LimitOrigin::Mixes { age_s, mixes, knee, is_shallow, .. } => {
            let mixes: Vec<String> = mixes.iter().map(|(mix, order)| mix_text(words, *mix, order)).collect();
            let knee = both_ends(words, format::short(knee.0), format::short(knee.1));
            let shallow = if *is_shallow { "yes" } else { "no" };
            let texts = [
                ("age", age(*age_s)),
                ("mixes", mixes.join(", ")),
                ("knee", knee),
                ("shallow", shallow.to_owned()),
            ];
            words.tell_texts("watch-from-mixes", &texts.each_ref().map(|(name, text)| (*name, text.as_str())))
        }
        LimitOrigin::Goodput { age_s, .. } | LimitOrigin::Syncs { age_s, .. } => {
            words.tell_texts("watch-from-goodput", &[("age", &age(*age_s))])
        }
        LimitOrigin::Link(source) | LimitOrigin::Datasheet(source) | LimitOrigin::Quota(source) => {
            printable(source)
        }
        LimitOrigin::Hardware => words.say("watch-from-hardware"),
    };
    format!("{figure} ({source})")
}

fn age(age_s: Option<u64>) -> String {
    age_s.map_or_else(|| "unknown".to_owned(), format::age)
}

fn mix_text(words: &Words, mix: IoMix, order: &Order) -> String {
    let key = if *order == Order::Sequential { "watch-mix-sequential" } else { "watch-mix-random" };
    let size = format::rough_binary(mix.block_bytes.round() as u64);
    words.tell(key, &[("size", Value::from(size.as_str())), ("reads", Value::Number(mix.read_share))])
}

/// What a resource does now.
fn now(words: &Words, row: &ResourceRow) -> String {
    let rates = Rates::of_resource(&row.resource);
    let per_s = |value: f64| rates.rough(value, Unit::PerSecond);
    let bytes = |value: f64| rates.rough(value, Unit::BytesPerSecond);
    let time = |s: Option<f64>| s.map_or_else(|| "-".to_owned(), |s| rates.rough(s, Unit::Seconds));
    let text = |text: String| Value::from(text.as_str());
    let tell = |key: &str, arguments: &[Argument<'_>]| words.tell(key, arguments);
    match &row.activity {
        ResourceActivity::Processors { busy, online, stolen, busiest } => tell(
            "watch-cpu-detail",
            &[
                ("busy", Value::Number(*busy)),
                ("online", Value::Integer(*online as u64)),
                ("busiest", Value::Number(*busiest)),
                ("stolen", if *stolen < 0.005 { Value::Integer(0) } else { Value::Number(*stolen) }),
            ],
        ),
        ResourceActivity::Disk { operations, bytes: moved, latency_s, depth, .. } => tell(
            "watch-disk-detail",
            &[
                ("reads", text(per_s(operations[0]))),
                ("read", text(bytes(moved[0]))),
                ("readtime", text(time(latency_s[0]))),
                ("writes", text(per_s(operations[1]))),
                ("written", text(bytes(moved[1]))),
                ("writetime", text(time(latency_s[1]))),
                ("depth", Value::Number(*depth)),
            ],
        ),
        ResourceActivity::Interface { bytes: moved, packets, dropped, .. } => {
            let all: f64 = packets.iter().sum();
            let size = if all > 0.0 { moved.iter().sum::<f64>() / all } else { 0.0 };
            let dropped = if *dropped < 0.05 { Value::Integer(0) } else { text(per_s(*dropped)) };
            tell(
                "watch-nic-detail",
                &[
                    ("in", text(bytes(moved[0]))),
                    ("packetsin", text(per_s(packets[0]))),
                    ("out", text(bytes(moved[1]))),
                    ("packetsout", text(per_s(packets[1]))),
                    ("size", text(format!("{size:.0}"))),
                    ("dropped", dropped),
                ],
            )
        }
        ResourceActivity::MemoryTraffic { bytes: moved } => bytes(*moved),
        ResourceActivity::Memory { used, total, swapped, has_traffic } => tell(
            "watch-memory-detail",
            &[
                ("used", text(format::rough_binary(*used as u64))),
                ("total", text(format::rough_binary(*total as u64))),
                ("swapped", if *swapped < 1.0 { Value::Integer(0) } else { text(bytes(*swapped)) }),
                ("traffic", Value::from(if *has_traffic == Some(false) { "none" } else { "some" })),
            ],
        ),
        ResourceActivity::Group { cpu, stopped } => {
            let known = |value: &Option<f64>| value.map_or_else(|| Value::from("unknown"), Value::Number);
            tell("watch-group-detail", &[("cpu", known(cpu)), ("stopped", known(stopped))])
        }
        ResourceActivity::GroupDevice { bytes: moved, operations } => tell(
            "watch-group-device-detail",
            &[
                ("reads", text(per_s(operations[0]))),
                ("read", text(bytes(moved[0]))),
                ("writes", text(per_s(operations[1]))),
                ("written", text(bytes(moved[1]))),
            ],
        ),
    }
}

#[cfg(test)]
mod tests;
