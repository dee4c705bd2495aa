//! Importers of tools for databases, and sysbench with all it has: mysqlslap, pgbench.

use super::reader::ToolReader;

/// Those of this area; one that is surer of its beginning comes before others.
pub(super) const READERS: &[&dyn ToolReader] = &[];
