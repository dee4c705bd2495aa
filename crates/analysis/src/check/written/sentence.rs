//! An amount, a time and a rate in one sentence that do not make one another: `10 GB in 60 s, 500 MB/s`.

use model::finding::Evidence;
use model::tool_result::UnreadCause;
use model::{Finding, FindingKind, Severity, ToolOutput, Unit};

use super::amount::{WrittenAmount, amounts, times};
use crate::check::prose::{WrittenNumber, numbers};
use crate::check::statistics::sentences_of;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// People round, and leave out how long it took to begin.
const TOLERANCE: f64 = 0.08;

/// The same of what is said to be about so much.
const ROUGHLY: f64 = 0.3;

/// What a figure of one digit may be off by.
const ROUNDED: f64 = 0.1;

/// Words by which figures are of something else than one another, or not exact. They stand in one text, with commas between them.
const OTHERS: &str = "should, could, would, expect, theor, up to, peak, burst, max, at least, limit, target, each, \
     both, respectively, per client, per thread, per disk, average of, then, after that, warm, \
     initially, first, last, remaining, another, file size, size of, memory, ram, cache, buffer, \
     disk of, drive, capacity, window, 예상, 최대, 각각, 이론, 最大, 予想, それぞれ, 理論";

/// Words by which it is about so much.
const ABOUT: &[&str] = &[
    "about", "around", "roughly", "approx", "nearly", "almost", "~", "≈", "some ", "over ", "under ", "약 ",
    "約",
];

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "sentence-contradicts-arithmetic",
    doc: "A sentence names an amount, a time and a rate, one of each, and the amount divided by the time is not the rate, whichever \
          way its units count.",
    english: r#"
finding-sentence-contradicts-arithmetic =
    { $cause ->
        [log] the text says { $printed } in { $lasted } at { $amount }, but the log says { $example }: the minutes were left out, and the
            rate is { SHORT($computed, $unit) }
        [bits] the text says { $printed } in { $lasted } at { $amount }, but that amount in that time is { SHORT($computed, $unit) }: bits
            are taken for bytes
        [minutes] the text says { $printed } in { $lasted } at { $amount }, but that amount in that time is
            { SHORT($computed, $unit) }: minutes are taken for seconds
       *[unknown] the text says { $printed } in { $lasted } at { $amount }, but that amount in that time is { SHORT($computed, $unit) }
    }
    .advice = divide again: one of the three is wrong, or is of another measurement

evidence-sentence-line =
    line { $line }: { $name }
"#,
    remedies: &[],
    look: ToolCheckLook::All(look),
};

/// A sentence with the three of them.
struct MovedInTime {
    line: u64,
    text: String,
    amount: WrittenAmount,
    time: WrittenNumber,
    rate: WrittenNumber,
}

fn look(context: &ToolCheckContext<'_>) -> Vec<Finding> {
    let of_text = |output| {
        let each = all(output).into_iter();
        each.filter_map(move |one| contradiction(&one).or_else(|| without_minutes(&one, output)))
    };
    context.outputs.iter().flat_map(of_text).collect()
}

/// Whether a text has such a sentence.
pub(super) fn any(output: &ToolOutput) -> bool {
    !all(output).is_empty()
}

fn all(output: &ToolOutput) -> Vec<MovedInTime> {
    let has_prose = output.unread.iter().any(|unread| unread.cause == UnreadCause::NoTool);
    let sentences = if has_prose { sentences_of(output) } else { Vec::new() };
    sentences.into_iter().filter_map(|(line, text)| of_sentence(line, text)).collect()
}

fn of_sentence(line: u64, text: String) -> Option<MovedInTime> {
    let lower = text.to_lowercase();
    if OTHERS.split(", ").any(|word| lower.contains(word)) || text.contains('|') {
        return None;
    }
    let rates: Vec<WrittenNumber> =
        numbers(&text).into_iter().filter(|number| number.unit != Unit::Seconds).collect();
    let [rate] = rates.as_slice() else { return None };
    let is_of_bytes = rate.unit == Unit::BytesPerSecond;
    let amounts: Vec<WrittenAmount> =
        amounts(&text).into_iter().filter(|amount| (amount.unit == Unit::Bytes) == is_of_bytes).collect();
    let times = times(&text);
    match (amounts.as_slice(), times.as_slice()) {
        ([amount], [time]) => {
            let (amount, time, rate) = (amount.clone(), time.clone(), rate.clone());
            // A latency beside a rate is no time in which all was done.
            (time.meanings[0] >= 1e-3).then_some(MovedInTime { line, text, amount, time, rate })
        }
        _ => None,
    }
}

/// A minute, in seconds.
const MINUTE: f64 = 60.0;

/// So far the seconds that are left of a time in minutes may be from those that were written.
const SECONDS: f64 = 0.6;

/// That the sentence is about a result of its text, and names only the seconds of the minutes and seconds that it took.
fn without_minutes(one: &MovedInTime, output: &ToolOutput) -> Option<Finding> {
    let MovedInTime { line, text, amount, time, rate } = one;
    let written = time.meanings[0];
    let is_same = |bytes: f64| amount.meanings.iter().any(|own| (own / bytes - 1.0).abs() <= ROUNDED / 10.0);
    let window = output.results.iter().find_map(|result| {
        let window = result.whole.window.as_ref()?;
        result.whole.bytes.as_ref().filter(|bytes| is_same(bytes.value))?;
        let more = window.value - written;
        let minutes = (more / MINUTE).round();
        (minutes >= 1.0 && (more - minutes * MINUTE).abs() <= SECONDS).then_some(window)
    })?;
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Error)
        .arg("printed", amount.text.as_str())
        .arg("lasted", time.text.as_str())
        .arg("amount", rate.text.as_str())
        .arg("example", window.text.as_str())
        .arg("computed", amount.meanings[0] / window.value)
        .arg("unit", rate.unit.symbol())
        .arg("cause", "log")
        .because(Evidence::maybe_at("sentence-line", None).arg("line", *line).arg("name", text.as_str()));
    Some(finding)
}

fn contradiction(one: &MovedInTime) -> Option<Finding> {
    let MovedInTime { line, text, amount, time, rate } = one;
    let seconds = time.meanings[0];
    let lower = text.to_lowercase();
    let room = if ABOUT.iter().any(|word| lower.contains(word)) { ROUGHLY } else { TOLERANCE };
    let blur =
        room + [amount.step, time.step, rate.step].map(|step| (step / 2.0).min(ROUNDED)).iter().sum::<f64>();
    let fits = |factor: f64| {
        amount
            .meanings
            .iter()
            .any(|bytes| rate.meanings.iter().any(|own| (bytes / seconds * factor / own - 1.0).abs() <= blur))
    };
    if fits(1.0) {
        return None;
    }
    let cause = match () {
        () if rate.unit == Unit::BytesPerSecond && (fits(8.0) || fits(0.125)) => "bits",
        () if fits(60.0) || fits(1.0 / 60.0) => "minutes",
        () => "unknown",
    };
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Error)
        .arg("printed", amount.text.as_str())
        .arg("lasted", time.text.as_str())
        .arg("amount", rate.text.as_str())
        .arg("computed", amount.meanings[0] / seconds)
        .arg("unit", rate.unit.symbol())
        .arg("cause", cause)
        .because(Evidence::maybe_at("sentence-line", None).arg("line", *line).arg("name", text.as_str()));
    Some(finding)
}

#[cfg(test)]
mod tests {
    use model::Value;

    use super::*;
    use crate::check::fixture;

    fn told(text: &str) -> Option<Value> {
        let found = fixture::found_in_prose(&CHECK, text);
        found.first().map(|finding| finding.args["cause"].clone())
    }

    #[test]
    fn minutes_that_were_left_out_are_told() {
        let told = |text: &str| {
            let log = "2560+0 records in\n2560+0 records out\n10737418240 bytes (11 GB, 10 GiB) copied, 95.2 s, 113 MB/s\n\n";
            let found = fixture::found(&CHECK, &format!("{log}{text}\n"));
            found.first().map(|finding| finding.args["cause"].clone())
        };
        assert_eq!(told("10GiB를 35초에 복사했으니 초당 292MiB 입니다."), Some(Value::from("log")));
        assert_eq!(told("So 10 GiB took 35 s, i.e. 293 MiB/s."), Some(Value::from("log")));
        assert_eq!(told("So 10 GiB took 95 s, i.e. 108 MiB/s."), None);
        assert_eq!(told("So 12 GiB took 35 s, i.e. 351 MiB/s."), None, "that is of something else");
    }

    #[test]
    fn an_amount_in_a_time_is_a_rate() {
        for right in [
            "We copied 10 GB in 100 seconds, which is 100 MB/s.",
            "We copied 10 GiB in 100 s (102 MiB/s).",
            "10 GB took 100 s at 95 MiB/s.",
            "It moved 10 GB in 1 min 40 s, i.e. 800 Mbit/s.",
            "The 2 million rows were inserted in 40 s: 50,000 rows/s.",
            "Roughly 10 GB in 2 minutes, about 90 MB/s",
            "It copied 10 GB in 100 s with a peak of 400 MB/s.",
            "We copied 10 GB at 100 MB/s and saw a latency of 5 ms at first.",
            "A disk of 10 TB does 200 MB/s after 5 s.",
            "500,000 requests in 60 s is 8,333 requests/s",
        ] {
            assert_eq!(told(right), None, "{right}");
        }
        for (wrong, cause) in [
            ("We copied 10 GB in 60 seconds, which is 500 MB/s.", "unknown"),
            ("Restore of 600 GB took 50 minutes, i.e. 2.0 GB/s.", "unknown"),
            ("We copied 10 GB in 100 seconds, which is 800 MB/s.", "bits"),
            ("We copied 10 GB in 100 minutes, which is 100 MB/s.", "minutes"),
            ("The 2 million rows were inserted in 40 s: 80,000 rows/s.", "unknown"),
        ] {
            assert_eq!(told(wrong), Some(Value::from(cause)), "{wrong}");
        }
    }
}
