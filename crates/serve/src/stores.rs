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
    /// Opens so many before any is read from: to look at the file while another reads would take away that one's lock,
    /// for locks of files are the process's (POSIX, fcntl). Fails if not even one can be opened; a store of version 0.1 on
    /// a full file system has one reader.
    pub(crate) fn new(open: OpenStore, count: usize) -> Result<Self, StoreError> {
        let mut idle = vec![open()?];
        idle.extend((1..count).map_while(|_| open().ok()));
        Ok(Self { open, idle: Mutex::new(idle) })
    }

    /// One for good; none where there would be no other.
    pub(crate) fn spare(&self) -> Option<SqliteStore> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() > 1 { idle.pop() } else { None }
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn all_are_opened_before_any_is_read_from() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.db");
        let opened = Arc::new(AtomicUsize::new(0));
        let own = Arc::clone(&opened);
        let open: OpenStore = Box::new(move || {
            own.fetch_add(1, Ordering::Relaxed);
            SqliteStore::open(&path)
        });
        let stores = Stores::new(open, 4).unwrap();
        assert!(stores.spare().is_some());
        let all = [stores.take().unwrap(), stores.take().unwrap(), stores.take().unwrap()];
        assert_eq!(opened.load(Ordering::Relaxed), 4);
        drop(all);
        assert!(stores.take().is_ok() && opened.load(Ordering::Relaxed) == 4);
    }

    #[test]
    fn one_reader_is_enough() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.db");
        let count = AtomicUsize::new(0);
        let open: OpenStore = Box::new(move || match count.fetch_add(1, Ordering::Relaxed) {
            0 => SqliteStore::open(&path),
            _ => Err(StoreError::NoDefault),
        });
        let stores = Stores::new(open, 4).unwrap();
        assert!(stores.spare().is_none() && stores.take().is_ok());
    }
}
