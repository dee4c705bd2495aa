//! Stored histograms, read once for all rules that look at a case, and their means once for all
//! cases.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::{Arc, PoisonError, RwLock};

use model::MetricName;
use stats::distribution::Distribution;

/// Where a text lies, and how long it is.
type Place = (usize, usize);

/// What was read for a case.
struct Read {
    histograms: HashMap<Place, Option<Rc<Distribution>>>,
    means: Arc<Means>,
}

/// The means that any thread has made: a case is held against those beside it, which other threads
/// judge, and of those the mean is all that is asked.
#[derive(Debug, Default)]
struct Means(RwLock<HashMap<Place, Option<f64>>>);

thread_local! {
    static READ: RefCell<Option<Read>> = const { RefCell::new(None) };
}

/// What the rules that look at a run have read of it.
///
/// Texts are told apart by where they lie: that the run is borrowed meanwhile keeps them there.
#[derive(Debug)]
pub(crate) struct Remembered<'k> {
    means: Arc<Means>,
    kept: PhantomData<&'k ()>,
}

impl<'k> Remembered<'k> {
    /// Nothing of `kept` yet.
    pub(crate) fn of<K: ?Sized>(_kept: &'k K) -> Self {
        Self { means: Arc::default(), kept: PhantomData }
    }

    /// What `f` says, on this thread: each histogram that it asks for is read once.
    pub(crate) fn with<T>(&self, f: impl FnOnce() -> T) -> T {
        struct Forget;
        impl Drop for Forget {
            fn drop(&mut self) {
                READ.set(None);
            }
        }
        READ.set(Some(Read { histograms: HashMap::new(), means: Arc::clone(&self.means) }));
        let _forget = Forget;
        f()
    }
}

impl Means {
    /// The mean of the histogram in `text`, made if it is not there yet.
    fn of(&self, text: &str, make: impl FnOnce() -> Option<f64>) -> Option<f64> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&place(text)).copied();
        known.unwrap_or_else(|| {
            let mean = make();
            self.0.write().unwrap_or_else(PoisonError::into_inner).insert(place(text), mean);
            mean
        })
    }
}

fn place(text: &str) -> Place {
    (text.as_ptr().addr(), text.len())
}

/// The mean of a distribution, seconds.
pub(crate) fn mean_of(histograms: &BTreeMap<MetricName, String>, name: MetricName) -> Option<f64> {
    let make = || Some(distribution(histograms, name)?.mean()? / 1e9);
    let means = READ.with_borrow(|read| read.as_ref().map(|read| Arc::clone(&read.means)));
    match means {
        Some(means) => means.of(histograms.get(&name)?, make),
        None => make(),
    }
}

/// What a stored histogram tells; absent where there is none, or none that can be read.
pub(crate) fn distribution(
    histograms: &BTreeMap<MetricName, String>,
    name: MetricName,
) -> Option<Rc<Distribution>> {
    let text = histograms.get(&name)?;
    let decode = || Distribution::decode(text).ok().map(Rc::new);
    READ.with_borrow_mut(|read| match read {
        Some(read) => read.histograms.entry(place(text)).or_insert_with(decode).clone(),
        None => decode(),
    })
}

#[cfg(test)]
mod tests {
    use model::metric;

    use super::*;

    fn histograms(values: &[u64]) -> BTreeMap<MetricName, String> {
        let mut histogram = stats::histogram::new_latency();
        values.iter().for_each(|value| histogram.saturating_record(*value));
        BTreeMap::from([(metric::LATENCY, stats::histogram::encode(&histogram).unwrap())])
    }

    #[test]
    fn what_is_remembered_is_what_is_read() {
        let all = [histograms(&[100, 200]), histograms(&[1000]), histograms(&[]), BTreeMap::new()];
        let means = || all.iter().map(|each| mean_of(each, metric::LATENCY)).collect::<Vec<_>>();
        let alone = means();
        assert_eq!(alone.iter().map(Option::is_some).collect::<Vec<_>>(), [true, true, false, false]);
        let remembered = Remembered::of(&all);
        // Twice: of the second time nothing is read.
        assert_eq!(remembered.with(|| [means(), means()]), [alone.clone(), alone.clone()]);
        let count = || distribution(&all[0], metric::LATENCY).map(|read| read.len());
        assert_eq!((count(), remembered.with(|| [count(), count()])), (Some(2), [Some(2); 2]));
        // Known from before, on another thread too.
        let elsewhere = std::thread::scope(|scope| scope.spawn(|| remembered.with(means)).join().unwrap());
        assert_eq!(elsewhere, alone);
    }
}
