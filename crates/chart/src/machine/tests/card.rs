//! Cards with several ports, links that are narrow, and names in full.

use super::content::{says, words};
use super::*;

#[test]
fn two_ports_of_a_card_hang_on_one_link_though_one_has_no_cable() {
    let mut machine = study_a();
    let second = machine.inventory.network.iter_mut().find(|n| n.name == "enp1s0f1").unwrap();
    (second.carrier, second.speed_bits) = (Some(false), None);
    machine.limits.retain(|l| l.resource.as_str() != "nic:enp1s0f1");
    let picture = svg(&machine, None);
    says(&picture, &["enp1s0f0, enp1s0f1", "MTU 9000", "enp1s0f1: no link", "Ethernet, 10 Gbit/s"]);
    assert_eq!(words(&picture).iter().filter(|w| w.starts_with("PCIe 2.0 x8")).count(), 1);
    assert!(!words(&picture).iter().any(|w| w == "PCIe port"), "one card needs no port drawn");
}

#[test]
fn a_port_of_another_rate_is_said_beside_the_faster_one() {
    let mut machine = study_a();
    let slow = machine.limits.iter_mut().find(|l| l.resource.as_str() == "nic:enp1s0f1").unwrap();
    (slow.line, slow.effective) = (Some(125e6), Some(118e6));
    says(&svg(&machine, None), &["Ethernet, 10 Gbit/s", "enp1s0f1: 1 Gbit/s"]);
}

#[test]
fn a_case_through_the_second_port_marks_the_link_that_both_share() {
    let picture = svg(&study_a(), Some(&case("net", &[("pci:0000:01:00.0", Some(0.4), 3.2e9)])));
    says(&picture, &["40 %, highest"]);
}

#[test]
fn functions_of_one_slot_that_are_no_network_share_a_link_and_say_so() {
    let mut machine = study_a();
    let first = machine.inventory.pci.iter_mut().find(|d| d.address == "0000:01:00.0").unwrap();
    first.class = 0x01_0802;
    machine.inventory.network.retain(|n| n.name != "enp1s0f0");
    machine.inventory.block.push(disk("nvme0n1", 500 * GB, "Drive", "nvme", Some("0000:01:00.0")));
    says(&svg(&machine, None), &["one link for all functions"]);
}

#[test]
fn a_link_with_fewer_lanes_than_both_ends_have_is_marked() {
    let mut machine = study_a();
    for address in ["0000:00:01.0", "0000:01:00.0"] {
        let device = machine.inventory.pci.iter_mut().find(|d| d.address == address).unwrap();
        device.link.as_mut().unwrap().max_lanes = Some(16);
    }
    let picture = svg(&machine, None);
    says(&picture, &["x8 of x16"]);
    assert!(picture.contains("class=\"warn bold\""));
    // What one of them cannot do is no fault.
    machine.inventory.pci.iter_mut().find(|d| d.address == "0000:01:00.0").unwrap().link =
        study_a().inventory.pci_device("0000:01:00.0").unwrap().link;
    assert!(!words(&svg(&machine, None)).iter().any(|w| w.contains(" of x16")));
}

#[test]
fn jumbo_frames_have_an_effective_rate_too() {
    says(&svg(&study_a(), None), &["effective 9.9 Gbit/s"]);
}

#[test]
fn a_masked_name_is_no_name() {
    let machine = model::Machine { hostname: "xxxx".to_owned(), id: "local".to_owned(), ..study_a() };
    let picture = svg(&machine, None);
    assert!(!picture.contains("xxxx") && !words(&picture).iter().any(|w| w.contains("local")));
    says(&picture, &["Debian GNU/Linux 9 (stretch), Linux 4.9.0-8-amd64"]);
}

#[test]
fn a_chipset_without_a_bridges_name_is_called_as_its_limit_calls_it() {
    let mut machine = study_a();
    let bridge = machine.inventory.pci.iter_mut().find(|d| d.address == "0000:00:1f.0").unwrap();
    bridge.device_name = None;
    says(&svg(&machine, None), &["Intel C232 chipset"]);
}

#[test]
fn each_package_has_the_modules_that_make_up_its_memory() {
    let mut machine = nvme_server(32, 8);
    let bytes = machine.inventory.memory.modules[0].bytes;
    let each = machine.inventory.memory.modules.len() as u64 / 2;
    for node in &mut machine.inventory.memory.nodes {
        node.total_bytes = each * bytes - bytes / 8;
    }
    let all = words(&svg(&machine, None));
    let told = format!("{each} × ");
    assert_eq!(all.iter().filter(|w| w.starts_with(&told) && w.contains("DDR4")).count(), 2, "{all:?}");
    says(&svg(&machine, None), &["socket link", "rate unknown"]);
}

#[test]
fn a_long_name_is_broken_and_not_cut() {
    let mut machine = study_e();
    let top = machine.inventory.block.iter_mut().rfind(|d| !d.mounts.is_empty()).unwrap();
    top.mounts[0].point = "/srv/backup-of-all-hosts".to_owned();
    let picture = svg(&machine, None);
    let whole = words(&picture).iter().any(|w| w.ends_with("on /srv/backup-of-all-hosts"));
    assert!(whole, "{:?}", words(&picture));
    assert!(!words(&picture).iter().any(|w| w.contains("SATA Con…")));
}

#[test]
fn files_that_a_container_is_given_do_not_hide_where_its_data_is() {
    let mut machine = small_guest();
    let mounts = ["/etc/resolv.conf", "/etc/hosts", "/data"].map(|point| model::machine::Mount {
        point: point.to_owned(),
        kind: "xfs".to_owned(),
        options: String::new(),
    });
    machine.inventory.block[0].mounts = mounts.to_vec();
    let all = words(&svg(&machine, None));
    assert!(all.iter().any(|w| w.ends_with("on /data")), "{all:?}");
}

#[test]
fn a_disk_on_usb_names_its_bus_and_a_boards_own_network_its_place() {
    let mut machine = small_guest();
    machine.inventory.block.push(disk("sdb", 64 * GB, "Stick", "usb", None));
    machine.inventory.network[1].bus = some("platform");
    machine.inventory.network[1].driver = None;
    says(&svg(&machine, None), &["USB", "network on the board"]);
}

#[test]
fn a_picture_opened_by_itself_colours_the_whole_window() {
    assert!(
        svg(&study_a(), None)
            .contains(".headroom-chart:root{background:#ffffff;background:var(--headroom-chart-paper);}")
    );
}
