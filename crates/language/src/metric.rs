//! What people call a metric: `latency p99.9` for `latency_p99_9`.

use fluent_bundle::FluentArgs;
use model::MetricName;
use model::metric::{self, Statistic};

use crate::words::identifier;
use crate::{Language, Words};

/// Statistics that the names of other tools' figures end with; ours have only the first.
const STATISTICS: &[&str] = &["max", "min", "mean", "stddev", "sum"];

/// The title of a metric in the language of `words`: its own where it has one, or else that of what it
/// is a statistic or a rate of, or its words. English has it from its name.
#[must_use]
pub fn metric_title(words: &Words, name: MetricName) -> String {
    match words.language() {
        Language::English => whole_title(words, name.as_str()).unwrap_or_else(|| english_metric_title(name)),
        _ => title(words, name.as_str()),
    }
}

fn whole_title(words: &Words, name: &str) -> Option<String> {
    own_word(words, &format!("metric-title-{name}"))
}

/// What a language has itself for this key.
fn own_word(words: &Words, key: &str) -> Option<String> {
    words.look_up(&identifier(key), &FluentArgs::new())
}

/// The same in English: its words, and `p99.9` for the percentile.
#[must_use]
pub fn english_metric_title(metric: MetricName) -> String {
    if let Some((of, Statistic::Percentile(percent))) = metric.statistic() {
        return format!("{} p{percent}", english_metric_title(of));
    }
    let word = |word| match word {
        "cpu" => "CPU",
        "iops" => "IOPS",
        "flops" => "FLOPS",
        "durable" if metric == metric::THROUGHPUT_DURABLE => "to the device",
        other => other,
    };
    metric.as_str().split('_').map(word).collect::<Vec<_>>().join(" ")
}

fn title(words: &Words, name: &str) -> String {
    if let Some(whole) = whole_title(words, name) {
        return whole;
    }
    if let Some((of, percent)) = percentile(name) {
        let of = title(words, of);
        let texts = [("of", of.as_str()), ("percent", percent.as_str())];
        return words.tell_texts("metric-statistic-percentile", &texts);
    }
    if let Some((of, statistic)) = name.rsplit_once('_').filter(|(_, last)| STATISTICS.contains(last)) {
        let of = title(words, of);
        return words.tell_texts(&format!("metric-statistic-{statistic}"), &[("of", of.as_str())]);
    }
    if let Some(of) = name.strip_suffix("_per_second") {
        let of = title(words, of);
        return words.tell_texts("metric-each-second", &[("of", of.as_str())]);
    }
    // An abbreviation of the tool stays as it is.
    let word =
        |word: &str| own_word(words, &format!("metric-word-{word}")).unwrap_or_else(|| word.to_owned());
    let all: Vec<String> = name.split('_').map(word).collect();
    all.join(if words.language() == Language::Japanese { "" } else { " " })
}

/// What `latency_p99_9` is a percentile of, and which: `99.9`.
fn percentile(name: &str) -> Option<(&str, String)> {
    let (of, percent) = name.rsplit_once("_p")?;
    let percent = percent.replace('_', ".");
    percent.parse::<f64>().is_ok().then_some((of, percent))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(name: &str) -> [String; 3] {
        let name = MetricName::intern(name).unwrap();
        crate::LANGUAGES.iter().map(|l| metric_title(l.words(), name)).collect::<Vec<_>>().try_into().unwrap()
    }

    #[test]
    fn a_metric_without_a_title_is_called_by_its_words() {
        assert_eq!(titles("latency_p99_99"), ["latency p99.99", "p99.99 지연 시간", "p99.99 レイテンシ"]);
        assert_eq!(
            titles("read_device_latency_mean"),
            ["read device latency mean", "평균 읽기 장치 지연 시간", "平均読み取りデバイスレイテンシ"]
        );
        assert_eq!(
            titles("context_switches_per_second"),
            ["context switches per second", "초당 문맥 전환 수", "毎秒のコンテキストスイッチ数"]
        );
        assert_eq!(
            titles("rxdrop_per_second"),
            ["rxdrop per second", "초당 rxdrop 수", "毎秒のrxdrop数"],
            "that is a word of the tool"
        );
    }

    #[test]
    fn a_metric_with_a_title_has_it() {
        assert_eq!(titles("latency_p99_9"), ["latency p99.9", "p99.9 지연 시간", "p99.9 レイテンシ"]);
        assert_eq!(titles("iops"), ["IOPS", "IOPS", "IOPS"]);
    }
}
