//! Progress on standard error: a bar with the time left where that is a
//! terminal, a line for each finished case everywhere. Beside it, on standard output, lines of
//! intervals where they are asked for.

use std::io::IsTerminal;
use std::time::Duration;

use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::event::{Event, OPERATIONS_LOGGED_MAX, Standing};
use model::trial::Status;
use model::{AgentEvent, Phase, Plan};
use report::format::{self, Rates};
use report::label::title;
use report::text::shortened;

use crate::exit::Failure;
use crate::interval_lines::IntervalLines;
use crate::operation_log::OperationLogFile;

/// A label in fewer columns says nothing: rather a second line.
const LABEL_LEAST: usize = 24;

pub(crate) struct Progress {
    bar: ProgressBar,
    cases: usize,
    label: String,
    phase: &'static str,
    lines: Option<IntervalLines>,
    log: Option<OperationLogFile>,
}

impl Progress {
    /// For a run of `plan`, of which `lines` are printed and operations go to a `log`.
    pub(crate) fn new(plan: &Plan, lines: Option<IntervalLines>, log: Option<OperationLogFile>) -> Self {
        let least = plan.controls.trials_min;
        // A round is a trial until it is known that more of them follow.
        let rounds = plan.cases.iter().filter(|c| c.has_rounds()).count() as u64;
        let others = plan.cases.len() as u64 - rounds;
        let trials = others * u64::from(least) + rounds * u64::from(least.saturating_sub(5) + 1);
        let bar = ProgressBar::new(trials);
        let is_seen = std::io::stderr().is_terminal();
        let target =
            if is_seen { ProgressDrawTarget::stderr_with_hz(8) } else { ProgressDrawTarget::hidden() };
        bar.set_draw_target(target);
        let style = ProgressStyle::with_template("{bar:16} {pos}/{len} {prefix} {wide_msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("=> "));
        bar.set_prefix(format!("{} left", format::span(plan.seconds.0)));
        bar.enable_steady_tick(Duration::from_millis(250));
        Self { bar, cases: plan.cases.len(), label: String::new(), phase: "", lines, log }
    }

    /// How many operations of each trial it wants to hear of; none where nobody asked for a log.
    pub(crate) fn logged_of_trial(&self) -> Option<u64> {
        self.log.as_ref().map(|_| OPERATIONS_LOGGED_MAX)
    }

    pub(crate) fn show(&mut self, event: &Event) {
        if let Some(log) = &mut self.log {
            log.hear(event);
        }
        match event {
            Event::TrialStarted { case, label, .. } => {
                self.label.clone_from(label);
                self.phase = "";
                self.message("");
                self.interval_line(|lines| lines.begin(*case, label));
            }
            Event::Agent(AgentEvent::Interval(figures)) => self.interval_line(|lines| lines.line(figures)),
            Event::Agent(AgentEvent::Phase { phase, .. }) => {
                self.phase = phase_name(*phase);
                self.message("");
            }
            // What is made by other programs does not say how far it is.
            Event::Agent(AgentEvent::Preparing { what, of: 0, .. }) => self.message(&format!(" in {what}")),
            Event::Agent(AgentEvent::Preparing { what, done, of }) => {
                self.message(&format!(" {} of {} in {what}", format::binary(*done), format::binary(*of)));
            }
            Event::Agent(AgentEvent::Waiting { why }) => self.message(&format!(" waiting: {why}")),
            Event::Agent(
                AgentEvent::Working { .. }
                | AgentEvent::Starts(_)
                | AgentEvent::Narrow { .. }
                | AgentEvent::Operations(_),
            ) => {}
            Event::TrialFinished { status, reason, .. } => {
                self.bar.inc(1);
                if *status == Status::Failed {
                    let reason = reason.as_deref().unwrap_or("no reason was given");
                    self.line(&format!("{}: a trial failed: {reason}", self.label));
                }
            }
            Event::RoundFinished { round, most, cases } => self.round(*round, *most, cases),
            Event::LevelFound { case, parameter, best, knee } => {
                self.line(&format!(
                    "{}{parameter}: {best} gives the most, {knee} at least 95 % of it",
                    self.place(*case)
                ));
            }
            Event::CaseFinished { case, label, rate_unit, headline, failed } => {
                let result = match headline {
                    Some((metric, e)) => {
                        let rates = Rates::of(*rate_unit);
                        let interval = rates.interval(e).map(|i| format!(" ({i})")).unwrap_or_default();
                        let name = title(*metric);
                        format!("{name} {}{interval}", rates.under_title(e.median, e.unit, &name))
                    }
                    None => format!("no result, {failed} trials failed"),
                };
                let (before, behind) = (self.place(*case), format!(": {result}"));
                self.line(&format!("{before}{}{behind}", self.fitting(label, before.len() + behind.len())));
            }
            Event::TimeLeft { done_s, total_s } => {
                let left = (total_s - done_s).max(0.0);
                self.bar.set_prefix(format!("{} left", format::span(left)));
            }
        }
    }

    /// Which of the planned cases it is; one that was added on the way is none of them.
    fn place(&self, case: usize) -> String {
        if case < self.cases { format!("[{}/{}] ", case + 1, self.cases) } else { "[added] ".to_owned() }
    }

    /// A line for a round: of one case its value, of several how far they are.
    fn round(&mut self, round: u32, most: u32, cases: &[Standing]) {
        let percent = |range: f64| format!("{:.0} %", range * 100.0);
        let over = cases.iter().all(|c| c.steady) || round == most;
        if !over {
            // There will be another.
            self.bar.inc_length(cases.len() as u64);
        }
        let told = match cases {
            [] => return,
            [case] => {
                let name = title(case.metric);
                let value = Rates::Bytes.under_title(case.value.value, case.value.unit, &name);
                let range = case.range.map(|r| format!(", range {}", percent(r))).unwrap_or_default();
                let steady = if case.steady { ", steady" } else { "" };
                format!("{name} {value}{range}{steady}")
            }
            several => {
                let steady = several.iter().filter(|c| c.steady).count();
                let widest = several.iter().filter_map(|c| Some((c.range?, &c.label)));
                let widest = widest.max_by(|a, b| a.0.total_cmp(&b.0));
                let range =
                    widest.map(|(range, label)| format!(", widest range {}: {label}", percent(range)));
                format!("{steady} of {} cases steady{}", several.len(), range.unwrap_or_default())
            }
        };
        self.line(&format!("round {round} of at most {most}: {told}"));
    }

    /// Prints one of the lines, where they are asked for; the bar is away meanwhile.
    fn interval_line(&mut self, made: impl FnOnce(&mut IntervalLines) -> String) {
        if let Some(lines) = &mut self.lines {
            let text = made(lines);
            self.bar.suspend(|| lines.write(&text));
        }
    }

    /// Takes the bar away, and ends the log of operations.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        self.bar.finish_and_clear();
        self.log.map_or(Ok(()), OperationLogFile::close)
    }

    fn message(&self, more: &str) {
        let Self { label, phase, .. } = self;
        self.bar.set_message(format!("{label} {phase}{more}"));
    }

    /// A label in what a line of the terminal has left beside so much; a file has
    /// room for all of it.
    fn fitting(&self, label: &str, beside: usize) -> String {
        if self.bar.is_hidden() {
            return label.to_owned();
        }
        let columns =
            Term::stderr().size_checked().map_or(report::WIDTH, |(_, columns)| usize::from(columns));
        shortened(label, columns.saturating_sub(beside).max(LABEL_LEAST))
    }

    fn line(&self, text: &str) {
        if self.bar.is_hidden() {
            // Not println: a closed standard error must not end the run.
            use std::io::Write;
            let _ = writeln!(std::io::stderr(), "{text}");
        } else {
            self.bar.println(text);
        }
    }
}

fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Prepare => "preparing",
        Phase::Idle => "idle",
        Phase::WarmUp => "warming up",
        Phase::Measure => "measuring",
        Phase::CoolDown => "cooling down",
        Phase::Verify => "verifying",
        Phase::Clean => "cleaning",
    }
}
