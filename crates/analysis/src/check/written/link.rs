//! A rate that is written beside the link that it went over, and above what that carries.

use model::finding::Evidence;
use model::{Finding, FindingKind, Severity, ToolOutput, Unit};

use crate::check::limits::{LinkInWords, link_in};
use crate::check::prose::{WrittenNumber, numbers};
use crate::check::statistics::sentences_of;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// Figures are rounded, and what is in buffers when the clock stops counts.
const TOLERANCE: f64 = 0.05;

/// Words by which the rate is not of the link, is none that was measured, or is one of both directions or several links.
const OTHERS: &[&str] = &[
    "cache",
    "memory",
    "ram",
    "compress",
    "dedup",
    "both directions",
    "bidirect",
    "duplex",
    "total",
    "aggregate",
    "sum",
    "together",
    "combined",
    "each",
    "local",
    "loopback",
    "instead",
    "than",
    "upgrade",
    "replace",
    "from",
    "before",
    "after",
    "would",
    "could",
    "should",
    "need",
    "require",
    "cannot",
    "can't",
    "not ",
    "max",
    "limit",
    "theor",
    "up to",
    "without",
    "faster",
    "nvme",
    "array",
    "캐시",
    "합계",
    "압축",
    "キャッシュ",
    "合計",
    "圧縮",
];

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "written-above-link",
    doc: "A sentence names one link and a rate that went over it, and the rate is more than that link carries.",
    english: r#"
finding-written-above-link =
    the text says { $printed } over { $name }, which carries { SHORT($most, $unit) } at most: { $cause ->
        [bits] its unit may be bits, and not bytes
       *[unknown] the rate is of something else, as a cache, or its unit is misread
    }
    .advice = check the unit, and what the rate was measured of
"#,
    remedies: &[],
    look: ToolCheckLook::All(look),
};

/// A rate beside a link.
struct RateOverLink {
    line: u64,
    text: String,
    rate: WrittenNumber,
    link: LinkInWords,
}

fn look(context: &ToolCheckContext<'_>) -> Vec<Finding> {
    context.outputs.iter().flat_map(all).filter_map(|one| above(&one)).collect()
}

/// Whether a text has such a sentence.
pub(super) fn any(output: &ToolOutput) -> bool {
    !all(output).is_empty()
}

fn all(output: &ToolOutput) -> Vec<RateOverLink> {
    let of_sentence = |(line, text): (u64, String)| {
        let lower = text.to_lowercase();
        if OTHERS.iter().any(|word| lower.contains(word)) || text.contains('|') {
            return None;
        }
        let link = link_in(&text)?;
        let rates: Vec<WrittenNumber> =
            numbers(&text).into_iter().filter(|number| number.unit == Unit::BytesPerSecond).collect();
        // The rate of the link itself may be written there.
        let is_of_link =
            |rate: &WrittenNumber| rate.meanings.iter().any(|own| (own / link.line_rate - 1.0).abs() < 0.01);
        let mut others = rates.into_iter().filter(|rate| !is_of_link(rate));
        let rate = others.next()?;
        others.next().is_none().then_some(RateOverLink { line, text, rate, link })
    };
    sentences_of(output).into_iter().filter_map(of_sentence).collect()
}

fn above(one: &RateOverLink) -> Option<Finding> {
    let RateOverLink { line, text, rate, link } = one;
    let least = rate.meanings.iter().copied().fold(f64::INFINITY, f64::min);
    if least * (1.0 - rate.step) <= link.most * (1.0 + TOLERANCE) {
        return None;
    }
    let is_bits = rate.text.contains('B') && least / 8.0 <= link.most * (1.0 + TOLERANCE);
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Error)
        .arg("printed", rate.text.as_str())
        .arg("name", link.name.as_str())
        .arg("most", link.most)
        .arg("unit", Unit::BytesPerSecond.symbol())
        .arg("cause", if is_bits { "bits" } else { "unknown" })
        .because(Evidence::maybe_at("sentence-line", None).arg("line", *line).arg("name", text.as_str()));
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture;

    #[test]
    fn a_rate_is_what_its_link_carries_at_most() {
        let count = |text: &str| fixture::found_in_prose(&CHECK, text).len();
        for right in [
            "Over 1 GbE we got 112 MB/s.",
            "Over 1 GbE we got 941 Mbit/s.",
            "The SATA 3 SSD reads 540 MB/s.",
            "We replaced 1 GbE and now get 400 MB/s.",
            "The SATA SSD reads 2 GB/s from cache.",
            "Two bonded 1 GbE links gave 230 MB/s.",
        ] {
            assert_eq!(count(right), 0, "{right}");
        }
        for wrong in [
            "Over 1 GbE we got 180 MB/s.",
            "The SATA 3 SSD reads 900 MB/s.",
            "Over Gigabit Ethernet it does 940 MB/s.",
        ] {
            assert_eq!(count(wrong), 1, "{wrong}");
        }
    }
}
