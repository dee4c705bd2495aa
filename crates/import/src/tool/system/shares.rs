//! That what processors do is all of their time, in screens of top and rows of vmstat; and that there are as many tasks as of
//! all states together, at least.

use model::tool_arithmetic::FigureDisagreement;

use crate::tool::arithmetic::{FigureSheet, Term, nth_of, numbers};
use crate::tool::block::ToolLine;

/// Each of some eight shares may be rounded by half of a tenth, and clocks are read one behind the other.
const ROOM: f64 = 2.0;

/// What contradicts itself in screens of top.
pub(super) fn of_top(lines: &[ToolLine]) -> Vec<FigureDisagreement> {
    let sheet = FigureSheet::of(lines);
    for (line, text) in sheet.lines() {
        let Some((name, rest)) = text.split_once(':') else { continue };
        if name.eq_ignore_ascii_case("%Cpu(s)") || name.starts_with("%Cpu") && !rest.contains("%Cpu") {
            // In the order of procps: us, sy, ni, id, wa, hi, si, st.
            let shares: Vec<Term> = (0..8).map(|nth| nth_of(line, rest, nth)).collect();
            if numbers(rest, false).count() == shares.len() {
                of_shares(&sheet, &shares, 3, ROOM);
            }
        } else if name == "Tasks" || name == "Threads" {
            let count = |nth: usize| nth_of(line, rest, nth);
            let states = Term::sum(&[count(1), count(2), count(3), count(4)]);
            // Some versions do not count idle threads of the kernel among those that sleep.
            if rest.contains("total") && rest.contains("zombie") {
                sheet.at_least(&count(0), states, 0.0);
            }
        }
    }
    sheet.found()
}

/// What contradicts itself in rows of vmstat.
pub(super) fn of_vmstat(lines: &[ToolLine]) -> Vec<FigureDisagreement> {
    let sheet = FigureSheet::of(lines);
    let mut places: Vec<usize> = Vec::new();
    let mut width = 0;
    for (line, text) in sheet.lines() {
        let words: Vec<&str> = text.split_whitespace().collect();
        let place = |name: &str| words.iter().position(|word| *word == name);
        if let (Some(user), Some(_)) = (place("us"), place("id")) {
            let is_share = |word: &&&str| matches!(**word, "us" | "sy" | "id" | "wa" | "st" | "gu");
            let end = words.iter().skip(user).take_while(is_share).count();
            places = (user..user + end).collect();
            // Idle stands third.
            if words.get(user + 2) != Some(&"id") {
                places.clear();
            }
            width = words.len();
            continue;
        }
        let is_row = words.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        // With -t a moment stands behind.
        let is_long = words.len() >= width && words.iter().take(width).all(|w| w.parse::<u64>().is_ok());
        if (is_row || is_long) && !places.is_empty() && words.len() >= width {
            let shares: Vec<Term> =
                places.iter().filter_map(|at| words.get(*at)).map(|word| nth_of(line, word, 0)).collect();
            of_shares(&sheet, &shares, 2, ROOM);
        }
    }
    sheet.found()
}

/// Holds the share of the time in which nothing was done against what the others leave.
fn of_shares(sheet: &FigureSheet<'_>, shares: &[Term], idle_at: usize, room: f64) {
    let others: Vec<Term> =
        shares.iter().enumerate().filter(|(at, _)| *at != idle_at).map(|(_, share)| share.clone()).collect();
    let (Some(idle), sum) = (shares.get(idle_at), Term::total(&others)) else { return };
    let within = sum.value().is_some() && (sum.is_some() || idle.is_some());
    if within {
        sheet.at_most(idle, &Term::number(100.0 + room) - &sum, 0.0);
        sheet.at_least(idle, &Term::number(100.0 - room) - &sum, 0.0);
    }
}

#[cfg(test)]
mod tests {
    fn wrong(text: &str) -> Vec<String> {
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        assert!(!output.results.is_empty());
        let all = output.results.iter().flat_map(|result| &result.disagreements);
        all.map(|wrong| format!("{} / {}", wrong.printed.text, wrong.arithmetic)).collect()
    }

    #[test]
    fn what_processors_do_in_top_is_all_of_their_time() {
        let screen = |idle: &str, total: &str| {
            wrong(&format!(
                "top - 20:30:46 up  4:58,  0 user,  load average: 1.88, 1.32, 1.84\n\
                 Tasks: {total} total,   3 running, 104 sleeping,   0 stopped,   0 zombie\n\
                 %Cpu(s): 50.0 us,  2.0 sy, 10.0 ni, {idle} id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st\n\
                 MiB Mem :  24105.6 total,  21004.6 free,   1576.4 used,   1925.3 buff/cache\n"
            ))
        };
        assert_eq!(screen("38.0", "107"), Vec::<String>::new());
        assert_eq!(screen("37.8", "170"), Vec::<String>::new());
        assert_eq!(screen("83.0", "107").len(), 1);
        assert_eq!(screen("3.8", "107").len(), 1);
        assert_eq!(screen("38.0", "17"), ["17 / 3 + 104 + 0 + 0"]);
    }

    #[test]
    fn what_processors_do_in_vmstat_is_all_of_their_time() {
        let row = |idle: &str| {
            wrong(&format!(
                "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n \
                 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n \
                 5  0      0 14583020  88536 7899232    0    0   836 186840 7371 14253 51 7 {idle}  2  0\n \
                 5  1      0 14583020  88536 7899232    0    0    40 234408 7917 10846 42 8 45  1  4\n"
            ))
        };
        assert_eq!(row("40"), Vec::<String>::new());
        assert_eq!(row("90").len(), 1);
        assert_eq!(row("4").len(), 1);
    }
}
