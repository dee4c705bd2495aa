//! `offloads`: whether an interface cuts and joins segments of TCP, so that the kernel handles large
//! ones (TSO, GSO and GRO, `Documentation/networking/segmentation-offloads.rst`).

use model::resource::Symbol;
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};
use rustix::io::Errno;

use super::interface;
use super::journal::SideEffect;
use super::{Setting, SettingError};

/// Each with the commands that read and write it (include/uapi/linux/ethtool.h), in the order in
/// which they are switched on: segmentation by the device needs that by the kernel.
const ALL: [(&str, u32, u32); 3] = [("gso", 0x23, 0x24), ("tso", 0x1e, 0x1f), ("gro", 0x2b, 0x2c)];

pub(super) struct Offloads;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "offloads",
        Kind::Choice,
        "Whether the interface cuts large segments of TCP and joins small ones, in the device or late in the kernel (TSO, GSO and \
         GRO together). With `off` each packet takes the whole way through the kernel, as on hardware that can do neither: it shows what \
         packets cost. Checksums and what depends on none of these stay. Each is put back to its own. Without `@INTERFACE` it is the \
         interface towards the peer, at both ends.",
    )
    .words(&[
        model::parameter::Word { word: "on", doc: "as it was found" },
        model::parameter::Word { word: "off", doc: "none of them" },
    ]),
    unit: Unit::One,
    binds: Some(Symbol::PeerInterface),
    holds: None,
    summary: "whether a network interface cuts and joins segments",
};

impl Setting for Offloads {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        true
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        let is_any = now(resource)?.iter().any(|(_, is_on)| *is_on);
        Ok(Value::from(if is_any { "on" } else { "off" }))
    }

    fn read_each(&self, resource: &Resource) -> Result<Value, SettingError> {
        let shown =
            |(name, is_on): (&str, bool)| Value::Text(format!("{name}:{}", if is_on { "on" } else { "off" }));
        Ok(Value::List(now(resource)?.into_iter().map(shown).collect()))
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
        let wanted: Vec<(&str, bool)> = match value {
            Value::Text(word) if word == "off" => ALL.iter().rev().map(|(name, ..)| (*name, false)).collect(),
            Value::Text(word) if word == "on" => ALL.iter().map(|(name, ..)| (*name, true)).collect(),
            Value::List(all) => all.iter().filter_map(parsed).collect(),
            _ => return Err(refused("it is neither on nor off".to_owned())),
        };
        let mut first = None;
        for (name, is_on) in wanted {
            let Some((_, get, set)) = ALL.iter().find(|(known, ..)| *known == name) else { continue };
            let interface = interface::name(resource);
            // What is so already may be what the device has no way to change.
            if interface::ethtool(interface, *get, 0) == Ok(u32::from(is_on)) {
                continue;
            }
            match interface::ethtool(interface, *set, u32::from(is_on)) {
                Ok(_) => {}
                Err(Errno::NODEV) => return Err(SettingError::gone(&SPEC, resource)),
                Err(error) => drop(first.get_or_insert(format!("{name}: {}", said(error)))),
            }
        }
        first.map_or(Ok(()), |reason| Err(refused(reason)))
    }

    // What is switched here switches what depends on it, all of it read one by one
    // (`netdev_fix_features` in `net/core/dev.c`): TSO needs GSO only for UDP and tunnels, and none of
    // these three another. Interfaces above take over what they may (`netdev_update_features`).
    fn side_effects(&self, resource: &Resource, _value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        now(resource).map(|_| Vec::new())
    }

    fn is_ready(&self, resource: &Resource) -> bool {
        interface::has_link(resource)
    }
}

/// Each of them, and whether it is on.
fn now(resource: &Resource) -> Result<Vec<(&'static str, bool)>, SettingError> {
    let one = |(name, get, _): &(&'static str, u32, u32)| match interface::ethtool(
        interface::name(resource),
        *get,
        0,
    ) {
        Ok(number) => Ok((*name, number != 0)),
        Err(Errno::NODEV) => Err(SettingError::gone(&SPEC, resource)),
        Err(error) => Err(SettingError::unreadable(&SPEC, resource, format!("{name}: {}", said(error)))),
    };
    ALL.iter().map(one).collect()
}

fn parsed(value: &Value) -> Option<(&str, bool)> {
    let Value::Text(text) = value else { return None };
    let (name, state) = text.split_once(':')?;
    Some((name, state == "on"))
}

fn said(error: Errno) -> String {
    match error {
        Errno::PERM | Errno::ACCESS => format!("{error}; run Headroom as root, or with CAP_NET_ADMIN"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loopback_says_each_and_a_stranger_is_not_there() {
        let all = Offloads.read_each(&Resource::from("nic:lo")).unwrap();
        let Value::List(all) = all else { panic!("{all}") };
        assert_eq!(
            all.iter().filter_map(parsed).map(|(name, _)| name).collect::<Vec<_>>(),
            ["gso", "tso", "gro"]
        );
        assert!(matches!(Offloads.read(&Resource::from("nic:hr-none")), Err(SettingError::Gone { .. })));
    }
}
