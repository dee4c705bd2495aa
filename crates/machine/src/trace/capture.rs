//! A trace that is under way.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use trace::TraceRecord;
use trace::ring::{
    CpuDecoder, DecodeCounts, EVENTS, EventClass, PageHeader, PageLot, StreamMerge, TraceLayout, TracedEvent,
};

use super::buffer_reader::{BufferRead, BufferReader, LotStore, lots_max};
use super::clock::now_ns;
use super::error::TraceError;
use super::instance::Instance;
use super::kernel_counts::KernelCounts;
use super::left_instance::{LeftInstance, remove_left_in};
use super::options::CaptureOptions;
use super::priority::AnalysisPriority;
use super::summary::{CaptureSummary, CpuSummary};
use super::tracefs::Tracefs;
use super::{filter, system_calls, thread_names};
use crate::Host;

/// How many records are given at once: some 100 KB, which are still in the cache of the processor when they are
/// analysed.
const RECORDS: usize = 1024;
/// From how much of a full buffer on the kernel wakes up its reader, in per cent.
const WAKE_PERCENT: &str = "25";

/// Whether more is to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureState {
    /// The trace goes on, or not all of it was taken yet.
    UnderWay,
    /// The trace has ended, and all of it was taken.
    Ended,
}

/// A trace. If it is dropped it ends, and nothing of it is left in the kernel.
#[derive(Debug)]
pub struct Capture {
    instance: Instance,
    cpus: Vec<u32>,
    reader: Option<JoinHandle<()>>,
    link: Option<ReaderLink>,
    is_over: Arc<AtomicBool>,
    priority: Arc<AnalysisPriority>,
    merge: StreamMerge,
    /// Whether the reader has ended, and all that it read was pushed.
    is_read: bool,
    began_ns: u64,
    ended_ns: Option<u64>,
    buffer_bytes: u64,
    enabled: Enabled,
    removed: Vec<LeftInstance>,
}

/// What goes to the reader and comes from it.
#[derive(Debug)]
struct ReaderLink {
    filled: Receiver<BufferRead>,
    emptied: Sender<PageLot>,
}

impl Capture {
    /// Begins to trace. Traces that processes left which are dead are removed first.
    ///
    /// # Errors
    /// If the kernel does not let us, or lacks something; nothing is left then.
    pub fn start(options: &CaptureOptions) -> Result<Self, TraceError> {
        let tracefs = Tracefs::open()?;
        let removed = remove_left_in(&tracefs);
        let instance = Instance::create(tracefs)?;
        let (cpus, pipes) = pipes(&instance)?;
        let buffer_bytes = prepare(&instance, options.buffer(cpus.len()), cpus.len())?;
        let (layout, enabled) = enable(&instance, options)?;
        let page_bytes = layout.header().page_bytes();
        let lots = lots_max(buffer_bytes, cpus.len());
        let merge = merge(&instance, layout, &cpus, lots);
        let is_over: Arc<AtomicBool> = Arc::default();
        let priority: Arc<AnalysisPriority> = Arc::default();
        let (filled, from_reader) = channel();
        let (to_reader, emptied) = channel();
        let reader = BufferReader {
            pipes: pipes.into_iter().map(Some).collect(),
            page_bytes,
            buffer_bytes,
            is_over: Arc::clone(&is_over),
            filled,
            lots: LotStore::new(lots, emptied),
            priority: Arc::clone(&priority),
        };
        let mut capture = Self {
            instance,
            cpus,
            reader: None,
            link: Some(ReaderLink { filled: from_reader, emptied: to_reader }),
            is_over,
            priority,
            merge,
            is_read: false,
            began_ns: now_ns(),
            ended_ns: None,
            buffer_bytes,
            enabled,
            removed,
        };
        let thread = std::thread::Builder::new().name("trace-reader".to_owned());
        let thread = thread.spawn(move || reader.run()).map_err(|e| TraceError::File {
            path: "a thread for the kernel's buffers".to_owned(),
            reason: e.to_string(),
        })?;
        capture.reader = Some(thread);
        capture.began_ns = now_ns();
        capture.instance.write("tracing_on", "1")?;
        Ok(capture)
    }

    /// Traces of dead processes that were found when this one began.
    #[must_use]
    pub fn removed(&self) -> &[LeftInstance] {
        &self.removed
    }

    /// Lowers the priority of the calling thread, which must be the one that takes the records, to what the CPUs have
    /// left over, whenever there is much room for what is read meanwhile. It is as before once the trace is ended
    /// or dropped. Where it could not be raised again it stays as it is.
    pub fn lower_priority(&self) {
        if self.ended_ns.is_none() {
            self.priority.begin();
        }
    }

    /// Gives that thread the priority again that it had: there is no load any more, or it is to start something.
    pub fn restore_priority(&self) {
        self.priority.end();
    }

    /// Puts the next records behind `out`, in order of time: a lot of them at most. Waits for some at most so long.
    ///
    /// # Errors
    /// If a CPU cannot be read any more. The others can.
    pub fn next(
        &mut self,
        timeout: Duration,
        out: &mut Vec<TraceRecord>,
    ) -> Result<CaptureState, TraceError> {
        let (end, before) = (Instant::now() + timeout, out.len());
        loop {
            while self.accept(Duration::ZERO)? {}
            let is_all = self.merge.take(out, RECORDS);
            if let Some(link) = &self.link {
                for lot in self.merge.emptied() {
                    // It needs none any more once it has ended.
                    let _ = link.emptied.send(lot);
                }
            }
            if self.is_read && is_all && self.merge.held() == 0 {
                return Ok(CaptureState::Ended);
            }
            let left = end.saturating_duration_since(Instant::now());
            if out.len() > before || left.is_zero() {
                return Ok(CaptureState::UnderWay);
            }
            self.accept(left)?;
        }
    }

    /// Takes what was read, if something comes in time.
    fn accept(&mut self, timeout: Duration) -> Result<bool, TraceError> {
        let Some(link) = self.link.as_ref().filter(|_| !self.is_read) else { return Ok(false) };
        match link.filled.recv_timeout(timeout) {
            Ok(read) => self.push(read).map(|()| true),
            Err(RecvTimeoutError::Timeout) => Ok(false),
            Err(RecvTimeoutError::Disconnected) => {
                // The reader has ended, or is gone without a word.
                self.is_read = true;
                (0..self.cpus.len()).for_each(|index| self.merge.end(index));
                Ok(false)
            }
        }
    }

    fn push(&mut self, read: BufferRead) -> Result<(), TraceError> {
        for (index, lot) in read.lots {
            self.merge.push(index, lot);
        }
        for (index, time_ns) in read.complete {
            self.merge.complete_to(index, time_ns);
        }
        let mut failures = read.failed.into_iter().map(|(index, reason)| {
            self.merge.end(index);
            TraceError::File { path: format!("per_cpu/cpu{}/trace_pipe_raw", self.cpus[index]), reason }
        });
        let first = failures.next();
        // The others must be ended as well; one is told.
        failures.for_each(drop);
        first.map_or(Ok(()), Err)
    }

    /// Ends the trace. What it saw can still be taken.
    ///
    /// # Errors
    /// If the kernel does not stop; what was begun is ended when this is dropped.
    pub fn end(&mut self) -> Result<(), TraceError> {
        self.restore_priority();
        if self.ended_ns.is_none() {
            let stopped = self.instance.write("tracing_on", "0");
            self.ended_ns = Some(now_ns());
            self.is_over.store(true, Ordering::Release);
            if let Some(reader) = &self.reader {
                reader.thread().unpark();
            }
            stopped?;
        }
        Ok(())
    }

    /// Ends the trace if it has not ended, drops what was not taken, removes all from the
    /// kernel, and says what came of it.
    ///
    /// # Errors
    /// If something could not be ended or removed.
    pub fn finish(mut self) -> Result<CaptureSummary, TraceError> {
        let ended = self.end();
        let mut untaken_records = 0;
        let mut rest = Vec::new();
        loop {
            // A CPU that could not be read has said so, or shows in the counts.
            let state = self.next(Duration::from_secs(1), &mut rest);
            untaken_records += rest.len() as u64;
            rest.clear();
            if state == Ok(CaptureState::Ended) {
                break;
            }
        }
        self.join();
        let summary = CaptureSummary {
            began_ns: self.began_ns,
            ended_ns: self.ended_ns.unwrap_or_else(now_ns),
            cpus: self.cpu_summaries(),
            buffer_bytes: self.buffer_bytes,
            events: std::mem::take(&mut self.enabled.events),
            absent: std::mem::take(&mut self.enabled.absent),
            late_records: self.merge.late(),
            untaken_records,
            unfinished_calls: self.merge.unfinished_calls(),
        };
        self.instance.remove()?;
        ended.map(|()| summary)
    }

    fn cpu_summaries(&self) -> Vec<CpuSummary> {
        let summary = |cpu: u32, read: DecodeCounts| {
            let text = self.instance.read(&format!("per_cpu/cpu{cpu}/stats")).ok();
            CpuSummary { cpu, read, kernel: text.and_then(|text| KernelCounts::parse(&text)) }
        };
        let known = self.cpus.iter().zip(self.merge.counts());
        let mut all: Vec<CpuSummary> = known.map(|(cpu, read)| summary(*cpu, read)).collect();
        // Nobody read the buffer of a CPU that was switched on meanwhile: its events are lost.
        let late = online_cpus().into_iter().filter(|cpu| !self.cpus.contains(cpu));
        all.extend(late.map(|cpu| summary(cpu, DecodeCounts::default())));
        all
    }

    /// Waits for the reader, which closes what keeps the instance from being removed.
    fn join(&mut self) {
        self.link = None;
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        let _ = self.end();
        self.join();
    }
}

/// Puts the pages of these CPUs together, of which there are at most so many lots.
fn merge(instance: &Instance, layout: TraceLayout, cpus: &[u32], lots: usize) -> StreamMerge {
    // The kernel keeps one list for all instances.
    let saved = instance.path("../../saved_cmdlines");
    let layout = Arc::new(layout);
    let decoder = |cpu: &u32| CpuDecoder::new(Arc::clone(&layout), *cpu, thread_names::lookup(saved.clone()));
    // Where one CPU is silent for that long, there is still room to read it.
    StreamMerge::new(cpus.iter().map(decoder).collect(), lots / 4 * 3)
}

/// The CPUs that are on; none where sysfs does not say.
pub(super) fn online_cpus() -> Vec<u32> {
    Host::this().cpu_list("/sys/devices/system/cpu/online").unwrap_or_default()
}

/// The CPUs that are on, and their buffers, which cannot block.
fn pipes(instance: &Instance) -> Result<(Vec<u32>, Vec<File>), TraceError> {
    let (mut cpus, mut pipes) = (Vec::new(), Vec::new());
    for cpu in online_cpus() {
        let path = instance.path(&format!("per_cpu/cpu{cpu}/trace_pipe_raw"));
        match OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&path) {
            Ok(pipe) => {
                cpus.push(cpu);
                pipes.push(pipe);
            }
            Err(e) => return Err(TraceError::at(&path, &e)),
        }
    }
    if cpus.is_empty() {
        return Err(TraceError::NoTracefs { reason: "sysfs does not say which CPUs are on".to_owned() });
    }
    Ok((cpus, pipes))
}

/// Sets the clock and the buffers; gives how large these are. What is not read in time is
/// overwritten: so the pages say how much is missing, and where.
fn prepare(instance: &Instance, asked_bytes: u64, cpus: usize) -> Result<u64, TraceError> {
    instance.write("trace_clock", "mono")?;
    instance.write("options/overwrite", "1")?;
    // An instance begins with the options that are set for the whole machine. A kernel without these has no stacks.
    for option in ["stacktrace", "userstacktrace"] {
        let _ = instance.try_write(&format!("options/{option}"), "0");
    }
    instance.try_write("buffer_size_kb", &(asked_bytes >> 10).to_string()).map_err(|e| match e.kind() {
        ErrorKind::OutOfMemory => TraceError::Buffers { bytes: asked_bytes, cpus },
        _ => TraceError::at(&instance.path("buffer_size_kb"), &e),
    })?;
    // Not in every kernel; without it the reader looks more often than it must.
    let _ = instance.try_write("buffer_percent", WAKE_PERCENT);
    // The kernel rounds up, to three pages at least.
    let given = instance.read("buffer_size_kb")?;
    let given_kib = given.split_whitespace().next().and_then(|number| number.parse::<u64>().ok());
    Ok(given_kib.map_or(asked_bytes, |kib| kib << 10))
}

/// Which events are on.
#[derive(Debug, Default)]
struct Enabled {
    events: Vec<&'static str>,
    absent: Vec<&'static str>,
}

/// Switches on the events that are asked for, each with its filter.
fn enable(instance: &Instance, options: &CaptureOptions) -> Result<(TraceLayout, Enabled), TraceError> {
    let header = PageHeader::parse(&instance.read("events/header_page")?)?;
    let page_bytes = rustix::param::page_size() as u64;
    let mut layout = TraceLayout::new(header, page_bytes, system_calls::sync_calls());
    let mut enabled = Enabled::default();
    let has_calls = instance.has("events/syscalls/sys_enter_fsync");
    for event in EVENTS {
        let is_wanted = match event.class {
            EventClass::Block => true,
            EventClass::Plugging => options.has_plugging,
            EventClass::Dirtied => !options.backings.is_empty(),
            EventClass::SyncCall => options.has_sync_calls && has_calls,
            EventClass::AnyCall => options.has_sync_calls && !has_calls,
        };
        if !is_wanted {
            continue;
        }
        let folder = format!("events/{}/{}", event.system, event.name);
        if instance.has(&format!("{folder}/format")) {
            enable_one(instance, options, event, &mut layout)?;
            enabled.events.push(event.name);
        } else if event.is_required {
            return Err(TraceError::NoEvent { event: event.name.to_owned() });
        } else if event.class == EventClass::Block {
            enabled.absent.push(event.name);
        }
    }
    Ok((layout, enabled))
}

fn enable_one(
    instance: &Instance,
    options: &CaptureOptions,
    event: &TracedEvent,
    layout: &mut TraceLayout,
) -> Result<(), TraceError> {
    let folder = format!("events/{}/{}", event.system, event.name);
    layout.add(event, &instance.read(&format!("{folder}/format"))?)?;
    let filter = match event.class {
        EventClass::Block => Some(filter::by_device(&options.devices, event.has_origin())?),
        EventClass::Dirtied => Some(filter::by_backing(&options.backings)?),
        EventClass::AnyCall => Some(filter::by_call(&system_calls::sync_calls())),
        EventClass::Plugging | EventClass::SyncCall => None,
    };
    // Without devices there is none, and all devices are traced.
    if let Some(filter) = filter.filter(|text| !text.is_empty()) {
        instance.write(&format!("{folder}/filter"), &filter)?;
    }
    instance.write(&format!("{folder}/enable"), "1")
}
