//! A figure that others of the same output determine, and is another one: a total, a mean, a share, a ratio. What
//! follows from what, readers of each tool know; rounding is allowed for there.

use model::finding::Evidence;
use model::tool_arithmetic::{FigureDisagreement, FigureRule};
use model::tool_result::{PrintedValue, ToolResult};
use model::{Finding, FindingKind, Severity};

use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// So many of one result are told: where much is wrong, the rest is, too.
const TOLD: usize = 4;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "figures-disagree",
    doc: "A figure that follows from others of the same output, as a total, a mean, a ratio or a share does, is another one, by \
          more than rounding explains; or shares of one whole are more than it together.",
    english: r#"
finding-figures-disagree =
    { $how ->
        [at-most] { $tool } prints { $printed }, and it cannot be more than { $example }, which is { $other }
        [at-least] { $tool } prints { $printed }, and it cannot be less than { $example }, which is { $other }
        [whole] { $tool } prints shares of one whole that make { $other } together: { $example }
       *[equal] { $tool } prints { $printed }, but { $example } is { $other }
    }
    .advice = look at the original output: a figure was changed or mistyped, or is of another run

evidence-figures-line =
    line { $line }: { $printed }; lines { $first } to { $last }: { $example } = { $other }
"#,
    remedies: &[],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    let known = result.disagreements.iter().filter(|one| one.rule != FigureRule::Other);
    known.take(TOLD).map(|one| finding(result, one)).collect()
}

fn finding(result: &ToolResult, one: &FigureDisagreement) -> Finding {
    let how = match one.rule {
        FigureRule::AtMost => "at-most",
        FigureRule::AtLeast => "at-least",
        FigureRule::Whole => "whole",
        FigureRule::Equal | FigureRule::Other => "equal",
    };
    let computed = as_printed(&one.printed, one.computed);
    let line = Evidence::maybe_at("figures-line", None)
        .arg("line", one.printed.line)
        .arg("printed", one.printed.text.as_str())
        .arg("first", one.lines.first)
        .arg("last", one.lines.last)
        .arg("example", one.arithmetic.as_str())
        .arg("other", computed.as_str());
    Finding::new(FindingKind::Validity, CHECK.code, Severity::Error)
        .arg("how", how)
        .arg("tool", result.tool.as_str())
        .arg("printed", one.printed.text.as_str())
        .arg("example", one.arithmetic.as_str())
        .arg("other", computed)
        .because(line)
}

/// A value in the unit and with the digits of a figure that is printed: `4349 MIPS`.
fn as_printed(printed: &PrintedValue, value: f64) -> String {
    let text = printed.text.trim();
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let end = unsigned.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(unsigned.len());
    let (digits, unit) = unsigned.split_at_checked(end).unwrap_or((unsigned, ""));
    let number: f64 = digits.parse().unwrap_or(0.0);
    let scale = printed.value.abs() / number;
    let is_alone = unit.chars().all(|c| c.is_alphabetic() || "/%\u{b5} []#".contains(c));
    if !scale.is_finite() || scale <= 0.0 || !is_alone {
        return shown(value, printed.unit.symbol());
    }
    let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len()).min(9);
    let in_unit = value / scale;
    // Where the printed digits would show no difference, there are more.
    let same = format!("{in_unit:.decimals$}") == digits;
    let decimals = if same { decimals + 2 } else { decimals };
    format!("{in_unit:.decimals$}{unit}")
}

fn shown(value: f64, unit: &str) -> String {
    let decimals = if value.abs() >= 100.0 || value.fract() == 0.0 { 0 } else { 3 };
    format!("{value:.decimals$} {}", if unit == "1" { "" } else { unit }).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use model::{Unit, Value};

    use super::*;
    use crate::check::fixture;

    #[test]
    fn a_total_that_its_parts_do_not_make_is_told_with_the_right_one() {
        let text = |total: &str| {
            format!(
                "$ 7z b\nAvr:              99   1022   1010  |               99   1796   1783\nTot:              99   1409   {total}\n"
            )
        };
        assert_eq!(fixture::found(&CHECK, &text("1396")).len(), 0);
        let found = fixture::found(&CHECK, &text("1936"));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].args.get("other"), Some(&Value::from("1396 MIPS")));
        assert!(found[0].text.contains("(1010 MIPS + 1783 MIPS) / 2"), "{}", found[0].text);
    }

    #[test]
    fn what_was_computed_has_the_unit_of_what_is_printed() {
        let printed = |text: &str, value: f64| PrintedValue {
            line: 1,
            text: text.to_owned(),
            value,
            unit: Unit::Seconds,
            half_step: 0.0,
            counting: None,
        };
        assert_eq!(as_printed(&printed("4.91 msec", 4.91e-3), 5.2e-3), "5.20 msec");
        assert_eq!(as_printed(&printed("12.5%", 0.125), 0.5), "50.0%");
        assert_eq!(as_printed(&printed("1 + 2", 3.0), 4.0), "4 s");
        assert_eq!(as_printed(&printed("0", 0.0), 0.25), "0.250 s");
        assert_eq!(as_printed(&printed("5 s", 5.0), 5.2), "5.20 s", "the digits would show no difference");
    }
}
