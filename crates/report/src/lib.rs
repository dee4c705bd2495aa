//! From a run document to what people and programs read: data in, bytes out.
//! Nothing here prints.

pub mod document;
pub mod export;
mod figure;
pub mod label;
mod load;
pub mod page;
pub use language::format;
pub mod plan;
pub mod reference;
pub mod section;
pub mod summary;
mod table;
pub mod terminal;
pub mod text;

#[cfg(test)]
mod tests;

/// The width that texts for terminals are made for, in columns.
pub const WIDTH: usize = 80;
