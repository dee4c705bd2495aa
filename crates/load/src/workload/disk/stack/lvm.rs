//! A volume of LVM over all of a group, linear or striped ([`super::volume_group`]).

use std::path::PathBuf;

use engine::fault::Fault;
use model::parameter::{Kind, ParameterSpec};
use model::stack::{LayerRole, LayerSpec, StackLayer};
use model::value::Value;

use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::kernel::KernelPart;
use crate::workload::disk::stack::record::LayerRecord;
use crate::workload::disk::stack::volume_group::{self, LVM, UNTOUCHED, VOLUME, VolumeGroup};
use crate::workload::disk::stack::{Below, BuildSite, LayerKind};
use crate::workload::named;

pub(super) const SPEC: LayerSpec = LayerSpec {
    name: "lvm",
    role: LayerRole::Device,
    devices: (1, 26),
    beside: None,
    options: &[
        ParameterSpec::new("stripes", Kind::Count, "Devices over which it is striped; 1 leaves it linear.")
            .default("1"),
        ParameterSpec::new(
            "stripe-size",
            Kind::Size,
            "Bytes on one device before the next, a power of two from 4 KiB to 4 MiB; 64 KiB without it.",
        ),
    ],
    doc: "LVM, one volume over all of its devices, linear or striped",
};

/// The kind.
#[derive(Debug)]
pub(super) struct Lvm;

fn integer(layer: &StackLayer, name: &'static str) -> Option<u64> {
    match layer.option(named(name)) {
        Some(Value::Integer(number)) => Some(number),
        _ => None,
    }
}

fn stripes(layer: &StackLayer) -> u64 {
    integer(layer, "stripes").unwrap_or(1)
}

impl LayerKind for Lvm {
    fn spec(&self) -> &'static LayerSpec {
        &SPEC
    }

    fn programs(&self) -> &'static [Program] {
        &[LVM]
    }

    fn kernel(&self) -> &'static [KernelPart] {
        &[KernelPart::Mapping("dm_mod")]
    }

    /// Stripes are as long on each device; what does not fit is lost.
    fn capacity(&self, layer: &StackLayer, below: &[u64]) -> u64 {
        let room = volume_group::room(below);
        match stripes(layer) {
            1 => room,
            stripes => {
                let least = below.iter().copied().min().unwrap_or(0);
                room.min(volume_group::room(&[least]).saturating_mul(stripes))
            }
        }
    }

    fn refuses(&self, layer: &StackLayer) -> Option<String> {
        let size = integer(layer, "stripe-size")?;
        if stripes(layer) == 1 {
            return Some("stripe-size goes with stripes".to_owned());
        }
        // lvcreate takes an extent instead of what is more.
        let is_good = size.is_power_of_two() && (4096..=4 << 20).contains(&size);
        (!is_good).then(|| format!("stripe-size={size} is no power of two from 4 KiB to 4 MiB"))
    }

    fn refuses_on(&self, layer: &StackLayer, below: Below<'_>) -> Option<String> {
        let stripes = stripes(layer);
        let is_more = usize::try_from(stripes).unwrap_or(usize::MAX) > below.devices;
        is_more.then(|| format!("stripes={stripes} needs as many devices, and here are {}", below.devices))
    }

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let group = VolumeGroup::make(site)?;
        let (stripes, size) = (stripes(site.layer).to_string(), integer(site.layer, "stripe-size"));
        let size = size.map(|bytes| format!("{bytes}b"));
        let mut words = vec!["--yes", "--quiet"];
        words.extend(UNTOUCHED);
        words.extend(["--stripes", &stripes]);
        words.extend(size.iter().flat_map(|size| ["--stripesize", size.as_str()]));
        words.extend(["--extents", "100%FREE", "--name", VOLUME, &group.name]);
        group.run(site.commands, "lvcreate", &words)?;
        group.device()
    }

    fn take_down(&self, record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
        volume_group::take_down(record, commands)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Parameters;

    fn layer(options: &[(&'static str, u64)]) -> StackLayer {
        let mut parameters = Parameters::default();
        options.iter().for_each(|(name, value)| parameters.set(named(name), *value));
        StackLayer { spec: &SPEC, beside: None, options: parameters }
    }

    #[test]
    fn stripes_need_devices_and_the_smallest_says_how_long_they_are() {
        let (linear, striped) = (layer(&[]), layer(&[("stripes", 2)]));
        let sizes = [100 << 20, 60 << 20];
        assert_eq!(Lvm.capacity(&linear, &sizes), 144 << 20);
        assert_eq!(Lvm.capacity(&striped, &sizes), 104 << 20);
        let on = |devices| Below { kind: "loop", devices };
        assert_eq!(Lvm.refuses_on(&striped, on(2)), None);
        assert!(Lvm.refuses_on(&striped, on(1)).unwrap().contains("as many devices"));
        assert_eq!(Lvm.refuses(&layer(&[("stripes", 2), ("stripe-size", 65536)])), None);
        assert!(Lvm.refuses(&layer(&[("stripe-size", 65536)])).unwrap().contains("goes with stripes"));
        for (size, is_good) in [(5000, false), (2048, false), (4 << 20, true), (8 << 20, false)] {
            let refused = Lvm.refuses(&layer(&[("stripes", 2), ("stripe-size", size)]));
            assert_eq!(refused.is_none(), is_good, "{size}");
        }
    }
}
