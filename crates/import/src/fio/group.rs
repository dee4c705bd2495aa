//! Jobs as workloads: which run together, and what is said once for all.

use model::Study;
use model::study::StudyWorkload;
use model::workload::Catalogue;

use super::job::Job;
use super::load::{self, ConvertedJob, Ending, Role};
use crate::diagnostic::Diagnostic;

/// Fills `study` with the loads of `jobs`, its controls and its notes.
pub(super) fn fill(catalogue: &Catalogue, jobs: &[Job], study: &mut Study) -> Result<(), Diagnostic> {
    let mut notes = Vec::new();
    let mut known: Vec<(String, StudyWorkload)> = Vec::new();
    for group in groups(jobs, &mut notes)? {
        let workload = together(catalogue, group, &mut notes)?;
        let name = &group[0].name;
        match known.iter().find(|(_, other)| *other == workload) {
            Some((first, _)) => {
                notes.push(format!("[{name}] is the same load as [{first}], which is measured once"))
            }
            None => known.push((name.clone(), workload)),
        }
    }
    study.workloads = known.into_iter().map(|(_, workload)| workload).collect();
    controls(jobs, study, &mut notes);
    study.purpose = purpose(jobs);
    for note in notes {
        // What [global] says is the same for every job.
        if !study.notes.contains(&note) {
            study.notes.push(note);
        }
    }
    if jobs.len() == 1 {
        let own = format!("[{}] ", jobs[0].name);
        for note in &mut study.notes {
            if let Some(rest) = note.strip_prefix(&own).filter(|rest| rest.starts_with('`')) {
                *note = rest.to_owned();
            }
        }
    }
    Ok(())
}

/// The jobs of each group that fio would start at the same time.
fn groups<'a>(jobs: &'a [Job], notes: &mut Vec<String>) -> Result<Vec<&'a [Job]>, Diagnostic> {
    let mut groups = Vec::new();
    let mut start = 0;
    for (index, job) in jobs.iter().enumerate() {
        let waits = match job.get("wait_for") {
            Some(given) => {
                let named = |j: &&Job| j.name == given.text() || j.section == given.text();
                if !jobs[..index].iter().any(|j| named(&j)) {
                    let message = format!("there is no job `{}` before this one", given.text());
                    return Err(given.diagnostic(message, "name one that stands further up"));
                }
                let waits = jobs[start..index].iter().any(|j| named(&j));
                if waits && jobs[start..index].iter().any(|j| !named(&j)) {
                    notes.push(format!(
                        "{}`{}`: fio would not wait for the other jobs before it; here it starts when all have ended",
                        job.whose(given),
                        given.written()
                    ));
                }
                waits
            }
            None => false,
        };
        if index > start && (job.flag("stonewall") || waits) {
            groups.push(&jobs[start..index]);
            start = index;
        }
    }
    groups.push(&jobs[start..]);
    Ok(groups)
}

/// One workload of jobs that run together.
fn together(
    catalogue: &Catalogue,
    jobs: &[Job],
    notes: &mut Vec<String>,
) -> Result<StudyWorkload, Diagnostic> {
    let mut main: Option<(StudyWorkload, Ending)> = None;
    let mut longer = Vec::new();
    for job in jobs {
        let role = match (&main, jobs.len()) {
            (_, 1) => Role::Alone,
            (None, _) => Role::First,
            (Some(_), _) => Role::Companion,
        };
        let ConvertedJob { workload, ending, notes: own } = load::make(catalogue, job, role)?;
        notes.extend(own);
        match &mut main {
            None => main = Some((workload, ending)),
            Some((first, end)) => {
                first.with.push(workload);
                if ending != *end || !matches!(ending, Ending::Time(_)) {
                    longer.push(format!("[{}]", job.name));
                }
            }
        }
    }
    if !longer.is_empty() {
        notes.push(window(jobs, &longer));
    }
    Ok(main.map(|(workload, _)| workload).unwrap_or_default())
}

/// What closes the window, and what fio would do with the jobs of these names.
fn window(jobs: &[Job], longer: &[String]) -> String {
    let first = &jobs[0].name;
    if jobs.iter().any(|job| job.flag("exitall")) {
        return format!(
            "`exitall`: fio would end all jobs when any of them ends; here when [{first}] does, named first"
        );
    }
    let others = match longer {
        [one] => format!("{one} go on to an end of its own"),
        some if some.len() <= 4 => format!("{} go on to an end of their own", some.join(", ")),
        many => format!("the other {} go on to an end of their own", many.len()),
    };
    format!("the window closes when [{first}] ends, which is named first; fio would let {others}")
}

/// What is one for the whole study: warm-up and seed.
fn controls(jobs: &[Job], study: &mut Study, notes: &mut Vec<String>) {
    let ramps: Vec<f64> = jobs.iter().map(|j| j.seconds("ramp_time").unwrap_or(0.0)).collect();
    let longest = ramps.iter().copied().fold(0.0, f64::max);
    if longest > 0.0 {
        study.controls.warm_up_s = longest;
        if ramps.iter().any(|r| *r != longest) {
            notes.push("`ramp_time`: jobs differ in it; here all have the longest".to_owned());
        }
    }
    if let Some(seed) = jobs.iter().find_map(|j| j.whole("randseed")) {
        study.controls.seed = seed;
    }
}

/// What the descriptions say, each once.
fn purpose(jobs: &[Job]) -> Option<String> {
    let mut texts: Vec<&str> = jobs.iter().filter_map(|j| j.text("description")).collect();
    let mut seen = Vec::new();
    texts.retain(|text| {
        let new = !seen.contains(text);
        seen.push(*text);
        new
    });
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}
