//! uptime, the first line of w, and `/proc/loadavg`: the load. How long the machine has run is not read.

use model::tool_result::ToolResult;

use super::load_average::of_load;
use super::sample::Sample;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Uptime;

const NAME: &str = "uptime";

/// Before the loads, as Linux writes it, and as macOS and BSD do.
const LOADS: &[&str] = &["load average:", "load averages:"];

impl ToolReader for Uptime {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the load that uptime prints, the first line of w, and `/proc/loadavg`"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // It prints no amounts.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["load average"]]).or_number()
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        loads(&line.text).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        if lines.len() < 2 { Extent::EndsHere } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        let first = block.lines.first().ok_or(NotUnderstood::CutShort)?;
        let printed = loads(&first.text).ok_or(NotUnderstood::OtherText)?;
        let cells = of_load(first.number, printed);
        result.whole = Sample { cells, ..Sample::default() }.measurement();
        if result.whole.figures.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

/// The loads of ` 10:25:20 up 16:03,  2 users,  load average: 0.00, 0.01, 0.05`; macOS and BSD leave seconds out.
fn loads(text: &str) -> Option<&str> {
    if is_loadavg(text) {
        return Some(text);
    }
    let (before, loads) = LOADS.iter().find_map(|label| text.split_once(label))?;
    let mut words = before.split_whitespace();
    let is_clock =
        words.next()?.split(':').take(2).all(|part| part.starts_with(|c: char| c.is_ascii_digit()));
    // AM or PM may follow.
    (is_clock && before.contains(':') && words.take(2).any(|word| word == "up")).then_some(loads)
}

/// Whether it is what `/proc/loadavg` has: `0.25 0.23 0.14 1/239 1116826`.
fn is_loadavg(text: &str) -> bool {
    // Every line of every text is asked.
    if !text.starts_with(|c: char| c.is_ascii_digit()) || !text.contains('/') {
        return false;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let [one, five, fifteen, tasks, last] = words.as_slice() else { return false };
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_load = |word: &&str| {
        word.split_once('.')
            .is_some_and(|(whole, part)| is_number(whole) && is_number(part) && part.len() == 2)
    };
    let is_tasks = tasks.split_once('/').is_some_and(|(running, all)| is_number(running) && is_number(all));
    is_tasks && is_number(last) && [one, five, fifteen].into_iter().all(is_load)
}

#[cfg(test)]
mod tests {
    use model::MetricName;

    #[test]
    fn the_load_is_read_as_any_system_writes_it() {
        for text in [
            " 10:25:20 up 16:03,  2 users,  load average: 4.50, 0.01, 0.05\n",
            "10:25  up 16:03, 2 users, load averages: 4.50 0.01 0.05\n",
            " 10:25:20 up 16 days,  1 user,  load average: 4,50, 0,01, 0,05\n",
            "4.50 0.10 0.05 1/239 1116826\n",
            "10:25AM  up 16:03, 2 users, load averages: 4.50, 0.01, 0.05\n",
        ] {
            let results = crate::tool::read("", text.as_bytes()).unwrap().results;
            let value =
                |name| results.first()?.whole.figure(MetricName::new(name)).map(|figure| figure.value);
            assert_eq!(
                (value("load_average_1"), value("load_average_15")),
                (Some(4.5), Some(0.05)),
                "{text}"
            );
        }
    }

    #[test]
    fn prose_and_the_screen_of_top_are_none() {
        for text in ["the box is up, load average: 3.0, 2.0, 1.0\n", "12:00 load average: 3.0, 2.0, 1.0\n"] {
            assert!(crate::tool::read("", text.as_bytes()).unwrap().results.is_empty(), "{text}");
        }
        let top = "top - 20:04:56 up  4:32,  0 user,  load average: 2.93, 2.26, 2.21\n";
        let results = crate::tool::read("", top.as_bytes()).unwrap().results;
        assert_eq!(results.first().map(|result| result.tool.as_str()), Some("top"));
    }
}
