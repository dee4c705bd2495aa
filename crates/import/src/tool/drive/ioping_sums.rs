//! What ioping prints at its end, held against its requests and against itself.

use model::Unit;
use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::Counting;

use crate::tool::arithmetic::{FigureSheet, Term};
use crate::tool::block::ToolLine;
use crate::tool::number::{count, leading, quantity};

/// Its figures are of one clock; what they are off by is rounding.
const NEAR: f64 = 0.005;

/// What one output contradicts itself in.
pub(super) fn disagreements(lines: &[ToolLine]) -> Vec<FigureDisagreement> {
    let sheet = FigureSheet::of(lines);
    let all: Vec<(u64, &str)> = sheet.lines().collect();
    let Some((line, done)) = all.iter().find(|(_, text)| text.contains(" requests completed in ")) else {
        return Vec::new();
    };
    let (number, rest) = done.split_once(" requests completed in ").unwrap_or_default();
    let requests = Term::of(count(*line, number, Counting::Decimal, Unit::One));
    let mut fields = rest.split(", ");
    let spent = fields.next().map(|time| quantity(*line, time, Counting::Decimal));
    let spent = Term::of(spent.flatten());
    let spread = all.iter().find_map(|(line, text)| Some((*line, text.strip_prefix("min/avg/max/mdev = ")?)));
    let spread: Vec<Term> = spread.map_or_else(Vec::new, |(line, text)| {
        text.split(" / ").map(|time| Term::of(quantity(line, time, Counting::Decimal))).collect()
    });
    if let [least, mean, most, ..] = spread.as_slice() {
        sheet.between(least, mean, most);
        sheet.equal(mean, &spent / &requests, NEAR);
        let times: Vec<Term> = all.iter().filter_map(|(line, text)| own_time(*line, text)).collect();
        // Requests that are not shown count, too.
        if requests.value() == Some(times.len() as f64) {
            sheet.equal(mean, Term::mean(&times), NEAR);
            let by_value =
                |a: &&Term, b: &&Term| a.value().partial_cmp(&b.value()).unwrap_or(std::cmp::Ordering::Equal);
            let extremes = [(least, times.iter().min_by(by_value)), (most, times.iter().max_by(by_value))];
            for (printed, own) in extremes {
                sheet.equal(printed, own.cloned().unwrap_or_default(), NEAR);
            }
        }
    }
    sheet.found()
}

/// The time of `4 KiB <<< io (ext4 /dev/vda 252.0 GiB): request=2 time=311.6 us`; none of a warm-up.
fn own_time(line: u64, text: &str) -> Option<Term> {
    let (_, time) = text.split_once(" time=")?;
    if !text.contains(" request=") || time.contains("(warmup)") {
        return None;
    }
    // `(fast)` and `(slow)` may stand behind it.
    let number = leading(time, false)?;
    let unit = number.rest.split_whitespace().next()?;
    Some(Term::of(quantity(line, &format!("{} {unit}", number.digits), Counting::Decimal)))
}

#[cfg(test)]
mod tests {
    const CAPTURE: &str = include_str!("../../../tests/tool/fixtures/ioping/ioping-1.3-cached.out");

    fn wrong(text: &str) -> usize {
        crate::tool::read("", text.as_bytes()).unwrap().results[0].disagreements.len()
    }

    #[test]
    fn the_statistics_are_those_of_the_requests() {
        assert_eq!(wrong(CAPTURE), 0);
        for (from, to) in [("21.7 us /", "31.7 us /"), ("16.9 us / ", "15.9 us / "), ("108.6 us", "208.6 us")]
        {
            assert!(wrong(&CAPTURE.replacen(from, to, 1)) > 0, "{to}");
        }
    }
}
