//! iperf3's control connection as it goes over the wire, of 3.0 to 3.20: what both
//! of our sides say to a stock other end. What its data connections say is known
//! where data is moved ([`load::workload::net::iperf3`]).

pub(super) mod control_protocol;
pub(super) mod parameters;
