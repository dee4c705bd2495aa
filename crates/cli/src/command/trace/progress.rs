//! How a trace goes, in a line on standard error: where a terminal is there, and no command that
//! has it.

use std::io::IsTerminal;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use report::format;
use trace::TraceRecord;

use crate::output;

/// The line.
pub(super) struct TraceProgress {
    bar: ProgressBar,
    began: Instant,
    events: u64,
    lost: u64,
    /// When it was drawn last, and how many events there were then.
    drawn: (Instant, u64),
    is_shown: bool,
}

/// How often it is drawn anew, in seconds.
const INTERVAL_S: f64 = 0.5;

impl TraceProgress {
    /// Of a trace of `target`, which begins now.
    pub(super) fn new(target: &str, has_command: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        bar.set_style(
            ProgressStyle::with_template("{wide_msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()),
        );
        if !has_command {
            output::note(&format!("Tracing {}; Ctrl-C ends it.\n", report::text::printable(target)));
        }
        let began = Instant::now();
        let mut this = Self { bar, began, events: 0, lost: 0, drawn: (began, 0), is_shown: false };
        if !has_command {
            this.show();
        }
        this
    }

    /// Shows the line from now on, if there is a terminal.
    pub(super) fn show(&mut self) {
        if !self.is_shown && std::io::stderr().is_terminal() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(4));
            self.is_shown = true;
        }
    }

    /// Takes records into the counts.
    pub(super) fn count(&mut self, records: &[TraceRecord]) {
        for record in records {
            match record {
                TraceRecord::Lost { events, .. } => self.lost += events.unwrap_or(1),
                _ => self.events += 1,
            }
        }
    }

    /// Draws the line, if it is time.
    pub(super) fn draw(&mut self) {
        let (last, before) = self.drawn;
        let since_s = last.elapsed().as_secs_f64();
        if since_s < INTERVAL_S {
            return;
        }
        let rate = (self.events - before) as f64 / since_s;
        let lost = match self.lost {
            0 => "none lost".to_owned(),
            lost => format!("{lost} LOST"),
        };
        let elapsed = format::span(self.began.elapsed().as_secs_f64());
        let rate = format::short(rate.round());
        self.bar.set_message(format!("{elapsed}: {} events ({rate}/s), {lost}", self.events));
        self.drawn = (Instant::now(), self.events);
    }

    /// Takes the line away.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
