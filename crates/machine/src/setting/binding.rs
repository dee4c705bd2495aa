//! Which resources a setting belongs to: the whole machine, the one that was named,
//! or those that a symbol of a load's path means here.

use std::net::{IpAddr, ToSocketAddrs};
use std::path::Path;

use model::resource::{Symbol, cpu_list};
use model::setting::{Change, SettingSpec};
use model::{Kind, Resource, Value};

use super::{SettingError, find};
use crate::inventory::{cpu, storage};
use crate::{Host, route};

/// The resources that a change belongs to, each once, as its setting names them.
///
/// # Errors
/// If there is no such setting, nothing says which resource is meant, or there is
/// none.
pub fn resources(change: &Change) -> Result<Vec<Resource>, SettingError> {
    let setting = find(&change.name).ok_or_else(|| SettingError::Unknown(change.name.clone()))?;
    let host = Host::this();
    let bound = resolve(setting.spec(), change, &host)?;
    let mut placed = Vec::new();
    for resource in bound {
        let resource = setting.place(&host, resource)?;
        // Two names may be of one: a disk and a partition of it hang on one controller.
        if !placed.contains(&resource) {
            placed.push(resource);
        }
    }
    Ok(placed)
}

/// Whether a value is one that a person may ask for: what only puts back (`sda2:5`, `20%`) is in the
/// journal, and nobody's to send.
///
/// # Errors
/// If there is no such setting, or it takes no such value.
pub fn check(change: &Change) -> Result<(), SettingError> {
    let setting = find(&change.name).ok_or_else(|| SettingError::Unknown(change.name.clone()))?;
    let spec = setting.spec();
    let fits = match (spec.value.kind, &change.value) {
        (Kind::Size | Kind::Count, Value::Integer(_)) => true,
        (Kind::Rate | Kind::Duration | Kind::Share | Kind::Number, Value::Integer(_) | Value::Number(_)) => {
            true
        }
        (Kind::Flag, Value::Bool(_)) => true,
        (Kind::Choice, Value::Text(word)) => spec.value.parse(word).is_ok_and(|known| known == change.value),
        (_, Value::Text(word)) if spec.value.all_words().any(|known| known.word == word) => true,
        (Kind::Text | Kind::Path, Value::Text(_)) => true,
        _ => false,
    };
    let odd = || {
        SettingError::refused(spec, &Resource::MACHINE, &change.value, "it takes no such value".to_owned())
    };
    if fits { Ok(()) } else { Err(odd()) }
}

pub(super) fn resolve(
    spec: &SettingSpec,
    change: &Change,
    host: &Host,
) -> Result<Vec<Resource>, SettingError> {
    let Some(symbol) = spec.binds else { return Ok(vec![Resource::MACHINE]) };
    let words = symbol.words();
    let setting = || spec.name().to_owned();
    let missing = |place, reason| SettingError::NotThere { setting: setting(), place, reason };
    let mut names = match (&change.resource, symbol) {
        (Some(named), _) => vec![named.clone()],
        (None, Symbol::Own(resource)) => return Ok(vec![Resource::from(resource)]),
        (None, Symbol::Memory) => return Ok(vec![Resource::MEMORY]),
        (None, Symbol::WorkerCpus) => vec![cpu_list(&cpu::describe(host, &mut Vec::new()).allowed)],
        (None, Symbol::PeerInterface | Symbol::ServerInterface) => {
            interfaces(change).map_err(|(place, reason)| missing(place, reason))?
        }
        (None, Symbol::TargetDevice | Symbol::TargetFileSystem) => {
            let under = |target: &String| {
                let under = storage::under(host, Path::new(target));
                let name = under.and_then(|under| match symbol {
                    Symbol::TargetDevice => under.device,
                    _ => under.filesystem.map(|mounted| mounted.point),
                });
                let none =
                    || missing(format!("{} under {target}", words.noun), "nothing is known of it".to_owned());
                name.ok_or_else(none)
            };
            change.targets.iter().map(under).collect::<Result<Vec<_>, _>>()?
        }
    };
    names.sort();
    names.dedup();
    if names.is_empty() {
        let (parameter, example) = (words.meant().unwrap_or_default(), words.example.unwrap_or_default());
        return Err(SettingError::Unbound { setting: setting(), parameter, example });
    }
    Ok(names.into_iter().map(|name| Resource::from(format!("{}:{name}", words.kind))).collect())
}

/// The interfaces towards the other end and towards servers, or which of them is not there and why.
fn interfaces(change: &Change) -> Result<Vec<String>, (String, String)> {
    let place = |end: &str| format!("interface towards {end}");
    let towards = |end: &str, address: IpAddr| {
        let way = route::towards(address).map_err(|error| (place(end), error.to_string()));
        way.map(|way| way.interface)
    };
    let peer = change.towards.map(|address| towards(&address.to_string(), address));
    let servers = change.servers.iter().map(|host| {
        let host = host.as_str();
        let nowhere = |why: String| (place(host), format!("the name leads nowhere: {why}"));
        let mut addresses = (host, 0).to_socket_addrs().map_err(|error| nowhere(error.to_string()))?;
        let first = addresses.next().ok_or_else(|| nowhere("it has no address".to_owned()))?;
        towards(host, first.ip())
    });
    peer.into_iter().chain(servers).collect()
}
