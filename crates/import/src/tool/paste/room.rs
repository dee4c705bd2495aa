//! How much memory what is kept of a text takes.

use model::tool_result::ToolResult;

use crate::tool::block::ToolLine;

/// A line that is kept takes so many bytes, however short it is.
pub(super) const LINE_BYTES_MIN: usize = size_of::<ToolLine>();

/// The bytes that a line takes where it is kept.
pub(super) fn bytes_of(line: &ToolLine) -> usize {
    line.text.len().max(LINE_BYTES_MIN)
}

/// How many figures a result has, and parts without any, and ranges of lines that were not understood.
pub(super) fn room_of(result: &ToolResult) -> usize {
    let empty_parts = result.parts.iter().filter(|part| part.measured.figures.is_empty()).count();
    result.figure_count().saturating_add(empty_parts).saturating_add(result.unread.len())
}
