//! Chips and zones of recorded machines.

use super::*;

const CHIPS_AND_ZONES: &str = "\
==> /sys/class/hwmon/hwmon0 -> ../../devices/platform/coretemp.0/hwmon/hwmon0
==> /sys/devices/platform/coretemp.0/hwmon/hwmon0/name
coretemp
==> /sys/devices/platform/coretemp.0/hwmon/hwmon0/device -> ../../../coretemp.0
==> /sys/devices/platform/coretemp.0/hwmon/hwmon0/temp1_input
45000
==> /sys/devices/platform/coretemp.0/hwmon/hwmon0/temp1_label
Package id 0
==> /sys/devices/platform/coretemp.0/hwmon/hwmon0/temp1_max
84000
==> /sys/devices/platform/coretemp.0/hwmon/hwmon0/temp1_crit
100000
==> /sys/devices/platform/coretemp.0/hwmon/hwmon0/temp10_input
-5500
==> /sys/devices/platform/coretemp.0/hwmon/hwmon0/temp2_input !No data available
==> /sys/devices/platform/coretemp.0/hwmon/hwmon0/tempx_input
1
==> /sys/class/hwmon/hwmon10 -> ../../devices/pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0/hwmon10
==> /sys/devices/pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0/hwmon10/name
nvme
==> /sys/devices/pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0/hwmon10/device -> ../../nvme0
==> /sys/devices/pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0/hwmon10/temp1_input
38850
==> /sys/devices/pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0/hwmon10/temp1_max
65261850
==> /sys/devices/pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0/hwmon10/temp1_crit
84850
==> /sys/devices/pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0/nvme0c0n1/size
1000
==> /sys/class/hwmon/hwmon2 -> ../../devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/hwmon/hwmon2
==> /sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/hwmon/hwmon2/name
drivetemp
==> /sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/hwmon/hwmon2/device -> ../../../0:0:0:0
==> /sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/hwmon/hwmon2/temp1_input
31000
==> /sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda/size
1000
==> /sys/class/hwmon/hwmon3 -> ../../devices/pci0000:00/0000:00:1c.0/0000:01:00.0/hwmon/hwmon3
==> /sys/devices/pci0000:00/0000:00:1c.0/0000:01:00.0/hwmon/hwmon3/name
ixgbe
==> /sys/devices/pci0000:00/0000:00:1c.0/0000:01:00.0/hwmon/hwmon3/device -> ../../../0000:01:00.0
==> /sys/devices/pci0000:00/0000:00:1c.0/0000:01:00.0/hwmon/hwmon3/temp1_input
60000
==> /sys/devices/pci0000:00/0000:00:1c.0/0000:01:00.0/hwmon/hwmon3/temp1_fault
1
==> /sys/devices/pci0000:00/0000:00:1c.0/0000:01:00.0/hwmon/hwmon3/fan1_input
1200
==> /sys/devices/pci0000:00/0000:00:1c.0/0000:01:00.0/hwmon/hwmon3/in0_input
11984
==> /sys/devices/pci0000:00/0000:00:1c.0/0000:01:00.0/hwmon/hwmon3/in0_label
+12V
==> /sys/devices/pci0000:00/0000:00:1c.0/0000:01:00.0/hwmon/hwmon3/power1_average
94500000
==> /sys/class/hwmon/hwmon4 -> ../../devices/virtual/thermal/thermal_zone0/hwmon4
==> /sys/devices/virtual/thermal/thermal_zone0/hwmon4/name
acpitz
==> /sys/devices/virtual/thermal/thermal_zone0/hwmon4/temp1_input
27800
==> /sys/class/thermal/thermal_zone0 -> ../../devices/virtual/thermal/thermal_zone0
==> /sys/devices/virtual/thermal/thermal_zone0/type
acpitz
==> /sys/devices/virtual/thermal/thermal_zone0/temp
27800
==> /sys/devices/virtual/thermal/thermal_zone0/trip_point_0_type
critical
==> /sys/devices/virtual/thermal/thermal_zone0/trip_point_0_temp
119000
==> /sys/devices/virtual/thermal/thermal_zone0/trip_point_1_type
passive
==> /sys/devices/virtual/thermal/thermal_zone0/trip_point_1_temp
95000
==> /sys/devices/virtual/thermal/thermal_zone0/trip_point_2_type
passive
==> /sys/devices/virtual/thermal/thermal_zone0/trip_point_2_temp
-274000
==> /sys/class/thermal/cooling_device0/type
Processor
";

#[test]
fn chips_and_zones_of_a_recorded_machine_are_read() {
    let mut absent = Vec::new();
    let sensors = describe(&Host::parse(CHIPS_AND_ZONES), &mut absent);
    let shown: Vec<String> = sensors
        .iter()
        .map(|s| {
            let number = |value: Option<f64>| value.map_or("-".to_owned(), |v| v.to_string());
            let numbers = [s.value, s.max, s.critical].map(number).join(" ");
            let device = s.device.as_deref().unwrap_or("-");
            format!("{} | {} | {:?} | {numbers} | {device}", s.chip, s.label, s.kind)
        })
        .collect();
    let expected = [
        "coretemp | Package id 0 | Temperature | 45 84 100 | -",
        "coretemp | temp2 | Temperature | - - - | -",
        "coretemp | temp10 | Temperature | -5.5 - - | -",
        "drivetemp | temp1 | Temperature | 31 - - | sda",
        "ixgbe | temp1 | Temperature | - - - | 0000:01:00.0",
        "ixgbe | fan1 | Fan | 1200 - - | 0000:01:00.0",
        "ixgbe | power1 | Power | 94.5 - - | 0000:01:00.0",
        "ixgbe | +12V | Voltage | 11.984 - - | 0000:01:00.0",
        "nvme | temp1 | Temperature | 38.85 - 84.85 | nvme0n1",
        "acpitz | thermal_zone0 | Temperature | 27.8 95 119 | -",
    ];
    assert_eq!(shown, expected);
    assert!(absent.is_empty());
}

#[test]
fn a_machine_without_sensors_says_so() {
    let mut absent = Vec::new();
    assert!(describe(&Host::parse("==> /sys/class/hwmon/\n"), &mut absent).is_empty());
    assert_eq!(absent[0], Absent { what: "sensors".to_owned(), reason: "the kernel shows none".to_owned() });
}

#[test]
fn numbers_that_no_sensor_reads_are_absent() {
    for text in
        ["-300000", "1000000", "9223372036854775807", "99999999999999999999", "warm", "", "NaN", "1e3"]
    {
        let host = Host::parse(&format!("==> /sys/class/hwmon/hwmon0/temp1_input\n{text}\n"));
        let sensors = describe(&host, &mut Vec::new());
        assert_eq!((sensors.len(), sensors[0].value), (1, None), "{text}");
        assert_eq!((sensors[0].chip.as_str(), sensors[0].label.as_str()), ("hwmon0", "temp1"));
    }
}

#[test]
fn namespaces_and_functions_are_known_by_their_names() {
    assert_eq!(namespace("nvme0n1").as_deref(), Some("nvme0n1"));
    assert_eq!(namespace("nvme2c0n13").as_deref(), Some("nvme2n13"));
    for other in ["nvme0", "nvmen1", "nvme0n1p2", "ng0n1", "hwmon1"] {
        assert_eq!(namespace(other), None, "{other}");
    }
    for other in ["coretemp.0", "0000:01:0g.0"] {
        assert!(!pci::is_function(other), "{other}");
    }
    assert!(pci::is_function("10000:e1:00.0"));
}

#[test]
fn a_drive_that_sleeps_or_is_gone_is_not_asked_how_warm_it_is() {
    let disk = "/sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0";
    let nvme = "/sys/devices/pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0";
    let tree =
        format!("{CHIPS_AND_ZONES}==> {disk}/power/runtime_status\nsuspended\n==> {nvme}/state\nresetting\n");
    let mut absent = Vec::new();
    let sensors = describe(&Host::parse(&tree), &mut absent);
    assert!(sensors.iter().all(|s| s.chip != "nvme" && s.chip != "drivetemp"), "{sensors:?}");
    let said: Vec<String> = absent.iter().map(|a| format!("{}: {}", a.what, a.reason)).collect();
    assert_eq!(said, ["sensors of sda: the drive is asleep", "sensors of nvme0n1: the drive is resetting"]);
}

#[test]
fn a_drive_that_does_not_answer_holds_nobody() {
    let (silent, never) = channel();
    let (answers, answer) = channel();
    answers.send(vec![Sensor { label: "temp1".to_owned(), ..Sensor::default() }]).unwrap();
    let chip = |device: &str, answer| Chip {
        name: "nvme".to_owned(),
        device: Some(device.to_owned()),
        readings: Readings::Asked(answer),
    };
    let mut absent = Vec::new();
    let sensors = collect(vec![chip("nvme0n1", never), chip("nvme1n1", answer)], &mut absent);
    drop(silent);
    assert_eq!((sensors.len(), sensors[0].device.as_deref()), (1, Some("nvme1n1")));
    assert_eq!(
        (absent[0].what.as_str(), absent[0].reason.as_str()),
        ("sensors of nvme0n1", "no answer in time")
    );
}
