//! A document as one self-contained HTML page.

use super::Document;

/// The page.
#[must_use]
pub fn write(document: &Document) -> String {
    let _ = document;
    String::new()
}
