//! Importers of tools that drive files and block devices, or copy them: fio, dd, diskspd, CrystalDiskMark, elbencho, pv,
//! rsync.

mod crystaldiskmark;
mod dd;
mod dd_remedy;
mod diskspd;
mod elbencho;
mod failure;
mod fio;
mod pv;
mod rsync;

use super::reader::ToolReader;

/// Those of this area; one that is surer of its beginning comes before others.
pub(super) const READERS: &[&dyn ToolReader] = &[
    &fio::Fio,
    &dd::Dd,
    &diskspd::Diskspd,
    &crystaldiskmark::CrystalDiskMark,
    &elbencho::Elbencho,
    &pv::Pv,
    &rsync::Rsync,
];
