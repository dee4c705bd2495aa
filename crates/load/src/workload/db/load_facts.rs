//! What is known of a load before it begins, whatever it works on.

use model::database::fact;
use model::plan::Effect;
use model::{FactName, Value};

use crate::workload::db::load::DatabaseLoad;
use crate::workload::db::transaction::{Transaction, TransactionMix, TransactionStep};

/// What `load`, whose transactions are `mix`, says of itself, and what its transactions are to a server.
pub(in crate::workload) fn of(load: &dyn DatabaseLoad, mix: &TransactionMix) -> Vec<(FactName, Value)> {
    let mut facts = load.facts();
    facts.push((fact::WRITES, Value::Bool(load.effect() != Effect::Clean)));
    facts.extend(commits(mix).map(|count| (fact::COMMITS_PER_TRANSACTION, Value::Number(count))));
    facts
}

/// How many transactions a server counts for one of the load, in the mean over their weights: those that a COMMIT
/// ends, and each statement outside of one. None where the mix has no transaction.
fn commits(mix: &TransactionMix) -> Option<f64> {
    let weights: f64 = mix.transactions.iter().map(|one| one.weight as f64).sum();
    let weighed = mix.transactions.iter().map(|one| Some(one.weight as f64 * commits_of(mix, one)? as f64));
    let sum: f64 = weighed.sum::<Option<f64>>()?;
    (weights > 0.0).then(|| sum / weights)
}

fn commits_of(mix: &TransactionMix, transaction: &Transaction) -> Option<u64> {
    let (mut is_open, mut count) = (false, 0);
    for step in &transaction.steps {
        let (TransactionStep::Execute(execution) | TransactionStep::Keep(execution, _)) = step else {
            continue;
        };
        let text = mix.statements.get(execution.statement)?.text();
        match text.split_whitespace().next().map(str::to_ascii_uppercase).as_deref() {
            Some("BEGIN" | "START") => is_open = true,
            Some("ROLLBACK") => is_open = false,
            Some("COMMIT" | "END") => {
                is_open = false;
                count += 1;
            }
            _ if is_open => {}
            _ => count += 1,
        }
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::db::transaction::{Execution, SqlStatement};

    fn transaction(weight: u64, statements: &[usize]) -> Transaction {
        let step = |statement: &usize| {
            let execution =
                Execution { statement: *statement, table: None, class: 2, parameters: Vec::new() };
            TransactionStep::Execute(execution)
        };
        let steps = statements.iter().map(step).chain([TransactionStep::Record(3)]).collect();
        Transaction { weight, steps }
    }

    fn mix(transactions: Vec<Transaction>) -> TransactionMix {
        let texts = ["BEGIN", "select 1", "COMMIT", "begin immediate", "ROLLBACK"];
        let statements = texts.iter().map(|text| SqlStatement::new(text, false)).collect();
        TransactionMix { statements, variables: 0, transactions }
    }

    #[test]
    fn a_server_counts_what_a_commit_ends_and_each_statement_outside() {
        let of = |statements: &[usize]| commits(&mix(vec![transaction(1, statements)]));
        assert_eq!(of(&[0, 1, 1, 2]), Some(1.0));
        assert_eq!(of(&[1, 1]), Some(2.0));
        assert_eq!(of(&[0, 1, 4]), Some(0.0), "it is rolled back");
        assert_eq!(of(&[1, 3, 1, 2, 1]), Some(3.0));
        assert_eq!(of(&[9]), None, "there is no such statement");
    }

    #[test]
    fn of_several_transactions_it_is_the_mean_over_their_weights() {
        let two = mix(vec![transaction(3, &[0, 1, 2]), transaction(1, &[1, 1, 1, 1, 1])]);
        assert_eq!(commits(&two), Some(2.0));
        assert_eq!(commits(&mix(Vec::new())), None);
    }
}
