//! What is shown, and what is not.

use model::resource::PathStep;
use model::{Resource, ResourceKind};
use roxmltree::Document;

use super::*;

/// The texts of the layout for screens.
pub(super) fn words(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).unwrap();
    let wide = document.descendants().find(|n| n.attribute("class") == Some("wide")).unwrap();
    wide.descendants()
        .filter(|n| n.has_tag_name("text"))
        .filter_map(|n| n.text())
        .map(str::to_owned)
        .collect()
}

fn description(svg: &str) -> String {
    let document = Document::parse(svg).unwrap();
    document.descendants().find(|n| n.has_tag_name("desc")).and_then(|n| n.text()).unwrap().to_owned()
}

#[track_caller]
pub(super) fn says(svg: &str, expected: &[&str]) {
    let all = words(svg);
    for text in expected {
        assert!(all.iter().any(|w| w == text), "{text:?} is not among {all:#?}");
    }
}

#[test]
fn study_as_disk_hangs_on_the_chipset_and_its_network_on_the_processor() {
    let picture = svg(&study_a(), None);
    says(
        &picture,
        &[
            "Intel Xeon E3-1220 v6",
            "32 GiB memory",
            "2 channels DDR4-2400, 38.4 GB/s",
            "DMI 3.0 x4, 3.9 GB/s",
            "PCIe 2.0 x8, 4 GB/s",
            "effective 3.2 GB/s",
            "SATA 6 Gbit/s, 600 MB/s",
            "datasheet read 560 MB/s, write 530 MB/s",
            "sda: 256 GB",
            "ext4 on /",
            "2 × Ethernet, 10 Gbit/s each",
        ],
    );
    let told = description(&picture);
    assert!(told.contains("sda: 256 GB at Intel C232 Chipset by SATA 6 Gbit/s, 600 MB/s"), "{told}");
    assert!(told.contains("enp1s0f0, enp1s0f1 at Intel Xeon E3-1220 v6 by PCIe 2.0 x8, 4 GB/s"), "{told}");
    assert!(told.contains("Intel C232 Chipset at Intel Xeon E3-1220 v6 by DMI 3.0 x4, 3.9 GB/s"), "{told}");
}

#[test]
fn what_carries_no_disk_and_no_network_is_left_out() {
    for text in ["SMBus", "xHCI", "Host Bridge", "AHCI"] {
        assert!(!words(&svg(&study_a(), None)).iter().any(|w| w.contains(text)), "{text}");
    }
    // A USB controller with a disk is on the way to it.
    let mut machine = study_a();
    machine.inventory.block.push(disk("sdb", 64 * GB, "Stick", "usb", Some("0000:00:14.0")));
    says(&svg(&machine, None), &["sdb: 64 GB", "Stick, USB disk"]);
}

#[test]
fn equal_disks_and_controllers_become_one_card_each() {
    says(
        &svg(&study_e(), None),
        &[
            "PCIe switch",
            "PCIe 2.0 x2, 1 GB/s",
            "4 × PCIe 2.0 x1, 500 MB/s each",
            "8 × 1 TB: sda … sdh",
            "8 × SATA 6 Gbit/s, 600 MB/s each",
            "md0: RAID 6 of 8, 6 TB",
            "crypt: LUKS",
            "vg0-backup: LVM",
            "xfs on /srv/backup",
            "sdi: 120 GB",
        ],
    );
}

#[test]
fn an_array_over_two_packages_is_drawn_apart_from_both() {
    let picture = svg(&nvme_server(32, 8), None);
    says(
        &picture,
        &["Across several of the above", "md0: RAID 10 of 7, 13.4 TB", "on nvme1n1p1 … nvme7n1p1"],
    );
    says(&picture, &["4 × PCIe 4.0 x4, 7.9 GB/s each", "3 × 3.84 TB: nvme1n1 … nvme3n1", "nvme0n1: 3.84 TB"]);
    says(
        &picture,
        &["bond0: 802.3ad layer3+4, 50 Gbit/s", "bond0.100: vlan", "16 channels DDR4-3200, 410 GB/s"],
    );
}

#[test]
fn drives_of_one_make_that_are_used_unlike_stay_apart() {
    let told = description(&svg(&nvme_server(32, 8), None));
    assert!(told.contains("nvme0n1: 3.84 TB at AMD EPYC"), "{told}");
}

#[test]
fn every_step_of_a_path_is_outlined_and_has_its_share_written() {
    let picture = svg(&study_e(), Some(&study_e_case()));
    says(&picture, &["83 %, highest", "6 %", "73 %", "52 %", "26 %", "9 %", "24 to 28 %"]);
    assert_eq!(words(&picture).iter().filter(|w| w.contains("highest")).count(), 1);
    let picture = svg(&study_a(), Some(&study_a_case()));
    says(&picture, &["99 %, highest", "98 %", "8 %", "17 %"]);
    let document = Document::parse(&picture).unwrap();
    let wide = document.descendants().find(|n| n.attribute("class") == Some("wide")).unwrap();
    let group_of = |text: &str| {
        let node = wide.descendants().find(|n| n.has_tag_name("text") && n.text() == Some(text)).unwrap();
        let group = node.parent_element().unwrap();
        let frame = group.children().filter(|n| n.has_tag_name("rect")).find_map(|n| n.attribute("class"));
        (group.attribute("class").unwrap_or_default().to_owned(), frame.unwrap_or_default().to_owned())
    };
    assert_eq!(group_of("sda: 256 GB").0, "on");
    assert_eq!(group_of("ext4 on /").1, "rung on");
    assert_eq!(group_of("vfat on /boot/efi").0, "off");
    assert_eq!(group_of("eno1").0, "off");
    // What only leads to the path is neither outlined nor in the background.
    assert_eq!(group_of("Intel C232 Chipset").0, "");
}

#[test]
fn without_a_case_nothing_steps_back_and_nothing_is_coloured() {
    let picture = svg(&study_a(), None);
    assert!(!picture.contains("class=\"off\"") && !picture.contains("pill s"));
}

#[test]
fn the_description_says_each_share_and_of_what() {
    let mut case = study_e_case();
    case.path.iter_mut().find(|s| s.resource.as_str() == "block:md0").unwrap().amplification = 4.0 / 3.0;
    let told = description(&svg(&study_e(), Some(&case)));
    assert!(told.contains("pci:0000:02:00.0 52 % of 800 MB/s"), "{told}");
    assert!(told.contains("block:md0 (× 1.33) 73 % of 429 MB/s"), "{told}");
    assert!(told.contains("filesystem:/srv/backup (xfs);"), "{told}");
    // A network's limit is in bits, as everywhere.
    let of_nic = |share: f64| model::run::Utilization {
        resource: Resource::of(ResourceKind::Nic, "eth0"),
        fraction: share,
        limit: 1.25e9,
        ..case.utilization[0].clone()
    };
    let mut networked = case.clone();
    networked.utilization = vec![of_nic(0.83)];
    networked.path = vec![PathStep { resource: of_nic(0.83).resource, ..case.path[0].clone() }];
    let told = description(&svg(&study_e(), Some(&networked)));
    assert!(told.contains("nic:eth0 83 % of 10 Gbit/s"), "{told}");
}

#[test]
fn a_disk_on_the_path_stays_apart_from_its_equals_that_are_not() {
    let mut machine = study_e();
    machine.inventory.block.retain(|d| d.below.is_empty());
    let picture = svg(&machine, Some(&case("one", &[("block:sdc", Some(0.5), 1e8)])));
    says(&picture, &["sdc: 1 TB", "50 %, highest"]);
    assert!(words(&picture).iter().any(|w| w.starts_with("3 × ASMedia")));
}

#[test]
fn a_link_that_idles_is_called_by_what_it_can() {
    let mut machine = study_a();
    for device in &mut machine.inventory.pci {
        if let Some(link) = &mut device.link {
            link.transfers = Some(2.5e9);
        }
    }
    says(&svg(&machine, None), &["PCIe 2.0 x8, 4 GB/s"]);
}

#[test]
fn little_is_said_where_little_is_known() {
    let all = words(&svg(&model::Machine::default(), None));
    assert_eq!(all, ["A machine without a name", "CPU", "nothing is known of it"]);
    let all = words(&svg(&small_guest(), None));
    assert!(all.iter().all(|w| !w.contains("PCIe") && !w.contains("zram") && !w.contains("loop")), "{all:?}");
    says(
        &svg(&small_guest(), None),
        &["vda: 275 GB", "virtio disk", "eth0", "virtio network", "1 core, 2 threads"],
    );
}

#[test]
fn a_virtual_device_is_shown_when_the_case_uses_it() {
    let mut machine = small_guest();
    let backing = machine.inventory.block.iter_mut().find(|d| d.name == "loop0").unwrap();
    backing.backing_file = some("/var/tmp/image");
    let picture = svg(&machine, Some(&case("loop", &[("block:loop0", Some(0.2), 1e9)])));
    says(&picture, &["loop0: 1.07 GB", "loop device on /var/tmp/image", "20 %, highest"]);
}

#[test]
fn quotas_are_said_where_they_hold() {
    let mut machine = small_guest();
    machine.inventory.memory.limit_bytes = Some(4 * GIB);
    let mut quota = limit("cpu", model::limit::LimitKind::Quota, None, Some(1.5));
    quota.unit = model::Unit::One;
    machine.limits.push(quota);
    says(&svg(&machine, None), &["held to 4 GiB by a control group", "held to 1.50 CPUs by a quota"]);
}

#[test]
fn a_disk_at_a_place_that_nobody_knows_is_still_shown() {
    let mut machine = nvme_server(4, 2);
    machine.inventory.block.push(disk("sdz", 500 * GB, "Remote", "iscsi", None));
    says(&svg(&machine, None), &["At a place that the machine does not tell", "sdz: 500 GB"]);
}
