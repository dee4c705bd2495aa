//! What a connection to a server was granted.

use model::{FactName, Value, fact};

use crate::workload::http::response::Head;
use crate::workload::http::stream::Stream;
use crate::workload::net;

/// What the kernel and TLS granted.
pub(in crate::workload) fn of(stream: &Stream) -> Vec<(FactName, Value)> {
    let mut facts = net::socket_facts(stream);
    let ip =
        |name: &str| facts.iter().find(|(fact, _)| fact.as_str() == name).map(|(_, value)| value.clone());
    // Only an address of this machine is the same at both ends.
    if let (Some(local), Some(remote)) = (ip("local_address"), ip("remote_address")) {
        facts.push((fact::ONE_MACHINE, Value::Bool(local == remote)));
    }
    let session = stream.session();
    let mut tell = |name: FactName, value: Option<String>| {
        facts.extend(value.map(|value| (name, Value::Text(value))));
    };
    let version = session.and_then(|s| s.protocol_version()).map(|version| format!("{version:?}"));
    tell(FactName::new("tls_version"), version);
    let suite = session.and_then(|s| s.negotiated_cipher_suite());
    tell(fact::TLS_SUITE, suite.map(|suite| format!("{:?}", suite.suite())));
    facts
}

/// What a server says of itself.
pub(in crate::workload) fn of_server(head: &Head) -> Vec<(FactName, Value)> {
    let server = head.server.clone().map(|name| (FactName::new("server"), Value::Text(name)));
    let version = if head.is_http2 { "2".to_owned() } else { format!("1.{}", head.minor) };
    let version = (FactName::new("http_version"), Value::Text(version));
    server.into_iter().chain([version]).collect()
}

/// The same, and how the content is coded, where it is.
pub(in crate::workload) fn of_content(head: &Head) -> Vec<(FactName, Value)> {
    let coded = head.encoding.clone().map(|coded| (FactName::new("content_encoding"), Value::Text(coded)));
    of_server(head).into_iter().chain(coded).collect()
}
