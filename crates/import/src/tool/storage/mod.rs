//! Importers of tools that drive files and block devices, or copy them: fio, dd, diskspd, CrystalDiskMark, AS SSD, elbencho,
//! filebench, vdbench, ior, kbench, mdtest, rados bench, rbd bench, winsat, pv, rsync, SPDK,
//! `ceph tell osd.N bench`, kubestr, SQLIO, fio's t/io_uring, ATTO, ezFIO.

mod as_ssd;
mod atto;
mod crystaldiskmark;
mod dd;
mod dd_operands;
mod dd_remedy;
mod diskspd;
mod elbencho;
mod ezfio;
mod failure;
mod filebench;
mod fio;
mod io_uring;
mod ior;
mod kbench;
mod kubestr;
mod mdtest;
mod osd_bench;
mod pv;
mod rados;
mod rbd;
mod rsync;
mod spdk;
mod sqlio;
mod vdbench;
mod winsat;

use super::reader::ToolReader;

/// Those of this area; one that is surer of its beginning comes before others.
pub(super) const READERS: &[&dyn ToolReader] = &[
    &fio::Fio,
    &dd::Dd,
    &diskspd::Diskspd,
    &crystaldiskmark::CrystalDiskMark,
    &as_ssd::AsSsd,
    &elbencho::Elbencho,
    &filebench::Filebench,
    &vdbench::Vdbench,
    &ior::Ior,
    &kbench::Kbench,
    &mdtest::Mdtest,
    &rados::Rados,
    &rbd::Rbd,
    &winsat::Winsat,
    &pv::Pv,
    &rsync::Rsync,
    &spdk::Spdk,
    &osd_bench::OsdBench,
    &kubestr::Kubestr,
    &sqlio::Sqlio,
    &io_uring::IoUring,
    &ezfio::EzFio,
    &atto::Atto,
];
