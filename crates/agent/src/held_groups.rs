//! Control groups that somebody has held to a limit, and what they use: they come and go, so they are looked for now and then.

use engine::clock;
use machine::Host;
use machine::inventory::cgroup::{LimitedGroup, limited_groups};
use machine::sampler::limited::open_limited;

use crate::sampling::SampleBuffer;

/// How often control groups are looked for, ns.
const GROUPS_NS: u64 = 10_000_000_000;
/// Looking takes at most this part of the time.
const SHARE: u64 = 500;

/// The groups of a machine that is watched.
#[derive(Default)]
pub struct HeldGroups {
    groups: Vec<LimitedGroup>,
    samples: SampleBuffer,
    due_ns: u64,
}

impl HeldGroups {
    /// Those that there are now.
    #[must_use]
    pub fn open(host: &Host) -> Self {
        let mut held = Self::default();
        held.look(host, clock::now_ns());
        held
    }

    /// They are looked for again at the next sample.
    pub fn look_soon(&mut self) {
        self.due_ns = 0;
    }

    /// Looks for others if that is due.
    pub fn look_if_due(&mut self, host: &Host, now_ns: u64) {
        if now_ns >= self.due_ns {
            self.look(host, now_ns);
        }
    }

    fn look(&mut self, host: &Host, now_ns: u64) {
        let groups = limited_groups(host);
        if groups != self.groups {
            self.samples = SampleBuffer::new(open_limited(host, &groups));
            self.samples.start(now_ns, 1_000_000_000);
            self.samples.sample();
            self.groups = groups;
        }
        let took = clock::now_ns().saturating_sub(now_ns);
        self.due_ns = now_ns + GROUPS_NS.max(took * SHARE);
    }

    /// Reads what they have used.
    pub fn sample(&mut self) {
        self.samples.sample();
    }

    /// Drops samples before this time.
    pub fn forget_before(&mut self, at_ns: u64) {
        self.samples.forget_before(at_ns);
    }

    /// Them.
    #[must_use]
    pub fn groups(&self) -> &[LimitedGroup] {
        &self.groups
    }

    /// What was read of them.
    #[must_use]
    pub fn samples(&self) -> &SampleBuffer {
        &self.samples
    }
}
