//! iperf3's text.

use model::tool_result::{LineRange, PrintedValue};
use model::{Unit, metric};

use super::run::{Iperf3Ends, Iperf3Flow, Iperf3Run};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::network::interval::{IntervalLine, amount, behind_stamp, bracketed, is_row};
use crate::tool::number::{exact, whole};
use crate::tool::reader::{Extent, NotUnderstood};

/// What lines of a test begin with, beside those in brackets.
const BEGINNINGS: &[&str] = &[
    "- - -",
    "-----",
    "Connecting to host ",
    "Reverse mode, remote host ",
    "Accepted connection from ",
    "Server listening on ",
    "Server output:",
    "iperf 3.",
    "iperf3: ",
    "iperf Done.",
    "Control connection MSS ",
    "Setting UDP block size ",
    "Time: ",
    "Cookie: ",
    "TCP MSS: ",
    "Target Bitrate: ",
    "Starting Test: ",
    "Test Complete.",
    "CPU Utilization: ",
    "snd_tcp_congestion ",
    "rcv_tcp_congestion ",
    "warning: ",
    "WARNING: ",
    "Connecting to TCP port ",
    "MPTCP",
];

/// Whether no other program prints such a line.
pub(super) fn is_sure(text: &str) -> bool {
    let of_client = behind_stamp(text, &["Connecting to host "]).is_some_and(|text| text.contains(", port "));
    let of_server = behind_stamp(text, &["Server listening on "]).is_some_and(|text| {
        let port = text.trim_start_matches("Server listening on ");
        whole(port).is_some_and(|(_, rest)| rest.is_empty() || rest.starts_with(" (test #"))
    });
    let accepted =
        behind_stamp(text, &["Accepted connection from "]).is_some_and(|text| text.contains(", port "));
    let is_connection =
        bracketed(text).is_some_and(|text| text.contains("] local ") && text.contains(" connected to "));
    of_client
        || of_server
        || accepted
        || is_connection
        || behind_stamp(text, &["iperf 3."]).is_some_and(is_version)
        || behind_stamp(text, &["iperf3: error - ", "iperf3: interrupt - "]).is_some()
}

/// `iperf 3.12`, with a library's version behind it or without.
fn is_version(text: &str) -> bool {
    let mut words = text.split_whitespace().skip(2);
    words.next().is_none_or(|word| word.starts_with('('))
}

/// The line that a server draws before it says where it listens.
pub(super) fn is_rule(text: &str) -> bool {
    text.len() == 59 && text.chars().all(|c| c == '-')
}

/// Whether only figures of the whole follow: what -V prints above them.
pub(super) fn is_complete(text: &str) -> bool {
    behind_stamp(text, &["Test Complete. Summary Results:"]).is_some()
}

/// Whether it is a line of a table as iperf3 prints it; iperf's are alike.
pub(super) fn is_table(line: &ToolLine) -> bool {
    is_heading(&line.text) || IntervalLine::of(line).is_some_and(|line| is_own(&line))
}

/// `[ ID] Interval           Transfer     Bitrate         Retr  Cwnd`.
fn is_heading(text: &str) -> bool {
    let is_one =
        |text: &str| text.starts_with("[ ID]") && text.contains("Interval") && text.contains("Transfer");
    bracketed(text).is_some_and(is_one)
}

/// Whether the times are as iperf3 prints them: with two decimals, filled up with blanks.
fn is_own(line: &IntervalLine<'_>) -> bool {
    let (is_sender, is_receiver) = ends(line.tail);
    line.decimals == 2 && (line.blanks > 1 || line.end_s >= 100.0) || is_sender || is_receiver
}

/// Whether the line is the sender's or the receiver's of the whole.
fn ends(tail: &str) -> (bool, bool) {
    let last = tail.split_whitespace().next_back();
    (last == Some("sender"), last == Some("receiver"))
}

/// Whether `last` belongs to what stands `before` it.
pub(super) fn extent(before: &[ToolLine], last: &ToolLine) -> Extent {
    let text = last.text.as_str();
    if let [rule] = before
        && is_rule(&rule.text)
        && !is_sure(text)
    {
        return Extent::EndsBefore;
    }
    let begins = |text: &str| behind_stamp(text, &["iperf 3.", "Connecting to host "]).is_some();
    // What the program says of itself stands in the order of its version, the system, and the host.
    let is_head = || {
        let had = |beginning: &str| {
            before.iter().take(8).any(|line| behind_stamp(&line.text, &[beginning]).is_some())
        };
        before.len() < 8 && (had("iperf 3.") || had("Setting UDP")) && !had("Connecting to host ")
    };
    if begins(text) && !before.is_empty() && !is_head() {
        return Extent::EndsBefore;
    }
    // Behind figures of the whole it is of another test, or what the other end prints of this one.
    let is_over = || {
        let of_test = before.iter().rev().take(64).take_while(|line| !line.text.contains("] local "));
        let is_of_whole =
            |line: &ToolLine| ends(&line.text) != (false, false) || line.text.contains("] Sent ");
        let is_others = |line: &ToolLine| line.text.contains("Server output:");
        of_test.clone().any(is_of_whole) && !of_test.clone().any(is_others)
    };
    if is_complete(text) && is_over() {
        return Extent::EndsBefore;
    }
    if behind_stamp(text, &["iperf Done."]).is_some() {
        return Extent::EndsHere;
    }
    let is_system = before.last().is_some_and(|line| behind_stamp(&line.text, &["iperf 3."]).is_some());
    if is_system || is_known(last) {
        return Extent::More;
    }
    // A line or two that a later version may add in the middle.
    let is_in_middle = || !before.iter().rev().take(64).any(|line| ends(&line.text) != (false, false));
    let unknown = before.iter().rev().take_while(|line| !is_known(line)).count();
    let is_added = unknown < 2 && unknown < before.len() && is_in_middle();
    if is_added { Extent::More } else { Extent::EndsBefore }
}

/// Whether it is a line as iperf3 prints them, or nothing but a time stamp.
fn is_known(line: &ToolLine) -> bool {
    let text = line.text.as_str();
    let is_stamp =
        || text.len() < 32 && text.matches(':').count() == 2 && text.contains(|c: char| c.is_ascii_digit());
    line.is_blank()
        || behind_stamp(text, BEGINNINGS).is_some()
        || is_row(text)
        || is_stamp()
        || is_of_file(text)
}

/// What -F says between the ends: `        Sent 3.00 Byte / 3.00 Byte (100%) of /etc/hostname`.
fn is_of_file(text: &str) -> bool {
    let text = text.trim_start();
    let rest = text.strip_prefix("Sent ").or_else(|| text.strip_prefix("Received "));
    rest.is_some_and(|rest| rest.contains("Byte / ") && rest.contains("%) of "))
}

/// Reads all tests: a server's log has many.
///
/// # Errors
/// If it is another program's, or there are no figures.
pub(super) fn read(block: &ToolBlock<'_>) -> Result<Vec<Iperf3Run>, NotUnderstood> {
    let mut reading = Reading::default();
    block.lines.iter().for_each(|line| reading.take(line));
    reading.finish();
    if reading.is_other {
        return Err(NotUnderstood::OtherText);
    }
    if reading.runs.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(reading.runs) }
}

/// The text as far as it was read.
#[derive(Default)]
struct Reading {
    runs: Vec<Iperf3Run>,
    run: Iperf3Run,
    /// The present heading, and whether it stands behind the intervals.
    heading: String,
    is_summary: bool,
    /// Whether the program said that only the whole follows.
    is_complete: bool,
    /// The other end's output, which says again what stands above.
    is_repeated: bool,
    is_other: bool,
    /// What the program says of the system stands behind its version.
    is_system_next: bool,
}

impl Reading {
    fn take(&mut self, line: &ToolLine) {
        let text = line.text.as_str();
        if let Some(interval) = IntervalLine::of(line) {
            if !self.is_repeated {
                self.interval(line.number, interval);
            }
        } else if is_heading(text) {
            let has_intervals = self.run.flows.iter().any(|flow| !flow.intervals.is_empty());
            self.is_summary = self.is_complete || has_intervals;
            self.heading = text.to_owned();
        } else if behind_stamp(text, &["Server output:"]).is_some() {
            self.is_repeated = true;
        } else if let Some(text) = behind_stamp(text, BEGINNINGS).or_else(|| bracketed(text)) {
            self.remark(line.number, text);
        } else if !is_known(line) && !self.is_system_next {
            self.run.unread.push(LineRange { first: line.number, last: line.number });
        }
        self.is_complete |= is_complete(text);
        self.is_system_next = behind_stamp(text, &["iperf 3."]).is_some();
        if !line.is_blank() && !self.is_between(text) {
            let first = if self.run.lines.first == 0 { line.number } else { self.run.lines.first };
            self.run.lines = LineRange { first, last: line.number };
        }
    }

    /// Whether the line stands between the tests of a server.
    fn is_between(&self, text: &str) -> bool {
        let is_between = text.starts_with("-----") || text.starts_with("Server listening on ");
        is_between && (self.run.lines.first == 0 || self.run.is_server)
    }

    fn finish(&mut self) {
        let run = std::mem::take(&mut self.run);
        let has_figures = |flow: &Iperf3Flow| {
            !flow.streams.is_empty() || !flow.intervals.is_empty() || !flow.sum.is_empty()
        };
        if run.flows.iter().any(has_figures) {
            self.runs.push(run);
        }
        (self.is_summary, self.is_complete, self.is_repeated) = (false, false, false);
    }

    /// A line that says something of the test.
    fn remark(&mut self, number: u64, text: &str) {
        let value = |beginning: &str| text.strip_prefix(beginning).map(str::trim);
        if value("Accepted connection from ").is_some() && !self.is_repeated {
            self.finish();
            self.run.is_server = true;
            self.run.lines = LineRange { first: number, last: number };
        } else if let Some(version) = value("iperf ").filter(|version| version.starts_with("3.")) {
            self.run.version = version.split_whitespace().next().map(str::to_owned);
        } else if let Some(moment) = value("Time: ") {
            self.run.moment = Some(moment.to_owned());
        } else if let Some(size) = value("Setting UDP block size to ") {
            self.run.block_size = whole(size).map(|(size, _)| size);
        } else if let Some((host, _)) =
            value("Connecting to host ").and_then(|rest| rest.split_once(", port "))
        {
            self.run.host = Some(host.to_owned());
        } else if value("Reverse mode, remote host ").is_some() {
            self.run.options.insert("reverse".to_owned(), "1".to_owned());
        } else if let Some(test) = value("Starting Test: ") {
            self.test(test);
        } else if text.contains("] local ") && text.contains(" connected with ") {
            self.is_other = true;
        } else if text.contains("] Sent ") && text.ends_with(" datagrams") {
            self.only_row_is_whole(text);
        }
    }

    /// Above `[  4] Sent 1000 datagrams`, with which versions before 3.2 end, stands the whole, though intervals were not
    /// printed, or not pasted.
    fn only_row_is_whole(&mut self, text: &str) {
        let id = text.trim_start_matches('[').split(']').next().unwrap_or_default().trim();
        let flow = self.run.flow("");
        if flow.streams.is_empty()
            && flow.intervals.len() == 1
            && let Some(row) = flow.intervals.pop_if(|row| row.start_s == Some(0.0))
        {
            let sent = Some(row.measured);
            flow.streams.push((id.to_owned(), Iperf3Ends { sent, ..Iperf3Ends::default() }));
        }
    }

    /// `protocol: TCP, 1 streams, 131072 byte blocks, omitting 0 seconds, 2 second test, tos 0`.
    fn test(&mut self, test: &str) {
        let mut set = |name: &str, value: String| self.run.options.insert(name.to_owned(), value);
        for part in test.split(", ") {
            if part == "protocol: UDP" {
                set("udp", "1".to_owned());
            } else if let Some((number, what)) = whole(part) {
                match what.trim() {
                    "streams" => drop(set("parallel", number.to_string())),
                    "second test" => drop(set("time", number.to_string())),
                    "bytes to send" => drop(set("bytes", number.to_string())),
                    "byte blocks" => self.run.block_size = Some(number),
                    _ => {}
                }
            }
        }
    }

    /// What was moved in a span of time.
    fn interval(&mut self, number: u64, mut line: IntervalLine<'_>) {
        let (is_sender, is_receiver) = ends(line.tail);
        self.is_other |= line.decimals != 2 && !is_sender && !is_receiver;
        if line.tail.contains("(omitted)") {
            return;
        }
        let counts_losses = self.heading.contains("Lost/Total") || line.tail.contains(" ms ");
        if counts_losses {
            line.add_datagrams(number, !is_sender);
        } else if self.heading.contains("Total Datagrams") && line.measured.operations.is_none() {
            let total = whole(line.tail).map(|(total, _)| exact(number, total, Unit::One));
            line.measured.operations = total;
        } else if !is_receiver {
            line.measured.add(metric::RETRANSMITS, retransmits(number, &self.heading, line.tail));
        }
        // Before 3.2 the one line of UDP's whole has no word.
        let is_whole = self.is_summary && line.start_s == 0.0 && counts_losses && !is_receiver;
        if !is_sender && !is_receiver && !is_whole {
            let is_several = line.is_sum();
            let flow = self.run.flow(line.role);
            if is_several {
                let start = Some(line.start_s);
                // The sum stands behind its connections.
                flow.intervals.retain(|part| part.start_s != start);
            }
            flow.intervals.push(line.part());
            return;
        }
        // An end that was not told, when a test was interrupted, or of the other side.
        let (is_sum, is_nothing) = (line.is_sum(), line.is_nothing());
        let flow = self.run.flow(line.role);
        let ends = if is_sum {
            &mut flow.sum
        } else {
            match flow.streams.iter().position(|(id, _)| id == line.id) {
                Some(place) => &mut flow.streams[place].1,
                None => {
                    flow.streams.push((line.id.to_owned(), Iperf3Ends::default()));
                    let last = flow.streams.len() - 1;
                    &mut flow.streams[last].1
                }
            }
        };
        if !is_nothing {
            *(if is_receiver { &mut ends.received } else { &mut ends.sent }) = Some(line.measured);
        }
    }
}

/// How many segments were sent again, where the heading has a column of them.
fn retransmits(line: u64, heading: &str, tail: &str) -> Option<PrintedValue> {
    // Without the heading, a number before the word is of them: datagrams have their jitter there.
    let is_left_out = heading.is_empty() && ends(tail).0;
    if !heading.contains("Retr") && !is_left_out {
        return None;
    }
    let (again, rest) = whole(tail)?;
    // A window alone is none: `1.75 MBytes`.
    let is_count = rest.is_empty() || rest.starts_with(char::is_whitespace) && amount(line, tail).is_none();
    is_count.then(|| exact(line, again, Unit::One))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_one(text: &str) -> Iperf3Run {
        let lines = crate::tool::network::lines(text);
        let mut runs = read(&ToolBlock { lines: &lines, command: None }).unwrap();
        runs.pop().unwrap()
    }

    const CLIENT: &str = "Connecting to host h, port 5201\n\
        [ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n\
        [  5]   0.00-1.00   sec  1.10 GBytes  9.41 Gbits/sec    3   1.75 MBytes\n\
        - - - - - - - - - - - - - - - - - - - - - - - - -\n\
        [ ID] Interval           Transfer     Bitrate         Retr\n\
        [  5]   0.00-1.00   sec  1.10 GBytes  9.41 Gbits/sec    3             sender\n";

    #[test]
    fn each_summary_alone_is_a_test() {
        let summary = |rate: u32| {
            format!(
                "Test Complete. Summary Results:\n\
                 [ ID] Interval           Transfer     Bandwidth       Jitter    Lost/Total Datagrams\n\
                 [  4]   0.00-10.00  sec  1.24 GBytes  {rate}.0 Mbits/sec  0.001 ms  100/1000 (10%)\n\
                 [  4] Sent 1000 datagrams\n\n"
            )
        };
        let text = format!("{}and another one:\n{}", summary(1060), summary(104));
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        assert_eq!(results.len(), 2);
        for result in &results {
            assert_eq!(result.whole.figure(metric::LOSS).map(|loss| loss.value), Some(0.1));
            assert!(result.parts.iter().all(|part| part.start_s.is_none()), "no interval");
        }
    }

    #[test]
    fn the_only_row_above_what_was_sent_is_the_whole() {
        let run = read_one(
            "[ ID] Interval           Transfer     Bandwidth       Jitter    Lost/Total Datagrams\n\
             [  4]   0.00-300.00 sec  6.83 GBytes   196 Mbits/sec  0.005 ms  1000/10000 (10%)\n\
             [  4] Sent 10000 datagrams\n",
        );
        let (id, ends) = &run.flows[0].streams[0];
        let loss = ends.sent.as_ref().and_then(|sent| sent.figure(metric::LOSS)).map(|loss| loss.value);
        assert_eq!((id.as_str(), loss, run.flows[0].intervals.len()), ("4", Some(0.1), 0));
    }

    #[test]
    fn sums_without_their_heading_have_their_retransmits() {
        let run = read_one(
            "[SUM]   0.00-360.00 sec  2.72 TBytes  66.4 Gbits/sec  19545340             sender\n\
             [SUM]   0.00-360.00 sec  2.72 TBytes  66.4 Gbits/sec                  receiver\n",
        );
        let sent = run.flows[0].sum.sent.as_ref().unwrap();
        assert_eq!(sent.figure(metric::RETRANSMITS).map(|again| again.value), Some(19_545_340.0));
    }

    #[test]
    fn an_end_that_was_not_told_is_none() {
        let text =
            format!("{CLIENT}[  5]   0.00-1.00   sec  0.00 Bytes  0.00 bits/sec                  receiver\n");
        let run = read_one(&text);
        let (_, ends) = &run.flows[0].streams[0];
        assert!(ends.received.is_none());
        let sent = ends.sent.as_ref().unwrap();
        assert_eq!(sent.figure(metric::RETRANSMITS).map(|again| again.value), Some(3.0));
        assert_eq!(run.flows[0].intervals.len(), 1);
    }

    #[test]
    fn a_line_that_nobody_knows_is_told_and_the_rest_read() {
        let text = CLIENT.replace("- - - - - - -", "A new remark\n- - - - - - -");
        let lines = crate::tool::network::lines(&text);
        let place = lines.iter().position(|line| line.text == "A new remark").unwrap();
        assert_eq!(extent(&lines[..place], &lines[place]), Extent::More);
        let run = read_one(&text);
        assert_eq!((run.unread.len(), run.flows[0].streams.len()), (1, 1));
        // Behind the figures of the whole it is somebody's word.
        assert_eq!(extent(&lines, &lines[place]), Extent::EndsBefore);
    }

    /// The ends of two connections, and of both together.
    const ENDS: &str = "[ ID] Interval           Transfer     Bitrate         Retr\n\
        [  5]   0.00-10.00  sec  1.10 GBytes   945 Mbits/sec    3             sender\n\
        [  5]   0.00-10.04  sec  1.10 GBytes   941 Mbits/sec                  receiver\n\
        [  7]   0.00-10.00  sec  1.10 GBytes   945 Mbits/sec    4             sender\n\
        [  7]   0.00-10.04  sec  1.10 GBytes   941 Mbits/sec                  receiver\n\
        [SUM]   0.00-10.00  sec  2.20 GBytes  1.89 Gbits/sec    7             sender\n\
        [SUM]   0.00-10.04  sec  2.20 GBytes  1.88 Gbits/sec                  receiver\n";

    #[test]
    fn a_part_of_the_table_is_read_for_what_it_has() {
        let lines = crate::tool::network::lines(ENDS);
        let result = |lines: &[ToolLine]| {
            let block = ToolBlock { lines, command: None };
            read(&block).unwrap()[0].result(&block).unwrap()
        };
        // The sum alone is the whole.
        let summed = result(&lines[5..7]);
        let rate = summed.whole.figure(metric::THROUGHPUT).unwrap();
        assert!((rate.value - 235e6).abs() < 1.0);
        // Connections without their sum are parts of a whole that is not known.
        let cut = result(&lines[..5]);
        assert!(cut.whole.figure(metric::THROUGHPUT).is_none());
        let names: Vec<&str> = cut.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["5", "7"]);
        let again = cut.parts[1].measured.figure(metric::RETRANSMITS);
        assert_eq!(again.map(|again| again.value), Some(4.0));
    }

    #[test]
    fn tables_of_iperf_are_another_programs() {
        let text =
            "[ ID] Interval       Transfer     Bandwidth\n[  3]  0.0-10.0 sec  1.10 GBytes   941 Mbits/sec\n";
        let lines = crate::tool::network::lines(text);
        assert_eq!(read(&ToolBlock { lines: &lines, command: None }).unwrap_err(), NotUnderstood::OtherText);
        assert!(!is_table(&lines[1]));
    }
}
