//! A user's file of transactions: scripts of pgbench, one behind the other, each with its weight, and the statements
//! that make the tables. What tells them apart are comments, so that pgbench reads a file of one transaction too.

use crate::workload::db::script::scanner::{self, ScriptError, ScriptItem, StatementPart};

/// What a comment begins with that says what follows.
const MARK: &str = "-- headroom:";

/// The first words of statements that make tables and what is in them.
const SETUP_WORDS: [&str; 8] =
    ["CREATE", "INSERT", "REPLACE", "UPDATE", "DELETE", "WITH", "ANALYZE", "ALTER"];

/// A transaction as it stands in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::workload) struct SqlTransaction {
    /// Its first line, from 1.
    pub(in crate::workload) line: usize,
    /// How often it comes, compared with others.
    pub(in crate::workload) weight: u64,
    pub(in crate::workload) text: String,
}

/// What stands in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::workload) struct SqlFile {
    /// The statements that make the tables.
    pub(in crate::workload) setup: Vec<String>,
    pub(in crate::workload) transactions: Vec<SqlTransaction>,
}

/// What the lines that are read belong to.
enum FilePart {
    Setup,
    Transaction(u64),
}

impl SqlFile {
    /// What `text` says.
    ///
    /// # Errors
    /// If a mark is not known, what makes the tables has variables or does anything else, or there is no transaction.
    pub(in crate::workload) fn read(text: &str) -> Result<Self, ScriptError> {
        let mut file = Self::default();
        let (mut part, mut begun, mut read) = (FilePart::Transaction(1), 1, String::new());
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(mark) = line.trim().strip_prefix(MARK) {
                let next = part_of(mark).map_err(|why| ScriptError::new(number, why))?;
                file.end(&part, begun, &read)?;
                (part, begun) = (next, number + 1);
                read.clear();
            } else {
                read.push_str(line);
                read.push('\n');
            }
        }
        file.end(&part, begun, &read)?;
        if file.transactions.is_empty() {
            return Err(ScriptError::new(1, "it has no transaction"));
        }
        Ok(file)
    }

    /// Takes what belongs to a part, whose first line is `line`.
    fn end(&mut self, part: &FilePart, line: usize, text: &str) -> Result<(), ScriptError> {
        let items = scanner::scan(text, line)?;
        match part {
            FilePart::Transaction(_) if items.is_empty() => {}
            FilePart::Transaction(weight) => {
                self.transactions.push(SqlTransaction { line, weight: *weight, text: text.to_owned() });
            }
            FilePart::Setup => {
                for item in items {
                    self.setup.push(setup_statement(item)?);
                }
            }
        }
        Ok(())
    }
}

/// What a mark says: `setup`, `transaction` or `transaction weight=3`.
fn part_of(mark: &str) -> Result<FilePart, String> {
    let words: Vec<&str> = mark.split_whitespace().collect();
    let weight = match *words {
        ["setup"] => return Ok(FilePart::Setup),
        ["transaction"] => Some(1),
        ["transaction", weight] => {
            weight.strip_prefix("weight=").and_then(|weight| weight.parse::<u64>().ok())
        }
        _ => None,
    };
    let weight = weight.filter(|weight| (1..=1_000_000).contains(weight));
    weight.map(FilePart::Transaction).ok_or_else(|| {
        format!("`{}` is no mark: write setup, transaction, or transaction weight=3", mark.trim())
    })
}

fn setup_statement(item: ScriptItem) -> Result<String, ScriptError> {
    let statement = match item {
        ScriptItem::Statement(statement) => statement,
        ScriptItem::Command(line, command) => {
            return Err(ScriptError::new(line, format!("`\\{command}` is not read where tables are made")));
        }
    };
    let line = statement.line;
    let text = match <[StatementPart; 1]>::try_from(statement.parts) {
        Ok([StatementPart::Text(text)]) if !statement.keeps => text,
        _ => return Err(ScriptError::new(line, "a statement that makes tables has no variables")),
    };
    let first = text.split_whitespace().next().unwrap_or_default();
    if SETUP_WORDS.iter().any(|word| word.eq_ignore_ascii_case(first)) {
        return Ok(text);
    }
    let first: String = first.chars().take(40).collect();
    Err(ScriptError::new(line, format!("`{first}` makes no tables: {} do", SETUP_WORDS.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_have_tables_and_several_transactions() {
        let text = "-- a comment\n-- headroom: setup\nCREATE TABLE t (a INTEGER);\nINSERT INTO t VALUES (1);\n\
                    -- headroom: transaction weight=3\nSELECT a FROM t;\n-- headroom: transaction\n\\set b 2\nDELETE FROM t WHERE a = :b;";
        let file = SqlFile::read(text).unwrap();
        assert_eq!(file.setup, ["CREATE TABLE t (a INTEGER)", "INSERT INTO t VALUES (1)"]);
        let lines: Vec<_> = file.transactions.iter().map(|one| (one.line, one.weight)).collect();
        assert_eq!(lines, [(6, 3), (8, 1)]);
        assert_eq!(file.transactions[0].text, "SELECT a FROM t;\n");
    }

    #[test]
    fn a_script_of_pgbench_is_one_transaction() {
        let file = SqlFile::read("\\set a 1\nSELECT :a;\n").unwrap();
        assert_eq!((file.setup.len(), file.transactions.len(), file.transactions[0].line), (0, 1, 1));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, line, why) in [
            ("", 1, "no transaction"),
            ("-- headroom: setup\nCREATE TABLE t (a);", 1, "no transaction"),
            ("SELECT 1;\n-- headroom: other\n", 2, "`other` is no mark"),
            ("-- headroom: transaction weight=0\nSELECT 1;", 1, "is no mark"),
            ("-- headroom: setup\n\nPRAGMA synchronous=off;", 3, "`PRAGMA` makes no tables"),
            ("-- headroom: setup\n\\set a 1", 2, "not read where tables are made"),
            ("-- headroom: setup\nDELETE FROM t WHERE a=:a;", 2, "has no variables"),
        ] {
            let error = SqlFile::read(text).unwrap_err();
            assert!(error.line == line && error.message.contains(why), "{text}: {error:?}");
        }
    }
}
