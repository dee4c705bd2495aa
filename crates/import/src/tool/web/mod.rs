//! Importers of tools for transfers and servers over HTTP: wget, curl, wrk, oha.

use super::reader::ToolReader;

/// Those of this area; one that is surer of its beginning comes before others.
pub(super) const READERS: &[&dyn ToolReader] = &[];
