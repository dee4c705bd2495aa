//! What ping prints at its end, held against its answers and against itself.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::Counting;

use crate::tool::arithmetic::{FigureSheet, Term, nth_of};
use crate::tool::block::ToolLine;
use crate::tool::number::{leading, quantity};

/// What is behind the last digit of each time makes no more.
const NEAR: f64 = 0.002;

/// What one output contradicts itself in.
pub(super) fn disagreements(lines: &[ToolLine]) -> Vec<FigureDisagreement> {
    let sheet = FigureSheet::of(lines);
    let answers: Vec<(u64, Term)> = sheet.lines().filter_map(|(line, text)| answer(line, text)).collect();
    let mut received = None;
    for (line, text) in sheet.lines() {
        if text.contains(" packets transmitted, ") {
            let (sent, own) = (nth_of(line, text, 0).exact(), nth_of(line, text, 1).exact());
            let share = text.split_once('%').and_then(|(before, _)| before.rsplit([' ', ',']).next());
            let share = share.map_or_else(Term::default, |share| nth_of(line, share, 0));
            // What came twice is counted apart, and some drop what is behind the point.
            let is_simple = !text.contains("duplicates") && !text.contains("errors");
            if is_simple {
                sheet.equal(&share.cut(), (&(&sent - &own) / &sent).scaled(100.0), NEAR);
            }
            received = own.value().filter(|_| is_simple);
        } else if let Some((_, values)) =
            text.split_once("min/avg/max").and_then(|(_, rest)| rest.split_once(" = "))
        {
            // Those that are not shown count, too.
            let is_whole =
                received.is_some_and(|received| received == answers.len() as f64 && received > 0.0);
            if is_whole && is_in_order(&answers) {
                spread(&sheet, line, values, &answers);
            }
        }
    }
    sheet.found()
}

/// The least, the mean and the greatest are those of the answers.
fn spread(sheet: &FigureSheet<'_>, line: u64, values: &str, answers: &[(u64, Term)]) {
    let (figures, unit) = values.split_once(' ').unwrap_or((values, "ms"));
    let unit = unit.split([' ', ',']).next().unwrap_or("ms");
    let of = |at: usize| {
        let value = figures
            .split('/')
            .nth(at)
            .and_then(|value| quantity(line, &format!("{value} {unit}"), Counting::Decimal));
        Term::of(value)
    };
    let times: Vec<Term> = answers.iter().map(|(_, time)| time.clone()).collect();
    let by_value =
        |a: &&Term, b: &&Term| a.value().unwrap_or_default().total_cmp(&b.value().unwrap_or_default());
    let (least, most) = (times.iter().min_by(by_value).cloned(), times.iter().max_by(by_value).cloned());
    sheet.equal(&of(0), least.unwrap_or_default(), NEAR);
    sheet.equal(&of(1), Term::mean(&times), NEAR);
    sheet.equal(&of(2), most.unwrap_or_default(), NEAR);
}

/// The number and the time of `64 bytes from h (10.0.0.2): icmp_seq=1 ttl=64 time=0.217 ms`.
fn answer(line: u64, text: &str) -> Option<(u64, Term)> {
    let (_, number) = text.split_once("seq=")?;
    let (_, time) = text.split_once(" time=")?;
    let number = leading(number, false)?.value;
    let time = leading(time, false)?;
    let unit = time.rest.split_whitespace().next()?;
    // Of three digits iputils cuts off those behind.
    let printed = quantity(line, &format!("{} {unit}", time.digits), Counting::Decimal)?;
    Some((number as u64, Term::of(Some(printed)).cut()))
}

/// Whether each answer is there once: what came twice, or was left out, makes the count another one.
fn is_in_order(answers: &[(u64, Term)]) -> bool {
    answers.windows(2).all(|pair| matches!(pair, [(one, _), (other, _)] if one < other))
}

#[cfg(test)]
mod tests {
    fn text(share: &str, mean: &str, most: &str) -> String {
        format!(
            "PING h (10.0.0.2) 56(84) bytes of data.\n64 bytes from h (10.0.0.2): icmp_seq=1 ttl=64 time=0.217 ms\n\
             64 bytes from h (10.0.0.2): icmp_seq=2 ttl=64 time=0.101 ms\n64 bytes from h (10.0.0.2): icmp_seq=4 ttl=64 time=0.042 ms\n\n\
             --- h ping statistics ---\n4 packets transmitted, 3 received, {share}% packet loss, time 3060ms\n\
             rtt min/avg/max/mdev = 0.042/{mean}/{most}/0.072 ms\n"
        )
    }

    fn wrong(text: &str) -> Vec<String> {
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        output.results[0].disagreements.iter().map(|wrong| wrong.printed.text.clone()).collect()
    }

    #[test]
    fn the_sums_are_those_of_the_answers() {
        assert_eq!(wrong(&text("25", "0.120", "0.217")), Vec::<String>::new());
        assert_eq!(wrong(&text("0", "0.120", "0.217")), ["0"]);
        assert_eq!(wrong(&text("25", "0.152", "0.217")), ["0.152 ms"]);
        assert_eq!(wrong(&text("25", "0.120", "0.317")), ["0.317 ms"]);
    }

    #[test]
    fn answers_that_are_not_shown_count_too() {
        let cut = text("25", "0.152", "0.217").replacen(
            "64 bytes from h (10.0.0.2): icmp_seq=2 ttl=64 time=0.101 ms\n",
            "",
            1,
        );
        assert_eq!(wrong(&cut), Vec::<String>::new());
    }
}
