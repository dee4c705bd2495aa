//! From a run document to what people and programs read: data in, bytes out.
//! Nothing here prints.

mod breakdown;
mod change;
pub mod check;
pub mod doctor;
pub mod document;
pub mod export;
mod figure;
pub use figure::latency_map;
pub mod inventory;
pub mod label;
mod layers;
mod load;
pub mod page;
pub use language::format;
mod merged_findings;
pub mod plan;
pub mod reference;
pub mod terminal;
pub mod text;
pub mod trace;
mod traced;
mod view;
pub mod wear;

#[cfg(test)]
mod tests;

/// Values by their keys, in the order in which these first come.
fn grouped<K: PartialEq, V>(all: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in all {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}

/// The width that texts for terminals are made for, in columns.
pub const WIDTH: usize = 80;
