//! Figures beside one another whose units are written alike and mean different things: MB/s of one
//! tool are of 1000, those of another of 1024.

use model::finding::Evidence;
use model::tool_result::{Counting, PrintedValue, ToolResult};
use model::{Finding, FindingKind, Severity, Unit};

use super::units_of_prose;
use crate::check::work::unit_as_printed;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "units-mixed",
    doc: "Two results print units that are written alike and count differently, or one prints bits and the other bytes: as \
          they stand they must not be compared. Or the text beside them has a figure of theirs in bytes that is of bits, or \
          two rates in different units.",
    english: r#"
finding-units-mixed =
    { $how ->
        [counting] { $unit } of { $tool } counts in multiples of 1000, that of { $other } in multiples of 1024: M differs by 4.9 %,
            G by 7.4 %. As printed they cannot be compared
        [mistaken] the text says { $printed }, but { $tool } prints { $example }, which is { SHORT($computed, unit: "B/s") }: bits and
            bytes are mixed up, and a byte is 8 bits
        [prose] the text has { $unit } beside { $name }: in one unit these are { SHORT($first, unit: "B/s") } and
            { SHORT($second, unit: "B/s") }
       *[bits] { $tool } prints bits ({ $unit }), { $other } bytes ({ $name }): a byte is 8 bits
    }
    .advice = compare the figures in this table, which has one unit system

evidence-unit-line =
    line { $line }: { $printed }, which is { SHORT($computed, unit: "B/s") }
"#,
    remedies: &[],
    look: ToolCheckLook::All(look),
};

/// A rate, with how its unit is written.
struct Written<'a> {
    /// The tool, with its version where that is known.
    tool: String,
    rate: &'a PrintedValue,
    unit: String,
    counting: Counting,
}

fn look(context: &ToolCheckContext<'_>) -> Vec<Finding> {
    // The first of each tool and unit: there may be very many.
    let mut all: Vec<Written<'_>> = Vec::new();
    for one in context.results.iter().copied().flat_map(written) {
        let is_known = |other: &Written<'_>| {
            (&other.tool, &other.unit, other.counting) == (&one.tool, &one.unit, one.counting)
        };
        if !all.iter().any(is_known) {
            all.push(one);
        }
    }
    let counting = first_pair(&all, |a, b| {
        (a.counting, b.counting) == (Counting::Decimal, Counting::Binary) && short(&a.unit) == short(&b.unit)
    });
    let bits = first_pair(&all, |a, b| is_bits(&a.unit) && !is_bits(&b.unit) && a.tool != b.tool);
    let counting = counting.map(|pair| finding("counting", pair, Severity::Warning));
    let bits = bits.map(|pair| finding("bits", pair, Severity::Note));
    let of_prose = context.outputs.iter().flat_map(units_of_prose::of_text);
    counting.into_iter().chain(bits).chain(of_prose).collect()
}

/// A finding of this check.
pub(super) fn about(how: &str, severity: Severity) -> Finding {
    Finding::new(FindingKind::Validity, CHECK.code, severity).arg("how", how)
}

/// The rates of bytes that a result prints for the whole.
fn written(result: &ToolResult) -> impl Iterator<Item = Written<'_>> {
    let rates = result.whole.figures.iter().map(|figure| &figure.printed);
    rates.filter(|printed| printed.unit == Unit::BytesPerSecond).filter_map(move |rate| {
        let (unit, counting) = unit_as_printed(rate)?;
        let tool = match &result.version {
            Some(version) => format!("{} {version}", result.tool),
            None => result.tool.clone(),
        };
        Some(Written { tool, rate, unit, counting })
    })
}

/// A unit in short: `MB` of `MB/s` and `MBytes/s`, which readers take for the same; some tools leave out the time.
fn short(unit: &str) -> String {
    let amount = unit.strip_suffix("/s").unwrap_or(unit);
    amount.replace("Bytes", "B").replace("bytes", "B").replace("bits", "b").replace("bit", "b")
}

fn is_bits(unit: &str) -> bool {
    unit.trim_start_matches('M').starts_with('b') && !unit.contains("byte")
}

fn first_pair<'a, 'b>(
    all: &'b [Written<'a>],
    is_pair: impl Fn(&Written<'a>, &Written<'a>) -> bool,
) -> Option<(&'b Written<'a>, &'b Written<'a>)> {
    all.iter().find_map(|a| Some((a, all.iter().find(|b| is_pair(a, b))?)))
}

fn finding(how: &str, (a, b): (&Written<'_>, &Written<'_>), severity: Severity) -> Finding {
    let line = |written: &Written<'_>| {
        Evidence::maybe_at("unit-line", None)
            .arg("line", written.rate.line)
            .arg("printed", written.rate.text.as_str())
            .arg("computed", written.rate.value)
    };
    about(how, severity)
        .arg("tool", a.tool.as_str())
        .arg("other", b.tool.as_str())
        .arg("unit", a.unit.as_str())
        .arg("name", b.unit.as_str())
        .because(line(a))
        .because(line(b))
}

#[cfg(test)]
mod tests {
    use model::Value;

    use super::*;
    use crate::check::fixture;

    const GNU: &str =
        "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 0.500000 s, 134 MB/s\n";
    const BUSYBOX: &str =
        "64+0 records in\n64+0 records out\n67108864 bytes (64.0MB) copied, 0.500000 seconds, 128.0MB/s\n";
    const FIO: &str = "fio-3.33\nx: (groupid=0, jobs=1): err= 0: pid=1: Fri Nov 27 19:33:58 2026\n  \
                       read: IOPS=10.0k, BW=39.1MiB/s (41.0MB/s)(78.2MiB/2000msec)\n";

    #[test]
    fn units_that_are_written_alike_and_count_differently_are_told() {
        let found = fixture::found(&CHECK, &format!("{GNU}{BUSYBOX}"));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].args.get("how"), Some(&Value::from("counting")));
        assert_eq!(found[0].args.get("unit"), Some(&Value::from("MB/s")));
    }

    #[test]
    fn a_unit_that_is_written_out_is_the_same() {
        let mut output = import::tool::read("", format!("{GNU}{BUSYBOX}").as_bytes()).unwrap();
        let figures = &mut output.results[1].whole.figures;
        for figure in figures.iter_mut() {
            figure.printed.text = "128 MBytes/sec".to_owned();
        }
        let found = fixture::found_in(&CHECK, &output);
        assert_eq!(found.first().and_then(|finding| finding.args.get("how")), Some(&Value::from("counting")));
        for (unit, in_short) in [("MBytes/s", "MB"), ("Mbits/s", "Mb"), ("MB", "MB")] {
            assert_eq!(short(unit), in_short);
        }
    }

    #[test]
    fn units_that_say_what_they_are_may_stand_together() {
        assert_eq!(fixture::found(&CHECK, &format!("{GNU}{FIO}")).len(), 0);
        assert_eq!(fixture::found(&CHECK, &format!("{GNU}{GNU}")).len(), 0);
    }

    #[test]
    fn bits_beside_bytes_are_told() {
        let mut output = import::tool::read("", format!("{GNU}{GNU}").as_bytes()).unwrap();
        let result = &mut output.results[1];
        result.tool = "iperf".to_owned();
        for figure in &mut result.whole.figures {
            figure.printed.text = "1.07 Gbits/sec".to_owned();
        }
        let found = fixture::found_in(&CHECK, &output);
        assert_eq!(found.first().and_then(|finding| finding.args.get("how")), Some(&Value::from("bits")));
    }
}
