//! One try of a scenario: all is laid, headroom runs, the counters are looked at, and
//! all is taken away again.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::count::{CpuTimes, Samples, watch};
use crate::judge::{Grade, judge};
use crate::scenario::{Count, Scenario};
use crate::site::Site;
use crate::tool::{self, cpu_s, device_bytes};

/// How long a run may take that measures for some seconds.
const PATIENCE: Duration = Duration::from_secs(240);

/// Others may compute so much of a CPU, and the hypervisor may take so much.
const OTHERS: f64 = 0.05;
const STOLEN: f64 = 0.02;
/// Others may have the disk move so many bytes a second, beside a part of ours: the
/// journal of a file system, and what a write makes of its neighbours, is nobody's.
const OTHERS_BYTES: f64 = 50e6;
const NOBODYS: f64 = 0.25;
/// Ticks are coarse, and what starts and ends with a run is nobody's.
const SLACK_S: f64 = 0.15;

/// What tries need.
pub(crate) struct Means<'a> {
    pub(crate) program: &'a Path,
    /// A folder on a disk.
    pub(crate) scratch: &'a Path,
    /// Where documents are kept of which not all was right.
    pub(crate) keep: Option<&'a Path>,
    /// The user wants an end.
    pub(crate) stop: &'a AtomicBool,
}

/// Tries a scenario once; a grade for each case that is judged.
pub(crate) fn attempt(scenario: &Scenario, means: &Means<'_>) -> Vec<Grade> {
    match measured(scenario, means, &[], None) {
        Ok((document, samples)) => {
            let mut grades = judge(scenario, &document, &samples);
            if grades.iter().any(|grade| *grade != Grade::Right) {
                grades.extend(kept(scenario, &document, means.keep).err().map(Grade::Skipped));
            }
            grades
        }
        Err(grade) => vec![grade],
    }
}

/// Writes down a document to look at, under the scenario's name and the run's.
///
/// # Errors
/// Why it could not be written.
pub(crate) fn kept(scenario: &Scenario, document: &Value, folder: Option<&Path>) -> Result<(), String> {
    let Some(folder) = folder else { return Ok(()) };
    let words: Vec<&str> =
        scenario.name.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let run = document["id"].as_str().unwrap_or_default();
    let path = folder.join(format!("{}-{run}.json", words.join("-")));
    std::fs::write(&path, document.to_string()).map_err(|e| format!("{}: {e}", path.display()))
}

/// For tests of proofs: what headroom takes for the verdict.
const NAMED: &str = "HEADROOM_TEST_NAMED_LIMIT";

/// The document of one run of a scenario, with these words more, and what was counted meanwhile.
/// `named` is planted in the place of the verdict where verdicts are proved.
///
/// # Errors
/// Why it says nothing, as a grade.
pub(crate) fn measured(
    scenario: &Scenario,
    means: &Means<'_>,
    more: &[&str],
    named: Option<&str>,
) -> Result<(Value, Samples), Grade> {
    let site = Site::new(means.program, means.scratch, scenario).map_err(Grade::Skipped)?;
    // What the hypervisor took is looked at whatever is tried.
    let mut counts = vec![Count::Busy, Count::Stolen];
    for proof in scenario.proofs {
        if !counts.contains(&proof.count()) {
            counts.push(proof.count());
        }
    }
    let mut command = site.run(scenario.load);
    command.args(more).envs(named.map(|code| (NAMED, code)));
    let before = Account::now(&site);
    let (document, samples) = watch(&site, &counts, || run(command, means.stop));
    let after = Account::now(&site);
    let document = document.map_err(Grade::Skipped)?;
    let uncounted = || Grade::Skipped("who computed meanwhile could not be counted".to_owned());
    let (before, after) = before.zip(after).ok_or_else(uncounted)?;
    after.since(&before).map_err(Grade::Disturbed)?;
    Ok((document, samples))
}

/// Runs headroom to its end, and reads its document.
fn run(mut command: Command, stop: &AtomicBool) -> Result<Value, String> {
    let failed = |e: std::io::Error| format!("headroom could not be run: {e}");
    let mut printed = tempfile::tempfile().map_err(failed)?;
    let mut said = tempfile::tempfile().map_err(failed)?;
    let end_of = |file: &File| file.try_clone().map(Stdio::from).map_err(failed);
    command.stdin(Stdio::null()).stdout(end_of(&printed)?).stderr(end_of(&said)?);
    let mut child = command.spawn().map_err(failed)?;
    let until = Instant::now() + PATIENCE;
    while matches!(child.try_wait(), Ok(None)) {
        if stop.load(Ordering::Relaxed) || Instant::now() >= until {
            // It puts all back when it is asked to end.
            tool::end(&mut child, Duration::from_secs(20));
            return Err("headroom did not end by itself".to_owned());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let document = whole(&mut printed).map_err(failed)?;
    serde_json::from_str(&document).map_err(|_| {
        let said = whole(&mut said).unwrap_or_default();
        format!("headroom gave no document: {}", said.trim())
    })
}

fn whole(file: &mut File) -> std::io::Result<String> {
    let mut text = String::new();
    file.rewind()?;
    file.read_to_string(&mut text)?;
    Ok(text)
}

/// Who computed so far, in seconds.
#[derive(Debug)]
struct Account {
    at: Instant,
    /// In programs, whosever they are.
    user: f64,
    /// In ours: headroom, its node, the neighbours and the lab.
    own: f64,
    /// Taken by the hypervisor.
    stolen: f64,
    /// Bytes that the disk moved, and those for us.
    disk_bytes: f64,
    own_bytes: f64,
}

impl Account {
    fn now(site: &Site) -> Option<Self> {
        let processes = site.own_processes();
        let own: Option<f64> = processes.iter().map(|process| Some(cpu_s(process)?.0)).sum();
        let own_bytes: Option<f64> = processes.iter().map(|process| device_bytes(process)).sum();
        let times = CpuTimes::read()?;
        Some(Self {
            at: Instant::now(),
            user: times.user_s()?,
            own: own?,
            stolen: times.stolen_s()?,
            disk_bytes: site.disk()?.bytes,
            own_bytes: own_bytes?,
        })
    }

    /// Whether the machine was ours since then; the error says who else used it.
    fn since(&self, before: &Self) -> Result<(), String> {
        let elapsed = self.at.duration_since(before.at).as_secs_f64();
        let others = (self.user - before.user) - (self.own - before.own);
        let stolen = self.stolen - before.stolen;
        if others > OTHERS * elapsed + SLACK_S {
            return Err(format!("others computed for {others:.2} s of {elapsed:.2} s"));
        }
        if stolen > STOLEN * elapsed + SLACK_S {
            return Err(format!("the hypervisor took {stolen:.2} s of {elapsed:.2} s"));
        }
        let own_bytes = self.own_bytes - before.own_bytes;
        let others_bytes = self.disk_bytes - before.disk_bytes - own_bytes;
        if others_bytes > OTHERS_BYTES * elapsed + NOBODYS * own_bytes {
            return Err(format!("others had the disk move {:.0} MB in {elapsed:.2} s", others_bytes / 1e6));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_others_use_is_not_ours() {
        let at = Instant::now();
        let account = |seconds: u64, user: f64, own: f64, stolen: f64| Account {
            at: at + Duration::from_secs(seconds),
            user,
            own,
            stolen,
            disk_bytes: 1e9,
            own_bytes: 1e9,
        };
        let before = account(0, 100.0, 10.0, 1.0);
        account(10, 110.0, 20.0, 1.0).since(&before).unwrap();
        assert!(account(10, 112.0, 20.0, 1.0).since(&before).unwrap_err().starts_with("others computed"));
        assert!(account(10, 110.0, 20.0, 2.0).since(&before).unwrap_err().starts_with("the hypervisor"));
        let reads = |disk_bytes: f64, own_bytes: f64| {
            Account { disk_bytes, own_bytes, ..account(10, 110.0, 20.0, 1.0) }.since(&before)
        };
        reads(3e9, 2.9e9).unwrap();
        assert!(reads(3e9, 1e9).unwrap_err().starts_with("others had the disk"));
    }

    #[test]
    fn what_a_program_prints_is_read_as_a_document() {
        let stop = AtomicBool::new(false);
        let mut command = Command::new("echo");
        command.arg("{\"a\": 1}");
        assert_eq!(run(command, &stop).unwrap()["a"], 1);
        let mut command = Command::new("sh");
        command.args(["-c", "echo no >&2"]);
        assert!(run(command, &stop).unwrap_err().ends_with("no document: no"));
        let mut command = Command::new("sleep");
        command.arg("60");
        stop.store(true, Ordering::Relaxed);
        run(command, &stop).unwrap_err();
    }
}
