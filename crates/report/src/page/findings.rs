//! The findings, in groups by what they are about, the gravest first.

use model::finding::Evidence;
use model::machine::{CheckTime, ConditionCheck};
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, Severity, Value};

use super::{View, promises};
use crate::document::{Block, Notice, Rank, Section, Text};
use crate::merged_findings::MergedFinding;

/// At most so many findings of one group are shown, the most severe first.
const TOLD: usize = 40;
/// At most so many verdicts are shown in full beside the answer.
const VERDICTS: usize = 2;
/// So many cases of one finding are named.
const NAMED: usize = 12;
/// Commands that advice begins with.
const COMMANDS: &[&str] = &["headroom", "losetup"];

pub(super) fn write(view: &View<'_>) -> Section {
    let mut section = Section::new("findings", view.say("findings-title"));
    let mut groups: Vec<(Severity, Section)> = GROUPS.iter().filter_map(|g| group(view, g)).collect();
    groups.extend(promises::section(view));
    groups.extend(conditions(view));
    // Stable: of the same gravity, in the order above.
    groups.sort_by_key(|(severity, _)| std::cmp::Reverse(*severity));
    section.subsections = groups.into_iter().map(|(_, section)| section).collect();
    if section.is_empty() && view.trials(model::Status::Ok) > 0 {
        section.push(Block::Paragraph(view.say("findings-none").into()));
    }
    section
}

/// Findings of one kind: the kind, the section's id, the key of its title.
type Kind = (FindingKind, &'static str, &'static str);

const GROUPS: &[Kind] = &[
    (FindingKind::Bottleneck, "bottlenecks", "findings-bottlenecks"),
    (FindingKind::Proof, "proofs", "findings-proofs"),
    (FindingKind::Deviation, "other-promises", "findings-promises"),
    (FindingKind::Validity, "validity", "findings-validity"),
    (FindingKind::Condition, "run-conditions", "findings-conditions"),
];

fn of_kind<'a, 'b>(
    view: &'b View<'a>,
    kind: FindingKind,
) -> impl Iterator<Item = (usize, &'b MergedFinding<'a>)> {
    // A promise has its row in a table.
    let is = move |(_, s): &(usize, &MergedFinding<'a>)| {
        let is = |f: &&Finding| f.kind == kind && !promises::is_row(f) && !f.is_general_note();
        s.findings.first().is_some_and(is)
    };
    view.findings.iter().enumerate().filter(is)
}

/// Whether a terminal has a finding before all else, beside the figures, or only
/// where details are asked for.
fn rank(kind: FindingKind, severity: Severity, is_told: bool) -> Rank {
    match (kind, severity) {
        (FindingKind::Bottleneck | FindingKind::Proof, Severity::Warning | Severity::Error) => Rank::Verdict,
        (_, Severity::Warning | Severity::Error) => Rank::Caution,
        _ if !is_told => Rank::Detail,
        (FindingKind::Bottleneck | FindingKind::Proof, Severity::Note) => Rank::Verdict,
        (_, Severity::Note) => Rank::Caution,
    }
}

fn group(view: &View<'_>, &(kind, id, title): &Kind) -> Option<(Severity, Section)> {
    let mut section = Section::new(id, view.say(title));
    let all: Vec<(usize, &MergedFinding<'_>)> = of_kind(view, kind).collect();
    let gravest = all.first()?.1.findings.first()?.severity;
    for (index, shared) in all.iter().take(TOLD) {
        if let Some(notice) = notice(view, *index, shared) {
            // The reason for a missing figure belongs beside the figures.
            let has_none = |case: &&CaseResult| case.loads.main.estimates.is_empty();
            let is_told = match kind {
                FindingKind::Bottleneck | FindingKind::Proof => all.len() <= VERDICTS,
                _ => !shared.cases.is_empty() && shared.cases.iter().all(has_none),
            };
            section.put(rank(kind, notice.severity, is_told), Block::Notice(notice));
        }
    }
    if all.len() > TOLD {
        section.push(Block::Paragraph(view.count("findings-more", all.len() - TOLD).into()));
    }
    Some((gravest, section))
}

/// The name of a finding in links.
fn id(index: usize) -> String {
    format!("finding-{}", index + 1)
}

/// The finding that casts most doubt on a case: its name in links.
pub(super) fn first_of(view: &View<'_>, case: &CaseResult) -> String {
    let told: Vec<_> = of_kind(view, FindingKind::Validity).take(TOLD).collect();
    let has = |s: &MergedFinding<'_>| s.cases.iter().any(|c| std::ptr::eq(*c, case));
    told.into_iter().find(|(_, s)| has(s)).map_or_else(|| "validity".to_owned(), |(index, _)| id(index))
}

/// The gravest doubts, at least warnings: name in links, and finding.
pub(super) fn doubts<'a, 'b>(view: &'b View<'a>) -> impl Iterator<Item = (String, &'b MergedFinding<'a>)> {
    grave_doubts(view).map(|(index, shared)| (id(index), shared))
}

fn grave_doubts<'a, 'b>(view: &'b View<'a>) -> impl Iterator<Item = (usize, &'b MergedFinding<'a>)> {
    let grave =
        |(_, s): &(usize, &MergedFinding<'_>)| s.findings.iter().any(|f| f.severity >= Severity::Warning);
    of_kind(view, FindingKind::Validity).filter(grave)
}

/// The same as notices, without names in links.
pub(super) fn doubt_notices(view: &View<'_>) -> Vec<Notice> {
    let told = grave_doubts(view).take(TOLD);
    told.filter_map(|(index, s)| Some(Notice { id: None, ..notice(view, index, s)? })).collect()
}

fn notice(view: &View<'_>, index: usize, shared: &MergedFinding<'_>) -> Option<Notice> {
    let first = shared.findings.first()?;
    let mut details = Vec::new();
    if shared.cases.len() > 1 {
        details.push(labelled(view, "findings-cases", &named(view, &shared.cases)));
    }
    let all = |of: fn(&Finding) -> &Vec<Evidence>| shared.findings.iter().flat_map(move |f| of(f));
    let evidence = view.words.evidence_of(all(|f| &f.evidence));
    let ruled_out = view.words.evidence_of(all(|f| &f.ruled_out));
    for (key, mut merged) in [("findings-evidence", evidence), ("findings-ruled-out", ruled_out)] {
        let more = merged.len().saturating_sub(NAMED);
        merged.truncate(NAMED);
        if more > 0 {
            merged.push(view.count("and-more", more));
        }
        if !merged.is_empty() {
            details.push(labelled(view, key, &merged.join("; ")));
        }
    }
    let advice: Vec<String> = view.words.advice_of(&shared.findings).iter().map(|t| sentence(t)).collect();
    let advice = (!advice.is_empty()).then(|| Text::ticked(&advice.join(" ")));
    Some(Notice {
        id: Some(id(index)),
        severity: first.severity,
        kind: kind(view, first),
        about: about(view, shared),
        cases: Some(shared.cases.len()).filter(|n| *n > 0).map(|n| view.count("cases", n)),
        text: Text::ticked(&text(view, shared)),
        details,
        advice,
    })
}

fn labelled(view: &View<'_>, key: &str, text: &str) -> Text {
    Text::default().strong(view.say(key)).plain(format!(" {text}"))
}

/// How grave it is, in a word; what holds a result back is no fault.
pub(super) fn kind(view: &View<'_>, finding: &Finding) -> String {
    view.say(match (finding.kind, finding.severity) {
        (FindingKind::Bottleneck, Severity::Note) => "kind-bottleneck",
        (FindingKind::Proof, Severity::Note) => "kind-proof",
        (FindingKind::Deviation, Severity::Note) => "kind-promise",
        (_, severity) => severity_key(severity),
    })
}

pub(crate) fn severity_key(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "severity-error",
        Severity::Warning => "severity-warning",
        Severity::Note => "severity-note",
    }
}

/// Whom it is about.
fn about(view: &View<'_>, shared: &MergedFinding<'_>) -> String {
    match &shared.cases[..] {
        [] => view.say("findings-whole-run"),
        [one] => view.name(one),
        all if all.len() == view.cases().count() => view.count("findings-all", all.len()),
        [first, ..] => view.tell(
            "findings-several",
            &[("cases", &view.count("cases", shared.cases.len())), ("first", &view.name(first))],
        ),
    }
}

/// The sentence; of a verdict that several cases share, with its numbers from
/// the least to the most.
pub(super) fn text(view: &View<'_>, shared: &MergedFinding<'_>) -> String {
    let sentences: Vec<String> = view.words.findings(&shared.findings).iter().map(|t| sentence(t)).collect();
    sentences.join(" ")
}

/// A verdict in a few words.
pub(super) fn verdict(view: &View<'_>, finding: &Finding) -> String {
    let sentence = clause(&sentence(&view.words.finding(finding)));
    let key = format!("verdict-{}", finding.code);
    let texts = [("resource", Value::Text(resource(view, finding))), ("several", is_about_several(finding))];
    let said = view.words.tell(&key, &texts);
    if said == key { sentence } else { said }
}

/// What a finding is about, with the machine where that is the other end; empty where nothing is named.
pub(super) fn resource(view: &View<'_>, finding: &Finding) -> String {
    let machine = match finding.args.get("machine") {
        Some(Value::Text(name)) if finding.args.get("end") == Some(&Value::from("far")) => {
            Some(name.as_str())
        }
        _ => None,
    };
    finding.resource.as_ref().map(|resource| view.resource_of(resource, machine)).unwrap_or_default()
}

/// Whether a finding is about several things, with which English verbs agree.
pub(super) fn is_about_several(finding: &Finding) -> Value {
    Value::Bool(finding.resource.as_ref().is_some_and(Resource::is_several))
}

/// What stands before the first colon or semicolon, or before what is a second
/// sentence in Korean or Japanese. A name before a colon is none: it says nothing
/// of what is wrong.
pub(super) fn clause(text: &str) -> String {
    let is_name = |before: &str| before.is_ascii() && !before.contains(' ');
    let name = text.find(": ").filter(|at| is_name(&text[..*at])).map_or(0, |at| at + 2);
    let end = [": ", "; ", ". ", "\u{3002}"].iter().filter_map(|mark| text[name..].find(mark)).min();
    text[..end.map_or(text.len(), |end| name + end)].trim_end_matches(['.', '\u{3002}']).to_owned()
}

/// With a capital at its start and a point at its end, as a sentence has where
/// it stands alone. One that begins with a command begins as that is written.
pub(crate) fn sentence(text: &str) -> String {
    let mut letters = text.trim().chars();
    let Some(first) = letters.next() else { return String::new() };
    // What begins with a name, `nic:eth0` or `precondition=full`, begins as that is written.
    let word = text.split_whitespace().next().unwrap_or_default();
    let is_name =
        COMMANDS.contains(&word) || word.trim_end_matches([':', ',', '.']).contains([':', '=', '_', '.']);
    let point = match text.trim_end().chars().last() {
        Some('.' | '!' | '?' | '\u{3002}' | ':') => "",
        // Every Japanese sentence has Hiragana, though it may end with a unit or
        // a bracket; Korean has the point of Europe.
        Some(_) if text.contains(|c| matches!(c, '\u{3040}'..='\u{309f}')) => "\u{3002}",
        _ => ".",
    };
    let first = if is_name { first.to_string() } else { first.to_uppercase().to_string() };
    format!("{first}{}{point}", letters.as_str())
}

/// Cases by name, neighbours of one workload together; of many, the first.
pub(super) fn named(view: &View<'_>, cases: &[&CaseResult]) -> String {
    let told = &cases[..cases.len().min(NAMED)];
    let one = |same: &[&CaseResult]| match same {
        [case] => view.name(case),
        _ => {
            let own: Vec<String> = same.iter().map(|c| view.short(c)).collect();
            format!("{}: {}", view.called(same[0].loads.main.workload.as_str()), own.join("; "))
        }
    };
    let mut names: Vec<String> =
        told.chunk_by(|a, b| a.loads.main.workload == b.loads.main.workload).map(one).collect();
    if cases.len() > NAMED {
        names.push(view.count("and-more", cases.len() - NAMED));
    }
    names.join("; ")
}

/// A condition with where and when it was there.
pub(super) struct Condition<'a> {
    pub(super) finding: &'a Finding,
    /// The machine, where that is not the one that drives.
    pub(super) machine: Option<&'a str>,
    before: bool,
    after: bool,
}

/// The conditions of all machines, the gravest first, each once.
pub(super) fn all_conditions<'a>(view: &View<'a>) -> Vec<Condition<'a>> {
    let mut all: Vec<Condition<'a>> = Vec::new();
    for (index, machine) in view.run.machines.iter().enumerate() {
        let name = (index > 0).then_some(machine.id.as_str());
        for look in &machine.looks {
            look.findings.iter().for_each(|finding| add(&mut all, name, look, finding));
        }
    }
    all.sort_by_key(|c| std::cmp::Reverse(c.finding.severity));
    all
}

fn add<'a>(
    all: &mut Vec<Condition<'a>>,
    machine: Option<&'a str>,
    look: &ConditionCheck,
    finding: &'a Finding,
) {
    let (before, after) = (look.moment == CheckTime::Before, look.moment == CheckTime::After);
    let same = |c: &&mut Condition<'_>| {
        let f = c.finding;
        (c.machine, &f.code, &f.resource) == (machine, &finding.code, &finding.resource)
            && (f.resource.is_some() || f.text == finding.text)
    };
    match all.iter_mut().find(same) {
        Some(known) => {
            known.before |= before;
            known.after |= after;
        }
        None => all.push(Condition { finding, machine, before, after }),
    }
}

/// What every run of this kind has: notes about cases, then about the machine.
pub(super) fn general_notices(view: &View<'_>) -> Vec<Notice> {
    let is_general =
        |(_, s): &(usize, &MergedFinding<'_>)| s.findings.first().is_some_and(|f| f.is_general_note());
    let of_cases = view.findings.iter().enumerate().filter(is_general);
    let of_cases = of_cases.filter_map(|(index, shared)| notice(view, index, shared));
    let conditions = all_conditions(view);
    let of_machine = conditions.iter().enumerate().filter(|(_, c)| c.finding.is_general_note());
    let of_machine = of_machine.map(|(index, c)| condition_notice(view, index, c));
    of_cases.chain(of_machine).take(TOLD).collect()
}

fn conditions(view: &View<'_>) -> Option<(Severity, Section)> {
    let all = all_conditions(view);
    let all: Vec<(usize, &Condition<'_>)> =
        all.iter().enumerate().filter(|(_, c)| !c.finding.is_general_note()).collect();
    let gravest = all.first()?.1.finding.severity;
    let mut section = Section::new("conditions", view.say("findings-conditions"));
    for (index, condition) in all.iter().take(TOLD) {
        let rank = rank(condition.finding.kind, condition.finding.severity, false);
        section.put(rank, Block::Notice(condition_notice(view, *index, condition)));
    }
    if all.len() > TOLD {
        section.push(Block::Paragraph(view.count("findings-more", all.len() - TOLD).into()));
    }
    Some((gravest, section))
}

fn condition_notice(view: &View<'_>, index: usize, condition: &Condition<'_>) -> Notice {
    let finding = condition.finding;
    let when = match (condition.before, condition.after) {
        (true, true) => "condition-both",
        (true, false) => "condition-before",
        _ => "condition-after",
    };
    let machine = condition.machine.map(|name| format!("{name}, ")).unwrap_or_default();
    let resource = finding.resource.as_ref().map(|r| format!("{}, ", view.resource(r))).unwrap_or_default();
    Notice {
        id: Some(format!("condition-{}", index + 1)),
        severity: finding.severity,
        kind: kind(view, finding),
        about: format!("{machine}{resource}{}", view.say(when)),
        cases: None,
        text: Text::ticked(&sentence(&view.words.finding(finding))),
        details: Vec::new(),
        advice: view.words.advice(finding).map(|a| Text::ticked(&sentence(&a))),
    }
}

#[cfg(test)]
mod tests {
    use language::LANGUAGES;

    use super::*;

    #[test]
    fn conditions_are_said_in_all_languages_from_code_and_arguments() {
        let seen = |code: &str| {
            let finding = Finding::new(FindingKind::Condition, code, Severity::Note).arg("bytes", 1u64 << 30);
            finding.worded("as its document says it")
        };
        for language in LANGUAGES {
            let words = crate::view::words(*language);
            assert!(words.finding(&seen("dirty-pages")).contains("1 GiB"), "{language:?}");
            assert_eq!(words.finding(&seen("of-a-later-version")), "as its document says it");
        }
    }

    #[test]
    fn the_first_clause_says_in_every_language_what_is_wrong() {
        let made = |code: &str| Finding::new(FindingKind::Validity, code, Severity::Error);
        let file_system = |how: &str| made("no-device-below").arg("filesystem", "/x (tmpfs)").arg("how", how);
        let late = made("rate-not-kept").arg("workload", "disk").arg("asked", 1000.0).arg("share", 0.5);
        let lost = made("durability-off").arg("name", "fsync=off").arg("loss", "power");
        let found = [file_system("memory"), file_system("elsewhere"), file_system("unknown"), late, lost];
        for language in LANGUAGES {
            let words = crate::view::words(*language);
            for finding in &found {
                let first = clause(&words.finding(finding));
                assert!(
                    !["/x (tmpfs)", "disk", "fsync=off"].contains(&first.as_str()),
                    "{language:?}: {first}"
                );
            }
        }
    }

    #[test]
    fn a_sentence_begins_with_a_capital_and_ends_with_the_point_of_its_language() {
        for (text, whole) in [
            ("one core is full", "One core is full."),
            ("nic:eth0 is full", "nic:eth0 is full."),
            ("precondition=full writes it first", "precondition=full writes it first."),
            ("fio: it stopped", "Fio: it stopped."),
            ("losetup --direct-io=on", "losetup --direct-io=on."),
            ("headroom run disk shows it", "headroom run disk shows it."),
            ("more --threads use more cores", "More --threads use more cores."),
            ("속도가 안정되지 않았습니다(MSER-5)", "속도가 안정되지 않았습니다(MSER-5)."),
            ("速度が安定しませんでした（MSER-5）", "速度が安定しませんでした（MSER-5）。"),
            ("使用しています: 12.5 MB/s", "使用しています: 12.5 MB/s。"),
            ("終わりました。", "終わりました。"),
        ] {
            assert_eq!(sentence(text), whole);
        }
    }
}
