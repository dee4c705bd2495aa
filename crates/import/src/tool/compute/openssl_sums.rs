//! What the figures of `openssl speed` on keys say of one another: of an operation its seconds and how many a second, and
//! what was counted in which time. Blocks are held against theirs by the checks, as amounts of every tool are.

use model::tool_arithmetic::FigureDisagreement;

use super::openssl_keys::KeyRow;
use crate::tool::arithmetic::{FigureSheet, Term, nth_count_of, nth_of};
use crate::tool::block::ToolLine;

/// One operation of a key.
struct KeyOperation {
    seconds: Term,
    rate: Term,
}

/// What contradicts itself.
pub(super) fn disagreements(lines: &[ToolLine]) -> Vec<FigureDisagreement> {
    let sheet = FigureSheet::of(lines);
    let (mut counted, mut operations) = (Vec::new(), Vec::new());
    let mut is_in_order = true;
    for (line, text) in sheet.lines() {
        counted.extend(of_progress(line, text));
        let Some(row) = KeyRow::of(text) else { continue };
        // Of more than two it is not known in which order they were measured.
        is_in_order &= row.rates.len() <= 2;
        operations.extend(row.times.iter().zip(&row.rates).map(|(seconds, rate)| KeyOperation {
            seconds: nth_of(line, seconds, 0),
            rate: nth_of(line, rate, 0),
        }));
    }
    for KeyOperation { seconds, rate } in &operations {
        sheet.equal(rate, &Term::number(1.0) / seconds, 0.0);
    }
    // Rows may be missing, and with -multi there is no progress.
    if is_in_order && counted.len() == operations.len() {
        for (rate, KeyOperation { rate: printed, .. }) in counted.into_iter().zip(&operations) {
            sheet.equal(printed, rate, 0.0);
        }
    }
    sheet.found()
}

/// The rate of `Doing 2048 bits private rsa's for 1s: 1241 2048 bits private RSA's in 0.47s`.
fn of_progress(line: u64, text: &str) -> Option<Term> {
    let rest = text.strip_prefix("Doing ")?;
    let (_, rest) = rest.split_once(" for ")?;
    let (asked, rest) = rest.split_once("s: ")?;
    let (done, seconds) = rest.rsplit_once(" in ")?;
    asked.parse::<u64>().ok()?;
    Some(nth_count_of(line, done, 0) / nth_of(line, seconds.strip_suffix('s')?, 0))
}

#[cfg(test)]
mod tests {
    const TEXT: &str = "Doing 2048 bits private rsa's for 1s: 1241 2048 bits private RSA's in 0.47s\n\
        Doing 2048 bits public rsa's for 1s: 21402 2048 bits public RSA's in 0.49s\nversion: 3.0.22\n\
        built on: Wed Oct 21 09:54:24 2026 UTC\n\
        \x20                 sign    verify    sign/s verify/s\nrsa 2048 bits 0.000379s 0.000023s   2640.4  43677.6\n";

    fn wrong(text: &str) -> Vec<String> {
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let all = output.results.iter().flat_map(|result| &result.disagreements);
        all.map(|wrong| format!("{} / {}", wrong.printed.text, wrong.arithmetic)).collect()
    }

    #[test]
    fn a_rate_is_that_of_its_seconds_and_of_what_was_counted() {
        assert_eq!(wrong(TEXT), Vec::<String>::new());
        assert_eq!(
            wrong(&TEXT.replace("2640.4", "2740.4")),
            ["2740.4 / 1 / 0.000379", "2740.4 / 1241 / 0.47"]
        );
        assert_eq!(wrong(&TEXT.replace(" 21402 ", " 31402 ")), ["43677.6 / 31402 / 0.49"]);
        let rows = TEXT.lines().skip(4).collect::<Vec<_>>().join("\n");
        assert_eq!(wrong(&rows.replace("0.000379s", "0.000479s")), ["2640.4 / 1 / 0.000479"]);
        // Rounded to nothing.
        assert_eq!(wrong(&rows.replace("0.000379s", "0.0000s")), Vec::<String>::new());
    }
}
