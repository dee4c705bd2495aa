//! Importers of tools for single drives and file systems: hdparm, ioping, bonnie++, iozone, pveperf.

mod bonnie;
mod bonnie_lines;
mod hdparm;
mod ioping;
mod ioping_sums;
mod ioping_work;
mod iozone;
mod iozone_excel;
mod pveperf;

use super::reader::ToolReader;

/// Those of this area; one that is surer of its beginning comes before others.
pub(super) const READERS: &[&dyn ToolReader] =
    &[&hdparm::Hdparm, &ioping::Ioping, &bonnie::Bonnie, &iozone::Iozone, &pveperf::Pveperf];
