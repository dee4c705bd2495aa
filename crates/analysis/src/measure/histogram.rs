//! Stored histograms, read once for all rules that look at a case.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use model::MetricName;
use stats::distribution::Distribution;

/// What was read, by where its text lies and how long it is.
type Read = HashMap<(*const u8, usize), Option<Rc<Distribution>>>;

thread_local! {
    static READ: RefCell<Option<Read>> = const { RefCell::new(None) };
}

/// What `f` says of `kept`, on this thread; each histogram in it that `f` asks for is read once.
///
/// Texts are told apart by where they lie: that `kept` is borrowed meanwhile keeps them there.
pub(crate) fn remembered<K: ?Sized, T>(kept: &K, f: impl FnOnce(&K) -> T) -> T {
    struct Forget;
    impl Drop for Forget {
        fn drop(&mut self) {
            READ.set(None);
        }
    }
    READ.set(Some(Read::new()));
    let _forget = Forget;
    f(kept)
}

/// The mean of a distribution, seconds.
pub(crate) fn mean_of(histograms: &BTreeMap<MetricName, String>, name: MetricName) -> Option<f64> {
    distribution(histograms, name)?.mean().map(|ns| ns / 1e9)
}

/// What a stored histogram tells; absent where there is none, or none that can be read.
pub(crate) fn distribution(
    histograms: &BTreeMap<MetricName, String>,
    name: MetricName,
) -> Option<Rc<Distribution>> {
    let text = histograms.get(&name)?;
    let read = || Distribution::decode(text).ok().map(Rc::new);
    READ.with_borrow_mut(|all| match all {
        Some(all) => all.entry((text.as_ptr(), text.len())).or_insert_with(read).clone(),
        None => read(),
    })
}
