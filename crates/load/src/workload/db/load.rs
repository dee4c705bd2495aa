//! What a load on a database says of itself, as data: its tables, its transactions, and what must hold afterwards.
//! Whoever plans it for a kind of database knows no load.

use std::fmt::Debug;

use engine::queue::Class;
use model::plan::{Effect, Problem};
use model::{FactName, Parameters, Value};

use crate::workload::db::dataset::DataSet;
use crate::workload::db::transaction::TransactionMix;
use crate::workload::db::url::DatabaseSystem;

/// A question that tells whether tables agree with one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::workload) struct ConsistencyCheck {
    /// What must hold, in words.
    pub(in crate::workload) about: &'static str,
    /// A SELECT that gives one number: 0 where it holds.
    pub(in crate::workload) sql: String,
}

/// A load on a database.
pub(in crate::workload) trait DatabaseLoad: Debug + Send + Sync {
    /// Reads what it needs, without changing anything: asked before all else, of whoever plans a trial and of whoever
    /// runs it.
    ///
    /// # Errors
    /// Why there is no such load.
    fn read(&self) -> Result<(), Problem> {
        Ok(())
    }

    /// What words among its parameters stand for, once it was read.
    fn resolved(&self) -> Parameters {
        Parameters::default()
    }

    /// The tables that it works on.
    fn data(&self) -> DataSet;

    /// What it leaves of them.
    fn effect(&self) -> Effect;

    /// The classes of its operations: those of transactions, of statements, and, from [`DatabaseLoad::statements`] on,
    /// of whole transactions of one kind.
    fn classes(&self) -> &'static [Class];

    /// How many of its classes are of transactions as such and of statements.
    fn statements(&self) -> usize {
        self.classes().len()
    }

    /// Its transactions.
    ///
    /// # Errors
    /// Why there are none.
    fn mix(&self, system: DatabaseSystem) -> Result<TransactionMix, Problem>;

    /// What must hold after each trial.
    fn checks(&self) -> Vec<ConsistencyCheck> {
        Vec::new()
    }

    /// What shapes the result and stands in no parameter.
    fn facts(&self) -> Vec<(FactName, Value)> {
        Vec::new()
    }
}
