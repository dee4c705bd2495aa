//! Open stores: one for each reader at a time, kept for the next. A connection to SQLite serves one thread.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use store::{SqliteStore, StoreError};

use crate::OpenStore;

/// Stores that nobody uses at the moment, and how more are opened.
pub(crate) struct Stores {
    open: OpenStore,
    idle: Mutex<Vec<SqliteStore>>,
}

impl Stores {
    /// Opens the first. Fails if the store cannot be opened.
    pub(crate) fn new(open: OpenStore) -> Result<Self, StoreError> {
        let first = open()?;
        Ok(Self { open, idle: Mutex::new(vec![first]) })
    }

    /// One for the caller alone. Fails if none is idle and no other can be opened.
    pub(crate) fn take(&self) -> Result<Borrowed<'_>, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let store = match idle {
            Some(store) => store,
            None => (self.open)()?,
        };
        Ok(Borrowed { stores: self, store: Some(store) })
    }
}

/// A store that goes back when it is dropped.
pub(crate) struct Borrowed<'a> {
    stores: &'a Stores,
    store: Option<SqliteStore>,
}

impl Deref for Borrowed<'_> {
    type Target = SqliteStore;

    fn deref(&self) -> &SqliteStore {
        self.store.as_ref().expect("it is there until it is dropped")
    }
}

impl DerefMut for Borrowed<'_> {
    fn deref_mut(&mut self) -> &mut SqliteStore {
        self.store.as_mut().expect("it is there until it is dropped")
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        self.stores.idle.lock().unwrap_or_else(PoisonError::into_inner).extend(self.store.take());
    }
}
