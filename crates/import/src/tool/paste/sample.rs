//! What is kept of lines that were not understood: enough to find them, and to read the heading above a result.

use model::tool_result::{LineRange, WrittenLine};

use crate::tool::block::ToolLine;
use crate::tool::secret::hide_in_line;

/// As many characters are kept of a line.
const CHARS_MAX: usize = 120;

/// So far is the last from the first at most, unless it is a title of Markdown: of what is longer it may be anything.
const APART_MAX: u64 = 8;

/// As many characters are kept of a line that somebody wrote.
const WRITTEN_CHARS_MAX: usize = 400;

/// So many such lines are kept of a text.
pub(super) const WRITTEN_MAX: usize = 2000;

/// A line of prose or of a table: what is written there may be held against the results.
pub(super) fn written(line: &ToolLine) -> WrittenLine {
    let text = hide_in_line(line.text.trim()).chars().take(WRITTEN_CHARS_MAX).collect();
    WrittenLine { line: line.number, text }
}

/// The beginning of a line.
pub(super) fn of(line: &ToolLine) -> String {
    hide_in_line(line.text.trim()).chars().take(CHARS_MAX).collect()
}

/// That of the last of these lines.
pub(super) fn of_last(lines: LineRange, last: &ToolLine) -> Option<String> {
    let apart = lines.last.checked_sub(lines.first).filter(|apart| *apart > 0)?;
    (apart <= APART_MAX || last.text.trim_start().starts_with('#')).then(|| of(last))
}

#[cfg(test)]
mod tests {
    /// The last lines that are kept of a text which ends with an output.
    fn last_of(text: &str) -> Vec<Option<String>> {
        let dd = "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 0.500000 s, 134 MB/s\n";
        let output = crate::tool::read("", format!("{text}{dd}").as_bytes()).unwrap();
        output.unread.into_iter().map(|unread| unread.last_text).collect()
    }

    #[test]
    fn the_heading_right_above_an_output_is_kept() {
        assert_eq!(
            last_of("Tests of a disk\n\ncache off: 140 MB/s\n"),
            [Some("cache off: 140 MB/s".to_owned())]
        );
        assert_eq!(last_of("cache off: 140 MB/s\n"), [None::<String>], "it is the first, too");
    }

    #[test]
    fn of_many_lines_only_a_title_is_kept() {
        let many = "Some words.\n".repeat(20);
        assert_eq!(last_of(&many), [None::<String>]);
        assert_eq!(last_of(&format!("{many}## Cache off\n")), [Some("## Cache off".to_owned())]);
    }
}
