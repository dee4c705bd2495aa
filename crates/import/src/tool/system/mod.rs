//! Importers of tools for what a system does meanwhile: vmstat, iostat, mpstat, sar, pidstat, blkparse, btt,
//! iostat of other systems, zpool, time, top, dstat, iotop, nfsiostat, turbostat, uptime, pressure and counters of the kernel.

mod blkparse;
mod btt;
mod cell;
mod clock;
mod diskstats;
mod dstat;
mod dstat_columns;
mod iostat_unix;
mod iotop;
mod load_average;
mod nfsiostat;
mod pressure;
mod sample;
mod shares;
mod slabtop;
mod sysstat;
mod time;
mod time_form;
mod top;
mod top_bsd;
mod top_words;
mod turbostat;
mod uptime;
mod vmstat;
mod vmstat_lists;
mod zpool;
mod zpool_histogram;

use super::reader::ToolReader;

/// Those of this area; one that is surer of its beginning comes before others.
pub(super) const READERS: &[&dyn ToolReader] = &[
    &vmstat::Vmstat,
    &iostat_unix::IostatUnix,
    &sysstat::Iostat,
    &sysstat::Mpstat,
    &sysstat::Sar,
    &sysstat::Pidstat,
    &time::Time,
    &top::Top,
    &blkparse::Blkparse,
    &btt::Btt,
    &zpool::Zpool,
    &dstat::Dstat,
    &iotop::Iotop,
    &nfsiostat::Nfsiostat,
    &turbostat::Turbostat,
    &uptime::Uptime,
    &zpool_histogram::ZpoolHistogram,
    &pressure::Pressure,
    &diskstats::Diskstats,
    &slabtop::Slabtop,
];
