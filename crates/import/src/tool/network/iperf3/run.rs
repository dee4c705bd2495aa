//! One test of iperf3, whichever way it was printed, and the result that it is.

use std::collections::BTreeMap;

use model::tool_result::{LineRange, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Parameters, metric};

use super::{NAME, options};
use crate::tool::block::ToolBlock;
use crate::tool::network::{added, part};
use crate::tool::reader::ToolReader as _;

/// What is known of one test.
#[derive(Debug, Default)]
pub(super) struct Iperf3Run {
    pub(super) version: Option<String>,
    pub(super) moment: Option<String>,
    /// Where it stands.
    pub(super) lines: LineRange,
    /// What it says of its own options, by their long names.
    pub(super) options: BTreeMap<String, String>,
    /// Bytes of one datagram or call, where it is told.
    pub(super) block_size: Option<u64>,
    /// Whether it is a server's.
    pub(super) is_server: bool,
    /// The host that the client says it connects to.
    pub(super) host: Option<String>,
    /// One for each way that data went.
    pub(super) flows: Vec<Iperf3Flow>,
    /// Lines that were not understood.
    pub(super) unread: Vec<LineRange>,
}

/// The data that went one way.
#[derive(Debug, Default)]
pub(super) struct Iperf3Flow {
    /// `TX-C` and the like; empty where there is one way only.
    pub(super) role: String,
    /// Each connection, by its number.
    pub(super) streams: Vec<(String, Iperf3Ends)>,
    /// All connections together.
    pub(super) sum: Iperf3Ends,
    pub(super) intervals: Vec<ToolPart>,
}

/// What both ends say of the same data.
#[derive(Clone, Debug, Default)]
pub(super) struct Iperf3Ends {
    pub(super) sent: Option<ToolMeasurement>,
    pub(super) received: Option<ToolMeasurement>,
}

impl Iperf3Ends {
    /// What arrived; where only the sender is known, what was sent.
    fn best(&self) -> Option<&ToolMeasurement> {
        self.received.as_ref().or(self.sent.as_ref())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.best().is_none()
    }
}

impl Iperf3Run {
    /// The flow of this role.
    pub(super) fn flow(&mut self, role: &str) -> &mut Iperf3Flow {
        let place = self.flows.iter().position(|flow| flow.role == role).unwrap_or_else(|| {
            self.flows.push(Iperf3Flow { role: role.to_owned(), ..Iperf3Flow::default() });
            self.flows.len() - 1
        });
        &mut self.flows[place]
    }

    /// The result; `None` if it has no figures of the whole.
    pub(super) fn result(&self, block: &ToolBlock<'_>) -> Option<ToolResult> {
        let flows: Vec<(&Iperf3Flow, Iperf3Ends)> =
            self.flows.iter().map(|flow| (flow, flow.whole())).filter(|(_, ends)| !ends.is_empty()).collect();
        let is_cut = flows.is_empty();
        let whole = match flows.as_slice() {
            // What was cut before its end has its connections and its intervals.
            [] => ToolMeasurement::default(),
            [(flow, ends)] if !flow.is_one_of_two() => of_one_way(ends),
            several => of_both_ways(several),
        };
        let mut result = ToolResult {
            version: self.version.clone(),
            moment: self.moment.clone(),
            lines: self.lines,
            whole,
            parts: match is_cut {
                true => self.flows.iter().flat_map(Iperf3Flow::inner_parts).collect(),
                false => flows.iter().flat_map(|(flow, ends)| flow.parts(ends, flows.len() > 1)).collect(),
            },
            unread: self.unread.clone(),
            ..block.result(NAME, super::Iperf3.programs())
        };
        // Both ends may stand in one text below one command, and the outputs of others.
        let is_others = self.host.as_deref().is_some_and(|host| !options::is_to(&result.command, host));
        if self.is_server != is_server(&result.command) || is_others {
            result.command.clear();
        }
        options::fill(&mut result, self);
        if is_cut {
            (result.workload, result.parameters) = (None, Parameters::default());
        }
        (!result.parts.is_empty() || !is_cut).then_some(result)
    }
}

fn is_server(words: &[String]) -> bool {
    words.iter().any(|word| word == "--server" || word.starts_with("-s") && !word.starts_with("--"))
}

impl Iperf3Flow {
    fn is_one_of_two(&self) -> bool {
        !self.role.is_empty()
    }

    /// What all connections did: their sum as printed, or the only one.
    fn whole(&self) -> Iperf3Ends {
        match self.streams.as_slice() {
            [(_, only)] if self.sum.is_empty() => only.clone(),
            _ => self.sum.clone(),
        }
    }

    fn name(&self, end: &str) -> String {
        if self.role.is_empty() { end.to_owned() } else { format!("{} {end}", self.role) }
    }

    /// Its parts: what the ends say where the whole does not say just that, its connections, its intervals.
    fn parts(&self, ends: &Iperf3Ends, is_one_of_two: bool) -> Vec<ToolPart> {
        let mut parts = Vec::new();
        if let Some(sent) = &ends.sent {
            parts.push(part(ToolPartKind::Direction, self.name("sender"), sent.clone()));
        }
        if let Some(received) = ends.received.as_ref().filter(|_| is_one_of_two || self.is_one_of_two()) {
            parts.push(part(ToolPartKind::Direction, self.name("receiver"), received.clone()));
        }
        parts.extend(self.inner_parts());
        parts
    }

    /// Its connections, where they are several, and its intervals.
    fn inner_parts(&self) -> Vec<ToolPart> {
        let mut parts = Vec::new();
        if let several @ [_, _, ..] = self.streams.as_slice() {
            let stream = |(id, ends): &(String, Iperf3Ends)| {
                let mut measured = ends.best()?.clone();
                if measured.figure(metric::RETRANSMITS).is_none() {
                    measured.add(metric::RETRANSMITS, of(ends.sent.as_ref(), metric::RETRANSMITS).cloned());
                }
                Some(part(ToolPartKind::Stream, self.name(id), measured))
            };
            parts.extend(several.iter().filter_map(stream));
        }
        parts.extend(self.intervals.iter().cloned());
        parts
    }
}

fn sent_end(ends: &Iperf3Ends) -> Option<&ToolMeasurement> {
    ends.sent.as_ref()
}

fn received_end(ends: &Iperf3Ends) -> Option<&ToolMeasurement> {
    ends.received.as_ref()
}

fn of(side: Option<&ToolMeasurement>, metric: MetricName) -> Option<&PrintedValue> {
    side?.figure(metric)
}

/// The whole where data went one way: what arrived, with what the sender says beside it.
fn of_one_way(ends: &Iperf3Ends) -> ToolMeasurement {
    let (sent, received) = (ends.sent.as_ref(), ends.received.as_ref());
    let main = ends.best().cloned().unwrap_or_default();
    let mut whole = ToolMeasurement { figures: Vec::new(), ..main };
    whole.add(metric::THROUGHPUT, of(received, metric::THROUGHPUT).cloned());
    whole.add(metric::SENDER_THROUGHPUT, of(sent, metric::THROUGHPUT).cloned());
    whole.add(metric::RETRANSMITS, of(sent, metric::RETRANSMITS).cloned());
    for metric in [metric::LOSS, metric::JITTER] {
        whole.add(metric, of(received, metric).or(of(sent, metric)).cloned());
    }
    whole.add(metric::RTT, of(sent, metric::RTT).cloned());
    whole
}

/// The whole where data went both ways at once, or the half that one end knows.
fn of_both_ways(flows: &[(&Iperf3Flow, Iperf3Ends)]) -> ToolMeasurement {
    let mut whole = ToolMeasurement::default();
    let all = |side: fn(&Iperf3Ends) -> Option<&ToolMeasurement>, metric: MetricName| {
        let each: Vec<Option<&PrintedValue>> = flows.iter().map(|(_, ends)| of(side(ends), metric)).collect();
        if each.len() > 1 { added(&each) } else { None }
    };
    whole.add(metric::THROUGHPUT, all(received_end, metric::THROUGHPUT));
    whole.add(metric::SENDER_THROUGHPUT, all(sent_end, metric::THROUGHPUT));
    for (flow, ends) in flows {
        let is_sent_here = flow.role.starts_with("TX");
        let metric = if is_sent_here { metric::SEND_THROUGHPUT } else { metric::RECEIVE_THROUGHPUT };
        whole.add(metric, of(ends.received.as_ref(), metric::THROUGHPUT).cloned());
    }
    whole.add(metric::RETRANSMITS, all(sent_end, metric::RETRANSMITS));
    for metric in [metric::LOSS, metric::JITTER] {
        let each = flows.iter().filter_map(|(_, ends)| of(ends.received.as_ref(), metric));
        whole.add(metric, each.max_by(|a, b| a.value.total_cmp(&b.value)).cloned());
    }
    // Only what was moved in the same time may be added up.
    let received: Vec<_> = flows.iter().map(|(_, ends)| ends.received.as_ref()).collect();
    let windows: Vec<_> = received.iter().map(|side| side.and_then(|side| side.window.as_ref())).collect();
    if let Some(window) = windows.first().copied().flatten()
        && windows.len() > 1
        && windows.iter().all(|other| other.is_some_and(|other| other.value == window.value))
    {
        let bytes: Vec<_> = received.iter().map(|side| side.and_then(|side| side.bytes.as_ref())).collect();
        whole.window = Some(window.clone());
        whole.bytes = added(&bytes);
    }
    whole
}
