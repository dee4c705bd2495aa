//! The progress meter of curl.

use model::tool_result::{PrintedValue, ToolMeasurement, ToolPart, ToolPartKind};
use model::{MetricName, Unit, metric};

use super::METER;
use crate::tool::block::ToolLine;
use crate::tool::number::{exact, plain, whole};
use crate::tool::web::{cut_off, span};

pub(super) fn is_heading(text: &str) -> bool {
    text.trim_start().starts_with("% Total") && text.contains("% Received") && text.contains("% Xferd")
}

pub(super) fn is_second_heading(text: &str) -> bool {
    text.trim_start().starts_with("Dload") && text.contains("Upload")
}

pub(super) fn is_parallel_heading(text: &str) -> bool {
    text.trim_start().starts_with("DL%") && text.contains("Dled") && text.contains("Xfers")
}

/// Numbers, and times of which some have two words (`3d 07h`); placeholders are kept.
fn cells(text: &str) -> Vec<String> {
    let mut cells: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let joins = word.ends_with('h') || word.ends_with('m') || word.ends_with('s');
        let is_day = |cell: &String| cell.ends_with('d') || cell.ends_with('h');
        match cells.last_mut().filter(|cell| joins && is_day(cell)) {
            Some(cell) => {
                cell.push(' ');
                cell.push_str(word);
            }
            None => cells.push(word.to_owned()),
        }
    }
    cells
}

/// A time of the meter: `0:00:02`, `00:07`, `3d 07h`. Less than a second of it is cut off.
fn meter_time(line: u64, text: &str) -> Option<PrintedValue> {
    let value = if text.contains(':') {
        let mut value = 0.0;
        for part in text.split(':') {
            let (number, "") = whole(part)? else { return None };
            value = value * 60.0 + number as f64;
        }
        value
    } else {
        span(line, text)?.value
    };
    let half_step = if text.contains('d') || text.contains('h') { 3600.0 } else { 1.0 };
    Some(PrintedValue { half_step, ..plain(line, text, value, Unit::Seconds) })
}

fn is_time(cell: &str) -> bool {
    cell.contains(':') || cell.ends_with(['d', 'h']) && cell.starts_with(|c: char| c.is_ascii_digit())
}

/// A row of the meter in its last state.
pub(super) struct Row {
    received: PrintedValue,
    sent: PrintedValue,
    receive_rate: PrintedValue,
    send_rate: PrintedValue,
    window: Option<PrintedValue>,
}

impl Row {
    /// `100 8789k  100 8789k    0     0  4144k      0  0:00:02  0:00:02 --:--:-- 4143k`; since 8.17 times
    /// that are not known are blank.
    pub(super) fn of(line: &ToolLine) -> Option<Self> {
        let cells = cells(&line.text);
        if !(9..=12).contains(&cells.len()) {
            return None;
        }
        let share = |at: usize| {
            let (share, rest) = whole(cells.get(at)?)?;
            (share <= 100 && rest.is_empty()).then_some(())
        };
        share(0)?;
        share(2)?;
        share(4)?;
        let amount = |at: usize, unit: Unit| cut_off(line.number, cells.get(at)?, unit, METER.counting);
        amount(1, Unit::Bytes)?;
        amount(cells.len() - 1, Unit::BytesPerSecond)?;
        let times = cells.get(8..cells.len() - 1)?;
        if !times.iter().all(|cell| is_time(cell)) {
            return None;
        }
        // In all, spent, left. Of what is over, none is left; what has no known size has spent alone.
        let spent = if times.len() == 1 { times.first() } else { times.get(1) };
        Some(Self {
            received: amount(3, Unit::Bytes)?,
            sent: amount(5, Unit::Bytes)?,
            receive_rate: amount(6, Unit::BytesPerSecond)?,
            send_rate: amount(7, Unit::BytesPerSecond)?,
            window: spent.and_then(|spent| meter_time(line.number, spent)),
        })
    }

    pub(super) fn fill(self, whole: &mut ToolMeasurement, parts: &mut Vec<ToolPart>) {
        let Self { received, sent, receive_rate, send_rate, window } = self;
        whole.window = window;
        match (received.value > 0.0, sent.value > 0.0) {
            (true, true) => {
                for (name, bytes, rate) in [("receive", received, receive_rate), ("send", sent, send_rate)] {
                    if let Some(metric) = metric::THROUGHPUT.of(name) {
                        whole.add(metric, Some(rate.clone()));
                    }
                    let mut measured = ToolMeasurement {
                        window: whole.window.clone(),
                        bytes: Some(bytes),
                        ..ToolMeasurement::default()
                    };
                    measured.add(metric::THROUGHPUT, Some(rate));
                    parts.push(ToolPart {
                        kind: ToolPartKind::Direction,
                        name: name.to_owned(),
                        start_s: None,
                        measured,
                    });
                }
            }
            (false, true) => {
                whole.bytes = Some(sent);
                whole.add(metric::THROUGHPUT, Some(send_rate));
            }
            (true, false) => {
                whole.bytes = Some(received);
                whole.add(metric::THROUGHPUT, Some(receive_rate));
            }
            (false, false) => {}
        }
    }
}

/// A row of the meter of several transfers at once.
pub(super) struct ParallelRow {
    received: PrintedValue,
    sent: PrintedValue,
    transfers: u64,
    window: Option<PrintedValue>,
    speed: PrintedValue,
}

impl ParallelRow {
    /// `100 --  72.5M     0     2     0   0:00:02  0:00:02 --:--:-- 32.2M`: shares, received, sent, transfers, those
    /// that run, times in all, until now and left, and the speed of the last seconds.
    pub(super) fn of(line: &ToolLine) -> Option<Self> {
        let cells = cells(&line.text);
        let is_share = |cell: &String| cell == "--" || whole(cell).is_some_and(|(_, rest)| rest.is_empty());
        if cells.len() < 7 || !cells.iter().take(2).all(is_share) {
            return None;
        }
        let amount = |at: usize, unit: Unit| cut_off(line.number, cells.get(at)?, unit, METER.counting);
        // Earlier versions have the length of the queue before the times.
        let is_number = |cell: &String| whole(cell).is_some_and(|(_, rest)| rest.is_empty());
        let times: Vec<&String> =
            cells.get(6..cells.len() - 1)?.iter().skip_while(|cell| is_number(cell)).collect();
        if !times.iter().all(|cell| is_time(cell)) {
            return None;
        }
        Some(Self {
            received: amount(2, Unit::Bytes)?,
            sent: amount(3, Unit::Bytes)?,
            transfers: whole(cells.get(4)?)?.0,
            window: times.get(1).and_then(|time| meter_time(line.number, time)),
            speed: amount(cells.len() - 1, Unit::BytesPerSecond)?,
        })
    }

    pub(super) fn fill(self, whole: &mut ToolMeasurement) {
        let moved = if self.sent.value > self.received.value { self.sent } else { self.received };
        whole.operations = Some(exact(moved.line, self.transfers, Unit::One));
        whole.window = self.window;
        whole.bytes = Some(moved);
        whole.add(MetricName::new("recent_throughput"), Some(self.speed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> ToolLine {
        ToolLine { number: 1, text: text.to_owned() }
    }

    #[test]
    fn rows_of_old_and_new_meters_are_read() {
        for (text, received, rate, window) in [
            (
                "100 8789k  100 8789k    0     0  4144k      0  0:00:02  0:00:02 --:--:-- 4143k",
                8789.0,
                4144.0,
                Some(2.0),
            ),
            (
                "100   8192 100   8192   0      0   1024      0   00:07   00:07           1666",
                8.0,
                1.0,
                Some(7.0),
            ),
            (
                "100  748.0k 100 748.0k   0      0  1.00M      0                              0",
                748.0,
                1024.0,
                None,
            ),
            (
                "100  1024  100  1024    0     0   2048      0 --:--:-- --:--:-- --:--:--  6000",
                1.0,
                2.0,
                None,
            ),
        ] {
            let row = Row::of(&line(text)).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(
                (row.received.value, row.receive_rate.value),
                (received * 1024.0, rate * 1024.0),
                "{text}"
            );
            assert_eq!(row.window.map(|window| window.value), window, "{text}");
        }
        assert!(
            Row::of(&line(" 1  0      0 123456  12345 123456    0    0     5    10  100  200")).is_none()
        );
    }

    #[test]
    fn what_was_cut_off_may_be_a_whole_step_more() {
        let row =
            Row::of(&line("100 8789k  100 8789k    0     0  4144k      0  0:00:02  0:00:02 --:--:-- 4143k"))
                .unwrap();
        assert_eq!((row.received.half_step, row.window.unwrap().half_step), (1024.0, 1.0));
    }
}
