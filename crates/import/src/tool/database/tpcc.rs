//! Loads like TPC-C with a program of their own: the line of BenchBase, which was OLTP-Bench before, and the figures of
//! Percona's tpcc-mysql.

use model::database::metric::NEW_ORDERS_PER_SECOND;
use model::tool_result::ToolResult;
use model::{MetricName, Unit, metric};

use super::each_minute;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{bare, exact, leading, plain, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer of BenchBase.
pub(super) struct BenchBase;

/// The importer of tpcc-mysql.
pub(super) struct TpccMysql;

impl ToolReader for BenchBase {
    fn name(&self) -> &'static str {
        "benchbase"
    }

    fn doc(&self) -> &'static str {
        "the line with the result of BenchBase, and of OLTP-Bench, which was its name before"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["benchbase", "oltpbenchmark"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Results("]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        rate_of(line).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        if lines.len() > 1 { Extent::EndsBefore } else { Extent::EndsHere }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let line = block.lines.first().ok_or(NotUnderstood::OtherText)?;
        let (inside, rates) = rate_of(line).ok_or(NotUnderstood::OtherText)?;
        let mut result = block.result(self.name(), self.programs());
        for cell in inside.split(',') {
            let Some((name, value)) = cell.trim().split_once('=') else { continue };
            let number = whole(value).filter(|(_, rest)| rest.is_empty());
            match (name, number) {
                ("nanoSeconds", Some((count, _))) => {
                    let seconds = count as f64 / 1e9;
                    result.whole.window =
                        Some(plain(line.number, format!("{count} ns"), seconds, Unit::Seconds));
                }
                ("measuredRequests", Some((count, _))) => {
                    result.whole.operations = Some(exact(line.number, count, Unit::One));
                }
                _ => {}
            }
        }
        let rate = bare(line.number, rates, Unit::PerSecond);
        result.whole.add(metric::REQUESTS_PER_SECOND, rate);
        let good = rates.split_once(", ").and_then(|(_, good)| bare(line.number, good, Unit::PerSecond));
        // What was aborted, rolled back or met an error is not in it.
        result.whole.add(MetricName::new("good_requests_per_second"), good);
        Ok(vec![result])
    }
}

/// What stands in the parentheses of `Results(nanoSeconds=60000012345, measuredRequests=123456) = 2057.6 requests/sec`, and
/// behind the sign.
fn rate_of(line: &ToolLine) -> Option<(&str, &str)> {
    let (_, rest) = line.text.split_once("Results(")?;
    let (inside, rates) = rest.split_once(") = ")?;
    (inside.contains("nanoSeconds=") && rates.contains("requests/sec")).then_some((inside, rates))
}

const MYSQL: &str = "tpcc-mysql";

impl ToolReader for TpccMysql {
    fn name(&self) -> &'static str {
        MYSQL
    }

    fn doc(&self) -> &'static str {
        "the result of tpcc-mysql: new orders, and what failed or was late of them"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["tpcc_start", MYSQL]
    }

    fn counting(&self) -> &'static [CountingRule] {
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["###easy### TPC-C Load Generator", "MEASURING START.", "<TpmC>", "<Raw Results>"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        let is_certain = text.contains("###easy### TPC-C Load Generator");
        let is_likely = || text == "MEASURING START." || text == "<TpmC>" || text == "<Raw Results>";
        if is_certain { Some(Beginning::Certain) } else { is_likely().then_some(Beginning::Likely) }
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        if last.text.trim().ends_with(" TpmC") {
            return Extent::EndsHere;
        }
        let is_next = !before.is_empty() && self.begins(last) == Some(Beginning::Certain);
        if is_next { Extent::EndsBefore } else { Extent::More }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(MYSQL, self.programs());
        for line in block.lines {
            let text = line.text.trim();
            if let Some(rest) = text.strip_prefix('[').and_then(|rest| rest.split_once("]: ")) {
                let name = match rest.0 {
                    "connection" => "connections",
                    "warehouse" => "warehouses",
                    "rampup" => "rampup",
                    "measure" => {
                        result.whole.window = bare(line.number, rest.1, Unit::Seconds);
                        "measure"
                    }
                    _ => continue,
                };
                let value = whole(rest.1).map(|(count, _)| count.to_string());
                result.options.extend(value.map(|value| (name.to_owned(), value)));
            } else if let Some(number) = leading(text, false).filter(|number| number.rest == " TpmC") {
                let text = format!("{} TpmC", number.digits);
                let orders = each_minute(line.number, &text, number.value, number.half_step);
                result.whole.add(NEW_ORDERS_PER_SECOND, Some(orders));
            } else if let Some((done, failed)) = new_orders(text) {
                let all = done.saturating_add(failed);
                let share = failed as f64 / all.max(1) as f64;
                let text = format!("{failed} / {all}");
                result.whole.figures.retain(|figure| figure.metric != metric::ERROR_SHARE);
                result.whole.add(metric::ERROR_SHARE, Some(plain(line.number, text, share, Unit::One)));
            }
        }
        let has_rate = result.whole.figures.iter().any(|figure| figure.metric != metric::ERROR_SHARE);
        if has_rate { Ok(vec![result]) } else { Err(NotUnderstood::CutShort) }
    }
}

/// How many were done, and failed, of the first kind in `[0] sc:76000 lt:40  rt:0  fl:0`. Those that were late were done.
fn new_orders(text: &str) -> Option<(u64, u64)> {
    let rest = text.strip_prefix("[0] ")?;
    let of = |label: &str| {
        rest.split_whitespace()
            .find_map(|word| word.strip_prefix(label))
            .and_then(whole)
            .map(|(count, _)| count)
    };
    Some((of("sc:")?.saturating_add(of("lt:")?), of("fl:")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(result: &ToolResult, name: MetricName) -> Option<f64> {
        result.whole.figure(name).map(|printed| printed.value)
    }

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    #[test]
    fn the_line_of_either_name_is_read() {
        for text in [
            "[INFO ] 2023-01-18 10:01:00,223 [main]  com.oltpbenchmark.DBWorkload runWorkload - Rate limited reqs/s: \
             Results(state=EXIT, nanoSeconds=60000000000, measuredRequests=120000) = 2000.0 requests/sec (throughput), 1990.5 \
             requests/sec (goodput)\n",
            "12:00:00,223 (DBWorkload.java:785) INFO  - Rate limited reqs/s: Results(nanoSeconds=60000000000, \
             measuredRequests=120000) = 2000.0 requests/sec\n",
        ] {
            let result = read(text).remove(0);
            assert_eq!(value(&result, metric::REQUESTS_PER_SECOND), Some(2000.0));
            assert_eq!(result.whole.window.as_ref().map(|window| window.value), Some(60.0));
            assert_eq!(result.whole.operations.as_ref().map(|all| all.value), Some(120_000.0));
        }
    }

    #[test]
    fn new_orders_of_a_minute_become_those_of_a_second() {
        let results = read(
            "***************************************\n*** ###easy### TPC-C Load Generator ***\n\
             ***************************************\n<Parameters>\n [connection]: 32\n    [measure]: 60 (sec.)\n\n\
             MEASURING START.\n\n  10, trx: 12920, 95%: 9.483, 99%: 18.738, max_rt: 213.169, 12919|98.778\n\n<Raw Results>\n  \
             [0] sc:59990 lt:0  rt:0  fl:10 avg_rt: 8.1 (5)\n in 60 sec.\n\n<TpmC>\n                 60000.000 TpmC\n",
        );
        assert_eq!(results.len(), 1);
        assert_eq!(value(&results[0], NEW_ORDERS_PER_SECOND), Some(1000.0));
        assert!(
            value(&results[0], metric::ERROR_SHARE).is_some_and(|share| (share - 10.0 / 6e4).abs() < 1e-12)
        );
        assert_eq!(results[0].options["connections"], "32");
    }
}
