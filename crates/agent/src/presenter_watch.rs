//! A trial as the node sees it that presents what its controller drives: no load runs here, and the machine is sampled in
//! the window that the controller tells.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use engine::{Fault, IdlePhases, Observer, clock};
use machine::Host;
use machine::inventory::{block, storage};
use machine::limit::{self, WriteShare};
use machine::sampler::Scope;
use model::machine::{BlockDevice, Inventory};
use model::present::WatchedMachine;
use model::trial::{Timeline, Window};
use model::{AgentEvent, Resource, ResourceKind};

use crate::sampling::{SamplerCommand, Watcher};
use crate::trial_observer::TrialObserver;
use crate::{layers, survey};

/// How often somebody looks whether the times are there.
const LOOK: Duration = Duration::from_millis(1);
/// How often somebody looks whether the window is over.
const LOOK_IN_WINDOW: Duration = Duration::from_millis(50);
/// Times that begin so long before they were waited for are those of an earlier trial, ns.
const EARLY_NS: u64 = 500_000_000;

/// What a watch works with.
pub(crate) struct WatchContext<'a> {
    /// The times that the controller decided, once they are known.
    pub(crate) told: &'a (dyn Fn() -> Option<Timeline> + Sync),
    pub(crate) cancel: &'a AtomicBool,
    /// Hears events.
    pub(crate) tell: &'a (dyn Fn(AgentEvent) + Sync),
}

/// Watches until the window is over; `tops` are what is presented.
///
/// # Errors
/// If it is called off, or no thread can be started.
pub(crate) fn run(
    tops: &[PathBuf],
    inventory: &Inventory,
    context: &WatchContext<'_>,
) -> Result<WatchedMachine, Fault> {
    let host = Host::this();
    let devices = devices(tops, inventory, &host);
    let scope = Scope::of(inventory, &host).and_block(devices.clone());
    let before = block::layers(&host, &inventory.block, &devices);
    let mut watcher = Watcher::open(&host, &scope);
    let (send, commands) = channel();
    let window = std::thread::scope(|scope| {
        let watcher = &mut watcher;
        let watching = std::thread::Builder::new()
            .spawn_scoped(scope, move || watcher.watch(&commands, IdlePhases::default()))
            .map_err(|e| Fault::system("starting the sampler", e))?;
        let window = attend(context, &send);
        // Without times it would wait for ever.
        drop(send);
        // What was seen without counters is better than nothing.
        let _ = watching.join();
        window
    })?;
    let mut machine = watcher.machine(window);
    layers::note(&mut machine, before, inventory);
    let devices = devices.iter().map(|name| Resource::of(ResourceKind::Block, name)).collect();
    Ok(WatchedMachine { machine, devices })
}

/// Gives the sampler the times once they are told, and waits for their end.
fn attend(context: &WatchContext<'_>, sampler: &Sender<SamplerCommand>) -> Result<Window, Fault> {
    let life = TrialObserver::unwatched(context.tell);
    let earliest_ns = clock::now_ns().saturating_sub(EARLY_NS);
    let (mut beat, mut first) = (0, None);
    loop {
        if context.cancel.load(Ordering::Relaxed) {
            return Err(Fault::Cancelled);
        }
        beat += 1;
        life.alive(beat);
        let Some(times) = (context.told)().filter(|times| times.start_ns >= earliest_ns) else {
            std::thread::sleep(LOOK);
            continue;
        };
        let Timeline { window_ns, .. } = *first.get_or_insert_with(|| {
            // Where nobody listens any more, nothing is sampled.
            let _ = sampler.send(SamplerCommand::Window(times));
            times
        });
        let left_ns = times.end_ns.saturating_sub(clock::now_ns());
        if left_ns == 0 {
            return Ok(Window { start_ns: window_ns, end_ns: times.end_ns });
        }
        std::thread::sleep(LOOK_IN_WINDOW.min(Duration::from_nanos(left_ns)));
    }
}

/// The block devices on the way of what reaches `tops`, the highest first.
fn devices(tops: &[PathBuf], inventory: &Inventory, host: &Host) -> Vec<String> {
    let under: Vec<Option<String>> = tops.iter().map(|top| storage::under(host, top)?.block).collect();
    let names: Vec<Option<&str>> = under.iter().map(Option::as_deref).collect();
    let beneath = |device: &BlockDevice| survey::beneath(device, host);
    let steps = limit::to_block_devices(inventory, &names, WriteShare { written: 0.5 }, &beneath);
    let blocks = steps.iter().filter_map(|step| step.resource.named(ResourceKind::Block));
    blocks.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(start_ns: u64, end_ns: u64) -> Timeline {
        Timeline { start_ns, window_ns: start_ns, interval_ns: 1_000_000, end_ns }
    }

    fn attended(told: &(dyn Fn() -> Option<Timeline> + Sync), cancel: &AtomicBool) -> Result<Window, Fault> {
        let (send, _commands) = channel();
        attend(&WatchContext { told, cancel, tell: &|_| {} }, &send)
    }

    #[test]
    fn a_watch_lasts_until_the_window_is_over_and_times_of_an_earlier_trial_are_none() {
        let begin_ns = clock::now_ns();
        let (old, now) = (times(1, 2), times(begin_ns, begin_ns + 30_000_000));
        let looks = std::sync::atomic::AtomicU64::new(0);
        let told = || Some(if looks.fetch_add(1, Ordering::Relaxed) < 3 { old } else { now });
        let window = attended(&told, &AtomicBool::new(false)).unwrap();
        assert_eq!((window.start_ns, window.end_ns), (now.window_ns, now.end_ns));
        assert!(clock::now_ns() >= now.end_ns);
    }

    #[test]
    fn a_window_whose_end_nobody_knew_ends_when_that_is_told() {
        let begin_ns = clock::now_ns();
        let looks = std::sync::atomic::AtomicU64::new(0);
        let told = || {
            let is_open = looks.fetch_add(1, Ordering::Relaxed) < 2;
            Some(if is_open { times(begin_ns, u64::MAX) } else { times(begin_ns + 5, begin_ns + 6) })
        };
        let window = attended(&told, &AtomicBool::new(false)).unwrap();
        assert_eq!((window.start_ns, window.end_ns), (begin_ns, begin_ns + 6));
    }

    #[test]
    fn a_watch_that_is_called_off_ends_without_times() {
        let ended = attended(&|| None, &AtomicBool::new(true));
        assert!(matches!(ended, Err(Fault::Cancelled)), "{ended:?}");
    }

    #[test]
    fn this_machine_is_watched_in_a_window_of_its_own() {
        let begin_ns = clock::now_ns() + 20_000_000;
        let told = || Some(times(begin_ns, begin_ns + 60_000_000));
        let context = WatchContext { told: &told, cancel: &AtomicBool::new(false), tell: &|_| {} };
        let watched = run(&[], &Inventory::default(), &context).unwrap();
        assert!(watched.machine.counters.iter().any(|c| c.resource == Resource::CPUS), "{watched:?}");
        assert!(watched.devices.is_empty());
    }
}
