//! fio's normal text, of 1.x to 3.x, as it is printed here or by clients of servers.

use std::collections::BTreeMap;

use model::tool_result::{Counting, LineRange, ToolMeasurement};

use super::figures::{class, contradicting, direction, issued, list_of_percentiles, status, times};
use super::run::{ALL_CLIENTS, FioGroupStatus, FioJob, FioRun};
use super::{options, terse};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::number::whole;
use crate::tool::reader::NotUnderstood;
use crate::tool::storage::failure;

/// `NAME: (g=0): rw=randread, bs=...`.
pub(super) fn is_header(text: &str) -> bool {
    header(text).is_some()
}

/// The name of a job, its group and its options.
fn header(text: &str) -> Option<(&str, u64, &str)> {
    let (name, rest) = without_host(text).split_once(": (g=")?;
    let (group, rest) = whole(rest)?;
    let options = rest.strip_prefix("): ").filter(|options| options.starts_with("rw="))?;
    Some((name.trim(), group, options))
}

/// A client puts the name of its server in front: `<vm> Starting 1 process`.
fn without_host(text: &str) -> &str {
    let rest = text.trim_start().strip_prefix('<').and_then(|text| text.split_once("> "));
    rest.map_or(text, |(_, rest)| rest)
}

fn has_host(text: &str) -> bool {
    text.starts_with('<') && text.contains('>')
}

/// `fio-3.33`, `fio 1.59`, or of a server `hostname=vm, be=0, 64-bit, os=Linux, arch=x86-64, fio=fio-3.33, flags=1`.
pub(super) fn is_version(text: &str) -> bool {
    version(text).is_some()
}

fn version(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let text = match text.strip_prefix("hostname=").and_then(|text| text.split_once(", fio=")) {
        Some((_, version)) => version.split(',').next()?,
        None => text,
    };
    let spaced = || text.strip_prefix("fio ").filter(|version| version.starts_with(['1', '2']));
    let version = text.strip_prefix("fio-").or_else(spaced)?;
    let is_one = version.starts_with(|c: char| c.is_ascii_digit()) && version.contains('.');
    (is_one && !version.contains(' ')).then_some(version)
}

/// Whether it is a line with figures, or one that they stand below.
pub(super) fn has_figures(text: &str) -> bool {
    job(text).is_some() || class(text).is_some() || status_group(text).is_some() || is_status(text)
}

/// What lines of the status of a group begin with.
const STATUS: &[&str] = &["READ: ", "WRITE: ", "TRIM: ", "MIXED: "];

/// `READ: bw=56.4MiB/s (59.1MB/s), ..., io=113MiB (118MB), run=2001-2001msec`, whose heading may be missing.
fn is_status(text: &str) -> bool {
    let text = text.trim_start();
    let is_whole = |told: FioGroupStatus| told.bytes.is_some() && told.window.is_some();
    STATUS.iter().any(|class| text.starts_with(class))
        && status(0, text, 0, Counting::Binary).is_some_and(is_whole)
}

/// A job as its line has it, and when it was: `NAME: (groupid=0, jobs=1): err= 0: pid=524: Fri Nov 27 19:33:55 2026`.
fn job(text: &str) -> Option<(FioJob, Option<String>)> {
    let (name, rest) = without_host(text).split_once(": (groupid=")?;
    let (group, rest) = whole(rest)?;
    let (members, rest) = rest.split_once("): err=")?;
    let jobs = members.split_once("jobs=").and_then(|(_, jobs)| whole(jobs)).map(|(jobs, _)| jobs);
    let process = rest.split_once("pid=").and_then(|(_, rest)| whole(rest));
    let moment = process.and_then(|(_, rest)| rest.strip_prefix(": ")).map(str::to_owned);
    let pid = process.map(|(pid, _)| pid);
    let error = error(rest);
    Some((FioJob { name: name.trim().to_owned(), group, jobs, pid, error, ..FioJob::default() }, moment))
}

/// What ended a job: `27 (file:io_u.c:1876, func=io_u error, error=File too large): pid=7404`.
fn error(text: &str) -> Option<String> {
    let (number, rest) = whole(text).filter(|(number, _)| *number > 0)?;
    let reason = rest.split_once("error=").and_then(|(_, reason)| reason.split(')').next());
    Some(reason.map_or_else(|| failure::of_number(number), str::to_owned))
}

/// `Run status group 0 (all jobs):`.
fn status_group(text: &str) -> Option<u64> {
    let (group, rest) = whole(text.trim_start().strip_prefix("Run status group ")?)?;
    rest.starts_with(" (").then_some(group)
}

/// Whether an output, or what was kept of one, may begin with this line.
pub(super) fn begins(text: &str) -> bool {
    // Others begin lines with a direction, too.
    let is_direction = || direction(0, text, Counting::Binary).is_some();
    is_header(text)
        || is_version(text)
        || job(text).is_some()
        || status_group(text).is_some()
        || is_status(text)
        || is_direction()
}

/// Whether another run begins, not another job of this one.
pub(super) fn begins_run(text: &str) -> bool {
    !has_host(text) && (is_header(text) || is_version(text))
}

/// Lines that say nothing of what was measured, or that other lines are read with.
const FURTHER: &[&str] = &[
    "...",
    "Starting ",
    "Jobs:",
    // Of which `^C` covers the beginning.
    "bs: ",
    "note: ",
    "fio: ",
    "verify: ",
    "All clients",
    "Disk stats",
    "Description",
    "slat",
    "clat",
    "lat ",
    "lat(",
    "bw ",
    "bw(",
    "iops",
    "cpu ",
    "cpu:",
    "IO depths",
    "submit",
    "complete",
    "issued",
    "latency ",
    "latency:",
    "errors ",
    "|",
    "fsync/",
    "sync ",
    "steadystate",
    "block lifetime",
    "states ",
    "high prio",
    "low prio",
    "Client",
];

/// Whether fio prints such a line.
pub(super) fn is_known(text: &str) -> bool {
    let text = without_host(text).trim_start();
    text.is_empty()
        || begins(text)
        || FURTHER.iter().any(|beginning| text.starts_with(beginning))
        || STATUS.iter().any(|class| text.starts_with(class))
        || [": Laying out IO file", ": ios=", ": verify failed "].iter().any(|part| text.contains(part))
        || text.split_once("th=").is_some_and(|(percent, _)| percent.parse::<f64>().is_ok())
        || terse::is_line(text)
}

/// Whether it may stand in an output of fio. What is indented may be of a version that is not known here.
pub(super) fn is_of_fio(line: &ToolLine) -> bool {
    line.is_blank() || line.is_indented() || has_host(&line.text) || is_known(&line.text)
}

/// The lines of each execution. Those that stand one behind the other are told apart by their processes, or
/// where these are cut away by what can be in one of them only once.
pub(super) fn executions<'a>(block: &ToolBlock<'a>) -> Vec<&'a [ToolLine]> {
    let mut all = Vec::new();
    let mut start = 0;
    let mut seen = Seen::default();
    // Servers have processes of their own.
    let is_client = block.lines.iter().any(|line| {
        let text = line.text.as_str();
        has_host(text) || text.starts_with("hostname=") || text.starts_with(ALL_CLIENTS)
    });
    for (at, line) in block.lines.iter().enumerate() {
        if seen.is_another(&line.text) && !is_client {
            all.extend(block.lines.get(start..at));
            start = at;
            seen = Seen::default();
            seen.is_another(&line.text);
        }
    }
    all.extend(block.lines.get(start..));
    all
}

/// What was seen of an execution.
#[derive(Default)]
struct Seen {
    jobs: Vec<(String, Option<u64>)>,
    /// Directions that stand below no job.
    classes: Vec<&'static str>,
    /// Groups whose status was told since the last job.
    groups: Vec<u64>,
    /// What stands in a status without a heading, by what its lines begin with.
    statuses: Vec<&'static str>,
}

impl Seen {
    /// Takes a line; true where it is of another execution.
    fn is_another(&mut self, text: &str) -> bool {
        if let Some((job, _)) = job(text) {
            let process = (job.name, job.pid);
            let has_status = !self.groups.is_empty() || !self.statuses.is_empty();
            // After the status come the same jobs again, with status-interval.
            let is_another = has_status && !self.jobs.contains(&process) || !self.classes.is_empty();
            self.groups.clear();
            self.statuses.clear();
            self.jobs.push(process);
            return is_another;
        }
        if let Some(group) = status_group(text) {
            let is_another = self.groups.contains(&group);
            self.groups.push(group);
            return is_another;
        }
        if self.groups.is_empty() && is_status(text) {
            let own = STATUS.iter().copied().find(|class| text.trim_start().starts_with(class));
            let is_another = own.is_some_and(|own| self.statuses.contains(&own));
            self.statuses.extend(own);
            return is_another;
        }
        match class(text) {
            Some(class) if self.jobs.is_empty() => {
                let has_status = !self.groups.is_empty() || !self.statuses.is_empty();
                let is_another = self.classes.contains(&class) || has_status;
                self.classes.push(class);
                is_another
            }
            _ => false,
        }
    }
}

/// Reads one execution.
///
/// # Errors
/// If there are no figures.
pub(super) fn read(block: &ToolBlock<'_>) -> Result<FioRun, NotUnderstood> {
    let mut reading = Reading::new(counting(block));
    block.lines.iter().for_each(|line| reading.take(line));
    let mut run = reading.run;
    if run.jobs.iter().all(|job| job.directions.is_empty()) {
        run.jobs = run.jobs_of_status();
    }
    if run.jobs.is_empty() {
        return Err(NotUnderstood::CutShort);
    }
    run.knows_options = run.add_command(block).unwrap_or(false);
    Ok(run)
}

/// What multiples without an i are of, before 2.17: with `kb_base=1000` of 1000.
fn counting(block: &ToolBlock<'_>) -> Counting {
    let is_decimal = block.command.is_some_and(|command| {
        command.words.iter().any(|word| word.trim_start_matches('-') == "kb_base=1000")
    });
    if is_decimal { Counting::Decimal } else { Counting::Binary }
}

/// The text as far as it was read.
struct Reading {
    run: FioRun,
    /// What multiples without an i are of, before 2.17.
    counting: Counting,
    /// Options of jobs by their headers, with name and group.
    headers: Vec<(String, u64, BTreeMap<String, String>)>,
    /// The group whose status follows.
    group: Option<u64>,
    /// Of which times the percentiles that follow are, and their unit.
    percentiles: Option<(&'static str, String)>,
    /// Whether the direction has times until submission: those until completion are then not all.
    is_submitted: bool,
    /// Whether it is in JSON that was asked for beside the text.
    is_in_json: bool,
}

impl Reading {
    fn new(counting: Counting) -> Self {
        Self {
            run: FioRun::default(),
            counting,
            headers: Vec::new(),
            group: None,
            percentiles: None,
            is_submitted: false,
            is_in_json: false,
        }
    }

    fn take(&mut self, line: &ToolLine) {
        let text = line.text.as_str();
        if self.is_in_json || text == "{" {
            self.is_in_json = text != "}";
            return;
        }
        if !is_known(text) && !has_host(text) {
            self.unread(line.number);
        }
        if let Some(version) = version(text) {
            self.run.version = Some(version.to_owned());
        } else if let Some((name, group, told)) = header(text) {
            self.headers.push((name.to_owned(), group, options::of_header(told)));
        } else if let Some((job, moment)) = job(text) {
            self.job(FioJob { line: line.number, ..job }, moment);
        } else if let Some(group) = status_group(text) {
            self.group = Some(group);
        } else if self.group.is_some() || is_status(text) {
            let group = self.group.unwrap_or_default();
            self.run.status.extend(status(line.number, text, group, self.counting));
        } else if !terse::is_line(text) {
            self.figures(line);
        }
    }

    fn unread(&mut self, number: u64) {
        match self.run.unread.last_mut() {
            Some(range) if range.last + 1 == number => range.last = number,
            _ => self.run.unread.push(LineRange { first: number, last: number }),
        }
    }

    fn job(&mut self, job: FioJob, moment: Option<String>) {
        let is_same =
            |other: &FioJob| (&other.name, other.group, other.pid) == (&job.name, job.group, job.pid);
        // With status-interval all that was done up to then is printed again and again: the last time counts.
        if self.group.take().is_some() && self.run.jobs.iter().any(is_same) {
            self.run.jobs.clear();
            self.run.status.clear();
        }
        (self.percentiles, self.is_submitted) = (None, false);
        self.run.moment = moment.or_else(|| self.run.moment.take());
        let is_of_group = |(_, group, _): &&(String, u64, BTreeMap<String, String>)| *group == job.group;
        let of_group = self.headers.iter().filter(is_of_group);
        let is_sum = job.jobs.is_some_and(|jobs| jobs > 1);
        let is_mixed = is_sum && of_group.clone().any(|(name, _, _)| *name != job.name);
        // Of all jobs that are printed as one: what they have in common.
        let mut told =
            of_group.filter(|(name, _, _)| is_mixed || *name == job.name).map(|(_, _, options)| options);
        let mut options = told.next().cloned().unwrap_or_default();
        if is_mixed {
            for other in told {
                options.retain(|name, value| other.get(name) == Some(value));
            }
        }
        self.run.jobs.push(FioJob { options, is_mixed, ..job });
    }

    /// What stands below the line of a job.
    fn figures(&mut self, line: &ToolLine) {
        let text = line.text.trim_start();
        if let Some(direction) = direction(line.number, text, self.counting) {
            if self.run.jobs.is_empty() {
                self.run.jobs.push(FioJob::default());
            }
            if let Some(job) = self.run.jobs.last_mut() {
                job.contradicting.extend(contradicting(line.number, text, &direction));
                job.directions.push(direction);
            }
            (self.percentiles, self.is_submitted) = (None, false);
            return;
        }
        let Some(job) = self.run.jobs.last_mut() else { return };
        if text.starts_with("issued ") {
            issued(line.number, text, &mut job.directions);
            job.drop_mixed();
        } else if text.starts_with("slat (") {
            self.is_submitted = true;
        } else if let Some((unit, _)) = in_parentheses(text, "lat (") {
            self.times(line, unit, "latency");
        } else if let Some((unit, _)) = in_parentheses(text, "sync (") {
            self.times(line, unit, "sync_latency");
        } else if let Some((distribution, unit, rest)) = self.heading(text) {
            self.percentiles = Some((distribution, unit.to_owned()));
            self.list(line.number, rest);
        } else if text.contains("th=") {
            self.list(line.number, text.trim_start_matches('|'));
        } else {
            self.percentiles = None;
        }
    }

    /// The distribution of a heading of percentiles, its unit, and what stands behind it.
    fn heading<'a>(&self, text: &'a str) -> Option<(&'static str, &'a str, &'a str)> {
        let until_completion = if self.is_submitted { "device_latency" } else { "latency" };
        let known = [("clat", until_completion), ("lat", "latency"), ("sync", "sync_latency")];
        known.into_iter().find_map(|(name, distribution)| {
            let rest = text.strip_prefix(name)?.strip_prefix(" percentiles ")?;
            let (unit, rest) = in_parentheses(rest, "(")?;
            Some((distribution, unit, rest))
        })
    }

    fn times(&mut self, line: &ToolLine, unit: &str, distribution: &str) {
        if let Some(measured) = self.measured(distribution) {
            times(line.number, &line.text, unit, distribution, measured);
        }
    }

    fn list(&mut self, line: u64, list: &str) {
        let Some((distribution, unit)) = self.percentiles.clone() else { return };
        let Some(measured) = self.measured(distribution) else { return };
        for (metric, value) in list_of_percentiles(line, list, distribution, &unit) {
            if measured.figure(metric).is_none() {
                measured.add(metric, Some(value));
            }
        }
    }

    /// What times of this distribution are of: the direction above, or the writes that were synced.
    fn measured(&mut self, distribution: &str) -> Option<&mut ToolMeasurement> {
        let directions = &mut self.run.jobs.last_mut()?.directions;
        let written = directions.iter().position(|direction| direction.class == "write");
        let last = directions.len().checked_sub(1)?;
        let at = written.filter(|_| distribution == "sync_latency").unwrap_or(last);
        directions.get_mut(at).map(|direction| &mut direction.measured)
    }
}

/// What stands in the parentheses that a text begins with, after `before`, and what stands behind the
/// colon after them.
fn in_parentheses<'a>(text: &'a str, before: &str) -> Option<(&'a str, &'a str)> {
    let (inside, rest) = text.strip_prefix(before)?.split_once(')')?;
    Some((inside, rest.trim_start().strip_prefix(':')?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(text: &str) -> Vec<FioRun> {
        let lines = super::super::lines(text);
        let block = ToolBlock { lines: &lines, command: None };
        let each = executions(&block);
        each.into_iter().map(|lines| read(&ToolBlock { lines, command: None }).unwrap()).collect()
    }

    const JOB: &str =
        "x: (groupid=0, jobs=1): err= 0: pid=1: now\n  read: IOPS=5, BW=5MiB/s (5MB/s)(10MiB/2000msec)\n";

    #[test]
    fn an_execution_ends_where_other_processes_begin() {
        let status = "Run status group 0 (all jobs):\n   READ: bw=5MiB/s (5MB/s), io=10MiB (10MB), run=2000-2000msec\n";
        let jobs = |text: &str| runs(text).iter().map(|run| run.jobs.len()).collect::<Vec<_>>();
        let other = JOB.replace("pid=1", "pid=2");
        assert_eq!(jobs(&format!("{JOB}{other}{status}")), [2]);
        assert_eq!(jobs(&format!("{JOB}{status}{other}{status}")), [1, 1]);
        assert_eq!(jobs(&format!("{JOB}{status}{JOB}{status}")), [1], "status-interval prints it again");
        assert_eq!(jobs(&format!("{status}{status}")), [1, 1]);
        let bare = status.split_once('\n').unwrap().1;
        assert_eq!(jobs(&format!("{bare}{bare}")), [1, 1], "their headings are missing");
        assert_eq!(jobs(&format!("{JOB}{bare}{other}{bare}")), [1, 1]);
        let direction = JOB.lines().nth(1).unwrap();
        assert_eq!(jobs(&format!("{direction}\n{direction}\n")), [1, 1]);
    }

    #[test]
    fn first_lines_of_every_version_are_known() {
        for text in [
            "rr: (g=0): rw=read, bs=4K-4K/4K-4K, ioengine=sync, iodepth=1",
            "<vm> rr: (g=0): rw=read, bs=(R) 4096B-4096B",
            "fio-2.1.11",
            "fio 1.59",
            "hostname=vm, be=0, 64-bit, os=Linux, arch=x86-64, fio=fio-3.33, flags=1",
            "rr: (groupid=0, jobs=1): err= 0: pid=524: Fri Nov 27 19:33:55 2026",
            "  read : io=3071.7MB, bw=97414KB/s, iops=24353, runt= 32289msec",
            "Run status group 0 (all jobs):",
            "   READ: bw=5MiB/s (5MB/s), 5MiB/s-5MiB/s (5MB/s-5MB/s), io=10MiB (10MB), run=2000-2000msec",
            "  WRITE: io=3200.0MB, aggrb=13095KB/s, minb=3273KB/s, maxb=3284KB/s, mint=249447msec, maxt=250214msec",
        ] {
            assert!(begins(text), "{text}");
        }
        for text in [
            "fio 3.33",
            "fio is a tool",
            "READ: bw=5MiB/s is slow",
            "read: the manual",
            "x: (groupid=0)",
            "fio-test.sh",
        ] {
            assert!(!begins(text), "{text}");
        }
        assert_eq!(version("hostname=vm, be=0, fio=fio-3.33, flags=1"), Some("3.33"));
    }

    #[test]
    fn what_is_not_known_is_told() {
        let run = runs(&format!("{JOB}   new figure : 5\n   another : 6\n"));
        assert_eq!(run[0].unread, [LineRange { first: 3, last: 4 }]);
    }
}
