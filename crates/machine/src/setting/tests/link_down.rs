//! What is not there for a moment after a change: the link of an interface.

use super::{Fake, guard, wanted};

/// How often the link is to be asked until it is back.
const FLAPS: u32 = 3;

fn with_a_link() -> &'static Fake {
    let fake = Fake::new();
    *fake.flaps.lock().unwrap() = FLAPS;
    fake
}

fn is_down(fake: &Fake) -> bool {
    *fake.down.lock().unwrap() > 0
}

#[test]
fn regression_a_trial_started_on_a_link_that_was_down_since_it_was_put_back() {
    let (fake, folder) = (with_a_link(), tempfile::tempdir().unwrap());
    let mut guard = guard(fake, folder.path());
    guard.set(&[wanted("a", 10), wanted("b", 20)]).unwrap();
    assert!(!is_down(fake), "what was changed is waited for");
    guard.set(&[wanted("b", 20)]).unwrap();
    assert_eq!((fake.is("a"), is_down(fake)), (1, false), "so is what the next case does not ask for");
    // After an error all is put back; the next case waits, whatever it asks for.
    for next in [vec![], vec![wanted("a", 11)], vec![wanted("b", 21)]] {
        assert!(guard.set(&[wanted("a", 10), wanted("b", 666)]).is_err());
        assert!(fake.is("a") == 1 && is_down(fake));
        guard.set(&next).unwrap();
        assert!(!is_down(fake), "{next:?}");
        guard.set(&[]).unwrap();
    }
}

#[test]
fn a_link_that_was_down_before_is_not_waited_for() {
    let (fake, folder) = (with_a_link(), tempfile::tempdir().unwrap());
    *fake.down.lock().unwrap() = u32::MAX;
    *fake.flaps.lock().unwrap() = u32::MAX;
    let mut guard = guard(fake, folder.path());
    guard.set(&[wanted("a", 10)]).unwrap();
    guard.set(&[]).unwrap();
    assert_eq!((fake.is("a"), is_down(fake)), (1, true));
}
