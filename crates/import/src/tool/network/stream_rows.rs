//! Rows of iperf 2 and iperf3 held against one another: the intervals of a stream make its total, and the streams of an
//! interval the row of all of them.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, PrintedValue};

use crate::tool::arithmetic::{FigureSheet, Term, nth_of};
use crate::tool::block::ToolLine;
use crate::tool::number::{leading, quantity};

/// What arrived after the last interval.
const LAST_MOMENT: f64 = 0.02;

/// Streams that are printed one after the other, and the sum of them.
const STREAMS: f64 = 0.01;

/// Their rates are of times that differ a little: a server takes that of its first stream.
const RATES: f64 = 0.1;

/// The ends of the last interval and of the whole may differ by so many seconds.
const ENDS_S: f64 = 0.3;

/// The name of the row of all streams.
const SUM: &str = "SUM";

/// `[  5]   0.00-1.00   sec   866 MBytes  7.27 Gbits/sec    0   2.25 MBytes`.
struct StreamRow<'a> {
    line: u64,
    /// With the role of a stream of both directions: `5][TX-C`.
    stream: &'a str,
    start_s: f64,
    end_s: f64,
    bytes: PrintedValue,
    rate: PrintedValue,
    /// What stands behind.
    rest: &'a str,
}

impl<'a> StreamRow<'a> {
    fn of(line: u64, text: &'a str) -> Option<Self> {
        let (stream, rest) = text.strip_prefix('[')?.split_once("] ")?;
        let (span, rest) = rest.trim_start().split_once("sec")?;
        let (start, end) = span.split_once('-')?;
        let mut rest = rest.trim_start();
        let mut next = |counting| {
            let number = leading(rest, false)?;
            let unit = number.rest.trim_start();
            let end = unit.find(char::is_whitespace).unwrap_or(unit.len());
            let (unit, behind) = unit.split_at_checked(end)?;
            rest = behind.trim_start();
            quantity(line, &format!("{} {unit}", number.digits), counting)
        };
        let (bytes, rate) = (next(Counting::Binary)?, next(Counting::Decimal)?);
        let (start_s, end_s) = (start.trim().parse().ok()?, end.trim().parse().ok()?);
        Some(Self { line, stream: stream.trim(), start_s, end_s, bytes, rate, rest })
    }

    fn is_total(&self) -> bool {
        self.rest.ends_with("sender") || self.rest.ends_with("receiver")
    }

    /// Which end it is of, for rows of a total.
    fn end(&self) -> &'a str {
        self.rest.rsplit(' ').next().unwrap_or_default()
    }

    fn bytes(&self) -> Term {
        Term::of(Some(self.bytes.clone()))
    }
}

/// The intervals of one stream, and the totals that follow them.
#[derive(Default)]
struct Course<'a> {
    stream: &'a str,
    intervals: Vec<StreamRow<'a>>,
    totals: Vec<StreamRow<'a>>,
}

impl<'a> Course<'a> {
    fn end_s(&self) -> f64 {
        self.intervals.last().map_or(0.0, |last| last.end_s)
    }

    /// Takes a further row; one that begins another course is handed back.
    fn take(&mut self, row: StreamRow<'a>) -> Option<StreamRow<'a>> {
        let goes_on = (row.start_s - self.end_s()).abs() < ENDS_S && !row.is_total();
        let spans_all = row.start_s == 0.0 && (row.end_s - self.end_s()).abs() < ENDS_S;
        if row.is_total() || spans_all && self.intervals.len() > 1 {
            self.totals.push(row);
        } else if goes_on && self.totals.is_empty() {
            self.intervals.push(row);
        } else {
            return Some(row);
        }
        None
    }

    fn check(&self, sheet: &FigureSheet<'_>, has_retransmits: bool) {
        let each: Vec<Term> = self.intervals.iter().map(StreamRow::bytes).collect();
        let whole = |row: &&StreamRow<'_>| row.start_s == 0.0 && (row.end_s - self.end_s()).abs() < ENDS_S;
        let totals: Vec<&StreamRow<'_>> = self.totals.iter().filter(whole).collect();
        let Some(first) = totals.first().filter(|_| each.len() > 1) else { return };
        // Those of one end are what the intervals are of.
        let agrees = |row: &&StreamRow<'_>| {
            let own = FigureSheet::of(&[]);
            own.equal(&row.bytes(), Term::sum(&each), LAST_MOMENT);
            own.found().is_empty()
        };
        if !totals.iter().any(agrees) {
            sheet.equal(&first.bytes(), Term::sum(&each), LAST_MOMENT);
        }
        let retransmits = |row: &StreamRow<'_>| nth_of(row.line, row.rest, 0).exact();
        let sender = totals.iter().find(|row| row.end() == "sender");
        if let Some(sender) = sender.filter(|_| has_retransmits) {
            let each: Vec<Term> = self.intervals.iter().map(retransmits).collect();
            sheet.equal(&retransmits(sender), Term::sum(&each), 0.0);
        }
    }
}

/// What the rows of one output contradict one another in.
pub(super) fn disagreements(lines: &[ToolLine]) -> Vec<FigureDisagreement> {
    let sheet = FigureSheet::of(lines);
    let (mut courses, mut group): (Vec<Course<'_>>, Vec<StreamRow<'_>>) = (Vec::new(), Vec::new());
    let mut has_retransmits = false;
    // Of the seconds that are left out retransmits count all the same.
    let is_omitted = lines.iter().any(|line| line.text.contains("(omitted)"));
    for (line, text) in sheet.lines() {
        if text.starts_with("[ ID]") && courses.is_empty() {
            has_retransmits = text.contains("Retr");
        }
        let Some(row) = StreamRow::of(line, text).filter(|row| !row.rest.contains("(omitted)")) else {
            continue;
        };
        lost(&sheet, &row);
        streams(&sheet, &row, &mut group);
        let open = courses.iter().rposition(|course| course.stream == row.stream);
        let left = match open {
            Some(at) => courses.get_mut(at).and_then(|course| course.take(row)),
            None => Some(row),
        };
        if let Some(row) = left {
            let mut course = Course { stream: row.stream, ..Course::default() };
            course.take(row);
            courses.push(course);
        }
    }
    courses.iter().for_each(|course| course.check(&sheet, has_retransmits && !is_omitted));
    sheet.found()
}

/// `5/382 (1.3%)`.
fn lost(sheet: &FigureSheet<'_>, row: &StreamRow<'_>) {
    let Some((before, share)) = row.rest.split_once('%').and_then(|(before, _)| before.rsplit_once('('))
    else {
        return;
    };
    let counts = before.split_whitespace().last().and_then(|counts| counts.split_once('/'));
    if let Some((lost, all)) = counts {
        let count = |text: &str| nth_of(row.line, text, 0).exact();
        sheet.equal(&nth_of(row.line, share, 0), (&count(lost) / &count(all)).scaled(100.0), LAST_MOMENT);
    }
}

/// Holds the row of all streams against those right above it.
fn streams<'a>(sheet: &FigureSheet<'_>, row: &StreamRow<'a>, group: &mut Vec<StreamRow<'a>>) {
    let copy = || StreamRow { bytes: row.bytes.clone(), rate: row.rate.clone(), ..*row };
    let role = |row: &StreamRow<'a>| row.stream.split_once("][").map(|(_, role)| role);
    let name = row.stream.split("][").next().unwrap_or_default();
    if name != SUM {
        let is_other = group.first().is_some_and(|first| (first.start_s - row.start_s).abs() > ENDS_S);
        if is_other {
            group.clear();
        }
        group.push(copy());
        return;
    }
    let is_own = |own: &&StreamRow<'a>| {
        (own.end_s - row.end_s).abs() < ENDS_S
            && role(own) == role(row)
            && own.is_total() == row.is_total()
            && (!row.is_total() || own.end() == row.end())
    };
    let own: Vec<&StreamRow<'a>> = group.iter().filter(is_own).collect();
    if own.len() > 1 {
        let bytes: Vec<Term> = own.iter().map(|row| row.bytes()).collect();
        let rates: Vec<Term> = own.iter().map(|row| Term::of(Some(row.rate.clone()))).collect();
        sheet.equal(&row.bytes(), Term::sum(&bytes), STREAMS);
        sheet.equal(&Term::of(Some(row.rate.clone())), Term::sum(&rates), RATES);
    }
    // Its other end, or direction, stands right below.
    if !row.is_total() && role(row).is_none() {
        group.clear();
    }
}

#[cfg(test)]
mod tests {
    const PARALLEL: &str = include_str!("../../../tests/tool/fixtures/iperf3/iperf3-3.12-parallel.out");

    fn wrong(text: &str) -> usize {
        crate::tool::read("", text.as_bytes()).unwrap().results[0].disagreements.len()
    }

    #[test]
    fn intervals_and_streams_are_added_up() {
        assert_eq!(wrong(PARALLEL), 0);
        for (from, to) in [
            ("[  5]   1.00-2.00   sec   718 MBytes", "[  5]   1.00-2.00   sec   418 MBytes"),
            ("[SUM]   0.00-1.00   sec  1.69 GBytes", "[SUM]   0.00-1.00   sec  2.69 GBytes"),
            ("14.6 Gbits", "19.6 Gbits"),
            (
                "[SUM]   0.00-2.00   sec  3.08 GBytes  13.2 Gbits/sec    0 ",
                "[SUM]   0.00-2.00   sec  5.08 GBytes  13.2 Gbits/sec    0 ",
            ),
            (
                "1.00-2.00   sec   718 MBytes  6.01 Gbits/sec    0 ",
                "1.00-2.00   sec   718 MBytes  6.01 Gbits/sec    7 ",
            ),
        ] {
            assert!(PARALLEL.contains(from) && wrong(&PARALLEL.replacen(from, to, 1)) > 0, "{to}");
        }
    }

    #[test]
    fn a_lost_share_is_that_of_its_counts() {
        let row = |share: &str| {
            format!(
                "[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n\
                 [  5]   0.00-2.00   sec  11.9 MBytes  50.1 Mbits/sec  0.025 ms  5/382 ({share}%)  receiver\n"
            )
        };
        assert_eq!((wrong(&row("1.3")), wrong(&row("13"))), (0, 1));
    }
}
