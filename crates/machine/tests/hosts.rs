//! The recorded hosts in `tests/hosts`: that each is whole in itself, and that
//! readers say of it what it is. What must hold for all of them is in
//! `hosts/whole.rs`; what each machine is, is in its own file.

#![allow(clippy::unwrap_used)]

#[path = "hosts/arm_board.rs"]
mod arm_board;
#[path = "hosts/cloud_vm.rs"]
mod cloud_vm;
#[path = "hosts/rented.rs"]
mod rented;
#[path = "hosts/study_a.rs"]
mod study_a;
#[path = "hosts/study_e.rs"]
mod study_e;
#[path = "hosts/test_machine.rs"]
mod test_machine;
#[path = "hosts/two_socket_nvme.rs"]
mod two_socket_nvme;
#[path = "hosts/whole.rs"]
mod whole;

use std::path::PathBuf;

use machine::Host;
use model::machine::{BlockDevice, Inventory, NetworkInterface, PciLink};
use model::{Finding, Severity};

/// What doctor says: code, severity, and what it is about.
type Looked = (String, Severity, String);

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/hosts")
}

/// Every recorded host, with its name and text.
fn all() -> Vec<(String, String)> {
    let paths = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.extension().is_some_and(|e| e == "host"));
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(path).unwrap())
    };
    let mut hosts: Vec<(String, String)> = paths.map(read).collect();
    hosts.sort();
    hosts
}

/// The recorded host of this name.
fn host(name: &str) -> Host {
    Host::open(&folder().join(format!("{name}.host"))).unwrap()
}

/// What readers say of it.
fn inventory(name: &str) -> Inventory {
    machine::inventory::describe(&host(name))
}

fn disk<'a>(inventory: &'a Inventory, name: &str) -> &'a BlockDevice {
    inventory.block_device(name).unwrap_or_else(|| panic!("no {name}"))
}

fn nic<'a>(inventory: &'a Inventory, name: &str) -> &'a NetworkInterface {
    inventory.network.iter().find(|n| n.name == name).unwrap_or_else(|| panic!("no {name}"))
}

/// Gigatransfers per second and lanes, now and at most.
fn link(inventory: &Inventory, address: &str) -> (f64, u32, f64, u32) {
    let function = inventory.pci_device(address).unwrap_or_else(|| panic!("no {address}"));
    let PciLink { transfers, lanes, max_transfers, max_lanes, .. } = function.link.unwrap();
    (transfers.unwrap() / 1e9, lanes.unwrap(), max_transfers.unwrap() / 1e9, max_lanes.unwrap())
}

/// What doctor says of the recorded host of this name.
fn looks(name: &str) -> Vec<Looked> {
    let host = host(name);
    let short = |f: Finding| (f.code, f.severity, f.resource.unwrap_or_default().to_string());
    machine::doctor::look(&host, &machine::inventory::describe(&host)).into_iter().map(short).collect()
}

fn has(looks: &[Looked], code: &str, severity: Severity, resource: &str) -> bool {
    looks.iter().any(|(c, s, r)| c == code && *s == severity && r == resource)
}
