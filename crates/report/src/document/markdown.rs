//! A document as Markdown, for an issue or a wiki.

use super::Document;

/// The text.
#[must_use]
pub fn write(document: &Document) -> String {
    let _ = document;
    String::new()
}
