//! Figures of another tool's output that contradict one another: one that follows from others, as a total, a mean or a
//! share does, and is another one than it says. `import::tool` knows what follows from what and lists what
//! rounding does not explain; checks of `analysis` tell it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool_result::{LineRange, PrintedValue};

/// A figure that is not what follows from others of the same output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FigureDisagreement {
    /// The figure.
    pub printed: PrintedValue,
    /// How it was to stand to what was computed.
    pub rule: FigureRule,
    /// What was computed, with the figures as printed: `(4706 MIPS + 4208 MIPS) / 2`.
    pub arithmetic: String,
    /// What that makes, in the unit of the figure.
    pub computed: f64,
    /// Where all of these figures stand.
    pub lines: LineRange,
}

/// How a figure has to stand to what follows from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FigureRule {
    /// It is that.
    Equal,
    /// It is no more than that.
    AtMost,
    /// It is no less than that.
    AtLeast,
    /// It is a share of a whole, of which all shares together, which were computed, are no more.
    Whole,
    /// What this version does not know.
    #[serde(other)]
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_of_a_later_version_is_read() {
        let read: FigureRule = serde_json::from_str("\"nearly\"").unwrap();
        assert_eq!(read, FigureRule::Other);
        assert_eq!(serde_json::to_string(&FigureRule::AtMost).unwrap(), "\"at-most\"");
    }
}
