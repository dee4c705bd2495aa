//! A sum of mean rates that were measured over different times: as much never flowed at once. What
//! flowed together is all bytes, divided by the time until the last part was done; when fewer were
//! left, those had more for themselves.

use model::finding::Evidence;
use model::tool_result::{PrintedValue, ToolMeasurement, ToolPartKind, ToolResult, UnreadLines};
use model::{Finding, FindingKind, Severity, ToolOutput, Unit, metric};

use crate::check::work::parts;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook, prose};

/// Parts whose times differ by less are taken to have run together.
const TOGETHER: f64 = 0.02;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "sum-of-means",
    doc: "Mean rates of parts that took different times were added up: their sum is more than what flowed at once.",
    english: r#"
finding-sum-of-means =
    { $printed } is the sum of { $count } mean rates, over times from { $below } to { $lasted }: so much never
    flowed at once. If all began together, the rate was { SHORT($together, unit: "B/s") } until the last one ended
    .advice = end all parts at the same time, or divide all bytes by the longest time

evidence-means =
    lines { $first } to { $last }: { $count } rates that make { SHORT($sum, unit: "B/s") }; { SHORT($bytes, unit: "B") } in { $lasted }
"#,
    remedies: &[],
    look: ToolCheckLook::All(look),
};

/// What is added up: a rate, and what it is a mean of.
struct Mean<'a> {
    rate: &'a PrintedValue,
    bytes: f64,
    window: &'a PrintedValue,
}

fn look(context: &ToolCheckContext<'_>) -> Vec<Finding> {
    let of_parts = context.results.iter().filter_map(|result| of_parts(result));
    of_parts.chain(context.outputs.iter().flat_map(written)).collect()
}

/// That somebody wrote down the sum of all results of a text.
fn written(output: &ToolOutput) -> Vec<Finding> {
    let means = output.results.iter().map(|result| mean(&result.whole)).collect::<Option<Vec<_>>>();
    let means = means.unwrap_or_default();
    let all = sum(&means);
    let texts = output.unread.iter().flat_map(UnreadLines::texts);
    let numbers = texts.flat_map(|(_, text)| prose::numbers(text));
    // What one of them is, too, is more likely that one.
    let is_one = |number: &prose::WrittenNumber| means.iter().any(|mean| number.may_be(mean.rate.value));
    let is_sum = |number: &prose::WrittenNumber| {
        number.unit == Unit::BytesPerSecond && number.may_be(all) && !is_one(number)
    };
    let sums = numbers.filter(is_sum);
    sums.filter_map(|number| finding(&number.text, &means)).collect()
}

/// Of the parts of one result.
fn of_parts(result: &ToolResult) -> Option<Finding> {
    let whole = result.whole.figure(metric::THROUGHPUT)?;
    let kinds = [ToolPartKind::Job, ToolPartKind::Thread, ToolPartKind::Stream, ToolPartKind::Target];
    kinds.into_iter().find_map(|kind| {
        let means =
            parts(result, kind).iter().map(|part| mean(&part.measured)).collect::<Option<Vec<_>>>()?;
        let is_sum = (sum(&means) - whole.value).abs() <= whole.half_step + TOGETHER / 4.0 * whole.value;
        is_sum.then(|| finding(&whole.text, &means)).flatten()
    })
}

fn mean(measured: &ToolMeasurement) -> Option<Mean<'_>> {
    let rate = measured.figure(metric::THROUGHPUT)?;
    let window = measured.window.as_ref()?;
    let bytes = measured.bytes.as_ref().map_or(rate.value * window.value, |bytes| bytes.value);
    (window.value > 0.0).then_some(Mean { rate, bytes, window })
}

fn sum(means: &[Mean<'_>]) -> f64 {
    means.iter().map(|mean| mean.rate.value).sum()
}

/// That the sum of these was printed; `None` where they took as long as one another.
fn finding(printed: &str, means: &[Mean<'_>]) -> Option<Finding> {
    let by_time = |a: &&Mean<'_>, b: &&Mean<'_>| a.window.value.total_cmp(&b.window.value);
    let (shortest, longest) = (means.iter().min_by(by_time)?, means.iter().max_by(by_time)?);
    let bytes: f64 = means.iter().map(|mean| mean.bytes).sum();
    let together = bytes / longest.window.value;
    let differ = longest.window.least() > shortest.window.most() * (1.0 + TOGETHER);
    if !differ || sum(means) <= together * (1.0 + TOGETHER) {
        return None;
    }
    let count = u64::try_from(means.len()).ok()?;
    let lines = || means.iter().map(|mean| mean.rate.line);
    let evidence = Evidence::maybe_at("means", None)
        .arg("first", lines().min()?)
        .arg("last", lines().max()?)
        .arg("count", count)
        .arg("sum", sum(means))
        .arg("bytes", bytes)
        .arg("lasted", longest.window.text.as_str());
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Warning)
        .arg("printed", printed)
        .arg("count", count)
        .arg("below", shortest.window.text.as_str())
        .arg("lasted", longest.window.text.as_str())
        .arg("together", together)
        .because(evidence);
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture;

    /// Two copies that began together: of 64 MiB each, one took twice as long.
    fn copies(second: &str, heading: &str) -> String {
        let counted = "64+0 records in\n64+0 records out\n";
        format!(
            "{counted}67108864 bytes (67 MB, 64 MiB) copied, 0.500000 s, 134 MB/s\n\
             {counted}67108864 bytes (67 MB, 64 MiB) copied, {second}\n{heading}\n"
        )
    }

    #[test]
    fn a_sum_of_means_over_different_times_is_told() {
        let found = fixture::found(&CHECK, &copies("1.00000 s, 67.1 MB/s", "Both disks together: 201 MB/s"));
        assert_eq!(found.len(), 1);
        let together = found[0].args.get("together").and_then(model::Value::number).unwrap();
        assert!((together / 134_217_728.0 - 1.0).abs() < 1e-9, "{together}");
    }

    #[test]
    fn what_took_as_long_may_be_added_up() {
        let count = |second: &str, heading: &str| fixture::found(&CHECK, &copies(second, heading)).len();
        assert_eq!(count("0.500000 s, 134 MB/s", "Both disks together: 268 MB/s"), 0);
        assert_eq!(count("1.00000 s, 67.1 MB/s", "Both disks together: 134 MB/s"), 0);
        assert_eq!(count("1.00000 s, 67.1 MB/s", "Both were slow"), 0);
    }

    #[test]
    fn regression_one_of_the_rates_was_taken_for_their_sum() {
        let text = "/dev/sda:\n Timing cached reads:   22000 MB in  2.00 seconds = 11010.00 MB/sec\n \
                    Timing buffered disk reads: 1500 MB in  3.00 seconds = 500.00 MB/sec\n\nIt reads 11 GB/s.\n";
        assert_eq!(fixture::found(&CHECK, text), []);
    }
}
