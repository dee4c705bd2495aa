//! What hyperfine prints.

use model::Unit;
use model::tool_result::{Counting, LineRange, PrintedValue, ToolResult, ToolWarning};

use super::Benchmark;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::number::{exact, quantity, whole};

/// The command of `Benchmark 1: sleep 1`, of early versions `Benchmark #1: sleep 1`.
pub(super) fn heading(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("Benchmark ")?;
    let (_, rest) = whole(rest.strip_prefix('#').unwrap_or(rest))?;
    rest.strip_prefix(": ").map(str::trim)
}

/// `Time (mean ± σ):     308.9 ms ±   0.4 ms    [User: 1.2 ms, System: 2.5 ms]`, of a single run `Time (abs ≡):`.
pub(super) fn is_time(text: &str) -> bool {
    (text.starts_with("Time (mean ") || text.starts_with("Time (abs ")) && text.contains("[User: ")
}

/// What stands above the comparison of all commands.
const SUMMARIES: &[&str] = &["Summary", "Relative speed comparison"];

/// Whether a line goes on with what is printed.
pub(super) fn belongs(line: &ToolLine) -> bool {
    let text = line.text.as_str();
    let is_word = ["Note: ", "Warning: ", "Error: "].iter().any(|word| text.starts_with(word));
    let is_summary = SUMMARIES.contains(&text);
    // White space at the beginning of lines may be lost.
    let is_figures = is_time(text) || text.starts_with("Range (");
    is_figures || line.is_blank() || line.is_indented() || is_word || is_summary || heading(text).is_some()
}

/// The benchmarks of a block.
pub(super) fn read(block: &ToolBlock<'_>) -> Vec<ToolResult> {
    let is_start = |place: &usize| {
        let is =
            |place: usize, of: fn(&str) -> bool| block.lines.get(place).is_some_and(|l| of(l.text.trim()));
        let is_heading = |text: &str| heading(text).is_some();
        // Where the heading was cut off.
        is(*place, is_heading) || *place == 0 && is(0, is_time)
    };
    let starts: Vec<usize> = (0..block.lines.len()).filter(is_start).collect();
    let ends = starts.iter().copied().skip(1).chain(std::iter::once(block.lines.len()));
    let each = starts.iter().zip(ends).filter_map(|(start, end)| block.lines.get(*start..end));
    each.filter_map(|lines| one(&ToolBlock { lines, ..*block })).collect()
}

/// One benchmark.
fn one(block: &ToolBlock<'_>) -> Option<ToolResult> {
    let mut benchmark = Benchmark::default();
    let (mut warnings, mut unread, mut is_summary) = (Vec::new(), Vec::new(), false);
    let mut end = 0;
    for (place, line) in block.lines.iter().enumerate().filter(|(_, line)| !line.is_blank()) {
        let text = line.text.trim();
        is_summary |= SUMMARIES.contains(&text);
        if !is_summary {
            end = place + 1;
        }
        if let Some(command) = heading(text) {
            benchmark.command = Some(command.to_owned());
        } else if is_time(text) {
            benchmark.times(line);
        } else if let Some(rest) = text.strip_prefix("Range (") {
            benchmark.range(line.number, rest);
        } else if let Some(warning) = warning(text) {
            warnings.push(ToolWarning { line: line.number, text: warning.to_owned() });
        } else if !is_summary {
            unread.push(LineRange { first: line.number, last: line.number });
        }
    }
    // The summary is of all of them.
    let own = ToolBlock { lines: block.lines.get(..end)?, ..*block };
    Some(ToolResult { warnings, unread, ..benchmark.result(&own)? })
}

/// What a warning says.
fn warning(text: &str) -> Option<&str> {
    let behind = ["Warning: ", "Note: ", "Error: "].iter().find_map(|word| text.strip_prefix(word));
    behind.map(str::trim)
}

impl Benchmark {
    fn times(&mut self, line: &ToolLine) {
        let Some((times, processor)) = line.text.split_once('[') else { return };
        let Some((_, times)) = times.split_once("):") else { return };
        let mut times = times.split(SEPARATORS).map(|text| time(line.number, text));
        self.mean = times.next().flatten();
        self.deviation = times.next().flatten();
        if line.text.contains("Time (abs ") {
            self.runs = Some(exact(line.number, 1, Unit::One));
        }
        let behind = |name: &str| time(line.number, processor.split_once(name)?.1);
        (self.user, self.system) = (behind("User: "), behind("System: "));
    }

    /// `min … max):   308.5 ms … 309.4 ms    10 runs`.
    fn range(&mut self, line: u64, text: &str) {
        let Some((_, values)) = text.split_once("):") else { return };
        let mut parts = values.split(SEPARATORS);
        self.least = parts.next().and_then(|text| time(line, text));
        let Some(rest) = parts.next() else { return };
        self.greatest = time(line, rest);
        let runs = rest.split_whitespace().nth(2).and_then(whole).filter(|(_, rest)| rest.is_empty());
        self.runs = runs.map(|(runs, _)| exact(line, runs, Unit::One));
    }
}

/// The mean of a line of times.
pub(super) fn mean_of(line: &ToolLine) -> Option<PrintedValue> {
    if !is_time(line.text.trim()) {
        return None;
    }
    let (times, _) = line.text.split_once('[')?;
    let (_, times) = times.split_once("):")?;
    time(line.number, times.split(SEPARATORS).next()?)
}

/// What stands between two times; where a terminal could not show it, a question mark.
const SEPARATORS: [char; 3] = ['\u{b1}', '\u{2026}', '?'];

/// The time that a text begins with: a number and its unit.
fn time(line: u64, text: &str) -> Option<PrintedValue> {
    let mut words = text.split_whitespace();
    let (number, unit) = (words.next()?, words.next()?);
    let unit = unit.trim_end_matches([',', ']']);
    quantity(line, &format!("{number} {unit}"), Counting::Decimal).filter(|time| time.unit == Unit::Seconds)
}

#[cfg(test)]
mod tests {
    use model::metric;

    use super::*;

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    #[test]
    fn white_space_before_lines_may_be_lost() {
        let results = read(
            "Benchmark 1: a b\nTime (mean \u{b1} \u{3c3}): 308.9 ms \u{b1} 0.4 ms [User: 1.2 ms, System: 2.5 ms]\n\
             Range (min \u{2026} max): 308.5 ms \u{2026} 309.4 ms 10 runs\n",
        );
        let [result] = results.as_slice() else { panic!("{results:?}") };
        assert_eq!(result.options["command"], "a b");
        assert_eq!(result.whole.figure(metric::RUNS).map(|runs| runs.value), Some(10.0));
    }

    #[test]
    fn times_are_read_in_every_unit() {
        for (printed, mean, deviation) in [
            ("308.9 ms \u{b1}   0.4 ms", 0.3089, 0.0004),
            ("1.250 s \u{b1}  0.050 s", 1.25, 0.05),
            ("389.6 \u{b5}s \u{b1}  45.3 \u{b5}s", 389.6e-6, 45.3e-6),
            ("308.9 ms ?   0.4 ms", 0.3089, 0.0004),
        ] {
            let text = format!(
                "Benchmark #1: a b\n  Time (mean \u{b1} \u{3c3}):  {printed}  [User: 1.2 ms, System: 2.5 ms]\n"
            );
            let results = read(&text);
            let value = |metric| results[0].whole.figure(metric).unwrap().value;
            assert!((value(metric::ELAPSED_MEAN) - mean).abs() < 1e-12, "{printed}");
            assert!((value(metric::ELAPSED_STDDEV) - deviation).abs() < 1e-12, "{printed}");
            assert!((value(metric::CPU_SYSTEM_TIME) - 0.0025).abs() < 1e-12);
            assert_eq!(results[0].options["command"], "a b");
        }
    }

    #[test]
    fn a_single_run_has_no_mean() {
        let results =
            read("Benchmark 1: a\n  Time (abs \u{2261}):   9.5 ms     [User: 0.2 ms, System: 1.3 ms]\n");
        assert!((results[0].whole.figure(metric::ELAPSED).unwrap().value - 0.0095).abs() < 1e-12);
        assert_eq!(results[0].whole.figure(metric::ELAPSED_MEAN), None);
        assert_eq!(results[0].whole.figure(metric::RUNS), None);
    }

    #[test]
    fn headings_of_other_texts_begin_nothing() {
        assert_eq!(heading("Benchmark 1: sleep 1"), Some("sleep 1"));
        assert_eq!((heading("Benchmark results: good"), heading("Benchmark 1 of 2")), (None, None));
        assert!(!is_time("Time (mean of all)"));
        assert!(read("Benchmark 1: a\nsome words\n").is_empty());
    }
}
