//! Which resources settings bind to, through every symbol that a path has.

use std::os::unix::fs::MetadataExt;

use model::resource::Symbol;
use model::setting::{Change, SettingSpec};
use model::{Kind, ParameterSpec, Resource, Unit, Value};

use crate::Host;
use crate::setting::binding::{check, resolve, resources};
use crate::setting::{SettingError, TABLE};

fn change(name: &str) -> Change {
    Change::new(name, Value::Integer(1))
}

/// Each of `refused` has no place, which the reason says in these words; those of `gone` are not there.
pub(in crate::setting) fn assert_unbound(
    place: impl Fn(&str) -> Result<Resource, SettingError>,
    refused: &[(&str, &str)],
    gone: &[&str],
) {
    for &(name, says) in refused {
        let error = place(name).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
    for &name in gone {
        assert!(matches!(place(name), Err(SettingError::Gone { .. })), "{name}");
    }
}

/// What a setting of this symbol belongs to by `change`.
fn bound(symbol: Symbol, change: &Change, host: &Host) -> Result<Vec<Resource>, SettingError> {
    let value = ParameterSpec::new("level", Kind::Count, "");
    resolve(
        &SettingSpec { value, unit: Unit::One, binds: Some(symbol), holds: None, summary: "" },
        change,
        host,
    )
}

#[test]
fn settings_of_the_table_belong_to_the_machine_or_to_an_interface() {
    let of = |change: Change| {
        resources(&change).map(|all| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    };
    let named = Change { resource: Some("eth0".to_owned()), ..change("mtu") };
    assert_eq!(of(named), Ok("nic:eth0".to_owned()));
    let towards = Change { towards: Some("127.0.0.1".parse().unwrap()), ..change("mtu") };
    assert_eq!(of(towards.clone()), Ok("nic:lo".to_owned()));
    // Of several servers each interface once, beside that towards the peer.
    let servers = vec!["127.0.0.2".to_owned(), "localhost".to_owned()];
    assert_eq!(of(Change { servers: servers.clone(), ..change("mtu") }), Ok("nic:lo".to_owned()));
    assert_eq!(of(Change { servers, ..towards }), Ok("nic:lo".to_owned()));
    let unknown = Change { servers: vec!["no such host".to_owned()], ..change("mtu") };
    let unknown = of(unknown).unwrap_err().to_string();
    assert!(
        unknown.contains("interface towards no such host") && unknown.contains("leads nowhere"),
        "{unknown}"
    );
    assert_eq!(of(change("socket-buffer-max")), Ok("machine".to_owned()));
    let unbound = of(change("mtu")).unwrap_err().to_string();
    assert!(
        unbound.contains(
            "this load has no peer, so it is not known where `mtu` belongs; name a place, as in mtu@eth0"
        ),
        "{unbound}"
    );
    assert_eq!(of(change("swapp")), Err(SettingError::Unknown("swapp".to_owned())));
    assert_eq!(of(change("sysctl.vm.swappiness")), Ok("machine".to_owned()));
    let known = [Symbol::PeerInterface, Symbol::TargetDevice, Symbol::TargetFileSystem];
    assert!(TABLE.iter().all(|s| s.spec().binds.is_none_or(|symbol| known.contains(&symbol))));
}

#[test]
fn what_only_puts_back_is_nobodys_to_ask_for() {
    let of = |name: &str, value: Value| check(&Change::new(name, value)).is_ok();
    for (name, value) in [
        ("mtu", Value::Integer(1500)),
        ("cgroup-cpu", Value::Number(0.5)),
        ("swap", "off".into()),
        ("swap", "file:4GiB".into()),
        ("queueing-discipline", "fq_codel".into()),
        ("queueing-discipline", "default".into()),
        ("drop-caches", Value::Bool(true)),
        ("offloads", Value::Bool(false)),
        ("coalescing", Value::Integer(0)),
        ("coalescing", "adaptive".into()),
        ("rings", Value::Integer(256)),
        ("governor", "performance".into()),
        ("mount-options", "noatime+commit=30".into()),
        ("smt", Value::Bool(false)),
        ("nvme-power-states", Value::Integer(0)),
        ("dirty-bytes", Value::Integer(1 << 20)),
    ] {
        assert!(of(name, value), "{name}");
    }
    for (name, value) in [
        ("swap", Value::List(vec!["/dev/sda2:5".into()])),
        ("swap", "never".into()),
        ("swap", "file:4096MiB".into()),
        ("swap", "file:4GiB and 1 more".into()),
        ("queueing-discipline", "mq of fq_codel by default".into()),
        ("queueing-discipline", "drr".into()),
        ("dirty-bytes", "0%".into()),
        ("device-write-cache", "on:naa.5".into()),
        ("c-states", "0".into()),
        ("coalescing", "rx-usecs 0 with rx-frames 32".into()),
        ("coalescing", Value::List(vec!["rx-usecs:8".into()])),
        ("offload-tso", Value::List(vec!["tx-tcp-segmentation:on".into()])),
        ("offload-tso", "on".into()),
        ("rings", Value::List(vec!["rx:256".into(), "tx:256".into()])),
        ("governor", Value::List(vec!["0:performance".into()])),
        ("socket-buffer-max", Value::List(vec![Value::Integer(1), Value::Integer(2)])),
        ("mount-options", Value::List(vec!["8:1".into(), "noatime".into()])),
        ("smt", Value::List(vec!["on".into()])),
        ("nvme-power-states", "any".into()),
        ("cpu-list", "0-1".into()),
        ("no-such", Value::Integer(1)),
    ] {
        assert!(!of(name, value), "{name}");
    }
}

#[test]
fn a_setting_binds_to_every_symbol_of_a_path() {
    let folder = tempfile::tempdir().unwrap();
    let number = folder.path().metadata().unwrap().dev();
    let number = format!("{}:{}", rustix::fs::major(number), rustix::fs::minor(number));
    // The folder lies on a partition.
    let host = Host::parse(&format!(
        "==> /proc/self/mountinfo\n1 0 {number} / / rw - ext4 /dev/sda1 rw\n\
         ==> /sys/dev/block/{number} -> ../../devices/pci0/block/sda/sda1\n\
         ==> /sys/devices/pci0/block/sda/sda1/partition\n1\n\
         ==> /sys/devices/system/cpu/online\n0-1\n"
    ));
    let inside = folder.path().join("new file").to_string_lossy().into_owned();
    let targets = vec![folder.path().to_string_lossy().into_owned(), inside];
    let of_targets = Change { targets, ..change("level") };
    for (symbol, resource) in [
        // The whole device, and each once.
        (Symbol::TargetDevice, "block:sda"),
        (Symbol::TargetFileSystem, "filesystem:/"),
        (Symbol::WorkerCpus, "cpu:0-1"),
        (Symbol::Memory, "memory"),
    ] {
        assert_eq!(bound(symbol, &of_targets, &host), Ok(vec![Resource::from(resource)]));
    }
    let of_server = Change { servers: vec!["127.0.0.1".to_owned()], ..change("level") };
    assert_eq!(bound(Symbol::ServerInterface, &of_server, &host), Ok(vec![Resource::from("nic:lo")]));
    let named = Change { resource: Some("sdb".to_owned()), ..of_targets.clone() };
    assert_eq!(bound(Symbol::TargetDevice, &named, &host), Ok(vec![Resource::from("block:sdb")]));
    let unbound = bound(Symbol::TargetDevice, &change("level"), &host).unwrap_err().to_string();
    assert!(
        unbound.contains(
            "this load has no target, so it is not known where `level` belongs; name a place, as in level@sda"
        ),
        "{unbound}"
    );
    let gone = Change { targets: vec!["/no/such/place".to_owned()], ..of_targets };
    let none = bound(Symbol::TargetDevice, &gone, &host).unwrap_err().to_string();
    assert!(
        none.starts_with("`level` belongs to the block device under /no/such/place, and there is none"),
        "{none}"
    );
}
