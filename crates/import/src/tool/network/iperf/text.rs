//! iperf's text.

use std::collections::BTreeMap;

use model::tool_result::{Counting, LineRange, PrintedValue};
use model::{Unit, metric};

use super::rows::{IperfEnd, IperfRow, IperfRows};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::network::interval::{IntervalLine, behind_stamp, bracketed, is_row};
use crate::tool::number::{count, exact, whole};
use crate::tool::reader::{Extent, NotUnderstood};

/// What lines begin with, beside those in brackets.
const BEGINNINGS: &[&str] = &[
    "-----",
    "Client connecting to ",
    "Server listening on ",
    "Binding to ",
    "Joining multicast ",
    "TCP window size: ",
    "UDP buffer size: ",
    "TCP congestion ",
    "Write buffer size",
    "Read buffer size",
    "Receiving ",
    "Sending ",
    "Setting multicast ",
    "IPG target",
    "TOS ",
    "MSS ",
    "Event based writes",
    "Reporting ",
    "Burst",
    "WARNING: ",
    "Waiting for server threads ",
    "tcp connect failed",
    "connect failed",
    "write failed",
    "read failed",
    "bind failed",
    "listener bind failed",
    "Fair-Queue ",
    "Isochronous ",
    "Trip-times",
    "Unable to ",
    // The times to connect of all connections, at the end.
    "[ CT] ",
];

/// Whether no other program prints such a line.
pub(super) fn is_sure(text: &str) -> bool {
    let of_head = behind_stamp(text, &["Client connecting to ", "Server listening on "]);
    let is_head = of_head.is_some_and(|text| text.contains("TCP port ") || text.contains("UDP port "));
    is_head || bracketed(text).is_some_and(is_connection)
}

fn is_connection(text: &str) -> bool {
    text.contains("] local ") && text.contains(" connected with ")
}

/// Whether an output may begin so: with a rule, a table's head, or a line of it.
pub(super) fn may_begin(line: &ToolLine) -> bool {
    is_rule(&line.text)
        || bracketed(&line.text).is_some_and(|text| text.starts_with("[ ID] Interval"))
        || IntervalLine::of(line).is_some()
}

fn is_rule(text: &str) -> bool {
    text.len() == 60 && text.chars().all(|c| c == '-')
}

fn is_known(line: &ToolLine) -> bool {
    line.is_blank() || behind_stamp(&line.text, BEGINNINGS).is_some() || is_row(&line.text)
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
    // A rule behind figures is the head of another execution.
    let has_figures = || before.iter().rev().any(|line| IntervalLine::of(line).is_some());
    if (is_rule(text) || behind_stamp(text, &["Client connecting to "]).is_some()) && has_figures() {
        return Extent::EndsBefore;
    }
    if is_known(last) {
        return Extent::More;
    }
    // A line or two that other versions may have before the figures.
    let unknown = before.iter().rev().take_while(|line| !is_known(line)).count();
    let is_added = unknown < 2 && unknown < before.len() && !has_figures();
    if is_added { Extent::More } else { Extent::EndsBefore }
}

/// The executions in an output, by their lines: a server goes on with the next client, one after the other.
pub(super) fn executions(lines: &[ToolLine]) -> Vec<&[ToolLine]> {
    if lines.iter().any(|line| behind_stamp(&line.text, &["Client connecting to "]).is_some()) {
        return vec![lines];
    }
    // Of each number the lines on which it connects or has figures, and whether it has these.
    let mut uses: BTreeMap<&str, Vec<(usize, bool)>> = BTreeMap::new();
    let (mut connects, mut rows): (Vec<(usize, &str)>, Vec<usize>) = (Vec::new(), Vec::new());
    for (at, line) in lines.iter().enumerate() {
        if let Some(id) = connected(&line.text) {
            uses.entry(id).or_default().push((at, false));
            connects.push((at, id));
        } else if let Some(row) = IntervalLine::of(line) {
            uses.entry(row.id).or_default().push((at, true));
            rows.push(at);
        }
    }
    let first_figures = |from: usize| rows.get(rows.partition_point(|at| *at < from)).copied();
    let mut figures = first_figures(0);
    let mut starts = vec![0];
    let mut open: Vec<&str> = Vec::new();
    for (at, id) in connects {
        let goes_on = |id: &&str| {
            let own = uses.get(id).map_or(&[][..], Vec::as_slice);
            own.get(own.partition_point(|(place, _)| *place < at)).is_some_and(|(_, is_row)| *is_row)
        };
        if figures.is_some_and(|figures| figures < at) && !open.iter().any(goes_on) {
            starts.push(at);
            open.clear();
            figures = first_figures(at);
        }
        open.push(id);
    }
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    starts.iter().zip(ends).filter_map(|(start, end)| lines.get(*start..end)).collect()
}

/// The number of a connection, where it begins.
fn connected(text: &str) -> Option<&str> {
    let text = bracketed(text).filter(|text| is_connection(text))?;
    text.strip_prefix('[')?.split_once(']').map(|(id, _)| id.trim())
}

/// Reads an output.
///
/// # Errors
/// If it is another program's.
pub(super) fn read(block: &ToolBlock<'_>) -> Result<IperfRows, NotUnderstood> {
    if block.lines.iter().all(|line| is_rule(&line.text) || line.is_blank()) {
        return Err(NotUnderstood::OtherText);
    }
    let is_client = super::options::is_client(block);
    let is_both_ways = super::options::is_both_ways(block);
    let mut reading = Reading { is_client, is_both_ways, ..Reading::default() };
    for line in block.lines {
        reading.take(line)?;
    }
    let is_server = reading.is_client == Some(false);
    let has_unknown_ways = reading.has_unknown_ways();
    Ok(IperfRows { is_server, has_unknown_ways, ..reading.rows })
}

/// The text as far as it was read.
#[derive(Default)]
struct Reading {
    rows: IperfRows,
    /// Whether it is the client's; absent where nothing tells.
    is_client: Option<bool>,
    /// Whether the command has data go both ways.
    is_both_ways: bool,
    /// The port that a server here listens on.
    listening: Option<String>,
    /// Which end of each connection this is.
    ends: BTreeMap<String, IperfEnd>,
    /// The connections whose figures of the other end follow.
    reports: Vec<String>,
    heading: String,
}

impl Reading {
    fn take(&mut self, line: &ToolLine) -> Result<(), NotUnderstood> {
        let text = line.text.as_str();
        if let Some(interval) = IntervalLine::of(line) {
            self.interval(line.number, interval);
        } else if let Some(text) = behind_stamp(text, &["Client connecting to "]) {
            self.is_client = Some(true);
            let host = text.trim_start_matches("Client connecting to ").split(',').next();
            self.rows.host = host.map(|host| host.trim().to_owned());
        } else if let Some(text) = behind_stamp(text, &["Server listening on "]) {
            let port = text.rsplit_once("port ").map(|(_, port)| port);
            self.listening = port.and_then(whole).map(|(port, _)| port.to_string());
            self.is_client.get_or_insert(false);
        } else if let Some(text) = bracketed(text) {
            if text.contains(" connected to ") {
                return Err(NotUnderstood::OtherText);
            }
            self.remark(line.number, text);
        } else if !is_known(line) {
            self.rows.unread.push(LineRange { first: line.number, last: line.number });
        }
        Ok(())
    }

    fn remark(&mut self, number: u64, text: &str) {
        let Some((id, rest)) = text.strip_prefix('[').and_then(|text| text.split_once(']')) else { return };
        let id = id.trim().to_owned();
        if id == "ID" {
            self.heading = rest.to_owned();
        } else if is_connection(text) {
            let end = self.end_of_connection(rest);
            self.ends.insert(id, end);
        } else if rest.trim() == "Server Report:" {
            self.reports.push(id);
        } else if let Some((sent, _)) = rest.trim().strip_prefix("Sent ").and_then(whole) {
            let own = self.rows.rows.iter_mut().rev().find(|row| row.id == id && row.end == IperfEnd::Sender);
            if let Some(row) = own {
                row.measured.operations = Some(exact(number, sent, Unit::One));
            }
        }
    }

    /// `local 10.0.0.1 port 5001 connected with 10.0.0.2 port 41000`: who listens receives, unless the
    /// direction is reversed.
    fn end_of_connection(&self, text: &str) -> IperfEnd {
        let port =
            text.split_once(" port ").and_then(|(_, rest)| whole(rest)).map(|(port, _)| port.to_string());
        let listens = self.listening.is_some() && port == self.listening;
        let is_sender = self.is_client == Some(true) && !listens;
        match is_sender != text.contains("(reverse)") {
            true => IperfEnd::Sender,
            false => IperfEnd::Receiver,
        }
    }

    /// Whether data goes both ways, and nothing tells which connection is which.
    fn has_unknown_ways(&self) -> bool {
        self.is_both_ways && self.ends.is_empty()
    }

    /// Which end a row is of.
    fn end_of(&self, id: &str) -> IperfEnd {
        let plain = id.trim_start_matches('*');
        if self.reports.iter().any(|report| report == id) {
            return IperfEnd::Receiver;
        }
        let known = self.ends.get(id).copied();
        let known = known.or_else(|| {
            // A star is the other way of a connection that is used both ways, or reversed.
            let other = self.ends.get(plain).copied().filter(|_| plain != id)?;
            let is_sender = self.is_client == Some(false);
            let is_known = other != IperfEnd::Unknown;
            is_known.then_some(if is_sender { IperfEnd::Sender } else { IperfEnd::Receiver })
        });
        let of_program = match self.is_client {
            _ if self.has_unknown_ways() => IperfEnd::Unknown,
            Some(true) => IperfEnd::Sender,
            Some(false) => IperfEnd::Receiver,
            None => IperfEnd::Unknown,
        };
        let all: Vec<IperfEnd> = self.ends.values().copied().collect();
        let of_all = all.first().copied().filter(|first| all.iter().all(|end| end == first));
        known.or(of_all).unwrap_or(of_program)
    }

    fn interval(&mut self, number: u64, mut line: IntervalLine<'_>) {
        self.rows.is_late |= line.decimals == 4;
        let id = line.id.to_owned();
        let mut end = self.end_of(&id);
        let tells_losses = line.tail.contains(" ms ") || line.tail.trim_end().ends_with(')');
        if tells_losses && end != IperfEnd::Sender {
            line.add_datagrams(number, true);
            if line.measured.operations.is_some() {
                end = IperfEnd::Receiver;
            }
        } else {
            line.measured.add(metric::RETRANSMITS, retransmits(number, &self.heading, line.tail));
        }
        line.measured.add(metric::PACKETS_PER_SECOND, packets(number, line.tail));
        let span = line.span.replace("- ", "-");
        let (start_s, end_s, measured) = (line.start_s, line.end_s, line.measured);
        self.rows.rows.push(IperfRow { id, end, start_s, end_s, span, measured });
    }
}

/// How many segments were sent again, where the heading has a column of them.
fn retransmits(line: u64, heading: &str, tail: &str) -> Option<PrintedValue> {
    let (_, columns) = heading.split_once("Bandwidth").or_else(|| heading.split_once("Bitrate"))?;
    let place = columns.split_whitespace().position(|column| column == "Rtry")?;
    let again = tail.split_whitespace().nth(place)?.parse().ok()?;
    Some(exact(line, again, Unit::One))
}

/// `851 pps`.
fn packets(line: u64, tail: &str) -> Option<PrintedValue> {
    let (before, _) = tail.split_once(" pps")?;
    count(line, before.split_whitespace().next_back()?, Counting::Decimal, Unit::PerSecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> IperfRows {
        read(&ToolBlock { lines: &crate::tool::network::lines(text), command: None }).unwrap()
    }

    #[test]
    fn who_listens_receives_and_who_connects_sends() {
        let text = "Server listening on TCP port 5001\nClient connecting to h, TCP port 5001\n\
                    [  5] local 10.0.0.1 port 35000 connected with 10.0.0.2 port 5001\n\
                    [  4] local 10.0.0.1 port 5001 connected with 10.0.0.2 port 44000\n\
                    [ ID] Interval       Transfer     Bandwidth\n\
                    [  5]  0.0-10.0 sec   112 MBytes  94.1 Mbits/sec\n[  4]  0.0-10.0 sec   100 MBytes  83.9 Mbits/sec\n";
        let rows = read_all(text);
        let ends: Vec<IperfEnd> = rows.rows.iter().map(|row| row.end).collect();
        assert_eq!(ends, [IperfEnd::Sender, IperfEnd::Receiver]);
    }

    #[test]
    fn a_server_tests_with_one_client_after_the_other() {
        let connect =
            |id: u32| format!("[  {id}] local 10.0.0.2 port 5001 connected with 10.0.0.1 port 40000\n");
        let row = |id: u32, span: &str| format!("[  {id}]  {span} sec  1.10 GBytes   941 Mbits/sec\n");
        let count = |text: &str| executions(&crate::tool::network::lines(text)).len();
        let one = connect(4) + &row(4, "0.0-10.0");
        assert_eq!(count(&(one.clone() + &connect(5) + &row(5, "0.0-10.0") + &one)), 3);
        let together =
            connect(4) + &row(4, "0.0- 1.0") + &connect(5) + &row(5, "0.0- 1.0") + &row(4, "0.0-10.0");
        assert_eq!(count(&together), 1);
        assert_eq!(count(&format!("Client connecting to h, TCP port 5001\n{one}{one}")), 1);
    }

    #[test]
    fn ways_that_nothing_tells_apart_are_not_added_up() {
        let text = "$ iperf -c 10.0.0.1 --dualtest\n[ ID] Interval       Transfer     Bandwidth\n\
                    [  5]  0.0-10.0 sec   265 MBytes   222 Mbits/sec\n[  4]  0.0-10.0 sec  1.40 GBytes  1.20 Gbits/sec\n";
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        assert!(results.len() == 1 && results[0].whole.is_empty());
        let names: Vec<&str> = results[0].parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["5", "4"]);
    }

    #[test]
    fn the_other_ends_report_is_the_receivers() {
        let text = "Client connecting to h, UDP port 5001\n[  3] local 10.0.0.1 port 35000 connected with 10.0.0.2 port 5001\n\
                    [  3]  0.0-10.0 sec  1.25 MBytes  1.05 Mbits/sec\n[  3] Sent 893 datagrams\n[  3] Server Report:\n\
                    [  3]  0.0-10.0 sec  1.25 MBytes  1.05 Mbits/sec   0.010 ms    3/  893 (0.34%)\n";
        let rows = read_all(text).rows;
        assert_eq!((rows[0].end, rows[1].end), (IperfEnd::Sender, IperfEnd::Receiver));
        let operations = |row: &IperfRow| row.measured.operations.as_ref().map(|count| count.value);
        assert_eq!((operations(&rows[0]), operations(&rows[1])), (Some(893.0), Some(890.0)));
    }

    #[test]
    fn a_table_of_iperf3_is_another_programs() {
        let lines =
            crate::tool::network::lines("[  5] local 10.0.0.1 port 1 connected to 10.0.0.2 port 5201\n");
        let read = read(&ToolBlock { lines: &lines, command: None });
        assert_eq!(read.err(), Some(NotUnderstood::OtherText));
    }
}
