//! What data pass on the way to storage that this machine has through a network: the interface towards the server, and
//! the server.

use std::collections::BTreeSet;
use std::net::{IpAddr, ToSocketAddrs};

use machine::inventory::server::{self, StorageServer};
use machine::inventory::storage::StorageStack;
use machine::{Host, route};
use model::resource::PathStep;
use model::{Resource, ResourceKind};

/// What passes the interfaces towards the servers of targets on `under`, and of the block devices among `devices`, and then
/// the servers, in bytes for each byte of the load; one resource may be there several times. Of Ceph only the monitors are
/// named: data come from others, nobody knows which way.
pub(crate) fn shares(
    under: &[Option<StorageStack>],
    devices: &[PathStep],
    host: &Host,
) -> Vec<(Resource, f64)> {
    let share = 1.0 / under.len().max(1) as f64;
    let mounted = under.iter().flatten().filter_map(|stack| Some((stack.server.clone()?, share)));
    let disks = devices.iter().filter_map(|step| {
        let name = step.resource.named(ResourceKind::Block)?;
        Some((server::of_device(host, name)?, step.amplification))
    });
    let servers: Vec<(StorageServer, f64)> = mounted.chain(disks).collect();
    let known = servers.iter().filter(|(server, _)| !server.is_elsewhere);
    let ways = known.flat_map(|(server, share)| interfaces(server, *share));
    let named = servers
        .iter()
        .filter_map(|(server, share)| Some((Resource::of(ResourceKind::Server, server.name()?), *share)));
    ways.chain(named).collect()
}

/// The interfaces by which the kernel would send to a server now, which share what passes.
fn interfaces(server: &StorageServer, share: f64) -> Vec<(Resource, f64)> {
    let ways = addresses(server).into_iter().filter_map(|address| route::towards(address).ok());
    let names: BTreeSet<String> = ways.map(|way| way.interface).collect();
    let each = share / names.len().max(1) as f64;
    names.into_iter().map(|name| (Resource::of(ResourceKind::Nic, name), each)).collect()
}

/// The addresses that the kernel has, or else the first that the name stands for.
fn addresses(server: &StorageServer) -> Vec<IpAddr> {
    if !server.addresses.is_empty() {
        return server.addresses.clone();
    }
    let found = server.host.as_deref().and_then(|host| (host, 0).to_socket_addrs().ok()?.next());
    found.map(|found| found.ip()).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interface_towards_a_server_comes_before_it() {
        let loopback =
            StorageServer { host: None, addresses: vec![IpAddr::from([127, 0, 0, 1])], is_elsewhere: false };
        let monitor = StorageServer { is_elsewhere: true, ..loopback.clone() };
        let stack = |server| Some(StorageStack { filesystem: None, device: None, block: None, server });
        let under = [stack(Some(loopback)), stack(None)];
        let found = shares(&under, &[], &Host::parse(""));
        let found: Vec<_> = found.iter().map(|(resource, share)| (resource.as_str(), *share)).collect();
        assert_eq!(found, [("nic:lo", 0.5), ("server:127.0.0.1", 0.5)]);
        let found = shares(&[stack(Some(monitor))], &[], &Host::parse(""));
        let found: Vec<_> = found.iter().map(|(resource, share)| (resource.as_str(), *share)).collect();
        assert_eq!(found, [("server:127.0.0.1", 1.0)]);
        assert!(shares(&[None], &[], &Host::parse("")).is_empty());
    }

    #[test]
    fn a_disk_of_a_server_passes_what_the_disk_passes() {
        let host = Host::parse(
            "==> /sys/block/nvme0n1/device/transport\ntcp\n\
             ==> /sys/block/nvme0n1/device/address\ntraddr=127.0.0.1,trsvcid=4420\n",
        );
        let disk = PathStep { resource: Resource::of(ResourceKind::Block, "nvme0n1"), amplification: 0.25 };
        let found = shares(&[None], &[disk], &host);
        let found: Vec<_> = found.iter().map(|(resource, share)| (resource.as_str(), *share)).collect();
        assert_eq!(found, [("nic:lo", 0.25), ("server:127.0.0.1", 0.25)]);
    }
}
