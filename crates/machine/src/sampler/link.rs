//! How fast and how wide PCI Express links are while a load runs: links slow
//! down when idle, so what the inventory saw before may be less. The files of
//! `Documentation/ABI/testing/sysfs-bus-pci`, once a second.

use model::{Resource, ResourceKind, Unit};

use crate::sampler::file::OpenFile;
use crate::sampler::{ABSENT, Pace, SamplerColumn, SamplerKind, reader};

const FOLDER: &str = "/sys/bus/pci/devices";

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "link",
    doc: "speed and width of the PCI Express links of drives and network adapters under load",
    open: |host, scope| {
        let (mut columns, mut files) = (Vec::new(), Vec::new());
        for address in &scope.pci {
            let resource = Resource::of(ResourceKind::Pci, address);
            let wanted = [
                ("current_link_speed", SamplerColumn::gauge(&resource, "transfers", Unit::PerSecond, 1e6)),
                ("current_link_width", SamplerColumn::gauge(&resource, "lanes", Unit::One, 1.0)),
            ];
            for (name, column) in wanted {
                if let Some(file) = OpenFile::open(host, &format!("{FOLDER}/{address}/{name}")) {
                    files.push((file, column.name == "transfers"));
                    columns.push(column);
                }
            }
        }
        reader(FOLDER, Pace::Slow, columns, move |values| {
            for (value, (file, is_speed)) in values.iter_mut().zip(&mut files) {
                *value = file.read().and_then(|bytes| leading(bytes, *is_speed)).unwrap_or(ABSENT);
            }
        })
    },
};

/// `8.0 GT/s PCIe` as millions of transfers a second, `4` as lanes; nothing for
/// `Unknown` and for widths that the standard does not have (a function that is
/// switched off reads 63 or 255).
fn leading(bytes: &[u8], is_speed: bool) -> Option<u64> {
    let word = std::str::from_utf8(bytes).ok()?.split_whitespace().next()?;
    let number: f64 = word.parse().ok()?;
    let sane = if is_speed { 2.5..=256.0 } else { 1.0..=32.0 };
    sane.contains(&number).then_some((number * if is_speed { 1000.0 } else { 1.0 }) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Host;
    use crate::sampler::Scope;

    #[test]
    fn a_link_is_read_and_an_unknown_one_is_absent() {
        let host = Host::parse(
            "==> /sys/bus/pci/devices/0000:01:00.0/current_link_speed\n8.0 GT/s PCIe\n\
             ==> /sys/bus/pci/devices/0000:01:00.0/current_link_width\n4\n\
             ==> /sys/bus/pci/devices/0000:02:00.0/current_link_speed\nUnknown\n\
             ==> /sys/bus/pci/devices/0000:02:00.0/current_link_width\n255\n",
        );
        let pci = ["0000:01:00.0", "0000:02:00.0", "0000:03:00.0"].map(str::to_owned).to_vec();
        let mut links = (KIND.open)(&host, &Scope { pci, ..Scope::default() }).remove(0);
        let mut values = vec![0; links.columns().len()];
        links.read(&mut values);
        assert_eq!(values, [8000, 4, ABSENT, ABSENT]);
        assert_eq!(links.columns()[0].resource.as_str(), "pci:0000:01:00.0");
    }
}
