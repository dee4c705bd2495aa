//! What the parameters of a disk load mean: read once, and resolved by the survey.

use engine::stop::StopRule;
use model::plan::Problem;
use model::profile::{PlaceStride, TargetState};
use model::{Parameters, Value};

use crate::workload::common::LoadSchedule;
use crate::workload::disk::content::{self, Content};
use crate::workload::disk::distribution::Distribution;
use crate::workload::disk::pattern::Pattern;
use crate::workload::disk::reopen::OpenMode;
use crate::workload::named;

/// Bytes that are touched at a place: with 200 MB/s, a third of a second.
const PLACE_BYTES: u64 = 64 << 20;

/// When written data is brought to where it lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SyncRule {
    /// When the kernel and the device like.
    None,
    /// At each write.
    Each,
    /// After every so many writes of a thread.
    Every(u64),
    /// At the end.
    End,
}

/// What engines are told beside the job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    /// Operations in flight at once.
    pub(super) depth: usize,
    /// Operations handed over at once, at most.
    pub(super) submit_batch: usize,
    /// Completions to wait for, at least.
    pub(super) complete_batch: usize,
    /// Whether files and buffers are registered with the kernel.
    pub(super) registered: bool,
    /// Whether a thread of the kernel takes operations over.
    pub(super) sqpoll: bool,
    /// Whether completions are polled for instead of interrupting.
    pub(super) iopoll: bool,
    /// Whether the files are opened around the page cache.
    pub(super) direct: bool,
}

/// What a disk load does, whatever engine drives it.
#[derive(Clone, Debug)]
pub(super) struct DiskPlan {
    pub(super) threads: u64,
    pub(super) targets: Vec<String>,
    pub(super) pattern: Pattern,
    /// Bytes of an operation, with the share of the operations that have so many.
    pub(super) blocks: Vec<(u64, f64)>,
    options: Options,
    /// None until the engine is known.
    pub(super) direct: Option<bool>,
    /// Bytes of the files of each target; none until it was looked at.
    pub(super) size: Option<u64>,
    /// Whether that is to be all there is.
    pub(super) all: bool,
    /// Whether that is to be half of what is free.
    pub(super) half: bool,
    pub(super) files: u64,
    /// Bytes that are touched from the offset on; none for all.
    pub(super) span: Option<u64>,
    pub(super) offset: u64,
    /// So many evenly spaced places of the span are visited; none for all of it.
    pub(super) places: Option<u64>,
    pub(super) distribution: Distribution,
    pub(super) content: Content,
    pub(super) sync: SyncRule,
    /// The state into which targets are brought before.
    pub(super) state: TargetState,
    /// Whether they are discarded before that.
    pub(super) purge: bool,
    pub(super) verifies: bool,
    /// Whether the files are kept for later runs.
    pub(super) keeps: bool,
    /// The end of the target that ends a trial.
    pub(super) until: Option<StopRule>,
    /// What overwrites the target, in words, where it is none of these.
    pub(super) overwritten_by: Option<String>,
}

impl DiskPlan {
    /// As the parameters say, all of which are there.
    pub(super) fn of(parameters: &Parameters, schedule: &LoadSchedule) -> Result<Self, Problem> {
        let purge = parameters.flag(named("purge"))?;
        let count = |name: &'static str| parameters.integer(named(name)).map(|n| n as usize);
        Ok(Self {
            threads: schedule.threads,
            targets: parameters.texts(named("target"))?.into_iter().map(str::to_owned).collect(),
            pattern: Pattern::of(parameters)?,
            blocks: parameters.mix(named("block-size"))?,
            options: Options {
                depth: count("queue-depth")?,
                submit_batch: count("submit-batch")?,
                complete_batch: count("complete-batch")?,
                registered: parameters.flag(named("registered"))?,
                sqpoll: parameters.flag(named("sqpoll"))?,
                iopoll: parameters.flag(named("iopoll"))?,
                direct: true,
            },
            direct: parameters.flag(named("direct")).ok(),
            size: parameters.integer(named("size")).ok(),
            all: parameters.is_word(named("size"), "all"),
            half: parameters.is_word(named("size"), "half"),
            files: parameters.integer(named("files"))?,
            span: parameters.integer(named("span")).ok(),
            offset: parameters.integer(named("offset"))?,
            places: parameters.integer(named("places")).ok(),
            distribution: Distribution::of(parameters)?,
            content: content::of(parameters)?,
            sync: match parameters.text(named("sync"))? {
                "dsync" => SyncRule::Each,
                "fsync" => SyncRule::Every(parameters.integer(named("sync-every"))?),
                "end" => SyncRule::End,
                _ => SyncRule::None,
            },
            state: match parameters.text(named("precondition"))? {
                "fill" => TargetState::Filled,
                "full" => TargetState::Steady,
                _ if purge => TargetState::Discarded,
                _ => TargetState::AsFound,
            },
            purge,
            verifies: parameters.is_word(named("verify"), "crc32c"),
            keeps: parameters.flag(named("keep-data"))?,
            until: schedule.until,
            overwritten_by: None,
        })
    }

    /// What words among the parameters stand for.
    pub(super) fn resolved(&self) -> Parameters {
        let mut resolved = Parameters::default();
        let mut set = |name: &'static str, value: Option<Value>| {
            resolved.extend(value.map(|value| (named(name), value)));
        };
        set("direct", self.direct.map(Value::from));
        set("size", self.size.map(Value::from));
        set("span", self.span.map(Value::from));
        set("content-share", self.content.share().map(Value::from));
        let mut targets: Vec<Value> = self.targets.iter().map(|target| target.as_str().into()).collect();
        let several = targets.len() > 1;
        set("target", if several { Some(Value::List(targets)) } else { targets.pop() });
        resolved
    }

    /// The places that are visited, in whole blocks; none where all of the span is, or nobody knows how much that is.
    pub(super) fn stride(&self) -> Option<PlaceStride> {
        let (count, span, block) = (self.places?, self.span?, self.largest_block().max(1));
        let every = span.checked_div(count)? / block * block;
        Some(PlaceStride { count, bytes: every.min((PLACE_BYTES / block).max(1) * block), every })
    }

    /// Bytes that are touched of each target.
    pub(super) fn touched(&self) -> Option<u64> {
        self.stride().map(PlaceStride::touched).or(self.span)
    }

    /// Whether it goes around the page cache.
    pub(super) fn is_direct(&self) -> bool {
        self.direct.unwrap_or(true)
    }

    /// Whether it goes on until no space is left.
    pub(super) fn fills(&self) -> bool {
        self.until == Some(StopRule::Full)
    }

    /// Whether anything of what a target holds is lost: by the load, or by what is
    /// done before it.
    pub(super) fn changes(&self) -> bool {
        self.pattern.changes() || self.state != TargetState::AsFound
    }

    /// The largest operation, in bytes.
    pub(super) fn largest_block(&self) -> u64 {
        self.blocks.iter().map(|(bytes, _)| *bytes).max().unwrap_or(0)
    }

    /// The mean operation, in bytes.
    pub(super) fn mean_block(&self) -> u64 {
        self.blocks.iter().map(|(bytes, share)| *bytes as f64 * share).sum::<f64>().round() as u64
    }

    /// The sizes of its operations and the offset, of which something is to be a
    /// divisor.
    pub(super) fn grid(&self) -> impl Iterator<Item = u64> + '_ {
        self.blocks.iter().map(|(bytes, _)| *bytes).chain([self.offset])
    }

    /// Size and span, once somebody looked at the targets.
    pub(super) fn reach(&self) -> Result<(u64, u64), Problem> {
        let unknown = || Problem::invalid("nobody looked how large the targets are", "survey the load first");
        self.size.zip(self.span).ok_or_else(unknown)
    }

    pub(super) fn options(&self) -> Options {
        Options { direct: self.is_direct(), ..self.options }
    }

    pub(super) fn open_mode(&self) -> OpenMode {
        let dsync = self.sync == SyncRule::Each;
        OpenMode { direct: self.is_direct(), write: self.pattern.changes(), dsync }
    }

    /// Whether what was written is brought to the device at the end, while time
    /// counts: where that was asked for, and where it would otherwise be the page
    /// cache that was measured.
    pub(super) fn settles(&self) -> bool {
        let is_buffered = !self.is_direct() && self.sync == SyncRule::None;
        self.pattern.writes() && (is_buffered || self.sync == SyncRule::End)
    }
}
