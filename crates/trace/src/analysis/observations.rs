//! What matters of a report, the most important first: what makes other figures doubtful,
//! then faults, then what holds the load back, then what kind of load it was.

use super::depth::LittlesLaw;
use super::device_report::DeviceReport;
use super::flushes::FlushStorm;
use super::losses::AffectedFigure;
use super::processes::{DirtiedPages, WriterKind};
use super::report::Report;
use super::stacking::SwapDeviceIo;
use super::syncs::{SlowSync, SyncCaller};
use super::thresholds::{
    ALONE_BUSY_SHARE, ALONE_DEPTH, DEVICE_SHARE, FLUSH_BUSY_SHARE, HOST_SHARE, RANDOM_SHARE, REQUEUE_SHARE,
    REQUEUES_MIN, SAMPLE_MIN, SEQUENTIAL_SHARE, SLOW_SYNC_NS, SMALL_BYTES, SPLIT_SHARE, STALL_NS,
    UNEXPLAINED_SHARE, WRITEBACK_SHARE, WRITER_SHARE, WRITTEN_MIN,
};
use super::traffic::IoClass;
use crate::event::{Device, TaskName};

/// Something that whoever reads a trace must know. Shares are from 0 to 1, times in nanoseconds;
/// the thresholds and their reasons are in [`super::thresholds`].
#[derive(Clone, Debug, PartialEq)]
pub enum Observation {
    /// There was no event of a device.
    NothingSeen,
    /// Events were lost, however few: then the figures named are not of all that happened.
    LostEvents {
        /// How often a buffer was found to have been full.
        times: u64,
        /// How many events; nothing where the kernel did not always tell.
        events: Option<u64>,
        /// What could not be matched after it.
        unmatched: u64,
        /// Which figures it touches.
        affected: Vec<AffectedFigure>,
    },
    /// Depth and latencies do not fit together ([`UNEXPLAINED_SHARE`]).
    DepthUnexplained {
        /// Where.
        device: Device,
        /// The two sides.
        law: LittlesLaw,
    },
    /// Requests failed; any number.
    Errors {
        /// Where.
        device: Device,
        /// How many.
        count: u64,
        /// The last one's `errno`.
        last: Option<u32>,
    },
    /// The device had something and completed nothing for long ([`STALL_NS`]). The longest.
    Stall {
        /// Where.
        device: Device,
        /// When it began, on the trace's clock.
        began_ns: u64,
        /// How long it lasted.
        length_ns: u64,
        /// Whether a completion ended it; else the trace did.
        is_over: bool,
        /// How many the device had.
        at_device: u64,
        /// How many bios waited in the host.
        waiting: Option<u64>,
    },
    /// The kernel swapped: a swap device had I/O of its own, or the kernel's counters grew.
    Swapping {
        /// The swap devices with I/O. None for a swap file, whose I/O is not told from its file
        /// system's.
        devices: Vec<SwapDeviceIo>,
        /// Pages read from swap, where counted.
        pages_in: Option<u64>,
        /// Pages written to swap, where counted.
        pages_out: Option<u64>,
    },
    /// A call that waits for the medium took long ([`SLOW_SYNC_NS`]). The slowest, and all of
    /// its caller.
    SlowSync {
        /// The slowest call, and what was done in it.
        slowest: SlowSync,
        /// How many calls of this kind its caller made.
        calls: u64,
        /// What 99 % of them did not exceed, where there were enough.
        p99_ns: Option<u64>,
    },
    /// Flushes came in storms and took a good part of the time ([`FLUSH_BUSY_SHARE`]).
    FlushStorm {
        /// Where.
        device: Device,
        /// How many storms.
        storms: u64,
        /// How many flushes they had.
        flushes: u64,
        /// The one with the most.
        largest: FlushStorm,
        /// The share of the trace during which a flush was under way.
        busy_share: f64,
    },
    /// The driver pushed back at a full queue ([`REQUEUE_SHARE`]).
    Requeues {
        /// Where.
        device: Device,
        /// How often.
        count: u64,
        /// Of how many issues.
        share: f64,
    },
    /// Bios spent nearly all of their time at the device ([`DEVICE_SHARE`]).
    DeviceBound {
        /// Where.
        device: Device,
        /// The share of Q2C that is D2C.
        device_share: f64,
        /// The mean of D2C.
        device_mean_ns: f64,
    },
    /// Bios waited in the host for most of their time ([`HOST_SHARE`]): the device was full, or a
    /// scheduler, a plug or a limit held them.
    WaitsInHost {
        /// Where.
        device: Device,
        /// The share of Q2C before D.
        waiting_share: f64,
        /// The mean of the wait.
        waiting_mean_ns: f64,
        /// The most that the device had at once: what it was full of, if it was.
        depth_max: u64,
    },
    /// One request after another, nearly always ([`ALONE_DEPTH`]): latency decides, and a deeper
    /// queue would do more.
    OneAtATime {
        /// Where.
        device: Device,
        /// The mean depth while it was busy.
        depth: f64,
        /// The share of the trace during which it was.
        busy_share: f64,
    },
    /// I/O went on where it had ended ([`SEQUENTIAL_SHARE`]).
    MostlySequential {
        /// Where.
        device: Device,
        /// Reads or writes.
        class: IoClass,
        /// The share that went on where the last one ended.
        share: f64,
        /// The share that went on where one of the last few streams ended: much higher than
        /// `share` for several files at once. This is held against the threshold.
        share_in_streams: f64,
        /// The median size of a request.
        median_bytes: u64,
    },
    /// I/O went here and there ([`RANDOM_SHARE`]).
    MostlyRandom {
        /// Where.
        device: Device,
        /// Reads or writes.
        class: IoClass,
        /// The share that went on where one of the last few streams ended.
        share_in_streams: f64,
        /// The median size of a request.
        median_bytes: u64,
        /// The median distance, in sectors.
        seek_median_sectors: Option<u64>,
    },
    /// Sequential, and still in small pieces ([`SMALL_BYTES`]).
    SmallSequential {
        /// Where.
        device: Device,
        /// Reads or writes.
        class: IoClass,
        /// The median size of a request.
        median_bytes: u64,
    },
    /// Bios were larger than the device takes ([`SPLIT_SHARE`]).
    Splits {
        /// Where.
        device: Device,
        /// How many splits.
        count: u64,
        /// Of how many bios.
        share: f64,
    },
    /// Workers of the kernel queued what others had written ([`WRITEBACK_SHARE`]).
    MostlyWriteback {
        /// Where.
        device: Device,
        /// The share of written bytes.
        share: f64,
        /// The bytes.
        bytes: u64,
    },
    /// One thread dirtied most of what was dirtied ([`WRITER_SHARE`]).
    MainWriter {
        /// The thread.
        thread: u32,
        /// Its name.
        task: TaskName,
        /// Its share of the dirtied bytes.
        share: f64,
        /// Its bytes.
        bytes: u64,
    },
}

/// What matters of a report.
pub(super) fn observe(report: &Report) -> Vec<Observation> {
    let devices = || report.devices.iter();
    let span_ns = report.span.length_ns();
    let mut found = Vec::new();
    if report.devices.is_empty() {
        found.push(Observation::NothingSeen);
    }
    found.extend(lost(report));
    found.extend(devices().filter_map(unexplained));
    found.extend(devices().filter(|device| device.errors.count > 0).map(|device| Observation::Errors {
        device: device.device,
        count: device.errors.count,
        last: device.errors.last,
    }));
    found.extend(devices().filter_map(stall));
    found.extend(swapping(report));
    found.extend(slow_sync(report));
    found.extend(devices().filter_map(|device| flush_storm(device, span_ns)));
    found.extend(devices().filter_map(requeues));
    found.extend(devices().filter_map(where_time_goes));
    found.extend(devices().filter_map(|device| one_at_a_time(device, span_ns)));
    for class in [IoClass::Read, IoClass::Write] {
        found.extend(devices().flat_map(|device| pattern(device, class)));
    }
    found.extend(devices().filter_map(splits));
    found.extend(devices().filter_map(writeback));
    found.extend(main_writer(report));
    found
}

fn lost(report: &Report) -> Option<Observation> {
    let losses = &report.losses;
    (losses.times > 0).then(|| Observation::LostEvents {
        times: losses.times,
        events: (losses.times_unknown == 0).then_some(losses.events),
        unmatched: report.unmatched_by_loss(),
        affected: losses.affected.clone(),
    })
}

fn unexplained(report: &DeviceReport) -> Option<Observation> {
    let law = report.littles_law?;
    let is_off = law.unexplained().is_some_and(|share| share > UNEXPLAINED_SHARE);
    let done = done(report);
    // What is still on its way at the end is in the depth alone: about a stay each, at the mean depth.
    let at_end = law.depth_mean / UNEXPLAINED_SHARE;
    let is_enough = done >= SAMPLE_MIN && done as f64 > at_end;
    (is_off && is_enough).then_some(Observation::DepthUnexplained { device: report.device, law })
}

fn stall(report: &DeviceReport) -> Option<Observation> {
    let stall = report.stalls.first().filter(|stall| stall.length_ns() >= STALL_NS)?;
    Some(Observation::Stall {
        device: report.device,
        began_ns: stall.began_ns,
        length_ns: stall.length_ns(),
        is_over: stall.is_over,
        at_device: stall.at_device,
        waiting: stall.waiting,
    })
}

fn swapping(report: &Report) -> Option<Observation> {
    let used = |swap: &&SwapDeviceIo| swap.io.reads.count + swap.io.writes.count > 0;
    let devices: Vec<SwapDeviceIo> = report.swap.devices.iter().filter(used).copied().collect();
    let counters = report.swap.counters;
    let counted = counters.is_some_and(|counters| counters.pages_in + counters.pages_out > 0);
    (counted || !devices.is_empty()).then(|| Observation::Swapping {
        devices,
        pages_in: counters.map(|counters| counters.pages_in),
        pages_out: counters.map(|counters| counters.pages_out),
    })
}

fn slow_sync(report: &Report) -> Option<Observation> {
    let slowest = *report.syncs.slowest.first().filter(|slow| slow.call.length_ns() >= SLOW_SYNC_NS)?;
    let is_same = |caller: &&SyncCaller| caller.task == slowest.call.task && caller.call == slowest.call.call;
    let caller = report.syncs.callers.iter().find(is_same);
    Some(Observation::SlowSync {
        slowest,
        calls: caller.map_or(1, |caller| caller.times_ns.count),
        p99_ns: caller.and_then(|caller| caller.times_ns.p99),
    })
}

fn flush_storm(report: &DeviceReport, span_ns: u64) -> Option<Observation> {
    let flushes = &report.flushes;
    let largest = *flushes.largest_storms.first()?;
    let busy_share = share(flushes.busy_ns, span_ns)?;
    (busy_share >= FLUSH_BUSY_SHARE).then_some(Observation::FlushStorm {
        device: report.device,
        storms: flushes.storms,
        flushes: flushes.storm_flushes,
        largest,
        busy_share,
    })
}

fn requeues(report: &DeviceReport) -> Option<Observation> {
    let (count, issued) = (report.given_back, report.counts.issued);
    let share = share(count, issued.reads.count + issued.writes.count)?;
    (count >= REQUEUES_MIN && share >= REQUEUE_SHARE).then_some(Observation::Requeues {
        device: report.device,
        count,
        share,
    })
}

fn where_time_goes(report: &DeviceReport) -> Option<Observation> {
    let shares = report.time_shares;
    if shares.bios < SAMPLE_MIN {
        return None;
    }
    let device_share = shares.device()?;
    let (bios, device_ns) = (shares.bios as f64, shares.issue_to_complete_ns as f64);
    if device_share >= DEVICE_SHARE {
        let device_mean_ns = device_ns / bios;
        return Some(Observation::DeviceBound { device: report.device, device_share, device_mean_ns });
    }
    (device_share < HOST_SHARE).then(|| Observation::WaitsInHost {
        device: report.device,
        waiting_share: 1.0 - device_share,
        waiting_mean_ns: (shares.queue_to_complete_ns as f64 - device_ns) / bios,
        depth_max: report.depth.max,
    })
}

fn one_at_a_time(report: &DeviceReport, span_ns: u64) -> Option<Observation> {
    let depth = report.depth.mean_busy?;
    let busy_share = share(report.depth.busy_ns, span_ns)?;
    let done = done(report);
    (depth <= ALONE_DEPTH && busy_share >= ALONE_BUSY_SHARE && done >= SAMPLE_MIN)
        .then_some(Observation::OneAtATime { device: report.device, depth, busy_share })
}

fn pattern(report: &DeviceReport, class: IoClass) -> Vec<Observation> {
    let traffic = report.traffic();
    let (sequence, device) = (traffic.sequence_of(class), report.device);
    let (Some(share), Some(share_in_streams)) = (sequence.share(), sequence.share_in_streams()) else {
        return Vec::new();
    };
    let Some(median_bytes) = traffic.sizes_of(class).median_bytes else { return Vec::new() };
    if sequence.count < SAMPLE_MIN {
        return Vec::new();
    }
    if share_in_streams <= RANDOM_SHARE {
        let seek_median_sectors = traffic.seeks_sectors.p50;
        return vec![Observation::MostlyRandom {
            device,
            class,
            share_in_streams,
            median_bytes,
            seek_median_sectors,
        }];
    }
    let mut found = Vec::new();
    if share_in_streams >= SEQUENTIAL_SHARE {
        found.push(Observation::MostlySequential { device, class, share, share_in_streams, median_bytes });
        if median_bytes <= SMALL_BYTES {
            found.push(Observation::SmallSequential { device, class, median_bytes });
        }
    }
    found
}

fn splits(report: &DeviceReport) -> Option<Observation> {
    let queued = report.counts.queued.reads.count + report.counts.queued.writes.count;
    let count = report.counts.split;
    let share = share(count, queued)?;
    (share >= SPLIT_SHARE && queued >= SAMPLE_MIN).then_some(Observation::Splits {
        device: report.device,
        count,
        share,
    })
}

fn writeback(report: &DeviceReport) -> Option<Observation> {
    let bytes = report.writers.of(WriterKind::Writeback).bytes;
    let share = report.writers.share(WriterKind::Writeback)?;
    (share >= WRITEBACK_SHARE && bytes >= WRITTEN_MIN).then_some(Observation::MostlyWriteback {
        device: report.device,
        share,
        bytes,
    })
}

fn main_writer(report: &Report) -> Option<Observation> {
    let (thread, DirtiedPages { task, pages }) = *report.dirtied.threads.first()?;
    let share = share(pages.bytes, report.dirtied.pages.bytes)?;
    (share >= WRITER_SHARE && pages.bytes >= WRITTEN_MIN).then_some(Observation::MainWriter {
        thread,
        task,
        share,
        bytes: pages.bytes,
    })
}

/// How many requests, or bios of a device without, were done.
fn done(report: &DeviceReport) -> u64 {
    let done = report.counts.done();
    done.reads.count + done.writes.count
}

/// Nothing of nothing.
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
