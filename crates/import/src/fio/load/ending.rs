//! What ends a job. fio ends it after its bytes or after its time, whichever is
//! first; a trial here has one end.

use model::{Kind, Value, scalar};

use super::block::{self, Part};
use super::pattern::Doing;
use super::place::TargetLayout;
use super::{Load, Role, seconds};
use crate::fio::value::Amount;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::fio) enum Ending {
    /// A time, in seconds.
    Time(f64),
    /// So many operations of all clones.
    Operations(u64),
    /// So many bytes of all clones.
    Bytes(u64),
    /// One pass over the span, of so many bytes if they are known.
    Pass(Option<u64>),
    /// No space left.
    Full,
    /// The job does not say.
    Open,
}

impl Ending {
    /// The parameter that says so, and its value.
    pub(in crate::fio) fn parameter(self) -> Option<(&'static str, String)> {
        match self {
            Ending::Time(s) => Some(("duration", seconds(s))),
            Ending::Operations(number) => Some(("requests", number.to_string())),
            Ending::Bytes(bytes) => Some(("bytes", bytes.to_string())),
            Ending::Pass(_) => Some(("until", "end".to_owned())),
            Ending::Full => Some(("until", "full".to_owned())),
            Ending::Open => None,
        }
    }

    /// The same for a load that runs with another, which closes the window: it
    /// may only end earlier.
    pub(in crate::fio) fn of_companion(self) -> Option<(&'static str, String)> {
        match self {
            Ending::Pass(bytes) => Ending::Bytes(bytes?).parameter(),
            Ending::Operations(_) | Ending::Bytes(_) => self.parameter(),
            Ending::Time(_) | Ending::Full | Ending::Open => None,
        }
    }
}

/// What ends the job of `load`. For a companion another job's end closes the
/// window, so that its own is not told.
pub(super) fn of(load: &mut Load<'_>, doing: &Doing, sizes: &[Part], place: &TargetLayout) -> Ending {
    let job = load.job;
    // What is searched has no count of operations to end it.
    if job.seconds("latency_target").is_some() {
        return job.seconds("runtime").map_or(Ending::Open, Ending::Time);
    }
    if job.flag("fill_device") {
        if doing.pattern == "write" {
            return Ending::Full;
        }
        load.note("fill_device", "only sequential writes fill a target here");
    }
    let each = own_bytes(load, place).map(|bytes| whole_blocks(load, bytes, sizes, place));
    let loops = job.count("loops").unwrap_or(1);
    let all = each.map(|bytes| bytes.saturating_mul(loops).saturating_mul(place.clones));
    if let Some(time) = job.seconds("runtime") {
        if !job.flag("time_based") && load.role != Role::Companion {
            let shown = scalar::show(Kind::Duration, &Value::Number(time));
            let says = "without time_based fio would end after all bytes of the job, if that is sooner";
            load.note("runtime", &format!("{says}; here every trial lasts {shown}"));
        }
        return Ending::Time(time);
    }
    if job.flag("time_based") {
        load.note("time_based", "it has no effect without runtime, in fio neither");
    }
    if let Some(number) = job.count("number_ios") {
        let number = number.saturating_mul(place.clones);
        let of_bytes = all.map(|bytes| (bytes as f64 / block::mean(sizes)).ceil() as u64);
        return Ending::Operations(of_bytes.map_or(number, |n| n.min(number)).max(1));
    }
    // With filesize, the size may be less than the files have.
    let covers = own_bytes(load, place) == place.bytes;
    let is_whole = loops == 1 && job.amount("io_size").is_none() && covers;
    // Of clones that go through the same places in sequence, fio's finish at the
    // same time, as ours do; at random places each would need a pass of its own.
    let is_pass = is_whole && doing.once && sizes.len() == 1;
    if sizes.len() > 1 && all.is_some() && job.get("io_size").is_none() {
        mixed(load, doing);
    }
    match all {
        Some(bytes) if !is_pass || doing.random && place.is_shared => Ending::Bytes(bytes),
        _ if is_pass => Ending::Pass(if place.is_shared { each } else { all }),
        _ if load.role == Role::Companion => Ending::Open,
        _ => {
            let usual = load.usual("duration");
            let name = &job.name;
            load.notes.push(format!(
                "[{name}] has neither size nor runtime, so fio would end after as many bytes as the target has; here a \
                 trial lasts {usual} unless --duration says otherwise"
            ));
            Ending::Open
        }
    }
}

/// Blocks of several sizes: what differs in the number of operations.
fn mixed(load: &mut Load<'_>, doing: &Doing) {
    let from = ["bssplit", "bsrange", "bs"].into_iter().find(|n| load.job.get(n).is_some()).unwrap_or("bs");
    let ends = "fio would end when the bytes are moved; here a trial ends after as many operations as move so many on average";
    let cuts = "; of random blocks fio would also shrink those that meet what was visited before, and so do more of them";
    let cuts = if doing.random && !load.job.flag("norandommap") { cuts } else { "" };
    load.note(from, &format!("{ends}{cuts}"));
}

/// What of one pass of a clone are whole blocks: fio leaves out the rest of each
/// file, in each of its loops.
fn whole_blocks(load: &Load<'_>, bytes: u64, sizes: &[Part], place: &TargetLayout) -> u64 {
    match sizes {
        [(block, _)] if place.bytes == Some(bytes) && load.job.amount("io_size").is_none() => {
            let number = place.files.max(1);
            let whole = bytes / number / (*block).max(1) * block * number;
            if whole > 0 { whole } else { bytes }
        }
        _ => bytes,
    }
}

/// Bytes that one clone reads and writes.
fn own_bytes(load: &mut Load<'_>, place: &TargetLayout) -> Option<u64> {
    match load.job.amount("io_size") {
        Some(Amount::Whole(bytes @ 1..)) => Some(bytes),
        Some(Amount::Percent(share @ 1..)) => {
            let part = |bytes| u64::try_from(u128::from(bytes) * u128::from(share) / 100).unwrap_or(u64::MAX);
            place.bytes.map(part)
        }
        _ => match (load.job.amount("size"), place.bytes) {
            // With filesize, the size bounds what is moved.
            (Some(Amount::Whole(size @ 1..)), Some(bytes)) => Some(size.min(bytes)),
            (_, bytes) => bytes,
        },
    }
}
