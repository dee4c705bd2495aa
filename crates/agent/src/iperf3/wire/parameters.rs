//! What a client of iperf3 asks for, and what its two ends tell each other at the
//! end: the JSON of iperf3 3.0 to 3.20. Keys that are not known here are passed
//! over, as every iperf3 does.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Number;

use crate::iperf3::wire::control_protocol::RefusalCode;

/// Bytes of a buffer, at most: iperf3's own bound.
pub(crate) const LENGTH_MOST: u64 = 1 << 20;
/// Bytes of a TCP buffer if nobody says.
const LENGTH_TCP: u64 = 128 << 10;
/// Bytes of a datagram if nobody says: what fits an Ethernet frame.
const LENGTH_UDP: u64 = 1460;
/// Shorter datagrams have no room for a head: iperf3's own bound.
const DATAGRAM_LEAST: u64 = 16;
/// The longest payload of a datagram over IPv4.
const DATAGRAM_MOST: u64 = 65_507;

/// What a client asks for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Parameters {
    #[serde(skip_serializing_if = "is_no")]
    pub(crate) tcp: bool,
    #[serde(skip_serializing_if = "is_no")]
    pub(crate) udp: bool,
    #[serde(skip_serializing_if = "is_no")]
    pub(crate) sctp: bool,
    /// Seconds at the start that do not count.
    #[serde(deserialize_with = "count")]
    pub(crate) omit: u64,
    /// Seconds; 0 where something else ends it.
    #[serde(deserialize_with = "count")]
    pub(crate) time: u64,
    /// Bytes that end it; 0 for none.
    #[serde(deserialize_with = "count")]
    pub(crate) num: u64,
    /// Buffers that end it; 0 for none.
    #[serde(deserialize_with = "count")]
    pub(crate) blockcount: u64,
    #[serde(deserialize_with = "count")]
    pub(crate) parallel: u64,
    #[serde(skip_serializing_if = "is_no")]
    pub(crate) reverse: bool,
    #[serde(skip_serializing_if = "is_no")]
    pub(crate) bidirectional: bool,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "some_count")]
    pub(crate) window: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "some_count")]
    pub(crate) len: Option<u64>,
    /// Bits per second of each stream; 0 for as many as go.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "some_count")]
    pub(crate) bandwidth: Option<u64>,
    /// The same, but held by the kernel.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "some_count")]
    pub(crate) fqrate: Option<u64>,
    #[serde(rename = "MSS", skip_serializing_if = "Option::is_none", deserialize_with = "some_count")]
    pub(crate) mss: Option<u64>,
    #[serde(skip_serializing_if = "is_no")]
    pub(crate) nodelay: bool,
    #[serde(rename = "TOS", skip_serializing_if = "Option::is_none", deserialize_with = "some_count")]
    pub(crate) tos: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) congestion: Option<String>,
    /// A number that only has to be there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) udp_counters_64bit: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) get_server_output: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dont_fragment: Option<i64>,
}

fn is_no(flag: &bool) -> bool {
    !flag
}

/// A count. What writes iperf3's JSON knows doubles only: great numbers come as
/// `1e+15`.
fn count<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let number = Number::deserialize(from)?;
    let whole = number.as_f64().filter(|value| (0.0..1.8e19).contains(value)).map(|value| value as u64);
    number.as_u64().or(whole).ok_or_else(|| D::Error::custom(format!("{number} is no count")))
}

fn some_count<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    count(from).map(Some)
}

/// A count that may be -1 for "nobody knows", which comes as 2^64 - 1 too,
/// written exactly or as `1.8446744073709552e+19`.
fn signed<'de, D: Deserializer<'de>>(from: D) -> Result<i64, D::Error> {
    let number = Number::deserialize(from)?;
    let value = number.as_f64().ok_or_else(|| D::Error::custom(format!("{number} is no number")))?;
    Ok(number.as_i64().unwrap_or(if value >= 9.2e18 { -1 } else { value as i64 }))
}

impl Parameters {
    /// Whether this server takes it.
    pub(crate) fn check(&self, streams_most: u64, seconds_most: u64) -> Result<(), RefusalCode> {
        if self.sctp || self.tcp == self.udp {
            return Err(RefusalCode::Unimplemented);
        }
        if self.parallel == 0 || self.streams() > streams_most {
            return Err(RefusalCode::Streams);
        }
        if self.omit.saturating_add(self.time) > seconds_most {
            return Err(RefusalCode::Duration);
        }
        if self.udp && !(DATAGRAM_LEAST..=DATAGRAM_MOST).contains(&self.length()) {
            return Err(RefusalCode::DatagramSize);
        }
        if self.length() == 0 || self.length() > LENGTH_MOST {
            return Err(RefusalCode::BlockSize);
        }
        Ok(())
    }

    /// Bytes of each write, and of each read.
    pub(crate) fn length(&self) -> u64 {
        // A client that sends 0 leaves it to the server.
        let usual = if self.udp { LENGTH_UDP } else { LENGTH_TCP };
        self.len.filter(|len| *len > 0).unwrap_or(usual)
    }

    /// Streams on which the server receives, and on which it sends.
    pub(crate) fn ways(&self) -> (u64, u64) {
        match (self.bidirectional, self.reverse) {
            (true, _) => (self.parallel, self.parallel),
            (false, true) => (0, self.parallel),
            (false, false) => (self.parallel, 0),
        }
    }

    pub(crate) fn streams(&self) -> u64 {
        let (receiving, sending) = self.ways();
        receiving.saturating_add(sending)
    }

    /// Bytes of memory for its buffers: the senders share one.
    pub(crate) fn memory(&self) -> u64 {
        let (receiving, sending) = self.ways();
        let senders = if self.udp { sending } else { sending.min(1) };
        receiving.saturating_add(senders).saturating_mul(self.length())
    }

    /// Whether datagrams are numbered with 64 bits.
    pub(crate) fn wide(&self) -> bool {
        self.udp_counters_64bit.is_some()
    }
}

/// What one end tells the other at the end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Results {
    /// Percent of one CPU.
    pub(crate) cpu_util_total: f64,
    pub(crate) cpu_util_user: f64,
    pub(crate) cpu_util_system: f64,
    /// 1 where it sends and its kernel counts what is sent again; -1 where it
    /// does not send.
    #[serde(deserialize_with = "signed")]
    pub(crate) sender_has_retransmits: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) congestion_used: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) server_output_text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) server_output_json: Option<serde_json::Value>,
    pub(crate) streams: Vec<StreamResult>,
}

/// What one end saw of one stream.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct StreamResult {
    #[serde(deserialize_with = "signed")]
    pub(crate) id: i64,
    /// Received, or sent: what that end did.
    #[serde(deserialize_with = "count")]
    pub(crate) bytes: u64,
    /// -1 where nobody counts them.
    #[serde(deserialize_with = "signed")]
    pub(crate) retransmits: i64,
    /// Seconds.
    pub(crate) jitter: f64,
    /// Datagrams lost, all from the start on.
    #[serde(deserialize_with = "signed")]
    pub(crate) errors: i64,
    /// Of these, before the omitted seconds were over.
    #[serde(default, deserialize_with = "signed")]
    pub(crate) omitted_errors: i64,
    /// Datagrams sent, or the highest number received.
    #[serde(deserialize_with = "signed")]
    pub(crate) packets: i64,
    /// See `omitted_errors`.
    #[serde(default, deserialize_with = "signed")]
    pub(crate) omitted_packets: i64,
    /// Seconds.
    #[serde(default)]
    pub(crate) start_time: f64,
    #[serde(default)]
    pub(crate) end_time: f64,
}

/// The number of the stream in place `index`: iperf3 counts 1, 3, 4, 5 and so on
/// (`iperf_add_stream` gives the second the number 3), at both ends.
pub(crate) fn stream_id(index: usize) -> i64 {
    let id = if index == 0 { 1 } else { index + 2 };
    i64::try_from(id).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Debian's iperf3 3.12 sent for `iperf3 -c ... -u -b 50M -R -P 2 -t 3`.
    const SENT: &str = r#"{"udp":true,"omit":0,"time":3,"num":0,"blockcount":0,"parallel":2,"reverse":true,
        "len":1448,"bandwidth":50000000,"pacing_timer":1000,"client_version":"3.12"}"#;

    fn tcp() -> Parameters {
        Parameters { tcp: true, time: 10, parallel: 1, ..Parameters::default() }
    }

    #[test]
    fn what_a_stock_client_sends_is_read() {
        let asked: Parameters = serde_json::from_str(SENT).unwrap();
        assert_eq!((asked.udp, asked.tcp, asked.reverse), (true, false, true));
        assert_eq!((asked.ways(), asked.length(), asked.bandwidth), ((0, 2), 1448, Some(50_000_000)));
        assert_eq!(asked.check(8, 60), Ok(()));
        assert_eq!(serde_json::from_str::<Parameters>(r#"{"tcp":true,"parallel":-1}"#).ok(), None);
    }

    #[test]
    fn what_is_too_much_is_refused_with_a_reason_that_the_client_knows() {
        let checked = |change: fn(&mut Parameters)| {
            let mut asked = tcp();
            change(&mut asked);
            asked.check(8, 60)
        };
        assert_eq!(checked(|_| {}), Ok(()));
        assert_eq!(checked(|p| p.tcp = false), Err(RefusalCode::Unimplemented));
        assert_eq!(checked(|p| p.sctp = true), Err(RefusalCode::Unimplemented));
        assert_eq!(checked(|p| p.parallel = 0), Err(RefusalCode::Streams));
        assert_eq!(checked(|p| p.parallel = 9), Err(RefusalCode::Streams));
        assert_eq!(checked(|p| (p.parallel, p.bidirectional) = (5, true)), Err(RefusalCode::Streams));
        assert_eq!(checked(|p| p.parallel = u64::MAX), Err(RefusalCode::Streams));
        assert_eq!(checked(|p| p.time = 61), Err(RefusalCode::Duration));
        assert_eq!(checked(|p| p.omit = u64::MAX), Err(RefusalCode::Duration));
        assert_eq!(checked(|p| p.len = Some(LENGTH_MOST + 1)), Err(RefusalCode::BlockSize));
        assert_eq!(
            checked(|p| (p.tcp, p.udp, p.len) = (false, true, Some(8))),
            Err(RefusalCode::DatagramSize)
        );
        assert_eq!(
            checked(|p| (p.tcp, p.udp, p.len) = (false, true, Some(70_000))),
            Err(RefusalCode::DatagramSize)
        );
    }

    /// Bug: a stock client writes -1 as 2^64 - 1, and its results were not
    /// understood.
    #[test]
    fn numbers_are_read_as_iperf3_writes_them() {
        let stream = |text: &str| {
            let all = r#"{"id":1,"bytes":1e+15,"retransmits":R,"jitter":0,"errors":-1,"packets":0}"#;
            serde_json::from_str::<StreamResult>(&all.replace('R', text)).unwrap()
        };
        assert_eq!(stream("7").bytes, 1_000_000_000_000_000);
        let again = ["7", "-1", "18446744073709551615", "1.8446744073709552e+19"];
        assert_eq!(again.map(|text| stream(text).retransmits), [7, -1, -1, -1]);
        assert_eq!(stream("0").errors, -1);
    }

    #[test]
    fn streams_have_the_numbers_that_iperf3_gives_them() {
        assert_eq!([0, 1, 2, 3].map(stream_id), [1, 3, 4, 5]);
    }
}
