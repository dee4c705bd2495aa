//! How hot it is: the temperature inputs of hwmon
//! (`Documentation/hwmon/sysfs-interface.rst`), in thousandths of a degree.
//! Reading one may interrupt a core, or send a command to a drive, so once a
//! second.

use model::{Resource, ResourceKind, Unit, series};

use crate::Host;
use crate::inventory::runtime_pm;
use crate::sampler::{SamplerColumn, SamplerKind, single};

const FOLDER: &str = "/sys/class/hwmon";

/// Absolute zero: nothing is colder, and a raw value has no sign.
const ZERO_MILLIDEGREES: u64 = 273_150;

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "temperature",
    doc: "temperatures of the chips that have a sensor",
    open: |host, scope| {
        let mut seen: Vec<String> = Vec::new();
        let mut wanted = Vec::new();
        // Reading would wake a drive that the kernel has put to sleep.
        let awake = |chip: &String| !runtime_pm::sleeps(host, &format!("{FOLDER}/{chip}/device"));
        for chip in host.names(FOLDER).into_iter().filter(awake) {
            // It asks the drive by a command that waits until all others have
            // ended (libata does not queue it): that would be felt.
            if host.text(format!("{FOLDER}/{chip}/name")).as_deref() == Some("drivetemp") {
                continue;
            }
            for (path, place) in sensors(host, &format!("{FOLDER}/{chip}"), scope.cores) {
                // Two drives of one kind have sensors of one name.
                let same = seen.iter().filter(|other| **other == place).count();
                let suffix = if same > 0 { format!("#{}", same + 1) } else { String::new() };
                let resource = Resource::of(ResourceKind::Sensor, format_args!("{place}{suffix}"));
                let column =
                    SamplerColumn::gauge(resource, series::TEMPERATURE.as_str(), Unit::Celsius, 1e-3);
                wanted.push((path, column.biased(ZERO_MILLIDEGREES)));
                seen.push(place);
            }
        }
        single::open(host, FOLDER, wanted)
    },
};

/// The inputs of one chip, with what each sits at: `coretemp/Package id 0`.
fn sensors(host: &Host, folder: &str, cores: bool) -> Vec<(String, String)> {
    let chip = host.text(format!("{folder}/name")).unwrap_or_else(|| "unknown".to_owned());
    let inputs: Vec<(String, String)> = host
        .names(folder)
        .iter()
        .filter_map(|name| {
            let input = name.strip_suffix("_input").filter(|input| input.starts_with("temp"))?;
            let label = host.text(format!("{folder}/{input}_label"));
            Some((format!("{folder}/{name}"), label.unwrap_or_else(|| input.to_owned())))
        })
        .collect();
    // Where the package has a sensor, those of its cores are left alone unless
    // somebody asks how warm they get: each reading interrupts one of them.
    let package = !cores && inputs.iter().any(|(_, label)| label.starts_with("Package"));
    inputs
        .into_iter()
        .filter(|(_, label)| !(package && label.starts_with("Core ")))
        .map(|(path, label)| (path, format!("{}/{}", chip.trim(), label.trim())))
        .collect()
}
