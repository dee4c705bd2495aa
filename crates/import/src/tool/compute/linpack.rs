//! LINPACK: HPL of the University of Tennessee and Intel's benchmark. Each row of their tables is a result.

use model::tool_result::{Counting, PrintedValue, ToolResult, ToolWarning};
use model::{Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{bare, leading, plain, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Linpack;

const NAME: &str = "linpack";

const DECIMAL: CountingRule = CountingRule {
    tool: NAME,
    versions: "HPL 1 and 2, Intel's",
    units: "Gflops, GFlops",
    counting: Counting::Decimal,
    proof: "testing/ptest/HPL_pdtest.c: (N / 1e9) * (N / time) * (2/3 * N + 3/2): an order of 20000 in 104.21 s is 51.183",
};

const RULES: &[CountingRule] = &[DECIMAL];

/// So many lines an output has at most before its first row.
const LINES_MAX: usize = 4096;

impl ToolReader for Linpack {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the rows of HPL (xhpl) and of Intel's LINPACK benchmark, with checks of residuals that failed"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["xhpl", "xlinpack_xeon64", "linpack_xeon64", "hpl"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["HPLinpack ", "Intel(R) Optimized LINPACK Benchmark", "Gflops", "GFlops", "W"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        (is_title(text) || is_heading(text) || Row::of(text).is_some_and(|row| row.variant.is_some()))
            .then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if text.eq_ignore_ascii_case("end of tests.") || text.eq_ignore_ascii_case("end of tests") {
            return Extent::EndsHere;
        }
        let has_title = before.first().is_some_and(|line| is_title(line.text.trim()));
        if has_title && is_title(text) && before.len() > 1 {
            return Extent::EndsBefore;
        }
        // From its title to its end all is its own; without the title, its table.
        let belongs = before.is_empty()
            || has_title && before.len() < LINES_MAX
            || text.is_empty()
            || is_heading(text)
            || Row::of(text).is_some()
            || is_residual(text)
            || text.starts_with("HPL_pdgesv() ")
            || text.bytes().all(|byte| matches!(byte, b'-' | b'='));
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let common = block.result(NAME, self.programs());
        let mut version = None;
        let mut results: Vec<ToolResult> = Vec::new();
        for line in block.lines {
            let text = line.text.trim();
            if let Some(own) = text.strip_prefix("HPLinpack ") {
                version = own.split_whitespace().next().map(|version| format!("HPL {version}"));
            } else if text.starts_with("Performance Summary") {
                // Means and greatest of the rows above.
                break;
            } else if let Some(row) = Row::of(text) {
                let mut result = common.clone();
                (result.lines.first, result.lines.last) = (line.number, line.number);
                result.version.clone_from(&version);
                row.keep(line.number, &mut result);
                if text.ends_with("fail") {
                    result.warnings.push(ToolWarning { line: line.number, text: text.to_owned() });
                }
                results.push(result);
            } else if is_residual(text) && text.ends_with("FAILED") {
                let warning = ToolWarning { line: line.number, text: text.to_owned() };
                if let Some(result) = results.last_mut() {
                    result.warnings.push(warning);
                }
            }
        }
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

fn is_title(text: &str) -> bool {
    text.starts_with("HPLinpack ") && text.contains("High-Performance Linpack")
        || text.starts_with("Intel(R) Optimized LINPACK Benchmark")
}

/// `T/V  N  NB  P  Q  Time  Gflops`, `Size   LDA    Align. Time(s)    GFlops   Residual     Residual(norm) Check`.
fn is_heading(text: &str) -> bool {
    let words = || text.split_whitespace().take(7);
    words().eq(["T/V", "N", "NB", "P", "Q", "Time", "Gflops"])
        || words().take(5).eq(["Size", "LDA", "Align.", "Time(s)", "GFlops"])
}

/// `||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   3.56280923e-03 ...... PASSED`.
fn is_residual(text: &str) -> bool {
    text.starts_with("||Ax-b||")
        || text.starts_with("||A||_oo")
        || text.starts_with("||x||_oo")
        || text.starts_with("Max aggregated")
}

/// A row of either table.
struct Row<'a> {
    /// `WR11C2R4`, which says how it was solved.
    variant: Option<&'a str>,
    order: &'a str,
    block: Option<&'a str>,
    processes: Option<u64>,
    seconds: &'a str,
    gflops: &'a str,
}

impl<'a> Row<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().take(9).collect();
        let is_number = |word: &str| leading(word, false).is_some_and(|number| number.rest.is_empty());
        let count = |word: &str| whole(word).filter(|(_, rest)| rest.is_empty()).map(|(count, _)| count);
        match words.as_slice() {
            // Intel's and NVIDIA's versions have more behind it.
            [variant, order, block, rows, columns, seconds, gflops, ..]
                if variant.len() >= 8
                    && variant.starts_with('W')
                    && [seconds, gflops].iter().all(|word| is_number(word)) =>
            {
                count(order).zip(count(block))?;
                let processes = count(rows)?.checked_mul(count(columns)?);
                Some(Self { variant: Some(variant), order, block: Some(block), processes, seconds, gflops })
            }
            [order, leading_size, align, seconds, gflops, _, _, "pass" | "fail"] => {
                count(order).zip(count(leading_size)).zip(count(align))?;
                let is_row = is_number(seconds) && is_number(gflops);
                is_row.then_some(Self { variant: None, order, block: None, processes: None, seconds, gflops })
            }
            _ => None,
        }
    }

    fn keep(&self, line: u64, result: &mut ToolResult) {
        result.options.insert("order".to_owned(), self.order.to_owned());
        let told = [
            ("variant", self.variant.map(str::to_owned)),
            ("block-order", self.block.map(str::to_owned)),
            ("processes", self.processes.map(|count| count.to_string())),
        ];
        result.options.extend(told.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        result.whole.window = time(line, self.seconds, "s");
        result.whole.operations = operations(line, self.order);
        let rate = bare(line, self.gflops, Unit::PerSecond).map(|rate| PrintedValue {
            text: format!("{} Gflops", rate.text),
            value: rate.value * 1e9,
            half_step: rate.half_step * 1e9,
            counting: Some(DECIMAL.counting),
            ..rate
        });
        result.whole.add(metric::FLOPS, rate);
    }
}

/// So many floating-point operations a system of this order takes, by the formula of HPL: its table has the order in their
/// place.
fn operations(line: u64, order: &str) -> Option<PrintedValue> {
    let (n, _) = whole(order)?;
    let n = n as f64;
    let text = format!("2/3 * {order}^3 + 3/2 * {order}^2");
    Some(plain(line, text, n * n * (2.0 / 3.0 * n + 1.5), Unit::One))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_hpl_are_results() {
        let text = "================================================================================\n\
            HPLinpack 2.3  --  High-Performance Linpack benchmark  --   December 2, 2018\n\
            Written by A. Petitet and R. Clint Whaley,  Innovative Computing Laboratory, UTK\n\
            T/V    : Wall time / encoded variant.\nN      :   20000\n\
            T/V                N    NB     P     Q               Time                 Gflops\n\
            --------------------------------------------------------------------------------\n\
            WR11C2R4       20000   192     2     2             104.21             5.1183e+01\n\
            ||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   3.56280923e+03 ...... FAILED\n\
            WR11C2R4       30000   192     2     2             304.21             5.9183e+01\n\
            ||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   3.56280923e-03 ...... PASSED\n\
            Finished      2 tests with the following results:\nEnd of Tests.\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [first, second] = output.results.as_slice() else { panic!("{:?}", output.unread) };
        assert!((first.whole.figure(metric::FLOPS).unwrap().value - 51.183e9).abs() < 1.0);
        assert_eq!((first.warnings.len(), second.warnings.len()), (1, 0));
        assert_eq!((first.version.as_deref(), first.options["processes"].as_str()), (Some("HPL 2.3"), "4"));
        let row = text.lines().nth(7).unwrap();
        assert_eq!(crate::tool::read("", row.as_bytes()).unwrap().results.len(), 1, "a row alone");
    }

    #[test]
    fn rows_of_intel_are_results_and_their_means_are_not() {
        let text = "Intel(R) Optimized LINPACK Benchmark data\n\nCurrent date/time: Tue Nov 28 10:00:00 2026\n\n\
            Size   LDA    Align. Time(s)    GFlops   Residual     Residual(norm) Check\n\
            1000   1000   4      0.015      44.5861  9.394430e-13 3.203742e-02   pass\n\
            20000  20000  4      40.100     133.0266 3.675327e-10 3.253488e-02   fail\n\n\
            Performance Summary (GFlops)\n\nSize   LDA    Align.  Average  Maximal\n1000   1000   4       44.5861  44.5861\n\n\
            Residual checks PASSED\n\nEnd of tests\n";
        let output = crate::tool::read("", text.as_bytes()).unwrap();
        let [_, second] = output.results.as_slice() else { panic!("{:?}", output.unread) };
        assert_eq!(second.whole.window.as_ref().unwrap().value, 40.1);
        assert_eq!((second.warnings.len(), output.unread.len()), (1, 0));
    }
}
