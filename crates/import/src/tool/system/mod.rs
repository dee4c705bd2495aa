//! Importers of tools for what a system does meanwhile: vmstat, iostat, mpstat, sar, blkparse, time, top.

use super::reader::ToolReader;

/// Those of this area; one that is surer of its beginning comes before others.
pub(super) const READERS: &[&dyn ToolReader] = &[];
