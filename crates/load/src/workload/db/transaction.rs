//! What clients execute, as data: statements, how their values are drawn, and transactions of them.

use std::fmt::Write;

use crate::workload::db::generator::{SqlValue, ValueGenerator, ValueRandom};

/// A statement. Each `?` in its text stands for a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::workload) struct SqlStatement {
    /// The text around its values: one piece more than there are values.
    pieces: Vec<String>,
    /// Whether it changes rows, so that those count that it changed.
    pub(in crate::workload) writes: bool,
}

impl SqlStatement {
    /// One with this text, which has no question mark that stands for none.
    pub(in crate::workload) fn new(text: &str, writes: bool) -> Self {
        Self { pieces: text.split('?').map(str::to_owned).collect(), writes }
    }

    /// One of the text around its values, in which question marks stand for themselves.
    pub(in crate::workload) fn of_pieces(pieces: Vec<String>, writes: bool) -> Self {
        Self { pieces, writes }
    }

    /// The text around its values: one piece more than there are values.
    pub(in crate::workload) fn pieces(&self) -> &[String] {
        &self.pieces
    }

    /// Its text as it was given.
    pub(in crate::workload) fn text(&self) -> String {
        self.pieces.join("?")
    }

    /// How many values it takes.
    pub(in crate::workload) fn parameters(&self) -> usize {
        self.pieces.len().saturating_sub(1)
    }

    /// Writes it to `text` with its values in it: those of `values` whose numbers are `parameters`.
    pub(in crate::workload) fn with_values(
        &self,
        values: &[SqlValue],
        parameters: &[usize],
        text: &mut String,
    ) {
        text.clear();
        for (place, piece) in self.pieces.iter().enumerate() {
            text.push_str(piece);
            match parameters
                .get(place)
                .filter(|_| place + 1 < self.pieces.len())
                .map(|number| &values[*number])
            {
                None => {}
                Some(SqlValue::Integer(number)) => {
                    // A text takes what is written to it.
                    let _ = write!(text, "{number}");
                }
                Some(SqlValue::Text(value)) => {
                    text.push('\'');
                    for character in value.chars() {
                        text.push(character);
                        if character == '\'' {
                            text.push('\'');
                        }
                    }
                    text.push('\'');
                }
            }
        }
    }
}

/// A statement that is executed, with values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::workload) struct Execution {
    /// The number of the statement; of the first where there is one for each table.
    pub(in crate::workload) statement: usize,
    /// The variable that has the number of the table, from 0, where there is one for each.
    pub(in crate::workload) table: Option<usize>,
    /// The class of operations whose figures its times are in.
    pub(in crate::workload) class: u8,
    /// The variables that have its values.
    pub(in crate::workload) parameters: Vec<usize>,
}

impl Execution {
    /// The number of the statement that `values` choose.
    #[inline]
    pub(in crate::workload) fn statement(&self, values: &[SqlValue]) -> usize {
        match self.table.map(|table| &values[table]) {
            Some(SqlValue::Integer(table)) => self.statement + usize::try_from(*table).unwrap_or(0),
            _ => self.statement,
        }
    }
}

/// One step of a transaction.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::workload) enum TransactionStep {
    /// Puts a value into a variable.
    Set(usize, ValueGenerator),
    /// Executes a statement.
    Execute(Execution),
    /// Executes a statement, and puts the first columns of its first row into these variables. Where there is no row,
    /// and where a column is NULL, they keep what they had.
    Keep(Execution, Vec<usize>),
    /// The time of the transaction until here is in the figures of this class.
    Record(u8),
}

/// Statements that are executed one after the other, as one operation of the load.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::workload) struct Transaction {
    /// How often it comes, compared with others of the load.
    pub(in crate::workload) weight: u64,
    pub(in crate::workload) steps: Vec<TransactionStep>,
}

/// All that the clients of a load execute.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::workload) struct TransactionMix {
    pub(in crate::workload) statements: Vec<SqlStatement>,
    /// How many variables its transactions have.
    pub(in crate::workload) variables: usize,
    pub(in crate::workload) transactions: Vec<Transaction>,
}

impl TransactionMix {
    /// A transaction by the weights of all; none where there is none.
    #[inline]
    pub(in crate::workload) fn choose(&self, random: &mut ValueRandom) -> Option<&Transaction> {
        self.transactions.get(self.place(random)?)
    }

    /// The same, by its place.
    #[inline]
    pub(in crate::workload) fn place(&self, random: &mut ValueRandom) -> Option<usize> {
        if self.transactions.len() == 1 {
            return Some(0);
        }
        let all = self.transactions.iter().map(|transaction| transaction.weight).fold(0, u64::saturating_add);
        let mut left = random.below(all);
        self.transactions.iter().position(|transaction| {
            let is_it = left < transaction.weight;
            left = left.saturating_sub(transaction.weight);
            is_it
        })
    }

    /// Values for all variables, before anything is drawn.
    pub(in crate::workload) fn values(&self) -> Vec<SqlValue> {
        vec![SqlValue::Integer(0); self.variables]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_where_they_are_asked_for_and_quotes_are_doubled() {
        let statement = SqlStatement::new("INSERT INTO t VALUES (?, ?, ?)", true);
        assert_eq!(
            (statement.parameters(), statement.text().as_str()),
            (3, "INSERT INTO t VALUES (?, ?, ?)")
        );
        let values =
            [SqlValue::Integer(-7), SqlValue::Text("it's ?".to_owned()), SqlValue::Text("ü".to_owned())];
        let mut text = "left over".to_owned();
        statement.with_values(&values, &[1, 0, 2], &mut text);
        assert_eq!(text, "INSERT INTO t VALUES ('it''s ?', -7, 'ü')");
        SqlStatement::new("BEGIN", false).with_values(&values, &[], &mut text);
        assert_eq!(text, "BEGIN");
        let pieces = vec!["SELECT '?' FROM t WHERE a=".to_owned(), String::new()];
        let statement = SqlStatement::of_pieces(pieces, false);
        statement.with_values(&values, &[0], &mut text);
        assert_eq!((statement.parameters(), text.as_str()), (1, "SELECT '?' FROM t WHERE a=-7"));
    }

    #[test]
    fn transactions_come_by_their_weights() {
        let of = |weight| Transaction { weight, steps: Vec::new() };
        let mix = TransactionMix { transactions: vec![of(3), of(0), of(1)], ..TransactionMix::default() };
        let mut random = ValueRandom::new(9);
        let mut counts = [0u32; 4];
        for _ in 0..4_000 {
            counts[mix.choose(&mut random).unwrap().weight as usize] += 1;
        }
        // 3,000 and 1,000 with a standard deviation of 27.
        assert!(counts[0] == 0 && (2_850..3_150).contains(&counts[3]), "{counts:?}");
        assert!(TransactionMix::default().choose(&mut random).is_none());
    }
}
