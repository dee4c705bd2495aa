//! From a run document to what people and programs read: data in, bytes out.
//! Nothing here prints.

pub mod doctor;
pub mod document;
pub mod export;
mod figure;
pub mod inventory;
pub mod label;
mod load;
pub mod page;
mod part;
pub use language::format;
pub mod plan;
pub mod reference;
mod shared;
pub mod terminal;
pub mod text;
mod view;

#[cfg(test)]
mod tests;

/// The width that texts for terminals are made for, in columns.
pub const WIDTH: usize = 80;
