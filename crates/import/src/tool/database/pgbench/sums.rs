//! What pgbench's report contradicts itself in: scripts that are not all of the transactions, statements that do not make the
//! latency of their script, shares that are not those of their counts.

use model::tool_arithmetic::FigureDisagreement;

use crate::tool::arithmetic::{FigureSheet, Term, nth_of, numbers};
use crate::tool::block::ToolLine;

/// What transactions under way when the time was over change.
const UNDER_WAY: f64 = 0.02;

/// What its own work between statements takes of a latency.
const BETWEEN: f64 = 0.15;

/// The mean latency is of all clients, each of which has one transaction at a time.
const OF_CLIENTS: f64 = 0.15;

/// What follows a heading of statements, up to the next script.
#[derive(Default)]
struct Statements {
    mean: Term,
    each: Vec<Term>,
    /// Whether they stand there now.
    is_open: bool,
    /// Whether statements are sent without waiting for the one before.
    is_pipelined: bool,
}

impl Statements {
    fn close(&mut self, sheet: &FigureSheet<'_>) {
        if !self.is_pipelined && self.each.len() > 1 {
            sheet.equal(&self.mean, Term::sum(&self.each), BETWEEN);
        }
        *self = Self::default();
    }
}

/// What one report contradicts itself in.
pub(super) fn disagreements(lines: &[ToolLine]) -> Vec<FigureDisagreement> {
    let sheet = FigureSheet::of(lines);
    // What was tried again is in some of its times, and not in others.
    if sheet.lines().any(|(_, text)| text.contains("transactions retried")) {
        return Vec::new();
    }
    let all = sheet.count("number of transactions actually processed:");
    let (mut scripts, mut rates) = (Vec::new(), Vec::new());
    let mut statements = Statements::default();
    for (line, text) in sheet.lines() {
        if text.starts_with("SQL script ") {
            statements.close(&sheet);
        } else if let Some(mean) = text.trim_start_matches("- ").strip_prefix("latency average") {
            statements.mean = nth_of(line, mean, 0);
        } else if let Some(rest) = text.strip_prefix("- ").filter(|rest| rest.contains("% of total, tps = "))
        {
            let (own, share) = (nth_of(line, rest, 0).exact(), nth_of(line, rest, 1));
            sheet.equal(&share, (&own / &all).scaled(100.0), 0.0);
            scripts.push(own);
            rates.push(nth_of(line, rest, 2));
        } else if text.contains("statement latencies in milliseconds") {
            statements.is_open = true;
        } else if statements.is_open {
            statements.is_pipelined |= text.contains("\\startpipeline");
            let is_row = numbers(text, false).next().is_some_and(|number| text.starts_with(number.digits));
            statements.is_open = is_row;
            statements.each.extend(is_row.then(|| nth_of(line, text, 0)));
        }
        share(&sheet, line, text, &all);
    }
    statements.close(&sheet);
    if scripts.len() > 1 {
        sheet.equal(&all, Term::sum(&scripts), 0.0);
        sheet.equal(&sheet.within("tps = ", "tps = "), Term::sum(&rates), UNDER_WAY);
    }
    mean(&sheet);
    sheet.found()
}

/// `number of transactions above the 5.0 ms latency limit: 5/224 (2.232%)`, `number of failed transactions: 0 (0.000%)`.
fn share(sheet: &FigureSheet<'_>, line: u64, text: &str, all: &Term) {
    let named =
        text.split_once(": ").filter(|(name, value)| name.starts_with("number of ") && value.ends_with("%)"));
    let Some((name, value)) = named else { return };
    if let Some((counts, share)) = value.split_once(" (") {
        let share = nth_of(line, share, 0);
        if counts.contains('/') {
            let (own, of) = (nth_of(line, counts, 0).exact(), nth_of(line, counts, 1).exact());
            sheet.equal(&share, (&own / &of).scaled(100.0), 0.0);
        } else if name.contains("failed") || name.contains("skipped") {
            // What failed or was skipped is none of those that were done.
            let own = nth_of(line, counts, 0).exact();
            let others = sheet.lines().filter(|(other, text)| {
                *other != line
                    && (text.starts_with("number of failed trans")
                        || text.starts_with("number of transactions skipped"))
            });
            let others: Vec<Term> = others.map(|(line, text)| nth_of(line, text, 0).exact()).collect();
            let tried = &(all + &own) + &Term::total(&others);
            sheet.equal(&share, (&own / &tried).scaled(100.0), 0.0);
        }
    }
}

/// Without a rate or new connections, each client has one transaction at a time.
fn mean(sheet: &FigureSheet<'_>) {
    let waits = ["rate limit schedule lag", "average connection time", "number of transactions skipped"];
    if sheet
        .lines()
        .any(|(_, text)| waits.iter().any(|wait| text.starts_with(wait)) || text.contains("reconnection"))
    {
        return;
    }
    let rate = sheet.lines().filter(|(_, text)| text.starts_with("tps = ")).last();
    let rate = rate.map_or_else(Term::default, |(line, text)| nth_of(line, text, 0));
    let mean = sheet.number("latency average");
    sheet.equal(&mean, (&sheet.count("number of clients:") / &rate).scaled(1e3), OF_CLIENTS);
}

#[cfg(test)]
mod tests {
    const MIX: &str = include_str!("../../../../tests/tool/fixtures/pgbench/pgbench-15.18-mix.out");
    const RATE: &str = include_str!("../../../../tests/tool/fixtures/pgbench/pgbench-15.18-rate.out");

    fn wrong(text: &str) -> usize {
        crate::tool::read("", text.as_bytes()).unwrap().results[0].disagreements.len()
    }

    #[test]
    fn scripts_and_statements_are_added_up() {
        assert_eq!((wrong(MIX), wrong(RATE)), (0, 0));
        for (from, to) in [
            ("- 3212 trans", "- 4212 trans"),
            ("(75.2% of", "(57.2% of"),
            ("tps = 1611.37", "tps = 1211.37"),
            ("latency average = 2.597", "latency average = 3.597"),
            ("latency average = 0.933", "latency average = 1.933"),
        ] {
            assert!(MIX.contains(from) && wrong(&MIX.replacen(from, to, 1)) > 0, "{to}");
        }
        for (from, to) in [("(2.232%)", "(3.232%)"), ("2 (0.885%)", "22 (0.885%)")] {
            assert!(RATE.contains(from) && wrong(&RATE.replacen(from, to, 1)) > 0, "{to}");
        }
    }
}
