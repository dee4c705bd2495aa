//! Lines of fio's text that a terminal of 80 columns or a mail program broke in two: of a header, and of the
//! status of a group, which are longer.

use super::text::is_known;
use crate::tool::block::ToolLine;

/// The columns of a terminal, which breaks a line wherever they end.
const COLUMNS: usize = 80;

/// A program that breaks lines at a space makes them no shorter where the next word is one of fio's.
const SHORTEST: usize = 55;

/// Whether a line is the rest of the one before it.
pub(super) fn goes_on(before: &str, text: &str) -> bool {
    if text.trim().is_empty() || is_known(text) {
        return false;
    }
    let width = before.chars().count();
    let is_open = before.ends_with(',') || before.matches('(').count() > before.matches(')').count();
    let is_at_space = !text.starts_with(' ') && (is_open || text.starts_with('('));
    width == COLUMNS || is_at_space && (SHORTEST..COLUMNS).contains(&width)
}

/// The lines, each with its rest. It keeps the number of its beginning.
pub(super) fn joined(lines: &[ToolLine]) -> Vec<ToolLine> {
    let mut all: Vec<ToolLine> = Vec::with_capacity(lines.len());
    let mut before = "";
    for line in lines {
        match all.last_mut().filter(|_| goes_on(before, &line.text)) {
            Some(last) => {
                // A space at the end of a line is gone already.
                if before.chars().count() < COLUMNS {
                    last.text.push(' ');
                }
                last.text.push_str(&line.text);
            }
            None => all.push(line.clone()),
        }
        before = &line.text;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "rr: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1";

    #[test]
    fn what_was_broken_is_one_line_again() {
        let joined_text = |text: &str| -> Vec<String> {
            joined(&super::super::lines(text)).into_iter().map(|line| line.text).collect()
        };
        let (start, rest) = HEADER.split_at(COLUMNS);
        assert_eq!(joined_text(&format!("{start}\n{rest}\nfio-3.33\n")), [HEADER, "fio-3.33"]);
        let by_mail = HEADER.replace(", ioengine", ",\nioengine");
        assert_eq!(joined_text(&by_mail), [HEADER]);
    }

    #[test]
    fn lines_that_are_whole_stay_so() {
        let status =
            "   READ: bw=5MiB/s (5MB/s), 5MiB/s-5MiB/s (5MB/s-5MB/s), io=10MiB (10MB), run=2000-2000msec";
        for (before, text) in [
            (
                "     |  1.00th=[   46],  5.00th=[   49], 10.00th=[   51], 20.00th=[   55],",
                "     | 30.00th=[   57]",
            ),
            (status, "So much for that disk, which is slow."),
            (HEADER, "..."),
            ("fio-3.33", "Starting 1 process"),
        ] {
            assert!(!goes_on(before, text), "{text}");
        }
    }
}
