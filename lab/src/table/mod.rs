//! All scenarios: one entry in a table each, by area.

mod compute;
mod database;
mod disk;
mod http;
mod network;
mod observed;
mod parts;
mod quiet;

use crate::scenario::Scenario;

/// The tables, in the order of the page.
const TABLES: &[&[Scenario]] = &[
    disk::TABLE,
    parts::TABLE,
    observed::TABLE,
    compute::TABLE,
    network::TABLE,
    http::TABLE,
    database::TABLE,
    quiet::TABLE,
];

/// Every scenario.
pub(crate) fn all() -> impl Iterator<Item = &'static Scenario> {
    TABLES.iter().copied().flatten()
}
