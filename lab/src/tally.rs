//! What came of all tries, counted: a row for each scenario, totals with intervals, and
//! the misses by name.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::judge::Grade;
use crate::scenario::Scenario;

/// The tries of one scenario.
pub(crate) struct Row {
    scenario: &'static Scenario,
    grades: Vec<Grade>,
}

/// Counts of grades.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    right: u32,
    cannot_tell: u32,
    wrong: u32,
    false_alarms: u32,
    /// Not induced, disturbed or skipped: they say nothing of the verdicts.
    apart: u32,
}

impl Counts {
    fn of<'a>(grades: impl Iterator<Item = &'a Grade>) -> Self {
        let mut counts = Self::default();
        for grade in grades {
            *match grade {
                Grade::Right => &mut counts.right,
                Grade::CannotTell(_) => &mut counts.cannot_tell,
                Grade::Wrong(_) => &mut counts.wrong,
                Grade::FalseAlarm(_) => &mut counts.false_alarms,
                Grade::NotInduced(_) | Grade::Disturbed(_) | Grade::Skipped(_) => &mut counts.apart,
            } += 1;
        }
        counts
    }

    /// The tries that say something of the verdicts.
    fn judged(self) -> u32 {
        self.right + self.cannot_tell + self.wrong + self.false_alarms
    }
}

impl Row {
    pub(crate) fn new(scenario: &'static Scenario) -> Self {
        Self { scenario, grades: Vec::new() }
    }

    pub(crate) fn add(&mut self, grade: Grade) {
        self.grades.push(grade);
    }

    fn counts(&self) -> Counts {
        Counts::of(self.grades.iter())
    }

    /// For a terminal.
    pub(crate) fn line(&self) -> String {
        let Counts { right, cannot_tell, wrong, false_alarms, apart } = self.counts();
        let mut line = format!(
            "{:<8} {:<55} right {right}, cannot tell {cannot_tell}, wrong {wrong}, \
             false alarms {false_alarms}, apart {apart}",
            self.scenario.area.word(),
            self.scenario.name
        );
        for (what, times) in self.reasons() {
            let _ = write!(line, "\n         {times} x {what}");
        }
        line
    }

    /// All that was not right, with how often it was so.
    fn reasons(&self) -> BTreeMap<String, u32> {
        let mut reasons = BTreeMap::new();
        for grade in &self.grades {
            let what = match grade {
                Grade::Right => continue,
                Grade::CannotTell(what) => format!("cannot tell: {what}"),
                Grade::Wrong(what) => format!("wrong: {what}"),
                Grade::FalseAlarm(what) => format!("false alarm: {what}"),
                Grade::NotInduced(why) => format!("not induced: {why}"),
                Grade::Disturbed(why) => format!("disturbed: {why}"),
                Grade::Skipped(why) => format!("skipped: {why}"),
            };
            *reasons.entry(what).or_default() += 1;
        }
        reasons
    }
}

/// z of a 95 % interval.
const Z: f64 = 1.959_964;

/// The 95 % interval of a share by Wilson ("Probable inference, the law of succession, and
/// statistical inference", Journal of the American Statistical Association, 1927).
fn wilson(hits: u32, of: u32) -> Option<(f64, f64)> {
    let n = f64::from(of);
    if of == 0 {
        return None;
    }
    let share = f64::from(hits) / n;
    let squared = Z * Z;
    let middle = (share + squared / (2.0 * n)) / (1.0 + squared / n);
    let half = Z / (1.0 + squared / n) * (share * (1.0 - share) / n + squared / (4.0 * n * n)).sqrt();
    Some(((middle - half).max(0.0), (middle + half).min(1.0)))
}

/// A share in words, with its interval. Of none, the rule of three says what it is at
/// most (Hanley and Lippman-Hand, "If nothing goes wrong, is everything all right?",
/// JAMA, 1983).
pub(crate) fn share(hits: u32, of: u32) -> String {
    match wilson(hits, of) {
        None => "none of 0".to_owned(),
        Some(_) if hits == 0 => {
            let most = (300.0 / f64::from(of)).min(100.0);
            format!("0 of {of} (at most {most:.1} %, by the rule of three)")
        }
        Some((low, high)) => {
            let percent = 100.0 * f64::from(hits) / f64::from(of);
            format!("{hits} of {of}, {percent:.1} % ({:.1} to {:.1} %)", 100.0 * low, 100.0 * high)
        }
    }
}

/// The totals, a line each.
pub(crate) fn totals(rows: &[Row]) -> Vec<String> {
    let of = |quiet: bool| {
        let rows = rows.iter().filter(|row| row.scenario.is_quiet() == quiet);
        Counts::of(rows.flat_map(|row| &row.grades))
    };
    let (induced, quiet) = (of(false), of(true));
    vec![
        format!("induced limits, right: {}", share(induced.right, induced.judged())),
        format!("induced limits, cannot tell: {}", share(induced.cannot_tell, induced.judged())),
        format!("induced limits, wrong: {}", share(induced.wrong, induced.judged())),
        format!("quiet runs, false alarms: {}", share(quiet.false_alarms, quiet.judged())),
        format!(
            "quiet runs, other verdicts than the plausible ones: {}",
            share(quiet.wrong + quiet.cannot_tell, quiet.judged())
        ),
        format!("counted apart: {} induced, {} quiet", induced.apart, quiet.apart),
    ]
}

const COLUMNS: [&str; 8] =
    ["area", "scenario", "headroom run", "right answers", "right", "cannot tell", "wrong", "apart"];

/// The part of the page that follows from these rows.
pub(crate) fn page(rows: &[Row], circumstances: &str) -> String {
    let mut text = format!("{circumstances}\n\n");
    for line in totals(rows) {
        let _ = writeln!(text, "- {line}");
    }
    let _ = writeln!(text, "\n| {} |\n|{}", COLUMNS.join(" | "), "---|".repeat(COLUMNS.len()));
    for row in rows {
        let Counts { right, cannot_tell, wrong, false_alarms, apart } = row.counts();
        let answers: Vec<String> = row.scenario.right.iter().map(|code| format!("`{code}`")).collect();
        let mut answers = if answers.is_empty() { "any".to_owned() } else { answers.join(" or ") };
        for code in row.scenario.also {
            let _ = write!(answers, ", with `{code}`");
        }
        let _ = writeln!(
            text,
            "| {} | {} | `{}` | {answers} | {right} | {cannot_tell} | {} | {apart} |",
            row.scenario.area.word(),
            row.scenario.name,
            row.scenario.load.join(" "),
            wrong + false_alarms
        );
    }
    text.push_str("\n### What was not right\n\n");
    let mut count = 0;
    for row in rows {
        for (what, times) in row.reasons() {
            count += 1;
            // A bar or a new line would end the list's entry.
            let what = what.replace(['\n', '|'], " ");
            let _ = writeln!(text, "- {}, {}: {times} x {what}", row.scenario.area.word(), row.scenario.name);
        }
    }
    if count == 0 {
        text.push_str("Nothing.\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Area;

    static QUOTA: Scenario = Scenario::limit("a quota", Area::Disk, &[], &["disk"]).right(&["io-quota"]);
    static QUIET: Scenario = Scenario::quiet("primes", &["cpu.primes"], &["one-core-full"]);

    #[test]
    fn the_interval_is_wilson_s() {
        // Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I.
        let (low, high) = wilson(81, 263).unwrap();
        assert!((low - 0.2553).abs() < 1e-4 && (high - 0.3662).abs() < 1e-4, "{low} {high}");
        let (low, high) = wilson(0, 20).unwrap();
        assert!(low.abs() < 1e-9 && (high - 0.1611).abs() < 1e-4, "{low} {high}");
        assert_eq!(wilson(0, 0), None);
    }

    #[test]
    fn shares_are_told_with_what_they_may_be() {
        assert_eq!(share(0, 60), "0 of 60 (at most 5.0 %, by the rule of three)");
        assert_eq!(share(29, 29), "29 of 29, 100.0 % (88.3 to 100.0 %)");
        assert_eq!(share(0, 0), "none of 0");
    }

    #[test]
    fn what_says_nothing_of_the_verdicts_is_counted_apart() {
        let mut row = Row::new(&QUOTA);
        row.add(Grade::Right);
        row.add(Grade::NotInduced("idle".to_owned()));
        row.add(Grade::Skipped("no".to_owned()));
        row.add(Grade::Wrong("`latency-bound`: t".to_owned()));
        let mut quiet = Row::new(&QUIET);
        quiet.add(Grade::FalseAlarm("`io-quota`: t".to_owned()));
        let rows = [row, quiet];
        let totals = totals(&rows);
        assert!(totals[0].starts_with("induced limits, right: 1 of 2"), "{totals:?}");
        assert!(totals[3].contains("1 of 1"), "{totals:?}");
        assert_eq!(totals[5], "counted apart: 2 induced, 0 quiet");
        let page = page(&rows, "Today.");
        assert!(page.contains("| disk | a quota | `disk` | `io-quota` | 1 | 0 | 1 | 2 |"), "{page}");
        assert!(page.contains("- disk, a quota: 1 x wrong: `latency-bound`: t"), "{page}");
        assert!(rows[0].line().contains("apart 2"), "{}", rows[0].line());
    }
}
