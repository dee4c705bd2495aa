//! Importers of tools for processors and memory: STREAM, mbw, stress-ng, openssl speed, 7z b, hyperfine, perf stat,
//! yabs.sh, bench.sh, nench.sh, UnixBench, Geekbench, CoreMark, tinymembench, hackbench, cyclictest, perf bench, schbench,
//! Intel's Memory Latency Checker, lmbench, the Phoronix Test Suite, LINPACK, Dhrystone.

mod bench_sh;
mod coremark;
mod cyclictest;
mod dhrystone;
mod geekbench;
mod hackbench;

mod hyperfine;
mod linpack;
mod lmbench;
mod lmbench_summary;
mod mbw;
mod mlc;
mod nench;
mod openssl;
mod openssl_keys;
mod openssl_sums;
mod perf;
mod perf_bench;
mod perf_counts;
mod perf_ratios;
mod phoronix;
mod schbench;
mod seven_zip;
mod stream;
mod stress_ng;
mod tinymembench;
mod unixbench;
mod yabs;

use model::MetricName;
use model::tool_result::LineRange;

use super::reader::ToolReader;

/// Those of this area; one that is surer of its beginning comes before others.
pub(super) const READERS: &[&dyn ToolReader] = &[
    &stream::StreamBenchmark,
    &mbw::Mbw,
    &stress_ng::StressNg,
    &openssl::OpensslSpeed,
    &seven_zip::SevenZip,
    &hyperfine::Hyperfine,
    &perf::PerfStat,
    &yabs::Yabs,
    &bench_sh::BenchSh,
    &nench::Nench,
    &unixbench::UnixBench,
    &phoronix::Phoronix,
    &geekbench::Geekbench,
    &coremark::CoreMark,
    &tinymembench::Tinymembench,
    &hackbench::Hackbench,
    &cyclictest::Cyclictest,
    &perf_bench::PerfBench,
    &schbench::Schbench,
    &mlc::MemoryLatencyChecker,
    &lmbench::Lmbench,
    &linpack::Linpack,
    &dhrystone::Dhrystone,
];

/// The longest name of a metric that is made of a tool's words, in bytes.
const NAME_MAX: usize = 48;

/// A tool's words as the name of a metric: `write64stoq` of `write64stoq`, `cache_ops` of `cache ops`.
/// `None` if there are none, or too many.
fn metric_of(words: &str) -> Option<MetricName> {
    let mut name = String::new();
    for word in words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        if !name.is_empty() {
            name.push('_');
        }
        name.push_str(&word.to_ascii_lowercase());
    }
    let is_one = !name.is_empty() && name.len() <= NAME_MAX;
    if is_one { MetricName::intern(&name) } else { None }
}

/// The word before another one: `10` of `with 10 groups` before `groups`.
fn word_before<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (before, _) = text.split_once(format!(" {word}").as_str())?;
    before.split_whitespace().next_back()
}

/// Adds a line to those of a result that were not understood.
fn add_unread(unread: &mut Vec<LineRange>, line: u64) {
    match unread.last_mut() {
        Some(range) if range.last + 1 == line => range.last = line,
        _ => unread.push(LineRange { first: line, last: line }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_tool_become_the_name_of_a_metric() {
        let name = |words: &str| metric_of(words).map(MetricName::as_str);
        assert_eq!(name("shared cache reads"), Some("shared_cache_reads"));
        assert_eq!(name("write64stoq (x)"), Some("write64stoq_x"));
        assert_eq!(name(" - "), None);
        assert_eq!(name(&"word ".repeat(20)), None);
    }
}
