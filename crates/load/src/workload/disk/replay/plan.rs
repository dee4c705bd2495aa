//! What the parameters of a replay mean: read once, and resolved by the survey.

use engine::stop::StopRule;
use model::plan::Problem;
use model::{Parameters, Value};

use crate::workload::common::LoadSchedule;
use crate::workload::disk::io_engine::{self, Engine};
use crate::workload::disk::pattern::Kind;
use crate::workload::disk::plan::DiskPlan;
use crate::workload::disk::plan_with;
use crate::workload::disk::playback::Mapping;
use crate::workload::disk::replay::layout::{Layout, longest, split};
use crate::workload::disk::replay::recording::Digest;
use crate::workload::disk::spec::QUEUED;
use crate::workload::named;

/// What becomes of writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Writes {
    /// They are done, with content of ours.
    Play,
    /// They are left out, and syncs with them.
    Skip,
    /// They are read, and syncs are left out.
    Read,
}

/// Operations under way at once, at least where they are due at given times, and where nobody knows how
/// many there were.
const DEPTH_USUAL: u64 = 32;
/// At most, by itself.
const DEPTH_MOST: u64 = 1024;
/// The most bytes of buffers of a thread, by itself.
const BUFFERS_MOST: u64 = 256 << 20;

/// Parameters that mean the same as in `disk`.
const AS_IN_DISK: [&str; 6] = ["direct", "submit-batch", "complete-batch", "registered", "sqpoll", "iopoll"];

/// A replay that was asked for.
#[derive(Clone, Debug)]
pub(super) struct ReplayPlan {
    pub(super) recording: Option<String>,
    /// What it must hold, by its digest; anything where absent.
    pub(super) content: Option<String>,
    /// As typed: with the names of what goes there, where these were given.
    pub(super) targets: Vec<String>,
    /// The paths in them, each once.
    pub(super) paths: Vec<String>,
    /// How many times as fast as recorded; as fast as possible where absent.
    pub(super) speed: Option<f64>,
    pub(super) mapping: Mapping,
    pub(super) align: Option<u64>,
    pub(super) writes: Writes,
    /// Whether discards are done; by what the targets are where nobody said.
    pub(super) discards: Option<bool>,
    /// As many as were recorded, where nobody said.
    pub(super) depth: Option<u64>,
    pub(super) size: Option<u64>,
    pub(super) repeat: u64,
    pub(super) schedule: LoadSchedule,
    /// None until one is chosen.
    pub(super) engine: Option<&'static Engine>,
    as_in_disk: Parameters,
}

impl ReplayPlan {
    /// As the parameters say, all of which are there.
    pub(super) fn of(parameters: &Parameters, schedule: &LoadSchedule) -> Result<Self, Problem> {
        let targets: Vec<String> =
            parameters.texts(named("target"))?.into_iter().map(str::to_owned).collect();
        let mut paths: Vec<String> = Vec::new();
        for (_, path) in targets.iter().map(|text| split(text)) {
            if !paths.iter().any(|known| known == path) {
                paths.push(path.to_owned());
            }
        }
        let own = AS_IN_DISK.into_iter().map(named);
        let as_in_disk = own.filter_map(|name| Some((name, parameters.get(name)?.clone()))).collect();
        Ok(Self {
            recording: parameters.given(named("replay"), Parameters::text)?.map(str::to_owned),
            content: Some(parameters.text(named("recording"))?)
                .filter(|text| text.contains(':'))
                .map(str::to_owned),
            targets,
            paths,
            speed: parameters.number(named("speed")).ok(),
            mapping: match parameters.text(named("map"))? {
                "wrap" => Mapping::Wrap,
                "scale" => Mapping::Scale,
                _ => Mapping::Same,
            },
            align: parameters.given(named("align"), Parameters::integer)?,
            writes: match parameters.text(named("writes"))? {
                "skip" => Writes::Skip,
                "read" => Writes::Read,
                _ => Writes::Play,
            },
            discards: match parameters.text(named("discards"))? {
                "play" => Some(true),
                "skip" => Some(false),
                _ => None,
            },
            depth: parameters.integer(named("queue-depth")).ok(),
            size: parameters.integer(named("size")).ok(),
            repeat: parameters.integer(named("repeat"))?,
            schedule: schedule.clone(),
            engine: io_engine::find(parameters.text(named("engine"))?),
            as_in_disk,
        })
    }

    /// Whether it goes around the page cache, with an engine that can.
    pub(super) fn is_direct(&self) -> bool {
        self.as_in_disk.flag(named("direct")).unwrap_or(true)
    }

    /// Whether anything is driven.
    pub(super) fn drives(&self) -> bool {
        self.engine.is_none_or(|engine| engine.drives)
    }

    /// Whether operations of this kind, as it was recorded, are done.
    pub(super) fn plays(&self, kind: Kind) -> bool {
        match kind {
            Kind::Read => true,
            Kind::Write => self.writes != Writes::Skip,
            Kind::Sync | Kind::Zero => self.writes == Writes::Play,
            Kind::Trim => self.writes == Writes::Play && self.discards.unwrap_or(true),
        }
    }

    /// Whether what a target holds is changed.
    pub(super) fn changes(&self, layout: &Layout) -> bool {
        let is_done = |kind: Kind| layout.operations[kind as usize] > 0;
        self.writes_to(layout) || is_done(Kind::Trim) || is_done(Kind::Zero)
    }

    /// Whether writes that were on the medium when they ended are again: a mapping has no write that could wait.
    pub(super) fn forces(&self) -> bool {
        self.writes == Writes::Play && self.engine.is_none_or(|engine| engine.drives && !engine.cached_only)
    }

    /// Whether a target is written.
    pub(super) fn writes_to(&self, layout: &Layout) -> bool {
        self.writes == Writes::Play && layout.operations[Kind::Write as usize] > 0
    }

    /// Operations of a thread under way at once.
    pub(super) fn depth(&self, digest: &Digest, layouts: &[Layout]) -> u64 {
        if let Some(depth) = self.depth {
            return depth;
        }
        let queues = |engine: &Engine| !engine.drives || QUEUED.contains(&engine.word.word);
        let queues = self.engine.is_none_or(queues);
        if !queues {
            return 1;
        }
        let of_sources = |layout: &Layout| {
            layout.sources.iter().map(|n| digest.sources[*n].in_flight).sum::<Option<u64>>()
        };
        let recorded = match (layouts.iter().map(of_sources).max().flatten(), self.speed) {
            (Some(most), None) => most,
            (Some(most), Some(_)) => most.max(DEPTH_USUAL),
            (None, _) => DEPTH_USUAL,
        };
        recorded.min(BUFFERS_MOST / longest(layouts)).clamp(1, DEPTH_MOST)
    }

    /// The plan by which `disk` looks at a target, opens it and drives it.
    pub(super) fn of_target(&self, layout: &Layout, depth: u64) -> Result<DiskPlan, Problem> {
        let mut disk = self.as_in_disk.clone();
        let is_mixed = layout.operations[Kind::Read as usize] > 0;
        let pattern = match (self.changes(layout), is_mixed) {
            (false, _) => "randread",
            (true, false) => "randwrite",
            (true, true) => "randrw",
        };
        let mut set = |name: &'static str, value: Value| disk.set(named(name), value);
        set("target", layout.path.as_str().into());
        set("pattern", pattern.into());
        set("block-size", layout.longest.into());
        set("queue-depth", depth.into());
        set("threads", self.schedule.threads.into());
        set("size", layout.bytes.into());
        let mut plan = plan_with(disk)?;
        // What is not played is not among them.
        let [writes, zeroes, discards] =
            [Kind::Write, Kind::Zero, Kind::Trim].map(|kind| layout.operations[kind as usize]);
        let is_written = self.writes_to(layout);
        let what = match (is_written, zeroes) {
            (true, _) => format!("the recording's {writes} writes"),
            (false, 0) => format!("the recording's {discards} discards"),
            (false, zeroes) => format!("the recording's {zeroes} writes of zeros"),
        };
        let instead = if is_written || zeroes > 0 { "writes=skip or writes=read" } else { "discards=skip" };
        plan.overwritten_by = Some(format!("{what} (which {instead} leaves out)"));
        Ok(plan)
    }

    /// Operations after which a target with a share of all is done; never where absent. `before` and `own`
    /// are of one pass, before it and its own, of `all`.
    pub(super) fn end(&self, (before, own, all): (u64, u64, u64)) -> Option<u64> {
        if let Some(requests) = self.schedule.requests {
            let share = |part: u64| (u128::from(requests) * u128::from(part) / u128::from(all.max(1))) as u64;
            return Some(share(before + own) - share(before));
        }
        let is_pass = self.schedule.until == Some(StopRule::End);
        is_pass.then(|| own.saturating_mul(self.repeat))
    }

    /// What contradicts itself.
    pub(super) fn check(&self, digest: &Digest) -> Result<(), Problem> {
        let invalid = |message: &str, help: &str| Err(Problem::invalid(message, help));
        if self.schedule.is_open() {
            return invalid(
                "a rate is given or searched, and the recording says when its operations are due",
                "use speed=2 to play it twice as fast, or speed=max for as fast as possible",
            );
        }
        if digest.steps == 0 {
            return invalid("the recording has no operation that can be done again", "give another one");
        }
        if self.speed.is_some() && !digest.has_times() {
            return invalid(
                "the recording does not say when its operations began",
                "use speed=max, which does them as fast as possible",
            );
        }
        Ok(())
    }
}
