//! Traces devices: until a command ends, for a time, or until somebody asks to stop.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use machine::trace::{
    Capture, CaptureOptions, CaptureState, CaptureSummary, TraceError, TracedCommand, TracedDevice,
    file_systems, swap_counters, swap_devices,
};
use report::trace::{CommandEnding, TraceCaution, TracedCommandEnd};
use rustix::time::{ClockId, clock_gettime};
use trace::analysis::SwapCounters;
use trace::format::blktrace::WallClock;
use trace::format::saved::SavedHeader;
use trace::{AnalysisOptions, Device, TraceRecord};

use super::arguments::{TraceArguments, TraceFormat};
use super::listed_devices;
use super::part_filter::PartFilter;
use super::presence::DevicePresence;
use super::progress::TraceProgress;
use super::sinks::{Sinks, TraceOrigin};
use super::traced::Traced;
use super::write_back::WriteBack;
use crate::exit::Failure;
use crate::output;
use crate::signals;

/// How long records are waited for before all else is looked at.
const TICK: Duration = Duration::from_millis(50);
/// How often it is looked whether the devices are still there.
const LOOK: Duration = Duration::from_secs(1);
/// How long a command that is to end has for it, twice.
const GRACE: Duration = Duration::from_secs(3);

/// Traces what was asked for.
pub(super) fn capture(arguments: &TraceArguments) -> Result<Traced, Failure> {
    let devices = listed_devices::resolved(&arguments.targets)?;
    if arguments.format == TraceFormat::Blktrace && devices.len() > 1 {
        return Err(Failure::arguments(
            format!("files of blktrace are of one device, and `{}` means several", arguments.target()),
            "name one of them",
        ));
    }
    let stop = Arc::new(AtomicBool::new(false));
    signals::watch(&stop)
        .map_err(|e| Failure::refused(format!("signals cannot be caught: {e}"), "try again"))?;
    let options = CaptureOptions {
        has_sync_calls: arguments.has_sync_calls,
        // The report says nothing of plugging, and each event takes the time of those who do I/O.
        has_plugging: arguments.wants_events(),
        buffer_bytes: arguments.buffer_bytes,
        ..CaptureOptions::of(&devices)
    };
    let origin = origin(arguments, &devices);
    let analysis = AnalysisOptions { swap_devices: swap_devices(), swap_counters: None };
    let capture = Capture::start(&options).map_err(refused)?;
    for left in capture.removed() {
        output::note(&(report::text::printable(&left.to_string()) + "\n"));
    }
    let sinks = Sinks::open(arguments, &origin, analysis)?;
    let command = start(arguments)?;
    let under_way = UnderWay {
        progress: TraceProgress::new(&arguments.target(), command.is_some()),
        write_back: WriteBack::default(),
        parts: PartFilter::of(&devices),
        swapped_before: swap_counters(),
        cautions: stacked(&devices),
        presences: devices.iter().map(DevicePresence::of).collect(),
        began: Instant::now(),
        devices,
        arguments,
        sinks,
        stop,
    };
    under_way.run(capture, command)
}

/// A trace while it goes on.
struct UnderWay<'a> {
    arguments: &'a TraceArguments,
    devices: Vec<TracedDevice>,
    presences: Vec<DevicePresence>,
    sinks: Sinks,
    parts: PartFilter,
    progress: TraceProgress,
    write_back: WriteBack,
    stop: Arc<AtomicBool>,
    began: Instant,
    swapped_before: Option<SwapCounters>,
    cautions: Vec<TraceCaution>,
}

impl UnderWay<'_> {
    fn run(mut self, mut capture: Capture, command: Option<TracedCommand>) -> Result<Traced, Failure> {
        self.follow(&mut capture, command.as_ref())?;
        self.progress.finish();
        self.note_swapping();
        let summary = capture.finish().map_err(refused)?;
        let command = command.map(|command| self.wait(command)).transpose()?;
        // Asked when the command has ended, too: it may have been waited for until somebody asked to stop.
        let is_interrupted = self.stop.load(Ordering::Relaxed);
        // Who does not want to wait for what a command left in memory has not interrupted it.
        let is_done = |ended: &TracedCommandEnd| ended.ending.is_success();
        let is_interrupted =
            is_interrupted && !(self.write_back.has_begun() && command.as_ref().is_some_and(is_done));
        Ok(self.traced(summary, command, is_interrupted))
    }

    /// Takes records until the trace is to end, and then all that are left.
    fn follow(&mut self, capture: &mut Capture, command: Option<&TracedCommand>) -> Result<(), Failure> {
        let mut records = Vec::new();
        // From here on nothing is started until the command has ended: it would have this priority, too.
        capture.lower_priority();
        let (mut is_ended, mut looked) = (false, Instant::now());
        loop {
            let state = match capture.next(TICK, &mut records) {
                Ok(state) => state,
                Err(error) => {
                    // The other CPUs can still be read; what is missing shows in the counts.
                    output::note(&format!("{}\n", report::text::printable(&error.to_string())));
                    CaptureState::UnderWay
                }
            };
            self.progress.count(&records);
            for record in records.drain(..) {
                self.take(&record);
            }
            self.progress.draw();
            if state == CaptureState::Ended {
                return Ok(());
            }
            if is_ended {
                continue;
            }
            let is_gone = looked.elapsed() >= LOOK && {
                looked = Instant::now();
                self.are_gone(command.is_some())
            };
            if is_gone || self.is_over(capture, command)? {
                capture.end().map_err(refused)?;
                is_ended = true;
            }
        }
    }

    fn take(&mut self, record: &TraceRecord) {
        // The call that writes back is ours, and nobody asked who waits for it.
        let is_own = match record {
            TraceRecord::Synced { thread, .. } => self.write_back.is_own(*thread),
            _ => false,
        };
        if !is_own && self.parts.keeps(record) {
            self.sinks.take(record);
        }
    }

    /// Whether there is nothing more to wait for.
    fn is_over(&mut self, capture: &Capture, command: Option<&TracedCommand>) -> Result<bool, Failure> {
        let is_late = self.arguments.duration.is_some_and(|most| self.began.elapsed() >= most);
        let is_unread = self.sinks.is_unread() && command.is_none();
        if self.stop.load(Ordering::Relaxed) || is_late || is_unread {
            return Ok(true);
        }
        let Some(command) = command else { return Ok(false) };
        if !command.has_ended().map_err(not_waited_for)? {
            return Ok(false);
        }
        if !self.write_back.has_begun() {
            capture.restore_priority();
            self.begin_write_back();
        }
        let goes_on = self.write_back.goes_on();
        if self.write_back.is_told() {
            // The terminal is no longer the command's.
            self.progress.show();
        }
        Ok(!goes_on)
    }

    /// Begins to write back what the command left in memory.
    fn begin_write_back(&mut self) {
        let folders = left_in_memory(self.arguments);
        if !folders.is_empty() {
            // All records that were taken are of before.
            self.sinks.analysis().set_command_end(wall_clock().trace_ns);
        }
        self.write_back.begin(&folders);
    }

    /// Whether nothing more can come from any device. A command may detach a device and attach it again.
    fn are_gone(&mut self, has_command: bool) -> bool {
        let is_gone = if has_command { DevicePresence::is_removed } else { DevicePresence::is_another };
        self.tell_gone(is_gone) == self.presences.len()
    }

    /// Gives devices that are gone a caution; returns how many there are.
    fn tell_gone(&mut self, is_gone: fn(&DevicePresence) -> bool) -> usize {
        let gone: Vec<&DevicePresence> = self.presences.iter().filter(|device| is_gone(device)).collect();
        for device in &gone {
            let caution = TraceCaution::Vanished { device: device.name.clone() };
            if !self.cautions.contains(&caution) {
                self.cautions.push(caution);
            }
        }
        gone.len()
    }

    /// Puts by how much was swapped into the analysis.
    fn note_swapping(&mut self) {
        let Some((before, after)) = self.swapped_before.zip(swap_counters()) else { return };
        self.sinks.analysis().set_swap_counters(SwapCounters {
            pages_in: after.pages_in.saturating_sub(before.pages_in),
            pages_out: after.pages_out.saturating_sub(before.pages_out),
        });
    }

    /// Waits for the end of a command, and sees to it where somebody asks to stop.
    fn wait(&mut self, command: TracedCommand) -> Result<TracedCommandEnd, Failure> {
        if !self.stop.load(Ordering::Relaxed) && !command.has_ended().map_err(not_waited_for)? {
            self.cautions.push(TraceCaution::CommandLonger);
            output::note("The trace has ended; the command goes on, and is waited for. Ctrl-C ends it.\n");
        }
        while !command.has_ended().map_err(not_waited_for)? {
            if self.stop.load(Ordering::Relaxed) {
                command.end_within(GRACE).map_err(not_waited_for)?;
                break;
            }
            std::thread::sleep(TICK);
        }
        let (status, io) = command.finish().map_err(not_waited_for)?;
        let words = self.arguments.shown_command();
        let line = output::joined(words.iter().map(String::as_str));
        Ok(TracedCommandEnd { line, ending: ending(status), io })
    }

    fn traced(
        mut self,
        capture: CaptureSummary,
        command: Option<TracedCommandEnd>,
        is_interrupted: bool,
    ) -> Traced {
        self.tell_gone(DevicePresence::is_emptied);
        self.cautions.extend(self.write_back.finish());
        let Self { arguments, devices, sinks, parts, mut cautions, .. } = self;
        cautions.extend(parts.cautions());
        let (report, unwritten) = sinks.finish();
        Traced {
            report,
            names: listed_devices::names(&devices),
            target: arguments.target(),
            capture: Some(capture),
            command,
            is_steps: false,
            cautions,
            is_interrupted,
            unwritten,
        }
    }
}

/// A folder of each file system that is to be written back now that the command has ended.
fn left_in_memory(arguments: &TraceArguments) -> Vec<PathBuf> {
    if !arguments.writes_back {
        return Vec::new();
    }
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in arguments.targets.iter().flat_map(|target| file_systems(Path::new(target))) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// Starts the command, if there is one.
fn start(arguments: &TraceArguments) -> Result<Option<TracedCommand>, Failure> {
    let Some((program, rest)) = arguments.command.split_first() else { return Ok(None) };
    let mut command = Command::new(program);
    command.args(rest);
    if arguments.owns_standard_output() {
        command.stdout(Stdio::from(std::io::stderr()));
    }
    let started = TracedCommand::start(&mut command);
    started.map(Some).map_err(|e| {
        let name = Path::new(program).display();
        Failure::refused(
            format!("the command `{name}` cannot be started: {e}"),
            "correct its name or its path",
        )
    })
}

fn ending(status: ExitStatus) -> CommandEnding {
    match (status.code(), status.signal()) {
        (Some(code), _) => CommandEnding::Code(code),
        (None, Some(signal)) => CommandEnding::Signal(signal),
        // Neither is possible of a process that has ended.
        (None, None) => CommandEnding::Code(-1),
    }
}

/// Devices that stand on others, which see other requests.
fn stacked(devices: &[TracedDevice]) -> Vec<TraceCaution> {
    let is_traced = |device: Device| devices.iter().any(|traced| traced.device == device);
    let unseen = |device: &TracedDevice| {
        let members = device.members.iter().filter(|member| !is_traced(member.device));
        let members: Vec<String> = members.map(|member| member.name.clone()).collect();
        (!members.is_empty()).then(|| TraceCaution::Stacked { device: device.name.clone(), members })
    };
    devices.iter().filter_map(unseen).collect()
}

/// Of what the trace is.
fn origin(arguments: &TraceArguments, devices: &[TracedDevice]) -> TraceOrigin {
    let clock = wall_clock();
    let kernel = |name: &str| {
        let text = std::fs::read_to_string(format!("/proc/sys/kernel/{name}")).unwrap_or_default();
        text.trim().to_owned()
    };
    let first = devices.first();
    TraceOrigin {
        header: SavedHeader {
            clock: "mono".to_owned(),
            begin_ns: clock.trace_ns,
            begin_unix_ns: Some(clock.unix_ns),
            machine: kernel("hostname"),
            kernel: kernel("osrelease"),
            architecture: std::env::consts::ARCH.to_owned(),
            command: arguments.shown_command(),
            writer: format!("headroom {}", env!("CARGO_PKG_VERSION")),
            devices: listed_devices::saved(devices),
        },
        device: first.map(|device| device.device).unwrap_or_default(),
        device_name: first.map(|device| device.name.clone()).unwrap_or_default(),
        clock: Some(clock),
    }
}

/// The clock of the trace beside the time of day.
fn wall_clock() -> WallClock {
    let now = clock_gettime(ClockId::Monotonic);
    let trace_ns = now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs();
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    WallClock { trace_ns, unix_ns: u64::try_from(since.as_nanos()).unwrap_or(u64::MAX) }
}

fn not_waited_for(error: std::io::Error) -> Failure {
    Failure::File { what: "waiting for", path: "the command".into(), source: error }
}

/// That nothing can be traced, and what can be had without.
fn refused(error: TraceError) -> Failure {
    let help = match (&error, error.possible_without()) {
        (TraceError::Permission { .. }, Some(without)) => {
            format!("run it as root, for instance by sudo; {without}")
        }
        (_, Some(without)) => without.to_owned(),
        (TraceError::Buffers { .. }, None) => "give a smaller --buffer".to_owned(),
        (TraceError::TooManyDevices { .. }, None) => "name fewer devices".to_owned(),
        (_, None) => "`headroom restore` removes what a trace may have left in the kernel".to_owned(),
    };
    Failure::refused(error.to_string(), help)
}
