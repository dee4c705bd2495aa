//! What tools call the latency of an operation: its mean, its extremes, its percentiles.

use model::{MetricName, metric};

/// The metric of a percentile: `99.900%`, `99,9`, `95` as `latency_p99_9`, `latency_p95`. `None` if it is none, or one of
/// the extremes.
pub(super) fn percentile(percent: &str) -> Option<MetricName> {
    let percent: f64 = percent.trim().trim_end_matches('%').replace(',', ".").parse().ok()?;
    let is_one = percent > 0.0 && percent < 100.0;
    let name = format!("latency_p{percent}").replace('.', "_");
    if is_one { MetricName::intern(&name) } else { None }
}

/// The metric by its name in a list: `avg`, `max`, `p(95)`, `p99.9`, `99th`.
pub(super) fn statistic(name: &str) -> Option<MetricName> {
    match name {
        "avg" | "mean" => Some(metric::LATENCY_MEAN),
        "med" | "median" => Some(metric::LATENCY_P50),
        "min" => Some(MetricName::new("latency_min")),
        "max" => Some(metric::LATENCY_MAX),
        "sd" | "stddev" => Some(MetricName::new("latency_stddev")),
        rank => percentile(rank.trim_start_matches('p').trim_matches(['(', ')']).trim_end_matches("th")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_has_one_name_however_it_is_written() {
        for text in ["99.900%", "99.9", "99,90%", " 99.9 "] {
            assert_eq!(percentile(text), Some(metric::LATENCY_P99_9), "{text}");
        }
        for text in ["100%", "0", "nan", "inf", "total", ""] {
            assert_eq!(percentile(text), None, "{text}");
        }
    }

    #[test]
    fn statistics_are_known_by_the_names_of_several_tools() {
        for (name, metric) in [
            ("avg", metric::LATENCY_MEAN),
            ("mean", metric::LATENCY_MEAN),
            ("med", metric::LATENCY_P50),
            ("50th", metric::LATENCY_P50),
            ("p(99)", metric::LATENCY_P99),
            ("p99.9", metric::LATENCY_P99_9),
            ("99", metric::LATENCY_P99),
        ] {
            assert_eq!(statistic(name), Some(metric), "{name}");
        }
        assert_eq!((statistic("total"), statistic("count")), (None, None));
    }
}
