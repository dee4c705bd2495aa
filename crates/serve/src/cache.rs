//! Pages that were made lately, by what they show. There are so many at most, and of all together so many bytes; what was
//! not asked for the longest goes first.

use std::sync::{Arc, Mutex, PoisonError};

/// Values by their keys.
#[derive(Debug)]
pub(crate) struct Cache<T> {
    most: usize,
    bytes_most: usize,
    /// The one that was asked for last at the end.
    kept: Mutex<Vec<Kept<T>>>,
}

#[derive(Debug)]
struct Kept<T> {
    key: String,
    value: Arc<T>,
    bytes: usize,
}

impl<T> Cache<T> {
    /// An empty one.
    pub(crate) fn new(most: usize, bytes_most: usize) -> Self {
        Self { most, bytes_most, kept: Mutex::default() }
    }

    /// The value of this key.
    pub(crate) fn get(&self, key: &str) -> Option<Arc<T>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|k| k.key == key)?;
        let found = kept.remove(at);
        let value = Arc::clone(&found.value);
        kept.push(found);
        Some(value)
    }

    /// Keeps a value of so many bytes; one that is larger than all may be together is not kept.
    pub(crate) fn put(&self, key: String, value: &Arc<T>, bytes: usize) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|k| k.key != key);
        if bytes > self.bytes_most {
            return;
        }
        kept.push(Kept { key, value: Arc::clone(value), bytes });
        while kept.len() > self.most || kept.iter().map(|k| k.bytes).sum::<usize>() > self.bytes_most {
            kept.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(cache: &Cache<u32>) -> Vec<String> {
        cache.kept.lock().unwrap().iter().map(|k| k.key.clone()).collect()
    }

    #[test]
    fn what_was_not_asked_for_the_longest_goes_first() {
        let cache = Cache::new(2, 100);
        for (key, value) in [("a", 1), ("b", 2)] {
            cache.put(key.to_owned(), &Arc::new(value), 10);
        }
        assert_eq!(cache.get("a").as_deref(), Some(&1));
        cache.put("c".to_owned(), &Arc::new(3), 10);
        assert_eq!(keys(&cache), ["a", "c"]);
        assert!(cache.get("b").is_none());
    }

    #[test]
    fn all_together_have_so_many_bytes_at_most() {
        let cache = Cache::new(9, 100);
        for (key, bytes) in [("a", 60), ("b", 30), ("c", 30), ("d", 101)] {
            cache.put(key.to_owned(), &Arc::new(0), bytes);
        }
        assert_eq!(keys(&cache), ["b", "c"]);
        cache.put("b".to_owned(), &Arc::new(1), 101);
        assert_eq!(keys(&cache), ["c"]);
    }
}
