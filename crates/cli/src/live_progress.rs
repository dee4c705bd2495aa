//! How far a run is, for those who look at it from elsewhere (`headroom serve`): said in a file in memory, at most some times
//! a second.

use std::time::{Duration, Instant};

use model::event::Event;
use store::RunProgress;

/// Between two words.
const EVERY: Duration = Duration::from_millis(250);

/// What was said, and when.
#[derive(Debug, Default)]
pub(crate) struct LiveProgress {
    progress: RunProgress,
    said: Option<Instant>,
}

impl LiveProgress {
    pub(crate) fn hear(&mut self, event: &Event) {
        let is_new = match event {
            Event::TrialStarted { label, .. } => {
                self.progress.case.clone_from(label);
                self.progress.trial += 1;
                true
            }
            Event::TimeLeft { done_s, total_s } => {
                self.progress.seconds = Some((*done_s, *total_s));
                true
            }
            _ => false,
        };
        if is_new && self.said.is_none_or(|said| said.elapsed() >= EVERY) {
            self.said = Some(Instant::now());
            // Where it cannot be said, nobody sees it.
            let _ = self.progress.write();
        }
    }
}

impl Drop for LiveProgress {
    fn drop(&mut self) {
        if self.said.is_some() {
            RunProgress::take_away();
        }
    }
}
