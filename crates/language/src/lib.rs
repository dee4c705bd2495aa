//! Words: every sentence that a page shows comes from a key and arguments,
//! through the table of a language. Numbers are written here too, so that a
//! chart, a table and a sentence say one figure in one way.
//!
//! A table is a folder of Fluent files (`words/en`, `words/ko`, `words/ja`).
//! English has every key of the page; what a finding says in English stands beside
//! its rule, so the tables of other languages hold those besides. Tests walk the keys:
//! none may be missing in a language, and none may need an argument that
//! English does not.

mod finding;
pub mod format;
mod function;
mod messages;
mod metric;
mod range;
mod resource;
mod words;

pub use finding::are_alike;
pub use metric::{english_metric_title, metric_title};
pub use resource::{resource_label, resource_name};
pub use words::{Argument, LANGUAGES, Language, Words, add};
