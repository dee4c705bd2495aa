//! The figures that `perf stat` prints behind its counts, which the counts themselves determine: instructions per cycle, shares
//! of misses, the clock, what happened in each second of CPU time.

use model::tool_arithmetic::FigureDisagreement;

use crate::tool::arithmetic::{FigureSheet, Term, nth_of, numbers};
use crate::tool::block::ToolLine;

/// perf divides what it did not round, and its own clock is read a moment before the one that it prints.
const NEAR: f64 = 0.02;

/// Below so much the rounding of a short time is all.
const CLOCKS: f64 = 0.05;

/// One event: its name, its count, and what stands behind the mark.
struct CountedEvent<'a> {
    line: u64,
    name: &'a str,
    count: Term,
    behind: &'a str,
}

impl<'a> CountedEvent<'a> {
    /// `     1,234,567      cycles:u        #    2.345 GHz         (83.33%)`; none of what was counted for a part of the time
    /// alone.
    fn of(line: u64, text: &'a str) -> Option<Self> {
        let (counted, behind) = text.split_once('#').unwrap_or((text, ""));
        let is_scaled = |text: &str| text.trim_end().ends_with("%)") && !text.contains("+-");
        let mut words = counted.split_whitespace();
        let (count, name) = (words.next()?, words.next()?);
        let (is_time, name) = if name == "msec" { (true, words.next()?) } else { (false, name) };
        let is_plain = count.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b'.'));
        // Other languages group digits by other marks.
        let is_known = if is_time { count.split('.').count() == 2 } else { !count.contains('.') };
        if !is_plain || !is_known || is_scaled(text) {
            return None;
        }
        let number = numbers(count, true).next().filter(|number| number.digits == count)?;
        let count = Term::of(Some(crate::tool::arithmetic::of_number(line, &number)));
        let count = if is_time { count } else { count.exact() };
        Some(Self { line, name: name.split(':').next()?, count, behind: behind.trim() })
    }

    /// The figure behind the mark, where it is followed by this.
    fn told(&self, unit: &str) -> Option<Term> {
        let (value, rest) = self.behind.split_once(' ')?;
        rest.trim_start().starts_with(unit).then(|| nth_of(self.line, value, 0))
    }
}

/// What one output contradicts itself in.
pub(super) fn disagreements(lines: &[ToolLine]) -> Vec<FigureDisagreement> {
    let sheet = FigureSheet::of(lines);
    // Of several runs it prints means of each.
    if sheet.lines().any(|(_, text)| text.ends_with(" runs):") || text.starts_with("# ")) {
        return Vec::new();
    }
    let events: Vec<CountedEvent<'_>> =
        sheet.lines().filter_map(|(line, text)| CountedEvent::of(line, text)).collect();
    let elapsed = sheet
        .lines()
        .find_map(|(line, text)| Some(nth_of(line, text.strip_suffix(" seconds time elapsed")?, 0)));
    let elapsed = elapsed.unwrap_or_default();
    let count = |names: &[&str]| {
        let own = events.iter().find(|event| names.contains(&event.name));
        own.map(|event| event.count.clone()).unwrap_or_default()
    };
    let processor_ms = count(&["task-clock", "cpu-clock"]);
    let seconds = processor_ms.clone().scaled(1e-3);
    for event in &events {
        if let Some(told) = event.told("CPUs utilized") {
            sheet.equal(&told, &event.count.clone().scaled(1e-3) / &elapsed, CLOCKS);
        } else if let Some(told) = event.told("GHz") {
            sheet.equal(&told, (&event.count / &seconds).scaled(1e-9), NEAR);
        } else if let Some(told) = event.told("insn per cycle") {
            sheet.equal(&told, &event.count / &count(&["cycles", "cpu-cycles"]), NEAR);
        } else if event.behind.contains("% of all ") {
            let share = nth_of(event.line, event.behind, 0);
            let all = whole_of(event.name).map(count).unwrap_or_default();
            sheet.equal(&share, (&event.count / &all).scaled(100.0), NEAR);
        } else {
            for (unit, factor) in [("/sec", 1.0), ("K/sec", 1e-3), ("M/sec", 1e-6), ("G/sec", 1e-9)] {
                if let Some(told) = event.told(unit) {
                    sheet.equal(&told, (&event.count / &seconds).scaled(factor), NEAR);
                }
            }
        }
    }
    sheet.found()
}

/// The events of which some are misses.
fn whole_of(misses: &str) -> Option<&'static [&'static str]> {
    match misses {
        "branch-misses" => Some(&["branches", "branch-instructions"]),
        "cache-misses" => Some(&["cache-references"]),
        "L1-dcache-load-misses" => Some(&["L1-dcache-loads"]),
        "LLC-load-misses" => Some(&["LLC-loads"]),
        "dTLB-load-misses" => Some(&["dTLB-loads"]),
        "iTLB-load-misses" => Some(&["iTLB-loads"]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    const TEXT: &str = " Performance counter stats for './a':\n\n          1,000.50 msec task-clock                #    0.990 CPUs utilized\n\
                        \x20             100      context-switches          #   99.950 /sec\n\
                        \x20   3,000,000,000      cycles                    #    2.999 GHz\n\
                        \x20   4,500,000,000      instructions              #    1.50  insn per cycle\n\
                        \x20     900,000,000      branches                  #  899.550 M/sec\n\
                        \x20       9,000,000      branch-misses             #    1.00% of all branches\n\n\
                        \x20      1.010606061 seconds time elapsed\n";

    fn wrong(text: &str) -> Vec<String> {
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        output.results[0].disagreements.iter().map(|wrong| wrong.printed.text.clone()).collect()
    }

    #[test]
    fn what_its_counts_determine_is_held_against_them() {
        assert_eq!(wrong(TEXT), Vec::<String>::new());
        for (from, to) in [
            ("0.990 CPUs", "0.590 CPUs"),
            ("2.999 GHz", "2.199 GHz"),
            ("1.50  insn", "1.90  insn"),
            ("1.00% of", "3.00% of"),
        ] {
            assert_eq!(wrong(&TEXT.replacen(from, to, 1)), [to.split([' ', '%']).next().unwrap()]);
        }
    }

    #[test]
    fn what_was_counted_for_a_part_of_the_time_is_estimated() {
        let text = TEXT.replacen("1.50  insn per cycle", "1.90  insn per cycle    (83.10%)", 1);
        assert_eq!(wrong(&text), Vec::<String>::new());
    }
}
