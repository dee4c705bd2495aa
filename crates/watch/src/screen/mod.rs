//! The full screen: the first line, the verdict, a line for each resource, who computes, and what watching costs.
//!
//! Colours are the terminal's own and only stress what the words and marks say, so that it reads on light and on dark and
//! without any.

mod fit;
mod guard;
#[cfg(test)]
mod tests;

use language::Words;
use language::format::{self, Rates};
use model::trial::ProcessUse;
use model::{Unit, Value};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

use crate::phases::TracedPhases;
use crate::situation::Situation;
use crate::text::{Fullness, RowText, first_line, rows};

use fit::{fitted, lines_of, padded, padded_name};
pub use guard::{ScreenError, ScreenKey, TerminalScreen};

/// The least that a screen needs.
const COLUMNS_LEAST: u16 = 40;
const LINES_LEAST: u16 = 8;
/// Columns of the names of resources, and of how full they are.
const NAME: usize = 24;
const SHARE: usize = 13;
/// Lines at the foot.
const FOOT: u16 = 2;
/// Lines of processes at most.
const PROCESSES: usize = 6;

/// In which order processes stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProcessOrder {
    /// Most processor time first.
    #[default]
    Cpu,
    /// By name.
    Name,
    /// By number.
    Pid,
}

impl ProcessOrder {
    /// The next one.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Cpu => Self::Name,
            Self::Name => Self::Pid,
            Self::Pid => Self::Cpu,
        }
    }

    fn sort(self, processes: &mut [ProcessUse]) {
        match self {
            // They come so.
            Self::Cpu => {}
            Self::Name => processes.sort_by(|a, b| a.name.cmp(&b.name)),
            Self::Pid => processes.sort_by_key(|process| process.pid),
        }
    }
}

/// What the person has chosen.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScreenChoices {
    /// The resource whose limit is told in full.
    pub selected: usize,
    /// Whether nothing is to change.
    pub is_paused: bool,
    /// The order of processes.
    pub order: ProcessOrder,
    /// Whether colours may be used.
    pub has_colour: bool,
}

/// All that is shown.
pub struct Shown<'a> {
    /// The language.
    pub words: &'static Words,
    /// How much is used.
    pub situation: &'a Situation,
    /// What the rules say, in sentences.
    pub verdicts: &'a [String],
    /// What the person has chosen.
    pub choices: ScreenChoices,
}

impl Shown<'_> {
    fn style(&self, fullness: Fullness) -> Style {
        let plain = Style::new();
        let colour = |colour: Color| if self.choices.has_colour { plain.fg(colour) } else { plain };
        match fullness {
            Fullness::Full => colour(Color::Red).add_modifier(Modifier::BOLD),
            // Yellow is not to be read on white.
            Fullness::Near => colour(Color::Magenta),
            Fullness::Free => plain,
            Fullness::Unknown => plain.add_modifier(Modifier::DIM),
        }
    }

    /// Draws it.
    pub fn draw(&self, frame: &mut Frame<'_>) {
        let area = frame.area();
        if area.width < COLUMNS_LEAST || area.height < LINES_LEAST {
            let text = Paragraph::new(self.words.say("watch-small")).wrap(Wrap { trim: true });
            frame.render_widget(text, area);
            return;
        }
        let mut all = rows(self.words, self.situation);
        let chosen = self.choices.selected.min(all.len().saturating_sub(1));
        // In full, for a narrow screen cuts the row; a screen with few lines has the rows instead.
        let told = |row: &RowText| {
            let parts = [&row.now, &row.limit, &row.phases];
            let parts: Vec<&str> =
                parts.into_iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
            format!("{}: {}", row.name, parts.join("; "))
        };
        let detail = all.get(chosen).map(told).unwrap_or_default();
        let said = self.said();
        let told_first = first_line(self.words, self.situation);
        let [first_lines, said_lines] = sentence_lines(area, &told_first, &said);
        let detail_lines = if area.height >= 16 { 3 } else { 1 };
        let mut processes = self.situation.processes.clone();
        processes.truncate(PROCESSES);
        self.choices.order.sort(&mut processes);
        let process_lines = if processes.is_empty() { 0 } else { processes.len() as u16 + 1 };
        let sentences = first_lines + said_lines;
        let [first, verdict, table, limit, processes_area, foot] = stacked(area, |height| {
            let room = height.saturating_sub(sentences + detail_lines + FOOT);
            // The processes leave a head and two rows to the table.
            let process_lines = process_lines.min(height.saturating_sub(15)).min(room.saturating_sub(3));
            let table = (all.len() as u16 + 1).min(room - process_lines);
            [first_lines, said_lines, table, detail_lines, process_lines, FOOT]
        });
        self.draw_first(frame, first, told_first);
        frame.render_widget(Paragraph::new(said).wrap(Wrap { trim: true }), verdict);
        self.draw_rows(frame, table, &mut all, chosen);
        let style = Style::new().add_modifier(Modifier::ITALIC);
        frame.render_widget(Paragraph::new(detail).style(style).wrap(Wrap { trim: true }), limit);
        self.draw_processes(frame, processes_area, &processes);
        self.draw_foot(frame, foot);
    }

    /// What the rules say.
    fn said(&self) -> String {
        match self.verdicts {
            [] => self.words.say("watch-no-verdict"),
            all => self.words.tell_texts("watch-verdict", &[("text", &all.join(" "))]),
        }
    }

    fn draw_first(&self, frame: &mut Frame<'_>, area: Rect, text: String) {
        let style = Style::new().add_modifier(Modifier::BOLD);
        frame.render_widget(Paragraph::new(text).style(style).wrap(Wrap { trim: true }), area);
    }

    /// The rows that fit, around the chosen one.
    fn draw_rows(&self, frame: &mut Frame<'_>, area: Rect, all: &mut [RowText], chosen: usize) {
        let columns = ["watch-column-resource", "watch-column-share", "watch-column-now"];
        let [resource, share, now] = columns.map(|key| self.words.say(key));
        let head = format!("  {} {} {now}", padded(&resource, NAME), padded(&share, SHARE));
        let fits = usize::from(area.height).saturating_sub(1);
        let from = (chosen + 1).saturating_sub(fits);
        let line = |(place, row): (usize, &RowText)| {
            let mark = match row.fullness {
                Fullness::Full => '!',
                Fullness::Near => '~',
                Fullness::Free => ' ',
                Fullness::Unknown => '?',
            };
            let mark = if row.share.is_empty() { ' ' } else { mark };
            let cursor = if place == chosen { '>' } else { ' ' };
            let name =
                format!("{cursor}{mark}{} {} ", padded_name(&row.name, NAME), padded(&row.share, SHARE));
            let room = usize::from(area.width).saturating_sub(NAME + SHARE + 4);
            let style = if row.share.is_empty() { Style::new() } else { self.style(row.fullness) };
            Line::from(vec![Span::styled(name, style), Span::raw(fitted(&row.now, room))])
        };
        let mut lines = vec![Line::styled(head, Style::new().add_modifier(Modifier::UNDERLINED))];
        lines.extend(all.iter().enumerate().skip(from).take(fits).map(line));
        frame.render_widget(Paragraph::new(lines), area);
    }

    fn draw_processes(&self, frame: &mut Frame<'_>, area: Rect, processes: &[ProcessUse]) {
        let head = format!(
            "  {} {}",
            padded(&self.words.say("watch-column-process"), NAME),
            self.words.say("watch-column-cpu")
        );
        let mut lines = vec![Line::styled(head, Style::new().add_modifier(Modifier::UNDERLINED))];
        lines.extend(processes.iter().map(|process| Line::raw(format!("  {}", process_text(process)))));
        if !processes.is_empty() {
            frame.render_widget(Paragraph::new(lines), area);
        }
    }

    fn draw_foot(&self, frame: &mut Frame<'_>, area: Rect) {
        let mut first = vec![pressure_text(self.words, self.situation)];
        first.extend(cost_text(self.words, self.situation));
        let columns = usize::from(area.width);
        let all = self.words.say("watch-keys");
        let mut keys = if lines_of(&all, columns) > 1 { self.words.say("watch-keys-short") } else { all };
        if self.choices.is_paused {
            keys = format!("{}  {keys}", self.words.say("watch-paused").to_uppercase());
        }
        let lines = vec![
            Line::raw(fitted(&first.join("; "), columns)),
            Line::styled(keys, Style::new().add_modifier(Modifier::REVERSED)),
        ];
        frame.render_widget(Paragraph::new(lines), area);
    }
}

/// Lines of the first sentence and of what the rules say: as many as they need, where there is room; two where there is
/// much, so that the table does not jump.
fn sentence_lines(area: Rect, first: &str, said: &str) -> [u16; 2] {
    let columns = usize::from(area.width);
    let is_low = area.height < 16;
    let (least, most) = if is_low { (1, area.height.saturating_sub(6).clamp(1, 4)) } else { (2, 4) };
    let rest = if is_low { 1 } else { lines_of(said, columns).clamp(2, 3) };
    [lines_of(first, columns).clamp(least, most), rest]
}

/// Areas of so many lines below each other; the last stands at the foot. A solver of layouts would take most of what
/// watching costs.
fn stacked<const N: usize>(area: Rect, heights: impl FnOnce(u16) -> [u16; N]) -> [Rect; N] {
    let mut used = 0;
    let heights = heights(area.height);
    let mut place = 0;
    heights.map(|height| {
        place += 1;
        let height = height.min(area.height - used);
        let y = if place == N { area.height - height } else { used };
        used += height;
        Rect { y: area.y + y, height, ..area }
    })
}

/// A process with the share of a CPU that it used.
#[must_use]
pub fn process_text(process: &ProcessUse) -> String {
    let share = if process.watched_s > 0.0 { process.cpu_s / process.watched_s } else { 0.0 };
    let name: String = process.name.chars().filter(|c| !c.is_control()).collect();
    let pid = if process.pid == 0 { String::new() } else { format!(" {}", process.pid) };
    format!("{} {}", padded(&format!("{name}{pid}"), NAME), format::rough_percent(share))
}

/// How long tasks waited.
#[must_use]
pub fn pressure_text(words: &Words, situation: &Situation) -> String {
    let of = |name: &str| {
        let found = situation.pressure.iter().find(|(known, ..)| *known == name);
        found.map_or(Value::Number(0.0), |(_, some, _)| Value::Number(*some))
    };
    match situation.pressure.is_empty() {
        true => String::new(),
        false => {
            words.tell("watch-pressure", &[("cpu", of("cpu")), ("memory", of("memory")), ("io", of("io"))])
        }
    }
}

/// What watching costs.
#[must_use]
pub fn cost_text(words: &Words, situation: &Situation) -> Option<String> {
    let cost = format::fine_percent(situation.own_cpu?);
    Some(match &situation.traced {
        Some(TracedPhases { broken: Some(why), .. }) => {
            words.tell_texts("watch-trace-broken", &[("why", why)])
        }
        Some(traced) => {
            let events = Rates::Bytes.rough(traced.events_per_s, Unit::PerSecond);
            words.tell_texts("watch-cost-traced", &[("cost", &cost), ("events", &events)])
        }
        None => words.tell_texts("watch-cost", &[("cost", &cost)]),
    })
}
