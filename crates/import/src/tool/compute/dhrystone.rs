//! Dhrystone 2: its runs per second, of the C program and of those made of it.

use model::tool_result::{PrintedValue, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{bare, exact, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Dhrystone;

const NAME: &str = "dhrystone";

/// How the lines of its figures begin.
const TIME: &str = "Microseconds for one run through Dhrystone";
const RATE: &str = "Dhrystones per Second";
const RATING: &str = "VAX  MIPS rating =";

/// So many lines an output has at most.
const LINES_MAX: usize = 120;

impl ToolReader for Dhrystone {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the figures of Dhrystone 2.1 and 2.2, whole outputs or only their last lines; UnixBench's are read with it"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["dhrystone", "dhry", "dry", "dry2", "dhry21"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // It prints no multiples.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Dhrystone"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        (text.starts_with("Dhrystone Benchmark, Version ")
            || value(text, TIME).is_some()
            || value(text, RATE).is_some())
        .then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let is_figure = |text: &str| {
            value(text, TIME).is_some() || value(text, RATE).is_some() || text.starts_with(RATING)
        };
        let has_title =
            before.first().is_some_and(|line| line.text.trim().starts_with("Dhrystone Benchmark, Version "));
        let is_over = before.iter().any(|line| value(line.text.trim(), RATE).is_some());
        // Its title comes first, its figures last.
        let belongs = before.is_empty()
            || text.is_empty()
            || is_figure(text)
            || has_title && !is_over && before.len() < LINES_MAX;
        let begins_again =
            text.starts_with("Dhrystone Benchmark, Version ") || is_over && value(text, TIME).is_some();
        if before.is_empty() || belongs && !begins_again { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = block.without_blank_end();
        let mut result = block.result(NAME, self.programs());
        for line in block.lines {
            let text = line.text.trim();
            if let Some(version) = text.strip_prefix("Dhrystone Benchmark, Version ") {
                let version = version.split([' ', ',']).next().unwrap_or_default();
                result.version = Some(version.to_owned());
            } else if let Some((runs, rest)) = text.strip_prefix("Execution starts, ").and_then(whole) {
                if rest.starts_with(" runs through Dhrystone") {
                    result.whole.operations = Some(exact(line.number, runs, Unit::One));
                }
            } else if let Some(rate) = value(text, RATE) {
                // The C program prints one digit behind the point of a figure that it has in single precision.
                let rate = bare(line.number, rate, Unit::PerSecond);
                let rate = rate
                    .map(|rate| PrintedValue { half_step: rate.half_step.max(rate.value * 1e-6), ..rate });
                result.whole.add(metric::OPERATIONS_PER_SECOND, rate);
            } else if let Some(mean) = value(text, TIME) {
                result.whole.add(metric::LATENCY_MEAN, time(line.number, mean, "us"));
            } else if let Some(rating) = text.strip_prefix(RATING) {
                result.whole.add(MetricName::new("rating"), bare(line.number, rating.trim(), Unit::One));
            }
        }
        if result.whole.figure(metric::OPERATIONS_PER_SECOND).is_none() {
            return Err(NotUnderstood::CutShort);
        }
        Ok(vec![result])
    }
}

/// The number behind a label.
fn value<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let value = text.strip_prefix(label)?.trim_start().strip_prefix([':', '='])?.trim();
    value.parse::<f64>().is_ok().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_are_read_whole_and_alone() {
        let end = "Microseconds for one run through Dhrystone:    0.1 \nDhrystones per Second:                      16666667.0 \n";
        let whole = format!(
            "Dhrystone Benchmark, Version 2.1 (Language: C)\n\nProgram compiled without 'register' attribute\n\n\
             Execution starts, 100000000 runs through Dhrystone\nExecution ends\n\nFinal values of the variables used in the \
             benchmark:\n\nInt_Glob:            5\n        should be:   5\n\n{end}\nThat was it.\n"
        );
        let output = crate::tool::read("", whole.as_bytes()).unwrap();
        let [result] = output.results.as_slice() else { panic!("{:?}", output.unread) };
        assert_eq!(result.whole.figure(metric::OPERATIONS_PER_SECOND).unwrap().value, 16_666_667.0);
        assert_eq!((result.whole.operations.as_ref().unwrap().value, output.unread.len()), (1e8, 1));
        let output =
            crate::tool::read("", format!("{end}VAX  MIPS rating =   9485.86\n{end}").as_bytes()).unwrap();
        assert_eq!(output.results.len(), 2, "{:?}", output.unread);
    }
}
