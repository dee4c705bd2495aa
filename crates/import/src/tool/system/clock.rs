//! Times of day, as tools print them before a row.

/// So many seconds has a day.
const DAY: f64 = 86_400.0;

/// A time of day at the beginning of these words, in seconds since midnight, and how many words it has:
/// `20:04:55`, `08:04:55 PM`, `22時24分29秒`.
pub(super) fn leading_clock(words: &[&str]) -> Option<(f64, usize)> {
    // In Korean each part is a word of its own.
    if let [hour, minute, second, ..] = words
        && hour.ends_with('시')
        && minute.ends_with('분')
        && second.ends_with('초')
    {
        let parts = [hour, minute, second].map(|word| word.trim_end_matches(['시', '분', '초']));
        return Some((clock(&parts.join(":"))?, 3));
    }
    let seconds = clock(words.first()?)?;
    let noon = 12.0 * 3600.0;
    Some(match words.get(1).map(|word| word.to_ascii_uppercase()).as_deref() {
        Some("AM") if seconds >= noon => (seconds - noon, 2),
        Some("AM") => (seconds, 2),
        Some("PM") if seconds < noon => (seconds + noon, 2),
        Some("PM") => (seconds, 2),
        _ => (seconds, 1),
    })
}

/// The time of day of a line that has nothing but a date and a time.
pub(super) fn lone_clock(text: &str) -> Option<f64> {
    // In Japanese, Chinese and Korean: `2026年11月27日`, `2026년 11월 27일`.
    let is_asian = text.contains(['年', '년']);
    let date = |text: &str| {
        let text = text.replace("년 ", "-").replace("월 ", "-").replace("일 ", " ");
        text.replace(['年', '月'], "-").replace('日', " ")
    };
    let text = if is_asian { date(text) } else { text.to_owned() };
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c == 'T').collect();
    let words: Vec<&str> =
        words.into_iter().filter(|word| !word.is_empty() && *word != "ime:" && *word != "ime").collect();
    let (before, rest) = match words.as_slice() {
        [first, rest @ ..] if is_date(first) => (1, rest),
        all => (0, all),
    };
    let (seconds, used) = leading_clock(rest)?;
    (before + used == words.len()).then_some(seconds)
}

/// How long it is from one time of day to the next one that is like the other.
pub(super) fn between(from: f64, to: f64) -> f64 {
    (to - from).rem_euclid(DAY)
}

fn clock(word: &str) -> Option<f64> {
    // Every line of every text is asked.
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    // A zone may follow: `20:04:57+0000`.
    let word = word.trim_end_matches(['Z', '秒']).split('+').next()?;
    // In Japanese and Chinese: `22時24分29秒`.
    let word = word.replace(['時', '时', '分'], ":");
    // In Finnish and Danish: `22.24.29`.
    let is_dotted = word.split('.').count() == 3 && word.split('.').all(|part| part.len() == 2);
    let word = if is_dotted { word.replace('.', ":") } else { word };
    let mut parts = word.split(':');
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next()?);
    let two = |text: &str, most: f64| -> Option<f64> {
        let is_one = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        let value: f64 = if is_one { text.parse().ok()? } else { return None };
        (value < most).then_some(value)
    };
    if parts.next().is_some() {
        return None;
    }
    Some(two(hour, 24.0)? * 3600.0 + two(minute, 60.0)? * 60.0 + two(second, 61.0)?)
}

/// `11/27/26`, `2026-11-27`, `27.11.2026`.
fn is_date(word: &str) -> bool {
    let mut parts = word.split(['/', '-', '.']).filter(|part| !part.is_empty());
    let is_number = |part: &str| part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.clone().count() == 3 && parts.all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day_are_read_in_every_form() {
        assert_eq!(leading_clock(&["00:01:05", "all"]), Some((65.0, 1)));
        assert_eq!(leading_clock(&["12:01:05", "AM", "all"]), Some((65.0, 2)));
        assert_eq!(leading_clock(&["01:00:00", "PM"]), Some((46_800.0, 2)));
        assert_eq!(leading_clock(&["01時00分05秒", "all"]), Some((3605.0, 1)));
        assert_eq!(leading_clock(&["1시", "00분", "05초", "all"]), Some((3605.0, 3)));
        assert_eq!(leading_clock(&["25:00:00"]), None);
        assert_eq!(leading_clock(&["0:26.91"]), None);
        for text in [
            "11/27/26 01:00:00",
            "2026-11-27T01:00:00+0000",
            "27.11.2026 01:00:00 AM",
            "27.11.2026 01.00.00",
            "2026年11月27日 01時00分00秒",
            "2026년 11월 27일 01시 00분 00초",
            "Time: 01:00:00",
        ] {
            assert_eq!(lone_clock(text), Some(3600.0), "{text}");
        }
        assert_eq!(lone_clock("01:00:00 all 4"), None);
        assert_eq!(between(86_399.0, 1.0), 2.0);
    }
}
