//! One execution of fio, whichever way it was printed, and the results that it has: one for each
//! group of jobs, for those of one group ran together.

use std::collections::BTreeMap;

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{
    LineRange, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult, ToolWarning,
};
use model::{MetricName, Unit, metric};

use super::options::FioCommand;
use super::{NAME, job_file, options};
use crate::tool::block::ToolBlock;
use crate::tool::command_line::CommandLine;
use crate::tool::reader::ToolReader as _;
use crate::tool::storage::failure;

/// What a client calls the sum of what all servers did.
pub(super) const ALL_CLIENTS: &str = "All clients";

/// Reads, writes and discards together, with `unified_rw_reporting`.
pub(super) const MIXED: &str = "mixed";

/// Options with which it runs nothing.
const HELP: &[&str] = &["help", "cmdhelp", "enghelp", "version", "parse-only", "showcmd"];

/// What fio prints of one execution.
#[derive(Debug, Default)]
pub(super) struct FioRun {
    pub(super) version: Option<String>,
    pub(super) moment: Option<String>,
    pub(super) jobs: Vec<FioJob>,
    /// What it says of all jobs of a group together.
    pub(super) status: Vec<FioGroupStatus>,
    /// Options that hold for all jobs.
    pub(super) options: BTreeMap<String, String>,
    /// Whether all options that were given are known.
    pub(super) knows_options: bool,
    /// Lines that were not understood.
    pub(super) unread: Vec<LineRange>,
    /// Figures that others of it contradict.
    pub(super) disagreements: Vec<FigureDisagreement>,
}

/// What it prints of one job, or, with group_reporting, of several.
#[derive(Debug, Default)]
pub(super) struct FioJob {
    pub(super) name: String,
    pub(super) group: u64,
    /// How many jobs that are, where it is told.
    pub(super) jobs: Option<u64>,
    /// Its process, where it is told.
    pub(super) pid: Option<u64>,
    pub(super) directions: Vec<FioDirection>,
    /// Options of its own.
    pub(super) options: BTreeMap<String, String>,
    /// Whether it is the sum of jobs with other names, whose options differ.
    pub(super) is_mixed: bool,
    /// The error that ended it.
    pub(super) error: Option<String>,
    /// The line that tells of it.
    pub(super) line: u64,
    /// What it prints a second time, and otherwise: no fio does.
    pub(super) contradicting: Vec<ToolPart>,
}

/// Its reads, writes or discards.
#[derive(Clone, Debug)]
pub(super) struct FioDirection {
    /// As metrics are called: `read`, `write`, `trim`, and `mixed` for all of these together.
    pub(super) class: &'static str,
    pub(super) measured: ToolMeasurement,
}

/// A line of the status of a group.
#[derive(Debug)]
pub(super) struct FioGroupStatus {
    pub(super) group: u64,
    pub(super) class: &'static str,
    pub(super) rate: PrintedValue,
    pub(super) bytes: Option<PrintedValue>,
    pub(super) window: Option<PrintedValue>,
}

impl FioJob {
    /// Lets go of reads and writes together where each is told: fio 3.33 prints that sum as 0.
    pub(super) fn drop_mixed(&mut self) {
        if self.directions.len() > 1 {
            self.directions.retain(|direction| direction.class != MIXED);
        }
    }
}

impl FioRun {
    /// Adds the options of the command line above it, if there is one, and says whether these are all
    /// that were given. Where the output says one, too, that is what was done.
    pub(super) fn add_command(&mut self, block: &ToolBlock<'_>) -> Option<bool> {
        let line = block.command.filter(|line| self.is_of(line))?;
        let words = line.invocation(super::Fio.programs());
        let command = self.with_job_file(line, words.map(options::of_command))?;
        let is_printed = |(name, _): &(String, _)| self.jobs.iter().any(|job| job.name == *name);
        let is_grouped =
            command.jobs.len() > 1 && command.has("group_reporting") && !command.jobs.iter().all(is_printed);
        for (name, value) in command.common {
            self.options.entry(name).or_insert(value);
        }
        for job in &mut self.jobs {
            // JSON has the options of one of them.
            if is_grouped && !std::mem::replace(&mut job.is_mixed, true) {
                job.options.clear();
            }
            if job.is_mixed {
                continue;
            }
            let own = command.jobs.iter().filter(|(name, _)| *name == job.name);
            let only = match command.jobs.as_slice() {
                [(_, options)] => Some(options),
                _ => own.map(|(_, options)| options).next(),
            };
            for (name, value) in only.into_iter().flatten() {
                job.options.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        Some(command.is_all)
    }

    /// Whether a command may have printed it: one that asks for help has not, nor one that names other jobs alone.
    pub(super) fn is_of(&self, line: &CommandLine) -> bool {
        let Some(words) = line.invocation(super::Fio.programs()) else { return true };
        let command = options::of_command(words);
        // What a shell or a reader puts in is not known.
        let is_open = |(name, _): &(String, _)| name.contains(['$', '<', '{', '%']);
        let is_named = |job: &FioJob| {
            [ALL_CLIENTS, ""].contains(&job.name.as_str())
                || command.jobs.iter().any(|(name, _)| *name == job.name)
        };
        let is_help = HELP.iter().any(|option| command.has(option));
        let has_others = command.is_all
            && !command.jobs.is_empty()
            && !command.jobs.iter().any(is_open)
            && !self.jobs.is_empty()
            && !self.jobs.iter().any(is_named);
        !is_help && !has_others && !self.did_otherwise(&command)
    }

    /// Whether a command reads, and writes were printed, or it writes, and reads were: of several commands in a text it is
    /// another one. Where the output says what it was asked for, the command is held against that.
    fn did_otherwise(&self, command: &FioCommand) -> bool {
        let of_jobs = self.jobs.iter().map(|job| &job.options);
        if of_jobs.chain([&self.options]).any(|options| options.contains_key("rw")) {
            return false;
        }
        let given = |options: &BTreeMap<String, String>| {
            options.get("rw").or_else(|| options.get("readwrite")).cloned()
        };
        let of_job = |(_, options): &(String, BTreeMap<String, String>)| {
            given(options).or_else(|| given(&command.common)).unwrap_or_default()
        };
        let patterns: Vec<String> = command.jobs.iter().map(of_job).collect();
        let does_only = |class: &str| {
            let is_it = |pattern: &String| pattern.strip_prefix("rand").unwrap_or(pattern) == class;
            !patterns.is_empty() && patterns.iter().all(is_it)
        };
        let did = |class: &str| {
            self.jobs.iter().flat_map(|job| &job.directions).any(|direction| direction.class == class)
        };
        // What was written is read where it is verified.
        let verifies = command.has("verify") || command.has("do_verify");
        command.is_all
            && (does_only("read") && did("write") || does_only("write") && did("read") && !verifies)
    }

    /// A command, and what the job file says that was shown above it where it is that of this run.
    fn with_job_file(&self, line: &CommandLine, command: Option<FioCommand>) -> Option<FioCommand> {
        // A command that says all was given no file.
        if command.as_ref().is_some_and(|command| command.is_all) {
            return command;
        }
        let has = |job: &FioJob, file: &FioCommand| file.jobs.iter().any(|(name, _)| *name == job.name);
        let jobs = || self.jobs.iter().filter(|job| job.name != ALL_CLIENTS);
        let is_own = |file: &FioCommand| jobs().all(|job| has(job, file));
        let Some(mut file) = job_file::read(&line.job_file).filter(is_own) else { return command };
        // What else was given is not known.
        file.is_all &= line.invocation(super::Fio.programs()).is_some_and(|words| words.len() == 2);
        // Each job has them.
        file.common.clear();
        file.common.extend(command.map(|command| command.common).unwrap_or_default());
        Some(file)
    }

    /// Jobs without names made of what is told of groups, for texts that have nothing else.
    pub(super) fn jobs_of_status(&self) -> Vec<FioJob> {
        let mut jobs: Vec<FioJob> = Vec::new();
        for status in &self.status {
            let FioGroupStatus { group, class, rate, bytes, window } = status;
            let mut measured = ToolMeasurement {
                window: window.clone(),
                bytes: bytes.clone(),
                ..ToolMeasurement::default()
            };
            measured.add(metric::THROUGHPUT, Some(rate.clone()));
            let direction = FioDirection { class, measured };
            match jobs.iter_mut().find(|job| job.group == *group) {
                Some(job) => job.directions.push(direction),
                None => {
                    jobs.push(FioJob { group: *group, directions: vec![direction], ..FioJob::default() });
                }
            }
        }
        jobs.iter_mut().for_each(FioJob::drop_mixed);
        jobs
    }

    /// A result for each group that did something.
    pub(super) fn results(&self, block: &ToolBlock<'_>) -> Vec<ToolResult> {
        let (sums, mut jobs): (Vec<&FioJob>, Vec<&FioJob>) =
            self.jobs.iter().partition(|job| job.name == ALL_CLIENTS);
        if jobs.is_empty() {
            jobs.clone_from(&sums);
        }
        let mut groups: Vec<u64> = Vec::new();
        for job in &jobs {
            if !groups.contains(&job.group) {
                groups.push(job.group);
            }
        }
        // The sum is over all groups.
        let sum = sums.first().copied().filter(|_| groups.len() == 1);
        let result = |group| self.result(group, &jobs, sum, block);
        let mut results: Vec<ToolResult> = groups.into_iter().filter_map(result).collect();
        if let Some(first) = results.first_mut() {
            first.unread.clone_from(&self.unread);
            first.disagreements.clone_from(&self.disagreements);
            first.warnings = failed(&jobs, &groups_with_figures(&jobs));
        }
        results
    }

    fn result(
        &self,
        group: u64,
        all: &[&FioJob],
        sum: Option<&FioJob>,
        block: &ToolBlock<'_>,
    ) -> Option<ToolResult> {
        let jobs: Vec<&FioJob> = all.iter().copied().filter(|job| job.group == group).collect();
        let (directions, parts) = match (jobs.as_slice(), sum) {
            ([only], _) => (only.directions.clone(), Vec::new()),
            (several, Some(sum)) => (sum.directions.clone(), several.iter().map(|job| of_job(job)).collect()),
            (several, None) => {
                (self.together(group, several), several.iter().map(|job| of_job(job)).collect())
            }
        };
        if directions.is_empty() {
            return None;
        }
        let mut told: Vec<ToolPart> = jobs.iter().flat_map(|job| job.contradicting.iter().cloned()).collect();
        if let ([only], None) = (jobs.as_slice(), sum) {
            told.extend(self.contradicting(only));
        }
        let (whole, more) = whole(directions);
        let mut result = ToolResult {
            version: self.version.clone(),
            moment: self.moment.clone(),
            name: names(&jobs).or_else(|| of_group(group, all)),
            whole,
            parts: more.into_iter().chain(parts).chain(told).collect(),
            ..block.result(NAME, super::Fio.programs())
        };
        options::fill(&mut result, self, &jobs);
        let error = jobs.iter().find_map(|job| job.error.clone());
        result.options.extend(error.map(|error| (failure::OPTION.to_owned(), error)));
        Some(result)
    }

    /// What the status of a group says otherwise than its only job.
    fn contradicting(&self, job: &FioJob) -> Vec<ToolPart> {
        let of_class = |direction: &FioDirection| {
            let FioDirection { class, measured } = direction;
            // Each server has its own.
            let mut told = self.status.iter().filter(|s| s.group == job.group && s.class == *class);
            let status = told.next().filter(|_| told.next().is_none())?;
            let pairs = [
                (Some(&status.rate), measured.figure(metric::THROUGHPUT)),
                (status.bytes.as_ref(), measured.bytes.as_ref()),
                (status.window.as_ref(), measured.window.as_ref()),
            ];
            let is_same = |(one, other): &(Option<&PrintedValue>, Option<&PrintedValue>)| {
                one.zip(*other).is_none_or(|(one, other)| are_the_same(one, other))
            };
            if pairs.iter().all(is_same) {
                return None;
            }
            let mut measured = ToolMeasurement {
                window: status.window.clone(),
                bytes: status.bytes.clone(),
                ..ToolMeasurement::default()
            };
            measured.add(metric::THROUGHPUT, Some(status.rate.clone()));
            Some(second(format!("{class}, status of the group"), measured))
        };
        job.directions.iter().filter_map(of_class).collect()
    }

    /// What all jobs of a group did: as its status says, or by their sums.
    fn together(&self, group: u64, jobs: &[&FioJob]) -> Vec<FioDirection> {
        let of_class = |class: &'static str| {
            let each: Vec<&ToolMeasurement> = jobs
                .iter()
                .flat_map(|job| &job.directions)
                .filter(|d| d.class == class)
                .map(|d| &d.measured)
                .collect();
            // Each server has its own.
            let mut told = self.status.iter().filter(|s| s.group == group && s.class == class);
            let status = told.next().filter(|_| told.next().is_none() && !each.is_empty());
            let measured = sum(&each, status)?;
            Some(FioDirection { class, measured })
        };
        ["read", "write", "trim", MIXED].into_iter().filter_map(of_class).collect()
    }
}

/// The names of jobs that ran together, each once; `None` where they have none.
fn names(jobs: &[&FioJob]) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for job in jobs.iter().filter(|job| !job.name.is_empty()) {
        if !names.contains(&job.name.as_str()) && names.len() < NAMED {
            names.push(&job.name);
        }
    }
    (!names.is_empty()).then(|| names.join(", "))
}

/// What a group without names is called, where there are others.
fn of_group(group: u64, all: &[&FioJob]) -> Option<String> {
    all.iter().any(|job| job.group != group).then(|| format!("group {group}"))
}

/// So many jobs of a group are named.
const NAMED: usize = 8;

/// The groups of which a job has figures.
fn groups_with_figures(jobs: &[&FioJob]) -> Vec<u64> {
    jobs.iter().filter(|job| !job.directions.is_empty()).map(|job| job.group).collect()
}

/// The jobs that an error ended before anybody of their group had done anything: no result has their errors.
fn failed(jobs: &[&FioJob], groups_with_figures: &[u64]) -> Vec<ToolWarning> {
    let others = jobs.iter().filter(|job| !groups_with_figures.contains(&job.group));
    let of_job = |job: &&FioJob| {
        let error = job.error.as_ref()?;
        Some(ToolWarning { line: job.line, text: format!("{}: {error}", job.name) })
    };
    others.filter_map(of_job).collect()
}

/// Whether two figures are of the same thing, but for rounding.
pub(super) fn are_the_same(one: &PrintedValue, other: &PrintedValue) -> bool {
    let rounding = one.half_step + other.half_step;
    (one.value - other.value).abs() <= rounding + SAME * one.value.abs().max(other.value.abs())
}

/// What is off by less may be the work of the last moment.
const SAME: f64 = 0.01;

/// What is printed a second time.
pub(super) fn second(name: String, measured: ToolMeasurement) -> ToolPart {
    ToolPart { kind: ToolPartKind::Phase, name, start_s: None, measured }
}

/// The sum of several that ran together. fio divides all bytes by the longest time.
fn sum(each: &[&ToolMeasurement], status: Option<&FioGroupStatus>) -> Option<ToolMeasurement> {
    let all = |of: fn(&ToolMeasurement) -> Option<&PrintedValue>| -> Option<PrintedValue> {
        let values = each.iter().map(|measured| of(measured)).collect::<Option<Vec<_>>>()?;
        added(&values)
    };
    let longest = || {
        let windows = each.iter().filter_map(|measured| measured.window.clone());
        windows.max_by(|a, b| a.value.total_cmp(&b.value))
    };
    let bytes = status.and_then(|status| status.bytes.clone()).or_else(|| all(|m| m.bytes.as_ref()));
    let window = status.and_then(|status| status.window.clone()).or_else(longest);
    let operations = all(|measured| measured.operations.as_ref());
    let mut whole = ToolMeasurement { window, bytes, operations, figures: Vec::new() };
    let rate = |amount: Option<&PrintedValue>, unit: Unit| divided(amount?, whole.window.as_ref()?, unit);
    let throughput = status.map(|status| status.rate.clone());
    let throughput = throughput.or_else(|| rate(whole.bytes.as_ref(), Unit::BytesPerSecond));
    let iops = rate(whole.operations.as_ref(), Unit::PerSecond);
    let iops = iops.or_else(|| iops_together(each, whole.window.as_ref()?));
    whole.add(metric::THROUGHPUT, throughput);
    whole.add(metric::IOPS, iops);
    (!whole.is_empty()).then_some(whole)
}

/// Operations a second of several, where their number is not told: of the longest time, as all is.
fn iops_together(each: &[&ToolMeasurement], longest: &PrintedValue) -> Option<PrintedValue> {
    let told = each.iter().map(|measured| Some((measured.figure(metric::IOPS)?, measured.window.as_ref()?)));
    let told = told.collect::<Option<Vec<_>>>()?;
    let operations: f64 = told.iter().map(|(iops, window)| iops.value * window.value).sum();
    let printed: Vec<&PrintedValue> = told.iter().map(|(iops, _)| *iops).collect();
    let value = operations / longest.value;
    let sum = added(&printed)?;
    value.is_finite().then_some(PrintedValue { value, ..sum })
}

/// The sum of what stands at several places.
fn added(values: &[&PrintedValue]) -> Option<PrintedValue> {
    let first = *values.first()?;
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    Some(PrintedValue {
        text: texts.join(" + "),
        value: values.iter().map(|value| value.value).sum(),
        half_step: values.iter().map(|value| value.half_step).sum(),
        ..first.clone()
    })
}

/// An amount for each second.
fn divided(amount: &PrintedValue, window: &PrintedValue, unit: Unit) -> Option<PrintedValue> {
    let value = amount.value / window.value;
    let half_step = value * (amount.half_step / amount.value.max(1.0) + window.half_step / window.value);
    let text = format!("{} / {}", amount.text, window.text);
    value.is_finite().then(|| PrintedValue { text, value, half_step, unit, counting: None, ..amount.clone() })
}

/// The measurement of a whole of these directions, with a part for each where there are several.
fn whole(mut directions: Vec<FioDirection>) -> (ToolMeasurement, Vec<ToolPart>) {
    if directions.len() == 1 {
        return (directions.pop().map(|only| only.measured).unwrap_or_default(), Vec::new());
    }
    let mut whole = ToolMeasurement::default();
    // Only what was done in the same time may be added up.
    let windows = directions.iter().map(|direction| direction.measured.window.as_ref());
    let windows = windows.collect::<Option<Vec<_>>>().unwrap_or_default();
    let same = windows.first().filter(|first| windows.iter().all(|window| window.value == first.value));
    if let Some(window) = same {
        whole.window = Some((*window).clone());
        for metric in [metric::THROUGHPUT, metric::IOPS] {
            let each = directions.iter().map(|direction| direction.measured.figure(metric));
            whole.add(metric, each.collect::<Option<Vec<_>>>().and_then(|each| added(&each)));
        }
    }
    for FioDirection { class, measured } in &directions {
        for figure in &measured.figures {
            if let Some(own) = figure.metric.of(class) {
                whole.add(own, Some(figure.printed.clone()));
            }
        }
    }
    (whole, directions.into_iter().map(of_direction).collect())
}

fn of_direction(direction: FioDirection) -> ToolPart {
    let FioDirection { class, measured } = direction;
    ToolPart { kind: ToolPartKind::Direction, name: class.to_owned(), start_s: None, measured }
}

fn of_job(job: &FioJob) -> ToolPart {
    let (measured, _) = whole(job.directions.clone());
    ToolPart { kind: ToolPartKind::Job, name: job.name.clone(), start_s: None, measured }
}

/// The percentiles that are kept, with what they are called in names of metrics.
pub(super) const KEPT: &[(f64, &str)] =
    &[(50.0, "50"), (90.0, "90"), (95.0, "95"), (99.0, "99"), (99.9, "99_9"), (99.99, "99_99")];

/// The metric of a percentile, `99.900000` of `latency` as `latency_p99_9`, of those that are kept.
pub(super) fn percentile(distribution: &str, percent: &str) -> Option<MetricName> {
    let value: f64 = percent.trim().parse().ok()?;
    let (_, name) = KEPT.iter().find(|(kept, _)| (kept - value).abs() < 1e-9)?;
    MetricName::intern(&format!("{distribution}_p{name}"))
}
