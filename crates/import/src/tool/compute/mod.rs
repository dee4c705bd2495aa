//! Importers of tools for processors and memory: STREAM, mbw, stress-ng, yabs.sh.

use super::reader::ToolReader;

/// Those of this area; one that is surer of its beginning comes before others.
pub(super) const READERS: &[&dyn ToolReader] = &[];
