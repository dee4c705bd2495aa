//! Importers of tools for networks: iperf, iperf3, netperf, NetPIPE, nttcp, nuttcp, flent.

use super::reader::ToolReader;

/// Those of this area; one that is surer of its beginning comes before others.
pub(super) const READERS: &[&dyn ToolReader] = &[];
