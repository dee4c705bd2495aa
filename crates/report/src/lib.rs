//! From a run document to what people and programs read: data in, bytes out.
//! Nothing here prints.

mod breakdown;
pub mod doctor;
pub mod document;
pub mod export;
mod figure;
pub mod inventory;
pub mod label;
mod load;
pub mod page;
pub use language::format;
mod merged_findings;
pub mod plan;
pub mod reference;
pub mod terminal;
pub mod text;
mod view;

#[cfg(test)]
mod tests;

/// The width that texts for terminals are made for, in columns.
pub const WIDTH: usize = 80;
