//! A plan as text: what `--dry-run` prints.

use model::plan::{Case, Effect, FixtureKey, Ownership, Precondition, Problem};
use model::setting::{Binds, Change, SettingSpec};
use model::{Plan, Study};

use crate::format;
use crate::text::paragraph;

/// The plan in words: cases, order, what will be written, how long it takes.
#[must_use]
pub fn text(plan: &Plan, left_out: &[(Case, Problem)]) -> String {
    let mut out = String::new();
    let controls = &plan.controls;
    let trials = if controls.trials_min == controls.trials_max {
        controls.trials_min.to_string()
    } else {
        format!("{} to {}", controls.trials_min, controls.trials_max)
    };
    out.push_str(&format!(
        "{} case{} x {trials} trials\n\n",
        plan.cases.len(),
        if plan.cases.len() == 1 { "" } else { "s" }
    ));
    for group in 0..plan.groups {
        let rounds = plan.group(group).any(Case::has_rounds);
        let how = if rounds {
            ", round by round until five rounds are steady, at most 25; those are the trials"
        } else {
            ""
        };
        let title = format!("Group {} of {}, shuffled anew for each trial{how}", group + 1, plan.groups);
        out.push_str(&paragraph("", "  ", &title));
        for case in plan.group(group) {
            let dirty = if case.effect == Effect::Clean { "" } else { " (writes)" };
            out.push_str(&paragraph("  ", "      ", &format!("{}{dirty}", case.label)));
        }
    }
    out.push('\n');
    for line in touched(plan) {
        out.push_str(&paragraph("", "  ", &line));
    }
    for (case, problem) in left_out {
        let line = format!("left out: {}: {}", case.label, problem.message);
        out.push_str(&paragraph("", "  ", &line));
    }
    let (least, most) = plan.seconds;
    let time = if most - least < 1.0 {
        format!("about {}", format::span(least))
    } else {
        format!("{} to {}", format::span(least), format::span(most))
    };
    let budget =
        controls.budget_s.map(|s| format!(", at most {} (budget)", format::span(s))).unwrap_or_default();
    let writes = plan.cases.iter().flat_map(|c| &c.fixtures).any(|f| f.written() > 0 || f.grows);
    let assumed = if writes { "; files are taken to be written at 200 MB/s" } else { "" };
    out.push_str(&paragraph("", "  ", &format!("Time needed: {time}{budget}{assumed}.")));
    out
}

/// What has to be known of a study, a paragraph each.
#[must_use]
pub fn notes(study: &Study) -> String {
    study.notes.iter().map(|note| paragraph("note: ", "  ", note)).collect()
}

/// Every file and device that would be touched.
fn touched(plan: &Plan) -> Vec<String> {
    let mut fixtures: Vec<_> = plan.cases.iter().flat_map(|c| &c.fixtures).collect();
    fixtures.sort();
    fixtures.dedup();
    let mut touches: Vec<&String> = plan.cases.iter().flat_map(|c| &c.touches).collect();
    touches.dedup();
    let settings = settings(plan);
    let is_written = !fixtures.is_empty() || !touches.is_empty();
    let mut lines: Vec<String> = fixtures.into_iter().map(line).collect();
    lines.extend(touches.into_iter().cloned());
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
    lines
}

/// Every setting that would be changed, with its levels in the order of the
/// groups.
fn settings(plan: &Plan) -> Vec<String> {
    let mut changed: Vec<(&Change, Vec<String>)> = Vec::new();
    for change in plan.cases.iter().flat_map(|c| &c.settings) {
        let spec = spec_of(&change.name);
        let level = spec.map_or_else(|| change.value.to_string(), |s| s.show(&change.value));
        let same = |(other, _): &&mut (&Change, Vec<String>)| {
            other.key() == change.key() && other.peer == change.peer
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
    let is_nic = spec_of(&change.name).is_some_and(|s| s.binds == Binds::Nic);
    let whose = match (&change.resource, &change.peer, is_nic) {
        (Some(resource), ..) => format!("{resource} on this machine"),
        (None, Some(peer), true) => format!("the network interface towards {peer}, at both ends"),
        (None, Some(peer), false) => format!("this machine and of {peer}"),
        (None, None, _) => "this machine".to_owned(),
    };
    format!("changes {} of {whose}: {}; and puts it back", change.name, levels.join(", "))
}

fn line(f: &FixtureKey) -> String {
    let (size, target) = (format::binary(f.bytes), &f.target);
    let device = if f.device { "the block device " } else { "" };
    let mut line = match f.ownership {
        Ownership::Created if f.grows => format!(
            "writes a file in {target}, without a name, until no space is left or it has {size}, and removes it"
        ),
        Ownership::Created if f.files > 1 => {
            format!(
                "writes {} files of {size} together in {target}, without names, and removes them",
                f.files
            )
        }
        Ownership::Created => format!("writes a file of {size} in {target}, without a name, and removes it"),
        Ownership::Borrowed => format!("reads {size} of {device}{target}, which is yours"),
        Ownership::Surrendered if !f.holds.is_empty() => format!(
            "OVERWRITES {size} of {device}{target}, as --destroy allows, which holds {}, as --wipe allows",
            f.holds.join(", ")
        ),
        Ownership::Surrendered => format!("OVERWRITES {size} of {device}{target}, as --destroy allows"),
    };
    if f.discarded() > 0 {
        line.push_str("; discards all of it first (purge)");
    }
    match f.precondition {
        Precondition::None => {}
        Precondition::Fill => line.push_str("; writes it once before it is measured (precondition=fill)"),
        Precondition::Full => {
            line.push_str("; writes it twice, sequentially, before it is measured (precondition=full)");
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use model::Value;

    use super::*;

    #[test]
    fn a_change_names_whose_setting_it_is() {
        let mut change = Change {
            name: "mtu".to_owned(),
            resource: None,
            peer: Some("b".to_owned()),
            towards: None,
            value: Value::from(9000_u64),
        };
        let levels = ["1500".to_owned(), "9000".to_owned()];
        let at_both =
            "changes mtu of the network interface towards b, at both ends: 1500, 9000; and puts it back";
        assert_eq!(changed_line(&change, &levels), at_both);
        change.resource = Some("eth0".to_owned());
        assert!(changed_line(&change, &levels).starts_with("changes mtu of eth0 on this machine: "));
        change = Change { name: "socket-buffer-max".to_owned(), resource: None, ..change };
        assert!(changed_line(&change, &levels).contains("of this machine and of b"));
    }

    #[test]
    fn a_device_is_named_as_one_with_what_is_lost() {
        let key =
            FixtureKey { device: true, ..FixtureKey::new("/dev/loop7", 256 << 20, Ownership::Surrendered) };
        let plain = "OVERWRITES 256 MiB of the block device /dev/loop7, as --destroy allows";
        assert_eq!(line(&key), plain);
        let holds = vec!["gpt".to_owned(), "ext4 on /dev/loop7p1".to_owned()];
        let held = FixtureKey { holds, ..key.clone() };
        assert_eq!(line(&held), format!("{plain}, which holds gpt, ext4 on /dev/loop7p1, as --wipe allows"));
        let read = FixtureKey { ownership: Ownership::Borrowed, ..key };
        assert_eq!(line(&read), "reads 256 MiB of the block device /dev/loop7, which is yours");
    }
}
