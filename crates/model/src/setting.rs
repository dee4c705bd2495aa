//! What a setting is, as data: a state of a machine's resource that a study
//! changes, reads back, and puts back.

use std::collections::BTreeMap;
use std::net::IpAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::parameter::ParameterSpec;
use crate::resource::{Resource, ResourceKind, Symbol, SymbolWords};
use crate::scalar;
use crate::unit::Unit;
use crate::value::Value;

/// The description that a setting carries in its own file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SettingSpec {
    /// Its name, what values it takes, and what it is, in sentences.
    pub value: ParameterSpec,
    /// The unit of its values.
    pub unit: Unit,
    /// Which resource of a load's path it belongs to: the one named after `@`, or
    /// the one that the load passes, with a peer at both ends. None for the whole
    /// machine, with a peer both machines.
    pub binds: Option<Symbol>,
    /// The kind of resource of which it lets a load have no more than its value, if it does: more of
    /// it is more of that.
    #[serde(skip)]
    pub holds: Option<ResourceKind>,
    /// One line for lists.
    pub summary: &'static str,
}

impl SettingSpec {
    /// Its name, in kebab case.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.value.name.as_str()
    }

    /// The symbol that it belongs to, where a resource of it can be named after `@`.
    #[must_use]
    pub fn named(&self) -> Option<SymbolWords> {
        self.binds.map(Symbol::words).filter(|words| words.example.is_some())
    }

    /// A value as a person writes it.
    #[must_use]
    pub fn show(&self, value: &Value) -> String {
        scalar::show(self.value.kind, value)
    }
}

/// A layer of a storage stack that is made for a load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LayerPlace {
    /// The stack, as [`LayerStack`](crate::stack::LayerStack) writes it.
    pub stack: String,
    /// What it is made on, values of the parameter `target`.
    pub targets: Vec<String>,
    /// The layer, by its name in the stack.
    pub layer: String,
}

/// One change that is asked of an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// The setting's name.
    pub name: String,
    /// The resource, where a person named one: `eth0`; or a layer of a storage stack: `luks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// The peer towards which the resource lies, a value of the parameter `peer`:
    /// then the change is for both ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
    /// The targets under which the resources lie, values of the parameter `target`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
    /// The layers of storage stacks that are the resources, or under which these lie: of a device or a folder that is
    /// not there before the stack is made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<LayerPlace>,
    /// The hosts, by name or address, of servers that are no other end of ours, towards which the
    /// resources lie: a change of this end alone, which finds out where they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<String>,
    /// The address of the other end, from which each end finds its own resource;
    /// put in on the way to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub towards: Option<IpAddr>,
    /// What it is to be.
    pub value: Value,
}

impl Change {
    /// One that says nothing yet of where.
    #[must_use]
    pub fn new(name: &str, value: Value) -> Self {
        let name = name.to_owned();
        let (targets, layers, servers) = (Vec::new(), Vec::new(), Vec::new());
        Self { name, resource: None, peer: None, targets, layers, servers, towards: None, value }
    }

    /// The key under which a study asks for it: `mtu`, `mtu@eth0`, `read-ahead@luks`.
    #[must_use]
    pub fn key(&self) -> String {
        match &self.resource {
            Some(resource) => format!("{}@{resource}", self.name),
            None => self.name.clone(),
        }
    }
}

/// The host of a URL, or of a host and a port, without the brackets of an address of IPv6.
#[must_use]
pub fn host_of(server: &str) -> &str {
    let behind = server.split_once("://").map_or(server, |(_, behind)| behind);
    let authority = behind.split(['/', '?', '#']).next().unwrap_or_default();
    let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
    match place.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None => place.rsplit_once(':').map_or(place, |(host, _)| host),
    }
}

/// How a setting of one resource stood while a case was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingState {
    /// The machine.
    pub machine: String,
    /// The resource: `nic:eth0`, `machine`; absent where it was never found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<Resource>,
    /// What was asked for, in `unit`.
    pub asked: Value,
    /// What it was before the run; absent where it was never read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// What it was while the case was measured, as read back after the change;
    /// absent where the change failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_back: Option<Value>,
    /// The unit of the values.
    pub unit: Unit,
}

impl SettingState {
    /// What is asked of a setting before anything was done.
    #[must_use]
    pub fn asked(change: &Change, unit: Unit) -> Self {
        Self {
            machine: "local".to_owned(),
            resource: None,
            asked: change.value.clone(),
            before: None,
            read_back: None,
            unit,
        }
    }

    /// One of its values as a person writes it: sizes of buffers in binary units,
    /// an MTU as the plain number that it is everywhere.
    #[must_use]
    pub fn show(&self, value: &Value) -> String {
        const LARGE: u64 = 128 << 10;
        match value {
            Value::Integer(bytes) if self.unit == Unit::Bytes && *bytes >= LARGE => {
                scalar::show(crate::Kind::Size, value)
            }
            other => other.to_string(),
        }
    }
}

/// The settings of a case: by the key of the study (`mtu`, `mtu@eth0`), each
/// resource that it was changed at: one, or one at each end.
pub type SettingStates = BTreeMap<String, Vec<SettingState>>;

/// The setting that takes all but the first thread of each core offline.
pub const SMT: &str = "smt";

/// What a case's label and comparisons say of a setting: what was asked for.
#[must_use]
pub fn level<'a>(states: &'a SettingStates, name: &str) -> Option<&'a SettingState> {
    states.get(name).and_then(|all| all.first())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_a_server_is_found_however_it_is_written() {
        for (server, host) in [
            ("http://web1/a/b:c", "web1"),
            ("https://web1.example:8443?x", "web1.example"),
            ("http://[fd00::2]:81/", "fd00::2"),
            ("http://[::1]", "::1"),
            ("10.0.0.2:9000", "10.0.0.2"),
            ("http://me:secret@web1/", "web1"),
            ("web1", "web1"),
            ("http://", ""),
        ] {
            assert_eq!(host_of(server), host, "{server}");
        }
    }

    #[test]
    fn values_are_shown_as_people_write_them() {
        let change = Change::new("mtu", Value::from(9000_u64));
        let mut state = SettingState::asked(&change, Unit::Bytes);
        assert_eq!(state.show(&state.asked), "9000");
        state.asked = Value::from(32_u64 << 20);
        assert_eq!(state.show(&state.asked), "32MiB");
        state.unit = Unit::One;
        assert_eq!(state.show(&state.asked), "33554432");
        assert_eq!(change.key(), "mtu");
        assert_eq!(Change { resource: Some("eth0".into()), ..change }.key(), "mtu@eth0");
    }
}
