//! A machine under watch: what is sampled, what is known of its limits, and what both come to.

use std::time::Duration;

use agent::{HeldGroups, MachineObserver, SampleBuffer};
use engine::clock;
use jiff::Timestamp;
use machine::inventory::cgroup::LimitedGroup;
use machine::sampler::Scope;
use machine::{Host, inventory, limit};
use model::Machine;
use model::trial::{ProcessUse, Window};

use crate::limit_book::LimitBook;
use crate::readings::BufferReadings;
use crate::situation::{Readings, Situation, SituationInput};

/// How often it is looked whether there are other devices or interfaces, ns.
const PARTS_NS: u64 = 5_000_000_000;
/// How often the limits of links and groups are read anew, ns: a shaper may have been set.
const LIMITS_NS: u64 = 60_000_000_000;
/// Reading all of that takes at most this part of the time.
const SHARE: u64 = 500;

/// How a machine is watched.
#[derive(Clone, Copy, Debug)]
pub struct WatchSettings {
    /// How far apart samples are.
    pub interval: Duration,
    /// What rates are of.
    pub window: Duration,
    /// Whether the processes of the whole time are wanted.
    pub keeps_all: bool,
}

/// A machine under watch.
pub struct WatchSession {
    host: Host,
    settings: WatchSettings,
    machine: Machine,
    scope: Scope,
    observer: MachineObserver,
    groups: HeldGroups,
    book: LimitBook,
    parts: Vec<(String, u64)>,
    parts_due_ns: u64,
    limits_due_ns: u64,
    began_ns: u64,
    latest_ns: u64,
}

impl WatchSession {
    /// Begins to watch this machine, of whose limits only what its inventory says is known.
    #[must_use]
    pub fn begin(machine: Machine, settings: WatchSettings) -> Self {
        let host = Host::this();
        let scope = Scope::of(&machine.inventory, &host);
        let observer = MachineObserver::open(&host, &scope, settings.interval, settings.keeps_all);
        let groups = HeldGroups::open(&host);
        let now = clock::now_ns();
        Self {
            parts: parts(&host),
            book: LimitBook::of_machine(&machine),
            host,
            settings,
            machine,
            scope,
            observer,
            groups,
            parts_due_ns: now + PARTS_NS,
            limits_due_ns: now + LIMITS_NS,
            began_ns: now,
            latest_ns: now,
        }
    }

    /// What is known of limits.
    #[must_use]
    pub fn book(&self) -> &LimitBook {
        &self.book
    }

    /// Takes what kept runs have measured.
    pub fn learn(&mut self, measured: LimitBook) {
        self.book.mixes = measured.mixes;
        self.book.goodputs = measured.goodputs;
        self.book.flushes = measured.flushes;
        self.book.memory = measured.memory;
    }

    /// The machine.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// What watches it.
    #[must_use]
    pub fn observer(&self) -> &MachineObserver {
        &self.observer
    }

    /// The groups that are held to a limit, and what was read of them.
    #[must_use]
    pub fn groups(&self) -> (&[LimitedGroup], &SampleBuffer) {
        (self.groups.groups(), self.groups.samples())
    }

    /// When watching began, ns of the monotonic clock.
    #[must_use]
    pub fn began_ns(&self) -> u64 {
        self.began_ns
    }

    /// Reads all that is due. Says whether that was all, and not only what is cheap, and whether other parts are watched
    /// from now on.
    pub fn sample(&mut self) -> SampledWhat {
        let now = clock::now_ns();
        let mut what = SampledWhat::default();
        if now >= self.parts_due_ns {
            self.parts_due_ns = now + PARTS_NS;
            let parts = parts(&self.host);
            if parts != self.parts {
                self.parts = parts;
                self.describe_anew();
                what.has_other_parts = true;
            }
        }
        if now >= self.limits_due_ns {
            self.refresh_limits();
            let took = clock::now_ns().saturating_sub(now);
            self.limits_due_ns = now + LIMITS_NS.max(took * SHARE);
        }
        self.groups.look_if_due(&self.host, now);
        let (latest, all) = self.observer.sample();
        what.has_all = all;
        self.latest_ns = latest;
        if all {
            self.groups.sample();
        }
        let kept = latest.saturating_sub(2 * self.settings.window.as_nanos() as u64 + 2_000_000_000);
        if !self.settings.keeps_all {
            self.observer.forget_before(kept);
        }
        self.groups.forget_before(kept);
        what
    }

    /// The sliding window that ends with the latest sample.
    #[must_use]
    pub fn window(&self) -> Window {
        let length = self.settings.window.as_nanos() as u64;
        let first = self.observer.buffers()[0].span().map_or(self.latest_ns, |span| span.start_ns);
        Window { start_ns: self.latest_ns.saturating_sub(length).max(first), end_ns: self.latest_ns }
    }

    /// How much of everything is used now.
    #[must_use]
    pub fn situation(&self) -> Situation {
        self.situation_of(self.window(), self.observer.latest_processes().to_vec())
    }

    /// The same of another window.
    #[must_use]
    pub fn situation_of(&self, window: Window, processes: Vec<ProcessUse>) -> Situation {
        let [fast, slow] = self.observer.buffers();
        self.situation_in(
            &BufferReadings { buffers: vec![fast, slow, self.groups.samples()], window },
            processes,
        )
    }

    /// The same by samples that are kept elsewhere.
    #[must_use]
    pub fn situation_in(&self, readings: &dyn Readings, processes: Vec<ProcessUse>) -> Situation {
        Situation::of(&SituationInput {
            readings,
            inventory: &self.machine.inventory,
            book: &self.book,
            scope: &self.scope,
            groups: self.groups.groups(),
            processes,
            now: Timestamp::now(),
        })
    }

    /// Reads the machine's parts again: a device came or went.
    fn describe_anew(&mut self) {
        self.refresh_limits();
        self.scope = Scope::of(&self.machine.inventory, &self.host);
        let settings = self.settings;
        self.observer = MachineObserver::open(&self.host, &self.scope, settings.interval, settings.keeps_all);
        self.groups.look_soon();
    }

    fn refresh_limits(&mut self) {
        self.machine.inventory = inventory::describe(&self.host);
        self.machine.limits = limit::of(&self.machine.inventory);
        self.book.limits = self.machine.limits.clone();
    }
}

/// What was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampledWhat {
    /// All, and not only what is cheap.
    pub has_all: bool,
    /// Whether other devices or interfaces are watched from now on: rows have other columns.
    pub has_other_parts: bool,
}

/// Disks with their sizes, and interfaces: what is told cheaply of what there is.
fn parts(host: &Host) -> Vec<(String, u64)> {
    let disks = host.names("/sys/block").into_iter().map(|name| {
        let sectors = host.number(format!("/sys/block/{name}/size")).unwrap_or_default();
        (name, sectors)
    });
    let interfaces = host.names("/sys/class/net").into_iter().map(|name| {
        let is_up = host.text(format!("/sys/class/net/{name}/operstate")).is_some_and(|s| s.trim() != "down");
        (format!("net/{name}"), u64::from(is_up))
    });
    disks.chain(interfaces).collect()
}
