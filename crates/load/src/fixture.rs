//! What loads need prepared: files, devices, trees of names. Each kind is one file
//! and one line in a table; what is ready is kept in a store for all cases that
//! need the same. A kind makes a fixture; the fixture checks itself, says whether
//! it serves another case, and is removed.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use engine::{Fault, lock};
use model::plan::FixtureKey;
use model::scalar::binary;

use crate::host::HostInfo;
use crate::in_memory;

/// Told how far the making is: bytes done. Returns whether to go on.
pub type Progress<'a> = dyn FnMut(u64) -> bool + 'a;

/// What came of making one.
pub type FixtureResult = Result<Box<dyn Fixture>, Fault>;

/// A kind of fixture.
#[derive(Clone, Copy, Debug)]
pub struct FixtureKind {
    /// Its name, as keys have it.
    pub name: &'static str,
    /// Makes one, and brings it into the state that is asked for. Where that fails, or
    /// is told to stop, nothing of it stays.
    pub make: fn(&FixtureKey, &HostInfo, &mut Progress<'_>) -> FixtureResult,
}

/// A fixture that is ready. Dropped without [`Fixture::remove`], it removes what
/// it can.
pub trait Fixture: Any + Debug + Send + Sync {
    /// Whether it still is what was made: asked before each use after the first.
    ///
    /// # Errors
    /// Why it must not be used any more.
    fn check(&self) -> Result<(), Fault> {
        Ok(())
    }

    /// Whether it, made for one key, serves a load that asks for another.
    fn reuse(&self, made: &FixtureKey, asked: &FixtureKey) -> bool {
        made.is_same(asked)
    }

    /// Takes it away.
    ///
    /// # Errors
    /// What stays, and why.
    fn remove(self: Box<Self>) -> Result<(), Fault>;
}

/// What is ready, in the order in which it was made. What was made later may stand on what was made before, so that
/// it goes first.
#[derive(Debug, Default)]
struct ReadyFixtures(Vec<(FixtureKey, Box<dyn Fixture>)>);

impl Drop for ReadyFixtures {
    fn drop(&mut self) {
        while self.0.pop().is_some() {}
    }
}

/// The fixtures that are ready, and what trials of the run have noted for later ones.
#[derive(Debug, Default)]
pub struct FixtureStore {
    kinds: Vec<FixtureKind>,
    /// The folder where it is listed what a run that is killed leaves.
    state: Option<PathBuf>,
    ready: ReadyFixtures,
    notes: Mutex<BTreeMap<String, String>>,
}

impl FixtureStore {
    /// An empty one, of these kinds.
    #[must_use]
    pub fn new(kinds: impl IntoIterator<Item = &'static FixtureKind>) -> Self {
        Self { kinds: kinds.into_iter().copied().collect(), ..Self::default() }
    }

    /// With a folder where loads list what they leave if they are killed.
    #[must_use]
    pub fn listing_in(mut self, state: PathBuf) -> Self {
        self.state = Some(state);
        self
    }

    /// That folder, if there is one.
    #[must_use]
    pub fn state(&self) -> Option<&Path> {
        self.state.as_deref()
    }

    /// What an earlier trial of the run noted under this name.
    #[must_use]
    pub fn noted(&self, name: &str) -> Option<String> {
        lock(&self.notes).get(name).cloned()
    }

    /// Notes something for later trials of the run, in place of what was noted under this name.
    pub fn note(&self, name: String, text: String) {
        lock(&self.notes).insert(name, text);
    }

    fn get(&self, key: &FixtureKey) -> Option<&dyn Fixture> {
        self.ready.0.iter().find(|(made, fixture)| fixture.reuse(made, key)).map(|(_, fixture)| &**fixture)
    }

    /// The fixture that a survey asked for.
    #[must_use]
    pub fn find<F: Fixture>(&self, key: &FixtureKey) -> Option<&F> {
        let fixture: &dyn Any = self.get(key)?;
        fixture.downcast_ref()
    }

    /// Those of one kind that are ready.
    pub fn all<F: Fixture>(&self) -> impl Iterator<Item = &F> {
        self.ready.0.iter().filter_map(|(_, fixture)| {
            let fixture: &dyn Any = &**fixture;
            fixture.downcast_ref()
        })
    }

    /// Makes what is asked for, if nothing that is ready serves.
    ///
    /// # Errors
    /// If it cannot be made, or what is ready must not be used any more.
    pub fn make(
        &mut self,
        key: &FixtureKey,
        host: &HostInfo,
        progress: &mut Progress<'_>,
    ) -> Result<(), Fault> {
        if let Some(ready) = self.get(key) {
            return ready.check();
        }
        let FixtureKey { kind, .. } = key;
        let found = self.kinds.iter().find(|k| k.name == kind);
        let kind = found
            .ok_or_else(|| Fault::Other(format!("this agent cannot prepare a fixture of kind `{kind}`")))?;
        check_memory(key, host)?;
        let fixture = (kind.make)(key, host, progress)?;
        self.ready.0.push((key.clone(), fixture));
        Ok(())
    }

    /// Removes those of `keys` that are ready, the last first.
    ///
    /// # Errors
    /// The first that could not be removed; the others are gone all the same.
    pub fn remove(&mut self, keys: &[FixtureKey]) -> Result<(), Fault> {
        let gone = self.ready.0.extract_if(.., |(made, _)| keys.contains(made)).collect::<Vec<_>>();
        let removed = gone.into_iter().rev().map(|(_, fixture)| fixture.remove());
        removed.fold(Ok(()), Result::and)
    }
}

/// Other fixtures may have taken memory since the survey, which looked at one case
/// at a time.
fn check_memory(key: &FixtureKey, host: &HostInfo) -> Result<(), Fault> {
    match in_memory::fixture_bytes(key, host.beneath) {
        Some((bytes, name)) if bytes > host.memory_room() => {
            let (target, bytes, free) = (&key.target, binary(bytes), binary(host.memory_available));
            Err(Fault::Other(format!(
                "{target} is kept in memory ({name}) and may take {bytes} of it, but only {free} are free"
            )))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use model::plan::Ownership;

    use super::*;

    /// A server that a test pretends to start: it serves as many clients as it was
    /// made for and fewer.
    #[derive(Debug)]
    struct Server(String);

    static STARTED: AtomicU64 = AtomicU64::new(0);

    const SERVERS: &[FixtureKind] = &[FixtureKind { name: "server", make: start }];

    fn start(key: &FixtureKey, _host: &HostInfo, progress: &mut Progress<'_>) -> FixtureResult {
        if !progress(0) {
            return Err(Fault::Cancelled);
        }
        STARTED.fetch_add(1, Relaxed);
        Ok(Box::new(Server(key.target.clone())))
    }

    impl Fixture for Server {
        fn check(&self) -> Result<(), Fault> {
            if self.0 == "dead" { Err(Fault::Other("it ended".to_owned())) } else { Ok(()) }
        }

        fn reuse(&self, made: &FixtureKey, asked: &FixtureKey) -> bool {
            let clients = |key: &FixtureKey| key.details["clients"].as_u64();
            (&made.kind, &made.target) == (&asked.kind, &asked.target) && clients(made) >= clients(asked)
        }

        fn remove(self: Box<Self>) -> Result<(), Fault> {
            if self.0 == "stuck" { Err(Fault::Other("it does not end".to_owned())) } else { Ok(()) }
        }
    }

    fn key(target: &str, clients: u64) -> FixtureKey {
        let details = serde_json::json!({ "clients": clients });
        FixtureKey { details, ..FixtureKey::new("server", target, 0, Ownership::Created) }
    }

    #[test]
    fn a_kind_of_another_area_is_made_checked_reused_and_removed() {
        let (mut store, host) = (FixtureStore::new(SERVERS), HostInfo::default());
        let make = |store: &mut FixtureStore, key: &FixtureKey| {
            let made = store.make(key, &host, &mut |_| true).map_err(|fault| fault.to_string());
            made.map(|()| STARTED.load(Relaxed))
        };
        assert_eq!(make(&mut store, &key("one", 8)), Ok(1));
        assert_eq!(make(&mut store, &key("one", 4)), Ok(1), "it serves fewer clients too");
        assert_eq!(make(&mut store, &key("one", 9)), Ok(2));
        assert_eq!(store.find::<Server>(&key("one", 1)).unwrap().0, "one");
        assert!(store.find::<Server>(&key("two", 1)).is_none());
        assert_eq!((store.all::<Server>().count(), store.all::<Layer>().count()), (2, 0));
        assert_eq!(make(&mut store, &key("dead", 1)), Ok(3));
        assert_eq!(make(&mut store, &key("dead", 1)), Err("it ended".to_owned()));
        let unknown = FixtureKey { kind: "array".to_owned(), ..key("one", 1) };
        assert!(make(&mut store, &unknown).unwrap_err().contains("a fixture of kind `array`"));
        let stopped = store.make(&key("two", 1), &host, &mut |_| false);
        assert!(matches!(stopped, Err(Fault::Cancelled)) && store.find::<Server>(&key("two", 1)).is_none());
        // What cannot be removed is told, and keeps nothing else from being removed.
        make(&mut store, &key("stuck", 1)).unwrap();
        make(&mut store, &key("last", 1)).unwrap();
        let told = store.remove(&[key("one", 8), key("stuck", 1), key("last", 1), key("never", 1)]);
        assert_eq!(told.unwrap_err().to_string(), "it does not end");
        let left: Vec<_> = store.ready.0.iter().map(|(key, _)| key.clone()).collect();
        assert_eq!(left, [key("one", 9), key("dead", 1)]);
    }

    /// One that notes when it goes.
    #[derive(Debug)]
    struct Layer(u64);

    static GONE: Mutex<Vec<u64>> = Mutex::new(Vec::new());

    impl Fixture for Layer {
        fn remove(self: Box<Self>) -> Result<(), Fault> {
            Ok(())
        }
    }

    impl Drop for Layer {
        fn drop(&mut self) {
            lock(&GONE).push(self.0);
        }
    }

    #[test]
    fn what_was_made_last_goes_first_when_nobody_removes_it() {
        fn make(key: &FixtureKey, _: &HostInfo, _: &mut Progress<'_>) -> FixtureResult {
            Ok(Box::new(Layer(key.bytes)))
        }
        const KINDS: &[FixtureKind] = &[FixtureKind { name: "layer", make }];
        let mut store = FixtureStore::new(KINDS);
        for bytes in 1..=3 {
            let key = FixtureKey::new("layer", "x", bytes, Ownership::Created);
            store.make(&key, &HostInfo::default(), &mut |_| true).unwrap();
        }
        drop(store);
        assert_eq!(*lock(&GONE), [3, 2, 1]);
    }
}
