//! `headroom watch --trace`: a trace of the kernel's block layer on a thread of its own, of which the phases of every second
//! are told.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ::machine::Host;
use ::machine::trace::{Capture, CaptureOptions, CaptureState};
use ::trace::analysis::PhaseWatch;
use ::watch::phases::{DeviceNames, TracedPhases};
use ::watch::situation::Situation;

use crate::exit::Failure;

/// How long records are waited for before all else is looked at.
const TICK: Duration = Duration::from_millis(100);
/// How often phases are told.
const TOLD: Duration = Duration::from_secs(1);

/// A trace under way, until it is dropped.
pub(super) struct PhaseTrace {
    latest: Arc<Mutex<Option<TracedPhases>>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl PhaseTrace {
    /// Begins to trace all disks.
    pub(super) fn begin() -> Result<Self, Failure> {
        // Of all disks, those among them that come later: without a list nothing is filtered.
        let capture = Capture::start(&CaptureOptions::default()).map_err(|error| {
            let help = "watch without --trace, or as root where the kernel has tracefs";
            Failure::refused(format!("disks cannot be traced: {error}"), help)
        })?;
        let (latest, over) = (Arc::default(), Arc::default());
        let (slot, is_over) = (Arc::clone(&latest), Arc::clone(&over));
        let thread = std::thread::Builder::new().name("phases".to_owned());
        let thread = thread
            .spawn(move || follow(capture, &slot, &is_over))
            .map_err(|e| Failure::refused(format!("no thread can be started: {e}"), "try again"))?;
        Ok(Self { latest, over, thread: Some(thread) })
    }

    /// Adds where the time of the latest second went.
    pub(super) fn add_to(&self, situation: &mut Situation) {
        situation.traced.clone_from(&self.latest.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Drop for PhaseTrace {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // What it leaves in the kernel is removed when it ends.
            let _ = thread.join();
        }
    }
}

fn follow(mut capture: Capture, slot: &Mutex<Option<TracedPhases>>, over: &AtomicBool) {
    let mut phases = PhaseWatch::default();
    let mut names = DeviceNames::of(Host::this());
    let (mut records, mut events, mut told) = (Vec::new(), 0, Instant::now());
    while !over.load(Ordering::Relaxed) {
        let state = capture.next(TICK, &mut records);
        events += records.len() as u64;
        records.drain(..).for_each(|record| phases.take(&record));
        let broken = match state {
            Ok(CaptureState::UnderWay) => None,
            Ok(CaptureState::Ended) => Some("it has ended".to_owned()),
            Err(error) => Some(error.to_string()),
        };
        if told.elapsed() >= TOLD || broken.is_some() {
            let found = TracedPhases::of(&phases.drain(), &mut names, events, told.elapsed());
            let is_broken = broken.is_some();
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(TracedPhases { broken, ..found });
            (events, told) = (0, Instant::now());
            if is_broken {
                break;
            }
        }
    }
    // Nothing is left in the kernel; what was not read is of no use any more.
    let _ = capture.finish();
}
