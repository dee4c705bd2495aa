//! Programs called tcping, which measure how long a TCP connection takes: that of Eli Fulkerson, that of cloverstd and that of
//! pouriyajamshidi.

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{Counting, PrintedValue, ToolResult};
use model::{Unit, metric};

use crate::tool::arithmetic::{FigureSheet, nth_of};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{exact, plain, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Tcping;

const NAME: &str = "tcping";

/// What lines of their statistics begin with.
const BEGINNINGS: &[&str] = &[
    "Ping statistics",
    "Approximate trip times",
    "Minimum = ",
    "successful probes:",
    "unsuccessful probes:",
    "last successful probe:",
    "last unsuccessful probe:",
    "total uptime:",
    "total downtime:",
    "longest consecutive ",
    "retried to resolve",
    "rtt min/avg/max:",
    "TCPing started at:",
    "TCPing ended at:",
    "duration (HH:MM:SS):",
    "----",
    "No reply from ",
    "Reply from ",
    "No response from",
    "Port is closed",
];

impl ToolReader for Tcping {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the statistics of programs called tcping (of Eli Fulkerson, cloverstd and pouriyajamshidi)"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME, "tcping64"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // Milliseconds, without multiples.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Ping", "Probing ", "probes "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        let is_certain = text.starts_with("Ping tcp://")
            || text.starts_with("Ping statistics tcp://")
            || text.starts_with("TCPinging ")
            || text.ends_with(" TCPing statistics ---")
            || is_probe(text);
        let is_sum = counts(text).is_some();
        match () {
            () if is_certain => Some(Beginning::Certain),
            () if is_sum => Some(Beginning::Likely),
            () => None,
        }
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let is_own = before.is_empty()
            || last.is_blank()
            || self.begins(last).is_some()
            || good_and_failed(text).is_some()
            || BEGINNINGS.iter().any(|beginning| text.starts_with(beginning));
        if is_own { Extent::More } else { Extent::EndsBefore }
    }

    fn disagreements(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        let sheet = FigureSheet::of(lines);
        let sent = sheet.lines().find_map(|(line, text)| Some((line, text, counts(text)?)));
        if let Some((line, text, _)) = sent {
            let all = nth_of(line, text, 0).exact();
            if let Some((line, text)) = sheet.lines().find(|(_, text)| good_and_failed(text).is_some()) {
                let of = |at: usize| nth_of(line, text, at).exact();
                sheet.equal(&all, &of(0) + &of(1), 0.0);
            } else if let Some((_, rest)) = text.split_once('|') {
                let received = nth_of(line, rest, 0).exact();
                let lost = (&(&all - &received) / &all).scaled(100.0);
                sheet.equal(&nth_of(line, rest, 1).cut(), lost, 0.0);
            }
        }
        sheet.found()
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.without_blank_end().result(NAME, self.programs());
        let (mut sent, mut received) = (None, None);
        for line in block.lines {
            let text = line.text.trim();
            if let Some((all, own)) = counts(text) {
                sent = Some((line.number, all));
                received = own.or(received);
            } else if let Some((good, _)) = good_and_failed(text) {
                received = Some(good);
            } else if let Some(times) = text.strip_prefix("rtt min/avg/max:") {
                let (figures, unit) = times.trim().split_once(' ').unwrap_or((times, "ms"));
                for (name, value) in ["min", "avg", "max"].into_iter().zip(figures.split('/')) {
                    add(&mut result, line.number, name, &format!("{value} {unit}"));
                }
            } else if text.starts_with("Minimum = ") {
                for (label, name) in [("Minimum = ", "min"), ("Maximum = ", "max"), ("Average = ", "avg")] {
                    let value = text.split_once(label).and_then(|(_, rest)| rest.split(',').next());
                    add(&mut result, line.number, name, value.unwrap_or_default());
                }
            } else if let Some(target) = target(text) {
                result.options.entry("host".to_owned()).or_insert_with(|| target.to_owned());
            }
        }
        let Some((line, sent)) = sent else { return Err(NotUnderstood::CutShort) };
        if let Some(received) = received.filter(|_| sent > 0) {
            let lost = sent.saturating_sub(received);
            let share = lost as f64 / sent as f64;
            result.whole.operations = Some(exact(line, received, Unit::One));
            let printed =
                PrintedValue { half_step: 0.0, ..plain(line, format!("{lost}/{sent}"), share, Unit::One) };
            result.whole.add(metric::LOSS, Some(printed));
        }
        if result.whole.figures.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(vec![result]) }
    }
}

fn add(result: &mut ToolResult, line: u64, name: &str, value: &str) {
    if let Some(metric) = statistic(name) {
        result.whole.add(metric, quantity(line, value.trim(), Counting::Decimal));
    }
}

/// `Probing 93.184.216.34:80/tcp - Port is open - time=85.021ms`.
fn is_probe(text: &str) -> bool {
    text.starts_with("Probing ") && text.contains("/tcp - ")
}

/// `4 probes sent.`, and `4 probes transmitted on port 443 | 4 received, 0.00% packet loss`.
fn counts(text: &str) -> Option<(u64, Option<u64>)> {
    let (sent, rest) = whole(text)?;
    if rest.trim_start().starts_with("probes sent.") {
        return Some((sent, None));
    }
    let (_, received) = rest.trim_start().strip_prefix("probes transmitted on port ")?.split_once('|')?;
    Some((sent, Some(whole(received)?.0)))
}

/// `4 successful, 0 failed.  (0.00% fail)`.
fn good_and_failed(text: &str) -> Option<(u64, u64)> {
    let (good, rest) = whole(text)?;
    let (failed, rest) = whole(rest.trim_start().strip_prefix("successful, ")?)?;
    rest.trim_start().starts_with("failed.").then_some((good, failed))
}

/// The host and the port of a heading.
fn target(text: &str) -> Option<&str> {
    let probed = text.strip_prefix("Probing ").and_then(|rest| rest.split("/tcp").next());
    let statistics = || text.strip_prefix("Ping statistics tcp://");
    let for_host = || text.strip_prefix("Ping statistics for ");
    let titled = || text.strip_prefix("--- ").and_then(|rest| rest.split(' ').next());
    probed.or_else(statistics).or_else(for_host).or_else(titled).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROBES: &str = "C:\\> tcping h 80\n\nProbing 10.0.0.2:80/tcp - Port is open - time=85.021ms \nProbing 10.0.0.2:80/tcp - No response - time=2001.518ms \n\n\
        Ping statistics for 10.0.0.2:80\n     2 probes sent. \n     1 successful, 1 failed.  (50.00% fail)\nApproximate trip times in milli-seconds:\n     \
        Minimum = 85.021ms, Maximum = 85.021ms, Average = 85.021ms\n";
    const CLOVER: &str = "Ping tcp://h:443(10.0.0.2:443) connected - time=9.5ms dns=1ms\nPing tcp://h:443(10.0.0.2:443) connected - time=10.5ms dns=1ms\n\nPing statistics tcp://h:443\n\t\
        2 probes sent.\n\t2 successful, 0 failed.\nApproximate trip times:\n\tMinimum = 9.5ms, Maximum = 10.5ms, Average = 10ms\n";
    const TCPING: &str = "TCPinging h on port 443\nReply from h (10.0.0.2) on port 443 TCP_conn=1 time=3.754 ms\nNo reply from h (10.0.0.2) on port 443 TCP_conn=2\n\n\
        --- h (10.0.0.2) TCPing statistics ---\n2 probes transmitted on port 443 | 1 received, 50.00% packet loss\nsuccessful probes:   1\nunsuccessful probes: 1\n\
        total uptime:   1 second\ntotal downtime: 1 second\nrtt min/avg/max: 3.754/3.754/3.754 ms\n--------------------------------------\nduration (HH:MM:SS): 00:00:02\n";

    #[test]
    fn the_statistics_of_each_are_read() {
        for (text, loss, mean, host) in [
            (PROBES, 0.5, 0.085_021, "10.0.0.2:80"),
            (CLOVER, 0.0, 0.01, "h:443"),
            (TCPING, 0.5, 0.003_754, "h"),
        ] {
            let output = crate::tool::read("", text.as_bytes()).unwrap();
            let [result] = output.results.as_slice() else { panic!("{output:?}") };
            let value = |name| result.whole.figure(name).map_or(-1.0, |figure| figure.value);
            assert!(
                (value(metric::LOSS) - loss).abs() < 1e-9
                    && (value(metric::LATENCY_MEAN) - mean).abs() < 1e-9,
                "{text}"
            );
            assert_eq!(
                (result.options["host"].as_str(), output.unread.len(), result.disagreements.len()),
                (host, 0, 0),
                "{output:?}"
            );
        }
        for wrong in [PROBES.replacen("2 probes", "5 probes", 1), TCPING.replacen("50.00%", "0.00%", 1)] {
            assert_eq!(crate::tool::read("", wrong.as_bytes()).unwrap().results[0].disagreements.len(), 1);
        }
    }
}
