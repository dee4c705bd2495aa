//! A fleet without the names of its machines, for pages that are shown to others.

use model::Value;

use super::{Fleet, TiedWhat};

impl Fleet {
    /// The same with `machine 1` and so on in place of the names of machines, wherever these stand: in reasons, facts
    /// and labels, too. Names of runs are left out. Gives the names with what stands for them.
    pub fn mask(&mut self) -> Vec<(String, String)> {
        let mut names: Vec<(String, String)> = Vec::new();
        for (place, machine) in self.machines.iter_mut().enumerate() {
            let mask = format!("machine {}", place + 1);
            names.push((std::mem::replace(&mut machine.name, mask.clone()), mask));
            machine.run.clear();
        }
        // A name may be the beginning of another.
        names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        for figure in &mut self.figures {
            for missing in figure.missing.iter_mut().filter_map(|missing| missing.reason.as_mut()) {
                *missing = masked(missing, &names);
            }
            let loads = figure.case.loads.iter_mut().flat_map(|load| &mut load.parameters);
            for part in loads.chain(&mut figure.case.settings) {
                mask_value(&mut part.value, &names);
            }
        }
        let ties = self.splits.iter_mut().flat_map(|split| &mut split.ties);
        for fact in ties.flat_map(|tie| &mut tie.facts) {
            if let TiedWhat::Has { value, .. } = &mut fact.what {
                *value = masked(value, &names);
            }
        }
        names
    }
}

/// A text with masks in place of names.
fn masked(text: &str, names: &[(String, String)]) -> String {
    let mut text = text.to_owned();
    for (name, mask) in names.iter().filter(|(name, _)| !name.is_empty()) {
        if text.contains(name.as_str()) {
            text = text.replace(name.as_str(), mask);
        }
    }
    text
}

fn mask_value(value: &mut Value, names: &[(String, String)]) {
    match value {
        Value::Text(text) => *text = masked(text, names),
        Value::List(all) => all.iter_mut().for_each(|one| mask_value(one, names)),
        Value::Bool(_) | Value::Integer(_) | Value::Number(_) => {}
    }
}
