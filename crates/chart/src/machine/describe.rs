//! The picture in words: its title, its description for those who do not see
//! it, and the lines above it.

use language::{Words, format};
use model::Resource;
use model::machine::{Machine, System};
use model::run::CaseResult;

use super::parts::vendor_name;
use super::share::{CaseView, DrawnCase};
use super::tree::{Node, Tree};
use super::wording;
use crate::svg::{clean, join};

/// Resources of a path that the description lists at most.
const MOST_RESOURCES: usize = 64;

/// What the picture is of, in a line.
pub(super) fn title(machine: &Machine, view: &CaseView) -> String {
    let (heading, name) = (heading(machine, view.words), name(machine));
    let name = if heading == name { name } else { join([heading, name], ", ") };
    match &view.case {
        Some(case) => {
            wording::fill(view.words, "title-of-case", &[("name", &name), ("case", &clean(&case.name))])
        }
        None => wording::fill(view.words, "title", &[("name", &name)]),
    }
}

/// What people know the machine by. A recording's masked name, all `x`, is none;
/// nor is the name that every machine has which measures itself.
fn name(machine: &Machine) -> String {
    let all = [machine.hostname.as_str(), machine.id.as_str()];
    let is_name = |n: &String| !n.chars().all(|c| c == 'x') && n != "local";
    all.into_iter().map(clean).find(is_name).unwrap_or_default()
}

/// The line above the picture: what it was bought as, or what it calls itself.
pub(super) fn heading(machine: &Machine, words: &Words) -> String {
    let said = product(&machine.inventory.system).unwrap_or_else(|| name(machine));
    if said.is_empty() { wording::say(words, "nameless") } else { said }
}

fn product(system: &System) -> Option<String> {
    let said = |text: &Option<String>| text.as_deref().map(clean).filter(|t| !t.is_empty() && !is_filler(t));
    let product = said(&system.product).or_else(|| said(&system.board))?;
    Some(match said(&system.vendor).map(|v| vendor_name(&v)).filter(|v| !product.starts_with(v.as_str())) {
        Some(vendor) => format!("{vendor} {product}"),
        None => product,
    })
}

/// What boards say whose maker filled in nothing.
fn is_filler(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["to be filled", "system product name", "default string", "system manufacturer", "o.e.m."]
        .iter()
        .any(|filler| text.contains(filler))
}

/// The quiet line below the heading: name, guest of what, system.
pub(super) fn subheading(machine: &Machine, words: &Words) -> String {
    let inventory = &machine.inventory;
    let mut parts = Vec::new();
    if heading(machine, words) != name(machine) {
        parts.push(name(machine));
    }
    if let Some(host) = inventory.system.virtualization.as_deref().map(clean).filter(|h| !h.is_empty()) {
        parts.push(wording::fill(words, "virtual-machine", &[("host", &host)]));
    }
    if let Some(container) = inventory.system.container.as_deref().map(clean).filter(|c| !c.is_empty()) {
        parts.push(wording::fill(words, "in-container", &[("container", &container)]));
    }
    parts.extend(inventory.os.as_deref().map(clean));
    if !inventory.kernel.is_empty() {
        parts.push(format!("Linux {}", clean(&inventory.kernel)));
    }
    wording::list(words, parts)
}

pub(super) fn description(machine: &Machine, tree: &Tree, view: &CaseView) -> String {
    let words = view.words;
    let end = |text: &str| wording::fill(words, "sentence", &[("text", text)]);
    let (heading, about) = (heading(machine, words), subheading(machine, words));
    let mut lines = vec![format!("{} {}", end(&heading), end(&about))];
    for node in tree.packages.iter().chain(&tree.across).chain(&tree.loose) {
        describe(&mut lines, node, None, words);
    }
    lines.extend(path(view));
    lines.join("\n")
}

/// A card, where it is and what stands on it, and then all below it.
fn describe(lines: &mut Vec<String>, node: &Node, above: Option<&Node>, words: &Words) {
    let mut card = node.title(words);
    if let Some(above) = above {
        let place = above.title(words);
        let link = node.link.as_ref().map(|l| (l, l.label(words))).filter(|(_, label)| !label.is_empty());
        card = match link {
            Some((link, label)) => {
                let said = link.warnings.iter().chain(&link.notes).map(String::as_str);
                let by = wording::list(words, std::iter::once(label.as_str()).chain(said));
                wording::fill(words, "said-at-by", &[("card", &card), ("above", &place), ("link", &by)])
            }
            None => wording::fill(words, "said-at", &[("card", &card), ("above", &place)]),
        };
    }
    if let Some(out) = node.out.as_ref().map(|o| o.label(words)).filter(|o| !o.is_empty()) {
        card = wording::list(words, [card, wording::fill(words, "said-out", &[("link", &out)])]);
    }
    let rungs = node.rungs.iter().map(|rung| match rung.mount.is_empty() {
        true => wording::fill(words, "said-on", &[("what", &rung.text)]),
        false => wording::fill(words, "said-on-mounted", &[("what", &rung.text), ("mount", &rung.mount)]),
    });
    let facts: Vec<String> = node.lines.iter().cloned().chain(rungs).collect();
    lines.push(sentence(words, std::iter::once(card).chain(facts)));
    for below in node.memory.iter().map(|m| &**m).chain(&node.children) {
        describe(lines, below, Some(node), words);
    }
}

/// Facts as one sentence, each set off from the next.
fn sentence(words: &Words, facts: impl IntoIterator<Item = String>) -> String {
    let joined = facts
        .into_iter()
        .reduce(|all, next| wording::fill(words, "said-more", &[("first", &all), ("next", &next)]));
    wording::fill(words, "sentence", &[("text", &joined.unwrap_or_default())])
}

/// The case's path in words, with each share and what it is a share of.
fn path(view: &CaseView) -> Option<String> {
    let (DrawnCase { case, name }, words) = (view.case.as_ref()?, view.words);
    let mut all: Vec<&Resource> = case.path.iter().map(|s| &s.resource).collect();
    for used in &case.utilization {
        if !all.contains(&&used.resource) && all.len() <= MOST_RESOURCES {
            all.push(&used.resource);
        }
    }
    let mut steps: Vec<String> = all.iter().take(MOST_RESOURCES).map(|r| step(case, r, view)).collect();
    if all.len() > MOST_RESOURCES {
        steps.push(wording::counted(words, "more", all.len() - MOST_RESOURCES));
    }
    let mut whole = wording::fill(words, "path-of", &[("case", &clean(name))]);
    if let Some(first) = steps.first_mut() {
        *first = wording::named(words, &whole, first);
        whole = String::new();
    }
    Some(sentence(words, Some(whole).filter(|w| !w.is_empty()).into_iter().chain(steps)))
}

/// One resource of the path: `pci:0000:02:00.0 52 % of 800 MB/s`.
fn step(case: &CaseResult, resource: &Resource, view: &CaseView) -> String {
    let passed = case.path.iter().find(|s| s.resource == *resource).map(|s| s.amplification);
    let times = passed.filter(|times| times.is_finite() && (times - 1.0).abs() >= 0.005);
    let mut text = clean(resource.as_str());
    if let Some(times) = times {
        text.push_str(&format!(" (× {})", format::fixed(times, 2, "")));
    }
    let Some(share) = view.share(resource) else { return text };
    let used = case.utilization.iter().find(|u| u.resource == *resource && u.fraction >= share);
    let share = match used.filter(|u| u.unit == model::Unit::BytesPerSecond) {
        Some(used) => {
            let limit = format::Rates::of_resource(resource).rough(used.limit, used.unit);
            let filled = [("share", &*format::rough_percent(share)), ("limit", &*limit)];
            wording::fill(view.words, "share-of", &filled)
        }
        None => format::rough_percent(share),
    };
    format!("{text} {share}")
}
