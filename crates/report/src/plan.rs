//! A plan as text: what `--dry-run` prints.

use std::collections::BTreeMap;

use model::plan::{Case, Effect, FixtureKey, Problem};
use model::profile::Aspect;
use model::setting::{Change, SettingSpec};
use model::{Plan, Study};

use crate::format;
use crate::terminal::paragraph;
use crate::text::counted;

/// The plan in words: cases, order, what will be written, how long it takes.
#[must_use]
pub fn text(plan: &Plan, left_out: &[(Case, Problem)]) -> String {
    let controls = &plan.controls;
    let trials = from_to(controls.trials_min, controls.trials_max);
    let head = format!("{} x {trials} trials\n", counted(plan.cases.len(), "case"));
    head + &body(plan, left_out, |_| String::new())
}

/// What of a run would be measured if it were gone on with, as a person reads it: `plan` has the cases that lack trials,
/// and `missing` how many each of them lacks, the fewest and the most.
#[must_use]
pub fn rest(
    plan: &Plan,
    left_out: &[(Case, Problem)],
    (run, kept): (&str, usize),
    missing: &BTreeMap<usize, (u32, u32)>,
) -> String {
    let (least, most) = missing.values().fold((0, 0), |sum, lack| (sum.0 + lack.0, sum.1 + lack.1));
    let head = paragraph(
        "",
        "  ",
        &format!("{run} has {} and lacks {}", counted(kept, "trial"), from_to(least, most)),
    );
    let lacks = |case: &Case| match missing.get(&case.index) {
        Some((least, most)) => format!(": {} more", from_to(*least, *most)),
        None => String::new(),
    };
    head + &body(plan, left_out, lacks)
}

fn from_to(least: u32, most: u32) -> String {
    if least == most { least.to_string() } else { format!("{least} to {most}") }
}

/// The groups with their cases, what would be touched, and the time.
fn body(plan: &Plan, left_out: &[(Case, Problem)], behind: impl Fn(&Case) -> String) -> String {
    let controls = &plan.controls;
    let mut out = String::from("\n");
    // Of a run that is gone on with, a group may be done.
    for group in (0..plan.groups).filter(|group| plan.group(*group).next().is_some()) {
        let rounds = plan.group(group).any(Case::has_rounds);
        let how = if rounds {
            ", round by round until five rounds are steady, at most 25; those are the trials"
        } else {
            ""
        };
        let order = match controls.ramp {
            Some(_) => "in each block from the lowest rate on, until the load breaks",
            None => "shuffled anew for each trial",
        };
        let title = format!("Group {} of {}, {order}{how}", group + 1, plan.groups);
        out.push_str(&paragraph("", "  ", &title));
        for case in plan.group(group) {
            let dirty = if case.effect == Effect::Clean { "" } else { " (writes)" };
            out.push_str(&paragraph("  ", "      ", &format!("{}{dirty}{}", case.label, behind(case))));
        }
    }
    out.push('\n');
    let left = left_out.iter().map(|(case, why)| (case.label.to_string(), why.message.as_str()));
    for line in touched(plan).into_iter().chain(lines_of_left_out(left)) {
        out.push_str(&paragraph("", "  ", &line));
    }
    let time = time_needed(plan.seconds, controls.budget_s);
    let writes =
        plan.cases.iter().flat_map(|c| &c.fixtures).any(|f| f.written > 0 || f.used_up && f.bytes > 0);
    let assumed = if writes { "; files are taken to be written at 200 MB/s" } else { "" };
    out.push_str(&paragraph("", "  ", &format!("Time needed: {time}{assumed}.")));
    out
}

/// The labels of cases that cannot be run, each with why; those with one reason are told together.
fn lines_of_left_out<'a>(left_out: impl Iterator<Item = (String, &'a str)>) -> Vec<String> {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for (label, why) in left_out {
        match reasons.iter_mut().find(|(reason, _)| *reason == why) {
            Some((_, labels)) => labels.push(label),
            None => reasons.push((why, vec![label])),
        }
    }
    let line = |(reason, labels): (&str, Vec<String>)| match labels.as_slice() {
        [one] => format!("left out: {one}: {reason}"),
        several => format!("left out because {reason}: {}", several.join("; ")),
    };
    reasons.into_iter().map(line).collect()
}

/// From the fewest to the most seconds, in words; no more than a budget lets it take.
fn time_needed((least, most): (f64, f64), budget_s: Option<f64>) -> String {
    let end = budget_s.filter(|budget| *budget < most);
    let (least, most) = end.map_or((least, most), |budget| (least.min(budget), budget));
    let time = if most - least < 1.0 {
        format!("about {}", format::span(least))
    } else {
        format!("{} to {}", format::span(least), format::span(most))
    };
    match (budget_s, end) {
        (None, _) => time,
        (Some(budget), None) => format!("{time}, at most {} (budget)", format::span(budget)),
        (Some(_), Some(_)) => format!("{time}, where the budget ends it"),
    }
}

/// What has to be known of a study, a paragraph each.
#[must_use]
pub fn notes(study: &Study) -> String {
    study.notes.iter().map(|note| paragraph("note: ", "  ", note)).collect()
}

/// The targets that are names of nothing, a paragraph each: what is measured is the folder's disk, and another name may have
/// been meant.
#[must_use]
pub fn new_names(plan: &Plan) -> String {
    let fixtures = plan.cases.iter().flat_map(|case| &case.fixtures);
    let mut told: Vec<String> = fixtures.filter_map(new_name).collect();
    told.sort_unstable();
    told.dedup();
    told.iter().map(|text| paragraph("note: ", "  ", text)).collect()
}

fn new_name(fixture: &FixtureKey) -> Option<String> {
    let folder = fixture.new_name_in.as_ref()?;
    Some(format!(
        "there is no {}, so a file is made in the folder {folder}, and its disk is measured. If that is not what was meant, \
         see how the target is spelled",
        fixture.target
    ))
}

/// Every file and device that would be touched.
fn touched(plan: &Plan) -> Vec<String> {
    let mut fixtures: Vec<_> = plan.cases.iter().flat_map(|c| &c.fixtures).collect();
    fixtures.sort();
    fixtures.dedup();
    let settings = settings(plan);
    let mut lines: Vec<String> = fixtures.into_iter().map(|fixture| fixture.about.clone()).collect();
    lines.extend(written_into(plan));
    let is_written = !lines.is_empty();
    lines.extend(
        match (is_written, settings.is_empty()) {
            (false, true) => Some("Nothing is written, no setting is changed."),
            (false, false) => Some("Nothing is written."),
            (true, true) => Some("No setting is changed."),
            (true, false) => None,
        }
        .map(str::to_owned),
    );
    lines.extend(settings);
    lines.extend(observed(plan));
    lines
}

/// Where loads write that need nothing made before them, such as downloads.
fn written_into(plan: &Plan) -> Vec<String> {
    let cases = plan.cases.iter().filter(|case| case.fixtures.is_empty() && case.effect != Effect::Clean);
    let profiles = cases.flat_map(|case| &case.loads).filter_map(|load| load.profile.as_ref());
    let paths = profiles.flat_map(|profile| &profile.paths);
    let mut lines: Vec<String> = paths.map(|path| format!("writes into {path}")).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// What would watch cases, which takes trials of their own.
fn observed(plan: &Plan) -> Option<String> {
    let watched: Vec<_> = plan.cases.iter().filter(|case| !case.observe.is_empty()).collect();
    let mut names: Vec<&str> =
        watched.iter().flat_map(|case| &case.observe).map(|kind| kind.name()).collect();
    names.sort_unstable();
    names.dedup();
    let cases = match watched.len() {
        0 => return None,
        all if all == plan.cases.len() => "each case is".to_owned(),
        1 => "one case is".to_owned(),
        some => format!("{some} cases are"),
    };
    Some(format!("With {}, {cases} measured once more, beside the trials without.", names.join(", ")))
}

/// Every setting that would be changed, with its levels in the order of the
/// groups.
fn settings(plan: &Plan) -> Vec<String> {
    let mut changed: Vec<(&Change, Vec<String>)> = Vec::new();
    for change in plan.cases.iter().flat_map(|c| &c.settings) {
        let spec = spec_of(&change.name);
        let level = spec.map_or_else(|| change.value.to_string(), |s| s.show(&change.value));
        let same = |(other, _): &&mut (&Change, Vec<String>)| {
            let of = |change: &Change| {
                let Change { peer, targets, layers, servers, .. } = change.clone();
                (change.key(), peer, targets, layers, servers)
            };
            of(other) == of(change)
        };
        match changed.iter_mut().find(same) {
            Some((_, levels)) if levels.contains(&level) => {}
            Some((_, levels)) => levels.push(level),
            None => changed.push((change, vec![level])),
        }
    }
    changed.iter().map(|(change, levels)| changed_line(change, levels)).collect()
}

fn spec_of(name: &str) -> Option<&'static SettingSpec> {
    machine::setting::find(name).map(|setting| setting.spec())
}

fn changed_line(change: &Change, levels: &[String]) -> String {
    let symbol = spec_of(&change.name).and_then(|spec| spec.binds);
    let layers = change.layers.iter().map(|place| format!("the layer {} of {}", place.layer, place.stack));
    let whose = match (&change.resource, symbol, &change.peer) {
        _ if !change.layers.is_empty() => layers
            .chain(change.targets.iter().map(|target| format!("what lies under {target}")))
            .collect::<Vec<_>>()
            .join(" and of "),
        (Some(resource), ..) => format!("{resource} on this machine"),
        (None, Some(symbol), peer) => {
            let value = match symbol.words().aspect {
                Some(Aspect::Peer | Aspect::Server) => {
                    let all: Vec<&str> = peer.iter().chain(&change.servers).map(String::as_str).collect();
                    (!all.is_empty()).then(|| all.join(" and "))
                }
                _ => (!change.targets.is_empty()).then(|| change.targets.join(" and ")),
            };
            let ends = if peer.is_some() { ", at both ends" } else { "" };
            format!("{}{ends}", symbol.words().phrase(value.as_deref()))
        }
        (None, None, Some(peer)) => format!("this machine and of {peer}"),
        (None, None, None) => "this machine".to_owned(),
    };
    format!("changes {} of {whose}: {}; and puts it back", change.name, levels.join(", "))
}

#[cfg(test)]
mod tests {
    use model::Value;
    use model::plan::Ownership;
    use model::setting::LayerPlace;

    use super::*;

    #[test]
    fn cases_that_are_left_out_for_one_reason_are_told_together() {
        let all = [("disk layer=raid6", "no md"), ("net.stream", "no peer"), ("disk layer=luks", "no md")];
        let lines = lines_of_left_out(all.into_iter().map(|(label, why)| (label.to_owned(), why)));
        assert_eq!(
            lines,
            ["left out because no md: disk layer=raid6; disk layer=luks", "left out: net.stream: no peer"]
        );
    }

    #[test]
    fn no_more_time_is_told_than_the_budget_lets_a_run_take() {
        assert_eq!(time_needed((53.0, 53.4), None), "about 53 s");
        assert_eq!(time_needed((53.0, 80.0), Some(100.0)), "53 s to 1 min 20 s, at most 1 min 40 s (budget)");
        assert_eq!(
            time_needed((105.0, 126.0), Some(120.0)),
            "1 min 45 s to 2 min 0 s, where the budget ends it"
        );
        assert_eq!(time_needed((200.0, 300.0), Some(120.0)), "about 2 min 0 s, where the budget ends it");
    }

    #[test]
    fn a_target_that_is_the_name_of_nothing_is_told_with_the_folder_that_is_measured() {
        let mut fixture = FixtureKey::new("file", "/data/dtaa", 1 << 30, Ownership::Created);
        assert_eq!(new_name(&fixture), None);
        fixture.new_name_in = Some("/data".to_owned());
        let told = new_name(&fixture).unwrap();
        assert!(told.starts_with("there is no /data/dtaa, so a file is made in the folder /data"), "{told}");
    }

    #[test]
    fn a_change_names_whose_setting_it_is() {
        let mut change = Change { peer: Some("b".to_owned()), ..Change::new("mtu", Value::from(9000_u64)) };
        let levels = ["1500".to_owned(), "9000".to_owned()];
        let at_both =
            "changes mtu of the network interface towards b, at both ends: 1500, 9000; and puts it back";
        assert_eq!(changed_line(&change, &levels), at_both);
        let server = Change { servers: vec!["web1".to_owned()], peer: None, ..change.clone() };
        let here = "changes mtu of the network interface towards web1: 1500, 9000; and puts it back";
        assert_eq!(changed_line(&server, &levels), here);
        let place = |stack: &str, layer: &str| LayerPlace {
            stack: stack.to_owned(),
            targets: Vec::new(),
            layer: layer.to_owned(),
        };
        let layers = vec![place("loop > luks > xfs", "luks")];
        let of_layer = Change { layers, ..Change::new("read-ahead", Value::from(0_u64)) };
        let said = "changes read-ahead of the layer luks of loop > luks > xfs: 0; and puts it back";
        assert_eq!(changed_line(&of_layer, &["0".to_owned()]), said);
        let both = Change { targets: vec!["/other".to_owned()], ..of_layer };
        assert!(changed_line(&both, &levels).contains("loop > luks > xfs and of what lies under /other: "));
        change.resource = Some("eth0".to_owned());
        assert!(changed_line(&change, &levels).starts_with("changes mtu of eth0 on this machine: "));
        change = Change { name: "socket-buffer-max".to_owned(), resource: None, ..change };
        assert!(changed_line(&change, &levels).contains("of this machine and of b"));
    }
}
