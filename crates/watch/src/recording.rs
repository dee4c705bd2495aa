//! All samples of a watch, for a document at its end: copies of rows, of which every second is dropped where there are too
//! many.

use agent::SampleBuffer;
use model::trial::{LOCAL, MachineTrial, Window};

use crate::session::WatchSession;

/// The samples of a whole watch.
#[derive(Default)]
pub struct WatchRecording {
    buffers: Vec<SampleBuffer>,
}

impl WatchRecording {
    /// Takes the latest samples of a session. Where that watches other parts than before, what was recorded of the parts
    /// before is dropped.
    pub fn take(&mut self, session: &WatchSession, has_all: bool) {
        let [fast, slow] = session.observer().buffers();
        let (_, groups) = session.groups();
        let sources = [fast, slow, groups];
        let columns =
            |buffer: &SampleBuffer, at: usize| buffer.sampled_columns() == sources[at].sampled_columns();
        let fits: Vec<bool> = self.buffers.iter().enumerate().map(|(at, own)| columns(own, at)).collect();
        let start_ns = fast.last().map_or(0, |(at, _)| at);
        match fits[..] {
            [true, true, true] => {}
            // Other groups are held to limits; the rest goes on.
            [true, true, false] => self.buffers.truncate(2),
            _ => self.buffers.clear(),
        }
        for source in sources.into_iter().skip(self.buffers.len()) {
            let mut copy = SampleBuffer::of_columns(source.sampled_columns().to_vec());
            copy.start(start_ns, source.spacing_ns());
            self.buffers.push(copy);
        }
        for (place, (copy, source)) in self.buffers.iter_mut().zip(sources).enumerate() {
            if let Some((at, row)) = source.last().filter(|_| place == 0 || has_all) {
                copy.take_row(at, row);
            }
        }
    }

    /// The rows: those read often, those read once a second, and those of control groups.
    #[must_use]
    pub fn buffers(&self) -> Vec<&SampleBuffer> {
        self.buffers.iter().collect()
    }

    /// The whole time; none before the second sample.
    #[must_use]
    pub fn window(&self) -> Option<Window> {
        let span = self.buffers.first()?.span()?;
        (span.end_ns > span.start_ns).then_some(span)
    }

    /// What the machine did, as a run document has it; without processes.
    #[must_use]
    pub fn machine_trial(&self, window: Window) -> MachineTrial {
        machine_trial(&self.buffers.iter().collect::<Vec<_>>(), window)
    }
}

/// What a machine did in a window, by rows of samples.
#[must_use]
pub fn machine_trial(buffers: &[&SampleBuffer], window: Window) -> MachineTrial {
    MachineTrial {
        machine: LOCAL.to_owned(),
        counters: buffers.iter().flat_map(|buffer| buffer.counters(window)).collect(),
        series: buffers.iter().flat_map(|buffer| buffer.series()).collect(),
        ..MachineTrial::default()
    }
}
