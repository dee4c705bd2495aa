//! What all requests share: who is let in, the stores, the pages that were made lately, and how much goes on at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use language::Language;
use maud::Markup;
use report::document::Document;
use report::document::html::ServedPage;
use store::{MachineEntry, RunList, RunQuery, RunsFound, SqliteStore, StoreError};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::OpenStore;
use crate::cache::Cache;
use crate::choices::Choices;
use crate::door::Door;
use crate::error::WebServerError;
use crate::failed_logins::FailedLogins;
use crate::session::Sessions;
use crate::stores::Stores;
use crate::trouble::Trouble;

/// Requests at a time.
const REQUESTS: usize = 128;
/// Streams of events at a time; each lasts as long as its page is open.
const STREAMS: usize = 32;
/// Pages that are made of whole runs at a time: each takes all processors and much memory.
const MADE: usize = 2;
/// Threads that read the store at a time.
const THREADS: usize = 8;

/// Pages that are kept, and what they may weigh together.
const PAGES: usize = 16;
const PAGE_BYTES: usize = 48 << 20;

/// A page that was made, and what it was made of.
pub(crate) struct Shown {
    /// Its content, for parts of its charts.
    pub(crate) document: Document,
    /// What can be done with it.
    pub(crate) below: Markup,
    /// The page with all of each chart.
    pub(crate) page: ServedPage,
}

impl Shown {
    /// About what it weighs: the numbers of charts are as many bytes as their pictures.
    pub(crate) fn bytes(&self) -> usize {
        2 * self.page.html.len()
    }
}

/// See the module.
pub(crate) struct Shared {
    pub(crate) door: Door,
    pub(crate) sessions: Sessions,
    pub(crate) failed_logins: FailedLogins,
    pub(crate) pages: Cache<Shown>,
    pub(crate) usual: Language,
    /// The list of runs; none where the store has one reader at a time.
    list: Option<Mutex<RunList>>,
    stores: Stores,
    requests: Semaphore,
    streams: Arc<Semaphore>,
    made: Semaphore,
    is_ending: AtomicBool,
    tell: fn(&str),
}

impl Shared {
    /// Opens the store. Fails if that cannot be done.
    pub(crate) fn new(
        door: Door,
        usual: Language,
        open: OpenStore,
        tell: fn(&str),
    ) -> Result<Self, WebServerError> {
        let stores = Stores::new(open, THREADS + 1)?;
        let list = stores.spare().map(RunList::new).transpose()?.map(Mutex::new);
        Ok(Self {
            door,
            sessions: Sessions::default(),
            failed_logins: FailedLogins::default(),
            pages: Cache::new(PAGES, PAGE_BYTES),
            usual,
            list,
            stores,
            requests: Semaphore::new(REQUESTS),
            streams: Arc::new(Semaphore::new(STREAMS)),
            made: Semaphore::new(MADE),
            is_ending: AtomicBool::new(false),
            tell,
        })
    }

    /// The runs that are asked for. Fails if reading fails.
    pub(crate) fn find(&self, store: &SqliteStore, query: &RunQuery) -> Result<RunsFound, StoreError> {
        self.list().map_or_else(|| store.find(query), |mut list| list.find(query))
    }

    /// The machines of which runs are kept. Fails if reading fails.
    pub(crate) fn machines(&self, store: &SqliteStore) -> Result<Vec<MachineEntry>, StoreError> {
        self.list().map_or_else(|| store.machines(), |mut list| list.machines())
    }

    /// What there is to choose from in forms. Fails if reading fails.
    pub(crate) fn choices(&self, store: &SqliteStore) -> Result<Choices, StoreError> {
        let studies = self.list().map_or_else(|| store.studies(), |mut list| list.studies())?;
        let machines = self.machines(store)?.into_iter().map(|machine| machine.hostname);
        Ok(Choices { studies, machines: machines.filter(|name| !name.is_empty()).collect() })
    }

    fn list(&self) -> Option<MutexGuard<'_, RunList>> {
        self.list.as_ref().map(|list| list.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// How many threads may read the store.
    pub(crate) fn threads(&self) -> usize {
        THREADS
    }

    /// Room for a request, where there is some.
    pub(crate) fn enter(&self) -> Option<SemaphorePermit<'_>> {
        self.requests.try_acquire().ok()
    }

    /// Room for a stream of events, where there is some.
    pub(crate) fn enter_stream(&self) -> Option<tokio::sync::OwnedSemaphorePermit> {
        Arc::clone(&self.streams).try_acquire_owned().ok()
    }

    /// Says that streams of events are to end.
    pub(crate) fn ends(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
    }

    /// Whether they are.
    pub(crate) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    /// Does something with a store on a thread that may wait.
    pub(crate) async fn with_store<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&mut SqliteStore) -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, Trouble> {
        let shared = Arc::clone(self);
        let done = tokio::task::spawn_blocking(move || work(&mut *shared.stores.take()?)).await;
        let done = done.map_err(|_| Trouble::Failed).flatten();
        if let Err(trouble) = &done
            && let Some(text) = trouble.of_store()
        {
            (self.tell)(&text);
        }
        done
    }

    /// The page of this key, or what `make` makes of the store, which is then kept. Who asks for what another is just
    /// making waits for that.
    pub(crate) async fn shown(
        self: &Arc<Self>,
        key: String,
        make: impl FnOnce(&mut SqliteStore) -> Result<Shown, Trouble> + Send + 'static,
    ) -> Result<Arc<Shown>, Trouble> {
        if let Some(known) = self.pages.get(&key) {
            return Ok(known);
        }
        let _room = self.made.acquire().await.map_err(|_| Trouble::Busy)?;
        if let Some(known) = self.pages.get(&key) {
            return Ok(known);
        }
        let shown = Arc::new(self.with_store(make).await?);
        self.pages.put(key, &shown, shown.bytes());
        Ok(shown)
    }

    /// As [`Shared::with_store`], for what takes all processors and much memory.
    pub(crate) async fn with_store_alone<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&mut SqliteStore) -> Result<T, Trouble> + Send + 'static,
    ) -> Result<T, Trouble> {
        let _room = self.made.acquire().await.map_err(|_| Trouble::Busy)?;
        self.with_store(work).await
    }
}
