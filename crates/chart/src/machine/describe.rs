//! The picture in words: its title, its description for those who do not see
//! it, and the lines above it.

use std::fmt::Write as _;

use model::machine::{Machine, System};

use super::parts::vendor_name;
use super::share::View;
use super::tree::{Node, Tree};
use crate::format::{bytes_per_second, percent};
use crate::svg::clean;

/// Resources of a path that the description lists at most.
const MOST_RESOURCES: usize = 64;

/// What the picture is of, in a line.
pub(super) fn title(machine: &Machine, view: &View) -> String {
    let name = [heading(machine), name(machine)].into_iter().filter(|n| !n.is_empty()).collect::<Vec<_>>();
    let name = if name.first() == name.get(1) { name[..1].join("") } else { name.join(", ") };
    match view.case {
        Some(case) => format!("{name}: what {} passes, and how full it is", clean(&case.label)),
        None => format!("{name}: its parts and the links between them"),
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
pub(super) fn heading(machine: &Machine) -> String {
    let said = product(&machine.inventory.system).unwrap_or_else(|| name(machine));
    if said.is_empty() { "A machine without a name".to_owned() } else { said }
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
pub(super) fn subheading(machine: &Machine) -> String {
    let inventory = &machine.inventory;
    let mut parts = Vec::new();
    if heading(machine) != name(machine) {
        parts.push(name(machine));
    }
    if let Some(host) = inventory.system.virtualization.as_deref().map(clean).filter(|h| !h.is_empty()) {
        parts.push(format!("virtual machine ({host})"));
    }
    if let Some(container) = inventory.system.container.as_deref().map(clean).filter(|c| !c.is_empty()) {
        parts.push(format!("in {container}"));
    }
    parts.extend(inventory.os.as_deref().map(clean));
    if !inventory.kernel.is_empty() {
        parts.push(format!("Linux {}", clean(&inventory.kernel)));
    }
    parts.retain(|p| !p.is_empty());
    parts.join(", ")
}

/// The whole picture in sentences.
pub(super) fn description(machine: &Machine, tree: &Tree, view: &View) -> String {
    let mut text = format!("{}. {}.", heading(machine), subheading(machine));
    for node in tree.packages.iter().chain(&tree.across).chain(&tree.loose) {
        describe(&mut text, node, None);
    }
    path(&mut text, view);
    text
}

fn describe(text: &mut String, node: &Node, above: Option<&Node>) {
    let _ = write!(text, "\n{}", node.title());
    if let Some(above) = above {
        let link = node.link.as_ref().map(|l| l.label()).filter(|l| !l.is_empty());
        let said = node.link.iter().flat_map(|l| l.warnings.iter().chain(&l.notes));
        let notes = said.map(|n| format!(", {n}")).collect::<String>();
        let by = link.map(|l| format!(" by {l}{notes}")).unwrap_or_default();
        let _ = write!(text, " at {}{by}", above.title());
    }
    if let Some(out) = node.out.as_ref().map(|o| o.label()).filter(|o| !o.is_empty()) {
        let _ = write!(text, ", {out} to the network");
    }
    for line in &node.lines {
        let _ = write!(text, "; {line}");
    }
    for rung in &node.rungs {
        let words: Vec<&str> =
            [rung.text.as_str(), rung.mount.as_str()].into_iter().filter(|w| !w.is_empty()).collect();
        let _ = write!(text, "; on it {}", words.join(" "));
    }
    text.push('.');
    for below in node.memory.iter().map(|m| &**m).chain(&node.children) {
        describe(text, below, Some(node));
    }
}

/// The case's path in words, with each share and what it is a share of.
fn path(text: &mut String, view: &View) {
    let Some(case) = view.case else { return };
    let _ = write!(text, "\nThe path of {}:", clean(&case.label));
    let mut all: Vec<&str> = case.path.iter().map(|s| s.resource.as_str()).collect();
    for used in &case.utilization {
        if !all.contains(&used.resource.as_str()) && all.len() <= MOST_RESOURCES {
            all.push(&used.resource);
        }
    }
    let amplified = |resource: &str| {
        let step = case.path.iter().find(|s| s.resource == resource)?;
        (step.amplification.is_finite() && (step.amplification - 1.0).abs() >= 0.005)
            .then_some(step.amplification)
    };
    for (i, resource) in all.iter().take(MOST_RESOURCES).enumerate() {
        let _ = write!(text, "{} {}", if i > 0 { ";" } else { "" }, clean(resource));
        if let Some(times) = amplified(resource) {
            let _ = write!(text, " (× {times:.2})");
        }
        let Some(share) = view.share(resource) else { continue };
        let _ = write!(text, " {}", percent(share));
        let used = case.utilization.iter().find(|u| u.resource == *resource && u.fraction >= share);
        if let Some(used) = used.filter(|u| u.unit == model::Unit::BytesPerSecond) {
            let _ = write!(text, " of {}", bytes_per_second(used.limit));
        }
    }
    if all.len() > MOST_RESOURCES {
        let _ = write!(text, "; and {} more", all.len() - MOST_RESOURCES);
    }
    text.push('.');
}
