//! How settings stand on this machine, and whether they could be changed.

use std::collections::BTreeSet;
use std::fs;

use model::resource::Symbol;
use model::setting::SettingSpec;
use model::{Resource, ResourceKind, Value};

use super::{Setting, SettingError, TABLE};
use crate::Host;
use crate::inventory::block::mount;

/// How a setting stands at one resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PresentState {
    /// The setting.
    pub spec: &'static SettingSpec,
    /// What it is bound to: a disk, an interface, the machine.
    pub bound: Resource,
    /// The resource that would be changed for that.
    pub resource: Resource,
    /// What it is now, as a person writes it, or why that cannot be read.
    pub now: Result<String, String>,
    /// Why it would not be changed, where that is known.
    pub refused: Option<String>,
}

/// How every setting stands at every resource here that it could be changed at; with `name` that
/// one alone.
#[must_use]
pub fn present(name: Option<&str>) -> Vec<PresentState> {
    let host = Host::this();
    let is_meant = |setting: &&&'static dyn Setting| name.is_none_or(|name| setting.spec().name() == name);
    let named = name.and_then(super::find);
    // What stands for all sysctls is none of them.
    let is_one = |setting: &&&'static dyn Setting| setting.spec().name() != super::sysctl::ANY_NAME;
    let mut of_table: Vec<&'static dyn Setting> =
        TABLE.iter().filter(is_meant).filter(is_one).copied().collect();
    if of_table.is_empty() {
        of_table.extend(named);
    }
    of_table
        .into_iter()
        .flat_map(|setting| resources(setting).into_iter().map(move |bound| (setting, bound)))
        .map(|(setting, bound)| match setting.place(&host, bound.clone()) {
            Ok(resource) => state(setting, bound, resource),
            Err(error) => absent(setting, (bound.clone(), bound), error),
        })
        .collect()
}

/// Whether the setting `name` of a resource is there, can be read, and has such a level.
///
/// # Errors
/// If not, with the reason.
pub fn look(name: &str, resource: &Resource, value: &Value) -> Result<(), SettingError> {
    let setting = super::find(name).ok_or_else(|| SettingError::Unknown(name.to_owned()))?;
    setting.read(resource)?;
    match setting.lacks(resource, value) {
        Some(reason) => Err(SettingError::refused(setting.spec(), resource, value, reason)),
        None => Ok(()),
    }
}

fn state(setting: &'static dyn Setting, bound: Resource, resource: Resource) -> PresentState {
    let spec = setting.spec();
    match setting.read(&resource) {
        Ok(now) => {
            // Of two values it is asked of the other one; of more what it is now says the same.
            let asked = match &now {
                Value::Bool(is_on) => Value::Bool(!is_on),
                other => other.clone(),
            };
            let refused = setting.side_effects(&resource, &asked).err().map(reason);
            PresentState { spec, bound, resource, now: Ok(spec.show(&now)), refused }
        }
        Err(error) => absent(setting, (bound, resource), error),
    }
}

fn absent(
    setting: &'static dyn Setting,
    (bound, resource): (Resource, Resource),
    error: SettingError,
) -> PresentState {
    PresentState { spec: setting.spec(), bound, resource, now: Err(reason(error)), refused: None }
}

/// The bare reason of an error, for the setting and the resource stand beside it.
fn reason(error: SettingError) -> String {
    match error {
        SettingError::Refused { reason, .. }
        | SettingError::Unreadable { reason, .. }
        | SettingError::NotThere { reason, .. } => reason,
        other => other.to_string(),
    }
}

/// What a setting could be bound to here.
fn resources(setting: &dyn Setting) -> Vec<Resource> {
    let mut all = of_symbol(setting.spec().binds);
    all.extend(setting.also_binds().into_iter().flat_map(|symbol| of_symbol(Some(symbol))));
    all
}

/// The resources here that a symbol may mean.
fn of_symbol(symbol: Option<Symbol>) -> Vec<Resource> {
    match symbol {
        None => vec![Resource::MACHINE],
        Some(Symbol::PeerInterface) => {
            names("/sys/class/net").into_iter().map(|name| Resource::of(ResourceKind::Nic, name)).collect()
        }
        Some(Symbol::TargetDevice) => {
            let is_disk = |name: &String| {
                let folder = format!("/sys/class/block/{name}");
                let size = fs::read_to_string(format!("{folder}/size")).unwrap_or_default();
                !fs::exists(format!("{folder}/partition")).unwrap_or(false) && size.trim() != "0"
            };
            let disks = names("/sys/class/block").into_iter().filter(is_disk);
            disks.map(|name| Resource::of(ResourceKind::Block, name)).collect()
        }
        Some(Symbol::TargetFileSystem) => {
            // Others than those of a device have no options that a load would feel.
            let is_of_device = |line: &mount::Line| !line.number.starts_with("0:") || line.kind == "btrfs";
            let lines = mount::table(&Host::this()).into_iter().filter(is_of_device);
            let points: BTreeSet<String> = lines.map(|line| line.point).collect();
            points.into_iter().map(|point| Resource::of(ResourceKind::FileSystem, point)).collect()
        }
        Some(_) => Vec::new(),
    }
}

fn names(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_stands_somewhere_or_says_why_not() {
        let all = present(None);
        let of = |name: &str| all.iter().filter(|state| state.spec.name() == name).collect::<Vec<_>>();
        let loopback =
            of("mtu").into_iter().find(|state| state.resource == Resource::from("nic:lo")).unwrap();
        assert!(loopback.now.as_ref().unwrap().parse::<u64>().unwrap() > 0);
        let dirty = of("dirty-bytes");
        assert_eq!(dirty.len(), 1);
        assert!(dirty[0].now.is_ok(), "{dirty:?}");
        for state in &all {
            if let Err(reason) = &state.now {
                assert!(!reason.is_empty(), "{state:?}");
            }
        }
        let one = present(Some("sysctl.vm.swappiness"));
        assert!(one.len() == 1 && one[0].now.is_ok() && one[0].refused.is_none(), "{one:?}");
        let never = present(Some("sysctl.kernel.core_pattern"));
        assert!(never[0].now.as_ref().unwrap_err().contains("measurement"), "{never:?}");
        assert!(present(Some("no-such-setting")).is_empty());
    }

    #[test]
    fn regression_a_setting_that_is_always_refused_was_shown_without_a_refusal() {
        let offloads = crate::setting::find("offloads").unwrap();
        let all = present(Some("offloads"));
        // The loopback at least; the adapters of many virtual machines keep a feature on.
        assert!(!all.is_empty());
        for state in all {
            let other = match state.now.as_deref() {
                Ok("yes") => Value::Bool(false),
                Ok("no") => Value::Bool(true),
                _ => continue,
            };
            let refused = offloads.side_effects(&state.resource, &other).is_err();
            assert_eq!(state.refused.is_some(), refused, "{state:?}");
        }
    }
}
