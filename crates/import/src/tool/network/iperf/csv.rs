//! iperf's CSV (`-y C`): time, local address and port, the other's, connection, interval, bytes, bits
//! per second; over UDP jitter in ms, lost, all, percent lost, and out of order.

use model::tool_result::{PrintedValue, ToolMeasurement};
use model::{Unit, metric};

use super::rows::{IperfEnd, IperfRow, IperfRows};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::network::iperf::options;
use crate::tool::number::{exact, leading, plain};

/// A line of it.
#[derive(Debug)]
pub(super) struct IperfRecord<'a> {
    fields: Vec<&'a str>,
    line: u64,
    start_s: f64,
    end_s: f64,
}

/// So many fields has a line at least, over UDP so many.
const FIELDS: usize = 9;
const FIELDS_UDP: usize = 14;

impl<'a> IperfRecord<'a> {
    /// Reads a line.
    pub(super) fn of(line: &'a ToolLine) -> Option<Self> {
        let fields: Vec<&str> = line.text.split(',').map(str::trim).collect();
        let stamp = fields.first()?.split('.').next()?;
        let is_stamp = stamp.len() == 14 && stamp.chars().all(|c| c.is_ascii_digit());
        if !is_stamp || fields.len() < FIELDS {
            return None;
        }
        // Ports, connection, bytes and rate are whole numbers.
        fields.get(5)?.parse::<i64>().ok()?;
        fields.get(7)?.parse::<u64>().ok()?;
        fields.get(8)?.parse::<f64>().ok()?;
        let (start, end) = fields.get(6)?.split_once('-')?;
        let (start_s, end_s) = (start.trim().parse().ok()?, end.trim().parse().ok()?);
        Some(Self { fields, line: line.number, start_s, end_s })
    }

    fn field(&self, place: usize) -> &'a str {
        self.fields.get(place).copied().unwrap_or_default()
    }

    fn id(&self) -> &'a str {
        if self.field(5) == "-1" { "SUM" } else { self.field(5) }
    }

    /// Whether it is the first of another execution: its connection begins anew at another port.
    pub(super) fn begins_anew(&self, first: &IperfRecord<'_>, before: &[ToolLine]) -> bool {
        let (own, other) = ((self.field(2), self.field(4)), (first.field(2), first.field(4)));
        if self.start_s != 0.0 || self.id() != first.id() || own == other || own == (other.1, other.0) {
            return false;
        }
        // Connections of one execution have numbers of their own.
        before.iter().filter_map(IperfRecord::of).any(|record| record.id() == self.id())
    }

    fn row(&self, port: &str) -> IperfRow {
        let end = match (self.field(2) == port, self.field(4) == port) {
            (false, true) => IperfEnd::Sender,
            (true, false) => IperfEnd::Receiver,
            _ => IperfEnd::Unknown,
        };
        let span = self.field(6).to_owned();
        let half_step =
            span.split('-').filter_map(|time| leading(time, false)).map(|n| n.half_step).fold(0.0, f64::max);
        let window = plain(self.line, format!("{span} sec"), self.end_s - self.start_s, Unit::Seconds);
        let bytes = self.field(7).parse::<u64>().ok().map(|bytes| exact(self.line, bytes, Unit::Bytes));
        let mut measured = ToolMeasurement {
            window: Some(PrintedValue { half_step, ..window }),
            bytes,
            ..ToolMeasurement::default()
        };
        let rate = self.field(8).parse::<f64>().ok().map(|bits| {
            let text = format!("{} bits/sec", self.field(8));
            PrintedValue { half_step: 0.0625, ..plain(self.line, text, bits / 8.0, Unit::BytesPerSecond) }
        });
        measured.add(metric::THROUGHPUT, rate);
        // A sender does not know, and says -1.
        let total = self.field(11).parse::<u64>().ok().filter(|total| *total > 0);
        let lost = self.field(10).parse::<u64>().ok();
        let is_known = self.fields.len() >= FIELDS_UDP;
        if let (Some(total), Some(lost), true) = (total, lost, is_known) {
            measured.operations = Some(exact(self.line, total.saturating_sub(lost), Unit::One));
            let jitter = self.field(9).parse::<f64>().ok();
            let ms = |ms: f64| plain(self.line, format!("{ms} ms"), ms / 1e3, Unit::Seconds);
            measured.add(metric::JITTER, jitter.map(ms));
            let share = lost as f64 / total as f64;
            measured.add(metric::LOSS, Some(plain(self.line, format!("{lost}/{total}"), share, Unit::One)));
        }
        let end = if measured.operations.is_some() { IperfEnd::Receiver } else { end };
        let (id, start_s, end_s) = (self.id().to_owned(), self.start_s, self.end_s);
        IperfRow { id, end, start_s, end_s, span, measured }
    }
}

/// Reads all lines. Which end it is, the port tells that a server listens on.
pub(super) fn read(block: &ToolBlock<'_>) -> IperfRows {
    let port = options::port(block);
    let rows: Vec<IperfRow> =
        block.lines.iter().filter_map(IperfRecord::of).map(|record| record.row(&port)).collect();
    let is_server = rows.iter().all(|row| row.end == IperfEnd::Receiver);
    IperfRows { rows, is_server, ..IperfRows::default() }
}
