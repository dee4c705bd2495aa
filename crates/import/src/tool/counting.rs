//! What k, M and G before a unit stand for. Tools differ, versions of one tool differ, and
//! hardly any says so; what proves each rule is an output whose bytes and seconds give its rate.

use model::tool_result::Counting;

/// How a tool counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountingRule {
    /// The tool.
    pub tool: &'static str,
    /// The versions, or the variant, for which it holds: `3.x`, `busybox`.
    pub versions: &'static str,
    /// The units, as printed: `MB/s`.
    pub units: &'static str,
    /// What a multiple is of.
    pub counting: Counting,
    /// The arithmetic that proves it, with its source: an output among the fixtures of this
    /// crate's tests, or a line of the tool's source.
    pub proof: &'static str,
}

impl CountingRule {
    /// What one multiple with this prefix is; `None` if there is none such. With an i behind it,
    /// as in MiB, it is of 1024 whoever prints it.
    #[must_use]
    pub fn factor(&self, prefix: &str) -> Option<f64> {
        factor(prefix, self.counting)
    }
}

/// As [`CountingRule::factor`].
pub(super) fn factor(prefix: &str, counting: Counting) -> Option<f64> {
    let (letter, is_binary) = match prefix.strip_suffix('i') {
        Some(letter) => (letter, true),
        None => (prefix, counting == Counting::Binary),
    };
    let power = match letter {
        "" => 0,
        "k" | "K" => 1,
        "M" | "m" => 2,
        "G" | "g" => 3,
        "T" | "t" => 4,
        "P" | "p" => 5,
        "E" | "e" => 6,
        _ => return None,
    };
    let base: f64 = if is_binary { 1024.0 } else { 1000.0 };
    Some(base.powi(power))
}

/// The reference page of these rules, in Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut page = String::from(
        "# How tools count\n\nMade from the code by `cargo xtask gen`. What k, M and G before a unit stand for in the outputs that \
         `headroom check` reads, and what proves it. With an i behind the letter (MiB) it is always 1024.\n\n| tool | versions | \
         units | a multiple is of | proof |\n|---|---|---|---|---|\n",
    );
    for rule in super::counting_rules() {
        let base = match rule.counting {
            Counting::Decimal => "1000",
            Counting::Binary => "1024",
            Counting::Other => "other",
        };
        let CountingRule { tool, versions, units, proof, .. } = rule;
        page.push_str(&format!(
            "| {tool} | {versions} | {units} | {base} | {} |\n",
            proof.replace('|', "\\|")
        ));
    }
    page.push_str("\n| tool | what is read |\n|---|---|\n");
    for reader in super::readers() {
        page.push_str(&format!("| {} | {} |\n", reader.name(), reader.doc()));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_i_makes_any_multiple_one_of_1024() {
        assert_eq!(factor("k", Counting::Decimal), Some(1000.0));
        assert_eq!(factor("K", Counting::Binary), Some(1024.0));
        assert_eq!(factor("Mi", Counting::Decimal), Some(1_048_576.0));
        assert_eq!(factor("", Counting::Binary), Some(1.0));
        assert_eq!(factor("x", Counting::Binary), None);
    }

    #[test]
    fn every_importer_proves_how_it_counts() {
        for reader in super::super::readers() {
            for rule in reader.counting() {
                assert_eq!(rule.tool, reader.name());
                assert!(!rule.proof.is_empty() && !rule.units.is_empty() && !rule.versions.is_empty());
            }
        }
    }
}
