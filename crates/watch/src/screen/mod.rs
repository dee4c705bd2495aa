//! The full screen: the first line, the verdict, a line for each resource, who computes, and what watching costs.
//!
//! Colours are the terminal's own and only stress what the words and marks say, so that it reads on light and on dark and
//! without any.

mod guard;
#[cfg(test)]
mod tests;

use language::Words;
use language::format;
use model::Value;
use model::trial::ProcessUse;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

use crate::situation::Situation;
use crate::text::{Fullness, RowText, first_line, rows};

pub use guard::{ScreenError, ScreenKey, TerminalScreen};

/// The least that a screen needs.
const COLUMNS_LEAST: u16 = 40;
const LINES_LEAST: u16 = 8;
/// Columns of the names of resources, and of how full they are.
const NAME: usize = 24;
const SHARE: usize = 13;
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
        let told = |row: &RowText| match row.limit.is_empty() {
            true => format!("{}: {}", row.name, row.now),
            false => format!("{}: {}; {}", row.name, row.now, row.limit),
        };
        let detail = all.get(chosen).map(told).unwrap_or_default();
        let detail_lines = if area.height >= 16 { 3 } else { 1 };
        let mut processes = self.situation.processes.clone();
        processes.truncate(PROCESSES);
        self.choices.order.sort(&mut processes);
        let wanted = all.len() as u16 + 1;
        let process_lines = if processes.is_empty() { 0 } else { processes.len() as u16 + 1 };
        let [first, verdict, table, limit, processes_area, _, foot] = Layout::vertical([
            Constraint::Length(2),
            Constraint::Length(2),
            Constraint::Max(wanted),
            Constraint::Length(detail_lines),
            Constraint::Length(process_lines.min(area.height.saturating_sub(15))),
            Constraint::Min(0),
            Constraint::Length(2),
        ])
        .areas(area);
        self.draw_first(frame, first);
        let said = match self.verdicts {
            [] => self.words.say("watch-no-verdict"),
            all => self.words.tell_texts("watch-verdict", &[("text", &all.join(" "))]),
        };
        frame.render_widget(Paragraph::new(said).wrap(Wrap { trim: true }), verdict);
        self.draw_rows(frame, table, &mut all, chosen);
        let style = Style::new().add_modifier(Modifier::ITALIC);
        frame.render_widget(Paragraph::new(detail).style(style).wrap(Wrap { trim: true }), limit);
        self.draw_processes(frame, processes_area, &processes);
        self.draw_foot(frame, foot);
    }

    fn draw_first(&self, frame: &mut Frame<'_>, area: Rect) {
        let style = Style::new().add_modifier(Modifier::BOLD);
        let text = first_line(self.words, self.situation);
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
            let name = format!("{cursor}{mark}{} {} ", padded(&row.name, NAME), padded(&row.share, SHARE));
            let style = if row.share.is_empty() { Style::new() } else { self.style(row.fullness) };
            Line::from(vec![Span::styled(name, style), Span::raw(row.now.clone())])
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
        let mut keys = self.words.say("watch-keys");
        if self.choices.is_paused {
            keys = format!("{}  {keys}", self.words.say("watch-paused").to_uppercase());
        }
        let lines = vec![
            Line::raw(first.join("; ")),
            Line::styled(keys, Style::new().add_modifier(Modifier::REVERSED)),
        ];
        frame.render_widget(Paragraph::new(lines), area);
    }
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
    Some(words.tell_texts("watch-cost", &[("cost", &cost)]))
}

/// A text in so many columns: what is longer is cut, and letters of Korean and Japanese take two.
fn padded(text: &str, columns: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let width = Span::raw(c.to_string()).width();
        if used + width > columns {
            break;
        }
        out.push(c);
        used += width;
    }
    out + &" ".repeat(columns - used)
}
