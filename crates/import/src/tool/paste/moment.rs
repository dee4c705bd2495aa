//! A date and a time at the beginning of a line, in the forms that logs have.

/// What follows a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BehindMoment<'a> {
    /// It.
    pub(super) rest: &'a str,
    /// Whether the day is told, too, or the second of the Unix epoch.
    pub(super) has_date: bool,
}

/// Dates: `d` is a digit, `_` a digit or a space.
const DATES: &[&str] = &["dddd-dd-dd", "dddd/dd/dd", "dd.dd.dddd", "dd/dd/dddd"];

const MONTHS: &[&str] = &["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// What is behind a moment at the beginning of a text: RFC 3339 and ISO 8601, the traditional form of
/// syslog (RFC 3164), a time of the day alone, or seconds of the Unix epoch with decimals.
pub(super) fn behind(text: &str) -> Option<BehindMoment<'_>> {
    let epoch = behind_pattern(text, "dddddddddd.d").map(behind_digits);
    if let Some(rest) = epoch {
        return Some(BehindMoment { rest, has_date: true });
    }
    let date = DATES.iter().find_map(|date| behind_pattern(text, date)).or_else(|| behind_month(text));
    let clock = match date {
        Some(rest) => rest.strip_prefix(['T', ' ', '_'])?,
        None => text,
    };
    let rest = behind_pattern(clock, "dd:dd:dd")?;
    let rest = rest.strip_prefix(['.', ',']).map_or(rest, behind_digits);
    let rest = behind_zone(rest);
    (rest.is_empty() || rest.starts_with([' ', ':']))
        .then_some(BehindMoment { rest, has_date: date.is_some() })
}

/// `Nov 27`, `Nov  7`.
fn behind_month(text: &str) -> Option<&str> {
    let rest = MONTHS.iter().find_map(|month| text.strip_prefix(month))?;
    behind_pattern(rest, " _d")
}

/// Behind `Z` or `+01:00`, where one is there.
fn behind_zone(text: &str) -> &str {
    let zones = ["+dd:dd", "-dd:dd", "+dddd", "-dddd", "Z"];
    zones.iter().find_map(|zone| behind_pattern(text, zone)).unwrap_or(text)
}

fn behind_digits(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_ascii_digit())
}

fn behind_pattern<'a>(text: &'a str, pattern: &str) -> Option<&'a str> {
    let mut letters = text.chars();
    for expected in pattern.chars() {
        let letter = letters.next()?;
        let is_one = match expected {
            'd' => letter.is_ascii_digit(),
            '_' => letter.is_ascii_digit() || letter == ' ',
            other => letter == other,
        };
        if !is_one {
            return None;
        }
    }
    Some(letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_logs_are_known() {
        for moment in [
            "2026-11-27T22:19:59.123456Z",
            "2026-11-27T22:19:59+0100",
            "2026-11-27 22:19:59,123",
            "2026/11/27 22:19:59",
            "27.11.2026 22:19:59",
            "Nov  7 22:19:59",
            "1795818420.183",
        ] {
            assert_eq!(
                behind(&format!("{moment}  x")),
                Some(BehindMoment { rest: "  x", has_date: true }),
                "{moment}"
            );
        }
        assert_eq!(behind("22:19:59 x"), Some(BehindMoment { rest: " x", has_date: false }));
        for text in ["22:19 x", "2026-11-27 x", "1795818420 x", "22:19:5", "", "Nov x"] {
            assert_eq!(behind(text), None, "{text}");
        }
    }
}
