//! Who a connection is from.

use std::net::IpAddr;

/// Where a request came from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client(pub(crate) IpAddr);
