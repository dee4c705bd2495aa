//! Headroom with an area that it knows nothing of, in one file: a press that works on
//! one piece at a time, for whoever comes first. It stamps pieces with a die, and checks
//! some instead. Its operations, parameters, metrics, unit, resource with the limit,
//! fixture and words are here and nowhere else. The test `other_area` runs this program
//! as users run `headroom`: plan, verdict, summary, page, comparison and tables must
//! follow by themselves.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cli::Tables;
use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::{ALIKE, Class, Completion, Operation, Queue};
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker, clock};
use language::Language;
use load::fixture::{Fixture, FixtureKind, FixtureResult, Progress};
use load::workload::common::{self, LoadSchedule};
use load::workload::{HostInfo, LoadContext, Metrics, Planned, Requirements, Workload};
use model::limit::LimitKind;
use model::parameter::Word;
use model::plan::{FixtureKey, Ownership, Problem};
use model::profile::{ClassName, Flow, FlowUnit, OperationClass, WaitsFor};
use model::resource::Symbol;
use model::trial::Window;
use model::unit::UnitName;
use model::{
    FactName, Kind, Limit, LoadProfile, MetricName, MetricSpec, ParameterName, ParameterSpec, Parameters,
    Quantity, Resource, Unit, Value, WorkloadName, WorkloadSpec,
};
use tempfile::NamedTempFile;

/// How long a check takes.
const CHECK: Duration = Duration::from_millis(1);

/// What the press is called in a path.
const PRESS: &str = "press:0";

/// Pieces of either kind of operation.
const PIECES: MetricName = MetricName::new("pieces");

/// Their unit.
const PIECES_PER_SECOND: Unit = Unit::Other(UnitName::new("pieces/s"));

/// The parameters.
const CHECK_SHARE: ParameterName = ParameterName::new("check-share");
const HARDNESS: ParameterName = ParameterName::new("hardness");

/// The kinds of operations.
const CLASSES: &[Class] = &[
    Class { name: "stamp", counts: true, fails: false },
    Class { name: "check", counts: true, fails: false },
];

/// The description.
const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("press.stamp"),
    definition_version: 1,
    summary: "pieces stamped and checked by one press",
    doc: "Each thread brings a piece to the press, waits until it is stamped or checked, and brings the next.",
    parameters: &[
        ParameterSpec::new(
            CHECK_SHARE.as_str(),
            Kind::Share,
            "The share of the pieces that are checked, in 1 ms each, instead of stamped.",
        )
        .default("0%"),
        ParameterSpec::new(HARDNESS.as_str(), Kind::Choice, "How hard the pieces are.")
            .default("soft")
            .words(&[
                Word { word: "soft", doc: "a stamp takes 5 ms" },
                Word { word: "hard", doc: "a stamp takes 10 ms" },
            ]),
    ],
    headline: PIECES,
    metrics: &[
        rate(PIECES, "Pieces stamped or checked per second."),
        rate(MetricName::new("stamp_pieces"), "Pieces stamped per second, where some are checked."),
        rate(MetricName::new("check_pieces"), "Pieces checked per second."),
        common::OPERATIONS,
        common::LATENCY_P50,
        common::LATENCY_P99,
        latency(MetricName::new("stamp_latency_p50"), "Half of the pieces were stamped within this time."),
        latency(MetricName::new("check_latency_p50"), "Half of the pieces were checked within this time."),
    ],
    path: &[Symbol::WorkerCpus, Symbol::Own(PRESS)],
    examples: &[
        "press.stamp",
        "press.stamp --threads 1,2,4",
        "press.stamp --check-share 0%,50% --hardness soft,hard",
    ],
};

const fn rate(name: MetricName, doc: &'static str) -> MetricSpec {
    MetricSpec::higher(name, PIECES_PER_SECOND, doc)
}

const fn latency(name: MetricName, doc: &'static str) -> MetricSpec {
    MetricSpec::lower(name, Unit::Seconds, doc)
}

/// What Korean and Japanese call it.
const WORDS: &[(Language, &str)] = &[(Language::Korean, KOREAN), (Language::Japanese, JAPANESE)];

const KOREAN: &str = "
workload-press-stamp = 프레스 하나가 찍거나 검사하는 조각
parameter-title-check-share = 검사 비율
parameter-title-hardness = 단단함
level-hardness-soft = 무른 조각
level-hardness-hard = 단단한 조각
class-stamp = 찍기
class-check = 검사
metric-pieces = 초당 찍거나 검사한 조각의 수입니다.
metric-title-pieces = 초당 조각 수
metric-stamp-pieces = 초당 찍은 조각의 수입니다.
metric-title-stamp-pieces = 초당 찍은 조각 수
metric-check-pieces = 초당 검사한 조각의 수입니다.
metric-title-check-pieces = 초당 검사한 조각 수
metric-stamp-latency-p50 = 조각의 절반은 이 시간 안에 찍었습니다.
metric-title-stamp-latency-p50 = p50 찍는 시간
metric-check-latency-p50 = 조각의 절반은 이 시간 안에 검사했습니다.
metric-title-check-latency-p50 = p50 검사 시간
";

const JAPANESE: &str = "
workload-press-stamp = 一台のプレスが打つ、または検査する部品
parameter-title-check-share = 検査の割合
parameter-title-hardness = 硬さ
level-hardness-soft = 柔らかい部品
level-hardness-hard = 硬い部品
class-stamp = 打刻
class-check = 検査
metric-pieces = 1 秒に打った、または検査した部品の数です。
metric-title-pieces = 毎秒の部品数
metric-stamp-pieces = 1 秒に打った部品の数です。
metric-title-stamp-pieces = 毎秒の打刻数
metric-check-pieces = 1 秒に検査した部品の数です。
metric-title-check-pieces = 毎秒の検査数
metric-stamp-latency-p50 = 部品の半分はこの時間内に打たれました。
metric-title-stamp-latency-p50 = p50 打刻時間
metric-check-latency-p50 = 部品の半分はこの時間内に検査されました。
metric-title-check-latency-p50 = p50 検査時間
";

/// The workload.
#[derive(Debug)]
struct Press;

impl Workload for Press {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, _schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        Ok(Box::new(PlannedPress {
            check_share: parameters.number(CHECK_SHARE)?,
            hardness: parameters.text(HARDNESS)?.to_owned(),
        }))
    }
}

/// One load.
struct PlannedPress {
    check_share: f64,
    hardness: String,
}

impl PlannedPress {
    /// How long a stamp takes.
    fn stamp(&self) -> Duration {
        Duration::from_millis(if self.hardness == "hard" { 10 } else { 5 })
    }

    /// The die that such pieces need.
    fn die(&self) -> FixtureKey {
        let Self { hardness, .. } = self;
        let folder = std::env::temp_dir();
        let key = FixtureKey::new(DIES.name, folder.to_string_lossy(), 0, Ownership::Created);
        let about = format!("makes a die for {hardness} pieces in {}, and removes it", folder.display());
        FixtureKey { details: serde_json::json!({ "hardness": hardness }), about, ..key }
    }
}

impl Planned for PlannedPress {
    fn survey(&mut self, _host: &HostInfo) -> Result<Requirements, Problem> {
        if self.check_share >= 1.0 {
            return Err(Problem::invalid("a press that only checks stamps nothing", "check fewer than 100%"));
        }
        let stamp_s = (1.0 - self.check_share) * self.stamp().as_secs_f64();
        let source = format!("the press takes {} ms for a stamp, 1 ms for a check", self.stamp().as_millis());
        let bound = Limit::new(Resource::from(PRESS), PIECES, PIECES_PER_SECOND, LimitKind::Hardware, source);
        let rate = 1.0 / (stamp_s + self.check_share * CHECK.as_secs_f64());
        let limit = Limit { effective: Some(rate), ..bound };
        Ok(Requirements { fixtures: vec![self.die()], limits: vec![limit], ..Requirements::default() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let flow = |(class, share): (&Class, f64)| {
            let class = OperationClass::Other(ClassName::new(class.name));
            Flow { share, ..Flow::only(class, FlowUnit::Other("pieces".to_owned())) }
        };
        let shares = CLASSES.iter().zip([1.0 - self.check_share, self.check_share]);
        LoadProfile {
            flows: shares.filter(|(_, share)| *share > 0.0).map(flow).collect(),
            waits_for: [WaitsFor::Other("press".to_owned())].into(),
            ..base
        }
    }

    fn prepare(&self, given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let die = given.fixtures.find::<Die>(&self.die());
        let die = die.ok_or_else(|| Fault::Other("there is no die for its pieces".to_owned()))?;
        Ok(Box::new(PreparedPress {
            die: die.file.path().to_string_lossy().into_owned(),
            stamp: self.stamp(),
            check_share: self.check_share,
            free_ns: Arc::default(),
        }))
    }

    fn metrics(&self, mut metrics: Metrics, outcome: &LoadOutcome, window: Window) -> Metrics {
        let of_classes =
            outcome.classes.iter().filter_map(|c| Some((PIECES.of(c.class.name)?, c.operations)));
        for (name, pieces) in of_classes.chain([(PIECES, outcome.operations)]) {
            metrics.insert(name, Quantity { value: pieces / window.seconds(), unit: PIECES_PER_SECOND });
        }
        metrics
    }
}

/// What stamps need: a file, so that one can look for it.
const DIES: FixtureKind = FixtureKind { name: "die", make };

/// A die, by the hardness of its pieces.
#[derive(Debug)]
struct Die {
    file: NamedTempFile,
    form: String,
}

/// Makes one; its name tells the process that did.
fn make(key: &FixtureKey, _host: &HostInfo, progress: &mut Progress<'_>) -> FixtureResult {
    if !progress(0) {
        return Err(Fault::Cancelled);
    }
    let failed = |error: std::io::Error| Fault::system("making a die", error);
    let prefix = format!("die-{}-", std::process::id());
    let file = tempfile::Builder::new().prefix(&prefix).tempfile_in(&key.target).map_err(failed)?;
    let form = key.details.to_string();
    std::fs::write(file.path(), &form).map_err(failed)?;
    Ok(Box::new(Die { file, form }))
}

impl Fixture for Die {
    fn check(&self) -> Result<(), Fault> {
        match std::fs::read_to_string(self.file.path()) {
            Ok(form) if form == self.form => Ok(()),
            _ => Err(Fault::Other("the die is not as it was made".to_owned())),
        }
    }

    fn remove(self: Box<Self>) -> Result<(), Fault> {
        let Self { file, .. } = *self;
        file.close().map_err(|error| Fault::system("removing a die", error))
    }
}

/// The press, for all threads of a trial.
#[derive(Debug)]
struct PreparedPress {
    /// The file of its die.
    die: String,
    stamp: Duration,
    check_share: f64,
    /// When it is free again, ns.
    free_ns: Arc<Mutex<u64>>,
}

impl Prepared for PreparedPress {
    fn classes(&self) -> &'static [Class] {
        if self.check_share > 0.0 { CLASSES } else { ALIKE }
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        vec![(FactName::new("die"), Value::from(self.die.as_str()))]
    }

    fn worker(&self, _index: WorkerIndex, _seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let Self { stamp, check_share, ref free_ns, .. } = *self;
        Ok(Box::new(Bringing { stamp, check_share, free_ns: Arc::clone(free_ns), finished: None }))
    }
}

/// One thread that brings pieces.
struct Bringing {
    stamp: Duration,
    check_share: f64,
    free_ns: Arc<Mutex<u64>>,
    finished: Option<Completion>,
}

impl Bringing {
    /// Whether its piece of this number is checked: as many are as the share asks, evenly
    /// spread.
    fn is_check(&self, sequence: u64) -> bool {
        let checked = |pieces: u64| (pieces as f64 * self.check_share).floor();
        checked(sequence + 1) > checked(sequence)
    }
}

impl Queue for Bringing {
    fn start(&mut self, slot: usize, operation: Operation) -> Result<(), Fault> {
        let is_check = self.is_check(operation.sequence);
        let takes = if is_check { CHECK } else { self.stamp };
        let done_ns = {
            let mut free_ns = self.free_ns.lock().unwrap_or_else(PoisonError::into_inner);
            *free_ns = clock::now_ns().max(*free_ns) + takes.as_nanos() as u64;
            *free_ns
        };
        std::thread::sleep(Duration::from_nanos(done_ns.saturating_sub(clock::now_ns())));
        self.finished = Some(Completion { slot, class: u8::from(is_check), ..Completion::default() });
        Ok(())
    }

    #[inline]
    fn finished(&mut self) -> Option<Completion> {
        self.finished.take()
    }
}

fn main() -> ExitCode {
    let tables = Tables { workloads: &[&Press], fixtures: &[DIES], words: WORDS };
    cli::main_with(std::env::args_os(), tables)
}
