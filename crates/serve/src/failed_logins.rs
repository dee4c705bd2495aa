//! How often a wrong token came from an address lately. A token cannot be guessed; this keeps guessing from costing much, and
//! from hiding what else comes in.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// So many wrong tokens within [`WITHIN`] are borne of an address.
const MOST: u32 = 10;

/// For so long a wrong token counts.
const WITHIN: Duration = Duration::from_secs(60);

/// So many addresses are remembered; beyond, all are held up together.
const ADDRESSES: usize = 1024;

/// Wrong tokens by address.
#[derive(Debug, Default)]
pub(crate) struct FailedLogins(Mutex<HashMap<IpAddr, (u32, Instant)>>);

impl FailedLogins {
    /// Whether this address has to wait.
    pub(crate) fn has_to_wait(&self, from: IpAddr) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, (_, since)| since.elapsed() < WITHIN);
        match all.get(&network(from)) {
            Some((count, _)) => *count >= MOST,
            None => all.len() >= ADDRESSES,
        }
    }

    /// Counts a wrong token from this address.
    pub(crate) fn count(&self, from: IpAddr) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(network(from)).or_insert((0, Instant::now())).0 += 1;
    }
}

/// The address, of IPv6 its network: who has one address there has 2^64.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(six) => {
            let [a, b, c, d, ..] = six.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        four @ IpAddr::V4(_) => four,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_ten_wrong_tokens_an_address_waits_and_others_do_not() {
        let failed = FailedLogins::default();
        let [one, other] = ["192.0.2.1", "192.0.2.2"].map(|a| a.parse::<IpAddr>().unwrap());
        for _ in 0..MOST {
            assert!(!failed.has_to_wait(one));
            failed.count(one);
        }
        assert!(failed.has_to_wait(one) && !failed.has_to_wait(other));
        let [six, near, far] =
            ["2001:db8::1", "2001:db8::ffff:2", "2001:db8:0:1::1"].map(|a| a.parse::<IpAddr>().unwrap());
        (0..MOST).for_each(|_| failed.count(six));
        assert!(failed.has_to_wait(near) && !failed.has_to_wait(far));
    }
}
