//! When something is measured again: how often, and in which hours of the day.

use model::parameter::Kind;
use model::{Value, scalar};

use crate::exit::Failure;

const DAY_MINUTES: u32 = 24 * 60;

/// How often it is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Every {
    Hours(u32),
    Day,
    Week,
    Month,
}

impl Every {
    pub(super) fn read(text: &str) -> Result<Self, &'static str> {
        match text {
            "1d" | "24h" => Ok(Self::Day),
            "1w" | "7d" => Ok(Self::Week),
            "1month" => Ok(Self::Month),
            _ => {
                let hours: Option<u32> = text.strip_suffix('h').and_then(|hours| hours.parse().ok());
                // At the same hours each day.
                hours
                    .filter(|hours| [1, 2, 3, 4, 6, 8, 12].contains(hours))
                    .map(Self::Hours)
                    .ok_or("such as 6h, 1d, 1w or 1month; hours have to divide the day")
            }
        }
    }

    /// When it begins, as systemd.time(7) has it.
    pub(super) fn calendar(self, window: Option<QuietWindow>) -> String {
        let from = window.map_or(0, |window| window.from);
        let (hour, minute) = (from / 60, from % 60);
        match self {
            Self::Hours(hours) => format!("*-*-* 00/{hours}:00:00"),
            Self::Day => format!("*-*-* {hour:02}:{minute:02}:00"),
            Self::Week => format!("Sun *-*-* {hour:02}:{minute:02}:00"),
            Self::Month => format!("*-*-01 {hour:02}:{minute:02}:00"),
        }
    }
}

/// Hours of the day in which it may be measured, in minutes from midnight; it may reach over midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QuietWindow {
    from: u32,
    minutes: u32,
}

impl QuietWindow {
    pub(super) fn read(text: &str) -> Result<Self, &'static str> {
        const WRITTEN: &str = "hours are written 01:00-05:00";
        let (from, to) = text.split_once('-').ok_or(WRITTEN)?;
        let (from, to) = (minute_of_day(from).ok_or(WRITTEN)?, minute_of_day(to).ok_or(WRITTEN)?);
        match (to + DAY_MINUTES - from) % DAY_MINUTES {
            0 => Err("the two hours are the same"),
            minutes => Ok(Self { from, minutes }),
        }
    }

    pub(super) fn seconds(self) -> u32 {
        self.minutes * 60
    }
}

/// `01:30` as minutes from midnight.
fn minute_of_day(text: &str) -> Option<u32> {
    let (hour, minute) = text.split_once(':')?;
    let number = |part: &str, most: u32| -> Option<u32> {
        let is_written = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse().ok().filter(|value| is_written && *value <= most)
    };
    Some(number(hour, 23)? * 60 + number(minute, 59)?)
}

/// That the times fit together.
pub(super) fn check(every: Every, window: Option<QuietWindow>, budget: Option<&str>) -> Result<(), Failure> {
    let Some(window) = window else { return Ok(()) };
    if matches!(every, Every::Hours(_)) {
        return Err(Failure::arguments(
            "the hours of --between are there once a day",
            "--every 1d, 1w or 1month",
        ));
    }
    let Some(budget) = budget else {
        return Err(Failure::arguments(
            "nobody knows whether the run ends between these hours",
            "say how long it may take: --budget 30m",
        ));
    };
    match scalar::parse(Kind::Duration, budget) {
        Ok(Value::Number(seconds)) if seconds > f64::from(window.seconds()) => Err(Failure::arguments(
            format!("a budget of {budget} does not fit between these hours"),
            "give more hours, or a smaller --budget",
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_calendar_says_when_it_begins() {
        let window = QuietWindow::read("23:00-02:00").unwrap();
        assert_eq!(window, QuietWindow { from: 23 * 60, minutes: 180 });
        for (every, calendar) in
            [("1w", "Sun *-*-* 23:00:00"), ("1month", "*-*-01 23:00:00"), ("24h", "*-*-* 23:00:00")]
        {
            assert_eq!(Every::read(every).unwrap().calendar(Some(window)), calendar);
        }
        assert_eq!(Every::read("6h").unwrap().calendar(None), "*-*-* 00/6:00:00");
        assert_eq!(Every::read("1d").unwrap().calendar(None), "*-*-* 00:00:00");
        for wrong in ["5h", "0h", "1y", "", "d", "30m"] {
            assert!(Every::read(wrong).is_err(), "{wrong}");
        }
        for wrong in ["01:00", "1:00-2:00", "01:00-24:00", "01:60-02:00", "01:00-01:00", "+1:00-02:00"] {
            assert!(QuietWindow::read(wrong).is_err(), "{wrong}");
        }
    }
}
