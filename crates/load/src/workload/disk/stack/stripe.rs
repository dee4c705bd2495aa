//! The stripes of an array below, as a file system is told of them when it is made: it puts what it writes on their
//! borders. What it stands on says that, too, but not through LUKS and LVM.

use model::parameter::{Kind, ParameterSpec};
use model::stack::StackLayer;
use model::value::Value;

use crate::workload::named;

pub(super) const UNIT: ParameterSpec = ParameterSpec::new(
    "stripe-unit",
    Kind::Size,
    "Bytes on one member of the array below before the next, a multiple of 4 KiB; as the device says without it.",
);
pub(super) const WIDTH: ParameterSpec = ParameterSpec::new(
    "stripe-width",
    Kind::Count,
    "How many members of the array below have data; goes with the stripe unit.",
);

/// A stripe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stripe {
    /// Bytes on one member.
    pub(super) unit_bytes: u64,
    /// Members that have data.
    pub(super) width: u64,
}

fn given(layer: &StackLayer) -> (Option<u64>, Option<u64>) {
    let integer = |name: &'static str| match layer.option(named(name)) {
        Some(Value::Integer(number)) => Some(number),
        _ => None,
    };
    (integer("stripe-unit"), integer("stripe-width"))
}

/// The one that was asked for.
pub(super) fn of(layer: &StackLayer) -> Option<Stripe> {
    let (unit, width) = given(layer);
    Some(Stripe { unit_bytes: unit?, width: width? })
}

/// Why the one that was asked for cannot be.
pub(super) fn refuses(layer: &StackLayer) -> Option<String> {
    match given(layer) {
        (Some(_), None) | (None, Some(_)) => Some("stripe-unit and stripe-width go together".to_owned()),
        (Some(unit), _) if unit == 0 || !unit.is_multiple_of(4096) => {
            Some(format!("stripe-unit={unit} is no multiple of 4 KiB"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Parameters;

    #[test]
    fn unit_and_width_go_together() {
        let layer = |options: &[(&'static str, u64)]| {
            let mut parameters = Parameters::default();
            options.iter().for_each(|(name, value)| parameters.set(named(name), *value));
            StackLayer { spec: &super::super::ext4::SPEC, beside: None, options: parameters }
        };
        let (unit, width) = (("stripe-unit", 65536), ("stripe-width", 4));
        assert_eq!(of(&layer(&[unit, width])), Some(Stripe { unit_bytes: 65536, width: 4 }));
        assert_eq!(refuses(&layer(&[unit, width])), None);
        assert_eq!((of(&layer(&[])), refuses(&layer(&[]))), (None, None));
        for half in [unit, width] {
            assert!(refuses(&layer(&[half])).unwrap().contains("go together"));
        }
        assert!(refuses(&layer(&[("stripe-unit", 1000), width])).unwrap().contains("4 KiB"));
    }
}
