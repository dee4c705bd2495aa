//! Lines that a terminal of 80 columns broke wherever these ended: commands, and rows of wider tables. A line is put
//! together again only where it is full, and nobody knows what follows.

use super::decoration::Sureness;
use super::{Extent, OpenBlock, OpenKind, Paste, ToolLine};

/// The columns of a terminal.
const COLUMNS: usize = 80;

/// A line that takes more rows of the terminal than these is none of a table.
const ROWS_MAX: usize = 8;

impl Paste<'_> {
    /// The next line of an open output, behind the part of it that came before. `None` where that was no part of it:
    /// then both were taken.
    pub(super) fn with_first_part(
        &mut self,
        open: &mut Option<OpenBlock>,
        line: ToolLine,
    ) -> Option<ToolLine> {
        let Some(first) = self.first_part.take() else { return Some(line) };
        let whole = joined(&first, &line);
        let is_rest = !line.is_blank() && self.sureness(&line) == Sureness::Unknown;
        let belongs =
            is_rest && open.as_mut().is_some_and(|open| self.extent(open, &whole) != Extent::EndsBefore);
        if belongs {
            return Some(whole);
        }
        if is_rest && open.is_some() && is_full(&whole) {
            self.first_part = Some(whole);
            self.open = open.take();
            return None;
        }
        if let Some(open) = open.take() {
            self.finish(open);
        }
        self.take(first);
        self.take(line);
        None
    }

    /// Whether a line that does not belong to an open output is the rest of its last one, or the first part of one.
    pub(super) fn is_part(&mut self, open: &mut OpenBlock, line: &ToolLine) -> bool {
        let OpenKind::Tool(reader) = open.kind else { return false };
        let is_any_full = is_full(line) || open.lines.last().is_some_and(is_full);
        if !is_any_full || line.is_blank() || self.sureness(line) != Sureness::Unknown {
            return false;
        }
        if is_full(line) {
            self.first_part = Some(line.clone());
            return true;
        }
        // Prose begins with a capital.
        let may_be_rest = !line.text.starts_with(|c: char| c.is_ascii_uppercase());
        let Some(last) = open.lines.pop_if(|last| may_be_rest && is_full(last)) else { return false };
        let whole = joined(&last, line);
        // Of the first line no reader says that it does not belong.
        let belongs = match open.lines.is_empty() {
            true => reader.begins_below(&whole, self.command.as_ref()).is_some(),
            false => self.extent(open, &whole) != Extent::EndsBefore,
        };
        open.lines.push(if belongs { whole } else { last });
        belongs
    }

    /// Whether a line is the rest of the command above it, which is then known as a whole.
    pub(super) fn is_rest_of_command(&mut self, line: &ToolLine) -> bool {
        let Some(first) = self.full_command.take() else { return false };
        let is_next = first.number.checked_add(1) == Some(line.number) && !line.is_blank();
        if !is_next || self.sureness(line) != Sureness::Unknown {
            return false;
        }
        let whole = joined(&first, line);
        let Some(command) = self.readers.command(&whole) else { return false };
        self.ran(command);
        self.keep_if_full(ToolLine { number: line.number, ..whole });
        true
    }

    /// Keeps the line of a command that may go on in the next.
    pub(super) fn keep_if_full(&mut self, line: ToolLine) {
        self.full_command = is_full(&line).then_some(line);
    }
}

/// Whether a line fills the rows of the terminal that it takes.
fn is_full(line: &ToolLine) -> bool {
    // Most lines are told by their bytes.
    if line.text.len() < COLUMNS || line.text.len() > COLUMNS * ROWS_MAX * 4 {
        return false;
    }
    let width = line.text.chars().count();
    width.is_multiple_of(COLUMNS) && width <= COLUMNS * ROWS_MAX
}

fn joined(first: &ToolLine, rest: &ToolLine) -> ToolLine {
    ToolLine { number: first.number, text: format!("{}{}", first.text, rest.text) }
}

#[cfg(test)]
mod tests {
    /// A text as a terminal shows it.
    fn broken(text: &str) -> String {
        let parts = |line: &str| {
            let letters: Vec<char> = line.chars().collect();
            letters.chunks(super::COLUMNS).map(|part| part.iter().collect::<String>()).collect::<Vec<_>>()
        };
        text.lines().flat_map(parts).map(|part| part + "\n").collect()
    }

    const IOSTAT: &str = "\
Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util
sda              1.00    100.00     0.00   0.00    1.00   100.00    2.00    200.00     0.00   0.00    1.00   100.00    0.01   5.00
sdb              3.00    300.00     0.00   0.00    1.00   100.00    4.00    400.00     0.00   0.00    1.00   100.00    0.01   7.50
";

    #[test]
    fn a_wide_table_is_read_as_if_it_was_not_broken() {
        let whole = crate::tool::read("", IOSTAT.as_bytes()).unwrap();
        let again = crate::tool::read("", broken(IOSTAT).as_bytes()).unwrap();
        assert_eq!((whole.results.len(), again.results.len()), (2, 2), "{again:?}");
        for (one, other) in whole.results.iter().zip(&again.results) {
            let values = |result: &model::tool_result::ToolResult| {
                result.whole.figures.iter().map(|figure| figure.printed.value).collect::<Vec<_>>()
            };
            assert_eq!(values(one), values(other));
        }
        assert!(again.unread.is_empty(), "{:?}", again.unread);
    }

    #[test]
    fn a_command_that_was_broken_has_all_its_words() {
        let command =
            format!("me@host:~$ dd if=/dev/zero of=/mnt/{} bs=1M count=64 oflag=direct\n", "x".repeat(40));
        let printed =
            "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 0.04 s, 1.7 GB/s\n";
        let output = crate::tool::read("", format!("{}{printed}", broken(&command)).as_bytes()).unwrap();
        let words = &output.results[0].command;
        assert_eq!((words.len(), words.last().map(String::as_str)), (6, Some("oflag=direct")), "{words:?}");
    }

    #[test]
    fn what_follows_a_table_is_its_own_however_wide() {
        let prose = "word ".repeat(16).trim_end().to_owned() + ".";
        assert_eq!(prose.chars().count(), super::COLUMNS);
        let output =
            crate::tool::read("", format!("{IOSTAT}{prose}\nand then\n{IOSTAT}").as_bytes()).unwrap();
        let lines: Vec<(u64, u64)> =
            output.unread.iter().map(|unread| (unread.lines.first, unread.lines.last)).collect();
        assert_eq!((output.results.len(), lines), (4, vec![(4, 5)]));
        let end = crate::tool::read("", format!("{IOSTAT}{prose}").as_bytes()).unwrap();
        assert_eq!((end.results.len(), end.unread.len()), (2, 1), "the text ends with it");
    }
}
