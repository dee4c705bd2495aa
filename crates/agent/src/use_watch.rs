//! This machine as somebody watches it from elsewhere: a sample is taken when they ask, and rates are since an earlier one.

use std::time::Duration;

use engine::clock;
use machine::inventory::cgroup::LimitedGroup;
use machine::sampler::Scope;
use machine::{Host, inventory};
use model::machine_use::{HeldGroup, MachineUse, ReadingOfUse};
use model::trial::Window;

use crate::held_groups::HeldGroups;
use crate::sampling::{MachineObserver, SampleBuffer};

/// The shortest and the longest window, s.
const WINDOW_S: (f64, f64) = (1.0, 600.0);
/// They may ask as often as they like, and are answered; samples are no closer, so that no question is dear.
const APART_NS: u64 = 100_000_000;

/// Figures with their resources and names.
type NamedReadings<'a> = Vec<(&'a model::Resource, &'static str, f64)>;

/// Watches for as long as the connection lasts.
pub(crate) struct UseWatch {
    host: Host,
    scope: Scope,
    observer: MachineObserver,
    groups: HeldGroups,
    latest_ns: u64,
}

impl UseWatch {
    pub(crate) fn open() -> Self {
        let host = Host::this();
        let scope = Scope::of(&inventory::describe(&host), &host);
        let observer = MachineObserver::open(&host, &scope, Duration::from_secs(1), false);
        Self { groups: HeldGroups::open(&host), host, scope, observer, latest_ns: 0 }
    }

    /// What was done in the last `window_s`, or since the first look.
    pub(crate) fn look(&mut self, window_s: f64) -> MachineUse {
        let now = clock::now_ns();
        let window_s = if window_s.is_finite() { window_s.clamp(WINDOW_S.0, WINDOW_S.1) } else { WINDOW_S.0 };
        let window_ns = (window_s * 1e9) as u64;
        if now >= self.latest_ns + APART_NS {
            self.groups.look_if_due(&self.host, now);
            let (latest, has_all) = self.observer.sample();
            self.latest_ns = latest;
            if has_all {
                self.groups.sample();
            }
            let kept = latest.saturating_sub(2 * window_ns + 2_000_000_000);
            self.observer.forget_before(kept);
            self.groups.forget_before(kept);
        }
        let [fast, slow] = self.observer.buffers();
        let first = fast.span().map_or(self.latest_ns, |span| span.start_ns);
        let window =
            Window { start_ns: self.latest_ns.saturating_sub(window_ns).max(first), end_ns: self.latest_ns };
        let buffers = [fast, slow, self.groups.samples()];
        let of = |read: &dyn for<'a> Fn(&'a SampleBuffer) -> NamedReadings<'a>| {
            let all = buffers.iter().flat_map(|buffer| read(buffer));
            all.map(|(resource, name, value)| ReadingOfUse {
                resource: resource.clone(),
                name: name.to_owned(),
                value,
            })
            .collect()
        };
        MachineUse {
            window_s: window.seconds(),
            rates: of(&|buffer| buffer.rates_in(window)),
            gauges: of(&SampleBuffer::gauges),
            groups: self.groups.groups().iter().map(held).collect(),
            processes: self.observer.latest_processes().to_vec(),
            block: self.scope.block.clone(),
            network: self.scope.network.clone(),
        }
    }
}

fn held(group: &LimitedGroup) -> HeldGroup {
    HeldGroup {
        path: group.path.clone(),
        cpu_quota: group.cpu_quota,
        memory_bytes: group.memory_bytes,
        io: group.io.clone(),
    }
}

#[cfg(test)]
mod tests {
    use model::Resource;

    use super::*;

    #[test]
    fn who_asks_twice_is_told_what_was_done_between() {
        let mut watch = UseWatch::open();
        let first = watch.look(10.0);
        assert!(first.window_s == 0.0 && first.rates.is_empty(), "{first:?}");
        assert!(first.gauges.iter().any(|g| g.name == "MemAvailable" && g.value > 1e6));
        let begin = clock::now_ns();
        while clock::now_ns() < begin + 300_000_000 {
            std::hint::spin_loop();
        }
        let second = watch.look(10.0);
        assert!(second.window_s > 0.25, "{}", second.window_s);
        let busy = |name: &str| {
            let found = second.rates.iter().find(|rate| rate.resource == Resource::CPUS && rate.name == name);
            found.map_or(0.0, |rate| rate.value)
        };
        assert!(busy("user") + busy("nice") + busy("system") > 0.2, "{second:?}");
        // Too soon for another sample: the same is told again.
        assert_eq!(watch.look(f64::NAN).window_s, second.window_s);
    }
}
