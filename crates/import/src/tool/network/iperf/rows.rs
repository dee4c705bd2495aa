//! What iperf tells of its connections, and the result that it is.

use std::collections::BTreeMap;

use model::tool_result::{LineRange, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Parameters, metric};

use super::{NAME, options};
use crate::tool::block::ToolBlock;
use crate::tool::network::{added, part};
use crate::tool::reader::ToolReader as _;

/// Which end of a connection a figure is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IperfEnd {
    Sender,
    Receiver,
    /// It cannot be told.
    Unknown,
}

/// What was moved in a span of time.
#[derive(Clone, Debug)]
pub(super) struct IperfRow {
    /// The connection; `SUM` for all of them.
    pub(super) id: String,
    pub(super) end: IperfEnd,
    pub(super) start_s: f64,
    pub(super) end_s: f64,
    /// The span as printed.
    pub(super) span: String,
    pub(super) measured: ToolMeasurement,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct IperfRows {
    pub(super) rows: Vec<IperfRow>,
    /// Whether times have four decimals, as since 2.0.14.
    pub(super) is_late: bool,
    pub(super) is_server: bool,
    /// Whether data goes both ways, and nothing tells which connection is which.
    pub(super) has_unknown_ways: bool,
    /// The host that the client says it connects to.
    pub(super) host: Option<String>,
    pub(super) unread: Vec<LineRange>,
}

/// The whole of a row: of a connection and an end.
struct Total<'a> {
    row: &'a IperfRow,
    place: usize,
}

/// How much shorter the whole of one connection may be than another's.
const SHORTER: f64 = 0.9;

/// How much the times of connections may differ that are added up.
const SAME: f64 = 0.005;

impl IperfRows {
    /// The result; `None` if nothing is told of the whole.
    pub(super) fn result(&self, block: &ToolBlock<'_>) -> Option<ToolResult> {
        let longest = self.rows.iter().map(|row| row.end_s).fold(0.0, f64::max);
        let is_whole = |row: &IperfRow| row.start_s == 0.0 && row.end_s >= longest * SHORTER;
        let mut totals: Vec<Total<'_>> = Vec::new();
        for (place, row) in self.rows.iter().enumerate().filter(|(_, row)| is_whole(row)) {
            // The last one is of the whole: the first interval may be as long.
            totals.retain(|total| (&total.row.id, total.row.end) != (&row.id, row.end));
            totals.push(Total { row, place });
        }
        let of_end = |end: IperfEnd| whole_of(&totals, end);
        let (sent, received) = (of_end(IperfEnd::Sender), of_end(IperfEnd::Receiver));
        let has_stars = totals.iter().any(|total| total.row.id.starts_with('*'))
            && totals.iter().any(|total| !total.row.id.starts_with(['*', 'S']));
        let is_both_ways = has_stars || has_other_connections(&totals);
        let whole = if self.has_unknown_ways && totals.len() > 1 {
            // Their sum is of no direction.
            ToolMeasurement::default()
        } else if is_both_ways {
            of_both_ways(&totals)
        } else {
            of_one_way(sent.as_ref(), received.as_ref(), of_end(IperfEnd::Unknown))
        };
        let parts = self.parts(&totals, sent, is_both_ways);
        // What was cut before its end has its intervals.
        if whole.is_empty() && parts.is_empty() {
            return None;
        }
        let is_cut = whole.is_empty();
        let mut result = ToolResult {
            whole,
            parts,
            unread: self.unread.clone(),
            ..block.result(NAME, super::Iperf.programs())
        };
        if let Some(last) = block.lines.iter().rev().find(|line| !line.is_blank()) {
            result.lines.last = last.number;
        }
        // A text may have the outputs of others below a command.
        if self.host.as_deref().is_some_and(|host| !options::is_to(&result.command, host)) {
            result.command.clear();
        }
        options::fill(&mut result, self);
        if is_cut {
            (result.workload, result.parameters) = (None, Parameters::default());
        }
        Some(result)
    }

    fn parts(
        &self,
        totals: &[Total<'_>],
        sent: Option<ToolMeasurement>,
        is_both_ways: bool,
    ) -> Vec<ToolPart> {
        let mut parts = Vec::new();
        if let Some(sent) = sent.filter(|_| !is_both_ways) {
            parts.push(part(ToolPartKind::Direction, "sender", sent));
        }
        let ids: BTreeMap<&str, usize> = totals
            .iter()
            .filter(|total| !is_sum(&total.row.id))
            .map(|t| (t.row.id.as_str(), t.place))
            .collect();
        if ids.len() > 1 {
            let streams = totals.iter().filter(|total| ids.get(total.row.id.as_str()) == Some(&total.place));
            parts.extend(
                streams.map(|total| {
                    part(ToolPartKind::Stream, total.row.id.clone(), total.row.measured.clone())
                }),
            );
        }
        let has_sums = self.rows.iter().any(|row| is_sum(&row.id));
        let has_several = self.rows.windows(2).any(|rows| rows[0].id != rows[1].id);
        for (place, row) in self.rows.iter().enumerate() {
            let is_total = totals.iter().any(|total| total.place == place);
            let is_only = ids.len() <= 1 && !totals.is_empty();
            let is_told = is_only || is_sum(&row.id) || !has_sums;
            if is_total || !is_told || is_total_of_one(row, &self.rows) {
                continue;
            }
            let name = if (ids.len() > 1 || totals.is_empty() && has_several) && !has_sums {
                format!("{} {}", row.id, row.span)
            } else {
                row.span.clone()
            };
            let start_s = Some(row.start_s);
            parts.push(ToolPart {
                kind: ToolPartKind::Interval,
                name,
                start_s,
                measured: row.measured.clone(),
            });
        }
        parts
    }
}

/// Whether what is received came over other connections than what is sent goes over, as with -d and -r.
fn has_other_connections(totals: &[Total<'_>]) -> bool {
    let sent = totals.iter().any(|total| total.row.end == IperfEnd::Sender);
    sent && totals.iter().any(|total| {
        total.row.end == IperfEnd::Receiver && !is_sum(&total.row.id) && !is_sent(&total.row.id, totals)
    })
}

/// Whether this end sends over a connection: what its other end says of it is no other direction.
fn is_sent(id: &str, totals: &[Total<'_>]) -> bool {
    totals.iter().any(|total| total.row.end == IperfEnd::Sender && total.row.id == id)
}

/// The whole where data goes both ways: what came in is known here, what went out as the sender has it, and where it
/// reports as the other end does.
fn of_both_ways(totals: &[Total<'_>]) -> ToolMeasurement {
    let mut whole = ToolMeasurement::default();
    let mut add = |metric: MetricName, is_meant: &dyn Fn(&IperfRow) -> bool| {
        let meant = totals.iter().filter(|total| !is_sum(&total.row.id) && is_meant(total.row));
        let rates: Vec<Option<&PrintedValue>> =
            meant.map(|total| total.row.measured.figure(metric::THROUGHPUT)).collect();
        whole.add(metric, added(&rates));
    };
    add(metric::RECEIVE_THROUGHPUT, &|row| row.end != IperfEnd::Sender && !is_sent(&row.id, totals));
    add(metric::SEND_THROUGHPUT, &|row| row.end != IperfEnd::Sender && is_sent(&row.id, totals));
    add(metric::SENDER_THROUGHPUT, &|row| row.end == IperfEnd::Sender);
    whole
}

/// Whether a row says again what stands in the intervals of its connection before it.
fn is_total_of_one(row: &IperfRow, rows: &[IperfRow]) -> bool {
    row.start_s == 0.0
        && rows.iter().any(|other| other.id == row.id && other.start_s > 0.0 && other.start_s < row.end_s)
}

pub(super) fn is_sum(id: &str) -> bool {
    id.starts_with("SUM")
}

/// What all connections did at one end: their sum as printed, the only one, or all added up.
fn whole_of(totals: &[Total<'_>], end: IperfEnd) -> Option<ToolMeasurement> {
    let own: Vec<&IperfRow> = totals.iter().map(|total| total.row).filter(|row| row.end == end).collect();
    if let Some(sum) = own.iter().find(|row| is_sum(&row.id)) {
        return Some(sum.measured.clone());
    }
    if let [only] = own.as_slice() {
        return Some(only.measured.clone());
    }
    let all = |of: fn(&ToolMeasurement) -> Option<&PrintedValue>| {
        added(&own.iter().map(|row| of(&row.measured)).collect::<Vec<_>>())
    };
    let mut whole = ToolMeasurement::default();
    let windows: Vec<&PrintedValue> = own.iter().filter_map(|row| row.measured.window.as_ref()).collect();
    let longest = windows.iter().copied().max_by(|a, b| a.value.total_cmp(&b.value))?;
    // Only what was moved in the same time may be divided by it.
    if windows.iter().all(|window| window.value >= longest.value * (1.0 - SAME)) {
        whole.window = Some(longest.clone());
        whole.bytes = all(|measured| measured.bytes.as_ref());
    }
    whole.add(metric::THROUGHPUT, all(|measured| measured.figure(metric::THROUGHPUT)));
    Some(whole)
}

/// The whole where data went one way: what arrived, with what the sender says beside it.
fn of_one_way(
    sent: Option<&ToolMeasurement>,
    received: Option<&ToolMeasurement>,
    unknown: Option<ToolMeasurement>,
) -> ToolMeasurement {
    let Some(main) = received.or(sent) else { return unknown.unwrap_or_default() };
    let mut whole = ToolMeasurement { figures: Vec::new(), ..main.clone() };
    let of = |side: Option<&ToolMeasurement>, metric| side.and_then(|side| side.figure(metric)).cloned();
    whole.add(metric::THROUGHPUT, of(received, metric::THROUGHPUT));
    whole.add(metric::SENDER_THROUGHPUT, of(sent, metric::THROUGHPUT));
    whole.add(metric::RETRANSMITS, of(sent, metric::RETRANSMITS));
    for metric in [metric::JITTER, metric::LOSS, metric::PACKETS_PER_SECOND] {
        whole.add(metric, of(received, metric));
    }
    whole
}
