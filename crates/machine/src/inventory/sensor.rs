//! The sensors: chips (`Documentation/hwmon/sysfs-interface.rst`) and thermal
//! zones (`Documentation/driver-api/thermal/sysfs-api.rst`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use model::machine::{Absent, Sensor, SensorKind};

use super::{line, note, numbered, pci, runtime_pm, unless_left_out};
use crate::Host;

const CHIPS: &str = "/sys/class/hwmon";
const ZONES: &str = "/sys/class/thermal";
/// How long all drives together may take to say how warm they are: each reading
/// is a command to the drive. A healthy one answers within milliseconds; a hard
/// disk that seeks, within 100.
const DRIVES_TIME: Duration = Duration::from_millis(350);

/// One kind of reading of a chip.
struct Kind {
    /// How its files begin.
    prefix: &'static str,
    kind: SensorKind,
    /// What one of the unit is in the file.
    scale: f64,
    /// What a sensor can read; makers write numbers outside for "not set"
    /// (NVMe: 65261.85 and -273.15 degrees).
    sound: std::ops::Range<f64>,
}

/// Millidegrees, revolutions per minute, microwatts, millivolts.
const KINDS: &[Kind] = &[
    Kind { prefix: "temp", kind: SensorKind::Temperature, scale: 1e3, sound: -273.0..1000.0 },
    Kind { prefix: "fan", kind: SensorKind::Fan, scale: 1.0, sound: 0.0..1e6 },
    Kind { prefix: "power", kind: SensorKind::Power, scale: 1e6, sound: -1e6..1e6 },
    Kind { prefix: "in", kind: SensorKind::Voltage, scale: 1e3, sound: -1e4..1e4 },
];

/// The sensors, chip after chip.
#[must_use]
pub fn describe(host: &Host, absent: &mut Vec<Absent>) -> Vec<Sensor> {
    let mut sensors = chips(host, absent);
    sensors.extend(numbered(host, ZONES, "thermal_zone").iter().filter_map(|(_, name)| zone(host, name)));
    if sensors.is_empty() {
        note(absent, "sensors", unless_left_out(host, CHIPS, "the kernel shows none"));
    }
    sensors
}

/// One chip, and its readings where they are there already.
struct Chip {
    name: String,
    device: Option<String>,
    readings: Readings,
}

enum Readings {
    Here(Vec<Sensor>),
    Asked(Receiver<Vec<Sensor>>),
}

fn chips(host: &Host, absent: &mut Vec<Absent>) -> Vec<Sensor> {
    let mut chips = Vec::new();
    let zones = zone_chips(host);
    for (_, name) in numbered(host, CHIPS, "hwmon") {
        let folder = format!("{CHIPS}/{name}");
        let place = host.resolve(format!("{folder}/device"));
        // A zone that also shows itself as a chip is read as a zone.
        let is_zone = |place: &String| place.contains("/thermal/thermal_zone");
        let own = host.resolve(&folder);
        if own.as_ref().is_some_and(is_zone) || place.as_ref().is_some_and(is_zone) {
            continue;
        }
        let chip = host.text(format!("{folder}/name")).and_then(|text| line(&text)).unwrap_or(name);
        let is_of_nothing =
            place.is_none() && own.is_some_and(|own| own.starts_with("/sys/devices/virtual/"));
        if is_of_nothing && zones.contains(&chip) {
            continue;
        }
        let device = place.as_deref().and_then(|place| device(host, place));
        let drive = place.filter(|place| is_drive(host, place));
        let refusal = drive.as_deref().and_then(|place| runtime_pm::refuses(host, place));
        if let Some(reason) = refusal {
            let what = device.unwrap_or(chip);
            note(absent, format!("sensors of {what}"), reason);
            continue;
        }
        let readings = match drive.is_some() && host.is_this() {
            true => Readings::Asked(ask(host, folder)),
            false => Readings::Here(readings(host, &folder)),
        };
        chips.push(Chip { name: chip, device, readings });
    }
    collect(chips, absent)
}

/// Reads a chip's files on a thread of its own, which is left behind if its
/// drive does not answer: a command that was sent cannot be taken back.
fn ask(host: &Host, folder: String) -> Receiver<Vec<Sensor>> {
    let (sender, receiver) = channel();
    let host = host.clone();
    // Nobody may be waiting any more.
    let question = move || drop(sender.send(readings(&host, &folder)));
    // A thread that cannot be made drops the sender: the answer is absent.
    let _ = std::thread::Builder::new().name("sensor".to_owned()).spawn(question);
    receiver
}

/// The readings of all chips, in order, as far as they come in time.
fn collect(chips: Vec<Chip>, absent: &mut Vec<Absent>) -> Vec<Sensor> {
    let asked = Instant::now();
    let mut sensors = Vec::new();
    for Chip { name, device, readings } in chips {
        let readings = match readings {
            Readings::Here(readings) => Some(readings),
            Readings::Asked(answer) => answer.recv_timeout(DRIVES_TIME.saturating_sub(asked.elapsed())).ok(),
        };
        let Some(readings) = readings else {
            let what = device.as_deref().unwrap_or(&name);
            note(absent, format!("sensors of {what}"), "no answer in time");
            continue;
        };
        sensors.extend(readings.into_iter().map(|sensor| Sensor {
            chip: name.clone(),
            device: device.clone(),
            ..sensor
        }));
    }
    sensors
}

/// Whether the chip's device at `place` is a drive, so that reading its sensors
/// sends it a command: on `nvme` each temperature is a log page and each limit a
/// feature, on `drivetemp` each temperature a command of ATA.
fn is_drive(host: &Host, place: &str) -> bool {
    let name = place.rsplit('/').next().unwrap_or_default();
    is_controller(name) || !host.names(format!("{place}/block")).is_empty()
}

fn is_controller(name: &str) -> bool {
    name.strip_prefix("nvme").is_some_and(|number| number.parse::<u32>().is_ok())
}

/// The names of the chips that zones show themselves as. Before Linux 5.5 such a
/// chip stands below no zone, and only its name tells
/// (`drivers/thermal/thermal_hwmon.c`).
fn zone_chips(host: &Host) -> BTreeSet<String> {
    let zones = numbered(host, ZONES, "thermal_zone");
    let kind = |name: &str| line(&host.text(format!("{ZONES}/{name}/type"))?);
    zones.iter().filter_map(|(_, name)| Some(kind(name)?.replace('-', "_"))).collect()
}

/// All readings of one chip, in order of kinds and numbers.
fn readings(host: &Host, folder: &str) -> Vec<Sensor> {
    let names = host.names(folder);
    // Kind and number of each reading, and the file that holds it.
    let mut inputs: BTreeMap<(usize, u32), &str> = BTreeMap::new();
    for name in &names {
        let found = KINDS.iter().enumerate().find_map(|(at, kind)| {
            let (number, leaf) = name.strip_prefix(kind.prefix)?.split_once('_')?;
            // Some power meters give an average only.
            let reads = leaf == "input" || (kind.prefix == "power" && leaf == "average");
            reads.then_some((at, number.parse::<u32>().ok()?))
        });
        if let Some(key) = found {
            let known = inputs.entry(key).or_insert(name);
            if name.ends_with("_input") {
                *known = name;
            }
        }
    }
    let has = |name: &String| names.binary_search(name).is_ok();
    let mut sensors = Vec::new();
    for ((at, number), input) in inputs {
        let kind = &KINDS[at];
        let file = |leaf: &str| format!("{}{number}_{leaf}", kind.prefix);
        let value = |name: &str| {
            let number: i64 = host.text(format!("{folder}/{name}"))?.trim().parse().ok()?;
            Some(number as f64 / kind.scale).filter(|value| kind.sound.contains(value))
        };
        // Limits and labels are not there for most; asking costs a system call.
        let limit = |leaf: &str| Some(file(leaf)).filter(has).and_then(|name| value(&name));
        let faulty = has(&file("fault")) && host.number(format!("{folder}/{}", file("fault"))) == Some(1);
        let label = Some(file("label")).filter(has);
        let label = label.and_then(|name| line(&host.text(format!("{folder}/{name}"))?));
        sensors.push(Sensor {
            label: label.unwrap_or_else(|| format!("{}{number}", kind.prefix)),
            kind: kind.kind,
            value: value(input).filter(|_| !faulty),
            max: limit("max"),
            critical: limit("crit"),
            ..Sensor::default()
        });
    }
    sensors
}

/// The block device or PCI function at `place`, if it is one.
fn device(host: &Host, place: &str) -> Option<String> {
    let name = place.rsplit('/').next()?;
    // SCSI and ATA disks: `.../0:0:0:0/block/sda`.
    if let Some(disk) = host.names(format!("{place}/block")).into_iter().next() {
        return Some(disk);
    }
    if is_controller(name) {
        let namespace = host.names(place).iter().find_map(|child| namespace(child));
        if namespace.is_some() {
            return namespace;
        }
        // A controller without a namespace is still a PCI function.
        let above = place.strip_suffix(name)?.trim_end_matches("/nvme/");
        return above.rsplit('/').next().filter(|part| pci::is_function(part)).map(str::to_owned);
    }
    pci::is_function(name).then(|| name.to_owned())
}

/// The block device of a controller's child: `nvme0n1`, or, where several
/// controllers may lead to it, `nvme0c1n1` for the device `nvme0n1`.
fn namespace(child: &str) -> Option<String> {
    let (controller, number) = child.strip_prefix("nvme")?.split_once('n')?;
    let subsystem = controller.split_once('c').map_or(controller, |(subsystem, _)| subsystem);
    let (subsystem, number): (u32, u32) = (subsystem.parse().ok()?, number.parse().ok()?);
    Some(format!("nvme{subsystem}n{number}"))
}

/// A thermal zone with the trip points that slow the machine down and that shut
/// it down.
fn zone(host: &Host, name: &str) -> Option<Sensor> {
    /// The kernel has at most this many in a zone (`THERMAL_MAX_TRIPS` of the
    /// kernels that had a limit).
    const TRIPS_MAX: u32 = 12;
    let folder = format!("{ZONES}/{name}");
    let temperature = |leaf: &str| {
        let number: i64 = host.text(format!("{folder}/{leaf}"))?.trim().parse().ok()?;
        Some(number as f64 / KINDS[0].scale).filter(|value| KINDS[0].sound.contains(value))
    };
    let mut sensor = Sensor {
        chip: line(&host.text(format!("{folder}/type"))?)?,
        label: name.to_owned(),
        kind: SensorKind::Temperature,
        value: temperature("temp"),
        ..Sensor::default()
    };
    for trip in 0..TRIPS_MAX {
        let Some(kind) = host.text(format!("{folder}/trip_point_{trip}_type")) else { break };
        // A trip point that nobody set is 0 or far below.
        let at = temperature(&format!("trip_point_{trip}_temp")).filter(|at| *at > 0.0);
        let lowest = |before: Option<f64>| [before, at].into_iter().flatten().min_by(f64::total_cmp);
        match kind.trim() {
            "critical" => sensor.critical = lowest(sensor.critical),
            "passive" => sensor.max = lowest(sensor.max),
            _ => {}
        }
    }
    Some(sensor)
}

#[cfg(test)]
mod tests;
