//! The interfaces of recorded machines, and of this one.

use super::*;

/// Two 10 Gbit/s ports in a bond, a VLAN on it, a virtio interface, one of a
/// USB adapter, and one whose files are garbled.
const HOST: &str = r#"
==> /proc/sys/kernel/osrelease
6.1.0-28-amd64
==> /sys/class/net/bonding_masters
bond0
==> /sys/class/net/lo -> ../../devices/virtual/net/lo
==> /sys/devices/virtual/net/lo/type
772
==> /sys/devices/virtual/net/lo/mtu
65536
==> /sys/devices/virtual/net/lo/operstate
unknown
==> /sys/class/net/enp1s0f0 -> ../../devices/pci0000:00/0000:00:01.0/0000:01:00.0/net/enp1s0f0
==> /sys/class/net/enp1s0f1 -> ../../devices/pci0000:00/0000:00:01.0/0000:01:00.1/net/enp1s0f1
==> /sys/class/net/bond0 -> ../../devices/virtual/net/bond0
==> /sys/class/net/bond0.100 -> ../../devices/virtual/net/bond0.100
==> /sys/class/net/eth9 -> ../../devices/pci0000:00/0000:00:03.0/virtio2/net/eth9
==> /sys/class/net/usb0 -> ../../devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0/net/usb0
==> /sys/class/net/odd0 -> ../../devices/virtual/net/odd0
==> /sys/bus/pci/devices/0000:01:00.0 -> ../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0
==> /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/numa_node
0
==> /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/driver -> ../../../../bus/pci/drivers/ixgbe
==> /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/subsystem -> ../../../../bus/pci
==> /sys/bus/pci/drivers/ixgbe/
==> /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/net/enp1s0f0/device -> ../../../0000:01:00.0
==> /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/net/enp1s0f0/type
1
==> /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/net/enp1s0f0/operstate
up
==> /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/net/enp1s0f0/carrier
1
==> /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/net/enp1s0f0/speed
10000
==> /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/net/enp1s0f0/duplex
full
==> /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/net/enp1s0f0/mtu
9000
==> /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/net/enp1s0f0/master -> ../../../../../virtual/net/bond0
==> /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/net/enp1s0f0/queues/rx-0/
==> /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/net/enp1s0f0/queues/rx-1/
==> /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/net/enp1s0f0/queues/tx-0/
==> /probe/ethtool/enp1s0f0
{"driver":"ixgbe","version":"6.1.0-28-amd64","firmware":"0x800003df","bus":"0000:01:00.0","speed_mbit":10000,"duplex":"full","supported_max_mbit":10000,"partner_max_mbit":null,
"rings":{"rx":[512,4096],"tx":[512,8192]},"channels":{"rx":null,"tx":null,"combined":[8,63]},"offloads":{"tx-tcp-segmentation":true,"rx-lro":false}}
==> /probe/netlink/enp1s0f0
{"kind":null,"max_mtu":9710,"qdisc":"mq","qdisc_rate":null}
==> /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.1/net/enp1s0f1/device -> ../../../0000:01:00.1
==> /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.1/net/enp1s0f1/mtu
9000
==> /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.1/net/enp1s0f1/type
1
==> /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.1/net/enp1s0f1/operstate
down
==> /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.1/net/enp1s0f1/speed
-1
==> /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.1/net/enp1s0f1/duplex
unknown
==> /sys/devices/pci0000:00/0000:00:01.0/0000:01:00.1/net/enp1s0f1/carrier !not supported
==> /probe/ethtool/enp1s0f1
{"firmware":"N/A","channels":{"combined":[8,63]}}
==> /sys/devices/virtual/net/bond0/mtu
9000
==> /sys/devices/virtual/net/bond0/type
1
==> /sys/devices/virtual/net/bond0/speed
20000
==> /sys/devices/virtual/net/bond0/bonding/mode
802.3ad 4
==> /sys/devices/virtual/net/bond0/bonding/slaves
enp1s0f0 enp1s0f1
==> /sys/devices/virtual/net/bond0/bonding/active_slave

==> /sys/devices/virtual/net/bond0/bonding/xmit_hash_policy
layer3+4 1
==> /sys/devices/virtual/net/bond0/lower_enp1s0f0 -> ../../../pci0000:00/0000:00:01.0/0000:01:00.0/net/enp1s0f0
==> /sys/devices/virtual/net/bond0/lower_enp1s0f1 -> ../../../pci0000:00/0000:00:01.0/0000:01:00.1/net/enp1s0f1
==> /sys/devices/virtual/net/bond0.100/mtu
1500
==> /sys/devices/virtual/net/bond0.100/type
1
==> /sys/devices/virtual/net/bond0.100/uevent
DEVTYPE=vlan
INTERFACE=bond0.100
==> /sys/devices/virtual/net/bond0.100/lower_bond0 -> ../bond0
==> /probe/netlink/bond0.100
{"kind":"vlan","qdisc":"tbf","qdisc_rate":125000000}
==> /sys/devices/pci0000:00/0000:00:03.0/virtio2/net/eth9/device -> ../../../virtio2
==> /sys/devices/pci0000:00/0000:00:03.0/virtio2/driver -> ../../../../bus/virtio/drivers/virtio_net
==> /sys/bus/virtio/drivers/virtio_net/
==> /sys/devices/pci0000:00/0000:00:03.0/numa_node
-1
==> /sys/devices/pci0000:00/0000:00:03.0/virtio2/net/eth9/mtu
1400
==> /sys/devices/pci0000:00/0000:00:03.0/virtio2/net/eth9/type
1
==> /sys/devices/pci0000:00/0000:00:03.0/virtio2/net/eth9/speed
4294967295
==> /sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0/net/usb0/device -> ../../../1-1:1.0
==> /sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0/net/usb0/mtu
1500
==> /sys/devices/virtual/net/odd0/mtu
-5
"#;

fn recorded() -> (Vec<NetworkInterface>, Vec<Absent>) {
    let mut absent = Vec::new();
    let found = describe(&Host::parse(HOST), &mut absent);
    (found, absent)
}

fn named<'a>(all: &'a [NetworkInterface], name: &str) -> &'a NetworkInterface {
    all.iter().find(|i| i.name == name).unwrap()
}

#[test]
fn the_ports_of_a_bond_are_told_with_what_drives_them() {
    let (all, _) = recorded();
    let port = named(&all, "enp1s0f0");
    assert_eq!((port.kind.as_str(), port.state.as_str(), port.carrier), ("ethernet", "up", Some(true)));
    assert_eq!((port.pci.as_deref(), &port.bus, port.node), (Some("0000:01:00.0"), &None, Some(0)));
    assert_eq!((port.driver.as_deref(), port.firmware.as_deref()), (Some("ixgbe"), Some("0x800003df")));
    assert_eq!(port.driver_version, None, "the kernel's release is no version of the driver");
    assert_eq!((port.speed_bits, port.max_speed_bits), (Some(10_000_000_000), Some(10_000_000_000)));
    assert_eq!(port.partner_max_bits, None, "its other end says nothing");
    assert_eq!((port.mtu, port.max_mtu, port.duplex.as_deref()), (9000, Some(9710), Some("full")));
    assert_eq!((port.rx_queues, port.tx_queues), (Some(2), Some(1)));
    assert_eq!((port.rx_ring, port.tx_ring), (Some((512, 4096)), Some((512, 8192))));
    assert_eq!((port.offloads["tx-tcp-segmentation"], port.offloads["rx-lro"]), (true, false));
    assert_eq!((port.master.as_deref(), port.qdisc.as_deref()), (Some("bond0"), Some("mq")));
    let idle = named(&all, "enp1s0f1");
    assert_eq!((idle.speed_bits, &idle.duplex, idle.carrier, &idle.firmware), (None, &None, None, &None));
    assert_eq!(idle.rx_queues, Some(8), "channels, where the queues are not shown");
}

#[test]
fn a_bond_and_a_vlan_on_it_are_told_with_what_they_stand_on() {
    let (all, _) = recorded();
    let bond = named(&all, "bond0");
    assert_eq!((bond.kind.as_str(), bond.state.as_str()), ("bond", "unknown"));
    let built = bond.bond.as_ref().unwrap();
    assert_eq!(
        (built.mode.as_str(), &built.active, built.hash.as_deref()),
        ("802.3ad", &None, Some("layer3+4"))
    );
    assert_eq!(built.members, ["enp1s0f0", "enp1s0f1"]);
    assert_eq!((&bond.pci, &bond.bus, bond.speed_bits), (&None, &None, Some(20_000_000_000)));
    let vlan = named(&all, "bond0.100");
    assert_eq!((vlan.kind.as_str(), &vlan.below[..]), ("vlan", &["bond0".to_owned()][..]));
    assert_eq!((vlan.qdisc.as_deref(), vlan.qdisc_rate), (Some("tbf"), Some(125_000_000)));
}

#[test]
fn virtio_and_usb_are_told_by_their_bus() {
    let (all, _) = recorded();
    let virtio = named(&all, "eth9");
    assert_eq!((virtio.pci.as_deref(), virtio.bus.as_deref()), (Some("0000:00:03.0"), Some("virtio")));
    assert_eq!((virtio.driver.as_deref(), virtio.node, virtio.speed_bits), (Some("virtio_net"), None, None));
    let usb = named(&all, "usb0");
    assert_eq!((usb.pci.as_deref(), usb.bus.as_deref()), (Some("0000:00:14.0"), Some("usb")));
    assert_eq!(usb.kind, "unknown");
    assert_eq!(named(&all, "lo").kind, "loopback");
}

#[test]
fn a_speed_that_no_link_has_is_absent() {
    for speed in [0, MBIT_MAX + 1, u64::from(u32::MAX), u64::MAX] {
        assert_eq!(bits(speed), None, "{speed}");
    }
    assert_eq!(bits(800_000), Some(800_000_000_000));
}

#[test]
fn an_interface_that_is_garbled_is_absent() {
    let (all, absent) = recorded();
    assert_eq!(all.len(), 7);
    let expected = [Absent { what: "network interface odd0".to_owned(), reason: "garbled: mtu".to_owned() }];
    assert_eq!(absent, expected);
}

#[test]
fn this_machine_has_the_interfaces_that_the_kernel_counts() {
    let mut theirs: Vec<String> = procfs::net::dev_status().unwrap().into_keys().collect();
    theirs.sort();
    let mut absent = Vec::new();
    let ours = describe(&Host::this(), &mut absent);
    assert_eq!(ours.iter().map(|i| i.name.clone()).collect::<Vec<_>>(), theirs);
    assert!(absent.is_empty(), "{absent:?}");
    let lo = named(&ours, "lo");
    assert_eq!((lo.kind.as_str(), lo.qdisc.is_some(), &lo.pci), ("loopback", true, &None));
    assert!(lo.rx_queues.is_some() && !lo.offloads.is_empty(), "{lo:?}");
}

#[test]
fn addresses_are_for_the_screen_alone() {
    let mut absent = Vec::new();
    let ours = describe(&Host::this(), &mut absent);
    let is_there = named(&ours, "lo").addresses.iter().any(|address| address == "127.0.0.1/8");
    assert_eq!(is_there, std::net::TcpListener::bind("127.0.0.1:0").is_ok());
    assert!(!serde_json::to_string(&ours).unwrap().contains("addresses"));
    let recorded = describe(&Host::this().recording(), &mut absent);
    assert!(recorded.iter().all(|interface| interface.addresses.is_empty()), "{recorded:?}");
}
