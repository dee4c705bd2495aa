//! How operations reach the kernel: the engine, its depth and its batches.

use super::Load;
use super::place::TargetLayout;
use crate::diagnostic::Diagnostic;
use crate::fio::job::Job;

/// An engine of fio, and ours that does the same or nearly.
pub(super) struct Like {
    fio: &'static str,
    ours: &'static str,
    /// Whether several operations of a thread may be in flight.
    queues: bool,
    /// What differs; empty where nothing does.
    differs: &'static str,
}

const fn like(fio: &'static str, ours: &'static str, queues: bool, differs: &'static str) -> Like {
    Like { fio, ours, queues, differs }
}

const ELSEWHERE: &str = "it is another system's; io_uring does it here";

const LIKES: &[Like] = &[
    like("psync", "sync", false, ""),
    like("sync", "sync", false, ""),
    like("pvsync", "sync", false, ""),
    like("pvsync2", "sync", false, ""),
    like("vsync", "sync", false, "fio would join operations that lie side by side into one call"),
    like("libaio", "aio", true, ""),
    like("io_uring", "io_uring", true, ""),
    like("mmap", "mmap", false, ""),
    like("null", "null", true, ""),
    like("posixaio", "io_uring", true, "fio would use threads of the C library; io_uring does it here"),
    like("windowsaio", "io_uring", true, ELSEWHERE),
    like("solarisaio", "io_uring", true, ELSEWHERE),
    like("splice", "sync", false, "fio would move data through a pipe, without a copy"),
    like("sg", "sync", false, "fio would send SCSI commands of its own; here the block layer does"),
];

/// Engines that load something else than a file or a block device.
const OTHERS: &[(&[&str], &str)] = &[
    (&["cpuio"], "it loads processors, as `headroom run cpu.primes` does"),
    (&["net", "netsplice", "rdma"], "it loads a network, and `disk` drives files and devices"),
    (
        &["filecreate", "filestat", "filedelete", "dircreate", "dirstat", "dirdelete"],
        "it makes, looks up or removes names, as `headroom run file.metadata` does",
    ),
    (&["falloc", "ftruncate", "e4defrag"], "it moves no data"),
    (&["exec"], "it runs a command, which no job file can do here"),
    (
        &[
            "io_uring_cmd",
            "xnvme",
            "libblkio",
            "libzbc",
            "gfapi",
            "gfapi_async",
            "mtd",
            "nbd",
            "rados",
            "rbd",
            "pmemblk",
            "dev-dax",
            "libpmem",
            "http",
            "libhdfs",
            "libiscsi",
            "nfs",
            "dfs",
            "ime",
            "ime_psync",
            "ime_psyncv",
            "ime_aio",
            "page_fault",
            "cpp_null",
            "libcufile",
            "libhipfile",
            "external",
        ],
        "`disk` drives files and block devices, through the kernel",
    ),
];

/// Our engine for the job's. Fails if it loads something else, or there is none of this name.
pub(super) fn of(job: &Job) -> Result<&'static Like, Diagnostic> {
    let name = job.text("ioengine").unwrap_or("psync");
    if let Some(like) = LIKES.iter().find(|l| l.fio == name) {
        return Ok(like);
    }
    let place = job.place_of("ioengine");
    let short = name.split(':').next().unwrap_or(name);
    if let Some((_, why)) = OTHERS.iter().find(|(names, _)| names.contains(&short)) {
        return Err(
            place.diagnostic(format!("ioengine={short} cannot be run here: {why}"), "run this job with fio")
        );
    }
    Err(place.unknown("engine", name, LIKES.iter().map(|like| like.fio)))
}

pub(super) fn take(load: &mut Load<'_>, place: &TargetLayout) -> Result<(), Diagnostic> {
    let job = load.job;
    let like = of(job)?;
    load.put("engine", "ioengine", like.ours)?;
    if !like.differs.is_empty() {
        load.note("ioengine", like.differs);
    }
    direct(load, like)?;
    if job.flag("hipri") && like.fio != "io_uring" {
        load.note("hipri", "fio would poll for completions, which needs ioengine=io_uring here");
    }
    let asked = job.count("iodepth").unwrap_or(1);
    if !like.queues {
        if asked > 1 {
            let says = format!("ioengine={} does one operation at a time, here and in fio", like.fio);
            load.note("iodepth", &says);
        }
        return Ok(());
    }
    let depth = asked.div_ceil(place.spread);
    load.put("queue-depth", "iodepth", depth.to_string())?;
    if like.ours != "null" && depth > 1 {
        // fio's default is 1; 0 stands for as many as the queue holds.
        let submit = job.whole("iodepth_batch").unwrap_or(1);
        let submit = if submit == 0 { depth } else { submit.min(depth) };
        load.put("submit-batch", "iodepth_batch", submit.to_string())?;
        if let Some(complete) = job.count("iodepth_batch_complete_min") {
            load.put("complete-batch", "iodepth_batch_complete_min", complete.min(depth).to_string())?;
        }
    }
    if like.fio == "io_uring" { ring(load) } else { Ok(()) }
}

fn ring(load: &mut Load<'_>) -> Result<(), Diagnostic> {
    let job = load.job;
    let from = if job.flag("fixedbufs") { "fixedbufs" } else { "registerfiles" };
    load.put("registered", from, if job.flag(from) { "yes" } else { "no" })?;
    if job.flag("sqthread_poll") {
        load.put("sqpoll", "sqthread_poll", "yes")?;
    }
    if job.flag("hipri") {
        load.put("iopoll", "hipri", "yes")?;
    }
    Ok(())
}

/// The later of `direct` and `buffered` counts; the default is buffered.
fn direct(load: &mut Load<'_>, like: &Like) -> Result<(), Diagnostic> {
    let job = load.job;
    let order = |name: &str| job.get(name).map(|g| g.order);
    let (from, direct) = match order("buffered") > order("direct") {
        true => ("buffered", !job.flag_or("buffered", true)),
        false => ("direct", job.flag("direct")),
    };
    if direct && like.ours == "mmap" {
        load.note(from, "a mapping always goes through the page cache");
        return load.put("direct", from, "no");
    }
    load.put("direct", from, if direct { "yes" } else { "no" })
}
