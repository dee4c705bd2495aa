//! What a script consists of: statements with variables in them, and commands that begin with a backslash, as psql
//! and pgbench have them.

/// What is wrong with a script, and in which line, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::workload) struct ScriptError {
    pub(in crate::workload) line: usize,
    pub(in crate::workload) message: String,
}

impl ScriptError {
    pub(super) fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// A part of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StatementPart {
    Text(String),
    /// The value of the variable of this name: `:name`.
    Variable(String),
}

/// A statement as it stands in a script, without its comments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ScriptStatement {
    pub(super) line: usize,
    pub(super) parts: Vec<StatementPart>,
    /// Whether it ends with `\gset`: what it gives goes into variables.
    pub(super) keeps: bool,
}

/// What stands in a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ScriptItem {
    /// A command without its backslash.
    Command(usize, String),
    Statement(ScriptStatement),
}

/// What stands in `text`, whose first line has this number.
///
/// # Errors
/// If a quote or comment is not closed, a command stands inside a statement, or a question mark outside of quotes.
pub(super) fn scan(text: &str, line: usize) -> Result<Vec<ScriptItem>, ScriptError> {
    let mut scanner =
        Scanner { rest: text, line, items: Vec::new(), parts: Vec::new(), text: String::new(), begun: line };
    while let Some(first) = scanner.rest.chars().next() {
        scanner.step(first)?;
    }
    scanner.end_statement(false);
    Ok(scanner.items)
}

struct Scanner<'a> {
    rest: &'a str,
    line: usize,
    items: Vec<ScriptItem>,
    /// The statement that is being read: what ended with a variable, what follows, and its first line.
    parts: Vec<StatementPart>,
    text: String,
    begun: usize,
}

impl<'a> Scanner<'a> {
    /// Reads what begins with `first`.
    fn step(&mut self, first: char) -> Result<(), ScriptError> {
        match first {
            '-' if self.rest.starts_with("--") => {
                self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
            }
            '/' if self.rest.starts_with("/*") => {
                let end = self.rest.find("*/").ok_or_else(|| self.wrong("a comment is not closed"))?;
                self.take(end + 2);
                self.text.push(' ');
            }
            '\'' | '"' | '`' => {
                let end = self.rest[1..].find(first).ok_or_else(|| self.wrong("a quote is not closed"))? + 2;
                self.begin();
                let quoted = self.take(end);
                self.text.push_str(quoted);
            }
            ';' => {
                self.take(1);
                self.end_statement(false);
            }
            '\\' => self.command()?,
            ':' => self.variable(),
            '?' => {
                return Err(self.wrong(
                    "a question mark outside of quotes would be taken for a value: name a variable, as `:name`",
                ));
            }
            other => {
                if !other.is_whitespace() {
                    self.begin();
                }
                self.take(other.len_utf8());
                self.text.push(other);
            }
        }
        Ok(())
    }

    fn wrong(&self, message: &str) -> ScriptError {
        ScriptError::new(self.line, message)
    }

    /// Takes so many bytes from the front of what is left.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        self.line += taken.matches('\n').count();
        taken
    }

    /// Whether no statement has begun.
    fn is_blank(&self) -> bool {
        self.parts.is_empty() && self.text.trim().is_empty()
    }

    /// A statement begins here, if none has.
    fn begin(&mut self) {
        if self.is_blank() {
            self.begun = self.line;
        }
    }

    fn command(&mut self) -> Result<(), ScriptError> {
        let line = self.line;
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        let command = self.take(end).trim_start_matches('\\').trim();
        if command.ends_with('\\') {
            return Err(ScriptError::new(line, "a command that goes on in the next line is not read"));
        }
        if self.is_blank() {
            self.items.push(ScriptItem::Command(line, command.to_owned()));
        } else if command == "gset" {
            self.end_statement(true);
        } else {
            return Err(ScriptError::new(line, "a command stands inside a statement: end that with `;`"));
        }
        Ok(())
    }

    fn variable(&mut self) {
        self.begin();
        self.take(1);
        if self.rest.starts_with(':') {
            // A cast of PostgreSQL.
            self.take(1);
            self.text.push_str("::");
            return;
        }
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = self.rest.find(|c: char| !is_of_name(c)).unwrap_or(self.rest.len());
        if length == 0 {
            self.text.push(':');
            return;
        }
        let name = self.take(length).to_owned();
        self.parts.push(StatementPart::Text(std::mem::take(&mut self.text)));
        self.parts.push(StatementPart::Variable(name));
    }

    /// Ends the statement, if one has begun.
    fn end_statement(&mut self, keeps: bool) {
        if self.is_blank() {
            self.text.clear();
            return;
        }
        let mut parts = std::mem::take(&mut self.parts);
        parts.push(StatementPart::Text(std::mem::take(&mut self.text).trim_end().to_owned()));
        if let Some(StatementPart::Text(first)) = parts.first_mut() {
            *first = first.trim_start().to_owned();
        }
        self.items.push(ScriptItem::Statement(ScriptStatement { line: self.begun, parts, keeps }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> StatementPart {
        StatementPart::Text(text.to_owned())
    }

    fn variable(name: &str) -> StatementPart {
        StatementPart::Variable(name.to_owned())
    }

    #[test]
    fn statements_end_where_they_end_and_have_their_variables() {
        let script = "-- first; not one\n\\set a 1\nSELECT ':a;?' /* ;\n */, x::int, \"b;\"\nFROM t WHERE i = :a AND c = 'it''s'; \n\
                      SELECT max(i) AS m FROM t \\gset\nDELETE FROM t WHERE i=:m";
        let items = scan(script, 1).unwrap();
        assert_eq!(items[0], ScriptItem::Command(2, "set a 1".to_owned()));
        let first = ScriptStatement {
            line: 3,
            parts: vec![
                text("SELECT ':a;?'  , x::int, \"b;\"\nFROM t WHERE i = "),
                variable("a"),
                text(" AND c = 'it''s'"),
            ],
            keeps: false,
        };
        assert_eq!(items[1], ScriptItem::Statement(first));
        let kept = ScriptStatement { line: 6, parts: vec![text("SELECT max(i) AS m FROM t")], keeps: true };
        assert_eq!(items[2], ScriptItem::Statement(kept));
        let parts = vec![text("DELETE FROM t WHERE i="), variable("m"), text("")];
        assert_eq!(items[3], ScriptItem::Statement(ScriptStatement { line: 7, parts, keeps: false }));
        assert_eq!(items.len(), 4);
    }

    #[test]
    fn nothing_is_no_statement() {
        assert_eq!(scan(" ;; -- x\n /* y */ ;\n", 1).unwrap(), Vec::new());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (script, line, why) in [
            ("SELECT 1;\nSELECT 'x", 2, "quote"),
            ("/* x", 1, "comment"),
            ("SELECT 1\n\\set a 1\n", 2, "inside a statement"),
            ("\n\nSELECT ?;", 3, "question mark"),
            ("\\set a \\\n 1", 1, "next line"),
        ] {
            let error = scan(script, 1).unwrap_err();
            assert!(error.line == line && error.message.contains(why), "{script}: {error:?}");
        }
    }
}
