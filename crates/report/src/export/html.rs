//! The page.

use super::ExportError;
use crate::document::html;
use crate::page::{self, Subject};

/// The run as one self-contained page.
pub(super) fn write(subject: &Subject<'_>) -> Result<Vec<u8>, ExportError> {
    Ok(html::write(&page::document(subject)).into_bytes())
}

/// The comparison as one self-contained page.
pub(super) fn write_comparison(
    subject: &page::comparison::ComparisonSubject<'_>,
) -> Result<Vec<u8>, ExportError> {
    Ok(html::write(&page::comparison::document(subject)).into_bytes())
}
