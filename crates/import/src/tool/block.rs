//! Lines of a text, and those of them that are one output.

use model::tool_result::{LineRange, ToolResult};

use super::command_line::{CommandLine, SHELLS, program};

/// One line as a terminal would have shown it at the end: without colours, and of what carriage
/// returns overwrote only the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolLine {
    /// Its number, from 1.
    pub number: u64,
    /// Its text, without white space at its end.
    pub text: String,
}

impl ToolLine {
    /// Whether it has nothing but white space.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.text.trim_start().is_empty()
    }

    /// Whether it begins with white space.
    #[must_use]
    pub fn is_indented(&self) -> bool {
        self.text.starts_with([' ', '\t'])
    }
}

/// The lines of one output. There is at least one.
#[derive(Clone, Copy, Debug)]
pub struct ToolBlock<'a> {
    /// The lines.
    pub lines: &'a [ToolLine],
    /// The command line above them.
    pub command: Option<&'a CommandLine>,
}

impl ToolBlock<'_> {
    /// Where it stands.
    #[must_use]
    pub fn range(&self) -> LineRange {
        let number = |line: Option<&ToolLine>| line.map_or(0, |line| line.number);
        LineRange { first: number(self.lines.first()), last: number(self.lines.last()) }
    }

    /// It without the blank lines at its end.
    #[must_use]
    pub fn without_blank_end(&self) -> Self {
        let end = self.lines.iter().rposition(|line| !line.is_blank()).map_or(0, |last| last + 1);
        Self { lines: self.lines.get(..end).unwrap_or_default(), ..*self }
    }

    /// All of it as one text: for JSON.
    #[must_use]
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// A result of `tool` that stands here; the words of its command are those from one of
    /// `programs` on, where the command line has one.
    #[must_use]
    pub fn result(&self, tool: &str, programs: &[&str]) -> ToolResult {
        let command = self.command.and_then(|line| line.invocation(programs));
        let command = command.filter(|words| !runs_script(words)).unwrap_or_default();
        ToolResult {
            tool: tool.to_owned(),
            lines: self.range(),
            command: command.to_vec(),
            ..ToolResult::default()
        }
    }
}

/// Whether a shell is given a script: its words were taken apart, and how it was typed is not known.
fn runs_script(words: &[String]) -> bool {
    let is_call = |shell: &str, option: &str| option == "-c" && SHELLS.contains(&program(shell));
    words.windows(2).any(|pair| matches!(pair, [shell, option] if is_call(shell, option)))
}

#[cfg(test)]
mod tests {
    #[test]
    fn regression_half_a_script_was_told_as_the_command_that_was_timed() {
        let timed = |command: &str| {
            let text = format!("$ {command}\nreal 1.0\nuser 0.5\nsys 0.1\n");
            crate::tool::read("", text.as_bytes()).unwrap().results[0].command.join(" ")
        };
        assert_eq!(timed("time sh -c \"dd if=a of=b && sync\""), "");
        assert_eq!(timed("time dd if=a of=b"), "time dd if=a of=b");
    }
}
