//! Importers of tools for what a machine has: lspci, lshw, lscpu, ip, sensors.

use super::reader::ToolReader;

/// Those of this area; one that is surer of its beginning comes before others.
pub(super) const READERS: &[&dyn ToolReader] = &[];
