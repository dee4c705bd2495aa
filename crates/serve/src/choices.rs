//! What lists can be narrowed to.

use store::{SqliteStore, StoreError};

/// What there is to choose from.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    pub(crate) studies: Vec<String>,
    pub(crate) machines: Vec<String>,
}

impl Choices {
    /// Those of a store. Fails if reading fails.
    pub(crate) fn of(store: &SqliteStore) -> Result<Self, StoreError> {
        let machines = store.machines()?.into_iter().map(|machine| machine.hostname);
        Ok(Self { studies: store.studies()?, machines: machines.filter(|name| !name.is_empty()).collect() })
    }
}
