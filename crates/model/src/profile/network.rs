//! What a load that has another end says of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the other end of a load is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Peer {
    /// In the same program, which started both ends: the loopback interface is between
    /// them.
    SameProgram,
    /// Another program, on another machine or on this one.
    AnotherProgram,
    /// What this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// How an end reaches the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// A stream that is acknowledged (RFC 9293).
    Tcp,
    /// Datagrams (RFC 768).
    Udp,
    /// What this version does not know.
    #[serde(untagged)]
    Other(String),
}

/// What bytes per second are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RateUnit {
    /// `125.0 MB/s`.
    #[default]
    Bytes,
    /// `1.000 Gbit/s`, as every tool for networks writes them and every link is sold.
    Bits,
}
