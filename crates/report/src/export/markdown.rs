//! The page as Markdown.

use super::ExportError;
use crate::document::markdown;
use crate::page::{self, Subject};

/// The run as Markdown.
pub(super) fn write(subject: &Subject<'_>) -> Result<Vec<u8>, ExportError> {
    Ok(markdown::write(&page::document(subject)).into_bytes())
}

/// The comparison as Markdown.
pub(super) fn write_comparison(
    subject: &page::comparison::ComparisonSubject<'_>,
) -> Result<Vec<u8>, ExportError> {
    Ok(markdown::write(&page::comparison::document(subject)).into_bytes())
}
