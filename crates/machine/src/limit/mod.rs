//! What the parts of a machine can do at most, from links, datasheets and
//! imposed quotas, and the path that data takes through them. A source of
//! limits is one file and one line in [`SOURCES`].

mod path;
mod quota;

use model::Limit;
use model::machine::Inventory;

pub use path::{Flow, to_block_device};

/// One source of limits.
type Source = fn(&Inventory) -> Vec<Limit>;

/// Every source of limits.
const SOURCES: &[Source] = &[quota::limits];

/// What the parts of this machine can do at most, as far as its inventory says.
#[must_use]
pub fn of(inventory: &Inventory) -> Vec<Limit> {
    SOURCES.iter().flat_map(|source| source(inventory)).collect()
}
